"""Energy–momentum steps in joint coordinates: trees of rigid bodies, without the multipliers of their joints.

The equations are those of rows with multipliers, solved along what the joints leave free. So motion, multipliers and energies
are the same to round-off, and a run goes on from any state of either.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from condyle.integrators import convergence, midpoint
from condyle.integrators.compiled import CompiledSteps
from condyle.integrators.extrapolation import DEPTH
from condyle.integrators.joint_guess import JointPast
from condyle.integrators.newton import ROUND_OFF
from condyle.integrators.step_tables import Motion, Record, Tables
from condyle.integrators.strategy import newton_strategy
from condyle.integrators.tree_loop import UNKNOWNS, TreeProblem, TreeWork, run_tree_balances
from condyle.system.assembly.joint_tree import LOOSE, Tree
from condyle.system.assembly.tree_balance import MATRICES, SIZES, VECTORS, StepRoom
from condyle.system.running import RunningSystem

Array = NDArray[np.float64]


def why_not_in_joints(system: RunningSystem) -> str:
    """Why steps of this system are not balanced in joint coordinates, with the part at fault; empty if they can be."""
    if system.why_no_tree:
        return system.why_no_tree
    for k, acts in ((0, "acts on rows"), (1, "acts on rows")):
        if system.instances[k]:
            return f"'{system.instances[k][0].part}' {acts}"
    damped = np.flatnonzero(system.rows.drag)
    if damped.size:
        return f"'{system.row_owner[int(damped[0])]}' is damped by its mass"
    if system.closing.channel.size:
        return f"'{system.multipliers[int(system.closing.channel[0])].part}' closes a loop"
    if system.solver_kind not in ("auto", "block"):
        return f"solver='{system.solver_kind}' was asked for"
    return ""


class TreeSteps(CompiledSteps):
    """The compiled form of one tree under energy–momentum steps."""

    problem: Any
    work: Any

    def _lay_out(self) -> None:
        system, method = self.system, self.method
        tree, tolerance = system.tree, method.tolerance
        self.scheme, self.touch, self.newmark = method.scheme, None, None
        self.orders, self.carried, self.held = 1, midpoint.CARRIED, len(system.multipliers)
        weight, unit = _inertia(tree)
        self.problem = TreeProblem(
            tree, system.whole, system.gravity_force, unit, np.zeros(0, dtype=bool),
            np.array([tolerance.force, max(tolerance.length, ROUND_OFF), ROUND_OFF]), tolerance.iterations,
            newton_strategy(method.newton).share, system.size,
        )  # fmt: skip
        bodies, unknowns = tree.parent.size, unit.size
        room = StepRoom(
            np.zeros((bodies, VECTORS, 3)), np.zeros((bodies, MATRICES, 3, 3)), np.zeros((bodies, SIZES))
        )  # fmt: skip
        past = JointPast(np.zeros((DEPTH, unknowns)), weight, np.zeros(6))
        self.work = TreeWork(
            room, np.zeros((UNKNOWNS, unknowns)), np.zeros(convergence.CONTROL), np.zeros(tolerance.iterations + 1),
            np.zeros(0), past,
        )  # fmt: skip
        self._make_room()

    def _run(
        self, touch: Any, tables: Tables, now: Motion, work: float, first: int, every: int, record: Record
    ) -> tuple[int, int, int, float]:
        done: tuple[int, int, int, float] = self.entry(run_tree_balances, every)(
            self.problem, tables, now, self.after, work, self.account, first, every, record, self.work
        )
        return done


def _inertia(tree: Tree) -> tuple[Array, NDArray[np.int64]]:
    """For each unknown the inertia of its body about the pivot, or its mass; and is it a shift (0) or a turn (1)?"""
    weight, unit = [], []
    for kind, mass, euler in zip(tree.kind, tree.mass, tree.euler, strict=True):
        turns = min(int(kind), 3)
        weight += [float(np.trace(euler))] * turns
        unit += [1] * turns
        if kind == LOOSE:
            weight += [float(mass)] * 3
            unit += [0] * 3
    return np.array(weight), np.array(unit, dtype=np.int64)
