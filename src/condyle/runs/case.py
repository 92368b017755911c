"""One case of a sweep: what is run with which values, and what came of it. A worker imports no more than it needs."""

from __future__ import annotations

import json
import math
import numbers
import warnings
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

from condyle.errors import CondyleError
from condyle.runs.target import StudyFile

__all__ = ["Case", "Job", "plain", "run_case", "write_whole"]


@dataclass(frozen=True)
class Job:
    """What a worker is told: the study by its name or a function of one's own, and the values.

    Parameters
    ----------
    number : place in the plan, from 0
    target : name of a study, path of a Python file with one, or a model file; or a function of the parameters that returns
        a mapping of numbers
    parameters : name → value
    quick : the quick form of a study
    folder : where a study keeps its results files; None keeps none
    """

    number: int
    target: str | StudyFile | Callable[..., Any]
    parameters: dict[str, Any]
    quick: bool = False
    folder: str | None = None


@dataclass
class Case:
    """A case that was run: its values, its numbers, or why there are none."""

    number: int
    parameters: dict[str, Any]
    outputs: dict[str, float] = field(default_factory=dict)
    problem: str = ""
    warnings: list[str] = field(default_factory=list)
    seconds: float = 0.0

    def write(self, folder: Path) -> None:
        """Keep it in a file of its own, whole or not at all."""
        write_whole(folder / f"{self.number:06d}.json", json.dumps(asdict(self), allow_nan=False) + "\n")

    @classmethod
    def read(cls, file: Path) -> Case | None:
        """The case that `write` kept; None if the file is damaged, so that the case runs again."""
        try:
            case = cls(**json.loads(file.read_text(encoding="utf-8")))
            return case if file.stem == f"{case.number:06d}" else None
        except (ValueError, TypeError):
            return None


def write_whole(file: Path, text: str) -> None:
    """Write a file so that it is there with all its text or not at all, whenever the process is killed."""
    partial = file.with_suffix(".part")
    partial.write_text(text, encoding="utf-8")
    partial.replace(file)


def run_case(job: Job) -> Case:
    """Run one case. What it raises becomes its problem: other cases go on."""
    case = Case(job.number, job.parameters)
    begun = perf_counter()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            case.outputs = _outputs(job)
        except CondyleError as error:
            case.problem = " ".join(str(error).split())
        except Exception as error:  # of a function of one's own: it must not end the sweep
            case.problem = f"{type(error).__name__}: {' '.join(str(error).split())}"
    case.warnings = sorted({" ".join(str(warning.message).split()) for warning in caught})
    if not case.problem and not case.outputs:
        why = [said for said in case.warnings if said.startswith("no output ")]
        case.problem = "; ".join(["it gave no finite number", *why])
    case.seconds = perf_counter() - begun
    return case


def _outputs(job: Job) -> dict[str, float]:
    if callable(job.target):
        found = job.target(**job.parameters)
        named = found if isinstance(found, Mapping) else {"value": found}
        return {str(name): number for name, value in named.items() if (number := _number(value)) is not None}
    from condyle.study import Context

    if isinstance(job.target, StudyFile):
        study = job.target.study()
    else:
        from condyle import studies

        study = studies.get(job.target)
    outcome = study.execute(job.parameters, Context(job.folder), job.quick)
    verdicts = study.judge(outcome, job.quick)
    found = {verdict.quantity: verdict.computed for verdict in verdicts if verdict.computed is not None}
    outputs = outcome.get("outputs")  # of a model file
    if isinstance(outputs, Mapping):
        found = {str(n): number for n, value in outputs.items() if (number := _number(value)) is not None} | found
    return found


def plain(value: Any) -> Any:
    """A number of NumPy as one of Python, as files keep it."""
    return value.item() if getattr(value, "ndim", None) == 0 else value


def _number(value: object) -> float | None:
    """The value as a finite float; None where it is none, so that no NaN comes into a table."""
    value = plain(value)
    if not isinstance(value, numbers.Real) or not math.isfinite(value):
        return None
    return float(value)
