"""The ground, and frames that move as prescribed. Both are bodies whose rows are given, not solved for."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.body import FrameAnchor
from condyle.errors import InputError
from condyle.model.body import Body
from condyle.model.functions import TimeFunction, as_function, value_at
from condyle.model.given import Given, OverTimeOrNone, TimeLike, VectorOrNone
from condyle.model.part import fits
from condyle.model.quantities import declared, given, in_mirror, quantity
from condyle.model.rotations import rotation
from condyle.system.tables import FIXED

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder


@dataclass
class Ground(Body):
    """The fixed world; every model has one, named 'ground'."""

    name: str = "ground"

    def compile(self, builder: Builder) -> FrameAnchor:
        d = builder.d
        r, rows = builder.frame(
            self.name, np.zeros(d), np.eye(d), np.zeros(d), np.zeros(3) if d == 3 else 0.0, kind=FIXED
        )
        return FrameAnchor(builder, self, r, rows)


@declared
class Frame(Body):
    """A body that moves as prescribed: a shaker table, a driven support, a bone whose motion was measured.

    position: start [m]; shift: d functions of time [m] added to it; angle: function of time [rad] about `axis` (3D).
    """

    name: str
    position: VectorOrNone = quantity("m", default=None, vector=True)
    shift: Given[Sequence[TimeLike] | None, tuple[TimeFunction, ...] | None] = given(default=None)
    angle: OverTimeOrNone = given(default=None)
    axis: VectorOrNone = quantity(default=None, vector=True, nonzero=True)
    mirror = in_mirror(axis="axis", shift="none", angle="spatial")

    def __post_init__(self) -> None:
        if self.shift is not None:
            self.shift = tuple(as_function(f, self.label) for f in self.shift)
        if self.angle is not None:
            self.angle = as_function(self.angle, self.label)

    def validate(self, model: Model) -> None:
        fits(self, "position", model.dimension)
        fits(self, "shift", model.dimension)
        fits(self, "axis", model.dimension)
        if self.angle is not None and model.dimension == 3 and self.axis is None:
            raise InputError(f"{self.label}: a turning frame in 3D needs an axis")

    def compile(self, builder: Builder) -> FrameAnchor:
        d = builder.d
        origin = np.zeros(d) if self.position is None else np.asarray(self.position)
        shift: tuple[TimeFunction, ...] = self.shift or ()

        def motion(t: float) -> NDArray[np.float64]:
            rows = np.zeros((d + 1, d))
            rows[0] = origin + (np.array([value_at(f, t, self) for f in shift]) if shift else 0.0)
            turn = value_at(self.angle, t, self) if self.angle is not None else 0.0
            if d == 2:
                rows[1:] = np.array([[math.cos(turn), math.sin(turn)], [-math.sin(turn), math.cos(turn)]])
            else:
                rows[1:] = rotation(axis=self.axis, angle=turn).T if self.axis is not None else np.eye(3)
            return rows

        start = motion(0.0)
        r, rows = builder.frame(
            self.name, start[0], start[1:].T, np.zeros(d), np.zeros(3) if d == 3 else 0.0, kind=FIXED
        )
        builder.drive((r, *rows), motion)
        return FrameAnchor(builder, self, r, rows)
