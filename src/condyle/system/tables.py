"""The compiled form of a model: flat arrays that the kernels loop over.

All families of laws (energies, constraints, forces) share one layout, `LawTable`; so there is one type to compile for.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

# How a row of the state follows from the unknowns (docs/architecture.md: tangent maps).
FIXED, FREE, DIRECTOR = 0, 1, 2

# Where laws are evaluated within a step.
END = 0  # everything at n+1
CONSERVING = 1  # discrete gradients between n and n+1 on the mid configuration; constraints hold at n+1
MIDPOINT = 2  # constraints and their gradients at the mid configuration

# How a constraint is held.
MULTIPLIER, AUGMENTED, UZAWA, PENALTY = 0, 1, 2, 3


class Rows(NamedTuple):
    """What the unknowns do to each row of the state x, shape (n, d)."""

    kind: np.ndarray  # (n,) FIXED, FREE or DIRECTOR
    unknown: np.ndarray  # (n,) first unknown of the row's block, −1 if fixed
    stride: np.ndarray  # (n,) stored matrix entries per row of that block
    bodies: np.ndarray  # (nb, d) director rows of each rigid body with tangent maps
    body_slot: np.ndarray  # (nb,) matrix position of the body's δθ–δθ block
    drag: np.ndarray  # (n,) rate α [1/s] of mass-proportional damping
    size: np.ndarray  # (n,) the least size that a row counts with: extent of the model [m], or 1 for unit vectors
    quasi: np.ndarray  # (n,) is it a row of a quasi-static body, without inertia?
    pace: (
        np.ndarray
    )  # (1,) 1/h of the step under way [1/s], from which rates of quasi-static bodies are made; 0: not stepping


class LawTable(NamedTuple):
    """Instances of local laws. Instance i gathers `vectors[i]` vectors from its rows at each of its points."""

    law: np.ndarray  # (ni,) code of the law
    vectors: np.ndarray  # (ni,) number ny of gathered vectors
    row_start: np.ndarray  # (ni + 1,) into rows
    rows: np.ndarray
    point_start: np.ndarray  # (ni + 1,) into measure and weight_start
    weight_start: np.ndarray  # (points + 1,) into weights
    weights: np.ndarray  # per point ny × nr
    measure: np.ndarray  # (points,) quadrature weight times volume [m³], or 1
    param_start: np.ndarray  # (ni + 1,) into params
    params: np.ndarray
    slot_start: np.ndarray  # (ni + 1,) into slots
    slots: np.ndarray  # per instance nr × nr matrix positions, −1 where a row is fixed
    channel: np.ndarray  # (ni,) function of time (forces) or first multiplier (constraints), −1 for none
    hold: (
        np.ndarray
    )  # (ni,) enforcement of a constraint; of an energy, how many of its vectors are gradients (`Instance`)
    column: np.ndarray  # like rows: matrix position of (row block, multiplier), −1 where there is none
    line: np.ndarray  # like rows: matrix position of (multiplier, row block)
    width: np.ndarray  # (ni,) stored matrix entries per row of the multiplier's block
    viscosity: np.ndarray  # (ni,) of an energy: time β [s] of stiffness-proportional damping, or −η [Pa s] of S = η Ċ
    drive: np.ndarray  # (ni,) function of time that a constraint follows, −1 for none
    at_end: np.ndarray  # (ni,) does it act on a quasi-static body, so that it is taken at n+1 by every method?
    past: (
        np.ndarray
    )  # (ni,) of an energy with fading memory: where in its params the stress of the past stands, else −1


class BodyTable(NamedTuple):
    """Rigid bodies with tangent maps: the part of the mass matrix between the rows r, d_1 … d_d of each one."""

    rows: np.ndarray  # (nb, d + 1)
    mass: np.ndarray  # (nb, d + 1, d + 1) [kg] (directors: kg m, kg m²)
    centre: np.ndarray  # (nb,) matrix position of the block δr–δr
    turning: np.ndarray  # (nb,) of δθ–δθ
    column: np.ndarray  # (nb,) of δr–δθ, −1 if the centre of mass is at r
    line: np.ndarray  # (nb,) of δθ–δr


class MassTable(NamedTuple):
    """The constant mass matrix m ⊗ 1 as triplets of rows, without repetition."""

    first: np.ndarray  # (nm,)
    second: np.ndarray  # (nm,)
    value: np.ndarray  # (nm,) [kg] (director rows: kg m, kg m²)
    slot: np.ndarray  # (nm,) matrix position, −1 where a row is fixed


class Parts(NamedTuple):
    """A whole system as the kernels take it: few arrays, so that handing them on costs little.

    The laws of all families stand in one table, energies, forces, links, constraints; `spans` (5,) says where each begins.
    Of large meshes it goes on with the ends of two shares of energies that have no row in common, see shares.py.
    """

    rows: Rows
    bodies: BodyTable
    mass: MassTable
    apart: int  # the first so many entries of the mass matrix are not within rigid bodies
    laws: LawTable
    spans: np.ndarray


class Couplings(NamedTuple):
    """Where a stored matrix keeps the constraint gradients: the entries of each multiplier, one after the other."""

    multiplier: np.ndarray  # (multipliers,) place in a vector
    diagonal: np.ndarray  # (multipliers,) place of its diagonal in the matrix
    start: np.ndarray  # (multipliers + 1,) into the entries
    line: np.ndarray  # (entries,) places in its line: ∂c/∂u
    column: np.ndarray  # (entries,) places of the same in its column: its force on u
    unknown: np.ndarray  # (entries,) place of u in a vector
    stiffness: np.ndarray  # (entries,) place of the diagonal of u
    lever: np.ndarray  # (entries,) [m]: 1 where u is a place, the extent of the model where u is a direction or turning
    all_stiffness: np.ndarray  # (motion,) places of the diagonals of all unknowns of motion
    all_lever: np.ndarray  # (motion,)


class Schedule(NamedTuple):
    """The order of elimination. Step k removes block `pivot[k]`, which is coupled to n_k blocks that come later."""

    pivot: np.ndarray  # (steps,) block
    diagonal: np.ndarray  # (steps,) place of its diagonal block
    start: np.ndarray  # (steps + 1,) into other, lower, upper
    other: np.ndarray  # the later blocks
    lower: np.ndarray  # places of the blocks (other, pivot)
    upper: np.ndarray  # places of the blocks (pivot, other)
    pair_start: np.ndarray  # (steps + 1,) into target
    target: np.ndarray  # n_k × n_k places of the blocks (other, other)
    padded: np.ndarray  # places of single diagonal entries that are one
