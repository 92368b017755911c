"""What an identification gives: values with intervals, what the data cannot tell, profiles, and the fitted curves."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from condyle.errors import InputError, unknown_name

if TYPE_CHECKING:
    from matplotlib.figure import Figure
    from numpy.typing import NDArray

    from condyle.model.given import Json
    from condyle.results.crash.rating import Rating
    from condyle.runs.measured import Measured
    from condyle.runs.problem import Problem

__all__ = ["Identification", "IdentificationWarning", "Profile"]

CONFIDENCE = 0.95
TWINS = 0.99  # correlation from which on two parameters cannot be told apart
RANGES = 5.0  # ratio of the ranges of a fitted and a measured curve from which on something is wrong
POOR = 0.5  # part of the variance of a measured curve that is left
BLIND = 1e-7  # of the largest singular value: a direction in which the data say nothing


class IdentificationWarning(UserWarning):
    """The data do not determine what was asked of them: the message names the parameters."""


@dataclass(frozen=True)
class Profile:
    """Profile likelihood of one parameter: the least cost with this parameter held, all others found again.

    ``values`` of the parameter, ``costs`` half the sums of squares, ``interval`` where the likelihood ratio stays within 95 %;
    an end that was not reached is infinite.
    """

    name: str
    values: NDArray[np.float64]
    costs: NDArray[np.float64]
    interval: tuple[float, float]


class Identification:
    """The parameters that were found. Made by `identify`."""

    def __init__(
        self, problem: Problem, point: NDArray[np.float64], jacobian: NDArray[np.float64], ended: str = "converged"
    ) -> None:
        self.problem, self.point, self.jacobian, self.ended = problem, point, jacobian, ended
        self.values = problem.values(point)
        self.residuals = problem.residuals(point)
        self.cost = 0.5 * float(self.residuals @ self.residuals)
        self.runs, self.failures = problem.runs, problem.failures
        self.covariance = self.variance * self._inverse()
        self.doubts = self._doubts()
        for doubt in self.doubts:
            warnings.warn(doubt, IdentificationWarning, stacklevel=3)

    def __repr__(self) -> str:
        found = ", ".join(f"{name} = {value:.5g}" for name, value in self.values.items())
        return f"<identification, {self.runs} runs: {found}>"

    # --- how certain it is ---------------------------------------------------------------------------------------------

    @property
    def freedom(self) -> int:
        """Samples more than unknowns."""
        return max(len(self.residuals) - len(self.point), 1)

    @property
    def variance(self) -> float:
        """Variance of a weighted residual: 1 where the noise of all curves is known, else estimated."""
        if all(m.sigma is not None for m in self.problem.data):
            return 1.0
        return 2.0 * self.cost / self.freedom

    def _inverse(self) -> NDArray[np.float64]:
        """(JᵀJ)⁻¹ by singular values, with columns of equal length; blind directions count as very uncertain ones."""
        lengths = np.linalg.norm(self.jacobian, axis=0)
        lengths[lengths == 0.0] = 1.0
        _, singular, vectors = np.linalg.svd(self.jacobian / lengths, full_matrices=False)
        singular = np.maximum(singular, BLIND * max(singular.max(initial=0.0), 1e-300))
        half = vectors.T / singular / lengths[:, None]
        return half @ half.T

    @property
    def intervals(self) -> dict[str, tuple[float, float]]:
        """Intervals of 95 %, from the curvature of the sum of squares; `profile` has those that do not suppose a parabola."""
        from scipy.stats import t as student

        reach = float(student.ppf(0.5 + 0.5 * CONFIDENCE, self.freedom)) * np.sqrt(np.diag(self.covariance))
        found = {}
        for k, (name, unknown) in enumerate(self.problem.unknowns.items()):
            ends = [self.point[k] - reach[k], self.point[k] + reach[k]]
            with np.errstate(over="ignore"):
                found[name] = tuple(float(np.exp(e)) if unknown.log else float(e) for e in ends)
        return found  # type: ignore[return-value]

    @property
    def correlations(self) -> NDArray[np.float64]:
        """Correlations of the unknowns, in the order of `values` [unknowns, unknowns]."""
        spread = np.sqrt(np.diag(self.covariance))
        return self.covariance / np.outer(spread, spread)

    def _doubts(self) -> list[str]:
        names, found = list(self.values), []
        lengths = np.linalg.norm(self.jacobian, axis=0)
        size = lengths.max(initial=0.0)
        for name, length in zip(names, lengths, strict=True):
            if length <= BLIND * size:
                found.append(f"{name}: the measured curves do not depend on it; measure something else, or fix it")
        for k, a in enumerate(names):
            for j in range(k + 1, len(names)):
                if abs(self.correlations[k, j]) > TWINS and min(lengths[k], lengths[j]) > BLIND * size:
                    found.append(
                        f"{a} and {names[j]}: the data can hardly tell them apart (correlation {self.correlations[k, j]:.4f}); "
                        "fix one, or measure another experiment"
                    )
        low, high = self.problem.bounds
        for name, x, lowest, highest in zip(names, self.point, low, high, strict=True):
            width = highest - lowest if np.isfinite(highest - lowest) else max(abs(x), 1e-300)
            if min(x - lowest, highest - x) < 1e-6 * width:
                found.append(f"{name} = {self.values[name]:.5g} lies at a bound; widen it, or the model is another one")
        found += self._misfits()
        if self.ended != "converged":
            found.append(f"the search {self.ended}: the values are the best so far")
        return found

    def _misfits(self) -> list[str]:
        """Curves that are far from what was measured, from the residuals, without another run."""
        found, begun = [], 0
        for m in self.problem.data:
            r = self.residuals[begun : begun + len(m.times)] / m.weight
            begun += len(m.times)
            fitted, measured = m.values + r * m.scale, float(np.ptp(m.values))
            if measured == 0.0 or (
                m.sigma is not None and float(np.mean(r**2)) < 4.0
            ):  # as near as its noise lets it be
                continue
            hint = "units may differ; write that of the measurement in its heading, as in 'angle [deg]'"
            ratio = float(np.ptp(fitted)) / measured
            if not 1.0 / RANGES < ratio < RANGES:
                found.append(
                    f"{m.curve}: the fitted curve spans {np.ptp(fitted):.3g}, the measured one {measured:.3g}: {hint}"
                )
            elif float(np.mean((fitted - m.values) ** 2)) > POOR * float(np.var(m.values)):
                found.append(f"{m.curve}: the fit is poor: the model is another one, or {hint}")
        return found

    # --- how well it fits ----------------------------------------------------------------------------------------------

    @property
    def aic(self) -> float:
        """Akaike's information criterion, with the correction for few samples: of two models the smaller one is better."""
        n, p = self.problem.samples, len(self.point) + 1
        return self._deviance() + 2.0 * p + 2.0 * p * (p + 1.0) / max(n - p - 1.0, 1.0)

    @property
    def bic(self) -> float:
        """The Bayesian information criterion, which counts parameters more."""
        return self._deviance() + (len(self.point) + 1) * float(np.log(self.problem.samples))

    def _deviance(self) -> float:
        r = self.residuals[: self.problem.samples]
        return self.problem.samples * float(np.log(max(float(r @ r), 1e-300) / self.problem.samples))

    def fitted(self) -> list[NDArray[np.float64]]:
        """The simulated curves at the measured times, in the order of the data."""
        return self.problem.curves(self.point)

    def ratings(self) -> list[Rating]:
        """ISO 18571 rating of each fitted curve against the measured one; uneven samples are made even first."""
        return [_rated(m, curve) for m, curve in zip(self.problem.data, self.fitted(), strict=True)]

    def rating_texts(self) -> list[str]:
        """The same in words, also of curves that are too short to be rated."""
        texts = []
        for m, curve in zip(self.problem.data, self.fitted(), strict=True):
            try:
                texts.append(f"{m.curve}: ISO 18571 {_rated(m, curve).overall:.3f}")
            except InputError as error:
                texts.append(f"{m.curve}: not rated, {error}")
        return texts

    # --- profiles ------------------------------------------------------------------------------------------------------

    def profile(self, name: str, points: int = 11, reach: float = 3.0) -> Profile:
        """Profile likelihood of a parameter over `reach` standard errors to both sides, within its bounds."""
        from scipy.optimize import least_squares
        from scipy.stats import chi2

        names = self.problem.names
        if name not in names:
            raise unknown_name("unknown", name, names, where="identification")
        if points < 5:
            raise InputError(f"profile of {name!r}: {points} points; take at least five")
        k = names.index(name)
        low, high = self.problem.bounds
        spread = reach * float(np.sqrt(self.covariance[k, k]))
        ends = max(self.point[k] - spread, low[k]), min(self.point[k] + spread, high[k])
        rest = [j for j in range(len(names)) if j != k]

        def best(held: float, start: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
            def residuals(others: NDArray[np.float64]) -> NDArray[np.float64]:
                return self.problem.residuals(_with(others, rest, k, held))

            if not rest:
                r = self.problem.residuals(np.array([held]))
                return 0.5 * float(r @ r), start
            found = least_squares(
                residuals, np.clip(start, low[rest], high[rest]), bounds=(low[rest], high[rest]),
                diff_step=np.full(len(rest), 1e-5), x_scale=np.maximum(np.abs(start), 1e-3), xtol=1e-8, ftol=1e-8, max_nfev=40,
            )  # fmt: skip
            return float(found.cost), found.x

        inner = np.linspace(*ends, points)
        costs = np.empty(points)
        middle = int(np.argmin(np.abs(inner - self.point[k])))
        for order in (range(middle, points), range(middle - 1, -1, -1)):  # each from its neighbour's others
            start = self.point[rest]
            for j in order:
                costs[j], start = best(inner[j], start)
        limit = self.cost + 0.5 * self.variance * float(chi2.ppf(CONFIDENCE, 1))
        unknown = self.problem.unknowns[name]
        values = np.array([unknown.outer(x) for x in inner])
        return Profile(name, values, costs, (_crossing(values, costs, limit, -1), _crossing(values, costs, limit, 1)))

    # --- tables and figures ---------------------------------------------------------------------------------------------

    def table(self) -> list[dict[str, Json]]:
        """A row per unknown: name, value, unit, ends of the interval of 95 %."""
        intervals = self.intervals
        return [
            {
                "name": n,
                "value": v,
                "unit": self.problem.unknowns[n].unit,
                "low": intervals[n][0],
                "high": intervals[n][1],
            }
            for n, v in self.values.items()
        ]

    def plot(self, *, show: bool = False) -> Figure:
        """Measured and fitted curves, a panel each."""
        from condyle.runs.identification_figures import fitted_curves

        return fitted_curves(self, show=show)

    def plot_profile(self, name: str, points: int = 11, *, show: bool = False) -> Figure:
        """Profile likelihood of a parameter, with its interval."""
        from condyle.runs.identification_figures import profile_curve

        return profile_curve(self, self.profile(name, points), show=show)


def _rated(m: Measured, curve: NDArray[np.float64]) -> Rating:
    from condyle.results.crash.rating import iso_18571

    even = np.linspace(m.times[0], m.times[-1], len(m.times))
    if np.allclose(m.times, even, rtol=0.0, atol=1e-6 * (even[1] - even[0])):
        return iso_18571(m.times, curve, m.values)
    return iso_18571(even, np.interp(even, m.times, curve), np.interp(even, m.times, m.values))


def _with(others: NDArray[np.float64], rest: list[int], k: int, held: float) -> NDArray[np.float64]:
    point = np.empty(len(rest) + 1)
    point[rest], point[k] = others, held
    return point


def _crossing(values: NDArray[np.float64], costs: NDArray[np.float64], limit: float, side: int) -> float:
    """Where the profile crosses the limit, on one side of its smallest cost; infinite if it does not."""
    k = int(np.argmin(costs))
    while 0 <= k + side < len(values):
        a, b = costs[k], costs[k + side]
        if a <= limit < b:
            return float(values[k] + (values[k + side] - values[k]) * (limit - a) / (b - a))
        k += side
    return float(side * np.inf)
