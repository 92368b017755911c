"""One cut of a rigid body, seen from both sides: forces and moments are equal and opposite, whatever acts on the body.

For that nothing may be missing on either side; where it acts is checked by closed forms (test_section_forces.py).
"""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import condyle as cd
from condyle.model.body import Body
from condyle.model.part import load_part_types, part_types
from zoo import ZOO

L, M, G = 0.8, 3.0, 10.0


def rigid_bodies(model):
    return [b for b in model.bodies if isinstance(b, cd.RigidBody) and not isinstance(b, cd.PseudoRigidBody)]


def halves(body, normal, apart=0.01):
    """Two parts of half the mass each, centred on either side of the centre of mass, which have the inertia of the body."""
    d = len(normal)
    moments = body.moments(d)
    mass, centre = moments[0, 0], moments[0, 1:] / moments[0, 0]
    half = 0.5 * (moments[1:, 1:] - mass * np.outer(centre, centre) - mass * apart**2 * np.outer(normal, normal))
    inertia = np.trace(half) if d == 2 else np.trace(half) * np.eye(3) - half
    return [
        dict(normal=s * normal, mass=0.5 * mass, centre=centre + s * apart * normal, inertia=inertia) for s in (1, -1)
    ]


def from_both_sides(result, body, normal, loads=None):
    """Force and moment (n, …) through a cut near the origin from one side, and their sums with those from the other."""
    one, other = (result.section_force(body, 0.02 * normal, **half, loads=loads) for half in halves(body, normal))
    return one, one.force + other.force, one.moment + other.moment


def assert_agree(result, body, normal, tolerance, loads=None, frames=slice(2, -2)):
    one, force, moment = from_both_sides(result, body, normal, loads)
    for found, left in ((one.force, force), (one.moment, moment)):
        assert np.abs(left[frames]).max() <= tolerance * np.abs(found[frames]).max() + 1e-9, body.name


def some_normal(d):
    normal = np.array([0.3, -0.5, 0.8][:d])
    return normal / np.linalg.norm(normal)


# Accelerations are differences of velocities over a step, which dampers as stiff as these change within 1e-4 s.
SHORT_STEPS = {"viscous bodies in the plane": 5e-6, "viscous bodies in space": 5e-6}
WITH_RIGID = [name for name, make in ZOO.items() if rigid_bodies(make())]


@pytest.mark.parametrize("name", WITH_RIGID)
def test_both_sides_of_a_cut_agree_in_every_model_of_the_zoo(name: str):
    model = ZOO[name]()
    normal = some_normal(model.dimension)
    whole = [part.name for part in model if isinstance(part, cd.Torque | cd.Rotation)]  # that name no place
    result = cd.simulate(model, end=8e-4, dt=SHORT_STEPS.get(name, 1e-4))
    for body in rigid_bodies(model):
        assert_agree(result, body, normal, 4e-3, {part: body.at(0.3 * normal) for part in whole})


def user_force(model, bar):
    model.add(cd.UserForce("wind", [bar.at(0.3, 0, 0), bar.at(-0.2, 0, 0)], lambda t, x, v: 2.0 - v))


def initial(model, bar):
    model.add(cd.Revolute("hinge", model.ground, bar, at=(-0.4, 0, 0), axis=(0, 1, 0)))
    model.add(cd.Initial("start", "hinge", value=0.2, rate=1.0))


def insertion(model, bar):
    section = cd.RoundSection(0.01, cd.StVenantKirchhoff(1e6, 0.0, 1000.0))
    beam = model.add(cd.AncfBeam("beam", [(0.4, 0, 0), (0.6, 0, 0)], 1, section))
    model.add(cd.Insertion("root", beam.point("start"), bar, at=(0.4, 0, 0)))


def contact(model, bar):
    ends = [(-0.3, 0, 0), (0.3, 0, 0)]
    law = cd.SpringDashpot(1e4, ratio=0.5)
    model.add(cd.Contact("floor", bar, ends, model.ground, cd.Plane((0, 0, 1)), friction=0.3, law=law))


def collisions(model, bar):
    """Each end of the bar lies on a ball that lies on the ground."""
    shapes = {"bar": cd.geometry.Box((L, 0.1, 0.1))}
    for k, x in enumerate((-0.3, 0.25)):
        ball = model.add(cd.RigidBody.ball(f"ball{k}", 0.1, 1000.0, position=(x, 0, -0.15)))
        shapes[ball.name] = cd.Sphere(0.1)
    law = cd.SpringDashpot(1e4, ratio=0.5)
    model.add(cd.Collisions("all", shapes, ground=cd.Plane((0, 0, 1), (0, 0, -0.25)), law=law, friction=0.2))


def articular_contact(model, bar):
    y = np.linspace(-0.04, 0.04, 21)
    profile = np.column_stack((y, np.sqrt(0.05**2 - y**2)))
    for k, x in enumerate((-0.3, 0.25)):
        knob = cd.RevolvedSurface(profile, axis=(0, 1, 0), side=(0, 0, -1), centre=(x, 0, 0), angles=(-1.0, 1.0))
        floor = cd.FlatSurface((0, 0, 1), (x, 0, -0.05), extent=0.2)
        model.add(cd.ArticularContact(f"joint{k}", bar, knob, model.ground, floor, law=cd.Hertz(1e6)))


ALONE = {
    "UserForce": user_force, "Initial": initial, "Insertion": insertion, "Contact": contact, "Collisions": collisions,
    "ArticularContact": articular_contact,
}  # fmt: skip
NOT_ON_RIGID_BODIES = {"BodyForce", "DistributedLoad", "Moment", "Pressure", "Traction"}
IN_NO_TIME = {"PatchContact"}  # it knows impulses only, which `loads` must say


@pytest.mark.parametrize("kind", ALONE)
def test_both_sides_agree_with_parts_that_the_zoo_does_not_have(kind: str):
    model = cd.Model("bar", gravity=(0.0, 0.0, -G))
    bar = model.add(cd.RigidBody("bar", M, inertia=(0.01, 0.2, 0.2), velocity=(0.1, 0.0, 0.0)))
    ALONE[kind](model, bar)
    result = cd.simulate(model, end=0.05, dt=2e-4)
    assert_agree(result, bar, np.array([1.0, 0.0, 0.0]), 4e-3)


def test_every_part_that_acts_on_rigid_bodies_or_joints_is_in_one_of_these_models():
    load_part_types()
    acting = {
        name for name, kind in part_types().items()
        if kind.__module__.startswith("condyle.") and not issubclass(kind, Body)
        and dataclasses.is_dataclass(kind) and "name" in (f.name for f in dataclasses.fields(kind))
    }  # fmt: skip
    there = {type(part).__name__ for name in WITH_RIGID for part in ZOO[name]()}
    assert acting <= there | ALONE.keys() | NOT_ON_RIGID_BODIES | IN_NO_TIME, "add a new part to the zoo, or here"


METHODS = {
    "alpha": cd.GeneralizedAlpha(0.8), "Newmark": cd.Newmark(), "HHT": cd.HHT(), "BDF": cd.BDF(),
    "explicit": cd.RungeKutta(), "first order": cd.Compliant(),
}  # fmt: skip
MODELS = ("coordinates in space", "passive resistance", "coordinates in the plane")
# In the last model joints are held by penalties, which explicit methods do not take, and a damper follows a curve, which
# the first-order method takes as linear in the rate.
RUNS = [
    (m, k) for m in MODELS for k in METHODS if m != "coordinates in the plane" or k not in ("explicit", "first order")
]


@pytest.mark.parametrize(("name", "method"), RUNS)
def test_both_sides_agree_with_every_method(name: str, method: str):
    model = ZOO[name]()
    result = cd.simulate(model, end=1e-3, dt=1e-4, integrator=METHODS[method])
    for body in rigid_bodies(model):
        tolerance = 1e-2 if method == "first order" else 1e-3
        assert_agree(result, body, some_normal(model.dimension), tolerance, frames=slice(4, -2))


def test_what_both_sides_differ_by_falls_with_the_square_of_the_step():
    model = ZOO["muscles in space"]()
    left = []
    for dt in (1e-4, 5e-5):
        result = cd.simulate(model, end=1e-3, dt=dt)
        _, force, moment = from_both_sides(result, model["shank"], some_normal(3))
        left.append(np.array([np.abs(force[2:-2]).max(), np.abs(moment[2:-2]).max()]))
    assert left[0] / left[1] == pytest.approx([4.0, 4.0], rel=0.15)
