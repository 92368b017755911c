"""Fast heavy top on a spherical joint: motion and joint force of second order.

The heavy top of Brüls, Cardona and Arnold (Mechanism and Machine Theory 48 (2012) 121–137), who use it to judge
integrators with rotation parameters: 15 kg, 1 m from the tip, spinning at 150 rad/s with a horizontal axis. The
directors of Taylor's (2000) idea in 3D converge with second order, and so does the joint force, at mid-step, where it
belongs; energy and vertical angular momentum stay.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd

PARAMETERS = {
    "mass": cd.Parameter(15.0, "mass", "kg"),
    "inertia": cd.Parameter((0.234375, 0.46875, 0.234375), "inertias about the centre of mass", "kg m²"),
    "arm": cd.Parameter(1.0, "distance of the centre of mass from the tip, along y", "m"),
    "gravity": cd.Parameter(9.81, "gravity, towards −z", "m/s²"),
    "omega": cd.Parameter((0.0, 150.0, -4.61538), "angular velocity at the start", "rad/s"),
    "dt": cd.Parameter(5e-4, "time step", "s"),
    "end": cd.Parameter(2.0, "time simulated", "s"),
    "order_dt": cd.Parameter(1e-3, "largest step of the convergence study, halved twice", "s"),
    "order_end": cd.Parameter(0.5, "time simulated for it", "s"),
}
QUICK = {"dt": 1e-3, "end": 0.5, "order_end": 0.1}
INPUTS = ("mass", "inertia", "arm", "gravity", "omega")


def top_model(p: cd.Parameters) -> cd.Model:
    """A top whose tip is held at the origin; its axis is horizontal at the start."""
    arm = np.array([0.0, p.arm, 0.0])
    model = cd.Model("heavy top", dimension=3, gravity=(0.0, 0.0, -p.gravity))
    top = model.add(
        cd.RigidBody(
            "top",
            p.mass,
            inertia=p.inertia,
            position=arm,
            velocity=np.cross(p.omega, arm),
            angular_velocity=p.omega,
            points={"tip": -arm},
        )
    )
    model.add(cd.Spherical("tip", model.ground, top.point("tip"), at=(0.0, 0.0, 0.0)))
    return model


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """Smaller and smaller steps against the reference, and one longer run."""
    model = top_model(p)
    long = context.simulate("long", model, end=p.end, dt=p.dt)
    E, J = long.energy["total"], long.angular_momentum[:, 2]
    axial = np.sum(long.directors("top")[:, :, 1] * long.angular_momentum, axis=1)  # the tip is the origin
    yield {
        "t": long.times,
        "path": long.position("top"),
        "t of force": long.multiplier_times,
        "force": long.joint_force("tip"),
        "energy drift": float(np.abs(E - E[0]).max() / np.abs(long.energy["kinetic"]).max()),
        "vertical drift": float(np.abs(J / J[0] - 1.0).max()),
        "axial drift": float(np.abs(axial / axial[0] - 1.0).max()),
        "gap": float(np.abs(long.position("top.tip")).max()),
        "iterations": long.iterations,
    }
    solution = reference(p, max(p.end, p.order_end))
    steps = [p.order_dt / 2**k for k in range(3)]
    errors: dict[str, list[float]] = {"position": [], "force": []}
    for k, dt in enumerate(steps):
        result = context.simulate(f"step-{k}", model, end=p.order_end, dt=dt)
        place, force = _error(p, solution, result)
        errors["position"].append(place.max())
        errors["force"].append(force.max())
    path, force = solution(long.times)
    yield {
        "steps": np.array(steps),
        "errors": {name: np.array(values) for name, values in errors.items()},
        "exact path": path,
        "exact force": force,
        "long error": float(np.linalg.norm(long.position("top") - path, axis=1).max()),
    }


def _error(p: cd.Parameters, solution: Any, result: cd.Result) -> tuple[Any, Any]:
    """Errors of the centre of mass [m] at the frames and of the joint force [N] at the times that it belongs to."""
    place = np.linalg.norm(result.position("top") - solution(result.times)[0], axis=1)
    force = np.linalg.norm(result.joint_force("tip") - solution(result.multiplier_times)[1], axis=1)
    return place, force


def reference(p: cd.Parameters, end: float) -> Any:
    """Positions of the centre of mass and forces on the tip at given times, by DOP853 on (quaternion, body spin)."""
    from scipy.integrate import solve_ivp

    X, g = np.array([0.0, p.arm, 0.0]), np.array([0.0, 0.0, -p.gravity])
    about_tip = np.diag(p.inertia) + p.mass * (X @ X * np.eye(3) - np.outer(X, X))
    inverse = np.linalg.inv(about_tip)

    def spin_rate(R: NDArray[np.float64], w: NDArray[np.float64]) -> NDArray[np.float64]:
        return inverse @ (p.mass * np.cross(X, R.T @ g) - np.cross(w, about_tip @ w))

    def rates(t: float, state: NDArray[np.float64]) -> NDArray[np.float64]:
        (q0, q), w = (state[0], state[1:4]), state[4:]
        turn = 0.5 * np.concatenate(([-q @ w], q0 * w + np.cross(q, w)))
        return np.concatenate((turn, spin_rate(cd.rotation(quaternion=state[:4]), w)))

    start = np.concatenate(([1.0, 0.0, 0.0, 0.0], p.omega))
    solved: Any = solve_ivp(rates, (0.0, end), start, method="DOP853", rtol=1e-11, atol=1e-12, dense_output=True)

    def at(times: NDArray[np.float64]) -> tuple[Any, Any]:
        places, forces = [], []
        for state in solved.sol(times).T:
            R, w = cd.rotation(quaternion=state[:4]), state[4:]
            acceleration = R @ (np.cross(spin_rate(R, w), X) + np.cross(w, np.cross(w, X)))
            places.append(R @ X)
            forces.append(p.mass * (acceleration - g))
        return np.array(places), np.array(forces)

    return at


def order(outcome: cd.Outcome, quantity: str) -> float:
    """Order of convergence from the two smallest steps."""
    errors = outcome["errors"][quantity]
    return float(np.log2(errors[-2] / errors[-1]))


def order_claims(force: str, off: float, origin: str, where: str = "") -> list[cd.Claim]:
    """Second order of the position, off by so much at the most, and of a force, off by twice as much; where: it belongs to."""
    return [
        cd.Claim(f"order of convergence of the {what}", 2.0, partial(order, quantity=quantity), tolerance=tolerance,
                 kind="property", origin=said)
        for what, quantity, tolerance, said in (
            ("position", "position", off, origin), (force, "force", 2.0 * off, origin + where))
    ]  # fmt: skip


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Path and joint force against the reference, and convergence."""
    from matplotlib import rcParams
    from matplotlib.figure import Figure

    colours = rcParams["axes.prop_cycle"].by_key()["color"]
    t = outcome["t"]
    motion = Figure(figsize=(5.6, 5.6))
    top, bottom = motion.subplots(2, 1, sharex=True)
    every = max(1, len(t) // 60)
    for k, (name, line) in enumerate(zip("xyz", ("-", "--", "-."), strict=True)):
        top.plot(t, outcome["path"][:, k], line, color=colours[k], label=name)
        label = "reference" if k == 2 else None
        top.plot(t[::every], outcome["exact path"][::every, k], "o", color="0.25", markersize=2.2, label=label)
        bottom.plot(outcome["t of force"], outcome["force"][:, k], line, color=colours[k], label=name)
        bottom.plot(t[::every], outcome["exact force"][::every, k], "o", color="0.25", markersize=2.2, label=label)
    top.set(ylabel="centre of mass (m)", xlim=(0.0, t[-1]), ylim=(-1.2, 1.6))
    bottom.set(xlabel="time (s)", ylabel="force on the tip (N)", ylim=(-700.0, 1050.0))
    for panel in (top, bottom):
        panel.legend(loc="upper right", ncols=4, fontsize="small", columnspacing=1.0)

    convergence = Figure(figsize=(4.6, 3.6))
    panel = convergence.subplots()
    steps = outcome["steps"]
    for (name, unit), marker in zip((("position", "m"), ("force", "N")), "os", strict=True):
        panel.loglog(steps, outcome["errors"][name], f"{marker}-", label=f"{name} ({unit})")
        guide = 0.6 * outcome["errors"][name][-1] * (steps / steps[-1]) ** 2
        panel.loglog(steps, guide, "k:", label="second order" if name == "force" else None)
    panel.set_xticks(steps, [f"{1e3 * step:g}" for step in steps])
    panel.minorticks_off()
    panel.set(xlabel="time step (ms)", ylabel="largest error (m, N)")
    panel.legend(loc="center left", fontsize="small")
    return {"heavy_top_motion": motion, "heavy_top_convergence": convergence}


CLAIMS = [
    *order_claims("joint force", 0.05, "Euler's equations in quaternions by DOP853", ", forces at mid-step, where they belong"),
    cd.Claim("error of the position at the smallest step", "small", lambda o: o["errors"]["position"][-1], unit="m",
             tolerance=5e-5, kind="closed form", origin="Euler's equations in quaternions by DOP853"),
    cd.Claim("error of the joint force at the smallest step", "small (of about 640 N)",
             lambda o: o["errors"]["force"][-1], unit="N", tolerance=0.1,
             kind="closed form", origin="Euler's equations in quaternions by DOP853"),
    cd.Claim("error of the position in the long run", "small", lambda o: o["long error"], unit="m", tolerance=1e-3,
             kind="closed form", origin="Euler's equations in quaternions by DOP853"),
    cd.Claim("height of the centre of mass at 0.5 s", -0.7114, lambda o: np.interp(0.5, o["t"], o["path"][:, 2]), unit="m",
             tolerance=5e-4, kind="closed form", origin="Euler's equations in quaternions by DOP853"),
    cd.Claim("largest joint force until 0.5 s", 875.73,
             lambda o: np.linalg.norm(o["force"], axis=1)[o["t of force"] < 0.5].max(), unit="N", tolerance=0.5,
             kind="closed form", origin="Euler's equations in quaternions by DOP853"),
    cd.Claim.kept("energy drift over kinetic energy", "energy drift", 1e-10, "conservative system"),
    cd.Claim.kept("drift of the vertical angular momentum", "vertical drift", 1e-10,
                  "gravity has no moment about the vertical"),
    cd.Claim.kept("drift of the angular momentum about the axis of symmetry", "axial drift", 1e-4,
                  "symmetric top; no invariant of the scheme", words="constant up to O(Δt²)"),
    cd.Claim("gap at the tip", "closed", lambda o: o["gap"], unit="m", tolerance=1e-12,
             kind="property", origin="joint constraint"),
    cd.Claim.newton(4, lambda o: o["iterations"].max()),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
