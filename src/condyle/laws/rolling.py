"""Constraints of velocities: rolling, blades, rates of joint coordinates. What each fills is in `rates.py`."""

import numpy as np

from condyle.laws.coordinates import coordinate_gradient
from condyle.laws.kernel import kernel


@kernel
def rate_of_coordinates(ny, d, y, p, a, K):
    """a = ∂Q/∂y: the rate Q̇ of a sum of joint coordinates. p: list of coordinates."""
    coordinate_gradient(ny, d, y, p, 0, a, K)
    return 0.0


@kernel
def blade(ny, d, y, p, a, K):
    """s·(ẏ_0 − Σ (E_k·y_0) ė_k) with s = y_1: no velocity across a blade against what it glides on.

    y_0 is its place seen from a point of the other body, e_k = y_2 … are the axes of that, and E_k their duals.
    """
    for b in range(d):
        a[0, b] = y[1, b]
        K[0, b, 1, b] = 1.0
    dual, place = np.zeros((d, d)), np.zeros(d)
    for b in range(d):
        place[b] = y[0, b]
    dual_basis(d, y, 2, dual)
    for k in range(d):
        part = 0.0
        for b in range(d):
            part += dual[k, b] * place[b]
        for b in range(d):
            a[2 + k, b] = -part * y[1, b]
            K[2 + k, b, 1, b] -= part
            for c in range(d):
                K[2 + k, b, 0, c] -= y[1, b] * dual[k, c]
    _add_turning_basis(d, 2, -1.0, y[1], dual, place, K)
    return 0.0


@kernel
def rolling(ny, d, y, p, a, K):
    """t·(ẏ_0 + Σ (D_i·ρ) ḋ_i − Σ (E_k·(y_0 + ρ)) ė_k): no slip of a wheel or ball along the tangent t of a plane.

    y_0: its centre seen from a point of the plane's body; d_i, then e_k: the axes of the wheel and of that body, with the duals
    D_i and E_k; ρ: from the centre to where it touches, −R u with u = n of a ball, and of a disk the unit vector along
    n − (n·α) α/(α·α), across its axis α. At mid-step the axes are neither of length 1 nor square to each other. Since
    ḋ_i = ω × d_i there, with ω = 2/h tan(Δθ/2), the sum is ω × ρ for any turn of a step: two wheels on one axle, which turn by
    different angles, then ask for the same velocity along it. p = (R, 1 for a disk and 0 for a ball, n and t in the axes e_k,
    α in the axes d_i).
    """
    t, n, axis, rho, arm = np.zeros(d), np.zeros(d), np.zeros(d), np.zeros(d), np.zeros(d)
    by_n, by_axis, dual = np.zeros((d, d)), np.zeros((d, d)), np.zeros((d, d))
    wheel, plane = 1, 1 + d
    for k in range(d):
        for b in range(d):
            n[b] += p[2 + k] * y[plane + k, b]
            t[b] += p[2 + d + k] * y[plane + k, b]
            axis[b] += p[2 + 2 * d + k] * y[wheel + k, b]
    to_contact(d, p[0], p[1] > 0.0, n, axis, rho, by_n, by_axis)
    for b in range(d):
        a[0, b] = t[b]
        for k in range(d):
            K[0, b, plane + k, b] += p[2 + d + k]
    for first, sign in ((wheel, 1.0), (plane, -1.0)):
        for b in range(d):
            arm[b] = rho[b] + (y[0, b] if first == plane else 0.0)
        dual_basis(d, y, first, dual)
        for i in range(d):
            part = 0.0
            for b in range(d):
                part += dual[i, b] * arm[b]
            for b in range(d):
                a[first + i, b] = sign * part * t[b]
                for k in range(d):
                    K[first + i, b, plane + k, b] += sign * part * p[2 + d + k]
                for c in range(d):
                    if first == plane:
                        K[first + i, b, 0, c] += sign * t[b] * dual[i, c]
                    along_n = along_axis = 0.0
                    for e in range(d):
                        along_n += dual[i, e] * by_n[e, c]
                        along_axis += dual[i, e] * by_axis[e, c]
                    for k in range(d):
                        K[first + i, b, plane + k, c] += sign * t[b] * along_n * p[2 + k]
                        K[first + i, b, wheel + k, c] += sign * t[b] * along_axis * p[2 + 2 * d + k]
        _add_turning_basis(d, first, sign, t, dual, arm, K)
    return 0.0


@kernel
def dual_basis(d, y, first, out):
    """The vectors D_i (d, d) with D_i·y_j = δ_ij of the d vectors y from `first` on."""
    if d == 2:
        out[0, 0], out[0, 1] = y[first + 1, 1], -y[first + 1, 0]
        out[1, 0], out[1, 1] = -y[first, 1], y[first, 0]
    else:
        for i in range(3):
            j, k = first + (i + 1) % 3, first + (i + 2) % 3
            for b in range(3):
                c, e = (b + 1) % 3, (b + 2) % 3
                out[i, b] = y[j, c] * y[k, e] - y[j, e] * y[k, c]
    volume = 0.0
    for b in range(d):
        volume += out[0, b] * y[first, b]
    for i in range(d):
        for b in range(d):
            out[i, b] /= volume


@kernel
def _add_turning_basis(d, first, sign, t, dual, arm, K):
    """The change of the parts D_i·r of an arm r along the vectors d_j: −(D_i·δd_j) (D_j·r)."""
    for j in range(d):
        part = 0.0
        for b in range(d):
            part += dual[j, b] * arm[b]
        for i in range(d):
            for b in range(d):
                for c in range(d):
                    K[first + i, b, first + j, c] -= sign * t[b] * part * dual[i, c]


@kernel
def to_contact(d, radius, disk, n, axis, rho, by_n, by_axis):
    """ρ = −R u, see `rolling`, and its derivatives by n and by the axis, (d, d) each."""
    w, square, product = np.zeros(d), 0.0, 0.0
    for b in range(d):
        square += axis[b] * axis[b]
        product += n[b] * axis[b]
    share = product / square if disk else 0.0
    size = 0.0
    for b in range(d):
        w[b] = n[b] - share * axis[b]
        size += w[b] * w[b]
    size = np.sqrt(size)
    for b in range(d):
        w[b] /= size
        rho[b] = -radius * w[b]
    across = np.zeros((d, d))  # ∂u/∂w
    for b in range(d):
        for c in range(d):
            across[b, c] = ((1.0 if b == c else 0.0) - w[b] * w[c]) / size
    for b in range(d):
        for c in range(d):
            by_n[b, c] = -radius * across[b, c]
            by_axis[b, c] = 0.0
            if disk:
                for e in range(d):
                    by_n[b, c] += radius * across[b, e] * axis[e] * axis[c] / square
                    moved = axis[e] * (n[c] - 2.0 * share * axis[c]) / square + (share if e == c else 0.0)
                    by_axis[b, c] += radius * across[b, e] * moved
