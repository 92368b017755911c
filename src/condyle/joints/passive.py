"""Passive resistance of joints: moment–angle curves, stops and damping, axis by axis."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.bodies.ground import Frame, Ground
from condyle.errors import InputError
from condyle.joints.cardan import relative_angles, triad_of
from condyle.joints.couplings import add_damper
from condyle.joints.curves import checked_curve, energy_table, rate_table
from condyle.joints.custom import CustomJoint
from condyle.joints.passive_curves import passive_curve
from condyle.joints.spherical import Spherical
from condyle.laws.codes import COORDINATE_DAMPER
from condyle.model.given import Given, Numbers, NumbersLike
from condyle.model.part import Part, number
from condyle.model.point import Point
from condyle.model.quantities import choice, declared, given, in_mirror, quantity
from condyle.system.coordinate import Coordinate, Term, find, split

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder

Array = NDArray[np.float64]
NEVER = 1e9  # [rad]


@declared(frozen=True)
class PassiveAxis(Part):
    """What resists about one axis of a joint. All angles count from `zero`, the coordinate [rad] of the anatomical zero.

    curve: angles [rad] and resisting moments [N m], ∂U/∂q, as for `CoordinateSpring`; or a `passive_curve` by name, 'elbow'.
    lower, upper: stops [rad] with `stiffness` [N m/rad] and, as those of a `Limit`, `stop_damping` [N m s/rad].
    damping: [N m s/rad] everywhere, or a curve of moments over rates [rad/s], as for `CoordinateDamper`.
    """

    curve: Given[NumbersLike | str | None, list[list[float]] | str | None] = given(default=None)
    lower: float | None = quantity("rad", default=None)
    upper: float | None = quantity("rad", default=None)
    stiffness: float | None = quantity("N m/rad", default=None, above=0.0)
    stop_damping: float = quantity("N m s/rad", default=0.0, at_least=0.0)
    damping: Numbers = given(default=0.0)
    zero: float = quantity("rad", default=0.0)
    mirror = in_mirror(curve="same", damping="same")

    def __post_init__(self) -> None:
        if self.has_stops != (self.stiffness is not None):
            raise InputError(
                f"{self.label}: a stop needs both a place, lower or upper [rad], and a stiffness [N m/rad]"
            )
        if self.lower is not None and self.upper is not None and self.lower > self.upper:
            raise InputError(f"{self.label}: lower ({self.lower:g}) must not be above upper ({self.upper:g})")
        if self.stop_damping > 0.0 and not self.has_stops:
            raise InputError(f"{self.label}: stop_damping acts beyond a stop: give lower or upper, or take damping")
        if isinstance(self.curve, str):
            passive_curve(self.curve)
        elif self.curve is not None:
            object.__setattr__(self, "curve", checked_curve(self.curve, self.label))
        if np.ndim(self.damping) == 0:
            number(self, "damping", low=0.0)
        else:
            object.__setattr__(self, "damping", checked_curve(self.damping, self.label))
            rate_table(self.damping, self.label)
        if self.curve is None and not self.has_stops and self.damping == 0.0:
            raise InputError(
                f"{self.label}: nothing resists: give a curve, a stop (lower, upper, stiffness) or damping"
            )

    @property
    def has_stops(self) -> bool:
        """Is there a stop?"""
        return self.lower is not None or self.upper is not None

    @property
    def stops(self) -> tuple[float, float]:
        """Lower and upper stop as values of the coordinate [rad], out of reach where there is none."""
        lower = -NEVER if self.lower is None else self.lower
        return self.zero + lower, self.zero + (NEVER if self.upper is None else self.upper)

    def energy(self) -> tuple[Array, Array]:
        """Knots and coefficients of the energy under the curve over the coordinate."""
        curve = passive_curve(self.curve)[:2] if isinstance(self.curve, str) else self.curve
        knots, coefficients = energy_table(curve)
        return knots + self.zero, coefficients

    def resistance(self, coordinate: ArrayLike, rate: ArrayLike = 0.0) -> Array:
        """The moment [N m] with which it resists at values of the coordinate [rad] and its rate [rad/s]."""
        q, w = np.broadcast_arrays(np.asarray(coordinate, dtype=float), np.asarray(rate, dtype=float))
        total = np.zeros(q.shape)
        if self.curve is not None:
            knots, c = self.energy()
            k = np.clip(np.searchsorted(knots, q, side="right") - 1, 0, len(c) - 1)
            s = q - knots[k]
            total += c[k, 1] + s * (2.0 * c[k, 2] + s * 3.0 * c[k, 3])
        if self.has_stops:
            lower, upper = self.stops
            side = np.where(q > upper, 1.0, np.where(q < lower, -1.0, 0.0))
            spring = (self.stiffness or 0.0) * np.maximum(np.maximum(q - upper, lower - q), 0.0)
            viscous = np.where(side != 0.0, side * self.stop_damping * w, 0.0)
            # It takes no more than the spring gives (`laws/coordinates.py:held_back`).
            left = np.where(
                viscous >= -0.5 * spring, spring + viscous, -0.25 * spring**2 / np.minimum(viscous, -1e-300)
            )
            total += side * left
        if np.ndim(self.damping) == 0:
            return total + self.damping * w
        knots, c = rate_table(self.damping, self.label)
        k = np.clip(np.searchsorted(knots, w, side="right") - 1, 0, len(c) - 1)
        s = w - knots[k]
        return total + c[k, 0] + s * (c[k, 1] + s * c[k, 2])


@declared
class PassiveMoment(Part):
    """Passive resistance of a joint: ligaments, capsule and soft tissue as moments over its angles, with stops and damping.

    joint: a joint with angles; axes: coordinate -> `PassiveAxis`, {'angle 1': cd.PassiveAxis(curve='elbow'), …}, or a
    single one where the joint has a single coordinate. The energy under the curves and behind the stops counts as stored.
    angles: 'relative', those of the joint; or 'absolute', of either body against the axes of the world: the moments are −Q(θ_b)
    on b and +Q(θ_a) on a (spicka-2013, eq. 4.1), curves only, on a `Spherical`, a `Pin` or a `CustomJoint`.
    """

    name: str
    joint: str
    axes: Given[PassiveAxis | Mapping[str, PassiveAxis] | None, dict[str, PassiveAxis]] = given(default=None)
    angles: str = choice("relative", "absolute", default="relative")
    mirror = in_mirror(axes="spatial")

    def __post_init__(self) -> None:
        self.joint = str(getattr(self.joint, "name", self.joint))
        given = {"": self.axes} if isinstance(self.axes, PassiveAxis) else self.axes
        if not isinstance(given, dict) or not given or not all(isinstance(a, PassiveAxis) for a in given.values()):
            raise InputError(
                f"{self.label}: axes is {{'angle 1': cd.PassiveAxis(curve=…), …}}, or one cd.PassiveAxis(…)"
            )
        self.axes = {str(name): axis for name, axis in given.items()}
        for name, axis in self.axes.items():
            if self.angles == "absolute" and (axis.curve is None or axis.has_stops or np.any(axis.damping)):
                raise InputError(
                    f"{self.label}: '{name}': absolute angles take a curve alone; put its stops into the curve"
                )

    def validate(self, model: Model) -> None:
        for reference in self.references():
            split(model, reference, self)
        joint = model[split(model, self.references()[0], self)[0]]
        if self.angles == "relative":
            return
        if not isinstance(joint, Spherical | CustomJoint):
            raise InputError(f"{self.label}: absolute angles need a joint with axes: Spherical, Pin or CustomJoint")
        if not self._turning(model, joint):
            raise InputError(f"{self.label}: neither body of {joint.label} can turn, so there is nothing to resist")

    def references(self) -> list[str]:
        """The coordinates it acts on, 'joint.angle'."""
        return [f"{self.joint}.{name}" if name else self.joint for name in self.axes]

    def compile(self, builder: Builder) -> None:
        """An energy for each curve and each stop, a force for each damper."""
        for reference, axis in zip(self.references(), self.axes.values(), strict=True):
            for sign, coordinate in self._coordinates(builder, reference):
                if not coordinate.is_angle:
                    raise InputError(f"{self.label}: '{reference}' is a length; take CoordinateSpring and Limit for it")
                if axis.curve is not None:
                    knots, coefficients = axis.energy()
                    builder.add_potential(self.name, Term(coordinate, knots=knots, coefficients=sign * coefficients))
                if axis.has_stops:
                    self._stop(builder, axis, Term(coordinate))
                if np.any(axis.damping):
                    add_damper(builder, self, Term(coordinate), axis.damping)

    def _stop(self, builder: Builder, axis: PassiveAxis, term: Term) -> None:
        lower, upper = axis.stops
        builder.add_coordinate_energy(self.name, term, axis.stiffness or 0.0, lower, upper)
        if axis.stop_damping > 0.0:
            lead = (axis.stop_damping, lower, upper, axis.stiffness or 0.0)
            builder.add_coordinate_force(self.name, COORDINATE_DAMPER, term, lead)

    def _coordinates(self, builder: Builder, reference: str) -> list[tuple[float, Coordinate]]:
        """Angles that a moment acts on, each with the sign of its curve."""
        if self.angles == "relative":
            return [(1.0, find(builder, reference, self))]
        joint_name, name = split(builder.model, reference, self)
        joint = builder.model[joint_name]
        world, ground = np.eye(builder.d), Point("ground")
        return [
            (sign, relative_angles(builder, self, ground, end, world, triad_of(axes, builder.d, self.label))[name])
            for sign, end, axes in self._turning(builder.model, joint)
        ]

    def _turning(self, model: Model, joint: Any) -> list[tuple[float, Point, Any]]:
        """Ends of a joint on bodies that turn freely: the sign of their curve, and their axes."""
        ends = [(1.0, joint.b, joint.axes if joint.axes_b is None else joint.axes_b), (-1.0, joint.a, joint.axes)]
        return [end for end in ends if not isinstance(model.body(end[1].body, self), Ground | Frame)]
