"""Forces given by a Python function of time, positions and velocities."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.errors import CondyleError, InputError
from condyle.model.given import OnPoints
from condyle.model.part import Part
from condyle.model.point import as_point
from condyle.model.quantities import declared

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder

Array = NDArray[np.float64]


@declared
class UserForce(Part):
    """Forces on points by a Python function(t, positions (k, d), velocities (k, d)) -> forces (k, d) [N].

    It is evaluated at every iterate where the equations are balanced, without a tangent of its own: right for forces that
    are soft against inertia (m/h²); write a law for stiff ones. Not written to model files.
    """

    name: str
    points: OnPoints
    function: Callable[[float, Array, Array], ArrayLike]

    def __post_init__(self) -> None:
        points = self.points if isinstance(self.points, list | tuple) else [self.points]
        self.points = tuple(as_point(p) for p in points)
        if not callable(self.function):
            raise InputError(f"{self.label}: function must be callable as function(t, positions, velocities)")

    def validate(self, model: Model) -> None:
        for point in self.points:
            model.body(point.body, self)

    def compile(self, builder: Builder) -> None:
        vectors = [builder.position(point, self) for point in self.points]
        shape = (len(vectors), builder.d)

        def force(t: float, x: Array, v: Array) -> list[tuple[NDArray[np.int64], Array]]:
            places = np.array([y.at(x) for y in vectors])
            rates = np.array([y.at(v) for y in vectors])
            try:
                value = np.asarray(self.function(t, places, rates), dtype=float)
            except CondyleError:
                raise
            except Exception as error:
                name = getattr(self.function, "__name__", "function")
                said = f"{type(error).__name__}: {error}"
                raise InputError(f"{self.label}: its function '{name}' failed at t = {t:g}: {said}") from error
            if value.shape != shape and value.shape != shape[1:]:
                raise InputError(f"{self.label}: its function must return shape {shape} [N], not {value.shape}")
            if not np.isfinite(value).all():
                raise InputError(f"{self.label}: its function returned a value that is not finite at t = {t:g}")
            value = np.broadcast_to(value, shape)
            return [(y.rows, np.outer(y.values, f)) for y, f in zip(vectors, value, strict=True)]

        builder.user_forces.append(force)
