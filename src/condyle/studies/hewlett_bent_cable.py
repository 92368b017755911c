"""A bent cable that springs back on a flat plane, by five models of friction.

A cable lies bent on a plane and is let go: it springs back until friction holds it, still bent. Friction acts along the
cable and across it, so that it shows which model keeps to the cone, which exceeds it, and which never holds.
"""

from __future__ import annotations

from typing import Literal

import numpy as np

import condyle as cd
from condyle.studies.hewlett_cylinders import method
from condyle.studies.hewlett_friction import MODELS

PARAMETERS = {
    "length": cd.Parameter(10.0, "span of the cable", "m"),
    "rise": cd.Parameter(0.33, "rise of its first shape, half a sine (not published)", "m"),
    "radius": cd.Parameter(0.1, "radius of the cable", "m"),
    "young": cd.Parameter(5e9, "Young's modulus", "Pa"),
    "density": cd.Parameter(7750.0, "density", "kg/m³"),
    "mu": cd.Parameter(0.25, "coefficient of friction"),
    "gravity": cd.Parameter(9.81, "acceleration of gravity", "m/s²"),
    "compliance": cd.Parameter(1e-8, "compliance of contact of the box and of penalties", "m²/N"),
    "creep": cd.Parameter(1.75, "slip at which regularised friction is full", "m/s"),
    "points": cd.Parameter(9, "contact points (not published; as many as fit its problems)"),
    "dt": cd.Parameter(0.01, "time step", "s"),
    "end": cd.Parameter(2.0, "time simulated", "s"),
    "models": cd.Parameter(5, "how many of the models"),
}
QUICK = {"end": 0.2, "models": 2}
INPUTS = ("density", "gravity", "radius")

RESTS = 0.02  # [m/s] below which a cable has stopped
ELEMENTS = 5


def cable_model(p: cd.Parameters) -> cd.Model:
    """A cable on a plane, bent from straight to half a sine."""
    model = cd.Model("bent", dimension=3, gravity=(0.0, 0.0, -p.gravity))
    x = np.linspace(0.0, p.length, ELEMENTS + 1)
    angle = np.pi * x / p.length
    line = np.stack((x, p.rise * np.sin(angle), 0.0 * x), axis=1)
    tangents = np.stack((1.0 + 0.0 * x, p.rise * np.pi / p.length * np.cos(angle), 0.0 * x), axis=1)
    section = cd.RoundSection(p.radius, cd.StVenantKirchhoff(p.young, 0.0, p.density))
    cable = model.add(cd.Cable("cable", line, 1, section, tangents=tangents, rest="straight", points=7))
    plane = cd.Plane((0.0, 0.0, 1.0))
    model.add(
        cd.PatchContact(
            "plane", cable, model.ground, plane, friction=p.mu, per_patch=p.points, longest=2.0 * p.length, radius=0.0,
            margin=1e-3,
        )
    )  # fmt: skip
    return model


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """Every model: when it stops, what friction does, how even both sides are."""
    found: cd.Outcome = {
        key: {} for key in ("slip", "ratio", "outside", "shape", "press", "transverse", "uneven", "map")
    }
    for name in list(MODELS)[: p.models]:
        result = cd.simulate(cable_model(p), end=p.end, dt=p.dt, integrator=method(p, name))
        line = result.contact("plane").line
        across = line.density("transverse")[1:, : p.points]
        rub = np.hypot(line.axial, line.transverse)[1:]
        press = line.normal[1:]
        firm = np.nan_to_num(press) > 1e-3 * np.nanmax(press)
        found["slip"][name] = np.nan_to_num(np.nanmax(line.slip, axis=1))
        found["ratio"][name] = float((rub[firm] / (p.mu * press[firm])).max())
        found["shape"][name] = result.position(cd.Point("cable", 2))[:, 1]
        found["press"][name] = float(np.nansum(line.normal[-1]) / np.nansum(line.weights[-1]))
        found["transverse"][name] = across
        found["uneven"][name] = float(np.nanmax(np.abs(across - across[:, ::-1])) / np.nanmax(np.abs(across)))
        places = np.linspace(0.0, p.length, 200)
        found["map"][name] = (places, line.over_length(line.density("transverse"), places))
        found["times"] = result.times
    return found


def stopped(outcome: cd.Outcome, name: str) -> float:
    """When the fastest point has come to rest for good [s]."""
    moving = np.flatnonzero(outcome["slip"][name] > RESTS)
    return float(outcome["times"][moving[-1]])


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Friction across the cable over length and time, and the largest slip."""
    from matplotlib.figure import Figure

    names = list(outcome["map"])
    figure = Figure(figsize=(9.0, 1.3 * len(names) + 2.6), layout="constrained")
    axes = figure.subplots(len(names) + 1, 1, height_ratios=[1.0] * len(names) + [2.0], sharex=True)
    for k, (ax, name) in enumerate(zip(axes, names, strict=False)):
        places, shown = outcome["map"][name]
        drawn = ax.pcolormesh(
            outcome["times"], places, shown.T, cmap="RdBu_r", vmin=-8.0, vmax=8.0, shading="nearest", rasterized=True
        )
        ax.set(ylabel=MODELS[name])
        axes[-1].semilogy(
            outcome["times"], np.maximum(outcome["slip"][name], 1e-12), color=f"C{k}", label=MODELS[name], lw=1.2
        )
    figure.colorbar(drawn, ax=list(axes[:-1]), label="transverse impulse (N s/m)", extend="both")
    axes[-1].set(xlabel="time (s)", ylabel="largest slip (m/s)")
    axes[-1].legend(fontsize="x-small", ncols=2)
    return {"bent-cable": figure}


SECTION = "Hewlett 2020, section 6.6.4"


def _stops(name: str) -> cd.Claim:
    return cd.Claim(f"{MODELS[name]}: stops", 0.7, lambda o: stopped(o, name), unit="s", tolerance=0.08, full_only=True,
                    kind="property" if name == "cone" else "published", origin=f"{SECTION}: at about 0.7 s")  # fmt: skip


def _within(name: str) -> cd.Claim:
    return cd.Claim(f"{MODELS[name]}: friction over its bound", 1.0, lambda o: o["ratio"][name], tolerance=1e-6,
                    kind="property" if name == "cone" else "published", full_only=name != "cone",
                    origin="Coulomb's law" if name == "cone" else f"{SECTION}: never outside the cone")  # fmt: skip


def _symmetric(name: str, kind: Literal["published", "property"], origin: str) -> cd.Claim:
    return cd.Claim(f"{MODELS[name]}: difference of both halves of the cable", "symmetric", lambda o: o["uneven"][name],
                    tolerance=1e-4, kind=kind, full_only=kind == "published", origin=origin)  # fmt: skip


CLAIMS = [
    *(_stops(name) for name in ("cone", "box", "polyhedral", "prox")),
    *(_within(name) for name in ("cone", "polyhedral", "prox")),
    cd.Claim("exact cone: impulse across the plane per length", 23.885, lambda o: o["press"]["cone"], unit="N s/m",
             tolerance=5e-3, kind="closed form", origin="h ρ A g"),
    cd.Claim("exact cone: slip at the end", "sticks", lambda o: float(o["slip"]["cone"][-1]), unit="m/s", tolerance=1e-9,
             kind="property", full_only=True, origin="what friction holds does not move"),
    cd.Claim("box: friction over its bound", 1.4142, lambda o: o["ratio"]["box"], tolerance=2e-4, kind="published",
             origin=f"{SECTION}: up to √2, in the corner of the box"),
    cd.Claim("box: slip at the end", (1e-5, 1e-2), lambda o: float(o["slip"]["box"][-1]), unit="m/s", kind="property",
             full_only=True, origin="what is left of sticking, compliance × friction per length / step"),
    cd.Claim("penalty: slip at the end", (0.02, 2.0), lambda o: float(o["slip"]["penalty"][-1]), unit="m/s",
             kind="published", full_only=True, origin=f"{SECTION}: creeps back towards straight"),
    cd.Claim("penalty: friction over its bound", 1.0, lambda o: o["ratio"]["penalty"], tolerance=1e-3, kind="published",
             full_only=True, origin=f"{SECTION}: never outside the cone",
             differs=cd.Differs("its friction is bounded by the depth as the step begins, and is measured by the impulse of "
                                "the step", 1.5, 6.0)),
    *(_symmetric(name, "property", "a symmetric start") for name in ("cone", "box")),
    *(_symmetric(name, "published", f"{SECTION}: symmetric") for name in ("penalty", "prox")),
    cd.Claim("cone with facets: difference of both halves of the cable", (0.05, 2.0), lambda o: o["uneven"]["polyhedral"],
             kind="published", full_only=True, origin=f"{SECTION}: asymmetric throughout",
             differs=cd.Differs("Lemke's method with the lexicographic rule treats both sides alike", 0.0, 1e-3)),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="hewlett-2020")
