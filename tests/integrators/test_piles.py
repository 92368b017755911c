"""Piles of boxes and spheres in a bin: they come to rest, stay there, and every step is solved."""

from __future__ import annotations

import numpy as np
import pytest

import condyle as cd

H, G, HALF, STEP = 30, 9.81, 0.1, 2e-3


def pile(kind: str) -> cd.Model:
    """Thirty bodies of 0.2 m, a little out of line, above the floor of a bin."""
    model = cd.Model("pile", dimension=3, gravity=(0.0, 0.0, -G))
    rng, bodies = np.random.default_rng(3), []
    for k in range(H):
        at = np.array([k % 3, k // 3 % 3, k // 9]) * (2.2 * HALF, 2.2 * HALF, 2.25 * HALF) + (0.0, 0.0, 1.2 * HALF)
        at = tuple(at + 0.1 * HALF * rng.uniform(-1, 1, 3))
        make = cd.RigidBody.ball if kind == "spheres" else cd.RigidBody.box
        bodies.append(model.add(make(f"body {k}", HALF if kind == "spheres" else (2 * HALF,) * 3, 1000.0, position=at)))
    walls = [((0, 0, 1), (0, 0, 0))]
    walls += [(normal, (-0.14, -0.14, 0)) for normal in ((1, 0, 0), (0, 1, 0))]
    walls += [(normal, (0.58, 0.58, 0)) for normal in ((-1, 0, 0), (0, -1, 0))]
    model.add(cd.Collisions("pile", bodies, [cd.Plane(*wall) for wall in walls], friction=0.4))
    return model


def run(kind: str, steps: int, tolerance: float = 1e-6) -> tuple[cd.Simulation, list[float]]:
    sim = cd.Simulation(pile(kind), dt=STEP, integrator=cd.Nonsmooth(tolerance=tolerance, give=0.03))
    energies, unsolved = [], 0
    for _ in range(steps):
        unsolved += bool(sim.step().unsolved)
        energies.append(sim.energy()["total"])
    assert unsolved == 0
    return sim, energies


# Spheres that roll go over from sticking to slipping so slowly that a step in a thousand would end above 1e-6.
@pytest.mark.parametrize(
    ("kind", "steps", "tolerance", "bound"), [("boxes", 400, 1e-6, 1e-7), ("spheres", 1500, 1e-4, 1e-4)]
)
def test_a_pile_comes_to_rest_and_stays_there(kind, steps, tolerance, bound):
    sim, energies = run(kind, steps, tolerance)
    speeds = [float(np.linalg.norm(sim.velocity(f"body {k}"))) for k in range(H)]
    assert np.median(speeds) < bound
    # Contacts give by three hundredths of a blow, and what that has taken is given back when bodies are moved apart.
    change = np.diff(energies)
    assert change.max() < 0.03 * -change.min()
    contact = sim.system.contact
    assert contact is not None
    assert contact.pairs[0].gaps(sim.state.x).min() > -1e-5


def test_high_towers_calm_down():
    """Sixteen boxes on top of each other are soft where contacts give; springs without dampers sway at 4.7e-4 m/s."""
    model, rng, bodies = cd.Model("towers", dimension=3, gravity=(0.0, 0.0, -G)), np.random.default_rng(4), []
    for k in range(32):
        aside = 0.01 * rng.uniform(-1, 1, 2) + (0.4 * (k // 16), 0.0)
        at = (*aside, 1.02 * HALF + 2.02 * HALF * (k % 16))
        bodies.append(model.add(cd.RigidBody.box(f"body {k}", (2 * HALF,) * 3, 1000.0, position=at)))
    model.add(cd.Collisions("towers", bodies, cd.Plane((0, 0, 1)), friction=0.4))
    sim = cd.Simulation(model, dt=STEP, integrator=cd.Nonsmooth(tolerance=1e-6, give=1e-3, sweeps=200))
    fastest = []
    for _ in range(600):
        assert not sim.step().unsolved
        fastest.append(max(float(np.linalg.norm(sim.velocity(body.name))) for body in bodies))
    assert max(fastest[500:]) < 2.5e-4


def test_without_giving_way_a_pile_never_gains_energy():
    sim = cd.Simulation(pile("boxes"), dt=STEP, integrator=cd.Nonsmooth(tolerance=1e-6, sweeps=200, finish=False))
    energies = []
    for _ in range(120):
        sim.step()
        energies.append(sim.energy()["total"])
    assert np.diff(energies).max() < 1e-8 * energies[0]


def test_two_runs_of_a_pile_are_the_same_bit_for_bit():
    one, other = (run("boxes", 60)[0].state for _ in range(2))
    assert np.array_equal(one.x, other.x) and np.array_equal(one.v, other.v)
