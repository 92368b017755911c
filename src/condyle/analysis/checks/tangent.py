"""The assembled matrix against finite differences of the assembled residual."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from condyle.analysis.checks.laws import STENCIL, CheckFailed
from condyle.integrators import energy_momentum
from condyle.integrators.newton import Iterate
from condyle.system import assembly
from condyle.system.fading import STRESS_MEMORY
from condyle.system.running import Buffers, RunningSystem
from condyle.system.start import start_states
from condyle.system.state import State

Array = NDArray[np.float64]
STEP = 0.05  # [s]


def tangent(system: RunningSystem) -> None:
    """The matrix of an energy–momentum step is the derivative of its residual."""
    rng = np.random.default_rng(1)
    state = start_of_step(system, rng)
    compare_with_differences(
        energy_momentum._Step(energy_momentum.EnergyMomentum(), system, state, STEP), system, rng
    )  # fmt: skip


def start_of_step(system: RunningSystem, rng: np.random.Generator) -> State:
    """A state near the start: every row moved, every rate and multiplier arbitrary."""
    x = system.x_start.copy()
    assembly.move(system.rows, 0.05 * rng.uniform(-1, 1, system.unknowns), x)
    change = np.zeros_like(x)
    for row in np.flatnonzero(system.moving):
        change[row] = rng.uniform(-1, 1, system.d)
    ahead, behind = x.copy(), x.copy()
    du = 1e-6 * rng.uniform(-1, 1, system.unknowns)
    assembly.move(system.rows, du, ahead)
    assembly.move(system.rows, -du, behind)
    v = (ahead - behind) / 2e-6  # rates that keep rigid bodies rigid
    turns = system.turns_at(x, np.zeros(system.turn_count))
    state = State(0.3, x, v, 5.0 * rng.uniform(-1, 1, len(system.multipliers)), turns=turns)
    start_states(system, state)
    bodies = len(system.rows.bodies)
    state.memory = {
        "algorithmic": 3.0 * change,
        "acceleration": 2.0 * change[:, ::-1],
        "spin algorithmic": rng.uniform(-1, 1, (bodies, 3)) * (1.0 if system.d == 3 else (0.0, 0.0, 1.0)),
        "spin rate": rng.uniform(-1, 1, (bodies, 3)) * (1.0 if system.d == 3 else (0.0, 0.0, 1.0)),
    }
    if system.fading:
        memory = system.fading.empty(x)
        memory[1:] = np.abs(memory[0]).max() * rng.uniform(-1, 1, memory[1:].shape)
        state.memory[STRESS_MEMORY] = memory
    return state


def compare_with_differences(step: Iterate, system: RunningSystem, rng: np.random.Generator) -> None:
    """The matrix of an iterate agrees with finite differences, relative to the size of each of its blocks."""
    buffers = system.scratch
    move = 0.03 * rng.uniform(-1, 1, system.unknowns)
    move[system.motion_unknowns :] *= 30.0
    step.remember()
    step.apply(move, 1.0)
    step.remember()  # from here on `x_old` is the iterate itself: the matrix is the true derivative
    step.evaluate(True)
    A = np.zeros((system.unknowns, system.unknowns))
    A[system.pattern.rows(), system.pattern.indices] = buffers.A
    differences = np.zeros_like(A)
    h = 1e-4
    for k in range(system.unknowns):
        e = np.zeros(system.unknowns)
        e[k] = h
        for factor, weight in STENCIL:
            step.apply(e, factor)
            step.evaluate(False)
            differences[:, k] += weight / h * residual(system, buffers)
    n = system.motion_unknowns
    round_off = 1e-14 / h * max(np.abs(buffers.r).max(), buffers.r_scale.max(), buffers.c_scale.max(initial=0.0))
    for rows in (slice(0, n), slice(n, None)):
        for columns in (slice(0, n), slice(n, None)):
            block, wanted = A[rows, columns], differences[rows, columns]
            if block.size:
                _same(system, block, wanted, 2e-8 * np.abs(wanted).max() + round_off, rows, columns)


def residual(system: RunningSystem, buffers: Buffers) -> Array:
    """Residual of motion and the constraints that are iterated with it, in the order of the unknowns."""
    out = buffers.r.copy()
    out[system.motion_unknowns :] = 0.0
    live = system.multiplier_unknowns >= 0
    out[system.multiplier_unknowns[live]] = buffers.c[live]
    return out


def _same(system: RunningSystem, block: Array, wanted: Array, allowed: float, rows: Any, columns: Any) -> None:
    error = np.nan_to_num(np.abs(block - wanted), nan=np.inf)
    if (error > allowed).any():
        i, j = np.unravel_index(int(np.argmax(error)), error.shape)
        where = [system.owner(int(k) + (s.start or 0)) for k, s in ((i, rows), (j, columns))]
        raise CheckFailed(
            f"the matrix is not the derivative of the forces: force on '{where[0]}' by the motion of '{where[1]}' is "
            f"{block[i, j]:.6g}, by finite differences {wanted[i, j]:.6g}"
        )
