# mypy: disallow-untyped-defs=False, check-untyped-defs=False
"""What compiled code calls of laws of the user's own, and of laws of solids, instead of their functions.

A user's functions get arrays of exactly as many vectors as they take, filled with zeros where they are to be filled: copies
where the given ones are larger. Where they fail or are not defined, the value and the stress are nan.
"""

import math
import re

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from condyle.errors import InputError
from condyle.laws.forms import COUNT, FORCE, GRAM, NUMBER, RATE
from condyle.laws.kernel import FASTMATH, separate

# What compiled code calls of a law of a solid, by pointers: its function with arrays of known sizes.
_ENTRIES = {
    "invariants": ("x, p, n, d, dd", "carray(x, (8,)), carray(p, (n,)), carray(d, (8,)), carray(dd, (8, 8))"),
    "principal": ("c, p, n, w", "c, carray(p, (n,)), carray(w, (3,))"),
    "components": ("C, p, n, S, H", "carray(C, (6,)), carray(p, (n,)), carray(S, (6,)), carray(H, (6, 6))"),
}


def own_entry(law, signature):
    """What is called instead of the function of a user's law; an error if Numba cannot compile that."""
    try:
        function = _native(law, signature)
    except Exception as error:  # Numba's own, and whatever a constant expression of the function raises
        raise InputError(f"law '{law.name}' cannot be compiled: {_shortened(error)}") from error
    if law.kind == "solid":
        return entry_of_solid(law, function)
    return _entry(law, function)


def entry_of_solid(law, function):
    """What is called instead of the function of a solid's law, which is compiled: a function in the same file as the law's own.

    Its machine code is kept on disk under that file, as if it stood there.
    """
    from numba import carray

    given, handed = _ENTRIES[next(form for form in _ENTRIES if form in law.traits or form == "components")]
    text = f"    return law({handed})\n"
    if law.own:
        guarded = f"    try:\n        value = law({handed})\n    except Exception:\n        value = nan\n"
        text = f"    value = nan\n{guarded}    return value\n"
    plain = law.python()
    scope = {"law": function, "carray": carray, "nan": math.nan, "__name__": plain.__module__}
    exec(compile(f"def {plain.__name__}_by_pointers({given}):\n{text}", plain.__code__.co_filename, "exec"), scope)
    return scope[f"{plain.__name__}_by_pointers"]


def _native(law, signature):
    """The function compiled by Numba."""
    arguments = signature.args
    if law.kind == "solid":
        one, two = (types.Array(types.float64, n, "C") for n in (1, 2))
        arguments = (one, one, one, two)
    wanted = (types.void if law.kind in ("force", "rate") else types.float64)(*arguments)
    if hasattr(law.function, "py_func"):  # it is already, with the user's own options
        law.function.compile(wanted)
        return law.function
    return numba.njit(wanted, fastmath=set(FASTMATH), error_model="numpy")(law.function)


# --- between compiled code and a user's function ----------------------------------------------------------------------
# Compiled once and kept on disk, for all of them: a user's function is called by its address, so that a new law costs the
# time for its own few lines.


def _by_address(returned, arguments):
    """What the kernels below call: a function that Numba has compiled, by its address; nan where it raises an error."""

    def generate(context, builder, signature, values):
        callee = builder.inttoptr(values[0], context.call_conv.get_function_type(returned, arguments).as_pointer())
        status, value = context.call_conv.call_function(builder, callee, returned, arguments, values[1:])
        if returned is types.none:
            value = ir.Constant(ir.DoubleType(), 0.0)
        return builder.select(status.is_ok, value, ir.Constant(ir.DoubleType(), math.nan))

    def in_python(address, *given):
        raise NotImplementedError("nothing is compiled")

    # Numba asks for the names of the arguments.
    names = ", ".join(f"a{k}" for k in range(len(arguments)))
    scope = {"signature": NUMBER(COUNT, *arguments), "generate": generate}
    exec(f"def call(typingctx, address, {names}):\n    return signature, generate\n", scope)
    return in_python if getattr(numba.config, "DISABLE_JIT", 0) else intrinsic(scope["call"])


_value_at, _force_at, _rate_at = (
    _by_address(NUMBER, GRAM),
    _by_address(types.none, FORCE),
    _by_address(types.none, RATE),
)


@separate(NUMBER(COUNT, *GRAM))
def own_gram(address, ny, G, p, S, H):
    """A user's energy or constraint of the Gram matrix."""
    if G.shape[0] == ny and S.shape[0] == ny and H.shape[0] == ny:
        S[:] = 0.0
        H[:] = 0.0
        psi = _value_at(address, ny, G, p, S, H)
    else:
        small_s, small_h = np.zeros((ny, ny)), np.zeros((ny, ny, ny, ny))
        psi = _value_at(address, ny, G[:ny, :ny].copy(), p, small_s, small_h)
        S[:ny, :ny] = small_s
        H[:ny, :ny, :ny, :ny] = small_h
    if psi != psi:
        S[:ny, :ny] = math.nan
    return psi


@separate(NUMBER(COUNT, *FORCE))
def own_force(address, ny, d, y, ydot, amplitude, p, f, Ky, Kv):
    """A user's force."""
    small_f, small_y, small_v = np.zeros((ny, d)), np.zeros((ny, d, ny, d)), np.zeros((ny, d, ny, d))
    failed = _force_at(address, ny, d, y[:ny].copy(), ydot[:ny].copy(), amplitude, p, small_f, small_y, small_v)
    if failed != failed:
        small_f[0, 0] = math.nan
    f[:ny] = small_f
    Ky[:ny, :, :ny] = small_y
    Kv[:ny, :, :ny] = small_v
    return 0.0


@separate(NUMBER(COUNT, *RATE))
def own_rate(address, ny, d, y, p, a, K):
    """A user's constraint of velocities."""
    small_a, small_k = np.zeros((ny, d)), np.zeros((ny, d, ny, d))
    failed = _rate_at(address, ny, d, y[:ny].copy(), p, small_a, small_k)
    if failed != failed:
        small_a[0, 0] = math.nan
    a[:ny] = small_a
    K[:ny, :, :ny] = small_k
    return 0.0


def _entry(law, function):
    """What is called instead: one of the above with the address of the function, which it keeps alive."""
    kind, called, returned = {"force": (FORCE, own_force, types.none), "rate": (RATE, own_rate, types.none)}.get(
        law.kind, (GRAM, own_gram, NUMBER)
    )
    made = function.overloads[kind]
    if made.signature.return_type != returned:  # compiled before, by its own types
        function = _of_these_types(function, returned(*kind))
        made = function.overloads[kind]
    names = ", ".join(f"a{k}" for k in range(len(kind)))
    scope = {"called": called, "address": made.library.get_pointer_to_function(made.fndesc.llvm_func_name)}
    exec(f"def entry({names}):\n    return called(address, {names})\n", scope)
    scope["entry"].keeps = function
    return scope["entry"]


def _of_these_types(function, signature):
    """A function that calls a compiled one and returns what is wanted."""
    names = ", ".join(f"a{k}" for k in range(len(signature.args)))
    scope = {"function": function}
    exec(f"def call({names}):\n    return function({names})\n", scope)
    return numba.njit(signature, fastmath=set(FASTMATH), error_model="numpy")(scope["call"])


def _shortened(error):
    """What Numba says, in one line, with the line of the function."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error))
    lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("Failed in nopython")]
    reason = lines[0].rstrip(":") if lines else type(error).__name__
    if reason.startswith("No conversion from none"):
        reason = "it does not return a number"
    elif "Untyped global name" in reason and "function" in reason:
        reason += "; a function that it calls must be compiled by numba.njit"
    elif call := next((line for line in lines if line.startswith(">>>")), ""):
        reason += f" {call.removeprefix('>>>').strip()}"
    place = re.search(r"\bline (\d+)", text)
    return reason + (f" (line {place[1]})" if place else "")
