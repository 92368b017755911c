"""Newmark's formulas on (ṙ, ω): positions add, rotations compose (Brüls and Cardona 2010).

Per rigid body Δ = log(R1 R0ᵀ) is the rotation of the step in world axes, and for it as for free rows

    Δ = h u0 + h² ((½ − β) a0 + β a1),   u1 = u0 + h ((1 − γ) a0 + γ a1).

Velocities and accelerations are recomputed from the configuration at every iterate, never accumulated.
"""

import numpy as np

from condyle.laws.kernel import kernel
from condyle.system.assembly.maps import turns_of
from condyle.system.tables import FREE


@kernel
def rotation_vector(turn, out):
    """out = log(R1 R0ᵀ) of a body's Cayley vector: the same axis, φ = 2 atan(½ |turn|)."""
    size = np.sqrt(turn[0] ** 2 + turn[1] ** 2 + turn[2] ** 2)
    scale = 2.0 * np.arctan(0.5 * size) / size if size > 1e-5 else 1.0 - size * size / 12.0
    for a in range(3):
        out[a] = scale * turn[a]


@kernel
def inverse_left_jacobian(t, J):
    """J with δ log(R) = J δθ for R ← exp(δθ) R: 1 − ½ S(t) + b S(t)², b = (1 − ½ φ cot ½φ)/φ²."""
    square = t[0] * t[0] + t[1] * t[1] + t[2] * t[2]
    phi = np.sqrt(square)
    b = 1.0 / 12.0 + square / 720.0 if phi < 1e-3 else (1.0 - 0.5 * phi / np.tan(0.5 * phi)) / square
    for a in range(3):
        for c in range(3):
            J[a, c] = b * t[a] * t[c]
        J[a, a] += 1.0 - b * square
    J[0, 1] += 0.5 * t[2]
    J[0, 2] -= 0.5 * t[1]
    J[1, 0] -= 0.5 * t[2]
    J[1, 2] += 0.5 * t[0]
    J[2, 0] += 0.5 * t[1]
    J[2, 1] -= 0.5 * t[0]


@kernel
def newmark_rates(rows, step, turns, v0, a0, spin0, spin_a0, h, beta, gamma, v1, a1, spin1, spin_a1, jacobians):
    """Velocities v1 and algorithmic accelerations a1 of free rows, ω and its algorithmic rate of bodies."""
    d = step.shape[1]
    for row in range(step.shape[0]):
        if rows.kind[row] == FREE:
            for a in range(d):
                a1[row, a] = (step[row, a] - h * v0[row, a] - h * h * (0.5 - beta) * a0[row, a]) / (beta * h * h)
                v1[row, a] = v0[row, a] + h * ((1.0 - gamma) * a0[row, a] + gamma * a1[row, a])
    turn = np.zeros(3)
    for body in range(rows.bodies.shape[0]):
        rotation_vector(turns[body], turn)
        inverse_left_jacobian(turn, jacobians[body])
        for a in range(3):
            rate = (turn[a] - h * spin0[body, a] - h * h * (0.5 - beta) * spin_a0[body, a]) / (beta * h * h)
            spin_a1[body, a] = rate
            spin1[body, a] = spin0[body, a] + h * ((1.0 - gamma) * spin_a0[body, a] + gamma * rate)


@kernel
def director_rates(rows, x1, spin, spin_dot, jacobians, rate, rate_dot, tangent, v1, acceleration, rate_map, accel_map):
    """ḋ = ω × d, d̈ = ω̇ × d + ω × (ω × d) of all directors, and with a tangent their derivatives by δθ.

    δω = rate J δθ, δω̇ = rate_dot J δθ, δd = δθ × d.
    """
    d = x1.shape[1]
    for body in range(rows.bodies.shape[0]):
        w = (spin[body, 0], spin[body, 1], spin[body, 2])
        wd = (spin_dot[body, 0], spin_dot[body, 1], spin_dot[body, 2])
        J = jacobians[body]
        for k in range(d):
            row = rows.bodies[body, k]
            y = (x1[row, 0], x1[row, 1], x1[row, 2] if d == 3 else 0.0)
            wy = cross(w, y)
            centripetal, tangential = cross(w, wy), cross(wd, y)
            for a in range(d):
                v1[row, a] = wy[a]
                acceleration[row, a] = tangential[a] + centripetal[a]
            if not tangent:
                continue
            for c in range(3):
                dy = cross((1.0 if c == 0 else 0.0, 1.0 if c == 1 else 0.0, 1.0 if c == 2 else 0.0), y)
                dw = (rate * J[0, c], rate * J[1, c], rate * J[2, c])
                dwd = (rate_dot * J[0, c], rate_dot * J[1, c], rate_dot * J[2, c])
                p, q = cross(dw, y), cross(w, dy)
                first = (p[0] + q[0], p[1] + q[1], p[2] + q[2])
                p, q, r, s = cross(dwd, y), cross(wd, dy), cross(dw, wy), cross(w, first)
                for a in range(d):
                    rate_map[row, a, c] = first[a]
                    accel_map[row, a, c] = p[a] + q[a] + r[a] + s[a]


@kernel
def turn_rates(rows, x, spins, out):
    """out = ω × d of the directors of all bodies; spins (nb, 3)."""
    d = x.shape[1]
    for body in range(rows.bodies.shape[0]):
        w = (spins[body, 0], spins[body, 1], spins[body, 2])
        for k in range(d):
            row = rows.bodies[body, k]
            rate = cross(w, (x[row, 0], x[row, 1], x[row, 2] if d == 3 else 0.0))
            for a in range(d):
                out[row, a] = rate[a]


@kernel(forceinline=True)
def cross(a, b):
    """a × b of three numbers each."""
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def spins(rows, x, v, out):
    """ω = ½ Σ d_i × ḋ_i of all bodies, shape (nb, 3)."""
    turns_of(rows, x, v, 1.0, out)


@kernel
def spin_rates(rows, x, v, a, out):
    """ω̇ = ½ Σ d_i × d̈_i (the centripetal part of d̈ drops out), shape (nb, 3)."""
    spins(rows, x, a, out)
