"""What acts on joint coordinates: drivers, gears and couplings, springs, dampers, limits, forces."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from condyle.bodies.enforcement import Enforcement, held
from condyle.errors import InputError
from condyle.joints.curves import checked_curve, energy_table, rate_table, tabulated
from condyle.laws.codes import COORDINATE_DAMPER, COORDINATE_FORCE, CURVED_DAMPER
from condyle.model.functions import Constant, Integral, as_function
from condyle.model.given import Curve, Numbers, OverTime, OverTimeOrNone
from condyle.model.part import Part, plain
from condyle.model.quantities import declared, given, in_mirror, quantity
from condyle.system.coordinate import Term, find, find_for, spline_table, split

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder


@declared
class Drive(Part):
    """A joint coordinate follows a function of time: motion [rad or m], or rate [rad/s or m/s] from `start`.

    The multiplier is minus the torque [N m] or force [N] that the drive puts on the coordinate.
    """

    name: str
    coordinate: str
    motion: OverTimeOrNone = given(default=None)
    rate: OverTimeOrNone = given(default=None)
    start: float = quantity("(that of the coordinate)", default=0.0)
    enforcement: Enforcement = "multiplier"

    def __post_init__(self) -> None:
        if (self.motion is None) == (self.rate is None):
            raise InputError(f"{self.label}: give either motion or rate, as a function of time")
        if self.motion is not None:
            self.motion = as_function(self.motion, self.label)
        else:
            self.rate = as_function(self.rate, self.label)
        held(self.enforcement, self)

    def validate(self, model: Model) -> None:
        mine = split(model, self.coordinate, self)
        for part in model:
            if isinstance(part, Drive) and part is not self and split(model, part.coordinate, part) == mine:
                raise InputError(f"{self.label}: '{'.'.join(mine)}' is driven by {part.label} too; keep one of them")

    def compile(self, builder: Builder) -> None:
        function = self.motion or Integral(self.rate or Constant(0.0), self.start)
        term = Term(find(builder, self.coordinate, self))
        builder.add_coordinate_constraint(self.name, [term], 0.0, *held(self.enforcement, self), "drive", function)


@declared
class Coupling(Part):
    """Σ factor · coordinate stays what it is at the start, or equals `constant`: gears, racks, differentials.

    factors: coordinate name -> factor. A gear pair with n teeth on a and m on b: {'a.angle': n, 'b.angle': m}.
    """

    name: str
    factors: dict[str, float]
    constant: float | None = quantity("(that of the sum)", default=None)
    enforcement: Enforcement = "multiplier"

    def __post_init__(self) -> None:
        self.factors = {str(k): float(v) for k, v in self.factors.items()}
        if len(self.factors) < 1 or not np.isfinite(list(self.factors.values())).all():
            raise InputError(f"{self.label}: give at least one coordinate with a finite factor")
        held(self.enforcement, self)

    def validate(self, model: Model) -> None:
        for reference in self.factors:
            split(model, reference, self)

    def compile(self, builder: Builder) -> None:
        terms = [Term(find(builder, reference, self), factor) for reference, factor in self.factors.items()]
        x = builder.places()
        start = sum(t.factor * float(t.coordinate.at(x)) for t in terms)
        constant = start if self.constant is None else self.constant
        builder.add_coordinate_constraint(self.name, terms, constant, *held(self.enforcement, self), "coupling")


@declared
class Gear(Coupling):
    """Two coordinates in a fixed ratio: b = −ratio · a (meshing gears turn against each other)."""

    a: str = ""
    b: str = ""
    ratio: float = quantity("(of the two units)", default=1.0)
    factors: dict[str, float] = given(default=None)

    def __post_init__(self) -> None:
        if not self.a or not self.b:
            raise InputError(f"{self.label}: give the two coordinates a and b that mesh")
        self.factors = {self.a: self.ratio, self.b: 1.0}
        super().__post_init__()


@declared
class Follow(Part):
    """One coordinate is a spline function of another: y(x) through points, as in OpenSim's CustomJoint.

    The cubic spline is natural, or has the given slopes dy/dx at its points; beyond its ends it goes on straight.
    """

    name: str
    coordinate: str
    of: str
    x: Numbers = given(default=())
    y: Numbers = given(default=())
    enforcement: Enforcement = "multiplier"
    slopes: Numbers = given(default=())

    def __post_init__(self) -> None:
        self.x, self.y, self.slopes = plain(list(self.x)), plain(list(self.y)), plain(list(self.slopes))
        spline_table(self.x, self.y, self.label, self.slopes)
        held(self.enforcement, self)

    def validate(self, model: Model) -> None:
        split(model, self.coordinate, self)
        split(model, self.of, self)

    def compile(self, builder: Builder) -> None:
        knots, coefficients = spline_table(self.x, self.y, self.label, self.slopes)
        terms = [
            Term(find(builder, self.coordinate, self)),
            Term(find(builder, self.of, self), knots=knots, coefficients=-coefficients),
        ]
        builder.add_coordinate_constraint(self.name, terms, 0.0, *held(self.enforcement, self), "follows")


@declared
class CoordinateSpring(Part):
    """A torsion spring, or one along a slide: ½ stiffness (q − rest)² [N m/rad or N/m], or any curve of torque over q − rest.

    curve: two lists, places q − rest [rad or m] and the torque [N m] or force [N] with which the spring resists there, ∂U/∂q:
    ([-1, 1], [-k, k]) is a stiffness of k. Between the points it is smooth, and rises only where they do; beyond them it goes
    on straight. The energy is its exact integral, so that conserving methods conserve it; `of_function` tabulates a function.
    """

    name: str
    coordinate: str
    stiffness: float | None = quantity("(N m/rad, or N/m)", default=None, at_least=0.0)
    rest: float = quantity("(that of the coordinate)", default=0.0)
    curve: Curve = given(default=None)
    mirror = in_mirror(rest="odd", curve="curve")

    def __post_init__(self) -> None:
        if (self.stiffness is None) == (self.curve is None):
            raise InputError(f"{self.label}: give either a stiffness or a curve")
        if self.curve is not None:
            self.curve = checked_curve(self.curve, self.label)

    @classmethod
    def of_function(
        cls, name: str, coordinate: str, torque: Callable[[float], float], lower: float, upper: float, *,
        points: int = 201, rest: float = 0.0,
    ) -> Self:  # fmt: skip
        """torque(q − rest) [N m or N] of a Python function, tabulated between lower and upper [rad or m]."""
        return cls(
            name, coordinate, rest=rest, curve=tabulated(f"{cls.__name__} '{name}'", torque, lower, upper, points)
        )

    def validate(self, model: Model) -> None:
        split(model, self.coordinate, self)

    def compile(self, builder: Builder) -> None:
        coordinate = find_for(builder, self.coordinate, self, "rest")
        if self.stiffness is not None:
            builder.add_coordinate_energy(self.name, Term(coordinate), self.stiffness, self.rest, self.rest)
        else:
            knots, coefficients = energy_table(self.curve)
            builder.add_potential(self.name, Term(coordinate, knots=knots + self.rest, coefficients=coefficients))


@declared
class CoordinateDamper(Part):
    """−damping · q̇ on a joint coordinate, damping [N m s/rad] or [N s/m], or any curve of torque over the rate q̇.

    curve: two lists, rates [rad/s or m/s] and the torque [N m] or force [N] with which the damper resists there:
    ([-1, 1], [-c, c]) is a damping of c. It is smooth like that of a `CoordinateSpring`, and goes through (0, 0); beyond its
    ends it goes on straight, or level if it falls. `of_function` tabulates a function.
    """

    name: str
    coordinate: str
    damping: float | None = quantity("(N m s/rad, or N s/m)", default=None, at_least=0.0)
    curve: Curve = given(default=None)
    mirror = in_mirror(curve="curve")

    def __post_init__(self) -> None:
        if (self.damping is None) == (self.curve is None):
            raise InputError(f"{self.label}: give either a damping or a curve")
        if self.curve is not None:
            self.curve = checked_curve(self.curve, self.label)
            rate_table(self.curve, self.label)

    @classmethod
    def of_function(
        cls, name: str, coordinate: str, torque: Callable[[float], float], slowest: float, fastest: float, *,
        points: int = 201,
    ) -> Self:  # fmt: skip
        """torque(q̇) [N m or N] of a Python function, tabulated between two rates [rad/s or m/s] on both sides of 0."""
        return cls(
            name, coordinate, curve=tabulated(f"{cls.__name__} '{name}'", torque, slowest, fastest, points, through=0.0)
        )

    def validate(self, model: Model) -> None:
        split(model, self.coordinate, self)

    def compile(self, builder: Builder) -> None:
        resisting = self.curve if self.damping is None else self.damping
        add_damper(builder, self, Term(find(builder, self.coordinate, self)), resisting)


def add_damper(builder: Builder, part: Any, term: Term, resisting: Any) -> None:
    """A damper on a coordinate; resisting: its constant [N m s/rad or N s/m], or a curve of torque over the rate."""
    if np.ndim(resisting) == 0:
        builder.add_coordinate_force(part.name, COORDINATE_DAMPER, term, (float(resisting), 1.0, -1.0, 0.0))
        return
    knots, coefficients = rate_table(resisting, part.label)
    lead = (float(len(knots)), *knots.tolist(), *coefficients.ravel().tolist())
    builder.add_coordinate_force(part.name, CURVED_DAMPER, term, lead)


@declared
class CoordinateForce(Part):
    """A torque [N m] or force [N] on a joint coordinate times a function of time: a motor."""

    name: str
    coordinate: str
    value: float = quantity("(N m, or N)", default=1.0)
    scale: OverTime = given(default=1.0)
    mirror = in_mirror(value="odd")

    def __post_init__(self) -> None:
        self.scale = as_function(self.scale, self.label)

    def validate(self, model: Model) -> None:
        split(model, self.coordinate, self)

    def compile(self, builder: Builder) -> None:
        term = Term(find(builder, self.coordinate, self))
        builder.add_coordinate_force(self.name, COORDINATE_FORCE, term, (self.value,), self.scale)


@declared
class Limit(Part):
    """A stop: beyond lower or upper [rad or m] a spring and a damper push the coordinate back.

    It pushes and does not stick: while the coordinate comes back, the damper takes no more than the spring gives.
    """

    name: str
    coordinate: str
    lower: float = quantity("(that of the coordinate)")
    upper: float = quantity("(that of the coordinate)")
    stiffness: float = quantity("(N m/rad, or N/m)", above=0.0)
    damping: float = quantity("(N m s/rad, or N s/m)", default=0.0, at_least=0.0)
    mirror = in_mirror(lower="end", upper="end")

    def __post_init__(self) -> None:
        if self.lower > self.upper:
            raise InputError(f"{self.label}: lower ({self.lower:g}) must not be above upper ({self.upper:g})")

    def validate(self, model: Model) -> None:
        split(model, self.coordinate, self)

    def compile(self, builder: Builder) -> None:
        term = Term(find_for(builder, self.coordinate, self, "lower", "upper"))
        builder.add_coordinate_energy(self.name, term, self.stiffness, self.lower, self.upper)
        if self.damping > 0:
            lead = (self.damping, self.lower, self.upper, self.stiffness)
            builder.add_coordinate_force(self.name, COORDINATE_DAMPER, term, lead)
