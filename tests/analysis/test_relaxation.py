"""Dynamic relaxation finds equilibria of slack parts and mechanisms, where the static equations are singular."""

import numpy as np
import pytest

import condyle as cd

G = 9.81


def slack_chain(n=9, slack=1.4, stiffness=5e3, mass=0.1):
    """Masses on a straight line between two supports 1 m apart, on cords that are longer than their distance."""
    model = cd.Model("slack chain", dimension=2, gravity=(0.0, -G))
    places = np.linspace(0.0, 1.0, n + 2)
    for i in range(1, n + 1):
        model.add(cd.PointMass(f"m{i}", mass, (places[i], 0.0)))
    ends = [model.ground.at(0.0, 0.0), *[f"m{i}" for i in range(1, n + 1)], model.ground.at(1.0, 0.0)]
    for i in range(n + 1):
        rest = slack / (n + 1)
        model.add(cd.Spring(f"s{i}", ends[i], ends[i + 1], stiffness, rest_length=rest, tension_only=True))
    return model


def nodes_of(result, n):
    """Supports and masses of the chain in its last frame, shape (n + 2, 2)."""
    return np.array([(0.0, 0.0), *[result.position(f"m{i}")[-1] for i in range(1, n + 1)], (1.0, 0.0)])


def cord_forces(places, pairs, stiffness, rest):
    """Force of cords on each place, and the tension in them; written without Condyle."""
    force, tension = np.zeros_like(places), []
    for a, b in pairs:
        gap = places[b] - places[a]
        length = np.linalg.norm(gap)
        pull = max(stiffness * (length - rest), 0.0)
        tension.append(pull)
        force[a] += pull * gap / length
        force[b] -= pull * gap / length
    return force, np.array(tension)


@pytest.mark.parametrize("damping", ["kinetic", "viscous"])
@pytest.mark.parametrize("stiffness", [1e2, 5e3, 1e6])
def test_a_slack_chain_hangs_so_that_every_mass_is_balanced(damping, stiffness):
    n = 9
    result = cd.relax(slack_chain(n, stiffness=stiffness), damping=damping)
    places = nodes_of(result, n)
    force, tension = cord_forces(places, [(i, i + 1) for i in range(n + 1)], stiffness, 1.4 / (n + 1))
    assert result.status == "completed" and "balanced after" in result.message
    np.testing.assert_allclose(force[1:-1], np.tile((0.0, 0.1 * G), (n, 1)), atol=1e-7 * tension.max())
    assert (tension > 0).all()
    np.testing.assert_allclose(places, places[::-1] * (-1, 1) + (1, 0), atol=1e-7)  # symmetric


def test_a_stiff_fine_chain_hangs_in_a_catenary():
    n, slack = 39, 1.4
    result = cd.relax(slack_chain(n, slack, stiffness=1e6, mass=0.02))
    # y = a (cosh((x − ½)/a) − cosh(½/a)) with the length 2 a sinh(½/a)
    from scipy.optimize import brentq

    a = brentq(lambda a: 2 * a * np.sinh(0.5 / a) - slack, 0.05, 5.0)
    places = nodes_of(result, n)
    exact = a * (np.cosh((places[:, 0] - 0.5) / a) - np.cosh(0.5 / a))
    np.testing.assert_allclose(places[:, 1], exact, atol=2e-3 * np.abs(exact).max())


def test_static_newton_cannot_start_from_the_slack_chain():
    with pytest.raises(cd.ConvergenceError, match="singular"):
        cd.solve_static(slack_chain())


def cable_net(n=5):
    """A square net of cords, 10 % longer than the frame that holds its rim, loaded by its weight and a heavy middle."""
    model = cd.Model("net", dimension=3, gravity=(0.0, 0.0, -G))
    grid = np.linspace(0.0, 1.0, n)
    names = {}
    for i, j in np.ndindex(n, n):
        place = (float(grid[i]), float(grid[j]), 0.0)
        rim = i in (0, n - 1) or j in (0, n - 1)
        mass = 2.0 if (i, j) == (n // 2, n // 2) else 0.05
        names[i, j] = model.ground.at(*place) if rim else model.add(cd.PointMass(f"m{i}{j}", mass, place))
    pairs = [((i, j), (i + 1, j)) for i in range(n - 1) for j in range(1, n - 1)]
    pairs += [((j, i), (j, i + 1)) for i in range(n - 1) for j in range(1, n - 1)]
    rest = 1.1 / (n - 1)
    for k, (a, b) in enumerate(pairs):
        model.add(cd.Spring(f"s{k}", names[a], names[b], 2e4, rest_length=rest, tension_only=True))
    return model, pairs, grid, rest


def test_a_slack_cable_net_comes_to_rest_balanced_with_some_cords_slack():
    model, pairs, grid, rest = cable_net()
    result = cd.relax(model)
    n = len(grid)
    places = np.array([[(grid[i], grid[j], 0.0) for j in range(n)] for i in range(n)])
    inside = [(i, j) for i in range(1, n - 1) for j in range(1, n - 1)]
    for i, j in inside:
        places[i, j] = result.position(f"m{i}{j}")[-1]
    flat = places.reshape(-1, 3)
    numbers = [(a[0] * n + a[1], b[0] * n + b[1]) for a, b in pairs]
    force, tension = cord_forces(flat, numbers, 2e4, rest)
    for i, j in inside:
        weight = (2.0 if (i, j) == (n // 2, n // 2) else 0.05) * G
        np.testing.assert_allclose(force[i * n + j], (0, 0, weight), atol=1e-6 * tension.max())
    assert places[..., 2].min() == places[n // 2, n // 2, 2] < -0.1
    energy = result.energy["total"]
    assert energy[-1] == pytest.approx(energy.min(), rel=1e-14) and energy[-1] < energy[0]


def test_a_mechanism_of_rigid_bodies_swings_down_to_its_stable_equilibrium():
    model = cd.Model("double pendulum", dimension=2, gravity=(0.0, -G))
    upper = model.add(cd.RigidBody("upper", 1.0, inertia=0.1, position=(0.5, 0.1)))
    lower = model.add(cd.RigidBody("lower", 2.0, inertia=0.2, position=(1.5, 0.3)))
    model.add(cd.Pin("shoulder", model.ground, upper, at=(0.0, 0.0)))
    model.add(cd.Pin("elbow", upper, lower, at=(1.0, 0.2)))
    for enforcement in ("multiplier", "uzawa"):
        model["elbow"].enforcement = enforcement
        result = cd.relax(model)
        np.testing.assert_allclose(result.position("upper")[-1], (0.0, -np.hypot(0.5, 0.1)), atol=1e-7)
        np.testing.assert_allclose(result.position("lower")[-1, 0], 0.0, atol=1e-7)
        np.testing.assert_allclose(result.joint_force("elbow")[-1], (0.0, 2.0 * G), atol=1e-6)
        assert cd.linearise(model, result).balanced
        assert not cd.eigenmodes(model, state=result).unstable.any()


def test_relaxation_and_static_newton_agree_where_both_work():
    model = cd.Model("cantilever", dimension=2, gravity=(0.0, -G))
    rod = model.add(
        cd.Rod("rod", [(0, 0), (1, 0)], 8, 0.02, cd.StVenantKirchhoff(young=1e7, density=1000.0, poisson=0.0))
    )
    model.add(cd.Tie("clamp", rod, "start", model.ground))
    relaxed, static = cd.relax(model), cd.solve_static(model)
    assert static.position("rod.end")[-1, 1] < -0.1
    np.testing.assert_allclose(relaxed.position("rod.end")[-1], static.position("rod.end")[-1], atol=1e-7)


def test_what_is_balanced_stays_and_what_does_not_converge_is_kept(tmp_path):
    model = cd.Model("hanging", dimension=2, gravity=(0.0, -G))
    model.add(cd.PointMass("m", 1.0, (0.0, -1.0)))
    model.add(cd.Distance("cord", model.ground, "m"))
    still = cd.relax(model)
    assert still.steps == 0 and still.message == "balanced from the start"
    with pytest.raises(cd.ConvergenceError, match="not balanced after 3 steps") as caught:
        cd.relax(slack_chain(), steps=3)
    assert caught.value.result.steps == 3
    assert cd.relax(slack_chain(), steps=3, on_failure="return").status == "failed"
    saved = cd.relax(slack_chain(), file=tmp_path / "relaxed.h5")
    assert cd.load(tmp_path / "relaxed.h5").steps == saved.steps


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"damping": "none"}, "choose 'kinetic' or 'viscous'"),
        ({"steps": 0}, "steps must be a whole number"),
        ({"tolerance": 0.0}, "tolerance must lie between"),
        ({"step": -1.0}, "step must be a positive time"),
        ({"at": np.inf}, "at must be a finite time"),
        ({"on_failure": "ignore"}, "choose 'raise' or 'return'"),
    ],
)
def test_wrong_input_is_named(options, message):
    with pytest.raises(cd.InputError, match=message):
        cd.relax(slack_chain(), **options)
