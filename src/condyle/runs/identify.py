"""Identification: the parameters of a model with which it does what was measured."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError, unknown_name
from condyle.runs.case import write_whole
from condyle.runs.identification import Identification
from condyle.runs.measured import Curves, Measured, Unknown
from condyle.runs.problem import Problem
from condyle.runs.workers import Crew

if TYPE_CHECKING:
    from condyle.files.experiment import FileSimulation

__all__ = ["identify"]

METHODS = ("local", "starts", "evolution", "cma")
GRADIENTS = ("differences", "exact")
STEP = 1e-4  # of the differences, relative to the coordinates of the search
TOLERANCE = 1e-2  # of the search, relative to the square of that step: what jumps more cannot be found more sharply


def identify(
    simulate: Callable[..., Curves] | str | Path,
    unknowns: Mapping[str, Unknown] | Sequence[str],
    data: Sequence[Measured] | Measured,
    *,
    method: str = "local",
    gradients: str = "differences",
    starts: int = 8,
    seed: int = 0,
    step: float = STEP,
    most_runs: int = 2000,
    workers: int | None = 0,
    scheduler: str | None = None,
    out: str | Path | None = None,
    progress: bool = False,
) -> Identification:
    """Find the parameters with which a simulation comes nearest to what was measured, by least squares.

    Parameters
    ----------
    simulate : ``simulate(**parameters) -> {curve: (times, values)}``; it gets the unknowns and what belongs to an experiment.
        Or the path of a model file, whose curves are compared in their units
    unknowns : name → `Unknown`; of a model file also names alone, with the bounds that the file or the fields declare
    data : the measured curves, of one or several experiments
    method : ``local``, from the start of each unknown; ``starts``, a local search from several points of a Latin hypercube;
        ``evolution``, differential evolution, or ``cma``, adaptation of a covariance matrix (CMA-ES, pip install
        'condyle[cma]'), then a local search from the best. All but the first need bounds
    gradients : ``differences`` of runs, or ``exact``: from sensitivities of the steps, of a `SensitiveRun`
    starts : number of local searches of ``starts``, or members of the population per unknown of ``evolution``
    seed : of what is random; the same seed gives the same search
    step : of the differences by which derivatives are found, relative to the bounds of an unknown (to its value if it is
        searched by its logarithm); larger where what comes out jumps a little from one value to the next, as with impacts
    most_runs : simulations of all experiments after which a search ends, with the best so far; those kept in `out` count
    workers : processes for runs that do not wait for each other, as of differences and populations; 0 for this process, None
        for one per core. The simulation is then a function at the top of a module, a model file or a `SensitiveRun` of such
    scheduler : address of a Dask scheduler, ``tcp://host:8786``, instead of processes
    out : folder in which every evaluation is kept; the same identification goes on there after a kill
    progress : say on standard error when something better is found

    Returns
    -------
    Identification : values, intervals of 95 %, correlations, what data cannot tell apart, profiles, figures
    """
    curves = [data] if isinstance(data, Measured) else list(data)
    if isinstance(simulate, str | Path):
        simulation, unknowns = _of_file(simulate, unknowns)
        curves = [m.converted(simulation.curve_unit(m.curve)) for m in curves]  # an unknown name is found at once
        return identify(
            simulation, unknowns, curves, method=method, gradients=gradients, starts=starts, seed=seed, step=step,
            most_runs=most_runs, workers=workers, scheduler=scheduler, out=out, progress=progress,
        )  # fmt: skip
    if not isinstance(unknowns, Mapping):
        raise InputError("identification: give each unknown its bounds, {name: Unknown(low, high)}")
    if method not in METHODS:
        raise unknown_name("method", method, METHODS, where="identification")
    if not unknowns or not curves:
        raise InputError("identification: give at least one unknown and one measured curve")
    if method != "local":
        for name, unknown in unknowns.items():
            if not unknown.bounded:
                raise InputError(f"identification: the search {method!r} needs bounds; give low and high of {name!r}")
    if gradients not in GRADIENTS:
        raise unknown_name("way to gradients", gradients, GRADIENTS, where="identification")
    if gradients == "exact" and not callable(getattr(simulate, "derivatives", None)):
        raise InputError(
            "identification: exact gradients need a SensitiveRun(build, read, end=…, dt=…) as the simulation"
        )
    if workers is not None and workers < 0:
        raise InputError(f"identification: {workers} workers; give 0 (this process) or more")
    with Crew((os.cpu_count() or 1) if workers is None else workers, scheduler) as crew:
        problem = Problem(
            simulate, unknowns, curves, _journal(out, simulate, unknowns, curves, method, starts, seed), crew
        )
        problem.residuals(problem.start)  # a mistake of the data or the function is found at once
        search = _Search(problem, step, most_runs, progress, gradients == "exact")
        if method == "local":
            search.local(problem.start)
        elif method == "starts":
            for point in _hypercube(problem, starts, seed):
                search.local(point)
        else:
            (search.evolve if method == "evolution" else search.adapt)(starts, seed)
            search.local(problem.best[1])
        point = problem.best[1]
        jacobian = search.jacobian(point)
    problem.crew = None
    return Identification(problem, point, jacobian, ended=search.ended)


def _of_file(
    path: str | Path, unknowns: Mapping[str, Unknown] | Sequence[str]
) -> tuple[FileSimulation, Mapping[str, Unknown]]:
    """The simulation of a model file, and its unknowns with the bounds that are declared."""
    from condyle.files.experiment import file_simulation

    simulation = file_simulation(path)
    if isinstance(unknowns, Mapping):
        for name in unknowns:
            simulation.bounds(name)  # an unknown name is found at once
        return simulation, unknowns
    made = {}
    for name in [unknowns] if isinstance(unknowns, str) else unknowns:
        low, high, start, unit = simulation.bounds(name)
        made[name] = Unknown(low, high, start=start, unit=unit)
    return simulation, made


class _Search:
    """Searches that share one number of runs, and say when they find something better."""

    def __init__(self, problem: Problem, step: float, most_runs: int, progress: bool, exact: bool = False) -> None:
        self.problem, self.step, self.most_runs, self.progress = problem, step, most_runs, progress
        self.exact = exact
        self.told = np.inf
        self.ended = "converged"

    def residuals(self, point: NDArray[np.float64]) -> NDArray[np.float64]:
        if self.problem.runs >= self.most_runs:
            raise _OutOfRuns
        found = self.problem.residuals(point)
        if self.progress and self.problem.best[0] < self.told * (1.0 - 1e-3):
            self.told = self.problem.best[0]
            values = ", ".join(f"{n} = {v:.5g}" for n, v in self.problem.values(self.problem.best[1]).items())
            print(f"run {self.problem.runs}: half the sum of squares {self.told:.5g}, {values}", file=sys.stderr)
        return found

    def local(self, start: NDArray[np.float64]) -> None:
        """Trust-region least squares with bounds; a step of the differences that rises above the noise of a simulation."""
        from scipy.optimize import least_squares

        low, high = self.problem.bounds
        margin = 1e-9 * np.where(np.isfinite(high - low), high - low, 1.0)
        inside = np.clip(start, low + margin, high - margin)
        end = TOLERANCE * self.step**2
        try:
            least_squares(
                self.residuals, inside, self.jacobian, bounds=(low, high), x_scale=self._sizes(), xtol=end, ftol=end,
                gtol=end, max_nfev=200,
            )  # fmt: skip
        except _OutOfRuns:
            self.ended = f"ended after {self.most_runs} runs"

    def evolve(self, members: int, seed: int) -> None:
        """Differential evolution within the bounds."""
        from scipy.optimize import Bounds, differential_evolution

        parallel: dict[str, Any] = {}
        if self.problem.crew is not None and self.problem.crew.many:
            parallel = {"vectorized": True, "updating": "deferred"}  # a whole generation at once

        def cost(points: NDArray[np.float64]) -> Any:  # one cost, or one of each column
            if points.ndim == 1:
                return self._cost(points)
            self._prepare(points.T)
            return np.array([self._cost(point) for point in points.T])

        try:
            differential_evolution(
                cost,
                Bounds(*self.problem.bounds),
                popsize=max(members, 5),
                seed=seed,
                polish=False,
                tol=1e-4,
                **parallel,
            )
        except _OutOfRuns:
            self.ended = f"ended after {self.most_runs} runs"

    def adapt(self, members: int, seed: int) -> None:
        """CMA-ES within the bounds, from the starts of the unknowns (hansen-2001); coordinates are shares of the bounds."""
        try:
            import cma
        except ImportError:
            raise InputError("identification: the search 'cma' needs the package: pip install 'condyle[cma]'") from None
        low, high = self.problem.bounds
        start = np.clip((self.problem.start - low) / (high - low), 0.01, 0.99)
        options = {
            "bounds": [0.0, 1.0], "seed": seed + 1, "verbose": -9, "tolx": 1e-6, "tolfun": 1e-10,
            "popsize": max(members, 4 + int(3 * np.log(len(low)))),
        }  # fmt: skip
        if len(low) == 1:
            raise InputError("identification: the search 'cma' is for two unknowns or more; take 'evolution'")
        search = cma.CMAEvolutionStrategy(start, 0.3, options)
        try:
            while not search.stop():
                shares = search.ask()
                points = [low + (high - low) * np.asarray(share) for share in shares]
                self._prepare(points)
                search.tell(shares, [self._cost(point) for point in points])
        except _OutOfRuns:
            self.ended = f"ended after {self.most_runs} runs"

    def _cost(self, point: NDArray[np.float64]) -> float:
        residuals = self.residuals(point)
        return 0.5 * float(residuals @ residuals)

    def _prepare(self, points: Iterable[NDArray[np.float64]]) -> None:
        """Points that are asked for next, as far as runs are left."""
        self.problem.look_ahead(list(points)[: max(self.most_runs - self.problem.runs, 0)])

    def jacobian(self, point: NDArray[np.float64]) -> NDArray[np.float64]:
        """Exact, or central differences, on one side only where a bound is near."""
        if self.exact:
            return self.problem.jacobian(point)
        low, high = self.problem.bounds
        pairs = []
        for k, step in enumerate(self.step * self._sizes()):
            ends = [point.copy(), point.copy()]
            ends[0][k], ends[1][k] = max(point[k] - step, low[k]), min(point[k] + step, high[k])
            pairs.append(ends)
        self.problem.look_ahead([end for ends in pairs for end in ends])
        columns = [
            (self.problem.residuals(after) - self.problem.residuals(before)) / (after[k] - before[k])
            for k, (before, after) in enumerate(pairs)
        ]
        return np.array(columns).T

    def _sizes(self) -> NDArray[np.float64]:
        """How large the unknowns are in the coordinates of the search: their bounds, or their starts."""
        low, high = self.problem.bounds
        sizes = np.where(np.isfinite(high - low), high - low, np.maximum(np.abs(self.problem.start), 1e-3))
        return np.array([1.0 if u.log else s for u, s in zip(self.problem.unknowns.values(), sizes, strict=True)])


class _OutOfRuns(Exception):
    pass


def _hypercube(problem: Problem, starts: int, seed: int) -> list[NDArray[np.float64]]:
    """The start of the unknowns, and points of a Latin hypercube within the bounds."""
    from scipy.stats import qmc

    low, high = problem.bounds
    if starts < 2:
        return [problem.start]
    points = qmc.LatinHypercube(len(low), seed=seed).random(starts - 1)
    return [problem.start, *(low + (high - low) * points)]


def _journal(
    out: str | Path | None,
    simulate: Callable[..., Curves],
    unknowns: Mapping[str, Unknown],
    data: Sequence[Measured],
    method: str,
    starts: int,
    seed: int,
) -> Path | None:
    """The file of evaluations, in a folder that belongs to this identification."""
    if out is None:
        return None
    folder = Path(out)
    folder.mkdir(parents=True, exist_ok=True)
    told = json.dumps(
        {
            "model file": getattr(simulate, "digest", ""),
            "unknowns": repr(dict(unknowns)),
            "data": [m.digest for m in data],
            "method": method,
            "starts": starts,
            "seed": seed,
        },
        indent=2,
    )
    file = folder / "identification.json"
    kept = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else told + "\n"
    if not kept.endswith("}\n"):
        raise InputError(
            f"'{file}' is damaged: if its folder holds the runs of this very identification, delete this file and repeat the "
            "command; else give another folder with out= (--out)"
        )
    if kept != told + "\n":
        raise InputError(
            f"folder '{folder}' holds another identification, or one whose model file or measurements were changed; give "
            "another one with out= (--out)"
        )
    write_whole(file, told + "\n")
    return folder / "evaluations.jsonl"
