"""A deformable hip inside an imported gait model: a joint of OpenSim replaced by contact.

A gait model of OpenSim (`data/gait_plane.osim`) is read, driven by its measured motion by OpenSim's names, and loaded by
what the force plates measured. Then its right hip is replaced in one call: the head of the femur turns in a half sphere of
polyethylene in the pelvis, in contact without friction. The pressures of the contact have to carry what the joint carried.
That is known three times: from inverse dynamics of the imported model, from Newton's law for the leg written out here, and
from OpenSim itself. Pressure, give and sliding are checked against closed forms.

Motion (harmonics up to 4 Hz) and ground reactions are those of gait-legs. Springs in the file stand for the tone of capsule
and muscles, which keeps the head in the cup while the leg swings; there are no other muscles, so that the force is small.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd
from condyle.studies.hip_3d import cosine, draw_map
from condyle.studies.hovey_bartel import LINER

DATA = Path(__file__).parent / "data"
FILE, MOTION, PLATES = DATA / "gait_plane.osim", DATA / "gait_plane.mot", DATA / "walk_ground.mot"
PLATE_HEIGHT = -0.0075  # of the ground, where the plates measured its force [m]
MM, MPA, MICRON = 1e-3, 1e6, 1e-6
# What the file says, once more, for Newton's law by hand: the hip in the pelvis, lengths [m], and the spring at the hip.
HIP, THIGH, SHANK = (-0.0724, -0.0677, 0.0), 0.455, 0.425
TONE_PELVIS, TONE_FEMUR, TONE_STIFFNESS, TONE_LENGTH = (-0.0724, 0.05), (0.0, -0.08), 3000.0, 0.06
LEG = ("femur_r", "tibia_r", "foot_r")
ON_TOP = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.0, 1.0, 0.0]])  # turns the pole of `Mesh.cup` up, along y
STARTED = 0.1  # after this time what the start has shaken no longer counts [s]

# Force of the right femur on the pelvis [N], forward and up, at every 0.1 s: prescribed motion in OpenSim 4 with the same
# files (tests/imports/opensim_hip_reference.py).
OPENSIM_T = 0.08 + 0.1 * np.arange(12)
OPENSIM = np.transpose([
    (36.8, -53.7, -45.3, -76.8, -60.0, -98.6, -93.2, -144.3, -116.3, -69.6, -26.2, 46.1),
    (707.7, 289.1, 317.4, 322.3, 259.7, 283.2, 540.2, 1036.6, 946.9, 905.7, 940.9, 1006.6),
])  # fmt: skip

PARAMETERS = {name: LINER[name] for name in ("inner", "outer", "young", "poisson", "density")} | {
    "cells": cd.Parameter((6, 3), "cells along a side of the cube inside the cup, and across"),
    "end": cd.Parameter(1.2, "time of the motion that is run", "s"),
    "dt": cd.Parameter(0.01, "time step", "s"),
}  # fmt: skip
QUICK = {"cells": (4, 2), "dt": 0.02, "end": 0.8}
INPUTS = ("inner",)


# --- the model --------------------------------------------------------------------------------------------------------


def functions() -> dict[str, cd.Spline]:
    """Coordinates by OpenSim's names as functions of time [rad or m]."""
    motion = cd.read_motion(MOTION)
    return {name: motion.function(name, angle=_is_angle(name)) for name in motion.names()}


def _is_angle(name: str) -> bool:
    return name not in ("pelvis_tx", "pelvis_ty")


def gait() -> cd.Imported:
    """The model of the file in the first pose of its motion, driven by it, with the measured ground reactions on its feet."""
    q = functions()
    motion = cd.read_motion(MOTION)
    imported = cd.import_model(FILE, pose=motion)
    imported.drive(motion)
    plates = cd.read_motion(PLATES)
    for side in "rl":
        foot, (x, y, place) = f"foot_{side}", (f"ground_force_{side}_{column}" for column in ("vx", "vy", "px"))
        imported.model.add(cd.Load(f"ground x, {side}", cd.Point(foot), (1.0, 0.0, 0.0), plates.function(x)))
        imported.model.add(cd.Load(f"ground y, {side}", cd.Point(foot), (0.0, 1.0, 0.0), plates.function(y)))
        ankle = np.array([joints(q, t, side)[-1][0] for t in plates.times])
        moment = (plates[place] - ankle[:, 0]) * plates[y] - (PLATE_HEIGHT - ankle[:, 1]) * plates[x]
        couple = cd.Spline(tuple(plates.times), tuple(moment))
        imported.model.add(cd.Torque(f"ground moment, {side}", foot, (0.0, 0.0, 1.0), couple))
    return imported


def turned(v: NDArray[np.float64] | tuple[float, ...], angle: float) -> NDArray[np.float64]:
    """A vector of the plane, turned."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([c * v[0] - s * v[1], s * v[0] + c * v[1]])


def joints(q: Mapping[str, cd.Spline], t: float, side: str) -> list[tuple[Any, float]]:
    """Hip, knee and ankle: place (2,) [m], and angle of the bone below [rad], by rotations in the plane."""
    angle = q["pelvis_tilt"](t)
    place = np.array([q["pelvis_tx"](t), q["pelvis_ty"](t)]) + turned(HIP, angle)
    found = []
    for name, length in (("hip_flexion", THIGH), ("knee_angle", SHANK), ("ankle_angle", 0.0)):
        angle = angle + q[f"{name}_{side}"](t)
        found.append((place, angle))
        place = place + turned((0.0, -length), angle)
    return found


def soften(p: cd.Parameters, imported: cd.Imported, reference: cd.Result) -> None:
    """The head of the right femur in a deformable cup instead of the hip joint, and all bodies in motion from the start.

    reference: a result of the model with the joint. The leg starts some microns deeper in the cup than it touches, about as
    deep as its force will press it.
    """
    imported.start_as(reference)
    for name in LEG:
        body = imported.model[name]
        body.position = tuple(body.position - 0.3 / layer(p) * reference.joint_force("hip_r")[0])
    centre = reference.position(cd.Point("pelvis", HIP))[0]
    mesh = cd.Mesh.cup(p.inner, p.outer, p.cells).mapped(lambda X: X @ ON_TOP.T + centre)
    plastic = cd.Robust(p.young, p.poisson, p.density)
    liner = cd.Solid.from_mesh("liner", mesh, plastic, quasi_static=True)
    shell = cd.Tie("shell", liner, "outer", "pelvis")
    surface = cd.Contact("hip surface", liner, "inner", "femur_r", cd.Sphere(p.inner))
    # In the plane the leg is still held by the axis of the joint; its place is left to the contact.
    imported.replace_joint("hip_r", [liner, shell, surface], keep=("axis 1", "axis 2"))


def layer(p: cd.Parameters) -> float:
    """Stiffness [N/m] of a half sphere on a layer of springs E/h: E/h · 2πR²/3."""
    return p.young / (p.outer - p.inner) * 2.0 * np.pi * p.inner**2 / 3.0


# --- Newton's law, written out ------------------------------------------------------------------------------------------


def newton(imported: cd.Imported, times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Force of the right femur on the pelvis [N], forward and up, shape (times, 2).

    Σ m a = Σ m g + ground reaction + spring + joint force for femur, tibia and foot, accelerations by differences.
    """
    q, plates, h = functions(), cd.read_motion(PLATES), 1e-5
    ground = [plates.function(f"ground_force_r_{column}") for column in ("vx", "vy")]
    bodies = [imported.model[name] for name in LEG]

    def moment(t: float) -> NDArray[np.float64]:
        """Σ m r of the leg."""
        bones = zip(bodies, joints(q, t, "r"), strict=True)
        return sum(body.mass * (place + turned(body.centre_of_mass, angle)) for body, (place, angle) in bones)

    weight = np.array([0.0, -9.81 * sum(body.mass for body in bodies)])
    forces = []
    for t in times:
        inertia = (moment(t + h) - 2.0 * moment(t) + moment(t - h)) / h**2
        tilt = q["pelvis_tilt"](t)
        line = turned(np.subtract(TONE_PELVIS, HIP[:2]), tilt) - turned(TONE_FEMUR, tilt + q["hip_flexion_r"](t))
        spring = TONE_STIFFNESS * (1.0 - TONE_LENGTH / np.linalg.norm(line)) * line
        forces.append(weight + [force(t) for force in ground] + spring - inertia)
    return np.array(forces)


# --- the run ----------------------------------------------------------------------------------------------------------


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """The imported model with its joint, then with contact instead of it."""
    imported = gait()
    times = np.arange(round(p.end / p.dt) + 1) * p.dt
    reference = cd.inverse_dynamics(imported.model, times)
    joint = -reference.joint_force("hip_r")[:, :2]
    masses = [part.mass for part in imported.model if isinstance(part, cd.RigidBody)]
    yield {
        "p": p, "t": times[1:], "joint": joint, "newton": newton(imported, times[1:]), "mass": sum(masses),
        "weight": 9.81 * sum(masses), "moved by": drives(reference), "left out": imported.left_out,
    }  # fmt: skip

    soften(p, imported, reference)
    # The cup is stiff: all that is faster than a step dies at once. Velocities of drives need not be held beside places.
    result = context.simulate(
        "soft hip", imported.model, end=p.end, dt=p.dt, integrator=cd.GeneralizedAlpha(0.0, hold="positions")
    )
    contact = result.contact("hip surface")
    hip = result.position(cd.Point("pelvis", HIP))
    turn = np.abs(np.diff(result.coordinate("hip_r.hip_flexion_r"))).sum()
    yield {
        "followed": followed(imported, result), "moved by, soft": drives(result), "contact": contact.resultant[1:],
        "give": np.linalg.norm(result.position("femur_r") - hip, axis=1)[1:], "pressure": contact.pressure[1:],
        "peak": contact.pressure[1:].max(axis=1), "slip": contact.slip[-1].max(), "turn": float(turn),
        "sticks": sticks(result),
        "places": (np.array(imported.model["liner"].nodes)[contact.nodes] - hip[0]) / p.inner,
    }  # fmt: skip


def followed(imported: cd.Imported, result: cd.Result) -> float:
    """Largest difference of a coordinate, by OpenSim's name, from the motion file [rad or m]."""
    motion = cd.read_motion(MOTION)
    apart = []
    for name, here in imported.coordinates.items():
        unit = np.pi / 180.0 if _is_angle(name) else 1.0
        rows = np.array([k for k, t in enumerate(result.times) if np.abs(motion.times - t).min() < 1e-9])
        wanted = np.interp(result.times[rows], motion.times, unit * motion[name])
        apart.append(np.abs(result.coordinate(here)[rows] - wanted).max())
    return float(max(apart))


def drives(result: cd.Result) -> cd.Outcome:
    """What the drives of the right hip [N m] and of the height of the pelvis [N] do, at the frames after the first."""
    done = {name: -result.multipliers(f"{name} motion")["drive"] for name in ("hip_flexion_r", "pelvis_ty")}
    return {name: np.interp(result.times[1:], result.multiplier_times, values) for name, values in done.items()}


def sticks(result: cd.Result) -> cd.Outcome:
    """Joints of both legs and the trunk, name -> (frames, points, 2) [m]."""
    out = {}
    for side in "lr":
        ends: list[cd.Point | str] = [
            cd.Point("pelvis", HIP),
            f"tibia_{side}",
            f"foot_{side}",
            cd.Point(f"foot_{side}", (-0.054, -0.047, 0.0)),
            cd.Point(f"foot_{side}", (0.129, -0.049, 0.0)),
            f"foot_{side}",
        ]
        out[side] = np.stack([result.position(q)[1:, :2] for q in ends], axis=1)
    trunk: list[cd.Point | str] = [cd.Point("pelvis", HIP), "torso", cd.Point("torso", (0.024, 0.518, 0.0))]
    out["trunk"] = np.stack([result.position(q)[1:, :2] for q in trunk], axis=1)
    return out


# --- what is claimed --------------------------------------------------------------------------------------------------


def apart(outcome: cd.Outcome, force: str) -> float:
    """Largest difference of a force from that of the joint, after the start [N]."""
    late = outcome["t"] > STARTED
    return float(np.linalg.norm(outcome[force][late, :2] - outcome["joint"][late], axis=1).max())


def drive_apart(outcome: cd.Outcome, name: str) -> float:
    """Largest difference of what a drive does with and without the joint, after the start [N or N m]."""
    late = outcome["t"] > STARTED
    return float(np.abs(outcome["moved by, soft"][name] - outcome["moved by"][name])[late].max())


def from_opensim(outcome: cd.Outcome, force: str) -> float:
    """Largest difference of a force from what OpenSim has at its times [N]."""
    there = outcome["t"][-1] > OPENSIM_T
    computed = np.transpose([np.interp(OPENSIM_T[there], outcome["t"], outcome[force][:, k]) for k in range(2)])
    return float(np.linalg.norm(computed - OPENSIM[there], axis=1).max())


def at(outcome: cd.Outcome, what: str, t: float) -> float:
    """A quantity at a time."""
    return float(np.interp(t, outcome["t"], outcome[what]))


def softness(outcome: cd.Outcome) -> float:
    """Give over that of a layer of springs E/h, F h/(E 2πR²/3), mean while the right leg stands."""
    p = outcome["p"]
    stance = outcome["t"] > 0.65
    return float(np.mean(outcome["give"][stance] * layer(p) / np.linalg.norm(outcome["contact"][stance], axis=1)))


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """The walk with the force in its hip, that force and the pressure over time, and the pressure over the cup."""
    from matplotlib.figure import Figure

    t, contact = outcome["t"], outcome["contact"]
    strip = Figure(figsize=(7.6, 3.2))
    panel = strip.subplots()
    for k, now in enumerate(np.linspace(0.1, 1.0, 7) * p.end):
        frame = int(np.argmin(np.abs(t - now)))
        shift = np.array([0.85 * k - outcome["sticks"]["trunk"][frame, 0, 0], 0.0])
        for name, colour in (("l", "0.75"), ("trunk", "0.5"), ("r", "C0")):
            panel.plot(
                *(outcome["sticks"][name][frame] + shift).T, color=colour, linewidth=1.8, solid_joinstyle="round"
            )
        hip = outcome["sticks"]["trunk"][frame, 0] + shift
        panel.annotate("", hip + 4e-4 * contact[frame, :2], hip, arrowprops={"arrowstyle": "-|>", "color": "C3"})
        force = np.linalg.norm(contact[frame])
        panel.annotate(f"{now:.1f} s\n{force:.0f} N", (hip[0], 1.62), ha="center", fontsize="small")
    panel.axhline(0.02, color="0.6", linewidth=0.8)
    panel.set(aspect="equal", ylabel="height (m)", ylim=(-0.05, 1.85), xticks=[])
    panel.set_xlabel("right leg blue; arrows: force of its head on the cup in the pelvis")
    panel.grid(False)

    over = Figure(figsize=(6.4, 6.2))
    top, bottom = over.subplots(2, 1, sharex=True)
    for k, (label, colour) in enumerate((("forward", "C1"), ("up", "C0"))):
        top.plot(
            t, outcome["joint"][:, k], color="0.7", linewidth=4, label="joint of the imported model" if k else None
        )
        top.plot(t, contact[:, k], color=colour, label=f"contact with the soft cup, {label}")
        top.plot(OPENSIM_T, OPENSIM[:, k], "ko", markerfacecolor="none", label="joint in OpenSim" if k else None)
    top.set(ylabel="force on the pelvis (N)", ylim=(-250, 1500))
    top.legend(fontsize="small", ncols=2, loc="upper left")
    bottom.plot(t, outcome["peak"] / MPA, label="largest contact pressure")
    bottom.plot(t, cosine(p, np.linalg.norm(contact, axis=1)) / MPA, "k:", label="3 F/(2 π R²)")
    bottom.set(xlabel="time (s)", ylabel="pressure (MPa)", ylim=(0.0, None), xlim=(0.0, p.end))
    bottom.legend(fontsize="small", loc="upper center")

    maps = Figure(figsize=(7.2, 2.9))
    panels = maps.subplots(1, 3, sharey=True)
    seen = outcome["places"] @ ON_TOP * (1.0, -1.0, -1.0)  # as hip-3d draws it: the pole along z
    levels = np.linspace(0.0, np.ceil(2.0 * outcome["peak"].max() / MPA) / 2.0, 11)
    for panel, now in zip(panels, p.end * np.array([0.3, 0.65, 1.0]), strict=True):
        frame = int(np.argmin(np.abs(t - now)))
        shown = draw_map(panel, SimpleNamespace(inclination=0.0), seen, outcome["pressure"][frame] / MPA, levels)
        panel.set(xlabel="forward (°)")
        panel.set_title(f"{now:.1f} s, {np.linalg.norm(contact[frame]):.0f} N", fontsize="small")
    panels[0].set(ylabel="to the side (°)")
    maps.colorbar(shown, ax=list(panels), label="contact pressure (MPa)", shrink=0.9)
    return {"imported_strip": strip, "imported_force": over, "imported_maps": maps}


CLAIMS = [
    cd.Claim("mass of the imported model", 72.6, lambda o: o["mass"], unit="kg", tolerance=0.001, kind="closed form",
             origin="sum of the file: Winter's fractions add up to the mass of subject01"),
    cd.Claim("things of the file that were left out", 0.0, lambda o: float(len(o["left out"])), tolerance=0.5,
             kind="property", origin="bodies, joints, springs: all of them are read"),
    cd.Claim("with the soft hip: largest difference of a coordinate from the motion file", "driven by OpenSim's names",
             lambda o: o["followed"], tolerance=1e-8, kind="property", origin="rad or m; hip_flexion_r is still there"),
    cd.Claim("joint force of the imported model: largest difference from Newton's law of the leg", 0.0,
             lambda o: apart(o, "newton"), unit="N", tolerance=0.05, kind="closed form",
             origin="Σ m (a − g) − ground reaction − spring, from the files"),
    cd.Claim("joint force of the imported model: largest difference from OpenSim", 0.0, lambda o: from_opensim(o, "joint"),
             unit="N", tolerance=0.2, kind="reference", origin="OpenSim 4, reaction of hip_r in the same motion, to 0.1 N"),
    cd.Claim("force of the contact: largest difference from that of the joint, over weight", "same force",
             lambda o: apart(o, "contact") / o["weight"], tolerance=0.01, kind="property",
             origin="balance of the leg; the head gives by microns"),
    cd.Claim("force that lifts the pelvis: largest difference from that with the joint, over weight", "same force",
             lambda o: drive_apart(o, "pelvis_ty") / o["weight"], tolerance=0.01, kind="property",
             origin="the tie of the cup passes on what the contact carries", full_only=True),
    cd.Claim("moment at the right hip: largest difference from that with the joint", 0.0,
             lambda o: drive_apart(o, "hip_flexion_r"), unit="N m", tolerance=2.0, kind="property",
             origin="without friction the head has no moment about its centre; the largest moment is some 60"),
    cd.Claim("largest contact pressure at 0.78 s", 2.550, lambda o: at(o, "peak", 0.78) / MPA, unit="MPa", tolerance=0.13,
             kind="closed form", origin="3 F/(2 π R²), OpenSim's force of 1046.6 N on a head of 14 mm"),
    cd.Claim("give of the cup over F h/(E 2πR²/3)", (0.138, 1.0), softness, kind="closed form",
             origin="between a spherical layer that cannot swell sideways, R/R₂ · E/M, and springs of E/h that can"),
    cd.Claim("way that the head slides over the angle that the hip turns", 14.0, lambda o: o["slip"] / o["turn"] / MM,
             unit="mm", tolerance=0.2, kind="closed form", origin="radius of the head"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="delp-2007")
