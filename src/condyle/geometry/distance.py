"""Distance of two convex cores that are apart: the point of A − B closest to the origin (gilbert-1988).

A simplex of at most four points of A − B walks towards the origin; only support points are asked for.
"""

from __future__ import annotations

from math import sqrt

from condyle.geometry.support import add_support
from condyle.geometry.vectors import cross, dot
from condyle.laws.kernel import kernel

STEPS = 100
EXACT = 1e-14  # of the square of the distance, between its bounds from above and below
TOUCHING = 2e-7  # of the size of the pair: below it the direction comes from the polytope (penetration.py)


@kernel
def walk_to_origin(work, vertices, nx, ny, nz):
    """The simplex of A − B closest to the origin; n: where to look first, from A to B.

    Returns the number of points of the simplex and their distance from the origin [m], 0 if it holds the origin.
    Points and shares of them are left in `work`.
    """
    points, share = work.simplex, work.share
    size = work.reach[0] + work.reach[1]
    add_support(work, vertices, 0, nx, ny, nz, points)
    count = 1
    share[0] = 1.0
    vx, vy, vz = points[0, 0, 0], points[0, 0, 1], points[0, 0, 2]
    square = dot(vx, vy, vz, vx, vy, vz)
    for _ in range(STEPS):
        if square <= (TOUCHING * size) ** 2:
            return count, 0.0
        bound = add_support(work, vertices, count, -vx, -vy, -vz, points)
        if square + bound <= EXACT * square or _known(points, count):
            break
        before = count
        count = closest_of_simplex(points[0], count + 1, share)
        if count == 4:
            return 4, 0.0
        ux = uy = uz = 0.0
        kept = 0
        for i in range(before + 1):
            if share[i] > 0.0:
                if kept < i:
                    for a in range(3):
                        for b in range(3):
                            points[a, kept, b] = points[a, i, b]
                    share[kept] = share[i]
                ux += share[kept] * points[0, kept, 0]
                uy += share[kept] * points[0, kept, 1]
                uz += share[kept] * points[0, kept, 2]
                kept += 1
        count = kept
        new = dot(ux, uy, uz, ux, uy, uz)
        stalled = new >= square * (1.0 - 1e-15)
        vx, vy, vz, square = ux, uy, uz, new
        if stalled:
            break
    return count, sqrt(square)


@kernel
def _known(points, count):
    for i in range(count):
        if (
            points[0, i, 0] == points[0, count, 0]
            and points[0, i, 1] == points[0, count, 1]
            and points[0, i, 2] == points[0, count, 2]
        ):
            return True
    return False


@kernel
def closest_of_simplex(w, count, share):
    """Shares of the points w (4, 3) in the point of their simplex closest to the origin, 0 of those not needed.

    Returns how many are needed; 4 if the origin is inside.
    """
    if count == 1:
        share[0] = 1.0
        return 1
    if count == 2:
        return _segment(w, 0, 1, share)
    if count == 3:
        return _triangle(w, 0, 1, 2, share)
    return _tetrahedron(w, share)


@kernel
def _segment(w, i, j, share):
    dx, dy, dz = w[j, 0] - w[i, 0], w[j, 1] - w[i, 1], w[j, 2] - w[i, 2]
    length = dot(dx, dy, dz, dx, dy, dz)
    t = -dot(w[i, 0], w[i, 1], w[i, 2], dx, dy, dz)
    if t <= 0.0 or length < 1e-300:
        share[i], share[j] = 1.0, 0.0
        return 1
    if t >= length:
        share[i], share[j] = 0.0, 1.0
        return 1
    share[j] = t / length
    share[i] = 1.0 - share[j]
    return 2


@kernel
def _triangle(w, i, j, k, share):
    """The foot of the origin on the face, if it is inside; otherwise the best of the edges."""
    abx, aby, abz = w[j, 0] - w[i, 0], w[j, 1] - w[i, 1], w[j, 2] - w[i, 2]
    acx, acy, acz = w[k, 0] - w[i, 0], w[k, 1] - w[i, 1], w[k, 2] - w[i, 2]
    nx, ny, nz = cross(abx, aby, abz, acx, acy, acz)
    area = dot(nx, ny, nz, nx, ny, nz)
    # Twice the areas that the foot of the origin makes with two corners each, times |n|; with short edges of triangles far away
    # nothing is lost this way.
    va = dot(nx, ny, nz, *cross(w[j, 0], w[j, 1], w[j, 2], acx - abx, acy - aby, acz - abz))
    vb = -dot(nx, ny, nz, *cross(w[k, 0], w[k, 1], w[k, 2], acx, acy, acz))
    vc = dot(nx, ny, nz, *cross(w[i, 0], w[i, 1], w[i, 2], abx, aby, abz))
    longest = max(dot(abx, aby, abz, abx, aby, abz), dot(acx, acy, acz, acx, acy, acz))
    best, at, si, sj, sk = 1e300, -1, 0.0, 0.0, 0.0
    if va > 0.0 and vb > 0.0 and vc > 0.0 and area > 1e-28 * longest * longest:
        total = 1.0 / (va + vb + vc)
        sj, sk = vb * total, vc * total
        si = 1.0 - sj - sk
        if si > 0.0:
            x, y, z = _sum(w, i, j, k, si, sj, sk)
            best, at = dot(x, y, z, x, y, z), 3
    if (
        at < 0 or area < 1e-8 * longest * longest
    ):  # what rounding has left of a narrow triangle may be worse than its edges
        for edge in range(3):
            a, b = (i, j) if edge == 0 else ((j, k) if edge == 1 else (k, i))
            _segment(w, a, b, share)
            x, y, z = _sum(w, a, b, b, share[a], share[b], 0.0)
            here = dot(x, y, z, x, y, z)
            if here < best:
                best, at, si, sj = here, edge, share[a], share[b]
    share[i] = share[j] = share[k] = 0.0
    if at == 3:
        share[i], share[j], share[k] = si, sj, sk
        return 3
    a, b = (i, j) if at == 0 else ((j, k) if at == 1 else (k, i))
    share[a], share[b] = si, sj
    return 2 if si > 0.0 and sj > 0.0 else 1


@kernel
def _sum(w, i, j, k, a, b, c):
    return (
        a * w[i, 0] + b * w[j, 0] + c * w[k, 0], a * w[i, 1] + b * w[j, 1] + c * w[k, 1], a * w[i, 2] + b * w[j, 2] +
        c * w[k, 2],
    )  # fmt: skip


@kernel
def _sides(w, i, j, k):
    """The product of the squares of two sides of a triangle."""
    ax, ay, az = w[j, 0] - w[i, 0], w[j, 1] - w[i, 1], w[j, 2] - w[i, 2]
    bx, by, bz = w[k, 0] - w[i, 0], w[k, 1] - w[i, 1], w[k, 2] - w[i, 2]
    return dot(ax, ay, az, ax, ay, az) * dot(bx, by, bz, bx, by, bz)


@kernel
def _tetrahedron(w, share):
    """The closest of the faces that the origin is outside of; 4 if there is none."""
    best, needed = 1e300, 4
    s0 = s1 = s2 = s3 = 0.25
    for face in range(4):
        i, j, k, other = (
            (0, 1, 2, 3)
            if face == 0
            else ((0, 2, 3, 1) if face == 1 else ((0, 3, 1, 2) if face == 2 else (1, 3, 2, 0)))
        )
        nx, ny, nz = cross(
            w[j, 0] - w[i, 0], w[j, 1] - w[i, 1], w[j, 2] - w[i, 2],
            w[k, 0] - w[i, 0], w[k, 1] - w[i, 1], w[k, 2] - w[i, 2],
        )  # fmt: skip
        origin = -dot(nx, ny, nz, w[i, 0], w[i, 1], w[i, 2])
        ex, ey, ez = w[other, 0] - w[i, 0], w[other, 1] - w[i, 1], w[other, 2] - w[i, 2]
        inner = dot(nx, ny, nz, ex, ey, ez)
        # Of a tetrahedron that is flat (four points of one face of A − B, or two nearly the same) no face can be left out.
        area = dot(nx, ny, nz, nx, ny, nz)
        flat = inner * inner <= 1e-18 * area * dot(ex, ey, ez, ex, ey, ez) or area <= 1e-16 * _sides(w, i, j, k)
        if origin * inner > 0.0 and not flat:
            continue
        share[other] = 0.0
        count = _triangle(w, i, j, k, share)
        x = y = z = 0.0
        for a in range(4):
            x, y, z = x + share[a] * w[a, 0], y + share[a] * w[a, 1], z + share[a] * w[a, 2]
        here = dot(x, y, z, x, y, z)
        if here < best:
            best, needed = here, count
            s0, s1, s2, s3 = share[0], share[1], share[2], share[3]
    share[0], share[1], share[2], share[3] = s0, s1, s2, s3
    return needed
