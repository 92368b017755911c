"""Groups of many shapes in soft contact: steps in compiled code, with products of couples that have no place in the matrix."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import condyle as cd
from condyle.geometry import kinds
from condyle.geometry.batch import closest_of_pairs, place_shapes
from condyle.geometry.touching import frames_of_bodies
from condyle.integrators.compiled import CompiledMethod
from condyle.system.touching.tables import COUPLED

G, STEP, HALF = 9.81, 2e-3, 0.1
FEW_FAIL = 0.1  # of the steps: boxes that meet edge on edge make the force jump, and Python cuts such a step


def pile(
    kind: str, count: int = 16, stiffness: float = 1e5, joined: bool = False, unit: float = 1.0, shot: float = 0.0
) -> cd.Model:
    """Bodies of 0.2 m in layers that fall onto the ground and onto each other; unit [m]: of length.

    joined: the first two hang on a ball joint, and a spring pulls at the next two. shot [m/s]: of a small ball from aside.
    """
    d, side = (2, 4) if kind == "disks" else (3, 3)
    rng, k = np.random.default_rng(1), np.arange(count)
    grid = np.stack((k % side, k // side % side, k // side**2) if d == 3 else (k % side, k // side), axis=1)
    places = 2.2 * HALF * grid + 0.1 * HALF * rng.uniform(-1, 1, (count, d))
    velocities = 0.3 * rng.uniform(-1, 1, (count, d))
    places[:, -1] += 1.1 * HALF
    velocities[:, -1] -= 0.5
    model, bodies = cd.Model("pile", dimension=d, gravity=(0.0,) * (d - 1) + (-G / unit,)), []
    for k, (at, velocity) in enumerate(zip(places / unit, velocities / unit, strict=True)):
        make = {"boxes": cd.RigidBody.box, "spheres": cd.RigidBody.ball, "disks": cd.RigidBody.disk}[kind]
        size = (2 * HALF / unit,) * 3 if kind == "boxes" else HALF / unit
        given = {"position": tuple(at), "velocity": tuple(velocity)}
        bodies.append(model.add(make(f"body {k}", size, 1000.0 * unit**d, **given)))
    if shot:
        bodies.append(
            model.add(cd.RigidBody.ball("shot", 0.03, 1000.0, position=(-0.3, 0, 0.11), velocity=(shot, 0, 0)))
        )
    if joined:
        arm = 0.5 * (places[1] - places[0])
        model.add(cd.Spherical("knot", bodies[0].at(*arm), bodies[1].at(*-arm)))
        model.add(cd.Spring("cord", bodies[2].at(0, 0, 0), bodies[3].at(0, 0, 0), 500.0))
    ground = cd.Plane((0, 1) if d == 2 else (0, 0, 1))
    model.add(cd.Collisions("pile", bodies, ground, law=cd.SpringDashpot(stiffness, ratio=0.3), friction=0.4, most=600))
    return model


def run(sim: cd.Simulation, steps: int) -> tuple[np.ndarray, int, int]:
    """Places after each step, how many steps were taken in Python, and the most couples with products apart from the matrix."""
    places, slow, most = [], 0, 0
    compiled = sim.method.compiled(sim.system)
    for _ in range(steps):
        slow += bool(sim.step().in_python)
        places.append(sim.state.x.copy())
        most = max(most, 0 if compiled is None else int(compiled.touch.table.flags[COUPLED]))
    return np.array(places), slow, most


MIDPOINT, END = cd.EnergyMomentum(), cd.GeneralizedAlpha()
CASES: dict[str, tuple[dict[str, Any], Any]] = {
    "spheres": ({"kind": "spheres"}, MIDPOINT),
    "boxes": ({"kind": "boxes"}, MIDPOINT),
    "disks": ({"kind": "disks"}, MIDPOINT),
    "stiff spheres": ({"kind": "spheres", "stiffness": 1e7}, MIDPOINT),
    "boxes that are joined": ({"kind": "boxes", "joined": True}, MIDPOINT),
    "spheres that are joined": ({"kind": "spheres", "joined": True}, END),
    "boxes at the end": ({"kind": "boxes"}, END),
}


@pytest.mark.parametrize("case", CASES)
def test_compiled_steps_of_a_pile_are_those_of_python(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python looks for points of all couples that are near, and has one matrix with all products in it."""
    (given, method), count = CASES[case], 40
    sim = cd.Simulation(pile(**given), dt=STEP, integrator=method)
    compiled, slow, most = run(sim, count)
    assert slow <= FEW_FAIL * count and most > 1
    other = cd.Simulation(pile(**given), dt=STEP, integrator=method)
    contact: Any = other.system.contact
    contact.kernels = False
    contact.build(other.state.x)
    monkeypatch.setattr(CompiledMethod, "why_in_python", lambda self, system: "asked for")
    python, slow, _ = run(other, count)
    assert slow == count
    np.testing.assert_allclose(compiled, python, rtol=0.0, atol=1e-7)


@pytest.mark.parametrize("kind", ["spheres", "boxes"])
def test_energy_of_a_falling_pile_never_grows(kind: str) -> None:
    result = cd.simulate(pile(kind, 40), end=0.3, dt=STEP)
    energy = result.energy["total"]
    assert sum(result.in_python.values()) <= FEW_FAIL * 150
    assert np.diff(energy).max() <= 1e-12 * energy.max()
    assert energy[-1] < energy[0] - 1.0  # [J] friction and dampers have taken some


def test_a_pile_goes_on_bit_for_bit() -> None:
    """Also where couples of shapes are looked for at other times. Instants are exact numbers, and so are the steps."""
    h = 2.0**-9
    whole = cd.simulate(pile("boxes"), end=50 * h, dt=h)
    first = cd.simulate(pile("boxes"), end=23 * h, dt=h)
    rest = cd.simulate(pile("boxes"), end=50 * h, dt=h, state=first)
    for one, other in zip(rest.state(-1).memory.values(), whole.state(-1).memory.values(), strict=True):
        assert np.array_equal(one, other)
    assert np.array_equal(rest.state(-1).x, whole.state(-1).x)
    assert np.array_equal(rest.state(-1).v, whole.state(-1).v)


def test_a_pile_is_the_same_in_metres_and_millimetres() -> None:
    metres = cd.simulate(pile("boxes"), end=40 * STEP, dt=STEP)
    small = cd.simulate(pile("boxes", unit=1e-3), end=40 * STEP, dt=STEP)
    for name in ("body 0", "body 7", "body 15"):
        np.testing.assert_allclose(1e-3 * small.position(name), metres.position(name), rtol=0.0, atol=1e-9)
    assert abs(small.iterations.mean() - metres.iterations.mean()) < 0.3


def test_no_shapes_that_meet_are_passed_over() -> None:
    """Within a step, points are looked for only where shapes may have met; a ball flies in by 40 mm a step."""
    sim = cd.Simulation(pile("boxes", shot=20.0), dt=STEP)
    contact: Any = sim.system.contact
    pair, work, touched, apart = contact.pairs[0], kinds.make_work(), 0, 0
    for _ in range(30):
        if sim.step().in_python:
            continue
        meeting = cd.EnergyMomentum().compiled(sim.system).touch.table.meeting
        near = meeting.near[: meeting.near_count[0]]
        poses = np.empty((len(pair.names), 4, 3))
        frames_of_bodies(sim.state.x, pair.rows_of_bodies, np.empty_like(poses), poses, np.empty((len(poses), 3, 3)))
        placed, answers = np.empty((len(pair.shapes), 4, 3)), np.empty((len(near), 10))
        place_shapes(pair.shapes.table, pair.shapes.on, poses, placed)
        closest_of_pairs(work, pair.shapes.table, placed, meeting.couple[near], np.zeros((len(near), 3)), answers)
        inside = answers[:, 0] < 0.0
        assert meeting.meets[near][inside].all()
        touched, apart = touched + int(inside.sum()), apart + int((meeting.meets[near] == 0).sum())
    assert touched > 30 and apart > 300
