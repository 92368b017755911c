"""Where triangles and quadrilaterals of two surfaces lie on each other: `bodies/overlap.py` for facets of corners, in a kernel.

A facet of the second surface is projected onto the plane of one of the first and cut to what both have in common. That
polygon is divided into triangles about the mean of its corners.
"""

import numpy as np

from condyle.laws.kernel import kernel

CORNERS = 8  # of what two quadrilaterals have in common, at most
SLIVER = 1e-12  # share of a facet below which a triangle is left out
ENOUGH = 1e-13  # change of reference coordinates that is the last one


@kernel
def cut_pairs(here, there, rule, weight, pair, xi, eta, area):
    """Fill triangles: the pair of each, reference coordinates in both facets (t, q, 2), areas (t, q); returns their number.

    here (m, 3 or 4, 2), there: corners of the pairs in the planes of the first facets [m]; rule (q, 2), weight (q,) on the
    reference triangle.
    """
    count = 0
    corners, other = np.empty((2 * CORNERS, 2)), np.empty((2 * CORNERS, 2))
    place = np.empty(2)
    for k in range(here.shape[0]):
        first, second = here[k], there[k]
        n = second.shape[0]
        for i in range(n):  # seen from the other side
            corners[i, 0], corners[i, 1] = second[n - 1 - i, 0], second[n - 1 - i, 1]
        whole, m = 0.0, first.shape[0]
        for i in range(m):
            j = (i + 1) % m
            whole += first[i, 0] * first[j, 1] - first[i, 1] * first[j, 0]
            n = _clip(corners, n, first[i], first[j], other)
            for v in range(n):
                corners[v, 0], corners[v, 1] = other[v, 0], other[v, 1]
        x = y = 0.0
        for i in range(n):
            x, y = x + corners[i, 0] / n, y + corners[i, 1] / n
        for i in range(n):
            j = (i + 1) % n
            ux, uy, vx, vy = corners[i, 0] - x, corners[i, 1] - y, corners[j, 0] - x, corners[j, 1] - y
            double = ux * vy - uy * vx
            if not double > SLIVER * abs(whole):
                continue
            pair[count] = k
            for q in range(rule.shape[0]):
                place[0] = x + rule[q, 0] * ux + rule[q, 1] * vx
                place[1] = y + rule[q, 0] * uy + rule[q, 1] * vy
                area[count, q] = double * weight[q]
                _reference(first, place, xi[count, q])
                _reference(second, place, eta[count, q])
            count += 1
    return count


@kernel
def _clip(corners, n, start, end, out):
    """What of a convex polygon lies to the left of a line; the number of its corners."""
    count = 0
    for i in range(n):
        j = (i + 1) % n
        a, b = _side(start, end, corners[i]), _side(start, end, corners[j])
        if a >= 0.0:
            out[count, 0], out[count, 1] = corners[i, 0], corners[i, 1]
            count += 1
        if (a >= 0.0) != (b >= 0.0):
            share = a / (a - b)
            for e in range(2):
                out[count, e] = corners[i, e] + share * (corners[j, e] - corners[i, e])
            count += 1
    return count


@kernel
def _side(start, end, place):
    return (end[0] - start[0]) * (place[1] - start[1]) - (end[1] - start[1]) * (place[0] - start[0])


@kernel
def _reference(X, place, xi):
    """Reference coordinates of a place in a triangle (0 ≤ ξ, ξ + η ≤ 1) or a quadrilateral (−1 ≤ ξ, η ≤ 1)."""
    if X.shape[0] == 3:
        a, b = X[1, 0] - X[0, 0], X[2, 0] - X[0, 0]
        c, d = X[1, 1] - X[0, 1], X[2, 1] - X[0, 1]
        x, y, det = place[0] - X[0, 0], place[1] - X[0, 1], a * d - b * c
        xi[0], xi[1] = (d * x - b * y) / det, (a * y - c * x) / det
        return
    xi[0] = xi[1] = 0.0
    for _ in range(30):
        s, t = xi[0], xi[1]
        x, y, a, b, c, d = -place[0], -place[1], 0.0, 0.0, 0.0, 0.0
        for k in range(4):
            p, q = -1.0 if k == 0 or k == 3 else 1.0, -1.0 if k < 2 else 1.0
            N = 0.25 * (1.0 + p * s) * (1.0 + q * t)
            x, y = x + N * X[k, 0], y + N * X[k, 1]
            a, b = a + 0.25 * p * (1.0 + q * t) * X[k, 0], b + 0.25 * q * (1.0 + p * s) * X[k, 0]
            c, d = c + 0.25 * p * (1.0 + q * t) * X[k, 1], d + 0.25 * q * (1.0 + p * s) * X[k, 1]
        det = a * d - b * c
        ds, dt = (d * x - b * y) / det, (a * y - c * x) / det
        xi[0], xi[1] = s - ds, t - dt
        if max(abs(ds), abs(dt)) < ENOUGH:
            return
