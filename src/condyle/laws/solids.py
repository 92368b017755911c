# mypy: disallow-untyped-defs=False, check-untyped-defs=False
"""Laws of solids: from what a material says of its energy to stress and stiffness, wherever it acts.

A law is written once, in one of three ways, and knows nothing of elements, planes or axes:

- invariants: W(x) of x = (I₁ − 3, I₂ − 3, J, E, I₄ of each family of fibres), E = tr (C − 1)², in which it is linear,
  I₄ = n·C n. It fills d = ∂W/∂x and dd = ∂²W/∂x∂x, which come in as zeros. Where it splits, x has Ī₁ = J^(−2/3) I₁ and
  Ī₂ = J^(−4/3) I₂, less 3, and, with the trait 'bar fibres', Ī₄ = J^(−2/3) I₄, and W is the energy of the shape alone.
- principal: Σ_a w(c̄_a) of the values c̄ = J^(−2/3) c of C̄; it fills w, dw/dc̄ and d²w/dc̄².
- components: ψ, S = ∂ψ/∂C and H = ∂²ψ/∂C∂C of C in six components.

Here C, S and H have six components, in the order 11, 22, 33, 12, 13, 23; one with two different indices stands for one of the
pair, so sums over it count twice. In a plane, 13 and 23 are zero and left out (`size` 4 instead of 6). From the law in space
follow, for the gathered vectors of the Gram matrix:

- 1 or 2 vectors: the others stay as they are, C₃₃ = 1 (plane strain).
- 2 vectors, number + PLANE_STRESS: C₃₃ such that S₃₃ = 0, found by iteration at the point.
- 4 vectors, about an axis: y_0, y_1 the columns of F in the meridian plane, y_2 = x/R, y_3 the radial direction e_r (a
  fixed row), so that the hoop stretch r/R is y_2·y_3 and C₃₃ = (y_2·y_3)².

Laws that split have p = (κ, mean, p̄, their own …): the volume adds U(J), or p̄ J where the dilatation is that of the whole
element (mean = 1) and p̄ its pressure.
"""

import numpy as np
from numba import carray, types

from condyle.laws.derivatives import clear_derivatives
from condyle.laws.kernel import kernel, separate
from condyle.laws.record import PLANE_STRESS
from condyle.laws.table import (
    BAR_FIBRES,
    BARRIER,
    INVARIANTS,
    PRINCIPAL,
    QUADRATIC,
    SPLIT,
    call_components,
    call_invariants,
    call_stretches,
    families,
    flags,
    has,
    own_parameters,
    pointer,
    stack,
)
from condyle.laws.volume import volume_energy

VOLUME = 3  # parameters of the volume before a law's own: bulk modulus, mean, pressure
_PAIR = np.array([[0, 3, 4], [3, 1, 5], [4, 5, 2]])  # where (i, j) is among the six components
_READ = types.Array(types.float64, 1, "C", readonly=True)
_MATRIX, _MODULI = (types.Array(types.float64, n, "C") for n in (2, 4))
_POINTER = types.CPointer(types.float64)
# Work arrays: of invariants (four, and those of up to four families of fibres) and pairs of them, of fibres, of components.
_invariants, _pairs, _fibres = stack(8), stack(8, 8), stack(4, 6)
_six, _moduli = stack(6), stack(6, 6)


@kernel
def has_mean_dilatation(number, p):
    """Is it a law of C̄ whose pressure comes from the mean dilatation of its element?"""
    return has(number, SPLIT) and p[1] > 0.5


NEAR = 0.1  # deformations so close to none are told from it with all digits


# --- six components ---------------------------------------------------------------------------------------------------


@kernel
def six_law(number, size, C, p, S, H):
    """ψ at C (6); fills S and H up to `size`, 6 or in a plane 4. NaN where det C ≤ 0 and the law has a barrier there."""
    return _six_law(number, size, pointer(C), pointer(p), p.size, pointer(S), pointer(H))


@separate(types.float64(types.int64, types.int64, _POINTER, _POINTER, types.int64, _POINTER, _POINTER))
def _six_law(number, size, at_c, at_p, count_p, at_s, at_h):
    C, p, S, H = carray(at_c, (6,)), carray(at_p, (count_p,)), carray(at_s, (6,)), carray(at_h, (6, 6))
    trait = flags(number)
    if trait & (INVARIANTS | PRINCIPAL) == 0:
        return call_components(number, at_c, at_p, count_p, at_s, at_h)
    c0, c1, c2, c3, c4, c5 = C[0], C[1], C[2], C[3], C[4], C[5]
    i0 = i1 = i2 = i3 = i4 = i5 = 0.0
    J = 1.0
    if trait & BARRIER:
        i0, i1, i2 = c1 * c2 - c5 * c5, c0 * c2 - c4 * c4, c0 * c1 - c3 * c3
        i3, i4, i5 = c4 * c5 - c3 * c2, c3 * c5 - c4 * c1, c3 * c4 - c5 * c0
        det = c0 * i0 + c3 * i3 + c4 * i4
        if not det > 0.0:
            for i in range(size):
                S[i] = np.nan
            return np.nan
        i0, i1, i2, i3, i4, i5 = i0 / det, i1 / det, i2 / det, i3 / det, i4 / det, i5 / det
        J = np.sqrt(det)
    own = p[VOLUME:] if trait & SPLIT else p
    x, d, a, aa = _invariants(), _invariants(), _invariants(), _pairs()
    count = families(number)
    log_J = np.log(J) if trait & SPLIT else 0.0
    # The same lines for each number of families that is usual, so that loops over them are written out by the compiler.
    if count == 0:
        psi = _by_invariants(number, trait, 0, C, J, log_J, own, x, d, a, aa)
    elif count == 1:
        psi = _by_invariants(number, trait, 1, C, J, log_J, own, x, d, a, aa)
    else:
        psi = _by_invariants(number, trait, count, C, J, log_J, own, x, d, a, aa)
    if trait & SPLIT:
        if p[1] > 0.5:
            psi += p[2] * J
            a[2] += p[2]
        else:
            U, dU, ddU = volume_energy(p[0], J, log_J)
            psi += U
            a[2] += dU
            aa[2, 2] += ddU
    if trait & (BARRIER | QUADRATIC) == QUADRATIC:
        _of_trace_and_strain(C, a[0], a[3], aa[0, 0], S, H)
        return psi
    trace = c0 + c1 + c2
    a1, a2, aE = a[0], a[1], a[3]
    half = 0.5 * J
    first = a1 + a2 * trace - 2.0 * aE
    third = a[2] * half
    other = 2.0 * aE - a2  # what multiplies C itself
    S[0], S[1], S[2] = first + other * c0 + third * i0, first + other * c1 + third * i1, first + other * c2 + third * i2
    S[3] = third * i3 + other * c3
    # ½ (C⁻¹_ik C⁻¹_jm + C⁻¹_im C⁻¹_jk), times −a_J J/2
    k = -third
    H[0, 0], H[0, 1], H[0, 2], H[0, 3] = k * i0 * i0, k * i3 * i3, k * i4 * i4, k * i0 * i3
    H[1, 1], H[1, 2], H[1, 3] = k * i1 * i1, k * i5 * i5, k * i3 * i1
    H[2, 2], H[2, 3], H[3, 3] = k * i2 * i2, k * i4 * i5, 0.5 * k * (i0 * i1 + i3 * i3)
    # a₂ (1 ⊗ 1 − identity) + 2 a_E identity
    H[0, 0] += 2.0 * aE
    H[1, 1] += 2.0 * aE
    H[2, 2] += 2.0 * aE
    H[0, 1] += a2
    H[0, 2] += a2
    H[1, 2] += a2
    H[3, 3] += aE - 0.5 * a2
    # what multiplies ∂I₁ = 1, ∂I₂ = I₁ 1 − C and ∂J = ½ J C⁻¹ of the other pair
    b = (aa[0, 0], aa[0, 1], aa[1, 1], aa[0, 2] * half, aa[1, 2] * half, aa[2, 2] * half * half + 0.5 * third)
    _products(H, 0, size, 1.0, trace - c0, i0, b, c0, c1, c2, c3, c4, c5, trace, i0, i1, i2, i3, i4, i5)
    _products(H, 1, size, 1.0, trace - c1, i1, b, c0, c1, c2, c3, c4, c5, trace, i0, i1, i2, i3, i4, i5)
    _products(H, 2, size, 1.0, trace - c2, i2, b, c0, c1, c2, c3, c4, c5, trace, i0, i1, i2, i3, i4, i5)
    _products(H, 3, size, 0.0, -c3, i3, b, c0, c1, c2, c3, c4, c5, trace, i0, i1, i2, i3, i4, i5)
    if size == 6:
        S[4], S[5] = third * i4 + other * c4, third * i5 + other * c5
        H[0, 4] += k * i0 * i4
        H[0, 5] += k * i3 * i4
        H[1, 4] += k * i3 * i5
        H[1, 5] += k * i1 * i5
        H[2, 4] += k * i4 * i2
        H[2, 5] += k * i5 * i2
        H[3, 4] += 0.5 * k * (i0 * i5 + i4 * i3)
        H[3, 5] += 0.5 * k * (i3 * i5 + i4 * i1)
        H[4, 4] = 0.5 * k * (i0 * i2 + i4 * i4) + aE - 0.5 * a2
        H[4, 5] = 0.5 * k * (i3 * i2 + i4 * i5)
        H[5, 5] = 0.5 * k * (i1 * i2 + i5 * i5) + aE - 0.5 * a2
        _products(H, 4, size, 0.0, -c4, i4, b, c0, c1, c2, c3, c4, c5, trace, i0, i1, i2, i3, i4, i5)
        _products(H, 5, size, 0.0, -c5, i5, b, c0, c1, c2, c3, c4, c5, trace, i0, i1, i2, i3, i4, i5)
    if size == 6:
        _mirror(6, H)
    else:
        _mirror(4, H)
    if count == 1 and size == 6:
        _add_fibres(6, 1, C, (i0, i1, i2, i3, i4, i5), half, trace, own[own_parameters(number) :], a, aa, S, H)
    elif count > 0:
        _add_fibres(size, count, C, (i0, i1, i2, i3, i4, i5), half, trace, own[own_parameters(number) :], a, aa, S, H)
    if trait & PRINCIPAL:
        psi += _by_stretches(number, size, C, J, own, S, H)
    if np.isnan(psi):
        S[0] = np.nan
    return psi


@kernel(forceinline=True)
def _mirror(size, H):
    """The lower half of H is the upper one."""
    for i in range(1, size):
        for j in range(i):
            H[i, j] = H[j, i]


@kernel(forceinline=True)
def _products(H, row, size, d1, d2, dJ, b, c0, c1, c2, c3, c4, c5, trace, i0, i1, i2, i3, i4, i5):
    """H[row, row:] += Σ a_kl ∂I_k ⊗ ∂I_l over I₁, I₂ and J, with (a_JJ + a_J/J) for the last; 13 and 23 are set, not added."""
    b1 = b[0] * d1 + b[1] * d2 + b[3] * dJ
    b2 = b[1] * d1 + b[2] * d2 + b[4] * dJ
    bJ = b[3] * d1 + b[4] * d2 + b[5] * dJ
    if row <= 0:
        H[row, 0] += b1 + b2 * (trace - c0) + bJ * i0
    if row <= 1:
        H[row, 1] += b1 + b2 * (trace - c1) + bJ * i1
    if row <= 2:
        H[row, 2] += b1 + b2 * (trace - c2) + bJ * i2
    if row <= 3:
        H[row, 3] += bJ * i3 - b2 * c3
        if size == 6:
            H[row, 4] = bJ * i4 - b2 * c4
            H[row, 5] = bJ * i5 - b2 * c5
    elif row == 4:
        H[row, 4] += bJ * i4 - b2 * c4
        H[row, 5] += bJ * i5 - b2 * c5
    else:
        H[row, 5] += bJ * i5 - b2 * c5


@kernel(fastmath=False, forceinline=True)
def _above_three(c0, c1, c2, shear):
    """I₁ − 3 and I₂ − 3. Near C = 1 + e with the digits of e; were the sums reordered, only those of 3 would be left."""
    e0, e1, e2 = c0 - 1.0, c1 - 1.0, c2 - 1.0
    if max(abs(e0), abs(e1), abs(e2)) < NEAR:
        trace = e0 + e1 + e2
        return trace, 2.0 * trace + (e0 * e1 + e0 * e2 + e1 * e2 - shear)
    return c0 + c1 + c2 - 3.0, c0 * c1 + c0 * c2 + c1 * c2 - shear - 3.0


@kernel(fastmath=False, forceinline=True)
def _shape_above_three(c0, c1, c2, shear, J, log_J, x):
    """x ← Ī₁ − 3, Ī₂ − 3 from I₁ − 3, I₂ − 3, in the same way: with e = r − 1, r² − 1 = e (2 + e); returns r = J^(−2/3).

    With t = 1/r, t³ = J²: e = (1 − t)/t = (1 − J) (1 + J)/(t (1 + t + t²)), which has the digits of 1 − J. Far from J = 1 these
    sums would cancel, and the invariants themselves have the digits.
    """
    t = np.exp(2.0 / 3.0 * log_J)
    r = 1.0 / t
    e = (1.0 - J) * (1.0 + J) / (t * (1.0 + t + t * t))
    if abs(e) < NEAR:
        x[0] = r * x[0] + 3.0 * e
        x[1] = r * r * x[1] + 3.0 * e * (2.0 + e)
    else:
        x[0] = r * (c0 + c1 + c2) - 3.0
        x[1] = r * r * (c0 * c1 + c0 * c2 + c1 * c2 - shear) - 3.0
    return r


@kernel(forceinline=True)
def _by_invariants(number, trait, count, C, J, log_J, own, x, d, a, aa):
    """W, and its derivatives a and aa by (I₁, I₂, J, E, I₄ …): by the chain rule, where the law is one of barred invariants.

    With x̄_k = J^(−e_k) x_k: a_k = W_k J^(−e_k), a_J = −Σ e_k W_k x̄_k/J, and so on. Zeros for a law of stretches.
    """
    n = 4 + count
    for k in range(n):
        a[k] = 0.0
        for m in range(n):
            aa[k, m] = 0.0
    if trait & INVARIANTS == 0:
        return 0.0
    c0, c1, c2, c3, c4, c5 = C[0], C[1], C[2], C[3], C[4], C[5]
    shear = c3 * c3 + c4 * c4 + c5 * c5
    x[0], x[1] = _above_three(c0, c1, c2, shear)
    x[2] = J
    x[3] = (c0 - 1.0) ** 2 + (c1 - 1.0) ** 2 + (c2 - 1.0) ** 2 + 2.0 * shear
    at = own_parameters(number)
    for k in range(count):
        n0, n1, n2 = own[at + 3 * k], own[at + 3 * k + 1], own[at + 3 * k + 2]
        x[4 + k] = n0 * n0 * c0 + n1 * n1 * c1 + n2 * n2 * c2 + 2.0 * (n0 * n1 * c3 + n0 * n2 * c4 + n1 * n2 * c5)
    if trait & SPLIT == 0:
        return call_invariants(number, pointer(x), pointer(own), own.size, pointer(a), pointer(aa))
    for k in range(n):
        d[k] = 0.0
    power = 2.0 / 3.0 if trait & BAR_FIBRES else 0.0
    r = _shape_above_three(c0, c1, c2, shear, J, log_J, x)
    rr = r * r
    if trait & BAR_FIBRES:
        for k in range(4, n):
            x[k] *= r
    psi = call_invariants(number, pointer(x), pointer(own), own.size, pointer(d), pointer(aa))
    d0, d1, w00, w01, w11 = d[0], d[1], aa[0, 0], aa[0, 1], aa[1, 1]
    u0, u1 = 2.0 / 3.0 * (x[0] + 3.0) / J, 4.0 / 3.0 * (x[1] + 3.0) / J
    m0, m1 = w00 * u0 + w01 * u1, w01 * u0 + w11 * u1  # Σ W_kl e_l x̄_l/J
    aJ = -d0 * u0 - d1 * u1
    aJJ = (5.0 / 3.0 * d0 * u0 + 7.0 / 3.0 * d1 * u1) / J
    s = r if trait & BAR_FIBRES else 1.0
    for k in range(4, n):
        u = power * x[k] / J
        mixed = aa[k, 0] * u0 + aa[k, 1] * u1
        for m in range(4, n):
            mixed += aa[k, m] * power * x[m] / J
            aa[k, m] *= s * s
        m0 += aa[k, 0] * u
        m1 += aa[k, 1] * u
        aJ -= d[k] * u
        aJJ += u * ((power + 1.0) * d[k] / J + mixed)
        a[k] = d[k] * s
        aa[k, 2] = aa[2, k] = -s * (power * d[k] / J + mixed)
        aa[k, 0] *= s * r
        aa[k, 1] *= s * rr
        aa[0, k], aa[1, k] = aa[k, 0], aa[k, 1]
    a[0], a[1], a[2] = d0 * r, d1 * rr, aJ
    aa[0, 0], aa[0, 1], aa[1, 1] = w00 * rr, w01 * rr * r, w11 * rr * rr
    aa[0, 2], aa[1, 2] = -r * (2.0 / 3.0 * d0 / J + m0), -rr * (4.0 / 3.0 * d1 / J + m1)
    aa[2, 2] = aJJ + u0 * m0 + u1 * m1
    return psi


@kernel(forceinline=True)
def _of_trace_and_strain(C, a1, aE, a11, S, H):
    """S = a₁ 1 + 2 a_E (C − 1) and its derivative, of a law of I₁ and E that is quadratic in C."""
    for i in range(6):
        for j in range(6):
            H[i, j] = 0.0
    for i in range(3):
        S[i], S[3 + i] = a1 + 2.0 * aE * (C[i] - 1.0), 2.0 * aE * C[3 + i]
        for j in range(3):
            H[i, j] = a11
        H[i, i] += 2.0 * aE
        H[3 + i, 3 + i] = aE


@kernel(forceinline=True)
def _add_fibres(size, count, C, inverse, half, trace, directions, a, aa, S, H):
    """What the stretches of fibres add: ∂I₄/∂C = n ⊗ n, with the products of this and the gradients of the other invariants."""
    E, mixed = _fibres(), _six()
    for k in range(count):
        n0, n1, n2 = directions[3 * k], directions[3 * k + 1], directions[3 * k + 2]
        line = E[k]
        line[0], line[1], line[2] = n0 * n0, n1 * n1, n2 * n2
        line[3], line[4], line[5] = n0 * n1, n0 * n2, n1 * n2
    for k in range(count):
        line, o = E[k], 4 + k
        first, second, third = aa[o, 0], aa[o, 1], aa[o, 2] * half
        for i in range(size):
            S[i] += a[o] * line[i]
        for m in range(count):
            value, other = aa[o, 4 + m], E[m]
            for i in range(size):
                for j in range(size):
                    H[i, j] += value * line[i] * other[j]
        if first != 0.0 or second != 0.0 or third != 0.0:
            for i in range(6):
                one = 1.0 if i < 3 else 0.0
                mixed[i] = first * one + second * (trace * one - C[i]) + third * inverse[i]
            for i in range(size):
                for j in range(size):
                    H[i, j] += line[i] * mixed[j] + mixed[i] * line[j]


@kernel
def _by_stretches(number, size, C, J, own, S, H):
    """Σ_a w(c̄_a); adds to S and H.

    In principal axes v_a of C with values c_a: S = Σ s_a v_a v_a, H = Σ A_ab v_a v_a v_b v_b + Σ_{a≠b} B_ab v_a v_b v_a v_b
    (symmetrised). With g_a = w′ c̄_a and h_a = c̄_a (w′ + c̄_a w″): c_a s_a = g_a − ⅓ Σ g, A_ab = ∂s_a/∂c_b, and
    B_ab = (s_a − s_b)/(c_a − c_b), which becomes A_aa − A_ab where two stretches agree.
    """
    c, v, w = np.zeros(3), np.zeros((3, 3)), np.zeros(3)
    _principal_axes(C, c, v)
    s, A, h = np.zeros(3), np.zeros((3, 3)), np.zeros(3)
    r = J ** (-2.0 / 3.0)
    psi = total = total_h = 0.0
    for a in range(3):
        bar = r * c[a]
        call_stretches(number, bar, pointer(own), own.size, pointer(w))
        psi += w[0]
        s[a] = w[1] * bar
        h[a] = bar * (w[1] + bar * w[2])
        total += s[a]
        total_h += h[a]
    for a in range(3):
        s[a] = (s[a] - total / 3.0) / c[a]
    for a in range(3):
        for b in range(3):
            M = -(h[a] + h[b]) / 3.0 + total_h / 9.0 + (h[a] if a == b else 0.0)
            A[a, b] = M / (c[a] * c[b]) - (s[a] / c[a] if a == b else 0.0)
    for i in range(3):
        for j in range(i, 3):
            row = _PAIR[i, j]
            if row < size:
                for a in range(3):
                    S[row] += s[a] * v[i, a] * v[j, a]
                for k in range(3):
                    for m in range(k, 3):
                        column = _PAIR[k, m]
                        if column < size:
                            H[row, column] += _in_axes(i, j, k, m, c, s, A, v)
    return psi


@kernel
def _in_axes(i, j, k, m, c, s, A, v):
    """H_ijkm of its values in principal axes."""
    value = 0.0
    for a in range(3):
        for b in range(3):
            value += A[a, b] * v[i, a] * v[j, a] * v[k, b] * v[m, b]
            if a != b:
                gap = c[a] - c[b]
                B = 0.5 * (A[a, a] - A[a, b] + A[b, b] - A[b, a])
                if abs(gap) > 1e-5 * (c[a] + c[b]):
                    B = (s[a] - s[b]) / gap
                both = v[k, a] * v[m, b] + v[k, b] * v[m, a]
                value += 0.25 * B * (v[i, a] * v[j, b] + v[i, b] * v[j, a]) * both
    return value


@kernel
def _principal_axes(C, values, vectors):
    """Eigenvalues and eigenvectors (columns) of C in six components by Jacobi's rotations."""
    A = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            A[i, j] = C[_PAIR[i, j]]
            vectors[i, j] = 1.0 if i == j else 0.0
    for _ in range(30):
        size = A[0, 0] ** 2 + A[1, 1] ** 2 + A[2, 2] ** 2
        if A[0, 1] ** 2 + A[0, 2] ** 2 + A[1, 2] ** 2 <= 1e-34 * size:
            break
        for i in range(2):
            for j in range(i + 1, 3):
                if A[i, j] != 0.0:
                    theta = 0.5 * (A[j, j] - A[i, i]) / A[i, j]
                    t = 1.0 / (abs(theta) + np.sqrt(theta * theta + 1.0))
                    t = -t if theta < 0.0 else t
                    cos = 1.0 / np.sqrt(t * t + 1.0)
                    _turn(i, j, cos, t * cos, A, vectors)
    for a in range(3):
        values[a] = A[a, a]


@kernel
def _turn(i, j, cos, sin, A, vectors):
    for k in range(3):
        u, w = A[k, i], A[k, j]
        A[k, i], A[k, j] = cos * u - sin * w, sin * u + cos * w
    for k in range(3):
        u, w = A[i, k], A[j, k]
        A[i, k], A[j, k] = cos * u - sin * w, sin * u + cos * w
    for k in range(3):
        u, w = vectors[k, i], vectors[k, j]
        vectors[k, i], vectors[k, j] = cos * u - sin * w, sin * u + cos * w


# --- gathered vectors -------------------------------------------------------------------------------------------------


@kernel
def solid_gram(number, ny, G, p, S, H):
    """ψ of a solid's law; fills S and H of the ny gathered vectors."""
    return _solid_gram(number, ny, G, p, S, H)


@separate(types.float64(types.int64, types.int64, _MATRIX, _READ, _MATRIX, _MODULI))
def _solid_gram(number, ny, G, p, S, H):
    C, s, h = _six(), _six(), _moduli()
    if number >= PLANE_STRESS:
        psi = plane_stress_state(number - PLANE_STRESS, G[0, 0], G[1, 1], G[0, 1], p, C, s, h)
        for i in range(4):
            for j in range(4):
                if i != 2 and j != 2:  # S₃₃ = 0 condensed into the plane
                    h[i, j] -= h[i, 2] * h[2, j] / h[2, 2]
    else:
        C[2], C[3], C[4], C[5] = 1.0, 0.0, 0.0, 0.0
        C[0], C[1] = G[0, 0], 1.0
        if ny > 1:
            C[1], C[3] = G[1, 1], 0.5 * (G[0, 1] + G[1, 0])
        if ny == 3:
            C[2], C[4], C[5] = G[2, 2], 0.5 * (G[0, 2] + G[2, 0]), 0.5 * (G[1, 2] + G[2, 1])
        elif ny == 4:
            C[2] = G[2, 3] * G[2, 3]
        psi = six_law(number, 6 if ny == 3 else 4, C, p, s, h)
    if ny == 1:
        S[0, 0], H[0, 0, 0, 0] = s[0], h[0, 0]
        return psi
    if ny == 4:
        _about_an_axis(G[2, 3], s, h, S, H)
    if ny == 3:
        _unpack(3, s, h, S, H)
    else:
        _unpack(2, s, h, S, H)
    return psi


@kernel(forceinline=True)
def _unpack(n, s, h, S, H):
    """S and H with two and four indices up to n, a constant, of the six components s and h."""
    for i in range(n):
        for j in range(n):
            line = h[_PAIR[i, j]]
            S[i, j] = s[_PAIR[i, j]]
            for k in range(n):
                for m in range(n):
                    H[i, j, k, m] = line[_PAIR[k, m]]


@kernel
def _about_an_axis(hoop, s, h, S, H):
    """C₃₃ = h², h = ½ (G₂₃ + G₃₂): S₂₃ = S₃₂ = h S₃₃, and the derivatives of that."""
    clear_derivatives(4, S, H)
    S[2, 3] = S[3, 2] = hoop * s[2]
    for i in range(2):
        for j in range(2):
            value = hoop * h[_PAIR[i, j], 2]
            H[i, j, 2, 3] = H[i, j, 3, 2] = value
            H[2, 3, i, j] = H[3, 2, i, j] = value
    value = 0.5 * s[2] + hoop * hoop * h[2, 2]
    H[2, 3, 2, 3] = H[2, 3, 3, 2] = value
    H[3, 2, 2, 3] = H[3, 2, 3, 2] = value


@kernel
def plane_stress_state(number, c11, c22, c12, p, C, S, H):
    """Fills C with the plane part and the C₃₃ at which S₃₃ = 0, by Newton's method on ln C₃₃; S, H and ψ there."""
    C[0], C[1], C[2], C[3], C[4], C[5] = c11, c22, 1.0, c12, 0.0, 0.0
    psi = np.nan
    change = 1.0
    for _ in range(100):
        psi = six_law(number, 4, C, p, S, H)
        if abs(change) < 1e-9 or not abs(S[2]) < np.inf:
            break
        slope = H[2, 2] * C[2]
        # Without stiffness (far from equilibrium) only the direction counts.
        change = -S[2] / slope if slope > 0.0 else -np.sign(S[2])
        change = min(max(change, -1.0), 1.0)
        C[2] *= np.exp(change)
    return psi
