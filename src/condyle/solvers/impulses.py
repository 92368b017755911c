"""Impulses of one instant by projected Gauss–Seidel, compiled: each at least what is given, each rate at least its target."""

from __future__ import annotations

from math import sqrt

import numpy as np

from condyle.laws.kernel import kernel


@kernel
def impulses(W, u, mu, points, target, least, steepest, most, solved):
    """p ≥ least, u ≥ target across, one of them equal; |p_t| ≤ μ p_n against the slip; of the points listed in `points`.

    W: (k, d, k, d) [1/kg]; u: rates before (k, d) [m/s], normal first; target, least: (k,); steepest: the largest eigenvalue of
    each block of W along the surface (k,). Point by point in turn, with what the others do at present, `most` sweeps at most
    or until no rate changes by more than `solved` [m/s]. Returns p (k, d) [N s].
    """
    k, d = u.shape
    p, rate, change = np.zeros((k, d)), u.copy(), np.zeros(d)
    for i in points:
        p[i, 0] = least[i]
        for j in range(k):
            for a in range(d):
                rate[j, a] += W[j, a, i, 0] * least[i]
    for _ in range(most):
        largest = 0.0
        for i in points:
            across = W[i, 0, i, 0]
            if across <= 0.0:
                continue
            change[0] = max(least[i], p[i, 0] - (rate[i, 0] - target[i]) / across) - p[i, 0]
            p[i, 0] += change[0]
            square = 0.0
            for a in range(1, d):
                slip = rate[i, a] + W[i, a, i, 0] * change[0]
                change[a] = p[i, a] - slip / steepest[i]
                square += change[a] * change[a]
            size, bound = sqrt(square), mu[i] * p[i, 0]
            for a in range(1, d):
                wanted = change[a] * (bound / size if size > bound else 1.0)
                change[a], p[i, a] = wanted - p[i, a], wanted
            for j in range(k):
                for a in range(d):
                    moved = 0.0
                    for b in range(d):
                        moved += W[j, a, i, b] * change[b]
                    rate[j, a] += moved
                    largest = max(largest, abs(moved))
        if largest <= solved:
            break
    return p
