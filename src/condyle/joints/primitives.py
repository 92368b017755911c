"""The single constraints that all joints are made of, for joints of one's own (Taylor 2000, §6.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condyle.joints.joint import Joint
from condyle.model.given import Vector
from condyle.model.quantities import declared, quantity

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder


@declared
class Translation(Joint):
    """One translation is held: v·(x^(a) − x^(b)) stays constant, v = `direction` (world, at the start) carried by body a.

    Equations 90–93, in the bilinear form that energy–momentum stepping keeps exactly.
    """

    direction: Vector = quantity(default=None, vector=True, nonzero=True)

    def validate(self, model: Model) -> None:
        super().validate(model)
        self.check_direction("direction", model, "give the direction of the translation that it holds")

    def compile(self, builder: Builder) -> None:
        """One scalar constraint."""
        self.stay_level(builder, self.on(builder, self.a, self.direction), "translation")


@declared
class Rotation(Joint):
    """One rotation is held: v_a·v_b stays constant (eqs 98–101), v_a carried by body a, v_b by body b (world, at the start)."""

    direction_a: Vector = quantity(default=None, vector=True, nonzero=True)
    direction_b: Vector = quantity(default=None, vector=True, nonzero=True)

    def validate(self, model: Model) -> None:
        super().validate(model)
        for name in ("direction_a", "direction_b"):
            self.check_direction(name, model, "give direction_a (carried by a) and direction_b (carried by b)")

    def compile(self, builder: Builder) -> None:
        """One scalar constraint."""
        self.stay_square(
            builder, self.on(builder, self.a, self.direction_a), self.on(builder, self.b, self.direction_b), "rotation"
        )
