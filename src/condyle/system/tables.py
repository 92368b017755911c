"""The compiled form of a model: flat arrays that the kernels loop over.

All families of laws (energies, constraints, forces) share one layout, `LawTable`; so there is one type to compile for.
"""

from __future__ import annotations

from typing import NamedTuple

from condyle.laws.columns import (
    EachFlag,
    EachInteger,
    EachNumber,
    Flags,
    Integers,
    Integers2,
    Numbers,
    Numbers3,
    Starts,
    table,
)

# How a row of the state follows from the unknowns (docs/architecture.md: tangent maps).
FIXED, FREE, DIRECTOR = 0, 1, 2

# Where laws are evaluated within a step.
END = 0  # everything at n+1
CONSERVING = 1  # discrete gradients between n and n+1 on the mid configuration; constraints hold at n+1
MIDPOINT = 2  # constraints and their gradients at the mid configuration
NOWHERE = 3  # constraints are left out

# How a constraint is held.
MULTIPLIER, AUGMENTED, UZAWA, PENALTY = 0, 1, 2, 3


@table
class Rows(NamedTuple):
    """What the unknowns do to each row of the state x, shape (n, d)."""

    kind: Integers  # (n,) FIXED, FREE or DIRECTOR
    unknown: Integers  # (n,) first unknown of the row's block, −1 if fixed
    stride: Integers  # (n,) stored matrix entries per row of that block
    bodies: Integers2  # (nb, d) director rows of each rigid body with tangent maps
    body_slot: Integers  # (nb,) matrix position of the body's δθ–δθ block
    drag: Numbers  # (n,) rate α [1/s] of mass-proportional damping
    size: Numbers  # (n,) the least size that a row counts with: extent of the model [m], or 1 for unit vectors
    quasi: Flags  # (n,) is it a row of a quasi-static body, without inertia?
    pace: Numbers  # (1,) 1/h of the step under way [1/s], from which rates of quasi-static bodies are made; 0: not stepping


@table
class LawTable(NamedTuple):
    """Instances of local laws. Instance i gathers `vectors[i]` vectors from its rows at each of its points."""

    law: EachInteger  # (ni,) code of the law
    vectors: EachInteger  # (ni,) number ny of gathered vectors
    row_start: Starts  # (ni + 1,) into rows
    rows: Integers
    point_start: Starts  # (ni + 1,) into measure and weight_start
    weight_start: Integers  # (points + 1,) into weights
    weights: Numbers  # per point ny × nr
    measure: Numbers  # (points,) quadrature weight times volume [m³], or 1
    param_start: Starts  # (ni + 1,) into params
    params: Numbers
    slot_start: Starts  # (ni + 1,) into slots
    slots: Integers  # per instance nr × nr matrix positions, −1 where a row is fixed
    channel: EachInteger  # (ni,) function of time (forces) or first multiplier (constraints), −1 for none
    hold: EachInteger  # (ni,) enforcement of a constraint
    gradients: EachInteger  # (ni,) of an energy: so many of its vectors are material gradients (`Instance.columns`)
    column: Integers  # like rows: matrix position of (row block, multiplier), −1 where there is none
    line: Integers  # like rows: matrix position of (multiplier, row block)
    width: EachInteger  # (ni,) stored matrix entries per row of the multiplier's block
    damping: EachNumber  # (ni,) of an energy: time β [s] of stiffness-proportional damping
    viscosity: EachNumber  # (ni,) of an energy: η [Pa s] of S = η Ċ
    drive: EachInteger  # (ni,) function of time that a constraint follows, −1 for none
    at_end: EachFlag  # (ni,) does it act on a quasi-static body, so that it is taken at n+1 by every method?
    past_start: Starts  # (ni + 1,) into past; empty but for energies with fading memory
    past: Numbers  # what is left of the stress of the past in this step: c, then per point B (ny × ny), see fading.py


@table
class BodyTable(NamedTuple):
    """Rigid bodies with tangent maps: the part of the mass matrix between the rows r, d_1 … d_d of each one."""

    rows: Integers2  # (nb, d + 1)
    mass: Numbers3  # (nb, d + 1, d + 1) [kg] (directors: kg m, kg m²)
    centre: Integers  # (nb,) matrix position of the block δr–δr
    turning: Integers  # (nb,) of δθ–δθ
    column: Integers  # (nb,) of δr–δθ, −1 if the centre of mass is at r
    line: Integers  # (nb,) of δθ–δr


@table
class MassTable(NamedTuple):
    """The constant mass matrix m ⊗ 1 as triplets of rows, without repetition."""

    first: Integers  # (nm,)
    second: Integers  # (nm,)
    value: Numbers  # (nm,) [kg] (director rows: kg m, kg m²)
    slot: Integers  # (nm,) matrix position, −1 where a row is fixed


@table
class WholeSystem(NamedTuple):
    """A whole system as the kernels take it: few arrays, so that handing them on costs little.

    The laws of all families stand in one table: energies, forces, links, constraints, rates; `spans` (6,) says where each
    begins. Of large meshes it goes on with the ends of two groups of energies that have no row in common, see
    thread_groups.py.
    """

    rows: Rows
    bodies: BodyTable
    mass: MassTable
    apart: int  # the first so many entries of the mass matrix are not within rigid bodies
    laws: LawTable
    spans: Integers


@table
class Couplings(NamedTuple):
    """Where a stored matrix keeps the constraint gradients: the entries of each multiplier, one after the other."""

    multiplier: Integers  # (multipliers,) place in a vector
    diagonal: Integers  # (multipliers,) place of its diagonal in the matrix
    start: Integers  # (multipliers + 1,) into the entries
    line: Integers  # (entries,) places in its line: ∂c/∂u
    column: Integers  # (entries,) places of the same in its column: its force on u
    unknown: Integers  # (entries,) place of u in a vector
    stiffness: Integers  # (entries,) place of the diagonal of u
    lever: Numbers  # (entries,) [m]: 1 where u is a place, the extent of the model where u is a direction or turning
    all_stiffness: Integers  # (motion,) places of the diagonals of all unknowns of motion
    all_lever: Numbers  # (motion,)


@table
class Schedule(NamedTuple):
    """The order of elimination. Step k removes block `pivot[k]`, which is coupled to n_k blocks that come later."""

    size: int  # rows and columns of a block, 2 or 3
    pivot: Integers  # (steps,) block
    diagonal: Integers  # (steps,) place of its diagonal block
    start: Integers  # (steps + 1,) into other, lower, upper
    other: Integers  # the later blocks
    lower: Integers  # places of the blocks (other, pivot)
    upper: Integers  # places of the blocks (pivot, other)
    pair_start: Integers  # (steps + 1,) into target
    target: Integers  # n_k × n_k places of the blocks (other, other)
    padded: Integers  # places of single diagonal entries that are one
