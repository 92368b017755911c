"""Ellipsoids that strike each other obliquely, and one that bounces and rolls with friction.

Two ellipsoids, both spinning, meet at a point with a normal that passes neither centre: impulse, speeds, spins and
energy afterwards are those of the closed form of rigid impact. Another one is thrown over a rough floor, bounces off it
in all directions and rolls.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import condyle as cd

PARAMETERS = {
    "first": cd.Parameter((0.3, 0.2, 0.1), "semi-axes of the first ellipsoid", "m"),
    "second": cd.Parameter((0.15, 0.25, 0.2), "semi-axes of the second", "m"),
    "masses": cd.Parameter((2.0, 3.0), "their masses", "kg"),
    "normal": cd.Parameter((0.4, 0.7, 0.6), "direction of their common normal"),
    "speed": cd.Parameter(2.0, "at which they approach along it, without their spins", "m/s"),
    "restitution": cd.Parameter(0.6, "of the blow that loses energy"),
    "egg": cd.Parameter((0.15, 0.12, 0.1), "semi-axes of the one that bounces", "m"),
    "drop": cd.Parameter(0.4, "its height at the start", "m"),
    "gravity": cd.Parameter(9.81, "gravity", "m/s²"),
    "bounce": cd.Parameter(0.5, "its coefficient of restitution"),
    "friction": cd.Parameter(0.4, "its friction"),
    "dt": cd.Parameter(4e-3, "time step", "s"),
    "end": cd.Parameter(1.0, "time simulated", "s"),
}
QUICK = {"end": 0.3}
INPUTS = ("first", "second", "masses", "speed", "restitution")


def support(
    semi_axes: tuple[float, float, float],
    rotation: NDArray[np.float64],
    normal: NDArray[np.float64] | tuple[float, float, float],
) -> NDArray[np.float64]:
    """The point of an ellipsoid that is furthest along a normal, from its centre [m]: R diag(a²) Rᵀ n / h."""
    inner = rotation.T @ np.asarray(normal)
    stretched = np.square(semi_axes) * inner
    return rotation @ stretched / np.sqrt(inner @ stretched)


def solid_inertia(mass: float, semi_axes: tuple[float, float, float]) -> NDArray[np.float64]:
    """Principal moments of a solid ellipsoid [kg m²]."""
    a, b, c = np.square(semi_axes)
    return 0.2 * mass * np.array((b + c, c + a, a + b))


def two(p: cd.Parameters, restitution: float) -> tuple[cd.Model, cd.Outcome]:
    """Two ellipsoids that touch within the first step, with all that the closed form needs."""
    n = np.array(p.normal) / np.linalg.norm(p.normal)  # from the first one to the second
    turns = np.eye(3), cd.rotation(axis=(1.0, 2.0, 0.5), angle=0.8)
    arms = support(p.first, turns[0], n), support(p.second, turns[1], -n)
    places = np.zeros(3), arms[0] - arms[1] + 1e-7 * n
    speeds = np.array((0.3, 0.1, -0.2)), np.array((0.3, 0.1, -0.2)) - p.speed * n + np.array((0.4, -0.3, 0.2))
    spins = np.array((1.0, -2.0, 0.5)), np.array((-0.5, 1.5, 1.0))
    model, bodies = cd.Model("two ellipsoids", dimension=3), []
    for k, (name, axes) in enumerate((("first", p.first), ("second", p.second))):
        inertia = solid_inertia(p.masses[k], axes)
        model.add(cd.RigidBody(name, p.masses[k], inertia=tuple(inertia), position=places[k], rotation=turns[k],
                               velocity=speeds[k], angular_velocity=spins[k]))  # fmt: skip
        inverse = turns[k] @ np.diag(1.0 / inertia) @ turns[k].T
        bodies.append({"mass": p.masses[k], "inverse": inverse, "arm": arms[k], "v": speeds[k], "w": spins[k]})
    law = cd.Impact(restitution)
    model.add(cd.Contact("blow", "first", cd.Ellipsoid(p.first), "second", cd.Ellipsoid(p.second), law=law))
    return model, {"normal": n, "bodies": bodies}


def struck(known: cd.Outcome, restitution: float) -> cd.Outcome:
    """Velocities after the impact: P = −(1 + e) u/(Σ 1/m + Σ (r × n)·I⁻¹(r × n)), along the normal."""
    n, (one, other) = known["normal"], known["bodies"]

    def rate(body: cd.Outcome) -> float:
        return float(n @ (body["v"] + np.cross(body["w"], body["arm"])))

    give = sum(1.0 / b["mass"] + np.cross(b["arm"], n) @ b["inverse"] @ np.cross(b["arm"], n) for b in (one, other))
    impulse = -(1.0 + restitution) * (rate(other) - rate(one)) / give
    after = []
    for body, sign in ((one, -1.0), (other, 1.0)):
        turn = body["w"] + sign * impulse * body["inverse"] @ np.cross(body["arm"], n)
        after.append((body["v"] + sign * impulse / body["mass"] * n, turn))
    lost = 0.5 * (1.0 - restitution**2) * (rate(other) - rate(one)) ** 2 / give
    return {"impulse": float(impulse), "after": after, "lost": float(lost)}


def bouncing(p: cd.Parameters) -> cd.Model:
    """An ellipsoid that is thrown over a rough floor, spinning."""
    model = cd.Model("rolling ellipsoid", dimension=3, gravity=(0.0, 0.0, -p.gravity))
    model.add(cd.RigidBody("egg", 1.0, inertia=tuple(solid_inertia(1.0, p.egg)), position=(0.0, 0.0, p.drop),
                           rotation=cd.rotation(axis=(1.0, 0.5, 0.2), angle=0.6), velocity=(1.5, 0.0, 0.0),
                           angular_velocity=(0.0, -4.0, 1.0)))  # fmt: skip
    floor = cd.Plane((0.0, 0.0, 1.0))
    model.add(
        cd.Contact(
            "floor", "egg", cd.Ellipsoid(p.egg), model.ground, floor, law=cd.Impact(p.bounce), friction=p.friction
        )
    )
    return model


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """Two blows, elastic and not; then the one that bounces until it rolls."""
    outcome: cd.Outcome = {}
    for label, e in (("elastic", 1.0), ("lossy", p.restitution)):
        model, known = two(p, e)
        expected = struck(known, e)
        result = context.simulate(label, model, end=3e-6, dt=1e-6)
        energy, momentum = result.energy["total"], result.linear_momentum
        miss = [
            (np.abs(result.velocity(name)[-1] - v).max(), np.abs(result.angular_velocity(name)[-1] - w).max())
            for name, (v, w) in zip(("first", "second"), expected["after"], strict=True)
        ]
        push = np.linalg.norm(result.contact("blow").impulse.sum(axis=(0, 1)))
        outcome[label] = {
            "speed": float(max(m[0] for m in miss)), "spin": float(max(m[1] for m in miss)), "impulse": float(push),
            "expected": expected["impulse"], "lost": float(energy[0] - energy[-1]), "expected lost": expected["lost"],
            "momentum": float(np.abs(momentum[-1] - momentum[0]).max()),
            "turning": float(np.abs(result.angular_momentum[-1] - result.angular_momentum[0]).max()),
        }  # fmt: skip
    egg = context.simulate("egg", bouncing(p), end=p.end, dt=p.dt)
    touch, energy = egg.contact("floor"), egg.energy["total"]
    impulse = touch.impulse.sum(axis=1)
    blows = np.flatnonzero(impulse[:, 2] > 0.0)
    cone = [float(np.linalg.norm(impulse[k, :2]) / impulse[k, 2]) for k in blows]
    lowest = np.array([-support(p.egg, R, (0.0, 0.0, 1.0))[2] for R in egg.rotation_matrix("egg")])
    outcome["egg"] = {
        "t": egg.times, "height": egg.position("egg")[:, 2], "lowest": egg.position("egg")[:, 2] + lowest, "energy": energy,
        "gain": float(np.diff(energy).max() / energy[0]), "cone": max(cone), "blows": len(blows),
        "touch": float(egg.times[blows[0]]), "way": egg.position("egg")[:, :2],
    }  # fmt: skip
    return outcome


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """The height of the ellipsoid that bounces, with its lowest point, and its energy."""
    from matplotlib.figure import Figure

    egg = outcome["egg"]
    figure = Figure(figsize=(9.0, 3.0))
    left, middle, right = figure.subplots(1, 3)
    left.plot(egg["t"], egg["height"], label="centre")
    left.plot(egg["t"], egg["lowest"], label="lowest point")
    left.set(xlabel="time (s)", ylabel="height (m)")
    left.legend(fontsize="x-small")
    middle.plot(egg["t"], egg["energy"])
    middle.set(xlabel="time (s)", ylabel="energy (J)", ylim=(0.0, None))
    right.plot(*egg["way"].T)
    right.set(xlabel="x (m)", ylabel="y (m)", aspect="equal", title="from above")
    return {"impact_ellipsoids": figure}


RIGID = "P = −(1 + e) u/(Σ 1/m + Σ (r × n)·I⁻¹(r × n)) at the points with a common normal"
CLAIMS = [
    cd.Claim("elastic blow: impulse", 3.11864, lambda o: o["elastic"]["impulse"], kind="closed form", unit="N s",
             tolerance=2e-4, origin=RIGID),
    cd.Claim("lossy blow: impulse", 2.49491, lambda o: o["lossy"]["impulse"], kind="closed form", unit="N s", tolerance=2e-4,
             origin=RIGID),
    cd.Claim("lossy blow: energy lost", 1.10455, lambda o: o["lossy"]["lost"], kind="closed form", unit="J", tolerance=2e-4,
             origin="½ (1 − e²) u²/(Σ 1/m + …)"),
    cd.Claim("elastic blow: energy lost", "none", lambda o: abs(o["elastic"]["lost"]), kind="closed form", unit="J",
             tolerance=1e-4, origin="e = 1"),
    cd.Claim("both blows: largest error of a speed afterwards", "none",
             lambda o: max(o["elastic"]["speed"], o["lossy"]["speed"]), kind="closed form", unit="m/s",
             tolerance=5e-5, origin=RIGID),
    cd.Claim("both blows: largest error of a spin afterwards", "none",
             lambda o: max(o["elastic"]["spin"], o["lossy"]["spin"]), kind="closed form", unit="rad/s",
             tolerance=5e-4, origin=RIGID),
    cd.Claim("both blows: largest change of a momentum", "none",
             lambda o: max(o[k][q] for k in ("elastic", "lossy") for q in ("momentum", "turning")), kind="property",
             tolerance=1e-12, origin="force and opposite force on one line"),
    cd.Claim("bouncing ellipsoid: how deep it was", "not at all", lambda o: float(-o["egg"]["lowest"].min()), kind="property",
             unit="m", tolerance=1e-9, origin="multipliers"),
    cd.Claim("bouncing ellipsoid: largest gain of energy in a step over the first", "none", lambda o: o["egg"]["gain"],
             kind="property", tolerance=1e-5, origin="impacts and friction only take"),
    cd.Claim("bouncing ellipsoid: tangential over normal impulse", (0.01, 0.4 + 1e-9), lambda o: o["egg"]["cone"],
             kind="property", origin="at most μ; some slip"),
    cd.Claim("bouncing ellipsoid: blows", "several", lambda o: float(o["egg"]["blows"]), kind="property", tolerance=3,
             sense="above", origin="it bounces before it rolls", full_only=True),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
