"""First-order compliant stepping (Hewlett 2020, chapters 2 and 5): strains at Gauss points as compliant constraints.

    [ M  −Jᵀ ; J  C/h² ] [v1 ; h λ] = [M v0 + h f ; −φ/h],   x1 = x0 + h v1

with rows φ for every strain (compliance C = 1/(weight · modulus)) and every joint (C = 0, or `compliance`). One linear solve
per step, stable at any step for elastic bodies, without a parameter to tune; it loses energy from what the step does not
resolve. The comparators differ only in the stiffness that stands in the matrix.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.integrators.compiled import compiled_or_not
from condyle.integrators.compliant_contact import ExplicitPush, after_impacts, solve_with_contact
from condyle.integrators.first_order_steps import FirstOrderSteps, why_in_python
from condyle.integrators.lie import spins
from condyle.integrators.newton import StepFailed, StepInfo
from condyle.integrators.nonsmooth_kernels import turned
from condyle.integrators.quasi_static import refuse_memory
from condyle.integrators.strain_forces import StrainForces
from condyle.integrators.work import balanced_middle
from condyle.model.part import Declared
from condyle.model.quantities import choice, quantity
from condyle.system import assembly
from condyle.system.assembly.compliant import assemble_compliant
from condyle.system.linear import SingularMatrixError
from condyle.system.running import RunningSystem
from condyle.system.state import State

if TYPE_CHECKING:
    from condyle.contact.step import ContactStep

Array = NDArray[np.float64]
NO_MAPS = (assembly.NO_MAP, assembly.NO_MAP)


IN_PYTHON = "first-order steps"  # among what a run keeps


@dataclass
class FirstOrderRun:
    """The data of one run, as far as its steps are taken in Python.

    form: which unknowns are solved for; push: of contacts whose forces are taken at the start of the step, and the energy that
    they create; share: α of the geometric stiffness in this step.
    """

    form: str = "velocity"
    push: Array | None = None
    pushes: ExplicitPush = field(default_factory=ExplicitPush)
    share: float = 0.0

    @classmethod
    def of(cls, system: RunningSystem) -> FirstOrderRun:
        """That of a system which is stepped."""
        return system.keep(IN_PYTHON, cls)


@dataclass
class Compliant(metaclass=Declared):
    """First order, one linear solve per step, for real time.

    compliance [m/N] of joints (0: held as well as the linearised step can). form: which unknowns are solved for,
    'velocity' (M + h² Jᵀ C⁻¹ J) v, 'force' [M −Jᵀ; J C/h²] [v; hλ], or 'auto', the smaller of the two. Both give the same step,
    with a sparse matrix. contact: where its forces are taken, at the end of the step ('implicit': every law, stable however
    stiff) or, of soft laws, at its start ('explicit', as in the source's section 5.4.4).
    """

    compliance: float = quantity("m/N", default=0.0, at_least=0.0)
    form: str = choice("auto", "velocity", "force", default="auto")
    contact: str = choice("implicit", "explicit", default="implicit")
    multiplier_time = 1.0
    unwatched = (
        "stored energy is balanced only to the first order of a step"  # why the balance of energy is not watched
    )
    start_correction = 0.0
    stiffness = "strain"
    step_kind = "first order"  # as compiled code knows it

    @property
    def label(self) -> str:
        """How messages call it."""
        return type(self).__name__

    def prepare(self, system: RunningSystem, state: State, h: float) -> None:
        """Choose the form by the number of unknowns of each."""
        refuse_memory(system, type(self).__name__)
        if system.swelling:
            raise InputError(
                f"{type(self).__name__} does not follow a natural_stretch that changes; use EnergyMomentum"
            )
        table = system.energies
        strains = int(np.sum(table.vectors * (table.vectors + 1) // 2 * np.diff(table.point_start)))
        wanted = "force" if strains < system.motion_unknowns and not table.viscosity.any() else "velocity"
        run = system.kept[IN_PYTHON] = FirstOrderRun(wanted if self.form == "auto" else self.form)
        if system.contact is None:
            return
        if self.contact == "explicit":
            system.contact.without_multipliers(f"{self.label}(contact='explicit')")
        elif self.form == "force":
            raise InputError(
                f"{self.label}: contact is solved for together with velocities; take form='velocity' or 'auto'"
            )
        else:
            run.form = "velocity"

    def why_in_python(self, system: RunningSystem) -> str:
        """Why steps of this system are taken in Python; empty if they are compiled."""
        return why_in_python(self, system)

    def compiled(self, system: RunningSystem, *, in_rows: bool = False) -> FirstOrderSteps | None:
        """The compiled form of its steps; None where they are taken in Python."""
        return None if self.why_in_python(system) else FirstOrderSteps.of(system, self)

    def step(self, system: RunningSystem, state: State, h: float) -> tuple[State, StepInfo]:
        """One step of length h [s], in compiled code where that is possible."""
        return compiled_or_not(self, system, state, h)

    def step_in_python(self, system: RunningSystem, state: State, h: float) -> tuple[State, StepInfo]:
        """One step of length h [s], with a solver that exchanges rows."""
        t1, run = state.t + h, FirstOrderRun.of(system)
        system.set_turns(state.turns)
        system.set_pace(1.0 / h)
        x1 = state.x.copy()
        system.place_driven(t1, x1)
        out = system.scratch
        contact = None if system.contact is None else system.contact.step(state, h)
        within = contact if self.contact == "implicit" else None  # the contact that is solved for
        run.push = None if contact is None or within is not None else contact.force_at(state.x, state.v)
        self._assemble(system, state, x1, h, out)
        before = x1.copy()
        du, iterations = self._move(system, state, x1, h, out, within)
        pressing = run.push if within is None else within.acting()  # None without contact
        if not np.isfinite(x1).all() or (np.abs(x1) / system.rows.size[:, None]).max() > 1e6:
            raise StepFailed(f"{self.label} is unstable at this step; take a smaller dt")
        v1 = (x1 - before) / h
        self._turn_velocities(system, du, x1, h, v1)
        system.driven_velocity(t1, v1)
        system.clean_directors(x1)
        multipliers = system.reported_multipliers(
            system.multiplier_increments(du), system.stiffness(h, system.step), (x1, x1), (t1, t1)
        )
        turns = system.turns_at(x1, state.turns)
        system.advance_states(state.x, system.amplitudes(t1), 1.0, turns)
        after = State(t1, x1, v1, multipliers, dict(state.memory), turns)
        if contact is not None:
            if within is None:
                contact.force_at(x1, v1)  # for what is reported
            else:
                after_impacts(system, within, after, h)
            after.memory |= contact.memory(x1)
            if run.push is not None:
                run.pushes.account(system, state, after, run.push)
            if system.driven and pressing is not None:  # what supports bear, of which their work is taken
                system.scratch.q[:] = balanced_middle(system, state, after, h, self.multiplier_time) - pressing
        return after, StepInfo(iterations=iterations, residuals=[0.0])

    def _move(
        self, system: RunningSystem, state: State, x1: Array, h: float, out: Any, contact: ContactStep | None
    ) -> tuple[Array, int]:
        """Solve the equations of the step and move x1, in place; the motion (unknowns,), and how many solves it took."""
        rhs = np.zeros(system.unknowns)
        rhs[: system.motion_unknowns] = -out.r[: system.motion_unknowns]
        system.held_unknowns(out.c, rhs)
        self._soften(system, out.A)
        if contact is not None:
            du, x1[:], iterations = solve_with_contact(system, contact, out.A.copy(), rhs, x1)
            return du, iterations
        try:
            if self.stiffness == "strain" and FirstOrderRun.of(system).form == "force":
                du = self._solve_for_forces(system, state, x1, h, out, rhs)
            else:
                system.solver.factor(out.A)
                du = system.solver.solve(rhs)
        except SingularMatrixError as error:
            part = system.owner(error.unknown) if error.unknown is not None else ""
            raise StepFailed("the equations are singular", part) from None
        assembly.move(system.rows, du, x1)
        return du, 1

    def _assemble(self, system: RunningSystem, state: State, x: Array, h: float, out: Any, stiff: bool = True) -> None:
        """The matrix and right-hand side of the step."""
        still, t1 = np.zeros_like(x), state.t + h
        system.driven_velocity(t1, still)  # all others are unknown, and linear in the motion
        amplitudes = system.amplitudes(t1)
        applied, push = system.applied(t1, x, state.v), FirstOrderRun.of(system).push
        loads = (applied if push is None else applied + push, amplitudes, system.targets(t1, t1))
        held = (np.zeros(len(system.multipliers)), *system.stiffness(h, system.step))
        acceleration = self._centripetal(system, state) - state.v / h
        if self.stiffness == "full":
            motion = (x, x, x, still, acceleration, x)
            assembly.assemble(
                system.whole, motion, loads, held, assembly.END, assembly.END, (1.0 / h**2, 1.0, 1.0 / h), NO_MAPS, True, out
            )  # fmt: skip
            return
        stiff = stiff and self.stiffness == "strain"
        assemble_compliant(system.whole, x, still, acceleration, loads, held, h, stiff, NO_MAPS, out)

    def _soften(self, system: RunningSystem, A: Array) -> None:
        """G du − C λ = −c; at C = 0 redundant joints share their reactions as everywhere."""
        system.regularise(A)
        if self.compliance > 0.0:
            at = system.diagonal_slots[system.motion_unknowns :]
            A[at] -= self.compliance

    def _centripetal(self, system: RunningSystem, state: State) -> Array:
        """ω × v of directors: their acceleration in steady rotation, which makes the gyroscopic moment."""
        out = np.zeros_like(state.x)
        omega = np.zeros((len(system.rows.bodies), 3))
        spins(system.rows, state.x, state.v, omega)
        turned(system.rows, omega, state.v, out)
        return out

    def _turn_velocities(self, system: RunningSystem, du: Array, x1: Array, h: float, v1: Array) -> None:
        """Velocities of directors belong to the directors at the end of the step: ω × d."""
        bodies = system.rows.bodies
        omega = np.zeros((len(bodies), 3))
        if len(bodies):
            first = system.rows.unknown[bodies[:, 0]]
            if system.d == 3:
                omega[:] = du[first[:, None] + np.arange(3)] / h
            else:
                omega[:, 2] = du[first] / h
        turned(system.rows, omega, x1, v1)

    def _solve_for_forces(self, system: RunningSystem, state: State, x: Array, h: float, out: Any, rhs: Array) -> Array:
        """The same step with strain forces as unknowns (`strain_forces.py`)."""
        self._assemble(system, state, x, h, out, stiff=False)
        self._soften(system, out.A)
        return system.keep(StrainForces, lambda: StrainForces(system)).solve(out.A, x, rhs)


@dataclass
class LinearisedImplicit(Compliant):
    """Comparator: (M − h² ∂f/∂x) v1 = M v0 + h f, with the whole tangent, including that of the present stress."""

    stiffness = "full"
    step_kind = "linearised"


@dataclass
class SemiImplicit(Compliant):
    """Comparator: v1 = v0 + h M⁻¹ f(x0), x1 = x0 + h v1. Explicit in the forces: refused above the step 2/ω_max.

    With check=False it runs anyway.
    """

    check: bool = True
    stiffness = "none"
    step_kind = "semi-implicit"

    def prepare(self, system: RunningSystem, state: State, h: float) -> None:
        super().prepare(system, state, h)
        if self.check:
            limit = largest_step(system, state)
            if h > limit:
                raise InputError(
                    f"SemiImplicit: the step {h:g} s is too large for an explicit method; its limit here is "
                    f"2/ω_max = {limit:.3g} s. Take a smaller dt, or Compliant()"
                )


def largest_step(system: RunningSystem, state: State) -> float:
    """2/ω_max [s] of the model at a state, without its constraints: the limit of stability of explicit methods."""
    return stiffest(system, state)[0]


def stiffest(system: RunningSystem, state: State) -> tuple[float, str]:
    """2/ω_max [s] of the model at a state, without its constraints, and the part that oscillates most with it."""
    from scipy.sparse import csc_matrix

    n, pattern = system.motion_unknowns, system.pattern
    out = system.buffers()
    still = np.zeros_like(state.x)
    held = (np.zeros(len(system.multipliers)), *system.stiffness(1.0))
    loads = (still, system.amplitudes(state.t), system.targets(state.t, state.t))
    matrices: list[Any] = []
    rows = pattern.rows()
    moving = (rows < n) & (pattern.indices < n)
    for factors in ((0.0, 1.0, 0.0), (1.0, 1.0, 0.0)):
        motion = (state.x, state.x, state.x, still, still, state.x)
        assembly.assemble(
            system.whole, motion, loads, held, assembly.END, assembly.END, factors, NO_MAPS, True, out
        )  # fmt: skip
        values = out.A[moving]
        if not matrices and not values.any():  # nothing is stiff
            return float("inf"), ""
        matrices.append(csc_matrix((values, (rows[moving], pattern.indices[moving])), shape=(n, n)))
    K, M = matrices[0], matrices[1] - matrices[0]
    K, M = 0.5 * (K + K.T), 0.5 * (M + M.T)
    if n < 200:
        from scipy.linalg import eigh

        top, shape = eigh(K.toarray(), M.toarray(), subset_by_index=[n - 1, n - 1])
    else:
        from scipy.sparse.linalg import eigsh

        top, shape = eigsh(K, k=1, M=M, which="LM")
    energy = np.abs(shape[:, 0] * np.asarray(M @ shape[:, 0]))
    limit = 2.0 / float(np.sqrt(top[0])) if top[0] > 0 else float("inf")
    return limit, system.owner(int(np.argmax(energy)))
