"""Steps at the level of velocities in compiled code: assembly, elimination, points, impulses, motion and account in one loop.

What a step does is said in `nonsmooth.py`. Python takes it where contacts are of other kinds, where Newton's method, sweeps and
growing friction leave an error, and where points move so far that somebody has to look.
"""

# Kernels are compiled for the types they are called with.
# mypy: disallow-untyped-defs=False

from __future__ import annotations

import numpy as np

from condyle.integrators.convergence import CONVERGED, SINGULAR, TOUCHED
from condyle.integrators.first_order import end_motion
from condyle.integrators.loop import values_at_start
from condyle.integrators.nonsmooth_kernels import convert, fastest_place, rates_of
from condyle.integrators.nonsmooth_motion import end_step, fastest_translation, free_motion, move_with, rebounds
from condyle.integrators.nonsmooth_points import (
    FEATURES,
    FIRST_FORCE,
    MU,
    REPORTED,
    RESTITUTION,
    is_slow,
    points_of,
    reached,
)
from condyle.integrators.nonsmooth_sharing import share_impulses
from condyle.integrators.step_tables import RATE
from condyle.laws.kernel import kernel
from condyle.solvers.body_sweeps import own_blocks, sweep_bodies, times_rows
from condyle.solvers.cone_newton import law_error, times
from condyle.solvers.dense import (
    FAILED,
    box_pivots,
    cone_steps,
    penalty_impulses,
    polyhedral_pivots,
    projection_factors,
    prox_sweeps,
    rows_of_contacts,
    sweep_after,
)
from condyle.system.linear.block_lu import solve_blocks

# Settings of the method: tolerance and compliance of contact, slip of full friction, steps of projections, how they decay
# and the mass per length that weights them, whether overlaps are moved out, the part of a thickness that is fast, the least
# overlap, the model, whether the geometric stiffness counts, compliance of joints, rows up to which a full matrix is made,
# how far points may be away, in ways of a step.
(
    TOLERANCE, COMPLIANCE, CREEP, ZETA, DECAY, DENSITY, STABILISE, FAST, LEAST, MODEL, GEOMETRIC, JOINTS, MOST_ROWS,
    REACH,
) = range(14)  # fmt: skip
SETTINGS = 14
CONE, BOX, POLYHEDRAL, PROX, PENALTY = range(5)  # models, see `nonsmooth_steps.py`
# What is remembered: forces, impulses, mean forces, depths of all contacts; error and count of steps that were not solved, and
# of bodies that have passed; features of points; and how the models ended.
FORCES, IMPULSES, MEANS, DEPTHS, ERROR, UNSOLVED, PASSED, FEATURED, END = range(9)
DIRECTIONS = 8  # of the cone with facets
MOVING_OUT, FEW = (60, 30), 100  # sweeps in which overlaps are moved out, of up to FEW points and of more
NEARLY_OUT = 1e-9, 1e-3  # of the overlaps, that may be left for the next step, likewise
SHARED = 600  # rows up to which impulses are shared


@kernel(nogil=True)
def run_nonsmooth(problem, stepper, touch, tables, now, after, work, first, every, record, out, w):
    """As `loop.run_steps`; `now.touch` holds what contacts remember. out: error, iterations and status of the last step."""
    frames = 0
    room, targets = np.zeros((2, *now.x.shape)), np.zeros((2, tables.ends.shape[1]))
    values_at_start(problem, tables, now, w)
    for s in range(tables.sizes.size):
        status = _step(problem, stepper, touch, tables, s, targets, room, now, after, out, w)
        if status == CONVERGED:
            status, frames, work = end_step(
                problem, tables, s, now, after, work, out[1], first, every, record, frames, w
            )
        if status != CONVERGED:
            return status, s, frames, work
    return CONVERGED, tables.sizes.size, frames, work


@kernel
def _step(problem, stepper, touch, tables, s, targets, room, now, after, out, w):
    """One step; returns how it ended."""
    h, du, motion, settings = tables.sizes[s], w.vectors[3], np.zeros(w.vectors.shape[1]), touch.settings
    if not free_motion(
        problem, stepper, settings[GEOMETRIC] > 0.0, settings[JOINTS], tables, s, targets, room, now, after, w
    ):
        return SINGULAR
    if not _contact(problem, touch, now, after.x, w.rows[RATE], w.vectors[4], h, after, du, motion, out, w):
        return TOUCHED
    status = move_with(problem.whole, now.x, after.x, h, du, motion)
    if status != CONVERGED:
        return status
    if not is_slow(touch, now.x, after.x, settings[FAST]):
        return TOUCHED
    end_motion(problem, tables, s, du, 1.0, now, after, w)
    return CONVERGED


@kernel
def _contact(problem, touch, now, x, driven, free, h, after, v, motion, out, w):
    """Velocities v (unknowns,) with contact, and the motion that moves overlaps out; what is remembered is in `after.touch`.

    False where Python has to take the step.
    """
    out[:] = 0.0
    at, d, total = touch.memory, x.shape[1], int(touch.memory[FEATURED + 1] - touch.memory[FEATURED]) // FEATURES
    for i in range(v.size):
        v[i] = free[i]
    for i in range(now.touch.size):
        after.touch[i] = now.touch[i]
    features = after.touch[at[FEATURED] :].reshape((total, FEATURES))
    width = points_of(touch, now.x, now.v, h, features)
    if width < 0:
        return False
    way = h * max(
        fastest_translation(touch.translation, now.v),
        fastest_translation(touch.translation, driven),
        fastest_place(problem.whole.rows, free),
    )
    pair, point = np.empty(total, dtype=np.int64), np.empty(total, dtype=np.int64)
    gap, weight, axes = np.empty(total), np.empty(total), np.empty((total, d, d))
    rows, gradients = np.empty((total, width), dtype=np.int64), np.empty((total, d, width, d))
    far = max(touch.settings[REACH] * way, touch.settings[LEAST])
    k = reached(touch, x, far, features, pair, point, gap, weight, axes, rows, gradients)
    m = d * k
    if m > touch.settings[MOST_ROWS]:
        return False
    pair, point, gap, weight, axes = pair[:k], point[:k], gap[:k], weight[:k], axes[:k]
    p = np.zeros(m)
    if k and not _impulses(
        problem,
        touch,
        now,
        x,
        driven,
        free,
        h,
        v,
        motion,
        pair,
        point,
        gap,
        weight,
        axes,
        rows[:k],
        gradients[:k],
        p,
        out,
        w,
    ):
        return False
    _remember(touch, now, after, h, pair, point, gap, axes, p, out)
    return True


@kernel
def _impulses(
    problem, touch, now, x, driven, free, h, v, motion, pair, point, gap, weight, axes, rows, gradients, p, out, w
):
    """Impulses p (m,) of the points, and what they do to v; False where Python has to find them."""
    k, d, settings, model = gap.size, x.shape[1], touch.settings, int(touch.settings[MODEL])
    m, n, table = k * d, v.size, problem.whole.rows
    js, jc, jv, q = (
        np.zeros(m + 1, dtype=np.int64),
        np.empty(gradients.size, dtype=np.int64),
        np.empty(gradients.size),
        np.zeros(m),
    )
    used = convert(table.kind, table.unknown, x, driven, rows, gradients, js, jc, jv, q)  # q: rates of prescribed rows
    jc, jv = jc[:used], jv[:used]
    before, along = np.empty((k, d)), np.empty(m)
    rates_of(rows, gradients, now.v, before)
    times_rows(js, jc, jv, free, along)
    soft, mu = np.zeros(m), np.empty(k)
    for i in range(k):
        e = touch.numbers[pair[i], RESTITUTION]
        mu[i] = touch.numbers[pair[i], MU]
        bounces = rebounds(e, gap[i], before[i, 0], along[d * i], q[d * i], h)
        open_ = gap[i] if settings[COMPLIANCE] > 0.0 or gap[i] > settings[LEAST] else 0.0
        q[d * i] = e * before[i, 0] + q[d * i] if bounces else open_ / h
        give = settings[COMPLIANCE] / h**2 / weight[i]
        soft[d * i] = give
        for a in range(1, d):
            soft[d * i + a] = give if model == BOX else 0.0
    for i in range(m):
        q[i] += along[i]
    ys, yc, yv = np.arange(m + 1) * n, np.empty(m * n, dtype=np.int64), np.zeros(m * n)
    for i in range(m):
        y = yv[n * i : n * (i + 1)]
        for s in range(js[i], js[i + 1]):
            y[jc[s]] = jv[s]
        solve_blocks(problem.schedule, w.A, w.inverse, y)
        for j in range(n):
            y[j] /= h**2
            yc[n * i + j] = j
    W = np.empty((m, m))
    for i in range(m):
        for j in range(m):
            total = 0.0
            for s in range(js[j], js[j + 1]):
                total += jv[s] * yv[n * i + jc[s]]
            W[j, i] = total
    for i in range(m):
        for j in range(i):
            W[i, j] = W[j, i] = 0.5 * (W[i, j] + W[j, i])
        W[i, i] += soft[i]
    _start(touch, now, h, pair, point, axes, p)
    if not _solve(touch.settings, touch.attempts, W, q, d, gap, before, mu, weight, h, js, jc, jv, n, p, out):
        return False
    for i in range(m):
        if p[i] != 0.0:
            for j in range(n):
                v[j] += p[i] * yv[n * i + j]
    if settings[STABILISE] > 0.0:
        _move_out(d, js, jc, jv, ys, yc, yv, gap, settings[LEAST], motion)
    return True


@kernel
def _start(touch, now, h, pair, point, axes, p):
    """Impulses of the step before: forces that last, over this step."""
    d = axes.shape[1]
    for i in range(pair.size):
        head = touch.pairs[pair[i]]
        kept = now.touch[touch.memory[FORCES] + head[FIRST_FORCE] + head[REPORTED] * point[i] :]
        for a in range(d if head[REPORTED] > 1 else 1):
            total = 0.0
            if head[REPORTED] > 1:
                for b in range(d):
                    total += axes[i, a, b] * kept[b]
            else:
                total = kept[0]
            p[d * i + a] = -h * total
        p[d * i] = max(p[d * i], 0.0)


@kernel
def _solve(settings, attempts, W, q, d, gap, before, mu, weight, h, js, jc, jv, n, p, out):
    """Impulses by the model; out: error, iterations, how it ended. False where Python has to find them."""
    k, model, tolerance = gap.size, int(settings[MODEL]), settings[TOLERANCE]
    normal, of, table = rows_of_contacts(k, d)
    r, u = projection_factors(W, table), np.empty(q.size)
    count, status = 1, 0
    if model == CONE:
        count, error = cone_steps(W, q, normal, of, table, mu, r, attempts, p, tolerance)
        if not error <= tolerance:
            return False
        share_impulses(W, q, d, normal, of, table, mu, r, js, jc, jv, n, weight, max(tolerance, error), p)
        sweep_after(W, q, normal, of, table, mu, r, p, tolerance)
    elif model == BOX:
        count, status = box_pivots(W, q, normal, of, table, mu, p)
        if status == FAILED:
            return False
    elif model == POLYHEDRAL:
        count, status = polyhedral_pivots(W, q, normal, of, table, mu, DIRECTIONS, p)
    elif model == PROX:
        p[:] = 0.0
        base = r
        if settings[DENSITY] > 0.0:
            base = settings[DENSITY] * np.repeat(weight, d)
        goal = max(tolerance, 1e-8)
        count, status = prox_sweeps(
            W, q, normal, of, table, mu, base, settings[ZETA], settings[DECAY], 500, goal, p
        )  # fmt: skip
    elif not penalty_impulses(W, q, d, gap, before[:, 1:], mu, weight, h, settings[COMPLIANCE], settings[CREEP], p):
        return False
    times(W, q, p, u)
    out[0], out[1] = law_error(q, u, normal, of, table, mu, r, p), count
    if model == PROX and status == 0 and out[0] > 100.0 * goal:
        status = FAILED
    out[2] = status
    return True


@kernel
def _move_out(d, js, jc, jv, ys, yc, yv, gap, least, motion):
    """Motion by which points that are deeper inside than `least` [m] come out, by a short way in the metric of the step."""
    k, deepest = gap.size, 0.0
    for i in range(k):
        deepest = min(deepest, gap[i])
    if deepest >= -least:
        return
    n = motion.size
    ns, count = np.zeros(k + 1, dtype=np.int64), 0
    for i in range(k):
        count += js[d * i + 1] - js[d * i]
        ns[i + 1] = count
    nc, nv = np.empty(count, dtype=np.int64), np.empty(count)
    zs, zc, zv = np.arange(k + 1) * n, np.empty(k * n, dtype=np.int64), np.empty(k * n)
    for i in range(k):
        for s in range(ns[i + 1] - ns[i]):
            nc[ns[i] + s], nv[ns[i] + s] = jc[js[d * i] + s], jv[js[d * i] + s]
        for j in range(n):
            zc[n * i + j], zv[n * i + j] = j, yv[n * d * i + j]
    soft, turning, none = np.zeros(k), np.zeros((0, 3), dtype=np.int64), np.zeros(0)
    W = np.empty((k, 1, 1))
    own_blocks(1, k, ns, nc, nv, zs, zc, zv, soft, W)
    many = 1 if k > FEW else 0
    sweep_bodies(
        1, ns, nc, nv, zs, zc, zv, W, soft, gap, soft, soft, turning, none, gap, np.zeros(k), motion, NEARLY_OUT[many],
        MOVING_OUT[many],
    )  # fmt: skip


@kernel
def _remember(touch, now, after, h, pair, point, gap, axes, p, out):
    """Forces and impulses of all points for the next step and for results, and how well the problem was solved."""
    at, d, memory = touch.memory, axes.shape[1], after.touch
    for i in range(at[IMPULSES], at[MEANS]):
        memory[i] = 0.0
    for i in range(pair.size):
        head = touch.pairs[pair[i]]
        to = at[IMPULSES] + head[FIRST_FORCE] + head[REPORTED] * point[i]
        if head[REPORTED] > 1:
            for b in range(d):
                for a in range(d):
                    memory[to + b] -= axes[i, a, b] * p[d * i + a]
        else:
            memory[to] = -p[d * i]
        memory[at[DEPTHS] + pair[i]] = max(memory[at[DEPTHS] + pair[i]], -gap[i])
    for i in range(at[IMPULSES] - at[FORCES]):
        force = memory[at[IMPULSES] + i] / h
        memory[at[MEANS] + i] = 0.5 * (now.touch[at[FORCES] + i] + force)
        memory[at[FORCES] + i] = force
    memory[at[ERROR]] = out[0]
    if out[2] > 0.0:
        memory[at[UNSOLVED]] += 1.0
