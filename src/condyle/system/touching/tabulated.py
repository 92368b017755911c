"""Measured curves of force over depth at one point: `contact/laws/hysteresis.py:ContactTable`.

A table is a row of numbers: n depths, n forces of the way in and the areas below it, then the same of the way out.
"""

import numpy as np

from condyle.laws.kernel import kernel


@kernel
def tabulated(table, n, unloads, s, deepest):
    """ψ, F and its slope at the depth s [m]; n: entries, unloads: is there a way out of its own?"""
    way_in = _line(table, n, 0, s)
    if not unloads or not deepest > 0.0:
        return way_in
    if s < deepest:
        return _way_out(table, n, s, deepest)
    lost = _line(table, n, 0, deepest)[0] - _way_out(table, n, deepest, deepest)[0]
    return way_in[0] - lost, way_in[1], way_in[2]


@kernel
def _line(table, n, way, s):
    """Area, force and slope of the way in (0) or out (1), straight between entries."""
    F, area = n * (1 + 2 * way), n * (2 + 2 * way)
    k = min(max(np.searchsorted(table[:n], s, side="right") - 1, 0), n - 2)
    slope = (table[F + k + 1] - table[F + k]) / (table[k + 1] - table[k])
    more = max(s, 0.0) - table[k]
    whole = table[area + k] + (table[F + k] + 0.5 * slope * more) * more
    return whole, table[F + k] + slope * more, slope if s > 0.0 else 0.0


@kernel
def _way_out(table, n, s, reached):
    """The smaller of the way out, scaled to begin at a depth `reached`, and of the way in."""
    width, height = reached / table[n - 1], _line(table, n, 0, reached)[1] / table[2 * n - 1]
    whole = last = 0.0
    one, other = _line(table, n, 0, 0.0)[1], height * _line(table, n, 1, 0.0)[1]
    i = j = 0
    # Between the corners of both curves each is a straight line, and they cross at most once.
    while last < s:
        corner = s
        while i < n and table[i] <= last:
            i += 1
        while j < n and table[j] * width <= last:
            j += 1
        if i < n:
            corner = min(corner, table[i])
        if j < n:
            corner = min(corner, table[j] * width)
        a, b = _line(table, n, 0, corner)[1], height * _line(table, n, 1, corner / width)[1]
        share = 0.5
        before, after = one - other, a - b
        if before * after < 0.0:
            share = before / (before - after)
            middle = one + share * (a - one)
            mean = share * (min(one, other) + middle) + (1.0 - share) * (middle + min(a, b))
        else:
            mean = min(one, other) + min(a, b)
        whole += 0.5 * (corner - last) * mean
        one, other, last = a, b, corner
    first, second = _line(table, n, 0, s), _line(table, n, 1, s / width)
    if first[1] <= height * second[1]:
        return whole, first[1], first[2]
    return whole, height * second[1], height / width * second[2]
