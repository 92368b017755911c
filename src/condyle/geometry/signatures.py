"""The types of the tables of shapes, as Numba names them: with these, large kernels that are compiled alone are declared."""

from numba import types

from condyle.geometry.kinds import Table, Work
from condyle.laws.column_types import numba_type

b1 = types.Array(types.boolean, 1, "C")
f2, f3 = (types.Array(types.float64, n, "C") for n in (2, 3))
number, count, flag = types.float64, types.int64, types.boolean

SHAPES, WORK = numba_type(Table), numba_type(Work)
