"""The contacts of a model as kernels take them: points with their rows and unknowns, pairs with laws and surfaces, room."""

from __future__ import annotations

from typing import NamedTuple

from condyle.laws.columns import Integers, Numbers, Numbers2, Numbers3, table
from condyle.system.tables import Couplings
from condyle.system.touching.conditions import Answer


@table
class Touching(NamedTuple):
    """Points against surfaces of rigid bodies. A point has rows of p − r, with weights, and then the directors of its target.

    Its unknowns are `column`, those of motion; with its multipliers after them, `slot` is where their products stand in the
    matrix.
    """

    pair: Integers  # (points,)
    row_start: Integers  # (points + 1,)
    row: Integers
    weight: Numbers  # of p − r, 0 for directors of the target
    kind: Integers  # FREE, DIRECTOR or FIXED
    local: Integers  # of the first unknown of the row among those of the point, −1 if it has none
    column_start: Integers  # (points + 1,)
    column: Integers  # place of an unknown in a vector
    slot_start: Integers  # (points,)
    slot: Integers  # −1 where there is none
    multiplier: Integers  # (points + 1,) first multiplier of a point in the vector of all
    force: Integers  # (points + 1,) first of the numbers that are kept of its force
    pairs: Numbers2  # (pairs, PAIR), see `curves.py`
    first: Integers  # (pairs + 1,) point
    surface: Numbers
    start: Integers  # (8,) where in a memory each of its columns begins, see below
    couplings: Couplings  # of multipliers
    size: float  # of the model [m]
    softest: float  # stiffness that the model has at any rate [N/m]
    # What is chosen for a run, and what is known as a step begins.
    stiffness: Numbers  # (points,)
    damping: Numbers  # (points,)
    allowed: Numbers  # (points,) overlap [m]
    taken: Integers  # (points,) what each point is taken for
    speed: Numbers  # (points,) of slip
    past: Numbers2  # (points, 2)
    begin: Numbers3  # (2, points, d): ξ and normal
    begin_gap: Numbers  # (points,)
    slid: Numbers2  # (points, d) friction of what slipped in the last iterate
    # What was found.
    status: Integers  # (points,)
    gap: Numbers  # (points,)
    found: Numbers3  # (FOUND, points, d), see below
    recent: Numbers2  # (points, 2)
    flags: Integers  # (FLAGS,), see below
    forces: Numbers3  # (6, n, d): forces on rows, sizes and noise, at the end and as means
    answer: Answer
    maps: Numbers3  # (8, d, unknowns of a point)
    block: Numbers2


# A memory: forces, elastic slip, recent, past, depth of each pair, mean forces; then its size.
FORCE_AT, SLIP_AT, RECENT_AT, PAST_AT, DEPTH_AT, MEAN_AT, SIZE_AT = range(7)
# Of a point: force F, elastic slip, F as a mean, F at the end, normal, place.
F, SLIP_AFTER, F_MEAN, F_END, NORMAL, PLACE = range(6)
FOUND = 6
# Is nothing closed yet; is a point taken for what its forces do not say; has the status changed, and how often within a step.
FRESH, FORCED, CHANGED, CHANGES = range(4)
FLAGS = 4
