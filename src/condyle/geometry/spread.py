"""How far a contact point moves over a shape when the normal turns: the inverse of its curvature.

The point of a surface with the outward normal n is p(n); its derivative is symmetric and acts in the tangent plane. In two axes
e₁, e₂ of this plane it has the components (11, 12, 22) [m]: the radius R of a sphere in both, the radii of curvature of an
ellipsoid, 0 at a corner, and without bound on a flat side, for which `FLAT` times the size of the pair stands.
"""

from __future__ import annotations

from math import sqrt

from condyle.geometry.features import SLANT, SLIGHT, flat_ways
from condyle.geometry.kinds import (
    BOX,
    CAPSULE,
    CONE,
    CONVEX,
    CYLINDER,
    ELLIPSOID,
    HALF_SPACE,
    MESH,
    SUPERELLIPSOID,
)  # fmt: skip
from condyle.geometry.support import support_in_body
from condyle.geometry.vectors import cross, dot, normalised, point_in_body, to_body, to_world
from condyle.laws.kernel import kernel

FLAT = 1e8  # of the size of the pair
ALONG = 1e-6  # sine of the angle by which a closest point's normal may differ from that of a flat side
TURN = 1e-5  # [rad] for differences


@kernel
def spread(work, vertices, side, normal, axes, point, slack):
    """(11, 12, 22) of the shape on a side [m], with its margin.

    normal: out of the shape (3,); axes: e₁, e₂ (2, 3); point: on the shape (3,), all in the world. slack: sine of the angle
    within which a side counts as flat, 0 for a corner, where none does.
    """
    pose, s, kind = work.pose[side], work.sizes[side], work.kind[side]
    large = FLAT * (work.reach[0] + work.reach[1])
    n = to_body(pose, normal[0], normal[1], normal[2])
    u = to_body(pose, axes[0, 0], axes[0, 1], axes[0, 2])
    v = to_body(pose, axes[1, 0], axes[1, 1], axes[1, 2])
    m = work.margin[side]
    a, b, c = m, 0.0, m
    if kind in (HALF_SPACE, MESH):
        if slack > 0.0:
            a, c = large, large
    elif kind == BOX:
        for i in range(3):
            if abs(n[i]) < slack:
                a, b, c = a + large * u[i] * u[i], b + large * u[i] * v[i], c + large * v[i] * v[i]
    elif kind == CAPSULE:
        if abs(n[2]) < slack:
            a, b, c = a + large * u[2] * u[2], b + large * u[2] * v[2], c + large * v[2] * v[2]
    elif kind in (CYLINDER, CONE):
        p = point_in_body(pose, point[0], point[1], point[2])
        a, b, c = _turned(kind, s, n, u, v, p, slack, large)
    elif kind == ELLIPSOID:
        a, b, c = _ellipsoid(s, n, u, v)
    elif kind == SUPERELLIPSOID:
        a, b, c = _superellipsoid(work, vertices, side, n, u, v, slack, large)
    elif kind == CONVEX:
        a, b, c = _facet(vertices, work.span[side, 0], work.span[side, 1], n, u, v, slack, large)
    return a, b, c


@kernel
def spread_of_mesh(work, table, side, normal, axes, where, slack):
    """The same of a mesh, at a place 7 t + feature on its triangle t: flat along an edge, pointed at a corner.

    Where the normal is that of the triangle, as on an edge between two that lie in one plane, all of it is flat.
    """
    pose, triangle, which, m = work.pose[side], where // 7, where % 7, work.margin[side]
    large = FLAT * (work.reach[0] + work.reach[1])
    a, b, c = table.triangles[triangle, 0], table.triangles[triangle, 1], table.triangles[triangle, 2]
    corners = table.vertices
    n = to_body(pose, normal[0], normal[1], normal[2])
    face = table.turned[triangle, 0]
    x, y, z = cross(n[0], n[1], n[2], face[0], face[1], face[2])
    if which == 0 or x * x + y * y + z * z < slack * slack * dot(face[0], face[1], face[2], face[0], face[1], face[2]):
        return large, 0.0, large
    if which > 3:
        return m, 0.0, m
    one, two = (a, b) if which == 1 else ((b, c) if which == 2 else (c, a))
    x, y, z = corners[two, 0] - corners[one, 0], corners[two, 1] - corners[one, 1], corners[two, 2] - corners[one, 2]
    x, y, z = normalised(*to_world(pose, x, y, z))
    tu, tv = dot(x, y, z, axes[0, 0], axes[0, 1], axes[0, 2]), dot(x, y, z, axes[1, 0], axes[1, 1], axes[1, 2])
    return m + large * tu * tu, large * tu * tv, m + large * tv * tv


@kernel
def _turned(kind, s, n, u, v, p, slack, large):
    """Of a cylinder or cone: its ends, its side, or the rim between them, a circle of radius r: r/|n across| along it.

    Corners of the polygon that stands for an end (slack 0 there) stay with the body, however little it leans.
    """
    across = sqrt(n[0] * n[0] + n[1] * n[1])
    low, top = (-s[1], s[0]) if kind == CYLINDER else (0.0, s[2])
    if across < max(slack, 1e-12) or (slack == 0.0 and across < SLANT):
        return (large, 0.0, large) if slack > 0.0 else (0.0, 0.0, 0.0)
    ex, ey = n[0] / across, n[1] / across
    length = sqrt((s[0] - top) ** 2 + (s[1] - low) ** 2)
    aside = abs(across * (s[0] - top) - n[2] * (s[1] - low)) < slack * length
    around = sqrt(p[0] * p[0] + p[1] * p[1]) / across
    tu, tv = -ey * u[0] + ex * u[1], -ey * v[0] + ex * v[1]
    a, b, c = around * tu * tu, around * tu * tv, around * tv * tv
    if aside:
        gr, gz = (top - s[0]) / length, (s[1] - low) / length
        tu, tv = gr * (ex * u[0] + ey * u[1]) + gz * u[2], gr * (ex * v[0] + ey * v[1]) + gz * v[2]
        a, b, c = a + large * tu * tu, b + large * tu * tv, c + large * tv * tv
    return a, b, c


@kernel
def _ellipsoid(s, n, u, v):
    """(M − M n nᵀ M/h²)/h with M = diag(a²) and h = √(nᵀ M n)."""
    h = mu = mv = uu = uv = vv = 0.0
    for i in range(3):
        m = s[i] * s[i]
        h += m * n[i] * n[i]
        mu, mv = mu + m * n[i] * u[i], mv + m * n[i] * v[i]
        uu, uv, vv = uu + m * u[i] * u[i], uv + m * u[i] * v[i], vv + m * v[i] * v[i]
    root = sqrt(h) + 1e-300
    return (uu - mu * mu / h) / root, (uv - mu * mv / h) / root, (vv - mv * mv / h) / root


@kernel
def _superellipsoid(work, vertices, side, n, u, v, slack, large):
    """Corners of a flat side stay with the body; those of an edge move across it."""
    fx, fy, fz = flat_ways(work.sizes[side], n[0], n[1], n[2])
    if slack == ALONG or not (fx or fy or fz):
        return _by_differences(work, vertices, side, n, u, v)
    much = large if slack > 0.0 else 0.0
    if (fx and fy) or (fy and fz) or (fx and fz):
        return much, 0.0, much
    i = 0 if fx else (1 if fy else 2)
    fu, fv = u[i], v[i]
    size = sqrt(fu * fu + fv * fv)
    fu, fv = fu / size, fv / size
    leaning = (SLIGHT if fx else n[0], SLIGHT if fy else n[1], SLIGHT if fz else n[2])
    a, b, c = _by_differences(work, vertices, side, leaning, u, v)
    around = a * fv * fv - 2.0 * b * fu * fv + c * fu * fu
    return (
        around * fv * fv + much * fu * fu, (much - around) * fu * fv, around * fu * fu + much * fv * fv,
    )  # fmt: skip


@kernel
def _by_differences(work, vertices, side, n, u, v):
    """From support points a little to either side of the normal."""
    kind, s, first, last = work.kind[side], work.sizes[side], work.span[side, 0], work.span[side, 1]
    out = (0.0, 0.0, 0.0)
    for k in range(2):
        t = u if k == 0 else v
        p = support_in_body(kind, s, first, last, vertices, n[0] + TURN * t[0], n[1] + TURN * t[1], n[2] + TURN * t[2])
        q = support_in_body(kind, s, first, last, vertices, n[0] - TURN * t[0], n[1] - TURN * t[1], n[2] - TURN * t[2])
        d = ((p[0] - q[0]) / (2.0 * TURN), (p[1] - q[1]) / (2.0 * TURN), (p[2] - q[2]) / (2.0 * TURN))
        along, other = dot(d[0], d[1], d[2], u[0], u[1], u[2]), dot(d[0], d[1], d[2], v[0], v[1], v[2])
        out = (along, other, out[2]) if k == 0 else (out[0], out[1], other)
    return out


@kernel
def _facet(vertices, first, last, n, u, v, slack, large):
    """Of a convex mesh: flat along the edge, or all over the face, whose vertices are as high as the highest one."""
    if slack == 0.0:
        return 0.0, 0.0, 0.0
    best, top = -1e300, first
    for i in range(first, last):
        h = vertices[i, 0] * n[0] + vertices[i, 1] * n[1] + vertices[i, 2] * n[2]
        if h > best:
            best, top = h, i
    far, tu, tv, wide = 0.0, 0.0, 0.0, 0.0
    for sweep in range(2):
        for i in range(first, last):
            dx, dy = vertices[i, 0] - vertices[top, 0], vertices[i, 1] - vertices[top, 1]
            dz = vertices[i, 2] - vertices[top, 2]
            du, dv = dot(dx, dy, dz, u[0], u[1], u[2]), dot(dx, dy, dz, v[0], v[1], v[2])
            size = sqrt(du * du + dv * dv)
            if -dot(dx, dy, dz, n[0], n[1], n[2]) > slack * size:
                continue
            if sweep == 0 and size > far:
                far, tu, tv = size, du, dv
            elif sweep == 1:
                wide = max(wide, abs(du * tv - dv * tu))
    if far == 0.0:
        return 0.0, 0.0, 0.0
    if wide > 1e-6 * far * far:
        return large, 0.0, large
    tu, tv = tu / far, tv / far
    return large * tu * tu, large * tu * tv, large * tv * tv
