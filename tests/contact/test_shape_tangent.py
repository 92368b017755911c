"""The matrix of contact between rigid shapes is the derivative of its equations: points move over both bodies."""

from __future__ import annotations

import numpy as np
import pytest
from test_contact_tangent import METHODS, check

import condyle as cd
from condyle.system.compile import running
from condyle.system.system import System


def mesh(size: float, axis: int, angle: float) -> cd.FacetSurface:
    """A cube of triangles, turned about an axis."""
    nodes = size * (np.array([(x, y, z) for x in (0, 1) for y in (0, 1) for z in (0, 1)]) - 0.5)
    c, s, (a, b) = np.cos(angle), np.sin(angle), [k for k in range(3) if k != axis]
    nodes[:, [a, b]] = nodes[:, [a, b]] @ [(c, s), (-s, c)]
    sides = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))
    return cd.FacetSurface(nodes, [t for q in sides for t in ((q[0], q[1], q[2]), (q[0], q[2], q[3]))])


# shapes of the upper and of the lower body, and the height of the upper one
SPACE = {
    "ellipsoids": (cd.Ellipsoid((0.5, 0.4, 0.3)), cd.Ellipsoid((1.4, 1.2, 0.85)), 1.05),
    "sphere on ellipsoid": (cd.Sphere(0.4, (0.1, 0.0, 0.0)), cd.Ellipsoid((1.4, 1.2, 0.85)), 1.15),
    "ellipsoid on plane": (cd.Ellipsoid((0.5, 0.4, 0.3)), cd.Plane((0.1, 0.2, 1.0)), 0.2),
    "capsule on ellipsoid": (cd.Capsule((-0.4, 0.0, 0.0), (0.5, 0.1, 0.0), 0.3), cd.Ellipsoid((1.4, 1.2, 0.85)), 1.05),
    "ellipsoid on box": (cd.Ellipsoid((0.5, 0.4, 0.3)), cd.Box((2.0, 2.0, 1.0)), 0.7),
    "sphere on cylinder": (cd.Sphere(0.4), cd.Cylinder(0.5, (1, 0, 0), length=2.0), 0.8),
    "sphere at edge": (cd.Sphere(0.4, (1.1, 0.0, 0.0)), cd.Box((2.0, 2.0, 1.0)), 0.7),
    "corner on plane": (cd.Box((0.5, 0.6, 0.4), rotation=(0.5, 0.3, 0.0)), cd.Plane((0.1, 0.2, 1.0)), 0.25),
    "edge on edge": (
        cd.Box((0.6, 0.6, 0.6), rotation=(0.8, 0.0, 0.0)), cd.Box((0.7, 0.7, 0.7), rotation=(0.0, 0.8, 0.3)), 0.85,
    ),
    "edge on edge of meshes": (mesh(0.6, 0, 0.8), mesh(0.7, 1, 0.8), 0.85),
    "sphere at the edge of a mesh": (cd.Sphere(0.4, (0.15, 0.0, 0.0)), mesh(0.7, 1, 0.8), 0.75),
    "edge of a mesh on an ellipsoid": (mesh(0.6, 0, 0.5), cd.Ellipsoid((1.4, 1.2, 0.85)), 1.2),
}  # fmt: skip
PLANE = {
    "disks": (cd.Sphere(0.4), cd.Sphere(0.7), 1.05),
    "ellipse on disk": (cd.Ellipsoid((0.5, 0.3)), cd.Sphere(0.7), 0.97),
    "corner on line": (cd.Box((0.5, 0.4), rotation=0.6), cd.Plane((0.1, 1.0)), 0.27),
    "capsule on box": (cd.Capsule((-0.3, -0.1), (0.3, 0.0), 0.2), cd.Box((1.0, 1.0)), 0.73),
}


def meeting(shapes: tuple[cd.Surface, cd.Surface, float], d: int, law: str, friction: float, **options: str) -> System:
    high, low, height = shapes
    model = cd.Model("meeting", dimension=d)
    inertia = 0.5 if d == 2 else (0.5, 0.6, 0.7)
    turn = 0.1 if d == 2 else (0.05, 0.08, 0.3)
    lower = model.add(cd.RigidBody("lower", 2.0, inertia=inertia, rotation=turn))
    upper = model.add(cd.RigidBody("upper", 1.0, inertia=inertia, position=(0.05,) * (d - 1) + (height,)))
    if isinstance(high, cd.FacetSurface):  # as the surface of a contact it would mean its nodes
        both = {"upper": high, "lower": low}
        model.add(cd.Collisions("touch", both, law=law, friction=friction, stiffness=300.0))
    else:
        model.add(cd.Contact("touch", upper, high, lower, low, law=law, friction=friction, stiffness=300.0))
    return running(model, **options)


@pytest.mark.covering
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", SPACE)
def test_the_tangent_of_shapes_in_space_is_exact(name: str, method: str):
    seen = set()
    for law, friction in (("augmented", 0.0), ("augmented", 1.2), ("penalty", 0.0), ("penalty", 0.4)):
        seen |= check(meeting(SPACE[name], 3, law, friction), method, 1)
    assert 2 in seen


def test_the_tangent_of_four_corners_is_exact_where_the_step_ends():
    check_face((cd.Box((0.5, 0.6, 0.4)), cd.Box((2.0, 2.0, 1.0)), 0.67))


def test_the_tangent_of_flat_sides_that_overlap_in_part_is_exact_where_the_step_ends():
    """Where their edges cross, and at the corners of the side that the normal belongs to, points run over both bodies."""
    check_face((cd.Box((0.9, 0.3, 0.4), centre=(0.0, 0.2, 0.0)), cd.Box((0.5, 0.6, 1.0)), 0.67))
    check_face((cd.Box((0.9, 0.3, 0.4), centre=(0.0, 0.05, 0.0)), cd.Box((0.5, 0.6, 1.0)), 0.67), seed=3)


def test_the_tangent_of_a_round_end_that_leans_is_exact():
    """Its corners stay with the body; one that would follow the lowest place of the rim would run round it."""
    lean = (-0.056, 0.077, 0.996)  # by 0.022 rad in the world
    check_face((cd.Cone(0.3, 0.8, (0, 0, 1), centre=(0, 0, -0.2)), cd.Plane(lean), 0.13), 0.005, seed=8)
    check_face((cd.Cylinder(0.3, (0, 0, 1), length=0.4), cd.Plane(lean), 0.13), 0.005, seed=8)


def check_face(face: tuple[cd.Surface, cd.Surface, float], far: float = 0.03, seed: int = 1) -> None:
    seen = set()
    for law, friction in (("augmented", 0.0), ("augmented", 1.2), ("penalty", 0.0), ("penalty", 0.4)):
        seen |= check(meeting(face, 3, law, friction), "statics", seed, far)
    assert {1, 2} <= seen  # points that stick and points that slip


@pytest.mark.covering
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", PLANE)
def test_the_tangent_of_shapes_in_the_plane_is_exact(name: str, method: str):
    seen = set()
    for law, friction in (("augmented", 0.0), ("augmented", 1.2), ("penalty", 0.0), ("penalty", 0.4)):
        seen |= check(meeting(PLANE[name], 2, law, friction), method, 1)
    assert 2 in seen


@pytest.mark.parametrize("law, friction", [("augmented", 1.2), ("penalty", 0.4)])
def test_the_tangent_of_a_group_is_exact(law: str, friction: float):
    model = cd.Model("group", dimension=3)
    for k, place in enumerate(((0.0, 0.0, 0.0), (0.75, 0.1, 0.0), (0.4, 0.1, 0.68))):
        model.add(cd.RigidBody(f"ball {k}", 1.0 + k, inertia=(0.1, 0.2, 0.25), position=place, shape=cd.Sphere(0.4)))
    model.add(cd.Collisions("group", [f"ball {k}" for k in range(3)], law=law, friction=friction, stiffness=300.0))
    assert check(running(model), "energy–momentum", 1) & {1, 2}
