"""Contacts as tables for the kernels of `system/touching`: which laws and surfaces these know, and where everything stands."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from condyle.contact.as_numbers import friction_numbers, law_numbers, pair_numbers, surface_numbers
from condyle.contact.basis import Monomials
from condyle.contact.deformable import FacetPair
from condyle.contact.mortar import MortarPair
from condyle.contact.neighbours import Entries, Neighbours, no_meeting
from condyle.contact.pair import RigidPair
from condyle.contact.shape_pair import RIGID, ShapePair
from condyle.contact.surface import Array
from condyle.system.couplings import no_couplings
from condyle.system.tables import DIRECTOR, FREE, Couplings, Rows
from condyle.system.touching import curves
from condyle.system.touching.conditions import answer
from condyle.system.touching.tables import FLAGS, FOUND, KEPT, NORMAL, Pieces, Touching, no_pieces

Index = NDArray[np.int64]


def why_not_compiled(pair: Any) -> str:
    """Why the kernels cannot take a contact; empty if they can."""
    if isinstance(pair, MortarPair):
        return f"'{pair.name}' holds the gaps of surfaces in the mean"
    if isinstance(pair, FacetPair) and not (pair.kernels and isinstance(pair.pieces.basis, Monomials)):
        return f"the pieces of '{pair.name}' are not compiled"
    if not isinstance(pair, (*RIGID, FacetPair)):
        return f"'{pair.name}' has points that are put anew in every step"
    if isinstance(pair, ShapePair) and not pair.of_shapes and pair.surface_tables is None:
        return f"the surfaces of '{pair.name}' are not compiled"
    if isinstance(pair, RigidPair) and surface_numbers(pair.shape, pair.d) is None:
        return f"the {type(pair.shape).__name__} of '{pair.name}' is not compiled"
    if law_numbers(pair.law) is None:
        return f"{type(pair.law).__name__} of '{pair.name}' is not compiled"
    if pair.rub is not None and friction_numbers(pair.rub) is None:
        return f"{type(pair.rub).__name__} of '{pair.name}' is not compiled"
    return ""


def touching_table(
    pairs: Sequence[RigidPair | ShapePair | FacetPair], means: Sequence[bool], still: Sequence[bool], rows: Rows, place: Index,
    slots: Callable[[Index, Index], Index], multipliers: Index, first: int, size: float, softest: float,
    couplings: Couplings | None, neighbours: Neighbours | None, entries: Entries, apart: int | None = None,
    pieces: Pieces | None = None,
) -> Touching:  # fmt: skip
    """All points of these pairs as one table.

    means, still: of each pair, see `as_numbers.pair_numbers`; place: of each unknown of the system in a vector; multipliers:
    places of those of contact; slots: where an entry (row, column) of the matrix stands; first: number of the first multiplier
    of contact among all. neighbours: shapes against each other; entries, apart: see `Neighbours.meeting`.
    pieces: of points over pieces that deform.
    """
    d = pairs[0].d
    at: dict[str, list[Any]] = {name: [] for name in ("row", "weight", "kind", "local", "column", "slot")}
    ends: dict[str, list[int]] = {"row": [0], "column": [0], "slot": [0], "multiplier": [first], "force": [0]}
    widest, numbers, shapes = 1, list[Array](), [np.zeros(0)]
    if neighbours is not None:
        widest = 2 * neighbours.columns.shape[1] + d
    for k, (pair, mean, presses) in enumerate(zip(pairs, means, still, strict=True)):
        numbers.append(pair_numbers(pair, mean, presses))
        if isinstance(pair, ShapePair):
            assert neighbours is not None
            numbers[-1][curves.SURFACE] = curves.OF_SHAPES
            if pair.width:
                own = multipliers[ends["multiplier"][-1] - first :][: pair.count * pair.width]
                _places_of_group(neighbours.columns_of_places(k), own.reshape(pair.count, -1), place, slots, at, ends)
            for name in ("row",) if pair.width else ("row", "column", "slot", "multiplier"):
                ends[name] += [ends[name][-1]] * pair.count
            ends["force"] += (ends["force"][-1] + pair.reported * np.arange(1, pair.count + 1)).tolist()
            continue
        if isinstance(pair, FacetPair):
            numbers[-1][curves.SURFACE] = curves.OVER_PIECES
            for name in ("row", "column", "slot"):
                ends[name] += [ends[name][-1]] * pair.count
            for name, many in (("multiplier", pair.width), ("force", pair.reported)):
                ends[name] += (ends[name][-1] + many * np.arange(1, pair.count + 1)).tolist()
            continue
        numbers[-1][curves.SURFACE] = sum(shape.size for shape in shapes)
        found_shape = surface_numbers(pair.shape, d)
        assert found_shape is not None  # else `why_not_compiled` says so
        shapes.append(found_shape)
        for i in range(pair.count):
            real = pair.real[i]
            of, w = pair.rows[i][real], pair.weights[i][real]
            local, unknowns = _unknowns(rows, of, d)
            own = multipliers[ends["multiplier"][-1] - first :][: pair.width]
            columns = np.concatenate((place[unknowns], own)).astype(np.int64)
            for name, values in (("row", of), ("weight", w), ("kind", rows.kind[of]), ("local", local)):
                at[name].append(values)
            at["column"].append(place[unknowns])
            at["slot"].append(slots(*(a.ravel() for a in np.meshgrid(columns, columns, indexing="ij"))))
            for name in ("row", "column", "slot"):
                ends[name].append(ends[name][-1] + len(at[name][-1]))
            ends["multiplier"].append(ends["multiplier"][-1] + pair.width)
            ends["force"].append(ends["force"][-1] + pair.reported)
            widest = max(widest, columns.size)
    counts = [pair.count for pair in pairs]
    n, kept = sum(counts), ends["force"][-1]
    features = 0 if neighbours is None else KEPT * n
    start = np.concatenate(([0], np.cumsum([kept, n * d, 2 * n, 2 * n, len(pairs), kept, features])))
    meeting = no_meeting(len(pairs)) if neighbours is None else neighbours.meeting(place, entries, apart)
    begin, found = np.zeros((2, n, d)), np.zeros((FOUND, n, d))
    for k, pair in enumerate(pairs):
        if isinstance(pair, RigidPair):
            continue  # of all others the first coordinate is the gap
        here = slice(sum(counts[:k]), sum(counts[: k + 1]))
        begin[1, here, 0] = found[NORMAL, here, 0] = 1.0

    def whole(name: str) -> Index:
        return np.concatenate([np.zeros(0), *at[name]]).astype(np.int64)

    def starts(name: str) -> Index:
        return np.array(ends[name], dtype=np.int64)

    count = lambda: np.zeros(n, dtype=np.int64)  # noqa: E731
    return Touching(
        np.repeat(np.arange(len(pairs)), counts), starts("row"), whole("row"),
        np.concatenate([np.zeros(0), *at["weight"]]).astype(float), whole("kind"), whole("local"), starts("column"),
        whole("column"), starts("slot"), whole("slot"), starts("multiplier"), starts("force"), _even(numbers),
        np.concatenate(([0], np.cumsum(counts))).astype(np.int64), np.concatenate(shapes),
        start.astype(np.int64), couplings or no_couplings(), size, softest, np.zeros(n), np.zeros(n), np.zeros(n),
        np.full(n, curves.UNDECIDED, dtype=np.int64), np.zeros(n), np.zeros((n, 2)), begin, np.zeros(n),
        np.zeros(n), np.zeros((n, d)), count(), np.zeros(n), found, np.zeros((n, 2)),
        np.zeros(FLAGS, dtype=np.int64), np.zeros((6, rows.kind.size, d)), meeting,
        no_pieces(len(pairs)) if pieces is None else pieces, answer(d), np.zeros((8, d, widest)),
        np.zeros((widest, widest)),
    )  # fmt: skip


def _even(numbers: Sequence[Array]) -> Array:
    """Rows of different lengths as one array, zeros behind the shorter ones."""
    out = np.zeros((len(numbers), max(row.size for row in numbers)))
    for k, row in enumerate(numbers):
        out[k, : row.size] = row
    return out


def _places_of_group(
    unknowns: Index, own: Index, place: Index, slots: Callable[[Index, Index], Index], at: dict[str, list[Any]],
    ends: dict[str, list[int]],
) -> None:  # fmt: skip
    """Columns and entries of all places of a group; unknowns (n, u) of their bodies, −1 for none, own (n, w) multipliers."""
    there = np.concatenate((unknowns >= 0, np.ones_like(own, dtype=bool)), axis=1)
    columns = np.concatenate((place[unknowns], own), axis=1).astype(np.int64)
    n, u = unknowns.shape
    both = there[:, :, None] & there[:, None, :]
    i, j = (
        np.broadcast_to(columns[:, :, None], both.shape)[both],
        np.broadcast_to(columns[:, None, :], both.shape)[both],
    )
    at["column"].append(columns[:, :u][there[:, :u]])
    at["slot"].append(slots(i, j))
    counts = {"column": there[:, :u].sum(axis=1), "slot": both.sum(axis=(1, 2)), "multiplier": np.full(n, own.shape[1])}
    for name, count in counts.items():
        ends[name] += (ends[name][-1] + np.cumsum(count)).tolist()


def _unknowns(rows: Rows, of: Index, d: int) -> tuple[Index, Index]:
    """Of the rows of a point: where the unknowns of each begin among those of the point (−1: none), and these unknowns."""
    found: dict[int, int] = {}
    unknowns: list[int] = []
    local = np.full(len(of), -1, dtype=np.int64)
    for k, row in enumerate(of):
        kind, first = int(rows.kind[row]), int(rows.unknown[row])
        if kind not in (FREE, DIRECTOR):
            continue
        if first not in found:
            found[first] = len(unknowns)
            width = 1 if kind == DIRECTOR and d == 2 else d
            unknowns += range(first, first + width)
        local[k] = found[first]
    return local, np.array(unknowns, dtype=np.int64)
