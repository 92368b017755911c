"""Laws of a single angle as numbers: the energies and forces of `coordinates.py` and `forces.py`, where the angle is known.

p: parameters of the law as in its table. A hinge in joint coordinates knows its angle, so nothing need be gathered for them.
"""

from condyle.laws.chords import function_between, spring_chord
from condyle.laws.codes import COORDINATE_DAMPER, COORDINATE_FORCE, COORDINATE_SPRING
from condyle.laws.coordinates import distance_outside, function_value
from condyle.laws.forces import damper_tension
from condyle.laws.kernel import kernel
from condyle.laws.paths import spline_value

_FUNCTION = 4  # of the coordinate, from where the list of coordinates begins


@kernel
def angle_energy(code, p, q):
    """ψ(q) [J]."""
    if code == COORDINATE_SPRING:
        excess = distance_outside(function_value(p, 3 + _FUNCTION, q)[0], p[1], p[2])
        return 0.5 * p[0] * excess * excess
    return function_value(p, 1 + _FUNCTION, q)[0] - p[0]


@kernel
def angle_chord(code, p, q0, q1):
    """χ = (ψ(q1) − ψ(q0))/(q1 − q0) [N m], and its derivative by q1."""
    if code == COORDINATE_SPRING:
        chord, by_end, _ = function_between(p, 3 + _FUNCTION, q0, q1)
        value, slope, _ = function_value(p, 3 + _FUNCTION, q1)
        chi, bend = spring_chord(function_value(p, 3 + _FUNCTION, q0)[0], value, p[0], p[1], p[2])
        return chi * chord, bend * slope * chord + chi * by_end
    chord, by_end, _ = function_between(p, 1 + _FUNCTION, q0, q1)
    return chord, by_end


@kernel
def angle_force(code, p, q, rate, amplitude):
    """The moment f(q, q̇) [N m] along the angle, and its derivatives by q and q̇."""
    if code == COORDINATE_FORCE:
        _, slope, bend = function_value(p, 1 + _FUNCTION, q)
        return amplitude * p[0] * slope, amplitude * p[0] * bend, 0.0
    if code == COORDINATE_DAMPER:
        value, slope, bend = function_value(p, 4 + _FUNCTION, q)
        tension, by_value, by_rate = damper_tension(value, slope * rate, p)
    else:
        value, slope, bend = function_value(p, 5 * int(p[0]) - 3 + _FUNCTION, q)
        tension, by_rate, _ = spline_value(p, 0, slope * rate)
        by_value = 0.0
    by_q = tension * bend + slope * (by_value * slope + by_rate * bend * rate)
    return -amplitude * tension * slope, -amplitude * by_q, -amplitude * by_rate * slope * slope
