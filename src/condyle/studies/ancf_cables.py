"""Cables at work: on two cylinders, as a net, in a crane.

A cable falls onto two cylinders and stays in balance, alike for two discretisations; a net catches a ball without
losing energy; a crane moves and hoists its load through sim.step().

Cables at work: laid over two cylinders (Hewlett 2020, §5.4.4), as a swinging net, and in a crane driven step by step.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd

PARAMETERS = {
    "length": cd.Parameter(25.0, "length of the cable", "m"),
    "cylinder": cd.Parameter(1.0, "radius of the cylinders (not published)", "m"),
    "drop": cd.Parameter(1.0, "height of the fall (not published)", "m"),
    "stiffness": cd.Parameter(1e6, "stiffness of the contact", "N/m"),
    "damper": cd.Parameter(50.0, "damping of the contact, also taken a thousand times", "N s/m"),
    "contacts": cd.Parameter(101, "contact points along the cable"),
    "end": cd.Parameter(4.0, "time of the fall", "s"),
    "fine_dt": cd.Parameter(0.0005, "step of the finer run", "s"),
    "meshes": cd.Parameter(4, "meshes of the net along a side"),
    "net_end": cd.Parameter(0.5, "time of the net", "s"),
    "net_dt": cd.Parameter(0.002, "step of the net", "s"),
    "rope": cd.Parameter(4.0, "length of the crane's rope", "m"),
    "rope_elements": cd.Parameter(8, "elements of the crane's rope"),
    "load": cd.Parameter(200.0, "mass of the load", "kg"),
    "move": cd.Parameter(3.0, "time of the crane's move", "s"),
    "crane_end": cd.Parameter(6.0, "time of the crane", "s"),
    "crane_dt": cd.Parameter(0.005, "step of the crane", "s"),
}
QUICK = {"end": 1.0, "fine_dt": 0.0025, "contacts": 51, "meshes": 2, "net_end": 0.1, "crane_end": 3.5}
INPUTS = ("cylinder", "drop", "rope")


def saddle_model(p: cd.Parameters, elements: int, damper: float) -> cd.Model:
    """A cable dropped onto two cylinders: penalty contact f = −k φ n − β (v·n) n at points along it, without friction."""
    section = cd.RoundSection(0.1, cd.StVenantKirchhoff(young=2e11, density=7750.0))
    model = cd.Model("saddle", dimension=2, gravity=(0.0, -9.81))
    height = p.cylinder + 0.1 + p.drop
    cable = model.add(cd.Cable("cable", [(0.0, height), (p.length, height)], elements, section))
    places = [(float(s), 0.0) for s in np.linspace(0.0, p.length, p.contacts)]
    law = cd.SpringDashpot(p.stiffness, damping=damper, pulls=True)
    for k, share in enumerate((0.25, 0.75)):
        cylinder = cd.Sphere(p.cylinder, (share * p.length, 0.0))
        model.add(cd.Contact(f"cylinder {k + 1}", cable, places, model.ground, cylinder, law=law, radius=0.1))
    return model


def net_model(p: cd.Parameters) -> cd.Model:
    """A square net of ropes, hung by its four corners, with a ball falling into its middle as an initial speed."""
    n = p.meshes
    points = [(i / n, j / n, 0.0) for i in range(n + 1) for j in range(n + 1)]

    def number(i: int, j: int) -> int:
        return i * (n + 1) + j

    edges = [(number(i, j), number(i + 1, j)) for i in range(n) for j in range(n + 1)]
    edges += [(number(i, j), number(i, j + 1)) for i in range(n + 1) for j in range(n)]
    rope = cd.Rope(axial=2e3, bending=1e-3, mass=0.05)
    model = cd.Model("net", dimension=3, gravity=(0.0, 0.0, -9.81))
    net = model.add(cd.Cable.net("net", points, edges, 1, rope))
    middle = number(n // 2, n // 2)
    ball = model.add(cd.PointMass("ball", 0.2, points[middle], velocity=(0.5, 0.0, -1.0)))
    model.add(cd.Spherical("catch", ball, net.point(f"point {middle}")))
    for k in (number(0, 0), number(n, 0), number(0, n), number(n, n)):
        model.add(cd.Spherical(f"hook {k}", model.ground, net.point(f"point {k}"), at=points[k]))
    return model


def crane_model(p: cd.Parameters) -> cd.Model:
    """A trolley on a rail, a rope on its drum, a load as rigid body: driven by inputs 'trolley' and 'winch'."""
    rope = cd.Rope(axial=5e5, bending=0.5, mass=0.4, damping=0.02)
    model = cd.Model("crane", dimension=2, gravity=(0.0, -9.81))
    trolley = model.add(cd.RigidBody("trolley", 100.0, inertia=10.0, position=(0.0, 0.0)))
    cable = model.add(cd.Cable("rope", [(0.0, 0.0), (0.0, -p.rope)], p.rope_elements, rope, reel=50.0))
    load = model.add(cd.RigidBody("load", p.load, inertia=5.0, position=(0.0, -p.rope - 0.3)))
    model.add(cd.Slider("rail", model.ground, trolley, at=(0.0, 0.0), axis=(1.0, 0.0)))
    model.add(cd.Pin("sheave", trolley, cable.point("start"), at=(0.0, 0.0)))
    model.add(cd.Pin("hook", cable.point("end"), load.at(0.0, 0.3)))
    model.add(cd.Drive("trolley drive", "rail.position", motion=0.0))
    model.add(cd.Drive("winch", "rope.length", motion=p.rope))
    return model


def drive_crane(p: cd.Parameters) -> cd.Outcome:
    """A move of 2 m with the rope hoisted by 1 m, both by smooth inputs step by step."""

    def smooth(t: float) -> float:
        s = min(max(t / p.move, 0.0), 1.0)
        return s - np.sin(2.0 * np.pi * s) / (2.0 * np.pi)

    # A light rope under a heavy load is a string: its tension must stand in the matrix, too.
    sim = cd.Simulation(crane_model(p), dt=p.crane_dt, integrator=cd.methods.LinearisedImplicit())
    path = []
    while sim.time < p.crane_end:
        sim.inputs["trolley drive"] = 2.0 * smooth(sim.time)
        sim.inputs["winch"] = p.rope - smooth(sim.time)
        sim.step()
        path.append([sim.time, *sim.position("trolley"), *sim.position("load")])
    rows = np.array(path)
    swing = pendulum(p, smooth, rows[:, 0])
    return {
        "path": rows,
        "length": sim.coordinate("rope.length"),
        "swing": swing,
    }


def pendulum(p: cd.Parameters, smooth: Any, times: NDArray[np.float64]) -> NDArray[np.float64]:
    """Sway x − x_trolley [m] of a mass on an inextensible line that is moved and hoisted alike, by RK4.

    ℓ θ'' + 2 ℓ' θ' + g sin θ + a cos θ = 0, θ from the vertical.
    """

    def rates(t: float, s: NDArray[np.float64]) -> NDArray[np.float64]:
        h = 1e-4
        line = p.rope + 0.3 - smooth(t)
        pull = -(smooth(t + h) - smooth(t - h)) / (2.0 * h)
        push = 2.0 * (smooth(t + h) - 2.0 * smooth(t) + smooth(t - h)) / h**2
        return np.array([s[1], -(2.0 * pull * s[1] + 9.81 * np.sin(s[0]) + push * np.cos(s[0])) / line])

    state, t, out = np.zeros(2), 0.0, []
    for aim in times:
        h = aim - t
        a = rates(t, state)
        b = rates(t + 0.5 * h, state + 0.5 * h * a)
        c = rates(t + 0.5 * h, state + 0.5 * h * b)
        e = rates(aim, state + h * c)
        state, t = state + h / 6.0 * (a + 2 * b + 2 * c + e), aim
        out.append((p.rope + 0.3 - smooth(t)) * np.sin(state[0]))
    return np.array(out)


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """The three of them."""
    crane = drive_crane(p)
    late = crane["path"][crane["path"][:, 0] > p.move]
    yield {
        "crane": crane["path"],
        "height": float(np.mean(np.hypot(late[:, 3] - late[:, 1], late[:, 4]))),
        "sway": float(np.abs(crane["path"][:, 3] - crane["path"][:, 1] - crane["swing"]).max()),
    }

    def fall(elements: int, dt: float, damper: float, end: float = p.end) -> cd.Result:
        method = cd.Compliant(contact="explicit")
        return cd.simulate(saddle_model(p, elements, damper), end=end, dt=dt, integrator=method, every=round(0.01 / dt))

    def height(result: cd.Result) -> NDArray[np.float64]:
        return result.position(cd.Point("cable", (0.5 * p.length, 0.0)))[:, 1]

    hard = 1e3 * p.damper
    fine = height(fall(10, p.fine_dt, p.damper))
    yield {"fall": float(fine[round(0.3 / 0.01)])}
    coarse = fall(6, 0.01, p.damper)
    middle = [
        height(coarse),
        height(fall(10, 0.01, p.damper)),
        fine,
        height(fall(10, 0.005, p.damper, 0.5)),
        height(fall(6, 0.01, hard)),
        height(fall(10, p.fine_dt, hard)),
    ]
    ends = [coarse.position(f"cable.{name}") for name in ("start", "end")]
    mirror = ends[0] + ends[1] - (p.length, 0.0)
    net = cd.simulate(net_model(p), end=p.net_end, dt=p.net_dt)
    E = net.energy["total"]
    yield {
        "t": coarse.times,
        "middle": middle,
        "meshes": float(np.sqrt(np.mean((middle[0] - middle[1]) ** 2))),
        "touch": [float(np.abs(middle[k][:51] - middle[2][:51]).max()) for k in (1, 3)],
        "steps": np.abs(middle[1] - middle[2]),
        "damped": float(np.sqrt(np.mean((middle[4] - middle[5]) ** 2))),
        "mirror": float(np.abs(mirror[:, 0]).max() + np.abs(ends[0][:, 1] - ends[1][:, 1]).max()),
        "net energy": float(np.abs(E - E[0]).max() / np.ptp(net.energy["kinetic"])),
        "net fall": float(net.position("ball")[:, 2].min()),
    }


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """The middle of the cable on the cylinders, and the path of the crane's load."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.6, 4.8))
    top, bottom = figure.subplots(2, 1)
    printed, thousand = f"{p.damper:g} N s/m", f"{p.damper:g} kN s/m"
    for k, color, line, label in (
        (0, "C0", "-", f"6 elements, 10 ms, {printed}"),
        (2, "C0", ":", f"10 elements, {1e3 * p.fine_dt:g} ms, {printed}"),
        (4, "C1", "-", f"6 elements, 10 ms, {thousand}"),
        (5, "C1", ":", f"10 elements, {1e3 * p.fine_dt:g} ms, {thousand}"),
    ):
        top.plot(outcome["t"], outcome["middle"][k], line, color=color, label=label)
    top.set(xlabel="time (s)", ylabel="middle of the cable (m)")
    top.set_ylim(top=1.2 * float(np.max(outcome["middle"][2])))
    top.legend(fontsize="x-small", ncols=2)
    bottom.plot(outcome["crane"][:, 3], outcome["crane"][:, 4])
    bottom.set(xlabel="x of the load (m)", ylabel="y (m)")
    return {"cables": figure}


SECTION = "Hewlett 2020, section 5.4.4"
TAKEN = (
    "the damper as printed, 50 N s/m, is 0.05 % of critical for half the cable on one contact, while a step of 10 ms takes "
    "h ω² = 2.6 per second from bending between them, so that the large step takes the rebound; neither the number of "
    "elements, of contact points nor the height of the fall changes it"
)


def _steps_claim(when: str, frames: int | None, differs: cd.Differs, full_only: bool = False) -> cd.Claim:
    """That a large and a small step give the same motion; frames: of which it is asked."""
    return cd.Claim(
        f"large and small step {when}, damper as printed: largest difference", 0.0,
        lambda o: float(o["steps"][:frames].max()), unit="m", tolerance=0.05, kind="published", full_only=full_only,
        origin=f"{SECTION}, figure 5.12: essentially unchanged, read to ±0.05 m", differs=differs,
    )  # fmt: skip


CLAIMS = [
    cd.Claim("middle of the cable on two cylinders, 6 and 10 elements: root mean square", "coincide", lambda o: o["meshes"],
             unit="m", tolerance=0.02,
             kind="published", origin=f"{SECTION}, figure 5.12, read to ±0.02 m; cylinders and drop are ours"),
    cd.Claim("large and small step until the cable lies on the cylinders (0.5 s): largest difference", "coincide",
             lambda o: o["touch"][0], unit="m", tolerance=0.03,
             kind="published", origin=f"{SECTION}, figure 5.12, read to ±0.03 m"),
    cd.Claim("the same with half the large step, of that with the large step", "of first order",
             lambda o: o["touch"][1] / o["touch"][0], tolerance=0.6, kind="property", origin="order of the method"),
    _steps_claim("in the first second", 101, cd.Differs(TAKEN, 0.12, 0.42)),
    _steps_claim("over the whole run", None, cd.Differs(TAKEN, 0.75, 0.95), full_only=True),
    cd.Claim("6 elements at 10 ms and 10 with the small step, damper of 50 kN s/m: root mean square", "coincide",
             lambda o: o["damped"], unit="m", tolerance=0.05,
             kind="relation",
             origin=f"{SECTION} with β read in kN s/m: contact then damps most, as the text says of it"),
    cd.Claim("height of the middle after 0.3 s of free fall, small step", 1.6586, lambda o: o["fall"], unit="m",
             tolerance=0.005, kind="closed form", origin="2.1 m − ½ g t²; first order in the step"),
    cd.Claim("departure from mirror symmetry", "kept", lambda o: o["mirror"], unit="m", tolerance=1e-6,
             kind="published", origin=f"{SECTION}: the mirror symmetry of the problem is maintained"),
    cd.Claim("energy of the swinging net under energy–momentum, over its kinetic energy", "kept", lambda o: o["net energy"],
             tolerance=1e-8, kind="property", origin="beyond the source"),
    cd.Claim("depth the ball falls into the net", (-0.6, -0.05), lambda o: o["net fall"], unit="m",
             kind="property", origin="beyond the source"),
    cd.Claim("distance of the crane's load from its trolley", 3.3118, lambda o: o["height"], unit="m", tolerance=0.002,
             kind="closed form", origin="0.3 m and the hoisted rope of 3 m, stretched by the weight of the load"),
    cd.Claim("sway of the load, largest difference from a pendulum of the same motion", "near", lambda o: o["sway"], unit="m",
             tolerance=0.05,
             kind="closed form",
             origin="ℓ θ'' + 2 ℓ' θ' + g sin θ + a cos θ = 0; the load is no point, and steps of first order damp the swing: "
             "0.065, 0.037, 0.024 m at 10, 5, 2.5 ms"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="hewlett-2020")
