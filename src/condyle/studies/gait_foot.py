"""A foot that stands on the ground: friction, slip and lift-off in place of a pin.

Hovey's walker (model M1) with its stance foot on the ground by unilateral contact with Coulomb friction. With enough
friction it moves as with the pin of the source; with too little it slides; and when the other leg takes over the weight
it leaves the ground, where the pin would pull. A curved foot rolls on it. At the end of the step the swing foot
strikes: it sticks, the other foot leaves at once, and the legs go on as a closed form says.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import condyle as cd
from condyle.studies.hovey_gait import BODY, WEIGHT, history_of, walker

LEGS = ("stance leg", "swing leg")


PARAMETERS = BODY | {
    "rough": cd.Parameter(0.8, "coefficient of friction that holds the foot"),
    "smooth": cd.Parameter(0.2, "coefficient of friction that does not"),
    "smooth_end": cd.Parameter(0.15, "end of the slide", "s"),
    "relief": cd.Parameter(0.45, "when the other leg begins to take over the weight", "s"),
    "taken": cd.Parameter(1.5, "what it carries at the end over the weight"),
    "radius": cd.Parameter(0.3, "radius of the curved foot, a third of the leg", "m"),
    "points": cd.Parameter(31, "points of the curved foot over 60°"),
    "spectral_radius": cd.Parameter(0.6, "damping of generalized-α"),
    "before": cd.Parameter(0.03, "time before the strike at which both feet are set free", "s"),
    "after": cd.Parameter(0.1, "time that is followed after it", "s"),
    "strike_dt": cd.Parameter(0.001, "time step about the strike", "s"),
}  # fmt: skip
QUICK = {"points": 21}
INPUTS = ("angle", "leg")


def stander(p: cd.Parameters, friction: float) -> cd.Model:
    """The walker of hovey-walk whose stance foot only stands on the ground."""
    model = walker(p, planted=False)
    sole = (0.0, p.hip_to_centre - p.leg)
    model.add(cd.Contact("sole", "stance leg", [sole], model.ground, cd.Plane((0.0, 1.0)), friction=friction))
    return model


def roller(p: cd.Parameters) -> cd.Model:
    """The walker on a curved foot, an arc of points about a place on the leg, that rolls at the start."""
    angle = np.radians(p.angle)
    lowest = np.array([0.0, p.radius]) - p.radius * np.array([-np.sin(angle), np.cos(angle)])  # end of the leg
    model = walker(p, planted=False, foot=lowest)
    turns = np.radians(np.linspace(-30.0, 30.0, p.points))
    end = p.hip_to_centre - p.leg
    sole = np.column_stack((p.radius * np.sin(turns), end + p.radius * (1.0 - np.cos(turns))))
    model.add(cd.Contact("sole", "stance leg", sole.tolist(), model.ground, cd.Plane((0.0, 1.0)), friction=p.rough))
    return model


def striker(p: cd.Parameters, pinned: cd.Result) -> cd.Model:
    """Both feet free to stand or leave, shortly before the swing foot strikes; pinned: the result of the walk until then."""
    legs = history_of(pinned, p)
    k = round((p.end - p.before) / p.dt)
    angles, rates = (tuple(float(legs[leg][what][k]) for leg in LEGS) for what in ("angle", "spin"))
    model = walker(p, planted=False, angles=angles, guess=rates)
    for leg in LEGS:
        sole = (0.0, p.hip_to_centre - p.leg)
        model.add(cd.Contact(f"{leg} sole", leg, [sole], model.ground, cd.Plane((0.0, 1.0)), friction=p.rough))
    return model


def after_strike(p: cd.Parameters, pinned: cd.Result) -> dict[str, float]:
    """Closed form of the strike without rebound: rates of the legs [°/s] and the energy lost [J].

    The motion before is projected, in the norm of the masses, onto those about the new foot; trunk upright, old foot free.
    """
    legs = history_of(pinned, p)
    angle = {leg: np.radians(legs[leg]["angle"][-1]) for leg in LEGS}
    down = {leg: np.array([np.sin(a), -np.cos(a)]) for leg, a in angle.items()}
    rate = {leg: np.radians(legs[leg]["spin"][-1]) for leg in LEGS}

    def across(v: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.array([-v[1], v[0]])

    def motion(hip: NDArray[np.float64], one: float, two: float) -> NDArray[np.float64]:
        """Velocities of stance leg, trunk and swing leg, each with its spin."""
        return np.concatenate([
            hip + one * across(p.hip_to_centre * down["stance leg"]), [one], hip, [0.0],
            hip + two * across(p.hip_to_centre * down["swing leg"]), [two],
        ])  # fmt: skip

    masses = np.array(
        [p.leg_mass] * 2 + [p.leg_inertia] + [p.trunk_mass] * 2 + [0.0] + [p.leg_mass] * 2 + [p.leg_inertia]
    )
    before = motion(-rate["stance leg"] * across(p.leg * down["stance leg"]), rate["stance leg"], rate["swing leg"])
    basis = np.stack([motion(np.zeros(2), 1.0, 0.0), motion(-across(p.leg * down["swing leg"]), 0.0, 1.0)], axis=1)
    rates = np.linalg.solve(basis.T @ (masses[:, None] * basis), basis.T @ (masses * before))
    after = basis @ rates
    return {"stance leg": float(np.degrees(rates[0])), "swing leg": float(np.degrees(rates[1])),
            "lost": float(0.5 * masses @ (before**2 - after**2))}  # fmt: skip


def relieved(model: cd.Model, p: cd.Parameters) -> cd.Model:
    """The same with the trunk lifted late in the step, as by the other leg when it takes over the weight."""
    share = cd.Table((0.0, p.relief, p.end), (0.0, 0.0, p.taken))
    model.add(cd.Load("other leg", cd.Point("trunk", (0.0, -p.trunk_centre)), (0.0, WEIGHT), share))
    return model


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """Walking with enough and with too little friction; then with the weight taken over at the end of the step."""
    outcome: cd.Outcome = {}
    method = cd.GeneralizedAlpha(p.spectral_radius)
    for name, model, end in (
        ("pinned", walker(p), p.end),
        ("rough", stander(p, p.rough), p.end),
        ("smooth", stander(p, p.smooth), p.smooth_end),
        ("pinned, relieved", relieved(walker(p), p), p.end),
        ("rough, relieved", relieved(stander(p, p.rough), p), p.end),
        ("curved", roller(p), p.end),
    ):
        outcome[name] = _history(context.simulate(name, model, end=end, dt=p.dt, integrator=method), p)
    exact = context.simulate("exact", walker(p), end=p.end, dt=p.dt, integrator=cd.RungeKutta())
    strike = context.simulate("strike", striker(p, exact), end=p.before + p.after, dt=p.strike_dt, integrator=method)
    return outcome | {"radius": p.radius, "strike": _struck(strike, p), "projected": after_strike(p, exact)}


def _struck(result: cd.Result, p: cd.Parameters) -> cd.Outcome:
    """Rates of the legs [°/s], places of the feet [m], forces of the ground on them [N], energy [J]; time from the strike."""
    force = {leg: result.contact(f"{leg} sole").resultant for leg in LEGS}
    landed = int(np.argmax(force["swing leg"][:, 1] > 0.0))
    return {
        "t": result.times - result.times[landed], "landed": landed, "force": force, "energy": result.energy["total"],
        "foot": {leg: result.position(cd.Point(leg, (0.0, p.hip_to_centre - p.leg))) for leg in LEGS},
        "spin": {leg: np.degrees(result.angular_velocity(leg)) for leg in LEGS},
    }  # fmt: skip


def _history(result: cd.Result, p: cd.Parameters) -> cd.Outcome:
    """Angles of the legs [°], place of the foot [m], force of the ground on it [N]."""
    history = {
        "t": result.times,
        "foot": result.position(cd.Point("stance leg", (0.0, p.hip_to_centre - p.leg))),
        **{leg: np.degrees(result.angle(leg)) for leg in ("stance leg", "swing leg")},
    }
    if "foot" in result.model:
        return history | {"force t": result.multiplier_times, "force": result.joint_force("foot")}
    sole = result.contact("sole")
    return history | {
        "force t": result.times[1:], "force": sole.resultant[1:], "slip": sole.slip[-1, 0],
        "pressure": sole.centre_of_pressure[1:, 0], "energy": result.energy["total"], "kinetic": result.energy["kinetic"],
    }  # fmt: skip


# --- what is claimed --------------------------------------------------------------------------------------------------


def apart(outcome: cd.Outcome, leg: str) -> float:
    """Largest difference of a leg's angle between pinned and standing foot [°]."""
    return float(np.abs(outcome["rough"][leg] - outcome["pinned"][leg]).max())


def forces_apart(outcome: cd.Outcome) -> float:
    """Largest difference of the ground reaction between pinned and standing foot [N]."""
    pinned, rough = outcome["pinned"], outcome["rough"]
    return float(max(np.abs(np.interp(rough["force t"], pinned["force t"], pinned["force"][:, k])
                            - rough["force"][:, k])[1:-1].max() for k in range(2)))  # fmt: skip


def needed_friction(outcome: cd.Outcome, name: str = "pinned") -> float:
    """Largest |horizontal| over vertical force."""
    force = outcome[name]["force"]
    return float(np.abs(force[:, 0] / force[:, 1]).max())


def sliding_ratio(outcome: cd.Outcome) -> float:
    """|horizontal| over vertical force in the first steps on smooth ground, while the foot slides."""
    force = outcome["smooth"]["force"][1:5]
    return float(np.abs(force[:, 0] / force[:, 1]).mean())


def pull_begins(outcome: cd.Outcome) -> float:
    """When the pin begins to pull [s]."""
    history = outcome["pinned, relieved"]
    late = int(np.argmax(history["force"][:, 1] < 0.0))
    t, f = history["force t"][late - 1 : late + 1], history["force"][late - 1 : late + 1, 1]
    return float(t[0] - f[0] * (t[1] - t[0]) / (f[1] - f[0]))


def lift_off(outcome: cd.Outcome) -> float:
    """When the standing foot presses for the last time [s]."""
    history = outcome["rough, relieved"]
    return float(history["force t"][np.flatnonzero(history["force"][:, 1] > 0.0)[-1]])


def rolled(outcome: cd.Outcome) -> float:
    """Largest distance of the centre of pressure under the curved foot from radius × angle [m]."""
    history = outcome["curved"]
    return float(np.abs(history["pressure"] + outcome["radius"] * np.radians(history["stance leg"][1:])).max())


def softer(outcome: cd.Outcome) -> float:
    """Range of the vertical force with a curved foot over that with a point."""
    curved, point = (np.ptp(outcome[name]["force"][:, 1]) for name in ("curved", "rough"))
    return float(curved / point)


def strike_rate(outcome: cd.Outcome, leg: str) -> float:
    """Rate of a leg right after the strike over the closed form: extrapolated from the steps that follow."""
    strike = outcome["strike"]
    late = slice(strike["landed"] + 1, strike["landed"] + 6)
    start = np.polyval(np.polyfit(strike["t"][late], strike["spin"][leg][late], 2), 0.0)
    return float(start / outcome["projected"][leg])


def draw(outcome: cd.Outcome, p: cd.Parameters) -> cd.Outcome:
    """Ground reactions, and the foot's place, with pin and contact."""
    from matplotlib.figure import Figure

    walk = Figure(figsize=(6.4, 6.4))
    top, bottom = walk.subplots(2, 1, sharex=True)
    labels = {"pinned": ("k:", "pinned"), "rough": ("C0-", f"standing, μ = {p.rough:g}"),
              "smooth": ("C1--", f"standing, μ = {p.smooth:g}, slides"),
              "curved": ("C2-.", f"curved foot of radius {p.radius:g} m, rolls")}  # fmt: skip
    for name, (line, label) in labels.items():
        history = outcome[name]
        top.plot(
            history["force t"], history["force"][:, 1] / WEIGHT, line, label=label, zorder=3 if line == "k:" else 2
        )
        bottom.plot(history["force t"], history["force"][:, 0] / WEIGHT, line, zorder=3 if line == "k:" else 2)
    top.axhline(0.90, color="0.6", linewidth=0.8)
    top.annotate("Mochon and McMahon, peak 0.90", (0.01, 0.91), fontsize="small", color="0.3")
    top.set(ylabel="ground reaction, up, over weight (–)")
    bottom.set(ylabel="ground reaction, forward, over weight (–)", xlabel="time (s)", xlim=(-0.01, p.end + 0.01))
    top.legend(fontsize="small", loc="lower center")

    leave = Figure(figsize=(6.4, 6.0))
    top, bottom = leave.subplots(2, 1, sharex=True)
    for name, line, label in (("pinned, relieved", "k:", "pinned"), ("rough, relieved", "C0-", "standing")):
        history = outcome[name]
        top.plot(history["force t"], history["force"][:, 1] / WEIGHT, line, label=label)
        bottom.plot(history["t"], 1e3 * history["foot"][:, 1], line)
    top.axhline(0.0, color="0.6", linewidth=0.8)
    for panel in (top, bottom):
        panel.axvline(pull_begins(outcome), color="0.7", linewidth=0.8)
    top.annotate(
        "the pin begins to pull", (pull_begins(outcome) - 0.003, 0.55), fontsize="small", color="0.3", ha="right"
    )
    top.set(ylabel="ground reaction, up, over weight (–)")
    bottom.set(ylabel="foot above the ground (mm)", xlabel="time (s)", xlim=(p.relief - 0.1, p.end))
    top.legend(fontsize="small", loc="lower left")

    strike = Figure(figsize=(6.4, 8.2))
    top, middle, bottom = strike.subplots(3, 1, sharex=True)
    o, t = outcome["strike"], 1e3 * outcome["strike"]["t"]
    for leg, line, label in (("stance leg", "C0-", "old stance leg"), ("swing leg", "C1--", "striking leg")):
        top.plot(t[1:], o["force"][leg][1:, 1] / WEIGHT, line, label=label)
        middle.plot(t, 1e3 * o["foot"][leg][:, 1], line)
        bottom.plot(t, o["spin"][leg], line)
        bottom.plot(0.0, outcome["projected"][leg], "ko", markerfacecolor="none")
    bottom.plot([], [], "ko", markerfacecolor="none", label="right after the strike, closed form")
    top.set(ylabel="ground reaction, up, over weight (–)", ylim=(-0.05, 1.2))
    middle.set(ylabel="foot above the ground (mm)")
    bottom.set(ylabel="angular velocity (°/s)", xlabel="time after the strike (ms)", xlim=(t[0], t[-1]))
    top.legend(fontsize="small", loc="center right")
    bottom.legend(fontsize="small", loc="lower right")
    return {"foot_walk": walk, "foot_lift_off": leave, "foot_strike": strike}


CLAIMS = [
    cd.Claim("stance leg, standing against pinned", "same motion", lambda o: apart(o, "stance leg"), unit="°",
             tolerance=1e-4, kind="relation", origin="the friction cone is never left"),
    cd.Claim("swing leg, standing against pinned", "same motion", lambda o: apart(o, "swing leg"), unit="°",
             tolerance=1e-4, kind="relation", origin="the friction cone is never left"),
    cd.Claim("ground reaction, standing against pinned", "same force", forces_apart, unit="N", tolerance=0.05,
             kind="relation", origin="the friction cone is never left"),
    cd.Claim("the foot stays where it is", "no creep",
             lambda o: np.linalg.norm(o["rough"]["foot"] - o["rough"]["foot"][0], axis=1).max(), unit="m",
             tolerance=1e-6, kind="property", origin="exact sticking"),
    cd.Claim("friction that the walk needs", 0.35, needed_friction, tolerance=0.005,
             kind="published", origin="section 5.2.1, figure 5.4: 175 N forward at 500 N up"),
    cd.Claim("standing foot: ground reaction up at 0.3 s", 716.2,
             lambda o: float(np.interp(0.3, o["rough"]["force t"], o["rough"]["force"][:, 1])), unit="N", tolerance=0.5,
             kind="reference", origin="hovey-walk, by Runge and Kutta"),
    cd.Claim("too little friction: force ratio while the foot slides", 0.2, sliding_ratio, tolerance=1e-3,
             kind="closed form", origin="Coulomb's law"),
    cd.Claim("too little friction: way of the foot", (0.002, 0.2), lambda o: o["smooth"]["slip"], unit="m",
             kind="regression", origin="it slides forward under the braking leg"),
    cd.Claim("weight taken over: lift-off after the pin begins to pull", 0.0, lambda o: lift_off(o) - pull_begins(o),
             unit="s", tolerance=0.01, kind="property", origin="unilateral contact, within one time step"),
    cd.Claim("weight taken over: force with which the pin pulls at the end over weight", "pulls",
             lambda o: -o["pinned, relieved"]["force"][-1, 1] / WEIGHT, tolerance=0.1, sense="above",
             kind="relation", origin="a pin is no ground"),
    cd.Claim("weight taken over: the ground never pulls", "up or none",
             lambda o: -o["rough, relieved"]["force"][:, 1].min(), unit="N", tolerance=1e-9,
             kind="property", origin="unilateral contact"),
    cd.Claim("weight taken over: the foot leaves the ground", "higher", lambda o: o["rough, relieved"]["foot"][-1, 1],
             unit="m", tolerance=1e-3, sense="above", kind="property", origin="unilateral contact"),
    cd.Claim("curved foot: centre of pressure against radius × angle", "rolls", rolled, unit="m", tolerance=0.01,
             kind="closed form", origin="rolling without sliding; points 2° apart, 10 mm"),
    cd.Claim("curved foot: change of energy over kinetic energy", "kept",
             lambda o: np.ptp(o["curved"]["energy"]) / o["curved"]["kinetic"][0], tolerance=0.05,
             kind="property", origin="rolling does no work, up to the edges between points"),
    cd.Claim("curved foot: range of the vertical force over that of a point foot", (0.5, 0.95), softer,
             kind="regression", origin="the hip's path is flatter"),
    cd.Claim("curved foot: friction that the walk needs", (0.15, 0.32), lambda o: needed_friction(o, "curved"),
             kind="regression", origin="the force stays nearer to the vertical than that of a point foot, 0.35"),
    cd.Claim("strike: rate of the striking leg right after it over the closed form", 1.0,
             lambda o: strike_rate(o, "swing leg"), tolerance=0.01,
             kind="closed form", origin="impact without rebound, projected motion"),
    cd.Claim("strike: rate of the old stance leg right after it over the closed form", 1.0,
             lambda o: strike_rate(o, "stance leg"), tolerance=0.02,
             kind="closed form", origin="impact without rebound, projected motion"),
    cd.Claim("strike: energy lost over the closed form", 1.0,
             lambda o: (o["strike"]["energy"][0] - o["strike"]["energy"][-1]) / o["projected"]["lost"], tolerance=0.02,
             kind="closed form", origin="impact without rebound, projected motion"),
    cd.Claim("strike: way of the striking foot after it", "sticks",
             lambda o: float(np.ptp(o["strike"]["foot"]["swing leg"][o["strike"]["landed"] + 1 :, 0])), unit="m",
             tolerance=1e-4, kind="relation", origin="the impulse stays in the friction cone"),
    cd.Claim("strike: the old stance foot leaves the ground: its height at the end", "higher",
             lambda o: o["strike"]["foot"]["stance leg"][-1, 1], unit="m", tolerance=0.01, sense="above",
             kind="relation", origin="no double support with rigid legs"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="hovey-2000", figures=draw)
