"""Stiff one-step solvers that SciPy lacks, as subclasses of its `OdeSolver`: `ScipyReference` takes them by name.

All three control the local error and factorise 1 − h d J, with the Jacobian J of ẏ = f(t, y) by differences:

- `Rosenbrock23`: linearly implicit, order 2 with an error estimate of order 3, no iteration (shampine-1997, `ode23s`);
- `Trapezoidal`: y₁ = y₀ + ½h (f₀ + f₁), no numerical damping (shampine-1999, `ode23t`);
- `TRBDF2`: a trapezoidal stage and one backward difference in each step, with damping (bank-1985, hosea-1996, `ode23tb`).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.integrate import DenseOutput, OdeSolver
from scipy.linalg import lu_factor, lu_solve

Array = NDArray[np.float64]

EPS = float(np.finfo(float).eps)
SAFETY, LEAST, MOST = 0.9, 0.2, 5.0  # of the change of the step after an error estimate
KEPT = 1.2  # a step that may grow by less keeps its length, and with it the factors of its matrix
ITERATIONS = 8
CONVERGED = 0.05  # changes of the last iteration, relative to the accepted error


class Attempt(NamedTuple):
    """A step that could be computed: its end, the slope there, its estimated error, and a polynomial through it."""

    y: Array
    slope: Array
    error: Array
    inside: Callable[[Any], Array]


class StiffSolver(OdeSolver, ABC):
    """Error control, Jacobian and Newton's method of all three; a method says how to attempt one step."""

    error_order = 3  # the local error is proportional to h to this power

    def __init__(
        self, fun: Callable[[float, Array], Array], t0: float, y0: Array, t_bound: float, max_step: float = math.inf,
        rtol: float = 1e-3, atol: ArrayLike = 1e-6, vectorized: bool = False, first_step: float | None = None,
    ) -> None:  # fmt: skip
        super().__init__(fun, t0, y0, t_bound, vectorized)
        self.max_step, self.rtol, self.atol = max_step, max(rtol, 100.0 * EPS), np.asarray(atol, dtype=float)
        self.slope: Array = self.fun(self.t, self.y)
        self.h = self._first_step() if first_step is None else first_step
        self.before: tuple[float, Array] | None = None  # time and slope at the start of the step before
        self._jacobian: Array | None = None
        self._fresh = False  # is the Jacobian that of this very place?
        self._factored: tuple[float, Any] | None = None
        self._inside: Callable[[Any], Array] | None = None

    @abstractmethod
    def attempt(self, h: float) -> Attempt | None:
        """One step of length h [s] from the present place; None if its equations could not be solved."""

    def _step_impl(self) -> tuple[bool, str | None]:
        h, rejected = min(self.h, self.max_step), False
        while True:
            if h < 10.0 * EPS * max(abs(self.t), 1e-3):
                return False, self.TOO_SMALL_STEP
            h = min(h, self.t_bound - self.t)
            found = self.attempt(h)
            if found is None or not np.isfinite(found.y).all():
                if self._fresh:
                    h *= 0.25
                else:
                    self._forget()
                continue
            scale = self.atol + self.rtol * np.maximum(np.abs(self.y), np.abs(found.y))
            error = float(np.sqrt(np.mean((found.error / scale) ** 2)))
            change = SAFETY * max(error, 1e-12) ** (-1.0 / self.error_order)
            if error <= 1.0:
                break
            h, rejected = h * max(LEAST, change), True
        self.before, self._inside = (self.t, self.slope), found.inside
        self.t, self.y, self.slope = self.t + h, found.y, found.slope
        grown = min(1.0 if rejected else MOST, change)
        self.h = h * (grown if grown < 1.0 or grown > KEPT else 1.0)
        self._fresh = False
        return True, None

    def _dense_output_impl(self) -> DenseOutput:
        assert self._inside is not None and self.t_old is not None
        return _Polynomial(self.t_old, self.t, self._inside)

    # --- the matrix ---------------------------------------------------------------------------------------------------

    def solve(self, factor: float, right: Array) -> Array:
        """(1 − factor J)⁻¹ right; the factors are kept while `factor` and J stay the same."""
        if self._jacobian is None:
            self._jacobian, self._fresh, self._factored = self._differences(), True, None
            self.njev += 1
        if self._factored is None or self._factored[0] != factor:
            self._factored = factor, lu_factor(np.eye(self.n) - factor * self._jacobian, check_finite=False)
            self.nlu += 1
        solved: Array = lu_solve(self._factored[1], right, check_finite=False)
        return solved

    def newton(self, factor: float, known: Array, t: float, guess: Array, scale: Array) -> tuple[Array, Array] | None:
        """y and f(t, y) with y = known + factor f(t, y), by Newton's method with the matrix at hand; None if it fails."""
        y, last = guess, math.inf
        for _ in range(ITERATIONS):
            slope = self.fun(t, y)
            if not np.isfinite(slope).all():
                return None
            change = self.solve(factor, known + factor * slope - y)
            y = y + change
            size = float(np.sqrt(np.mean((change / scale) ** 2)))
            # A Jacobian of long ago may be far too stiff, and its changes far too small: only their ratio shows it.
            rate = size / last if last > 0.0 else 0.0
            if size == 0.0 or (last < math.inf and rate < 1.0 and size * rate / (1.0 - rate) <= CONVERGED):
                return y, (y - known) / factor
            if rate > 0.5 and last < math.inf:
                return None
            last = size
        return None

    def _forget(self) -> None:
        self._jacobian = self._factored = None

    def _differences(self) -> Array:
        """J by forward differences from the present place, shape (n, n)."""
        columns, slope = np.empty((self.n, self.n)), self.fun(self.t, self.y)  # an iterated slope is not exact enough
        size = np.maximum(np.abs(self.y), self.atol / self.rtol)
        for k, step in enumerate(math.sqrt(EPS) * size):
            moved = self.y.copy()
            moved[k] += step
            columns[:, k] = (self.fun(self.t, moved) - slope) / (moved[k] - self.y[k])
        return columns

    def _first_step(self) -> float:
        """A step in which the solution changes by a hundredth of its size, or whose curvature stays within the tolerance."""
        scale = self.atol + self.rtol * np.abs(self.y)
        place, pace = (float(np.sqrt(np.mean((q / scale) ** 2))) for q in (self.y, self.slope))
        h = min(0.01 * place / pace if min(place, pace) > 1e-5 else 1e-6, self.t_bound - self.t)
        bend = (self.fun(self.t + h, self.y + h * self.slope) - self.slope) / h
        curvature = float(np.sqrt(np.mean((bend / scale) ** 2)))
        wanted = (0.01 / max(pace, curvature, 1e-12)) ** (1.0 / self.error_order)
        return max(min(100.0 * h, wanted, self.t_bound - self.t), 1e3 * EPS * max(abs(self.t), 1e-3))

    def _scale(self) -> Array:
        scale: Array = self.atol + self.rtol * np.abs(self.y)
        return scale

    def _hermite(self, h: float, y: Array, slope: Array) -> Callable[[Any], Array]:
        """The cubic through both ends of a step, with the slopes there."""
        y0, f0 = self.y, self.slope

        def inside(s: Any) -> Array:
            out: Array = (
                y0 * ((1.0 + 2.0 * s) * (1.0 - s) ** 2) + y * (s * s * (3.0 - 2.0 * s))
                + h * (f0 * (s * (1.0 - s) ** 2) - slope * (s * s * (1.0 - s)))
            )  # fmt: skip
            return out

        return inside


class Rosenbrock23(StiffSolver):
    """With d = 1/(2 + √2), W = 1 − h d J and T = ∂f/∂t:

    W k₁ = f₀ + h d T,  W (k₂ − k₁) = f(t + ½h, y + ½h k₁) − k₁,  y₁ = y + h k₂,
    W k₃ = f₁ − (6 + √2)(k₂ − f_½) − 2 (k₁ − f₀) + h d T,  error h/6 (k₁ − 2 k₂ + k₃).
    """

    D = 1.0 / (2.0 + math.sqrt(2.0))
    E = 6.0 + math.sqrt(2.0)

    def attempt(self, h: float) -> Attempt | None:
        if not self._fresh:
            self._forget()
        d, f0 = self.D, self.slope
        lag = math.sqrt(EPS) * max(abs(self.t), h)
        drift = h * d * (self.fun(self.t + lag, self.y) - f0) / lag
        k1 = self.solve(h * d, f0 + drift)
        middle = self.fun(self.t + 0.5 * h, self.y + 0.5 * h * k1)
        k2 = self.solve(h * d, middle - k1) + k1
        y = self.y + h * k2
        end = self.fun(self.t + h, y)
        k3 = self.solve(h * d, end - self.E * (k2 - middle) - 2.0 * (k1 - f0) + drift)
        y0 = self.y

        def inside(s: Any) -> Array:
            out: Array = y0 + h / (1.0 - 2.0 * d) * (k1 * (s * (1.0 - s)) + k2 * (s * (s - 2.0 * d)))
            return out

        return Attempt(y, end, h / 6.0 * (k1 - 2.0 * k2 + k3), inside)


class Trapezoidal(StiffSolver):
    """y₁ = y₀ + ½h (f₀ + f₁); its error −h³ f̈/12 from a parabola through the slopes of three places."""

    def attempt(self, h: float) -> Attempt | None:
        f0, t = self.slope, self.t + h
        solved = self.newton(0.5 * h, self.y + 0.5 * h * f0, t, self.y + h * f0, self._scale())
        if solved is None:
            return None
        y, f1 = solved
        inside = self._hermite(h, y, f1)
        if self.before is None:  # the first step has its own middle as the third place
            between = self.fun(self.t + 0.5 * h, inside(0.5))
            bend = 4.0 * (f0 - 2.0 * between + f1) / h**2
        else:
            past, slope = self.before
            bend = 2.0 * ((f1 - f0) / h - (f0 - slope) / (self.t - past)) / (t - past)
        return Attempt(y, f1, h**3 / 12.0 * bend, inside)


class TRBDF2(StiffSolver):
    """With γ = 2 − √2, d = γ/2 and w = √2/4:

    y_γ = y₀ + h d (f₀ + f_γ),  y₁ = y₀ + h (w f₀ + w f_γ + d f₁),
    error h ((4w − 1) f₀ − f_γ + 2d f₁)/3 against a formula of order 3, smoothed by the matrix of the step.
    """

    GAMMA = 2.0 - math.sqrt(2.0)
    D = 0.5 * GAMMA
    W = 0.25 * math.sqrt(2.0)

    def attempt(self, h: float) -> Attempt | None:
        d, w, y0, f0 = self.D, self.W, self.y, self.slope
        scale = self._scale()
        stage = self.newton(h * d, y0 + h * d * f0, self.t + self.GAMMA * h, y0 + self.GAMMA * h * f0, scale)
        if stage is None:
            return None
        y_gamma, f_gamma = stage
        guess = y_gamma + (1.0 - self.GAMMA) * h * f_gamma
        end = self.newton(h * d, y0 + h * w * (f0 + f_gamma), self.t + h, guess, scale)
        if end is None:
            return None
        y, f1 = end
        error = self.solve(h * d, h / 3.0 * ((4.0 * w - 1.0) * f0 - f_gamma + 2.0 * d * f1))
        return Attempt(y, f1, error, self._hermite(h, y, f1))


class _Polynomial(DenseOutput):
    """The solution within the last step."""

    def __init__(self, t_old: float, t: float, inside: Callable[[Any], Array]) -> None:
        super().__init__(t_old, t)
        self.inside = inside

    def _call_impl(self, t: Any) -> Array:
        s = (t - self.t_old) / (self.t - self.t_old)
        if np.ndim(t) == 0:
            return self.inside(s)
        return np.stack([self.inside(share) for share in s], axis=1)
