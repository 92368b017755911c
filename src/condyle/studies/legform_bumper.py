"""Legform on a bumper of foam at 40 km/h: knee bending and tibia acceleration with their limits.

The legform of spicka-2013 (femur and tibia as rigid bodies, with the moments of inertia of their whole lengths) flies
at 40 km/h into a bumper of hyperelastic foam on a rigid beam, in the plane of the blow. Its knee resists by a spring
and a damper. Read off as a test laboratory does: bending of the knee, acceleration of the tibia (CFC 180), and the force
that the knee carries.
"""

from __future__ import annotations

import numpy as np

import condyle as cd
from condyle.studies import spicka_legform
from condyle.studies.spicka_legform import BODIES

PARAMETERS = {name: spicka_legform.PARAMETERS[name] for name in ("masses", "lengths", "radius", "speed")} | {
    "inertias": cd.Parameter((0.1246, 0.0987), "moments of inertia of femur and tibia, m (3 r² + L²)/12", "kg m²"),
    "knee_stiffness": cd.Parameter(1500.0, "of the knee", "N m/rad"),
    "knee_damping": cd.Parameter(20.0, "of the knee", "N m s/rad"),
    "depth": cd.Parameter(0.08, "of the bumper", "m"),
    "height": cd.Parameter(0.24, "of the bumper", "m"),
    "centre": cd.Parameter(0.0, "of the bumper over the knee", "m"),
    "width": cd.Parameter(0.3, "of the bumper that takes part", "m"),
    "density": cd.Parameter(80.0, "of the foam", "kg/m³"),
    "viscosity": cd.Parameter(0.0, "of the foam", "Pa s"),
    "youngs": cd.Parameter((0.2e6, 0.3e6, 0.6e6), "Young's moduli of foams", "Pa"),
    "cells": cd.Parameter((3, 8), "cells of the bumper"),
    "dt": cd.Parameter(1.5e-4, "time step", "s"),
    "end": cd.Parameter(0.024, "time simulated", "s"),
}  # fmt: skip
QUICK = {"youngs": (0.3e6,), "end": 0.018}
INPUTS = ("masses", "speed")


def legform_model(p: cd.Parameters, young: float) -> cd.Model:
    """In the vertical plane of the blow: the leg upright and flying to the right, the bumper on a rigid beam."""
    model = cd.Model("legform on a bumper", dimension=2)
    made = {}
    for name, mass, length, inertia, side in zip(BODIES, p.masses, p.lengths, p.inertias, (1.0, -1.0), strict=True):
        made[name] = model.add(
            cd.RigidBody(name, mass, inertia=inertia, position=(0.0, side * 0.5 * length), velocity=(p.speed, 0.0),
                         outline=[[(0.0, -0.5 * length), (0.0, 0.5 * length)]], points={"knee": (0.0, -side * 0.5 * length)})
        )  # fmt: skip
    model.add(cd.Pin("knee", made["femur"], made["tibia"], at=(0.0, 0.0)))
    resists = cd.PassiveAxis(damping=p.knee_damping, curve=((-1.0, 1.0), (-p.knee_stiffness, p.knee_stiffness)))
    model.add(cd.PassiveMoment("ligaments", "knee", resists))
    front = p.radius + 1e-4
    foam = model.add(
        cd.Solid.block("bumper", (p.depth, p.height), p.cells, cd.NeoHookean(young, 0.0, p.density, viscosity=p.viscosity),
                       origin=(front, p.centre - 0.5 * p.height), thickness=p.width)
    )  # fmt: skip
    model.add(cd.Tie("beam", foam, "right", model.ground))
    for name, length in zip(BODIES, p.lengths, strict=True):
        reach = 0.5 * length - p.radius
        limb = cd.Capsule((0.0, -reach), (0.0, reach), p.radius)
        model.add(cd.Contact(f"{name} on bumper", foam, "left", made[name], limb))
    return model


def blow(p: cd.Parameters, young: float, context: cd.Context) -> cd.Outcome:
    """One blow: what the legform measures, the force on the bumper, momentum and energy."""
    result = context.simulate(f"bumper-{1e-6 * young:g}-MPa", legform_model(p, young), end=p.end, dt=p.dt,
                              integrator=cd.GeneralizedAlpha(0.6))  # fmt: skip
    knee = cd.Point("femur", "knee"), cd.Point("tibia", "knee")
    accelerometer = cd.Point("tibia", (0.0, 0.5 * p.lengths[1] - 0.066))  # 66 mm below the knee
    leg = cd.crash.legform(result, "femur", "tibia", knee=knee, accelerometer=accelerometer)
    force = {name: result.contact(f"{name} on bumper").resultant[:, 0] for name in BODIES}  # on the foam
    momentum = {name: result.body_momentum(name)[0][:, 0] for name in BODIES}
    total, whole = np.sum([*force.values()], axis=0), np.sum([*momentum.values()], axis=0)
    carried = float(np.sum(np.diff(result.times) * result.joint_force("knee")[:, 0]))  # impulse on the tibia [N s]
    energy, start = result.energy["total"], 0.5 * sum(p.masses) * p.speed**2
    turned, k = result.coordinate("knee"), int(np.argmax(leg.bending))
    moment = result.passive_moment("ligaments")["angle"] + p.knee_damping * result.coordinate_rate("knee")
    return {
        "leg": leg, "peaks": leg.peaks, "t": result.times, "force": total, "pull": float(-total.min()),
        "impulse": float(np.trapezoid(total, result.times) / (whole[0] - whole[-1])),
        "missing": {
            name: float(abs((momentum[name][-1] - momentum[name][0] + np.trapezoid(force[name], result.times) - side * carried)
                            / (momentum[name][-1] - momentum[name][0])))
            for name, side in zip(BODIES, (-1.0, 1.0), strict=True)
        },
        "carried": float(abs(carried) / whole[0]),
        "stiffness": float(-moment[k] / (np.sign(turned[k]) * leg.bending[k])),
        "gain": float(np.diff(energy).max() / start),
        "crushed": float(result.position("tibia")[:, 0].max()),
    }  # fmt: skip


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """Foams of several stiffness."""
    return {"foams": {young: blow(p, young, context) for young in p.youngs}}


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Force on the bumper, and bending and acceleration with their limits."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.4, 3.0))
    one, two, three = figure.subplots(1, 3)
    for young, found in outcome["foams"].items():
        leg, t = found["leg"], 1e3 * found["t"]
        one.plot(t, 1e-3 * found["force"], label=f"{1e-6 * young:g} MPa, {1e3 * found['crushed']:.0f} mm")
        two.plot(t, np.degrees(leg.bending))
        three.plot(t, leg.acceleration / 9.80665)
    two.axhline(np.degrees(leg.limits["bending"]), color="0.4", linestyle="--", label="limit")
    three.axhline(leg.limits["acceleration"] / 9.80665, color="0.4", linestyle="--", label="limit")
    for ax, label in ((one, "force on the bumper (kN)"), (two, "bending of the knee (°)"), (three, "tibia (g)")):
        ax.set(xlabel="time (ms)", ylabel=label)
        ax.legend(fontsize="x-small")
    return {"legform_bumper": figure}


def of(outcome: cd.Outcome, name: str) -> float:
    """A number of the foam of 0.3 MPa, which every form has."""
    return float(outcome["foams"][0.3e6][name])


CLAIMS = [
    cd.Claim("foam of 0.3 MPa: way of the tibia into the bumper", 0.06505, lambda o: of(o, "crushed"), kind="reference",
             unit="m", tolerance=1e-4, origin="steps half and a quarter as long: 65.06 and 65.04 mm"),
    cd.Claim("foam of 0.3 MPa: bending of the knee", 25.82, lambda o: np.degrees(o["foams"][0.3e6]["peaks"]["bending"]),
             kind="reference", unit="°", tolerance=0.1, origin="steps half and a quarter as long: 25.87° and 25.78°"),
    cd.Claim("foam of 0.3 MPa: acceleration of the tibia, CFC 180", 253.8,
             lambda o: o["foams"][0.3e6]["peaks"]["acceleration"] / 9.80665, kind="reference", unit="g", tolerance=1.5,
             origin="steps half as long"),
    cd.Claim("foam of 0.3 MPa: moment of the knee at its largest bending, damping taken off, over the bending", 1500.0,
             lambda o: of(o, "stiffness"), kind="closed form", unit="N m/rad", tolerance=1e-3, origin="stiffness of the knee"),
    cd.Claim("foam of 0.3 MPa: what the forces of bumper and knee leave of the change of momentum of a body", "little",
             lambda o: max(o["foams"][0.3e6]["missing"].values()), kind="property", tolerance=0.015,
             origin="balance of momentum of femur and of tibia, by sums over frames of a force that jumps"),
    cd.Claim("foam of 0.3 MPa: impulse across the knee over the momentum of the flight", "not small",
             lambda o: of(o, "carried"), kind="relation", tolerance=0.05, sense="above",
             origin="without it the balance of each body would miss more than that"),
    cd.Claim("foam of 0.3 MPa: impulse over the change of momentum of the leg", 1.0, lambda o: of(o, "impulse"),
             kind="property", tolerance=0.01, origin="balance of momentum; the sum over frames of a force that jumps"),
    cd.Claim("foam of 0.3 MPa: pull of the bumper", "none", lambda o: of(o, "pull"), kind="property", unit="N",
             tolerance=1e-9, origin="contact only pushes, and the bumper stays in front"),
    cd.Claim("foam of 0.3 MPa: gain of energy in a step over that of the flight", "none", lambda o: of(o, "gain"),
             kind="property", tolerance=1e-4, origin="generalized-α, to its order"),
    cd.Claim("bending of the knee with the stiffest foam over that with the softest", "more",
             lambda o: o["foams"][max(o["foams"])]["peaks"]["bending"] / o["foams"][min(o["foams"])]["peaks"]["bending"],
             kind="relation", tolerance=1.02, sense="above", full_only=True,
             origin="a stiff bumper stops the knee, not the ends"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
