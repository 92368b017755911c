"""What holds along a run: energy and momenta are kept, an integrator converges and can be resumed."""

from __future__ import annotations

import tempfile
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from condyle.analysis.checks.laws import CheckFailed, force_value, gram_value, some_gram, some_vectors
from condyle.analysis.compare import compare
from condyle.analysis.dynamics import resume, simulate
from condyle.bodies import LawMaterial, PointMass, PseudoRigidBody, RigidBody
from condyle.errors import CondyleError
from condyle.forces import LawConstraint, LawEnergy, LawForce, LawRate
from condyle.integrators.registry import make_integrator
from condyle.integrators.simulation import Simulation
from condyle.joints import Revolute
from condyle.laws.record import Law
from condyle.laws.user import compiled
from condyle.parts import Model
from condyle.system.redundancy import RedundancyWarning
from condyle.system.system import System

Array = NDArray[np.float64]


@dataclass
class Kept:
    """What a run should keep, at all its times: energies [J] less the work put in, momenta; and the mass [kg]."""

    kinetic: Array
    total: Array
    linear: Array
    angular: Array
    mass: float

    def check(self, tolerance: float, *, momenta: bool = True) -> str:
        """Energy, and if asked for both momenta, change by no more than `tolerance` of their size; how much they change."""
        drifts = {"energy": spread(self.total, np.abs(self.kinetic).max())}
        if momenta:
            speed = float(np.sqrt(2.0 * self.kinetic.max() * self.mass))
            drifts["linear momentum"] = spread(self.linear, max(np.abs(self.linear).max(), speed))
            drifts["angular momentum"] = spread(self.angular)
        for what, drift in drifts.items():
            if not drift < tolerance:
                raise CheckFailed(f"{what} is not kept: it changes by {drift:.2g} of its size")
        return ", ".join(f"{what} to {drift:.1e}" for what, drift in drifts.items())


def spread(values: Array, size: float | None = None) -> float:
    """Largest deviation from the first value, relative to `size` (by default the largest value)."""
    values = np.asarray(values)
    scale = np.abs(values).max() if size is None else size
    return float(np.abs(values - values[0]).max() / scale) if scale > 0.0 else float(np.abs(values).max())


def conservation(model: Model | System, h: float, steps: int, *, momenta: bool = True) -> str:
    """An energy–momentum run keeps the energy (less the work put in), and if asked for both momenta."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RedundancyWarning)
        sim = Simulation(model, dt=h)
    energies, pairs, work = [sim.energy()], [sim.system.momentum(sim.state)], [0.0]
    try:
        for _ in range(steps):
            sim.step()
            energies.append(sim.energy())
            pairs.append(sim.system.momentum(sim.state))
            work.append(sim.work)
    except CondyleError as error:
        raise CheckFailed(f"an energy–momentum run fails: {error}") from error
    kinetic, total = (np.array([e[kind] for e in energies]) for kind in ("kinetic", "total"))
    if not kinetic.max() > 0.0:
        return "nothing moves"
    linear, angular = (np.array([p[k] for p in pairs]) for k in (0, 1))
    kept = Kept(kinetic, total - np.array(work), linear, angular, float(sim.system.row_mass.sum()))
    return kept.check(1e-8, momenta=momenta)


def law_in_motion(law: Law) -> str:
    """Point masses that a law of the user's own connects keep energy and momenta (a force: energy less its work).

    A body of a solid's law keeps them while it deforms and tumbles.
    """
    notes = []
    if law.kind == "solid":
        for d in law.dimensions:
            model, h = _tumbling(law, d)
            notes.append(conservation(model, h, 100))
        return notes[-1]
    for ny in law.sizes:
        model, h = _law_model(law, ny, law.dimensions[-1])
        notes.append(conservation(model, h, 100, momenta=law.kind not in ("force", "rate")))
    return notes[-1]


def law_part(law: Law, vectors: list[tuple[str, str]]) -> LawEnergy | LawConstraint | LawRate | LawForce | LawMaterial:
    """The part of a model that acts by this law, with its example's parameters."""
    params = dict(zip(law.params, law.example, strict=True))
    if law.kind == "solid":
        bulk = {"bulk": 20.0 * (max(map(abs, law.example), default=1.0) or 1.0)} if "split" in law.traits else {}
        directions = ((0.6, 0.8, 0.0), (0.8, -0.6, 0.0))
        return LawMaterial(law.name, params | bulk, 1.0, directions=[directions[k % 2] for k in range(law.families)])
    if law.kind == "constraint":
        return LawConstraint("law", law.name, vectors, params, value=None)
    kinds = {"energy": LawEnergy, "rate": LawRate, "force": LawForce}
    return kinds[law.kind]("law", law.name, vectors, params)


def _law_model(law: Law, ny: int, d: int) -> tuple[Model, float]:
    """Masses of 1 kg on the ends of the law's vectors, and a step [s] that resolves their motion."""
    rng = np.random.default_rng(ny)
    y, ydot = some_vectors(ny, d, rng, law.length), law.length * rng.normal(size=(ny, d))
    number, p = compiled(law), np.array(law.example)
    if law.kind == "energy":
        _, S, H = gram_value(number, ny, some_gram(ny, rng, law.length), p)
        rate = np.sqrt(4.0 * np.abs(S).max() + 8.0 * np.abs(H).max() * law.length**2)
    elif law.kind == "force":
        f, Ky, Kv = force_value(number, d, y, ydot, p)
        rate = max(np.sqrt(np.abs(f).max() / law.length), np.sqrt(np.abs(Ky).max()), np.abs(Kv).max())
    else:
        rate = 1.0
    rate = float(rate) or 1.0  # [1/s]
    model = Model("law", dimension=d)
    model.add(PointMass("hub", 1.0, (0.0,) * d))
    for k in range(ny):
        model.add(PointMass(f"end {k}", 1.0, y[k], velocity=0.2 * rate * ydot[k]))
    model.add(law_part(law, [("hub", f"end {k}") for k in range(ny)]))
    return model, 0.05 / rate


def _tumbling(law: Law, d: int) -> tuple[Model, float]:
    """A pseudo-rigid body of 1 kg that is thrown, and a step [s] that resolves its motion."""
    material: Any = law_part(law, [])
    rate = float(np.sqrt(12.0 * abs(material.lame()[1]) / material.density))  # of its first vibration, about
    model = Model("law", dimension=d)
    spin = 0.3 * rate if d == 2 else (0.3 * rate, 0.1 * rate, -0.2 * rate)
    sides = (1.0, 0.8, 0.6)[:d]
    model.add(PseudoRigidBody.box("body", sides, 1.0, material=material, angular_velocity=spin))
    return model, 0.05 / rate


def pendulum() -> Model:
    """A bar of 1 m on a hinge, released at rest."""
    model = Model("pendulum", gravity=(0.0, 0.0, -9.81))
    bar = model.add(RigidBody("bar", 1.0, inertia=(0.01, 0.08, 0.08), position=(0.5, 0.0, 0.0)))
    model.add(Revolute("hinge", model.ground, bar, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    return model


def integrator_converges(name: str) -> str:
    """A pendulum at three steps approaches the reference; the note gives order and energy drift."""
    comparison = compare(pendulum(), 0.4, steps=(0.02, 0.01, 0.005), integrators=[name])
    runs = comparison.of(name)
    for run in runs:
        if run.message:
            raise CheckFailed(f"with a step of {run.step:g} s it fails: {run.message}")
    errors = [float(run.position_error or 0.0) for run in runs]
    order = comparison.order(name)
    drift = max(run.energy_drift for run in runs)
    if not all(np.isfinite(errors)) or (errors[-1] > 1e-7 and (order is None or order < 0.7)):
        text = ", ".join(f"{error:.2g}" for error in errors)
        raise CheckFailed(f"it does not converge: position errors {text} with steps 0.02, 0.01, 0.005 s")
    fitted = f"order {order:.2f}" if order is not None else "at any step"
    return f"{fitted}, position error {errors[-1]:.1e}, energy drift {drift:.1e}"


def integrator_restarts(name: str) -> None:
    """A run that is stopped and resumed from its file is, bit for bit, the run that was not."""
    whole = simulate(pendulum(), end=0.1, dt=0.01, integrator=make_integrator(name))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.h5"
        simulate(pendulum(), end=0.05, dt=0.01, integrator=make_integrator(name), file=file)
        parted = resume(file, end=0.1, integrator=make_integrator(name))
        for what in ("x", "v", "multipliers"):
            one, other = (getattr(result.state(-1), what) for result in (whole, parted))
            if not np.array_equal(one, other):
                raise CheckFailed(
                    f"a resumed run differs ({what} by {np.abs(one - other).max():.2g}): what the method carries from "
                    "step to step must be in state.memory"
                )
