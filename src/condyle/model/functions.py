"""Functions of time for loads, torques, gravity and prescribed motion."""

from __future__ import annotations

import importlib
import math
from bisect import bisect_right
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.errors import CondyleError, InputError
from condyle.model.fields import numbers
from condyle.model.part import Part, code_allowed, one_of
from condyle.model.quantities import declared, in_mirror, quantity

if TYPE_CHECKING:
    from condyle.model.given import Json


class TimeFunction(Part, abstract=True):
    """A scalar function of time t [s]. Fields that are declared as `float` are checked to be finite numbers."""

    def __call__(self, t: float) -> float:
        raise TypeError(f"{type(self).__name__} does not say how it is evaluated: define __call__(self, t)")

    def derivative(self, t: float, order: int) -> float | None:
        """The first or second derivative by time, where it is known exactly; None: it is found by differences."""
        return None


@declared(frozen=True)
class Constant(TimeFunction):
    """The same value at all times."""

    value: float = quantity("(that of what it drives)", default=1.0)

    def __call__(self, t: float) -> float:
        return self.value


@declared(frozen=True)
class Table(TimeFunction):
    """Straight lines between given values.

    times [s] (strictly increasing) and values, of equal length; outside: before and after these times it is as at the
    'ends', or 'zero'.
    """

    times: tuple[float, ...] = quantity("s")
    values: tuple[float, ...] = quantity("(that of what it drives)")
    outside: str = "ends"
    mirror = in_mirror(times="same", values="same")

    def __post_init__(self) -> None:
        if self.outside == "hold":  # as model files of earlier versions say it
            object.__setattr__(self, "outside", "ends")
        one_of(self, "outside", ("ends", "zero"))
        try:
            t, y = np.asarray(self.times, dtype=float), np.asarray(self.values, dtype=float)
        except (TypeError, ValueError):
            raise InputError("Table: times and values must be lists of numbers") from None
        if t.ndim != 1 or t.shape != y.shape or t.size == 0:
            raise InputError(f"Table: times and values must be lists of equal length, got {t.shape} and {y.shape}")
        for name, column in (("times", t), ("values", y)):
            bad = np.flatnonzero(~np.isfinite(column))
            if bad.size:
                raise InputError(f"Table: {name}[{bad[0]}] is {column[bad[0]]}; remove or replace that entry")
        bad = np.flatnonzero(np.diff(t) <= 0)
        if bad.size:
            raise InputError(f"Table: times must increase, but times[{bad[0] + 1}] = {t[bad[0] + 1]:g} does not")
        object.__setattr__(self, "times", tuple(t.tolist()))
        object.__setattr__(self, "values", tuple(y.tolist()))

    def __call__(self, t: float) -> float:
        if self.outside == "zero" and not self.times[0] <= t <= self.times[-1]:
            return 0.0
        return float(np.interp(t, self.times, self.values))


@declared(frozen=True)
class Spline(TimeFunction):
    """A natural cubic spline through given values, twice continuous: for measured motions. Beyond its ends it goes on straight.

    times [s] (strictly increasing) and values, of equal length, at least two.
    """

    times: tuple[float, ...] = quantity("s")
    values: tuple[float, ...] = quantity("(that of what it drives)")
    mirror = in_mirror(times="same", values="same")

    def __post_init__(self) -> None:
        table = Table(self.times, self.values)
        if len(table.times) < 2:
            raise InputError("Spline: give at least two times and values")
        object.__setattr__(self, "times", table.times)
        object.__setattr__(self, "values", table.values)

    def __call__(self, t: float) -> float:
        at = min(max(t, self.times[0]), self.times[-1])
        k = min(max(bisect_right(self.times, at) - 1, 0), len(self.times) - 2)
        c3, c2, c1, c0 = self._pieces[k]
        s = at - self.times[k]
        value = ((c3 * s + c2) * s + c1) * s + c0
        return value if t == at else value + ((3.0 * c3 * s + 2.0 * c2) * s + c1) * (t - at)

    def derivative(self, t: float, order: int) -> float | None:
        """By its own polynomials, also at its knots, where differences would mix those of both sides."""
        at = min(max(t, self.times[0]), self.times[-1])
        k = min(max(bisect_right(self.times, at) - 1, 0), len(self.times) - 2)
        c3, c2, c1, _ = self._pieces[k]
        s = at - self.times[k]
        if order == 1:
            return (3.0 * c3 * s + 2.0 * c2) * s + c1
        return (6.0 * c3 * s + 2.0 * c2 if t == at else 0.0) if order == 2 else None

    @property
    def _pieces(self) -> list[list[float]]:
        """Coefficients of powers 3 … 0 between two times: plain numbers, which a run asks for many times."""
        if "_cubics" not in self.__dict__:
            c = self._curve.c  # of two points a line
            cubics = np.vstack((np.zeros((4 - len(c), c.shape[1])), c)).T.tolist()
            object.__setattr__(self, "_cubics", cubics)
        return self.__dict__["_cubics"]

    @property
    def _curve(self) -> Any:
        if "_made" not in self.__dict__:
            from scipy.interpolate import CubicSpline

            kind: Any = "natural" if len(self.times) > 2 else "not-a-knot"
            object.__setattr__(self, "_made", CubicSpline(self.times, self.values, bc_type=kind))
        return self.__dict__["_made"]


@declared(frozen=True)
class Harmonic(TimeFunction):
    """offset + amplitude · sin(2π frequency t + phase); frequency [Hz], phase [rad]."""

    amplitude: float = quantity("(that of what it drives)", default=1.0)
    frequency: float = quantity("1/s", default=1.0)
    phase: float = quantity("rad", default=0.0)
    offset: float = quantity("(that of what it drives)", default=0.0)

    def __call__(self, t: float) -> float:
        return self.offset + self.amplitude * math.sin(2.0 * math.pi * self.frequency * t + self.phase)


@declared(frozen=True)
class Polynomial(TimeFunction):
    """a₀ + a₁ t + a₂ t² + …: `coefficients`, from that of t⁰ on; (0, 2) grows by 2 in each second."""

    coefficients: tuple[float, ...] = quantity("(that of what it drives, per s, per s², …)")
    mirror = in_mirror(coefficients="same")

    def __post_init__(self) -> None:
        given = numbers(self.coefficients, "Polynomial: coefficients")
        if given.ndim != 1 or not given.size:
            raise InputError(f"Polynomial: coefficients must be a list of numbers, not {self.coefficients!r}")
        object.__setattr__(self, "coefficients", tuple(given.tolist()))

    def __call__(self, t: float) -> float:
        value = 0.0
        for a in reversed(self.coefficients):
            value = value * t + a
        return value


@declared(frozen=True)
class _Lasting(TimeFunction, abstract=True):
    """What happens between `start` and `end` [s]."""

    start: float = quantity("s", default=0.0)
    end: float = quantity("s", default=1.0)

    def __post_init__(self) -> None:
        if self.end <= self.start:
            raise InputError(f"{type(self).__name__}: end ({self.end:g}) must come after start ({self.start:g})")

    def passed(self, t: float) -> float:
        """Which part of it has passed at t: 0 at the start, 1 at the end, and on beyond."""
        return (t - self.start) / (self.end - self.start)


@declared(frozen=True)
class Pulse(_Lasting):
    """Half a sine of height `peak` between `start` and `end` [s], zero before and after: a blow, a burst of a muscle."""

    peak: float = quantity("(that of what it drives)", default=1.0)

    def __call__(self, t: float) -> float:
        s = self.passed(t)
        return self.peak * math.sin(math.pi * s) if 0.0 < s < 1.0 else 0.0


@declared(frozen=True)
class Ramp(_Lasting):
    """A smooth (C², quintic) change from `first` to `last` between `start` and `end` [s]."""

    first: float = quantity("(that of what it drives)", default=0.0)
    last: float = quantity("(that of what it drives)", default=1.0)

    def __call__(self, t: float) -> float:
        s = min(max(self.passed(t), 0.0), 1.0)
        return self.first + (self.last - self.first) * s**3 * (10.0 - 15.0 * s + 6.0 * s * s)


@declared(frozen=True)
class Function(TimeFunction):
    """A Python function of time: a callable, or 'module:name', which can also be written to a model file."""

    call: Callable[[float], float] | str

    def __post_init__(self) -> None:
        target: Any = self.call
        if isinstance(target, str):
            module, colon, attribute = target.partition(":")
            if not colon:
                raise InputError(
                    f"Function: the text '{self.call}' is no 'module:name' of a Python function; write "
                    "a number without quotes, or a function of time such as {type: Harmonic, frequency: 2 Hz}"
                )
            if not code_allowed():
                raise InputError(
                    f"Function: '{self.call}' is Python code that a file names; it is imported only if you allow it, with "
                    "--allow-code or allow_code=True, because whoever wrote the file chooses what it does"
                )
            try:
                target = getattr(importlib.import_module(module), attribute)
            except (ImportError, AttributeError, ValueError) as error:
                raise InputError(f"Function: cannot import '{self.call}' (write 'module:name'): {error}") from None
        if not callable(target):
            raise InputError(f"Function: {self.call!r} cannot be called with a time")
        object.__setattr__(self, "_target", target)

    def __call__(self, t: float) -> float:
        name = getattr(self.call, "__qualname__", self.call)
        try:
            given = self._target(t)  # type: ignore[attr-defined]
        except CondyleError:
            raise
        except Exception as error:
            raise InputError(f"Function: '{name}' failed at t = {t:g}: {type(error).__name__}: {error}") from error
        try:
            value = float(given)
        except (TypeError, ValueError):
            value = math.nan
        if not math.isfinite(value):
            raise InputError(f"Function: '{name}' returned {given!r} at t = {t:g}; it must return a finite number")
        return value

    def to_dict(self) -> dict[str, Json]:
        if not isinstance(self.call, str):
            raise InputError(
                f"the Python function {getattr(self.call, '__name__', self.call)!r} cannot be written to a model file; "
                "give it as 'module:name', or use Table, Spline, Ramp, Pulse, Harmonic or Polynomial"
            )
        return {"type": "Function", "call": self.call}


def as_function(value: object, who: str = "") -> TimeFunction:
    """Accept a number, a function of time or any callable where a TimeFunction is expected; who: names the part in messages."""
    if isinstance(value, TimeFunction):
        return value
    if isinstance(value, int | float | np.number):
        return Constant(float(value))
    who = f"{who}: " if who else ""
    if callable(value) or isinstance(value, str):
        try:
            return Function(value)
        except InputError as error:
            raise InputError(f"{who}{error}") from None
    raise InputError(
        f"{who}{value!r} is no function of time: give a number, a Table, Ramp, Pulse, Harmonic, Polynomial or a callable"
    )


def value_at(function: Callable[[float], float], t: float, part: Part) -> float:
    """The value of a part's function of time; what goes wrong in it is reported with the part."""
    try:
        value = float(function(t))
    except CondyleError as error:
        raise InputError(f"{part.label}: {error}") from None
    except Exception as error:  # of a user's own, or made of odd numbers: it may raise anything
        what = getattr(function, "__name__", type(function).__name__)
        raise InputError(f"{part.label}: its {what} failed at t = {t:g}: {type(error).__name__}: {error}") from error
    if not math.isfinite(value):
        raise InputError(f"{part.label}: its {type(function).__name__} is {value} at t = {t:g}; it must be finite")
    return value


@declared(frozen=True)
class Integral(TimeFunction):
    """∫ rate dt from t = 0, plus `start`: turns a speed into a motion (Gauss quadrature of order 10 on pieces of a table)."""

    rate: TimeFunction
    start: float = quantity("(that of what it drives)", default=0.0)
    piece: float = quantity("s", default=0.01, above=0.0)

    def __post_init__(self) -> None:
        object.__setattr__(self, "rate", as_function(self.rate, "Integral"))

    def __call__(self, t: float) -> float:
        known: dict[int, float] = self.__dict__.setdefault("_known", {0: self.start})
        whole = math.floor(t / self.piece)
        step = 1 if whole >= 0 else -1
        last = max(known) if whole >= 0 else min(known)
        for k in range(last, whole, step):
            known[k + step] = known[k] + self._over(k * self.piece, (k + step) * self.piece)
        return known[whole] + self._over(whole * self.piece, t)

    def _over(self, a: float, b: float) -> float:
        nodes, weights = np.polynomial.legendre.leggauss(5)
        return (
            0.5
            * (b - a)
            * sum(w * self.rate(0.5 * (a + b) + 0.5 * (b - a) * x) for x, w in zip(nodes, weights, strict=True))
        )
