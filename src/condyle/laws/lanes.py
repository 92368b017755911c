# mypy: disallow-untyped-defs=False, check-untyped-defs=False
"""Eight numbers side by side, which the processor's vector instructions work on together.

    total = no_lanes()
    for k in range(n):
        total = add_scaled(total, weight[k], lanes_at(lines, 8 * k))
    put_lanes(out, 0, total)

Left to itself the compiler takes such sums number by number: for all that it knows arrays may overlap, and it does not look
for equal lines of code side by side. Lanes are values like numbers, so that sums of them stay in registers. They are for arrays
in C order, seen as one line of numbers; nobody checks that eight of them are there. The compiler divides them into as many
instructions as the processor needs.
"""

import llvmlite.ir as ir
import numba
import numpy as np
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

__all__ = [
    "LANES", "absolute", "add_product", "add_scaled", "four_twice", "lanes_at", "no_lanes", "put_lanes", "sum_of_lanes",
    "two_by_four",
]  # fmt: skip

LANES = 8

_PLAIN = bool(getattr(numba.config, "DISABLE_JIT", 0))  # nothing is compiled: kernels are Python
_VECTOR = ir.VectorType(ir.DoubleType(), LANES)
_UNARY = ir.FunctionType(_VECTOR, [_VECTOR])
_WORD = ir.IntType(32)
_HOW = ("contract", "nsz")  # a product and a sum may be one instruction; the order of sums stays


class _Lanes(types.Number):
    """The type of eight numbers side by side."""


@register_model(_Lanes)
class _LanesModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        super().__init__(manager, kind, _VECTOR)


_lanes = _Lanes("lanes")


def _compiled(generate, result, *arguments):
    """What kernels call, of what makes its instructions from (builder, values)."""

    def made(given):
        def build(context, builder, signature, values):
            passed = []
            for kind, value in zip(signature.args, values, strict=True):
                array = isinstance(kind, types.Array)
                passed.append(cgutils.create_struct_proxy(kind)(context, builder, value).data if array else value)
            return generate(builder, *passed)

        kinds = [kind if wanted is None else wanted for kind, wanted in zip(given, arguments, strict=True)]
        return result(*kinds), build

    names = "".join(f"a{k}, " for k in range(len(arguments)))  # Numba asks for the names of the arguments
    scope = {"made": made}
    exec(f"def call(typingctx, {names}):\n    return made(({names}))\n", scope)
    return intrinsic(scope["call"])


def _address(builder, data, at):
    return builder.bitcast(builder.gep(data, [at]), _VECTOR.as_pointer())


def _load(builder, data, at):
    return builder.load(_address(builder, data, at), align=8)


def _load_twice(builder, data, at):
    half = ir.VectorType(ir.DoubleType(), LANES // 2)
    four = builder.load(builder.bitcast(builder.gep(data, [at]), half.as_pointer()), align=8)
    return builder.shuffle_vector(four, ir.Constant(half, ir.Undefined), _places([*range(LANES // 2)] * 2))


def _store(builder, data, at, lanes):
    builder.store(lanes, _address(builder, data, at), align=8)
    return ir.Constant(ir.IntType(64), 0)


def _zeros(builder):
    return ir.Constant(_VECTOR, [0.0] * LANES)


def _spread(builder, number):
    one = builder.insert_element(ir.Constant(_VECTOR, ir.Undefined), number, ir.Constant(_WORD, 0))
    return builder.shuffle_vector(one, ir.Constant(_VECTOR, ir.Undefined), _places([0] * LANES))


def _two_by_four(builder, first, second):
    nothing = ir.Constant(_VECTOR, ir.Undefined)
    both = builder.insert_element(nothing, first, ir.Constant(_WORD, 0))
    both = builder.insert_element(both, second, ir.Constant(_WORD, 1))
    return builder.shuffle_vector(both, nothing, _places([0] * 4 + [1] * 4))


def _places(of):
    return ir.Constant(ir.VectorType(_WORD, len(of)), [ir.Constant(_WORD, k) for k in of])


def _add_scaled(builder, total, factor, lanes):
    return builder.fadd(total, builder.fmul(_spread(builder, factor), lanes, flags=_HOW), flags=_HOW)


def _add_product(builder, total, lanes, others):
    return builder.fadd(total, builder.fmul(lanes, others, flags=_HOW), flags=_HOW)


def _absolute(builder, lanes):
    return builder.call(cgutils.get_or_insert_function(builder.module, _UNARY, f"llvm.fabs.v{LANES}f64"), [lanes])


def _sum(builder, lanes):
    count = LANES
    while count > 1:
        count //= 2
        nothing = ir.Constant(lanes.type, ir.Undefined)
        low, high = (builder.shuffle_vector(lanes, nothing, _places(range(o, o + count))) for o in (0, count))
        lanes = builder.fadd(low, high, flags=_HOW)
    return builder.extract_element(lanes, ir.Constant(_WORD, 0))


def _put_in_python(array, at, lanes):
    array.reshape(-1)[at : at + LANES] = lanes
    return 0


def _sum_in_python(lanes):
    while lanes.size > 1:
        lanes = lanes[: lanes.size // 2] + lanes[lanes.size // 2 :]
    return float(lanes[0])


_number, _count = types.float64, types.int64
if _PLAIN:
    no_lanes = lambda: np.zeros(LANES)  # noqa: E731
    lanes_at = lambda array, at: array.reshape(-1)[at : at + LANES].copy()  # noqa: E731
    four_twice = lambda array, at: np.tile(array.reshape(-1)[at : at + 4], 2)  # noqa: E731
    two_by_four = lambda first, second: np.repeat([first, second], 4)  # noqa: E731
    put_lanes, sum_of_lanes, absolute = _put_in_python, _sum_in_python, np.abs
    add_scaled = add_product = lambda total, factor, lanes: total + factor * lanes
else:
    no_lanes = _compiled(_zeros, _lanes)
    lanes_at = _compiled(_load, _lanes, None, _count)
    four_twice = _compiled(_load_twice, _lanes, None, _count)
    two_by_four = _compiled(_two_by_four, _lanes, _number, _number)
    put_lanes = _compiled(_store, _count, None, _count, _lanes)
    add_scaled = _compiled(_add_scaled, _lanes, _lanes, _number, _lanes)
    add_product = _compiled(_add_product, _lanes, _lanes, _lanes, _lanes)
    absolute = _compiled(_absolute, _lanes, _lanes)
    sum_of_lanes = _compiled(_sum, _number, _lanes)
