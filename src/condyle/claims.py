"""Claims: the published number beside the computed one.

A study declares its claims beside the model that computes them. A claim's reference is one of

- a number: it holds if ``|computed - reference| <= tolerance``, absolute, in the claim's unit;
- an interval ``(lo, hi)``: it holds if ``lo <= computed <= hi``;
- a relation in words, ``"J constant"``: ``computed`` is then the measured margin, and the relation holds if the
  margin is at most the tolerance (``sense="below"``) or at least the tolerance (``sense="above"``).

A computed value that is not finite, or whose computation fails, never holds. Imports only the standard library.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, TypeAlias

from condyle.errors import InputError

__all__ = ["Claim", "Reference", "Verdict"]

Reference: TypeAlias = float | tuple[float, float] | str


@dataclass(frozen=True)
class Verdict:
    """One claim after its study has run.

    ``computed`` is None where there is no number; ``problem`` then says why. ``origin`` is where the reference
    comes from. ``reference``, ``computed`` and ``tolerance`` are in ``unit``.
    """

    study: str
    quantity: str
    reference: Reference
    computed: float | None
    unit: str
    tolerance: float | None
    ok: bool
    origin: str
    problem: str = ""

    def to_json(self) -> dict[str, Any]:
        """A dictionary for strict JSON: what is not finite becomes null, an interval a list of two."""
        reference = self.reference
        return {
            "study": self.study,
            "quantity": self.quantity,
            "reference": [_finite(bound) for bound in reference] if isinstance(reference, tuple) else reference,
            "computed": _finite(self.computed),
            "unit": self.unit,
            "tolerance": self.tolerance,
            "ok": self.ok,
            "from": self.origin,
        }


@dataclass(frozen=True)
class Claim:
    """A quantity, its reference and the function that computes it from the outcome of a study.

    Parameters
    ----------
    quantity : what is compared, as a reader of the source would call it
    reference : number, interval or relation in words (see the module)
    computed : function of the study's outcome that returns a float in ``unit``
    unit : SI symbol, empty for pure numbers
    tolerance : absolute, in ``unit``; required for numbers and relations, not used for intervals
    origin : where the reference comes from, e.g. ``"section 7.2, figure 9"`` or ``"closed form"``
    sense : for relations, whether the margin has to be below or above the tolerance
    full_only : the claim needs the full run; the quick form of the study leaves it out
    """

    quantity: str
    reference: Reference
    computed: Callable[[Mapping[str, Any]], float]
    _: KW_ONLY
    unit: str = ""
    tolerance: float | None = None
    origin: str
    sense: Literal["below", "above"] = "below"
    full_only: bool = False

    def __post_init__(self) -> None:
        where = f"claim {self.quantity!r}"
        if self.sense not in ("below", "above"):
            raise InputError(f"{where}: sense is 'below' or 'above', not {self.sense!r}")
        if isinstance(self.reference, tuple):
            if len(self.reference) != 2 or not self.reference[0] <= self.reference[1]:
                raise InputError(f"{where}: an interval is (lo, hi) with lo <= hi, not {self.reference}")
            self._check_sense(where)
            return
        if self.tolerance is None or not math.isfinite(self.tolerance):
            raise InputError(f"{where}: give a finite tolerance in {self.unit or 'its unit'}, not {self.tolerance}")
        if isinstance(self.reference, str):
            return
        if not math.isfinite(self.reference):
            raise InputError(f"{where}: the reference must be finite, not {self.reference}")
        if self.tolerance < 0.0:
            raise InputError(f"{where}: a tolerance cannot be negative, but is {self.tolerance}")
        self._check_sense(where)

    def check(self, study: str, outcome: Mapping[str, Any]) -> Verdict:
        """Compute the quantity from the outcome of the study and compare it with the reference."""
        try:
            value = float(self.computed(outcome))
        except Exception as error:  # a claim that cannot be computed has failed; the others are still of interest
            return self.failed(study, f"{type(error).__name__}: {error}")
        if not math.isfinite(value):
            return self.failed(study, f"computed value is {value}")
        return self._verdict(study, value, self.holds(value), "")

    def failed(self, study: str, problem: str) -> Verdict:
        """The verdict where there is no number to compare."""
        return self._verdict(study, None, False, problem)

    def holds(self, value: float) -> bool:
        """Whether a computed value [unit] agrees with the reference; never for NaN or infinity."""
        if not math.isfinite(value):
            return False
        if isinstance(self.reference, tuple):
            return self.reference[0] <= value <= self.reference[1]
        assert self.tolerance is not None  # checked when the claim was declared
        if not isinstance(self.reference, str):
            return abs(value - self.reference) <= self.tolerance
        return value <= self.tolerance if self.sense == "below" else value >= self.tolerance

    def _verdict(self, study: str, value: float | None, ok: bool, problem: str) -> Verdict:
        return Verdict(study, self.quantity, self.reference, value, self.unit, self.tolerance, ok, self.origin, problem)

    def _check_sense(self, where: str) -> None:
        if self.sense != "below":
            raise InputError(f"{where}: sense='above' belongs to a relation in words, not to a number or an interval")


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
