"""Stiff chains under first-order steps with geometric stiffness and an energy monitor.

A double pendulum and a chain of 18 bars with a load at its end are stepped far too coarsely for plain compliant joints.
Without geometric stiffness the chain comes apart. With it the chain holds and loses energy, and with a monitor it loses less.
The same chain is run in Euler parameters, in natural coordinates, and with second-order methods.

Geometric stiffness with an energy monitor (Hewlett 2020, chapter 3): double pendulum, chain of 18 bars, three formulations.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd

LAWS = ("linear", "tanh", "quartic")


PARAMETERS = {
    "dt": cd.Parameter(0.01, "time step", "s"),
    "end": cd.Parameter(25.0, "time of the double pendulum", "s"),
    "compliance": cd.Parameter(1e-5, "compliance of the joints of the double pendulum", "m/N"),
    "dampings": cd.Parameter((0.0, 0.01, 1.0), "damping of its joints", "N m s/rad"),
    "widths": cd.Parameter((1e-3, 1e-2, 1e-1, 1.0), "widths of the monitor, of the least potential energy"),
    "bars": cd.Parameter(18, "bars of the chain"),
    "length": cd.Parameter(0.1, "length of a bar", "m"),
    "mass": cd.Parameter(1.0, "mass of a bar (not published)", "kg"),
    "ratio": cd.Parameter(10.0, "mass of the load over that of a bar"),
    "stiff": cd.Parameter(1e-8, "compliance of the joints of the chain", "m/N"),
    "forms": cd.Parameter(1.7, "time of the chain in other coordinates", "s"),
    "swing": cd.Parameter(1.7, "time of the chain", "s"),
    "sweep": cd.Parameter(tuple(k / 1000 for k in range(1, 21)), "steps of the chain", "s"),
    "fine": cd.Parameter(1e-5, "step of the reference without geometric stiffness", "s"),
    "compared": cd.Parameter((0.02, 0.01, 0.005, 0.0025, 0.00125), "steps at which all methods are compared", "s"),
    "compared_end": cd.Parameter(0.76, "time of these runs, until the chain whips round", "s"),
    "gravity": cd.Parameter(9.81, "gravity", "m/s²"),
}
QUICK = {
    "end": 8.0,
    "compared": (0.01,),
    "sweep": (0.002, 0.005, 0.01, 0.015),
    "fine": 1e-4,
    "dampings": (0.0, 1.0),
    "widths": (1e-2, 1.0),
    "forms": 0.8,
}
INPUTS = ("length", "gravity")


def double_pendulum(p: cd.Parameters, damping: float) -> cd.Model:
    """Two bodies of 1 kg and 1 kg m², half a metre from joint to centre, level at the start."""
    model = cd.Model("double pendulum", dimension=2, gravity=(0.0, -p.gravity))
    upper = model.add(cd.RigidBody("upper", 1.0, inertia=1.0, position=(0.5, 0.0)))
    lower = model.add(cd.RigidBody("lower", 1.0, inertia=1.0, position=(1.5, 0.0)))
    model.add(cd.Revolute("shoulder", model.ground, upper, at=(0.0, 0.0)))
    model.add(cd.Revolute("elbow", upper, lower, at=(1.0, 0.0)))
    if damping:
        model.add(cd.CoordinateDamper("grease", "shoulder.angle", damping=damping))
        model.add(cd.CoordinateDamper("oil", "elbow.angle", damping=damping))
    return model


def chain(p: cd.Parameters, *, bars: int = 0, ratio: float | None = None) -> cd.Model:
    """Thin bars on hinges, straight, 45° above the horizontal, with a load at the free end; at rest."""
    bars, load = bars or p.bars, p.mass * (p.ratio if ratio is None else ratio)
    model = cd.Model("chain", dimension=2, gravity=(0.0, -p.gravity))
    along, last = np.array([np.sqrt(0.5), np.sqrt(0.5)]), model.ground
    for k in range(bars):
        bar = cd.RigidBody(f"bar {k}", p.mass, inertia=p.mass * p.length**2 / 12.0, position=(k + 0.5) * p.length * along,
                           rotation=np.pi / 4)  # fmt: skip
        model.add(bar)
        model.add(cd.Revolute(f"hinge {k}", last, bar, at=k * p.length * along))
        last = bar
    weight = model.add(cd.PointMass("load", load, bars * p.length * along))
    model.add(cd.Pin("hook", weight, last, at=bars * p.length * along))
    return model


def drift(result: cd.Result) -> NDArray[np.float64]:
    """Energy less its start and the work since [J]."""
    E = result.energy["total"] - result.energy["work"]
    return E - E[0]


def method(kind: str, p: cd.Parameters, **more: Any) -> cd.Stabilised:
    """'none', 'whole' (α = 1) or the monitor of a law, for the double pendulum."""
    if kind in ("none", "whole"):
        return cd.Stabilised(compliance=p.compliance, alpha=float(kind == "whole"), **more)
    least = 2.0 * p.gravity  # of the potential energy, hanging
    options = {"width": 0.01 * least, "least": -1.0, "energy": "net"} | more
    return cd.Stabilised(compliance=p.compliance, monitor=kind, **options)


def pendulums(p: cd.Parameters) -> cd.Outcome:
    """All runs of the double pendulum."""
    out: cd.Outcome = {"drift": {}, "share": {}}
    for damping in p.dampings:
        for kind in ("none", "whole", *LAWS):
            result = cd.simulate(double_pendulum(p, damping), end=p.end, dt=p.dt, integrator=method(kind, p))
            out["drift"][kind, damping] = drift(result)
            if kind in LAWS:
                out["share"][kind, damping] = result.memory("energy monitor")[:, 1]
    out["t"] = result.times
    for kind in LAWS:
        explicit = cd.simulate(double_pendulum(p, 0.0), end=p.end, dt=p.dt, integrator=method(kind, p, bias="explicit"))
        out["drift"][kind, "explicit"] = drift(explicit)
    reach = {}
    for width in p.widths:
        wide = method("linear", p, width=width * 2.0 * p.gravity)
        result = cd.simulate(double_pendulum(p, 0.0), end=p.end, dt=p.dt, integrator=wide)
        reach[width] = (float(np.abs(result.memory("energy monitor")[:, 1]).max()), rms(drift(result)))
    out["widths"] = reach
    rest = cd.simulate(double_pendulum(p, 0.0), end=30.0, dt=p.dt, integrator=method("whole", p), every=10)
    out["rest"] = float(-drift(rest)[-1] / (2.0 * p.gravity))
    return out


def rms(values: NDArray[np.float64]) -> float:
    """Root of the mean square."""
    return float(np.sqrt(np.mean(np.square(values))))


HOLDS: dict[str, dict[str, Any]] = {
    "none": {"alpha": 0.0},
    "whole": {"alpha": 1.0},
    "monitor": {"monitor": "tanh"},
}


# which kinds of steps are taken with other biases, and at which steps [s]
BIASES = (
    ("whole", "implicit", 0.002), ("whole", "explicit", 0.002), ("whole", "explicit", 0.01),
    ("monitor", "implicit", 0.01), ("monitor", "unbiased", 0.01),
)  # fmt: skip


def swing(p: cd.Parameters, h: float, kind: str, bias: str = "implicit") -> cd.Outcome:
    """The chain at a step: drifts of net and total energy, how far joints come apart, the way of the load."""
    integrator = cd.Stabilised(compliance=p.stiff, bias=bias, **HOLDS[kind])
    try:
        result = cd.simulate(chain(p), end=p.swing, dt=h, integrator=integrator)
    except cd.ConvergenceError:
        lost = dict.fromkeys(("drift", "final", "total", "final total", "gap"), np.inf)
        return lost | {"path": np.full((2, 2), np.nan), "cuts": 1}
    off = drift(result)
    total = off + result.energy_of_gaps(p.stiff)  # the start fits its joints
    return {
        "drift": float(np.abs(off).max()),
        "final": float(off[-1]),
        "total": float(np.abs(total).max()),
        "final total": float(total[-1]),
        "gap": float(result.constraint_error.max()),
        "path": result.position("load"),
        "t": result.times,
        "cuts": int(result.cuts.sum()),
        "shape": np.array([[result.position(f"bar {k}")[i] for k in range(p.bars)] for i in spread(len(result.times))]),
    }


def spread(frames: int) -> NDArray[np.int64]:
    """A few frames to draw."""
    return np.linspace(0, frames - 1, 8).astype(int)


def spent_in(model: cd.Model, end: float, h: float, method: cd.Integrator) -> tuple[float, Any]:
    """Processor time of a run [s], and its result."""
    began = time.process_time()
    result = cd.simulate(model, end=end, dt=h, integrator=method, energy_tolerance=np.inf)
    return time.process_time() - began, result


def work_and_precision(p: cd.Parameters, exact: Any) -> cd.Outcome:
    """Error of the load's place and processor time, of all methods at a few steps."""
    methods: dict[str, Any] = {
        "compliant": lambda: cd.Compliant(compliance=p.stiff),
        "geometric stiffness": lambda: cd.Stabilised(compliance=p.stiff),
        "monitor": lambda: cd.Stabilised(compliance=p.stiff, monitor="tanh"),
        "variational penalty": lambda: cd.methods.VariationalPenalty(stiffness=1e10, mass=1e-3, damping=1.0),
        "Baumgarte": lambda: cd.methods.Baumgarte(),
        "augmented Lagrangian": lambda: cd.methods.AugmentedLagrangian(),
        "asynchronous": lambda: cd.methods.AsynchronousVariational(),
        "generalized-α": lambda: cd.GeneralizedAlpha(0.8),
        "energy–momentum": lambda: cd.EnergyMomentum(),
    }
    out: cd.Outcome = {}
    model = chain(p)
    for name, make in methods.items():
        for h in p.compared:
            try:
                runs = [spent_in(model, p.compared_end, h, make()) for _ in range(2)]
            except cd.ConvergenceError:
                continue
            result = runs[0][1]
            spent = min(run[0] for run in runs) / result.steps
            error = float(np.abs(result.position("load") - exact(result.times)).max())
            out.setdefault(name, []).append((h, error, spent))
    return {name: np.array(rows) for name, rows in out.items()}


def formulations(p: cd.Parameters) -> cd.Outcome:
    """The load of the chain in other coordinates, by the same step, and how far ways differ [m]."""
    bars = cd.methods.BarChain(bars=p.bars, length=p.length, mass=p.mass, load=p.ratio * p.mass, gravity=p.gravity,
                               compliance=p.stiff)  # fmt: skip
    out: cd.Outcome = {}
    for kind, options in HOLDS.items():
        runs = {name: bars.run(name, dt=p.dt, end=p.forms, **options) for name in ("Euler parameters", "natural")}
        rows = cd.simulate(chain(p), end=p.forms, dt=p.dt, integrator=cd.Stabilised(compliance=p.stiff, **options))
        path = rows.position("load")
        out[kind] = {
            "natural": float(np.abs(runs["natural"].load - runs["Euler parameters"].load).max()),
            "rows": float(np.abs(path - runs["Euler parameters"].load).max()),
        }
    return out


def mass_ratios(p: cd.Parameters) -> dict[float, tuple[float, float]]:
    """How far joints come apart [m] and what energy appears, of what gravity gives up; from a load of one bar to a thousand."""
    out = {}
    for ratio in (1.0, 10.0, 100.0, 1000.0):
        result = cd.simulate(chain(p, ratio=ratio), end=1.0, dt=p.dt, integrator=cd.Stabilised(compliance=p.stiff))
        scale = float(np.ptp(result.energy["gravity"]))
        out[ratio] = (float(result.constraint_error.max()), float(drift(result).max()) / scale)
    return out


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """The chain over steps, pendulums, the chain in other formulations, and all methods side by side."""
    reference = cd.simulate(chain(p), end=p.swing, dt=1e-3, integrator=cd.EnergyMomentum())

    def exact(times: NDArray[np.float64]) -> NDArray[np.float64]:
        path = reference.position("load")
        return np.column_stack([np.interp(times, reference.times, path[:, k]) for k in range(2)])

    yield {"sweep": {kind: {h: swing(p, h, kind) for h in p.sweep} for kind in HOLDS}}
    yield {"biases": {(kind, bias, h): swing(p, h, kind, bias)["final"] for kind, bias, h in BIASES}}
    yield {"pendulum": pendulums(p)}
    yield {"forms": formulations(p)}
    every = round(1e-3 / p.fine)
    fine = cd.simulate(chain(p), end=p.swing, dt=p.fine, integrator=cd.Compliant(compliance=p.stiff), every=every)
    yield {
        "reference": (reference.times, reference.position("load")),
        "fine drift": float(np.abs(drift(fine)).max()),
        "scale": float(reference.energy["kinetic"].max()),
        "precision": work_and_precision(p, exact),
        "ratios": mass_ratios(p),
        "exact": float(np.abs(fine.position("load")[-1] - reference.position("load")[-1]).max()),
    }


def ratio_of(outcome: cd.Outcome, kind: str, other: str, damping: float | str = 0.0, against: float = 0.0) -> float:
    """How much smaller the drift of one run of the double pendulum is than that of another (root mean square)."""
    runs = outcome["pendulum"]["drift"]
    return rms(runs[kind, damping]) / rms(runs[other, against])


def at(outcome: cd.Outcome, kind: str, h: float, what: str) -> float:
    """A number of the chain at a step."""
    return float(outcome["sweep"][kind][h][what])


def smallest(outcome: cd.Outcome, what: str, first: float = 0.0, last: float = np.inf) -> float:
    """At how many of the steps between two [s] the monitor has the smallest largest drift of the three."""
    sweep = outcome["sweep"]
    steps = [h for h in sweep["none"] if first - 1e-9 <= h <= last + 1e-9]
    won = [min(sweep, key=lambda kind: sweep[kind][h][what]) == "monitor" for h in steps]
    return sum(won) / len(steps)


def bias_ratio(outcome: cd.Outcome, kind: str, bias: str, h: float) -> float:
    """Energy that is lost with another bias over that with the implicit one."""
    return float(outcome["biases"][kind, bias, h] / outcome["biases"][kind, "implicit", h])


def formulation(outcome: cd.Outcome, kind: str, what: str = "natural") -> float:
    """How far the load is off in other coordinates [m]."""
    return float(outcome["forms"][kind][what])


def holding(outcome: cd.Outcome) -> float:
    """The smallest step at which joints without geometric stiffness come apart by more than a tenth of a bar [s]."""
    apart = [h for h, run in outcome["sweep"]["none"].items() if run["gap"] > 0.01]
    return float(min(apart))


def at_step(outcome: cd.Outcome, name: str, h: float) -> float:
    """Error of a method at a step [m]."""
    rows = outcome["precision"][name]
    return float(rows[np.argmin(np.abs(rows[:, 0] - h)), 1])


def mean_share(outcome: cd.Outcome, law: str) -> float:
    """Mean |α| of a law on the double pendulum without damping."""
    return float(np.abs(outcome["pendulum"]["share"][law, 0.0]).mean())


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Energies of the double pendulum, the chain over time and over steps, and work against precision."""
    from matplotlib.figure import Figure

    first = Figure(figsize=(7.0, 5.0))
    top, bottom = first.subplots(2, 1, sharex=True)
    runs, t = outcome["pendulum"]["drift"], outcome["pendulum"]["t"]
    for kind, label in (("none", "α = 0"), *((law, law) for law in LAWS)):
        top.plot(t, runs[kind, 0.0], label=label, linewidth=0.9)
    top.set(ylabel="energy less its start (J)", xlim=(0.0, p.end))
    top.legend(ncols=4, fontsize="small", loc="lower center", bbox_to_anchor=(0.5, 1.0))
    for law in LAWS:
        bottom.plot(t, outcome["pendulum"]["share"][law, 0.0], label=law, linewidth=0.9)
    bottom.set(xlabel="time (s)", ylabel="α")
    first.align_ylabels()

    second = Figure(figsize=(11.0, 3.6))
    axes = second.subplots(1, 4)
    h = min(p.sweep, key=lambda h: abs(h - p.dt))
    for ax, kind, title in zip(axes[:3], HOLDS, ("α = 0", "α = 1", "monitor"), strict=True):
        for shape in outcome["sweep"][kind][h].get("shape", ()):
            ax.plot(shape[:, 0], shape[:, 1], ".-", markersize=2, linewidth=0.8)
        reach = 1.15 * p.bars * p.length
        ax.set(title=title, xlim=(-reach, reach), ylim=(-reach, reach), aspect="equal", xlabel="m")
    for kind, label in zip(HOLDS, ("α = 0", "α = 1", "monitor"), strict=True):
        swings = outcome["sweep"][kind]
        steps = [1e3 * h for h in swings]
        (line,) = axes[3].semilogy(
            steps, [min(run["total"], 1e9) for run in swings.values()], "o-", label=label, markersize=2.5
        )
        final = [min(abs(run["final total"]), 1e9) for run in swings.values()]
        axes[3].semilogy(steps, final, "--", color=line.get_color(), linewidth=0.8)
    axes[3].set(xlabel="step (ms)", title="total drift: largest, final (- -) (J)")
    axes[3].legend(fontsize="small")
    second.tight_layout()

    third = Figure(figsize=(9.5, 4.0))
    left, right = third.subplots(1, 2, sharey=True)
    styles = [
        f"{mark}{line}" for mark, line in zip("os^Dv<>PX", ("-", "-", "-", "--", ":", ":", "--", "-", "-"), strict=True)
    ]
    for style, (name, rows) in zip(styles, outcome["precision"].items(), strict=False):
        error = np.minimum(rows[:, 1], 10.0)
        left.loglog(1e3 * rows[:, 0], error, style, markersize=4, linewidth=1.0, label=name)
        right.loglog(1e3 * rows[:, 2] / rows[:, 0], error, style, markersize=4, linewidth=1.0, label=name)
    left.set(xlabel="step (ms)", ylabel=f"largest error of the load in {p.compared_end:g} s (m)")
    left.set_xticks((1, 2, 5, 10, 20), labels=("1", "2", "5", "10", "20"))
    left.minorticks_off()
    right.set(xlabel="processor time per second, with set-up (ms)")
    right.set_xticks((30, 100, 300, 1000), labels=("30", "100", "300", "1000"))
    right.minorticks_off()
    right.legend(fontsize="x-small", loc="upper left", bbox_to_anchor=(1.0, 1.0))
    third.tight_layout()
    return {"hewlett_chains_pendulum": first, "hewlett_chains": second, "hewlett_chains_work": third}


PENDULUM, CHAIN = "hewlett-2020 §3.4.1, figures 3.6 to 3.10", "hewlett-2020 §3.4.2, figures 3.11 to 3.13"
FORMS = "hewlett-2020 §3.4.3, figure 3.15"
CLAIMS = [
    cd.Claim("energy that α = 1 takes out of the double pendulum in 30 s, of its fall", "comes to rest in about 30 s",
             lambda o: o["pendulum"]["rest"], tolerance=0.75, sense="above", kind="published", origin=PENDULUM),
    cd.Claim("drift of the double pendulum without geometric stiffness over that with α = 1", "keeps energy fairly well",
             lambda o: ratio_of(o, "none", "whole"), tolerance=0.05, kind="published", origin=PENDULUM),
    cd.Claim("drift with the quartic law over that without", "better than α = 0", lambda o: ratio_of(o, "quartic", "none"),
             tolerance=1.0, kind="published", origin=PENDULUM),
    *(cd.Claim(f"drift with the {law} law over that without", (0.7, 1.4), partial(ratio_of, kind=law, other="none"),
               kind="relation", origin="the source says below 1 (§3.4.1); the motion is chaotic, here they are about equal")
      for law in ("linear", "tanh")),
    *(cd.Claim(f"drift with the {law} law, explicit over implicit", 1.0,
               partial(ratio_of, kind=law, other=law, damping="explicit"), tolerance=0.1, kind="published", origin=PENDULUM)
      for law in LAWS),
    *(cd.Claim(f"with joint damping, drift with the {law} law over that with α = 1", "far better than α = 1",
               partial(ratio_of, kind=law, other="whole", damping=1.0, against=1.0), tolerance=0.05, kind="published",
               origin=PENDULUM)
      for law in LAWS),
    *(cd.Claim(f"with joint damping, drift with the {law} law over that without", 1.0,
               partial(ratio_of, kind=law, other="none", damping=1.0, against=1.0), tolerance=0.15, kind="published",
               origin=PENDULUM)
      for law in LAWS),
    cd.Claim("largest α with a width of the whole least potential energy", "below 1",
             lambda o: o["pendulum"]["widths"][1.0][0], tolerance=0.1, kind="published", origin=PENDULUM),
    cd.Claim("mean |α| of the quartic law over that of the linear one", "smallest α",
             lambda o: mean_share(o, "quartic") / mean_share(o, "linear"), tolerance=0.5, kind="published", origin=PENDULUM),
    cd.Claim("how far the chain comes apart without geometric stiffness at 10 ms", "blows apart",
             lambda o: at(o, "none", 0.01, "gap"), unit="m", tolerance=0.1, sense="above", kind="published", origin=CHAIN),
    cd.Claim("how far it comes apart with α = 1 at 10 ms", "smooth", lambda o: at(o, "whole", 0.01, "gap"), unit="m",
             tolerance=0.01, kind="published", origin=CHAIN),
    cd.Claim("how far it comes apart with the monitor at 10 ms", "smooth", lambda o: at(o, "monitor", 0.01, "gap"), unit="m",
             tolerance=0.01, kind="published", origin=CHAIN),
    cd.Claim("energy lost with the monitor over that with α = 1 at 10 ms", "only slightly better than α = 1",
             lambda o: at(o, "monitor", 0.01, "final") / at(o, "whole", 0.01, "final"), tolerance=0.9, kind="published",
             origin=CHAIN),
    cd.Claim("share of steps from 5 to 15 ms at which the monitor has the smallest largest drift of the net energy", 1.0,
             lambda o: smallest(o, "drift", 0.005, 0.015), tolerance=0.01, kind="published", origin=CHAIN),
    cd.Claim("share of steps from 6 to 15 ms at which the monitor has the smallest largest drift of the total energy", 1.0,
             lambda o: smallest(o, "total", 0.006, 0.015), tolerance=0.01, kind="published", origin=CHAIN),
    cd.Claim("the same of all steps", 1.0, lambda o: smallest(o, "total"), tolerance=0.01, kind="published", origin=CHAIN,
             differs=cd.Differs("joints that snap straight hold energy for an instant, which makes the largest drift; at 3 to "
                                "5 ms and above 15 ms α = 1 or chance has the lowest of these peaks", 0.6, 0.95)),
    cd.Claim("total energy lost at the end with the monitor over that with α = 1, largest of all steps from 1 to 15 ms",
             "better than α = 1", lambda o: max(run["final total"] / o["sweep"]["whole"][h]["final total"]
                                                for h, run in o["sweep"]["monitor"].items() if h < 0.0151),
             tolerance=0.9, kind="published", origin=CHAIN),
    cd.Claim("energy lost with α = 1 at 2 ms, explicit over implicit", 1.0, lambda o: bias_ratio(o, "whole", "explicit", 0.002),
             tolerance=0.02, kind="relation", origin="of the same order, where both are stable"),
    cd.Claim("energy lost with the monitor at 10 ms, unbiased over implicit", 1.0,
             lambda o: bias_ratio(o, "monitor", "unbiased", 0.01), tolerance=0.05, kind="relation",
             origin="they differ only where α is below 0"),
    cd.Claim("does the explicit form of α = 1 fail on the stiff chain at 10 ms?", "it does",
             lambda o: float(not abs(o["biases"]["whole", "explicit", 0.01]) < 1e3), tolerance=0.5, sense="above",
             kind="relation", origin="a force that stands in no matrix has a limit of the step"),
    cd.Claim("the smallest step at which plain joints come apart by a tenth of a bar", "usable only at 1 ms", holding, unit="s",
             tolerance=0.0051, kind="published", origin=CHAIN),
    cd.Claim("natural against Euler parameters with α = 1, load", "nearly identical", lambda o: formulation(o, "whole"),
             unit="m", tolerance=0.03, kind="published", origin=FORMS),
    cd.Claim("natural against Euler parameters with the monitor, over that without geometric stiffness",
             "nearly identical whenever geometric stiffness is used",
             lambda o: formulation(o, "monitor") / formulation(o, "none"), tolerance=0.5, kind="published", origin=FORMS),
    cd.Claim("rows against Euler parameters with α = 1, load", "the same motion", lambda o: formulation(o, "whole", "rows"),
             unit="m", tolerance=0.15, kind="relation", origin="the same step in other coordinates"),
    cd.Claim("error of energy–momentum over that of the monitor at 10 ms", "smaller",
             lambda o: at_step(o, "energy–momentum", 0.01) / at_step(o, "monitor", 0.01), tolerance=0.2, kind="relation",
             origin="the same chain at the same step"),
    cd.Claim("error of the variational penalty over that of the monitor at 10 ms", "smaller",
             lambda o: at_step(o, "variational penalty", 0.01) / at_step(o, "monitor", 0.01), tolerance=0.5, kind="relation",
             origin="the same chain at the same step"),
    cd.Claim("how far a chain with a load of 1000 bars comes apart", "holds", lambda o: o["ratios"][1000.0][0], unit="m",
             tolerance=0.02, kind="property", origin="geometric stiffness"),
    cd.Claim("energy that appears with loads of 1 to 1000 bars, of what gravity gives up", "none",
             lambda o: max(gain for _, gain in o["ratios"].values()), tolerance=0.01, kind="property",
             origin="geometric stiffness takes energy out"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="hewlett-2020")
