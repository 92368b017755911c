"""Parts of a step done many times in compiled code, so that their time is that of the work and not of a call from Python."""

from condyle.integrators.tree_loop import correct, evaluate, factor
from condyle.laws.kernel import kernel
from condyle.system.assembly import assemble_compiled
from condyle.system.linear.block_lu import factor_blocks, solve_blocks
from condyle.system.tables import CONSERVING


@kernel
def assemble_often(times, whole, motion, loads, held, factors, maps, tangent, out):
    """`assemble_compiled` at the mid configuration."""
    for _ in range(times):
        assemble_compiled(whole, motion, loads, held, CONSERVING, CONSERVING, factors, maps, tangent, out)


@kernel
def factor_often(times, schedule, matrix, A, inverse):
    """Factorise a matrix in blocks; A: where its factors are put."""
    for _ in range(times):
        A[:] = matrix
        factor_blocks(schedule, A, inverse)


@kernel
def solve_often(times, schedule, A, inverse, b, x):
    """Solve with the factors of a matrix in blocks."""
    for _ in range(times):
        x[:] = b
        solve_blocks(schedule, A, inverse, x)


@kernel
def balance_often(times, problem, h, amplitudes, w):
    """Balance a tree at an iterate."""
    for _ in range(times):
        evaluate(problem, h, amplitudes, True, w)


@kernel
def eliminate_often(times, problem, h, w):
    """Eliminate Newton's matrix of a tree, and find a correction with it."""
    for _ in range(times):
        factor(problem, h, w)
        correct(problem, w)
