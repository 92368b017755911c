"""The assembled matrix is the derivative of the assembled residual, and Newton's method therefore converges quadratically."""

from itertools import pairwise

import numpy as np
import pytest

import condyle as cd
from condyle.analysis import statics
from condyle.analysis.checks.tangent import STEP, compare_with_differences, start_of_step
from condyle.integrators import energy_momentum, generalized_alpha
from condyle.system.compile import running
from condyle.system.start import consistent_state, correct_velocity
from zoo import ZOO, forces_space, joints_plane, joints_space, rod_plane, shared_corners, solids_plane, solids_space


@pytest.mark.covering
@pytest.mark.parametrize("formulation", ["tangent", "rows"])
@pytest.mark.parametrize("name", ZOO)
def test_energy_momentum_matrix_is_the_derivative_of_its_residual(name, formulation):
    rng = np.random.default_rng(1)
    system = running(ZOO[name](), formulation=formulation)
    state = start_of_step(system, rng)
    # Where constraints stand in a step differs in row form only, and for joints.
    others = ("midpoint", "endpoint") if formulation == "rows" and "joints" in name else ()
    for placement in ("conserving", *others):
        step = energy_momentum._Step(cd.EnergyMomentum(placement), system, state, STEP)
        compare_with_differences(step, system, rng)


@pytest.mark.covering
@pytest.mark.parametrize("formulation", ["tangent", "rows"])
@pytest.mark.parametrize("name", ZOO)
def test_generalized_alpha_matrix_is_the_derivative_of_its_residual(name, formulation):
    rng = np.random.default_rng(2)
    system = running(ZOO[name](), formulation=formulation)
    state = start_of_step(system, rng)
    compare_with_differences(generalized_alpha._Step(cd.GeneralizedAlpha(0.6), system, state, STEP), system, rng)


@pytest.mark.covering
@pytest.mark.parametrize("formulation", ["tangent", "rows"])
@pytest.mark.parametrize("name", [name for name in ZOO if "rolling" not in name])  # statics knows no velocities
def test_static_matrix_is_the_derivative_of_its_residual(name, formulation):
    rng = np.random.default_rng(3)
    system = running(ZOO[name](), formulation=formulation)
    state = start_of_step(system, rng)
    compare_with_differences(statics._Step(statics.Statics(), system, state, 0.1), system, rng)


def test_no_part_is_missing_in_the_zoo():
    """UserForce has no tangent; Initial, Ground and Frame give the assembly nothing; contacts have tests of their own."""
    there = {type(part).__name__ for build in ZOO.values() for part in build()}
    kinds = {n for n, t in cd.part_types().items() if t.__module__.startswith("condyle.") and hasattr(t, "compile")}
    contacts = {"Contact", "Collisions", "PatchContact", "ArticularContact"}
    assert kinds - there <= {"UserForce", "Initial", "Frame"} | contacts


def newton_histories(model, method, h, steps, formulation="tangent"):
    """Residuals of every iteration of every step, as multiples of the tolerance."""
    system = running(model, formulation=formulation)
    state, _ = consistent_state(system)
    correct_velocity(system, state, h, method.start_correction)
    method.prepare(system, state, h)
    histories = []
    for _ in range(steps):
        state, info = method.step(system, state, h)
        assert len(info.residuals) == info.iterations + 1
        histories.append(info.residuals)
    return histories


def assert_quadratic(histories):
    """Each residual is bounded by the square of the one before, with one constant, down to round-off.

    Residuals are multiples of the tolerance (1e-12 relative): e = r · 1e-12, e_{k+1} ≤ C e_k².
    """
    for residuals in histories:
        e = 1e-12 * np.array(residuals)
        for before, after in pairwise(e):
            if before < 1e-3:  # inside the basin
                assert after <= max(100.0 * before**2, 1e-11), residuals


# Model, step and the most iterations that a step may take.
QUADRATIC = {
    "joints in the plane": (joints_plane, 0.01, 3),
    "joints in space": (joints_space, 0.01, 3),
    "augmented joints in space": (lambda: joints_space("augmented"), 0.01, 3),
    "penalty joints in space": (lambda: joints_space(cd.Penalty(1e5)), 0.01, 3),
    "forces in space": (forces_space, 0.002, 4),
    "shared corner": (lambda: shared_corners(3), 0.02, 2),
    "rubber in the plane": (solids_plane, 0.01, 3),
    "rubber in space": (solids_space, 0.01, 3),
    "rod in the plane": (rod_plane, 0.01, 3),
}


METHODS = {
    "energy-momentum": cd.EnergyMomentum(),
    "generalized-alpha": cd.GeneralizedAlpha(0.8),
    "Newmark": cd.Newmark(),
}


@pytest.mark.covering
@pytest.mark.parametrize("formulation", ["tangent", "rows"])
@pytest.mark.parametrize("name", QUADRATIC)
def test_energy_momentum_steps_take_few_iterations(name, formulation):
    build, h, most = QUADRATIC[name]
    histories = newton_histories(build(), cd.EnergyMomentum(), h, 20, formulation)
    assert max(len(r) - 1 for r in histories) <= most


@pytest.mark.covering
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", QUADRATIC)
def test_newton_converges_quadratically(name, method, monkeypatch):
    # The diagonal that lets redundant constraints share their forces costs the last digits of an iteration.
    monkeypatch.setattr("condyle.system.system.REGULARISATION", 1e-12)
    build, h, _ = QUADRATIC[name]
    assert_quadratic(newton_histories(build(), METHODS[method], h, 20))
