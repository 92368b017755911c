"""System: the compiled model. Everything an integrator may ask for at a state, and nothing about time stepping."""

from __future__ import annotations

import os
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.laws.codes import COORDINATE
from condyle.laws.record import is_own
from condyle.model.functions import value_at
from condyle.model.model import Model
from condyle.model.part import Part
from condyle.model.point import Point, as_point
from condyle.system import assembly
from condyle.system.assembly.places import family
from condyle.system.assembly.slender import first_turned
from condyle.system.builder import Builder, Instance
from condyle.system.couplings import find_couplings
from condyle.system.fading import STRESS_MEMORY, Fading
from condyle.system.linear import LinearSolver, make_solver, matvec, mesh_solver
from condyle.system.linear.sharing import REGULARISATION, regularise
from condyle.system.pattern import Pattern
from condyle.system.rates import time_derivative
from condyle.system.state import State
from condyle.system.swelling import Swelling
from condyle.system.tables import (
    AUGMENTED,
    CONSERVING,
    FIXED,
    FREE,
    MULTIPLIER,
    PENALTY,
    UZAWA,
    BodyTable,
    Couplings,
    LawTable,
    MassTable,
    Parts,
    Rows,
)
from condyle.system.weights import Weights

if TYPE_CHECKING:
    from condyle.bodies.body import Anchor
    from condyle.contact.problem import ContactProblem
    from condyle.joints.coordinate import Coordinate

Array = NDArray[np.float64]
SINGULAR_INERTIA = 1e-8  # stand-in inertia, relative, in the tangent only


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


class Multiplier(NamedTuple):
    """What a multiplier belongs to: the part, the component, and whether it only keeps a rigid body rigid."""

    part: str
    component: str
    internal: bool


class System:
    """Arrays and batches of laws: residual, tangent, energy, momentum, constraint error at a state.

    x has shape (n, d): n rows, each a position [m] or a material direction; d = 2 or 3.
    """

    def __init__(
        self,
        *,
        builder: Builder,
        identity: bool,
        rows: Rows,
        mass: MassTable,
        laws: LawTable,
        spans: NDArray[np.int64],
        instances: tuple[list[Instance], ...],
        pattern: Pattern,
        motion_unknowns: int,
        solver_kind: str,
    ) -> None:
        self.builder = builder
        self.model: Model = builder.model
        self.identity = identity
        self.rows, self.mass, self.laws, self.spans = rows, mass, laws, spans
        self.energies, self.forces, self.links, self.constraints = (family(laws, spans, k) for k in range(4))
        self.pattern = pattern
        self.instances = instances
        self.motion_unknowns = motion_unknowns
        self.solver_kind = solver_kind
        self.step = 1e-3  # the step of the run [s], from which stiffnesses that are not given are chosen
        self.step_number = 1  # of the step that is taken, in its run
        self.redundant = False  # some constraints depend on others; found at the start of a run
        self.overrides: dict[int, float] = {}  # function of time -> value set by hand
        self.compiled: dict[str, Any] = {}  # what integrators keep for this system from step to step
        self.d = builder.d
        self.x_start = np.array(builder.x)
        self.begun_at = self.x_start, 0.0  # configuration and time [s] at the start of the run under way
        self.v_start = np.array(builder.v)
        self.n = len(self.x_start)
        self._size = builder.extent()
        self.translation = np.array(builder.translation)
        self.moving = rows.kind != FIXED
        self.multipliers = _name_multipliers(instances[2], instances[3], self.d)
        self._given_stiffness = tuple(
            np.array([np.nan if i.stiffness is None else i.stiffness for i in group]) for group in instances[2:]
        )
        self.multiplier_unknowns = self._number_multipliers()
        self._turns = [_find_angles(group) for group in (instances[0], instances[1], instances[3])]
        tangent_mass = mass.value.copy()
        for row, size in builder.singular.items():
            tangent_mass[(mass.first == row) & (mass.second == row)] += SINGULAR_INERTIA * size
        self.tangent_mass = mass._replace(value=tangent_mass)
        weight = np.zeros(self.n)
        np.add.at(weight, mass.first, mass.value * self.translation[mass.second])
        for members, matrix in builder.weight:
            np.add.at(weight, members, matrix @ self.translation[members])
        self.gravity_force = np.outer(weight, np.array(self.model.gravity))
        diagonal = np.zeros(self.n)
        same = mass.first == mass.second
        diagonal[mass.first[same]] = mass.value[same]
        self.row_mass = diagonal

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"process": os.getpid()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """A law of the user's own is somewhere else in another process."""
        process = state.pop("process")
        self.__dict__.update(state)
        if process != os.getpid() and any(is_own(t.law) for t in (self.energies, self.forces, self.constraints)):
            raise InputError(
                f"Model '{self.model.name}' has laws of one's own, whose machine code belongs to the process that "
                "compiled it; send the model to the other process and compile it there"
            )

    # --- quasi-static bodies and fading memory --------------------------------------------------------------------------

    @cached_property
    def quasi_static(self) -> NDArray[np.int64]:
        """Rows of quasi-static bodies: without inertia, balanced at the end of every step."""
        return np.flatnonzero(self.rows.quasi)

    @cached_property
    def end_channels(self) -> NDArray[np.int64]:
        """Functions of time of forces on quasi-static bodies, which are taken at the end of a step."""
        return np.unique(self.forces.channel[self.forces.at_end & (self.forces.channel >= 0)])

    @cached_property
    def end_multipliers(self) -> NDArray[np.bool_]:
        """Multipliers of constraints on quasi-static bodies, shape (m,)."""
        return np.concatenate((np.repeat(self.links.at_end, self.d), self.constraints.at_end))

    @cached_property
    def end_tables(self) -> tuple[LawTable, ...]:
        """What acts on quasi-static bodies: energies, forces, links, constraints."""
        tables = self.energies, self.forces, self.links, self.constraints
        return tuple(family(t, np.array([np.count_nonzero(~t.at_end), t.law.size]), 0) for t in tables)

    @cached_property
    def fading(self) -> Fading:
        """Laws with fading memory."""
        return Fading(self.energies, self.instances[0])

    @cached_property
    def swelling(self) -> Swelling:
        """Laws of bodies whose stress-free shape changes with time."""
        return Swelling(self.energies, self.instances[0])

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

    # --- sizes and names ----------------------------------------------------------------------------------------------

    @property
    def unknowns(self) -> int:
        """Unknowns of the linear system: motion, then multipliers that are iterated with it."""
        return self.pattern.n

    @cached_property
    def parts(self) -> Parts:
        """The tables as the assembly kernel wants them."""
        return make_parts(self.builder, self.rows, self.tangent_mass, self.laws, self.spans, self.identity)

    def row_of(self, unknown: int) -> int:
        """The first row that an unknown of motion moves; −1 for a multiplier."""
        if unknown >= self.motion_unknowns:
            return -1
        started = np.where((self.rows.unknown >= 0) & (self.rows.unknown <= unknown), self.rows.unknown, -1)
        return int(np.argmax(started))

    def owner(self, unknown: int) -> str:
        """The part an unknown belongs to, for messages."""
        if unknown < self.motion_unknowns:
            return self.builder.owner[self.row_of(unknown)]
        k = int(np.flatnonzero(self.multiplier_unknowns == unknown)[0])
        return f"{self.multipliers[k].part} ({self.multipliers[k].component})"

    def position(self, point: Any) -> Weights:
        """Weights of a point: a Point, 'body.name', or a body's name."""
        reference = as_point(point)
        return self.anchor(reference).position(reference, _Reader())

    def coordinate(self, reference: str) -> Coordinate:
        """A joint coordinate by name, 'joint.angle'."""
        from condyle.joints.coordinate import find

        return find(self.builder, reference, _Reader())

    def anchor(self, point: Point) -> Anchor:
        """The anchor of a point's body."""
        self.model.body(point.body)
        return self.builder.anchors[point.body]

    @cached_property
    def contact(self) -> ContactProblem | None:
        """What contacts add to the equations, None if the model has none."""
        if not self.builder.contacts:
            return None
        from condyle.contact.problem import ContactProblem

        return ContactProblem(self)

    def without_contact(self, who: str) -> None:
        """InputError if the model has contacts, which `who` would not see."""
        if self.builder.contacts:
            raise InputError(
                f"{who} knows no contact, but the model has '{self.builder.contacts[0].name}'; use EnergyMomentum, "
                "GeneralizedAlpha, Newmark, HHT, BDF or solve_static"
            )

    # --- functions of time --------------------------------------------------------------------------------------------

    def amplitudes(self, t: float) -> Array:
        """Values of all functions of time at t; inputs set by hand take the place of theirs."""
        if not self.builder.functions:
            return np.zeros(1)
        owner, model, set_by_hand = self.builder.function_owner, self.builder.model, self.overrides
        values = np.empty(len(self.builder.functions))
        for k, f in enumerate(self.builder.functions):
            values[k] = set_by_hand[k] if k in set_by_hand else value_at(f, t, model[owner[k]])
        return values

    def targets(self, t0: float, t1: float) -> Array:
        """Values of all functions of time at both ends of a step, shape (2, functions)."""
        return np.array([self.amplitudes(t0), self.amplitudes(t1)])

    def gravity(self, t: float) -> Array:
        """Gravity force per row [N], shape (n, d)."""
        scale = self.builder.gravity_scale
        return self.gravity_force if scale is None else scale(t) * self.gravity_force

    def applied(self, t: float, x: Array, v: Array) -> Array:
        """Gravity and forces of Python functions per row [N], shape (n, d)."""
        force = self.gravity(t)
        if self.builder.user_forces:
            force = force.copy()
            for law in self.builder.user_forces:
                for rows, values in law(t, x, v):
                    np.add.at(force, rows, values)
        return force

    def place_driven(self, t: float, x: Array) -> None:
        """Put prescribed rows where they belong at t."""
        for rows, motion in self.builder.driven:
            x[rows] = motion(t)

    def driven_velocity(self, t: float, v: Array) -> None:
        """Rates of prescribed rows at t."""
        for rows, motion in self.builder.driven:
            v[rows] = time_derivative(motion, t, 1, self.step)

    def driven_acceleration(self, t: float, a: Array, h: float = 1e-3) -> None:
        """Accelerations of prescribed rows at t, by central differences over ±2h [s].

        With the step of an integrator as h, a kink of the motion gives the impulse of its jump of velocity and no more.
        """
        for rows, motion in self.builder.driven:
            near, far = motion(t + h) + motion(t - h), motion(t + 2 * h) + motion(t - 2 * h)
            a[rows] = (16 * near - far - 30 * motion(t)) / (12 * h * h)

    # --- assembly -----------------------------------------------------------------------------------------------------

    def buffers(self) -> Buffers:
        """Fresh work arrays."""
        n, d, u, m = self.n, self.d, self.unknowns, len(self.multipliers)
        sizes = ((n, d), (n, d), (n, d), (u,), (u,), (u,), (m,), (m,), (self.pattern.nnz,))
        return Buffers._make(np.zeros(size) for size in sizes)

    @cached_property
    def solver(self) -> LinearSolver:
        """The unsymmetric solver of this system's pattern; symbolic work is done here, once."""
        free = self.rows.kind == FREE
        nodes = self.motion_unknowns == self.d * int(free.sum()) and bool(self.translation[free].all())
        if nodes:
            solver = mesh_solver(self.pattern, self.solver_kind, self.motion_unknowns, self._rigid_motions, self.d)
        else:
            solver = make_solver(self.pattern, self.solver_kind)
        solver.owner, solver.levers, solver.least_stiffness = self.owner, self.levers, self.least_stiffness
        return solver

    @property
    def solver_used(self) -> str:
        """The solver that has factorised the matrices of this system, with contact where there is any; empty if none has."""
        solvers = [self.__dict__.get("solver"), None if self.contact is None else self.contact.solver]
        return ", ".join(dict.fromkeys(solver.used for solver in solvers if solver is not None and solver.used))

    def _rigid_motions(self) -> Array:
        """Motions of the whole model without strain, shape (unknowns, 3 or 6), if all unknowns are positions."""
        free = np.flatnonzero(self.rows.kind == FREE)
        place = self.x_start[free] - self.x_start[free].mean(axis=0)
        motions = [np.broadcast_to(axis, place.shape) for axis in np.eye(self.d)]
        if self.d == 2:
            motions.append(np.stack((-place[:, 1], place[:, 0]), axis=1))
        else:
            motions += [np.cross(axis, place) for axis in np.eye(3)]
        out = np.zeros((self.unknowns, len(motions)))
        at = self.rows.unknown[free][:, None] + np.arange(self.d)
        for k, motion in enumerate(motions):
            out[at, k] = motion
        return out

    @cached_property
    def _diagonal_slots(self) -> NDArray[np.int64]:
        row = self.pattern.rows()
        return np.flatnonzero(row == self.pattern.indices).astype(np.int64)

    @cached_property
    def scratch(self) -> Buffers:
        """Work arrays for the one solve that is under way."""
        return self.buffers()

    @cached_property
    def unit_of_unknown(self) -> NDArray[np.int64]:
        """The group of each unknown of motion: residuals of the same unit are judged together."""
        out = np.zeros(self.motion_unknowns, dtype=np.int64)
        for number, members in enumerate(self.unknown_groups):
            out[members] = number
        return out

    @cached_property
    def unknown_groups(self) -> list[NDArray[np.int64]]:
        """Unknowns whose residuals have the same unit: of lengths (also half thicknesses), of unit vectors, of turning."""
        groups: dict[str, list[int]] = {"position": [], "direction": [], "turning": []}
        for row in range(self.n):
            u = int(self.rows.unknown[row])
            if self.rows.kind[row] == FREE:
                name = "direction" if row in self.builder.unit_vectors else "position"
                groups[name] += range(u, u + self.d)
        for directors in self.rows.bodies:
            u = int(self.rows.unknown[directors[0]])
            groups["turning"] += range(u, u + (3 if self.d == 3 else 1))
        return [np.array(members, dtype=np.int64) for members in groups.values() if members]

    @cached_property
    def elastic_rows(self) -> NDArray[np.bool_]:
        """Rows on which elements (stored energies of more than one vector) act, shape (n,)."""
        out = np.zeros(self.n, dtype=bool)
        table = self.energies
        for i in np.flatnonzero(table.vectors > 1):
            out[table.rows[table.row_start[i] : table.row_start[i + 1]]] = True
        return out

    @cached_property
    def exact(self) -> NDArray[np.bool_]:
        """Constraints that Newton's method itself satisfies (multiplier and augmented), shape (m,)."""
        return self.multiplier_unknowns >= 0

    def inertia_scale(self, x: Array, reach: Array, factor: float) -> Array:
        """Round-off level of inertia forces: Σ|m| size times `factor` = ∂ẍ/∂x, per unknown of motion.

        The size of a row is how far it moves in the step, reach = h v.
        """
        rows = factor * (self._mass_size @ np.abs(reach))
        r, r_scale, r_noise = (np.zeros(self.unknowns) for _ in range(3))
        assembly.project(self.rows, x, rows, rows, rows, r, r_scale, r_noise)
        return r_scale[: self.motion_unknowns]

    @cached_property
    def _mass_size(self) -> Any:
        """|m| as a sparse matrix, shape (n, n)."""
        from scipy.sparse import csr_matrix

        m = self.mass
        return csr_matrix((np.abs(m.value), (m.first, m.second)), shape=(self.n, self.n))

    def clean_directors(self, x: Array) -> None:
        """Remove round-off from the directors of rigid bodies with tangent maps."""
        assembly.normalise_directors(self.rows, x)

    def uzawa_done(self, out: Buffers, eta: Array, tolerance: Any) -> bool:
        """Are the constraints of Uzawa's outer loop within the tolerance?"""
        held = eta > 0
        return bool((np.abs(out.c[held]) <= 100 * tolerance.length * np.maximum(out.c_scale[held], 1e-300)).all())

    def reported_multipliers(
        self, multipliers: Array, stiffness: tuple[Array, Array], ends: tuple[Array, Array], times: tuple[float, float]
    ) -> Array:
        """Multipliers with the forces of penalty constraints filled in (mean of both ends of the step)."""
        soft = self.hold == PENALTY
        if not soft.any():
            return multipliers
        eta = np.concatenate((np.repeat(stiffness[0], self.d), stiffness[1]))
        mean = 0.5 * (self.constraint_values(ends[0], times[0]) + self.constraint_values(ends[1], times[1]))
        return np.where(soft, eta * mean, multipliers)

    def regularise(self, A: Array) -> None:
        """Let redundant constraints share their reactions (a tiny negative diagonal of the multipliers)."""
        regularise(self.couplings, REGULARISATION, self.least_stiffness, A)

    @property
    def least_stiffness(self) -> float:
        """The heaviest mass over 1 s² [N/m]: what a mechanism counts with in balance, where only its forces have stiffness."""
        return self.heaviest or 1.0

    @cached_property
    def heaviest(self) -> float:
        """The largest mass of a row [kg]; moments of directions [kg m²] over the square of the model's size."""
        return float((self.row_mass / np.where(self.translation > 0, 1.0, self.size**2)).max(initial=0.0))

    @cached_property
    def couplings(self) -> Couplings:
        """Where the matrix keeps the gradients of the constraints."""
        p, multipliers = self.pattern, np.arange(self.motion_unknowns, self.unknowns)
        return find_couplings(p.rows(), p.indices, np.arange(p.nnz), multipliers, self.levers)

    @cached_property
    def levers(self) -> Array:
        """[m] of each unknown: 1 for a place, the extent of the model for a direction or turning, 0 for multipliers."""
        out = np.zeros(self.unknowns)
        out[: self.motion_unknowns] = self.size
        for i in np.flatnonzero((self.rows.kind == FREE) & (self.translation > 0)):
            out[self.rows.unknown[i] : self.rows.unknown[i] + self.d] = 1.0
        return out

    def held_unknowns(self, c: Array, rhs: Array) -> None:
        """Write the constraint residuals −c of iterated multipliers into a right-hand side."""
        live = self.multiplier_unknowns >= 0
        rhs[self.multiplier_unknowns[live]] = -c[live]

    def multiplier_increments(self, du: Array) -> Array:
        """Increments of all multipliers, zero for those not iterated; shape (m,)."""
        out = np.zeros(len(self.multipliers))
        live = self.multiplier_unknowns >= 0
        out[live] = du[self.multiplier_unknowns[live]]
        return out

    @cached_property
    def hold(self) -> NDArray[np.int64]:
        """Enforcement of each multiplier, shape (m,)."""
        return np.concatenate((np.repeat(self.links.hold, self.d), self.constraints.hold)).astype(np.int64)

    def stiffness(self, h: float, run: float | None = None) -> tuple[Array, Array]:
        """Stiffness of augmented and penalty constraints for a step h [s]; chosen from effective mass where not given.

        run: the step of the run [s], if this one may be a part of it: penalties store energy, so they stay as they are.
        """
        if not (self.hold != MULTIPLIER).any():
            return np.zeros(self.links.law.size), np.zeros(self.constraints.law.size)
        chosen = []
        sizes = self._effective_masses
        for table, given, mass in zip((self.links, self.constraints), self._given_stiffness, sizes, strict=True):
            factor = np.where(table.hold == PENALTY, 1000.0, np.where(table.hold == UZAWA, 100.0, 10.0))
            default = factor * mass / np.where(table.hold == PENALTY, run or h, h) ** 2
            chosen.append(np.where(np.isnan(given), default, given) * (table.hold != MULTIPLIER))
        return chosen[0], chosen[1]

    def uzawa_stiffness(self, stiffness: tuple[Array, Array]) -> Array:
        """η of each multiplier held by Uzawa's outer loop, else 0; shape (m,)."""
        eta = np.concatenate((np.repeat(stiffness[0], self.d), stiffness[1]))
        return np.where(self.hold == UZAWA, eta, 0.0)

    @cached_property
    def _effective_masses(self) -> tuple[Array, Array]:
        """1 / (G m⁻¹ Gᵀ) of each constraint with the diagonal of the mass matrix; [kg] for links."""
        out = []
        for table in (self.links, self.constraints):
            masses = np.ones(table.law.size)
            for i in range(table.law.size):
                rows = table.rows[table.row_start[i] : table.row_start[i + 1]]
                at = table.weight_start[table.point_start[i]]
                W = table.weights[at : at + table.vectors[i] * rows.size].reshape(table.vectors[i], -1)
                y = W @ self.x_start[rows]
                squares = self._gradient_squares(i, W, y) if table is self.constraints else W[0] ** 2
                heavy = self.moving[rows] & (self.row_mass[rows] > 0)
                inverse = float(np.sum(squares[heavy] / self.row_mass[rows][heavy]))
                if inverse == 0.0:  # between quasi-static bodies: as if they had the mass of the model
                    moving = rows[self.moving[rows]]
                    whole = max(float(self.row_mass[self.translation > 0].sum()), 1e-300)
                    inverse = float(
                        np.sum(squares[self.moving[rows]] * self.rows.size[moving] ** 2) / (whole * self.size**2)
                    )
                masses[i] = 1.0 / inverse if inverse > 0 else 1.0
            out.append(masses)
        return out[0], out[1]

    def _gradient_squares(self, i: int, W: Array, y: Array) -> Array:
        """|∂c/∂x|² on each row of a constraint, shape (rows,): Σ_k W_kr 2 Σ_j S_kj y_j squared."""
        from condyle.laws.gram import gram_law

        table, ny = self.constraints, len(y)
        S, H = np.zeros((ny, ny)), np.zeros((ny, ny, ny, ny))
        gram_law(table.law[i], ny, y @ y.T, table.params[table.param_start[i] : table.param_start[i + 1]], S, H)
        return np.asarray(np.sum((2.0 * W.T @ S @ y) ** 2, axis=1))

    # --- unwrapped angles -----------------------------------------------------------------------------------------------

    @property
    def turn_count(self) -> int:
        """Angles that springs, limits, drivers and couplings refer to."""
        return sum(len(angles[0]) for angles in self._turns)

    @cached_property
    def all_quadratic(self) -> bool:
        """Are all constraints at most quadratic in x?"""
        return not ((self.constraints.law == COORDINATE).any() or is_own(self.constraints.law))

    @property
    def angles(self) -> list[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
        """Of energies, forces, constraints: instance of each angle, place of its reference in the params, first vector."""
        return self._turns

    def set_turns(self, turns: Array) -> None:
        """Say on which turn each angle is at the start of a step, by its unwrapped value [rad]; states of laws are held."""
        self.set_pace(-1.0)
        at = 0
        for table, (instance, place, _) in zip(self._angle_tables, self._turns, strict=True):
            if len(instance):
                table.params[table.param_start[instance] + place] = turns[at : at + len(instance)]
            at += len(instance)

    def turns_at(self, x: Array, near: Array) -> Array:
        """Unwrapped angles at x, each on the turn nearest to `near`."""
        out = np.zeros(self.turn_count)
        at = 0
        for table, (instance, _, vector) in zip(self._angle_tables, self._turns, strict=True):
            end = at + len(instance)
            if len(instance):
                assembly.find_turns(table, instance, vector, x, near[at:end], out[at:end])
            at = end
        return out

    @cached_property
    def has_states(self) -> bool:
        """Do muscles carry activations or fibre lengths along?"""
        return bool((self._turns[1][2] < 0).any())

    def set_pace(self, pace: float, lead: float = 0.0) -> None:
        """How states of laws follow within a step: κ (z − z_0 − lead ż_0) = ż(z), κ = pace [1/s]; < 0: held, 0: in balance."""
        if self.has_states:
            instance, _, vector = self._turns[1]
            assembly.set_pace(self.forces, instance, vector, pace, lead)

    def advance_states(self, x: Array, amplitudes: Array, share: float, turns: Array) -> None:
        """Put the states of laws at the end of a step into `turns`; x: where forces were taken, after `share` of the step."""
        if self.has_states:
            first = len(self._turns[0][0])
            assembly.find_states(
                self.forces, *self._turns[1], x, amplitudes, share, turns[first : first + len(self._turns[1][0])]
            )

    def start_rates(self, activations: Array, excitations: Array, turns: Array) -> None:
        """Put the rates with which activations start into `turns`, by the value of each function of time."""
        from condyle.laws.muscle_places import ACTIVATION_RATE, FALL, RISE, STEEPNESS
        from condyle.laws.muscles import activation_rate

        first = len(self._turns[0][0])
        for k, (instance, place, vector) in enumerate(zip(*self._turns[1], strict=True)):
            if vector < 0 and place == ACTIVATION_RATE:
                p = self.forces.params[self.forces.param_start[instance] :]
                channel = self.forces.channel[instance]
                a, u = (float(np.clip(values[channel], 0.0, 1.0)) for values in (activations, excitations))
                turns[first + k] = activation_rate(a, u, p[RISE], p[FALL], p[STEEPNESS])

    def refuse_states(self, method: str) -> None:
        """An error for a method that does not step activations and fibre lengths."""
        if self.has_states:
            owner = self.builder.forces[int(self._turns[1][0][self._turns[1][2] < 0][0])].part
            raise InputError(
                f"'{owner}' carries its activation or fibre length from step to step, which {method} does not; take "
                "EnergyMomentum, GeneralizedAlpha, HHT, Newmark or BDF, or a rigid tendon without activation dynamics"
            )

    @property
    def _angle_tables(self) -> tuple[LawTable, LawTable, LawTable]:
        return self.energies, self.forces, self.constraints

    # --- energies and errors ------------------------------------------------------------------------------------------

    def turned_element(self, x0: Array, x1: Array) -> tuple[str, str] | None:
        """The first element that has collapsed or is turned inside out at x1, coming from x0: its part, and a sentence."""
        if not self.energies.gradients.any():
            return None
        found = int(first_turned(self.energies, x0, x1))
        if found < 0:
            return None
        instance = self.instances[0][found]
        surface = instance.columns == 2 and self.d == 3
        what = "has collapsed to no length" if instance.columns == 1 else "is turned inside out"
        what = "has collapsed or turned over" if surface else what
        which = f"element {instance.element} of " if instance.element >= 0 else ""
        return instance.part, f"{which}'{instance.part}' {what}"

    def energy(
        self, state: State, stiffness: tuple[Array, Array] | None = None, growth: float = 1.0
    ) -> dict[str, float]:
        """Kinetic, stored (springs, materials, penalties), gravity and total energy [J]; growth: see `swell`."""
        if state.turns.size:
            self.set_turns(state.turns)
        self.swell(state.t, growth)
        linear, angular = np.zeros(self.d), np.zeros(3)
        kinetic = float(assembly.momenta(self.mass, self.translation, state.x, state.v, linear, angular))
        stored = float(assembly.stored_energy(self.energies, state.x))
        if stiffness is not None and (self.hold == PENALTY).any():
            eta = np.concatenate((np.repeat(stiffness[0], self.d), stiffness[1]))
            c = self.constraint_values(state.x, state.t)
            stored += 0.5 * float(np.sum((eta * c * c)[self.hold == PENALTY]))
        if self.contact is not None:
            stored += self.contact.stored(state)
        gravity = -float(np.sum(self.gravity(state.t) * state.x))
        return {"kinetic": kinetic, "stored": stored, "gravity": gravity, "total": kinetic + stored + gravity}

    def momentum(self, state: State) -> tuple[Array, Array]:
        """Linear momentum [kg m/s], shape (d,), and angular momentum about the origin [kg m²/s], shape (3,)."""
        linear, angular = np.zeros(self.d), np.zeros(3)
        assembly.momenta(self.mass, self.translation, state.x, state.v, linear, angular)
        return linear, angular

    def constraint_values(self, x: Array, t: float = 0.0) -> Array:
        """All constraint values c at x and time t [s], shape (m,)."""
        c = np.zeros(len(self.multipliers))
        assembly.constraint_values(self.links, self.constraints, x, self.amplitudes(t), c)
        return c

    def constraint_error(self, x: Array, t: float = 0.0) -> float:
        """Largest violation of constraints that are held exactly: [m] for points, [m²] or [–] for directions."""
        c = np.abs(self.constraint_values(x, t)[self.hold != PENALTY])
        return float(c.max()) if c.size else 0.0

    @cached_property
    def plain(self) -> System:
        """The same rows with identity maps: every row an unknown, every exact constraint held by a multiplier.

        Constraints on quasi-static bodies are left out: where those are follows from balance, not from inertia.
        """
        from condyle.system.compile import assemble_system

        if self.identity and not (self.hold == UZAWA).any() and not self.quasi_static.size:
            return self
        plain = assemble_system(self.builder, identity=True, solver=self.solver_kind, exact=True, inertial=True)
        plain.overrides = self.overrides  # inputs set by hand hold in both
        return plain

    def matvec(self, A: Array, u: Array) -> Array:
        """Matrix times vector in this system's pattern."""
        return matvec(self.pattern, A, u)

    @property
    def size(self) -> float:
        """Extent of the model at the start [m]: what lengths are judged against."""
        return self._size

    def _number_multipliers(self) -> NDArray[np.int64]:
        at = np.full(len(self.multipliers), -1, dtype=np.int64)
        unknown = self.motion_unknowns
        for table, width in ((self.links, self.d), (self.constraints, 1)):
            for i in range(table.law.size):
                if table.hold[i] in (MULTIPLIER, AUGMENTED):
                    at[table.channel[i] : table.channel[i] + width] = np.arange(unknown, unknown + width)
                    unknown += width
        return at


def make_parts(
    builder: Builder, rows: Rows, mass: MassTable, laws: LawTable, spans: NDArray[np.int64], identity: bool
) -> Parts:
    """Tables for the kernels: what the mass matrix has within rigid bodies is also one small matrix each."""
    d = builder.d
    groups = [] if identity or builder.drag else [(r, *directors) for r, directors in builder.rigid]
    members = np.array(groups, dtype=np.int64).reshape(-1, d + 1)
    body, place = np.full(len(rows.kind), -1, dtype=np.int64), np.zeros(len(rows.kind), dtype=np.int64)
    body[members] = np.arange(len(members))[:, None]
    place[members] = np.arange(d + 1)
    inside = (body[mass.first] == body[mass.second]) & (body[mass.first] >= 0)
    b, i, j = body[mass.first[inside]], place[mass.first[inside]], place[mass.second[inside]]
    matrix = np.zeros((len(members), d + 1, d + 1))
    matrix[b, i, j] = mass.value[inside]
    slot = np.full((len(members), d + 1, d + 1), -1, dtype=np.int64)
    slot[b, i, j] = mass.slot[inside]
    table = BodyTable(
        members, matrix, slot[:, 0, 0].copy(), slot[:, 1, 1].copy(), slot[:, 0, 1:].max(axis=1, initial=-1),
        slot[:, 1:, 0].max(axis=1, initial=-1),
    )  # fmt: skip
    order = np.argsort(inside, kind="stable")
    sorted_mass = MassTable._make(column[order] for column in mass)
    return Parts(rows, table, sorted_mass, int(np.count_nonzero(~inside)), laws, spans)


def _find_angles(instances: list[Instance]) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Of all angle coordinates: instance, place of the reference in its parameters, first vector."""
    found = [(k, place, vector) for k, i in enumerate(instances) for place, vector in i.turns]
    columns = np.array(found, dtype=np.int64).reshape(-1, 3).T
    return columns[0].copy(), columns[1].copy(), columns[2].copy()


def _name_multipliers(links: list[Instance], constraints: list[Instance], d: int) -> list[Multiplier]:
    names = [Multiplier(i.part, f"{i.component} {'xyz'[a]}".strip(), i.internal) for i in links for a in range(d)]
    return names + [Multiplier(i.part, i.component, i.internal) for i in constraints]


class _Reader(Part, abstract=True):
    """Who asks for a point when it is a result that is read."""

    @property
    def label(self) -> str:
        return "result"


__all__ = ["Buffers", "InputError", "System"]
