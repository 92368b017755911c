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
    extension = length - rest
    if p[2] > 0.0 and extension < 0.0:
        S[0, 0] = 0.0
        H[0, 0, 0, 0] = 0.0
        return 0.0
    if rest == 0.0:
        S[0, 0] = 0.5 * k
        H[0, 0, 0, 0] = 0.0
        return 0.5 * k * G[0, 0]
    S[0, 0] = 0.5 * k * extension / length
    H[0, 0, 0, 0] = 0.25 * k * rest / (length * length * length)
    return 0.5 * k * extension * extension


@kernel
def spring_stiffness(ny, d, y, G, p, H, K):
    """K = k n nᵀ along the line, k 1 without rest length; none when slack."""
    slack = p[2] > 0.0 and G[0, 0] < p[1] * p[1]
    for a in range(d):
        for b in range(d):
            along = (1.0 if a == b else 0.0) if p[1] == 0.0 else y[0, a] * y[0, b] / G[0, 0]
            K[0, a, 0, b] = 0.0 if slack else p[0] * along
    return 0.0


def initial_stress(C, p, S, H):
    """ψ = ½ S₀:(C − 1): the second Piola–Kirchhoff stress S₀ at every strain. p = S₀, row by row [Pa]."""
    for k in range(6):
        i, j = (k, k) if k < 3 else ((0, k - 2) if k < 5 else (1, 2))
        S[k] = 0.25 * (p[3 * i + j] + p[3 * j + i])
        for m in range(6):
            H[k, m] = 0.0
    psi = 0.0
    for k in range(6):
        psi += S[k] * (C[k] - 1.0) if k < 3 else 2.0 * S[k] * C[k]
    return psi


def volume(x, p, d, dd):
    """ψ = J."""
    d[2] = 1.0
    return x[2]


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
