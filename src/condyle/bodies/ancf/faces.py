"""Edges of plates and shells, faces of bricks: what loads act on and supports hold."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.ancf.body import AncfAnchor, Mesh
from condyle.bodies.ancf.shapes import gauss_product
from condyle.errors import InputError
from condyle.model.part import Part, did_you_mean
from condyle.system.weights import Weights

Array = NDArray[np.float64]


class Face(NamedTuple):
    """The part of element e where parameter `across` is `end` (0 or 1)."""

    e: int
    across: int
    end: float


class FacePoint(NamedTuple):
    """A quadrature point of a face."""

    measure: float  # its share of the length [m] or area [m²] at rest
    cell: float  # the same of the face's parameters
    place: Weights
    tangents: list[Weights]
    outward: float  # 1 if t_1 × t_2 points out of the body, −1 if into it


def outer_faces(mesh: Mesh, inside: NDArray[np.int64], nodes: set[int]) -> list[Face]:
    """Faces that belong to one element only and whose nodes are all among `nodes`."""
    corners = np.array(mesh.shape.corners)
    found: dict[tuple[int, ...], list[Face]] = {}
    for e, cell in enumerate(mesh.cells):
        for across in inside:
            for end in (0.0, 1.0):
                members = tuple(sorted(int(i) for i in cell[corners[:, across] == end]))
                found.setdefault(members, []).append(Face(e, int(across), end))
    return [faces[0] for members, faces in found.items() if len(faces) == 1 and nodes.issuperset(members)]


def face_points(anchor: AncfAnchor, group: str, wanted_by: Part, counts: int = 4) -> list[FacePoint]:
    """Points of the outer faces in a group of nodes, with their places and tangents."""
    mesh, inside = anchor.mesh, anchor.along()
    if len(inside) < 2:
        raise InputError(f"{wanted_by.label}: the end of {anchor.body.label} is a point; use a Load")
    if group not in mesh.groups:
        hint = did_you_mean(group, mesh.groups)
        raise InputError(f"{wanted_by.label}: {anchor.body.label} has no set '{group}'{hint}")
    faces = outer_faces(mesh, inside, set(mesh.groups[group]))
    if not faces:
        what = "edge" if len(inside) == 2 else "face"
        raise InputError(f"{wanted_by.label}: the set '{group}' of {anchor.body.label} holds no {what} of its boundary")
    p = mesh.shape.parameters
    points, weights = gauss_product([counts] * (len(inside) - 1))
    out = []
    for e, across, end in faces:
        own = [i for i in inside if i != across]
        orders = [tuple(int(i == k) for i in range(p)) for k in (*own, across)]
        for q, w in zip(points, weights, strict=True):
            xi = np.zeros(p)
            xi[own], xi[across] = q, end
            rest = mesh.weights(e, xi, *orders) @ mesh.local(e)
            T = rest[:-1]
            cell = float(w * np.prod(mesh.lengths[e][own]))
            place, *tangents = anchor.gathered(e, xi, (0,) * p, *orders[:-1])
            outward = 1.0
            if len(T) == 2:
                outward = float(np.sign(np.cross(T[0], T[1]) @ rest[-1])) * (1.0 if end else -1.0)
            out.append(FacePoint(cell * float(np.sqrt(np.linalg.det(T @ T.T))), cell, place, tangents, outward))
    return out


def edge_slopes(mesh: Mesh, inside: NDArray[np.int64], nodes: set[int]) -> list[tuple[int, int]]:
    """Gradients along edges between two of the nodes, where they are nodal vectors: (node, number of the vector)."""
    corners, slots = np.array(mesh.shape.corners), list(mesh.shape.slots)
    found: dict[tuple[int, int], None] = {}
    for cell in mesh.cells:
        here = [k for k, i in enumerate(cell) if int(i) in nodes]
        for a, b in combinations(here, 2):
            along = [int(i) for i in inside if corners[a, i] != corners[b, i]]
            order = tuple(int(i in along) for i in range(mesh.shape.parameters))
            if len(along) == 1 and order in slots:
                for k in (a, b):
                    found[int(cell[k]), slots.index(order)] = None
    return list(found)
