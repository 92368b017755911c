"""The equations of a multibody system in blocks of 3 × 3, eliminated in an order that is found once.

In space a rigid body is two blocks (δr, δθ), a free row one, a point joint one; in the plane a rigid body is one block
(δx, δy, δθ). Scalar multipliers of one part share blocks; what is left of a block is padded with ones on the diagonal.
The order is that of minimum degree; a multiplier comes only after a body it acts on, whose elimination gives it a pivot.
Entries that elimination fills have their place from the start, so that the tables of laws scatter straight into the
storage of the factors (`linear/block_lu.py`).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.system.tables import FREE, LawTable, MassTable, Rows, Schedule

if TYPE_CHECKING:
    from condyle.system.system import System

Index = NDArray[np.int64]
SIZE = 3  # of a block
MOST_PRODUCTS = 400_000  # of blocks, per factorisation: above it other solvers are faster


class Blocks(NamedTuple):
    """A system's tables with places in block storage, the schedule, and where its unknowns went."""

    rows: Rows
    mass: MassTable
    laws: LawTable
    schedule: Schedule
    entries: int  # stored numbers
    unknown: Index  # (unknowns of the system,) place in a vector of the blocks
    motion: int  # numbers of a vector that belong to the motion; the multipliers come after them
    size: int  # numbers of a vector


def in_blocks(system: System) -> Blocks | None:
    """The block form of a system, or None if elimination would fill too much of it."""
    unknown, motion, blocks = _place_unknowns(system)
    pattern = system.pattern
    row_of, col_of = unknown[pattern.rows()], unknown[pattern.indices]
    pairs = np.unique(np.stack((row_of // SIZE, col_of // SIZE)), axis=1)
    found = _eliminate(pairs, blocks, motion // SIZE, _bodies(system, unknown, motion // SIZE))
    if found is None:
        return None
    order, later = found
    first = np.concatenate([np.full(len(n) + 1, k) for k, n in zip(order, later, strict=True)])
    second = np.concatenate([np.append(n, k) for k, n in zip(order, later, strict=True)])
    key = np.unique(np.concatenate((first * blocks + second, second * blocks + first)))

    def place(i: Index, j: Index) -> Index:
        return np.searchsorted(key, np.asarray(i, dtype=np.int64) * blocks + j)

    at = SIZE * SIZE * place(row_of // SIZE, col_of // SIZE) + SIZE * (row_of % SIZE) + col_of % SIZE
    schedule = _schedule(order, later, place, unknown, blocks)

    def moved(slots: Index) -> Index:
        return np.where(slots >= 0, at[np.maximum(slots, 0)], -1)

    r = system.rows
    rows = r._replace(
        unknown=np.where(r.unknown >= 0, unknown[np.maximum(r.unknown, 0)], -1),
        stride=np.full(len(r.stride), SIZE, dtype=np.int64),
        body_slot=moved(r.body_slot),
    )
    mass = system.tangent_mass._replace(slot=moved(system.tangent_mass.slot))
    t = system.laws
    width = np.where(t.width > 0, SIZE, 0)
    laws = t._replace(slots=moved(t.slots), column=moved(t.column), line=moved(t.line), width=width)
    return Blocks(rows, mass, laws, schedule, SIZE * SIZE * key.size, unknown, motion, SIZE * blocks)


def _place_unknowns(system: System) -> tuple[Index, int, int]:
    """Where each unknown stands in a vector of the blocks; how many numbers of it are motion; how many blocks."""
    rows, d = system.rows, system.d
    unknown = np.full(system.unknowns, -1, dtype=np.int64)
    block = 0
    origin = dict(zip(rows.bodies[:, 0].tolist(), (r for r, _ in system.builder.rigid), strict=True)) if d == 2 else {}
    shared = {r: first for first, r in origin.items()}  # in the plane: origin of a body -> its first director
    for row in np.flatnonzero(rows.kind == FREE):
        unknown[rows.unknown[row] : rows.unknown[row] + d] = SIZE * block + np.arange(d)
        if int(row) in shared:
            unknown[rows.unknown[shared[int(row)]]] = SIZE * block + 2
        block += 1
    if d == 3:
        for u in rows.unknown[rows.bodies[:, 0]]:
            unknown[u : u + 3] = SIZE * block + np.arange(3)
            block += 1
    motion = SIZE * block
    links = d * system.links.law.size
    filled, owner = SIZE, ""
    for k, u in enumerate(system.multiplier_unknowns):
        if u < 0:
            continue
        part = f"link {k // d}" if k < links else system.multipliers[k].part
        if part != owner or filled == SIZE:
            block, filled, owner = block + 1, 0, part
        unknown[u] = SIZE * (block - 1) + filled
        filled += 1
    return unknown, motion, block


def _bodies(system: System, unknown: Index, motion: int) -> Index:
    """For each block of motion, the number of the body it belongs to, shape (blocks of motion,)."""
    out = np.arange(motion)
    for r, directors in system.builder.rigid if not system.identity else ():
        out[unknown[system.rows.unknown[directors[0]]] // SIZE] = unknown[system.rows.unknown[r]] // SIZE
    return out


def _eliminate(pairs: Index, blocks: int, motion: int, body: Index) -> tuple[list[int], list[Index]] | None:
    """Blocks in order of elimination, each with the later blocks it is coupled to; None if there are too many products."""
    near: list[set[int]] = [set() for _ in range(blocks)]
    for i, j in pairs.T.tolist():
        if i != j:
            near[i].add(j)
    # A multiplier waits until one of its bodies is gone.
    waits: list[dict[int, int]] = [{} for _ in range(blocks)]
    for m in range(motion, blocks):
        for k in near[m]:
            if k < motion:
                waits[m][int(body[k])] = waits[m].get(int(body[k]), 0) + 1
    held = {m: [k for k in near[m] if k >= motion] for m in range(motion)}
    free = [k < motion or not waits[k] for k in range(blocks)]
    heap = [(len(near[k]), k) for k in range(blocks) if free[k]]
    heapq.heapify(heap)
    gone = [False] * blocks
    order: list[int] = []
    later: list[Index] = []
    products = 0
    while heap:
        degree, k = heapq.heappop(heap)
        if gone[k] or degree != len(near[k]):
            continue
        gone[k] = True
        others = near[k]
        products += len(others) ** 2
        if products > MOST_PRODUCTS + 200 * blocks:
            return None
        order.append(k)
        later.append(np.array(sorted(others), dtype=np.int64))
        for i in others:
            near[i] |= others
            near[i] -= {i, k}
        for m in held.get(k, ()):
            waits[m][int(body[k])] -= 1
            if waits[m][int(body[k])] == 0 and not free[m]:
                free[m] = True
                heapq.heappush(heap, (len(near[m]), m))
        for i in others:
            if free[i]:
                heapq.heappush(heap, (len(near[i]), i))
    return order, later


def _schedule(
    order: list[int], later: list[Index], place: Callable[[Index, Index], Index], unknown: Index, blocks: int
) -> Schedule:
    pivot = np.array(order, dtype=np.int64)
    counts = np.array([len(n) for n in later], dtype=np.int64)
    other = np.concatenate([*later, np.zeros(0, dtype=np.int64)])
    owner = np.repeat(pivot, counts)
    left = np.concatenate([*(np.repeat(n, len(n)) for n in later), np.zeros(0, dtype=np.int64)])
    right = np.concatenate([*(np.tile(n, len(n)) for n in later), np.zeros(0, dtype=np.int64)])
    lone = np.setdiff1d(np.arange(SIZE * blocks), unknown)
    nine = SIZE * SIZE
    return Schedule(
        pivot,
        nine * place(pivot, pivot),
        np.concatenate(([0], np.cumsum(counts))),
        other,
        nine * place(other, owner),
        nine * place(owner, other),
        np.concatenate(([0], np.cumsum(counts**2))),
        nine * place(left, right),
        nine * place(lone // SIZE, lone // SIZE) + (SIZE + 1) * (lone % SIZE),
    )
