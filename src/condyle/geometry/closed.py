"""Closed forms: points and lines against each other and against boxes, cylinders and cones."""

from __future__ import annotations

from math import sqrt

from condyle.geometry.kinds import BOX, CAPSULE, CYLINDER
from condyle.geometry.vectors import cross, dot, normalised, place, point_in_body, square_to, to_world
from condyle.laws.kernel import kernel


@kernel
def segment_pair(work):
    """Gap of two points or axes of capsules [m], the points, and the normal from A to B (ericson-2005, section 5.1.9)."""
    a, b = work.pose[0], work.pose[1]
    half_a = work.sizes[0, 1] if work.kind[0] == CAPSULE else 0.0
    half_b = work.sizes[1, 1] if work.kind[1] == CAPSULE else 0.0
    ux, uy, uz, vx, vy, vz = a[3, 0], a[3, 1], a[3, 2], b[3, 0], b[3, 1], b[3, 2]
    rx, ry, rz = b[0, 0] - a[0, 0], b[0, 1] - a[0, 1], b[0, 2] - a[0, 2]
    uu, vv, uv = dot(ux, uy, uz, ux, uy, uz), dot(vx, vy, vz, vx, vy, vz), dot(ux, uy, uz, vx, vy, vz)
    ur, vr = dot(ux, uy, uz, rx, ry, rz), dot(vx, vy, vz, rx, ry, rz)
    det = uu * vv - uv * uv
    s = (ur * vv - vr * uv) / det if det > 1e-12 * uu * vv else ur / uu
    s = min(max(s, -half_a), half_a)
    t = (s * uv - vr) / vv
    if abs(t) > half_b:
        t = half_b if t > 0.0 else -half_b
        s = min(max((ur + t * uv) / uu, -half_a), half_a)
    px, py, pz = a[0, 0] + s * ux, a[0, 1] + s * uy, a[0, 2] + s * uz
    qx, qy, qz = b[0, 0] + t * vx, b[0, 1] + t * vy, b[0, 2] + t * vz
    nx, ny, nz = qx - px, qy - py, qz - pz
    gap = sqrt(nx * nx + ny * ny + nz * nz)
    if gap > 1e-12 * (work.reach[0] + work.reach[1]):
        return gap, px, py, pz, qx, qy, qz, nx / gap, ny / gap, nz / gap
    # They cross or coincide: across both is the shortest way out.
    nx, ny, nz = cross(ux, uy, uz, vx, vy, vz)
    if half_a == 0.0 and half_b == 0.0:
        nx, ny, nz = 0.0, 0.0, 1.0
    elif half_a == 0.0 or half_b == 0.0 or nx * nx + ny * ny + nz * nz <= 1e-12 * uu * vv:
        if half_a == 0.0:
            nx, ny, nz = square_to(*normalised(vx, vy, vz))
        else:
            nx, ny, nz = square_to(*normalised(ux, uy, uz))
    nx, ny, nz = normalised(nx, ny, nz)
    if dot(nx, ny, nz, rx, ry, rz) < 0.0:
        nx, ny, nz = -nx, -ny, -nz
    return 0.0, px, py, pz, qx, qy, qz, nx, ny, nz


@kernel
def point_and_solid(work, solid):
    """Gap [m] of the centre of a sphere from a box, cylinder or cone (on side `solid`), its foot there, and the
    outward normal."""
    pose, sphere = work.pose[solid], work.pose[1 - solid]
    x, y, z = point_in_body(pose, sphere[0, 0], sphere[0, 1], sphere[0, 2])
    if work.kind[solid] == BOX:
        gap, fx, fy, fz, nx, ny, nz = _point_and_box(work.sizes[solid], x, y, z)
    else:
        rho = sqrt(x * x + y * y)
        ex, ey = (x / rho, y / rho) if rho > 1e-14 * work.reach[solid] else (1.0, 0.0)
        s = work.sizes[solid]
        if work.kind[solid] == CYLINDER:
            gap, fr, fz, nr, nz = _point_and_profile(s[0], -s[1], s[0], s[1], rho, z)
        else:
            gap, fr, fz, nr, nz = _point_and_profile(s[0], 0.0, s[2], s[1], rho, z)
        fx, fy, nx, ny = fr * ex, fr * ey, nr * ex, nr * ey
    fx, fy, fz = place(pose, fx, fy, fz)
    nx, ny, nz = to_world(pose, nx, ny, nz)
    return gap, fx, fy, fz, nx, ny, nz


@kernel
def _point_and_box(half, x, y, z):
    ox, oy, oz = abs(x) - half[0], abs(y) - half[1], abs(z) - half[2]
    sx, sy, sz = (1.0 if x >= 0.0 else -1.0), (1.0 if y >= 0.0 else -1.0), (1.0 if z >= 0.0 else -1.0)
    if ox <= 0.0 and oy <= 0.0 and oz <= 0.0:
        if ox >= oy and ox >= oz:
            return ox, sx * half[0], y, z, sx, 0.0, 0.0
        if oy >= oz:
            return oy, x, sy * half[1], z, 0.0, sy, 0.0
        return oz, x, y, sz * half[2], 0.0, 0.0, sz
    ox, oy, oz = max(ox, 0.0), max(oy, 0.0), max(oz, 0.0)
    gap = sqrt(ox * ox + oy * oy + oz * oz)
    nx, ny, nz = sx * ox / gap, sy * oy / gap, sz * oz / gap
    return gap, x - gap * nx, y - gap * ny, z - gap * nz, nx, ny, nz


@kernel
def _point_and_profile(r0, z0, r1, z1, r, z):
    """Of a turned body with flat ends of radius r0 at z0 and r1 at z1, in the plane of radius and height."""
    length = sqrt((r1 - r0) ** 2 + (z1 - z0) ** 2)
    nr, nz = (z1 - z0) / length, (r0 - r1) / length
    side, low, high = (r - r0) * nr + (z - z0) * nz, z0 - z, z - z1
    if side <= 0.0 and low <= 0.0 and high <= 0.0:
        if side >= low and side >= high:
            return side, r - side * nr, z - side * nz, nr, nz
        if low >= high:
            return low, r, z0, 0.0, -1.0
        return high, r, z1, 0.0, 1.0
    t = min(max(((r - r0) * (r1 - r0) + (z - z0) * (z1 - z0)) / (length * length), 0.0), 1.0)
    fr, fz = r0 + t * (r1 - r0), z0 + t * (z1 - z0)
    best = (r - fr) ** 2 + (z - fz) ** 2
    for end in range(2):
        er, ez = (min(r, r0), z0) if end == 0 else (min(r, r1), z1)
        here = (r - er) ** 2 + (z - ez) ** 2
        if here < best:
            best, fr, fz = here, er, ez
    gap = sqrt(best)
    if gap < 1e-300:
        return 0.0, fr, fz, nr, nz
    return gap, fr, fz, (r - fr) / gap, (z - fz) / gap
