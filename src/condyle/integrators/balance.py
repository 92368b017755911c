"""Every run watches its balance of energy: the energy of the model, less the work of forces, drives and supports.

Where method and model conserve, the balance is exact; one that is off stops the run. Where they do not, energy may be lost, as
it should be by damping, but what appears from nowhere is a warning: the step is too large, or the method does not suit.
"""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.errors import ConvergenceError, InputError
from condyle.integrators import audit
from condyle.integrators.account import (
    ACCOUNT,
    LARGEST,
    LEAST,
    LEVEL,
    MISSING,
    WORK,
    WORK_BEFORE,
    force_level,
    is_kept,
    missing_in,
    numbers,
    open_account,
)
from condyle.integrators.audit import LEVELS, first_failure
from condyle.integrators.blows import PrescribedMotions
from condyle.integrators.newton import StepFailed, StepInfo
from condyle.integrators.work import external_work
from condyle.system.running import RunningSystem
from condyle.system.state import State, same_bits

if TYPE_CHECKING:
    from condyle.integrators.simulation import Integrator

Array = NDArray[np.float64]
EXACT = 1e-6  # error of a balance that should be exact, relative to the largest energy
STILL = (
    1e-9  # motion in a step, relative to the size of the model, below which it is the round-off of a prescribed motion
)
GAINED = 0.1  # energy that may appear where a method only approximates the balance, relative to the largest energy
KNOWN, NO_DOUBT = np.ones(1, dtype=bool), np.zeros(1)  # of the work of one step without prescribed motions
REMEDY = "take a smaller dt, a method that damps more (a lower spectral_radius), or EnergyMomentum"
BOUNCED = 5e-4  # the same where blows are elastic and over within a step: what each of them adds stays in the motion


class EnergyWarning(UserWarning):
    """Energy has appeared from nowhere; the message says when, where, and what to do."""


def conserving_model(system: RunningSystem) -> bool:
    """Can energy be kept exactly? Bodies that meet lose some, and quasi-static ones are balanced only at the end of steps."""
    return system.contact is None and not system.quasi_static.size


def refuse_unbalanced(
    system: RunningSystem, before: State, after: State, h: float, share: float, info: StepInfo
) -> None:
    """StepFailed if a conserving step does not keep its energy; its work is noted in `info`. Right after the step."""
    info.work = external_work(system, before, after, h, share)
    level, stiffness = level_of(system, after.x), system.stiffness(h, system.step)
    account = np.zeros(ACCOUNT)
    open_account(account, numbers(system.energy(before, stiffness), 0.0, level))
    numbers_after = numbers(system.energy(after, stiffness), info.work, level)
    if not is_kept(account, numbers_after):
        part = most_grown(system, (before.x, before.v), (after.x, after.v))
        off = missing_in(account, numbers_after)
        raise StepFailed(f"a step does not keep its energy: {off:.3g} J are off", part)


def level_of(system: RunningSystem, x: Array) -> float:
    """Forces of the last evaluation times distances [J], from which the round-off of energies follows."""
    level = float(force_level(system.translation, system.unit_of_unknown, x, system.scratch.r_scale))
    return max(level, system.total_weight * max(float(x.max(initial=0.0)), -float(x.min(initial=0.0))))


def level_after(system: RunningSystem, after: State, info: StepInfo) -> float:
    """The level of forces of a step that has just been taken [J]; later the last evaluation may be of one that failed."""
    return level_of(system, after.x) if info.numbers is None else float(info.numbers[0][LEVEL])


def most_grown(system: RunningSystem, first: tuple[Array, Array], now: tuple[Array, Array]) -> str:
    """The body whose energy of motion and height has grown most between two pairs of x and v."""
    owners = list(dict.fromkeys(system.row_owner))
    still = set(owners) - {name for name, moves in zip(system.row_owner, system.moving, strict=True) if moves}
    number = {name: k for k, name in enumerate(owners)}
    of_row = np.array([number[name] for name in system.row_owner])
    grown = np.zeros(len(owners))
    mass = system.mass
    for (x, v), sign in ((now, 1.0), (first, -1.0)):
        kinetic = 0.5 * mass.value * np.sum(v[mass.first] * v[mass.second], axis=1)
        np.add.at(grown, of_row[mass.first], sign * kinetic)
        np.add.at(grown, of_row, -sign * np.sum(system.gravity_force * x, axis=1))
    grown[[number[name] for name in still]] = -np.inf
    return owners[int(np.argmax(grown))]


class Watch:
    """The account of energy of one run. tolerance: of the largest energy; None for EXACT or GAINED, inf for no watch."""

    def __init__(self, system: RunningSystem, method: Integrator, tolerance: float | None) -> None:
        if tolerance is not None and not (isinstance(tolerance, int | float | np.number) and tolerance > 0.0):
            raise InputError(
                f"energy_tolerance must be a positive number (of the largest energy), or inf for no watch, not {tolerance!r}"
            )
        self.system, self.method = system, method
        self.exact = bool(getattr(method, "conserves", False)) and conserving_model(system)
        self.tolerance = float(tolerance) if tolerance is not None else EXACT if self.exact else GAINED
        self._chosen = tolerance is None and not self.exact  # is it ours to change?
        self._bounces = ""  # a contact with elastic blows that the step does not resolve
        self._unwatched: str = (
            method.unwatched_in(system) if hasattr(method, "unwatched_in") else getattr(method, "unwatched", "")
        )
        self._remedy: str = getattr(method, "remedy", REMEDY)
        held = getattr(method, "springs_in_contact", False)
        self._counts = audit.EXACT if self.exact else audit.ABOVE_START if held else audit.GAINED
        self._prescribed = PrescribedMotions(system)
        self._approximate = not self.exact and self._prescribed.any  # is the work of drives only approximate?
        self.on = math.isfinite(self.tolerance) and not self._unwatched
        self.note = ""  # what has been found
        self._account, self._levels = np.zeros(ACCOUNT), np.zeros(LEVELS)
        # Time before the next step [s], work in the last one and how well that is known [J].
        self._time, self._work, self._doubt = 0.0, 0.0, 0.0
        self._seen: tuple[Array, Array] | None = None  # x and v after the last step
        self._start: tuple[Array, Array] = (system.x_start, np.zeros_like(system.x_start))

    @property
    def standing(self) -> str:
        """What may be expected of the balance of this run, in words."""
        if not self.on:
            return f"not watched: {self._unwatched}" if self._unwatched else "not watched"
        return "exact by method and model" if self.exact else "not exact by method or model, watched for gains"

    def expect(self, state: State, stiffness: tuple[Array, Array], work: float) -> None:
        """To be called before a step: changes of the state or of inputs since the last one do not count against the method."""
        if not self.on:
            return
        self._time = state.t
        seen = self._seen
        if seen is not None and not self._soft_drives and same_bits(seen[0], state.x) and same_bits(seen[1], state.v):
            return
        energies = numbers(self.system.energy(state, stiffness), work, 0.0)
        kept = self._account.copy()
        open_account(self._account, energies)
        if seen is None:
            self._start = (state.x.copy(), state.v.copy())
            if self._chosen and self.system.contact is not None and not self._approximate:
                self._bounces = self.system.contact.elastic_blows(state, self.system.step)
                self.tolerance = BOUNCED if self._bounces else self.tolerance
        else:
            self._account[[MISSING, LEAST]] = kept[[MISSING, LEAST]]
            self._account[LARGEST] = max(kept[LARGEST], self._account[LARGEST])
        self._seen = (state.x.copy(), state.v.copy())

    @property
    def _soft_drives(self) -> bool:
        """Are there penalties that follow inputs, with energy that changes as these do?"""
        return bool(self.system.overrides) and bool((self.system.constraints.drive >= 0).any())

    def take(self, state: State, energy: dict[str, Any], work: float, info: StepInfo) -> None:
        """Add an accepted step; energy and work [J] after it. energy: not asked for where the step has computed its numbers."""
        if self.on:
            level = level_after(self.system, state, info) if info.level is None else info.level
            if info.numbers is None:
                row = numbers(energy, work, level)
            else:
                row = info.numbers[0].copy()
                row[WORK], row[LEVEL] = work, level
            known = self.note
            self.add(state, row[None], np.array([state.t]))
            if self.note != known:
                info.unsolved = info.unsolved or self.note

    def add(self, state: State, scalars: Array, times: Array) -> None:
        """Add accepted steps, as rows of the table of scalars, that end at `times` [s]; state: the last one.

        ConvergenceError where a balance fails that should be exact; EnergyWarning, once, where energy is gained.
        """
        if not self.on or not len(scalars):
            return
        counted, doubt = self._known(scalars, times)
        found, missing, largest = first_failure(
            self._account, self._levels, scalars, counted, doubt, self.tolerance, self._counts
        )
        self._seen = (state.x.copy(), state.v.copy())
        if found < 0 or self.note:
            return
        part = most_grown(self.system, self._start, self._seen)
        self.note = _sentence(
            missing, missing / largest, float(times[found]), part, self.exact, self._bounces, self._remedy
        )
        if self.exact:
            raise ConvergenceError(f"{self.note}; all before is kept", time=float(times[found]), part=part)
        warnings.warn(self.note, EnergyWarning, stacklevel=4)

    def _known(self, scalars: Array, times: Array) -> tuple[NDArray[np.bool_], Array]:
        """Which of the steps that end at `times` [s] have a known work, and how well it is known [J].

        That of drives and supports, which a method approximates by their forces at both ends of a step, is known as well as it
        changes from one step to the next, which is of the order (ωh)² for motions of frequency ω; at a kink it is not known at
        all. What moves less than the rounding of a prescribed motion is at rest.
        """
        if not self._approximate:
            return (KNOWN, NO_DOUBT) if len(times) == 1 else (np.ones(len(times), dtype=bool), np.zeros(len(times)))
        smooth = self._prescribed.smooth(np.concatenate(([self._time], times)))
        work = np.diff(scalars[:, WORK], prepend=self._account[WORK_BEFORE])
        change = np.where(smooth, np.abs(np.diff(work, prepend=self._work)), 0.0)
        doubt = np.maximum(np.maximum.accumulate(change), self._doubt)
        self._time, self._work, self._doubt = float(times[-1]), float(work[-1]), float(doubt[-1])
        system = self.system
        still = float(np.abs(system.mass.value).sum()) * (STILL * system.size / system.step) ** 2
        return smooth, doubt + still


def _sentence(missing: float, share: float, t: float, part: str, exact: bool, bounces: str, remedy: str) -> str:
    size = f"{abs(missing):.3g} J, {abs(share):.2g} of the largest energy"
    if exact:
        verb = "appeared" if missing > 0.0 else "vanished"
        return f"energy is not kept: {size}, have {verb} by t = {t:.6g}, most of it at '{part}'; take a smaller dt"
    if bounces and share < GAINED:
        return (
            f"energy appears from nowhere: {size}, by t = {t:.6g}, most of it at '{part}': contact '{bounces}' dissipates "
            "nothing and throws back within a step; give its law some damping, take a smaller dt, or EnergyMomentum"
        )
    return f"energy appears from nowhere: {size}, by t = {t:.6g}, most of it at '{part}'; {remedy}"
