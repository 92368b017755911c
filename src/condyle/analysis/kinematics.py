"""Inverse kinematics: the motion of a model that comes nearest to measured markers and joint coordinates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.analysis.inverse import as_result, as_times
from condyle.errors import ConvergenceError, InputError, unknown_name
from condyle.laws.codes import ANGLE
from condyle.model.model import Model
from condyle.model.motion import MotionTable
from condyle.muscles.reading import PathReader
from condyle.system.compile import running
from condyle.system.coordinate import Term
from condyle.system.row_problem import RowProblem
from condyle.system.running import RunningSystem
from condyle.system.start import consistent_state
from condyle.system.state import State
from condyle.system.system import System
from condyle.system.velocity_rows import refuse_rates

if TYPE_CHECKING:
    from condyle.model.given import PointLike
    from condyle.results.result import Result

Array = NDArray[np.float64]
REGULARISATION = 1e-9  # weight of the mass against that of the markers: decides what markers leave open
FARTHEST = 0.3  # of the model's size, or rad, in one iteration


class MarkerFit(NamedTuple):
    """The motion, and how far each marker [m] and joint coordinate [rad or m] is from what was measured, name -> (times,)."""

    result: Result
    errors: dict[str, Array]


def inverse_kinematics(
    model: Model | System,
    measured: MotionTable | Mapping[str, ArrayLike],
    markers: Mapping[str, PointLike] | None = None,
    *,
    coordinates: Mapping[str, str] | None = None,
    times: ArrayLike | None = None,
    weights: Mapping[str, float] | None = None,
) -> MarkerFit:
    """The motion nearest to measured markers and joint coordinates, all joints being kept: least Σ weight |difference|².

    markers: name -> point of the model; coordinates: name -> joint coordinate of the model, 'knee.angle'. Give either or both.
    measured: a MotionTable with columns 'name_x', 'name_y'(, 'name_z') [m] of markers and 'name' of coordinates (angles in
    degrees if the table has degrees), or a dict name -> places (times, d) or values (times,) [rad or m] together with `times`
    [s]. weights: name -> weight, 1 by default: an error of 1 rad counts as much as one of 1 m. Each frame starts from the
    one before. Velocities of the result are differences of its places, made to fit the joints.

    What they leave open moves as little as possible. If a frame does not converge, ConvergenceError has the frames
    before it in its `result`.
    """
    system = running(model)
    refuse_rates(system, "inverse_kinematics")
    markers, coordinates = dict(markers or {}), dict(coordinates or {})
    t, places, values = _measured(system, measured, markers, coordinates, times)
    names = [*markers, *coordinates]
    size = np.array([_weight(name, weights) for name in names])
    points = [system.position(point) for point in markers.values()]
    state, _ = consistent_state(system, "zero-acceleration")
    fit = _Fit(system, points, [system.coordinate(c) for c in coordinates.values()], size)
    x, turns = state.x.copy(), state.turns.copy()
    frames: list[Array] = []
    all_turns: list[Array] = []
    for k, now in enumerate(t):
        x, turns, done = fit.reach(x, turns, float(now), places[:, k], values[:, k])
        if not done:
            kept = _result(system, fit.problem, t[:k], frames, all_turns) if k else None
            raise ConvergenceError(
                f"inverse_kinematics: no pose of '{system.model.name}' fits what was measured at t = {now:g} s; look for "
                f"swapped markers there, the worst is '{names[fit.worst]}'", result=kept, time=float(now),
            )  # fmt: skip
        frames.append(x.copy())
        all_turns.append(turns.copy())
    result = _result(system, fit.problem, t, frames, all_turns)
    errors = {
        name: np.linalg.norm(result.position(markers[name]) - places[i], axis=1) for i, name in enumerate(markers)
    }
    for i, (name, reference) in enumerate(coordinates.items()):
        coordinate = system.coordinate(reference)
        errors[name] = np.abs([_apart(coordinate.kind, values[i, k] - coordinate.at(x)) for k, x in enumerate(frames)])
    return MarkerFit(result, errors)


class _Fit:
    """Gauss–Newton steps in row form, joints closed after each."""

    def __init__(self, system: RunningSystem, points: list[Any], coordinates: list[Any], weights: Array) -> None:
        self.system, self.points = system, points
        self.kinds = [c.kind for c in coordinates]
        self.readers = [PathReader([Term(c)]) for c in coordinates]
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
        self.weights, self.coordinate_weights = np.split(weights, [len(points)])
        stiffness = W.T @ (self.weights[:, None] * W)
        size = np.trace(stiffness) + self.coordinate_weights.sum()
        self.B = np.kron(stiffness + REGULARISATION * size / np.trace(m) * m, np.eye(d))
        self.worst = 0

    def reach(self, x: Array, turns: Array, t: float, aims: Array, values: Array) -> tuple[Array, Array, bool]:
        """The pose nearest to the aims (markers, d) and values (coordinates,), from x on."""
        system, problem = self.system, self.problem
        plain, d = problem.system, system.d
        x = x.copy()
        system.place_driven(t, x)
        for _ in range(200):
            plain.set_turns(turns)
            c = problem.factor(x, t)
            G = self._gradients()
            gaps = np.array([aim - p.at(x) for aim, p in zip(aims, self.points, strict=True)]).reshape(-1, d)
            rest, slopes = self._coordinates(x, values)
            self.worst = int(np.argmax([*np.linalg.norm(gaps, axis=1), *np.abs(rest)]))
            B = self.B + slopes.T @ (self.coordinate_weights[:, None] * slopes)
            pull = (self.W.T @ (self.weights[:, None] * gaps)).ravel() + slopes.T @ (self.coordinate_weights * rest)
            rhs = np.concatenate((pull, -c[plain.exact]))
            m = len(rhs) - len(B)
            K = np.block([[B, G.T], [G, np.zeros((m, m))]])
            scale = float(np.abs(B).max())
            K[len(B) :, : len(B)] *= scale
            K[: len(B), len(B) :] *= scale
            rhs[len(B) :] *= scale
            dx = np.linalg.lstsq(K, rhs, rcond=1e-13)[0][: len(B)].reshape(-1, d)
            far = float(np.abs(dx).max(initial=0.0))
            step = min(1.0, FARTHEST * max(system.size, 1.0) / max(far, 1e-300), FARTHEST / max(self._turn(dx), 1e-300))
            x[self.free] += step * dx
            problem.project_position(x, t)
            turns = system.turns_at(x, turns)
            if step == 1.0 and far <= 1e-9 * max(system.size, 1.0):
                return x, turns, True
        return x, turns, False

    def _coordinates(self, x: Array, values: Array) -> tuple[Array, Array]:
        """What joint coordinates are short of their values (n,), angles on the nearest turn, and their slopes by free rows."""
        rest, slopes = np.zeros(len(values)), np.zeros((len(values), len(self.free) * self.system.d))
        for k, reader in enumerate(self.readers):
            rest[k] = _apart(self.kinds[k], values[k] - reader.at(x)[0])
            slopes[k] = -reader.pull(x)[self.free].ravel()
        return rest, slopes

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


def _result(system: RunningSystem, problem: RowProblem, t: Array, frames: list[Array], turns: list[Array]) -> Result:
    x = np.array(frames)
    rates = np.gradient(x, t, axis=0, edge_order=2 if len(t) > 2 else 1) if len(t) > 1 else np.zeros_like(x)
    states = []
    for k, now in enumerate(t):
        problem.system.set_turns(turns[k])
        problem.project_velocity(x[k], rates[k], float(now))
        states.append(State(float(now), x[k], rates[k], np.zeros(len(system.multipliers)), turns=turns[k]))
    return as_result(system, states, "InverseKinematics")


def _apart(kind: int, difference: Any) -> float:
    """A difference of two values of a coordinate; of angles within half a turn."""
    return float(np.angle(np.exp(1j * difference)) if kind == ANGLE else difference)


def _measured(
    system: RunningSystem, measured: Any, markers: dict[str, Any], coordinates: dict[str, str], times: Any
) -> tuple[Array, Array, Array]:
    """Times (n,), places (markers, n, d) and values of coordinates (coordinates, n)."""
    if not markers and not coordinates:
        raise InputError(
            "inverse_kinematics: give at least one marker, name -> point of the model, or joint coordinate"
        )
    if isinstance(measured, MotionTable):
        t = measured.times
        found: dict[str, Array] = measured.markers(list(markers), system.d) if markers else {}
        for name, reference in coordinates.items():
            angle = measured.degrees and system.coordinate(reference).kind == ANGLE
            found[name] = np.radians(measured[name]) if angle else measured[name]
    else:
        if times is None:
            raise InputError("inverse_kinematics: give the times of the measured places")
        t = as_times(times)
        for name in (*markers, *coordinates):
            if name not in measured:
                what = "marker" if name in markers else "joint coordinate"
                raise unknown_name(what, name, measured, where="measured places")
        found = {name: np.asarray(measured[name], dtype=float) for name in (*markers, *coordinates)}
    for name, place in found.items():
        shape = (len(t), system.d) if name in markers else (len(t),)
        if place.shape != shape:
            what = "marker '{}': its places" if name in markers else "joint coordinate '{}': its values"
            raise InputError(f"{what.format(name)} must have the shape {shape}, not {place.shape}")
        if not np.isfinite(place).all():
            row = int(np.flatnonzero(~np.isfinite(place.reshape(len(t), -1)).all(axis=1))[0])
            what = f"marker '{name}' has no place" if name in markers else f"joint coordinate '{name}' has no value"
            raise InputError(f"{what} at t = {t[row]:g} s; leave it out, or fill the gap")
    places = np.array([found[name] for name in markers]).reshape(len(markers), len(t), system.d)
    return t, places, np.array([found[name] for name in coordinates]).reshape(len(coordinates), len(t))


def _weight(name: str, weights: Mapping[str, float] | None) -> float:
    value = 1.0 if weights is None else float(weights.get(name, 1.0))
    if not (np.isfinite(value) and value >= 0.0):
        raise InputError(f"inverse_kinematics: the weight of '{name}' must not be negative, but is {value}")
    return value
