"""The assembled matrix is the derivative of the assembled residual, and Newton's method therefore converges quadratically."""

from itertools import pairwise

import numpy as np
import pytest

import condyle as cd
from condyle.analysis import statics
from condyle.integrators import energy_momentum, generalized_alpha
from condyle.system import assembly
from condyle.system.start import consistent_state, correct_velocity
from condyle.system.state import State
from zoo import ZOO, forces_space, joints_plane, joints_space, rod_plane, shared_corners, solids_plane, solids_space

STEP = 0.05
STENCIL = ((-2, 1 / 12), (-1, -2 / 3), (1, 2 / 3), (2, -1 / 12))


def start_of_step(system, rng):
    """A state near the start: every row moved, every rate and multiplier arbitrary."""
    x = system.x_start.copy()
    assembly.move(system.rows, 0.05 * rng.uniform(-1, 1, system.unknowns), x)
    change = np.zeros_like(x)
    for row in np.flatnonzero(system.moving):
        change[row] = rng.uniform(-1, 1, system.d)
    ahead, behind = x.copy(), x.copy()
    du = 1e-6 * rng.uniform(-1, 1, system.unknowns)
    assembly.move(system.rows, du, ahead)
    assembly.move(system.rows, -du, behind)
    v = (ahead - behind) / 2e-6  # rates that keep rigid bodies rigid
    turns = system.turns_at(x, np.zeros(system.turn_count))
    state = State(0.3, x, v, 5.0 * rng.uniform(-1, 1, len(system.multipliers)), turns=turns)
    bodies = len(system.rows.bodies)
    state.memory = {
        "algorithmic": 3.0 * change,
        "acceleration": 2.0 * change[:, ::-1],
        "spin algorithmic": rng.uniform(-1, 1, (bodies, 3)) * (1.0 if system.d == 3 else (0.0, 0.0, 1.0)),
        "spin rate": rng.uniform(-1, 1, (bodies, 3)) * (1.0 if system.d == 3 else (0.0, 0.0, 1.0)),
    }
    return state


def residual(step, system, buffers):
    """Residual of motion and the constraints that are iterated with it, in the order of the unknowns."""
    out = buffers.r.copy()
    out[system.motion_unknowns :] = 0.0
    live = system.multiplier_unknowns >= 0
    out[system.multiplier_unknowns[live]] = buffers.c[live]
    return out


def compare_with_differences(step, system, rng):
    """Largest difference of the matrix to a finite difference, relative to the size of its block."""
    buffers = system.scratch
    move = 0.03 * rng.uniform(-1, 1, system.unknowns)
    move[system.motion_unknowns :] *= 30.0
    step.remember()
    step.apply(move, 1.0)
    step.remember()  # from here on `x_old` is the iterate itself: the matrix is the true derivative
    step.evaluate(True)
    A = np.zeros((system.unknowns, system.unknowns))
    A[system.pattern.rows(), system.pattern.indices] = buffers.A
    differences = np.zeros_like(A)
    h = 1e-4
    for k in range(system.unknowns):
        e = np.zeros(system.unknowns)
        e[k] = h
        for factor, weight in STENCIL:
            step.apply(e, factor)
            step.evaluate(False)
            differences[:, k] += weight / h * residual(step, system, buffers)
    n = system.motion_unknowns
    round_off = 1e-14 / h * max(np.abs(buffers.r).max(), buffers.r_scale.max(), buffers.c_scale.max(initial=0.0))
    for rows in (slice(0, n), slice(n, None)):
        for columns in (slice(0, n), slice(n, None)):
            block, wanted = A[rows, columns], differences[rows, columns]
            if block.size:
                np.testing.assert_allclose(block, wanted, rtol=0, atol=2e-8 * np.abs(wanted).max() + round_off)


@pytest.mark.parametrize("formulation", ["tangent", "rows"])
@pytest.mark.parametrize("name", ZOO)
def test_energy_momentum_matrix_is_the_derivative_of_its_residual(name, formulation):
    rng = np.random.default_rng(1)
    system = cd.compile(ZOO[name](), formulation=formulation)
    state = start_of_step(system, rng)
    for placement in ("conserving",) if formulation == "tangent" else ("conserving", "midpoint", "endpoint"):
        step = energy_momentum._Step(cd.EnergyMomentum(placement), system, state, STEP)
        compare_with_differences(step, system, rng)


@pytest.mark.parametrize("formulation", ["tangent", "rows"])
@pytest.mark.parametrize("name", ZOO)
def test_generalized_alpha_matrix_is_the_derivative_of_its_residual(name, formulation):
    rng = np.random.default_rng(2)
    system = cd.compile(ZOO[name](), formulation=formulation)
    state = start_of_step(system, rng)
    for method in (cd.GeneralizedAlpha(0.6), cd.Newmark()):
        compare_with_differences(generalized_alpha._Step(method, system, state, STEP), system, rng)


@pytest.mark.parametrize("formulation", ["tangent", "rows"])
@pytest.mark.parametrize("name", ZOO)
def test_static_matrix_is_the_derivative_of_its_residual(name, formulation):
    rng = np.random.default_rng(3)
    system = cd.compile(ZOO[name](), formulation=formulation)
    state = start_of_step(system, rng)
    compare_with_differences(statics._Step(statics.Statics(), system, state, 0.1), system, rng)


def test_no_part_is_missing_in_the_zoo():
    """UserForce has no tangent; Initial, Ground and Frame give the assembly nothing of their own."""
    there = {type(part).__name__ for build in ZOO.values() for part in build()}
    kinds = {n for n, t in cd.part_types().items() if t.__module__.startswith("condyle.") and hasattr(t, "compile")}
    assert kinds - there <= {"UserForce", "Initial", "Frame"}


def newton_histories(model, method, h, steps, formulation="tangent"):
    """Residuals of every iteration of every step, as multiples of the tolerance."""
    system = cd.compile(model, formulation=formulation)
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


@pytest.mark.parametrize("formulation", ["tangent", "rows"])
@pytest.mark.parametrize("name", QUADRATIC)
def test_energy_momentum_steps_take_few_iterations(name, formulation):
    build, h, most = QUADRATIC[name]
    histories = newton_histories(build(), cd.EnergyMomentum(), h, 20, formulation)
    assert max(len(r) - 1 for r in histories) <= most


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", QUADRATIC)
def test_newton_converges_quadratically(name, method, monkeypatch):
    # The diagonal that lets redundant constraints share their forces costs the last digits of an iteration.
    monkeypatch.setattr("condyle.system.system.REGULARISATION", 1e-12)
    build, h, _ = QUADRATIC[name]
    assert_quadratic(newton_histories(build(), METHODS[method], h, 20))
