"""Arm that falls against its passive moments, by relative and by absolute angles.

Upper arm and forearm of a driver (table 4.1) fall under gravity against the passive moments of shoulder and elbow. Equation
(4.1) takes the moments over the absolute angle of each body, so that those of the elbow do not balance; over the angle of the
joint they do. As printed, the forearm also has the moment of a wrist, although the model has no hand: that is a reading of its
own. The half length of the forearm, 0.3345 m, is probably its length; both are shown. The source gives its moments and
trajectories in figures without numbers, so the moments here are stand-ins.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd

BODIES = ("upper arm", "forearm")
READINGS = ("relative", "absolute", "as printed", "shorter forearm")
ABSOLUTE = ("absolute", "as printed")  # as printed: with the moment of the wrist
DRIVEN_ROUND = 0.2  # after that the moment of the wrist, which nothing balances, drives the arm round and round [s]


PARAMETERS = {
    "semi_axes": cd.Parameter((0.1574, 0.3345), "third semi-axes of upper arm and forearm, table 4.1", "m"),
    "masses": cd.Parameter((1.9807, 2.5853), "their masses", "kg"),
    "inertias": cd.Parameter((0.0126, 0.0105), "their moments of inertia", "kg m²"),
    "angles": cd.Parameter((-45.0, 23.0), "angles above the horizontal at the start, figure 4.10", "°"),
    "gravity": cd.Parameter(9.81, "gravity", "m/s²"),
    "dt": cd.Parameter(1e-3, "time step", "s"),
    "end": cd.Parameter(0.5, "time simulated", "s"),
}  # fmt: skip
QUICK = {"end": 0.15}
INPUTS = ("semi_axes", "masses", "inertias", "angles", "gravity")


def curves(reading: str) -> tuple[Any, Any, Any]:
    """Resistance of shoulder, elbow and wrist; their curves are stand-ins: the source shows its own in small figures only.

    'relative': over the angle of the joint, flexion counted from the hanging and from the straight arm. 'absolute', as (4.1)
    has it: over the angle ν of each body from the vertical, ν = 90° − φ with φ up from the horizontal.
    """
    shoulder = cd.PassiveAxis("shoulder", zero=-0.5 * np.pi)
    if reading not in ABSOLUTE:
        return shoulder, cd.PassiveAxis("elbow"), None
    known = (cd.passive_curve(joint) for joint in ("elbow", "wrist"))
    elbow, wrist = (cd.PassiveAxis(((0.5 * np.pi - k.angles)[::-1], -k.moments[::-1])) for k in known)
    return shoulder, elbow, wrist


def arm_model(p: cd.Parameters, reading: str) -> cd.Model:
    """Two rigid bodies in the vertical plane, held by pins; angles are those of a driver's arm at the wheel."""
    model = cd.Model("arm", dimension=2, gravity=(0.0, -p.gravity))
    made, at = [], np.zeros(2)
    for name, half, mass, inertia, angle in zip(
        BODIES, halves(p, reading), p.masses, p.inertias, p.angles, strict=True
    ):
        along = np.array((np.cos(np.radians(angle)), np.sin(np.radians(angle))))
        body = cd.RigidBody(name, mass, inertia=inertia, position=at + half * along, rotation=np.radians(angle),
                            outline=[[(-half, 0.0), (half, 0.0)]], points={"end": (half, 0.0)})  # fmt: skip
        made.append(model.add(body))
        at = at + 2.0 * half * along
    upper, lower = made
    end = 2.0 * halves(p, reading)[0] * np.array((np.cos(np.radians(p.angles[0])), np.sin(np.radians(p.angles[0]))))
    model.add(cd.Pin("shoulder", model.ground, upper, at=(0.0, 0.0), axes_b=upper.rotation))
    model.add(cd.Pin("elbow", upper, lower, at=end, axes=upper.rotation, axes_b=lower.rotation))
    model.add(cd.PassiveMoment("shoulder resists", "shoulder", curves(reading)[0]))
    kind = "absolute" if reading in ABSOLUTE else "relative"
    model.add(cd.PassiveMoment("elbow resists", "elbow", curves(reading)[1], angles=kind))
    if reading == "as printed":  # its moment by the angle of the forearm; nothing is held there
        model.add(cd.CustomJoint("wrist", lower, model.ground, at=at, axes=lower.rotation))
        model.add(cd.PassiveMoment("wrist resists", "wrist", {"angle": curves(reading)[2]}, angles="absolute"))
    return model


def halves(p: cd.Parameters, reading: str) -> tuple[float, float]:
    """Half lengths of both bodies [m]; the published one of the forearm is probably its whole length."""
    first, second = p.semi_axes
    return first, (0.5 * second if reading == "shorter forearm" else second)


def by_angles(p: cd.Parameters, reading: str, times: NDArray[np.float64]) -> NDArray[np.float64]:
    """The two angles φ (t, 2) [rad] by their own equations of motion, to 1e-10."""
    from scipy.integrate import solve_ivp

    (a, b), (m, n), (I, J), g = halves(p, reading), p.masses, p.inertias, p.gravity  # noqa: E741
    shoulder, elbow, wrist = (None if axis is None else axis.energy() for axis in curves(reading))

    def resists(energy: tuple[NDArray[np.float64], NDArray[np.float64]] | None, angle: float) -> float:
        """∂U/∂q of cubic pieces [N m]."""
        assert energy is not None  # of a joint that the reading has
        knots, pieces = energy
        k = min(max(int(np.searchsorted(knots, angle, side="right")) - 1, 0), len(pieces) - 1)
        s = angle - knots[k]
        return float(pieces[k, 1] + s * (2.0 * pieces[k, 2] + s * 3.0 * pieces[k, 3]))

    def bends(u: float, w: float) -> tuple[float, float]:
        """What resists both bodies [N m]."""
        at_shoulder = resists(shoulder, u)
        if reading in ABSOLUTE:
            more = resists(wrist, w) if reading == "as printed" else 0.0
            return -at_shoulder + resists(elbow, u), -resists(elbow, w) + more
        between = resists(elbow, w - u)
        return -at_shoulder + between, -between

    def rate(t: float, y: NDArray[np.float64]) -> NDArray[np.float64]:
        u, w, du, dw = y
        c, s = 2.0 * n * a * b * np.cos(u - w), 2.0 * n * a * b * np.sin(u - w)
        M = np.array([[I + (m + 4.0 * n) * a * a, c], [c, J + n * b * b]])
        first, second = bends(u, w)
        f = (first - (m + 2.0 * n) * a * g * np.cos(u) - s * dw**2, second - n * b * g * np.cos(w) + s * du**2)
        return np.concatenate((y[2:], np.linalg.solve(M, f)))

    start = np.array((*np.radians(p.angles), 0.0, 0.0))
    options: dict[str, Any] = {"method": "DOP853", "t_eval": times, "rtol": 1e-10, "atol": 1e-11, "max_step": 0.01}
    solved: Any = solve_ivp(rate, (0.0, times[-1]), start, **options)
    return solved.y[:2].T


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """Each reading by Condyle and by its two angles."""
    outcome: cd.Outcome = {}
    for reading in READINGS:
        result = context.simulate(reading.replace(" ", "-"), arm_model(p, reading), end=p.end, dt=p.dt)
        exact = by_angles(p, reading, result.times)
        half = halves(p, reading)
        along = np.stack((np.cos(exact), np.sin(exact)), axis=2) * 2.0 * np.array(half)[:, None]
        places = {"elbow": result.position("upper arm.end"), "wrist": result.position("forearm.end")}
        energy = result.energy["total"]
        early = result.times <= (DRIVEN_ROUND if reading == "as printed" else np.inf)
        outcome[reading] = {
            "t": result.times, "exact": exact, **places, "kinetic": result.energy["kinetic"],
            "release": [release(result.times, result.angle(name)) for name in BODIES],
            "miss": float(max(np.abs(places["elbow"] - along[:, 0])[early].max(),
                              np.abs(places["wrist"] - along.sum(axis=1))[early].max())),
            "drift": float(np.ptp(energy) / result.energy["kinetic"].max()),
        }  # fmt: skip
    return outcome


def release(t: NDArray[np.float64], angle: NDArray[np.float64]) -> float:
    """Angular acceleration at the release from rest [rad/s²]: ½ α t² + β t⁴ through the first 40 ms."""
    first = (t > 0.0) & (t < 0.04)
    powers = np.column_stack((0.5 * t[first] ** 2, t[first] ** 4))
    return float(np.linalg.lstsq(powers, angle[first] - angle[0], rcond=None)[0][0])


def apart(outcome: cd.Outcome, one: str, other: str) -> float:
    """Largest distance of the wrist between two readings [m]."""
    return float(np.linalg.norm(outcome[one]["wrist"] - outcome[other]["wrist"], axis=1).max())


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Ways of elbow and wrist, and the angles of both bodies over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.4, 3.6))
    left, right = figure.subplots(1, 2)
    for k, reading in enumerate(READINGS):
        runs = outcome[reading]
        shown = runs["t"] <= (DRIVEN_ROUND + 0.06 if reading == "as printed" else np.inf)
        left.plot(*runs["wrist"][shown].T, color=f"C{k}", label=f"wrist, {reading}")
        left.plot(*runs["elbow"][shown].T, color=f"C{k}", linestyle="--")
        for body, style in ((0, "--"), (1, "-")):
            right.plot(runs["t"][shown], np.degrees(runs["exact"][shown, body]), style, color=f"C{k}")
    left.plot(0.0, 0.0, "ko")
    left.set(xlabel="x (m)", ylabel="y (m)", aspect="equal", title="elbow (dashed) and wrist")
    left.legend(fontsize="x-small")
    right.set(xlabel="time (s)", ylabel="angle above the horizontal (°)", title="upper arm (dashed) and forearm")
    return {"spicka_arm": figure}


START = "M q″ = f of two angles: two equations, with the moments of both curves at −45° and 23°"


def claimed(reading: str, values: tuple[float, float]) -> list[cd.Claim]:
    """What is claimed of each reading: both accelerations at the release [rad/s²], and the whole motion."""
    found = [
        cd.Claim(f"{reading}: angular acceleration of the {body} at the release", value,
                 lambda o, k=k: o[reading]["release"][k],  # type: ignore[misc]
                 kind="closed form", unit="rad/s²", tolerance=0.05, origin=START)
        for k, (body, value) in enumerate(zip(BODIES, values, strict=True))
    ]  # fmt: skip
    return [
        *found,
        cd.Claim(f"{reading}: ways of elbow and wrist beside the equations in two angles", "the same",
                 lambda o: o[reading]["miss"], kind="reference", unit="m", tolerance=1e-3,
                 origin="Lagrange's equations by DOP853 to 1e-10"),
    ]  # fmt: skip


CLAIMS = [
    *claimed("relative", (-18.191, -19.862)),
    *claimed("absolute", (-18.367, -19.802)),
    *claimed("as printed", (-18.278, -20.080)),
    *claimed("shorter forearm", (-18.864, -35.532)),
    cd.Claim("as printed: kinetic energy at the end", "without bound", full_only=True,
             computed=lambda o: float(o["as printed"]["kinetic"][-1]), kind="relation", unit="J", tolerance=100.0,
             sense="above", origin="gravity has some 30 J: the moment of a wrist on a body without a hand drives it round"),
    cd.Claim("energy drift over the kinetic energy", "none", lambda o: max(o[r]["drift"] for r in READINGS), kind="property",
             tolerance=1e-8, origin="the moments have a potential"),
    cd.Claim("how far the wrist of the absolute reading leaves that of the relative one", "far", full_only=True,
             computed=lambda o: apart(o, "relative", "absolute"), kind="relation", unit="m", tolerance=0.5, sense="above",
             origin="the two moments of the elbow do not balance each other, and turn the upper arm over"),
    cd.Claim("how far the wrist moves if the published half length of the forearm is its length", "far", full_only=True,
             computed=lambda o: apart(o, "relative", "shorter forearm"), kind="relation", unit="m", tolerance=0.2,
             sense="above", origin="0.3345 m of table 4.1 halved: as long as a forearm with its hand is"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="spicka-2013")
