"""Comparators of the first-order step that hold constraints in other ways (Hewlett 2020, §2.1).

`Baumgarte`: accelerations obey c̈ + 2 α ċ + β² c = 0 (baumgarte-1972). `AugmentedLagrangian`: multipliers are iterated,
λ ← λ + r c, with a penalty r in the matrix (bayo-1988).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.integrators.compliant import Compliant
from condyle.integrators.first_order import PACE, STIFF
from condyle.integrators.first_order_steps import multiplier_masses
from condyle.model.quantities import quantity
from condyle.system import assembly
from condyle.system.assembly.row_form import constraint_rates
from condyle.system.running import RunningSystem
from condyle.system.state import State

if TYPE_CHECKING:
    from condyle.contact.step import ContactStep

Array = NDArray[np.float64]


def _refuse_contact(method: Compliant, system: RunningSystem) -> None:
    if system.contact is not None:
        raise InputError(f"{method.label} is a comparator without contact; use Compliant or Nonsmooth")


@dataclass
class Baumgarte(Compliant):
    """Comparator: constraints at the level of accelerations, c̈ + 2 ratio rate ċ + rate² c = 0; semi-implicit, first order.

    rate [1/s]: how fast errors fade (None: 0.2/dt); ratio: of damping, 1 is critical. Constraints of velocities are held at the
    end of the step, as by Compliant. A rate beyond what the step lets be stable is an error.
    """

    rate: float | None = quantity("1/s", default=None, at_least=0.0)
    ratio: float = quantity(default=1.0, above=0.0)
    step_kind = "Baumgarte"

    def prepare(self, system: RunningSystem, state: State, h: float) -> None:
        super().prepare(system, state, h)
        _refuse_contact(self, system)
        # z² − (2 − 2 ζ s − s²) z + 1 − 2 ζ s = 0 with s = rate h
        limit = min(1.0 / self.ratio, 2.0 * np.sqrt(self.ratio**2 + 1.0) - 2.0 * self.ratio) / h
        if self.rate is not None and self.rate >= limit:
            raise InputError(
                f"Baumgarte: a rate of {self.rate:g} 1/s is beyond the linear limit of the step {h:g} s; take one from 0 to "
                f"{limit:.4g} 1/s, or dt below {h * limit / self.rate:.3g} s"
            )

    def _move(
        self, system: RunningSystem, state: State, x1: Array, h: float, out: Any, contact: ContactStep | None
    ) -> tuple[Array, int]:
        rate = PACE / h if self.rate is None else self.rate
        along, change, bend = np.zeros_like(out.c), np.zeros_like(out.c), np.zeros_like(out.c)
        functions = system.amplitude_courses(state.t, system.step)
        still = self._centripetal(system, state)
        constraint_rates(system.whole, state.x, state.v, still, np.zeros_like(functions), 1, along)
        constraint_rates(system.whole, state.x, state.v, still, functions, 1, change)
        constraint_rates(system.whole, state.x, state.v, still, functions, 2, bend)
        value = system.constraint_values(state.x, state.t)
        wanted = h * along - h**2 * (bend + 2.0 * self.ratio * rate * change + rate**2 * value)
        places = np.ones(len(out.c), dtype=bool)
        places[system.rates.channel] = False
        out.c[places] = -wanted[places]
        return super()._move(system, state, x1, h, out, contact)


@dataclass
class AugmentedLagrangian(Compliant):
    """Comparator: the compliant step with multipliers iterated, λ ← λ + r (c + β ċ + γ c̈), from those of the step before.

    penalty r [N/m] (None: ten effective masses over dt²); sweeps: how often. One factorisation for all of them. damping β [s]
    and inertia γ [s²] (None: 2 dt and dt²): without them (0) a long chain needs many sweeps, as errors of a few steps swing up.
    """

    penalty: float | None = quantity(default=None, above=0.0)
    sweeps: int = quantity(default=5, at_least=1)
    damping: float | None = quantity(default=None, at_least=0.0)
    inertia: float | None = quantity(default=None, at_least=0.0)
    step_kind = "augmented Lagrangian"

    def factors(self, h: float) -> tuple[float, float]:
        """β/h and γ/h² for a step of length h [s]."""
        damping = 2.0 * h if self.damping is None else self.damping
        return damping / h, (h**2 if self.inertia is None else self.inertia) / h**2

    def prepare(self, system: RunningSystem, state: State, h: float) -> None:
        super().prepare(system, state, h)
        _refuse_contact(self, system)

    def _move(
        self, system: RunningSystem, state: State, x1: Array, h: float, out: Any, contact: ContactStep | None
    ) -> tuple[Array, int]:
        mass = multiplier_masses(system)
        r = STIFF * mass / h**2 if self.penalty is None else np.full(len(mass), self.penalty)
        # c1 + β ċ1 + γ c̈1 with ċ1 = (c1 − c0)/h and c̈1 = (ċ1 − ċ0)/h is `whole` times c1 less what is known
        (damping, inertia), change = self.factors(h), np.zeros_like(out.c)
        functions = system.amplitude_courses(state.t, system.step)
        constraint_rates(system.whole, state.x, state.v, self._centripetal(system, state), functions, 1, change)
        places = np.ones(len(out.c), dtype=bool)
        places[system.rates.channel] = False
        whole = np.where(places, 1.0 + damping + inertia, 1.0)
        known = (damping + inertia) * system.constraint_values(state.x, state.t) + inertia * h * change
        out.c[:] -= np.where(places, known / whole, 0.0)
        r *= whole
        live = system.multiplier_unknowns >= 0
        at = system.multiplier_unknowns[live]
        rhs = np.zeros(system.unknowns)
        rhs[: system.motion_unknowns] = -out.r[: system.motion_unknowns]
        self._soften(system, out.A)
        own = system.diagonal_slots[at]
        out.A[own] -= 1.0 / r[live]
        system.solver.factor(out.A)
        held = state.multipliers[live].copy()
        for _ in range(self.sweeps):
            rhs[at] = -out.c[live] - held / r[live]
            du = system.solver.solve(rhs)
            held = du[at]
        assembly.move(system.rows, du, x1)
        return du, self.sweeps
