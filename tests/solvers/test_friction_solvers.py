"""Solvers of contact problems: matrices in, impulses out. Against closed forms, all cases tried out, and each other."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse as sp

import condyle as cd
from condyle.solvers import (
    FrictionProblem,
    solve_bounded,
    solve_box,
    solve_cone,
    solve_lcp,
    solve_polyhedral,
    solve_prox,
    solve_relaxed,
)
from condyle.solvers.interior import ConvexProblem
from condyle.solvers.problem import anisotropic


def random_problem(contacts: int, freedoms: int, mu: float, dimension: int = 3, seed: int = 0) -> FrictionProblem:
    """Contacts of a body of unit masses that moves at random: u = J Jᵀ p + J v."""
    rng = np.random.default_rng(seed)
    J = rng.normal(size=(dimension * contacts, freedoms))
    return FrictionProblem.coulomb(J @ J.T, J @ rng.normal(size=freedoms), mu, dimension)


def block(feet: np.ndarray, force: np.ndarray, mu: float, dt: float = 0.01) -> FrictionProblem:
    """A cube of 1 kg and 1 m that stands on `feet` (k, 3) below its centre, under a force [N] for a step."""
    J = np.zeros((3 * len(feet), 6))
    for k, foot in enumerate(feet):
        for row, axis in enumerate(((0, 0, 1), (1, 0, 0), (0, 1, 0))):
            J[3 * k + row] = (*axis, *np.cross(foot, axis))
    inverse = np.array([1.0, 1.0, 1.0, 6.0, 6.0, 6.0])
    return FrictionProblem.coulomb(J * inverse @ J.T, J @ np.concatenate((force * dt, np.zeros(3))), mu)


FEET = np.array([(x, y, -0.5) for x in (-0.5, 0.5) for y in (-0.5, 0.5)])


@pytest.mark.parametrize("solver", [solve_cone, solve_prox, lambda P: solve_polyhedral(P, directions=64)])
def test_a_particle_that_lands_keeps_what_friction_leaves(solver):
    P = FrictionProblem.coulomb(np.eye(3) / 2.0, [-2.0, 3.0, 0.0], 0.3)
    s = solver(P)
    assert s.converged
    assert np.allclose(s.impulses, [4.0, -1.2, 0.0], atol=1e-5)
    assert np.allclose(s.velocities, [0.0, 2.4, 0.0], atol=1e-5)


def by_trying_all(P: FrictionProblem) -> list[np.ndarray]:
    """All solutions in the plane: each contact open, sticking, or slipping to either side."""
    found = []
    c = P.normal.size
    W, q = P.dense, P.q
    for cases in itertools.product(("open", "stick", 1.0, -1.0), repeat=c):
        A, b = np.eye(2 * c), np.zeros(2 * c)
        for k, case in enumerate(cases):
            n, t = 2 * k, 2 * k + 1
            if case == "open":
                continue
            A[n], b[n] = W[n], -q[n]
            if case == "stick":
                A[t], b[t] = W[t], -q[t]
            else:
                A[t, n] = -case * P.mu[k]
        if abs(np.linalg.det(A)) > 1e-12:
            p = np.linalg.solve(A, b)
            if P.residual(p) < 1e-10:
                found.append(p)
    return found


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("mu", [0.0, 0.3, 1.5])
def test_the_exact_cone_in_the_plane_is_one_of_all_cases(seed, mu):
    P = random_problem(3, 8, mu, dimension=2, seed=seed)
    s = solve_cone(P)
    assert s.converged and s.residual < 1e-10
    assert min(np.abs(s.impulses - p).max() for p in by_trying_all(P)) < 1e-8


@pytest.mark.parametrize(
    "contacts, freedoms, mu",
    [*itertools.product([1, 4, 10, 30], [100], [0.0, 0.3, 1.0, 5.0]), (10, 100, 1e3), *itertools.product([4], [6], [0.3, 1e3]),
     *itertools.product([10, 30], [40], [0.0, 0.3, 1.0])],
)  # fmt: skip
def test_the_exact_cone_is_met_to_rounding(contacts, freedoms, mu):
    """Also with more rows than can move; strong friction then need not have a solution."""
    for seed in range(3):
        P = random_problem(contacts, freedoms, mu, seed=seed)
        s = solve_cone(P)
        assert s.converged and s.residual < 1e-10, s
        size = max(np.abs(s.impulses).max(), 1e-300)
        assert P.cone_margin(s.impulses).min() > -1e-8 * size
        assert s.velocities[P.normal].min() > -1e-8 * np.abs(P.q).max()
        assert s.impulses @ P.W @ s.impulses / 2 + s.impulses @ P.q <= 1e-9  # friction and contact take energy out


def test_a_block_below_the_angle_of_friction_sticks_and_above_it_slides_with_what_is_left():
    for angle, sticks in ((0.2, True), (0.5, False)):
        g = 9.81 * np.array([np.sin(angle), 0.0, -np.cos(angle)])
        P = block(FEET, g, 0.3)
        s = solve_cone(P)
        assert s.converged
        u = s.velocities.reshape(-1, 3)
        p = s.impulses.reshape(-1, 3)
        assert np.allclose(p[:, 0].sum(), 0.01 * 9.81 * np.cos(angle))
        assert np.allclose(u[:, 0], 0.0, atol=1e-12)
        slides = 0.0 if sticks else 0.01 * 9.81 * (np.sin(angle) - 0.3 * np.cos(angle))
        assert np.allclose(u[:, 1], slides, atol=1e-11)


def test_redundant_feet_and_huge_friction_are_no_trouble():
    P = block(np.concatenate((FEET, FEET, 0.5 * FEET + [0, 0, -0.25])), np.array([3.0, 1.0, -9.81]), 1e4)
    s = solve_cone(P)
    assert s.converged
    assert np.abs(s.velocities).max() < 1e-10


@pytest.mark.parametrize("contacts, freedoms", [(3, 10), (12, 8), (40, 30), (100, 40)])
def test_without_friction_all_solvers_find_the_one_velocity(contacts, freedoms):
    """Of more contacts than can move, too: of 12 with 8 freedoms sweeps and Newton's method alone leave 4e-4."""
    P = random_problem(contacts, freedoms, 0.0, seed=contacts)
    exact = solve_cone(P)
    others = [solve_polyhedral(P), solve_relaxed(P, most=20000, tolerance=1e-12)]
    if contacts < 100:  # pivots of blocks and projections do not end on more than twice as many as can move
        others += [solve_box(P), solve_prox(P, most=50000, tolerance=1e-8)]
    for s in (exact, *others):
        assert s.converged and np.abs(s.velocities - exact.velocities).max() < 1e-5 * np.abs(P.q).max()
        assert np.abs(np.delete(s.impulses, P.normal)).max() < 1e-12


def test_units_do_not_matter():
    P = random_problem(8, 14, 0.4, seed=3)
    one = solve_cone(P)
    for mass, speed in ((1e-6, 1e3), (1e6, 1e-3)):
        other = solve_cone(FrictionProblem.coulomb(P.W / mass, P.q * speed, 0.4))
        assert other.converged
        assert np.allclose(other.impulses, one.impulses * mass * speed, rtol=1e-6, atol=1e-8 * mass * speed)


def towers(contacts: int) -> FrictionProblem:
    """Unit masses on each other in towers of ten, which fall for 0.01 s and are pushed aside at random."""
    k = np.arange(contacts)
    on = k[k % 10 > 0]
    steps = sp.csr_array((np.ones(contacts), (k, k))) - sp.csr_array(
        (np.ones(on.size), (on, on - 1)), (contacts, contacts)
    )
    J, v = sp.csr_array(sp.kron(steps, np.eye(3))), np.zeros(3 * contacts)
    v[0::3], v[1::3] = -0.0981, 0.02 * np.random.default_rng(0).normal(size=contacts)
    return FrictionProblem.coulomb(J @ J.T, J @ v, 0.3)


@pytest.mark.parametrize("contacts", [1, 10, 100, 1000])
def test_from_one_to_a_thousand_contacts_are_solved(contacts):
    P = towers(contacts)
    s = solve_cone(P)
    assert s.converged and s.residual < 1e-10 and P.cone_margin(s.impulses).min() > -1e-12
    whole = np.add.reduceat(s.impulses[0::3], np.arange(0, contacts, 10))[0]
    high = min(contacts, 10)
    assert whole == pytest.approx(0.0981 * high * (high + 1) / 2, rel=1e-9)  # each bears all above it


def test_sparse_and_dense_matrices_give_the_same():
    for contacts, freedoms in ((10, 20), (150, 500)):
        P = random_problem(contacts, freedoms, 0.4, seed=2)
        sparse = FrictionProblem.coulomb(sp.csr_array(P.W), P.q, 0.4)
        a, b = solve_cone(P), solve_cone(sparse)
        assert a.converged and b.converged
        assert np.allclose(a.impulses, b.impulses, atol=1e-8 * np.abs(a.impulses).max())


def swept_by_hand(P, sweeps, rule):
    """Projections in plain loops; ζ of each sweep, and the impulses after it."""
    p, zeta, last, used = np.zeros(P.size), 0.4, np.inf, []
    for k in range(sweeps):
        used.append(zeta)
        z = p - zeta * P.factors * (P.W @ p + P.q)
        new = z.copy()
        for i in range(P.size // 3):
            new[3 * i] = max(z[3 * i], 0.0)
            bound, length = P.mu[i] * new[3 * i], np.linalg.norm(z[3 * i + 1 : 3 * i + 3])
            if length > bound:
                new[3 * i + 1 : 3 * i + 3] *= bound / length
        change = np.linalg.norm(new - p) / zeta
        zeta = rule(zeta, k + 1, change > last)
        p, last = new, change
    return p, used


@pytest.mark.parametrize(
    ("options", "rule"),
    [
        ({}, lambda zeta, k, grows: 0.4),
        ({"decay": 0.9}, lambda zeta, k, grows: 0.4 * 0.9**k),
        ({"adaptive": True}, lambda zeta, k, grows: max(0.5 * zeta, 4e-5) if grows else min(1.05 * zeta, 1.6)),
    ],
    ids=["fixed", "as published", "adaptive"],
)
def test_steps_of_projections_follow_their_rule(options, rule):
    """hewlett-2020, 6.5: ζ = a ζ₀^k in sweep k; ours grows while it helps and is halved where it does not."""
    P = random_problem(6, 9, 0.4, seed=3)
    for sweeps in (1, 2, 5, 12):
        wanted, used = swept_by_hand(P, sweeps, rule)
        assert np.allclose(
            solve_prox(P, most=sweeps, tolerance=1e-15, **options).impulses, wanted, rtol=1e-10, atol=1e-13
        )
    assert len(set(used)) == (1 if not options else sweeps)


@pytest.mark.parametrize("seed", [2, 3, 4, 5])
def test_steps_that_adapt_solve_what_steps_that_shrink_do_not(seed):
    """With ζ = 4 projections diverge, unless steps adapt; with ζ₀ = 0.5 and a = 0.01 all steps together are 0.02 long."""
    P = random_problem(6, 9, 0.4, seed=seed)
    exact = solve_cone(P)
    assert np.count_nonzero(exact.impulses) > 3
    assert not solve_prox(P, zeta=4.0, most=200).converged
    adaptive = solve_prox(P, zeta=4.0, adaptive=True, most=5000, tolerance=1e-10)
    assert adaptive.converged and np.allclose(adaptive.velocities, exact.velocities, atol=1e-6)
    shrinking = solve_prox(P, decay=0.999, most=5000, tolerance=1e-8)
    assert shrinking.converged and np.allclose(shrinking.velocities, exact.velocities, atol=1e-5)
    stopped = solve_prox(P, zeta=0.01, decay=0.5, most=200, tolerance=1e-8)
    assert not stopped.converged and "sweeps" in stopped.message and stopped.residual > 0.1


def test_a_warm_start_takes_fewer_sweeps():
    P = random_problem(20, 40, 0.5, seed=5)
    cold = solve_cone(P)
    warm = solve_cone(FrictionProblem.coulomb(P.W, 1.001 * P.q, 0.5), start=cold.impulses)
    assert warm.converged and solve_cone(P, start=cold.impulses).iterations == 0


@pytest.mark.parametrize("seed", range(4))
def test_projections_and_many_facets_agree_with_the_exact_cone(seed):
    P = random_problem(4, 20, 0.3, seed=seed)
    exact = solve_cone(P).velocities
    assert np.allclose(solve_prox(P, adaptive=True, most=5000, tolerance=1e-10).velocities, exact, atol=1e-7)
    errors = [np.abs(solve_polyhedral(P, directions=k).velocities - exact).max() for k in (8, 64)]
    assert errors[1] < 0.1 and errors[1] <= errors[0] + 1e-12


def test_a_cone_with_facets_is_inside_the_cone_by_at_most_its_corners():
    for angle in np.linspace(0.0, 1.5, 7):
        P = FrictionProblem.coulomb(np.eye(3), [-1.0, 10 * np.cos(angle), 10 * np.sin(angle)], 0.5)
        friction = np.linalg.norm(solve_polyhedral(P).impulses[1:])
        assert 0.5 * np.cos(np.pi / 8) - 1e-12 <= friction <= 0.5 + 1e-12


def test_box_friction_is_exact_along_its_axes_and_too_strong_between_them():
    along = FrictionProblem.coulomb(np.eye(3), [-1.0, 10.0, 0.0], 0.5)
    across = FrictionProblem.coulomb(np.eye(3), [-1.0, 10.0, 10.0], 0.5)
    assert np.allclose(solve_box(along).impulses, [1.0, -0.5, 0.0])
    assert np.allclose(solve_box(across).impulses, [1.0, -0.5, -0.5])  # √2 of the cone
    assert solve_box(across).residual > 0.01 > 1e-12 > solve_box(along).residual


def test_the_convex_relative_of_the_cone_lifts_off_what_slips():
    P = FrictionProblem.coulomb(np.eye(3), [-1.0, 10.0, 0.0], 0.5)
    s = solve_relaxed(P)
    assert s.converged and np.isclose(s.velocities[0], 0.5 * s.velocities[1])
    sticks = FrictionProblem.coulomb(np.eye(3), [-1.0, 0.2, 0.1], 0.5)
    assert np.allclose(solve_relaxed(sticks).impulses, solve_cone(sticks).impulses, atol=1e-9)
    exact = solve_cone(P)
    again = solve_relaxed(P, lift=0.5 * abs(exact.velocities[1]))
    assert np.allclose(again.impulses, exact.impulses, atol=1e-8)


def test_compliant_box_friction_creeps_by_its_compliance():
    P = block(FEET, np.array([1.0, 0.0, -9.81]), 0.5)
    s = solve_box(P, compliance=1e-3, passes=5)
    assert s.converged
    assert np.allclose(s.velocities[1::3], -1e-3 * s.impulses[1::3])


def test_rolling_and_spinning_resistance_are_disks_of_their_own():
    # A ball of 1 kg and radius 1 m, inertia 0.4: rows across, along, roll (2), spin; it spins at 5 rad/s and rolls.
    J = np.array([(0, 0, 1, 0, 0, 0), (1, 0, 0, 0, -1, 0), (0, 1, 0, 1, 0, 0), (0, 0, 0, 1, 0, 0), (0, 0, 0, 0, 1, 0),
                  (0, 0, 0, 0, 0, 1)], dtype=float)  # fmt: skip
    W = J * np.array([1, 1, 1, 2.5, 2.5, 2.5]) @ J.T
    q = J @ np.array([2.0, 0, -0.1, 0, 2.0, 5.0])
    P = FrictionProblem(W, q, [0], [[1, 2], [3, 4], [5]], [0, 0, 0], [1.0, 0.01, 0.02])
    s = solve_cone(P)
    assert s.converged
    p = s.impulses
    assert np.isclose(p[0], 0.1)
    assert np.allclose(s.velocities[1:3], 0.0, atol=1e-10)  # it rolls on
    assert np.isclose(np.hypot(p[3], p[4]), 0.01 * 0.1) and p[4] < 0
    assert np.isclose(p[5], -0.02 * 0.1)
    three = FrictionProblem(W, q, [0], [[1, 2], [3, 4, 5]], [0, 0], [1.0, 0.01])
    assert solve_cone(three).converged


def test_rows_of_no_contact_are_joints():
    P = random_problem(6, 12, 0.4, seed=8)
    disks = [d for k, d in enumerate(P.disks) if k < 4]
    mixed = FrictionProblem(P.W, P.q, P.normal[:4], disks, np.arange(4), np.full(4, 0.4))
    s = solve_cone(mixed)
    assert s.converged and np.abs(s.velocities[12:]).max() < 1e-10
    assert solve_polyhedral(mixed, directions=32).velocities[12:] == pytest.approx(np.zeros(6), abs=1e-9)


def test_friction_that_is_not_the_same_in_all_directions():
    P, scale = anisotropic(np.eye(3), [-1.0, 3.0, 3.0], [(0.2, 0.6)])
    p = scale * solve_cone(P).impulses
    assert np.isclose((p[1] / 0.2) ** 2 + (p[2] / 0.6) ** 2, 1.0)
    u = np.array([3.0, 3.0]) + p[1:]
    assert np.isclose(u[0] * p[2] / 0.36, u[1] * p[1] / 0.04)  # the slip is square to the ellipse


@pytest.mark.parametrize("seed", range(10))
def test_bounded_problems_agree_with_all_cases(seed):
    rng = np.random.default_rng(seed)
    n = 5
    L = rng.normal(size=(n, n))
    A, b = L @ L.T + 0.1 * np.eye(n), 3 * rng.normal(size=n)
    low, high = -rng.random(n), rng.random(n)
    low[0], high[1] = -np.inf, np.inf
    s = solve_bounded(A, b, low, high)
    assert s.converged
    middle = (s.z > low + 1e-9) & (s.z < high - 1e-9)
    assert np.allclose((A @ s.z + b)[middle], 0.0, atol=1e-9)
    assert (s.w[np.isclose(s.z, low)] > -1e-9).all() and (s.w[np.isclose(s.z, high)] < 1e-9).all()
    assert (s.z >= low - 1e-12).all() and (s.z <= high + 1e-12).all()


def test_a_degenerate_complementarity_problem_ends():
    # Murty's cube makes 2ⁿ pivots of a plain rule; ties everywhere, and a problem without a solution.
    n = 8
    M = np.tril(2.0 * np.ones((n, n)), -1) + np.eye(n)
    s = solve_lcp(M, -np.ones(n))
    assert not s.message and np.allclose(np.minimum(s.z, s.w), 0.0, atol=1e-12)
    ties = solve_lcp(np.kron(np.eye(3), [[1.0, 1.0], [1.0, 1.0]]), -np.ones(6))
    assert not ties.message and np.allclose(np.minimum(ties.z, ties.w), 0.0, atol=1e-12)
    assert "ray" in solve_lcp(np.array([[0.0, -1.0], [-1.0, 0.0]]), np.array([-1.0, -1.0])).message


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("mu", [0.0, 0.3, 2.0, [0.0, 0.7, 1.5, 0.2, 0.0]])
def test_the_interior_method_finds_the_convex_solution_with_joints_and_without_friction(dimension, mu):
    rng = np.random.default_rng(3)
    contacts, free = 5, 2  # rows of joints stand behind those of contacts
    J, v = rng.normal(size=(dimension * contacts + free, 8)), rng.normal(size=8)
    first = dimension * np.arange(contacts)
    disks = [list(range(f + 1, f + dimension)) for f in first]
    P = FrictionProblem(J @ J.T, J @ v, first, disks, np.arange(contacts), np.broadcast_to(mu, contacts))
    lift = rng.random(contacts)
    p, count = ConvexProblem(P).solve(lift)
    u = P.velocities(p)
    u[first] += lift
    # Twice as many rows as can move: the last digits depend on how sums are rounded.
    near = 1e-9 * np.abs(P.q).max() * max(1.0, np.abs(p).max())
    assert count < 30 and np.abs(u[P.joints]).max() < near
    for k, (n, disk) in enumerate(zip(first, disks, strict=True)):
        rub, slip = np.linalg.norm(p[disk]), np.linalg.norm(u[disk])
        assert rub <= P.mu[k] * p[n] + near and P.mu[k] * slip <= u[n] + near
        assert abs(p[n] * u[n] + p[disk] @ u[disk]) < near
    reference = solve_relaxed(P, lift=lift, most=20000, tolerance=1e-13)
    assert P.velocities(p) == pytest.approx(reference.velocities, abs=1e-6)


def test_impulses_that_are_no_numbers_are_no_solution():
    assert random_problem(2, 6, 0.3).residual(np.full(6, np.nan)) == np.inf


def resting_cable(moved):
    """Seven points of a straight element with four functions on a slope of 10°: more contacts than can be told apart."""
    places, _ = np.polynomial.legendre.leggauss(7)
    s = 0.5 * (places + 1.0)
    N = np.array([1 - 3 * s**2 + 2 * s**3, s - 2 * s**2 + s**3, 3 * s**2 - 2 * s**3, s**3 - s**2]).T
    along = 2000.0 * np.array([[156, 22, 54, -13], [22, 4, 13, -3], [54, 13, 156, -22], [-13, -3, -22, 4]]) / 420.0
    stiff = 5e4 * np.array([[12, 6, -12, 6], [6, 4, -6, 2], [-12, -6, 12, -6], [6, 2, -6, 4]])
    across = N @ np.linalg.inv(along + stiff) @ N.T
    W, q = np.zeros((21, 21)), np.zeros(21)
    W[0::3, 0::3], W[1::3, 1::3], W[2::3, 2::3] = across, N @ np.linalg.inv(along + 1e3 * stiff) @ N.T, across
    q[0::3], q[1::3] = -0.0966 * (1.0 + moved), 0.01703 * (1.0 + moved)
    return FrictionProblem.coulomb(W, q, 1.0)


def test_a_cone_with_facets_is_solved_whatever_round_off_makes_of_its_ties():
    # Pivots on round-off had left impulses where contacts open, and called that solved.
    for k in range(60):
        problem = resting_cable(1e-13 * k)
        s = solve_polyhedral(problem)
        assert s.converged and s.residual < 1e-9
        assert np.abs(s.velocities).max() < 1e-10, "it sticks"
        assert s.impulses[0::3].sum() == pytest.approx(0.0966 * 2000.0, rel=1e-9)


def test_what_does_not_converge_says_so_with_its_residual():
    P = random_problem(10, 12, 5.0)
    s = solve_prox(P, zeta=0.4, most=20)
    assert not s.converged and s.residual > 1e-6 and "sweeps" in s.message
    s = solve_cone(P, tolerance=0.0, most=30)
    assert not s.converged and "is left" in s.message


@pytest.mark.parametrize(
    "words, make",
    [
        ("must not be negative", lambda: FrictionProblem.coulomb(np.eye(3), np.zeros(3), -0.1)),
        ("whole number of contacts", lambda: FrictionProblem.coulomb(np.eye(4), np.zeros(4), 0.1)),
        ("W must be", lambda: FrictionProblem.coulomb(np.eye(4), np.zeros(3), 0.1)),
        ("every row has one meaning", lambda: FrictionProblem(np.eye(3), np.zeros(3), [0], [[0, 1]], [0], [0.1])),
        ("numbered from 0 to 2", lambda: FrictionProblem(np.eye(3), np.zeros(3), [0], [[1, 3]], [0], [0.1])),
        ("one of each", lambda: FrictionProblem(np.eye(3), np.zeros(3), [0], [[1, 2]], [0], [0.1, 0.2])),
        ("finite", lambda: FrictionProblem.coulomb(np.eye(3), [0.0, np.nan, 0.0], 0.1)),
        ("even number", lambda: solve_polyhedral(random_problem(1, 3, 0.1), directions=5)),
        ("must be positive", lambda: solve_prox(random_problem(1, 3, 0.1), zeta=0.0)),
        ("at most 1", lambda: solve_prox(random_problem(1, 3, 0.1), decay=1.1)),
        ("1 with adaptive", lambda: solve_prox(random_problem(1, 3, 0.1), decay=0.9, adaptive=True)),
        ("above the upper", lambda: solve_bounded(np.eye(1), [0.0], [1.0], [0.0])),
        ("two positive coefficients", lambda: anisotropic(np.eye(3), np.zeros(3), [(0.1, 0.0)])),
    ],
)
def test_bad_input_is_named(words, make):
    with pytest.raises(cd.InputError, match=words):
        make()
