"""Rigid shapes against each other: closest points, penetration, contact points, and which shapes are near each other.

shape.py        shapes with a formula; mesh_shape.py: convex hulls, meshes, height fields, their trees
queries.py      what is asked of many at once: `closest_points`, `manifolds`, `near_pairs`
kinds.py        numbers of the kinds, the table of shapes, the room that kernels work in
batch.py        loops over pairs; convex.py: which method for which pair; meshes.py: pairs with a mesh
support.py      support points; distance.py and penetration.py: the general method that needs no more
ellipsoids.py   two ellipsoids by their common normal; closed.py: points and lines
features.py     faces and edges that have a part in common; broad.py: boxes in a grid; vectors.py: three numbers each

Imports of Condyle only `condyle.errors`, what declares fields (`condyle.model`) and the decorator of kernels. Numba is loaded
with the first question.
"""

from condyle.geometry.mesh_shape import ConvexMesh, HeightField, TriangleMesh
from condyle.geometry.queries import ClosestPoints, Manifolds, Shapes, closest_points, manifolds, near_pairs, pose
from condyle.geometry.shape import Box, Capsule, Cone, Cylinder, Ellipsoid, HalfSpace, Shape, Sphere, Superellipsoid

__all__ = [
    "Box", "Capsule", "ClosestPoints", "Cone", "ConvexMesh", "Cylinder", "Ellipsoid", "HalfSpace", "HeightField",
    "Manifolds", "Shape",
    "Shapes", "Sphere", "Superellipsoid", "TriangleMesh", "closest_points", "manifolds", "near_pairs", "pose",
]  # fmt: skip
