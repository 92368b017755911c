"""Runs steps in compiled code where method and model allow it (`loop.py`): alone or many in a row, with the same bits."""

from __future__ import annotations

import functools
import operator
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from condyle.integrators import account, convergence, loop, midpoint, newmark, still
from condyle.integrators.compiled_contacts import CompiledContacts
from condyle.integrators.contact_steps import no_contacts
from condyle.integrators.differences import Differences
from condyle.integrators.extrapolation import DEPTH, Past, forget
from condyle.integrators.newton import ROUND_OFF, StepInfo, Tolerance
from condyle.integrators.step_tables import (
    HELD,
    ROWS,
    Frames,
    Motion,
    Problem,
    Record,
    Redundant,
    Scheme,
    Tables,
    Work,
)
from condyle.integrators.still_rows import still_of
from condyle.integrators.strategy import FullNewton, ModifiedNewton, newton_strategy
from condyle.system.blocks import Blocks
from condyle.system.couplings import no_couplings
from condyle.system.reactions import weights_at
from condyle.system.running import RunningSystem
from condyle.system.state import Batch, State, Times, same_bits
from condyle.system.tables import MULTIPLIER, PENALTY
from condyle.system.whole import whole_system

Array = NDArray[np.float64]
Names = tuple[tuple[str, ...], tuple[str, ...]]  # of what is carried from step to step: of rows, of bodies

NONE_KEPT = 2**62  # no step has this number
NO_STEPS = np.zeros(0, dtype=np.int64)
NO_BLOCKS = "a mesh or many loops: other solvers are faster"
# Why a compiled step is tried again in Python.
FAILURES = {
    convergence.CONVERGED: "",
    convergence.NOT_CONVERGED: "Newton's method did not converge in compiled code",
    convergence.SINGULAR: "a pivot was lost in the compiled elimination",
    convergence.NOT_FINITE: "a force was not finite in compiled code",
    convergence.OVERFLOWN: "an energy was not finite in compiled code",
    convergence.TURNED: "a body turned too far within a compiled step",
    convergence.UNBALANCED: "energy was not kept in a compiled step",
    convergence.INVERTED: "an element collapsed or turned inside out in a compiled step",
    convergence.TOUCHED: "points meet, come to rest or part",
    convergence.SURVEY: "rigid shapes are near each other that were not",
    convergence.COUPLED: "rigid shapes press each other so stiffly that their matrix has to be factorised",
}


def options_of(method: object) -> tuple[Any, ...]:
    """The type of a method and all of its options: two methods with the same ones take the same steps."""
    kind: Any = type(method)  # functools.cache asks for a hash, which mypy does not see in type
    return kind, _options(kind)(method)


@functools.cache
def _options(kind: Any) -> operator.attrgetter[Any]:
    """All options of a method of a type, read at once: steps from Python ask for them each time."""
    return operator.attrgetter(*kind.__dataclass_fields__)


class CompiledMethod:
    """A method whose steps are compiled: it gives its factors, and can take a step in Python where that must be."""

    tolerance: Tolerance
    newton: str | FullNewton | ModifiedNewton
    coefficients: Any = None  # αm, αf, β, γ of a method with Newmark's formulas; None for one with mean velocities

    @property
    def differences(self) -> int:
        """Order of backward differences in place of Newmark's formulas; 0 for none."""
        return 0

    @property
    def scheme(self) -> Scheme:
        """The factors of its equations."""
        raise TypeError(f"{type(self).__name__} does not give its factors: define scheme(self)")

    def step_in_python(self, system: RunningSystem, state: State, h: float) -> tuple[State, StepInfo]:
        """One step of length h [s], with all that Python can do about it."""
        raise TypeError(f"{type(self).__name__} cannot step in Python: define step_in_python(self, system, state, h)")

    def consistent(self, system: RunningSystem) -> bool:
        """Are velocities, accelerations and multipliers made consistent with the constraints at the end of each step?"""
        return False

    def why_in_python(self, system: RunningSystem) -> str:
        """Why steps of this system are taken in Python; empty if they are compiled."""
        found = why_not(system, takes_still=self.coefficients is not None)
        if found or not system.contacts or system.contact is None:
            return found
        return system.contact.why_not_compiled(self.coefficients is not None, self.consistent(system), True) or (
            "" if system.contact.blocks is not None else NO_BLOCKS
        )

    def compiled(self, system: RunningSystem, *, in_rows: bool = False) -> CompiledSteps | None:
        """The compiled form of its steps; None where they are taken in Python.

        in_rows: only if many may be taken at once. A subclass with a `step` of its own does not let them, and points on
        quasi-static bodies are looked after step by step, for nothing else keeps them from passing through a rigid shape.
        """
        one_by_one = type(self).step is not CompiledMethod.step or (
            system.quasi_static.size > 0 and bool(system.contacts)
        )
        if (in_rows and one_by_one) or self.why_in_python(system):
            return None
        return self.steps_of(system).of(system, self)

    def steps_of(self, system: RunningSystem) -> type[CompiledSteps]:
        """The form in which steps of this system are compiled."""
        return CompiledSteps

    def step(self, system: RunningSystem, state: State, h: float) -> tuple[State, StepInfo]:
        """One step of length h [s], in compiled code where that is possible."""
        return compiled_or_not(self, system, state, h)


def compiled_or_not(method: Any, system: RunningSystem, state: State, h: float) -> tuple[State, StepInfo]:
    """One step in compiled code or, where that is not possible or fails, in Python; the second says why."""
    compiled = method.compiled(system)
    done: tuple[State, StepInfo] | None = compiled.step(state, h) if compiled is not None else None
    if done is not None:
        return done
    after, info = method.step_in_python(system, state, h)
    info.in_python = method.why_in_python(system) if compiled is None else compiled.failure
    return after, info


def compiled_steps(method: object, system: RunningSystem, *, in_rows: bool = False) -> CompiledSteps | None:
    """What the method says about itself; a method without a compiled form need not say anything."""
    ask = getattr(method, "compiled", None)
    steps: CompiledSteps | None = None if ask is None else ask(system, in_rows=in_rows)
    return steps


def why_not(system: RunningSystem, takes_still: bool = False) -> str:
    """Why steps of this system are taken in Python; empty if they are not.

    takes_still: does the method balance the end of a step, where quasi-static bodies are balanced, too?
    """
    if system.identity:
        return "rigid bodies are held together by multipliers (formulation='rows')"
    if system.user_forces:
        return "forces are Python functions"
    if system.contacts and system.redundant:
        return "constraints depend on each other, with contact"
    if system.solver_kind not in ("auto", "block"):
        return f"solver='{system.solver_kind}' was asked for"
    if system.part_held_by_uzawa:
        return f"'{system.part_held_by_uzawa}' is held by Uzawa's outer loop"
    if system.quasi_static.size and not takes_still:
        return "bodies are quasi-static, and the method does not balance the end of a step"
    if _held_by_multipliers(system):
        return "quasi-static bodies are held by multipliers"
    if system.fades:
        return "materials have a fading memory"
    if system.swells:
        return "bodies swell"
    return "" if system.contacts or system.blocks is not None else NO_BLOCKS


def _held_by_multipliers(system: RunningSystem) -> bool:
    """Do several links act on quasi-static bodies? Nodes are eliminated before multipliers, and the last node of a body that
    only multipliers hold has hardly any stiffness left: pivots are lost, and Newton's method needs many iterations."""
    start = system.links.row_start
    if not system.quasi_static.size or not system.links.law.size:
        return False
    acts = system.rows.quasi[system.links.rows[start[0] : start[-1]]]
    return int(np.count_nonzero(np.logical_or.reduceat(acts, start[:-1] - start[0]))) > 1


class CompiledSteps:
    """The compiled form of one system under one method."""

    @classmethod
    def of(cls, system: RunningSystem, method: Any) -> Self:
        """The compiled form, made once."""
        return system.compiled((cls, options_of(method), system.step, system.redundant), lambda: cls(system, method))

    def __init__(self, system: RunningSystem, method: CompiledMethod) -> None:
        self.system, self.method = system, method
        self._lay_out()
        # x and v after the last step, from which the next one may continue.
        self.reached: tuple[Array, Array] | None = None
        self.account = np.zeros(account.ACCOUNT)
        # energy in them changes with their targets
        driven = system.constraints.channel[system.constraints.drive >= 0]
        self.stiff_drives = bool((system.hold[driven] == PENALTY).any())
        self.failure = ""  # why the last step failed, if it did

    def _lay_out(self) -> None:
        """Tables and room, which follow from the pattern of the matrix."""
        system, method = self.system, self.method
        self.scheme = method.scheme
        self.touch = self._own_contacts()
        if self.touch is not None:
            self.scheme = self.scheme._replace(exact=False)  # bodies that meet lose energy
        blocks = system.blocks
        if self.touch is not None:
            found = self.touch.problem.blocks
            blocks = None if found is None else found[0]
        assert blocks is not None  # else `why_not` says so
        self.blocks = blocks
        rows = blocks.rows._replace(pace=system.rows.pace)
        whole = whole_system(system, rows, blocks.mass, system.own_columns(blocks.laws))
        tolerance, share = method.tolerance, newton_strategy(method.newton).share
        self.problem = Problem(
            whole, blocks.schedule, system.mass, system.gravity_force,
            np.stack((system.translation, system.elastic_rows.astype(float))), _units(system, blocks),
            _multipliers(system, blocks), *system.stiffness(system.step), angles_of(system),
            np.array([tolerance.force, max(tolerance.length, ROUND_OFF), ROUND_OFF]), tolerance.iterations, share,
            _redundant(system, blocks),
        )  # fmt: skip
        n, d, m, bodies = system.n, system.d, self.problem.multipliers.shape[1], len(blocks.rows.bodies)
        self.held = m  # multipliers, with those of contact
        self.newmark = None
        if method.coefficients is not None:
            self.newmark = _newmark(system, method, self.problem, blocks)
        self.orders = 1 if self.newmark is None else 3  # derivatives that prescribed rows are tabulated with
        self.carried = self._carries()
        self.work = Work(
            np.zeros((ROWS, n, d)), np.zeros((5, blocks.size)), np.zeros((HELD, m)), np.zeros((2, bodies, 3)),
            np.zeros(blocks.entries), np.zeros(3 * blocks.size), np.zeros(blocks.entries if system.redundant else 0),
            np.zeros(convergence.CONTROL), np.zeros(tolerance.iterations + 1), past_of(system, blocks.rows.bodies, m),
        )  # fmt: skip
        self._make_room()

    def _carries(self) -> Names:
        """What is carried from step to step."""
        if self.newmark is None:
            return midpoint.CARRIED
        of_rows: tuple[str, ...]
        of_bodies: tuple[str, ...]
        of_rows, of_bodies = newmark.CARRIED
        quasi = self.system.quasi_static.size > 0
        for rows, bodies in [newmark.IN_CONTACT] * (quasi or self.touch is not None) + [still.CARRIED] * quasi:
            of_rows, of_bodies = of_rows + rows, of_bodies + bodies
        return of_rows, of_bodies

    def _own_contacts(self) -> CompiledContacts | None:
        """Contacts as Newton's method in compiled code knows them."""
        contact = self.system.contact
        return None if contact is None else CompiledContacts(contact, contact.compiled_table())

    def _make_room(self) -> None:
        """What follows from the shapes of a state, and the tables of a single step where nothing depends on time."""
        s = self.system
        self.shapes = self._shapes()
        self.none = Frames(*(np.zeros((0, *shape)) for shape in self.shapes))  # room for no frames
        self._steady: Tables | None = None
        if not (s.functions or s.driven or s.gravity_scale is not None):
            self._steady = self.tables(0.0, [s.step], s.step)[1]
        self.after = self._motion()

    @property
    def more_solutions(self) -> tuple[float, float]:
        """Factorisations and solutions of linear equations in a step, beyond one of each for an iteration."""
        consistent = self.newmark is not None and self.newmark.consistent
        return (1.0, 4.0) if consistent else (0.0, float(self.scheme.polished))

    def _motion(self) -> Motion:
        """Room for a state."""
        return Motion(*map(np.zeros, self.shapes))

    def _shapes(self) -> tuple[tuple[int, ...], ...]:
        """Of the arrays of a state."""
        s = self.system
        rows, bodies = (len(names) for names in self.carried)
        touch = 0 if self.touch is None else self.touch.size
        return ((s.n, s.d), (s.n, s.d), (self.held,), (s.turn_count,), (rows, s.n, s.d),
                (bodies, s.rows.bodies.shape[0], 3), (touch,))  # fmt: skip

    def _begin(self, state: State) -> Motion:
        """A state as compiled steps take it."""
        now = self._motion()
        now.x[:], now.v[:], now.turns[:] = state.x, state.v, state.turns
        now.multipliers[: len(state.multipliers)] = state.multipliers
        if self.touch is not None:
            self.touch.begin(state, self.system, now.touch, now.multipliers[len(state.multipliers) :])
        for arrays, names in zip((now.rows, now.bodies), self.carried, strict=True):
            for array, name in zip(arrays, names, strict=True):
                array[:] = state.memory[name]
        return now

    def _memory(self, motion: Motion | Frames, axis: int = 0) -> dict[str, Array]:
        """What the method carries, by name; axis 1 of frames."""
        found = {
            name: arrays[k] if axis == 0 else arrays[:, k]
            for arrays, names in zip((motion.rows, motion.bodies), self.carried, strict=True)
            for k, name in enumerate(names)
        }
        return found if self.touch is None else found | self.touch.memory(motion.touch)

    def go_on_from(self, x: Array, v: Array) -> bool:
        """Extrapolate from the steps before if they led to this state; returns whether they did."""
        led = self.reached is not None and same_bits(self.reached[0], x) and same_bits(self.reached[1], v)
        if not led:
            forget(self.work.past)
        return led

    def begin_anew(self) -> None:
        """Another run of the system begins: its first step follows no other."""
        self.reached, self.failure = None, ""

    def _arrive(self, now: Motion) -> None:
        """Remember where a row of steps has led, see `go_on_from`."""
        self.reached = (now.x.copy(), now.v.copy())

    def _open_account(self, state: State, work: float) -> None:
        """Energies before the first of a row of steps, and the work until then [J]."""
        s = self.system
        energy = s.energy(state, s.stiffness(s.step))
        account.open_account(self.account, account.numbers(energy, work, 0.0))

    def step(self, state: State, h: float) -> tuple[State, StepInfo] | None:
        """One step of length h [s]; None if it fails and has to be tried otherwise."""
        done = self.run(state, [state.t + h], self.system.step_number, NONE_KEPT, 0.0, size=h)
        if done.failed:
            return None
        count = int(done.scalars[0, account.ITERATIONS])
        residuals = self.work.residuals[: count + 1].tolist()
        numbers = (done.scalars[0], done.linear[0], done.angular[0])
        return done.state, StepInfo(count, residuals, work=done.work, numbers=numbers)

    def run(self, state: State, times: Times, first: int, every: int, work: float, size: float | None = None) -> Batch:
        """Steps that end at `times` [s]; every `every`-th, counted from `first`, is kept. size: of a single step.

        every: NONE_KEPT for no frame at all, as of a single step, whose state is all that is asked for.
        """
        at, tables = self.tables(state.t, times, size)
        if self.touch is not None and self.touch.gather(state, tables.sizes[:1]):
            if self.touch.problem.blocks is None:
                tables = tables._replace(sizes=tables.sizes[:0])  # too many meet: the first step is Python's
            else:
                self._lay_out()
        count, d = len(times), self.system.d
        steps = NO_STEPS if every == NONE_KEPT else first + np.arange(count)
        frames = int(np.count_nonzero(steps % every == 0)) if steps.size else 0
        now = self._begin(state)
        kept_frames = Frames(*(np.zeros((frames, *shape)) for shape in self.shapes)) if frames else self.none
        record = Record(np.zeros((count, account.SCALARS)), np.zeros((count, d)), np.zeros((count, 3)), kept_frames)
        touch = no_contacts() if self.touch is None else self.touch.table
        if self.touch is not None and not self.touch.goes_on(state):
            tables = tables._replace(sizes=tables.sizes[:0])  # the first step is Python's
        led = self.go_on_from(now.x, now.v)
        if self.scheme.exact and (not led or self.stiff_drives):
            self._open_account(state, work)
        self.account[account.WORK_BEFORE] = work
        status, done, kept, work = self._run(touch, tables, now, work, first, every, record)
        if done == len(tables.sizes) < count:
            status = convergence.TOUCHED
        if status == convergence.SURVEY and done:
            status = convergence.CONVERGED  # the rest goes on with other neighbours
        self.failure = FAILURES[status]
        self._arrive(now)
        carried = self._memory(now)
        others = {name: array for name, array in state.memory.items() if name not in carried}
        if self.touch is not None and done:
            others |= self.touch.quiet
        multipliers = now.multipliers[: len(state.multipliers)].copy()
        reached = State(float(at[done]), now.x, now.v, multipliers, others | carried, now.turns)
        if every == NONE_KEPT:
            return Batch(
                reached, record.scalars[:done], record.linear[:done], record.angular[:done], at[1 : done + 1],
                tables.sizes[:done], steps, {}, float(work), status != convergence.CONVERGED,
            )  # fmt: skip
        frames_of = {name: getattr(record.frames, name) for name in ("x", "v", "multipliers", "turns")}
        frames_of["multipliers"] = frames_of["multipliers"][:, : len(state.multipliers)]
        frames_of |= {f"memory/{name}": array for name, array in self._memory(record.frames, 1).items()}
        frames_of |= {f"memory/{name}": np.broadcast_to(a, (frames, *np.shape(a))) for name, a in others.items()}
        return Batch(
            reached, record.scalars[:done],
            record.linear[:done], record.angular[:done], at[1 : done + 1], tables.sizes[:done],
            steps[:done][steps[:done] % every == 0], {name: a[:kept] for name, a in frames_of.items()}, float(work),
            status != convergence.CONVERGED,
        )  # fmt: skip

    def _run(
        self, touch: Any, tables: Tables, now: Motion, work: float, first: int, every: int, record: Record
    ) -> tuple[int, int, int, float]:
        """The steps themselves: how they ended, how many were done and kept, and the work until then [J]."""
        done: tuple[int, int, int, float] = self.entry(loop.run_steps, every)(
            self.problem, self.scheme, self.newmark, touch, tables, now, self.after, work, self.account, first, every, record,
            self.work,
        )  # fmt: skip
        return done

    def entry(self, run: Any, every: int) -> Any:
        """A kernel of steps as this run calls it: of a row of steps the record is large, and nobody should keep it."""
        call = self.system.call(run)
        return call if every == NONE_KEPT else call.in_passing

    def tables(self, start: float, times: Times, size: float | None = None) -> tuple[Array, Tables]:
        """All instants [s] from `start` on, and what functions of time and prescribed rows are at them."""
        s = self.system
        if size is None:
            at = np.concatenate(([start], times))
            sizes = np.diff(at)
        else:
            at, sizes = np.array([start, *times]), np.array([size])
            if self._steady is not None:  # the very tables of the last step, where they are the same
                return at, self._steady if size == self._steady.sizes[0] else self._steady._replace(sizes=sizes)
        count = len(sizes)
        middle = at[:-1] + 0.5 * sizes
        driven = [rows for rows, _ in s.driven]
        return at, Tables(
            sizes,
            np.array([s.amplitudes(t) for t in middle]) if s.functions else np.zeros((count, 1)),
            np.array([s.amplitudes(t) for t in at]) if s.functions else np.zeros((count + 1, 1)),
            self._rates(at[1:]),
            self._gravity(middle),
            self._gravity(at),
            np.concatenate(driven) if driven else np.zeros(0, dtype=np.int64),
            self._driven(at[1:], sizes),
        )

    def _gravity(self, times: Array) -> Array:
        scale = self.system.gravity_scale
        return np.ones(len(times)) if scale is None else np.array([scale(t) for t in times])

    def _rates(self, times: Array) -> Array:
        """All functions of time, their first and second derivatives, where a constraint follows one; (times, 3, functions)."""
        s = self.system
        if self.newmark is None or not s.has_drives:
            return np.zeros((len(times), 3, max(1, len(s.functions))))
        return np.array([s.amplitude_courses(t, s.step) for t in times])

    def _driven(self, times: Array, sizes: Array) -> Array:
        """Where prescribed rows are at the end of each step; their velocities and accelerations, where they are needed."""
        s, orders = self.system, self.orders
        rows = [row for rows, _ in s.driven for row in rows]
        motion, there = np.zeros((len(times), orders, len(rows), s.d)), np.zeros((orders, s.n, s.d))
        for k, t in enumerate(times if rows else ()):
            s.place_driven(t, there[0])
            if orders > 1:
                s.driven_velocity(t, there[1])
            if orders > 2:
                s.driven_acceleration(t, there[2], sizes[k])
            motion[k] = there[:, rows]
        return motion


def _units(system: RunningSystem, blocks: Blocks) -> NDArray[np.int64]:
    """Which residuals are judged together, in the order of the blocks."""
    unit = np.zeros(blocks.motion, dtype=np.int64)
    unit[blocks.unknown[: system.motion_unknowns]] = system.unit_of_unknown
    return unit


def _multipliers(system: RunningSystem, blocks: Blocks) -> NDArray[np.int64]:
    """What is known of each multiplier, see `Problem`."""
    m, links = len(system.multipliers), system.links.law.size
    live = system.multiplier_unknowns >= 0
    drive = np.full(m, -1, dtype=np.int64)
    drive[system.constraints.channel] = system.constraints.drive
    place = np.where(live, blocks.unknown[np.maximum(system.multiplier_unknowns, 0)], -1)
    stiff = np.concatenate((np.repeat(np.arange(links), system.d), links + np.arange(m - system.d * links)))
    found = np.stack((system.hold, place, drive, live, stiff)).astype(np.int64)
    own = blocks.unknown[system.unknowns :]  # of contact
    more = np.stack((np.full(own.size, MULTIPLIER), own, np.full(own.size, -1), np.ones(own.size), np.zeros(own.size)))
    return np.ascontiguousarray(np.concatenate((found, more.astype(np.int64)), axis=1))


def angles_of(system: RunningSystem) -> NDArray[np.int64]:
    """Angles and states of laws, see `Problem`."""
    angles = [
        np.stack((first + instance, place, vector), axis=1)
        for first, (instance, place, vector) in zip(system.spans[[0, 1, 3]], system.angles, strict=True)
    ]
    return np.ascontiguousarray(np.concatenate(angles)).astype(np.int64)


def _redundant(system: RunningSystem, blocks: Blocks) -> Redundant:
    """What is needed to share reactions, weighted as where the run began."""
    if not system.redundant:
        return Redundant(no_couplings(), np.zeros(0, dtype=np.int64), np.zeros(0))
    return Redundant(blocks.couplings(system), np.flatnonzero(system.exact), weights_at(system, *system.begun_at))


def past_of(system: RunningSystem, bodies: NDArray[np.int64], multipliers: int) -> Past:
    """Room for the last steps."""
    mass = np.zeros(system.n)
    own = system.mass.first == system.mass.second
    np.add.at(mass, system.mass.first[own], system.mass.value[own])
    velocity, spin = np.zeros((DEPTH, system.n, system.d)), np.zeros((DEPTH, len(bodies), 3))
    return Past(velocity, spin, np.zeros((DEPTH, multipliers)), mass, mass[bodies].sum(axis=1), np.zeros(6))


def _newmark(system: RunningSystem, method: CompiledMethod, problem: Problem, blocks: Blocks) -> newmark.Newmark:
    """What steps with Newmark's formulas have beyond others."""
    whole, bodies = problem.whole, len(problem.whole.rows.bodies)
    links, constraints, rates, end = (int(s) for s in whole.spans[2:6])
    masses = whole._replace(spans=np.array([links, links, links, constraints, rates, end], dtype=np.int64))
    maps = np.zeros((2, system.n if bodies else 0, system.d, 3))
    # Multipliers of contact come after all others; those that press quasi-static bodies are all, or none.
    presses = system.contact is not None and system.contact.still
    pressing = np.arange(len(system.multipliers), problem.multipliers.shape[1] if presses else len(system.multipliers))
    return newmark.Newmark(
        np.array(method.coefficients), method.consistent(system), masses, np.zeros((2, bodies, 3)),
        np.zeros((bodies, 3, 3)), maps[0], maps[1], still_of(system, blocks, pressing), np.zeros(2),
        Differences(method.differences, np.zeros(3)),
    )  # fmt: skip
