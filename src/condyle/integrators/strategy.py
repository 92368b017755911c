"""How Newton's method uses its factors: what `newton=…` of the integrators takes, as an object or by its name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from condyle.errors import InputError
from condyle.model.part import Declared, did_you_mean
from condyle.model.quantities import quantity

if TYPE_CHECKING:
    from condyle.model.given import Json

__all__ = ["FullNewton", "ModifiedNewton", "given_strategy", "newton_strategy"]


@dataclass(frozen=True)
class FullNewton(metaclass=Declared):
    """A new tangent in every iteration, except where the factors at hand end the step: quadratic convergence."""

    share: ClassVar[float] = 0.0


@dataclass(frozen=True)
class ModifiedNewton(metaclass=Declared):
    """Keeps the factors of a step as long as an iteration leaves less than `share` of the residual."""

    share: float = quantity(default=0.05, above=0.0, below=1.0)


NAMES: dict[str, FullNewton | ModifiedNewton] = {"full": FullNewton(), "modified": ModifiedNewton()}


def newton_strategy(given: str | FullNewton | ModifiedNewton | Mapping[str, Json]) -> FullNewton | ModifiedNewton:
    """The strategy itself, by its name, or by its options as a results file holds them."""
    if isinstance(given, FullNewton | ModifiedNewton):
        return given
    if isinstance(given, Mapping):
        return ModifiedNewton(**given) if given else FullNewton()
    if given not in NAMES:
        raise InputError(
            f"newton is {given!r}; choose 'full', 'modified', or a ModifiedNewton(share=…){did_you_mean(str(given), NAMES)}"
        )
    return NAMES[given]


def given_strategy(given: Any) -> str | FullNewton | ModifiedNewton:
    """What an integrator keeps of its option: a name that is known, or the object."""
    strategy = newton_strategy(given)
    return given if isinstance(given, str) else strategy
