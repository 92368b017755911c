"""A rigid cylinder falls on a half space without mass and bounces (App. B.4.1 b).

Hovey's dynamic test of the contact element: the cylinder of B.4.1 a falls through 1 cm on the same mesh and bounces for
0.5 s in steps of 1 ms with damped Newmark (β = 0.3025, γ = 0.6). Whether the mass is that of the half or of the whole
model is not said: both are run. The half space has no mass: it is quasi-static.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import condyle as cd
from condyle.studies.hovey_hertz import CM, MESH, half_model

B41B = "appendix B.4.1 b"

PARAMETERS = {
    **MESH,
    "mass": cd.Parameter(5.10e-3, "mass of the cylinder (5.10e-4 dN s²/cm)", "kg"),
    "gap": cd.Parameter(1.0 * CM, "height of the fall", "m"),
    "dt": cd.Parameter(0.001, "time step", "s"),
    "steps": cd.Parameter(500, "number of steps"),
    "beta": cd.Parameter(0.3025, "Newmark's β"),
    "gamma": cd.Parameter(0.6, "Newmark's γ"),
}
QUICK = {"cells": (10, 9), "steps": 60}
INPUTS = ("mass", "gap")


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """The mass as that of the half model, and as that of the whole cylinder, of which the half model carries half."""
    yield {"weight": p.mass * 9.81}
    for reading, mass in (("half", p.mass), ("whole", 0.5 * p.mass)):
        m = half_model(p, "Hermite", mass, p.gap)
        method = cd.Newmark(beta=p.beta, gamma=p.gamma)
        result = context.simulate(reading, m, end=p.dt * p.steps, dt=p.dt, integrator=method)
        height = result.position("cylinder")[:, 1] - p.cylinder_radius
        contact = result.contact("contact")
        closed = np.asarray(contact.active.any(axis=1))
        top = np.flatnonzero((height[1:-1] > height[:-2]) & (height[1:-1] >= height[2:])) + 1
        hits = np.flatnonzero(closed[1:] & ~closed[:-1]) + 1
        iterations = result.iterations[-(len(closed) - 1) :]
        energy = result.energy["total"]
        # Neither the steps in which it comes down nor that in which the half space springs back are steps in flight.
        away = ~closed & ~np.append(closed[1:], False) & ~np.append(False, closed[:-1])
        fall = {
            "times": result.times, "height": height, "pressure": contact.pressure.max(axis=1),
            "peaks": height[top], "first hit": float(result.times[hits[0]]),
            "deepest": float(height.min()), "speed": float(np.abs(result.velocity("cylinder")[:, 1]).max()),
            "flight": int(iterations[away[1:]].max()), "contact": int(iterations[closed[1:]].max()),
            "cuts": int(np.sum(result.cuts)),
            "gain": float(energy.max() / energy[0] - 1.0),
            "force": contact.resultant[:, 1],
        }  # fmt: skip
        yield {reading: fall}


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Height and largest pressure over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.2, 4.6))
    top, bottom = figure.subplots(2, 1, sharex=True)
    for reading in ("half", "whole"):
        o = outcome[reading]
        top.plot(o["times"], o["height"] / CM, label=f"mass of the {reading} model")
        bottom.plot(o["times"], o["pressure"], linewidth=0.9)
    top.set(ylabel="height (cm)")
    top.legend()
    bottom.set(xlabel="time (s)", ylabel="largest pressure (Pa)")
    return {"fall": figure}


def fall_claims(r: str) -> list[cd.Claim]:
    """What is claimed of one reading of the mass."""
    mass = f"mass of the {r} model"
    return [
        cd.Claim(f"{mass}: iterations in contact", (1.0, 9.0), lambda o: float(o[r]["contact"]), kind="published",
                 origin=B41B + ": up to nine"),
        cd.Claim(f"{mass}: iterations in flight", "at most 2", lambda o: float(o[r]["flight"]), tolerance=2,
                 kind="published", origin=B41B + ": only two are required"),
        cd.Claim(f"{mass}: steps that had to be cut", "none", lambda o: float(o[r]["cuts"]), tolerance=0, kind="property",
                 origin="contact decided in each iteration"),
        cd.Claim(f"{mass}: end of the step of the first hit", (0.04515, 0.0462), lambda o: o[r]["first hit"], unit="s",
                 kind="closed form", origin="free fall, √(2 gap / g) = 0.04515 s, and one step"),
        cd.Claim(f"{mass}: largest speed of the fall", 0.4429, lambda o: o[r]["speed"], unit="m/s", tolerance=0.005,
                 kind="closed form", origin="free fall, √(2 gap g); half a step is 0.005"),
        cd.Claim(f"{mass}: each rebound over the one before", "lower, by numerical damping",
                 lambda o: float((o[r]["peaks"][1:] / o[r]["peaks"][:-1]).max(initial=0.0)), tolerance=1.0,
                 kind="published", origin=B41B + ", figure B.9", full_only=True),
        cd.Claim(f"{mass}: first rebound over the gap", (0.8, 1.0), lambda o: float(o[r]["peaks"][0] / CM),
                 kind="published", origin=B41B + ", figure B.9: attenuated", full_only=True),
        cd.Claim(f"{mass}: gain of energy", "none", lambda o: o[r]["gain"], tolerance=1e-9,
                 kind="property", origin="contact must not pump energy"),
    ]  # fmt: skip


CLAIMS = [
    cd.Claim("weight of the mass 5.10e-4 dN s²/cm", 5.0031e-2, lambda o: o["weight"], unit="N", tolerance=5e-7,
             kind="published", origin=B41B + "; printed in dN, which it is not"),
    *fall_claims("half"),
    *fall_claims("whole"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="hovey-2000")
