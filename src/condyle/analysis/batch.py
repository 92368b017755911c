"""Thousands of copies of a small model in one process, with other numbers or other starts, on all cores.

Steps are compiled and let other threads go on meanwhile, so threads are enough: nothing is sent to other processes and nothing
is imported twice. Copies are begun one at a time and stepped together. Those that share a system follow each other, on the
tables of as many simulations as there are threads. Every copy is an ordinary run of an ordinary system: it has the same bits
as if it had been simulated alone.
"""

from __future__ import annotations

import copy
import dataclasses
import os
import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.analysis.batch_result import BatchResult
from condyle.analysis.tie_forces import tie_force
from condyle.errors import CondyleError, InputError, unknown_name
from condyle.integrators.affordable import check_affordable
from condyle.integrators.driver import Run, check_options, describe
from condyle.integrators.energy_momentum import EnergyMomentum
from condyle.integrators.simulation import Integrator, Simulation, as_integrator, objects_set_aside
from condyle.model.model import Model
from condyle.results.recorder import Recorder
from condyle.results.result import Result
from condyle.system.compile import compile as compiled
from condyle.system.system import System

if TYPE_CHECKING:
    from condyle.model.given import Json
    from condyle.system.state import State

__all__ = ["batch"]

LONG = 10_000  # compiled steps in a row: nobody has to be shown anything between
FEW = 50  # steps that there is room for where they are taken one by one


def batch(
    model: Model | System | Callable[..., Model],
    vary: Mapping[str, Sequence[Json]] | None = None,
    *,
    end: float,
    dt: float,
    states: Sequence[State] | None = None,
    integrator: Integrator | str | None = None,
    start: str = "consistent",
    every: int = 1,
    threads: int | None = None,
    energy_tolerance: float | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> BatchResult:
    """Simulate many copies of a model from t = 0 to `end` [s] in steps of `dt` [s], on all cores of this process.

    model: a Model whose fields are varied, a System of which only starts are varied, or a function of the varied numbers that
    returns a Model. vary: name → one value per copy; of a Model the names are 'part.field', also of what a field holds, as in
    'beam.material.young', or 'gravity'. states: where each copy starts, as `simulate` takes them. Both lists are as long as
    there are copies. every: keep every n-th state. threads: None for one per core.
    integrator, start, energy_tolerance: as for `simulate`. progress: a function of (copies done, copies in all).

    A copy that fails keeps what it has and its reason (`BatchResult.failed`); the others go on. Each copy has the same bits as
    `simulate` gives for it alone. What has no compiled steps (`Result.in_python`) runs as well, on one core.
    """
    check_options(end, dt, every, None, "return")
    method = EnergyMomentum() if integrator is None else as_integrator(integrator)
    count = _count(vary or {}, states)
    _check_names(model, vary or {})
    workers = os.cpu_count() or 1 if threads is None else threads
    if not isinstance(workers, int) or workers < 1:
        raise InputError(f"batch: threads must be a whole number of at least 1, not {threads!r}")
    copies = _Copies(model, vary or {}, states)
    runs = _Runs(copies, end, dt, method, start, every, energy_tolerance)
    began = perf_counter()
    done: list[tuple[Result | None, str, int]] = []
    with objects_set_aside(), ThreadPoolExecutor(workers) as pool:
        for one in pool.map(runs.run, range(count)):  # in their order; the first that makes no sense ends all
            done.append(one)
            if progress is not None:
                progress(len(done), count)
    return BatchResult(
        {name: list(values) for name, values in (vary or {}).items()},
        [result for result, _, _ in done],
        {k: problem for k, (_, problem, _) in enumerate(done) if problem},
        sum(steps for _, _, steps in done),
        perf_counter() - began,
    )


class _Runs:
    """The runs of all copies. Each thread has a simulation, which is begun anew for copies of the same system."""

    def __init__(
        self,
        copies: _Copies,
        end: float,
        dt: float,
        method: Integrator,
        start: str,
        every: int,
        tolerance: float | None,
    ) -> None:
        self.copies, self.end, self.dt, self.method = copies, end, dt, method
        self.start, self.every, self.tolerance = start, every, tolerance
        self.integrator = describe(method)
        self._own = threading.local()
        self._one_at_a_time = threading.Lock()

    def run(self, k: int) -> tuple[Result | None, str, int]:
        """The result of a copy, its problem if it failed, and its steps; without a result if it could not start."""
        try:
            with self._one_at_a_time:  # it is Python, so that two threads at once would only get in each other's way
                loop, recorder = self._begin(k)
        except InputError as error:
            raise type(error)(f"batch, copy {k}: {error}") from None
        except CondyleError as error:
            return None, " ".join(str(error).split()), 0
        began = perf_counter()
        try:
            status, message, _ = loop.to(self.end)
        except CondyleError as error:
            status, message = "failed", " ".join(str(error).split())
        result = recorder.finish(status, message, perf_counter() - began)
        return result, message if status == "failed" else "", loop.sim.steps

    def _begin(self, k: int) -> tuple[Run, Recorder]:
        """The loop over the steps of a copy, and what records them."""
        sim = self._simulation(self.copies.system(k), self.copies.state(k))
        if self.end <= sim.time:
            raise InputError(f"the end time must come after the start t = {sim.time:g}, not {self.end:g}")
        check_affordable(sim, self.end)
        options = {
            "begin": sim.time, "end": self.end, "dt": self.dt, "start": self.start, "step_error": None, "solver": "auto",
            "notes": sim.start_report.lines(sim.system.size), "energy_tolerance": self.tolerance,
            "energy_balance": sim.watch.standing,
        }  # fmt: skip
        recorder = Recorder(
            sim.system, every=self.every, block=FEW, integrator=self.integrator, options=options, tie_force=tie_force
        )
        return Run(sim, [recorder], every=self.every, length=LONG), recorder

    def _simulation(self, system: System, state: Any) -> Simulation:
        """At the start of a copy."""
        last: Simulation | None = self._own.__dict__.pop("sim", None)
        if last is not None and last.system.shared is system:
            last.begin_anew(state, start=self.start, energy_tolerance=self.tolerance)
            sim = last
        else:
            sim = Simulation(
                system, dt=self.dt, integrator=copy.copy(self.method), start=self.start, state=state,
                energy_tolerance=self.tolerance,
            )  # fmt: skip
        self._own.sim = sim
        return sim


class _Copies:
    """The system and the start of each copy. Where only starts differ, all copies share one system."""

    def __init__(self, model: Any, vary: Mapping[str, Sequence[Any]], states: Sequence[Any] | None) -> None:
        self.model, self.vary, self.states = model, vary, states
        self.shared: System | None = None
        if isinstance(model, System):
            self.shared = model.shared
        elif isinstance(model, Model) and not vary:
            self.shared = compiled(model)

    def system(self, k: int) -> System:
        """The system of copy k."""
        if self.shared is not None:
            return self.shared
        values = {name: given[k] for name, given in self.vary.items()}
        if isinstance(self.model, Model):
            return compiled(with_values(self.model, values))
        made = self.model(**values)
        if not isinstance(made, Model):
            raise InputError(f"the function must return a Model, not {made!r}")
        return compiled(made)

    def state(self, k: int) -> Any:
        """Where copy k starts, None for what its parts declare."""
        return None if self.states is None else self.states[k]


def with_values(model: Model, values: Mapping[str, Any]) -> Model:
    """The same model with other values of some fields, by 'part.field'; parts that keep theirs are shared."""
    made = copy.copy(model)
    made._parts = dict(model._parts)
    own: set[str] = set()
    for name, value in values.items():
        if name == "gravity":
            made.gravity = value
            continue
        part, *path = name.split(".")
        if part not in own:
            made._parts[part] = copy.copy(model[part])
            own.add(part)
        setattr(made._parts[part], path[0], _replaced(made._parts[part], path, value))
    return made


def _replaced(holder: Any, path: list[str], value: Any) -> Any:
    """What a field becomes where something within it, at the end of the path, gets a value."""
    value = value.tolist() if isinstance(value, np.generic) else value
    if len(path) == 1:
        return value
    inner = getattr(holder, path[0])
    return dataclasses.replace(inner, **{path[1]: _replaced(inner, path[1:], value)})


def _count(vary: Mapping[str, Sequence[Any]], states: Sequence[Any] | None) -> int:
    lengths = {f"'{name}'": len(values) for name, values in vary.items()}
    if states is not None:
        lengths["states"] = len(states)
    if not lengths:
        raise InputError("batch: nothing differs between the copies; give vary={'part.field': values}, or states=[…]")
    if len(set(lengths.values())) > 1:
        said = ", ".join(f"{name} {length}" for name, length in lengths.items())
        raise InputError(f"batch: one value per copy is needed of each, but there are: {said}")
    count = next(iter(lengths.values()))
    if count < 1:
        raise InputError("batch: there is no copy to run; give at least one value")
    return count


def _check_names(model: Any, names: Mapping[str, Any]) -> None:
    """Every name is that of a field, before anything runs."""
    if isinstance(model, System) and names:
        raise InputError("batch: the numbers of a System are settled; give the Model, or vary states only")
    if not isinstance(model, Model):
        if not callable(model) and not isinstance(model, System):
            raise InputError(f"batch: a Model, a System or a function that returns a Model is expected, not {model!r}")
        return
    for name in names:
        if name == "gravity":
            continue
        part, *path = name.split(".")
        if part not in model:
            raise unknown_name("part", part, [p.name for p in model], where=f"batch: '{name}'")
        holder = model[part]
        if not path:
            raise unknown_name("field", "", _fields(holder), where=f"batch: '{name}' has no field; {holder.label}")
        for at, field in enumerate(path):
            if field not in _fields(holder) or field == "name":
                known = [known for known in _fields(holder) if known != "name"]
                raise unknown_name("field", field, known, where=f"batch: '{name}': '{'.'.join([part, *path[:at]])}'")
            holder = getattr(holder, field)


def _fields(holder: Any) -> list[str]:
    return [field.name for field in dataclasses.fields(holder)] if dataclasses.is_dataclass(holder) else []
