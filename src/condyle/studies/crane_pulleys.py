"""A crane lifts a rigid load: a rope over two pulleys that turn with it, pulled by a winch whose speed is an input.

The rope touches its pulleys in patches that are found in every step; friction turns them. Steps are taken one by one, sixty
in a second, as a driver at a joystick would have them: the speed of the winch is set between them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd

PARAMETERS = {
    "mass": cd.Parameter(50.0, "mass of the load", "kg"),
    "wheel": cd.Parameter(0.15, "radius of a pulley", "m"),
    "wheel_mass": cd.Parameter(4.0, "mass of a pulley", "kg"),
    "rope": cd.Parameter(0.008, "radius of the rope", "m"),
    "axial": cd.Parameter(2e5, "force over strain of the rope", "N"),
    "bending": cd.Parameter(0.05, "its moment over curvature: strands slide on each other", "N m²"),
    "line_density": cd.Parameter(0.3, "its mass per length", "kg/m"),
    "friction": cd.Parameter(0.3, "coefficient of friction on the pulleys"),
    "gravity": cd.Parameter(9.81, "acceleration of gravity", "m/s²"),
    "speed": cd.Parameter(0.3, "of the winch", "m/s"),
    "ramp": cd.Parameter(0.5, "time in which it comes up to speed, and stops", "s"),
    "lift": cd.Parameter(1.0, "time at speed", "s"),
    "rest": cd.Parameter(1.0, "time after it has stopped", "s"),
    "rate": cd.Parameter(60.0, "steps in a second", "1/s"),
    "piece": cd.Parameter(0.08, "length of an element of the rope", "m"),
}
QUICK = {"ramp": 0.3, "lift": 0.1, "rest": 0.6, "piece": 0.1}
INPUTS = ("mass", "gravity")
# Between the axles; legs of the rope down to the winch and the load; the load [m].
SPAN, LEFT, RIGHT, BOX = 0.6, 0.8, 0.9, 0.2


def rope_line(p: cd.Parameters) -> tuple[Any, Any]:
    """Points of the rope and tangents there: up from the winch, over both pulleys, down to the load."""
    r = p.wheel + p.rope
    arc = np.linspace(0.5 * np.pi, 0.0, max(3, round(0.5 * np.pi * r / p.piece) + 1))
    legs = [max(1, round(length / p.piece)) for length in (LEFT, SPAN, RIGHT)]
    columns: tuple[list[float], ...] = ([], [], [], [])
    x, z, tx, tz = columns

    def go(
        xs: NDArray[np.float64],
        zs: NDArray[np.float64],
        txs: NDArray[np.float64] | float,
        tzs: NDArray[np.float64] | float,
    ) -> None:
        for own, new in zip(columns, (xs, zs, txs, tzs), strict=True):
            own.extend(np.broadcast_to(new, np.shape(xs)).tolist())

    up = np.linspace(-LEFT, 0.0, legs[0] + 1)[:-1]
    go(np.full_like(up, -r), up, 0.0, 1.0)
    go(-r * np.sin(arc), r * np.cos(arc), np.cos(arc), np.sin(arc))
    over = np.linspace(0.0, SPAN, legs[1] + 1)[1:-1]
    go(over, np.full_like(over, r), 1.0, 0.0)
    arc = arc[::-1]
    go(SPAN + r * np.sin(arc), r * np.cos(arc), np.cos(arc), -np.sin(arc))
    down = np.linspace(0.0, -RIGHT, legs[2] + 1)[1:]
    go(np.full_like(down, SPAN + r), down, 0.0, -1.0)
    zero = np.zeros(len(x))
    return np.stack((x, zero, z), axis=1), np.stack((tx, zero, tz), axis=1)


def crane(p: cd.Parameters) -> cd.Model:
    """Rope, pulleys, load, and the winch: a block on a guide whose speed is the input 'winch' [m/s]."""
    model = cd.Model("crane", dimension=3, gravity=(0.0, 0.0, -p.gravity))
    line, tangents = rope_line(p)
    section = cd.Rope(p.axial, p.bending, p.line_density, diameter=2.0 * p.rope, damping=0.01)
    rope = model.add(cd.Cable("rope", line, 1, section, tangents=tangents, rest="straight"))
    width = 0.04
    for name, place in (("first", 0.0), ("second", SPAN)):
        density = p.wheel_mass / (np.pi * p.wheel**2 * width)
        wheel = model.add(
            cd.RigidBody.cylinder(f"{name} pulley", p.wheel, width, density, position=(place, 0.0, 0.0),
                                  rotation=(np.pi / 2, 0.0, 0.0))
        )  # fmt: skip
        model.add(cd.Revolute(f"{name} axle", model.ground, wheel, at=(place, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
        rim = cd.Cylinder(p.wheel, (0.0, 0.0, 1.0))
        model.add(
            cd.PatchContact(f"on {name} pulley", rope, wheel, rim, friction=p.friction, per_patch=2, longest=p.piece,
                            margin=5e-3 * p.wheel)
        )  # fmt: skip
    winch = model.add(cd.RigidBody.box("winch", (0.1,) * 3, 5000.0, position=line[0] - np.array([0.0, 0.0, 0.05])))
    model.add(cd.Prismatic("guide", model.ground, winch, at=tuple(line[0]), axis=(0.0, 0.0, 1.0)))
    model.add(cd.DrivenRate("winch speed", "guide", 0.0))
    model.add(cd.Spherical("grip", rope.point("start"), winch.at(0.0, 0.0, 0.05)))
    load = model.add(
        cd.RigidBody.box("load", (BOX,) * 3, p.mass / BOX**3, position=line[-1] - np.array([0.0, 0.0, 0.5 * BOX]))
    )
    model.add(cd.Spherical("hook", rope.point("end"), load.at(0.0, 0.0, 0.5 * BOX)))
    return model


def wanted(p: cd.Parameters, t: float) -> float:
    """Speed of the winch that the driver asks for [m/s]: up, hold, down to rest."""
    return float(p.speed * np.clip(min(t / p.ramp, (2.0 * p.ramp + p.lift - t) / p.ramp), 0.0, 1.0))


def drive(sim: cd.Simulation, p: cd.Parameters) -> None:
    """What the driver does before a step; a winch that pulls goes down its guide."""
    sim.inputs["winch speed"] = -wanted(p, sim.time + 1.0 / p.rate)


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """Steps one by one; what is read between them."""
    sim = cd.Simulation(crane(p), dt=1.0 / p.rate, integrator=cd.Nonsmooth(geometric=True))
    start = {name: sim.position(name) for name in ("load", "winch")}
    keys = ("times", "rise", "wound", "hook", "sway", "first", "second")
    found: cd.Outcome = {key: [] for key in keys}
    unsolved = 0
    for _ in range(round((2.0 * p.ramp + p.lift + p.rest) * p.rate)):
        drive(sim, p)
        unsolved += bool(sim.step().unsolved)
        load, winch = (sim.position(name) - start[name] for name in ("load", "winch"))
        turned = [sim.coordinate(f"{name} axle.angle") for name in ("first", "second")]
        row = (sim.time, load[2], -winch[2], sim.joint_force("hook")[2], abs(load[0]), *turned)
        for key, value in zip(keys, row, strict=True):
            found[key].append(float(value))
    found = {key: np.array(values) for key, values in found.items()}
    found["unsolved"], found["wheel"] = unsolved, p.wheel + p.rope
    found["pulls"] = (found["times"] > 0.5 * p.ramp) & (found["times"] < p.ramp)
    found["rests"] = found["times"] > found["times"][-1] - 0.5 * p.rest
    found["lifts"] = found["times"] > p.ramp
    return found


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """How far the load has come, and the force in the hook."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 3.4), layout="constrained")
    way, force = figure.subplots(1, 2)
    way.plot(outcome["times"], outcome["wound"], "k:", lw=1.5, label="rope pulled in")
    way.plot(outcome["times"], outcome["rise"], lw=1.2, label="load")
    for name in ("first", "second"):
        way.plot(outcome["times"], np.abs(outcome[name]) * outcome["wheel"], lw=1.0, label=f"by the {name} pulley")
    way.set(xlabel="time (s)", ylabel="way (m)")
    way.legend(fontsize="x-small")
    force.plot(outcome["times"], outcome["hook"], lw=1.2)
    force.axhline(p.mass * p.gravity, color="k", ls=":", lw=1.2)
    force.set(xlabel="time (s)", ylabel="force in the hook (N)", ylim=(0.0, None))
    return {"crane": figure}


CLAIMS = [
    cd.Claim("force in the hook at rest", 490.5, lambda o: float(o["hook"][o["rests"]].mean()), unit="N", tolerance=5.0,
             kind="closed form", origin="m g"),
    cd.Claim("force in the hook while the load is sped up", 520.5, lambda o: float(o["hook"][o["pulls"]].mean()), unit="N",
             tolerance=6.0, kind="closed form", origin="m (g + a)", full_only=True),
    cd.Claim("rope pulled in less the rise of the load, at the end", "what the rope stretches",
             lambda o: float(o["wound"][-1] - o["rise"][-1]), unit="m", tolerance=0.01, kind="closed form",
             origin="F l/EA: 7 mm of 2.8 m, and 1 mm for the chords of its elements"),
    cd.Claim("change of that while it lifts", "none", lambda o: float(np.ptp((o["wound"] - o["rise"])[o["lifts"]])), unit="m",
             tolerance=2e-3, kind="property", origin="rope does not come from nowhere", full_only=True),
    cd.Claim("way of the rope by the turn of the pulleys less that pulled in", "rolled",
             lambda o: max(abs(abs(o[name][-1]) * o["wheel"] - o["wound"][-1]) for name in ("first", "second")), unit="m",
             tolerance=0.01, kind="property", origin="friction turns the pulleys"),
    cd.Claim("sway of the load", "none", lambda o: float(o["sway"].max()), unit="m", tolerance=5e-3, kind="property",
             origin="it hangs below the second pulley"),
    cd.Claim("steps that were not solved", "none", lambda o: float(o["unsolved"]), tolerance=0, kind="property",
             origin="tolerance of the method"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
