"""The single constraints that all joints are made of, for joints of one's own (Taylor 2000, §6.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condyle.joints.joint import Joint
from condyle.model.given import VectorOrNone
from condyle.model.part import fits
from condyle.model.quantities import declared, quantity

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder


@declared
class Translation(Joint):
    """One translation is held: v·(x^(a) − x^(b)) stays constant, v = `direction` (world, at the start) carried by body a.

    Equations 90–93, in the bilinear form that energy–momentum stepping keeps exactly.
    """

    direction: VectorOrNone = quantity(default=None, vector=True, nonzero=True)

    def validate(self, model: Model) -> None:
        super().validate(model)
        fits(self, "direction", model.dimension)

    def compile(self, builder: Builder) -> None:
        """One scalar constraint."""
        self.stay_level(builder, self.on(builder, self.a, self.direction), "translation")


@declared
class Rotation(Joint):
    """One rotation is held: v_a·v_b stays constant (eqs 98–101), v_a carried by body a, v_b by body b (world, at the start)."""

    direction_a: VectorOrNone = quantity(default=None, vector=True, nonzero=True)
    direction_b: VectorOrNone = quantity(default=None, vector=True, nonzero=True)

    def validate(self, model: Model) -> None:
        super().validate(model)
        fits(self, "direction_a", model.dimension)
        fits(self, "direction_b", model.dimension)

    def compile(self, builder: Builder) -> None:
        """One scalar constraint."""
        self.stay_square(
            builder, self.on(builder, self.a, self.direction_a), self.on(builder, self.b, self.direction_b), "rotation"
        )
