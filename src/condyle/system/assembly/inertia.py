"""Inertia forces of the constant mass matrix m ⊗ 1, and the momenta."""

import numpy as np

from condyle.laws.kernel import kernel
from condyle.system.assembly.maps import add_cross, row_of, scatter_mapped, scatter_scalar, set_row
from condyle.system.tables import DIRECTOR


@kernel
def add_inertia(mass, entries, rows, acceleration, x_dot, x_test, x1, factor, kappa_dot, maps, tangent, q, q_scale, A):
    """q += m (ẍ + α ẋ), α the mass-proportional damping of the row; A += Pᵀ m (factor + α κ̇) P. First `entries` only.

    factor = ∂ẍ/∂x1 [1/s²], κ̇ = ∂ẋ/∂x1 [1/s]; directors take both derivatives from `maps` where they are given.
    """
    accel_map, rate_map = maps
    first, second, value, slots = mass.first, mass.second, mass.value, mass.slot
    kind, stride, drag = rows.kind, rows.stride, rows.drag
    d = x1.shape[1]
    K = np.zeros((d, d))
    for e in range(entries):
        i, j, m = first[e], second[e], value[e]
        rate = drag[j]
        a0, a1, a2 = row_of(acceleration, j)
        v0, v1, v2 = row_of(x_dot, j)
        f0, f1, f2 = m * (a0 + rate * v0), m * (a1 + rate * v1), m * (a2 + rate * v2)
        q0, q1, q2 = row_of(q, i)
        set_row(q, i, q0 + f0, q1 + f1, q2 + f2)
        q0, q1, q2 = row_of(q_scale, i)
        set_row(q_scale, i, q0 + abs(f0), q1 + abs(f1), q2 + abs(f2))
        slot = slots[e]
        if tangent and slot >= 0:
            if accel_map.shape[0] > 0 and kind[j] == DIRECTOR:
                for a in range(d):
                    K[a, a] = m
                scatter_mapped(A, slot, stride[i], kind[i], x_test[i], K, accel_map[j], d)
                if rate > 0.0:
                    for a in range(d):
                        K[a, a] = m * rate
                    scatter_mapped(A, slot, stride[i], kind[i], x_test[i], K, rate_map[j], d)
            else:
                k = (factor + rate * kappa_dot) * m
                scatter_scalar(A, slot, stride[i], kind[i], kind[j], row_of(x_test, i), row_of(x1, j), k, d)


@kernel
def add_body_inertia(bodies, rows, acceleration, x_test, x1, factor, tangent, q, q_scale, A):
    """`add_inertia` for whole rigid bodies, whose directors' accelerations change by `factor` δd; without damping.

    With e_i = Σ_j m_ij d1_j: δr–δθ is −S(e_0), δθ–δθ is Σ_i ((dt_i·e_i) 1 − e_i dt_iᵀ), times `factor`.
    """
    d = x1.shape[1]
    m = bodies.mass
    for body in range(bodies.rows.shape[0]):
        for i in range(d + 1):
            row = bodies.rows[body, i]
            for j in range(d + 1):
                mij = m[body, i, j]
                if mij != 0.0:
                    other = bodies.rows[body, j]
                    for a in range(d):
                        force = mij * acceleration[other, a]
                        q[row, a] += force
                        q_scale[row, a] += abs(force)
        if not tangent:
            continue
        stride, stride_t = rows.stride[bodies.rows[body, 0]], rows.stride[bodies.rows[body, 1]]
        centre, turning = bodies.centre[body], bodies.turning[body]
        for a in range(d):
            A[centre + a * (stride + 1)] += factor * m[body, 0, 0]
        if d == 2:
            for i in range(1, 3):
                t = row_of(x_test, bodies.rows[body, i])
                for j in range(1, 3):
                    y = row_of(x1, bodies.rows[body, j])
                    A[turning] += factor * m[body, i, j] * (t[0] * y[0] + t[1] * y[1])
            if bodies.column[body] >= 0:
                column, line = bodies.column[body], bodies.line[body]
                for j in range(1, 3):
                    y, t = row_of(x1, bodies.rows[body, j]), row_of(x_test, bodies.rows[body, j])
                    A[column] -= factor * m[body, 0, j] * y[1]
                    A[column + stride] += factor * m[body, 0, j] * y[0]
                    A[line] -= factor * m[body, j, 0] * t[1]
                    A[line + 1] += factor * m[body, j, 0] * t[0]
            continue
        y1 = row_of(x1, bodies.rows[body, 1])
        y2 = row_of(x1, bodies.rows[body, 2])
        y3 = row_of(x1, bodies.rows[body, 3])
        a00 = a01 = a02 = a10 = a11 = a12 = a20 = a21 = a22 = 0.0  # Σ e_i dt_iᵀ
        for i in range(1, 4):
            t = row_of(x_test, bodies.rows[body, i])
            m1, m2, m3 = factor * m[body, i, 1], factor * m[body, i, 2], factor * m[body, i, 3]
            e0 = m1 * y1[0] + m2 * y2[0] + m3 * y3[0]
            e1 = m1 * y1[1] + m2 * y2[1] + m3 * y3[1]
            e2 = m1 * y1[2] + m2 * y2[2] + m3 * y3[2]
            a00 += e0 * t[0]
            a01 += e0 * t[1]
            a02 += e0 * t[2]
            a10 += e1 * t[0]
            a11 += e1 * t[1]
            a12 += e1 * t[2]
            a20 += e2 * t[0]
            a21 += e2 * t[1]
            a22 += e2 * t[2]
        at = turning
        A[at] += a11 + a22
        A[at + 1] -= a01
        A[at + 2] -= a02
        at += stride_t
        A[at] -= a10
        A[at + 1] += a00 + a22
        A[at + 2] -= a12
        at += stride_t
        A[at] -= a20
        A[at + 1] -= a21
        A[at + 2] += a00 + a11
        if bodies.column[body] >= 0:
            for j in range(1, 4):
                row = bodies.rows[body, j]
                add_cross(A, bodies.column[body], stride, -factor * m[body, 0, j], row_of(x1, row))
                add_cross(A, bodies.line[body], stride_t, factor * m[body, j, 0], row_of(x_test, row))


@kernel
def momenta(mass, translation, x, v, linear, angular):
    """Kinetic energy [J]; fills the linear momentum [kg m/s] and the angular momentum about the origin [kg m²/s]."""
    kinetic = l0 = l1 = l2 = a0 = a1 = a2 = 0.0
    for e in range(mass.value.size):
        i, j, m = mass.first[e], mass.second[e], mass.value[e]
        x0, x1, x2 = row_of(x, i)
        u0, u1, u2 = row_of(v, i)
        v0, v1, v2 = row_of(v, j)
        v0, v1, v2 = m * v0, m * v1, m * v2
        kinetic += 0.5 * (u0 * v0 + u1 * v1 + u2 * v2)
        a0 += x1 * v2 - x2 * v1
        a1 += x2 * v0 - x0 * v2
        a2 += x0 * v1 - x1 * v0
        if translation[i] != 0.0:
            l0 += translation[i] * v0
            l1 += translation[i] * v1
            l2 += translation[i] * v2
    linear[0], linear[1] = l0, l1
    if x.shape[1] == 3:
        linear[2] = l2
    angular[0], angular[1], angular[2] = a0, a1, a2
    return kinetic
