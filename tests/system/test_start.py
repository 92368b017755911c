"""The start of a run: positions and velocities on the constraints, accelerations and joint forces to match."""

import numpy as np
import pytest

import condyle as cd
from condyle.system.compile import running
from condyle.system.start import consistent_state
from condyle.system.state import State


def started(model, mode="consistent", **options):
    system = running(model, **options)
    return system, *consistent_state(system, mode)


def two_particles(gap=0.02, **joint):
    """Particles of 1 and 3 kg, 1 m and 1 m + gap from the origin, that a joint holds together."""
    m = cd.Model("particles", dimension=2)
    m.add(cd.PointMass("light", 1.0, (1.0, 0.0), velocity=(0.0, 4.0)))
    m.add(cd.PointMass("heavy", 3.0, (1.0 + gap, 0.0), velocity=(1.0, 0.0)))
    m.add(cd.PointMass("far", 1.0, (-9.0, 0.0)))  # makes the model large against the gap
    m.add(cd.Pin("pin", "light", "heavy", **joint))
    return m


def test_points_that_are_slightly_apart_are_moved_together_about_their_centre_of_mass():
    system, state, report = started(two_particles())
    together = (1.0 + 3.0 * 1.02) / 4.0
    for name in ("light", "heavy"):
        np.testing.assert_allclose(system.position(name).at(state.x), (together, 0.0), atol=1e-14)
    assert report.position_change == pytest.approx(0.015, rel=1e-12)
    assert report.position_part == "light"


def test_velocities_become_those_after_an_inelastic_impulse():
    """The mass-weighted projection keeps the momentum: v = Σ m v / Σ m."""
    system, state, report = started(two_particles())
    for name in ("light", "heavy"):
        np.testing.assert_allclose(system.position(name).at(state.v), (0.75, 1.0), atol=1e-13)
    assert report.velocity_part == "light"
    assert report.velocity_change == pytest.approx(np.hypot(0.75, 3.0), rel=1e-12)
    np.testing.assert_allclose(system.momentum(state)[0], (3.0, 4.0), atol=1e-13)
    lines = report.lines(system.size)
    assert len(lines) == 2
    assert "0.015 m ('light')" in lines[0]
    assert "3.09 m/s ('light')" in lines[1]


def rigid_pair():
    m = cd.Model("pair", dimension=3, gravity=(0.0, 0.0, -9.81))
    a = m.add(
        cd.RigidBody("a", 2.0, inertia=(0.2, 0.3, 0.4), position=(0.3, 0.1, 0), angular_velocity=(1.0, -2.0, 0.5))
    )
    b = m.add(
        cd.RigidBody(
            "b", 1.0, inertia=(0.1, 0.1, 0.05), position=(1, 0, 0.2), rotation=(0.3, 0.1, 0.7), velocity=(0, 1, 2)
        )
    )
    m.add(cd.Spherical("hook", m.ground, a, at=(0, 0, 0)))
    m.add(cd.Revolute("hinge", a, b, at=(0.6, 0, 0), axis=(0, 1, 1)))
    return m


def test_the_projection_of_velocities_is_the_nearest_in_the_sense_of_the_mass():
    """Against an explicit computation with 6 velocities per body: min ½ (u − u0)·M (u − u0) with G u = 0."""
    model = rigid_pair()
    system, state, _ = started(model)
    bodies = [model["a"], model["b"]]
    turns = [cd.rotation(), cd.rotation(axis=(0.3, 0.1, 0.7), angle=float(np.linalg.norm((0.3, 0.1, 0.7))))]
    M, u0 = np.zeros((12, 12)), np.zeros(12)
    for k, (body, R) in enumerate(zip(bodies, turns, strict=True)):
        at = 6 * k
        M[at : at + 3, at : at + 3] = body.mass * np.eye(3)
        M[at + 3 : at + 6, at + 3 : at + 6] = R @ np.diag(body.inertia) @ R.T
        u0[at : at + 3] = body.velocity or (0, 0, 0)
        u0[at + 3 : at + 6] = body.angular_velocity or (0, 0, 0)

    def skew(r):
        return np.array([[0, -r[2], r[1]], [r[2], 0, -r[0]], [-r[1], r[0], 0]])

    G = np.zeros((8, 12))
    G[:3, :3], G[:3, 3:6] = np.eye(3), -skew(np.array([0, 0, 0]) - bodies[0].position)
    G[3:6, :3], G[3:6, 3:6] = np.eye(3), -skew(np.array([0.6, 0, 0]) - bodies[0].position)
    G[3:6, 6:9], G[3:6, 9:] = -np.eye(3), skew(np.array([0.6, 0, 0]) - bodies[1].position)
    across = np.array([(1.0, 0.0, 0.0), (0.0, 1.0, -1.0)])  # relative spin only about (0, 1, 1)
    G[6:, 3:6], G[6:, 9:] = across, -across
    u = u0 - np.linalg.solve(M, G.T @ np.linalg.solve(G @ np.linalg.solve(M, G.T), G @ u0))

    for k, body in enumerate(bodies):
        found = system.position(body.name).at(state.v)
        np.testing.assert_allclose(found, u[6 * k : 6 * k + 3], atol=1e-12)
        directors = system.anchors[body.name].directors
        spin = 0.5 * sum(np.cross(state.x[i], state.v[i]) for i in directors)
        np.testing.assert_allclose(spin, u[6 * k + 3 : 6 * k + 6], atol=1e-12)


@pytest.mark.parametrize("formulation", ["tangent", "rows"])
def test_consistent_accelerations_balance_the_equations_of_motion(formulation):
    """Newton's and Euler's laws per body with the joint forces that are reported."""
    system, state, _ = started(rigid_pair(), formulation=formulation)
    a = state.memory["acceleration"]
    force = {m: state.multipliers[k] for k, m in enumerate(system.multipliers) if not m.internal}
    hook, hinge = (
        np.array([v for m, v in force.items() if m.part == joint and m.component in "xyz"])
        for joint in ("hook", "hinge")
    )
    weight = np.array([0.0, 0.0, -9.81])
    # λ acts on body b of a joint, −λ on body a.
    np.testing.assert_allclose(2.0 * system.position("a").at(a), 2.0 * weight + hook - hinge, atol=1e-10)
    np.testing.assert_allclose(1.0 * system.position("b").at(a), weight + hinge, atol=1e-10)


@pytest.mark.parametrize("angle", [0.0, 0.4, 1.2])
@pytest.mark.parametrize("spin", [0.0, 2.0])
def test_joint_force_and_acceleration_of_a_pendulum_at_release(angle, spin):
    """A thin rod, angle from the vertical: θ̈ = −3g sin θ / 2L, force along it m g cos θ + m ω² L/2, across m g sin θ / 4."""
    mass, length, g = 2.0, 1.5, 9.81
    along, across = np.array([np.sin(angle), -np.cos(angle)]), np.array([np.cos(angle), np.sin(angle)])
    m = cd.Model("rod pendulum", dimension=2, gravity=(0.0, -g))
    rod = m.add(
        cd.RigidBody("rod", mass, inertia=mass * length**2 / 12, position=length / 2 * along, rotation=angle,
                     velocity=spin * length / 2 * across, angular_velocity=spin)
    )  # fmt: skip
    m.add(cd.Pin("pin", m.ground, rod, at=(0.0, 0.0)))
    system, state, report = started(m)
    turning = -1.5 * g * np.sin(angle) / length
    centre = system.position("rod").at(state.memory["acceleration"])
    np.testing.assert_allclose(centre, length / 2 * (turning * across - spin**2 * along), atol=1e-11)
    pull = mass * g * np.cos(angle) + mass * spin**2 * length / 2
    np.testing.assert_allclose(state.multipliers, -pull * along + 0.25 * mass * g * np.sin(angle) * across, atol=1e-10)
    assert report.lines(system.size) == []


def test_other_modes_leave_out_what_they_say():
    system, state, _ = started(rigid_pair(), "zero-acceleration")
    assert system.constraint_error(state.x) < 1e-15
    assert not state.memory["acceleration"].any()
    assert not state.multipliers.any()
    system, state, report = started(rigid_pair(), "as-given")
    np.testing.assert_array_equal(state.x, system.x_start)
    np.testing.assert_array_equal(state.v, system.v_start)
    assert report.lines(system.size) == []
    with pytest.raises(cd.InputError, match=r"start is 'consistant'; choose 'consistent'"):
        consistent_state(system, "consistant")


def fourbar(coupler=2.0, **joint):
    """Crank, coupler and rocker between two supports that are 2 m apart."""
    m = cd.Model("four-bar", dimension=2)
    for name, length, place in (
        ("crank", 1.0, (0.0, 0.5)),
        ("coupler", coupler, (1.0, 1.0)),
        ("rocker", 1.5, (2.0, 0.6)),
    ):
        half = length / 2
        turn = 0.0 if name == "coupler" else np.pi / 2
        m.add(
            cd.RigidBody(
                name, 1.0, inertia=0.1, position=place, rotation=turn, points={"l": (-half, 0), "r": (half, 0)}
            )
        )
    m.add(cd.Pin("A", m.ground.at(0.0, 0.0), "crank.l", **joint))
    m.add(cd.Pin("B", "crank.r", "coupler.l", **joint))
    m.add(cd.Pin("C", "coupler.r", "rocker.r", **joint))
    m.add(cd.Pin("D", m.ground.at(2.0, 0.0), "rocker.l", **joint))
    return m


def test_a_loop_drawn_roughly_is_assembled_when_asked():
    system, state, report = started(fourbar(assemble=True))
    assert system.constraint_error(state.x) < 1e-14
    for a, b in (("crank.r", "coupler.l"), ("coupler.r", "rocker.r")):
        np.testing.assert_allclose(system.position(a).at(state.x), system.position(b).at(state.x), atol=1e-14)
    assert report.position_change > 0.1


def test_the_report_of_the_start_says_whether_a_body_was_moved_or_turned():
    m = cd.Model("pendulum", dimension=2)
    m.add(cd.RigidBody("rod", 1.0, inertia=1 / 12, position=(0, -0.05)))
    m.add(cd.Pin("hinge", m.ground, "rod", at=(0, 0)))
    m.add(cd.Initial("turned", "hinge.angle", 0.5, 2.0))
    lines = started(m)[2].lines(1.0)
    assert lines[0].startswith("start: moved by up to 0.495 rad ('rod')") and "2 rad/s ('rod')" in lines[1]
    m = cd.Model("slide", dimension=2)
    m.add(cd.RigidBody("block", 1.0, inertia=1.0))
    m.add(cd.Slider("rail", m.ground, "block", axis=(1, 0)))
    m.add(cd.Initial("away", "rail.position", 3.0))
    assert started(m)[2].lines(1.0)[0].startswith("start: moved by up to 3 m ('block')")


def test_joint_points_apart_are_an_error_unless_assembling_was_asked_for():
    with pytest.raises(cd.AssemblyError, match=r"Pin 'C': its points are 0\.\d+ m apart .*assemble=True"):
        cd.compile(fourbar())
    with pytest.raises(cd.AssemblyError, match=r"Pin 'pin'.*1\.\d+ %.*correct the points, or set assemble=True"):
        cd.compile(two_particles(gap=0.11))
    cd.compile(two_particles(gap=0.09))  # less than 1 % of the model


def test_a_loop_that_cannot_be_closed_names_its_joints():
    with pytest.raises(cd.AssemblyError, match="cannot be assembled") as error:
        started(fourbar(coupler=5.0, assemble=True))
    assert sum(f"'{name}'" in str(error.value) for name in "ABCD") >= 2
    assert not any(body in str(error.value) for body in ("crank", "coupler", "rocker"))


def test_a_consistent_start_is_the_first_frame_of_the_result():
    result = cd.simulate(two_particles(), end=0.1, dt=0.05)
    np.testing.assert_allclose(result.velocity("light")[0], (0.75, 1.0), atol=1e-13)
    given = cd.simulate(two_particles(gap=0.0), end=0.1, dt=0.05, start="as-given")
    np.testing.assert_array_equal(given.velocity("light")[0], (0.0, 4.0))


def test_a_copy_of_a_state_shares_nothing():
    system, state, _ = started(rigid_pair())
    copy = state.copy()
    assert isinstance(copy, State)
    copy.x += 1.0
    copy.memory["acceleration"] += 1.0
    assert system.constraint_error(state.x) < 1e-15
    assert not np.array_equal(copy.memory["acceleration"], state.memory["acceleration"])


def test_the_dense_factorisation_solves_what_lapack_solves():
    from condyle.system.assembly import row_form

    rng = np.random.default_rng(3)
    for n in (1, 5, 40):
        matrix = rng.normal(size=(n, n)) + 3.0 * np.diag(rng.uniform(0.5, 2.0, n)) @ np.eye(n)[::-1]  # needs pivots
        np.fill_diagonal(matrix, rng.uniform(0.01, 0.1, n))
        indptr, indices = np.arange(0, n * n + 1, n), np.tile(np.arange(n), n)
        factors = np.zeros(n), np.zeros((n, n)), np.zeros(n, np.int64)
        pattern = (indptr.astype(np.int32), indices.astype(np.int32), np.arange(n))
        assert row_form.factor_dense(pattern, matrix.ravel().copy(), n, *factors)
        u = rng.normal(size=n)
        wanted = np.linalg.solve(matrix, u)
        row_form.solve_dense(*factors, u)
        assert np.abs(u - wanted).max() < 1e-11 * np.abs(wanted).max()


def test_rates_of_constraints_are_the_derivatives_along_the_motion():
    """ċ and c̈ from the laws against finite differences along x + v s + ½ a s², for every kind of constraint in the zoo."""
    from condyle.laws.codes import COORDINATE
    from condyle.system.assembly import row_form
    from zoo import ZOO

    seen, rng = set(), np.random.default_rng(5)
    for name, make in ZOO.items():
        if not ("joint" in name or "coordinate" in name):
            continue
        system = running(make()).plain
        if system.rates.law.size:  # velocities are no derivatives of places
            continue
        count = len(system.multipliers)
        still = np.zeros((3, system.amplitudes(0.0).size))  # drives stand still
        seen |= set(system.constraints.law.tolist())
        x = system.x_start.copy()
        system.set_turns(system.turns_at(x, np.zeros(system.turn_count)))
        v, a = (0.1 * rng.normal(size=x.shape) for _ in range(2))
        h = 1e-2
        along = [system.constraint_values(x + k * h * v + 0.5 * (k * h) ** 2 * a) for k in range(-3, 4)]
        first, second = np.zeros(count), np.zeros(count)
        row_form.constraint_rates(system.whole, x, v, a, still, 1, first)
        row_form.constraint_rates(system.whole, x, v, a, still, 2, second)
        sums = [np.tensordot(w, along, 1) for w in ([-1, 9, -45, 0, 45, -9, 1], [2, -27, 270, -490, 270, -27, 2])]
        size = np.abs(first).max() + np.abs(second).max()
        assert np.abs(sums[0] / (60 * h) - first).max() < 1e-8 * size
        error = np.abs(sums[1] / (180 * h * h) - second)
        assert error.max() < 1e-4 * size  # a spline may have a knot there
        coordinates = system.constraints.channel[system.constraints.law == COORDINATE]
        assert np.delete(error, coordinates).max() < 1e-9 * size
    assert len(seen) >= 3
