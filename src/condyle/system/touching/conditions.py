"""What a condition answers at one point: force, residual of its multipliers, derivatives; as `soft.py` and `multipliers.py`.

Everything is in coordinates ξ of the target. `a` is the room of a point, see `Answer`.
"""

from typing import NamedTuple

import numpy as np

from condyle.laws.columns import Numbers, Numbers2, table
from condyle.laws.kernel import kernel
from condyle.system.touching.curves import (
    ALONG,
    OPEN,
    PULLS,
    RUB,
    SLIP,
    STICK,
    coefficient,
    end_press,
    mean_press,
    stiffness_along,
    traction,
)
from condyle.system.touching.curves import LINEAR as IS_LINEAR

END, CONSERVING, MEAN = 0, 1, 2  # where a method takes forces, as of `contact/response.py`


@table
class Answer(NamedTuple):
    """Room for one point. ξ1 and how it has changed; normals, Hessian and gaps at both ends; the direction D and ∂D/∂ξ."""

    place: Numbers
    step: Numbers
    normal: Numbers
    before: Numbers  # normal at the start of the step
    hessian: Numbers2
    direction: Numbers
    turning: Numbers2
    force: Numbers  # F
    by_place: Numbers2
    by_multiplier: Numbers2
    residual: Numbers
    residual_by_place: Numbers2
    residual_by_multiplier: Numbers2
    slip: Numbers
    mean: Numbers  # F as a mean over the step, of soft laws
    end: Numbers  # F at the end of the step, of soft laws
    spare: Numbers2  # (8, d)
    matrix: Numbers2  # (4 d, d)


def answer(d: int) -> Answer:
    """An empty one in d dimensions."""
    v, m = (lambda: np.zeros(d)), (lambda: np.zeros((d, d)))
    return Answer(
        v(), v(), v(), v(), m(), v(), m(), v(), m(), m(), v(), m(), m(), v(), v(), v(), np.zeros((8, d)),
        np.zeros((4 * d, d)),
    )  # fmt: skip


@kernel
def approach(a, gap, before, whole):
    """The direction D in which a gap is held open, and ∂D/∂ξ1: the normal, or the discrete gradient (`contact/response.py`)."""
    n, D, H, turning, step = a.normal, a.direction, a.hessian, a.turning, a.step
    d = n.size
    if not whole:
        for i in range(d):
            D[i] = n[i]
            for j in range(d):
                turning[i, j] = H[i, j]
        return
    size, square, miss = 0.0, 0.0, gap - before
    for i in range(d):
        D[i] = 0.5 * (a.before[i] + n[i])
        size = max(size, abs(a.place[i]))
        square += step[i] * step[i]
        miss -= D[i] * step[i]
        for j in range(d):
            turning[i, j] = 0.5 * H[i, j]
    # What is missing is of third order in the step: in a short one it is round-off, and so would be the correction.
    if not (abs(miss) > 1e-14 * (abs(gap) + abs(before) + size) and square > 1e-10 * size**2 and square > 0.0):
        return
    for j in range(d):
        by_miss = n[j] - D[j]
        for i in range(d):
            by_miss -= 0.5 * H[j, i] * step[i]
        a.spare[0, j] = by_miss
    for i in range(d):
        D[i] += miss * step[i] / square
        for j in range(d):
            bend = (1.0 if i == j else 0.0) - 2.0 * step[i] * step[j] / square
            turning[i, j] += step[i] / square * a.spare[0, j] + miss / square * bend


@kernel
def turned(n, H, v, out):
    """∂(T v)/∂ξ at constant v: −(n·v) H − n (H v)ᵀ."""
    d, along = n.size, 0.0
    for i in range(d):
        along += n[i] * v[i]
    for j in range(d):
        bend = 0.0
        for i in range(d):
            bend += H[j, i] * v[i]
        for i in range(d):
            out[i, j] = -along * H[i, j] - n[i] * bend


@kernel
def tangential(n, v, out):
    """out = T v."""
    along = 0.0
    for i in range(n.size):
        along += n[i] * v[i]
    for i in range(n.size):
        out[i] = v[i] - along * n[i]


@kernel
def soft(a, p, gap, before, rate, taken, where, h, k, b, past, recent, slip, speed, damping, number):
    """Status of a point of a soft law; fills `a`, and `number` with the change of its gap and the mean force of the step.

    rate = (ṡ, the step that it is the mean of): see `curves.end_press`.
    """
    d, n, D = a.normal.size, a.normal, a.direction
    at_end, slope = end_press(p, gap, rate[0], taken, rate[1], k, b, past[0], past[1])
    sigma, share, by_gap = at_end, 1.0, 0.0
    if where != END:
        sigma, slope, share, by_gap = mean_press(p, gap, before, taken, h, k, b, past[0], past[1], damping, recent[0])
    closed = taken > OPEN or (sigma < 0.0 if p[PULLS] == 0.0 else sigma != 0.0)
    status = SLIP if closed else OPEN
    for i in range(d):
        a.force[i], a.slip[i] = sigma * D[i], 0.0
        a.end[i] = at_end * n[i]
        for j in range(d):
            a.by_place[i, j] = sigma * a.turning[i, j] + slope * D[i] * n[j]
    k_along = stiffness_along(p, k)
    if p[RUB] > 0.0 and closed:
        slips = _rub(a, p, sigma, slope, taken, h, k_along, slip, speed)
        status = SLIP if slips else STICK
    number[0] = min(gap, 0.0) - min(before, 0.0) if gap < 0.0 else 0.0
    number[1] = sigma if gap < 0.0 else 0.0
    for i in range(d):
        a.mean[i] = a.force[i]
    if where == MEAN and damping > 0.0 and p[IS_LINEAR] > 0.0:
        # What moves the place: (1 + η) F − η (share of the step in contact) F of the last step.
        eta = damping if recent[1] < 0.0 and closed else 0.0
        for i in range(d):
            last = recent[1] * D[i] + (k_along * slip[i] if p[RUB] > 0.0 else 0.0)
            a.force[i] = (1.0 + eta) * a.force[i] - eta * share * last
            for j in range(d):
                by_last = share * recent[1] * a.turning[i, j] + by_gap * last * n[j]
                a.by_place[i, j] = (1.0 + eta) * a.by_place[i, j] - eta * by_last
    return status


@kernel
def _rub(a, p, sigma, slope, taken, h, k, slip, speed):
    """Add friction of a closed point to its force and derivative; does it slip?"""
    n, H, d = a.normal, a.hessian, a.normal.size
    along, elastic, rubbed, by_press = a.spare[0], a.spare[1], a.spare[2], a.spare[3]
    by_step, by_elastic = a.matrix[:d], a.matrix[d : 2 * d]
    T, turn = a.matrix[2 * d : 3 * d], a.matrix[3 * d : 4 * d]
    tangential(n, a.step, along)
    tangential(n, slip, elastic)
    slips = traction(p, along, elastic, -sigma, k, h, speed, taken, rubbed, by_step, by_elastic, by_press, a.slip)
    turned(n, H, a.step, T)
    turned(n, H, slip, turn)
    for i in range(d):
        for j in range(d):
            T[i, j] += (1.0 if i == j else 0.0) - n[i] * n[j]
    for i in range(d):
        a.force[i] += rubbed[i]
        a.end[i] += rubbed[i]
        for j in range(d):
            value = -by_press[i] * slope * n[j]
            for m in range(d):
                value += by_step[i, m] * T[m, j] + by_elastic[i, m] * turn[m, j]
            a.by_place[i, j] += value
    return slips


@kernel
def held_open(a, held, lam, r, taken):
    """Without friction: F = (λ + r g) D and g = 0 where λ + r g < 0, else F = 0 and λ = 0; returns the status."""
    d = a.normal.size
    sigma = lam + r * held
    closed = (sigma < 0.0 and taken != OPEN) or taken > OPEN
    for i in range(d):
        a.force[i] = sigma * a.direction[i] if closed else 0.0
        a.slip[i] = 0.0
        a.by_multiplier[i, 0] = a.direction[i] if closed else 0.0
        a.residual_by_place[0, i] = a.normal[i] if closed else 0.0
        for j in range(d):
            by = sigma * a.turning[i, j] + r * a.direction[i] * a.normal[j]
            a.by_place[i, j] = by if closed else 0.0
    a.residual[0] = held if closed else -lam / r
    a.residual_by_multiplier[0, 0] = 0.0 if closed else -1.0 / r
    return SLIP if closed else OPEN


@kernel
def held_rubbing(a, p, held, lam, r, speed, taken):
    """With Coulomb friction; λ is the whole force vector: see `contact/multipliers.py:augmented_friction`."""
    n, H, D, d = a.normal, a.hessian, a.direction, a.normal.size
    along, mu = p[ALONG] * r, coefficient(p, speed)
    w, tau, d_sigma, Tl, Ts = a.spare[0], a.spare[1], a.spare[2], a.spare[3], a.spare[4]
    d_tau, f_xi, f_lam, turn = a.matrix[:d], a.matrix[d : 2 * d], a.matrix[2 * d : 3 * d], a.matrix[3 * d : 4 * d]
    sigma = r * held
    for i in range(d):
        w[i] = lam[i] + along * a.step[i]
        sigma += n[i] * lam[i]
    closed = (sigma < 0.0 and taken != OPEN) or taken > OPEN
    if not closed:
        for i in range(d):
            a.force[i], a.slip[i], a.residual[i] = 0.0, 0.0, -lam[i] / r
            for j in range(d):
                a.by_place[i, j], a.by_multiplier[i, j], a.residual_by_place[i, j] = 0.0, 0.0, 0.0
                a.residual_by_multiplier[i, j] = -1.0 / r if i == j else 0.0
        return OPEN
    tangential(n, w, tau)
    size, bound = 0.0, -mu * sigma
    for i in range(d):
        size += tau[i] * tau[i]
        d_sigma[i] = r * n[i]
        for j in range(d):
            d_sigma[i] += H[i, j] * lam[j]
    size = np.sqrt(size)
    slips = taken != STICK and (size > bound or taken == SLIP)
    turned(n, H, w, d_tau)
    for i in range(d):
        for j in range(d):
            d_tau[i, j] += along * ((1.0 if i == j else 0.0) - n[i] * n[j])
    inverse = 1.0 / size if size > 0.0 else 0.0
    for i in range(d):
        e = tau[i] * inverse
        a.slip[i] = (bound * e if slips else tau[i]) / along
        for j in range(d):
            T = (1.0 if i == j else 0.0) - n[i] * n[j]
            f_xi[i, j], f_lam[i, j] = d_tau[i, j], T
            if slips:  # b e: ∂e = (1 − e eᵀ)/|τ| ∂τ
                by_xi = by_lam = 0.0
                for m in range(d):
                    across = ((1.0 if i == m else 0.0) - e * tau[m] * inverse) * inverse
                    by_xi += across * d_tau[m, j]
                    by_lam += across * ((1.0 if m == j else 0.0) - n[m] * n[j])
                f_xi[i, j] = bound * by_xi - mu * e * d_sigma[j]
                f_lam[i, j] = bound * by_lam - mu * e * n[j]
    tangential(n, lam, Tl)
    tangential(n, a.step, Ts)
    turned(n, H, lam if slips else a.step, turn)
    for i in range(d):
        f = along * a.slip[i]
        a.force[i] = sigma * D[i] + f
        a.residual[i] = held * n[i] + (-(Tl[i] - f) / along if slips else Ts[i])
        for j in range(d):
            T = (1.0 if i == j else 0.0) - n[i] * n[j]
            a.by_place[i, j] = sigma * a.turning[i, j] + D[i] * d_sigma[j] + f_xi[i, j]
            a.by_multiplier[i, j] = D[i] * n[j] + f_lam[i, j]
            normal_xi = n[i] * n[j] + held * H[i, j]
            a.residual_by_place[i, j] = normal_xi + (-(turn[i, j] - f_xi[i, j]) / along if slips else T + turn[i, j])
            a.residual_by_multiplier[i, j] = -(T - f_lam[i, j]) / along if slips else 0.0
    return SLIP if slips else STICK
