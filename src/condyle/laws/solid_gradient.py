# mypy: disallow-untyped-defs=False, check-untyped-defs=False
"""The discrete gradient of a solid's law in six components: what `gram.discrete_gradient` is for the Gram matrix of any law."""

import numpy as np
from numba import carray, types

from condyle.laws.kernel import kernel, separate
from condyle.laws.solids import six_law
from condyle.laws.table import QUADRATIC, has, pointer, stack

# Two-point Gauss rule on [0, 1].
_GAUSS = np.array([0.5 - 0.5 / np.sqrt(3.0), 0.5 + 0.5 / np.sqrt(3.0)])
_POINTER = types.CPointer(types.float64)
_six, _moduli = stack(6), stack(6, 6)


@kernel(forceinline=True)
def law_of_step(number, size, conserving, C0, C1, p, S, H):
    """S and H of a law at the end of a step, C1, or conserving between its start and its end."""
    if conserving:
        six_gradient(number, size, C0, C1, p, S, H)
    else:
        six_law(number, size, C1, p, S, H)


@kernel
def six_gradient(number, size, C0, C1, p, S, H):
    """S with S:(C1 − C0) = ψ(C1) − ψ(C0), and H = ∂S/∂C1, up to `size`: 6, or 4 in plane strain (as `six_law`)."""
    return _six_gradient(number, size, pointer(C0), pointer(C1), pointer(p), p.size, pointer(S), pointer(H))


@separate(types.float64(types.int64, types.int64, _POINTER, _POINTER, _POINTER, types.int64, _POINTER, _POINTER))
def _six_gradient(number, size, at_start, at_end, at_p, count_p, at_s, at_h):
    C0, C1, p = carray(at_start, (6,)), carray(at_end, (6,)), carray(at_p, (count_p,))
    S, H = carray(at_s, (6,)), carray(at_h, (6, 6))
    C, s, h = _six(), _six(), _moduli()
    if has(number, QUADRATIC):
        for i in range(6):
            C[i] = 0.5 * (C0[i] + C1[i])
        psi = six_law(number, size, C, p, S, H)
        for i in range(size):
            for j in range(size):
                H[i, j] *= 0.5
        return psi
    for q in range(2):
        share = _GAUSS[q]
        for i in range(6):
            C[i] = C0[i] + share * (C1[i] - C0[i])
        six_law(number, size, C, p, s, h)
        for i in range(size):
            S[i] = 0.5 * s[i] if q == 0 else S[i] + 0.5 * s[i]
            for j in range(size):
                H[i, j] = 0.5 * share * h[i, j] if q == 0 else H[i, j] + 0.5 * share * h[i, j]
    square = length = along = 0.0
    for i in range(size):
        if size == 4 and i == 2:
            continue  # C₃₃ = 1 in plane strain is no entry of the Gram matrix
        both = 1.0 if i < 3 else 2.0
        delta = C1[i] - C0[i]
        square += both * delta * delta
        length += both * C1[i] * C1[i]
        along += both * S[i] * delta
    if square <= 4e-7 * length:
        return 0.0
    # Gonzalez: S += e ΔC / (ΔC:ΔC), e = ψ1 − ψ0 − S:ΔC;  ∂e/∂C1 = S1 − S − H:ΔC.
    psi = six_law(number, size, C0, p, s, h)
    psi = six_law(number, size, C1, p, s, h) - psi
    defect = (psi - along) / square
    for j in range(size):
        value = s[j] - S[j]
        for i in range(size):
            value -= (1.0 if i < 3 else 2.0) * (C1[i] - C0[i]) * H[i, j]
        C[j] = (value - 2.0 * defect * (C1[j] - C0[j])) / square
    for i in range(size):
        delta = C1[i] - C0[i]
        S[i] += defect * delta
        for j in range(size):
            H[i, j] += delta * C[j]
        H[i, i] += defect if i < 3 else 0.5 * defect
    return psi
