"""Meshes in space without PARDISO: nested dissection and full fronts."""

import numpy as np
import pytest
from scipy.sparse import csc_matrix
from scipy.sparse.linalg import splu

import condyle as cd
from condyle.system import linear
from condyle.system.compile import compile as compiled
from condyle.system.compile import running
from condyle.system.linear import SingularMatrixError, make_solver
from condyle.system.linear.dissection import dissect
from condyle.system.linear.fronts import Factors, lay_out
from condyle.system.pattern import build_pattern


def block(element, cells, held_by):
    """A cube on the ground; with multipliers also under a guided plate, which nothing but its joints and ties holds."""
    m = cd.Model("block", dimension=3)
    cube = m.add(
        cd.Solid.block("block", (1.0, 1.0, 1.0), (cells,) * 3, cd.NeoHookean(1e6, 0.3, density=1000.0), element=element)
    )
    m.add(cd.Tie("base", cube, "bottom", m.ground, enforcement=held_by))
    if held_by == "eliminate":
        m.add(cd.Traction("load", cube, "top", (0.0, 0.0, -1e4)))
        return m
    plate = m.add(cd.RigidBody("plate", 100.0, inertia=(1.0, 1.0, 1.0), position=(0.5, 0.5, 1.0)))
    m.add(cd.Prismatic("guide", m.ground, plate, at=plate.position, axis=(0, 0, 1)))
    m.add(cd.Tie("cap", cube, "top", plate, enforcement=held_by))
    m.add(cd.Load("load", plate, (0.0, 0.0, -1e4)))
    return m


@pytest.fixture
def plain(monkeypatch):
    """An installation without PARDISO and multigrid, to which a small block is a large one."""
    monkeypatch.setattr(linear, "MANY_ENTRIES", 20_000)
    monkeypatch.setattr(linear, "available_solvers", lambda: ["dense", "band", "sparse", "multifrontal"])
    monkeypatch.setattr(linear, "_pardiso", lambda pattern, symmetric: None)
    monkeypatch.setattr(linear, "MANY", 10**9)


@pytest.mark.parametrize("held_by", ["eliminate", "multiplier"])
@pytest.mark.parametrize(("element", "cells"), [("hex8", 5), ("tet10", 3)])
def test_a_block_in_space_is_solved_without_pardiso_and_the_summary_says_how(plain, element, cells, held_by):
    one = cd.solve_static(block(element, cells, held_by), steps=1)
    assert one.linear_solver == "multifrontal"
    assert "linear solver    multifrontal" in one.summary()
    other = cd.solve_static(block(element, cells, held_by), steps=1, solver="sparse")
    assert other.linear_solver == "sparse"
    assert one.iterations[-1] == other.iterations[-1]
    np.testing.assert_allclose(one.state(-1).x, other.state(-1).x, rtol=0, atol=1e-10)
    if held_by == "multiplier":
        np.testing.assert_allclose(one.joint_force("base")[-1], other.joint_force("base")[-1], rtol=0, atol=1e-3)


def test_its_motion_is_that_of_any_other_solver(plain):
    model = block("hex8", 5, "multiplier")
    runs = [
        cd.simulate(model, end=0.003, dt=0.001, integrator=cd.BDF(2), solver=kind)
        for kind in ("multifrontal", "sparse")
    ]
    assert [run.linear_solver for run in runs] == ["multifrontal", "sparse"]
    np.testing.assert_allclose(runs[0].state(-1).x, runs[1].state(-1).x, rtol=0, atol=1e-10)


@pytest.mark.parametrize("kind", ["multifrontal", "amg"])
def test_a_run_goes_on_with_the_solver_it_began_with(tmp_path, kind):
    options = {"dt": 0.001, "solver": kind, "integrator": cd.GeneralizedAlpha()}
    whole = cd.simulate(block("hex8", 3, "eliminate"), end=0.004, **options)
    file = tmp_path / "run.h5"
    cd.simulate(block("hex8", 3, "eliminate"), end=0.002, file=file, **options)
    assert cd.load(file).linear_solver == kind
    rest = cd.resume(file, end=0.004)
    assert rest.linear_solver == whole.linear_solver == kind
    # Bit for bit; multigrid iterates, with what it has kept of earlier matrices.
    np.testing.assert_allclose(rest.state(-1).x, whole.state(-1).x, rtol=0, atol=0 if kind == "multifrontal" else 1e-14)


def equations(model):
    """The pattern of a model, and which of its unknowns are multipliers."""
    system = compiled(model)
    return system.pattern, system.levers == 0.0


@pytest.mark.parametrize("held_by", ["eliminate", "multiplier"])
def test_groups_that_are_not_above_each_other_have_nothing_to_do_with_each_other(held_by):
    pattern, multiplier = equations(block("hex8", 6, held_by))
    tree = dissect(pattern, multiplier, np.zeros(pattern.n, dtype=bool))
    assert np.array_equal(np.sort(np.concatenate(tree.own)), np.arange(pattern.n))
    assert tree.parent[-1] == -1
    assert all(k < parent for k, parent in enumerate(tree.parent[:-1]))
    group = np.empty(pattern.n, dtype=int)
    for k, own in enumerate(tree.own):
        group[own] = k
    above = [{k} for k in range(len(tree.own))]
    for k in reversed(range(len(tree.own) - 1)):
        above[k] |= above[tree.parent[k]]
    row, column = pattern.rows(), pattern.indices
    assert all(max(pair) in above[min(pair)] for pair in set(zip(group[row], group[column], strict=True)))
    gradient = multiplier[row] & ~multiplier[column]
    if held_by == "multiplier":
        last = np.full(pattern.n, -1)
        np.maximum.at(last, row[gradient], group[column[gradient]])
        assert (group[multiplier] >= last[multiplier]).all()  # after all that it holds


def test_full_fronts_of_a_cube_hold_few_entries_more_than_the_factors_of_minimum_degree():
    pattern, multiplier = equations(block("hex8", 12, "eliminate"))
    values = np.where(pattern.rows() == pattern.indices, 100.0, 1.0) + 0.1 * np.sin(np.arange(pattern.nnz))
    factors = Factors(lay_out(pattern, dissect(pattern, multiplier, multiplier)), values)
    matrix = csc_matrix((values, pattern.indices, pattern.indptr)).T.tocsc()
    by_degree = splu(matrix, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    assert factors.entries < 1.2 * (by_degree.L.nnz + by_degree.U.nnz)
    known = np.cos(np.arange(pattern.n))[:, None]
    np.testing.assert_allclose(factors.solve(matrix @ known), known, rtol=0, atol=1e-12)


@pytest.mark.parametrize("shape", ["two pieces", "all with all", "a star", "one vertex"])
def test_graphs_that_cannot_be_cut_are_solved_too(shape):
    n = 1 if shape == "one vertex" else 240
    rows, columns = np.triu_indices(n, 1)
    if shape == "two pieces":
        near = (columns - rows < 4) & ((rows < n // 2) == (columns < n // 2))
        rows, columns = rows[near], columns[near]
    elif shape == "a star":
        rows, columns = rows[rows == 0], columns[rows == 0]
    pattern = build_pattern(rows, columns, np.arange(n), np.ones(n, dtype=int), n).pattern
    values = np.random.default_rng(0).normal(size=pattern.nnz)
    values[pattern.rows() == pattern.indices] += 3.0 * np.sqrt(n)
    solver = make_solver(pattern, "multifrontal")
    solver.factor(values)
    known = np.ones(n)
    np.testing.assert_allclose(solver.solve(linear.matvec(pattern, values, known)), known, rtol=1e-12)


def test_a_block_that_nothing_holds_is_called_singular_by_its_name():
    system = running(block("hex8", 6, "eliminate"), solver="multifrontal")
    n, pattern = system.pattern.n, system.pattern
    laplace = np.where(pattern.rows() == pattern.indices, 0.0, -1.0)
    laplace[pattern.rows() == pattern.indices] = -np.bincount(pattern.rows(), weights=laplace, minlength=n)
    with pytest.raises(SingularMatrixError, match="'block'"):
        system.solver.factor(laplace)
