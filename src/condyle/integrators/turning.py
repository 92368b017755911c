"""How far a rigid body may turn within a step.

Rotations of a step are Cayley vectors t, |t| = 2 tan ½φ. At half a turn t is infinite and the directors at mid-step,
½ (d0 + d1), vanish: with them the moments of all forces do, so that any motion meets the equations of energy–momentum, and
what is left of a residual r does the work t·r without bound. For the methods that take log(R1 R0ᵀ), a turn beyond one half is
the same as one the other way. Both are far off at the bound here, and no motion is described by steps beyond it: such a step
is cut.
"""

import numpy as np

from condyle.laws.kernel import kernel

FURTHEST = 2.0  # [rad]
LARGEST_TURN = 2.0 * np.tan(0.5 * FURTHEST)  # of a Cayley vector


@kernel
def first_beyond(turn):
    """The first body whose Cayley vector, turn (nb, 3), is beyond the bound; −1 if none is."""
    for body in range(turn.shape[0]):
        square = turn[body, 0] ** 2 + turn[body, 1] ** 2 + turn[body, 2] ** 2
        if not square <= LARGEST_TURN**2:
            return body
    return -1


@kernel
def hold_back(turn):
    """A first guess within the bound: about the same axes, by no more. Was it beyond?"""
    held = False
    for body in range(turn.shape[0]):
        square = turn[body, 0] ** 2 + turn[body, 1] ** 2 + turn[body, 2] ** 2
        if square > LARGEST_TURN**2:
            held = True
            for a in range(3):
                turn[body, a] *= 0.99 * LARGEST_TURN / np.sqrt(square)
    return held


@kernel
def furthest(turn):
    """The largest component of all Cayley vectors (nb, 3)."""
    largest = 0.0
    for body in range(turn.shape[0]):
        largest = max(largest, abs(turn[body, 0]), abs(turn[body, 1]), abs(turn[body, 2]))
    return largest
