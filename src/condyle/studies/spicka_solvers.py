"""Bouncing ball: work and precision of four stiff solvers, and of Condyle's methods.

Table 3.1 of the source gives processor times of MATLAB's ode15s, ode23t, ode23tb and ode23s for 1 s and 5 s of a
bouncing ball. Here the same methods (BDF, trapezoidal rule, TR-BDF2, Rosenbrock 2(3)) are compared by evaluations of
the accelerations and by their error, with Condyle's own methods beside them; times are in the benchmarks.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import condyle as cd
from condyle.studies.spicka_ball import ball_model

SOLVERS = {"BDF": "ode15s", "Trapezoidal": "ode23t", "TRBDF2": "ode23tb", "Rosenbrock23": "ode23s"}  # ours: MATLAB's
PUBLISHED = {"BDF": (166.0, 1382.0), "Trapezoidal": (169.0, 1820.0), "TRBDF2": (278.0, 2675.0),
             "Rosenbrock23": (1592.0, 20045.0)}  # table 3.1: processor seconds for 1 s and 5 s  # fmt: skip


PARAMETERS = {
    "mass": cd.Parameter(1.0, "mass of the ball", "kg"),
    "radius": cd.Parameter(0.1, "its radius", "m"),
    "height": cd.Parameter(1.0, "height of its centre at the release", "m"),
    "gravity": cd.Parameter(9.81, "gravity", "m/s²"),
    "nonlinear": cd.Parameter(3.009e7, "stiffness of the non-linear law, table 4.3", "N/m^1.5"),
    "nonlinear_damping": cd.Parameter(3.0e4, "its damping, table 4.3", "N s/m^2.5"),
    "end": cd.Parameter(1.0, "time simulated", "s"),
    "frame": cd.Parameter(0.01, "largest step", "s"),
    "tolerances": cd.Parameter((1e-3, 1e-4, 1e-5, 1e-6), "of the solvers with error control"),
    "step_errors": cd.Parameter((1e-4, 1e-5, 1e-6, 1e-7), "of Condyle's methods, relative to the size of the model"),
}  # fmt: skip
QUICK = {"end": 0.46, "tolerances": (1e-4,), "step_errors": (1e-4,)}
INPUTS = ("gravity", "height")


def solver_runs(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """Table 3.1 again: evaluations of the accelerations, and error of the height at the end, of each solver and tolerance."""
    model = ball_model(p, law(p), p.height)

    def solved(method: cd.Integrator, label: str) -> cd.Result:
        return context.simulate(label, model, end=p.end, dt=p.frame, integrator=method, energy_tolerance=np.inf)

    finest = cd.methods.ScipyReference("DOP853", rtol=1e-11, stabilisation="baumgarte")
    exact = solved(finest, "reference")
    height = exact.position("ball")[:, 1]
    work: dict[str, list[tuple[float, float]]] = {}
    for name in SOLVERS:
        for tolerance in p.tolerances:
            method = cd.methods.ScipyReference(name, rtol=tolerance, stabilisation="baumgarte")
            found = solved(method, f"{name}-{tolerance:g}").position("ball")[-1, 1]
            work.setdefault(name, []).append((method.spent, float(abs(found - height[-1]))))
    return {"times": exact.times, "height": height, "work": work}


def counted(method: cd.Integrator) -> tuple[Any, list[int]]:
    """The method, and the evaluations that each of its steps takes: those that error control tries and rejects too."""
    spent: list[int] = []

    class Counted(type(method)):  # type: ignore[misc]
        def step(self, system: Any, state: cd.State, h: float) -> Any:
            after, info = super().step(system, state, h)
            spent.append(info.iterations + 1)
            return after, info

    return Counted(), spent


def own_runs(p: cd.Parameters, height: float, context: cd.Context) -> dict[str, list[tuple[float, float]]]:
    """The same by Condyle's methods with steps by error control, work counted in evaluations of all forces."""
    work: dict[str, list[tuple[float, float]]] = {}
    for method in (cd.EnergyMomentum(), cd.GeneralizedAlpha()):
        for tolerance in p.step_errors:
            name = type(method).__name__
            counting, spent = counted(method)
            result = context.simulate(f"{name}-{tolerance:g}", ball_model(p, law(p), p.height), end=p.end, dt=p.frame,
                                      integrator=counting, step_error=tolerance, energy_tolerance=np.inf)  # fmt: skip
            work.setdefault(name, []).append((float(sum(spent)), float(abs(result.position("ball")[-1, 1] - height))))
    return work


def law(p: cd.Parameters) -> cd.NonlinearDashpot:
    """The fitted non-linear law, with n = 3/2: of those of the source the one with which the ball bounces."""
    return cd.NonlinearDashpot(p.nonlinear, p.nonlinear_damping)


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """The reference, the four solvers of the source, and Condyle's methods."""
    outcome = solver_runs(p, context)
    yield outcome
    yield {"own work": own_runs(p, outcome["height"][-1], context)}


def touched(outcome: cd.Outcome, radius: float = 0.1) -> float:
    """When the ball first touches the ground [s], by the reference: the parabola through three heights before it."""
    t, z = outcome["times"], outcome["height"]
    k = int(np.argmax(np.diff(z, append=np.inf) > 0.0)) - 3  # heights well before the rebound
    bend, slope, level = np.polyfit(t[k - 2 : k + 1] - t[k], z[k - 2 : k + 1] - radius, 2)
    return float(t[k] + (-slope - np.sqrt(slope * slope - 4.0 * bend * level)) / (2.0 * bend))


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """The height over time, and work against precision."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 3.4))
    left, right = figure.subplots(1, 2)
    left.plot(outcome["times"], outcome["height"])
    left.set(xlabel="time (s)", ylabel="height of the centre (m)", ylim=(0.0, None), title="non-linear law")
    for marker, (name, points) in zip("osd^v<", {**outcome["work"], **outcome["own work"]}.items(), strict=True):
        label = f"{name} ({SOLVERS[name]}: {PUBLISHED[name][0]:g} s)" if name in SOLVERS else name
        work, error = np.array(points).T
        right.loglog(work, error, marker=marker, label=label, linestyle="-" if name in SOLVERS else "--")
    right.set(
        xlabel="evaluations of all forces", ylabel="error of the height at the end (m)", title="work and precision"
    )
    right.set_xticks([200, 500, 1000, 2000], ["200", "500", "1000", "2000"])
    right.minorticks_off()
    right.legend(fontsize="x-small")
    return {"spicka_solvers": figure}


CLAIMS = [
    cd.Claim("first touch", 0.42836, touched, kind="closed form", unit="s", tolerance=1e-4, origin="√(2 · 0.9 m/g)"),
    cd.Claim("table 3.1: evaluations of Rosenbrock's method over those of BDF", "the most expensive solver",
             lambda o: min(r[0] / b[0] for r, b in zip(o["work"]["Rosenbrock23"], o["work"]["BDF"], strict=True)),
             kind="published", tolerance=1.3, sense="above",
             origin="table 3.1: ode23s takes 9.6 times the time of ode15s; one matrix of differences in every step"),
    cd.Claim("table 3.1: evaluations of TR-BDF2 over those of the trapezoidal rule", "two stages cost more than one",
             lambda o: min(r[0] / b[0] for r, b in zip(o["work"]["TRBDF2"], o["work"]["Trapezoidal"], strict=True)),
             kind="published", tolerance=1.1, sense="above", origin="table 3.1: 278 s over 169 s"),
    cd.Claim("table 3.1: error of the height at the end with the smallest tolerance", "all four agree",
             lambda o: max(points[-1][1] for points in o["work"].values()), kind="reference", unit="m", tolerance=1e-3,
             origin="Runge–Kutta of order 8, tolerance 1e-11"),
    cd.Claim("Condyle's methods: error of the height at the end with the smallest tolerance", "the same motion",
             lambda o: max(points[-1][1] for points in o["own work"].values()), kind="reference", unit="m", tolerance=2e-3,
             origin="Runge–Kutta of order 8, tolerance 1e-11"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="spicka-2013")
