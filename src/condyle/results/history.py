"""The history of a run: how it ended, what was kept at every step, and its frames. Needs no model."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.results.layout import CLOCKS, ENERGIES
from condyle.results.stores import Store

if TYPE_CHECKING:
    from condyle.model.given import Json
    from condyle.model.model import Model
    from condyle.system.state import State
    from condyle.system.system import System

Array = NDArray[np.float64]
TieForce = Callable[[Any, Any], Array]  # of a result and an eliminated tie: force on the body `to` [N], (times, d)


class History:
    """Frames are the recorded states; energies, momenta and counts are kept at every step.

    `history[a:b]` is a history with these frames and the steps between them.
    """

    def __init__(self, store: Store, *, model: Model | None = None, system: System | None = None,
                 frames: NDArray[np.int64] | None = None, tie_force: TieForce | None = None) -> None:  # fmt: skip
        self._store = store
        self._tie_force = tie_force
        self._model = model
        self._system = system
        self._frames = np.arange(len(store.frame_steps)) if frames is None else frames
        self._whole = frames is None

    @cached_property
    def _steps(self) -> NDArray[Any]:
        """The table of steps from the first frame to the last, put together when it is first read."""
        store = self._store
        if self._whole:
            return store.steps
        first, last = (store.frame_steps[self._frames[k]] for k in (0, -1))
        return store.steps[first : last + 1]

    # --- the run ------------------------------------------------------------------------------------------------------

    @property
    def status(self) -> str:
        """'completed', 'stopped' (by an event), 'failed', 'interrupted', or 'unfinished' (killed, or still running)."""
        return self._store.outcome.status

    @property
    def message(self) -> str:
        """What there is to say about the end of the run."""
        return self._store.outcome.message

    @property
    def wall_time(self) -> float:
        """Duration of the run [s], without the time that kernels took to compile."""
        return self._store.outcome.wall_time

    @property
    def compile_time(self) -> float:
        """How long kernels took to compile in this run [s]; 0 if all were on disk."""
        return self._store.outcome.compile_time

    @property
    def in_python(self) -> dict[str, int]:
        """Steps that were not taken in compiled code although the method has it, by the reason why."""
        return self._store.outcome.in_python

    @property
    def linear_solver(self) -> str:
        """What solved the linear equations; empty where compiled steps did so by themselves."""
        return self._store.outcome.solver

    @property
    def file(self) -> Path | None:
        """The results file; None if the result is only in memory."""
        return self._store.file

    @property
    def integrator(self) -> dict[str, Json]:
        """Description of the integrator."""
        return self._store.header.integrator

    @property
    def options(self) -> dict[str, Json]:
        """Options of the run."""
        return self._store.header.options

    @property
    def formulation(self) -> str:
        """'tangent' or 'rows', see `condyle.compile`."""
        return self._store.header.formulation

    @property
    def name(self) -> str:
        """Name of the model."""
        return self._store.header.model_name

    @property
    def dimension(self) -> int:
        """2 or 3."""
        return self._store.header.shape[1]

    @property
    def part_names(self) -> dict[str, list[str]]:
        """Names of the parts of the model by their type; without compiling it."""
        header = self._store.header
        model = self._system.model if self._system is not None else self._model
        known = header if header.model or model is None else header.with_model(model)
        kinds: dict[str, list[str]] = {}
        try:
            for part in json.loads(known.model or "{}").get("parts", ()):
                kinds.setdefault(str(part["type"]), []).append(str(part["name"]))
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
            raise InputError(
                f"the model in '{self.file}' is damaged: it is no list of parts with type and name"
            ) from None
        return kinds

    @property
    def clock(self) -> str:
        """What `times` count: 'time' [s]; 'load factor' in statics, 'step' where a model was relaxed."""
        return CLOCKS.get(str(self.integrator.get("name")), "time")

    # --- at every step ------------------------------------------------------------------------------------------------

    @cached_property
    def step_times(self) -> Array:
        """Times of all steps [s], the start first; shape (steps + 1,)."""
        return self._column("time")

    @property
    def steps(self) -> int:
        """Number of steps done."""
        return len(self._steps) - 1

    @cached_property
    def step_sizes(self) -> Array:
        """Length of each step [s], shape (steps,)."""
        return self._column("step")[1:]

    @cached_property
    def iterations(self) -> NDArray[np.int64]:
        """Newton iterations of each step, shape (steps,)."""
        return self._column("iterations")[1:]

    @cached_property
    def cuts(self) -> NDArray[np.int64]:
        """How often each step was cut, shape (steps,)."""
        return self._column("cuts")[1:]

    @cached_property
    def energy(self) -> dict[str, Array]:
        """Energies [J] at `step_times`: kinetic, stored, gravity, their total; and the work done so far."""
        return {name: self._column(name) for name in ENERGIES}

    @cached_property
    def linear_momentum(self) -> Array:
        """[kg m/s] at `step_times`, shape (steps + 1, d)."""
        return self._column("linear_momentum")

    @cached_property
    def angular_momentum(self) -> Array:
        """About the origin [kg m²/s] at `step_times`, shape (steps + 1, 3)."""
        return self._column("angular_momentum")

    @cached_property
    def constraint_error(self) -> Array:
        """Largest violation of a constraint at `step_times`: [m] for points, [m²] or [–] for directions."""
        return self._column("constraint_error")

    def _column(self, name: str) -> NDArray[Any]:
        return np.ascontiguousarray(self._steps[name])

    # --- frames -------------------------------------------------------------------------------------------------------

    @cached_property
    def times(self) -> Array:
        """Times of the frames [s], shape (frames,)."""
        return np.asarray(self._store.steps["time"][self._store.frame_steps[self._frames]])

    def __len__(self) -> int:
        return len(self._frames)

    def __getitem__(self, which: slice) -> Self:
        if not isinstance(which, slice):
            raise InputError(
                f"result[{which!r}]: give a range of frames such as result[10:20]; one state is result.state(k)"
            )
        frames = self._frames[which]
        if len(frames) == 0 or (which.step or 1) < 0:
            raise InputError(
                f"result[{_written(which)}] holds no frames in order; there are frames 0 … {len(self) - 1}"
            )
        return type(self)(self._store, model=self._model, system=self._system, frames=frames, tie_force=self._tie_force)

    def at(self, t: float) -> int:
        """Number of the frame nearest to time t [s]."""
        times = self.times
        slack = 1e-9 * max(abs(times[0]), abs(times[-1]))
        if not times[0] - slack <= t <= times[-1] + slack:
            raise InputError(f"t = {t:g} s lies outside the result, which goes from {times[0]:g} to {times[-1]:g} s")
        return int(np.argmin(np.abs(times - t)))

    def memory(self, name: str) -> NDArray[np.float64]:
        """What the integrator carried from step to step under a name, in all frames; shape (frames, …)."""
        names = self._store.memory_names()
        if name not in names:
            known = ", ".join(f"'{n}'" for n in sorted(names)) or "nothing"
            raise InputError(f"the states of this result do not hold '{name}'; their memory has {known}")
        return np.asarray(self._store.array(f"memory/{name}"))[self._frames]

    def state(self, k: int) -> State:
        """The state in frame k, complete: a run can go on from it."""
        from condyle.system.state import State

        if not -len(self) <= k < len(self):
            raise InputError(f"there is no frame {k}; there are frames 0 … {len(self) - 1}")
        store, frame = self._store, int(self._frames[k])
        memory = {name: np.array(store.frame(f"memory/{name}", frame)) for name in store.memory_names()}
        x, v, multipliers, turns = (np.array(store.frame(name, frame)) for name in ("x", "v", "multipliers", "turns"))
        return State(float(self.times[k]), x, v, multipliers, memory, turns)


def _written(which: slice) -> str:
    start, stop, step = ("" if part is None else str(part) for part in (which.start, which.stop, which.step))
    return f"{start}:{stop}" + (f":{step}" if step else "")
