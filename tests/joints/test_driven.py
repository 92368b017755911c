"""Supports that move as prescribed: what hangs on them feels their acceleration, under every integrator."""

import numpy as np
import pytest

import condyle as cd
from condyle.system.compile import running
from condyle.system.start import consistent_state
from stepping import walk

SHAKE, RATE = 0.1, 1.5
PACE = 2 * np.pi * RATE
METHODS = {
    "energy-momentum": cd.EnergyMomentum(),
    "generalized-alpha": cd.GeneralizedAlpha(0.9),
    "Newmark": cd.Newmark(),
    "HHT": cd.HHT(0.1),
    "BDF": cd.BDF(2),
    "Runge-Kutta": cd.RungeKutta(),
}


def test_the_joint_force_at_the_start_accelerates_the_load_with_its_support():
    m = cd.Model("shaken", dimension=2, gravity=(0.0, -9.81))
    table = m.add(cd.Frame("table", shift=(cd.Harmonic(SHAKE, RATE, phase=0.7), 0.0)))
    place = (SHAKE * np.sin(0.7), 0.0)
    m.add(cd.Pin("pin", table, m.add(cd.PointMass("load", 2.0, place)), at=place))
    system = running(m)
    state, _ = consistent_state(system)
    np.testing.assert_allclose(system.position("load").at(state.v), (SHAKE * PACE * np.cos(0.7), 0.0), atol=1e-8)
    np.testing.assert_allclose(state.multipliers, (-2.0 * SHAKE * PACE**2 * np.sin(0.7), 2.0 * 9.81), rtol=1e-6)


def table_and_ground(hang):
    """A model on a table that starts from rest, x = A (1 − cos ωt), and the same on the ground under the force −m ẍ."""
    shaken, still = cd.Model("shaken", dimension=2), cd.Model("still", dimension=2, gravity=(-1.0, 0.0))
    table = shaken.add(cd.Frame("table", shift=(cd.Harmonic(-SHAKE, RATE, phase=np.pi / 2, offset=SHAKE), 0.0)))
    still.add(cd.Gravity("shake", scale=cd.Harmonic(SHAKE * PACE**2, RATE, phase=np.pi / 2)))
    hang(shaken, table)
    hang(still, still.ground)
    return shaken, still


def pendulum(m, support):
    bar = m.add(cd.RigidBody("bar", 1.0, inertia=0.05, position=(0.0, -0.5), points={"end": (0.0, -0.5)}))
    m.add(cd.Pin("pin", support, bar, at=(0.0, 0.0)))
    return "bar.end"


def column(m, support):
    m.add(cd.Solid.block("column", (0.2, 1.0), (1, 4), cd.NeoHookean(2e4, 0.3, density=100.0), sets={"tip": [9]}))
    m.add(cd.Tie("foot", "column", "bottom", support))
    return "column.tip"


def dashpot(m, support):
    m.add(cd.PointMass("load", 1.0, (0.5, 0.0)))
    m.add(cd.Damper("damper", support, "load", 3.0))
    m.add(cd.Spring("spring", support, "load", 20.0))
    return "load"


def deviation(hang, method, h):
    """Largest difference between the two, relative to the motion against the support."""
    end = 0.4
    shaken, still = (walk(m, h, round(end / h), METHODS[method]) for m in table_and_ground(hang))
    point = {pendulum: "bar.end", column: "column.tip", dashpot: "load"}[hang]
    table = SHAKE * (1 - np.cos(PACE * shaken.times))
    motion = still.point(point) - still.point(point)[0]
    moved = shaken.point(point) - np.column_stack((table, 0 * table))
    return np.abs(moved - still.point(point)).max() / np.abs(motion).max()


@pytest.mark.parametrize("method", METHODS)
def test_a_pendulum_on_a_shaken_table_moves_as_under_the_inertia_force(method):
    assert deviation(pendulum, method, 0.005) < 2e-3


@pytest.mark.parametrize("method", METHODS)
def test_a_dashpot_to_a_shaken_table_feels_the_velocity_of_the_table(method):
    coarse, fine = (deviation(dashpot, method, h) for h in (0.01, 0.005))
    assert fine < 2e-3
    assert coarse / fine > 3.5  # second order at least


@pytest.mark.parametrize("method", METHODS)
def test_a_column_bonded_to_a_shaken_table_moves_as_under_the_inertia_force(method):
    assert deviation(column, method, 0.002) < 5e-3
