"""Four-bar linkage in space: redundant hinges named, motion and reactions right.

Four parallel hinges close a planar loop in space; three of their twenty equations say nothing new. They are found and
named, the run goes on, the motion is that of the single equation of motion of the linkage and of a model without
redundancy, and the undetermined reactions are the smallest ones.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd

PARAMETERS = {
    "crank": cd.Parameter(0.3, "length of the crank", "m"),
    "coupler": cd.Parameter(0.8, "length of the coupler", "m"),
    "rocker": cd.Parameter(0.5, "length of the rocker", "m"),
    "base": cd.Parameter(0.7, "distance of the fixed hinges", "m"),
    "density": cd.Parameter(2.0, "mass per length of the bars", "kg/m"),
    "gravity": cd.Parameter(9.81, "gravity, towards −z", "m/s²"),
    "start": cd.Parameter(1.2, "angle of the crank at the start", "rad"),
    "rate": cd.Parameter(6.0, "rate of the crank at the start", "rad/s"),
    "dt": cd.Parameter(4e-3, "largest time step, halved twice", "s"),
    "end": cd.Parameter(2.0, "time simulated", "s"),
}
QUICK = {"dt": 8e-3, "end": 0.6}
INPUTS = ("crank", "coupler", "rocker", "base", "density", "gravity", "start", "rate")


def corners(p: cd.Parameters, angle: float) -> tuple[Any, Any]:
    """Crank end B and rocker end C in the plane (x, z) at a crank angle; shape (2,) or (2, times)."""
    B = p.crank * np.array([np.cos(angle), np.sin(angle)])
    span = np.array([p.base - B[0], -B[1]])
    r = np.sqrt(span[0] ** 2 + span[1] ** 2)
    along = (p.coupler**2 - p.rocker**2 + r**2) / (2.0 * r)
    height = np.sqrt(p.coupler**2 - along**2)
    return B, B + (along * span + height * np.array([-span[1], span[0]])) / r


def four_bar_model(p: cd.Parameters, *, redundant: bool = True) -> cd.Model:
    """Hinges about y at all four corners; without redundancy the third only keeps a point on a line along y."""
    flat = [np.zeros(2), *corners(p, p.start), np.array([p.base, 0.0])]
    A, B, C, D = (np.array([c[0], 0.0, c[1]]) for c in flat)
    model = cd.Model("four-bar", dimension=3, gravity=(0.0, 0.0, -p.gravity))
    names = ("crank", "coupler", "rocker")
    bars = [model.add(_bar(n, *ends, p.density)) for n, ends in zip(names, ((A, B), (B, C), (C, D)), strict=True)]
    y = (0.0, 1.0, 0.0)
    model.add(cd.Revolute("A", model.ground, bars[0], at=A, axis=(0.0, -1.0, 0.0)))
    model.add(cd.Revolute("B", bars[0], bars[1], at=B, axis=y))
    if redundant:
        model.add(cd.Revolute("C", bars[1], bars[2], at=C, axis=y))
    else:
        model.add(cd.PointOnLine("C", bars[1], bars[2], at=C, axis=y))
    model.add(cd.Revolute("D", model.ground, bars[2], at=D, axis=y))
    model.add(cd.Initial("start", "A.angle", rate=p.rate))
    return model


def _bar(name: str, one: NDArray[np.float64], two: NDArray[np.float64], density: float) -> cd.RigidBody:
    length = float(np.linalg.norm(two - one))
    along, across = (two - one) / length, np.array([0.0, 1.0, 0.0])
    J = density * length**3 / 12.0
    return cd.RigidBody(
        name, density * length, inertia=(0.01 * J, J, J), position=0.5 * (one + two),
        rotation=np.column_stack((along, across, np.cross(along, across))),
        outline=[[(-0.5 * length, 0.0, 0.0), (0.5 * length, 0.0, 0.0)]],
    )  # fmt: skip


def reference(p: cd.Parameters, end: float) -> Any:
    """Crank angle and rate at given times: one equation of motion, ½ J(θ) θ̇² + V(θ) constant, by DOP853."""
    from scipy.integrate import solve_ivp

    masses = p.density * np.array([p.crank, p.coupler, p.rocker])
    D = np.array([p.base, 0.0])

    def inertia(angle: float) -> tuple[float, float]:
        """J(θ) with T = ½ J θ̇², and V; derivatives of the corners by central differences of order 6."""
        h, w = 1e-2, np.array([-1 / 60, 3 / 20, -3 / 4, 3 / 4, -3 / 20, 1 / 60]) / 1e-2
        near = [corners(p, angle + k * h) for k in (-3, -2, -1, 1, 2, 3)]
        B_rate, C_rate = (sum(f * pair[k] for f, pair in zip(w, near, strict=True)) for k in (0, 1))
        B, C = corners(p, angle)
        ends = ((np.zeros(2), B_rate), (B_rate, C_rate), (C_rate, np.zeros(2)))
        # A slender rod: T = m/6 (v1·v1 + v1·v2 + v2·v2).
        J = sum(m / 3.0 * (a @ a + a @ b + b @ b) for m, (a, b) in zip(masses, ends, strict=True))
        V = p.gravity * float(masses @ np.array([0.5 * B[1], 0.5 * (B[1] + C[1]), 0.5 * (C[1] + D[1])]))
        return float(J), V

    def slope(angle: float) -> tuple[float, float, float]:
        h, w = 1e-2, np.array([-1 / 60, 3 / 20, -3 / 4, 3 / 4, -3 / 20, 1 / 60]) / 1e-2
        near = np.array([inertia(angle + k * h) for k in (-3, -2, -1, 1, 2, 3)])
        return inertia(angle)[0], *(w @ near)

    def rates(t: float, y: NDArray[np.float64]) -> list[float]:
        J, dJ, dV = slope(y[0])
        return [y[1], (-0.5 * dJ * y[1] ** 2 - dV) / J]

    solved: Any = solve_ivp(rates, (0.0, end), (p.start, p.rate), method="DOP853", rtol=1e-10, atol=1e-11,
                            dense_output=True)  # fmt: skip
    return solved.sol


def warned(context: cd.Context, name: str, model: cd.Model, **options: Any) -> tuple[cd.Result, cd.Outcome]:
    """A run, and what it said of redundant constraints: the words, and how many there are."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", cd.RedundancyWarning)
        result = context.simulate(name, model, **options)
    said = [str(w.message) for w in caught if issubclass(w.category, cd.RedundancyWarning)]
    return result, {"said": " ".join(said), "redundant": sum(int(text.split()[0]) for text in said)}


def loop_claims(redundant: int, why: str, hinges: Sequence[str]) -> list[cd.Claim]:
    """How many constraints of a closed loop are redundant, and that all of its hinges are named."""
    return [
        cd.Claim("redundant constraints found", float(redundant), lambda o: o["redundant"], tolerance=0.0,
                 kind="property", origin=why),
        cd.Claim("hinges named in the warning", float(len(hinges)),
                 lambda o: sum(f"'{hinge}'" in o["said"] for hinge in hinges), tolerance=0.0,
                 kind="property", origin="all of the loop take part"),
    ]  # fmt: skip


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """The redundant model at three steps, and the model without redundancy."""
    model = four_bar_model(p)
    steps = [p.dt / 2**k for k in range(3)]
    results = []
    for k, dt in enumerate(steps):
        result, said = warned(context, f"step-{k}", model, end=p.end, dt=dt)
        results.append(result)
        if k == 0:
            yield {"kinetic": float(result.energy["kinetic"][0])}
    yield {"t": result.times, "angle": result.coordinate("A.angle") + p.start}
    exact = reference(p, p.end)
    errors = [float(np.abs(r.coordinate("A.angle") + p.start - exact(r.times)[0]).max()) for r in results]
    plain = context.simulate("without", four_bar_model(p, redundant=False), end=p.end, dt=steps[-1])
    E = result.energy["total"]
    forces = {name: result.joint_force(name) for name in "ABCD"}
    momentum = np.diff(result.linear_momentum, axis=0) / steps[-1]
    mass = p.density * (p.crank + p.coupler + p.rocker)
    carried = forces["A"] + forces["D"] + mass * np.array([0.0, 0.0, -p.gravity])
    yield said | {
        "steps": np.array(steps),
        "errors": np.array(errors),
        "exact": exact(result.times)[0],
        "t of force": result.multiplier_times,
        "forces": forces,
        "path": result.position("coupler")[:, [0, 2]],
        "difference": float(np.abs(result.position("coupler") - plain.position("coupler")).max()),
        "out of plane": float(max(np.abs(f[:, 1]).max() for f in forces.values())),
        "reaction balance": float(np.abs(carried - momentum).max() / np.abs(momentum).max()),
        "energy drift": float(np.ptp(E) / result.energy["kinetic"].max()),
        "gap": float(result.constraint_error.max()),
    }


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Crank angle and hinge forces."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.6, 4.6))
    top, bottom = figure.subplots(2, 1, sharex=True)
    t, every = outcome["t"], max(1, len(outcome["t"]) // 60)
    top.plot(t, outcome["angle"], label="four hinges, 3 redundant")
    top.plot(t[::every], outcome["exact"][::every], "o", color="0.25", markersize=2.4, label="one equation of motion")
    top.set(ylabel="crank angle (rad)", xlim=(0.0, p.end))
    top.legend(fontsize="small", loc="upper left")
    for name, line in zip("ABCD", ("-", "--", "-.", ":"), strict=True):
        size = np.linalg.norm(outcome["forces"][name], axis=1)
        bottom.plot(outcome["t of force"], size, line, label=f"hinge {name}")
    bottom.set(xlabel="time (s)", ylabel="hinge force (N)")
    bottom.legend(ncols=4, fontsize="small", loc="lower center", bbox_to_anchor=(0.5, 1.0), columnspacing=1.0)
    figure.align_ylabels()
    return {"four_bar": figure}


CLAIMS = [
    *loop_claims(3, "a planar loop of four hinges in space has mobility 6·3 − 4·5 = −2 by count, 1 in fact", "ABCD"),
    cd.Claim("order of convergence of the crank angle", 2.0, lambda o: float(np.log2(o["errors"][-2] / o["errors"][-1])),
             tolerance=0.1, kind="property", origin="one equation of motion, by DOP853"),
    cd.Claim("error of the crank angle at the smallest step", "small", lambda o: o["errors"][-1], unit="rad",
             tolerance=1e-3, kind="closed form", origin="one equation of motion, by DOP853"),
    cd.Claim("crank angle at 0.6 s", 6.5473, lambda o: np.interp(0.6, o["t"], o["angle"]), unit="rad", tolerance=2e-3,
             kind="closed form", origin="one equation of motion, by DOP853"),
    cd.Claim("kinetic energy at the start", 3.48973, lambda o: o["kinetic"], unit="J", tolerance=1e-5,
             kind="closed form", origin="½ J(θ) θ̇² of three slender rods"),
    cd.Claim("difference to the model without redundancy", "none", lambda o: o["difference"], unit="m", tolerance=1e-10,
             kind="relation", origin="redundant constraints do not change the motion"),
    cd.Claim("reactions out of the plane", "none (smallest norm)", lambda o: o["out of plane"], unit="N", tolerance=1e-8,
             kind="property", origin="they are undetermined; the smallest is zero"),
    cd.Claim.kept("hinge forces and weight minus rate of momentum", "reaction balance", 1e-8,
                  "Newton's law for the whole linkage", words="balanced (relative)"),
    cd.Claim.kept("energy drift over kinetic energy", "energy drift", 1e-10, "conservative system"),
    cd.Claim.kept("largest violation of a constraint", "gap", 1e-11, "joints", words="closed"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
