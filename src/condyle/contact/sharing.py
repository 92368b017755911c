"""Points of rigid bodies that hold more than can move: their forces, shared by least squares.

A box on four corners stands as well on three. Of all multipliers λ that put the same forces and moments on the bodies, those
with the least Σ λ² are taken, unless a point would have to pull, or to stick with more than friction can do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.contact.response import OPEN, SLIP, STICK
from condyle.contact.shape_pair import RIGID
from condyle.contact.surface import Array
from condyle.system import assembly

if TYPE_CHECKING:
    from condyle.contact.step import ContactStep

MOST = 1500  # multipliers up to which they are shared


def share_forces(step: ContactStep, x: Array) -> None:
    """Replace the multipliers of points that are closed and do not slip, in place; x: where their forces were taken."""
    p, still = step.problem, np.zeros_like(step.x0)
    held, which = [], []
    for k, pair in enumerate(p.pairs):
        if not isinstance(pair, RIGID) or pair.soft or pair.elastic:
            continue
        closed = step.terms[k].response.status
        keeps = np.where((closed == STICK) | ((closed == SLIP) & (pair.friction == 0.0)), closed, OPEN).astype(np.int8)
        if keeps.any():
            held.append(pair.held(keeps, x, still))
            which.append(k)
    count = sum(len(h.points) for h in held)
    if step.system.d < count <= MOST:
        lam = np.concatenate([_along(step.lam(k)[h.points], h.directions) for k, h in zip(which, held, strict=True)])
        gradients = np.concatenate([_on_unknowns(step, x, h.rows, h.gradients) for h in held])
        shared = _smallest(gradients.T, lam)
        if shared is not None:
            _take(step, x, which, [h.points for h in held], [h.directions for h in held], shared)


def _along(lam: Array, directions: Array) -> Array:
    """Multipliers along the directions in which points are held (k,); a single one is already."""
    return lam[:, 0] if lam.shape[1] == 1 else np.asarray(np.sum(lam * directions, axis=1))


def _on_unknowns(step: ContactStep, x: Array, rows: NDArray[np.int64], gradients: Array) -> Array:
    """Forces on rows (k, nr, d) as forces on the unknowns of the system (k, m)."""
    s = step.system
    out, spare = np.zeros((len(rows), s.unknowns)), np.zeros((2, s.n, s.d))
    none = np.zeros((2, s.unknowns))
    for i, (row, gradient) in enumerate(zip(rows, gradients, strict=True)):
        q = np.zeros((s.n, s.d))
        np.add.at(q, row, gradient)
        assembly.project(s.rows, x, q, spare[0], spare[1], out[i], none[0], none[1])
    return out


def _smallest(A: Array, lam: Array) -> Array | None:
    """The shortest multipliers with the same A λ; None where the given ones are the only ones."""
    from scipy.linalg import lstsq

    found, _, rank, _ = lstsq(A, A @ lam, cond=1e-11, lapack_driver="gelsy", check_finite=False)
    return None if rank == len(lam) else np.asarray(found)


def _take(
    step: ContactStep,
    x: Array,
    which: list[int],
    points: list[NDArray[np.int64]],
    directions: list[Array],
    shared: Array,
) -> None:
    """Put the multipliers where they belong, if no point would have to pull or to stick with more than friction can do."""
    new = {}
    for k, mine, along in zip(which, points, directions, strict=True):
        pair, part, shared = step.problem.pairs[k], shared[: len(mine)], shared[len(mine) :]
        assert isinstance(pair, RIGID)
        lam = step.lam(k).copy()
        if lam.shape[1] == 1:
            lam[mine, 0] = part
            if (lam[mine, 0] > 0.0).any():
                return
        else:
            lam[mine] = 0.0
            np.add.at(lam, mine, part[:, None] * along)
            force, normal = lam[mine], pair.kept_normals(x)[mine]
            press = -np.sum(force * normal, axis=1)
            rubs = np.linalg.norm(force + press[:, None] * normal, axis=1)
            if (rubs > pair.friction * press).any():
                return
        new[k] = lam
    for k, lam in new.items():
        step.lam(k)[:] = lam
