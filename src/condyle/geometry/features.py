"""Flat sides: the face, edge or corner with which a shape meets another, and what two of them have in common.

A side counts as flat towards a direction if it is within 3° of it, so that a box that stands a little askew still
stands on four
corners, each with a gap of its own.
"""

from __future__ import annotations

from math import cos, pi, sin, sqrt

from condyle.geometry.kinds import (
    BOX,
    CANDIDATES,
    CAPSULE,
    CLOSEST,
    CONE,
    CONVEX,
    CROSSING_EDGES,
    CYLINDER,
    EDGES,
    FLAT_A,
    FLAT_B,
    HALF_SPACE,
    ON_CORNER,
    POLYGON,
    RUNS,
    SLOPE,
    STAYS,
    SUPERELLIPSOID,
    TRIANGLE,
)  # fmt: skip
from condyle.geometry.support import support, support_in_body
from condyle.geometry.vectors import cross, dot, place, square_to, to_body
from condyle.laws.kernel import kernel

SLANT = 0.05  # sine of the angle by which a flat side may be askew
ROUND = 12  # corners of the polygon that stands for a round end
FLATTER = 0.8  # superellipsoids with exponents below this have sides that are flat in their middle
SAME = 1e-9  # of the size of two shapes: places that are nearer to each other are the same
SLIGHT = (
    0.02  # sine of the angle up to which such a side counts as flat: its corners are up to 0.2 % of an axis farther in
)


@kernel
def side_towards(work, vertices, side, x, y, z, polygon):
    """The corners of the face, edge or corner of a core in a world direction, in order, in `polygon` [m]; their number."""
    pose, s, kind = work.pose[side], work.sizes[side], work.kind[side]
    bx, by, bz = to_body(pose, x, y, z)
    across = sqrt(bx * bx + by * by)
    count = 0
    if kind == BOX:
        count = _box_side(s, bx, by, bz, polygon)
    elif kind == CAPSULE and abs(bz) < SLANT:
        count = _line(polygon, 0.0, 0.0, -s[1], 0.0, 0.0, s[1])
    elif kind in (CYLINDER, CONE):
        low, top = (-s[1], s[0]) if kind == CYLINDER else (0.0, s[2])
        length = sqrt((s[0] - top) ** 2 + (s[1] - low) ** 2)
        if across < SLANT and (bz < 0.0 or top > 0.0):
            radius, height = (s[0], low) if bz < 0.0 else (top, s[1])
            count = ROUND
            for k in range(ROUND):
                angle = 2.0 * pi * k / ROUND
                _corner(polygon, k, radius * cos(angle), radius * sin(angle), height)
        elif (
            across > 0.0
            and abs(across * (s[0] - top) - bz * (s[1] - low)) < SLANT * length
            and (across * (s[1] - low) + bz * (s[0] - top) > 0.0)
        ):
            ex, ey = bx / across, by / across
            count = _line(polygon, s[0] * ex, s[0] * ey, low, top * ex, top * ey, s[1])
    elif kind == SUPERELLIPSOID:
        count = _superellipsoid_side(s, bx, by, bz, polygon)
    elif kind == CONVEX:
        count = _convex_side(vertices, work.span[side, 0], work.span[side, 1], bx, by, bz, polygon)
    elif kind == TRIANGLE:
        count = _convex_side(s.reshape(3, 3), 0, 3, bx, by, bz, polygon)
    if count == 0:
        px, py, pz = support(work, vertices, side, x, y, z)
        _corner(polygon, 0, px, py, pz)
        count = 1
    else:
        for k in range(count):
            px, py, pz = place(pose, polygon[k, 0], polygon[k, 1], polygon[k, 2])
            _corner(polygon, k, px, py, pz)
    m = work.margin[side]
    for k in range(count):
        _corner(polygon, k, polygon[k, 0] + m * x, polygon[k, 1] + m * y, polygon[k, 2] + m * z)
    return count


@kernel
def _corner(polygon, k, x, y, z):
    polygon[k, 0], polygon[k, 1], polygon[k, 2] = x, y, z


@kernel
def _line(polygon, ax, ay, az, bx, by, bz):
    _corner(polygon, 0, ax, ay, az)
    _corner(polygon, 1, bx, by, bz)
    return 2


@kernel
def _box_side(half, x, y, z, polygon):
    """4 corners of a face, 2 of an edge, or none: which axes is the direction square to?"""
    fx, fy, fz = abs(x) < SLANT, abs(y) < SLANT, abs(z) < SLANT
    sx, sy, sz = half[0] if x >= 0.0 else -half[0], half[1] if y >= 0.0 else -half[1], half[2] if z >= 0.0 else -half[2]
    if not (fx or fy or fz):
        return 0
    if fx and fy:
        for k in range(4):
            _corner(polygon, k, half[0] if k in (1, 2) else -half[0], half[1] if k > 1 else -half[1], sz)
        return 4
    if fy and fz:
        for k in range(4):
            _corner(polygon, k, sx, half[1] if k in (1, 2) else -half[1], half[2] if k > 1 else -half[2])
        return 4
    if fx and fz:
        for k in range(4):
            _corner(polygon, k, half[0] if k in (1, 2) else -half[0], sy, half[2] if k > 1 else -half[2])
        return 4
    if fx:
        return _line(polygon, -half[0], sy, sz, half[0], sy, sz)
    if fy:
        return _line(polygon, sx, -half[1], sz, sx, half[1], sz)
    return _line(polygon, sx, sy, -half[2], sx, sy, half[2])


@kernel
def flat_ways(sizes, x, y, z):
    """Along which of its axes is a superellipsoid flat where its normal is (x, y, z)?

    Its curvature is 0 there: the closest point would run to the other end as the body leans by next to nothing, with a rate
    that has no bound, and no step could be solved.
    """
    fx, fy, fz = abs(x) < SLIGHT, abs(y) < SLIGHT, abs(z) < SLIGHT
    if fx and fy:  # at a pole, where the first exponent alone counts
        return sizes[3] < FLATTER, sizes[3] < FLATTER, False
    return fx and sizes[4] < FLATTER, fy and sizes[4] < FLATTER, fz and sizes[3] < FLATTER


@kernel
def _superellipsoid_side(sizes, x, y, z, polygon):
    """Where the normals lean by `SLIGHT`: corners of a flat face, ends of an edge, or none."""
    fx, fy, fz = flat_ways(sizes, x, y, z)
    if not (fx or fy or fz):
        return 0
    if fx and fy and sizes[4] >= FLATTER:  # a round end
        for k in range(ROUND):
            angle = 2.0 * pi * k / ROUND
            p = support_in_body(SUPERELLIPSOID, sizes, 0, 0, polygon, SLIGHT * cos(angle), SLIGHT * sin(angle), z)
            _corner(polygon, k, p[0], p[1], p[2])
        return ROUND
    count = 4 if (fx and fy) or (fy and fz) or (fx and fz) else 2
    for k in range(count):
        one, two = SLIGHT if k in (1, 2) else -SLIGHT, SLIGHT if k > 1 else -SLIGHT
        p = support_in_body(
            SUPERELLIPSOID, sizes, 0, 0, polygon, one if fx else x, (two if fx else one) if fy else y,
            (two if fx or fy else one) if fz else z,
        )  # fmt: skip
        _corner(polygon, k, p[0], p[1], p[2])
    return count


@kernel
def _convex_side(vertices, first, last, x, y, z, polygon):
    """Vertices hardly lower than the highest one: of these the farthest in 12 directions around."""
    best, top = -1e300, first
    for i in range(first, last):
        height = vertices[i, 0] * x + vertices[i, 1] * y + vertices[i, 2] * z
        if height > best:
            best, top = height, i
    px, py, pz = square_to(x, y, z)
    qx, qy, qz = cross(x, y, z, px, py, pz)
    count, last_one, first_one = 0, -1, -1
    for k in range(ROUND):
        c, s = cos(2.0 * pi * k / ROUND + 0.1), sin(2.0 * pi * k / ROUND + 0.1)
        farthest, at = -1e300, top
        for i in range(first, last):
            dx, dy, dz = (
                vertices[i, 0] - vertices[top, 0], vertices[i, 1] - vertices[top, 1], vertices[i, 2] - vertices[top, 2],
            )  # fmt: skip
            u, v = dot(dx, dy, dz, px, py, pz), dot(dx, dy, dz, qx, qy, qz)
            if -dot(dx, dy, dz, x, y, z) <= SLANT * sqrt(u * u + v * v) and c * u + s * v > farthest:
                farthest, at = c * u + s * v, i
        if at != last_one and at != first_one:
            _corner(polygon, count, vertices[at, 0], vertices[at, 1], vertices[at, 2])
            count += 1
            last_one = at
            if count == 1:
                first_one = at
    return count if count > 1 else 0


@kernel
def common_points(work, vertices, count):
    """Add the contact points of the pair to `work.found`, after the first `count`; its closest points are in `work.answer`.

    Corners of the polygon that the two flat sides have in common, seen along the normal; if there are no flat sides
    that face each
    other, the closest points. Returns how many have been found.
    """
    a, polygons = work.answer, work.polygons
    nx, ny, nz = a[7], a[8], a[9]
    if work.kind[0] == HALF_SPACE or work.kind[1] == HALF_SPACE:
        return _on_half_space(work, vertices, count)
    ca = side_towards(work, vertices, 0, nx, ny, nz, polygons[0])
    cb = side_towards(work, vertices, 1, -nx, -ny, -nz, polygons[1]) if ca > 1 else 1
    if ca == 1 or cb == 1:
        return _keep_closest(work, count)
    px, py, pz = square_to(nx, ny, nz)
    qx, qy, qz = cross(nx, ny, nz, px, py, pz)
    for s, corners in ((0, ca), (1, cb)):
        for k in range(corners):
            dx, dy, dz = polygons[s, k, 0] - a[1], polygons[s, k, 1] - a[2], polygons[s, k, 2] - a[3]
            _corner(
                polygons[s], k, dx * px + dy * py + dz * pz, dx * qx + dy * qy + dz * qz, dx * nx + dy * ny + dz * nz
            )
    if ca == 2 and cb == 2:
        left, ref, cut = _parallel_lines(polygons), 0, 1
    elif ca > 2 and (cb == 2 or _slope(polygons[0], ca) <= _slope(polygons[1], cb)):
        left, ref, cut = _clip(polygons, 0, ca, 1, cb), 0, 1
    else:
        left, ref, cut = _clip(polygons, 1, cb, 0, ca), 1, 0
    if left == 0:
        return _keep_closest(work, count)
    corners, cuts = (ca, cb) if ref == 0 else (cb, ca)
    mu, mv, mw, su, sv = _plane(polygons[ref], corners)
    _, _, _, tu, tv = _plane(polygons[cut], cuts)
    tu, tv = (tu - su, tv - sv) if cut == 1 else (su - tu, sv - tv)
    plane_sides = work.kind[0] in (BOX, CONVEX) and work.kind[1] in (BOX, CONVEX)
    near = SAME * (work.reach[0] + work.reach[1])
    for k in range(left):
        if count == CANDIDATES:
            break
        u, v, w = polygons[2, k, 0], polygons[2, k, 1], polygons[2, k, 2]
        other = mw + su * (u - mu) + sv * (v - mv)
        wa, wb = (other, w) if cut == 1 else (w, other)
        found = work.found[count]
        found[0] = wb - wa
        for i in range(3):
            n = a[7 + i]
            e = (px, py, pz)[i] * u + (qx, qy, qz)[i] * v + a[1 + i]
            found[1 + i], found[4 + i], found[7 + i] = e + wa * n, e + wb * n, n
        found[10] = FLAT_A if ref == 0 else FLAT_B
        found[RUNS] = STAYS
        if plane_sides:
            found[RUNS], eu, ev, fu, fv = _runs(polygons, ref, corners, cut, cuts, u, v, near)
            for i in range(3):
                p, q = (px, py, pz)[i], (qx, qy, qz)[i]
                found[EDGES + 3 * ref + i], found[EDGES + 3 * cut + i] = eu * p + ev * q, fu * p + fv * q
                found[SLOPE + i] = tu * p + tv * q
        count += 1
    return count


@kernel
def _runs(polygons, ref, corners, cut, cuts, u, v, near):
    """Over which edges of two flat sides a corner (u, v) of what they have in common runs as they move, and along which.

    It stays on a corner of the side that was cut; or on one of the side that cut it; or it is where two edges cross. Where
    these are all but parallel it is taken to stay. Returns that, and the directions of the edges of `ref` and of `cut`.
    """
    p, least = polygons[cut], 1e300
    for k in range(cuts):
        least = min(least, (u - p[k, 0]) ** 2 + (v - p[k, 1]) ** 2)
    if least <= near * near:
        return STAYS, 0.0, 0.0, 0.0, 0.0
    eu, ev, _ = _edge_at(polygons[ref], corners, u, v)
    fu, fv, square = _edge_at(p, cuts, u, v)
    if square > near * near:
        return ON_CORNER, eu, ev, fu, fv
    return (CROSSING_EDGES if abs(eu * fv - ev * fu) > SLANT else STAYS), eu, ev, fu, fv


@kernel
def _edge_at(p, corners, u, v):
    """The direction of the edge of a polygon that is nearest to (u, v), and the square of how far it is."""
    eu, ev, least = 1.0, 0.0, 1e300
    for k in range(corners if corners > 2 else 1):
        m = (k + 1) % corners
        du, dv, x, y = p[m, 0] - p[k, 0], p[m, 1] - p[k, 1], u - p[k, 0], v - p[k, 1]
        square = du * du + dv * dv
        if square == 0.0:
            continue
        t = min(max((x * du + y * dv) / square, 0.0), 1.0)
        far = (x - t * du) ** 2 + (y - t * dv) ** 2
        if far < least:
            size = sqrt(square)
            eu, ev, least = du / size, dv / size, far
    return eu, ev, least


@kernel
def _slope(polygon, corners):
    """How much the corners of a polygon differ in height along the normal [m]."""
    low = high = polygon[0, 2]
    for k in range(1, corners):
        low, high = min(low, polygon[k, 2]), max(high, polygon[k, 2])
    return high - low


@kernel
def _keep_closest(work, count):
    if count < CANDIDATES:
        for i in range(10):
            work.found[count, i] = work.answer[i]
        work.found[count, 10], work.found[count, RUNS] = CLOSEST, STAYS
        count += 1
    return count


@kernel
def _on_half_space(work, vertices, count):
    """Every corner of the side that looks at the plane."""
    a, plane = work.answer, 0 if work.kind[0] == HALF_SPACE else 1
    sign = 1.0 if plane == 1 else -1.0
    corners = side_towards(work, vertices, 1 - plane, sign * a[7], sign * a[8], sign * a[9], work.polygons[0])
    if corners == 1:
        return _keep_closest(work, count)
    point = work.pose[plane, 0]
    for k in range(min(corners, CANDIDATES - count)):
        found, p = work.found[count], work.polygons[0, k]
        gap = sign * dot(point[0] - p[0], point[1] - p[1], point[2] - p[2], a[7], a[8], a[9])
        on, off = (4, 1) if plane == 1 else (1, 4)
        found[0] = gap
        for i in range(3):
            found[off + i], found[on + i], found[7 + i] = p[i], p[i] + sign * gap * a[7 + i], a[7 + i]
        found[10], found[RUNS] = FLAT_B if plane == 1 else FLAT_A, STAYS
        count += 1
    return count


@kernel
def _parallel_lines(polygons):
    """The two ends of what two lines have in common, if they are nearly parallel; on line B, in polygon 2."""
    a, b = polygons[0], polygons[1]
    ux, uy = a[1, 0] - a[0, 0], a[1, 1] - a[0, 1]
    vx, vy = b[1, 0] - b[0, 0], b[1, 1] - b[0, 1]
    length = sqrt(ux * ux + uy * uy)
    if length == 0.0 or abs(ux * vy - uy * vx) > SLANT * length * sqrt(vx * vx + vy * vy):
        return 0
    ux, uy = ux / length, uy / length
    s0 = (b[0, 0] - a[0, 0]) * ux + (b[0, 1] - a[0, 1]) * uy
    s1 = (b[1, 0] - a[0, 0]) * ux + (b[1, 1] - a[0, 1]) * uy
    low, high = max(min(s0, s1), 0.0), min(max(s0, s1), length)
    if high <= low or s0 == s1:
        return 0
    for k in range(2):
        t = ((low if k == 0 else high) - s0) / (s1 - s0)
        for i in range(3):
            polygons[2, k, i] = b[0, i] + t * (b[1, i] - b[0, i])
    return 2


@kernel
def _clip(polygons, ref, corners, cut, count):
    """Cut polygon or line `cut` by the sides of polygon `ref` (seen along the normal); the rest in polygon 2."""
    area = 0.0
    r = polygons[ref]
    for k in range(corners):
        m = (k + 1) % corners
        area += r[k, 0] * r[m, 1] - r[k, 1] * r[m, 0]
    sense = 1.0 if area > 0.0 else -1.0
    source, goal = 2, 3
    for k in range(count):
        _corner(polygons[2], k, polygons[cut, k, 0], polygons[cut, k, 1], polygons[cut, k, 2])
    for k in range(corners):
        m = (k + 1) % corners
        ex, ey = sense * (r[m, 0] - r[k, 0]), sense * (r[m, 1] - r[k, 1])
        slack = 1e-9 * (ex * ex + ey * ey)  # corners on a side count as inside
        left = 0
        p = polygons[source]
        for i in range(count if count > 2 else count - 1):
            j = (i + 1) % count
            di = ex * (p[i, 1] - r[k, 1]) - ey * (p[i, 0] - r[k, 0]) + slack
            dj = ex * (p[j, 1] - r[k, 1]) - ey * (p[j, 0] - r[k, 0]) + slack
            if di >= 0.0 and left < POLYGON:
                _corner(polygons[goal], left, p[i, 0], p[i, 1], p[i, 2])
                left += 1
            if (di >= 0.0) != (dj >= 0.0) and left < POLYGON:
                t = di / (di - dj)
                _corner(polygons[goal], left, *_between(p, i, j, t))
                left += 1
            if count == 2 and dj >= 0.0 and left < POLYGON:
                _corner(polygons[goal], left, p[j, 0], p[j, 1], p[j, 2])
                left += 1
        count = left
        source, goal = goal, source
        if count == 0:
            return 0
        if count == 1:
            break
    if source == 3:
        for k in range(count):
            _corner(polygons[2], k, polygons[3, k, 0], polygons[3, k, 1], polygons[3, k, 2])
    return count


@kernel
def _between(p, i, j, t):
    return p[i, 0] + t * (p[j, 0] - p[i, 0]), p[i, 1] + t * (p[j, 1] - p[i, 1]), p[i, 2] + t * (p[j, 2] - p[i, 2])


@kernel
def _plane(p, corners):
    """A place (u, v) and the height w of the plane of a polygon, or of a line, over it, and its slopes along u and v."""
    if corners == 2:
        du, dv = p[1, 0] - p[0, 0], p[1, 1] - p[0, 1]
        steep = (p[1, 2] - p[0, 2]) / (du * du + dv * dv)
        return p[0, 0], p[0, 1], p[0, 2], du * steep, dv * steep
    nu = nv = nw = cu = cv = cw = 0.0
    for k in range(corners):
        m = (k + 1) % corners
        nu += (p[k, 1] - p[m, 1]) * (p[k, 2] + p[m, 2])
        nv += (p[k, 2] - p[m, 2]) * (p[k, 0] + p[m, 0])
        nw += (p[k, 0] - p[m, 0]) * (p[k, 1] + p[m, 1])
        cu, cv, cw = cu + p[k, 0], cv + p[k, 1], cw + p[k, 2]
    flat = 1.0 / nw if nw != 0.0 else 0.0
    return cu / corners, cv / corners, cw / corners, -nu * flat, -nv * flat


@kernel
def thin_out(found, count, most):
    """Keep `most` points: the deepest, of equals the outermost, then again and again that farthest from those kept.

    They go to the front. Points that coincide are kept once.
    """
    widest = 0.0
    mx = my = mz = 0.0
    for k in range(count):
        mx, my, mz = mx + found[k, 1] / count, my + found[k, 2] / count, mz + found[k, 3] / count
    for kept in range(min(most, count)):
        best, at = -1e300, kept
        for k in range(kept, count):
            dx, dy, dz = found[k, 1] - mx, found[k, 2] - my, found[k, 3] - mz
            value = 1e-3 * sqrt(dx * dx + dy * dy + dz * dz) - found[k, 0]
            if kept > 0:
                value = 1e300
                for j in range(kept):
                    square = 0.0
                    for i in range(1, 4):
                        square += (found[k, i] - found[j, i]) ** 2
                    value = min(value, square)
            if value > best * (1.0 + 1e-9):
                best, at = value, k
        if kept > 0:
            widest = max(widest, best)
            if best <= 1e-14 * widest:
                return kept
        for i in range(found.shape[1]):
            found[kept, i], found[at, i] = found[at, i], found[kept, i]
    return min(most, count)
