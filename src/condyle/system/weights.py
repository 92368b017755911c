"""A gathered vector: constant weights on rows of the state. Points and directions of every body are of this one kind."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import overload

import numpy as np
from numpy.typing import NDArray

FEW = 16  # rows, up to which a list is faster than an array


class Weights:
    """y = Σ_k weight_k x[row_k]. Rows are sorted and unique.

    A point of a body (weights of a position) or a material direction; sums and multiples are again of this kind.
    """

    __slots__ = ("rows", "values")

    def __init__(self, rows: Iterable[int], values: Iterable[float]) -> None:
        r = np.asarray(list(rows) if not isinstance(rows, np.ndarray) else rows, dtype=np.int64)
        w = np.asarray(list(values) if not isinstance(values, np.ndarray) else values, dtype=float)
        self.rows: NDArray[np.int64] = r
        self.values: NDArray[np.float64] = w
        if r.size > 1 and not _increase(r):
            self.rows, inverse = np.unique(r, return_inverse=True)
            self.values = np.bincount(inverse, w, self.rows.size).astype(float)

    @classmethod
    def in_order(cls, rows: NDArray[np.int64], values: NDArray[np.float64]) -> Weights:
        """Rows that are known to be sorted and unique."""
        made = cls.__new__(cls)
        made.rows, made.values = rows, values
        return made

    def __add__(self, other: Weights) -> Weights:
        return Weights(np.concatenate((self.rows, other.rows)), np.concatenate((self.values, other.values)))

    def __sub__(self, other: Weights) -> Weights:
        return self + (-1.0) * other

    def __rmul__(self, factor: float) -> Weights:
        return Weights.in_order(self.rows, factor * self.values)

    def at(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """The vector at state x: shape (d,), or (times, d) for a history x of shape (times, n, d)."""
        if x.ndim == 2:
            return np.asarray(self.values @ x[self.rows])
        return np.asarray(np.einsum("k,...kd->...d", self.values, x[..., self.rows, :]))

    def pruned(self, least: float = 0.0) -> Weights:
        """Without rows whose weight is zero, or not above `least` (round-off of a difference)."""
        if least == 0.0 and all(self.values.tolist()):
            return self
        keep = np.abs(self.values) > least if least else self.values != 0.0
        return Weights.in_order(self.rows[keep], self.values[keep])

    def __repr__(self) -> str:
        return " + ".join(f"{w:g}·x[{r}]" for r, w in zip(self.rows, self.values, strict=True)) or "0"


class SameRows(Sequence[Weights]):
    """Many vectors on the same rows, which stand in order: weights (k, rows). Each is made when it is asked for."""

    def __init__(self, rows: Sequence[int], weights: NDArray[np.float64]) -> None:
        self.rows, self.weights = np.array(rows, dtype=np.int64), weights

    def __len__(self) -> int:
        return len(self.weights)

    @overload
    def __getitem__(self, at: int) -> Weights: ...

    @overload
    def __getitem__(self, at: slice) -> SameRows: ...

    def __getitem__(self, at: int | slice) -> Weights | SameRows:
        if isinstance(at, slice):
            return SameRows(self.rows.tolist(), self.weights[at])
        return Weights.in_order(self.rows, self.weights[at])


def combination(parts: Iterable[tuple[float, Weights]]) -> Weights:
    """Σ factor · vector."""
    rows, values = [], []
    for factor, part in parts:
        rows.append(part.rows)
        values.append(factor * part.values)
    if not rows:
        return Weights([], [])
    return Weights(np.concatenate(rows), np.concatenate(values))


def places_of(vectors: Sequence[Weights], x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Many vectors at one state x of shape (n, d) at once: shape (vectors, d)."""
    counts = np.array([v.rows.size for v in vectors], dtype=np.int64)
    of = np.repeat(np.arange(counts.size), counts)
    rows = np.concatenate([np.zeros(0, dtype=np.int64), *(v.rows for v in vectors)])
    values = np.concatenate([np.zeros(0), *(v.values for v in vectors)])
    return np.stack([np.bincount(of, values * x[rows, i], counts.size) for i in range(x.shape[1])], axis=1)


def common_rows(vectors: list[Weights]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Rows used by any of the vectors, and the weight matrix, shape (vectors, rows)."""
    if len(vectors) == 1:
        return vectors[0].rows, vectors[0].values[None].copy()
    rows = np.array(sorted(set().union(*(v.rows.tolist() for v in vectors))), dtype=np.int64)
    matrix = np.zeros((len(vectors), rows.size))
    for k, v in enumerate(vectors):
        matrix[k, rows.searchsorted(v.rows)] = v.values
    return rows, matrix


def _increase(rows: NDArray[np.int64]) -> bool:
    if rows.size > FEW:
        return bool((rows[1:] > rows[:-1]).all())
    listed = rows.tolist()
    return all(a < b for a, b in pairwise(listed))
