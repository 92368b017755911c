"""Equilibrium paths past limit points, against closed forms of snap-through."""

import numpy as np
import pytest

import condyle as cd
from truss import HALF, RISE, STIFFNESS, von_mises_truss


def truss_load(y):
    """Load [N] that holds the apex at height y: F = 2 k (L − ℓ) y/ℓ."""
    length, rest = np.hypot(HALF, y), np.hypot(HALF, RISE)
    return 2.0 * STIFFNESS * (rest - length) * y / length


def test_the_path_of_the_von_mises_truss_is_its_closed_form_through_both_limit_points():
    path = cd.trace_equilibrium(von_mises_truss(), step=0.2, steps=200, until=8.0)
    y = path.position("apex")[:, 1]
    assert path.status == "completed" and path.load_factors[-1] >= 8.0 and y[-1] < -RISE
    np.testing.assert_allclose(path.load_factors, truss_load(y), atol=1e-9 * STIFFNESS)
    np.testing.assert_allclose(path.position("apex")[:, 0], 0.0, atol=1e-12)
    assert (np.diff(path.times) > 0).all() and path.iterations.max() <= 6
    length = (HALF**2 * np.hypot(HALF, RISE)) ** (1 / 3)  # dF/dy = 0: ℓ³ = a² L
    limit = truss_load(np.sqrt(length**2 - HALF**2))
    loads = [factor for _, factor in path.limit_points()]
    np.testing.assert_allclose(loads, [limit, -limit], rtol=2e-3)


def test_the_equilibria_between_the_limit_points_are_unstable():
    model = von_mises_truss()
    path = cd.trace_equilibrium(model, step=0.2, steps=200, until=8.0)
    y = path.position("apex")[:, 1]
    critical = np.sqrt((HALF**2 * np.hypot(HALF, RISE)) ** (2 / 3) - HALF**2)
    for k in range(len(path)):
        modes = cd.eigenmodes(model, state=(path, k))
        assert modes.linearised.balanced
        assert modes.unstable.any() == (abs(y[k]) < critical)


def test_the_path_goes_through_the_snap_without_a_jump():
    path = cd.trace_equilibrium(von_mises_truss(), step=0.1, steps=400, until=4.0, largest_step=2.0)
    assert np.abs(np.diff(path.position("apex")[:, 1])).max() < 0.05


def toggle():
    """Two rigid links with a slider and a spring at one end: joints, rigid bodies and a limit point."""
    length, angle = 0.5, 0.4
    c, s = length * np.cos(angle), length * np.sin(angle)
    model = cd.Model("toggle", dimension=2)
    left = model.add(cd.RigidBody("left", 1.0, inertia=0.02, position=(c / 2, s / 2), rotation=angle))
    right = model.add(cd.RigidBody("right", 1.0, inertia=0.02, position=(1.5 * c, s / 2), rotation=-angle))
    model.add(cd.Pin("support", model.ground, left, at=(0, 0)))
    model.add(cd.Pin("knee", left, right, at=(c, s)))
    model.add(cd.PointOnLine("slider", model.ground, right, at=(2 * c, 0.0), axis=(1.0, 0.0)))
    model.add(cd.Spring("spring", model.ground.at(3.0, 0.0), right.at(length / 2, 0.0), 800.0, rest_length=3.0 - 2 * c))
    model.add(cd.Load("push", left.at(length / 2, 0.0), (0.0, -1.0)))
    return model, length, angle


@pytest.mark.parametrize("formulation", ["tangent", "rows"])
def test_a_toggle_of_rigid_links_snaps_along_its_closed_form(formulation):
    model, length, start = toggle()
    path = cd.trace_equilibrium(model, step=1.0, steps=300, until=60.0, formulation=formulation)
    angle = start + path.angle("left")
    exact = 4.0 * 800.0 * length * (np.cos(angle) - np.cos(start)) * np.tan(angle)
    np.testing.assert_allclose(path.load_factors, exact, atol=1e-7 * exact.max())
    assert angle.min() < -start and len(path.limit_points()) == 2
    assert path.constraint_error.max() < 1e-10


def arch(elements=8):
    """A shallow arch of rods, clamped at both ends, pushed down in the middle (half a sine, rise 0.06 of the span)."""
    model = cd.Model("arch", dimension=2)
    x = np.linspace(0.0, 1.0, 2 * elements + 1)
    line = np.column_stack((x, 0.06 * np.sin(np.pi * x))).tolist()
    spring_steel = cd.StVenantKirchhoff(young=2e9, poisson=0.0, density=1000.0)
    rod = model.add(cd.Rod("arch", line, 1, 0.01, spring_steel, width=0.02))
    model.add(cd.Tie("left", rod, "start", model.ground))
    model.add(cd.Tie("right", rod, "end", model.ground))
    model.add(cd.Load("push", rod.point(elements), (0.0, -1.0)))
    return model


def test_a_shallow_arch_snaps_through_at_a_limit_load_that_converges_with_the_mesh():
    limits = []
    for elements in (8, 12, 16):
        model = arch(elements)
        path = cd.trace_equilibrium(model, step=4.0, steps=300, until=150.0)
        y = path.position(model["arch"].point(elements))[:, 1]
        first, second = path.limit_points()[:2]
        assert first[1] > second[1] and y[-1] < -0.045
        limits.append(first[1])
        loads = path.load_factors
        peak = int(np.argmax(loads[: np.argmin(loads[5:]) + 5]))
        assert not cd.eigenmodes(model, state=(path, 1)).unstable.any()
        assert cd.eigenmodes(model, state=(path, peak + 2)).unstable.any()
    assert abs(limits[2] - limits[1]) < 0.5 * abs(limits[1] - limits[0])
    assert abs(limits[2] / limits[1] - 1.0) < 0.03
    below = cd.solve_static(_scaled(arch(16), 0.97 * limits[2]), steps=20)
    assert below.position(below.model["arch"].point(16))[-1, 1] > 0.0  # still above its supports


def _scaled(model, factor):
    model["push"].force = (0.0, -float(factor))
    return model


def test_only_the_named_loads_are_scaled_and_the_others_act_from_the_start():
    model = von_mises_truss()
    model.add(cd.Load("weight", "apex", (0.0, -1.5)))
    path = cd.trace_equilibrium(model, loads=["push"], step=0.2, steps=100, until=5.0)
    y = path.position("apex")[:, 1]
    assert y[0] < RISE - 1e-3
    np.testing.assert_allclose(path.load_factors + 1.5, truss_load(y), atol=1e-8 * STIFFNESS)


def test_gravity_can_be_the_load_and_a_negative_step_pulls():
    model = cd.Model("hanging", dimension=2, gravity=(0.0, -10.0))
    model.add(cd.PointMass("m", 2.0, (0.0, -1.0)))
    model.add(cd.Spring("spring", model.ground, "m", 100.0, rest_length=1.0))
    model.add(cd.PointOnLine("line", model.ground, "m", at=(0.0, -1.0), axis=(0.0, 1.0)))
    path = cd.trace_equilibrium(model, loads=["gravity"], step=-0.1, steps=100, until=-1.0)
    np.testing.assert_allclose(path.position("m")[:, 1], -1.0 - path.load_factors * 0.2, atol=1e-10)
    assert path.load_factors[-1] <= -1.0


def test_a_path_is_a_result_that_is_sliced_saved_and_loaded(tmp_path):
    path = cd.trace_equilibrium(von_mises_truss(), step=0.2, steps=12, file=tmp_path / "path.h5")
    assert isinstance(path, cd.EquilibriumPath) and path.steps == 12
    np.testing.assert_array_equal(path[3:7].load_factors, path.load_factors[3:7])
    again = cd.load(tmp_path / "path.h5")
    np.testing.assert_array_equal(again.position("apex"), path.position("apex"))
    assert again.state(-1).memory["load factor"][0] == path.load_factors[-1]
    stopped = cd.trace_equilibrium(von_mises_truss(), step=0.2, until=lambda factor, state: state.x[-1, 1] < 0.1)
    assert stopped.steps < 50


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"steps": 0}, "steps must be a whole number"),
        ({"step": 0.0}, "step must be a load factor other than 0"),
        ({"largest_step": 0.5}, "largest_step must be at least 1"),
        ({"until": "end"}, "until must be a load factor other than 0, or a function"),
        ({"at": np.nan}, "at must be a finite time"),
        ({"loads": "push"}, "must be a list of names"),
        ({"loads": ["pusch"]}, "did you mean 'push'"),
        ({"on_failure": "ignore"}, "choose 'raise' or 'return'"),
    ],
)
def test_wrong_input_is_named(options, message):
    with pytest.raises(cd.InputError, match=message):
        cd.trace_equilibrium(von_mises_truss(), **options)


def test_a_model_without_loads_is_an_error():
    model = cd.Model("nothing", dimension=2)
    model.add(cd.PointMass("m", 1.0, (0.0, 1.0)))
    model.add(cd.Spring("spring", model.ground, "m", 10.0, rest_length=1.0))
    with pytest.raises(cd.InputError, match="has no load to scale"):
        cd.trace_equilibrium(model)


def test_a_mechanism_without_stiffness_is_reported():
    model = cd.Model("loose", dimension=2)
    model.add(cd.PointMass("m", 1.0, (0.0, 1.0)))
    model.add(cd.Load("push", "m", (1.0, 0.0)))
    with pytest.raises(cd.ConvergenceError, match="no equilibrium to start from"):
        cd.trace_equilibrium(model)
