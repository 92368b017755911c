"""Where everything that contacts add to the equations of a system stands.

Multipliers of contact are unknowns behind those of the system, and one matrix has both: a sparse one for steps in Python
(`pattern`), blocks for compiled steps (`blocks`). Both contain the entries of the system, so
that nothing else knows of contact.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.contact.collision_pair import KNOWN, CollisionPair
from condyle.contact.deformable import FacetPair
from condyle.contact.mortar import MortarPair
from condyle.contact.neighbours import FEW, Neighbours
from condyle.contact.over_pieces import few_enough, keys_of, pieces_table
from condyle.contact.pair import RigidPair
from condyle.contact.shape_pair import RIGID, ShapePair
from condyle.contact.step import LAG, ContactStep
from condyle.contact.surface import Array
from condyle.contact.tables import touching_table, why_not_compiled
from condyle.system.blocks import Blocks, block_size, in_wider_blocks
from condyle.system.couplings import find_couplings, no_couplings
from condyle.system.linear import LinearSolver, bordered_solver
from condyle.system.linear.krylov import KrylovSolver
from condyle.system.pattern import Pattern, distinct
from condyle.system.tables import Couplings
from condyle.system.touching.entries import find_entries, with_couples
from condyle.system.touching.tables import Touching

if TYPE_CHECKING:
    from condyle.system.running import RunningSystem

MANY = 48  # shapes of a group whose matrix is not eliminated in blocks any more, beside multipliers of contact or in Python
LAID_OUT = ("keys", "pattern", "system_at", "diagonal", "fixed", "couplings", "touching")  # with the matrix

Places = Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.int64]]  # where entries of a matrix stand
Pair = RigidPair | ShapePair | FacetPair | MortarPair  # those that Newton's method takes; `PatchPair` is for impulses


class ContactLayout:
    """Unknowns, matrices and tables of all contacts of a system."""

    def __init__(self, system: RunningSystem) -> None:
        self.system = system
        # Pairs and surfaces follow the points of this run; the weights of the points are those of all runs.
        known = {id(pair.points): pair.points for pair in system.contacts}
        self.pairs: list[Pair] = deepcopy(list(system.contacts), known)
        for pair in self.pairs:
            pair.prepare(system)
        self._still = {system.row_owner[row] for row in system.quasi_static}
        # Weights in energy–momentum steps of forces on quasi-static bodies (`ContactStep.pressing_still`).
        self.implicit_rows, self.implicit_unknowns = np.full(system.n, 1.0 + LAG), np.full(system.unknowns, 1.0 + LAG)
        self.implicit_rows[system.quasi_static] = 1.0
        own = system.rows.unknown[system.quasi_static]
        self.implicit_unknowns[(own[own >= 0, None] + np.arange(system.d)).ravel()] = 1.0
        counts = np.array([p.count for p in self.pairs])
        self.point_start = np.concatenate(([0], np.cumsum(counts)))
        self.force_start = np.concatenate(([0], np.cumsum([p.count * p.reported for p in self.pairs])))
        self.unknown_start = system.unknowns + np.concatenate(([0], np.cumsum([p.count * p.width for p in self.pairs])))
        self.unknowns = int(self.unknown_start[-1])
        self.kernels = True  # are contacts that kernels know left to them?
        # Rigid shapes against each other, where kernels take them.
        self.neighbours: Neighbours | None = None
        if any(isinstance(pair, ShapePair) for pair in self.pairs) and not self._not_compiled:
            self.neighbours = Neighbours(system, self.pairs, self.point_start)
            start = system.x_start
            self.neighbours.gather(start, np.zeros_like(start), None, np.zeros((int(counts.sum()), KNOWN + 2)))
        # Which of the forces that are kept are multipliers.
        self.held = np.repeat([not p.soft for p in self.pairs], [p.count * p.reported for p in self.pairs])
        self.levers = np.concatenate((system.levers, np.zeros(self.unknowns - system.unknowns)))
        self.build(system.x_start)

    def build(self, x: Array) -> None:
        """Lay out the matrix anew, with facets that move as near at x; that of a pile when it is asked for."""
        # Compiled steps have room for all pieces of a target: theirs follows from couples of shapes alone.
        for name in LAID_OUT if self.iterated or self.neighbours is None else (*LAID_OUT, "blocks"):
            self.__dict__.pop(name, None)
        # Columns that each pair had last, and where their blocks stand: points seldom come to other facets.
        self._placed: dict[int, tuple[NDArray[np.int64], tuple[NDArray[np.int64], NDArray[np.bool_]]]] = {}
        self._solver: LinearSolver | None = None
        self.stepping: ContactStep | None = None  # that kernels were told of last
        self._near_at = x
        if not self.iterated:
            _ = self.touching

    @cached_property
    def keys(self) -> NDArray[np.int64]:
        """row · n + column of all entries: those of the system, of each point with its rows and multipliers, of couples."""
        s, n, near = self.system.pattern, self.unknowns, self.neighbours if self._knows_couples else None
        keys = [s.rows().astype(np.int64) * n + s.indices]
        for k, pair in enumerate(self.pairs):
            columns = (
                pair.reserve(self._near_at)
                if isinstance(pair, FacetPair | MortarPair | CollisionPair)
                else pair.columns
            )
            if pair.width or not isinstance(pair, CollisionPair):
                keys.append(_keys(self.with_multipliers(k, columns), n)[0])
            if isinstance(pair, CollisionPair):
                keys.append(_keys(pair.couplings(), n)[0])
                if near is not None and pair.width:
                    keys.append(_keys(self.with_multipliers(k, near.columns_of_places(k)), n)[0])
        diagonal = np.arange(n, dtype=np.int64)
        found = distinct(np.concatenate([*keys, diagonal * (n + 1)]))
        if near is None:
            return found
        pattern = _pattern(found, n)
        indptr, indices = with_couples(pattern.indptr, pattern.indices, near.columns_of_couples())
        return np.asarray(np.repeat(diagonal, np.diff(indptr)) * n + indices)

    @cached_property
    def pattern(self) -> Pattern:
        """Of the whole matrix."""
        return _pattern(self.keys, self.unknowns)

    @cached_property
    def system_at(self) -> NDArray[np.int64]:
        """Where the entries of the system stand in the matrix."""
        s = self.system.pattern
        return np.searchsorted(self.keys, s.rows().astype(np.int64) * self.unknowns + s.indices)

    @cached_property
    def diagonal(self) -> NDArray[np.int64]:
        """Where the diagonal stands in the matrix."""
        return np.searchsorted(self.keys, np.arange(self.unknowns, dtype=np.int64) * (self.unknowns + 1))

    @cached_property
    def fixed(self) -> list[tuple[NDArray[np.int64], NDArray[np.bool_]] | None]:
        """Where the blocks of each pair stand, None of pairs whose points move over facets or shapes."""
        return [
            None if isinstance(pair, FacetPair | MortarPair | CollisionPair) else self.places(k, pair.columns)
            for k, pair in enumerate(self.pairs)
        ]

    @cached_property
    def couplings(self) -> Couplings:
        """Where the gradients of multipliers of contact stand."""
        own = np.arange(self.system.unknowns, self.unknowns)
        if not own.size:
            return no_couplings()
        rows = self.keys // self.unknowns
        return find_couplings(rows, self.pattern.indices, np.arange(self.keys.size), own, self.levers)

    @cached_property
    def touching(self) -> Touching | None:
        """All points as kernels take them in Python's steps, None where they do not know all of them."""

        def entries(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.int64]:
            out = np.empty((len(columns), rows.shape[1] * columns.shape[1]), dtype=np.int64)
            find_entries(self.pattern.indptr, self.pattern.indices, rows, columns, out)
            return out

        return self._table(lambda i, j: np.searchsorted(self.keys, i * self.unknowns + j), entries)

    def table_without_matrix(self) -> Touching | None:
        """The same for methods that need forces alone."""

        def nowhere(rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.int64]:
            return np.full((len(columns), rows.shape[1] * columns.shape[1]), -1, dtype=np.int64)

        return self._table(lambda i, j: np.full(i.shape, -1, dtype=np.int64), nowhere)

    def _table(self, slots: Places, entries: Places) -> Touching | None:
        """Where a surface deforms or a law or surface is not compiled, None."""
        rigid = [pair for pair in self.pairs if isinstance(pair, RIGID)]
        if self._not_compiled or self._over_pieces:
            return None
        if not self.kernels or (self.neighbours is not None and not self._knows_couples):
            return None
        s, n = self.system, self.unknowns
        return touching_table(
            rigid, list(map(self.strikes, rigid)), list(map(self.presses_still, rigid)), s.rows, np.arange(n), slots,
            np.arange(s.unknowns, n), 0, s.size, 0.0, None, self.neighbours, entries,
        )  # fmt: skip

    @cached_property
    def _not_compiled(self) -> str:
        """Why kernels cannot take a contact; empty if they take all."""
        if self._over_pieces and any(isinstance(pair, ShapePair) for pair in self.pairs):
            return "rigid shapes meet beside points over surfaces that deform"
        return next((why for why in map(why_not_compiled, self.pairs) if why), "")

    @cached_property
    def _over_pieces(self) -> dict[int, FacetPair]:
        """Pairs with points over pieces that deform, by their numbers."""
        return {k: pair for k, pair in enumerate(self.pairs) if isinstance(pair, FacetPair)}

    @property
    def _knows_couples(self) -> bool:
        return self.neighbours is not None and self.neighbours.changed > 0 and self.neighbours.fits

    @cached_property
    def blocks(self) -> tuple[Blocks, Callable[[NDArray[np.int64], NDArray[np.int64]], NDArray[np.int64]]] | None:
        """System and contact in blocks, for compiled steps, and where entries stand in them; None if these are too many."""
        if self.iterated:
            return in_wider_blocks(self.system.shared, self._alone(), [])
        if self._is_pile(MANY) or not few_enough(self._over_pieces.values(), block_size(self.system.shared)):
            return None
        widths = [pair.width for pair in self.pairs for _ in range(pair.count) if pair.width]
        return in_wider_blocks(self.system.shared, self._in_steps, widths)

    @cached_property
    def _in_steps(self) -> Pattern:
        """The pattern of compiled steps, where points may come to any piece of their targets."""
        if not self._over_pieces:
            return self.pattern
        n, rows = self.unknowns, self.system.rows
        more = [keys_of(pair, rows, self._held_of(k), n) for k, pair in self._over_pieces.items()]
        return _pattern(distinct(np.concatenate((self.keys, *more))), n)

    def _held_of(self, k: int) -> NDArray[np.int64]:
        """Multipliers of the points of a pair, as unknowns (n, m)."""
        pair = self.pairs[k]
        return self.unknown_start[k] + np.arange(pair.count * pair.width).reshape(pair.count, pair.width)

    def _alone(self) -> Pattern:
        """The pattern without products of bodies that only their shapes bring together."""
        assert self.neighbours is not None
        s, n = self.system.pattern, self.unknowns
        keys = [s.rows().astype(np.int64) * n + s.indices, _keys(self.neighbours.columns, n)[0]]
        keys += [_keys(pair.columns, n)[0] for pair in self.pairs if isinstance(pair, RigidPair)]
        return _pattern(distinct(np.concatenate(keys)), n)

    def entries(self, rows: NDArray[np.int64], columns: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where products of unknowns (m, p) with others (m, q), −1 for none, stand in `blocks`, (m, p q)."""
        assert self.blocks is not None
        blocks, slot = self.blocks
        i, j = np.broadcast_arrays(rows[:, :, None], columns[:, None, :])
        known = (i >= 0) & (j >= 0)
        out = np.full(known.shape, -1, dtype=np.int64)
        out[known] = slot(blocks.unknown[i[known]], blocks.unknown[j[known]])
        return out.reshape(len(rows), rows.shape[1] * columns.shape[1])  # of no couple too

    def compiled_table(self) -> Touching:
        """All points as compiled steps take them, with places in `blocks`."""
        assert self.blocks is not None
        s, (blocks, slot) = self.system, self.blocks
        pairs = [pair for pair in self.pairs if not isinstance(pair, MortarPair)]  # there is none
        own, couplings = blocks.unknown[s.unknowns :], no_couplings()
        if own.size:
            lever = np.zeros(blocks.size)
            lever[blocks.unknown] = self.levers
            row, column = blocks.unknown[self._in_steps.rows()], blocks.unknown[self._in_steps.indices]
            couplings = find_couplings(row, column, slot(row, column), own, lever)
        held = [self._held_of(k) for k in range(len(pairs))]
        over = self._over_pieces
        pieces = pieces_table(pairs, s.rows, held, self._in_steps, slot, blocks.unknown) if over else None
        return touching_table(
            pairs, list(map(self.strikes, pairs)), list(map(self.presses_still, pairs)), s.rows, blocks.unknown, slot, own,
            len(s.multipliers), s.size, s.least_stiffness, couplings, self.neighbours, self.entries,
            blocks.size if self.iterated else None, pieces,
        )  # fmt: skip

    def why_not_compiled(self, balances_end: bool, consistent: bool, over_pieces: bool = False) -> str:
        """Why steps with these contacts are taken in Python; empty if they are not.

        balances_end: does the method balance the end of a step; consistent: does it hold rates there, too? over_pieces: does it
        take points over pieces that deform?
        """
        found = self._not_compiled
        if not found and self._over_pieces and not over_pieces:
            name = next(iter(self._over_pieces.values())).name
            found = f"'{name}' is over a surface that deforms, which this method takes in Python"
        if not found and self.neighbours is not None and self.neighbours.changed and not self._knows_couples:
            found = "more rigid shapes are near each other than contact points have places"
        return found or (self._not_at_end[consistent] if balances_end else "")

    @cached_property
    def _not_at_end(self) -> tuple[str, str]:
        """Why methods that balance the end of a step take it in Python, without rates held there and with them."""
        still = {self.presses_still(pair) for pair in self.pairs}
        strikes, deform = still == {False}, any(pair.elastic and not pair.soft for pair in self.pairs)

        def found(consistent: bool) -> str:
            reasons = {
                "some contacts press quasi-static bodies and others do not": len(still) > 1,
                "bodies that deform are in hard contact, with hold='all'": consistent and strikes and deform,
            }
            return next((reason for reason, applies in reasons.items() if applies), "")

        return found(False), found(True)

    def with_multipliers(self, k: int, columns: NDArray[np.int64]) -> NDArray[np.int64]:
        """Columns of the points of pair k and of their multipliers, (n, nu + m)."""
        return np.concatenate((columns, self._held_of(k)), axis=1)

    def places(self, k: int, columns: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]] | None:
        """Where the entries of the blocks of pair k stand in the matrix, and which there are; None if one has no room."""
        known = self._placed.get(k)
        if known is not None and np.array_equal(known[0], columns):
            return known[1]
        keys, there = _keys(self.with_multipliers(k, columns), self.unknowns)
        at = np.searchsorted(self.keys, keys)
        found = (at < self.keys.size) & (self.keys[np.minimum(at, self.keys.size - 1)] == keys)
        if not found.all():
            return None
        self._placed[k] = (columns, (at, there))
        return at, there

    @property
    def solver(self) -> LinearSolver:
        """The solver of the whole matrix."""
        if self._solver is None:
            self._solver = solver = self._make_solver()
            solver.owner, solver.levers = self.owner, self.levers
            solver.least_stiffness = self.system.least_stiffness
        return self._solver

    @property
    def solver_used(self) -> str:
        """The solver that has factorised its matrices; empty if none has."""
        return "" if self._solver is None else self._solver.used

    def _make_solver(self) -> LinearSolver:
        s = self.system

        def direct() -> LinearSolver:
            return bordered_solver(self.pattern, s.solver_kind, s.mesh_nodes, self._modes, s.d)

        if s.solver_kind == "auto" and self._is_pile(MANY) and self.unknowns == s.motion_unknowns:
            return KrylovSolver(self.pattern, direct)
        return direct()

    def _modes(self) -> Array:
        """Rigid motions of free rows; multipliers of contact have none."""
        modes = self.system.modes()
        return np.concatenate((modes, np.zeros((self.unknowns - len(modes), modes.shape[1]))))

    @cached_property
    def iterated(self) -> bool:
        """Are products of one body with another kept apart in compiled steps, and the equations iterated?"""
        return self.neighbours is not None and self._is_pile(FEW) and self.unknowns == self.system.unknowns

    def _is_pile(self, few: int) -> bool:
        """Is there a soft group of more than a few shapes? Elimination fills in as they meet their neighbours."""
        return any(isinstance(pair, CollisionPair) and pair.soft and len(pair.shapes) > few for pair in self.pairs)

    @property
    def points(self) -> int:
        """Number of points of all contacts."""
        return int(self.point_start[-1])

    def owner(self, unknown: int) -> str:
        """The part an unknown belongs to; of multipliers of contact, the contact and the point."""
        if unknown < self.system.unknowns:
            return self.system.owner(unknown)
        k = int(np.searchsorted(self.unknown_start, unknown, side="right")) - 1
        pair = self.pairs[k]
        return pair.owner((unknown - int(self.unknown_start[k])) // pair.width)

    def presses_still(self, pair: Pair) -> bool:
        """Is one of the two bodies quasi-static?"""
        return not self._still.isdisjoint((pair.body, pair.target))

    def strikes(self, pair: Pair) -> bool:
        """Is it a penalty between bodies with inertia, which may be closed for less than a step?"""
        return pair.soft and not self.presses_still(pair)


def _pattern(keys: NDArray[np.int64], n: int) -> Pattern:
    """The pattern with these entries, row · n + column, in order."""
    integer: type[np.integer] = np.int32 if keys.size < 2**31 else np.int64
    start: NDArray[np.integer] = np.searchsorted(keys // n, np.arange(n + 1)).astype(integer)
    columns: NDArray[np.integer] = (keys % n).astype(integer)
    return Pattern(n, start, columns)


def _keys(columns: NDArray[np.int64], n: int) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """row · n + column of all entries that couple the columns of each point, and which of the (n, nu, nu) there are."""
    i, j = columns[:, :, None], columns[:, None, :]
    there = (i >= 0) & (j >= 0)
    return (i * n + j)[there], there
