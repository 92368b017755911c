"""Linear systems: one interface, and behind it the solver that suits the size and shape of the matrix.

    solver = make_solver(pattern)
    solver.factor(values)          # the stored entries, in the order of the pattern
    x = solver.solve(rhs)

Matrices are saddle points: multipliers have a zero or tiny diagonal, so every solver scales and pivots. They are
unsymmetric unless ``symmetric=True`` promises otherwise; nothing is ever symmetrised. A singular matrix raises
``SingularMatrixError`` with an unknown that is not determined, and no solution ever contains a NaN.

| kind           | what it is                                   | for                                       |
|----------------|----------------------------------------------|-------------------------------------------|
| `dense`        | LAPACK getrf                                 | small models                              |
| `band`         | LAPACK gbtrf after reverse Cuthill–McKee     | cables, chains                            |
| `sparse`       | SuperLU of SciPy                             | meshes in the plane, without PARDISO      |
| `multifrontal` | nested dissection, full blocks by LAPACK     | meshes in space, without PARDISO          |
| `pardiso`      | MKL PARDISO of the optional wheel pypardiso  | meshes                                    |
| `amg`          | conjugate gradients or GMRES over multigrid  | large meshes                              |
| `krylov`       | GMRES over the diagonal (not to be asked for) | piles of rigid bodies in soft contact     |
| `auto`         | the fastest of these by the rules below      |                                           |
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError, unknown_name
from condyle.laws.kernel import warmup_task
from condyle.system.linear.lapack import BandSolver, DenseSolver, band_order
from condyle.system.linear.multifrontal import MultifrontalSolver
from condyle.system.linear.solver import LinearSolver, SingularMatrixError, matvec, solve_refined
from condyle.system.linear.sparse import SparseSolver
from condyle.system.pattern import Pattern, build_pattern

__all__ = [
    "KINDS",
    "LinearSolver",
    "Pattern",
    "SingularMatrixError",
    "available_solvers",
    "bordered_solver",
    "make_solver",
    "matvec",
    "mesh_solver",
    "solve_refined",
]

KINDS = ("auto", "dense", "band", "sparse", "multifrontal", "pardiso", "amg")

# What `auto` goes by, from benchmarks/linear_solvers.py on two cores.
TINY = 32  # up to this many unknowns the full matrix costs less than finding a shorter way
SMALL = 200  # up to this many it costs less than any sparse solver
FULL = 0.25  # and always if this much of it is stored
NARROW = 48  # half bandwidth up to which a band beats PARDISO
NARROW_SYMMETRIC = 32  # the same, where PARDISO may use the symmetry
NARROW_FOR_SUPERLU = 100  # half bandwidth up to which a band beats SuperLU
MANY = 8_000  # unknowns of a mesh in space from which multigrid beats factorising
MANY_WITH_BORDER = 30_000  # the same, where there are other unknowns
MOST_OTHERS = 5_000  # of those, up to which the iterations of a tie by multipliers stay below their bound
FILLED = 40  # entries per row from which a matrix is that of a mesh in space
MANY_ENTRIES, MANY_OF_FEW = (
    100_000,
    300_000,
)  # entries from which the multifrontal method beats SuperLU: of such a mesh, of others
SUPPORTED = 3_000  # unknowns of a mesh from which its supports are taken out of the equations


def make_solver(
    pattern: Pattern,
    kind: str = "auto",
    *,
    symmetric: bool = False,
    modes: Callable[[], NDArray[np.float64]] | None = None,
    block: int = 1,
) -> LinearSolver:
    """A solver for matrices with this pattern.

    Parameters
    ----------
    pattern : where the entries are stored
    kind : ``auto``, ``dense``, ``band``, ``sparse``, ``multifrontal``, ``pardiso`` or ``amg``
    symmetric : a promise that all matrices will be symmetric (statics, Newmark), which saves PARDISO half the work
    modes, block : where all unknowns are positions of nodes, ``block`` each: their rigid motions, shape (n, 3 or 6)
    """
    if kind == "amg" or (kind == "auto" and modes is not None and block == 3 and pattern.n >= MANY):
        return _amg(pattern, symmetric, modes, block)
    if kind == "auto":
        return _choose(pattern, symmetric)
    if kind == "dense":
        return DenseSolver(pattern, symmetric=symmetric)
    if kind == "band":
        return BandSolver(pattern, symmetric=symmetric)
    if kind == "sparse":
        return SparseSolver(pattern, symmetric=symmetric)
    if kind == "multifrontal":
        return MultifrontalSolver(pattern, symmetric=symmetric)
    if kind == "pardiso":
        solver = _pardiso(pattern, symmetric)
        if solver is None:
            raise InputError("linear solver 'pardiso' is not installed: pip install 'condyle[pardiso]', or use 'auto'")
        return solver
    raise unknown_name("linear solver", kind, KINDS)


def mesh_solver(
    pattern: Pattern, kind: str, motion: int, modes: Callable[[], NDArray[np.float64]], block: int
) -> LinearSolver:
    """A solver where all unknowns of motion, the first `motion` ones, are positions of nodes, `block` each.

    Where every multiplier holds a single node (rollers, planes of symmetry), they are taken out of the equations before: by
    `amg` always, by `auto` where there are many unknowns.
    """
    if motion == pattern.n:
        return make_solver(pattern, kind, modes=modes, block=block)
    if kind == "amg" or (kind == "auto" and pattern.n >= SUPPORTED):
        from condyle.system.linear.supports import SupportSolver, supported_nodes

        nodes = supported_nodes(pattern, motion, block)
        if nodes is not None:
            return SupportSolver(
                pattern, nodes, block, modes,
                lambda reduced, free: make_solver(reduced, kind, modes=free, block=block),
                lambda: make_solver(pattern, "auto"),
            )  # fmt: skip
    return bordered_solver(pattern, kind, np.arange(0, motion, block), modes, block)


def bordered_solver(
    pattern: Pattern, kind: str, nodes: NDArray[np.int64], modes: Callable[[], NDArray[np.float64]], block: int
) -> LinearSolver:
    """A solver where some unknowns are positions of nodes, and there are others: rigid bodies, multipliers, contact.

    nodes: first unknown of each node, `block` each; modes() gives their rigid motions, shape (unknowns, 3 or 6). Large meshes
    with few other unknowns get multigrid.
    """
    from condyle.system.linear.bordered import BorderedSolver

    large = block == 3 and block * len(nodes) >= MANY_WITH_BORDER and pattern.n - block * len(nodes) <= MOST_OTHERS
    if len(nodes) and (large if kind == "auto" else kind == "amg"):
        return BorderedSolver(pattern, nodes, block, modes, lambda: _choose(pattern, False))
    if kind == "amg":
        raise InputError(
            "linear solver 'amg' is for meshes, and no node of this model has unknowns of its own; use 'auto'"
        )
    return make_solver(pattern, kind)


def available_solvers() -> list[str]:
    """The kinds of linear solvers that are installed, ``auto`` not counted."""
    has_pardiso = importlib.util.find_spec("pypardiso") is not None
    return [kind for kind in KINDS if kind != "auto" and (kind != "pardiso" or has_pardiso)]


@warmup_task
def compile_kernels() -> None:
    """Use every kernel of this folder once."""
    pattern = build_pattern([0], [1], [0, 2], [2, 1], 3).pattern
    for symmetric in (False, True):
        solver = SparseSolver(pattern, symmetric=symmetric)
        solver.factor([2.0, 0.0, 1.0, 0.0, 2.0, 1.0, 1.0, 1.0, 0.0])
        solver.solve(np.ones(3))


def _choose(pattern: Pattern, symmetric: bool) -> LinearSolver:
    n = pattern.n
    if n <= TINY or pattern.nnz > FULL * n * n:
        return DenseSolver(pattern, symmetric=symmetric)
    has_pardiso = "pardiso" in available_solvers()
    narrow = NARROW_FOR_SUPERLU if not has_pardiso else NARROW_SYMMETRIC if symmetric else NARROW
    narrow = min(narrow, n // 3)
    # A row of m entries needs a band of m/2 to each side at least: no need to look for a narrow one in a 3D mesh.
    if np.diff(pattern.indptr).max() <= 2 * narrow + 1:
        order, half = band_order(pattern)
        if half <= narrow:
            return BandSolver(pattern, symmetric=symmetric, order=order)
    if n <= SMALL:
        return DenseSolver(pattern, symmetric=symmetric)
    solver = _pardiso(pattern, symmetric) if has_pardiso else None
    if solver is not None:
        return solver
    many = MANY_ENTRIES if pattern.nnz >= FILLED * n else MANY_OF_FEW
    return (MultifrontalSolver if pattern.nnz >= many else SparseSolver)(pattern, symmetric=symmetric)


def _amg(
    pattern: Pattern, symmetric: bool, modes: Callable[[], NDArray[np.float64]] | None, block: int
) -> LinearSolver:
    from condyle.system.linear.multigrid import MultigridSolver

    if modes is None:
        raise InputError("linear solver 'amg' is for meshes without rigid bodies and joints between nodes; use 'auto'")
    return MultigridSolver(pattern, modes, block, lambda: _choose(pattern, symmetric))


def _pardiso(pattern: Pattern, symmetric: bool) -> LinearSolver | None:
    try:
        from condyle.system.linear.pardiso import PardisoSolver

        return PardisoSolver(pattern, symmetric=symmetric)
    except (ImportError, OSError):  # not installed, or MKL does not load on this machine
        return None
