"""Head form in a helmet on a flat anvil: a rigid head, hyperelastic foam, HIC.

A head of 4.5 kg in 30 mm of foam meets a flat anvil with 5.42 m/s, as in tests of bicycle helmets. The foam is a
neo-Hookean solid that follows the head along its inner surface; what the head feels is read as HIC15, HIC36 and 3 ms
clip. The foam is elastic: real ones crush, and give less back.
"""

from __future__ import annotations

import numpy as np

import condyle as cd

G = 9.80665


PARAMETERS = {
    "mass": cd.Parameter(4.5, "mass of the head", "kg"),
    "radius": cd.Parameter(0.085, "its radius", "m"),
    "thickness": cd.Parameter(0.03, "of the foam", "m"),
    "density": cd.Parameter(60.0, "of the foam", "kg/m³"),
    "youngs": cd.Parameter((0.8e6, 1.5e6, 3e6), "Young's moduli of foams", "Pa"),
    "speed": cd.Parameter(5.42, "of the impact", "m/s"),
    "limit": cd.Parameter(250.0, "largest acceleration that is allowed", "g"),
    "cells": cd.Parameter((4, 2), "cells along a side of the cube inside the foam, and across"),
    "dt": cd.Parameter(2e-4, "time step", "s"),
    "end": cd.Parameter(0.016, "time simulated", "s"),
}  # fmt: skip
QUICK = {"youngs": (1.5e6,)}
INPUTS = ("mass", "radius", "thickness", "speed")


def helmet(p: cd.Parameters, young: float) -> cd.Model:
    """The head just above the anvil, with its speed; the foam is tied to it along its inner surface."""
    model = cd.Model("helmet", dimension=3, gravity=(0.0, 0.0, 0.0))  # for the few milliseconds of the blow
    outer = p.radius + p.thickness
    inertia = 0.4 * p.mass * p.radius**2
    head = model.add(cd.RigidBody("head", p.mass, inertia=(inertia,) * 3,
                                  velocity=(0.0, 0.0, -p.speed)))  # fmt: skip
    mesh = cd.Mesh.cup(p.radius, outer, p.cells)
    foam = model.add(
        cd.Solid.from_mesh("foam", mesh, cd.NeoHookean(young, 0.0, p.density), velocity=(0.0, 0.0, -p.speed))
    )
    model.add(cd.Tie("lining", foam, "inner", head))
    model.add(cd.Contact("anvil", foam, "outer", model.ground, cd.Plane((0.0, 0.0, 1.0), (0.0, 0.0, -outer - 1e-6))))
    return model


def drop(p: cd.Parameters, young: float, label: str, context: cd.Context) -> cd.Outcome:
    """One drop: acceleration of the head, its criteria, the force on the anvil, energies and momentum."""
    model = helmet(p, young)
    result = context.simulate(label, model, end=p.end, dt=p.dt, integrator=cd.GeneralizedAlpha(0.6))
    t, a = result.times, result.acceleration("head")
    force = result.contact("anvil").resultant[:, 2]
    energy = result.energy["total"]
    worst = cd.crash.hic(t, a)
    push = result.linear_momentum[:, 2]
    speed, peak = result.velocity("head")[:, 2], float(np.linalg.norm(a, axis=1).max())
    gained, travel = float(speed[-1] - speed[0]), float(-result.position("head")[:, 2].min())
    return {
        "t": t, "a": np.linalg.norm(a, axis=1), "force": force, "hic": worst.value, "hic36": cd.crash.hic(t, a, 0.036).value,
        "3 ms": cd.crash.clip_3ms(t, a) / G, "peak": peak / G,
        "area": float(np.trapezoid(a[:, 2], t)) / gained, "shape": worst.value / (gained / G * (peak / G) ** 1.5),
        "stiffening": peak * travel / (0.5 * p.speed**2),
        "impulse": float(np.trapezoid(force, t) / (push[-1] - push[0])),
        "lost": float((energy[0] - energy[-1]) / (0.5 * p.mass * p.speed**2)),
        "gain": float(np.diff(energy).max() / (0.5 * p.mass * p.speed**2)),
        "travel": travel,
        "columns": peak / G / column_estimate(p, young),
    }  # fmt: skip


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """Foams of several stiffness."""
    return {"foams": {young: drop(p, young, f"foam-{1e-6 * young:g}-MPa", context) for young in p.youngs}}


def column_estimate(p: cd.Parameters, young: float) -> float:
    """Peak acceleration [g] if every column of foam pressed by itself: F = π E R s²/t and ∫ F ds = ½ m v²."""
    stiff = np.pi * young * (p.radius + p.thickness) / p.thickness
    depth = (1.5 * p.mass * p.speed**2 / stiff) ** (1.0 / 3.0)
    return float(stiff * depth**2 / p.mass / G)


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Acceleration of the head, and the force on the anvil."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.4, 3.2))
    left, right = figure.subplots(1, 2)
    for young, found in outcome["foams"].items():
        name = f"{1e-6 * young:g} MPa: HIC15 {found['hic']:.0f}, 3 ms {found['3 ms']:.0f} g"
        left.plot(1e3 * found["t"], found["a"] / G, label=name)
        right.plot(
            1e3 * found["t"], 1e-3 * found["force"], label=f"{1e3 * found['travel']:.0f} mm of {1e3 * p.thickness:.0f}"
        )
    left.axhline(p.limit, color="0.4", linestyle="--", label=f"limit {p.limit:g} g")
    left.set(xlabel="time (ms)", ylabel="acceleration of the head (g)", ylim=(0.0, None))
    right.set(xlabel="time (ms)", ylabel="force on the anvil (kN)")
    for ax in (left, right):
        ax.legend(fontsize="x-small")
    return {"helmet_drop": figure}


def of(outcome: cd.Outcome, name: str) -> float:
    """A number of the foam of 1.5 MPa, which every form has."""
    return float(outcome["foams"][1.5e6][name])


CLAIMS = [
    cd.Claim("foam of 1.5 MPa: HIC15", 2366.0, lambda o: of(o, "hic"), kind="reference", tolerance=24.0,
             origin="steps half as long"),
    cd.Claim("foam of 1.5 MPa: peak acceleration", 238.1, lambda o: of(o, "peak"), kind="reference", unit="g", tolerance=1.5,
             origin="steps half as long"),
    cd.Claim("foam of 1.5 MPa: 3 ms clip", 176.4, lambda o: of(o, "3 ms"), kind="reference", unit="g", tolerance=1.0,
             origin="steps half as long"),
    cd.Claim("foam of 1.5 MPa: peak acceleration over that of columns by themselves", (0.95, 1.3), lambda o: of(o, "columns"),
             kind="reference", origin="Winkler's foundation on a sphere; foam that is pressed far is stiffer than E"),
    cd.Claim("foam of 1.5 MPa: HIC15 over Δv/g (peak/g)^1.5", 0.5916, lambda o: of(o, "shape"), kind="closed form",
             tolerance=0.015,
             origin="pulse of m s″ = −k s², as columns press; 0.651 for a half-sine, 0.567 for k s³"),
    cd.Claim("foam of 1.5 MPa: peak acceleration times way over v²/2", (3.0, 4.0), lambda o: of(o, "stiffening"),
             kind="closed form", origin="½ v² = ∫ a ds: n + 1 for a force k sⁿ, 3 for columns; foam pressed far is stiffer"),
    cd.Claim("foam of 1.5 MPa: acceleration over time beside the change of speed of the head", 1.0, lambda o: of(o, "area"),
             kind="property", tolerance=3e-4, origin="∫ a dt = Δv"),
    cd.Claim("foam of 1.5 MPa: impulse on the anvil over the change of momentum", 1.0, lambda o: of(o, "impulse"),
             kind="property", tolerance=1e-3, origin="balance of momentum, gravity left out"),
    cd.Claim("foam of 1.5 MPa: energy lost over that of the fall", "little", lambda o: of(o, "lost"), kind="property",
             tolerance=0.01, origin="elastic foam; nodes stop on the anvil"),
    cd.Claim("foam of 1.5 MPa: gain of energy in a step over that of the fall", "none", lambda o: of(o, "gain"),
             kind="property", tolerance=1e-3, origin="generalized-α, to its order"),
    cd.Claim("foam of 1.5 MPa: HIC36 over HIC15", 1.0, lambda o: of(o, "hic36") / of(o, "hic"), kind="property",
             tolerance=1e-9, origin="the blow is over within 15 ms"),
    cd.Claim("peak acceleration of the stiffest foam over that of the softest", "more",
             lambda o: o["foams"][max(o["foams"])]["peak"] / o["foams"][min(o["foams"])]["peak"], kind="relation",
             tolerance=1.1, sense="above", full_only=True, origin="as long as the soft one has way left"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
