"""Angles that are followed over full turns, and states of laws (activations, fibre lengths), which travel with them.

Each has a place among the parameters of its law. `State.turns` has them in the order energies, forces, constraints.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.system import assembly
from condyle.system.contributions import Instance
from condyle.system.tables import LawTable

if TYPE_CHECKING:
    from condyle.system.running import RunningSystem
    from condyle.system.system import System

Array = NDArray[np.float64]


class Angles(NamedTuple):
    """All angle coordinates and states of one family of laws, shape (angles,) each."""

    instance: NDArray[np.int64]
    place: NDArray[np.int64]  # of the reference in the parameters of its instance
    vector: NDArray[np.int64]  # the first of its gathered vectors; −1 for a state


def find_angles(instances: list[Instance]) -> Angles:
    """The angles that these laws refer to."""
    found = [(k, place, vector) for k, i in enumerate(instances) for place, vector in i.turns]
    columns = np.array(found, dtype=np.int64).reshape(-1, 3).T
    return Angles(columns[0].copy(), columns[1].copy(), columns[2].copy())


def set_turns(system: RunningSystem, turns: Array) -> None:
    """Say on which turn each angle is at the start of a step, by its unwrapped value [rad]; states of laws are held."""
    set_pace(system, -1.0, 0.0)
    at = 0
    for table, (instance, place, _) in zip(_tables(system), system.angles, strict=True):
        if len(instance):
            table.params[table.param_start[instance] + place] = turns[at : at + len(instance)]
        at += len(instance)


def turns_at(system: System, x: Array, near: Array) -> Array:
    """Unwrapped angles at x, each on the turn nearest to `near`."""
    out = np.zeros(system.turn_count)
    at = 0
    for table, (instance, _, vector) in zip(_tables(system), system.angles, strict=True):
        end = at + len(instance)
        if len(instance):
            assembly.find_turns(table, instance, vector, x, near[at:end], out[at:end])
        at = end
    return out


def set_pace(system: RunningSystem, pace: float, lead: float) -> None:
    """How states of laws follow within a step: κ (z − z_0 − lead ż_0) = ż(z), κ = pace [1/s]; < 0: held, 0: in balance."""
    if system.has_states:
        instance, _, vector = system.angles[1]
        assembly.set_pace(system.forces, instance, vector, pace, lead)


def advance_states(system: RunningSystem, x: Array, amplitudes: Array, share: float, turns: Array) -> None:
    """Put the states of laws at the end of a step into `turns`; x: where forces were taken, after `share` of the step."""
    if system.has_states:
        first = len(system.angles[0].instance)
        own = turns[first : first + len(system.angles[1].instance)]
        assembly.find_states(system.forces, *system.angles[1], x, amplitudes, share, own)


def start_rates(system: System, activations: Array, excitations: Array, turns: Array) -> None:
    """Put the rates with which activations start into `turns`, by the value of each function of time."""
    from condyle.laws.muscle_places import ACTIVATION_RATE, FALL, LEAST, RISE, STEEPNESS
    from condyle.laws.muscles import activation_rate

    first = len(system.angles[0].instance)
    for k, (instance, place, vector) in enumerate(zip(*system.angles[1], strict=True)):
        if vector < 0 and place == ACTIVATION_RATE:
            p = system.forces.params[system.forces.param_start[instance] :]
            channel = system.forces.channel[instance]
            a, u = (float(np.clip(values[channel], p[LEAST], 1.0)) for values in (activations, excitations))
            turns[first + k] = activation_rate(a, u, p[RISE], p[FALL], p[STEEPNESS])


def _tables(system: System) -> tuple[LawTable, LawTable, LawTable]:
    return system.energies, system.forces, system.constraints
