"""Hip stress and knee ligaments of one walking model.

Hovey's ballistic walker in space: its stance leg is cut into femur and tibia, and between them stands the knee of `build_knee`
(condyles, collateral ligaments as elements, cruciates in two bundles each, patella with its tendon), between trunk and femur
a polyethylene cup in contact with the head. Single stance of 0.6 s, in which the knee bends and straightens as in walking.
Muscles (quadriceps, gastrocnemius, hip extensor, flexor, abductor) take over, run after run, what the constraints carry that
hold trunk and knee; then one simulation gives the stress in the hip and the forces in the knee. Beside it the same without
the anterior cruciate ligament, and the walker with a straight knee in one plane, which must walk as Hovey's does.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd
from condyle.studies import hovey_gait
from condyle.studies.hip_3d import cosine, cup_mesh, draw_map
from condyle.studies.hovey_bartel import LINER
from condyle.studies.hovey_gait import BODY, CM, RATES, WEIGHT

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MM, MPA = 1e-3, 1e6
# Of the leg, after winter-1990: share of the thigh in mass and length; its mass centre and radius of gyration over its length.
THIGH_MASS, THIGH_LENGTH, THIGH_CENTRE, THIGH_GYRATION = 0.621, 0.462, 0.433, 0.323
ORIGIN = 0.2  # of femur and tibia, above and below the plateau, to which the surfaces of `Knee` refer [m]
AXIS = 0.017  # of flexion, above the plateau [m]
ARM = 0.04  # of the quadriceps about the knee, roughly: each run corrects what the last one missed [m]
INSTANTS = (0.02, 0.12, 0.27, 0.42, 0.60)  # of the motion strip [s]
LIGAMENTS = ("acl anteromedial", "acl posterolateral", "pcl anterolateral", "pcl posteromedial", "mcl", "lcl")

PARAMETERS = BODY | {name: LINER[name] for name in ("inner", "outer", "young", "poisson", "density")} | {
    "cells": cd.Parameter((6, 2), "cells along a side of the cube inside the cup, and across"),
    "inclination": cd.Parameter(20.0, "of the cup's axis against the vertical", "°"),
    "half_width": cd.Parameter(0.085, "from a hip to the middle plane of the body", "m"),
    "sway": cd.Parameter(0.03, "by which the trunk is nearer to the stance leg than the middle plane", "m"),
    "foot_in": cd.Parameter(0.045, "by which the foot is nearer to the middle plane than the hip", "m"),
    "bend": cd.Parameter(12.0, "largest flexion of the knee", "°"),
    "bend_time": cd.Parameter(0.36, "time in which it bends and straightens", "s"),
    "modulus": cd.Parameter(1e9, "contact modulus E* of the condyles", "Pa"),
    "damping": cd.Parameter(4e7, "of the contact of the condyles", "N s/m²"),
    "strain": cd.Parameter(0.05, "of the cruciates as the knee is drawn; collaterals as in the source"),
    "meniscus": cd.Parameter(5e4, "stiffness of the menisci at each condyle", "N/m"),
    "tone": cd.Parameter(300.0, "least force of quadriceps and gastrocnemius", "N"),
    "passes": cd.Parameter(4, "runs until the muscles carry trunk and knee"),
    "soft_dt": cd.Parameter(0.005, "time step with the cup", "s"),
    "beyond": cd.Parameter(True, "also without the anterior cruciate ligament"),
}  # fmt: skip
QUICK = {"cells": (4, 2), "passes": 1, "beyond": False}
INPUTS = ("leg",)


# --- the model --------------------------------------------------------------------------------------------------------


def segments(p: cd.Parameters) -> cd.Outcome:
    """Hovey's leg cut at the knee, so that straight it has his mass, mass centre and inertia.

    Of femur and tibia: mass [kg], moment of inertia [kg m²], and height of the mass centre over the body's origin [m].
    plateau: over the foot; hip: over the origin of the femur [m].
    """
    thigh = THIGH_LENGTH * p.leg
    plateau = p.leg - thigh - AXIS
    upper, lower = THIGH_MASS * p.leg_mass, (1.0 - THIGH_MASS) * p.leg_mass
    high = THIGH_CENTRE * thigh  # below the hip
    low = (p.leg_mass * p.hip_to_centre - upper * high) / lower
    inertia = upper * (THIGH_GYRATION * thigh) ** 2
    rest = p.leg_inertia - inertia - upper * (p.hip_to_centre - high) ** 2 - lower * (low - p.hip_to_centre) ** 2
    return {
        "plateau": plateau, "hip": p.leg - plateau - ORIGIN, "femur": (upper, inertia, p.leg - high - plateau - ORIGIN),
        "tibia": (lower, rest, p.leg - low - plateau + ORIGIN),
    }  # fmt: skip


def own_knee(p: cd.Parameters, quadriceps: cd.Table | float, without: str = "") -> cd.Knee:
    """The knee: put in bundles, surfaces and bones of your own here. without: beginning of the names of bundles left out."""
    law = cd.NonlinearDashpot(0.1362 * p.modulus, p.damping, 1.5, 1.0)  # Hertz's stiffness of these condyles on a plane
    bundles = {}
    for name, bundle in cd.Knee().bundles.items():
        if without and name.startswith(without):
            continue
        if bundle.kind == "spring":  # a cruciate: bundles of fibres that do not push
            stiffness = 5000.0 if name.startswith("acl") else 9000.0
            bundle = replace(bundle, kind="toe", stiffness=stiffness, strain=p.strain, damping=50.0)
        bundles[name] = bundle
    return cd.Knee(bundles=bundles, contact=law, meniscus_stiffness=p.meniscus, patella=True, quadriceps=quadriceps)


def walker(
    p: cd.Parameters, *, soft: bool = False, bent: bool = True, beside: bool = True, pulls: Mapping[str, Any] | None = None,
    without: str = "", fall: NDArray[np.float64] | None = None,
) -> cd.Model:  # fmt: skip
    """Trunk, swing leg, femur and tibia with a knee; x forward, y towards the middle of the body, z up, from the foot.

    soft: a polyethylene cup at the hip, else a ball joint. bent: the knee bends, else it stays straight. beside: the foot is
    not under the middle of the body. pulls: functions of time [N] of the muscles, by name. fall: acceleration (3,) [m/s²] of a
    model for statics, in which the walker does not move and gravity is less by this.
    """
    pulls = pulls or {}
    s, half, sway = segments(p), p.half_width if beside else 0.0, p.sway if beside else 0.0
    R = cd.rotation(axis=(0, 1, 0), angle=-np.radians(p.angle))
    if beside:
        R = R @ cd.rotation(axis=(1, 0, 0), angle=float(np.arcsin(p.foot_in / p.leg)))
    up, spin = R[:, 2], -np.radians(RATES)
    turning = np.array((0.0, spin[0], 0.0))
    hip = p.leg * up
    speed = np.cross(turning, hip)
    gravity = np.array((0.0, 0.0, -9.81)) - (0.0 if fall is None else np.asarray(fall))
    m = cd.Model("walker with a knee", gravity=tuple(gravity.tolist()))
    bones = []
    for name, above in (("femur", ORIGIN), ("tibia", -ORIGIN)):
        mass, inertia, centre = s[name]
        place = (s["plateau"] + above) * up
        bones.append(m.add(cd.RigidBody(
            name, mass, inertia=(inertia, inertia, mass * 0.05**2), centre_of_mass=(0.0, 0.0, centre), position=place,
            rotation=R, angular_velocity=turning, velocity=np.cross(turning, place))))  # fmt: skip
    trunk = m.add(cd.RigidBody("trunk", p.trunk_mass, inertia=(p.trunk_inertia,) * 3, position=hip, velocity=speed,
                               centre_of_mass=(0.0, half - sway, p.trunk_centre)))  # fmt: skip
    other = cd.rotation(axis=(0, 1, 0), angle=np.radians(p.angle))
    swing_hip, swinging = hip + np.array((0.0, 2.0 * half, 0.0)), np.array((0.0, spin[1], 0.0))
    centre = swing_hip - p.hip_to_centre * other[:, 2]
    swing = m.add(cd.RigidBody(
        "swing leg", p.leg_mass, inertia=(p.leg_inertia, p.leg_inertia, p.leg_mass * 0.05**2), position=centre, rotation=other,
        angular_velocity=swinging, velocity=speed + np.cross(swinging, centre - swing_hip)))  # fmt: skip
    # The foot can turn in the frontal plane, too: else what the knee carries there would hang on its stiffness.
    m.add(cd.Universal("foot", m.ground, bones[1], at=(0, 0, 0), axis=(0, 1, 0), second_axis=tuple(R[:, 0])))
    still = dict.fromkeys(("y", "angle 1", "angle 2", "angle 3"), 0.0)
    m.add(cd.CustomJoint("upright", m.ground, trunk, at=hip, functions=still))
    m.add(cd.Revolute("swing hip", trunk, swing, at=swing_hip, axis=(0, 1, 0)))
    cd.add_knee(
        m, bones[0], bones[1], own_knee(p, pulls.get("quadriceps", p.tone), without), at=s["plateau"] * up, rotation=R
    )
    for line in (b for b in m if isinstance(b, cd.Cable)):
        line.angular_velocity = tuple(turning)
    patella = m["patella"]
    patella.angular_velocity, patella.velocity = tuple(turning), tuple(np.cross(turning, patella.position))
    m.add(cd.Drive("flexion", "knee.flexion", motion=flexion(p) if bent else 0.0))
    if soft:
        mesh = cup_mesh(p, p.cells, p.inclination).mapped(lambda X: X + hip)
        plastic = cd.Robust(p.young, p.poisson, p.density)
        liner = m.add(cd.Solid.from_mesh("liner", mesh, plastic, quasi_static=True, velocity=tuple(speed)))
        m.add(cd.Tie("shell", liner, "outer", trunk))
        m.add(cd.Contact("hip", liner, "inner", "femur", cd.Sphere(p.inner, centre=(0.0, 0.0, s["hip"]))))
    else:
        m.add(cd.Spherical("hip", bones[0], trunk, at=hip))
    for name, path in muscle_paths(p).items():
        if name in pulls:
            m.add(cd.ForceActuator(name, path, 1.0, pulls[name]))
    if fall is not None:
        m.add(cd.Drive("held trunk", "upright.x", motion=0.0))
        m.add(cd.Drive("held leg", "swing hip.angle", motion=0.0))
    return m


def flexion(p: cd.Parameters) -> cd.Spline:
    """Of the knee over time [rad]: it bends after the start and is straight again at `bend_time`."""
    t = np.arange(0.0, p.end + 0.5 * p.dt, p.dt)
    wave = np.where(t < p.bend_time, np.sin(np.pi * t / p.bend_time), 0.0) ** 3
    return cd.Spline(tuple(t), tuple(np.radians(p.bend) * wave))


def muscle_paths(p: cd.Parameters) -> dict[str, list[cd.Point]]:
    """Straight muscles: those of the source at the hip, abductors, and a flexor of the knee."""
    hip = segments(p)["hip"]
    paths = {}
    for name, ((ox, oy), (ix, iy)) in hovey_gait.MUSCLES.items():
        insertion = (CM * ix, 0.0, CM * iy + hip - p.hip_to_centre)
        paths[name] = [cd.Point("trunk", (CM * ox, 0.0, CM * oy + p.trunk_centre)), cd.Point("femur", insertion)]
    paths["abductor"] = [cd.Point("trunk", (0.0, -0.035, 0.10)), cd.Point("femur", (0.0, -0.065, hip - 0.015))]
    heel = ORIGIN - segments(p)["plateau"] + 0.03
    paths["gastrocnemius"] = [cd.Point("femur", (-0.022, 0.0, -0.17)), cd.Point("tibia", (-0.05, 0.0, heel))]
    return paths


# --- runs -------------------------------------------------------------------------------------------------------------


def start_acceleration(p: cd.Parameters) -> NDArray[np.float64]:
    """Acceleration of the trunk at the start [m/s²] (3,), that of Hovey's rigid walker."""
    result = cd.simulate(hovey_gait.walker(p), end=2e-4, dt=1e-4, integrator=cd.RungeKutta())
    forward, up = np.diff(result.velocity("trunk")[:2], axis=0)[0] / 1e-4
    return np.array((forward, 0.0, up))


def step(p: cd.Parameters, context: cd.Context, label: str, fall: NDArray[np.float64], **options: Any) -> cd.Result:
    """One run from where ligaments and cup carry what the walker needs at the start, already in motion."""
    still = cd.solve_static(walker(p, fall=fall, **options))
    dt = p.soft_dt if options.get("soft") else p.dt
    model = walker(p, **options)
    # A quasi-static cup is in balance at the end of a step, so a method is taken for it that balances all there.
    rule: Any = cd.BDF(2) if options.get("soft") else cd.EnergyMomentum()
    state = still.state(-1)
    state.t, state.v = 0.0, cd.Simulation(model, dt=dt, integrator=rule).state.v
    return context.simulate(label, model, end=p.end, dt=dt, integrator=rule, state=state, energy_tolerance=np.inf)


def carried(result: cd.Result) -> cd.Outcome:
    """Moments that the constraints put on trunk and knee, at the frames [N m]."""
    upright, knee = result.multipliers("upright"), result.multipliers("flexion")["drive"]
    # A multiplier is minus the moment: the trunk is pulled back by extensors, its middle side lifted by abductors.
    needed = {"hip": upright["angle 2"], "side": -upright["angle 1"], "knee": knee}
    return {name: np.interp(result.times, result.multiplier_times, values) for name, values in needed.items()}


def arms(result: cd.Result, p: cd.Parameters) -> cd.Outcome:
    """Arms of the muscles [m] over time, about hip and knee."""
    hip = result.position(cd.Point("trunk", (0.0, 0.0, 0.0)))
    knee = result.position(cd.Point("femur", (0.0, 0.0, AXIS - ORIGIN)))
    out = {"quadriceps": np.full(len(hip), ARM)}
    for name, path in muscle_paths(p).items():
        a, b = (result.position(point) for point in path)
        along = (b - a) / np.linalg.norm(b - a, axis=1, keepdims=True)
        moment = np.cross(a - (knee if name == "gastrocnemius" else hip), along)
        out[name] = np.abs(moment[:, 0 if name == "abductor" else 1])
    return out


def closed_loop(p: cd.Parameters, context: cd.Context, fall: NDArray[np.float64]) -> tuple[cd.Outcome, Any]:
    """Muscle forces over time with which little is left to the constraints, found with a rigid hip; and the last run."""
    times = np.arange(0.0, p.end + 0.5 * p.dt, p.dt)
    moment = {name: np.zeros(len(times)) for name in ("hip", "side", "knee")}
    pulls: dict[str, Any] = {}
    for k in range(p.passes + 1):
        result = step(p, context, f"rigid hip, run {k}", fall, pulls=pulls)
        if k == p.passes:
            break
        lever = {name: np.interp(times, result.times, arm) for name, arm in arms(result, p).items()}
        for name, left in carried(result).items():
            # Three neighbours together: what rings from step to step is not for muscles.
            smooth = np.convolve(np.pad(np.interp(times, result.times, left), 2, mode="edge"), np.full(5, 0.2), "valid")
            moment[name] = moment[name] + smooth
        pairs = {"hip": ("extensor", "flexor"), "side": ("abductor", ""), "knee": ("quadriceps", "gastrocnemius")}
        pulls = {}
        for joint, both in pairs.items():
            for muscle, sign in zip(both, (1.0, -1.0), strict=True):
                if muscle:
                    force = np.maximum(sign * moment[joint] / lever[muscle], p.tone if joint == "knee" else 0.0)
                    pulls[muscle] = cd.Table(tuple(times), tuple(force))
    return pulls, result


def readings(result: cd.Result, p: cd.Parameters) -> cd.Outcome:
    """What a run has to say about motion, knee and hip."""
    hip = result.position(cd.Point("femur", (0.0, 0.0, segments(p)["hip"])))
    out: cd.Outcome = {
        "t": result.times, "angle": np.degrees(np.arctan2(-hip[:, 0], hip[:, 2])), "left": carried(result),
        "ground": np.array([np.interp(result.times, result.multiplier_times, f) for f in result.joint_force("foot").T]).T,
        "lines": lines(result, p),
        "joint": cd.clinical_motion(result, "knee"),
    }  # fmt: skip
    for name in ("medial", "lateral", "patellofemoral"):
        out[name] = result.contact(name).normal_force[:, 0]
    out["tension"] = {}
    for part in (part for part in result.model if part.name in LIGAMENTS or part.name == "patellar tendon"):
        cable = isinstance(part, cd.Cable)
        out["tension"][part.name] = (
            cd.LineHistory(result, part.name, 3).tension[:, 1] if cable else result.path(part)["tension"]
        )
    if "liner" in result.model:
        joint = result.contact("hip")
        stress = [result.fields("liner", k).von_mises.max() for k in range(len(result.times))]
        out |= {
            "hip": np.linalg.norm(joint.resultant, axis=1), "pressure": joint.pressure.max(axis=1),
            "hip pressure": joint.pressure, "von Mises": np.array(stress), "hip nodes": joint.nodes,
        }  # fmt: skip
    else:
        force = np.linalg.norm(result.joint_force("hip"), axis=1)
        out["hip"] = np.interp(result.times, result.multiplier_times, force)
    out["balance"] = balance(result, out, p)
    out["iterations"] = np.asarray(result.iterations)
    return out


def balance(result: cd.Result, o: cd.Outcome, p: cd.Parameters) -> NDArray[np.float64]:
    """What is left of all forces on the tibia along its shaft, added up from the results, over the weight."""
    tibia = result.model["tibia"]
    ways = {name: _away(result, result.model[name].path) for name in o["tension"] if name not in ("mcl", "lcl")}
    tension = dict(o["tension"])
    if "gastrocnemius" in result.model:
        ways["gastrocnemius"] = _away(result, result.model["gastrocnemius"].path)
        tension["gastrocnemius"] = result.path("gastrocnemius")["tension"]
    for name in ("mcl", "lcl"):
        pull = cd.LineHistory(result, name, 3).gradients()[:, 0, 0]
        ways[name] = pull / np.linalg.norm(pull, axis=1, keepdims=True)
    force = sum(tension[name][:, None] * way for name, way in ways.items())
    for y in (0.022, -0.022):  # menisci: springs and dampers from the centres of the condyles
        apart = [way(cd.Point("femur", (0.0, y, -0.182))) - way(cd.Point("tibia", (0.0, y, 0.218)))
                 for way in (result.position, result.velocity)]  # fmt: skip
        force = force + p.meniscus * apart[0] + 50.0 * apart[1]
    force = force[1:] + result.joint_force("foot")
    force -= tibia.mass * (
        result.acceleration(cd.Point("tibia", tibia.centre_of_mass))[1:] + np.array((0.0, 0.0, 9.81))
    )
    pressed = sum(result.contact(name).normal_force[1:, 0] for name in ("medial", "lateral"))
    return (np.sum(force * result.rotation_matrix("tibia")[1:, :, 2], axis=1) - pressed) / WEIGHT


def _away(result: cd.Result, path: tuple[cd.Point, cd.Point]) -> NDArray[np.float64]:
    """Direction in which a straight path pulls the tibia, (frames, 3)."""
    ends = {point.body: result.position(point) for point in path}
    to = next(place for body, place in ends.items() if body != "tibia")
    return (to - ends["tibia"]) / np.linalg.norm(to - ends["tibia"], axis=1, keepdims=True)


def lines(result: cd.Result, p: cd.Parameters) -> cd.Outcome:
    """Places of the joints, of the muscles and of what is drawn of the knee, (frames, points, 3)."""
    s = segments(p)
    top = cd.Point("femur", (0.0, 0.0, s["hip"]))
    points: dict[str, list[Any]] = {
        "trunk": ["trunk", cd.Point("trunk", (0.0, 0.0, 2.0 * p.trunk_centre))],
        "swing leg": [cd.Point("swing leg", (0.0, 0.0, z)) for z in (p.hip_to_centre, p.hip_to_centre - p.leg)],
        "shaft": [cd.Point("tibia", (0.0, 0.0, z)) for z in (0.14, ORIGIN)],
        "plateau": [cd.Point("tibia", (x, 0.0, ORIGIN)) for x in (-0.03, 0.03)],
    }  # fmt: skip
    points["stance leg"] = [
        cd.Point("tibia", (0.0, 0.0, ORIGIN - s["plateau"])),
        cd.Point("femur", (0.0, 0.0, AXIS - ORIGIN)),
        top,
    ]
    turn = np.linspace(-2.2, 0.75, 30)
    points["condyle"] = [cd.Point("femur", (0.018 * np.cos(a), 0.0, 0.018 * np.sin(a) - 0.182)) for a in turn]
    points["condyle"] += [cd.Point("femur", (0.012, 0.0, -0.14)), cd.Point("femur", (-0.012, 0.0, -0.14))]
    for part in result.model:
        if isinstance(part, cd.ForceActuator | cd.Ligament) and "retinaculum" not in part.name:
            points[part.name] = list(part.path)
    out = {name: np.stack([result.position(q) for q in places], axis=1) for name, places in points.items()}
    return out | {
        n: np.stack([result.position(result.model[n].point(e)) for e in ("start", "end")], axis=1)
        for n in ("mcl", "lcl")
    }


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """The straight knee in a plane; the muscles, with a rigid hip; hip and knee in one simulation; without a ligament."""
    fall = start_acceleration(p)
    flat = step(p, context, "in a plane", fall, bent=False, beside=False)
    yield {"p": p, "plane": readings(flat, p)}
    pulls, rigid = closed_loop(p, context, fall)
    yield {"pulls": pulls, "rigid": readings(rigid, p)}
    both = step(p, context, "hip and knee", fall, pulls=pulls, soft=True)
    mesh = cup_mesh(p, p.cells, p.inclination)
    yield {"walk": readings(both, p), "cup": mesh.nodes / np.linalg.norm(mesh.nodes, axis=1, keepdims=True)}
    if p.beyond:
        cut = step(p, context, "without the ACL", fall, pulls=pulls, without="acl")
        yield {"without": readings(cut, p)}


# --- what is shown ----------------------------------------------------------------------------------------------------


def motion_strip(outcome: cd.Outcome, p: cd.Parameters) -> Figure:
    """The walker at a few instants, and below it pressure in the cup and the knee with its ligaments, enlarged."""
    from matplotlib.figure import Figure

    o, n = outcome["walk"], len(INSTANTS)
    frames = [int(np.argmin(np.abs(o["t"] - t))) for t in INSTANTS]
    figure = Figure(figsize=(9.0, 8.4))
    parts: Any = figure.subfigures(3, 1, height_ratios=(1.3, 0.9, 1.0))
    panel = parts[0].subplots()
    for k, frame in enumerate(frames):
        hip = o["lines"]["trunk"][frame, 0]
        for name, colour, width in (("swing leg", "0.75", 2.5), ("trunk", "0.4", 2.5), ("stance leg", "0.4", 2.5)):
            place = o["lines"][name][frame][:, (0, 2)] + (1.3 * k - hip[0], 0.0)
            mark = "o" if name == "stance leg" else ""
            panel.plot(*place.T, color=colour, linewidth=width, solid_capstyle="round", marker=mark, markersize=3)
        for name, colour in MUSCLE_COLOURS.items():
            force = float(outcome["pulls"][name](o["t"][frame]))
            place = o["lines"][name][frame][:, (0, 2)] + (1.3 * k - hip[0], 0.0)
            panel.plot(*place.T, color=colour, linewidth=0.3 + 3e-3 * force)
        bend = np.degrees(o["joint"]["flexion"][frame])
        panel.annotate(f"{o['t'][frame]:.2f} s, knee {abs(bend):.0f}°", (1.3 * k, 1.5), ha="center", fontsize="small")
    for name, colour in MUSCLE_COLOURS.items():
        panel.plot([], [], color=colour, linewidth=2.0, label=name)
    panel.axhline(0.0, color="0.2", linewidth=0.8, zorder=0)
    panel.set(aspect="equal", xlim=(-0.6, 1.3 * n - 0.7), ylim=(-0.1, 1.62), ylabel="height (m)", xticks=[])
    panel.grid(False)
    panel.legend(loc="upper center", bbox_to_anchor=(0.5, 1.13), ncols=5, fontsize="small")
    cups = parts[1].subplots(1, n, sharey=True)
    levels = np.arange(0.0, o["pressure"].max() / MPA + 0.5, 0.5)
    for panel, frame in zip(cups, frames, strict=True):
        shown = draw_map(panel, p, outcome["cup"][o["hip nodes"]], o["hip pressure"][frame] / MPA, levels)
        panel.set_title(f"hip {o['hip'][frame]:.0f} N, {o['pressure'][frame] / MPA:.1f} MPa", fontsize="small")
        panel.set(xlabel="forward (°)")
    cups[0].set(ylabel="cup from below (°)")
    parts[1].colorbar(shown, ax=list(cups), label="contact pressure (MPa)", shrink=0.9)
    knees = parts[2].subplots(1, n, sharey=True)
    for panel, frame in zip(knees, frames, strict=True):
        shown = _draw_knee(panel, o, frame)
        panel.set_title(f"medial {o['medial'][frame]:.0f} N\nlateral {o['lateral'][frame]:.0f} N", fontsize="small")
    knees[0].set(ylabel="knee from the side (mm)")
    parts[2].colorbar(shown, ax=list(knees), label="pull of a ligament (N)", shrink=0.9)
    return figure


MUSCLE_COLOURS = {"extensor": "C0", "flexor": "C1", "abductor": "C4", "quadriceps": "C3", "gastrocnemius": "C2"}


def _draw_knee(panel: Axes, o: cd.Outcome, frame: int) -> Any:
    """Outline of a condyle, plateau, ligaments in the colour of their pull; in the axes of the tibia, upright."""
    from matplotlib import colormaps
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    scale = ScalarMappable(Normalize(0.0, 250.0), colormaps["plasma"])
    low, high = o["lines"]["shaft"][frame]
    up = (high - low) / np.linalg.norm(high - low)
    forward = np.cross((0.0, 1.0, 0.0), up)
    across = np.array([forward / np.linalg.norm(forward), up])
    for name, colour in (("condyle", "0.55"), ("plateau", "0.2"), ("patellar tendon", "0.6")):
        panel.plot(*(1e3 * (o["lines"][name][frame] - high) @ across.T).T, color=colour, linewidth=1.4)
    for name in LIGAMENTS:
        pull = o["tension"][name][frame]
        panel.plot(*(1e3 * (o["lines"][name][frame] - high) @ across.T).T, color=scale.to_rgba(pull), linewidth=2.2)
    panel.set(aspect="equal", xlim=(-42, 48), ylim=(-70, 62), xlabel="mm")
    panel.grid(False)
    return scale


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Motion strip; joint and muscle forces; ligaments, also without the ACL; pressure and stress in the hip."""
    from matplotlib.figure import Figure

    o = outcome["walk"]
    late = o["t"] > 0.0
    t = o["t"][late]
    forces = Figure(figsize=(6.6, 7.4))
    top, bottom = forces.subplots(2, 1, sharex=True)
    for values, line, label in (
        (o["hip"], "C0-", "hip"), (o["medial"] + o["lateral"], "k-", "knee, both condyles"), (o["medial"], "C1--", "medial"),
        (o["lateral"], "C2--", "lateral"), (o["patellofemoral"], "C3:", "behind the patella"),
        (o["ground"][:, 2], "0.6", "ground, up"),
    ):  # fmt: skip
        top.plot(t, values[late] / WEIGHT, line, label=label)
    top.set(ylabel="force over weight (–)", ylim=(0.0, None))
    top.legend(fontsize="small", ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    for name, colour in MUSCLE_COLOURS.items():
        bottom.plot(t, [outcome["pulls"][name](now) for now in t], color=colour, label=name)
    bottom.set(xlabel="time (s)", ylabel="muscle force (N)", xlim=(0.0, p.end), ylim=(0.0, None))
    bottom.legend(fontsize="small")

    lines = Figure(figsize=(7.6, 6.6))
    panels = lines.subplots(2, 2, sharex=True)
    for name in LIGAMENTS:
        panel = panels[0, 0] if name[:3] in ("acl", "pcl") else panels[0, 1]
        (drawn,) = panel.plot(t, o["tension"][name][late], label=name)
        if "without" in outcome and name in outcome["without"]["tension"]:
            other = outcome["without"]
            panel.plot(other["t"][1:], other["tension"][name][1:], ":", color=drawn.get_color())
    panels[0, 0].set(ylabel="pull of the cruciates (N)")
    panels[0, 1].set(ylabel="pull of the collaterals (N)")
    for panel, name, label in (
        (panels[1, 0], "drawer", "tibia forward (mm)"),
        (panels[1, 1], "rotation", "axial rotation (°)"),
    ):
        factor = 1e3 if name == "drawer" else np.degrees(1.0)
        for case, line in (("walk", "-"), ("without", ":")):
            if case in outcome:
                panel.plot(outcome[case]["t"][1:], -factor * outcome[case]["joint"][name][1:], line, color="C0")
        panel.set(xlabel="time (s)", ylabel=label, xlim=(0.0, p.end))
    for panel in panels[0]:
        panel.set(ylim=(0.0, None))
        panel.legend(fontsize="x-small")
    if "without" in outcome:
        lines.suptitle("dotted: without the anterior cruciate ligament, the same muscles", fontsize="small")

    hip = Figure(figsize=(6.4, 3.8))
    panel = hip.subplots()
    panel.plot(t, o["pressure"][late] / MPA, label="largest contact pressure")
    panel.plot(t, cosine(p, o["hip"][late]) / MPA, "k:", label="3 F/(2 π R²) of the hip force")
    panel.plot(t, o["von Mises"][late] / MPA, "C1--", label="largest von Mises stress")
    panel.set(xlabel="time (s)", ylabel="cup of the hip (MPa)", xlim=(0.0, p.end), ylim=(0.0, None))
    panel.legend(fontsize="small")
    return {
        "walking_strip": motion_strip(outcome, p),
        "walking_forces": forces,
        "walking_ligaments": lines,
        "walking_hip": hip,
    }


# --- what is claimed --------------------------------------------------------------------------------------------------


def _after(o: cd.Outcome, name: str) -> NDArray[np.float64]:
    """Values of the coupled run after the first 0.05 s, in which the start rings."""
    return o["walk"][name][o["walk"]["t"] > 0.05]


def _ground(o: cd.Outcome, t: float, axis: int) -> float:
    return float(np.interp(t, o["plane"]["t"], o["plane"]["ground"][:, axis]))


def _sagging(o: cd.Outcome, case: str) -> float:
    """How far the tibia is before its place as drawn, mean over the run [m]."""
    return float(-o[case]["joint"]["drawer"].mean())


def _apart(o: cd.Outcome) -> float:
    """Largest difference of the knee's contact force between soft and rigid hip, over the weight, mean over the run."""
    t = np.linspace(0.05, o["p"].end - 0.01, 56)
    both = [np.interp(t, o[case]["t"], o[case]["medial"] + o[case]["lateral"]) for case in ("walk", "rigid")]
    return float(np.abs(both[0] - both[1]).mean() / WEIGHT)


STRAIGHT = "straight knee, in a plane"
CLAIMS = [
    cd.Claim(f"{STRAIGHT}: angle of the leg at 0.6 s", -20.0, lambda o: float(o["plane"]["angle"][-1]), unit="°",
             tolerance=0.05, kind="published", origin="Hovey 2000, section 5.2.1, figure 5.1"),
    cd.Claim(f"{STRAIGHT}: angle of the leg at 0.3 s", 0.0,
             lambda o: float(np.interp(0.3, o["plane"]["t"], o["plane"]["angle"])), unit="°", tolerance=0.05,
             kind="published", origin="Hovey 2000, section 5.2.1, figure 5.1"),
    cd.Claim(f"{STRAIGHT}: ground reaction up at 0.3 s", 716.0, lambda o: _ground(o, 0.3, 2), unit="N", tolerance=3.0,
             kind="reference", origin="hovey-walk, whose leg has no knee"),
    cd.Claim(f"{STRAIGHT}: ground reaction forward at 0.6 s", 175.0, lambda o: _ground(o, 0.6, 0), unit="N", tolerance=5.0,
             kind="published", origin="Hovey 2000, section 5.2.1, figure 5.4, read to 10 N"),
    cd.Claim("forces on the tibia along its shaft: what is left, over the weight", "balance",
             lambda o: float(np.abs(o["walk"]["balance"][10:]).max()), tolerance=0.02, kind="property", origin="equilibrium"),
    cd.Claim("moment left to the constraint that holds the trunk in the plane of walking", "next to nothing",
             lambda o: float(np.abs(o["rigid"]["left"]["hip"][5:]).max()), unit="N m", tolerance=3.0, kind="property",
             origin="muscles carry the trunk", full_only=True),
    cd.Claim("moment left to the constraint that holds the trunk sideways", "next to nothing",
             lambda o: float(np.abs(o["rigid"]["left"]["side"][5:]).max()), unit="N m", tolerance=3.0, kind="property",
             origin="the abductor carries the trunk", full_only=True),
    cd.Claim("moment left to the drive of the knee", "small", lambda o: float(np.abs(o["rigid"]["left"]["knee"][5:]).max()),
             unit="N m", tolerance=7.0, kind="property", origin="quadriceps and gastrocnemius carry the knee", full_only=True),
    cd.Claim("hip: largest pressure over 3 F/(2 π R²), least over the run", 1.0,
             lambda o: float((_after(o, "pressure") / cosine(o["p"], _after(o, "hip"))).min()), tolerance=0.06,
             kind="closed form", origin="pressure of a head that conforms; more where the force is near the rim"),
    cd.Claim("hip: largest force over weight", (2.3, 3.6), lambda o: float(_after(o, "hip").max()) / WEIGHT, kind="reference",
             origin="Bergmann et al. 2016: 2.5 in the mean of ten patients; Bergmann et al. 1993: 2.8–4.8"),
    cd.Claim("hip: largest contact pressure", (5.5, 9.5), lambda o: float(_after(o, "pressure").max()) / MPA, unit="MPa",
             kind="regression", origin="between Hovey's walk without muscles, 2.76, and other studies at toe-off, 10–16"),
    cd.Claim("hip: largest von Mises stress", (2.5, 6.5), lambda o: float(_after(o, "von Mises").max()) / MPA, unit="MPa",
             kind="regression", origin="below the yield stress of polyethylene, about 20"),
    cd.Claim("knee: largest contact force over weight", (2.0, 4.5),
             lambda o: float((_after(o, "medial") + _after(o, "lateral")).max()) / WEIGHT, kind="reference",
             origin="Kutzner et al. 2010 measured 2.6 in the mean of five patients; here muscles at both sides press it, too"),
    cd.Claim("knee: medial over both condyles, mean over the run", (0.6, 0.85),
             lambda o: float(_after(o, "medial").mean() / (_after(o, "medial") + _after(o, "lateral")).mean()), kind="relation",
             origin="the body is on the medial side of the knee"),
    cd.Claim("knee: least force of a condyle", "both carry",
             lambda o: float(min(_after(o, n).min() for n in ("medial", "lateral"))), unit="N", tolerance=50.0,
             sense="above", kind="property", origin="no condyle lifts off"),
    cd.Claim("quadriceps: largest pull of the patellar tendon over that before the knee bends", "pulls", lambda o: float(
        o["walk"]["tension"]["patellar tendon"].max() / o["walk"]["tension"]["patellar tendon"][1]), tolerance=3.0,
        sense="above", kind="relation", origin="the bent knee needs it"),
    cd.Claim("anterior cruciate: pull of both bundles while the quadriceps is strongest over that at the start", "unloaded",
             lambda o: _acl(o), tolerance=0.5, kind="relation",
             origin="the knee is bent and pressed together; the posterior cruciate pulls instead"),
    cd.Claim("knee: contact force with the soft hip less that with the rigid one, over the weight, mean", "nearly the same",
             _apart, tolerance=0.15, kind="relation", origin="the cup is stiff; without the rings of the start"),
    cd.Claim("without the anterior cruciate: tibia before its place less that with it", "farther forward",
             lambda o: 1e3 * (_sagging(o, "without") - _sagging(o, "rigid")), unit="mm", tolerance=0.2, sense="above",
             kind="relation", origin="it holds the tibia back", full_only=True),
    cd.Claim("without the anterior cruciate: angle of the leg at 0.6 s less that with it", "walks the same",
             lambda o: abs(float(o["without"]["angle"][-1] - o["rigid"]["angle"][-1])), unit="°", tolerance=0.3,
             kind="relation", origin="the muscles are the same", full_only=True),
]  # fmt: skip


def _acl(o: cd.Outcome) -> float:
    pull = o["walk"]["tension"]["acl anteromedial"] + o["walk"]["tension"]["acl posterolateral"]
    return float(pull[o["walk"]["tension"]["patellar tendon"].argmax()] / pull[1])


STUDY = cd.Study.of_module(globals(), source="hovey-2000")
