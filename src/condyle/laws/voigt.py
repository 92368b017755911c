# mypy: disallow-untyped-defs=False, check-untyped-defs=False
"""Laws of a solid in space in six components: S = ∂ψ/∂C and H = ∂²ψ/∂C∂C in the order 11, 22, 33, 12, 13, 23.

The same energies as in `hyperelastic.py`, for the element kernel that most of a solid's time is spent in. H is symmetric; a
component with two different indices stands for one of the pair, so sums over it count twice.
"""

import numpy as np

from condyle.laws.codes import FIBRES, MOONEY_RIVLIN, NEO_HOOKEAN, ROBUST, ST_VENANT_KIRCHHOFF, YEOH
from condyle.laws.hyperelastic import isotropic
from condyle.laws.kernel import kernel


@kernel
def has_voigt_law(code, p):
    """Is the law written here? (averaged dilatations have a pressure of their own)"""
    if code in (ST_VENANT_KIRCHHOFF, NEO_HOOKEAN, ROBUST):
        return True
    return code in (MOONEY_RIVLIN, YEOH, FIBRES) and p[1] < 0.5


@kernel
def voigt_law(code, C, p, S, H, tangent):
    """Fills S (6) and, if `tangent`, H (6, 6) at C (6); NaN where det C ≤ 0."""
    c0, c1, c2, c3, c4, c5 = C[0], C[1], C[2], C[3], C[4], C[5]
    trace = c0 + c1 + c2
    if code == ST_VENANT_KIRCHHOFF:
        lam, mu = p[0], p[1]
        pressure = 0.25 * lam * (trace - 3.0)
        S[0], S[1], S[2] = (
            pressure + 0.5 * mu * (c0 - 1.0), pressure + 0.5 * mu * (c1 - 1.0), pressure + 0.5 * mu * (c2 - 1.0)
        )  # fmt: skip
        S[3], S[4], S[5] = 0.5 * mu * c3, 0.5 * mu * c4, 0.5 * mu * c5
        if tangent:
            for i in range(6):
                for j in range(6):
                    H[i, j] = 0.25 * lam if i < 3 and j < 3 else 0.0
                H[i, i] += 0.5 * mu if i < 3 else 0.25 * mu
        return
    i0, i1, i2 = c1 * c2 - c5 * c5, c0 * c2 - c4 * c4, c0 * c1 - c3 * c3
    i3, i4, i5 = c4 * c5 - c3 * c2, c3 * c5 - c4 * c1, c3 * c4 - c5 * c0
    det = c0 * i0 + c3 * i3 + c4 * i4
    if not det > 0.0:
        S[0] = np.nan
        return
    i0, i1, i2, i3, i4, i5 = i0 / det, i1 / det, i2 / det, i3 / det, i4 / det, i5 / det
    J = np.sqrt(det)
    shear = c3 * c3 + c4 * c4 + c5 * c5
    square = c0 * c0 + c1 * c1 + c2 * c2 + 2.0 * shear
    strain = (c0 - 1.0) ** 2 + (c1 - 1.0) ** 2 + (c2 - 1.0) ** 2 + 2.0 * shear
    _, a = isotropic(code, trace, 0.5 * (trace * trace - square), strain, J, p)
    a1, a2, aJ, a11, a1J, a2J, aJJ = a
    half = 0.5 * J
    first = a1 + a2 * trace
    third = aJ * half
    S[0], S[1], S[2] = first - a2 * c0 + third * i0, first - a2 * c1 + third * i1, first - a2 * c2 + third * i2
    S[3], S[4], S[5] = third * i3 - a2 * c3, third * i4 - a2 * c4, third * i5 - a2 * c5
    if tangent:
        # ½ (C⁻¹_ik C⁻¹_jm + C⁻¹_im C⁻¹_jk), times −a_J J/2
        k = -third
        H[0, 0], H[0, 1], H[0, 2] = k * i0 * i0, k * i3 * i3, k * i4 * i4
        H[0, 3], H[0, 4], H[0, 5] = k * i0 * i3, k * i0 * i4, k * i3 * i4
        H[1, 1], H[1, 2], H[1, 3] = k * i1 * i1, k * i5 * i5, k * i3 * i1
        H[1, 4], H[1, 5], H[2, 2] = k * i3 * i5, k * i1 * i5, k * i2 * i2
        H[2, 3], H[2, 4], H[2, 5] = k * i4 * i5, k * i4 * i2, k * i5 * i2
        k *= 0.5
        H[3, 3], H[3, 4], H[3, 5] = k * (i0 * i1 + i3 * i3), k * (i0 * i5 + i4 * i3), k * (i3 * i5 + i4 * i1)
        H[4, 4], H[4, 5], H[5, 5] = k * (i0 * i2 + i4 * i4), k * (i3 * i2 + i4 * i5), k * (i1 * i2 + i5 * i5)
        if a2 != 0.0:  # a₂ (1 ⊗ 1 − identity)
            H[0, 1] += a2
            H[0, 2] += a2
            H[1, 2] += a2
            H[3, 3] -= 0.5 * a2
            H[4, 4] -= 0.5 * a2
            H[5, 5] -= 0.5 * a2
        # what multiplies ∂I₁ = 1, ∂I₂ = I₁ 1 − C and ∂J = ½ J C⁻¹ of the other pair
        ones = (a11, a1J * half, a2J * half, aJJ * half * half + 0.5 * third)
        _products(H, 0, 1.0, trace - c0, i0, ones, c0, c1, c2, c3, c4, c5, trace, i0, i1, i2, i3, i4, i5)
        _products(H, 1, 1.0, trace - c1, i1, ones, c0, c1, c2, c3, c4, c5, trace, i0, i1, i2, i3, i4, i5)
        _products(H, 2, 1.0, trace - c2, i2, ones, c0, c1, c2, c3, c4, c5, trace, i0, i1, i2, i3, i4, i5)
        _products(H, 3, 0.0, -c3, i3, ones, c0, c1, c2, c3, c4, c5, trace, i0, i1, i2, i3, i4, i5)
        _products(H, 4, 0.0, -c4, i4, ones, c0, c1, c2, c3, c4, c5, trace, i0, i1, i2, i3, i4, i5)
        _products(H, 5, 0.0, -c5, i5, ones, c0, c1, c2, c3, c4, c5, trace, i0, i1, i2, i3, i4, i5)
        for i in range(1, 6):
            for j in range(i):
                H[i, j] = H[j, i]
    if code == FIBRES:
        _add_fibres(C, p, S, H, tangent)


@kernel(forceinline=True)
def _products(H, row, d1, d2, dJ, ones, c0, c1, c2, c3, c4, c5, trace, i0, i1, i2, i3, i4, i5):
    """H[row, row:] += a₁₁ 1⊗1 + a_1J (1⊗∂J + ∂J⊗1) + a_2J (∂I₂⊗∂J + ∂J⊗∂I₂) + (a_JJ + a_J/J) ∂J⊗∂J."""
    b1 = ones[0] * d1 + ones[1] * dJ
    b2 = ones[2] * dJ
    bJ = ones[1] * d1 + ones[2] * d2 + ones[3] * dJ
    if row <= 0:
        H[row, 0] += b1 + b2 * (trace - c0) + bJ * i0
    if row <= 1:
        H[row, 1] += b1 + b2 * (trace - c1) + bJ * i1
    if row <= 2:
        H[row, 2] += b1 + b2 * (trace - c2) + bJ * i2
    if row <= 3:
        H[row, 3] += bJ * i3 - b2 * c3
    if row <= 4:
        H[row, 4] += bJ * i4 - b2 * c4
    H[row, 5] += bJ * i5 - b2 * c5


@kernel
def _add_fibres(C, p, S, H, tangent):
    """W(λ) along a unit vector, as `_fibres` of hyperelastic.py."""
    n0, n1, n2 = p[7], p[8], p[9]
    A = (n0 * n0, n1 * n1, n2 * n2, n0 * n1, n0 * n2, n1 * n2)
    square = A[0] * C[0] + A[1] * C[1] + A[2] * C[2] + 2.0 * (A[3] * C[3] + A[4] * C[4] + A[5] * C[5])
    stretch = np.sqrt(square)
    if stretch <= 1.0:
        return
    c, rate, end = p[4], p[5], p[6]
    toe = min(stretch, end)
    rise = np.exp(rate * (toe - 1.0))
    force = c * (rise - 1.0) + c * rate * rise * (stretch - toe)
    first = 0.5 * force / stretch
    second = 0.25 * (c * rate * rise - force / stretch) / square
    for i in range(6):
        S[i] += first * A[i]
        if tangent:
            for j in range(6):
                H[i, j] += second * A[i] * A[j]
