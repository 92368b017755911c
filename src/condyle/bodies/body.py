"""Anchors: what finds the points and directions of a body once it is compiled."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.errors import InputError
from condyle.model.body import Body
from condyle.model.part import Part, did_you_mean
from condyle.model.point import Point
from condyle.system.weights import SameRows, Weights, combination, places_of

if TYPE_CHECKING:
    from condyle.system.builder import Builder


class Anchor(Protocol):
    """Finds material points and directions of one compiled body, as weights on rows."""

    def position(self, point: Point, wanted_by: Part) -> Weights: ...

    def direction(self, point: Point, vector: NDArray[np.float64], frame: str, wanted_by: Part) -> Weights: ...

    def outline(self) -> Sequence[Sequence[Weights]]:
        """Lines that draw the body: each a list of points."""
        ...

    def outline_places(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """All points of the outline at state x, shape (points, d)."""
        return places_of([point for line in self.outline() for point in line], x)

    def axes(self) -> list[Weights]:
        """Directions whose turning is the turning of the body (as many as dimensions), or [] if it has none."""
        ...

    def nodal(self) -> list[list[Weights]]:
        """Nodes of the body: of each its place, then the material directions that belong to it."""
        ...


class FrameAnchor(Anchor):
    """Points of a body with rows r, d_1 … d_d: position = r + Σ ξ_i d_i."""

    def __init__(self, builder: Builder, body: Body, r: int, directors: tuple[int, ...]) -> None:
        self.body = body
        self.r = r
        self.directors = directors
        self._rows = np.array([r, *directors], dtype=np.int64)  # in increasing order, as `Builder.frame` makes them
        x = builder.places()
        self._origin, self._axes = x[r].copy(), x[self._rows[1:]].T

    @functools.cached_property
    def _inverse(self) -> NDArray[np.float64]:
        """From the world to the axes of the body. (Most points are given in these.)"""
        off = self._axes.T @ self._axes - np.eye(len(self._axes))
        return self._axes.T if np.abs(off).max() < 1e-15 else np.asarray(np.linalg.inv(self._axes))

    def position(self, point: Point, wanted_by: Part) -> Weights:
        xi = self.coordinates(point, wanted_by)
        return Weights.in_order(self._rows, np.array([1.0, *xi.tolist()]))

    def direction(self, point: Point, vector: NDArray[np.float64], frame: str, wanted_by: Part) -> Weights:
        local = self._inverse @ vector if frame == "world" else vector
        return Weights.in_order(self._rows[1:], np.asarray(local, dtype=float))

    def coordinates(self, point: Point, wanted_by: Part) -> NDArray[np.float64]:
        """Local coordinates of a point [m], shape (d,)."""
        d = len(self.directors)
        at = point.at
        if at is None:
            return np.zeros(d)
        if isinstance(at, str | int):
            named = self.body.named_points()
            if str(at) not in named:
                raise InputError(
                    f"{wanted_by.label}: {self.body.label} has no point '{at}'{did_you_mean(str(at), named)}"
                )
            return np.asarray(named[str(at)], dtype=float)
        xi = np.asarray(at, dtype=float)
        if xi.size != d:
            raise InputError(f"{wanted_by.label}: the point {at} on '{self.body.name}' must have {d} coordinates")
        return self._inverse @ (xi - self._origin) if point.frame == "world" else xi

    def outline(self) -> Sequence[Sequence[Weights]]:
        return [self._points(line) for line in self.body.outline_lines()]

    def _points(self, places: ArrayLike) -> SameRows:
        """Many points in body coordinates (k, d)."""
        X = np.asarray(places, dtype=float).reshape(-1, len(self.directors))
        return SameRows([self.r, *self.directors], np.column_stack((np.ones(len(X)), X)))

    def outline_places(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        lines = self.body.outline_lines()
        if not lines:
            return np.zeros((0, x.shape[1]))
        own = x[self._rows]
        return own[0] + np.concatenate(lines) @ own[1:]

    def polygons(self) -> tuple[list[Weights], list[list[int]]]:
        """Points and polygons that show the body."""
        shown = self.body.shown_faces()
        return list(self._points(shown["points"])), shown["cells"]

    def axes(self) -> list[Weights]:
        return [Weights([row], [1.0]) for row in self.directors]

    def nodal(self) -> list[list[Weights]]:
        return [[Weights([self.r], [1.0]), *self.axes()]]


def world_places(builder: Builder, vectors: list[Weights]) -> NDArray[np.float64]:
    """Initial positions of gathered points, shape (k, d)."""
    x = builder.places()
    return np.array([v.at(x) for v in vectors])


__all__ = ["Anchor", "FrameAnchor", "combination", "world_places"]
