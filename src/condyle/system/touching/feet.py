"""Feet of points on pieces that deform, y(u) = Σ_j m_j(u) c_j with monomials m_j: `contact/deformable.py` in a kernel.

The search is that of `contact/basis.py:project`, point by point; u has one parameter in the plane and two in space.
"""

import numpy as np

from condyle.laws.kernel import kernel

STEPS = 40  # of Newton's method at most
ENOUGH = 1e-8  # change of u that is the last one
SHORTER = 12  # attempts to make a step downhill


@kernel
def find_feet(powers, triangle, coefficients, vectors, cells, places, facet, start, flat, side, beyond, foot):
    """Fill a foot (`contact/foot.py:Foot`, but for its facet) of each point, places (n, d), on its piece facet (n,).

    powers (J, p) of the monomials; triangle (f,); coefficients (f, J, K) that make c_j of the vectors (v, d) at cells (f, K).
    start (n, p): parameters near the feet. beyond: how far beyond the edges of a piece a foot may be. side: −1 if the outside
    is against t_1 × t_2 (in the plane, on the left of t).
    """
    u, N, slopes, bends, frame, distance, tangents, curving, inverse = foot
    J, p = powers.shape
    d, K = places.shape[1], cells.shape[1]
    c, m, first, second = np.empty((J, d)), np.empty(J), np.empty((p, J)), np.empty((p, p, J))
    work = np.empty((10, p))
    H, A, H_new, A_new = np.empty((p, p)), np.empty((p, p)), np.empty((p, p)), np.empty((p, p))
    for i in range(places.shape[0]):
        f = facet[i]
        C = coefficients[f]
        for j in range(J):
            for a in range(d):
                c[j, a] = 0.0
                for k in range(K):
                    c[j, a] += C[j, k] * vectors[cells[f, k], a]
        if flat:
            _on_flat(c, places[i], u[i])
        else:
            for a in range(p):
                u[i, a] = start[i, a]
            _on_curved(powers, triangle[f], c, places[i], beyond, u[i], (m, first, second), work, H, A, H_new, A_new)
        monomials(powers, u[i], m, first, second)
        for k in range(K):
            N[i, k] = 0.0
            for j in range(J):
                N[i, k] += m[j] * C[j, k]
            for a in range(p):
                slopes[i, a, k] = 0.0
                for j in range(J):
                    slopes[i, a, k] += first[a, j] * C[j, k]
        for a in range(p):
            for e in range(d):
                tangents[i, a, e] = 0.0
                for j in range(J):
                    tangents[i, a, e] += first[a, j] * c[j, e]
            for b in range(p):
                for e in range(d):
                    curving[i, a, b, e] = 0.0
                if not flat:
                    for e in range(d):
                        for j in range(J):
                            curving[i, a, b, e] += second[a, b, j] * c[j, e]
                    for k in range(K):
                        bends[i, a, b, k] = 0.0
                        for j in range(J):
                            bends[i, a, b, k] += second[a, b, j] * C[j, k]
        _frame(tangents[i], side, frame[i])
        distance[i] = 0.0
        for e in range(d):
            there = 0.0
            for j in range(J):
                there += m[j] * c[j, e]
            distance[i] += (places[i, e] - there) * frame[i, 0, e]
        _inverse_metric(tangents[i], inverse[i])


@kernel
def monomials(powers, u, m, first, second):
    """m_j = Π_a u_a^{k_ja} with their first and second derivatives."""
    J, p = powers.shape
    for j in range(J):
        if p == 1:
            m[j], first[0, j], second[0, 0, j] = _power(u[0], powers[j, 0])
        else:
            x, dx, ddx = _power(u[0], powers[j, 0])
            y, dy, ddy = _power(u[1], powers[j, 1])
            m[j] = x * y
            first[0, j], first[1, j] = dx * y, x * dy
            second[0, 0, j], second[1, 1, j] = ddx * y, x * ddy
            second[0, 1, j] = second[1, 0, j] = dx * dy


@kernel
def _power(u, k):
    """u^k and its derivatives."""
    if k == 0:
        return 1.0, 0.0, 0.0
    if k == 1:
        return u, 1.0, 0.0
    low = 1.0
    for _ in range(k - 2):
        low *= u
    return low * u * u, k * low * u, k * (k - 1) * low


@kernel
def _on_flat(c, place, u):
    """The foot on the plane (line) of a flat piece c_0 + u_a c_a."""
    d = place.size
    s0 = s1 = a00 = a01 = a11 = 0.0
    for e in range(d):
        miss = place[e] - c[0, e]
        s0 += c[1, e] * miss
        a00 += c[1, e] * c[1, e]
        if u.size == 2:
            s1 += c[2, e] * miss
            a01 += c[1, e] * c[2, e]
            a11 += c[2, e] * c[2, e]
    if u.size == 1:
        u[0] = s0 / a00
        return
    det = a00 * a11 - a01 * a01
    u[0], u[1] = (a11 * s0 - a01 * s1) / det, (a00 * s1 - a01 * s0) / det


@kernel
def _on_curved(powers, triangle, c, place, beyond, u, functions, work, H, A, H_new, A_new):
    """Newton's method downhill on ½ |y − p|² from u on, within the piece or `beyond` its edges (`basis.project`)."""
    p = u.size
    slope, step, new, slope_new = work[0], work[1], work[2], work[3]
    _clip(u, triangle, beyond)
    value = _along(powers, c, place, u, functions, slope, H, A)
    for _ in range(STEPS):
        _newton_step(u, triangle, slope, H, A, beyond, step)
        change = 0.0
        for a in range(p):
            new[a] = u[a] + step[a]
        _clip(new, triangle, beyond)
        for a in range(p):
            change = max(change, abs(new[a] - u[a]))
        last = change < ENOUGH  # what is left after it is the square of this
        size, worse, there = 1.0, False, 0.0
        for attempt in range(SHORTER):
            there = _along(powers, c, place, new, functions, slope_new, H_new, A_new)
            worse = there > value and not last
            if not worse:
                break
            size *= 0.3
            if attempt == 1:  # an edge is in the way: along the slope it goes down for sure
                trace = A[0, 0] if p == 1 else A[0, 0] + A[1, 1]
                for a in range(p):
                    step[a] = -slope[a] / trace
                size = 1.0
            for a in range(p):
                new[a] = u[a] + size * step[a]
            _clip(new, triangle, beyond)
        if worse:
            return
        value = there
        for a in range(p):
            u[a], slope[a] = new[a], slope_new[a]
            for b in range(p):
                H[a, b], A[a, b] = H_new[a, b], A_new[a, b]
        if last:
            return


@kernel
def _along(powers, c, place, u, functions, slope, H, A):
    """½ |y − p|²; fills its gradient and Hessian by u, and the metric."""
    m, first, second = functions
    J, p = powers.shape
    if _is_bilinear(powers):
        return _along_bilinear(c, place, u, slope, H, A)
    monomials(powers, u, m, first, second)
    for a in range(p):
        slope[a] = 0.0
        for b in range(p):
            H[a, b] = A[a, b] = 0.0
    value = 0.0
    for e in range(place.size):
        miss, t0, t1 = -place[e], 0.0, 0.0
        for j in range(J):
            miss += m[j] * c[j, e]
            t0 += first[0, j] * c[j, e]
            if p == 2:
                t1 += first[1, j] * c[j, e]
        value += 0.5 * miss * miss
        slope[0] += t0 * miss
        A[0, 0] += t0 * t0
        if p == 2:
            slope[1] += t1 * miss
            A[0, 1] += t0 * t1
            A[1, 1] += t1 * t1
        for a in range(p):
            for b in range(p):
                bend = 0.0
                for j in range(J):
                    bend += second[a, b, j] * c[j, e]
                H[a, b] += bend * miss
    if p == 2:
        A[1, 0] = A[0, 1]
    for a in range(p):
        for b in range(p):
            H[a, b] += A[a, b]
    return value


@kernel
def _is_bilinear(powers):
    """Are the monomials 1, u, v, uv, as those of quadrilaterals?"""
    J, p = powers.shape
    return J == 4 and p == 2 and powers[1, 0] + powers[2, 1] == 2 and powers[3, 0] * powers[3, 1] == 1


@kernel
def _along_bilinear(c, place, u, slope, H, A):
    """The same on quadrilaterals in space, written out."""
    value = s0 = s1 = a00 = a01 = a11 = mixed = 0.0
    for e in range(place.size):
        t0, t1 = c[1, e] + u[1] * c[3, e], c[2, e] + u[0] * c[3, e]
        miss = c[0, e] + u[0] * t0 + u[1] * c[2, e] - place[e]
        value += 0.5 * miss * miss
        s0, s1, mixed = s0 + t0 * miss, s1 + t1 * miss, mixed + c[3, e] * miss
        a00, a01, a11 = a00 + t0 * t0, a01 + t0 * t1, a11 + t1 * t1
    slope[0], slope[1] = s0, s1
    A[0, 0], A[0, 1], A[1, 0], A[1, 1] = a00, a01, a01, a11
    H[0, 0], H[0, 1], H[1, 0], H[1, 1] = a00, a01 + mixed, a01 + mixed, a11
    return value


@kernel
def _clip(u, triangle, beyond):
    """Parameters brought back to the piece, or to `beyond` its edges."""
    if not triangle:
        for a in range(u.size):
            u[a] = min(max(u[a], -beyond), 1.0 + beyond)
        return
    u[0], u[1] = max(u[0], -beyond), max(u[1], -beyond)
    over = max(u[0] + u[1] - 1.0 - beyond, 0.0)
    low = min(min(u[0], u[1]) + beyond, 0.5 * over)  # what the smaller one can give
    if u[0] <= u[1]:
        u[0], u[1] = max(u[0] - low, -beyond), max(u[1] - (over - low), -beyond)
    else:
        u[0], u[1] = max(u[0] - (over - low), -beyond), max(u[1] - low, -beyond)


@kernel
def _is_held(u, slope, triangle, beyond):
    """Is a parameter at an edge of the piece that the way down leads out of?"""
    return (u <= 1e-14 - beyond and slope > 0.0) or (not triangle and u >= 1.0 + beyond - 1e-14 and slope < 0.0)


@kernel
def _newton_step(u, triangle, slope, H, A, beyond, step):
    """The step of Newton within the parameters that are free to move; |H| where H is not positive."""
    first = not _is_held(u[0], slope[0], triangle, beyond)
    if u.size == 1:
        size = max(A[0, 0], 1e-300)
        k = H[0, 0] if H[0, 0] > 0.0 else max(abs(H[0, 0]), 1e-3 * size)
        step[0] = -slope[0] / k if first else 0.0
        return
    second = not _is_held(u[1], slope[1], triangle, beyond)
    size = max(A[0, 0] + A[1, 1], 1e-300)
    a, b, d = H[0, 0], 0.5 * (H[0, 1] + H[1, 0]), H[1, 1]
    if not (a > 0.0 and a * d - b * b > 0.0):  # away from a maximum or saddle
        middle, half = 0.5 * (a + d), 0.5 * (a - d)
        radius = np.sqrt(half * half + b * b)
        high, low = max(abs(middle + radius), 1e-3 * size), max(abs(middle - radius), 1e-3 * size)
        mean, share = 0.5 * (high + low), 0.5 * (high - low) / radius if radius > 0.0 else 0.0
        a, b, d = mean + share * half, share * b, mean - share * half
    step[0] = step[1] = 0.0
    if first and second:
        det = a * d - b * b
        step[0], step[1] = (b * slope[1] - d * slope[0]) / det, (b * slope[0] - a * slope[1]) / det
    elif first:
        step[0] = -slope[0] / a
    elif second:
        step[1] = -slope[1] / d
    if triangle and u[0] + u[1] >= 1.0 + beyond - 1e-15 and step[0] + step[1] > 0.0:
        along = -(slope[0] - slope[1]) / (a - 2.0 * b + d)  # along the third edge, where the step would cross it
        step[0], step[1] = along, -along


@kernel
def _frame(t, side, frame):
    """Normal and tangents as rows."""
    d, length = t.shape[1], 0.0
    for e in range(d):
        length += t[0, e] * t[0, e]
    length = max(np.sqrt(length), 1e-300)
    for e in range(d):
        frame[1, e] = t[0, e] / length
    if d == 2:
        frame[0, 0], frame[0, 1] = side * frame[1, 1], -side * frame[1, 0]
        return
    _cross(t[0], t[1], frame[0])
    size = max(np.sqrt(frame[0, 0] ** 2 + frame[0, 1] ** 2 + frame[0, 2] ** 2), 1e-300)
    for e in range(d):
        frame[0, e] *= side / size
    _cross(frame[0], frame[1], frame[2])


@kernel
def _cross(a, b, out):
    out[0], out[1], out[2] = a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def _inverse_metric(t, out):
    """A^{αβ} of the tangents."""
    p, d = t.shape
    a = b = c = 0.0
    for e in range(d):
        a += t[0, e] * t[0, e]
        if p == 2:
            b += t[0, e] * t[1, e]
            c += t[1, e] * t[1, e]
    if p == 1:
        out[0, 0] = 1.0 / a
        return
    det = a * c - b * b
    out[0, 0], out[1, 1] = c / det, a / det
    out[0, 1] = out[1, 0] = -b / det
