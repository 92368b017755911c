"""Did bodies pass through each other within a step, or did contact act between bodies that never met?

Only what moves by more than a part of its thickness in the step is looked at: the way of the step is gone through in parts that
are short against the thinner of both bodies.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.contact.collision_pair import CollisionPair
from condyle.contact.pair import RigidPair
from condyle.contact.problem import ContactProblem
from condyle.contact.shape_pair import ShapePair
from condyle.errors import InputError
from condyle.geometry import kinds
from condyle.geometry.batch import closest_of_pairs

Array = NDArray[np.float64]
FAST = 0.25  # of the thickness: what moves farther in a step is looked at
DEEPER = 0.05  # of the thickness: so much deeper on the way than at its ends, and bodies have passed through each other
APART = 0.02  # of the thickness: what stays farther away does not meet
PARTS = 200  # of a step, at most


class Pushed(NamedTuple):
    """Points that have an impulse in a step."""

    pair: NDArray[np.int64]  # number of the pair of each (k,)
    point: NDArray[np.int64]  # its number there (k,)


class Misjudged(NamedTuple):
    """What was wrong with a step."""

    passed: str  # bodies that have passed through each other, empty if none
    apart: str  # bodies that contact has pushed though they never met


def judge(problem: ContactProblem, pushed: Pushed, before: Array, after: Array, closely: bool) -> Misjudged:
    """Look at the way from `before` to `after` (n, d), with the points that have an impulse.

    closely: also at bodies that move little, but by more than they may be apart when they push each other.
    """
    passed = apart = ""
    fast_way = APART if closely else FAST
    for number, pair in enumerate(problem.pairs):
        if isinstance(pair, ShapePair) and pair.of_shapes:
            found = _shapes(pair, pushed.point[pushed.pair == number], (before, after), fast_way)
            passed, apart = passed or found.passed, apart or found.apart
        elif isinstance(pair, RigidPair):
            passed = passed or _points(pair, before, after, fast_way)
    return Misjudged(passed, apart)


def passed_points(problem: ContactProblem, before: Array, after: Array) -> tuple[str, str]:
    """Points that have gone through a rigid shape within a step: the name of the contact, and what happened; or nothing.

    Newton's method may find such an end of a step, for a point beyond the middle of a shape is pressed out on its far side.
    """
    for pair in problem.pairs:
        if isinstance(pair, RigidPair) and _points(pair, before, after, FAST):
            what = f"points of '{pair.body}' pass through the surface of '{pair.target}' in contact '{pair.name}'"
            return pair.name, what
    return "", ""


def thickness(shape: Any) -> float:
    """The smallest extent of a shape [m]; of a half-space, which nothing can leave on the other side, infinite."""
    if shape.kind == kinds.HALF_SPACE:
        return np.inf
    if shape.kind == kinds.MESH:
        return 0.1 * float(shape.reach())
    core = [float(c) for c in np.ravel(shape.core()) if c > 0.0]
    if shape.kind in (kinds.SPHERE, kinds.CAPSULE):
        return float(shape.margin)
    return min(core, default=float(shape.reach())) + float(shape.margin)


def _shapes(pair: ShapePair, pushed: NDArray[np.int64], ends: tuple[Array, Array], fast_way: float) -> Misjudged:
    """Of one pair, with the numbers of its points that have an impulse."""
    pairs, (before, after) = pair.pairs, ends
    if pair.thin is None:
        pair.thin = np.array([thickness(shape) for shape in pair.shapes.shapes])
    change = after[pair.rows_of_bodies] - before[pair.rows_of_bodies]
    moved = np.linalg.norm(change[:, 0], axis=1)
    turned = np.sqrt(np.sum(change[:, 1:] ** 2, axis=(1, 2)))
    table, on = pair.shapes.table, pair.shapes.on
    way_of = moved[on] + turned[on] * (table.reach + np.linalg.norm(table.placed[:, 0], axis=1))
    if not len(pairs) or 2.0 * way_of.max() <= fast_way * pair.thin.min():
        return Misjudged("", "")
    way, least = way_of[pairs].sum(axis=1), pair.thin[pairs].min(axis=1)
    fast = np.flatnonzero((way > fast_way * least) & ~(table.kind[pairs] == kinds.HALF_SPACE).any(axis=1))
    if not fast.size:
        return Misjudged("", "")
    chosen, least = pairs[fast], least[fast]
    parts = int(min(PARTS, np.ceil(4.0 * (way[fast] / least).max())))
    gaps = np.array([_gaps(pair, chosen, (1.0 - s) * before + s * after) for s in np.linspace(0.0, 1.0, parts + 1)])
    allowed = np.minimum(np.minimum(gaps[0], gaps[-1]), 0.0) - DEEPER * least
    through = np.flatnonzero(gaps.min(axis=0) < allowed)
    passed = _named(pair, chosen[through[0]]) if through.size else ""
    hit = _hit(pair, pushed, chosen)
    never = np.flatnonzero(hit & (gaps.min(axis=0) > APART * least))
    return Misjudged(passed, _named(pair, chosen[never[0]]) if never.size else "")


def _gaps(pair: ShapePair, pairs: NDArray[np.int64], x: Array) -> Array:
    placed = pair._placed(x)[1]
    answers = np.empty((len(pairs), 10))
    closest_of_pairs(pair.work, pair.shapes.table, placed, pairs, np.zeros((len(pairs), 3)), answers)
    return answers[:, 0]


def _hit(pair: ShapePair, pushed: NDArray[np.int64], pairs: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Which pairs of shapes have an impulse between them."""
    key = {(int(a), int(b)) for a, b in pair.bodies[pushed]}
    return np.array([(int(pair.shapes.on[a]), int(pair.shapes.on[b])) in key for a, b in pairs], dtype=bool)


def _named(pair: ShapePair, shapes: NDArray[np.int64]) -> str:
    if isinstance(pair, CollisionPair):
        a, b = (pair.names[int(pair.shapes.on[s])] for s in shapes)
        return f"'{a}' and '{b}'"
    return f"'{pair.target}' and '{pair.body}'"


def thin_side(pair: RigidPair) -> float:
    """Thickness of the shape that points of a pair could go through [m], infinite where it has no other side."""
    if pair.thin is None:
        pair.thin = _thin_side(pair.shape)
    return pair.thin


def _thin_side(shape: Any) -> float:
    solid = getattr(shape, "solid", None)
    if solid is None or shape.__class__.__name__ == "Plane":
        return np.inf
    try:
        return thickness(solid())
    except InputError:  # a cavity
        return np.inf


def _points(pair: RigidPair, before: Array, after: Array, fast_way: float) -> str:
    """Points that have gone through a thin solid."""
    least = thin_side(pair)
    if not np.isfinite(least):
        return ""
    way = float(np.linalg.norm(pair.local(after) - pair.local(before), axis=1).max(initial=0.0))
    if way <= fast_way * least:
        return ""
    parts = int(min(PARTS, np.ceil(4.0 * way / least)))
    gaps = np.array([pair.gaps((1.0 - s) * before + s * after) for s in np.linspace(0.0, 1.0, parts + 1)])
    ends = np.minimum(np.minimum(gaps[0], gaps[-1]), 0.0)
    return f"'{pair.target}' and '{pair.body}'" if (gaps.min(axis=0) < ends - DEEPER * least).any() else ""
