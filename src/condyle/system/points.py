"""Where points, directions and places of bodies are found: what parts ask while a model is compiled, and readers after it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.model.part import Part
from condyle.model.point import Point
from condyle.system.weights import Weights

if TYPE_CHECKING:
    from condyle.bodies.body import Anchor
    from condyle.model.model import Model


class Points:
    """Points and directions of the bodies of a model as weights on rows, and their values as declared. To be read only."""

    def __init__(self, model: Model, anchors: Mapping[str, Anchor], places: NDArray[np.float64]) -> None:
        self.model, self.anchors = model, anchors
        self._places = places

    @property
    def d(self) -> int:
        """Dimension, 2 or 3."""
        return self.model.dimension

    def places(self) -> NDArray[np.float64]:
        """All rows at the initial state, shape (n, d). To be read only."""
        return self._places

    def anchor(self, body: str, wanted_by: Part) -> Anchor:
        """Where points of a body are found."""
        self.model.body(body, wanted_by)
        return self.anchors[body]

    def position(self, point: Point, wanted_by: Part) -> Weights:
        """The material point as weights on rows."""
        return self.anchor(point.body, wanted_by).position(point, wanted_by)

    def direction(self, point: Point, vector: ArrayLike, wanted_by: Part, *, frame: str = "world") -> Weights:
        """A material direction of the point's body that is `vector` at the start."""
        return self.anchor(point.body, wanted_by).direction(point, np.asarray(vector, dtype=float), frame, wanted_by)

    def axes(self, point: Point, wanted_by: Part) -> list[Weights]:
        """Axes of the point's body, carried there; [] if it has none."""
        if len(self.anchor(point.body, wanted_by).axes()) != self.d:
            return []
        return [self.direction(point, axis, wanted_by, frame="body").pruned() for axis in np.eye(self.d)]

    def vector(self, reference: Any, wanted_by: Part) -> Weights:
        """What `as_vector` describes: x_b − x_a of two points, a material direction, or a point."""
        if isinstance(reference, Point):
            return self.position(reference, wanted_by).pruned()
        first, second = reference
        if isinstance(second, Point):
            return (self.position(second, wanted_by) - self.position(first, wanted_by)).pruned()
        return self.direction(first, second, wanted_by).pruned()

    def value(self, vector: Weights) -> NDArray[np.float64]:
        """A gathered vector at the initial state."""
        return vector.at(self.places())


class Reader(Part, abstract=True):
    """Who asks for a point when it is a result that is read."""

    @property
    def label(self) -> str:
        return "result"
