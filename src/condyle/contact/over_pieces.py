"""Points over pieces that deform, as tables for the kernels of compiled steps, and the room that the matrix has for them.

In a compiled step a point may come to any piece of its target, so that nothing is laid out anew as it slides. A surface is
small beside its body, and elimination fills most of the entries between its nodes in any case.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.contact.basis import Monomials
from condyle.contact.deformable import FacetPair
from condyle.system.blocks import MOST_PRODUCTS
from condyle.system.pattern import Pattern, distinct
from condyle.system.tables import DIRECTOR, FREE, Rows
from condyle.system.touching.tables import FORM, PIECES_SPAN, Pieces, no_pieces

if TYPE_CHECKING:
    from condyle.contact.surface import Array

Index = NDArray[np.int64]
Slots = Callable[[Index, Index], Index]  # where an entry (row, column) of the matrix stands


def few_enough(pairs: Iterable[FacetPair], block: int) -> bool:
    """Are the surfaces that points slide over small enough to be eliminated in blocks of this size?

    Of nodes that are all coupled elimination takes a third of their cube in products.
    """
    return sum(len(pair.vector_rows) ** 3 / 3.0 for pair in pairs) <= MOST_PRODUCTS[block]


def unknowns_of(rows: Rows, of: Index, d: int) -> Index:
    """Unknowns of some rows, in order."""
    of = np.unique(of)
    kind, first = rows.kind[of], rows.unknown[of]
    moves = (kind == FREE) | (kind == DIRECTOR)
    width = np.where((kind == DIRECTOR) & (d == 2), 1, d)
    found = first[:, None] + np.arange(d)
    return np.unique(found[moves[:, None] & (np.arange(d) < width[:, None])])


def keys_of(pair: FacetPair, rows: Rows, held: Index, n: int) -> Index:
    """row · n + column of all products of points with each other's targets; held (points, m): their multipliers."""
    target = unknowns_of(rows, pair.vector_rows[pair.vector_weights != 0.0], pair.d)
    found = [_products(target, target, n)]
    for row, weight, own in zip(pair.point_rows, pair.point_weights, held, strict=True):
        of_point = np.concatenate((unknowns_of(rows, row[weight != 0.0], pair.d), own))
        found += [_products(of_point, of_point, n), _products(of_point, target, n), _products(target, of_point, n)]
    return distinct(np.concatenate(found))


def _products(first: Index, second: Index, n: int) -> Index:
    return (first[:, None] * n + second).ravel()


def pieces_table(
    pairs: Sequence[Any], rows: Rows, held: Sequence[Index], pattern: Pattern, slots: Slots, place: Index
) -> Pieces:
    """All points over pieces as one table.

    held: multipliers of each pair (points, m) as unknowns of the matrix; place: of each unknown in a vector of the blocks;
    slots: where an entry of those stands.
    """
    own = {k: pair for k, pair in enumerate(pairs) if isinstance(pair, FacetPair)}
    if not own:
        return no_pieces(len(pairs))
    d, every, starts = pairs[0].d, list(own.values()), np.cumsum([0, *(pair.count for pair in pairs)])
    points, each = int(starts[-1]), max(pair.cells.shape[1] for pair in every)
    span, form = _where_pieces_stand(own, len(pairs))
    number, slot = _among_themselves(every, rows, [held[k] for k in own], pattern, slots, place)
    local = np.full(len(rows.kind), -1, dtype=np.int64)
    moves = np.flatnonzero((rows.kind == FREE) | (rows.kind == DIRECTOR))
    local[moves] = number[rows.unknown[moves]]
    first = np.full(points, -1, dtype=np.int64)
    seen = np.full((points, max(pair.excluded_pieces.shape[1] for pair in every)), -1, dtype=np.int64)
    for k, pair in own.items():
        here = slice(starts[k], starts[k + 1])
        seen[here, : pair.excluded_pieces.shape[1]] = pair.excluded_pieces
        if held[k].shape[1]:
            first[here] = number[held[k][:, 0]]
    vector_row, vector_weight = _even([(p.vector_rows, p.vector_weights) for p in every])
    count, numbers = (lambda *shape: np.zeros(shape, dtype=np.int64)), (lambda *shape: np.zeros(shape))
    of_points = [
        (pair.point_rows, pair.point_weights) if k in own else (count(pair.count, 1), numbers(pair.count, 1))
        for k, pair in enumerate(pairs)
    ]
    point_row, point_weight = _even(of_points)
    return Pieces(
        span, form, np.ascontiguousarray(np.concatenate([_powers(pair) for pair in every]), dtype=np.int64),
        np.concatenate([pair.triangles for pair in every]), np.concatenate([pair.coefficients.ravel() for pair in every]),
        np.concatenate([pair.cells.ravel() for pair in every]).astype(np.int64), vector_row, vector_weight, point_row,
        point_weight, seen, local, first, slot, count(2, points), count(points), numbers(points, d - 1),
        numbers(points, each), numbers(2, points, d, d), numbers(points, d, d), numbers(points, d),
    )  # fmt: skip


def _where_pieces_stand(own: dict[int, FacetPair], pairs: int) -> tuple[Index, Array]:
    """Of each pair, where its vectors, pieces and numbers begin, and its sides."""
    span, form = np.zeros((pairs, PIECES_SPAN), dtype=np.int64), np.zeros((pairs, FORM))
    vectors = pieces = functions = cells = coefficients = 0
    for k, pair in own.items():
        (f, K), J, v = pair.cells.shape, pair.pieces.basis.count, len(pair.vector_rows)
        span[k] = (vectors, vectors + v, pieces, pieces + f, K, J, functions, cells, coefficients, pair.flat)
        form[k] = (pair.pieces.side, pair.pieces.offset, pair.depth)
        vectors, pieces, functions = vectors + v, pieces + f, functions + J
        cells, coefficients = cells + f * K, coefficients + f * J * K
    return span, form


def _among_themselves(
    every: Sequence[FacetPair], rows: Rows, held: Sequence[Index], pattern: Pattern, slots: Slots, place: Index
) -> tuple[Index, Index]:
    """Numbers of all unknowns of points, targets and multipliers among themselves (n,), −1 of others; where products stand."""
    parts = [
        (w != 0.0, a) for p in every for a, w in ((p.vector_rows, p.vector_weights), (p.point_rows, p.point_weights))
    ]
    moving = unknowns_of(rows, np.concatenate([row[real] for real, row in parts]), every[0].d)
    unknowns = np.concatenate((moving, *(own.ravel() for own in held)))
    number = np.full(pattern.n, -1, dtype=np.int64)
    number[unknowns] = np.arange(unknowns.size)
    i, j = pattern.rows(), pattern.indices
    among = (number[i] >= 0) & (number[j] >= 0)
    i, j = i[among], j[among]
    slot = np.full((unknowns.size, unknowns.size), -1, dtype=np.int64)
    slot[number[i], number[j]] = slots(place[i], place[j])
    return number, slot


def _powers(pair: FacetPair) -> Index:
    basis = pair.pieces.basis
    assert isinstance(basis, Monomials)  # else `tables.why_not_compiled` says so
    return basis.powers


def _even(parts: Sequence[tuple[Index, Array]]) -> tuple[Index, Array]:
    """Rows and weights of different widths as two arrays; what fills them up has no weight."""
    most, n = max(row.shape[1] for row, _ in parts), sum(len(row) for row, _ in parts)
    rows, weights, at = np.zeros((n, most), dtype=np.int64), np.zeros((n, most)), 0
    for row, weight in parts:
        rows[at : at + len(row), : row.shape[1]], weights[at : at + len(row), : row.shape[1]] = row, weight
        at += len(row)
    return rows, weights
