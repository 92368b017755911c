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

import functools
import sys
import typing
from typing import Annotated, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Column", "EachFlag", "EachInteger", "EachNumber", "Flags", "Integers", "Integers2", "Numbers", "Numbers2", "Numbers3",
    "Numbers4", "Starts", "check_columns", "columns_of", "empty_table", "rows_between", "table",
]  # fmt: skip


class Column(NamedTuple):
    """What a column holds: the type of its entries and the number of its axes.

    more: where it has an entry for each row of the table, how many more than rows; −1 where it is not laid out by rows.
    """

    dtype: str
    axes: int
    more: int = -1


Integers = Annotated[NDArray[np.int64], Column("int64", 1)]
Integers2 = Annotated[NDArray[np.int64], Column("int64", 2)]
Numbers = Annotated[NDArray[np.float64], Column("float64", 1)]
Numbers2 = Annotated[NDArray[np.float64], Column("float64", 2)]
Numbers3 = Annotated[NDArray[np.float64], Column("float64", 3)]
Numbers4 = Annotated[NDArray[np.float64], Column("float64", 4)]
Flags = Annotated[NDArray[np.bool_], Column("bool", 1)]

# Columns with an entry for each row of the table, and those that say where the entries of each row begin in another column.
EachInteger = Annotated[NDArray[np.int64], Column("int64", 1, more=0)]
EachNumber = Annotated[NDArray[np.float64], Column("float64", 1, more=0)]
EachFlag = Annotated[NDArray[np.bool_], Column("bool", 1, more=0)]
Starts = Annotated[NDArray[np.int64], Column("int64", 1, more=1)]

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


@functools.cache
def columns_of(declared: type) -> dict[str, Any]:
    """What each column of a table is declared as: a `Column`, a table, or a type of numbers."""
    hints = typing.get_type_hints(declared, include_extras=True)
    return {name: getattr(kind, "__metadata__", (kind,))[0] for name, kind in hints.items()}


def empty_table(declared: Any) -> Any:
    """A table whose columns have no entries, with tables in it likewise; its numbers are zero."""
    values = {}
    for name, column in columns_of(declared).items():
        if isinstance(column, Column):
            values[name] = np.zeros((0,) * column.axes, dtype=column.dtype)
        else:
            values[name] = empty_table(column) if hasattr(column, "_fields") else column(0)
    return declared(**values)


def rows_between(values: Any, first: int, last: int) -> Any:
    """The table of its rows from `first` to `last`; columns that are not laid out by rows stay whole."""
    cut = list(values)
    for k, more in _laid_out(values.__class__):
        cut[k] = cut[k][first : last + more]
    return values.__class__(*cut)


@functools.cache
def _laid_out(declared: type) -> tuple[tuple[int, int], ...]:
    """The columns that are laid out by rows, by their numbers, each with how many entries it has beyond its rows."""
    columns = enumerate(columns_of(declared).values())
    return tuple((k, column.more) for k, column in columns if isinstance(column, Column) and column.more >= 0)


def check_columns(kind: type, values: Any) -> None:
    """Stop with a message where an array is not what its column is declared as."""
    for (name, column), value in zip(columns_of(kind).items(), values, strict=True):
        if hasattr(column, "_fields") and not isinstance(column, Column):  # a table within the table
            check_columns(column, value)
        elif isinstance(column, Column):
            fits = isinstance(value, np.ndarray) and (value.dtype.name, value.ndim) == column[:2]
            if not (fits and value.flags.c_contiguous):
                given = (
                    f"{value.dtype.name}, {value.ndim} axes" if isinstance(value, np.ndarray) else type(value).__name__
                )
                raise TypeError(
                    f"column '{name}' of {kind.__name__} is a contiguous array of {column.dtype} "
                    f"with {column.axes} axes, not {given}"
                )
