"""Condyle through its public names: a model, compiled once, and `simulate`."""

from __future__ import annotations

import time

import numpy as np
from workloads import GRAVITY, GROUND, Mechanism, Snapshot

import condyle as cd

NAME, VERSION = "condyle", cd.__version__
INTEGRATORS = {"energy–momentum": cd.EnergyMomentum, "generalized-α": cd.GeneralizedAlpha}


def variants(mechanism: Mechanism) -> list[str]:
    """Both integrators; both are timed and shown."""
    return list(INTEGRATORS)


def model(mechanism: Mechanism) -> cd.Model:
    """The mechanism as a model: body i is called 'b<i>', joint k 'j<k>'."""
    made = cd.Model(mechanism.name, gravity=(0, 0, -GRAVITY))
    m = mechanism
    bodies = [
        cd.RigidBody(f"b{i}", m.mass[i], m.inertia[i], position=m.position[i], rotation=m.rotation[i],
                     velocity=m.velocity[i], angular_velocity=m.spin[i])
        for i in range(m.size)
    ]  # fmt: skip
    for body in bodies:
        made.add(body)
    for k, hinge in enumerate(m.hinges):
        a = made.ground if m.a[k] == GROUND else bodies[m.a[k]]
        if hinge:
            made.add(cd.Revolute(f"j{k}", a, bodies[m.b[k]], at=m.at[k], axis=m.axis[k]))
        else:
            made.add(cd.Spherical(f"j{k}", a, bodies[m.b[k]], at=m.at[k]))
    return made


class Run:
    """A compiled model and its integrator."""

    def __init__(self, mechanism: Mechanism, variant: str, dt: float) -> None:
        began = time.perf_counter()
        self.size, self.dt, self.integrator = mechanism.size, dt, INTEGRATORS[variant]
        self.system = cd.compile(model(mechanism))
        self.setup = time.perf_counter() - began

    def simulate(self, steps: int, every: int) -> cd.Result:
        """All steps as a user runs them."""
        return cd.simulate(self.system, end=steps * self.dt, dt=self.dt, integrator=self.integrator(), every=every)

    def run(self, steps: int, frames: int = 0) -> tuple[float, list[Snapshot]]:
        """The time of the run includes the consistent start, which the difference of two runs removes."""
        began = time.perf_counter()
        result = self.simulate(steps, max(1, steps // max(frames, 1)))
        seconds = time.perf_counter() - began
        if not frames:
            return seconds, []
        names = [f"b{i}" for i in range(self.size)]
        read = (result.position, result.rotation_matrix, result.velocity, result.angular_velocity)
        position, rotation, velocity, spin = (np.stack([values(name) for name in names], axis=1) for values in read)
        return seconds, [Snapshot(*now) for now in zip(position, rotation, velocity, spin, strict=True)]
