"""Sweeps of block Gauss–Seidel over contacts, compiled: each contact is solved exactly while the others stay as they are."""

from __future__ import annotations

from math import atan2, cos, pi, sin, sqrt

import numpy as np

from condyle.laws.kernel import kernel

TRIES = 48  # angles of slip that are tried where Newton's method from the last one fails
STILL = 1e-14  # change of all impulses in a sweep, relative, below which sweeps end


@kernel
def sweeps(indptr, indices, data, q, normal, of, rows, mu, joints, p, most):
    """Sweep `most` times over all rows of u = W p + q, in place; returns how many sweeps were made.

    W in compressed rows. normal: rows of contacts (c,); rows: of disks (k, 3), −1 where there is none; of: their contacts (k,).
    """
    c = normal.size
    first = np.full(c, -1)
    for k in range(of.size - 1, -1, -1):
        first[of[k]] = k
    W = np.zeros((3, 3))
    local, answer = np.zeros(3), np.zeros(3)
    for count in range(most):
        change, size = 0.0, 0.0
        for k in range(joints.size):
            i = joints[k]
            d = _entry(indptr, indices, data, i, i)
            if d > 0.0:
                step = _velocity(indptr, indices, data, q, p, i) / d
                p[i] -= step
                change, size = max(change, abs(step)), max(size, abs(p[i]))
        for a in range(c):
            k = first[a]
            step = _contact(indptr, indices, data, q, normal[a], rows, mu, k, p, W, local, answer)
            change, size = max(change, step), max(size, abs(p[normal[a]]))
        for k in range(of.size):
            if first[of[k]] != k or rows[k, 2] >= 0:
                change = max(change, _disk(indptr, indices, data, q, rows[k], mu[k] * p[normal[of[k]]], p))
        if change <= STILL * size:
            return count + 1
    return most


@kernel
def _velocity(indptr, indices, data, q, p, i):
    u = q[i]
    for s in range(indptr[i], indptr[i + 1]):
        u += data[s] * p[indices[s]]
    return u


@kernel
def _entry(indptr, indices, data, i, j):
    for s in range(indptr[i], indptr[i + 1]):
        if indices[s] == j:
            return data[s]
    return 0.0


@kernel
def _contact(indptr, indices, data, q, n, rows, mu, k, p, W, local, answer):
    """One contact with its first disk of one or two rows; returns the largest change of its impulses."""
    size = 1
    if k >= 0 and rows[k, 2] < 0:
        size = 2 if rows[k, 1] < 0 else 3
    for a in range(size):
        i = n if a == 0 else rows[k, a - 1]
        local[a] = _velocity(indptr, indices, data, q, p, i)
        for b in range(size):
            j = n if b == 0 else rows[k, b - 1]
            W[a, b] = _entry(indptr, indices, data, i, j)
    for a in range(size):
        for b in range(size):
            local[a] -= W[a, b] * p[n if b == 0 else rows[k, b - 1]]
    if local[0] >= 0.0 or W[0, 0] <= 0.0:
        answer[:] = 0.0
    elif size == 1:
        answer[0] = -local[0] / W[0, 0]
    elif size == 2:
        solve_plane(W, local, mu[k], answer)
    else:
        solve_space(W, local, mu[k], atan2(p[rows[k, 1]], p[rows[k, 0]]), answer)
    change = 0.0
    for a in range(size):
        i = n if a == 0 else rows[k, a - 1]
        change = max(change, abs(answer[a] - p[i]))
        p[i] = answer[a]
    return change


@kernel
def solve_plane(W, q, mu, p):
    """0 ≤ p_n ⊥ u_n ≥ 0 and |p_t| ≤ μ p_n of one contact in the plane, where it closes."""
    determinant = W[0, 0] * W[1, 1] - W[0, 1] * W[1, 0]
    if determinant > 1e-14 * W[0, 0] * W[1, 1]:
        p[0] = (-q[0] * W[1, 1] + q[1] * W[0, 1]) / determinant
        p[1] = (-q[1] * W[0, 0] + q[0] * W[1, 0]) / determinant
        if p[0] >= 0.0 and abs(p[1]) <= mu * p[0]:
            return
    side = 1.0 if q[1] - W[1, 0] * q[0] / W[0, 0] < 0.0 else -1.0  # against the slip without friction
    for _ in range(2):
        press = W[0, 0] + side * mu * W[0, 1]
        if press > 0.0:
            p[0] = -q[0] / press
            p[1] = side * mu * p[0]
            if side * (q[1] + W[1, 0] * p[0] + W[1, 1] * p[1]) <= 1e-12 * abs(q[1]):
                return
        side = -side
    p[0], p[1] = -q[0] / W[0, 0], 0.0


@kernel
def solve_space(W, q, mu, angle, p):
    """The same in space: if it does not stick, friction is μ p_n e with u_t = −σ e, σ ≥ 0: one equation for the angle of e."""
    if _sticks(W, q, mu, p):
        return
    found, good = _slip_angle(W, q, mu, angle)
    if not good:  # from the slip without friction
        s, t = q[1] - W[1, 0] * q[0] / W[0, 0], q[2] - W[2, 0] * q[0] / W[0, 0]
        found, good = _slip_angle(W, q, mu, atan2(-t, -s))
    k = 0
    while not good and k < TRIES:
        found, good = _slip_angle(W, q, mu, 2.0 * pi * k / TRIES)
        k += 1
    x, y = cos(found), sin(found)
    press = W[0, 0] + mu * (W[0, 1] * x + W[0, 2] * y)
    if not good or press <= 0.0:
        p[0], p[1], p[2] = -q[0] / W[0, 0], 0.0, 0.0
        return
    p[0] = -q[0] / press
    p[1], p[2] = mu * p[0] * x, mu * p[0] * y


@kernel
def _sticks(W, q, mu, p):
    """p of a contact that neither opens nor slips, by elimination; whether it is inside the cone."""
    a, b, c = W[1, 1] - W[1, 0] * W[0, 1] / W[0, 0], W[1, 2] - W[1, 0] * W[0, 2] / W[0, 0], 0.0
    d, e = W[2, 1] - W[2, 0] * W[0, 1] / W[0, 0], W[2, 2] - W[2, 0] * W[0, 2] / W[0, 0]
    s, t = q[1] - W[1, 0] * q[0] / W[0, 0], q[2] - W[2, 0] * q[0] / W[0, 0]
    c = a * e - b * d
    if c <= 1e-14 * W[1, 1] * W[2, 2]:
        return False
    p[1], p[2] = (-s * e + t * b) / c, (-t * a + s * d) / c
    p[0] = (-q[0] - W[0, 1] * p[1] - W[0, 2] * p[2]) / W[0, 0]
    return p[0] >= 0.0 and sqrt(p[1] * p[1] + p[2] * p[2]) <= mu * p[0]


@kernel
def _slip_angle(W, q, mu, angle):
    """Newton's method with short steps for e⊥·u_t = 0 and e·u_t ≤ 0; the angle and whether it is one."""
    size = sqrt(q[1] * q[1] + q[2] * q[2]) + abs(q[0])
    for _ in range(30):
        x, y = cos(angle), sin(angle)
        press = W[0, 0] + mu * (W[0, 1] * x + W[0, 2] * y)
        if press <= 1e-12 * W[0, 0]:
            return angle, False
        normal = -q[0] / press
        by_angle = q[0] / (press * press) * mu * (-W[0, 1] * y + W[0, 2] * x)
        s = W[1, 0] + mu * (W[1, 1] * x + W[1, 2] * y)
        t = W[2, 0] + mu * (W[2, 1] * x + W[2, 2] * y)
        u, v = q[1] + normal * s, q[2] + normal * t
        du = by_angle * s + normal * mu * (-W[1, 1] * y + W[1, 2] * x)
        dv = by_angle * t + normal * mu * (-W[2, 1] * y + W[2, 2] * x)
        f = -y * u + x * v
        slope = -x * u - y * v - y * du + x * dv
        if abs(f) <= 1e-14 * size:
            return angle, x * u + y * v <= 1e-12 * size
        # Where the slope is wrong, towards the direction against the slip.
        step = -f / slope if slope > 0.0 else (0.3 if f < 0.0 else -0.3)
        angle += min(max(step, -0.5), 0.5)
    return angle, False


@kernel
def _disk(indptr, indices, data, q, rows, bound, p):
    """A further disk of a contact, by steps of projection with the largest of its diagonals; returns the largest change."""
    largest = 0.0
    for a in range(rows.size):
        if rows[a] >= 0:
            largest = max(largest, _entry(indptr, indices, data, rows[a], rows[a]))
    if largest <= 0.0:
        return 0.0
    trial = np.zeros(3)
    for a in range(rows.size):
        if rows[a] >= 0:
            trial[a] = p[rows[a]] - _velocity(indptr, indices, data, q, p, rows[a]) / largest
    length = sqrt(trial[0] ** 2 + trial[1] ** 2 + trial[2] ** 2)
    scale = bound / length if length > bound else 1.0
    change = 0.0
    for a in range(rows.size):
        if rows[a] >= 0:
            change = max(change, abs(scale * trial[a] - p[rows[a]]))
            p[rows[a]] = scale * trial[a]
    return change
