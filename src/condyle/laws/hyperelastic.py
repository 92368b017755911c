# mypy: disallow-untyped-defs=False, check-untyped-defs=False
"""Hyperelastic laws of a solid: ψ(C) of C = FᵀF in space, plane strain, plane stress and about an axis of revolution.

Isotropic laws are functions ψ(I₁, I₂, J) and share everything but their derivatives (`isotropic`); Ogden's is written in
principal stretches; a family of fibres adds its energy of the stretch along it. The law of space fills S = ∂ψ/∂C and
H = ∂²ψ/∂C∂C; the others come from it:

- 2 vectors, plane strain: C₃₃ = 1.
- 2 vectors, code + PLANE_STRESS: C₃₃ such that S₃₃ = 0, found by iteration at the point.
- 4 vectors, about an axis: y_0, y_1 the columns of F in the meridian plane, y_2 = x/R, y_3 the radial direction e_r (a
  fixed row), so that the hoop stretch r/R is y_2·y_3 and C₃₃ = (y_2·y_3)².

Laws that split into a part of C̄ = J^(−2/3) C and a part of the volume have p = (κ, mean, p̄, …): U = ¼ κ (J² − 1 − 2 ln J), or
p̄ J where the dilatation is that of the whole element (mean = 1) and p̄ its pressure.
"""

import numpy as np
from numba import types

from condyle.laws.codes import (
    FIBRES,
    INITIAL_STRESS,
    MOONEY_RIVLIN,
    NEO_HOOKEAN,
    OGDEN,
    PLANE_STRESS,
    ROBUST,
    ST_VENANT_KIRCHHOFF,
    YEOH,
)
from condyle.laws.energies import invert
from condyle.laws.kernel import kernel, separate

# Example parameters for the generic tests: name -> (code, parameters).
EXAMPLES = {
    "robust": (ROBUST, (3.0, 2.0)),
    "Mooney–Rivlin": (MOONEY_RIVLIN, (9.0, 0.0, 0.0, 1.1, 0.4)),
    "Mooney–Rivlin, mean dilatation": (MOONEY_RIVLIN, (9.0, 1.0, 0.7, 1.1, 0.4)),
    "Yeoh": (YEOH, (9.0, 0.0, 0.0, 1.1, -0.05, 0.02)),
    "Ogden": (OGDEN, (3.0, 0.0, 0.0, 2.0, 0.9, 1.7, -0.2, -1.6)),
    "initial stress": (INITIAL_STRESS, (2.0, 0.3, 0.0, 0.3, -1.0, 0.0, 0.0, 0.0, 0.5)),
    "fibres": (FIBRES, (9.0, 0.0, 0.0, 1.1, 0.3, 4.0, 1.15, 0.6, 0.8, 0.0)),
}


@kernel
def hyperelastic(code, ny, G, p, S, H):
    """ψ of law `code`; fills S and H of the ny gathered vectors. All arrays but p have the same length in every direction."""
    return _separately(code, ny, G, p, S, H)


@kernel
def _hyperelastic(code, ny, G, p, S, H):
    if code >= PLANE_STRESS:
        return _plane_stress(code - PLANE_STRESS, ny + 1, G, p, S, H)
    if ny == 3:
        return solid_law(code, ny, G, p, S, H)
    n = ny + 1 if ny == 2 else ny - 1  # 3, but not known to the compiler, which would write out all loops
    C, S3, H3 = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n, n, n))
    for i in range(2):
        for j in range(2):
            C[i, j] = G[i, j]
    if ny == 2:
        C[2, 2] = 1.0
        psi = solid_law(code, n, C, p, S3, H3)
        _take_plane(S3, H3, S, H)
        return psi
    hoop = G[2, 3]
    C[2, 2] = hoop * hoop
    psi = solid_law(code, n, C, p, S3, H3)
    _take_axisymmetric(hoop, S3, H3, S, H)
    return psi


@kernel
def _take_plane(S3, H3, S, H):
    for i in range(2):
        for j in range(2):
            S[i, j] = S3[i, j]
            for k in range(2):
                for m in range(2):
                    H[i, j, k, m] = H3[i, j, k, m]


@kernel
def _take_axisymmetric(hoop, S3, H3, S, H):
    """C₃₃ = h², h = ½ (G₂₃ + G₃₂): S₂₃ = S₃₂ = h S₃₃, and the derivatives of that."""
    for i in range(4):
        for j in range(4):
            S[i, j] = 0.0
            for k in range(4):
                for m in range(4):
                    H[i, j, k, m] = 0.0
    _take_plane(S3, H3, S, H)
    S[2, 3] = S[3, 2] = hoop * S3[2, 2]
    for i in range(2):
        for j in range(2):
            value = hoop * H3[i, j, 2, 2]
            H[i, j, 2, 3] = H[i, j, 3, 2] = value
            H[2, 3, i, j] = H[3, 2, i, j] = value
    value = 0.5 * S3[2, 2] + hoop * hoop * H3[2, 2, 2, 2]
    H[2, 3, 2, 3] = H[2, 3, 3, 2] = value
    H[3, 2, 2, 3] = H[3, 2, 3, 2] = value


@kernel
def _plane_stress(code, n, G, p, S, H):
    """S₃₃ = 0 condensed into the plane: H_ijkl − H_ij33 H_33kl / H_3333."""
    C, S3, H3 = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n, n, n))
    psi = plane_stress_state(code, n, G, p, C, S3, H3)
    _take_plane(S3, H3, S, H)
    for i in range(2):
        for j in range(2):
            for k in range(2):
                for m in range(2):
                    H[i, j, k, m] -= H3[i, j, 2, 2] * H3[2, 2, k, m] / H3[2, 2, 2, 2]
    return psi


@kernel
def plane_stress_state(code, n, G, p, C, S3, H3):
    """Fills C with the plane part G and the C₃₃ at which S₃₃ = 0, by Newton's method on ln C₃₃; S3, H3 and ψ there."""
    for i in range(2):
        for j in range(2):
            C[i, j] = G[i, j]
    C[2, 2] = 1.0
    psi = np.nan
    change = 1.0
    for _ in range(100):
        psi = solid_law(code, n, C, p, S3, H3)
        if abs(change) < 1e-9 or not abs(S3[2, 2]) < np.inf:
            break
        slope = H3[2, 2, 2, 2] * C[2, 2]
        # Without stiffness (far from equilibrium) only the direction counts.
        change = -S3[2, 2] / slope if slope > 0.0 else -np.sign(S3[2, 2])
        change = min(max(change, -1.0), 1.0)
        C[2, 2] *= np.exp(change)
    return psi


@kernel
def solid_law(code, n, C, p, S, H):
    """ψ(C) of the n × n matrix C, n = 3, with S and H."""
    if code == INITIAL_STRESS:
        return _initial_stress(n, C, p, S, H)
    det = invert(n, C, S)  # S holds the inverse until H is filled
    if not det > 0.0:
        for i in range(n):
            for j in range(n):
                S[i, j] = np.nan
        return np.nan
    if code == OGDEN:
        return _ogden(n, C, np.sqrt(det), p, S, H)
    trace = C[0, 0] + C[1, 1] + C[2, 2]
    square = strain = 0.0  # tr C², tr (C − 1)²
    for i in range(n):
        for j in range(n):
            change = C[i, j] - (1.0 if i == j else 0.0)
            square += C[i, j] * C[i, j]
            strain += change * change
    J = np.sqrt(det)
    psi, a = isotropic(code, trace, 0.5 * (trace * trace - square), strain, J, p)
    _from_invariants(n, C, trace, J, a, S, H)
    if code == FIBRES:
        psi += _fibres(n, C, p, S, H)
    return psi


@kernel
def _from_invariants(n, C, trace, J, a, S, H):
    """S = Σ a_k ∂I_k/∂C, H = Σ a_kl ∂I_k/∂C ⊗ ∂I_l/∂C + Σ a_k ∂²I_k/∂C∂C of (I₁, I₂, J). S comes in as C⁻¹.

    a = (a₁, a₂, a_J, a₁₁, a₁J, a₂J, a_JJ); no law here has a₁₂ or a₂₂.
    """
    a1, a2, aJ, a11, a1J, a2J, aJJ = a
    half = 0.5 * J
    for i in range(n):
        for j in range(i + 1):
            d1 = 1.0 if i == j else 0.0
            d2 = trace * d1 - C[i, j]
            dJ = half * S[i, j]
            # what multiplies ∂I₁, ∂I₂ and ∂J of the other pair
            b1 = a11 * d1 + a1J * dJ
            b2 = a2J * dJ
            bJ = (a1J * d1 + a2J * d2 + aJJ * dJ + 0.5 * aJ * S[i, j]) * half
            for k in range(n):
                for m in range(k + 1):
                    e1 = 1.0 if k == m else 0.0
                    same = 0.5 * ((i == k) * (j == m) + (i == m) * (j == k))
                    twin = S[i, k] * S[j, m] + S[i, m] * S[j, k]
                    value = b1 * e1 + b2 * (trace * e1 - C[k, m]) + bJ * S[k, m]
                    value += a2 * (d1 * e1 - same) - 0.5 * aJ * half * twin
                    H[i, j, k, m] = H[j, i, k, m] = H[i, j, m, k] = H[j, i, m, k] = value
    for i in range(n):
        for j in range(n):
            d1 = 1.0 if i == j else 0.0
            S[i, j] = a1 * d1 + a2 * (trace * d1 - C[i, j]) + aJ * half * S[i, j]


@kernel
def isotropic(code, I1, I2, strain, J, p):
    """ψ(I₁, I₂, J) and its derivatives, see `_from_invariants`.

    strain: tr (C − 1)² = I₁² − 2 I₂ − 2 I₁ + 3, summed without cancellation.
    """
    if code in (ST_VENANT_KIRCHHOFF, ROBUST):
        lam, mu = p[0], p[1]
        psi = 0.25 * mu * strain
        a1, a2, a11 = 0.5 * mu * (I1 - 1.0), -0.5 * mu, 0.5 * mu
        if code == ROBUST:  # λ (J − 1 − ln J)
            psi += lam * (J - 1.0 - np.log(J))
            return psi, (a1, a2, lam * (1.0 - 1.0 / J), a11, 0.0, 0.0, lam / (J * J))
        psi += 0.125 * lam * (I1 - 3.0) ** 2
        return psi, (a1 + 0.25 * lam * (I1 - 3.0), a2, 0.0, a11 + 0.25 * lam, 0.0, 0.0, 0.0)
    if code == NEO_HOOKEAN:
        lam, mu = p[0], p[1]
        log = np.log(J)
        psi = 0.5 * mu * (I1 - 3.0) - mu * log + 0.5 * lam * log * log
        return psi, (0.5 * mu, 0.0, (lam * log - mu) / J, 0.0, 0.0, 0.0, (lam - lam * log + mu) / (J * J))
    # f(Ī₁, Ī₂) + U(J), Ī₁ = J^(−2/3) I₁, Ī₂ = J^(−4/3) I₂
    r = J ** (-2.0 / 3.0)
    bar = r * I1 - 3.0
    f1, f2, f11 = p[3], 0.0, 0.0
    psi = p[3] * bar
    if code == MOONEY_RIVLIN:
        f2 = p[4] * r * r
        psi += f2 * I2 - 3.0 * p[4]
    elif code == YEOH:
        psi += bar * bar * (p[4] + p[5] * bar)
        f1 += bar * (2.0 * p[4] + 3.0 * p[5] * bar)
        f11 = 2.0 * p[4] + 6.0 * p[5] * bar
    slope = -2.0 / 3.0 * r * I1 / J  # ∂Ī₁/∂J
    aJ = f1 * slope - 4.0 / 3.0 * f2 * I2 / J
    a1J = -2.0 / 3.0 * f1 * r / J + f11 * r * slope
    a2J = -4.0 / 3.0 * f2 / J
    aJJ = 10.0 / 9.0 * f1 * r * I1 / (J * J) + f11 * slope * slope + 28.0 / 9.0 * f2 * I2 / (J * J)
    if p[1] > 0.5:
        psi += p[2] * J
        aJ += p[2]
    else:
        psi += 0.25 * p[0] * (J * J - 1.0 - 2.0 * np.log(J))
        aJ += 0.5 * p[0] * (J - 1.0 / J)
        aJJ += 0.5 * p[0] * (1.0 + 1.0 / (J * J))
    return psi, (f1 * r, f2, aJ, f11 * r * r, a1J, a2J, aJJ)


@kernel
def _fibres(n, C, p, S, H):
    """Energy W(λ) of fibres along a unit vector n, λ² = n·C n; adds to S and H.

    The force per reference area is 0 for λ ≤ 1, c (e^(k (λ − 1)) − 1) in the toe region up to λ*, and straight beyond, with
    the slope reached there. p[4:10] = (c [Pa], k, λ*, n).
    """
    c, rate, end = p[4], p[5], p[6]
    square = 0.0
    for i in range(n):
        for j in range(n):
            square += p[7 + i] * C[i, j] * p[7 + j]
    stretch = np.sqrt(square)
    if stretch <= 1.0:
        return 0.0
    toe = min(stretch, end)
    rise = np.exp(rate * (toe - 1.0))
    beyond = stretch - toe
    energy = c * ((rise - 1.0) / rate - (toe - 1.0)) + beyond * (c * (rise - 1.0) + 0.5 * c * rate * rise * beyond)
    force = c * (rise - 1.0) + c * rate * rise * beyond
    slope = c * rate * rise
    first = 0.5 * force / stretch
    second = 0.25 * (slope - force / stretch) / square
    for i in range(n):
        for j in range(n):
            A = p[7 + i] * p[7 + j]
            S[i, j] += first * A
            for m in range(n):
                for k in range(n):
                    H[i, j, m, k] += second * A * p[7 + m] * p[7 + k]
    return energy


@kernel
def _initial_stress(n, C, p, S, H):
    """ψ = ½ S₀:(C − 1): the second Piola–Kirchhoff stress S₀ at every strain. p = S₀, row by row [Pa]."""
    psi = 0.0
    for i in range(n):
        for j in range(n):
            S[i, j] = 0.25 * (p[3 * i + j] + p[3 * j + i])
            psi += S[i, j] * (C[i, j] - (1.0 if i == j else 0.0))
            for k in range(n):
                for m in range(n):
                    H[i, j, k, m] = 0.0
    return psi


@kernel
def _ogden(n, C, J, p, S, H):
    """ψ = Σ_k μ_k/α_k (Σ_a λ̄_a^α_k − 3) + U(J), λ̄_a = J^(−1/3) λ_a. p[3:] = (number of terms, μ_1, α_1, μ_2, …).

    In principal axes v_a of C with values c_a: S = Σ s_a v_a v_a, H = Σ A_ab v_a v_a v_b v_b + Σ_{a≠b} B_ab v_a v_b v_a v_b
    (symmetrised), A_ab = ∂s_a/∂c_b and B_ab = (s_a − s_b)/(c_a − c_b), which becomes A_aa − A_ab where two stretches agree.
    """
    c, v = np.zeros(n), np.zeros((n, n))
    _principal(n, C, c, v)
    s, A = np.zeros(n), np.zeros((n, n))
    if p[1] > 0.5:
        psi, dU, ddU = p[2] * J, p[2], 0.0
    else:
        psi = 0.25 * p[0] * (J * J - 1.0 - 2.0 * np.log(J))
        dU, ddU = 0.5 * p[0] * (J - 1.0 / J), 0.5 * p[0] * (1.0 + 1.0 / (J * J))
    u, du = 0.5 * J * dU, 0.5 * (J * ddU + dU)
    for a in range(n):
        s[a] = u / c[a]
        A[a, a] = -u / (c[a] * c[a])
        for b in range(n):
            A[a, b] += 0.5 * du * J / (c[a] * c[b])
    f = np.zeros(n)
    for k in range(int(p[3])):
        mu, alpha = p[4 + 2 * k], p[5 + 2 * k]
        total = 0.0
        for a in range(n):
            power = c[a] ** (0.5 * alpha)
            total += power
            f[a] = 0.5 * alpha * power / c[a]
        half = -alpha / 6.0
        scale = mu / alpha * J ** (-alpha / 3.0)
        psi += scale * total - 3.0 * mu / alpha
        for a in range(n):
            s[a] += scale * (f[a] + half * total / c[a])
            A[a, a] += scale * (f[a] * (0.5 * alpha - 1.0) - half * total / c[a]) / c[a]
            for b in range(n):
                A[a, b] += scale * half * (f[a] / c[b] + f[b] / c[a] + half * total / (c[a] * c[b]))
    for i in range(n):
        for j in range(n):
            S[i, j] = 0.0
            for k in range(n):
                for m in range(n):
                    H[i, j, k, m] = 0.0
    for a in range(n):
        for i in range(n):
            for j in range(n):
                S[i, j] += s[a] * v[i, a] * v[j, a]
        for b in range(n):
            gap = c[a] - c[b]
            B = 0.5 * (A[a, a] - A[a, b] + A[b, b] - A[b, a])
            if abs(gap) > 1e-5 * (c[a] + c[b]):
                B = (s[a] - s[b]) / gap
            for i in range(n):
                for j in range(n):
                    for k in range(n):
                        for m in range(n):
                            H[i, j, k, m] += A[a, b] * v[i, a] * v[j, a] * v[k, b] * v[m, b]
                            if a != b:
                                both = v[k, a] * v[m, b] + v[k, b] * v[m, a]
                                H[i, j, k, m] += 0.25 * B * (v[i, a] * v[j, b] + v[i, b] * v[j, a]) * both
    for i in range(n):
        for j in range(i):
            S[i, j] = S[j, i]
    return psi


@kernel
def _principal(n, C, values, vectors):
    """Eigenvalues and eigenvectors (columns) of a symmetric 3 × 3 matrix by Jacobi's rotations."""
    A = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            A[i, j] = C[i, j]
            vectors[i, j] = 1.0 if i == j else 0.0
    for _ in range(30):
        size = A[0, 0] ** 2 + A[1, 1] ** 2 + A[2, 2] ** 2
        if A[0, 1] ** 2 + A[0, 2] ** 2 + A[1, 2] ** 2 <= 1e-34 * size:
            break
        for i in range(n - 1):
            for j in range(i + 1, n):
                if A[i, j] != 0.0:
                    theta = 0.5 * (A[j, j] - A[i, i]) / A[i, j]
                    t = 1.0 / (abs(theta) + np.sqrt(theta * theta + 1.0))
                    t = -t if theta < 0.0 else t
                    cos = 1.0 / np.sqrt(t * t + 1.0)
                    sin = t * cos
                    for k in range(n):
                        u, w = A[k, i], A[k, j]
                        A[k, i], A[k, j] = cos * u - sin * w, sin * u + cos * w
                    for k in range(n):
                        u, w = A[i, k], A[j, k]
                        A[i, k], A[j, k] = cos * u - sin * w, sin * u + cos * w
                    for k in range(n):
                        u, w = vectors[k, i], vectors[k, j]
                        vectors[k, i], vectors[k, j] = cos * u - sin * w, sin * u + cos * w
    for a in range(n):
        values[a] = A[a, a]


_NUMBERS = types.Array(types.float64, 1, "C", readonly=True)
_MATRIX = types.Array(types.float64, 2, "C")
_MODULI = types.Array(types.float64, 4, "C")


@separate(types.float64(types.int64, types.int64, _MATRIX, _NUMBERS, _MATRIX, _MODULI))
def _separately(code, ny, G, p, S, H):
    return _hyperelastic(code, ny, G, p, S, H)
