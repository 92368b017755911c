"""What contacts bring into a step that their forces depend on: how deep points are, how fast they come in and slip."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

import numpy as np

from condyle.contact.memory import PAST
from condyle.contact.stiffness import ContactWarning
from condyle.contact.surface import Array

if TYPE_CHECKING:
    from condyle.contact.layout import Pair
    from condyle.contact.problem import ContactProblem
    from condyle.system.state import State

PRESSED = 0.01  # of the extent of a surface: an overlap with a quasi-static body that is no accident


def warn_of_overlap(problem: ContactProblem, x: Array) -> None:
    """A warning for each contact that presses a quasi-static body together, deeply, as soon as a run starts at x (n, d).

    Such a body has no inertia. It is pressed as far as the overlap says before the first step, which then throws the other body
    out, with all the energy of that.
    """
    for pair, sentence in deep_overlaps(problem, x):
        if pair.overlap != "resolve":
            warnings.warn(sentence, ContactWarning, stacklevel=2)


def deep_overlaps(problem: ContactProblem, x: Array) -> Iterator[tuple[Pair, str]]:
    """Each contact that presses a quasi-static body together, deeply, at x (n, d), and what to do about it."""
    for pair in problem.pairs:
        if not problem.presses_still(pair):
            continue
        gap, extent = pair.gaps(x), float(np.ptp(pair.places(x), axis=0).max())
        deepest = int(np.argmin(gap))
        if gap[deepest] < -PRESSED * extent:
            yield pair, _told(pair, pair.labels[deepest], -1e3 * float(gap[deepest]))


def _told(pair: Pair, point: str, depth: float) -> str:
    return (
        f"Contact '{pair.name}': {point} starts {depth:.3g} mm inside the target. That presses '{pair.body}' and "
        f"'{pair.target}' together at once, and the first step throws them apart. Straight facets of a hollow surface cut its "
        "corners: let its nodes touch a smooth shape, such as Contact(name, cup, 'inner', head, Sphere(radius)), take a finer "
        "mesh, or draw the bodies apart"
    )


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
