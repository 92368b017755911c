"""How hard constraints are held that multipliers do not hold exactly: stiffness by effective mass and step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.system.tables import MULTIPLIER, PENALTY, UZAWA

if TYPE_CHECKING:
    from condyle.system.system import System

Array = NDArray[np.float64]


def chosen_stiffness(system: System, h: float, run: float | None) -> tuple[Array, Array]:
    """Stiffness of augmented and penalty constraints, see `System.stiffness`."""
    if not (system.hold != MULTIPLIER).any():
        return np.zeros(system.links.law.size), np.zeros(system.constraints.law.size)
    chosen = []
    tables = (system.links, system.constraints)
    for table, given, mass in zip(tables, system.given_stiffness, system.effective_masses, strict=True):
        factor = np.where(table.hold == PENALTY, 1000.0, np.where(table.hold == UZAWA, 100.0, 10.0))
        default = factor * mass / np.where(table.hold == PENALTY, run or h, h) ** 2
        chosen.append(np.where(np.isnan(given), default, given) * (table.hold != MULTIPLIER))
    return chosen[0], chosen[1]


def effective_masses(system: System) -> tuple[Array, Array]:
    """1 / (G m⁻¹ Gᵀ) of each constraint with the diagonal of the mass matrix; [kg] for links."""
    out = []
    for table in (system.links, system.constraints):
        masses = np.ones(table.law.size)
        for i in range(table.law.size):
            rows = table.rows[table.row_start[i] : table.row_start[i + 1]]
            at = table.weight_start[table.point_start[i]]
            W = table.weights[at : at + table.vectors[i] * rows.size].reshape(table.vectors[i], -1)
            y = W @ system.x_start[rows]
            squares = _gradient_squares(system, i, W, y) if table is system.constraints else W[0] ** 2
            heavy = system.moving[rows] & (system.row_mass[rows] > 0)
            inverse = float(np.sum(squares[heavy] / system.row_mass[rows][heavy]))
            if inverse == 0.0:  # between quasi-static bodies: as if they had the mass of the model
                moving = rows[system.moving[rows]]
                whole = max(float(system.row_mass[system.translation > 0].sum()), 1e-300)
                reach = squares[system.moving[rows]] * system.rows.size[moving] ** 2
                inverse = float(np.sum(reach) / (whole * system.size**2))
            masses[i] = 1.0 / inverse if inverse > 0 else 1.0
        out.append(masses)
    return out[0], out[1]


def _gradient_squares(system: System, i: int, W: Array, y: Array) -> Array:
    """|∂c/∂x|² on each row of a constraint, shape (rows,): Σ_k W_kr 2 Σ_j S_kj y_j squared."""
    from condyle.laws.gram import gram_law

    table, ny = system.constraints, len(y)
    S, H = np.zeros((ny, ny)), np.zeros((ny, ny, ny, ny))
    gram_law(table.law[i], ny, y @ y.T, table.params[table.param_start[i] : table.param_start[i + 1]], S, H)
    return np.asarray(np.sum((2.0 * W.T @ S @ y) ** 2, axis=1))


def reported_multipliers(
    system: System,
    multipliers: Array,
    stiffness: tuple[Array, Array],
    ends: tuple[Array, Array],
    times: tuple[float, float],
) -> Array:
    """Multipliers with the forces of penalty constraints filled in (mean of both ends of the step)."""
    soft = system.hold == PENALTY
    if not soft.any():
        return multipliers
    eta = of_multipliers(system, stiffness)
    mean = 0.5 * (system.constraint_values(ends[0], times[0]) + system.constraint_values(ends[1], times[1]))
    return np.where(soft, eta * mean, multipliers)


def of_multipliers(system: System, stiffness: tuple[Array, Array]) -> Array:
    """The stiffness of links and constraints, one number for each multiplier, 0 for those of velocities; shape (m,)."""
    return np.concatenate((np.repeat(stiffness[0], system.d), stiffness[1], np.zeros(system.rates.law.size)))


def uzawa_done(c: Array, c_scale: Array, eta: Array, tolerance: float) -> bool:
    """Are the constraints that have a stiffness eta in Uzawa's outer loop within the tolerance, relative to their scale?"""
    held = eta > 0
    return bool((np.abs(c[held]) <= 100 * tolerance * np.maximum(c_scale[held], 1e-300)).all())
