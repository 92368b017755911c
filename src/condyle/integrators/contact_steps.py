"""What contacts do in compiled steps, behind addresses: models without contact have the same loop and compile none of it."""

from __future__ import annotations

import functools
from typing import Any

from condyle.integrators.convergence import CONVERGED, TOUCHED
from condyle.integrators.step_tables import Motion
from condyle.integrators.turning import furthest
from condyle.laws.column_types import numba_type
from condyle.laws.columns import empty_table
from condyle.laws.kernel import kernel, separate
from condyle.system.linear.sharing import REGULARISATION, regularise
from condyle.system.signatures import count, f1, f2, flag, number
from condyle.system.touching.conditions import END
from condyle.system.touching.points import add_touching, keep_iterate
from condyle.system.touching.sharing import share_held
from condyle.system.touching.steps import (
    ROLLS,
    closes_anew,
    comes_to_stick,
    end_touching,
    meets_or_parts,
    slides_to_rest,
    start_touching,
    stored_in_touching,
    turns_round,
)
from condyle.system.touching.tables import FULL, LEFT, Touching

MOST_TURNED = 1.0  # [rad] that contact may turn a body within a step, as of `newton.py`
_TOUCHING, _MOTION = numba_type(Touching), numba_type(Motion)


@functools.cache
def no_contacts() -> Any:
    """The table of a model without contacts: all of its columns are empty."""
    return empty_table(Touching)


@kernel(forceinline=True)
def are_there(touch):
    """Has the model contacts?"""
    return touch.flags.size > 0


@separate(count(_TOUCHING, f2, f2, number, f1))
def begin_contacts(touch, x, v, h, memory):
    """A step of h [s] begins at x and v with what is in the memory."""
    start_touching(touch, x, v, h, memory)
    return 0


@separate(count(_TOUCHING, flag, f1))
def go_on_with_contacts(touch, factorised, A):
    """An iterate is left for the next; with new factors, multipliers of closed contact share what they hold."""
    keep_iterate(touch)
    if factorised:
        regularise(touch.couplings, REGULARISATION, touch.softest, A)
    return 0


@separate(number(_TOUCHING, f2, f1))
def stored_in_contacts(touch, x, memory):
    """What soft laws have stored [J]."""
    return stored_in_touching(touch, x, memory)


@kernel
def press(touch, rows, x0, x, v, h, memory, out):
    """Add soft contacts to the residual of rows at places and velocities within a step of h [s] from x0.

    memory: as the step began; out: as for `add_touching`. Their share alone is in `touch.forces[0]`.
    """
    none = out[6][:0]
    add_touching(touch, rows, x0, x, x, v, h, END, 1.0, 0.0, False, memory, none, none, none, out, none)


@separate(count(_TOUCHING, f1, f1))
def keep_soft(touch, before, after):
    """What soft contacts remember after a step, where forces were last taken at its end; returns how it ended."""
    if touch.flags[FULL] or touch.flags[LEFT]:
        return TOUCHED
    return CONVERGED if end_touching(touch, before, after, after, True) else TOUCHED


@separate(count(_TOUCHING, _MOTION, f2))
def meet_anew(touch, now, turns):
    """Is the step one for Python, because points have closed or bodies turned far?"""
    return 1 if closes_anew(touch, now.touch) or furthest(turns) > MOST_TURNED else 0


@separate(count(_TOUCHING, _MOTION))
def meet_or_part(touch, now):
    """Has a point closed or opened that a step of second order may not look back over?"""
    return 1 if meets_or_parts(touch, now.touch) else 0


@separate(count(_TOUCHING, _MOTION))
def closes_in_contact(touch, now):
    """Is the step one for Python, because points have closed or left their surface?"""
    return 1 if touch.flags[LEFT] or closes_anew(touch, now.touch) else 0


@separate(count(_TOUCHING, f1, _MOTION, _MOTION, number))
def end_at_rest(touch, translation, now, after, h):
    """The end of a step that is balanced at its end, where nothing that sticks moves; returns how it ended."""
    if slides_to_rest(touch, translation, now.x, after.x, after.v, h, 0.0):
        return TOUCHED
    share_held(touch, after.x, after.multipliers)
    return CONVERGED if end_touching(touch, now.touch, after.touch, after.multipliers, True) else TOUCHED


@separate(count(_TOUCHING, f1, _MOTION, _MOTION, number))
def end_contacts(touch, translation, now, after, h):
    """The end of a step with mean velocities; returns how it ended."""
    if slides_to_rest(touch, translation, now.x, after.x, after.v, h, ROLLS):
        return TOUCHED
    return CONVERGED if end_touching(touch, now.touch, after.touch, after.multipliers, False) else TOUCHED


@separate(count(_TOUCHING, f1, flag, _MOTION, _MOTION, number))
def turn_round(touch, translation, held, now, after, h):
    """Is there a point that has slipped one way and moves the other way, or, where rates are held, that has come to stick?"""
    if held and comes_to_stick(touch, translation, now.x, now.v, h):
        return 1
    return 1 if turns_round(touch, now.x, now.v, after.x, after.v) else 0


@separate(count(_TOUCHING, _MOTION, _MOTION))
def keep_contacts(touch, now, after):
    """What contacts remember after a step with Newmark's formulas; returns how it ended."""
    return CONVERGED if end_touching(touch, now.touch, after.touch, after.multipliers, True) else TOUCHED
