"""Implicit Euler on rows, a method with equations of its own:

    m (v1 − v0)/h + f(x1, v1) + G(x1)ᵀ λ = f(t1),   v1 = (x1 − x0)/h,   c(x1) = 0

Newton's method, constraints however they are held, contact, cut steps and results are those of every implicit method.
"""

from dataclasses import dataclass, field

import condyle as cd
from condyle.integrators.newton import Iterate, StepInfo
from condyle.system import assembly


@cd.register_integrator
@dataclass
class ImplicitEuler:
    """First order; high frequencies die at once."""

    tolerance: cd.Tolerance = field(default_factory=cd.Tolerance)
    multiplier_time = 1.0
    start_correction = 0.0
    order = 1

    def prepare(self, system, state, h):
        state.memory = {}

    def step(self, system, state, h):
        sizes = system.inertia_scale(state.x, h * state.v, 1.0 / h**2)
        return _Step(system, state, system.stiffness(h, system.step), sizes, self.tolerance, h).run()


class _Step(Iterate):
    bounded = True

    def run(self):
        info, t0, t1 = StepInfo(), self.state.t, self.state.t + self.h
        self.loads = (self.system.amplitudes(t1), self.system.targets(t0, t1))
        self.predict(self.state.v, self.h, t1)
        self.balance(info)
        return self.finished(t1, self.step / self.h, {}, (t1, t1)), info

    def evaluate(self, tangent):
        system, rate = self.system, self.step / self.h
        motion = (self.x0, self.x1, self.x1, rate, (rate - self.state.v) / self.h, self.x_old)
        loads = (system.applied(self.state.t + self.h, self.x1, rate), *self.loads)
        factors, no_maps = (1.0 / self.h**2, 1.0, 1.0 / self.h), (assembly.NO_MAP, assembly.NO_MAP)
        assembly.assemble(
            system.whole, motion, loads, (self.multipliers, *self.stiffness), assembly.END, assembly.END, factors, no_maps,
            tangent, self.out,
        )  # fmt: skip
        self.add_contact(self.x1, False, tangent)
