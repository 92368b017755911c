"""Contacts in the equations, point by point: forces on rows, and their derivatives straight into the places of a matrix.

ξ_i = d_i·(p − r). With U = ∂(p − r)/∂u, M_i = ∂d_i/∂u and V = Σ F_i M_i, the gradient of ξ is B_i = d_i·U + (p − r)·M_i,
and the tangent is B_tᵀ ∂F/∂ξ B_1 + κ (U_tᵀ V_1 + V_tᵀ U_1): see `contact/pair.py`.
"""

from condyle.laws.column_types import numba_type
from condyle.laws.kernel import kernel, separate
from condyle.system.assembly.maps import add_curvature, project
from condyle.system.assembly.whole import OUT
from condyle.system.signatures import ROWS, count, f1, f2, flag, number, several
from condyle.system.tables import DIRECTOR, FREE
from condyle.system.touching.answers import answered, note_rate
from condyle.system.touching.conditions import CONSERVING, END, MEAN, approach
from condyle.system.touching.curves import (
    MEANS,
    OF_SHAPES,
    OPEN,
    RADIUS,
    RUB,
    SLIP,
    SURFACE,
    UNDECIDED,
)
from condyle.system.touching.meeting import add_meeting, meeting_lifts
from condyle.system.touching.meeting_places import begin_meeting
from condyle.system.touching.over_pieces import add_over_pieces
from condyle.system.touching.pieces import are_pieces, begin_pieces
from condyle.system.touching.surfaces import distance
from condyle.system.touching.tables import (
    CHANGED,
    CHANGES,
    FORCED,
    FRESH,
    NORMAL,
    PLACE,
    RATED,
    SLIP_AFTER,
    Touching,
)


@kernel
def local_place(touch, i, x, out):
    """ξ of point i at x; returns where the rows of its directors begin."""
    d = x.shape[1]
    first, last = touch.row_start[i], touch.row_start[i + 1] - d
    for j in range(d):
        out[j] = 0.0
    for a in range(d):
        arm = 0.0
        for k in range(first, last):
            arm += touch.weight[k] * x[touch.row[k], a]
        for j in range(d):
            out[j] += arm * x[touch.row[last + j], a]
    return last


@kernel
def point_rate(touch, i, x, v, out):
    """ξ̇ of point i, which is none of shapes."""
    d = x.shape[1]
    first, last = touch.row_start[i], touch.row_start[i + 1] - d
    for j in range(d):
        out[j] = 0.0
    for a in range(d):
        arm = rate = 0.0
        for k in range(first, last):
            arm += touch.weight[k] * x[touch.row[k], a]
            rate += touch.weight[k] * v[touch.row[k], a]
        for j in range(d):
            row = touch.row[last + j]
            out[j] += rate * x[row, a] + arm * v[row, a]


@kernel(forceinline=True)
def is_of_shapes(touch, pair):
    """Is a pair between rigid shapes, rather than of points against a surface?"""
    return touch.pairs[pair, SURFACE] == OF_SHAPES


@kernel(forceinline=True)
def has_surface(touch, pair):
    """Is a pair of points against a surface that a rigid body carries?"""
    return touch.pairs[pair, SURFACE] >= 0.0


@kernel
def pair_surface(touch, pair):
    """The numbers of the surface of a pair."""
    return touch.surface[int(touch.pairs[pair, SURFACE]) :]


@kernel
def gaps_at(touch, x, places, gaps, normals, hessian, way):
    """Places ξ, gaps and normals of all points over surfaces at x; hessian, way: room."""
    for pair in range(touch.first.size - 1):
        if not has_surface(touch, pair):
            continue
        first, last = touch.first[pair], touch.first[pair + 1]
        surface, radius = pair_surface(touch, pair), touch.pairs[pair, RADIUS]
        body = _middle(touch, first, last, x, places)
        for i in range(first, last):
            _towards(body, places[i], way)
            gaps[i] = distance(surface, places[i], way, normals[i], hessian) - radius


@kernel
def _middle(touch, first, last, x, places):
    """Places ξ of points; returns their mean, where their body is, as three numbers."""
    m0 = m1 = m2 = 0.0
    for i in range(first, last):
        local_place(touch, i, x, places[i])
        m0 += places[i, 0]
        m1 += places[i, 1]
        m2 += places[i, 2] if x.shape[1] == 3 else 0.0
    n = last - first
    return m0 / n, m1 / n, m2 / n


@kernel(forceinline=True)
def _towards(body, place, way):
    """way = body − place."""
    way[0], way[1] = body[0] - place[0], body[1] - place[1]
    if way.size == 3:
        way[2] = body[2] - place[2]


@kernel
def begin_touching(touch, x0, v, h, kept):
    """Where points are as a step of h [s] begins at x0 and v; kept: what places of shapes remember of their points."""
    a = touch.answer
    if touch.meeting.on.size:
        begin_meeting(touch, x0, v, h, kept)
    gaps_at(touch, x0, touch.begin[0], touch.begin_gap, touch.begin[1], a.hessian, a.step)
    if are_pieces(touch):
        begin_pieces(touch, x0)
    for i in range(touch.pair.size):
        for k in range(x0.shape[1]):
            touch.slid[i, k] = 0.0
    touch.flags[CHANGES] = 0


@kernel
def add_touching(
    touch, rows, x0, x1, middle, v, h, where, weight, damping, tangent, memory, multipliers, c, c_scale, out, B
):
    """Add the contacts to residuals, their scales and (if tangent) the matrix B of an iterate.

    where: END, CONSERVING, or MEAN for soft laws between bodies with inertia, whose forces then count with `weight`. v:
    velocities at x1 that rates of soft laws belong to, or no rows where rates are those of the step. memory: as the step
    began; out: q, q_scale, q_noise, r, r_scale, r_noise, c, c_scale, A of the system.
    A and B are the same, or B has a pattern of its own, and what turns with a body goes into A.
    """
    q, q_scale, q_noise, r, r_scale, r_noise, held, held_scale, A = out
    _add_touching(
        touch, rows, (x0, x1, middle, v), h, where, weight, damping, tangent, memory, multipliers, (c, c_scale),
        (q, q_scale, q_noise, r, r_scale, r_noise, held, held_scale, A), B,
    )  # fmt: skip


@separate(
    count(
        numba_type(Touching), ROWS, several(f2, 4), number, count, number, number, flag, f1, f1, several(f1, 2), OUT, f1
    )
)
def _add_touching(touch, rows, motion, h, where, weight, damping, tangent, memory, multipliers, held, out, B):
    _, x1, middle, v = motion
    c, c_scale = held
    q, _, _, r, r_scale, r_noise, _, _, A = out
    forces, d = touch.forces, x1.shape[1]
    for k in range(6):
        for i in range(forces.shape[1]):
            for a in range(d):
                forces[k, i, a] = 0.0
    flags, places, normals = touch.flags, touch.found[PLACE], touch.found[NORMAL]
    flags[FORCED], flags[CHANGED], flags[RATED] = 0, 0, 1 if v.shape[0] else 0
    means = False
    for pair in range(touch.first.size - 1):
        first, last = touch.first[pair], touch.first[pair + 1]
        if not has_surface(touch, pair):
            continue
        p = touch.pairs[pair]
        at_mid = where == CONSERVING or (where == MEAN and p[MEANS] > 0.0)
        means = means or at_mid
        body = _middle(touch, first, last, x1, places)
        for i in range(first, last):
            _towards(body, places[i], touch.answer.step)
            gap = distance(pair_surface(touch, pair), places[i], touch.answer.step, normals[i], touch.answer.hessian)
            touch.gap[i] = gap - p[RADIUS]
            at = where if at_mid else END
            if flags[RATED]:
                point_rate(touch, i, x1, v, touch.answer.step)
                note_rate(touch, i, touch.answer.step, normals[i])
            status = _answer(touch, i, p, h, at, damping if at == MEAN else 0.0, memory, multipliers, c, c_scale)
            flags[CHANGED] |= int(status != touch.status[i])
            touch.status[i] = status
            _add(
                touch, i, middle if at_mid else x1, x1, 0.5 if at_mid else 1.0, weight if at_mid else 1.0, tangent,
                3 if at_mid else 0, B,
            )  # fmt: skip
    if touch.meeting.on.size:
        found = add_meeting(touch, motion, h, where, weight, damping, tangent, memory, multipliers, held, B)
        means = means or found > 0
    if are_pieces(touch):
        found = add_over_pieces(touch, rows, motion, h, where, weight, damping, tangent, memory, multipliers, held, B)
        means = means or found > 0
    flags[CHANGES] += flags[CHANGED]
    for k in range(2):
        if k == 1 and not means:
            continue
        at, factor = 3 * k, 1.0 / weight if k == 1 else 1.0
        for i in range(q.shape[0]):
            for a in range(d):
                q[i, a] += factor * forces[at, i, a]
        test = middle if k == 1 else x1
        project(rows, test, forces[at], forces[at + 1], forces[at + 2], r, r_scale, r_noise)
        if tangent:
            add_curvature(rows, forces[at], x1, 0.5 if k == 1 else 1.0, A)
    return 0


@kernel
def _answer(touch, i, p, h, where, damping, memory, multipliers, c, c_scale):
    """The condition of point i; returns its status."""
    a, d = touch.answer, touch.slid.shape[1]
    gap, before, place = touch.gap[i], touch.begin_gap[i], touch.found[PLACE, i]
    for k in range(d):
        a.place[k] = place[k]
        a.step[k] = place[k] - touch.begin[0, i, k]
        a.normal[k] = touch.found[NORMAL, i, k]
        a.before[k] = touch.begin[1, i, k]
    approach(a, gap, before, where != END)
    return answered(touch, i, p, gap, before, h, where, damping, memory, multipliers, c, c_scale)


@kernel
def _add(touch, i, test, x1, kappa, weight, tangent, at, A):
    """Forces of point i on its rows, with their sizes and noise; its part of the matrix."""
    if touch.status[i] == OPEN:
        if tangent:
            _put_open(touch, i, A)
        return
    a, d = touch.answer, x1.shape[1]
    last = touch.row_start[i + 1] - d
    q, scale, noise = touch.forces[at], touch.forces[at + 1], touch.forces[at + 2]
    level = weight * touch.stiffness[i] * touch.size
    for b in range(d):
        along = arm = 0.0
        for j in range(d):
            along += a.force[j] * test[touch.row[last + j], b]
        for k in range(touch.row_start[i], last):
            row, w = touch.row[k], touch.weight[k]
            arm += w * test[row, b]
            q[row, b] += weight * w * along
            scale[row, b] += abs(weight * w * along)
            noise[row, b] += abs(w) * level
        for j in range(d):
            row = touch.row[last + j]
            q[row, b] += weight * a.force[j] * arm
            scale[row, b] += abs(weight * a.force[j] * arm)
    if tangent:
        _add_block(touch, i, test, x1, kappa, weight, A)


@kernel
def _put_open(touch, i, A):
    """Multipliers of an open point stand alone."""
    m = touch.multiplier[i + 1] - touch.multiplier[i]
    n = touch.column_start[i + 1] - touch.column_start[i]
    for k in range(m):
        for j in range(m):
            A[touch.slot[touch.slot_start[i] + (n + k) * (n + m) + n + j]] += touch.answer.residual_by_multiplier[k, j]


@kernel
def gradients(touch, i, x, force, U, V, B):
    """U, V, B of point i at x, each (d, unknowns); of shapes only B."""
    d = x.shape[1]
    if is_of_shapes(touch, touch.pair[i]):
        return meeting_lifts(touch, i, x, B)
    n = touch.column_start[i + 1] - touch.column_start[i]
    first, end = touch.row_start[i], touch.row_start[i + 1]
    last = end - d
    for b in range(d):
        for u in range(n):
            U[b, u] = V[b, u] = B[b, u] = 0.0
    for k in range(first, last):
        if touch.local[k] >= 0:
            _put_map(touch.kind[k], x, touch.row[k], touch.weight[k], touch.local[k], U)
    for j in range(d):
        k = last + j
        if touch.local[k] >= 0:
            _put_map(touch.kind[k], x, touch.row[k], force[j], touch.local[k], V)
    for b in range(d):
        arm = 0.0
        for k in range(first, last):
            arm += touch.weight[k] * x[touch.row[k], b]
        for j in range(d):
            director = x[touch.row[last + j], b]
            for u in range(n):
                B[j, u] += director * U[b, u]
            if touch.local[last + j] >= 0:
                _put_arm(touch.kind[last + j], x, touch.row[last + j], b, arm, touch.local[last + j], B[j])
    return n


@kernel
def _put_map(kind, x, row, factor, at, out):
    """out[:, at:] += factor ∂(row)/∂(its unknowns)."""
    d = x.shape[1]
    if kind == FREE:
        for b in range(d):
            out[b, at + b] += factor
    elif d == 2:
        out[0, at] -= factor * x[row, 1]
        out[1, at] += factor * x[row, 0]
    else:  # δd = δθ × d
        y0, y1, y2 = factor * x[row, 0], factor * x[row, 1], factor * x[row, 2]
        out[0, at + 1] += y2
        out[0, at + 2] -= y1
        out[1, at + 2] += y0
        out[1, at] -= y2
        out[2, at] += y1
        out[2, at + 1] -= y0


@kernel
def _put_arm(kind, x, row, b, arm, at, out):
    """out[at:] += component b of p − r times that of ∂(row)/∂(its unknowns)."""
    d = x.shape[1]
    if kind == FREE:
        out[at + b] += arm
    elif kind == DIRECTOR and d == 2:
        out[at] += arm * (-x[row, 1] if b == 0 else x[row, 0])
    elif kind == DIRECTOR:
        j, m = (b + 1) % 3, (b + 2) % 3
        out[at + j] += arm * x[row, m]
        out[at + m] -= arm * x[row, j]


@kernel
def _add_block(touch, i, test, x1, kappa, weight, A):
    """The matrix of a closed point."""
    a, d, maps, block = touch.answer, x1.shape[1], touch.maps, touch.block
    n = gradients(touch, i, x1, a.force, maps[0], maps[1], maps[2])
    U1, V1, B1, Ut, Vt, Bt = maps[0], maps[1], maps[2], maps[0], maps[1], maps[2]
    if kappa != 1.0:
        gradients(touch, i, test, a.force, maps[3], maps[4], maps[5])
        Ut, Vt, Bt = maps[3], maps[4], maps[5]
    m = touch.multiplier[i + 1] - touch.multiplier[i]
    size = n + m
    G = maps[6]  # ∂F/∂ξ B_1
    for j in range(d):
        for u in range(n):
            G[j, u] = 0.0
        for k in range(d):
            for u in range(n):
                G[j, u] += weight * a.by_place[j, k] * B1[k, u]
    bent = kappa * weight
    for v in range(n):
        for u in range(n):
            value = 0.0
            for j in range(d):
                value += Bt[j, v] * G[j, u] + bent * (Ut[j, v] * V1[j, u] + Vt[j, v] * U1[j, u])
            block[v, u] = value
        for k in range(m):
            value = other = 0.0
            for j in range(d):
                value += Bt[j, v] * a.by_multiplier[j, k]
                other += a.residual_by_place[k, j] * B1[j, v]
            block[v, n + k], block[n + k, v] = value, other
    for k in range(m):
        for j in range(m):
            block[n + k, n + j] = a.residual_by_multiplier[k, j]
    slots = touch.slot[touch.slot_start[i] :]
    for v in range(size):
        for u in range(size):
            A[slots[v * size + u]] += block[v, u]


@kernel
def keep_iterate(touch):
    """The iterate is gone on from: points are no longer taken for anything, and what slips is remembered."""
    touch.flags[FRESH] = 0
    for i in range(touch.pair.size):
        touch.taken[i] = UNDECIDED
        slips = touch.pairs[touch.pair[i], RUB] > 0.0 and touch.status[i] == SLIP
        for k in range(touch.slid.shape[1]):
            touch.slid[i, k] = touch.found[SLIP_AFTER, i, k] if slips else 0.0
