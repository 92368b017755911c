"""The contact problem of a step, and its solution by the friction model of each pair.

    u = W p + q,   W = J A⁻¹ Jᵀ/h² + c,   q = J u_free/h + s

Bodies that only contact brings together never see W: sweeps work on their velocities (`solvers/body_sweeps.py`); nor do many
points of one large part, where Newton's method keeps the pattern of its matrix (`solvers/velocity_newton.py`). Else W is made,
sparse where contacts are on different parts. Pairs with different models are solved in turn, each with the impulses of the
others, until nothing changes.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.contact.contact import MODELS as NAMES
from condyle.integrators.islands import Islands, product
from condyle.integrators.nonsmooth_rows import Reached
from condyle.solvers import FrictionProblem, FrictionSolution, solve_box, solve_cone, solve_polyhedral, solve_prox
from condyle.solvers.body_newton import solve_bodies
from condyle.solvers.body_sweeps import (
    SparseRows,
    add_rows,
    diagonals,
    full_product,
    own_blocks,
    residual_of,
    sweep_bodies,
    times_rows,
)
from condyle.solvers.velocity_newton import Matrix, fits, newton_on_velocities, solver_of, with_room

Array = NDArray[np.float64]
FULL = 400  # rows up to which W is a full matrix
FEW_ROWS = 180  # up to which the matrix between contacts is made in any case
FINISHED = 60  # rows up to which Newton's method ends what sweeps on velocities began
SHARED = 600  # rows up to which impulses are shared, fewer where bodies are rigid
SURE = 1e-4  # of the largest pivot: rows with smaller ones may depend on each other
SHARED_RIGID = 60
FEW_GOAL = 1e-3  # of the tolerance
ROUNDS = 60  # in which pairs of different models are solved


class Options(NamedTuple):
    """Of the method, as the models need them."""

    tolerance: float
    sweeps: int
    creep: float
    compliance: float
    h: float
    finish: bool  # by Newton's method
    prox_factor: float  # ζ of the steps of 'prox'
    prox_decay: float  # of ζ from sweep to sweep, 0: it adapts itself
    prox_density: float  # weights of these steps [kg/m], 0: by the matrix


@dataclass
class ContactTask:
    """The contact problem of one step."""

    reached: Reached
    islands: Islands
    free: Array  # velocities of unknowns without contact (n,)
    shift: Array  # s (m,) [m/s]
    soft: Array  # c (m,) [1/kg]
    models: NDArray[np.int64]  # of the points, in NAMES (k,)
    start: Array  # impulses to begin with (m,) [N s]
    scale: float  # of the matrix of the step, which then answers impulses by velocities

    @cached_property
    def Y(self) -> SparseRows:
        """A⁻¹ Jᵀ/h²: a solution for every row, where it is asked for."""
        return self.islands.answers(self.reached.J, 1.0 / self.scale)

    @cached_property
    def solver(self) -> tuple[Matrix, Callable[[Array, Array], Array]]:
        """The matrix of the step that answers impulses by velocities, with room for contacts, and solutions with it."""
        s, J, d = self.islands, self.reached.J, self.reached.d
        matrix = Matrix(s.indptr, s.indices, self.scale * s.values)
        if fits(d, J, matrix):
            return matrix, s.solve_with
        wider = with_room(d, J, matrix)
        return wider, solver_of(wider)


class Impulses(NamedTuple):
    """What a step has found."""

    p: Array  # (m,) [N s]
    v: Array  # velocities of unknowns with contact (n,)
    iterations: int
    residual: float  # of Coulomb's law, relative to the impulses
    solved: bool
    message: str = ""


def solve_task(task: ContactTask, options: Options) -> Impulses:
    """Impulses of all contacts."""
    reached = task.reached
    if not reached.gap.size:
        return Impulses(np.zeros(0), task.free, 0, 0.0, True)
    used = np.unique(task.models)
    exact = used.size == 1 and NAMES[used[0]] == "cone"
    if exact and task.islands.all_small:
        found = _by_bodies(task, options)
        if found.solved or found.p.size > FINISHED or not options.finish:
            return found
        task = copy(task)
        task.start = found.p
    if exact and is_long(task):
        by_velocities = _on_velocities(task, options)
        if by_velocities.solved:
            return by_velocities
    problem = full_problem(task)
    if exact:
        solution = solve_cone(problem, start=task.start, tolerance=options.tolerance)
        if solution.iterations:
            limit = max(options.tolerance, solution.residual)
            p = shared(solution.impulses, reached, problem.residual, limit)
            if p is not None:
                solution = problem.solution(p, solution.iterations, limit)
    elif used.size == 1:
        solution = _model(NAMES[used[0]], problem, task, np.arange(reached.gap.size), options, task.start)
    else:
        solution = _in_turn(problem, task, options)
    v = task.free.copy()
    add_rows(*task.Y, solution.impulses, 1.0, v)
    return Impulses(solution.impulses, v, solution.iterations, solution.residual, solution.converged, solution.message)


def is_long(task: ContactTask) -> bool:
    """Are there so many contacts on large parts that the matrix between them is not worth making?"""
    return bool(task.shift.size > FEW_ROWS and not task.islands.all_small and not task.reached.turning.size)


def _on_velocities(task: ContactTask, options: Options) -> Impulses:
    """Newton's method on velocities, with the pattern of the step's matrix."""
    r = task.reached
    p, v, count, residual = newton_on_velocities(
        r.d, r.J, *task.solver, task.shift, task.soft, r.mu, task.free, task.start, options.tolerance
    )
    return Impulses(p, v, count, residual, residual <= options.tolerance)


def _by_bodies(task: ContactTask, options: Options) -> Impulses:
    """Sweeps on the velocities of bodies, ended by Newton's method."""
    r, m, islands = task.reached, task.shift.size, task.islands
    k, d = r.gap.size, r.d
    W = np.empty((k, d, d))
    own_blocks(d, k, *r.J, *task.Y, task.soft, W)
    diagonal = np.zeros(m)
    diagonals(k * d, *r.J, *task.Y, task.soft, diagonal)
    free = np.empty(m)
    times_rows(*r.J, task.free, free)
    free += task.shift
    p, v = task.start.copy(), task.free.copy()
    add_rows(*task.Y, p, 1.0, v)
    work = (d, *r.J, *task.Y, W, diagonal, task.shift, task.soft, r.mu, r.turning, r.lever, free)
    residual = residual_of(*work[:1], *r.J, *work[7:], p, v)
    count, few = 0, m <= SHARED_RIGID
    if residual <= options.tolerance:
        # One sweep nevertheless: what is left would add up from step to step.
        residual = sweep_bodies(*work, p, v, 0.0, 1)[1]
    else:
        goal = FEW_GOAL * options.tolerance if few else options.tolerance
        matrix = islands.indptr, islands.indices, islands.values, task.scale
        parts = islands.of, islands.order, islands.start, islands.place
        sweeps, ends, residual = solve_bodies(*work, *matrix, *parts, p, v, goal, options.sweeps, options.finish)
        count = sweeps + ends
        v[:] = task.free
        add_rows(*task.Y, p, 1.0, v)
    solved = residual <= options.tolerance
    if solved and count and few:

        def residual_with(impulses: Array) -> float:
            there = task.free.copy()
            add_rows(*task.Y, impulses, 1.0, there)
            return float(residual_of(*work[:1], *r.J, *work[7:], impulses, there))

        better = shared(p, r, residual_with, max(options.tolerance, residual))
        if better is not None:
            p, v = better, task.free.copy()
            add_rows(*task.Y, p, 1.0, v)
    return Impulses(p, v, count, float(residual), solved, "" if solved else left_over(residual, count))


def left_over(residual: float, count: int) -> str:
    """What is said of a step that stays unsolved."""
    return f"an error of {residual:.1e} is left after {count} sweeps"


def full_problem(task: ContactTask) -> FrictionProblem:
    """The problem with its matrix."""
    r, n = task.reached, task.free.size
    k, d = r.gap.size, r.d
    W: Any
    if task.shift.size <= FULL:
        W = np.zeros((task.shift.size, task.shift.size))
        full_product(*r.J, *task.Y, n, W)
        W[np.diag_indices_from(W)] += task.soft
    else:
        W = product(r.J, task.Y, n)
        W.setdiag(W.diagonal() + task.soft)
    q = np.empty(task.shift.size)
    times_rows(*r.J, task.free, q)
    q += task.shift
    disks = [list(range(d * i + 1, d * i + d)) for i in range(k)]
    disks += [list(range(first, first + count)) for first, count, _ in r.turning.tolist()]
    of = np.concatenate((np.arange(k), r.turning[:, 2]))
    return FrictionProblem(W, q, d * np.arange(k), disks, of, np.concatenate((r.mu, r.lever)))


def shared(p: Array, reached: Reached, residual: Callable[[Array], float], limit: float) -> Array | None:
    """Impulses of points that hold more than can move, shared by their lengths or areas: Σ |p|²/w is least for the same motion.

    The motion does not notice, and where the laws would (at the bound of friction, a residual above the limit), the answer is
    None.
    """
    d, k, m = reached.d, reached.gap.size, p.size
    on = np.zeros(m, dtype=bool)
    on[: k * d] = np.repeat(p[: k * d : d] > 0.0, d)
    if on.sum() <= d or m > SHARED:
        return None
    root = np.sqrt(np.repeat(reached.weight, d)[on[: k * d]])
    used = np.unique(reached.J.column)
    J = np.zeros((m, used.size))
    row = np.repeat(np.arange(m), np.diff(reached.J.start))
    J[row, np.searchsorted(used, reached.J.column)] = reached.J.value
    if _independent(root[:, None] * J[on]):
        return None
    p = p.copy()
    levels, whole = (root[:, None] * J[on]).T, J[on].T @ p[on]
    p[on] = root * np.linalg.lstsq(levels, whole, rcond=1e-11)[0]
    p[on] += root * np.linalg.lstsq(levels, whole - J[on].T @ p[on], rcond=1e-11)[0]  # what round-off has changed
    return p if residual(p) <= limit else None


def _independent(rows: Array) -> bool:
    """Whether rows are clearly independent of each other, as those of different nodes are: then there is nothing to share."""
    try:
        pivots = np.diag(np.linalg.cholesky(rows @ rows.T))
    except np.linalg.LinAlgError:
        return False
    return bool(pivots.min() > SURE * pivots.max())


def _in_turn(problem: FrictionProblem, task: ContactTask, options: Options) -> FrictionSolution:
    """Pairs of different models, one model after the other, until nothing changes."""
    p, count = task.start.copy(), 0
    groups = [(NAMES[m], np.flatnonzero(task.models == m)) for m in np.unique(task.models)]
    W, said = problem.W, [""]
    for _ in range(ROUNDS):
        before, said, fine = p.copy(), [], True
        for name, points in groups:
            part, rows = _part(problem, task, points)
            others = p.copy()
            others[rows] = 0.0
            part.q = problem.q[rows] + np.asarray(W @ others)[rows]
            found = _model(name, part, task, points, options, p[rows])
            p[rows] = found.impulses
            count, fine = count + found.iterations, fine and found.converged
            if found.message:
                said.append(found.message)
        size = float(np.abs(p).max(initial=0.0))
        if float(np.abs(p - before).max(initial=0.0)) <= max(options.tolerance, 1e-12) * size:
            return FrictionSolution(p, problem.velocities(p), count, problem.residual(p), fine, "; ".join(said))
    message = f"models of friction on different pairs still change each other after {ROUNDS} rounds"
    return FrictionSolution(p, problem.velocities(p), count, problem.residual(p), False, message)


def _part(
    problem: FrictionProblem, task: ContactTask, points: NDArray[np.int64]
) -> tuple[FrictionProblem, NDArray[np.int64]]:
    """The problem of some contacts alone, and its rows in the whole one."""
    d, k = task.reached.d, task.reached.gap.size
    mine = [j for j in range(len(problem.disks)) if problem.of[j] in set(points.tolist())]
    further = [row for j in mine if j >= k for row in problem.disks[j]]
    rows = np.concatenate(((d * points[:, None] + np.arange(d)).ravel(), np.array(further, dtype=np.int64)))
    at = {int(row): i for i, row in enumerate(rows)}
    where = {int(point): i for i, point in enumerate(points)}
    disks = [[at[row] for row in problem.disks[j]] for j in mine]
    of = np.array([where[int(problem.of[j])] for j in mine])
    W = problem.W[rows][:, rows] if not isinstance(problem.W, np.ndarray) else problem.W[np.ix_(rows, rows)]
    return FrictionProblem(W, problem.q[rows], d * np.arange(points.size), disks, of, problem.mu[mine]), rows


def _model(
    name: str, problem: FrictionProblem, task: ContactTask, points: NDArray[np.int64], options: Options, start: Array
) -> FrictionSolution:
    if name == "penalty":
        return _penalty(problem, task.reached, points, options)
    if name == "prox":
        weights = np.repeat(task.reached.weight[points], task.reached.d) if options.prox_density else None
        return _prox(problem, options, None if weights is None else options.prox_density * weights)
    return MODELS[name](problem, options, start)


def _cone(problem: FrictionProblem, options: Options, start: Array) -> FrictionSolution:
    return solve_cone(problem, start=start, tolerance=options.tolerance)


def _box(problem: FrictionProblem, options: Options, start: Array) -> FrictionSolution:
    return solve_box(problem)


def _polyhedral(problem: FrictionProblem, options: Options, start: Array) -> FrictionSolution:
    return solve_polyhedral(problem)


def _prox(problem: FrictionProblem, options: Options, weights: Array | None) -> FrictionSolution:
    if weights is not None and weights.size < problem.size:  # rows of turning have no length
        weights = np.concatenate((weights, problem.factors[weights.size :]))
    return solve_prox(
        problem, zeta=options.prox_factor, adaptive=options.prox_decay == 0.0, decay=options.prox_decay or 1.0,
        weights=weights, tolerance=max(options.tolerance, 1e-8),
    )  # fmt: skip


MODELS: dict[str, Callable[[FrictionProblem, Options, Array], FrictionSolution]] = {
    "cone": _cone, "box": _box, "polyhedral": _polyhedral,
}  # fmt: skip


def _penalty(
    problem: FrictionProblem, reached: Reached, points: NDArray[np.int64], options: Options
) -> FrictionSolution:
    """Points that are inside are held by springs, without asking which way they push; friction is known beforehand."""
    k, d = points.size, reached.d
    gap, slip = reached.gap[points], reached.slip[points]
    press = options.h * np.maximum(-gap, 0.0) * reached.weight[points] / options.compliance
    p = np.zeros(problem.size)
    own = p[: k * d].reshape(k, d)
    speed = np.linalg.norm(slip, axis=1)
    own[:, 1:] = -(reached.mu[points] * press / np.maximum(speed, options.creep))[:, None] * slip
    inside = np.flatnonzero(gap < 0.0)
    if inside.size:
        known = (problem.W @ p + problem.q)[d * inside]
        own[inside, 0] = np.linalg.solve(problem.dense[np.ix_(d * inside, d * inside)], -known)
    return problem.solution(p, 1, np.inf)
