"""Bouncing ball: work and precision of four stiff solvers, and of Condyle's methods.

Table 3.1 of the source gives processor times of MATLAB's ode15s, ode23t, ode23tb and ode23s for 1 s and 5 s of a
bouncing ball. Here the same methods (BDF, trapezoidal rule, TR-BDF2, Rosenbrock 2(3)) are compared by evaluations of
the accelerations and by their error, with Condyle's own methods beside them. Their ranking is the published one, their
ratios are not; times are in the benchmarks.
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
    "inertia": cd.Parameter(0.1, "moment of inertia of the ball of six coordinates", "kg m²"),
    "ends": cd.Parameter((1.0, 5.0), "times simulated, as in table 3.1", "s"),
    "frame": cd.Parameter(0.01, "largest step", "s"),
    "tolerances": cd.Parameter((1e-3, 1e-4, 1e-5, 1e-6), "of the solvers with error control"),
    "step_errors": cd.Parameter((1e-4, 1e-5, 1e-6, 1e-7), "of Condyle's methods, relative to the size of the model"),
}  # fmt: skip
QUICK = {"ends": (0.46,), "tolerances": (1e-4,), "step_errors": (1e-4,)}
INPUTS = ("gravity", "height")


Work = dict[
    str, list[tuple[float, float]]
]  # by method and tolerance: evaluations, and error of the height at the end [m]


def solver(name: str, tolerance: float) -> cd.methods.ScipyReference:
    """One of the solvers of the source, or the reference."""
    return cd.methods.ScipyReference(name, rtol=tolerance, stabilisation="baumgarte")


def solver_runs(p: cd.Parameters, end: float, context: cd.Context) -> cd.Outcome:
    """Table 3.1 again: evaluations of the accelerations, and error of the height at the end, of each solver and tolerance."""
    model = ball_model(p, law(p), p.height)

    def solved(method: cd.Integrator, label: str) -> cd.Result:
        return context.simulate(
            f"{label}-{end:g}-s", model, end=end, dt=p.frame, integrator=method, energy_tolerance=np.inf
        )

    exact = solved(solver("DOP853", 1e-11), "reference")
    height = exact.position("ball")[:, 1]
    work: Work = {}
    for name in SOLVERS:
        for tolerance in p.tolerances:
            method = solver(name, tolerance)
            found = solved(method, f"{name}-{tolerance:g}").position("ball")[-1, 1]
            work.setdefault(name, []).append((method.spent, float(abs(found - height[-1]))))
    return {"times": exact.times, "height": height, "work": work}


def of_six_coordinates(p: cd.Parameters, context: cd.Context) -> float:
    """Evaluations of Rosenbrock's method over those of BDF for a rigid ball, as in the source; the others take a point."""
    model = cd.Model("rigid ball", dimension=3, gravity=(0.0, 0.0, -p.gravity))
    ball = model.add(cd.RigidBody("ball", p.mass, inertia=(p.inertia,) * 3, position=(0.0, 0.0, p.height)))
    ground = cd.Plane((0.0, 0.0, 1.0))
    model.add(cd.Contact("floor", ball, cd.Sphere(p.radius), model.ground, ground, law=law(p)))
    spent = []
    for name in ("Rosenbrock23", "BDF"):
        method = solver(name, p.tolerances[-1])
        context.simulate(f"rigid-{name}", model, end=p.ends[0], dt=p.frame, integrator=method, energy_tolerance=np.inf)
        spent.append(method.spent)
    return spent[0] / spent[1]


def counted(method: cd.Integrator) -> tuple[Any, list[int]]:
    """The method, and the evaluations that each of its steps takes: those that error control tries and rejects too."""
    spent: list[int] = []

    class Counted(type(method)):  # type: ignore[misc]
        def step(self, system: Any, state: cd.State, h: float) -> Any:
            after, info = super().step(system, state, h)
            spent.append(info.iterations + 1)
            return after, info

    return Counted(), spent


def own_runs(p: cd.Parameters, height: float, context: cd.Context) -> Work:
    """The same by Condyle's methods with steps by error control, work counted in evaluations of all forces."""
    work: Work = {}
    for method in (cd.EnergyMomentum(), cd.GeneralizedAlpha()):
        for tolerance in p.step_errors:
            name = type(method).__name__
            counting, spent = counted(method)
            result = context.simulate(f"{name}-{tolerance:g}", ball_model(p, law(p), p.height), end=p.ends[0], dt=p.frame,
                                      integrator=counting, step_error=tolerance, energy_tolerance=np.inf)  # fmt: skip
            work.setdefault(name, []).append((float(sum(spent)), float(abs(result.position("ball")[-1, 1] - height))))
    return work


def law(p: cd.Parameters) -> cd.NonlinearDashpot:
    """The fitted non-linear law, with n = 3/2: of those of the source the one with which the ball bounces."""
    return cd.NonlinearDashpot(p.nonlinear, p.nonlinear_damping)


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """The reference, the four solvers of the source, and Condyle's methods; then the longer time and the rigid ball."""
    outcome = solver_runs(p, p.ends[0], context)
    yield outcome
    yield {"own work": own_runs(p, outcome["height"][-1], context)}
    if len(p.ends) > 1:
        yield {"longer": solver_runs(p, p.ends[1], context)["work"], "rigid": of_six_coordinates(p, context)}


def dearer(work: Work, name: str, others: tuple[str, ...]) -> float:
    """Evaluations of a solver over those of the dearest of others, at the tolerance where that is least."""
    spent = {each: np.array(points)[:, 0] for each, points in work.items()}
    return float((spent[name] / np.max([spent[other] for other in others], axis=0)).min())


def ratio(work: Work, name: str, other: str) -> float:
    """Evaluations of a solver over those of another at the smallest tolerance."""
    return work[name][-1][0] / work[other][-1][0]


def falls(work: Work) -> float:
    """Largest error of the four solvers at a tolerance over that at ten times the tolerance, at its worst."""
    worst = np.max([np.array(points)[:, 1] for points in work.values()], axis=0)
    return float((worst[1:] / worst[:-1]).max())


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
        label = "{} ({}: {:g} s, {:g} s)".format(name, SOLVERS[name], *PUBLISHED[name]) if name in SOLVERS else name
        work, error = np.array(points).T
        right.loglog(work, error, marker=marker, label=label, linestyle="-" if name in SOLVERS else "--")
    right.set(
        xlabel="evaluations of all forces", ylabel="error of the height at the end (m)", title="work and precision"
    )
    right.set_xticks([200, 500, 1000, 2000], ["200", "500", "1000", "2000"])
    right.minorticks_off()
    right.legend(fontsize="x-small")
    return {"spicka_solvers": figure}


COUNTS = (
    "evaluations are counted, not seconds of MATLAB, and of a point with two coordinates: a matrix of differences, which "
    "Rosenbrock's method makes in every step, takes 4 evaluations here and 12 of a ball with six coordinates"
)
LONGER = (
    "the ball bounces nearly elastically, once in 1 s and six times in 5 s, and evaluations grow with that; why seconds "
    "of the source grow faster, it does not say"
)


def published(of: str, by: str, low: float, high: float, *, longer: bool = False) -> cd.Claim:
    """A ratio of table 3.1 that evaluations miss: of one solver over another, for 1 s or for 5 s."""
    column, key = (1, "longer") if longer else (0, "work")
    one, other = PUBLISHED[of][column], PUBLISHED[by][column]
    return cd.Claim(f"table 3.1, {5 if longer else 1} s: {SOLVERS[of]} over {SOLVERS[by]}", one / other,
                    lambda o: ratio(o[key], of, by), kind="published", tolerance=0.005, full_only=True,
                    origin=f"table 3.1: {one:g} s over {other:g} s", differs=cd.Differs(COUNTS, low, high))  # fmt: skip


CHEAPER = tuple(name for name in SOLVERS if name != "Rosenbrock23")
ROSENBROCK = PUBLISHED["Rosenbrock23"][0] / PUBLISHED["BDF"][0]

CLAIMS = [
    cd.Claim("first touch", 0.42836, touched, kind="closed form", unit="s", tolerance=1e-4, origin="√(2 · 0.9 m/g)"),
    cd.Claim("table 3.1, 1 s: evaluations of Rosenbrock's method over the most of the other three, at every tolerance",
             "the most expensive solver", lambda o: dearer(o["work"], "Rosenbrock23", CHEAPER), kind="published",
             tolerance=1.15, sense="above", origin="table 3.1: ode23s takes longest"),
    cd.Claim("table 3.1, 1 s: evaluations of TR-BDF2 over the more of BDF and the trapezoidal rule, at every tolerance",
             "the second most expensive", lambda o: dearer(o["work"], "TRBDF2", ("BDF", "Trapezoidal")), kind="published",
             tolerance=1.1, sense="above", origin="table 3.1: 278 s, 169 s and 166 s"),
    cd.Claim("table 3.1, 5 s: evaluations of Rosenbrock's method over the most of the other three, at every tolerance",
             "the most expensive solver", lambda o: dearer(o["longer"], "Rosenbrock23", CHEAPER), kind="published",
             tolerance=1.08, sense="above", full_only=True, origin="table 3.1: ode23s takes longest"),
    cd.Claim("table 3.1, 5 s: evaluations of TR-BDF2 over the more of BDF and the trapezoidal rule, at every tolerance",
             "the second most expensive", lambda o: dearer(o["longer"], "TRBDF2", ("BDF", "Trapezoidal")), kind="published",
             tolerance=1.1, sense="above", full_only=True, origin="table 3.1: 2675 s, 1820 s and 1382 s"),
    cd.Claim("table 3.1, 5 s: evaluations of the trapezoidal rule over those of BDF, at every tolerance",
             "the third most expensive", lambda o: dearer(o["longer"], "Trapezoidal", ("BDF",)), kind="published",
             tolerance=1.03, sense="above", full_only=True, origin="table 3.1: 1820 s and 1382 s"),
    published("Rosenbrock23", "BDF", 2.5, 4.0),
    published("Rosenbrock23", "BDF", 2.8, 4.5, longer=True),
    published("TRBDF2", "Trapezoidal", 1.2, 1.55),
    published("TRBDF2", "Trapezoidal", 1.2, 1.45, longer=True),
    published("Trapezoidal", "BDF", 1.1, 1.6),
    published("Trapezoidal", "BDF", 1.35, 1.6, longer=True),
    cd.Claim("table 3.1, 1 s: ode23s over ode15s, by evaluations of a rigid ball of six coordinates", ROSENBROCK,
             lambda o: o["rigid"], kind="published", tolerance=0.005, full_only=True, origin="table 3.1: 1592 s over 166 s",
             differs=cd.Differs("evaluations are counted, not seconds of MATLAB, whose tolerance is not given", 5.0, 8.0)),
    cd.Claim("table 3.1: ode15s for 5 s over ode15s for 1 s", PUBLISHED["BDF"][1] / PUBLISHED["BDF"][0],
             lambda o: o["longer"]["BDF"][-1][0] / o["work"]["BDF"][-1][0], kind="published", tolerance=0.05, full_only=True,
             origin="table 3.1: 1382 s over 166 s", differs=cd.Differs(LONGER, 4.8, 6.0)),
    cd.Claim("table 3.1: error of the height at the end with the smallest tolerance", "all four agree",
             lambda o: max(points[-1][1] for points in o["work"].values()), kind="reference", unit="m", tolerance=4e-4,
             origin="Runge–Kutta of order 8, tolerance 1e-11"),
    cd.Claim("table 3.1, 5 s: error of the height at the end with the smallest tolerance", "all four agree",
             lambda o: max(points[-1][1] for points in o["longer"].values()), kind="reference", unit="m", tolerance=4e-4,
             full_only=True, origin="Runge–Kutta of order 8, tolerance 1e-11"),
    cd.Claim("largest error of the four solvers at a tenth of the tolerance over that at the tolerance", "falls",
             lambda o: max(falls(o["work"]), falls(o["longer"])), kind="property", tolerance=0.5, full_only=True,
             origin="error control: each of the three tenths"),
    cd.Claim("Condyle's methods: error of the height at the end with the largest tolerance", "nearly the same motion",
             lambda o: max(points[0][1] for points in o["own work"].values()), kind="reference", unit="m", tolerance=2e-3,
             origin="Runge–Kutta of order 8, tolerance 1e-11"),
    cd.Claim("Condyle's methods: error of the height at the end with the smallest tolerance", "the same motion",
             lambda o: max(points[-1][1] for points in o["own work"].values()), kind="reference", unit="m", tolerance=2e-5,
             full_only=True, origin="Runge–Kutta of order 8, tolerance 1e-11"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="spicka-2013")
