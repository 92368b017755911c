"""The work that is done on a model from outside over a step."""

from __future__ import annotations

import numpy as np

from condyle.system import assembly
from condyle.system.state import State
from condyle.system.system import System


def swelling_work(system: System, before: State, after: State) -> float:
    """Work [J] of the change of stress-free shapes over a step, which was taken with those that the table holds now."""
    energies = system.energies
    work = float(assembly.stored_energy(energies, before.x) - assembly.stored_energy(energies, after.x))
    for state, sign in ((after, 1.0), (before, -1.0)):
        system.swell(state.t)
        work += sign * float(assembly.stored_energy(energies, state.x))
    return work


def external_work(system: System, before: State, after: State, h: float, share: float) -> float:
    """Work [J] of loads, torques, dampers, drives, moving supports and changes of gravity over a step.

    Forces are taken at its middle; exact for energy–momentum. To be called right after the step.
    """
    mid = 0.5 * (before.x + after.x)
    change = after.x - before.x
    if system.fading and share == 1.0:  # the step had the stress at its end; its work is that of the mean
        system.begin_step(before, h, assembly.CONSERVING)
    work = -float(assembly.viscous_work(system.energies, before.x, after.x, h)) - system.drag_work(change, h)
    work += system.driving_work(before, after, change, share, h)
    if system.swelling:
        work += swelling_work(system, before, after)
    if system.builder.gravity_scale is not None:
        middle = float(np.sum(system.gravity(before.t + 0.5 * h) * change))
        work -= float(np.sum(system.gravity(after.t) * after.x - system.gravity(before.t) * before.x)) - middle
    if system.builder.user_forces:
        t_mid = before.t + 0.5 * h
        work += float(np.sum((system.applied(t_mid, mid, change / h) - system.gravity(t_mid)) * change))
    if not system.forces.law.size:
        return work
    if system.has_states:
        system.set_turns(before.turns)
        system.set_pace(2.0 / h)
    q, scale = np.zeros_like(mid), np.zeros_like(mid)
    amplitudes = system.amplitudes(before.t + 0.5 * h)
    assembly.add_forces(
        system.forces, system.rows, mid, change / h, after.x, amplitudes, 0.5, 1.0 / h, assembly.NO_MAP, False, q,
        scale, system.scratch.A,
    )  # fmt: skip
    return work - float(np.sum(q * change))
