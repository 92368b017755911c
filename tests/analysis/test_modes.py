"""Frequencies, damping and shapes of modes against closed forms; constraints are respected."""

import numpy as np
import pytest

import condyle as cd
from condyle.system.state import State
from zoo import ZOO

G = 9.81


def chain(n=4, k=50.0, m=0.5, damping=0.0):
    """n masses in a row between springs, fixed at both ends, held on the line."""
    model = cd.Model("chain", dimension=2)
    ends = [model.ground.at(0.0, 0.0), *[f"m{i}" for i in range(n)], model.ground.at(n + 1.0, 0.0)]
    for i in range(n):
        model.add(cd.PointMass(f"m{i}", m, (i + 1.0, 0.0)))
        model.add(cd.PointOnLine(f"line{i}", model.ground, f"m{i}", at=(i + 1.0, 0.0), axis=(1.0, 0.0)))
    for i in range(n + 1):
        model.add(cd.Spring(f"s{i}", ends[i], ends[i + 1], k, rest_length=1.0))
        if damping:
            model.add(cd.Damper(f"d{i}", ends[i], ends[i + 1], damping))
    return model


def pendulum(dimension=2, inertia=0.3, above=False):
    model = cd.Model("pendulum", dimension=dimension, gravity=(0, -G) if dimension == 2 else (0, 0, -G))
    down = -0.8 if not above else 0.8
    place = (0.0, down) if dimension == 2 else (0.0, 0.0, down)
    body = model.add(
        cd.RigidBody("body", 2.0, inertia=inertia if dimension == 2 else (inertia, 0.5, 0.4), position=place)
    )
    if dimension == 2:
        model.add(cd.Pin("pin", model.ground, body, at=(0, 0)))
    else:
        model.add(cd.Spherical("ball", model.ground, body, at=(0, 0, 0)))
    return model


def rod(elements, dimension=2, clamped=True, depth=0.02, width=0.03):
    model = cd.Model("rod", dimension=dimension)
    rubber = cd.StVenantKirchhoff(young=1e7, poisson=0.0, density=1000.0)
    line = [(0.0,) * dimension, (1.0,) + (0.0,) * (dimension - 1)]
    body = model.add(cd.Rod("rod", line, elements, depth, rubber, width=width))
    if clamped:
        model.add(cd.Tie("clamp", body, "start", model.ground))
    return model


def bernoulli(roots, depth=0.02):
    """ω [rad/s] of a slender rod of length 1 m."""
    return np.array(roots) ** 2 * np.sqrt(1e7 * depth**2 / 12.0 / 1000.0)


def test_a_chain_of_masses_has_its_closed_form_frequencies():
    n, k, m = 5, 50.0, 0.5
    modes = cd.eigenmodes(chain(n, k, m))
    exact = 2.0 * np.sqrt(k / m) * np.sin(np.arange(1, n + 1) * np.pi / (2 * (n + 1)))
    assert len(modes) == n
    np.testing.assert_allclose(modes.angular_frequencies, exact, rtol=1e-12)
    np.testing.assert_allclose(modes.frequencies, exact / (2 * np.pi), rtol=1e-12)
    places = np.array([modes.displacement(f"m{i}")[0, 0] for i in range(n)])
    sine = np.sin(np.arange(1, n + 1) * np.pi / (n + 1))
    np.testing.assert_allclose(places / places[2], sine / sine[2], rtol=1e-10)
    assert not modes.unstable.any()


def test_a_pendulum_in_the_plane_and_in_space_swings_with_its_closed_form_frequency():
    for above in (False, True):
        modes = cd.eigenmodes(pendulum(above=above))
        rate = np.sqrt(2.0 * G * 0.8 / (0.3 + 2.0 * 0.8**2))
        np.testing.assert_allclose(modes.eigenvalues, [rate if above else 1j * rate], rtol=1e-12)
        assert modes.unstable.tolist() == [above]
    modes = cd.eigenmodes(pendulum(3))
    swings = [np.sqrt(2.0 * G * 0.8 / (J + 2.0 * 0.8**2)) for J in (0.5, 0.3)]
    np.testing.assert_allclose(modes.angular_frequencies, [0.0, *swings], rtol=1e-12)
    assert "rigid-body" in modes.summary()


def test_a_double_pendulum_has_the_modes_of_its_two_angles():
    model = cd.Model("double pendulum", dimension=2, gravity=(0, -G))
    a = model.add(cd.PointMass("a", 1.0, (0.0, -1.0)))
    b = model.add(cd.PointMass("b", 0.5, (0.0, -1.7)))
    model.add(cd.Distance("first", model.ground, a))
    model.add(cd.Distance("second", a, b))
    mass = np.array([[1.5 * 1.0, 0.5 * 0.7], [0.5 * 0.7, 0.5 * 0.7**2]])
    stiffness = np.diag([1.5 * G * 1.0, 0.5 * G * 0.7])
    exact = np.sqrt(np.sort(np.linalg.eigvals(np.linalg.solve(mass, stiffness)).real))
    for method in ("tangent", "rows"):
        modes = cd.eigenmodes(cd.compile(model, formulation=method))
        np.testing.assert_allclose(modes.angular_frequencies, exact, rtol=1e-12)


def test_rigid_bodies_have_the_same_modes_with_rows_as_unknowns():
    model = pendulum(3)
    lower = model.add(cd.RigidBody("lower", 1.0, inertia=(0.1, 0.2, 0.15), position=(0.2, 0.0, -1.9)))
    model.add(cd.Revolute("hinge", "body", lower, at=(0.1, 0.0, -1.4), axis=(0.0, 1.0, 0.3)))
    model.add(cd.Spring("spring", model.ground.at(1.0, 0.5, -1.0), lower, 30.0, rest_length=0.8))
    tangent, rows = (cd.compile(model, formulation=k) for k in ("tangent", "rows"))
    ours, theirs = (cd.eigenmodes(s, state=cd.relax(s)) for s in (tangent, rows))
    assert ours.linearised.balanced and len(ours) == 4
    np.testing.assert_allclose(ours.eigenvalues, theirs.eigenvalues, rtol=1e-8)


def test_a_cantilever_has_the_frequencies_of_euler_and_bernoulli_within_the_mesh_error():
    exact = bernoulli([1.875104069, 4.694091133, 7.854757438])
    errors = [np.abs(cd.eigenmodes(rod(n), 3).angular_frequencies / exact - 1.0).max() for n in (10, 20, 40)]
    assert errors[2] < 1.5e-3  # what is left are shear and rotary inertia, (depth/length)²
    assert errors[0] / errors[1] > 3.5  # second order


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("damped", [False, True])
@pytest.mark.parametrize("method", ["dense", "sparse"])
def test_a_free_rod_has_three_or_six_rigid_body_modes(dimension, damped, method):
    modes = cd.eigenmodes(rod(16, dimension, clamped=False), 8, damped=damped, method=method)
    rigid = 3 if dimension == 2 else 6
    assert (modes.eigenvalues[:rigid] == 0).all() and (modes.frequencies[rigid:] > 1.0).all()
    first = bernoulli([4.730040745])[0]
    assert modes.angular_frequencies[rigid] == pytest.approx(first, rel=0.02)


def test_a_free_rigid_body_has_only_rigid_body_modes():
    for dimension, count in ((2, 3), (3, 6)):
        model = cd.Model("stone", dimension=dimension, gravity=(0.0,) * (dimension - 1) + (-G,))
        inertia = 0.4 if dimension == 2 else (0.3, 0.4, 0.5)
        model.add(cd.RigidBody("stone", 2.0, inertia=inertia, centre_of_mass=(0.1, 0.2, 0.3)[:dimension]))
        for damped in (False, True):
            modes = cd.eigenmodes(model, damped=damped)
            assert (modes.eigenvalues == 0).all() and len(modes) == count


def test_a_damped_oscillator_has_its_ratio_and_frequency():
    model = cd.Model("oscillator", dimension=2)
    mass = model.add(cd.PointMass("m", 2.0, (1.0, 0.0)))
    model.add(cd.PointOnLine("line", model.ground, mass, at=(1.0, 0.0), axis=(1.0, 0.0)))
    model.add(cd.Spring("spring", model.ground, mass, 50.0, rest_length=1.0))
    damper = model.add(cd.Damper("damper", model.ground, mass, 4.0))
    modes = cd.eigenmodes(model, damped=True)
    zeta = 4.0 / (2.0 * np.sqrt(50.0 * 2.0))
    np.testing.assert_allclose(modes.damping_ratios, [zeta], rtol=1e-12)
    np.testing.assert_allclose(modes.angular_frequencies, [5.0 * np.sqrt(1 - zeta**2)], rtol=1e-12)
    damper.damping = 40.0  # more than critical: two motions that creep back
    modes = cd.eigenmodes(model, damped=True)
    np.testing.assert_allclose(modes.eigenvalues, np.roots([2.0, 40.0, 50.0])[::-1], rtol=1e-12)
    np.testing.assert_allclose(modes.damping_ratios, [1.0, 1.0])


def test_a_spinning_body_nutates_at_the_ratio_of_its_moments_of_inertia():
    model = cd.Model("top", dimension=3)
    model.add(cd.RigidBody("top", 1.0, inertia=(0.2, 0.2, 0.35), angular_velocity=(0.0, 0.0, 8.0)))
    modes = cd.eigenmodes(model, damped=True)
    np.testing.assert_allclose(modes.angular_frequencies.max(), 8.0 * 0.35 / 0.2, rtol=1e-9)
    assert not modes.unstable.any()


def test_a_sleeping_top_is_stable_only_when_it_spins_fast():
    m, length, J, spin_inertia = 1.0, 0.3, 0.12, 0.05
    critical = 2.0 * np.sqrt(m * G * length * J) / spin_inertia
    for share, stable in ((0.9, False), (1.1, True)):
        model = cd.Model("top", dimension=3, gravity=(0, 0, -G))
        across = J - m * length**2
        top = model.add(
            cd.RigidBody("top", m, inertia=(across, across, spin_inertia), position=(0, 0, length),
                         angular_velocity=(0, 0, share * critical))
        )  # fmt: skip
        model.add(cd.Spherical("tip", model.ground, top, at=(0, 0, 0)))
        assert cd.eigenmodes(model, damped=True).unstable.any() != stable


def test_constraints_are_respected_by_every_mode():
    for name in ("joints in the plane, multiplier", "joints in space, uzawa", "quad4", "rod in space"):
        for damped in (False, True):
            modes = cd.eigenmodes(ZOO[name](), 30, damped=damped)
            G_, u = modes.linearised.G, modes.vectors
            assert np.abs(G_ @ u).max() <= 1e-9 * np.abs(u).max()
            mass = np.einsum("ik,ik->k", u.conj(), modes.linearised.M @ u).real
            np.testing.assert_allclose(mass, 1.0, rtol=1e-9)


@pytest.mark.parametrize("damped", [False, True])
def test_sparse_and_dense_agree_where_there_are_joints_and_dampers(damped):
    model = chain(40, damping=0.3)
    dense, sparse = (cd.eigenmodes(model, 6, damped=damped, method=k) for k in ("dense", "sparse"))
    np.testing.assert_allclose(sparse.eigenvalues, dense.eigenvalues, rtol=1e-8)


def test_a_redundant_joint_changes_nothing():
    model = pendulum()
    before = cd.eigenmodes(model).eigenvalues
    model.add(cd.Pin("again", model.ground, "body", at=(0, 0)))
    np.testing.assert_allclose(cd.eigenmodes(model).eigenvalues, before, rtol=1e-9)


def test_a_body_without_inertia_about_its_line_has_no_spin_mode():
    model = cd.Model("stick", dimension=3, gravity=(0, 0, -G))
    body = model.add(cd.RigidBody("stick", 1.0, inertia=(0.1, 0.1, 0.0), position=(0, 0, -0.5)))
    model.add(cd.Spherical("ball", model.ground, body, at=(0, 0, 0)))
    modes = cd.eigenmodes(model)
    np.testing.assert_allclose(modes.angular_frequencies, np.sqrt(G * 0.5 / (0.1 + 0.25)), rtol=1e-9)
    assert len(modes) == 2


def test_a_string_under_tension_is_stiffened_by_it():
    loose, tight = (cd.Model("string", dimension=2) for _ in range(2))
    for model, rest in ((loose, 1.0), (tight, 0.6)):
        model.add(cd.PointMass("m", 0.5, (1.0, 0.0)))
        for i, end in enumerate(((0.0, 0.0), (2.0, 0.0))):
            model.add(cd.Spring(f"s{i}", model.ground.at(*end), "m", 100.0, rest_length=rest))
    exact = [np.sqrt(2 * 100.0 * 0.4 / 1.0 / 0.5), np.sqrt(2 * 100.0 / 0.5)]
    np.testing.assert_allclose(cd.eigenmodes(tight).angular_frequencies, exact, rtol=1e-12)
    np.testing.assert_allclose(cd.eigenmodes(loose).angular_frequencies, [0.0, exact[1]], atol=1e-12)


def test_small_motion_of_the_simulation_has_the_frequency_of_the_mode():
    model = pendulum()
    modes = cd.eigenmodes(model)
    shown = modes.result(0, amplitude=1e-4, cycles=1, frames=60)
    start = State(0.0, shown.state(0).x, np.zeros_like(shown.state(0).x), np.zeros(0))
    run = cd.simulate(model, state=start, end=float(shown.times[-1]), dt=float(shown.times[1]))
    np.testing.assert_allclose(run.position("body")[:, 0], shown.position("body")[:, 0], atol=2e-6)


def test_a_mode_is_a_result_that_can_be_drawn(tmp_path):
    modes = cd.eigenmodes(rod(8), 3)
    shown = modes.result(1, amplitude=0.05, cycles=2, frames=12)
    assert len(shown) == 25 and shown.status == "completed"
    assert shown.times[-1] == pytest.approx(2.0 / modes.frequencies[1])
    moved = shown.position("rod.end") - (1.0, 0.0)
    assert np.linalg.norm(moved, axis=1).max() == pytest.approx(0.05, rel=1e-9)
    np.testing.assert_allclose(moved[0], moved[12], atol=1e-12)
    np.testing.assert_allclose(moved[0], -moved[6], atol=1e-12)
    shown.plot_shapes(count=3)
    path = modes.animate(tmp_path / "mode.gif", 1, frames=4, dpi=40)
    assert path.stat().st_size > 1000


def test_wrong_input_is_named():
    model = pendulum()
    with pytest.raises(cd.InputError, match="count must be a whole number"):
        cd.eigenmodes(model, 0)
    with pytest.raises(cd.InputError, match="choose 'auto', 'dense' or 'sparse'"):
        cd.eigenmodes(model, method="qr")
    with pytest.raises(cd.InputError, match="use method='dense'"):
        cd.eigenmodes(model, 10, method="sparse")
    modes = cd.eigenmodes(model)
    with pytest.raises(cd.InputError, match="there is no mode 4"):
        modes.result(4)
    with pytest.raises(cd.InputError, match="amplitude must be a positive length"):
        modes.result(0, amplitude=-1.0)
    with pytest.raises(cd.InputError, match="at least 2 frames"):
        modes.result(0, frames=1)
    with pytest.raises(cd.InputError, match="has its state already"):
        cd.eigenmodes(modes.linearised, state=modes.linearised.state)


@pytest.mark.parametrize("tendon", ["elastic", "rigid"])
def test_a_muscle_is_as_stiff_as_in_statics_and_damps_as_in_motion(tendon):
    """A forearm held up by a muscle; slow against its fibres, whose lengths are unknowns of their own."""

    def arm(angle=0.0, rate=0.0, torque=0.0):
        m = cd.Model("arm", dimension=2, gravity=(0.0, -9.81))
        bone = m.add(cd.RigidBody("bone", 1.5, inertia=0.02, position=(0.15, 0.0)))
        m.add(cd.Revolute("elbow", m.ground, bone, at=(0.0, 0.0)))
        path = [cd.Point("ground", (0.0, 0.3)), cd.Point("bone", (0.05, 0.0), "world")]
        m.add(cd.Muscle("biceps", path, 420.0, 0.14, 0.165, 0.1, tendon=tendon))
        m.add(cd.CoordinateForce("torque", "elbow.angle", value=torque))
        m.add(cd.Initial("start", "elbow.angle", value=angle, rate=rate))
        return m

    rest = cd.solve_static(arm())
    angle = float(rest.coordinate("elbow.angle")[-1])
    far = [cd.solve_static(arm(torque=t)).coordinate("elbow.angle")[-1] for t in (-0.02, 0.02)]
    stiffness = 0.04 / (far[1] - far[0])
    inertia = 0.02 + 1.5 * 0.15**2
    undamped = cd.eigenmodes(arm(), state=rest)
    assert undamped.angular_frequencies[0] == pytest.approx(np.sqrt(stiffness / inertia), rel=5e-3)
    s = cd.eigenmodes(arm(), state=rest, damped=True).eigenvalues[0]
    swing = cd.simulate(arm(angle, rate=0.02), end=0.4, dt=1e-3)
    # From rest with a rate: (e^(s t) − e^(s̄ t)) / (s − s̄), or the like with two real roots.
    exact = 0.02 * np.exp(s.real * swing.times) * np.sin(s.imag * swing.times) / s.imag
    error = np.abs(swing.coordinate("elbow.angle") - angle - exact).max() / np.abs(exact).max()
    assert s.imag > 0 and error < (0.03 if tendon == "elastic" else 5e-3)
