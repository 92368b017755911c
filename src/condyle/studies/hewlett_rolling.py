"""A round beam that rolls across a slope, by five models of friction.

A fully parameterised beam lies across an incline and rolls down. Its contact points are where its section faces the plane, and
friction turns it. Two models of the source hold velocities only, and sink through the plane; one is thrown up the slope.
"""

from __future__ import annotations

import numpy as np

import condyle as cd
from condyle.studies.hewlett_cylinders import method
from condyle.studies.hewlett_friction import MODELS

PARAMETERS = {
    "length": cd.Parameter(10.0, "length of the beam", "m"),
    "radius": cd.Parameter(0.1, "radius of the beam", "m"),
    "young": cd.Parameter(5e9, "Young's modulus", "Pa"),
    "density": cd.Parameter(7750.0, "density", "kg/m³"),
    "angle": cd.Parameter(30.0, "angle of the slope", "°"),
    "mu": cd.Parameter(1.0, "coefficient of friction"),
    "gravity": cd.Parameter(9.81, "acceleration of gravity", "m/s²"),
    "compliance": cd.Parameter(1e-8, "compliance of contact of the box and of penalties", "m²/N"),
    "creep": cd.Parameter(1.75, "slip at which regularised friction is full", "m/s"),
    "points": cd.Parameter(7, "contact points of a patch"),
    "dt": cd.Parameter(0.01, "time step", "s"),
    "fine": cd.Parameter(0.002, "a smaller time step, for the exact cone and the box", "s"),
    "end": cd.Parameter(2.5, "time simulated", "s"),
    "models": cd.Parameter(5, "how many of the models"),
}
QUICK = {"end": 0.1, "models": 2}
INPUTS = ("gravity", "angle", "density")


def beam_model(p: cd.Parameters) -> cd.Model:
    """A beam of one element across a slope, in whose axes gravity is inclined."""
    angle = np.radians(p.angle)
    model = cd.Model("rolling", dimension=3, gravity=(0.0, p.gravity * np.sin(angle), -p.gravity * np.cos(angle)))
    section = cd.RoundSection(p.radius, cd.StVenantKirchhoff(p.young, 0.0, p.density))
    line = [(0.0, 0.0, p.radius), (p.length, 0.0, p.radius)]
    beam = model.add(cd.AncfBeam("beam", line, 1, section, formulation="continuum", points=5))
    plane = cd.Plane((0.0, 0.0, 1.0))
    model.add(cd.PatchContact("slope", beam, model.ground, plane, friction=p.mu, per_patch=p.points))
    return model


def kept(p: cd.Parameters, name: str, dt: float) -> cd.Result:
    """One run; that of penalties ends if the beam is turned inside out."""
    try:
        return cd.simulate(beam_model(p), end=p.end, dt=dt, integrator=method(p, name))
    except cd.ConvergenceError as failure:
        assert failure.result is not None
        return failure.result


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """Every model at the step of the source, and two of them at a smaller one."""
    found: cd.Outcome = {key: {} for key in ("times", "speed", "height", "slip", "rub", "press", "transverse")}
    cases = [(name, p.dt) for name in list(MODELS)[: p.models]] + [(name, p.fine) for name in ("cone", "box")]
    for name, dt in cases:
        result, key = kept(p, name, dt), (name, "fine" if dt == p.fine else "source")
        middle = cd.Point("beam", (0.5 * p.length, 0.0, 0.0))
        line = result.contact("slope").line
        found["times"][key], found["speed"][key] = result.times, result.velocity(middle)[:, 1]
        found["height"][key] = result.position(middle)[:, 2]
        touching = np.isfinite(line.slip)
        found["slip"][key] = float(line.slip[1:][touching[1:]].max(initial=0.0))
        early = slice(1, max(2, int(0.1 / dt) + 1))
        found["rub"][key] = float(np.nanmean(np.nansum(-line.transverse[early], axis=1)) / dt / p.length)
        found["press"][key] = float(np.nanmean(np.nansum(line.normal[early], axis=1)) / dt / p.length)
        density = line.density("transverse")[early]
        found["transverse"][key] = float(np.nanmax(np.abs(density - np.nanmean(density)) / np.abs(np.nanmean(density))))
        found["theory"] = 2.0 / 3.0 * p.gravity * np.sin(np.radians(p.angle))
    return found


def last(outcome: cd.Outcome, name: str, steps: str = "source", what: str = "speed") -> float:
    """At the end of a run."""
    return float(outcome[what][name, steps][-1])


def early_speed(outcome: cd.Outcome, name: str) -> float:
    """After 0.1 s, at the smaller step [m/s]."""
    return float(np.interp(0.1, outcome["times"][name, "fine"], outcome["speed"][name, "fine"]))


def thrown(outcome: cd.Outcome) -> float:
    """When the beam with penalties is faster than one that rolls for 2.5 s could be [s]."""
    fast = np.abs(outcome["speed"]["penalty", "source"]) > 10.0
    return float(outcome["times"]["penalty", "source"][fast.argmax()]) if fast.any() else np.inf


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Speed down the slope and height of the axis."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 3.6), layout="constrained")
    speed, height = figure.subplots(1, 2)
    for k, (name, label) in enumerate(MODELS.items()):
        if (name, "source") in outcome["times"]:
            times = outcome["times"][name, "source"]
            speed.plot(times, outcome["speed"][name, "source"], color=f"C{k}", label=label, lw=1.2)
            height.plot(times, outcome["height"][name, "source"], color=f"C{k}", label=label, lw=1.2)
    times = outcome["times"]["cone", "fine"]
    speed.plot(times, outcome["theory"] * times, "k:", lw=1.2, label="2/3 g sin θ t")
    speed.set(xlabel="time (s)", ylabel="speed down the slope (m/s)", ylim=(-12.0, 12.0))
    height.set(xlabel="time (s)", ylabel="height of the axis (m)", ylim=(-3.0, 0.5))
    speed.legend(fontsize="x-small")
    return {"rolling": figure}


SECTION = "Hewlett 2020, section 6.6.3"
PRESS, RUB = 2068.5, 398.08  # ρ A g cos θ, ρ A g sin θ / 3 [N/m]


def _rolls(name: str) -> list[cd.Claim]:
    label, full = MODELS[name], True
    return [
        cd.Claim(f"{label}: speed after 2.5 s, at the smaller step", 8.175, lambda o: last(o, name, "fine"), unit="m/s",
                 tolerance=0.06, kind="closed form", origin="2/3 g sin θ t, as a cylinder that does not slip", full_only=full),
        cd.Claim(f"{label}: speed after 0.1 s", 0.327, lambda o: early_speed(o, name), unit="m/s",
                 tolerance=1.5e-3, kind="closed form", origin="2/3 g sin θ t"),
        cd.Claim(f"{label}: friction per length in the first 0.1 s", RUB, lambda o: o["rub"][name, "fine"], unit="N/m",
                 tolerance=2.0, kind="closed form", origin="ρ A g sin θ / 3"),
        cd.Claim(f"{label}: pressure per length in the first 0.1 s", PRESS, lambda o: o["press"][name, "fine"], unit="N/m",
                 tolerance=4.0, kind="closed form", origin="ρ A g cos θ"),
        cd.Claim(f"{label}: height of the axis at the end, at the step of the source", (0.098, 0.11),
                 lambda o: last(o, name, what="height"), unit="m", kind="published" if name == "box" else "property",
                 origin=f"{SECTION}: only the box does not sink" if name == "box" else "places are held"),
        cd.Claim(f"{label}: unevenness of the friction along the beam", "even", lambda o: o["transverse"][name, "source"],
                 tolerance=1e-2, kind="published" if name == "box" else "property",
                 origin=f"{SECTION}: constant transverse density" if name == "box" else "shared by length"),
    ]  # fmt: skip


CLAIMS = [
    *(claim for name in ("cone", "box") for claim in _rolls(name)),
    cd.Claim("exact cone: largest slip of a contact point, at the smaller step", "rolls", lambda o: o["slip"]["cone", "fine"],
             unit="m/s", tolerance=1e-6, kind="property", origin="below the angle of friction nothing slips"),
    cd.Claim("exact cone: speed after 2.5 s, at the step of the source", (7.5, 8.2), lambda o: last(o, "cone"), unit="m/s",
             kind="published", full_only=True, origin=f"{SECTION}: rolls; a large step lets its section grow"),
    cd.Claim("cone with facets: height of the axis at the end", (-10.0, -0.5), lambda o: last(o, "polyhedral", what="height"),
             unit="m", kind="published", full_only=True, origin=f"{SECTION}: drifts through the plane"),
    cd.Claim("projections: height of the axis at the end", (-10.0, -0.5), lambda o: last(o, "prox", what="height"),
             unit="m", kind="published", full_only=True, origin=f"{SECTION}: drifts through the plane"),
    cd.Claim("projections: unevenness of the friction along the beam", (0.02, 1.0), lambda o: o["transverse"]["prox", "source"],
             kind="published", full_only=True, origin=f"{SECTION}: uneven profiles"),
    cd.Claim("cone with facets: unevenness of the friction along the beam", (0.5, 20.0),
             lambda o: o["transverse"]["polyhedral", "source"], kind="published", full_only=True,
             origin=f"{SECTION}: uneven profiles"),
    cd.Claim("penalty: largest speed up the slope", (10.0, 1e300), lambda o: -float(o["speed"]["penalty", "source"].min()),
             unit="m/s", kind="published", full_only=True, origin=f"{SECTION}: shoots up the plane"),
    cd.Claim("penalty: time at which it is faster than 10 m/s", 0.46, thrown, unit="s", tolerance=0.02, kind="regression",
             full_only=True, origin="our own: friction of the slip as a step begins turns the section back and forth, ever "
             "faster, and throws the beam; when an element is turned inside out and ends the run is chance"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="hewlett-2020")
