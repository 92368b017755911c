"""Chains held by penalties that have a step of their own.

The joints of a chain of ten links and of a double pendulum are variational penalties, rescaled from a step a million times
shorter. They are stable where their effective mass is positive, from an easy start and from a difficult one. Stiffer penalties
hold tighter, while compliant joints only lose more energy.

Rescaled variational penalties (Hewlett 2020, chapter 4): what becomes of stiffness and mass, ten links, double pendulum.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import condyle as cd

PARAMETERS = {
    "dt": cd.Parameter(0.01, "time step (not published for the chains)", "s"),
    "hard_dt": cd.Parameter(
        0.005, "time step of the difficult start (not published); at 0.01 s runs fail by chance", "s"
    ),
    "links": cd.Parameter(10, "links of the chain"),
    "length": cd.Parameter(1.0, "length of a link", "m"),
    "inertia": cd.Parameter(0.1, "moment of inertia of a link", "kg m²"),
    "gravity": cd.Parameter(9.81, "gravity", "m/s²"),
    "stiffness": cd.Parameter(1e10, "stiffness of the penalties", "N/m"),
    "mass": cd.Parameter(0.01, "mass of the penalties", "kg"),
    "levels": cd.Parameter(20, "halvings of their step"),
    "damping": cd.Parameter(1.0, "damping of the penalties, where there is some", "N s/m"),
    "end": cd.Parameter(15.0, "time of the easy start", "s"),
    "hard_end": cd.Parameter(10.0, "time of the difficult start", "s"),
    "pendulum_end": cd.Parameter(5.0, "time of the double pendulums", "s"),
    "stiffnesses": cd.Parameter((1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10), "stiffnesses of the double pendulum", "N/m"),
}
QUICK = {"end": 2.0, "hard_end": 2.0, "pendulum_end": 2.0, "stiffnesses": (1e5, 1e7, 1e9)}
INPUTS = ("length", "gravity")


def chain(p: cd.Parameters, angle: float, links: int) -> cd.Model:
    """Links of 1 kg, straight, at an angle from the vertical, at rest."""
    model = cd.Model("links", dimension=2, gravity=(0.0, -p.gravity))
    along, last = np.array([np.sin(angle), -np.cos(angle)]), model.ground
    for k in range(links):
        link = model.add(cd.RigidBody(f"link {k}", 1.0, inertia=p.inertia, position=(k + 0.5) * p.length * along))
        model.add(cd.Revolute(f"hinge {k}", last, link, at=k * p.length * along))
        last = link
    return model


def double_pendulum(p: cd.Parameters) -> cd.Model:
    """Two links, level at the start."""
    model = cd.Model("double pendulum", dimension=2, gravity=(0.0, -p.gravity))
    upper = model.add(cd.RigidBody("upper", 1.0, inertia=p.inertia, position=(0.5 * p.length, 0.0)))
    lower = model.add(cd.RigidBody("lower", 1.0, inertia=p.inertia, position=(1.5 * p.length, 0.0)))
    model.add(cd.Revolute("shoulder", model.ground, upper, at=(0.0, 0.0)))
    model.add(cd.Revolute("elbow", upper, lower, at=(p.length, 0.0)))
    return model


def swing(p: cd.Parameters, angle: float, end: float, damping: float, dt: float) -> cd.Outcome:
    """The chain with rescaled penalties."""
    method = cd.methods.VariationalPenalty(stiffness=p.stiffness, mass=p.mass, levels=p.levels, damping=damping)
    result = cd.simulate(chain(p, angle, p.links), end=end, dt=dt, integrator=method, on_failure="return")
    E = result.energy["total"]
    return {
        "reached": float(result.times[-1]),
        "t": result.times,
        "drift": E - E[0],
        "fall": float(np.ptp(result.energy["gravity"])),
        "gap": float(result.constraint_error.max()),
        "iterations": float(result.iterations[1:].mean()),
        "most": int(result.iterations.max()),
        "cuts": int(result.cuts.sum()),
        "path": result.position(f"link {p.links - 1}"),
    }


def period(p: cd.Parameters) -> float:
    """Of one link, held by such a penalty, in a small swing [s]: twice the time between two passages of the vertical."""
    method = cd.methods.VariationalPenalty(stiffness=p.stiffness, mass=p.mass, levels=p.levels)
    result = cd.simulate(chain(p, 0.01, 1), end=2.0, dt=p.dt, integrator=method)
    t, x = result.times, result.position("link 0")[:, 0]
    k = np.flatnonzero(x[1:] * x[:-1] < 0.0)
    passed = t[k] - x[k] * (t[k + 1] - t[k]) / (x[k + 1] - x[k])
    return float(2.0 * (passed[1] - passed[0]))


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """What becomes of a penalty, the chain from two starts, and gaps of the double pendulum over stiffness."""
    wide = np.geomspace(1e3, 1e11, 400)
    laws = {N: [cd.methods.rescale(float(k), 1.0, p.dt, N) for k in wide] for N in (4, 8, 16, 20)}
    limit = {N: 4.0 / (p.dt / 2.0**N) ** 2 for N in laws}
    yield {
        "wide": wide,
        "b": {N: np.array([law.b if k < limit[N] else np.nan for law, k in zip(row, wide, strict=True)])
              for N, row in laws.items()},
        "delta": {N: np.array([law.delta if k < limit[N] else np.nan for law, k in zip(row, wide, strict=True)])
                  for N, row in laws.items()},
        "published pair": cd.methods.rescale(1e10, 0.01, p.dt, 20).delta,
        "taken": cd.methods.select_penalty(p.stiffness, p.mass, p.dt, p.levels).stiffness,
        "period": period(p),
    }  # fmt: skip
    easy, hard = np.pi / 3.0, 0.75 * np.pi
    gaps: dict[str, list[float]] = {"rescaled": [], "compliant": []}
    losses = []
    for k in p.stiffnesses:
        method = cd.methods.VariationalPenalty(stiffness=k, mass=p.mass, levels=p.levels, damping=0.1 * p.damping)
        result = cd.simulate(double_pendulum(p), end=p.pendulum_end, dt=p.dt, integrator=method)
        gaps["rescaled"].append(float(result.constraint_error.max()))
        soft = cd.simulate(double_pendulum(p), end=p.pendulum_end, dt=p.dt, integrator=cd.Compliant(compliance=1.0 / k))
        gaps["compliant"].append(float(soft.constraint_error.max()))
        E = soft.energy["total"]
        losses.append(float(E[0] - E[-1]))
    exact = cd.simulate(chain(p, easy, p.links), end=min(p.end, 2.0), dt=0.5 * p.dt, integrator=cd.EnergyMomentum())
    found = swing(p, easy, p.end, 0.0, p.dt)
    frames = len(exact.times[::2])
    yield {
        "easy": found,
        "hard": swing(p, hard, p.hard_end, 0.0, p.hard_dt),
        "damped": swing(p, hard, p.hard_end, p.damping, p.hard_dt),
        "error": float(np.abs(found["path"][:frames] - exact.position(f"link {p.links - 1}")[::2]).max()),
        "gaps": gaps,
        "losses": losses,
        "stiffnesses": list(p.stiffnesses),
    }  # fmt: skip


def within(outcome: cd.Outcome, p_dt: float = 0.01) -> float:
    """The largest b, of its bound 4 m/h²."""
    return float(max(np.nanmax(b) for b in outcome["b"].values()) / (4.0 / p_dt**2))


def growth(run: cd.Outcome) -> float:
    """Largest drift of the energy, of what gravity gives up."""
    return float(np.abs(run["drift"]).max() / run["fall"])


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """b and Δ over stiffness, energies of the chain, and gaps of the double pendulum."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 6.0))
    (a, b), (c, d) = figure.subplots(2, 2)
    for N in outcome["b"]:
        a.semilogx(outcome["wide"], outcome["b"][N], linewidth=0.7, label=f"N = {N}")
        b.semilogx(outcome["wide"], outcome["delta"][N], linewidth=0.7, label=f"N = {N}")
    a.axhline(4.0 / p.dt**2, color="0.3", linewidth=0.8, linestyle="--")
    a.set(xlabel="k (N/m)", ylabel="b (N/m)")
    b.set(xlabel="k (N/m)", ylabel="Δ")
    b.legend(fontsize="small")
    for name, label in (("easy", "easy start"), ("hard", "difficult start"), ("damped", "difficult, damped")):
        c.plot(outcome[name]["t"], outcome[name]["drift"], linewidth=0.8, label=label)
    c.set(xlabel="time (s)", ylabel="energy less its start (J)")
    c.legend(fontsize="small")
    for name in ("rescaled", "compliant"):
        d.loglog(p.stiffnesses, outcome["gaps"][name], "o-", markersize=3, label=name)
    d.set(xlabel="k (N/m)", ylabel="largest gap (m)")
    d.legend(fontsize="small")
    figure.tight_layout()
    return {"hewlett_rescaling": figure}


CHAINS, PARTS = "hewlett-2020 §4.5.3, figure 4.3", "hewlett-2020 §4.5.2, figure 4.2"
CLAIMS = [
    cd.Claim("largest b of all stiffnesses, of its bound 4 m/h²", (0.9, 1.0 + 1e-6), lambda o: within(o), kind="published",
             origin=PARTS),
    cd.Claim("largest |Δ| of the stiffest tenth of all stiffnesses", "oscillates about 0 and tends to 0",
             lambda o: float(np.nanmax(np.abs(o["delta"][20][-40:]))), tolerance=1e-3, kind="published", origin=PARTS),
    cd.Claim("smallest Δ of all stiffnesses", "oscillates about 0", lambda o: float(np.nanmin(o["delta"][20])),
             tolerance=-0.1, kind="published", origin=PARTS),
    cd.Claim("change of Δ from N = 16 to N = 20, up to 10⁶ N/m", "does not depend on N once it is large",
             lambda o: float(np.abs(o["delta"][16] - o["delta"][20])[o["wide"] < 1e6].max()), tolerance=1e-4,
             kind="published", origin=PARTS),
    cd.Claim("Δ of the published pair at a step of 0.01 s", (0.0, 1.0), lambda o: o["published pair"],
             kind="published", origin=CHAINS,
             differs=cd.Differs("its step is not published; at 0.01 s the pair turns by 10000.04 rad, in the half turn in "
                                "which its effective mass is negative; the run takes 0.013 % less stiffness", -1e-3, -1e-6)),
    cd.Claim("change of stiffness that makes the published pair stable", "small (relative)",
             lambda o: abs(o["taken"] / 1e10 - 1.0), tolerance=1e-3, kind="property", origin="linear stability, Δ > 0"),
    cd.Claim("period of one link in a small swing", 1.67840, lambda o: o["period"], unit="s", tolerance=1e-3,
             kind="closed form", origin="2π √((J + m l²/4)/(m g l/2))"),
    cd.Claim("drift of the energy from the easy start, of what gravity gives up", "stable", lambda o: growth(o["easy"]),
             tolerance=0.05, kind="published", origin=CHAINS),
    cd.Claim("largest gap of the joints from the easy start", "small", lambda o: o["easy"]["gap"], unit="m", tolerance=1e-3,
             kind="published", origin=CHAINS),
    cd.Claim("Newton iterations of a step, easy start", (1.5, 4.0), lambda o: o["easy"]["iterations"], kind="property",
             origin="full Newton with a line search"),
    cd.Claim("share of steps that had to be cut from the difficult start, with damping", "stable, given enough solver time",
             lambda o: o["damped"]["cuts"] / len(o["damped"]["t"]), tolerance=0.01, kind="published", origin=CHAINS),
    cd.Claim("largest gap of the joints from the difficult start, with damping", "stable", lambda o: o["damped"]["gap"],
             unit="m", tolerance=0.01, kind="published", origin=CHAINS),
    cd.Claim("gap with 10⁵ N/m, rescaled over compliant", "has a bad range",
             lambda o: o["gaps"]["rescaled"][o["stiffnesses"].index(1e5)] / o["gaps"]["compliant"][o["stiffnesses"].index(1e5)],
             tolerance=5.0, sense="above", kind="published", origin="hewlett-2020 §4.5.3, figure 4.4"),
    cd.Claim("largest gap from the difficult start with damping over that without", "a little damping stops the build-up",
             lambda o: o["damped"]["gap"] / o["hard"]["gap"], tolerance=0.9, kind="published", origin=CHAINS),
    cd.Claim("error of the last link in the first seconds, against energy–momentum", "small", lambda o: o["error"], unit="m",
             tolerance=0.02, kind="reference", origin="energy–momentum at half the step"),
    cd.Claim("gap with the largest stiffness, rescaled over compliant", "compliant joints level off, rescaled ones do not",
             lambda o: o["gaps"]["rescaled"][-1] / o["gaps"]["compliant"][-1], tolerance=0.05, kind="published",
             origin="hewlett-2020 §4.5.3, figure 4.4"),
    cd.Claim("gap of compliant joints, largest stiffness over the one before", "levels off",
             lambda o: o["gaps"]["compliant"][-1] / o["gaps"]["compliant"][-2], tolerance=0.5, sense="above",
             kind="published", origin="hewlett-2020 §4.5.3, figure 4.4"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="hewlett-2020")
