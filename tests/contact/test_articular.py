"""Two parametric surfaces that meet in one point, and the clinical description of a joint."""

from __future__ import annotations

import numpy as np
import pytest

import condyle as cd
from condyle.contact.articular import common_normal, first_guess
from condyle.contact.parametric import table_of
from condyle.system.touching.articular import normal_equations

CONDYLE = (0.018, -3e-4, -93, 15, 1.6e6, -6.7e4, -2.4e10)
FEMUR = cd.RevolvedSurface(
    CONDYLE, axis=(0, 1, 0), side=(0, 0, -1), centre=(0, 0.022, -0.182), half_width=0.009, angles=(-1.5, 1.5)
)
PLATEAU = cd.FlatSurface((0, 0, 1), extent=0.3)


def bowl(radius=0.06, n=15):
    """A hollow plateau, deepest at the origin."""
    x = np.linspace(-0.02, 0.02, n)
    a, b = np.meshgrid(x, x, indexing="ij")
    return cd.SplinePatch(np.stack((a, b, radius - np.sqrt(radius**2 - a**2 - b**2)), axis=2))


def ball(radius=0.05, half=0.04):
    y = np.linspace(-half, half, 41)
    profile = np.column_stack((y, np.sqrt(radius**2 - y**2)))
    return cd.RevolvedSurface(profile, axis=(0, 1, 0), side=(0, 0, -1), angles=(-3, 3))


def poses(angle, tilt=0.02, height=0.2):
    c, s = np.cos(angle), np.sin(angle)
    R = np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
    R = R @ np.array([[1, 0, 0], [0, np.cos(tilt), -np.sin(tilt)], [0, np.sin(tilt), np.cos(tilt)]])
    return np.array([np.vstack((np.zeros(3), np.eye(3))), np.vstack(((0, 0, height), R.T))])


class OwnBall(cd.ParametricSurface):
    """A sphere, as somebody writes it who knows no tables: longitude and latitude."""

    domain = np.array([(-1.5, 1.5), (-1.2, 1.2)])

    def __init__(self, radius, below=(0, 0, -1)):
        self.radius = radius

    def jet(self, s):
        (a, b), (c, d) = (np.sin(s), np.cos(s))
        return self.radius * np.array([
            (a * d, b, -c * d), (c * d, 0, a * d), (-a * b, d, c * b), (-a * d, 0, c * d), (-c * b, 0, -a * b),
            (-a * d, -b, c * d),
        ])  # fmt: skip


RUBBER = cd.StVenantKirchhoff(young=1e6, poisson=0.3, density=1000.0)


def arc_beam(radius=0.018, half=1.4, pieces=40):
    """A beam along an arc about the y axis, with its sections' z outwards: a condyle is z = f(y) − radius in its volume."""
    angle = np.linspace(-half, half, pieces + 1)
    line = radius * np.column_stack((np.sin(angle), 0 * angle, -np.cos(angle)))
    tangents = np.column_stack((np.cos(angle), 0 * angle, np.sin(angle)))
    section = cd.RectangularSection(0.01, 0.01, RUBBER)
    return cd.AncfBeam("arc", line, 1, section, tangents=tangents, normal=(0, -1, 0))


def pieces():
    """Surfaces of every way they are made in."""
    rng = np.random.default_rng(5)
    x, y = np.meshgrid(np.linspace(0, 0.05, 6), np.linspace(0, 0.04, 5), indexing="ij")
    P = np.stack((x, y, 0.01 * rng.normal(size=x.shape)), axis=2)
    wave = lambda u, v: (u, v, 0.01 * np.sin(60 * u) * np.cos(40 * v))  # noqa: E731
    table = np.linspace(0, 0.0505, 8), np.linspace(-0.01, 0.01, 6), 0.002 * rng.normal(size=(8, 6))
    return {
        "bspline": cd.PolynomialPatch.of_spline(P, degree=(3, 2)),
        "nurbs": cd.PolynomialPatch.of_spline(P, weights=rng.uniform(0.5, 2.0, size=x.shape)),
        "plate": cd.PolynomialPatch.of_plate(cd.Plate.surface("p", wave, (0.05, 0.04), (3, 2), RUBBER, 1e-3)),
        "thin plate": cd.PolynomialPatch.of_plate(
            cd.Plate.surface("p", wave, (0.05, 0.04), (3, 2), RUBBER, 1e-3, kind="thin")
        ),
        "beam": cd.PolynomialPatch.of_beam(arc_beam(), (0.0, 3e-4, -93), half_width=0.008),
        "beam along": cd.PolynomialPatch.of_beam(arc_beam(), [(0.0, 0.1, -93), (0.05, 0.2, 0)], half_width=0.008),
        "beam table": cd.PolynomialPatch.of_beam(arc_beam(), table),
        "own": OwnBall(0.05),
    }  # fmt: skip


SURFACES = {"revolved": FEMUR, "flat": PLATEAU, "spline": bowl()} | pieces()


@pytest.mark.parametrize("surface", SURFACES.values(), ids=SURFACES.keys())
def test_tangents_and_second_derivatives_are_those_of_the_surface(surface):
    middle = surface.domain.mean(axis=1) + 0.11 * np.ptp(surface.domain, axis=1)
    h = 1e-5 * np.ptp(surface.domain, axis=1)
    jet = surface.jet(middle)
    for k in (0, 1):
        step = np.eye(2)[k] * h[k]
        up, down = surface.jet(middle + step), surface.jet(middle - step)
        scale = np.abs(jet[1 + k]).max()
        np.testing.assert_allclose((up[0] - down[0]) / (2 * h[k]), jet[1 + k], atol=1e-8 * scale)
        for j in (0, 1):
            tolerance = 1e-6 * np.abs(jet[1 + j]).max() / np.ptp(surface.domain[k])
            np.testing.assert_allclose((up[1 + j] - down[1 + j]) / (2 * h[k]), jet[3 + j + k], atol=tolerance)


def test_the_jacobian_of_the_four_equations_is_their_derivative():
    place = poses(0.3)
    s = np.array([-0.25, 0.001, -0.05, 0.02])

    def at(s):
        t, f = bowl().jet(np.array([6.0, 7.0]) + s[2:]), FEMUR.jet(s[:2]) @ place[1, 1:]
        f[0] += place[1, 0]
        E, D = np.empty(4), np.empty((4, 4))
        normal_equations(t, np.ascontiguousarray(f), E, D)
        return E, D

    D, h = at(s)[1], 1e-6
    for k in range(4):
        step = np.eye(4)[k] * h
        difference = (at(s + step)[0] - at(s - step)[0]) / (2 * h)
        np.testing.assert_allclose(difference, D[:, k], atol=1e-7 * np.abs(D).max())


@pytest.mark.parametrize("angle", np.radians([0.0, 15.0, 30.0, 45.0]))
def test_a_condyle_on_a_plateau_is_found_in_few_iterations(angle):
    place = poses(angle)
    start, left, _ = common_normal(PLATEAU, FEMUR, place, first_guess(PLATEAU, FEMUR, place))
    assert left < 1e-12
    nearby = poses(angle + 0.02)
    s, left, count = common_normal(PLATEAU, FEMUR, nearby, start)
    assert left < 1e-12
    assert count <= 5
    n = FEMUR.normal(s[:2]) @ nearby[1, 1:]
    np.testing.assert_allclose(n, (0, 0, -1), atol=1e-10)


def test_hertz_stiffness_follows_from_the_curvatures():
    assert cd.hertz_stiffness(np.eye(2) / 0.02, 1e9) == pytest.approx(4 / 3 * 1e9 * np.sqrt(0.02))
    curvature = FEMUR.curvature((0.0, 0.0))
    assert 1 / curvature[0, 0] == pytest.approx(0.018, rel=1e-6)
    assert curvature[1, 1] == pytest.approx(186.0, rel=1e-6)
    assert cd.hertz_stiffness(curvature, 1e9) == pytest.approx(0.1362e9, rel=1e-3)
    with pytest.raises(cd.InputError, match="along a line"):
        cd.hertz_stiffness(np.diag([0.0, 1.0]), 1e9)


class Slow(cd.FlatSurface):
    """A plane that kernels do not know: its steps are taken in Python."""

    def jet(self, s):
        return super().jet(s)


def femur(plateau):
    """A femur that stands on two elastic condyles and falls to the side."""
    m = cd.Model("femur", gravity=(0, 0, -9.81))
    body = m.add(
        cd.RigidBody("femur", 7.5, inertia=(0.35, 0.35, 0.0046), position=(0, 0, 0.2), angular_velocity=(0, 1.0, 0))
    )
    for name, y in (("medial", 0.022), ("lateral", -0.022)):
        condyle = cd.RevolvedSurface(
            (0.018, 0, -93),
            axis=(0, 1, 0),
            side=(0, 0, -1),
            centre=(0, y, -0.182),
            half_width=0.009,
            angles=(-1.5, 1.5),
        )
        m.add(cd.ArticularContact(name, body, condyle, m.ground, plateau, law="hertz"))
    return m, body


def rocked(method, dt, plateau):
    """What the energy of the femur has gained, at most and at the end [J]."""
    result = cd.simulate(femur(plateau)[0], end=0.2, dt=dt, integrator=method, energy_tolerance=np.inf)
    assert any("not compiled" in why for why in result.in_python) == isinstance(plateau, Slow)
    gain = np.asarray(result.energy["total"]) - result.energy["total"][0]
    return gain.max(), gain[-1]


@pytest.mark.parametrize("plateau", [PLATEAU, Slow((0, 0, 1), extent=0.3)], ids=["compiled", "in Python"])
@pytest.mark.parametrize(
    "method",
    [cd.GeneralizedAlpha(0.6), cd.GeneralizedAlpha(0.0), cd.HHT(alpha=0.3), cd.Newmark()],
    ids=lambda m: type(m).__name__,
)
def test_elastic_condyles_put_no_energy_into_a_bone_that_turns(method, plateau):
    """An impulse has the moment it had in the balance of its step: with that of the end of the step energy grows with h."""
    highest, coarse = rocked(method, 0.01, plateau)
    _, fine = rocked(method, 0.005, plateau)
    assert highest < 1e-9
    assert -2e-4 < coarse < 0.0
    assert coarse / fine == pytest.approx(4.0, abs=1.0)  # of second order


@pytest.mark.parametrize("plateau", [PLATEAU, Slow((0, 0, 1), extent=0.3)], ids=["compiled", "in Python"])
def test_a_damper_beside_an_elastic_condyle_leaves_generalized_alpha_of_second_order(plateau):
    """In the balance of a step its velocities have the impulse of contact; without it a damper feels a wrong one."""

    def end(dt):
        m, body = femur(plateau)
        m.add(cd.Damper("drag", body.at(0, 0, 0.1), m.ground.at(0.3, 0, 0.1), 400.0))
        m.add(cd.Load("push", body.at(0, 0, 0), (0, 0, -1000.0)))
        return cd.simulate(m, end=0.2, dt=dt, integrator=cd.GeneralizedAlpha(0.0), energy_tolerance=np.inf)

    coarse, middle, fine = (end(dt).position("femur")[-1] for dt in (0.01, 0.005, 0.0025))
    assert np.abs(coarse - middle).max() / np.abs(middle - fine).max() > 3.5


@pytest.mark.parametrize("law", ["hertz", "hard"])
def test_steps_are_compiled_once_an_overlap_at_the_start_is_resolved(law):
    """A soft law has nothing to resolve; of a hard one half of the overlap goes in each step, and then it is gone."""
    part = cd.ArticularContact("c", "ball", ball(), "ground", PLATEAU, law=law, overlap="resolve")
    result = cd.simulate(falling(part, (0, 0, 0), 0.0499), end=0.2, dt=0.005, energy_tolerance=np.inf)
    assert sum(result.in_python.values()) <= (0 if law == "hertz" else 20)


def falling(part, velocity=(0.3, 0, 0), height=0.052):
    m = cd.Model("ball", gravity=(0, 0, -9.81))
    m.add(cd.RigidBody("ball", 1.0, inertia=(1e-3, 1e-3, 1e-3), position=(0, 0, height), velocity=velocity))
    m.add(part)
    return m


@pytest.mark.parametrize("law", ["hard", cd.Hertz(1e6)], ids=["hard", "hertz"])
def test_a_ball_of_a_profile_does_what_a_sphere_does(law):
    """Hard: the multiplier is the weight, the gap is zero; soft: it bounces alike."""
    floor = cd.FlatSurface((0, 0, 1), extent=1.0)
    own = cd.ArticularContact("c", "ball", ball(), "ground", floor, law=law)
    other = cd.Contact(
        "c", "ball", cd.Sphere(0.05), "ground", cd.Plane((0, 0, 1)), law=cd.Hard() if law == "hard" else law
    )
    one, two = (cd.simulate(falling(p), end=0.05, dt=1e-3, energy_tolerance=np.inf) for p in (own, other))
    np.testing.assert_allclose(one.position("ball"), two.position("ball"), atol=2e-7)
    if law == "hard":
        assert one.contact("c").normal_force[-1] == pytest.approx(9.81, rel=1e-6)
        assert abs(one.contact("c").gap[-1]) < 1e-9


def test_a_ball_swings_in_a_bowl_with_the_period_of_its_radius_of_path():
    """Without friction a small ball in a bowl of radius R is a pendulum of length R − r: contact follows both surfaces."""
    R, r = 0.06, 0.01
    y = np.linspace(-0.008, 0.008, 31)
    small = cd.RevolvedSurface(
        np.column_stack((y, np.sqrt(r**2 - y**2))), axis=(0, 1, 0), side=(0, 0, -1), angles=(-1.5, 1.5)
    )
    m = cd.Model("bowl", gravity=(0, 0, -9.81))
    away = 0.1
    place = ((R - r) * np.sin(away), 0.0, R - (R - r) * np.cos(away))
    m.add(cd.RigidBody("ball", 1.0, inertia=(1e-3, 1e-3, 1e-3), position=place))
    m.add(cd.ArticularContact("c", "ball", small, "ground", bowl(R)))
    quarter = 0.5 * np.pi * np.sqrt((R - r) / 9.81) * (1 + away**2 / 16)
    result = cd.simulate(m, end=1.5 * quarter, dt=quarter / 50, integrator="GeneralizedAlpha(spectral_radius=0.9)")
    x = result.position("ball")[:, 0]
    k = int(np.flatnonzero(x < 0)[0])
    crossing = np.interp(0.0, [-x[k - 1], -x[k]], result.times[k - 1 : k + 1])
    assert crossing == pytest.approx(quarter, rel=0.01)
    assert result.contact("c").normal_force[-1] == pytest.approx(9.81, rel=0.03)


@pytest.mark.parametrize("law", ["hard", cd.Hertz(1e6)], ids=["hard", "hertz"])
def test_a_point_that_leaves_its_surface_is_reported_with_time_and_place(law):
    part = cd.ArticularContact("c", "ball", ball(), "ground", cd.FlatSurface((0, 0, 1), extent=0.02), law=law)
    with pytest.warns(cd.SurfaceEdgeWarning, match=r"at 0\.\d+ s its point has left a surface near"):
        cd.simulate(falling(part, (1.0, 0, 0), 0.0499), end=0.04, dt=1e-3, energy_tolerance=np.inf)


def test_surfaces_that_cannot_touch_are_refused():
    with pytest.raises(cd.InputError, match="they never touch"):
        part = cd.ArticularContact("c", "ball", ball(), "ground", cd.FlatSurface((0, 0, 1), (5, 0, 0), 0.1))
        cd.simulate(falling(part), end=0.01, dt=1e-3)
    with pytest.raises(cd.InputError, match="parametric surface"):
        cd.ArticularContact("c", "a", cd.Sphere(1.0), "ground", PLATEAU)
    with pytest.raises(cd.InputError, match="radius falls to"):
        cd.RevolvedSurface(CONDYLE, axis=(0, 1, 0), side=(0, 0, -1), half_width=0.012)
    with pytest.raises(cd.InputError, match="parallel"):
        cd.RevolvedSurface((1.0,), axis=(0, 1, 0), side=(0, 2, 0), half_width=0.1)


def test_a_cloud_of_points_becomes_a_surface_or_an_error():
    rng = np.random.default_rng(1)
    a, b = rng.uniform(-0.02, 0.02, (2, 3000))
    cloud = np.column_stack((a, b, 4.0 * a**2 + 2.0 * b**2 + rng.normal(0, 2e-5, len(a))))
    patch = cd.SplinePatch.fit(cloud, (0, 0, 1))
    middle = patch.domain.mean(axis=1)
    assert sorted(np.linalg.eigvalsh(patch.curvature(middle))) == pytest.approx([-8.0, -4.0], rel=0.1)
    with pytest.raises(cd.InputError, match="misses its points"):
        cd.SplinePatch.fit(cloud + rng.normal(0, 5e-3, cloud.shape), (0, 0, 1))
    with pytest.raises(cd.InputError, match="too few"):
        cd.SplinePatch.fit(cloud[:20], (0, 0, 1))


def test_clinical_coordinates_are_read_and_driven():
    m = cd.Model("knee", gravity=(0, 0, 0))
    tibia = m.add(cd.RigidBody("tibia", 3.5, inertia=(0.1, 0.1, 0.01), position=(0, 0, -0.2)))
    m.add(cd.Spherical("centre", m.ground, tibia, at=(0, 0, 0)))
    m.add(cd.ClinicalJoint("knee", m.ground, tibia, at=(0, 0, 0)))
    for name, value in (("flexion", 0.6), ("abduction", -0.1), ("rotation", 0.2)):
        m.add(cd.Drive(name, f"knee.{name}", motion=cd.Ramp(0, 0.1, 0, value)))
    result = cd.simulate(m, end=0.12, dt=2e-3)
    motion = cd.clinical_motion(result, "knee")
    assert [motion[k][-1] for k in ("flexion", "abduction", "rotation")] == pytest.approx([0.6, -0.1, 0.2], abs=1e-8)
    assert [motion[k][-1] for k in ("shift", "drawer", "distraction")] == pytest.approx([0, 0, 0], abs=1e-9)
    R = result.rotation_matrix("tibia")[-1]
    assert np.arccos(np.clip(0.5 * (np.trace(R) - 1), -1, 1)) > 0.6
    with pytest.raises(cd.InputError, match="perpendicular"):
        bad = cd.Model("bad")
        bad.add(cd.RigidBody("tibia", 1.0, inertia=(1, 1, 1)))
        bad.add(cd.ClinicalJoint("k", bad.ground, "tibia", at=(0, 0, 0), axis=(0, 1, 1)))
        bad.validate()


@pytest.mark.parametrize("angle", [0.0, 0.5, -0.9])
def test_a_condyle_in_the_volume_of_a_beam_is_the_one_of_revolution(angle):
    # z outwards from the arc of 18 mm: the radius of the revolved profile less 18 mm.
    height = np.array(CONDYLE)
    height[0] = 0.0
    beam = cd.PolynomialPatch.of_beam(arc_beam(), height, half_width=0.009)
    turned = cd.RevolvedSurface(CONDYLE, axis=(0, 1, 0), side=(0, 0, -1), half_width=0.009, angles=(-1.5, 1.5))
    place = poses(angle, height=0.018)
    gaps = []  # lowest points
    for surface in (beam, turned):
        s, left, _ = common_normal(PLATEAU, surface, place, first_guess(PLATEAU, surface, place))
        assert left < 1e-12
        gaps.append(surface.jet(s[:2])[0] @ place[1, 1:] + place[1, 0])
    assert gaps[0][2] == pytest.approx(gaps[1][2], abs=1e-6)
    np.testing.assert_allclose(gaps[0], gaps[1], atol=1e-4)


def test_surfaces_of_ones_own_and_those_that_kernels_know_find_the_same_point():
    assert table_of(Slow((0, 0, 1))) is None
    assert table_of(PLATEAU) is not None
    place = poses(0.3)
    start = first_guess(PLATEAU, FEMUR, place)
    quick, slow = (common_normal(p, FEMUR, place, start) for p in (PLATEAU, Slow((0, 0, 1), extent=0.3)))
    np.testing.assert_array_equal(quick[0], slow[0])
    assert quick[1:] == slow[1:]
    runs = []
    for plateau in (PLATEAU, Slow((0, 0, 1), extent=0.3)):
        m = cd.Model("ball", gravity=(0, 0, -9.81))
        body = m.add(cd.RigidBody("ball", 1.0, inertia=(1e-3, 2e-3, 3e-3), position=(0, 0, 0.05), velocity=(0.1, 0, 0)))
        m.add(cd.ArticularContact("c", body, ball(), m.ground, plateau))
        runs.append(cd.simulate(m, end=0.02, dt=0.005, integrator="GeneralizedAlpha()", energy_tolerance=np.inf))
    assert not any(
        "not compiled" in why for why in runs[0].in_python
    )  # compiled steps, whose sums are in another order
    assert any("not compiled" in why for why in runs[1].in_python)
    np.testing.assert_allclose(runs[0].position("ball"), runs[1].position("ball"), atol=1e-13)


def test_a_bone_comes_from_a_file_of_triangles(tmp_path):
    meshio = pytest.importorskip("meshio")
    angle, height = np.meshgrid(np.linspace(0, 2 * np.pi, 61)[:-1], np.linspace(-0.98, 0.98, 41), indexing="ij")
    across = np.sqrt(1 - height**2)
    X = 25.0 * np.stack((across * np.cos(angle), across * np.sin(angle), height), axis=2).reshape(-1, 3)  # mm
    at = np.arange(60 * 41).reshape(60, 41)
    a, b = at[:, :-1], at[:, 1:]
    c, d = np.roll(at, -1, axis=0)[:, 1:], np.roll(at, -1, axis=0)[:, :-1]
    cells = np.vstack((np.stack((a, d, c), axis=2).reshape(-1, 3), np.stack((a, c, b), axis=2).reshape(-1, 3)))
    for suffix in (".stl", ".ply"):
        path = tmp_path / f"bone{suffix}"
        meshio.Mesh(X, [("triangle", cells)]).write(path)
        patch = cd.SplinePatch.of_mesh(
            path, (1, 0, 0), scale=1e-3, box=[(0, -0.02, -0.02), (0.03, 0.02, 0.02)], steepest=45
        )
        middle = patch.domain.mean(axis=1)
        assert np.linalg.norm(patch.jet(middle)[0]) == pytest.approx(0.025, rel=2e-3)
        np.testing.assert_allclose(np.linalg.eigvalsh(patch.curvature(middle)), 40.0, rtol=0.05)
    with pytest.raises(cd.InputError, match="does not exist"):
        cd.SplinePatch.of_mesh(tmp_path / "no.stl", (0, 0, 1))
    with pytest.raises(cd.InputError, match="no triangle of the mesh looks along"):
        cd.SplinePatch.of_mesh((X, cells), (0, 0, 1), box=[(0, 0, -1000), (1, 1, -900)])


@pytest.mark.parametrize(("words", "make"), [
    ("rising numbers", lambda: cd.PolynomialPatch((0, 0), (0, 1), np.zeros((1, 1, 2, 2, 3)))),
    ("3 or 4", lambda: cd.PolynomialPatch((0, 1), (0, 1), np.zeros((1, 1, 2, 2)))),
    ("with a half_width", lambda: cd.PolynomialPatch.of_beam(arc_beam(), (0, 1))),
    ("the beam is", lambda: cd.PolynomialPatch.of_beam(arc_beam(), (np.arange(4) * 1e-3, np.arange(4), np.zeros((4, 4))))),
    ("at least four each", lambda: cd.PolynomialPatch.of_beam(arc_beam(), (np.arange(3), np.arange(4), np.zeros((3, 4))))),
], ids=["breaks", "coefficients", "width", "short table", "small table"])  # fmt: skip
def test_pieces_that_fit_no_surface_are_refused(words, make):
    with pytest.raises(cd.InputError, match=words):
        make()
