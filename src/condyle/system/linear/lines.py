# mypy: disallow-untyped-defs=False, check-untyped-defs=False
"""Lines of small blocks in vector instructions: sparse matrices of b × c blocks times vectors, a line of a block at a time.

    lines = no_lines(shape, val)  # shape: a tuple of b and one of c zeros, so that the compiler knows the size
    for k in range(ptr[i], ptr[i + 1]):
        lines = add_block(lines, val, b * c * k, c, x, c * col[k])
    put_line(y, b * i, totals(lines))

A line is two, four or eight numbers side by side, in single or double precision, of which the first c count. All arrays are in
C order and seen as one line of numbers. Blocks are read in whole vector instructions, and so up to seven numbers beyond their
end, which are multiplied and never summed: arrays of blocks have room behind (`with_room`). Of vectors nothing is read that is
not there.
"""

from typing import Any

import llvmlite.ir as ir
import numba
import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

__all__ = [
    "add_block", "add_columns", "add_product", "line_at", "minus", "no_line", "no_lines", "plus", "prefetch", "put_line",
    "totals", "with_room",
]  # fmt: skip

ROOM = 8  # numbers behind an array of blocks

_PLAIN = bool(getattr(numba.config, "DISABLE_JIT", 0))  # nothing is compiled: kernels are Python
_WORD = ir.IntType(32)
_HOW = ("contract", "nsz")  # a product and a sum may be one instruction; the order of sums stays


def with_room(shape, dtype):
    """Zeros in C order with room behind."""
    size = int(np.prod(shape))
    return np.zeros(size + ROOM, dtype=dtype)[:size].reshape(shape)


class _Line(types.Number):
    """The type of a line: `used` numbers side by side."""

    def __init__(self, number, used):
        self.number, self.used = number, used
        self.width = 2 if used <= 2 else 4 if used <= 4 else 8
        super().__init__(f"line of {used} {number}")

    @property
    def element(self):
        return ir.FloatType() if self.number == types.float32 else ir.DoubleType()

    @property
    def vector(self):
        return ir.VectorType(self.element, self.width)

    @property
    def align(self):
        return 4 if self.number == types.float32 else 8


@register_model(_Line)
class _LineModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, kind.vector)


def _data(context, builder, kind, array):
    return cgutils.create_struct_proxy(kind)(context, builder, array).data


def _places(of):
    return ir.Constant(ir.VectorType(_WORD, len(of)), [ir.Constant(_WORD, k) for k in of])


def _nothing(kind):
    return ir.Constant(kind.vector, [0.0] * kind.width)


def _load(builder, kind, data, at):
    """A line of which up to `width` numbers are read."""
    address = builder.bitcast(builder.gep(data, [at]), kind.vector.as_pointer())
    return builder.load(address, align=kind.align)


def _load_used(builder, kind, data, at):
    """A line of which no more than the `used` numbers are read."""
    exact = ir.VectorType(kind.element, kind.used)
    short = builder.load(builder.bitcast(builder.gep(data, [at]), exact.as_pointer()), align=kind.align)
    zeros = ir.Constant(exact, [0.0] * kind.used)
    return builder.shuffle_vector(short, zeros, _places([min(k, kind.used) for k in range(kind.width)]))


def _fused(builder, total, one, other):
    return builder.fadd(total, builder.fmul(one, other, flags=_HOW), flags=_HOW)


def _total(builder, kind, lines):
    """Of b lines the sum of each, as a line of b numbers."""
    width = 2 if len(lines) <= 2 else 4 if len(lines) <= 4 else 8
    zeros = _nothing(kind)
    left = [
        builder.shuffle_vector(line, zeros, _places([k if k < kind.used else kind.width for k in range(kind.width)]))
        for line in lines
    ]
    have = kind.width
    while have > width:  # fold the upper half onto the lower one
        have //= 2
        nothing = ir.Constant(left[0].type, ir.Undefined)
        halves = [
            [builder.shuffle_vector(line, nothing, _places(range(o, o + have))) for o in (0, have)] for line in left
        ]
        left = [builder.fadd(low, high, flags=_HOW) for low, high in halves]
    zeros = ir.Constant(left[0].type, [0.0] * have)
    left += [zeros] * (width - len(left))
    while have < width:  # lines that are shorter than there are lines are made as long
        left = [
            builder.shuffle_vector(line, ir.Constant(line.type, [0.0] * have), _places(range(2 * have)))
            for line in left
        ]
        have *= 2
    while len(left) > 1:  # neighbours in two lines, until each number is the sum of a line
        left = [
            builder.fadd(
                builder.shuffle_vector(one, other, _places(range(0, 2 * width, 2))),
                builder.shuffle_vector(one, other, _places(range(1, 2 * width, 2))),
                flags=_HOW,
            )
            for one, other in zip(left[::2], left[1::2], strict=True)
        ]
    return left[0]


def _no_line(typingctx, size, array):
    kind = _Line(array.dtype, len(size))
    return kind(size, array), lambda context, builder, signature, args: _nothing(kind)


def _no_lines(typingctx, shape, array):
    kind = _Line(array.dtype, len(shape.types[1]))
    lines = types.UniTuple(kind, len(shape.types[0]))

    def build(context, builder, signature, args):
        return context.make_tuple(builder, lines, [_nothing(kind)] * len(lines))

    return lines(shape, array), build


def _line_at(typingctx, size, array, at):
    kind = _Line(array.dtype, len(size))

    def build(context, builder, signature, args):
        return _load_used(builder, kind, _data(context, builder, array, args[1]), args[2])

    return kind(size, array, types.intp), build


def _put_line(typingctx, array, at, line):
    def build(context, builder, signature, args):
        short = builder.shuffle_vector(args[2], args[2], _places(range(line.used)))
        place = builder.gep(_data(context, builder, array, args[0]), [args[1]])
        builder.store(short, builder.bitcast(place, short.type.as_pointer()), align=line.align)
        return context.get_dummy_value()

    return types.void(array, types.intp, line), build


def _add_product(typingctx, total, one, other):
    return total(total, total, total), lambda context, builder, signature, args: _fused(builder, *args)


def _plus(typingctx, one, other):
    return one(one, one), lambda context, builder, signature, args: builder.fadd(*args, flags=_HOW)


def _minus(typingctx, one, other):
    return one(one, one), lambda context, builder, signature, args: builder.fsub(*args, flags=_HOW)


def _add_block(typingctx, lines, block, first, apart, x, at):
    kind = lines.dtype

    def build(context, builder, signature, args):
        before, data = args[0], _data(context, builder, block, args[1])
        right = _load_used(builder, kind, _data(context, builder, x, args[4]), args[5])
        place, after = args[2], []
        for p in range(len(lines)):
            line = _load(builder, kind, data, place)
            after.append(_fused(builder, builder.extract_value(before, p), line, right))
            place = builder.add(place, args[3])
        return context.make_tuple(builder, lines, after)

    return lines(lines, block, types.intp, types.intp, x, types.intp), build


def _totals(typingctx, lines):
    kind = lines.dtype
    result = _Line(kind.number, len(lines))

    def build(context, builder, signature, args):
        return _total(builder, kind, [builder.extract_value(args[0], p) for p in range(len(lines))])

    return result(lines), build


def _add_columns(typingctx, total, line, block, first):
    def build(context, builder, signature, args):
        found, left, place = args[0], args[1], args[3]
        data = _data(context, builder, block, args[2])
        for q in range(line.used):
            spread = builder.shuffle_vector(left, left, _places([q] * total.width))
            found = _fused(builder, found, spread, _load(builder, total, data, place))
            place = builder.add(place, ir.Constant(place.type, total.used))
        return found

    return total(total, line, block, types.intp), build


def _prefetch(typingctx, array, at):
    def build(context, builder, signature, args):
        byte = ir.IntType(8).as_pointer()
        place = builder.bitcast(builder.gep(_data(context, builder, array, args[0]), [args[1]]), byte)
        kind = ir.FunctionType(ir.VoidType(), [byte, _WORD, _WORD, _WORD])
        how = [ir.Constant(_WORD, k) for k in (0, 3, 1)]  # to read, to keep, data
        builder.call(builder.module.declare_intrinsic("llvm.prefetch", [byte], kind), [place, *how])
        return context.get_dummy_value()

    return types.void(array, types.intp), build


def _in_python_add_block(lines, block, first, apart, x, at):
    flat, c = block.reshape(-1), lines[0].size
    right = x.reshape(-1)[at : at + c]
    return tuple(
        line + flat[first + p * apart : first + p * apart + c] * right for p, line in enumerate(lines)
    )  # fmt: skip


def _in_python_put(array, at, line):
    array.reshape(-1)[at : at + line.size] = line


def _in_python_add_columns(total, line, block, first):
    return total + line @ block.reshape(-1)[first : first + line.size * total.size].reshape(line.size, total.size)


def _called(make: Any, in_python: Any) -> Any:
    """What kernels call."""
    return in_python if _PLAIN else intrinsic(make)


no_line = _called(_no_line, lambda size, array: np.zeros(len(size), array.dtype))
no_lines = _called(_no_lines, lambda shape, array: (np.zeros(len(shape[1]), array.dtype),) * len(shape[0]))
line_at = _called(_line_at, lambda size, array, at: array.reshape(-1)[at : at + len(size)].copy())
put_line = _called(_put_line, _in_python_put)
plus, minus = _called(_plus, np.add), _called(_minus, np.subtract)
add_product = _called(_add_product, lambda total, one, other: total + one * other)
add_block = _called(_add_block, _in_python_add_block)
add_columns = _called(_add_columns, _in_python_add_columns)
totals = _called(_totals, lambda lines: np.array([line.sum() for line in lines], lines[0].dtype))
prefetch = _called(_prefetch, lambda array, at: None)
