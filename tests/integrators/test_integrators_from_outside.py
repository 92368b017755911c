"""Integrators that are added from files outside the package do all that built-in ones do."""

import numpy as np
import pytest

import condyle as cd
from condyle.analysis.loading import load_parts
from condyle.integrators import registry
from extensions import FOLDER


@pytest.fixture(autouse=True)
def loaded():
    before = dict(registry._KNOWN)
    for file in ("wood_bossak_zienkiewicz.py", "implicit_euler.py"):
        load_parts(FOLDER / file)
    yield
    registry._KNOWN.clear()
    registry._KNOWN.update(before)


def double_pendulum():
    m = cd.Model("double pendulum", dimension=2, gravity=(0.0, -9.81))
    upper = m.add(cd.RigidBody.box("upper", (0.5, 0.05), 1000.0, position=(0.25, 0.0)))
    lower = m.add(cd.RigidBody.box("lower", (0.5, 0.05), 1000.0, position=(0.75, 0.0)))
    m.add(cd.Pin("shoulder", m.ground, upper, at=(0.0, 0.0)))
    m.add(cd.Pin("elbow", upper, lower, at=(0.5, 0.0)))
    return m


@pytest.mark.parametrize(("name", "order"), [("WoodBossakZienkiewicz", 2), ("ImplicitEuler", 1)])
def test_it_converges_with_its_order(name, order):
    exact = cd.simulate(double_pendulum(), end=0.3, dt=1e-4, integrator="EnergyMomentum").state(-1).x
    errors = [
        np.abs(cd.simulate(double_pendulum(), end=0.3, dt=dt, integrator=name).state(-1).x - exact).max()
        for dt in (0.004, 0.002)
    ]
    assert errors[0] / errors[1] == pytest.approx(2.0**order, rel=0.15)


def test_a_member_of_a_known_family_is_compiled():
    result = cd.simulate(double_pendulum(), end=0.1, dt=0.002, integrator="WoodBossakZienkiewicz(spectral_radius=0.5)")
    assert result.in_python == {}
    method = registry.integrator_of(result.integrator)
    assert method.spectral_radius == 0.5 and method.compiled(result._running(), in_rows=True) is not None


@pytest.mark.parametrize("name", ["WoodBossakZienkiewicz", "ImplicitEuler"])
def test_its_runs_are_resumed_bit_for_bit(name, tmp_path):
    whole = cd.simulate(double_pendulum(), end=0.5, dt=0.002, integrator=name)
    cd.simulate(double_pendulum(), end=0.3, dt=0.002, integrator=name, file=tmp_path / "run.h5")
    resumed = cd.resume(tmp_path / "run.h5", end=0.5)
    np.testing.assert_array_equal(resumed.state(-1).x, whole.state(-1).x)
