"""The way between two points round an ellipsoid: straight to where it touches, along a geodesic, straight on.

In axes of the ellipsoid, ½ (xᵀ D x − 1) = 0 with D = diag(1/a²). The geodesic leaves the first tangent point Q along the
line from p and obeys Q'' = −(Q'ᵀ D Q') D Q / |D Q|². Unknown are Q and the length σ of the geodesic, given are four
equations: Q lies on the surface, p in its tangent plane, and s on the tangent where the geodesic ends.
"""

import numpy as np

from condyle.laws.kernel import kernel

STEPS = 64  # of the classical Runge–Kutta rule along the geodesic
LEAN = 0.2  # of the first guess towards the side: decides where the ends lie opposite each other
STEP = 1e-6  # of differences, relative to the largest semi-axis


@kernel
def bend(D, Q, T, out):
    """Q'' of a geodesic."""
    top, bottom = 0.0, 0.0
    for a in range(3):
        top += T[a] * D[a] * T[a]
        bottom += (D[a] * Q[a]) ** 2
    for a in range(3):
        out[a] = -top / bottom * D[a] * Q[a]


@kernel
def follow(D, Q, T, length):
    """Go along a geodesic: Q and T become place and direction at its end."""
    h = length / STEPS
    k = np.zeros((4, 2, 3))
    q, t = np.zeros(3), np.zeros(3)
    for _ in range(STEPS):
        for stage in range(4):
            share = 0.0 if stage == 0 else (1.0 if stage == 3 else 0.5)
            for a in range(3):
                q[a] = Q[a] + (share * h * k[stage - 1, 0, a] if stage else 0.0)
                t[a] = T[a] + (share * h * k[stage - 1, 1, a] if stage else 0.0)
            for a in range(3):
                k[stage, 0, a] = t[a]
            bend(D, q, t, k[stage, 1])
        for a in range(3):
            Q[a] += h / 6.0 * (k[0, 0, a] + 2.0 * k[1, 0, a] + 2.0 * k[2, 0, a] + k[3, 0, a])
            T[a] += h / 6.0 * (k[0, 1, a] + 2.0 * k[1, 1, a] + 2.0 * k[2, 1, a] + k[3, 1, a])


@kernel
def defects(D, z, U, R, g):
    """The four equations R at the unknowns U = (Q, σ) for z = (p, s); g: unit vectors, the gradient of the length by z.

    Returns the length.
    """
    Q, T = np.zeros(3), np.zeros(3)
    first = 0.0
    for a in range(3):
        Q[a] = U[a]
        first += (U[a] - z[a]) ** 2
    first = np.sqrt(first)
    R[0], R[1] = -1.0, 0.0
    for a in range(3):
        T[a] = (Q[a] - z[a]) / first
        g[a] = -T[a]
        R[0] += Q[a] * D[a] * Q[a]
        R[1] += (z[a] - Q[a]) * D[a] * Q[a]
    follow(D, Q, T, U[3])
    last, size = 0.0, 0.0
    for a in range(3):
        last += (z[3 + a] - Q[a]) ** 2
        size += (D[a] * Q[a]) ** 2
    last, size = np.sqrt(last), np.sqrt(size)
    R[2], R[3] = 0.0, 0.0
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        g[3 + a] = (z[3 + a] - Q[a]) / last
        R[2] += g[3 + a] * D[a] * Q[a] / size
        R[3] += g[3 + a] * (D[b] * Q[b] * T[c] - D[c] * Q[c] * T[b]) / size
    return first + U[3] + last


@kernel
def solve_small(n, A, b):
    """b becomes A⁻¹ b; A is overwritten. Returns whether it could."""
    for k in range(n):
        pivot = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[pivot, k]):
                pivot = i
        if not abs(A[pivot, k]) > 0.0:
            return False
        for j in range(n):
            A[k, j], A[pivot, j] = A[pivot, j], A[k, j]
        b[k], b[pivot] = b[pivot], b[k]
        for i in range(k + 1, n):
            f = A[i, k] / A[k, k]
            for j in range(k, n):
                A[i, j] -= f * A[k, j]
            b[i] -= f * b[k]
    for k in range(n - 1, -1, -1):
        for j in range(k + 1, n):
            b[k] -= A[k, j] * b[j]
        b[k] /= A[k, k]
    return True


@kernel
def jacobian(D, z, U, scale, J):
    """∂R/∂U by central differences."""
    ahead, behind, g, V = np.zeros(4), np.zeros(4), np.zeros(6), U.copy()
    for k in range(4):
        V[k] = U[k] + STEP * scale
        defects(D, z, V, ahead, g)
        V[k] = U[k] - STEP * scale
        defects(D, z, V, behind, g)
        V[k] = U[k]
        for i in range(4):
            J[i, k] = (ahead[i] - behind[i]) / (2.0 * STEP * scale)


@kernel
def first_guess(D, side, z, U):
    """Q and σ by the affine map to a unit sphere, where tangents stay tangents; False if the straight line is free.

    The shortest way, or the one whose middle lies towards `side`, if that is not zero: perhaps the longer one.
    """
    p, s, m = np.zeros(3), np.zeros(3), np.zeros(3)
    pp, ss, ps, pu, su = 0.0, 0.0, 0.0, 0.0, 0.0
    for a in range(3):
        root = np.sqrt(D[a])
        p[a], s[a] = root * z[a], root * z[3 + a]
        pp, ss, ps = pp + p[a] * p[a], ss + s[a] * s[a], ps + p[a] * s[a]
        pu, su = pu + z[a] * side[a], su + z[3 + a] * side[a]
    alpha, beta = np.arccos(1.0 / np.sqrt(pp)), np.arccos(1.0 / np.sqrt(ss))
    gamma = np.arccos(min(max(ps / np.sqrt(pp * ss), -1.0), 1.0))
    sense = 1.0
    if pu / np.sqrt(pp) + su / np.sqrt(ss) < 0.0:
        gamma, sense = 2.0 * np.pi - gamma, -1.0
    around = gamma - alpha - beta
    if around <= 0.0:
        return False
    across = 0.0  # m: unit vector in the plane of p and s, square to p, towards s or away from it, a little to the side
    for a in range(3):
        m[a] = sense * (s[a] - ps / pp * p[a]) / np.sqrt(ss) + LEAN * (side[a] / np.sqrt(D[a]) - pu / pp * p[a])
        across += m[a] * m[a]
    across = max(np.sqrt(across), 1e-300)
    length, before = 0.0, np.zeros(3)
    for k in range(17):
        angle = alpha + around * k / 16.0
        step = 0.0
        for a in range(3):
            x = (np.cos(angle) * p[a] / np.sqrt(pp) + np.sin(angle) * m[a] / across) / np.sqrt(D[a])
            step += (x - before[a]) ** 2
            before[a] = x
            if k == 0:
                U[a] = x
        if k:
            length += np.sqrt(step)
    U[3] = length
    return True


@kernel
def ellipsoid_way(axes, side, z, g, H):
    """Length from p to s, z = (p, s) in axes of an ellipsoid with semi-axes `axes`; fills gradient g (6,), Hessian H (6, 6).

    side (3,): zero for the shortest way.
    """
    D, U, R = np.zeros(3), np.zeros(4), np.zeros(4)
    inside_p, inside_s, scale = 0.0, 0.0, 0.0
    for a in range(3):
        D[a] = 1.0 / (axes[a] * axes[a])
        scale = max(scale, axes[a])
        inside_p += D[a] * z[a] * z[a]
        inside_s += D[a] * z[3 + a] * z[3 + a]
    if inside_p <= 1.0 or inside_s <= 1.0:
        return np.nan
    if not first_guess(D, side, z, U):
        length = 0.0
        for a in range(3):
            length += (z[3 + a] - z[a]) ** 2
        length = np.sqrt(length)
        for a in range(3):
            g[3 + a] = (z[3 + a] - z[a]) / length
            g[a] = -g[3 + a]
        for a in range(6):
            for b in range(6):
                sign = 1.0 if (a < 3) == (b < 3) else -1.0
                same = 1.0 if a % 3 == b % 3 else 0.0
                H[a, b] = (sign * same - g[a] * g[b]) / length
        return length
    J = np.zeros((4, 4))
    length = defects(D, z, U, R, g)
    error = abs(R[0]) + abs(R[1]) + abs(R[2]) + abs(R[3])
    for _ in range(30):
        if error < 1e-14:
            break
        jacobian(D, z, U, scale, J)
        move = R.copy()
        if not solve_small(4, J, move):
            return np.nan
        factor, V = 1.0, np.zeros(4)
        while True:
            for k in range(4):
                V[k] = U[k] - factor * move[k]
            there = defects(D, z, V, R, g)
            now = abs(R[0]) + abs(R[1]) + abs(R[2]) + abs(R[3])
            if now < error or factor < 1e-3:
                break
            factor *= 0.5
        if not now < error:
            break
        U[:] = V
        length, error = there, now
    if not error < 1e-8:
        return np.nan
    length = defects(D, z, U, R, g)
    # ∂U/∂z = −J⁻¹ ∂R/∂z, then the change of the unit vectors along z and U together
    ahead, behind, g1, g0 = np.zeros(4), np.zeros(4), np.zeros(6), np.zeros(6)
    w, V = np.zeros(6), np.zeros(4)
    e = STEP * scale
    matrix = np.zeros((4, 4))
    jacobian(D, z, U, scale, matrix)
    for k in range(6):
        w[:] = z
        w[k] = z[k] + e
        defects(D, w, U, ahead, g1)
        w[k] = z[k] - e
        defects(D, w, U, behind, g0)
        move = (behind - ahead) / (2.0 * e)
        J[:] = matrix
        if not solve_small(4, J, move):
            return np.nan
        for sign in (1.0, -1.0):
            w[k] = z[k] + sign * e
            for i in range(4):
                V[i] = U[i] + sign * e * move[i]
            defects(D, w, V, R, g1 if sign > 0.0 else g0)
        for i in range(6):
            H[i, k] = (g1[i] - g0[i]) / (2.0 * e)
    for i in range(6):
        for k in range(i):
            H[i, k] = H[k, i] = 0.5 * (H[i, k] + H[k, i])
    return length
