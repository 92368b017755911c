"""Energy–momentum steps in joint coordinates: trees of rigid bodies, without the multipliers of their joints.

The equations are those of rows with multipliers, solved along what the joints leave free. So motion, multipliers and energies
are the same to round-off, and a run goes on from any state of either.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.integrators import convergence, midpoint
from condyle.integrators.compiled import CompiledSteps, angles_of, past_of
from condyle.integrators.newton import ROUND_OFF
from condyle.integrators.step_tables import ROWS, Motion, Record, Tables
from condyle.integrators.strategy import newton_strategy
from condyle.integrators.tree_loop import UNKNOWNS, TreeProblem, TreeWork, run_tree_balances
from condyle.laws.codes import DEAD_LOAD
from condyle.system.assembly.joint_tree import BALL, HINGE, LOOSE, Tree
from condyle.system.assembly.tree_start import MATRICES, SIZES, VECTORS, StepRoom
from condyle.system.body_laws import body_laws, body_room, couplings
from condyle.system.hinge_laws import hinge_laws, hinge_room
from condyle.system.running import RunningSystem

Array = NDArray[np.float64]


def why_not_in_joints(system: RunningSystem) -> str:
    """Why steps of this system are not balanced in joint coordinates, with the part at fault; empty if they can be."""
    if system.why_no_tree:
        return system.why_no_tree
    if system.contacts:
        return f"contact '{system.contacts[0].name}' is not balanced in joint coordinates"
    known = {**system.laws_of_hinges, **system.laws_of_bodies}
    for family, instances in enumerate(system.instances[:2]):
        for k, law in enumerate(instances):
            if law.law != DEAD_LOAD and (family, k) not in known:
                return f"'{law.part}' acts on more than two bodies, or in a way that only rows know"
    damped = np.flatnonzero(system.rows.drag)
    if damped.size:
        return f"'{system.row_owner[int(damped[0])]}' is damped by its mass"
    if system.closing.channel.size:
        return f"'{system.multipliers[int(system.closing.channel[0])].part}' closes a loop"
    if system.solver_kind not in ("auto", "block"):
        return f"solver='{system.solver_kind}' was asked for"
    return ""


def rows_are_cheaper(system: RunningSystem) -> bool:
    """Do laws between two bodies couple so many of them that rows are solved sooner?

    Measured in µs per step: a column of a coupling is answered by the whole tree, the matrix of all columns is full; rows
    take longer for each body, and for each law.
    """
    columns, bodies = 3 * len(couplings(system)), system.tree.parent.size
    laws = len(system.laws_of_bodies) + len(system.laws_of_hinges)
    return 0.05 * columns * bodies + 5e-4 * columns**3 > 0.7 * bodies + 3.0 * laws


def refuse_rows(method: Any, system: RunningSystem) -> None:
    """InputError if joint coordinates were asked for where they cannot be had."""
    why = why_not_in_joints(system) if method.coordinates == "joints" else ""
    if why:
        raise InputError(f"{method.label}(coordinates='joints'): {why}; take coordinates='auto' or 'rows'")


class TreeSteps(CompiledSteps):
    """The compiled form of one tree under energy–momentum steps."""

    problem: Any
    work: Any

    def _lay_out(self) -> None:
        system, method = self.system, self.method
        tree, tolerance = system.tree, method.tolerance
        self.scheme, self.touch, self.newmark = method.scheme, None, None
        self.orders, self.carried, self.held = 1, midpoint.CARRIED, len(system.multipliers)
        unit = _units(tree)
        number = {tuple(triad): b for b, triad in enumerate(system.rows.bodies.tolist())}
        which = np.array([number[tuple(rows[1:])] for rows in tree.rows.tolist()], dtype=np.int64)
        loads = [int(system.spans[1]) + k for k, law in enumerate(system.instances[1]) if law.law == DEAD_LOAD]
        hinges, between = hinge_laws(system), body_laws(system, angles_of(system))
        self.problem = TreeProblem(
            tree, which, system.whole, hinges, between, np.array(loads, dtype=np.int64), system.gravity_force,
            system.elastic_rows.astype(float), unit, np.zeros(0, dtype=bool),
            np.array([tolerance.force, max(tolerance.length, ROUND_OFF), ROUND_OFF]), tolerance.iterations,
            newton_strategy(method.newton).share, system.size,
        )  # fmt: skip
        bodies, unknowns = tree.parent.size, unit.size
        room = StepRoom(np.zeros((bodies, VECTORS, 3)), np.zeros((bodies, MATRICES, 3, 3)), np.zeros((bodies, SIZES)))
        self.work = TreeWork(
            np.zeros((ROWS, system.n, system.d)), np.zeros((1, bodies, 3)), room, hinge_room(hinges),
            body_room(between, bodies, system.d), np.zeros((UNKNOWNS, unknowns)),
            np.zeros(convergence.CONTROL), np.zeros(tolerance.iterations + 1), np.zeros(0),
            past_of(system, system.rows.bodies, 0),
        )  # fmt: skip
        self._make_room()

    def _run(
        self, touch: Any, tables: Tables, now: Motion, work: float, first: int, every: int, record: Record
    ) -> tuple[int, int, int, float]:
        done: tuple[int, int, int, float] = self.entry(run_tree_balances, every)(
            self.problem, tables, now, self.after, work, self.account, first, every, record, self.work
        )
        return done


def _units(tree: Tree) -> NDArray[np.int64]:
    """Which residuals are judged together: forces (0) and moments (1)."""
    of_joint = {HINGE: [1], BALL: [1, 1, 1], LOOSE: [1, 1, 1, 0, 0, 0]}
    return np.concatenate([np.array(of_joint[int(kind)], dtype=np.int64) for kind in tree.kind])
