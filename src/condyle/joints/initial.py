"""Initial values of joint coordinates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condyle.errors import InputError
from condyle.model.part import Part
from condyle.model.quantities import declared, in_mirror, quantity
from condyle.system.coordinate import Term, find_for, split

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder


@declared
class Initial(Part):
    """A joint coordinate starts at `value` [rad or m] and with `rate` [rad/s or m/s]; the bodies are moved to it."""

    name: str
    coordinate: str
    value: float | None = quantity("(that of the coordinate)", default=None)
    rate: float | None = quantity("(that of the coordinate per s)", default=None)
    mirror = in_mirror(value="odd", rate="odd")

    def __post_init__(self) -> None:
        if self.value is None and self.rate is None:
            raise InputError(f"{self.label}: give a value or a rate")

    def validate(self, model: Model) -> None:
        split(model, self.coordinate, self)

    def compile(self, builder: Builder) -> None:
        term = Term(find_for(builder, self.coordinate, self, "value"))
        builder.add_initial(self.name, term, self.value, self.rate)
