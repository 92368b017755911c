"""A contact law that a user adds in one file (examples/extensions/foam.py) takes part in all that the built-in ones do."""

import runpy
from pathlib import Path

import numpy as np
import pytest
import test_contact_laws
from scipy.optimize import brentq

import condyle as cd

FILE = Path(__file__).parents[2] / "examples" / "extensions" / "foam.py"


@pytest.fixture(scope="module")
def foam():
    return runpy.run_path(str(FILE))["Foam"]


def dropped(law, integrator, end=0.08):
    m = cd.Model("drop", dimension=3)
    m.add(cd.PointMass("ball", 2.0, (0.0, 0.0, 0.05), velocity=(0.0, 0.0, -2.0)))
    m.add(cd.Contact("floor", "ball", "nodes", m.ground, cd.Plane((0.0, 0.0, 1.0)), law=law))
    return cd.simulate(m, end=end, dt=2.5e-4, integrator=integrator)


def test_it_passes_the_test_of_all_laws(foam, monkeypatch):
    monkeypatch.setitem(test_contact_laws.ALL, "foam", foam(2e4, 0.01, 1e-3))
    test_contact_laws.test_curves_of_a_law_are_derivatives_of_each_other("foam")


@pytest.mark.parametrize("integrator", ["EnergyMomentum", "GeneralizedAlpha", "RungeKutta"])
def test_a_ball_sinks_in_until_its_energy_is_stored_and_comes_back(foam, integrator):
    k, scale = 2e4, 0.01
    result = dropped(foam(k, scale), integrator)
    deepest = brentq(lambda s: k * scale * (scale * np.expm1(s / scale) - s) - 4.0, 1e-4, 0.1)
    assert result.position("ball")[:, 2].min() == pytest.approx(-deepest, rel=2e-3)
    assert result.velocity("ball")[-1, 2] == pytest.approx(2.0, rel=1e-2)


def test_damped_foam_only_takes_energy(foam):
    result = dropped(foam(2e4, 0.01, 2e-3), "EnergyMomentum")
    assert (np.diff(result.energy["total"]) <= 1e-9).all()
    assert 0.3 < result.velocity("ball")[-1, 2] < 1.8
