"""Supports taken out of the equations: the motion and the reactions are those of multipliers, and multigrid serves them."""

import numpy as np
import pytest

import condyle as cd
from condyle.system.compile import running
from condyle.system.linear import mesh_solver
from condyle.system.linear.lapack import DenseSolver
from condyle.system.linear.supports import SupportSolver, supported_nodes
from condyle.system.pattern import build_pattern

SOFT = cd.NeoHookean(1e6, 0.3, 1000.0)


def saddle(d, nodes, holds, seed=0):
    """A mesh-like matrix of `nodes` in a row, with multipliers that hold (node, direction); pattern and values."""
    rng = np.random.default_rng(seed)
    pairs = [(i, j) for i in range(nodes) for j in (i - 1, i, i + 1) if 0 <= j < nodes]
    pairs += [(nodes + k, i) for k, (i, _) in enumerate(holds)] + [(i, nodes + k) for k, (i, _) in enumerate(holds)]
    sizes = [d] * nodes + [1] * len(holds)
    offsets = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    n = int(np.sum(sizes))
    pattern = build_pattern(*np.array(pairs).T, offsets, sizes, n).pattern
    A = rng.normal(size=(n, n))
    A = A + A.T + 6 * d * np.eye(n)
    A[d * nodes :, d * nodes :] = 0.0
    for k, (i, direction) in enumerate(holds):
        unit = np.asarray(direction) / np.linalg.norm(direction)
        A[d * nodes + k, d * i : d * i + d] = unit
        A[d * i : d * i + d, d * nodes + k] = 0.5 * unit  # as between the ends of a step
    full = np.zeros((n, n))
    full[pattern.rows(), pattern.indices] = A[pattern.rows(), pattern.indices]
    return pattern, full


@pytest.mark.parametrize(
    ("d", "holds"),
    [
        (2, [(0, (1, 0)), (0, (0, -1)), (3, (0, 1))]),
        (2, [(0, (1, 1)), (2, (2, -1)), (2, (1, 0))]),
        (3, [(0, (1, 0, 0)), (1, (0, 0, 1)), (1, (1, 0, 0)), (4, (0, 1, 0))]),
        (3, [(0, (1, 2, 3)), (1, (0, 1, 1)), (1, (1, 0, 0)), (3, (1, 1, 0)), (3, (0, 1, 0)), (3, (0, 0, 2))]),
    ],
)
def test_supports_are_eliminated_exactly(d, holds):
    pattern, A = saddle(d, 5, holds)
    nodes = supported_nodes(pattern, 5 * d, d)
    solver = SupportSolver(
        pattern,
        nodes,
        d,
        lambda: np.ones((5 * d, 1)),
        lambda p, modes: DenseSolver(p),
        lambda: pytest.fail("not needed"),
    )
    b = np.random.default_rng(1).normal(size=(pattern.n, 2))
    solver.factor(A[pattern.rows(), pattern.indices])
    exact = np.linalg.solve(A, b)
    np.testing.assert_allclose(solver.solve(b), exact, rtol=1e-10, atol=1e-11)
    np.testing.assert_allclose(solver.solve(b[:, 0]), exact[:, 0], rtol=1e-10, atol=1e-11)
    assert (solver.inner.pattern.n, solver.name) == (5 * d, "dense")


def test_supports_that_depend_on_each_other_are_left_to_the_whole_solver():
    pattern, A = saddle(2, 4, [(0, (1, 1)), (0, (-1, -1))])
    A[-1, -1] = A[-2, -2] = -1e-3  # as regularised
    solver = SupportSolver(
        pattern, supported_nodes(pattern, 8, 2), 2, lambda: np.ones((8, 1)), lambda p, modes: DenseSolver(p),
        lambda: DenseSolver(pattern),
    )  # fmt: skip
    solver.factor(A[pattern.rows(), pattern.indices])
    b = np.arange(1.0, pattern.n + 1)
    np.testing.assert_allclose(solver.solve(b), np.linalg.solve(A, b), rtol=1e-9)
    coupled = build_pattern([0, 1, 2, 0, 2, 1], [0, 1, 0, 2, 1, 2], [0, 2, 4], [2, 2, 1], 5).pattern
    assert supported_nodes(coupled, 4, 2) is None
    assert not isinstance(mesh_solver(coupled, "auto", 4, lambda: np.ones((4, 1)), 2), SupportSolver)


def octant(oblique=False):
    """An eighth of a block between three planes of symmetry; oblique: all turned in space."""
    R = cd.rotation(axis=(1, 2, 3), angle=0.7) if oblique else np.eye(3)
    mesh = cd.Mesh.block((1, 1, 1), (5, 5, 5)).mapped(lambda X: X @ R.T)
    m = cd.Model("octant", dimension=3)
    body = m.add(cd.Solid.from_mesh("b", mesh, SOFT))
    for k, side in enumerate(("left", "bottom", "back")):
        m.add(cd.Hold(side, body, side, R[:, k]))
    m.add(cd.Traction("pull", body, "right", 2e5 * R[:, 0]))
    return m, body, R


@pytest.mark.parametrize("oblique", [False, True])
def test_multigrid_serves_planes_of_symmetry_and_reports_their_reactions(oblique):
    m, body, R = octant(oblique)
    system = running(m, solver="amg")
    eliminated = cd.solve_static(system, steps=1)
    assert system.solver.name == "amg"
    plain = cd.solve_static(m, steps=1, solver="dense")
    np.testing.assert_allclose(eliminated.fields(body).positions, plain.fields(body).positions, atol=1e-9)
    for k, side in enumerate(("left", "bottom", "back")):
        np.testing.assert_allclose(eliminated.reaction(side), plain.reaction(side), atol=1e-3)
        wanted = -2e5 * R[:, 0] if k == 0 else np.zeros(3)
        np.testing.assert_allclose(eliminated.reaction(side)[-1], wanted, atol=1e-3)
    assert eliminated.iterations[-1] == plain.iterations[-1]


@pytest.mark.parametrize("method", [cd.EnergyMomentum(), cd.GeneralizedAlpha()])
def test_a_moved_support_has_the_same_reaction_in_motion_with_and_without_its_multipliers(method):
    m = cd.Model("pulled", dimension=2)
    body = m.add(cd.Solid.block("b", (2, 1), (12, 8), SOFT))
    m.add(cd.Hold("wall", body, "left", (1, 0)))
    m.add(cd.Hold("floor", body, "bottom", (0, 1)))
    m.add(cd.Hold("pull", body, "right", (1, 0), displacement=cd.Ramp(0.0, 0.05, 0.0, 0.2)))
    runs = {}
    for kind in ("amg", "sparse"):
        system = running(m, solver=kind)
        runs[kind] = cd.simulate(system, end=0.03, dt=0.005, integrator=method)
        assert isinstance(system.solver, SupportSolver) == (kind == "amg")
    for side in ("wall", "floor", "pull"):
        force = runs["sparse"].reaction(side)
        np.testing.assert_allclose(runs["amg"].reaction(side), force, atol=1e-7 * np.abs(force).max())


def test_large_meshes_have_their_supports_taken_out_unasked():
    m = cd.Model("large", dimension=3)
    body = m.add(cd.Solid.block("b", (1, 1, 1), (10, 10, 10), SOFT))
    m.add(cd.Hold("left", body, "left", (1, 0, 0)))
    assert isinstance(running(m).solver, SupportSolver)
    assert not isinstance(running(m, solver="sparse").solver, SupportSolver)


# --- forces of ties that are built into the weights -----------------------------------------------------------------------


def hanging(enforcement, d=2, **options):
    """A block that hangs on a wall under its weight and a pull, in the plane with an arm at its end."""
    m = cd.Model("hanging", dimension=d, gravity=(0.0, -9.81, 0.0)[:d])
    body = m.add(cd.Solid.block("b", (2, 1, 1)[:d], (4, 2, 1)[:d], SOFT, **options))
    m.add(cd.Tie("wall", body, "left", m.ground, enforcement=enforcement))
    if d == 2:
        arm = m.add(cd.RigidBody("arm", 300.0, inertia=40.0, position=(2.5, 0.5)))
        m.add(cd.Tie("grip", body, "right", arm, enforcement=enforcement))
    m.add(cd.Traction("pull", body, "top", (2e3, 1e3, 0.0)[:d]))
    return m


@pytest.mark.parametrize("d", [2, 3])
def test_an_eliminated_tie_reports_the_force_of_its_multiplier_form_at_rest(d):
    runs = [cd.solve_static(hanging(e, d), steps=2) for e in ("eliminate", "multiplier")]
    for tie in ("wall", "grip")[: 4 - d]:
        force = runs[1].joint_force(tie)
        assert np.abs(force).max() > 1e3
        np.testing.assert_allclose(runs[0].joint_force(tie), force, atol=1e-6 * np.abs(force).max())
    np.testing.assert_allclose(runs[0].reaction("wall"), -runs[0].joint_force("wall"))
    # of the whole: weight of block and arm, and the pull
    total = np.array((2e3 * 2, 1e3 * 2 - 9.81 * (2000.0 + (300.0 if d == 2 else 0.0)), 0.0)[:d])
    np.testing.assert_allclose(runs[0].reaction("wall")[-1], -total, atol=1e-6 * np.abs(total).max())


# Rates of nodes on a body that turns are those of the body, or their own at the order of the method.
@pytest.mark.parametrize(
    ("method", "near"), [(cd.EnergyMomentum(), 1e-9), (cd.GeneralizedAlpha(), 1e-4), (cd.BDF(), 1e-4)]
)
def test_an_eliminated_tie_reports_the_force_of_its_multiplier_form_in_motion(method, near):
    runs = [
        cd.simulate(hanging(e), end=0.04, dt=0.01, integrator=method, start="as-given")
        for e in ("eliminate", "multiplier")
    ]
    np.testing.assert_allclose(runs[0].multiplier_times, runs[1].multiplier_times)
    for tie in ("wall", "grip"):
        force = runs[1].joint_force(tie)
        np.testing.assert_allclose(runs[0].joint_force(tie), force, atol=near * np.abs(force).max())
    np.testing.assert_allclose(runs[0][2:].joint_force("wall"), runs[0].joint_force("wall")[-len(runs[0][2:]) :])


def test_the_tie_of_a_plate_reports_its_force():
    steel = cd.StVenantKirchhoff(2e11, 0.3, 7800.0)
    m = cd.Model("plate", dimension=3, gravity=(0.0, 0.0, -9.81))
    p = m.add(cd.Plate.rectangle("p", (1.0, 0.5), (2, 1), steel, 0.01))
    m.add(cd.Tie("wall", p, "left", m.ground))
    result = cd.solve_static(m, steps=1)
    np.testing.assert_allclose(result.reaction("wall")[-1], (0.0, 0.0, 9.81 * 39.0), atol=1e-4)


def test_the_force_of_an_eliminated_tie_needs_every_step():
    m = hanging("eliminate")
    result = cd.simulate(m, end=0.04, dt=0.01, every=2)
    with pytest.raises(cd.InputError, match=r"Tie 'wall': .* not every step was recorded; simulate with every=1"):
        result.joint_force("wall")


def test_the_force_of_an_eliminated_tie_is_refused_where_inputs_changed_the_steps():
    m = hanging("eliminate")
    result = cd.simulate(m, end=0.02, dt=0.01, controllers=[lambda sim: {"pull": 5.0}])
    with pytest.raises(cd.InputError, match="does not come out again as it was recorded, as where a controller"):
        result.joint_force("wall")
