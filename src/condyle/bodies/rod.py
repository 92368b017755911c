"""The rotation-free rod (Taylor 2000, §4.2): mid-line positions and relative positions of the surface, no angles.

It is the solid element seen through other rows: at each station a the mid-line position x_a and, per thickness direction
i, the half-thickness vector Δ_ia, so that x = Σ N_a (x_a + Σ η_i Δ_ia), −1 ≤ η_i ≤ 1. One integration point along the axis
(against shear locking), two through each thickness; the mass is integrated fully.
"""

from __future__ import annotations

from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.body import Anchor
from condyle.bodies.materials import Material
from condyle.errors import InputError
from condyle.model.body import Body
from condyle.model.given import Numbers, NumbersOrNone, VectorOrNone
from condyle.model.part import Part, fits, plain, rows, spin
from condyle.model.point import Point
from condyle.model.quantities import declared, quantity
from condyle.system.builder import turned
from condyle.system.weights import Weights, combination, common_rows

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder

_G = 1.0 / np.sqrt(3.0)


@declared
class Rod(Body):
    """A thin rod of rectangular section.

    line: points of the mid-line [m] (k, d), start to end (two points: straight); elements: divisions of each piece of the
    line; depth [m]: thickness in the plane (3D: along `normal`); width [m]: thickness out of the plane (in 2D only a
    factor). material: Poisson's ratio must be 0, because thickness and axis would lock otherwise.
    Points: 'start', 'end', a station number, or (s, n, …): arc length and offsets [m].
    """

    name: str
    line: Numbers = quantity("m")
    elements: int = quantity(at_least=1)
    depth: float = quantity("m", above=0.0)
    material: Material
    width: float = quantity("m", default=1.0, above=0.0)
    normal: VectorOrNone = quantity(default=None, vector=True, nonzero=True)
    velocity: VectorOrNone = quantity("m/s", default=None, vector=True)
    angular_velocity: NumbersOrNone = quantity("rad/s", default=None)

    def __post_init__(self) -> None:
        rows(self, "line")
        self.angular_velocity = plain(self.angular_velocity)
        if not isinstance(self.material, Material):
            raise InputError(f"{self.label}: give a material such as StVenantKirchhoff(young=…, density=…)")
        if self.material.poisson != 0.0:
            raise InputError(f"{self.label}: the rod needs a material with poisson = 0 (axis and thickness would lock)")

    def in_short(self) -> str:
        return f"{self.elements} elements"

    def validate(self, model: Model) -> None:
        d = model.dimension
        X = np.array(self.line)
        if X.ndim != 2 or X.shape[1] != d or len(X) < 2:
            raise InputError(
                f"{self.label}: line must be at least two points with {d} coordinates, got shape {X.shape}"
            )
        if not np.isfinite(X).all() or (np.linalg.norm(np.diff(X, axis=0), axis=1) == 0).any():
            raise InputError(f"{self.label}: the points of its line must be finite and apart from each other")
        fits(self, "velocity", d)
        spin(self, d)
        self.section_vectors(d)

    def stations(self) -> NDArray[np.float64]:
        """Mid-line positions of all stations, shape (stations, d)."""
        X = np.array(self.line)
        s = np.arange(self.elements)[:, None] / self.elements
        pieces = [a + s * (b - a) for a, b in pairwise(X)]
        return np.vstack((*pieces, X[-1:]))

    def section_vectors(self, d: int) -> NDArray[np.float64]:
        """Half-thickness vectors of all stations, shape (stations, d − 1, d)."""
        X = self.stations()
        tangent = np.gradient(X, axis=0)
        tangent /= np.linalg.norm(tangent, axis=1)[:, None]
        if d == 2:
            normal = np.column_stack((-tangent[:, 1], tangent[:, 0]))
            return 0.5 * self.depth * normal[:, None, :]
        up = np.array(self.normal if self.normal is not None else _default_normal(tangent[0]))
        normal = up - (tangent @ up)[:, None] * tangent
        size = np.linalg.norm(normal, axis=1)
        if size.min() < 1e-6 * np.linalg.norm(up):
            raise InputError(f"{self.label}: normal {up.tolist()} is parallel to the line; give another normal")
        normal /= size[:, None]
        return np.stack((0.5 * self.depth * normal, 0.5 * self.width * np.cross(tangent, normal)), axis=1)

    def compile(self, builder: Builder) -> RodAnchor:
        d = builder.d
        X, Delta = self.stations(), self.section_vectors(d)
        last = len(X) - 1
        velocity = np.zeros(d) if self.velocity is None else np.asarray(self.velocity)
        omega: Any = np.zeros(3) if d == 3 else 0.0
        if self.angular_velocity is not None:
            omega = np.asarray(self.angular_velocity) if d == 3 else float(np.ravel(self.angular_velocity)[0])
        tied = builder.tied_points(self.name, dict(enumerate(X)), {"start": [0], "end": [last]})
        stations: list[list[Weights]] = []  # per station: mid-line, then relative vectors
        for a in range(last + 1):
            if a in tied:
                at, anchor, tie = tied[a]
                place = Point(tie.to, tuple(X[a].tolist()), "world")
                relative = [anchor.direction(place, vec, "world", tie) for vec in Delta[a]]  # eqs 85, 86
                stations.append([at, *relative])
                continue
            own = [builder.row(self.name, X[a], velocity + turned(omega, X[a]))]
            own += [builder.row(self.name, vec, turned(omega, vec), direction=True) for vec in Delta[a]]
            stations.append([Weights([row], [1.0]) for row in own])
        self._add_elements(builder, X, Delta, stations)
        return RodAnchor(self, X, Delta, stations)

    def _add_elements(
        self, builder: Builder, X: NDArray[np.float64], Delta: NDArray[np.float64], stations: list[list[Weights]]
    ) -> None:
        d = builder.d
        side = self.width if d == 2 else 1.0
        etas = np.array(list(product((-_G, _G), repeat=d - 1)))
        for e in range(len(X) - 1):
            rows, W = common_rows(stations[e] + stations[e + 1])
            reference = np.vstack((X[e], Delta[e], X[e + 1], Delta[e + 1]))  # (2 d, d), in the order of W's vectors
            weights, measure = [], []
            for eta in etas:
                dN = _parametric(d, np.array([-0.5, 0.5]), np.array([0.5, 0.5]), eta)  # ∂/∂ξ at mid-length
                J = reference.T @ dN.T
                det = np.linalg.det(J)
                if not det > 0:
                    raise InputError(f"{self.label}: element {e} is turned inside out; is the line bent too sharply?")
                weights.append(np.linalg.solve(J.T, dN) @ W)
                measure.append(2.0 * det * side)
            builder.add_element(
                self.name, self.material.number, rows, np.array(weights), np.array(measure), self.material.parameters(d),
                damping=self.material.viscosity, prony=self.material.prony, columns=d, element=e,
            )  # fmt: skip
            builder.mass.append((rows, W.T @ self._mass(reference, d, side) @ W))

    def _mass(self, reference: NDArray[np.float64], d: int, side: float) -> NDArray[np.float64]:
        """∫ ρ N Nᵀ dV by 2 points in each direction, shape (2 d, 2 d)."""
        m = np.zeros((2 * d, 2 * d))
        for xi in product((-_G, _G), repeat=d):
            along, eta = np.array([0.5 - 0.5 * xi[0], 0.5 + 0.5 * xi[0]]), np.array(xi[1:])
            J = reference.T @ _parametric(d, np.array([-0.5, 0.5]), along, eta).T
            N = np.concatenate([share * np.concatenate(([1.0], eta)) for share in along])
            m += self.material.density * side * np.linalg.det(J) * np.outer(N, N)
        return m


def _parametric(
    d: int, slope: NDArray[np.float64], share: NDArray[np.float64], eta: NDArray[np.float64]
) -> NDArray[np.float64]:
    """∂x/∂(ξ, η_1, …) as weights on (x_a, Δ_a, x_b, Δ_b), shape (d, 2 d)."""
    D = np.zeros((d, 2 * d))
    for a in range(2):
        D[0, a * d : (a + 1) * d] = slope[a] * np.concatenate(([1.0], eta))
        for i in range(d - 1):
            D[i + 1, a * d + 1 + i] = share[a]
    return D


def _default_normal(tangent: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.eye(3)[int(np.argmin(np.abs(tangent)))]


class RodAnchor(Anchor):
    """Points of a rod: stations, ends, or arc length and offsets."""

    def __init__(
        self, body: Rod, X: NDArray[np.float64], Delta: NDArray[np.float64], stations: list[list[Weights]]
    ) -> None:
        self.body = body
        self.X = X
        self.stations = stations
        self._arc = np.concatenate(([0.0], np.cumsum(np.linalg.norm(np.diff(X, axis=0), axis=1))))
        self._half = np.linalg.norm(Delta[0], axis=1)
        self._Delta = Delta

    def position(self, point: Point, wanted_by: Part) -> Weights:
        a, share, offset = self._place(point, wanted_by)
        parts = []
        for station, weight in ((a, 1.0 - share), (a + 1, share)):
            if weight != 0.0:
                factors = [1.0, *(offset / self._half)]
                parts += [(weight * f, v) for f, v in zip(factors, self.stations[station], strict=True)]
        return combination(parts)

    def node_places(self) -> tuple[dict[str, list[int]], list[Weights]]:
        """Both ends by name, and the mid-line at each station."""
        return {"start": [0], "end": [len(self.X) - 1]}, [station[0] for station in self.stations]

    def slopes_between(self, nodes: list[int]) -> list[tuple[Weights, str]]:
        """None: the mid-line is straight between stations."""
        return []

    def section_vectors(self, point: Point, wanted_by: Part) -> list[Weights]:
        """Half-thickness vectors at the station of a point: what a clamp holds beside the point itself."""
        return self.stations[self._place(point, wanted_by)[0]][1:]

    tied_vectors = section_vectors

    def direction(self, point: Point, vector: NDArray[np.float64], frame: str, wanted_by: Part) -> Weights:
        """A direction of the section: combined from the half-thickness vectors and the tangent of the mid-line."""
        a, share, _ = self._place(point, wanted_by)
        near = min(a + int(share > 0.5), len(self.X) - 1)
        b = max(min(a, len(self.X) - 2), 0)
        tangent = self.stations[b + 1][0] - self.stations[b][0]
        basis = np.vstack((self.X[b + 1] - self.X[b], self._Delta[near]))
        amounts = np.linalg.solve(basis.T, vector)
        return combination(zip(amounts.tolist(), [tangent, *self.stations[near][1:]], strict=True)).pruned()

    def _place(self, point: Point, wanted_by: Part) -> tuple[int, float, NDArray[np.float64]]:
        d = self.X.shape[1]
        last = len(self.X) - 1
        at = {"start": 0, "end": last}.get(point.at, point.at) if isinstance(point.at, str) else point.at
        if isinstance(at, int) and 0 <= at <= last:
            return at, 0.0, np.zeros(d - 1)
        if isinstance(at, tuple) and len(at) == d and point.frame == "body":
            s, offset = at[0], np.array(at[1:])
        elif isinstance(at, tuple) and len(at) == d:
            s, offset = self._nearest(np.array(at), wanted_by), np.zeros(d - 1)
        else:
            raise InputError(
                f"{wanted_by.label}: {self.body.label} has no point {point.at!r}; use 'start', 'end', a station "
                f"0 … {last}, or arc length and offset"
            )
        if not -1e-9 * self._arc[-1] <= s <= (1 + 1e-9) * self._arc[-1]:
            raise InputError(f"{wanted_by.label}: {self.body.label} is {self._arc[-1]:g} m long; {s:g} lies outside")
        a = int(np.clip(np.searchsorted(self._arc, s, side="right") - 1, 0, last - 1))
        share = float(np.clip((s - self._arc[a]) / (self._arc[a + 1] - self._arc[a]), 0.0, 1.0))
        return a, share, offset

    def _nearest(self, place: NDArray[np.float64], wanted_by: Part) -> float:
        edge = np.diff(self.X, axis=0)
        share = np.clip(np.einsum("ij,ij->i", place - self.X[:-1], edge) / np.sum(edge**2, axis=1), 0.0, 1.0)
        gap = np.linalg.norm(self.X[:-1] + share[:, None] * edge - place, axis=1)
        best = int(np.argmin(gap))
        if gap[best] > 1e-6 * self._arc[-1]:
            raise InputError(
                f"{wanted_by.label}: the point {place.tolist()} does not lie on the line of {self.body.label}"
            )
        return float(self._arc[best] + share[best] * (self._arc[best + 1] - self._arc[best]))

    def outline(self) -> list[list[Weights]]:
        return [[station[0] for station in self.stations]]

    def axes(self) -> list[Weights]:
        return []

    def nodal(self) -> list[list[Weights]]:
        return self.stations
