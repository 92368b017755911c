"""Double pendulum in space on a ball joint and a universal joint.

Two bars of square section, the upper on a ball joint, the lower on a universal joint that carries twist, start level
and spinning. Motion and joint forces converge with second order to equations in five minimal speeds; energy and
vertical angular momentum stay.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd
from condyle.studies.heavy_top import order_claims

FIRST, SECOND = np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])  # axes of the universal joint at the start


PARAMETERS = {
    "mass": cd.Parameter(1.0, "mass of each bar", "kg"),
    "length": cd.Parameter(0.5, "length of each bar", "m"),
    "gravity": cd.Parameter(9.81, "gravity, towards −z", "m/s²"),
    "spin": cd.Parameter((1.0, 0.5, 3.0), "angular velocity of the upper bar at the start", "rad/s"),
    "twist": cd.Parameter(4.0, "rate of the first joint angle at the start", "rad/s"),
    "dt": cd.Parameter(4e-3, "largest time step, halved twice", "s"),
    "end": cd.Parameter(1.5, "time simulated", "s"),
}
QUICK = {"end": 0.5}
INPUTS = ("mass", "length", "gravity", "spin", "twist")


def inertia(mass: float, length: float) -> tuple[float, float, float]:
    """Of a bar with a square section of a fifth of its length, about its centre; the first axis lies along it."""
    side = 0.2 * length
    across = mass / 12.0 * (length**2 + side**2)
    return mass / 6.0 * side**2, across, across


def pendulum_model(p: cd.Parameters) -> cd.Model:
    """Two bars that start along x; the upper hangs on a ball joint, the lower on a universal joint."""
    model = cd.Model("double pendulum", dimension=3, gravity=(0.0, 0.0, -p.gravity))
    spin = np.array(p.spin)
    bodies = []
    for k, name in enumerate(("upper", "lower")):
        centre = np.array([(0.5 + k) * p.length, 0.0, 0.0])
        turning = spin + (p.twist * FIRST if k else 0.0)
        joint = np.array([k * p.length, 0.0, 0.0])
        velocity = np.cross(spin, joint) + np.cross(turning, centre - joint)
        half = 0.5 * p.length
        bodies.append(
            model.add(
                cd.RigidBody(name, p.mass, inertia=inertia(p.mass, p.length), position=centre, velocity=velocity,
                             angular_velocity=turning, outline=[[(-half, 0, 0), (half, 0, 0)]])
            )
        )  # fmt: skip
    model.add(cd.Spherical("ball", model.ground, bodies[0], at=(0.0, 0.0, 0.0)))
    model.add(cd.Universal("cross", bodies[0], bodies[1], at=(p.length, 0.0, 0.0), axis=FIRST, second_axis=SECOND))
    return model


def reference(p: cd.Parameters, end: float) -> Any:
    """Centres, rotations and joint forces at given times: quaternion, spin of the upper bar and the two joint angles.

    Newton–Euler equations projected on the speeds (ω of the upper bar, α̇, β̇), in body axes of the upper bar.
    """
    from scipy.integrate import solve_ivp

    m, J = p.mass, np.diag(inertia(p.mass, p.length))
    lever, half = np.array([p.length, 0.0, 0.0]), np.array([0.5 * p.length, 0.0, 0.0])
    g = np.array([0.0, 0.0, -p.gravity])

    def parts(
        y: NDArray[np.float64],
    ) -> tuple[
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.float64],
        NDArray[np.float64],
        tuple[NDArray[np.float64], NDArray[np.float64]],
        tuple[NDArray[np.float64], NDArray[np.float64]],
    ]:
        """Mass matrix, right-hand side, and what is needed for accelerations."""
        R, w, (a, b), (da, db) = cd.rotation(quaternion=y[:4]), y[4:7], y[7:9], y[9:11]
        A = cd.rotation(axis=FIRST.tolist(), angle=a)
        S = A @ cd.rotation(axis=SECOND.tolist(), angle=b)  # of the lower bar in axes of the upper one
        axis = A @ SECOND
        spin = w + da * FIRST + db * axis
        reach = S @ half
        still = np.cross(w, da * FIRST + db * axis) + np.cross(
            da * FIRST, db * axis
        )  # ω̇ of the lower bar at zero speeds
        Jw = np.column_stack((np.eye(3), np.zeros((3, 2))))
        Js = np.column_stack((np.eye(3), FIRST, axis))
        cross_half, cross_lever, cross_reach = (_skew(v) for v in (half, lever, reach))
        Jv = -cross_half @ Jw
        Ju = -cross_lever @ Jw - cross_reach @ Js
        bend_v = np.cross(w, np.cross(w, half))
        bend_u = np.cross(w, np.cross(w, lever)) + np.cross(still, reach) + np.cross(spin, np.cross(spin, reach))
        K = S @ J @ S.T
        M = m * (Jv.T @ Jv + Ju.T @ Ju) + Jw.T @ J @ Jw + Js.T @ K @ Js
        weight = R.T @ g
        f = -m * (Jv.T @ (bend_v - weight) + Ju.T @ (bend_u - weight))
        f -= Jw.T @ np.cross(w, J @ w) + Js.T @ (K @ still + np.cross(spin, K @ spin))
        return R, S, M, f, (Jv, bend_v), (Ju, bend_u)

    def rates(t: float, y: NDArray[np.float64]) -> NDArray[np.float64]:
        _, _, M, f, *_ = parts(y)
        q0, q, w = y[0], y[1:4], y[4:7]
        turn = 0.5 * np.concatenate(([-q @ w], q0 * w + np.cross(q, w)))
        speeds = np.linalg.solve(M, f)
        return np.concatenate((turn, speeds[:3], y[9:11], speeds[3:]))

    start = np.array([1.0, 0, 0, 0, *p.spin, 0.0, 0.0, p.twist, 0.0])
    solved: Any = solve_ivp(rates, (0.0, end), start, method="DOP853", rtol=1e-11, atol=1e-12, dense_output=True)

    def at(times: NDArray[np.float64]) -> cd.Outcome:
        out: dict[str, list[Any]] = {"upper": [], "lower": [], "ball": [], "cross": []}
        for y in solved.sol(times).T:
            R, S, M, f, (Jv, bend_v), (Ju, bend_u) = parts(y)
            speeds = np.linalg.solve(M, f)
            cross = m * (R @ (Ju @ speeds + bend_u) - g)
            out["upper"].append(R @ half)
            out["lower"].append(R @ (lever + S @ half))
            out["cross"].append(cross)
            out["ball"].append(cross + m * (R @ (Jv @ speeds + bend_v) - g))
        return {name: np.array(values) for name, values in out.items()}

    return at


def _skew(v: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.array([[0, -v[2], v[1]], [v[2], 0, -v[0]], [-v[1], v[0], 0]])


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """Three steps against the reference."""
    model = pendulum_model(p)
    steps = [p.dt / 2**k for k in range(3)]
    results = {2: context.simulate("step-2", model, end=p.end, dt=steps[2])}
    result = results[2]
    E, Lz = result.energy["total"], result.angular_momentum[:, 2]
    yield {
        "t": result.times,
        "path": result.position("lower"),
        "t of force": result.multiplier_times,
        "force": np.linalg.norm(result.joint_force("ball"), axis=1),
        "energy drift": float(np.ptp(E) / result.energy["kinetic"].max()),
        "vertical drift": float(np.ptp(Lz) / np.abs(result.angular_momentum).max()),
        "gap": float(result.constraint_error.max()),
    }
    exact = reference(p, p.end)
    for k in (1, 0):
        results[k] = context.simulate(f"step-{k}", model, end=p.end, dt=steps[k])
    errors = {name: np.zeros(3) for name in ("position", "force")}
    for k, found in results.items():
        there, loaded = exact(found.times), exact(found.multiplier_times)
        errors["position"][k] = np.abs(found.position("lower") - there["lower"]).max()
        errors["force"][k] = max(
            np.abs(found.joint_force(n) - loaded[n]).max() / np.abs(loaded[n]).max() for n in ("ball", "cross")
        )
    yield {
        "steps": np.array(steps),
        "errors": errors,
        "exact path": exact(result.times)["lower"],
        "exact force": np.linalg.norm(exact(result.multiplier_times)["ball"], axis=1),
    }


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Path of the lower bar and force of the ball joint."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.6, 4.8))
    top, bottom = figure.subplots(2, 1, sharex=True)
    t, every = outcome["t"], max(1, len(outcome["t"]) // 60)
    for k, (name, line) in enumerate(zip("xyz", ("-", "--", "-."), strict=True)):
        top.plot(t, outcome["path"][:, k], line, label=name)
        label = "reference" if k == 2 else None
        top.plot(t[::every], outcome["exact path"][::every, k], "o", color="0.25", markersize=2.2, label=label)
    top.set(ylabel="centre of the lower bar (m)", xlim=(0.0, p.end))
    top.legend(ncols=4, fontsize="small", loc="lower center", bbox_to_anchor=(0.5, 1.0))
    loaded = outcome["t of force"]
    bottom.plot(loaded, outcome["force"])
    bottom.plot(loaded[::every], outcome["exact force"][::every], "o", color="0.25", markersize=2.2)
    bottom.set(xlabel="time (s)", ylabel="force of the ball joint (N)")
    figure.align_ylabels()
    return {"double_pendulum_3d": figure}


CLAIMS = [
    *order_claims("joint forces", 0.1, "Newton–Euler equations in minimal speeds by DOP853"),
    cd.Claim("error of the position at the smallest step", "small", lambda o: o["errors"]["position"][-1], unit="m",
             tolerance=1e-3, kind="closed form", origin="Newton–Euler equations in minimal speeds by DOP853"),
    cd.Claim("error of the joint forces at the smallest step", "small (relative)", lambda o: o["errors"]["force"][-1],
             tolerance=3e-3, kind="closed form", origin="Newton–Euler equations in minimal speeds by DOP853"),
    cd.Claim("height of the lower bar at 0.5 s", -0.59907, lambda o: np.interp(0.5, o["t"], o["path"][:, 2]), unit="m",
             tolerance=2e-5, kind="closed form", origin="Newton–Euler equations in minimal speeds by DOP853"),
    cd.Claim("force in the ball joint at 0.4 s", 48.969, lambda o: np.interp(0.4, o["t of force"], o["force"]), unit="N",
             tolerance=0.01, kind="closed form", origin="Newton–Euler equations in minimal speeds by DOP853"),
    cd.Claim.kept("energy drift over kinetic energy", "energy drift", 1e-10, "conservative system"),
    cd.Claim.kept("drift of the vertical angular momentum", "vertical drift", 1e-10,
                  "gravity has no moment about the vertical"),
    cd.Claim.kept("largest violation of a constraint", "gap", 1e-11, "joints", words="closed"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
