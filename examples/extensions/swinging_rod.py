"""A rod hung at one end swings through small angles: its period is 2π √(2ℓ/3g)."""

import numpy as np

import condyle as cd


def run(p, context):
    model = cd.Model("swinging rod", dimension=2, gravity=(0.0, -p.gravity))
    down = p.angle - 0.5 * np.pi
    middle = 0.5 * p.length * np.array([np.cos(down), np.sin(down)])
    rod = model.add(cd.RigidBody.box("rod", (p.length, 1e-3 * p.length), 7800.0, position=middle, rotation=down))
    model.add(cd.Pin("hook", model.ground, rod, at=(0.0, 0.0)))
    result = context.simulate("swing", model, end=p.end, dt=p.dt)
    angle = p.angle + result.coordinate("hook.angle")
    crossed = np.flatnonzero(angle[:-1] * angle[1:] < 0.0)
    zeros = result.times[crossed] + p.dt * angle[crossed] / (angle[crossed] - angle[crossed + 1])
    return {"period": 2.0 * np.diff(zeros).mean(), "drift": np.ptp(result.energy["total"])}


STUDY = cd.Study(
    name="swinging-rod",
    title="A rod swings like a pendulum of two thirds of its length",
    source="beyond",
    summary="A slender rod on a pin. Its period and its energy are compared with the closed form.",
    parameters={
        "length": cd.Parameter(1.0, "length of the rod", "m"),
        "angle": cd.Parameter(0.01, "angle from the vertical at the start", "rad"),
        "gravity": cd.Parameter(9.81, "acceleration of gravity", "m/s²"),
        "end": cd.Parameter(20.0, "time simulated", "s"),
        "dt": cd.Parameter(0.002, "time step", "s"),
    },
    run=run,
    claims=[
        cd.Claim(
            "period", 1.638, lambda o: o["period"], kind="closed form", unit="s", tolerance=1e-3, origin="2π √(2ℓ/3g)"
        ),
        cd.Claim(
            "energy", "constant", lambda o: o["drift"], kind="property", unit="J", tolerance=1e-9, origin="method"
        ),
    ],
    quick={"end": 4.0},
)
