"""First-order compliant stepping that holds stiff chains: geometric stiffness, and a monitor that says how much of it.

    [ M + α h² K  Jᵀ ; J  −C/h² ] [v1 ; …] = …        implicit: forces of joints as they turn within the step
    M v1 + … = (M − α h² K) v0 + …                     explicit: the same order, without a change of the matrix

K: how forces of constraints change as the model moves (`system/assembly/geometric.py`), with the multipliers of the step before
(tournier-2015; hewlett-2020, chapter 3). α = 0 is `Compliant`, 1 takes energy out, −1 puts it in; an energy monitor
(`monitor.py`) chooses between them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.integrators.compliant import Compliant, FirstOrderRun
from condyle.integrators.first_order import EXPLICIT, UNBIASED
from condyle.integrators.first_order_steps import BIASES, MONITORED
from condyle.integrators.monitor import LAWS, SHARE, TARGET, constraint_energy, monitored_share
from condyle.integrators.newton import StepInfo
from condyle.integrators.work import external_work
from condyle.model.quantities import choice, quantity
from condyle.system.assembly.geometric import add_geometric_stiffness, geometric_rate
from condyle.system.running import RunningSystem
from condyle.system.state import State

Array = NDArray[np.float64]
WIDTH = 0.01  # of the energy that gravity could set free: how far energy may be off before the monitor acts fully
UNFIT = 0.01  # of the width: energy in constraints at the start that is no longer a start that fits them


@dataclass
class Stabilised(Compliant):
    """Compliant stepping with geometric stiffness: holds stiff chains at large steps; first order, one solve per step.

    compliance, form, contact: as of Compliant. alpha: share of the geometric stiffness, from −1 to 1, where no monitor sets
    it. bias: 'implicit' (in the matrix), 'explicit' (a force), or 'unbiased' (implicit above 0, explicit below). symmetric:
    with the symmetric part of it. stressed: with that of the present stress of elastic bodies too.
    monitor: 'none', 'linear', 'tanh' or 'quartic'. energy: what it watches, 'net' (kinetic, stored and gravity) or 'total',
    with what constraints that give way have stored. target [J]: the energy to hold, or 'start': that of the start; it follows
    the work of loads, dampers and drives. width [J]: how far off energy is before the monitor acts fully; by default a
    hundredth of what gravity could set free. least, most: bounds of α where energy lacks and where there is too much; least is
    by default −compliance/dt², not below −1. α and the target of each step are in the memory of its state, 'energy monitor'.
    """

    alpha: float = quantity(default=1.0, at_least=-1.0, at_most=1.0)
    bias: str = choice(*BIASES, default="implicit")
    symmetric: bool = False
    stressed: bool = False
    monitor: str = choice(*LAWS, default="none")
    energy: str = choice("total", "net", default="total")
    target: float | str | None = "start"
    width: float | None = quantity("J", default=None, above=0.0)
    least: float | None = quantity(default=None, at_least=-1.0, at_most=1.0)
    most: float = quantity(default=1.0, at_least=0.0, at_most=1.0)

    def __post_init__(self) -> None:
        if isinstance(self.target, str) and self.target != "start":
            raise InputError(f"Stabilised: target is {self.target!r}; give an energy [J], or 'start'")
        if self.target is None and self.monitor != "none":
            raise InputError(
                f"Stabilised: monitor='{self.monitor}' has no target; give target='start' for the energy at the start, or "
                "an energy [J]"
            )

    def bounds(self, system: RunningSystem) -> tuple[float, float]:
        """The least α, and the width [J] of the monitor."""
        least = self.least
        if least is None:
            least = -min(1.0, self.compliance / system.step**2)
        return least, self.width or WIDTH * energy_at_hand(system)

    def prepare(self, system: RunningSystem, state: State, h: float) -> None:
        super().prepare(system, state, h)
        if self.monitor == "none":
            return
        _, width = self.bounds(system)
        if not width > 0.0:
            raise InputError("Stabilised: nothing says how far energy may be off: there is no gravity; give width [J]")
        if MONITORED in state.memory:
            return  # the run goes on
        if self.target == "start":
            held = self._energy_of_constraints(system, state)
            if held > UNFIT * width:
                raise InputError(
                    f"Stabilised: the start does not fit the constraints, which hold {held:.3g} J in it, so its energy is no "
                    "target; give target= an energy [J], or start='consistent'"
                )
        goal = self._energy(system, state) if self.target == "start" else float(self.target)  # type: ignore[arg-type]
        state.memory[MONITORED] = np.array([goal, 0.0])

    def _energy_of_constraints(self, system: RunningSystem, state: State) -> float:
        values, live = system.constraint_values(state.x, state.t), (system.multiplier_unknowns >= 0).astype(np.int64)
        return float(constraint_energy(values, live, self.compliance))

    def _energy(self, system: RunningSystem, state: State) -> float:
        """The energy that is watched [J]."""
        net = system.energy(state, system.stiffness(system.step))["total"]
        return net + (self._energy_of_constraints(system, state) if self.energy == "total" else 0.0)

    def step_in_python(self, system: RunningSystem, state: State, h: float) -> tuple[State, StepInfo]:
        """One step of length h [s], with a solver that exchanges rows."""
        run = FirstOrderRun.of(system)
        run.share = self.alpha
        if self.monitor != "none":
            least, width = self.bounds(system)
            excess = (self._energy(system, state) - state.memory[MONITORED][TARGET]) / width
            run.share = float(monitored_share(LAWS[self.monitor], excess, least, self.most))
        after, info = super().step_in_python(system, state, h)
        if self.monitor != "none":
            info.work = external_work(system, state, after, h, self.multiplier_time)
            kept = np.zeros(2)
            kept[TARGET], kept[SHARE] = state.memory[MONITORED][TARGET] + info.work, run.share
            after.memory[MONITORED] = kept
        return after, info

    def _assemble(self, system: RunningSystem, state: State, x: Array, h: float, out: Any, stiff: bool = True) -> None:
        super()._assemble(system, state, x, h, out, stiff)
        share, bias = FirstOrderRun.of(system).share, BIASES[self.bias]
        if share == 0.0:
            return
        q, rate = np.zeros_like(x), np.zeros_like(x)
        if bias == EXPLICIT or (bias == UNBIASED and share < 0.0):
            r = np.zeros(system.unknowns)
            geometric_rate(system.whole, x, state.v, state.multipliers, self.symmetric, self.stressed, q, rate, r)
            out.r[:] += share * h * r
        else:
            add_geometric_stiffness(system.whole, x, state.multipliers, share, self.symmetric, self.stressed, q, out.A)


def energy_at_hand(system: RunningSystem) -> float:
    """What gravity could set free [J]: the weight of the model times its size."""
    weight = float(np.linalg.norm(system.gravity_force[system.translation > 0.0].sum(axis=0)))
    return weight * float(system.size)
