"""Signed distances with gradient and Hessian: the formulas of `contact/shapes.py`, of one point.

A surface is a row of numbers: its kind, then those of its kind as `contact/tables.py` lays them out. Of the larger formulas a
model compiles those that it uses.
"""

import numpy as np

from condyle.laws.kernel import kernel, separate
from condyle.system.signatures import f1, f2, number
from condyle.system.touching.facets import facet_distance
from condyle.system.touching.parametric_distance import parametric_distance
from condyle.system.touching.patched import patched_distance
from condyle.system.touching.plane_curves import curve_distance

PLANE, SPHERE, CYLINDER, CAPSULE, BOX, ELLIPSOID, FACETS, CURVE, REVOLVED, PARAMETRIC, PATCHED = range(11)
TINY = 1e-300
EDGE = 0.01  # of half the smallest side of a box, as of `contact/shapes.py`


@kernel
def distance(p, point, way, normal, hessian):
    """φ of a point (d,); fills its normal (d,) and Hessian (d, d). way: direction in which the body of the point lies (d,)."""
    if p[0] == REVOLVED:
        gap = _revolved(p, point, normal, hessian)
        return _inside_out(gap, normal, hessian) if p[1] > 0.0 else gap
    if p[0] == PARAMETRIC:
        return parametric_distance(p, point, normal, hessian)
    return _plain(p, point, way, normal, hessian)


@kernel
def _plain(p, point, way, normal, hessian):
    """The same of what is not turned about an axis."""
    kind, d = int(p[0]), point.size
    for a in range(d):
        for b in range(d):
            hessian[a, b] = 0.0
    if kind == PLANE:
        gap = 0.0
        for a in range(d):
            normal[a] = p[1 + a]
            gap += (point[a] - p[1 + d + a]) * p[1 + a]
        return gap
    if kind == BOX:
        return _box(p, point, way, normal, hessian)
    if kind == ELLIPSOID:
        gap = _ellipsoid(p, point, normal, hessian)
    elif kind == FACETS:
        gap = facet_distance(p, point, normal, hessian)
    elif kind == CURVE:
        gap = curve_distance(p, point, normal, hessian)
    elif kind == PATCHED:
        gap = patched_distance(p, point, normal, hessian)
    else:
        gap = _round(kind, p, point, normal, hessian)
    return _inside_out(gap, normal, hessian) if p[1] > 0.0 else gap


@kernel
def _inside_out(gap, normal, hessian):
    """The distance of a cavity: material where there was none."""
    for a in range(normal.size):
        normal[a] = -normal[a]
        for b in range(normal.size):
            hessian[a, b] = -hessian[a, b]
    return -gap


@kernel
def _round(kind, p, point, normal, hessian):
    """Sphere, cylinder and capsule: |v| − radius. p: kind, inside, radius, centre (start), axis, length of a capsule."""
    d = point.size
    along, flat = 0.0, kind != SPHERE
    if flat:
        for a in range(d):
            along += (point[a] - p[3 + a]) * p[3 + d + a]
        if kind == CAPSULE:
            length = p[3 + 2 * d]
            flat = 0.0 < along < length
            along = min(max(along, 0.0), length)
    for a in range(d):
        normal[a] = point[a] - p[3 + a]
        if kind != SPHERE:
            normal[a] -= along * p[3 + d + a]
    return _from_vector(p[2], normal, hessian, p[3 + d : 3 + 2 * d], flat)


@kernel
def _from_vector(radius, v, hessian, axis, flat):
    """|v| − radius, where v is the vector from a point or (flat) from a line along `axis`; v becomes the normal."""
    d, rho, largest = v.size, 0.0, 0.0
    for a in range(d):
        rho += v[a] * v[a]
        largest = max(largest, abs(v[a]))
    rho = np.sqrt(rho)
    if rho < 1e-14 * (largest + radius + TINY):  # in the middle every direction is as good
        _any_normal(v, axis, flat)
    else:
        for a in range(d):
            v[a] /= rho
    scale = 1.0 / max(rho, 1e-14 * radius + TINY)
    for a in range(d):
        for b in range(d):
            value = (1.0 if a == b else 0.0) - v[a] * v[b]
            if flat:
                value -= axis[a] * axis[b]
            hessian[a, b] = value * scale
    return rho - radius


@kernel
def _any_normal(n, axis, flat):
    d = n.size
    along = d - 1 if not flat or abs(axis[d - 1]) < 0.9 else 0
    dot = axis[along] if flat else 0.0
    size = 0.0
    for a in range(d):
        n[a] = (1.0 if a == along else 0.0) - (dot * axis[a] if flat else 0.0)
        size += n[a] * n[a]
    for a in range(d):
        n[a] /= np.sqrt(size)


@kernel
def _turn_in(p, at, centre, d, point, out):
    """out = Rᵀ (point − centre), R (d, d) stored from p[at]."""
    for a in range(d):
        out[a] = 0.0
        for b in range(d):
            out[a] += p[at + b * d + a] * (point[b] - p[centre + b])


@kernel
def _turn_out(p, at, n, H, normal, hessian):
    """normal = R n, hessian = R H Rᵀ."""
    d = n.size
    for a in range(d):
        normal[a] = 0.0
        for b in range(d):
            normal[a] += p[at + a * d + b] * n[b]
            value = 0.0
            for i in range(d):
                for j in range(d):
                    value += p[at + a * d + i] * H[i, j] * p[at + b * d + j]
            hessian[a, b] = value


@separate(number(f1, f1, f1, f1, f2))
def _box(p, point, way, normal, hessian):
    """p: kind, rounding, half sides less rounding (d), centre (d), R (d, d)."""
    d, rounding = point.size, p[1]
    v, n, q, H = np.zeros(d), np.zeros(d), np.zeros(d), np.zeros((d, d))
    rotation = 2 + 2 * d
    _turn_in(p, rotation, 2 + d, d, point, v)
    rho, outside = 0.0, 0
    for a in range(d):
        q[a] = abs(v[a]) - p[2 + a]
        if q[a] > 0.0:
            rho += q[a] * q[a]
            outside += 1
    rho = np.sqrt(rho)
    face = 0
    if outside == 0:
        for a in range(1, d):
            if q[a] > q[face]:
                face = a
        gap = q[face]
        n[face] = 1.0
    else:
        gap = rho
        for a in range(d):
            n[a] = max(q[a], 0.0) / rho
        if outside > 1:  # from an edge only the directions across it curve; from a face none
            for a in range(d):
                for b in range(d):
                    if q[a] > 0.0 and q[b] > 0.0:
                        H[a, b] = ((1.0 if a == b else 0.0) - n[a] * n[b]) / rho
    if rounding == 0.0:
        face = _facing(p, rotation, v, q, way)
        if face >= 0:
            gap = q[face]
            for a in range(d):
                n[a] = 1.0 if a == face else 0.0
                for b in range(d):
                    H[a, b] = 0.0
    for a in range(d):
        sign = -1.0 if v[a] < 0.0 else 1.0
        n[a] *= sign
        for b in range(d):
            H[a, b] *= sign * (-1.0 if v[b] < 0.0 else 1.0)
    _turn_out(p, rotation, n, H, normal, hessian)
    return gap - rounding


@kernel
def _facing(p, rotation, v, q, way):
    """Of a point on a sharp edge, the face that faces its body; −1 if it is on none (`Box.distance_towards`)."""
    d = v.size
    least = p[2]
    for a in range(1, d):
        least = min(least, p[2 + a])
    close, face, best = 0, -1, 0.0
    for a in range(d):
        if not q[a] < 1e-9 * least:
            return -1
        if q[a] > -EDGE * least:
            close += 1
            towards = 0.0
            for b in range(d):
                towards += p[rotation + b * d + a] * way[b]
            towards *= (-1.0 if v[a] < 0.0 else 1.0) / p[2 + a]
            if face < 0 or towards > best:
                face, best = a, towards
    return face if close > 1 and best > 0.0 else -1


@separate(number(f1, f1, f1, f2))
def _ellipsoid(p, point, normal, hessian):
    """p: kind, inside, radii (d), centre (d), R (d, d)."""
    d = point.size
    v, n, H, M = np.zeros(d), np.zeros(d), np.zeros((d, d)), np.zeros((d, d))
    _turn_in(p, 2 + 2 * d, 2 + d, d, point, v)
    radii = p[2 : 2 + d]
    for a in range(d):  # in the planes of symmetry the closest point may be on either side: choose one
        if abs(v[a]) < 1e-12 * radii[a]:
            v[a] = 1e-12 * radii[a]
    tau = _root(v, radii)
    size = 0.0
    for a in range(d):
        n[a] = v[a] / (tau + radii[a] ** 2)
        size += n[a] * n[a]
    size = np.sqrt(size)
    gap = 0.0
    for a in range(d):
        y = radii[a] ** 2 * n[a]
        n[a] /= size
        gap += (v[a] - y) * n[a]
    # The shape operator S = T diag(1/r²) T / size at the foot, and S (1 + φ S)⁻¹ at the point.
    mean = 0.0
    for a in range(d):
        mean += n[a] * n[a] / radii[a] ** 2
    for a in range(d):
        for b in range(d):
            value = n[a] * n[b] * (mean - 1.0 / radii[a] ** 2 - 1.0 / radii[b] ** 2)
            H[a, b] = (value + (1.0 / radii[a] ** 2 if a == b else 0.0)) / size
            M[a, b] = (1.0 if a == b else 0.0) + gap * H[a, b]
    _solve(M, H)
    _turn_out(p, 2 + 2 * d, n, H, normal, hessian)
    return gap


@kernel
def _root(v, r):
    """As `Ellipsoid._root` of `contact/shapes.py`: Newton's method within a bracket."""
    d, k, across = v.size, 0, 0.0
    for a in range(d):
        if r[a] < r[k]:
            k = a
        across += (r[a] * v[a]) ** 2
    least = r[k] ** 2
    low = -least + r[k] * abs(v[k])
    high = max(np.sqrt(across) - least, low) + 1e-15 * least
    tau = 0.5 * (low + high)
    for _ in range(80):
        f, slope = -1.0, 0.0
        for a in range(d):
            term = (r[a] * v[a] / (tau + r[a] ** 2)) ** 2
            f += term
            slope -= 2.0 * term / (tau + r[a] ** 2)
        if f > 0.0:
            low = tau
        else:
            high = tau
        step = tau - f / min(slope, -TINY)
        new = step if low < step < high else 0.5 * (low + high)
        done = abs(new - tau) <= 1e-15 * (abs(tau) + least)
        tau = new
        if done:
            break
    return tau


@kernel
def _solve(A, B):
    """B ← A⁻¹ B, by elimination with the largest pivots; both are overwritten."""
    n = A.shape[0]
    for k in range(n):
        best = k
        for i in range(k + 1, n):
            if abs(A[i, k]) > abs(A[best, k]):
                best = i
        for j in range(n):
            A[k, j], A[best, j] = A[best, j], A[k, j]
            B[k, j], B[best, j] = B[best, j], B[k, j]
        for i in range(n):
            if i != k:
                factor = A[i, k] / A[k, k]
                for j in range(n):
                    A[i, j] -= factor * A[k, j]
                    B[i, j] -= factor * B[k, j]
    for i in range(n):
        for j in range(n):
            B[i, j] /= A[i, i]


@separate(number(f1, f1, f1, f2))
def _revolved(p, point, normal, hessian):
    """A surface over radius and height, turned about an axis. p: kind, inside, centre (3), axis (3), then the profile."""
    e, across, axis = np.zeros(3), np.zeros(3), p[5:8]
    flat, n, nowhere, H = np.zeros(2), np.zeros(2), np.zeros(2), np.zeros((2, 2))
    z = largest = rho = 0.0
    for a in range(3):
        z += (point[a] - p[2 + a]) * axis[a]
        largest = max(largest, abs(point[a] - p[2 + a]))
    for a in range(3):
        e[a] = point[a] - p[2 + a] - z * axis[a]
        rho += e[a] * e[a]
    rho = np.sqrt(rho)
    flat[0], flat[1] = rho, z
    if rho < 1e-14 * (largest + TINY):
        _any_normal(e, axis, True)
    else:
        for a in range(3):
            e[a] /= rho
    gap = _plain(p[8:], flat, nowhere, n, H)
    hoop = n[0] / rho if rho > 1e-12 * (largest + TINY) else H[0, 0]
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        across[a] = axis[b] * e[c] - axis[c] * e[b]
        normal[a] = n[0] * e[a] + n[1] * axis[a]
    for a in range(3):
        for b in range(3):
            value = H[0, 0] * e[a] * e[b] + H[1, 1] * axis[a] * axis[b]
            value += H[0, 1] * (e[a] * axis[b] + axis[a] * e[b])
            hessian[a, b] = value + hoop * across[a] * across[b]
    return gap
