"""Joints between rigid and deformable bodies: closed, without loss of energy, and in the stiff limit those of rigid ones."""

import numpy as np
import pytest

import condyle as cd
from minimal import Mechanism, turn, turn_by

AXIS = np.array([0.0, 1.0, 0.0])
ROOT = np.array([0.0, 1.0, 0.3])
PLACE = np.array([0.6, 0.0, 0.0])
SIZE = np.array([0.8, 0.1, 0.12])
LENGTH = SIZE * (1, 0, 0)
DENSITY = 500.0
RELATIVE = {
    "Spherical": (lambda q: turn_by(q), (0.5, 1.0, -0.8)),
    "Revolute": (lambda q: turn(AXIS, q[0]), (1.5,)),
    "Fixed": (lambda q: np.eye(3), ()),
}


def mechanism(kind):
    """A rigid arm on a hinge of the ground, and a rigid bar on the joint."""
    relative, rates = RELATIVE[kind]
    mass = DENSITY * SIZE.prod()
    inertia = mass / 12.0 * np.diag((SIZE**2).sum() - SIZE**2)
    centre = PLACE + 0.5 * LENGTH

    def pose(q):
        R, S = turn(ROOT, q[0]), relative(q[1:])
        return [(R @ (0.3, 0.0, 0.0), R), (R @ (PLACE + S @ (centre - PLACE)), R @ S)]

    start = np.array([1.0, *rates])
    return Mechanism(
        pose, (2.0, mass), (np.diag([0.02, 0.06, 0.07]), inertia), np.zeros(start.size), start, (0.0, 0.0, -9.81)
    )


def model(kind, body, young, gravity=-9.81):
    """The same with a deformable bar: a rod or a solid."""
    one, two = mechanism(kind).at(0.0)
    m = cd.Model("jointed", dimension=3, gravity=(0.0, 0.0, gravity))
    arm = m.add(
        cd.RigidBody("arm", 2.0, inertia=(0.02, 0.06, 0.07), position=(0.3, 0, 0), velocity=one.velocity,
                     angular_velocity=one.spin)
    )  # fmt: skip
    rubber = cd.StVenantKirchhoff(young=young, poisson=0.0, density=DENSITY)
    # velocity of a deformable body is that of the world's origin in its rigid motion
    motion = dict(velocity=two.velocity - np.cross(two.spin, two.place), angular_velocity=two.spin)
    if body == "rod":
        end = PLACE + LENGTH
        bar = m.add(cd.Rod("bar", [PLACE, end], 6, SIZE[2], rubber, width=SIZE[1], normal=(0, 0, 1), **motion))
        here, far = bar.point("start"), bar.point("end")
    else:
        origin = PLACE - (0.0, *(0.5 * SIZE[1:]))
        bar = m.add(cd.Solid.block("bar", SIZE, (4, 2, 2), rubber, origin=origin, **motion))
        here, far = bar.at(*PLACE), bar.at(*(PLACE + LENGTH))
    m.add(cd.Revolute("root", m.ground, arm, at=(0, 0, 0), axis=ROOT))
    options = dict(axis=AXIS) if kind == "Revolute" else {}
    m.add(getattr(cd, kind)("joint", arm.at(0.3, 0, 0), here, **options))
    return m, far


@pytest.mark.parametrize("body", ["rod", "solid"])
@pytest.mark.parametrize("kind", RELATIVE)
def test_a_joint_of_a_deformable_body_is_closed_and_loses_no_energy(kind, body):
    m, _ = model(kind, body, 2e5)
    result = cd.simulate(m, end=0.3, dt=0.005)
    assert result.constraint_error.max() < 1e-10
    assert np.ptp(result.energy["total"]) < 1e-10 * result.energy["kinetic"].max()
    assert result.energy["stored"].max() > 1e-4  # it deforms
    damped = cd.simulate(m, end=0.1, dt=0.005, integrator=cd.GeneralizedAlpha())
    assert damped.constraint_error.max() < 1e-10


@pytest.mark.parametrize("body", ["rod", "solid"])
@pytest.mark.parametrize("kind", RELATIVE)
def test_the_stiffer_the_body_the_nearer_its_motion_is_to_that_of_a_rigid_one(kind, body):
    reference = mechanism(kind).solve(0.2)
    *_, last = reference.at(0.2)
    wanted = last.place + last.rotation @ (0.5 * LENGTH)
    errors = []
    for young in (1e7, 1e9):
        m, far = model(kind, body, young)
        result = cd.simulate(m, end=0.2, dt=0.0025, integrator=cd.GeneralizedAlpha(spectral_radius=0.5))
        errors.append(np.linalg.norm(result.position(far)[-1] - wanted))
    assert errors[1] < 3e-4, errors
    assert errors[1] < 0.2 * errors[0], errors


@pytest.mark.parametrize("body", ["rod", "solid"])
def test_the_joint_force_of_a_deformable_body_is_the_rate_of_its_momentum(body):
    m, _ = model("Spherical", body, 2e5)
    result = cd.simulate(m, end=0.1, dt=0.002)
    rate = np.diff(result.linear_momentum, axis=0) / 0.002  # of both bodies
    weight = (2.0 + DENSITY * SIZE.prod()) * np.array([0, 0, -9.81])
    assert np.abs(result.joint_force("root") + weight - rate).max() < 1e-8 * np.abs(rate).max()
    arm = np.diff(2.0 * result.velocity("arm"), axis=0) / 0.002
    own = result.joint_force("root") - result.joint_force("joint") + 2.0 * np.array([0, 0, -9.81])
    assert np.abs(own - arm).max() < 1e-8 * np.abs(arm).max()


def test_a_hinge_of_a_rod_lets_it_turn_about_its_axis_only():
    m, _ = model("Revolute", "rod", 2e5)
    result = cd.simulate(m, end=0.3, dt=0.005)
    across = result.system.points.direction(m["joint"].b, AXIS, m["joint"])
    held = np.array([across.at(result.state(k).x) for k in range(len(result))])
    arms = result.directors("arm")[:, :, 1]
    parallel = np.linalg.norm(np.cross(arms, held), axis=1)
    assert parallel.max() < 1e-10
    assert np.abs(result.coordinate("joint.angle")).max() > 0.04
