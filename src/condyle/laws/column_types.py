"""What Numba knows of tables (`columns.py`): their type, how columns are read in kernels, how Python hands them over.

In memory a table is a row of 64-bit words: for an array its address and its sizes, for a number itself, for a table within
the table its words. A kernel holds the address of the first.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.datamodel import models
from numba.core.typing.templates import AttributeTemplate
from numba.extending import (
    NativeValue,
    infer_getattr,
    lower_builtin,
    lower_getattr_generic,
    register_model,
    type_callable,
    typeof_impl,
    unbox,
)
from numba.np.arrayobj import make_array, populate_array

from condyle.laws.columns import Column, check_columns, columns_of

WORD = ir.IntType(64)
DATA = (
    object.__basicsize__
)  # where an array object keeps the address of its numbers; then the number of axes, and its sizes
SIZES = DATA + 16


class TableType(types.Type):
    """The type of a table: that of its declaration."""

    def __init__(self, declared: type, columns: dict[str, Any]) -> None:
        self.declared = declared
        self.columns = columns  # by name: types as Numba names them
        super().__init__(name=f"{declared.__module__}.{declared.__qualname__}")

    @property
    def words(self) -> int:
        """How many words a table takes."""
        return sum(_words(kind) for kind in self.columns.values())

    def place(self, name: str) -> int:
        """The first word of a column."""
        names = list(self.columns)
        return sum(_words(self.columns[n]) for n in names[: names.index(name)])


def _words(kind: Any) -> int:
    if isinstance(kind, TableType):
        return kind.words
    return 1 + kind.ndim if isinstance(kind, types.Array) else 1


@functools.cache
def numba_type(declared: type) -> TableType:
    """The type that Numba knows a table by."""
    return TableType(declared, {name: _column_type(kind) for name, kind in columns_of(declared).items()})


def _column_type(kind: Any) -> Any:
    if isinstance(kind, Column):
        return types.Array(types.boolean if kind.dtype == "bool" else getattr(types, kind.dtype), kind.axes, "C")
    numbers = {int: types.int64, float: types.float64, bool: types.boolean}
    return numbers[kind] if kind in numbers else numba_type(kind)


def register(declared: type) -> None:
    """Let Numba recognise a table by its class."""

    def typeof(value: Any, context: Any) -> TableType:
        check_columns(declared, value)
        return numba_type(declared)

    typeof_impl.register(declared)(typeof)


@register_model(TableType)
class _TableModel(models.PrimitiveModel):
    def __init__(self, manager: Any, kind: Any) -> None:
        super().__init__(manager, kind, WORD.as_pointer())


@infer_getattr
class _TableColumns(AttributeTemplate):
    key = TableType

    def generic_resolve(self, kind: Any, name: str) -> Any:  # type: ignore[override]
        return kind.columns.get(name)


@lower_getattr_generic(TableType)
def _read_column(context: Any, builder: Any, kind: Any, words: Any, name: str) -> Any:
    return _column_at(context, builder, kind.columns[name], words, kind.place(name))


def _word(builder: Any, words: Any, place: int) -> Any:
    return builder.gep(words, [ir.Constant(WORD, place)], inbounds=True)


def _column_at(context: Any, builder: Any, kind: Any, words: Any, place: int) -> Any:
    """The value of a column whose first word stands at `place`."""
    if isinstance(kind, TableType):
        return _word(builder, words, place)
    first = builder.load(_word(builder, words, place))
    if not isinstance(kind, types.Array):
        return _number(builder, kind, first)
    sizes = [builder.load(_word(builder, words, place + 1 + a)) for a in range(kind.ndim)]
    return _array(context, builder, kind, first, sizes)


def _number(builder: Any, kind: Any, word: Any) -> Any:
    if kind == types.boolean:
        return builder.trunc(word, ir.IntType(1))
    return word if kind == types.int64 else builder.bitcast(word, ir.DoubleType())


def _as_word(builder: Any, kind: Any, number: Any) -> Any:
    if kind == types.boolean:
        return builder.zext(number, WORD)
    return number if kind == types.int64 else builder.bitcast(number, WORD)


def _array(context: Any, builder: Any, kind: Any, address: Any, sizes: list[Any]) -> Any:
    """An array of contiguous numbers at an address. Nobody counts references to it: its owner is the caller's."""
    array = make_array(kind)(context, builder)
    item = context.get_abi_sizeof(context.get_data_type(kind.dtype))
    strides = [ir.Constant(WORD, item)]
    for size in reversed(sizes[1:]):
        strides.insert(0, builder.mul(strides[0], size))
    populate_array(
        array, data=builder.inttoptr(address, array.data.type), shape=sizes, strides=strides,
        itemsize=ir.Constant(WORD, item), meminfo=None, parent=None,
    )  # fmt: skip
    return array._getvalue()


@unbox(TableType)
def _from_python(kind: Any, value: Any, c: Any) -> Any:
    words = cgutils.alloca_once(c.builder, WORD, size=ir.Constant(WORD, kind.words))
    _fill(c, kind, value, words, 0)
    return NativeValue(words)


def _fill(c: Any, kind: Any, value: Any, words: Any, place: int) -> None:
    """Write the words of a table from the named tuple that holds its columns until the kernel returns."""
    builder = c.builder
    for k, (name, column) in enumerate(kind.columns.items()):
        item = c.pyapi.tuple_getitem(value, k)  # borrowed
        at = place + kind.place(name)
        if isinstance(column, TableType):
            _fill(c, column, item, words, at)
        elif isinstance(column, types.Array):
            start = builder.ptrtoint(item, WORD)
            builder.store(_load(builder, start, DATA), _word(builder, words, at))
            sizes = _load(builder, start, SIZES)
            for a in range(column.ndim):
                builder.store(_load(builder, sizes, 8 * a), _word(builder, words, at + 1 + a))
        else:
            number = c.unbox(column, item).value
            builder.store(_as_word(builder, column, number), _word(builder, words, at))


def _load(builder: Any, address: Any, offset: int) -> Any:
    place = builder.inttoptr(builder.add(address, ir.Constant(WORD, offset)), WORD.as_pointer())
    return builder.load(place)


def _is_where_arrays_keep_their_address() -> bool:
    """Is an array object laid out as it has been since NumPy 1.0?"""
    import ctypes

    array = np.zeros((2, 3))
    word = ctypes.c_int64.from_address
    sizes = word(id(array) + SIZES).value
    return word(id(array) + DATA).value == array.ctypes.data and [word(sizes + 8 * a).value for a in range(2)] == [2, 3]


if not _is_where_arrays_keep_their_address():
    raise ImportError("this NumPy or Python lays out arrays differently; please report the versions of both")


def cuts(function: Any, declared: type) -> None:
    """Let kernels call `function(table, spans, k)`, as `columns.rows_between` with spans[k] and spans[k + 1].

    The words stand in the memory of the kernel that calls, so it may hand them on, but not return them.
    """
    kind = numba_type(declared)
    more = {name: column.more for name, column in columns_of(declared).items() if isinstance(column, Column)}

    @type_callable(function)
    def typer(context: Any) -> Any:
        def resolve(table: Any, spans: Any, number: Any) -> Any:
            return kind if table == kind else None

        return resolve

    @lower_builtin(function, TableType, types.Array, types.Integer)
    def lower(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        words, spans, number = values
        bounds = make_array(signature.args[1])(context, builder, spans).data
        first, last = (
            builder.load(builder.gep(bounds, [builder.add(number, ir.Constant(number.type, k))])) for k in (0, 1)
        )
        made = cgutils.alloca_once(builder, WORD, size=ir.Constant(WORD, kind.words))
        for name, column in kind.columns.items():
            at = kind.place(name)
            address, size = (builder.load(_word(builder, words, at + a)) for a in (0, 1))
            if more.get(name, -1) >= 0:
                item = context.get_abi_sizeof(context.get_data_type(column.dtype))
                address = builder.add(address, builder.mul(first, ir.Constant(WORD, item)))
                size = builder.add(builder.sub(last, first), ir.Constant(WORD, more[name]))
            builder.store(address, _word(builder, made, at))
            builder.store(size, _word(builder, made, at + 1))
        return made
