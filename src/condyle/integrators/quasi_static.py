"""Quasi-static bodies at the start of a run: balanced under the loads there, with all that has inertia where it is."""

from __future__ import annotations

import numpy as np

from condyle.errors import ConvergenceError, InputError
from condyle.integrators.newton import Iterate, StepFailed, StepInfo, Tolerance
from condyle.system import assembly
from condyle.system.row_problem import RowProblem
from condyle.system.running import RunningSystem
from condyle.system.state import State


def settle(system: RunningSystem, state: State) -> None:
    """Put quasi-static rows, and the multipliers of what holds or presses them, into balance at state.t."""
    if system.contact is not None:
        from condyle.contact.starting import warn_of_overlap  # only models with contact need it

        warn_of_overlap(system.contact, state.x)
    try:
        found = _Rest(system, state).run()
    except StepFailed as failure:
        _refuse_overlap(system, state)
        raise ConvergenceError(
            f"quasi-static bodies find no balance at the start ({failure}); apply their loads gradually, as with a Ramp",
            time=state.t,
            part=failure.part,
        ) from None
    state.x, state.multipliers = found.x1, found.multipliers
    if found.contact is not None:
        state.memory |= found.contact.memory(found.x1)


def _refuse_overlap(system: RunningSystem, state: State) -> None:
    """An InputError where a contact that starts deep inside a body is why there is no balance."""
    if system.contact is not None:
        from condyle.contact.starting import deep_overlaps

        for _, sentence in deep_overlaps(system.contact, state.x):
            raise InputError(sentence)


def accelerate(system: RunningSystem, state: State) -> None:
    """Accelerations and multipliers under the forces of bodies and contacts as they are at the start."""
    problem = RowProblem(system)
    push = system.contact.given_force(state) if system.contact is not None else None
    state.memory["acceleration"], multipliers = problem.acceleration(state, push)
    state.multipliers = problem.shared(multipliers, state.multipliers)


def quasi_static_notes(system: RunningSystem, multiplier_time: float) -> list[str]:
    """What a method that balances mid-step cannot promise: with quasi-static bodies, energy and momenta to round-off."""
    if multiplier_time >= 1.0:
        return []
    names = ", ".join(f"'{n}'" for n in dict.fromkeys(system.row_owner[row] for row in system.quasi_static))
    return [f"quasi-static {names}: balanced at the end of each step, so energy and momenta are not kept to round-off"]


def refuse_memory(system: RunningSystem, method: str) -> None:
    """Methods that balance nothing at the end of a step cannot take bodies without inertia, nor memory of stress."""
    if system.quasi_static.size:
        name = system.row_owner[system.quasi_static[0]]
        raise InputError(
            f"{method} cannot move the quasi-static body '{name}'; use EnergyMomentum, GeneralizedAlpha, Newmark, HHT or BDF"
        )
    if system.fading:
        name = system.instances[0][system.fading.fading[0]].part
        raise InputError(
            f"{method} does not carry the fading stress of '{name}' (prony) on; use EnergyMomentum, GeneralizedAlpha, "
            "Newmark, HHT or BDF"
        )


class _Rest(Iterate):
    """Balance of quasi-static rows; the equations of all others are replaced by 'no change'."""

    def __init__(self, system: RunningSystem, state: State) -> None:
        super().__init__(
            system, state, system.stiffness(system.step), np.zeros(system.motion_unknowns), Tolerance(iterations=60)
        )
        free = np.zeros(system.unknowns, dtype=bool)
        free[(system.rows.unknown[system.quasi_static][:, None] + np.arange(system.d)).ravel()] = True
        held = system.multiplier_unknowns[system.end_multipliers & (system.multiplier_unknowns >= 0)]
        free[held] = True
        self.frozen = ~free
        self._in_frozen = self.frozen[system.pattern.rows()]
        if self.contact is not None:  # what meets bodies with inertia closes in the first step
            self.contact.hold_still(self.frozen)
        self.loads = (system.amplitudes(state.t), system.targets(state.t, state.t))
        self.still = np.zeros_like(state.x)

    def run(self) -> _Rest:
        self.balance(StepInfo())
        return self

    def evaluate(self, tangent: bool) -> None:
        s, out, state = self.system, self.out, self.state
        motion = (self.x0, self.x1, self.x1, state.v, self.still, self.x_old)
        loads = (s.applied(state.t, self.x1, state.v), *self.loads)
        assembly.assemble(
            s.whole, motion, loads, (self.multipliers, *self.stiffness), assembly.END, assembly.END, (0.0, 1.0, 0.0),
            (assembly.NO_MAP, assembly.NO_MAP), tangent, out,
        )  # fmt: skip
        self.add_contact(tangent)
        n = s.motion_unknowns
        out.r[:n][self.frozen[:n]] = 0.0
        if tangent:
            out.A[self._in_frozen] = 0.0
            out.A[s.diagonal_slots[self.frozen]] = 1.0
