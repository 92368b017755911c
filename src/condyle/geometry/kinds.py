"""The numbers by which kernels know the kinds of shapes, and the arrays they are given."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from condyle.laws.columns import Integers, Integers2, Numbers, Numbers2, Numbers3, table

SPHERE, ELLIPSOID, SUPERELLIPSOID, CAPSULE, CYLINDER, CONE, BOX, HALF_SPACE, CONVEX, MESH = range(10)
TRIANGLE = 10  # one facet of a mesh, while it is compared with another shape

NONE, SHEET, SOLID = 0, 1, 2  # whether a mesh has an inside: no mesh, an open sheet, a closed surface or a height field

PARAMETERS = 9
VERTICES, FACES = 128, 256  # of the polytope that measures a penetration
POLYGON = 32  # corners of a polygon that two flat sides have in common
CANDIDATES = 64  # contact points of one pair before they are thinned out
# Numbers of a contact point; the first of those that say where on a mesh it is; over which edges it runs, their directions on A
# and B, and the slope of the gap from place to place.
FOUND, ON_MESH, RUNS, EDGES, SLOPE = 23, 11, 13, 14, 20
# A corner over a flat side (or none of these); where two edges cross; a corner of that flat side.
STAYS, CROSSING_EDGES, ON_CORNER = 0.0, 1.0, 2.0
CLOSEST, FLAT_A, FLAT_B = 0.0, 1.0, 2.0  # what a contact point is: closest points; a corner over a flat side of A, of B


@table
class Table(NamedTuple):
    """Shapes of all kinds, one row each. Lengths in m.

    kind (n,); sizes (n, 9), half lengths, radii and exponents of the core; margin (n,), radius of the sphere that is swept
    over the core (a sphere is a point with a margin); placed (n, 4, 3), position and axes of the shape in its body;
    span (n, 6), first and last vertex, triangle and node of the tree of boxes; inside (n,), of meshes; reach (n,), radius of a
    sphere about the origin of the shape that holds it.
    vertices (v, 3), triangles (t, 3), turned (t, 7, 3): normals of each triangle, of its three edges and its three corners;
    balls (b, 4), centre and radius, and tree (b, 3) of their nodes: two children, or −1 and the range of triangles of a leaf.
    """

    kind: Integers
    sizes: Numbers2
    margin: Numbers
    placed: Numbers3
    span: Integers2
    inside: Integers
    reach: Numbers
    vertices: Numbers2
    triangles: Integers2
    turned: Numbers3
    balls: Numbers2
    tree: Integers2


@table
class Work(NamedTuple):
    """Room for one pair: the two cores that are compared, the simplex, the polytope, polygons, and the answer.

    kind (2,), span (2, 2), pose (2, 4, 3), sizes (2, 9), margin (2,), reach (2,); simplex (3, 4, 3): points of A − B,
    of A, of B;
    share (4,); corners (3, VERTICES, 3) and facets, planes, rim, faces waiting of the polytope; polygons (4, POLYGON, 3);
    stack (512, 2): pairs of nodes of two trees; found (CANDIDATES, FOUND): gap, point on A, point on B, normal, what it is,
    where on meshes it is, over which edges it runs; answer (10,), the first ten of the closest points;
    local (CANDIDATES, 2, 3): points found in the axes of both bodies; goal, taken (CANDIDATES,): which place each goes to, and
    which places are.
    """

    kind: Integers
    span: Integers2
    pose: Numbers3
    sizes: Numbers2
    margin: Numbers
    reach: Numbers
    simplex: Numbers3
    share: Numbers
    corners: Numbers3
    facets: Integers2
    planes: Numbers2
    rim: Integers2
    polygons: Numbers3
    found: Numbers2
    answer: Numbers
    waiting: Integers
    stack: Integers2
    local: Numbers3
    goal: Integers
    taken: Integers


def make_work() -> Work:
    """Room for the kernels, made once for all pairs of a call."""
    return Work(
        kind=np.zeros(2, dtype=np.int64),
        span=np.zeros((2, 2), dtype=np.int64),
        pose=np.zeros((2, 4, 3)),
        sizes=np.zeros((2, PARAMETERS)),
        margin=np.zeros(2),
        reach=np.zeros(2),
        simplex=np.zeros((3, 4, 3)),
        share=np.zeros(4),
        corners=np.zeros((3, VERTICES, 3)),
        facets=np.zeros((FACES, 4), dtype=np.int64),
        planes=np.zeros((FACES, 4)),
        rim=np.zeros((FACES, 2), dtype=np.int64),
        polygons=np.zeros((4, POLYGON, 3)),
        found=np.zeros((CANDIDATES, FOUND)),
        answer=np.zeros(10),
        waiting=np.zeros(FACES, dtype=np.int64),
        stack=np.zeros((512, 2), dtype=np.int64),
        local=np.zeros((CANDIDATES, 2, 3)),
        goal=np.zeros(CANDIDATES, dtype=np.int64),
        taken=np.zeros(CANDIDATES, dtype=np.int64),
    )
