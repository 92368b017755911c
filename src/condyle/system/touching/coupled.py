"""Couples of rigid shapes whose products have no place in the matrix: many bodies that press each other softly.

The matrix of a pile is F + T. F has what each body has by itself, all of its contacts included, and what springs and joints
add; it is factorised in blocks (`system/linear/block_lu.py`) and hardly fills. T has the products of one body of a couple with
the other. It changes with every couple that begins or ends to press, so it has no pattern, and is of the order of h² k/m
beside F. GMRES (saad-1986) solves (1 + F⁻¹ T) u = F⁻¹ b in a dozen products, whatever the number of bodies.
"""

import numpy as np

from condyle.laws.column_types import numba_type
from condyle.laws.kernel import kernel, separate
from condyle.system.linear.block_lu import solve_blocks
from condyle.system.linear.krylov import begin_basis, combine_basis, extend_basis, left_over
from condyle.system.signatures import count, f1
from condyle.system.tables import Schedule
from condyle.system.touching.tables import COUPLED, Touching

MOST = 60  # vectors of a basis
ROUNDS = 4  # in which what is left is solved for again
PRECISE = 1e-9  # what is left of the residual
ROOM = MOST + 3  # vectors


@separate(count(numba_type(Touching), numba_type(Schedule), count, f1, f1, f1))
def solve_coupled(touch, schedule, motion, A, inverse, u):
    """u = F⁻¹ b → (F + T)⁻¹ b with the factors of F in A; 1 if that took few products, else 0.

    motion: numbers of u that are motion. Only these are iterated: what multipliers hold follows. Each is weighed by √F_ii, so
    that residuals are measured by energies, whatever the units.
    """
    if touch.flags[COUPLED] == 0:
        return 1
    m, blocks, H, turns = touch.meeting, touch.flags[COUPLED], np.zeros((MOST + 1, MOST)), np.zeros((3, MOST + 1))
    V, weight, product = m.basis[: MOST + 1], m.basis[MOST + 1], m.basis[MOST + 2]
    for k in range(schedule.pivot.size):
        for a in range(schedule.size):
            at = schedule.diagonal[k] + (schedule.size + 1) * a
            weight[schedule.size * schedule.pivot[k] + a] = np.sqrt(abs(A[at]))
    found = np.zeros(motion)
    for i in range(motion):
        V[0, i] = weight[i] * u[i]
    size = 0.0
    for round_ in range(ROUNDS):
        left, k = begin_basis(V, motion, turns), 0
        size = left if round_ == 0 else size
        while k < MOST and left_over(turns, k) > PRECISE * size:
            for i in range(motion):
                V[k + 1, i] = V[k, i] / weight[i]
            _answer(m, blocks, schedule, A, inverse, V[k + 1], product)
            for i in range(motion):
                V[k + 1, i] = V[k, i] + weight[i] * product[i]
            if not extend_basis(V, motion, k, H, turns):
                return 0
            k += 1
        done, more = left_over(turns, k) <= PRECISE * size, V[MOST]
        combine_basis(V, motion, k, H, turns, more)
        for i in range(motion):
            found[i] += more[i] / weight[i]
        if done and motion == u.size:
            break
        _answer(m, blocks, schedule, A, inverse, found, product)
        if done:
            break
        for i in range(motion):
            V[0, i] = weight[i] * (u[i] - found[i] - product[i])
    else:
        return 0
    for i in range(u.size):
        u[i] = found[i] if i < motion else u[i] - product[i]
    return 1


@kernel
def _answer(m, blocks, schedule, A, inverse, v, out):
    """out = F⁻¹ T v."""
    _multiply(m, blocks, v, out)
    solve_blocks(schedule, A, inverse, out)


@kernel
def _multiply(m, blocks, v, out):
    """out = T v."""
    nc = m.column.shape[1]
    for i in range(out.size):
        out[i] = 0.0
    for b in range(blocks):
        product, c = m.product[b], m.coupled[b]
        for side in range(2):
            to, of = m.column[m.on[m.couple[c, 1 - side]]], m.column[m.on[m.couple[c, side]]]
            for i in range(nc):
                if to[i] >= 0:
                    value, at = 0.0, (nc * side + i) * nc
                    for j in range(nc):
                        if of[j] >= 0:
                            value += product[at + j] * v[of[j]]
                    out[to[i]] += value
