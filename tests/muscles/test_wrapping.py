"""Paths through a ring and over several surfaces in a row: closed forms, shortest ways, derivatives, energy, pictures."""

import itertools
from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import minimize

import condyle as cd
from condyle.laws.codes import ELLIPSOID, TORUS
from condyle.laws.geodesics import follow, normal_at
from condyle.muscles.reading import PathReader
from condyle.results.path_lines import PathLine

# --- closed forms -----------------------------------------------------------------------------------------------------


def over(wraps, first, second, bodies=()):
    """Reader, system and rows of the ends of a path over surfaces of the ground or of bodies (name, position)."""
    m = cd.Model("wrap", dimension=len(first))
    m.add(cd.PointMass("p", 1.0, position=first))
    m.add(cd.PointMass("s", 1.0, position=second))
    for name, position in bodies:
        inertia = 0.1 if len(first) == 2 else (0.1, 0.2, 0.15)
        m.add(cd.RigidBody(name, 1.0, inertia=inertia, position=position))
    m.add(cd.ForceActuator("path", ["p", *wraps, "s"]))
    s = cd.compile(m)
    return PathReader(m["path"].terms(s.points)), s, [int(s.position(name).rows[0]) for name in "ps"]


def belt(places, radii):
    """Length over circles in the plane, each with a signed radius: positive if it is passed on the left hand of the way."""
    lines = []
    for (one, r), (two, s) in itertools.pairwise(zip(places, radii, strict=True)):
        gap = np.subtract(two, one)
        far = np.hypot(*gap)
        lines.append((np.arctan2(gap[1], gap[0]) + np.arcsin((s - r) / far), np.sqrt(far**2 - (s - r) ** 2)))
    arcs = [r * (a - b) for r, (a, _), (b, _) in zip(radii[1:-1], lines, lines[1:], strict=False)]
    return sum(length for _, length in lines) + sum(arcs)


P, S, C = (-0.2, -0.1), (0.55, -0.05), ((0.0, 0.0), (0.3, 0.02))
R = (0.05, 0.08)


@pytest.mark.parametrize("sides", [(1, 1), (1, -1), (-1, 1)])
def test_a_belt_over_two_disks_has_the_length_of_its_tangents_and_arcs(sides):
    wraps = [cd.CylinderWrap(cd.Point("ground", c), r, side=(0, e)) for c, r, e in zip(C, R, sides, strict=True)]
    end = (0.55, 0.1 * sides[0] * -sides[1])
    reader, s, _ = over(wraps, (P[0], P[1] * sides[0]), end)
    signed = [e * r for e, r in zip(sides, R, strict=True)]
    known = belt([(P[0], P[1] * sides[0]), *C, end], [0.0, *signed, 0.0])
    assert reader.at(s.x_start)[0] == pytest.approx(known, rel=1e-14)


def test_cylinders_with_parallel_axes_are_unrolled_together():
    axis = np.array([0.1, 0.2, 1.0]) / np.linalg.norm((0.1, 0.2, 1.0))
    u = np.cross(axis, (1.0, 0.0, 0.0))
    u /= np.linalg.norm(u)
    frame = np.array([np.cross(u, axis), u, axis])
    wraps = [cd.CylinderWrap(cd.Point("ground", np.array([*c, 0.07]) @ frame), r, axis, side=u)
             for c, r in zip(C, R, strict=True)]  # fmt: skip
    reader, s, _ = over(wraps, np.array([*P, 0.0]) @ frame, np.array([*S, 0.3]) @ frame)
    assert reader.at(s.x_start)[0] == pytest.approx(np.hypot(belt([P, *C, S], [0.0, *R, 0.0]), 0.3), rel=1e-13)


def test_balls_whose_centres_lie_in_the_plane_of_the_ends_are_a_belt():
    places, radii = [P, *C, (0.6, -0.1), (0.7, -0.5)], [0.0, *R, 0.04, 0.0]
    wraps = [
        cd.SphereWrap(cd.Point("ground", (*c, 0.0)), r, side=(0, 1, 0))
        for c, r in zip(places[1:-1], radii[1:-1], strict=True)
    ]
    reader, s, _ = over(wraps, (*P, 0.0), (*places[-1], 0.0))
    assert reader.at(s.x_start)[0] == pytest.approx(belt(places, radii), rel=1e-13)


def test_a_path_through_a_ring_lies_on_its_inside():
    """In the plane of the axis it goes round the section of the ring, on the side of the hole."""
    ring, tube = 0.1, 0.03
    places = [(0.2, 0.15), (ring, 0.0), (0.25, -0.1)]
    known = belt(places, [0.0, -tube, 0.0])
    assert known > 1.1 * np.hypot(0.05, 0.25)
    axis, out = np.array([0.6, 0.0, 0.8]), np.array([0.8, 0.0, -0.6])
    first, second = (a * out + b * axis for a, b in (places[0], places[2]))
    reader, s, _ = over([cd.TorusWrap("ground", ring, tube, axis)], first, second)
    assert reader.at(s.x_start)[0] == pytest.approx(known, rel=1e-11)
    free, s, _ = over([cd.TorusWrap("ground", ring, tube, axis)], 0.1 * axis + 0.02 * out, -0.2 * axis)
    assert free.at(s.x_start)[0] == pytest.approx(np.hypot(0.3, 0.02), rel=1e-14)


def test_one_ring_can_be_touched_on_both_sides():
    """A flat way through the hole lies on the ring where it comes in and where it goes out."""
    ring, tube = 0.1, 0.03
    places = [(-0.3, 0.03), (-ring, 0.0), (ring, 0.0), (0.3, -0.03)]
    wraps = [cd.TorusWrap("ground", ring, tube, (0, 0, 1), side=(e, 0, 0)) for e in (-1, 1)]
    reader, s, _ = over(wraps, (-0.3, 0.0, 0.03), (0.3, 0.0, -0.03))
    assert reader.at(s.x_start)[0] == pytest.approx(belt(places, [0.0, tube, -tube, 0.0]), rel=1e-11)


# --- shortest ways ----------------------------------------------------------------------------------------------------

BALL = cd.SphereWrap(cd.Point("ground", (0.0, 0.0, 0.0)), 0.06)
EGG = cd.EllipsoidWrap(cd.Point("ground", (0.25, 0.01, 0.02)), (0.08, 0.05, 0.06))
ROD = cd.CylinderWrap(cd.Point("ground", (0.25, 0.01, 0.0)), 0.05, (0.2, 0.1, 1.0), side=(0, 1, 0))
RING = cd.TorusWrap(cd.Point("ground", (0.3, 0.05, 0.0)), 0.08, 0.02, (1.0, 0.3, 0.1))
ROWS = {
    "ball, egg": [BALL, EGG],
    "ball, rod": [BALL, ROD],
    "ball, ring": [BALL, RING],
    "egg": [EGG],
    "ring": [RING],
    "ball, egg, rod, all over their tops": [
        replace(BALL, side=(0, 1, 0)),
        replace(EGG, side=(0, 1, 0)),
        cd.CylinderWrap(cd.Point("ground", (0.45, 0.0, 0.0)), 0.04, (0, 0, 1), side=(0, 1, 0)),
    ],
}


def depth(wrap, x):
    """How far points are inside a surface, about [m], negative outside."""
    y = x - np.array(wrap.centre.at)
    if isinstance(wrap, cd.EllipsoidWrap):
        return (1.0 - np.linalg.norm(y / np.array(wrap.semi_axes), axis=1)) * min(wrap.semi_axes)
    if isinstance(wrap, cd.SphereWrap):
        return wrap.radius - np.linalg.norm(y, axis=1)
    axis = np.array(wrap.axis) / np.linalg.norm(wrap.axis)
    across = np.linalg.norm(y - np.outer(y @ axis, axis), axis=1)
    if isinstance(wrap, cd.TorusWrap):
        return wrap.tube_radius - np.hypot(across - wrap.ring_radius, y @ axis)
    return wrap.radius - across


@pytest.mark.parametrize("name", ROWS)
def test_no_way_beside_it_is_shorter(name):
    """The line that is drawn, bent a little at random and pushed out of the surfaces, only gets longer."""
    wraps = ROWS[name]
    first, second = np.array([-0.2, -0.06, 0.01]), np.array([0.6, -0.07, 0.04])
    reader, s, _ = over(wraps, first, second)
    length = reader.at(s.x_start)[0]
    line = PathLine(s.model["path"], s).at(s.x_start)
    assert np.linalg.norm(np.diff(line, axis=0), axis=1).sum() == pytest.approx(length, rel=1e-3)
    assert max(depth(w, line).max() for w in wraps) < 1e-9
    fine = np.concatenate([np.linspace(a, b, 9)[:-1] for a, b in itertools.pairwise(line)] + [line[-1:]])

    def stretched(move):
        bent = fine.copy()
        bent[1:-1] += move.reshape(-1, 3)
        inside = sum(np.sum(np.maximum(depth(w, bent), 0.0) ** 2) for w in wraps)
        return np.sqrt(np.sum(np.diff(bent, axis=0) ** 2, axis=1)).sum() + 1e4 * inside

    found = minimize(
        stretched, np.zeros(3 * (len(fine) - 2)), method="L-BFGS-B", options={"maxiter": 60, "maxfun": 10**6}
    )
    assert found.fun == pytest.approx(length, rel=1e-3)


EGGS = [  # first and last point, (centre, semi-axes) of ellipsoids in a row [m], length [m] of the shortest way
    (
        (-0.2, -0.021, 0.037),
        (0.6, -0.022, -0.042),
        [
            ((0.0, -0.026, 0.011), (0.063, 0.046, 0.083)),
            ((0.2, 0.022, -0.029), (0.082, 0.044, 0.084)),
            ((0.4, -0.004, -0.018), (0.072, 0.03, 0.06)),
        ],
        0.812501,
    ),
    (
        (-0.2, -0.006, -0.027),
        (0.6, -0.001, 0.051),
        [
            ((0.0, -0.027, -0.029), (0.048, 0.057, 0.046)),
            ((0.2, 0.011, -0.015), (0.045, 0.082, 0.04)),
            ((0.4, 0.0, 0.003), (0.034, 0.042, 0.071)),
        ],
        0.808819,
    ),
    (
        (-0.2, -0.049, 0.023),
        (0.6, 0.003, 0.003),
        [
            ((0.0, -0.019, -0.015), (0.061, 0.034, 0.065)),
            ((0.2, 0.012, 0.03), (0.084, 0.065, 0.045)),
            ((0.4, 0.005, 0.005), (0.084, 0.078, 0.05)),
        ],
        0.810043,
    ),
    (
        (-0.2, 0.018, 0.039),
        (0.4, 0.004, -0.055),
        [((0.0, 0.014, -0.002), (0.036, 0.064, 0.089)), ((0.2, -0.018, 0.027), (0.057, 0.082, 0.03))],
        0.621832,
    ),
    (
        (-0.2, -0.046, -0.016),
        (0.4, 0.021, 0.038),
        [((0.0, -0.002, -0.004), (0.071, 0.031, 0.059)), ((0.2, -0.003, -0.01), (0.03, 0.031, 0.059))],
        0.608711,
    ),
]


@pytest.mark.parametrize(("first", "last", "eggs", "length"), EGGS)
def test_the_way_over_ellipsoids_in_a_row_is_the_shortest_of_those_on_all_sides(first, last, eggs, length):
    """A search over strings of 80 points from 24 starts finds none shorter; ways on other sides are 1 to 11 mm longer.

    Told backwards, the length is the same.
    """
    for order in (1, -1):
        wraps = [cd.EllipsoidWrap(cd.Point("ground", at), semi) for at, semi in eggs][::order]
        reader, s, _ = over(wraps, *(first, last)[::order])
        assert reader.at(s.x_start)[0] == pytest.approx(length, abs=1e-6)
        line = PathLine(s.model["path"], s).at(s.x_start)
        assert max(depth(w, line).max() for w in wraps) < 1e-9


# --- derivatives ------------------------------------------------------------------------------------------------------


def moved(wrap, body):
    """The same surface on a body whose origin is its centre."""
    return replace(wrap, centre=cd.Point(body))


@pytest.mark.parametrize("name", ROWS)
def test_pulls_on_ends_and_surfaces_are_the_slope_of_the_length(name):
    bodies = [(f"b{k}", wrap.centre.at) for k, wrap in enumerate(ROWS[name])]
    wraps = [moved(wrap, body) for wrap, (body, _) in zip(ROWS[name], bodies, strict=True)]
    rng = np.random.default_rng(4)
    for _ in range(5):
        first, second = np.array([-0.2, -0.06, 0.01]), np.array([0.6, -0.07, 0.04])
        reader, s, _ = over(wraps, first + 0.02 * rng.normal(size=3), second + 0.02 * rng.normal(size=3), bodies)
        x, change = s.x_start, rng.normal(size=s.x_start.shape)
        slope = (reader.at(x + 1e-6 * change)[0] - reader.at(x - 1e-6 * change)[0]) / 2e-6
        assert -np.sum(reader.pull(x) * change) == pytest.approx(slope, rel=1e-6, abs=1e-7)
        assert np.abs(reader.pull(x).sum(axis=0)).max() < 10.0  # of positions and directors


def test_a_way_is_found_where_the_first_guess_slips_off():
    """Under the ball, over the rod: no geodesic of the egg between them is near the guess, it slides to another side."""
    rod = cd.CylinderWrap(cd.Point("ground", (0.45, 0.0, 0.0)), 0.04, (0, 0, 1), side=(0, 1, 0))
    reader, s, rows = over([BALL, EGG, rod], (-0.2, -0.06, 0.01), (0.6, -0.07, 0.04))
    change = np.zeros_like(s.x_start)
    change[rows] = ((0.3, -0.5, 0.2), (0.1, 0.4, -0.6))
    slope = (reader.at(s.x_start + 1e-6 * change)[0] - reader.at(s.x_start - 1e-6 * change)[0]) / 2e-6
    assert -np.sum(reader.pull(s.x_start) * change) == pytest.approx(slope, rel=1e-6)


def test_a_row_lets_surfaces_go_and_takes_them_up_without_a_jump():
    """The far end rises until the path lifts off the second disk, then off the first, and comes back on the same way."""
    wraps = [cd.CylinderWrap(cd.Point("ground", c), r, side=(0, 1)) for c, r in zip(C, R, strict=True)]
    reader, s, rows = over(wraps, P, S)
    x, heights = s.x_start.copy(), np.linspace(-0.3, 1.6, 1201)
    lengths, pulls = [], []
    for height in heights:
        x[rows[1]] = (0.55, height)
        lengths.append(reader.at(x)[0])
        pulls.append(-reader.pull(x)[rows[1], 1])
    assert np.isfinite(lengths).all() and np.abs(np.diff(pulls)).max() < 1e-2
    slope = np.gradient(lengths, heights)
    np.testing.assert_allclose(pulls[1:-1], slope[1:-1], atol=1e-3)
    assert lengths[-1] == pytest.approx(np.hypot(0.75, 1.7), rel=1e-12)  # straight at last
    one, two = belt([P, C[0], (0.55, 0.5)], [0.0, R[0], 0.0]), np.interp(0.5, heights, lengths)
    assert two == pytest.approx(one, rel=1e-5)  # over the first disk only


# --- in motion --------------------------------------------------------------------------------------------------------


def sling(dimension, damping=0.0):
    """A ligament from the ground over surfaces of two moving bodies to a mass."""
    m = cd.Model("sling", dimension=dimension, gravity=(0.0, -9.81, 0.0)[:dimension])

    def place(*p):
        return p[:dimension]

    inertia = 0.02 if dimension == 2 else (0.02, 0.03, 0.025)
    for name, x in (("one", 0.0), ("two", 0.3)):
        m.add(cd.RigidBody(name, 2.0, inertia=inertia, position=place(x, 0.0, 0.0)))
        m.add(cd.Spherical(f"{name} joint", m.ground, name, at=place(x, -0.05, 0.0)) if dimension == 3
              else cd.Pin(f"{name} joint", m.ground, name, at=place(x, -0.05)))  # fmt: skip
    m.add(cd.PointMass("load", 1.0, position=place(0.55, -0.2, 0.05)))
    if dimension == 2:
        wraps = [cd.CylinderWrap("one", 0.05, side=(0, 1)), cd.CylinderWrap("two", 0.08, side=(0, 1))]
    else:
        up = (0, 1, 0)
        wraps = [cd.SphereWrap("one", 0.05, side=up), cd.EllipsoidWrap("two", (0.08, 0.06, 0.07), side=up)]
    origin = cd.Point("ground", place(-0.2, -0.1, 0.0))
    m.add(cd.Ligament("cord", [origin, *wraps, "load"], 2000.0, reference_strain=0.01, damping=damping))
    return m


@pytest.mark.parametrize("dimension", [2, 3])
def test_energy_is_kept_by_an_elastic_path_over_surfaces_of_moving_bodies(dimension):
    run = cd.simulate(sling(dimension), end=0.1, dt=0.002)
    total = run.energy["total"]
    assert np.ptp(total) < 1e-9 * np.ptp(run.energy["kinetic"]) and np.ptp(run.energy["kinetic"]) > 0.1
    assert np.ptp(run.path("cord")["tension"]) > 10.0 and run.iterations.max() <= 6


def test_newton_s_method_is_quadratic_with_a_path_through_a_ring():
    m = cd.Model("ring", dimension=3, gravity=(0.0, 0.0, -9.81))
    m.add(cd.PointMass("load", 1.0, position=(0.2, 0.01, -0.2)))
    ring = cd.TorusWrap("ground", 0.1, 0.03, (0, 0, 1))
    m.add(cd.Ligament("cord", [cd.Point("ground", (0.22, 0.0, 0.2)), ring, "load"], 3000.0, reference_strain=0.005))
    run = cd.simulate(m, end=0.1, dt=0.002)
    assert np.ptp(run.energy["total"]) < 1e-9 and run.iterations.max() <= 5
    assert np.ptp(run.position("load")[:, 0]) > 0.01


# --- pictures and bad input -------------------------------------------------------------------------------------------


def test_rings_and_rows_are_drawn_and_written():
    _, s, _ = over([BALL, RING], (-0.2, -0.06, 0.01), (0.6, -0.07, 0.04))
    line = PathLine(s.model["path"], s)
    assert len(line.at(s.x_start)) == 2 + 2 * 25
    surfaces = line.surfaces(s.x_start)
    assert len(surfaces) == 3 + 4 + 8 and all(np.isfinite(part).all() for part in surfaces)
    assert max(abs(depth(RING, part)).max() for part in surfaces[3:]) < 1e-12


@pytest.mark.parametrize(
    ("wraps", "said"),
    [
        (lambda: [cd.TorusWrap("ground", 0.1, 0.1, (0, 0, 1))], "leaves no hole"),
        (lambda: [cd.TorusWrap("ground", 0.2, 0.05, (0, 0, 1))], "p lies inside the surface"),
        (lambda: [BALL, cd.CylinderWrap("ground", 0.01)], "CylinderWrap needs an axis"),
        (lambda: [BALL, cd.CylinderWrap("ground", 0.01, (1, 0, 0))], "on which side its path passes the CylinderWrap"),
    ],
)
def test_bad_surfaces_are_named(wraps, said):
    with pytest.raises(cd.InputError, match=said):
        over(wraps(), (-0.2, 0.0, 0.0), (0.6, 0.0, 0.0))


# --- geodesics --------------------------------------------------------------------------------------------------------


def test_geodesics_are_followed_to_ten_digits_over_half_a_turn():
    size, Q, T = np.full(3, 0.07), np.array([0.07, 0.0, 0.0]), np.array([0.0, 0.6, 0.8])
    follow(ELLIPSOID, size, Q, T, np.pi * 0.07)
    np.testing.assert_allclose(Q, (-0.07, 0.0, 0.0), atol=1e-10 * np.pi * 0.07)
    for kind, size, start in (
        (ELLIPSOID, (0.08, 0.05, 0.06), (0.08, 0.0, 0.0)),
        (TORUS, (0.1, 0.03, 0.0), (0.07, 0.0, 0.0)),
    ):
        size = np.array(size)
        whole, pieces = (
            (np.array(start), np.array([0.0, 0.3, 0.95394])),
            (np.array(start), np.array([0.0, 0.3, 0.95394])),
        )
        follow(kind, size, *whole, 0.12)
        for _ in range(8):
            follow(kind, size, *pieces, 0.12 / 8)
        np.testing.assert_allclose(whole, pieces, atol=1e-9)
        assert abs(normal_at(kind, size, whole[0], np.zeros(3))) < 1e-8


@pytest.mark.parametrize(
    "wrap",
    [
        cd.CylinderWrap(cd.Point("ground", (0.0, 0.0, 0.05)), 0.03, axis=(0, 1, 0), side=(0, 0, 1)),
        cd.EllipsoidWrap(cd.Point("ground", (0.0, 0.0, 0.05)), (0.03, 0.04, 0.03)),
    ],
    ids=["cylinder", "ellipsoid"],
)
def test_a_run_that_carries_a_point_into_a_surface_names_the_part_the_point_and_the_surface(wrap):
    model = cd.Model("arm", dimension=3)
    forearm = model.add(cd.RigidBody.box("forearm", size=(0.3, 0.03, 0.03), density=1000.0, position=(0.15, 0, 0)))
    model.add(cd.Revolute("elbow", model.ground, forearm, at=(0, 0, 0), axis=(0, 1, 0)))
    model.add(cd.Drive("flexion", "elbow.angle", motion=cd.Polynomial((0.0, -1.5))))
    path = [cd.Point("ground", (-0.2, 0, 0.05)), wrap, cd.Point("forearm", (-0.09, 0, 0))]
    model.add(cd.Ligament("biceps", path, 100.0, slack_length=0.2))
    with pytest.raises(
        cd.ConvergenceError, match=r"Ligament 'biceps': .*forearm.* inside its (Cylinder|Ellipsoid)Wrap"
    ):
        cd.simulate(model, end=1.5, dt=0.02)
