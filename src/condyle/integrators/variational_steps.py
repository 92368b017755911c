"""The compiled form of steps with variational penalties: what goes between a state and the kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from condyle.integrators.compiled import FAILURES
from condyle.integrators.convergence import NOT_CONVERGED, NOT_FINITE
from condyle.integrators.first_order_steps import MethodSteps
from condyle.integrators.newton import Tolerance
from condyle.integrators.rescaling import Rescaled
from condyle.integrators.step_tables import Frames, Motion, Record, Tables
from condyle.integrators.variational_kernels import BEFORE, LONG, Penalties, run_variational
from condyle.system.running import RunningSystem
from condyle.system.state import State
from condyle.system.tables import PENALTY

Array = NDArray[np.float64]
# In the memory of a state: x and c one step earlier; the length of that step [s].
ROWS_BEFORE, VALUES_BEFORE, STEP_BEFORE = "rows before", "constraints before", "step before"


class VariationalSteps(MethodSteps):
    """The compiled form of one system under `VariationalPenalty`."""

    def __init__(self, system: RunningSystem, method: Any) -> None:
        self.penalty = method
        super().__init__(system, Tolerance(iterations=method.iterations))
        self.carried = (ROWS_BEFORE,), ()
        self._make_room()
        blocks = system.blocks
        assert blocks is not None
        couplings = blocks.couplings(system)
        live = np.flatnonzero(system.multiplier_unknowns >= 0)
        of = np.zeros(len(live), dtype=np.int64)
        of[system.multiplier_unknowns[live] - system.motion_unknowns] = live
        soft = np.ones(len(system.multipliers), dtype=np.int64)
        soft[system.rates.channel] = 0
        links, constraints, rates, end = (int(s) for s in system.spans[2:6])
        held = self.problem.whole._replace(
            spans=np.array([links, links, links, constraints, rates, end], dtype=np.int64)
        )
        self.penalties = Penalties(
            np.zeros((1, 5)), held, couplings, of, couplings.diagonal, soft, np.zeros(len(couplings.column)),
            int(method.iterations), bool(method.line_search), int(self.problem.unit.max(initial=0)) + 1,
            *own_penalties(system, system.step), np.zeros(system.links.law.size), np.zeros(system.constraints.law.size),
        )  # fmt: skip

    @property
    def is_unsolved(self) -> bool:
        """Did Newton's method fail in the last step, which it does in Python, too?"""
        return self.failure in (FAILURES[NOT_CONVERGED], FAILURES[NOT_FINITE])

    def _shapes(self) -> tuple[tuple[int, ...], ...]:
        return (*super()._shapes()[:-1], (BEFORE + len(self.system.multipliers),))

    def _begin(self, state: State) -> Motion:
        now = super()._begin(state)
        now.touch[LONG] = state.memory[STEP_BEFORE][0]
        now.touch[BEFORE:] = state.memory[VALUES_BEFORE]
        return now

    def _memory(self, motion: Motion | Frames, axis: int = 0) -> dict[str, Array]:
        rows = motion.rows[0] if axis == 0 else motion.rows[:, 0]
        long, values = motion.touch[..., LONG : LONG + 1], motion.touch[..., BEFORE:]
        return {ROWS_BEFORE: rows, STEP_BEFORE: long, VALUES_BEFORE: values}

    def _run(
        self, touch: Any, tables: Tables, now: Motion, work: float, first: int, every: int, record: Record
    ) -> tuple[int, int, int, float]:
        sizes, which = np.unique(tables.sizes, return_inverse=True)
        laws = np.array([_columns(self.penalty.law_of(h)) for h in sizes]).reshape(-1, 5)[which]
        done: tuple[int, int, int, float] = run_variational(
            self.problem, self.penalties._replace(laws=np.ascontiguousarray(laws)), tables, now, self.after, work, first,
            every, record, self.work,
        )  # fmt: skip
        return done


def own_penalties(system: RunningSystem, h: float) -> tuple[Array, Array]:
    """Stiffness of links and of constraints that the model itself holds by penalties, else 0 [N/m]."""
    links, constraints = system.stiffness(h, system.step)
    return (
        np.where(system.links.hold == PENALTY, links, 0.0),
        np.where(system.constraints.hold == PENALTY, constraints, 0.0),
    )


def _columns(law: Rescaled) -> tuple[float, ...]:
    """As the kernel reads them."""
    return law.mass, law.a, law.b, law.c, law.delta
