"""Stored energies ψ(G) of the Gram matrix G_ij = y_i·y_j.

Each law fills S = ∂ψ/∂G (ny, ny) and H = ∂²ψ/∂G∂G (ny, ny, ny, ny) and returns ψ; the force on y_i is 2 Σ_j S_ij y_j.
S and H are taken as if all entries of G were independent and then made symmetric.
For a solid y_i are the columns of F, so that G = C = FᵀF, and 2S is the second Piola–Kirchhoff stress.
"""

import numpy as np

from condyle.laws.kernel import kernel


@kernel
def spring(ny, G, p, S, H):
    """ψ = ½ k (ℓ − L)², ℓ = |y|. p = (k [N/m], L [m], tension only: 0 or 1)."""
    k, rest = p[0], p[1]
    length = np.sqrt(G[0, 0])
    stretch = length - rest
    if p[2] > 0.0 and stretch < 0.0:
        S[0, 0] = 0.0
        H[0, 0, 0, 0] = 0.0
        return 0.0
    if rest == 0.0:
        S[0, 0] = 0.5 * k
        H[0, 0, 0, 0] = 0.0
        return 0.5 * k * G[0, 0]
    S[0, 0] = 0.5 * k * stretch / length
    H[0, 0, 0, 0] = 0.25 * k * rest / (length * length * length)
    return 0.5 * k * stretch * stretch


@kernel
def st_venant_kirchhoff(ny, G, p, S, H):
    """ψ = ½ λ (tr E)² + μ E:E, E = ½ (G − 1). p = (λ [Pa], μ [Pa])."""
    lam, mu = p[0], p[1]
    trace = 0.0
    for i in range(ny):
        trace += 0.5 * (G[i, i] - 1.0)
    psi = 0.5 * lam * trace * trace
    for i in range(ny):
        for j in range(ny):
            strain = 0.5 * (G[i, j] - (1.0 if i == j else 0.0))
            psi += mu * strain * strain
            S[i, j] = mu * strain + (0.5 * lam * trace if i == j else 0.0)
            for k in range(ny):
                for m in range(ny):
                    value = 0.0
                    if i == j and k == m:
                        value += 0.25 * lam
                    if i == k and j == m:
                        value += 0.25 * mu
                    if i == m and j == k:
                        value += 0.25 * mu
                    H[i, j, k, m] = value
    return psi


@kernel
def neo_hookean(ny, G, p, S, H):
    """ψ = ½ μ (tr G − ny) − μ ln J + ½ λ (ln J)², J = √det G. p = (λ [Pa], μ [Pa]). In 2D: plane strain."""
    lam, mu = p[0], p[1]
    det = invert(ny, G, S)  # S holds the inverse until H is filled
    if not det > 0.0:
        for i in range(ny):
            for j in range(ny):
                S[i, j] = np.nan
        return np.nan
    log_j = 0.5 * np.log(det)
    pressure = lam * log_j - mu
    for i in range(ny):
        for j in range(i + 1):
            for k in range(ny):
                for m in range(k + 1):
                    twin = S[i, k] * S[j, m] + S[i, m] * S[j, k]
                    value = 0.25 * (lam * S[i, j] * S[k, m] - pressure * twin)
                    H[i, j, k, m] = H[j, i, k, m] = H[i, j, m, k] = H[j, i, m, k] = value
    psi = -mu * log_j + 0.5 * lam * log_j * log_j
    for i in range(ny):
        psi += 0.5 * mu * (G[i, i] - 1.0)
        for j in range(ny):
            S[i, j] = 0.5 * pressure * S[i, j] + (0.5 * mu if i == j else 0.0)
    return psi


@kernel
def invert(ny, G, inv):
    """Inverse of a symmetric 1×1, 2×2 or 3×3 matrix into `inv`; returns the determinant."""
    if ny == 1:
        inv[0, 0] = 1.0 / G[0, 0]
        return G[0, 0]
    if ny == 2:
        det = G[0, 0] * G[1, 1] - G[0, 1] * G[1, 0]
        inv[0, 0] = G[1, 1] / det
        inv[1, 1] = G[0, 0] / det
        inv[0, 1] = inv[1, 0] = -G[0, 1] / det
        return det
    a, b, c = G[0, 0], G[0, 1], G[0, 2]
    e, f, i = G[1, 1], G[1, 2], G[2, 2]
    inv[0, 0] = e * i - f * f
    inv[0, 1] = inv[1, 0] = c * f - b * i
    inv[0, 2] = inv[2, 0] = b * f - c * e
    inv[1, 1] = a * i - c * c
    inv[1, 2] = inv[2, 1] = b * c - a * f
    inv[2, 2] = a * e - b * b
    det = a * inv[0, 0] + b * inv[0, 1] + c * inv[0, 2]
    for k in range(3):
        for m in range(3):
            inv[k, m] /= det
    return det
