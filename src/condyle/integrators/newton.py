"""Newton's method as all implicit integrators use it: one convergence test, one way to fail."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.integrators import convergence
from condyle.integrators.turning import FURTHEST, hold_back
from condyle.model.part import Declared
from condyle.model.quantities import quantity
from condyle.system import assembly
from condyle.system.assembly.maps import place
from condyle.system.holding import uzawa_done
from condyle.system.linear import SingularMatrixError
from condyle.system.reactions import smallest_reactions
from condyle.system.running import Buffers, RunningSystem
from condyle.system.state import State

if TYPE_CHECKING:
    from condyle.contact.step import ContactStep

Array = NDArray[np.float64]


@dataclass
class StepInfo:
    """How a step was solved: Newton iterations, residuals relative to the tolerance, cuts of the step, outer loops.

    guesses: starts with other guesses of what sticks, slips or opens, after Newton's method failed without. in_python: why the
    step was taken in Python, where the method has compiled steps. unsolved: what a contact problem has left unsolved, whose
    residual stayed above the tolerance, or the energy that has appeared by this step; empty if all is well.
    """

    iterations: int = 0
    residuals: list[float] = field(default_factory=list)
    cuts: int = 0
    outer: int = 1
    guesses: int = 0
    work: float | None = None  # of external forces over the step [J], where the step itself has computed it
    # Energies and the like after the step, as of `account.SCALARS`, and both momenta, where the step has computed them.
    numbers: tuple[Array, Array, Array] | None = None
    level: float | None = None  # of the forces in the step, times distances [J], see `balance.level_of`
    in_python: str = ""
    unsolved: str = ""

    def followed_by(self, other: StepInfo, cuts: int = 0) -> StepInfo:
        """Both as one step, that was cut so many times more."""
        why = self.in_python or other.in_python
        return StepInfo(
            self.iterations + other.iterations, other.residuals, self.cuts + other.cuts + cuts, in_python=why,
            unsolved=self.unsolved or other.unsolved, level=max(self.level or 0.0, other.level or 0.0),
        )  # fmt: skip


class StepFailed(Exception):
    """A step did not converge; `part` has the largest unbalanced force."""

    def __init__(self, reason: str, part: str = "") -> None:
        super().__init__(reason)
        self.part = part


@dataclass(frozen=True)
class Tolerance(metaclass=Declared):
    """When a step is solved.

    force: unbalanced force relative to the largest force at hand; length: constraint error relative to the size of what
    is constrained. Both never below round-off, which is estimated from the terms that were added.
    """

    force: float = quantity(default=1e-12, above=0.0, below=1.0)
    length: float = quantity(default=1e-13, above=0.0, below=1.0)
    iterations: int = quantity(default=25, at_least=1)


def refuse_inverted(system: RunningSystem, x0: Array, x1: Array) -> None:
    """StepFailed, with the element and its body, if an element has collapsed or turned inside out between x0 and x1."""
    found = system.inverted_element(x0, x1)
    if found is not None:
        part, what = found
        raise StepFailed(what, part)


def refuse_passed(system: RunningSystem, x0: Array, x1: Array) -> None:
    """StepFailed, with the contact, if points have gone through a rigid shape between x0 and x1: they need a shorter step."""
    if system.contact is not None:
        from condyle.contact.passing import passed_points  # only models with contact need it

        part, what = passed_points(system.contact, x0, x1)
        if part:
            raise StepFailed(f"{what}; let surfaces that should touch start a few micrometres deep", part)


def refuse_far_turns(body: str) -> None:
    """StepFailed if there is a body that turns too far within the step (`turned_too_far`)."""
    if body:
        raise StepFailed(f"'{body}' turns by more than {FURTHEST:g} rad within a step", body)


ROUND_OFF = 10.0 * np.finfo(float).eps
TWO_MORE = (
    0.1  # two corrections that each leave as much as the last one should leave the square of this, of what is tolerated
)
MOST_TURNED = (
    1.0  # [rad] that contact may turn a body within a step: further round there are solutions without a meaning
)


def merit(system: RunningSystem, out: Buffers, inertia_scale: Array, tolerance: Tolerance) -> tuple[float, int]:
    """The largest residual as a multiple of what is tolerated, and the unknown it belongs to.

    Forces and moments are judged against the largest of their kind; each unknown also against the round-off of its own
    terms (`inertia_scale`: Σ|m||x| ∂ẍ/∂x; `r_noise`: element forces at unit strain). Constraints are judged against the
    size of what they constrain.
    """
    value, worst = convergence.judge(
        out.r, out.r_scale, out.r_noise, system.unit_of_unknown, inertia_scale, out.c,
        out.c_scale, system.exact,
        tolerance.force, max(tolerance.length, ROUND_OFF), ROUND_OFF,
    )  # fmt: skip
    return float(value), int(worst)


def solve(
    system: RunningSystem,
    evaluate: Callable[[bool], None],
    apply: Callable[[Array, float], None],
    restore: Callable[[], None],
    out: Buffers,
    inertia_scale: Array,
    tolerance: Tolerance,
    info: StepInfo,
    polished: bool = False,
    contact: ContactStep | None = None,
    search: bool = False,
    place: Callable[[int], str] = lambda unknown: "",
    share: float = 0.0,
    turned: Callable[[], str] = lambda: "",
) -> None:
    """Iterate until the residual is within the tolerance.

    evaluate(tangent) fills `out` at the current iterate; apply(du, factor) moves it, starting from what the last call of
    restore() remembered. Full steps are taken; a step that makes the residual much worse or not finite is shortened.
    polished: correct the result once more with the last factors, which costs little and leaves only round-off.
    search: shorten steps along which the residual does not fall (`_searched`); place: where an unknown is, in words.
    contact: its multipliers are unknowns too, and what is open or closed is decided anew at every iterate.
    share: factors are kept as long as an iteration leaves less of the residual than that (`ModifiedNewton`), but for contact.
    turned: the body that has turned too far since the step began, '' if none has; corrections that do that are shortened.
    """
    control, equations = np.zeros(convergence.CONTROL), _Equations(system, out, inertia_scale, tolerance, contact)
    frugal = contact is not None and not search
    keeps = frugal and system.quasi_static.size > 0  # among heavy bodies that strike, factors are soon out of date
    share = 0.0 if contact is not None else share
    convergence.begin(control, share, tolerance.iterations, polished, frugal, system.factorised if keeps else 2.0)
    du, start = np.zeros(0), 0.0
    evaluate(True)
    while True:
        value, worst = equations.merit()
        far = turned()
        while convergence.goes_astray(control, value, bool(far)):
            apply(du, control[convergence.FACTOR])
            evaluate(control[convergence.TANGENT] > 0.0)
            value, worst = equations.merit()
            far = turned()
        if du.size:
            refuse_far_turns(far)
            if search and value > 1.0:
                _searched(system, evaluate, apply, du, start, float(control[convergence.FACTOR]), out)
                value, worst = equations.merit()
        info.residuals.append(value)
        if keeps:  # corrections with factors at hand cost a quarter of one with new ones: are two of them enough?
            control[convergence.SHARE] = TWO_MORE / np.sqrt(max(value, 1.0))
        action = convergence.decide(control, value)
        control[convergence.SHARE] = share
        if action == convergence.EVALUATE:
            evaluate(True)
            action = convergence.next_correction(control)
        if action == convergence.CONVERGED:
            system.factorised = control[convergence.MADE]
            return
        if action < convergence.EVALUATE:
            part = equations.owner(worst) if worst != system.motion_unknowns else ""
            raise StepFailed(f"Newton's method did not converge in {info.iterations} iterations{place(worst)}", part)
        du = equations.corrected(action == convergence.FACTORISE, evaluate)
        restore()
        if control[convergence.LAST] > 0.0:
            apply(du, 1.0)
            return
        info.iterations += 1
        start = float(du[: system.motion_unknowns] @ out.r[: system.motion_unknowns])
        convergence.go_on(control, equations.first_factor())
        if keeps:
            control[convergence.FACTORS] = 1.0  # the solver has them
        apply(du, control[convergence.FACTOR])
        evaluate(control[convergence.TANGENT] > 0.0)


def _searched(
    system: RunningSystem,
    evaluate: Callable[[bool], None],
    apply: Callable[[Array, float], None],
    du: Array,
    start: float,
    factor: float,
    out: Buffers,
) -> None:
    """Shorten the step until the work of the residual along it, du·r, has fallen to 0.8 of `start`, that at its start.

    Where forces have a potential this is its slope: the step ends near the lowest point of its line (regula falsi).
    """
    n = system.motion_unknowns
    for _ in range(8):
        slope = float(du[:n] @ out.r[:n])
        if abs(slope) <= 0.8 * abs(start):
            return
        ratio = start / (start - slope) if np.isfinite(slope) and start * slope < 0.0 else 0.5
        factor *= min(max(ratio, 0.1), 0.7)
        apply(du, factor)
        evaluate(True)


class _Equations:
    """The linear equations of an iterate, those of contact included: size of the residual, and what removes it."""

    def __init__(
        self,
        system: RunningSystem,
        out: Buffers,
        inertia_scale: Array,
        tolerance: Tolerance,
        contact: ContactStep | None,
    ) -> None:
        self.system, self.out, self.contact = system, out, contact
        self.inertia_scale, self.tolerance = inertia_scale, tolerance

    def merit(self) -> tuple[float, int]:
        """See `merit`."""
        value, worst = merit(self.system, self.out, self.inertia_scale, self.tolerance)
        if self.contact is None:
            return value, worst
        other, where = self.contact.merit(max(self.tolerance.length, ROUND_OFF))
        return (value, worst) if not other > value else (other, where)

    def corrected(self, anew: bool, evaluate: Callable[[bool], None]) -> Array:
        """The change of all unknowns that removes the residual, with new factors or those at hand; StepFailed if there is none.

        Where contacts have let go of what nothing else holds, they are pulled together, and the tangent is evaluated again.
        """
        for _ in range(self.tolerance.iterations):
            try:
                if anew:
                    self.factor()
                return self.correction()
            except SingularMatrixError as error:
                part = self.owner(error.unknown) if error.unknown is not None else ""
            if self.contact is None or not self.contact.pull_together():
                break
            evaluate(True)
        raise StepFailed(f"the equations are singular{f' at {part}' if part else ''}", part)

    def factor(self) -> None:
        self.system.regularise(self.out.A)
        if self.contact is None:
            self.system.solver.factor(self.out.A)
        else:
            self.contact.factor(self.out.A)

    def correction(self) -> Array:
        """The change of all unknowns, those of contact last."""
        system, out = self.system, self.out
        rhs = np.zeros(system.unknowns)
        rhs[: system.motion_unknowns] = -out.r[: system.motion_unknowns]
        system.held_unknowns(out.c, rhs)
        return system.solver.solve(rhs) if self.contact is None else self.contact.correction(rhs)

    def first_factor(self) -> float:
        """1; less where points open and close in turn. StepFailed if they do so for ever."""
        if self.contact is None:
            return 1.0
        message = self.contact.watch()
        if message:
            raise StepFailed(message)
        return self.contact.damping

    def owner(self, unknown: int) -> str:
        return self.system.owner(unknown) if self.contact is None else self.contact.problem.owner(unknown)


class Iterate:
    """The unknowns of one step, the configuration x1 at its end and the multipliers, while Newton's method works on them.

    A method of time stepping (or statics) says in `evaluate` what has to be balanced; the rest is the same for all.
    h [s]: length of a step in time, where: how it takes stored energies.
    """

    polished = False  # see `solve`
    share = 0.0
    bounded = False  # may bodies turn by no more than `turning.FURTHEST`?
    loads: tuple[Array, Array]  # values of the functions of time where forces are taken, and at both ends of the step
    search = False

    def __init__(
        self,
        system: RunningSystem,
        state: State,
        stiffness: tuple[Array, Array],
        inertia_scale: Array,
        tolerance: Tolerance,
        h: float | None = None,
        where: int = assembly.END,
    ) -> None:
        system.set_turns(state.turns)
        system.begin_step(state, h or 0.0, where)
        self.h = h or 0.0
        self.system, self.state, self.tolerance = system, state, tolerance
        self.x0, self.x1 = state.x, state.x.copy()
        self.x_old = state.x  # the previous iterate, from which element stress is extrapolated
        self.multipliers = state.multipliers.copy()
        self.stiffness, self.inertia_scale = stiffness, inertia_scale
        self.out: Buffers = system.scratch
        self.step = np.zeros_like(state.x)  # x1 − x0, and per body its rotation: free of the round-off of x
        self.turn = np.zeros((system.rows.bodies.shape[0], 3))
        self._remembered = (self.step, self.turn, self.multipliers)
        self.contact = system.contact.step(state, h) if system.contact is not None else None

    def evaluate(self, tangent: bool) -> None:
        """Fill `out` with the residual (and the tangent) at the current iterate."""
        raise TypeError(f"{type(self).__name__} does not say what is balanced: define evaluate(self, tangent)")

    def balance(self, info: StepInfo, passes: int = 60) -> None:
        """Find the balanced configuration; constraints held by Uzawa's method are closed in an outer loop (eq. 65)."""
        system = self.system
        eta = system.uzawa_stiffness(self.stiffness)
        for outer in range(passes):
            info.outer = outer + 1
            try:
                self._solve(info)
            except StepFailed:
                refuse_inverted(
                    system, self.x0, self.x1
                )  # an element that keeps it from converging is the better report
                raise
            if not eta.any():
                break
            self.multipliers = self.multipliers + eta * self.out.c
            if uzawa_done(self.out.c, self.out.c_scale, eta, self.tolerance.length):
                break
        else:
            raise StepFailed("Uzawa's outer loop did not converge; raise the stiffness of the augmented constraints")
        system.clean_directors(self.x1)
        if system.redundant and self.contact is None:
            self.share_reactions()

    def _solve(self, info: StepInfo) -> None:
        """Newton's method; where it fails in contact, from the same start with a search, or other guesses of what sticks."""
        start = [a.copy() for a in (self.x1, self.step, self.turn, self.x_old, self.multipliers)]
        first: StepFailed | None = None
        while True:
            try:
                solve(
                    self.system, self.evaluate, self.apply, self.remember, self.out, self.inertia_scale, self.tolerance,
                    info, self.polished, self.contact, self.search, self._place, self.share, self.turned,
                )  # fmt: skip
                refuse_far_turns(self.turned())
                if self.contact is not None and np.abs(self.turn - start[2]).max(initial=0.0) > MOST_TURNED:
                    raise StepFailed("contact turns a body right round within a step")
                return
            except StepFailed as failure:
                first = first or failure
                if self.contact is not None and self.contact.soft and self.h > 0.0 and not self.search:
                    # A slender body that is pressed aside stretches by the square of what it moves by: full corrections
                    # of a stiff rope on its pulley overshoot for ever.
                    self.search = True
                    self.contact.again()
                elif self.contact is None or not self.contact.guess():
                    tried = f" ({info.guesses} guesses of what sticks did not help)" if info.guesses else ""
                    raise StepFailed(f"{first}{tried}", first.part) from None
                else:
                    info.guesses += 1
                self.x1[:], self.step[:], self.turn[:] = start[:3]
                self.x_old, self.multipliers = start[3], start[4].copy()

    def turned(self) -> str:
        """The body that turns too far within the step, '' if none does."""
        return turned_too_far(self.system, self.x0, self.x1) if self.bounded else ""

    def _place(self, unknown: int) -> str:
        """Where an unknown of motion is at present, for messages."""
        row = self.system.row_of(unknown)
        if row < 0 or not self.system.translation[row]:
            return ""
        place = ", ".join(f"{float(value):.4g}" for value in self.x0[row])
        return f"; the largest unbalanced force is near ({place})"

    def share_reactions(self) -> None:
        """Newton's corrections leave in redundant directions whatever part of the constraints' error lies there."""
        self.evaluate(True)
        self.multipliers = smallest_reactions(self.system, self.out.A, self.x1, self.multipliers)

    def predict(self, v: Array, h: float, t: float) -> None:
        """The first iterate: x0 moved on with velocities v for h [s], driven rows where they belong at time t [s]."""
        self.system.place_driven(t, self.x1)
        assembly.first_step(self.system.rows, v, h, self.x0, self.x1, self.step, self.turn)
        if hold_back(self.turn):
            place(self.system.rows, self.x0, self.x1, self.step, self.turn)

    def remember(self) -> None:
        """Keep the current iterate: `apply` starts from it."""
        self.x_old = self.x1.copy()
        self._remembered = (self.step.copy(), self.turn.copy(), self.multipliers.copy())
        if self.contact is not None:
            self.contact.remember()

    def apply(self, du: Array, factor: float) -> None:
        """The iterate that was remembered, moved by factor · du."""
        step, turn, multipliers = self._remembered
        self.step[:], self.turn[:] = step, turn
        assembly.move_step(self.system.rows, factor * du, self.x0, self.x1, self.step, self.turn)
        self.multipliers = multipliers + factor * self.system.multiplier_increments(du)
        if self.contact is not None:
            self.contact.apply(du, factor)

    def add_contact(self, tangent: bool, where: str = "end", weight: float = 1.0, damping: float = 0.0) -> None:
        """Add contact to what has been assembled; where the method takes its forces: see `ContactStep.evaluate`."""
        if self.contact is not None:
            self.contact.evaluate(self.x0, self.x1, tangent, self.out, where, weight, damping)

    def finished(self, t: float, v: Array, memory: dict[str, Array], times: tuple[float, float]) -> State:
        """The state at the end of the step; penalty forces are means over `times` (at x0 and x1, or twice x1)."""
        start = self.x0 if times[0] < times[1] else self.x1
        multipliers = self.system.reported_multipliers(self.multipliers, self.stiffness, (start, self.x1), times)
        memory = memory | self.system.material_memory(self.state, self.x1, self.h)
        if self.contact is not None:
            memory = memory | self.contact.memory(self.x1)
        return State(t, self.x1, v, multipliers, memory, self.turns_after())

    def turns_after(self) -> Array:
        """Unwrapped angles and states of laws at the end of the step, where forces are taken at that end."""
        turns = self.system.turns_at(self.x1, self.state.turns)
        self.system.advance_states(self.x1, self.loads[0], 1.0, turns)
        return turns


def turned_too_far(system: RunningSystem, x0: Array, x1: Array) -> str:
    """The first rigid body that turns beyond the bound from x0 to x1, '' if none does; in either formulation.

    2 cos φ = tr R in the plane, 1 + 2 cos φ = tr R in space, R = Σ d1_k d0_kᵀ.
    """
    bodies, directors = system.rigid, system.directors
    if not bodies:
        return ""
    trace = np.einsum("bkd,bkd->b", x0[directors], x1[directors])
    beyond = np.flatnonzero(trace < system.d - 2 + 2.0 * np.cos(FURTHEST))
    return system.row_owner[bodies[beyond[0]][0]] if beyond.size else ""
