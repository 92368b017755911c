"""Rigid and flexible bodies in one step: joints of every kind, contact of both, and the rigid limit.

The source writes the equations of rigid bodies, ANCF bodies, the joints between them and their contacts as one system of
impulses, but does not run it. Here it is run: a box with a tail strikes a free ball, a sledge with a mast slides to rest, and
a hook hangs over a beam.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd

PARAMETERS = {
    "gravity": cd.Parameter(9.81, "acceleration of gravity", "m/s²"),
    "friction": cd.Parameter(0.5, "coefficient under the sledge"),
    "speed": cd.Parameter(1.0, "of the sledge as it starts", "m/s"),
    "mast": cd.Parameter(0.5, "length of the mast", "m"),
    "stiff": cd.Parameter((1e8, 1e9, 1e10, 1e11), "Young's moduli of the mast", "Pa"),
    "young": cd.Parameter(2e8, "Young's modulus of the tail and of the beam under the hook", "Pa"),
    "load": cd.Parameter(2.0, "mass of the hook", "kg"),
    "dt": cd.Parameter(0.004, "time step", "s"),
    "flight": cd.Parameter(0.3, "time of the flight", "s"),
    "slide": cd.Parameter(0.3, "time of the slide", "s"),
    "hang": cd.Parameter(1.5, "time in which the hook comes to rest", "s"),
}
QUICK = {"flight": 0.06, "stiff": (1e9, 1e10), "slide": 0.21, "hang": 0.56}
INPUTS = ("friction", "mast", "load")

# What the joint between box and tail holds: spherical joint, clamped tangent, section that may deform, section that may not,
# and the rotation in the gradients of the section.
JOINTS = ("spherical", "tangent", "section", "rigid section", "rotation")
SECTION, DENSITY = 0.02, 1000.0  # radius [m] of the tail, [kg/m³]
SLEDGE, SLEDGE_DENSITY, MAST_RADIUS, MAST_DENSITY = (0.4, 0.3, 0.1), 500.0, 0.02, 2000.0
SPAN, BAR_RADIUS, HOOK_RADIUS = 1.0, 0.02, 0.03


def flying(p: cd.Parameters, joint: str) -> cd.Model:
    """A box that turns, with a cable or beam on it that strikes a free ball; no gravity."""
    model = cd.Model("flying", dimension=3)
    box = model.add(
        cd.RigidBody.box("box", (0.2,) * 3, 500.0, position=(-0.1, 0.0, 0.0), angular_velocity=(0.5, 2.0, 0.3))
    )
    section = cd.RoundSection(SECTION, cd.StVenantKirchhoff(p.young, 0.0, DENSITY))
    kind: Any = cd.Cable if joint in ("spherical", "tangent") else cd.AncfBeam
    tail = model.add(kind("tail", [(0.0, 0.0, 0.0), (1.0, 0.0, 0.0)], 3, section))
    end, face = tail.point("start"), box.at(0.1, 0.0, 0.0)
    if joint == "spherical":
        model.add(cd.Spherical("joint", end, face))
    else:
        hold = {"rigid section": "gradient", "rotation": "rotation"}.get(joint, "direction")
        model.add(cd.Clamp("joint", end, face, hold=hold))
    ball = model.add(cd.RigidBody.ball("ball", 0.05, 2000.0, position=(0.8, 0.0, -0.1), velocity=(0.2, 0.3, 2.0)))
    model.add(cd.PatchContact("strike", tail, ball, cd.Sphere(0.05), friction=0.3))
    return model


def sledge(p: cd.Parameters, young: float | None) -> cd.Model:
    """A box that slides, with a mast on it: a beam of given modulus [Pa], or a rigid cylinder."""
    model = cd.Model("sledge", dimension=3, gravity=(0.0, 0.0, -p.gravity))
    x, y, z = SLEDGE
    box = model.add(
        cd.RigidBody.box("sledge", SLEDGE, SLEDGE_DENSITY, position=(0.0, 0.0, 0.5 * z), velocity=(p.speed, 0.0, 0.0))
    )
    top = box.at(0.0, 0.0, 0.5 * z)
    if young is None:
        mast = model.add(
            cd.RigidBody.cylinder("mast", MAST_RADIUS, p.mast, MAST_DENSITY, position=(0.0, 0.0, z + 0.5 * p.mast),
                                  velocity=(p.speed, 0.0, 0.0))
        )  # fmt: skip
        model.add(cd.Fixed("foot", mast.at(0.0, 0.0, -0.5 * p.mast), top))
    else:
        section = cd.RoundSection(MAST_RADIUS, cd.StVenantKirchhoff(young, 0.0, MAST_DENSITY))
        line = [(0.0, 0.0, z), (0.0, 0.0, z + p.mast)]
        beam = model.add(cd.AncfBeam("mast", line, 2, section, velocity=(p.speed, 0.0, 0.0)))
        model.add(cd.Clamp("foot", beam.point("start"), top, hold="rotation"))
    feet = [(a * x, b * y, -0.5 * z) for a in (-0.5, 0.5) for b in (-0.5, 0.5)]
    model.add(cd.Contact("floor", box, feet, model.ground, cd.Plane((0.0, 0.0, 1.0)), friction=p.friction))
    return model


def hanging(p: cd.Parameters) -> cd.Model:
    """A rigid hook over the middle of a beam on two supports; its weight is below the beam, so that it stays upright."""
    model = cd.Model("hook", dimension=3, gravity=(0.0, 0.0, -p.gravity))
    section = cd.RoundSection(BAR_RADIUS, cd.StVenantKirchhoff(p.young, 0.0, DENSITY))
    beam = model.add(cd.AncfBeam("beam", [(0.0, 0.0, 0.0), (SPAN, 0.0, 0.0)], 6, section, damping=0.05))
    model.add(cd.Hold("supports", beam, [0, 6], (0.0, 0.0, 1.0)))
    model.add(cd.Hold("sideways", beam, [0, 6], (0.0, 1.0, 0.0)))
    model.add(cd.Hold("end", beam, [0], (1.0, 0.0, 0.0)))
    model.add(cd.Hold("twist", beam, [0, 6], (0.0, 0.0, 1.0), vectors="direction 2"))
    below = 0.3
    hook = model.add(
        cd.RigidBody("hook", p.load, inertia=(0.02,) * 3, position=(0.5 * SPAN, 0.0, BAR_RADIUS + HOOK_RADIUS - below))
    )
    model.add(cd.PatchContact("eye", beam, hook, cd.Sphere(HOOK_RADIUS, (0.0, 0.0, below)), friction=0.3, margin=1e-3))
    return model


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """The slide with masts of every stiffness and a rigid one; the hook; the flight with every joint."""
    found: cd.Outcome = {"gravity": p.gravity, "mast": p.mast, "young": p.young, "load": p.load}
    method = cd.Nonsmooth()
    rigid = cd.simulate(sledge(p, None), end=p.slide, dt=p.dt, integrator=method)
    found["times"], found["rigid"] = rigid.times, rigid.position("sledge")
    found["slides"] = rigid.times[1:] < 0.9 * p.speed / (p.friction * p.gravity)
    found["feet rigid"] = feet(rigid, found["slides"])
    found["far"], found["feet"], found["way"] = {}, {}, {}
    for young in p.stiff:
        result = cd.simulate(sledge(p, young), end=p.slide, dt=p.dt, integrator=method)
        found["far"][young] = float(np.abs(result.position("sledge") - found["rigid"]).max())
        found["feet"][young] = result.contact("floor").normal_force
        found["way"][young] = float(result.position("sledge")[-1, 0])
        found["last feet"] = feet(result, found["slides"])
    yield found
    hook = cd.simulate(hanging(p), end=p.hang, dt=p.dt, integrator=method)
    found["sag"] = -hook.position(cd.Point("beam", (0.5 * SPAN, 0.0, 0.0)))[:, 2]
    found["hang times"] = hook.times
    found["carried"] = -hook.contact("eye").resultant[:, 2]
    yield found
    for key in ("linear", "angular", "angular fine", "apart", "spin", "blow"):
        found[key] = {}
    for joint in JOINTS:
        for key, dt in (("angular", p.dt), ("angular fine", 0.5 * p.dt)):
            result = cd.simulate(flying(p, joint), end=p.flight, dt=dt, integrator=method)
            P, L = result.linear_momentum, result.angular_momentum
            found[key][joint] = float(np.abs(L - L[0]).max() / np.abs(L).max())
        ends = [cd.Point("tail", "start"), cd.Point("box", (0.1, 0.0, 0.0))]
        found["linear"][joint] = float(np.abs(P - P[0]).max() / np.abs(P).max())
        found["apart"][joint] = float(np.abs(result.position(ends[0]) - result.position(ends[1])).max())
        found["blow"][joint] = float(np.abs(result.contact("strike").impulse.sum(axis=1)).max())
        if joint == "rotation":
            found["spin"][joint] = result.angular_velocity(ends[0]), result.angular_velocity("box")
            found["flight times"] = result.times
    yield found


def feet(result: cd.Result, while_sliding: NDArray[np.bool_]) -> tuple[float, float]:
    """Mean forces [N] on the two rear and the two front feet while the sledge slides."""
    force = result.contact("floor").normal_force[1:][while_sliding]
    return float(force[:, :2].sum(axis=1).mean()), float(force[:, 2:].sum(axis=1).mean())


def sag(outcome: cd.Outcome) -> float:
    """F l³/48 E I + 5 w l⁴/384 E I of the beam under the hook [m]."""
    area, second = np.pi * BAR_RADIUS**2, 0.25 * np.pi * BAR_RADIUS**4
    force, weight = outcome["load"] * outcome["gravity"], DENSITY * area * outcome["gravity"]
    return float((force * SPAN**3 / 48.0 + 5.0 * weight * SPAN**4 / 384.0) / (outcome["young"] * second))


def approach(outcome: cd.Outcome) -> float:
    """How much nearer to the rigid mast the stiffest one is than the next, which has a tenth of its modulus."""
    *_, soft, stiff = (outcome["far"][young] for young in sorted(outcome["far"]))
    return float(soft / stiff)


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Feet of the sledge, the rigid limit, the hook that comes to rest, and the angular velocities at the joint."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 6.0), layout="constrained")
    (slide, limit), (hang, turn) = figure.subplots(2, 2)
    times = outcome["times"]
    for k, young in enumerate(p.stiff):
        front = outcome["feet"][young][:, 2:].sum(axis=1)
        slide.plot(times[1:], front[1:], color=f"C{k}", lw=1.2, label=f"{young:.0e} Pa")
    slide.axhline(outcome["feet rigid"][1], color="k", ls=":", lw=1.2, label="rigid")
    slide.set(xlabel="time (s)", ylabel="force on the front feet (N)", ylim=(0.0, 80.0))
    slide.legend(fontsize="x-small")
    limit.loglog(p.stiff, [outcome["far"][young] for young in p.stiff], "o-")
    limit.set(xlabel="modulus of the mast (Pa)", ylabel="from the rigid sledge (m)")
    hang.plot(outcome["hang times"], 1e3 * outcome["sag"], lw=1.2)
    hang.axhline(1e3 * sag(outcome), color="k", ls=":", lw=1.2)
    hang.set(xlabel="time (s)", ylabel="sag under the hook (mm)")
    of_section, of_box = outcome["spin"]["rotation"]
    for k, axis in enumerate("xyz"):
        turn.plot(outcome["flight times"], of_box[:, k], color=f"C{k}", lw=1.2, label=f"box, {axis}")
        turn.plot(outcome["flight times"], of_section[:, k], "k:", lw=1.2)
    turn.set(xlabel="time (s)", ylabel="angular velocity (rad/s)")
    turn.legend(fontsize="x-small")
    return {"monolithic": figure}


FRONT, REAR = 44.666, 26.522  # [N], by moments about the rear and front feet of a rigid sledge that is slowed by μ g
LIMIT = "the rigid sledge with a rigid mast"


def _kept(joint: str) -> list[cd.Claim]:
    line = joint in ("spherical", "tangent")
    why = "; friction acts on the axis of a cable, a radius off the ball" if line else ""
    return [
        cd.Claim(f"flight, {joint}: linear momentum lost", "kept", lambda o: o["linear"][joint], tolerance=1e-12,
                 kind="property", origin="forces of joints and contacts come in pairs"),
        cd.Claim(f"flight, {joint}: angular momentum lost", "kept", lambda o: o["angular fine"][joint],
                 tolerance=2e-4 if line else 2e-6, kind="property", origin="first order in the step" + why),
        cd.Claim(f"flight, {joint}: ends apart", "together", lambda o: o["apart"][joint], unit="m", tolerance=1e-5,
                 kind="property", origin="the joint"),
    ]  # fmt: skip


CLAIMS = [
    cd.Claim("sledge, stiffest mast: way", 0.099938, lambda o: o["way"][max(o["way"])], unit="m", tolerance=1e-5,
             kind="closed form", origin="v²/(2 μ g) as the sum of steps, Σ h (v − k μ g h)"),
    cd.Claim("sledge, stiffest mast: mean force on the front feet", FRONT, lambda o: o["last feet"][1], unit="N",
             tolerance=0.02, kind="closed form", origin="moments of weights and of inertia about the rear feet"),
    cd.Claim("sledge, stiffest mast: mean force on the rear feet", REAR, lambda o: o["last feet"][0], unit="N",
             tolerance=0.02, kind="closed form", origin="moments of weights and of inertia about the front feet"),
    cd.Claim("sledge, stiffest mast: distance from the rigid one", LIMIT, lambda o: o["far"][max(o["far"])], unit="m",
             tolerance=2e-5, kind="relation", origin="the rigid limit"),
    cd.Claim("sledge: distance from the rigid one, a tenth of the modulus over the stiffest", (7.0, 18.0),
             approach, kind="relation", origin="what bends is inverse to the modulus"),
    cd.Claim("hook: sag of the beam", 0.022650, lambda o: float(o["sag"][-1]), unit="m", tolerance=2e-4, kind="closed form",
             origin="F l³/48 E I + 5 w l⁴/384 E I"),
    cd.Claim("hook: force of the beam on it", 19.62, lambda o: float(o["carried"][-1]), unit="N", tolerance=0.1,
             kind="closed form", origin="its weight"),
    *(claim for joint in JOINTS for claim in _kept(joint)),
    cd.Claim("flight: least impulse of the ball on the tail in a step", (0.05, 10.0), lambda o: min(o["blow"].values()),
             unit="N s", kind="property", origin="it is struck, whatever the joint"),
    cd.Claim("flight, rotation: angular velocity of the section less that of the box", "the same",
             lambda o: float(np.abs(np.subtract(*o["spin"]["rotation"])).max() / np.abs(o["spin"]["rotation"][1]).max()),
             tolerance=2e-3, kind="property", origin="ω = (tr V 1 − V)⁻¹ Σ t_k × ṙ_k of F = R U, V = F Rᵀ, at the joint"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="hewlett-2020")
