"""Muscles, ligaments and actuators: closed forms, differential equations, wrapping, energy and momentum, bad input."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import minimize

import condyle as cd
from condyle.laws import muscles as laws
from condyle.muscles.reading import PathReader
from zoo_muscles import bones, deflected, muscles

# --- curves -----------------------------------------------------------------------------------------------------------


def test_the_curves_pass_through_their_reference_points():
    assert laws.active_force(1.0)[0] == pytest.approx(1.0, abs=1e-3)
    assert laws.velocity_factor(0.0)[0] == pytest.approx(1.0, abs=1e-9)
    assert laws.velocity_factor(-1.0)[0] == pytest.approx(0.0, abs=1e-9)
    assert laws.velocity_factor(1.0)[0] == pytest.approx(1.794, abs=1e-3)
    assert laws.passive_force(1.6, 0.6, 4.0)[0] == pytest.approx(1.0)
    assert laws.passive_force(0.2, 0.6, 4.0)[0] == pytest.approx(0.0, abs=1e-15)
    stiffness = cd.Muscle("m", ["a", "b"], 1.0, 1.0, 1.0).parameters()[laws.TENDON]
    assert laws.tendon_force(1.0, stiffness)[0] == 0.0
    assert laws.tendon_force(1.049, stiffness)[0] == pytest.approx(1.0)


def test_the_curves_are_those_of_the_source_but_for_what_makes_them_exact_at_reference_points():
    # De Groote et al. 2016 as printed; as in OpenSim's muscle of that name, Condyle's are exact at rest and at greatest speed.
    bells = ((0.814483478343008, 1.055033428970575, 0.162384573599574, 0.063303448465465),
             (0.433004984392647, 0.716775413397760, -0.029947116970696, 0.200356847296188),
             (0.1, 1.0, 0.5 * np.sqrt(0.5), 0.0))  # fmt: skip
    d1, d2, d3, d4 = -0.318323436899127, -8.149156043475250, -0.374121508647863, 0.885644059915004
    for s in np.linspace(0.5, 1.6, 23):
        printed = sum(b1 * np.exp(-0.5 * ((s - b2) / (b3 + b4 * s)) ** 2) for b1, b2, b3, b4 in bells)
        assert laws.active_force(s)[0] == pytest.approx(printed, abs=1e-3)
        printed = (np.exp(4.0 * (s - 1.0) / 0.6) - 1.0) / (np.exp(4.0) - 1.0)
        assert laws.passive_force(s, 0.6, 4.0)[0] == pytest.approx(printed, abs=0.02)
    for v in np.linspace(-1.0, 1.0, 21):
        assert laws.velocity_factor(v)[0] == pytest.approx(d1 * np.arcsinh(d2 * v + d3) + d4, abs=0.011)
    stiffness = cd.Muscle("m", ["a", "b"], 1.0, 1.0, 1.0).parameters()[laws.TENDON]
    for s in np.linspace(1.0, 1.05, 11):
        assert laws.tendon_force(s, stiffness)[0] == pytest.approx(0.2 * np.exp(35.0 * (s - 0.995)) - 0.25, abs=0.1)


def test_slopes_of_the_curves():
    for curve in (laws.active_force, laws.velocity_factor, lambda s: laws.passive_force(s, 0.6, 4.0)):
        for s in (0.45, 0.8, 1.0, 1.3):
            slope = (curve(s + 1e-6)[0] - curve(s - 1e-6)[0]) / 2e-6
            assert curve(s)[1] == pytest.approx(slope, rel=1e-6, abs=1e-8)


# --- one muscle -------------------------------------------------------------------------------------------------------


def weight(tendon="elastic", **options):
    """A mass that hangs on a muscle."""
    m = cd.Model("weight", dimension=2, gravity=(0.0, -9.81))
    m.add(cd.PointMass("mass", 20.0, position=(0.0, -0.31)))
    given = {"excitation": cd.Table((0.0, 0.05, 0.06), (0.1, 0.1, 0.8)), "activation": 0.3, "pennation": 0.2} | options
    m.add(cd.Muscle("muscle", ["ground", "mass"], 900.0, 0.1, 0.2, tendon=tendon, **given))
    return m


def reference(model, end):
    """Activation, fibre length, place and speed of the mass by SciPy, from the equations as published."""
    muscle, mass = model["muscle"], 20.0
    p = np.array(muscle.parameters())
    w, k = p[laws.WIDTH], p[laws.TENDON]

    def speed(length, a, path):
        along = np.sqrt(length**2 - w**2)
        pull = laws.tendon_force((path - 0.1 * along) / 0.2, k)[0] / (along / length)
        low, high = -5.0, 5.0
        for _ in range(80):
            v = 0.5 * (low + high)
            force = a * laws.active_force(length)[0] * laws.velocity_factor(v)[0] + 0.1 * v
            low, high = (v, high) if force + laws.passive_force(length, 0.6, 4.0)[0] < pull else (low, v)
        return 10.0 * v

    def rates(t, z):
        a, length, y, v = z
        u = muscle.excitation(t)
        along = np.sqrt(length**2 - w**2)
        pull = 900.0 * laws.tendon_force((y - 0.1 * along) / 0.2, k)[0]
        return [laws.activation_rate(a, u, 0.015, 0.06, 10.0), speed(length, a, y), v, 9.81 - pull / mass]

    first = cd.simulate(model, end=1e-6, dt=1e-6).path("muscle")
    start = [0.3, first["fibre length"][0], 0.31, 0.0]
    return solve_ivp(rates, (0.0, end), start, rtol=1e-9, atol=1e-11, max_step=0.002).y[:, -1]


@pytest.mark.parametrize("method", [cd.EnergyMomentum(), cd.GeneralizedAlpha(0.9)], ids=lambda m: type(m).__name__)
def test_activation_fibre_and_motion_converge_to_the_differential_equations_with_second_order(method):
    model = weight()
    wanted = reference(model, 0.15)
    errors = []
    for dt in (0.002, 0.001):
        r = cd.simulate(model, end=0.15, dt=dt, integrator=method)
        p = r.path("muscle")
        got = [p["activation"][-1], p["fibre length"][-1], p["length"][-1], p["rate"][-1]]
        errors.append(np.abs(np.array(got) - wanted))
    assert (errors[1] < [2e-4, 2e-4, 2e-5, 2e-4]).all()
    assert (np.log2(errors[0] / errors[1]) > 1.7).all()


def test_a_stiff_tendon_gives_the_motion_of_a_rigid_one():
    ways = (("rigid", 0.049), ("elastic", 0.049), ("elastic", 0.005))
    rigid, usual, stiff = (
        cd.simulate(weight(tendon, tendon_strain=strain), end=0.1, dt=1e-3).position("mass")[-1, 1]
        for tendon, strain in ways
    )
    assert abs(stiff - rigid) < 0.2 * abs(usual - rigid) and abs(stiff - rigid) < 1e-3


def test_a_muscle_at_rest_is_in_balance_and_statics_finds_the_same():
    m = weight(excitation=0.35, activation=None, pennation=0.0, damping=1.0)
    still = cd.solve_static(m)
    hanging = m
    hanging["mass"].position = tuple(still.position("mass")[-1])
    run = cd.simulate(hanging, end=0.1, dt=0.005)
    assert run.path("muscle")["tension"] == pytest.approx(20.0 * 9.81, rel=1e-6)
    assert np.ptp(run.position("mass")[:, 1]) < 1e-8


def test_an_input_set_by_hand_excites_a_muscle():
    sim = cd.Simulation(weight(excitation=0.0), dt=0.001)
    before = sim.state.turns[0]
    sim.inputs["muscle"] = 1.0
    sim.run(0.05)
    assert before == 0.3 and sim.state.turns[0] > 0.8


# --- all of them in motion --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dimension", [2, 3])
def test_energy_less_work_is_kept_by_muscles_on_all_kinds_of_paths(dimension):
    r = cd.simulate(deflected(dimension), end=0.2, dt=0.004)
    balance = r.energy["total"] - r.energy["work"]
    assert np.ptp(balance) < 1e-9 * np.abs(r.energy["total"]).max()
    assert np.ptp(r.coordinate("knee.angle")) > 0.3  # via points moved and came into action


@pytest.mark.parametrize("dimension", [2, 3])
def test_muscles_between_free_bodies_keep_both_momenta(dimension):
    m = muscles(dimension, gravity=False, free=True)
    r = cd.simulate(m, end=0.2, dt=0.004)
    assert np.ptp(r.linear_momentum, axis=0).max() < 1e-11 and np.ptp(r.angular_momentum, axis=0).max() < 1e-11
    assert np.ptp(r.energy["kinetic"]) > 0.1


@pytest.mark.parametrize("method", [cd.EnergyMomentum(), cd.GeneralizedAlpha()], ids=lambda m: type(m).__name__)
def test_a_resumed_run_has_activations_and_fibres_bit_for_bit(method, tmp_path):
    whole = cd.simulate(muscles(2), end=0.1, dt=0.004, integrator=method)
    cd.simulate(muscles(2), end=0.048, dt=0.004, integrator=method, file=tmp_path / "half.h5")
    on = cd.resume(tmp_path / "half.h5", end=0.1)
    assert (on.state(-1).turns == whole.state(-1).turns).all() and (on.state(-1).x == whole.state(-1).x).all()
    assert (cd.load(tmp_path / "half.h5").path("vastus")["tension"] == whole.path("vastus")["tension"]).all()


def test_compiled_and_plain_steps_agree():
    plain = cd.simulate(muscles(3), end=0.04, dt=0.004, solver="dense")
    fast = cd.simulate(muscles(3), end=0.04, dt=0.004)
    np.testing.assert_allclose(plain.state(-1).turns, fast.state(-1).turns, atol=1e-9)


def test_methods_that_do_not_step_states_say_so():
    with pytest.raises(cd.InputError, match=r"'muscle' carries its activation.*RungeKutta does not"):
        cd.simulate(weight(), end=0.01, dt=0.001, integrator=cd.RungeKutta())
    stateless = weight("rigid", activation_time=None, activation=None)
    a, b = (cd.simulate(stateless, end=0.05, dt=0.0005, integrator=i) for i in (cd.RungeKutta(), cd.EnergyMomentum()))
    np.testing.assert_allclose(a.position("mass")[-1], b.position("mass")[-1], atol=1e-7)


# --- ligaments and actuators ------------------------------------------------------------------------------------------


def test_a_ligament_has_no_force_when_slack_a_toe_and_then_a_line():
    m = cd.Model("ligament", dimension=2)
    m.add(cd.PointMass("end", 1.0, position=(1.05, 0.0), velocity=(-1.0, 0.0)))
    m.add(cd.Ligament("l", ["ground", "end"], 2000.0, slack_length=1.0, toe=0.03))
    p = cd.simulate(m, end=0.1, dt=0.001).path("l")
    strain = p["strain"]
    assert p["tension"][strain < 0] == pytest.approx(0.0)
    assert p["tension"][0] == pytest.approx(2000.0 * 0.05**2 / 0.12)
    m["l"].slack_length = 0.9
    first = cd.simulate(m, end=0.001, dt=0.001).path("l")["tension"][0]
    assert first == pytest.approx(2000.0 * (1.05 / 0.9 - 1.03))


def test_the_reference_strain_of_a_ligament_is_that_at_the_start():
    m = cd.Model("ligament", dimension=2)
    m.add(cd.PointMass("end", 1.0, position=(1.05, 0.0)))
    m.add(cd.Ligament("l", ["ground", "end"], 2000.0, reference_strain=0.04))
    assert cd.simulate(m, end=0.001, dt=0.001).path("l")["strain"][0] == pytest.approx(0.04)


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_moment_actuator_gives_its_moment_whatever_its_arm(dimension):
    """Two bars with a torque on one and minus that on the other move as with the actuator."""

    def model(actuator):
        m = bones(dimension, gravity=False)
        axis = {} if dimension == 2 else {"axis": (0.0, 0.0, 1.0)}
        ends = [
            cd.Point(b, p[:dimension], "world")
            for b, p in (("thigh", (-0.04, 0.3, 0.0)), ("shank", (-0.05, -0.1, 0.0)))
        ]
        if actuator:
            m.add(
                cd.MomentActuator(
                    "m", *ends, cd.Point("thigh", (0.0, 0.0, 0.0)[:dimension], "world"), 3.0, cd.Ramp(0, 0.1), **axis
                )
            )
        else:
            for body, sign in (("shank", 1.0), ("thigh", -1.0)):
                m.add(
                    cd.Torque(
                        body + " torque", body, 3.0 * sign if dimension == 2 else (0, 0, 3.0 * sign), cd.Ramp(0, 0.1)
                    )
                )
        return cd.simulate(m, end=0.2, dt=0.002)

    one, two = model(True), model(False)
    np.testing.assert_allclose(one.coordinate("knee.angle"), two.coordinate("knee.angle"), atol=1e-6)
    assert one.iterations.max() <= 5


# --- wrapping ---------------------------------------------------------------------------------------------------------


def wrapped(wrap, first, second, dimension=3):
    """A reader of the length between two points over a surface of the ground, and the rows of the points."""
    m = cd.Model("wrap", dimension=dimension)
    m.add(cd.PointMass("p", 1.0, position=first))
    m.add(cd.PointMass("s", 1.0, position=second))
    m.add(cd.Ligament("l", ["p", wrap, "s"], 1.0))
    s = cd.compile(m)
    rows = [s.position(n).rows[0] for n in ("p", "s")]
    return PathReader(m["l"].terms(s.points)), s.x_start.copy(), rows


def shortest(project, first, second, n=60):
    """The length of the shortest even chain of n points that stay out of a surface, by brute force."""
    line = np.linspace(first, second, n + 2)[1:-1]
    start = project(line + 1e-3)

    def length(z):
        chain = np.vstack((first, project(z.reshape(n, -1)), second))
        return np.sqrt((n + 1) * np.sum(np.diff(chain, axis=0) ** 2))  # least if all its pieces are alike

    return minimize(length, start.ravel(), method="L-BFGS-B", options={"maxiter": 3000, "maxfun": 10**6}).fun


def test_the_way_round_a_sphere_is_the_shortest():
    first, second = np.array([-0.2, 0.02, 0.01]), np.array([0.15, 0.0, 0.05])
    reader, x, _ = wrapped(cd.SphereWrap("ground", 0.06), first, second)
    u, v = first / np.linalg.norm(first), second / np.linalg.norm(second)
    p, s = np.linalg.norm(first), np.linalg.norm(second)
    arc = np.arccos(u @ v) - np.arccos(0.06 / p) - np.arccos(0.06 / s)
    assert reader.at(x)[0] == pytest.approx(np.sqrt(p**2 - 0.06**2) + np.sqrt(s**2 - 0.06**2) + 0.06 * arc, rel=1e-14)

    def project(z):
        r = np.linalg.norm(z, axis=1, keepdims=True)
        return z * np.maximum(1.0, 0.06 / r)

    assert reader.at(x)[0] == pytest.approx(shortest(project, first, second), rel=6e-3)


def test_the_way_round_a_cylinder_is_a_helix_and_the_shortest():
    first, second = np.array([-0.2, 0.02, 0.0]), np.array([0.15, 0.0, 0.25])
    reader, x, _ = wrapped(cd.CylinderWrap("ground", 0.06, axis=(0, 0, 1)), first, second)

    def project(z):
        r = np.linalg.norm(z[:, :2], axis=1, keepdims=True)
        out = z.copy()
        out[:, :2] *= np.maximum(1.0, 0.06 / r)
        return out

    found = shortest(project, first, second)
    assert reader.at(x)[0] == pytest.approx(found, rel=6e-3)
    assert reader.at(x)[0] > np.linalg.norm(first - second)


SURFACES = {
    "sphere": cd.SphereWrap("ground", 0.06),
    "cylinder": cd.CylinderWrap("ground", 0.06, axis=(0, 0.2, 1)),
    "ellipsoid": cd.EllipsoidWrap("ground", (0.08, 0.05, 0.06)),
    "ring": cd.TorusWrap("ground", 0.1, 0.03, (1.0, 0.2, 0.1), side=(0.0, 1.0, 0.0)),
    "sphere, the longer way": cd.SphereWrap("ground", 0.06, side=(0.0, -1.0, -1.0)),
    "ellipsoid, the longer way": cd.EllipsoidWrap("ground", (0.08, 0.05, 0.06), side=(0.0, -1.0, -1.0)),
}


def test_the_way_round_an_ellipsoid_is_the_shortest_and_that_round_a_sphere_is_known():
    first, second = np.array([-0.2, 0.02, 0.01]), np.array([0.15, 0.0, 0.05])
    ball, x, _ = wrapped(cd.EllipsoidWrap("ground", (0.06, 0.06, 0.06)), first, second)
    sphere, _, _ = wrapped(cd.SphereWrap("ground", 0.06), first, second)
    assert ball.at(x)[0] == pytest.approx(sphere.at(x)[0], rel=1e-9)
    axes = np.array([0.08, 0.05, 0.06])
    egg, x, _ = wrapped(cd.EllipsoidWrap("ground", axes), first, second)

    def project(z):
        return z * np.maximum(1.0, 1.0 / np.linalg.norm(z / axes, axis=1, keepdims=True))

    assert egg.at(x)[0] == pytest.approx(shortest(project, first, second), rel=6e-3)


@pytest.mark.parametrize("wrap", SURFACES.values(), ids=SURFACES.keys())
def test_moment_arms_over_surfaces_agree_with_differences(wrap):
    rng = np.random.default_rng(4)
    for _ in range(20):
        first, second = (
            np.array([-0.2, 0.03, 0.0]) + 0.02 * rng.normal(size=3),
            np.array([0.15, -0.01, 0.08]) + 0.02 * rng.normal(size=3),
        )
        reader, x, _ = wrapped(wrap, first, second)
        pull = reader.pull(x)
        change = np.zeros_like(x)
        change[-2:] = rng.normal(size=(2, 3))
        slope = (reader.at(x + 1e-6 * change)[0] - reader.at(x - 1e-6 * change)[0]) / 2e-6
        assert -np.sum(pull * change) == pytest.approx(slope, rel=1e-7, abs=2e-8)


def test_the_path_stays_on_its_side_over_more_than_a_turn():
    """One end goes round the cylinder one and a half times: the length grows by R times the angle, without a jump."""
    reader, x, rows = wrapped(cd.CylinderWrap("ground", 0.05, side=(0.0, 1.0)), (-0.2, 0.06), (0.2, 0.06), 2)
    angles = np.linspace(np.arctan2(0.06, 0.2), -3.0 * np.pi, 400)
    lengths = []
    for angle in angles:
        x[rows[1]] = 0.2 * np.array([np.cos(angle), np.sin(angle)])
        lengths.append(reader.at(x)[0])
    assert np.abs(np.diff(lengths)).max() < 0.21 * abs(angles[1] - angles[0])
    on = np.array(lengths)[angles < -np.pi]
    np.testing.assert_allclose(np.diff(on), 0.05 * abs(angles[1] - angles[0]), rtol=1e-9)


@pytest.mark.parametrize("wrap", [cd.SphereWrap, cd.EllipsoidWrap])
def test_a_path_round_a_ball_stays_on_its_side_when_its_ends_pass_each_other(wrap):
    """One end goes past the other's opposite: on a side the length grows evenly, the shortest way turns back."""
    size = 0.05 if wrap is cd.SphereWrap else (0.05, 0.05, 0.05)
    angles = np.linspace(0.3, -1.2, 60)
    lengths = {}
    for side in (None, (0.0, 1.0, 0.0)):
        reader, x, rows = wrapped(wrap("ground", size, side=side), (-0.2, 0.0, 0.0), (0.2, 0.01, 0.0))
        lengths[side] = []
        for angle in angles:
            x[rows[1]] = 0.2 * np.array([np.cos(angle), np.sin(angle), 0.0])
            lengths[side].append(reader.at(x)[0])
    shortest, kept = lengths.values()
    straight = 2.0 * np.sqrt(0.2**2 - 0.05**2) - 2.0 * 0.05 * np.arccos(0.05 / 0.2)
    np.testing.assert_allclose(kept, straight + 0.05 * (np.pi - angles), rtol=1e-8)
    np.testing.assert_allclose(np.array(shortest)[angles > 0.0], np.array(kept)[angles > 0.0], rtol=1e-8)
    assert shortest[-1] < kept[-1] - 0.1


def test_a_path_round_an_egg_stays_on_its_side_and_its_arms_are_right_there():
    egg = cd.EllipsoidWrap("ground", (0.08, 0.05, 0.06), side=(0.0, 1.0, 0.0))
    angles = np.linspace(0.5, -1.3, 80)
    reader, x, rows = wrapped(egg, (-0.2, 0.02, 0.0), (0.2, 0.1, 0.0))
    lengths, slopes = [], []
    for angle in angles:
        x[rows[1]] = (0.2 * np.cos(angle), 0.2 * np.sin(angle), 0.0)
        along = np.array([-0.2 * np.sin(angle), 0.2 * np.cos(angle), 0.0])
        lengths.append(reader.at(x)[0])
        slopes.append(-reader.pull(x)[rows[1]] @ along)
    assert np.all(np.diff(lengths) > 0.0)
    between = 0.5 * (np.array(slopes[1:]) + slopes[:-1])
    np.testing.assert_allclose(np.diff(lengths) / np.diff(angles), between, rtol=0.01)


def test_a_path_leaves_the_cylinder_smoothly():
    reader, x, rows = wrapped(cd.CylinderWrap("ground", 0.05), (-0.2, 0.03), (0.2, 0.03), 2)
    heights = np.linspace(0.0, 0.2, 801)
    pulls = []
    for h in heights:
        x[rows[1]] = (0.2, h)
        pulls.append(reader.pull(x)[rows[1]])
    assert np.abs(np.diff(pulls, axis=0)).max() < 2e-3  # direction of the pull, no jump where it lifts off


# --- via points -------------------------------------------------------------------------------------------------------


def test_a_moving_point_is_where_its_spline_says_and_its_arm_includes_its_motion():
    m = bones(2)
    via = cd.MovingPoint("shank", "knee.angle", (-1.0, 0.0, 1.0), [(0.04, 0.2), (0.06, 0.22), (0.05, 0.2)])
    top, end = cd.Point("thigh", (0.06, 0.3), "world"), cd.Point("shank", (0.04, -0.1), "world")
    m.add(cd.ForceActuator("f", [top, via, end]))
    s = cd.compile(m)
    reader = PathReader(m["f"].terms(s.points))
    spline = [np.array([0.04, 0.2]), np.array([0.06, 0.22]), np.array([0.05, 0.2])]
    tip = np.array([0.0, -0.2])
    by_hand = np.linalg.norm(tip + spline[1] - (0.06, 0.3)) + np.linalg.norm(tip + spline[1] - (0.04, -0.1))
    assert reader.at(s.x_start)[0] == pytest.approx(by_hand)

    def bent(angle):
        x = s.x_start.copy()
        c, sn = np.cos(angle), np.sin(angle)
        R = np.array([[c, -sn], [sn, c]])
        rows = s.position("shank").rows[0]
        x[rows] = R @ x[rows]
        x[rows + 1], x[rows + 2] = R @ x[rows + 1], R @ x[rows + 2]
        return x

    slope = (reader.at(bent(1e-5))[0] - reader.at(bent(-1e-5))[0]) / 2e-5
    turning = (bent(1e-5) - bent(-1e-5)) / 2e-5
    assert -np.sum(reader.pull(s.x_start) * turning) == pytest.approx(slope, rel=1e-6)
    assert reader.at(bent(1.0))[0] != pytest.approx(by_hand, rel=1e-3)


def test_a_conditional_point_acts_only_within_its_limits():
    m = bones(2)
    top, end = cd.Point("thigh", (-0.04, 0.3), "world"), cd.Point("shank", (-0.03, -0.15), "world")
    via = cd.Point("shank", (-0.08, -0.05), "world")
    m.add(cd.ForceActuator("on", [top, cd.ConditionalPoint(via, "knee.angle", -0.2, 0.5), end]))
    m.add(cd.ForceActuator("off", [top, cd.ConditionalPoint(via, "knee.angle", 0.2, 0.5), end]))
    m.add(cd.ForceActuator("over", [top, via, end]))
    m.add(cd.ForceActuator("direct", [top, end]))
    s = cd.compile(m)
    on, off, over, direct = (PathReader(m[n].terms(s.points)).at(s.x_start)[0] for n in ("on", "off", "over", "direct"))
    assert on == pytest.approx(over, rel=1e-14) and off == pytest.approx(direct, rel=1e-14) and over > direct


# --- bad input --------------------------------------------------------------------------------------------------------

POINTS = ["thigh", "shank"]


@pytest.mark.parametrize(
    "part, message",
    [
        (lambda: cd.Muscle("m", ["thigh"], 1, 1, 1), "Muscle 'm': a path is a list of at least two points"),
        (lambda: cd.Muscle("m", POINTS, -1.0, 1, 1), "max_force must be above 0"),
        (lambda: cd.Muscle("m", POINTS, 1, 1, 1, pennation=20.0), "give radians"),
        (lambda: cd.Muscle("m", POINTS, 1, 1, 1, activation=2.0), "activation must be at least 0 and at most 1, not 2"),
        (lambda: cd.Muscle("m", POINTS, 1, 1, 1, damping=0.0), "fibres without damping"),
        (lambda: cd.Muscle("m", ["thigh", "thigh"], 100, 0.1, 0.2), "'m': the points thigh and thigh of its path coincide"),
        (lambda: cd.Muscle("m", ["thigh", "foot"], 100, 0.1, 0.2), "foot"),
        (lambda: cd.ForceActuator("f", ["thigh", cd.CylinderWrap("shank", 0.1)]), "begins and ends at a point"),
        (lambda: cd.ForceActuator("f", ["thigh", cd.CylinderWrap("thigh", 0.1), "shank"]), "lies inside the surface"),
        (lambda: cd.ForceActuator("f", ["thigh", cd.SphereWrap("ground", 0.1), "shank"]), "in 2D a SphereWrap"),
        (lambda: cd.ForceActuator("f", ["thigh", cd.ConditionalPoint("shank", "elbow"), "ground"]), "elbow"),
        (lambda: cd.ConditionalPoint("shank", "knee", 1.0, 0.0), "lower = 1 must be below upper"),
        (lambda: cd.MovingPoint("shank", "knee", (0.0, 1.0), [(0, 0)]), "one place for each"),
        (lambda: cd.ForceActuator("f", ["thigh", cd.SphereWrap("ground", 0.1), cd.ConditionalPoint("ground", "knee"), "shank"]),
         "put a fixed point between them"),
        (lambda: cd.MomentActuator("m", "thigh", "shank", "thigh"), "its line passes the hinge"),
        (lambda: cd.Ligament("l", POINTS, 10.0, slack_length=0.0), "slack_length must be above 0"),
    ],
)  # fmt: skip
def test_bad_input_names_the_part_and_the_fix(part, message):
    m = bones(2)
    with pytest.raises(cd.InputError, match=message):
        m.add(part())
        cd.compile(m)


@pytest.mark.parametrize("wrap", [cd.SphereWrap("thigh", 0.1), cd.EllipsoidWrap("thigh", (0.1, 0.2, 0.1))])
def test_a_point_inside_a_ball_of_its_path_is_named(wrap):
    m = bones(3)
    m.add(cd.ForceActuator("f", [cd.Point("thigh", (0.0, 0.05, 0.0)), wrap, "shank"]))
    with pytest.raises(cd.InputError, match=r"ForceActuator 'f': .*thigh.* lies inside .* make the surface smaller"):
        cd.compile(m)


def test_a_side_that_is_open_is_asked_for():
    m = cd.Model("wrap", dimension=2)
    m.add(cd.PointMass("p", 1.0, position=(-0.2, 0.0)))
    m.add(cd.PointMass("s", 1.0, position=(0.2, 0.0)))
    m.add(cd.Ligament("l", ["p", cd.CylinderWrap("ground", 0.06), "s"], 1.0))
    with pytest.raises(cd.InputError, match=r"Ligament 'l'.*give side="):
        cd.compile(m)


def test_only_what_has_a_path_can_be_read():
    m = bones(2)
    r = cd.simulate(m, end=0.01, dt=0.01)
    with pytest.raises(cd.InputError, match="'thigh' has no path"):
        r.path("thigh")
