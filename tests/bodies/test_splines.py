"""B-splines, Bézier and NURBS curves and surfaces as ANCF elements."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.interpolate import BSpline

import condyle as cd
from condyle.bodies.spline_pieces import even_knots

RUBBER = cd.StVenantKirchhoff(young=1e6, poisson=0.3, density=1000.0)
BEZIER = [(0.0, 0.0, 0.0), (0.1, 0.3, 0.0), (0.4, 0.2, 0.1), (0.5, 0.0, 0.3)]
QUARTER = (np.array([(1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]), (1.0, np.sqrt(0.5), 1.0))  # of a circle, exactly


def on_line(line, share):
    """The Hermite cubic through the nodes of a SplineLine, `share` along each element."""
    s = share
    H = (1 - 3 * s**2 + 2 * s**3, s - 2 * s**2 + s**3, 3 * s**2 - 2 * s**3, s**3 - s**2)
    x, t, h = line.points, line.tangents, line.extents[:, None]
    return H[0] * x[:-1] + H[1] * h * t[:-1] + H[2] * x[1:] + H[3] * h * t[1:]


def test_a_cubic_bezier_curve_is_one_element_with_the_known_vectors():
    P = np.array(BEZIER)
    line = cd.spline_line(P)
    (h,) = line.extents
    np.testing.assert_allclose(line.points, P[[0, 3]], atol=1e-16)
    np.testing.assert_allclose(line.tangents, 3 * np.array([P[1] - P[0], P[3] - P[2]]) / h, atol=1e-14)
    assert line.error == 0.0


@pytest.mark.parametrize("degree", [1, 2, 3])
def test_splines_up_to_degree_three_are_met_to_machine_precision(degree):
    rng = np.random.default_rng(degree)
    P = np.column_stack((np.linspace(0, 1, 9), 0.05 * rng.normal(size=(9, 2)) * (degree > 1)))
    knots = np.concatenate((np.zeros(degree), np.sort(rng.uniform(size=8 - degree)), np.ones(degree + 1)))
    knots = np.concatenate(([0.0], knots))
    line, spline = cd.spline_line(P, degree=degree, knots=knots), BSpline(knots, P, degree)
    u = np.unique(knots)
    for share in (0.0, 0.21, 0.5, 0.83):
        np.testing.assert_allclose(on_line(line, share), spline(u[:-1] + share * np.diff(u)), atol=4e-15)
    assert line.error == 0.0


def test_pieces_that_only_share_their_direction_get_extents_of_their_own():
    # Two Bézier curves, the second twice as fast where they meet: one C⁰ knot.
    P = np.array([(0, 0), (1, 1), (2, 1), (3, 0), (5, -2), (6, -2), (7, 0)]) * 0.1
    line = cd.spline_line(P, knots=[0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2])
    assert line.extents[1] / line.extents[0] == pytest.approx(2.0)
    for k, own in enumerate((P[:4], P[3:])):
        curve = BSpline([0] * 4 + [1] * 4, own, 3)
        np.testing.assert_allclose(on_line(line, 0.37)[k], curve(0.37), atol=1e-15)


@pytest.mark.parametrize("tolerance", [1e-4, 1e-7])
def test_a_rational_curve_keeps_its_tolerance_and_states_its_error(tolerance):
    P, weights = QUARTER
    line = cd.spline_line(P, degree=2, weights=weights, tolerance=tolerance)
    worst = max(np.abs(np.linalg.norm(on_line(line, s), axis=1) - 1.0).max() for s in np.linspace(0, 1, 23))
    assert 0.3 * line.error < worst <= line.error <= tolerance
    assert cd.spline_line(P, degree=2, weights=(2.0, 2.0, 2.0)).error == 0.0  # equal weights: a parabola


def test_a_curve_of_degree_five_is_halved_until_it_is_met():
    P = np.array([(0, 0), (0.2, 0.5), (0.4, -0.3), (0.6, 0.4), (0.8, 0), (1, 0.1)])
    coarse, fine = (cd.spline_line(P, degree=5, tolerance=t) for t in (1e-3, 1e-6))
    assert len(fine.extents) > len(coarse.extents)
    x = BSpline(even_knots(6, 5), P, 5)((np.arange(len(fine.extents)) + 0.5) / len(fine.extents))
    np.testing.assert_allclose(on_line(fine, 0.5), x, atol=1e-6)


@pytest.mark.parametrize("make", [
    lambda: cd.Cable.of_spline("a", BEZIER, 3, cd.RoundSection(0.01, RUBBER)),
    lambda: cd.AncfBeam.of_spline("a", BEZIER, 3, cd.RoundSection(0.01, RUBBER)),
    lambda: cd.AncfBeam.of_spline("a", BEZIER, 3, cd.RoundSection(0.01, RUBBER), formulation="continuum"),
], ids=["cable", "beam", "continuum"])  # fmt: skip
def test_a_line_along_a_spline_is_at_rest_as_drawn(make):
    body = make()
    m = cd.Model("curved")
    m.add(body)
    m.add(cd.Clamp("root", body.point("start"), m.ground))
    result = cd.simulate(m, end=0.01, dt=0.005)
    assert result.energy["total"][-1] == pytest.approx(0.0, abs=1e-14)
    history = cd.LineHistory(result, "a", 7)
    curve = BSpline([0] * 4 + [1] * 4, np.array(BEZIER), 3)
    fine = np.linalg.norm(np.diff(curve(np.linspace(0, 1, 20001)), axis=0), axis=1).sum()
    assert history.length[-1] == pytest.approx(fine, rel=1e-5)
    assert history.whole == pytest.approx(fine, rel=1e-5)
    np.testing.assert_allclose(history.axial_strain, 0.0, atol=1e-12)
    np.testing.assert_allclose(history.position[-1], curve(np.linspace(0, 1, 7)), atol=1e-12)


def hills(k=6, m=5, seed=3):
    x, y = np.meshgrid(np.linspace(0, 1, k), np.linspace(0, 0.7, m), indexing="ij")
    return np.stack((x, y, 0.1 * np.random.default_rng(seed).normal(size=x.shape)), axis=2)


def test_a_bicubic_surface_becomes_plates_to_machine_precision():
    P = hills()
    sheet = cd.spline_sheet(P)
    assert sheet.error == 0.0
    plate = cd.Plate.of_spline("p", P, RUBBER, 0.01)
    patch, exact = cd.PolynomialPatch.of_plate(plate), cd.PolynomialPatch.of_spline(P)
    for s in np.random.default_rng(0).uniform(size=(20, 2)):
        scaled = s * np.ptp(patch.domain, axis=1)
        np.testing.assert_allclose(patch.jet(scaled)[0], exact.jet(s)[0], atol=2e-15)
        u = BSpline(even_knots(6, 3), P, 3)(s[0])
        np.testing.assert_allclose(exact.jet(s)[0], BSpline(even_knots(5, 3), u, 3)(s[1]), atol=2e-15)
    m = cd.Model("sheet")
    m.add(plate)
    m.add(cd.Clamp("root", plate.point("left"), m.ground))
    result = cd.solve_static(m)
    assert result.energy["total"][-1] == pytest.approx(0.0, abs=1e-15)


def test_surfaces_of_lower_degree_are_exact_and_rational_ones_within_their_tolerance():
    P = hills(4, 4)
    assert cd.spline_sheet(P[:3, :3], degree=(2, 2)).error == 0.0
    arc, weights = QUARTER
    tube = np.stack([np.column_stack((arc, np.full(3, z))) for z in (0.0, 1.0)], axis=1)  # a quarter of a tube
    sheet = cd.spline_sheet(tube, degree=(2, 1), weights=np.column_stack((weights, weights)), tolerance=1e-5)
    assert 0.0 < sheet.error <= 1e-5
    np.testing.assert_allclose(np.linalg.norm(sheet.nodes[:, :2], axis=1), 1.0, atol=1e-14)
    exact = cd.PolynomialPatch.of_spline(tube, degree=(2, 1), weights=np.column_stack((weights, weights)))
    radii = [np.linalg.norm(exact.jet(s)[0][:2]) for s in np.random.default_rng(1).uniform(size=(9, 2))]
    np.testing.assert_allclose(radii, 1.0, atol=1e-14)


@pytest.mark.parametrize(("words", "make"), [
    ("too few for degree 3", lambda: cd.spline_line(BEZIER[:3])),
    ("knots that do not fall", lambda: cd.spline_line(BEZIER, knots=[0, 0, 0, 1, 1, 1])),
    ("one per control point", lambda: cd.spline_line(BEZIER, weights=[1, -1, 1, 1])),
    ("has a corner", lambda: cd.spline_line([(0, 0), (1, 0), (1, 1)], degree=1)),
    ("larger tolerance", lambda: cd.spline_line(QUARTER[0], degree=2, weights=QUARTER[1], tolerance=1e-16)),
    ("crease", lambda: cd.spline_sheet(hills(3, 2), degree=(1, 1))),
    ("whole number of at least 1", lambda: cd.spline_line(BEZIER, degree=0)),
    ("extents must be 1 positive", lambda: _checked(cd.Cable("c", [(0, 0, 0), (1, 0, 0)], 1, cd.RoundSection(0.01, RUBBER),
                                                     tangents=[(1, 0, 0), (1, 0, 0)], extents=[-1.0]))),
], ids=["few", "knots", "weights", "corner", "tolerance", "crease", "degree", "extents"])  # fmt: skip
def test_what_is_no_smooth_spline_is_refused(words, make):
    with pytest.raises(cd.InputError, match=words):
        make()


def _checked(cable):
    m = cd.Model("c")
    m.add(cable)
    cd.solve_static(m)
