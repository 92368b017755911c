"""Double pendulum of two ellipsoids that falls onto a plane.

Two ellipsoids on ball joints (table 4.5) fall from a level start onto a plane, with the spring and dashpot that the
source fitted. It shows six instants and gives neither the plane nor numbers: the plane here lies 2.5 m below. The first
blow is compared with that of one mass, found from the pendulum in two angles, and the whole motion, at the instants of
the source too, with that pendulum on the same spring and dashpot.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import condyle as cd
from condyle.studies.spicka_pendulum import BODIES, pendulum_model, planar

INSTANTS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.25)  # of figures 4.17 to 4.22 [s]

PARAMETERS = {
    "mass": cd.Parameter(1.0, "mass of each body", "kg"),
    "inertia": cd.Parameter((1.0, 1.0, 1.0), "moments of inertia", "kg m²"),
    "semi_axes": cd.Parameter((1.0, 1.0, 2.0), "semi-axes", "m"),
    "gravity": cd.Parameter(9.81, "gravity, towards −z", "m/s²"),
    "below": cd.Parameter(2.5, "depth of the plane below the fixed joint", "m"),
    "stiffness": cd.Parameter(3.303e7, "of the spring, table 4.2", "N/m"),
    "damping": cd.Parameter(2.157e4, "of the dashpot, table 4.2", "N s/m"),
    "dt": cd.Parameter(0.01, "largest step", "s"),
    "step_error": cd.Parameter(1e-6, "local error of a step over the size of the model: a blow lasts 0.1 ms"),
    "end": cd.Parameter(1.25, "time simulated; the source shows it to 1.25 s", "s"),
}
QUICK = {"end": 0.57}
INPUTS = ("mass", "semi_axes", "gravity", "below")


def falling_model(p: cd.Parameters) -> cd.Model:
    """The pendulum of the free study, with its ellipsoids over a plane."""
    model = pendulum_model(p)
    floor = cd.Plane((0.0, 0.0, 1.0), (0.0, 0.0, -p.below))
    law = cd.SpringDashpot(p.stiffness, damping=p.damping)
    for name in BODIES:
        model.add(cd.Contact(f"{name} on plane", name, cd.Ellipsoid(p.semi_axes), model.ground, floor, law=law))
    return model


def first_blow(p: cd.Parameters) -> dict[str, float]:
    """When the lower body first touches and what the blow takes, by the pendulum in two angles and one mass on the dashpot.

    With M of the angles below the horizontal and the gradient J of the gap, the blow is that of a mass 1/(J M⁻¹ Jᵀ).
    """
    t = np.arange(0.0, 1.0, 2e-4)
    centres = planar(p, t, p.inertia[0])
    a, c = p.semi_axes[2], p.semi_axes[1]
    first, second = (
        np.unwrap(np.arctan2(-s[:, 1], -s[:, 0])) for s in (centres[:, 0], centres[:, 1] - 2.0 * centres[:, 0])
    )
    reach = np.hypot(a * np.sin(second), c * np.cos(second))
    gap = centres[:, 1, 1] - reach + p.below
    k = int(np.argmax(gap < 0.0))
    share = gap[k - 1] / (gap[k - 1] - gap[k])
    u, w = (float(q[k - 1] + share * (q[k] - q[k - 1])) for q in (first, second))
    slope = (a * a - c * c) * np.sin(w) * np.cos(w) / np.hypot(a * np.sin(w), c * np.cos(w))
    J = np.array((-2.0 * a * np.cos(u), -a * np.cos(w) - slope))
    m, inertia, cosine = p.mass, p.inertia[0], 2.0 * p.mass * a * a * np.cos(u - w)
    M = np.array([[inertia + 5.0 * m * a * a, cosine], [cosine, inertia + m * a * a]])
    mass = 1.0 / float(J @ np.linalg.solve(M, J))
    speed = float((gap[k - 1] - gap[k]) / (t[k] - t[k - 1]))
    blow = cd.rebound(cd.SpringDashpot(p.stiffness, damping=p.damping), mass, speed)
    return {"touch": float(t[k - 1] + share * (t[k] - t[k - 1])), "speed": speed, "mass": mass, "lost": blow.dissipated,
            "deepest": blow.deepest}  # fmt: skip


def floor_on_angles(p: cd.Parameters, y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Forces of the two angles [N m] by which the plane pushes both bodies; y: angles below the horizontal, and their rates."""
    a, c = p.semi_axes[2], p.semi_axes[1]
    angle, rates = y[:2], y[2:]
    reach = np.hypot(a * np.sin(angle), c * np.cos(angle))
    tilt = (a * a - c * c) * np.sin(angle) * np.cos(angle) / reach  # how the reach grows with the angle
    fall = a * np.cos(angle)
    forces = np.zeros(2)
    for k, gradient in enumerate((np.array((-fall[0] - tilt[0], 0.0)), np.array((-2.0 * fall[0], -fall[1] - tilt[1])))):
        height = -a * np.sin(angle[0]) if k == 0 else -2.0 * a * np.sin(angle[0]) - a * np.sin(angle[1])
        gap = height - reach[k] + p.below
        if gap < 0.0:
            forces += max(0.0, -p.stiffness * gap - p.damping * float(gradient @ rates)) * gradient
    return forces


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """The fall, and what is expected of its first blow."""
    result = context.simulate("falling", falling_model(p), end=p.end, dt=p.dt, step_error=p.step_error,
                              energy_tolerance=np.inf)  # fmt: skip
    touches = {name: result.contact(f"{name} on plane") for name in BODIES}
    force = {name: touch.normal_force.sum(axis=1) for name, touch in touches.items()}
    t, energy = result.times, result.energy["total"]
    when = int(np.argmax(force["lower"] > 0.0))
    later = int(min(np.searchsorted(t, t[when] + 0.03), len(t) - 1))
    exact = planar(p, t, p.inertia[0], lambda y: floor_on_angles(p, y))
    place = np.stack([result.position(name)[:, 1:] for name in BODIES], axis=1)
    frames = {}
    for instant in INSTANTS:
        k = int(np.argmin(np.abs(t - instant)))
        if abs(t[k] - instant) < p.dt:
            frames[instant] = [(result.position(name)[k], result.rotation_matrix(name)[k]) for name in BODIES]
    return {
        "t": t, "force": force, "energy": energy, "frames": frames, "expected": first_blow(p), "touch": float(t[when]),
        "missed": float(np.abs(place - exact).max()), "gain": float(np.diff(energy).max()),
        "lost": float(energy[0] - energy[later]),
        "deepest": float(max(-np.nanmin(touch.gap) for touch in touches.values())),
        "sideways": float(max(np.abs(result.position(name)[:, 0]).max() for name in BODIES)),
    }  # fmt: skip


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """The pendulum at the published instants, and contact forces over time."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 3.4))
    left, right = figure.subplots(1, 2, width_ratios=(1.5, 1.0))
    turn = np.linspace(0.0, 2.0 * np.pi, 80)
    rim = np.stack((np.zeros_like(turn), p.semi_axes[1] * np.cos(turn), p.semi_axes[2] * np.sin(turn)))
    for n, (instant, bodies) in enumerate(outcome["frames"].items()):
        for place, rotation in bodies:
            _, y, z = place[:, None] + rotation @ rim
            left.plot(y, z, color=f"C{n}", linewidth=1.0, label=f"{instant:g} s" if place is bodies[0][0] else None)
    left.axhline(-p.below, color="0.4")
    left.set(xlabel="y (m)", ylabel="z (m)", aspect="equal")
    left.legend(fontsize="x-small", loc="upper left")
    for name, force in outcome["force"].items():
        right.plot(outcome["t"], 1e-3 * force, label=name)
    right.set(xlabel="time (s)", ylabel="contact force (kN)")
    right.legend(fontsize="x-small")
    return {"spicka_plane": figure}


CLAIMS = [
    cd.Claim("first touch of the lower body", 0.53440, lambda o: o["touch"], kind="closed form", unit="s", tolerance=1e-3,
             origin="the pendulum in two angles; a frame after it"),
    cd.Claim("energy that the first blow takes", 20.35, lambda o: o["lost"], kind="closed form", unit="J", tolerance=0.2,
             origin="one mass 1/(J M⁻¹ Jᵀ) on the spring and dashpot: nearly all that belongs to the approach"),
    cd.Claim("energy that the first blow takes over what is expected of these parameters", 1.0,
             lambda o: o["lost"] / o["expected"]["lost"], kind="closed form", tolerance=0.02, origin="the same, computed here"),
    cd.Claim("centres beside the pendulum in two angles on the same spring and dashpot: largest distance", "the same",
             lambda o: o["missed"], kind="reference", unit="m", tolerance=5e-3,
             origin="by DOP853 to 1e-11, at all instants, those of figures 4.17 to 4.22 among them"),
    cd.Claim("deepest penetration", "small", lambda o: o["deepest"], kind="property", unit="m", tolerance=1e-3,
             origin="the fitted stiffness; bodies of 4 m"),
    cd.Claim("gain of energy in a step", "none", lambda o: o["gain"], kind="property", unit="J", tolerance=1e-9,
             origin="the law stores and dissipates, and makes nothing"),
    cd.Claim("motion out of the plane of the fall", "none", lambda o: o["sideways"], kind="property", unit="m",
             tolerance=1e-9, origin="symmetry"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="spicka-2013")
