"""Points, directions and surfaces of a compiled mesh."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.elements import FACETS, Element
from condyle.bodies.faces import ring_of
from condyle.bodies.mesh_files import file_name
from condyle.errors import InputError
from condyle.model.part import Part, did_you_mean
from condyle.model.point import Point
from condyle.system.weights import Weights, combination

if TYPE_CHECKING:
    from condyle.bodies.solid import Solid

Array = NDArray[np.float64]


class MeshAnchor:
    """Points of a mesh: nodes, named sets (the mean of their nodes), or reference coordinates [m] found in a cell.

    depth: thickness of a plane mesh [m]; None about an axis, where it is 2π R.
    """

    def __init__(
        self,
        body: Solid,
        kind: Element,
        X: Array,
        cells: NDArray[np.int64],
        vectors: list[Weights],
        depth: float | None,
    ) -> None:
        self.body = body
        self.kind = kind
        self.X = X
        self.cells = cells
        self.vectors = vectors
        self.depth = depth

    # --- points ---------------------------------------------------------------------------------------------------------

    def position(self, point: Point, wanted_by: Part) -> Weights:
        at = point.at
        if isinstance(at, str):
            members = self.members(at, wanted_by)
            return combination((1.0 / len(members), self.vectors[i]) for i in members)
        if isinstance(at, int):
            if not 0 <= at < len(self.X):
                raise InputError(f"{wanted_by.label}: {self.body.label} has nodes 0 … {len(self.X) - 1}, not {at}")
            return self.vectors[at]
        if at is None:
            raise InputError(f"{wanted_by.label}: say which point of {self.body.label}: a node, a set or coordinates")
        cell, xi = self.find(np.asarray(at, dtype=float), wanted_by)
        return self.weighted(self.kind.shape(xi), self.cells[cell])

    def direction(self, point: Point, vector: Array, frame: str, wanted_by: Part) -> Weights:
        """F V at the point: V is a direction of the reference shape."""
        if isinstance(point.at, str):
            place = self.X[self.members(point.at, wanted_by)].mean(axis=0)
        elif isinstance(point.at, int):
            place = self.X[point.at]
        elif point.at is None:
            raise InputError(f"{wanted_by.label}: say at which point of {self.body.label} the direction is meant")
        else:
            place = np.asarray(point.at, dtype=float)
        cell, xi = self.find(place, wanted_by)
        dN = self.kind.gradient(xi)
        along = dN @ np.linalg.solve(self.X[self.cells[cell]].T @ dN, vector)
        return self.weighted(along, self.cells[cell])

    def weighted(self, factors: Array, nodes: NDArray[np.int64]) -> Weights:
        """Σ factor · node."""
        return combination(zip(factors.tolist(), [self.vectors[i] for i in nodes], strict=True))

    def members(self, group: str, wanted_by: Part) -> list[int]:
        """Nodes of a named set."""
        if group not in self.body.sets:
            hint = did_you_mean(group, self.body.sets)
            raise InputError(f"{wanted_by.label}: {self.body.label} has no set '{group}'{hint}")
        return list(self.body.sets[group])

    def node_places(self) -> tuple[dict[str, list[int]], list[Weights]]:
        """Named sets of nodes, and the place of each node."""
        return self.body.sets, self.vectors

    def slopes_between(self, nodes: list[int]) -> list[tuple[Weights, str]]:
        """None: between its nodes an edge is where its nodes are."""
        return []

    def find(self, place: Array, wanted_by: Part) -> tuple[int, Array]:
        """The cell that holds a place [m] of the reference shape, and ξ there."""
        if place.size != self.X.shape[1]:
            raise InputError(f"{wanted_by.label}: a point of {self.body.label} has {self.X.shape[1]} coordinates")
        corners = self.X[self.cells]
        low, high = corners.min(axis=1), corners.max(axis=1)
        # Curved sides reach beyond the box of their nodes.
        slack = 1e-6 * np.ptp(self.X) + (0.2 * (high - low) if self.kind.nodes > 2**self.kind.dimension else 0.0)
        near = np.flatnonzero(((low - slack <= place) & (place <= high + slack)).all(axis=1))
        for e in near:
            xi = self.kind.locate(self.X[self.cells[e]], place)
            if self.kind.inside(xi):
                return int(e), xi
        raise InputError(f"{wanted_by.label}: the point {place.tolist()} lies outside {self.body.label}")

    # --- volume and surface ---------------------------------------------------------------------------------------------

    def volume_vector(self) -> Weights:
        """∫ x dV as weights: what a force per volume works on."""
        mass = self.kind.mass_matrices(self.X[self.cells], self.body.label, radius=self.depth is None)
        share = np.zeros(len(self.X))
        np.add.at(share, self.cells, mass.sum(axis=2) * (1.0 if self.depth is None else self.depth))
        return self.weighted(share, np.arange(len(self.X)))

    def surface_vector(self, group: str, wanted_by: Part) -> Weights:
        """∫ x dA over a surface: what a dead traction works on."""
        share = np.zeros(len(self.X))
        for face in self.facets(group, wanted_by):
            N, normals = self.facet_normals(face)
            share[face] += np.linalg.norm(normals, axis=1) @ N
        keep = np.flatnonzero(share)
        return self.weighted(share[keep], keep)

    @property
    def facet_element(self) -> Element:
        """The element of a facet."""
        return FACETS[self.kind.facet]

    @property
    def file_kind(self) -> str:
        """What mesh files call the element."""
        return file_name(self.kind.name)

    def facet_normals(self, face: NDArray[np.int64]) -> tuple[Array, Array]:
        """N (q, nodes) at the quadrature points of a facet, and outward normals times area there [m²], shape (q, d)."""
        facet = self.facet_element
        X = self.X[face]
        N = facet.shape(facet.points)
        tangents = np.einsum("nI,qni->qIi", X, facet.gradient(facet.points))
        if self.X.shape[1] == 2:
            normals = np.stack((tangents[:, 1, 0], -tangents[:, 0, 0]), axis=1)
            depth = self.depth if self.depth is not None else 2.0 * np.pi * (N @ X[:, 0])[:, None]
            normals = normals * depth
        else:
            normals = np.cross(tangents[:, :, 0], tangents[:, :, 1])
        return N, normals * facet.weights[:, None]

    def facets(self, group: str, wanted_by: Part) -> list[NDArray[np.int64]]:
        """Facets of the outer surface in a named surface, or whose nodes all lie in a named set: node numbers of each."""
        boundary = self.boundary
        corners = len(self.kind.faces[0]) if self.kind.nodes <= 2**self.kind.dimension else None
        if group in self.body.surfaces:
            wanted = {tuple(sorted(face)) for face in self.body.surfaces[group]}
            found = [f for f in boundary if tuple(sorted(f.tolist())) in wanted]
        elif group in self.body.sets:
            inside = np.zeros(len(self.X), dtype=bool)
            inside[self.body.sets[group]] = True
            found = [f for f in boundary if inside[f[:corners]].all()]
        else:
            hint = did_you_mean(group, [*self.body.surfaces, *self.body.sets])
            raise InputError(f"{wanted_by.label}: {self.body.label} has no surface or set '{group}'{hint}")
        if not found:
            what = "surface" if group in self.body.surfaces else "set"
            raise InputError(
                f"{wanted_by.label}: the {what} '{group}' of {self.body.label} holds no facet of its surface"
            )
        return found

    @cached_property
    def boundary(self) -> list[NDArray[np.int64]]:
        """Facets that belong to one cell only, as node numbers seen from outside."""
        faces = np.concatenate([self.cells[:, list(f)] for f in self.kind.faces])
        _, first, count = np.unique(np.sort(faces, axis=1), axis=0, return_index=True, return_counts=True)
        return list(faces[np.sort(first[count == 1])])

    # --- drawing --------------------------------------------------------------------------------------------------------

    def outline(self) -> list[list[Weights]]:
        """Edges of the surface; curved ones go through their middle node."""
        edges: dict[tuple[int, int], list[int]] = {}
        around = _rings(self.kind.facet)
        for face in self.boundary:
            for path in around:
                line = [int(face[i]) for i in path]
                edges.setdefault((min(line[0], line[-1]), max(line[0], line[-1])), line)
        return [[self.vectors[i] for i in edges[key]] for key in sorted(edges)]

    def polygons(self) -> tuple[list[Weights], list[list[int]]]:
        """All nodes, and the outer faces as polygons through theirs; in the plane the cells."""
        flat = self.kind.dimension == 2
        around = ring_of(self.kind.name if flat else self.kind.facet)
        return self.vectors, [[int(face[i]) for i in around] for face in (self.cells if flat else self.boundary)]

    def axes(self) -> list[Weights]:
        return []

    def nodal(self) -> list[list[Weights]]:
        return [[vector] for vector in self.vectors]


def _rings(facet: str) -> list[tuple[int, ...]]:
    """Edges of a facet as paths through its nodes."""
    kind = FACETS[facet]
    if kind.dimension == 1:
        return [(0, 2, 1)] if kind.nodes == 3 else [(0, 1)]
    return [(e[0], *e[2:], e[1]) for e in kind.edges]
