"""Results in files: loading one, and checking what it says about its run before that run goes on."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from condyle.analysis.tie_forces import tie_force
from condyle.errors import InputError
from condyle.model.part import plain
from condyle.results.result import Result
from condyle.results.stores import FileStore
from condyle.system.fading import STRESS_MEMORY
from condyle.system.linear import KINDS

if TYPE_CHECKING:
    from condyle.integrators.simulation import Integrator, Simulation
    from condyle.model.model import Model
    from condyle.system.running import RunningSystem
    from condyle.system.state import State

STARTS = ("consistent", "zero-acceleration", "as-given")
# Accelerations by soft contact, which states carry on their own; in files of earlier versions they are in the other ones.
NEWER = ("pressed", "spin pressed")


def load(path: str | Path, model: Model | None = None, *, allow_code: bool = False) -> Result:
    """The result in a file, also of a run that was killed or still goes on.

    model: only needed where the file could not hold the whole model (loads or motions that are Python functions).
    allow_code: import functions of time that the stored model names, see `Model.load`.
    """
    if model is not None and not hasattr(model, "bodies"):
        raise InputError(f"load: model must be a Model, not {type(model).__name__}")
    return Result(FileStore(Path(path), allow_code=allow_code), model=model, tie_force=tie_force)


class StoredRun(NamedTuple):
    """Options of a run as its file gives them: dt, begin and end [s], and the others of `condyle.simulate`."""

    dt: float
    begin: float
    end: float
    start: str
    step_error: float | None
    solver: str
    energy_tolerance: float | None


def stored_run(old: Result) -> StoredRun:
    """The options of a run in time; an InputError that names the file where they are not those of one."""
    options, kind = old.options, old.integrator.get("name")
    if old.clock != "time" or not {"dt", "end"} <= options.keys():
        raise InputError(f"'{old.file}' holds no run in time, but the states of {kind}: there is nothing to resume")
    dt, end, begin = options["dt"], options["end"], options.get("begin", 0.0)
    kept = options.get("energy_tolerance")
    step_error, start = options.get("step_error"), options.get("start", STARTS[0])
    solver = options.get("solver", KINDS[0])
    sound = (
        old.integrator.get("multiplier_time", 1.0) == old._store.header.multiplier_time
        and all(_is_number(value) for value in (dt, begin, end))
        and dt > 0
        and begin < end
        and (kept is None or (isinstance(kept, float) and kept > 0))
        and (step_error is None or (_is_number(step_error) and 0.0 < step_error < 1.0))
        and start in STARTS
        and solver in KINDS
    )
    if not sound:
        raise InputError(f"'{old.file}' cannot be resumed: its options are not those of a run: {options}")
    return StoredRun(float(dt), float(begin), float(end), start, step_error, solver, kept)


def check_same_method(old: Result, described: dict[str, Any]) -> None:
    """An integrator that is given again must be that of the run."""
    if described != old.integrator:
        raise InputError(
            f"'{old.file}' was computed by {_written(old.integrator)}, not by {_written(described)}: a run is resumed with its "
            "own integrator; leave it out"
        )


def check_same_model(old: Result, model: Model) -> None:
    """A model that is given again must be that of the run, in everything that the file contains of it."""
    stored = json.loads(old._store.header.model)
    parts: dict[str, Any] = {
        str(entry.get("name")): entry for entry in stored.get("parts", ()) if isinstance(entry, dict)
    }
    names = {part.name for part in model if part is not model.ground}
    where = f"the model '{model.name}' is not that of the run in '{old.file}'"
    for name in [*(names - parts.keys()), *(parts.keys() - names)]:
        raise InputError(f"{where}: only one of them has a part '{name}'; give the model that was simulated")
    for name, entry in parts.items():
        if "not written" in entry:
            continue
        if json.loads(json.dumps(plain(model[name]))) != entry:
            raise InputError(f"{where}: {model[name].label} differs; give the model that was simulated")
    same = (stored.get("dimension"), stored.get("gravity")) == (model.dimension, list(model.gravity))
    if not same:
        raise InputError(f"{where}: dimension or gravity differ; give the model that was simulated")


def check_state(old: Result, frame: int, state: State, method: Integrator, system: RunningSystem) -> None:
    """A state in a file has the shapes that the model and the integrator need, and moves as the table of steps says.

    What earlier versions did not write is put in.
    """
    needed = state.copy()
    method.prepare(system, needed, system.step)
    shapes = {name: np.shape(array) for name, array in needed.memory.items()}
    state.memory |= {name: np.zeros(shapes[name]) for name in NEWER if name in shapes and name not in state.memory}
    if system.fading:
        shapes[STRESS_MEMORY] = np.shape(system.fading.empty(state.x))
    wrong = [name for name, shape in shapes.items() if name in state.memory and state.memory[name].shape != shape]
    if state.turns.shape != (system.turn_count,):
        wrong.append("turns")
    if wrong:
        raise InputError(f"'{old.file}' cannot be resumed: '{wrong[0]}' in its frame {frame} has a wrong shape")
    row = old._store.steps[int(old._store.frame_steps[frame])]
    linear, angular = system.momentum(state)
    for name, value in (("linear_momentum", linear), ("angular_momentum", angular)):
        if not np.allclose(value, row[name], rtol=1e-6, atol=1e-6 * np.abs(value).max()):
            raise InputError(
                f"'{old.file}' cannot be resumed: its frame {frame} and its table of steps tell different motions "
                f"({name}: {value.tolist()}, {row[name].tolist()}); it is damaged, or the model is not that of the run"
            )


def check_next_step(old: Result, sim: Simulation) -> None:
    """A run under error control carries the length of its next step."""
    step = sim.memory.get("next step")
    if not isinstance(step, float) or not 0.0 < step <= sim.dt:
        raise InputError(f"'{old.file}' cannot be resumed: the length of its next step is {step!r}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _written(description: dict[str, Any]) -> str:
    options = (f"{k}={v!r}" for k, v in description.items() if k not in ("name", "multiplier_time"))
    return f"{description.get('name')}({', '.join(options)})"
