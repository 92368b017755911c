"""Forces f(y, ẏ, t) that have no potential, or none worth writing: loads, torques, dampers.

Each law fills f (ny, d), the derivatives Ky = ∂f/∂y and Kv = ∂f/∂ẏ (ny, d, ny, d); `amplitude` is the value of its
function of time. The arrays come in as zeros.
"""

import numpy as np

from condyle.laws.coordinates import along_path, coordinate_gradient, held_back, rate_along
from condyle.laws.energies import invert
from condyle.laws.kernel import kernel
from condyle.laws.muscles import ligament_damping
from condyle.laws.paths import spline_value
from condyle.laws.table import call_force


@kernel
def force_law(code, ny, d, y, ydot, amplitude, p, f, Ky, Kv):
    """Force of law `code` on the ny gathered vectors."""
    call_force(code, ny, d, y, ydot, amplitude, p, f, Ky, Kv)


@kernel
def dead_load(ny, d, y, ydot, amplitude, p, f, Ky, Kv):
    """f = p [N], always the same."""
    for a in range(d):
        f[0, a] = amplitude * p[a]
    return 0.0


@kernel
def follower(ny, d, y, ydot, amplitude, p, f, Ky, Kv):
    """f = Σ p_k d_k on the point y_0, with the directors d_k = y_1 … y_d."""
    for a in range(d):
        for k in range(d):
            f[0, a] += amplitude * p[k] * y[k + 1, a]
            Ky[0, a, k + 1, a] = amplitude * p[k]
    return 0.0


@kernel
def coordinate_force(ny, d, y, ydot, amplitude, p, f, Ky, Kv):
    """f = value ∂Q/∂y: the generalised force `value` on a joint coordinate. p = (value, list of coordinates)."""
    value = amplitude * p[0]
    grad, curvature = np.zeros((ny, d)), np.zeros((ny, d, ny, d))
    coordinate_gradient(ny, d, y, p, 1, grad, curvature)
    for k in range(ny):
        for a in range(d):
            f[k, a] = value * grad[k, a]
            for m in range(ny):
                for b in range(d):
                    Ky[k, a, m, b] = value * curvature[k, a, m, b]
    return 0.0


@kernel
def coordinate_damper(ny, d, y, ydot, amplitude, p, f, Ky, Kv):
    """f = −c Q̇ ∂Q/∂y. p = (c, lower, upper, k, list): it acts outside [lower, upper], always where lower > upper.

    With a spring k that acts there too, it is held back so that both together do not pull to the outside.
    """
    grad, curvature = np.zeros((ny, d)), np.zeros((ny, d, ny, d))
    value = coordinate_gradient(ny, d, y, p, 4, grad, curvature)
    if p[1] <= value <= p[2]:
        return 0.0
    tension, by_value, by_rate = damper_tension(value, rate_along(ny, d, grad, ydot), p)
    along_path(ny, d, amplitude * tension, amplitude * by_value, amplitude * by_rate, grad, curvature, ydot, f, Ky, Kv)
    return 0.0


@kernel
def damper_tension(value, rate, p):
    """The force F(Q, Q̇) with which a `coordinate_damper` resists, and its derivatives by both."""
    if p[1] <= value <= p[2]:
        return 0.0, 0.0, 0.0
    if p[3] <= 0.0:
        return p[0] * rate, 0.0, p[0]
    side, excess = (1.0, value - p[2]) if value > p[2] else (-1.0, p[1] - value)
    force, by_value, by_rate = held_back(p[3] * excess, p[3], side * p[0] * rate, 0.0, p[0])
    return side * force, by_value, by_rate


@kernel
def curved_damper(ny, d, y, ydot, amplitude, p, f, Ky, Kv):
    """f = −F(Q̇) ∂Q/∂y of a force over the rate. p = (m, m knots, 4 (m − 1) coefficients of F, list of coordinates)."""
    grad, curvature = np.zeros((ny, d)), np.zeros((ny, d, ny, d))
    coordinate_gradient(ny, d, y, p, 5 * int(p[0]) - 3, grad, curvature)
    force, slope, _ = spline_value(p, 0, rate_along(ny, d, grad, ydot))
    along_path(ny, d, amplitude * force, 0.0, amplitude * slope, grad, curvature, ydot, f, Ky, Kv)
    return 0.0


@kernel
def ligament_damper(ny, d, y, ydot, amplitude, p, f, Ky, Kv):
    """Damping of a ligament that does not push. p = (c, k, slack length, toe, list)."""
    grad, curvature = np.zeros((ny, d)), np.zeros((ny, d, ny, d))
    length = coordinate_gradient(ny, d, y, p, 4, grad, curvature)
    force, by_length, by_rate = ligament_damping(length, rate_along(ny, d, grad, ydot), p[0], p[1], p[2], p[3])
    along_path(ny, d, amplitude * force, amplitude * by_length, amplitude * by_rate, grad, curvature, ydot, f, Ky, Kv)
    return 0.0


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
def torque(ny, d, y, ydot, amplitude, p, f, Ky, Kv):
    """The couple p [N m] on orthonormal directors."""
    if d == 2:
        torque_plane(amplitude * p[0], f, y, Ky)
    else:
        torque_space(amplitude * p[0], amplitude * p[1], amplitude * p[2], f, y, Ky)
    return 0.0


@kernel
def body_torque(ny, d, y, ydot, amplitude, p, f, Ky, Kv):
    """The couple τ = Σ τ_k d_k given by its components along the body's own directors."""
    if d == 2:
        torque_plane(amplitude * p[0], f, y, Ky)
        return 0.0
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
    return 0.0


@kernel
def pressure(ny, d, y, ydot, amplitude, p, f, Ky, Kv):
    """f on the point y_0 of a surface is −c n, n its normal made of the tangents y_1 (and y_2) as they are now.

    In space n = y_1 × y_2, in the plane the tangent turned by −90°: outward, if the boundary runs counter-clockwise.

    c = p_0 = pressure times quadrature weight (2D: times thickness; about an axis, p_1 = 1, n has the factor 2π y_0·e_r too).
    """
    c, axisymmetric = amplitude * p[0], p[1] > 0.5
    if d == 3:
        for a in range(3):
            b, e = (a + 1) % 3, (a + 2) % 3
            f[0, a] = -c * (y[1, b] * y[2, e] - y[1, e] * y[2, b])
            Ky[0, a, 1, b] = -c * y[2, e]
            Ky[0, a, 1, e] = c * y[2, b]
            Ky[0, a, 2, e] = -c * y[1, b]
            Ky[0, a, 2, b] = c * y[1, e]
        return 0.0
    around = 2.0 * np.pi * y[0, 0] if axisymmetric else 1.0
    f[0, 0] = -c * around * y[1, 1]
    f[0, 1] = c * around * y[1, 0]
    Ky[0, 0, 1, 1] = -c * around
    Ky[0, 1, 1, 0] = c * around
    if axisymmetric:
        Ky[0, 0, 0, 0] = -2.0 * np.pi * c * y[1, 1]
        Ky[0, 1, 0, 0] = 2.0 * np.pi * c * y[1, 0]
    return 0.0


@kernel
def damper(ny, d, y, ydot, amplitude, p, f, Ky, Kv):
    """f = −c (ẏ·n) n with n = y/|y|: a dashpot along the line between two points. p = (c [N s/m],)."""
    c = amplitude * p[0]
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
    return 0.0


@kernel
def viscous(ny, d, y, ydot, amplitude, p, f, Ky, Kv):
    """f = −c ẏ. p = (c [N s/m],)."""
    for a in range(d):
        f[0, a] = -amplitude * p[0] * ydot[0, a]
        Kv[0, a, 0, a] = -amplitude * p[0]
    return 0.0


@kernel
def stretched_load(ny, d, y, ydot, amplitude, p, f, Ky, Kv):
    """f = p |y_1| on the point y_0, or p |y_1 × y_2|: a load per deformed length or area. y_1, y_2 are tangents."""
    a11, a12, a22 = 0.0, 0.0, 1.0
    for a in range(d):
        a11 += y[1, a] * y[1, a]
    if ny == 3:
        a22 = 0.0
        for a in range(d):
            a12 += y[1, a] * y[2, a]
            a22 += y[2, a] * y[2, a]
    size = np.sqrt(a11 * a22 - a12 * a12)
    for a in range(d):
        f[0, a] = amplitude * p[a] * size
        for b in range(d):
            if ny == 2:
                Ky[0, a, 1, b] = amplitude * p[a] * y[1, b] / size
            else:
                Ky[0, a, 1, b] = amplitude * p[a] * (a22 * y[1, b] - a12 * y[2, b]) / size
                Ky[0, a, 2, b] = amplitude * p[a] * (a11 * y[2, b] - a12 * y[1, b]) / size
    return 0.0


@kernel
def section_moment(ny, d, y, ydot, amplitude, p, f, Ky, Kv):
    """Forces f_k = w × y_k on gradients y_k with Σ y_k × f_k = τ: a couple τ [N m] on the end of a cable or beam.

    w = Θ⁻¹ τ, Θ = Σ (|y_k|² 1 − y_k y_kᵀ). A single gradient takes the part of τ across it only: w = τ/|y|².
    """
    if d == 2:
        theta = 0.0
        for k in range(ny):
            theta += y[k, 0] * y[k, 0] + y[k, 1] * y[k, 1]
        w = amplitude * p[0] / theta
        for k in range(ny):
            f[k, 0] = -w * y[k, 1]
            f[k, 1] = w * y[k, 0]
            Ky[k, 0, k, 1] -= w
            Ky[k, 1, k, 0] += w
            for m in range(ny):
                for b in range(2):
                    dw = -2.0 * w * y[m, b] / theta
                    Ky[k, 0, m, b] -= dw * y[k, 1]
                    Ky[k, 1, m, b] += dw * y[k, 0]
        return 0.0
    inv, w, dw = np.zeros((3, 3)), np.zeros(3), np.zeros(3)
    theta_matrix = np.zeros((3, 3))
    for k in range(ny):
        square = y[k, 0] * y[k, 0] + y[k, 1] * y[k, 1] + y[k, 2] * y[k, 2]
        for a in range(3):
            theta_matrix[a, a] += square
            if ny > 1:
                for b in range(3):
                    theta_matrix[a, b] -= y[k, a] * y[k, b]
    invert(3, theta_matrix, inv)
    for a in range(3):
        for b in range(3):
            w[a] += amplitude * inv[a, b] * p[b]
    for k in range(ny):
        for a in range(3):
            b, c = (a + 1) % 3, (a + 2) % 3
            f[k, a] = w[b] * y[k, c] - w[c] * y[k, b]
            Ky[k, a, k, c] += w[b]
            Ky[k, a, k, b] -= w[c]
    for m in range(ny):
        along = w[0] * y[m, 0] + w[1] * y[m, 1] + w[2] * y[m, 2]
        for e in range(3):
            # dΘ w = 2 y_e w − e_e (y·w) − y w_e (only the first for a single gradient)
            change = np.zeros(3)
            for a in range(3):
                change[a] = 2.0 * y[m, e] * w[a]
                if ny > 1:
                    change[a] -= y[m, a] * w[e]
            if ny > 1:
                change[e] -= along
            for a in range(3):
                dw[a] = 0.0
                for b in range(3):
                    dw[a] -= inv[a, b] * change[b]
            for k in range(ny):
                for a in range(3):
                    b, c = (a + 1) % 3, (a + 2) % 3
                    Ky[k, a, m, e] += dw[b] * y[k, c] - dw[c] * y[k, b]
    return 0.0
