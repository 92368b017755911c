"""Residual and tangent of the whole system, large meshes in two threads.

The elements of a large mesh stand in its table in two groups that have no row in common, and the few between them
(`system/thread_groups.py`). Each group is summed by a thread of its own, straight into the common arrays; what is between,
and all other laws, after them. Every entry is summed in the same order with one thread and with two: the results are the
same, bit for bit.
"""

from __future__ import annotations

import os
from threading import Thread
from typing import Any

import numpy as np

from condyle.system.assembly.whole import add_span, assemble_compiled, finish_assembly, start_assembly


def threads() -> int:
    """How many threads sum the elements: CONDYLE_THREADS, or as many as there are processors, at most 2."""
    wanted = os.environ.get("CONDYLE_THREADS", "")
    if wanted.isdigit():
        return min(max(int(wanted), 1), 2)
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(there, 2)


def assemble(
    whole: Any,
    motion: Any,
    loads: Any,
    held: Any,
    where: int,
    held_where: int,
    factors: Any,
    maps: Any,
    tangent: bool,
    out: Any,
) -> None:
    """Row residual q, residual r of the unknowns, constraint values c and (if `tangent`) the matrix A.

    whole: see `tables.WholeSystem`
    motion = (x0, x1, x_test, x_dot, acceleration, previous iterate)
    loads = (gravity force per row, amplitudes where forces are taken, amplitudes at both ends of the step (2, nf))
    held = (multipliers, stiffness of links, stiffness of constraints)
    factors = (∂ẍ/∂x1, κ = ∂x_test/∂x1, ∂ẋ/∂x1); maps = (∂ẍ/∂δθ, ∂ẋ/∂δθ) of directors, each (n, d, 3), or empty
    out = (q, q_scale, q_noise, r, r_scale, r_noise, c, c_scale, A), see `Buffers`
    """
    spans = whole.spans
    if spans.size == 6 or threads() == 1:
        assemble_compiled(whole, motion, loads, held, where, held_where, factors, maps, tangent, out)
        return
    start_assembly(whole, motion, loads, factors, maps, tangent, out)
    first, second = np.array([spans[0], spans[6]]), np.array([spans[6], spans[7]])
    other = Thread(target=add_span, args=(whole.laws, second, whole.rows, motion, where, factors, maps, tangent, out))
    other.start()
    add_span(whole.laws, first, whole.rows, motion, where, factors, maps, tangent, out)
    other.join()
    rest = spans.copy()
    rest[0] = spans[7]
    finish_assembly(whole._replace(spans=rest), motion, loads, held, where, held_where, factors, maps, tangent, out)
