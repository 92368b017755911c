"""A rope on a drum that does not turn: held, and slipping.

Friction of a rope on a round drum multiplies its tension by e^{μφ} at most: a little less than that is held, a little more
slips. Contact is in patches that are found in every step, with exact Coulomb friction at their points.
"""

from __future__ import annotations

import numpy as np

import condyle as cd

PARAMETERS = {
    "drum": cd.Parameter(0.3, "radius of the drum", "m"),
    "radius": cd.Parameter(0.01, "radius of the rope", "m"),
    "young": cd.Parameter(1e8, "Young's modulus of the rope", "Pa"),
    "density": cd.Parameter(2000.0, "density of the rope", "kg/m³"),
    "mu": cd.Parameter(0.3, "coefficient of friction"),
    "light": cd.Parameter(100.0, "force on the end that is pulled", "N"),
    "mass": cd.Parameter(8.0, "mass at each end", "kg"),
    "spacing": cd.Parameter(0.06, "longest piece of a patch", "m"),
    "dt": cd.Parameter(0.005, "time step", "s"),
    "end": cd.Parameter(0.3, "time simulated", "s"),
}
QUICK = {"end": 0.15}
INPUTS = ("light", "mu")

LIMIT = 0.3 * np.pi  # μ φ of half a turn
HELD, SLIPS = 0.9, 1.25  # of e^{μφ}
PIECES = 16  # of the rope on the drum
WINDOW = 0.05, 0.15  # [s] in which the slipping rope is looked at


def rope_model(p: cd.Parameters, share: float) -> cd.Model:
    """A rope over half a turn of a drum, with masses at its ends, pulled by two forces whose ratio is a share of e^{0.3 π}."""
    model = cd.Model("capstan", dimension=3)
    r = p.drum + p.radius
    turn = np.linspace(np.pi, 0.0, PIECES + 1)
    around = np.stack((r * np.cos(turn), 0.0 * turn, r * np.sin(turn)), axis=1)
    along = np.stack((np.sin(turn), 0.0 * turn, -np.cos(turn)), axis=1)
    line = np.vstack(((-r, 0.0, -p.drum), around, (r, 0.0, -p.drum)))
    tangents = np.vstack(((0.0, 0.0, 1.0), along, (0.0, 0.0, -1.0)))
    section = cd.RoundSection(p.radius, cd.StVenantKirchhoff(p.young, 0.0, p.density))
    rope = model.add(cd.Cable("rope", line, 1, section, tangents=tangents, damping=0.02))
    drum = cd.Cylinder(p.drum, (0.0, 1.0, 0.0))
    model.add(
        cd.PatchContact(
            "drum", rope, model.ground, drum, friction=p.mu, per_patch=2, longest=p.spacing, margin=2e-3 * p.drum
        )
    )
    for end, force in (("start", p.light), ("end", share * np.exp(LIMIT) * p.light)):
        mass = model.add(cd.PointMass(f"mass at {end}", p.mass, position=line[0 if end == "start" else -1]))
        model.add(cd.Spherical(f"tied at {end}", rope.point(end), cd.Point(mass.name)))
        model.add(cd.Load(f"force at {end}", rope.point(end), (0.0, 0.0, -force)))
    return model


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """Both ratios: friction of the drum, slip, tension along the rope."""
    found: cd.Outcome = {"light": p.light}
    for name, share in (("held", HELD), ("slips", SLIPS)):
        result = cd.simulate(rope_model(p, share), end=p.end, dt=p.dt, integrator=cd.Nonsmooth())
        line = result.contact("drum").line
        found[name] = {
            "times": result.times,
            "speed": -result.velocity(cd.Point("rope", "end"))[:, 2],
            "friction": -np.nansum(line.axial, axis=1) / p.dt,
            "slip": float(np.nanmax(line.slip[-1])),
            "outside": float(np.nanmax(-line.margin[1:])),
            "lengths": line.lengths[-1],
            "density": -line.density("axial")[-1] / p.dt,
            "bound": p.mu * line.density("normal")[-1] / p.dt,
        }
        found[name]["ratio"] = tension_ratio(p, found[name])
    return found


def tension_ratio(p: cd.Parameters, own: cd.Outcome) -> float:
    """Of the rope on both sides of the drum, while it slips: 1 + friction/tension of the end that is pulled, in the mean."""
    early = (own["times"] > WINDOW[0]) & (own["times"] <= WINDOW[1])
    pace = np.polyfit(own["times"][early], own["speed"][early], 1)[0]
    leg = p.density * np.pi * p.radius**2 * p.drum
    return float(1.0 + own["friction"][early].mean() / (p.light + (p.mass + leg) * pace))


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Friction along the rope and its bound, held and slipping."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 3.4), layout="constrained")
    for ax, name in zip(figure.subplots(1, 2, sharey=True), ("held", "slips"), strict=True):
        own = outcome[name]
        order = np.argsort(own["lengths"])
        ax.plot(own["lengths"][order], own["bound"][order], "o-", color="0.6", lw=1.0, ms=3, label="bound")
        ax.plot(own["lengths"][order], own["density"][order], "o-", color="C0", lw=1.0, ms=3, label="friction")
        ax.set(xlabel="along the rope (m)", title=name)
        ax.legend(fontsize="small")
    figure.axes[0].set(ylabel="per length (N/m)")
    return {"capstan": figure}


CLAIMS = [
    cd.Claim("held: friction of the drum", 130.96, lambda o: float(o["held"]["friction"][-1]), unit="N", tolerance=2.0,
             kind="closed form", origin="the difference of the two forces, 0.9 e^{μφ} − 1 times the smaller one"),
    cd.Claim("held: largest slip at the end", "held", lambda o: o["held"]["slip"], unit="m/s", tolerance=1e-3,
             kind="closed form", origin="below e^{μφ} a rope is held", full_only=True),
    cd.Claim("slips: speed of the end over that of free masses", (0.03, 0.9),
             lambda o: float(o["slips"]["speed"][-1]) / (float(o["slips"]["times"][-1]) * 12.5), kind="closed form",
             origin="above e^{μφ} it slips, slowed by friction"),
    cd.Claim("slips: tension of one side of the drum over that of the other", 2.566, lambda o: o["slips"]["ratio"],
             tolerance=0.1, kind="closed form", origin="e^{μφ}, half a turn"),
    cd.Claim("slips: friction over what the drum can hold", 1.0,
             lambda o: float(np.nansum(o["slips"]["density"]) / np.nansum(o["slips"]["bound"])), tolerance=0.02,
             kind="closed form", origin="all points slip: μ times the pressure", full_only=True),
    cd.Claim("both: friction outside its cone", "inside", lambda o: max(o[k]["outside"] for k in ("held", "slips")),
             unit="N s", tolerance=1e-7, kind="property", origin="Coulomb's law"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
