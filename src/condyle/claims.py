"""Claims: what is known from elsewhere beside what is computed, and what kind of knowledge it is.

A study declares its claims beside the model that computes them. Every claim has a **kind**, which says what stands
behind its reference:

=============  ======================================================================================================
published      a number or a statement printed in a source; ``origin`` gives the page, section, table or figure
closed form    a formula, or an ordinary differential equation or integral solved to round-off
reference      another program, another formulation or a converged run, which ``origin`` names
relation       two things that are computed here, compared with each other: the same, larger, proportional
property       what the method promises: conservation, order, equilibrium, numbers of iterations
regression     a number of our own, so that a change is noticed
=============  ======================================================================================================

Its reference is one of

- a number: it holds if ``|computed - reference| <= tolerance``, absolute, in the claim's unit;
- an interval ``(lo, hi)``: it holds if ``lo <= computed <= hi``;
- words, ``"J constant"``: ``computed`` is then the measured margin, and the claim holds if the margin is at most the
  tolerance (``sense="below"``) or at least the tolerance (``sense="above"``).

Where a source's number is missed for a reason that is known, the claim keeps the number and the tolerance of the source
and says so with ``differs=Differs(reason, low, high)``. It then *differs* as long as the computed value stays between
``low`` and ``high``; if it leaves them, or comes to agree with the source, it fails and says which.

A computed value that is not finite, or whose computation fails, never holds. Imports only the standard library.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from condyle.errors import InputError, unknown_name

if TYPE_CHECKING:
    from condyle.model.given import Json

__all__ = [
    "KINDS",
    "Claim",
    "Differs",
    "Judgement",
    "Kind",
    "Outcome",
    "Reference",
    "Sense",
    "Verdict",
    "by_kind",
    "counted",
    "expected",
    "shown",
]

Reference: TypeAlias = float | tuple[float, float] | str
Outcome: TypeAlias = dict[str, Any]  # what a study has computed, by name: numbers, arrays, results, dicts of these
Kind: TypeAlias = Literal["published", "closed form", "reference", "relation", "property", "regression"]
Judgement: TypeAlias = Literal["holds", "differs", "fails"]
Sense: TypeAlias = Literal["below", "above"]

KINDS: tuple[Kind, ...] = get_args(Kind)
COMPARED_WITH_OTHERS: tuple[Kind, ...] = ("published", "closed form", "reference")  # kinds that may differ

# Where in a source a number stands; an equation, an appendix or a caption will do as well.
_PLACE = re.compile(
    r"\b(pages?|pp?\.|sections?|tables?|figures?|fig\.|eqs?\.?|equations?|chapters?|appendix|abstract|code|video)\b|§",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Differs:
    """A published number that is missed, and why.

    Parameters
    ----------
    reason : why the computed value is another one, in a sentence that a reader of the source understands
    low, high : between which the computed value stays, in the unit of the claim; apart from what would agree
    """

    reason: str
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """One claim after its study has run.

    ``outcome`` is ``"holds"``, ``"differs"`` (missed for the ``reason`` that the claim gives) or ``"fails"``.
    ``computed`` is None where there is no number; ``problem`` says why a claim fails where the numbers do not show it.
    ``origin`` is where the reference comes from. ``reference``, ``computed`` and ``tolerance`` are in ``unit``; where the
    reference is words, ``sense`` says whether the computed margin has to be below or above the tolerance.
    """

    study: str
    quantity: str
    kind: Kind
    reference: Reference
    computed: float | None
    unit: str
    tolerance: float | None
    outcome: Judgement
    origin: str
    reason: str = ""
    problem: str = ""
    sense: Sense = "below"

    @property
    def ok(self) -> bool:
        """Whether the run may go on as if all were well: it holds, or differs as stated."""
        return self.outcome != "fails"

    def to_json(self) -> dict[str, Json]:
        """A dictionary for strict JSON: what is not finite becomes null, an interval a list of two."""
        reference = self.reference
        return {
            "study": self.study,
            "quantity": self.quantity,
            "kind": self.kind,
            "reference": [_finite(bound) for bound in reference] if isinstance(reference, tuple) else reference,
            "computed": _finite(self.computed),
            "unit": self.unit,
            "tolerance": self.tolerance,
            "sense": self.sense,
            "outcome": self.outcome,
            "ok": self.ok,
            "from": self.origin,
            "reason": self.reason,
            "problem": self.problem,
        }

    @classmethod
    def from_json(cls, entry: Mapping[str, Json]) -> Verdict:
        """The verdict that ``to_json`` wrote; an open end of an interval comes back as infinite."""
        values = {name: value for name, value in entry.items() if name not in ("ok", "from")}
        if isinstance(reference := values["reference"], list):
            lo, hi = reference
            values["reference"] = (-math.inf if lo is None else lo, math.inf if hi is None else hi)
        return cls(origin=entry["from"], **values)


@dataclass(frozen=True)
class Claim:
    """A quantity, its reference and the function that computes it from the outcome of a study.

    Parameters
    ----------
    quantity : what is compared, as a reader of the source would call it
    reference : number, interval or words (see the module)
    computed : function of the study's outcome that returns a float in ``unit``
    kind : what stands behind the reference, one of ``KINDS``
    unit : SI symbol, empty for pure numbers
    tolerance : absolute, in ``unit``; required for numbers and words, not used for intervals. For what is published:
        half a unit of the last printed digit, or the accuracy to which a plot can be read
    origin : where the reference comes from, e.g. ``"section 7.2, figure 9, read to ±2 %"`` or ``"ρ A L"``
    sense : for words, whether the margin has to be below or above the tolerance
    full_only : the claim needs the full run; the quick form of the study leaves it out
    differs : why the number is missed, if it is, and between which values the computed one then stays
    """

    quantity: str
    reference: Reference
    computed: Callable[[Outcome], float]
    _: KW_ONLY
    kind: Kind
    unit: str = ""
    tolerance: float | None = None
    origin: str
    sense: Sense = "below"
    full_only: bool = False
    differs: Differs | None = None

    def __post_init__(self) -> None:
        where = f"claim {self.quantity!r}"
        if self.kind not in KINDS:
            raise unknown_name("kind", self.kind, KINDS, where=where)
        if not self.origin.strip():
            raise InputError(f"{where}: say in origin where the reference comes from")
        if self.kind == "published" and not _PLACE.search(self.origin):
            raise InputError(
                f"{where}: a published reference needs its place in the source, such as 'section 7.2, figure 9', in "
                f"origin, not {self.origin!r}; if it is not printed there, it is of another kind"
            )
        if self.sense not in ("below", "above"):
            raise InputError(f"{where}: sense is 'below' or 'above', not {self.sense!r}")
        self._check_reference(where)
        if self.differs is not None:
            self._check_differs(where, self.differs)

    @classmethod
    def kept(cls, quantity: str, entry: str, tolerance: float, origin: str, *, words: str = "constant") -> Claim:
        """What a method keeps: an entry of the outcome, the largest change over the run, is at most the tolerance."""
        return cls(quantity, words, lambda o: o[entry], kind="property", tolerance=tolerance, origin=origin)

    @classmethod
    def newton(
        cls,
        most: int,
        computed: Callable[[Outcome], float],
        quantity: str = "most Newton iterations in a step",
    ) -> Claim:
        """Newton's method needs at most so many iterations in a step."""
        origin = "Newton's method; more means that the tangent is wrong"
        return cls(quantity, (1.0, float(most)), computed, kind="property", origin=origin)

    def check(self, study: str, outcome: Outcome) -> Verdict:
        """Compute the quantity from the outcome of the study and compare it with the reference."""
        try:
            value = float(self.computed(outcome))
        except Exception as error:  # a claim that cannot be computed has failed; the others are still of interest
            return self.failed(study, f"{type(error).__name__}: {error}")
        if not math.isfinite(value):
            return self.failed(study, f"computed value is {value}")
        return self._verdict(study, value, *self.judged(value))

    def failed(self, study: str, problem: str) -> Verdict:
        """The verdict where there is no number to compare."""
        return self._verdict(study, None, "fails", problem)

    def holds(self, value: float) -> bool:
        """Whether a computed value [unit] agrees with the reference; never for NaN or infinity."""
        if not math.isfinite(value):
            return False
        if isinstance(self.reference, str):
            assert self.tolerance is not None  # checked when the claim was declared
            return value <= self.tolerance if self.sense == "below" else value >= self.tolerance
        lo, hi = self.accepted()
        return lo <= value <= hi

    def accepted(self) -> tuple[float, float]:
        """The values that agree with a number or an interval [unit]."""
        if isinstance(self.reference, tuple):
            return self.reference
        assert self.tolerance is not None and not isinstance(self.reference, str)
        return self.reference - self.tolerance, self.reference + self.tolerance

    def judged(self, value: float) -> tuple[Judgement, str]:
        """The outcome for a finite computed value [unit], and what is the matter with it beyond the numbers."""
        if self.differs is None:
            return ("holds", "") if self.holds(value) else ("fails", "")
        if self.holds(value):
            return "fails", "agrees with the source now: take 'differs' away from the claim"
        low, high = self.differs.low, self.differs.high
        if not low <= value <= high:
            return "fails", f"differs more than stated: outside of {low:g} to {high:g}"
        return "differs", ""

    def _verdict(self, study: str, value: float | None, outcome: Judgement, problem: str) -> Verdict:
        return Verdict(
            study=study,
            quantity=self.quantity,
            kind=self.kind,
            reference=self.reference,
            computed=value,
            unit=self.unit,
            tolerance=self.tolerance,
            outcome=outcome,
            origin=self.origin,
            reason="" if self.differs is None else self.differs.reason,
            problem=problem,
            sense=self.sense,
        )

    def _check_reference(self, where: str) -> None:
        if isinstance(self.reference, tuple):
            if len(self.reference) != 2 or not self.reference[0] <= self.reference[1]:
                raise InputError(f"{where}: an interval is (lo, hi) with lo <= hi, not {self.reference}")
            if all(map(math.isinf, self.reference)):
                raise InputError(f"{where}: an interval that holds every number cannot fail; give it an end")
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

    def _check_differs(self, where: str, differs: Differs) -> None:
        if self.kind not in COMPARED_WITH_OTHERS:
            raise InputError(
                f"{where}: only what is {', '.join(COMPARED_WITH_OTHERS)} can differ; a {self.kind} holds or fails"
            )
        if isinstance(self.reference, str):
            raise InputError(f"{where}: words cannot differ by a known amount; give the source's number or interval")
        if not differs.reason.strip():
            raise InputError(f"{where}: say in the reason of 'differs' why the source's number is missed")
        if not (math.isfinite(differs.low) and math.isfinite(differs.high) and differs.low <= differs.high):
            raise InputError(
                f"{where}: 'differs' takes finite bounds low <= high in {self.unit or 'its unit'}, not "
                f"{differs.low} and {differs.high}"
            )
        lo, hi = self.accepted()
        if differs.low <= hi and lo <= differs.high:
            raise InputError(
                f"{where}: {differs.low:g} to {differs.high:g} of 'differs' holds values that agree with the source "
                f"({lo:g} to {hi:g}); keep them apart"
            )

    def _check_sense(self, where: str) -> None:
        if self.sense != "below":
            raise InputError(f"{where}: sense='above' belongs to words, not to a number or an interval")


def by_kind(verdicts: Sequence[Verdict]) -> list[Verdict]:
    """The verdicts grouped by kind, in the order of ``KINDS``; within a kind the order stays."""
    return sorted(verdicts, key=lambda verdict: KINDS.index(verdict.kind))


def counted(verdicts: Sequence[Verdict]) -> str:
    """How many of each kind hold, in words: ``31 of 33 published, 2 differ; 12 of 12 closed form``."""
    texts = []
    for kind in KINDS:
        outcomes = [verdict.outcome for verdict in verdicts if verdict.kind == kind]
        if not outcomes:
            continue
        counts = {"differ": outcomes.count("differs"), "fail": outcomes.count("fails")}
        missed = [f"{count} {word}{'s' if count == 1 else ''}" for word, count in counts.items() if count]
        texts.append(", ".join([f"{outcomes.count('holds')} of {len(outcomes)} {kind}", *missed]))
    return "; ".join(texts)


def shown(value: float, tolerance: float | None = None) -> str:
    """A number with enough digits to see a difference of the size of the tolerance."""
    digits = 6
    if tolerance and value and math.isfinite(value):
        digits = min(max(digits, math.ceil(math.log10(abs(value / tolerance))) + 2), 16)
    return f"{value:.{digits}g}"


def expected(reference: Reference, tolerance: float | None, sense: Sense, unit: str) -> str:
    """What would agree: a number with its tolerance, an interval, or words with the bound of their margin."""
    unit = f" {unit}" if unit else ""
    if isinstance(reference, tuple):
        lo, hi = reference
        if math.isinf(hi):
            return f"≥ {shown(lo)}{unit}"
        return f"≤ {shown(hi)}{unit}" if math.isinf(lo) else f"{shown(lo)} to {shown(hi)}{unit}"
    assert tolerance is not None  # of numbers and words, checked when the claim was declared
    if isinstance(reference, str):
        return f"{reference} ({'≤' if sense == 'below' else '≥'} {shown(tolerance)}{unit})"
    return f"{shown(reference, tolerance)} ± {shown(tolerance)}{unit}"


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
