"""Parameters of limbs from tests: a legform, the ligaments of a knee, the muscles of a walking leg.

Three identifications whose truth is known, since the measurements are simulations, with another integrator and a quarter of
the step of what is fitted, and with noise. A legform is struck with a measured force, and its three sensors (acceleration of
the tibia, shear and bending of the knee) give the stiffness and damping of its knee, by exact sensitivities of the steps. The
drawer of a knee at three angles of flexion gives stiffness and slack length of both cruciate ligaments, more sharply than one
angle alone. The angles of hip and knee in a step give the strengths of three muscles whose excitations are known.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd

PARAMETERS = {
    "bending": cd.Parameter(250.0, "stiffness of the legform's knee in bending", "N m/rad"),
    "shear": cd.Parameter(1.6e5, "its stiffness in shear", "N/m"),
    "rubbing": cd.Parameter(90.0, "its damping in shear", "N s/m"),
    "acl": cd.Parameter(4000.0, "stiffness of the anterior cruciate ligament", "N"),
    "pcl": cd.Parameter(7000.0, "that of the posterior one", "N"),
    "acl_slack": cd.Parameter(0.031, "slack length of the anterior one", "m"),
    "pcl_slack": cd.Parameter(0.0385, "that of the posterior one", "m"),
    "flexor": cd.Parameter(900.0, "strength of the flexors of the hip", "N"),
    "extensor": cd.Parameter(1500.0, "that of its extensors", "N"),
    "quadriceps": cd.Parameter(2200.0, "that of the extensors of the knee", "N"),
    "noise": cd.Parameter(0.01, "of all sensors, over the spread of their curves"),
    "seed": cd.Parameter(3, "of the noise"),
    "flexions": cd.Parameter((15.0, 50.0, 90.0), "of the knee in its tests", "°"),
    "knee_step": cd.Parameter(0.01, "time step of the tests of the knee", "s"),
    "more": cd.Parameter(True, "also the knee by one angle only, and the legform with exact gradients"),
}
QUICK = {"flexions": (15.0, 90.0), "knee_step": 0.02, "more": False}
INPUTS = ("bending", "acl", "flexor")  # what is searched is always the model that was measured


# --- the legform ----------------------------------------------------------------------------------------------------


def legform(bending: float, shear: float, rubbing: float) -> cd.Model:
    """Femur and tibia in the plane, hanging; the knee gives way in shear and bends. The blow is a given force on the tibia."""
    model = cd.Model("legform", dimension=2)
    femur = model.add(cd.RigidBody("femur", 8.6, inertia=0.127, position=(0.0, 0.217)))
    plate = model.add(cd.RigidBody("plate", 0.5, inertia=1e-3, position=(0.0, 0.0)))
    tibia = model.add(cd.RigidBody("tibia", 4.8, inertia=0.120, position=(0.0, -0.233)))
    model.add(cd.Slider("shear", femur, plate, at=(0.0, 0.0), axis=(1.0, 0.0)))
    model.add(cd.Pin("knee", plate, tibia, at=(0.0, 0.0)))
    slide, angle = model["shear"].coordinate_names(2)[0], model["knee"].coordinate_names(2)[0]
    model.add(cd.CoordinateSpring("shear spring", f"shear.{slide}", stiffness=shear))
    model.add(cd.CoordinateDamper("shear damper", f"shear.{slide}", damping=rubbing))
    model.add(cd.CoordinateSpring("knee bars", f"knee.{angle}", stiffness=bending))
    model.add(cd.Load("blow", cd.Point("tibia", (0.0, 0.15)), (1.0, 0.0), scale=BLOW))
    return model


BLOW = cd.Pulse(end=0.012, peak=3000.0)  # force of a bumper [N]


def sensors(result: cd.Result) -> dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Acceleration of the tibia near the knee [m/s²], shear of the knee [m], its bending [rad]."""
    names = {joint: result.model[joint].coordinate_names(2)[0] for joint in ("shear", "knee")}
    return {
        "acceleration": (result.times, result.acceleration(cd.Point("tibia", (0.0, 0.167)))[:, 0]),
        "shear": (result.times, result.coordinate(f"shear.{names['shear']}")),
        "bending": (result.times, result.coordinate(f"knee.{names['knee']}")),
    }


LEGFORM = cd.SensitiveRun(legform, sensors, end=0.03, dt=2.5e-4)
TESTED = cd.SensitiveRun(legform, sensors, end=0.03, dt=6.25e-5, integrator=cd.GeneralizedAlpha(0.9))


# --- the knee -------------------------------------------------------------------------------------------------------


AXIS = np.array((0.0, 0.02))  # about which the femur turns [m]; its sites are measured from there


def drawer(
    acl: float,
    pcl: float,
    acl_slack: float,
    pcl_slack: float,
    flexion: float,
    dt: float,
    method: cd.GeneralizedAlpha | None = None,
) -> dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """How far the tibia is drawn forwards [m] by a force that swings slowly, ±130 N, at an angle of flexion [°]."""
    model = cd.Model("drawer", dimension=2)
    turned = np.radians(flexion)
    back = np.array([[np.cos(turned), np.sin(turned)], [-np.sin(turned), np.cos(turned)]])
    tibia = model.add(cd.RigidBody("tibia", 3.0, inertia=0.05, position=(0.0, 0.0)))
    model.add(cd.Slider("drawer", model.ground, tibia, at=(0.0, 0.0), axis=(1.0, 0.0)))
    sites = {"acl": ((-0.006, 0.003), (0.014, 0.0)), "pcl": ((0.004, -0.002), (-0.026, -0.006))}  # femur, tibia [m]
    for name, stiffness, slack in (("acl", acl, acl_slack), ("pcl", pcl, pcl_slack)):
        femoral, tibial = sites[name]
        path = (cd.Point("ground", tuple(AXIS + back @ femoral)), cd.Point("tibia", tibial))
        model.add(cd.Ligament(name, path, stiffness=stiffness, slack_length=slack))
    slide = f"drawer.{model['drawer'].coordinate_names(2)[0]}"
    model.add(cd.CoordinateSpring("capsule", slide, stiffness=4e3))
    model.add(cd.CoordinateDamper("fluid", slide, damping=400.0))
    model.add(cd.Load("pull", tibia, (130.0, 0.0), scale=cd.Harmonic()))
    result = cd.simulate(model, end=1.0, dt=dt, integrator=method)
    return {"drawer": (result.times, result.position("tibia")[:, 0])}


# --- the leg --------------------------------------------------------------------------------------------------------


def swing(
    flexor: float, extensor: float, quadriceps: float, dt: float = 5e-3, method: cd.GeneralizedAlpha | None = None
) -> dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Angles of hip and knee [rad] over a swing of the leg, by muscles whose excitations are known (segments: winter-1990)."""
    model = cd.Model("leg", dimension=2, gravity=(0.0, -9.81))
    thigh = model.add(cd.RigidBody("thigh", 7.4, inertia=0.13, position=(0.0, -0.17)))
    shank = model.add(cd.RigidBody("shank", 4.5, inertia=0.19, position=(0.0, -0.62)))
    model.add(cd.Pin("hip", model.ground, thigh, at=(0.0, 0.0)))
    model.add(cd.Pin("knee", thigh, shank, at=(0.0, -0.41)))
    rigid: dict[str, Any] = {"tendon": "rigid", "tendon_length": 0.0, "activation_time": None}
    model.add(cd.Muscle("flexor", ((cd.Point("ground", (0.04, 0.10))), cd.Point("thigh", (0.03, 0.02))), flexor,
                        0.25, excitation=cd.Pulse(0.0, 0.2, 0.5), **rigid))  # fmt: skip
    model.add(cd.Muscle("extensor", (cd.Point("ground", (-0.06, 0.06)), cd.Point("thigh", (-0.03, 0.02))), extensor,
                        0.20, excitation=cd.Pulse(0.2, 0.44, 0.3), **rigid))  # fmt: skip
    model.add(cd.Muscle("quadriceps", (cd.Point("thigh", (0.04, 0.0)), cd.Point("shank", (0.04, 0.17))), quadriceps,
                        0.24, excitation=cd.Pulse(0.1, 0.3, 0.05), **rigid))  # fmt: skip
    for joint in ("hip", "knee"):
        model.add(cd.CoordinateDamper(f"{joint} friction", f"{joint}.angle", damping=0.6))
    model.add(cd.Initial("hip at toe-off", "hip.angle", value=-0.25, rate=0.5))
    model.add(cd.Initial("knee at toe-off", "knee.angle", value=-0.6, rate=-3.0))
    result = cd.simulate(model, end=0.3, dt=dt, integrator=method)
    return {joint: (result.times, result.coordinate(f"{joint}.angle")) for joint in ("hip", "knee")}


# --- measured and found again ---------------------------------------------------------------------------------------


def measured(curves: Mapping[str, Any], p: cd.Parameters, number: int, **others: Any) -> list[cd.Measured]:
    """Curves of a finer simulation, at every fourth of its times, with noise; how large it is, is known."""
    random = np.random.default_rng(p.seed + number)
    found = []
    for name, (times, values) in curves.items():
        times, values = np.asarray(times)[::4], np.asarray(values)[::4]
        sigma = p.noise * float(np.std(values))
        found.append(
            cd.Measured(name, times, values + sigma * random.standard_normal(len(times)), sigma=sigma, **others)
        )
    return found


def around(**values: float) -> dict[str, cd.Unknown]:
    """Unknowns that are known to a factor of two; the search begins elsewhere than at the truth."""
    return {name: cd.Unknown(0.5 * value, 2.0 * value, 1.3 * value, log=True) for name, value in values.items()}


def fit(*given: Any, **options: Any) -> cd.Identification:
    """An identification whose doubts are claims here."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cd.IdentificationWarning)
        return cd.identify(*given, **options)


def judged(found: cd.Identification, truth: Mapping[str, float]) -> cd.Outcome:
    """Values over the truth, the widest interval, and how far values are from the truth over half their intervals."""
    halves = {n: 0.5 * np.log(found.intervals[n][1] / found.intervals[n][0]) for n in truth}
    return {
        "values": {n: found.values[n] for n in truth}, "widest": max(halves.values()), "found": found,
        "off": max(abs(np.log(found.values[n] / truth[n])) / halves[n] for n in truth),
    }  # fmt: skip


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """One task after the other."""
    truth = {"bending": p.bending, "shear": p.shear, "rubbing": p.rubbing}
    data = measured(TESTED(**truth), p, 0)
    legs = fit(LEGFORM, around(bending=300.0, shear=1.4e5, rubbing=100.0), data)
    yield {"legform": judged(legs, truth), "data": data}
    knee = {"acl": p.acl, "pcl": p.pcl, "acl_slack": p.acl_slack, "pcl_slack": p.pcl_slack}
    drawn = partial(drawer, dt=p.knee_step)
    other = cd.GeneralizedAlpha(0.9)
    tests = {flexion: drawer(**knee, flexion=flexion, dt=0.25 * p.knee_step, method=other) for flexion in p.flexions}
    curves = [m for k, (f, c) in enumerate(tests.items()) for m in measured(c, p, 1 + k, experiment={"flexion": f})]
    unknowns = around(acl=4500.0, pcl=6000.0) | {
        "acl_slack": cd.Unknown(0.028, 0.036, 0.032, unit="m"), "pcl_slack": cd.Unknown(0.034, 0.044, 0.037, unit="m"),
    }  # fmt: skip
    yield {"knee": judged(fit(drawn, unknowns, curves), knee), "tests": curves}
    strengths = {"flexor": p.flexor, "extensor": p.extensor, "quadriceps": p.quadriceps}
    walked = measured(swing(**strengths, dt=1.25e-3, method=other), p, 9)
    guess = around(flexor=1000.0, extensor=1300.0, quadriceps=2000.0)
    yield {"leg": judged(fit(swing, guess, walked), strengths), "walked": walked}
    if p.more:
        yield {"one angle": judged(fit(drawn, unknowns, curves[:1]), knee)["widest"]}
        exact = fit(LEGFORM, around(bending=300.0, shear=1.4e5, rubbing=100.0), data, gradients="exact")
        half = {n: 0.5 * np.log(legs.intervals[n][1] / legs.intervals[n][0]) for n in truth}
        yield {
            "exact": max(abs(np.log(exact.values[n] / legs.values[n])) / half[n] for n in truth),
            "evaluations": exact.runs / legs.runs,
        }


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Measured and fitted curves of the three tasks."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10.0, 3.0), layout="constrained")
    one, two, three = figure.subplots(1, 3)
    for m, curve in zip(outcome["data"], outcome["legform"]["found"].fitted(), strict=True):
        size = np.abs(curve).max()
        one.plot(1e3 * m.times, m.values / size, ".", color="0.7", markersize=2)
        one.plot(1e3 * m.times, curve / size, label=f"{m.curve}, of {size:.3g}")
    one.set(xlabel="time (ms)", ylabel="sensor, over its largest value", title="legform")
    for m, curve in zip(outcome["tests"], outcome["knee"]["found"].fitted(), strict=True):
        two.plot(1e3 * m.values, 130.0 * np.sin(2.0 * np.pi * m.times), ".", color="0.7", markersize=2)
        two.plot(1e3 * curve, 130.0 * np.sin(2.0 * np.pi * m.times), label=f"{m.experiment['flexion']:g}° of flexion")
    two.set(xlabel="drawer (mm)", ylabel="force (N)", title="laxity of the knee")
    for m, curve in zip(outcome["walked"], outcome["leg"]["found"].fitted(), strict=True):
        three.plot(m.times, np.degrees(m.values), ".", color="0.7", markersize=2)
        three.plot(m.times, np.degrees(curve), label=m.curve)
    three.set(xlabel="time (s)", ylabel="angle (°)", title="swing of the leg")
    for ax in (one, two, three):
        ax.legend(fontsize="x-small")
    return {"limb_identification": figure}


def value(task: str, name: str, outcome: cd.Outcome) -> float:
    """What a task has found."""
    return float(outcome[task]["values"][name])


KNOWN = "known: the measurements are made with it"

CLAIMS = [
    cd.Claim("legform: bending stiffness of the knee", 250.0, partial(value, "legform", "bending"), kind="closed form",
             unit="N m/rad", tolerance=5.0, origin=KNOWN),
    cd.Claim("legform: shear stiffness of the knee", 1.6e5, partial(value, "legform", "shear"), kind="closed form", unit="N/m",
             tolerance=3e3, origin=KNOWN),
    cd.Claim("legform: farthest value from the truth, over half its interval of 95 %", (0.0, 1.6),
             lambda o: o["legform"]["off"], kind="property", origin="three values, of which one may miss by a little"),
    cd.Claim("knee: stiffness of the anterior cruciate ligament", 4000.0, partial(value, "knee", "acl"), kind="closed form",
             unit="N", tolerance=160.0, origin=KNOWN),
    cd.Claim("knee: slack length of the posterior cruciate ligament", 38.5, lambda o: 1e3 * o["knee"]["values"]["pcl_slack"],
             kind="closed form", unit="mm", tolerance=0.2, origin=KNOWN),
    cd.Claim("knee: farthest value from the truth, over half its interval of 95 %", (0.0, 1.6), lambda o: o["knee"]["off"],
             kind="property", origin="four values"),
    cd.Claim("leg: strength of the flexors of the hip", 900.0, partial(value, "leg", "flexor"), kind="closed form", unit="N",
             tolerance=30.0, origin=KNOWN),
    cd.Claim("leg: strength of the extensors of the knee", 2200.0, partial(value, "leg", "quadriceps"), kind="closed form",
             unit="N", tolerance=70.0, origin=KNOWN),
    cd.Claim("leg: farthest value from the truth, over half its interval of 95 %", (0.0, 1.6), lambda o: o["leg"]["off"],
             kind="property", origin="three values"),
    cd.Claim("knee: widest interval from one angle over that from three", "wider",
             lambda o: o["one angle"] / o["knee"]["widest"], kind="relation", sense="above", tolerance=1.2, full_only=True,
             origin="stiffness and slack length pull alike at one angle"),
    cd.Claim("legform: exact gradients apart from differences, over half the interval", "the same", lambda o: o["exact"],
             kind="relation", tolerance=0.01, full_only=True, origin="both searches end at the same place"),
    cd.Claim("legform: evaluations with exact gradients over those with differences", "fewer", lambda o: o["evaluations"],
             kind="relation", tolerance=0.6, full_only=True, origin="one sensitivity instead of six runs"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
