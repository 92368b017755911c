"""Ballistic single stance: the start by shooting, ground reactions, and the muscles that keep the trunk upright.

Hovey's model M1: stance leg, trunk and swing leg move freely for 0.6 s, the trunk held upright. Shooting finds the
rates of the legs at the start; motion, ground reaction and muscle forces are compared with the published numbers. As
the source steps its coupled models, the ground reaction rings at the start; with a consistent start it does not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd

CM = 0.01
RATES = (-90.9089, -0.760229)  # of stance and swing leg at the start, published [°/s]
# Origin in the axes of the trunk, insertion in those of the stance leg [cm] (4.8–4.11).
MUSCLES = {"extensor": ((-6.920, -28.09), (-3.940, 27.58)), "flexor": ((4.790, -28.49), (0.1700, 28.39))}

# Thigh from the vertical [°] over the stride [%], from hip and knee markers of Winter's table A.1, heel strike to heel strike.
# Of these only the extremes, 25 and −18, are also quoted by the source.
WINTER = (
    (0.0, 5.8, 11.6, 17.4, 23.2, 29.0, 34.8, 40.6, 46.4, 52.2, 58.0, 63.8, 69.6, 75.4, 81.2, 87.0, 92.8, 100.0),
    (20.5, 17.2, 17.8, 11.0, 5.0, -1.2, -6.9, -12.8, -16.2, -16.4, -11.8, -2.1, 11.5, 20.0, 25.0, 25.6, 21.6, 21.2),
)


def walker(
    p: cd.Parameters, *, upright: bool = True, guess: tuple[float, ...] = RATES, pinned: bool = True, planted: bool = True,
    sunk: tuple[float, float] = (0.0, 0.0), foot: NDArray[np.float64] | tuple[float, float] = (0.0, 0.0),
    angles: tuple[float, ...] | None = None,
) -> cd.Model:  # fmt: skip
    """Stance leg on the ground, trunk (HAT) at the hip, swing leg; angles ± `p.angle` at the start, or as given, rates [°/s].

    planted: the stance leg meets the ground in a pin; pinned: it meets the trunk in a pin. Without them something else has to
    hold these together, and without the latter `sunk` is the place of the trunk's hip at the start relative to that of the
    leg (2,) [m]. foot: lower end of the stance leg at the start (2,) [m]; the leg turns about the origin.
    """
    model = cd.Model("walker", dimension=2, gravity=(0.0, -9.81))
    angle, other = np.radians(angles or (p.angle, -p.angle))
    up = np.array([-np.sin(angle), np.cos(angle)])
    hip = np.asarray(foot) + p.leg * up
    spin = np.radians(guess)
    stance = model.add(_leg("stance leg", p, foot + (p.leg - p.hip_to_centre) * up, angle))
    turning = spin[0] * np.array([-hip[1], hip[0]])
    hip = hip + np.asarray(sunk)
    trunk = model.add(
        cd.RigidBody("trunk", p.trunk_mass, inertia=p.trunk_inertia, position=hip + np.array([0.0, p.trunk_centre]),
                     outline=[[(0.0, -p.trunk_centre), (0.0, p.trunk_centre)]])
    )  # fmt: skip
    swing = model.add(_leg("swing leg", p, hip + p.hip_to_centre * np.array([np.sin(other), -np.cos(other)]), other))
    if planted:
        model.add(cd.Pin("foot", model.ground, stance, at=foot))
    if pinned:
        model.add(cd.Pin("hip", stance, trunk, at=hip))
    model.add(cd.Pin("swing hip", trunk, swing, at=hip))
    if upright:
        model.add(cd.Rotation("upright", model.ground, trunk, direction_a=(1.0, 0.0), direction_b=(0.0, 1.0)))
    if not (pinned and planted):  # no joint carries the motion of the leg on to the others
        stance.angular_velocity, swing.angular_velocity = float(spin[0]), float(spin[1])
        centre = np.asarray(stance.position or (0.0, 0.0))
        stance.velocity = tuple(spin[0] * np.array([-centre[1], centre[0]]))
        trunk.velocity = tuple(turning)
        arm = np.array(swing.position) - hip
        swing.velocity = tuple(turning + spin[1] * np.array([-arm[1], arm[0]]))
        return model
    model.add(cd.Initial("stance", "foot.angle", rate=spin[0]))
    model.add(cd.Initial("swing", "swing hip.angle", rate=spin[1]))
    if not upright:
        model.add(cd.Initial("still", "hip.angle", rate=-spin[0]))
    return model


def _leg(name: str, p: cd.Parameters, place: NDArray[np.float64], angle: float) -> cd.RigidBody:
    top, bottom = (0.0, p.hip_to_centre), (0.0, p.hip_to_centre - p.leg)
    return cd.RigidBody(
        name, p.leg_mass, inertia=p.leg_inertia, position=place, rotation=angle, outline=[[bottom, top]]
    )  # fmt: skip


def muscle(name: str, force: cd.Table | float = 0.0) -> cd.ForceActuator:
    """One of the straight hip muscles from the trunk to the stance leg; force: a function of time [N]."""
    origin, insertion = (tuple(CM * c for c in end) for end in MUSCLES[name])
    return cd.ForceActuator(name, [cd.Point("trunk", origin), cd.Point("stance leg", insertion)], 1.0, force)


def shoot_start(p: cd.Parameters) -> cd.Shot:
    """Rates at the start with which both legs end where the other one began."""
    turn = -2.0 * np.radians(p.angle)
    return cd.shoot(
        walker(p), {"stance": np.radians(p.guess[0]), "swing": np.radians(p.guess[1])},
        {"foot.angle": turn, "swing hip.angle": -turn}, end=p.end, dt=p.shooting_dt, integrator=cd.RungeKutta(),
        tolerance=1e-10,
    )  # fmt: skip


def run_walk(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """Shooting; motion and ground reaction by Runge–Kutta; the same as the source steps it, and by better rules."""
    shot = shoot_start(p)
    rates = tuple(float(np.degrees(shot.rates[name])) for name in ("stance", "swing"))
    outcome: cd.Outcome = {"rates": rates, "runs": shot.runs}
    ways: dict[str, dict[str, Any]] = {
        "exact": {"integrator": cd.RungeKutta()},
        "as published": as_stepped(),
        "generalized-α": {"integrator": cd.GeneralizedAlpha(0.6)},
    }
    for name, options in ways.items():
        result = context.simulate(name, walker(p, guess=rates), end=p.end, dt=p.dt, **options)
        outcome[name] = history_of(result, p)
    exact = context.results["exact"]
    outcome["exact"] = from_the_start(outcome["exact"], walker(p, guess=rates), p)
    outcome["arms"] = moment_over_arm(exact, outcome["exact"], p)
    outcome["closed"] = {name: cd.inverse_forces(exact, [muscle(name)], "upright")[name] for name in MUSCLES}
    outcome["mass"], outcome["way"] = 2.0 * p.leg_mass + p.trunk_mass, float(np.ptp(exact.position("trunk")[:, 0]))
    outcome["lines"] = _lines(exact, p)
    return outcome


def as_stepped() -> cd.Outcome:
    """How the source steps its coupled models: damped Newmark, of first order, and no acceleration at the start."""
    return {"integrator": cd.Newmark(beta=0.3025, gamma=0.6, hold="positions"), "start": "zero-acceleration"}


def history_of(result: cd.Result, p: cd.Parameters) -> cd.Outcome:
    """Angle [°], its rate [°/s], velocity [m/s] and place [m] of each body, force of the ground and moment on the trunk."""
    legs = {
        leg: {
            "angle": np.degrees(start * np.radians(p.angle) + result.angle(leg)),
            "spin": np.degrees(result.angular_velocity(leg)),
            "velocity": result.velocity(leg),
            "place": result.position(leg),
        }
        for leg, start in (("stance leg", 1.0), ("trunk", 0.0), ("swing leg", -1.0))
    }
    ground = result.joint_force("foot")
    moment = result.multipliers("upright")["rotation"]
    # At the start forces follow from the state; multipliers are recorded from the first step on.
    return legs | {"t": result.times, "force t": result.multiplier_times, "ground": ground, "moment": moment}


def moment_over_arm(result: cd.Result, history: cd.Outcome, p: cd.Parameters) -> cd.Outcome:
    """Moment that keeps the trunk upright over the arm of a muscle about the hip, as the source has it (4.12–4.14)."""
    times, out = history["force t"], {}
    late = np.searchsorted(result.times, times - 1e-9)
    hip = result.position(cd.Point("trunk", (0.0, -p.trunk_centre)))[late]
    for name, ends in MUSCLES.items():
        origin, insertion = (
            result.position(cd.Point(body, tuple(CM * c for c in end)))[late]
            for body, end in zip(("trunk", "stance leg"), ends, strict=True)
        )
        along = (insertion - origin) / np.linalg.norm(insertion - origin, axis=1, keepdims=True)
        lever = origin - hip
        arm = lever[:, 0] * along[:, 1] - lever[:, 1] * along[:, 0]
        # The constraint e₁·d₂ = 0 has the gradient −1 by the angle: its moment on the trunk is +λ.
        out[name] = {"force": history["moment"] / arm, "arm": arm}
    return out


def from_the_start(history: cd.Outcome, model: cd.Model, p: cd.Parameters) -> cd.Outcome:
    """The history with forces at the start, too: those of a run belong to its steps; a step of a microsecond gives them."""
    first = history_of(cd.simulate(model, end=1e-6, dt=1e-6, integrator=cd.RungeKutta()), p)
    return {**history, "force t": np.append(0.0, history["force t"]),
            **{name: np.concatenate((first[name][:1], history[name])) for name in ("ground", "moment")}}  # fmt: skip


def schedule(p: cd.Parameters, result: cd.Result) -> dict[str, cd.Table]:
    """The muscle forces of the source over time (fig. 4.10): what each one needs alone to hold the trunk, where it pulls."""
    history = from_the_start(history_of(result, p), walker(p), p)
    forces = moment_over_arm(result, history, p)
    times = tuple(history["force t"])
    return {name: cd.Table(times, tuple(np.maximum(values["force"], 0.0))) for name, values in forces.items()}


def _lines(result: cd.Result, p: cd.Parameters) -> list[Any]:
    """Foot, hip, head and swing foot at a few instants."""
    points = (cd.Point("stance leg", (0.0, p.hip_to_centre - p.leg)), cd.Point("stance leg", (0.0, p.hip_to_centre)),
              cd.Point("trunk", (0.0, p.trunk_centre)), cd.Point("swing leg", (0.0, p.hip_to_centre - p.leg)))  # fmt: skip
    return [result.position(point) for point in points]


# What a leg or the trunk is asked for: column and component of a history, factor to the unit of the source.
COLUMNS: dict[str, tuple[str, int | None, float, str]] = {
    "angle": ("angle", None, 1.0, "°"),
    "rate": ("spin", None, 1.0, "°/s"),
    "x": ("place", 0, 100.0, "cm"),
    "y": ("place", 1, 100.0, "cm"),
    "forward speed": ("velocity", 0, 100.0, "cm/s"),
    "upward speed": ("velocity", 1, 100.0, "cm/s"),
}


def value_at(history: cd.Outcome, body: str, what: str, t: float) -> float:
    """One of `COLUMNS` of a body at a time [s], in the unit of the source."""
    column, k, factor, _ = COLUMNS[what]
    values = history[body][column]
    return float(factor * np.interp(t, history["t"], values if k is None else values[:, k]))


def leg_claim(
    run: str, body: str, what: str, t: float, reference: float, tolerance: float, origin: str, **options: Any
) -> cd.Claim:
    """A published number of a body at a time, of one run; options as of a claim."""
    return cd.Claim(
        f"{run}: {body}, {what} at {t:g} s", reference, lambda o: value_at(o[run], body, what, t),
        unit=COLUMNS[what][3], tolerance=tolerance, kind="published", origin=origin, **options,
    )  # fmt: skip


def force_at(history: cd.Outcome, t: float, k: int) -> float:
    """Component k of the force of the ground on the foot [N]."""
    return float(np.interp(t, history["force t"], history["ground"][:, k]))


def needed(outcome: cd.Outcome, name: str, t: float) -> float:
    """Force of a muscle alone that keeps the trunk upright [N]."""
    return float(np.interp(t, outcome["exact"]["force t"], outcome["arms"][name]["force"]))


def ringing(history: cd.Outcome, begin: float = 0.0, end: float = np.inf) -> float:
    """How far the vertical ground reaction jumps to and fro from step to step [N]: a quarter of its second difference."""
    t, force = history["force t"], history["ground"][:, 1]
    inside = (t[1:-1] > begin) & (t[1:-1] < end)
    return float(0.25 * np.abs(np.diff(force, 2))[inside].max())


def bend(outcome: cd.Outcome, name: str, begin: float, end: float) -> float:
    """Largest distance of a muscle's force from the straight line between two times, over its largest value there."""
    t = np.linspace(begin, end, 31)
    force = np.array([needed(outcome, name, now) for now in t])
    return float(np.abs(force - np.linspace(force[0], force[-1], 31)).max() / np.abs(force).max())


def stride(outcome: cd.Outcome) -> tuple[Any, Any]:
    """One leg over a whole stride: share of it [%] and angle [°], first as stance leg, then as swing leg."""
    exact = outcome["exact"]
    share = 50.0 * exact["t"] / exact["t"][-1]
    return np.concatenate((share, 50.0 + share)), np.concatenate(
        (exact["stance leg"]["angle"], exact["swing leg"]["angle"])
    )


def thigh_misfit(outcome: cd.Outcome, begin: float, end: float) -> float:
    """Root mean square distance of the leg's angle from Winter's thigh angle between two shares of the stride [°]."""
    share, measured = (np.array(column) for column in WINTER)
    part = (share >= begin) & (share < end)
    return float(np.sqrt(np.mean((np.interp(share, *stride(outcome)) - measured)[part] ** 2)))


def draw_walk(outcome: cd.Outcome, p: cd.Parameters) -> cd.Outcome:
    """Motion strip, kinematics, ground reaction and muscle forces, with the published values."""
    from matplotlib.figure import Figure

    exact, t = outcome["exact"], outcome["exact"]["t"]
    strip = Figure(figsize=(8.4, 3.4))
    panel = strip.subplots()
    foot, hip, head, other = outcome["lines"]
    for k in np.linspace(0, len(t) - 1, 7).round().astype(int):
        shift = np.array([4.0 * t[k] / p.end, 0.0])
        for a, b, colour in ((foot, hip, "C0"), (hip, head, "0.4"), (hip, other, "C1")):
            panel.plot(*(np.array([a[k], b[k]]) + shift).T, color=colour, linewidth=2.0, solid_capstyle="round")
        panel.annotate(
            f"{t[k]:.1f} s", head[k] + shift, (0, 5), textcoords="offset points", ha="center", fontsize="small"
        )
    panel.plot([], [], "C0", label="stance leg")
    panel.plot([], [], "C1", label="swing leg")
    panel.plot([], [], color="0.4", label="trunk")
    panel.set(
        aspect="equal", ylabel="height (m)", xlabel="instants side by side, each shifted along x", ylim=(-0.05, 1.7)
    )
    panel.set_xticks([])
    panel.legend(loc="upper center", bbox_to_anchor=(0.5, 1.2), ncols=3, fontsize="small", frameon=False)

    motion = Figure(figsize=(6.4, 6.4))
    rows = motion.subplots(2, 1, sharex=True)
    for leg, colour in (("stance leg", "C0"), ("swing leg", "C1")):
        rows[0].plot(t, exact[leg]["angle"], color=colour, label=leg)
        rows[1].plot(t, exact[leg]["spin"], color=colour)
    for leg, x, y in (
        ("stance leg", (0, 0.3, 0.6), (-90.9089, -55, -90)),
        ("swing leg", (0, 0.3, 0.6), (-0.76, 100, -0.76)),
    ):
        rows[1].plot(
            x, y, "k" + ("o" if leg == "stance leg" else "s"), markerfacecolor="none", label=f"published, {leg}"
        )
    rows[0].set(ylabel="angle (°)", xlim=(0.0, p.end))
    rows[1].set(ylabel="angular velocity (°/s)", xlabel="time (s)")
    rows[0].legend(loc="center right", fontsize="small")
    rows[1].legend(loc="lower center", bbox_to_anchor=(0.5, 0.26), fontsize="small")

    forces = Figure(figsize=(6.4, 6.4))
    rows = forces.subplots(2, 1, sharex=True)
    for name, line in (("as published", "-"), ("generalized-α", "--"), ("exact", "k:")):
        label = {"as published": "damped Newmark, q̈₀ = 0 (source)", "generalized-α": "generalized-α, consistent start",
                 "exact": "Runge–Kutta"}[name]  # fmt: skip
        for k in range(2):
            rows[k].plot(outcome[name]["force t"], outcome[name]["ground"][:, 1 - k], line, label=label)
    rows[0].plot((0, 0.3, 0.6), (500, 700, 500), "ko", markerfacecolor="none", label="published (read from a plot)")
    rows[1].plot((0, 0.3, 0.6), (-175, 0, 175), "ko", markerfacecolor="none")
    rows[0].plot(0.3, 0.90 * WEIGHT, "ks", markerfacecolor="none", label="Mochon, ballistic walking")
    rows[1].plot((0, 0.3, 0.6), (-0.10 * WEIGHT, 0.0, 0.20 * WEIGHT), "ks", markerfacecolor="none")
    rows[0].axhline(WEIGHT, color="0.7", linewidth=0.8)
    rows[0].annotate("Perry, slow walking, mid-stance: about 1 BW", (0.0, WEIGHT + 5), fontsize="small", color="0.3")
    rows[0].set(ylabel="ground reaction, up (N)", xlim=(-0.01, p.end + 0.01))
    rows[1].set(ylabel="ground reaction, forward (N)", xlabel="time (s)")
    rows[0].legend(loc="lower center", fontsize="small")

    thigh = Figure(figsize=(6.4, 3.8))
    panel = thigh.subplots()
    panel.plot(*stride(outcome), label="leg of the model: stance, then swing")
    panel.plot(*WINTER, "ko", markerfacecolor="none", label="thigh, measured by Winter")
    panel.axvline(50.0, color="0.7", linewidth=0.8)
    panel.set(xlabel="share of the stride (%)", ylabel="angle from the vertical (°)", xlim=(0, 100), ylim=(-26, 36))
    panel.legend(loc="upper center", ncols=2, fontsize="small")

    pull = Figure(figsize=(6.4, 4.0))
    panel = pull.subplots()
    for (name, values), colour in zip(outcome["arms"].items(), ("C0", "C1"), strict=True):
        panel.plot(exact["force t"], values["force"], color=colour, label=f"{name}, moment over arm (source)")
        panel.plot(t, outcome["closed"][name], "--", color=colour, label=f"{name}, with its reaction on the leg")
    panel.plot((0.0, 0.6), (883.0, 1785.0), "ko", markerfacecolor="none", label="published: 883 N, 1785 N")
    panel.axhline(0.0, color="0.6", linewidth=0.8)
    panel.set(xlabel="time (s)", ylabel="muscle force that keeps the trunk upright (N)", xlim=(-0.01, p.end + 0.01))
    panel.legend(loc="upper left", fontsize="small")
    return {
        "walk_strip": strip,
        "walk_motion": motion,
        "walk_ground": forces,
        "walk_thigh": thigh,
        "walk_muscles": pull,
    }


BODY = {
    "angle": cd.Parameter(20.0, "angle of the legs at the start", "°"),
    "leg": cd.Parameter(0.898, "length of a leg", "m"),
    "hip_to_centre": cd.Parameter(0.3364, "from the hip to the mass centre of a leg", "m"),
    "leg_mass": cd.Parameter(11.72, "mass of a leg", "kg"),
    "leg_inertia": cd.Parameter(0.7479, "moment of inertia of a leg", "kg m²"),
    "trunk_mass": cd.Parameter(54.23, "mass of head, arms and trunk", "kg"),
    "trunk_inertia": cd.Parameter(3.84, "moment of inertia of head, arms and trunk", "kg m²"),
    "trunk_centre": cd.Parameter(0.295, "from the hip up to their mass centre", "m"),
    "dt": cd.Parameter(0.01, "time step", "s"),
    "end": cd.Parameter(0.6, "time of single stance", "s"),
}

WEIGHT = 77.67 * 9.81

FIGURES = "section 5.2.1, figures 5.1 to 5.3, read to 5 units"
GROUND = "section 5.2.1, figure 5.4"
STATED = "section 5.2.1, printed"
# Places [cm] and velocities [cm/s] at the start (4.1–4.7), as printed.
START = (
    ("stance leg", "x", "-19.2079"), ("stance leg", "y", "52.7731"), ("trunk", "x", "-30.7134"), ("trunk", "y", "113.8844"),
    ("swing leg", "x", "-42.219"), ("swing leg", "y", "52.7731"), ("stance leg", "forward speed", "83.733"),
    ("stance leg", "upward speed", "30.4763"), ("trunk", "forward speed", "133.889"), ("trunk", "upward speed", "48.7317"),
    ("swing leg", "forward speed", "133.47"), ("swing leg", "upward speed", "48.8844"),
)  # fmt: skip


ROUNDED = cd.Differs("the source reads 700 N from its plot, and 0.92 of the weight; 716 N are 0.94 of it", 715.5, 717.0)
KNEE = "a walker with a knee in its swing leg, and with a mass for its trunk"


def ground_claim(
    way: str, k: int, t: float, value: float, tolerance: float, differs: cd.Differs | None = None
) -> cd.Claim:
    """A published component of the ground reaction of the exact run at a time."""
    return cd.Claim(
        f"exact: ground reaction {way} at {t:g} s", value, lambda o: force_at(o["exact"], t, k), unit="N",
        tolerance=tolerance, kind="published", origin=f"{GROUND}, read to {2 * tolerance:g} N", differs=differs,
    )  # fmt: skip


def mochon_claim(what: str, computed: Callable[[cd.Outcome], float], share: float, low: float, high: float) -> cd.Claim:
    """What the source quotes of Mochon's ballistic walker, over the weight."""
    return cd.Claim(
        f"ground reaction {what} over the weight, beside Mochon's ballistic walker", share, computed, tolerance=0.005,
        kind="reference", origin="Mochon 1981, quoted in section 5.3", differs=cd.Differs(KNEE, low, high),
    )  # fmt: skip


def thigh_claim(
    which: str, measured: float, computed: Callable[[cd.Outcome], float], low: float, high: float
) -> cd.Claim:
    """An extreme of the thigh's angle that Winter measured, beside that of a leg [°]."""
    return cd.Claim(
        f"{which} angle of a leg, beside Winter's thigh", measured, computed, unit="°", tolerance=0.5, kind="published",
        origin="section 5.3, figure 5.19: closely predicts it",
        differs=cd.Differs("the legs begin and end at 20°, which the source chose between the two", low, high),
    )  # fmt: skip


def half_digit(text: str) -> float:
    """Half a unit of the last printed digit."""
    return 0.5 * 10.0 ** -len(text.partition(".")[2])


PARAMETERS = BODY | {
    "guess": cd.Parameter((-80.0, 20.0), "first guess of the rates", "°/s"),
    "shooting_dt": cd.Parameter(0.01, "time step of shooting", "s"),
}  # fmt: skip
INPUTS = ("angle", "leg", "hip_to_centre", "leg_mass", "leg_inertia", "trunk_mass", "trunk_centre")

CLAIMS = [
    cd.Claim("shooting: rate of the stance leg", -90.9089, lambda o: o["rates"][0], unit="°/s", tolerance=5e-5,
             kind="published", origin="table 4.2"),
    cd.Claim("shooting: rate of the swing leg", -0.760229, lambda o: o["rates"][1], unit="°/s", tolerance=5e-7,
             kind="published", origin="table 4.2",
             differs=cd.Differs("its last digit is that of the source's own shooting: −0.760228 in steps of 0.01 s, "
                                "−0.760232 in short ones", -0.760228, -0.760227)),
    cd.Claim("shooting: rate of the stance leg in rad/s", -1.58666, lambda o: np.radians(o["rates"][0]), unit="rad/s",
             tolerance=5e-6, kind="published", origin="table 4.2"),
    cd.Claim("shooting: rate of the swing leg in rad/s", -0.01326585, lambda o: np.radians(o["rates"][1]), unit="rad/s",
             tolerance=5e-9, kind="published", origin="table 4.2",
             differs=cd.Differs("a slip of digits: the rate printed in °/s is −0.0132685 rad/s", -0.013269, -0.013268)),
    *(leg_claim("exact", body, what, 0.0, float(text), half_digit(text), "equations 4.1 to 4.7")
      for body, what, text in START),
    cd.Claim("mass of the model", 77.67, lambda o: o["mass"], unit="kg", tolerance=0.005, kind="published",
             origin="section 4.3.3"),
    cd.Claim("weight of the model", 762.0, lambda o: 9.81 * o["mass"], unit="N", tolerance=0.5, kind="published",
             origin="section 4.3.3"),
    *(leg_claim("exact", leg, what, t, value, tolerance, origin) for leg, what, t, value, tolerance, origin in (
        ("stance leg", "angle", 0.3, 0.0, 0.5, STATED),
        ("stance leg", "rate", 0.3, -55.0, 2.5, FIGURES),
        ("stance leg", "rate", 0.6, -90.0, 2.5, FIGURES),
        ("stance leg", "x", 0.3, 0.0, 0.5, STATED),
        ("stance leg", "y", 0.3, 56.16, 0.005, STATED),
        ("stance leg", "forward speed", 0.3, 55.0, 2.5, FIGURES),
        ("stance leg", "forward speed", 0.6, 85.0, 2.5, FIGURES),
        ("stance leg", "upward speed", 0.3, 0.0, 0.5, STATED),
        ("stance leg", "upward speed", 0.6, -30.0, 2.5, FIGURES),
        ("swing leg", "angle", 0.3, 0.0, 0.5, STATED),
        ("swing leg", "rate", 0.6, -0.76, 0.005, STATED),
        ("swing leg", "x", 0.3, 0.0, 0.5, STATED),
        ("swing leg", "y", 0.3, 56.16, 0.005, STATED),
        ("swing leg", "forward speed", 0.3, 148.0, 0.5, STATED),
        ("swing leg", "forward speed", 0.6, 133.0, 0.5, STATED),
        ("swing leg", "upward speed", 0.3, 0.0, 0.5, STATED),
        ("swing leg", "upward speed", 0.6, -50.0, 2.5, FIGURES),
    )),
    leg_claim("exact", "swing leg", "rate", 0.3, 100.0, 5.0, "section 5.2.1, figure 5.3, read to 10 °/s",
              differs=cd.Differs("read from one plot of M1 and M2; M2, by a rule of first order, has 104 °/s",
                                 106.5, 107.0)),
    leg_claim("as published", "swing leg", "rate", 0.3, 100.0, 5.0, "section 5.2.1, figure 5.3, read to 10 °/s"),
    *(ground_claim(*row) for row in (
        ("up", 1, 0.0, 500.0, 5.0), ("up", 1, 0.3, 700.0, 5.0, ROUNDED), ("up", 1, 0.6, 500.0, 5.0),
        ("forward", 0, 0.0, -175.0, 2.5), ("forward", 0, 0.3, 0.0, 2.5), ("forward", 0, 0.6, 175.0, 2.5))),
    cd.Claim("exact: largest ground reaction up over the weight", 0.92,
             lambda o: o["exact"]["ground"][:, 1].max() / WEIGHT, tolerance=0.005, kind="published", origin="section 5.3",
             differs=cd.Differs(ROUNDED.reason, 0.938, 0.942)),
    cd.Claim("exact: ground reaction backward at 0 s over the weight", 0.23,
             lambda o: -force_at(o["exact"], 0.0, 0) / WEIGHT, tolerance=0.005, kind="published", origin="section 5.3"),
    cd.Claim("exact: ground reaction forward at 0.6 s over the weight", 0.23,
             lambda o: force_at(o["exact"], 0.6, 0) / WEIGHT, tolerance=0.005, kind="published", origin="section 5.3"),
    cd.Claim("exact: way of the hip", 61.4258, lambda o: o["way"] / CM, unit="cm", tolerance=5e-5, kind="published",
             origin="section 5.3, 2 sin 20° · 89.8 cm",
             differs=cd.Differs("a slip of a digit: the product that is printed beside it is 61.4268", 61.4266, 61.4270)),
    cd.Claim("exact: walking speed", 1.0238, lambda o: o["way"] / o["exact"]["t"][-1], unit="m/s", tolerance=5e-5,
             kind="published", origin="section 5.3"),
    cd.Claim("force of the extensor alone at the start", 883.0, lambda o: needed(o, "extensor", 0.0), unit="N",
             tolerance=0.5, kind="published", origin="section 4.4.2, figure 4.8"),
    cd.Claim("force of the extensor alone at 0.3 s", 0.0, lambda o: needed(o, "extensor", 0.3), unit="N", tolerance=0.5,
             kind="published", origin="section 4.4.2, figure 4.8"),
    cd.Claim("force of the flexor alone at the end", 1785.0, lambda o: needed(o, "flexor", 0.6), unit="N", tolerance=0.5,
             kind="published", origin="section 4.4.2, figure 4.9"),
    cd.Claim("force of the flexor alone at the start, over the weight", "pushes",
             lambda o: needed(o, "flexor", 0.0) / WEIGHT, tolerance=-1.0, kind="published",
             origin="section 4.4.2, figure 4.9: negative"),
    cd.Claim("force of the extensor: distance from a straight line to 0.3 s, over 883 N", "nearly linear",
             lambda o: bend(o, "extensor", 0.0, 0.3), tolerance=0.1, kind="published", origin="section 4.4.2, figure 4.8"),
    cd.Claim("force of the flexor: distance from a straight line from 0.3 s on, over 1785 N", "nearly linear",
             lambda o: bend(o, "flexor", 0.3, 0.6), tolerance=0.1, kind="published", origin="section 4.4.2, figure 4.9"),
    cd.Claim("generalized-α, consistent start: jumps of the ground reaction", "none", lambda o: ringing(o["generalized-α"]),
             unit="N", tolerance=0.5, kind="property", origin="second order with a consistent start"),
    mochon_claim("up, largest", lambda o: o["exact"]["ground"][:, 1].max() / WEIGHT, 0.90, 0.938, 0.942),
    mochon_claim("backward at the start", lambda o: -force_at(o["exact"], 0.0, 0) / WEIGHT, 0.10, 0.225, 0.229),
    mochon_claim("forward at the end", lambda o: force_at(o["exact"], 0.6, 0) / WEIGHT, 0.20, 0.225, 0.229),
    cd.Claim("ground reaction up at 0.3 s over the weight, below that of slow walking", (0.9, 1.0),
             lambda o: force_at(o["exact"], 0.3, 1) / WEIGHT, kind="published",
             origin="section 5.3, figure 5.18: nearly one body weight (Perry)"),
    thigh_claim("largest", 25.0, lambda o: float(stride(o)[1].max()), 19.8, 20.2),
    thigh_claim("smallest", -18.0, lambda o: float(stride(o)[1].min()), -20.2, -19.8),
    cd.Claim("distance from Winter's thigh angle in swing over that in stance", "larger",
             lambda o: thigh_misfit(o, 50.0, 100.0) / thigh_misfit(o, 0.0, 50.0), tolerance=1.5, sense="above",
             kind="published", origin="section 5.3, figure 5.19: significant differences in swing, for want of a knee"),
    cd.Claim("as the source steps M2: jumps of the ground reaction over those with a consistent start", "rings",
             lambda o: ringing(o["as published"]) / ringing(o["generalized-α"]), tolerance=100.0, sense="above",
             kind="relation", origin="no acceleration at the start excites what the joints hold"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), name="hovey-walk", source="hovey-2000", run=run_walk, figures=draw_walk)
