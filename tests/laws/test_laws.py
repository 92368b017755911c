"""Every local law against finite differences. Laws are found by their records: a new one is tested too."""

import numpy as np
import pytest

import condyle.bodies  # noqa: F401 the laws of materials
from condyle.analysis.checks.laws import (
    along,
    discrete_energy,
    force_derivatives,
    gram_derivatives,
    rate_derivatives,
    some_gram,
    symmetric_direction,
)
from condyle.analysis.checks.laws import discrete_value as discrete
from condyle.analysis.checks.laws import force_value as force
from condyle.analysis.checks.laws import gram_value as law
from condyle.laws.codes import COORDINATE, COORDINATE_SPRING, MUSCLE
from condyle.laws.gram import gram_law, viscous_change, viscous_moduli
from condyle.laws.record import PLANE_STRESS, records
from condyle.laws.solids import six_law
from condyle.laws.table import HAS_VISCOUS_CHANGE, SOLID, has

RECORDS = [(record, one) for record in records() for one in record.examples]
GRAM_CASES = [
    pytest.param(record.number, ny, np.array(one.params), id=f"{one.name}, {ny} vectors")
    for record, one in RECORDS
    if record.kind not in ("force", "rate")
    for ny in one.sizes
] + [
    pytest.param(record.number + PLANE_STRESS, 2, np.array(one.params), id=f"{one.name}, plane stress")
    for record, one in RECORDS
    if "barrier" in record.traits and "mean dilatation" not in one.name and one.name != "volume"
]
FORCE_CASES = [
    pytest.param(record.number, one.dimension, one.sizes[0], np.array(one.params), id=f"{one.name}, {one.dimension}D")
    for record, one in RECORDS
    if record.kind == "force"
]
RATE_CASES = [
    pytest.param(record.number, one.dimension, one.sizes[0], np.array(one.params), id=f"{one.name}, {one.dimension}D")
    for record, one in RECORDS
    if record.kind == "rate"
]


def example(name, d=3):
    """Number and parameters of an example by its name."""
    record, found = next((record, one) for record, one in RECORDS if one.name == name and one.dimension == d)
    return record.number, np.array(found.params)


# Lengths of 1 and 0.05: a spring under tension only is tight and slack.
@pytest.mark.parametrize("scale", [1.0, 0.05])
@pytest.mark.parametrize("code, ny, p", GRAM_CASES)
def test_stress_and_stiffness_are_the_derivatives_of_the_energy(code, ny, p, scale):
    gram_derivatives(code, ny, p, scale)


def test_every_law_has_an_equation_a_number_of_its_own_and_an_example_within_its_bounds():
    known = records()
    assert len(known) >= 40 and len({k.number for k in known}) == len({k.name for k in known}) == len(known)
    for record in known:
        assert record.equation and record.examples, record.name
        for one in record.examples:
            own = one.params[3:] if "split" in record.traits else one.params
            for parameter, value in zip(record.parameters, own, strict=False):
                parameter.check(value, record.name, one.name)


@pytest.mark.parametrize("step", [1e-9, 1e-6, 1e-4, 1.9e-3, 2.1e-3, 1e-2, 0.3, 1.0, 5.0])
@pytest.mark.parametrize("code, ny, p", GRAM_CASES)
def test_the_discrete_gradient_gives_the_change_of_the_energy(code, ny, p, step):
    discrete_energy(code, ny, p, step)


@pytest.mark.parametrize("step", [1e-9, 1e-6, 1e-4, 1.9e-3])
@pytest.mark.parametrize("code, ny, p", GRAM_CASES)
def test_the_discrete_gradient_of_a_small_step_has_no_cancellation(code, ny, p, step):
    """ψ1 − ψ0 has few digits then, so the comparison is with the mean stress by ten Gauss points.

    The quotients of joint coordinates are another mean, which differs by the square of the step; the two points that all
    others are taken at differ by its fourth power.
    """
    other = step**2 if code in (COORDINATE, COORDINATE_SPRING) else 10.0 * step**4
    rng = np.random.default_rng(8)
    points, weights = np.polynomial.legendre.leggauss(10)
    G0 = some_gram(ny, rng)
    G1 = G0 + step * symmetric_direction(ny, rng)
    mean = sum(
        0.5 * w * law(code, ny, G0 + 0.5 * (1 + s) * (G1 - G0), p)[1] for s, w in zip(points, weights, strict=True)
    )
    S, _ = discrete(code, ny, G0, G1, p)
    np.testing.assert_allclose(S, mean, rtol=0, atol=(1e-12 + other) * np.abs(mean).max())


@pytest.mark.parametrize("code, ny, p", [case for case in GRAM_CASES if has(case.values[0], HAS_VISCOUS_CHANGE)])
def test_the_viscous_stress_of_beams_changes_with_the_strain_as_its_derivative_says(code, ny, p):
    """V:Ġ at a given Ġ; V are the moduli ∂eᵀ C ∂e."""
    rng = np.random.default_rng(11)
    G, rate, E = some_gram(ny, rng), symmetric_direction(ny, rng), symmetric_direction(ny, rng)

    def stress(s):
        S, H = np.zeros((ny, ny)), np.zeros((ny,) * 4)
        viscous_moduli(code, ny, G + s * E, p, S, H)
        return np.einsum("ijkl,kl->ij", H, rate)

    H = np.zeros((ny,) * 4)
    viscous_change(code, ny, G, p, rate.copy(), H)
    change = np.einsum("ijkl,kl->ij", H, E)
    assert np.abs(change).max() > 0.01 * np.abs(stress(0.0)).max()
    np.testing.assert_allclose(change, along(stress, 1e-4), rtol=0, atol=1e-7 * np.abs(H).max())


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
        np.testing.assert_allclose(
            change, slope, rtol=0, atol=1e-6 * np.abs(H).max() + 1e-9 * np.abs(p).max(initial=0.0)
        )


def test_a_cord_that_goes_slack_within_a_step_releases_its_energy_exactly():
    code, p = example("spring under tension only")
    tight, slack = np.array([[0.15**2]]), np.array([[0.06**2]])
    S, _ = discrete(code, 1, tight, slack, p)
    assert law(code, 1, slack, p)[0] == 0.0
    assert S[0, 0] * (slack - tight)[0, 0] == pytest.approx(-0.5 * 700.0 * 0.05**2, rel=1e-13)


@pytest.mark.parametrize("code, d, ny, p", FORCE_CASES)
def test_the_derivatives_of_a_force_by_its_vectors_and_their_rates(code, d, ny, p):
    force_derivatives(code, d, ny, p)


@pytest.mark.parametrize("code, d, ny, p", RATE_CASES)
def test_the_derivatives_of_a_constraint_of_velocities_by_its_vectors(code, d, ny, p):
    rate_derivatives(code, d, ny, p)


@pytest.mark.parametrize("code, d, ny, p", [c for c in FORCE_CASES if c.values[0] != MUSCLE])
def test_a_force_is_proportional_to_its_function_of_time(code, d, ny, p):
    y, ydot = np.random.default_rng(1).normal(size=(2, ny, d))
    f1, f2 = force(code, d, y, ydot, p, 1.0)[0], force(code, d, y, ydot, p, -2.5)[0]
    assert np.abs(f1).max() > 0.0
    np.testing.assert_allclose(f2, -2.5 * f1, rtol=1e-12)


@pytest.mark.parametrize("name", ["torque", "torque in body axes"])
@pytest.mark.parametrize("d", [2, 3])
def test_a_torque_on_orthonormal_directors_is_the_couple_itself(name, d):
    code, p = example(name, d)
    turn, _ = np.linalg.qr(np.random.default_rng(2).normal(size=(d, d)))
    y = turn.T * np.sign(np.linalg.det(turn)) if d == 3 else np.array([[0.6, 0.8], [-0.8, 0.6]])
    f, _, _ = force(code, d, y, np.zeros_like(y), p, 1.0)
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
    line, _, _ = force(example("damper")[0], d, y, ydot, np.array([c]), 1.0)
    whole, _, _ = force(example("viscous")[0], d, y, ydot, np.array([c]), 1.0)
    np.testing.assert_allclose(line[0], -c * (ydot[0] @ n) * n, rtol=1e-14)
    np.testing.assert_allclose(whole[0], -c * ydot[0], rtol=1e-14)


SIX = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


IN_SPACE = [case.values[::2] for case in GRAM_CASES if case.id.endswith("3 vectors") and has(case.values[0], SOLID)]


@pytest.mark.parametrize("size", [4, 6])
@pytest.mark.parametrize("code, p", IN_SPACE)
def test_laws_in_six_components_are_those_of_the_gram_matrix_and_in_four_those_of_a_plane(code, p, size):
    rng = np.random.default_rng(4)
    for _ in range(5):
        F = np.eye(3) + 0.3 * rng.uniform(-1, 1, (3, 3))
        if size == 4:
            F[2, :2] = F[:2, 2] = 0.0
        C = F.T @ F
        S, H = np.zeros((3, 3)), np.zeros((3,) * 4)
        gram_law(code, 3, C, p, S, H)
        s, h = np.zeros(6), np.zeros((6, 6))
        six_law(code, size, np.array([C[i, j] for i, j in SIX]), p, s, h)
        np.testing.assert_allclose(s[:size], [S[i, j] for i, j in SIX[:size]], rtol=1e-12, atol=1e-13)
        wanted = [[H[i, j, k, m] for k, m in SIX[:size]] for i, j in SIX[:size]]
        np.testing.assert_allclose(h[:size, :size], wanted, rtol=1e-12, atol=1e-12)
