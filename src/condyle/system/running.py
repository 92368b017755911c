"""RunningSystem: a system with the data of one run of it. All that changes from step to step is here and in the State."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from condyle.laws.repeated import Repetitions
from condyle.model.functions import value_at
from condyle.system import assembly, holding, turns
from condyle.system.assembly.places import family
from condyle.system.fading import STRESS_MEMORY, Fading
from condyle.system.linear import LinearSolver, bordered_solver, mesh_solver
from condyle.system.rates import time_derivative
from condyle.system.state import State
from condyle.system.swelling import Swelling
from condyle.system.system import System
from condyle.system.tables import CONSERVING, FREE, PENALTY, LawTable, WholeSystem
from condyle.system.unknowns import rigid_motions
from condyle.system.whole import whole_system

if TYPE_CHECKING:
    from condyle.contact.problem import ContactProblem

Array = NDArray[np.float64]
Kept = TypeVar("Kept")


class Buffers(NamedTuple):
    """Work arrays of one assembly: residual per row, its scale and noise; the same per unknown; constraints; matrix."""

    q: Array
    q_scale: Array
    q_noise: Array
    r: Array
    r_scale: Array
    r_noise: Array
    c: Array
    c_scale: Array
    A: Array


class RunningSystem(System):
    """The system of one run: all that a `System` is, and what a run keeps and writes.

    Tables that a step writes into (parameters of laws, which hold turns and states; stresses of the past; weights and
    measures of bodies that swell; the pace of the step) are copies; all other arrays are those of `shared`. Made of another
    run, it has the step and the inputs of that one.
    """

    def __init__(self, system: System) -> None:
        self._shared = system.shared
        self.__dict__ |= {name: value for name, value in self._shared.__dict__.items() if name != "frozen"}
        self.step = 1e-3  # the step of the run [s], from which stiffnesses that are not given are chosen
        self.step_number = 1  # of the step that is taken, in its run
        self.redundant = False  # some constraints depend on others; found at the start of a run
        self.overrides: dict[int, float] = {}  # function of time -> value set by hand
        self.factorised = 2.0  # factorisations in the last step that was taken in Python
        self._compiled: tuple[Hashable, Any] | None = None  # what the last method's steps were laid out for, and with
        self.kept: dict[Hashable, Any] = {}  # what methods keep for this run from step to step, see `keep`
        self.call = Repetitions()  # kernels that are called in every step, with the tables of this run
        self.begun_at = self.x_start, 0.0  # configuration and time [s] at the start of the run
        self.rows = self.rows._replace(pace=np.zeros(1))
        self.laws = self.laws._replace(params=self.laws.params.copy(), past=self.laws.past.copy())
        if self.swells:
            self.laws = self.laws._replace(weights=self.laws.weights.copy(), measure=self.laws.measure.copy())
        self.energies, self.forces, self.links, self.constraints, self.rates = (
            family(self.laws, self.spans, k) for k in range(5)
        )

        if isinstance(system, RunningSystem):
            self.step, self.redundant, self.overrides = system.step, system.redundant, dict(system.overrides)

    def renew(self) -> None:
        """Another run begins: all that a run writes is as it was when this one was made, and nothing that it kept is left.

        Its compiled steps stay laid out where that does not follow from the run itself, as it does with contact.
        """
        if self.contacts or self.redundant:
            self._compiled = None
        elif self._compiled is not None:
            self._compiled[1].begin_anew()
        self.step_number, self.redundant, self.factorised = 1, False, 2.0
        self.overrides.clear()
        self.kept.clear()
        self.begun_at = self.x_start, 0.0
        own, shared = self.laws, self._shared.laws
        for name in ("params", "past", *(("weights", "measure") if self.swells else ())):
            np.copyto(getattr(own, name), getattr(shared, name))
        self.rows.pace[0] = 0.0
        for name in ("scratch", "solver", "contact", "fading", "swelling"):
            self.__dict__.pop(name, None)
        plain = self.__dict__.get("plain", self)
        if plain is not self:
            plain.renew()

    @property
    def shared(self) -> System:
        """The system that this run shares with others."""
        return self._shared

    def keep(self, key: Hashable, make: Callable[[], Kept]) -> Kept:
        """What a method keeps for this run from step to step, made when it is first asked for.

        A method has its options only: one object may step several runs in turn, or in threads.
        """
        if key not in self.kept:
            self.kept[key] = make()
        kept: Kept = self.kept[key]
        return kept

    def compiled(self, key: Hashable, make: Callable[[], Kept]) -> Kept:
        """The compiled form of its steps, laid out when it is first asked for with these options of a method."""
        if self._compiled is None or self._compiled[0] != key:
            self._compiled = key, make()
        steps: Kept = self._compiled[1]
        return steps

    def own_columns(self, laws: LawTable) -> LawTable:
        """A table of the shared system's laws in another layout, with the columns that this run writes into."""
        own = self.laws
        return laws._replace(params=own.params, past=own.past, weights=own.weights, measure=own.measure)

    # --- tables and work arrays ---------------------------------------------------------------------------------------

    @cached_property
    def whole(self) -> WholeSystem:
        """The tables as the assembly kernel wants them."""
        return whole_system(self, self.rows, self.tangent_mass, self.laws)

    @cached_property
    def end_tables(self) -> tuple[LawTable, ...]:
        """What acts on quasi-static bodies: energies, forces, links, constraints."""
        tables = self.energies, self.forces, self.links, self.constraints
        return tuple(family(t, np.array([np.count_nonzero(~t.at_end), t.law.size]), 0) for t in tables)

    def assemble(
        self, motion: Any, loads: Any, held: Any, where: int, held_where: int, factors: Any, maps: Any, tangent: bool,
        out: Buffers,
    ) -> None:  # fmt: skip
        """Residual and tangent of this run, see `assembly.assemble`."""
        given = self.whole, motion, loads, held, where, held_where, factors, maps, tangent, out
        if self.whole.spans.size == 6:  # no threads
            self.call(assembly.assemble_compiled)(*given)
        else:
            assembly.assemble(*given)

    def buffers(self) -> Buffers:
        """Fresh work arrays."""
        n, d, u, m = self.n, self.d, self.unknowns, len(self.multipliers)
        sizes = ((n, d), (n, d), (n, d), (u,), (u,), (u,), (m,), (m,), (self.pattern.nnz,))
        return Buffers._make(np.zeros(size) for size in sizes)

    @cached_property
    def scratch(self) -> Buffers:
        """Work arrays for the one solve that is under way."""
        return self.buffers()

    @cached_property
    def plain(self) -> RunningSystem:
        """This run in row form (`System.row_form`); inputs set by hand hold in both."""
        if self.identity and self.shared.row_form is self.shared:
            return self
        plain = RunningSystem(self.shared.row_form)
        plain.overrides = self.overrides
        return plain

    # --- solvers ------------------------------------------------------------------------------------------------------

    @cached_property
    def solver(self) -> LinearSolver:
        """The unsymmetric solver of this system's pattern, with the factors of the last matrix; symbolic work is done once."""
        free = self.rows.kind == FREE
        nodes = self.motion_unknowns == self.d * int(free.sum()) and bool(self.translation[free].all())
        if nodes:
            solver = mesh_solver(self.pattern, self.solver_kind, self.motion_unknowns, self.modes, self.d)
        else:
            solver = bordered_solver(self.pattern, self.solver_kind, self.mesh_nodes, self.modes, self.d)
        shared = self.shared
        solver.owner, solver.levers, solver.least_stiffness = shared.owner, shared.levers, shared.least_stiffness
        return solver

    @cached_property
    def mesh_nodes(self) -> NDArray[np.int64]:
        """First unknowns of all rows that are free positions, in order."""
        free = (self.rows.kind == FREE) & (self.translation > 0)
        return np.sort(self.rows.unknown[free]).astype(np.int64)

    def modes(self) -> Array:
        """Motions of all free rows without strain, shape (unknowns, 3 or 6)."""
        return np.ascontiguousarray(rigid_motions(self, np.flatnonzero(self.rows.kind == FREE)).T)

    @property
    def solver_used(self) -> str:
        """The solver that has factorised the matrices of this run, with contact where there is any; empty if none has."""
        own: LinearSolver | None = self.__dict__.get("solver")
        used = ("" if own is None else own.used, "" if self.contact is None else self.contact.solver_used)
        return ", ".join(dict.fromkeys(name for name in used if name))

    @cached_property
    def contact(self) -> ContactProblem | None:
        """What contacts add to the equations, None if the model has none."""
        make = self.contributions.contact_problem
        return None if make is None else make(self)

    # --- functions of time --------------------------------------------------------------------------------------------

    def amplitudes(self, t: float) -> Array:
        """Values of all functions of time at t; inputs set by hand take the place of theirs."""
        set_by_hand = self.overrides
        if not set_by_hand:
            return super().amplitudes(t)
        values = np.empty(len(self.functions))
        for k, f in enumerate(self.functions):
            values[k] = set_by_hand[k] if k in set_by_hand else value_at(f, t, self.model[self.function_owner[k]])
        return values

    def _declared(self, function: int) -> bool:
        return function not in (self.overrides or ())

    def driven_velocity(self, t: float, v: Array) -> None:
        """Rates of prescribed rows at t."""
        for rows, motion in self.driven:
            v[rows] = time_derivative(motion, t, 1, self.step)

    # --- materials ----------------------------------------------------------------------------------------------------

    @cached_property
    def fading(self) -> Fading:
        """Laws with fading memory."""
        return Fading(self.energies, self.instances[0])

    @cached_property
    def swelling(self) -> Swelling:
        """Laws of bodies whose stress-free shape changes with time."""
        return Swelling(self.energies, self.shared.energies, self.instances[0])

    def swell(self, t: float, factor: float = 1.0) -> None:
        """Take the stress-free shapes of time t [s]; factor: how much of their growth."""
        if self.swelling:
            self.swelling.put(1.0 + factor * (self.amplitudes(t) - 1.0))

    def begin_step(self, state: State, h: float, where: int) -> None:
        """Say from where and how far a step goes: rates of quasi-static bodies, fading stress, swelling.

        h = 0: no step in time.
        """
        self.rows.pace[0] = 1.0 / h if h > 0.0 else 0.0
        if self.swelling:
            taken = self.amplitudes(state.t + (0.5 * h if where == CONSERVING else h))
            end = [function for function, at_end in self.swelling.at_end.items() if at_end]
            taken[end] = self.amplitudes(state.t + h)[end]
            self.swelling.put(taken)
        if self.fading:
            self.fading.begin_step(state.memory.get(STRESS_MEMORY) if h > 0.0 else None, h, where)

    def material_memory(self, state: State, x1: Array, h: float) -> dict[str, Array]:
        """What materials carry on from a step that ends at x1."""
        memory = state.memory.get(STRESS_MEMORY)
        return {} if memory is None else {STRESS_MEMORY: self.fading.after_step(memory, x1, h)}

    # --- angles on their turns, and states of laws --------------------------------------------------------------------

    def set_turns(self, now: Array) -> None:
        """Say on which turn each angle is at the start of a step, by its unwrapped value [rad]; states of laws are held."""
        turns.set_turns(self, now)

    def set_pace(self, pace: float, lead: float = 0.0) -> None:
        """How states of laws follow within a step: κ (z − z_0 − lead ż_0) = ż(z), κ = pace [1/s]; < 0: held, 0: in balance."""
        turns.set_pace(self, pace, lead)

    def advance_states(self, x: Array, amplitudes: Array, share: float, now: Array) -> None:
        """Put the states of laws at the end of a step into `now`; x: where forces were taken, after `share` of the step."""
        turns.advance_states(self, x, amplitudes, share, now)

    # --- energy -------------------------------------------------------------------------------------------------------

    def energy(
        self, state: State, stiffness: tuple[Array, Array] | None = None, growth: float = 1.0
    ) -> dict[str, float]:
        """Kinetic, stored (springs, materials, penalties), gravity and total energy [J]; growth: see `swell`."""
        if state.turns.size:
            self.set_turns(state.turns)
        self.swell(state.t, growth)
        linear, angular = np.zeros(self.d), np.zeros(3)
        kinetic = float(self.call(assembly.momenta)(self.mass, self.translation, state.x, state.v, linear, angular))
        stored = float(self.call(assembly.stored_energy)(self.energies, state.x))
        if stiffness is not None and (self.hold == PENALTY).any():
            eta = holding.of_multipliers(self, stiffness)
            c = self.constraint_values(state.x, state.t)
            stored += 0.5 * float(np.sum((eta * c * c)[self.hold == PENALTY]))
        if self.contact is not None:
            stored += self.contact.stored(state)
        gravity = -float(np.sum(self.gravity(state.t) * state.x))
        return {"kinetic": kinetic, "stored": stored, "gravity": gravity, "total": kinetic + stored + gravity}


__all__ = ["Buffers", "RunningSystem"]
