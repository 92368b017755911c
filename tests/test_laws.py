"""Every local law against finite differences. Laws are found in the tables `LAWS` and `FORCE_LAWS`: a new one is tested too."""

import numpy as np
import pytest

from condyle.laws.forces import FORCE_LAWS, force_law
from condyle.laws.gram import LAWS, discrete_gradient, gram_law

GRAM_CASES = [
    pytest.param(code, ny, np.array(p), id=f"{name}, {ny} vectors")
    for name, (code, sizes, p) in LAWS.items()
    for ny in sizes
]
FORCE_CASES = [
    pytest.param(entry[0], d, entry[d - 1], np.array(entry[d + 1]), id=f"{name}, {d}D")
    for name, entry in FORCE_LAWS.items()
    for d in (2, 3)
]
# Fourth-order central differences.
STENCIL = ((-2, 1 / 12), (-1, -2 / 3), (1, 2 / 3), (2, -1 / 12))


def law(code, ny, G, p):
    """ψ, S, H at G."""
    S, H = np.full((ny, ny), np.nan), np.full((ny,) * 4, np.nan)
    return gram_law(code, ny, np.ascontiguousarray(G), p, S, H), S, H


def discrete(code, ny, G0, G1, p):
    """S, H of the discrete gradient from G0 to G1."""
    S, H, Gw, Sw, Hw = (np.full((ny,) * k, np.nan) for k in (2, 4, 2, 2, 4))
    discrete_gradient(code, ny, np.ascontiguousarray(G0), np.ascontiguousarray(G1), p, S, H, Gw, Sw, Hw)
    return S, H


def some_gram(ny, rng, scale=1.0):
    """A Gram matrix of vectors that are deformed and turned, of length about `scale`."""
    n = max(ny, 3)
    y = scale * (np.eye(n) + 0.3 * rng.uniform(-1, 1, (n, n)))[:ny]
    if ny == 4:
        y[3] += y[2]  # about an axis, the hoop stretch is the product of these two, and not zero
    return y @ y.T


def symmetric_direction(ny, rng):
    E = rng.normal(size=(ny, ny))
    E = E + E.T
    return E / np.linalg.norm(E)


def along(function, step):
    """The derivative of function(s) at s = 0."""
    return sum(w * function(k * step) for k, w in STENCIL) / step


# Lengths of 1 and 0.05: a spring under tension only is tight and slack.
@pytest.mark.parametrize("scale", [1.0, 0.05])
@pytest.mark.parametrize("code, ny, p", GRAM_CASES)
def test_stress_and_stiffness_are_the_derivatives_of_the_energy(code, ny, p, scale):
    rng = np.random.default_rng(ny)
    for _ in range(5):
        G, E = some_gram(ny, rng, scale), symmetric_direction(ny, rng)
        _, S, H = law(code, ny, G, p)
        step = 1e-3 * scale**2
        energy_slope = along(lambda s, G=G, E=E: law(code, ny, G + s * E, p)[0], step)
        stress_slope = along(lambda s, G=G, E=E: law(code, ny, G + s * E, p)[1], step)
        round_off = 1e-14 / step
        assert np.sum(S * E) == pytest.approx(energy_slope, rel=1e-7, abs=1e-8 * np.abs(S).max() + round_off)
        change = np.einsum("ijkl,kl->ij", H, E)
        round_off *= np.abs(S).max()
        np.testing.assert_allclose(change, stress_slope, rtol=1e-6, atol=1e-7 * np.abs(H).max() + round_off)
        np.testing.assert_array_equal(S, S.T)
        np.testing.assert_allclose(H, H.transpose(2, 3, 0, 1), atol=1e-14 * np.abs(H).max())
        np.testing.assert_allclose(H, H.transpose(1, 0, 2, 3), atol=1e-14 * np.abs(H).max())


def test_no_law_is_hidden_from_these_tests():
    listed = {code for code, _, _ in LAWS.values()}
    assert len(listed) >= 5
    for code in set(range(300)) - listed:
        assert np.isnan(law(code, 6, np.eye(6), np.ones(32))[0]), f"law {code} is not in the table LAWS"
    forces = {entry[0] for entry in FORCE_LAWS.values()}
    for code in set(range(300)) - forces:
        f, Ky, Kv = np.zeros((6, 3)), np.zeros((6, 3, 6, 3)), np.zeros((6, 3, 6, 3))
        force_law(code, 6, 3, np.ones((6, 3)), np.ones((6, 3)), 1.0, np.ones(32), f, Ky, Kv)
        assert not f.any(), f"law {code} is not in the table FORCE_LAWS"


@pytest.mark.parametrize("step", [1e-9, 1e-6, 1e-4, 1.9e-3, 2.1e-3, 1e-2, 0.3, 1.0, 5.0])
@pytest.mark.parametrize("code, ny, p", GRAM_CASES)
def test_the_discrete_gradient_gives_the_change_of_the_energy(code, ny, p, step):
    rng = np.random.default_rng(7)
    for _ in range(5):
        G0 = some_gram(ny, rng)
        G1 = G0 + step * np.linalg.norm(G0) * symmetric_direction(ny, rng)
        while np.linalg.eigvalsh(G1).min() <= 0.05:  # large steps must end at a possible G
            G1 = (1.0 + step) * some_gram(ny, rng)
        S, _ = discrete(code, ny, G0, G1, p)
        psi0, psi1 = law(code, ny, G0, p)[0], law(code, ny, G1, p)[0]
        work = np.sum(S * (G1 - G0))
        size = max(abs(psi0), abs(psi1), np.sum(np.abs(S * (G1 - G0))))
        assert abs(work - (psi1 - psi0)) <= 1e-12 * size
        back, _ = discrete(code, ny, G1, G0, p)
        np.testing.assert_allclose(back, S, rtol=0, atol=2e-12 * np.abs(S).max() + 1e-15)
        np.testing.assert_array_equal(S, S.T)


@pytest.mark.parametrize("step", [1e-9, 1e-6, 1e-4, 1.9e-3])
@pytest.mark.parametrize("code, ny, p", GRAM_CASES)
def test_the_discrete_gradient_of_a_small_step_has_no_cancellation(code, ny, p, step):
    """ψ1 − ψ0 has few digits then, so the comparison is with the mean stress by ten Gauss points."""
    rng = np.random.default_rng(8)
    points, weights = np.polynomial.legendre.leggauss(10)
    G0 = some_gram(ny, rng)
    G1 = G0 + step * symmetric_direction(ny, rng)
    mean = sum(
        0.5 * w * law(code, ny, G0 + 0.5 * (1 + s) * (G1 - G0), p)[1] for s, w in zip(points, weights, strict=True)
    )
    S, _ = discrete(code, ny, G0, G1, p)
    np.testing.assert_allclose(S, mean, rtol=0, atol=1e-12 * np.abs(mean).max())


# The correction by Gonzalez is switched on at steps of 2e-3 of the size of G.
@pytest.mark.parametrize("step", [1e-5, 1e-3, 4e-3, 0.05, 0.5])
@pytest.mark.parametrize("code, ny, p", GRAM_CASES)
def test_the_derivative_of_the_discrete_gradient_on_both_sides_of_the_correction(code, ny, p, step):
    rng = np.random.default_rng(9)
    for _ in range(3):
        G0 = some_gram(ny, rng)
        G1 = G0 + step * np.linalg.norm(G0) * symmetric_direction(ny, rng)
        if np.linalg.eigvalsh(G1).min() <= 0.05:
            G1 = (1.0 + step) * some_gram(ny, rng)
        E = symmetric_direction(ny, rng)
        _, H = discrete(code, ny, G0, G1, p)
        h = 1e-4 if step < 0.01 else 1e-3
        slope = along(lambda s, G0=G0, G1=G1, E=E: discrete(code, ny, G0, G1 + s * E, p)[0], h)
        change = np.einsum("ijkl,kl->ij", H, E)
        np.testing.assert_allclose(change, slope, rtol=0, atol=1e-6 * np.abs(H).max() + 1e-9 * np.abs(p).max())


def test_a_cord_that_goes_slack_within_a_step_releases_its_energy_exactly():
    code, _, p = LAWS["spring under tension only"]
    tight, slack = np.array([[0.15**2]]), np.array([[0.06**2]])
    S, _ = discrete(code, 1, tight, slack, np.array(p))
    assert law(code, 1, slack, np.array(p))[0] == 0.0
    assert S[0, 0] * (slack - tight)[0, 0] == pytest.approx(-0.5 * 700.0 * 0.05**2, rel=1e-13)


def force(code, d, y, ydot, p, amplitude=1.3):
    ny = len(y)
    f, Ky, Kv = np.zeros((ny, d)), np.zeros((ny, d, ny, d)), np.zeros((ny, d, ny, d))
    force_law(code, len(y), d, np.ascontiguousarray(y), np.ascontiguousarray(ydot), amplitude, p, f, Ky, Kv)
    return f, Ky, Kv


@pytest.mark.parametrize("code, d, ny, p", FORCE_CASES)
def test_the_derivatives_of_a_force_by_its_vectors_and_their_rates(code, d, ny, p):
    rng = np.random.default_rng(d)
    for _ in range(5):
        y, ydot, e = rng.normal(size=(3, ny, d))
        y = 0.3 * y + np.eye(ny, d) + 0.8 * np.eye(ny, d, k=-1)  # no vector is near zero, no angle undefined
        _, Ky, Kv = force(code, d, y, ydot, p)
        by_y = along(lambda s, y=y, v=ydot, e=e: force(code, d, y + s * e, v, p)[0], 1e-3)
        by_rate = along(lambda s, y=y, v=ydot, e=e: force(code, d, y, v + s * e, p)[0], 1e-3)
        np.testing.assert_allclose(np.einsum("iajb,jb->ia", Ky, e), by_y, rtol=1e-6, atol=1e-8)
        np.testing.assert_allclose(np.einsum("iajb,jb->ia", Kv, e), by_rate, rtol=1e-6, atol=1e-8)


@pytest.mark.parametrize("code, d, ny, p", FORCE_CASES)
def test_a_force_is_proportional_to_its_function_of_time(code, d, ny, p):
    y, ydot = np.random.default_rng(1).normal(size=(2, ny, d))
    f1, f2 = force(code, d, y, ydot, p, 1.0)[0], force(code, d, y, ydot, p, -2.5)[0]
    assert np.abs(f1).max() > 0.0
    np.testing.assert_allclose(f2, -2.5 * f1, rtol=1e-12)


@pytest.mark.parametrize("name", ["torque", "torque in body axes"])
@pytest.mark.parametrize("d", [2, 3])
def test_a_torque_on_orthonormal_directors_is_the_couple_itself(name, d):
    entry = FORCE_LAWS[name]
    p = np.array(entry[d + 1])
    turn, _ = np.linalg.qr(np.random.default_rng(2).normal(size=(d, d)))
    y = turn.T * np.sign(np.linalg.det(turn)) if d == 3 else np.array([[0.6, 0.8], [-0.8, 0.6]])
    f, _, _ = force(entry[0], d, y, np.zeros_like(y), p, 1.0)
    if d == 2:
        couple = np.sum(y[:, 0] * f[:, 1] - y[:, 1] * f[:, 0])
        assert couple == pytest.approx(p[0], rel=1e-14)
    else:
        wanted = p if name == "torque" else p @ y
        np.testing.assert_allclose(np.cross(y, f).sum(axis=0), wanted, rtol=1e-14, atol=1e-15)
    # No work on a stretch or shear of the directors: the force turns them and does nothing else.
    assert np.abs(y @ f.T + f @ y.T).max() < 1e-15


@pytest.mark.parametrize("d", [2, 3])
def test_dampers_take_energy_and_only_that_of_the_rate_they_act_on(d):
    rng = np.random.default_rng(3)
    y, ydot = rng.normal(size=(2, 1, d))
    c = 3.0
    n = y[0] / np.linalg.norm(y[0])
    line, _, _ = force(FORCE_LAWS["damper"][0], d, y, ydot, np.array([c]), 1.0)
    whole, _, _ = force(FORCE_LAWS["viscous"][0], d, y, ydot, np.array([c]), 1.0)
    np.testing.assert_allclose(line[0], -c * (ydot[0] @ n) * n, rtol=1e-14)
    np.testing.assert_allclose(whole[0], -c * ydot[0], rtol=1e-14)
