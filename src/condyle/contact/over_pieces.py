"""Points over pieces that deform, as tables for the kernels of compiled steps, and the room that the matrix has for them.

In a compiled step a point may come to any piece of its target, so that nothing is laid out anew as it slides. A surface is small
beside its body, and elimination fills most of the entries between its nodes in any case.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.contact.basis import Monomials
from condyle.contact.deformable import FacetPair
from condyle.laws.columns import empty_table
from condyle.system.pattern import Pattern, distinct
from condyle.system.tables import DIRECTOR, FREE, Rows

from condyle.system.touching.tables import FORM, PIECES_SPAN, Pieces

if TYPE_CHECKING:
    from condyle.contact.surface import Array

Index = NDArray[np.int64]
Slots = Callable[[Index, Index], Index]  # where an entry (row, column) of the matrix stands


def no_pieces(pairs: int) -> Pieces:
    """Of a model without points over pieces."""
    made: Pieces = empty_table(Pieces)
    return made._replace(span=np.zeros((pairs, PIECES_SPAN), dtype=np.int64), form=np.zeros((pairs, FORM)))


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
    d, points = pairs[0].d, sum(pair.count for pair in pairs)
    starts = np.cumsum([0, *(pair.count for pair in pairs)])
    span, form = np.zeros((len(pairs), PIECES_SPAN), dtype=np.int64), np.zeros((len(pairs), FORM))
    vectors = pieces = functions = cells = coefficients = 0
    for k, pair in own.items():
        (f, K), J = pair.cells.shape, pair.pieces.basis.count
        v = len(pair.vector_rows)
        span[k] = (vectors, vectors + v, pieces, pieces + f, K, J, functions, cells, coefficients, pair.flat)
        form[k] = (pair.pieces.side, pair.pieces.offset, pair.depth)
        vectors, pieces, functions = vectors + v, pieces + f, functions + J
        cells, coefficients = cells + f * K, coefficients + f * J * K
    every = list(own.values())
    all_rows = np.concatenate([
        a[w != 0.0] for p in every for a, w in ((p.vector_rows, p.vector_weights), (p.point_rows, p.point_weights))
    ])  # fmt: skip
    moving = unknowns_of(rows, all_rows, d)
    unknowns = np.concatenate((moving, *(held[k].ravel() for k in own)))
    number = np.full(pattern.n, -1, dtype=np.int64)
    number[unknowns] = np.arange(unknowns.size)
    local = np.full(len(rows.kind), -1, dtype=np.int64)
    moves = np.flatnonzero((rows.kind == FREE) | (rows.kind == DIRECTOR))
    local[moves] = number[rows.unknown[moves]]
    i, j = pattern.rows(), pattern.indices
    among = (number[i] >= 0) & (number[j] >= 0)
    slot = np.full((unknowns.size, unknowns.size), -1, dtype=np.int64)
    slot[number[i[among]], number[j[among]]] = slots(place[i[among]], place[j[among]])
    first, excluded = np.full(points, -1, dtype=np.int64), max(pair.excluded_pieces.shape[1] for pair in every)
    seen = np.full((points, excluded), -1, dtype=np.int64)
    each = max(pair.cells.shape[1] for pair in every)
    vector_row, vector_weight = _even([(p.vector_rows, p.vector_weights) for p in every])
    point_row, point_weight = _even([
        (pair.point_rows, pair.point_weights) if k in own else (np.zeros((pair.count, 1), dtype=np.int64), np.zeros((pair.count, 1)))
        for k, pair in enumerate(pairs)
    ])  # fmt: skip
    for k, pair in own.items():
        here = slice(starts[k], starts[k + 1])
        if held[k].shape[1]:
            first[here] = number[held[k][:, 0]]
        seen[here, : pair.excluded_pieces.shape[1]] = pair.excluded_pieces
    powers = np.ascontiguousarray(np.concatenate([_monomials(pair).powers for pair in every]), dtype=np.int64)
    return Pieces(
        span, form, powers, np.concatenate([p.triangles for p in every]).astype(bool),
        np.concatenate([p.coefficients.ravel() for p in every]), np.concatenate([p.cells.ravel() for p in every]).astype(np.int64),
        vector_row, vector_weight, point_row, point_weight, seen, local, first, slot,
        np.zeros((2, points), dtype=np.int64), np.zeros(points, dtype=np.int64), np.zeros((points, d - 1)), np.zeros((points, each)),
        np.zeros((2, points, d, d)), np.zeros((points, d, d)), np.zeros((points, d)),
    )  # fmt: skip


def _monomials(pair: FacetPair) -> Monomials:
    basis = pair.pieces.basis
    assert isinstance(basis, Monomials)  # else `tables.why_not_compiled` says so
    return basis


def _even(parts: Sequence[tuple[Index, Array]]) -> tuple[Index, Array]:
    """Rows and weights of different widths as two arrays; what fills them up has no weight."""
    most, n = max(row.shape[1] for row, _ in parts), sum(len(row) for row, _ in parts)
    rows, weights, at = np.zeros((n, most), dtype=np.int64), np.zeros((n, most)), 0
    for row, weight in parts:
        rows[at : at + len(row), : row.shape[1]], weights[at : at + len(row), : row.shape[1]] = row, weight
        at += len(row)
    return rows, weights


