# mypy: allow-untyped-defs, no-check-untyped-defs
"""Stored energies of plates in the Gram matrix of their gradients.

Curvature is rational in G: with the normal part of the second derivatives,

    B_ab = r_a·r_b − Σ (r_a·r_α) g^αβ (r_β·r_b),   g_αβ = r_α·r_β   (α, β: first derivatives; a, b: second derivatives)

is κ_ab κ_cd (κ_ab = n·r_ab): smooth where the plate is flat. A shape that is curved at rest (κ0) needs
κ0·κ = √(κ0 D B D κ0): the sign of κ is the one nearer to κ0.
"""

import numpy as np

from condyle.laws.ancf import SMOOTH
from condyle.laws.energies import invert
from condyle.laws.kernel import kernel


@kernel
def plate_normals(G, P, inverse):
    """P (5, 3) with B = Pᵀ G P, and the inverse metric g^αβ padded to (5, 5); returns det g. dB = Pᵀ dG P."""
    g = np.zeros((3, 3))
    small = np.zeros((3, 3))
    for i in range(2):
        for j in range(2):
            g[i, j] = 0.5 * (G[i, j] + G[j, i])
    det = invert(2, g, small)
    for i in range(5):
        for j in range(5):
            inverse[i, j] = small[i, j] if i < 2 and j < 2 else 0.0
    for a in range(3):
        for i in range(2):
            P[i, a] = -0.5 * (small[i, 0] * (G[0, 2 + a] + G[2 + a, 0]) + small[i, 1] * (G[1, 2 + a] + G[2 + a, 1]))
        for b in range(3):
            P[2 + b, a] = 1.0 if a == b else 0.0
    return det


@kernel
def plate(ny, G, p, S, H):
    """ψ = ½ e·A e + ½ (κ − κ0)·D (κ − κ0) of y = (r_x, r_y, r_xx, r_yy, r_xy).

    e = (½ r_x·r_x, ½ r_y·r_y, r_x·r_y) − e0; κ = (n·r_xx, n·r_yy, n·r_xy) |r_x×r_y|^−m with the unit normal n.
    p = (m, e0 (3), A (3, 3), D (3, 3), κ0 (3), least curvature of viscous moduli). D acts on κ as listed.
    """
    P, inv, Q = np.zeros((5, 3)), np.zeros((5, 5)), np.zeros((5, 5))
    det = plate_normals(G, P, inv)
    if not det > 0.0:
        for i in range(5):
            for j in range(5):
                S[i, j] = np.nan
        return np.nan
    m = p[0]
    fade = det ** (-m)
    D = np.zeros((3, 3))
    for a in range(3):
        for b in range(3):
            D[a, b] = p[13 + 3 * a + b]
    # ψ_b = ½ fade D:B, with a rest curvature − √(fade κ0 D B D κ0): both are ½ Q:G-like with Q = P M Pᵀ
    psi = _bend(G, P, inv, Q, D, fade, m, 0.5, S, H, True, 0.0)
    size = 0.0
    load = np.zeros(3)
    for a in range(3):
        for b in range(3):
            load[a] += D[a, b] * p[22 + b]
        size += load[a] * p[22 + a]
    if size > 0.0:
        for a in range(3):
            for b in range(3):
                D[a, b] = load[a] * load[b]
        psi += _bend(G, P, inv, Q, D, fade, m, 1.0, S, H, False, size) + size * (0.5 + SMOOTH)
    e = np.empty(3)
    e[0] = 0.5 * G[0, 0] - p[1]
    e[1] = 0.5 * G[1, 1] - p[2]
    e[2] = 0.5 * (G[0, 1] + G[1, 0]) - p[3]
    for k in range(3):
        stress = 0.0
        for n in range(3):
            stress += p[4 + 3 * k + n] * e[n]
        psi += 0.5 * stress * e[k]
        i, j = (k, k) if k < 2 else (0, 1)
        S[i, j] += 0.5 * stress
        if k == 2:
            S[j, i] += 0.5 * stress
    _add_membrane(p, H)
    return psi


@kernel
def _add_membrane(p, H):
    """H += moduli of the strains of the middle surface."""
    for k in range(3):
        for n in range(3):
            value = 0.25 * p[4 + 3 * k + n]
            i, j = (k, k) if k < 2 else (0, 1)
            u, v = (n, n) if n < 2 else (0, 1)
            H[i, j, u, v] += value
            if k == 2:
                H[j, i, u, v] += value
            if n == 2:
                H[i, j, v, u] += value
            if k == 2 and n == 2:
                H[j, i, v, u] += value


@kernel
def _bend(G, P, inv, Q, M, fade, m, factor, S, H, first, size):
    """Adds (first: sets) factor · w, w = fade M:B, or −√(1 + ε) √(w + ε size²) where `size` > 0.

    dw = fade (Q − m (M:B) g⁻¹):dG with Q = P M Pᵀ; the second derivatives follow from dP = −g⁻¹ dG P.
    """
    amount = 0.0
    for i in range(5):
        for j in range(i + 1):
            value = 0.0
            for a in range(3):
                for b in range(3):
                    value += P[i, a] * M[a, b] * P[j, b]
            Q[i, j] = value
            Q[j, i] = value
    for i in range(5):
        for j in range(5):
            amount += Q[i, j] * G[i, j]  # M:B
    w = fade * amount
    psi, g, gg = factor * w, factor, 0.0
    if size > 0.0:
        root = np.sqrt(w + SMOOTH * size * size)
        scale = np.sqrt(1.0 + SMOOTH)
        psi, g, gg = -scale * root, -0.5 * scale / root, 0.25 * scale / (root * root * root)
    for i in range(5):
        for j in range(5):
            wij = fade * (Q[i, j] - m * amount * inv[i, j])
            if first:
                S[i, j] = g * wij
            else:
                S[i, j] += g * wij
            for k in range(5):
                for n in range(5):
                    wkn = fade * (Q[k, n] - m * amount * inv[k, n])
                    value = -0.5 * (
                        inv[i, k] * Q[n, j] + inv[i, n] * Q[k, j] + Q[i, k] * inv[n, j] + Q[i, n] * inv[k, j]
                    )
                    if m > 0.0:
                        value -= m * (inv[i, j] * Q[k, n] + Q[i, j] * inv[k, n])
                        value += (
                            m
                            * amount
                            * (m * inv[i, j] * inv[k, n] + 0.5 * (inv[i, k] * inv[j, n] + inv[i, n] * inv[j, k]))
                        )
                    value = g * fade * value + gg * wij * wkn
                    if first:
                        H[i, j, k, n] = value
                    else:
                        H[i, j, k, n] += value
    return psi


@kernel
def plate_viscous(ny, G, p, S, H):
    """Moduli of the stress β H:Ġ that follows the rates of e and κ; they fade out where the plate is flat.

    Ḃ = κ̇ κᵀ + κ κ̇ᵀ gives κ̇ = (Ḃκ − κ (κ·Ḃκ)/(2κ·κ))/(κ·κ).
    """
    P, inv = np.zeros((5, 3)), np.zeros((5, 5))
    det = plate_normals(G, P, inv)
    B = np.zeros((3, 3))
    for a in range(3):
        for b in range(3):
            for i in range(5):
                for j in range(5):
                    B[a, b] += P[i, a] * G[i, j] * P[j, b]
    square = B[0, 0] + B[1, 1] + B[2, 2]
    for i in range(5):
        for j in range(5):
            for k in range(5):
                for n in range(5):
                    H[i, j, k, n] = 0.0
    if square > 0.0:
        top = 0
        for a in range(1, 3):
            if B[a, a] > B[top, top]:
                top = a
        c = np.zeros(5)
        T = np.zeros((3, 5, 5))
        for i in range(5):
            for a in range(3):
                c[i] += P[i, a] * B[a, top] / np.sqrt(B[top, top])
        regular = square + p[25] * p[25]
        for a in range(3):
            v = B[a, top] / np.sqrt(B[top, top])
            for i in range(5):
                for j in range(5):
                    T[a, i, j] = (0.5 * (P[i, a] * c[j] + P[j, a] * c[i]) - 0.5 * v * c[i] * c[j] / square) / regular
        fade = det ** (-p[0])
        for a in range(3):
            for b in range(3):
                D = fade * p[13 + 3 * a + b]
                for i in range(5):
                    for j in range(5):
                        for k in range(5):
                            for n in range(5):
                                H[i, j, k, n] += D * T[a, i, j] * T[b, k, n]
    _add_membrane(p, H)
    return 0.0


@kernel
def plate_strain_stiffness(ny, d, y, G, p, H, K):
    """K = Jᵀ C⁻¹ J of the strains e and the curvatures κ_ab = n·r_ab: δκ_ab = n·(δr_ab + Σ P_α,ab δr_α)."""
    P, inv = np.zeros((5, 3)), np.zeros((5, 5))
    det = plate_normals(G, P, inv)
    n = np.empty(3)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        n[i] = (y[0, j] * y[1, k] - y[0, k] * y[1, j]) / np.sqrt(det)
    fade = det ** (-p[0])
    moduli = np.zeros((5, 5, 5, 5))
    _add_membrane(p, moduli)
    for u in range(5):
        for v in range(5):
            bend = 0.0
            for a in range(3):
                for b in range(3):
                    bend += P[u, a] * p[13 + 3 * a + b] * P[v, b]
            for i in range(3):
                for j in range(3):
                    K[u, i, v, j] = fade * bend * n[i] * n[j]
                    if u < 2 and v < 2:
                        for q in range(2):
                            for r in range(2):
                                K[u, i, v, j] += 4.0 * y[q, i] * moduli[u, q, v, r] * y[r, j]
    return 0.0
