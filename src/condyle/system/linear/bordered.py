"""Meshes with a border: nodes, by multigrid, and the other unknowns: rigid bodies, multipliers of joints, ties and contact.

With N the unknowns of nodes and R the rest, the matrix and what stands for its inverse in GMRES are

    | A  B |          y = S⁻¹ r_R,    z = M (r_N − B y)
    | C  D |,

M being a multigrid cycle, nearly A⁻¹, and S = D − C diag(A)⁻¹ B. With exact A⁻¹ and S two iterations would do (murphy-2000).
S couples a multiplier of a tie with its neighbours alone, so it is factorised as a sparse matrix where it is large. The
iterations of a tie grow as the square root of the nodes along its side, for diag(A)⁻¹ knows nothing of what is behind a node.
What holds a mesh may stand in the border alone; then A is singular, and its coarsest system gets a little stiffness of its own.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lu_factor, lu_solve
from scipy.sparse import bsr_matrix, csr_matrix
from scipy.sparse.linalg import splu

from condyle.system.linear.iterations import gmres
from condyle.system.linear.kernels import scatter_scaled
from condyle.system.linear.lines import with_room
from condyle.system.linear.mesh_part import MeshPart
from condyle.system.linear.multigrid import ACCURACY, MeshSolver
from condyle.system.linear.solver import LinearSolver, Vector
from condyle.system.linear.threads import OneThread, openblas_of_scipy
from condyle.system.pattern import Pattern

__all__ = ["BorderedSolver"]

MOST_FULL = 300  # other unknowns up to which S is factorised as a full matrix
ODD = 0.01  # share of unknowns of nodes that may have a negative stiffness, as some have where contact curves

Whole = NDArray[np.int64]


class BorderedSolver(MeshSolver):
    """GMRES with multigrid for nodes and factors of S for the rest.

    nodes: first unknown of each node, `block` each; modes() gives their rigid motions, shape (unknowns, 3 or 6).
    """

    def __init__(
        self,
        pattern: Pattern,
        nodes: Whole,
        block: int,
        modes: Callable[[], Vector],
        direct: Callable[[], LinearSolver],
    ) -> None:
        super().__init__(pattern, direct)
        self._modes = modes
        self._mine = (np.sort(nodes)[:, None] + np.arange(block)).ravel()
        inside = np.zeros(pattern.n, dtype=bool)
        inside[self._mine] = True
        self._rest = np.flatnonzero(~inside)
        self._layout(inside)
        if MeshPart.fits(self._of_nodes, block):
            self.mesh = MeshPart(self._of_nodes, block, self._scaled_modes)

    def _layout(self, inside: NDArray[np.bool_]) -> None:
        """Where entries stand in the four parts, which lie one after the other in one array."""
        p, n, m = self.pattern, len(self._mine), len(self._rest)
        number = np.zeros(p.n, dtype=np.int64)
        number[self._mine], number[self._rest] = np.arange(n), np.arange(m)
        row, column = p.rows(), p.indices
        part = np.where(inside[row], np.where(inside[column], 0, 1), np.where(inside[column], 2, 3))
        self._place = np.empty(p.nnz, dtype=np.int64)
        self._ends = np.concatenate(([0], np.cumsum(np.bincount(part, minlength=4))))
        shapes = []
        for k in range(4):
            own = np.flatnonzero(part == k)
            self._place[own] = self._ends[k] + np.arange(len(own))
            lines = n if k < 2 else m
            indptr = np.concatenate(([0], np.cumsum(np.bincount(number[row[own]], minlength=lines))))
            shapes.append((number[column[own]].astype(np.int32), indptr.astype(np.int32)))
        self._of_nodes = Pattern(n, shapes[0][1], shapes[0][0])
        self._border = shapes[1:]
        self._parts = with_room(p.nnz, np.float64)

    def _scaled_modes(self) -> Vector:
        return self._modes()[self._mine] / self._column_scale[self._mine][:, None]

    def _prepare(self, mesh: MeshPart) -> bool:
        p, n, m = self.pattern, len(self._mine), len(self._rest)
        self._scale(self._values)
        scales = self._row_scale, self._column_scale
        scatter_scaled(p.indptr, p.indices, self._values, *scales, self._place, self._parts)
        a, b, c, d = (self._parts[self._ends[k] : self._ends[k + 1]] for k in range(4))
        diagonal = (self._values[self._diagonal] * scales[0] * scales[1])[self._mine]
        if np.count_nonzero(diagonal <= 0.0) > ODD * n:
            return False
        if not mesh.refresh(a, diagonal):
            return False
        self._B = csr_matrix((b, *self._border[0]), shape=(n, m))
        self._C = csr_matrix((c, *self._border[1]), shape=(m, n))
        self._D = csr_matrix((d, *self._border[2]), shape=(m, m))
        nodes = np.arange(n // mesh.block + 1)
        soft = bsr_matrix((mesh.inverse_diagonal, nodes[:-1], nodes), shape=(n, n)).tocsr()
        return self._take_complement(self._D - self._C @ (soft @ self._B))

    def _take_complement(self, S: Any) -> bool:
        """Factorise S, as a full matrix or, where it is large, as a sparse one. False if it is singular."""
        if S.shape[0] > MOST_FULL:
            try:
                factors = splu(
                    S.tocsc(), permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.1, options={"SymmetricMode": True}
                )
            except RuntimeError:  # a pivot is zero
                return False
            self._solve_rest: Callable[[Vector], Vector] = factors.solve
            return True
        with OneThread(openblas_of_scipy()), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a singular matrix is seen from its factors
            full = lu_factor(S.toarray(), check_finite=False)
        self._solve_rest = lambda r: lu_solve(full, r, check_finite=False)
        pivots = np.abs(np.diag(full[0]))
        return bool(np.isfinite(full[0]).all() and (pivots > 0.0).all())

    def _iterate(self, mesh: MeshPart, b: Vector) -> tuple[Vector | None, int]:
        n, rhs = len(self._mine), self._row_scale * b
        found, count = gmres(
            self._times, self._precondition, np.concatenate((rhs[self._mine], rhs[self._rest])), ACCURACY
        )
        if found is None:
            return None, count
        x = np.empty_like(b)
        x[self._mine], x[self._rest] = found[:n], found[n:]
        return self._column_scale * x, count

    def _times(self, x: Vector, y: Vector) -> None:
        assert self.mesh is not None
        n = len(self._mine)
        self.mesh.times(x[:n], y[:n])
        y[:n] += self._B @ x[n:]
        y[n:] = self._C @ x[:n] + self._D @ x[n:]

    def _precondition(self, r: Vector) -> Vector:
        assert self.mesh is not None
        n = len(self._mine)
        z = np.empty_like(r)
        z[n:] = self._solve_rest(r[n:])
        z[:n] = self.mesh.cycle(r[:n] - self._B @ z[n:])
        return z
