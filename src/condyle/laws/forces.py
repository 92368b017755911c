"""Forces f(y, ẏ, t) that have no potential, or none worth writing: loads, torques, dampers.

Each law fills f (ny, d), the derivatives Ky = ∂f/∂y and Kv = ∂f/∂ẏ (ny, d, ny, d); `amplitude` is the value of its
function of time. The arrays come in as zeros.
"""

import numpy as np

from condyle.laws.codes import BODY_TORQUE, DAMPER, DEAD_LOAD, TORQUE, VISCOUS
from condyle.laws.kernel import kernel

# name -> (code, vectors in 2D, vectors in 3D, parameters in 2D, parameters in 3D)
FORCE_LAWS = {
    "dead load": (DEAD_LOAD, 1, 1, (2.0, -1.0), (2.0, -1.0, 0.5)),
    "torque": (TORQUE, 2, 3, (1.5,), (0.4, -1.1, 0.7)),
    "torque in body axes": (BODY_TORQUE, 2, 3, (1.5,), (0.4, -1.1, 0.7)),
    "damper": (DAMPER, 1, 1, (3.0,), (3.0,)),
    "viscous": (VISCOUS, 1, 1, (3.0,), (3.0,)),
}


@kernel
def force_law(code, d, y, ydot, amplitude, p, f, Ky, Kv):
    """Force of law `code` on the gathered vectors."""
    if code == DEAD_LOAD:
        for a in range(d):
            f[0, a] = amplitude * p[a]
    elif code == TORQUE:
        if d == 2:
            torque_plane(amplitude * p[0], f, y, Ky)
        else:
            torque_space(amplitude * p[0], amplitude * p[1], amplitude * p[2], f, y, Ky)
    elif code == BODY_TORQUE:
        body_torque(d, amplitude, y, p, f, Ky)
    elif code == DAMPER:
        damper(d, amplitude * p[0], y, ydot, f, Ky, Kv)
    elif code == VISCOUS:
        for a in range(d):
            f[0, a] = -amplitude * p[0] * ydot[0, a]
            Kv[0, a, 0, a] = -amplitude * p[0]


@kernel
def torque_plane(tau, f, y, Ky):
    """f_i = ½ τ e₃ × d_i: the couple τ [N m] on orthonormal directors d_1, d_2."""
    for i in range(2):
        f[i, 0] = -0.5 * tau * y[i, 1]
        f[i, 1] = 0.5 * tau * y[i, 0]
        Ky[i, 0, i, 1] = -0.5 * tau
        Ky[i, 1, i, 0] = 0.5 * tau


@kernel
def torque_space(tx, ty, tz, f, y, Ky):
    """f_i = ½ τ × d_i: the couple τ [N m] on orthonormal directors, since Σ d_i × (τ × d_i) = 2 τ."""
    for i in range(3):
        f[i, 0] = 0.5 * (ty * y[i, 2] - tz * y[i, 1])
        f[i, 1] = 0.5 * (tz * y[i, 0] - tx * y[i, 2])
        f[i, 2] = 0.5 * (tx * y[i, 1] - ty * y[i, 0])
        Ky[i, 0, i, 2] = 0.5 * ty
        Ky[i, 0, i, 1] = -0.5 * tz
        Ky[i, 1, i, 0] = 0.5 * tz
        Ky[i, 1, i, 2] = -0.5 * tx
        Ky[i, 2, i, 1] = 0.5 * tx
        Ky[i, 2, i, 0] = -0.5 * ty


@kernel
def body_torque(d, amplitude, y, p, f, Ky):
    """The couple τ = Σ τ_k d_k given by its components along the body's own directors."""
    if d == 2:
        torque_plane(amplitude * p[0], f, y, Ky)
        return
    tau = np.zeros(3)
    for k in range(3):
        for a in range(3):
            tau[a] += amplitude * p[k] * y[k, a]
    torque_space(tau[0], tau[1], tau[2], f, y, Ky)
    for i in range(3):  # ∂τ/∂d_k = τ_k 1, so ∂f_i/∂d_k = −½ τ_k S(d_i)
        for k in range(3):
            t = 0.5 * amplitude * p[k]
            Ky[i, 0, k, 1] += t * y[i, 2]
            Ky[i, 0, k, 2] -= t * y[i, 1]
            Ky[i, 1, k, 2] += t * y[i, 0]
            Ky[i, 1, k, 0] -= t * y[i, 2]
            Ky[i, 2, k, 0] += t * y[i, 1]
            Ky[i, 2, k, 1] -= t * y[i, 0]


@kernel
def damper(d, c, y, ydot, f, Ky, Kv):
    """f = −c (ẏ·n) n with n = y/|y|: a dashpot along the line between two points. c [N s/m]."""
    length = 0.0
    for a in range(d):
        length += y[0, a] * y[0, a]
    length = np.sqrt(length)
    rate = 0.0
    for a in range(d):
        rate += y[0, a] * ydot[0, a] / length
    for a in range(d):
        na = y[0, a] / length
        f[0, a] = -c * rate * na
        for b in range(d):
            nb = y[0, b] / length
            same = 1.0 if a == b else 0.0
            Kv[0, a, 0, b] = -c * na * nb
            Ky[0, a, 0, b] = -c * (na * (ydot[0, b] - rate * nb) + rate * (same - na * nb)) / length
