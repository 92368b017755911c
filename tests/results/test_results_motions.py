"""Small models with known motions, which the tests of results record: states are written down, not computed."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from condyle import Model, Revolute, RigidBody, State, compile
from condyle.results.recorder import Recorder
from condyle.system.system import System

DESCRIPTION = {"name": "EnergyMomentum", "multiplier_time": 0.5}


def plate_and_arm(spin: float = 3.0) -> Model:
    """2D: a plate that turns about the origin with `spin` [rad/s] and carries an arm twice as fast."""
    model = Model("plate", dimension=2)
    plate = model.add(
        RigidBody.box("plate", (2.0, 1.0), 1.0, angular_velocity=spin, points={"corner": (1.0, 0.5), "tip": (1.0, 0.0)})
    )
    arm = model.add(
        RigidBody.box("arm", (1.0, 0.2), 1.0, position=(1.0, 0.0), angular_velocity=2 * spin, velocity=(0.0, spin))
    )
    model.add(Revolute("axle", model.ground, plate, at=(0.0, 0.0)))
    model.add(Revolute("elbow", plate, arm, at=(1.0, 0.0)))
    return model


def spinning_box(spin: float = 3.0) -> Model:
    """3D: a box that turns about the z axis with `spin` [rad/s] while it moves along x with 1 m/s."""
    model = Model("box", dimension=3)
    model.add(
        RigidBody.box("box", (1.0, 2.0, 3.0), 1.0, velocity=(1.0, 0.0, 0.0), angular_velocity=(0.0, 0.0, spin),
                      points={"corner": (0.5, 1.0, 1.5)})
    )  # fmt: skip
    return model


def turn(angle: float, d: int) -> np.ndarray:
    """Rotation about z, shape (d, d)."""
    c, s = np.cos(angle), np.sin(angle)
    R = np.eye(d)
    R[:2, :2] = [[c, -s], [s, c]]
    return R


def known_state(system: System, t: float, spin: float = 3.0) -> State:
    """The exact state of one of the models above at time t [s]. Multipliers count up from 10 t."""
    d = system.d
    x, v = system.x_start.copy(), np.zeros_like(system.x_start)
    origins = {"plate": (np.zeros(2), np.zeros(2), spin)}
    R = turn(spin * t, d)
    if d == 2:
        origins["arm"] = (R[:, 0], spin * R[:, 1], 2 * spin)
    else:
        origins = {"box": (np.array([t, 0.0, 0.0]), np.array([1.0, 0.0, 0.0]), spin)}
    for name, (place, velocity, rate) in origins.items():
        anchor: Any = system.anchors[name]
        R = turn(rate * t, d)
        x[anchor.r], v[anchor.r] = place, velocity
        rows = list(anchor.directors)
        x[rows] = R.T
        v[rows] = rate * (turn(0.5 * np.pi, d) @ np.diag([1.0, 1.0, 0.0][:d]) @ R).T
    return State(t, x, v, 10.0 * t + np.arange(len(system.multipliers)), {"acceleration": -x})


def scalars(t: float, d: int, h: float, iterations: int = 2) -> dict[str, Any]:
    """What a driver measures at a step, as numbers that are easy to recognise."""
    return {
        "kinetic": 4.0 + t, "stored": 1.0, "gravity": -t, "total": 5.0, "work": 0.0,
        "linear_momentum": np.arange(1.0, d + 1.0), "angular_momentum": np.array([0.0, 0.0, 7.0]),
        "constraint_error": 1e-15, "iterations": iterations, "cuts": 0, "step": h,
    }  # fmt: skip


def recorded(model: Model, steps: int = 20, h: float = 0.1, *, spin: float = 3.0, file=None, every=1, block=100,
             status: str = "completed", overwrite: bool = False, **options: Any):  # fmt: skip
    """The result of the known motion."""
    system = compile(model, **options)
    recorder = Recorder(
        system, file=file, every=every, block=block, overwrite=overwrite, integrator=DESCRIPTION,
        options={"end": steps * h},
    )  # fmt: skip
    first = scalars(0.0, system.d, h)
    for name in ("iterations", "cuts", "step"):
        del first[name]
    recorder.start(known_state(system, 0.0, spin), first)
    for k in range(1, steps + 1):
        recorder.record(known_state(system, k * h, spin), scalars(k * h, system.d, h, 2 + k % 2))
    return recorder.finish(status, "all is well", 1.5)


@pytest.mark.parametrize("make", [plate_and_arm, spinning_box])
def test_the_known_motions_satisfy_the_constraints_and_their_velocities_are_rates(make):
    system = compile(make())
    h = 1e-4
    for t in (0.0, 0.7):
        before, now, after = (known_state(system, t + k * h) for k in (-1, 0, 1))
        assert system.constraint_error(now.x) < 1e-14
        np.testing.assert_allclose((after.x - before.x) / (2 * h), now.v, atol=1e-6)
