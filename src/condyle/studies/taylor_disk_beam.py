"""Circular disk with a flexible beam in free flight.

A rigid disk of radius 3 carries a thin beam of length 10, both set in free motion by the couple of section 7.1. The
beam is the rotation-free rod, clamped to the disk by elimination; the energy–momentum scheme keeps angular momentum and
total energy while the beam swings by most of its length. The paper prints no numbers for this example and neither the
mesh nor the triangle; 20 elements and corners at the centre, the attachment and the top of the disk are inferred.

Taylor 2000, section 7.2: a rigid disk that carries a thin flexible beam, flying freely.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd
from condyle.studies.taylor_block import FREE, PULSE, with_times

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PARAMETERS = {
    "radius": cd.Parameter(3.0, "radius of the disk"),
    "disk_density": cd.Parameter(0.2, "mass per area of the disk"),
    "length": cd.Parameter(10.0, "length of the beam"),
    "depth": cd.Parameter(0.1, "depth of the beam"),
    "beam_density": cd.Parameter(2.0, "mass per area of the beam"),
    "young": cd.Parameter(100_000.0, "Young's modulus of the beam; Poisson's ratio is 0"),
    "elements": cd.Parameter(20, "elements of the beam (inferred; 5 to 40 give the same picture)"),
    "force": cd.Parameter(4.0, "largest force at corners 1 (to the right) and 3 (to the left)"),
    "dt": cd.Parameter(0.5, "time step"),
    "end": cd.Parameter(100.0, "time simulated (inferred)"),
    "fine_dt": cd.Parameter(0.125, "step of the run for comparison; 0: none"),
}
QUICK = {"fine_dt": 0.0}
INPUTS = ("radius", "disk_density", "length", "depth", "beam_density", "young", "force")


def disk_beam(p: cd.Parameters, gravity: tuple[float, float] | None = None) -> cd.Model:
    """Disk on a master triangle (centre, attachment, top), beam clamped to its right, pushed at corners 1 and 3."""
    R = p.radius
    model = cd.Model("disk with beam", dimension=2, gravity=gravity)
    corners = {"1": (0.0, 0.0), "2": (R, 0.0), "3": (0.0, R)}
    disk = model.add(cd.RigidSimplex.disk("disk", R, p.disk_density, corners=corners))
    beam = model.add(_beam(p, R))
    model.add(cd.Tie("clamp", beam, "start", disk))
    model.add(cd.Load("push at 1", disk.point("1"), (p.force, 0.0), PULSE))
    model.add(cd.Load("push at 3", disk.point("3"), (-p.force, 0.0), PULSE))
    return model


def _beam(p: cd.Parameters, start: float, **motion: Any) -> cd.Rod:
    material = cd.StVenantKirchhoff(p.young, poisson=0.0, density=p.beam_density)
    return cd.Rod("beam", [(start, 0.0), (start + p.length, 0.0)], p.elements, p.depth, material, **motion)


def _cantilever(p: cd.Parameters, **motion: Any) -> cd.Model:
    model = cd.Model("cantilever", dimension=2)
    beam = model.add(_beam(p, 0.0, **motion))
    model.add(cd.Tie("clamp", beam, "start", "ground"))
    return model


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """The free flight, once with the master triangle as unknowns and once with directors; the beam alone; a finer step."""
    model = disk_beam(p)
    result = context.simulate("flight", model, end=p.end, dt=p.dt, formulation="rows")
    outcome = _flight(result, p)
    other = context.simulate("flight-directors", model, end=p.end, dt=p.dt)
    outcome["difference"] = float(np.abs(other.position("beam.end") - result.position("beam.end")).max())
    disk = model["disk"]
    outcome |= {"disk mass": disk.mass, "disk inertia": float(np.trace(disk.second_moment))}
    total, outcome["centre of mass"] = _weigh(p, context)
    outcome["beam mass"] = total - disk.mass
    outcome["stiffness"] = _bending_stiffness(p)
    outcome["frequency"] = _first_frequency(p, context)
    if p.fine_dt > 0.0:
        fine = context.simulate("flight-fine", model, end=p.end, dt=p.fine_dt, formulation="rows")
        outcome["fine"] = _flight(fine, p)
    return outcome


def _flight(result: cd.Result, p: cd.Parameters) -> cd.Outcome:
    """Histories of one run."""
    corners = {name: result.position(f"disk.{name}") for name in "123"}
    axes = [(corners[name] - corners["1"]) / p.radius for name in "23"]
    tip = result.position("beam.end") - corners["2"]
    return {
        "t": result.times,
        "J": result.angular_momentum[:, 2],
        "P": result.linear_momentum,
        "energy": result.energy,
        "iterations": result.iterations,
        "corners": corners,
        "angle": result.angle("disk"),
        "deflection": np.sum(tip * axes[1], axis=1) / p.length,
        "beam": np.stack([result.position(f"beam.{k}") for k in range(p.elements + 1)], axis=1),
        "orbit": np.linalg.norm(corners["1"] - _mass_centre(p), axis=1),
    }


def _mass_centre(p: cd.Parameters) -> NDArray[np.float64]:
    disk, beam = np.pi * p.radius**2 * p.disk_density, p.beam_density * p.depth * p.length
    return np.array([beam * (p.radius + 0.5 * p.length) / (disk + beam), 0.0])


def _weigh(p: cd.Parameters, context: cd.Context) -> tuple[float, float]:
    """Mass and place of its centre along x: momentum gained in unit time, and energy, in a unit field towards −x."""
    result = context.simulate("weighing", disk_beam(p, gravity=(-1.0, 0.0)), end=1.0, dt=1.0)
    mass = -float(result.linear_momentum[-1, 0])
    return mass, float(result.energy["gravity"][0]) / mass


def _bending_stiffness(p: cd.Parameters) -> float:
    """EI = P L³ / 3 δ from a small load P at the tip of the clamped beam."""
    load = 1e-3
    model = _cantilever(p)
    model.add(cd.Load("tip", "beam.end", (0.0, load)))
    deflection = cd.solve_static(model, steps=1).displacement("beam.end")[-1, 1]
    return float(load * p.length**3 / (3.0 * deflection))


def _first_frequency(p: cd.Parameters, context: cd.Context) -> float:
    """Angular frequency of the clamped beam, from zero crossings of its motion's part in the first mode."""
    expected = 1.8751**2 * np.sqrt(p.young * p.depth**2 / 12.0 / (p.beam_density * p.length**4))
    dt = 0.05 / expected
    result = context.simulate("cantilever", _cantilever(p, angular_velocity=0.01), end=25.0 / expected, dt=dt)
    k, s = 1.8751040687 / p.length, np.linspace(0.0, p.length, p.elements + 1)
    ratio = (np.cosh(k * p.length) + np.cos(k * p.length)) / (np.sinh(k * p.length) + np.sin(k * p.length))
    mode = np.cosh(k * s) - np.cos(k * s) - ratio * (np.sinh(k * s) - np.sin(k * s))
    height = np.stack([result.position(f"beam.{a}")[:, 1] for a in range(p.elements + 1)], axis=1)
    share = height @ mode
    at = np.flatnonzero(share[1:-1] * share[2:] < 0.0) + 1
    zero = result.times[at] + dt * share[at] / (share[at] - share[at + 1])
    return float(np.pi * (len(zero) - 1) / (zero[-1] - zero[0]))


def free(history: cd.Outcome, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The part of a history without load."""
    return values[history["t"] >= FREE - 1e-9]


def spread(history: cd.Outcome, values: NDArray[np.float64]) -> float:
    """Largest deviation from the value at t = 4, relative to it."""
    kept = free(history, values)
    return float(np.abs(kept / kept[0] - 1.0).max())


def half_range(history: cd.Outcome, values: NDArray[np.float64]) -> float:
    """Half the distance between the largest and the smallest value without load."""
    return float(0.5 * np.ptp(free(history, values)))


def two_turns(history: cd.Outcome) -> NDArray[np.bool_]:
    """Which times belong to the first two revolutions."""
    return history["angle"] <= 4.0 * np.pi


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Figures 12 to 15."""
    from matplotlib.figure import Figure

    t, energy = outcome["t"], outcome["energy"]
    balance = Figure(figsize=(5.6, 5.6))
    top, bottom = balance.subplots(2, 1, sharex=True)
    top.plot(t, outcome["J"])
    top.set(ylabel="angular momentum (–)", ylim=(0.0, 26.0))
    top.text(0.98, 0.72, "published: conserved in free motion (t ≥ 4)", ha="right", transform=top.transAxes)
    for name, line in (("total", "k-"), ("kinetic", "-"), ("stored", "--")):
        bottom.plot(t, energy[name], line, label=name)
    bottom.set(xlabel="time (–)", ylabel="energy (–)", xlim=(0.0, p.end), ylim=(0.0, 1.28 * energy["total"].max()))
    bottom.legend(loc="upper right", ncols=3)
    for panel in (top, bottom):
        panel.axvspan(0.0, FREE, color="0.92", zorder=0)
    top.text(FREE, 25.0, " load", color="0.4", fontsize="small", ha="left", va="top")

    motion = Figure(figsize=(5.6, 5.6))
    top, bottom = motion.subplots(2, 1, sharex=True)
    names = {"1": "1 (centre)", "2": "2 (attachment)", "3": "3 (top)"}
    for (name, label), line in zip(names.items(), ("-", "--", "-."), strict=True):
        top.plot(t, outcome["corners"][name][:, 1] - outcome["corners"][name][0, 1], line, label=f"corner {label}")
    top.set(ylabel="vertical displacement (–)", ylim=(-8.0, 4.5))
    top.legend(loc="upper left", ncols=3, fontsize="small", columnspacing=1.0)
    bottom.plot(t, outcome["orbit"], label="disk centre to centre of mass")
    bottom.axhline(outcome["centre of mass"], color="0.3", linestyle=":", label="the same with a rigid beam")
    bottom.set(xlabel="time (–)", ylabel="distance (–)", xlim=(0.0, p.end), ylim=(1.4, 2.15))
    bottom.legend(loc="lower left", ncols=2, fontsize="small")
    return {"disk_beam_balance": balance, "disk_beam_motion": motion, "disk_beam_shapes": _shapes(outcome, p)}


def _shapes(outcome: cd.Outcome, p: cd.Parameters) -> Figure:
    """The deformed states at twelve times of the first two revolutions."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Circle

    shapes = Figure(figsize=(6.6, 5.2))
    panels = shapes.subplots(3, 4, sharex=True, sharey=True)
    turns = np.flatnonzero(two_turns(outcome))
    chosen = turns[np.linspace(0, len(turns) - 1, panels.size).round().astype(int)]
    for panel, k in zip(panels.flat, chosen, strict=True):
        centre, rim = outcome["corners"]["1"][k], outcome["corners"]["2"][k]
        panel.plot(*outcome["beam"][: k + 1, -1].T, color="0.75", linewidth=0.7)
        panel.add_patch(Circle(centre, p.radius, facecolor="0.88", edgecolor="0.2", linewidth=0.9))
        panel.plot(*np.array([centre, rim]).T, color="0.2", linewidth=0.9)
        panel.plot(*outcome["beam"][k].T, linewidth=1.8)
        panel.plot(*_mass_centre(p), "k+", markersize=5)
        panel.set(aspect="equal", xlim=(-10.5, 14.5), ylim=(-12.5, 12.5), xticks=(-10, 0, 10), yticks=(-10, 0, 10))
    return with_times(shapes, outcome["t"][chosen])


SECTION = "Taylor 2000, section 7.2"

CLAIMS = [
    cd.Claim("disk mass", 5.6549, lambda o: o["disk mass"], tolerance=1e-4, kind="closed form", origin="0.2 π 3²"),
    cd.Claim("disk inertia", 25.447, lambda o: o["disk inertia"], tolerance=1e-3,
             kind="closed form", origin="½ m 3²"),
    cd.Claim("beam mass", 2.0, lambda o: o["beam mass"], tolerance=1e-6,
             kind="closed form", origin="2 · 10 · 0.1"),
    cd.Claim("bending stiffness from a tip load", 8.3333, lambda o: o["stiffness"], tolerance=0.02,
             kind="closed form", origin="E h³/12"),
    cd.Claim("first angular frequency of the clamped beam", 0.22695, lambda o: o["frequency"], tolerance=0.0008,
             unit="rad per time", kind="closed form", origin="3.5160 √(EI/ρA L⁴)"),
    cd.Claim("centre of mass right of the disk centre", 2.0902, lambda o: o["centre of mass"], tolerance=1e-4,
             kind="closed form", origin="2 · 8 / 7.6549"),
    cd.Claim("angular momentum", "constant for t ≥ 4", lambda o: spread(o, o["J"]), tolerance=1e-10,
             kind="published", origin=f"{SECTION}, figure 12: clearly conserved"),
    cd.Claim("angular momentum after the pulse", 22.52, lambda o: free(o, o["J"])[0], tolerance=0.12,
             kind="reference", origin="converged run, Δt = 1/32: 22.523 (24 without the turning of the arm)"),
    cd.Claim("total energy", "constant for t ≥ 4", lambda o: spread(o, o["energy"]["total"]), tolerance=1e-10,
             kind="published", origin=f"{SECTION}, figure 13: conserved during free motion"),
    cd.Claim("linear momentum", "zero: the loads are opposite", lambda o: np.abs(o["P"]).max(), tolerance=1e-9,
             kind="published", origin=f"{SECTION}: completely unrestrained, equal but opposite forces"),
    cd.Claim("largest stored energy over total energy", 0.518,
             lambda o: free(o, o["energy"]["stored"]).max() / free(o, o["energy"]["total"])[0], tolerance=0.015,
             kind="reference",
             origin="converged run, Δt = 1/32; figure 13 of the source shows both without a number in the text"),
    cd.Claim("smallest stored energy over total energy", "the exchange is nearly complete",
             lambda o: free(o, o["energy"]["stored"]).min() / free(o, o["energy"]["total"])[0], tolerance=0.02,
             kind="relation", origin="both energies come from the same run"),
    cd.Claim("half range of the disk centre's height", 2.071,
             lambda o: half_range(o, o["corners"]["1"][:, 1]), tolerance=0.01,
             kind="reference",
             origin="converged run, Δt = 1/32; figure 14 of the source shows it without a number in the text"),
    cd.Claim("half range of the centre's distance from the mass centre", "vibration moves the disk (rigid beam: 0)",
             lambda o: half_range(o, o["orbit"]), tolerance=0.2, sense="above",
             kind="published", origin=f"{SECTION}, figure 14: vibration of the beam causes an oscillation of the centre"),
    cd.Claim("largest deflection of the tip over length, two revolutions", "large oscillations",
             lambda o: np.abs(o["deflection"][two_turns(o)]).max(), tolerance=0.5, sense="above",
             kind="published", origin=f"{SECTION}, figure 15: large oscillations while rotating; the bound is ours"),
    cd.Claim("revolutions by t = 100", "at least two", lambda o: o["angle"][-1] / (2.0 * np.pi), tolerance=2.0,
             sense="above", kind="published", origin=f"{SECTION}, figure 15: the first two revolutions"),
    cd.Claim("mean Newton iterations", (1.0, 7.0), lambda o: o["iterations"].mean(),
             kind="property", origin="Newton's method; with a plain tangent up to 41 per step"),
    cd.Claim("most Newton iterations in a step", (1.0, 12.0), lambda o: o["iterations"].max(),
             kind="property", origin="Newton's method; with a plain tangent up to 41 per step"),
    cd.Claim("motion with directors instead of the triangle", "the same", lambda o: o["difference"], tolerance=1e-6,
             kind="relation", origin="the same rows in another basis"),
    cd.Claim("half range of the disk centre's height, change at Δt = 0.125", "small",
             lambda o: abs(half_range(o, o["corners"]["1"][:, 1]) - half_range(o["fine"], o["fine"]["corners"]["1"][:, 1])),
             tolerance=0.02, kind="property", origin="second order in Δt", full_only=True),
    cd.Claim("largest stored energy, change at Δt = 0.125", "small",
             lambda o: abs(free(o, o["energy"]["stored"]).max() / free(o["fine"], o["fine"]["energy"]["stored"]).max() - 1.0),
             tolerance=0.05, kind="property", origin="second order in Δt", full_only=True),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="taylor-2000")
