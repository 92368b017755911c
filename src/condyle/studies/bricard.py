"""Bricard's loop: a mechanism that counting forbids.

Five rods of 1 m and 1 kg and six hinges along the edges of a cube, the benchmark of over-constrained mechanisms
(González, Dopico, Lugrís, Cuadrado, Multibody System Dynamics 16 (2006) 261–283). Counting gives no freedom; the
geometry leaves one. The redundant equation is found and named and the loop falls with constant energy.
"""

from __future__ import annotations

import warnings

import numpy as np

import condyle as cd
from condyle.studies.four_bar import loop_claims, warned

# Corners along the edges of a cube, and the hinge axes there: each square to the rods that it joins.
CORNERS = np.array([[0, 0, 0], [1, 0, 0], [1, -1, 0], [1, -1, 1], [0, -1, 1], [0, 0, 1]], dtype=float)
AXES = ((0, 1, 0), (0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 0, 0))


PARAMETERS = {
    "length": cd.Parameter(1.0, "length of the rods", "m"),
    "mass": cd.Parameter(1.0, "mass of each rod", "kg"),
    "thin": cd.Parameter(0.01, "inertia about the rod over that across it", ""),
    "gravity": cd.Parameter(9.81, "gravity, towards −z", "m/s²"),
    "dt": cd.Parameter(0.01, "largest time step, halved twice", "s"),
    "end": cd.Parameter(2.0, "time simulated", "s"),
}
QUICK = {"end": 0.6}
INPUTS = ("length", "mass", "gravity")


def bricard_model(p: cd.Parameters, *, redundant: bool = True) -> cd.Model:
    """Five rods between six hinges; without redundancy the last hinge may also slide (and does not)."""
    model = cd.Model("Bricard", dimension=3, gravity=(0.0, 0.0, -p.gravity))
    P = p.length * CORNERS
    J = p.mass * p.length**2 / 12.0
    rods = []
    for k in range(5):
        along = (P[k + 1] - P[k]) / p.length
        across = np.roll(np.abs(along), 1)
        R = np.column_stack((along, across, np.cross(along, across)))
        rods.append(
            model.add(
                cd.RigidBody(f"rod {k + 1}", p.mass, inertia=(p.thin * J, J, J), position=0.5 * (P[k] + P[k + 1]),
                             rotation=R, outline=[[(-0.5 * p.length, 0, 0), (0.5 * p.length, 0, 0)]])
            )
        )  # fmt: skip
    bodies = [model.ground, *rods, model.ground]
    for k in range(6):
        kind = cd.Revolute if redundant or k < 5 else cd.Cylindrical
        model.add(kind(f"hinge {k + 1}", bodies[k], bodies[k + 1], at=P[k], axis=AXES[k]))
    return model


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """Three steps with energy–momentum, one of generalized-α for the reactions, and the model without redundancy."""
    model = bricard_model(p)
    steps = [p.dt / 2**k for k in range(3)]
    places = []
    for k, dt in enumerate(steps):
        result, said = warned(context, f"step-{k}", model, end=p.end, dt=dt, every=2**k)
        places.append(result.position("rod 3"))
    plain = context.simulate("without", bricard_model(p, redundant=False), end=p.end, dt=steps[-1], every=4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cd.RedundancyWarning)
        damped = context.simulate(
            "damped", model, end=p.end, dt=steps[0], integrator=cd.GeneralizedAlpha(spectral_radius=0.9)
        )
    change = [float(np.abs(places[k] - places[k + 1]).max()) for k in (0, 1)]
    E = result.energy["total"]
    corner = result.position("rod 3") + result.directors("rod 3")[:, :, 0] * 0.5 * p.length
    return said | {
        "t": result.times,
        "corner": corner,
        "energies": {name: result.energy[name] for name in ("kinetic", "gravity", "total")},
        "t of energy": result.step_times,
        "order": float(np.log2(change[0] / change[1])),
        "difference": float(np.abs(result.position("rod 3") - plain.position("rod 3")).max()),
        "travel": float(np.ptp(corner, axis=0).max() / p.length),
        "largest force": float(max(np.abs(damped.joint_force(f"hinge {k + 1}")).max() for k in range(6))),
        "t of force": damped.multiplier_times,
        "forces": np.array([np.linalg.norm(damped.joint_force(f"hinge {k + 1}"), axis=1) for k in range(6)]),
        "energy drift": float(np.ptp(E) / result.energy["kinetic"].max()),
        "gap": float(result.constraint_error.max()),
    }


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Motion of a corner, energies and hinge forces."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.6, 6.4))
    top, middle, bottom = figure.subplots(3, 1, sharex=True)
    for k, (name, line) in enumerate(zip("xyz", ("-", "--", "-."), strict=True)):
        top.plot(outcome["t"], outcome["corner"][:, k], line, label=name)
    top.set(ylabel="corner 4 (m)", xlim=(0.0, p.end))
    for (name, values), line in zip(outcome["energies"].items(), ("-", "--", "-."), strict=True):
        middle.plot(outcome["t of energy"], values, line, label=name)
    middle.set(ylabel="energy (J)")
    for k in range(6):
        bottom.plot(outcome["t of force"], outcome["forces"][k], ("-", "--")[k // 3], label=f"{k + 1}")
    bottom.set(xlabel="time (s)", ylabel="hinge force (N)")
    for panel in (top, middle, bottom):
        panel.legend(ncols=6, fontsize="small", loc="lower right", bbox_to_anchor=(1.0, 0.98), columnspacing=1.0)
    figure.align_ylabels()
    return {"bricard": figure}


CLAIMS = [
    *loop_claims(1, "5 bodies, 6 hinges: 6·5 − 6·5 = 0 by count, 1 in fact", [f"hinge {k}" for k in range(1, 7)]),
    cd.Claim("largest travel of a corner over the length", "it moves", lambda o: o["travel"], tolerance=0.5,
             sense="above", kind="property", origin="mobility 1"),
    cd.Claim("x of the fourth corner at 0.5 s", 0.27649, lambda o: np.interp(0.5, o["t"], o["corner"][:, 0]), unit="m",
             tolerance=2e-4, kind="reference", origin="converged run: steps of 2.5 and 1.25 ms, extrapolated"),
    cd.Claim("kinetic energy at 0.5 s", 28.4701,
             lambda o: np.interp(0.5, o["t of energy"], o["energies"]["kinetic"]), unit="J", tolerance=2e-3,
             kind="reference", origin="converged run: steps of 2.5 and 1.25 ms, extrapolated"),
    cd.Claim("order of convergence of the motion", 2.0, lambda o: o["order"], tolerance=0.15,
             kind="property", origin="differences of three steps"),
    cd.Claim("difference to the model without redundancy", "none", lambda o: o["difference"], unit="m", tolerance=1e-8,
             kind="relation", origin="redundant constraints do not change the motion"),
    cd.Claim.kept("energy drift over kinetic energy", "energy drift", 1e-10, "conservative system"),
    cd.Claim("largest component of a hinge force, generalized-α", "of the order of the weight of 49 N",
             lambda o: o["largest force"], unit="N", tolerance=120.0,
             kind="relation", origin="the undetermined part of the reactions is small"),
    cd.Claim.kept("largest violation of a constraint", "gap", 1e-11, "joints", words="closed"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
