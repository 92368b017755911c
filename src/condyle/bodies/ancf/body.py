"""What all ANCF bodies have in common: nodal vectors as rows, elements as weights on them, points at any parameter."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.ancf.shapes import Shape, gauss_product
from condyle.bodies.body import Anchor
from condyle.errors import InputError
from condyle.model.body import Body
from condyle.model.part import Part, did_you_mean, fits, plain, spin
from condyle.model.point import Point
from condyle.system.builder import turned
from condyle.system.weights import Weights, combination, common_rows

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder

Array = NDArray[np.float64]


class QuadratureWarning(UserWarning):
    """An element has fewer Gauss points than it needs to resist all its deformations."""


@dataclass
class Mesh:
    """Elements of one kind. nodal: the vectors r, r_x, … of all nodes at rest, shape (n, k, d)."""

    shape: Shape
    nodal: Array
    cells: NDArray[np.int64]  # (m, nodes)
    lengths: Array  # (m, p) extent of each element in its parameters [m]
    starts: Array | None = None  # (m, p) parameters of the first corner of each element [m], if there are global ones
    place: NDArray[np.int64] | None = None  # node whose position a node shares
    groups: dict[str, list[int]] = field(default_factory=dict)
    tied: set[int] = field(default_factory=set)  # nodes that follow another body, once compiled
    start: Array | None = None  # the nodal vectors at the start, where the body is not at rest then (pre_stretch)

    @property
    def placed(self) -> Array:
        """The vectors of all nodes at the start, shape (n, k, d)."""
        return self.nodal if self.start is None else self.start

    def weights(self, e: int, xi: Sequence[float] | Array, *orders: Sequence[int]) -> Array:
        """Derivatives of r at ξ of element e as weights on its nodal vectors, shape (orders, nodes · k)."""
        return np.array([self.shape.weights(xi, order, self.lengths[e]) for order in orders])

    def local(self, e: int) -> Array:
        """Nodal vectors of element e at rest, shape (nodes · k, d)."""
        d = self.nodal.shape[2]
        return np.asarray(self.nodal[self.cells[e]].reshape(-1, d))

    def local_start(self, e: int) -> Array:
        """Nodal vectors of element e at the start, shape (nodes · k, d)."""
        return np.asarray(self.placed[self.cells[e]].reshape(-1, self.nodal.shape[2]))

    def stretched(self, stretch: float, across: float) -> Mesh:
        """The same line in the same place, but longer than at rest: r_x is `stretch` times, r_y and r_z `across` times as long.

        The shape at rest is similar to that drawn, and smaller.
        """
        if stretch == 1.0:
            return self
        assert self.starts is not None
        rest, start = self.nodal.copy(), self.nodal.copy()
        rest[:, 0] = rest[0, 0] + (rest[:, 0] - rest[0, 0]) / stretch
        start[:, 1] *= stretch
        start[:, 2:] *= across
        lengths, starts = self.lengths.copy(), self.starts.copy()
        lengths[:, 0] /= stretch
        starts[:, 0] /= stretch
        return replace(self, nodal=rest, start=start, lengths=lengths, starts=starts)


@dataclass
class AncfBody(Body, abstract=True):
    """Base of bodies with positions and gradients as nodal vectors.

    velocity [m/s] and angular_velocity [rad/s] about the world origin give the initial motion; damping [s] is the time
    of Kelvin–Voigt damping (stress follows strain + damping · strain rate).
    """

    def check_motion(self) -> None:
        """Fields that all ANCF bodies have."""
        given: Any = self
        given.angular_velocity = plain(given.angular_velocity)

    def validate(self, model: Model) -> None:
        fits(self, "velocity", model.dimension)
        spin(self, model.dimension)

    def half_thickness(self) -> float:
        """Of its sides 'top' and 'bottom' from the line or surface of its nodes [m]."""
        return 0.0

    @property
    def has_sections(self) -> bool:
        """Are its strains those of sections along a line, so that forces and moments can be read?"""
        return False

    def mesh(self, d: int) -> Mesh:
        """Nodes and elements in a model of dimension d."""
        raise TypeError(f"{type(self).__name__} does not say what its elements are: define mesh(self, d)")

    def add_element(self, builder: Builder, mesh: Mesh, e: int, rows: NDArray[np.int64], W: Array) -> None:
        """Add energy and mass of element e; W (nodes · k, rows) turns nodal vectors into rows."""
        raise TypeError(f"{type(self).__name__} does not say what its elements do: define add_element(…)")

    def compile(self, builder: Builder) -> AncfAnchor:
        mesh = self.mesh(builder.d)
        vectors = self.node_vectors(builder, mesh)
        before = len(builder.energies)
        for e, cell in enumerate(mesh.cells):
            rows, W = common_rows([v for i in cell for v in vectors[i]])
            first = len(builder.energies)
            self.add_element(builder, mesh, e, rows, W)
            for instance in builder.energies[first:]:
                instance.element = e
        for instance in builder.energies[before:]:
            instance.damping = self.viscosity
        return AncfAnchor(self, mesh, vectors)

    @property
    def viscosity(self) -> float:
        """Time of Kelvin–Voigt damping [s]."""
        return float(self.damping)  # type: ignore[attr-defined]

    def node_vectors(self, builder: Builder, mesh: Mesh) -> list[list[Weights]]:
        """Rows for all nodal vectors; those of tied nodes follow the body they are tied to."""
        d = builder.d
        given: Any = self
        velocity = np.zeros(d) if given.velocity is None else np.asarray(given.velocity)
        omega: Any = np.zeros(3) if d == 3 else 0.0
        if given.angular_velocity is not None:
            omega = np.asarray(given.angular_velocity) if d == 3 else float(np.ravel(given.angular_velocity)[0])
        owner = np.arange(len(mesh.nodal)) if mesh.place is None else mesh.place
        tied = builder.tied_points(self.name, dict(enumerate(mesh.placed[:, 0])), mesh.groups)
        mesh.tied = set(tied)
        held = self.held_gradients(mesh, mesh.tied)
        vectors: list[list[Weights]] = []
        for i, own in enumerate(mesh.placed):
            if i in tied:
                vectors.append([tied[i].point])
            elif owner[i] < i:
                vectors.append([vectors[owner[i]][0]])
            else:
                row = builder.row(self.name, own[0], velocity + turned(omega, own[0]))
                vectors.append([Weights([row], [1.0])])
            for k, vec in enumerate(own[1:]):
                if k in held.get(i, ()):
                    _, anchor, tie = tied[i]
                    place = Point(tie.to, tuple(own[0].tolist()), "world")
                    vectors[i].append(anchor.direction(place, vec, "world", tie))
                    continue
                row = builder.row(self.name, vec, turned(omega, vec), direction=True)
                builder.unit_vectors.add(row)
                vectors[i].append(Weights([row], [1.0]))
        return vectors

    def held_gradients(self, mesh: Mesh, tied: set[int]) -> dict[int, set[int]]:
        """Which gradients (numbered from 0) of tied nodes follow the body they are tied to: all, so that a tie clamps."""
        return {i: set(range(mesh.nodal.shape[1] - 1)) for i in tied}

    def section_gradients(self, parameters: int) -> tuple[int, ...]:
        """Which gradients r_x, r_y, … (from 0) a clamp holds and a moment acts on."""
        return tuple(range(parameters))

    def warn_of_few_points(self, rows: int, unknowns: int, rigid: int) -> None:
        """Say so where Gauss points give fewer strains than an element has ways to deform."""
        if rows < unknowns - rigid:
            warnings.warn(
                f"{self.label}: its Gauss points give {rows} strains for {unknowns - rigid} ways to deform an element; "
                "some of them are not resisted; raise `points`",
                QuadratureWarning,
                stacklevel=2,
            )


def add_by_point(
    builder: Builder, part: str, law: int, rows: NDArray[np.int64], weights: Array, measure: Array,
    params: Sequence[Sequence[float]], columns: int = 0,
) -> None:  # fmt: skip
    """An energy at quadrature points; one instance where all points have the same parameters, else one per point."""
    first = np.asarray(params[0])
    same = all(np.array_equal(first, np.asarray(p)) for p in params[1:])
    if same:
        builder.add_element(part, law, rows, weights, measure, tuple(params[0]), columns=columns)
        return
    for k, p in enumerate(params):
        builder.add_element(part, law, rows, weights[k : k + 1], measure[k : k + 1], tuple(p), columns=columns)


class Side(NamedTuple):
    """An outer surface y(ξ) = Σ_j Π_i ξ_i^{powers_ji} Σ_k C_jk v_k, piece by piece."""

    powers: NDArray[np.int64]  # (J, d − 1)
    vectors: list[Weights]  # positions and gradients of all nodes
    cells: NDArray[np.int64]  # (f, K) into vectors
    coefficients: Array  # C (f, J, K)
    sign: float  # of the outward normal, over t_1 × t_2 (in the plane: over the right of t)
    offset: float  # [m] of the outer surface, along its normal


class AncfAnchor(Anchor):
    """Points of an ANCF body: nodes, named groups, parameters of the reference shape, or places in the world at rest."""

    rigid_sections = False  # can the gradients of a section neither stretch nor shear?

    def __init__(self, body: AncfBody, mesh: Mesh, vectors: list[list[Weights]]) -> None:
        self.body = body
        self.mesh = mesh
        self.vectors = vectors
        self.reel_row = -1  # the row whose length is that of a reeled cable

    # --- where --------------------------------------------------------------------------------------------------------

    def nodes(self, point: Point, wanted_by: Part) -> list[int]:
        """Nodes that a name or number means."""
        at = point.at
        if isinstance(at, str):
            if at not in self.mesh.groups:
                hint = did_you_mean(at, self.mesh.groups)
                raise InputError(f"{wanted_by.label}: {self.body.label} has no point or group '{at}'{hint}")
            return self.mesh.groups[at]
        if isinstance(at, int) and not 0 <= at < len(self.vectors):
            raise InputError(f"{wanted_by.label}: {self.body.label} has nodes 0 … {len(self.vectors) - 1}, not {at}")
        return [at] if isinstance(at, int) else []

    def place(self, point: Point, wanted_by: Part) -> tuple[int, Array]:
        """Element and its parameters ξ of a point."""
        mesh = self.mesh
        found = self.nodes(point, wanted_by)
        if found:
            if len(found) > 1:
                raise InputError(
                    f"{wanted_by.label}: '{point.at}' of {self.body.label} is a group; name one node of it"
                )
            e = int(np.flatnonzero((mesh.cells == found[0]).any(axis=1))[0])
            corner = int(np.flatnonzero(mesh.cells[e] == found[0])[0])
            return e, np.array(mesh.shape.corners[corner])
        if point.at is None:
            raise InputError(f"{wanted_by.label}: say which point of {self.body.label}: a node, a name or coordinates")
        at = np.asarray(point.at, dtype=float)
        if point.frame == "world":
            return self._nearest(at, wanted_by)
        return self._by_parameters(at, point, wanted_by)

    def _by_parameters(self, at: Array, point: Point, wanted_by: Part) -> tuple[int, Array]:
        mesh, p = self.mesh, self.mesh.shape.parameters
        if mesh.starts is None:
            raise InputError(
                f"{wanted_by.label}: {self.body.label} is a mesh without coordinates of its own; name a node, or "
                "Point(body, place, 'world')"
            )
        if at.size < p or at[p:].any():
            raise InputError(f"{wanted_by.label}: {self.body.label} has no point {point.at}; it has {p} coordinates")
        inside = self.along()
        slack = 1e-9 * mesh.lengths[:, inside].max()
        low, high = mesh.starts[:, inside] - slack, (mesh.starts + mesh.lengths)[:, inside] + slack
        fit = np.flatnonzero(((low <= at[:p][inside]) & (at[:p][inside] <= high)).all(axis=1))
        if not fit.size:
            ends = [f"{a:g} … {b:g}" for a, b in zip(low.min(axis=0) + slack, high.max(axis=0) - slack, strict=True)]
            raise InputError(
                f"{wanted_by.label}: {point.at} lies outside {self.body.label}, which is {', '.join(ends)}"
            )
        e = int(fit[0])
        return e, (at[:p] - mesh.starts[e]) / mesh.lengths[e]

    def along(self) -> NDArray[np.int64]:
        """Parameters along which elements follow each other; across a beam or shell there is only one."""
        corners = np.array(self.mesh.shape.corners)
        return np.flatnonzero(np.ptp(corners, axis=0) > 0)

    def _nearest(self, at: Array, wanted_by: Part) -> tuple[int, Array]:
        mesh, p = self.mesh, self.mesh.shape.parameters
        if at.size != mesh.nodal.shape[2]:
            raise InputError(f"{wanted_by.label}: a place on {self.body.label} has {mesh.nodal.shape[2]} coordinates")
        near = np.argsort(np.linalg.norm(mesh.placed[:, 0] - at, axis=1), kind="stable")[: 2**p]
        candidates = np.unique(np.flatnonzero(np.isin(mesh.cells, near).any(axis=1)))
        orders = [tuple(int(i == k) for i in range(p)) for k in range(p)]
        inside = self.along()
        best: tuple[float, int, Array] = (np.inf, 0, np.zeros(p))
        for e in candidates:
            X = mesh.local_start(int(e))
            xi = np.zeros(p)
            xi[inside] = 0.5
            for _ in range(30):
                gap = at - mesh.weights(int(e), xi, (0,) * p)[0] @ X
                slope = (mesh.weights(int(e), xi, *orders) @ X).T * mesh.lengths[e]
                step = np.linalg.lstsq(slope, gap, rcond=None)[0]
                xi = xi + step
                xi[inside] = np.clip(xi[inside], 0.0, 1.0)
                if np.abs(step).max() < 1e-14:
                    break
            gap = float(np.linalg.norm(at - mesh.weights(int(e), xi, (0,) * p)[0] @ X))
            if gap < best[0]:
                best = (gap, int(e), xi)
        if best[0] > 1e-6 * max(float(np.ptp(mesh.placed[:, 0], axis=0).max()), 1e-300):
            raise InputError(f"{wanted_by.label}: the point {at.tolist()} does not lie on {self.body.label}")
        return best[1], best[2]

    # --- vectors ------------------------------------------------------------------------------------------------------

    def gathered(self, e: int, xi: Array, *orders: Sequence[int]) -> list[Weights]:
        """Derivatives of r at ξ of element e."""
        own = [v for i in self.mesh.cells[e] for v in self.vectors[i]]
        return [combination(zip(w.tolist(), own, strict=True)).pruned() for w in self.mesh.weights(e, xi, *orders)]

    def position(self, point: Point, wanted_by: Part) -> Weights:
        found = self.nodes(point, wanted_by)
        if found:
            return combination((1.0 / len(found), self.vectors[i][0]) for i in found)
        e, xi = self.place(point, wanted_by)
        return self.gathered(e, xi, (0,) * self.mesh.shape.parameters)[0]

    def gradients(self, point: Point, wanted_by: Part) -> tuple[list[Weights], Array]:
        """First derivatives r_x, r_y, … at a point, and their values at the start, shape (p, d)."""
        e, xi = self.place(point, wanted_by)
        p = self.mesh.shape.parameters
        orders = [tuple(int(i == k) for i in range(p)) for k in range(p)]
        return self.gathered(e, xi, *orders), self.mesh.weights(e, xi, *orders) @ self.mesh.local_start(e)

    def section_gradients(self, point: Point, wanted_by: Part) -> tuple[list[Weights], Array]:
        """The gradients at a point that turn with the section, and their values at the start, shape (·, d)."""
        own, values = self.gradients(point, wanted_by)
        chosen = list(self.body.section_gradients(len(own)))
        return [own[k] for k in chosen], values[chosen]

    def node_places(self) -> tuple[dict[str, list[int]], list[Weights]]:
        """Named groups of nodes, and the place of each node."""
        return self.mesh.groups, [own[0] for own in self.vectors]

    def slopes_between(self, nodes: list[int]) -> list[tuple[Weights, str]]:
        """Gradients along edges between nodes: where these and the nodes are held, so is the whole edge."""
        from condyle.bodies.ancf.faces import edge_slopes

        found = edge_slopes(self.mesh, self.along(), set(nodes))
        return [(self.vectors[i][k], f"gradient {k} at node {i}") for i, k in found]

    def surface_vector(self, group: str, wanted_by: Part) -> Weights:
        """∫ x over the edge of a plate or shell, or the face of a brick, in a group of nodes: what a traction works on."""
        from condyle.bodies.ancf.faces import face_points

        return combination((point.measure, point.place) for point in face_points(self, group, wanted_by))

    def section_vectors(self, point: Point, wanted_by: Part) -> list[Weights]:
        """What a clamp holds beside the point itself."""
        return self.section_gradients(point, wanted_by)[0]

    def tied_vectors(self, point: Point, wanted_by: Part) -> list[Weights]:
        """What a tie built into the weights holds beside the nodes themselves."""
        (node,) = self.nodes(point, wanted_by)
        return [self.vectors[node][1 + k] for k in sorted(self.body.held_gradients(self.mesh, {node})[node])]

    def direction(self, point: Point, vector: Array, frame: str, wanted_by: Part) -> Weights:
        """The material direction that is `vector` at the start, combined of the gradients at the point."""
        own, basis = self.gradients(point, wanted_by)
        amounts, *_ = np.linalg.lstsq(basis.T, np.asarray(vector, dtype=float), rcond=None)
        if np.linalg.norm(basis.T @ amounts - vector) > 1e-9 * np.linalg.norm(vector):
            raise InputError(
                f"{wanted_by.label}: {self.body.label} has no material direction {np.asarray(vector).tolist()} there, "
                f"only its {'tangent' if len(basis) == 1 else 'tangents'}; use a Clamp, or a body with sections (AncfBeam)"
            )
        return combination(zip(amounts.tolist(), own, strict=True)).pruned()

    def spread(self, counts: int = 4) -> list[tuple[float, list[Weights], Array]]:
        """Points of the line or surface with their share of the reference length or area, r and its tangents there."""
        p = self.mesh.shape.parameters
        inside = self.along()
        points, weights = gauss_product([counts] * len(inside))
        orders = [(0,) * p] + [tuple(int(i == k) for i in range(p)) for k in inside]
        out = []
        for e in range(len(self.mesh.cells)):
            for q, w in zip(points, weights, strict=True):
                xi = np.zeros(p)
                xi[inside] = q
                T = self.mesh.weights(e, xi, *orders[1:]) @ self.mesh.local(e)
                measure = float(w * np.prod(self.mesh.lengths[e][inside]) * np.sqrt(np.linalg.det(T @ T.T)))
                out.append((measure, self.gathered(e, xi, *orders), T))
        return out

    def side(self, name: str, wanted_by: Part) -> Side:
        """The outer surface 'top' or 'bottom' of a plate or shell, in the plane of a beam or cable."""
        mesh, body = self.mesh, self.body
        shape, d = mesh.shape, mesh.nodal.shape[2]
        inside = self.along()
        if len(inside) != d - 1 or name not in ("top", "bottom"):
            what = "only plates, shells and, in the plane, beams and cables have" if len(inside) != d - 1 else "it has"
            raise InputError(f"{wanted_by.label}: {body.label} has no side '{name}'; {what} sides 'top' and 'bottom'")
        half = body.half_thickness()
        sign = 1.0 if name == "top" else -1.0
        powers = np.array(shape.powers)
        across = [i for i in range(shape.parameters) if i not in inside]
        # Across the thickness the place is fixed: what is left are functions of the parameters along the surface.
        level = sign * half / mesh.lengths[:, across] if across else np.ones((len(mesh.cells), 0))
        fixed = np.prod(level[:, None, :] ** powers[None][:, :, across], axis=2)
        slots = np.prod(mesh.lengths[:, None, :] ** np.array(shape.slots)[None], axis=2)
        C = fixed[:, :, None] * shape.coefficients[None] * np.tile(slots, (1, len(shape.corners)))[:, None, :]
        k = len(shape.slots)
        cells = (mesh.cells[:, :, None] * k + np.arange(k)).reshape(len(mesh.cells), -1)
        vectors = [v for own in self.vectors for v in own]
        # In the plane, the outside of 'top' is on the left of the line; Pieces take the right.
        return Side(powers[:, inside], vectors, cells, C, sign if d == 3 else -sign, 0.0 if across else half)

    # --- pictures -----------------------------------------------------------------------------------------------------

    def outline(self) -> list[list[Weights]]:
        p = self.mesh.shape.parameters
        inside = self.along()
        lines: dict[tuple[int, ...], list[Weights]] = {}
        steps = np.linspace(0.0, 1.0, 5)
        for e, cell in enumerate(self.mesh.cells):
            for along in inside:
                for fixed in product((0.0, 1.0), repeat=len(inside) - 1):
                    xi = np.zeros(p)
                    xi[[i for i in inside if i != along]] = fixed
                    ends = []
                    for s in (0.0, 1.0):
                        xi[along] = s
                        ends.append(int(np.argmin(np.linalg.norm(np.array(self.mesh.shape.corners) - xi, axis=1))))
                    key = tuple(sorted(int(cell[i]) for i in ends))
                    if key not in lines:
                        line = []
                        for s in steps:
                            xi[along] = s
                            line += self.gathered(e, xi, (0,) * p)
                        lines[key] = line
        return list(lines.values())

    def polygons(self, divisions: int = 4) -> tuple[list[Weights], list[list[int]]]:
        """Points and quadrilaterals that cover a surface; none for lines and solids."""
        p = self.mesh.shape.parameters
        inside = self.along()
        points: list[Weights] = []
        cells: list[list[int]] = []
        if len(inside) != 2:
            return points, cells
        for e in range(len(self.mesh.cells)):
            for i, j in product(range(divisions), repeat=2):
                cells.append(list(range(len(points), len(points) + 4)))
                for a, b in ((i, j), (i + 1, j), (i + 1, j + 1), (i, j + 1)):
                    xi = np.zeros(p)
                    xi[inside] = (a / divisions, b / divisions)
                    points += self.gathered(e, xi, (0,) * p)
        return points, cells

    def axes(self) -> list[Weights]:
        return []

    def nodal(self) -> list[list[Weights]]:
        return self.vectors
