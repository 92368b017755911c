"""Grids of quadrilaterals and blocks, and gradients of nodes of a mesh that has none."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.bodies.elements import check_nodes_of_cells
from condyle.errors import InputError
from condyle.model.part import Part

Array = NDArray[np.float64]
_STEPS = {2: [(0, 0), (1, 0), (1, 1), (0, 1)], 3: [(*c, z) for z in (0, 1) for c in ((0, 0), (1, 0), (1, 1), (0, 1))]}
_NAMES = (("left", "right"), ("bottom", "top"), ("back", "front"))
# Pairs of corners along each parameter.
EDGES = {
    2: [[(0, 1), (3, 2)], [(0, 3), (1, 2)]],
    3: [[(0, 1), (3, 2), (4, 5), (7, 6)], [(0, 3), (1, 2), (4, 7), (5, 6)], [(0, 4), (1, 5), (2, 6), (3, 7)]],
}


def grid(
    size: ArrayLike, divisions: ArrayLike, label: str
) -> tuple[Array, NDArray[np.int64], Array, dict[str, list[int]]]:
    """Parameters of the nodes (n, p), cells, parameters of the first corners (m, p), and sets of nodes on the sides."""
    L, n = np.asarray(size, dtype=float), np.asarray(divisions, dtype=np.int64)
    p = L.size
    if n.shape != L.shape or p not in (2, 3) or (n < 1).any() or not (L > 0).all():
        raise InputError(f"{label}: size {L.tolist()} and divisions {n.tolist()} must be positive and of equal length")
    axes = [np.linspace(0.0, L[i], n[i] + 1) for i in range(p)]
    u = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    cells, corner, sets = grid_cells(n)
    return u.reshape(-1, p), cells, corner * (L / n), sets


def grid_cells(
    divisions: Sequence[int] | NDArray[np.int64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], dict[str, list[int]]]:
    """Cells of a grid of so many divisions, the numbers of their first corners along each parameter, and sets of nodes."""
    n = np.asarray(divisions, dtype=np.int64)
    p = n.size
    number = np.arange(np.prod(n + 1)).reshape(n + 1)
    corner = np.array(list(product(*(range(k) for k in n))))
    cells = np.stack([number[tuple((corner + s).T)] for s in np.array(_STEPS[p])], axis=1)
    sets: dict[str, list[int]] = {}
    for i in range(p):
        sets[_NAMES[i][0]] = np.take(number, 0, axis=i).ravel().tolist()
        sets[_NAMES[i][1]] = np.take(number, -1, axis=i).ravel().tolist()
    return cells, corner, sets


class Drawn(NamedTuple):
    """A grid drawn along a function: nodal vectors (n, k, 3), cells, their lengths and first corners, sets of nodes."""

    nodal: Array
    cells: NDArray[np.int64]
    extents: Array
    starts: Array
    sets: dict[str, list[int]]


def draw(
    function: Callable[..., Any], size: ArrayLike, divisions: ArrayLike, slots: Sequence[Sequence[int]], label: str
) -> Drawn:
    """The grid of the sides `size` [m] along function(u, v, …), with the nodal vectors `slots` (orders of derivatives)."""
    u, cells, starts, sets = grid(size, divisions, label)
    scale = np.asarray(size, dtype=float) / np.asarray(divisions)
    return Drawn(from_function(function, u, slots, scale, label), cells, np.tile(scale, (len(cells), 1)), starts, sets)


def from_function(
    function: Callable[..., Any], u: Array, slots: Sequence[Sequence[int]], scale: Array, label: str
) -> Array:
    """Nodal vectors of a shape X(u, v, …) by central differences of fourth order, shape (n, k, 3)."""
    stencil = {0: ((0, 1.0),), 1: ((-2, 1 / 12), (-1, -2 / 3), (1, 2 / 3), (2, -1 / 12))}
    h = 1e-3 * scale
    out = np.zeros((len(u), len(slots), 3))
    for s, slot in enumerate(slots):
        for steps in product(*(stencil[k] for k in slot)):
            factor = float(np.prod([w / h[i] ** slot[i] for i, (_, w) in enumerate(steps)]))
            shift = np.array([k * h[i] for i, (k, _) in enumerate(steps)])
            places = np.array([np.asarray(function(*(row + shift)), dtype=float) for row in u])
            if places.shape != (len(u), 3) or not np.isfinite(places).all():
                raise InputError(f"{label}: its function must give 3 finite coordinates for every point")
            out[:, s] += factor * places
    return out


def gradients_of_mesh(X: Array, cells: NDArray[np.int64], p: int) -> tuple[Array, Array]:
    """Mean edge vectors per length of each node, shape (n, p, 3), and the mean edge lengths of each cell, shape (m, p)."""
    total, count = np.zeros((len(X), p, 3)), np.zeros((len(X), p, 1))
    lengths = np.zeros((len(cells), p))
    for e, cell in enumerate(cells):
        for i in range(p):
            edges = [X[cell[b]] - X[cell[a]] for a, b in EDGES[p][i]]
            lengths[e, i] = np.mean([np.linalg.norm(v) for v in edges])
            for (a, b), edge in zip(EDGES[p][i], edges, strict=True):
                for node in (cell[a], cell[b]):
                    total[node, i] += edge / lengths[e, i]
                    count[node, i] += 1.0
    return total / np.maximum(count, 1.0), lengths


def check_mesh(part: Any, corners: int) -> None:
    """Nodes, cells and sets of a mesh in space."""
    X, cells = np.array(part.nodes), np.array(part.cells)
    if X.ndim != 2 or X.shape[1] != 3 or not np.isfinite(X).all():
        raise InputError(f"{part.label}: nodes must be finite and have 3 coordinates, got shape {X.shape}")
    if cells.ndim != 2 or cells.shape[1] != corners or not len(cells):
        raise InputError(f"{part.label}: cells need {corners} nodes each, got shape {cells.shape}; give at least one")
    check_nodes_of_cells(cells, len(X), part.label)
    for cell in cells:
        for a, b in zip(cell, np.roll(cell, 1), strict=True):
            if not np.linalg.norm(X[a] - X[b]) > 1e-12 * max(float(np.ptp(X)), 1e-300):
                raise InputError(f"{part.label}: nodes {a} and {b} of a cell coincide")
    for name, members in part.sets.items():
        if not members or min(members) < 0 or max(members) >= len(X):
            raise InputError(f"{part.label}: the set '{name}' must hold nodes 0 … {len(X) - 1}")


__all__ = ["EDGES", "Part", "check_mesh", "from_function", "gradients_of_mesh", "grid", "grid_cells"]
