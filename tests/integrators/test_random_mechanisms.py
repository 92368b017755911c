"""Whatever the mechanism and the step: energy is kept or the run says that it is not, and no number is lost."""

import warnings

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from hypothesis.internal.conjecture import providers

import condyle as cd
from mechanisms import STEPS, mechanisms

STEADY = settings(
    derandomize=True, deadline=None, database=None, phases=(Phase.generate,),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)  # fmt: skip
EXAMPLES = {"auto": 60, "dense": 12}  # compiled steps, and steps in Python


@pytest.fixture(autouse=True)
def same_mechanisms_in_any_order_of_tests(monkeypatch):
    """Hypothesis also draws numbers that stand in the modules loaded so far, which differ with the tests before."""
    if hasattr(providers, "_get_local_constants"):  # older versions draw no such numbers
        none = providers.Constants()
        monkeypatch.setattr(providers, "_get_local_constants", lambda: none)
        providers.CONSTANTS_CACHE.cache.clear()


def run(model, dt, **options):
    """The result, and the warnings about energy; a run that fails says why."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = cd.simulate(model, end=20 * dt, dt=dt, on_failure="return", **options)
    assert result.status == "completed" or result.message
    frames = [result.state(k) for k in range(len(result))]
    assert all(np.isfinite(s.x).all() and np.isfinite(s.v).all() and np.isfinite(s.multipliers).all() for s in frames)
    return result, [w for w in caught if issubclass(w.category, cd.EnergyWarning)]


def balance(result):
    """E − W over the run, and the largest energy (not below 0.1 mJ: forces of some N and round-off make less)."""
    energy = result.energy
    moved = (np.abs(energy["gravity"] - energy["gravity"][0]), energy["kinetic"], np.abs(energy["stored"]))
    return energy["total"] - energy["work"], max(1e-4, *(float(np.max(e)) for e in moved))


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("solver", EXAMPLES)
def test_a_conserving_run_keeps_its_energy_or_says_that_it_does_not(dimension, solver):
    @settings(STEADY, max_examples=EXAMPLES[solver])
    @given(model=mechanisms(dimension), dt=st.sampled_from(STEPS))
    def kept(model, dt):
        result, _ = run(model, dt, solver=solver)
        b, largest = balance(result)
        assert np.abs(b - b[0]).max() <= 1e-8 * largest

    kept()


@pytest.mark.parametrize("dimension", [2, 3])
def test_energy_that_generalized_alpha_makes_is_said(dimension):
    @settings(STEADY, max_examples=EXAMPLES["auto"])
    @given(model=mechanisms(dimension), dt=st.sampled_from(STEPS))
    def said(model, dt):
        result, caught = run(model, dt, integrator=cd.GeneralizedAlpha())
        b, largest = balance(result)
        gained = (b - np.minimum.accumulate(b)).max()
        assert len(caught) <= 1
        assert caught or gained <= 0.11 * largest

    said()
