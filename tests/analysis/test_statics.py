"""Equilibrium against closed forms: beams, springs, blocks under tension."""

from itertools import pairwise

import numpy as np
import pytest
from scipy.optimize import brentq, fsolve

import condyle as cd
from condyle.analysis.statics import Statics
from condyle.integrators.newton import StepFailed
from condyle.system.compile import running
from condyle.system.start import consistent_state

E, NU = 1000.0, 0.3
LAME = E * NU / ((1 + NU) * (1 - 2 * NU))
MU = E / (2 * (1 + NU))
MATERIALS = {"St. Venant–Kirchhoff": cd.StVenantKirchhoff(E, NU, 1.0), "neo-Hookean": cd.NeoHookean(E, NU, 1.0)}


# --- rods -------------------------------------------------------------------------------------------------------------


def cantilever(dimension, elements, force):
    m = cd.Model("cantilever", dimension=dimension)
    end = (1.0, 0.0) if dimension == 2 else (1.0, 0.0, 0.0)
    across = {} if dimension == 2 else {"normal": (0.0, 1.0, 0.0)}
    rod = cd.Rod(
        "rod", [np.zeros(dimension), end], elements, 0.1, cd.StVenantKirchhoff(1e6, density=1.0), width=0.05, **across
    )
    m.add(cd.Tie("clamp", m.add(rod), "start", m.ground))
    m.add(cd.Load("tip", rod.point("end"), force))
    return cd.solve_static(m, steps=1).displacement("rod.end")[-1]


def deflection(force, depth, width, elements):
    """F L³/3EI (1 − 1/4n²) + F L/GA: one point per element samples the linear moment at its middle; G = E/2."""
    young, inertia, area = 1e6, width * depth**3 / 12, width * depth
    return force / (3 * young * inertia) * (1 - 0.25 / elements**2) + force / (0.5 * young * area)


@pytest.mark.parametrize("elements", [2, 8])
def test_a_cantilever_under_a_small_tip_load_bends_as_beam_theory_says(elements):
    found = cantilever(2, elements, (0.0, 1e-4))
    assert found[1] == pytest.approx(deflection(1e-4, 0.1, 0.05, elements), rel=1e-6)
    found = cantilever(3, elements, (0.0, 1e-4, 2e-4))
    assert found[1] == pytest.approx(deflection(1e-4, 0.1, 0.05, elements), rel=1e-6)
    assert found[2] == pytest.approx(deflection(2e-4, 0.05, 0.1, elements), rel=1e-6)


def test_a_cantilever_converges_with_the_square_of_the_element_size():
    """At a large load the tip comes to rest at the same place for all meshes, up to O(1/n²)."""
    tips = [cantilever(2, n, (0.0, 8.0)) for n in (8, 16, 32, 64)]
    steps = [np.linalg.norm(b - a) for a, b in pairwise(tips)]
    assert np.hypot(*tips[-1]) > 0.4
    for coarse, fine in pairwise(steps):
        assert coarse / fine == pytest.approx(4.0, rel=0.15)


# --- springs and rigid bodies -----------------------------------------------------------------------------------------


def test_masses_on_springs_hang_as_their_weights_say():
    m = cd.Model("chain", dimension=3, gravity=(0.0, 0.0, -10.0))
    masses, stiffness = (1.0, 2.0, 0.5), (100.0, 80.0, 50.0)
    above = m.ground
    for i, (mass, k) in enumerate(zip(masses, stiffness, strict=True)):
        here = m.add(cd.PointMass(f"m{i}", mass, (0.0, 0.0, -1.1 * (i + 1))))
        m.add(cd.Spring(f"k{i}", above, here, k, rest_length=1.0))
        above = here
    result = cd.solve_static(m)
    carried = np.cumsum(masses[::-1])[::-1] * 10.0
    depth = np.cumsum(1.0 + carried / stiffness)
    for i in range(3):
        np.testing.assert_allclose(result.position(f"m{i}")[-1], (0.0, 0.0, -depth[i]), atol=1e-11)


def test_a_mass_between_two_springs_sags_until_they_carry_it():
    m = cd.Model("sling", dimension=2, gravity=(0.0, -9.81))
    load = m.add(cd.PointMass("load", 2.0, (0.0, -0.3)))
    for name, x in (("left", -1.0), ("right", 1.0)):
        m.add(cd.Spring(name, m.ground.at(x, 0.0), load, 40.0, rest_length=0.9))
    sag = brentq(lambda y: 2 * 40.0 * (np.hypot(1, y) - 0.9) * y / np.hypot(1, y) - 2.0 * 9.81, 0.01, 3.0)
    np.testing.assert_allclose(cd.solve_static(m).position("load")[-1], (0.0, -sag), atol=1e-11)


@pytest.mark.parametrize("enforcement", ["multiplier", "augmented", "uzawa"])
def test_a_lever_turns_until_the_moments_about_its_pin_balance(enforcement):
    m = cd.Model("lever", dimension=2, gravity=(0.0, -9.81))
    lever = m.add(cd.RigidBody("lever", 2.0, inertia=0.2, position=(0.5, 0.0), points={"tip": (0.5, 0.0)}))
    m.add(cd.Pin("pin", m.ground, lever, at=(0.0, 0.0), enforcement=enforcement))
    m.add(cd.Spring("spring", m.ground.at(1.0, 2.0), "lever.tip", 30.0, rest_length=2.0))

    def moment(angle):
        tip = np.array([np.cos(angle), np.sin(angle)])
        pull = np.array([1.0, 2.0]) - tip
        force = 30.0 * (np.linalg.norm(pull) - 2.0) / np.linalg.norm(pull) * pull
        return tip[0] * force[1] - tip[1] * force[0] - 2.0 * 9.81 * 0.5 * np.cos(angle)

    angle = brentq(moment, -0.8, 0.3)
    result = cd.solve_static(m)
    np.testing.assert_allclose(result.position("lever.tip")[-1], (np.cos(angle), np.sin(angle)), atol=1e-9)
    assert result.energy["kinetic"].max() == 0.0


# --- solids -----------------------------------------------------------------------------------------------------------


def pulled(d, material, traction, **options):
    """Stretches of a block on rollers, pulled along x."""
    m = cd.Model("tension", dimension=d)
    mesh = m.add(cd.Solid.block("block", (1.0,) * d, (2,) * d, material))
    X = np.array(mesh.nodes)
    for axis in range(d):
        for node in np.flatnonzero(X[:, axis] == 0.0):
            m.add(cd.Translation(f"roller{axis}_{node}", m.ground, mesh.point(int(node)), direction=np.eye(d)[axis]))
    m.add(cd.Traction("pull", mesh, "right", np.eye(d)[0] * traction))
    return cd.solve_static(m, **options).position(mesh.point(len(X) - 1))[-1]


@pytest.mark.parametrize("traction", [400.0, -150.0])
def test_uniaxial_tension_of_a_st_venant_kirchhoff_block(traction):
    """P = λ E (λ² − 1)/2, the sides shrink by E₂ = −ν E₁."""
    stretch = brentq(lambda s: E * s * (s**2 - 1) / 2 - traction, 0.7, 2.0)
    side = np.sqrt(1 - NU * (stretch**2 - 1))
    np.testing.assert_allclose(
        pulled(3, MATERIALS["St. Venant–Kirchhoff"], traction), (stretch, side, side), atol=1e-10
    )
    stress = cd.StVenantKirchhoff(E, NU, 1.0, plane="stress")
    np.testing.assert_allclose(pulled(2, stress, traction), (stretch, side), atol=1e-10)


def test_uniaxial_tension_in_plane_strain():
    """Plane strain: E/(1 − ν²) in place of E, ν/(1 − ν) in place of ν."""
    stretch = brentq(lambda s: E / (1 - NU**2) * s * (s**2 - 1) / 2 - 300.0, 0.7, 2.0)
    side = np.sqrt(1 - NU / (1 - NU) * (stretch**2 - 1))
    np.testing.assert_allclose(pulled(2, MATERIALS["St. Venant–Kirchhoff"], 300.0), (stretch, side), atol=1e-10)


@pytest.mark.parametrize("traction", [500.0, -400.0])
@pytest.mark.parametrize("d", [2, 3])
def test_uniaxial_tension_of_a_neo_hookean_block(d, traction):
    def unbalanced(stretches):
        a, b = stretches
        J = a * b * (b if d == 3 else 1.0)
        return [MU * (s - 1 / s) + LAME * np.log(J) / s - t for s, t in ((a, traction), (b, 0.0))]

    a, b = fsolve(unbalanced, (1.0 + traction / E, 1.0), xtol=1e-13)
    assert np.abs(unbalanced((a, b))).max() < 1e-8
    np.testing.assert_allclose(pulled(d, MATERIALS["neo-Hookean"], traction), (a, b, b)[:d], atol=1e-10)


def test_a_load_too_large_keeps_all_equilibria_up_to_it():
    """A St. Venant–Kirchhoff block carries at most E/(3√3) in compression, at a stretch of 1/√3."""
    with pytest.raises(cd.ConvergenceError, match="all before is kept") as error:
        pulled(3, MATERIALS["St. Venant–Kirchhoff"], -0.3 * E)
    limit = 1 / (3 * np.sqrt(3)) / 0.3
    result = error.value.result
    assert error.value.time == pytest.approx(limit, rel=0.01)
    assert result.times[-1] == error.value.time < limit
    assert result.status == "failed"
    assert "load factor 0.6" in str(error.value)
    assert "block" in str(error.value)
    lengths = result.position(cd.Point("block", 26))[:, 0]
    assert lengths[0] == 1.0
    assert (np.diff(lengths) < 0.0).all()
    assert lengths[-1] == pytest.approx(1 / np.sqrt(3), abs=0.06)


def test_a_line_search_takes_increments_that_full_steps_fail_on():
    """A soft block sheared by a large load at once: full steps of Newton's method turn elements inside out."""
    m = cd.Model("sheared", dimension=2)
    block = m.add(cd.Solid.block("block", (1.0, 1.0), (3, 3), cd.NeoHookean(10.0, 0.3, 1.0)))
    m.add(cd.Tie("base", block, "bottom", m.ground))
    m.add(cd.Traction("shear", block, "top", (5.0, 0.0)))
    system = running(m)
    state, _ = consistent_state(system, "zero-acceleration")
    with pytest.raises(StepFailed):
        Statics().step(system, state, 1.0)
    found, info = Statics().step(system, state, 1.0, search=True)
    assert info.iterations <= 12
    gentle, direct = cd.solve_static(m, steps=20), cd.solve_static(m, steps=1)
    np.testing.assert_allclose(found.x, gentle.state(-1).x, atol=1e-8)
    assert len(direct) == 2  # one increment, which the search has saved


def test_a_load_that_is_too_large_ends_with_the_last_equilibrium_and_says_where():
    m = cd.Model("balloon", dimension=2)
    arc = cd.Mesh.annulus(0.95, 1.05, (1, 3), angle=np.pi / 2, element="quad8")
    skin = m.add(
        cd.Solid.from_mesh("skin", arc, cd.MooneyRivlin(0.5, 0.0, 1e3, 1.0), plane="axisymmetric", dilatation="mean")
    )
    m.add(cd.Hold("equator", skin, "start", (0, 1)))
    m.add(cd.Hold("pole", skin, "end", (1, 0)))
    m.add(cd.Pressure("gas", skin, 1.0, surface="inner"))  # its limit is about 0.12
    with pytest.raises(
        cd.ConvergenceError, match=r"near \(.*\) at load factor 0\.\d+.*\('skin'\); all before is kept"
    ) as caught:
        cd.solve_static(m, steps=20)
    result = caught.value.result
    assert result.status == "failed"
    assert 0.05 < result.times[-1] < 0.2
    again = cd.solve_static(m, steps=20, on_failure="return")
    assert again.message == result.message
    np.testing.assert_array_equal(again.state(-1).x, result.state(-1).x)


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_body_that_turns_far_under_its_load_is_followed_all_the_way(dimension):
    """Newton's method would take the other way round, or a place half a turn off, for the balance."""
    m = cd.Model("wheel", dimension=dimension)
    wheel = m.add(cd.RigidBody.ball("wheel", 0.1, 1000.0, dimension=dimension))
    options = {} if dimension == 2 else {"axis": (0, 0, 1)}
    m.add(cd.Revolute("hinge", m.ground, wheel, at=(0,) * dimension, **options))
    m.add(cd.CoordinateSpring("spring", "hinge.angle", stiffness=1.0))
    m.add(cd.CoordinateForce("motor", "hinge.angle", value=7.0))
    result = cd.solve_static(m, steps=1)
    assert result.coordinate("hinge.angle")[-1] == pytest.approx(7.0, abs=1e-9)


def test_drives_go_with_the_load_factor_from_time_zero_to_the_time_that_is_asked_for():
    m = cd.Model("arm", gravity=(0, 0, -9.81))
    arm = m.add(cd.RigidBody("arm", 2.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0)))
    m.add(cd.Revolute("hinge", m.ground, arm, at=(0, 0, 0), axis=(0, -1, 0)))
    m.add(cd.Drive("lift", "hinge.angle", motion=cd.Ramp(0.0, 1.0, 0.0, 2.5)))
    result = cd.solve_static(m, at=1.0, steps=5)
    angle = np.arctan2(result.position("arm")[:, 2], result.position("arm")[:, 0])
    np.testing.assert_allclose(angle, 2.5 * result.times, atol=1e-9)
    assert result.constraint_error.max() < 1e-12
    torque = result.multipliers("lift")
    (moment,) = torque.values()
    assert abs(abs(moment[-1]) - abs(2.0 * 9.81 * 0.5 * np.cos(2.5))) < 1e-6
