"""A cable on two cylinders, by five models of friction.

A cable falls across two cylinders, level or tilted. It bounces once, and slides off where it is tilted. Patches of contact are
found in every step, with three points in each. Four models of friction are those of the source. Two of these hold velocities
but not places, as in the source.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd
from condyle.studies.hewlett_friction import MODELS, falling_cable

PARAMETERS = {
    "length": cd.Parameter(10.0, "length of the cable", "m"),
    "radius": cd.Parameter(0.1, "radius of the cable", "m"),
    "young": cd.Parameter(2e8, "Young's modulus", "Pa"),
    "density": cd.Parameter(7750.0, "density", "kg/m³"),
    "drop": cd.Parameter(1.226, "height of the fall (not published; that of the slope)", "m"),
    "cylinder": cd.Parameter(1.0, "radius of the cylinders (not published)", "m"),
    "mu": cd.Parameter(0.3, "coefficient of friction"),
    "gravity": cd.Parameter(9.81, "acceleration of gravity", "m/s²"),
    "compliance": cd.Parameter(1e-8, "compliance of contact of the box and of penalties", "m²/N"),
    "creep": cd.Parameter(1.75, "slip at which regularised friction is full", "m/s"),
    "points": cd.Parameter(3, "contact points of a patch"),
    "dt": cd.Parameter(0.01, "time step", "s"),
    "end": cd.Parameter(2.5, "time simulated", "s"),
    "models": cd.Parameter(5, "how many of the models"),
    "tilts": cd.Parameter(2, "how many of the tilts 0° and 30°"),
}
QUICK = {"end": 0.6, "models": 2, "tilts": 1}
INPUTS = ("gravity", "drop")

TILTS = (0, 30)
FALLING = 0.3  # [s] when the cable is still falling
AHEAD = 1.5  # [s] when the tilted cables are compared
SHORT = 0.1  # [s] of a flight that is none


def cable_model(p: cd.Parameters, tilt: float) -> cd.Model:
    """A cable of three elements above two cylinders."""
    model, cable = falling_cable("cylinders", p, tilt, 3)
    for side, place in (("left", 0.25), ("right", 0.75)):
        shape = cd.Cylinder(p.cylinder, (0.0, 1.0, 0.0), centre=(place * p.length, 0.0, -p.cylinder))
        model.add(
            cd.PatchContact(
                side, cable, model.ground, shape, friction=p.mu, per_patch=p.points, radius=0.0, margin=1e-3
            )
        )
    return model


def method(p: cd.Parameters, friction: str) -> cd.Nonsmooth:
    """The stepper with one of the models; only two of them give way, and two hold no places."""
    soft = p.compliance if friction in ("box", "penalty") else 0.0
    holds = friction not in ("polyhedral", "prox")
    return cd.Nonsmooth(friction=friction, contact_compliance=soft, creep=p.creep, stabilise=holds)


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """Both tilts with every model: impulses of both cylinders, and the way of the middle of the cable."""
    found: cd.Outcome = {key: {} for key in ("normal", "axial", "middle", "outside", "deepest", "map")}
    for tilt in TILTS[: p.tilts]:
        for name in list(MODELS)[: p.models]:
            result = cd.simulate(cable_model(p, tilt), end=p.end, dt=p.dt, integrator=method(p, name))
            lines = [result.contact(side).line for side in ("left", "right")]
            found["normal"][tilt, name] = np.array([np.nansum(line.normal, axis=1) for line in lines])
            found["axial"][tilt, name] = np.array([np.nansum(line.axial, axis=1) for line in lines])
            found["middle"][tilt, name] = result.position(cd.Point("cable", (0.5 * p.length, 0.0, 0.0)))
            found["outside"][tilt, name] = max(float(np.nanmax(-line.margin)) for line in lines)
            found["deepest"][tilt, name] = -min(float(np.nanmin(line.gap)) for line in lines)
            found["times"] = result.times
            if tilt == 0:
                places = np.linspace(0.0, 0.5 * p.length, 300)
                found["map"][name] = (places, lines[0].over_length(lines[0].density(), places))
    return found


def flights(outcome: cd.Outcome, tilt: int, name: str) -> int:
    """How often the cable leaves the left cylinder for a while, after it has come down."""
    times, on = outcome["times"], np.abs(outcome["normal"][tilt, name][0]) > 1e-9
    touching = times[on]
    return int(np.sum(np.diff(touching) > SHORT))


def uneven(outcome: cd.Outcome, what: str, name: str, sign: float) -> float:
    """Largest difference of the two cylinders, level, over the largest impulse."""
    left, right = outcome[what][0, name]
    return float(np.abs(left - sign * right).max() / np.abs(left).max())


def place(outcome: cd.Outcome, tilt: int, name: str, time: float) -> NDArray[np.float64]:
    """Of the middle of the cable [m]."""
    return outcome["middle"][tilt, name][int(np.argmin(np.abs(outcome["times"] - time)))]


def ahead(outcome: cd.Outcome, name: str, other: str) -> float:
    """How much farther the tilted cable has slid with one model than with another [m]."""
    return float(place(outcome, 30, name, AHEAD)[0] - place(outcome, 30, other, AHEAD)[0])


def largest(outcome: cd.Outcome, what: str, name: str) -> float:
    """Of all tilts, and above 0."""
    return max(max(value, 1e-12) for (_, model), value in outcome[what].items() if model == name)


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Where the left cylinder presses on the level cable, and how the tilted one slides off."""
    from matplotlib.figure import Figure

    names = list(outcome["map"])
    figure = Figure(figsize=(9.0, 1.3 * len(names) + 2.6), layout="constrained")
    axes = figure.subplots(len(names) + 1, 1, height_ratios=[1.0] * len(names) + [2.0])
    for ax, name in zip(axes, names, strict=False):
        places, shown = outcome["map"][name]
        ax.set_facecolor("0.93")
        drawn = ax.pcolormesh(
            outcome["times"], places, shown.T, cmap="viridis", vmin=0.0, vmax=3000.0, shading="nearest", rasterized=True
        )
        ax.set(ylabel=MODELS[name], ylim=(1.8, 3.2))
    figure.colorbar(drawn, ax=list(axes[:-1]), label="normal impulse (N s/m)", extend="max")
    tilt = max(t for t, _ in outcome["middle"])
    for k, name in enumerate(names):
        way = outcome["middle"][tilt, name]
        axes[-1].plot(outcome["times"], way[:, 0] - way[0, 0], color=f"C{k}", label=MODELS[name], lw=1.2)
    axes[-1].set(xlabel="time (s)", ylabel=f"way at {tilt}° (m)")
    axes[-1].legend(fontsize="x-small", ncols=2)
    return {"cylinders": figure}


SECTION = "Hewlett 2020, section 6.6.2"


def _of(name: str) -> list[cd.Claim]:
    """What the source says of every model on the level cylinders."""
    label, published, full = MODELS[name], name != "cone", name not in list(MODELS)[: int(QUICK["models"])]
    kind: Any = "published" if published else "property"
    found = [
        cd.Claim(f"level, {label}: flights after the first contact", 1, lambda o: flights(o, 0, name), tolerance=0,
                 kind=kind, origin=f"{SECTION}: one short bounce, in all methods", full_only=True),
        cd.Claim(f"level, {label}: difference of the two cylinders", "symmetric", lambda o: uneven(o, "normal", name, 1.0),
                 tolerance=1e-6, kind=kind, origin=f"{SECTION}: symmetric for all", full_only=full),
    ]  # fmt: skip
    if name != "polyhedral":
        found.append(
            cd.Claim(f"level, {label}: sum of the axial friction of both", "antisymmetric",
                     lambda o: uneven(o, "axial", name, -1.0), tolerance=1e-6, kind=kind,
                     origin=f"{SECTION}: opposite on the left and right", full_only=full)
        )  # fmt: skip
    return found


CLAIMS = [
    cd.Claim("height of the cable after 0.3 s of free fall", 0.769835, lambda o: float(place(o, 0, "cone", FALLING)[2]),
             unit="m", tolerance=1e-5, kind="closed form", origin="z − g t (t + h)/2, the sum of its steps"),
    *(claim for name in MODELS for claim in _of(name)),
    cd.Claim("level, cone with facets: sum of the axial friction of both", (0.05, 2.0),
             lambda o: uneven(o, "axial", "polyhedral", -1.0), kind="published", full_only=True,
             origin=f"{SECTION}: not antisymmetric",
             differs=cd.Differs("Lemke's method with the lexicographic rule treats both sides alike; the source's broke ties "
                                "as they came", 0.0, 1e-3)),
    cd.Claim("level, penalty: largest impulse that pulls the cable down", (50.0, 1000.0),
             lambda o: -float(o["normal"][0, "penalty"].min()), unit="N s", kind="published", full_only=True,
             origin=f"{SECTION}: sticks to the cylinder before it lifts off"),
    cd.Claim("tilted, box: ahead of the cone with facets after 1.5 s", (1e-4, 1.0), lambda o: ahead(o, "box", "polyhedral"),
             unit="m", kind="published", origin=f"{SECTION}: slides off faster", full_only=True),
    cd.Claim("tilted, box: ahead of projections after 1.5 s", (1e-4, 1.0), lambda o: ahead(o, "box", "prox"),
             unit="m", kind="published", origin=f"{SECTION}: slides off faster", full_only=True),
    cd.Claim("tilted, penalty: ahead of the cone with facets after 1.5 s", (1e-3, 5.0),
             lambda o: ahead(o, "penalty", "polyhedral"), unit="m", kind="published", full_only=True,
             origin=f"{SECTION}: slides off faster",
             differs=cd.Differs("cylinders and drop are not published; here the penalty pulls the cable back as it lifts off, "
                                "and it falls behind", -2.0, -0.5)),
    cd.Claim("tilted, exact cone: distance from projections after 1.5 s", "the same law",
             lambda o: abs(ahead(o, "cone", "prox")), unit="m", tolerance=1e-2, kind="relation", full_only=True,
             origin="both have the exact cone; projections hold no places"),
    cd.Claim("exact cone: depth inside the cylinders", "outside", lambda o: largest(o, "deepest", "cone"), unit="m",
             tolerance=1e-8, kind="property", origin="places are held, without a velocity"),
    cd.Claim("exact cone: friction outside its cone", "inside", lambda o: largest(o, "outside", "cone"), unit="N s",
             tolerance=1e-6, kind="property", origin="Coulomb's law"),
    cd.Claim("box: friction outside its cone", (0.1, 100.0), lambda o: largest(o, "outside", "box"), unit="N s",
             kind="property", origin="its bounds are those of the step without friction, in one pass", full_only=True),
    cd.Claim("least depth of the other models over that of the exact cone", (10.0, 1e300),
             lambda o: min(largest(o, "deepest", name) for name in MODELS if name != "cone") / largest(o, "deepest", "cone"),
             kind="relation", origin="the default is the best of all", full_only=True),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="hewlett-2020")
