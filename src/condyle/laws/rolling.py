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
    """s·(ẏ_0 − Σ (e_k·y_0)/(e_k·e_k) ė_k) with s = y_1: no velocity across a blade against what it glides on.

    y_0 is its place seen from a point of the other body; e_k = y_2 …, its axes, are at mid-step not quite of length 1.
    """
    for b in range(d):
        a[0, b] = y[1, b]
        K[0, b, 1, b] = 1.0
    for k in range(2, 2 + d):
        part = square = 0.0
        for b in range(d):
            part += y[k, b] * y[0, b]
            square += y[k, b] * y[k, b]
        part /= square
        for b in range(d):
            a[k, b] = -part * y[1, b]
            K[k, b, 1, b] -= part
            for c in range(d):
                K[k, b, k, c] -= y[1, b] * (y[0, c] - 2.0 * part * y[k, c]) / square
                K[k, b, 0, c] -= y[1, b] * y[k, c] / square
    return 0.0


@kernel
def rolling(ny, d, y, p, a, K):
    """t·(ẏ_0 + Σ (d_i·ρ)/d_i² ḋ_i − Σ (e_k·(y_0 + ρ))/e_k² ė_k): no slip of a wheel or ball along the tangent t of a plane.

    y_0: its centre seen from a point of the plane's body; d_i, then e_k: the axes of the wheel and of that body; ρ: from the
    centre to where it touches, −R u with u = n of a ball, and of a disk the unit vector along n − (n·α) α/(α·α), across its
    axis α. At mid-step the axes are not quite of length 1; divided by their squares, their rates are those of
    ω = 2/h tan(Δθ/2), which is the ω that energy–momentum steps go by. p = (R, 1 for a disk and 0 for a ball, n and t in the
    axes e_k, α in the axes d_i).
    """
    t, n, axis, rho = np.zeros(d), np.zeros(d), np.zeros(d), np.zeros(d)
    by_n, by_axis = np.zeros((d, d)), np.zeros((d, d))
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
    for m in range(2 * d):
        v = wheel + m  # the director, and the vector that it is multiplied by
        on_plane = m >= d
        sign = -1.0 if on_plane else 1.0
        part = square = 0.0
        for b in range(d):
            part += y[v, b] * (rho[b] + (y[0, b] if on_plane else 0.0))
            square += y[v, b] * y[v, b]
        part /= square
        for b in range(d):
            a[v, b] = sign * part * t[b]
            for k in range(d):
                K[v, b, plane + k, b] += sign * part * p[2 + d + k]
            for c in range(d):
                arm = rho[c] + (y[0, c] if on_plane else 0.0)
                K[v, b, v, c] += sign * t[b] * (arm - 2.0 * part * y[v, c]) / square
                if on_plane:
                    K[v, b, 0, c] += sign * t[b] * y[v, c] / square
                along_n = along_axis = 0.0
                for e in range(d):
                    along_n += y[v, e] * by_n[e, c] / square
                    along_axis += y[v, e] * by_axis[e, c] / square
                for k in range(d):
                    K[v, b, plane + k, c] += sign * t[b] * along_n * p[2 + k]
                    K[v, b, wheel + k, c] += sign * t[b] * along_axis * p[2 + 2 * d + k]
    return 0.0


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
