"""The types of the tables, as Numba names them: what large kernels that are compiled on their own are declared with."""

from numba import types

from condyle.laws.column_types import numba_type
from condyle.system.tables import BodyTable, LawTable, MassTable, Rows, WholeSystem

i1, i2 = (types.Array(types.int64, n, "C") for n in (1, 2))
j1 = types.Array(types.int32, 1, "C")  # of SciPy's sparse matrices
b1 = types.Array(types.boolean, 1, "C")
f1, f2, f3, f4, f5 = (types.Array(types.float64, n, "C") for n in (1, 2, 3, 4, 5))
MAPS = types.Array(types.float64, 3, "C", readonly=True)  # of directors
number, count, flag = types.float64, types.int64, types.boolean

ROWS, LAWS, BODIES, MASS, WHOLE_SYSTEM = (
    numba_type(kind) for kind in (Rows, LawTable, BodyTable, MassTable, WholeSystem)
)


def several(kind: types.Type, how_many: int) -> types.UniTuple:
    """A tuple of so many values of one type."""
    return types.UniTuple(kind, how_many)
