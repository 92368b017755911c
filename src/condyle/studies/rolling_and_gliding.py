"""Wheels and blades that must not slip: a rolling disk, a knife edge and a trailer against their closed forms.

A disk that leans rolls on its circle, an upright one wobbles above a critical speed and falls below it. A blade on a slope
glides across it and never gets down. A trailer follows its hitch along a tractrix, as a blade, on two wheels in space,
forwards and backwards.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

import condyle as cd

PARAMETERS = {
    "mass": cd.Parameter(2.0, "mass of the disk", "kg"),
    "radius": cd.Parameter(0.3, "its radius", "m"),
    "lean": cd.Parameter(65.0, "angle of its axis with the vertical", "°"),
    "precession": cd.Parameter(1.5, "rate at which it goes round", "rad/s"),
    "rounds": cd.Parameter(2.0, "rounds that it rolls"),
    "fast": cd.Parameter(1.5, "speed of the upright disk over the critical one"),
    "slow": cd.Parameter(0.8, "the same of a disk that falls"),
    "wobble": cd.Parameter(3.0, "time of the upright disks", "s"),
    "slope": cd.Parameter(0.2, "angle of the slope of the blade", "rad"),
    "spin": cd.Parameter(2.0, "spin of the blade", "rad/s"),
    "bar": cd.Parameter(1.2, "from hitch to axle of the trailer", "m"),
    "speed": cd.Parameter(0.8, "of the hitch", "m/s"),
    "turned": cd.Parameter(1.2, "angle of the trailer at the start", "rad"),
    "pull": cd.Parameter(3.0, "time that it is pulled", "s"),
    "circle": cd.Parameter(2.0, "radius of the circle of the hitch", "m"),
    "dt": cd.Parameter(2e-3, "time step", "s"),
    "gravity": cd.Parameter(9.81, "gravity", "m/s²"),
}
QUICK = {"rounds": 0.5, "wobble": 1.2, "pull": 1.05, "dt": 4e-3}
INPUTS = ("radius", "lean", "precession", "gravity", "slope", "spin", "bar", "turned")


def disk(p: cd.Parameters, lean: float, turning: float, spin: float, tilt: float = 0.0) -> cd.Model:
    """A thin disk that rolls. lean: of its axis [rad]; turning about the vertical, spin about its axis, tilt of it [rad/s]."""
    model = cd.Model("disk", dimension=3, gravity=(0.0, 0.0, -p.gravity))
    axis = np.array([np.sin(lean), 0.0, np.cos(lean)])
    up = np.array([-np.cos(lean), 0.0, np.sin(lean)])  # from the contact to the centre
    omega = turning * (np.array([0.0, 0.0, 1.0]) - np.cos(lean) * axis) + spin * axis + tilt * np.array([0.0, 1.0, 0.0])
    across = 0.25 * p.mass * p.radius**2
    body = model.add(
        cd.RigidBody("disk", p.mass, inertia=(across, across, 2.0 * across), position=p.radius * up,
                     rotation=cd.rotation(axis=(0, 1, 0), angle=lean), velocity=np.cross(omega, p.radius * up),
                     angular_velocity=omega, points={"hub": (0.0, 0.0, 0.1 * p.radius)})
    )  # fmt: skip
    model.add(cd.Rolling("rolls", model.ground, body, radius=p.radius, normal=(0, 0, 1), axis=axis))
    return model


def steady_spin(p: cd.Parameters) -> float:
    """ω·axis of steady rolling [rad/s]: (A + m r²) ω Ω sin θ = cos θ (B Ω² sin θ − m g r), A = ½ m r², B = ¼ m r²."""
    lean, turning = np.radians(p.lean), p.precession
    return float(
        np.cos(lean) * (0.25 * turning**2 * np.sin(lean) - p.gravity / p.radius) / (1.5 * turning * np.sin(lean))
    )


def critical_speed(p: cd.Parameters) -> float:
    """Of an upright disk that rolls straight ahead, √(g r/3) [m/s]; slower, it falls."""
    return float(np.sqrt(p.gravity * p.radius / 3.0))


def lean_of(result: cd.Result, p: cd.Parameters) -> NDArray[np.float64]:
    """Angle of the axis with the vertical [rad]."""
    return np.arccos(
        np.clip((result.position("disk.hub") - result.position("disk"))[:, 2] / (0.1 * p.radius), -1.0, 1.0)
    )


def rolled(p: cd.Parameters) -> cd.Outcome:
    """The disk on its circle, and upright disks a little pushed, faster and slower than the critical speed."""
    spin = steady_spin(p)
    end = p.rounds * 2.0 * np.pi / p.precession
    circle = cd.simulate(disk(p, np.radians(p.lean), p.precession, spin), end=end, dt=p.dt)
    path = circle.position("disk")
    radius = p.radius * abs(spin) / p.precession
    # the centre goes round a point beside it, in the direction of the horizontal part of the axis
    middle = path[0, :2] + np.sign(spin) * radius * np.array([1.0, 0.0])
    angle = np.unwrap(np.arctan2(*(path[:, :2] - middle).T[::-1]))
    E = circle.energy["total"]
    out: cd.Outcome = {
        "radius": radius,
        "off radius": float(np.abs(np.linalg.norm(path[:, :2] - middle, axis=1) - radius).max()),
        "off lean": float(np.degrees(np.abs(lean_of(circle, p) - np.radians(p.lean)).max())),
        "turning": float((angle[-1] - angle[0]) / end),
        "drift": float(np.abs(E - E[0]).max() / circle.energy["kinetic"].max()),
        "path": path,
        "half as wide": 0.5 * float(np.linalg.norm(path - path[0], axis=1).max()),
    }
    for name, times in (("fast", p.fast), ("slow", p.slow)):
        rate = times * critical_speed(p) / p.radius
        upright = cd.simulate(disk(p, 0.5 * np.pi, 0.0, rate, tilt=1e-3), end=p.wobble, dt=0.5 * p.dt)
        tilt = lean_of(upright, p) - 0.5 * np.pi
        found = {"t": upright.times, "tilt": tilt, "rate": rate}
        exact = tilt_of(p, found)
        small = np.abs(exact) < 0.03  # where the closed form holds
        off = float(np.abs(tilt - exact)[small].max() / np.abs(exact)[small].max())
        out[name] = found | {"exact": exact, "off": off, "tallest": float(np.abs(tilt).max())}
    return out


def tilt_of(p: cd.Parameters, run: cd.Outcome) -> NDArray[np.float64]:
    """Tilt of an upright disk that begins to tilt with 1e-3 rad/s, δ̈ = −κ² δ with κ² = (12 ω² − 4 g/r)/5 (Routh) [rad]."""
    square = (12.0 * run["rate"] ** 2 - 4.0 * p.gravity / p.radius) / 5.0
    kappa = np.sqrt(abs(square))
    return 1e-3 / kappa * (np.sin(kappa * run["t"]) if square > 0.0 else np.sinh(kappa * run["t"]))


def glided(p: cd.Parameters) -> cd.Outcome:
    """A blade that spins on a slope, downhill along x: never farther down than g sin α/(2 ω²), ever farther across."""
    model = cd.Model("blade", dimension=2, gravity=(p.gravity * np.sin(p.slope), 0.0))
    blade = model.add(cd.RigidBody("blade", 1.0, inertia=0.02, angular_velocity=p.spin))
    model.add(cd.KnifeEdge("edge", model.ground.at(0.0, -5.0), blade, across=(0, 1)))
    end = 2.0 * np.pi / p.spin
    result = cd.simulate(model, end=end, dt=p.dt)
    t, pull = result.times, p.gravity * np.sin(p.slope)
    exact = np.column_stack((
        pull / (2.0 * p.spin**2) * np.sin(p.spin * t) ** 2,
        pull / (2.0 * p.spin) * (t - np.sin(2.0 * p.spin * t) / (2.0 * p.spin)),
    ))  # fmt: skip
    path = result.position("blade")
    return {"path": path, "exact": exact, "deepest": float(path[:, 0].max()), "off": float(np.abs(path - exact).max())}


def trailer(p: cd.Parameters, turned: float, direction: float, wheels: bool) -> cd.Model:
    """A trailer, at an angle to the road [rad], whose hitch is driven along it; direction: 1, or −1 for backwards.

    On a blade at its axle, in the plane, or on two wheels in space. Both of them are kept from slipping sideways, which says
    the same twice.
    """
    d = 3 if wheels else 2
    model = cd.Model("trailer", dimension=d, gravity=(0.0, 0.0, -p.gravity) if wheels else None)
    height = 0.25 if wheels else 0.0
    back = -np.array([np.cos(turned), np.sin(turned)])  # from hitch to axle
    side = np.array([-back[1], back[0]])

    def at(along: float, across: float = 0.0) -> tuple[float, ...]:
        place = p.bar * along * back + across * side
        return (*place, height) if wheels else tuple(place)

    if not wheels:
        car = model.add(cd.RigidBody("car", 10.0, inertia=1.0))
        body = model.add(cd.RigidBody("trailer", 5.0, inertia=0.6, position=at(0.6), rotation=turned))
        model.add(cd.Slider("road", model.ground, car, at=(0.0, 0.0), axis=(1, 0)))
        model.add(cd.DrivenRate("engine", "road.position", direction * p.speed))
        model.add(cd.Pin("hitch", car, body, at=(0.0, 0.0)))
        model.add(cd.KnifeEdge("axle", model.ground.at(0.0, -50.0), body.at(-0.4 * p.bar, 0.0), across=side))
        return model
    car = model.add(cd.RigidBody("car", 10.0, inertia=(1, 1, 1), position=(0.0, 0.0, height)))
    turn = cd.rotation(axis=(0, 0, 1), angle=turned)
    body = model.add(cd.RigidBody("trailer", 5.0, inertia=(0.3, 0.6, 0.6), position=at(0.6), rotation=turn))
    model.add(cd.Prismatic("road", model.ground, car, at=(0.0, 0.0, height), axis=(1, 0, 0)))
    model.add(cd.DrivenRate("engine", "road.position", direction * p.speed))
    model.add(cd.Spherical("hitch", car, body, at=(0.0, 0.0, height)))
    for name, across in (("left", 0.4), ("right", -0.4)):
        wheel = model.add(cd.RigidBody(name, 0.5, inertia=(0.008, 0.008, 0.016), position=at(1.0, across),
                                       rotation=turn @ cd.rotation(axis=(1, 0, 0), angle=0.5 * np.pi)))  # fmt: skip
        axis = (*side, 0.0)
        model.add(cd.Revolute(f"{name} hub", body, wheel, at=at(1.0, across), axis=axis))
        model.add(cd.Rolling(f"{name} tyre", model.ground, wheel, radius=height, normal=(0, 0, 1), axis=axis))
    return model


def angle_of(result: cd.Result) -> NDArray[np.float64]:
    """Angle of the trailer with the road [rad]."""
    ahead = (result.position("car") - result.position("trailer"))[:, :2]
    return np.arctan2(ahead[:, 1], ahead[:, 0])


def towed(p: cd.Parameters, direction: float, wheels: bool) -> cd.Outcome:
    """A trailer along a straight road, as a blade or on wheels, forwards (1) or backwards (−1)."""
    turned = p.turned if direction > 0.0 else 0.25 * p.turned
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cd.RedundancyWarning)  # both wheels hold the slip along their axle
        result = cd.simulate(trailer(p, turned, direction, wheels), end=p.pull, dt=p.dt)
    exact = 2.0 * np.arctan(np.tan(0.5 * turned) * np.exp(-direction * p.speed * result.times / p.bar))
    angle = angle_of(result)
    return {"t": result.times, "angle": angle, "exact": exact, "off": float(np.abs(angle - exact).max())}


def round_trip(p: cd.Parameters) -> float:
    """Radius on which the axle ends when the hitch goes round a circle [m]."""
    model = cd.Model("roundabout", dimension=2)
    arm = model.add(cd.RigidBody("arm", 10.0, inertia=10.0))
    body = model.add(cd.RigidBody("trailer", 5.0, inertia=0.6, position=(p.circle, -0.6 * p.bar), rotation=0.5 * np.pi))
    model.add(cd.Pin("centre", model.ground, arm, at=(0.0, 0.0)))
    model.add(cd.DrivenRate("engine", "centre.angle", p.speed / p.circle))
    model.add(cd.Pin("hitch", arm, body, at=(p.circle, 0.0)))
    axle = body.at(-0.4 * p.bar, 0.0)
    model.add(cd.KnifeEdge("axle", model.ground.at(0.0, -50.0), axle, across=(1, 0)))
    result = cd.simulate(model, end=12.0 * p.bar / p.speed, dt=5.0 * p.dt)
    return float(np.linalg.norm(result.position(axle)[-1]))


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """Blade, disk and trailers; that on wheels last, whose steps take longest."""
    yield {"blade": glided(p)}
    yield {"disk": rolled(p), "round": round_trip(p)}
    trailers = {"blade": towed(p, 1.0, False), "backwards": towed(p, -1.0, False)}
    yield {"trailers": trailers}
    yield {"trailers": {"blade": trailers["blade"], "wheels": towed(p, 1.0, True), "backwards": trailers["backwards"]}}


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Paths of disk and blade, tilts of upright disks, angles of trailers."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 6.4))
    (a, b), (c, d) = figure.subplots(2, 2)
    path = outcome["disk"]["path"]
    a.plot(path[:, 0], path[:, 1])
    a.set(xlabel="x (m)", ylabel="y (m)", aspect="equal", title=f"centre of a disk that leans by {90.0 - p.lean:g}°")
    for name, label in (("fast", f"{p.fast:g} of the critical speed"), ("slow", f"{p.slow:g} of it")):
        run = outcome["disk"][name]
        b.plot(run["t"], 1e3 * run["tilt"], label=label)
        b.plot(run["t"], 1e3 * run["exact"], "k--", linewidth=0.8)
    b.set(xlabel="time (s)", ylabel="tilt (mrad)", ylim=(-2.0, 10.0), title="upright disks, closed form dashed")
    b.legend(fontsize="small")
    blade = outcome["blade"]
    c.plot(blade["path"][:, 1], blade["path"][:, 0])
    c.plot(blade["exact"][:, 1], blade["exact"][:, 0], "k--", linewidth=0.8)
    c.set(xlabel="across the slope (m)", ylabel="down the slope (m)", title="blade that spins on a slope")
    c.invert_yaxis()
    for name, run in outcome["trailers"].items():
        d.plot(run["t"], np.degrees(run["angle"]), label=name)
        d.plot(run["t"], np.degrees(run["exact"]), "k--", linewidth=0.8)
    d.set(xlabel="time (s)", ylabel="angle of the trailer (°)", title="trailers, closed form dashed")
    d.legend(fontsize="small")
    return {"rolling_and_gliding": figure}


STEADY = "(A + m r²) ω Ω sin θ = cos θ (B Ω² sin θ − m g r), with A = ½ m r², B = ¼ m r²"
TRACTRIX = "tan ½ψ = tan ½ψ₀ exp(−v t/l)"
CLAIMS = [
    cd.Claim("disk on a circle: rate at which its centre goes round", 1.5, lambda o: o["disk"]["turning"], unit="rad/s",
             tolerance=1e-3, kind="closed form", origin=STEADY),
    cd.Claim("disk on a circle: radius of the way of its centre", 1.3343, lambda o: o["disk"]["half as wide"], unit="m",
             tolerance=1e-3, kind="closed form", origin=STEADY),
    cd.Claim("disk on a circle: its centre from the circle", "stays on it", lambda o: o["disk"]["off radius"], unit="m",
             tolerance=1e-3, kind="closed form", origin=STEADY),
    cd.Claim("disk on a circle: change of its lean", "none", lambda o: o["disk"]["off lean"], unit="°", tolerance=0.01,
             kind="closed form", origin=STEADY),
    cd.Claim("disk on a circle: change of energy, of that of its motion", "none", lambda o: o["disk"]["drift"],
             tolerance=1e-9, kind="property", origin="no slip, no work"),
    cd.Claim("upright disk at 1.5 of the critical speed: error of its wobble, of its size", "small",
             lambda o: o["disk"]["fast"]["off"], tolerance=2e-3, kind="closed form", origin="κ² = (12 ω² − 4 g/r)/5"),
    cd.Claim("upright disk at 0.8 of the critical speed: error of its fall, of its size", "small",
             lambda o: o["disk"]["slow"]["off"], tolerance=5e-3, kind="closed form", origin="κ² = (12 ω² − 4 g/r)/5 < 0"),
    cd.Claim("blade on a slope: deepest place", 0.2436, lambda o: o["blade"]["deepest"], unit="m", tolerance=1e-4,
             kind="closed form", origin="g sin α/(2 ω²)"),
    cd.Claim("blade on a slope: distance from its cycloid", "none", lambda o: o["blade"]["off"], unit="m", tolerance=2e-4,
             kind="closed form", origin="u̇ = g sin α cos ω t along the blade"),
    cd.Claim("trailer on a blade: error of its angle", "none", lambda o: o["trailers"]["blade"]["off"], unit="rad",
             tolerance=1e-5, kind="closed form", origin=TRACTRIX),
    cd.Claim("trailer on two wheels: its angle after 1 s", 38.707, lambda o: float(np.degrees(np.interp(
        1.0, o["trailers"]["wheels"]["t"], o["trailers"]["wheels"]["angle"]))), unit="°", tolerance=0.01, kind="closed form",
             origin=TRACTRIX),
    cd.Claim("trailer on two wheels: error of its angle", "none", lambda o: o["trailers"]["wheels"]["off"], unit="rad",
             tolerance=1e-5, kind="closed form", origin=TRACTRIX),
    cd.Claim("trailer pushed backwards: error of its angle as it folds up", "none",
             lambda o: o["trailers"]["backwards"]["off"], unit="rad", tolerance=1e-4, kind="closed form", origin=TRACTRIX),
    cd.Claim("trailer behind a hitch on a circle: radius of its axle", 1.6, lambda o: o["round"], unit="m", tolerance=1e-4,
             kind="closed form", origin="√(R² − l²)"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
