"""Which point of a group has which place: kernels of `CollisionPair`, near-linear in the number of points."""

import numpy as np

from condyle.laws.kernel import kernel
from condyle.system.touching.entries import place_of


@kernel
def take_places(features, known, pairs, key, shapes, blocks, slot):
    """Give the points that places remember to the blocks of their pairs; places of pairs that are far are emptied.

    features (n, known + 2); pairs (m, 2) in order, with key = first · shapes + second (m,); blocks (m, K, known) and slot
    (m, K), −1 where there is none, are filled.
    """
    m, K = slot.shape
    count = np.zeros(m, dtype=np.int64)
    for i in range(features.shape[0]):
        if not features[i, 0] > 0.0:
            continue
        mine = (np.int64(features[i, known]) - 1) * shapes + np.int64(features[i, known + 1]) - 1
        at = place_of(mine, key, 0, m)
        if at >= 0 and count[at] < K:
            for a in range(known):
                blocks[at, count[at], a] = features[i, a]
            slot[at, count[at]] = i
            count[at] += 1
        else:
            for a in range(features.shape[1]):
                features[i, a] = 0.0


@kernel
def attach_places(features, known, on, idle, rows_of_bodies, columns_of_bodies, bodies, rows, columns, busy):
    """Bodies (n, 2), rows and unknowns of all places; those without a point have the bodies `idle`."""
    nr, nu = rows_of_bodies.shape[1], columns_of_bodies.shape[1]
    for i in range(features.shape[0]):
        busy[i] = features[i, 0] > 0.0
        if busy[i]:
            a, b = on[np.int64(features[i, known]) - 1], on[np.int64(features[i, known + 1]) - 1]
        else:
            a, b = idle[0], idle[1]
        bodies[i, 0], bodies[i, 1] = a, b
        for r in range(nr):
            rows[i, r], rows[i, nr + r] = rows_of_bodies[b, r], rows_of_bodies[a, r]
        for u in range(nu):
            columns[i, u], columns[i, nu + u] = columns_of_bodies[b, u], columns_of_bodies[a, u]


@kernel
def put_points(there, slot, points, now, flat, on, features, known):
    """Points of blocks into their places: flat (n, WIDTH), on (n,), and what places remember of them."""
    m, K = slot.shape
    for p in range(m):
        for q in range(K):
            i = slot[p, q]
            if i < 0:
                continue
            for a in range(known):
                features[i, a] = now[p, q, a]
            if there[p, q]:
                on[i] = True
                for a in range(flat.shape[1]):
                    flat[i, a] = points[p, q, a]
