"""Painlevé's rod: too much friction to slide, and yet each step has a solution that takes energy.

The tip of a rod slides ahead of it over a floor. Above μ = 4/3 (at tan θ = 2) any normal force, with the friction that
belongs to sliding, would turn the tip into the floor. So there is no force with which it could go on sliding. The tip then
stops at once, by an impulse, whatever the step. Over a range of angles and friction coefficients no step fails, and none gains
energy.
"""

from __future__ import annotations

import numpy as np

import condyle as cd

PARAMETERS = {
    "mass": cd.Parameter(1.0, "mass of the rod", "kg"),
    "length": cd.Parameter(1.0, "its length", "m"),
    "slope": cd.Parameter(2.0, "tangent of its angle with the floor"),
    "speed": cd.Parameter(1.0, "at which it slides", "m/s"),
    "gravity": cd.Parameter(9.81, "gravity", "m/s²"),
    "low_friction": cd.Parameter(1.0, "coefficient with which it slides"),
    "friction": cd.Parameter(1.5, "coefficient with which it cannot"),
    "dt": cd.Parameter(1e-4, "time step of the sliding rod", "s"),
    "end": cd.Parameter(0.03, "time simulated of the sliding rod", "s"),
    "steps": cd.Parameter((2e-3, 1e-4, 1e-6), "time steps of the rod that jams", "s"),
    "slopes": cd.Parameter((0.7, 1.2, 2.0, 3.5), "slopes of the fan"),
    "frictions": cd.Parameter((0.3, 0.9, 1.4, 2.5), "frictions of the fan"),
    "fan_dt": cd.Parameter(2e-3, "time step of the fan", "s"),
    "fan_end": cd.Parameter(0.1, "time simulated of the fan", "s"),
}  # fmt: skip
QUICK = {"end": 2e-3, "steps": (1e-3, 1e-5), "slopes": (1.2, 2.0), "frictions": (1.5,), "fan_end": 0.04}
INPUTS = ("mass", "slope", "speed", "gravity", "low_friction")

OTHERS = (cd.GeneralizedAlpha(), cd.Newmark(), cd.HHT(), cd.BDF())


def rod(p: cd.Parameters, friction: float, slope: float) -> cd.Model:
    """A rod on its lower end, which slides to the left with p.speed; slope: tangent of its angle with the floor."""
    model = cd.Model("rod", dimension=2, gravity=(0.0, -p.gravity))
    angle, half = float(np.arctan(slope)), 0.5 * p.length
    body = model.add(
        cd.RigidBody("rod", p.mass, inertia=p.mass * p.length**2 / 12.0, rotation=angle, velocity=(-p.speed, 0.0),
                     position=(half * np.cos(angle), half * np.sin(angle)), outline=[[(-half, 0.0), (half, 0.0)]],
                     points={"tip": (-half, 0.0)})
    )  # fmt: skip
    model.add(cd.Contact("tip", body, ["tip"], model.ground, cd.Plane((0.0, 1.0)), friction=friction))
    return model


def critical_friction(slope: float) -> float:
    """μ above which a normal force on the sliding tip would press it into the floor: (1 + 3 c²)/(3 s c)."""
    c = 1.0 / np.sqrt(1.0 + slope**2)
    s = slope * c
    return float((1.0 + 3.0 * c * c) / (3.0 * s * c))


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """Below and above the critical friction, with steps of very different length; then a fan of angles and frictions."""
    outcome: cd.Outcome = {
        "critical": critical_friction(p.slope),
        "jams": [],
        "gains": [],
        "others": [],
        "failed": 0,
    }
    slides = context.simulate(
        "slides", rod(p, p.low_friction, p.slope), end=p.end, dt=p.dt, integrator=cd.GeneralizedAlpha()
    )
    outcome["slides"] = {
        "t": slides.times,
        "tip": slides.velocity("rod.tip"),
        "force": slides.contact("tip").force[:, 0],
    }
    for dt in p.steps:
        result = context.simulate(f"jams-{dt:g}", rod(p, p.friction, p.slope), end=5.0 * dt, dt=dt,
                                  integrator=cd.GeneralizedAlpha())  # fmt: skip
        energy = result.energy["total"]
        outcome["jams"].append({
            "spin": float(result.angular_velocity("rod")[1]), "tip": float(np.linalg.norm(result.velocity("rod.tip")[1])),
            "lost": float(energy[0] - energy[1]), "impulse": result.contact("tip").impulse[1, 0],
        })  # fmt: skip
        outcome["gains"].append(float(np.diff(energy).max()) / p.speed**2)
    for slope in p.slopes:
        for friction in p.frictions:
            result = cd.simulate(rod(p, friction, slope), end=p.fan_end, dt=p.fan_dt, on_failure="return")
            outcome["failed"] += result.status != "completed"
            outcome["gains"].append(float(np.diff(result.energy["total"]).max()) / p.speed**2)
            for method in OTHERS:
                other = cd.simulate(
                    rod(p, friction, slope), end=p.fan_end, dt=p.fan_dt, integrator=method, on_failure="return"
                )
                energy = other.energy["total"]
                outcome["failed"] += other.status != "completed"
                outcome["others"].append(float(np.diff(energy).max() / energy[0]))
    return outcome


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """The critical friction over the angle, and the sliding tip below it."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 3.2))
    left, right = figure.subplots(1, 2)
    slopes = np.linspace(0.4, 6.0, 200)
    left.plot(np.degrees(np.arctan(slopes)), [critical_friction(s) for s in slopes])
    for slope in p.slopes:
        left.plot([np.degrees(np.arctan(slope))] * len(p.frictions), p.frictions, "k.", markersize=3)
    left.plot(np.degrees(np.arctan(p.slope)), p.friction, "s", label=f"μ = {p.friction:g}: stops at once")
    left.plot(np.degrees(np.arctan(p.slope)), p.low_friction, "o", label=f"μ = {p.low_friction:g}: slides")
    left.set(xlabel="angle of the rod (°)", ylabel="friction", ylim=(0.0, 3.0), title="above the line it cannot slide")
    left.legend(fontsize="x-small")
    slides = outcome["slides"]
    right.plot(1e3 * slides["t"], slides["tip"][:, 0], label="speed of the tip (m/s)")
    right.plot(1e3 * slides["t"][1:], slides["force"][1:, 1] / 10.0, label="normal force (10 N)")
    right.set(xlabel="time (ms)", title=f"μ = {p.low_friction:g}")
    right.legend(fontsize="x-small")
    return {"painleve_rod": figure}


def spread(outcome: cd.Outcome, name: str, value: float) -> float:
    """Largest difference of a number of the jams from a value."""
    return float(max(abs(jam[name] - value) for jam in outcome["jams"]))


TURNS = "it stops at once and turns about its tip: m v l sin θ = (I + m l²) ω"

CLAIMS = [
    cd.Claim("critical friction at tan θ = 2", 4.0 / 3.0, lambda o: o["critical"], kind="closed form", tolerance=1e-9,
             origin="(1 + 3 cos² θ)/(3 sin θ cos θ)"),
    cd.Claim("sliding, μ = 1: normal force of the first step", 24.525, lambda o: float(o["slides"]["force"][1, 1]),
             kind="closed form", unit="N", tolerance=0.4, origin="m g/(1 + 3 cos θ (cos θ − μ sin θ)), before it has turned"),
    cd.Claim("sliding, μ = 1: friction over normal force", 1.0,
             lambda o: float(o["slides"]["force"][1, 0] / o["slides"]["force"][1, 1]), kind="closed form", tolerance=1e-6,
             origin="Coulomb, against the slip"),
    cd.Claim("jammed, μ = 1.5: spin after one step, of any length", 1.3416, kind="closed form", unit="rad/s", tolerance=0.014,
             computed=lambda o: max((jam["spin"] for jam in o["jams"]), key=lambda s: abs(s - 1.3416)), origin=TURNS),
    cd.Claim("jammed, μ = 1.5: energy lost in one step, of any length", 0.2, kind="closed form", unit="J", tolerance=4e-3,
             computed=lambda o: max((jam["lost"] for jam in o["jams"]), key=lambda s: abs(s - 0.2)), origin=TURNS),
    cd.Claim("jammed, μ = 1.5: speed of the tip after one step", "none", lambda o: max(jam["tip"] for jam in o["jams"]),
             kind="property", unit="m/s", tolerance=1e-6, origin="nothing but sticking is left"),
    cd.Claim("all runs: those that found no solution", "none", lambda o: float(o["failed"]), kind="property", tolerance=0,
             origin="each step has one, with impulses"),
    cd.Claim("other methods: largest gain in a step over the energy", "none", lambda o: max(o["others"]), kind="property",
             tolerance=1e-5, origin="what is left is the error of a step of the rod that swings about its tip"),
    cd.Claim("energy–momentum: largest gain of energy in a step over m v²", "none", lambda o: max(o["gains"]), kind="property",
             tolerance=1e-6, origin="friction only takes energy"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
