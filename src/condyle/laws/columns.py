"""Tables that kernels read: named tuples of arrays whose columns are declared once, handed to kernels by address.

    @table
    class Springs(NamedTuple):
        ends: Integers2  # (springs, 2)
        stiffness: Numbers  # (springs,) [N/m]

In Python a table is the named tuple that it is declared as. A kernel gets one address, where a pointer and the sizes of
each column stand; Numba would pass seven numbers for every array of a named tuple, through every call. The type of a
column is that of its annotation, so kernels need not be told it again.
"""

from __future__ import annotations

import sys
from typing import Annotated, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Column",
    "Flags",
    "Integers",
    "Integers2",
    "Numbers",
    "Numbers2",
    "Numbers3",
    "Numbers4",
    "check_columns",
    "table",
]


class Column(NamedTuple):
    """What a column holds: the type of its entries and the number of its axes."""

    dtype: str
    axes: int


Integers = Annotated[NDArray[np.int64], Column("int64", 1)]
Integers2 = Annotated[NDArray[np.int64], Column("int64", 2)]
Numbers = Annotated[NDArray[np.float64], Column("float64", 1)]
Numbers2 = Annotated[NDArray[np.float64], Column("float64", 2)]
Numbers3 = Annotated[NDArray[np.float64], Column("float64", 3)]
Numbers4 = Annotated[NDArray[np.float64], Column("float64", 4)]
Flags = Annotated[NDArray[np.bool_], Column("bool", 1)]

Declared = TypeVar("Declared", bound=type)

_waiting: list[type] = []  # tables declared before Numba was imported


def table(declared: Declared) -> Declared:
    """Declare a named tuple whose columns are arrays, numbers or tables as one that kernels take by address."""
    _waiting.append(declared)
    if "condyle.laws.column_types" in sys.modules:
        tell_numba()
    return declared


def tell_numba() -> None:
    """Make the tables declared so far known to Numba."""
    if _waiting:
        from condyle.laws.column_types import register

        while _waiting:
            register(_waiting.pop())


def check_columns(kind: type, columns: dict[str, Any], values: Any) -> None:
    """Stop with a message where an array is not what its column is declared as."""
    for (name, column), value in zip(columns.items(), values, strict=True):
        if isinstance(column, Column):
            fits = isinstance(value, np.ndarray) and (value.dtype.name, value.ndim) == column
            if not (fits and value.flags.c_contiguous):
                given = (
                    f"{value.dtype.name}, {value.ndim} axes" if isinstance(value, np.ndarray) else type(value).__name__
                )
                raise TypeError(
                    f"column '{name}' of {kind.__name__} is a contiguous array of {column.dtype} "
                    f"with {column.axes} axes, not {given}"
                )
