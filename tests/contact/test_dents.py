"""A dent of `HertzHysteresis`: what is pressed again before it lets go, and what a second blow meets."""

import numpy as np
import pytest

import condyle as cd

K, DENT = 1e6, 0.36
METHODS = [cd.EnergyMomentum(), cd.GeneralizedAlpha(), cd.RungeKutta()]


def pressed(height: float, end: float, dt: float, method, push=None) -> tuple[np.ndarray, ...]:
    """Depth [m], its rate [m/s] and force [N] over the steps of a ball of 1 kg that falls, with a push [N] over time."""
    model = cd.Model("ball", dimension=2, gravity=(0.0, -9.81))
    ball = model.add(cd.PointMass("ball", 1.0, (0.0, height)))
    law = cd.HertzHysteresis(K, dent=DENT)
    model.add(cd.Contact("floor", ball, "nodes", model.ground, cd.Plane((0.0, 1.0)), law=law))
    if push is not None:
        model.add(cd.Load("push", ball, (0.0, -1.0), push))
    run = cd.simulate(model, end=end, dt=dt, integrator=method, energy_tolerance=np.inf)
    return -run.position("ball")[:, 1], -run.velocity("ball")[:, 1], run.contact("floor").normal_force[:, 0]


def test_what_is_pressed_again_before_it_lets_go_returns_by_the_way_out_and_goes_on_from_the_deepest_point():
    """F = F_max ((s − p)/(s_max − p))^1.5, p = dent × s_max, up and down again; K s^1.5 where it is deeper than before."""
    push = cd.Table((0.0, 0.05, 0.08, 0.15), (0.0, 500.0, 200.0, 1500.0))
    s, v, force = pressed(1e-5, 0.15, 5e-5, cd.RungeKutta(), push)
    deepest = np.maximum.accumulate(np.maximum(s, 1e-12))
    way_out = K * deepest**1.5 * (np.maximum(s - DENT * deepest, 0.0) / ((1.0 - DENT) * deepest)) ** 1.5
    inside = s > 1e-4
    again, deeper = inside & (s < 0.98 * deepest) & (v > 0.0), inside & (s == deepest) & (v > 0.0)
    assert again.sum() > 200 and deeper.sum() > 200
    assert (np.diff(deeper.astype(int)) == 1).sum() > 1  # after a way out it goes deeper than before
    np.testing.assert_allclose(force[again], way_out[again], rtol=1e-9)
    np.testing.assert_allclose(force[deeper], K * s[deeper] ** 1.5, rtol=1e-9)


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_a_second_blow_begins_at_the_undented_surface(method):
    """The dent belongs to one blow: each comes in along K sⁿ from the surface on, and loses the same share."""
    s, v, force = pressed(0.07, 0.5, 2e-4, method)
    pressing = (force > 0.0).astype(int)
    blows = list(zip(np.flatnonzero(np.diff(pressing) == 1), np.flatnonzero(np.diff(pressing) == -1), strict=False))
    assert len(blows) >= 3
    peaks = []
    for first, last in blows:
        assert abs(v[last + 1]) / v[first] == pytest.approx(np.sqrt(1.0 - DENT), abs=0.01)
        turn = first + int(np.argmax(s[first : last + 1]))
        assert K * s[turn] ** 2.5 / 2.5 == pytest.approx(0.5 * v[first] ** 2 + 9.81 * (s[turn] - s[first]), rel=0.03)
        assert s[first + 2] < DENT * s[turn]  # less deep than the dent was, it is pressed already
        peaks.append(s[turn])
    assert np.diff(peaks).max() < 0.0
