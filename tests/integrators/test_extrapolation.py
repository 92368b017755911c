"""First guesses from the steps before: right for polynomials, of the degree that fits, and never for the wrong steps."""

import numpy as np
import pytest

import condyle as cd
from condyle.integrators import extrapolation as ex
from condyle.system.tables import FIXED, FREE, Rows

H = 0.01


def some_rows():
    """One row that is free, one that is not."""
    none, mark = np.zeros(2, dtype=np.int64), np.zeros(2, dtype=bool)
    bodies = np.zeros((0, 3), dtype=np.int64)
    return Rows(np.array([FREE, FIXED]), none, none, bodies, none, np.zeros(2), np.zeros(2), mark, np.zeros(1))


def past():
    shapes = ((ex.DEPTH, 2, 3), (ex.DEPTH, 1, 3), (ex.DEPTH, 1))
    made = ex.Past(*(np.zeros(shape) for shape in shapes), np.ones(2), np.ones(1), np.zeros(6))
    ex.forget(made)
    return made


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
@pytest.mark.parametrize("elastic", [0.0, 1.0])
def test_polynomials_go_on(degree, elastic):
    made, rows, soft = past(), some_rows(), np.array([elastic, 0.0])

    def values(k):
        return np.array([1.0, -2.0, 0.5]) * (1.0 + k) ** degree

    ex.forget_other_steps(made, H)
    for k in range(6):
        step, turn = np.zeros((2, 3)), np.zeros((1, 3))
        step[0], turn[0], held = H * values(k), 0.1 * H * values(k), np.array([3.0 * values(k)[0]])
        if k == 5:
            assert made.state[ex.DEGREE + int(elastic)] >= degree
            assert made.state[ex.DEGREE] >= degree
            guess, guess_turn, guess_held = np.zeros((2, 3)), np.zeros((1, 3)), np.zeros(1)
            ex.extrapolate(made, rows, soft, guess, guess_turn, guess_held)
            np.testing.assert_allclose(guess, step, rtol=1e-12)
            np.testing.assert_allclose(guess_turn, turn, rtol=1e-12)
            np.testing.assert_allclose(guess_held, held, rtol=1e-12)
        ex.remember(made, rows, soft, step, turn, held, 1.0)
    ex.forget_other_steps(made, 2.0 * H)
    assert not ex.is_known(made)


def spinning():
    model = cd.Model("top", gravity=(0, 0, -9.81))
    body = model.add(cd.RigidBody.box("b", (0.3, 0.2, 0.1), 1000.0, position=(0, 0, 0.1), angular_velocity=(1, 0, 8)))
    model.add(cd.Spherical("j", model.ground, body, at=(0, 0, 0)))
    return model


def test_smooth_motion_takes_one_iteration_but_after_a_restart():
    often, seldom = (cd.simulate(spinning(), end=0.2, dt=1e-3, every=n) for n in (1, 200))
    restarts = np.arange(200) % ex.RESTART < ex.DEPTH
    assert often.iterations[~restarts].max() == 1 and often.iterations[restarts].min() == 2
    np.testing.assert_array_equal(often.iterations, seldom.iterations)
    np.testing.assert_array_equal(often.state(-1).x, seldom.state(-1).x)
    for result in (often, seldom):
        assert np.ptp(result.energy["total"]) < 1e-11 * result.energy["kinetic"].max()


def test_steps_that_led_elsewhere_are_forgotten():
    sim = cd.Simulation(spinning(), dt=1e-3)
    compiled = sim.method.compiled(sim.system)
    start = sim.state
    first = compiled.run(start, [1e-3 * k for k in range(1, 20)], 1, 10**6, 0.0)
    again = compiled.run(start, [1e-3 * k for k in range(1, 20)], 1, 10**6, 0.0)
    np.testing.assert_array_equal(first.state.x, again.state.x)
    np.testing.assert_array_equal(first.scalars, again.scalars)
