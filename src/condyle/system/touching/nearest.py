"""Which piece is nearest to each point, and where on it: the searches of `contact/deformable.py` in kernels.

`pieces` are those of one target: powers of the monomials, which are triangles, the matrices C, the vectors of each piece as
numbered in the target, are they flat, and side (`feet.py:find_feet`).
"""

import numpy as np

from condyle.laws.kernel import kernel
from condyle.system.touching.feet import find_feet
from condyle.system.touching.near import nearest_facets

NEAR_LINES, NEAR_FACES = 6, 16  # flat pieces near a point that are looked at, in the plane and in space
TRIED = 4  # samples of curved pieces near a point from which the projection starts
SAMPLED = 7  # samples of a piece in each direction


@kernel
def nearest(pieces, excluded, vectors, places, which, facet, at):
    """The piece that is nearest to each point, and where on it: fills facet (n,) and at (n, p) where `which` says so."""
    if not which.any():
        return
    if pieces[4]:
        _nearest_flat(pieces, excluded, vectors, places, which, facet, at)
    else:
        _nearest_curved(pieces, excluded, vectors, places, which, facet, at)


@kernel
def _nearest_flat(pieces, excluded, vectors, places, which, facet, at):
    cells, d = pieces[3], places.shape[1]
    f = cells.shape[0]
    corners, centres = np.empty(f * d * d), np.zeros((f, d))
    for k in range(f):
        for c in range(d):
            for a in range(d):
                corners[(k * d + c) * d + a] = vectors[cells[k, c], a]
                centres[k, a] += vectors[cells[k, c], a] / d
    few = min(NEAR_LINES if d == 2 else NEAR_FACES, f)
    near, far = np.empty((1, few), dtype=np.int64), np.empty(few)
    for i in range(places.shape[0]):
        if not which[i]:
            continue
        known = 0
        for k in range(f):
            known = _take_in(_apart(centres[k], places[i]), k, near[0], far, known)
        nearest_facets(corners, places[i : i + 1], near, excluded[i : i + 1], facet[i : i + 1])
        for a in range(d - 1):
            at[i, a] = 0.0


@kernel
def _nearest_curved(pieces, excluded, vectors, places, which, facet, at):
    """From the nearest of samples spread over all pieces: the projection starts from several of them."""
    powers, triangle, C, cells, _, _ = pieces
    f, J, K = C.shape
    n, d = places.shape
    p = d - 1
    each = SAMPLED if p == 1 else SAMPLED * SAMPLED
    there = np.empty((f, each, d))
    centre, radius = np.zeros((f, d)), np.zeros(f)
    for k in range(f):
        for s in range(each):
            u, v = (s // SAMPLED if p == 2 else s) / (SAMPLED - 1), (s % SAMPLED) / (SAMPLED - 1)
            for a in range(d):
                there[k, s, a] = 0.0
            for j in range(J):
                m = u ** powers[j, 0] * (v ** powers[j, 1] if p == 2 else 1.0)
                for c in range(K):
                    for a in range(d):
                        there[k, s, a] += m * C[k, j, c] * vectors[cells[k, c], a]
            for a in range(d):
                centre[k, a] += there[k, s, a] / each
        for s in range(each):
            radius[k] = max(radius[k], _apart(there[k, s], centre[k]))
    near, far = np.empty(TRIED, dtype=np.int64), np.empty(TRIED)
    feet, own, start = feet_room(1, d, K, False), np.empty(1, dtype=np.int64), np.empty((1, p))
    for i in range(n):
        if not which[i]:
            continue
        known = 0
        for k in range(f):
            if known == TRIED and _apart(centre[k], places[i]) - radius[k] >= far[TRIED - 1]:
                continue
            for s in range(each):
                if not triangle[k] or s // SAMPLED + s % SAMPLED < SAMPLED:
                    known = _take_in(_apart(there[k, s], places[i]), k * each + s, near, far, known)
        least = np.inf
        for q in range(known):
            own[0], s = near[q] // each, near[q] % each
            start[0, 0] = (s // SAMPLED if p == 2 else s) / (SAMPLED - 1)
            if p == 2:
                start[0, 1] = (s % SAMPLED) / (SAMPLED - 1)
            if q == 0:
                _put(own[0], start[0], i, facet, at)
            seen = True
            for e in range(excluded.shape[1]):
                seen = seen and excluded[i, e] != own[0]
            if not seen:
                continue
            find(pieces, vectors, places[i : i + 1], own, start, 0.0, feet)
            square = 0.0
            for a in range(d):
                y = 0.0
                for c in range(K):
                    y += feet[1][0, c] * vectors[cells[own[0], c], a]
                square += (places[i, a] - y) ** 2
            if np.sqrt(square) < least * (1.0 - 1e-12):
                least = np.sqrt(square)
                _put(own[0], feet[0][0], i, facet, at)


@kernel
def _put(piece, u, i, facet, at):
    facet[i] = piece
    for a in range(u.size):
        at[i, a] = u[a]


@kernel
def _take_in(distance, number, numbers, far, known):
    """Keep the nearest in order, the first of equals first; returns how many are known."""
    if known == far.size:
        if distance >= far[known - 1]:
            return known
        known -= 1
    at = known
    while at > 0 and far[at - 1] > distance:
        far[at], numbers[at] = far[at - 1], numbers[at - 1]
        at -= 1
    far[at], numbers[at] = distance, number
    return known + 1


@kernel
def _apart(a, b):
    """Distance of two points."""
    square = 0.0
    for e in range(a.size):
        square += (a[e] - b[e]) ** 2
    return np.sqrt(square)


@kernel
def find(pieces, vectors, places, facet, start, beyond, feet):
    """Feet on given pieces."""
    powers, triangle, C, cells, flat, side = pieces
    find_feet(powers, triangle, C, vectors, cells, places, facet, start, flat, side, beyond, feet)


@kernel
def feet_room(n, d, K, flat):
    """Room for the feet of n points (`contact/foot.py:Foot`, but for its facet)."""
    p, curved = d - 1, 0 if flat else K
    return (
        np.empty((n, p)), np.empty((n, K)), np.empty((n, p, K)), np.empty((n, p, p, curved)), np.empty((n, d, d)),
        np.empty(n), np.empty((n, p, d)), np.empty((n, p, p, d)), np.empty((n, p, p)),
    )  # fmt: skip
