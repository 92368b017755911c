"""When a residual is small enough, and what Newton's method does next: the one rule of compiled steps, Python and statics.

Whoever iterates keeps a `control` array, evaluates the residual, asks `goes_astray` and `decide`, and does what they say. It
stands apart from `newton.py` because compiled code depends on every file that its file imports: here on none.
"""

import numpy as np

from condyle.laws.kernel import kernel

NOTHING = 1e-250  # forces of this size, in any unit, are remains of round-off without digits
WORSE = 1e9  # a correction after which the residual is so many times larger is halved
SHORTEST = 0.05  # share of a correction below which it is not halved again
ROUND_OFF_LEVEL = 100.0  # tolerances: a residual that stands still below is as small as round-off lets it be
ENDS = 0.01  # tolerances: a correction that is foreseen to leave less ends a step
FORESEEN = 1e-4  # tolerances: the same where nothing is evaluated after it

# How Newton's method, or the step it belongs to, ends.
CONVERGED, NOT_CONVERGED, SINGULAR, NOT_FINITE = 0, 1, 2, 3
OVERFLOWN, TURNED, UNBALANCED = 4, 5, 6  # an energy is not finite; a body turns too far; energy is not kept
TOUCHED = 7  # points meet, come to rest or part in a way that Python settles
SURVEY = 8  # rigid shapes may be near each other that were not
INVERTED = 9  # an element has collapsed or is turned inside out
COUPLED = 10  # bodies hold each other too stiffly for their equations to be iterated

# What is next, if it has not ended: the tangent at this iterate; a correction with new factors, or with those at hand.
EVALUATE, FACTORISE, CORRECT = 11, 12, 13

# What Newton's method knows. Iterations; share of the correction that was made; residual now, before and the least; by how much
# it has changed; how often it did not fall; whether the tangent was evaluated, there are factors, this is the last correction;
# factorisations in this step and in the one before.
COUNT, FACTOR, VALUE, PREVIOUS, BEST, RATIO, STALLED, TANGENT, FACTORS, LAST, MADE, USUAL = range(12)
# How it is to go on. Factors are kept as long as an iteration leaves less than SHARE of the residual (0: full Newton). FRUGAL:
# a tangent is evaluated only where it is needed, and takes the place of the factors. POLISHED: a converged iterate is corrected
# once more with the factors at hand. FORESEEING: the correction that leaves so little is known beforehand, and nothing is
# evaluated after it. KEPT: frugal, factors are kept after a correction that left less of the residual, where tangents cost more
# than iterations.
SHARE, MOST, POLISHED, FRUGAL, FORESEEING, KEPT = range(12, 18)
CONTROL = 18


@kernel
def begin(control, share, most, polished, frugal, usual):
    """Newton's method starts, with residual and tangent at the first iterate. usual: factorisations of the step before."""
    control[:] = 0.0
    control[FACTOR], control[RATIO], control[TANGENT] = 1.0, 1.0, 1.0
    control[PREVIOUS] = control[BEST] = np.inf
    control[SHARE], control[MOST], control[USUAL] = share, most, usual
    control[POLISHED], control[FRUGAL] = 1.0 if polished else 0.0, 1.0 if frugal else 0.0


@kernel
def goes_astray(control, value, beyond):
    """Is the last correction to be made with half of its FACTOR? It makes the residual far larger, or a body turns too far."""
    if control[COUNT] == 0.0 or control[FACTOR] <= SHORTEST:
        return False
    if value < WORSE * control[PREVIOUS] and not beyond:
        return False
    control[FACTOR] *= 0.5
    return True


@kernel
def decide(control, value):
    """What an iterate with this residual, as a multiple of what is tolerated, is followed by: how it ends, or what is next."""
    control[VALUE], control[RATIO] = value, value / control[PREVIOUS]
    # At round-off the residual stops falling, and may go up and down: accept when it is small and no longer improves.
    control[STALLED] = control[STALLED] + 1.0 if value > 0.5 * control[BEST] else 0.0
    control[BEST] = min(control[BEST], value)
    if control[STALLED] >= 2.0 and value <= ROUND_OFF_LEVEL:
        return CONVERGED
    if value <= 1.0:
        if control[COUNT] == 0.0 or control[POLISHED] == 0.0:
            return CONVERGED
        control[LAST] = 1.0
    elif not np.isfinite(value):
        return NOT_FINITE
    elif control[COUNT] >= control[MOST]:
        return NOT_CONVERGED
    elif control[FORESEEING] > 0.0 and control[COUNT] > 0.0 and control[RATIO] * value < FORESEEN:
        control[LAST] = 1.0
        control[COUNT] += 1.0
    return next_correction(control)


@kernel
def next_correction(control):
    """How the next correction is made: with the factors at hand, with new ones, or not before the tangent is evaluated."""
    ratio, share, frugal = control[RATIO], control[SHARE], control[FRUGAL] > 0.0
    # Factors that are kept take off the same share again: is that fast, or does it end the step?
    enough = ratio < share if share > 0.0 else frugal and (ratio * control[VALUE] < ENDS or ratio < control[KEPT])
    if control[FACTORS] > 0.0 and (control[LAST] > 0.0 or enough):
        return CORRECT
    if control[TANGENT] == 0.0:
        control[TANGENT] = 1.0
        return EVALUATE
    control[FACTORS] = 1.0
    if control[LAST] == 0.0:
        control[MADE] += 1.0
    return FACTORISE


@kernel
def go_on(control, factor):
    """A correction is known; it is made with this factor. Is the tangent evaluated with the next residual?"""
    control[FACTOR] = factor
    if control[LAST] > 0.0:
        return
    control[COUNT] += 1.0
    control[PREVIOUS] = control[VALUE]
    needed = True
    if control[FRUGAL] > 0.0:
        # After the first iteration as in the step before; then, with quadratic convergence, the square of the last ratio is the
        # next: where that ends it, a tangent would be in vain.
        left = control[VALUE] * control[RATIO] ** 2
        needed = control[USUAL] > 1.0 if control[COUNT] == 1.0 else left > 1.0 and control[RATIO] >= control[KEPT]
    control[TANGENT] = 1.0 if needed and control[SHARE] == 0.0 else 0.0
    if control[FRUGAL] > 0.0 and control[TANGENT] > 0.0:
        control[FACTORS] = 0.0


@kernel
def judge(r, r_scale, r_noise, unit, inertia_scale, c, c_scale, exact, force_tolerance, length_tolerance, round_off):
    """Largest residual over tolerance (inf where something is not finite), and its unknown (n for a constraint)."""
    n = unit.size
    first = second = third = 0.0  # largest scale of each unit
    for i in range(n):
        if not np.isfinite(r[i]):
            return np.inf, i
        if unit[i] == 0:
            first = max(first, r_scale[i])
        elif unit[i] == 1:
            second = max(second, r_scale[i])
        else:
            third = max(third, r_scale[i])
    value, worst = 0.0, 0
    for i in range(n):
        size = abs(r[i])
        if size > NOTHING:
            largest = first if unit[i] == 0 else second if unit[i] == 1 else third
            allowed = force_tolerance * largest + round_off * (r_scale[i] + inertia_scale[i] + 2.0 * r_noise[i])
            if size > value * allowed:
                value, worst = size / allowed, i
    for k in range(c.size):
        if exact[k] and c[k] != 0.0:
            if not np.isfinite(c[k]):
                return np.inf, n
            ratio = abs(c[k]) / (length_tolerance * c_scale[k])
            if ratio > value:
                value, worst = ratio, n
    return value, worst
