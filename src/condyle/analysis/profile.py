"""Where the time of a run goes: its phases measured one by one, at the state it ended with.

Each phase is repeated on the finished run's own equations, and counted as often as a step of that run needed it. The times are
therefore estimates of shares, free of instruments in the compiled code.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from condyle.integrators.compiled import CompiledSteps
from condyle.integrators.energy_momentum import EnergyMomentum
from condyle.integrators.newton import Iterate, Tolerance
from condyle.system import assembly
from condyle.system.linear import block_lu

if TYPE_CHECKING:
    from condyle.results.result import Result
    from condyle.system.system import System

FAMILIES = ("energies", "forces", "links", "constraints")


class Phase(NamedTuple):
    """A phase of a step: its name, how often a step needs it, and the time of one [s]."""

    name: str
    times: float
    seconds: float

    @property
    def total(self) -> float:
        """Time per step [s]."""
        return self.times * self.seconds


def profile(result: Result, repeats: int = 20) -> list[Phase]:
    """Phases of a step of a finished run, the most expensive first.

    'gather and maps' is all of the assembly that is done for every model (inertia, projection on the unknowns); 'laws: …' what
    each family of laws adds, gathering and scattering included; 'contact' search, forces and matrix of all contacts;
    'factor' and 'solve' the linear solver; 'rest' what is left of the wall time per step: Python around the steps, step
    control and output.
    """
    system = result.system
    steps = max(1, result.steps)
    state = result.state(-1)
    iterations = float(np.mean(result.iterations[1:])) if result.steps else 0.0
    compiled = None
    if result.integrator.get("name") == "EnergyMomentum":
        compiled = CompiledSteps.of(system, EnergyMomentum())
    phases = _assembly(system, state, compiled, iterations, repeats)
    if system.contact is None:
        phases += _linear(system, compiled, iterations, repeats)
    else:
        phases += _contact(system, state, iterations, repeats)
    known = sum(p.total for p in phases)
    phases.sort(key=lambda p: -p.total)
    return [*phases, Phase("rest: steps, output", 1.0, max(0.0, result.wall_time / steps - known))]


def _assembly(
    system: System, state: Any, compiled: CompiledSteps | None, iterations: float, repeats: int
) -> list[Phase]:
    """The assembly with tangent, without any law and with each family alone."""
    if compiled is not None:
        w, parts = compiled.work, compiled.problem.parts
        out: Any = (*w.rows[:3], *w.vectors[:3], w.held[0], w.held[1], w.A)
    else:
        out, parts = system.scratch, system.parts
    x, h = state.x, system.step
    loads = (system.gravity_force, system.amplitudes(state.t), system.targets(state.t, state.t))
    held = (state.multipliers, *system.stiffness(h))

    def one(spans: Any) -> Callable[[], None]:
        these = parts._replace(spans=np.array(spans, dtype=np.int64))
        return lambda: assembly.assemble(
            these, (x, x, x, state.v, np.zeros_like(x), x), loads, held, assembly.CONSERVING, assembly.CONSERVING,
            (2.0 / h**2, 0.5, 1.0 / h), (assembly.NO_MAP, assembly.NO_MAP), True, out,
        )  # fmt: skip

    s = parts.spans
    bare = _seconds(one([0] * 5), repeats)
    phases = [Phase("gather and maps, inertia", iterations + 1.0, bare)]
    for k, name in enumerate(FAMILIES):
        if s[k + 1] > s[k]:
            taken = _seconds(one([s[k]] * (k + 1) + [s[k + 1]] * (4 - k)), repeats) - bare
            phases.append(Phase(f"laws: {name}", iterations + 1.0, max(0.0, taken)))
    _seconds(one(s), 1)  # leaves the whole tangent for the linear solver
    return phases


def _contact(system: System, state: Any, iterations: float, repeats: int) -> list[Phase]:
    """The contacts, and the linear solver of the matrix that they are part of, which the assembly has left."""
    iterate = Iterate(
        system, state, system.stiffness(system.step), np.zeros(system.motion_unknowns), Tolerance(), system.step
    )
    contact, x, A = iterate.contact, state.x, system.scratch.A.copy()
    assert contact is not None and system.contact is not None
    system.regularise(A)
    solver, b = system.contact.solver, np.ones(system.contact.unknowns)

    def evaluate() -> None:
        contact.evaluate(x, x, x, False, 1.0, True, system.scratch)
        contact.assemble(A)

    taken = _seconds(evaluate, repeats)
    return [
        Phase("contact", iterations + 1.0, taken),
        Phase(f"factor ({solver.name})", iterations, _seconds(lambda: solver.factor(contact.A), repeats)),
        Phase(f"solve ({solver.name})", iterations, _seconds(lambda: solver.solve(b), repeats)),
    ]


def _linear(system: System, compiled: CompiledSteps | None, iterations: float, repeats: int) -> list[Phase]:
    """Factorisation and solution of the matrix that the assembly has left."""
    if compiled is None:
        A, b = system.scratch.A.copy(), np.ones(system.unknowns)
        system.regularise(A)
        factor, solve = (lambda: system.solver.factor(A)), (lambda: system.solver.solve(b))
        names = f"factor ({system.solver.name})", f"solve ({system.solver.name})"
    else:
        w, schedule = compiled.work, compiled.problem.schedule
        A, b = w.A.copy(), np.ones(w.vectors.shape[1])
        block_lu.pad_blocks(schedule, A)

        def factor() -> None:
            w.A[:] = A
            block_lu.factor_blocks(schedule, w.A, w.inverse)

        def solve() -> Any:
            block_lu.solve_blocks(schedule, w.A, w.inverse, b.copy())

        names = "factor (blocks)", "solve (blocks)"
    return [
        Phase(names[0], iterations, _seconds(factor, repeats)),
        Phase(names[1], iterations, _seconds(solve, repeats)),
    ]


def _seconds(work: Callable[[], Any], repeats: int) -> float:
    """Median time of a call [s], the first one not counted."""
    work()
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return float(np.median(times))
