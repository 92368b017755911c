"""What contacts bring into a step that their forces depend on: how fast points come in, and how fast they slip."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from condyle.contact.memory import PAST
from condyle.contact.surface import Array

if TYPE_CHECKING:
    from condyle.contact.problem import ContactProblem
    from condyle.system.state import State


def first_touch(problem: ContactProblem, memory: Mapping[str, Array], state: State) -> Array:
    """What laws remember as the step begins: of points that are still outside, the speed at which they come."""
    past = memory.get(PAST, np.zeros((0, 2))).copy()
    for k, pair in enumerate(problem.pairs if len(past) else []):
        here = slice(*problem.point_start[k : k + 2])
        if pair.soft and pair.law.remembers:
            outside = pair.gaps(state.x) >= 0.0
            coming = np.maximum(-pair.approach_rates(state.x, state.v)[0], 0.0)
            past[here][outside] = np.stack((coming, np.zeros_like(coming)), axis=1)[outside]
    return past


def slip_speeds(problem: ContactProblem, state: State) -> Array:
    """Of slip as the step begins, for coefficients of friction that change with it (points,) [m/s]."""
    out = np.zeros(problem.points)
    for k, pair in enumerate(problem.pairs):
        if pair.rub is not None and pair.rub.varies:
            along = pair.approach_rates(state.x, state.v)[1]
            out[problem.point_start[k] : problem.point_start[k + 1]] = np.linalg.norm(along, axis=1)
    return out
