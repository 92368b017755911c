"""Newton's cradle, elastic and with losses, and a ball that comes to rest after infinitely many bounces.

Five balls hang in a row and touch; the first one is let go. With e = 1 the last one takes all of its speed, with e =
0.9 each pair in turn hands on 0.95 of it. A ball with e = 0.6 bounces infinitely often within 0.57 s and then rests.
Impulses within a step, each pair after the one that strikes it.
"""

from __future__ import annotations

import itertools

import numpy as np

import condyle as cd

PARAMETERS = {
    "balls": cd.Parameter(5, "balls of the cradle"),
    "mass": cd.Parameter(1.0, "mass of each ball", "kg"),
    "radius": cd.Parameter(0.05, "its radius", "m"),
    "length": cd.Parameter(1.0, "of the rods", "m"),
    "angle": cd.Parameter(30.0, "of the first rod at the start", "°"),
    "restitution": cd.Parameter(0.9, "of the balls that lose energy"),
    "gravity": cd.Parameter(9.81, "gravity", "m/s²"),
    "drop": cd.Parameter(0.1, "height of the fall of the bouncing ball", "m"),
    "bounce": cd.Parameter(0.6, "its coefficient of restitution"),
    "dt": cd.Parameter(5e-3, "time step of the cradle", "s"),
    "end": cd.Parameter(2.5, "time simulated", "s"),
    "ball_dt": cd.Parameter(5e-3, "time step of the bouncing ball", "s"),
    "rest": cd.Parameter(0.7, "time simulated of the bouncing ball", "s"),
}  # fmt: skip
QUICK = {"end": 0.53}
INPUTS = ("mass", "length", "gravity", "drop", "bounce", "restitution")


def cradle(p: cd.Parameters, restitution: float) -> cd.Model:
    """Balls in a row that touch, each on a rod without mass; the first one is held aside and let go."""
    model = cd.Model("cradle", dimension=2, gravity=(0.0, -p.gravity))
    inertia = 0.4 * p.mass * p.radius**2
    balls = []
    for k in range(p.balls):
        top = np.array((2.0 * p.radius * k, 0.0))
        angle = -np.radians(p.angle) if k == 0 else 0.0
        hung = p.length * np.array((np.sin(angle), -np.cos(angle)))
        ball = model.add(
            cd.RigidBody(f"ball {k}", p.mass, inertia=inertia, position=top + hung, rotation=angle,
                         outline=[[(0.0, p.length), (0.0, 0.0)]])
        )  # fmt: skip
        model.add(cd.Pin(f"rod {k}", model.ground, ball, at=top))
        balls.append(ball)
    for a, b in itertools.pairwise(balls):
        name = f"{a.name} and {b.name}"
        model.add(cd.Contact(name, a, [(p.radius, 0.0)], b, cd.Sphere(p.radius), law=cd.Impact(restitution)))
    return model


def bouncing(p: cd.Parameters) -> cd.Model:
    """A ball that is let go over the floor."""
    model = cd.Model("bouncing ball", dimension=2, gravity=(0.0, -p.gravity))
    ball = model.add(cd.PointMass("ball", p.mass, (0.0, p.drop)))
    model.add(cd.Contact("floor", ball, "nodes", model.ground, cd.Plane((0.0, 1.0)), law=cd.Impact(p.bounce)))
    return model


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """Both cradles, and the ball."""
    outcome: cd.Outcome = {}
    for label, e in (("elastic", 1.0), ("lossy", p.restitution)):
        result = context.simulate(label, cradle(p, e), end=p.end, dt=p.dt)
        angles = np.stack([result.angle(f"ball {k}") for k in range(p.balls)], axis=1)
        angles = angles - angles[0] - np.radians(p.angle) * (np.arange(p.balls) == 0)
        rates = np.stack([result.angular_velocity(f"ball {k}") for k in range(p.balls)], axis=1)
        energy = result.energy["total"] - result.energy["total"].min()
        struck = int(np.argmax(rates[:, -1] > 0.5 * np.abs(rates).max()))  # the last one has been hit
        lowest = np.sqrt(2.0 * p.gravity / p.length * (1.0 - np.cos(np.radians(p.angle))))
        fall = p.mass * p.gravity * p.length * (1.0 - np.cos(np.radians(p.angle)))
        speeds = rates[struck] / np.sqrt(lowest**2 * p.length**2 / (p.length**2 + 0.4 * p.radius**2))
        outcome[label] = {
            "t": result.times, "angles": angles, "speeds": speeds, "struck": float(result.times[struck]),
            "gain": float(np.diff(energy).max() / fall), "drift": float(np.ptp(energy) / fall),
            "largest": float(np.degrees(angles[:, -1].max())),
        }  # fmt: skip
    ball = context.simulate("ball", bouncing(p), end=p.rest, dt=p.ball_dt)
    height, force = ball.position("ball")[:, 1], ball.contact("floor").normal_force[:, 0]
    moving = np.flatnonzero(np.abs(ball.velocity("ball")[:, 1]) > 1e-9)
    outcome["ball"] = {"t": ball.times, "height": height, "rests": float(ball.times[moving[-1] + 1]),
                       "force": float(force[-1]), "deepest": float(-height.min()),
                       "gain": float(np.diff(ball.energy["total"]).max())}  # fmt: skip
    return outcome


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """The first and the last ball of both cradles, and the ball that comes to rest."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.4, 3.0))
    panels = figure.subplots(1, 3)
    for ax, label in zip(panels, ("elastic", "lossy"), strict=False):
        for k in range(p.balls):
            ax.plot(outcome[label]["t"], np.degrees(outcome[label]["angles"][:, k]), label=f"ball {k + 1}")
        ax.set(
            xlabel="time (s)", ylabel="angle (°)", title=f"cradle, e = {1.0 if label == 'elastic' else p.restitution:g}"
        )
    panels[0].legend(fontsize="x-small", ncols=2)
    panels[2].plot(outcome["ball"]["t"], outcome["ball"]["height"])
    panels[2].set(xlabel="time (s)", ylabel="height (m)", title=f"ball, e = {p.bounce:g}")
    return {"impact_chains": figure}


SHARES = "each pair in turn: (1 + e)/2 of the speed goes on"

CLAIMS = [
    cd.Claim("elastic cradle: speed of the last ball over that of the first", 1.0, lambda o: o["elastic"]["speeds"][-1],
             kind="closed form", tolerance=2e-3, origin="equal masses exchange their speeds"),
    cd.Claim("elastic cradle: speed that is left in the other balls", "none",
             lambda o: float(np.abs(o["elastic"]["speeds"][:-1]).max()), kind="closed form", tolerance=1e-3,
             origin="equal masses exchange their speeds"),
    cd.Claim("elastic cradle: change of energy over that of the fall", "none", lambda o: o["elastic"]["drift"],
             kind="property", tolerance=2e-4, origin="e = 1; the step in which they meet is of second order"),
    cd.Claim("instant of the first impact", 0.5105, lambda o: o["elastic"]["struck"], kind="closed form", unit="s",
             tolerance=6e-3, origin="a quarter of the period, K(sin 15°) √((L² + 0.4 r²)/(g L)); struck within a step of it"),
    cd.Claim("elastic cradle: how far the last ball swings", 30.0, lambda o: o["elastic"]["largest"], kind="closed form",
             unit="°", tolerance=0.1, origin="as far as the first came from", full_only=True),
    cd.Claim("lossy cradle: speed of the last ball over that of the first", 0.95**4, lambda o: o["lossy"]["speeds"][-1],
             kind="closed form", tolerance=2e-3, origin=SHARES),
    cd.Claim("lossy cradle: momentum of the other four", 1.0 - 0.95**4, lambda o: float(o["lossy"]["speeds"][:-1].sum()),
             kind="closed form", tolerance=2e-3, origin="the rest, which they share as they strike each other again"),
    cd.Claim("lossy cradle: how much faster a ball is than the next, over the speed of the first", "not at all",
             lambda o: float(-np.diff(o["lossy"]["speeds"]).min()), kind="property", tolerance=1e-3,
             origin="balls that touch and approach would strike again"),
    cd.Claim("lossy cradle: gain of energy in a step", "none", lambda o: o["lossy"]["gain"], kind="property",
             tolerance=1e-9, origin="an impact only takes energy"),
    cd.Claim("bouncing ball: instant of rest", 0.5711, lambda o: o["ball"]["rests"], kind="closed form", unit="s",
             tolerance=0.012, origin="√(2h/g) (1 + e)/(1 − e), after infinitely many bounces; less those shorter than a step"),
    cd.Claim("bouncing ball: force at rest over its weight", 1.0, lambda o: o["ball"]["force"] / 9.81, kind="closed form",
             tolerance=1e-6, origin="m g of 1 kg"),
    cd.Claim("bouncing ball: how deep it was", "not at all", lambda o: o["ball"]["deepest"], kind="property", unit="m",
             tolerance=1e-9, origin="multipliers"),
    cd.Claim("bouncing ball: gain of energy in a step", "none", lambda o: o["ball"]["gain"], kind="property", unit="J",
             tolerance=1e-12, origin="an impact only takes energy"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
