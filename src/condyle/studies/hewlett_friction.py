"""A cable on a slope, by five models of friction.

A cable falls onto an inclined plane and comes to rest: how it presses and rubs along its length, and which model lets it creep.
Four models are the source's, with what it says of each; the fifth is the exact cone of Coulomb.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import condyle as cd

PARAMETERS = {
    "length": cd.Parameter(10.0, "length of the cable", "m"),
    "radius": cd.Parameter(0.1, "radius of the cable", "m"),
    "young": cd.Parameter(5e9, "Young's modulus", "Pa"),
    "density": cd.Parameter(7750.0, "density", "kg/m³"),
    "drop": cd.Parameter(1.226, "height of the fall (not published; the first contact, at 0.5 s, is)", "m"),
    "mu": cd.Parameter(1.0, "coefficient of friction"),
    "gravity": cd.Parameter(9.81, "acceleration of gravity", "m/s²"),
    "compliance": cd.Parameter(1e-8, "compliance of contact of the box and of penalties", "m²/N"),
    "creep": cd.Parameter(1.75, "slip at which regularised friction is full", "m/s"),
    "points": cd.Parameter(7, "contact points of an element"),
    "dt": cd.Parameter(0.01, "time step", "s"),
    "end": cd.Parameter(5.0, "time simulated", "s"),
    "angles": cd.Parameter(3, "how many of the angles 10°, 0° and 30°"),
}
QUICK = {"end": 0.5, "drop": 1e-3, "angles": 1}
INPUTS = ("radius", "density", "gravity")

ANGLES = (10, 0, 30)
MODELS = {
    "cone": "exact cone",
    "box": "box",
    "penalty": "penalty",
    "polyhedral": "cone with facets",
    "prox": "projections",
}


def falling_cable(name: str, p: cd.Parameters, degrees: float, elements: int) -> tuple[cd.Model, cd.Cable]:
    """A model with a horizontal cable, in whose axes gravity is inclined, and the cable."""
    angle = np.radians(degrees)
    model = cd.Model(name, dimension=3, gravity=(p.gravity * np.sin(angle), 0.0, -p.gravity * np.cos(angle)))
    material = cd.StVenantKirchhoff(p.young, 0.0, p.density)
    line = [(0.0, 0.0, p.drop), (p.length, 0.0, p.drop)]
    cable = model.add(cd.Cable("cable", line, elements, cd.RoundSection(p.radius, material), points=7))
    return model, cable


def cable_model(p: cd.Parameters, degrees: float) -> cd.Model:
    """A cable of one element above a plane."""
    model, cable = falling_cable("slope", p, degrees, 1)
    plane = cd.Plane((0.0, 0.0, 1.0))
    model.add(
        cd.Contact("plane", cable, None, model.ground, plane, friction=p.mu, points="integration", per_element=p.points)
    )
    return model


def method(p: cd.Parameters, friction: str) -> cd.Nonsmooth:
    """The stepper with one of the models; only two of them give way."""
    soft = p.compliance if friction in ("box", "penalty") else 0.0
    return cd.Nonsmooth(friction=friction, contact_compliance=soft, creep=p.creep)


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """Every angle with every model: impulses per length at the end, and the speed along the slope."""
    found: cd.Outcome = {"length": p.length, "press": {}, "rub": {}, "speed": {}, "times": None}
    for degrees in ANGLES[: p.angles]:
        for name in MODELS:
            result = cd.simulate(cable_model(p, degrees), end=p.end, dt=p.dt, integrator=method(p, name))
            contact = result.contact("plane")
            found["press"][degrees, name] = p.dt * contact.normal_force[-1] / contact.areas
            found["rub"][degrees, name] = p.dt * contact.force[-1, :, 0] / contact.areas
            found["speed"][degrees, name] = result.velocity(cd.Point("cable", (0.5 * p.length, 0.0, 0.0)))[:, 0]
            found["areas"], found["places"], found["times"] = contact.areas, contact.places[0, :, 0], result.times
            yield found


def mean(outcome: cd.Outcome, what: str, degrees: int, name: str) -> float:
    """Mean impulse per length of the cable [N s/m]."""
    return float(np.sum(outcome[what][degrees, name] * outcome["areas"]) / outcome["length"])


def unevenness(outcome: cd.Outcome, degrees: int, name: str) -> float:
    """Largest difference of the impulse per length from its mean, over the mean."""
    middle = mean(outcome, "press", degrees, name)
    return float(np.abs(outcome["press"][degrees, name] - middle).max() / abs(middle))


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Impulses along the cable at the end, and how fast it moves."""
    angles = sorted({degrees for degrees, _ in outcome["press"]})
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 2.6 * len(angles)), layout="constrained")
    axes = figure.subplots(len(angles), 2, squeeze=False)
    for row, degrees in enumerate(angles):
        for k, (name, label) in enumerate(MODELS.items()):
            axes[row][0].plot(
                outcome["places"], outcome["press"][degrees, name], "os^vD"[k] + "-", label=label, lw=0.8, ms=4
            )
            axes[row][1].plot(outcome["times"], outcome["speed"][degrees, name], label=label, lw=1.0)
        axes[row][0].set(ylabel=f"{degrees}°: press (N s/m)", ylim=(0.0, None))
        axes[row][1].set(ylabel="speed (m/s)", ylim=(-0.6, 0.6))
    axes[-1][0].set(xlabel="along the cable (m)")
    axes[-1][1].set(xlabel="time (s)")
    axes[0][1].legend(fontsize="x-small", ncols=2)
    return {"friction": figure}


SECTION = "Hewlett 2020, section 6.6.1"
NORMAL, AXIAL = {0: 23.885, 10: 23.522, 30: 20.685}, {0: 0.0, 10: -4.148, 30: -11.942}


def _densities(degrees: int, name: str) -> list[cd.Claim]:
    """What a cable at rest presses and rubs: its weight, evenly."""
    full, label = degrees != ANGLES[0], f"{degrees}°, {MODELS[name]}"
    return [
        cd.Claim(f"{label}: impulse across the slope per length", NORMAL[degrees], lambda o: mean(o, "press", degrees, name),
                 unit="N s/m", tolerance=1e-3, kind="closed form", origin="h ρ A g cos θ", full_only=full),
        cd.Claim(f"{label}: friction impulse per length", AXIAL[degrees], lambda o: mean(o, "rub", degrees, name),
                 unit="N s/m", tolerance=1e-3, kind="closed form", origin="−h ρ A g sin θ", full_only=full),
        cd.Claim(f"{label}: unevenness of the impulse along the cable", "even", lambda o: unevenness(o, degrees, name),
                 tolerance=1e-3, kind="published" if name == "box" else "property", full_only=full,
                 origin=f"{SECTION}, figures 6.6 to 6.13: uniform at rest" if name == "box" else "shared by length"),
    ]  # fmt: skip


CLAIMS = [
    *(claim for name in ("cone", "box") for degrees in ANGLES for claim in _densities(degrees, name)),
    cd.Claim("10°, exact cone: speed at rest", "sticks", lambda o: abs(float(o["speed"][10, "cone"][-1])), unit="m/s",
             tolerance=1e-9, kind="property", origin="Coulomb's law below the angle of friction"),
    cd.Claim("10°, box: speed at rest", 4.148e-4, lambda o: float(o["speed"][10, "box"][-1]), unit="m/s", tolerance=1e-6,
             kind="closed form", origin="compliance × friction per length / step: what is left of sticking"),
    cd.Claim("10°, penalty: speed at the end", 0.309, lambda o: float(o["speed"][10, "penalty"][-1]), unit="m/s",
             tolerance=2e-3, kind="closed form", full_only=True,
             origin=f"creep × tan θ; {SECTION}: drifts downhill at rest"),
    cd.Claim("10°, penalty: unevenness of the impulse", "even", lambda o: unevenness(o, 10, "penalty"), tolerance=1e-2,
             kind="published", origin=f"{SECTION}: uniform for penalties and box"),
    cd.Claim("10°, cone with facets: impulse of the whole cable", 235.22,
             lambda o: o["length"] * mean(o, "press", 10, "polyhedral"), unit="N s", tolerance=0.01, kind="closed form",
             origin="the weight, however it is shared"),
    cd.Claim("10°, cone with facets: unevenness of the impulse", (0.5, 3.0), lambda o: unevenness(o, 10, "polyhedral"),
             kind="published", origin=f"{SECTION}, figure 6.9: uneven, some points carry nothing"),
    cd.Claim("10°, projections: unevenness of the impulse", (0.01, 0.3), lambda o: unevenness(o, 10, "prox"),
             kind="published", origin=f"{SECTION}: nearly uniform"),
    cd.Claim("30°, penalty: speed at the end, up the slope", -72.4, lambda o: float(o["speed"][30, "penalty"][-1]),
             unit="m/s", tolerance=0.1, kind="regression", full_only=True,
             origin="our own: friction of the start of a step turns round within it where the cable is thrown deep into the "
             "slope, a failure of the model"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="hewlett-2020")
