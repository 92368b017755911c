"""A hitch round a post: a knot that holds by friction, and runs out without it.

A rope goes once round a post and over its own tail, which it presses against the post; nothing else holds the tail. Its other
end is pulled. With friction the hitch holds, with little or none it runs out. A rope with one and a half turns, which do not
touch each other, is held by a force on its tail that is e^{μφ} times smaller, and slips with less.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd

PARAMETERS = {
    "post": cd.Parameter(0.05, "radius of the post", "m"),
    "rope": cd.Parameter(0.005, "radius of the rope", "m"),
    "axial": cd.Parameter(5e4, "force over strain of the rope", "N"),
    "bending": cd.Parameter(1e-3, "its moment over curvature", "N m²"),
    "line_density": cd.Parameter(0.1, "its mass per length", "kg/m"),
    "pull": cd.Parameter(50.0, "force on the hitch", "N"),
    "mass": cd.Parameter(1.0, "mass at the end that is pulled", "kg"),
    "friction": cd.Parameter((0.5, 0.1, 0.0), "coefficients of friction of the hitch: it holds, and runs out"),
    "dt": cd.Parameter(0.005, "time step of the hitch that holds and of the round turn", "s"),
    "fine": cd.Parameter(0.001, "time step of those that run out", "s"),
    "hold": cd.Parameter(0.15, "time that the hitch holds", "s"),
    "fall": cd.Parameter(0.03, "time in which it runs out", "s"),
    "light": cd.Parameter(20.0, "force on the tail of the round turn", "N"),
    "mu": cd.Parameter(0.15, "coefficient of friction of the round turn"),
    "heavy": cd.Parameter(8.0, "mass at each of its ends", "kg"),
    "end": cd.Parameter(0.2, "time simulated of it", "s"),
}
QUICK = {"hold": 0.0, "end": 0.15}
INPUTS = ("light", "mu")
RAMP = 0.02, 0.05  # times in which the hitch is loaded that runs out, and that holds [s]
HELD, SLIPS = 0.9, 1.25  # of e^{μφ}
WINDOW = 0.05, 0.15  # [s] in which the slipping round turn is looked at
PIECE = 0.3  # of an element on the post [rad]
TAIL, OVER, WIDTH, SLOPE = (
    -0.7,
    2.0 * np.pi + 0.9,
    0.75,
    0.04,
)  # the hitch: its angles [rad], how far its ends are aside [m]
TURNS, PITCH = 3.0 * np.pi, 2.4  # the round turn: its angle [rad], way along the post in a turn [radii of the rope]
LEG, END = 0.12, 0.03  # lengths of the rope that is pulled and of the tail [m]
METHOD = cd.Nonsmooth(geometric=True)


def hitch_curve(p: cd.Parameters, angle: NDArray[np.float64]) -> NDArray[np.float64]:
    """Once round and over the tail: the rope rises by its diameter where it crosses itself."""
    near = np.clip((angle - 2.0 * np.pi) / WIDTH, -1.0, 1.0)
    radius = p.post + p.rope * (1.0 + 1.03 * (1.0 + np.cos(np.pi * near)))
    return np.stack((radius * np.cos(angle), SLOPE * np.sin(0.5 * angle), radius * np.sin(angle)), axis=-1)


def turn_curve(p: cd.Parameters, angle: NDArray[np.float64]) -> NDArray[np.float64]:
    """A helix whose turns do not touch each other."""
    radius, along = p.post + p.rope, PITCH * p.rope * angle / (2.0 * np.pi)
    return np.stack((radius * np.cos(angle), along, radius * np.sin(angle)), axis=-1)


def rope_line(p: cd.Parameters, curve: Any, first: float, last: float) -> tuple[Any, Any]:
    """Points and tangents of a rope on the post between two angles, with straight legs."""
    angle = np.linspace(first, last, round((last - first) / PIECE) + 1)
    along = curve(p, angle + 1e-5) - curve(p, angle - 1e-5)
    along /= np.linalg.norm(along, axis=1)[:, None]
    on = curve(p, angle)
    leg = np.linspace(0.0, LEG, 6)[1:, None] * along[-1]
    line = np.vstack((on[0] - END * along[0], on, on[-1] + leg))
    tangents = np.vstack((along[0], along, np.repeat(along[-1:], len(leg), axis=0)))
    return line, tangents


def on_post(p: cd.Parameters, curve: Any, angles: tuple[float, float], friction: float) -> tuple[cd.Model, Any, Any]:
    """The rope on the post; with points and tangents of it."""
    model = cd.Model("hitch", dimension=3)
    line, tangents = rope_line(p, curve, *angles)
    section = cd.Rope(p.axial, p.bending, p.line_density, diameter=2.0 * p.rope, damping=0.02)
    rope = model.add(cd.Cable("rope", line, 1, section, tangents=tangents))
    on: dict[str, Any] = {"friction": friction, "per_patch": 2, "margin": 0.04 * p.rope, "overlap": "resolve"}
    round_post = cd.Cylinder(p.post, (0.0, 1.0, 0.0))
    model.add(cd.PatchContact("post", rope, model.ground, round_post, longest=4.0 * p.rope, **on))
    model.add(cd.PatchContact("crossing", rope, rope, apart=2.0 * p.post, **on))
    return model, line, tangents


def load(
    model: cd.Model, end: str, mass: float, place: NDArray[np.float64], force: NDArray[np.float64], ramp: float
) -> None:
    """A mass [kg] at an end of the rope, and a force [N] on it, within a time [s]."""
    model.add(cd.PointMass(f"mass at {end}", mass, position=place))
    model.add(cd.Spherical(f"tied at {end}", cd.Point("rope", end), cd.Point(f"mass at {end}")))
    scale = cd.Ramp(0.0, ramp, 0.0, 1.0) if ramp else 1.0
    model.add(cd.Load(f"force at {end}", cd.Point("rope", end), tuple(force), scale=scale))


def hitch(p: cd.Parameters, friction: float, ramp: float) -> tuple[cd.Model, Any]:
    """The hitch with its free tail, loaded within a time [s], and the direction in which it is pulled."""
    model, line, tangents = on_post(p, hitch_curve, (TAIL, OVER), friction)
    load(model, "end", p.mass, line[-1], p.pull * tangents[-1], ramp)
    return model, tangents[-1]


def round_turn(p: cd.Parameters, share: float) -> tuple[cd.Model, Any]:
    """One and a half turns, pulled with a share of e^{0.15 φ} times the force on the tail."""
    model, line, tangents = on_post(p, turn_curve, (0.0, TURNS), p.mu)
    load(model, "start", p.heavy, line[0], -p.light * tangents[0], 0.0)
    load(model, "end", p.heavy, line[-1], share * np.exp(0.15 * TURNS) * p.light * tangents[-1], 0.0)
    return model, tangents[-1]


def read(result: cd.Result, along: NDArray[np.float64], dt: float) -> cd.Outcome:
    """What the claims and figures ask of a run."""
    post = result.contact("post")
    margins = [result.contact(name).line.margin[1:] for name in ("post", "crossing")]
    tail = result.position(cd.Point("rope", "start"))
    return {
        "times": result.times, "speed": result.velocity("mass at end") @ along,
        "way": (result.position("mass at end") - result.position("mass at end")[0]) @ along,
        "tail": np.linalg.norm(tail - tail[0], axis=1), "on post": -post.force.sum(axis=1) @ along,
        "friction": np.abs(np.nansum(post.line.axial, axis=1)) / dt,
        "crossing": np.nansum(result.contact("crossing").line.normal, axis=1) / dt,
        "outside": max(float(-np.nanmin(m)) if np.isfinite(m).any() else 0.0 for m in margins),
        "unsolved": result.unsolved_steps,
    }  # fmt: skip


def tension_ratio(p: cd.Parameters, own: cd.Outcome) -> float:
    """Of the rope on both sides of the post, while it slips: 1 + friction/tension of the tail, in the mean."""
    early = (own["times"] > WINDOW[0]) & (own["times"] <= WINDOW[1])
    pace = np.polyfit(own["times"][early], own["speed"][early], 1)[0]
    return float(1.0 + own["friction"][early].mean() / (p.light + p.heavy * pace))


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """The round turn held and slipping, the hitch without and with little friction, the hitch that holds."""
    found: cd.Outcome = {"hitch": {}}
    holds, *runs_out = p.friction
    for name, share in (("held", HELD), ("slips", SLIPS)):
        model, along = round_turn(p, share)
        found[name] = read(cd.simulate(model, end=p.end, dt=p.dt, integrator=METHOD), along, p.dt)
        found[name]["ratio"] = tension_ratio(p, found[name])
        yield found
    for mu in runs_out:
        model, along = hitch(p, mu, RAMP[0])
        result = context.simulate(f"hitch, μ = {mu:g}", model, end=p.fall, dt=p.fine, integrator=METHOD)
        found["hitch"][mu] = read(result, along, p.fine)
    yield found
    if p.hold:
        model, along = hitch(p, holds, RAMP[1])
        result = context.simulate("hitch that holds", model, end=p.hold, dt=p.dt, integrator=METHOD)
        found["holds"] = read(result, along, p.dt)
        yield found


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """How far the end has come: of the hitch with each friction, and of the round turn."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 3.4), layout="constrained")
    left, right = figure.subplots(1, 2)
    runs = {f"μ = {mu:g}": own for mu, own in outcome["hitch"].items()}
    if "holds" in outcome:
        runs[f"μ = {p.friction[0]:g}"] = outcome["holds"]
    for label, own in runs.items():
        left.plot(own["times"], 1e3 * own["way"], lw=1.2, label=label)
    left.set(xlabel="time (s)", ylabel="way of the end (mm)", title="hitch with a free tail")
    for name, share in (("held", HELD), ("slips", SLIPS)):
        own = outcome[name]
        right.plot(own["times"], 1e3 * own["way"], lw=1.2, label=f"{share:g} e$^{{μφ}}$")
    right.set(xlabel="time (s)", ylabel="way of the end (mm)", title="round turn")
    for ax in (left, right):
        ax.legend(fontsize="x-small")
    return {"hitch": figure}


def _late(own: cd.Outcome, name: str) -> float:
    """The largest value over the last quarter of a run."""
    return float(np.abs(own[name][-len(own[name]) // 4 :]).max())


def _runs(outcome: cd.Outcome) -> list[cd.Outcome]:
    """What was read of all runs."""
    return [*outcome["hitch"].values(), *(outcome[name] for name in ("held", "slips", "holds") if name in outcome)]


CLAIMS = [
    cd.Claim("hitch without friction: speed over that of the free masses, 0.03 s", (0.8, 1.02),
             lambda o: float(o["hitch"][0.0]["speed"][-1]) / (50.0 * 0.02 / 1.05), kind="closed form",
             origin="F t/(m + rope): nothing holds it but the inertia of what runs round the post"),
    cd.Claim("hitch with little friction: speed over that without", (0.9, 0.999),
             lambda o: float(o["hitch"][0.1]["speed"][-1] / o["hitch"][0.0]["speed"][-1]), kind="property",
             origin="it runs out too, a little slower"),
    cd.Claim("hitch with friction: speed at the end", "it holds", lambda o: _late(o["holds"], "speed"), unit="m/s",
             tolerance=1e-3, kind="property", origin="the rope presses its tail against the post; free it would have 6 m/s",
             full_only=True),
    cd.Claim("hitch with friction: way of the end", (0.0, 0.005), lambda o: _late(o["holds"], "way"), unit="m",
             kind="property", origin="what it takes to draw tight", full_only=True),
    cd.Claim("hitch with friction: force on the post along the pull", 50.0, lambda o: float(o["holds"]["on post"][-1]),
             unit="N", tolerance=0.5, kind="closed form", origin="balance; the rope still draws tight",
             full_only=True),
    cd.Claim("hitch with friction: force with which the rope presses its tail", (25.0, 60.0),
             lambda o: float(o["holds"]["crossing"][-1]), unit="N", kind="property",
             origin="what friction on both of its sides, μ = 0.5, needs to hold the tail", full_only=True),
    cd.Claim("round turn, held: friction of the post", 54.0, lambda o: float(o["held"]["friction"][-1]), unit="N",
             tolerance=0.5, kind="closed form", origin="the difference of both forces, 0.9 e^{μφ} − 1 times the smaller one"),
    cd.Claim("round turn, held: speed at the end", "held", lambda o: _late(o["held"], "speed"), unit="m/s", tolerance=2e-3,
             kind="closed form", origin="below e^{μφ} a rope is held"),
    cd.Claim("round turn, slips: tension of one side over that of the other", 4.111, lambda o: o["slips"]["ratio"],
             tolerance=0.2, kind="closed form", origin="e^{μφ}, one and a half turns"),
    cd.Claim("round turn, slips: speed at the end", (0.02, 1.0), lambda o: float(o["slips"]["speed"][-1]), unit="m/s",
             kind="closed form", origin="above e^{μφ} it slips"),
    cd.Claim("round turn: force of the rope on itself", "none",
             lambda o: max(float(o[k]["crossing"].max()) for k in ("held", "slips")), unit="N", tolerance=0,
             kind="property", origin="its turns do not touch"),
    cd.Claim("all: friction outside its cone", "inside",
             lambda o: max(own["outside"] for own in _runs(o)), unit="N s", tolerance=1e-7,
             kind="property", origin="Coulomb's law"),
    cd.Claim("all: steps that were not solved", "none",
             lambda o: float(sum(own["unsolved"] for own in _runs(o))), tolerance=0,
             kind="property", origin="tolerance of the method"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
