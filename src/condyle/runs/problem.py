"""Residuals of an identification: simulate each experiment, compare at the measured times, remember what was computed."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from condyle.errors import CondyleError, InputError, unknown_name
from condyle.runs.measured import Curves, Measured, Unknown
from condyle.runs.workers import Crew

__all__ = ["Problem"]

Point: TypeAlias = Sequence[float] | NDArray[np.float64]  # of the search: a coordinate of each unknown

# A run that fails counts as this many times the size of its measurement away: far, but finite, so that the search turns back.
FAILED = 1e3


class Problem:
    """The residuals as a function of the unknowns, in the coordinates of the search.

    Every evaluation is remembered, in a file as well if there is one: a search that was killed and is started again asks the
    same questions, and has their answers at once.
    """

    def __init__(
        self,
        simulate: Callable[..., Curves],
        unknowns: Mapping[str, Unknown],
        data: Sequence[Measured],
        journal: Path | None = None,
        crew: Crew | None = None,
    ) -> None:
        self.simulate, self.data = simulate, list(data)
        shifts = {_shift_name(k, data): Unknown(*m.shift, unit="s") for k, m in enumerate(data) if m.shift is not None}
        both = set(shifts) & set(unknowns)
        if both:
            raise InputError(
                f"identification: {sorted(both)[0]!r} is the name of a shift; call the parameter otherwise"
            )
        self.parameters = list(unknowns)
        self.unknowns = {**unknowns, **shifts}
        self.names = list(self.unknowns)
        self.runs = self.failures = 0
        self.last_failure = ""
        self.best = (np.inf, self.start)  # half the sum of squares, and where
        self._known: dict[tuple[float, ...], NDArray[np.float64]] = {}
        self._unasked: set[tuple[float, ...]] = set()  # known from the file; they count as runs when they are asked for
        self._journal, self.crew = journal, crew
        if journal is not None and journal.is_file():
            self._read(journal)

    @property
    def bounds(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Lower and upper bounds in the coordinates of the search."""
        low = [u.inner(u.low) if np.isfinite(u.low) else -np.inf for u in self.unknowns.values()]
        high = [u.inner(u.high) if np.isfinite(u.high) else np.inf for u in self.unknowns.values()]
        return np.array(low), np.array(high)

    @property
    def start(self) -> NDArray[np.float64]:
        """Where a local search begins."""
        return np.array([u.inner_start for u in self.unknowns.values()])

    def values(self, point: Point) -> dict[str, float]:
        """The unknowns at a point of the search, as the simulation takes them."""
        return {name: u.outer(x) for (name, u), x in zip(self.unknowns.items(), point, strict=True)}

    def residuals(self, point: NDArray[np.float64]) -> NDArray[np.float64]:
        """Weighted residuals of all curves, then of the priors."""
        key = tuple(float(x) for x in point)
        if key not in self._known:
            found, problem = self._compute(key)
            self.runs += 1
            self._note(key, found, problem)
        self._ask(key)
        return self._known[key].copy()

    def _ask(self, key: tuple[float, ...]) -> None:
        """Count a run of the file, so that a search which goes on ends after as many runs as one that was not stopped."""
        if key in self._unasked:
            self._unasked.remove(key)
            self.runs += 1

    def look_ahead(self, points: Sequence[NDArray[np.float64]]) -> None:
        """Evaluate these points at once, where there are workers; they are asked for next."""
        if self.crew is None or not self.crew.many:
            return
        keys = list(dict.fromkeys(tuple(float(x) for x in point) for point in points))
        for key in keys:
            self._ask(key)
        new = [key for key in keys if key not in self._known]
        for key, found in zip(new, self.crew.do(Evaluation(self), new), strict=True):
            self.runs += 1
            self._note(key, *((self._far(), "its process died: out of memory, or a crash") if found is None else found))

    def jacobian(self, point: NDArray[np.float64]) -> NDArray[np.float64]:
        """Exact derivatives of the residuals by the coordinates of the search, from sensitivities of the simulation."""
        values = self.values(point)
        given = {name: values[name] for name in self.parameters}
        runs: dict[str, Any] = {}
        self.runs += 1
        lines = []
        for k, m in enumerate(self.data):
            experiment = repr(sorted(m.experiment.items()))
            if experiment not in runs:
                simulate: Any = self.simulate
                runs[experiment] = simulate.derivatives(by=self.parameters, **given, **m.experiment)
            times, curve, slopes = runs[experiment][m.curve]
            shift = _shift_name(k, self.data)
            lines.append(_sampled_slopes(m, times, curve, slopes, values.get(shift, 0.0), self.names, shift))
        scale = np.array([u.slope(x) for u, x in zip(self.unknowns.values(), point, strict=True)])
        found = np.concatenate(lines) * scale
        priors = [(k, u.prior[1]) for k, u in enumerate(self.unknowns.values()) if u.prior is not None]
        extra = np.zeros((len(priors), len(self.names)))
        for line, (k, spread) in enumerate(priors):
            extra[line, k] = 1.0 / spread
        return np.concatenate([found, extra])

    def _compute(self, key: tuple[float, ...]) -> tuple[NDArray[np.float64], str]:
        try:
            curves = self.curves(key)
        except (CondyleError, ArithmeticError) as error:
            if isinstance(error, InputError):
                raise
            return self._far(), " ".join(str(error).split())
        parts = [
            m.weight * (curve - m.values) / m.scale if np.isfinite(curve).all() else np.full(len(m.times), FAILED)
            for m, curve in zip(self.data, curves, strict=True)
        ]
        return np.concatenate([*parts, self._priors(key)]), ""

    def curves(self, point: Point) -> list[NDArray[np.float64]]:
        """The simulated curves at the times of the measured ones."""
        values = self.values(point)
        given = {name: values[name] for name in self.parameters}
        runs: dict[str, Curves] = {}
        found = []
        for k, m in enumerate(self.data):
            experiment = repr(sorted(m.experiment.items()))
            if experiment not in runs:
                runs[experiment] = self.simulate(**given, **m.experiment)
            found.append(self._sampled(m, runs[experiment], values.get(_shift_name(k, self.data), 0.0)))
        return found

    def _sampled(self, m: Measured, run: Curves, shift: float) -> NDArray[np.float64]:
        if m.curve not in run:
            raise unknown_name("curve", m.curve, run, where="identification: the simulation")
        times, values = (np.asarray(column, dtype=float) for column in run[m.curve])
        if m.process is not None:
            values = np.asarray(m.process(times, values), dtype=float)
        _check_times(m, times, shift)
        return np.interp(m.times + shift, times, values)

    def _priors(self, point: Point) -> NDArray[np.float64]:
        pairs = [(u.prior, x) for u, x in zip(self.unknowns.values(), point, strict=True) if u.prior is not None]
        return np.array([(x - mean) / spread for (mean, spread), x in pairs])

    def _far(self) -> NDArray[np.float64]:
        samples = sum(len(m.times) for m in self.data)
        priors = sum(u.prior is not None for u in self.unknowns.values())
        return np.concatenate([np.full(samples, FAILED), np.zeros(priors)])

    @property
    def samples(self) -> int:
        """Number of measured samples."""
        return sum(len(m.times) for m in self.data)

    # --- what is remembered -------------------------------------------------------------------------------------------

    def _note(self, key: tuple[float, ...], found: NDArray[np.float64], problem: str) -> None:
        self._keep(key, found, problem)
        if self._journal is not None:
            with self._journal.open("a", encoding="utf-8") as stream:
                stream.write(json.dumps({"point": key, "residuals": found.tolist(), "problem": problem}) + "\n")

    def _keep(self, key: tuple[float, ...], found: NDArray[np.float64], problem: str) -> None:
        self._known[key] = found
        if problem:
            self.failures += 1
            self.last_failure = problem
        cost = 0.5 * float(found @ found)
        if cost < self.best[0]:
            self.best = (cost, np.array(key))

    def _read(self, journal: Path) -> None:
        text = journal.read_text(encoding="utf-8", errors="replace")
        if text and not text.endswith("\n"):  # killed while it wrote: what comes next stands in a line of its own
            with journal.open("a", encoding="utf-8") as stream:
                stream.write("\n")
        for line in text.splitlines():
            try:
                entry = json.loads(line)
                point, residuals = tuple(entry["point"]), np.array(entry["residuals"], dtype=float)
                problem = str(entry["problem"])
            except (ValueError, TypeError, KeyError):  # the last line of a process that was killed while it wrote
                continue
            if len(point) == len(self.names) and len(residuals) == len(self._far()):
                self._keep(point, residuals, problem)
                self._unasked.add(point)


class Evaluation:
    """The residuals of a problem as a worker computes them: without what is remembered."""

    def __init__(self, problem: Problem) -> None:
        self.problem = copy.copy(problem)
        self.problem._known, self.problem._journal, self.problem.crew = {}, None, None

    def __call__(self, key: tuple[float, ...]) -> tuple[NDArray[np.float64], str]:
        """Residuals, and why there are none."""
        return self.problem._compute(key)


def _check_times(m: Measured, times: NDArray[np.float64], shift: float) -> None:
    """InputError if samples, with the shift that is tried, lie outside of the simulated times."""
    first, last = float(m.times[0]), float(m.times[-1])
    margin = 1e-9 * (times[-1] - times[0])
    begin, end = times[0] - margin, times[-1] + margin
    if begin <= first + shift and last + shift <= end:
        return
    fix, shifted = "simulate longer, or leave samples out", ""
    if begin <= first and last <= end:
        fix, shifted = (
            "narrow the bounds of the shift, simulate longer, or leave samples out",
            f", shifted by {shift:.3g},",
        )
    elif last > 10.0 * end and begin <= 1e-3 * first and 1e-3 * last <= end:
        fix = "if they are in ms, say so in the heading, 'time [ms]'"
    raise InputError(
        f"{m.where}: its samples from {first:.6g} to {last:.6g}{shifted} lie outside of the simulated time, "
        f"{times[0]:.6g} to {times[-1]:.6g}; {fix}"
    )


def _sampled_slopes(
    m: Measured,
    times: NDArray[np.float64],
    curve: NDArray[np.float64],
    slopes: Mapping[str, NDArray[np.float64]],
    shift: float,
    names: Sequence[str],
    own: str,
) -> NDArray[np.float64]:
    """Derivatives of the weighted residuals of a curve, shape (samples, unknowns)."""
    asked = m.times + shift
    columns = np.zeros((len(asked), len(names)))
    for k, name in enumerate(names):
        if name in slopes:
            columns[:, k] = np.interp(asked, times, _processed_slope(m, times, curve, slopes[name]))
        elif name == own:  # the slope of the piece of the polygon on which the sample lies
            shown = curve if m.process is None else np.asarray(m.process(times, curve), dtype=float)
            piece = np.clip(np.searchsorted(times, asked, side="right") - 1, 0, len(times) - 2)
            columns[:, k] = (np.diff(shown) / np.diff(times))[piece]
    return columns * (m.weight / np.broadcast_to(m.scale, asked.shape))[:, None]


def _processed_slope(
    m: Measured, times: NDArray[np.float64], curve: NDArray[np.float64], slope: NDArray[np.float64]
) -> NDArray[np.float64]:
    """What a filter makes of a derivative: exact where the filter is linear, as filters are."""
    if m.process is None:
        return slope
    size = float(np.abs(curve).max()) / (float(np.abs(slope).max()) or 1.0) or 1.0
    ends = [np.asarray(m.process(times, curve + sign * size * slope), dtype=float) for sign in (1.0, -1.0)]
    return (ends[0] - ends[1]) / (2.0 * size)


def _shift_name(number: int, data: Sequence[Measured]) -> str:
    """The name of the unknown shift of a curve; numbered where several experiments have the same curve."""
    curve = data[number].curve
    several = sum(m.curve == curve for m in data) > 1
    return f"shift of {curve}" + (f" {number}" if several else "")
