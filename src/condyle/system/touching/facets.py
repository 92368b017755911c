"""Distances from surfaces of facets that a rigid body carries, lines or triangles: `contact/facets.py`, of one point.

A surface is a row of numbers: its kind, is the material on the other side, its size, the numbers of facets and of nodes of the
tree; then of each facet its corners and normals (`LINE` or `TRIANGLE` numbers), of each node of the tree its box and its two
children, or −1 and its range of facets.
"""

import numpy as np

from condyle.laws.kernel import kernel, separate
from condyle.system.signatures import f1, f2, number

# Of a line: corners, normal, normals at both ends. Of a triangle: corners; normals of the face, of its corners, of the edges
# opposite to them; directions of these edges.
LINE, TRIANGLE = 10, 39
FIRST = 5  # number of the first facet
DEEPEST = 64  # levels of a tree
TINY = 1e-300


@separate(number(f1, f1, f1, f2))
def facet_distance(p, point, normal, hessian):
    """φ of a point (d,) from flat facets; fills its normal (d,) and Hessian (d, d)."""
    d = point.size
    foot, other = np.empty(d), np.empty(d)
    at, feature = _nearest(p, point, foot, other)
    square = 0.0
    for a in range(d):
        foot[a] = point[a] - foot[a]
        square += foot[a] * foot[a]
    far = np.sqrt(square)
    turned = at + d * d + d * feature  # normal of the facet, or of the edge or corner
    along = 0.0
    for a in range(d):
        along += foot[a] * p[turned + a]
    if feature == 0 or far <= 1e-13 * p[2]:
        for a in range(d):
            normal[a] = p[turned + a]
            for b in range(d):
                hessian[a, b] = 0.0
        return along if feature == 0 else (-far if along < 0.0 else far)
    sign = -1.0 if along < 0.0 else 1.0
    for a in range(d):
        normal[a] = sign * foot[a] / far
    edge = at + d * d + d * (feature + 3) if d == 3 and feature > 3 else -1  # along which nothing curves
    for a in range(d):
        for b in range(d):
            value = (1.0 if a == b else 0.0) - normal[a] * normal[b]
            if edge >= 0:
                value -= p[edge + a] * p[edge + b]
            hessian[a, b] = value * sign / far
    return sign * far


@kernel
def _nearest(p, point, foot, other):
    """Where the nearest facet stands and the feature of it that is nearest; fills its closest point. other: room."""
    d, facets = point.size, int(p[3])
    wide = LINE if d == 2 else TRIANGLE
    tree, step = FIRST + facets * wide, 2 * d + 3
    stack = np.empty(DEEPEST, dtype=np.int64)
    stack[0], top = 0, 1
    best, nearest, centre = FIRST, np.inf, np.inf
    feature = 0
    while top > 0:
        top -= 1
        node = tree + step * stack[top]
        if _to_box(p, node, point) > nearest * (1.0 + 1e-13):
            continue
        if p[node + 2 * d] >= 0.0:
            one, two = int(p[node + 2 * d]), int(p[node + 2 * d + 1])
            if _to_box(p, tree + step * one, point) < _to_box(p, tree + step * two, point):
                one, two = two, one
            stack[top], stack[top + 1] = one, two  # the nearer one is looked at first
            top += 2
            continue
        for k in range(int(p[node + 2 * d + 1]), int(p[node + 2 * d + 2])):
            at = FIRST + wide * k
            what = _on_line(p, at, point, other) if d == 2 else _on_triangle(p, at, point, other)
            square = middle = 0.0
            for a in range(d):
                square += (point[a] - other[a]) ** 2
                mean = 0.0
                for c in range(d):
                    mean += p[at + d * c + a]
                middle += (point[a] - mean / d) ** 2
            far = np.sqrt(square)
            # Of equally near facets the one whose centre is nearer, so that nothing depends on the order of the tree.
            same = abs(far - nearest) <= 1e-14 * nearest
            if (middle < centre) if same else (far < nearest):
                best, feature, nearest, centre = at, what, far, middle
                for a in range(d):
                    foot[a] = other[a]
    return best, feature


@kernel
def _to_box(p, node, point):
    """Distance of a point from the box of a node [m]."""
    d, square = point.size, 0.0
    for a in range(d):
        out = max(p[node + a] - point[a], point[a] - p[node + d + a], 0.0)
        square += out * out
    return np.sqrt(square)


@kernel
def _on_line(p, at, point, foot):
    """The closest point of a line; returns 0 for the line, 1 and 2 for its ends."""
    ux, uy = p[at + 2] - p[at], p[at + 3] - p[at + 1]
    s = ((point[0] - p[at]) * ux + (point[1] - p[at + 1]) * uy) / (ux * ux + uy * uy)
    feature = 1 if s <= 0.0 else (2 if s >= 1.0 else 0)
    s = min(max(s, 0.0), 1.0)
    foot[0], foot[1] = p[at] + s * ux, p[at + 1] + s * uy
    return feature


@kernel
def _on_triangle(p, at, point, foot):
    """The closest point of a triangle by the regions of Voronoi; returns 0, its corner 1–3, or the edge opposite to it 4–6."""
    d1 = d2 = d3 = d4 = d5 = d6 = 0.0
    for k in range(3):
        a, b, c = p[at + k], p[at + 3 + k], p[at + 6 + k]
        d1 += (b - a) * (point[k] - a)
        d2 += (c - a) * (point[k] - a)
        d3 += (b - a) * (point[k] - b)
        d4 += (c - a) * (point[k] - b)
        d5 += (b - a) * (point[k] - c)
        d6 += (c - a) * (point[k] - c)
    va, vb, vc = d3 * d6 - d5 * d4, d5 * d2 - d1 * d6, d1 * d4 - d3 * d2
    inside = max(va + vb + vc, TINY)
    feature, v, w = 0, vb / inside, vc / inside
    if d1 <= 0.0 and d2 <= 0.0:
        feature, v, w = 1, 0.0, 0.0
    elif d3 >= 0.0 and d4 <= d3:
        feature, v, w = 2, 1.0, 0.0
    elif d6 >= 0.0 and d5 <= d6:
        feature, v, w = 3, 0.0, 1.0
    elif vc <= 0.0 and d1 >= 0.0 and d3 <= 0.0:
        feature, v, w = 6, d1 / (d1 - d3 if d1 != d3 else 1.0), 0.0
    elif vb <= 0.0 and d2 >= 0.0 and d6 <= 0.0:
        feature, v, w = 5, 0.0, d2 / (d2 - d6 if d2 != d6 else 1.0)
    elif va <= 0.0 and d4 - d3 >= 0.0 and d5 - d6 >= 0.0:
        w = (d4 - d3) / max((d4 - d3) + (d5 - d6), TINY)
        feature, v = 4, 1.0 - w
    for k in range(3):
        a = p[at + k]
        foot[k] = a + v * (p[at + 3 + k] - a) + w * (p[at + 6 + k] - a)
    return feature
