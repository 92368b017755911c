"""What an identification is given: the unknown parameters with their bounds, and measured curves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from condyle.errors import InputError
from condyle.model.quantities import declared
from condyle.runs.measured_table import in_unit, read_samples

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
    unit : of the values, for figures; against a curve of a model file they are converted from it
    source : the file that it was read from, for messages
    """

    curve: str
    times: Given[NumbersLike, NDArray[np.float64]]
    values: Given[NumbersLike, NDArray[np.float64]]
    sigma: NumbersLike | None = None
    weight: float = 1.0
    experiment: Mapping[str, Json] = field(default_factory=dict)
    shift: tuple[float, float] | None = None
    process: Callable[[NDArray[np.float64], NDArray[np.float64]], NumbersLike] | None = None
    unit: str = ""
    source: str = ""

    def __post_init__(self) -> None:
        where = self.where
        times, values = np.asarray(self.times, dtype=float), np.asarray(self.values, dtype=float)
        if times.ndim != 1 or times.shape != values.shape or len(times) < 2:
            raise InputError(
                f"{where}: give as many times as values, at least two, not {times.shape} and {values.shape}"
            )
        if not (np.isfinite(times).all() and np.isfinite(values).all()):
            raise InputError(f"{where}: it has entries that are not finite; leave these samples out")
        if not (np.diff(times) > 0.0).all():
            raise InputError(
                f"{where}: its times do not ascend, first at sample {int(np.argmax(np.diff(times) <= 0.0)) + 1}; sort them"
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
        cls,
        file: str | Path,
        curve: str,
        *,
        time: str | None = None,
        column: str | None = None,
        unit: str = "",
        time_unit: str | None = None,
        **others: Option,
    ) -> Measured:
        """Read a curve from a table with headings: commas, semicolons or tabs, ``#`` before comments.

        Parameters
        ----------
        time, column : headings, without their units; by default ``t`` or ``time``, and the name of the curve
        unit : that the values are converted to from the one that the file names, in the heading (``angle [deg]``) or in a
            line below; by default they stay as they are
        time_unit : the same of the times; by default s if they have a unit of time
        """
        read = read_samples(file, time, column or curve)
        times, values = np.array(read.times), np.array(read.values)
        if time_unit is None and read.time_unit:
            with suppress(InputError):  # a curve over something else, such as a force, stays as it is
                times = times * in_unit(read.time_unit, "s", "")
        elif read.time_unit:
            times = times * in_unit(read.time_unit, time_unit or "", f"'{file}', column {time or 'time'!r}")
        if unit and read.unit:
            values = values * in_unit(read.unit, unit, f"'{file}', column {column or curve!r}")
        return cls(curve, times, values, unit=unit or read.unit, source=str(file), **others)

    def converted(self, unit: str) -> Measured:
        """The same in another unit; one without a unit is in it already. Empty: in SI units."""
        if not self.unit or self.unit == unit:
            return replace(self, unit=unit)
        scale = in_unit(self.unit, unit, f"{self.where}")
        sigma = None if self.sigma is None else np.asarray(self.sigma, dtype=float) * scale
        return replace(self, values=self.values * scale, sigma=sigma, unit=unit)

    @property
    def where(self) -> str:
        """What messages call it."""
        return f"'{self.source}', curve {self.curve!r}" if self.source else f"measured curve {self.curve!r}"

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
