"""Layers of cartilage between parametric surfaces, and points against such surfaces."""

import numpy as np
import pytest

import condyle as cd
from published_restitution import left_by

CONDYLE = (0.018, -3e-4, -93.0, 15.0, 1.6e6, -6.7e4, -2.4e10)
FEMUR = cd.RevolvedSurface(CONDYLE, axis=(0, 1, 0), side=(0, 0, -1), half_width=0.009, angles=(-1.5, 1.5))
PLATEAU = cd.FlatSurface((0, 0, 1), extent=0.3)
LAYER = cd.Foundation(4e-3, 10e6, 0.45)


def bowl(R=0.03, half=0.02):
    x, y = np.meshgrid(np.linspace(-half, half, 25), np.linspace(-half, half, 25), indexing="ij")
    return cd.SplinePatch(np.stack((x, y, R - np.sqrt(R**2 - x**2 - y**2)), axis=2))


@pytest.mark.parametrize("name", ["femur", "plateau", "bowl"])
def test_a_parametric_surface_says_how_far_points_are_and_how_that_changes(name):
    surface = cd.ArticularSurface({"femur": FEMUR, "plateau": PLATEAU, "bowl": bowl()}[name])
    rng = np.random.default_rng(2)
    place = {"femur": (0.002, 0.001, -0.017), "plateau": (0, 0, 0.001), "bowl": (0.003, 0.002, 0.004)}[name]
    p = np.array(place) + 2e-3 * rng.normal(size=(20, 3))
    near = surface.distance(p)
    assert np.abs(np.linalg.norm(near.normal, axis=1) - 1).max() < 1e-12
    foot = surface.distance(surface.closest(p))
    assert np.abs(foot.gap).max() < 1e-9
    h = 1e-6
    for k in range(3):
        up, down = (surface.distance(p + sign * h * np.eye(3)[k]) for sign in (1, -1))
        np.testing.assert_allclose((up.gap - down.gap) / (2 * h), near.normal[:, k], atol=1e-6)
        np.testing.assert_allclose(
            (up.normal - down.normal) / (2 * h), near.hessian[:, k], atol=1e-4 * max(1, np.abs(near.hessian).max())
        )


def test_a_sphere_and_its_edge_have_the_distances_of_formulas():
    R = 0.03
    surface = cd.ArticularSurface(bowl(R))
    p = np.array([(0.004, -0.003, 0.002), (0.0, 0.0, 0.01), (0.005, 0.0, -0.001)])
    wanted = R - np.linalg.norm(p - (0, 0, R), axis=1)  # the material is below the bowl
    np.testing.assert_allclose(surface.distance(p).gap, wanted, atol=2e-7)
    flat = cd.ArticularSurface(cd.FlatSurface((0, 0, 1), extent=0.1))
    beside = flat.distance(np.array([(0.15, 0.0, -0.02)]))
    assert beside.gap[0] == pytest.approx(np.hypot(0.05, 0.02))
    np.testing.assert_allclose(beside.normal[0], np.array((0.05, 0, -0.02)) / np.hypot(0.05, 0.02), atol=1e-9)


def test_surfaces_of_ones_own_have_the_same_distances():
    class Slow(cd.RevolvedSurface):
        def jet(self, s):
            return super().jet(s)

    slow = cd.ArticularSurface(Slow(CONDYLE, axis=(0, 1, 0), side=(0, 0, -1), half_width=0.009, angles=(-1.5, 1.5)))
    assert slow.numbers is None
    p = np.array([(0.004, 0.001, -0.02), (0.0, -0.004, -0.017), (-0.01, 0.02, -0.02)])
    for one, other in zip(slow.distance(p), cd.ArticularSurface(FEMUR).distance(p), strict=True):
        np.testing.assert_allclose(one, other, atol=1e-9)


def pressed(law, load=400.0, points=1, target=PLATEAU, surface=FEMUR, place=0.018):
    m = cd.Model("condyle", gravity=(0, 0, 0))
    femur = m.add(cd.RigidBody("femur", 1.0, inertia=(1e-3, 1e-3, 1e-3), position=(0, 0, place - 2e-4)))
    m.add(cd.Prismatic("guide", m.ground, femur, axis=(0, 0, 1)))
    m.add(cd.Load("weight", femur.at(0, 0, 0), (0, 0, -load)))
    m.add(cd.ArticularContact("joint", femur, surface, m.ground, target, law=law, points=points, overlap="resolve"))
    return m


def test_a_layer_in_closed_form_and_point_by_point_agree():
    """F = K π δ²/√(κ₁ κ₂) of Winkler's foundation; points over the surface find the same force and its pressure."""
    F = 400.0
    one = cd.solve_static(pressed(LAYER))
    K = LAYER.modulus / LAYER.thickness
    depth = np.sqrt(F * np.sqrt(186.0 / 0.018) / (np.pi * K))
    assert cd.foundation_stiffness(FEMUR.curvature((0.0, 0.0)), LAYER) * depth**2 == pytest.approx(F, rel=1e-5)
    assert -one.contact("joint").gap[-1, 0] == pytest.approx(depth, rel=1e-3)
    many = cd.solve_static(pressed(LAYER, points=(80, 40)))
    seen = many.contact("joint")
    assert seen.normal_force[-1].sum() == pytest.approx(F, rel=5e-3)  # pressures lean, forces are summed without
    assert seen.resultant[-1, 2] == pytest.approx(F, rel=1e-9)
    sunk = 0.018 - many.position("femur")[-1, 2]
    assert sunk == pytest.approx(depth, rel=0.05)  # the profile is no parabola, so the ellipse is a little narrower
    assert seen.pressure[-1].max() == pytest.approx(K * sunk, rel=0.01)


def test_a_ball_on_a_layer_is_the_formula_of_a_sphere():
    """∫ depth dA over a spherical cap of depth δ is π R δ²."""
    R = 0.02
    y = np.linspace(-0.012, 0.012, 41)
    ball = cd.RevolvedSurface(
        np.column_stack((y, np.sqrt(R**2 - y**2))), axis=(0, 1, 0), side=(0, 0, -1), angles=(-0.8, 0.8)
    )
    result = cd.solve_static(pressed(LAYER, 300.0, (60, 40), surface=ball, place=R))
    d = R - result.position("femur")[-1, 2]
    assert LAYER.modulus / LAYER.thickness * np.pi * R * d**2 == pytest.approx(300.0, rel=3e-3)


@pytest.mark.parametrize("target", [PLATEAU, bowl(0.03)], ids=["flat", "bowl"])
def test_a_condyle_on_a_layer_keeps_its_energy_and_its_steps_are_compiled(target):
    m = pressed(LAYER, 50.0, (60, 24), target)
    result = cd.simulate(m, end=4e-3, dt=2e-4, integrator="EnergyMomentum()")
    assert not any("not compiled" in why for why in result.in_python)
    E, W = result.energy["total"], result.energy["work"]
    assert np.abs(E - E[0] - W + W[0]).max() < 1e-9 * max(np.ptp(E), np.ptp(W))


@pytest.mark.parametrize("points", [1, (40, 20)], ids=["closed form", "point by point"])
def test_a_layer_that_dissipates_bounces_as_hunt_and_crossley_say(points):
    """All its points have one rate, so F = F_e(δ) (1 + c δ̇), whose restitution follows from c v alone."""
    speed, c = 0.5, 0.8
    m = pressed(cd.Foundation(4e-3, 10e6, 0.45, dissipation=c), 0.0, points)
    m["femur"].position, m["femur"].velocity = (0, 0, 0.0181), (0, 0, -speed)
    result = cd.simulate(m, end=8e-3, dt=5e-5)
    assert result.velocity("femur")[-1, 2] / speed == pytest.approx(left_by(c * speed), abs=2e-3)


def test_a_fitting_joint_needs_a_layer():
    """A condyle that fits its socket touches in no single point; a layer carries it over an area."""
    R = 0.02
    socket = bowl(R, 0.011)
    y = np.linspace(-0.01, 0.01, 41)
    ball = cd.RevolvedSurface(
        np.column_stack((y, np.sqrt(R**2 - y**2))), axis=(0, 1, 0), side=(0, 0, -1), angles=(-0.5, 0.5)
    )
    result = cd.solve_static(pressed(LAYER, 500.0, (24, 24), socket, ball, R))
    seen = result.contact("joint")
    assert seen.resultant[-1, 2] == pytest.approx(500.0, rel=1e-6)
    assert (seen.pressure[-1] > 0).sum() > 300
    even = 500.0 / (np.pi * 0.0105**2)
    assert 0.5 * even < seen.pressure[-1].max() < 3 * even


@pytest.mark.parametrize(("words", "more"), [
    ("whole number above 0", {"law": LAYER, "points": 0}),
    ("whole number above 0", {"law": LAYER, "points": (3, 4, 5)}),
    ("press as a layer does", {"law": "hard", "points": 20}),
], ids=["none", "three", "hard"])  # fmt: skip
def test_layers_that_cannot_be_are_refused(words, more):
    with pytest.raises(cd.InputError, match=words):
        cd.ArticularContact("c", "a", FEMUR, "ground", PLATEAU, **more)


def test_only_parametric_surfaces_become_articular_ones():
    with pytest.raises(cd.InputError, match="parametric surface"):
        cd.ArticularSurface(cd.Sphere(1.0))
    with pytest.raises(cd.InputError, match="no ellipse"):
        cd.foundation_stiffness(np.diag([0.0, 1.0]), LAYER)
