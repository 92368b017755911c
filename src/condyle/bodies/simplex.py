"""Rigid bodies on a master simplex (Taylor 2000, §2.3): the unknowns are the positions of its d + 1 corners."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.body import Anchor
from condyle.bodies.enforcement import Enforcement, held
from condyle.bodies.rigid import RigidBody
from condyle.errors import InputError
from condyle.laws.codes import HALF_SQUARE
from condyle.model.given import Places
from condyle.model.part import Part, did_you_mean, places
from condyle.model.point import Point
from condyle.model.quantities import declared, quantity
from condyle.system.builder import turned
from condyle.system.weights import Weights, combination

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder


@declared
class RigidSimplex(RigidBody):
    """A rigid body described by the corners of a triangle (2D) or tetrahedron (3D), in body coordinates [m], by name.

    The simplex need not lie inside the body. A corner that a `Tie` gives to another body is shared with it: a spherical
    joint without equations. In the 'tangent' formulation the same body is compiled with directors, and a shared corner
    becomes a spherical joint. enforcement: how the edge lengths are held (see `condyle.Penalty`, `condyle.Augmented`).
    """

    corners: Places = quantity("m", default_factory=dict)
    enforcement: Enforcement = "multiplier"

    def __post_init__(self) -> None:
        super().__post_init__()
        places(self, "corners")
        self.points = {**self.corners, **self.points}

    def validate(self, model: Model) -> None:
        super().validate(model)
        self._natural(model.dimension)

    def _natural(self, d: int) -> NDArray[np.float64]:
        """A with {1; ξ} = A L (eq. 74): maps natural coordinates to body coordinates, shape (d + 1, d + 1)."""
        if len(self.corners) != d + 1 or any(len(c) != d for c in self.corners.values()):
            raise InputError(
                f"{self.label}: the master simplex in {d}D needs {d + 1} corners with {d} coordinates each"
            )
        A = np.vstack((np.ones(d + 1), np.array(list(self.corners.values())).T))
        size = np.ptp(A[1:], axis=1).max()
        if not abs(np.linalg.det(A)) > 1e-9 * max(size, 1e-300) ** d:
            raise InputError(
                f"{self.label}: the corners of the master simplex lie on one {'line' if d == 2 else 'plane'}"
            )
        return A

    def compile(self, builder: Builder) -> Anchor:  # type: ignore[override]
        if builder.formulation == "tangent":
            return super().compile(builder)
        d = builder.d
        natural = self._natural(d)
        origin, turn, velocity = self.start_frame(d)
        places = {name: origin + turn @ np.asarray(place) for name, place in self.corners.items()}
        shared = builder.tied_points(self.name, places, {})
        corners = []
        for name, place in places.items():
            if name in shared:
                corners.append(shared[name].point)
            else:
                row = builder.row(self.name, place, velocity + turned(self.spin(d), place - origin))
                corners.append(Weights([row], [1.0]))
        inverse = np.asarray(np.linalg.inv(natural), dtype=np.float64)
        builder.add_mass(corners, inverse @ self.moments(d) @ inverse.T)
        start = np.array([builder.value(c) for c in corners])
        for (i, a), (j, b) in combinations(enumerate(corners), 2):
            square = float(np.sum((start[i] - start[j]) ** 2))
            edge = "-".join(list(self.corners)[k] for k in (i, j))
            builder.add_constraint(
                self.name, HALF_SQUARE, [a - b], [square], *held(self.enforcement, self), f"edge {edge}", internal=True
            )
        return SimplexAnchor(self, corners, inverse, origin, turn)


@dataclass(eq=False)
class SimplexAnchor(Anchor):
    """Points of a master simplex: position = Σ L_α x_α with the natural coordinates L of the point."""

    body: RigidSimplex
    corners: list[Weights]
    _inverse: NDArray[np.float64]
    _origin: NDArray[np.float64]
    _turn: NDArray[np.float64]

    def position(self, point: Point, wanted_by: Part) -> Weights:
        at: Any = point.at
        d = len(self.corners) - 1
        if at is None:
            at = (0.0,) * d
        elif isinstance(at, str | int):
            if str(at) not in self.body.points:
                hint = did_you_mean(str(at), self.body.points)
                raise InputError(f"{wanted_by.label}: {self.body.label} has no point '{at}'{hint}")
            at = self.body.points[str(at)]
        elif point.frame == "world":
            at = self._turn.T @ (np.asarray(at) - self._origin)
        if len(at) != d:
            raise InputError(f"{wanted_by.label}: the point {at} on '{self.body.name}' must have {d} coordinates")
        return self._affine(1.0, np.asarray(at, dtype=float))

    def direction(self, point: Point, vector: NDArray[np.float64], frame: str, wanted_by: Part) -> Weights:
        return self._affine(0.0, self._turn.T @ vector if frame == "world" else vector)

    def _affine(self, constant: float, xi: NDArray[np.float64]) -> Weights:
        natural = self._inverse @ np.concatenate(([constant], xi))
        return combination(zip(natural.tolist(), self.corners, strict=True))

    def outline(self) -> list[list[Weights]]:
        return [[self._affine(1.0, xi) for xi in line] for line in self.body.outline_lines()]

    def polygons(self) -> tuple[list[Weights], list[list[int]]]:
        """Points and polygons that show the body."""
        shown = self.body.shown_faces()
        return [self._affine(1.0, np.asarray(xi)) for xi in shown["points"]], shown["cells"]

    def axes(self) -> list[Weights]:
        return [self._affine(0.0, axis) for axis in np.eye(len(self.corners) - 1)]

    def nodal(self) -> list[list[Weights]]:
        return [[corner] for corner in self.corners]
