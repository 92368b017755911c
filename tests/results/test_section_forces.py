"""Forces and moments through a cut of a rigid body, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

import condyle as cd
from condyle.results.crash import section_force

L, M, G = 0.8, 3.0, 9.81
END = ((-0.5 * L, 0.0, 0.0), (0.5 * L, 0.0, 0.0))
INERTIA = (0.0, M * L**2 / 12, M * L**2 / 12)


def hinged_bar(rate: float, gravity: float = 0.0, **options):
    """A bar on a hinge at its end, spinning about z."""
    model = cd.Model("bar", gravity=(0.0, 0.0, -gravity))
    bar = model.add(cd.RigidBody("bar", M, inertia=INERTIA, position=(0.5 * L, 0, 0), velocity=(0, 0.5 * L * rate, 0),
                                 angular_velocity=(0, 0, rate)))  # fmt: skip
    model.add(cd.Revolute("hinge", model.ground, bar, at=(0, 0, 0), axis=(0, 0, 1)))
    return cd.simulate(model, end=0.2, dt=1e-3, **options)


@pytest.mark.parametrize("x", [-0.3, 0.0, 0.25])
def test_the_tension_of_a_spinning_bar_falls_as_a_parabola(x: float):
    """N(r) = m ω² (L² − r²) / 2L, from either side of the cut."""
    rate = 5.0
    result = hinged_bar(rate)
    wanted = M * rate**2 * (L**2 - (x + 0.5 * L) ** 2) / (2 * L)
    outer = section_force(result, "bar", (x, 0, 0), bar=END)
    assert outer.axial == pytest.approx(wanted, rel=1e-3)
    assert outer.shear.max() < 1e-3 * wanted and outer.bending.max() < 1e-3 * wanted
    inner = result.section_force("bar", (x, 0, 0), bar=END[::-1])  # the part with the hinge is beyond
    assert inner.axial[1:-1] == pytest.approx(wanted, rel=2e-3)


def test_the_weight_of_a_bar_bends_it_as_a_cantilever():
    """M = m g (L − x)² / 2L and Q = m g (L − x)/L at rest: a spinning bar on a vertical axis."""
    result = hinged_bar(1.0, G)
    found = section_force(result, "bar", (-0.1, 0, 0), bar=END)
    rest = 0.5 * L + 0.1
    assert found.shear == pytest.approx(M * G * rest / L, rel=1e-3)
    assert found.bending == pytest.approx(M * G * rest**2 / (2 * L), rel=1e-3)
    assert np.abs(found.torsion).max() < 1e-6


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_hanging_chain_carries_what_is_below_the_cut(dimension: int):
    down = np.eye(dimension)[-1] * -1.0
    model = cd.Model("chain", dimension=dimension, gravity=tuple((G * down).tolist()))
    before = model.ground
    for k in range(3):
        inertia = M * L**2 / 12 if dimension == 2 else (M * L**2 / 12, M * L**2 / 12, 0.0)
        link = model.add(cd.RigidBody(f"link{k}", M, inertia=inertia, position=tuple((k + 0.5) * L * down)))
        model.add((cd.Pin if dimension == 2 else cd.Spherical)(f"joint{k}", before, link, at=tuple(k * L * down)))
        before = link
    result = cd.simulate(model, end=0.05, dt=1e-3)
    ends = (tuple(-0.5 * L * down), tuple(0.5 * L * down))
    found = section_force(result, "link1", tuple(0.25 * L * down), bar=ends)
    assert found.axial == pytest.approx(M * G * 1.25)
    assert found.shear.max() < 1e-6 and np.abs(found.bending).max() < 1e-6
    by_mass = section_force(
        result, "link1", tuple(0.25 * L * down), normal=tuple(down), mass=0.25 * M, centre=tuple(0.375 * L * down)
    )
    assert by_mass.axial == pytest.approx(M * G * 1.25)


def test_forces_that_are_not_known_are_asked_for_and_taken():
    model = cd.Model("bar")
    bar = model.add(cd.RigidBody("bar", M, inertia=INERTIA))

    model.add(cd.Fixed("clamp", model.ground, bar, at=(-0.5 * L, 0, 0)))
    model.add(cd.Load("push", bar.at((0.5 * L, 0, 0)), force=(0.0, 7.0, 0.0)))
    result = cd.simulate(model, end=0.02, dt=1e-3)
    with pytest.raises(cd.InputError, match=r"'push' acts on 'bar' beyond the cut; give its force by loads=\{'push'"):
        section_force(result, "bar", (0, 0, 0), bar=END)
    force = np.tile((0.0, 7.0, 0.0), (len(result), 1))
    found = section_force(result, "bar", (0, 0, 0), bar=END, loads={"push": (bar.at((0.5 * L, 0, 0)), force)})
    assert found.shear == pytest.approx(7.0) and found.moment[:, 2] == pytest.approx(7.0 * 0.5 * L)
    with pytest.raises(cd.InputError, match="does not say how its mass is spread"):
        section_force(result, "bar", (0, 0, 0))
    with pytest.raises(cd.InputError, match="not between the ends"):
        section_force(result, "bar", (L, 0, 0), bar=END)


@pytest.mark.parametrize("method", [cd.EnergyMomentum(), cd.GeneralizedAlpha(0.3)], ids=["momentum", "alpha"])
@pytest.mark.parametrize("carries", ["points", "surface"])
def test_contacts_beyond_the_cut_are_found(method, carries):
    """A bar of 2 kg on a pin, whose other end rests on a floor: there 10 N push up, and 10 N are half of its weight."""
    model = cd.Model("bar", dimension=2, gravity=(0.0, -10.0))
    bar = model.add(cd.RigidBody("bar", 2.0, inertia=2.0 / 12.0))
    model.add(cd.Pin("pin", model.ground, bar, at=(-0.5, 0.0)))
    law = cd.SpringDashpot(1e5, ratio=0.5)
    if carries == "points":
        model.add(cd.Contact("floor", bar, [(0.5, 0.0)], model.ground, cd.Plane((0.0, 1.0)), law=law))
    else:
        post = model.add(cd.RigidBody("post", 1e6, inertia=1e6, position=(0.5, -1.0)))
        model.add(cd.Weld("earth", model.ground, post, at=(0.5, -1.0)))
        model.add(cd.Contact("floor", post, [(0.0, 1.0)], bar, cd.Plane((0.0, -1.0)), law=law))
    result = cd.simulate(model, end=0.6, dt=0.002, integrator=method)
    found = section_force(result, "bar", (0.0, 0.0), bar=((-0.5, 0.0), (0.5, 0.0)))
    assert found.force[-1] == pytest.approx((0.0, 0.0), abs=0.01)
    assert found.moment[-1] == pytest.approx(10.0 * 0.5 - 10.0 * 0.25, rel=1e-3)
    last = section_force(result, "bar", (0.499, 0.0), bar=((-0.5, 0.0), (0.5, 0.0)))
    assert last.force[-1, 1] == pytest.approx(10.0 - 20.0 * 0.001, rel=1e-4)
