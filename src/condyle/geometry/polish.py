"""The last digits of a common normal, where a curved shape takes part.

Walks over support points end when the gap is exact, which is when the normal is half as exact. The gap is the maximum over n of
g(n) = n·(p_B − p_A) with the support points p_A(n) and p_B(−n); it has kinks where a side is flat. So each side is taken in
turn as flat, as an edge and as pointed, n is kept square to what is flat, and Newton's method finds the maximum in what is
left, with the curvatures of spread.py. The highest of these maxima is the gap.
"""

from __future__ import annotations

from math import sqrt

import numpy as np

from condyle.geometry.kinds import (
    BOX,
    CAPSULE,
    CONE,
    CONVEX,
    CYLINDER,
    ELLIPSOID,
    SUPERELLIPSOID,
    TRIANGLE,
)  # fmt: skip
from condyle.geometry.signatures import WORK, count, f2
from condyle.geometry.spread import spread
from condyle.geometry.support import support
from condyle.geometry.vectors import cross, dot, normalised, square_to, to_body, to_world
from condyle.laws.kernel import kernel, separate

NEARLY = 0.02  # sine of the angle within which a side may turn out to be flat
OPTIONS = 4
STEPS = 12
LARGEST = 0.2  # [rad] that one step may turn the normal


@kernel
def is_curved(kind):
    return kind in (ELLIPSOID, SUPERELLIPSOID, CYLINDER, CONE)


@separate(count(WORK, f2))
def polish(work, vertices):
    """Improve normal, gap and points of the cores in `work.answer`."""
    a = work.answer
    n = a[7:10].copy()
    best = _height(work, vertices, n) - 1e-13 * (work.reach[0] + work.reach[1])
    ranks, flats = np.zeros((2, OPTIONS), dtype=np.int64), np.zeros((2, OPTIONS, 2, 3))
    counts = (_options(work, vertices, 0, n, ranks[0], flats[0]), _options(work, vertices, 1, n, ranks[1], flats[1]))
    trial, chosen = np.empty(3), np.empty(3)
    found_a, found_b = -1, -1
    for i in range(counts[0]):
        for j in range(counts[1]):
            if ranks[0, i] + ranks[1, j] > 2:
                continue
            trial[:] = n
            if not _climb(work, vertices, ranks[0, i], flats[0, i], ranks[1, j], flats[1, j], trial):
                continue
            value = _height(work, vertices, trial)
            if value > best and dot(trial[0], trial[1], trial[2], n[0], n[1], n[2]) > 0.99:
                best, found_a, found_b = value, i, j
                chosen[:] = trial
    if found_a >= 0:
        _write(work, vertices, chosen, ranks[0, found_a], flats[0, found_a], ranks[1, found_b], flats[1, found_b])
    return 0


@kernel
def _height(work, vertices, n):
    """g(n) of the cores [m]."""
    p = support(work, vertices, 0, n[0], n[1], n[2])
    q = support(work, vertices, 1, -n[0], -n[1], -n[2])
    return dot(q[0] - p[0], q[1] - p[1], q[2] - p[2], n[0], n[1], n[2])


@kernel
def _options(work, vertices, side, n, ranks, flats):
    """Directions in which a side may be flat: in two (a face), in one (an edge, a side of a cylinder), in none. Their
    number."""
    kind, pose, s = work.kind[side], work.pose[side], work.sizes[side]
    sign = 1.0 - 2.0 * side
    b = to_body(pose, sign * n[0], sign * n[1], sign * n[2])
    ranks[0], count = 0, 1
    if kind == BOX:
        first = -1
        for i in range(3):
            if abs(b[i]) < NEARLY and count < OPTIONS:
                ranks[count] = 1
                flats[count, 0] = pose[1 + i]
                if first >= 0 and count < OPTIONS - 1:
                    ranks[count + 1] = 2
                    flats[count + 1, 0], flats[count + 1, 1] = pose[1 + first], pose[1 + i]
                    count += 1
                first = i
                count += 1
    elif kind in (CAPSULE, CYLINDER, CONE):
        across = sqrt(b[0] * b[0] + b[1] * b[1])
        top = s[2] if kind == CONE else s[0]
        if kind != CAPSULE and across < NEARLY and (b[2] < 0.0 or top > 0.0):
            ranks[count] = 2
            flats[count, 0], flats[count, 1] = pose[1], pose[2]
            count += 1
        low = 0.0 if kind == CONE else -s[1]
        length = sqrt((s[0] - top) ** 2 + (s[1] - low) ** 2)
        if kind == CAPSULE:
            aside = abs(b[2]) < NEARLY
        else:
            aside = abs(across * (s[0] - top) - b[2] * (s[1] - low)) < NEARLY * length and across > NEARLY
        if aside:
            ranks[count] = 1
            flats[count, 0] = pose[3]
            count += 1
    elif kind in (CONVEX, TRIANGLE):
        count = _of_vertices(work, vertices, side, b, ranks, flats)
    return count


@kernel
def _of_vertices(work, vertices, side, n, ranks, flats):
    """A face, if three vertices are nearly as high as the highest one; an edge, if two are."""
    pose = work.pose[side]
    V = vertices[work.span[side, 0] : work.span[side, 1]]
    if work.kind[side] == TRIANGLE:
        V = work.sizes[side].reshape(3, 3)
    top, best = 0, -1e300
    for i in range(V.shape[0]):
        h = V[i, 0] * n[0] + V[i, 1] * n[1] + V[i, 2] * n[2]
        if h > best:
            top, best = i, h
    second, third, far, wide = -1, -1, 0.0, 0.0
    for sweep in range(2):
        for i in range(V.shape[0]):
            dx, dy, dz = V[i, 0] - V[top, 0], V[i, 1] - V[top, 1], V[i, 2] - V[top, 2]
            size = sqrt(dx * dx + dy * dy + dz * dz)
            if i == top or -(dx * n[0] + dy * n[1] + dz * n[2]) > NEARLY * size:
                continue
            if sweep == 0 and size > far:
                second, far = i, size
            elif sweep == 1 and i != second:
                ex, ey, ez = V[second, 0] - V[top, 0], V[second, 1] - V[top, 1], V[second, 2] - V[top, 2]
                cx, cy, cz = cross(dx, dy, dz, ex, ey, ez)
                area = sqrt(cx * cx + cy * cy + cz * cz)
                if area > wide:
                    third, wide = i, area
    if second < 0:
        return 1
    ranks[1] = 1
    d = V[second] - V[top]
    flats[1, 0] = normalised(*to_world(pose, d[0], d[1], d[2]))
    if third < 0 or wide < 1e-9 * far * far:
        return 2
    ranks[2] = 2
    flats[2, 0] = flats[1, 0]
    d = V[third] - V[top]
    flats[2, 1] = normalised(*to_world(pose, d[0], d[1], d[2]))
    return 3


@kernel
def _flat(work, side, given, n):
    """The direction itself; of a cone, its side at the azimuth of n."""
    if work.kind[side] != CONE:
        return given[0], given[1], given[2]
    pose, s = work.pose[side], work.sizes[side]
    sign = 1.0 - 2.0 * side
    b = to_body(pose, sign * n[0], sign * n[1], sign * n[2])
    across = sqrt(b[0] * b[0] + b[1] * b[1]) + 1e-300
    gr = (s[2] - s[0]) / across
    return normalised(*to_world(pose, gr * b[0], gr * b[1], s[1]))


@kernel
def _climb(work, vertices, rank_a, flat_a, rank_b, flat_b, n):
    """Newton's method for the maximum of g with n square to the flat directions; whether it got there."""
    rows, axes, point = np.empty((2, 3)), np.empty((2, 3)), np.zeros(3)
    for _ in range(STEPS):
        count = 0
        for side in range(2):
            rank, flat = (rank_a, flat_a) if side == 0 else (rank_b, flat_b)
            for k in range(rank):
                if rank == 2:
                    rows[count] = flat[k]
                else:
                    rows[count] = _flat(work, side, flat[k], n)
                count += 1
        axes[0] = square_to(n[0], n[1], n[2])
        axes[1] = cross(n[0], n[1], n[2], axes[0, 0], axes[0, 1], axes[0, 2])
        if count == 2:
            a, b, c, d = rows[0] @ axes[0], rows[0] @ axes[1], rows[1] @ axes[0], rows[1] @ axes[1]
            det = a * d - b * c
            if abs(det) < 1e-6:
                return False
            r, q = -(rows[0] @ n), -(rows[1] @ n)
            x, y = (d * r - b * q) / det, (a * q - c * r) / det
        else:
            p = support(work, vertices, 0, n[0], n[1], n[2])
            q = support(work, vertices, 1, -n[0], -n[1], -n[2])
            m = (q[0] - p[0], q[1] - p[1], q[2] - p[2])
            gap = dot(m[0], m[1], m[2], n[0], n[1], n[2]) - work.margin[0] - work.margin[1]
            point[0], point[1], point[2] = p
            a, b, c = spread(work, vertices, 0, n, axes, point, 0.0)
            point[0], point[1], point[2] = q
            d, e, f = spread(work, vertices, 1, -n, axes, point, 0.0)
            a, b, c = a + d + gap, b + e, c + f + gap
            r, s = (
                dot(m[0], m[1], m[2], axes[0, 0], axes[0, 1], axes[0, 2]), dot(m[0], m[1], m[2], axes[1, 0], axes[1, 1],
                axes[1, 2]),
            )  # fmt: skip
            if count == 0:
                det = a * c - b * b
                if a <= 0.0 or det <= 0.0:
                    return False
                x, y = (c * r - b * s) / det, (a * s - b * r) / det
            else:
                u, v = rows[0] @ axes[0], rows[0] @ axes[1]
                size = sqrt(u * u + v * v)
                if size < 1e-6:
                    return False
                u, v = u / size, v / size
                along = -(rows[0] @ n) / size
                stiff = a * v * v - 2.0 * b * u * v + c * u * u
                # Across it, less what the move along it changes there.
                coupled = -a * u * v + b * (u * u - v * v) + c * u * v
                if stiff <= 0.0:
                    return False
                over = (-v * r + u * s - coupled * along) / stiff
                x, y = along * u - over * v, along * v + over * u
        turn = sqrt(x * x + y * y)
        if turn > LARGEST:
            x, y = x * LARGEST / turn, y * LARGEST / turn
        nx, ny, nz = normalised(
            n[0] + x * axes[0, 0] + y * axes[1, 0],
            n[1] + x * axes[0, 1] + y * axes[1, 1],
            n[2] + x * axes[0, 2] + y * axes[1, 2],
        )
        n[0], n[1], n[2] = nx, ny, nz
        if turn < 1e-15:
            return True
    return turn < 1e-9


@kernel
def _write(work, vertices, n, rank_a, flat_a, rank_b, flat_b):
    """Points of the cores on both sides: support points, moved along what is flat to face each other."""
    a = work.answer
    points = np.empty((2, 3))
    points[0] = support(work, vertices, 0, n[0], n[1], n[2])
    points[1] = support(work, vertices, 1, -n[0], -n[1], -n[2])
    apart = points[1] - points[0]
    gap = apart @ n
    if rank_a == 2:
        points[0] = points[1] - gap * n
    elif rank_b == 2:
        points[1] = points[0] + gap * n
    elif rank_a == 1 and rank_b == 1:
        t = np.array(_flat(work, 0, flat_a[0], n))
        u = np.array(_flat(work, 1, flat_b[0], n))
        # p_A + s t and p_B + v u face each other: both lines seen along n.
        tu = t @ u
        det = 1.0 - tu * tu
        s, v = (t @ apart - tu * (u @ apart)) / det, (tu * (t @ apart) - u @ apart) / det
        points[0], points[1] = points[0] + s * t, points[1] + v * u
    elif rank_a == 1:
        t = np.array(_flat(work, 0, flat_a[0], n))
        points[0] += (t @ apart) * t
    elif rank_b == 1:
        t = np.array(_flat(work, 1, flat_b[0], n))
        points[1] -= (t @ apart) * t
    a[0] = gap
    for i in range(3):  # what rounding has left beside each other meets halfway
        middle = 0.5 * (points[0, i] + points[1, i])
        a[1 + i], a[4 + i], a[7 + i] = middle - 0.5 * gap * n[i], middle + 0.5 * gap * n[i], n[i]
