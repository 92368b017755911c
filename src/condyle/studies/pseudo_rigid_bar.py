"""Pseudo-rigid bar: homogeneous stretches, tumbling, and the rigid limit.

The pseudo-rigid body that Taylor (2000, section 8) announces: edge constraints of a rigid body replaced by the stored
energy of a homogeneous deformation. A bar of St. Venant–Kirchhoff and of neo-Hookean material has the three stretching
frequencies of the closed form, keeps energy and angular momentum while it tumbles with stretches of almost a fifth, and
approaches the rigid body like 1/E.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd

# By the names of their types: a list of all studies loads none of the rooms that models are made of.
MATERIALS = {"St. Venant–Kirchhoff": "StVenantKirchhoff", "neo-Hookean": "NeoHookean"}


PARAMETERS = {
    "size": cd.Parameter((1.0, 0.4, 0.2), "edges of the bar", "m"),
    "density": cd.Parameter(1000.0, "density", "kg/m³"),
    "poisson": cd.Parameter(0.3, "Poisson's ratio"),
    "young": cd.Parameter(1e6, "Young's modulus for the frequencies", "Pa"),
    "pull": cd.Parameter(1e-3, "largest pull over Young's modulus × volume / m"),
    "steps_per_period": cd.Parameter(40, "steps in the shortest period"),
    "soft_young": cd.Parameter(5e4, "Young's modulus of the tumbling bar", "Pa"),
    "omega": cd.Parameter((2.0, 8.0, 1.0), "angular velocity at the start", "rad/s"),
    "tumble_dt": cd.Parameter(0.01, "time step of the tumbling bar", "s"),
    "tumble_steps": cd.Parameter(2000, "its steps"),
    "limit_young": cd.Parameter((1e6, 1e7, 1e8, 1e9), "Young's moduli of the approach to the rigid body", "Pa"),
    "limit_dt": cd.Parameter(0.005, "its time step", "s"),
    "limit_end": cd.Parameter(1.0, "its time simulated", "s"),
}
QUICK = {"tumble_steps": 300}
INPUTS = ("size", "density", "young", "poisson", "omega")


def bar(p: cd.Parameters, material: str, young: float, omega: tuple[float, float, float] | None = None) -> cd.Model:
    """A free box with the rows r, d1, d2, d3 and a stored energy of F = [d1 d2 d3]."""
    model = cd.Model("pseudo-rigid bar", dimension=3)
    law = getattr(cd, material)(young, p.poisson, p.density)
    model.add(cd.PseudoRigidBody.box("bar", p.size, p.density, material=law, angular_velocity=omega))
    return model


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """Small oscillations after a pull, a tumbling flight, and stiffer and stiffer bars, all with both materials."""
    exact = modes(p)[0]
    half_step = np.pi / exact[2] / p.steps_per_period
    outcome: cd.Outcome = {"modes": exact, "stepped modes": np.arctan(half_step * exact) / half_step}
    for short, (name, material) in zip(("svk", "neo"), MATERIALS.items(), strict=True):
        outcome[f"frequencies {name}"] = _frequencies(p, context, f"pull-{short}", material)
        result = context.simulate(
            f"tumble-{short}", bar(p, material, p.soft_young, p.omega), end=p.tumble_dt * p.tumble_steps, dt=p.tumble_dt
        )
        outcome[f"tumble {name}"] = _tumble(result)
    rigid = cd.Model("rigid bar", dimension=3)
    rigid.add(cd.RigidBody.box("bar", p.size, p.density, angular_velocity=p.omega))
    target = context.simulate("rigid", rigid, end=p.limit_end, dt=p.limit_dt).directors("bar")
    distances = []
    for k, young in enumerate(p.limit_young):
        model = bar(p, "NeoHookean", young, p.omega)
        result = context.simulate(f"limit-{k}", model, end=p.limit_end, dt=p.limit_dt)
        distances.append(float(np.abs(result.directors("bar") - target).max()))
    return outcome | {"young": np.array(p.limit_young), "distances": np.array(distances)}


def modes(p: cd.Parameters) -> tuple[Any, Any]:
    """Angular frequencies [rad/s] and shapes (columns) of small stretches u along the three axes.

    Euler tensor and stiffness: ρ V L_i²/12 ü_i + V (λ Σ u_k + 2 μ u_i) = 0, the same for both materials.
    """
    lam, mu = cd.NeoHookean(p.young, p.poisson, p.density).lame()
    mass = p.density * np.array(p.size) ** 2 / 12.0
    stiffness = lam * np.ones((3, 3)) + 2.0 * mu * np.eye(3)
    root = np.sqrt(mass)
    squares, shapes = np.linalg.eigh(stiffness / np.outer(root, root))
    return np.sqrt(squares), shapes / root[:, None]


def _frequencies(p: cd.Parameters, context: cd.Context, label: str, material: str) -> NDArray[np.float64]:
    """The three frequencies [rad/s] measured after a short pull at the six faces, mode by mode."""
    expected, shapes = modes(p)
    dt = 2.0 * np.pi / expected[2] / p.steps_per_period
    pull = cd.Table((0.0, 10.0 * dt, 20.0 * dt), (0.0, 1.0, 0.0), outside="zero")
    model = bar(p, material, p.young)
    for i, length in enumerate(p.size):
        for side in (-1.0, 1.0):
            direction = side * np.eye(3)[i]
            force = p.pull * p.young * np.prod(p.size) * direction
            model.add(cd.Load(f"pull {'xyz'[i]}{side:+g}", model["bar"].at(0.5 * length * direction), force, pull))
    result = context.simulate(label, model, end=20.0 * dt + 12.0 * np.pi / expected[0], dt=dt)
    strain = np.linalg.norm(result.directors("bar"), axis=1) - 1.0
    amounts = strain @ (p.density * np.array(p.size) ** 2 / 12.0 * shapes.T).T
    free = result.times > 20.5 * dt
    return np.array([_frequency(result.times[free], amount) for amount in amounts[free].T])


def _frequency(t: NDArray[np.float64], values: NDArray[np.float64]) -> float:
    """Angular frequency from the zero crossings of an oscillation."""
    at = np.flatnonzero(values[:-1] * values[1:] < 0.0)
    zero = t[at] + (t[at + 1] - t[at]) * values[at] / (values[at] - values[at + 1])
    return float(np.pi * (len(zero) - 1) / (zero[-1] - zero[0]))


def _tumble(result: cd.Result) -> cd.Outcome:
    E, J = result.energy["total"], result.angular_momentum
    return {
        "t": result.times,
        "stretches": np.linalg.norm(result.directors("bar"), axis=1),
        "volume": np.linalg.det(result.directors("bar")),
        "energy": E,
        "energy drift": np.abs(E / E[0] - 1.0),
        "momentum drift": np.linalg.norm(J - J[0], axis=1) / np.linalg.norm(J[0]),
        "stored share": float(result.energy["stored"].max() / E[0]),
        "iterations": result.iterations,
    }


def both(outcome: cd.Outcome, quantity: str) -> float:
    """The larger value of the two materials."""
    return float(max(np.max(outcome[f"tumble {name}"][quantity]) for name in MATERIALS))


def stepped_deviation(outcome: cd.Outcome) -> float:
    """Largest relative deviation of measured frequencies from those that the time step leaves."""
    return float(max(np.abs(outcome[f"frequencies {n}"] / outcome["stepped modes"] - 1.0).max() for n in MATERIALS))


def limit_order(outcome: cd.Outcome) -> float:
    """Power of 1/E with which the bar approaches the rigid body."""
    return float(-np.polyfit(np.log(outcome["young"]), np.log(outcome["distances"]), 1)[0])


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Stretches and drift of the tumbling bar, and its rigid limit."""
    from matplotlib import rcParams
    from matplotlib.figure import Figure

    colours = rcParams["axes.prop_cycle"].by_key()["color"]
    tumble = Figure(figsize=(5.6, 5.6))
    top, bottom = tumble.subplots(2, 1, height_ratios=(1.4, 1.0))
    for (name, line), colour in zip(zip(MATERIALS, ("-", "--"), strict=True), colours, strict=False):
        history = outcome[f"tumble {name}"]
        shown = history["t"] <= 2.0
        top.plot(history["t"][shown], history["stretches"][shown, 0], line, color=colour, label=f"length, {name}")
        bottom.semilogy(history["t"][1:], np.maximum.accumulate(history["energy drift"])[1:], line, color=colour,
                        label=f"energy, {name}")  # fmt: skip
        bottom.semilogy(history["t"][1:], np.maximum.accumulate(history["momentum drift"])[1:], line, color=colour,
                        alpha=0.55, linewidth=2.4, label=f"angular momentum, {name}")  # fmt: skip
    top.set(xlabel="time (s)", ylabel="stretch of the bar (–)", xlim=(0.0, 2.0))
    top.set_ylim(top=1.0 + 1.35 * (top.get_ylim()[1] - 1.0))
    top.legend(loc="upper right", ncols=2, fontsize="small")
    bottom.set(xlabel="time (s)", ylabel="largest drift so far (–)", ylim=(1e-16, 1e-7), xlim=(0.0, history["t"][-1]))
    bottom.axhline(1e-10, color="k", linestyle=":")
    bottom.legend(loc="upper center", ncols=2, fontsize="x-small")

    limit = Figure(figsize=(6.4, 3.2))
    left, right = limit.subplots(1, 2)
    ratios = [outcome[f"frequencies {name}"] / outcome["modes"] for name in MATERIALS]
    for k, (name, ratio) in enumerate(zip(MATERIALS, ratios, strict=True)):
        left.bar(np.arange(3) + 0.36 * (k - 0.5), 100.0 * (ratio - 1.0), 0.34, color=colours[k], label=name)
    expected = 100.0 * (outcome["stepped modes"] / outcome["modes"] - 1.0)
    left.hlines(expected, np.arange(3) - 0.42, np.arange(3) + 0.42, color="k", label="due to the time step")
    left.set_xticks(range(3), [f"{w:.1f}" for w in outcome["modes"]])
    left.set(xlabel="closed-form frequency (rad/s)", ylabel="deviation (%)", ylim=(-0.35, 0.12))
    left.grid(axis="x", visible=False)
    left.legend(loc="upper right", fontsize="small")
    right.loglog(outcome["young"], outcome["distances"], "o-", label="directors")
    guide = 0.5 * outcome["distances"][0] * outcome["young"][0] / outcome["young"]
    right.loglog(outcome["young"], guide, "k:", label=r"$\propto 1/E$")
    right.set(xlabel="Young's modulus (Pa)", ylabel="distance from the rigid body (–)")
    right.legend(loc="upper right", fontsize="small")
    return {"bar_tumbling": tumble, "bar_limits": limit}


def _frequency_claims() -> list[cd.Claim]:
    found = []
    for name in MATERIALS:
        for k, (value, tolerance) in enumerate(((108.464, 0.1), (280.891, 0.4), (655.970, 2.0))):
            found.append(
                cd.Claim(
                    f"{name}: frequency {k + 1} of small stretches",
                    value,
                    lambda o, name=name, k=k: o[f"frequencies {name}"][k],  # type: ignore[misc]
                    unit="rad/s",
                    tolerance=tolerance,
                    kind="closed form",
                    origin="ρ L²/12 ü + λ Σu + 2 μ u = 0",
                )
            )
    return found


CLAIMS = [
    *_frequency_claims(),
    cd.Claim("frequencies over those of the stepped oscillator, largest deviation", "none", stepped_deviation,
             tolerance=2e-4, kind="closed form", origin="tan(½ ω̃ Δt) = ½ ω Δt for energy–momentum stepping"),
    cd.Claim("tumbling: energy", 228.4, lambda o: both(o, "energy"), unit="J", tolerance=1e-6,
             kind="closed form", origin="½ ω·J ω of the bar at the start"),
    cd.Claim("tumbling: energy drift", "constant for both materials", lambda o: both(o, "energy drift"),
             tolerance=1e-10, kind="property", origin="Taylor 2000, section 8: stored energy instead of constraints"),
    cd.Claim("tumbling: angular momentum drift", "constant for both materials", lambda o: both(o, "momentum drift"),
             tolerance=1e-10, kind="property", origin="Taylor 2000, section 8: stored energy instead of constraints"),
    cd.Claim("tumbling: largest stretch of the bar", "large", lambda o: both(o, "stretches") - 1.0, tolerance=0.15,
             sense="above", kind="relation", origin="so that conservation is tested far from small strain"),
    cd.Claim.newton(8, lambda o: both(o, "iterations"), "tumbling: most Newton iterations in a step"),
    cd.Claim("approach to the rigid body, power of 1/E", 1.0, limit_order, tolerance=0.05,
             kind="property", origin="stretches under centrifugal load are proportional to 1/E"),
    cd.Claim("distance from the rigid body at the largest modulus", "small", lambda o: o["distances"][-1],
             tolerance=2e-4, kind="relation", origin="rigid body with the same step"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
