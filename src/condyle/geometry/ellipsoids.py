"""Two ellipsoids, by their common normal.

The gap is max over unit vectors n of g(n) = n·(c_B − c_A) − h_A(n) − h_B(n), with the support heights h = √(nᵀ M n)
and M = Σ a_i² d_i d_iᵀ.
On the whole ball |n| ≤ 1 g is concave: if the ellipsoids are apart (g > 0 somewhere, which is the overlap test),
there is one maximum,
and Newton's method from the line of centres finds it. If they overlap there may be several, so it starts from the best of
many directions. A sphere has M = 0 and a margin, so the closest point of an ellipsoid is the same computation.
"""

from __future__ import annotations

from math import sqrt

from condyle.geometry.kinds import ELLIPSOID
from condyle.geometry.vectors import cross, dot, normalised, square_to, to_body, to_world
from condyle.laws.kernel import kernel

STEPS = 60


@kernel
def shape_matrix(work, side):
    """M = Σ a_i² d_i d_iᵀ of one of the two [m²], its components xx, yy, zz, yz, zx, xy; 0 of a sphere's centre."""
    xx = yy = zz = yz = zx = xy = 0.0
    if work.kind[side] == ELLIPSOID:
        for k in range(3):
            a = work.sizes[side, k] ** 2
            x, y, z = work.pose[side, k + 1, 0], work.pose[side, k + 1, 1], work.pose[side, k + 1, 2]
            xx, yy, zz = xx + a * x * x, yy + a * y * y, zz + a * z * z
            yz, zx, xy = yz + a * y * z, zx + a * z * x, xy + a * x * y
    return xx, yy, zz, yz, zx, xy


@kernel
def times(M, x, y, z):
    """The vector M n."""
    return M[0] * x + M[5] * y + M[4] * z, M[5] * x + M[1] * y + M[3] * z, M[4] * x + M[3] * y + M[2] * z


@kernel
def height(M, x, y, z):
    """Support height h = √(nᵀ M n) [m], and the vector M n."""
    mx, my, mz = times(M, x, y, z)
    return sqrt(max(mx * x + my * y + mz * z, 0.0)), mx, my, mz


@kernel
def gap_along(A, B, d, x, y, z):
    """g(n) of the cores [m]."""
    return d[0] * x + d[1] * y + d[2] * z - height(A, x, y, z)[0] - height(B, x, y, z)[0]


@kernel
def climb(A, B, d, size, x, y, z):
    """The maximum of g over unit vectors that is reached from n by Newton's method with halved steps. Returns g and n.

    With Q = M/h − (M n)(M n)ᵀ/h³ of both, −Hess g = Q_A + Q_B + g 1 in the plane at right angles to n.
    """
    value = gap_along(A, B, d, x, y, z)
    for _ in range(STEPS):
        px, py, pz = square_to(x, y, z)
        qx, qy, qz = cross(x, y, z, px, py, pz)
        gp, gq = dot(d[0], d[1], d[2], px, py, pz), dot(d[0], d[1], d[2], qx, qy, qz)
        hpp, hpq, hqq = value, 0.0, value
        for M in (A, B):
            h, mx, my, mz = height(M, x, y, z)
            if h < 1e-300:
                continue
            rx, ry, rz = times(M, px, py, pz)
            sx, sy, sz = times(M, qx, qy, qz)
            inverse = 1.0 / h
            mp, mq = dot(mx, my, mz, px, py, pz) * inverse, dot(mx, my, mz, qx, qy, qz) * inverse
            gp, gq = gp - mp, gq - mq
            hpp += (dot(rx, ry, rz, px, py, pz) - mp * mp) * inverse
            hpq += (dot(rx, ry, rz, qx, qy, qz) - mp * mq) * inverse
            hqq += (dot(sx, sy, sz, qx, qy, qz) - mq * mq) * inverse
        slope = sqrt(gp * gp + gq * gq)
        if slope <= 1e-15 * size:
            break
        # Where the matrix is not positive definite, a shift makes it so: still a direction uphill.
        mean, off = 0.5 * (hpp + hqq), sqrt(0.25 * (hpp - hqq) ** 2 + hpq * hpq)
        floor = 1e-6 * (abs(mean) + off) + 1e-300
        shift = floor - mean + off + slope if mean - off < floor else 0.0
        hpp, hqq = hpp + shift, hqq + shift
        det = hpp * hqq - hpq * hpq
        sp, sq = (hqq * gp - hpq * gq) / det, (hpp * gq - hpq * gp) / det
        rise = gp * sp + gq * sq
        length = sqrt(sp * sp + sq * sq)
        scale = min(1.0, 1.0 / length) if length > 0.0 else 1.0
        nx, ny, nz, new = x, y, z, value
        moved = False
        for _ in range(30):
            nx, ny, nz = normalised(
                x + scale * (sp * px + sq * qx), y + scale * (sp * py + sq * qy), z + scale * (sp * pz + sq * qz)
            )
            new = gap_along(A, B, d, nx, ny, nz)
            if new >= value + 1e-4 * scale * rise or (rise < 1e-13 * size and new >= value - 1e-15 * size):
                moved = True
                break
            scale *= 0.5
        if not moved:
            break
        x, y, z, value = nx, ny, nz, new
        if shift == 0.0 and length < 1e-8 and scale == 1.0:
            break
    return value, x, y, z


@kernel
def ellipsoid_pair(work, x, y, z):
    """Gap of the cores [m] and normal from A to B; n: a first guess, or 0 for the line of centres."""
    a, b = work.pose[0], work.pose[1]
    d = (b[0, 0] - a[0, 0], b[0, 1] - a[0, 1], b[0, 2] - a[0, 2])
    A, B = shape_matrix(work, 0), shape_matrix(work, 1)
    size = work.reach[0] + work.reach[1] + sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2])
    if x == 0.0 and y == 0.0 and z == 0.0:
        x, y, z = normalised(d[0], d[1], d[2])
    value, x, y, z = climb(A, B, d, size, x, y, z)
    if value > 0.0:
        return value, x, y, z
    # They overlap: start again from the best of the axes of both and of what the line of centres is in each of them.
    best, bx, by, bz = -1e300, 0.0, 0.0, 1.0
    for side in range(2):
        if work.kind[side] != ELLIPSOID:
            continue
        pose, radii = work.pose[side], work.sizes[side]
        lx, ly, lz = to_body(pose, d[0], d[1], d[2])
        for k in range(4):
            if k == 3:
                tx, ty, tz = normalised(*to_world(pose, lx / radii[0] ** 2, ly / radii[1] ** 2, lz / radii[2] ** 2))
            else:
                tx, ty, tz = normalised(pose[k + 1, 0], pose[k + 1, 1], pose[k + 1, 2])
            if dot(tx, ty, tz, d[0], d[1], d[2]) < 0.0:
                tx, ty, tz = -tx, -ty, -tz
            here = gap_along(A, B, d, tx, ty, tz)
            if here > best:
                best, bx, by, bz = here, tx, ty, tz
    best, bx, by, bz = climb(A, B, d, size, bx, by, bz)
    if best > value + 1e-13 * size:
        return best, bx, by, bz
    return value, x, y, z
