"""Rigid shapes against each other in the equations: `contact/shape_pair.py` and `contact/collision_pair.py`, point by point.

The coordinates of a point are its gap and the slip along e₁ and e₂, so its condition is that of a point over a plane whose
normal is the first axis. What is known of a contact point, and how it moves over both bodies, is that of `shapes.py`.
"""

from condyle.geometry.touching import GAP, IN_A, IN_B
from condyle.geometry.touching import NORMAL as AXES
from condyle.laws.column_types import numba_type
from condyle.laws.kernel import kernel, separate
from condyle.system.signatures import count, f1, f2, flag, number, several
from condyle.system.touching.answers import answered, note_rate
from condyle.system.touching.conditions import CONSERVING, END, MEAN
from condyle.system.touching.curves import MEANS, OPEN, SOFT
from condyle.system.touching.meeting_places import ALL_NEW, NOTHING_NEW, OPEN_GAP, find_points, note_gaps, place_bodies
from condyle.system.touching.shapes import body_changes, point_lifts, point_rates, point_stiffness, take_sides, way
from condyle.system.touching.tables import (
    CHANGED,
    COUPLED,
    EACH,
    EXTENT,
    F_END,
    F_MEAN,
    LATER,
    NORMAL,
    RATED,
    SLIP_AFTER,
    START,
    TEST,
    F,
    Touching,
)

TOUCHING = numba_type(Touching)


@separate(count(TOUCHING, several(f2, 4), number, count, number, number, flag, f1, f1, several(f1, 2), f1))
def add_meeting(touch, motion, h, where, weight, damping, tangent, memory, multipliers, held, A):
    """Add all points of shapes to forces on rows, residuals and (if tangent) the matrix; are some of them means of the step?"""
    m, means = touch.meeting, 0
    x0, x1, middle, v = motion
    c, c_scale = held
    if tangent and m.apart:
        _forget_products(touch)
    for k in range(m.span.shape[0]):
        if m.span[k, EACH] > 0 and (where == CONSERVING or (where == MEAN and touch.pairs[k, MEANS] > 0.0)):
            means = 1
    place_bodies(m, x1, LATER)
    if find_points(touch, LATER, ALL_NEW) > 0:
        place_bodies(m, x0, START)
        find_points(touch, START, NOTHING_NEW)
        note_gaps(touch)
    if means:
        place_bodies(m, middle, TEST)
        find_points(touch, TEST, NOTHING_NEW)
    for k in range(m.span.shape[0]):
        if m.span[k, EACH] == 0:
            continue
        p = touch.pairs[k]
        at_mid = where == CONSERVING or (where == MEAN and p[MEANS] > 0.0)
        at, taken = (TEST, where) if at_mid else (LATER, END)
        for i in range(touch.first[k], touch.first[k + 1]):
            if not (m.there[LATER, i] and m.there[at, i]):
                _leave_open(touch, i, p, m.reach[k, EXTENT], multipliers, c, c_scale, tangent, A)
                continue
            if touch.flags[RATED]:
                meeting_rates(touch, i, LATER, v, touch.answer.step, touch.answer.spare[0])
                note_rate(touch, i, touch.answer.step, touch.found[NORMAL, i])
            status = _answer(
                touch, i, p, m.reach[k, EXTENT], h, taken, at, damping if taken == MEAN else 0.0, memory, multipliers, c,
                c_scale,
            )  # fmt: skip
            touch.flags[CHANGED] |= int(status != touch.status[i])
            touch.status[i] = status
            if status == OPEN:
                if tangent:
                    _put_own(touch, i, A)
                continue
            _push(touch, i, at, weight if at_mid else 1.0, touch.stiffness[i] * touch.size, 3 if at_mid else 0)
            if tangent:
                _add_block(
                    touch, i, middle if at_mid else x1, x1, at, 0.5 if at_mid else 1.0, weight if at_mid else 1.0, A
                )
    return means


@kernel
def _leave_open(touch, i, p, extent, multipliers, c, c_scale, tangent, A):
    """A place without a point: no force, multipliers stand alone."""
    a, d = touch.answer, touch.slid.shape[1]
    if touch.gap[i] == OPEN_GAP * extent and touch.multiplier[i + 1] == touch.multiplier[i]:
        return  # as it was left
    touch.flags[CHANGED] |= int(touch.status[i] != OPEN)
    touch.status[i], touch.gap[i] = OPEN, OPEN_GAP * extent
    touch.recent[i, 0], touch.recent[i, 1] = 0.0, 0.0
    for j in range(d):
        touch.found[F, i, j], touch.found[SLIP_AFTER, i, j] = 0.0, 0.0
        if p[SOFT] > 0.0:
            touch.found[F_MEAN, i, j], touch.found[F_END, i, j] = 0.0, 0.0
    first = touch.multiplier[i]
    many = touch.multiplier[i + 1] - first
    for k in range(many):
        c[first + k], c_scale[first + k] = -multipliers[first + k] / touch.stiffness[i], touch.size
        for j in range(many):
            a.residual_by_multiplier[k, j] = -1.0 / touch.stiffness[i] if k == j else 0.0
    if tangent and many:
        _put_own(touch, i, A)


@kernel
def _answer(touch, i, p, extent, h, where, at, damping, memory, multipliers, c, c_scale):
    """The condition of a point that is there, with the force whose work is that of the gap; returns its status.

    `sides.small` keeps the way of the material points in the axes of the point, the force before it is bent, and by how much.
    """
    m, a, d = touch.meeting, touch.answer, touch.slid.shape[1]
    point, w = m.points[at, i], m.sides.small[4, 0]
    A, B = m.bodies[i, 0], m.bodies[i, 1]
    way(point, m.frames[START, A], m.frames[LATER, A], m.frames[START, B], m.frames[LATER, B], w)
    along, base = m.sides.small[5, 0], m.sides.small[5, 1]
    for j in range(d):
        along[j] = 0.0
        for b in range(3):
            along[j] += point[AXES + 3 * j + b] * w[b]
    gap = m.points[LATER, i, GAP]
    before = m.points[START, i, GAP] if m.there[START, i] else gap - along[0]
    touch.gap[i] = gap
    for j in range(d):
        a.place[j], a.step[j] = 0.0, along[j] if j > 0 else 0.0
        first = 1.0 if j == 0 else 0.0
        a.normal[j], a.before[j], a.direction[j] = first, first, first
        for b in range(d):
            a.hessian[j, b], a.turning[j, b] = 0.0, 0.0
    status = answered(touch, i, p, gap, before, h, where, damping, memory, multipliers, c, c_scale)
    square, miss = 0.0, gap - before - along[0]
    for j in range(d):
        square += along[j] * along[j]
        base[j] = a.force[j]
    bent = 0.0
    if where != END and status != OPEN and abs(miss) > 1e-14 * extent and square > 1e-10 * extent * extent:
        bent = miss / square
        for j in range(d):
            more = bent * along[j]
            a.force[j] += more * base[0]
            touch.found[F, i, j] = a.force[j]
            if p[SOFT] > 0.0:
                touch.found[F_MEAN, i, j] += more * a.mean[0]
    m.sides.small[6, 0, 0] = bent
    return status


@kernel
def _push(touch, i, at, weight, level, where):
    """Forces of a point on the rows of its bodies, with their sizes and noise."""
    m, d = touch.meeting, touch.slid.shape[1]
    q, scale, noise = touch.forces[where], touch.forces[where + 1], touch.forces[where + 2]
    point, force = m.points[at, i], touch.answer.force
    for b in range(d):
        f = 0.0
        for j in range(d):
            f += weight * force[j] * point[AXES + 3 * j + b]
        for side in range(2):
            body, sign, zeta = m.bodies[i, side], -1.0 if side == 0 else 1.0, IN_A if side == 0 else IN_B
            for r in range(d + 1):
                row, value = m.rows[body, r], sign * f * (1.0 if r == 0 else point[zeta + r - 1])
                q[row, b] += value
                scale[row, b] += abs(value)
                noise[row, b] += weight * level


@kernel
def _put_own(touch, i, A):
    """What multipliers of a point have among each other."""
    n = touch.column_start[i + 1] - touch.column_start[i]
    many = touch.multiplier[i + 1] - touch.multiplier[i]
    slots, size = touch.slot[touch.slot_start[i] :], n + many
    for k in range(many):
        for j in range(many):
            A[slots[(n + k) * size + n + j]] += touch.answer.residual_by_multiplier[k, j]


@kernel
def _add_block(touch, i, test, x1, at, kappa, weight, A):
    """The matrix of a closed point."""
    m, a, d = touch.meeting, touch.answer, x1.shape[1]
    sides, nc = m.sides, m.column.shape[1]
    nu, bent, base = 2 * nc, m.sides.small[6, 0, 0], m.sides.small[5, 1]
    one, other = m.bodies[i, 0], m.bodies[i, 1]
    if bent != 0.0:  # before the force is bent: σ κ w turns with the way, which point_stiffness knows
        along = sides.small[5, 0]
        for j in range(d):
            for k in range(d):
                a.by_place[j, k] += bent * along[j] * a.by_place[0, k] if j > 0 else 0.0
            for k in range(touch.multiplier[i + 1] - touch.multiplier[i]):
                a.by_multiplier[j, k] += bent * along[j] * a.by_multiplier[0, k] if j > 0 else 0.0
        for k in range(d):
            a.by_place[0, k] *= 1.0 + bent * along[0]
        for k in range(touch.multiplier[i + 1] - touch.multiplier[i]):
            a.by_multiplier[0, k] *= 1.0 + bent * along[0]
    take_sides(sides, m.bodies[i], m.frames[at], m.poses[at], m.turning[at])
    for side in range(2):
        body, first = m.bodies[i, side], nc if side == 0 else 0
        body_changes(test, m.rows[body], m.kind[body], m.whole, first, sides.left[side])
        body_changes(x1, m.rows[body], m.kind[body], m.whole, first, sides.right[side])
    point_stiffness(
        d, m.points[at, i], m.points[LATER, i], sides, (m.frames[START, one], m.frames[START, other]),
        (m.frames[LATER, one], m.frames[LATER, other]), kappa, base, a.by_place, base[0], bent,
    )  # fmt: skip
    _put_products(touch, i, weight, A)
    many = touch.multiplier[i + 1] - touch.multiplier[i]
    if many == 0:
        return
    n = touch.column_start[i + 1] - touch.column_start[i]
    slots, size, live, point = touch.slot[touch.slot_start[i] :], n + many, 0, m.points[at, i]
    for u in range(nu):
        if _column(m, i, u) < 0:
            continue
        for k in range(many):
            column = line = 0.0
            for j in range(d):
                lift = 0.0
                for b in range(3):
                    lift += sides.lines[2, b, u] * point[AXES + 3 * j + b]
                column += lift * a.by_multiplier[j, k]
                line += a.residual_by_place[k, j] * sides.gradient[j, u]
            A[slots[live * size + n + k]] += column
            A[slots[(n + k) * size + live]] += line
        live += 1
    _put_own(touch, i, A)


@kernel
def _put_products(touch, i, weight, A):
    """The products of the unknowns of both bodies of a place: in the matrix, or those of one with the other apart."""
    m, K, c = touch.meeting, touch.meeting.sides.stiffness, touch.meeting.home[i, 0]
    nc = m.column.shape[1]
    for side in range(2):
        own, first = m.own[m.bodies[i, 1 - side]], nc * side
        for u in range(nc):
            for v in range(nc):
                if own[u * nc + v] >= 0:
                    A[own[u * nc + v]] += weight * K[first + u, first + v]
    if not m.apart:
        entry = m.entry[c]
        for side in range(2):
            first, other = nc * side, nc - nc * side
            for u in range(nc):
                for v in range(nc):
                    at = entry[(nc * side + u) * nc + v]
                    if at >= 0:
                        A[at] += weight * K[first + u, other + v]
    elif m.column[m.bodies[i, 0], 0] >= 0 and m.column[m.bodies[i, 1], 0] >= 0:  # both move
        product = m.product[_block_of(touch, c)]
        for side in range(2):
            first, other = nc * side, nc - nc * side
            for u in range(nc):
                for v in range(nc):
                    product[(nc * side + u) * nc + v] += weight * K[first + u, other + v]


@kernel
def _block_of(touch, c):
    """The block of products of a couple, made of zeros if it has none."""
    m = touch.meeting
    if m.block[c] < 0:
        b = touch.flags[COUPLED]
        touch.flags[COUPLED], m.block[c], m.coupled[b] = b + 1, b, c
        for k in range(m.product.shape[1]):
            m.product[b, k] = 0.0
    return m.block[c]


@kernel
def _forget_products(touch):
    """Nothing is coupled apart from the matrix."""
    m = touch.meeting
    for b in range(touch.flags[COUPLED]):
        m.block[m.coupled[b]] = -1
    touch.flags[COUPLED] = 0


@kernel
def _column(m, i, u):
    """Where unknown u of a place stands in a vector, −1 if there is none: those of B, then of A."""
    nc = m.column.shape[1]
    return m.column[m.bodies[i, 1], u] if u < nc else m.column[m.bodies[i, 0], u - nc]


# --- rates and forces -------------------------------------------------------------------------------------------------


@separate(count(TOUCHING, count, count, f2, f1, f1))
def meeting_rates(touch, i, at, v, rate, bend):
    """Rates of gap and slip of a place (d,), and how they change at constant velocities of the rows; 0 where no point is."""
    m, d = touch.meeting, v.shape[1]
    for j in range(d):
        rate[j], bend[j] = 0.0, 0.0
    if not m.there[at, i]:
        return 0
    take_sides(m.sides, m.bodies[i], m.frames[at], m.poses[at], m.turning[at])
    for side in range(2):
        for r in range(4):
            for b in range(3):
                moves = r <= d and b < d
                m.sides.speeds[side, r, b, 0] = v[m.rows[m.bodies[i, side], r], b] if moves else 0.0
    point_rates(d, m.points[at, i], m.sides, rate, bend)
    return 1


@separate(count(TOUCHING, count, f2, f2))
def meeting_lifts(touch, i, x, out):
    """What forces along n, e₁, e₂ at the end of the step work on, by the unknowns that there are; how many these are."""
    m, d, sides = touch.meeting, x.shape[1], touch.meeting.sides
    nc, live, point = m.column.shape[1], 0, m.points[LATER, i]
    for side in range(2):
        body = m.bodies[i, side]
        body_changes(x, m.rows[body], m.kind[body], m.whole, nc if side == 0 else 0, sides.left[side])
    point_lifts(point, sides.left, sides.lines[2])
    for u in range(2 * nc):
        if _column(m, i, u) < 0:
            continue
        for j in range(d):
            out[j, live] = 0.0
            for b in range(3):
                out[j, live] += sides.lines[2, b, u] * point[AXES + 3 * j + b]
        live += 1
    return live


@separate(count(TOUCHING, count, count, f2))
def push_meeting(touch, which, at, out):
    """out += forces on rows (n, d) of F_MEAN, F_END or F of all soft points of shapes, at a configuration."""
    m, d = touch.meeting, out.shape[1]
    for k in range(m.span.shape[0]):
        if m.span[k, EACH] == 0 or touch.pairs[k, SOFT] == 0.0:
            continue
        for i in range(touch.first[k], touch.first[k + 1]):
            if not m.there[at, i]:
                continue
            point, force = m.points[at, i], touch.found[which, i]
            for b in range(d):
                f = 0.0
                for j in range(d):
                    f += force[j] * point[AXES + 3 * j + b]
                for side in range(2):
                    body, sign, zeta = m.bodies[i, side], -1.0 if side == 0 else 1.0, IN_A if side == 0 else IN_B
                    for r in range(d + 1):
                        out[m.rows[body, r], b] += sign * f * (1.0 if r == 0 else point[zeta + r - 1])
    return 0
