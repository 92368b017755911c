"""What a point answers, with what it is taken for: the same for points against surfaces and for points where shapes meet."""

import numpy as np

from condyle.laws.kernel import kernel
from condyle.system.touching.conditions import END, held_open, held_rubbing, soft
from condyle.system.touching.curves import OVER_PIECES, RUB, SHUT, SLIP, SOFT, STICK, SURFACE
from condyle.system.touching.tables import F_END, F_MEAN, FORCED, FRESH, RATED, RECENT_AT, SLIP_AFTER, SLIP_AT, F

TOUCH = 1e-9  # of the size of the model, as of `contact/step.py`


@kernel
def answered(touch, i, p, gap, before, h, where, damping, memory, multipliers, c, c_scale):
    """The condition of point i, whose approach is in `touch.answer`, with what it is taken for; returns its status."""
    a, d = touch.answer, touch.slid.shape[1]
    taken = touch.taken[i]
    if touch.flags[FRESH] and abs(gap + touch.allowed[i]) <= TOUCH * touch.size:
        taken = SHUT
        if p[RUB] > 0.0 and _still(a.step, a.normal, TOUCH * touch.size):
            taken = STICK
    status = _respond(touch, i, p, gap, before, h, where, damping, memory, multipliers, taken)
    if p[RUB] > 0.0 and status == SLIP:
        # What slipped to one side and now slips to the other has passed where it sticks: see `contact/step.py`.
        back = 0.0
        for k in range(d):
            back += a.slip[k] * touch.slid[i, k]
        if back < 0.0:
            touch.flags[FORCED] = 1
            status = _respond(touch, i, p, gap, before, h, where, damping, memory, multipliers, STICK)
    for k in range(d):
        touch.found[F, i, k], touch.found[SLIP_AFTER, i, k] = a.force[k], a.slip[k]
        if p[SOFT] > 0.0:
            touch.found[F_MEAN, i, k], touch.found[F_END, i, k] = a.mean[k], a.end[k]
    first = touch.multiplier[i]
    for k in range(touch.multiplier[i + 1] - first):
        c[first + k], c_scale[first + k] = a.residual[k], touch.size
    return status


@kernel
def note_rate(touch, i, rate, normal):
    """How fast the gap of point i changes and the point slips, of ξ̇ and the normal (d,)."""
    leaving = square = 0.0
    for a in range(rate.size):
        leaving += rate[a] * normal[a]
    for a in range(rate.size):
        square += (rate[a] - leaving * normal[a]) ** 2
    touch.rate[i], touch.speed[i] = leaving, np.sqrt(square)


@kernel
def _still(step, normal, least):
    """Has a point not moved along the surface?"""
    along = square = 0.0
    for k in range(step.size):
        along += step[k] * normal[k]
    for k in range(step.size):
        square += (step[k] - along * normal[k]) ** 2
    return np.sqrt(square) <= least


@kernel
def _depth_rate(touch, i, gap, before, h):
    """ṡ [m/s] of point i and the step [s] that it is the mean of: without end where velocities say it, 0 in statics."""
    if touch.flags[RATED]:
        return -touch.rate[i], np.inf
    return -(gap - before) / h if h > 0.0 else 0.0, h


@kernel
def _respond(touch, i, p, gap, before, h, where, damping, memory, multipliers, taken):
    a, d, start = touch.answer, touch.slid.shape[1], touch.start
    if p[SOFT] > 0.0:
        slip = memory[start[SLIP_AT] + d * i : start[SLIP_AT] + d * i + d]
        if p[SURFACE] == OVER_PIECES:
            slip = touch.pieces.slip[i]
        recent = memory[start[RECENT_AT] + 2 * i : start[RECENT_AT] + 2 * i + 2]
        rate = _depth_rate(touch, i, gap, before, h)
        return soft(
            a, p, gap, before, rate, taken, where, h, touch.stiffness[i], touch.damping[i], touch.past[i], recent, slip,
            touch.speed[i], damping, touch.recent[i],
        )  # fmt: skip
    held = gap + touch.allowed[i]
    if where != END and touch.allowed[i] <= 0.0:
        held = gap - min(before, 0.0)
    first, r = touch.multiplier[i], touch.stiffness[i]
    if p[RUB] > 0.0:
        return held_rubbing(a, p, held, multipliers[first : first + d], r, touch.speed[i], taken)
    return held_open(a, held, multipliers[first], r, taken)
