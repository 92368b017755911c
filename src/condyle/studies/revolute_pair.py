"""Two bars on a hinge in space: four ways to hold a joint.

Two light bars, hinged end to end, tumble freely in three dimensions, which the paper (Taylor 2000, eqs 102 and 103)
only announces. The revolute joint is held by multipliers, with directors and with master tetrahedra, by an augmented
Lagrangian solved with Newton or with Uzawa's outer loop, and by a penalty of 10⁵ N/m; all keep energy and momenta, and
the joint force converges with second order at mid-step.
"""

from __future__ import annotations

import numpy as np

import condyle as cd

HINGE = (cd.Point("a", (0.5, 0.0, 0.0)), cd.Point("b", (-0.4, 0.0, 0.0)))


PARAMETERS = {
    "density": cd.Parameter(2.5, "density of both bars", "kg/m³"),
    "omega_a": cd.Parameter((0.6, -0.4, 1.0), "angular velocity of bar a at the start", "rad/s"),
    "omega_b": cd.Parameter(-2.0, "angular velocity of bar b about the hinge at the start", "rad/s"),
    "stiffness": cd.Parameter(1e5, "penalty", "N/m and N m"),
    "eta": cd.Parameter(1e4, "stiffness of the augmented Lagrangian", "N/m and N m"),
    "dt": cd.Parameter(0.02, "time step", "s"),
    "end": cd.Parameter(10.0, "time simulated", "s"),
    "order_end": cd.Parameter(2.0, "time simulated for the order of convergence", "s"),
}
QUICK = {"end": 2.0, "order_end": 0.8}
INPUTS = ("density", "omega_a", "omega_b")


def pair(p: cd.Parameters, enforcement: str | cd.Augmented | cd.Penalty = "multiplier") -> cd.Model:
    """Bars a (1 × 0.4 × 0.2 m) and b (0.8 × 0.3 × 0.3 m), end to end along x, hinged at the origin about z."""
    model = cd.Model("revolute pair", dimension=3)
    a = model.add(_bar("a", (1.0, 0.4, 0.2), -0.5, p.omega_a, p.density))
    b = model.add(_bar("b", (0.8, 0.3, 0.3), 0.4, (*p.omega_a[:2], p.omega_b), p.density))
    model.add(cd.Revolute("hinge", a, b, at=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0), enforcement=enforcement))
    return model


def _bar(
    name: str, size: tuple[float, ...], x: float, omega: tuple[float, float, float], density: float
) -> cd.RigidSimplex:
    """A box on a master tetrahedron, turning about the origin of the world."""
    edges = np.vstack((np.zeros(3), 0.5 * np.diag(size)))
    return cd.RigidSimplex.box(
        name,
        size,
        density,
        corners={str(k + 1): corner for k, corner in enumerate(edges)},
        position=(x, 0.0, 0.0),
        velocity=np.cross(omega, (x, 0.0, 0.0)),
        angular_velocity=omega,
    )


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """All enforcements with the same step; smaller steps against a Runge–Kutta reference."""
    ways: dict[str, tuple[str | cd.Augmented | cd.Penalty, str]] = {
        "multiplier": ("multiplier", "tangent"),
        "tetrahedra": ("multiplier", "rows"),
        "augmented": (cd.Augmented(p.eta), "tangent"),
        "uzawa": (cd.Augmented(p.eta, solve="uzawa"), "tangent"),
        "penalty": (cd.Penalty(p.stiffness), "tangent"),
    }
    outcome: cd.Outcome = {}
    for name, (enforcement, formulation) in ways.items():
        passes: list[int] = []
        result = context.simulate(
            name,
            pair(p, enforcement),
            end=p.end,
            dt=p.dt,
            formulation=formulation,
            hooks=[lambda system, state, info, passes=passes: passes.append(info.outer)],
        )
        outcome[name] = _history(result) | {"passes": max(passes)}
    outcome["force"] = context.results["multiplier"].joint_force("hinge")
    outcome["force times"] = context.results["multiplier"].multiplier_times
    steps = [2.0 * p.dt / 2**k for k in range(3)]
    reference = context.simulate("reference", pair(p), end=p.order_end, dt=0.5 * steps[-1], integrator=cd.RungeKutta())
    errors: dict[str, list[float]] = {"position": [], "force": []}
    for k, dt in enumerate(steps):
        result = context.simulate(f"step-{k}", pair(p), end=p.order_end, dt=dt)
        for quantity, error in _errors(result, reference).items():
            errors[quantity].append(error)
    return outcome | {"steps": np.array(steps), "errors": {k: np.array(v) for k, v in errors.items()}}


def _history(result: cd.Result) -> cd.Outcome:
    E, J, P = result.energy["total"], result.angular_momentum, result.linear_momentum
    return {
        "t": result.times,
        "energy": E,
        "energy drift": np.abs(E / E[0] - 1.0),
        "momentum drift": np.linalg.norm(J - J[0], axis=1) / np.linalg.norm(J[0]),
        "linear drift": np.linalg.norm(P - P[0], axis=1) / np.linalg.norm(P[0]),
        "gap": np.linalg.norm(result.position(HINGE[0]) - result.position(HINGE[1]), axis=1),
        "tilt": np.abs(np.einsum("ti,tia->ta", result.directors("b")[:, :, 2], result.directors("a")[:, :, :2])).max(
            axis=1
        ),
        "angle": result.angle("b", relative_to="a", axis=(0.0, 0.0, 1.0)),
        "place": result.position("b"),
        "iterations": result.iterations,
    }


def _errors(result: cd.Result, reference: cd.Result) -> dict[str, float]:
    """Largest error of the place of b [m] and of the joint force [N], each at the times that it belongs to."""
    at = [reference.at(t) for t in result.times]
    force_at = [reference.at(t) - 1 for t in result.multiplier_times]  # the reference has no force at the start
    place = result.position("b") - reference.position("b")[at]
    force = result.joint_force("hinge") - reference.joint_force("hinge")[force_at]
    return {name: float(np.linalg.norm(e, axis=1).max()) for name, e in (("position", place), ("force", force))}


def order(outcome: cd.Outcome, quantity: str) -> float:
    """Order of convergence from the two smallest steps."""
    errors = outcome["errors"][quantity]
    return float(np.log2(errors[-2] / errors[-1]))


def difference(outcome: cd.Outcome, name: str) -> float:
    """Largest distance of bar b from where the multiplier run has it [m]."""
    return float(np.linalg.norm(outcome[name]["place"] - outcome["multiplier"]["place"], axis=1).max())


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Hinge angle and force; joint error and energy drift of the enforcements; convergence."""
    from matplotlib.figure import Figure

    motion = Figure(figsize=(5.6, 5.0))
    top, bottom = motion.subplots(2, 1, sharex=True)
    top.plot(outcome["multiplier"]["t"], outcome["multiplier"]["angle"])
    top.set(ylabel="hinge angle (rad)", xlim=(0.0, p.end))
    for k, (name, line) in enumerate(zip("xyz", ("-", "--", "-."), strict=True)):
        bottom.plot(outcome["force times"], outcome["force"][:, k], line, label=name)
    bottom.set(xlabel="time (s)", ylabel="joint force on b (N)")
    bottom.legend(loc="upper right", ncols=3)

    labels = {
        "multiplier": "multiplier, directors",
        "tetrahedra": "multiplier, master tetrahedra",
        "augmented": "augmented, Newton",
        "uzawa": "augmented, Uzawa",
        "penalty": "penalty",
    }
    held = Figure(figsize=(5.6, 5.8))
    top, bottom = held.subplots(2, 1, sharex=True)
    lines = ("-", "--", "-.", "-", "-")
    for (name, label), line in zip(labels.items(), lines, strict=True):
        for panel, quantity in ((top, "gap"), (bottom, "energy drift")):
            so_far = np.maximum.accumulate(outcome[name][quantity])
            panel.semilogy(outcome[name]["t"][1:], so_far[1:], line, label=label)
    top.axhline(4e-6, color="k", linestyle=":", linewidth=1.0)
    top.text(
        p.end,
        7e-6,
        r"reference: $4\cdot 10^{-6}$ (density fitted to it)",
        ha="right",
        va="bottom",
        fontsize="small",
    )
    top.set(ylabel="largest gap of the joint so far (m)", ylim=(1e-17, 1e-3), xlim=(0.0, p.end))
    bottom.set(xlabel="time (s)", ylabel="largest energy drift so far, relative (–)", ylim=(1e-16, 1e-6))
    bottom.legend(loc="upper center", ncols=2, fontsize="small")

    convergence = Figure(figsize=(4.6, 3.6))
    panel = convergence.subplots()
    steps = outcome["steps"]
    for (name, unit), marker in zip((("position", "m"), ("force", "N")), "os", strict=True):
        panel.loglog(steps, outcome["errors"][name], f"{marker}-", label=f"{name} ({unit})")
    panel.loglog(steps, 0.6 * outcome["errors"]["force"][-1] * (steps / steps[-1]) ** 2, "k:", label="second order")
    panel.set_xticks(steps, [f"{step:g}" for step in steps])
    panel.minorticks_off()
    panel.set(xlabel="time step (s)", ylabel="largest error (m, N)")
    panel.legend(loc="upper left", fontsize="small")
    return {"pair_motion": motion, "pair_enforcement": held, "pair_convergence": convergence}


AUGMENTED = "Taylor 2000, eqs 63 to 65 with their misprints corrected"
REVOLUTE = "Taylor 2000, eqs 102 and 103, with energy–momentum stepping"
PENALTY = "Taylor 2000, eqs 94 to 97, at mid-step"

CLAIMS = [
    cd.Claim("multiplier: energy", 0.1238193, lambda o: o["multiplier"]["energy"][-1], unit="J", tolerance=1e-6,
             kind="closed form", origin="Σ ½ m v² + ½ ω·J ω of the two bars at the start"),
    cd.Claim("multiplier: angle of the hinge at 2 s", -1.7798, lambda o: np.interp(2.0, o["multiplier"]["t"],
             o["multiplier"]["angle"]), unit="rad", tolerance=1e-3,
             kind="reference", origin="Runge–Kutta of order 4 with a step of 1 ms"),
    cd.Claim("multiplier: energy drift", "constant", lambda o: o["multiplier"]["energy drift"].max(),
             tolerance=1e-10, kind="property", origin=REVOLUTE),
    cd.Claim("multiplier: angular momentum drift", "constant",
             lambda o: o["multiplier"]["momentum drift"].max(), tolerance=1e-10, kind="property", origin=REVOLUTE),
    cd.Claim("multiplier: linear momentum drift", "constant", lambda o: o["multiplier"]["linear drift"].max(),
             tolerance=1e-10, kind="property", origin="no force acts from outside"),
    cd.Claim("multiplier: gap of the joint", "closed", lambda o: o["multiplier"]["gap"].max(),
             unit="m", tolerance=1e-13, kind="property", origin=REVOLUTE),
    cd.Claim("multiplier: tilt of the axis", "none", lambda o: o["multiplier"]["tilt"].max(), unit="rad",
             tolerance=1e-13, kind="property", origin="Taylor 2000, eq. 102"),
    cd.Claim.newton(3, lambda o: o["multiplier"]["iterations"].max(), "multiplier: most Newton iterations"),
    cd.Claim("tetrahedra: distance from the run with directors", "the same motion", lambda o: difference(o, "tetrahedra"),
             unit="m", tolerance=1e-8, kind="relation", origin="the same rows in another basis"),
    cd.Claim("augmented: distance from the multiplier run", "the same motion", lambda o: difference(o, "augmented"),
             unit="m", tolerance=1e-8, kind="relation", origin=AUGMENTED),
    cd.Claim("uzawa: distance from the multiplier run", "the same motion", lambda o: difference(o, "uzawa"), unit="m",
             tolerance=1e-7, kind="relation", origin=AUGMENTED),
    cd.Claim("uzawa: most outer passes in a step (η = 10⁴)", (2.0, 11.0), lambda o: o["uzawa"]["passes"],
             kind="property", origin=f"{AUGMENTED}: converges in few passes"),
    cd.Claim("uzawa: gap of the joint", "closed", lambda o: o["uzawa"]["gap"].max(), unit="m", tolerance=1e-9,
             kind="property", origin=AUGMENTED),
    cd.Claim("uzawa: energy drift", "constant", lambda o: o["uzawa"]["energy drift"].max(),
             tolerance=1e-9, kind="property", origin=AUGMENTED),
    cd.Claim("penalty 10⁵: gap of the joint", 4.2e-6, lambda o: o["penalty"]["gap"].max(), unit="m", tolerance=1e-7,
             kind="regression", origin="this run; the gap over the force is judged below"),
    cd.Claim("penalty 10⁵: gap over joint force / k", (1.0, 2.5),
             lambda o: o["penalty"]["gap"].max() * 1e5 / np.linalg.norm(o["force"], axis=1).max(),
             kind="property", origin="a spring that is loaded at once swings to twice the static gap"),
    cd.Claim("penalty 10⁵: energy drift, penalty energy included", "constant",
             lambda o: o["penalty"]["energy drift"].max(), tolerance=1e-10, kind="property", origin=PENALTY),
    cd.Claim("order of convergence of the position", 2.0, lambda o: order(o, "position"), tolerance=0.1,
             kind="property", origin="Runge–Kutta of order 4 with a smaller step"),
    cd.Claim("order of convergence of the joint force", 2.0, lambda o: order(o, "force"), tolerance=0.15,
             kind="property", origin="Runge–Kutta of order 4; forces at mid-step, where they belong"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
