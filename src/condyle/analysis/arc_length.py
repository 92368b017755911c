"""Equilibrium paths past limit points: arc-length continuation (Riks 1979; Crisfield 1981).

Unknowns are the configuration x, the multipliers and the load factor; the equations are equilibrium and

    ‖x − x0‖² + ψ² (factor − factor0)² = s²,   ‖y‖² = Σ m y·y / Σ m,

a sphere in the space of configurations, measured with the mass (the mean square displacement of the model [m²], turning
included), and of load factors. It is solved by Newton's method together with the rest, which converges quadratically.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from condyle.analysis.continuation import Continuation, scaled_loads
from condyle.analysis.linearise import held_exactly
from condyle.analysis.statics import static_scalars
from condyle.errors import ConvergenceError, InputError
from condyle.integrators.newton import StepFailed, StepInfo, Tolerance
from condyle.laws.compiling import Stopwatch
from condyle.model.model import Model
from condyle.results.result import Result
from condyle.system.compile import running
from condyle.system.state import LOAD_FACTOR, State
from condyle.system.system import System
from condyle.system.velocity_rows import refuse_rates

Array = NDArray[np.float64]
SMALLEST = 2.0**-12  # arc length relative to the first one
WANTED = 5  # Newton iterations for which the arc length stays as it is


class EquilibriumPath(Result):
    """A path of equilibria; `times` is the length of the path, `load_factors` the load at each frame."""

    @property
    def load_factors(self) -> Array:
        """Load factor of each frame, shape (frames,)."""
        return np.asarray(self._store.array(f"memory/{LOAD_FACTOR}")[self._frames, 0])

    def limit_points(self) -> list[tuple[float, float]]:
        """(path length, load factor) where the load factor turns, each from a parabola through the three nearest frames."""
        s, f = self.times, self.load_factors
        found = []
        for k in range(1, len(f) - 1):
            if (f[k] - f[k - 1]) * (f[k + 1] - f[k]) < 0:
                a, b, c = np.polyfit(s[k - 1 : k + 2] - s[k], f[k - 1 : k + 2], 2)
                found.append((float(s[k] - b / (2 * a)), float(c - b * b / (4 * a))))
        return found


def trace_equilibrium(
    model: Model | System,
    *,
    loads: Sequence[str] | None = None,
    step: float = 0.1,
    steps: int = 50,
    until: float | Callable[[float, State], bool] | None = None,
    largest_step: float = 4.0,
    at: float = 0.0,
    tolerance: Tolerance | None = None,
    formulation: str = "tangent",
    solver: str = "auto",
    file: str | Path | None = None,
    overwrite: bool = False,
    on_failure: str = "raise",
) -> EquilibriumPath:
    """Follow the equilibria of a model under loads times a growing and, past limit points, falling load factor.

    loads: names of the parts that are scaled ('gravity' for gravity); all others act in full from the start. None scales
    all loads and gravity. step: the first increment of the load factor (negative for the other direction); it sets the
    first arc length, which then follows the number of iterations up to `largest_step` times the first. steps: at most this
    many. until: stop when the load factor has gone beyond this value (away from 0), or when the function of (load factor,
    state) is true. at [s]: time at which functions of time are taken.

    A step that does not converge is halved. The result's `times` are the length of the path, its `load_factors` the load.
    """
    from condyle.results.recorder import Recorder

    _check(step, steps, until, largest_step, at, on_failure)
    clock = Stopwatch()
    system = held_exactly(running(model, formulation=formulation, solver=solver))
    system.without_contact("trace_equilibrium")
    refuse_rates(system, "trace_equilibrium")
    path = Continuation(system, scaled_loads(system, loads), at, tolerance or Tolerance(iterations=15))
    recorder = Recorder(system, file=file, overwrite=overwrite, integrator={"name": "ArcLength", "at": at},
                        options={"step": step, "steps": steps, "loads": None if loads is None else list(loads)})  # fmt: skip
    status, message, part = "completed", "", ""
    try:
        path.find_start()
        recorder.start(path.state, static_scalars(system, path.state, StepInfo(), at, 0.0))
        first = arc = path.first_arc(step)
    except StepFailed as failure:
        where = f" ('{failure.part}')" if failure.part else ""
        raise ConvergenceError(f"trace_equilibrium: no equilibrium to start from: {failure}{where}") from None
    done = 0
    while done < steps and not path.passed(until):
        try:
            info = path.advance(arc)
        except StepFailed as failure:
            arc *= 0.5
            if arc < SMALLEST * first:
                status, part = "failed", failure.part
                message = f"{failure} at load factor {path.factor:.6g}"
                break
            continue
        done += 1
        recorder.record(path.state, static_scalars(system, path.state, info, at, arc))
        arc = min(arc * float(np.clip(np.sqrt(WANTED / max(info.iterations, 1)), 0.5, 2.0)), largest_step * first)
    result = recorder.finish(status, message, *clock.read())
    traced = EquilibriumPath(result._store, system=system)
    if status == "failed" and on_failure == "raise":
        raise ConvergenceError(f"trace_equilibrium: {message}; all before is kept", result=traced, part=part)
    return traced


def _check(step: float, steps: int, until: object, largest_step: float, at: float, on_failure: str) -> None:
    if isinstance(steps, bool) or not isinstance(steps, int) or steps < 1:
        raise InputError(f"trace_equilibrium: steps must be a whole number of at least 1, not {steps!r}")
    if not (np.isfinite(step) and step != 0):
        raise InputError(f"trace_equilibrium: step must be a load factor other than 0, not {step!r}")
    if not (np.isfinite(largest_step) and largest_step >= 1):
        raise InputError(f"trace_equilibrium: largest_step must be at least 1 (times the first), not {largest_step!r}")
    if not np.isfinite(at):
        raise InputError(f"trace_equilibrium: at must be a finite time [s], not {at!r}")
    number = isinstance(until, int | float | np.number) and np.isfinite(until) and until != 0
    if not (until is None or callable(until) or number):
        raise InputError(f"trace_equilibrium: until must be a load factor other than 0, or a function, not {until!r}")
    if on_failure not in ("raise", "return"):
        raise InputError(f"trace_equilibrium: on_failure is {on_failure!r}; choose 'raise' or 'return'")
