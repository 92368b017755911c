"""The work that is done on a model from outside over a step in Python; the kernels are those of compiled steps."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from condyle.integrators import step_work
from condyle.system import assembly
from condyle.system.running import RunningSystem
from condyle.system.state import State

Array = NDArray[np.float64]


def external_work(system: RunningSystem, before: State, after: State, h: float, share: float) -> float:
    """Work [J] of loads, torques, dampers, drives, moving supports and changes of gravity over a step.

    Forces are taken at its middle; exact for energy–momentum. To be called right after the step. share: where in the step
    multipliers belong.
    """
    if system.fading and share == 1.0:  # the step had the stress at its end; its work is that of the mean
        system.begin_step(before, h, assembly.CONSERVING)
    mid, change, t = 0.5 * (before.x + after.x), after.x - before.x, before.t + 0.5 * h
    work = _support_work(system, before, after, h, share)
    system.set_turns(before.turns)
    system.set_pace(2.0 / h)
    gravity = system.gravity_scale or (lambda t: 1.0)
    work += step_work.work_of_forces(
        system.whole, system.mass, system.gravity_force, h, (before.x, after.x, mid, change, change / h),
        system.amplitudes(t), (float(gravity(before.t)), float(gravity(t)), float(gravity(after.t))),
        (np.zeros_like(mid), np.zeros_like(mid), system.scratch.A),
    )  # fmt: skip
    if system.swelling:
        work += _swelling_work(system, before, after)
    if system.user_forces:
        work += float(np.sum((system.applied(t, mid, change / h) - system.gravity(t)) * change))
    if (system.rates.drive >= 0).any():
        mean = _mean_multipliers(before, after, share)
        work += step_work.driven_rates_work(system.rates, mean, system.amplitudes(t), h)
    return _driving_work(system, before, after, share, work)


def _support_work(system: RunningSystem, before: State, after: State, h: float, share: float) -> float:
    """Work [J] of supports that move as prescribed: the force on them is the residual of their rows at mid-step.

    The last evaluation has left that in `scratch` if multipliers belong to mid-step; if there is contact, the step itself has.
    """
    if not system.driven:
        return 0.0
    change, q = after.x - before.x, system.scratch.q
    if share in (0.0, 1.0) and system.contact is None:
        q = balanced_middle(system, before, after, h, share)
    return float(step_work.support_work(system.rows, q, change))


def balanced_middle(system: RunningSystem, before: State, after: State, h: float, share: float) -> Array:
    """The residual of all rows at the middle of a step that was balanced at one of its ends."""
    system.set_turns(before.turns)
    out, t = system.buffers(), before.t + 0.5 * h
    mid, rate = 0.5 * (before.x + after.x), (after.x - before.x) / h
    motion = (before.x, after.x, mid, rate, (after.v - before.v) / h, before.x)
    loads = (system.applied(t, mid, rate), system.amplitudes(t), system.targets(before.t, after.t))
    held = (_mean_multipliers(before, after, share), *system.stiffness(system.step))
    assembly.assemble(
        system.whole, motion, loads, held, assembly.CONSERVING, assembly.CONSERVING, (2.0 / h**2, 0.5, 1.0 / h),
        (assembly.NO_MAP, assembly.NO_MAP), False, out,
    )  # fmt: skip
    return out.q


def _driving_work(system: RunningSystem, before: State, after: State, share: float, work: float) -> float:
    """`work` with that of drives added [J]; where multipliers belong to the end of steps, their mean is taken."""
    drive = np.full(len(system.multipliers), -1, dtype=np.int64)
    drive[system.constraints.channel] = system.constraints.drive
    if not (drive >= 0).any():
        return work
    system.set_turns(before.turns)
    there, here = (system.constraint_values(state.x, state.t) for state in (before, after))
    mean = _mean_multipliers(before, after, share)
    ends = system.targets(before.t, after.t)
    return float(step_work.driving_work(system.hold, drive, mean, there, here, ends, work))


def _mean_multipliers(before: State, after: State, share: float) -> Array:
    """Multipliers that do the work of a step: where they belong to the end of steps, their mean."""
    return after.multipliers if share < 1.0 else 0.5 * (before.multipliers + after.multipliers)


def _swelling_work(system: RunningSystem, before: State, after: State) -> float:
    """Work [J] of the change of stress-free shapes over a step, which was taken with those that the table holds now."""
    energies = system.energies
    work = float(assembly.stored_energy(energies, before.x) - assembly.stored_energy(energies, after.x))
    for state, sign in ((after, 1.0), (before, -1.0)):
        system.swell(state.t)
        work += sign * float(assembly.stored_energy(energies, state.x))
    return work
