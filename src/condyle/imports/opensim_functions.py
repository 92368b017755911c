"""Functions of OpenSim files: of coordinates, as numbers, sums or cubic splines; and of time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.imports.opensim_file import OpenSimFile
from condyle.imports.xml import Element, numbers

__all__ = ["Function", "read_function", "simm_slopes"]

Array = NDArray[np.float64]
FAR = 10.0  # [rad or m] a coordinate is not expected beyond it: where a cubic polynomial goes on straight
FINE = 801  # points of a curve that is no cubic, tabulated with its slopes
CORNER = 1e-3  # of the shorter side, within which a corner between straight lines is rounded


@dataclass(frozen=True)
class Function:
    """constant + Σ factor · q, or a cubic spline of one coordinate, straight beyond its ends; note: what was changed."""

    factors: tuple[float, ...] = ()
    constant: float = 0.0
    x: tuple[float, ...] = ()
    y: tuple[float, ...] = ()
    slopes: tuple[float, ...] = ()
    note: str = field(default="", compare=False)

    @property
    def is_constant(self) -> bool:
        """Does it not depend on anything?"""
        return not self.x and not any(self.factors)

    @property
    def is_linear(self) -> bool:
        """Is it a sum of coordinates times factors?"""
        return not self.x

    def __call__(self, *q: float) -> float:
        if not self.x:
            return self.constant + float(np.dot(self.factors, q[: len(self.factors)]))
        return float(self._spline(q[0])[0])

    def slope(self, q: float) -> float:
        """Its derivative by its one coordinate."""
        return (self.factors[0] if self.factors else 0.0) if not self.x else float(self._spline(q)[1])

    def _spline(self, q: float) -> tuple[float, float]:
        x, y, m = np.array(self.x), np.array(self.y), np.array(self.slopes)
        t = min(max(q, x[0]), x[-1])
        k = int(np.clip(np.searchsorted(x, t) - 1, 0, len(x) - 2))
        h, s = x[k + 1] - x[k], (t - x[k]) / (x[k + 1] - x[k])
        value = y[k] * (1 + 2 * s) * (1 - s) ** 2 + h * m[k] * s * (1 - s) ** 2
        value += y[k + 1] * s**2 * (3 - 2 * s) + h * m[k + 1] * s**2 * (s - 1)
        slope = 6 * s * (1 - s) * (y[k + 1] - y[k]) / h + m[k] * (1 - s) * (1 - 3 * s) + m[k + 1] * s * (3 * s - 2)
        return value + slope * (q - t), slope

    def times(self, factor: float) -> Function:
        """It times a number."""

        def scaled(values: tuple[float, ...]) -> tuple[float, ...]:
            return tuple(factor * v for v in values)

        return Function(
            scaled(self.factors), factor * self.constant, self.x, scaled(self.y), scaled(self.slopes), self.note
        )

    def of(self, inner: Function, lower: float = -FAR, upper: float = FAR) -> Function:
        """It of another function of one coordinate, within lower … upper where it has to be tabulated."""
        if self.is_linear:
            factor = self.factors[0] if self.factors else 0.0
            scaled = inner.times(factor)
            if inner.is_linear:
                return Function(scaled.factors, self.constant + scaled.constant)
            return Function(
                x=scaled.x, y=tuple(v + self.constant for v in scaled.y), slopes=scaled.slopes, note=self.note
            )
        if inner.is_linear and inner.factors and inner.factors[0]:
            m, c = inner.factors[0], inner.constant
            order = 1 if m > 0 else -1
            return Function(
                x=tuple((v - c) / m for v in self.x[::order]), y=self.y[::order],
                slopes=tuple(m * v for v in self.slopes[::order]), note=self.note,
            )  # fmt: skip
        return tabulated(
            lambda q: self(inner(q)), lambda q: self.slope(inner(q)) * inner.slope(q), lower, upper, self.note
        )

    def by(self, names: list[str]) -> Any:
        """As a `TransformJoint` takes it, of coordinates with these names."""
        if self.is_constant:
            return self.constant
        if self.is_linear:
            pairs = zip(names, self.factors, strict=False)
            return {"of": {name: f for name, f in pairs if f}, "constant": self.constant}
        return {"of": names[0], "x": list(self.x), "y": list(self.y), "slopes": list(self.slopes)}


def tabulated(
    value: Callable[[float], float], slope: Callable[[float], float], lower: float, upper: float, note: str = ""
) -> Function:
    """Any smooth function as a cubic spline with its slopes."""
    x = np.linspace(lower, upper, FINE)
    return Function(x=tuple(x.tolist()), y=tuple(value(v) for v in x), slopes=tuple(slope(v) for v in x), note=note)


def simm_slopes(x: Array, y: Array) -> Array:
    """Slopes of OpenSim's SimmSpline at its points.

    A twice continuous cubic spline. At either end its third derivative is that of the cubic through the four points there
    (Forsythe, Malcolm and Moler 1977, ch. 4.4); with three points it is one parabola.
    """
    n, h = len(x), np.diff(x)
    d = np.diff(y) / h
    if n == 2:
        return np.array([d[0], d[0]])
    matrix, right = np.zeros((n, n)), np.zeros(n)
    matrix[0, :2], matrix[-1, -2:] = (-h[0], h[0]), (h[-1], -h[-1])
    for k in range(1, n - 1):
        matrix[k, k - 1 : k + 2] = h[k - 1], 2.0 * (h[k - 1] + h[k]), h[k]
        right[k] = d[k] - d[k - 1]
    if n > 3:
        first = (right[2] / (x[3] - x[1]) - right[1] / (x[2] - x[0])) / (x[3] - x[0])
        last = (right[-2] / (x[-1] - x[-3]) - right[-3] / (x[-2] - x[-4])) / (x[-1] - x[-4])
        right[0], right[-1] = first * h[0] ** 2, -last * h[-1] ** 2
    s = np.linalg.solve(matrix, right)
    return np.append(d - h * (s[1:] + 2.0 * s[:-1]), d[-1] + h[-1] * (s[-2] + 2.0 * s[-1]))


def read_function(file: OpenSimFile, holder: Element | None) -> Function | None:
    """The function that stands in a property, or in one of the element's children; None if there is none."""
    if holder is None:
        return None
    for element in (holder, *holder):
        if element.tag in READERS:
            return READERS[element.tag](file, element)
        for inner in element if element.tag in ("function", "coupled_coordinates_function") else ():
            if inner.tag in READERS:
                return READERS[inner.tag](file, inner)
    unknown = next((e.tag for e in holder if e.tag[:1].isupper()), None)
    if unknown is not None:
        raise InputError(f"{file.where(holder)}: functions of the kind {unknown} are not read")
    return None


def _constant(file: OpenSimFile, element: Element) -> Function:
    return Function(constant=file.number(element, "value", 0.0))


def _linear(file: OpenSimFile, element: Element) -> Function:
    *factors, constant = numbers(file.text(element, "coefficients", "1 0"), None, file.where(element))
    return Function(tuple(factors), constant)


def _points(file: OpenSimFile, element: Element) -> tuple[Array, Array]:
    x, y = (np.array(numbers(file.text(element, name), None, file.where(element))) for name in "xy")
    if len(x) != len(y) or len(x) < 1:
        raise InputError(f"{file.where(element)}: it has {len(x)} values of x and {len(y)} of y; they must be as many")
    again = np.concatenate(([False], (np.diff(x) == 0.0) & (np.diff(y) == 0.0)))
    x, y = x[~again], y[~again]  # files of others have points that are written twice
    if (np.diff(x) <= 0).any():
        k = int(np.argmax(np.diff(x) <= 0))
        raise InputError(f"{file.where(element)}: x must increase, but {x[k + 1]:g} follows {x[k]:g}")
    return x, y


def _simm(file: OpenSimFile, element: Element) -> Function:
    x, y = _points(file, element)
    if len(x) == 1:
        return Function(constant=float(y[0]))
    return Function(x=tuple(x.tolist()), y=tuple(y.tolist()), slopes=tuple(simm_slopes(x, y).tolist()))


def _gcv(file: OpenSimFile, element: Element) -> Function:
    """A generalised cross-validation spline, taken as one through its points with its degree, tabulated."""
    from scipy.interpolate import make_interp_spline

    x, y = _points(file, element)
    if len(x) == 1:
        return Function(constant=float(y[0]))
    degree = 2 * int(file.number(element, "half_order", 3)) - 1
    spline = make_interp_spline(x, y, k=min(degree, 2 * (len(x) // 2) - 1, 5))
    rate = spline.derivative()
    return tabulated(lambda q: float(spline(q)), lambda q: float(rate(q)), x[0], x[-1], "goes through its points")


def _straight(file: OpenSimFile, element: Element) -> Function:
    """Straight lines from point to point; corners are rounded, since joints and paths need slopes."""
    x, y = _points(file, element)
    if len(x) == 1:
        return Function(constant=float(y[0]))
    slopes = np.diff(y) / np.diff(x)
    if len(x) == 2:
        return Function(x=tuple(x.tolist()), y=tuple(y.tolist()), slopes=(slopes[0], slopes[0]))
    places, values, rates = [x[0]], [y[0]], [slopes[0]]
    for k in range(1, len(x) - 1):
        off = CORNER * min(x[k] - x[k - 1], x[k + 1] - x[k])
        places += [x[k] - off, x[k] + off]
        values += [y[k] - off * slopes[k - 1], y[k] + off * slopes[k]]
        rates += [slopes[k - 1], slopes[k]]
    places, values, rates = [*places, x[-1]], [*values, y[-1]], [*rates, slopes[-1]]
    note = f"its corners are rounded within {CORNER:g} of its pieces"
    return Function(
        x=tuple(map(float, places)), y=tuple(map(float, values)), slopes=tuple(map(float, rates)), note=note
    )


def _polynomial(file: OpenSimFile, element: Element) -> Function:
    given = np.array(numbers(file.text(element, "coefficients", "0"), None, file.where(element)))
    slope = np.polyder(given)
    if len(given) <= 2:
        return Function((float(given[0]),) if len(given) == 2 else (), float(given[-1]))
    if len(given) <= 4:
        ends = np.array([-FAR, FAR])
        y, m = np.polyval(given, ends), np.polyval(slope, ends)
        return Function(x=(-FAR, FAR), y=tuple(y.tolist()), slopes=tuple(m.tolist()))
    return tabulated(lambda q: float(np.polyval(given, q)), lambda q: float(np.polyval(slope, q)), -4.0, 4.0)


def _multiplier(file: OpenSimFile, element: Element) -> Function:
    inner = read_function(file, element.find("function"))  # type: ignore[arg-type]
    if inner is None:
        raise InputError(f"{file.where(element)}: it multiplies no function")
    return inner.times(file.number(element, "scale", 1.0))


def _step(file: OpenSimFile, element: Element) -> Function:
    start, end = file.number(element, "start_time", 0.0), file.number(element, "end_time", 1.0)
    low, high = file.number(element, "start_value", 0.0), file.number(element, "end_value", 1.0)
    if not start < end:
        raise InputError(f"{file.where(element)}: end_time must be after start_time")

    def part(t: float) -> float:
        return float(np.clip((t - start) / (end - start), 0.0, 1.0))

    def value(t: float) -> float:
        s = part(t)
        return low + (high - low) * s**3 * (10.0 + s * (6.0 * s - 15.0))

    def slope(t: float) -> float:
        s = part(t)
        return (high - low) * 30.0 * (s * (1.0 - s)) ** 2 / (end - start)

    return tabulated(value, slope, start, end)


READERS: dict[str, Callable[[OpenSimFile, Element], Function]] = {
    "Constant": _constant,
    "LinearFunction": _linear,
    "SimmSpline": _simm,
    "NaturalCubicSpline": _simm,
    "natCubicSpline": _simm,
    "NatCubicSpline": _simm,
    "GCVSpline": _gcv,
    "PiecewiseLinearFunction": _straight,
    "PolynomialFunction": _polynomial,
    "MultiplierFunction": _multiplier,
    "StepFunction": _step,
}
