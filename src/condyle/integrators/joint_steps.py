"""Runge–Kutta steps in joint coordinates: trees of rigid bodies, each with as many unknowns as its joint leaves free.

Loops are cut open to a spanning tree. Multipliers of what was cut keep them closed, in accelerations at every stage and in
places and velocities at the end of every step.

Coordinates are made of the rows at the start of every step and given back as rows at its end: a state is what it is in every
other method, joints are closed and bodies rigid to round-off without any equation, and a run goes on from any state.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from condyle.integrators.compiled import angles_of
from condyle.integrators.contact_steps import no_contacts
from condyle.integrators.explicit_steps import ExplicitSteps
from condyle.integrators.joint_kernels import TreeProblem, TreeWork, run_tree_steps
from condyle.system.joint_tree import closing_room, tree_room
from condyle.system.running import RunningSystem

Array = NDArray[np.float64]


class JointSteps(ExplicitSteps):
    """Steps in the coordinates of a tree."""

    def __init__(self, system: RunningSystem, coefficients: Array, weights: Array, nodes: Array) -> None:
        super().__init__(system, coefficients, weights, nodes)
        tree, whole, stages = system.tree, system.whole, weights.size
        acts = bool(whole.spans[2] > whole.spans[0]) or bool(np.any(system.rows.drag))
        self.problem = TreeProblem(
            tree, tree_room(tree), system.closing, whole, system.mass, system.gravity_force, system.translation,
            angles_of(system), np.array([acts]), self.coefficients, self.weights, np.array([system.size]),
            np.array([self.sweeps]), no_contacts() if self.touch is None else self.touch.table,
        )  # fmt: skip
        coordinates = {1: 1, 3: 4, 6: 7}
        q = np.zeros((stages + 2, sum(coordinates[int(k)] for k in tree.kind)))
        u = np.zeros((stages + 2, int(tree.kind.sum())))
        self.work = TreeWork(
            np.zeros((7, system.n, system.d)), q, u, np.zeros((2, system.d)), np.zeros(len(system.multipliers)),
            np.zeros(system.turn_count), self.remembered, closing_room(system),
        )  # fmt: skip

    def call(
        self, tables: tuple[Array, Array, Array], state: tuple[Array, Array, Array], work: float, first: int, every: int,
        record: tuple[Array, Array, Array], frames: tuple[Array, ...],
    ) -> tuple[int, int, int, float]:  # fmt: skip
        done: tuple[int, int, int, float] = self.entry(run_tree_steps, every)(
            self.problem, *tables, *state, work, first, every, *record, frames, self.system.scratch, self.work
        )
        return done
