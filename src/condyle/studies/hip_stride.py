"""Stress in a hip through a measured stride, with muscles.

The hip angle and the hip force of gait-legs (measured joint angles, inverse dynamics, nine Hill-type muscles) on the
plane polyethylene liner of hip-gait: contact pressure, stress and sliding through a whole stride, Archard's wear. The
force has two peaks of two body weights, so the pressure is more than twice that of the ballistic walk.
"""

from __future__ import annotations

import numpy as np

import condyle as cd
from condyle.studies import gait_legs
from condyle.studies.hip_3d import WEAR_FACTORS
from condyle.studies.hovey_bartel import LINER, liner, liner_mesh

MM, MPA = 1e-3, 1e6
RAMP = 0.2  # time in which the load of the first instant is put on [s]
HOVEY = 2.76  # largest pressure of Hovey's coupled walker without muscles [MPa]


PARAMETERS = LINER | {
    "wear": cd.Parameter(WEAR_FACTORS["maxian-1996"], "wear factor, assumed as in hip-wear", "1/Pa"),
    "tone": cd.Parameter(0.15, "least upward force over weight, of capsule and muscle tone"),
    "frames": cd.Parameter(1.0 / 60.0, "time between two frames of the stride", "s"),
    "dt": cd.Parameter(0.01, "time step", "s"),
}  # fmt: skip
QUICK = {"cells": (24, 4), "frames": 1.0 / 30.0}
INPUTS = ("inner",)


def hip(p: cd.Parameters, stride: cd.Outcome) -> cd.Model:
    """The liner fixed to the pelvis; the head of the femur turns as measured, under the force that muscles and motion need.

    In swing optimisation leaves next to nothing to press the head into the cup; capsule and muscle tone keep it there.
    """
    pressed = stride["on pelvis"].copy()
    pressed[:, 1] = np.maximum(pressed[:, 1], p.tone * stride["weight"])
    model = cd.Model("hip", dimension=2)
    soft = model.add(liner(p, liner_mesh(p), quasi_static=True))
    model.add(cd.Tie("shell", soft, "outer", model.ground))
    model.add(cd.RigidBody("head", 0.5, inertia=1e-4))
    model.add(cd.CustomJoint("femur", model.ground, "head", at=(0.0, 0.0)))
    model.add(cd.Contact("joint", soft, "inner", "head", cd.Sphere(p.inner)))
    times = tuple(np.concatenate(([0.0, 0.5 * RAMP], stride["t"] + RAMP)))
    turn = stride["hip angle"] - stride["hip angle"][0]
    model.add(cd.Drive("turning", "femur.angle", motion=cd.Spline(times, (0.0, 0.0, *turn))))
    for k, axis in enumerate(np.eye(2)):
        force = pressed[:, k]
        grown = (0.02 * force[0], 0.3 * force[0], *force)
        model.add(cd.Load(f"force {'xy'[k]}", "head", tuple(axis), cd.Spline(times, grown)))
    return model


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """The stride of gait-legs, then the liner under its hip force."""
    walk = gait_legs.STUDY.values({"dt": p.frames})
    stride = gait_legs.run(walk, context)
    model = hip(p, stride)
    result = context.simulate("hip", model, end=float(stride["t"][-1] + RAMP), dt=p.dt, integrator=cd.BDF(1))
    contact = result.contact("joint")
    late = result.times >= RAMP - 1e-9
    peak = int(np.argmax(np.where(late, contact.pressure.max(axis=1), 0.0)))
    fields = result.fields("liner", peak)
    away = contact.places[peak]
    t = result.times[late] - RAMP
    wanted = [np.hypot(model["force x"].scale(now), model["force y"].scale(now)) for now in result.times[late]]
    slip = contact.slip - contact.slip[np.argmax(late)]
    return {
        "p": p, "walk": walk, "t": t, "pressure": contact.pressure[late].max(axis=1), "wanted": wanted,
        "force": np.linalg.norm(contact.resultant[late], axis=1), "weight": stride["weight"],
        "area": contact.area[late] / p.depth / (np.pi * p.inner), "slip": float(slip[-1].max()),
        "turned": float(np.abs(np.diff(stride["hip angle"])).sum()), "iterations": float(np.mean(result.iterations)),
        "wear": (contact.wear(p.wear)[-1] - contact.wear(p.wear)[np.argmax(late)]) * 1e6,
        "angle": np.degrees(np.arctan2(contact.places[-1][:, 0], contact.places[-1][:, 1])),
        "peak angle": np.degrees(np.arctan2(away[:, 0], away[:, 1])), "peak pressure": contact.pressure[peak],
        "von Mises": float(fields.von_mises.max()),
        "map": fields.plot("von_mises", unit="MPa", scale=1.0 / MPA),
    }  # fmt: skip


# --- what is claimed --------------------------------------------------------------------------------------------------


def conforming(outcome: cd.Outcome) -> float:
    """Largest pressure over 2 F/(π r w), that of a head in a cup of the same radius with p ~ cos."""
    p, k = outcome["p"], int(np.argmax(outcome["pressure"]))
    return float(outcome["pressure"][k] * np.pi * p.inner * p.depth / (2.0 * outcome["force"][k]))


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Hip force and largest pressure over the gait cycle, wear over the surface, stress at the worst instant."""
    from matplotlib.figure import Figure

    walk = outcome["walk"]
    cycle = 100.0 * np.mod(outcome["t"] - walk.strike, walk.period) / walk.period
    order = np.argsort(cycle[outcome["t"] < walk.period])
    over = Figure(figsize=(6.4, 6.4))
    top, bottom = over.subplots(2, 1, sharex=True)
    top.plot(cycle[order], outcome["force"][order] / outcome["weight"])
    top.set(ylabel="hip force over weight (–)", ylim=(0.0, None))
    bottom.axhspan(10.0, 16.0, color="0.92", zorder=0)
    bottom.annotate("other studies at toe-off, 10–16 MPa", (66, 14.8), fontsize="small", color="0.3")
    bottom.plot(cycle[order], outcome["pressure"][order] / MPA, label="largest contact pressure")
    bottom.axhline(
        HOVEY, color="k", linestyle=":", linewidth=1.0, label="ballistic walk without muscles, 2.76 MPa (Hovey)"
    )
    bottom.set(xlabel="gait cycle from the strike of the right heel (%)", ylabel="contact pressure (MPa)", xlim=(0, 100),
               ylim=(0.0, 16.5))  # fmt: skip
    bottom.legend(fontsize="small", loc="upper left", bbox_to_anchor=(0.0, 0.92))

    around = Figure(figsize=(6.4, 3.8))
    panel = around.subplots()
    panel.plot(
        outcome["peak angle"], outcome["peak pressure"] / MPA, ".-", label="pressure at the worst instant (left axis)"
    )
    panel.set(xlabel="angle from the top of the cup, forward (°)", ylabel="contact pressure (MPa)", ylim=(0.0, None))
    other = panel.twinx()
    other.plot(outcome["angle"], outcome["wear"] / MM, "C1--", label="wear in a million strides (right axis)")
    other.set(ylabel="depth of wear (mm)", ylim=(0.0, None))
    other.grid(False)
    handles = [*panel.get_legend_handles_labels()[0], *other.get_legend_handles_labels()[0]]
    panel.legend(handles=handles, fontsize="small", loc="upper center", bbox_to_anchor=(0.5, 1.2), ncols=2)
    return {"stride_pressure": over, "stride_cup": around, "stride_von_mises": outcome["map"]}


CLAIMS = [
    cd.Claim("the liner carries what the stride needs: largest difference of the force", "same force",
             lambda o: np.abs(o["force"] - o["wanted"]).max() / o["weight"], tolerance=1e-3,
             kind="property", origin="balance"),
    cd.Claim("largest contact pressure", (5.0, 10.0), lambda o: o["pressure"].max() / MPA, unit="MPa",
             kind="regression", origin="between Hovey's walk without muscles, 2.76, and other studies at toe-off, 10–16"),
    cd.Claim("largest contact pressure over that of the ballistic walk", "muscles dominate",
             lambda o: o["pressure"].max() / MPA / HOVEY, tolerance=2.0, sense="above",
             kind="published", origin="Hovey 2000, section 5.3 and chapter 6"),
    cd.Claim("largest contact pressure over 2 F/(π r w)", (0.9, 1.3), conforming,
             kind="property", origin="conforming head, p ~ cos; the force points forward, where the cup ends"),
    cd.Claim("largest von Mises stress", (2.0, 8.0), lambda o: o["von Mises"] / MPA, unit="MPa",
             kind="regression", origin="below the yield stress of polyethylene, about 20"),
    cd.Claim("way that the head slides in a stride over the angle that it turns", 14.0,
             lambda o: o["slip"] / o["turned"] / MM, unit="mm", tolerance=0.2, kind="closed form",
             origin="radius of the head"),
    cd.Claim("depth of wear in a million strides", 0.1, lambda o: o["wear"].max() / MM, unit="mm", tolerance=0.05,
             kind="reference", origin="Dahl et al. 2012: 0.1 mm a year on average"),
    cd.Claim("Newton iterations per step, mean", (1.0, 5.0), lambda o: o["iterations"],
             kind="property", origin="quadratic convergence"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="delp-2007")
