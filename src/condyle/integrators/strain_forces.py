"""The compliant step with strain forces as unknowns, in one sparse matrix whose pattern is found once.

    [ B  Rᵀ ] [du]   [b]
    [ R  −1 ] [z ] = [0]        (B + Rᵀ R) du = b

B: the matrix of the step without strains, R = C^−½ J their rows (`system/assembly/strain_rows.py`), z the scaled strain forces.
A cable couples its neighbours only, so that the cost is linear in its length.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from condyle.system.assembly.strain_rows import strain_count, strain_rows
from condyle.system.linear import LinearSolver, SingularMatrixError, make_solver
from condyle.system.pattern import Pattern
from condyle.system.running import RunningSystem
from condyle.system.tables import DIRECTOR, FREE

Array = NDArray[np.float64]


class StrainForces:
    """The sparse equations of one system."""

    def __init__(self, system: RunningSystem) -> None:
        self.system = system
        line, column, self._taken = _layout(system)
        self.strains = int(line.max(initial=-1)) + 1
        n, own = system.unknowns, system.unknowns + np.arange(self.strains)
        size = n + self.strains
        p = system.pattern
        row = np.concatenate((p.rows(), column, n + line, own)).astype(np.int64)
        other = np.concatenate((p.indices, n + line, column, own)).astype(np.int64)
        keys, self._place = np.unique(row * size + other, return_inverse=True)
        integer: type[np.integer] = np.int32 if keys.size < 2**31 else np.int64
        starts = np.searchsorted(keys // size, np.arange(size + 1)).astype(integer)
        pattern = Pattern(size, starts, (keys % size).astype(integer))
        kind = system.solver_kind if system.solver_kind not in ("block", "amg") else "auto"
        self.solver: LinearSolver = make_solver(pattern, kind)
        self.solver.levers = np.concatenate((system.levers, np.zeros(self.strains)))
        self.solver.least_stiffness = system.least_stiffness
        self._values = np.zeros(_numbers(system))

    def solve(self, A: Array, x: Array, rhs: Array) -> Array:
        """du (unknowns,) of the step: A without strains, x where strains are taken; SingularMatrixError if there is none."""
        strain_rows(self.system.energies, self.system.rows, x, self._values)
        taken = self._values[self._taken]
        entries = np.concatenate((A, taken, taken, np.full(self.strains, -1.0)))
        try:
            self.solver.factor(np.bincount(self._place, weights=entries))
            found = self.solver.solve(np.concatenate((rhs, np.zeros(self.strains))))
        except SingularMatrixError as error:
            if error.unknown is not None and error.unknown >= self.system.unknowns:
                error.unknown = None
            raise
        return np.asarray(found[: self.system.unknowns])


def _numbers(system: RunningSystem) -> int:
    """How many numbers the rows of all strains have, as `strain_rows` fills them."""
    table, d = system.energies, system.d
    strains = np.array([strain_count(int(ny), d) for ny in table.vectors], dtype=np.int64)
    return int(np.sum(strains * np.diff(table.point_start) * np.diff(table.row_start) * d))


def _layout(system: RunningSystem) -> tuple[Any, Any, Any]:
    """Find the strain, the unknown and the place in the list of all, for each number of `strain_rows` in the matrix."""
    table, rows, d = system.energies, system.rows, system.d
    lines, columns, places, at, strain = [], [], [], 0, 0
    turning = 3 if d == 3 else 1
    for i in range(table.law.size):
        mine = table.rows[table.row_start[i] : table.row_start[i + 1]]
        count = strain_count(int(table.vectors[i]), d) * int(table.point_start[i + 1] - table.point_start[i])
        kind, width = rows.kind[mine], np.zeros(len(mine), dtype=np.int64)
        width[kind == FREE], width[kind == DIRECTOR] = d, turning
        there = np.arange(d)[None, :] < width[:, None]  # (rows, d)
        unknown = (rows.unknown[mine][:, None] + np.arange(d))[there]
        numbers = np.arange(count * there.size).reshape(count, -1)[:, there.ravel()]
        lines.append(np.repeat(strain + np.arange(count), unknown.size))
        columns.append(np.tile(unknown, count))
        places.append((at + numbers).ravel())
        at, strain = at + count * there.size, strain + count
    empty = [np.zeros(0, dtype=np.int64)]
    return np.concatenate(lines or empty), np.concatenate(columns or empty), np.concatenate(places or empty)
