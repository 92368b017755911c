"""Support points: the point of a convex core that is farthest in a direction.

This is all that the general method (distance.py, penetration.py) asks of a shape. Cores carry no margin: that of a sphere is
its centre, that of a capsule its axis, that of a rounded box the box inside the rounding.
"""

from __future__ import annotations

from math import sqrt

from condyle.geometry.kinds import BOX, CAPSULE, CONE, CYLINDER, ELLIPSOID, SPHERE, SUPERELLIPSOID, TRIANGLE
from condyle.geometry.vectors import place, to_body
from condyle.laws.kernel import kernel


@kernel
def support_in_body(kind, sizes, first, last, vertices, x, y, z):
    """The farthest point of a core in the direction (x, y, z), all in the axes of the shape."""
    if kind == BOX:
        return _toward(sizes[0], x), _toward(sizes[1], y), _toward(sizes[2], z)
    if kind == ELLIPSOID:
        a, b, c = sizes[0] * x, sizes[1] * y, sizes[2] * z
        h = sqrt(a * a + b * b + c * c) + 1e-300
        return sizes[0] * a / h, sizes[1] * b / h, sizes[2] * c / h
    if kind == SPHERE:
        return 0.0, 0.0, 0.0
    if kind == CAPSULE:
        return 0.0, 0.0, _toward(sizes[1], z)
    if kind in (CYLINDER, CONE):
        return _turned_profile(kind, sizes, x, y, z)
    if kind == SUPERELLIPSOID:
        return _superellipsoid(sizes, x, y, z)
    if kind == TRIANGLE:
        best, k = -1e300, 0
        for i in range(3):
            value = sizes[3 * i] * x + sizes[3 * i + 1] * y + sizes[3 * i + 2] * z
            if value > best:
                best, k = value, 3 * i
        return sizes[k], sizes[k + 1], sizes[k + 2]
    best, k = -1e300, first
    for i in range(first, last):
        value = vertices[i, 0] * x + vertices[i, 1] * y + vertices[i, 2] * z
        if value > best:
            best, k = value, i
    return vertices[k, 0], vertices[k, 1], vertices[k, 2]


@kernel
def _toward(half, direction):
    return half if direction >= 0.0 else -half


@kernel
def _turned_profile(kind, sizes, x, y, z):
    """A cylinder of half length sizes[1], or a cone from its base at 0 to its top, of radius sizes[2], at sizes[1]."""
    across = sqrt(x * x + y * y)
    if kind == CYLINDER:
        radius, height = sizes[0], _toward(sizes[1], z)
    elif sizes[0] * across >= sizes[2] * across + sizes[1] * z:
        radius, height = sizes[0], 0.0
    else:
        radius, height = sizes[2], sizes[1]
    if across < 1e-14 * (abs(z) + 1e-300):  # any point of the flat end, and its centre is one
        return 0.0, 0.0, height
    return radius * x / across, radius * y / across, height


@kernel
def _superellipsoid(sizes, x, y, z):
    """((|x/a|^p + |y/b|^p)^(r/p) + |z/c|^r) = 1 with p = 2/e₂, r = 2/e₁: norms within each other, so is their dual."""
    p, r = 2.0 / sizes[4], 2.0 / sizes[3]
    q, s = p / (p - 1.0), r / (r - 1.0)
    u, v, w = sizes[0] * abs(x), sizes[1] * abs(y), sizes[2] * abs(z)
    flat = _norm(u, v, q)
    whole = _norm(flat, w, s) + 1e-300
    outer = (flat / whole) ** (s - 1.0)
    inner = 1.0 / (flat + 1e-300)
    px = sizes[0] * outer * (u * inner) ** (q - 1.0)
    py = sizes[1] * outer * (v * inner) ** (q - 1.0)
    pz = sizes[2] * (w / whole) ** (s - 1.0)
    return px if x >= 0.0 else -px, py if y >= 0.0 else -py, pz if z >= 0.0 else -pz


@kernel
def _norm(u, v, q):
    large, small = (u, v) if u > v else (v, u)
    if large < 1e-300:
        return 0.0
    return large * (1.0 + (small / large) ** q) ** (1.0 / q)


@kernel
def support(work, vertices, side, x, y, z):
    """The farthest point in a world direction of the core A (side 0) or B (side 1) of a pair, in world axes [m]."""
    pose = work.pose[side]
    bx, by, bz = to_body(pose, x, y, z)
    px, py, pz = support_in_body(
        work.kind[side], work.sizes[side], work.span[side, 0], work.span[side, 1], vertices, bx, by, bz
    )
    return place(pose, px, py, pz)


@kernel
def add_support(work, vertices, slot, x, y, z, points):
    """Put the farthest point of A − B in a direction into `points[:, slot]`, with the points of A and B it is made of."""
    ax, ay, az = support(work, vertices, 0, x, y, z)
    bx, by, bz = support(work, vertices, 1, -x, -y, -z)
    points[1, slot, 0], points[1, slot, 1], points[1, slot, 2] = ax, ay, az
    points[2, slot, 0], points[2, slot, 1], points[2, slot, 2] = bx, by, bz
    points[0, slot, 0], points[0, slot, 1], points[0, slot, 2] = ax - bx, ay - by, az - bz
    return points[0, slot, 0] * x + points[0, slot, 1] * y + points[0, slot, 2] * z
