"""Laws of the user's own inside the compiled kernels: called by the address of their machine code.

A law of the Gram matrix or a force with the code `USER` has that address as its first parameter (addresses are below 2⁵³,
so a float64 holds them exactly); `laws/user.py` puts it there when a system is compiled. So the kernels, which are kept on
disk, know nothing of any one law.
"""

import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.errors import TypingError
from numba.extending import intrinsic

from condyle.laws.kernel import kernel


@intrinsic
def _call(typingctx, address, arguments):
    """The float64 that the C function at `address` returns; arguments: int64, float64 and C-ordered arrays of float64.

    Of an array its data pointer is passed on.
    """
    for kind in arguments:
        if isinstance(kind, types.Array) and kind.layout != "C":
            raise TypingError(f"a law of one's own is called with {kind}, not an array in C order")

    def generate(context, builder, signature, values):
        number, packed = values
        passed = []
        for k, kind in enumerate(arguments):
            value = builder.extract_value(packed, k)
            passed.append(
                cgutils.create_struct_proxy(kind)(context, builder, value).data
                if isinstance(kind, types.Array)
                else value
            )
        function = ir.FunctionType(ir.DoubleType(), [value.type for value in passed])
        return builder.call(builder.inttoptr(number, function.as_pointer()), passed)

    return types.float64(types.int64, arguments), generate


@kernel
def user_gram_law(ny, G, p, S, H):
    """Value of the law of the Gram matrix at address p[0]; S and H are handed to it as zeros, S is nan where ψ is.

    It gets arrays of exactly ny vectors in C order: copies where the given arrays are larger.
    """
    if G.shape[0] == ny and S.shape[0] == ny and H.shape[0] == ny:
        S[:] = 0.0
        H[:] = 0.0
        value = _call(int(p[0]), (ny, G, p.size - 1, p[1:], S, H))
    else:
        small_s, small_h = np.zeros((ny, ny)), np.zeros((ny, ny, ny, ny))
        value = _call(int(p[0]), (ny, G[:ny, :ny].copy(), p.size - 1, p[1:], small_s, small_h))
        S[:ny, :ny] = small_s
        H[:ny, :ny, :ny, :ny] = small_h
    if np.isnan(value):
        S[:ny, :ny] = np.nan
    return value


@kernel
def user_force_law(ny, d, y, ydot, amplitude, p, f, Ky, Kv):
    """The force law at address p[0], as above; f, Ky and Kv come in as zeros."""
    if y.shape[0] == ny:
        value = _call(int(p[0]), (ny, d, y, ydot, float(amplitude), p.size - 1, p[1:], f, Ky, Kv))
    else:
        small_f, small_y, small_v = np.zeros((ny, d)), np.zeros((ny, d, ny, d)), np.zeros((ny, d, ny, d))
        given = (ny, d, y[:ny].copy(), ydot[:ny].copy(), float(amplitude), p.size - 1, p[1:], small_f, small_y, small_v)
        value = _call(int(p[0]), given)
        f[:ny] = small_f
        Ky[:ny, :, :ny] = small_y
        Kv[:ny, :, :ny] = small_v
    if np.isnan(value):
        f[0, 0] = np.nan
