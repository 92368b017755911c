"""Steps at the level of velocities, in which points may strike, stick and slip: one linear system, one contact problem.

    A u = b + Jᵀ p/h,   v1 = u/h,   J v1 = W p + q,   W = J A⁻¹ Jᵀ/h²

A and b are those of the compliant step (`compliant.py`): inertia, elasticity, joints. J has a row across and rows along the
surface for each point that can be reached within the step (`nonsmooth_rows.py`), and the impulses p obey a law of friction
(`nonsmooth_models.py`), starting from those of the step before:

    0 ≤ p_n ⊥ u_n ≥ −g/h         a gap g > 0 may close within the step, and no further
    u_n ≥ −e u_n(0)              points that close, with restitution e (moreau-1988), for which g is then left out; not
                                 those whose rebound would end within the next step (`nonsmooth_motion.py:rebounds`)

What is inside as a step begins, because surfaces are curved, is moved out without a velocity within it, so that nothing is
thrown out of an overlap.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.contact.collision_pair import CollisionPair
from condyle.contact.laws.surface_friction import SurfaceFriction
from condyle.contact.memory import (
    DEPTH,
    FEATURES,
    FORCE,
    HELD,
    IMPULSE,
    MEAN_FORCE,
    PASSED,
    RESIDUAL,
    TURNING,
    UNSOLVED,
)
from condyle.contact.pair import RigidPair
from condyle.contact.passing import APART, FAST, Pushed, judge
from condyle.contact.patch_pair import PatchPair
from condyle.contact.shape_pair import ShapePair
from condyle.contact.stiffness import ContactWarning
from condyle.errors import InputError
from condyle.integrators.compiled import options_of
from condyle.integrators.compliant import Compliant
from condyle.integrators.first_order import row_rates
from condyle.integrators.islands import Islands
from condyle.integrators.newton import StepFailed, StepInfo
from condyle.integrators.nonsmooth_compiled import GroupContact, Met, held_after, why_not
from condyle.integrators.nonsmooth_kernels import fastest_place, unknown_velocities
from condyle.integrators.nonsmooth_loop import FEW, MOVING_OUT, NEARLY_OUT
from condyle.integrators.nonsmooth_models import (
    NAMES,
    SHARED_RIGID,
    ContactTask,
    Impulses,
    Options,
    is_long,
    left_over,
    solve_task,
)
from condyle.integrators.nonsmooth_pile_steps import PileSteps
from condyle.integrators.nonsmooth_pile_steps import why_in_python as why_no_pile
from condyle.integrators.nonsmooth_rows import Reached, reach, start_impulses
from condyle.integrators.nonsmooth_steps import ImpulseSteps, NonsmoothSteps, why_in_python
from condyle.model.quantities import choice, quantity
from condyle.solvers.body_sweeps import SparseRows, own_blocks, sweep_bodies, times_rows
from condyle.solvers.velocity_newton import newton_on_velocities
from condyle.system import assembly
from condyle.system.assembly.geometric import add_geometric_stiffness
from condyle.system.running import RunningSystem
from condyle.system.state import State

if TYPE_CHECKING:
    from condyle.contact.problem import ContactProblem

Array = NDArray[np.float64]
INSIDE = 1e-10  # of the size of the model: an overlap that is worth moving,
INSIDE_GIVING = 1e-8  # and of points that give, which come and go by less than that
FINEST = 1000  # parts of a step to which it is cut at most where bodies pass through each other
OUTSIDE = tuple(zip(NEARLY_OUT, MOVING_OUT, strict=True))


@dataclass
class Nonsmooth(Compliant):
    """First order, at the level of velocities: impacts, exact stick and slip, at any step; for real time.

    friction: 'cone' (Coulomb's law, exactly), or one of the models of hewlett-2020: 'box', 'polyhedral', 'prox'
    (`condyle.solvers`), and 'penalty', in which points that are inside are pushed back linearly, and pulled where they leave,
    with friction μ p_n min(1, |u_t|/creep) of the start of the step. A `Contact` that names its own model has that one.
    contact_compliance: points give way elastically, across and with 'box' also along the surface, [m/N] for each point, or
    [m²/N] for points of a line and [m³/N] for those of a surface, which have lengths and areas (0: not at all).
    creep [m/s]: the slip at which friction of 'penalty' is full. prox_factor: of the steps of 'prox', times 1/W_ii of each row;
    prox_adaptive: it grows while they come nearer to the solution, and shrinks where they do not; or prox_decay: it is
    times this from sweep to sweep, as published (1: it stays). prox_density [kg/m, kg/m² of
    surfaces]: these steps are weighted by the length or area of each point times this, as published, not by 1/W_ii (0: by it).
    tolerance: of the contact problem, relative to its impulses; the residual of each step is in its information, and steps
    that stay above it are counted in the result. sweeps: over the contacts of bodies that only contact brings together, at
    most in a step. finish: Newton's method ends what sweeps have begun; without it a step never takes longer than its
    sweeps. give: points of a group of free bodies in space that hold are springs of stiffness 1/(give W h²), 1/W the mass that
    a point moves, from the impulse that they had; piles are then solved in tens of sweeps (0: not at all). In a step that
    sweeps do not solve so, they give ten or a hundred times more. theta: forces are those of θ of the step (moreau-1988:
    ½ ≤ θ ≤ 1; 1 loses most, ½ nothing of what it resolves); up to 1/(1 + e) no bounce makes energy (acary-2016).
    stabilise: move what is inside out, without a velocity. continuous: steps in which bodies would pass through each other,
    or be pushed though they do not meet, are cut until they are not; without it, a run says that bodies have passed. reach:
    points that are farther away than this times the way of a step take no part in it; 0: only those that touch as it begins,
    as published, so that a point that comes in lands inside. geometric: with the geometric stiffness of joints and of the
    present stress in the matrix, as of `Stabilised`: taut ropes and chains, whose pull holds them straight, stay calm at
    steps that do not resolve how they swing across.
    Contacts have the laws Hard and Impact with Newton's rule.
    """

    friction: str = choice(*NAMES, default="cone")
    contact_compliance: float = quantity("m/N", default=0.0, at_least=0.0)
    creep: float = quantity(default=1.75, above=0.0)
    prox_factor: float = quantity(default=0.4, above=0.0)
    prox_adaptive: bool = False
    prox_decay: float = quantity(default=1.0, above=0.0, at_most=1.0)
    prox_density: float = quantity(default=0.0, at_least=0.0)
    tolerance: float = quantity(default=1e-10, above=0.0)
    sweeps: int = quantity(default=400, at_least=1)
    finish: bool = True
    give: float = quantity(default=0.0, at_least=0.0)
    theta: float = quantity(default=1.0, at_least=0.5, at_most=1.0)
    stabilise: bool = True
    continuous: bool = False
    reach: float = quantity(default=3.0, at_least=0.0)
    geometric: bool = False
    step_kind = "nonsmooth"
    judges_passing = True  # by `continuous`, so that no other judgement is needed
    springs_in_contact = True  # of 'penalty', whose energy the account does not know
    remedy = (
        "friction='penalty' is that of the start of a step: take a smaller dt or a larger creep, or friction='cone'"
    )

    def unwatched_in(self, system: RunningSystem) -> str:
        """Why the balance of energy of a system is not watched; friction of 'penalty' can make it, so that it is."""
        if self.friction != "penalty":
            return Compliant.unwatched
        pairs = [] if system.contact is None else system.contact.pairs
        belts = [pair.name for pair in pairs if isinstance(pair.rub, SurfaceFriction) and pair.rub.velocity is not None]
        if belts:
            return f"the belt of contact '{belts[0]}' does work that is not known"
        return "what moves as prescribed does work in contact that is not known" if system.driven else ""

    def __post_init__(self) -> None:
        if self.friction == "penalty" and not self.contact_compliance:
            raise InputError("Nonsmooth: friction='penalty' needs a contact_compliance above 0, such as 1e-8")
        if self.prox_adaptive and self.prox_decay < 1.0:
            raise InputError("Nonsmooth: give either prox_adaptive or prox_decay, not both")

    @property
    def decay(self) -> float:
        """Of the steps of 'prox' from sweep to sweep; 0 where they adapt themselves."""
        return 0.0 if self.prox_adaptive else self.prox_decay

    def prepare(self, system: RunningSystem, state: State, h: float) -> None:
        super().prepare(system, state, h)
        pairs = [] if system.contact is None else system.contact.pairs
        for pair in pairs:
            _refuse(pair)
            if pair.model == "penalty" and not self.contact_compliance:
                raise InputError(
                    f"contact '{pair.name}' has the model 'penalty'; give Nonsmooth a contact_compliance above 0"
                )
        _refuse_two_models(pairs, self.friction)
        if pairs:
            for name in (RESIDUAL, UNSOLVED, PASSED):
                state.memory.setdefault(name, np.zeros(1))
            if any(isinstance(pair.rub, SurfaceFriction) for pair in pairs):
                assert system.contact is not None
                state.memory.setdefault(TURNING, np.zeros((system.contact.points, 3)))

    def islands(self, system: RunningSystem) -> Islands:
        """The parts of the system that only contact brings together."""
        return system.keep("islands", lambda: Islands(system))

    def _of_run(self, what: str) -> tuple[Hashable, ...]:
        """The name under which a run keeps what follows from the options of this method."""
        return (what, *options_of(self))

    def _models(self, system: RunningSystem) -> NDArray[np.int64]:
        """The model of each pair, as a number."""
        pairs = [] if system.contact is None else system.contact.pairs
        numbers = [NAMES.index(pair.model or self.friction) for pair in pairs]
        return system.keep(self._of_run("models of friction"), lambda: np.array(numbers, dtype=np.int64))

    def why_in_python(self, system: RunningSystem) -> str:
        """Why steps of this system are taken in Python; empty if they are compiled."""
        loop, pile = self._why(system)
        is_group = system.contact is not None and all(isinstance(pair, CollisionPair) for pair in system.contact.pairs)
        return "" if not (loop and pile) else pile if is_group else loop

    def _why(self, system: RunningSystem) -> tuple[str, str]:
        """Why steps of a system are not those of the loop, and not those of a pile."""
        return system.keep(
            self._of_run("why in Python"), lambda: (why_in_python(self, system), why_no_pile(self, system))
        )

    def compiled(self, system: RunningSystem, *, in_rows: bool = False) -> ImpulseSteps | None:  # type: ignore[override]
        """The compiled form of its steps; None where they are taken in Python."""
        loop, pile = self._why(system)
        if loop and pile:
            return None
        return PileSteps.of(system, self) if loop else NonsmoothSteps.of(system, self)

    def inside(self, system: RunningSystem) -> float:
        """An overlap that is worth moving [m]."""
        return (INSIDE_GIVING if self.give > 0.0 else INSIDE) * system.size

    @np.errstate(over="ignore", invalid="ignore")  # a step that runs away says so below
    def step_in_python(self, system: RunningSystem, state: State, h: float) -> tuple[State, StepInfo]:
        """One step of length h [s], for contacts of any kind."""
        if system.contact is None and self.theta == 1.0 and not self.geometric:
            return super().step_in_python(system, state, h)
        t1, islands, part = state.t + h, self.islands(system), self.theta * h
        system.set_turns(state.turns)
        system.set_pace(1.0 / h)
        x1 = state.x.copy()
        system.place_driven(t1, x1)
        driven = np.zeros_like(x1)
        system.driven_velocity(t1, driven)
        du = self._free_motion(system, state, x1, part, islands)
        start = np.zeros(system.unknowns)
        unknown_velocities(system.rows, state.x, state.v, start)
        free = (du / part - (1.0 - self.theta) * start) / self.theta
        task, found, memory = None, Impulses(np.zeros(0), free, 0, 0.0, True), dict[str, Any]()
        group = self._group_of(system, islands)
        met = (
            None
            if group is None
            else group.meet(self, state, x1, free, driven, h, SHARED_RIGID, (OUTSIDE[0], OUTSIDE[1]), FEW)
        )
        if met is not None:
            said = "" if met.residual <= self.tolerance else left_over(met.residual, met.iterations)
            found, memory = Impulses(np.zeros(0), met.v, met.iterations, met.residual, not said, said), met.memory
        elif system.contact is not None:
            task = self._task(system, state, x1, free, driven, h)
            found = solve_task(task, self._options(h))
        rate = self.theta * found.v + (1.0 - self.theta) * start
        motion = h * rate
        if met is not None:
            motion += met.motion
        elif task is not None and self.stabilise and not self.contact_compliance:
            motion += moving_out(task, self._gaps(task, found.v, h), self.inside(system))
        assembly.move(system.rows, motion, x1)
        if not np.isfinite(x1).all():
            raise StepFailed(f"{self.label}: contact pushes a body out of reach")
        system.clean_directors(x1)
        passed = ""
        if met is not None and group is not None:
            if not group.is_slow(state.x, x1, APART if self.continuous else FAST):
                group.recall(state.x)
                passed = self._judge(system, _pushed(met), state, x1, h)
        elif task is not None:
            r = task.reached
            on = np.flatnonzero(found.p[: r.gap.size * r.d : r.d] > 0.0)
            passed = self._judge(system, Pushed(r.pair[on], r.point[on]), state, x1, h)
        v1 = driven
        row_rates(system.rows, found.v, 1.0, x1, v1, v1)
        multipliers = system.reported_multipliers(
            system.multiplier_increments(du + self.theta**2 * h * (found.v - free)),
            system.stiffness(h, system.step), (x1, x1), (t1, t1),
        )  # fmt: skip
        turns = system.turns_at(x1, state.turns)
        system.advance_states(state.x, system.amplitudes(t1), 1.0, turns)
        if task is not None:
            assert system.contact is not None
            memory = remember(system.contact, state, task.reached, found, h)
        if system.contact is not None:
            memory[PASSED] = state.memory.get(PASSED, np.zeros(1)) + bool(passed)
        info = StepInfo(iterations=1 + found.iterations, residuals=[found.residual], unsolved=found.message)
        return State(t1, x1, v1, multipliers, memory, turns), info

    def _free_motion(self, system: RunningSystem, state: State, x: Array, h: float, islands: Islands) -> Array:
        """The motion du (unknowns,) over h [s] without contact; the matrix stays factored."""
        out = system.scratch
        self._assemble(system, state, x, h, out)
        rhs = np.zeros(system.unknowns)
        rhs[: system.motion_unknowns] = -out.r[: system.motion_unknowns]
        system.held_unknowns(out.c, rhs)
        self._soften(system, out.A)
        islands.factor(out.A)
        return islands.solve(rhs)

    def _assemble(self, system: RunningSystem, state: State, x: Array, h: float, out: Any, stiff: bool = True) -> None:
        super()._assemble(system, state, x, h, out, stiff)
        if self.geometric:
            add_geometric_stiffness(system.whole, x, state.multipliers, 1.0, True, True, np.zeros_like(x), out.A)

    def _gaps(self, task: ContactTask, v: Array, h: float) -> Array:
        """Gaps from which points are moved out: those of the step's start, or with θ < 1, where points go inside that the step
        stops, those of its end (k,) [m]."""
        r = task.reached
        if self.theta == 1.0:
            return r.gap
        rates = np.empty(r.drive.size)
        times_rows(*r.J, v, rates)
        across = (rates + r.drive)[: r.gap.size * r.d : r.d]
        return r.gap + h * (self.theta * across + (1.0 - self.theta) * r.before)

    def _group_of(self, system: RunningSystem, islands: Islands) -> GroupContact | None:
        """The group of bodies that is all contact of the system, for kernels; None where Python goes through contacts."""
        return system.keep(
            self._of_run("group of bodies"),
            lambda: (
                None if why_not(system, self, islands) else GroupContact(system, self, islands, self.inside(system))
            ),
        )

    def _judge(self, system: RunningSystem, pushed: Pushed, state: State, x1: Array, h: float) -> str:
        """Bodies that have passed through each other in the step; StepFailed where it is to be cut for that."""
        assert system.contact is not None
        what = judge(system.contact, pushed, state.x, x1, self.continuous)
        if self.continuous and h > system.step / FINEST:
            if what.passed:
                raise StepFailed(f"{what.passed} pass through each other")
            if what.apart:
                raise StepFailed(f"{what.apart} push each other though they do not meet")
        if what.passed and not float(state.memory.get(PASSED, np.zeros(1))[0]):
            warnings.warn(
                f"{what.passed} pass through each other in the step to t = {state.t + h:.4g}; take a smaller dt, or "
                "Nonsmooth(continuous=True)",
                ContactWarning,
                stacklevel=2,
            )
        return what.passed

    def _options(self, h: float) -> Options:
        prox = self.prox_factor, self.decay, self.prox_density
        return Options(self.tolerance, self.sweeps, self.creep, self.contact_compliance, h, self.finish, *prox)

    def _task(self, system: RunningSystem, state: State, x: Array, free: Array, driven: Array, h: float) -> ContactTask:
        """The contact problem of a step from x, in which unknowns would have the velocities `free`."""
        problem = system.contact
        assert problem is not None
        problem.look_around(state, h)
        way = h * max(problem.fastest(state.v), problem.fastest(driven), fastest_place(system.rows, free))
        reached = reach(system, x, state.v, driven, max(self.reach * way, self.inside(system)))
        k, d = reached.gap.size, reached.d
        shift, soft = reached.drive.copy(), np.zeros(reached.drive.size)
        models = self._models(system)[reached.pair]
        if k:
            rates = np.empty(shift.size)
            times_rows(*reached.J, free, rates)
            normal = rates[: k * d : d]
            across = shift[: k * d : d]
            bounces = (reached.restitution > 0.0) & (reached.before < 0.0) & (reached.gap + h * normal <= 0.0)
            bounces &= -reached.restitution * reached.before > reached.before - normal - across  # as `rebounds`
            # What gives way elastically is pushed back by how deep it is; else nothing is thrown out, and the round-off of gaps
            # between flat sides, which no motion could close on all corners at once, is none.
            gap = reached.gap
            if not self.contact_compliance:
                gap = np.where(gap > self.inside(system), gap, 0.0)
            shift[: k * d : d] = np.where(bounces, reached.restitution * reached.before + across, gap / h)
            own = soft[: k * d].reshape(k, d)
            give = self.contact_compliance / h**2 / reached.weight
            own[:, 0] = give
            own[:, 1:] = np.where(models == NAMES.index("box"), give, 0.0)[:, None]
            _hold_free_rows(reached, own)
        return ContactTask(
            reached, self.islands(system), free, shift, soft, models,
            start_impulses(problem, state.memory, reached, h), (self.theta * h) ** 2,
        )  # fmt: skip


def _pushed(met: Met) -> Pushed:
    """Points of the only pair that have an impulse."""
    impulse = met.memory[IMPULSE]
    on = np.flatnonzero(impulse.reshape(len(met.memory[FEATURES]), -1)[:, 0] < 0.0)
    return Pushed(np.zeros_like(on), on)


def _refuse(pair: Any) -> None:
    """InputError where a contact has a law that steps at the level of velocities cannot take."""
    if pair.soft or (pair.law.restitution > 0.0 and pair.law.rule != "newton"):
        rule = "" if pair.soft else f" with rule={pair.law.rule!r}"
        raise InputError(
            f"Nonsmooth cannot take {type(pair.law).__name__}{rule} of contact '{pair.name}'; give it Hard() or "
            "Impact(e), or use Compliant, EnergyMomentum or GeneralizedAlpha"
        )
    rub = pair.rub
    if rub is not None and not rub.exact:
        raise InputError(
            f"Nonsmooth takes Coulomb friction, and contact '{pair.name}' has {type(rub).__name__}; give it Coulomb"
        )
    if not isinstance(rub, SurfaceFriction):
        return
    if (rub.rolling or rub.spinning) and not isinstance(pair, ShapePair):
        raise InputError(
            f"contact '{pair.name}': resistance to rolling and spinning needs shapes on both bodies; give a shape such as "
            "Sphere(radius) as surface"
        )
    on_a_line = isinstance(pair, PatchPair) or (bool(pair.lines) and isinstance(pair, RigidPair))
    if rub.axis == "along" and not on_a_line:
        raise InputError(
            f"contact '{pair.name}': axis='along' is that of a cable or beam on a rigid surface, with points='integration'"
        )
    for name, given in (("axis", rub.axis), ("velocity", rub.velocity)):
        if given is not None and not isinstance(given, str) and len(given) != pair.d:
            raise InputError(f"contact '{pair.name}': {name} of its friction must have {pair.d} components")


def _refuse_two_models(pairs: Sequence[Any], default: str) -> None:
    """InputError where two contacts of the same two bodies have different models of friction."""
    met: dict[frozenset[str], Any] = {}
    groups = [pair for pair in pairs if isinstance(pair, CollisionPair)]
    for pair in pairs:
        if isinstance(pair, CollisionPair):
            continue
        key = frozenset((pair.body, pair.target))
        others = [met[key]] if key in met else []
        others += [group for group in groups if group.meets(pair.body, pair.target)]
        for other in others:
            if (pair.model or default) != (other.model or default):
                raise InputError(
                    f"contacts '{other.name}' and '{pair.name}' are both between '{pair.body}' and '{pair.target}', with the "
                    f"models {other.model or default!r} and {pair.model or default!r}; give both the same model"
                )
        met[key] = pair


def _hold_free_rows(reached: Reached, soft: Array) -> None:
    """Rows in which nothing rubs are empty; a compliance of their own keeps their impulses at 0."""
    free = reached.scale == 0.0
    if free.any():
        soft[free] = 1.0 / reached.weight[np.nonzero(free)[0]]


def moving_out(task: ContactTask, gap: Array, least: float) -> Array:
    """Motion (unknowns,) by which points whose gap is below −least [m] come out, by a short way in the metric of the step."""
    r = task.reached
    out = np.zeros_like(task.free)
    if not gap.size or gap.min() >= -least:
        return out
    k, d = gap.size, r.d
    rows = np.arange(k) * d
    if is_long(task):
        none = np.zeros(k)
        found = newton_on_velocities(1, some_rows(r.J, rows), *task.solver, gap, none, none, out, none, NEARLY_OUT[1])
        return found.v
    J, Y = some_rows(r.J, rows), some_rows(task.Y, rows)
    soft, whole = np.zeros(k), np.zeros((0, 3), dtype=np.int64)
    W = np.empty((k, 1, 1))
    own_blocks(1, k, *J, *Y, soft, W)
    z, many = np.zeros(k), k > FEW
    sweep_bodies(
        1, *J, *Y, W, soft, gap, soft, soft, whole, np.zeros(0), gap, z, out, NEARLY_OUT[many], MOVING_OUT[many]
    )  # fmt: skip
    return out


def some_rows(rows: SparseRows, which: NDArray[np.int64]) -> SparseRows:
    """Some rows of a matrix."""
    count = rows.start[which + 1] - rows.start[which]
    start = np.concatenate(([0], np.cumsum(count)))
    at = np.arange(start[-1]) - np.repeat(start[:-1] - rows.start[which], count)
    return SparseRows(start, rows.column[at], rows.value[at])


def remember(problem: ContactProblem, state: State, reached: Reached, found: Impulses, h: float) -> dict[str, Any]:
    """Forces and impulses of all points for the next step and for results, and how well the problem was solved."""
    before = problem.memory_of(state, h)
    impulse, d, k = np.zeros_like(before[FORCE]), reached.d, reached.gap.size
    p = found.p[: k * d].reshape(k, d) * reached.scale
    depth = before[DEPTH].copy() if DEPTH in before else np.zeros(len(problem.pairs))
    for number_, pair in enumerate(problem.pairs):
        mine = np.flatnonzero(reached.pair == number_) if len(problem.pairs) > 1 else slice(None)
        own = p[mine]
        if not len(own):
            continue
        of_pair = impulse[problem.force_start[number_] : problem.force_start[number_ + 1]]
        kept = -np.einsum("kij,ki->kj", reached.axes[mine], own) if pair.reported > 1 else -own[:, :1]
        of_pair.reshape(pair.count, pair.reported)[reached.point[mine]] = kept
        depth[number_] = max(depth[number_], -float(reached.gap[mine].min()))
    force = impulse / h
    out = before | {
        FORCE: force, IMPULSE: impulse, MEAN_FORCE: 0.5 * (before[FORCE] + force), DEPTH: depth,
        RESIDUAL: np.array([found.residual]), UNSOLVED: before.get(UNSOLVED, np.zeros(1)) + (not found.solved),
    }  # fmt: skip
    if FEATURES in before:
        out[FEATURES] = problem.features()
    if HELD in before:
        out[HELD] = held_after(force, before[HELD], out[FEATURES])
    if any(isinstance(pair.rub, SurfaceFriction) for pair in problem.pairs):
        turned = np.zeros((problem.points, 3))
        for row, count, contact in reached.turning:
            at = problem.point_start[reached.pair[contact]] + reached.point[contact]
            turned[at, slice(0, count) if count == d - 1 else slice(2, 3)] = found.p[row : row + count] / h
        out[TURNING] = turned
    return out
