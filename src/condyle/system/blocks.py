"""The equations of a system in blocks of 3 × 3 or 2 × 2, eliminated in an order that is found once.

In space a rigid body is two blocks (δr, δθ), a free row one, a point joint one. In the plane a rigid body is one block
(δx, δy, δθ), or two of a smaller size (δr, δθ) where nodes of meshes and cables are more than bodies. Scalar multipliers of
one part share blocks; what is left of a block is padded with ones on the diagonal.
The order is that of minimum degree; a multiplier comes only when the bodies that are gone give it a pivot (`_Groups`).
Entries that elimination fills have their place from the start, so that the tables of laws scatter straight into the
storage of the factors (`linear/block_lu.py`).
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.system.couplings import find_couplings
from condyle.system.pattern import all_pairs, any_of_each, counted, distinct
from condyle.system.tables import FREE, Couplings, LawTable, MassTable, Rows, Schedule

if TYPE_CHECKING:
    from condyle.system.pattern import Pattern
    from condyle.system.system import System

Index = NDArray[np.int64]
MOST_PRODUCTS = {2: 1_200_000, 3: 600_000}  # of blocks, by their size, in a factorisation: above, others are faster


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
    place: Index  # (entries of the system's pattern,) in block storage

    def couplings(self, system: System) -> Couplings:
        """Where the constraint gradients are."""
        lever = np.zeros(self.size)
        lever[self.unknown] = system.levers
        row, column = self.unknown[system.pattern.rows()], self.unknown[system.pattern.indices]
        return find_couplings(row, column, self.place, self.unknown[system.motion_unknowns :], lever)


def in_blocks(system: System) -> Blocks | None:
    """The block form of a system, or None if elimination would fill too much of it."""
    held = frozenset(_held_by_ground(system, _place_unknowns(system)[0]))
    found = system.layout.once(("blocks", held), lambda: in_wider_blocks(system, system.pattern, []))
    if found is None:
        return None
    blocks, laws, numbers = found[0], system.laws, system.rows  # perhaps those of another system with the same layout
    return blocks._replace(
        rows=blocks.rows._replace(drag=numbers.drag, size=numbers.size, pace=numbers.pace),
        mass=blocks.mass._replace(value=system.tangent_mass.value),
        laws=blocks.laws._replace(
            weights=laws.weights, measure=laws.measure, params=laws.params, damping=laws.damping, viscosity=laws.viscosity,
            past=laws.past,
        ),
    )  # fmt: skip


def in_wider_blocks(
    system: System, whole: Pattern, widths: Sequence[int]
) -> tuple[Blocks, Callable[[Index, Index], Index]] | None:
    """The blocks of a system with more unknowns: multipliers of contact stand after its own, so many in each block.

    whole: the pattern of all. They go last: what is open has a pivot of its own, what is closed that of its bodies. Returns
    also where an entry stands, of places in a vector.
    """
    size = block_size(system)
    unknown, motion, blocks = _place_unknowns(system)
    last = range(blocks, blocks + len(widths))
    more = [size * (blocks + k) + np.arange(width) for k, width in enumerate(widths)]
    held = _held_by_ground(system, unknown)
    unknown, blocks = np.concatenate([unknown, *more]), blocks + len(widths)
    pattern = system.pattern
    key = distinct(unknown[whole.rows()] // size * blocks + unknown[whole.indices] // size)
    pairs = np.stack((key // blocks, key % blocks))
    body = _bodies(system, unknown, motion // size)
    most = MOST_PRODUCTS[size] + 200 * blocks
    found = _eliminate(pairs, blocks, motion // size, body, held, most, last)
    if found is None:
        return None
    order, later = _by_branches(*found)
    rank = np.empty(blocks, dtype=np.int64)
    rank[order] = np.arange(blocks)
    counts = np.array([len(n) for n in later], dtype=np.int64)
    row, column = np.repeat(np.arange(blocks), counts), rank[np.concatenate([np.zeros(0, dtype=np.int64), *later])]

    def stored(i: Index, j: Index) -> Index:
        """Blocks that a pivot eliminates stand together, pivot after pivot: itself, its row, its column."""
        return (np.minimum(i, j) * 2 + (i > j)) * blocks + np.maximum(i, j)

    own = np.arange(blocks)
    key = np.sort(np.concatenate((stored(own, own), stored(row, column), stored(column, row))))

    def place(i: Index, j: Index) -> Index:
        return np.searchsorted(key, stored(rank[i], rank[j]))

    def slot(i: Index, j: Index) -> Index:
        return size * size * place(i // size, j // size) + size * (i % size) + j % size

    at = slot(unknown[pattern.rows()], unknown[pattern.indices])
    schedule = _schedule(order, later, place, unknown, blocks, size)

    def moved(slots: Index) -> Index:
        return np.where(slots >= 0, at[np.maximum(slots, 0)], -1)

    r = system.rows
    rows = r._replace(
        unknown=np.where(r.unknown >= 0, unknown[np.maximum(r.unknown, 0)], -1),
        stride=np.full(len(r.stride), size, dtype=np.int64),
        body_slot=moved(r.body_slot),
    )
    mass = system.tangent_mass._replace(slot=moved(system.tangent_mass.slot))
    t = system.laws
    width = np.where(t.width > 0, size, 0)
    laws = t._replace(slots=moved(t.slots), column=moved(t.column), line=moved(t.line), width=width)
    return Blocks(rows, mass, laws, schedule, size * size * key.size, unknown, motion, size * blocks, at), slot


def block_size(system: System) -> int:
    """Rows and columns of a block: 3, and 2 in the plane where more rows are nodes than rigid bodies."""
    nodes = int(np.count_nonzero(system.rows.kind == FREE)) - len(system.rigid)
    return 2 if system.d == 2 and nodes > len(system.rigid) else 3


def _place_unknowns(system: System) -> tuple[Index, int, int]:
    """Where each unknown stands in a vector of the blocks; how many numbers of it are motion; how many blocks."""
    rows, d, size = system.rows, system.d, block_size(system)
    unknown = np.full(system.unknowns, -1, dtype=np.int64)
    origin = dict(zip(rows.bodies[:, 0].tolist(), (r for r, _ in system.rigid), strict=True)) if size > d else {}
    shared = {r: first for first, r in origin.items()}  # in the plane: origin of a body -> its first director
    free = np.flatnonzero(rows.kind == FREE)
    unknown[rows.unknown[free][:, None] + np.arange(d)] = size * np.arange(free.size)[:, None] + np.arange(d)
    for r, first in shared.items():
        unknown[rows.unknown[first]] = unknown[rows.unknown[r]] + 2
    block = free.size
    if size == d:
        for u in rows.unknown[rows.bodies[:, 0]]:
            turns = 3 if d == 3 else 1
            unknown[u : u + turns] = size * block + np.arange(turns)
            block += 1
    motion = size * block
    links = d * system.links.law.size
    filled, owner = size, ""
    for k, u in enumerate(system.multiplier_unknowns):
        if u < 0:
            continue
        part = f"link {k // d}" if k < links else system.multipliers[k].part
        if part != owner or filled == size:
            block, filled, owner = block + 1, 0, part
        unknown[u] = size * (block - 1) + filled
        filled += 1
    return unknown, motion, block


def _bodies(system: System, unknown: Index, motion: int) -> Index:
    """For each block of motion, the number of the body it belongs to, shape (blocks of motion,)."""
    out, size = np.arange(motion), block_size(system)
    for r, directors in system.rigid if not system.identity else ():
        out[unknown[system.rows.unknown[directors[0]]] // size] = unknown[system.rows.unknown[r]] // size
    return out


def _held_by_ground(system: System, unknown: Index) -> set[int]:
    """Blocks of multipliers that feel it when all bodies move together: on fixed rows, or on absolute places."""
    out: set[int] = set()
    size = block_size(system)
    for table in (system.links, system.constraints, system.rates):
        # Of each gathered vector: its law, its number of rows, and where its weights begin (of the law's first point).
        law, rows = np.repeat(np.arange(table.law.size), table.vectors), np.diff(table.row_start)
        begin = table.weight_start[table.point_start[:-1]][law] + rows[law] * counted(table.vectors)
        vector, entry = np.repeat(np.arange(law.size), rows[law]), counted(rows[law])
        parts = (
            table.weights[begin[vector] + entry] * system.translation[table.rows[table.row_start[law[vector]] + entry]]
        )
        absolute = np.abs(np.bincount(vector, parts, law.size)) > 1e-9
        felt = any_of_each(absolute, np.concatenate(([0], np.cumsum(table.vectors))))
        felt |= any_of_each(~system.moving[table.rows], table.row_start)
        u = system.multiplier_unknowns[table.channel[felt]]
        out.update((unknown[u[u >= 0]] // size).tolist())
    return out


def _eliminate(
    pairs: Index, blocks: int, motion: int, body: Index, on_ground: set[int], most: int, last: range = range(0)
) -> tuple[list[int], list[Index]] | None:
    """Blocks in order of elimination, each with the later blocks it is coupled to; None if `most` products do not do."""
    first, second = pairs[:, pairs[0] != pairs[1]]
    ends = np.searchsorted(first, np.arange(blocks + 1)).tolist()  # they are sorted by the first
    partners = second.tolist()
    near = [set(partners[begin:end]) for begin, end in itertools.pairwise(ends)]
    groups = _Groups(near, motion, body, on_ground, last)
    heap = [(len(near[k]), k) for k in range(blocks) if k < motion or groups.allow(k)]
    heapq.heapify(heap)
    free = [k < motion for k in range(blocks)]
    for _, k in heap:
        free[k] = True
    gone = [False] * blocks
    order: list[int] = []
    later: list[Index] = []
    products = 0
    while heap:
        degree, k = heapq.heappop(heap)
        if gone[k] or not free[k] or degree != len(near[k]):
            continue
        if k >= motion and not groups.allow(k):  # others went since it was set free
            free[k] = False
            continue
        gone[k] = True
        others = near[k]
        products += len(others) ** 2
        if products > most:
            return None
        order.append(k)
        later.append(np.array(sorted(others), dtype=np.int64))
        for i in others:
            near[i] |= others
            near[i] -= {i, k}
        for m in groups.take(k):
            if not free[m] and groups.allow(m):
                free[m] = True
                heapq.heappush(heap, (len(near[m]), m))
        for i in others:
            if free[i]:
                heapq.heappush(heap, (len(near[i]), i))
    return order, later


def _by_branches(order: list[int], later: list[Index]) -> tuple[list[int], list[Index]]:
    """The same elimination, one branch after another, so that neighbours in time are neighbours in memory.

    A pivot feels only those before it that reach it: each reaches the first of its later blocks (its parent), and through it
    all others. In any order that keeps children before their parents every pivot block is the same.
    """
    rank = {k: i for i, k in enumerate(order)}
    children: list[list[int]] = [[] for _ in order]
    roots: list[int] = []
    for i, others in enumerate(later):
        above = min((rank[k] for k in others.tolist()), default=-1)
        (children[above] if above >= 0 else roots).append(i)
    turned, waiting = [], roots  # parents first, the last branch first; then turned round
    while waiting:
        i = waiting.pop()
        turned.append(i)
        waiting += children[i]
    return [order[i] for i in turned[::-1]], [later[i] for i in turned[::-1]]


class _Groups:
    """Which multipliers have a pivot, of bodies that are gone, joined to groups by the multipliers that are gone with them.

    A group has a regular matrix if its constraints are independent on its own bodies. Where they act on one body outside at
    most (the ground is one), they are as independent as in the whole model, because nothing changes for them when all bodies
    move together. Between two bodies outside they may hold these against each other, as a body on two hinges does with both
    of its neighbours: the pivot of the last multiplier would be zero, so it waits. Those that may be open (`last`)
    join nothing, and wait for all their bodies.
    """

    GROUND = -1

    def __init__(self, near: list[set[int]], motion: int, body: Index, on_ground: set[int], last: range) -> None:
        self._body, self._motion, self._last = body, motion, last
        self._held = {m: {int(body[k]) for k in near[m] if k < motion} for m in range(motion, len(near))}
        self._acting: dict[int, set[int]] = {}  # multipliers on each body
        for m, bodies in self._held.items():
            for b in bodies:
                self._acting.setdefault(b, set()).add(m)
            if m in on_ground:
                bodies.add(self.GROUND)
        self._blocks_left = dict(zip(*(a.tolist() for a in np.unique(body, return_counts=True)), strict=True))
        self._head: dict[int, int] = {}  # of bodies that are gone: another one of the group, itself for its head
        self._outside: dict[int, set[int]] = {}  # by head: bodies outside that the group's multipliers act on
        self._waiting: dict[int, set[int]] = {}  # by head: multipliers on the group that are not gone
        self._bordering: dict[int, set[int]] = {}  # by body: groups that it is outside of

    def allow(self, m: int) -> bool:
        """May this multiplier go now?"""
        bodies = self._held[m]
        if m in self._last:
            return bodies <= self._head.keys() | {self.GROUND}
        groups = {self._find(b) for b in bodies if b in self._head}
        if not groups:
            return not bodies - {self.GROUND}
        outside = {b for b in bodies if b not in self._head}.union(*(self._outside[g] for g in groups))
        return len(outside) <= 1

    def take(self, k: int) -> set[int]:
        """Block k is gone; returns the multipliers that may now go."""
        if k >= self._motion:
            if k not in self._last:
                self._connect(k)
            return set()
        b = int(self._body[k])
        self._blocks_left[b] -= 1
        if self._blocks_left[b]:
            return set()
        self._head[b], self._outside[b], self._waiting[b] = b, set(), set(self._acting.get(b, ()))
        for group in self._bordering.pop(b, set()):
            self._join(b, group)
        head = self._find(b)
        self._outside[head].discard(b)
        return set(self._waiting[head])

    def _connect(self, m: int) -> None:
        bodies = self._held[m]
        inside = [b for b in bodies if b in self._head]
        for b in inside[1:]:
            self._join(inside[0], b)
        if inside:
            head = self._find(inside[0])
            outside = {b for b in bodies if b not in self._head}
            self._outside[head] |= outside
            self._waiting[head].discard(m)
            for b in outside:
                self._bordering.setdefault(b, set()).add(head)

    def _join(self, one: int, two: int) -> None:
        one, two = self._find(one), self._find(two)
        if one == two:
            return
        if len(self._waiting[one]) < len(self._waiting[two]):
            one, two = two, one
        self._head[two] = one
        self._outside[one] |= self._outside.pop(two)
        self._waiting[one] |= self._waiting.pop(two)

    def _find(self, b: int) -> int:
        while self._head[b] != b:
            self._head[b] = self._head[self._head[b]]
            b = self._head[b]
        return b


def _schedule(
    order: list[int], later: list[Index], place: Callable[[Index, Index], Index], unknown: Index, blocks: int, size: int
) -> Schedule:
    pivot = np.array(order, dtype=np.int64)
    counts = np.array([len(n) for n in later], dtype=np.int64)
    other = np.concatenate([*later, np.zeros(0, dtype=np.int64)])
    owner = np.repeat(pivot, counts)
    left, right = all_pairs(later)
    lone = np.setdiff1d(np.arange(size * blocks), unknown)
    square = size * size
    return Schedule(
        size,
        pivot,
        square * place(pivot, pivot),
        np.concatenate(([0], np.cumsum(counts))),
        other,
        square * place(other, owner),
        square * place(owner, other),
        np.concatenate(([0], np.cumsum(counts**2))),
        square * place(left, right),
        square * place(lone // size, lone // size) + (size + 1) * (lone % size),
    )
