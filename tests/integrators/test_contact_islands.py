"""Contacts of piles in islands: what shares no moving body is solved by itself, and nothing else changes."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pytest

import condyle as cd
from condyle.integrators import nonsmooth_islands as islands
from condyle.integrators.nonsmooth_rigid import KNOWN

G, HALF, STEP = 9.81, 0.1, 2e-3


def towers(places: list[tuple[float, ...]], bridge: bool = False) -> cd.Model:
    """Towers of three boxes on a floor, a little askew; bridge: a plank lies on top of all."""
    model, bodies = cd.Model("towers", dimension=3, gravity=(0.0, 0.0, -G)), []
    for t, (x, y) in enumerate(places):
        for k in range(3):
            at = (x + 0.01 * k, y - 0.005 * k, HALF + 2 * HALF * k)
            bodies.append(model.add(cd.RigidBody.box(f"box {t} {k}", (2 * HALF,) * 3, 1000.0, position=at)))
    if bridge:
        at = (*np.mean(places, axis=0), 6 * HALF + 0.5 * HALF)
        size = (np.ptp([p[0] for p in places]) + 2 * HALF, 2 * HALF, HALF)
        bodies.append(model.add(cd.RigidBody.box("plank", size, 1000.0, position=at)))
    model.add(cd.Collisions("towers", bodies, cd.Plane((0, 0, 1)), friction=0.4))
    return model


def after(model: cd.Model, steps: int) -> cd.Simulation:
    sim = cd.Simulation(model, dt=STEP, integrator=cd.Nonsmooth(tolerance=1e-6, give=1e-3, sweeps=200))
    for _ in range(steps):
        assert not sim.step().unsolved
    return sim


def test_towers_move_as_if_others_were_not_there():
    places = [(0.0, 0.0), (1.0, 0.3), (2.0, -0.4), (0.0, 1.0), (1.0, 1.3), (2.0, 1.4)]
    few, many = after(towers(places[:3]), 40), after(towers(places), 40)
    for t in range(3):
        for k in range(3):
            name = f"box {t} {k}"
            assert many.position(name) == pytest.approx(few.position(name), abs=1e-5)
            assert many.velocity(name) == pytest.approx(few.velocity(name), abs=1e-6)


def test_a_plank_over_two_towers_rests():
    """It makes one island of them."""
    sim = after(towers([(0.0, 0.0), (0.6, 0.0)], bridge=True), 300)
    contact = sim.system.contact
    assert contact is not None
    assert contact.pairs[0].gaps(sim.state.x).min() > -1e-6
    assert float(np.linalg.norm(sim.velocity("plank"))) < 1e-6


def test_islands_are_found_whatever_the_order_of_their_contacts():
    """Union of bodies by contacts, with the floor (which does not move) in no island."""
    # Bodies 0–4 move, 5 is the floor: 3–1, 0–floor, 4–2, floor–1, 2–4.
    couples = [(3, 1), (0, 5), (4, 2), (5, 1), (2, 4)]
    column = np.arange(36).reshape(6, 6)
    column[5] = -1
    group = SimpleNamespace(rows=np.zeros((6, 6)), on=np.arange(6), column=column)
    features = np.zeros((7, KNOWN + 2))
    chosen = np.array([6, 4, 2, 1, 0])
    for c, (a, b) in zip(chosen, couples, strict=True):
        features[c, KNOWN : KNOWN + 2] = a + 1, b + 1
    start, rows, columns, place = islands.part_islands.py_func(group, features, chosen)
    found = [set(chosen[i:j].tolist()) for i, j in pairwise(start)]
    assert sorted(map(sorted, found)) == [[0, 2], [1, 6], [4]]
    assert start.size == 4
    for i in range(3):
        mine = columns[rows[i] : rows[i + 1]]
        assert (mine[-1] == -1).all()  # what does not move
        assert (mine[:-1] >= 0).all()
    for body in range(5):
        assert any((columns[rows[i] + place[body]] == column[body]).all() for i in range(3))
