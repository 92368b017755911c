"""The contacts of a model as kernels take them: points with their rows and unknowns, pairs with laws and surfaces, room."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from condyle.geometry.kinds import Table, Work
from condyle.laws.columns import (
    Flags,
    Integers,
    Integers2,
    Numbers,
    Numbers2,
    Numbers3,
    Numbers4,
    empty_table,
    table,
)
from condyle.system.tables import Couplings
from condyle.system.touching.conditions import Answer
from condyle.system.touching.joint_surfaces import JointSurfaces
from condyle.system.touching.shapes import Sides


@table
class Meeting(NamedTuple):
    """Rigid shapes against each other: which of them are near, where they touch, and where their products stand in the matrix.

    Two shapes that are near are a couple, with room for so many points as two such shapes can have. A point stands in a place,
    with the number of a point of all contacts; what is kept from step to step is kept by places.
    """

    shapes: Table
    work: Work
    on: Integers  # (shapes,) body of each
    rows: Integers2  # (bodies, d + 1)
    kind: Integers2  # (bodies, d + 1): 0 of free rows, 1 of directors, 2 of what does not move
    column: Integers2  # (bodies, nc) place of an unknown in a vector, −1 if there is none
    whole: int  # have directors unknowns of their own?
    own: Integers2  # (bodies, nc²) where products of the unknowns of a body stand in the matrix, −1 if they do not
    # Pairs of contacts (those of points have no couples).
    span: Integers2  # (pairs, SPAN), see below
    reach: Numbers2  # (pairs, REACH)
    # Couples, those of a pair in order of their shapes.
    couple: Integers2  # (couples, 2) shapes
    slot: Integers2  # (couples, K) place of each point, −1 if it has none
    features: Numbers3  # (couples, K, FEATURES), see `geometry/touching.py`
    entry: Integers2  # (couples, 2 nc²) where products of B with A, and of A with B, stand in the matrix, −1 if they do not
    near: Integers  # (couples,) which are near in this step, by pair
    near_count: Integers  # (pairs,)
    is_near: Integers  # (couples,)
    least: Numbers  # (couples,) how far those that are near are apart at least as the step begins [m]
    meets: Integers  # (couples,) may those that are near touch in this iterate? GREW if places got their first points
    # Products of couples that have no place in the matrix (`coupled.py`), of those that are pressed.
    apart: int  # are they kept here, rather than in the matrix?
    product: Numbers2  # (blocks, 2 nc²) of B with A, then of A with B
    block: Integers  # (couples,) which of these, −1 if a couple has none
    coupled: Integers  # (blocks,) the couple of each
    basis: Numbers2  # (ROOM, numbers of a vector) to solve with them
    # Places.
    home: Integers2  # (points, 2) couple and number within it, −1 if there is none
    bodies: Integers2  # (points, 2) A and B
    there: Integers2  # (3, points) is there a point, in the configurations below?
    points: Numbers3  # (3, points, WIDTH)
    # Bodies and shapes.
    frames: Numbers4  # (3, bodies, 4, 3)
    poses: Numbers4  # (3, bodies, 4, 3)
    turning: Numbers4  # (3, bodies, 3, 3)
    placed: Numbers3  # (shapes, 4, 3)
    boxes: Numbers2  # (shapes, 6)
    begun: Numbers3  # (shapes, 4, 3): placed as the step began
    surveyed: Numbers3  # (shapes, 4, 3): placed when couples were looked for
    # Room for one couple and one point.
    found: Numbers2  # (K, WIDTH)
    taken: Numbers2  # (K, FEATURES)
    is_there: Flags  # (K,)
    sides: Sides
    surfaces: JointSurfaces  # of articular contacts


# Of a pair: first couple, one beyond its last, points of a couple, first shape, one beyond its last; are couples found anew as
# bodies move, has each point of a couple its place for good; where to look for a free place.
FIRST_COUPLE, LAST_COUPLE, EACH, FIRST_SHAPE, LAST_SHAPE, MOVES, SETTLED, CURSOR = range(8)
SPAN = 8
# Gap [m] up to which points count, the same at rest and steps of motion that it grows by, size and radius of its shapes [m],
# gap up to which couples are known.
WITHIN, SKIN, AHEAD, EXTENT, KNOWN_WITHIN = range(5)
REACH = 5
GREW = 2
# Configurations: the start of the step, where forces are taken, its end.
START, TEST, LATER = range(3)


@table
class Pieces(NamedTuple):
    """Points over pieces that deform, y(u) = Σ m_j(u) Σ C_jk x_k: see `contact/deformable.py`.

    Pieces and vectors x_k of a pair stand in a row, after those of the pair before; `span` says where. A point may come to any
    piece of its target, so `slot` has room for all of them.
    """

    span: Integers2  # (pairs, PIECES_SPAN), see below
    form: Numbers2  # (pairs, FORM)
    powers: Integers2  # (functions, p) of the monomials m_j
    triangle: Flags  # (pieces,)
    coefficients: Numbers  # C of all pieces
    cell: Integers  # K vectors of each piece, as numbered in its pair
    vector_row: Integers2  # (vectors, each)
    vector_weight: Numbers2
    point_row: Integers2  # (points, own)
    point_weight: Numbers2
    excluded: Integers2  # (points, e) pieces that a point does not see, −1 for none
    local: Integers  # (n,) of the first unknown of a row among those of `slot`, −1 if it has none
    held: Integers  # (points,) the same of the first multiplier of a point
    slot: Integers2  # (unknowns, unknowns) where their products stand in the matrix, −1 if they do not
    # As the step began, and now.
    facet: Integers2  # (2, points) piece of each point
    faced: Integers  # (points,) was it over that piece, rather than beyond its edge or on the far side of the body?
    foot: Numbers2  # (points, p) where on it
    weight: Numbers2  # (points, K) of the vectors as the step began
    frame: Numbers4  # (2, points, d, d) n and e_α as rows
    turn: Numbers3  # (points, d, d) from the world to the frame of the piece, for multipliers of friction
    slip: Numbers2  # (points, d) elastic slip as the step began, in the frame of the piece


# Of a pair over pieces: its first vector and one beyond its last, first piece and one beyond its last, vectors and functions of
# a piece, first row of powers, where cells and coefficients begin; are its pieces flat?
FIRST_VECTOR, LAST_VECTOR, FIRST_PIECE, LAST_PIECE, VECTORS, FUNCTIONS, POWER_AT, CELL_AT, COEFFICIENT_AT, FLAT = range(
    10
)
PIECES_SPAN = 10
# −1 if the outside is against t_1 × t_2; of the outer surface from the pieces [m]; depth [m] beyond which a point is on the far
# side of the body.
SIDE, OFFSET, DEPTH = range(3)
FORM = 3


def no_pieces(pairs: int) -> Pieces:
    """Of a model without points over pieces."""
    made: Pieces = empty_table(Pieces)
    return made._replace(span=np.zeros((pairs, PIECES_SPAN), dtype=np.int64), form=np.zeros((pairs, FORM)))


@table
class Touching(NamedTuple):
    """Points against surfaces of rigid bodies, rigid shapes against each other (`meeting`), points over `pieces` that deform.

    A point has rows of p − r, with weights, and then the directors of its target; others have none here. Its unknowns are
    `column`, those of motion; with its multipliers after them, `slot` is where their products stand in the matrix.
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
    start: Integers  # (9,) where in a memory each of its columns begins, see below
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
    rate: Numbers  # (points,) of the gap [m/s], where velocities are known
    slid: Numbers2  # (points, d) friction of what slipped in the last iterate
    # What was found.
    status: Integers  # (points,)
    gap: Numbers  # (points,)
    found: Numbers3  # (FOUND, points, d), see below
    recent: Numbers2  # (points, 2)
    flags: Integers  # (FLAGS,), see below
    forces: Numbers3  # (6, n, d): forces on rows, sizes and noise, at the end and as means
    meeting: Meeting
    pieces: Pieces
    answer: Answer
    maps: Numbers3  # (8, d, unknowns of a point)
    block: Numbers2


# A memory: forces, elastic slip, recent, past, depth of each pair, mean forces, features of shapes; then its size.
FORCE_AT, SLIP_AT, RECENT_AT, PAST_AT, DEPTH_AT, MEAN_AT, FEATURES_AT, SIZE_AT = range(8)
KEPT = 12  # features of a place: those of geometry/touching.py, and the numbers of the two shapes, from 1
# Of a point: force F, elastic slip, F as a mean, F at the end, normal, place.
F, SLIP_AFTER, F_MEAN, F_END, NORMAL, PLACE = range(6)
FOUND = 6
# Is nothing closed yet; is a point taken for what its forces do not say; has the status changed, and how often within a step;
# may other couples be near than those that are known; is there no place left for a point; has the point of an articular
# contact left its surface at the end of the step; how many couples have products apart from the matrix; are rates of gaps
# known, rather than means over the step?
FRESH, FORCED, CHANGED, CHANGES, STALE, FULL, LEFT, COUPLED, RATED = range(9)
FLAGS = 9
