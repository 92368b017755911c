"""The assembled matrix is the derivative of the assembled residual, and Newton's method therefore converges quadratically."""

from itertools import pairwise

import numpy as np
import pytest

import condyle as cd
from condyle.analysis import statics
from condyle.analysis.checks.tangent import STEP, compare_with_differences, start_of_step
from condyle.integrators import bdf, energy_momentum, generalized_alpha
from condyle.system import assembly
from condyle.system.compile import running
from condyle.system.start import consistent_state, correct_velocity
from condyle.system.tables import DIRECTOR, FREE
from zoo import (
    STRIP,
    ZOO,
    forces_space,
    joints_plane,
    joints_space,
    rod_plane,
    shared_corners,
    solids_plane,
    solids_space,
    viscous,
)


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


STEPS_AT_THE_END = {
    "generalized-alpha": lambda system, state: generalized_alpha._Step(cd.GeneralizedAlpha(0.6), system, state, STEP),
    "Newmark": lambda system, state: generalized_alpha._Step(cd.Newmark(), system, state, STEP),
    "HHT": lambda system, state: generalized_alpha._Step(cd.HHT(), system, state, STEP),
    "BDF": lambda system, state: bdf._Differences(cd.BDF(), system, state, STEP, 2),
}


@pytest.mark.parametrize("method", STEPS_AT_THE_END)
@pytest.mark.parametrize("name", ["viscous bodies in the plane", "viscous bodies in space", "forces in space"])
def test_matrix_of_forces_by_rates_is_the_derivative_in_every_method(name, method):
    rng = np.random.default_rng(4)
    system = running(ZOO[name]())
    state = start_of_step(system, rng)
    before = start_of_step(system, rng)
    if method == "BDF":  # which looks back at another step
        cd.BDF().prepare(system, before, STEP)
        state.memory |= before.memory | {"previous step": np.array([0.8 * STEP])}
    compare_with_differences(STEPS_AT_THE_END[method](system, state), system, rng)


def damped_line(kind, d):
    """A cable or rod whose end follows a rigid body, with two elements of which one has no director."""
    m = cd.Model("damped line", dimension=d)
    body = m.add(cd.RigidBody("body", 1.0, inertia=0.1 if d == 2 else (0.1, 0.2, 0.3), position=(-0.1, 0.1, 0.2)[:d]))
    line = [(0.0, 0.0, 0.0)[:d], (0.5, 0.2, 0.1)[:d], (1.0, 0.1, 0.4)[:d]]
    if kind == "rod":
        normal = {} if d == 2 else {"normal": (0, 0, 1)}
        part = m.add(cd.Rod("line", line, 1, 0.1, STRIP, width=0.1, **normal))
        m.add(cd.RayleighDamping("damping", part, stiffness_time=0.05))
    else:
        part = m.add(cd.Cable("line", line, 1, cd.RoundSection(0.1, STRIP), damping=0.05))
    m.add(cd.Tie("clamp", part, "start", body))
    return running(m)


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("kind", ["cable", "rod"])
def test_part_of_the_matrix_by_rates_is_the_derivative_by_rates(kind, d):
    """Damped cables leave the change of their moduli out of the matrix, so of theirs this part alone is exact."""
    rng = np.random.default_rng(5)
    system = damped_line(kind, d)
    state, buffers, rows = start_of_step(system, rng), system.scratch, system.rows
    x, v, rate, maps = state.x, state.v, 7.0, rng.uniform(-1, 1, (len(state.x), d, 3))
    loads = (system.applied(0.0, x, v), system.amplitudes(0.0), np.array([system.amplitudes(0.0)] * 2))

    def assemble(rates, rate, maps):
        motion, held = (x, x, x, rates, np.zeros_like(x), x), (state.multipliers, *system.stiffness(STEP))
        at, changes = (assembly.END, assembly.END), ((0.0, 1.0, rate), (np.zeros_like(maps), maps))
        system.assemble(motion, loads, held, *at, *changes, True, buffers)
        A = np.zeros((system.unknowns, system.unknowns))
        A[system.pattern.rows(), system.pattern.indices] = buffers.A
        return A, buffers.r.copy()

    with_rates, force = assemble(v, rate, maps)
    by_rates = with_rates - assemble(v, 0.0, np.zeros_like(maps))[0]
    du, change = rng.uniform(-1, 1, system.unknowns), np.zeros_like(x)
    for row in range(len(x)):
        u = rows.unknown[row]
        if rows.kind[row] == FREE:
            change[row] = rate * du[u : u + d]
        elif rows.kind[row] == DIRECTOR:
            change[row] = maps[row] @ (du[u : u + 3] if d == 3 else (0.0, 0.0, du[u]))
    _, changed = assemble(v + change, rate, maps)
    np.testing.assert_allclose(by_rates @ du, changed - force, atol=1e-10 * np.abs(by_rates).max())
    turning = rows.unknown[rows.bodies[0, 0]]
    assert np.abs(by_rates[:, turning]).max() > 1e-4 * np.abs(by_rates).max()


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


def assert_quadratic(histories, basin=1e-3, constant=100.0):
    """Each residual is bounded by the square of the one before, with one constant, down to round-off.

    Residuals are multiples of the tolerance (1e-12 relative): e = r · 1e-12, e_{k+1} ≤ C e_k².
    """
    for residuals in histories:
        e = 1e-12 * np.array(residuals)
        for before, after in pairwise(e):
            if before < basin:
                assert after <= max(constant * before**2, 1e-11), residuals


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
    "viscous bodies in the plane": (lambda: viscous(2), 0.01, 4),
    "viscous bodies in space": (lambda: viscous(3), 0.01, 4),
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


@pytest.mark.parametrize("method", [*METHODS.values(), cd.HHT(), cd.BDF()], ids=lambda method: type(method).__name__)
@pytest.mark.parametrize("d", [2, 3])
def test_newton_converges_quadratically_for_a_damped_beam_in_every_method(d, method, monkeypatch):
    """All its rows but places are directors, and viscous forces hold it up as it falls about its end."""
    monkeypatch.setattr("condyle.system.system.REGULARISATION", 1e-12)
    m = cd.Model("falling", dimension=d, gravity=(0.0, -9.81, 0.0)[:d])
    start = (0.0,) * d
    section = cd.RectangularSection(0.02, 0.02, cd.StVenantKirchhoff(1e6, 0.3, 1000.0))
    beam = m.add(cd.Beam("beam", [start, (1.0, *start[1:])], 2, section, damping=1.0))
    m.add((cd.Pin if d == 2 else cd.Spherical)("pin", m.ground, beam.point("start"), at=start))
    histories = newton_histories(m, method, 0.02, 20)
    assert_quadratic(histories, 1e-5, 1e3)
    assert max(len(r) - 1 for r in histories) <= 5
