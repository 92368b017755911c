"""Consistent initial conditions: positions and velocities projected onto the constraints, accelerations and multipliers.

All of it is done in row form (`row_problem.py`).
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError, InputWarning
from condyle.laws.codes import ANGLE, TILT
from condyle.system.row_problem import RowProblem
from condyle.system.running import RunningSystem
from condyle.system.state import State
from condyle.system.turns import start_rates

Array = NDArray[np.float64]
# Pieces, of half a radian or half the size of the model, that a coordinate is moved by to its initial value.
FARTHEST = 10_000


@dataclass
class StartReport:
    """What making the start consistent changed: largest change of a place [m] or direction [rad], of its rate, and where."""

    position_change: float = 0.0
    velocity_change: float = 0.0
    position_part: str = ""
    velocity_part: str = ""
    position_unit: str = "m"
    velocity_unit: str = "m"
    redundancy: list[str] = field(default_factory=list)
    quasi_static: list[str] = field(default_factory=list)
    doubts: list[str] = field(default_factory=list)

    def lines(self, size: float) -> list[str]:
        """Sentences for the user; nothing where nothing changed beyond round-off."""
        out = []
        if self.position_change > 1e-9 * (size if self.position_unit == "m" else 1.0):
            moved = f"{self.position_change:.3g} {self.position_unit} ('{self.position_part}')"
            out.append(f"start: moved by up to {moved} to fit joints, drives and initial values")
        if self.velocity_change > 1e-9 * (size if self.velocity_unit == "m" else 1.0):
            changed = f"{self.velocity_change:.3g} {self.velocity_unit}/s ('{self.velocity_part}')"
            out.append(f"start: velocities changed by up to {changed} to fit joints, drives and initial values")
        return out + self.doubts + self.redundancy + self.quasi_static


def picked_state(system: RunningSystem, given: Any) -> State:
    """A copy of the state that is meant: a State, a Result (its last frame) or (result, frame)."""
    frame = -1
    if isinstance(given, tuple) and len(given) == 2:
        given, frame = given
    if not isinstance(given, State):
        if not callable(getattr(given, "state", None)):
            raise InputError(f"state must be None, a State, a Result or (result, frame), not {type(given).__name__}")
        given = given.state(frame)
    if given.x.shape != (system.n, system.d):
        raise InputError(f"the state does not belong to model '{system.model.name}': it has other rows")
    if not (np.isfinite(given.x).all() and np.isfinite(given.v).all()):
        raise InputError("the state has positions or velocities that are not finite")
    state = given.copy()
    still = ~system.moving
    for rows, _ in system.driven:
        still[rows] = False
    state.x[still], state.v[still] = system.x_start[still], 0.0  # the ground stays where it is
    return state


def consistent_state(
    system: RunningSystem, mode: str = "consistent", t: float = 0.0, given: State | None = None
) -> tuple[State, StartReport]:
    """The state at the start, at rest or in motion as declared, or from the places and velocities of a given state.

    mode: 'consistent' projects positions and velocities and finds accelerations and multipliers; 'zero-acceleration'
    projects too, but starts from zero acceleration and multipliers; 'as-given' changes nothing.
    """
    if mode not in ("consistent", "zero-acceleration", "as-given"):
        raise InputError(f"start is {mode!r}; choose 'consistent', 'zero-acceleration' or 'as-given'")
    declared = given is None
    if given is None:
        given = State(t, system.x_start, system.v_start, np.zeros(0), turns=np.zeros(system.turn_count))
    t, x, v = given.t, given.x.copy(), given.v.copy()
    system.place_driven(t, x)
    system.driven_velocity(t, v)
    known = given.turns.size == system.turn_count  # angles on their turns, activations
    state = State(
        t, x, v, np.zeros(len(system.multipliers)), turns=given.turns if known else np.zeros(system.turn_count)
    )
    report = StartReport()
    if mode == "as-given":
        return state, report
    problem = RowProblem(system)
    problem.project_position(state.x, t)
    if declared:
        _start_coordinates(system, state, "value")
    state.turns = system.turns_at(state.x, state.turns)
    if declared or not known:
        start_states(system, state)
    report.doubts = _doubts(system, state)
    before = v.copy()
    problem.system.set_turns(state.turns)
    problem.project_velocity(state.x, state.v, t)
    if declared:
        _start_coordinates(system, state, "rate")
    report.position_change, report.position_unit, report.position_part = _largest(system, state.x - given.x)
    report.velocity_change, report.velocity_unit, report.velocity_part = _largest(system, state.v - before)
    if mode == "consistent":
        acceleration, multipliers = problem.acceleration(state)
        state.memory["acceleration"] = acceleration
        state.multipliers = problem.shared(multipliers)
    else:
        state.memory["acceleration"] = np.zeros_like(x)
    return state, report


def _doubts(system: RunningSystem, state: State) -> list[str]:
    """What parts find strange about the start: sentences for the user, also raised as warnings."""
    if not system.contributions.start_checks:
        return []
    system.set_turns(state.turns)
    doubts = [doubt for check in system.contributions.start_checks if (doubt := check(system, state))]
    for doubt in doubts:
        warnings.warn(doubt, InputWarning, stacklevel=4)
    return doubts


def start_states(system: RunningSystem, state: State) -> None:
    """Activations as given or equal to the excitation, fibres in balance with their tendons."""
    if system.has_states:
        system.set_turns(state.turns)
        system.set_pace(0.0)
        amplitudes = system.amplitudes(state.t)
        for channel, activation in system.contributions.starts.items():
            amplitudes[channel] = activation
        system.advance_states(state.x, amplitudes, 1.0, state.turns)
        start_rates(system, amplitudes, system.amplitudes(state.t), state.turns)


def _start_coordinates(system: RunningSystem, state: State, what: str) -> None:
    """Move joint coordinates to their initial values, or give them their initial rates."""
    from condyle.system.compile import assemble_system

    wanted = [(i, value if what == "value" else rate) for i, value, rate in system.contributions.initial]
    wanted = [(i, number) for i, number in wanted if number is not None]
    if not wanted:
        return
    extra = [i for i, _ in wanted]
    form = assemble_system(system.contributions, identity=True, solver=system.solver_kind, exact=True, extra=extra)
    plain = RunningSystem(form)
    problem = RowProblem(system, plain)
    plain.set_turns(plain.turns_at(state.x, np.zeros(plain.turn_count)))
    if what == "rate":
        problem.project_velocity(state.x, state.v, state.t, np.array([number for _, number in wanted], dtype=float))
        return
    # Large angles in small steps, so that each is on the right turn.
    first = plain.constraints.param_start[plain.constraints.law.size - len(wanted) : -1]
    reach = 0.5 * np.where(np.isin(plain.constraints.params[first + 2], (ANGLE, TILT)), 1.0, system.size)
    now = plain.constraints.params[first].copy()
    aim = np.array([number for _, number in wanted], dtype=float)
    turns = plain.turns_at(state.x, np.zeros(plain.turn_count))
    pieces = np.abs(aim - now) / reach
    far = int(pieces.argmax())
    if pieces[far] > FARTHEST:
        raise InputError(
            f"Initial '{wanted[far][0].part}': its value {aim[far]:g} is out of reach; angles are in radians"
        )
    count = max(1, int(np.ceil(pieces[far])))
    for k in range(1, count + 1):
        plain.constraints.params[first] = now + (aim - now) * k / count
        plain.set_turns(turns)
        problem.project_position(state.x, state.t)
        turns = plain.turns_at(state.x, turns)
    state.turns = turns[: system.turn_count]


def correct_velocity(system: RunningSystem, state: State, h: float, factor: float, of_rates: float = 0.0) -> None:
    """v += factor h² × (mass-orthogonal normal part of the jerk): multipliers are then second order from the first step.

    of_rates: the same for constraints of velocities: a·v − b = of_rates h² × (its second derivative along x + v s, v + a s).

    Energy–momentum keeps a velocity error normal to the constraints for ever, as a ripple of its multipliers; this start
    removes it. The change of momentum is zero, that of the energy is of order h⁴.
    """
    if (factor or of_rates) and len(system.plain.multipliers) and "acceleration" in state.memory:
        problem = RowProblem(system)
        state.v += h * h * problem.normal_jerk(state, factor, of_rates)


def _largest(system: RunningSystem, change: Array) -> tuple[float, str, str]:
    """Largest change of a row, its unit (directions turn) and its body."""
    size = np.linalg.norm(change, axis=1) * system.moving
    # What turns about a point moves as much: say that it turns.
    alike = np.where(system.translation > 0, 1.0, 1.0 + 1e-6)
    worst = int(np.argmax(alike * size / system.rows.size))
    return float(size[worst]), "rad" if system.translation[worst] == 0.0 else "m", system.row_owner[worst]
