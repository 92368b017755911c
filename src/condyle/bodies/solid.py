"""Deformable solids: meshes of isoparametric elements, rows are node positions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.body import Body
from condyle.bodies.elements import Element, element
from condyle.bodies.materials import Material
from condyle.errors import InputError
from condyle.model.part import Part, did_you_mean, fits, number, plain, rows, spin, vector
from condyle.model.point import Point
from condyle.system.builder import turned
from condyle.system.weights import Weights, combination, common_rows

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder


@dataclass
class Solid(Body):
    """An elastic solid on a mesh.

    nodes [m] (n, d); cells: node numbers (m, nodes per element); element: tri3, quad4 (2D), tet4, hex8 (3D); material
    with density; thickness [m] in 2D; sets: named lists of node numbers; velocity [m/s] and angular_velocity [rad/s]
    about the world origin give the initial motion.
    """

    name: str
    nodes: Any
    cells: Any
    element: str
    material: Any
    thickness: float = 1.0
    sets: dict[str, Any] = field(default_factory=dict)
    velocity: Any = None
    angular_velocity: Any = None

    def __post_init__(self) -> None:
        rows(self, "nodes")
        rows(self, "cells", whole=True)
        self.sets = {str(k): [int(i) for i in v] for k, v in self.sets.items()}
        number(self, "thickness", low=0.0, strict=True)
        vector(self, "velocity", none_ok=True)
        self.angular_velocity = plain(self.angular_velocity)
        if not isinstance(self.material, Material):
            raise InputError(f"{self.label}: give a material such as StVenantKirchhoff(young=…, poisson=…, density=…)")

    @classmethod
    def block(cls, name: str, size: Any, divisions: Any, material: Any, *, origin: Any = None, **options: Any) -> Self:
        """A rectangular block with one corner at `origin`; sets left/right (x), bottom/top (y), back/front (z)."""
        L = np.asarray(size, dtype=float)
        n = np.asarray(divisions, dtype=np.int64)
        d = L.size
        if n.shape != L.shape or (n < 1).any() or (L <= 0).any():
            raise InputError(
                f"Solid '{name}': size {size} and divisions {divisions} must be positive and of equal length"
            )
        start = np.zeros(d) if origin is None else np.asarray(origin, dtype=float)
        axes = [start[i] + np.linspace(0.0, L[i], n[i] + 1) for i in range(d)]
        grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
        number_of = np.arange(grid[..., 0].size).reshape(n + 1)
        corner = np.stack([c.ravel() for c in np.meshgrid(*(np.arange(k) for k in n), indexing="ij")], axis=1)
        steps = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
        if d == 3:
            steps = np.array([[*s, z] for z in (0, 1) for s in steps.tolist()])
        cells = np.stack([number_of[tuple((corner + s).T)] for s in steps], axis=1)
        names = (("left", "right"), ("bottom", "top"), ("back", "front"))
        sets = {}
        for i in range(d):
            sets[names[i][0]] = np.take(number_of, 0, axis=i).ravel().tolist()
            sets[names[i][1]] = np.take(number_of, -1, axis=i).ravel().tolist()
        kind = "quad4" if d == 2 else "hex8"
        return cls(name, grid.reshape(-1, d), cells, kind, material, sets=sets | options.pop("sets", {}), **options)

    def validate(self, model: Model) -> None:
        d = model.dimension
        kind = element(self.element, self.label)
        X, cells = np.array(self.nodes), np.array(self.cells)
        if kind.dimension != d or X.ndim != 2 or X.shape[1] != d:
            raise InputError(f"{self.label}: {self.element} nodes of shape {X.shape} do not fit a {d}D model")
        if cells.ndim != 2 or cells.shape[1] != kind.nodes:
            raise InputError(
                f"{self.label}: {self.element} cells need {kind.nodes} nodes each, got shape {cells.shape}"
            )
        if not np.isfinite(X).all():
            raise InputError(f"{self.label}: node {int(np.flatnonzero(~np.isfinite(X).all(axis=1))[0])} is not finite")
        if cells.min() < 0 or cells.max() >= len(X):
            wrong = cells.min() if cells.min() < 0 else cells.max()
            raise InputError(f"{self.label}: a cell refers to node {wrong}, but there are {len(X)} nodes")
        unused = np.setdiff1d(np.arange(len(X)), cells)
        if unused.size:
            raise InputError(f"{self.label}: node {unused[0]} belongs to no cell; remove it")
        for name, members in self.sets.items():
            wrong = [i for i in members if not 0 <= i < len(X)]
            if wrong or not members:
                what = f"refers to node {wrong[0]} of {len(X)}" if wrong else "is empty; remove it"
                raise InputError(f"{self.label}: the set '{name}' {what}")
        if self.material.density <= 0:
            raise InputError(f"{self.label}: the density of its material must be positive for it to move")
        fits(self, "velocity", d)
        spin(self, d)

    def compile(self, builder: Builder) -> MeshAnchor:
        d = builder.d
        kind = element(self.element, self.label)
        X, cells = np.array(self.nodes), np.array(self.cells)
        velocity = np.zeros(d) if self.velocity is None else np.asarray(self.velocity)
        omega: Any = np.zeros(3) if d == 3 else 0.0
        if self.angular_velocity is not None:
            omega = np.asarray(self.angular_velocity) if d == 3 else float(np.ravel(self.angular_velocity)[0])
        tied = builder.tied_points(self.name, dict(enumerate(X)), self.sets)
        vectors = []
        for i, place in enumerate(X):
            if i in tied:
                vectors.append(tied[i].point)
            else:
                row = builder.row(self.name, place, velocity + turned(omega, place))
                vectors.append(Weights([row], [1.0]))
        thickness = self.thickness if d == 2 else 1.0
        params = self.material.parameters(d)
        for e, cell in enumerate(cells):
            where = f"{self.label}: element {e}"
            gradients, volumes = kind.reference_gradients(X[cell], where)
            rows, W = common_rows([vectors[i] for i in cell])
            builder.add_element(self.name, self.material.law, rows, gradients @ W, volumes * thickness, params)
            mass = self.material.density * thickness * kind.mass_matrix(X[cell], where)
            builder.mass.append((rows, W.T @ mass @ W))
        return MeshAnchor(self, kind, X, cells, vectors, thickness)


class MeshAnchor:
    """Points of a mesh: nodes, named sets of one node, or reference coordinates [m] found in a cell."""

    def __init__(
        self,
        body: Solid,
        kind: Element,
        X: NDArray[np.float64],
        cells: NDArray[np.int64],
        vectors: list[Weights],
        thickness: float,
    ) -> None:
        self.body = body
        self.kind = kind
        self.X = X
        self.cells = cells
        self.vectors = vectors
        self.thickness = thickness

    def position(self, point: Point, wanted_by: Part) -> Weights:
        at = point.at
        if isinstance(at, str):
            members = self.body.sets.get(at)
            if members is None:
                hint = did_you_mean(at, self.body.sets)
                raise InputError(f"{wanted_by.label}: {self.body.label} has no set '{at}'{hint}")
            return combination((1.0 / len(members), self.vectors[i]) for i in members)
        if isinstance(at, int):
            if not 0 <= at < len(self.X):
                raise InputError(f"{wanted_by.label}: {self.body.label} has nodes 0 … {len(self.X) - 1}, not {at}")
            return self.vectors[at]
        if at is None:
            raise InputError(f"{wanted_by.label}: say which point of {self.body.label}: a node, a set or coordinates")
        cell, xi = self._find(np.asarray(at, dtype=float), wanted_by)
        return combination(zip(self.kind.shape(xi).tolist(), [self.vectors[i] for i in cell], strict=True))

    def direction(self, point: Point, vector: NDArray[np.float64], frame: str, wanted_by: Part) -> Weights:
        """F V at the point: V is a direction of the reference shape."""
        if isinstance(point.at, str):
            place = self.X[self.body.sets[point.at]].mean(axis=0)
        elif isinstance(point.at, int):
            place = self.X[point.at]
        elif point.at is None:
            raise InputError(f"{wanted_by.label}: say at which point of {self.body.label} the direction is meant")
        else:
            place = np.asarray(point.at, dtype=float)
        cell, xi = self._find(place, wanted_by)
        dN = self.kind.gradient(xi)
        along = dN @ np.linalg.solve(self.X[cell].T @ dN, vector)
        return combination(zip(along.tolist(), [self.vectors[i] for i in cell], strict=True))

    def _find(self, place: NDArray[np.float64], wanted_by: Part) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        if place.size != self.X.shape[1]:
            raise InputError(f"{wanted_by.label}: a point of {self.body.label} has {self.X.shape[1]} coordinates")
        corners = self.X[self.cells]
        slack = 1e-6 * np.ptp(self.X)
        near = np.flatnonzero(
            ((corners.min(axis=1) - slack <= place) & (place <= corners.max(axis=1) + slack)).all(axis=1)
        )
        for e in near:
            xi = self.kind.locate(self.X[self.cells[e]], place)
            if self.kind.inside(xi):
                return self.cells[e], xi
        raise InputError(f"{wanted_by.label}: the point {place.tolist()} lies outside {self.body.label}")

    def volume_vector(self) -> Weights:
        """∫ x dV as weights: what a force per volume works on."""
        parts = []
        for cell in self.cells:
            share = self.thickness * self.kind.mass_matrix(self.X[cell], self.body.label).sum(axis=1)
            parts += [(float(s), self.vectors[i]) for s, i in zip(share, cell, strict=True)]
        return combination(parts)

    def surface_vector(self, group: str, wanted_by: Part) -> Weights:
        """∫ x dA over the facets whose nodes all belong to the set: what a traction works on."""
        if group not in self.body.sets:
            hint = did_you_mean(group, self.body.sets)
            raise InputError(f"{wanted_by.label}: {self.body.label} has no set '{group}'{hint}")
        members = set(self.body.sets[group])
        parts = []
        for face in self.boundary():
            if members.issuperset(face):
                area = facet_areas(self.X[list(face)])
                parts += [(self.thickness * a, self.vectors[i]) for a, i in zip(area, face, strict=True)]
        if not parts:
            raise InputError(f"{wanted_by.label}: the set '{group}' of {self.body.label} holds no facet of its surface")
        return combination(parts)

    def boundary(self) -> list[tuple[int, ...]]:
        """Facets that belong to one cell only, as node numbers."""
        seen: dict[tuple[int, ...], tuple[int, ...]] = {}
        for cell in self.cells:
            for face in self.kind.faces:
                nodes = tuple(int(cell[i]) for i in face)
                key = tuple(sorted(nodes))
                if key in seen:
                    seen[key] = ()
                else:
                    seen[key] = nodes
        return [face for face in seen.values() if face]

    def outline(self) -> list[list[Weights]]:
        lines = {
            tuple(sorted(pair)) for face in self.boundary() for pair in zip(face, (*face[1:], face[0]), strict=True)
        }
        return [[self.vectors[i] for i in line] for line in sorted(lines)]

    def axes(self) -> list[Weights]:
        return []


def facet_areas(X: NDArray[np.float64]) -> NDArray[np.float64]:
    """∫ N dA of a straight edge (2 nodes), a triangle (3) or a bilinear quadrilateral (4), shape (nodes,)."""
    if len(X) == 2:
        return np.full(2, 0.5 * float(np.linalg.norm(X[1] - X[0])))
    if len(X) == 3:
        return np.full(3, float(np.linalg.norm(np.cross(X[1] - X[0], X[2] - X[0]))) / 6.0)
    quad = element("quad4", "facet")
    areas = np.zeros(4)
    for xi in quad.points:
        tangents = X.T @ quad.gradient(xi)
        areas += quad.shape(xi) * float(np.linalg.norm(np.cross(tangents[:, 0], tangents[:, 1])))
    return areas
