"""Distances from curved pieces in space, which a rigid body carries: `contact/patches.py`, of one point.

A surface is a row of numbers: its kind, is the material on the other side, are its pieces triangles, the numbers of pieces and
of nodes of the tree, its size, how far a place of a piece can be from its samples, the number of samples of a piece; then of
each piece what `_jet` reads, its samples, and of triangles the normals that tell the side at edges and corners; at last the
tree, whose boxes hold the control points of pieces, and so the pieces.
"""

import numpy as np

from condyle.laws.kernel import kernel, separate
from condyle.system.signatures import f1, f2, number

FIRST = 8  # number of the first piece
# Of a square: bicubic, powers of u and v. Of a triangle: a quartic, then six inner points that are blended.
SQUARE_PIECE, TRIANGLE_PIECE, OUTWARD = 48, 63, 18
DEEPEST = 64  # levels of a tree
STEPS, ENOUGH = 40, 1e-8  # as of `contact/basis.py`
EDGE, ASIDE = 1e-9, 1e-7  # as EDGE and SQUARE of `contact/patches.py`
TINY = 1e-300


@separate(number(f1, f1, f1, f2))
def patched_distance(p, point, normal, hessian):
    """φ of a point (3,) from curved pieces; fills its normal (3,) and Hessian (3, 3)."""
    jet, powers, far = np.empty((6, 3)), np.empty((2, 3, 5)), np.empty(49)
    at, u, v = _nearest(p, point, jet, powers, far)
    _jet(p, at, u, v, powers, jet)
    n0, n1, n2 = _cross(jet[1], jet[2])
    size = max(np.sqrt(n0 * n0 + n1 * n1 + n2 * n2), TINY)
    normal[0], normal[1], normal[2] = n0 / size, n1 / size, n2 / size
    gap = square = 0.0
    for a in range(3):
        gap += (point[a] - jet[0, a]) * normal[a]
    for a in range(3):
        square += (point[a] - jet[0, a] - gap * normal[a]) ** 2
    if np.sqrt(square) > ASIDE * p[5]:
        return _from_edge(p, at, u, v, point, jet, normal, hessian)
    _curved(jet, gap, normal, hessian)
    return gap


@kernel
def _cross(a, b):
    return a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]


@kernel
def _dot(a, b):
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@kernel
def _curved(jet, gap, n, hessian):
    """How the normal turns: δn = −A⁻¹ b δu · t with (A − g b) δu = t·δp."""
    t1, t2 = jet[1], jet[2]
    A, B, C = _dot(t1, t1), _dot(t1, t2), _dot(t2, t2)
    a, b, c = _dot(jet[3], n), _dot(jet[4], n), _dot(jet[5], n)
    det = max(A * C - B * B, TINY)
    # A⁻¹ b, then times the inverse of A − g b
    i, j = (C * a - B * b) / det, (C * b - B * c) / det
    k, m = (A * b - B * a) / det, (A * c - B * b) / det
    P, Q, R = A - gap * a, B - gap * b, C - gap * c
    other = P * R - Q * Q
    if abs(other) < 1e-14 * det:  # in the middle of what curves
        other = 1e-14 * det
    x, y = (i * R - j * Q) / other, (j * P - i * Q) / other
    z, w = (k * R - m * Q) / other, (m * P - k * Q) / other
    for r in range(3):
        for s in range(3):
            one = t1[r] * (x * t1[s] + y * t2[s]) + t2[r] * (z * t1[s] + w * t2[s])
            two = t1[s] * (x * t1[r] + y * t2[r]) + t2[s] * (z * t1[r] + w * t2[r])
            hessian[r, s] = -0.5 * (one + two)


@kernel
def _from_edge(p, at, u, v, point, jet, normal, hessian):
    """Distance from an edge or a corner, where the surface ends or has a crease: normals turn about it."""
    triangle = p[2] > 0.0
    if triangle:  # mean normals of all pieces that meet there tell the side
        from_ = at + TRIANGLE_PIECE + 3 * int(p[7]) + _outward(u, v)
        for a in range(3):
            normal[a] = p[from_ + a]
    far = side = 0.0
    for a in range(3):
        far += (point[a] - jet[0, a]) ** 2
        side += (point[a] - jet[0, a]) * normal[a]
    far, sign = np.sqrt(far), -1.0 if side < 0.0 else 1.0
    one = u <= EDGE or (u >= 1.0 - EDGE and not triangle)
    two = v <= EDGE or (v >= 1.0 - EDGE and not triangle)
    along, across = 1.0 if two and not one else 0.0, 1.0 if one and not two else 0.0
    if triangle and u + v >= 1.0 - EDGE:
        along, across = (0.0, 0.0) if one or two else (1.0, -1.0)
    stiff = 0.0
    for a in range(3):
        normal[a] = sign * (point[a] - jet[0, a]) / far
        e = along * jet[1, a] + across * jet[2, a]
        bend = along * along * jet[3, a] + 2.0 * along * across * jet[4, a] + across * across * jet[5, a]
        stiff += e * e - bend * (point[a] - jet[0, a])
    for a in range(3):
        for b in range(3):
            value = (1.0 if a == b else 0.0) - normal[a] * normal[b]
            if stiff > 0.0:
                e, f = along * jet[1, a] + across * jet[2, a], along * jet[1, b] + across * jet[2, b]
                value -= e * f / stiff
            hessian[a, b] = value * sign / far
    return sign * far


@kernel
def _outward(u, v):
    """Which of the normals of a triangle counts at an edge or corner."""
    inner = (1.0 - u - v, u, v)
    least = most = 0
    for k in range(1, 3):
        if inner[k] < inner[least]:
            least = k
        if inner[k] > inner[most]:
            most = k
    return 9 + 3 * most if inner[most] >= 1.0 - EDGE else 3 * least


@kernel
def _to_box(p, node, point):
    square = 0.0
    for a in range(3):
        out = max(p[node + a] - point[a], point[a] - p[node + 3 + a], 0.0)
        square += out * out
    return np.sqrt(square)


@kernel
def _nearest(p, point, jet, powers, far):
    """Where the nearest piece stands, and the parameters of the closest point on it."""
    pieces, samples, triangle = int(p[3]), int(p[7]), p[2] > 0.0
    own = TRIANGLE_PIECE if triangle else SQUARE_PIECE
    wide = own + 3 * samples + (OUTWARD if triangle else 0)
    tree, stack, top = FIRST + pieces * wide, np.empty(DEEPEST, dtype=np.int64), 1
    stack[0] = 0
    best, best_u, best_v, least = FIRST, 0.0, 0.0, np.inf
    while top > 0:
        top -= 1
        node = tree + 9 * stack[top]
        if _to_box(p, node, point) > least:
            continue
        if p[node + 6] >= 0.0:
            one, two = int(p[node + 6]), int(p[node + 7])
            if _to_box(p, tree + 9 * one, point) < _to_box(p, tree + 9 * two, point):
                one, two = two, one
            stack[top], stack[top + 1] = one, two  # the nearer one is looked at first
            top += 2
            continue
        for k in range(int(p[node + 7]), int(p[node + 8])):
            at = FIRST + wide * k
            nearest = 0
            for i in range(samples):
                s = at + own + 3 * i
                far[i] = np.sqrt((p[s] - point[0]) ** 2 + (p[s + 1] - point[1]) ** 2 + (p[s + 2] - point[2]) ** 2)
                if far[i] < far[nearest]:
                    nearest = i
            if far[nearest] - p[6] > least:
                continue
            inside = nearest if triangle else _nearest_inside(far, nearest)
            for i in range(samples):
                if i != nearest and i != inside and (triangle or not _lower(far, i)):
                    continue
                u, v = _sample(i, triangle)
                u, v, away = _closest(p, at, point, u, v, powers, jet)
                if away < least * (1.0 - 1e-14) - TINY:
                    best, best_u, best_v, least = at, u, v, away
    return best, best_u, best_v


@kernel
def _sample(i, triangle):
    """Parameters of a sample: seven in each direction of a square, those below the diagonal of a triangle."""
    if not triangle:
        return (i // 7) / 6.0, (i % 7) / 6.0
    row = 0
    while i >= 7 - row:
        i -= 7 - row
        row += 1
    return row / 6.0, i / 6.0


@kernel
def _nearest_inside(far, nearest):
    """From an edge the way down may lead off the piece, while there is a minimum inside: then the nearest sample inside."""
    row, column = nearest // 7, nearest % 7
    if 0 < row < 6 and 0 < column < 6:
        return nearest
    best = 8
    for r in range(1, 6):
        for c in range(1, 6):
            if far[7 * r + c] < far[best]:
                best = 7 * r + c
    return best


@kernel
def _lower(far, i):
    """Is a sample nearer than those beside it?"""
    row, column = i // 7, i % 7
    if row > 0 and not far[i] < far[i - 7]:
        return False
    if row < 6 and not far[i] < far[i + 7]:
        return False
    if column > 0 and not far[i] < far[i - 1]:
        return False
    return column == 6 or far[i] < far[i + 1]


@kernel
def _closest(p, at, point, u, v, powers, jet):
    """The closest point of a piece from parameters on, and its distance, as `contact/basis.py:project`."""
    triangle = p[2] > 0.0
    value, f, g, K, L, M, trace = _slopes(p, at, point, u, v, powers, jet)
    for _ in range(STEPS):
        step = _newton_step(triangle, u, v, f, g, K, L, M, trace)
        a, b = _clipped(triangle, u + step[0], v + step[1])
        last = max(abs(a - u), abs(b - v)) < ENOUGH
        size, worse = 1.0, False
        new = value, f, g, K, L, M, trace
        for attempt in range(12):
            new = _slopes(p, at, point, a, b, powers, jet)
            worse = new[0] > value and not last
            if not worse:
                break
            size *= 0.3
            if attempt == 1:  # an edge is in the way: along the slope it goes down for sure
                step, size = (-f / trace, -g / trace), 1.0
            a, b = _clipped(triangle, u + size * step[0], v + size * step[1])
        if worse:
            break
        u, v = a, b
        value, f, g, K, L, M, trace = new
        if last:
            break
    return u, v, np.sqrt(2.0 * value)


@kernel
def _slopes(p, at, point, u, v, powers, jet):
    """½ |y − p|², its slopes and second derivatives (11, 12, 22) by u and v, and the trace of the metric."""
    _jet(p, at, u, v, powers, jet)
    value = f = g = K = L = M = A = C = 0.0
    for a in range(3):
        miss = jet[0, a] - point[a]
        value += 0.5 * miss * miss
        f += jet[1, a] * miss
        g += jet[2, a] * miss
        A += jet[1, a] * jet[1, a]
        C += jet[2, a] * jet[2, a]
        K += jet[3, a] * miss
        L += jet[4, a] * miss + jet[1, a] * jet[2, a]
        M += jet[5, a] * miss
    return value, f, g, K + A, L, M + C, max(A + C, TINY)


@kernel
def _newton_step(triangle, u, v, f, g, K, L, M, size):
    """The step of Newton within the parameters that are free to move; away from a maximum or saddle by |H|."""
    stay_u = (u <= 1e-14 and f > 0.0) or (u >= 1.0 - 1e-14 and f < 0.0 and not triangle)
    stay_v = (v <= 1e-14 and g > 0.0) or (v >= 1.0 - 1e-14 and g < 0.0 and not triangle)
    if not (K > 0.0 and K * M - L * L > 0.0):
        mean, half = 0.5 * (K + M), np.sqrt(0.25 * (K - M) ** 2 + L * L)
        high, low = max(abs(mean + half), 1e-3 * size), max(abs(mean - half), 1e-3 * size)
        # |H| = q + r (H − mean)/half, whose values are `high` and `low`
        q, r = 0.5 * (high + low), 0.5 * (high - low) / half if half > 0.0 else 0.0
        K, L, M = q + r * (K - mean), r * L, q + r * (M - mean)
    a = b = 0.0
    if stay_u and not stay_v:
        b = -g / M
    elif stay_v and not stay_u:
        a = -f / K
    elif not stay_u:
        det = K * M - L * L
        a, b = -(M * f - L * g) / det, -(K * g - L * f) / det
    if triangle and u + v >= 1.0 - 1e-15 and a + b > 0.0:  # along the third edge, where the step would cross it
        along = -(f - g) / (K - 2.0 * L + M)
        return along, -along
    return a, b


@kernel
def _clipped(triangle, u, v):
    """Parameters brought back to the piece."""
    if not triangle:
        return min(max(u, 0.0), 1.0), min(max(v, 0.0), 1.0)
    u, v = max(u, 0.0), max(v, 0.0)
    over = max(u + v - 1.0, 0.0)
    low = min(min(u, v), 0.5 * over)  # what the smaller one can give
    if u <= v:
        return max(u - low, 0.0), max(v - over + low, 0.0)
    return max(u - over + low, 0.0), max(v - low, 0.0)


@kernel
def _jet(p, at, u, v, powers, jet):
    """y, ∂u, ∂v, ∂uu, ∂uv, ∂vv of a piece (6, 3). powers: room (2, 3, 5)."""
    triangle = p[2] > 0.0
    degree = 4 if triangle else 3
    for side in range(2):
        s = u if side == 0 else v
        powers[side, 0, 0], powers[side, 1, 0], powers[side, 2, 0] = 1.0, 0.0, 0.0
        for k in range(1, degree + 1):
            powers[side, 0, k] = s * powers[side, 0, k - 1]
            powers[side, 1, k] = k * powers[side, 0, k - 1]
            powers[side, 2, k] = k * powers[side, 1, k - 1]
    for a in range(6):
        for b in range(3):
            jet[a, b] = 0.0
    place = at
    for i in range(degree + 1):
        for j in range(degree + 1 - i if triangle else 4):
            m = powers[0, 0, i] * powers[1, 0, j]
            m1, m2 = powers[0, 1, i] * powers[1, 0, j], powers[0, 0, i] * powers[1, 1, j]
            m11, m12, m22 = powers[0, 2, i] * powers[1, 0, j], powers[0, 1, i] * powers[1, 1, j], 0.0
            m22 = powers[0, 0, i] * powers[1, 2, j]
            for a in range(3):
                c = p[place + a]
                jet[0, a] += m * c
                jet[1, a] += m1 * c
                jet[2, a] += m2 * c
                jet[3, a] += m11 * c
                jet[4, a] += m12 * c
                jet[5, a] += m22 * c
            place += 3
    if triangle:
        _add_inner(p, place, u, v, jet)


@kernel
def _add_inner(p, at, u, v, jet):
    """12 a²bc times b and c over b + c, and in turn (Walton and Meek 1996), with (a, b, c) = (1 − u − v, u, v)."""
    linear = ((1.0 - u - v, -1.0, -1.0), (u, 1.0, 0.0), (v, 0.0, 1.0))
    for k in range(3):
        a, b, c = linear[k], linear[(k + 1) % 3], linear[(k + 2) % 3]
        r = 1.0 / max(b[0] + c[0], 1e-9)
        du, dv = b[1] + c[1], b[2] + c[2]
        blend = (r, -du * r * r, -dv * r * r, 2.0 * du * du * r**3, 2.0 * du * dv * r**3, 2.0 * dv * dv * r**3)
        first, second, third = (
            (a[0], a[1], a[2], 0.0, 0.0, 0.0),
            (b[0], b[1], b[2], 0.0, 0.0, 0.0),
            (c[0], c[1], c[2], 0.0, 0.0, 0.0),
        )
        common = _product(_product(_product(first, first), _product(second, third)), blend)
        one, two = _product(common, second), _product(common, third)
        for i in range(6):
            for d in range(3):
                jet[i, d] += 12.0 * (one[i] * p[at + 6 * k + d] + two[i] * p[at + 6 * k + 3 + d])


@kernel
def _product(f, g):
    """Of two functions given by value, ∂u, ∂v, ∂uu, ∂uv, ∂vv."""
    return (
        f[0] * g[0], f[0] * g[1] + f[1] * g[0], f[0] * g[2] + f[2] * g[0], f[0] * g[3] + 2.0 * f[1] * g[1] + f[3] * g[0],
        f[0] * g[4] + f[1] * g[2] + f[2] * g[1] + f[4] * g[0], f[0] * g[5] + 2.0 * f[2] * g[2] + f[5] * g[0],
    )  # fmt: skip
