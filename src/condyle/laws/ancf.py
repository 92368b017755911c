# mypy: allow-untyped-defs, no-check-untyped-defs
"""Stored energies of cables, and of beams and shells with strains linear in G, in the Gram matrix of their gradients.

`linear_strains` is for strains that are linear in G (all Green strains, bending and twist of fully parameterised beams
and shells). `cable` has curvature, which is rational in G: |r'×r''|²/|r'|², smooth where the cable is straight.
"""

import numpy as np

from condyle.laws.derivatives import clear_derivatives
from condyle.laws.frames import spread_pairs
from condyle.laws.kernel import kernel

# A curved shape at rest is smoothed where it is bent flat, at curvatures of √SMOOTH of its own.
SMOOTH = 1e-6


@kernel
def linear_strains(ny, G, p, S, H):
    """ψ = ½ eᵀ C e, e_k = Σ coefficient · G_ij − e0_k.

    p = (number n of strains, number of terms, C (n, n), e0 (n), terms (strain, i, j, coefficient)).
    """
    n, terms = int(p[0]), int(p[1])
    e0, t = 2 + n * n, 2 + n * n + n
    C = p[2:e0].reshape((n, n))
    e = np.zeros(n)
    for k in range(n):
        e[k] = -p[e0 + k]
    for q in range(terms):
        at = t + 4 * q
        e[int(p[at])] += p[at + 3] * G[int(p[at + 1]), int(p[at + 2])]
    psi = 0.0
    stress = np.zeros(n)
    for k in range(n):
        for m in range(n):
            stress[k] += C[k, m] * e[m]
        psi += 0.5 * stress[k] * e[k]
    spread_pairs(ny, terms, p[t:], stress, C, S, H)
    return psi


@kernel(forceinline=True)
def cable_curvature(a, b, c, m):
    """u = K² = (c − b²/a) a^−m of a = r'·r', b = r'·r'', c = r''·r'' and its derivatives by a, b, c.

    m = 1: curvature of the material line, |r'×r''|/|r'|²; m = 2: of the curve, |r'×r''|/|r'|³.
    Returns u, u_a, u_b, u_c, u_aa, u_ab, u_ac, u_bb.
    """
    f = 1.0 / a if m == 1.0 else 1.0 / (a * a)  # a^−m
    f1 = f / a
    f2 = f1 / a
    u = c * f - b * b * f1
    u_a = -m * c * f1 + (m + 1.0) * b * b * f2
    u_aa = m * (m + 1.0) * c * f2 - (m + 1.0) * (m + 2.0) * b * b * f2 / a
    return u, u_a, -2.0 * b * f1, f, u_aa, 2.0 * (m + 1.0) * b * f2, -m * f1, -2.0 * f1


@kernel(forceinline=True)
def axial_law(p, a):
    """½ EA (ε − ε0)² of a = r'·r', its derivatives by a, and EA (∂ε/∂a)², of which its viscosity is made.

    p = parameters of a cable: ε = ½ (a − 1) where p[0] = 0, √a − 1 where it is 1.
    """
    EA, rest = p[2], p[3]
    if p[0] == 0.0:
        strain = 0.5 * (a - 1.0) - rest
        return 0.5 * EA * strain * strain, 0.5 * EA * strain, 0.25 * EA, 0.25 * EA
    length = np.sqrt(a)
    strain = length - 1.0 - rest
    bend = 0.25 * EA * (1.0 + rest) / (length * length * length)
    return 0.5 * EA * strain * strain, 0.5 * EA * strain / length, bend, 0.25 * EA / a


@kernel(forceinline=True)
def bending_law(p, u):
    """½ EI (K − κ0)² of u = K², and its first and second derivative by u; smooth where a curved line is straightened."""
    EI, rest = p[4], p[5]
    if not rest > 0.0:
        return 0.5 * EI * u, 0.5 * EI, 0.0
    root = np.sqrt(u + SMOOTH * rest * rest)
    scale = EI * rest * np.sqrt(1.0 + SMOOTH)
    energy = 0.5 * EI * u + (EI * rest * rest * (0.5 + SMOOTH) - scale * root)
    return energy, 0.5 * EI - 0.5 * scale / root, 0.25 * scale / (root * root * root)


@kernel(forceinline=True)
def cable_law(p, a, b, c):
    """ψ = ½ EA ε² + ½ EI (K − κ0)² in a = r'·r', b = r'·r'', c = r''·r''; derivatives by a, b, c.

    p = (strain 0: ½(r'·r' − 1) or 1: |r'| − 1, m of the curvature, EA, ε0, EI, κ0, least curvature of viscous moduli).
    Returns ψ, (ψ_a, ψ_b, ψ_c), (ψ_aa, ψ_ab, ψ_ac, ψ_bb, ψ_bc, ψ_cc): numbers, which an element takes from registers.
    """
    u, u_a, u_b, u_c, u_aa, u_ab, u_ac, u_bb = cable_curvature(a, b, c, p[1])
    psi, g, gg = bending_law(p, u)
    stretched, normal, modulus, _ = axial_law(p, a)
    first = (normal + g * u_a, g * u_b, g * u_c)
    ga, gb = gg * u_a, gg * u_b
    second = (
        modulus + ga * u_a + g * u_aa, ga * u_b + g * u_ab, ga * u_c + g * u_ac, gb * u_b + g * u_bb, gb * u_c,
        gg * u_c * u_c,
    )  # fmt: skip
    return psi + stretched, first, second


@kernel(forceinline=True)
def cable_energy(p, a, b, c):
    """ψ of `cable_law` alone."""
    f = 1.0 / a if p[1] == 1.0 else 1.0 / (a * a)
    return bending_law(p, f * (c - b * b / a))[0] + axial_law(p, a)[0]


@kernel(forceinline=True)
def cable_moduli(p, beta, a, b, c):
    """β times the moduli of the stress that follows the rates of ε and of the amount of curvature K = √u.

    The direction of the curvature is left out: a line has no frame against which its turning about itself could be told
    from a rigid motion. K̇ = u̇/(2K) is 0/0 where the cable is straight; below the curvature p[6] the moduli fade out.
    By a, b, c they are `axial` on aa and `bend` ∇u ∇uᵀ; returns axial, bend, u_a, u_b, u_c.
    """
    u, u_a, u_b, u_c, _, _, _, _ = cable_curvature(a, b, c, p[1])
    return axial_modulus(p, beta, a), 0.25 * beta * p[4] / (u + p[6] * p[6]), u_a, u_b, u_c


@kernel(forceinline=True)
def axial_modulus(p, beta, a):
    """β EA (∂ε/∂a)²."""
    return beta * axial_law(p, a)[3]


@kernel
def _spread_products(h, H):
    """H by G of the moduli h = (aa, ab, ac, bb, bc, cc) by a = G_00, b = ½ (G_01 + G_10) and c = G_11."""
    H[0, 0, 0, 0] = h[0]
    H[0, 0, 0, 1] = H[0, 0, 1, 0] = H[0, 1, 0, 0] = H[1, 0, 0, 0] = 0.5 * h[1]
    H[0, 0, 1, 1] = H[1, 1, 0, 0] = h[2]
    H[0, 1, 0, 1] = H[0, 1, 1, 0] = H[1, 0, 0, 1] = H[1, 0, 1, 0] = 0.25 * h[3]
    H[0, 1, 1, 1] = H[1, 0, 1, 1] = H[1, 1, 0, 1] = H[1, 1, 1, 0] = 0.5 * h[4]
    H[1, 1, 1, 1] = h[5]


@kernel
def cable(ny, G, p, S, H):
    """`cable_law` of y = (r', r''), derivatives by the length at rest."""
    psi, s, h = cable_law(p, G[0, 0], 0.5 * (G[0, 1] + G[1, 0]), G[1, 1])
    S[0, 0] = s[0]
    S[0, 1] = S[1, 0] = 0.5 * s[1]
    S[1, 1] = s[2]
    _spread_products(h, H)
    return psi


@kernel
def cable_viscous(ny, G, p, S, H):
    """`cable_moduli` of y = (r', r'')."""
    axial, bend, u_a, u_b, u_c = cable_moduli(p, 1.0, G[0, 0], 0.5 * (G[0, 1] + G[1, 0]), G[1, 1])
    on_a, on_b = bend * u_a, bend * u_b
    _spread_products((axial + on_a * u_a, on_a * u_b, on_a * u_c, on_b * u_b, on_b * u_c, bend * u_c * u_c), H)
    return 0.0


@kernel
def reeled_cable(ny, G, p, S, H):
    """s ψ(r'/s, r''/s²) of y = (r', r'', l): a cable whose length at rest is |l| [m]; s = |l|/p[0], then as in `cable`.

    In terms of X = (a/s², b/s³, c/s⁴) with a = r'·r', b = r'·r'', c = r''·r'': F = s ψ(X), n = (2, 3, 4).
    """
    t = G[2, 2]
    s = np.sqrt(t) / p[0]
    g, first, second = np.zeros((2, 2)), np.zeros((2, 2)), np.zeros((2, 2, 2, 2))
    g[0, 0] = G[0, 0] / (s * s)
    g[0, 1] = g[1, 0] = 0.5 * (G[0, 1] + G[1, 0]) / (s * s * s)
    g[1, 1] = G[1, 1] / (s * s * s * s)
    psi = cable(2, g, p[1:], first, second)
    n, X = np.array([2.0, 3.0, 4.0]), np.array([g[0, 0], g[0, 1], g[1, 1]])
    slope = np.array([first[0, 0], 2.0 * first[0, 1], first[1, 1]])
    bend = np.zeros((3, 3))
    bend[0, 0], bend[1, 1], bend[2, 2] = second[0, 0, 0, 0], 4.0 * second[0, 1, 0, 1], second[1, 1, 1, 1]
    bend[0, 1] = bend[1, 0] = 2.0 * second[0, 0, 0, 1]
    bend[0, 2] = bend[2, 0] = second[0, 0, 1, 1]
    bend[1, 2] = bend[2, 1] = 2.0 * second[0, 1, 1, 1]
    by_s, by_ss = psi, 0.0
    mixed = np.zeros(3)
    for i in range(3):
        by_s -= n[i] * X[i] * slope[i]
        mixed[i] = (1.0 - n[i]) * slope[i]
        for j in range(3):
            mixed[i] -= bend[i, j] * n[j] * X[j]
        by_ss -= n[i] * X[i] * mixed[i] / s
    s_t = 0.5 / (p[0] * p[0] * s)
    s_tt = -0.25 / (p[0] * p[0] * p[0] * p[0] * s * s * s)
    clear_derivatives(3, S, H)
    for i in range(3):
        # entries of G that belong to a, b, c; b stands for two of them
        u, v = (0, 0) if i == 0 else ((0, 1) if i == 1 else (1, 1))
        half = 0.5 if i == 1 else 1.0
        value = half * s ** (1.0 - n[i]) * slope[i]
        S[u, v] = value
        S[v, u] = value
        cross = half * s ** (-n[i]) * mixed[i] * s_t
        H[u, v, 2, 2] = cross
        H[v, u, 2, 2] = cross
        H[2, 2, u, v] = cross
        H[2, 2, v, u] = cross
        for j in range(3):
            e, f = (0, 0) if j == 0 else ((0, 1) if j == 1 else (1, 1))
            both = half * (0.5 if j == 1 else 1.0) * s ** (1.0 - n[i] - n[j]) * bend[i, j]
            H[u, v, e, f] = both
            H[v, u, e, f] = both
            H[u, v, f, e] = both
            H[v, u, f, e] = both
    S[2, 2] = by_s * s_t
    H[2, 2, 2, 2] = by_ss * s_t * s_t + by_s * s_tt
    return s * psi


@kernel
def reeled_viscous(ny, G, p, S, H):
    """Moduli of the stress β H:Ġ of `reeled_cable`: those of the cable in g_ij = G_ij s^−(2 + i + j).

    dg_ij = s^−(2 + i + j) dG_ij − (2 + i + j) g_ij dt/(2t), t = G_22: a cable that is reeled at constant strain is not damped.
    """
    t = G[2, 2]
    s = np.sqrt(t) / p[0]
    g, moduli = np.zeros((2, 2)), np.zeros((2, 2, 2, 2))
    for i in range(2):
        for j in range(2):
            g[i, j] = G[i, j] * s ** (-2.0 - i - j)
    cable_viscous(2, g, p[1:], g, moduli)
    for i in range(3):
        for j in range(3):
            for k in range(3):
                for m in range(3):
                    H[i, j, k, m] = 0.0
    for i in range(2):
        for j in range(2):
            own, reel = s ** (-2.0 - i - j), -(2.0 + i + j) * g[i, j] / (2.0 * t)
            for k in range(2):
                for m in range(2):
                    value = s * moduli[i, j, k, m]
                    own2, reel2 = s ** (-2.0 - k - m), -(2.0 + k + m) * g[k, m] / (2.0 * t)
                    H[i, j, k, m] += value * own * own2
                    H[i, j, 2, 2] += value * own * reel2
                    H[2, 2, k, m] += value * reel * own2
                    H[2, 2, 2, 2] += value * reel * reel2
    return 0.0


# --- stiffness of the strains alone: what the first-order compliant stepper needs (Hewlett 2020, chapter 5) -----------------


@kernel
def cable_strain_stiffness(ny, d, y, G, p, H, K):
    """K = Jᵀ C⁻¹ J of the strain ε and of the curvature vector k = Π r''/|r'|^m, Π = 1 − r'r'ᵀ/a, seen in its normal plane.

    J_k: Π/a^(m/2) on r'', −(b/a) Π/a^(m/2) − m k r'ᵀ/a on r'. In the plane this is the signed curvature.
    """
    a, b = 0.0, 0.0
    for i in range(d):
        a += y[0, i] * y[0, i]
        b += y[0, i] * y[1, i]
    m = p[1]
    scale = a ** (-0.5 * m)
    normal = np.zeros((d, d))
    k = np.zeros(d)
    for i in range(d):
        for j in range(d):
            normal[i, j] = (1.0 if i == j else 0.0) - y[0, i] * y[0, j] / a
            k[i] += scale * normal[i, j] * y[1, j]
    J = np.zeros((d, 2, d))
    for i in range(d):
        for j in range(d):
            J[i, 0, j] = -b / a * scale * normal[i, j] - m * k[i] * y[0, j] / a
            J[i, 1, j] = scale * normal[i, j]
    axial = 4.0 * axial_law(p, a)[3]
    for u in range(2):
        for v in range(2):
            for i in range(d):
                for j in range(d):
                    value = 0.0
                    for q in range(d):
                        value += J[q, u, i] * J[q, v, j]
                    K[u, i, v, j] = p[4] * value
    for i in range(d):
        for j in range(d):
            K[0, i, 0, j] += axial * y[0, i] * y[0, j]
    return 0.0


@kernel
def reeled_strain_stiffness(ny, d, y, G, p, H, K):
    """Stiffness of the strains of a cable whose present length at rest is s = |l|/p[0] times the declared one."""
    s = np.sqrt(G[2, 2]) / p[0]
    z, small = np.zeros((2, d)), np.zeros((2, d, 2, d))
    for k in range(2):
        for a in range(d):
            z[k, a] = y[k, a] * s ** (-1.0 - k)
    cable_strain_stiffness(2, d, z, G, p[1:], H, small)
    for k in range(ny):
        for m in range(ny):
            for a in range(d):
                for b in range(d):
                    K[k, a, m, b] = small[k, a, m, b] * s ** (-1.0 - k - m) if k < 2 and m < 2 else 0.0
    return 0.0
