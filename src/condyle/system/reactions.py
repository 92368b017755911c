"""Reactions of redundant constraints: of all multipliers with the same forces, those of the smallest wrenches.

A multiplier λ_k puts a force λ_k F_k and a moment λ_k M_k on a body. Its weight is w_k = |F_k|² + |M_k|²/L², with the moment
about its own axis (the part along F_k, which is the same about every point) and L the extent of the model. The multipliers
with the least Σ w_k λ_k² depend neither on the method of time stepping, nor on masses, nor on the unit of length.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.system import assembly
from condyle.system.linear import SingularMatrixError
from condyle.system.linear.sharing import PASSES, stiffen
from condyle.system.tables import DIRECTOR, FREE

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from condyle.system.running import RunningSystem

Array = NDArray[np.float64]

LIGHT = 1e-6  # weight of what only keeps a rigid body rigid, against the least of the others


def smallest_reactions(system: RunningSystem, A: Array, x: Array, multipliers: Array) -> Array:
    """Multipliers (m,) with the forces Gᵀ λ of the given ones and the least Σ w λ²; A: the tangent, unregularised.

    A u + Gᵀ λ' = Gᵀ λ, G u = ε w λ' gives them up to a part of order ε in the forces; it is repeated for what is left. The
    given ones come back where that matrix is singular (compiled steps do the same, `linear/sharing.py`).
    """
    live = system.exact
    unknowns = system.multiplier_unknowns[live]
    weights = reaction_weights(system, A, x)
    diagonal = system.diagonal_slots[unknowns]
    tangent = A.copy()
    tangent[diagonal] = 0.0
    scaled = tangent.copy()
    stiffen(system.couplings, scaled)
    system.regularise(scaled)  # the size of a diagonal that a factorisation bears
    tiny = -scaled[diagonal]
    own = np.array([not system.multipliers[k].internal for k in np.flatnonzero(live)], dtype=bool)
    heavy = own & (tiny > 0.0)  # not those that only act on rows without inertia (across a flat body)
    if not heavy.any():
        return multipliers
    size = float(np.exp(np.mean(np.log(tiny[heavy] / weights[heavy]))))
    weights[~own] = LIGHT * tiny[~own] / size
    scaled[diagonal] = -size * weights
    try:
        system.solver.factor(scaled)
    except SingularMatrixError:  # the forces are right, however they are shared
        return multipliers
    shared, left = np.zeros(len(multipliers)), np.inf
    for _ in range(PASSES):
        force = np.zeros(system.unknowns)
        force[unknowns] = (multipliers - shared)[live]
        force = system.matvec(tangent, force)
        force[system.motion_unknowns :] = 0.0
        before, left = left, float(np.abs(force).max(initial=0.0))
        if left == 0.0 or left > 0.5 * before:
            break
        shared += system.multiplier_increments(system.solver.solve(force))
    return np.where(live, shared, multipliers)


def weights_at(system: RunningSystem, x: Array, t: float) -> Array:
    """w of each iterated multiplier at a configuration x and time t [s]."""
    out, still, none = system.buffers(), np.zeros_like(x), np.zeros(len(system.multipliers))
    held = none, np.zeros(system.links.law.size), np.zeros(system.constraints.law.size)
    loads = still, system.amplitudes(t), system.targets(t, t)
    assembly.assemble(
        system.whole, (x, x, x, still, still, x), loads, held, assembly.END, assembly.END, (0.0, 1.0, 0.0),
        (assembly.NO_MAP, assembly.NO_MAP), True, out,
    )  # fmt: skip
    return reaction_weights(system, out.A, x)


def reaction_weights(system: RunningSystem, A: Array, x: Array) -> Array:
    """w of each iterated multiplier, out of the columns of the tangent: the wrench on the body that takes most of it."""
    from scipy.sparse import csr_matrix, diags

    d, first = system.d, system.motion_unknowns
    pattern = system.pattern
    matrix = csr_matrix((A, pattern.indices, pattern.indptr), shape=(system.unknowns, system.unknowns))
    gradient = matrix[:first, first:].T.tocsr()
    to_force, to_moment, bodies = _wrenches(system, x)
    force = (gradient @ to_force).toarray().reshape(-1, bodies, d)
    moment = (gradient @ to_moment).toarray().reshape(-1, bodies, 3)
    strength, turning = np.linalg.norm(force, axis=2), np.linalg.norm(moment, axis=2) / system.size
    pure = strength <= 1e-9 * turning
    if d == 3:  # about the axis of the force
        along = np.abs(np.einsum("kba,kba->kb", force, moment)) / np.where(pure, 1.0, strength) / system.size
    else:
        along = np.zeros_like(strength)
    weight = (strength**2 + np.where(pure, turning, along) ** 2).max(axis=1)
    scaled = gradient @ diags(1.0 / system.levers[:first])  # what pulls a body apart has no wrench on it
    inside = np.asarray(scaled.multiply(scaled).sum(axis=1), dtype=float).ravel()
    weight = np.where(weight > 1e-12 * inside, weight, inside)
    return weight[system.multiplier_unknowns[system.exact] - first]


def _wrenches(system: RunningSystem, x: Array) -> tuple[csr_matrix, csr_matrix, int]:
    """From generalised forces to each body's force and moment about one point, (motion unknowns, bodies · d or · 3)."""
    d, rows = system.d, system.rows
    owners = list(dict.fromkeys(system.row_owner))
    number = {name: k for k, name in enumerate(owners)}
    of_row = np.array([number[name] for name in system.row_owner])
    forces: list[tuple[int, int, float]] = []
    moments: list[tuple[int, int, float]] = []
    whole = set(of_row[rows.kind == DIRECTOR].tolist())  # moments about the origin of the body
    for i in np.flatnonzero(rows.kind == FREE):
        u, body = int(rows.unknown[i]), int(of_row[i])
        for a in range(d):
            if system.translation[i]:
                forces.append((u + a, body * d + a, 1.0))
            if body in whole:
                continue
            for b in range(3):  # (x × e_a)_b
                c = 3 - a - b
                if b != a and c < d:
                    sign = 1.0 if (c, a, b) in ((0, 1, 2), (1, 2, 0), (2, 0, 1)) else -1.0
                    moments.append((u + a, body * 3 + b, sign * x[i, c]))
    for triad in rows.bodies:
        u, body = int(rows.unknown[triad[0]]), int(of_row[triad[0]])
        moments += [(u, body * 3 + 2, 1.0)] if d == 2 else [(u + b, body * 3 + b, 1.0) for b in range(3)]
    shape = system.motion_unknowns, len(owners)
    return _matrix(forces, shape[0], shape[1] * d), _matrix(moments, shape[0], shape[1] * 3), shape[1]


def _matrix(entries: list[tuple[int, int, float]], height: int, width: int) -> csr_matrix:
    i, j, value = zip(*entries, strict=True) if entries else ((), (), ())
    from scipy.sparse import csr_matrix

    return csr_matrix((value, (i, j)), shape=(height, width))
