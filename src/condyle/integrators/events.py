"""Drifts and kicks of asynchronous steps in compiled code; apart from the method, as kernels depend on all that is imported."""

# Kernels are compiled for the types they are called with.
# mypy: disallow-untyped-defs=False

from __future__ import annotations

import numpy as np

from condyle.laws.kernel import kernel
from condyle.system.assembly.compliant import add_strains
from condyle.system.assembly.places import family


@kernel
def run_events(parts, inverse, steps, times, weight, t, end, x, v):
    """From t to `end`: drifts and kicks in the order of their times; returns how many elements acted."""
    n, d = x.shape
    q, scale, none = np.zeros((n, d)), np.zeros((n, d)), np.zeros(0)
    span, count = np.zeros(2, dtype=np.int64), 0
    laws = family(parts.laws, parts.spans, 0)
    while True:
        first = 0
        for k in range(times.size):
            if times[k] < times[first]:
                first = k
        until = min(times[first], end) if times.size else end
        dt = until - t
        for i in range(n):
            for a in range(d):
                x[i, a] += dt * (v[i, a] + 0.5 * dt * weight[i, a])
                v[i, a] += dt * weight[i, a]
        t = until
        if times.size == 0 or times[first] >= end:
            return count
        span[0], span[1] = first, first + 1
        _kick(family(laws, span, 0), parts.rows, inverse, steps[first], x, q, scale, none, v)
        times[first] += steps[first]
        count += 1


@kernel
def _kick(element, rows, inverse, duration, x, q, scale, none, v):
    """v −= duration m⁻¹ ∇V of one element; q: room, zero before and after."""
    add_strains(element, rows, x, 1.0, False, q, scale, none)
    for r in range(element.row_start[0], element.row_start[1]):
        row = element.rows[r]
        for i in range(v.shape[0]):
            m = inverse[i, row]
            if m != 0.0:
                for a in range(v.shape[1]):
                    v[i, a] -= duration * m * q[row, a]
        for a in range(v.shape[1]):
            q[row, a] = 0.0


@kernel
def kick_all(parts, inverse, durations, x, v):
    """Impulses of all elements at x, each over a duration of its own [s]."""
    q, scale, none = np.zeros(x.shape), np.zeros(x.shape), np.zeros(0)
    span, laws = np.zeros(2, dtype=np.int64), family(parts.laws, parts.spans, 0)
    for k in range(durations.size):
        span[0], span[1] = k, k + 1
        _kick(family(laws, span, 0), parts.rows, inverse, durations[k], x, q, scale, none, v)
