"""Sweeps over contacts of free rigid bodies in space: each has two bodies, a normal and two arms, and impulses are vectors.

    u = v_b + ω_b × r_b − v_a − ω_a × r_a + s,   W = Σ 1/m − r× I⁻¹ r×

This is what `body_sweeps.py` does for rows of any unknowns, four times faster: nothing is looked up, and W⁻¹ of a contact, by
which it would hold, is known from the start. A contact that slips turns its friction by one projection and then presses so
that it neither opens nor sinks in; sweeps end where nothing changes any more, so they end at Coulomb's law.

With `give` ε > 0 a contact that holds gives way, u = −c (p − p₀), c = ε W_nn, about an impulse p₀ that it has held and that
follows p from step to step. Then no two contacts can want what cannot be, sweeps converge however many points hold a body, and
bodies at rest, with p = p₀, do not move.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from condyle.laws.kernel import kernel
from condyle.solvers.acceleration import combine, forget, make_room

# Columns of a contact: normal, arms on A and on B, s, W and W⁻¹ (xx, xy, xz, yy, yz, zz) with c on their diagonals, W across
# and the larger of W along, c.
NORMAL, ARM_A, ARM_B, SHIFT, W, HOLD, ACROSS, ALONG, SOFT = 0, 3, 6, 9, 12, 18, 24, 25, 26
COLUMNS = 27
# Columns of a body: 1/m, I⁻¹ (xx, xy, xz, yy, yz, zz).
ANSWERS = 7
CHECK = 5  # sweeps between two looks at the residual,
NEAR = 3.0  # and where a sweep has changed impulses by less than so many times what may be left
WAIT, PLAIN = (
    30,
    20,
)  # sweeps without a better residual, after which so many are not combined, from the best that was found
STALLED = 100  # sweeps in which the residual must become smaller


@kernel
def prepare(first, second, answer, give, table):
    """W, W⁻¹ and what else follows from normals and arms."""
    block = np.empty((3, 3))
    for c in range(first.size):
        g = table[c]
        for i in range(3):
            for j in range(3):
                block[i, j] = 0.0
        _add_mobility(answer[first[c]], g[ARM_A], g[ARM_A + 1], g[ARM_A + 2], block)
        _add_mobility(answer[second[c]], g[ARM_B], g[ARM_B + 1], g[ARM_B + 2], block)
        x, y, z = g[0], g[1], g[2]
        wx, wy, wz = _times(block, x, y, z)
        across = x * wx + y * wy + z * wz
        # The larger of W along is at most its trace less that across; the axes along do not matter.
        largest = _largest_along(block, x, y, z, across)
        soft = give * across
        for i in range(3):
            block[i, i] += soft
        at = 0
        for i in range(3):
            for j in range(i, 3):
                g[W + at] = block[i, j]
                at += 1
        _invert(g)
        g[ACROSS], g[ALONG], g[SOFT] = across + soft, largest + soft, soft


@kernel
def _times(A, x, y, z):
    return (
        A[0, 0] * x + A[0, 1] * y + A[0, 2] * z,
        A[1, 0] * x + A[1, 1] * y + A[1, 2] * z,
        A[2, 0] * x + A[2, 1] * y + A[2, 2] * z,
    )


@kernel
def _add_mobility(b, x, y, z, out):
    """out += 1/m − r× I⁻¹ r×."""
    for j in range(3):
        tx = -z if j == 1 else y if j == 2 else 0.0
        ty = z if j == 0 else -x if j == 2 else 0.0
        tz = -y if j == 0 else x if j == 1 else 0.0
        # r × e_j: j = 0: (0, z, −y), j = 1: (−z, 0, x), j = 2: (y, −x, 0); w = I⁻¹ (r × e_j)
        wx, wy, wz = (
            b[1] * tx + b[2] * ty + b[3] * tz,
            b[2] * tx + b[4] * ty + b[5] * tz,
            b[3] * tx + b[5] * ty + b[6] * tz,
        )
        out[0, j] += wy * z - wz * y  # w × r
        out[1, j] += wz * x - wx * z
        out[2, j] += wx * y - wy * x
        out[j, j] += b[0]


@kernel
def _largest_along(A, x, y, z, across):
    """The larger eigenvalue of A within the plane across (x, y, z)."""
    wx, wy, wz = _times(A, x, y, z)
    wx, wy, wz = wx - across * x, wy - across * y, wz - across * z  # n couples with this
    trace = A[0, 0] + A[1, 1] + A[2, 2] - across
    square = 0.0
    for i in range(3):
        for j in range(3):
            square += A[i, j] * A[i, j]
    square -= across * across + 2.0 * (wx * wx + wy * wy + wz * wz)  # Σ λ² of the two
    return 0.5 * (trace + sqrt(max(2.0 * square - trace * trace, 0.0)))


@kernel
def _invert(g):
    a, b, c, d, e, f = g[W], g[W + 1], g[W + 2], g[W + 3], g[W + 4], g[W + 5]
    A, B, C = d * f - e * e, c * e - b * f, b * e - c * d
    one = 1.0 / (a * A + b * B + c * C)
    g[HOLD], g[HOLD + 1], g[HOLD + 2] = A * one, B * one, C * one
    g[HOLD + 3], g[HOLD + 4], g[HOLD + 5] = (a * f - c * c) * one, (b * c - a * e) * one, (a * d - b * b) * one


@kernel
def push(answer, sign, x, y, z, px, py, pz, v):
    """The velocity v (6,) of a body changes by an impulse on an arm (x, y, z)."""
    one = sign * answer[0]
    v[0] += one * px
    v[1] += one * py
    v[2] += one * pz
    tx, ty, tz = sign * (y * pz - z * py), sign * (z * px - x * pz), sign * (x * py - y * px)
    v[3] += answer[1] * tx + answer[2] * ty + answer[3] * tz
    v[4] += answer[2] * tx + answer[4] * ty + answer[5] * tz
    v[5] += answer[3] * tx + answer[5] * ty + answer[6] * tz


@kernel
def push_all(first, second, table, answer, p, v):
    """Velocities v (b, 6) change by impulses p (k, 3)."""
    for c in range(first.size):
        x, y, z = p[c, 0], p[c, 1], p[c, 2]
        if x != 0.0 or y != 0.0 or z != 0.0:
            g = table[c]
            push(answer[second[c]], 1.0, g[ARM_B], g[ARM_B + 1], g[ARM_B + 2], x, y, z, v[second[c]])
            push(answer[first[c]], -1.0, g[ARM_A], g[ARM_A + 1], g[ARM_A + 2], x, y, z, v[first[c]])


@kernel
def slip(g, A, B):
    """u of a contact without what it gives, of bodies with velocities A and B."""
    ax, ay, az, bx, by, bz = g[ARM_A], g[ARM_A + 1], g[ARM_A + 2], g[ARM_B], g[ARM_B + 1], g[ARM_B + 2]
    return (
        B[0] - A[0] + B[4] * bz - B[5] * by - A[4] * az + A[5] * ay + g[SHIFT],
        B[1] - A[1] + B[5] * bx - B[3] * bz - A[5] * ax + A[3] * az + g[SHIFT + 1],
        B[2] - A[2] + B[3] * by - B[4] * bx - A[3] * ay + A[4] * ax + g[SHIFT + 2],
    )


@kernel
def _slides(g, mu, x, y, z, px, py, pz):
    """The impulse of a contact that does not hold, with the slip (x, y, z) at the impulse (px, py, pz)."""
    nx, ny, nz = g[0], g[1], g[2]
    fx = x - (g[W] * px + g[W + 1] * py + g[W + 2] * pz)  # without its own impulse
    fy = y - (g[W + 1] * px + g[W + 3] * py + g[W + 4] * pz)
    fz = z - (g[W + 2] * px + g[W + 4] * py + g[W + 5] * pz)
    f = fx * nx + fy * ny + fz * nz
    if f >= 0.0:
        return 0.0, 0.0, 0.0
    pn, un, r = px * nx + py * ny + pz * nz, x * nx + y * ny + z * nz, 1.0 / g[ALONG]
    if pn > 0.0:
        ex, ey, ez = (
            px - pn * nx - r * (x - un * nx),
            py - pn * ny - r * (y - un * ny),
            pz - pn * nz - r * (z - un * nz),
        )
    else:
        ex, ey, ez = f * nx - fx, f * ny - fy, f * nz - fz
    length = sqrt(ex * ex + ey * ey + ez * ez)
    scale = mu / length if length > 0.0 else 0.0
    dx, dy, dz = nx + scale * ex, ny + scale * ey, nz + scale * ez
    press = nx * (g[W] * dx + g[W + 1] * dy + g[W + 2] * dz)
    press += ny * (g[W + 1] * dx + g[W + 3] * dy + g[W + 4] * dz)
    press += nz * (g[W + 2] * dx + g[W + 4] * dy + g[W + 5] * dz)
    if press <= 1e-3 * g[ACROSS]:  # it would jam: without friction for now
        dx, dy, dz, press = nx, ny, nz, g[ACROSS]
    size = -f / press
    return size * dx, size * dy, size * dz


@kernel
def sweep(first, second, table, answer, mu, p, v):
    """One sweep over all contacts, in place; the sum of squares of all changes."""
    total, most = 0.0, mu * mu
    for c in range(first.size):
        g = table[c]
        A, B = v[first[c]], v[second[c]]
        x, y, z = slip(g, A, B)
        px, py, pz, soft = p[c, 0], p[c, 1], p[c, 2], g[SOFT]
        x, y, z = x + soft * px, y + soft * py, z + soft * pz
        nx, ny, nz = g[0], g[1], g[2]
        if x * nx + y * ny + z * nz >= 0.0 and px == 0.0 and py == 0.0 and pz == 0.0:
            continue
        qx = px - (g[HOLD] * x + g[HOLD + 1] * y + g[HOLD + 2] * z)  # it holds
        qy = py - (g[HOLD + 1] * x + g[HOLD + 3] * y + g[HOLD + 4] * z)
        qz = pz - (g[HOLD + 2] * x + g[HOLD + 4] * y + g[HOLD + 5] * z)
        q = qx * nx + qy * ny + qz * nz
        if not (q >= 0.0 and qx * qx + qy * qy + qz * qz - q * q <= most * q * q):
            qx, qy, qz = _slides(g, mu, x, y, z, px, py, pz)
        x, y, z = qx - px, qy - py, qz - pz
        p[c, 0], p[c, 1], p[c, 2] = qx, qy, qz
        push(answer[second[c]], 1.0, g[ARM_B], g[ARM_B + 1], g[ARM_B + 2], x, y, z, B)
        push(answer[first[c]], -1.0, g[ARM_A], g[ARM_A + 1], g[ARM_A + 2], x, y, z, A)
        total += x * x + y * y + z * z
    return total


@kernel
def drive_of(first, second, table, v):
    """The size of what impulses have to stop, Σ (u/W)², at velocities v without impulses."""
    total = 0.0
    for c in range(first.size):
        g = table[c]
        x, y, z = slip(g, v[first[c]], v[second[c]])
        n = x * g[0] + y * g[1] + z * g[2]
        total += (n / g[ACROSS]) ** 2 + (x * x + y * y + z * z - n * n) / g[ALONG] ** 2
    return total


@kernel
def residual_of(first, second, table, mu, drive, p, v):
    """How far p is from Coulomb's law, relative to the impulses at hand, as of `FrictionProblem.residual`."""
    error, size = 0.0, 0.0
    for c in range(first.size):
        g = table[c]
        nx, ny, nz = g[0], g[1], g[2]
        x, y, z = slip(g, v[first[c]], v[second[c]])
        px, py, pz, soft = p[c, 0], p[c, 1], p[c, 2], g[SOFT]
        x, y, z = x + soft * px, y + soft * py, z + soft * pz
        u, n, r = x * nx + y * ny + z * nz, px * nx + py * ny + pz * nz, 1.0 / g[ALONG]
        error += (n - max(n - u / g[ACROSS], 0.0)) ** 2
        size += px * px + py * py + pz * pz
        px, py, pz = px - n * nx, py - n * ny, pz - n * nz
        x, y, z = px - r * (x - u * nx), py - r * (y - u * ny), pz - r * (z - u * nz)
        length, bound = sqrt(x * x + y * y + z * z), mu * max(n, 0.0)
        scale = bound / length if length > bound else 1.0
        error += (px - scale * x) ** 2 + (py - scale * y) ** 2 + (pz - scale * z) ** 2
    level = max(size, drive)
    return sqrt(error / level) if level > 0.0 else 0.0


@kernel
def _level(P, drive):
    """The squares of the impulses at hand, of which a residual is a part."""
    total = 0.0
    for i in range(P.size):
        total += P[i] * P[i]
    return max(total, drive)


@kernel
def sweep_rigid(first, second, table, answer, mu, drive, p, v, tolerance, most):
    """Sweeps from p (k, 3), in place, with v (b, 6) as impulses p have made it; how many, and the residual that is left.

    The last row of v and of answer (b, ANSWERS) is what does not move. Sweeps are combined (`acceleration.py`).
    """
    residual = residual_of(first, second, table, mu, drive, p, v)
    if residual <= tolerance:
        return 0, residual
    P, V = p.reshape(-1), v.reshape(-1)
    m, n = P.size, V.size
    best, lately, count = residual, residual, 0
    kept, kept_v = P.copy(), V.copy()
    room, waits, plain = make_room(m, n), 0, 0
    before = room[0]
    while count < most:
        count += 1
        for i in range(m):
            before[i] = P[i]
        size = sweep(first, second, table, answer, mu, p, v)
        if count % CHECK == 0 or count == most or size <= NEAR**2 * tolerance**2 * _level(P, drive):
            residual = residual_of(first, second, table, mu, drive, p, v)
            waits += CHECK
            if residual < best:
                waits = 0
                best = residual
                for i in range(m):
                    kept[i] = P[i]
                for i in range(n):
                    kept_v[i] = V[i]
            if residual <= tolerance or size == 0.0:
                break
            if count % STALLED == 0:
                if best > 0.9 * lately:
                    break
                lately = best
            if waits >= WAIT:
                waits, plain = 0, PLAIN
                for i in range(m):
                    P[i] = kept[i]
                for i in range(n):
                    V[i] = kept_v[i]
        if plain > 0:
            plain -= 1
            forget(room)
            continue
        combine(room, size, P, V)
    for i in range(m):
        P[i] = kept[i]
    for i in range(n):
        V[i] = kept_v[i]
    return count, best


@kernel
def move_out(first, second, table, answer, gap, left, nearly, most, way):
    """Moves way (b, 6) by which what overlaps (gap < 0) comes out but for `left`; what others would then overlap does, too."""
    k, deepest = gap.size, 0.0
    z = np.zeros(k)
    for c in range(k):
        deepest = max(deepest, -gap[c])
    for _ in range(most):
        largest = 0.0
        for c in range(k):
            g = table[c]
            A, B = way[first[c]], way[second[c]]
            nx, ny, nz = g[0], g[1], g[2]
            ax, ay, az, bx, by, bz = g[ARM_A], g[ARM_A + 1], g[ARM_A + 2], g[ARM_B], g[ARM_B + 1], g[ARM_B + 2]
            across = nx * (B[0] - A[0] + B[4] * bz - B[5] * by - A[4] * az + A[5] * ay)
            across += ny * (B[1] - A[1] + B[5] * bx - B[3] * bz - A[5] * ax + A[3] * az)
            across += nz * (B[2] - A[2] + B[3] * by - B[4] * bx - A[3] * ay + A[4] * ax)
            now = across + gap[c] + left
            if now >= 0.0 and z[c] == 0.0:
                continue
            stiff = g[ACROSS] - g[SOFT]
            new = max(z[c] - now / stiff, 0.0)
            d = new - z[c]
            z[c] = new
            largest = max(largest, abs(d) * stiff)
            push(answer[second[c]], 1.0, bx, by, bz, d * nx, d * ny, d * nz, B)
            push(answer[first[c]], -1.0, ax, ay, az, d * nx, d * ny, d * nz, A)
        if largest <= nearly * deepest:
            break
