"""What compiled steps work on: the problem, the scheme, functions of time in tables, the motion, room, and what is recorded."""

from __future__ import annotations

from typing import NamedTuple

from condyle.integrators.extrapolation import Past
from condyle.laws.columns import Integers, Integers2, Numbers, Numbers2, Numbers3, Numbers4, table
from condyle.system.tables import Couplings, MassTable, Schedule, WholeSystem


@table
class Scheme(NamedTuple):
    """A method of time stepping by its factors; its kinematics and its finish are in `midpoint.py` or `newmark.py`."""

    where: int  # CONSERVING or END: how stored energies and constraints are taken
    share: float  # of the step after which forces are taken, and multipliers belong: ½ or 1
    inertia: float  # h² ∂ẍ/∂x1
    rate: float  # h ∂ẋ/∂x1
    lead: float  # with which states of laws follow within a step, of h (laws/muscles.py)
    polished: bool  # is a converged iterate corrected once more?
    exact: bool  # is energy kept, so that a step that does not has failed?


@table
class Redundant(NamedTuple):
    """How redundant constraints share their reactions; empty arrays where none depend on each other."""

    couplings: Couplings
    multiplier: Integers  # which one each of the couplings is
    weight: Numbers  # of its square in the sum that is made the least (`system/reactions.py`)


@table
class Problem(NamedTuple):
    """What does not change from step to step."""

    whole: WholeSystem  # with places in block storage
    schedule: Schedule  # of the block elimination
    mass: MassTable  # the mass matrix without stand-ins
    gravity: Numbers2  # (n, d) [N]
    rows: Numbers2  # (2, n): 1 for positions, 0 for directions; 1 for rows that elements act on
    unit: Integers  # (motion,) which residuals are judged together
    multipliers: Integers2  # (5, m), see the names below
    stiffness_l: Numbers
    stiffness_c: Numbers
    angles: Integers2  # (angles, 3): law in the table of all, place of its reference in the params, first vector
    tolerances: Numbers  # force, length, round-off
    most: int  # iterations
    share: float  # of the residual: factors are kept as long as an iteration leaves less; 0 for full Newton
    redundant: Redundant


# What is known of each multiplier: its enforcement; its place in a vector of the blocks, −1 if it is not iterated; the function
# of time that its constraint follows, −1 for none; is it iterated; its place in the stiffness of links, then of constraints.
HOLD, PLACE, DRIVE, LIVE, STIFF = range(5)


@table
class Tables(NamedTuple):
    """Functions of time and prescribed rows for a block of steps."""

    sizes: Numbers  # (steps,) length h of each step [s]
    middle: Numbers2  # (steps, functions) values at mid-step
    ends: Numbers2  # (steps + 1, functions)
    rates: Numbers3  # (steps, 3, functions) values, first and second derivatives at the end of each step
    gravity_middle: Numbers  # (steps,) factor of gravity
    gravity_ends: Numbers  # (steps + 1,)
    driven: Integers  # rows that move as prescribed
    motion: Numbers4  # (steps, 3, driven rows, d) at the end of each step: places, velocities, accelerations


@table
class Motion(NamedTuple):
    """A state. rows and bodies: what the scheme carries from step to step, by its own names."""

    x: Numbers2  # (n, d)
    v: Numbers2  # (n, d)
    multipliers: Numbers  # (m,)
    turns: Numbers  # (angles,)
    rows: Numbers3  # (carried, n, d)
    bodies: Numbers3  # (carried, bodies, 3)
    touch: Numbers  # what contacts remember (`system/touching/tables.py`)


@table
class Frames(NamedTuple):
    """The states that are kept: each column of `Motion` with one more axis."""

    x: Numbers3  # (frames, n, d)
    v: Numbers3
    multipliers: Numbers2
    turns: Numbers2
    rows: Numbers4
    bodies: Numbers4
    touch: Numbers2


@table
class Work(NamedTuple):
    """Arrays that a step works on."""

    rows: Numbers3  # (ROWS, n, d), see the names below
    vectors: Numbers2  # (5, numbers of a vector of the blocks): residual, scale, noise, correction, sizes of inertia
    held: Numbers2  # (HELD, m), see the names below
    turns: Numbers3  # (2, bodies, 3) of this iterate, and of the one before
    A: Numbers
    inverse: Numbers
    tangent: Numbers  # the last matrix before it was factorised, kept where constraints are redundant
    control: Numbers  # of Newton's method (`convergence.py`)
    residuals: Numbers  # of the last step, relative to the tolerance
    past: Past


# Residual per row, its scale and noise; mid configuration, mean velocity and acceleration; the iterate before and how the rows
# moved in the step up to it; how they move; gravity; velocities of the first guess; accelerations of rows that are prescribed;
# forces of contacts that are known as the step ends: of soft ones, and of those that press quasi-static bodies; the residual
# with which a step with contact was solved: what moving supports bear.
Q, Q_SCALE, Q_NOISE, MIDDLE, RATE, ACCELERATION, X_OLD, STEP_OLD, STEP, WEIGHT, GUESS, DRIVEN, GIVEN, BORNE = range(14)
ROWS = 14
# Constraint values in Newton's method, their scale; multipliers of the iterate before, and those that it ended with; values at
# both ends of the step; multipliers that work is done with; none; rates of constraints.
C, C_SCALE, HELD_OLD, SOLVED, VALUES_BEFORE, VALUES, MEAN, NONE, WANTED = range(9)
HELD = 9


@table
class Record(NamedTuple):
    """What is kept of a block of steps: numbers of every step, frames of some."""

    scalars: Numbers2  # (steps, SCALARS), see `account.py`
    linear: Numbers2  # (steps, d)
    angular: Numbers2  # (steps, 3)
    frames: Frames
