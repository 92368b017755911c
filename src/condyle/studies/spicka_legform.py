"""Legform at 40 km/h against a wall, with both readings of its moments of inertia.

Femur and tibia of a pedestrian legform (table 4.6), as ellipsoids with a knee that has the passive moment of an elbow,
fly at 40 km/h into a rigid wall with the fitted spring and dashpot. The printed moments of inertia are those of a
cylinder with half of its length taken for its length; both readings are run. Gap and direction of the wall are not
given in the source: here it leans by 5°. The leg is drawn at the instants of the published figures, and compared there
with its equations of motion in two coordinates of the knee and two angles.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd

BODIES = ("femur", "tibia")
READINGS = ("published", "whole length")
INSTANTS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4)  # of figures 4.24 to 4.32 [s]
LIGAMENTS = cd.PassiveAxis("elbow", zero=-np.radians(75.0))

PARAMETERS = {
    "masses": cd.Parameter((8.0, 4.8), "of femur and tibia, table 4.6", "kg"),
    "lengths": cd.Parameter((0.428, 0.493), "their lengths", "m"),
    "inertias": cd.Parameter((0.033, 0.0257), "their moments of inertia as printed", "kg m²"),
    "radius": cd.Parameter(0.035, "their radius", "m"),
    "speed": cd.Parameter(11.11, "of the flight, 40 km/h", "m/s"),
    "gravity": cd.Parameter(9.81, "gravity", "m/s²"),
    "gap": cd.Parameter(0.02, "between leg and wall at the start", "m"),
    "lean": cd.Parameter(5.0, "of the wall from the vertical", "°"),
    "stiffness": cd.Parameter(3.303e7, "of the spring, table 4.2", "N/m"),
    "damping": cd.Parameter(2.157e4, "of the dashpot, table 4.2", "N s/m"),
    "dt": cd.Parameter(3e-4, "largest step", "s"),
    "step_error": cd.Parameter(1e-6, "local error of a step over the size of the model"),
    "end": cd.Parameter(0.4, "time simulated", "s"),
}
QUICK = {"end": 0.006, "step_error": 3e-6}
INPUTS = ("masses", "lengths", "radius", "speed", "gap")


def cylinder_inertia(mass: float, radius: float, length: float) -> float:
    """About a diameter through the middle [kg m²]: m (3 r² + L²)/12."""
    return mass * (3.0 * radius**2 + length**2) / 12.0


def inertias(p: cd.Parameters, reading: str) -> list[float]:
    """As printed, which is what the formula gives for half of the length, or for the whole length."""
    if reading == "published":
        return list(p.inertias)
    return [cylinder_inertia(m, p.radius, length) for m, length in zip(p.masses, p.lengths, strict=True)]


def wall_of(p: cd.Parameters) -> tuple[Any, float]:
    """Normal of the wall, and its distance from the origin along it [m]: p.gap away from the nearer ellipse."""
    normal = np.array((-np.cos(np.radians(p.lean)), np.sin(np.radians(p.lean))))
    nearest = min(
        side * 0.5 * length * normal[1] - np.hypot(p.radius * normal[0], 0.5 * length * normal[1])
        for side, length in zip((1.0, -1.0), p.lengths, strict=True)
    )
    return normal, nearest - p.gap


def legform_model(p: cd.Parameters, reading: str) -> cd.Model:
    """The leg upright in the plane of the blow, flying to the right; the wall p.gap away from it, leaning by p.lean."""
    model = cd.Model("legform", dimension=2, gravity=(0.0, -p.gravity))
    made = {}
    normal, offset = wall_of(p)
    wall = cd.Plane(normal, offset * normal)
    rows = zip(BODIES, p.masses, p.lengths, inertias(p, reading), (1.0, -1.0), strict=True)
    for name, mass, length, inertia, side in rows:
        made[name] = model.add(
            cd.RigidBody(name, mass, inertia=inertia, position=(0.0, side * 0.5 * length), velocity=(p.speed, 0.0),
                         outline=[[(0.0, -0.5 * length), (0.0, 0.5 * length)]], points={"knee": (0.0, -side * 0.5 * length)})
        )  # fmt: skip
        law = cd.SpringDashpot(p.stiffness, damping=p.damping)
        model.add(
            cd.Contact(
                f"{name} on wall", made[name], cd.Ellipsoid((p.radius, 0.5 * length)), model.ground, wall, law=law
            )
        )
    model.add(cd.Pin("knee", made["femur"], made["tibia"], at=(0.0, 0.0)))
    model.add(cd.PassiveMoment("ligaments", "knee", LIGAMENTS))
    return model


def by_knee_and_angles(p: cd.Parameters, reading: str, times: NDArray[np.float64]) -> cd.Outcome:
    """The blow by equations of motion of its own, to 1e-9.

    Place of the knee and angles of femur and tibia, (t, 4) [m, rad]; what dashpots have taken at the end [J]; the deepest that
    a body is inside the wall at these times [m].
    """
    from scipy.integrate import solve_ivp

    normal, offset = wall_of(p)
    m, J = np.array(p.masses), np.array(inertias(p, reading))
    half = 0.5 * np.array(p.lengths)
    side = np.array((1.0, -1.0))  # the femur is above the knee, the tibia below

    def touch(y: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        """From the knee to the centres, and to the points nearest to the wall, (2, 2); how deep these are (2,) [m]."""
        angle = y[2:4]
        across = np.stack((np.cos(angle), np.sin(angle)), axis=1)
        along = np.stack((-np.sin(angle), np.cos(angle)), axis=1)
        lever = (side * half)[:, None] * along
        support = np.hypot(p.radius * across @ normal, half * (along @ normal))
        arm = -((p.radius**2 * across @ normal)[:, None] * across + (half**2 * (along @ normal))[:, None] * along)
        return lever, lever + arm / support[:, None], offset + support - (y[:2] + lever) @ normal

    def rate(t: float, y: NDArray[np.float64]) -> NDArray[np.float64]:
        angle, spin = y[2:4], y[6:8]
        lever, reach, depth = touch(y)
        closing = -(y[4:6] + spin[:, None] * np.stack((-reach[:, 1], reach[:, 0]), axis=1)) @ normal
        press = np.where(depth > 0.0, np.maximum(p.stiffness * depth + p.damping * closing, 0.0), 0.0)
        lost = (press - p.stiffness * np.maximum(depth, 0.0)) @ closing  # what is not in the springs
        bends = float(LIGAMENTS.resistance(angle[1] - angle[0]))
        M, f = np.zeros((4, 4)), np.zeros(4)
        M[:2, :2] = m.sum() * np.eye(2)
        f[:2] = press.sum() * normal + np.array((0.0, -p.gravity * m.sum()))
        for k, moment in enumerate((bends, -bends)):
            turning = np.array((-lever[k, 1], lever[k, 0]))
            M[:2, 2 + k] = M[2 + k, :2] = m[k] * turning
            M[2 + k, 2 + k] = J[k] + m[k] * half[k] ** 2
            f[:2] += m[k] * spin[k] ** 2 * lever[k]
            f[2 + k] = moment - m[k] * p.gravity * turning[1]
            f[2 + k] += press[k] * (reach[k, 0] * normal[1] - reach[k, 1] * normal[0])
        return np.concatenate((y[4:8], np.linalg.solve(M, f), [lost]))

    start = np.array((0.0, 0.0, 0.0, 0.0, p.speed, 0.0, 0.0, 0.0, 0.0))
    options: dict[str, Any] = {"method": "DOP853", "t_eval": times, "rtol": 1e-9, "atol": 1e-10, "max_step": 5e-4}
    solved: Any = solve_ivp(rate, (0.0, times[-1]), start, **options)
    deepest = max(float(touch(y)[2].max()) for y in solved.y.T)
    return {"way": solved.y[:4].T, "taken": float(solved.y[8, -1]), "deepest": deepest}


def blow(p: cd.Parameters, reading: str, context: cd.Context) -> cd.Outcome:
    """One blow: what the legform measures, forces, impulses, energies."""
    result = context.simulate(reading.replace(" ", "-"), legform_model(p, reading), end=p.end, dt=p.dt, step_error=p.step_error,
                              energy_tolerance=np.inf)  # fmt: skip
    knee = cd.Point("femur", "knee"), cd.Point("tibia", "knee")
    leg = cd.crash.legform(result, "femur", "tibia", knee=knee, accelerometer=cd.Point("tibia", (0.0, 0.18)), axis=(0.0, 1.0),
                           channel_class=None)  # fmt: skip
    walls = {name: result.contact(f"{name} on wall") for name in BODIES}
    gap = np.stack([wall.gap[:, 0] for wall in walls.values()], axis=1)
    # A step with error control is two halves, and the mean of their forces is that of the step.
    pressed = np.sum([wall.mean_force[1:].sum(axis=1) for wall in walls.values()], axis=0)
    momentum = np.sum([result.body_momentum(name)[0] for name in BODIES], axis=0)
    weight = sum(p.masses) * np.array((0.0, -p.gravity))
    impulse, change = np.diff(result.times) @ pressed, momentum[-1] - momentum[0] - result.times[-1] * weight
    energy, exact = result.energy["total"], by_knee_and_angles(p, reading, result.times)
    return {
        "t": result.times, "leg": leg, "force": {name: wall.normal_force.sum(axis=1) for name, wall in walls.items()},
        "touch": touches(result.times, gap.min(axis=1)), "unbalanced": float(np.linalg.norm(impulse - change) / np.linalg.norm(change)),
        "lost": float(energy[0] - energy[-1]), "gain": float(np.diff(energy).max()),
        "deepest": float(-gap.min()), "exact": exact, "energy": 0.5 * sum(p.masses) * p.speed**2,
        "bending": float(np.degrees(leg.peaks["bending"])), "frames": frames(result, p), "miss": missed(result, exact["way"]),
    }  # fmt: skip


def touches(times: NDArray[np.float64], gap: NDArray[np.float64]) -> float:
    """When a gap closes first [s], by the straight line through the last two frames of the flight."""
    k = int(np.argmax(gap < 0.0)) - 1
    return float(times[k] + (times[k] - times[k - 1]) * gap[k] / (gap[k - 1] - gap[k]))


def frames(result: cd.Result, p: cd.Parameters) -> dict[float, list[Any]]:
    """Places and angles of both bodies at the published instants."""
    nearest = {instant: int(np.argmin(np.abs(result.times - instant))) for instant in INSTANTS}
    return {
        instant: [(result.position(name)[k], float(result.angle(name)[k])) for name in BODIES]
        for instant, k in nearest.items()
        if abs(result.times[k] - instant) <= p.dt
    }


def missed(result: cd.Result, exact: NDArray[np.float64]) -> float:
    """How far an end of a body is at most from where the equations in coordinates of the knee put it [m]."""
    far = [np.abs(result.position(cd.Point("femur", "knee")) - exact[:, :2]).max()]
    for name, column, side in (("femur", 2, 1.0), ("tibia", 3, -1.0)):
        way = np.stack((-np.sin(exact[:, column]), np.cos(exact[:, column])), axis=1)
        half = np.linalg.norm(result.position(name)[0] - exact[0, :2])
        far.append(np.abs(result.position(name) - exact[:, :2] - side * half * way).max())
    return float(max(far))


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """Both readings of the moments of inertia."""
    for k, name in enumerate(BODIES):
        yield {
            f"{name} by half": cylinder_inertia(p.masses[k], p.radius, 0.5 * p.lengths[k]),
            f"{name} by whole": cylinder_inertia(p.masses[k], p.radius, p.lengths[k]),
        }
    for reading in READINGS:
        yield {reading: blow(p, reading, context)}


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Bending of the knee with its limit, forces on the wall, and the leg at the published instants."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.4, 3.2))
    one, two, three = figure.subplots(1, 3)
    for reading in READINGS:
        found = outcome[reading]
        one.plot(1e3 * found["t"], np.degrees(found["leg"].bending), label=f"inertia {reading}")
        two.semilogy(1e3 * found["t"], np.maximum(sum(found["force"].values()), 1.0), label=f"inertia {reading}")
    one.axhline(np.degrees(found["leg"].limits["bending"]), color="0.4", linestyle="--", label="limit")
    one.set(xlabel="time (ms)", ylabel="bending of the knee (°)")
    two.set(xlabel="time (ms)", ylabel="force on the wall (N)", ylim=(1e2, None))
    for ax in (one, two):
        ax.legend(fontsize="x-small")
    for n, (instant, bodies) in enumerate(outcome["published"]["frames"].items()):
        for (place, angle), length in zip(bodies, p.lengths, strict=True):
            along = 0.5 * length * np.array((-np.sin(angle), np.cos(angle)))
            label = f"{instant:g} s" if place is bodies[0][0] else None
            three.plot(*np.array((place - along, place + along)).T, color=f"C{n}", label=label)
    three.set(xlabel="x (m)", ylabel="y (m)", aspect="equal")
    three.legend(fontsize="xx-small", ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0))
    return {"spicka_legform": figure}


CLAIMS = [
    cd.Claim("moment of inertia of the femur by half of its length", 0.033, lambda o: o["femur by half"], kind="published",
             unit="kg m²", tolerance=5e-4, origin="table 4.6; m (3 r² + L²)/12 with half of the length for L"),
    cd.Claim("moment of inertia of the tibia by half of its length", (0.0257, 0.0258), lambda o: o["tibia by half"],
             kind="published", unit="kg m²", origin="table 4.6: 0.0257, cut off and not rounded"),
    cd.Claim("moment of inertia of the femur by its whole length", 0.1246, lambda o: o["femur by whole"], kind="closed form",
             unit="kg m²", tolerance=5e-5, origin="m (3 r² + L²)/12"),
    cd.Claim("moment of inertia of the tibia by its whole length", 0.0987, lambda o: o["tibia by whole"], kind="closed form",
             unit="kg m²", tolerance=5e-5, origin="m (3 r² + L²)/12"),
    cd.Claim("instant of the touch", 1.80693e-3, lambda o: o["published"]["touch"], kind="closed form", unit="s",
             tolerance=1e-8, origin="v t cos 5° + ½ g t² sin 5° = gap"),
    *(
        cd.Claim(f"inertia {reading}: impulse of the wall beside the change of momentum, over it", "the same",
                 lambda o, r=reading: o[r]["unbalanced"],  # type: ignore[misc]
                 kind="property", tolerance=2e-4, origin="balance of momentum, with the impulse of gravity taken off")
        for reading in READINGS
    ),
    cd.Claim("both readings beside equations in place of the knee and angles: largest distance of a point", "the same",
             lambda o: max(o[r]["miss"] for r in READINGS), kind="reference", unit="m", tolerance=1.5e-3,
             origin="ellipses on a wall, by DOP853 to 1e-9, at all instants, those of figures 4.24 to 4.32 among them"),
    cd.Claim("largest gain of energy in a step", "none", lambda o: max(o[r]["gain"] for r in READINGS), kind="property",
             unit="J", tolerance=1e-8, origin="laws store and dissipate, and make nothing"),
    cd.Claim("both readings beside these equations: energy that the dashpots have taken, over that of the flight", "the same",
             lambda o: max(abs(o[r]["lost"] - o[r]["exact"]["taken"]) / o[r]["energy"] for r in READINGS), kind="reference",
             tolerance=4e-4, origin="∫ b s′² dt by DOP853, and what is left in the spring where they would pull"),
    cd.Claim("both readings beside these equations: deepest penetration", "the same",
             lambda o: max(abs(o[r]["deepest"] - o[r]["exact"]["deepest"]) for r in READINGS), kind="reference", unit="m",
             tolerance=2e-5, origin="the same equations, at the same instants; it is 2.5 mm and 1.9 mm"),
    cd.Claim("difference of the bending of the knee between both readings", "not small",
             lambda o: abs(o["published"]["bending"] - o["whole length"]["bending"]), kind="relation", unit="°", tolerance=1.0,
             sense="above", origin="inertia less by a factor of four"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="spicka-2013")
