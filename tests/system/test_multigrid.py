"""Multigrid solves large meshes, in few iterations whatever their size and units, and hands over what it cannot solve."""

import numpy as np
import pytest

import condyle as cd
from condyle.analysis.stability import unstable_directions
from condyle.system import assembly
from condyle.system.compile import running
from condyle.system.linear import bordered_solver, coarsening, hierarchy, matvec
from condyle.system.pattern import build_pattern


def elastic_block(cells, element="hex8", size=(1.0, 1.0, 1.0), scale=1.0, young=100.0):
    m = cd.Model("block", dimension=3)
    lengths = tuple(scale * s for s in size)
    block = m.add(cd.Solid.block("block", lengths, cells, cd.NeoHookean(young, 0.3, 1.0), element=element))
    m.add(cd.Tie("wall", block, "left", m.ground))
    return m


def stiffness_of(m, kind, stretch=(1.1, 0.97, 0.97)):
    """A system in its strained start, its stiffness matrix in its solver, and that matrix."""
    system = running(m, solver=kind)
    x = system.x_start.copy()
    x[system.moving] *= stretch
    still = np.zeros_like(x)
    assembly.assemble(
        system.whole, (x, x, x, still, still, system.x_start), (still, system.amplitudes(0.0), system.targets(0.0, 0.0)),
        (np.zeros(len(system.multipliers)), *system.stiffness(1.0)), assembly.END, assembly.END, (0.0, 1.0, 0.0),
        (assembly.NO_MAP, assembly.NO_MAP), True, system.scratch,
    )  # fmt: skip
    system.solver.factor(system.scratch.A)
    return system


@pytest.mark.parametrize("element", ["hex8", "tet10"])
def test_iterations_of_multigrid_do_not_grow_with_the_mesh(element):
    counts = []
    for cells in ((7, 7, 7), (15, 15, 15)) if element == "hex8" else ((3, 3, 3), (6, 6, 6)):
        system = stiffness_of(elastic_block(cells, element), "amg")
        x = system.solver.solve(np.ones(system.unknowns))
        left = matvec(system.pattern, system.scratch.A, x) - 1.0
        assert np.linalg.norm(left) < 2e-11 * np.sqrt(system.unknowns)
        assert system.solver.used == "amg"
        counts.append(system.solver.iterations)
    assert counts[1] <= counts[0] + 8
    assert counts[1] < (30 if element == "hex8" else 40)


def test_multigrid_takes_as_many_iterations_in_millimetres_and_with_a_stiffer_material():
    counts = []
    for scale, young in ((1.0, 100.0), (1000.0, 100.0), (1e-3, 1e12)):
        system = stiffness_of(elastic_block((6, 6, 6), scale=scale, young=young), "amg")
        system.solver.solve(np.ones(system.unknowns))
        counts.append(system.solver.iterations)
    assert max(counts) - min(counts) <= 1


def test_multigrid_gives_the_same_bits_in_one_thread_and_in_several(monkeypatch):
    monkeypatch.setattr(hierarchy, "DOMAIN", 2_000)
    monkeypatch.setattr(hierarchy, "MANY", 1_000)
    monkeypatch.setattr(coarsening, "MANY", 100)
    found = []
    for count in (1, 2):
        monkeypatch.setattr(hierarchy, "threads", lambda count=count: count)
        system = stiffness_of(elastic_block((8, 8, 8)), "amg")
        assert len(system.solver.mesh._domains) > 1
        found.append(system.solver.solve(np.ones(system.unknowns)))
    np.testing.assert_array_equal(found[0], found[1])


def test_multigrid_serves_matrices_that_are_not_symmetric():
    system = stiffness_of(elastic_block((8, 8, 8)), "amg")
    values, rng = system.scratch.A.copy(), np.random.default_rng(1)
    values *= 1.0 + 0.02 * rng.uniform(-1.0, 1.0, len(values))
    system.solver.factor(values)
    b = rng.uniform(-1.0, 1.0, system.unknowns)
    x = system.solver.solve(b)
    assert system.solver.used == "amg"
    assert np.linalg.norm(matvec(system.pattern, values, x) - b) < 2e-11 * np.linalg.norm(b)


def test_multigrid_hands_a_matrix_over_that_it_cannot_solve_and_says_so():
    system = stiffness_of(elastic_block((7, 7, 7)), "amg")
    values = system.scratch.A.copy()
    diagonal = np.flatnonzero(system.pattern.rows() == system.pattern.indices)
    values[diagonal[5]] *= -1.0  # no longer positive definite
    system.solver.factor(values)
    b = np.ones(system.unknowns)
    assert np.linalg.norm(matvec(system.pattern, values, system.solver.solve(b)) - b) < 1e-8
    assert system.solver.used.endswith("for amg did not get on")


def test_a_large_mesh_is_solved_by_multigrid_without_being_asked():
    assert running(elastic_block((13, 14, 13))).solver.name == "amg"


def test_multigrid_solves_a_mesh_as_the_direct_solver_does():
    m = cd.Model("block", dimension=3)
    block = m.add(cd.Solid.block("block", (1, 1, 1), (5, 5, 5), cd.NeoHookean(100.0, 0.3, 1.0)))
    m.add(cd.Tie("wall", block, "left", m.ground))
    m.add(cd.Traction("pull", block, "right", (0.0, 3.0, 0.0)))
    direct, amg = (cd.solve_static(m, steps=1, solver=kind) for kind in ("auto", "amg"))
    np.testing.assert_allclose(amg.state(-1).x, direct.state(-1).x, atol=1e-9)
    assert amg.iterations[-1] <= direct.iterations[-1] + 1
    moving = [cd.simulate(m, end=0.1, dt=0.05, solver=kind) for kind in ("auto", "amg")]  # unsymmetric: GMRES
    np.testing.assert_allclose(moving[1].state(-1).x, moving[0].state(-1).x, atol=1e-9)


def with_a_border(cells, joint):
    """A block with a weight on its end, by a tie or by a ball joint; with the joint, multipliers hold the block, too."""
    m = cd.Model("border", dimension=3, gravity=(0.0, 0.0, -9.81))
    block = m.add(cd.Solid.block("block", (1, 1, 1), (cells,) * 3, cd.NeoHookean(1e5, 0.3, 100.0)))
    m.add(cd.Tie("wall", block, "left", m.ground, enforcement="multiplier" if joint == "ball" else "eliminate"))
    weight = m.add(cd.RigidBody("weight", 20.0, inertia=(1.0, 1.0, 1.0), position=(1.0, 1.0, 1.0)))
    if joint == "ball":
        m.add(cd.Spherical("joint", weight, block.point(len(block.nodes) - 1)))
    else:
        m.add(cd.Tie("cap", block, "right", weight))
    return m


@pytest.mark.parametrize("joint", ["tie", "ball"])
@pytest.mark.parametrize("method", [cd.EnergyMomentum(), cd.GeneralizedAlpha()])
def test_multigrid_serves_meshes_with_rigid_bodies_and_joints(joint, method):
    m = with_a_border(6, joint)
    runs = [cd.simulate(m, end=0.02, dt=0.005, integrator=method, solver=kind) for kind in ("amg", "sparse")]
    assert runs[0].linear_solver == "amg"
    np.testing.assert_allclose(runs[0].state(-1).x, runs[1].state(-1).x, atol=1e-9)
    np.testing.assert_array_equal(runs[0].iterations, runs[1].iterations)
    if joint == "ball":
        force = runs[1].joint_force("joint")
        np.testing.assert_allclose(runs[0].joint_force("joint"), force, atol=1e-6 * np.abs(force).max())


def test_multigrid_serves_a_mesh_in_contact():
    m = cd.Model("press", dimension=3)
    block = m.add(cd.Solid.block("block", (1.0, 1.0, 0.5), (8, 8, 4), cd.NeoHookean(1e6, 0.3, 1.0)))
    m.add(cd.Tie("base", block, "back", m.ground))
    die = m.add(cd.RigidBody("die", 1.0, inertia=(1, 1, 1), position=(0.5, 0.5, 1.49)))
    m.add(cd.Fixed("hold", m.ground, die, at=(0.5, 0.5, 1.49)))
    m.add(cd.Contact("contact", block, "front", die, cd.Ellipsoid((1.5, 1.2, 1.0))))
    amg, direct = (cd.solve_static(m, steps=1, solver=kind) for kind in ("amg", "sparse"))
    assert amg.linear_solver == "amg"
    assert amg.iterations[-1] == direct.iterations[-1]
    np.testing.assert_allclose(amg.state(-1).x, direct.state(-1).x, atol=1e-11)
    force = direct.joint_force("hold")[-1]
    assert force[2] < -100.0  # it presses
    np.testing.assert_allclose(amg.joint_force("hold")[-1], force, rtol=1e-7, atol=1e-6)


@pytest.mark.parametrize("most", [0, 10_000])
def test_a_tie_of_many_nodes_by_multipliers_is_solved_iteratively_as_directly(most, monkeypatch):
    """The other unknowns by a sparse matrix (most = 0) and by a full one."""
    from condyle.system.linear import bordered

    monkeypatch.setattr(bordered, "MOST_FULL", most)
    m = cd.Model("two", dimension=3)
    left, right = (
        m.add(cd.Solid.block(name, (1, 1, 1), (k, k, k), cd.NeoHookean(1e6, 0.3, 1.0), origin=(at, 0, 0)))
        for name, k, at in (("left", 5, 0.0), ("right", 4, 1.0))
    )
    m.add(cd.Tie("wall", left, "left", m.ground))
    m.add(cd.Tie("glue", right, "left", left, enforcement="multiplier"))
    m.add(cd.Traction("pull", right, "right", (0.0, 0.0, 1e3)))
    amg, direct = (cd.solve_static(m, steps=1, solver=kind) for kind in ("amg", "sparse"))
    assert (amg.linear_solver, direct.linear_solver) == ("amg", "sparse")
    np.testing.assert_array_equal(amg.iterations, direct.iterations)
    np.testing.assert_allclose(amg.state(-1).x, direct.state(-1).x, atol=1e-10)
    force = direct.state(-1).multipliers
    np.testing.assert_allclose(amg.state(-1).multipliers, force, atol=1e-7 * np.abs(force).max())


def test_multigrid_is_refused_where_there_is_no_mesh():
    pattern = build_pattern([0], [1], [0, 2], [2, 1], 3).pattern
    with pytest.raises(cd.InputError, match="'amg' is for meshes"):
        bordered_solver(pattern, "amg", np.zeros(0, dtype=np.int64), lambda: np.zeros((3, 6)), 3)


def slender_bar(held="tie", cells=(20, 2, 2)):
    m = cd.Model("bar", dimension=3)
    bar = m.add(cd.Solid.block("bar", (10, 1, 1), cells, cd.NeoHookean(1e6, 0.3, 1.0)))
    if held == "tie":
        m.add(cd.Tie("wall", bar, "left", m.ground))
    for k in range(3) if held == "holds" else ():
        m.add(cd.Hold(f"wall {k}", bar, "left", np.eye(3)[k]))  # multipliers, which are taken out before
    return m


@pytest.mark.parametrize("coarsest", [600, 60], ids=["one level", "two levels"])
@pytest.mark.parametrize("held", ["tie", "holds"])
@pytest.mark.parametrize("stretch", [1.02, 0.998, 0.994, 0.992, 0.99, 0.9895, 0.98])
def test_conjugate_gradients_tell_whether_a_bar_would_buckle(stretch, held, coarsest, monkeypatch):
    """Where it would, they may converge all the same if the cycle knows of it, as the inverse of an indefinite matrix does."""
    monkeypatch.setattr(hierarchy, "COARSEST", coarsest)
    system = stiffness_of(slender_bar(held), "amg", (stretch, 1.0, 1.0))
    stable = stretch > 1.0
    assert system.solver.can_find_it_stable
    assert system.solver.finds_it_stable() is stable
    n = system.motion_unknowns
    full = np.zeros((system.unknowns, system.unknowns))
    full[system.pattern.rows(), system.pattern.indices] = system.scratch.A
    free = np.flatnonzero(np.abs(full[n:, :n]).sum(axis=0) == 0.0)  # of what no multiplier holds
    assert bool(np.linalg.eigvalsh(full[np.ix_(free, free)])[0] > 0.0) is stable


def test_a_cycle_is_positive_definite_where_it_says_so_though_the_matrix_is_not(monkeypatch):
    """That follows from blocks of diagonals and the coarsest system alone. Then the iteration finds what is negative."""
    monkeypatch.setattr(hierarchy, "COARSEST", 60)
    monkeypatch.setattr(hierarchy, "DOMAIN", 2_000)
    said = []
    for stretch in (1.02, 0.998, 0.98):
        system = stiffness_of(slender_bar(cells=(30, 3, 2)), "amg", (stretch, 1.0, 1.0))
        mesh = system.solver.mesh
        assert len(mesh.hierarchy.levels) == 3
        assert len(mesh.hierarchy.levels[0].domains) > 1
        M = np.stack([mesh.cycle(line) for line in np.eye(system.unknowns)])
        assert np.abs(M - M.T).max() < 1e-3 * np.abs(M).max()  # single precision
        said.append(mesh.hierarchy.is_definite)
        assert bool(np.linalg.eigvalsh(0.5 * (M + M.T))[0] > 0.0) is said[-1]
        assert system.solver.finds_it_stable() is (stretch > 1.0)
    assert said == [True, True, False]


def test_a_large_equilibrium_is_judged_without_factorising_it(monkeypatch):
    monkeypatch.setattr("scipy.sparse.linalg.splu", None)
    m = elastic_block((6, 6, 8))
    m.add(cd.Traction("pull", m["block"], "right", (0.0, 3.0, 0.0)))
    assert cd.solve_static(m, steps=1, solver="amg").linear_solver == "amg"


@pytest.mark.parametrize("border", [False, True])
def test_only_a_solver_that_can_tell_stability_is_handed_the_matrix_for_it(border, monkeypatch):
    m = elastic_block((7, 7, 7))
    if border:
        mass = m.add(cd.PointMass("mass", 1.0, (1.0, 0.0, 0.0)))
        m.add(cd.Spherical("joint", mass, m["block"].at(1.0, 0.0, 0.0), at=(1.0, 0.0, 0.0)))
    system = stiffness_of(m, "amg", (1.02, 1.0, 1.0))
    solver, handed = system.solver, []
    assert solver.name == "amg"
    assert solver.can_find_it_stable is not border
    take = solver.factor
    monkeypatch.setattr(solver, "factor", lambda values: handed.append(take(values)))
    assert unstable_directions(system, system.scratch.A) == 0
    assert len(handed) == (0 if border else 1)
    solver._hand_over()  # the next matrices are a direct solver's
    assert not solver.can_find_it_stable


def test_many_separate_bodies_that_cannot_be_coarsened_are_left_to_a_direct_solver(monkeypatch):
    monkeypatch.setattr(hierarchy, "COARSEST", 50)
    monkeypatch.setattr(hierarchy, "MOST_FULL", 100)
    m = cd.Model("crowd", dimension=3, gravity=(0.0, 0.0, -9.81))
    for k in range(20):
        m.add(
            cd.Solid.block(f"block {k}", (1, 1, 1), (1, 1, 1), cd.NeoHookean(1e5, 0.3, 100.0), origin=(2.0 * k, 0, 0))
        )
    runs = [cd.simulate(m, end=0.01, dt=0.005, solver=kind) for kind in ("amg", "sparse")]
    assert runs[0].linear_solver.endswith("for amg did not get on")
    np.testing.assert_allclose(runs[0].state(-1).x, runs[1].state(-1).x, atol=1e-12)
