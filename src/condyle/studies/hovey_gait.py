"""Hovey's gait models without a liner: half a stride found by shooting, and the muscles that keep the trunk upright."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import condyle as cd

CM = 0.01
RATES = (-90.9089, -0.760229)  # of stance and swing leg at the start, published [°/s]
EXTENSOR = ((-6.920, -28.09), (-3.940, 27.58))  # origin in trunk axes, insertion in axes of the stance leg [cm]
FLEXOR = ((4.790, -28.49), (0.1700, 28.39))
PUBLISHED = "Hovey 2000, chapter 5"

# Thigh from the vertical [°] over the stride [%], from hip and knee markers of Winter's table A.1, heel strike to heel strike.
# Of these only the extremes, 25 and −18, are also quoted by the source.
WINTER = (
    (0.0, 5.8, 11.6, 17.4, 23.2, 29.0, 34.8, 40.6, 46.4, 52.2, 58.0, 63.8, 69.6, 75.4, 81.2, 87.0, 92.8, 100.0),
    (20.5, 17.2, 17.8, 11.0, 5.0, -1.2, -6.9, -12.8, -16.2, -16.4, -11.8, -2.1, 11.5, 20.0, 25.0, 25.6, 21.6, 21.2),
)


def walker(
    p: Any, *, upright: bool = True, guess: tuple[float, ...] = RATES, pinned: bool = True, planted: bool = True,
    sunk: Any = (0.0, 0.0), foot: Any = (0.0, 0.0), angles: tuple[float, ...] | None = None,
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
        stance.velocity = tuple(spin[0] * np.array([-stance.position[1], stance.position[0]]))
        trunk.velocity = tuple(turning)
        arm = np.array(swing.position) - hip
        swing.velocity = tuple(turning + spin[1] * np.array([-arm[1], arm[0]]))
        return model
    model.add(cd.Initial("stance", "foot.angle", rate=spin[0]))
    model.add(cd.Initial("swing", "swing hip.angle", rate=spin[1]))
    if not upright:
        model.add(cd.Initial("still", "hip.angle", rate=-spin[0]))
    return model


def _leg(name: str, p: Any, place: Any, angle: float) -> cd.RigidBody:
    top, bottom = (0.0, p.hip_to_centre), (0.0, p.hip_to_centre - p.leg)
    return cd.RigidBody(
        name, p.leg_mass, inertia=p.leg_inertia, position=place, rotation=angle, outline=[[bottom, top]]
    )  # fmt: skip


def muscle(name: str, ends: Any, force: Any = 0.0) -> cd.ForceActuator:
    """A straight hip muscle from the trunk to the stance leg; force: a function of time [N]."""
    origin, insertion = (tuple(CM * c for c in end) for end in ends)
    return cd.ForceActuator(name, [cd.Point("trunk", origin), cd.Point("stance leg", insertion)], 1.0, force)


def shoot_start(p: Any) -> cd.Shot:
    """Rates at the start with which both legs end where the other one began."""
    turn = -2.0 * np.radians(p.angle)
    return cd.shoot(
        walker(p), {"stance": np.radians(p.guess[0]), "swing": np.radians(p.guess[1])},
        {"foot.angle": turn, "swing hip.angle": -turn}, end=p.end, dt=p.shooting_dt, integrator=cd.RungeKutta(),
        tolerance=1e-10,
    )  # fmt: skip


def run_walk(p: Any, context: cd.Context) -> dict[str, Any]:
    """Shooting; motion and ground reaction by Runge–Kutta; the same as the source steps it, and by better rules."""
    shot = shoot_start(p)
    rates = tuple(float(np.degrees(shot.rates[name])) for name in ("stance", "swing"))
    outcome: dict[str, Any] = {"rates": rates, "runs": shot.runs}
    ways: dict[str, tuple[Any, str]] = {
        "exact": (cd.RungeKutta(), "consistent"),
        "as published": (cd.Newmark(beta=0.3025, gamma=0.6, hold="positions"), "zero-acceleration"),
        "generalized-α": (cd.GeneralizedAlpha(0.6), "consistent"),
    }
    for name, (method, start) in ways.items():
        result = context.simulate(name, walker(p, guess=rates), end=p.end, dt=p.dt, integrator=method, start=start)
        outcome[name] = history_of(result, p)
    outcome["arms"] = moment_over_arm(context.results["exact"], outcome["exact"])
    outcome["closed"] = {
        name: cd.inverse_forces(context.results["exact"], [muscle(name, ends)], "upright")[name]
        for name, ends in (("extensor", EXTENSOR), ("flexor", FLEXOR))
    }
    outcome["place"] = {b: context.results["exact"].position(b) for b in ("stance leg", "trunk", "swing leg")}
    outcome["lines"] = _lines(context.results["exact"], p)
    outcome["hip"] = np.linalg.norm(context.results["exact"].joint_force("hip"), axis=1)
    return outcome


def history_of(result: Any, p: Any) -> dict[str, Any]:
    legs = {
        leg: {
            "angle": np.degrees(start * np.radians(p.angle) + result.angle(leg)),
            "spin": np.degrees(result.angular_velocity(leg)),
            "velocity": result.velocity(leg),
            "place": result.position(leg),
        }
        for leg, start in (("stance leg", 1.0), ("swing leg", -1.0))
    }
    ground = result.joint_force("foot")
    moment = result.multipliers("upright")["rotation"]
    # At the start forces follow from the state; multipliers are recorded from the first step on.
    return legs | {"t": result.times, "force t": result.multiplier_times, "ground": ground, "moment": moment}


def moment_over_arm(result: Any, history: Mapping[str, Any]) -> dict[str, Any]:
    """Moment that keeps the trunk upright over the arm of a muscle about the hip, as the source has it (4.12–4.14)."""
    times, out = history["force t"], {}
    late = np.searchsorted(result.times, times - 1e-9)
    hip = result.position(cd.Point("trunk", (0.0, -29.50 * CM)))[late]
    for name, ends in (("extensor", EXTENSOR), ("flexor", FLEXOR)):
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


def _lines(result: Any, p: Any) -> list[Any]:
    """Foot, hip, head and swing foot at a few instants."""
    points = (cd.Point("stance leg", (0.0, p.hip_to_centre - p.leg)), cd.Point("stance leg", (0.0, p.hip_to_centre)),
              cd.Point("trunk", (0.0, p.trunk_centre)), cd.Point("swing leg", (0.0, p.hip_to_centre - p.leg)))  # fmt: skip
    return [result.position(point) for point in points]


def at_time(history: Mapping[str, Any], t: float) -> int:
    """The recorded force nearest to a time."""
    return int(np.argmin(np.abs(history["force t"] - t)))


def middle(outcome: Mapping[str, Any], leg: str, what: str, k: Any = None) -> float:
    """A quantity of a leg half way through the exact run."""
    history = outcome["exact"]
    values = history[leg][what][len(history["t"]) // 2]
    return float(values if k is None else values[k])


def extrapolated(times: Any, values: Any, t: float) -> float:
    """Values at the ends of the run, where forces of steps do not reach, by a parabola through the nearest three."""
    near = np.argsort(np.abs(times - t))[:3]
    return float(np.polyval(np.polyfit(times[near] - t, values[near], 2), 0.0))


def ground_at(outcome: Mapping[str, Any], t: float, k: int, way: str = "exact") -> float:
    """Component k of the force of the ground on the foot [N]."""
    return extrapolated(outcome[way]["force t"], outcome[way]["ground"][:, k], t)


def ringing(outcome: Mapping[str, Any], way: str) -> float:
    """Largest distance of the vertical ground reaction from the exact one in the first 0.05 s [N]."""
    early = outcome[way]["force t"] <= 0.05
    exact = np.interp(outcome[way]["force t"], outcome["exact"]["force t"], outcome["exact"]["ground"][:, 1])
    return float(np.abs(outcome[way]["ground"][:, 1] - exact)[early].max())


def stride(outcome: Mapping[str, Any]) -> tuple[Any, Any]:
    """One leg over a whole stride: share of it [%] and angle [°], first as stance leg, then as swing leg."""
    exact = outcome["exact"]
    share = 50.0 * exact["t"] / exact["t"][-1]
    return np.concatenate((share, 50.0 + share)), np.concatenate(
        (exact["stance leg"]["angle"], exact["swing leg"]["angle"])
    )


def thigh_misfit(outcome: Mapping[str, Any], begin: float, end: float) -> float:
    """Root mean square distance of the leg's angle from Winter's thigh angle between two shares of the stride [°]."""
    share, measured = (np.array(column) for column in WINTER)
    part = (share >= begin) & (share < end)
    return float(np.sqrt(np.mean((np.interp(share, *stride(outcome)) - measured)[part] ** 2)))


def draw_walk(outcome: Mapping[str, Any], p: Any) -> dict[str, Any]:
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

WALK = cd.Study(
    name="hovey-walk",
    title="Ballistic single stance: the start by shooting, ground reactions, and the muscles that keep the trunk upright",
    source="hovey-2000",
    summary=(
        "Hovey's model M1: stance leg, trunk and swing leg move freely for 0.6 s, the trunk held upright. Shooting finds "
        "the rates of the legs at the start; motion, ground reaction and muscle forces are compared with the published "
        "numbers. As the source steps it, the ground reaction rings at the start; with a consistent start it does not."
    ),
    parameters=BODY | {
        "guess": cd.Parameter((-80.0, 20.0), "first guess of the rates", "°/s"),
        "shooting_dt": cd.Parameter(0.01, "time step of shooting", "s"),
    },
    run=run_walk,
    claims=[
        cd.Claim("shooting: rate of the stance leg", -90.9089, lambda o: o["rates"][0], unit="°/s", tolerance=2e-4,
                 origin="Hovey 2000, table 4.2"),
        cd.Claim("shooting: rate of the swing leg", -0.760229, lambda o: o["rates"][1], unit="°/s", tolerance=2e-4,
                 origin="Hovey 2000, table 4.2"),
        cd.Claim("stance leg at the end", -20.0, lambda o: o["exact"]["stance leg"]["angle"][-1], unit="°", tolerance=1e-3,
                 origin=PUBLISHED),
        cd.Claim("swing leg at the end", 20.0, lambda o: o["exact"]["swing leg"]["angle"][-1], unit="°", tolerance=1e-3,
                 origin=PUBLISHED),
        cd.Claim("stance leg, angular velocity at 0.3 s", -55.0, lambda o: middle(o, "stance leg", "spin"), unit="°/s",
                 tolerance=2.0, origin=f"{PUBLISHED}, read from a plot"),
        cd.Claim("stance leg, angular velocity at 0.6 s", -90.0, lambda o: o["exact"]["stance leg"]["spin"][-1], unit="°/s",
                 tolerance=2.0, origin=f"{PUBLISHED}, read from a plot"),
        cd.Claim("swing leg, angular velocity at 0.3 s", 100.0, lambda o: middle(o, "swing leg", "spin"), unit="°/s",
                 tolerance=8.0, origin=f"{PUBLISHED}, read from a plot"),
        cd.Claim("stance leg, forward speed at 0.3 s", 0.55, lambda o: middle(o, "stance leg", "velocity", 0), unit="m/s",
                 tolerance=0.03, origin=f"{PUBLISHED}, read from a plot"),
        cd.Claim("swing leg, forward speed at 0.3 s", 1.48, lambda o: middle(o, "swing leg", "velocity", 0), unit="m/s",
                 tolerance=0.005, origin=PUBLISHED),
        cd.Claim("swing leg, forward speed at 0.6 s", 1.33, lambda o: o["exact"]["swing leg"]["velocity"][-1, 0], unit="m/s",
                 tolerance=0.01, origin=PUBLISHED),
        cd.Claim("stance leg, height of its centre at 0.3 s", 0.5616, lambda o: middle(o, "stance leg", "place", 1), unit="m",
                 tolerance=1e-4, origin=PUBLISHED),
        cd.Claim("ground reaction up at the start", 500.0, lambda o: ground_at(o, 0.0, 1), unit="N", tolerance=10.0,
                 origin=f"{PUBLISHED}, read from a plot"),
        cd.Claim("ground reaction up at 0.3 s", 700.0, lambda o: ground_at(o, 0.3, 1), unit="N", tolerance=20.0,
                 origin=f"{PUBLISHED}, read from a plot: 92 % of the weight"),
        cd.Claim("ground reaction up at 0.3 s over the weight", (0.90, 0.95), lambda o: ground_at(o, 0.3, 1) / WEIGHT,
                 origin=f"{PUBLISHED}: 0.92; Mochon and McMahon: 0.90"),
        cd.Claim("ground reaction forward at the start", -175.0, lambda o: ground_at(o, 0.0, 0), unit="N", tolerance=5.0,
                 origin=f"{PUBLISHED}: 23 % of the weight"),
        cd.Claim("ground reaction forward at the end", 175.0, lambda o: ground_at(o, p_end(o), 0), unit="N", tolerance=5.0,
                 origin=f"{PUBLISHED}: 23 % of the weight"),
        cd.Claim("ground reaction up at 0.3 s over that of slow walking", 1.0, lambda o: ground_at(o, 0.3, 1) / WEIGHT,
                 tolerance=0.1, origin="Perry 1992: about one body weight in mid-stance"),
        cd.Claim("ground reaction forward at 0.3 s over the weight", 0.0, lambda o: ground_at(o, 0.3, 0) / WEIGHT,
                 tolerance=1e-3, origin="Mochon 1981: 0 at mid-stance"),
        cd.Claim("ground reaction forward at the end over the weight", 0.20, lambda o: ground_at(o, p_end(o), 0) / WEIGHT,
                 tolerance=0.04, origin="Mochon 1981: about 0.20"),
        cd.Claim("ground reaction backward at the start over the weight, above Mochon's 0.10", (0.20, 0.25),
                 lambda o: -ground_at(o, 0.0, 0) / WEIGHT, origin=f"{PUBLISHED}: 0.23; Mochon's swing leg has a knee"),
        cd.Claim("largest angle of the leg", 25.0, lambda o: stride(o)[1].max(), unit="°", tolerance=6.0,
                 origin="Winter 1990: thigh +25"),
        cd.Claim("smallest angle of the leg", -18.0, lambda o: stride(o)[1].min(), unit="°", tolerance=3.0,
                 origin="Winter 1990: thigh −18"),
        cd.Claim("distance from Winter's thigh angle in stance", (2.0, 7.0), lambda o: thigh_misfit(o, 0.0, 50.0), unit="°",
                 origin=f"{PUBLISHED}: the same trend"),
        cd.Claim("distance from Winter's thigh angle in swing over that in stance", "larger",
                 lambda o: thigh_misfit(o, 50.0, 100.0) / thigh_misfit(o, 0.0, 50.0), tolerance=1.5, sense="above",
                 origin=f"{PUBLISHED}: significant differences in swing, for want of a knee"),
        cd.Claim("hip force at 0.3 s over the weight, without muscles", (0.7, 0.9),
                 lambda o: o["hip"][at_time(o["exact"], 0.3)] / WEIGHT, origin="Bergmann et al. 1993 measured 2.8–4.8"),
        cd.Claim("extensor force at the start, moment over arm", 883.0,
                 lambda o: extrapolated(o["exact"]["force t"], o["arms"]["extensor"]["force"], 0.0), unit="N", tolerance=2.0,
                 origin="Hovey 2000, section 4.4"),
        cd.Claim("flexor force at the end, moment over arm", 1785.0,
                 lambda o: extrapolated(o["exact"]["force t"], o["arms"]["flexor"]["force"], p_end(o)), unit="N", tolerance=3.0,
                 origin="Hovey 2000, section 4.4"),
        cd.Claim("extensor force at 0.3 s", 0.0, lambda o: o["arms"]["extensor"]["force"][at_time(o["exact"], 0.3)], unit="N",
                 tolerance=1.0, origin="Hovey 2000, section 4.4: zero at 0.30 s"),
        cd.Claim("as the source steps it: ringing of the ground reaction", (50.0, 150.0), lambda o: ringing(o, "as published"),
                 unit="N", origin=f"{PUBLISHED}: oscillates until about 0.05 s"),
        cd.Claim("generalized-α, consistent start: ringing", "gone", lambda o: ringing(o, "generalized-α"), unit="N",
                 tolerance=1.0, origin="second order with a consistent start"),
    ],
    figures=draw_walk,
)  # fmt: skip


def p_end(outcome: Mapping[str, Any]) -> float:
    """The end of the exact run [s]."""
    return float(outcome["exact"]["t"][-1])


# --- M3: the muscles in action ----------------------------------------------------------------------------------------


def run_muscles(p: Any, context: cd.Context) -> dict[str, Any]:
    """Three readings: the schedule with the trunk still held, closed-loop muscles, and the schedule with a free trunk."""
    plain = context.simulate("without muscles", walker(p), end=p.end, dt=p.dt, integrator=cd.RungeKutta())
    forces = moment_over_arm(plain, history_of(plain, p))
    times = np.concatenate(([0.0], plain.multiplier_times))
    schedule = {}
    for name, values in forces.items():
        first = extrapolated(plain.multiplier_times, values["force"], 0.0)
        schedule[name] = np.maximum(np.concatenate(([first], values["force"])), 0.0)
    outcome: dict[str, Any] = {"schedule t": times, "schedule": schedule, "without": _motion(plain, p)}
    for reading, upright in (("schedule, trunk held", True), ("schedule, trunk free", False)):
        model = walker(p, upright=upright)
        for name, ends in (("extensor", EXTENSOR), ("flexor", FLEXOR)):
            model.add(muscle(name, ends, cd.Table(tuple(times), tuple(schedule[name]))))
        result = context.simulate(reading, model, end=p.end, dt=p.dt)
        outcome[reading] = _motion(result, p)
    outcome["closed loop"] = closed_loop(p, context)
    return outcome


def _motion(result: Any, p: Any) -> dict[str, Any]:
    return {
        "t": result.times, "trunk": np.degrees(result.angle("trunk")),
        "stance spin": np.degrees(result.angular_velocity("stance leg")), "swing speed": result.velocity("swing leg")[:, 0],
        "hip t": result.multiplier_times, "hip": np.linalg.norm(result.joint_force("hip"), axis=1),
        "ground": result.joint_force("foot"),
    }  # fmt: skip


def closed_loop(p: Any, context: cd.Context) -> dict[str, Any]:
    """The motion in which muscles alone keep the trunk upright, their reaction on the leg included.

    The constraint holds the trunk while the muscles take over what it carries, run after run, until nothing is left to it.
    """
    muscles = {"extensor": EXTENSOR, "flexor": FLEXOR}
    times = np.arange(0.0, p.end + 0.5 * p.dt, p.dt)
    force = {name: np.zeros(len(times)) for name in muscles}
    left = []
    for k in range(p.passes):
        model = walker(p)
        for name, ends in muscles.items():
            model.add(muscle(name, ends, cd.Table(tuple(times), tuple(force[name]))))
        result = context.simulate(f"closed loop, run {k}", model, end=p.end, dt=p.dt, integrator=cd.RungeKutta())
        more = {
            name: cd.inverse_forces(result, [muscle(name, ends)], "upright")[name] for name, ends in muscles.items()
        }
        left.append(float(np.abs(more["extensor"]).max()))
        for name, other in (("extensor", "flexor"), ("flexor", "extensor")):
            acting = force[other] <= 0.0
            more[name] = np.where(acting, np.maximum(force[name] + more[name], 0.0), 0.0)
        force = more
    carried = result.joint_force("hip")
    return _motion(result, p) | {"force t": times, "force": force, "left": left, "carried": carried}


def draw_muscles(outcome: Mapping[str, Any], p: Any) -> dict[str, Any]:
    """Muscle forces, trunk angle and hip force of the readings."""
    from matplotlib.figure import Figure

    readings = {"schedule, trunk held": "-", "closed loop": "--", "schedule, trunk free": "-."}
    figure = Figure(figsize=(6.4, 8.6))
    top, middle_panel, bottom = figure.subplots(3, 1, sharex=True)
    for name, colour in (("extensor", "C0"), ("flexor", "C1")):
        top.plot(outcome["schedule t"], outcome["schedule"][name], color=colour, label=f"{name}, schedule (source)")
        top.plot(outcome["closed loop"]["force t"], outcome["closed loop"]["force"][name], "--", color=colour,
                 label=f"{name}, closed loop")  # fmt: skip
    top.plot((0.0, 0.6), (883.0, 1785.0), "ko", markerfacecolor="none", label="published")
    top.set(ylabel="muscle force (N)", xlim=(-0.01, p.end + 0.01))
    top.legend(loc="upper center", fontsize="small")
    for name, line in readings.items():
        middle_panel.plot(outcome[name]["t"], outcome[name]["swing speed"], line, label=name)
        bottom.plot(outcome[name]["hip t"], outcome[name]["hip"] / WEIGHT, line, label=name)
    middle_panel.plot(0.3, 1.50, "ko", markerfacecolor="none", label="published, rigid (M3)")
    middle_panel.plot(0.3, 1.57, "ks", markerfacecolor="none", label="published, coupled (M4)")
    middle_panel.set(ylabel="forward speed of the swing leg (m/s)")
    middle_panel.legend(loc="upper left", fontsize="small")
    bottom.axhspan(2.8, 4.8, color="0.9", label="measured, Bergmann et al. (2.8–4.8)")
    bottom.set(xlabel="time (s)", ylabel="hip joint force over weight (–)")
    bottom.legend(loc="center left", bbox_to_anchor=(0.0, 0.42), fontsize="small")
    return {"walk_with_muscles": figure}


HELD, LOOP, FREE = "schedule, trunk held", "closed loop", "schedule, trunk free"

MUSCLES = cd.Study(
    name="hovey-walk-muscles",
    title="Hip muscles in single stance: three readings of an inconsistent source",
    source="hovey-2000",
    summary=(
        "Hovey's model M3, rigid. The published muscle forces are the moment that keeps the trunk upright over the arm of "
        "the muscle, and ignore the reaction on the stance leg. Run as a schedule with the trunk still held (the reading "
        "that fits the published numbers), in closed loop, where the muscles alone keep the trunk upright, and as a schedule "
        "with a free trunk, which falls over."
    ),
    parameters=BODY | {"passes": cd.Parameter(8, "runs until the muscles carry the trunk alone")},
    run=run_muscles,
    claims=[
        cd.Claim("schedule, trunk held: swing leg forward at 0.3 s", (1.50, 1.60),
                 lambda o: np.interp(0.3, o[HELD]["t"], o[HELD]["swing speed"]), unit="m/s",
                 origin=f"{PUBLISHED}: 1.50 (M3), 1.57 (M4)"),
        cd.Claim("schedule, trunk held: stance leg at the end", (-112.0, -98.0), lambda o: o[HELD]["stance spin"][-1],
                 unit="°/s", origin=f"{PUBLISHED}: about −100"),
        cd.Claim("schedule, trunk held: hip force at the end over weight", (2.0, 3.5), lambda o: o[HELD]["hip"][-1] / WEIGHT,
                 origin=f"{PUBLISHED}: begins to match the measured 2.8–4.8 near the end"),
        cd.Claim("closed loop: extensor equivalent of what is left to the constraint", "nothing",
                 lambda o: o[LOOP]["left"][-1], unit="N", tolerance=2.0, origin="the muscles carry the trunk alone"),
        cd.Claim("closed loop: trunk stays upright", 0.0, lambda o: np.abs(o[LOOP]["trunk"]).max(), unit="°",
                 tolerance=1e-9, origin="by construction"),
        cd.Claim("schedule, trunk free: largest angle of the trunk", (30.0, 50.0), lambda o: np.abs(o[FREE]["trunk"]).max(),
                 unit="°", origin="specification of Hovey 2000: 40–41°, not what is published"),
    ],
    figures=draw_muscles,
)  # fmt: skip

STUDIES = [WALK, MUSCLES]
