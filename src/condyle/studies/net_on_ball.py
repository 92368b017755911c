"""A net dropped on a ball: it drapes, comes to rest, and friction keeps it there.

A square net of ropes, joined at its knots, falls flat on a ball, which carries its whole weight in the end. Dropped a little to
the side, it stays where it landed if there is friction, and slides off if there is none.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import condyle as cd

PARAMETERS = {
    "meshes": cd.Parameter(4, "meshes along a side of the net"),
    "elements": cd.Parameter(1, "of a rope between two knots"),
    "side": cd.Parameter(1.2, "side of the net", "m"),
    "ball": cd.Parameter(0.4, "radius of the ball", "m"),
    "rope": cd.Parameter(0.01, "radius of the ropes", "m"),
    "axial": cd.Parameter(2e4, "force over strain of a rope", "N"),
    "bending": cd.Parameter(2e-3, "its moment over curvature", "N m²"),
    "line_density": cd.Parameter(0.2, "its mass per length", "kg/m"),
    "drag": cd.Parameter(8.0, "of the air: force over momentum", "1/s"),
    "friction": cd.Parameter(0.4, "coefficient of friction on the ball"),
    "drop": cd.Parameter(0.05, "height of the fall", "m"),
    "gravity": cd.Parameter(9.81, "acceleration of gravity", "m/s²"),
    "dt": cd.Parameter(0.01, "time step", "s"),
    "end": cd.Parameter(3.0, "time in which it comes to rest", "s"),
    "aside": cd.Parameter(0.08, "way of the net that is dropped aside", "m"),
    "aside_end": cd.Parameter(1.5, "time simulated of it", "s"),
}
QUICK = {"meshes": 2, "elements": 2, "drag": 12.0, "end": 2.4, "aside_end": 0.0}
INPUTS = ("gravity", "line_density", "side")
METHOD = cd.Nonsmooth(tolerance=1e-8)


def knots(p: cd.Parameters, aside: float) -> tuple[Any, list[tuple[int, int]]]:
    """Places of the knots (rows, columns, 3), and which of them ropes connect."""
    at, n = np.linspace(-0.5 * p.side, 0.5 * p.side, p.meshes + 1), p.meshes + 1
    y, x = np.meshgrid(at, at, indexing="ij")
    number = np.arange(n * n).reshape(n, n)
    rows = np.stack((number[:, :-1].ravel(), number[:, 1:].ravel()), axis=1)
    columns = np.stack((number[:-1].ravel(), number[1:].ravel()), axis=1)
    height = np.full_like(x, p.ball + p.rope + p.drop)
    return np.stack((x + aside, y, height), axis=2), [(int(a), int(b)) for a, b in np.vstack((rows, columns))]


def net_model(p: cd.Parameters, aside: float, friction: float) -> cd.Model:
    """The net over the ball, its middle a way aside [m]."""
    model = cd.Model("net on a ball", dimension=3, gravity=(0.0, 0.0, -p.gravity))
    places, ropes = knots(p, aside)
    section = cd.Rope(p.axial, p.bending, p.line_density, diameter=2.0 * p.rope, damping=0.05)
    net = model.add(cd.Cable.net("net", places.reshape(-1, 3), ropes, p.elements, section))
    model.add(cd.RayleighDamping("air", net, mass_rate=p.drag))
    # The points of contact are on the middle lines of the ropes, which keep away from the ball by their radius.
    ball = cd.Sphere(p.ball + p.rope)
    on: dict[str, Any] = {"points": "integration", "per_element": 2}
    model.add(cd.Contact("ball", net, None, model.ground, ball, friction=friction, **on))
    return model


def read(p: cd.Parameters, result: cd.Result) -> cd.Outcome:
    """Places of the knots over time and what the ball carries."""
    n = p.meshes + 1
    points = [cd.Point("net", f"point {k}") for k in range(n * n)]
    contact = result.contact("ball")
    places = np.stack([result.position(point) for point in points], axis=1)
    return {
        "times": result.times, "places": places, "carried": contact.force.sum(axis=1),
        "weight": p.line_density * 2.0 * n * p.side * p.gravity,
        "speed": np.abs(np.stack([result.velocity(point) for point in points], axis=1)).max(axis=(1, 2)),
        "slip": float(contact.slip_speed[-1].max()), "inside": float(-contact.gap.min()),
        "knots inside": float(p.ball + p.rope - np.linalg.norm(places, axis=2).min()),
        "margin": float(contact.cone_margin[-1].min()), "points": int((contact.normal_force[-1] > 0.0).sum()),
        "unsolved": result.unsolved_steps,
    }  # fmt: skip


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """The net dropped on the middle of the ball; aside, with friction and without."""
    result = context.simulate("net", net_model(p, 0.0, p.friction), end=p.end, dt=p.dt, integrator=METHOD)
    found: cd.Outcome = {"middle": read(p, result)}
    yield found
    for name, friction in (("smooth", 0.0), ("rough", p.friction)):
        if p.aside_end:
            model = net_model(p, p.aside, friction)
            found[name] = read(p, context.simulate(name, model, end=p.aside_end, dt=p.dt, integrator=METHOD))
    yield found


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """The net at rest from the side and from above, and what the ball carries over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(11.0, 3.6), layout="constrained")
    side, above, force = figure.subplots(1, 3)
    own = outcome["middle"]
    ropes = knots(p, 0.0)[1]
    turn = np.linspace(0.0, 2.0 * np.pi, 80)
    for ax, second, label in ((side, 2, "z (m)"), (above, 1, "y (m)")):
        ax.plot(p.ball * np.cos(turn), p.ball * np.sin(turn), color="0.6", lw=1.0)
        for a, b in ropes:
            ends = own["places"][-1, [a, b]]
            ax.plot(ends[:, 0], ends[:, second], "o-", color="C0", lw=1.0, ms=3)
        ax.set(aspect="equal", xlabel="x (m)", ylabel=label)
    force.plot(own["times"], own["carried"][:, 2], lw=1.0)
    force.axhline(own["weight"], color="k", ls=":", lw=1.2)
    force.set(xlabel="time (s)", ylabel="carried by the ball (N)", ylim=(0.0, 4.0 * own["weight"]))
    return {"net_on_ball": figure}


def _uneven(own: cd.Outcome) -> float:
    """The largest difference of the heights of knots that are alike by symmetry [m]."""
    z = own["places"][-1, :, 2]
    n = round(np.sqrt(z.size))
    z = z.reshape(n, n)
    return max(float(np.abs(z - like).max()) for like in (z.T, z[::-1], z[:, ::-1]))


def _share(own: cd.Outcome) -> float:
    """What the ball carries in the end, of the weight of ropes of 0.2 kg/m, two for each row of knots, each 1.2 m long."""
    rows = round(np.sqrt(own["places"].shape[1]))
    return float(own["carried"][-1, 2] / (0.2 * 2.0 * rows * 1.2 * 9.81))


def _gone(own: cd.Outcome) -> float:
    """Way of the middle knot since it was above the place where it fell [m], along the table."""
    middle = own["places"][:, own["places"].shape[1] // 2, :2]
    return float(np.linalg.norm(middle[-1] - middle[0]))


CLAIMS = [
    cd.Claim("force that the ball carries in the end", 23.544, lambda o: float(o["middle"]["carried"][-1, 2]), unit="N",
             tolerance=0.05, kind="closed form", origin="the weight of the net, 12 m of rope", full_only=True),
    cd.Claim("the same over the weight of the net", 1.0,
             lambda o: _share(o["middle"]),
             tolerance=0.03, kind="closed form", origin="balance"),
    cd.Claim("sideways force on the ball in the end", "none",
             lambda o: float(np.linalg.norm(o["middle"]["carried"][-1, :2])), unit="N", tolerance=0.01, kind="closed form",
             origin="balance"),
    cd.Claim("fastest knot in the end", "at rest", lambda o: float(o["middle"]["speed"][-1]), unit="m/s", tolerance=0.02,
             kind="property", origin="drag of the air and friction", full_only=True),
    cd.Claim("slip on the ball in the end", "none", lambda o: o["middle"]["slip"], unit="m/s", tolerance=1e-7,
             kind="property", origin="what sticks does not move", full_only=True),
    cd.Claim("knots that are alike by symmetry: difference of their heights", "alike", lambda o: _uneven(o["middle"]),
             unit="m", tolerance=1e-3, kind="property", origin="symmetry of net and ball"),
    cd.Claim("contact points inside the ball, at any time", "none", lambda o: o["middle"]["inside"], unit="m",
             tolerance=1e-6, kind="property", origin="no penetration"),
    cd.Claim("knots inside the ball, at any time", "none", lambda o: o["middle"]["knots inside"], unit="m", tolerance=0.01,
             kind="property",
             origin="less than the radius of the rope, as it lands: knots are between points of contact", full_only=True),
    cd.Claim("cone of friction in the end: least margin", "inside", lambda o: -o["middle"]["margin"], unit="N",
             tolerance=1e-5, kind="property", origin="Coulomb's law"),
    cd.Claim("steps that were not solved", "none", lambda o: float(o["middle"]["unsolved"]), tolerance=0, kind="property",
             origin="tolerance of the method"),
    cd.Claim("dropped aside, with friction: way of its middle", (0.0, 0.06), lambda o: _gone(o["rough"]), unit="m",
             kind="property", origin="friction holds it", full_only=True),
    cd.Claim("dropped aside, without friction: way of its middle", (0.2, 5.0), lambda o: _gone(o["smooth"]), unit="m",
             kind="property", origin="it slides off", full_only=True),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
