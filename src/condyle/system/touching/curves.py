"""Soft laws and friction at one point: the formulas of `contact/laws`, by the numbers that a law leaves in a table."""

import numpy as np

from condyle.laws.kernel import kernel
from condyle.system.touching.tabulated import tabulated

NODES, WEIGHTS = np.polynomial.legendre.leggauss(24)

# What is known of a pair. Is it soft, is it linear, may it pull, does it remember, does it act as a mean over the step in
# methods that balance its end; exponent n, K, dent of the way out; a = χ v₀/K and the least v₀; has it a dashpot.
SOFT, LINEAR, PULLS, REMEMBERS, MEANS, EXPONENT, STIFF, DENT, FACTOR, SLOWEST, DASHPOT = range(11)
# Its friction: kind; coefficient, static one and the speed at which that is gone (0: it does not change); stiffness along
# over that across, or as given; creep of a regularised law; σ₀, σ₁, σ₂ of the LuGre model.
RUB, MU, STATIC, SPEED, RATIO, BRISTLES, CREEP, SIGMA_0, SIGMA_1, SIGMA_2 = range(11, 21)
# Radius of the points; forces that are kept of a point; regularisation along over that across; first number of the surface;
# depth [m] at which Python has something to say.
RADIUS, REPORTED, ALONG, SURFACE, LIMIT = range(21, 26)
# Is F = k s with the stiffness k that was chosen; χ and m of a dashpot χ s^m, or χ k s^m where k was chosen; has it
# a switch, where and how steep (0: a jump), and does it press by |s|; entries of a table, and has that a way out of its own;
# q − 1 of a dashpot by |ṡ|^(q − 1) ṡ.
CHOSEN, CHI, CHI_EXPONENT, SWITCHED, SWITCH_AT, STEEPNESS, MAGNITUDE, ENTRIES, UNLOADS, GROWS = range(26, 36)
STILL = 36  # does it press a quasi-static body, so that its forces are those of balance and nothing strikes?
ELASTIC = 37  # do bodies that deform take part?
STRIKES = 38  # do its points strike where multipliers hold them and they close anew?
PAIR = 39  # then a table: depths, force and area of the way in, force and area of the way out
# What stands for the number of the surface where there is none: rigid shapes meet, points are over pieces that deform.
OF_SHAPES, OVER_PIECES = -1.0, -2.0
NO_FRICTION, RETURNED, REGULARISED, LUGRE = range(4)
SAME = 1e-6  # as of `contact/laws/law.py`
OPEN, STICK, SLIP = 0, 1, 2
UNDECIDED, SHUT = -1, 3


@kernel
def power(s, n):
    """∫ sⁿ ds, sⁿ and its slope, 0 outside."""
    if not s > 0.0:
        return 0.0, 0.0, 0.0
    if n == 1.0:
        return 0.5 * s * s, s, 1.0
    value = s**n
    return value * s / (n + 1.0), value, n * value / s


@kernel
def elastic(p, s, deepest, k):
    """ψ, F and its slope at the depth s [m]; k: the stiffness that was chosen."""
    if p[SWITCHED] > 0.0:
        return _switched(p, True, s, deepest, 0.0, k, 0.0)
    return _elastic(p, s, deepest, k)


@kernel
def _elastic(p, s, deepest, k):
    if p[CHOSEN] > 0.0:
        whole, value, slope = power(s, 1.0)
        return k * whole, k * value, k * slope
    if p[ENTRIES] > 0.0:
        return tabulated(p[PAIR:], int(p[ENTRIES]), p[UNLOADS] > 0.0, s, deepest)
    n, stiff = p[EXPONENT], p[STIFF]
    loaded = power(s, n)
    if p[DENT] < 0.0 or not deepest > 0.0:
        return stiff * loaded[0], stiff * loaded[1], stiff * loaded[2]
    inner, top = (1.0 - p[DENT]) * deepest, stiff * deepest**n
    if s < deepest:
        out = power((s - p[DENT] * deepest) / inner, n)
        return top * inner * out[0], top * out[1], top / inner * out[2]
    corner = power(deepest, n)
    return stiff * (loaded[0] - corner[0]) + top * inner / (n + 1.0), stiff * loaded[1], stiff * loaded[2]


@kernel
def damped(p, s, speed, k, b):
    """∫ c ds, c and its slope; k, b: stiffness and damping that were chosen, speed: at which the point came in."""
    if p[SWITCHED] > 0.0:
        return _switched(p, False, s, 0.0, speed, k, b)
    return _damped(p, s, speed, k, b)


@kernel
def _damped(p, s, speed, k, b):
    if p[DASHPOT] > 0.0:
        return (b * s, b, 0.0) if s > 0.0 else (0.0, 0.0, 0.0)
    chi, exponent = p[CHI], p[CHI_EXPONENT]
    if p[FACTOR] > 0.0:
        chi, exponent = p[FACTOR] * p[STIFF] / max(speed, p[SLOWEST]), p[EXPONENT]
    elif p[CHOSEN] > 0.0:
        chi *= k
    if chi == 0.0:
        return 0.0, 0.0, 0.0
    whole, value, slope = power(s, exponent)
    return chi * whole, chi * value, chi * slope


@kernel
def _of_rate(p, rate):
    """|ṡ|^(q − 1) and its derivative by ṡ, as `contact/laws/law.py:ContactLaw.of_rate`."""
    if p[GROWS] == 0.0:
        return 1.0, 0.0
    grown = abs(rate) ** p[GROWS]
    if rate == 0.0:
        return grown, 0.0
    return grown, p[GROWS] * grown / rate


@kernel
def _switched(p, presses, s, deepest, speed, k, b):
    """A curve times ½ + arctan(κ (reach + s))/π, as `contact/laws/smooth_switch.py`; presses: F, else the dashpot."""
    value, slope = _switch_at(p, presses, s, deepest, speed, k, b)
    near, reach = 10.0 / p[STEEPNESS] if p[STEEPNESS] > 0.0 else 0.0, p[SWITCH_AT]
    edges = np.array([0.0, -reach - 100.0 * near, -reach - near, -reach, -reach + near, np.inf])
    edges.sort()
    whole = 0.0
    for i in range(5):  # the primitive from far outside, in pieces that grow away from the switch
        length = min(max(s, edges[i]), edges[i + 1]) - edges[i]
        if length > 0.0:
            for j in range(NODES.size):
                place = edges[i] + 0.5 * length * (1.0 + NODES[j])
                whole += 0.5 * length * WEIGHTS[j] * _switch_at(p, presses, place, deepest, speed, k, b)[0]
    return whole, value, slope


@kernel
def _switch_at(p, presses, s, deepest, speed, k, b):
    sign = -1.0 if p[MAGNITUDE] > 0.0 and s < 0.0 else 1.0
    _, value, slope = _elastic(p, sign * s, deepest, k) if presses else _damped(p, sign * s, speed, k, b)
    if p[STEEPNESS] == 0.0:
        return (value, sign * slope) if s > -p[SWITCH_AT] else (0.0, 0.0)
    z = p[STEEPNESS] * (p[SWITCH_AT] + s)
    H, by = 0.5 + np.arctan(z) / np.pi, p[STEEPNESS] / (np.pi * (1.0 + z * z))
    return H * value, H * sign * slope + by * value


@kernel
def end_press(p, gap, rate, taken, h, k, b, speed, deepest):
    """σ ≤ 0 at the end of a step and ∂σ/∂g1, as `contact/soft.py:end_press`.

    rate: ṡ [m/s]; h [s]: the step of which it is the mean, ∞ where it is known, 0 in statics.
    """
    _, press, slope = elastic(p, -gap, deepest, k)
    if taken > OPEN and p[LINEAR] > 0.0:
        slope = k
    if h > 0.0:
        _, c, by = damped(p, -gap, speed, k, b)
        grown, by_rate = _of_rate(p, rate)
        press, slope = press + c * grown * rate, slope + by * grown * rate + c * (grown + by_rate * rate) / h
    if p[PULLS] == 0.0:
        if not (press > 0.0 or taken > OPEN):
            slope = 0.0
        press = max(press, 0.0)
    return -press, slope


@kernel
def mean_press(p, gap, before, taken, h, k, b, speed, deepest, eta, last_change):
    """Mean σ over a step, ∂σ/∂g1, the share of it in contact and ∂/∂g1, as `contact/soft.py:mean_press`."""
    share, by_gap = 1.0, 0.0
    if p[LINEAR] > 0.0:
        sigma, slope, share, by_gap = damped_mean(gap, before, taken, k, eta, last_change)
    else:
        s0, s1 = -before, -gap
        first, last = elastic(p, s0, deepest, k), elastic(p, s1, deepest, k)
        if abs(s1 - s0) > SAME * max(abs(s0), abs(s1)):
            quotient = (last[0] - first[0]) / (s1 - s0)
            sigma, slope = -quotient, (last[1] - quotient) / (s1 - s0)
        else:
            middle = elastic(p, 0.5 * (s0 + s1), deepest, k)
            sigma, slope = -middle[1], 0.5 * middle[2]
    if h > 0.0:
        first, last = damped(p, -before, speed, k, b), damped(p, -gap, speed, k, b)
        grown, by_rate = _of_rate(p, (before - gap) / h)
        mean = (last[0] - first[0]) / h
        sigma, slope = sigma - mean * grown, slope + (last[1] * grown + mean * by_rate) / h
    if p[PULLS] == 0.0:
        if not (sigma < 0.0 or taken > OPEN):
            slope = 0.0
        sigma = min(sigma, 0.0)
    return sigma, slope, share, by_gap


@kernel
def damped_mean(gap, before, taken, k, eta, last_change):
    """As `contact/soft.py:damped_mean`."""
    g0, g1 = min(before, 0.0), min(gap, 0.0)
    inside = gap <= 0.0 or taken > OPEN
    change, whole = g1 - g0, gap - before
    share, by_gap = 0.0, 0.0
    if inside and before <= 0.0:
        share = 1.0
    elif whole != 0.0:
        share = change / whole
        by_gap = ((1.0 if inside else 0.0) - share) / whole
    level = 0.5 * (g0 + g1) + 0.5 * eta * (change - last_change)
    by_level = 0.5 * (1.0 + eta) if inside else 0.0
    return k * share * level, k * (share * by_level + by_gap * level), share, by_gap


@kernel
def coefficient(p, speed):
    """μ at a speed of slip [m/s]."""
    if p[SPEED] == 0.0:
        return p[MU]
    return p[MU] + (p[STATIC] - p[MU]) * np.exp(-((speed / p[SPEED]) ** 2))


@kernel
def stiffness_along(p, k):
    """Of the elastic slip [N/m], where the contact has the stiffness k across."""
    return p[BRISTLES] if p[BRISTLES] > 0.0 else p[RATIO] * k


@kernel
def traction(p, step, elastic_slip, press, k, h, speed, taken, force, by_step, by_elastic, by_press, after):
    """Friction as `FrictionLaw.traction`: fills force, derivatives and the elastic slip after the step; does the point slip?"""
    kind, d, mu = int(p[RUB]), step.size, coefficient(p, speed)
    if kind == RETURNED:
        size = 0.0
        for a in range(d):
            force[a] = k * (elastic_slip[a] + step[a])
            size += force[a] * force[a]
        size, bound = np.sqrt(size), mu * press
        slips = taken != STICK and (size > bound or taken == SLIP)
        for a in range(d):
            for b in range(d):
                by_step[a, b] = k if a == b else 0.0
                if slips:
                    e = force[a] * force[b] / (size * size) if size > 0.0 else 0.0
                    by_step[a, b] = bound * k * ((1.0 if a == b else 0.0) - e) / size if size > 0.0 else 0.0
                by_elastic[a, b] = by_step[a, b]
        for a in range(d):
            e = force[a] / size if size > 0.0 else 0.0
            by_press[a] = mu * e if slips else 0.0
            force[a] = bound * e if slips else force[a]
            after[a] = force[a] / k
        return slips
    if kind == REGULARISED:
        return _regularised(p, mu, step, press, h, force, by_step, by_elastic, by_press, after)
    return _lugre(p, mu, step, elastic_slip, press, h, force, by_step, by_elastic, by_press, after)


@kernel
def _regularised(p, mu, step, press, h, force, by_step, by_elastic, by_press, after):
    d, size = step.size, p[CREEP] ** 2
    for a in range(d):
        size += (step[a] / h) ** 2
    size = np.sqrt(size)
    for a in range(d):
        e = step[a] / h / size
        force[a], by_press[a], after[a] = mu * press * e, mu * e, 0.0
        for b in range(d):
            across = (1.0 if a == b else 0.0) - e * step[b] / h / size
            by_step[a, b], by_elastic[a, b] = mu * press / (h * size) * across, 0.0
    return True


@kernel
def _lugre(p, g, step, z0, press, h, force, by_step, by_elastic, by_press, after):
    d, way = step.size, 0.0
    for a in range(d):
        way += step[a] * step[a]
    way = np.sqrt(way)
    shrink = 1.0 / (1.0 + p[SIGMA_0] * way / g)
    stiff = p[SIGMA_0] + p[SIGMA_1] / h
    size = 0.0
    for a in range(d):
        after[a] = shrink * (z0[a] + step[a])
        by_press[a] = stiff * after[a] - p[SIGMA_1] / h * z0[a] + p[SIGMA_2] / h * step[a]
        force[a] = press * by_press[a]
        size += by_press[a] * by_press[a]
    for a in range(d):
        for b in range(d):
            same = 1.0 if a == b else 0.0
            e = step[b] / way if way > 0.0 else 0.0
            z_by_s = shrink * same - shrink * p[SIGMA_0] / g * after[a] * e
            by_step[a, b] = press * (stiff * z_by_s + p[SIGMA_2] / h * same)
            by_elastic[a, b] = press * (stiff * shrink - p[SIGMA_1] / h) * same
    return np.sqrt(size) >= 0.999 * g
