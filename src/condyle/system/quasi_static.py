"""Bodies without inertia inside a run in time: what they need to be determined, and the forces they put on others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.system import assembly
from condyle.system.tables import END

if TYPE_CHECKING:
    from condyle.system.running import RunningSystem
    from condyle.system.state import State

Array = NDArray[np.float64]
LOOSE = 1e-12  # stiffness against a rigid motion, relative to that of the body, below which nothing holds it


def check_supports(system: RunningSystem) -> None:
    """Refuse a quasi-static body that can move without force, or that carries mass of others.

    With all other rows at rest, a rigid motion z of quasi-static bodies must strain something (zᵀ K z > 0) or violate a
    constraint (G z ≠ 0).
    """
    owner, d = system.row_owner, system.d
    heavy = np.abs(system.mass.value) > 0.0
    for rows in (system.mass.first[heavy], system.mass.second[heavy]):
        wrong = np.flatnonzero(system.rows.quasi[rows])
        if wrong.size:
            raise InputError(
                f"'{owner[rows[wrong[0]]]}' is quasi-static but carries the mass of another body that is tied to it; "
                "tie the other way round, or make both quasi-static"
            )
    out, x = system.buffers(), system.x_start
    still, held = np.zeros_like(x), np.zeros(len(system.multipliers))
    loads = (still, system.amplitudes(0.0), system.targets(0.0, 0.0))
    assembly.assemble(
        system.whole, (x, x, x, still, still, x), loads, (held, *system.stiffness(system.step)), END, END, (0.0, 1.0, 0.0),
        (assembly.NO_MAP, assembly.NO_MAP), True, out,
    )  # fmt: skip
    names = list(dict.fromkeys(owner[row] for row in system.quasi_static))
    columns = []
    for name in names:
        own = np.array([row for row in system.quasi_static if owner[row] == name])
        columns += [(name, k >= d, z) for k, z in enumerate(_rigid_motions(system, own))]
    Z = np.array([z for _, _, z in columns])
    n = system.motion_unknowns
    products = np.array([system.matvec(out.A, z) for z in Z])
    moved = np.abs(Z[:, :n]).max(axis=0) > 0.0
    size = np.abs(out.A[system.diagonal_slots[:n]][moved]).max(initial=1e-300)
    lines = np.abs(products[:, n:]).max(initial=1e-300)
    reduced = np.vstack((Z @ products.T / size, products[:, n:].T / lines))
    _, values, V = np.linalg.svd(reduced, full_matrices=False)
    if values[-1] <= LOOSE:
        loose = np.abs(V[-1])
        name = columns[int(np.argmax(loose))][0]
        turning = any(loose[k] > 1e-6 for k, column in enumerate(columns) if column[1])
        raise InputError(
            f"'{name}' is quasi-static and nothing keeps it from {'turning' if turning else 'moving'}: a body without "
            "inertia needs a support (Tie, Hold, a spring) against every rigid motion"
        )


def _rigid_motions(system: RunningSystem, rows: NDArray[np.int64]) -> Array:
    """Orthonormal rigid motions of free rows as vectors of the unknowns, shape (3 or 6, unknowns)."""
    d = system.d
    place = system.x_start[rows] - system.x_start[rows].mean(axis=0)
    motions = [np.broadcast_to(np.eye(d)[a], place.shape) for a in range(d)]
    if d == 2:
        motions.append(np.stack((-place[:, 1], place[:, 0]), axis=1))
    else:
        motions += [np.cross(np.eye(3)[a], place) for a in range(3)]
    out = np.zeros((len(motions), system.unknowns))
    at = system.rows.unknown[rows][:, None] + np.arange(d)
    for k, motion in enumerate(motions):
        out[k, at] = motion
    q, r = np.linalg.qr(out.T)
    return np.asarray(q.T[np.abs(np.diag(r)) > 1e-9 * max(np.abs(r).max(), 1e-300)])


def end_forces(system: RunningSystem, state: State, *, held_only: bool = False) -> Array:
    """Forces q (n, d) of everything that acts on quasi-static bodies, at a state; held_only: of constraints alone."""
    q, scale, noise = (np.zeros_like(state.x) for _ in range(3))
    x, v, rows, A = state.x, state.v, system.rows, system.scratch.A
    pace = float(rows.pace[0])
    rows.pace[0] = 0.0  # rates are those of the state
    system.swell(state.t)
    energies, forces, links, constraints = system.end_tables
    stiffness = system.stiffness(system.step)
    c, c_scale = np.zeros(len(system.multipliers)), np.zeros(len(system.multipliers))
    if not held_only:
        if energies.law.size:
            assembly.add_energies(
                energies, rows, x, x, x, x, v, END, 1.0, 0.0, assembly.NO_MAP, False, q, scale, noise, A
            )  # fmt: skip
        if forces.law.size:
            assembly.add_forces(
                forces, rows, x, v, x, system.amplitudes(state.t), 1.0, 0.0, assembly.NO_MAP, False, q, scale, A
            )  # fmt: skip
    held = state.multipliers
    if links.law.size:
        assembly.add_links(
            links, rows, x, x, held, stiffness[0][len(stiffness[0]) - links.law.size :], END, False, q, scale, noise, c,
            c_scale, A,
        )  # fmt: skip
    if constraints.law.size:
        assembly.add_constraints(
            constraints, rows, x, x, system.targets(state.t, state.t), held,
            stiffness[1][len(stiffness[1]) - constraints.law.size :], END, False, q, scale, noise, c, c_scale, A,
        )  # fmt: skip
    rows.pace[0] = pace
    return q
