"""Redundant constraints in the matrix: what keeps it regular, and how they share their reactions in compiled steps.

Both work on any storage of a matrix, by the places of its entries (`tables.Couplings`).
"""

# Kernels are compiled for the types they are called with.
# mypy: disallow-untyped-defs=False

import numpy as np

from condyle.laws.column_types import numba_type
from condyle.laws.kernel import kernel, separate
from condyle.system.linear.block_lu import factor_blocks, pad_blocks, solve_blocks
from condyle.system.signatures import count, f1, i1
from condyle.system.tables import Couplings, Schedule

REGULARISATION = 1e-8  # multiplier diagonal relative to its Schur complement
SOFTEST = 1e-2  # stiffness that an unknown counts with at least, relative to the largest
PASSES = 30


@kernel
def least_stiffness(couplings, known, A):
    """The stiffness [N/m] that every unknown counts with at least; known: a stiffness that the model has at any rate."""
    largest = known
    for j in range(couplings.all_stiffness.size):
        largest = max(largest, abs(A[couplings.all_stiffness[j]]) / couplings.all_lever[j] ** 2)
    return SOFTEST * largest if largest > 0.0 else 1.0


@kernel
def regularise(couplings, epsilon, known, A):
    """Give each multiplier the diagonal −ε Σ_j A_ij² / k_j: redundant constraints then share their reactions.

    The right-hand side stays exact, so the solution is unchanged where the constraints are independent. k_j is the stiffness
    |A_jj| of an unknown, but at least a hundredth of the largest one of the model: what joints alone hold has none, or the
    round-off of forces that cancel. known: see `least_stiffness`.
    """
    least = least_stiffness(couplings, known, A)
    for i in range(couplings.diagonal.size):
        size = 0.0
        for k in range(couplings.start[i], couplings.start[i + 1]):
            stiffness = max(abs(A[couplings.stiffness[k]]), least * couplings.lever[k] ** 2)
            size += A[couplings.line[k]] ** 2 / stiffness
        A[couplings.diagonal[i]] -= epsilon * size


@kernel
def stiffen(couplings, A):
    """Give every unknown a stiffness of its own: which reactions are the smallest does not depend on it."""
    least = least_stiffness(couplings, 0.0, A)
    for j in range(couplings.all_stiffness.size):
        A[couplings.all_stiffness[j]] += least * couplings.all_lever[j] ** 2


@kernel
def share_reactions(couplings, weights, of, schedule, matrix, A, inverse, u, multipliers):
    """Replace multipliers by those that make the same forces with the least Σ w λ², as `reactions.smallest_reactions` does.

    weights: w of each coupled multiplier, number `of` in `multipliers`; matrix: the tangent in blocks, without the diagonal of
    `regularise`; A, inverse, u: room for factors and a vector. Multipliers stay as they are where no factors are found.
    """
    _share_reactions(couplings, weights, of, schedule, matrix, A, inverse, u, multipliers)


@separate(count(numba_type(Couplings), f1, i1, numba_type(Schedule), f1, f1, f1, f1, f1))
def _share_reactions(couplings, weights, of, schedule, matrix, A, inverse, u, multipliers):
    for k in range(A.size):
        A[k] = matrix[k]
    for i in range(of.size):
        A[couplings.diagonal[i]] = 0.0
    stiffen(couplings, A)
    regularise(couplings, REGULARISATION, 0.0, A)
    size, found = 0.0, 0
    for i in range(of.size):
        tiny = -A[couplings.diagonal[i]]
        if tiny > 0.0 and weights[i] > 0.0:
            size, found = size + np.log(tiny / weights[i]), found + 1
    if found == 0:
        return 0
    size = np.exp(size / found)
    for i in range(of.size):
        A[couplings.diagonal[i]] = -size * weights[i]
    pad_blocks(schedule, A)
    if not factor_blocks(schedule, A, inverse):
        return 0
    shared, before = np.zeros(of.size), np.inf
    for _ in range(PASSES):
        for j in range(u.size):
            u[j] = 0.0
        for i in range(of.size):
            left = multipliers[of[i]] - shared[i]
            for k in range(couplings.start[i], couplings.start[i + 1]):
                u[couplings.unknown[k]] += matrix[couplings.column[k]] * left
        largest = 0.0
        for j in range(u.size):
            largest = max(largest, abs(u[j]))
        if largest == 0.0 or not largest <= 0.5 * before:
            break
        before = largest
        solve_blocks(schedule, A, inverse, u)
        for i in range(of.size):
            shared[i] += u[couplings.multiplier[i]]
    for i in range(of.size):
        multipliers[of[i]] = shared[i]
    return 0
