"""Driven slider–crank: closed kinematics, joint forces and driving torque.

A crank turns with a prescribed, fluctuating speed and moves a block through a coupler. Positions and speeds are those
of the closed kinematics, and the multipliers of joints and drive are the forces and the torque that inverse dynamics
asks for, with second order in the step.
"""

from __future__ import annotations

from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

import condyle as cd

Times = TypeVar("Times", float, NDArray[np.float64])  # one [s] or many

PARAMETERS = {
    "crank": cd.Parameter(0.2, "length of the crank", "m"),
    "coupler": cd.Parameter(0.5, "length of the coupler", "m"),
    "crank_mass": cd.Parameter(0.8, "mass of the crank", "kg"),
    "coupler_mass": cd.Parameter(1.2, "mass of the coupler", "kg"),
    "block_mass": cd.Parameter(0.6, "mass of the block", "kg"),
    "gravity": cd.Parameter(9.81, "gravity, towards −z", "m/s²"),
    "start": cd.Parameter(0.6, "angle of the crank at the start", "rad"),
    "speed": cd.Parameter(12.0, "mean speed of the crank", "rad/s"),
    "depth": cd.Parameter(0.3, "depth of its fluctuation", ""),
    "fluctuation": cd.Parameter(7.0, "frequency of its fluctuation", "rad/s"),
    "dt": cd.Parameter(1e-3, "larger time step, halved once", "s"),
    "end": cd.Parameter(1.2, "time simulated", "s"),
}
QUICK = {"dt": 2e-3, "end": 0.5}
INPUTS = (
    "crank", "coupler", "crank_mass", "coupler_mass", "block_mass", "gravity", "start", "speed", "depth", "fluctuation",
)  # fmt: skip


def crank_model(p: cd.Parameters) -> cd.Model:
    """Crank and coupler as slender rods in the x–z plane; the block slides along x."""
    corner = p.crank * np.array([np.cos(p.start), 0.0, np.sin(p.start)])
    pin = np.array([corner[0] + np.sqrt(p.coupler**2 - corner[2] ** 2), 0.0, 0.0])
    model = cd.Model("slider-crank", dimension=3, gravity=(0.0, 0.0, -p.gravity))
    crank = model.add(_rod("crank", np.zeros(3), corner, p.crank_mass))
    coupler = model.add(_rod("coupler", corner, pin, p.coupler_mass))
    edge = 0.5 * p.crank
    density = p.block_mass / edge**3
    block = model.add(cd.RigidBody.box("block", (edge, edge, edge), density, position=pin))
    model.add(cd.Revolute("shaft", model.ground, crank, at=(0.0, 0.0, 0.0), axis=(0.0, -1.0, 0.0)))
    model.add(cd.Spherical("big end", crank, coupler, at=corner))
    model.add(cd.Revolute("small end", coupler, block, at=pin, axis=(0.0, 1.0, 0.0)))
    model.add(cd.Prismatic("guide", model.ground, block, at=pin, axis=(1.0, 0.0, 0.0)))
    model.add(cd.Drive("motor", "shaft.angle", motion=cd.Function(lambda t: _angle(p, t)[0])))
    return model


def _rod(name: str, one: NDArray[np.float64], two: NDArray[np.float64], mass: float) -> cd.RigidBody:
    along = (two - one) / np.linalg.norm(two - one)
    across = np.array([0.0, 1.0, 0.0])
    J = mass * float(np.sum((two - one) ** 2)) / 12.0
    axes = np.column_stack((along, across, np.cross(along, across)))
    line = 0.5 * float(np.linalg.norm(two - one))
    return cd.RigidBody(
        name, mass, inertia=(0.01 * J, J, J), position=0.5 * (one + two), rotation=axes,
        outline=[[(-line, 0.0, 0.0), (line, 0.0, 0.0)]],
    )  # fmt: skip


def _angle(p: cd.Parameters, t: Times) -> tuple[Times, Times, Times]:
    """Angle turned by the shaft, its rate and acceleration: mean speed with a fluctuation."""
    w, c, s = p.speed, np.cos(p.fluctuation * t), np.sin(p.fluctuation * t)
    return w * (t + p.depth / p.fluctuation * s), w * (1 + p.depth * c), -w * p.depth * p.fluctuation * s


def closed(p: cd.Parameters, t: NDArray[np.float64]) -> cd.Outcome:
    """Kinematics of the mechanism at times t, and forces and torque that it needs (planar Newton–Euler, x and z)."""
    turned, w, a = _angle(p, np.asarray(t))
    th = p.start + turned
    c, s = np.cos(th), np.sin(th)
    r, length = p.crank, p.coupler
    # The coupler goes from B to (X, 0): sin φ = −(r/ℓ) sin θ, with φ counted from x to z.
    sp = -r / length * s
    cp = np.sqrt(1.0 - sp**2)
    wp = -r * c * w / (length * cp)
    ap = (-r * (c * a - s * w**2) + length * sp * wp**2) / (length * cp)

    def turning(
        q: tuple[NDArray[np.float64], NDArray[np.float64]],
        rate: NDArray[np.float64],
        bend: NDArray[np.float64],
        size: float,
    ) -> tuple[Any, Any]:
        """Place and acceleration (2, times) of the end of a rod that turns."""
        (cq, sq) = q
        place = size * np.array([cq, sq])
        return place, size * np.array([-sq * bend - cq * rate**2, cq * bend - sq * rate**2])

    corner, corner_a = turning((c, s), w, a, r)
    arm, arm_a = turning((cp, sp), wp, ap, length)
    g = np.array([[0.0], [-p.gravity]])
    slide, slide_a = corner + arm, corner_a + arm_a
    crank_force = p.crank_mass * (0.5 * corner_a - g)  # what carries the crank: shaft minus big end
    coupler_force = p.coupler_mass * (corner_a + 0.5 * arm_a - g)
    # Slider: its pin force along x is m ẍ; moments of the coupler about B give the one along z.
    pin_x = p.block_mass * slide_a[0]  # on the block
    J = p.coupler_mass * length**2 / 12.0
    # J φ̈ = Σ moments about the coupler's centre: force P = −pin on its end, B = coupler_force − P on its start.
    half = 0.5 * arm
    # moment m = x f_z − z f_x for lever (x, z); half × P − half × B = J ap with B = coupler_force − P
    known = half[0] * coupler_force[1] - half[1] * coupler_force[0]
    P_x = -pin_x
    P_z = (J * ap + known + 2.0 * half[1] * P_x) / (2.0 * half[0])
    big = coupler_force - np.array([P_x, P_z])  # on the coupler
    shaft = crank_force + big  # on the crank
    J_crank = p.crank_mass * r**2 / 3.0
    weight = p.crank_mass * p.gravity * 0.5 * corner[0]
    torque = J_crank * a + weight + corner[0] * big[1] - corner[1] * big[0]
    return {
        "angle": turned,
        "slide": slide[0],
        "slide rate": -r * s * w - length * sp * wp,
        "big end": big.T,
        "shaft": shaft.T,
        "guide": P_z + p.block_mass * p.gravity,  # on the block along z
        "torque": torque,
    }


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """Both methods at two steps against the closed form."""
    model = crank_model(p)
    out: cd.Outcome = {"errors": {}}
    methods = {"energy-momentum": cd.EnergyMomentum(), "generalized-alpha": cd.GeneralizedAlpha(spectral_radius=0.8)}
    for name, method in methods.items():
        for k, dt in enumerate((p.dt, 0.5 * p.dt)):
            result = context.simulate(f"{name}-{k}", model, end=p.end, dt=dt, integrator=method)
            out["errors"][name, k] = _errors(p, result)
    exact, loaded = closed(p, result.times), closed(p, result.multiplier_times)
    gained = result.energy["total"] - result.energy["total"][0]
    power = exact["torque"] * _angle(p, result.times)[1]
    work = float(np.sum(0.5 * (power[1:] + power[:-1]) * np.diff(result.times)))
    out |= {
        "t": result.times,
        "slide": result.coordinate("guide") + exact["slide"][0],
        "exact slide": exact["slide"],
        "t of force": result.multiplier_times,
        "torque": -result.multipliers("motor")["drive"],
        "exact torque": loaded["torque"],
        "guide": result.joint_force("guide")[:, 2],
        "big end": result.joint_force("big end")[:, [0, 2]],
        "exact big end": loaded["big end"],
        "gap": float(result.constraint_error.max()),
        "energy balance": float(np.abs(gained[-1] - work) / np.ptp(gained)),
    }
    return out


def _errors(p: cd.Parameters, result: cd.Result) -> dict[str, float]:
    """Largest errors, relative to the largest value."""
    exact, loaded = closed(p, result.times), closed(p, result.multiplier_times)
    found = {
        "slide": (result.position("block")[:, 0], exact["slide"]),
        "slide rate": (result.velocity("block")[:, 0], exact["slide rate"]),
        "big end": (result.joint_force("big end")[:, [0, 2]], loaded["big end"]),
        "shaft": (result.joint_force("shaft")[:, [0, 2]], loaded["shaft"]),
        "guide": (result.joint_force("guide")[:, 2], loaded["guide"]),
        "torque": (-result.multipliers("motor")["drive"], loaded["torque"]),
    }
    return {name: float(np.abs(a - b).max() / np.abs(b).max()) for name, (a, b) in found.items()}


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Slide, torque and force of the big end against the closed form."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.6, 6.2))
    slide, torque, force = figure.subplots(3, 1, sharex=True)
    t, loaded = outcome["t"], outcome["t of force"]
    every = max(1, len(t) // 60)
    slide.plot(t, outcome["slide"], label="Condyle")
    slide.plot(t[::every], outcome["exact slide"][::every], "o", color="0.25", markersize=2.4, label="closed form")
    torque.plot(loaded, outcome["torque"])
    torque.plot(loaded[::every], outcome["exact torque"][::every], "o", color="0.25", markersize=2.4)
    for k, (name, line) in enumerate((("along x", "-"), ("along z", "--"))):
        force.plot(loaded, outcome["big end"][:, k], line, label=name)
        force.plot(loaded[::every], outcome["exact big end"][::every, k], "o", color="0.25", markersize=2.4)
    slide.set(ylabel="place of the block (m)", xlim=(0.0, p.end))
    slide.legend(loc="upper center", ncols=2, fontsize="small", bbox_to_anchor=(0.5, 1.2))
    torque.set(ylabel="driving torque (N m)")
    force.set(xlabel="time (s)", ylabel="force on the coupler (N)")
    force.legend(loc="lower right", ncols=2, fontsize="small", bbox_to_anchor=(1.0, 0.98))
    figure.align_ylabels()
    return {"slider_crank": figure}


def _error(o: cd.Outcome, name: str, method: str, fine: int = 1) -> float:
    return float(o["errors"][method, fine][name])


def _small(name: str, method: str, tolerance: float) -> cd.Claim:
    return cd.Claim(
        f"error of the {name}, {method}",
        "small (relative)",
        lambda o: _error(o, name, method),
        tolerance=tolerance,
        kind="closed form",
        origin="closed kinematics and inverse dynamics",
    )


def _at(outcome: cd.Outcome, name: str) -> float:
    """What generalized-α with the smaller step gives at 0.2 s."""
    return float(np.interp(0.2, outcome["t" if name == "slide" else "t of force"], outcome[name]))


TOLERANCES = {"slide": 1e-9, "slide rate": 2e-4, "big end": 2e-4, "shaft": 2e-4, "guide": 2e-4, "torque": 2e-4}

CLAIMS = [
    *(_small(name, "energy-momentum", tolerance) for name, tolerance in TOLERANCES.items()),
    *(_small(name, "generalized-alpha", 1e-6) for name in TOLERANCES),
    *(
        cd.Claim(f"{name} at 0.2 s", value, partial(_at, name=name), unit=unit, tolerance=tolerance,
                 kind="closed form", origin="closed kinematics and inverse dynamics")
        for name, value, unit, tolerance in (
            ("slide", 0.308062, "m", 2e-6), ("torque", -1.14188, "N m", 2e-4), ("guide", 11.4521, "N", 2e-3),
        )
    ),
    cd.Claim("order of convergence of the torque", 2.0,
             lambda o: np.log2(_error(o, "torque", "energy-momentum", 0) / _error(o, "torque", "energy-momentum")),
             tolerance=0.3, kind="property", origin="inverse dynamics"),
    cd.Claim.kept("energy gained minus work of the exact torque", "energy balance", 1e-4,
                  "power of the drive, integrated", words="balanced (relative)"),
    cd.Claim.kept("largest violation of a constraint", "gap", 1e-11, "joints", words="closed"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
