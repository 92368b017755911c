"""Points that can touch within a step, and what they feel of the unknowns: a row across and rows along the surface each.

Rows of resistance to rolling and spinning, of pairs that have any, stand after those of all points.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.contact.laws.surface_friction import SurfaceFriction
from condyle.contact.memory import FORCE, TURNING
from condyle.contact.patch_pair import PatchPair
from condyle.contact.shape_pair import ShapePair
from condyle.integrators.nonsmooth_kernels import convert, rates_of
from condyle.solvers.body_sweeps import SparseRows
from condyle.system.running import RunningSystem

if TYPE_CHECKING:
    from condyle.contact.problem import ContactProblem

Array = NDArray[np.float64]
Index = NDArray[np.int64]


class Reached(NamedTuple):
    """Points that can touch within a step: k of them, m = k d + t rows."""

    pair: Index  # number of the pair of each point (k,)
    point: Index  # its number there (k,)
    gap: Array  # [m] (k,)
    mu: Array  # (k,)
    restitution: Array  # (k,)
    before: Array  # rate of the gap as the step begins [m/s] (k,)
    slip: Array  # rates along the surface as the step begins (k, d − 1) [m/s]
    weight: Array  # length or area of the point, 1 where it has none (k,)
    axes: Array  # of normal and tangents, in the coordinates in which forces are kept (k, d, d)
    scale: Array  # of rows along the surface: impulses are those of the rows times this (k, d)
    J: SparseRows  # (m, unknowns)
    drive: (
        Array  # rates of the rows that bodies which move as prescribed make, less that of a running surface (m,) [m/s]
    )
    turning: Index  # further disks: first row, number of rows, contact (t, 3)
    lever: Array  # their coefficients (t,) [m]

    @property
    def d(self) -> int:
        return self.axes.shape[-1]


class Group(NamedTuple):
    """What one pair brings."""

    arrays: tuple[Any, ...]  # pair, point, gap, mu, restitution, before, slip, weight, axes, scale
    rows: Index  # (k, nr)
    gradients: Array  # (k, d, nr, d)
    belt: Array  # speeds of a running surface along normal and tangents (k, d) [m/s]


def reach(system: RunningSystem, x: Array, v0: Array, v1: Array, far: float) -> Reached:
    """The points that are no farther away at x than `far` [m], a few times the way that anything goes in the step.

    v0: velocities of rows as the step begins (n, d); v1: those at its end, of rows that move as prescribed. Points of shapes
    are in their places already.
    """
    problem, d = system.contact, system.d
    assert problem is not None
    groups, turns = [], []
    first = 0
    for number, pair in enumerate(problem.pairs):
        gap = pair.gaps(x)
        points = np.flatnonzero(gap <= far)
        if points.size:
            group = _group(pair, number, points, gap[points], x, v0)
            groups.append(group)
            if isinstance(pair.rub, SurfaceFriction) and (pair.rub.rolling or pair.rub.spinning):
                turns += _turning(pair, points, x, first, d)
            first += points.size
    if not groups:
        return _nothing(d)
    arrays = [
        np.concatenate(column) if len(column) > 1 else column[0]
        for column in zip(*(g.arrays for g in groups), strict=True)
    ]
    starts, columns, values, drives = [np.zeros(1, dtype=np.int64)], [], [], []
    made = [(g.rows, g.gradients, g.belt) for g in groups] + [
        (rows, by, np.zeros(by.shape[:2])) for rows, by, *_ in turns
    ]
    for rows, gradients, belt in made:
        J, drive = in_unknowns(system, x, v1, rows, gradients)
        starts.append(J.start[1:] + starts[-1][-1])
        columns.append(J.column)
        values.append(J.value)
        drives.append(drive - belt.ravel())
    J = SparseRows(np.concatenate(starts), np.concatenate(columns), np.concatenate(values))
    disks, levers, row = [], [], first * d
    for _, by, contact, lever, width in turns:
        count = by.shape[0] * by.shape[1]
        disks.append(
            np.stack((row + width * np.arange(count // width), np.full(count // width, width), contact), axis=1)
        )
        levers.append(np.full(count // width, lever))
        row += count
    turning = np.concatenate(disks) if disks else np.zeros((0, 3), dtype=np.int64)
    resistance = np.concatenate(levers) if levers else np.zeros(0)
    return Reached._make([*arrays, J, np.concatenate(drives), turning, resistance])


def _nothing(d: int) -> Reached:
    none, whole = np.zeros(0), np.zeros(0, dtype=np.int64)
    J = SparseRows(np.zeros(1, dtype=np.int64), whole, none)
    return Reached(
        whole, whole, none, none, none, none, np.zeros((0, d - 1)), none, np.zeros((0, d, d)), np.zeros((0, d)), J, none,
        np.zeros((0, 3), dtype=np.int64), none,
    )  # fmt: skip


def _group(pair: Any, number: int, points: Index, gap: Array, x: Array, v: Array) -> Group:
    rows, gradients, axes = pair.directions(x, points)
    k, d = axes.shape[:2]
    scale, belt, rub = np.ones((k, d)), np.zeros((k, d)), pair.rub
    if isinstance(rub, SurfaceFriction):
        gradients, axes, scale, belt = _directed(pair, rub, x, points, gradients, axes)
    rates = np.empty((k, d))
    rates_of(rows, gradients, v, rates)
    rates -= belt
    if rub is None:
        mu = np.zeros(k)
    elif rub.varies:
        mu = rub.coefficient(np.linalg.norm(rates[:, 1:], axis=1))
    else:
        mu = np.full(k, rub.mean if isinstance(rub, SurfaceFriction) else rub.mu)
    area = pair.areas[points]
    weight = np.where(area > 0.0, area, 1.0)
    arrays = (
        np.full(k, number), points, gap, mu, np.full(k, pair.law.restitution), rates[:, 0], rates[:, 1:], weight, axes, scale
    )  # fmt: skip
    return Group(arrays, rows, gradients, belt)


def _directed(
    pair: Any, rub: SurfaceFriction, x: Array, points: Index, gradients: Array, axes: Array
) -> tuple[Array, Array, Array, Array]:
    """Rows whose first tangent is the axis of friction, scaled where friction is not the same in all directions."""
    k, d = axes.shape[:2]
    if d == 3 and rub.axis is not None:
        c = _components(pair, x, points, axes, rub.axis)[:, 1:]
        size = np.linalg.norm(c, axis=1, keepdims=True)
        c = np.where(size > 1e-9, c / np.where(size > 1e-9, size, 1.0), (1.0, 0.0))
        turn = np.zeros((k, 3, 3))
        turn[:, 0, 0] = 1.0
        turn[:, 1, 1], turn[:, 1, 2] = c[:, 0], c[:, 1]
        turn[:, 2, 1], turn[:, 2, 2] = -c[:, 1], c[:, 0]
        axes = turn @ axes
        gradients = np.einsum("kij,kjra->kira", turn, gradients)
    belt = np.zeros((k, d))
    if rub.velocity is not None:
        belt[:, 1:] = _components(pair, x, points, axes, np.asarray(rub.velocity))[:, 1:]
    scale = np.ones((k, d))
    if d == 3 and rub.across is not None:
        scale[:, 1:] = rub.scales
        gradients = gradients * scale[:, :, None, None]
        belt = belt * scale
    return gradients, axes, scale, belt


def _components(pair: Any, x: Array, points: Index, axes: Array, vector: Any) -> Array:
    """Components along normal and tangents (k, d) of a vector in the coordinates of the target, or of the line of the body."""
    if isinstance(pair, PatchPair):  # whose axes are in the world, and whose first tangent is along the line
        along = np.zeros_like(axes[:, 0])
        along[:, 1] = 1.0
        return along if isinstance(vector, str) else np.asarray(axes @ pair.meets.to_world(vector, x))
    if isinstance(vector, str):
        world = np.array([pair.lines[i].at(x) for i in points])
        return np.einsum("kij,kj->ki", axes, world @ x[list(pair.directors)].T)
    if isinstance(pair, ShapePair):
        D = x[pair.rows_of_bodies[pair.bodies[points, 0], 1:]]
        at = pair.touch(x).axes[points][:, : pair.d, : pair.d]
        world = np.einsum("j,kja->ka", vector, D)
        return np.einsum("kij,kja,ka->ki", axes, at, world)
    return np.asarray(axes @ vector)


def _turning(pair: Any, points: Index, x: Array, first: int, d: int) -> list[tuple[Index, Array, Index, float, int]]:
    """Rows of the turning of both bodies against each other, as rows, gradients, contacts, coefficient, rows of a disk."""
    k, of = len(points), first + np.arange(len(points))
    rows = np.concatenate(
        (pair.rows_of_bodies[pair.bodies[points, 1], 1:], pair.rows_of_bodies[pair.bodies[points, 0], 1:]), axis=1
    )
    D = x[rows]  # (k, 2 d, d)
    sign = np.repeat((0.5, -0.5), d)[None, :, None]
    if d == 2:
        by = (sign * np.stack((-D[:, :, 1], D[:, :, 0]), axis=2))[:, None]
        return [(rows, by, of, pair.rub.rolling, 1)] if pair.rub.rolling else []
    axes = pair.touch(x).axes[points]
    out = []
    for lever, which in ((pair.rub.rolling, (1, 2)), (pair.rub.spinning, (0,))):
        if lever:
            by = np.stack([sign * np.cross(axes[:, a, None, :], D) for a in which], axis=1)
            out.append((rows, by.reshape(k, len(which), 2 * d, d), of, lever, len(which)))
    return out


def in_unknowns(system: RunningSystem, x: Array, v: Array, rows: Index, gradients: Array) -> tuple[SparseRows, Array]:
    """Gradients by rows (k, a, nr, d) as rows of unknowns (k a, unknowns), and the rates (k a,) of rows without unknowns."""
    k, a, nr, d = gradients.shape
    size = k * a * nr * d if d == 3 else k * a * nr * 2
    start, column, value = np.zeros(k * a + 1, dtype=np.int64), np.empty(size, dtype=np.int64), np.empty(size)
    drive = np.zeros(k * a)
    used = convert(system.rows.kind, system.rows.unknown, x, v, rows, gradients, start, column, value, drive)
    return SparseRows(start, column[:used], value[:used]), drive


def start_impulses(problem: ContactProblem, memory: dict[str, Array], reached: Reached, h: float) -> Array:
    """Impulses of the step before, for a first guess (m,) [N s]: forces that last, over this step."""
    k, d = reached.gap.size, reached.d
    p = np.zeros(reached.J.start.size - 1)
    force = memory.get(FORCE)
    if force is None or not k:
        return p
    for number, pair in enumerate(problem.pairs):
        mine = np.flatnonzero(reached.pair == number) if len(problem.pairs) > 1 else slice(None)
        kept = force[problem.force_start[number] : problem.force_start[number + 1]].reshape(pair.count, pair.reported)
        mine_kept = kept[reached.point[mine]]
        own = p[: k * d].reshape(k, d)
        if pair.reported > 1:
            scale = np.where(reached.scale[mine] > 0.0, reached.scale[mine], 1.0)
            own[mine] = -h * np.einsum("kij,kj->ki", reached.axes[mine], mine_kept) / scale
        else:
            own[mine, 0] = -h * mine_kept[:, 0]
    own[:, 0] = np.maximum(own[:, 0], 0.0)
    if reached.lever.size and TURNING in memory:
        turned = memory[TURNING]
        for row, count, contact in reached.turning:
            at = problem.point_start[reached.pair[contact]] + reached.point[contact]
            p[row : row + count] = h * (turned[at, :count] if count == d - 1 else turned[at, 2:3])
    return p
