"""Inverse kinematics: the motion of a model whose points come nearest to measured markers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.analysis.inverse import as_result, as_times
from condyle.errors import ConvergenceError, InputError, unknown_name
from condyle.model.model import Model
from condyle.model.motion import MotionTable
from condyle.system.compile import compile
from condyle.system.start import RowProblem, consistent_state
from condyle.system.state import State
from condyle.system.system import System

if TYPE_CHECKING:
    from condyle.results.result import Result

Array = NDArray[np.float64]
REGULARISATION = 1e-9  # weight of the mass against that of the markers: decides what markers leave open
FARTHEST = 0.3  # of the model's size, or rad, in one iteration


class MarkerFit(NamedTuple):
    """The motion, and how far each marker is from its measured place [m], name -> (times,)."""

    result: Result
    errors: dict[str, Array]


def inverse_kinematics(
    model: Model | System,
    measured: MotionTable | Mapping[str, ArrayLike],
    markers: Mapping[str, Any],
    *,
    times: ArrayLike | None = None,
    weights: Mapping[str, float] | None = None,
) -> MarkerFit:
    """The motion whose marker points are nearest to measured ones, all joints being kept: least Σ weight |distance|².

    measured: a MotionTable with columns 'name_x', 'name_y'(, 'name_z') [m], or a dict name -> places (times, d) together with
    `times` [s]. markers: name -> point of the model. weights: name -> weight, 1 by default. Each frame starts from the one
    before. Velocities of the result are differences of its places, made to fit the joints.

    What markers leave open moves as little as possible. If a frame does not converge, ConvergenceError has the frames
    before it in its `result`.
    """
    system = model if isinstance(model, System) else compile(model)
    t, places = _measured(measured, markers, times, system.d)
    names = list(markers)
    size = np.array([_weight(name, weights) for name in names])
    points = [system.position(markers[name]) for name in names]
    state, _ = consistent_state(system, "zero-acceleration")
    fit = _Fit(system, points, size)
    x, turns = state.x.copy(), state.turns.copy()
    frames: list[Array] = []
    all_turns: list[Array] = []
    for k, now in enumerate(t):
        x, turns, done = fit.reach(x, turns, float(now), places[:, k])
        if not done:
            kept = _result(system, fit.problem, t[:k], frames, all_turns) if k else None
            raise ConvergenceError(
                f"inverse_kinematics: no pose of '{system.model.name}' fits the markers at t = {now:g} s; look for swapped "
                f"markers there, the worst is '{names[fit.worst]}'", result=kept, time=float(now),
            )  # fmt: skip
        frames.append(x.copy())
        all_turns.append(turns.copy())
    result = _result(system, fit.problem, t, frames, all_turns)
    errors = {name: np.linalg.norm(result.position(markers[name]) - places[i], axis=1) for i, name in enumerate(names)}
    return MarkerFit(result, errors)


class _Fit:
    """Gauss–Newton steps in row form, joints closed after each."""

    def __init__(self, system: System, points: list[Any], weights: Array) -> None:
        self.system, self.points = system, points
        self.problem = RowProblem(system)
        plain = self.problem.system
        self.free = np.flatnonzero(plain.moving)
        self.place = {int(row): k for k, row in enumerate(self.free)}
        n, d = len(self.free), system.d
        W = np.zeros((len(points), n))
        for i, point in enumerate(points):
            for row, value in zip(point.rows, point.values, strict=True):
                if int(row) in self.place:
                    W[i, self.place[int(row)]] += value
        self.W = W
        m = np.zeros((n, n))
        mass = plain.mass
        for a, b, value in zip(mass.first, mass.second, mass.value, strict=True):
            if int(a) in self.place and int(b) in self.place:
                m[self.place[int(a)], self.place[int(b)]] += value
        m += 1e-6 * np.trace(m) / max(n, 1) * np.eye(n)
        self.weights = weights
        stiffness = W.T @ (weights[:, None] * W)
        self.B = np.kron(stiffness + REGULARISATION * np.trace(stiffness) / np.trace(m) * m, np.eye(d))
        self.worst = 0

    def reach(self, x: Array, turns: Array, t: float, aims: Array) -> tuple[Array, Array, bool]:
        """The pose nearest to the aims (markers, d), from x on."""
        system, problem = self.system, self.problem
        plain, d = problem.system, system.d
        x = x.copy()
        system.place_driven(t, x)
        for _ in range(200):
            plain.set_turns(turns[: plain.turn_count] if plain.turn_count <= turns.size else turns)
            c = problem.factor(x, t)
            G = self._gradients()
            gaps = np.array([aim - p.at(x) for aim, p in zip(aims, self.points, strict=True)])
            self.worst = int(np.argmax(np.linalg.norm(gaps, axis=1)))
            rhs = np.concatenate(((self.W.T @ (self.weights[:, None] * gaps)).ravel(), -c[plain.exact]))
            m = len(rhs) - len(self.B)
            K = np.block([[self.B, G.T], [G, np.zeros((m, m))]])
            scale = float(np.abs(self.B).max())
            K[len(self.B) :, : len(self.B)] *= scale
            K[: len(self.B), len(self.B) :] *= scale
            rhs[len(self.B) :] *= scale
            dx = np.linalg.lstsq(K, rhs, rcond=1e-13)[0][: len(self.B)].reshape(-1, d)
            far = float(np.abs(dx).max(initial=0.0))
            step = min(1.0, FARTHEST * max(system.size, 1.0) / max(far, 1e-300), FARTHEST / max(self._turn(dx), 1e-300))
            x[self.free] += step * dx
            problem.project_position(x, t)
            turns = system.turns_at(x, turns)
            if step == 1.0 and far <= 1e-9 * max(system.size, 1.0):
                return x, turns, True
        return x, turns, False

    def _turn(self, dx: Array) -> float:
        directions = self.system.translation[self.free] == 0.0
        return float(np.abs(dx[directions]).max(initial=0.0))

    def _gradients(self) -> Array:
        """∂c/∂x of the constraints that are held exactly, by free rows; dense."""
        plain = self.problem.system
        A = np.zeros((plain.unknowns, plain.unknowns))
        A[plain.pattern.rows(), plain.pattern.indices] = self.problem.out.A
        columns = (plain.rows.unknown[self.free][:, None] + np.arange(plain.d)).ravel()
        return A[np.ix_(plain.multiplier_unknowns[plain.exact], columns)]


def _result(system: System, problem: RowProblem, t: Array, frames: list[Array], turns: list[Array]) -> Result:
    x = np.array(frames)
    rates = np.gradient(x, t, axis=0, edge_order=2 if len(t) > 2 else 1) if len(t) > 1 else np.zeros_like(x)
    states = []
    for k, now in enumerate(t):
        problem.system.set_turns(turns[k])
        problem.project_velocity(x[k], rates[k], float(now))
        states.append(State(float(now), x[k], rates[k], np.zeros(len(system.multipliers)), turns=turns[k]))
    return as_result(system, states, "InverseKinematics")


def _measured(measured: Any, markers: Mapping[str, Any], times: Any, d: int) -> tuple[Array, Array]:
    """Times (n,) and places (markers, n, d)."""
    if not markers:
        raise InputError("inverse_kinematics: give at least one marker, name -> point of the model")
    if isinstance(measured, MotionTable):
        found = measured.markers(list(markers), d)
        t = measured.times
    else:
        if times is None:
            raise InputError("inverse_kinematics: give the times of the measured places")
        t = as_times(times)
        for name in markers:
            if name not in measured:
                raise unknown_name("marker", name, measured, where="measured places")
        found = {name: np.asarray(measured[name], dtype=float) for name in markers}
    for name, place in found.items():
        if place.shape != (len(t), d):
            raise InputError(f"marker '{name}': its places must have the shape ({len(t)}, {d}), not {place.shape}")
        if not np.isfinite(place).all():
            row = int(np.flatnonzero(~np.isfinite(place).all(axis=1))[0])
            raise InputError(f"marker '{name}' has no place at t = {t[row]:g} s; leave it out, or fill the gap")
    return t, np.array([found[name] for name in markers])


def _weight(name: str, weights: Mapping[str, float] | None) -> float:
    value = 1.0 if weights is None else float(weights.get(name, 1.0))
    if not (np.isfinite(value) and value >= 0.0):
        raise InputError(f"inverse_kinematics: the weight of '{name}' must not be negative, but is {value}")
    return value
