"""Where the time of a run goes: its phases measured one by one, at the state it ended with.

Each phase is repeated on the finished run's own equations, and counted as often as a step of that run needed it. The times are
therefore estimates of shares, free of instruments in the compiled code.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from condyle.errors import InputError
from condyle.integrators.compiled import CompiledSteps, compiled_steps
from condyle.integrators.extrapolation import forget
from condyle.integrators.newton import Iterate, Tolerance
from condyle.integrators.repeats import assemble_often, balance_often, eliminate_often, factor_often, solve_often
from condyle.integrators.step_tables import C_SCALE, Q_NOISE, C
from condyle.integrators.tree_steps import TreeSteps
from condyle.system import assembly
from condyle.system.linear import block_lu
from condyle.system.linear.sharing import REGULARISATION, regularise

if TYPE_CHECKING:
    from condyle.results.result import Result
    from condyle.system.running import RunningSystem

FAMILIES = ("energies", "forces", "links", "constraints", "rates")


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
    each family of laws adds, gathering and scattering included; 'balance of the tree' and 'elimination' what stands for all of
    that in joint coordinates; 'contact' search, forces and matrix of all contacts;
    'factor' and 'solve' the linear solver; 'rest' what is left of the wall time per step: Python around the steps, step
    control and output.
    """
    system = result._running()
    steps = max(1, result.steps)
    state = result.state(-1)
    iterations = float(np.mean(result.iterations)) if result.steps else 0.0
    compiled = _compiled(result, system) if system.contact is None else None  # contact is measured as Python calls it
    if isinstance(compiled, TreeSteps):
        phases = _tree(compiled, iterations, repeats)
    elif system.contact is None:
        phases = _assembly(system, state, compiled, iterations, repeats)
        phases += _linear(system, compiled, iterations, repeats)
    else:
        phases = _assembly(system, state, compiled, iterations, repeats)
        phases += _contact(system, state, iterations, repeats)
    known = sum(p.total for p in phases)
    phases.sort(key=lambda p: -p.total)
    return [*phases, Phase("rest: steps, output", 1.0, max(0.0, result.wall_time / steps - known))]


def _compiled(result: Result, system: RunningSystem) -> CompiledSteps | None:
    """The compiled steps of the run's method; None where it has none, or is not known by its name."""
    from condyle.integrators.registry import integrator_of  # it loads all methods, and with them the room of contact

    try:
        method = integrator_of(result.integrator)
    except InputError:
        return None
    steps = compiled_steps(method, system)
    return steps if isinstance(steps, CompiledSteps) else None  # those in joint coordinates have no matrix


def _assembly(
    system: RunningSystem, state: Any, compiled: CompiledSteps | None, iterations: float, repeats: int
) -> list[Phase]:
    """The assembly with tangent, without any law and with each family alone."""
    if compiled is not None:
        w, whole = compiled.work, compiled.problem.whole
        out: Any = (*w.rows[: Q_NOISE + 1], *w.vectors[:3], w.held[C], w.held[C_SCALE], w.A)
    else:
        out, whole = system.scratch, system.whole
    x, h = state.x, system.step
    loads = (system.gravity_force, system.amplitudes(state.t), system.targets(state.t, state.t))
    held = (state.multipliers, *system.stiffness(h))

    def seconds(spans: Any) -> float:
        """Mean of the assemblies of a step: the last one, which finds that all is well, needs no tangent."""
        these = whole._replace(spans=np.array(spans, dtype=np.int64))

        def often(times: int, tangent: bool) -> None:
            assemble_often(
                times, these, (x, x, x, state.v, np.zeros_like(x), x), loads, held, (2.0 / h**2, 0.5, 1.0 / h),
                (assembly.NO_MAP, assembly.NO_MAP), tangent, out,
            )  # fmt: skip

        without = _each(lambda times: often(times, False), repeats)
        return (iterations * _each(lambda times: often(times, True), repeats) + without) / (iterations + 1.0)

    s = whole.spans
    bare = seconds([0] * 6)
    phases = [Phase("gather and maps, inertia", iterations + 1.0, bare)]
    for k, name in enumerate(FAMILIES):
        if s[k + 1] > s[k]:
            taken = seconds([s[k]] * (k + 1) + [s[k + 1]] * (5 - k)) - bare
            phases.append(Phase(f"laws: {name}", iterations + 1.0, max(0.0, taken)))
    seconds(s)  # leaves the whole tangent for the linear solver
    return phases


def _tree(compiled: TreeSteps, iterations: float, repeats: int) -> list[Phase]:
    """The balance of a tree in joint coordinates, and the elimination along it, at the end of the last step that was taken."""
    problem, w = compiled.problem, compiled.work
    h, amplitudes = compiled.system.step, np.zeros(max(1, len(compiled.system.functions)))
    balance = _each(lambda times: balance_often(times, problem, h, amplitudes, w), repeats)
    eliminate = _each(lambda times: eliminate_often(times, problem, h, w), repeats)
    return [Phase("balance of the tree", iterations + 1.0, balance), Phase("elimination", iterations, eliminate)]


def _contact(system: RunningSystem, state: Any, iterations: float, repeats: int) -> list[Phase]:
    """The contacts, and the linear solver of the matrix that they are part of, which the assembly has left."""
    iterate = Iterate(
        system, state, system.stiffness(system.step), np.zeros(system.motion_unknowns), Tolerance(), system.step
    )
    contact, x, A = iterate.contact, state.x, system.scratch.A.copy()
    assert contact is not None and system.contact is not None
    system.regularise(A)
    solver, b = system.contact.solver, np.ones(system.contact.unknowns)

    def evaluate() -> None:
        contact.evaluate(x, x, True, system.scratch)
        contact.assemble(A)

    taken = _seconds(evaluate, repeats)
    return [
        Phase("contact", iterations + 1.0, taken),
        Phase(f"factor ({solver.name})", iterations, _seconds(lambda: solver.factor(contact.A), repeats)),
        Phase(f"solve ({solver.name})", iterations, _seconds(lambda: solver.solve(b), repeats)),
    ]


def _linear(system: RunningSystem, compiled: CompiledSteps | None, iterations: float, repeats: int) -> list[Phase]:
    """Factorisation and solution of the matrix that the assembly has left; compiled steps say what they solve beyond."""
    if compiled is not None:
        w, schedule = compiled.work, compiled.problem.schedule
        A, b = w.A.copy(), np.ones(w.vectors.shape[1])
        x = np.zeros_like(b)
        regularise(compiled.problem.redundant.couplings, REGULARISATION, 0.0, A)
        block_lu.pad_blocks(schedule, A)
        factor = _each(lambda times: factor_often(times, schedule, A, w.A, w.inverse), repeats)
        solve = _each(lambda times: solve_often(times, schedule, w.A, w.inverse, b, x), repeats)
        forget(w.past)
        factors, solutions = compiled.more_solutions
        return [
            Phase("factor (blocks)", iterations + factors, factor),
            Phase("solve (blocks)", iterations + solutions, solve),
        ]
    A, b, solver = system.scratch.A.copy(), np.ones(system.unknowns), system.solver
    system.regularise(A)
    return [
        Phase(f"factor ({solver.name})", iterations, _seconds(lambda: solver.factor(A), repeats)),
        Phase(f"solve ({solver.name})", iterations, _seconds(lambda: solver.solve(b), repeats)),
    ]


def _each(work: Callable[[int], Any], repeats: int) -> float:
    """Median time [s] of one of the repeats that `work(times)` does in compiled code; as many at once as take 1 ms or so."""
    once = _seconds(lambda: work(1), 3)
    times = int(np.clip(1e-3 / max(once, 1e-9), 1, 100))
    return _seconds(lambda: work(times), max(3, repeats // 4)) / times


def _seconds(work: Callable[[], Any], repeats: int) -> float:
    """Median time of a call [s], the first one not counted."""
    work()
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        work()
        times.append(time.perf_counter() - began)
    return float(np.median(times))
