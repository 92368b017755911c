"""A mechanism of micrometres moves as one of thousands of kilometres: no length is hidden in a joint, a stop or a contact."""

import functools

import numpy as np
import pytest

import condyle as cd
from jointed import CASES, Pair
from scaling import scaled
from stepping import walk

SCALES = (1e-6, 1e-3, 1e6)
METHODS = {"energy–momentum": cd.EnergyMomentum(), "generalized-α": cd.GeneralizedAlpha(0.8)}
ENFORCEMENTS = ("multiplier", "augmented", "uzawa", "penalty")
UP = cd.Plane((0.0, 1.0))


def stop_of_a_slide():
    """A block that flies to and fro between two stops, its guide turning about a hinge."""
    m = cd.Model("slide", dimension=2, gravity=(0.0, -9.81))
    arm = m.add(cd.RigidBody("arm", 1.0, inertia=0.1, angular_velocity=1.5))
    block = m.add(
        cd.RigidBody("block", 0.5, inertia=0.02, position=(0.3, 0.0), velocity=(2.0, 0.45), angular_velocity=1.5)
    )
    m.add(cd.Pin("hinge", m.ground, arm, at=(0.0, 0.0)))
    m.add(cd.Slider("guide", arm, block, at=(0.3, 0.0), axis=(1.0, 0.0)))
    m.add(cd.Limit("stop", "guide", -0.05, 0.05, stiffness=500.0))
    return m


def stop_of_a_hinge():
    """Two links in space, the second between stops, with a torsion spring and a coil spring."""
    m = cd.Model("hinge", dimension=3, gravity=(0.0, 0.0, -9.81))
    a = m.add(cd.RigidBody("a", 1.0, inertia=(0.05, 0.05, 0.05), position=(0.25, 0.0, 0.0)))
    b = m.add(cd.RigidBody("b", 0.7, inertia=(0.03, 0.03, 0.03), position=(0.7, 0.0, 0.0)))
    m.add(cd.Revolute("shoulder", m.ground, a, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.2)))
    m.add(cd.Revolute("elbow", a, b, at=(0.5, 0.0, 0.0), axis=(0.3, 1.0, 0.0)))
    m.add(cd.Limit("stop", "elbow", -0.02, 0.02, stiffness=20.0))
    m.add(cd.CoordinateSpring("torsion", "shoulder", 5.0, rest=0.3))
    m.add(cd.Spring("coil", m.ground, b, 20.0, rest_length=0.5))
    return m


def box_on_a_plane(law="augmented", friction=0.0, **options):
    """A box that comes down on one corner, then on the other."""
    m = cd.Model("box", dimension=2, gravity=(0.0, -9.81))
    box = m.add(cd.RigidBody.box("box", (0.4, 0.2), 10.0, position=(0.0, 0.2), rotation=0.2, velocity=(1.0, -0.5)))
    feet = [(-0.2, -0.1), (0.2, -0.1)]
    m.add(cd.Contact("floor", box, feet, m.ground, UP, law=law, friction=friction, **options))
    return m


def soft_block_on_a_ball(law="augmented", friction=0.0):
    m = cd.Model("soft", dimension=2, gravity=(0.0, -9.81))
    rubber = cd.NeoHookean(2e4, 0.3, 100.0)
    block = m.add(
        cd.Solid.block("block", (0.4, 0.2), (4, 2), rubber, thickness=0.5, origin=(-0.2, 0.305), velocity=(0.3, -1.0))
    )
    m.add(cd.Contact("ball", block, "bottom", m.ground, cd.Sphere(0.3), law=law, friction=friction))
    return m


def rope_on_a_pulley(friction=0.0):
    m = cd.Model("rope", dimension=2, gravity=(0.0, -9.81))
    turn = np.linspace(0.0, np.pi, 9)
    arc = np.stack((-0.2 * np.cos(turn), 0.2 * np.sin(turn)), axis=1).tolist()
    rope = cd.Cable("rope", [(-0.2, -0.1), *arc, (0.2, -0.1)], 1, cd.Rope(1e4, 0.05, 1.0), rest="straight")
    m.add(rope)
    for name, end, mass in (("left", "start", 2.0), ("right", "end", 1.0)):
        place = rope.line[0 if end == "start" else -1]
        m.add(cd.Spherical(f"{name} end", rope.point(end), m.add(cd.PointMass(name, mass, place)), at=place))
    m.add(cd.Contact("pulley", rope, "nodes", m.ground, cd.Sphere(0.2), friction=friction))
    return m


JOINTS = {name: (lambda name=name: Pair(name).model) for name in CASES}
STOPS = {"stop of a slide": stop_of_a_slide, "stop of a hinge": stop_of_a_hinge}
CONTACTS = {
    "box": box_on_a_plane,
    "box, friction": lambda: box_on_a_plane(friction=0.3),
    "box, penalty": lambda: box_on_a_plane("penalty"),
    "box, penalty and friction": lambda: box_on_a_plane("penalty", 0.3),
    "soft block": soft_block_on_a_ball,
    "soft block, penalty and friction": lambda: soft_block_on_a_ball("penalty", 0.3),
    "rope": rope_on_a_pulley,
    "rope, friction": lambda: rope_on_a_pulley(0.2),
}
MODELS = JOINTS | STOPS | CONTACTS


@functools.cache
def run(name, enforcement, method, s):
    """Places over s and directions of all rows, energies over s², multipliers over those of forces, and iterations."""
    path = walk(scaled(MODELS[name](), s, enforcement), 0.01, 8, METHODS[method])
    x = np.array([state.x for state in path.states])
    x[:, path.system.translation > 0] /= s
    return x, path.energy("kinetic") / s**2, path.energy() / s**2, sum(path.iterations)


def same_at_every_scale(name, enforcement, method):
    x, kinetic, total, count = run(name, enforcement, method, 1.0)
    assert np.ptp(x, axis=0).max() > 1e-2
    for s in SCALES:
        x_s, kinetic_s, total_s, count_s = run(name, enforcement, method, s)
        assert np.abs(x_s - x).max() < 1e-9, s
        assert np.abs(kinetic_s - kinetic).max() < 1e-8 * kinetic.max(), s
        assert np.abs((total_s - total_s[0]) - (total - total[0])).max() < 1e-8 * kinetic.max(), s
        assert abs(count_s - count) <= 0.1 * count + 2, s


@pytest.mark.covering
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("enforcement", ENFORCEMENTS)
@pytest.mark.parametrize("name", JOINTS | STOPS)
def test_joints_and_stops_are_the_same_at_every_scale(name, enforcement, method):
    same_at_every_scale(name, enforcement, method)


@pytest.mark.covering
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", CONTACTS)
def test_contact_is_the_same_at_every_scale(name, method):
    same_at_every_scale(name, None, method)


@pytest.mark.covering
@pytest.mark.parametrize("s", (1e-6, 1e-2, 1.0, 1e6))
@pytest.mark.parametrize("name", STOPS)
def test_stops_keep_the_energy_at_every_scale(name, s):
    path = walk(scaled(STOPS[name](), s), 0.01, 60)
    assert path.energy("stored").max() > 0.01 * path.energy("kinetic").max()  # they are met
    assert np.ptp(path.energy()) < 1e-11 * path.energy("kinetic").max()
