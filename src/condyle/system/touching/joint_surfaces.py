"""Parametric surfaces of all articular contacts as one table, and their contact points among those of rigid shapes."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf
from typing import NamedTuple

import numpy as np

from condyle.laws.columns import Integers2, Numbers, table
from condyle.laws.kernel import kernel
from condyle.system.touching.articular import SurfaceTable, jet_in_world, meet

GRID = 13  # points along each parameter from which a search starts
LAYOUT = 7  # kind, first of its numbers, pieces along both parameters, coefficients along both, components


@table
class JointSurfaces(NamedTuple):
    """The surfaces, their numbers one after the other: frame, breaks, coefficients, ends."""

    pair: Integers2  # (pairs, 2) target and body of each pair, −1 where a pair has no such surfaces
    layout: Integers2  # (surfaces, LAYOUT)
    numbers: Numbers


def joint_surfaces(pairs: Sequence[tuple[SurfaceTable, SurfaceTable] | None]) -> JointSurfaces:
    """Of each pair its two surfaces, of the target and of the body, or none."""
    own, layout, numbers, at = np.full((len(pairs), 2), -1, dtype=np.int64), list[tuple[int, ...]](), [np.zeros(0)], 0
    for k, both in enumerate(pairs):
        for side, surface in enumerate(both or ()):
            own[k, side] = len(layout)
            layout.append((surface.kind, at, *surface.coefficients.shape))
            parts = [surface.frame, surface.first, surface.second, surface.coefficients, surface.low, surface.high]
            numbers.append(np.concatenate([np.ravel(part) for part in parts]))
            at += numbers[-1].size
    return JointSurfaces(own, np.array(layout, dtype=np.int64).reshape(-1, LAYOUT), np.concatenate(numbers))


@kernel
def surface_at(surfaces, k):
    """Surface k of the table."""
    size, at = surfaces.layout[k], surfaces.layout[k, 1]
    m, n, p, q, parts = size[2], size[3], size[4], size[5], size[6]
    frame = surfaces.numbers[at : at + 12].reshape(4, 3)
    at += 12
    first = surfaces.numbers[at : at + m + 1]
    at += m + 1
    second = surfaces.numbers[at : at + n + 1]
    at += n + 1
    coefficients = surfaces.numbers[at : at + m * n * p * q * parts].reshape(m, n, p, q, parts)
    at += m * n * p * q * parts
    low, high = surfaces.numbers[at : at + 2], surfaces.numbers[at + 2 : at + 4]
    return SurfaceTable(size[0], frame, first, second, coefficients, low, high)


@kernel
def deepest_points(first, second, poses, s):
    """Of all points of two grids, those of the second that lie deepest under the first, with the nearest of the first."""
    places, normals, jet = np.empty((GRID, GRID, 3)), np.empty((GRID, GRID, 3)), np.empty((6, 3))
    for i in range(GRID):
        for j in range(GRID):
            a = first.low[0] + (i + 0.5) / GRID * (first.high[0] - first.low[0])
            b = first.low[1] + (j + 0.5) / GRID * (first.high[1] - first.low[1])
            jet_in_world(first, a, b, poses[0], jet)
            n = np.cross(jet[1], jet[2])
            normals[i, j], places[i, j] = n / np.sqrt(np.dot(n, n)), jet[0]
    deepest = inf
    for i in range(GRID):
        for j in range(GRID):
            a = second.low[0] + (i + 0.5) / GRID * (second.high[0] - second.low[0])
            b = second.low[1] + (j + 0.5) / GRID * (second.high[1] - second.low[1])
            jet_in_world(second, a, b, poses[1], jet)
            nearest, ni, nj = inf, 0, 0
            for k in range(GRID):
                for m in range(GRID):
                    square = 0.0
                    for c in range(3):
                        square += (jet[0, c] - places[k, m, c]) ** 2
                    if square < nearest:
                        nearest, ni, nj = square, k, m
            depth = 0.0
            for c in range(3):
                depth += (jet[0, c] - places[ni, nj, c]) * normals[ni, nj, c]
            if depth < deepest:
                deepest = depth
                s[0], s[1] = a, b
                s[2] = first.low[0] + (ni + 0.5) / GRID * (first.high[0] - first.low[0])
                s[3] = first.low[1] + (nj + 0.5) / GRID * (first.high[1] - first.low[1])


@kernel
def meet_anywhere(first, second, poses, frames, block, size, out):
    """The contact point of two surfaces: near where it was, else from a search over both; whether there is one."""
    known = block[0] > 0.0
    if known and meet(first, second, poses, frames, block, size, out):
        return True
    before = block[1:5].copy()
    deepest_points(first, second, poses, block[1:5])
    if meet(first, second, poses, frames, block, size, out):
        return True
    block[1:5] = before
    return False


@kernel
def touch_surfaces(surfaces, k, poses, frames, size, features, there, points):
    """As `touch_pair`, of the surfaces of pair k with one place: there (1,), points (1, WIDTH), features (1, FEATURES)."""
    first, second = surface_at(surfaces, surfaces.pair[k, 0]), surface_at(surfaces, surfaces.pair[k, 1])
    known = features[0, 0] > 0.0
    there[0] = meet_anywhere(first, second, poses, frames, features[0], size, points[0])
    return int(there[0] and not known)
