"""The linear equations of compiled steps, in blocks: factors, corrections, and how redundant constraints share reactions."""

from condyle.integrators.step_tables import C_SCALE, Q_NOISE, Q_SCALE, C, Q
from condyle.laws.kernel import kernel
from condyle.system.linear.block_lu import factor_blocks, pad_blocks, solve_blocks
from condyle.system.linear.sharing import REGULARISATION, regularise, share_reactions


@kernel(inline="always")
def assembled(w):
    """What an assembly fills."""
    return (
        w.rows[Q], w.rows[Q_SCALE], w.rows[Q_NOISE], w.vectors[0], w.vectors[1], w.vectors[2], w.held[C], w.held[C_SCALE],
        w.A,
    )  # fmt: skip


@kernel
def factorise(problem, w):
    """The matrix that was assembled, with what keeps redundant constraints regular; False if a pivot is lost."""
    regularise(problem.redundant.couplings, REGULARISATION, 0.0, w.A)
    pad_blocks(problem.schedule, w.A)
    return factor_blocks(problem.schedule, w.A, w.inverse)


@kernel
def correct(schedule, place, motion, r, c, A, inverse, du):
    """du = −A⁻¹ (r, c) with the factors at hand."""
    for i in range(du.size):
        du[i] = -r[i] if i < motion else 0.0
    for k in range(place.size):
        if place[k] >= 0:
            du[place[k]] = -c[k]
    solve_blocks(schedule, A, inverse, du)


@kernel
def share(problem, w, multipliers):
    """Share the reactions of redundant constraints, with the last matrix that was kept."""
    redundant = problem.redundant
    if redundant.multiplier.size:
        share_reactions(
            redundant.couplings, redundant.weight, redundant.multiplier, problem.schedule, w.tangent, w.A, w.inverse,
            w.vectors[3], multipliers,
        )  # fmt: skip
