"""A gripper lifts a soft body by friction.

Two fingers press a block of rubber with a given force and lift it off a table, faster and faster. Friction of both carries
the weight and what speeds it up, m (g + a), as long as 2 μ N is more than that; with less grip the block comes up more slowly
than the fingers, with 2 μ N/m − g, and slips out of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

import condyle as cd

PARAMETERS = {
    "size": cd.Parameter(0.1, "edge of the block", "m"),
    "young": cd.Parameter(5e4, "Young's modulus of its rubber", "Pa"),
    "viscosity": cd.Parameter(100.0, "of its rubber", "Pa s"),
    "density": cd.Parameter(1000.0, "of its rubber", "kg/m³"),
    "cells": cd.Parameter(3, "elements along an edge"),
    "friction": cd.Parameter(0.6, "coefficient of friction of the fingers"),
    "gravity": cd.Parameter(9.81, "acceleration of gravity", "m/s²"),
    "pace": cd.Parameter(2.0, "acceleration of the hand", "m/s²"),
    "close": cd.Parameter(0.15, "time in which the fingers close", "s"),
    "ramp": cd.Parameter(0.2, "time in which the hand comes up to its acceleration", "s"),
    "lift": cd.Parameter(0.25, "time with that acceleration", "s"),
    "halvings": cd.Parameter(5, "of the interval in which the least grip is looked for"),
    "dt": cd.Parameter(0.005, "time step", "s"),
}
QUICK = {"cells": 2, "lift": 0.15, "halvings": 3}
INPUTS = ("friction", "density", "gravity", "pace")
HELD, SLIPS = 1.05, 0.95  # of the grip that is just enough
WIDTH, MASS, SIDES = 0.02, 0.3, {"left": -1.0, "right": 1.0}  # fingers: thickness [m], mass [kg]
RUNS: dict[str, cd.Integrator] = {"velocities": cd.Nonsmooth(), "places": cd.GeneralizedAlpha()}


def enough(p: cd.Parameters) -> float:
    """The grip N [N] with which 2 μ N = m (g + a)."""
    return float(p.density * p.size**3 * (p.gravity + p.pace) / (2.0 * p.friction))


def hand_speed(p: cd.Parameters) -> Callable[[float], float]:
    """Of the hand [m/s]: rest, an acceleration that grows evenly, then stays."""

    def speed(t: float) -> float:
        s = max(t - p.close, 0.0)
        return float(p.pace * (0.5 * s * s / p.ramp if s < p.ramp else s - 0.5 * p.ramp))

    return speed


def gripper(p: cd.Parameters, grip: float) -> cd.Model:
    """Block, table, hand on a column, and two fingers on rails of the hand, each pressed inwards with `grip` [N]."""
    model = cd.Model("gripper", dimension=3, gravity=(0.0, 0.0, -p.gravity))
    half, rubber = 0.5 * p.size, cd.NeoHookean(p.young, 0.3, p.density, viscosity=p.viscosity)
    block = model.add(cd.Solid.block("block", (p.size,) * 3, (p.cells,) * 3, rubber, origin=(-half, -half, 0.0)))
    model.add(cd.Contact("table", block, "back", model.ground, cd.Plane((0.0, 0.0, 1.0))))
    hand = model.add(cd.RigidBody.box("hand", (3.0 * p.size, p.size, WIDTH), 1000.0, position=(0.0, 0.0, 2.0 * p.size)))
    model.add(cd.Prismatic("column", model.ground, hand, at=(0.0, 0.0, 2.0 * p.size), axis=(0.0, 0.0, 1.0)))
    model.add(cd.DrivenRate("lift", "column", hand_speed(p)))
    closing = cd.Ramp(0.0, 0.5 * p.close, 0.0, 1.0)
    for name, side in SIDES.items():
        size, place = (WIDTH, 1.2 * p.size, 1.2 * p.size), (side * (half + 0.5 * WIDTH), 0.0, half)
        finger = model.add(cd.RigidBody.box(name, size, MASS / np.prod(size), position=place))
        model.add(cd.Prismatic(f"{name} rail", hand, finger, at=place, axis=(1.0, 0.0, 0.0)))
        model.add(cd.Load(f"{name} grip", finger.at(0.0, 0.0, 0.0), (-side * grip, 0.0, 0.0), scale=closing))
        pad = cd.Plane((-side, 0.0, 0.0), (-0.5 * side * WIDTH, 0.0, 0.0))
        model.add(cd.Contact(f"{name} pad", block, name, finger, pad, friction=p.friction))
    return model


def lifted(p: cd.Parameters, share: float, method: cd.Integrator) -> cd.Result:
    """A run with a share of the grip that is enough."""
    return cd.simulate(gripper(p, share * enough(p)), end=p.close + p.ramp + p.lift, dt=p.dt, integrator=method)


def read(p: cd.Parameters, result: cd.Result) -> cd.Outcome:
    """What the claims ask of a run."""
    times, mass = result.times, p.density * p.size**3
    speed = result.body_momentum("block")[0][:, 2] / mass
    late = times > times[-1] - 0.5 * p.lift
    pads = [result.contact(f"{name} pad") for name in SIDES]
    forces = [pad.force.sum(axis=1) for pad in pads]
    return {
        "times": times, "speed": speed, "hand": result.velocity("hand")[:, 2],
        "pace": float(np.polyfit(times[late], speed[late], 1)[0]),
        "carried": forces[0][:, 2] + forces[1][:, 2], "pressed": np.abs(forces[0][:, 0]),
        "balance": float(np.abs(forces[0][-1, 0] + forces[1][-1, 0])),
        "uneven": float(np.abs(forces[0][-1, 2] - forces[1][-1, 2])),
        "inside": max(float(-pad.gap.min()) for pad in pads),
        "outside": max(float(-pad.cone_margin.min()) for pad in pads),
        "slip": float(max(pad.slip_speed[-1].max() for pad in pads)),
        "squeezed": float(p.size + WIDTH - (result.position("right") - result.position("left"))[-1, 0]),
    }  # fmt: skip


def sticks(p: cd.Parameters, share: float) -> bool:
    """Does the block come along with the hand?"""
    result = lifted(p, share, RUNS["velocities"])
    speed = result.body_momentum("block")[0][-1, 2] / (p.density * p.size**3)
    return bool(abs(speed - result.velocity("hand")[-1, 2]) < 1e-3 * p.pace * p.lift)


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """Held and slipping; the least grip that holds; held, with contact at the level of places."""
    found: cd.Outcome = {}
    for name, share in (("held", HELD), ("slips", SLIPS)):
        result = context.simulate(
            name, gripper(p, share * enough(p)), end=p.close + p.ramp + p.lift, dt=p.dt, integrator=RUNS["velocities"]
        )
        found[name] = read(p, result) | {"unsolved": result.unsolved_steps}
    yield found
    low, high = 0.9, 1.1
    for _ in range(p.halvings):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if sticks(p, middle) else (middle, high)
    found["least"] = 0.5 * (low + high) * enough(p)
    yield found
    found["places"] = read(p, lifted(p, HELD, RUNS["places"]))
    yield found


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Speeds of the hand and of the block, and what the fingers carry."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 3.4), layout="constrained")
    speed, force = figure.subplots(1, 2)
    held, slips = outcome["held"], outcome["slips"]
    speed.plot(held["times"], held["hand"], "k:", lw=1.5, label="hand")
    force.axhline(p.density * p.size**3 * (p.gravity + p.pace), color="k", ls=":", lw=1.2, label="m (g + a)")
    for own, label in ((held, f"{HELD:g} of the least grip"), (slips, f"{SLIPS:g} of it")):
        speed.plot(own["times"], own["speed"], lw=1.2, label=label)
        force.plot(own["times"], own["carried"], lw=1.2, label=label)
    speed.set(xlabel="time (s)", ylabel="speed (m/s)")
    force.set(xlabel="time (s)", ylabel="carried by both fingers (N)")
    for ax in (speed, force):
        ax.legend(fontsize="x-small")
    return {"gripper": figure}


CLAIMS = [
    cd.Claim("held: force that friction carries", 11.81, lambda o: float(o["held"]["carried"][-1]), unit="N", tolerance=0.01,
             kind="closed form", origin="m (g + a)"),
    cd.Claim("held: force of a finger", 10.3338, lambda o: float(o["held"]["pressed"][-1]), unit="N", tolerance=0.01,
             kind="closed form", origin="1.05 m (g + a)/(2 μ)"),
    cd.Claim("held: acceleration of the block", 2.0, lambda o: o["held"]["pace"], unit="m/s²", tolerance=2e-3,
             kind="closed form", origin="that of the hand"),
    cd.Claim("held: slip of the fingers", "none", lambda o: o["held"]["slip"], unit="m/s", tolerance=1e-9, kind="property",
             origin="what sticks does not move"),
    cd.Claim("slips: acceleration of the block", 1.4095, lambda o: o["slips"]["pace"], unit="m/s²", tolerance=2e-3,
             kind="closed form", origin="2 μ N/m − g with 0.95 of the grip that is enough"),
    cd.Claim("least grip that holds", 9.8417, lambda o: o["least"], unit="N", tolerance=0.15, kind="closed form",
             origin="m (g + a)/(2 μ); the block still swings a little"),
    cd.Claim("fingers come nearer to each other by", (1.5e-3, 2.067e-3), lambda o: o["held"]["squeezed"], unit="m",
             kind="property",
             origin="N L/(E A) = 2.067 mm if the sides were free; less, because they stick and cannot widen"),
    cd.Claim("the same, contact at the level of places less that of velocities", "the same body",
             lambda o: abs(o["places"]["squeezed"] - o["held"]["squeezed"]), unit="m", tolerance=3e-5, kind="property",
             origin="generalized-α; they differ by where nodes stuck as the fingers closed"),
    cd.Claim("held at the level of places: force that friction carries", 11.81,
             lambda o: float(o["places"]["carried"][-1]), unit="N", tolerance=0.02, kind="closed form", origin="m (g + a)",
             full_only=True),
    cd.Claim("both: forces of the two fingers differ by", "nothing",
             lambda o: max(o[k][w] for k in ("held", "slips") for w in ("balance", "uneven")), unit="N", tolerance=1e-6,
             kind="property", origin="symmetry"),
    cd.Claim("both: friction outside its cone", "inside", lambda o: max(o[k]["outside"] for k in ("held", "slips")), unit="N",
             tolerance=1e-7, kind="property", origin="Coulomb's law"),
    cd.Claim("both: nodes inside a finger", "none", lambda o: max(o[k]["inside"] for k in ("held", "slips")), unit="m",
             tolerance=1e-9, kind="property", origin="no penetration"),
    cd.Claim("both: steps that were not solved", "none", lambda o: float(o["held"]["unsolved"] + o["slips"]["unsolved"]),
             tolerance=0, kind="property", origin="tolerance of the method"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
