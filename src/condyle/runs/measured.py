"""What an identification is given: the unknown parameters with their bounds, and measured curves."""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from condyle.errors import InputError
from condyle.model.quantities import declared

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from condyle.model.given import Given, Json, NumbersLike, Option

__all__ = ["Curves", "Measured", "Unknown"]

# Of a simulation, by their names: times [s, or what a curve runs over] and values.
Curves: TypeAlias = "Mapping[str, tuple[ArrayLike, ArrayLike]]"


@dataclass(frozen=True)
class Unknown:
    """A parameter to be found.

    Parameters
    ----------
    low, high : bounds, in the unit of the parameter; a global search needs finite ones
    start : where a local search begins; the middle of the bounds if None
    log : searched by its logarithm, for what is known to an order of magnitude only; needs low > 0
    prior : (mean, standard deviation) of what is known beforehand, of the logarithm if `log`; None for nothing
    unit : SI symbol, for tables and figures
    """

    low: float = -np.inf
    high: float = np.inf
    start: float | None = None
    log: bool = False
    prior: tuple[float, float] | None = None
    unit: str = ""

    def __post_init__(self) -> None:
        if not self.low < self.high:
            raise InputError(f"unknown between {self.low} and {self.high}: give the lower bound first")
        if self.log and self.low <= 0.0:
            raise InputError(f"unknown between {self.low} and {self.high}: a logarithm needs a lower bound above zero")
        if self.start is not None and not self.low <= self.start <= self.high:
            raise InputError(f"start {self.start} lies outside of the bounds {self.low} to {self.high}")
        if self.start is None and not self.bounded:
            raise InputError("unknown without bounds: give low and high, or a start")
        if self.prior is not None and not self.prior[1] > 0.0:
            raise InputError(f"prior {self.prior}: its standard deviation is above zero")

    @property
    def bounded(self) -> bool:
        """Whether both bounds are finite."""
        return bool(np.isfinite(self.low) and np.isfinite(self.high))

    def inner(self, value: float) -> float:
        """What the search works with: the value or its logarithm."""
        return float(np.log(value)) if self.log else float(value)

    def outer(self, inner: float) -> float:
        """The value itself, never beyond its bounds by rounding."""
        value = float(np.exp(inner)) if self.log else float(inner)
        return min(max(value, self.low), self.high)

    def slope(self, inner: float) -> float:
        """How fast the value changes with what the search works with."""
        return float(np.exp(inner)) if self.log else 1.0

    @property
    def inner_start(self) -> float:
        """Where a local search begins."""
        if self.start is not None:
            return self.inner(self.start)
        return 0.5 * (self.inner(self.low) + self.inner(self.high))


@declared(frozen=True)
class Measured:
    """A measured curve.

    Parameters
    ----------
    curve : name of the simulated curve that it is compared with
    times : of the samples, ascending [s, or what the curve runs over]
    values : measured [samples]
    sigma : standard deviation of its noise, one number or one per sample. None: it is estimated from the residuals, which then
        count relative to the spread of the curve, so that a force and a displacement weigh the same
    weight : further factor of the residuals
    experiment : parameters of the experiment in which it was measured, passed to the simulation: height of a drop, load
    shift : bounds (low, high) of an unknown shift of its clock: the simulation is compared at times + shift; None for none
    process : what the measurement did to the signal, done to the simulated curve, too: ``process(times, values)``, a filter
    """

    curve: str
    times: Given[NumbersLike, NDArray[np.float64]]
    values: Given[NumbersLike, NDArray[np.float64]]
    sigma: NumbersLike | None = None
    weight: float = 1.0
    experiment: Mapping[str, Json] = field(default_factory=dict)
    shift: tuple[float, float] | None = None
    process: Callable[[NDArray[np.float64], NDArray[np.float64]], NumbersLike] | None = None

    def __post_init__(self) -> None:
        where = f"measured curve {self.curve!r}"
        times, values = np.asarray(self.times, dtype=float), np.asarray(self.values, dtype=float)
        if times.ndim != 1 or times.shape != values.shape or len(times) < 2:
            raise InputError(
                f"{where}: give as many times as values, at least two, not {times.shape} and {values.shape}"
            )
        if not (np.isfinite(times).all() and np.isfinite(values).all()):
            raise InputError(f"{where}: it has entries that are not finite; leave these samples out")
        if not (np.diff(times) > 0.0).all():
            raise InputError(
                f"{where}: its times do not ascend, first at sample {int(np.argmax(np.diff(times) <= 0.0)) + 1}"
            )
        if self.sigma is not None:
            sigma = np.asarray(self.sigma, dtype=float)
            if sigma.shape not in ((), times.shape) or not (sigma > 0.0).all():
                raise InputError(f"{where}: sigma is a number above zero, or one per sample")
        if not self.weight > 0.0:
            raise InputError(f"{where}: weight {self.weight}; leave the curve out instead")
        if self.shift is not None and not self.shift[0] < self.shift[1]:
            raise InputError(f"{where}: shift {self.shift}; give the lower bound first")
        object.__setattr__(self, "times", times)
        object.__setattr__(self, "values", values)

    @classmethod
    def from_csv(
        cls, file: str | Path, curve: str, *, time: str = "t", column: str | None = None, **others: Option
    ) -> Measured:
        """Read a curve from a file with a line of headings: the columns `time` and `column` (the curve's name if None)."""
        wanted = column or curve
        with Path(file).open(newline="", encoding="utf-8-sig") as stream:
            try:
                known, *rows = ([word.strip() for word in row] for row in csv.reader(stream) if row)
            except (ValueError, csv.Error):  # not even a line of headings, no text in UTF-8, or no table
                raise InputError(
                    f"'{file}' is no table: write CSV in UTF-8, a line of headings and numbers below"
                ) from None
        for name in (time, wanted):
            if name not in known:
                raise InputError(f"'{file}' has no column {name!r}; it has {', '.join(known)}, as commas separate them")
        first, second = known.index(time), known.index(wanted)
        try:
            table = [(float(row[first]), float(row[second])) for row in rows if second < len(row) and row[second]]
        except (IndexError, ValueError):
            raise InputError(f"'{file}': the columns {time!r} and {wanted!r} are not all numbers") from None
        if not table:
            raise InputError(f"'{file}' has no samples of {wanted!r}")
        times, values = np.array(table).T
        return cls(curve, times, values, **others)

    @property
    def digest(self) -> str:
        """Of all that the residuals depend on; of `process` only its name is known, and what a `partial` hands to it."""
        about = self.curve, self.weight, sorted(self.experiment.items()), self.shift, _named(self.process)
        found = sha256(repr(about).encode())
        for numbers in (self.times, self.values, self.scale):
            found.update(np.ascontiguousarray(numbers).tobytes())
        return found.hexdigest()[:16]

    @property
    def scale(self) -> NDArray[np.float64]:
        """What a residual is divided by."""
        if self.sigma is not None:
            return np.asarray(self.sigma, dtype=float)
        return np.asarray(float(np.std(self.values)) or max(float(np.abs(self.values).max()), 1e-300))


def _named(process: object) -> str:
    """A function by its name, the same in every process."""
    if isinstance(process, partial):
        return f"{_named(process.func)}{process.args}{sorted(process.keywords.items())}"
    return getattr(process, "__qualname__", type(process).__qualname__)
