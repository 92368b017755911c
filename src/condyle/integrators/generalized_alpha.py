"""Newmark and generalized-α for the constrained system, on (ṙ, ω) (Arnold and Brüls 2007; Brüls and Cardona 2010).

    Pᵀ m ẍ1 + Σ f(x1, ẋ1) + G(x1)ᵀ λ1 = f(t1),   c(x1) = 0,
    (1 − αm) a1 + αm a0 = (1 − αf) u̇1 + αf u̇0,

with Newmark's formulas between u = (ṙ, ω), the algorithmic acceleration a and the configuration (lie.py). The constraints
are held at position level inside the step. At its end velocities are projected onto them, and accelerations and
multipliers are made consistent with both: without that, steady rotation becomes unstable for little damping and
multipliers ripple. Without constraints nothing is changed by it.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from condyle.errors import InputError
from condyle.integrators import lie
from condyle.integrators.compiled import CompiledMethod
from condyle.integrators.explicit import CentralDifference
from condyle.integrators.newton import Iterate, StepFailed, StepInfo, Tolerance
from condyle.integrators.step_tables import Scheme
from condyle.integrators.strategy import FullNewton, ModifiedNewton, given_strategy, newton_strategy
from condyle.model.part import Declared
from condyle.model.quantities import choice, quantity
from condyle.system import assembly
from condyle.system.row_problem import RowProblem
from condyle.system.running import RunningSystem
from condyle.system.state import State
from condyle.system.tables import FREE

if TYPE_CHECKING:
    from condyle.integrators.bdf import BDF


@dataclass(kw_only=True)
class _Alpha(CompiledMethod, metaclass=Declared):
    """The family: what its members share beside their coefficients, which each has by its own name."""

    hold: str = choice("all", "positions", default="all")
    tolerance: Tolerance = field(default_factory=Tolerance)
    newton: str | FullNewton | ModifiedNewton = "full"
    multiplier_time = 1.0

    def __post_init__(self) -> None:
        self.newton = given_strategy(self.newton)

    @property
    def coefficients(self) -> tuple[float, float, float, float]:
        """αm, αf, β, γ of Chung and Hulbert."""
        raise NotImplementedError

    @property
    def order(self) -> int:
        """Order of accuracy: 2 if γ = ½ − αm + αf."""
        am, af, _, gamma = self.coefficients
        return 2 if abs(gamma - 0.5 + am - af) < 1e-12 else 1

    @property
    def start_correction(self) -> float:
        """Factor of the normal jerk in the start velocity."""
        am, af, beta, _ = self.coefficients
        return 0.0 if self.hold == "all" else 1.0 / 6.0 - beta - 0.5 * (am - af)

    def prepare(self, system: RunningSystem, state: State, h: float) -> None:
        """Accelerations at the start, from the consistent state (zero where it has none)."""
        nb = system.rows.bodies.shape[0]
        acceleration = state.memory.get("acceleration", np.zeros_like(state.x))
        if system.contact is not None and self.hold == "all":
            acceleration = system.contact.settled(RowProblem(system), state, acceleration, h)
        pressed, turning = np.zeros_like(state.x), np.zeros((nb, 3))
        if system.contact is not None and any(map(system.contact.strikes, system.contact.pairs)):
            push = system.contact.given_force(state, striking=True)
            pressed = _response(RowProblem(system), state.x, state.t, push)
            lie.spins(system.rows, state.x, pressed, turning)
            acceleration = acceleration - pressed
        spin = np.zeros((nb, 3))
        lie.spin_rates(system.rows, state.x, state.v, acceleration, spin)
        state.memory = {
            "algorithmic": acceleration.copy(),
            "acceleration": acceleration.copy(),
            "spin algorithmic": spin.copy(),
            "spin rate": spin,
        }
        if is_soft(system):
            state.memory |= {"mean velocity": state.v.copy(), "pressed": pressed, "spin pressed": turning}
        if system.quasi_static.size:
            guess = state.v + np.where(system.elastic_rows[:, None], 0.0, 0.5 * h * acceleration)
            state.memory |= {"next velocity": guess, "smooth velocity": guess.copy()}

    @property
    def scheme(self) -> Scheme:
        """Everything at the end: ∂ẍ/∂x1 = (1 − αm)/((1 − αf) β h²), ∂ẋ/∂x1 = γ/(β h)."""
        am, af, beta, gamma = self.coefficients
        inertia = (1.0 - am) / ((1.0 - af) * beta)
        return Scheme(assembly.END, 1.0, inertia, gamma / beta, 0.5, polished=False, exact=False)

    def consistent(self, system: RunningSystem) -> bool:
        """Is there anything to make consistent at the end of a step?"""
        return holds_rates(self.hold, system)

    def step_in_python(self, system: RunningSystem, state: State, h: float) -> tuple[State, StepInfo]:
        """One step of length h [s] in Python."""
        try:
            return self.iterate(system, state, h).run()
        except StepFailed:
            if "next velocity" not in state.memory:
                raise
            memory = {name: array for name, array in state.memory.items() if name != "next velocity"}
            return self.iterate(system, replace(state, memory=memory), h).run()

    def reach(self, h: float) -> float:
        """How far a unit of the unknown moves a place: 1 where places are the unknowns."""
        return 1.0

    def iterate(self, system: RunningSystem, state: State, h: float) -> _Step:
        """The unknowns of one step of length h [s], as sensitivities need them."""
        return _Step(self, system, state, h)


@dataclass
class GeneralizedAlpha(_Alpha):
    """Second order with controllable damping of high frequencies.

    spectral_radius ρ∞: 1 keeps all frequencies, 0 removes the highest in one step. hold: 'all' makes velocities,
    accelerations and multipliers consistent with the constraints at the end of each step; 'positions' is the plain
    index-3 method, for comparison (unstable in steady rotation at ρ∞ near 1). newton: as of `EnergyMomentum`.
    """

    spectral_radius: float = quantity(default=0.8, at_least=0.0, at_most=1.0)

    @property
    def coefficients(self) -> tuple[float, float, float, float]:
        """αm, αf, β, γ of Chung and Hulbert."""
        rho = self.spectral_radius
        am, af = (2.0 * rho - 1.0) / (rho + 1.0), rho / (rho + 1.0)
        return am, af, 0.25 * (1.0 - am + af) ** 2, 0.5 - am + af


@dataclass
class Newmark(_Alpha):
    """Newmark's method with β and γ: ¼, ½ is the trapezoidal rule; γ > ½ damps and is first order.

    unknown: what Newton's method solves for, 'displacement', 'velocity' or 'acceleration' at the end of the step (Hovey 2000,
    table 3.1); all three give the same step. β = 0 is explicit, with γ = ½ the method of central differences, and has
    accelerations (or velocities) as unknowns; it is stable below the step 2/ω_max (with γ = ½), and refused above.
    """

    beta: float = 0.25
    gamma: float = 0.5
    unknown: str = choice("displacement", "velocity", "acceleration", default="displacement")

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.beta == 0.0 and self.gamma >= 0.5:
            if self.unknown == "displacement":
                raise InputError(
                    "Newmark: with β = 0 displacements are known before the step is solved; take unknown='acceleration'"
                )
            self._explicit = CentralDifference(self.gamma)
        elif not (self.gamma >= 0.5 and self.beta >= 0.5 * self.gamma - 1e-12):
            raise InputError(f"Newmark: β = {self.beta:g}, γ = {self.gamma:g} is not stable; take γ ≥ ½ and β ≥ γ/2")

    @property
    def label(self) -> str:
        """How messages call it."""
        return type(self).__name__

    @property
    def coefficients(self) -> tuple[float, float, float, float]:
        return 0.0, 0.0, self.beta, self.gamma

    @property
    def explicit(self) -> bool:
        """Must the step resolve the fastest oscillation?"""
        return self.beta == 0.0

    def prepare(self, system: RunningSystem, state: State, h: float) -> None:
        """Accelerations at the start; an explicit step that is too large is refused."""
        if self.beta > 0.0:
            super().prepare(system, state, h)
            return
        from condyle.integrators.compliant import largest_step

        limit = largest_step(system, state) / np.sqrt(2.0 * self.gamma)
        if h > limit:
            raise InputError(
                f"Newmark: with β = 0 the step {h:g} s is too large; its limit here is 2/ω_max = {limit:.3g} s. Take a smaller "
                "dt, or β ≥ γ/2"
            )
        self._explicit.prepare(system, state, h)

    def why_in_python(self, system: RunningSystem) -> str:
        """Why steps of this system are taken in Python; empty if they are compiled."""
        if self.unknown != "displacement":
            return f"unknown='{self.unknown}' is for comparison"
        return super().why_in_python(system)

    def step_in_python(self, system: RunningSystem, state: State, h: float) -> tuple[State, StepInfo]:
        """One step of length h [s] in Python."""
        return self._explicit.step(system, state, h) if self.beta == 0.0 else super().step_in_python(system, state, h)

    def reach(self, h: float) -> float:
        """How far a unit of the unknown moves a place: c of table 3.1."""
        return {"velocity": self.beta * h / self.gamma, "acceleration": self.beta * h * h}.get(self.unknown, 1.0)


@dataclass
class HHT(_Alpha):
    """The method of Hilber, Hughes and Taylor (1977): generalized-α with αm = 0, second order.

    alpha: damping of high frequencies, 0 (none: the trapezoidal rule) to ⅓ (ρ∞ = ½). Here it weighs the forces at the
    start of the step and is positive, as αf of Chung and Hulbert (1993); in the original paper it is negative.
    """

    alpha: float = quantity(default=0.1, at_least=0.0, at_most=1.0 / 3.0 + 1e-12)

    @property
    def coefficients(self) -> tuple[float, float, float, float]:
        return 0.0, self.alpha, 0.25 * (1.0 + self.alpha) ** 2, 0.5 + self.alpha


def holds_rates(hold: str, system: RunningSystem) -> bool:
    """Is there anything to make consistent at the end of a step, if that is asked for?"""
    return hold == "all" and (len(system.plain.multipliers) > 0 or bool(system.contacts))


def is_soft(system: RunningSystem) -> bool:
    """Are there bodies whose velocities are no good to predict from: pressed in contact, or without inertia?"""
    return system.contact is not None or system.quasi_static.size > 0


def _response(problem: RowProblem, x: np.ndarray, t: float, force: np.ndarray) -> np.ndarray:
    """Accelerations (n, d) [m/s²] by forces on rows (n, d) [N], joints included."""
    problem.factor(x, t)
    return problem.solve(force, np.zeros(len(problem.system.multipliers)))[0]


class _Step(Iterate):
    """One step: what is balanced is its end."""

    bounded = True

    def __init__(self, method: _Alpha | BDF, system: RunningSystem, state: State, h: float) -> None:
        self.am, self.af, self.beta, self.gamma = method.coefficients
        self.rate = self.gamma / (self.beta * h)
        self.rate_dot = (1.0 - self.am) / (1.0 - self.af) / (self.beta * h * h)
        scale = system.inertia_scale(state.x, h * state.v, self.rate_dot)
        super().__init__(system, state, system.stiffness(h, system.step), scale, method.tolerance, h)
        self.share = newton_strategy(getattr(method, "newton", "full")).share
        self.hold = method.hold
        self.reach = method.reach(h) if self.contact is None else 1.0
        system.set_pace(2.0 / h, 0.5 * h)
        nb = system.rows.bodies.shape[0]
        self.v1 = state.v.copy()
        self.a1 = np.zeros_like(state.x)
        self.acceleration = np.zeros_like(state.x)
        self.spin0, self.spin1, self.spin_a1 = np.zeros((nb, 3)), np.zeros((nb, 3)), np.zeros((nb, 3))
        self.spin_dot = np.zeros((nb, 3))
        self.jacobians = np.zeros((nb, 3, 3))
        self.rate_map = np.zeros((system.n if nb else 0, system.d, 3))
        self.accel_map = np.zeros((system.n if nb else 0, system.d, 3))
        lie.spins(system.rows, state.x, state.v, self.spin0)
        self.t1 = state.t + h
        self.quasi = system.quasi_static
        self.driven = np.zeros_like(state.x)
        system.driven_velocity(self.t1, self.v1)
        system.driven_acceleration(self.t1, self.driven, h)
        self.loads = (system.amplitudes(self.t1), system.targets(state.t, self.t1))
        # Mean forces of penalties move places by ½ h²; here as part of β h² a1 (`_take_impulses`).
        self.weight = (1.0 - self.am) / (1.0 - self.af) / (2.0 * self.beta)
        delta = min(self.gamma - 0.5, 0.5)
        self.pressing = ("mean", self.weight, 0.5 * delta * (1.0 - delta))
        self.pressed, self.spin_pressed = np.zeros_like(state.x), np.zeros((nb, 3))
        self.ahead = h * (1.0 - 0.5 * self.gamma / self.beta)
        memory, self.pushed = (
            state.memory,
            None,
        )  # see `_add_pressed`: of free rows (n, d) [m/s]; None if there is nothing
        if self.contact is not None and "pressed" in memory and memory["pressed"].any():
            self.pushed = np.where((system.rows.kind == FREE)[:, None], self.ahead * memory["pressed"], 0.0)

    def run(self) -> tuple[State, StepInfo]:
        info = StepInfo()
        self.begin()
        self.balance(info)
        return self.close(), info

    def begin(self) -> None:
        """The first iterate."""
        # Light nodes that are pressed have velocities that say little: they go on as in the last step.
        memory = self.state.memory
        v = self.state.v + 0.5 * self.h * memory["acceleration"]
        if is_soft(self.system):
            v = self._first_guess(self.state.v, memory["acceleration"], memory.get("mean velocity", self.state.v))
        self.predict(memory.get("next velocity", v), self.h, self.t1)

    def close(self) -> State:
        """The state at the end of the balanced step."""
        system, v1 = self.system, self.v1.copy()
        if self._strikes():
            self._take_impulses(v1)
        system.driven_velocity(self.t1, v1)
        if self.hold == "all" and (len(system.plain.multipliers) or self.contact is not None):
            self._make_consistent(v1)
        return self.finished(self.t1, v1, self._carried(v1), (self.t1, self.t1))

    def _carried(self, v1: np.ndarray) -> dict[str, np.ndarray]:
        """What the next step needs of this one, which ends with velocities v1."""
        needed = {
            "algorithmic": self.a1,
            "acceleration": self.acceleration,
            "spin algorithmic": self.spin_a1,
            "spin rate": self.spin_dot,
        }
        if not is_soft(self.system):
            return needed
        mean, last = self.step / self.h, self.state.memory.get("mean velocity", self.state.v)
        freed, struck = (False, False) if self.contact is None else (self.contact.freed, self.contact.struck)
        if freed:  # what springs back without inertia is at rest then
            mean[self.quasi] = 0.0
        needed |= {"mean velocity": mean, "pressed": self.pressed, "spin pressed": self.spin_pressed}
        if self.quasi.size:
            # Without inertia to smooth them, forces are as good as places are: all rows go on as their last two steps say,
            # if that would have been the better guess for this step.
            found, smooth = 2.0 * mean - last, self.state.memory.get("smooth velocity", last)
            other = self._first_guess(self.state.v, self.state.memory["acceleration"], last)
            better = np.abs(mean - smooth).max() < np.abs(mean - other).max() and not freed and not struck
            guess = found if better else self._first_guess(v1, self.acceleration, mean)
            needed |= {"next velocity": guess, "smooth velocity": found}
        return needed

    def _first_guess(self, v: np.ndarray, acceleration: np.ndarray, mean: np.ndarray) -> np.ndarray:
        """Velocities of a step that begins with v and an acceleration, after one with mean velocities (n, d)."""
        return np.where(self.system.elastic_rows[:, None], mean, v + 0.5 * self.h * acceleration)

    def _strikes(self) -> bool:
        """Are there penalties whose mean forces have moved bodies in this step?"""
        return self.contact is not None and self.contact.strikes

    def _take_impulses(self, v1: np.ndarray) -> None:
        """Take the forces F of penalties out of the accelerations, which are carried on, and give velocities their impulse.

            x1 = x0 + h v0 + h² ((½ − β) a0 + β a1) + ½ h² m⁻¹ F_x,   v1 = v0 + h ((1 − γ) a0 + γ a1) + h m⁻¹ F

        so that nothing of a force remains after a contact has opened (kane-1999).
        The equations have been solved with a1 + m⁻¹ F_x/(2β) for a1, which is F_x with a weight in the balance. m⁻¹ with
        what joints answer. In the balance, v1 had the impulse of the last step for what a1 does not give of it
        (`_add_pressed`).
        """
        assert self.contact is not None
        problem, still = RowProblem(self.system), np.zeros(len(self.system.plain.multipliers))
        problem.factor(self.x1, self.t1)
        mid = 0.5 * (self.x0 + self.x1)
        place, reaction = problem.solve(-self.contact.push("force", mid, self.x1), still)
        speed, _ = problem.solve(-self.contact.push("mean", mid, self.x1), still)
        _, at_end = problem.solve(-self.contact.push("end", self.x1, self.x1), still)
        v1 += self.h * (speed - 0.5 * self.gamma / self.beta * place) - self._ahead()
        spin = self.spin_pressed
        self.pressed = place
        lie.spins(self.system.rows, self.x1, place, spin)
        for rates, spins, factor in (
            (self.a1, self.spin_a1, 0.5 / self.beta),
            (self.acceleration, self.spin_dot, self.weight),
        ):
            rates -= factor * place
            spins -= factor * spin
        nothing = np.zeros_like(self.multipliers)
        self.multipliers = self.multipliers + problem.shared(at_end - self.weight * reaction, nothing)

    def _add_pressed(self) -> None:
        """Add to the velocities of the balance what a1 does not give of the impulse h m⁻¹ F, with the F of the last step.

        Dampers would feel a velocity that is wrong by h m⁻¹ F (1 − γ/(2β)) otherwise, and the step would be of first order.
        """
        if self.pushed is not None:
            self.v1 += self.pushed
            self.spin1 += self.ahead * self.state.memory["spin pressed"]

    def _ahead(self) -> np.ndarray:
        """The same, of all rows at the end of the step (n, d) [m/s]."""
        rows, memory, out = self.system.rows, self.state.memory, np.zeros_like(self.v1)
        if "pressed" in memory:
            free = rows.kind == FREE
            out[free] = self.ahead * memory["pressed"][free]
            lie.turn_rates(rows, self.x1, self.ahead * memory["spin pressed"], out)
        return out

    def _make_consistent(self, v1: np.ndarray) -> None:
        """Velocities on the constraints; accelerations and multipliers from the equations of motion there."""
        problem = RowProblem(self.system)
        problem.system.set_turns(self.system.turns_at(self.x1, self.state.turns))
        problem.project_velocity(self.x1, v1, self.t1)
        state = State(self.t1, self.x1, v1, self.multipliers, self._material(), self.turns_after())
        if self.contact is None:
            self.acceleration, multipliers = problem.acceleration(state)
        else:
            self.acceleration, multipliers = self.contact.settle(problem, state, self.rate / self.rate_dot)
            if self._strikes():
                self.acceleration -= _response(problem, self.x1, self.t1, -self.contact.push("end", self.x1, self.x1))
        self.multipliers = problem.shared(multipliers, self.multipliers)
        self._rebuild_rates(v1)

    def _material(self) -> dict[str, np.ndarray]:
        return self.system.material_memory(self.state, self.x1, self.h)

    def _rebuild_rates(self, v1: np.ndarray) -> None:
        """Algorithmic accelerations that belong to the consistent ones."""
        memory = self.state.memory
        lie.spin_rates(self.system.rows, self.x1, v1, self.acceleration, self.spin_dot)
        if self.contact is not None and self.contact.restarted:
            self.a1, self.spin_a1 = self.acceleration.copy(), self.spin_dot.copy()
            return
        self.a1 = self._algorithmic(self.acceleration, memory["acceleration"], memory["algorithmic"])
        self.spin_a1 = self._algorithmic(self.spin_dot, memory["spin rate"], memory["spin algorithmic"])

    def _algorithmic(self, udot1: np.ndarray, udot0: np.ndarray, a0: np.ndarray) -> np.ndarray:
        """a1 from the true accelerations."""
        return ((1.0 - self.af) * udot1 + self.af * udot0 - self.am * a0) / (1.0 - self.am)

    def evaluate(self, tangent: bool) -> None:
        """Residual (and tangent) at the current iterate."""
        s, memory = self.system, self.state.memory
        lie.newmark_rates(
            s.rows, self.step, self.turn, self.state.v, memory["algorithmic"], self.spin0, memory["spin algorithmic"],
            self.h, self.beta, self.gamma, self.v1, self.a1, self.spin1, self.spin_a1, self.jacobians,
        )  # fmt: skip
        self._add_pressed()
        self.acceleration = self._true(self.a1, memory["algorithmic"], memory["acceleration"])
        self.spin_dot = self._true(self.spin_a1, memory["spin algorithmic"], memory["spin rate"])
        self._assemble(tangent)

    def apply(self, du: np.ndarray, factor: float) -> None:
        """Move the iterate; du is that of the unknown that Newmark's method solves for."""
        if self.reach != 1.0:
            du = du.copy()
            du[: self.system.motion_unknowns] *= self.reach
        super().apply(du, factor)

    def _assemble(self, tangent: bool) -> None:
        """Directors' rates out of spins, then all forces at the end of the step."""
        s = self.system
        self.acceleration[~s.moving] = self.driven[~s.moving]
        if self.quasi.size:  # no inertia, no velocity of their own
            self.v1[self.quasi] = self.step[self.quasi] / self.h
            self.a1[self.quasi] = self.acceleration[self.quasi] = 0.0
        if len(self.jacobians):
            lie.director_rates(
                s.rows, self.x1, self.spin1, self.spin_dot, self.jacobians, self.rate, self.rate_dot, tangent, self.v1,
                self.acceleration, self.rate_map, self.accel_map,
            )  # fmt: skip
        loads = (s.applied(self.t1, self.x1, self.v1), *self.loads)
        motion = (self.x0, self.x1, self.x1, self.v1, self.acceleration, self.x_old)
        s.assemble(
            motion, loads, (self.multipliers, *self.stiffness), assembly.END, assembly.END,
            (self.rate_dot, 1.0, self.rate), (self.accel_map, self.rate_map), tangent, self.out,
        )  # fmt: skip
        self.add_contact(tangent, *self.pressing)
        if tangent and self.reach != 1.0:
            self.out.A[s.pattern.indices < s.motion_unknowns] *= self.reach

    def _true(self, a1: np.ndarray, a0: np.ndarray, udot0: np.ndarray) -> np.ndarray:
        """u̇1 from the algorithmic accelerations."""
        return ((1.0 - self.am) * a1 + self.am * a0 - self.af * udot0) / (1.0 - self.af)
