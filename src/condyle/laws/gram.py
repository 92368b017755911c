"""All laws of the Gram matrix behind one call, and the discrete gradient that makes energy–momentum stepping exact."""

import numpy as np
from numba import types

from condyle.laws.derivatives import clear_derivatives
from condyle.laws.kernel import kernel, separate
from condyle.laws.solids import solid_gram
from condyle.laws.table import (
    HAS_BETWEEN,
    HAS_STIFFNESS,
    HAS_VISCOUS,
    QUADRATIC,
    SOLID,
    call_between,
    call_gram,
    call_stiffness,
    call_viscous,
    call_viscous_change,
    has,
)

# Two-point Gauss rule on [0, 1].
_GAUSS = np.array([0.5 - 0.5 / np.sqrt(3.0), 0.5 + 0.5 / np.sqrt(3.0)])


@kernel
def gram_law(code, ny, G, p, S, H):
    """Value of law `code` at G; fills S = ∂/∂G and H = ∂²/∂G∂G."""
    if has(code, SOLID):
        return solid_gram(code, ny, G, p, S, H)
    return call_gram(code, ny, G, p, S, H)


@kernel
def viscous_moduli(code, ny, G, p, S, H):
    """H with the Kelvin–Voigt stress β H:Ġ: ∂²ψ/∂G∂G, but for curvature, whose energy is not quadratic in G."""
    if has(code, HAS_VISCOUS):
        call_viscous(code, ny, G, p, S, H)
    else:
        gram_law(code, ny, G, p, S, H)


@kernel
def viscous_change(code, ny, G, p, S, H):
    """H = ∂(V:Ġ)/∂G over β of laws whose moduli V depend on G (trait "viscous change"); Ġ stands in S before."""
    call_viscous_change(code, ny, G, p, S, H)


@kernel
def strain_stiffness(code, ny, d, y, G, p, H, K):
    """K (ny, d, ny, d) = Jᵀ C⁻¹ J of a law's strains: its stiffness without the part of the present stress, never negative.

    H is ∂²ψ/∂G∂G, of beams overwritten by ∂eᵀ C ∂e; strains linear in G have 4 yᵀ H y. A reeled cable is taken at its
    present length.
    """
    if has(code, HAS_STIFFNESS):
        call_stiffness(code, ny, d, y, G, p, H, K)
        return
    if has(code, HAS_VISCOUS):
        call_viscous(code, ny, G, p, np.zeros((ny, ny)), H)
    for k in range(ny):
        for m in range(ny):
            for a in range(d):
                for b in range(d):
                    K[k, a, m, b] = 0.0
                    for i in range(ny):
                        for j in range(ny):
                            K[k, a, m, b] += 4.0 * y[i, a] * H[k, i, m, j] * y[j, b]


@kernel
def is_quadratic(code, ny):
    """Is the law a polynomial of degree ≤ 2 in G, so that its gradient at the mean G is already exact?

    (Of solids about an axis, whose hoop stretch is an entry of G, none is.)
    """
    return has(code, QUADRATIC) and not (ny == 4 and has(code, SOLID))


@kernel
def discrete_gradient(code, ny, G0, G1, p, S, H, work_g, work_s, work_h):
    """S with S:(G1 − G0) = ψ(G1) − ψ(G0), symmetric in time, and its derivative H = ∂S/∂G1.

    S is the mean of ∂ψ/∂G along the straight line from G0 to G1, by two Gauss points: free of cancellation for small steps.
    Where the step is large enough for the quadrature error to show, Gonzalez's correction along ΔG makes it exact. Joint
    coordinates have quotients in closed form (`chords`).
    Being a function of G alone, the force 2 S y_mid keeps the angular momentum too.
    """
    if is_quadratic(code, ny):
        for i in range(ny):
            for j in range(ny):
                work_g[i, j] = 0.5 * (G0[i, j] + G1[i, j])
        gram_law(code, ny, work_g, p, S, H)
        for i in range(ny):
            for j in range(ny):
                for k in range(ny):
                    for m in range(ny):
                        H[i, j, k, m] *= 0.5
        return
    _along_the_line(code, ny, G0, G1, p, S, H, work_g, work_s, work_h)


_MATRIX, _MODULI = types.Array(types.float64, 2, "C"), types.Array(types.float64, 4, "C")
_READ = types.Array(types.float64, 1, "C", readonly=True)
_TWO = (_MATRIX, _MATRIX)


@separate(types.float64(types.int64, types.int64, *_TWO, _READ, _MATRIX, _MODULI, *_TWO, _MODULI))
def _along_the_line(code, ny, G0, G1, p, S, H, work_g, work_s, work_h):
    """`discrete_gradient` of a law that is not quadratic. Elements take it twice: put in as it stands, the code of an element
    would no longer fit into the processor's memory for instructions."""
    if has(code, HAS_BETWEEN) and call_between(code, ny, G0, G1, p, S, H, work_s, work_h) > 0.0:
        return 0.0
    clear_derivatives(ny, S, H)
    for q in range(2):
        s = _GAUSS[q]
        for i in range(ny):
            for j in range(ny):
                work_g[i, j] = G0[i, j] + s * (G1[i, j] - G0[i, j])
        gram_law(code, ny, work_g, p, work_s, work_h)
        for i in range(ny):
            for j in range(ny):
                S[i, j] += 0.5 * work_s[i, j]
                for k in range(ny):
                    for m in range(ny):
                        H[i, j, k, m] += 0.5 * s * work_h[i, j, k, m]
    square = 0.0
    size = 0.0
    along = 0.0
    for i in range(ny):
        for j in range(ny):
            delta = G1[i, j] - G0[i, j]
            square += delta * delta
            size += G1[i, j] * G1[i, j]
            along += S[i, j] * delta
    if square <= 4e-7 * size:
        return 0.0
    # Gonzalez: S += e ΔG / (ΔG:ΔG), e = ψ1 − ψ0 − S:ΔG;  ∂e/∂G1 = S1 − S − H:ΔG.
    psi0 = gram_law(code, ny, G0, p, work_s, work_h)
    psi1 = gram_law(code, ny, G1, p, work_s, work_h)
    defect = psi1 - psi0 - along
    for k in range(ny):
        for m in range(ny):
            value = work_s[k, m] - S[k, m]
            for i in range(ny):
                for j in range(ny):
                    value -= (G1[i, j] - G0[i, j]) * H[i, j, k, m]
            work_g[k, m] = value / square - 2.0 * defect * (G1[k, m] - G0[k, m]) / (square * square)
    for i in range(ny):
        for j in range(ny):
            delta = G1[i, j] - G0[i, j]
            S[i, j] += defect / square * delta
            for k in range(ny):
                for m in range(ny):
                    H[i, j, k, m] += delta * work_g[k, m]
            H[i, j, i, j] += 0.5 * defect / square
            H[i, j, j, i] += 0.5 * defect / square
    return 0.0
