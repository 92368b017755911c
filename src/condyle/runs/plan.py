"""Which cases a sweep runs: grids, and samples that fill a box evenly.

A plan is a list of dictionaries, one of parameter values per case. What is varied is a list of values or a `Span`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import numpy as np

from condyle.errors import InputError, unknown_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["DESIGNS", "Span", "plan_cases"]

DESIGNS = ("grid", "list", "latin", "sobol", "saltelli")
MOST_CASES = 1_000_000


Value: TypeAlias = float | str  # of a parameter: also a whole number, True or False
Share = TypeVar("Share", "float", "NDArray[np.float64]")  # of the way from one end to the other, 0 … 1


@dataclass(frozen=True)
class Span:
    """A range of a parameter, both ends included.

    Parameters
    ----------
    low, high : the ends, in the unit of the parameter
    count : number of values on a grid; samples need none
    log : values spaced by equal ratios
    """

    low: float
    high: float
    count: int | None = None
    log: bool = False

    def __post_init__(self) -> None:
        if not (np.isfinite(self.low) and np.isfinite(self.high) and self.low < self.high):
            raise InputError(f"range from {self.low} to {self.high}: give finite ends, the lower one first")
        if self.log and self.low <= 0.0:
            raise InputError(f"range from {self.low} to {self.high}: equal ratios need ends above zero")
        if self.count is not None and self.count < 2:
            raise InputError(f"range from {self.low} to {self.high}: {self.count} values; a range has at least two")

    def at(self, part: Share) -> Share:
        """The value at a part of the way, 0 … 1."""
        if self.log:
            return self.low * (self.high / self.low) ** part
        return self.low + (self.high - self.low) * part

    def values(self) -> list[float]:
        """The values on a grid."""
        assert self.count is not None
        return [float(value) for value in self.at(np.linspace(0.0, 1.0, self.count))]


def plan_cases(
    vary: Mapping[str, Span | Sequence[Value]], design: str = "grid", samples: int | None = None, seed: int = 0
) -> list[dict[str, Value]]:
    """The cases of a design.

    Parameters
    ----------
    vary : name of a parameter → its `Span`, or a list of values
    design : ``grid``, every value with every other; ``list``, the first value of each, the second of each, and so on;
        ``latin``, a Latin hypercube; ``sobol``, Sobol's sequence; ``saltelli``, the samples that Sobol's indices of
        sensitivity need: (parameters + 2) times `samples` cases
    samples : how many, for designs that take samples; a power of two for ``sobol`` and ``saltelli``
    seed : of the random numbers; the same seed gives the same cases
    """
    if not vary:
        raise InputError("a sweep without a parameter to vary; give at least one, name=low:high:count")
    if design not in DESIGNS:
        raise unknown_name("design", design, DESIGNS, where="sweep")
    for name, values in vary.items():
        if not isinstance(values, Span) and (isinstance(values, str) or not len(values)):
            raise InputError(f"sweep: {name!r} takes a list of values or a range, not {values!r}")
    if design in ("grid", "list"):
        if samples is not None:
            raise InputError(
                f"sweep: a {design} has no number of samples; give a count to each range, or another design"
            )
        return _grid(vary) if design == "grid" else _list(vary)
    if samples is None or samples < 2:
        raise InputError(f"sweep: say how many samples the design {design!r} has, at least two")
    if design != "latin" and samples & (samples - 1):
        raise InputError(
            f"sweep: {samples} samples; the design {design!r} fills space evenly with 2, 4, 8, 16, … of them"
        )
    points = _points(design, len(vary), samples, seed)
    _check_size(len(points))
    return [
        {name: _value(values, part) for (name, values), part in zip(vary.items(), point, strict=True)}
        for point in points
    ]


def _grid(vary: Mapping[str, Span | Sequence[Value]]) -> list[dict[str, Value]]:
    columns = _columns(vary)
    _check_size(int(np.prod([float(len(column)) for column in columns])))
    return [dict(zip(vary, case, strict=True)) for case in product(*columns)]


def _list(vary: Mapping[str, Span | Sequence[Value]]) -> list[dict[str, Value]]:
    columns = _columns(vary)
    if len({len(column) for column in columns}) > 1:
        counts = ", ".join(f"{name!r} has {len(column)}" for name, column in zip(vary, columns, strict=True))
        raise InputError(f"sweep: a list takes as many values of each parameter, but {counts}; or take a grid")
    _check_size(len(columns[0]))
    return [dict(zip(vary, case, strict=True)) for case in zip(*columns, strict=True)]


def _columns(vary: Mapping[str, Span | Sequence[Value]]) -> list[list[Value]]:
    """The values of each parameter."""
    columns: list[list[Value]] = []
    for name, values in vary.items():
        if isinstance(values, Span) and values.count is None:
            raise InputError(f"sweep: {name!r} has a range without a count; write low:high:count, or take samples")
        columns.append(list(values.values() if isinstance(values, Span) else values))
    return columns


def _check_size(count: int) -> None:
    if count > MOST_CASES:
        raise InputError(f"sweep: {count} cases; more than {MOST_CASES} are surely a mistake")


def _points(design: str, dimension: int, samples: int, seed: int) -> NDArray[np.float64]:
    """Points of the unit cube [cases, dimension]."""
    from scipy.stats import qmc

    if design == "latin":
        return qmc.LatinHypercube(dimension, seed=seed).random(samples)
    if design == "sobol":
        return qmc.Sobol(dimension, seed=seed).random(samples)
    pair = qmc.Sobol(2 * dimension, seed=seed).random(samples)
    first, second = pair[:, :dimension], pair[:, dimension:]
    mixed = []
    for k in range(dimension):  # the first sample with one parameter of the second
        one = first.copy()
        one[:, k] = second[:, k]
        mixed.append(one)
    return np.concatenate([first, second, *mixed])


def _value(values: Span | Sequence[Value], part: float) -> Value:
    if isinstance(values, Span):
        return float(values.at(part))
    return values[min(int(part * len(values)), len(values) - 1)]
