"""Walking with knees and ankles: ground reaction, joint moments, muscles and hip force of a measured stride.

Trunk, thighs, shanks and feet in the plane, masses from Winter's table, driven through one stride by measured joint
angles (a .mot file). Inverse dynamics gives the ground reaction from the motion alone, with the double hump that
Hovey's walker lacks, and joint moments, both beside what force plates gave in the same trial; static optimisation of
nine Hill-type muscles gives the hip force. Without abductors, which a plane has no room for, it stays below what is
measured in patients.

The stride is that of subject01 of OpenSim's gait models (72.6 kg, treadmill, 1.12 m/s): joint angles of the planar model
gait10dof18musc, every second sample of 60 Hz, in the file `data/walk_plane.mot`; what the force plates measured then, every
twentieth sample of 600 Hz, in `data/walk_ground.mot`. Lengths, muscle paths and muscle data are
those of that scaled model (delp-2007; after delp-1990), masses and mass centres are fractions of Winter's table.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd

FILE = Path(__file__).parent / "data" / "walk_plane.mot"
PLATES = FILE.with_name("walk_ground.mot")
PLATE_HEIGHT = -0.0075  # of the ground, where the plates measured its force [m]
LEAD = 0.5  # of the model's time over that of the file [s]: the model takes up the walk from a neutral pose
G = 9.81
HIP, LUMBAR = (-0.0724, -0.0677), (-0.1032, 0.0835)  # in the axes of the pelvis [m]
HEEL, BALL = (-0.054, -0.047), (0.129, -0.049)  # in the axes of the foot, from the ankle [m]
PAD, TOE = (-0.02, -0.047), (0.17, -0.049)  # where it presses with the heel and with the toes
CALCANEUS = np.array([-0.0543, -0.0467])  # its origin in the axes of the foot
SIDES = ("right", "left")
JOINTS = ("hip", "knee", "ankle")
COLUMNS = {"hip": "hip_flexion", "knee": "knee_angle", "ankle": "ankle_angle"}

# Winter's table: mass over that of the body, mass centre from the upper end and radius of gyration over the length.
THIGH, SHANK, FOOT, TRUNK = (0.100, 0.433, 0.323), (0.0465, 0.433, 0.302), (0.0145, 0.5, 0.475), (0.678, 0.626, 0.496)
PELVIS, UPPER = (0.142, 0.0, 0.20), (0.536, 0.0, 0.47)  # parts of the trunk; radii that make its own

# Where the tendon of the knee extensors passes in the axes of the shank, by the knee angle [rad, m].
BEND = (-1.5708, -1.0472, -0.698132, -0.349066, -0.174533, 0.0, 0.0872665)
OVER_KNEE = {
    "rectus femoris": ((0.0272, 0.0361, 0.0417, 0.0478, 0.0528, 0.0610, 0.0662),
                       (0.0248, 0.0246, 0.0240, 0.0232, 0.0225, 0.0207, 0.0190)),
    "vasti": ((0.0200, 0.0289, 0.0345, 0.0408, 0.0460, 0.0548, 0.0606),
              (0.0270, 0.0268, 0.0263, 0.0258, 0.0257, 0.0250, 0.0239)),
}  # fmt: skip

# Largest force [N], optimal fibre length and slack length of the tendon [m], pennation [rad], and the path: points in the
# axes of pelvis, thigh, shank and calcaneus [m].
MUSCLES: dict[str, tuple[tuple[float, float, float, float], list[tuple[str, float, float]]]] = {
    "gluteus maximus": ((1944, 0.1594, 0.1377, 0.0), [
        ("pelvis", -0.1382, 0.0180), ("pelvis", -0.1410, -0.0533), ("thigh", -0.0489, -0.0608), ("thigh", -0.0179, -0.1166)]),
    "iliopsoas": ((2342, 0.1052, 0.1683, 0.140), [
        ("pelvis", -0.0663, 0.0909), ("pelvis", -0.0244, -0.0584), ("pelvis", -0.0295, -0.0825), ("thigh", 0.0018, -0.0582),
        ("thigh", -0.0216, -0.0685)]),
    "hamstrings": ((2700, 0.1236, 0.3698, 0.0), [
        ("pelvis", -0.1291, -0.1051), ("shank", -0.0298, -0.0356), ("shank", -0.0231, -0.0557)]),
    "biceps short head": ((804, 0.1914, 0.0985, 0.401), [
        ("thigh", 0.0057, -0.2422), ("shank", -0.0298, -0.0356), ("shank", -0.0231, -0.0557)]),
    "rectus femoris": ((1169, 0.1305, 0.3548, 0.087), [("pelvis", -0.0302, -0.0319)]),
    "vasti": ((5000, 0.1014, 0.1585, 0.052), [("thigh", 0.0333, -0.2207), ("thigh", 0.0384, -0.2391)]),
    "gastrocnemius": ((2500, 0.0601, 0.3906, 0.297), [("thigh", -0.0218, -0.4508), ("calcaneus", 0.0, 0.0318)]),
    "soleus": ((5137, 0.0503, 0.2514, 0.436), [("shank", -0.0024, -0.1515), ("calcaneus", 0.0, 0.0318)]),
    "tibialis anterior": ((3000, 0.0979, 0.2228, 0.087), [
        ("shank", 0.0177, -0.1605), ("shank", 0.0325, -0.3906), ("calcaneus", 0.1198, 0.0183)]),
}  # fmt: skip

# Moments of the right leg [N m] at every 0.1 s, from the same trial's force plates by OpenSim's inverse dynamics.
MEASURED_T = np.arange(13) * 0.1
MEASURED = {
    "hip": (16.8, 34.0, 5.5, 4.3, -0.2, -4.8, -7.4, -39.0, -51.5, -23.2, -14.0, -5.1, 10.3),
    "knee": (-43.8, -2.1, 1.1, 2.0, -2.0, -9.3, -13.7, 5.1, 31.8, 2.6, -31.5, -48.4, -64.8),
    "ankle": (-122.9, -57.9, 2.1, 0.7, 1.3, 1.7, 0.3, 12.2, -7.5, -39.0, -77.3, -98.2, -126.2),
}


# --- the model --------------------------------------------------------------------------------------------------------


PARAMETERS = {
    "mass": cd.Parameter(72.6, "mass of the body", "kg"),
    "trunk": cd.Parameter(0.518, "from the hip to the shoulder, 0.288 of a height of 1.80 m", "m"),
    "thigh": cd.Parameter(0.455, "length of a thigh", "m"),
    "shank": cd.Parameter(0.425, "length of a shank", "m"),
    "foot": cd.Parameter(0.138, "from the ankle to the ball of the foot", "m"),
    "forward": cd.Parameter(0.03, "mass centre of the upper body before the hips, in the mean of the stride", "m"),
    "ground": cd.Parameter(0.02, "height of the ground in the measured coordinates", "m"),
    "period": cd.Parameter(1.2567, "duration of the stride", "s"),
    "strike": cd.Parameter(0.59, "when the right heel strikes; the left one half a stride later", "s"),
    "harmonics": cd.Parameter(5, "harmonics that are kept of the measured angles, 4 Hz"),
    "dt": cd.Parameter(1.0 / 60.0, "time between two frames", "s"),
}  # fmt: skip
QUICK = {"dt": 1.0 / 30.0}
INPUTS = ("mass",)


def motions(p: cd.Parameters) -> dict[str, cd.Spline]:
    """Coordinates of the model as functions of its time: a trend and a few harmonics through each column of the file.

    Before the stride the model goes over from its neutral pose.
    """
    table = cd.read_motion(FILE)

    def basis(t: NDArray[np.float64]) -> NDArray[np.float64]:
        turns = 2.0 * np.pi * np.outer(t, np.arange(1, p.harmonics + 1)) / p.period
        return np.column_stack((np.ones_like(t), t, np.cos(turns), np.sin(turns)))

    t = np.arange(-LEAD, p.period + 0.1, 0.01)
    fit = {name: basis(t) @ np.linalg.lstsq(basis(table.times), table[name], rcond=None)[0] for name in table.names()}
    tilt = np.radians(fit["pelvis_tilt"])
    place = {
        "root.x": fit["pelvis_tx"] + np.cos(tilt) * HIP[0] - np.sin(tilt) * HIP[1],
        "root.y": fit["pelvis_ty"] + np.sin(tilt) * HIP[0] + np.cos(tilt) * HIP[1],
        "root.angle": tilt,
        "lumbar.angle": np.radians(fit["lumbar_extension"]),
    }
    for side in SIDES:
        for joint in JOINTS:
            place[f"{side} {joint}.angle"] = np.radians(fit[f"{COLUMNS[joint]}_{side[0]}"])
    u = np.clip((t + LEAD) / (LEAD - 0.1), 0.0, 1.0)
    taken_up = u**3 * (10.0 - 15.0 * u + 6.0 * u**2)
    return {name: cd.Spline(tuple(t + LEAD), tuple(taken_up * values)) for name, values in place.items()}


def legs(p: cd.Parameters, moves: Mapping[str, cd.Spline]) -> cd.Model:
    """Trunk, thighs, shanks and feet in their neutral pose, hips at the origin, with a drive for every coordinate.

    The trunk is two bodies, pelvis and upper body; the mass centre of the latter is `p.forward` before the hips in the mean of
    the stride.
    """
    model = cd.Model("legs", dimension=2, gravity=(0.0, -G))
    lumbar = np.subtract(LUMBAR, HIP)
    model.add(_segment("pelvis", p.mass, PELVIS, p.trunk, -np.array(HIP), (HIP[0], 0.0)))
    model.add(_segment("upper body", p.mass, UPPER, p.trunk, lumbar, _upper_centre(p, moves)))
    model.add(cd.CustomJoint("root", model.ground, "pelvis", at=(0.0, 0.0)))
    model.add(cd.Pin("lumbar", "pelvis", "upper body", at=tuple(lumbar)))
    for side in SIDES:
        thigh, shank, foot = (f"{side} {name}" for name in ("thigh", "shank", "foot"))
        model.add(_segment(thigh, p.mass, THIGH, p.thigh, (0.0, 0.0), (0.0, -THIGH[1] * p.thigh)))
        model.add(_segment(shank, p.mass, SHANK, p.shank, (0.0, -p.thigh), (0.0, -SHANK[1] * p.shank)))
        model.add(_segment(foot, p.mass, FOOT, p.foot, (0.0, -p.thigh - p.shank), 0.5 * np.array(BALL)))
        model.add(cd.Pin(f"{side} hip", "pelvis", thigh, at=(0.0, 0.0)))
        model.add(cd.Pin(f"{side} knee", thigh, shank, at=(0.0, -p.thigh)))
        model.add(cd.Pin(f"{side} ankle", shank, foot, at=(0.0, -p.thigh - p.shank)))
    for coordinate, motion in moves.items():
        model.add(cd.Drive(driver(coordinate), coordinate, motion=motion))
    return model


def _upper_centre(p: cd.Parameters, moves: Mapping[str, cd.Spline]) -> NDArray[np.float64]:
    """Mass centre of the upper body in its axes [m]."""
    tilt, bend = (
        float(np.mean([moves[name](t) for t in LEAD + np.linspace(0.0, p.period, 50)]))
        for name in ("root.angle", "lumbar.angle")
    )
    height = (TRUNK[1] * p.trunk * TRUNK[0] + HIP[1] * PELVIS[0]) / UPPER[0]
    from_lumbar = np.array([p.forward, height]) - _turned(np.subtract(LUMBAR, HIP), tilt)
    return _turned(from_lumbar, -tilt - bend)


def _turned(v: NDArray[np.float64], angle: NDArray[np.float64] | float) -> NDArray[np.float64]:
    return np.array([np.cos(angle) * v[0] - np.sin(angle) * v[1], np.sin(angle) * v[0] + np.cos(angle) * v[1]])


def driver(coordinate: str) -> str:
    """Name of the drive of a coordinate."""
    return coordinate.replace(".", " ") + " drive"


def _segment(
    name: str,
    mass: float,
    data: tuple[float, ...],
    length: float,
    place: NDArray[np.float64] | tuple[float, float],
    centre: NDArray[np.float64] | tuple[float, float],
) -> cd.RigidBody:
    m = data[0] * mass
    inertia = m * (data[2] * length) ** 2
    return cd.RigidBody(name, m, inertia=inertia, position=tuple(place), centre_of_mass=tuple(centre))


def muscles(side: str) -> list[cd.Muscle]:
    """Hill-type muscles of one leg."""
    return [
        cd.Muscle(f"{side} {name}", _path(name, side), force, fibres, slack, pennation=pennation, tendon="rigid")
        for name, ((force, fibres, slack, pennation), _) in MUSCLES.items()
    ]


def _path(name: str, side: str) -> list[Any]:
    out: list[Any] = []
    for body, *at in MUSCLES[name][1]:
        if body == "calcaneus":
            out.append(cd.Point(f"{side} foot", tuple(CALCANEUS + at)))
        else:
            out.append(cd.Point(body if body == "pelvis" else f"{side} {body}", tuple(at)))
    if name == "gastrocnemius":  # lies on the condyles while the knee is not bent far
        behind = cd.Point(f"{side} thigh", (-0.0344, -0.4614))
        out.insert(1, cd.ConditionalPoint(behind, f"{side} knee.angle", lower=-0.785, blend=0.2))
    if name in OVER_KNEE:
        places = np.transpose(OVER_KNEE[name])
        out.append(cd.MovingPoint(f"{side} shank", f"{side} knee.angle", BEND, places.tolist()))
    return out


# --- the run ----------------------------------------------------------------------------------------------------------


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """Forces of the prescribed stride, split between the feet; joint moments; muscles of the right leg; hip force."""
    moves = motions(p)
    times = LEAD + np.arange(-1, round(p.period / p.dt) + 1) * p.dt
    free = cd.inverse_dynamics(legs(p, moves), times)
    ground = split(free, p)
    loaded = _on_ground(legs(p, moves), times, ground)
    walked = cd.inverse_dynamics(loaded, times)
    plates = measured_ground(free)
    plated = cd.inverse_dynamics(_on_ground(legs(p, moves), times, plates), times)
    drives = [driver(f"right {joint}.angle") for joint in JOINTS]
    effort = cd.static_optimisation(walked, muscles("right"), drives)
    for muscle in muscles("right"):
        pull = cd.Spline(tuple(times), tuple(effort[muscle.name]["tension"]))
        loaded.add(cd.ForceActuator(f"{muscle.name} force", muscle.path, 1.0, pull))
    pulled = cd.inverse_dynamics(loaded, times)
    return {
        "p": p, "t": times[1:] - LEAD, "ground": ground, "weight": p.mass * G, "speed": belt_speed(walked),
        "plates": plates,
        "moment": {joint: -walked.multipliers(driver(f"right {joint}.angle"))["drive"] for joint in JOINTS},
        "moment with plates": {joint: -plated.multipliers(driver(f"right {joint}.angle"))["drive"] for joint in JOINTS},
        "left moment": {joint: -walked.multipliers(driver(f"left {joint}.angle"))["drive"] for joint in JOINTS},
        "residual": np.array([walked.multipliers(driver(f"root.{c}"))["drive"] for c in ("x", "y", "angle")]),
        "left to drives": np.array([pulled.multipliers(d)["drive"] for d in drives]),
        "effort": {name.removeprefix("right "): {k: v[1:] for k, v in value.items()} for name, value in effort.items()},
        "hip": np.linalg.norm(pulled.joint_force("right hip"), axis=1), "on pelvis": _on_pelvis(pulled),
        "hip angle": pulled.coordinate("right hip.angle")[1:],
        "knee": np.linalg.norm(pulled.joint_force("right knee"), axis=1),
        "hip without muscles": np.linalg.norm(walked.joint_force("right hip"), axis=1),
        "thigh": np.degrees(walked.coordinate("root.angle") + walked.coordinate("right hip.angle"))[1:],
        "sticks": _sticks(walked),
    }  # fmt: skip


def _on_ground(model: cd.Model, times: NDArray[np.float64], ground: cd.Outcome) -> cd.Model:
    """The model with forces and moments of the ground at the ankles."""
    for side in SIDES:
        foot, force, moment = f"{side} foot", ground[side]["force"], ground[side]["moment"]
        for k, axis in enumerate(np.eye(2)):
            load = cd.Spline(tuple(times), tuple(np.concatenate((force[:1, k], force[:, k]))))
            model.add(cd.Load(f"ground {'xy'[k]}, {side}", cd.Point(foot), tuple(axis), load))
        torque = cd.Spline(tuple(times), tuple(np.concatenate((moment[:1], moment))))
        model.add(cd.Torque(f"ground moment, {side}", foot, 1.0, torque))
    return model


def measured_ground(free: cd.Result) -> cd.Outcome:
    """What the force plates measured, at the times of a result: `force` (n, 2) and its `moment` (n,) at the ankle."""
    table, t = cd.read_motion(PLATES), free.times[1:] - LEAD
    out = {}
    for side in SIDES:
        x, y, place = (np.interp(t, table.times, table[f"ground_force_{side[0]}_{c}"]) for c in ("vx", "vy", "px"))
        ankle = free.position(f"{side} foot")[1:]
        moment = (place - ankle[:, 0]) * y - (PLATE_HEIGHT - ankle[:, 1]) * x
        out[side] = {"force": np.column_stack((x, y)), "moment": moment}
    return out


def _on_pelvis(result: cd.Result) -> NDArray[np.float64]:
    """Force of the right femur on the pelvis [N], in the axes of the pelvis: forward, up; shape (frames, 2)."""
    force = -result.joint_force("right hip")
    tilt = result.coordinate("root.angle")[1:]
    return np.transpose(_turned(force.T, -tilt))


def split(free: cd.Result, p: cd.Parameters) -> cd.Outcome:
    """What holds the whole body up, as forces on the feet: `force` (n, 2), its `place` (n,) and its `moment` (n,) at the ankle.

    With one foot on the ground it has everything. With both, the centre of pressure lies between the toes of the rear foot
    and the heel of the front foot, and both carry by the rule of the lever; each force points at the mass centre, up to a part
    in common that makes their sum right.
    """
    total = np.stack([-free.multipliers(driver(f"root.{c}"))["drive"] for c in "xy"], axis=1)
    torque = -free.multipliers(driver("root.angle"))["drive"]
    hip = free.position(cd.Point("pelvis", HIP))[1:]
    centre = _mass_centre(free)[1:]
    t = free.times[1:] - LEAD
    pressure = hip[:, 0] + (torque + (p.ground - hip[:, 1]) * total[:, 0]) / total[:, 1]
    ankle = {s: free.position(f"{s} foot")[1:] for s in SIDES}
    heel = {s: free.position(cd.Point(f"{s} foot", PAD))[1:, 0] for s in SIDES}
    toe = {s: free.position(cd.Point(f"{s} foot", TOE))[1:, 0] for s in SIDES}
    out: cd.Outcome = {s: {"force": np.zeros((len(t), 2)), "place": np.full(len(t), np.nan)} for s in SIDES}
    half = 0.5 * p.period
    for front, rear, begin in (("left", "right", p.strike - half), ("right", "left", p.strike),
                               ("left", "right", p.strike + half)):  # fmt: skip
        step = np.flatnonzero((t >= begin) & (t < begin + half))
        share = np.clip((pressure - toe[rear]) / (heel[front] - toe[rear]), 0.0, 1.0)[step]
        if (share >= 1.0).any():
            share[np.argmax(share >= 1.0) :] = 1.0  # then the rear foot leaves the ground
        for k, s in zip(step, share, strict=True):
            places = {front: heel[front][k], rear: toe[rear][k]} if 0.0 < s < 1.0 else {
                front: pressure[k], rear: pressure[k]
            }  # fmt: skip
            towards = {f: total[k, 1] * (centre[k, 0] - x) / (centre[k, 1] - p.ground) for f, x in places.items()}
            common = total[k, 0] - s * towards[front] - (1.0 - s) * towards[rear]
            for foot, part in ((front, s), (rear, 1.0 - s)):
                out[foot]["force"][k] = part * (towards[foot] + common), part * total[k, 1]
                out[foot]["place"][k] = places[foot] if part > 0.0 else np.nan
    for s in SIDES:
        arm = np.nan_to_num(out[s]["place"] - ankle[s][:, 0])
        force = out[s]["force"]
        out[s]["moment"] = arm * force[:, 1] - (p.ground - ankle[s][:, 1]) * force[:, 0]
        out[s]["in foot"] = out[s]["place"] - ankle[s][:, 0]
    return out | {"total": total, "pressure": pressure}


def _mass_centre(result: cd.Result) -> NDArray[np.float64]:
    """Of the whole body [m], shape (frames, 2)."""
    bodies = [b for b in result.model if isinstance(b, cd.RigidBody)]
    places = [b.mass * result.position(cd.Point(b.name, b.centre_of_mass)) for b in bodies]
    return np.sum(places, axis=0) / sum(b.mass for b in bodies)


def belt_speed(result: cd.Result) -> float:
    """Speed of the treadmill [m/s]: that of the ball of the right foot, while it is flat on the ground."""
    flat = (result.times > LEAD + 0.8) & (result.times < LEAD + 1.1)
    return float(-np.mean(result.velocity(cd.Point("right foot", BALL))[flat, 0]))


def _sticks(result: cd.Result) -> cd.Outcome:
    """Joints of both legs and the top of the trunk over the stride, name -> (frames, points, 2)."""
    out = {}
    for side in SIDES:
        points: list[cd.Point | str] = [
            cd.Point("pelvis", HIP),
            f"{side} shank",
            f"{side} foot",
            cd.Point(f"{side} foot", HEEL),
            cd.Point(f"{side} foot", BALL),
            f"{side} foot",
        ]
        out[side] = np.stack([result.position(q) for q in points], axis=1)[1:]
    top = tuple(2.0 * np.asarray(result.model["upper body"].centre_of_mass))
    trunk: list[cd.Point | str] = [cd.Point("pelvis", HIP), "upper body", cd.Point("upper body", top)]
    out["trunk"] = np.stack([result.position(q) for q in trunk], axis=1)[1:]
    return out


# --- what is claimed --------------------------------------------------------------------------------------------------


def since_strike(outcome: cd.Outcome, p: cd.Parameters) -> tuple[Any, Any]:
    """Time since the right heel struck, increasing over the stride [s], and the order of the frames that gives it."""
    t = np.mod(outcome["t"] - p.strike, p.period)
    order = np.argsort(t[:-1])
    return t[order], order


def upward(outcome: cd.Outcome) -> NDArray[np.float64]:
    """Force of the ground on the right foot over the weight, up, from its strike on, shape (n,)."""
    _, order = since_strike(outcome, outcome["p"])
    return outcome["ground"]["right"]["force"][order, 1] / outcome["weight"]


def hump(outcome: cd.Outcome, which: str) -> float:
    """First peak, valley or second peak of the vertical force over the weight."""
    force = upward(outcome)
    stance = force[: int(np.argmax(force[5:] <= 0.0)) + 5]
    third = len(stance) // 3
    parts = {"first": stance[: third + 2], "valley": stance[third:-third], "second": stance[-third - 2 :]}
    return float(parts[which].min() if which == "valley" else parts[which].max())


def forward(outcome: cd.Outcome) -> NDArray[np.float64]:
    """Force of the ground on the right foot over the weight, forward, shape (n,)."""
    return outcome["ground"]["right"]["force"][:, 0] / outcome["weight"]


def misfit(outcome: cd.Outcome, joint: str, of: str = "moment") -> float:
    """Root mean square difference from the moment that OpenSim finds with the force plates [N m]."""
    computed = np.interp(MEASURED_T, outcome["t"], outcome[of][joint])
    return float(np.sqrt(np.mean((computed - MEASURED[joint]) ** 2)))


def ground_misfit(outcome: cd.Outcome, k: int) -> float:
    """Root mean square difference of component k (forward, up) of both feet from the force plates, over the weight."""
    apart = [(outcome["ground"][s]["force"] - outcome["plates"][s]["force"])[:, k] for s in SIDES]
    return float(np.sqrt(np.mean(np.square(apart))) / outcome["weight"])


def pressure_place(outcome: cd.Outcome, end: str) -> float:
    """Rearmost or foremost place of the centre of pressure before the right ankle [m]."""
    place = outcome["ground"]["right"]["in foot"]
    return float(np.nanmin(place) if end == "rear" else np.nanmax(place))


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Motion strip, ground reaction, joint moments, muscle forces and joint forces over the stride."""
    from matplotlib.figure import Figure

    t, order = since_strike(outcome, p)
    cycle = 100.0 * t / p.period
    weight = outcome["weight"]

    strip = Figure(figsize=(8.4, 3.2))
    panel = strip.subplots()
    for k in np.linspace(0, len(t) - 1, 9).round().astype(int):
        shift = np.array([1.0 * k / len(t) * 7.0, -p.ground])
        for name, colour in (("left", "C1"), ("trunk", "0.5"), ("right", "C0")):
            panel.plot(
                *(outcome["sticks"][name][order[k]] + shift).T, color=colour, linewidth=1.8, solid_joinstyle="round"
            )
        panel.annotate(f"{cycle[k]:.0f} %", (outcome["sticks"]["trunk"][order[k], -1, 0] + shift[0], 1.55), ha="center",
                       fontsize="small")  # fmt: skip
    for name, colour in (("right leg", "C0"), ("left leg", "C1"), ("trunk", "0.5")):
        panel.plot([], [], color=colour, label=name)
    panel.axhline(0.0, color="0.6", linewidth=0.8)
    panel.set(aspect="equal", ylabel="height (m)", xlabel="instants of the gait cycle side by side", ylim=(-0.05, 1.7))
    panel.set_xticks([])
    panel.legend(loc="upper center", bbox_to_anchor=(0.5, 1.22), ncols=3, fontsize="small")

    ground = Figure(figsize=(6.4, 6.0))
    top, bottom = ground.subplots(2, 1, sharex=True)
    for side, line, dot in (("right", "C0-", "C0o"), ("left", "C1--", "C1s")):
        force, plate = (outcome[of][side]["force"][order] / weight for of in ("ground", "plates"))
        for panel, k in ((top, 1), (bottom, 0)):
            panel.plot(cycle, force[:, k], line, label=f"{side} foot, from joint angles alone")
            panel.plot(cycle[::2], plate[::2, k], dot, markerfacecolor="none", markersize=4,
                       label=f"{side} foot, force plates")  # fmt: skip
    bottom.axhline(0.0, color="0.7", linewidth=0.8)
    top.set(ylabel="ground reaction, up, over weight (–)", ylim=(0.0, 1.35))
    bottom.set(
        ylabel="ground reaction, forward, over weight (–)", xlabel="gait cycle (%)", xlim=(0, 100), ylim=(-0.27, 0.27)
    )
    top.legend(fontsize="small", loc="lower center", bbox_to_anchor=(0.5, 1.0), ncols=2)

    moments = Figure(figsize=(6.4, 7.2))
    measured = 100.0 * np.mod(MEASURED_T - p.strike, p.period) / p.period
    for panel, joint in zip(moments.subplots(3, 1, sharex=True), JOINTS, strict=True):
        panel.plot(cycle, outcome["moment"][joint][order], "C0-", label="from joint angles alone")
        panel.plot(cycle, outcome["moment with plates"][joint][order], "C1--", label="with force plates")
        panel.plot(measured, MEASURED[joint], "ko", markerfacecolor="none", label="with force plates, OpenSim")
        panel.axhline(0.0, color="0.6", linewidth=0.8)
        panel.set(ylabel={"hip": "hip moment,\nflexion (N m)", "knee": "knee moment,\nextension (N m)",
                          "ankle": "ankle moment,\ndorsiflexion (N m)"}[joint])  # fmt: skip
        if joint == "hip":
            panel.legend(fontsize="small", loc="lower right")
    panel.set(xlabel="gait cycle (%)", xlim=(0, 100))

    inside = Figure(figsize=(6.4, 7.6))
    top, bottom = inside.subplots(2, 1, sharex=True, height_ratios=(1.4, 1.0))
    for k, (name, effort) in enumerate(outcome["effort"].items()):
        top.plot(cycle, effort["tension"][order] / weight, "-" if k < 5 else "--", label=name)
    bottom.axhspan(2.8, 4.8, color="0.92", zorder=0)
    bottom.annotate("hip, measured by Bergmann et al., 2.8–4.8", (42, 4.5), fontsize="small", color="0.3")
    for joint, line in (("hip", "C0-"), ("knee", "C1--"), ("hip without muscles", "0.5")):
        label = joint if joint != "hip without muscles" else "hip, joint moments without muscles"
        bottom.plot(cycle, outcome[joint][order] / weight, line, label=label)
    top.set(ylabel="muscle force over weight (–)", ylim=(0.0, None))
    top.legend(fontsize="small", ncols=2, loc="upper right")
    bottom.set(xlabel="gait cycle (%)", ylabel="joint force over weight (–)", xlim=(0, 100), ylim=(0.0, 5.8))
    bottom.legend(fontsize="small", loc="center right", bbox_to_anchor=(1.0, 0.58))
    return {"legs_strip": strip, "legs_ground": ground, "legs_moments": moments, "legs_muscles": inside}


OPENSIM = "OpenSim's inverse dynamics of the same trial, with force plates"


def misfit_claim(
    moment: str, computed: Callable[[cd.Outcome], float], off: float, with_plates: float, differs: cd.Differs
) -> cd.Claim:
    """A moment from the motion alone beside the one that OpenSim finds; with_plates: what this model has with them [N m]."""
    return cd.Claim(f"{moment}, misfit", 0.0, computed, unit="N m", tolerance=off, kind="reference",
                    origin=f"{OPENSIM}; with them this model has {with_plates}", differs=differs)  # fmt: skip


def plates_claim(moment: str, computed: Callable[[cd.Outcome], float], off: float) -> cd.Claim:
    """A moment with the forces of the plates beside the one that OpenSim finds with them."""
    return cd.Claim(f"with force plates: {moment}, misfit", "same moment", computed, unit="N m", tolerance=off,
                    kind="reference", origin=OPENSIM)  # fmt: skip


MEASURED_GROUND = "force plates in the same trial"
MOTION_ALONE = (
    "from the motion alone, without force plates, the place of the force under the foot is known to a centimetre or two"
)


CLAIMS = [
    cd.Claim("ground reaction up over weight, first peak", 1.08, lambda o: hump(o, "first"), tolerance=0.06,
             kind="reference", origin=MEASURED_GROUND),
    cd.Claim("ground reaction up over weight, valley", 0.83, lambda o: hump(o, "valley"), tolerance=0.04,
             kind="reference", origin=MEASURED_GROUND + "; Hovey's walker has its maximum there"),
    cd.Claim("ground reaction up over weight, second peak", 1.08, lambda o: hump(o, "second"), tolerance=0.05,
             kind="reference", origin=MEASURED_GROUND),
    cd.Claim("ground reaction over weight, braking", -0.14, lambda o: forward(o).min(), tolerance=0.03,
             kind="reference", origin=MEASURED_GROUND),
    cd.Claim("ground reaction over weight, pushing", 0.17, lambda o: forward(o).max(), tolerance=0.02,
             kind="reference", origin=MEASURED_GROUND),
    cd.Claim("ground reaction up over weight, both feet, misfit", "same force", lambda o: ground_misfit(o, 1),
             tolerance=0.06, kind="reference", origin=MEASURED_GROUND),
    cd.Claim("ground reaction forward over weight, both feet, misfit", "same force", lambda o: ground_misfit(o, 0),
             tolerance=0.035, kind="reference", origin=MEASURED_GROUND),
    cd.Claim("treadmill speed from the stance foot", (1.05, 1.2), lambda o: o["speed"], unit="m/s",
             kind="regression", origin="slow walking"),
    cd.Claim("centre of pressure begins at the heel: before the ankle", (-0.06, 0.0), lambda o: pressure_place(o, "rear"),
             unit="m", kind="property", origin="the foot reaches from −0.06 to 0.20 m"),
    cd.Claim("centre of pressure ends at the toes: before the ankle", (0.12, 0.20), lambda o: pressure_place(o, "front"),
             unit="m", kind="property", origin="the foot reaches from −0.06 to 0.20 m"),
    cd.Claim("hip moment, misfit", 0.0, lambda o: misfit(o, "hip"), unit="N m", tolerance=8.0,
             kind="reference", origin=f"{OPENSIM}, in space; with force plates this model has 7.2"),
    *(misfit_claim(f"{joint} moment", partial(misfit, joint=joint), off, has, cd.Differs(MOTION_ALONE, 8.0, high))
      for joint, off, has, high in (("knee", 6.0, 5.1, 9.5), ("ankle", 2.0, 1.5, 10.0))),
    *(plates_claim(f"{joint} moment", partial(misfit, joint=joint, of="moment with plates"), off)
      for joint, off in (("hip", 8.0), ("knee", 6.0), ("ankle", 2.0))),
    cd.Claim("with force plates: ankle moment at 1.2 s", -126.2,
             lambda o: float(np.interp(1.2, o["t"], o["moment with plates"]["ankle"])), unit="N m", tolerance=4.0,
             kind="reference", origin=OPENSIM),
    cd.Claim("forces on the feet carry the whole body: what is left to the root", "nothing",
             lambda o: np.abs(o["residual"]).max(), unit="N", tolerance=0.05, kind="property", origin="balance"),
    cd.Claim("muscles carry the right leg: what is left to its drives", "nothing",
             lambda o: np.abs(o["left to drives"]).max(), unit="N m", tolerance=0.01, kind="property", origin="balance"),
    cd.Claim("largest activation", (0.3, 0.99), lambda o: max(e["activation"].max() for e in o["effort"].values()),
             kind="regression", origin="walking is no greatest effort"),
    cd.Claim("largest force of vasti, gastrocnemius or soleus, over weight", (2.8, 3.4),
             lambda o: max(o["effort"][m]["tension"].max() for m in ("vasti", "gastrocnemius", "soleus")) / o["weight"],
             kind="regression", origin="3.0 to 3.2; muscles that carry the stance (Anderson and Pandy 2001)"),
    cd.Claim("largest hip force over weight, without abductors", (2.8, 4.8), lambda o: o["hip"].max() / o["weight"],
             kind="reference", origin="Bergmann et al. 1993: 2.8–4.8 at 0.28–1.39 m/s",
             differs=cd.Differs("a plane has no abductors; with them, in gait-3d, the force is in this range", 1.8, 2.2)),
    cd.Claim("hip force over that of joint moments alone", "muscles dominate",
             lambda o: o["hip"].max() / o["hip without muscles"].max(), tolerance=1.5, sense="above",
             kind="published", origin="Hovey 2000, section 5.3: far greater than the dynamics of gait"),
    cd.Claim("ground reaction up of both feet, mean of the stride", 712.2,
             lambda o: sum(o["ground"][s]["force"][:-1, 1].mean() for s in SIDES), unit="N", tolerance=7.0,
             kind="closed form", origin="weight of 72.6 kg: what is lifted comes down"),
    cd.Claim("largest angle of the thigh", 25.0, lambda o: o["thigh"].max(), unit="°", tolerance=0.5,
             kind="reference", origin="Winter 1990 in Hovey 2000, figure 5.19"),
    cd.Claim("smallest angle of the thigh", -18.0, lambda o: o["thigh"].min(), unit="°", tolerance=0.5,
             kind="reference", origin="Winter 1990 in Hovey 2000, figure 5.19",
             differs=cd.Differs("another subject, on a treadmill", -21.0, -19.8)),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="delp-2007")
