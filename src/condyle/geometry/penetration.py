"""How deep two convex cores are in each other: the face of A − B closest to the origin (vandenbergen-2001).

A polytope inside A − B that holds the origin grows at its closest face, until the support point there is no farther away. Where
the surfaces are curved every step divides the face that matters, so a few dozen give the depth to ten digits.
"""

from __future__ import annotations

from math import sqrt

from condyle.geometry.distance import closest_of_simplex
from condyle.geometry.kinds import FACES, VERTICES
from condyle.geometry.support import add_support
from condyle.geometry.vectors import cross, dot, normalised, square_to
from condyle.laws.kernel import kernel

EXACT = 1e-11  # of the size of the pair
LEVEL = 1e-13  # of the size: a corner so near to the plane of a face lies in it
FLAT = 1e-10  # of the size: how far a start tetrahedron must rise over its face


@kernel
def grow_polytope(work, vertices, count):
    """Depth of the origin in A − B [m] and the unit normal of its closest face, from the simplex of `walk_to_origin`.

    Every direction that is tried gives a way out, so the shortest of them is returned: also if the polytope should
    break by rounding.
    The points on A and B are left in `work.answer`. Of a flat A − B, which has no inside, the depth is 0.
    """
    points = work.corners
    size = work.reach[0] + work.reach[1]
    for a in range(3):
        for i in range(count):
            for b in range(3):
                points[a, i, b] = work.simplex[a, i, b]
    flat, nx, ny, nz = _start_tetrahedron(work, vertices, count, size)
    if flat:
        simplex = work.simplex
        kept = min(count, 3)
        closest_of_simplex(simplex[0], kept, work.share)
        _leave(work, simplex, 0, 1, 2, kept)
        return 0.0, nx, ny, nz
    facets, planes = work.facets, work.planes
    corners, faces = 4, 4
    for face in range(4):
        i, j, k, other = (
            (0, 1, 2, 3)
            if face == 0
            else ((0, 3, 1, 2) if face == 1 else ((0, 2, 3, 1) if face == 2 else (1, 3, 2, 0)))
        )
        _set_face(points[0], facets, planes, face, i, j, k)
        p = points[0]
        if (
            dot(planes[face, 0], planes[face, 1], planes[face, 2], p[other, 0], p[other, 1], p[other, 2])
            > planes[face, 3]
        ):
            _set_face(points[0], facets, planes, face, i, k, j)
    depth = 1e300
    while True:
        best, low = -1, 1e299
        for f in range(faces):
            if facets[f, 3] == 1 and planes[f, 3] < low:
                best, low = f, planes[f, 3]
        if best < 0 or low >= depth:
            break
        far = add_support(work, vertices, corners, planes[best, 0], planes[best, 1], planes[best, 2], points)
        if far < depth:
            depth, nx, ny, nz = far, planes[best, 0], planes[best, 1], planes[best, 2]
            _keep(work, points, corners)
        if depth - low <= EXACT * size or corners == VERTICES - 1:
            break
        faces = _replace_visible(work, best, corners, faces, size)
        if faces < 0:
            return depth, nx, ny, nz
        corners += 1
    _points_on_face(work, faces, depth, nx, ny, nz, size)
    return depth, nx, ny, nz


@kernel
def _keep(work, points, corner):
    for b in range(3):
        work.answer[1 + b], work.answer[4 + b] = points[1, corner, b], points[2, corner, b]


@kernel
def _points_on_face(work, faces, depth, nx, ny, nz, size):
    """The points on A and B that meet: of the faces in the closest plane, that which the foot of the origin is on."""
    facets, planes, points = work.facets, work.planes, work.corners
    best, at = 1e300, -1
    for sweep in range(2):
        for f in range(faces):
            if facets[f, 3] == 0 or planes[f, 3] > depth + 1e-8 * size or (sweep == 1 and f != at):
                continue
            if dot(nx, ny, nz, planes[f, 0], planes[f, 1], planes[f, 2]) < 1.0 - 1e-8:
                continue
            x = y = z = 0.0
            for n in range(3):
                c = facets[f, n]
                work.simplex[0, n, 0] = points[0, c, 0] - depth * nx
                work.simplex[0, n, 1] = points[0, c, 1] - depth * ny
                work.simplex[0, n, 2] = points[0, c, 2] - depth * nz
            closest_of_simplex(work.simplex[0], 3, work.share)
            for n in range(3):
                x += work.share[n] * work.simplex[0, n, 0]
                y += work.share[n] * work.simplex[0, n, 1]
                z += work.share[n] * work.simplex[0, n, 2]
            here = dot(x, y, z, x, y, z)
            if sweep == 0 and here < best:
                best, at = here, f
            if sweep == 1:
                _leave(work, points, facets[f, 0], facets[f, 1], facets[f, 2], 3)


@kernel
def _leave(work, points, i, j, k, count):
    """The points on A and on B as sums of corners with the shares in `work`."""
    for b in range(3):
        for side in range(2):
            value = work.share[0] * points[side + 1, i, b]
            if count > 1:
                value += work.share[1] * points[side + 1, j, b]
            if count > 2:
                value += work.share[2] * points[side + 1, k, b]
            work.answer[1 + 3 * side + b] = value


@kernel
def _start_tetrahedron(work, vertices, count, size):
    """Add support points until there are four that span a tetrahedron. Returns whether A − B is flat, and its normal."""
    points = work.corners
    w = points[0]
    if count == 4:
        if _height(w) > FLAT * size:
            return False, 0.0, 0.0, 1.0
        count = 3
    if count == 1:
        for axis in range(6):
            x, y, z = _axis(axis)
            add_support(work, vertices, 1, x, y, z, points)
            if _apart(w, 0, 1) > FLAT * size:
                count = 2
                break
        if count == 1:
            return True, 0.0, 0.0, 1.0
    ux, uy, uz = normalised(w[1, 0] - w[0, 0], w[1, 1] - w[0, 1], w[1, 2] - w[0, 2])
    px, py, pz = square_to(ux, uy, uz)
    qx, qy, qz = cross(ux, uy, uz, px, py, pz)
    if count == 3 and _off_line(w, ux, uy, uz) <= FLAT * size:
        count = 2
    if count == 2:
        for sixth in range(6):
            c, s = _turn(sixth)
            add_support(work, vertices, 2, c * px + s * qx, c * py + s * qy, c * pz + s * qz, points)
            if _off_line(w, ux, uy, uz) > FLAT * size:
                count = 3
                break
        if count == 2:
            return True, px, py, pz
    nx, ny, nz = normalised(*cross(ux, uy, uz, w[2, 0] - w[0, 0], w[2, 1] - w[0, 1], w[2, 2] - w[0, 2]))
    below = -add_support(work, vertices, 3, -nx, -ny, -nz, points)
    base = dot(nx, ny, nz, w[0, 0], w[0, 1], w[0, 2])
    if base - below > FLAT * size:
        # Both sides may be open; the one that holds the origin is needed.
        if base >= 0.0:
            return False, nx, ny, nz
        above = add_support(work, vertices, 3, nx, ny, nz, points)
        if above - base > FLAT * size:
            return False, nx, ny, nz
        add_support(work, vertices, 3, -nx, -ny, -nz, points)
        return False, nx, ny, nz
    above = add_support(work, vertices, 3, nx, ny, nz, points)
    return above - base <= FLAT * size, nx, ny, nz


@kernel
def _axis(k):
    sign = 1.0 if k < 3 else -1.0
    return (
        sign if k % 3 == 0 else 0.0,
        sign if k % 3 == 1 else 0.0,
        sign if k % 3 == 2 else 0.0,
    )


@kernel
def _turn(k):
    """Directions at multiples of 60°."""
    half, root = 0.5, 0.8660254037844386
    if k == 0:
        return 1.0, 0.0
    if k == 1:
        return half, root
    if k == 2:
        return -half, root
    if k == 3:
        return -1.0, 0.0
    if k == 4:
        return -half, -root
    return half, -root


@kernel
def _apart(w, i, j):
    return max(abs(w[j, 0] - w[i, 0]), abs(w[j, 1] - w[i, 1]), abs(w[j, 2] - w[i, 2]))


@kernel
def _off_line(w, ux, uy, uz):
    x, y, z = cross(ux, uy, uz, w[2, 0] - w[0, 0], w[2, 1] - w[0, 1], w[2, 2] - w[0, 2])
    return sqrt(x * x + y * y + z * z)


@kernel
def _height(w):
    """Height of the fourth point over the plane of the others."""
    nx, ny, nz = normalised(*cross(
        w[1, 0] - w[0, 0], w[1, 1] - w[0, 1], w[1, 2] - w[0, 2],
        w[2, 0] - w[0, 0], w[2, 1] - w[0, 1], w[2, 2] - w[0, 2],
    ))  # fmt: skip
    return abs(dot(nx, ny, nz, w[3, 0] - w[0, 0], w[3, 1] - w[0, 1], w[3, 2] - w[0, 2]))


@kernel
def _set_face(p, facets, planes, f, i, j, k):
    nx, ny, nz = cross(
        p[j, 0] - p[i, 0], p[j, 1] - p[i, 1], p[j, 2] - p[i, 2],
        p[k, 0] - p[i, 0], p[k, 1] - p[i, 1], p[k, 2] - p[i, 2],
    )  # fmt: skip
    size = sqrt(nx * nx + ny * ny + nz * nz)
    facets[f, 0], facets[f, 1], facets[f, 2], facets[f, 3] = i, j, k, 1
    if size < 1e-300:
        planes[f, 0], planes[f, 1], planes[f, 2], planes[f, 3] = 0.0, 0.0, 0.0, 1e300
        return
    planes[f, 0], planes[f, 1], planes[f, 2] = nx / size, ny / size, nz / size
    planes[f, 3] = (nx * p[i, 0] + ny * p[i, 1] + nz * p[i, 2]) / size


@kernel
def _replace_visible(work, seen, corner, faces, size):
    """The faces about `seen` that see the new corner, or lie in a plane with it, go, and their rim is joined to it.

    Returns the number of faces, −1 if the polytope is broken.
    """
    facets, planes, rim, p, waiting = work.facets, work.planes, work.rim, work.corners[0], work.waiting
    x, y, z = p[corner, 0], p[corner, 1], p[corner, 2]
    edges, top = 0, 1
    waiting[0] = seen
    facets[seen, 3] = 0
    while top > 0:
        top -= 1
        f = waiting[top]
        for e in range(3):
            i, j = facets[f, e], facets[f, (e + 1) % 3]
            behind = -1
            gone = False
            for g in range(faces):
                a, b, c = facets[g, 0], facets[g, 1], facets[g, 2]
                if (a == j and b == i) or (b == j and c == i) or (c == j and a == i):
                    if facets[g, 3] == 1:
                        behind = g
                        break
                    if facets[g, 3] == 0:
                        gone = True
            if behind < 0:
                if not gone:
                    return -1
                continue
            if dot(planes[behind, 0], planes[behind, 1], planes[behind, 2], x, y, z) > planes[behind, 3] - LEVEL * size:
                facets[behind, 3] = 0
                waiting[top] = behind
                top += 1
            else:
                rim[edges, 0], rim[edges, 1] = i, j
                edges += 1
    if edges < 3:
        return -1
    for f in range(faces):
        if facets[f, 3] == 0:
            facets[f, 3] = -1
    slot = 0
    for r in range(edges):
        while slot < faces and facets[slot, 3] == 1:
            slot += 1
        if slot == FACES:
            return -1
        _set_face(p, facets, planes, slot, rim[r, 0], rim[r, 1], corner)
        faces = max(faces, slot + 1)
    return faces
