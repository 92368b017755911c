"""A gathered vector: constant weights on rows of the state. Points and directions of every body are of this one kind."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray


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
        if r.size > 1 and not (r[1:] > r[:-1]).all():
            self.rows, inverse = np.unique(r, return_inverse=True)
            self.values = np.bincount(inverse, w, self.rows.size).astype(float)

    def __add__(self, other: Weights) -> Weights:
        return Weights(np.concatenate((self.rows, other.rows)), np.concatenate((self.values, other.values)))

    def __sub__(self, other: Weights) -> Weights:
        return self + (-1.0) * other

    def __rmul__(self, factor: float) -> Weights:
        return Weights(self.rows, factor * self.values)

    def at(self, x: NDArray[np.float64]) -> NDArray[np.float64]:
        """The vector at state x: shape (d,), or (times, d) for a history x of shape (times, n, d)."""
        return np.asarray(np.einsum("k,...kd->...d", self.values, x[..., self.rows, :]))

    def pruned(self, least: float = 0.0) -> Weights:
        """Without rows whose weight is zero, or not above `least` (round-off of a difference)."""
        keep = np.abs(self.values) > least
        return Weights(self.rows[keep], self.values[keep])

    def __repr__(self) -> str:
        return " + ".join(f"{w:g}·x[{r}]" for r, w in zip(self.rows, self.values, strict=True)) or "0"


def combination(parts: Iterable[tuple[float, Weights]]) -> Weights:
    """Σ factor · vector."""
    rows, values = [], []
    for factor, part in parts:
        rows.append(part.rows)
        values.append(factor * part.values)
    if not rows:
        return Weights([], [])
    return Weights(np.concatenate(rows), np.concatenate(values))


def common_rows(vectors: list[Weights]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Rows used by any of the vectors, and the weight matrix, shape (vectors, rows)."""
    rows = np.unique(np.concatenate([v.rows for v in vectors]))
    matrix = np.zeros((len(vectors), rows.size))
    for k, v in enumerate(vectors):
        matrix[k, np.searchsorted(rows, v.rows)] = v.values
    return rows, matrix
