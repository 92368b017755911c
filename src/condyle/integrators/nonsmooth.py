"""Steps at the level of velocities, in which points may strike, stick and slip: one linear system, one contact problem.

    A u = b + Jᵀ p/h,   v1 = u/h,   J v1 = W p + q,   W = J A⁻¹ Jᵀ/h²

A and b are those of the compliant step (`compliant.py`): inertia, elasticity, joints. J has a row across and rows along the
surface for each point that can be reached within the step, and the impulses p obey a law of friction (`condyle.solvers`):

    0 ≤ p_n ⊥ u_n ≥ −g/h         a gap g > 0 may close within the step, and no further
    u_n ≥ −e u_n(0)              points that close, with restitution e (moreau-1988), for which g is then left out

What is inside nevertheless, because surfaces are curved, is moved out without a velocity at the end of the step, so that
nothing is thrown out of an overlap.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.integrators.compliant import Compliant
from condyle.integrators.newton import StepFailed, StepInfo
from condyle.model.part import number, one_of
from condyle.solvers import (
    FrictionProblem,
    FrictionSolution,
    solve_bounded,
    solve_box,
    solve_cone,
    solve_polyhedral,
    solve_prox,
)
from condyle.system import assembly
from condyle.system.linear import SingularMatrixError
from condyle.system.running import RunningSystem
from condyle.system.state import State

if TYPE_CHECKING:
    from condyle.contact.problem import ContactProblem

Array = NDArray[np.float64]
REACH = 2.0  # times the way of a step: points farther away cannot be reached within it
MOST_SHARED = 600  # rows of contact up to which impulses are shared
INSIDE = 1e-12  # of the size of the model: an overlap that is worth moving


class Reached(NamedTuple):
    """Points that can touch within a step: of each its pair, its number there, gap, coefficient, restitution, axes."""

    pair: NDArray[np.int64]
    point: NDArray[np.int64]
    gap: Array  # [m]
    mu: Array
    restitution: Array
    before: Array  # rate of the gap as the step begins [m/s]
    slip: Array  # rates along the surface as the step begins (k, d − 1) [m/s]
    weight: Array  # length or area of the point, 1 where it has none
    axes: Array  # of normal and tangents, in the coordinates in which forces are kept (k, d, d)
    J: Array  # of the unknowns (k d, unknowns)


@dataclass
class Nonsmooth(Compliant):
    """First order, at the level of velocities: impacts, exact stick and slip, at any step; for real time.

    friction: 'cone' (Coulomb's law, exactly), or one of the models of hewlett-2020: 'box', 'polyhedral', 'prox'
    (`condyle.solvers`), and 'penalty', in which points that are inside are pushed back linearly, and pulled where they leave,
    with friction μ p_n min(1, |u_t|/creep) of the start of the step.
    contact_compliance: points give way elastically, across and with 'box' also along the surface, [m/N] for each point, or
    [m²/N] for points of a line and [m³/N] for those of a surface, which have lengths and areas (0: not at all).
    creep [m/s]: the slip at which friction of 'penalty' is full. tolerance: of the contact problem, relative to its
    impulses; the residual of each step is in its information. Contacts have the laws Hard and Impact with Newton's rule.
    """

    friction: str = "cone"
    contact_compliance: float = 0.0
    creep: float = 1.75
    tolerance: float = 1e-10

    def __post_init__(self) -> None:
        super().__post_init__()
        one_of(self, "friction", (*MODELS, "penalty"))  # type: ignore[arg-type]
        number(self, "contact_compliance", low=0.0)  # type: ignore[arg-type]
        number(self, "creep", low=0.0, strict=True)  # type: ignore[arg-type]
        number(self, "tolerance", low=0.0, strict=True)  # type: ignore[arg-type]
        if self.friction == "penalty" and not self.contact_compliance:
            raise InputError("Nonsmooth: friction='penalty' needs a contact_compliance above 0, such as 1e-8")

    def prepare(self, system: RunningSystem, state: State, h: float) -> None:
        super().prepare(system, state, h)
        for pair in [] if system.contact is None else system.contact.pairs:
            if pair.soft or (pair.law.restitution > 0.0 and pair.law.rule != "newton"):
                rule = "" if pair.soft else f" with rule={pair.law.rule!r}"
                raise InputError(
                    f"Nonsmooth cannot take {type(pair.law).__name__}{rule} of contact '{pair.name}'; give it Hard() or "
                    "Impact(e), or use Compliant, EnergyMomentum or GeneralizedAlpha"
                )
            if pair.rub is not None and not pair.rub.exact:
                raise InputError(
                    f"Nonsmooth takes Coulomb friction, and contact '{pair.name}' has {type(pair.rub).__name__}; give it "
                    "Coulomb"
                )

    def step(self, system: RunningSystem, state: State, h: float) -> tuple[State, StepInfo]:
        """One step of length h [s]."""
        if system.contact is None:
            return super().step(system, state, h)
        t1 = state.t + h
        system.set_turns(state.turns)
        system.set_pace(1.0 / h)
        x1 = state.x.copy()
        system.place_driven(t1, x1)
        before, out = x1.copy(), system.scratch
        self._assemble(system, state, x1, h, out)
        rhs = np.zeros(system.unknowns)
        rhs[: system.motion_unknowns] = -out.r[: system.motion_unknowns]
        system.held_unknowns(out.c, rhs)
        self._soften(system, out.A)
        try:
            system.solver.factor(out.A)
        except SingularMatrixError as error:
            raise StepFailed("the equations are singular", system.owner(error.unknown or 0)) from None
        free = system.solver.solve(rhs)
        reached = reach(system, state, before, free, h)
        answers = np.array([system.solver.solve(j) for j in reached.J]).reshape(len(reached.J), system.unknowns)
        solution = self._impulses(reached, answers, free, h)
        du = free + solution.impulses @ answers / h
        assembly.move(system.rows, du, x1)
        if not np.isfinite(x1).all():
            raise StepFailed(f"{self.label}: contact pushes a body out of reach")
        v1 = (x1 - before) / h
        self._turn_velocities(system, du, x1, h, v1)
        system.driven_velocity(t1, v1)
        if not self.contact_compliance:
            move_out(system.contact, reached, answers, x1)
        system.clean_directors(x1)
        multipliers = system.reported_multipliers(
            system.multiplier_increments(du), system.stiffness(h, system.step), (x1, x1), (t1, t1)
        )
        turns = system.turns_at(x1, state.turns)
        system.advance_states(state.x, system.amplitudes(t1), 1.0, turns)
        after = State(t1, x1, v1, multipliers, memory(system.contact, state, reached, solution, x1, h), turns)
        return after, StepInfo(iterations=1 + solution.iterations, residuals=[solution.residual])

    def _impulses(self, reached: Reached, answers: Array, free: Array, h: float) -> FrictionSolution:
        """The contact problem of the step and its solution."""
        k, d = len(reached.point), reached.axes.shape[-1]
        W = (reached.J @ answers.T) / h**2
        q = reached.J @ free / h
        normal = q[::d]
        bounces = (reached.restitution > 0.0) & (reached.before < 0.0) & (reached.gap + h * normal <= 0.0)
        # What gives way elastically is pushed back by how deep it is; else nothing is thrown out.
        gap = reached.gap if self.contact_compliance > 0.0 else np.maximum(reached.gap, 0.0)
        shift = np.where(bounces, reached.restitution * reached.before, gap / h)
        q = q.copy()
        q[::d] += shift
        soft = np.zeros((k, d))
        soft[:, : d if self.friction == "box" else 1] = (self.contact_compliance / h**2 / reached.weight)[:, None]
        W[np.arange(k * d), np.arange(k * d)] += soft.ravel()
        problem = FrictionProblem.coulomb(0.5 * (W + W.T), q, reached.mu, d)
        if self.friction == "penalty":
            press = h * np.maximum(-reached.gap, 0.0) * reached.weight / self.contact_compliance
            return _penalty(problem, reached, press, self.creep)
        solution = MODELS[self.friction](problem, self)
        return shared(problem, solution, reached, self.tolerance) if self.friction == "cone" else solution


def shared(
    problem: FrictionProblem, solution: FrictionSolution, reached: Reached, tolerance: float
) -> FrictionSolution:
    """Impulses of points that hold more than can move, shared by their lengths or areas: Σ |p|²/w is least for the same motion.

    The motion does not notice, and where the laws would (at the bound of friction), they stay as they were found.
    """
    d = reached.axes.shape[-1]
    on = np.repeat(solution.impulses[::d] > 0.0, d)
    if on.sum() <= d or problem.size > MOST_SHARED:
        return solution
    root = np.sqrt(np.repeat(reached.weight, d)[on])
    J = root[:, None] * reached.J[on]
    levels, p = J.T, solution.impulses.copy()
    p[on] = root * np.linalg.lstsq(levels, reached.J[on].T @ p[on], rcond=1e-11)[0]
    better = problem.solution(p, solution.iterations, max(tolerance, solution.residual))
    return better if better.converged else solution


def _cone(problem: FrictionProblem, method: Nonsmooth) -> FrictionSolution:
    return solve_cone(problem, tolerance=method.tolerance)


def _box(problem: FrictionProblem, method: Nonsmooth) -> FrictionSolution:
    return solve_box(problem)


def _polyhedral(problem: FrictionProblem, method: Nonsmooth) -> FrictionSolution:
    return solve_polyhedral(problem)


def _prox(problem: FrictionProblem, method: Nonsmooth) -> FrictionSolution:
    return solve_prox(problem, tolerance=max(method.tolerance, 1e-8))


def _penalty(problem: FrictionProblem, reached: Reached, press: Array, creep: float) -> FrictionSolution:
    """Points that are inside are held by springs, without asking which way they push; friction is known beforehand."""
    k, d = len(press), reached.axes.shape[-1]
    p = np.zeros((k, d))
    speed = np.linalg.norm(reached.slip, axis=1)
    p[:, 1:] = -(reached.mu * press / np.maximum(speed, creep))[:, None] * reached.slip
    inside = np.flatnonzero(reached.gap < 0.0)
    if inside.size:
        known = (problem.W @ p.ravel() + problem.q)[d * inside]
        p[inside, 0] = np.linalg.solve(problem.W[np.ix_(d * inside, d * inside)], -known)
    return problem.solution(p.ravel(), 1, np.inf)


MODELS: dict[str, Callable[[FrictionProblem, Nonsmooth], FrictionSolution]] = {
    "cone": _cone, "box": _box, "polyhedral": _polyhedral, "prox": _prox,
}  # fmt: skip


def reach(system: RunningSystem, state: State, x: Array, free: Array, h: float) -> Reached:
    """The points that can touch in a step from x that without contact would move by `free` (unknowns,)."""
    problem, d = system.contact, system.d
    assert problem is not None
    problem.look_around(state, h)
    there = x.copy()
    assembly.move(system.rows, free, there)
    way = max(h * problem.fastest(state.v), float(np.abs(there - x).max(initial=0.0)))
    found, blocks = [], []
    for number_, pair in enumerate(problem.pairs):
        gap = pair.gaps(x)
        points = np.flatnonzero(np.minimum(gap, pair.gaps(there)) <= REACH * way)
        if not points.size:
            continue
        rows, gradients, axes = pair.directions(x, points)
        rates = np.einsum("kira,kra->ki", gradients, state.v[rows])
        speed = np.linalg.norm(rates[:, 1:], axis=1)
        mu = np.zeros(points.size) if pair.rub is None else pair.rub.coefficient(speed)
        e = np.full(points.size, pair.law.restitution)
        area = pair.areas[points]
        weight = np.where(area > 0.0, area, 1.0)
        found.append(
            (np.full(points.size, number_), points, gap[points], mu, e, rates[:, 0], rates[:, 1:], weight, axes)
        )
        blocks.append(_in_unknowns(system, x, rows, gradients))
    if not found:
        none = np.zeros(0)
        whole = np.zeros(0, dtype=np.int64)
        axes, J = np.zeros((0, d, d)), np.zeros((0, system.unknowns))
        return Reached(whole, whole, none, none, none, none, np.zeros((0, d - 1)), none, axes, J)
    columns: list[Array] = [np.concatenate(column) for column in zip(*found, strict=True)]
    return Reached._make([*columns, np.concatenate(blocks)])


def _in_unknowns(system: RunningSystem, x: Array, rows: NDArray[np.int64], gradients: Array) -> Array:
    """Gradients by rows (k, d, nr, d) as rows of unknowns (k d, unknowns)."""
    k, d = gradients.shape[:2]
    out, q, none = np.zeros((k * d, system.unknowns)), np.zeros_like(x), np.zeros_like(x)
    spare = np.zeros((2, system.unknowns))
    for i in range(k):
        for a in range(d):
            np.add.at(q, rows[i], gradients[i, a])
            assembly.project(system.rows, x, q, none, none, out[d * i + a], spare[0], spare[1])
            q[rows[i]] = 0.0
    return out


def move_out(problem: ContactProblem, reached: Reached, answers: Array, x: Array) -> None:
    """Move points that are inside out of it, in place, by the shortest way in the metric of the step."""
    if not len(reached.point):
        return
    d, system = x.shape[1], problem.system
    gap = np.zeros(len(reached.point))
    for number_ in np.unique(reached.pair):
        mine = reached.pair == number_
        gap[mine] = problem.pairs[number_].gaps(x)[reached.point[mine]]
    deep = np.flatnonzero(gap < -INSIDE * system.size)
    if not deep.size:
        return
    J, back = reached.J[d * deep], answers[d * deep]
    W = J @ back.T
    found = solve_bounded(0.5 * (W + W.T), gap[deep], 0.0, np.inf)
    assembly.move(system.rows, found.z @ back, x)


def memory(
    problem: ContactProblem, state: State, reached: Reached, solution: FrictionSolution, x1: Array, h: float
) -> dict[str, Any]:
    """Forces and impulses of all points for the next step and for results."""
    from condyle.contact.memory import DEPTH, FEATURES, FORCE, IMPULSE, MEAN_FORCE

    before = problem.memory_of(state, h)
    impulse, d = np.zeros_like(before[FORCE]), x1.shape[1]
    p = solution.impulses.reshape(-1, d)
    for k, pair in enumerate(problem.pairs):
        mine = np.flatnonzero(reached.pair == k)
        of_pair = impulse[problem.force_start[k] : problem.force_start[k + 1]].reshape(pair.count, pair.reported)
        vector = np.einsum("kij,ki->kj", reached.axes[mine], p[mine])
        of_pair[reached.point[mine]] = -vector if pair.reported > 1 else -p[mine, :1]
    depth = before.get(DEPTH, np.zeros(len(problem.pairs)))
    deepest = np.array([max(0.0, -float(pair.gaps(x1).min())) for pair in problem.pairs])
    force = impulse / h
    features = {FEATURES: problem.features()} if FEATURES in before else {}
    return before | features | {
        FORCE: force, IMPULSE: impulse, MEAN_FORCE: 0.5 * (before[FORCE] + force), DEPTH: np.maximum(depth, deepest),
    }  # fmt: skip
