"""Tangent maps: from rows to unknowns and back (docs/architecture.md). Free rows add, directors turn: δd = δθ × d."""

import numpy as np

from condyle.laws.kernel import kernel
from condyle.system.tables import DIRECTOR, FIXED, FREE


@kernel
def scatter(A, slot, stride, kind_r, kind_s, left, right, K, d):
    """A += P_rᵀ K P_s for one pair of rows; `left` and `right` are the directors the maps are taken at.

    δd = δθ × d, so P_rᵀ k = d × k for each column k of K, and k·P_s = d × k for each row.
    """
    if kind_r == FREE and kind_s == FREE:
        for a in range(d):
            for b in range(d):
                A[slot + a * stride + b] += K[a, b]
    elif d == 2:
        if kind_r == FREE:
            for a in range(2):
                A[slot + a * stride] += K[a, 1] * right[0] - K[a, 0] * right[1]
        elif kind_s == FREE:
            for b in range(2):
                A[slot + b] += left[0] * K[1, b] - left[1] * K[0, b]
        else:
            k0 = left[0] * K[1, 0] - left[1] * K[0, 0]
            k1 = left[0] * K[1, 1] - left[1] * K[0, 1]
            A[slot] += k1 * right[0] - k0 * right[1]
    else:
        for i in range(3):
            if kind_r == DIRECTOR:
                j, m = (i + 1) % 3, (i + 2) % 3
                k0 = left[j] * K[m, 0] - left[m] * K[j, 0]
                k1 = left[j] * K[m, 1] - left[m] * K[j, 1]
                k2 = left[j] * K[m, 2] - left[m] * K[j, 2]
            else:
                k0, k1, k2 = K[i, 0], K[i, 1], K[i, 2]
            at = slot + i * stride
            if kind_s == DIRECTOR:
                A[at] += right[1] * k2 - right[2] * k1
                A[at + 1] += right[2] * k0 - right[0] * k2
                A[at + 2] += right[0] * k1 - right[1] * k0
            else:
                A[at] += k0
                A[at + 1] += k1
                A[at + 2] += k2


@kernel(forceinline=True)
def share_of_row(rows, row, at_end, share):
    """What of a force at n+1 a row takes in a step: all if it is quasi-static, `share` if only others are.

    Energy–momentum balances mid-step, where rows with inertia feel the mean of the forces at both ends; those at n are a load.
    """
    return share if at_end and not rows.quasi[row] else 1.0


@kernel(forceinline=True)
def row_of(x, row):
    """A row as three numbers, the last 0 in the plane. (Numbers are handed on faster than slices of arrays.)"""
    return x[row, 0], x[row, 1], x[row, 2] if x.shape[1] == 3 else 0.0


@kernel(forceinline=True)
def set_row(x, row, a, b, c):
    """Put three numbers into a row, in the plane the first two."""
    x[row, 0], x[row, 1] = a, b
    if x.shape[1] == 3:
        x[row, 2] = c


@kernel(forceinline=True)
def mean_row_of(x0, x1, row, share):
    """A row between the two ends of a step, as three numbers: where left maps are taken."""
    other = 1.0 - share
    z = other * x0[row, 2] + share * x1[row, 2] if x0.shape[1] == 3 else 0.0
    return other * x0[row, 0] + share * x1[row, 0], other * x0[row, 1] + share * x1[row, 1], z


@kernel(forceinline=True)
def add_cross(A, slot, stride, k, y):
    """A += k S(y), the cross-product matrix of a vector in space."""
    A[slot + 1] -= k * y[2]
    A[slot + 2] += k * y[1]
    A[slot + stride] += k * y[2]
    A[slot + stride + 2] -= k * y[0]
    A[slot + 2 * stride] -= k * y[1]
    A[slot + 2 * stride + 1] += k * y[0]


@kernel(forceinline=True)
def scatter_scalar(A, slot, stride, kind_r, kind_s, left, right, k, d):
    """`scatter` of K = k 1, directors as three numbers: of two k ((l·r) 1 − r lᵀ), of one k S(l) or −k S(r)."""
    if kind_r == FREE and kind_s == FREE:
        A[slot] += k
        A[slot + stride + 1] += k
        if d == 3:
            A[slot + 2 * (stride + 1)] += k
    elif d == 2:
        if kind_r == FREE:
            A[slot] -= k * right[1]
            A[slot + stride] += k * right[0]
        elif kind_s == FREE:
            A[slot] -= k * left[1]
            A[slot + 1] += k * left[0]
        else:
            A[slot] += k * (left[0] * right[0] + left[1] * right[1])
    elif kind_r == FREE:
        add_cross(A, slot, stride, -k, right)
    elif kind_s == FREE:
        add_cross(A, slot, stride, k, left)
    else:
        r0, r1, r2 = k * right[0], k * right[1], k * right[2]
        dot = left[0] * r0 + left[1] * r1 + left[2] * r2
        A[slot] += dot - r0 * left[0]
        A[slot + 1] -= r0 * left[1]
        A[slot + 2] -= r0 * left[2]
        slot += stride
        A[slot] -= r1 * left[0]
        A[slot + 1] += dot - r1 * left[1]
        A[slot + 2] -= r1 * left[2]
        slot += stride
        A[slot] -= r2 * left[0]
        A[slot + 1] -= r2 * left[1]
        A[slot + 2] += dot - r2 * left[2]


@kernel
def scatter_mapped(A, slot, stride, kind_r, left, K, right, d):
    """A += P_rᵀ K R_s where R_s (d, 3) is the given derivative of a director's rate by δθ (in 2D its last column)."""
    k = 3 if d == 3 else 1
    for b in range(k):
        column = b if d == 3 else 2
        v0 = v1 = v2 = 0.0
        for a in range(d):
            v0 += K[0, a] * right[a, column]
            v1 += K[1, a] * right[a, column]
            if d == 3:
                v2 += K[2, a] * right[a, column]
        if kind_r == FREE:
            A[slot + b] += v0
            A[slot + stride + b] += v1
            if d == 3:
                A[slot + 2 * stride + b] += v2
        elif d == 2:
            A[slot + b] += left[0] * v1 - left[1] * v0
        else:
            A[slot + b] += left[1] * v2 - left[2] * v1
            A[slot + stride + b] += left[2] * v0 - left[0] * v2
            A[slot + 2 * stride + b] += left[0] * v1 - left[1] * v0


@kernel(forceinline=True)
def scatter_vector(A, slot, step, kind, director, g, d):
    """A[slot + i·step] += (Pᵀ g)_i: a constraint gradient, as a column (step = stride) or a line (step = 1)."""
    if kind == FREE:
        for a in range(d):
            A[slot + a * step] += g[a]
    elif d == 2:
        A[slot] += director[0] * g[1] - director[1] * g[0]
    else:
        A[slot] += director[1] * g[2] - director[2] * g[1]
        A[slot + step] += director[2] * g[0] - director[0] * g[2]
        A[slot + 2 * step] += director[0] * g[1] - director[1] * g[0]


@kernel
def add_curvature(rows, q, x1, kappa, A):
    """A += κ Σ_i S(q_i) S(d_i) on each rigid body's δθ block: the change of the left map (q must be complete)."""
    d = x1.shape[1]
    for body in range(rows.bodies.shape[0]):
        slot = rows.body_slot[body]
        stride = rows.stride[rows.bodies[body, 0]]
        if d == 2:
            for k in range(2):
                row = rows.bodies[body, k]
                A[slot] -= kappa * (q[row, 0] * x1[row, 0] + q[row, 1] * x1[row, 1])
            continue
        # S(q) S(d) = d qᵀ − (q·d) 1
        m00 = m01 = m02 = m10 = m11 = m12 = m20 = m21 = m22 = 0.0
        for k in range(3):
            row = rows.bodies[body, k]
            y0, y1, y2 = row_of(x1, row)
            f0, f1, f2 = row_of(q, row)
            m00 += y0 * f0
            m01 += y0 * f1
            m02 += y0 * f2
            m10 += y1 * f0
            m11 += y1 * f1
            m12 += y1 * f2
            m20 += y2 * f0
            m21 += y2 * f1
            m22 += y2 * f2
        A[slot] -= kappa * (m11 + m22)
        A[slot + 1] += kappa * m01
        A[slot + 2] += kappa * m02
        slot += stride
        A[slot] += kappa * m10
        A[slot + 1] -= kappa * (m00 + m22)
        A[slot + 2] += kappa * m12
        slot += stride
        A[slot] += kappa * m20
        A[slot + 1] += kappa * m21
        A[slot + 2] -= kappa * (m00 + m11)


@kernel
def project(rows, x_test, q, q_scale, q_noise, r, r_scale, r_noise):
    """r = P_testᵀ q: the residual of the unknowns; its scale and noise likewise with absolute values."""
    d = x_test.shape[1]
    unknown, kind = rows.unknown, rows.kind
    for row in range(q.shape[0]):
        u = unknown[row]
        if kind[row] == FREE and d == 2:
            _add_plane_row(r, u, q, row)
            _add_plane_row(r_scale, u, q_scale, row)
            _add_plane_row(r_noise, u, q_noise, row)
        elif kind[row] == FREE:
            _add_three(r, u, q[row, 0], q[row, 1], q[row, 2])
            _add_three(r_scale, u, q_scale[row, 0], q_scale[row, 1], q_scale[row, 2])
            _add_three(r_noise, u, q_noise[row, 0], q_noise[row, 1], q_noise[row, 2])
        elif kind[row] == DIRECTOR and d == 2:
            y0, y1, _ = row_of(x_test, row)
            r[u] += y0 * q[row, 1] - y1 * q[row, 0]
            r_scale[u] += abs(y0) * q_scale[row, 1] + abs(y1) * q_scale[row, 0]
            r_noise[u] += abs(y0) * q_noise[row, 1] + abs(y1) * q_noise[row, 0]
    if d == 3:
        for body in range(rows.bodies.shape[0]):
            u = rows.unknown[rows.bodies[body, 0]]
            f0 = f1 = f2 = s0 = s1 = s2 = n0 = n1 = n2 = 0.0
            for k in range(3):
                row = rows.bodies[body, k]
                y0, y1, y2 = row_of(x_test, row)
                v0, v1, v2 = row_of(q, row)
                f0 += y1 * v2 - y2 * v1
                f1 += y2 * v0 - y0 * v2
                f2 += y0 * v1 - y1 * v0
                y0, y1, y2 = abs(y0), abs(y1), abs(y2)
                s0, s1, s2 = _add_sizes(y0, y1, y2, q_scale, row, s0, s1, s2)
                n0, n1, n2 = _add_sizes(y0, y1, y2, q_noise, row, n0, n1, n2)
            _add_three(r, u, f0, f1, f2)
            _add_three(r_scale, u, s0, s1, s2)
            _add_three(r_noise, u, n0, n1, n2)


@kernel(forceinline=True)
def _add_sizes(y0, y1, y2, sizes, row, s0, s1, s2):
    """s + |y × v| with all terms positive: y, v are sizes, s what bodies have so far."""
    v0, v1, v2 = row_of(sizes, row)
    return s0 + (y1 * v2 + y2 * v1), s1 + (y2 * v0 + y0 * v2), s2 + (y0 * v1 + y1 * v0)


@kernel(forceinline=True)
def _add_plane_row(r, u, q, row):
    r[u] += q[row, 0]
    r[u + 1] += q[row, 1]


@kernel(forceinline=True)
def _add_three(r, u, f0, f1, f2):
    r[u] += f0
    r[u + 1] += f1
    r[u + 2] += f2


@kernel
def project_sizes(rows, x_test, q_scale, r_scale):
    """The part of `project` that concerns sizes."""
    d = x_test.shape[1]
    for row in range(q_scale.shape[0]):
        u = rows.unknown[row]
        if rows.kind[row] == FREE:
            for a in range(d):
                r_scale[u + a] += q_scale[row, a]
        elif rows.kind[row] == DIRECTOR and d == 2:
            y0, y1, _ = row_of(x_test, row)
            r_scale[u] += abs(y0) * q_scale[row, 1] + abs(y1) * q_scale[row, 0]
    if d == 3:
        for body in range(rows.bodies.shape[0]):
            u = rows.unknown[rows.bodies[body, 0]]
            s0 = s1 = s2 = 0.0
            for k in range(3):
                row = rows.bodies[body, k]
                y0, y1, y2 = row_of(x_test, row)
                y0, y1, y2 = abs(y0), abs(y1), abs(y2)
                s0, s1, s2 = _add_sizes(y0, y1, y2, q_scale, row, s0, s1, s2)
            _add_three(r_scale, u, s0, s1, s2)


@kernel
def move(rows, du, x):
    """x ← x ∘ du: free rows add, directors turn by the Cayley rotation of δθ (exactly orthonormal)."""
    d = x.shape[1]
    for row in range(x.shape[0]):
        if rows.kind[row] == FREE:
            u = rows.unknown[row]
            for a in range(d):
                x[row, a] += du[u + a]
    spin = np.zeros(3)
    for body in range(rows.bodies.shape[0]):
        u = rows.unknown[rows.bodies[body, 0]]
        if d == 2:
            spin[2] = du[u]
        else:
            for a in range(3):
                spin[a] = du[u + a]
        _turn(rows, body, spin, x)


@kernel
def turns_of(rows, x, v, h, out):
    """h ω = ½ h Σ d_i × ḋ_i of all bodies, shape (nb, 3)."""
    d = x.shape[1]
    half = 0.5 * h
    for body in range(rows.bodies.shape[0]):
        for a in range(3):
            out[body, a] = 0.0
        for k in range(d):
            y, w = x[rows.bodies[body, k]], v[rows.bodies[body, k]]
            if d == 3:
                out[body, 0] += half * (y[1] * w[2] - y[2] * w[1])
                out[body, 1] += half * (y[2] * w[0] - y[0] * w[2])
            out[body, 2] += half * (y[0] * w[1] - y[1] * w[0])


@kernel
def first_step(rows, v, h, x0, x1, step, turn):
    """The first guess of a step: free rows go on by h v, bodies turn with ω = ½ Σ d_i × ḋ_i; see `place`."""
    d = x0.shape[1]
    for row in range(x0.shape[0]):
        if rows.kind[row] == FREE:
            for a in range(d):
                step[row, a] = h * v[row, a]
    turns_of(rows, x0, v, h, turn)
    place(rows, x0, x1, step, turn)


@kernel
def move_step(rows, du, x0, x1, step, turn):
    """Go on from an iterate: free rows add du to their step, rotations are composed; see `place`.

    Cayley vectors: cay(δ) cay(θ) = cay((θ + δ + ½ δ × θ) / (1 − ¼ δ·θ)).
    """
    d = x0.shape[1]
    for row in range(x0.shape[0]):
        if rows.kind[row] == FREE:
            u = rows.unknown[row]
            for a in range(d):
                step[row, a] += du[u + a]
    for body in range(rows.bodies.shape[0]):
        u = rows.unknown[rows.bodies[body, 0]]
        if d == 2:
            turn[body, 2] = (turn[body, 2] + du[u]) / (1.0 - 0.25 * du[u] * turn[body, 2])
        else:
            tx, ty, tz = turn[body, 0], turn[body, 1], turn[body, 2]
            ex, ey, ez = du[u], du[u + 1], du[u + 2]
            scale = 1.0 / (1.0 - 0.25 * (ex * tx + ey * ty + ez * tz))
            turn[body, 0] = scale * (tx + ex + 0.5 * (ey * tz - ez * ty))
            turn[body, 1] = scale * (ty + ey + 0.5 * (ez * tx - ex * tz))
            turn[body, 2] = scale * (tz + ez + 0.5 * (ex * ty - ey * tx))
    place(rows, x0, x1, step, turn)


@kernel
def place(rows, x0, x1, step, turn):
    """x1 = x0 + step; directors turn by their body's Cayley vector `turn`, which gives their step too.

    Velocities are made of `step`, never of x1 − x0: far from the origin, or in a short step, that has lost its digits.
    """
    d = x0.shape[1]
    for body in range(rows.bodies.shape[0]):
        tx, ty, tz = turn[body, 0], turn[body, 1], turn[body, 2]
        scale = 1.0 / (1.0 + 0.25 * (tx * tx + ty * ty + tz * tz))
        for k in range(d):
            row = rows.bodies[body, k]
            vx, vy, vz = row_of(x0, row)
            # scale (θ × v + ½ θ × (θ × v))
            ax, ay, az = ty * vz - tz * vy, tz * vx - tx * vz, tx * vy - ty * vx
            sx = scale * (ax + 0.5 * (ty * az - tz * ay))
            sy = scale * (ay + 0.5 * (tz * ax - tx * az))
            sz = scale * (az + 0.5 * (tx * ay - ty * ax))
            set_row(step, row, sx, sy, sz)
            set_row(x1, row, vx + sx, vy + sy, vz + sz)
    for row in range(x0.shape[0]):
        if rows.kind[row] == FREE:
            for a in range(d):
                x1[row, a] = x0[row, a] + step[row, a]
        elif rows.kind[row] == FIXED:
            for a in range(d):
                step[row, a] = x1[row, a] - x0[row, a]


@kernel
def turns_between(rows, x0, x1, turn):
    """Cayley vectors of all bodies from x0 to x1: 4 axial(R) / (1 + tr R), R = Σ d1_k d0_kᵀ; shape (nb, 3)."""
    d = x0.shape[1]
    for body in range(rows.bodies.shape[0]):
        trace = 0.0 if d == 3 else 1.0
        for a in range(3):
            turn[body, a] = 0.0
        for k in range(d):
            y0, y1 = x0[rows.bodies[body, k]], x1[rows.bodies[body, k]]
            for a in range(d):
                trace += y0[a] * y1[a]
            if d == 3:
                turn[body, 0] += 0.5 * (y0[1] * y1[2] - y0[2] * y1[1])
                turn[body, 1] += 0.5 * (y0[2] * y1[0] - y0[0] * y1[2])
            turn[body, 2] += 0.5 * (y0[0] * y1[1] - y0[1] * y1[0])
        for a in range(3):
            turn[body, a] *= 4.0 / (1.0 + trace)


@kernel
def _turn(rows, body, spin, x):
    """Cayley rotation of one body's directors; `spin` has three components, in 2D only the last counts."""
    d = x.shape[1]
    tx, ty, tz = spin[0], spin[1], spin[2]
    scale = 1.0 / (1.0 + 0.25 * (tx * tx + ty * ty + tz * tz))
    for k in range(d):
        row = rows.bodies[body, k]
        vx, vy = x[row, 0], x[row, 1]
        vz = x[row, 2] if d == 3 else 0.0
        # v + scale (θ × v + ½ θ × (θ × v))
        ax, ay, az = ty * vz - tz * vy, tz * vx - tx * vz, tx * vy - ty * vx
        x[row, 0] = vx + scale * (ax + 0.5 * (ty * az - tz * ay))
        x[row, 1] = vy + scale * (ay + 0.5 * (tz * ax - tx * az))
        if d == 3:
            x[row, 2] = vz + scale * (az + 0.5 * (tx * ay - ty * ax))


@kernel
def normalise_directors(rows, x):
    """One Gram–Schmidt pass over the directors of each rigid body: removes accumulated round-off.

    They are unit vectors but for that, so one step of Newton's method for 1/√s, (3 − s)/2, is exact.
    """
    d = x.shape[1]
    for body in range(rows.bodies.shape[0]):
        i, j = rows.bodies[body, 0], rows.bodies[body, 1]
        a0, a1, a2 = row_of(x, i)
        a0, a1, a2 = _nearly_unit(a0, a1, a2)
        set_row(x, i, a0, a1, a2)
        b0, b1, b2 = row_of(x, j)
        dot = a0 * b0 + a1 * b1 + a2 * b2
        b0, b1, b2 = _nearly_unit(b0 - dot * a0, b1 - dot * a1, b2 - dot * a2)
        set_row(x, j, b0, b1, b2)
        if d == 3:
            k = rows.bodies[body, 2]
            c0, c1, c2 = row_of(x, k)
            dot = a0 * c0 + a1 * c1 + a2 * c2
            c0, c1, c2 = c0 - dot * a0, c1 - dot * a1, c2 - dot * a2
            dot = b0 * c0 + b1 * c1 + b2 * c2
            c0, c1, c2 = _nearly_unit(c0 - dot * b0, c1 - dot * b1, c2 - dot * b2)
            set_row(x, k, c0, c1, c2)


@kernel(forceinline=True)
def _nearly_unit(a, b, c):
    """A vector that is a unit vector but for round-off, without it."""
    scale = 1.5 - 0.5 * (a * a + b * b + c * c)
    return scale * a, scale * b, scale * c
