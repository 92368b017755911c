"""Geometric stiffness and the energy monitor: derivatives for all joints, equal forms of a step, energy, and errors."""

import numpy as np
import pytest

import condyle as cd
from condyle.analysis.checks.tangent import start_of_step
from condyle.integrators.stabilised import MONITORED
from condyle.system import assembly
from condyle.system.assembly.geometric import add_geometric_stiffness, geometric_rate
from condyle.system.compile import running
from zoo import ZOO

MULTIPLIED = [
    name
    for name in ZOO
    if any(word in name for word in ("joint", "coordinates", "rolling", "blade", "bonded by augmented"))
    and "penalty" not in name
]


def forces_of_constraints(system, x, v, multipliers):
    """Pᵀ Σ λ ∂c/∂x by the general assembly, as the difference of two residuals."""
    residual = []
    for held in (multipliers, np.zeros_like(multipliers)):
        out, still = system.buffers(), np.zeros_like(x)
        assembly.assemble(
            system.whole, (x, x, x, v, still, x), (still, system.amplitudes(0.0), system.targets(0.0, 0.0)),
            (held, *system.stiffness(0.01)), assembly.END, assembly.END, (0.0, 1.0, 0.0),
            (assembly.NO_MAP, assembly.NO_MAP), False, out,
        )  # fmt: skip
        residual.append(out.r[: system.motion_unknowns].copy())
    return residual[0] - residual[1]


def matrix_of(system, x, multipliers, symmetric=False, stressed=False):
    A, q = np.zeros(system.pattern.nnz), np.zeros_like(x)
    add_geometric_stiffness(system.whole, x, multipliers, 1.0, symmetric, stressed, q, A)
    return A


@pytest.mark.parametrize("name", MULTIPLIED)
def test_geometric_stiffness_is_the_derivative_of_the_forces_of_all_joints(name):
    rng = np.random.default_rng(7)
    system = running(ZOO[name]())
    state = start_of_step(system, rng)
    held = rng.normal(size=len(system.multipliers))
    if not held.size:
        pytest.skip("no constraints")
    system.set_turns(state.turns)
    du = rng.normal(size=system.unknowns)
    du[system.motion_unknowns :] = 0.0
    h, ends = 1e-5, []
    for sign in (1.0, -1.0):
        x = state.x.copy()
        assembly.move(system.rows, sign * h * du, x)
        ends.append(forces_of_constraints(system, x, state.v, held))
    n = system.motion_unknowns
    expected = (ends[0] - ends[1]) / (2.0 * h)
    found = system.matvec(matrix_of(system, state.x, held), du)[:n]
    scale = max(1.0, np.abs(expected).max())
    np.testing.assert_allclose(found, expected, atol=2e-6 * scale)
    # the same along a velocity, without the matrix, also with the symmetric part alone
    step = state.x.copy()
    assembly.move(system.rows, 1e-7 * du, step)
    v, back = (step - state.x) / 1e-7, state.x.copy()
    assembly.move(system.rows, -1e-7 * du, back)
    v = (step - back) / 2e-7
    for symmetric in (False, True):
        r, room = np.zeros(system.unknowns), np.zeros((2, *state.x.shape))
        geometric_rate(system.whole, state.x, v, held, symmetric, False, room[0], room[1], r)
        product = system.matvec(matrix_of(system, state.x, held, symmetric), du)[:n]
        np.testing.assert_allclose(r[:n], product, atol=2e-6 * scale)


def test_geometric_stiffness_of_a_double_pendulum_is_its_closed_form():
    """K33 = l sin θ1 (λ1 − λ3) − l cos θ1 (λ2 − λ4), K66 = −l sin θ2 λ3 + l cos θ2 λ4, all else 0 (hewlett-2020, Eq. 3.37).

    The source prints λ4 − λ2 in K33. Its first joint is bar less support, here it is the other way round.
    """
    rng = np.random.default_rng(11)
    system = running(double_pendulum())
    theta = rng.uniform(-1.0, 1.0, 2)
    held = rng.normal(size=len(system.multipliers))
    x, du = system.x_start.copy(), np.zeros(system.unknowns)
    turning = system.rows.unknown[system.rows.bodies[:, 0]]
    du[turning] = 2.0 * np.tan(0.5 * (theta - 0.5 * np.pi))  # from level; a Cayley vector
    assembly.move(system.rows, du, x)
    A = matrix_of(system, x, held)
    found = np.array([system.matvec(A, e) for e in np.eye(system.unknowns)]).T
    (s1, s2), (c1, c2), half = np.sin(theta), np.cos(theta), 0.5
    lam1, lam2, lam3, lam4 = -held[0], -held[1], held[2], held[3]
    expected = np.zeros_like(found)
    expected[turning[0], turning[0]] = half * (s1 * (lam1 - lam3) - c1 * (lam2 - lam4))
    expected[turning[1], turning[1]] = half * (-s2 * lam3 + c2 * lam4)
    np.testing.assert_allclose(found, expected, atol=1e-12)


def test_the_symmetric_part_is_symmetric_and_the_whole_is_not():
    rng = np.random.default_rng(3)
    system = running(ZOO["joints in space, multiplier"]())
    state = start_of_step(system, rng)
    held = rng.normal(size=len(system.multipliers))
    dense = {}
    for symmetric in (False, True):
        A = matrix_of(system, state.x, held, symmetric)
        dense[symmetric] = np.array([system.matvec(A, e) for e in np.eye(system.unknowns)]).T
    np.testing.assert_allclose(dense[True], dense[True].T, atol=1e-12)
    np.testing.assert_allclose(dense[True], 0.5 * (dense[False] + dense[False].T), atol=1e-12)
    assert np.abs(dense[False] - dense[False].T).max() > 0.01


def test_stresses_give_the_rest_of_the_tangent():
    rng = np.random.default_rng(5)
    system = running(cable_on_a_bar())
    state = start_of_step(system, rng)
    x, still, zero = state.x, np.zeros_like(state.x), np.zeros(len(system.multipliers))
    n, found = system.motion_unknowns, []
    loads = (still, system.amplitudes(0.0), system.targets(0.0, 0.0))
    whole = system.buffers()
    maps = (assembly.NO_MAP, assembly.NO_MAP)
    held = (zero, *system.stiffness(1.0))
    assembly.assemble(
        system.whole, (x, x, x, still, still, x), loads, held, assembly.END, assembly.END, (0.0, 1.0, 0.0), maps, True, whole
    )  # fmt: skip
    from condyle.system.assembly.compliant import assemble_compliant

    for stiff in (True, False):
        out = system.buffers()
        assemble_compliant(system.whole, x, still, still, loads, held, 1.0, stiff, maps, out)
        found.append(out.A)
    du = rng.normal(size=system.unknowns)
    du[n:] = 0.0
    rest = system.matvec(whole.A - (found[0] - found[1]), du)[:n]
    stress = system.matvec(matrix_of(system, x, zero, stressed=True), du)[:n]
    np.testing.assert_allclose(stress, rest, atol=1e-9 * np.abs(rest).max())


def double_pendulum(damping=0.0):
    m = cd.Model("double pendulum", dimension=2, gravity=(0.0, -9.81))
    a = m.add(cd.RigidBody("a", 1.0, inertia=1.0, position=(0.5, 0.0)))
    b = m.add(cd.RigidBody("b", 1.0, inertia=1.0, position=(1.5, 0.0)))
    m.add(cd.Revolute("j1", m.ground, a, at=(0.0, 0.0)))
    m.add(cd.Revolute("j2", a, b, at=(1.0, 0.0)))
    if damping:
        m.add(cd.CoordinateDamper("d1", "j1.angle", damping))
        m.add(cd.CoordinateDamper("d2", "j2.angle", damping))
    return m


def cable_on_a_bar():
    m = cd.Model("arm", dimension=3, gravity=(0, 0, -9.81))
    bar = m.add(cd.RigidBody.box("bar", (1, 0.1, 0.1), 500.0, position=(0.5, 0, 0)))
    cable = m.add(cd.Cable("c", [(1, 0, 0), (2, 0, 0)], 2, cd.Rope(1e5, 50.0, 2.0)))
    m.add(cd.Revolute("hinge", m.ground, bar, at=(0, 0, 0), axis=(0, 1, 0)))
    m.add(cd.Spherical("ball", bar, cable.point("start"), at=(1, 0, 0)))
    return m


@pytest.mark.parametrize("model", [double_pendulum, cable_on_a_bar])
@pytest.mark.parametrize("options", [
    {"alpha": 1.0}, {"alpha": 0.5, "bias": "explicit"}, {"alpha": -0.3, "bias": "unbiased", "symmetric": True},
    {"monitor": "tanh", "stressed": True},
])  # fmt: skip
def test_compiled_steps_are_those_of_python(model, options):
    ends = []
    for form in ("auto", "velocity"):
        r = cd.simulate(model(), end=0.2, dt=0.01, integrator=cd.Stabilised(compliance=1e-6, form=form, **options))
        ends.append(r.state(-1).x)
    np.testing.assert_allclose(ends[0], ends[1], atol=1e-9)


def drift(result):
    """Largest distance of the energy from its start and the work done since [J]."""
    E = result.energy["total"] - result.energy["work"]
    return float(np.abs(E - E[0]).max())


def test_geometric_stiffness_takes_energy_out_and_the_monitor_keeps_it():
    fixed = {"compliance": 1e-5, "alpha": 1.0}
    watched = {"compliance": 1e-5, "energy": "net", "width": 0.2, "least": -1.0}
    lost = cd.simulate(double_pendulum(), end=10.0, dt=0.01, integrator=cd.Stabilised(**fixed))
    assert lost.energy["total"][-1] < -4.0
    for law in ("linear", "tanh", "quartic"):
        kept = cd.simulate(double_pendulum(), end=10.0, dt=0.01, integrator=cd.Stabilised(monitor=law, **watched))
        share = kept.memory(MONITORED)[:, 1]
        assert drift(kept) < 0.5
        assert share.max() > 0.0 > share.min() and np.abs(share).max() <= 1.0


def test_the_target_follows_the_work_of_dampers():
    method = cd.Stabilised(compliance=1e-5, monitor="tanh", energy="net", width=0.2, least=-1.0)
    result = cd.simulate(double_pendulum(0.5), end=3.0, dt=0.01, integrator=method)
    target = result.memory(MONITORED)[:, 0]
    np.testing.assert_allclose(target - target[0], result.energy["work"], atol=1e-9)
    assert target[-1] < -2.0
    assert drift(result) < 0.5


def test_a_run_with_a_monitor_goes_on_bit_for_bit(tmp_path):
    method = cd.Stabilised(compliance=1e-5, monitor="linear")
    whole = cd.simulate(double_pendulum(), end=0.6, dt=0.01, integrator=method)
    half = cd.simulate(double_pendulum(), end=0.3, dt=0.01, integrator=method, file=tmp_path / "half.h5")
    assert half.status == "completed"
    both = cd.resume(tmp_path / "half.h5", end=0.6)
    np.testing.assert_array_equal(both.state(-1).x, whole.state(-1).x)


@pytest.mark.parametrize(("options", "message"), [
    ({"monitor": "tanh", "target": None}, "has no target"),
    ({"target": "end"}, "give an energy"),
    ({"alpha": 1.5}, "at least -1 and at most 1"),
    ({"least": -2.0}, "at least -1 and at most 1"),
    ({"width": 0.0}, "above 0"),
    ({"monitor": "cubic"}, "quartic"),
    ({"bias": "late"}, "unbiased"),
])  # fmt: skip
def test_wrong_options_say_what_is_right(options, message):
    with pytest.raises(cd.InputError, match=message):
        cd.Stabilised(**options)


def test_energy_of_gaps_is_what_the_monitor_adds_to_the_net_energy():
    method = cd.Stabilised(compliance=1e-5, alpha=0.0)
    result = cd.simulate(double_pendulum(), end=0.5, dt=0.01, integrator=method)
    first, second = (result.position(p) for p in ("a", "b"))
    d1, d2 = (result.rotation_matrix(p)[:, :, 0] for p in ("a", "b"))
    gaps = np.hstack((first - 0.5 * d1, first + 0.5 * d1 - second + 0.5 * d2))
    np.testing.assert_allclose(result.energy_of_gaps(1e-5), 0.5e5 * (gaps**2).sum(axis=1), rtol=1e-6, atol=1e-12)
    assert result.energy_of_gaps(1e-5).max() > 1e-3
    with pytest.raises(cd.InputError, match="above 0"):
        result.energy_of_gaps(0.0)


def test_a_start_that_does_not_fit_is_no_target():
    m = double_pendulum()
    state = cd.Simulation(m, dt=0.01, integrator=cd.Compliant()).state
    state.x[np.abs(state.x[:, 0] - 1.5) < 1e-9] += (0.003, 0.0)
    method = cd.Stabilised(compliance=1e-5, monitor="tanh")
    with pytest.raises(cd.InputError, match="no target"):
        cd.Simulation(m, dt=0.01, integrator=method, state=state.copy(), start="as-given")
    given = cd.Stabilised(compliance=1e-5, monitor="tanh", target=0.0)
    cd.Simulation(m, dt=0.01, integrator=given, state=state.copy(), start="as-given").step()


def test_without_gravity_the_width_must_be_given():
    m = double_pendulum()
    m.gravity = (0.0, 0.0)
    with pytest.raises(cd.InputError, match="give width"):
        cd.simulate(m, end=0.1, dt=0.01, integrator=cd.Stabilised(monitor="tanh"))


def test_the_monitor_is_chosen_by_what_gravity_can_set_free():
    soft = cd.methods.choose_monitor(double_pendulum(), dt=0.01, compliance=1e-5)
    assert soft.width == pytest.approx(0.05 * 19.62, rel=1e-4)
    assert soft.least == -1.0 and soft.energy == "net" and soft.monitor == "tanh"
    stiff = cd.methods.choose_monitor(double_pendulum(), dt=0.01, compliance=1e-8, law="linear", least=0.0)
    assert stiff.least == 0.0 and stiff.energy == "total" and stiff.monitor == "linear"
    m = double_pendulum()
    m.gravity = (0.0, 0.0)
    with pytest.raises(cd.InputError, match="no energy free"):
        cd.methods.choose_monitor(m, dt=0.01, compliance=1e-5)
