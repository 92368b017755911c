"""Damping proportional to mass and stiffness."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condyle.bodies.capabilities import Averaged
from condyle.errors import InputError
from condyle.model.given import OnBody
from condyle.model.part import Part
from condyle.model.quantities import declared, quantity

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder


@declared
class RayleighDamping(Part):
    """Damping of a body: mass_rate α [1/s] times its momentum, stiffness_time β [s] times the rate of its stress.

    A mode of angular frequency ω has the damping ratio ½ (α/ω + β ω). The stiffness part is written in strain rates
    (Kelvin–Voigt), so that it does no work in rigid motion; the mass part brakes every motion.
    """

    name: str
    body: OnBody
    mass_rate: float = quantity("1/s", default=0.0, at_least=0.0)
    stiffness_time: float = quantity("s", default=0.0, at_least=0.0)

    def __post_init__(self) -> None:
        self.body = getattr(self.body, "name", self.body)

    def validate(self, model: Model) -> None:
        model.body(self.body, self)

    def compile(self, builder: Builder) -> None:
        if self.mass_rate > 0:
            rows = [k for k, owner in enumerate(builder.owner) if owner == self.body]
            builder.drag.update(dict.fromkeys(rows, self.mass_rate))
        if self.stiffness_time > 0:
            mine = [i for i in builder.energies if i.part == self.body]
            if not mine:
                raise InputError(f"{self.label}: '{self.body}' has no stiffness of its own; use mass_rate or a Damper")
            body = builder.model[self.body]
            if isinstance(body, Averaged) and body.dilatation == "mean":
                raise InputError(
                    f"{self.label}: '{self.body}' has averaged dilatations; give its material a viscosity instead"
                )
            if any(i.viscosity > 0.0 for i in mine):
                raise InputError(
                    f"{self.label}: the material of '{self.body}' has a viscosity already; keep one of them"
                )
            for instance in mine:
                instance.damping = self.stiffness_time
