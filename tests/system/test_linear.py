"""Every linear solver gives the same solution, or says which unknown it cannot determine."""

import ctypes
import gc
import subprocess
import sys
import weakref

import numpy as np
import pytest
import scipy.linalg

import condyle as cd
from condyle.errors import CondyleError, InputError
from condyle.system import linear
from condyle.system.linear import SingularMatrixError, available_solvers, make_solver, matvec, solve_refined
from condyle.system.linear.kernels import inverse_power_of_two
from condyle.system.linear.threads import OneThread, openblas_of_scipy
from condyle.system.pattern import Pattern, build_pattern


def kinds():
    return ["dense", "band", "sparse", "multifrontal", pytest.param("pardiso", marks=needs_pardiso), "auto"]


needs_pardiso = pytest.mark.skipif("pardiso" not in available_solvers(), reason="pypardiso is not installed")
every_kind = pytest.mark.parametrize("kind", kinds())
symmetric_or_not = pytest.mark.parametrize("symmetric", [False, True], ids=["unsymmetric", "symmetric"])


def stored(matrix):
    """The pattern of a dense matrix, symmetric and with its diagonal, and the values in it."""
    n = len(matrix)
    row, column = np.nonzero((matrix != 0.0) | (matrix.T != 0.0) | np.eye(n, dtype=bool))
    indptr = np.zeros(n + 1, dtype=np.int32)
    np.cumsum(np.bincount(row, minlength=n), out=indptr[1:])
    return Pattern(n, indptr, column.astype(np.int32)), matrix[row, column]


def saddle_point(n, *, symmetric, seed=0, stiffness=1.0, width=6):
    """[K Gᵀ; G 0] with a banded K, about n unknowns in all, in a random order."""
    rng = np.random.default_rng(seed)
    constraints = n // 5
    free = n - constraints
    K = np.zeros((n, n))
    row, column = np.nonzero(np.abs(np.subtract.outer(np.arange(free), np.arange(free))) < width)
    K[row, column] = rng.normal(size=len(row))
    if symmetric:
        K = K + K.T
    K *= stiffness
    K[np.arange(free), np.arange(free)] += 20.0 * stiffness
    for k in range(constraints):
        first = k * free // constraints
        for j in {first, min(first + 2, free - 1)}:
            K[free + k, j] = rng.uniform(0.5, 1.0)
            K[j, free + k] = K[free + k, j] if symmetric else rng.uniform(0.5, 1.0)
    shuffled = rng.permutation(n)
    return K[np.ix_(shuffled, shuffled)]


def backward_error(matrix, x, b):
    """Oettli and Prager: the relative change of the entries of A and b that makes x exact."""
    return np.max(np.abs(matrix @ x - b) / (np.abs(matrix) @ np.abs(x) + np.abs(b)))


@pytest.mark.covering(2)
@every_kind
@symmetric_or_not
@pytest.mark.parametrize("n", [1, 2, 3, 7, 40, 150, 600])
def test_a_saddle_point_is_solved(kind, symmetric, n):
    matrix = saddle_point(n, symmetric=symmetric)
    pattern, values = stored(matrix)
    solver = make_solver(pattern, kind, symmetric=symmetric)
    rng = np.random.default_rng(1)
    b, several = rng.normal(size=n), rng.normal(size=(n, 3))
    solver.factor(values)
    np.testing.assert_allclose(solver.solve(b), np.linalg.solve(matrix, b), rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(solver.solve(several), np.linalg.solve(matrix, several), rtol=1e-9, atol=1e-11)
    np.testing.assert_allclose(
        solver.solve(several.T.copy().T), np.linalg.solve(matrix, several), rtol=1e-9, atol=1e-11
    )
    np.testing.assert_array_equal(b, np.random.default_rng(1).normal(size=n))  # not overwritten


@every_kind
@symmetric_or_not
def test_two_thousand_unknowns(kind, symmetric):
    matrix = saddle_point(2000, symmetric=symmetric)
    pattern, values = stored(matrix)
    b = np.random.default_rng(1).normal(size=2000)
    solver = make_solver(pattern, kind, symmetric=symmetric)
    solver.factor(values)
    assert backward_error(matrix, solver.solve(b), b) < 1e-12


@pytest.mark.covering(2)
@every_kind
@symmetric_or_not
@pytest.mark.parametrize("stiffness", [1e-8, 1e6, 1e12])
def test_stiffness_and_constraints_of_any_scale_keep_full_precision(kind, symmetric, stiffness):
    # Without scaling, pivots are chosen between 1 and the stiffness, and up to twelve digits are lost.
    matrix = saddle_point(300, symmetric=symmetric, stiffness=stiffness)
    pattern, values = stored(matrix)
    x = np.random.default_rng(1).normal(size=300)
    x[np.diag(matrix) == 0.0] *= stiffness  # multipliers are forces
    solver = make_solver(pattern, kind, symmetric=symmetric)
    solver.factor(values)
    b = matrix @ x
    assert backward_error(matrix, solver.solve(b), b) < 1e-11
    assert backward_error(matrix, solve_refined(solver, values, b), b) < 1e-14


@every_kind
def test_an_unsymmetric_matrix_is_not_symmetrised(kind):
    matrix = np.array([[4.0, 1.0, 0.0], [-2.0, 3.0, 1.0], [0.0, 5.0, 0.0]])
    pattern, values = stored(matrix)
    solver = make_solver(pattern, kind)
    solver.factor(values)
    np.testing.assert_allclose(solver.solve([1.0, 2.0, 3.0]), np.linalg.solve(matrix, [1.0, 2.0, 3.0]), rtol=1e-14)


@every_kind
@symmetric_or_not
def test_matrices_of_one_pattern_follow_each_other_and_repeat_bit_for_bit(kind, symmetric):
    matrices = [saddle_point(80, symmetric=symmetric, seed=3, stiffness=s) for s in (1.0, 50.0, 2.0)]
    pattern, _ = stored(matrices[0])
    solver = make_solver(pattern, kind, symmetric=symmetric)
    b = np.ones(80)
    solutions = []
    for matrix in [*matrices, matrices[0]]:
        solver.factor(matrix[pattern.rows(), pattern.indices])
        solutions.append(solver.solve(b))
        np.testing.assert_allclose(solutions[-1], np.linalg.solve(matrix, b), rtol=1e-9, atol=1e-11)
    np.testing.assert_array_equal(solutions[0], solutions[-1])


@needs_pardiso
@symmetric_or_not
def test_pardiso_repeats_a_large_solution_bit_for_bit_and_after_a_reset(symmetric):
    matrix = saddle_point(1500, symmetric=symmetric, width=30)
    pattern, values = stored(matrix)
    b = np.linspace(-1.0, 1.0, 1500)

    def solution(solver):
        solver.factor(values)
        return solver.solve(b)

    solver = make_solver(pattern, "pardiso", symmetric=symmetric)
    first = solution(solver)
    for _ in range(5):
        np.testing.assert_array_equal(solution(solver), first)
    solver.factor(values * np.where(pattern.rows() == pattern.indices, 3.0, 1.0))
    solver.reset()
    with pytest.raises(RuntimeError, match="before"):
        solver.solve(b)
    np.testing.assert_array_equal(solution(solver), first)


def plate(cells, *, stiffness=1e9):
    """Stiffness of a row of square cells of four nodes, free in the plane: three rigid motions cost no energy."""
    nodes = np.array([[i, j] for i in range(cells + 1) for j in (0, 1)], dtype=float)
    K = np.zeros((2 * len(nodes), 2 * len(nodes)))
    for a in range(len(nodes)):
        for b in range(a):
            edge = nodes[a] - nodes[b]
            if np.dot(edge, edge) < 2.5:  # edges and diagonals of a cell are springs
                direction = edge / np.linalg.norm(edge)
                gradient = np.zeros(len(K))
                gradient[2 * a : 2 * a + 2], gradient[2 * b : 2 * b + 2] = direction, -direction
                K += stiffness * np.outer(gradient, gradient)
    return K


def held(K, constraints):
    """[K Gᵀ; G 0] for constraints that fix single unknowns of K, or sums of them."""
    G = np.zeros((len(constraints), len(K)))
    for k, unknowns in enumerate(constraints):
        G[k, list(unknowns)] = 1.0
    return np.block([[K, G.T], [G, np.zeros((len(G), len(G)))]])


@pytest.mark.covering(2)
@every_kind
@symmetric_or_not
@pytest.mark.parametrize("cells", [1, 4, 60])
def test_a_body_that_can_still_move_is_reported_with_one_of_its_unknowns(kind, symmetric, cells):
    matrix = held(plate(cells), [[0], [1]])  # a pin: free to rotate about it
    matrix = np.block([[matrix, np.zeros((len(matrix), 2))], [np.zeros((2, len(matrix))), np.eye(2)]])
    pattern, values = stored(matrix)
    solver = make_solver(pattern, kind, symmetric=symmetric)
    with pytest.raises(SingularMatrixError) as caught:
        solver.factor(values)
    assert caught.value.unknown in range(2, 4 * (cells + 1))
    assert not any(digit in str(caught.value) for digit in "0123456789")  # what it belongs to is for who has names


@pytest.mark.covering(2)
@every_kind
@symmetric_or_not
@pytest.mark.parametrize("cells", [1, 4, 60])
def test_redundant_constraints_are_reported_with_one_of_their_multipliers(kind, symmetric, cells):
    # The last constraint is the sum of the first two; the third and fourth are needed.
    matrix = held(plate(cells), [[0], [1], [2], [0, 1]])
    pattern, values = stored(matrix)
    solver = make_solver(pattern, kind, symmetric=symmetric)
    with pytest.raises(SingularMatrixError) as caught:
        solver.factor(values)
    first = 4 * (cells + 1)
    assert caught.value.unknown in (first, first + 1, first + 3)


@pytest.mark.covering(2)
@every_kind
@symmetric_or_not
@pytest.mark.parametrize("cells", [1, 4, 60])
@pytest.mark.parametrize("epsilon", [1e-6, 1e-8])
def test_regularised_redundant_constraints_are_solved(kind, symmetric, cells, epsilon):
    stiffness = 1e9
    matrix = held(plate(cells, stiffness=stiffness), [[0], [1], [2], [0, 1]])
    free = 4 * (cells + 1)
    multiplier = np.arange(free, free + 4)
    matrix[multiplier, multiplier] = -epsilon / stiffness
    pattern, values = stored(matrix)
    b = np.zeros(free + 4)
    b[3:free] = np.linspace(1.0, 2.0, free - 3)
    solver = make_solver(pattern, kind, symmetric=symmetric)
    solver.factor(values)
    x = solver.solve(b)
    moved = np.abs(x[:free]).max()
    assert np.abs(x[:3]).max() < 100.0 * epsilon * moved  # the constraints hold but for the regularisation
    unbalanced = np.abs(matrix[:free] @ x - b[:free]).max()
    assert unbalanced < 1e-12 * (stiffness * moved + np.abs(x[free:]).max())


@every_kind
def test_a_solver_works_again_after_a_singular_matrix(kind):
    matrix = saddle_point(60, symmetric=False)
    pattern, values = stored(matrix)
    solver = make_solver(pattern, kind)
    with pytest.raises(SingularMatrixError) as caught:
        solver.factor(np.zeros(pattern.nnz))
    assert caught.value.unknown == 0
    with pytest.raises(RuntimeError, match="before"):
        solver.solve(np.ones(60))
    solver.factor(values)
    np.testing.assert_allclose(solver.solve(np.ones(60)), np.linalg.solve(matrix, np.ones(60)), rtol=1e-10)


@every_kind
@pytest.mark.parametrize("wrong", [np.nan, np.inf, -np.inf])
def test_nothing_that_is_not_finite_goes_in_or_out(kind, wrong):
    matrix = saddle_point(50, symmetric=False)
    pattern, values = stored(matrix)
    solver = make_solver(pattern, kind)
    bad = values.copy()
    bad[pattern.indptr[17]] = wrong
    with pytest.raises(SingularMatrixError, match="not finite") as caught:
        solver.factor(bad)
    assert caught.value.unknown == 17
    solver.factor(values)
    b = np.ones(50)
    b[23] = wrong
    with pytest.raises(SingularMatrixError, match="right-hand side is not finite") as caught:
        solver.solve(b)
    assert caught.value.unknown == 23
    with pytest.raises(SingularMatrixError, match="solution is not finite"):
        solver.factor(1e-200 * values)
        solver.solve(np.full(50, 1e200))


@every_kind
@symmetric_or_not
def test_an_unknown_without_equation_is_named(kind, symmetric):
    matrix = saddle_point(50, symmetric=symmetric)
    pattern, values = stored(matrix)
    solver = make_solver(pattern, kind, symmetric=symmetric)
    values[(pattern.rows() == 31) | (pattern.indices == 31)] = 0.0
    with pytest.raises(SingularMatrixError, match="without any entry") as caught:
        solver.factor(values)
    assert caught.value.unknown == 31


@every_kind
def test_two_solvers_live_side_by_side(kind):
    one, two = saddle_point(90, symmetric=False, seed=1), saddle_point(120, symmetric=False, seed=2)
    solvers = []
    for matrix in (one, two):
        pattern, values = stored(matrix)
        solvers.append(make_solver(pattern, kind))
        solvers[-1].factor(values)
    for matrix, solver in ((one, solvers[0]), (two, solvers[1]), (one, solvers[0])):
        b = np.ones(len(matrix))
        np.testing.assert_allclose(solver.solve(b), np.linalg.solve(matrix, b), rtol=1e-9)
    deleted = weakref.ref(solvers[0])
    del solver
    del solvers[0]
    gc.collect()
    assert deleted() is None
    np.testing.assert_allclose(solvers[0].solve(np.ones(120)), np.linalg.solve(two, np.ones(120)), rtol=1e-9)


@needs_pardiso
def test_pardiso_gives_its_memory_back():
    resource = pytest.importorskip("resource")
    pattern, values = stored(saddle_point(1500, symmetric=False, width=40))

    def peak():
        for _ in range(20):
            solver = make_solver(pattern, "pardiso")
            solver.factor(values)
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = peak()
    assert peak() - before < 20_000  # kB; one factorisation takes about 5,000


@every_kind
def test_no_unknowns_at_all(kind):
    pattern = build_pattern([], [], [], [], 0).pattern
    solver = make_solver(pattern, kind)
    solver.factor([])
    assert solver.solve(np.zeros(0)).shape == (0,)
    assert solver.solve(np.zeros((0, 2))).shape == (0, 2)


def test_wrong_input_says_what_is_wrong():
    pattern, values = stored(np.eye(3))
    solver = make_solver(pattern)
    with pytest.raises(ValueError, match="3 stored entries"):
        solver.factor(values[:2])
    with pytest.raises(RuntimeError, match="before"):
        solver.solve(np.ones(3))
    solver.factor(values)
    with pytest.raises(ValueError, match="3 rows"):
        solver.solve(np.ones(4))
    with pytest.raises(InputError, match="did you mean 'pardiso'"):
        make_solver(pattern, "pardisso")
    assert issubclass(SingularMatrixError, CondyleError)


def test_the_product_with_a_matrix():
    matrix = saddle_point(30, symmetric=False)
    pattern, values = stored(matrix)
    x = np.random.default_rng(0).normal(size=(30, 2))
    np.testing.assert_allclose(matvec(pattern, values, x), matrix @ x, rtol=1e-13)
    np.testing.assert_allclose(matvec(pattern, values, x[:, 1]), matrix @ x[:, 1], rtol=1e-13)


def test_refinement_steps_towards_the_solution_of_a_nearby_matrix():
    matrix = saddle_point(30, symmetric=False)
    pattern, values = stored(matrix)
    solver = make_solver(pattern)
    solver.factor(values)
    near = values * (1.0 + 1e-4 * np.random.default_rng(0).normal(size=len(values)))
    b = np.ones(30)
    error = [np.abs(matvec(pattern, near, solve_refined(solver, near, b, steps=s)) - b).max() for s in (0, 1, 2)]
    assert error[0] > 100.0 * error[1] > 10_000.0 * error[2]


@pytest.mark.parametrize("x", [1.0, 3.0, 0.75, 5e-324, 2.3e-308, 1.7e308])
def test_scales_are_powers_of_two(x):
    scale = inverse_power_of_two(x)
    assert np.frexp(scale)[0] == 0.5
    assert 0.5 <= scale * x * 0.5 < 1.0 or x < 1e-300 or x > 1e300


def line_of_blocks(blocks, size=3, *, reach=1):
    rows = np.concatenate([np.arange(blocks - r) for r in range(1, reach + 1)])
    cols = np.concatenate([np.arange(r, blocks) for r in range(1, reach + 1)])
    return build_pattern(rows, cols, size * np.arange(blocks), np.full(blocks, size), size * blocks).pattern


def test_auto_takes_full_matrices_if_small_bands_for_chains_and_sparse_ones_for_meshes(monkeypatch):
    star = build_pattern(np.zeros(300, int), np.arange(300), np.arange(300), np.ones(300, int), 300).pattern
    small_star = build_pattern(np.zeros(90, int), np.arange(90), np.arange(90), np.ones(90, int), 90).pattern
    assert make_solver(line_of_blocks(5)).name == "dense"
    assert make_solver(small_star).name == "dense"
    assert make_solver(line_of_blocks(500)).name == "band"
    assert make_solver(line_of_blocks(30, reach=29)).name == "dense"
    best = "pardiso" if "pardiso" in available_solvers() else "sparse"
    assert make_solver(star).name == best
    monkeypatch.setattr(linear, "available_solvers", lambda: ["dense", "band", "sparse"])
    assert make_solver(star).name == "sparse"
    monkeypatch.setattr(linear, "_pardiso", lambda pattern, symmetric: None)
    with pytest.raises(InputError, match="pip install"):
        make_solver(star, "pardiso")


@pytest.mark.skipif(openblas_of_scipy() is None, reason="another BLAS than SciPy's own")
def test_threads_are_as_before_when_a_matrix_is_factorised():
    threads = ctypes.CDLL(scipy.linalg._flapack.__file__)["scipy_openblas_get_num_threads"]
    before = threads()
    with OneThread(openblas_of_scipy()):
        assert threads() == 1
    assert threads() == before
    pattern, values = stored(saddle_point(150, symmetric=False))
    make_solver(pattern, "dense").factor(values)
    assert threads() == before


def test_pardiso_is_not_loaded_unless_needed():
    program = (
        "import sys; from condyle.system.linear import make_solver; from condyle.system.pattern import build_pattern;"
        "p = build_pattern([0], [1], [0, 3], [3, 3], 6).pattern; make_solver(p); print('pypardiso' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr


def test_a_tree_of_links_is_solved_although_pardiso_finds_no_pivot():
    """PARDISO exchanges rows within blocks only; the joints of this tree defeat it."""
    pytest.importorskip("pypardiso")
    m = cd.Model("tree", dimension=3, gravity=(0.0, 0.0, -9.81))
    angle, height = 2.4 * np.arange(100), np.linspace(-0.8, 0.8, 7)[np.arange(100) % 7]
    way = 0.2 * np.column_stack(
        (np.sqrt(1 - height**2) * np.cos(angle), np.sqrt(1 - height**2) * np.sin(angle), height)
    )
    ends, links = [np.zeros(3)], []
    for i in range(100):
        before = (i - 1) // 2
        start = ends[before + 1] if i else ends[0]
        ends.append(start + way[i])
        axis = way[i] / 0.2
        inertia = 1e-3 * (np.eye(3) - 0.99 * np.outer(axis, axis))
        links.append(m.add(cd.RigidBody(f"link {i}", 0.5, inertia, position=start + 0.5 * way[i])))
        m.add(cd.Spherical(f"joint {i}", links[before] if i else m.ground, links[i], at=start))
    result = cd.simulate(m, end=0.002, dt=0.001, integrator=cd.GeneralizedAlpha(), solver="pardiso")
    assert result.status == "completed" and result.iterations.max() <= 3
    assert result.constraint_error.max() < 1e-10
