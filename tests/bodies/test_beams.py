"""Beams at large strain against the geometrically exact beam as a boundary value problem, and what else a `Beam` does."""

from functools import cache

import numpy as np
import pytest

import condyle as cd
from condyle.analysis.checks.tangent import STEP, compare_with_differences, start_of_step
from condyle.integrators import energy_momentum, generalized_alpha
from condyle.system.compile import running
from simo_reissner import tip

SOFT = cd.StVenantKirchhoff(young=1e6, poisson=0.3, density=1000.0)
STUB = cd.RectangularSection(0.4, 0.3, SOFT)  # on a length of 1 m: shear matters
DEEP = cd.RectangularSection(0.5, 0.1, cd.StVenantKirchhoff(young=2.07e11, poisson=0.3, density=7850.0))  # on 2 m
SLENDER = cd.RectangularSection(0.02, 0.01, SOFT)


def line(d, length=1.0):
    return [(0.0,) * d, (length, *((0.0,) * (d - 1)))]


def cantilever(kind, elements, section, force=(0, 0, 0), moment=(0, 0, 0), *, d=3, length=1.0, **options):
    """A beam clamped at its start, with dead loads at its end; the last state of its equilibrium."""
    m = cd.Model("cantilever", dimension=d)
    normal = {} if d == 2 else {"normal": (0, 1, 0)}
    beam = m.add(kind("b", line(d, length), elements, section, **normal, **options))
    m.add(cd.Tie("clamp", beam, "start", "ground"))
    if np.any(force):
        m.add(cd.Load("force", "b.end", tuple(force)[:d]))
    if np.any(moment):
        m.add(cd.Moment("moment", "b.end", tuple(moment) if d == 3 else float(moment[2])))
    return m


def end_of(model, steps=8):
    return cd.solve_static(model, steps=steps).position("b.end")[-1]


# --- the geometrically exact beam -----------------------------------------------------------------------------------------

k = STUB.at(0.0)
LOADS = {
    "force": ((0.15 * k.axial, 0.02 * k.shear_y, 0.0), (0.0, 0.0, 0.0)),
    "shear": ((0.0, 0.1 * k.shear_y, 0.0), (0.0, 0.0, 0.0)),
    "moment": ((0.0, 0.0, 0.0), (0.0, 0.5 * k.bending_y, 1.5 * k.bending_z)),
    "torsion": ((0.0, 0.02 * k.shear_y, 0.0), (1.2 * k.torsion, 0.0, 0.0)),
    "all": (
        (0.1 * k.axial, 0.04 * k.shear_y, -0.03 * k.shear_z),
        (0.8 * k.torsion, 0.3 * k.bending_y, 0.5 * k.bending_z),
    ),
}


@cache
def exact(name):
    return tip(k, 1.0, *LOADS[name])[0]


@pytest.mark.parametrize("kind", [cd.Beam, cd.AncfBeam])
@pytest.mark.parametrize("name", list(LOADS))
def test_beams_converge_to_the_geometrically_exact_one_at_large_strain(kind, name):
    """Strains of 15 % in stretch, 10 % in shear, 30 % in bending, 20 % in twist; of second order or better."""
    coarse, fine = (np.linalg.norm(end_of(cantilever(kind, n, STUB, *LOADS[name])) - exact(name)) for n in (16, 32))
    assert fine < 5e-4
    assert coarse / fine > 3.4


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("kind", [cd.Beam, cd.AncfBeam])
def test_a_deep_cantilever_deflects_as_the_exact_beam_and_refining_helps(kind, d):
    wanted = tip(DEEP.at(0.0), 2.0, (0.0, -62.5e6, 0.0))[0]
    assert wanted[1] == pytest.approx(-0.7106, abs=1e-4)
    off = []
    for n in (8, 32):
        end = end_of(cantilever(kind, n, DEEP, (0.0, -62.5e6, 0.0), d=d, length=2.0), steps=4)
        off.append(np.linalg.norm(end - wanted[:d]))
    assert off[0] < 5e-3 and off[1] < off[0] / 12


def test_the_older_measures_are_for_small_strains():
    """measures='gradient': right in the limit; else off by the size of the strain, and more so with a finer mesh."""

    def off(n, share):
        force = (0.0, -share * 62.5e6, 0.0)
        wanted = tip(DEEP.at(0.0), 2.0, force)[0][1]
        model = cantilever(cd.AncfBeam, n, DEEP, force, d=2, length=2.0, measures="gradient")
        return abs(end_of(model, steps=4)[1] / wanted - 1.0)

    assert off(8, 0.01) < 1e-3
    assert pytest.approx(off(8, 1.0), abs=1e-3) == 0.045
    assert off(32, 1.0) > 0.05


@pytest.mark.parametrize("d", [2, 3])
def test_an_end_moment_closes_a_circle(d):
    """A Beam is exact with any mesh, since strains are constant; the gap of an AncfBeam falls at order 4 or better."""
    section = cd.RectangularSection(0.1, 0.1, SOFT)
    moment = (0.0, 0.0, 2 * np.pi * section.at(0.0).bending_z)
    assert np.linalg.norm(end_of(cantilever(cd.Beam, 3, section, moment=moment, d=d), steps=12)) < 1e-10
    gap = [np.linalg.norm(end_of(cantilever(cd.AncfBeam, n, section, moment=moment, d=d), steps=12)) for n in (4, 8)]
    assert gap[0] < 1e-3
    assert gap[0] / gap[1] > 16


# Tip of an elastica, 1 − x/L and y/L for P L²/EI (Mattiasson 1981).
ELASTICA = {1.0: (0.05643, 0.30172), 5.0: (0.38763, 0.71379), 10.0: (0.55500, 0.81061)}


@pytest.mark.parametrize("load", list(ELASTICA))
def test_a_beam_without_stretch_and_shear_is_the_elastica(load):
    rigid = dict(inextensible=True, shear_rigid=True)
    EI = STUB.at(0.0).bending_z
    ends = [end_of(cantilever(cd.Beam, n, STUB, (0, load * EI, 0), d=2, **rigid)) for n in (8, 16)]
    best = (4 * ends[1] - ends[0]) / 3  # of second order, so that this is of fourth
    np.testing.assert_allclose((1 - best[0], best[1]), ELASTICA[load], atol=2e-4)


def test_a_beam_that_cannot_stretch_keeps_its_length_and_tells_the_force():
    k = STUB.at(0.0)
    pull, push = 0.05 * k.axial, 0.02 * k.shear_y
    m = cantilever(cd.Beam, 6, STUB, (pull, push, 0.0), inextensible=True)
    r = cd.solve_static(m, steps=4)
    forces = cd.line_forces(r, "b")
    end, start = r.position("b.end")[-1], forces.bending[0, 0]
    assert start == pytest.approx(push * end[0] - pull * end[1], rel=1e-2)
    # the forces of the section at the clamp are those of the load, in its turned frame
    assert np.hypot(forces.axial[0], forces.shear[0, 0]) == pytest.approx(np.hypot(pull, push), rel=1e-4)
    shear_only = cantilever(cd.Beam, 6, STUB, (pull, 0.0, 0.0), shear_rigid=True)
    assert end_of(shear_only, 1)[0] == pytest.approx(1.05, rel=1e-9)


# --- in motion ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("options", [{}, {"inextensible": True, "shear_rigid": True}])
@pytest.mark.parametrize("d", [2, 3])
def test_energy_and_momenta_of_a_flying_beam_are_kept(d, options):
    m = cd.Model("flying", dimension=d)
    spin = 3.0 if d == 2 else (1.0, 2.0, 3.0)
    m.add(cd.Beam("b", line(d), 3, cd.RectangularSection(0.1, 0.06, SOFT), angular_velocity=spin, **options))
    kick = cd.Table((0.0, 0.02, 0.04, 9.0), (0.0, 1.0, 0.0, 0.0))
    m.add(cd.Load("kick", "b.end", (0.0, 20.0, 5.0)[:d], scale=kick))
    r = cd.simulate(m, end=0.15, dt=5e-3)
    free = r.times > 0.045
    E, L = r.energy["total"][free], r.angular_momentum[free]
    assert r.energy["kinetic"][free].std() > 1e-4 * E[0] or options  # it vibrates
    assert np.ptp(E) < 1e-11 * E[0]
    assert np.ptp(L, axis=0).max() < 1e-11 * np.abs(L).max()


def test_frequencies_of_a_free_beam_have_shear_and_rotary_inertia():
    """Timoshenko's frequencies of the hinged beam: the smaller root of its quadratic in ω² for n π/L."""
    section, n = cd.RectangularSection(0.2, 0.1, SOFT), 32
    k = section.at(0.0)
    m = cd.Model("hinged", dimension=2)
    beam = m.add(cd.Beam("b", line(2), n, section))
    m.add(cd.Pin("left", m.ground, beam.point("start"), at=(0, 0)))
    m.add(cd.PointOnLine("right", m.ground, beam.point("end"), at=(1, 0), axis=(1, 0)))
    wanted = [0.5 * np.pi * np.sqrt(k.axial / k.mass)]  # along the axis, free at one end
    for mode in (1, 2):
        q = mode * np.pi
        a = k.mass * k.moment_y
        b = k.mass * (k.bending_z * q**2 + k.shear_y) + k.moment_y * k.shear_y * q**2
        c = k.shear_y * k.bending_z * q**4
        wanted.append(np.sqrt((b - np.sqrt(b * b - 4 * a * c)) / (2 * a)))
    found = 2 * np.pi * cd.eigenmodes(m, count=3).frequencies
    np.testing.assert_allclose(found, np.sort(wanted), rtol=5e-3)


def test_every_integrator_moves_a_beam_alike():
    m = cd.Model("swing", dimension=2, gravity=(0.0, -9.81))
    beam = m.add(cd.Beam("b", line(2), 2, cd.RectangularSection(0.1, 0.1, SOFT)))
    m.add(cd.Pin("pin", m.ground, beam.point("start"), at=(0, 0)))
    wanted = cd.simulate(m, end=0.1, dt=1e-3).position("b.end")[-1]
    for method in (cd.GeneralizedAlpha(0.9), cd.HHT(), cd.BDF(2)):
        found = cd.simulate(m, end=0.1, dt=1e-3, integrator=method).position("b.end")[-1]
        np.testing.assert_allclose(found, wanted, atol=5e-5, err_msg=type(method).__name__)


def test_damping_takes_the_energy_it_reports_and_none_of_rigid_motion():
    def run(**options):
        m = cd.Model("damped", dimension=2)
        m.add(cd.Beam("b", line(2), 2, cd.RectangularSection(0.1, 0.1, SOFT), damping=2e-3, angular_velocity=1.0))
        if options:
            m.add(cd.Load("kick", "b.end", (0.0, 30.0), scale=cd.Table((0.0, 0.02, 0.04, 9.0), (0.0, 1.0, 0.0, 0.0))))
        return cd.simulate(m, end=0.1, dt=2e-3)

    r = run(kicked=True)
    E, late = r.energy["total"], r.times > 0.045
    assert np.diff(E[late]).max() < 0.0
    assert np.abs(E - E[0] - r.energy["work"]).max() < 1e-9 * E.max()
    rigid = run().energy["total"]
    assert np.ptp(rigid) < 1e-3 * rigid[0]  # what the centrifugal stretch settles by


STEPS = {
    "momentum": lambda system, state: energy_momentum._Step(cd.EnergyMomentum(), system, state, STEP),
    "alpha": lambda system, state: generalized_alpha._Step(cd.GeneralizedAlpha(0.6), system, state, STEP),
}


@pytest.mark.parametrize("method", STEPS)
@pytest.mark.parametrize("kind", [cd.Beam, cd.AncfBeam])
@pytest.mark.parametrize("d", [2, 3])
def test_the_matrix_of_a_damped_beam_is_the_derivative_of_its_residual(kind, method, d):
    """Its viscous moduli change with the strain."""
    rng = np.random.default_rng(1)
    m = cd.Model("damped", dimension=d)
    spin = 2.0 if d == 2 else (0.5, 1.0, 2.0)
    m.add(kind("b", [(0.0,) * d, (0.5, 0.3, 0.1)[:d]], 1, STUB, damping=0.05, angular_velocity=spin))
    system = running(m)
    compare_with_differences(STEPS[method](system, start_of_step(system, rng)), system, rng)


# --- joints, points, results ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("wall", ["tie", "clamp", "fixed"])
def test_joints_hold_the_sections_of_a_beam(wall):
    """A beam that carries a rigid body on an arm bends as under the body's weight and its moment."""
    EI, weight, arm, shear = 8.0, 0.2, 0.3, 1e3
    m = cd.Model("carried", dimension=3, gravity=(0.0, -10.0, 0.0))
    beam = m.add(cd.Beam("b", line(3), 8, cd.Rope(1e4, EI, 1e-6, 1.0, shear, 0.1), normal=(0, 1, 0)))
    if wall == "tie":
        m.add(cd.Tie("wall", beam, "start", "ground"))
    elif wall == "clamp":
        m.add(cd.Clamp("wall", beam.point("start"), m.ground, hold="gradient"))
    else:
        m.add(cd.Fixed("wall", m.ground, beam.point("start"), at=(0, 0, 0)))
    load = m.add(cd.RigidBody("load", 0.1 * weight, inertia=(1e-3,) * 3, position=(1.0 + arm, 0.0, 0.0)))
    m.add(cd.Fixed("weld", beam.point("end"), load, at=(1.0, 0.0, 0.0)))
    r = cd.solve_static(m, steps=2)
    down = weight / (3 * EI) + weight * arm / (2 * EI) + weight / shear
    tilt = weight / (2 * EI) + weight * arm / EI
    assert -r.position("b.end")[-1, 1] == pytest.approx(down, rel=5e-3)
    assert -r.position("load")[-1, 1] == pytest.approx(down + arm * tilt, rel=5e-3)


@pytest.mark.parametrize("d", [2, 3])
def test_forces_along_a_beam_balance_its_tip_load(d):
    k = SLENDER.at(0.0)
    P = 1e-3 * k.bending_z
    body = cd.Beam("b", line(d), 4, SLENDER, **({} if d == 2 else {"normal": (0, 1, 0)}))
    m = cd.Model("held", dimension=d)
    m.add(body)
    m.add(cd.Tie("clamp", body, "start", "ground"))
    m.add(cd.Load("p", "b.end", (0.0, P, 0.0)[:d]))
    r = cd.solve_static(m, steps=1)
    forces = cd.line_forces(r, body)
    bending, shear = (v if v.ndim == 1 else v[:, 0] for v in (forces.bending, forces.shear))
    np.testing.assert_allclose(bending, P * (1.0 - forces.s), atol=1e-6 * P)
    np.testing.assert_allclose(shear, P, rtol=1e-6)
    assert len(cd.plot_line_forces(r, body).axes) == 4


def test_a_helix_is_free_of_stress_as_drawn_and_turning_it_costs_nothing():
    angle = np.linspace(0.0, 4.0, 9)
    helix = np.column_stack((np.cos(angle), np.sin(angle), 0.3 * angle))
    m = cd.Model("free", dimension=3)
    m.add(cd.Beam("b", helix.tolist(), 1, STUB))
    system = running(m)
    from condyle.system import assembly

    turn = np.array(cd.rotation(axis=(1, 2, 3), angle=2.5))
    bent = system.x_start + 0.01 * np.random.default_rng(1).normal(size=system.x_start.shape)
    scale = assembly.stored_energy(system.energies, bent)
    for x in (system.x_start, system.x_start @ turn.T):
        assert abs(assembly.stored_energy(system.energies, x)) < 1e-12 * scale
    f = cd.eigenmodes(m, count=8).frequencies
    assert f[:6].max() < 1e-3 * f[6]


def test_points_of_a_beam_are_found_and_its_shape_is_written(tmp_path):
    beam = cd.Beam("b", line(3, 2.0), 4, STUB, normal=(0, 1, 0))
    m = cd.Model("points", dimension=3)
    m.add(beam)
    system = running(m)
    for point in (beam.at(0.5), beam.point(1), cd.Point("b", (0.5, 0.0, 0.0), "world")):
        np.testing.assert_allclose(system.position(point).at(system.x_start), (0.5, 0.0, 0.0), atol=1e-12)
    np.testing.assert_allclose(
        system.position(beam.at(0.7, 0.1, 0.05)).at(system.x_start), (0.7, 0.1, 0.05), atol=1e-12
    )
    file = cd.write_vtk(cd.simulate(m, end=0.01, dt=5e-3), tmp_path / "run.pvd", count=2)
    assert file.exists()


@pytest.mark.parametrize("options, message", [
    ({"section": cd.Rope(1.0, 1.0, 1.0)}, "give the Rope a diameter"),
    ({"inextensible": "yes"}, "must be True or False"),
    ({"elements": 0}, "elements"),
    ({"normal": (1, 0, 0)}, "parallel to the line"),
])  # fmt: skip
def test_beams_that_cannot_be_are_refused_by_name(options, message):
    given = {"elements": 1, "section": STUB} | options
    with pytest.raises(cd.InputError, match=message):
        m = cd.Model("bad", dimension=3)
        m.add(cd.Beam("b", line(3), **given))
        cd.compile(m)
