"""MKL's PARDISO, through the library that the wheel ``pypardiso`` brings: for meshes of any size.

Only imported when it is chosen: loading MKL takes a second.
"""

from __future__ import annotations

import ctypes
import functools
import os
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from condyle.system.linear.kernels import scatter_scaled
from condyle.system.linear.second_opinion import SecondOpinion
from condyle.system.linear.solver import SingularMatrixError, Vector
from condyle.system.linear.threads import OneThread
from condyle.system.pattern import Pattern

__all__ = ["PardisoSolver"]

UNSYMMETRIC, SYMMETRIC_INDEFINITE = 11, -2  # PARDISO's matrix types
ANALYSE_AND_FACTOR, FACTOR, SOLVE, RELEASE = 12, 22, 33, -1  # and its phases

# PARDISO's parameters by their number in the manual (counted from 1). The first one makes it read the others.
PARAMETERS = {
    1: 1,  # parameters are given
    2: 2,  # nested dissection
    8: 1,  # a step of iterative refinement
    10: 13,  # pivots below 1e-13 of the matrix are replaced
    11: 0,  # no scaling beside ours: it would keep the scales of the first matrix
    13: 1,  # permute large entries to the diagonal, which a zero diagonal needs
    18: -1,  # count the entries of the factors
    21: 1,  # pivots of 1×1 and 2×2 blocks in symmetric matrices
    34: 1,  # the same result bit for bit on every run, however many threads there are
    35: 1,  # indices count from 0
}
# In a symmetric matrix pivots are replaced more often: by larger ones, which refinement can repair.
SYMMETRIC_PARAMETERS = {8: 2, 10: 8}
IMPRECISE = 1e-8  # relative error of a known solution above which refinement has failed
SMALL = 100_000  # stored entries up to which one thread is enough
REPLACED_PIVOTS = 14  # number of the parameter that tells how many pivots were replaced
FACTOR_ENTRIES = 18  # how many entries the factors have

ERRORS = {
    -1: "its input is inconsistent",
    -2: "there is not enough memory",
    -3: "it could not find an order of the unknowns",
    -4: "a pivot is zero",
    -7: "the diagonal is singular",
    -8: "the matrix is too large for 32-bit indices",
}


class PardisoSolver(SecondOpinion):
    """Sparse LU (LDLᵀ if symmetric) with pivoting inside dense blocks; too small pivots are replaced, and refined away.

    The order of the unknowns is found with the first matrix, and again if a later one needs more replaced pivots. If
    refinement cannot repair a symmetric factorisation, this and all later matrices are treated as unsymmetric.
    """

    name = "pardiso"

    def __init__(self, pattern: Pattern, *, symmetric: bool = False) -> None:
        super().__init__(pattern, symmetric=symmetric)
        self._rows = pattern.rows()
        self._release: Callable[[], object] = lambda: None
        self.reset()

    def reset(self) -> None:
        """Forget the order of the unknowns; the next matrix will set it."""
        super().reset()
        self._prepare(SYMMETRIC_INDEFINITE if self.symmetric else UNSYMMETRIC)

    def factor_entries(self) -> int:
        """Entries of the last factors."""
        return self._handle.factor_entries()

    def _prepare(self, matrix_type: int) -> None:
        p = self.pattern
        # A symmetric matrix is given by its upper triangle.
        kept = p.indices >= self._rows if matrix_type == SYMMETRIC_INDEFINITE else np.ones(p.nnz, dtype=bool)
        self._place = np.where(kept, np.cumsum(kept) - 1, -1)
        indptr = np.zeros(p.n + 1, dtype=np.int32)
        np.cumsum(np.bincount(self._rows[kept], minlength=p.n), out=indptr[1:])
        self._release()
        self._handle = _Handle(matrix_type, indptr, p.indices[kept].astype(np.int32), one_thread=p.nnz <= SMALL)
        self._release = weakref.finalize(self, self._handle.release)  # when called, replaced, or at the end
        self._analysed = False
        self._replaced_pivots = 0  # when the order was found

    def _factor(self, values: Vector) -> bool:
        p, handle = self.pattern, self._handle
        scatter_scaled(p.indptr, p.indices, values, self._row_scale, self._column_scale, self._place, handle.values)
        if self._analysed:
            handle.run(FACTOR)
        if not self._analysed or handle.replaced_pivots() > self._replaced_pivots:
            handle.run(ANALYSE_AND_FACTOR)
            self._analysed = True
            self._replaced_pivots = handle.replaced_pivots()
            doubtful = True
        else:
            doubtful = handle.replaced_pivots() > 0
        if doubtful and handle.matrix_type == SYMMETRIC_INDEFINITE:
            if np.max(np.abs(self._error_of_known_solution(values))) < IMPRECISE:
                return False
            self._prepare(UNSYMMETRIC)
            return self._factor(values)
        return doubtful

    def _solve(self, rhs: Vector) -> Vector:
        b = np.asfortranarray(rhs)
        x = np.empty_like(b)
        self._handle.run(SOLVE, b, x)
        return x


class _Handle:
    """One matrix inside PARDISO: the arrays it works on, which must not move, and its internal memory."""

    def __init__(
        self, matrix_type: int, indptr: NDArray[np.int32], indices: NDArray[np.int32], *, one_thread: bool
    ) -> None:
        self._pardiso, set_threads = _library_functions()
        self._threads = OneThread(set_threads, active=one_thread, local=True)
        self.matrix_type = matrix_type
        self.values = np.zeros(len(indices))
        self._memory = np.zeros(64, dtype=np.int64)
        self._parameters = np.zeros(64, dtype=np.int32)
        for number, value in (PARAMETERS | SYMMETRIC_PARAMETERS if matrix_type < 0 else PARAMETERS).items():
            self._parameters[number - 1] = value
        self._indptr = indptr
        self._indices = indices
        self._n = len(indptr) - 1
        self._matrix_type = ctypes.c_int32(matrix_type)
        self._one = ctypes.c_int32(1)

    def run(self, phase: int, b: Vector | None = None, x: Vector | None = None) -> None:
        """Run a phase. The last one takes the right-hand side b and fills x, both column after column."""
        columns = 1 if b is None or b.ndim == 1 else b.shape[1]
        error = ctypes.c_int32(0)
        with self._threads:
            self._pardiso(
                _address(self._memory),
                ctypes.byref(self._one),  # factors kept at once
                ctypes.byref(self._one),  # the one of them to use
                ctypes.byref(self._matrix_type),
                ctypes.byref(ctypes.c_int32(phase)),
                ctypes.byref(ctypes.c_int32(self._n)),
                _address(self.values),
                _address(self._indptr),
                _address(self._indices),
                None,  # no order of our own
                ctypes.byref(ctypes.c_int32(columns)),
                _address(self._parameters),
                ctypes.byref(ctypes.c_int32(0)),  # no messages
                None if b is None else _address(b),
                None if x is None else _address(x),
                ctypes.byref(error),
            )
        if error.value in ERRORS:
            raise SingularMatrixError(f"PARDISO failed: {ERRORS[error.value]}")
        if error.value:
            raise SingularMatrixError(f"PARDISO failed with error {error.value}")

    def replaced_pivots(self) -> int:
        return int(self._parameters[REPLACED_PIVOTS - 1])

    def factor_entries(self) -> int:
        return int(self._parameters[FACTOR_ENTRIES - 1])

    def release(self) -> None:
        self.run(RELEASE)


def _address(array: NDArray[Any]) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


@functools.cache
def _library_functions() -> tuple[Callable[..., None], Callable[[int], int]]:
    """MKL's ``pardiso``, and the call that sets the threads of the calling thread; pypardiso knows where MKL is."""
    usual = next(iter(sorted(Path(sys.prefix).glob("[Ll]ib*/*mkl_rt*"))), None)
    if usual is not None:  # or else pypardiso searches the whole environment, which takes half a second
        os.environ.setdefault("PYPARDISO_MKL_RT", str(usual))
    import pypardiso

    library = pypardiso.ps.libmkl
    # By index they are objects of our own, and pypardiso's keep their argument types.
    function, set_threads = library["pardiso"], library["MKL_Set_Num_Threads_Local"]
    function.argtypes = [ctypes.c_void_p] * 16
    function.restype = None
    return function, set_threads
