"""Parts that do not fit the model they are in: an error before the run that names the part and the fix."""

import re
import warnings

import pytest

import condyle as cd

STEEL = cd.StVenantKirchhoff(1e5, 0.3, 1.0)
SQUARE = [(0, 0), (1, 0), (1, 1), (0, 1)]


def compiled(*parts, dimension=2):
    """The parts beside a rigid body 'a', a particle 'p' and in 2D a 'mesh' and a 'rod'."""
    m = cd.Model("model", dimension=dimension)
    d = dimension
    m.add(cd.RigidBody("a", 1.0, inertia=1.0 if d == 2 else (1, 1, 1), points={"tip": (1.0, 0.0, 0.0)[:d]}))
    m.add(cd.PointMass("p", 1.0, (2.0, 0.0, 0.0)[:d]))
    if d == 2:
        m.add(cd.Solid.block("mesh", (1.0, 1.0), (2, 2), STEEL, origin=(5.0, 0.0)))
        m.add(cd.Rod("rod", [(0.0, 5.0), (1.0, 5.0)], 3, 0.1, cd.StVenantKirchhoff(1e5, density=1.0)))
    for part in parts:
        m.add(part)
    return cd.compile(m)


def body(**options):
    return cd.RigidBody("b", 1.0, **options)


def solid(nodes=SQUARE, cells=((0, 1, 2, 3),), kind="quad4", material=STEEL, **options):
    return cd.Solid("m", nodes, cells, kind, material, **options)


def rod(line=((0, 0), (1, 0)), **options):
    return cd.Rod("r", line, 1, 0.1, cd.StVenantKirchhoff(1e5, density=1.0), **options)


def simplex(*corners):
    return cd.RigidSimplex("s", 1.0, inertia=1.0, corners=dict(zip("123", corners, strict=False)))


COMPILED = {
    "no inertia": (r"RigidBody 'b': give inertia .*or use PointMass", [body()]),
    "negative inertia": (r"RigidBody 'b': inertia must not be negative", [body(inertia=-1.0)]),
    "inertia of 3D in 2D": (r"RigidBody 'b': in 2D the inertia is one number", [body(inertia=(1, 1, 1))]),
    "position of 3D in 2D": (
        r"RigidBody 'b': position has 3 components, but the model is 2D",
        [body(inertia=1, position=(0, 0, 0))],
    ),
    "spin of 3D in 2D": (
        r"RigidBody 'b': angular_velocity must be a finite number",
        [body(inertia=1.0, angular_velocity=(0, 0, 1))],
    ),
    "rotation matrix that stretches": (
        r"RigidBody 'b': the rotation matrix is not a proper",
        [body(inertia=1, rotation=[[2, 0], [0, 1]])],
    ),
    "unknown body": (r"Spring 's': there is no body 'q'", [cd.Spring("s", "q", "p", 1.0)]),
    "unknown point": (
        r"Spring 's': RigidBody 'a' has no point 'tpi'; did you mean 'tip'\?",
        [cd.Spring("s", "a.tpi", "p", 1.0)],
    ),
    "unknown set": (
        r"Load 'f': Solid 'mesh' has no set 'rihgt'; did you mean 'right'\?",
        [cd.Load("f", "mesh.rihgt", (1, 0))],
    ),
    "unknown node": (r"Load 'f': Solid 'mesh' has nodes 0 … 8, not 9", [cd.Load("f", "mesh.9", (1, 0))]),
    "no point on a mesh": (r"Load 'f': say which point of Solid 'mesh'", [cd.Load("f", "mesh", (1, 0))]),
    "point outside a mesh": (
        r"Load 'f': the point .* lies outside Solid 'mesh'",
        [cd.Load("f", cd.Point("mesh", (9, 9)), (1, 0))],
    ),
    "unknown station": (
        r"Load 'f': Rod 'rod' has no point 7; use 'start', 'end', a station 0 … 3",
        [cd.Load("f", "rod.7", (1, 0))],
    ),
    "point beyond a rod": (
        r"Load 'f': Rod 'rod' is 1 m long; 3 lies outside",
        [cd.Load("f", cd.Point("rod", (3.0, 0.0)), (1, 0))],
    ),
    "direction of a particle": (
        r"Weld 'j': PointMass 'p' is a point and has no directions",
        [cd.Weld("j", "p", "ground", at=(2, 0))],
    ),
    "point on a particle": (r"Spring 's': PointMass 'p' has no points but itself", [cd.Spring("s", "p.tip", "a", 1.0)]),
    "force of 3D": (r"Load 'f': force has 3 components, but the model is 2D", [cd.Load("f", "a", (1, 0, 0))]),
    "torque of 3D": (r"Torque 't': in 2D torque is one number", [cd.Torque("t", "a", (0, 0, 1))]),
    "torque on a mesh": (r"Torque 't': 'mesh' is no rigid body; apply a pair of Loads", [cd.Torque("t", "mesh", 1.0)]),
    "traction on a rigid body": (
        r"Traction 't': 'a' has no surface \(.*Brick.*Solid have\); use a Load",
        [cd.Traction("t", "a", "right", (1, 0))],
    ),
    "surface without facets": (
        r"Traction 't': the set 'dot' .* holds no facet",
        [cd.Traction("t", "m", "dot", (1, 0)), solid(sets={"dot": [0]})],
    ),
    "joint on itself": (r"Pin 'j': both ends are on 'a'; a joint connects two bodies", [cd.Pin("j", "a.tip", "a")]),
    "joint between fixed things": (
        r"'j' connects only parts that cannot move",
        [cd.Pin("j", "ground", "f"), cd.Frame("f")],
    ),
    "joint of space": (
        r"Cylindrical 'j': this joint is for 3D models",
        [cd.Cylindrical("j", "a", "ground", axis=(0, 0, 1))],
    ),
    "place of 3D": (r"Pin 'j': the place .* must have 2 coordinates", [cd.Pin("j", "a", "ground", at=(0, 0, 0))]),
    "joint points apart": (
        r"Pin 'j': its points are 1 m apart .*correct the points, or set assemble=True",
        [cd.Pin("j", "a.tip", "ground")],
    ),
    "spring of no length": (r"Spring 's': its ends coincide", [cd.Spring("s", "a", "ground", 1.0, rest_length=0.5)]),
    "spring between the same points": (
        r"Spring 's': its ends coincide; give rest_length=0",
        [cd.Spring("s", "a", "ground", 1.0)],
    ),
    "damper of no length": (r"Damper 'd': its ends coincide, .*along='all'", [cd.Damper("d", "a", "ground", 1.0)]),
    "gravity to scale": (r"Gravity 'g': the model has no gravity to scale", [cd.Gravity("g", cd.Ramp())]),
    "tie to itself": (r"Tie 't': 'mesh' cannot be tied to itself", [cd.Tie("t", "mesh", "left", "mesh")]),
    "tie of an unknown set": (
        r"Tie 't': 'mesh' has no set or node 'lft'; did you mean 'left'\?",
        [cd.Tie("t", "mesh", "lft", "a")],
    ),
    "tie of no node": (r"Tie 't': there are no nodes to tie", [cd.Tie("t", "mesh", [], "a")]),
    "node tied twice": (
        r"Tie 'u': node 0 of 'mesh' is tied already by Tie 't'",
        [cd.Tie("t", "mesh", "left", "a"), cd.Tie("u", "mesh", [0], "a")],
    ),
    "ties in a circle": (
        r"'mesh', 'rod' are tied to each other in a circle; use a Fixed joint",
        [cd.Tie("t", "mesh", "left", "rod"), cd.Tie("u", "rod", "start", "mesh")],
    ),
    "element of 3D": (r"Solid 'm': hex8 nodes .* do not fit a 2D model", [solid(kind="hex8")]),
    "unknown element": (r"Solid 'm': unknown element 'quad'; did you mean 'quad[48]'\?", [solid(kind="quad")]),
    "cells of the wrong size": (r"Solid 'm': quad4 cells need 4 nodes each", [solid(cells=[(0, 1, 2)])]),
    "cell turned inside out": (
        r"Solid 'm': element 0 near .* is turned inside out; check its node order",
        [solid(cells=[(3, 2, 1, 0)])],
    ),
    "cell with a node too many": (
        r"Solid 'm': a cell refers to node 4, but there are 4 nodes",
        [solid(cells=[(0, 1, 2, 4)])],
    ),
    "cell with a negative node": (r"Solid 'm': a cell refers to node -1", [solid(cells=[(0, 1, 2, -1)])]),
    "node without a cell": (r"Solid 'm': node 4 belongs to no cell; remove it", [solid([*SQUARE, (2, 2)])]),
    "empty set": (r"'m'.*set 'none'", [solid(sets={"none": []}), cd.Load("f", "m.none", (1, 0))]),
    "solid without density": (
        r"Solid 'm': the density of its material must be positive",
        [solid(material=cd.NeoHookean(1.0))],
    ),
    "spin of 3D of a rod": (r"Rod 'r': angular_velocity", [rod(angular_velocity=(0, 0, 1))]),
    "velocity of 3D of a rod": (r"Rod 'r': velocity", [rod(velocity=(0, 0, 1))]),
    "rod of no length": (r"Rod 'r': the points of its line must be finite and apart", [rod([(0, 0), (0, 0)])]),
    "flat simplex": (
        r"RigidSimplex 's': the corners of the master simplex lie on one line",
        [simplex((0, 0), (1, 0), (2, 0))],
    ),
    "simplex with a corner too few": (
        r"RigidSimplex 's': the master simplex in 2D needs 3 corners",
        [simplex((0, 0), (1, 0))],
    ),
    "pseudo-rigid body without second moment": (
        r"PseudoRigidBody 'q': in 2D give second_moment",
        [cd.PseudoRigidBody("q", 1.0, inertia=1.0, material=STEEL)],
    ),
}


@pytest.mark.parametrize("case", COMPILED)
def test_a_part_that_does_not_fit_the_model_is_refused_before_the_run(case):
    pattern, parts = COMPILED[case]
    with pytest.raises(cd.InputError, match=pattern):
        compiled(*parts)


def test_inertia_must_obey_the_triangle_inequality():
    lopsided = [[1, 1, 0], [0, 1, 0], [0, 0, 1]]
    cases = {
        r"principal inertias 1, 1, 3 violate the triangle inequality.*check units": (1, 1, 3),
        r"the inertia matrix must be symmetric": lopsided,
        r"in 3D the inertia is 3 principal values": 1.0,
    }
    for pattern, inertia in cases.items():
        with pytest.raises(cd.InputError, match=f"RigidBody 'b': {pattern}"):
            compiled(body(inertia=inertia), dimension=3)


@pytest.mark.parametrize(
    "part, said",
    [
        (cd.Initial("given", "elbow.angle", -60.0), r"Initial 'given': value = -60 rad is more than 9 turns of 'elbow.angle'"),
        (cd.Limit("given", "elbow", -1.0, 60.0, 10.0), r"Limit 'given': upper = 60 rad is more than 9 turns"),
        (cd.CoordinateSpring("given", "elbow", 10.0, 90.0), r"CoordinateSpring 'given': rest = 90 rad is more than 14 turns"),
        (cd.Limit("given", "elbow", -1e9, 2.0, 10.0), None),
        (cd.Initial("given", "elbow", 7.0), None),
    ],
)  # fmt: skip
def test_an_angle_in_degrees_is_questioned(part, said):
    m = cd.Model("arm", dimension=2)
    m.add(cd.RigidBody("forearm", 1.0, inertia=0.01, position=(0.0, -0.1)))
    m.add(cd.Pin("elbow", "ground", "forearm", at=(0.0, 0.0)))
    m.add(part)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cd.compile(m)
    assert [w.category for w in caught] == ([cd.InputWarning] if said else [])
    assert not said or re.search(said, str(caught[0].message))


def test_statics_of_a_body_that_nothing_holds_says_so():
    m = cd.Model("loose", dimension=2, gravity=(0.0, -9.81))
    m.add(cd.RigidBody("forearm", 1.0, inertia=0.01))
    m.add(cd.Load("push", "forearm", (1.0, 0.0)))
    with pytest.raises(cd.ConvergenceError, match=r"'forearm'.*nothing holds it: add a joint or a support"):
        cd.solve_static(m)
