"""Drifts and kicks of asynchronous steps in compiled code; apart from the method, as kernels depend on all that is imported.

Elements are stored energies, then links, then constraints; the latter two are ½ k c² with a stiffness k each.
"""

# Kernels are compiled for the types that they are called with.
# mypy: disallow-untyped-defs=False

from __future__ import annotations

import numpy as np

from condyle.laws.kernel import kernel, separate
from condyle.system.assembly.compliant import add_strains
from condyle.system.assembly.constraints import add_constraints, constraint_values
from condyle.system.assembly.links import add_links
from condyle.system.assembly.places import family
from condyle.system.signatures import PARTS, count, f1, f2, f3, number
from condyle.system.tables import END


@kernel
def run_events(parts, inverse, stiffness, steps, times, weight, t, end, x, v, impulse):
    """From t to `end`: drifts and kicks in the order of their times; returns how many elements acted.

    stiffness, steps, times: of all elements. impulse (m,) [N s]: that of each constraint is added to it.
    """
    n, d = x.shape
    q, held, count = np.zeros((3, n, d)), np.zeros((3, impulse.size)), 0
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
        _kick(parts, first, inverse, stiffness[first], steps[first], x, q, held, v, impulse)
        times[first] += steps[first]
        count += 1


@kernel
def kick_all(parts, inverse, stiffness, durations, x, v):
    """Impulses of all elements at x, each over a duration of its own [s]."""
    m = 0
    for k in range(parts.laws.channel.size):
        m = max(m, parts.laws.channel[k] + x.shape[1])
    q, held, impulse = np.zeros((3, *x.shape)), np.zeros((3, m)), np.zeros(m)
    for k in range(durations.size):
        _kick(parts, k, inverse, stiffness[k], durations[k], x, q, held, v, impulse)


@kernel
def slope(parts, number, stiffness, x, q, held, rows):
    """Add ∇V of one element to q[0]; returns the number of its rows and of its multipliers, and the first of these.

    q: (3, n, d), of which the rows of the element are zero. held: (3, m), its forces, values, their scale. rows: gets its rows.
    """
    energies, links = family(parts.laws, parts.spans, 0), family(parts.laws, parts.spans, 2)
    constraints = family(parts.laws, parts.spans, 3)
    span, empty = np.zeros(2, dtype=np.int64), np.zeros(2, dtype=np.int64)
    none, k, targets = np.zeros(0), np.full(1, stiffness), np.zeros((2, 1))
    first, many = -1, 0
    if number < energies.law.size:
        span[0], span[1] = number, number + 1
        element = family(energies, span, 0)
        add_strains(element, parts.rows, x, 1.0, False, q[0], q[1], none)
    elif number < energies.law.size + links.law.size:
        span[0], span[1] = number - energies.law.size, number - energies.law.size + 1
        element = family(links, span, 0)
        first, many = element.channel[0], x.shape[1]
        constraint_values(element, family(constraints, empty, 0), x, targets[0], held[1])
        for a in range(first, first + many):
            held[0, a] = stiffness * held[1, a]
        add_links(element, parts.rows, x, x, held[0], k, END, False, q[0], q[1], q[2], held[1], held[2], none)
    else:
        span[0] = number - energies.law.size - links.law.size
        span[1] = span[0] + 1
        element = family(constraints, span, 0)
        first, many = element.channel[0], 1
        constraint_values(family(links, empty, 0), element, x, targets[0], held[1])
        held[0, first] = stiffness * held[1, first]
        add_constraints(
            element, parts.rows, x, x, targets, held[0], k, END, False, q[0], q[1], q[2], held[1], held[2], none
        )
    count = element.row_start[1] - element.row_start[0]
    for r in range(count):
        rows[r] = element.rows[element.row_start[0] + r]
    return count, many, first


@separate(count(PARTS, count, f2, number, number, f2, f3, f2, f2, f1))
def _kick(parts, number, inverse, stiffness, duration, x, q, held, v, impulse):
    """v −= duration m⁻¹ ∇V of one element; q: room, zero before and after."""
    rows = np.zeros(x.shape[0], dtype=np.int64)
    count, many, first = slope(parts, number, stiffness, x, q, held, rows)
    for k in range(first, first + many):
        impulse[k] += duration * held[0, k]
    for r in range(count):
        row = rows[r]
        for i in range(v.shape[0]):
            m = inverse[i, row]
            if m != 0.0:
                for a in range(v.shape[1]):
                    v[i, a] -= duration * m * q[0, row, a]
        for a in range(v.shape[1]):
            q[0, row, a] = q[1, row, a] = q[2, row, a] = 0.0
    return 0
