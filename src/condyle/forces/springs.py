"""Springs and dampers between two points of any bodies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from condyle.errors import InputError
from condyle.laws.codes import DAMPER, SPRING, VISCOUS
from condyle.model.given import OnPoint, VectorOrNone
from condyle.model.part import Part
from condyle.model.point import as_point
from condyle.model.quantities import choice, declared, quantity

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder


@declared
class Spring(Part):
    """A spring: ½ stiffness (ℓ − rest_length)² along the line between two points; stiffness [N/m], rest_length [m].

    Without a rest length the spring is free in the declared pose, before `Initial` moves bodies. tension_only: it goes
    slack when shorter (a cord).
    """

    name: str
    a: OnPoint
    b: OnPoint
    stiffness: float = quantity("N/m", at_least=0.0)
    rest_length: float | None = quantity("m", default=None, at_least=0.0)
    tension_only: bool = False

    def __post_init__(self) -> None:
        self.a, self.b = as_point(self.a), as_point(self.b)

    def validate(self, model: Model) -> None:
        model.body(self.a.body, self)
        model.body(self.b.body, self)

    def compile(self, builder: Builder) -> None:
        span = builder.position(self.b, self) - builder.position(self.a, self)
        length = float(np.linalg.norm(builder.value(span)))
        rest = length if self.rest_length is None else self.rest_length
        if length == 0.0 and rest > 0.0:
            raise InputError(
                f"{self.label}: its ends coincide in the declared pose, so its direction is unknown; move one end"
            )
        if rest == 0.0 and self.rest_length is None:
            raise InputError(f"{self.label}: its ends coincide; give rest_length=0 if that is meant")
        builder.add_energy(self.name, SPRING, [span.pruned()], [self.stiffness, rest, float(self.tension_only)])


@declared
class Damper(Part):
    """A dashpot with force −damping · rate [N], damping [N s/m].

    along: 'line' acts along the line between the points on the rate of its length, 'all' on the whole relative velocity.
    """

    name: str
    a: OnPoint
    b: OnPoint
    damping: float = quantity("N s/m", at_least=0.0)
    along: str = choice("line", "all", default="line")

    def __post_init__(self) -> None:
        self.a, self.b = as_point(self.a), as_point(self.b)

    def validate(self, model: Model) -> None:
        model.body(self.a.body, self)
        model.body(self.b.body, self)

    def compile(self, builder: Builder) -> None:
        span = (builder.position(self.b, self) - builder.position(self.a, self)).pruned()
        if self.along == "line" and not np.linalg.norm(builder.value(span)) > 0:
            raise InputError(
                f"{self.label}: its ends coincide, so its line is unknown; use along='all' or move one end"
            )
        builder.add_force(self.name, DAMPER if self.along == "line" else VISCOUS, [span], [self.damping])


@declared
class Bushing(Part):
    """An elastic joint of two bodies at a common point: springs and dampers on all relative translations and rotations.

    stiffness [N/m] and damping [N s/m] of translation; turning_stiffness [N m/rad] of small relative rotations, the same
    about all axes: ½ k Σ ½ |d_i^(a) − d_i^(b)|², with the directions d_i that coincide at the start; turning_damping
    [N m s/rad]. `at` [m] is the place in the world at the start.
    """

    name: str
    a: OnPoint
    b: OnPoint
    at: VectorOrNone = quantity("m", default=None, vector=True)
    stiffness: float = quantity("N/m", default=0.0, at_least=0.0)
    damping: float = quantity("N s/m", default=0.0, at_least=0.0)
    turning_stiffness: float = quantity("N m/rad", default=0.0, at_least=0.0)
    turning_damping: float = quantity("N m s/rad", default=0.0, at_least=0.0)

    def __post_init__(self) -> None:
        self.a, self.b = (as_point(getattr(e, "name", e), self.at) if self.at is not None else as_point(e)
                          for e in (self.a, self.b))  # fmt: skip
        self.at = None

    def validate(self, model: Model) -> None:
        model.body(self.a.body, self)
        model.body(self.b.body, self)

    def compile(self, builder: Builder) -> None:
        gap = (builder.position(self.b, self) - builder.position(self.a, self)).pruned()
        if self.stiffness > 0:
            builder.add_energy(self.name, SPRING, [gap], [self.stiffness, 0.0, 0.0])
        if self.damping > 0:
            builder.add_force(self.name, VISCOUS, [gap], [self.damping])
        if self.turning_stiffness == 0.0 and self.turning_damping == 0.0:
            return
        # Σ_i |d_i^a − d_i^b|² = 2 φ² for a small relative rotation φ in 3D as in 2D, hence the factor ½ of each spring.
        for axis in np.eye(builder.d):
            off = builder.direction(self.b, axis, self) - builder.direction(self.a, axis, self)
            if self.turning_stiffness > 0:
                builder.add_energy(self.name, SPRING, [off], [0.5 * self.turning_stiffness, 0.0, 0.0])
            if self.turning_damping > 0:
                builder.add_force(self.name, VISCOUS, [off], [0.5 * self.turning_damping])
