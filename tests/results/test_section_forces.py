"""Forces and moments through a cut of a rigid body, against closed forms."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import condyle as cd
from condyle.laws.codes import TORQUE
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


def clamped(length: float = 1.0, **options):
    """A bar held at its left end, in metres or, with length=1000, in millimetres."""
    model = cd.Model("bar", **options)
    bar = model.add(cd.RigidBody("bar", M, inertia=tuple(length**2 * i for i in INERTIA)))
    model.add(cd.Fixed("clamp", model.ground, bar, at=(-0.5 * L * length, 0, 0)))
    return model, bar


def test_what_is_said_by_loads_takes_the_place_of_what_is_found():
    model, bar = clamped()
    model.add(cd.Load("push", bar.at((0.5 * L, 0, 0)), force=(0.0, 7.0, 0.0)))
    result = cd.simulate(model, end=0.02, dt=1e-3)
    found = section_force(result, "bar", (0, 0, 0), bar=END)
    assert found.shear == pytest.approx(7.0) and found.moment[:, 2] == pytest.approx(7.0 * 0.5 * L)
    force, moment = np.tile((0.0, 0.0, 2.0), (len(result), 1)), np.tile((1.0, 0.0, 0.5), (len(result), 1))
    said = {"push": (bar.at((0.25 * L, 0, 0)), force, moment)}
    found = section_force(result, "bar", (0, 0, 0), bar=END, loads=said)
    assert found.force[5] == pytest.approx((0.0, 0.0, 2.0))
    assert found.moment[5] == pytest.approx((1.0, -2.0 * 0.25 * L, 0.5))
    before = section_force(result, "bar", (0.3 * L, 0, 0), bar=END, loads=said)  # the point is on the other side
    assert np.abs(before.force).max() < 1e-9 and np.abs(before.moment).max() < 1e-9
    for load, message in (
        ((bar, force[1:]), "the force of 'push' must have shape"),
        ((bar, force, force[:, 0]), "the moment of 'push' must have shape"),
        ((bar,), r"'push' of loads must be point, \(point, force\) or \(point, force, moment\)"),
    ):
        with pytest.raises(cd.InputError, match=message):
            section_force(result, "bar", (0, 0, 0), bar=END, loads={"push": load})
    with pytest.raises(cd.InputError, match="loads: unknown part 'pusch'; did you mean 'push'"):
        section_force(result, "bar", (0, 0, 0), bar=END, loads={"pusch": (bar, force)})


def test_what_lies_beyond_must_be_said():
    result = cd.simulate(clamped()[0], end=0.02, dt=1e-3)
    with pytest.raises(cd.InputError, match="does not say how its mass is spread"):
        section_force(result, "bar", (0, 0, 0))
    with pytest.raises(cd.InputError, match="not between the ends"):
        section_force(result, "bar", (L, 0, 0), bar=END)
    with pytest.raises(cd.InputError, match="only rigid bodies can be cut"):
        section_force(result, "ground", (0, 0, 0), bar=END)


def test_a_part_in_the_plane_of_the_cut_is_refused():
    """Force and moment jump there, so that neither side would be right."""
    model, bar = clamped()
    model.add(cd.Load("push", bar.at((0.1, 0.05, 0)), force=(0.0, 7.0, 0.0)))
    result = cd.simulate(model, end=0.02, dt=1e-3)
    with pytest.raises(cd.InputError, match="Load 'push' acts in the plane of the cut"):
        section_force(result, "bar", (0.1, 0, 0), bar=END)
    for x, shear in ((0.1 - 1e-6, 7.0), (0.1 + 1e-6, 0.0)):
        assert section_force(result, "bar", (x, 0, 0), bar=END).shear == pytest.approx(shear, abs=1e-6)


def test_a_couple_on_the_whole_body_acts_where_it_is_said_to():
    """Between the clamp and its place it twists and bends the bar, beyond it does nothing."""
    model, bar = clamped()
    model.add(cd.Torque("motor", bar, (3.0, 0.0, 4.0)))
    result = cd.simulate(model, end=0.02, dt=1e-3)
    with pytest.raises(cd.InputError, match=r"Torque 'motor' turns 'bar' as a whole; say .* loads=\{'motor': point\}"):
        section_force(result, "bar", (0, 0, 0), bar=END)
    there = {"motor": bar.at((0.2, 0, 0))}
    for x, share in ((0.0, 1.0), (0.3, 0.0)):
        for ends, sign in ((END, 1.0), (END[::-1], -1.0)):
            found = section_force(result, "bar", (x, 0, 0), bar=ends, loads=there)
            assert found.moment[5] == pytest.approx((3.0 * sign * share, 0.0, 4.0 * sign * share), abs=1e-9)


def test_what_controllers_have_set_must_be_said():
    """A result holds what drives and activations were, but not other inputs."""
    model = cd.Model("bar", dimension=2)
    bar = model.add(cd.RigidBody("bar", M, inertia=M * L**2 / 12))
    model.add(cd.Pin("hinge", model.ground, bar, at=(-0.5 * L, 0)))
    model.add(cd.Drive("drive", "hinge", 0.0))
    model.add(cd.Load("push", bar.at((0.3, 0)), (0.0, 7.0)))
    result = cd.simulate(model, end=0.02, dt=1e-3, controllers=[lambda sim: {"push": 2.0}])
    ends = ((-0.5 * L, 0), (0.5 * L, 0))
    with pytest.raises(
        cd.InputError, match=r"may have set the input of Load 'push'.*loads=\{'push': \(point, force\)\}"
    ):
        section_force(result, "bar", (0, 0), bar=ends)
    said = {"push": (bar.at((0.3, 0)), np.tile((0.0, 14.0), (len(result), 1)))}
    for bar_ends, sign in ((ends, 1.0), (ends[::-1], -1.0)):  # the drive holds the bar, from the other side
        found = section_force(result, "bar", (0, 0), bar=bar_ends, loads=said)
        assert found.force[5] == pytest.approx((0.0, sign * 14.0)) and found.moment[5] == pytest.approx(
            sign * 14.0 * 0.3
        )
    outside = section_force(result, "bar", (0.35, 0), bar=ends)  # the load is not beyond this cut
    assert np.abs(outside.force).max() < 1e-9


@dataclass
class Rotor(cd.Part, abstract=True):
    """A part of one's own that takes the axes of a body and no place."""

    name: str
    body: str

    def compile(self, builder):
        axes = builder.anchor(self.body, self).axes()
        builder.add_force(self.name, TORQUE, axes, [3.0, 0.0, 4.0])


def test_a_part_of_ones_own_that_takes_the_axes_of_a_body_is_asked_for_its_place():
    model, bar = clamped()
    model.add(Rotor("rotor", "bar"))
    result = cd.simulate(model, end=0.02, dt=1e-3)
    with pytest.raises(cd.InputError, match=r"Rotor 'rotor' turns 'bar' as a whole; say .* loads=\{'rotor': point\}"):
        section_force(result, "bar", (0, 0, 0), bar=END)
    found = section_force(result, "bar", (0, 0, 0), bar=END, loads={"rotor": bar.at((0.2, 0, 0))})
    assert found.moment[5] == pytest.approx((3.0, 0.0, 4.0))


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_cantilever_of_segments_in_equilibrium_carries_what_is_beyond_the_cut_at_every_load_factor(dimension: int):
    """Segments on hinges with springs under their weight and a load at the tip: M and Q of the bent shape, from either side."""
    count, weight, tip = 4, 6.0, 20.0  # [N] of a segment, and at its end
    size = L / count
    x, down = np.eye(dimension)[0], -np.eye(dimension)[-1]
    model = cd.Model("cantilever", dimension=dimension, gravity=tuple(G * down))
    before, mass = model.ground, weight / G
    inertia = mass * size**2 / 12 if dimension == 2 else (0.0, mass * size**2 / 12, mass * size**2 / 12)
    for k in range(count):
        segment = model.add(cd.RigidBody(f"{k}", mass, inertia=inertia, position=tuple((k + 0.5) * size * x)))
        at = tuple(k * size * x)
        joint = cd.Pin(f"hinge {k}", before, segment, at=at)
        model.add(joint if dimension == 2 else cd.Revolute(f"hinge {k}", before, segment, at=at, axis=(0, 1, 0)))
        model.add(cd.CoordinateSpring(f"spring {k}", f"hinge {k}.angle", 300.0))
        before = segment
    end = before.at(*(0.5 * size * x))
    model.add(cd.Load("tip", end, tuple(tip * down), scale=lambda t: t))
    result = cd.solve_static(model, steps=4, at=1.0)
    ends = tuple(-0.5 * size * x), tuple(0.5 * size * x)
    for k in range(count):
        here = model[f"{k}"].at(*(0.1 * size * x))
        found = result.section_force(f"{k}", at=tuple(0.1 * size * x), bar=ends)
        other = result.section_force(f"{k}", at=tuple(0.1 * size * x), bar=ends[::-1])
        arm = [
            result.position(of)[:, 0] - result.position(here)[:, 0] for of in (end, model[f"{k}"].at(*(0.3 * size * x)))
        ]
        moment, force = tip * arm[0] + 0.4 * weight * arm[1], np.full(len(result), tip + 0.4 * weight)
        for further in range(k + 1, count):
            moment += weight * (result.position(f"{further}")[:, 0] - result.position(here)[:, 0])
            force += weight
        assert abs(arm[0][-1] - arm[0][0]) > 1e-3 * L  # it has bent
        assert np.abs(found.bending) == pytest.approx(result.times * moment, abs=1e-9)
        np.testing.assert_allclose(found.force, np.outer(result.times * force, down), atol=1e-9)
        np.testing.assert_allclose(other.moment, -found.moment, atol=1e-9)
        np.testing.assert_allclose(other.force, -found.force, atol=1e-9)


@pytest.mark.parametrize("kind", ["passive", "spring", "drive", "motor", "limit"])
@pytest.mark.parametrize("unit", [1.0, 1000.0], ids=["metres", "millimetres"])
def test_a_moment_at_the_joint_carries_a_bar_as_a_cantilever(kind: str, unit: float):
    """A hinge whose moment m g L/2 balances the weight: M = m g (L − x)² / 2L at x from the hinge, from either side."""
    length, weight = L * unit, M * G * unit
    model = cd.Model("arm", dimension=2, gravity=(0.0, -G * unit))
    bar = model.add(cd.RigidBody("bar", M, inertia=M * length**2 / 12, position=(0.5 * length, 0)))
    model.add(cd.Pin("hinge", model.ground, bar, at=(0, 0)))
    hold = 0.5 * weight * length
    model.add(
        {
            "passive": lambda: cd.PassiveMoment("hold", "hinge", cd.PassiveAxis(([-1.0, 1.0], [-hold, -hold]))),
            "spring": lambda: cd.CoordinateSpring("hold", "hinge", hold, rest=1.0),
            "drive": lambda: cd.Drive("hold", "hinge", 0.0),
            "motor": lambda: cd.CoordinateForce("hold", "hinge", hold),
            "limit": lambda: cd.Limit("hold", "hinge", lower=0.5, upper=2.0, stiffness=2.0 * hold),
        }[kind]()
    )
    result = cd.simulate(model, end=0.01, dt=1e-3)
    x = 0.3 * length
    ends = ((-0.5 * length, 0.0), (0.5 * length, 0.0))
    for bar_ends, sign in ((ends, 1.0), (ends[::-1], -1.0)):
        found = section_force(result, "bar", (x - 0.5 * length, 0.0), bar=bar_ends)
        assert found.moment == pytest.approx(-sign * weight * (length - x) ** 2 / (2 * length), rel=1e-6)
        assert found.force[:, 1] == pytest.approx(-sign * weight * (length - x) / length, rel=1e-6)


def test_a_path_over_a_point_of_each_part_presses_the_bar_between_them():
    """From a post over a point before the cut to one beyond: the cut carries the tension as −T and T times its arm."""
    model, bar = clamped()
    path = [model.ground.at(-0.2, 0.5, 0), bar.at(-0.2, 0.1, 0), bar.at(0.2, 0.1, 0)]
    model.add(cd.ForceActuator("tendon", path, 50.0))
    result = cd.simulate(model, end=0.02, dt=1e-3)
    found = section_force(result, "bar", (0, 0, 0), bar=END)
    assert found.axial == pytest.approx(-50.0) and found.shear.max() < 1e-6
    assert found.moment[:, 2] == pytest.approx(50.0 * 0.1)
    other = section_force(result, "bar", (0, 0, 0), bar=END[::-1])
    assert other.force == pytest.approx(-found.force, abs=1e-6) and other.moment == pytest.approx(
        -found.moment, abs=1e-6
    )


def test_a_moving_point_that_crosses_the_cut_is_refused():
    model = cd.Model("bar", dimension=2)
    bar = model.add(cd.RigidBody("bar", M, inertia=M * L**2 / 12))
    model.add(cd.Pin("hinge", model.ground, bar, at=(-0.5 * L, 0)))
    via = cd.MovingPoint("bar", "hinge", (-1.0, 0.0, 1.0), [(-0.1, 0.1), (0.1, 0.1), (0.2, 0.1)])
    model.add(cd.ForceActuator("tendon", [model.ground.at(-0.5, 0.5), bar.at(-0.3, 0.1), via], 50.0))
    result = cd.simulate(model, end=0.005, dt=1e-3)
    ends = ((-0.5 * L, 0), (0.5 * L, 0))
    with pytest.raises(
        cd.InputError, match="'tendon' has a MovingPoint that comes from one side of the cut to the other"
    ):
        section_force(result, "bar", (0, 0), bar=ends)
    one, other = (section_force(result, "bar", (-0.2, 0), bar=e) for e in (ends, ends[::-1]))
    assert one.axial[2] < -40.0
    assert one.force[2:-2] + other.force[2:-2] == pytest.approx(0.0, abs=0.1)
    assert one.moment[2:-2] + other.moment[2:-2] == pytest.approx(0.0, abs=0.02)


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


@pytest.mark.parametrize("centre", [0.5, 0.2])
def test_collisions_beyond_the_cut_are_found(centre):
    """The bar of 2 kg on its pin, and a ball that it carries on the ground, in a group with a ball that lies apart."""
    model = cd.Model("bar", gravity=(0.0, 0.0, -10.0))
    bar = model.add(cd.RigidBody("bar", 2.0, inertia=(0.01, 2.0 / 12.0, 2.0 / 12.0)))
    model.add(cd.RigidBody.ball("apart", 0.1, 500.0, position=(0.0, 2.0, 0.0)))
    model.add(cd.Revolute("pin", model.ground, bar, at=(-0.5, 0.0, 0.0), axis=(0, 1, 0)))
    shapes = {"bar": cd.Sphere(0.1, (centre, 0.0, 0.0)), "apart": cd.Sphere(0.1)}
    law = cd.SpringDashpot(1e5, ratio=0.5)
    model.add(cd.Collisions("all", shapes, ground=cd.Plane((0, 0, 1), (0, 0, -0.1)), law=law, neighbours=True))
    result = cd.simulate(model, end=0.6, dt=2e-3)
    push, end = 20.0 * 0.5 / (0.5 + centre), ((-0.5, 0, 0), (0.5, 0, 0))
    for ends, sign in ((end, 1.0), (end[::-1], -1.0)):
        found = section_force(result, "bar", (0.0, 0.0, 0.0), bar=ends)
        assert found.force[-1] == pytest.approx((0.0, 0.0, sign * (push - 10.0)), abs=0.01)
        assert found.moment[-1, 1] == pytest.approx(-sign * (push * centre - 10.0 * 0.25), rel=2e-3)
    beside = section_force(result, "bar", (centre + 0.1, 0.0, 0.0), bar=end) if centre < 0.4 else None
    assert beside is None or beside.force[-1, 2] == pytest.approx(-20.0 * (0.4 - centre), abs=0.01)


def test_impacts_in_no_time_must_be_said():
    model = cd.Model("ball", dimension=2, gravity=(0.0, -10.0))
    model.add(cd.RigidBody("bar", 1.0, inertia=0.1, position=(0.0, 0.11)))
    model.add(
        cd.Contact("floor", "bar", [(0.5, -0.1), (-0.5, -0.1)], model.ground, cd.Plane((0, 1)), law=cd.Impact(0.5))
    )
    result = cd.simulate(model, end=0.1, dt=1e-3)
    with pytest.raises(
        cd.InputError, match=r"'floor' strikes 'bar' in no time; give what it does .* \(point, force, moment"
    ):
        section_force(result, "bar", (0.0, 0.0), bar=((-0.5, 0.0), (0.5, 0.0)))
