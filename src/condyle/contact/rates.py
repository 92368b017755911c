"""Closed points at the level of velocities and accelerations, as joints are held there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.contact.pair import Held
from condyle.contact.response import OPEN
from condyle.contact.surface import Array

if TYPE_CHECKING:
    from condyle.contact.problem import ContactProblem
    from condyle.system.start import RowProblem
    from condyle.system.state import State


def settle(
    problem: ContactProblem,
    rows: RowProblem,
    state: State,
    closed: list[NDArray[np.int8]],
    acceleration: Array,
    multipliers: Array,
    rubs: list[Array],
) -> list[Array]:
    """Hold the points with a status in `closed` at acceleration level, as joints are; returns forces (n, d) in ξ.

    rubs: of each pair, μ times the direction of friction of what slips (n, d); it grows with the force that presses.

    Position-level contact alone would throw massive bodies back with more energy than they came with, and let forces
    ring. A point that would have to be pulled is let go: its status is set to OPEN.
    """
    x, v = state.x, state.v
    out = [np.zeros((pair.count, pair.d)) for pair in problem.pairs]
    for _ in range(8):
        if not any(status.any() for status in closed):
            break
        found = [pair.held(status, x, v, rub) for pair, status, rub in zip(problem.pairs, closed, rubs, strict=True)]
        at, gradients, works = _together(found)
        trial = acceleration.copy()
        change, forces = rows.hold_rates(
            x, trial, state.t, at, gradients, -np.concatenate([h.bend for h in found]), works
        )
        pulled = False
        for k, h in enumerate(found):
            mine, forces = forces[: len(h.bend)], forces[len(h.bend) :]
            total = np.zeros_like(out[k])
            np.add.at(total, h.points, mine[:, None] * h.directions)
            loose = (np.sum(total * h.normal, axis=1) > 0.0) & (closed[k] > 0) & (not problem.pairs[k].elastic)
            pulled |= bool(loose.any())
            closed[k][loose] = OPEN
            out[k] = total
        if not pulled:
            acceleration[:] = trial
            multipliers += change
            break
    for k in range(len(out)):
        out[k][closed[k] == OPEN] = 0.0
    return out


def hold_velocities(problem: ContactProblem, rows: RowProblem, state: State, closed: list[NDArray[np.int8]]) -> None:
    """Velocities along the surface for points with a status in `closed`: an impact without rebound."""
    if not any(status.any() for status in closed):
        return
    x, v = state.x, state.v
    at, gradients, _ = _together([p.held(status, x, v) for p, status in zip(problem.pairs, closed, strict=True)])
    rows.hold_rates(x, v, state.t, at, gradients)


def _together(held: list[Held]) -> tuple[NDArray[np.int64], Array, Array]:
    """Rows and both kinds of gradients of all pairs, filled up to the same number of rows."""
    if len(held) == 1:
        return held[0].rows, held[0].gradients, held[0].works
    width = max(h.rows.shape[1] for h in held)
    spare = [(0, width - h.rows.shape[1]) for h in held]
    rows = np.concatenate([np.pad(h.rows, ((0, 0), s)) for h, s in zip(held, spare, strict=True)])
    by_row = [
        np.concatenate([np.pad(g, ((0, 0), s, (0, 0))) for g, s in zip(all_, spare, strict=True)])
        for all_ in ([h.gradients for h in held], [h.works for h in held])
    ]
    return rows, by_row[0], by_row[1]


def unit(vectors: Array) -> Array:
    """Vectors (n, d) of length 1, or 0."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-300))
