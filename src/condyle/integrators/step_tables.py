"""What compiled steps work on: the problem, the scheme, functions of time in tables, the motion, room, and what is recorded."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from condyle.integrators.extrapolation import Past
from condyle.system.tables import Couplings, MassTable, Parts, Schedule


class Scheme(NamedTuple):
    """A method of time stepping by its factors; its kinematics and its finish are in `midpoint.py` or `newmark.py`."""

    where: int  # CONSERVING or END: how stored energies and constraints are taken
    share: float  # of the step after which forces are taken, and multipliers belong: ½ or 1
    inertia: float  # h² ∂ẍ/∂x1
    rate: float  # h ∂ẋ/∂x1
    lead: float  # with which states of laws follow within a step, of h (laws/muscles.py)
    polished: bool  # is a converged iterate corrected once more?
    exact: bool  # is energy kept, so that a step that does not has failed?


class Redundant(NamedTuple):
    """How redundant constraints share their reactions; empty arrays where none depend on each other."""

    couplings: Couplings
    multiplier: np.ndarray  # which one each of the couplings is
    weight: np.ndarray  # of its square in the sum that is made the least (`system/reactions.py`)


class Problem(NamedTuple):
    """What does not change from step to step."""

    parts: Parts  # with places in block storage
    schedule: Schedule  # of the block elimination
    mass: MassTable  # the mass matrix without stand-ins
    gravity: np.ndarray  # (n, d) [N]
    rows: np.ndarray  # (2, n): 1 for positions, 0 for directions; 1 for rows that elements act on
    unit: np.ndarray  # (motion,) which residuals are judged together
    multipliers: np.ndarray  # (5, m), see the names below
    stiffness_l: np.ndarray
    stiffness_c: np.ndarray
    angles: np.ndarray  # (angles, 3): law in the table of all, place of its reference in the params, first vector
    tolerances: np.ndarray  # force, length, round-off
    most: int  # iterations
    share: float  # of the residual: factors are kept as long as an iteration leaves less; 0 for full Newton
    redundant: Redundant


# What is known of each multiplier: its enforcement; its place in a vector of the blocks, −1 if it is not iterated; the function
# of time that its constraint follows, −1 for none; is it iterated; its place in the stiffness of links, then of constraints.
HOLD, PLACE, DRIVE, LIVE, STIFF = range(5)


class Tables(NamedTuple):
    """Functions of time and prescribed rows for a block of steps."""

    sizes: np.ndarray  # (steps,) length h of each step [s]
    middle: np.ndarray  # (steps, functions) values at mid-step
    ends: np.ndarray  # (steps + 1, functions)
    rates: np.ndarray  # (steps, 2, functions) first and second derivatives at the end of each step
    gravity_middle: np.ndarray  # (steps,) factor of gravity
    gravity_ends: np.ndarray  # (steps + 1,)
    driven: np.ndarray  # rows that move as prescribed
    motion: np.ndarray  # (steps, 3 × driven rows, d) at the end of each step: places; velocities; accelerations


class Motion(NamedTuple):
    """A state. rows and bodies: what the scheme carries from step to step, by its own names."""

    x: np.ndarray  # (n, d)
    v: np.ndarray  # (n, d)
    multipliers: np.ndarray  # (m,)
    turns: np.ndarray  # (angles,)
    rows: np.ndarray  # (carried, n, d)
    bodies: np.ndarray  # (carried, bodies, 3)


class Work(NamedTuple):
    """Arrays that a step works on."""

    rows: np.ndarray  # (ROWS, n, d), see the names below
    vectors: np.ndarray  # (5, numbers of a vector of the blocks): residual, scale, noise, correction, sizes of inertia
    held: np.ndarray  # (HELD, m), see the names below
    turns: np.ndarray  # (2, bodies, 3) of this iterate, and of the one before
    A: np.ndarray
    inverse: np.ndarray
    tangent: np.ndarray  # the last matrix before it was factorised, kept where constraints are redundant
    control: np.ndarray  # of Newton's method (`convergence.py`)
    residuals: np.ndarray  # of the last step, relative to the tolerance
    past: Past


# Residual per row, its scale and noise; mid configuration, mean velocity and acceleration; the iterate before and how the rows
# moved in the step up to it; how they move; gravity; velocities of the first guess; accelerations of rows that are prescribed.
Q, Q_SCALE, Q_NOISE, MIDDLE, RATE, ACCELERATION, X_OLD, STEP_OLD, STEP, WEIGHT, GUESS, DRIVEN = range(12)
ROWS = 12
# Constraint values in Newton's method, their scale; multipliers of the iterate before, and those that it ended with; values at
# both ends of the step; multipliers that work is done with; none; rates of constraints.
C, C_SCALE, HELD_OLD, SOLVED, VALUES_BEFORE, VALUES, MEAN, NONE, WANTED = range(9)
HELD = 9


class Frames(NamedTuple):
    """`Motion` after the steps that are kept: a line of numbers each."""

    x: np.ndarray
    v: np.ndarray
    multipliers: np.ndarray
    turns: np.ndarray
    rows: np.ndarray
    bodies: np.ndarray


class Record(NamedTuple):
    """What is kept of a block of steps: numbers of every step, frames of some."""

    scalars: np.ndarray  # (steps, SCALARS), see `account.py`
    linear: np.ndarray  # (steps, d)
    angular: np.ndarray  # (steps, 3)
    frames: Frames
