"""Mechanisms with loops in joint coordinates: a spanning tree, and multipliers for what closes its loops."""

from itertools import pairwise

import numpy as np
import pytest

import condyle as cd
from condyle.integrators.joint_steps import JointSteps
from condyle.integrators.row_steps import RowSteps
from condyle.system.compile import running


def four_bar(dimension=2):
    """Three bars between two pins; in space with hinges, whose conditions depend on each other."""
    rest = (0.0,) * (dimension - 2)
    m = cd.Model("four-bar", dimension=dimension, gravity=(0, -9.81, *rest))
    places = [(0.0, 0.0, *rest), (0.3, 0.4, *rest), (1.1, 0.7, *rest), (1.0, 0.0, *rest)]
    bars = [m.ground]
    for k, ends in enumerate(pairwise(places)):
        inertia = 0.05 + 0.02 * k
        whole = inertia if dimension == 2 else (0.06, 0.05, inertia)
        bars.append(m.add(cd.RigidBody(f"bar {k}", 1.0 + k, inertia=whole, position=np.mean(ends, axis=0))))
    for k, (one, other, at) in enumerate(zip(bars, [*bars[1:], m.ground], places, strict=True)):
        if dimension == 2:
            m.add(cd.Pin(f"pin {k}", one, other, at=at))
        else:
            m.add(cd.Revolute(f"pin {k}", one, other, at=at, axis=(0, 0, 1)))
    return m


def slider_crank():
    """A crank that turns, a rod, and a slider on a rail with a spring behind it."""
    m = cd.Model("slider-crank", dimension=2, gravity=(0, -9.81))
    crank = m.add(cd.RigidBody("crank", 1.0, inertia=0.02, position=(0.1, 0.1), angular_velocity=6.0))
    rod = m.add(cd.RigidBody("rod", 0.8, inertia=0.03, position=(0.45, 0.1)))
    slider = m.add(cd.RigidBody("slider", 0.5, inertia=0.01, position=(0.7, 0.0)))
    m.add(cd.Pin("main", m.ground, crank, at=(0, 0)))
    m.add(cd.Pin("big end", crank, rod, at=(0.2, 0.2)))
    m.add(cd.Pin("small end", rod, slider, at=(0.7, 0)))
    m.add(cd.Prismatic("rail", m.ground, slider, at=(0.7, 0), axis=(1, 0)))
    m.add(cd.Spring("buffer", m.ground.at(1.2, 0), slider, stiffness=50.0, rest_length=0.4))
    return m


def ring(bodies=10):
    """A closed loop of rods on ball joints that hangs at a corner, in space; its rods turn about themselves, too."""
    m = cd.Model("ring", gravity=(0, 0, -9.81))
    angles = 2.0 * np.pi * np.arange(bodies) / bodies
    corners = np.column_stack((np.cos(angles), np.sin(angles), 0.1 * np.sin(2.0 * angles)))
    rods = []
    for k in range(bodies):
        place = 0.5 * (corners[k] + corners[(k + 1) % bodies])
        spin = (0.3 * np.sin(k), 0.5 * np.cos(k), 0.4)
        rods.append(
            m.add(cd.RigidBody(f"rod {k}", 0.5, inertia=(0.01, 0.012, 0.008), position=place, angular_velocity=spin))
        )
    m.add(cd.Spherical("hook", m.ground, rods[0], at=corners[0]))
    for k in range(bodies):
        m.add(cd.Spherical(f"joint {k}", rods[k], rods[(k + 1) % bodies], at=corners[(k + 1) % bodies]))
    return m


def ladder(cells=3):
    """Two chains of rods with a rung at every joint, which hangs by one corner."""
    m = cd.Model("ladder", gravity=(0, 0, -9.81))
    box = {"inertia": (0.01, 0.012, 0.008)}
    before = [m.ground, None]
    for k in range(cells):
        sides = [
            m.add(cd.RigidBody(f"{side} {k}", 0.4, position=(0.5 * k + 0.25, y, 0), angular_velocity=(0.4, 0.3 * k, y), **box))
            for side, y in (("left", 0.0), ("right", 0.4))
        ]  # fmt: skip
        for side, above, y in zip(sides, before, (0.0, 0.4), strict=True):
            if above is not None:
                m.add(cd.Spherical(f"{side.name} above", above, side, at=(0.5 * k, y, 0)))
        rung = m.add(cd.RigidBody(f"rung {k}", 0.3, position=(0.5 * k + 0.5, 0.2, 0), **box))
        for side, y in zip(sides, (0.0, 0.4), strict=True):
            m.add(cd.Spherical(f"{side.name} rung", side, rung, at=(0.5 * k + 0.5, y, 0)))
        before = sides
    return m


CONDITIONS = {four_bar: 2, slider_crank: 2, ring: 3, ladder: 6}  # that close loops
MECHANISMS = pytest.mark.parametrize("make", list(CONDITIONS))


def run(make, order, dt, coordinates="joints", end=0.2):
    method = cd.RungeKutta(order=order, coordinates=coordinates)
    return cd.simulate(make(), end=end, dt=dt, integrator=method, every=10_000)


def distances(found, exact):
    """Errors of places, velocities, accelerations and multipliers, each relative to the largest of its kind."""
    pairs = [(found.x, exact.x), (found.v, exact.v), (found.multipliers, exact.multipliers)]
    pairs.append((found.memory["acceleration"], exact.memory["acceleration"]))
    return np.array([np.abs(one - other).max() / max(1.0, np.abs(other).max()) for one, other in pairs])


@MECHANISMS
def test_the_spanning_tree_leaves_as_many_conditions_as_loops_have(make):
    system = running(make())
    assert system.why_no_tree == ""
    assert system.closing.channel.size == CONDITIONS[make]


@MECHANISMS
def test_motion_and_joint_forces_are_those_of_rows(make):
    found, exact = (run(make, 8, 0.01, coordinates, end=0.1) for coordinates in ("joints", "rows"))
    assert distances(found.state(-1), exact.state(-1)).max() < 1e-9


@MECHANISMS
def test_the_order_is_that_of_the_method(make):
    exact = run(make, 8, 0.005).state(-1)
    coarse, fine = (distances(run(make, 4, dt).state(-1), exact) for dt in (0.02, 0.01))
    assert np.log2(coarse / fine).min() > 3.4
    assert fine[0] > 1e-12


@MECHANISMS
def test_loops_stay_closed_and_energy_is_kept_to_the_order_of_the_method(make):
    result = run(make, 8, 0.005, end=1.0)
    assert result.constraint_error.max() < 1e-12
    total = result.energy["total"]
    assert np.ptp(total) < 1e-6 * result.energy["kinetic"].max()
    assert result.energy["kinetic"].max() > 0.1


def test_conditions_that_depend_on_each_other_share_their_forces_as_in_rows():
    with pytest.warns(cd.RedundancyWarning):
        found, exact = (run(lambda: four_bar(3), 8, 0.01, coordinates, end=0.05) for coordinates in ("joints", "rows"))
    assert distances(found.state(-1), exact.state(-1)).max() < 1e-7
    assert found.constraint_error.max() < 1e-12


def test_a_run_with_a_loop_is_resumed_bit_for_bit(tmp_path):
    system = cd.compile(slider_crank())
    whole = cd.simulate(system, end=0.2, dt=0.01, integrator=cd.RungeKutta())
    cd.simulate(system, end=0.1, dt=0.01, integrator=cd.RungeKutta(), file=tmp_path / "half.h5")
    rest = cd.resume(tmp_path / "half.h5", end=0.2)
    assert np.array_equal(whole.state(-1).x, rest.state(-1).x)
    assert np.array_equal(whole.state(-1).multipliers, rest.state(-1).multipliers)


def test_many_loops_are_stepped_in_rows(monkeypatch):
    import condyle.integrators.explicit as explicit

    monkeypatch.setattr(explicit, "MOST_CONDITIONS", 1)
    system = running(four_bar())
    assert isinstance(cd.RungeKutta().compiled(system), RowSteps)
    assert isinstance(cd.RungeKutta(coordinates="joints").compiled(system), JointSteps)
