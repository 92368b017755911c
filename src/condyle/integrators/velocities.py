"""New velocities for a state: of a whole body, of its nodes, of one point, of a joint coordinate.

Bodies get theirs row by row: a field v(x) gives a position v, and a material direction u the derivative of v along u, for every
kind of body. A point or a coordinate gets its own by the smallest blow that does it: the change of least kinetic energy,
Δv = m⁻¹ (Gᵀ μ + Jᵀ ν) with J Δv as wanted and G v = 0. After either, velocities are projected onto the constraints.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.errors import InputError
from condyle.model.point import Point, as_point
from condyle.system.row_problem import RowProblem
from condyle.system.running import RunningSystem
from condyle.system.state import State
from condyle.system.weights import Weights

Array = NDArray[np.float64]
Field = Callable[[Array], Any]
REACH = 1e-3  # of the size of the model: how far the derivative of a field looks


def move_body(system: RunningSystem, state: State, body: str, velocity: Any, angular_velocity: Any, about: Any) -> None:
    """Give a body velocities: a vector (d,), one for each of its nodes (nodes, d), or a function of the place [m]."""
    if not system.moving[[row for row, owner in enumerate(system.row_owner) if owner == body]].any():
        raise InputError(f"set_velocity: '{body}' moves as prescribed, so it takes no velocity")
    nodes = system.anchors[body].nodal()
    if callable(velocity):
        if angular_velocity is not None:
            raise InputError("set_velocity: a field of velocities has its own rotation; leave angular_velocity out")
        _along(system, state, body, nodes, lambda x: _numbers(velocity(x), (system.d,), body))
    elif np.ndim(velocity) == 2:
        if angular_velocity is not None:
            raise InputError("set_velocity: give velocities of nodes or an angular_velocity, not both")
        given = _numbers(velocity, (len(nodes), system.d), body)
        for node, v in zip(nodes, given, strict=True):
            _set(system, state, body, node[0], v)
    else:
        v = _numbers(velocity, (system.d,), body)
        spin = _spin(angular_velocity, system.d, body)
        centre = _centre(system, state, body, about)
        _along(system, state, body, nodes, lambda x: v + spin @ (x - centre))
    _project(system, state)


def strike_point(system: RunningSystem, state: State, point: Point, velocity: ArrayLike | None) -> None:
    """Give a point a velocity (d,), by a blow there."""
    wanted = _numbers(velocity, (system.d,), str(point))
    vector = system.position(point).pruned()
    gradients = vector.values[None, :, None] * np.eye(system.d)[:, None, :]
    _strike(system, state, vector.rows, gradients, wanted, str(point))


def strike_coordinate(system: RunningSystem, state: State, name: str, rate: ArrayLike | None) -> None:
    """Give a joint coordinate a rate, by a blow along it."""
    wanted = np.atleast_1d(_numbers(rate, (), name))
    coordinate = system.coordinate(name)
    rows = np.unique(np.concatenate([v.rows for v in coordinate.vectors]))
    gradient = np.zeros((1, rows.size, system.d))
    for r, row in enumerate(rows):  # the rate is linear in the velocities
        for a in range(system.d):
            unit = np.zeros_like(state.v)
            unit[row, a] = 1.0
            gradient[0, r, a] = coordinate.rate(state.x, unit)
    _strike(system, state, rows, gradient, wanted, name)


def _strike(
    system: RunningSystem, state: State, rows: NDArray[np.int64], gradients: Array, wanted: Array, who: str
) -> None:
    problem = RowProblem(system)
    problem.system.set_turns(state.turns)
    k = len(gradients)
    for _ in range(2):  # the second time for what the regularised diagonal has left
        problem.hold_rates(state.x, state.v, state.t, np.tile(rows, (k, 1)), gradients, wanted)
        _project(system, state)
    left = np.abs(np.einsum("kra,ra->k", gradients, state.v[rows]) - wanted).max()
    if left > 1e-6 * max(float(np.abs(state.v).max()), float(np.abs(wanted).max())):
        raise InputError(f"set_velocity: the joints do not let '{who}' move with {wanted.tolist()}")


def _along(system: RunningSystem, state: State, body: str, nodes: list[list[Weights]], field: Field) -> None:
    """Rates of all rows of a body in a field of velocities."""
    for place, *directions in nodes:
        x = place.at(state.x)
        _set(system, state, body, place, field(x))
        for direction in directions:
            u = direction.at(state.x)
            size = float(np.linalg.norm(u))
            if size > 0.0:
                s = REACH * system.size / size  # error s⁴, of linear fields none
                near, far = (np.asarray(field(x + k * s * u)) - field(x - k * s * u) for k in (1, 2))
                _set(system, state, body, direction, (8.0 * near - far) / (12.0 * s))


def _set(system: RunningSystem, state: State, body: str, vector: Weights, v: Array) -> None:
    """The rate of a row of the body itself; nodes that follow another body have none."""
    if vector.rows.size == 1 and system.row_owner[vector.rows[0]] == body:
        state.v[vector.rows[0]] = v / vector.values[0]


def _project(system: RunningSystem, state: State) -> None:
    system.driven_velocity(state.t, state.v)
    problem = RowProblem(system)
    problem.system.set_turns(state.turns)
    problem.project_velocity(state.x, state.v, state.t)


def _centre(system: RunningSystem, state: State, body: str, about: Any) -> Array:
    """What a body turns about [m]: a place in the world, a point, its own origin, or the world's if it has none."""
    if about is not None and np.ndim(about) == 1 and not isinstance(about, str):
        return _numbers(about, (system.d,), body)
    try:
        return system.position(body if about is None else as_point(about)).at(state.x)
    except InputError:
        if about is not None:
            raise
        return np.zeros(system.d)


def _spin(omega: ArrayLike, d: int, who: str) -> Array:
    """ω × as a matrix (d, d)."""
    if omega is None:
        return np.zeros((d, d))
    if d == 2:
        turn = float(np.ravel(_numbers(omega, (), who))[0])
        return np.array([[0.0, -turn], [turn, 0.0]])
    x, y, z = _numbers(omega, (3,), who)
    return np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])


def _numbers(value: object, shape: tuple[int, ...], who: str) -> Array:
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        array = np.full(1, np.nan)
    if array.shape != shape or not np.isfinite(array).all():
        raise InputError(f"set_velocity: '{who}' needs finite numbers of shape {shape}, not {value!r}")
    return array
