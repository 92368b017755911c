"""Single stance in space: abductors and the force in the hip.

Pelvis, upper body and both legs in space, driven through single stance by measured angles of pelvis, hips, knees,
ankles and back. Inverse dynamics from the motion alone, and with the ground reaction that was measured, static
optimisation of 23 muscles over the three angles of the hip, knee and ankle: with the abductors that a plane lacks the
hip force comes near to what is measured in patients. Beside it, standing at rest on one leg.

The same trial as in gait-legs, as OpenSim's model gait2354 has it: pelvis, hips and back turn about three axes. File
`data/stance_space.mot`, every second sample of 60 Hz from 0.7 to 1.3 s; the right leg alone is on the ground from about
0.79 to 1.24 s. Muscle paths and largest forces are those of gait2354 (delp-2007, after delp-1990), scaled to the subject;
where it puts muscles together, gluteus medius and minimus are those of gait2392, which has them apart, and of the strength of
all adductors, 2343 N, the long one has 627 N.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd
from condyle.studies.gait_legs import (
    BEND,
    FOOT,
    LEAD,
    OPENSIM,
    OVER_KNEE,
    PELVIS,
    PLATE_HEIGHT,
    PLATES,
    SHANK,
    THIGH,
    TRUNK,
    UPPER,
    G,
    misfit_claim,
    plates_claim,
)

FILE = Path(__file__).parent / "data" / "stance_space.mot"
HIP = np.array([-0.0724, -0.0677, 0.0856])  # of the right side in the axes of the pelvis: forward, up, right [m]
LUMBAR = np.array([-0.1032, 0.0835, 0.0])
PELVIS_PLACE = -HIP * (1.0, 1.0, 0.0)  # in the neutral pose, between the hips at the origin [m]
CALCANEUS = np.array([-0.0543, -0.0467, 0.0088])
ORDER = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])  # columns: axes of the angles, z, x and y
SCALE = {
    "pelvis": 1.0246,
    "thigh": 1.1472,
    "shank": 0.9885,
    "calcaneus": 1.0271,
}  # of the subject over the generic model
ABDUCTORS = ("gluteus medius", "gluteus minimus", "tensor fasciae latae")

# Largest force [N] and path in the axes of the generic model [m]; rectus femoris and vasti go on over the knee.
MUSCLES: dict[str, tuple[float, list[tuple[str, float, float, float]]]] = {
    "gluteus medius 1": (819, [("pelvis", -0.0408, 0.0304, 0.1209), ("thigh", -0.0218, -0.0117, 0.0555)]),
    "gluteus medius 2": (573, [("pelvis", -0.0855, 0.0445, 0.0766), ("thigh", -0.0258, -0.0058, 0.0527)]),
    "gluteus medius 3": (653, [("pelvis", -0.1223, 0.0105, 0.0648), ("thigh", -0.0309, -0.0047, 0.0518)]),
    "gluteus minimus 1": (270, [("pelvis", -0.0467, -0.0080, 0.1056), ("thigh", -0.0072, -0.0104, 0.0560)]),
    "gluteus minimus 2": (285, [("pelvis", -0.0633, -0.0065, 0.0991), ("thigh", -0.0096, -0.0104, 0.0560)]),
    "gluteus minimus 3": (323, [("pelvis", -0.0834, -0.0063, 0.0856), ("thigh", -0.0135, -0.0083, 0.0550)]),
    "tensor fasciae latae": (233, [
        ("pelvis", -0.0311, 0.0214, 0.1241), ("thigh", 0.0294, -0.0995, 0.0597), ("thigh", 0.0054, -0.4049, 0.0357),
        ("shank", 0.0060, -0.0487, 0.0297)]),
    "gluteus maximus 1": (573, [
        ("pelvis", -0.1195, 0.0612, 0.0700), ("pelvis", -0.1291, 0.0012, 0.0886), ("thigh", -0.0457, -0.0248, 0.0392),
        ("thigh", -0.0277, -0.0566, 0.0470)]),
    "gluteus maximus 2": (819, [
        ("pelvis", -0.1349, 0.0176, 0.0563), ("pelvis", -0.1376, -0.0520, 0.0914), ("thigh", -0.0426, -0.0530, 0.0293),
        ("thigh", -0.0156, -0.1016, 0.0419)]),
    "gluteus maximus 3": (552, [
        ("pelvis", -0.1556, -0.0314, 0.0058), ("pelvis", -0.1529, -0.1052, 0.0403), ("thigh", -0.0299, -0.1041, 0.0135),
        ("thigh", -0.0060, -0.1419, 0.0411)]),
    "iliacus": (1073, [
        ("pelvis", -0.0674, 0.0365, 0.0854), ("pelvis", -0.0258, -0.0550, 0.0811), ("pelvis", -0.0288, -0.0805, 0.0816),
        ("thigh", 0.0017, -0.0543, 0.0057), ("thigh", -0.0193, -0.0621, 0.0129)]),
    "psoas": (1113, [
        ("pelvis", -0.0647, 0.0887, 0.0289), ("pelvis", -0.0238, -0.0570, 0.0759), ("pelvis", -0.0288, -0.0805, 0.0816),
        ("thigh", 0.0016, -0.0507, 0.0038), ("thigh", -0.0188, -0.0597, 0.0104)]),
    "adductor longus": (627, [("pelvis", -0.0316, -0.0836, 0.0169), ("thigh", 0.0050, -0.2111, 0.0234)]),
    "adductor magnus": (1716, [("pelvis", -0.0831, -0.1192, 0.0308), ("thigh", 0.0054, -0.2285, 0.0227)]),
    "piriformis": (444, [
        ("pelvis", -0.1396, 0.0003, 0.0235), ("pelvis", -0.1193, -0.0276, 0.0657), ("thigh", -0.0148, -0.0036, 0.0437)]),
    "quadratus femoris": (381, [("pelvis", -0.1143, -0.1151, 0.0520), ("thigh", -0.0381, -0.0359, 0.0366)]),
    "hamstrings": (2700, [
        ("pelvis", -0.1260, -0.1026, 0.0694), ("shank", -0.0301, -0.0360, 0.0294), ("shank", -0.0234, -0.0563, 0.0343)]),
    "biceps short head": (804, [
        ("thigh", 0.0050, -0.2111, 0.0234), ("shank", -0.0301, -0.0360, 0.0294), ("shank", -0.0234, -0.0563, 0.0343)]),
    "rectus femoris": (1169, [("pelvis", -0.0295, -0.0311, 0.0968)]),
    "vasti": (5000, [("thigh", 0.0290, -0.1924, 0.0310), ("thigh", 0.0335, -0.2084, 0.0285)]),
    "gastrocnemius": (2500, [
        ("thigh", -0.0190, -0.3929, -0.0235), ("thigh", -0.0300, -0.4022, -0.0258), ("calcaneus", 0.0, 0.0310, -0.0053)]),
    "soleus": (5137, [("shank", -0.0024, -0.1533, 0.0071), ("calcaneus", 0.0, 0.0310, -0.0053)]),
    "tibialis anterior": (3000, [
        ("shank", 0.0179, -0.1624, 0.0115), ("shank", 0.0329, -0.3951, -0.0177), ("calcaneus", 0.1166, 0.0178, -0.0305)]),
}  # fmt: skip

# Moments of the right hip [N m] at every 0.05 s from 0.8 to 1.2 s, from the same trial's force plates by OpenSim's inverse
# dynamics of gait2354.
MEASURED_T = 0.8 + 0.05 * np.arange(9)
MOMENTS = {
    "flexion": (-51.4, -35.2, -22.1, -16.9, -15.3, -11.9, -7.3, 0.9, 3.8),
    "adduction": (-27.4, -32.7, -34.9, -33.2, -29.2, -32.3, -36.7, -39.3, -39.4),
    "rotation": (6.1, 4.5, 1.4, -2.1, -4.3, -5.3, -7.5, -9.9, -10.7),
}


# --- motion -----------------------------------------------------------------------------------------------------------


PARAMETERS = {
    "mass": cd.Parameter(72.6, "mass of the body", "kg"),
    "trunk": cd.Parameter(0.518, "from the hip to the shoulder", "m"),
    "thigh": cd.Parameter(0.455, "length of a thigh", "m"),
    "shank": cd.Parameter(0.425, "length of a shank", "m"),
    "foot": cd.Parameter(0.138, "from the ankle to the ball of the foot", "m"),
    "forward": cd.Parameter(0.03, "mass centre of the upper body before the hips, in the mean of the stride", "m"),
    "tilt": cd.Parameter(0.091, "mean tilt of the pelvis", "rad"),
    "bend": cd.Parameter(0.248, "mean bend of the upper body", "rad"),
    "offset": cd.Parameter(0.092, "how far the hip is beside the foot when standing on one leg", "m"),
    "degree": cd.Parameter(5, "degree of the polynomials through the measured angles"),
    "begin": cd.Parameter(0.80, "first instant of single stance", "s"),
    "end": cd.Parameter(1.20, "last instant of single stance", "s"),
    "dt": cd.Parameter(1.0 / 60.0, "time between two frames", "s"),
}  # fmt: skip
QUICK = {"dt": 1.0 / 15.0}
INPUTS = ("mass", "offset")


def turn(angles: list[float]) -> NDArray[np.float64]:
    """Rotation matrix of three angles [rad] about z, the turned x and the twice turned y."""
    c, s = np.cos(angles), np.sin(angles)
    about_z = np.array([[c[0], -s[0], 0.0], [s[0], c[0], 0.0], [0.0, 0.0, 1.0]])
    about_x = np.array([[1.0, 0.0, 0.0], [0.0, c[1], -s[1]], [0.0, s[1], c[1]]])
    about_y = np.array([[c[2], 0.0, s[2]], [0.0, 1.0, 0.0], [-s[2], 0.0, c[2]]])
    return about_z @ about_x @ about_y


def angles_of(R: NDArray[np.float64]) -> NDArray[np.float64]:
    """The three angles of `turn`."""
    Q = ORDER.T @ R @ ORDER
    return np.array([np.arctan2(-Q[1, 2], Q[2, 2]), np.arcsin(Q[0, 2]), np.arctan2(-Q[0, 1], Q[0, 0])])


def measured(p: cd.Parameters, root: str = "right foot") -> tuple[Any, cd.Outcome]:
    """Times of the file [s] and the coordinates of the model then, with the pose of its root, stance foot or pelvis."""
    table = cd.read_motion(FILE)
    columns = {name: np.radians(table[name]) for name in table.names()}
    out: cd.Outcome = {
        "right knee.angle": columns["knee_angle_r"], "right ankle.angle": columns["ankle_angle_r"],
        "left knee.angle": columns["knee_angle_l"], "left ankle.angle": columns["ankle_angle_l"],
    }  # fmt: skip
    for joint, names, signs in (
        ("right hip", [f"hip_{n}_r" for n in ("flexion", "adduction", "rotation")], (1.0, 1.0, 1.0)),
        ("left hip", [f"hip_{n}_l" for n in ("flexion", "adduction", "rotation")], (1.0, -1.0, -1.0)),
        ("lumbar", ["lumbar_extension", "lumbar_bending", "lumbar_rotation"], (1.0, 1.0, 1.0)),
    ):
        for k in range(3):
            out[f"{joint} angles.angle {k + 1}"] = signs[k] * columns[names[k]]
    if root == "pelvis":
        for k, (axis, turned) in enumerate(zip("xyz", ("tilt", "list", "rotation"), strict=True)):
            out[f"root.{axis}"] = table[f"pelvis_t{axis}"] - PELVIS_PLACE[k]
            out[f"root angles.angle {k + 1}"] = columns[f"pelvis_{turned}"]
        return table.times, out
    foot = []
    for k in range(len(table.times)):
        pelvis = turn([columns[f"pelvis_{n}"][k] for n in ("tilt", "list", "rotation")])
        thigh = pelvis @ turn([out[f"right hip angles.angle {i}"][k] for i in (1, 2, 3)])
        shank = thigh @ turn([out["right knee.angle"][k], 0.0, 0.0])
        place = np.array([table[f"pelvis_t{axis}"][k] for axis in "xyz"])
        place = place + pelvis @ HIP + thigh @ (0.0, -p.thigh, 0.0) + shank @ (0.0, -p.shank, 0.0)
        place = (
            place - HIP * (0.0, 0.0, 1.0) + (0.0, p.thigh + p.shank, 0.0)
        )  # less where the ankle is in the neutral pose
        foot.append(np.concatenate((place, angles_of(shank @ turn([out["right ankle.angle"][k], 0.0, 0.0])))))
    for name, values in zip(("x", "y", "z", "angle 1", "angle 2", "angle 3"), np.transpose(foot), strict=True):
        out[f"root.{name}" if len(name) == 1 else f"root angles.{name}"] = values
    return table.times, out


def moves(p: cd.Parameters, root: str) -> dict[str, cd.Spline]:
    """Coordinates as functions of the model's time: polynomials through the measured ones, taken up from the neutral pose."""
    times, coordinates = measured(p, root)
    middle, half = 0.5 * (times[0] + times[-1]), 0.5 * (times[-1] - times[0])
    t = np.arange(times[0] - LEAD, times[-1], 0.01)
    u = np.clip((t - times[0] + LEAD) / LEAD, 0.0, 1.0)
    taken_up = u**3 * (10.0 - 15.0 * u + 6.0 * u**2)
    out = {}
    for name, values in coordinates.items():
        fit = np.polynomial.Polynomial.fit((times - middle) / half, values, p.degree, domain=[-1, 1])
        smooth = np.where(t >= times[0], fit((t - middle) / half), fit(-1.0))
        out[name] = cd.Spline(tuple(t - times[0] + LEAD), tuple(taken_up * smooth))
    return out


def standing(p: cd.Parameters) -> dict[str, cd.Spline]:
    """On one leg at rest: the leg leans so far that the mass centre is above its foot, pelvis and trunk stay upright."""
    lean = float(np.arcsin(p.offset / (p.thigh + p.shank)))
    out = dict.fromkeys(measured(p)[1], cd.Spline((0.0, 1.0), (0.0, 0.0)))
    ramp = np.clip(np.arange(21) / 10.0, 0.0, 1.0)
    for name, value in {
        "root angles.angle 2": lean, "right hip angles.angle 2": lean, "left hip angles.angle 1": np.radians(30.0),
        "left knee.angle": np.radians(-60.0),
    }.items():  # fmt: skip
        out[name] = cd.Spline(tuple(np.arange(21) * 0.05), tuple(value * ramp**2 * (3.0 - 2.0 * ramp)))
    return out


# --- the model --------------------------------------------------------------------------------------------------------


def body(p: cd.Parameters, motion: Mapping[str, cd.Spline], root: str) -> cd.Model:
    """Pelvis, upper body and both legs in their neutral pose, with a drive for every coordinate.

    root: what is moved in space. With the stance foot every joint carries what is above it, and the drives of the foot are the
    ground reaction; with the pelvis every joint of the leg carries what is below it, down to a measured ground reaction.
    """
    model = cd.Model("stance", dimension=3, gravity=(0.0, -G, 0.0))
    pelvis = PELVIS_PLACE
    height = (TRUNK[1] * p.trunk * TRUNK[0] + HIP[1] * PELVIS[0]) / UPPER[0]
    from_lumbar = np.array([p.forward, height, 0.0]) - turn([p.tilt, 0.0, 0.0]) @ (LUMBAR - HIP * (1.0, 1.0, 0.0))
    centre = turn([p.bend, 0.0, 0.0]) @ from_lumbar  # mean tilt of the pelvis and bend of the upper body in the stride
    model.add(_segment("pelvis", p, PELVIS, p.trunk, pelvis, HIP * (1.0, 0.0, 0.0), 1.0))
    model.add(_segment("upper body", p, UPPER, p.trunk, pelvis + LUMBAR, centre, 0.3))
    model.add(cd.Spherical("lumbar", "pelvis", "upper body", at=tuple(pelvis + LUMBAR)))
    for side, across in (("right", HIP[2]), ("left", -HIP[2])):
        hip, knee, ankle = (np.array([0.0, -y, across]) for y in (0.0, p.thigh, p.thigh + p.shank))
        model.add(_segment(f"{side} thigh", p, THIGH, p.thigh, hip, (0.0, -THIGH[1] * p.thigh, 0.0), 0.2))
        model.add(_segment(f"{side} shank", p, SHANK, p.shank, knee, (0.0, -SHANK[1] * p.shank, 0.0), 0.2))
        model.add(_segment(f"{side} foot", p, FOOT, p.foot, ankle, (0.065, -0.025, 0.0), 1.0))
        model.add(cd.Spherical(f"{side} hip", "pelvis", f"{side} thigh", at=tuple(hip)))
        model.add(cd.Revolute(f"{side} knee", f"{side} thigh", f"{side} shank", at=tuple(knee), axis=(0.0, 0.0, 1.0)))
        model.add(cd.Revolute(f"{side} ankle", f"{side} shank", f"{side} foot", at=tuple(ankle), axis=(0.0, 0.0, 1.0)))
        model.add(cd.CustomJoint(f"{side} hip angles", "pelvis", f"{side} thigh", at=tuple(hip), axes=ORDER))
    model.add(cd.CustomJoint("lumbar angles", "pelvis", "upper body", at=tuple(pelvis + LUMBAR), axes=ORDER))
    place = pelvis if root == "pelvis" else np.array([0.0, -p.thigh - p.shank, HIP[2]])
    model.add(cd.CustomJoint("root", model.ground, root, at=tuple(place)))
    model.add(cd.CustomJoint("root angles", model.ground, root, at=tuple(place), axes=ORDER))
    for coordinate, function in motion.items():
        model.add(cd.Drive(driver(coordinate), coordinate, motion=function))
    return model


def driver(coordinate: str) -> str:
    """Name of the drive of a coordinate."""
    return coordinate.replace(".", " ") + " drive"


def _segment(
    name: str,
    p: cd.Parameters,
    data: tuple[float, float, float],
    length: float,
    place: NDArray[np.float64],
    centre: NDArray[np.float64] | tuple[float, float, float],
    slender: float,
) -> cd.RigidBody:
    """slender: inertia about the long axis over that about the others."""
    m = data[0] * p.mass
    inertia = m * (data[2] * length) ** 2 * np.array([1.0, slender, 1.0])
    return cd.RigidBody(name, m, inertia=tuple(inertia), position=tuple(place), centre_of_mass=tuple(centre))


def muscles(
    force: Mapping[str, Any] | None = None, times: Sequence[float] | NDArray[np.float64] = ()
) -> list[cd.ForceActuator]:
    """Muscles of the right leg, each able to pull with its largest force; or with given forces [N] over times [s]."""
    out = []
    for name, (strongest, points) in MUSCLES.items():
        path: list[Any] = []
        for where, *at in points:
            local = SCALE[where] * np.array(at)
            if where == "calcaneus":
                path.append(cd.Point("right foot", tuple(CALCANEUS + local)))
            else:
                path.append(cd.Point(where if where == "pelvis" else f"right {where}", tuple(local)))
        if name in OVER_KNEE:
            places = np.column_stack((*OVER_KNEE[name], np.full(len(BEND), 0.0016)))
            path.append(cd.MovingPoint("right shank", "right knee.angle", BEND, places.tolist()))
        if force is None:
            out.append(cd.ForceActuator(name, path, strongest))
        else:
            out.append(
                cd.ForceActuator(f"{name} force", path, 1.0, cd.Spline(tuple(times), tuple(force[name]["tension"])))
            )
    return out


# --- the run ----------------------------------------------------------------------------------------------------------

HELD = [driver(f"right hip angles.angle {k}") for k in (1, 2, 3)] + [
    driver(f"right {j}.angle") for j in ("knee", "ankle")
]


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """Single stance of walking, then standing on one leg: hip moments, muscles by optimisation, hip force."""
    stand = _loads(p, body(p, standing(p), "right foot"), np.array([0.9, 0.95]))
    yield {"p": p, "weight": p.mass * G, "stand": stand}
    yield {"walk": stance(p)}
    yield {"plates": stance(p, plates=True)}


def stance(p: cd.Parameters, plates: bool = False) -> cd.Outcome:
    """Single stance of walking, `t` [s] in the time of the file; by the motion alone, or with the measured ground reaction."""
    root = "pelvis" if plates else "right foot"
    first = measured(p)[0][0]
    walk = LEAD - first + np.arange(p.begin - p.dt, p.end + 0.5 * p.dt, p.dt)
    t = walk[1:] - LEAD + first
    model = body(p, moves(p, root), root)
    if plates:
        force = measured_ground(t)
        moment = moment_at(cd.inverse_dynamics(model, walk).position("right foot")[1:], t)
        for k, axis in enumerate(np.eye(3)):
            push, twist = (cd.Spline(tuple(walk), (v[0, k], *v[:, k])) for v in (force, moment))
            model.add(cd.Load(f"ground {'xyz'[k]}", cd.Point("right foot"), tuple(axis), push))
            model.add(cd.Torque(f"ground moment {'xyz'[k]}", "right foot", tuple(axis), twist))
    return _loads(p, model, walk) | {"t": t}


def measured_ground(t: NDArray[np.float64]) -> NDArray[np.float64]:
    """Force of the ground on the right foot, forward, up, right [N], that the force plate measured, (n, 3)."""
    table = cd.read_motion(PLATES)
    return np.column_stack([np.interp(t, table.times, table[f"ground_force_r_v{c}"]) for c in "xyz"])


def moment_at(ankle: NDArray[np.float64], t: NDArray[np.float64]) -> NDArray[np.float64]:
    """Moment of that force about the ankle (n, 3) [N m]."""
    table = cd.read_motion(PLATES)
    x, z, twist = (np.interp(t, table.times, table[f"ground_{c}"]) for c in ("force_r_px", "force_r_pz", "torque_r_y"))
    place = np.column_stack((x, np.full(len(t), PLATE_HEIGHT), z))
    return np.cross(place - ankle, measured_ground(t)) + np.outer(twist, (0.0, 1.0, 0.0))


def _loads(p: cd.Parameters, model: cd.Model, times: NDArray[np.float64]) -> cd.Outcome:
    bare = cd.inverse_dynamics(model, times)
    effort = cd.static_optimisation(bare, muscles(), HELD)
    for muscle in muscles(effort, times):
        model.add(muscle)
    pulled = cd.inverse_dynamics(model, times)
    hip = pulled.joint_force("right hip")
    origin = pulled.position("pelvis")
    to_pelvis = np.stack([pulled.position(cd.Point("pelvis", tuple(axis))) - origin for axis in np.eye(3)], axis=1)[1:]
    abductors = sum(e["tension"][1:] for name, e in effort.items() if name.startswith(ABDUCTORS))
    return {
        "ground": np.stack([-bare.multipliers(driver(f"root.{c}"))["drive"] for c in "xyz"], axis=1),
        "moment": {name: -bare.multipliers(driver(f"right hip angles.angle {k}"))["drive"]
                   for k, name in ((1, "flexion"), (2, "adduction"), (3, "rotation"))},
        "angles": np.stack([bare.coordinate(f"right hip angles.angle {k}")[1:] for k in (1, 2, 3)], axis=1),
        "hip": np.linalg.norm(hip, axis=1), "hip in pelvis": np.einsum("nij,nj->ni", to_pelvis, -hip),
        "bare": np.linalg.norm(bare.joint_force("right hip"), axis=1), "abductors": abductors,
        "effort": {name: {k: v[1:] for k, v in value.items()} for name, value in effort.items()},
        "left to drives": np.array([pulled.multipliers(d)["drive"] for d in HELD]),
        "centre": _mass_centre(bare)[1:] - bare.position("right foot")[1:], "lines": _lines(pulled, effort),
    }  # fmt: skip


def _mass_centre(result: cd.Result) -> NDArray[np.float64]:
    """Of the whole body [m], shape (frames, 3)."""
    bodies = [b for b in result.model if isinstance(b, cd.RigidBody)]
    places = [b.mass * result.position(cd.Point(b.name, b.centre_of_mass)) for b in bodies]
    return np.sum(places, axis=0) / sum(b.mass for b in bodies)


def _lines(result: cd.Result, effort: cd.Outcome) -> cd.Outcome:
    """Bones (right leg, pelvis, spine, left leg) and muscles at the last frame: points (k, 3), and tensions [N]."""
    left = cd.Point("pelvis", tuple(HIP * (1.0, 1.0, -1.0)))
    top = tuple(2.0 * np.asarray(result.model["upper body"].centre_of_mass))
    bones: list[list[Any]] = [
        ["right foot", "right shank", "right thigh"],
        ["right thigh", "upper body", left, "right thigh"],
        ["upper body", cd.Point("upper body", top)],
        [left, "left shank", "left foot"],
    ]
    pulls = [([q for q in m.path if isinstance(q, cd.Point)], effort[m.name]["tension"][-1]) for m in muscles()]
    return {
        "bones": [np.array([result.position(q)[-1] for q in line]) for line in bones],
        "muscles": [
            (np.array([result.position(q)[-1] for q in path]), tension) for path, tension in pulls if len(path) > 1
        ],
    }


# --- what is claimed --------------------------------------------------------------------------------------------------


def over_weight(outcome: cd.Outcome, case: str, what: str) -> NDArray[np.float64]:
    """A force of a case over the weight."""
    return outcome[case][what] / outcome["weight"]


def misfit(outcome: cd.Outcome, name: str, case: str = "walk") -> float:
    """Root mean square difference of a moment of the hip from the one that OpenSim finds with force plates [N m]."""
    walk = outcome[case]
    return float(np.sqrt(np.mean((np.interp(MEASURED_T, walk["t"], walk["moment"][name]) - MOMENTS[name]) ** 2)))


def ground_misfit(outcome: cd.Outcome, k: int) -> float:
    """Root mean square difference of a component of the ground reaction from the force plate, over the weight."""
    walk = outcome["walk"]
    return float(np.sqrt(np.mean((walk["ground"] - measured_ground(walk["t"]))[:, k] ** 2)) / outcome["weight"])


def group(outcome: cd.Outcome, names: tuple[str, ...]) -> NDArray[np.float64]:
    """Summed force of muscles whose names begin so, over the weight, in walking."""
    tension = [e["tension"] for name, e in outcome["walk"]["effort"].items() if name.startswith(names)]
    return sum(tension) / outcome["weight"]


GROUPS = {
    "abductors: gluteus medius, minimus, tensor": ABDUCTORS,
    "gluteus maximus": ("gluteus maximus",),
    "iliopsoas": ("iliacus", "psoas"),
    "rectus femoris": ("rectus",),
    "hamstrings": ("hamstrings",),
    "adductors": ("adductor",),
}


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Hip force and hip muscles, ground reaction and hip moments over single stance; the body on one leg from the front."""
    from matplotlib.figure import Figure

    t = outcome["walk"]["t"]
    forces = Figure(figsize=(6.4, 7.6))
    top, bottom = forces.subplots(2, 1, sharex=True)
    top.axhspan(2.8, 4.8, color="0.92", zorder=0)
    top.annotate("walking, measured by Bergmann et al., 2.8–4.8", (t[0] + 0.01, 4.55), fontsize="small", color="0.3")
    top.plot(t, over_weight(outcome, "walk", "hip"), "C0-", label="hip force")
    top.plot(t, over_weight(outcome, "plates", "hip"), "k:", label="hip force, with force plates")
    for k, (name, line) in enumerate((("forward", "C1--"), ("up", "C2--"), ("inward", "C3--"))):
        sign = -1.0 if name == "inward" else 1.0
        top.plot(t, sign * over_weight(outcome, "walk", "hip in pelvis")[:, k], line, label=f"on the pelvis, {name}")
    top.plot(t, over_weight(outcome, "walk", "bare"), color="0.5", label="without muscles")
    top.set(ylabel="hip force over weight (–)", ylim=(-0.3, 5.0))
    top.legend(fontsize="small", ncols=2, loc="upper center", bbox_to_anchor=(0.5, 0.88))
    for name, members in GROUPS.items():
        bottom.plot(t, group(outcome, members), label=name)
    bottom.set(xlabel="time (s); the left foot leaves the ground at 0.79 and strikes at 1.24", xlim=(t[0], t[-1]),
               ylabel="muscle force over weight (–)", ylim=(0.0, None))  # fmt: skip
    bottom.legend(fontsize="small", ncols=2, loc="upper center", bbox_to_anchor=(0.5, 1.0))
    bottom.set_ylim(0.0, 1.45 * bottom.get_ylim()[1])

    loads = Figure(figsize=(6.4, 6.8))
    top, bottom = loads.subplots(2, 1, sharex=True)
    plate = measured_ground(t) / outcome["weight"]
    for k, (name, sign) in enumerate((("forward", 1.0), ("up", 1.0), ("inward", -1.0))):
        top.plot(t, sign * over_weight(outcome, "walk", "ground")[:, k], f"C{k}-", label=name)
        top.plot(t, sign * plate[:, k], f"C{k}o", markerfacecolor="none", markersize=4)
    for k, name in enumerate(MOMENTS):
        bottom.plot(t, outcome["walk"]["moment"][name], f"C{k}-", label=name)
        bottom.plot(t, outcome["plates"]["moment"][name], f"C{k}--")
        bottom.plot(MEASURED_T, MOMENTS[name], f"C{k}o", markerfacecolor="none", markersize=4)
    for panel, what in ((top, "force plate"), (bottom, "with force plates, OpenSim")):
        panel.plot([], [], "ko", markerfacecolor="none", markersize=4, label=what)
        panel.axhline(0.0, color="0.7", linewidth=0.8)
        panel.legend(fontsize="small", ncols=2)
    bottom.plot([], [], "k--", label="with force plates")
    bottom.legend(fontsize="small", ncols=3, loc="lower center")
    bottom.set_ylim(-70.0, 18.0)
    top.set(ylabel="ground reaction over weight (–)")
    bottom.set(ylabel="moment of the hip (N m)", xlabel="time (s)", xlim=(t[0], t[-1]))

    front = Figure(figsize=(4.6, 6.4))
    panel = front.subplots()
    lines = outcome["stand"]["lines"]
    for bone in lines["bones"]:
        panel.plot(-bone[:, 2], bone[:, 1], color="0.6", linewidth=4.0, solid_capstyle="round", zorder=1)
    strongest = max(tension for _, tension in lines["muscles"])
    for path, tension in lines["muscles"]:
        if tension > 0.02 * strongest:
            panel.plot(-path[:, 2], path[:, 1], color="C3", linewidth=0.4 + 4.0 * tension / strongest, zorder=2)
    hip, push = lines["bones"][0][-1], outcome["stand"]["hip in pelvis"][-1] / outcome["weight"]
    panel.annotate("", (-hip[2], hip[1]), (-hip[2] + 0.1 * push[2], hip[1] - 0.1 * push[1]),
                   arrowprops={"arrowstyle": "->", "color": "C0", "linewidth": 2.0})  # fmt: skip
    panel.annotate(f"hip force\n{np.linalg.norm(push):.1f} BW", (-hip[2] + 0.1 * push[2] - 0.02, hip[1] - 0.1 * push[1]),
                   color="C0", fontsize="small", ha="right", va="center")  # fmt: skip
    panel.annotate("abductors", (-hip[2] - 0.09, hip[1] + 0.07), color="C3", fontsize="small", ha="right")
    panel.set(aspect="equal", xlabel="to the left (m)", ylabel="height over the hip at rest (m)", xlim=(-0.55, 0.3))
    panel.set_title("standing on the right leg, from the front", fontsize="medium")
    return {"stance_hip": forces, "stance_loads": loads, "stance_front": front}


MEASURED_GROUND = "force plate in the same trial"
MOTION_ALONE = "from the motion alone, without force plates: an error of 2 cm in the place of the force is 14 N m"


CLAIMS = [
    cd.Claim("ground reaction up over weight, least of single stance", 0.83,
             lambda o: over_weight(o, "walk", "ground")[:, 1].min(), tolerance=0.03,
             kind="reference", origin=MEASURED_GROUND),
    cd.Claim("ground reaction up over weight, misfit", "same force", lambda o: ground_misfit(o, 1), tolerance=0.05,
             kind="reference", origin=MEASURED_GROUND),
    cd.Claim("ground reaction towards the middle over weight, mean", 0.060,
             lambda o: -over_weight(o, "walk", "ground")[:, 2].mean(), tolerance=0.02,
             kind="reference", origin=MEASURED_GROUND),
    cd.Claim("mass centre beside the stance foot, towards the middle", (0.03, 0.09),
             lambda o: -o["walk"]["centre"][:, 2].mean(), unit="m",
             kind="regression", origin="it does not come to stand above the foot"),
    cd.Claim("largest hip abduction moment over body mass", 0.54,
             lambda o: -o["walk"]["moment"]["adduction"].min() / o["p"].mass, unit="N m/kg", tolerance=0.05,
             kind="reference", origin=OPENSIM,
             differs=cd.Differs(MOTION_ALONE, 0.70, 0.75)),
    *(misfit_claim(f"hip {about} moment", partial(misfit, name=about), 3.0, has, cd.Differs(MOTION_ALONE, low, 11.5))
      for about, has, low in (("adduction", 2.2, 9.5), ("flexion", 2.8, 9.0))),
    cd.Claim("muscles carry the leg: what is left to its drives", "nothing",
             lambda o: np.abs(o["walk"]["left to drives"]).max(), unit="N m", tolerance=0.01,
             kind="property", origin="balance"),
    cd.Claim("largest hip force over weight", (2.8, 4.8), lambda o: over_weight(o, "walk", "hip").max(),
             kind="reference", origin="Bergmann et al. 1993: 2.8–4.8 at 0.28–1.39 m/s"),
    cd.Claim("least hip force over weight in single stance", (1.85, 2.0), lambda o: over_weight(o, "walk", "hip").min(),
             kind="regression", origin="1.92; a valley between two peaks, as in patients"),
    *(plates_claim(f"hip {about} moment", partial(misfit, name=about, case="plates"), off)
      for about, off in (("flexion", 3.0), ("adduction", 3.0), ("rotation", 1.0))),
    cd.Claim("with force plates: what is left to the root over weight", "little",
             lambda o: float(np.abs(over_weight(o, "plates", "ground")).max()), tolerance=0.08,
             kind="regression", origin="masses and motion are not quite those of the subject"),
    cd.Claim("with force plates: largest hip force over weight", 2.5, lambda o: over_weight(o, "plates", "hip").max(),
             tolerance=0.05, kind="reference", origin="Bergmann et al. 2016: at the first peak, mean of ten patients",
             differs=cd.Differs("one subject, healthy, beside the mean of patients", 2.6, 2.75)),
    cd.Claim("with force plates: valley of the hip force over its peaks", (0.6, 0.85),
             lambda o: o["plates"]["hip"].min() / min(o["plates"]["hip"][0], o["plates"]["hip"][-1]),
             kind="regression", origin="a valley between two peaks, as in patients"),
    cd.Claim("hip force over that without muscles, mean", "muscles dominate",
             lambda o: (o["walk"]["hip"] / o["walk"]["bare"]).mean(), tolerance=2.0, sense="above",
             kind="published", origin="Hovey 2000, section 5.3: far greater than the dynamics of gait"),
    cd.Claim("the head presses the pelvis upwards and inwards: share of the upward part", (0.85, 1.0),
             lambda o: (o["walk"]["hip in pelvis"][:, 1] / o["walk"]["hip"]).mean(),
             kind="reference", origin="Bergmann et al. 1993"),
    cd.Claim("largest force of the abductors over weight in walking", (1.4, 1.6),
             lambda o: over_weight(o, "walk", "abductors").max(),
             kind="regression", origin="1.48; arms of 5 to 6 cm against a moment of 0.7 N m/kg"),
    cd.Claim("on one leg: mass centre beside the foot", 0.0, lambda o: o["stand"]["centre"][-1, 2], unit="m",
             tolerance=0.002, kind="closed form", origin="balance: above the foot"),
    cd.Claim("on one leg: force of the abductors over weight", (1.65, 1.75),
             lambda o: over_weight(o, "stand", "abductors")[-1],
             kind="regression", origin="lever: 0.84 of the weight at 10 cm, arms of 5 to 6 cm"),
    cd.Claim("on one leg: ground reaction up", 712.2, lambda o: o["stand"]["ground"][-1, 1], unit="N", tolerance=0.5,
             kind="closed form", origin="weight of 72.6 kg"),
    cd.Claim("on one leg: hip force over weight", (1.8, 2.7), lambda o: over_weight(o, "stand", "hip")[-1],
             kind="published", origin="McLeish and Charnley 1970, quoted in Hovey 2000, section 5.3",
             differs=cd.Differs("here flexors and extensors of the hip work against each other and press the head, too; "
                                "the source counts weight and abductors", 3.05, 3.15)),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="delp-2007")
