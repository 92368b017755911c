"""Points, directions and surfaces of a compiled mesh."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.body import Anchor
from condyle.bodies.elements import Block, Element, Facets, outer_facets
from condyle.errors import InputError
from condyle.model.part import Part, did_you_mean
from condyle.model.point import Point
from condyle.system.weights import Weights, combination

if TYPE_CHECKING:
    from condyle.bodies.solid import Solid

Array = NDArray[np.float64]


@dataclass(eq=False)
class MeshAnchor(Anchor):
    """Points of a mesh: nodes, named sets (the mean of their nodes), or reference coordinates [m] found in a cell.

    depth: thickness of a plane mesh [m]; None about an axis, where it is 2π R.
    """

    body: Solid
    blocks: list[Block]
    X: Array
    vectors: list[Weights]
    depth: float | None

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
        kind, nodes, xi = self.find(np.asarray(at, dtype=float), wanted_by)
        return self.weighted(kind.shape(xi), nodes)

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
        kind, nodes, xi = self.find(place, wanted_by)
        dN = kind.gradient(xi)
        along = dN @ np.linalg.solve(self.X[nodes].T @ dN, vector)
        return self.weighted(along, nodes)

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

    def find(self, place: Array, wanted_by: Part) -> tuple[Element, NDArray[np.int64], Array]:
        """The kind and the nodes of the cell that holds a place [m] of the reference shape, and ξ there."""
        if place.size != self.X.shape[1]:
            raise InputError(f"{wanted_by.label}: a point of {self.body.label} has {self.X.shape[1]} coordinates")
        for kind, cells, _ in self.blocks:
            corners = self.X[cells]
            low, high = corners.min(axis=1), corners.max(axis=1)
            # Curved sides reach beyond the box of their nodes.
            slack = 1e-6 * np.ptp(self.X) + (0.2 * (high - low) if kind.quadratic else 0.0)
            near = np.flatnonzero(((low - slack <= place) & (place <= high + slack)).all(axis=1))
            for e in near:
                xi = kind.locate(self.X[cells[e]], place)
                if kind.cell.inside(xi):
                    return kind, cells[e], xi
        raise InputError(f"{wanted_by.label}: the point {place.tolist()} lies outside {self.body.label}")

    # --- volume and surface ---------------------------------------------------------------------------------------------

    def volume_vector(self) -> Weights:
        """∫ x dV as weights: what a force per volume works on."""
        amount = np.zeros(len(self.X))
        for kind, cells, first in self.blocks:
            mass = kind.mass_matrices(self.X[cells], self.body.label, radius=self.depth is None, first=first)
            np.add.at(amount, cells, mass.sum(axis=2) * (1.0 if self.depth is None else self.depth))
        return self.weighted(amount, np.arange(len(self.X)))

    def surface_vector(self, group: str, wanted_by: Part) -> Weights:
        """∫ x dA over a surface: what a dead traction works on."""
        amount = np.zeros(len(self.X))
        for kind, faces in self.facets(group, wanted_by):
            for face in faces:
                N, normals = self.facet_normals(kind, face)
                amount[face] += np.linalg.norm(normals, axis=1) @ N
        keep = np.flatnonzero(amount)
        return self.weighted(amount[keep], keep)

    def facet_normals(self, facet: Element, face: NDArray[np.int64]) -> tuple[Array, Array]:
        """N (q, nodes) at the quadrature points of a facet, and outward normals times area there [m²], shape (q, d)."""
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

    def facets(self, group: str, wanted_by: Part) -> list[Facets]:
        """Facets of the outer surface in a named surface, or whose nodes all lie in a named set, by their kinds."""
        if group in self.body.surfaces:
            wanted = {tuple(sorted(face)) for face in self.body.surfaces[group]}
            chosen = [np.array([tuple(sorted(f)) in wanted for f in nodes.tolist()]) for _, nodes in self.boundary]
        elif group in self.body.sets:
            inside = np.zeros(len(self.X), dtype=bool)
            inside[self.body.sets[group]] = True
            chosen = [np.asarray(inside[nodes].all(axis=1)) for _, nodes in self.boundary]
        else:
            hint = did_you_mean(group, [*self.body.surfaces, *self.body.sets])
            raise InputError(f"{wanted_by.label}: {self.body.label} has no surface or set '{group}'{hint}")
        found = [Facets(f.kind, f.nodes[some]) for f, some in zip(self.boundary, chosen, strict=True) if some.any()]
        if not found:
            what = "surface" if group in self.body.surfaces else "set"
            raise InputError(
                f"{wanted_by.label}: the {what} '{group}' of {self.body.label} holds no facet of its surface"
            )
        return found

    @cached_property
    def boundary(self) -> list[Facets]:
        """Facets that belong to one cell only, by their kinds."""
        return outer_facets(self.blocks)

    # --- drawing --------------------------------------------------------------------------------------------------------

    def outline(self) -> list[list[Weights]]:
        """Edges of the surface; curved ones go through their middle node."""
        edges: dict[tuple[int, int], list[int]] = {}
        for kind, faces in self.boundary:
            for face in faces.tolist():
                for path in kind.paths:
                    line = [face[i] for i in path]
                    edges.setdefault((min(line[0], line[-1]), max(line[0], line[-1])), line)
        return [[self.vectors[i] for i in edges[key]] for key in sorted(edges)]

    def polygons(self) -> tuple[list[Weights], list[list[int]]]:
        """All nodes, and the outer faces as polygons through theirs; in the plane the cells."""
        flat = self.X.shape[1] == 2
        shown = [(b.kind, b.cells) for b in self.blocks] if flat else self.boundary
        return self.vectors, [polygon for kind, faces in shown for polygon in faces[:, kind.ring].tolist()]

    def axes(self) -> list[Weights]:
        return []

    def nodal(self) -> list[list[Weights]]:
        return [[vector] for vector in self.vectors]
