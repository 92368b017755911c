"""The compiled form of steps at the level of velocities: which contacts have one, and what goes between state and loop."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.contact.as_numbers import surface_numbers
from condyle.contact.laws.coulomb import Coulomb
from condyle.contact.memory import DEPTH, FORCE, HELD, IMPULSE, MEAN_FORCE, PASSED, RESIDUAL, UNSOLVED
from condyle.contact.memory import FEATURES as KNOWN
from condyle.contact.pair import RigidPair
from condyle.contact.passing import APART, thin_side
from condyle.contact.passing import FAST as FAST_PART
from condyle.contact.patch_finding import rule
from condyle.contact.patch_pair import PatchPair
from condyle.contact.patch_targets import ShapeTarget
from condyle.integrators import account
from condyle.integrators import nonsmooth_loop as loop
from condyle.integrators import nonsmooth_points as points
from condyle.integrators.compiled import NO_BLOCKS, NONE_KEPT, why_not
from condyle.integrators.first_order_steps import MethodSteps
from condyle.integrators.newton import StepInfo
from condyle.integrators.step_tables import Frames, Motion, Record, Tables
from condyle.laws.columns import Integers, table
from condyle.solvers.dense import GIVEN, NONE, SWEPT
from condyle.solvers.lemke import MESSAGES
from condyle.solvers.prox import said
from condyle.system.running import RunningSystem
from condyle.system.state import Batch, State, Times

if TYPE_CHECKING:
    from condyle.integrators.nonsmooth import Nonsmooth

Array = NDArray[np.float64]
MODELS = {"cone": loop.CONE, "box": loop.BOX, "polyhedral": loop.POLYHEDRAL, "prox": loop.PROX, "penalty": loop.PENALTY}
KEPT = ("run ", "contact ")  # names in the memory of a state that go on
# Attempts of Newton's method, see `solvers/dense.py:cone_steps`. What it goes round in is broken by a short step; how short it
# must be depends on the problem. Those of a crane need the first two mostly, and the first seven at most.
ATTEMPTS = np.array([
    (GIVEN, 0, 8, 1.0, 1.0), (GIVEN, 0, 12, 0.3, 1.0), (NONE, 0, 14, 0.05, 0.1), (GIVEN, 0, 12, 0.5, 1.0),
    (GIVEN, 0, 14, 0.7, 0.01), (GIVEN, 0, 12, 0.3, 0.3), (GIVEN, 0, 12, 0.15, 1.0), (GIVEN, 0, 12, 0.3, 3.0),
    (NONE, 0, 30, 0.3, 0.1), (GIVEN, 50, 12, 0.3, 1.0), (SWEPT, 50, 12, 1.0, 1.0), (SWEPT, 100, 12, 0.3, 1.0),
    (NONE, 0, 25, 1.0, 1.0), (GIVEN, 0, 60, 0.3, 1.0),
])  # fmt: skip
MOST_ROWS = 180  # up to which the matrix between contacts is made


@table
class Held(NamedTuple):
    """Places of the multipliers' own entries in the matrix."""

    diagonal: Integers


def why_in_python(method: Nonsmooth, system: RunningSystem) -> str:
    """Why steps are taken in Python; empty if they are compiled."""
    found = why_not(system)
    pairs: list[Any] = [] if system.contact is None else list(system.contact.pairs)
    if found:
        return found
    if system.blocks is None:
        return NO_BLOCKS
    if method.theta != 1.0:
        return "forces are those of a part of the step (theta)"
    if method.form != "auto":
        return f"form='{method.form}' was asked for"
    if len({pair.model or method.friction for pair in pairs}) > 1:
        return "contacts have different models of friction"
    return next((reason for reason in map(_why_not, pairs) if reason), "")


def _why_not(pair: Any) -> str:
    """Why the loop cannot take a contact."""
    if pair.rub is not None and (type(pair.rub) is not Coulomb or pair.rub.varies):
        return f"friction of '{pair.name}' is not Coulomb's with one coefficient"
    if isinstance(pair, RigidPair):
        if surface_numbers(pair.shape, pair.d) is None:
            return f"the {type(pair.shape).__name__} of '{pair.name}' is not compiled"
        return ""
    if isinstance(pair, PatchPair):
        target = pair.meets
        if pair.samples is None or not isinstance(target, ShapeTarget) or target.numbers is None:
            return f"'{pair.name}' is not a line on a shape with formulas"
        return ""
    return f"'{pair.name}' is between shapes or surfaces whose points move over them"


class ImpulseSteps(MethodSteps):
    """The compiled form of one system under `Nonsmooth`, with what contacts remember in one row of numbers."""

    contacts: Any  # tables of all contacts, whose `memory` says where each kind of number begins

    def __init__(self, system: RunningSystem, contacts: Any, features: tuple[int, ...]) -> None:
        """features: shape of what points are known by, empty where they stay what they are."""
        self.contacts = contacts
        super().__init__(system)
        self.stepper = Held(self.of_multipliers())
        at = contacts.memory
        shapes: dict[str, tuple[int, ...]] = {
            FORCE: (-1,), IMPULSE: (-1,), MEAN_FORCE: (-1,), DEPTH: (-1,), RESIDUAL: (1,), UNSOLVED: (1,), PASSED: (1,),
            KNOWN: features, HELD: (-1,),
        }  # fmt: skip
        self._places = {
            name: (slice(int(at[k]), int(at[k + 1])), shape)
            for k, (name, shape) in enumerate(shapes.items())
            if at[1] > 0 and shape and k + 1 < len(at)  # only piles hold on to forces
        }

    def go_on_from(self, x: Array, v: Array) -> bool:
        """Nothing is extrapolated from the steps before."""
        return False

    def _arrive(self, now: Motion) -> None:
        return

    def _own_contacts(self) -> None:
        """Contacts have tables of their own here."""
        return

    def _shapes(self) -> tuple[tuple[int, ...], ...]:
        return (*super()._shapes()[:-1], (int(self.contacts.memory[-1]),))

    def _begin(self, state: State) -> Motion:
        now = super()._begin(state)
        memory = state.memory
        for name, (here, _) in self._places.items():
            if name in memory:
                now.touch[here] = memory[name].ravel()
        return now

    def _memory(self, motion: Motion | Frames, axis: int = 0) -> dict[str, Array]:
        touch = motion.touch
        return {
            name: touch[..., here].reshape(*touch.shape[:-1], *_whole(shape, here))
            for name, (here, shape) in self._places.items()
        }

    def run(self, state: State, times: Times, first: int, every: int, work: float, size: float | None = None) -> Batch:
        """As ever; of what the start has left in the memory, only what contacts and runs keep goes on, as in Python."""
        kept = {name: array for name, array in state.memory.items() if name.startswith(KEPT)}
        state = State(state.t, state.x, state.v, state.multipliers, kept, state.turns)
        return super().run(state, times, first, every, work, size)

    def step(self, state: State, h: float) -> tuple[State, StepInfo] | None:
        done = self.run(state, [state.t + h], self.system.step_number, NONE_KEPT, 0.0, size=h)
        if done.failed:
            return None
        count = int(done.scalars[0, account.ITERATIONS])
        numbers = (done.scalars[0], done.linear[0], done.angular[0])
        error, unsolved = self._ended(count - 1)
        return done.state, StepInfo(count, [error], work=done.work, numbers=numbers, unsolved=unsolved)

    def _ended(self, count: int) -> tuple[float, str]:
        """The error that is left after a step with so many iterations, and what is said of it if it was not solved."""
        raise NotImplementedError


class NonsmoothSteps(ImpulseSteps):
    """Points of bodies on shapes, patches of lines, five models of friction."""

    def __init__(self, system: RunningSystem, method: Nonsmooth) -> None:
        pairs: list[Any] = [] if system.contact is None else list(system.contact.pairs)
        self.friction = (pairs[0].model or method.friction) if pairs else method.friction
        moving = any(isinstance(pair, PatchPair) for pair in pairs)
        count = 0 if system.contact is None else system.contact.points
        super().__init__(system, _contacts(system, method, self.friction), (count, points.FEATURES) if moving else ())
        self.out = np.zeros(3)  # error, iterations and end of the last step

    def _ended(self, count: int) -> tuple[float, str]:
        return float(self.out[0]), self._said(int(self.out[2]), count)

    def _said(self, status: int, count: int) -> str:
        """What is said of a step that the model has not solved."""
        if not status:
            return ""
        if self.friction == "polyhedral":
            return MESSAGES[status]
        if self.friction == "box":
            return f"block pivoting did not end in {count} rounds"
        return said(status, count) or f"an error of {self.out[0]:.1e} is left after {count} sweeps"

    def _run(
        self, touch: Any, tables: Tables, now: Motion, work: float, first: int, every: int, record: Record
    ) -> tuple[int, int, int, float]:
        done: tuple[int, int, int, float] = self.entry(loop.run_nonsmooth, every)(
            self.problem, self.stepper, self.contacts, tables, now, self.after, work, first, every, record, self.out,
            self.work,
        )  # fmt: skip
        return done


def _whole(shape: tuple[int, ...], here: slice) -> tuple[int, ...]:
    return (here.stop - here.start,) if shape == (-1,) else shape


def _contacts(system: RunningSystem, method: Nonsmooth, friction: str) -> points.Contacts:
    """All contacts as tables."""
    problem = system.contact
    pairs: list[Any] = [] if problem is None else list(problem.pairs)
    heads, numbers = np.zeros((len(pairs), points.HEAD), dtype=np.int64), np.zeros((len(pairs), points.NUMBERS))
    lay = _Layout()
    for k, pair in enumerate(pairs):
        head = heads[k]
        assert problem is not None
        head[points.COUNT], head[points.REPORTED] = pair.count, pair.reported
        head[points.FIRST_POINT], head[points.FIRST_FORCE] = problem.point_start[k], problem.force_start[k]
        numbers[k, : points.THIN] = pair.radius, pair.friction, pair.law.restitution
        (_patches if isinstance(pair, PatchPair) else _fixed)(pair, head, numbers[k], lay)
    kept = 0 if problem is None else int(problem.force_start[-1])
    count = 0 if problem is None else problem.points
    sizes = [kept, kept, kept, len(pairs), 1, 1, 1, points.FEATURES * count]
    settings = np.zeros(loop.SETTINGS)
    settings[loop.TOLERANCE], settings[loop.COMPLIANCE] = method.tolerance, method.contact_compliance
    settings[loop.CREEP], settings[loop.ZETA], settings[loop.DECAY] = (
        method.creep, method.prox_factor, method.decay,
    )  # fmt: skip
    settings[loop.DENSITY] = method.prox_density
    settings[loop.STABILISE] = method.stabilise and not method.contact_compliance
    settings[loop.FAST], settings[loop.LEAST] = APART if method.continuous else FAST_PART, method.inside(system)
    settings[loop.MODEL], settings[loop.GEOMETRIC] = MODELS[friction], method.geometric
    settings[loop.JOINTS], settings[loop.MOST_ROWS] = method.compliance, MOST_ROWS
    settings[loop.REACH] = method.reach
    return points.Contacts(
        heads, numbers, lay.whole(), lay.real(), np.concatenate(([0], np.cumsum(sizes))).astype(np.int64),
        system.translation.astype(float), settings, ATTEMPTS,
    )  # fmt: skip


class _Layout:
    """Arrays that stand one after the other, whole numbers and reals."""

    def __init__(self) -> None:
        self._whole: list[Any] = [np.zeros(0, dtype=np.int64)]
        self._real: list[Any] = [np.zeros(0)]

    def put(self, array: Any) -> int:
        """Where it begins."""
        flat = np.ravel(np.asarray(array))
        to = self._real if flat.dtype.kind == "f" else self._whole
        at = sum(part.size for part in to)
        to.append(flat)
        return at

    def whole(self) -> NDArray[np.int64]:
        return np.concatenate(self._whole).astype(np.int64)

    def real(self) -> Array:
        return np.concatenate(self._real).astype(float)


def _fixed(pair: RigidPair, head: NDArray[np.int64], numbers: Array, lay: _Layout) -> None:
    """Fixed points of a body."""
    head[points.KIND], head[points.ROWS] = points.FIXED, pair.rows.shape[1]
    head[points.ROWS_AT], head[points.WEIGHTS_AT] = lay.put(pair.rows), lay.put(pair.weights)
    head[points.FRAME_AT], head[points.AREAS_AT] = lay.put([pair.r, *pair.directors]), lay.put(pair.areas.astype(float))
    surface = surface_numbers(pair.shape, pair.d)
    assert surface is not None  # else `why_in_python` says so
    head[points.SURFACE_AT], head[points.SURFACE_SIZE] = lay.put(surface), surface.size
    numbers[points.THIN] = thin_side(pair)


def _patches(pair: PatchPair, head: NDArray[np.int64], numbers: Array, lay: _Layout) -> None:
    """Patches of a line."""
    line, target, samples, options = pair.material, pair.meets, pair.samples, pair.options
    assert isinstance(target, ShapeTarget) and target.numbers is not None and samples is not None
    f, monomials, functions = line.coefficients.shape
    head[points.KIND], head[points.ROWS] = points.PATCHES, functions * line.rows.shape[1] + pair.d + 1
    head[points.ROWS_AT], head[points.WEIGHTS_AT] = lay.put(line.rows), lay.put(line.weights)
    head[points.FRAME_AT] = lay.put(target.rows)
    head[points.SURFACE_AT], head[points.SURFACE_SIZE] = lay.put(target.numbers), target.numbers.size
    head[points.CELLS], head[points.MONOMIALS], head[points.FUNCTIONS] = f, monomials, functions
    head[points.PARAMETERS] = line.powers.shape[1]
    head[points.VECTORS], head[points.PER_VECTOR] = line.rows.shape
    head[points.CELLS_AT], head[points.POWERS_AT] = lay.put(line.cells), lay.put(line.powers)
    head[points.COEFFICIENTS_AT] = lay.put(line.coefficients)
    head[points.STARTS_AT], head[points.LENGTHS_AT] = lay.put(line.starts), lay.put(line.lengths)
    head[points.SAMPLES], head[points.SAMPLES_AT] = samples.s.size, lay.put(samples.s)
    head[points.ENDS_AT] = lay.put(samples.last.astype(np.int64))
    at, weights = rule(options.count)
    head[points.GAUSS], head[points.GAUSS_AT] = len(at), lay.put(np.concatenate((at, weights)))
    numbers[points.THIN], numbers[points.MARGIN], numbers[points.LONGEST] = np.inf, options.margin, options.longest
    numbers[points.ROUND] = line.round
