"""Runs an integrator step by step and keeps everything, without the driver: a step that has to be cut fails."""

from dataclasses import dataclass, field

import numpy as np

import condyle as cd
from condyle.integrators.simulation import external_work
from condyle.system.compile import running
from condyle.system.start import consistent_state, correct_velocity
from condyle.system.system import System


@dataclass
class Path:
    """A run: system, states and StepInfos, and what follows from them. Arrays have the times first."""

    system: System
    h: float
    states: list = field(default_factory=list)
    infos: list = field(default_factory=list)
    work: list = field(default_factory=lambda: [0.0])

    @property
    def times(self):
        return np.array([s.t for s in self.states])

    @property
    def last(self):
        return self.states[-1]

    @property
    def iterations(self):
        return [i.iterations for i in self.infos]

    def energy(self, kind="total"):
        stiffness = self.system.stiffness(self.h)
        return np.array([self.system.energy(s, stiffness)[kind] for s in self.states])

    def momenta(self):
        """Linear (times, d) and angular momentum (times, 3)."""
        pairs = [self.system.momentum(s) for s in self.states]
        return np.array([p for p, _ in pairs]), np.array([q for _, q in pairs])

    def point(self, point):
        weights = self.system.position(point)
        return np.array([weights.at(s.x) for s in self.states])

    def velocity(self, point):
        weights = self.system.position(point)
        return np.array([weights.at(s.v) for s in self.states])

    def multipliers(self, part):
        mine = [k for k, m in enumerate(self.system.multipliers) if m.part == part and not m.internal]
        return np.array([s.multipliers[mine] for s in self.states])


def walk(model, h, steps, method=None, *, formulation="tangent", start="consistent", every=1):
    """`steps` steps of length h; every n-th state is kept."""
    method = cd.EnergyMomentum() if method is None else method
    system = running(model, formulation=formulation)
    system.step = h
    state, _ = consistent_state(system, start)
    correct_velocity(system, state, h, method.start_correction if start == "consistent" else 0.0)
    method.prepare(system, state, h)
    path = Path(system, h, [state])
    work = 0.0
    for k in range(1, steps + 1):
        after, info = method.step(system, state, h)
        work += external_work(system, state, after, h, method.multiplier_time)
        state = after
        path.infos.append(info)
        if k % every == 0:
            path.states.append(state)
            path.work.append(work)
    return path
