"""A free asymmetric body turns over: second order, nothing lost in 10,000 steps.

A rigid body with principal inertias 1, 2 and 2.5 kg m² starts almost about its middle axis and turns over every 10.9 s.
The directors converge to Euler's equations with second order, while energy and angular momentum stay. This is the
three-dimensional check that Taylor (2000) leaves for later: the paper's examples are plane.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd

PARAMETERS = {
    "mass": cd.Parameter(2.0, "mass", "kg"),
    "inertia": cd.Parameter((1.0, 2.0, 2.5), "principal inertias", "kg m²"),
    "omega": cd.Parameter((0.1, 2.0, 0.1), "angular velocity at the start", "rad/s"),
    "dt": cd.Parameter(0.025, "time step of the long run", "s"),
    "steps": cd.Parameter(10_000, "steps of the long run"),
    "order_dt": cd.Parameter(0.1, "largest step of the convergence study, halved three times", "s"),
    "order_end": cd.Parameter(20.0, "time simulated for it", "s"),
}
QUICK = {"steps": 1200, "order_end": 5.0}
INPUTS = ("inertia", "omega")


def free_body(p: cd.Parameters) -> cd.Model:
    """One rigid body in space without forces."""
    model = cd.Model("torque-free body", dimension=3)
    model.add(cd.RigidBody("body", p.mass, inertia=p.inertia, angular_velocity=p.omega))
    return model


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """Smaller and smaller steps against Euler's equations, and one long run."""
    model = free_body(p)
    steps = [p.order_dt / 2**k for k in range(4)]
    errors = []
    for k, dt in enumerate(steps):
        result = context.simulate(f"step-{k}", model, end=p.order_end, dt=dt)
        errors.append(np.abs(result.directors("body") - euler(p, result.times)[0]).max())
    long = context.simulate("long", model, end=p.dt * p.steps, dt=p.dt)
    J, E = long.angular_momentum, long.energy["total"]
    in_body = np.einsum("tij,ti->tj", long.directors("body"), J)  # Rᵀ J
    shown = long.times <= 2.2 * period(p)
    return {
        "steps": np.array(steps),
        "errors": np.array(errors),
        "t": long.times,
        "momentum": in_body,
        "exact": (long.times[shown], euler(p, long.times[shown])[1] * np.array(p.inertia)),
        "energy": float(E[-1]),
        "energy drift": np.abs(E / E[0] - 1.0),
        "momentum drift": np.linalg.norm(J - J[0], axis=1) / np.linalg.norm(J[0]),
        "linear drift": float(np.abs(long.position("body")).max()),
        "period": measured_period(long.times, in_body[:, 1]),
        "exact period": period(p),
        "iterations": long.iterations,
    }


def euler(p: cd.Parameters, times: NDArray[np.float64]) -> tuple[Any, Any]:
    """Rotations (times, 3, 3) and angular velocities in body axes (times, 3) by DOP853."""
    from scipy.integrate import solve_ivp

    J = np.array(p.inertia)

    def rates(t: float, state: NDArray[np.float64]) -> NDArray[np.float64]:
        R, w = state[:9].reshape(3, 3), state[9:]
        skew = np.array([[0.0, -w[2], w[1]], [w[2], 0.0, -w[0]], [-w[1], w[0], 0.0]])
        return np.concatenate(((R @ skew).ravel(), np.cross(J * w, w) / J))

    start = np.concatenate((np.eye(3).ravel(), p.omega))
    found = solve_ivp(rates, (0.0, times[-1]), start, method="DOP853", rtol=1e-12, atol=1e-13, t_eval=times).y.T
    return found[:, :9].reshape(-1, 3, 3), found[:, 9:]


def period(p: cd.Parameters) -> float:
    """Time between turns of the same sense: 4 K(k²) / Ω (Landau and Lifshitz, Mechanics, §37)."""
    from scipy.special import ellipk

    (I1, I2, I3), w = np.sort(p.inertia), np.array(p.omega)[np.argsort(p.inertia)]
    energy, square = float(np.sum(np.sort(p.inertia) * w**2)), float(np.sum((np.sort(p.inertia) * w) ** 2))  # 2E, J²
    if square < energy * I2:
        I1, I3 = I3, I1
    rate = np.sqrt((I3 - I2) * (square - energy * I1) / (I1 * I2 * I3))
    k2 = (I2 - I1) * (energy * I3 - square) / ((I3 - I2) * (square - energy * I1))
    return float(4.0 * ellipk(k2) / rate)


def measured_period(t: NDArray[np.float64], component: NDArray[np.float64]) -> float:
    """Twice the mean time between changes of sign."""
    at = np.flatnonzero(component[:-1] * component[1:] < 0.0)
    zero = t[at] + (t[at + 1] - t[at]) * component[at] / (component[at] - component[at + 1])
    return float(2.0 * np.diff(zero).mean())


def order(outcome: cd.Outcome) -> float:
    """Slope of the error over the step, logarithmic, by least squares over the three smallest steps."""
    return float(np.polyfit(np.log(outcome["steps"][1:]), np.log(outcome["errors"][1:]), 1)[0])


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Momentum in body axes, convergence and drift."""
    from matplotlib import rcParams
    from matplotlib.figure import Figure

    colours = rcParams["axes.prop_cycle"].by_key()["color"]
    turning = Figure(figsize=(5.6, 3.4))
    panel = turning.subplots()
    t, exact = outcome["exact"]
    shown = outcome["t"] <= t[-1]
    every = max(1, len(t) // 70)
    for k, line in enumerate(("-", "--", "-.")):
        panel.plot(outcome["t"][shown], outcome["momentum"][shown, k], line, color=colours[k], label=f"axis {k + 1}")
        label = "Euler's equations" if k == 2 else None
        panel.plot(t[::every], exact[::every, k], "o", color="0.25", markersize=2.2, zorder=3, label=label)
    first = t[np.flatnonzero(exact[:-1, 1] * exact[1:, 1] < 0.0)[0]]
    ends = ((first, -2.6), (first + outcome["exact period"], -2.6))
    panel.annotate("", *ends, arrowprops={"arrowstyle": "<->", "color": "0.3", "shrinkA": 0, "shrinkB": 0})
    panel.text(first + 0.75 * outcome["exact period"], -2.5, r"$4K(k^2)/\Omega$", ha="center", va="bottom", color="0.3")
    panel.set(xlabel="time (s)", ylabel="angular momentum, body axes (kg m²/s)", xlim=(0.0, t[-1]), ylim=(-4.6, 6.6))
    panel.legend(loc="upper right", ncols=4, fontsize="small", columnspacing=1.0)

    quality = Figure(figsize=(6.4, 3.2))
    left, right = quality.subplots(1, 2)
    steps, errors = outcome["steps"], outcome["errors"]
    left.loglog(steps, errors, "o-", label="largest error of a director")
    left.loglog(steps, 0.5 * errors[-1] * (steps / steps[-1]) ** 2, "k:", label="second order")
    left.set_xticks(steps, [f"{step:g}" for step in steps])
    left.minorticks_off()
    left.set(xlabel="time step (s)", ylabel="error (–)", ylim=(0.3 * errors[-1], 8.0 * errors[0]))
    left.legend(loc="upper left", fontsize="small")
    for name, label in (("energy drift", "energy"), ("momentum drift", "angular momentum")):
        right.semilogy(outcome["t"][1:], np.maximum.accumulate(outcome[name])[1:], label=label)
    right.axhline(1e-10, color="k", linestyle=":", label="claimed bound")
    right.set(
        xlabel="time (s)", ylabel="largest relative drift so far (–)", ylim=(1e-16, 1e-7), xlim=(0.0, outcome["t"][-1])
    )
    right.legend(loc="upper right", fontsize="small")
    return {"free_body_turning": turning, "free_body_quality": quality}


CLAIMS = [
    cd.Claim("order of convergence of the directors", 2.0, order, tolerance=0.05,
             kind="property", origin="Euler's equations by DOP853"),
    cd.Claim("error at the smallest step", "small", lambda o: o["errors"][-1], tolerance=5e-3,
             kind="closed form", origin="Euler's equations by DOP853"),
    cd.Claim("period of the turning over", 21.7538, lambda o: o["period"], unit="s", tolerance=0.05,
             kind="closed form", origin="4 K(k²)/Ω; Landau and Lifshitz, Mechanics, §37"),
    cd.Claim("kinetic energy", 4.0175, lambda o: o["energy"], unit="J", tolerance=1e-9,
             kind="closed form", origin="½ (1 · 0.1² + 2 · 2² + 2.5 · 0.1²)"),
    cd.Claim("energy drift", "constant", lambda o: o["energy drift"].max(), tolerance=1e-10,
             kind="property", origin="energy–momentum stepping, over all steps of the long run (10,000 in full)"),
    cd.Claim("angular momentum drift", "constant", lambda o: o["momentum drift"].max(), tolerance=1e-10,
             kind="property", origin="energy–momentum stepping, over all steps of the long run (10,000 in full)"),
    cd.Claim("path of the centre of mass", "at rest", lambda o: o["linear drift"], unit="m", tolerance=1e-12,
             kind="property", origin="no force acts"),
    cd.Claim.newton(3, lambda o: o["iterations"].max()),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
