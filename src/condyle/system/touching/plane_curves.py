"""Distances from curves of cubic pieces in the plane: `contact/curves.py`, of one point.

A curve is a row of numbers: its kind, is the material on the other side, is it closed, the numbers of pieces and samples, the
largest coordinate and the least slope of its pieces; then the pieces, a0, a1, a2, a3 (2 each), and the samples (2 each).
"""

import numpy as np

from condyle.laws.kernel import kernel, separate
from condyle.system.signatures import f1, f2, number

FIRST = 7  # number of the first piece
SAMPLES = 12  # of a piece, as of `contact/curves.py`


@separate(number(f1, f1, f1, f2))
def curve_distance(p, point, normal, hessian):
    """φ of a point (2,) from a curve; fills its normal (2,) and Hessian (2, 2)."""
    pieces, samples = int(p[3]), int(p[4])
    at = FIRST + 8 * pieces
    one = two = three = -1  # the nearest samples
    d1 = d2 = d3 = np.inf
    for k in range(samples):
        far = (p[at + 2 * k] - point[0]) ** 2 + (p[at + 2 * k + 1] - point[1]) ** 2
        if far < d1:
            d1, d2, d3, one, two, three = far, d1, d2, k, one, two
        elif far < d2:
            d2, d3, two, three = far, d2, k, two
        elif far < d3:
            d3, three = far, k
    best, least = 0.0, np.inf
    for start in (one, two, three):
        if start >= 0:
            s = _closest(p, point, start / SAMPLES)
            y = _on_curve(p, s)
            far = (y[0] - point[0]) ** 2 + (y[1] - point[1]) ** 2
            if far < least:
                best, least = s, far
    x, y, tx, ty, bx, by = _on_curve(p, best)
    size = np.sqrt(tx * tx + ty * ty)
    tx, ty = tx / size, ty / size
    normal[0], normal[1] = ty, -tx
    gap = (point[0] - x) * ty - (point[1] - y) * tx
    kappa = -(bx * ty - by * tx) / (size * size)
    stretch = 1.0 + kappa * gap
    bent = kappa / (stretch if abs(stretch) > 1e-12 else 1e-12)
    hessian[0, 0], hessian[1, 1] = bent * tx * tx, bent * ty * ty
    hessian[0, 1] = hessian[1, 0] = bent * tx * ty
    return gap


@kernel
def _on_curve(p, s):
    """Place, tangent ∂y/∂s and its derivative at a parameter, counted in pieces; an open curve goes on straight."""
    m, over = int(p[3]), 0.0
    if p[2] > 0.0:
        s = s % m
    piece = min(max(int(np.floor(s)), 0), m - 1)
    u = s - piece
    if p[2] == 0.0:
        over = u if u < 0.0 else max(u - 1.0, 0.0)
        u -= over
    a = FIRST + 8 * piece
    tx = p[a + 2] + u * (2.0 * p[a + 4] + 3.0 * u * p[a + 6])
    ty = p[a + 3] + u * (2.0 * p[a + 5] + 3.0 * u * p[a + 7])
    x = p[a] + u * (p[a + 2] + u * (p[a + 4] + u * p[a + 6])) + over * tx
    y = p[a + 1] + u * (p[a + 3] + u * (p[a + 5] + u * p[a + 7])) + over * ty
    if over != 0.0:
        return x, y, tx, ty, 0.0, 0.0
    return x, y, tx, ty, 2.0 * p[a + 4] + 6.0 * u * p[a + 6], 2.0 * p[a + 5] + 6.0 * u * p[a + 7]


@kernel
def _closest(p, point, s):
    """The parameter of the closest point near a sample, by Newton's method within a bracket."""
    low, high = s - 1.0 / SAMPLES, s + 1.0 / SAMPLES
    if p[2] == 0.0:  # an end piece goes on as far as it needs to
        reach = 1.0 + 4.0 * (max(abs(point[0]), abs(point[1])) + p[5]) / p[6]
        if s <= 0.0:
            low = -reach
        if s >= p[3]:
            high = p[3] + reach
    for _ in range(60):
        x, y, tx, ty, bx, by = _on_curve(p, s)
        x, y = x - point[0], y - point[1]
        f, slope = x * tx + y * ty, bx * x + by * y + tx * tx + ty * ty
        if f < 0.0:
            low = s
        else:
            high = s
        new = s - f / slope if slope > 0.0 else high + 1.0
        if not low <= new <= high:
            new = 0.5 * (low + high)
        done = abs(new - s) <= 4e-16 * (1.0 + abs(s))
        s = new
        if done:
            break
    return s
