"""Ligaments, Hill-type muscles and moment actuators: what pulls along a path.

Muscles: curves of De Groote et al. (2016), with the constants that make the curves pass exactly through their reference
points, those of Thelen (2003), or those of Millard et al. (2013, millard.py).

A muscle carries numbers from step to step: activation a and normalised fibre length l, and their rates. Within a step they
follow from κ (z − z_b) = ż(z), z_b = z_0 + lead ż_0, at the configuration where forces are taken: the midpoint rule with κ =
2/h, lead = 0 at mid-step, the trapezoidal rule with κ = 2/h, lead = h/2 at its end. κ = 0: equilibrium; κ < 0: as they are.

A path pulls and does not push. A slack tendon has no force, fibres then shorten until their own is none or the tendon is taut;
the curves as printed, which push there, are an option of each muscle.

Where its parameters stand: muscle_places.py; the list of coordinates that makes its path comes after them.
"""

import numpy as np
from numba import types

from condyle.laws.coordinates import along_path, coordinate_gradient, held_back, rate_along, sum_of_coordinates
from condyle.laws.derivatives import chain
from condyle.laws.kernel import kernel, separate
from condyle.laws.millard import active_curve, passive_curve, tendon_curve, velocity_curve
from condyle.laws.muscle_places import (
    ACTIVATION,
    ACTIVATION_RATE,
    ACTIVE_WIDTH,
    CURVES,
    DAMPING,
    FALL,
    FIBRE,
    FIBRE_RATE,
    FORCE,
    LEAD,
    LEAST,
    OPTIMAL,
    PACE,
    PASSIVE_SHAPE,
    PASSIVE_STRAIN,
    PATH,
    RIGID,
    RISE,
    SHORTENING,
    SLACK,
    SPEED,
    STEEPNESS,
    STRETCHED,
    TENDON,
    TENSION_ONLY,
    WIDTH,
)

SHORTEST = 0.2  # of the fibre, where its passive force is zero


@kernel
def ligament_curve(length, k, slack, toe):
    """Energy [J], tension [N], stiffness [N/m] of a ligament, and the change of its stiffness with length [N/m²]."""
    strain = length / slack - 1.0
    if strain <= 0.0:
        return 0.0, 0.0, 0.0, 0.0
    if strain <= 2.0 * toe:
        energy = slack * k * strain**3 / (12.0 * toe)
        return energy, 0.25 * k * strain**2 / toe, 0.5 * k * strain / toe / slack, 0.5 * k / (toe * slack * slack)
    energy = slack * k * (2.0 / 3.0 * toe**2 + 0.5 * (strain - toe) ** 2 - 0.5 * toe**2)
    return energy, k * (strain - toe), k / slack, 0.0


@kernel
def ligament_damping(length, rate, c, k, slack, toe):
    """Damping force [N] of a ligament that does not push, and its derivatives by length and rate.

    c ℓ̇ times the stiffness over its largest one k/L: the fibres that have been recruited; held back while it shortens.
    """
    _, force, stiffness, bend = ligament_curve(length, k, slack, toe)
    ratio = c * slack / k if k > 0.0 else 0.0
    return held_back(force, stiffness, ratio * stiffness * rate, ratio * bend * rate, ratio * stiffness)


@kernel
def ligament(ny, G, p, S, H):
    """ψ with the tension k ε²/(4 ε_l) up to ε = 2 ε_l, then k (ε − ε_l); none when slack (Blankevoort et al. 1991).

    ε = Q/L − 1. p = (k [N], slack length L [m], ε_l, list of coordinates)
    """
    value = sum_of_coordinates(ny, G, p, 3, S, H)
    energy, force, stiffness, _ = ligament_curve(value, p[0], p[1], p[2])
    chain(ny, force, stiffness, S, S, H)
    return energy


# --- curves of a muscle, each with its slope --------------------------------------------------------------------------


@kernel
def active_force(length):
    """Force–length curve: sum of three bell curves."""
    value, slope = 0.0, 0.0
    for b1, b2, b3, b4 in (
        (0.8150671134243542, 1.055033428970575, 0.162384573599574, 0.063303448465465),
        (0.433004984392647, 0.716775413397760, -0.029947116970696, 0.200356847296188),
        (0.1, 1.0, 0.353553390593274, 0.0),
    ):
        width = b3 + b4 * length
        u = (length - b2) / width
        bell = b1 * np.exp(-0.5 * u * u)
        value += bell
        slope -= bell * u * (1.0 - u * b4) / width
    return value, slope


@kernel
def velocity_factor(speed):
    """Force–velocity curve; speed −1 is the largest speed of shortening, where it is zero."""
    d1, d2, d3, d4 = -0.3211346127989808, -8.149, -0.374, 0.8825327733249912
    u = d2 * speed + d3
    root = np.sqrt(u * u + 1.0)
    return d1 * np.arcsinh(u) + d4, d1 * d2 / root


@kernel
def passive_force(length, strain, shape):
    """Exponential in the fibre length: zero at `SHORTEST`, one at the length 1 + strain."""
    offset = np.exp(shape * (SHORTEST - 1.0) / strain)
    e = np.exp(min(shape * (length - 1.0) / strain, 300.0))
    bottom = np.exp(shape) - offset
    return (e - offset) / bottom, e * shape / strain / bottom


@kernel
def tendon_force(length, k):
    """0.2 (e^(k (l − 1)) − 1): zero at the slack length; as printed, it pushes when shorter, down to −0.2."""
    e = 0.2 * np.exp(min(k * (length - 1.0), 300.0))
    return e - 0.2, k * e


@kernel
def thelen_velocity(speed, activation, shape, most):
    """Force over the isometric one at a speed (−1: the largest of shortening), and its slope.

    Active fibres are faster: u = v/(¼ + ¾ a). (1 + u)/(1 − u/A) while they shorten, from 1 to `most` while they lengthen.
    Beyond the largest speed of shortening it goes on straight, and above 0.95 of `most`, which it would never reach.
    """
    fast = 0.25 + 0.75 * activation
    u = speed / fast
    if u <= 0.0:
        t = max(u, -1.0)
        bottom = 1.0 - t / shape
        slope = (1.0 + 1.0 / shape) / (bottom * bottom)
        return (1.0 + t) / bottom + slope * (u - t), slope / fast
    k = (2.0 + 2.0 / shape) / (most - 1.0)
    straight = max(0.95 * most, 0.5 * (1.0 + most))
    t = min(u, (straight - 1.0) / (k * (most - straight)))
    bottom = 1.0 + k * t
    slope = k * (most - 1.0) / (bottom * bottom)
    return (1.0 + k * most * t) / bottom + slope * (u - t), slope / fast


@kernel
def thelen_tendon(length, strain):
    """An exponential up to a third of the force, then straight; 1 at the strain `strain`, none when slack."""
    e = length - 1.0
    toe = 99.0 * strain * np.exp(3.0) / (166.0 * np.exp(3.0) - 67.0)
    if e <= 0.0:
        return 0.0, 0.0
    if e < toe:
        part = 0.33 / (np.exp(3.0) - 1.0)
        rise = np.exp(3.0 * e / toe)
        return part * (rise - 1.0), part * rise * 3.0 / toe
    slope = 0.67 / (strain - toe)
    return 0.33 + slope * (e - toe), slope


# --- the curves that a muscle has -------------------------------------------------------------------------------------


@kernel
def active_at(length, p):
    """Active force at rest over F0, and its slope."""
    if p[CURVES] < 0.5:
        return active_force(length)
    if p[CURVES] > 1.5:
        return active_curve(length, p)
    value = np.exp(-((length - 1.0) ** 2) / p[ACTIVE_WIDTH])
    return value, -2.0 * (length - 1.0) / p[ACTIVE_WIDTH] * value


@kernel
def passive_at(length, p):
    """Passive force over F0, and its slope."""
    if p[CURVES] < 0.5:
        return passive_force(length, p[PASSIVE_STRAIN], p[PASSIVE_SHAPE])
    if p[CURVES] > 1.5:
        return passive_curve(length, p)
    if length <= 1.0:
        return 0.0, 0.0
    rate, bottom = p[PASSIVE_SHAPE] / p[PASSIVE_STRAIN], np.exp(p[PASSIVE_SHAPE]) - 1.0
    rise = np.exp(min(rate * (length - 1.0), 300.0))
    return (rise - 1.0) / bottom, rate * rise / bottom


@kernel
def velocity_at(speed, activation, p):
    """Force over that at rest, and its slope by the speed (−1: the largest of shortening)."""
    if p[CURVES] < 0.5:
        return velocity_factor(speed)
    if p[CURVES] > 1.5:
        return velocity_curve(speed, p)
    return thelen_velocity(speed, activation, p[SHORTENING], p[STRETCHED])


@kernel
def tendon_at(path, along, p):
    """Force of the tendon over F0 and its slope, fibres taking `along` of the path."""
    length = (path - p[OPTIMAL] * along) / p[SLACK]
    if p[TENSION_ONLY] > 0.5 and length <= 1.0:
        return 0.0, 0.0
    if p[CURVES] < 0.5:
        return tendon_force(length, p[TENDON])
    if p[CURVES] > 1.5:
        return tendon_curve(length, p)
    return thelen_tendon(length, np.log(6.0) / p[TENDON])


@kernel
def activation_rate(a, excitation, rise, fall, steepness):
    """ȧ of the activation dynamics."""
    f = 0.5 * np.tanh(steepness * (excitation - a))
    lag = 0.5 + 1.5 * a
    return ((f + 0.5) / (rise * lag) + (0.5 - f) * lag / fall) * (excitation - a)


# --- states -----------------------------------------------------------------------------------------------------------


@kernel
def activation_at(excitation, p):
    """Activation where forces are taken."""
    u = min(max(excitation, p[LEAST]), 1.0)
    if p[RISE] <= 0.0 or p[PACE] == 0.0:
        return u
    base = p[ACTIVATION] + p[LEAD] * p[ACTIVATION_RATE]
    if p[PACE] < 0.0:
        return p[ACTIVATION]
    low, high = min(base, u), max(base, u)
    for _ in range(200):  # bisection to the last digit: the rate has no simple slope, and this is not what takes time
        a = 0.5 * (low + high)
        if a <= low or a >= high:
            break
        if p[PACE] * (a - base) < activation_rate(a, u, p[RISE], p[FALL], p[STEEPNESS]):
            low = a
        else:
            high = a
    return 0.5 * (low + high)


@kernel
def fibre_force(length, a, base, p):
    """Force of the fibres along the tendon, and its slope by their length, at the speed κ (l − l_b)."""
    pace = max(p[PACE], 0.0)
    speed = pace * (length - base) / p[SPEED]
    fl, fl1 = active_at(length, p)
    fv, fv1 = velocity_at(speed, a, p)
    fp, fp1 = passive_at(length, p)
    along = np.sqrt(length * length - p[WIDTH] * p[WIDTH])
    cosine = along / length
    total = a * fl * fv + fp + p[DAMPING] * speed
    slope = a * (fl1 * fv + fl * fv1 * pace / p[SPEED]) + fp1 + p[DAMPING] * pace / p[SPEED]
    return total * cosine, slope * cosine + total * p[WIDTH] ** 2 / (length * length * along)


@kernel
def fibre_at(path, a, p):
    """Normalised fibre length at which fibres and tendon pull alike, the path being so long [m]; nan if there is none.

    With a slack tendon neither pulls. Then fibres may be longer than the path, which lies loose: at the length l_b they do not
    shorten, and pull, so the length sought is below it.
    """
    base = p[FIBRE] + p[LEAD] * p[FIBRE_RATE]
    if p[PACE] < 0.0:
        return p[FIBRE]
    low = 1.0001 * p[WIDTH] + 1e-3
    high = np.sqrt((path / p[OPTIMAL]) ** 2 + p[WIDTH] ** 2)
    if p[TENSION_ONLY] > 0.5:
        high = max(high, base if p[PACE] > 0.0 else 0.0, 1.001 * low)
    if not high > low:
        return np.nan
    length = min(max(p[FIBRE] if p[FIBRE] > 0.0 else 1.0, low), high)
    for _ in range(100):
        along = np.sqrt(length * length - p[WIDTH] * p[WIDTH])
        ft, ft1 = tendon_at(path, along, p)
        fm, fm1 = fibre_force(length, a, base, p)
        defect, slope = ft - fm, -ft1 * p[OPTIMAL] / p[SLACK] * length / along - fm1
        if defect > 0.0:
            low = length
        else:
            high = length
        step = -defect / slope if slope < 0.0 else np.inf
        if abs(step) <= 1e-15:
            break
        length += step
        if not low < length < high:
            length = 0.5 * (low + high)
            if length <= low or length >= high:
                break
    return length


@kernel
def muscle_tension(path, rate, excitation, p):
    """Tension [N], its derivatives by path length and rate, activation, normalised fibre length."""
    a = activation_at(excitation, p)
    if p[RIGID] > 0.5:
        along = (path - p[SLACK]) / p[OPTIMAL]
        if along <= 0.0:
            none, shortest = (0.0, p[WIDTH]) if p[TENSION_ONLY] > 0.5 else (np.nan, np.nan)
            return none, 0.0, 0.0, a, shortest
        length = np.sqrt(along * along + p[WIDTH] * p[WIDTH])
        cosine = along / length
        speed = rate * cosine / (p[OPTIMAL] * p[SPEED])
        fl, fl1 = active_at(length, p)
        fv, fv1 = velocity_at(speed, a, p)
        fp, fp1 = passive_at(length, p)
        total = a * fl * fv + fp + p[DAMPING] * speed
        by_speed = a * fl * fv1 + p[DAMPING]
        bend = p[WIDTH] ** 2 / length**3  # ∂cos/∂along
        slope = (
            (a * fl1 * fv + fp1) * cosine + by_speed * rate * bend / (p[OPTIMAL] * p[SPEED])
        ) * cosine + total * bend
        by_rate = by_speed * cosine**2 / (p[OPTIMAL] * p[SPEED])
        if p[TENSION_ONLY] > 0.5:
            if total <= 0.0:
                return 0.0, 0.0, 0.0, a, length
            part = min(along / SHORTEST, 1.0)  # of its force, so that it has none where the path is all tendon
            fade = part * part * (3.0 - 2.0 * part)
            slope = slope * fade + total * cosine * 6.0 * part * (1.0 - part) / SHORTEST
            total, by_rate = total * fade, by_rate * fade
        return p[FORCE] * total * cosine, p[FORCE] * slope / p[OPTIMAL], p[FORCE] * by_rate, a, length
    length = fibre_at(path, a, p)
    along = np.sqrt(length * length - p[WIDTH] * p[WIDTH])
    ft, ft1 = tendon_at(path, along, p)
    k = ft1 / p[SLACK]
    if (
        p[PACE] >= 0.0 and k > 0.0
    ):  # the fibre takes a part of what the path gains: ∂l/∂ℓ = k / (k s + fm'), s = ∂along/∂l
        s = p[OPTIMAL] * length / along
        _, fm1 = fibre_force(length, a, p[FIBRE] + p[LEAD] * p[FIBRE_RATE], p)
        k *= fm1 / (k * s + fm1)
    return p[FORCE] * ft, p[FORCE] * k, 0.0, a, length


@kernel
def muscle(ny, d, y, ydot, excitation, p, f, Ky, Kv):
    """f = −F ∂ℓ/∂y with the tension F of a muscle along a path of length ℓ."""
    grad, curvature = np.zeros((ny, d)), np.zeros((ny, d, ny, d))
    path = coordinate_gradient(ny, d, y, p, PATH, grad, curvature)
    rate = rate_along(ny, d, grad, ydot)
    tension, by_path, by_rate, _, _ = muscle_tension(path, rate, excitation, p)
    along_path(ny, d, tension, by_path, by_rate, grad, curvature, ydot, f, Ky, Kv)
    return 0.0


@kernel
def path_length(ny, d, y, p, at):
    """ℓ of the list of coordinates that starts at p[at]."""
    grad, curvature = np.zeros((ny, d)), np.zeros((ny, d, ny, d))
    return coordinate_gradient(ny, d, y, p, at, grad, curvature)


@kernel
def next_state(ny, d, y, excitation, p, place, share):
    """The number at `place` of a muscle's parameters at the end of the step, from the configuration where forces were taken.

    share: of the step that lies before that configuration.
    """
    return _next_state(ny, d, y, excitation, p, place, share)


_VECTORS, _NUMBERS = types.Array(types.float64, 2, "C"), types.Array(types.float64, 1, "C", readonly=True)


@separate(types.float64(types.int64, types.int64, _VECTORS, types.float64, _NUMBERS, types.int64, types.float64))
def _next_state(ny, d, y, excitation, p, place, share):
    a = activation_at(excitation, p)
    if place in (ACTIVATION, ACTIVATION_RATE):
        first, base, now = p[ACTIVATION], p[ACTIVATION] + p[LEAD] * p[ACTIVATION_RATE], a
    else:
        first, base = p[FIBRE], p[FIBRE] + p[LEAD] * p[FIBRE_RATE]
        now = fibre_at(path_length(ny, d, y, p, PATH), a, p)
    if place in (ACTIVATION, FIBRE):
        return first + (now - first) / share
    return max(p[PACE], 0.0) * (now - base)


# --- moment actuator --------------------------------------------------------------------------------------------------


@kernel
def moment_actuator(ny, d, y, ydot, amplitude, p, f, Ky, Kv):
    """A tension with the moment m about a hinge: a = m/D, f = −a t on y_0 = x_b − x_a, t = y_0/ℓ (Hovey 2000, 3.96–3.102).

    y_1 = x_a − x_H; D = −(y_1 × t)·n is the arm about the hinge's axis n (3D: y_2, 2D: out of the plane). All terms of
    the derivative are there, also that of the arm. p = (smallest arm [m], factor of the moment)
    """
    moment = amplitude * p[1]
    length = 0.0
    for a in range(d):
        length += y[0, a] * y[0, a]
    length = np.sqrt(length)
    cross = np.zeros((3, 3))  # gradients of N = −(y_1 × y_0)·n by y_0, y_1, y_2
    if d == 2:
        arm = y[1, 1] * y[0, 0] - y[1, 0] * y[0, 1]
        cross[0, 0], cross[0, 1] = y[1, 1], -y[1, 0]
        cross[1, 0], cross[1, 1] = -y[0, 1], y[0, 0]
    else:
        arm = 0.0
        for a in range(3):
            b, c = (a + 1) % 3, (a + 2) % 3
            cross[2, a] = y[0, b] * y[1, c] - y[0, c] * y[1, b]
            cross[0, a] = y[1, b] * y[2, c] - y[1, c] * y[2, b]
            cross[1, a] = y[2, b] * y[0, c] - y[2, c] * y[0, b]
            arm += cross[2, a] * y[2, a]
    if abs(arm) < p[0] * length:
        for a in range(d):
            f[0, a] = np.nan
        return 0.0
    # a t = m y_0 / N: the length drops out
    for a in range(d):
        f[0, a] = -moment * y[0, a] / arm
        Ky[0, a, 0, a] = -moment / arm
    for m in range(d):
        for a in range(d):
            for b in range(d):
                Ky[0, a, m, b] += moment * y[0, a] * cross[m, b] / (arm * arm)
    return 0.0
