"""The drum of a winch: a cable leaves it along its tangent, at a point that moves round the drum as the cable swings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.bodies.capabilities import Reeled
from condyle.bodies.enforcement import held
from condyle.errors import InputError
from condyle.joints.joint import Joint, triad
from condyle.laws.codes import DOT_PRODUCT, HALF_SQUARE
from condyle.model.functions import as_function
from condyle.model.given import NumbersOrNone, OverTimeOrNone, Vector
from condyle.model.quantities import declared, given, in_mirror, quantity
from condyle.system.coordinate import Coordinate, Term, angle, find
from condyle.system.weights import Weights

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder
    from condyle.system.points import Points


@declared
class Drum(Joint):
    """A reeled cable (b: its start) is paid out from a drum of given radius [m] whose centre is a point of body a.

    The cable leaves at the distance `radius` from the centre, square to the radius. Coordinate 'angle' [rad]: how far the
    leaving point has moved round the drum. paid: cable given off by the turning drum since the start [m], a function of
    time; None: the drum runs free, or `Drive` and `CoordinateForce` act on the cable's length. axis: that of the drum (3D).
    Cable that is wound on or off as the leaving point moves is added: length = length at the start + paid ∓ radius · angle.
    """

    at: NumbersOrNone = quantity("m", default=None, kw_only=True)
    radius: float = quantity("m", above=0.0)
    axis: Vector = quantity(default=None, vector=True, nonzero=True)
    mirror = in_mirror(axis="axis")
    paid: OverTimeOrNone = given(default=0.0)

    def __post_init__(self) -> None:
        place, self.at = self.at, None
        super().__post_init__()
        if place is not None:
            self.a = self._end(self.a, place)
        if self.paid is not None:
            self.paid = as_function(self.paid, self.label)

    @staticmethod
    def leaving_point(centre: ArrayLike, radius: float, towards: ArrayLike, side: str = "left") -> NDArray[np.float64]:
        """Where a straight cable from `towards` [m] touches the drum, in the plane: on its left or right, seen from there."""
        if side not in ("left", "right"):
            raise InputError(f"Drum.leaving_point: side is {side!r}; choose 'left' or 'right'")
        c, gap = np.asarray(centre, dtype=float), np.asarray(towards, dtype=float) - np.asarray(centre, dtype=float)
        distance = float(np.linalg.norm(gap))
        if not distance > radius > 0.0:
            raise InputError(
                f"Drum.leaving_point: the point is {distance:g} m from the centre, within the radius {radius:g} m"
            )
        turn = np.arccos(radius / distance) * (-1.0 if side == "left" else 1.0)
        rotation = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        return np.asarray(c + radius / distance * rotation @ gap)

    def validate(self, model: Model) -> None:
        super().validate(model)
        cable = model[self.b.body]
        if not isinstance(cable, Reeled) or cable.reel is None:
            raise InputError(
                f"{self.label}: {cable.label} cannot change its length; give the Cable reel=… [kg], J/R² of the drum"
            )
        if self.b.at != "start":
            raise InputError(f"{self.label}: a drum holds the start of a cable: give {self.b.body}.point('start')")
        if (model.dimension == 3) != (self.axis is not None):
            raise InputError(f"{self.label}: give the axis of the drum in 3D, and none in 2D")

    def coordinate_names(self, dimension: int) -> tuple[str, ...]:
        return ("angle",)

    def coordinates(self, builder: Points) -> dict[str, Coordinate]:
        gap, _ = self._vectors(builder)
        start = builder.value(gap)
        first = start / np.linalg.norm(start)
        second = np.array([-first[1], first[0]]) if builder.d == 2 else np.cross(self._axis(), first)
        return {"angle": angle(gap, self.on(builder, self.a, first), self.on(builder, self.a, second))}

    def _axis(self) -> NDArray[np.float64]:
        return triad(self.axis)[2]

    def _vectors(self, builder: Points) -> tuple[Weights, Weights]:
        """From the centre to the leaving point, and the cable's tangent there."""
        anchor: Any = builder.anchor(self.b.body, self)
        gap = builder.position(self.b, self) - builder.position(self.a, self)
        return gap, anchor.gradients(self.b, self)[0][0]

    def compile(self, builder: Builder) -> None:
        """|x_b − x_a| = R, (x_b − x_a)·r' = 0, in 3D (x_b − x_a)·axis = 0; and the length that follows from the drum."""
        gap, tangent = self._vectors(builder)
        radius, along = builder.value(gap), builder.value(tangent)
        distance, off = float(np.linalg.norm(radius)), float(radius @ along)
        if not self.assemble and (abs(distance - self.radius) > 0.01 * self.radius or abs(off) > 0.01 * self.radius):
            raise InputError(
                f"{self.label}: the cable starts {distance:.4g} m from the drum's centre, "
                f"{np.degrees(np.arcsin(np.clip(off / distance, -1, 1))):.3g}° off the tangent; start it at radius "
                f"{self.radius:g} m, perpendicular to it (in the plane: Drum.leaving_point)"
            )
        hold = held(self.enforcement, self)
        builder.add_constraint(self.name, HALF_SQUARE, [gap], [self.radius**2], *hold, "radius")
        builder.add_constraint(self.name, DOT_PRODUCT, [gap, tangent], [0.0], *hold, "tangent")
        if builder.d == 3:
            builder.add_constraint(
                self.name, DOT_PRODUCT, [gap, self.on(builder, self.a, self._axis())], [0.0], *hold, "plane"
            )
            side = np.sign(np.cross(radius, along) @ self._axis())
        else:
            side = np.sign(radius[0] * along[1] - radius[1] * along[0])
        if self.paid is None:
            return
        length = find(builder, f"{self.b.body}.length", self)
        terms = [Term(length), Term(self.coordinates(builder)["angle"], float(side) * self.radius)]
        start = float(length.at(builder.places()))
        builder.add_coordinate_constraint(self.name, terms, start, *hold, "paid", self.paid)
