"""Which part of a model takes energy out of it, or puts some in, by forces that depend on velocities."""

from __future__ import annotations

import numpy as np

from condyle.laws.forces import force_law
from condyle.system.state import State
from condyle.system.system import System

SAMPLES = 6  # configurations that a force is tried in: a stop, say, acts in some only


def first_dissipating(system: System, state: State) -> str:
    """The first part with a force that depends on velocities, near this state or far from it; empty if there is none."""
    energies, forces = system.energies, system.forces
    damped = np.flatnonzero((energies.damping != 0.0) | (energies.viscosity != 0.0))
    if damped.size:
        return system.instances[0][int(damped[0])].part
    dragged = np.flatnonzero(system.rows.drag)
    if dragged.size:
        return system.row_owner[int(dragged[0])]
    rng = np.random.default_rng(1)
    for i in range(forces.law.size):
        ny, own = int(forces.vectors[i]), forces.rows[forces.row_start[i] : forces.row_start[i + 1]]
        first = forces.weight_start[forces.point_start[i]]
        weights = forces.weights[first : first + ny * own.size].reshape(ny, own.size)
        params = forces.params[forces.param_start[i] : forces.param_start[i + 1]]
        y = weights @ state.x[own]
        for k in range(SAMPLES):
            there = y + (np.abs(y).max() * rng.normal(size=y.shape) if k else 0.0)
            f, by_place, by_rate = np.zeros((ny, system.d)), *np.zeros((2, ny, system.d, ny, system.d))
            force_law(
                int(forces.law[i]), ny, system.d, there, rng.normal(size=y.shape), 1.0, params, f, by_place, by_rate
            )
            if np.any(by_rate != 0.0):
                return system.instances[1][i].part
    return ""
