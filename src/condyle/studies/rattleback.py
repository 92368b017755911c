"""A rattleback: a stone that refuses to spin one way.

Half of a long ellipsoid rolls on a table without slipping; the axes of its inertia are turned a little against those of its
surface. Spun one way, it begins to rattle, stops and turns round; spun the other way, it goes on. Which way that is, and how
fast the rattling grows, follows from the equations of a body that rolls, linearised about its spin. Such stones are the subject
of kane-1982; the data here are our own.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd

PARAMETERS = {
    "length": cd.Parameter(0.20, "half of the long axis of the ellipsoid", "m"),
    "width": cd.Parameter(0.03, "half of its short axis", "m"),
    "height": cd.Parameter(0.02, "half of its height", "m"),
    "depth": cd.Parameter(0.01, "centre of mass below the centre of the ellipsoid", "m"),
    "mass": cd.Parameter(1.0, "mass", "kg"),
    "inertia": cd.Parameter((2e-4, 1.6e-3, 1.7e-3), "moments of inertia about the axes of the ellipsoid", "kg m²"),
    "skew": cd.Parameter(-2e-5, "product of inertia", "kg m²"),
    "gravity": cd.Parameter(9.81, "acceleration of gravity", "m/s²"),
    "spin": cd.Parameter(5.0, "spin at the start, one way and the other", "rad/s"),
    "wobble": cd.Parameter(0.5, "rate of roll at the start", "rad/s"),
    "friction": cd.Parameter(20.0, "coefficient of friction: it does not slip"),
    "dt": cd.Parameter(2.5e-4, "time step", "s"),
    "end": cd.Parameter(10.0, "time simulated", "s"),
}
QUICK = {"dt": 1e-3, "end": 10.0}
INPUTS = ("length", "width", "depth", "gravity")
METHOD = cd.GeneralizedAlpha(1.0)  # second order, without damping of its own; its steps are compiled
GROWTH = 5e-4, 2.5e-4  # steps [s] of runs of which growth is read, and from which it is extrapolated
ROCKING = 0.5, 2.5e-4  # time [s] and step [s] of runs of which frequencies are read


def stone(p: cd.Parameters, rate: tuple[float, ...], skew: float) -> cd.Model:
    """The stone on a table, with a given angular velocity [rad/s] and product of inertia [kg m²]."""
    model = cd.Model("rattleback", dimension=3, gravity=(0.0, 0.0, -p.gravity))
    inertia = np.diag(p.inertia)
    inertia[0, 1] = inertia[1, 0] = skew
    place = (0.0, 0.0, p.height - p.depth)
    body = model.add(cd.RigidBody("stone", p.mass, inertia=inertia, position=place, angular_velocity=rate))
    shape = cd.Ellipsoid((p.length, p.width, p.height), centre=(0.0, 0.0, p.depth))
    model.add(cd.Contact("table", body, shape, model.ground, cd.Plane((0.0, 0.0, 1.0)), friction=p.friction))
    return model


def modes(p: cd.Parameters) -> tuple[Any, Any]:
    """Frequencies [rad/s] and shapes, columns, of small rocking about both axes, with the radii of curvature b²/c and a²/c.

    m g (R − l) is the stiffness of rolling by an angle, l the height of the centre of mass, J + m l² its inertia.
    """
    low = p.height - p.depth
    K = p.mass * p.gravity * np.diag([p.width**2 / p.height - low, p.length**2 / p.height - low])
    J = np.array([[p.inertia[0], p.skew], [p.skew, p.inertia[1]]]) + p.mass * low**2 * np.eye(2)
    values, vectors = np.linalg.eig(np.linalg.solve(J, K))
    order = np.argsort(values)
    return np.sqrt(values[order]), vectors[:, order]


def frequency(p: cd.Parameters, shape: NDArray[np.float64]) -> float:
    """Of the stone rocking in one of its modes, by the times at which its rate changes sign [rad/s]."""
    rate = 0.01 * shape / np.abs(shape).max()
    result = cd.simulate(stone(p, (*rate, 0.0), p.skew), end=ROCKING[0], dt=ROCKING[1], integrator=METHOD)
    turning = result.angular_velocity("stone")[:, :2] @ shape
    k = np.flatnonzero(turning[:-1] * turning[1:] < 0.0)
    times = result.times[k] + ROCKING[1] * turning[k] / (turning[k] - turning[k + 1])
    return float(np.pi * (len(times) - 1) / (times[-1] - times[0]))


def rates(p: cd.Parameters, state: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rates of (u, ω) in the axes of a stone that rolls: u is the vertical, ω its angular velocity.

    With the arm s(u) from the centre of mass to the point that touches, which is at rest, v = s × ω and

        u̇ = u × ω,   J ω̇ − m s × (s × ω̇) = −ω × J ω + m s × (ṡ × ω + ω × (s × ω) + g u)
    """
    up, spin = state[:3], state[3:]
    squares, J = np.array([p.length, p.width, p.height]) ** 2, np.diag(p.inertia).astype(float)
    J[0, 1] = J[1, 0] = p.skew
    size, turning = np.sqrt(up @ (squares * up)), np.cross(up, spin)
    arm = np.array([0.0, 0.0, p.depth]) - squares * up / size
    moving = -squares * turning / size + squares * up * (up @ (squares * turning)) / size**3
    push = np.cross(moving, spin) + np.cross(spin, np.cross(arm, spin)) + p.gravity * up
    across = np.cross(arm, np.eye(3)).T
    turn = np.linalg.solve(J - p.mass * across @ across, p.mass * np.cross(arm, push) - np.cross(spin, J @ spin))
    return np.concatenate((turning, turn))


def linear_growth(p: cd.Parameters, spin: float) -> tuple[float, float]:
    """Growth [1/s] of slow and of fast rocking about a steady spin [rad/s]: real parts of the eigenvalues."""
    steady = np.array([0.0, 0.0, 1.0, 0.0, 0.0, spin])
    columns = [(rates(p, steady + 1e-6 * e) - rates(p, steady - 1e-6 * e)) / 2e-6 for e in np.eye(6)]
    values = np.linalg.eigvals(np.array(columns).T)
    slow, fast = sorted((value for value in values if value.imag > 1.0), key=lambda value: float(value.imag))
    return float(slow.real), float(fast.real)


def growth(p: cd.Parameters, dt: float) -> float:
    """Of the rattling of the stone that is spun one way and hardly disturbed, by its peaks [1/s]."""
    result = cd.simulate(stone(p, (3e-3, 3e-3, -p.spin), p.skew), end=1.5, dt=dt, integrator=METHOD)
    axes = result.rotation_matrix("stone")
    size = np.abs(np.einsum("tij,ti->tj", axes, result.angular_velocity("stone"))[:, 1])
    peak = np.flatnonzero((size[1:-1] > size[:-2]) & (size[1:-1] >= size[2:])) + 1
    peak = peak[result.times[peak] > 0.5]
    return float(np.polyfit(result.times[peak], np.log(size[peak]), 1)[0])


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """Rocking in both modes; both spins; the stone in a mirror, and one whose axes are not turned."""
    shapes = modes(p)[1]
    found: cd.Outcome = {"rocking": [frequency(p, shapes[:, k]) for k in (0, 1)], "spin": {}}
    found["linear"] = {"against": linear_growth(p, -p.spin), "with": linear_growth(p, p.spin)}
    yield found
    coarse, fine = (growth(p, dt) for dt in GROWTH)
    found["growth"] = 2.0 * fine - coarse
    yield found
    cases = {
        "against": (-p.spin, p.skew), "with": (p.spin, p.skew), "mirror": (p.spin, -p.skew), "straight": (-p.spin, 0.0),
    }  # fmt: skip
    for name, (spin, skew) in cases.items():
        wobble = -p.wobble if name == "mirror" else p.wobble
        result = cd.simulate(stone(p, (wobble, 0.0, spin), skew), end=p.end, dt=p.dt, integrator=METHOD)
        found["spin"][name] = result.angular_velocity("stone")[:, 2]
        found["times"] = result.times
        if name == "against":
            energy, contact = result.energy["total"], result.contact("table")
            found["lost"] = float(np.abs(energy - energy[0]).max() / energy[0])
            found["slip"] = float(contact.slip.max())
            found["rattle"] = result.angular_velocity("stone")[:, 1]
    yield found


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """The spin over time, and the rattling of the stone that turns round."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.0, 3.4), layout="constrained")
    spin, rattle = figure.subplots(1, 2)
    labels = {"against": "spun one way", "with": "spun the other way", "straight": "axes not turned"}
    for name, label in labels.items():
        spin.plot(outcome["times"], outcome["spin"][name], lw=1.2, label=label)
    spin.axhline(0.0, color="0.7", lw=0.8)
    spin.set(xlabel="time (s)", ylabel="spin (rad/s)")
    spin.legend(fontsize="x-small")
    rattle.plot(outcome["times"], outcome["rattle"], lw=0.5)
    rattle.set(xlabel="time (s)", ylabel="rattling of the stone spun one way (rad/s)")
    return {"rattleback": figure}


def _mirrored(outcome: cd.Outcome) -> float:
    """How far the stone in the mirror is from the mirror image of the stone, while it spins down [rad/s]."""
    early = outcome["times"] < 3.0
    return float(np.abs(outcome["spin"]["mirror"] + outcome["spin"]["against"])[early].max())


CLAIMS = [
    cd.Claim("frequency of slow rocking", 33.830, lambda o: o["rocking"][0], unit="rad/s", tolerance=0.2, kind="closed form",
             origin="m g (R − l) and J + m l² about both axes, which the product of inertia couples"),
    cd.Claim("frequency of fast rocking", 107.207, lambda o: o["rocking"][1], unit="rad/s", tolerance=0.6, kind="closed form",
             origin="the same"),
    cd.Claim("spun one way: growth of fast rocking", 2.1207, lambda o: o["growth"], unit="1/s", tolerance=0.06,
             kind="closed form", origin="eigenvalues of the equations of rolling, linearised about the spin; two steps, "
             "extrapolated"),
    cd.Claim("the same by the linear equations", 2.1207, lambda o: o["linear"]["against"][1], unit="1/s", tolerance=1e-3,
             kind="closed form", origin="eigenvalues: this way fast rocking grows and slow rocking dies out"),
    cd.Claim("spun the other way: growth of fast rocking by the linear equations", -2.1207, lambda o: o["linear"]["with"][1],
             unit="1/s", tolerance=1e-3, kind="closed form",
             origin="eigenvalues: it dies out; slow rocking grows ten times more slowly"),
    cd.Claim("spun the other way: growth of slow rocking by the linear equations", 0.2025, lambda o: o["linear"]["with"][0],
             unit="1/s", tolerance=1e-3, kind="closed form", origin="eigenvalues: in the end it would turn round once more"),
    cd.Claim("spun one way: largest spin the other way", (2.5, 5.0), lambda o: float(o["spin"]["against"].max()), unit="rad/s",
             kind="property", origin="it turns round"),
    cd.Claim("spun the other way: least spin", (4.5, 5.0), lambda o: float(o["spin"]["with"].min()), unit="rad/s",
             kind="property", origin="it goes on"),
    cd.Claim("axes not turned: change of the spin", "none", lambda o: float(np.ptp(o["spin"]["straight"])), unit="rad/s",
             tolerance=2e-3, kind="property", origin="nothing tells left from right"),
    cd.Claim("in a mirror: difference of the spins", "the mirror image", _mirrored, unit="rad/s", tolerance=1e-5,
             kind="property", origin="symmetry"),
    cd.Claim("spun one way: slip of the contact point", "rolls", lambda o: o["slip"], unit="m/s", tolerance=1e-9,
             kind="property", origin="friction holds it"),
    cd.Claim("spun one way: energy lost", "kept", lambda o: o["lost"], tolerance=0.03, kind="property", full_only=True,
             origin="what rolls does no work; an error of the step, of second order"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
