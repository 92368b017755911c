# mypy: disallow-untyped-defs=False, check-untyped-defs=False
"""How compiled code calls a law: by its number, through the table of all records (`record.py`).

A row of the table holds the addresses of a law's functions, its traits and the sizes of its parameters. The table is a symbol,
so the machine code of its readers can be kept on disk and serves every law. An address is 0 until the law is first called: then
the caller calls back to Python, which compiles the function, or reads its machine code from the disk. So a model compiles only
the laws that it has.
"""

import ctypes
import math

import llvmlite.binding
import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic
from numba.np.arrayobj import populate_array

from condyle.laws.forms import (
    BETWEEN_TWO,
    COUNT,
    FORCE,
    GRAM,
    NUMBER,
    OF_COMPONENTS,
    OF_INVARIANTS,
    OF_STRETCHES,
    POINTER,
    RATE,
    STRAINS,
)
from condyle.laws.kernel import kernel, machine_code
from condyle.laws.own_code import entry_of_solid, own_entry
from condyle.laws.record import (
    BETWEEN,
    BUILT_IN,
    CALL,
    COLUMNS,
    CONSTANTS,
    FAMILIES,
    FLAGS,
    PLANE_STRESS,
    STIFFNESS,
    TABLE,
    TRAITS,
    VISCOUS,
    VISCOUS_CHANGE,
    numbered,
    records,
)

SOLID, INVARIANTS, PRINCIPAL, SPLIT = (TRAITS[name] for name in ("solid", "invariants", "principal", "split"))
BARRIER, QUADRATIC, BAR_FIBRES = (TRAITS[name] for name in ("barrier", "quadratic", "bar fibres"))
HAS_VISCOUS, HAS_BETWEEN, HAS_STIFFNESS = (TRAITS[name] for name in ("viscous", "between", "stiffness"))
HAS_VISCOUS_CHANGE = TRAITS["viscous change"]

_PLAIN = bool(getattr(numba.config, "DISABLE_JIT", 0))  # nothing is compiled: kernels are Python

_COLUMNS = {CALL: "", VISCOUS: "viscous", BETWEEN: "between", STIFFNESS: "stiffness", VISCOUS_CHANGE: "viscous change"}
_kept: list[object] = []  # machine code of all laws: a compiled system may call it as long as the process lives


def compile_law(number, column=CALL):
    """Compile a function of a law now, or read it from the disk; an error if it cannot be compiled."""
    law = numbered(number)
    if TABLE[law.number, column]:
        return
    signature = NUMBER(*_arguments(law, column))
    function = law.python(_COLUMNS[column])
    if law.own:
        function = own_entry(law, signature)
    elif law.kind == "solid":
        function = entry_of_solid(law, kernel(function))
    code = machine_code(function, signature, cached=not law.own)
    _kept.append(code)
    TABLE[law.number, column] = code.address


def compile_all():
    """Compile every function of the laws of the package."""
    for law in records(BUILT_IN):
        for column, name in _COLUMNS.items():
            if not name or name in law.more:
                compile_law(law.number, column)


def _arguments(law, column):
    if column != CALL:
        return {VISCOUS: GRAM, BETWEEN: BETWEEN_TWO, STIFFNESS: STRAINS, VISCOUS_CHANGE: GRAM}[column]
    if law.kind != "solid":
        return {"force": FORCE, "rate": RATE}.get(law.kind, GRAM)
    return OF_INVARIANTS if "invariants" in law.traits else OF_STRETCHES if "principal" in law.traits else OF_COMPONENTS


_call_back = ctypes.CFUNCTYPE(None, ctypes.c_int64, ctypes.c_int64)(compile_law)
llvmlite.binding.add_symbol("condyle_laws", TABLE.ctypes.data)
llvmlite.binding.add_symbol("condyle_compile_law", ctypes.cast(_call_back, ctypes.c_void_p).value or 0)


def _place(builder, number, column):
    """Pointer to an entry of the table."""
    nothing = ir.FunctionType(ir.VoidType(), [])
    table = cgutils.get_or_insert_function(builder.module, nothing, "condyle_laws")  # no function, but found like one
    row = builder.and_(number, ir.Constant(number.type, PLANE_STRESS - 1))
    at = builder.add(builder.mul(row, ir.Constant(number.type, COLUMNS)), ir.Constant(number.type, column))
    return builder.gep(builder.bitcast(table, number.type.as_pointer()), [at])


def _reader(column):
    """What kernels read: an entry of the table, by the number of a law."""

    @intrinsic
    def read(typingctx, number):
        def generate(context, builder, signature, values):
            return builder.load(_place(builder, values[0], column))

        return COUNT(COUNT), generate

    return (lambda number: int(TABLE[number % PLANE_STRESS, column])) if _PLAIN else read


def _caller(column, arguments):
    """What kernels call: a function of a law, by its number."""

    def generate(context, builder, signature, values):
        kinds = [context.get_value_type(kind) for kind in arguments]
        pointer = ir.FunctionType(ir.DoubleType(), kinds).as_pointer()
        place = _place(builder, values[0], column)
        with builder.if_then(cgutils.is_null(builder, builder.load_atomic(place, "acquire", 8)), likely=False):
            word = values[0].type
            kind = ir.FunctionType(ir.VoidType(), [word, word])
            call_back = cgutils.get_or_insert_function(builder.module, kind, "condyle_compile_law")
            builder.call(call_back, [values[0], ir.Constant(word, column)])
        address = builder.load_atomic(place, "acquire", 8)
        return builder.call(builder.inttoptr(address, pointer), values[1:])

    def in_python(number, *given):
        law = numbered(number)
        sizes = () if law.kind != "solid" else (2,)  # that of p, which an array knows
        return law.python(_COLUMNS[column])(*(value for k, value in enumerate(given) if k not in sizes))

    if _PLAIN:
        return in_python
    # Numba asks for the names of the arguments.
    names = ", ".join(f"a{k}" for k in range(len(arguments)))
    scope = {"signature": NUMBER(COUNT, *arguments), "generate": generate}
    exec(f"def call(typingctx, number, {names}):\n    return signature, generate\n", scope)
    return intrinsic(scope["call"])


flags, own_parameters, families = _reader(FLAGS), _reader(CONSTANTS), _reader(FAMILIES)
call_gram, call_force, call_rate = _caller(CALL, GRAM), _caller(CALL, FORCE), _caller(CALL, RATE)
call_invariants, call_stretches = _caller(CALL, OF_INVARIANTS), _caller(CALL, OF_STRETCHES)
call_components = _caller(CALL, OF_COMPONENTS)
call_viscous, call_between = _caller(VISCOUS, GRAM), _caller(BETWEEN, BETWEEN_TWO)
call_stiffness, call_viscous_change = _caller(STIFFNESS, STRAINS), _caller(VISCOUS_CHANGE, GRAM)


@kernel(forceinline=True)
def has(number, trait):
    """Has the law this trait?"""
    return flags(number) & trait != 0


@intrinsic
def _data(typingctx, array):
    def generate(context, builder, signature, values):
        return cgutils.create_struct_proxy(array)(context, builder, values[0]).data

    return POINTER(array), generate


pointer = (lambda array: array) if _PLAIN else _data  # to the numbers of an array in C order


def stack(*shape):
    """A function that gives kernels an array of this shape to work on, not set: without an allocation.

    It lives until the function returns that asked for it.
    """
    kind = types.Array(NUMBER, len(shape), "C")
    steps = [8 * math.prod(shape[k + 1 :]) for k in range(len(shape))]

    @intrinsic
    def numbers(typingctx):
        def generate(context, builder, signature, values):
            array = context.make_array(kind)(context, builder)
            sizes, strides = ([context.get_constant(types.intp, value) for value in given] for given in (shape, steps))
            width = context.get_constant(types.intp, 8)
            data = cgutils.alloca_once(builder, ir.DoubleType(), size=math.prod(shape))
            populate_array(array, data=data, shape=sizes, strides=strides, itemsize=width, meminfo=None)
            return array._getvalue()

        return kind(), generate

    return (lambda: np.empty(shape)) if _PLAIN else numbers
