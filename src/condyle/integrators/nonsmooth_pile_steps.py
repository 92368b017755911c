"""The compiled form of steps of a pile (`nonsmooth_piles.py`): which models have one, what goes between state and kernel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.contact.memory import FEATURES
from condyle.contact.passing import APART, FAST
from condyle.integrators import nonsmooth_compiled
from condyle.integrators import nonsmooth_piles as kernels
from condyle.integrators.compiled import NO_BLOCKS, why_not
from condyle.integrators.convergence import SURVEY
from condyle.integrators.nonsmooth_loop import FEW, MOVING_OUT, NEARLY_OUT
from condyle.integrators.nonsmooth_models import SHARED_RIGID, left_over
from condyle.integrators.nonsmooth_steps import ImpulseSteps
from condyle.integrators.step_tables import Motion, Record, Tables
from condyle.solvers.body_newton import MOST_BODIES
from condyle.system.running import RunningSystem
from condyle.system.state import Batch, State, Times

if TYPE_CHECKING:
    from condyle.integrators.nonsmooth import Nonsmooth


def why_in_python(method: Nonsmooth, system: RunningSystem) -> str:
    """Why steps are not those of a pile; empty if they are."""
    found = why_not(system)
    if found:
        return found
    if system.blocks is None:
        return NO_BLOCKS
    islands = method.islands(system)
    found = nonsmooth_compiled.why_not(system, method, islands)
    if found:
        return found
    assert system.contact is not None
    pair: Any = system.contact.pairs[0]
    columns, size = pair.body_columns, np.diff(islands.start)
    free = pair.d == 3 and all(
        (own < 0).all() or ((own >= 0).all() and (size[islands.of[own]] == 3).all()) for own in columns
    )
    reasons = {
        "forces are those of a part of the step (theta)": method.theta != 1.0,
        "bodies are not free bodies in space": not free,
        "the geometric stiffness of joints counts": method.geometric,
        "Newton's method ends what sweeps have begun": (
            method.finish and method.give == 0.0 and len(columns) <= MOST_BODIES
        ),
    }
    return next((reason for reason, applies in reasons.items() if applies), "")


class PileSteps(ImpulseSteps):
    """Free rigid bodies of one group."""

    def __init__(self, system: RunningSystem, method: Nonsmooth) -> None:
        assert system.contact is not None and system.blocks is not None
        self.tolerance = method.tolerance
        self.couples = nonsmooth_compiled.GroupContact(system, method, method.islands(system), method.inside(system))
        self.pair: Any = self.couples.pair
        self.column = np.where(
            self.pair.body_columns >= 0, system.blocks.unknown[np.maximum(self.pair.body_columns, 0)], -1
        ).astype(np.int64)
        super().__init__(system, self._pile(system, method), (self.pair.count, kernels.KNOWN + 2))
        self.out = np.zeros(5)  # sweeps, residual, depth, points of the last step, the gap up to which they count

    def _pile(self, system: RunningSystem, method: Nonsmooth) -> kernels.Pile:
        pair, settings = self.pair, np.zeros(kernels.SETTINGS)
        settings[: kernels.NEARLY] = (
            method.tolerance, method.sweeps, method.give, method.stabilise, method.compliance,
            0.5 * (APART if method.continuous else FAST) * self.couples.thinnest, SHARED_RIGID, FEW,
        )  # fmt: skip
        settings[kernels.NEARLY : kernels.OUTWARDS], settings[kernels.OUTWARDS :] = NEARLY_OUT, MOVING_OUT
        kept = pair.count * pair.reported
        sizes = [kept, kept, kept, 1, 1, 1, 1, pair.count * (kernels.KNOWN + 2), kept]
        return kernels.Pile(
            self._group(), pair.shapes.table, pair.work, self.couples.lever, self.couples.translation,
            np.concatenate(([0], np.cumsum(sizes))).astype(np.int64), settings, pair.each, pair.reported,
        )  # fmt: skip

    def _group(self) -> Any:
        return self.couples.group._replace(column=self.column)

    def _ended(self, count: int) -> tuple[float, str]:
        error = float(self.out[1])
        return error, "" if error <= self.tolerance else left_over(error, count)

    def run(self, state: State, times: Times, first: int, every: int, work: float, size: float | None = None) -> Batch:
        """As ever; the pair then knows which points it has."""
        done = super().run(state, times, first, every, work, size)
        if len(done.scalars):
            self.pair.adopt_later(done.state.memory[FEATURES], float(self.out[4]))
        return done

    def _run(
        self, touch: Any, tables: Tables, now: Motion, work: float, first: int, every: int, record: Record
    ) -> tuple[int, int, int, float]:
        run = self.entry(kernels.run_pile, every)
        for _ in range(2):
            done: tuple[int, int, int, float] = run(
                self.problem, self.stepper, self.contacts, tables, now, self.after, work, first, every, record, self.out,
                self.work,
            )  # fmt: skip
            if done[0] != SURVEY or done[1]:
                break
            self.couples.survey(now.x, now.v, float(tables.sizes[0]))
            self.contacts = self.contacts._replace(group=self._group())
        return done
