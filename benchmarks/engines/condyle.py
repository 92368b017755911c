"""Condyle through its public names: a model, compiled once, and `simulate`."""

from __future__ import annotations

import time
from itertools import pairwise

import numpy as np
from workloads import GRAVITY, GROUND, Line, Mechanism, Snapshot

import condyle as cd
from condyle.analysis.profile import profile
from condyle.system.compile import running

INTEGRATORS = {
    "energy–momentum": cd.EnergyMomentum(),
    "energy–momentum, modified Newton": cd.EnergyMomentum(newton="modified"),
    "generalized-α": cd.GeneralizedAlpha(),
}
# Of higher order: beside those above where the time to reach an error is measured, the first on trees also in time per step.
# Sources of an earlier day, to which alternate.py compares, do not have them.
PRECISE = {
    "Runge–Kutta 4": cd.RungeKutta(),
    "Runge–Kutta 8": cd.RungeKutta(order=8),
    **({"Gauss 6": cd.Gauss(order=6), "Gauss 8": cd.Gauss(order=8)} if hasattr(cd, "Gauss") else {}),
    "energy–momentum 4": cd.ComposedEnergyMomentum(order=4),
    "energy–momentum 6": cd.ComposedEnergyMomentum(order=6),
} if hasattr(cd, "ComposedEnergyMomentum") else {}  # fmt: skip
METHODS = INTEGRATORS | PRECISE


def variants(mechanism: Mechanism | cd.Model) -> list[str]:
    """All of them are timed and shown."""
    tree = isinstance(mechanism, Mechanism) and not mechanism.closing().any()
    return [*INTEGRATORS, *(("Runge–Kutta 4",) if tree else ())]


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


def mixed(cells: int) -> cd.Model:
    """A planar chain of rigid boxes, joined in turn by rods and by blocks of quadrilaterals; it hangs at a pin and falls.

    A cell is a box and the flexible part after it, 0.2 m each; the last box has none.
    """
    made = cd.Model(f"rigid–flexible chain of {cells}", dimension=2, gravity=(0, -GRAVITY))
    strip = cd.StVenantKirchhoff(young=5e6, poisson=0.0, density=1000.0)
    rubber = cd.NeoHookean(young=2e6, poisson=0.3, density=1000.0)
    boxes = [
        made.add(cd.RigidBody.box(f"b{i}", (0.2, 0.04), 1000.0, position=(0.4 * i + 0.1, 0))) for i in range(cells + 1)
    ]
    made.add(cd.Pin("pin", made.ground, boxes[0], at=(0, 0)))
    for i, (before, after) in enumerate(pairwise(boxes)):
        start = 0.4 * i + 0.2
        if i % 2:
            part = cd.Solid.block(f"s{i}", (0.2, 0.04), (5, 1), rubber, origin=(start, -0.02))
        else:
            part = cd.Rod(f"s{i}", [(start, 0), (start + 0.2, 0)], 5, 0.02, strip)
        made.add(part)
        ends = ("left", "right") if i % 2 else ("start", "end")
        for nodes, to in zip(ends, (before, after), strict=True):
            made.add(cd.Tie(f"{nodes} of s{i}", part, nodes, to))
    return made


class Run:
    """A compiled model and its integrator."""

    def __init__(self, mechanism: Mechanism | cd.Model, variant: str, dt: float) -> None:
        began = time.perf_counter()
        self.dt, self.integrator = dt, METHODS[variant]
        self.system = running(model(mechanism) if isinstance(mechanism, Mechanism) else mechanism)
        self.bodies = [f"b{i}" for i in range(mechanism.size)] if isinstance(mechanism, Mechanism) else []
        self.setup = time.perf_counter() - began

    def simulate(self, steps: int, every: int, start: str = "consistent") -> cd.Result:
        """All steps, as a user runs them."""
        end = steps * self.dt
        return cd.simulate(self.system, end=end, dt=self.dt, integrator=self.integrator, start=start, every=every)

    def run(self, steps: int, frames: int = 0) -> tuple[float, list[Snapshot]]:
        """Where only steps are timed, the described state is taken as it is: it agrees with the joints already."""
        began = time.perf_counter()
        result = self.simulate(steps, max(1, steps // max(frames, 1)), "consistent" if frames else "as-given")
        seconds = time.perf_counter() - began
        if not (frames and self.bodies):
            return seconds, []
        read = (result.position, result.rotation_matrix, result.velocity, result.angular_velocity)
        arrays = (np.stack([values(name) for name in self.bodies], axis=1) for values in read)
        return seconds, [Snapshot(*now) for now in zip(*arrays, strict=True)]

    def own_errors(self, steps: int) -> tuple[float, float]:
        """Change of energy by the largest kinetic energy, and constraint error, as the result tells them."""
        result = self.simulate(steps, steps)
        total = result.energy["total"]
        return float(np.abs(total - total[0]).max() / result.energy["kinetic"].max()), float(
            result.constraint_error.max()
        )


def why(mechanism: Mechanism | cd.Model, variant: str, dt: float, steps: int, step: float) -> str:
    """What the time of a step [s] is made of: Newton iterations, and the phases of a step in microseconds."""
    result = Run(mechanism, variant, dt).simulate(steps, steps)
    iterations = float(result.iterations.mean())
    *phases, _ = profile(result)
    told = [f"{phase.name} {1e6 * phase.total:.3g}" for phase in phases]
    rest = step - sum(phase.total for phase in phases)
    return (
        f"{iterations:.2f} Newton iterations per step; µs per step: {', '.join(told)}, rest {1e6 * max(rest, 0.0):.3g}"
    )


def line_model(line: Line) -> cd.Model:
    """A cable that is pinned, or a beam that is clamped, at its start."""
    d, z = line.dimension, (0.0,) * (line.dimension - 1)
    made = cd.Model(line.name, dimension=d, gravity=(*z, -GRAVITY))
    section = cd.RoundSection(line.radius, cd.StVenantKirchhoff(line.young, density=line.density))
    ends, options = [(0.0, *z), (line.length, *z)], {"damping": line.damping}
    if line.kind != "cable":
        beam = cd.AncfBeam if line.kind == "beam" else cd.Beam
        body = made.add(beam("line", ends, line.elements, section, **options))
        made.add(cd.Tie("clamp", body, "start", "ground"))
        return made
    body = made.add(cd.Cable("line", ends, line.elements, section, strain="engineering", points=4, **options))
    made.add((cd.Pin if d == 2 else cd.Spherical)("pin", made.ground, body.point("start"), at=ends[0]))
    return made


class LineRun:
    """A cable or beam and its integrator; `run` gives the seconds and where its free end is [m]."""

    def __init__(self, line: Line, variant: str, dt: float) -> None:
        self.dt, self.integrator = dt, METHODS[variant]
        self.system = running(line_model(line))

    def run(self, steps: int) -> tuple[float, np.ndarray]:
        began = time.perf_counter()
        result = cd.simulate(self.system, end=steps * self.dt, dt=self.dt, integrator=self.integrator, every=steps)
        return time.perf_counter() - began, result.position("line.end")[-1]


def real_time(line: Line, dt: float, steps: int) -> float:
    """Median seconds of a first-order compliant step of a cable, one by one as a driver of a machine calls them."""
    sim = cd.Simulation(line_model(line), dt=dt, integrator=cd.Compliant())
    sim.step()
    taken = []
    for _ in range(steps):
        began = time.perf_counter()
        sim.step()
        taken.append(time.perf_counter() - began)
    return float(np.median(taken))
