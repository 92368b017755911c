"""System: the compiled model. Arrays and names that do not change, whoever runs it: many runs may share one.

What changes during a run is in `RunningSystem` (running.py), the same system with data of its own.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.laws.codes import COORDINATE
from condyle.laws.record import is_own
from condyle.model.functions import value_at
from condyle.model.model import Model
from condyle.model.point import Point, as_point
from condyle.system import assembly, holding, turns, unknowns
from condyle.system.assembly.inverted import first_inverted
from condyle.system.assembly.places import family
from condyle.system.blocks import Blocks, in_blocks
from condyle.system.contributions import Contributions, Instance
from condyle.system.couplings import find_couplings
from condyle.system.layouts import Layout
from condyle.system.linear import matvec
from condyle.system.linear.sharing import REGULARISATION, regularise
from condyle.system.pattern import Pattern
from condyle.system.points import Reader
from condyle.system.rates import courses
from condyle.system.shared import shared_property
from condyle.system.state import State
from condyle.system.tables import FIXED, PENALTY, UZAWA, Couplings, LawTable, MassTable, Rows
from condyle.system.weights import Weights

if TYPE_CHECKING:
    from condyle.bodies.body import Anchor
    from condyle.system.assembly.closing import Closing
    from condyle.system.assembly.joint_tree import Tree
    from condyle.system.body_laws import LawOfBodies
    from condyle.system.coordinate import Coordinate
    from condyle.system.hinge_laws import AngleOfHinge

Array = NDArray[np.float64]
SINGULAR_INERTIA = 1e-8  # stand-in inertia, relative, in the tangent only


class System:
    """Arrays and batches of laws, and what they say at a state: momentum, constraint values, names of unknowns.

    x has shape (n, d): n rows, each a position [m] or a material direction; d = 2 or 3. Nothing of it is ever changed.
    """

    def __init__(
        self,
        *,
        contributions: Contributions,
        identity: bool,
        rows: Rows,
        mass: MassTable,
        laws: LawTable,
        spans: NDArray[np.int64],
        instances: tuple[list[Instance], ...],
        pattern: Pattern,
        motion_unknowns: int,
        solver_kind: str,
        layout: Layout,
    ) -> None:
        c = self.contributions = contributions
        self.layout = layout
        # Of the model and its parts.
        self.points = c.points
        self.model: Model = c.points.model
        self.d = c.points.d
        self.anchors = c.points.anchors
        self.formulation = c.formulation
        self.functions, self.function_owner, self.displacements = c.functions, c.function_owner, c.displacements
        self.driven, self.user_forces, self.gravity_scale = c.driven, c.user_forces, c.gravity_scale
        self.contacts = c.contacts
        self.eliminated = c.eliminated
        # Rows.
        self.n = len(c.x)
        self.rows, self.row_owner, self.rigid = rows, c.owner, c.rigid
        self.x_start, self.v_start, self.size = c.x, c.v, c.size
        self.translation = c.translation
        self.moving = rows.kind != FIXED
        # Laws.
        self.laws, self.spans, self.instances = laws, spans, instances
        self.energies, self.forces, self.links, self.constraints, self.rates = (
            family(laws, spans, k) for k in range(5)
        )
        self.angles = tuple(turns.find_angles(group) for group in (instances[0], instances[1], instances[3]))
        self.given_stiffness = tuple(
            np.array([np.nan if i.stiffness is None else i.stiffness for i in group]) for group in instances[2:4]
        )
        # Unknowns.
        self.identity, self.pattern, self.motion_unknowns, self.solver_kind = (
            identity,
            pattern,
            motion_unknowns,
            solver_kind,
        )
        self.multipliers = unknowns.name_multipliers(instances[2], [*instances[3], *instances[4]], self.d)
        self.multiplier_unknowns = unknowns.number_multipliers(
            ((self.links, self.d), (self.constraints, 1), (self.rates, 1)), motion_unknowns
        )
        # Masses.
        self.mass = mass
        self.tangent_mass = mass._replace(value=_with_stand_ins(mass, c))
        self.gravity_force = np.outer(_weight(mass, c), np.array(self.model.gravity))
        same = mass.first == mass.second
        self.row_mass = np.zeros(self.n)
        self.row_mass[mass.first[same]] = mass.value[same]
        self.__dict__["frozen"] = True

    def __setattr__(self, name: str, value: object) -> None:
        if self.__dict__.get("frozen"):
            _refuse(name)
        object.__setattr__(self, name, value)

    def __delattr__(self, name: str) -> None:
        if self.__dict__.get("frozen"):
            _refuse(name)
        object.__delattr__(self, name)

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"process": os.getpid()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """A law of the user's own is somewhere else in another process."""
        process = state.pop("process")
        self.__dict__.update(state)
        tables = (self.energies, self.forces, self.constraints, self.rates)
        if process != os.getpid() and any(is_own(table.law) for table in tables):
            raise InputError(
                f"Model '{self.model.name}' has laws of one's own, whose machine code belongs to the process that "
                "compiled it; send the model to the other process and compile it there"
            )

    call: Callable[[Any], Any] = staticmethod(lambda kernel: kernel)  # how kernels are called; runs know their tables

    @property
    def shared(self) -> System:
        """The system itself; of a run, the one that it shares with others."""
        return self

    @property
    def solver_used(self) -> str:
        """The solver that has factorised the matrices of a run: none."""
        return ""

    # --- names and places ---------------------------------------------------------------------------------------------

    def row_of(self, unknown: int) -> int:
        """The first row that an unknown of motion moves; −1 for a multiplier."""
        if unknown >= self.motion_unknowns:
            return -1
        started = np.where((self.rows.unknown >= 0) & (self.rows.unknown <= unknown), self.rows.unknown, -1)
        return int(np.argmax(started))

    def owner(self, unknown: int) -> str:
        """The part an unknown belongs to, for messages."""
        if unknown < self.motion_unknowns:
            return self.row_owner[self.row_of(unknown)]
        k = int(np.flatnonzero(self.multiplier_unknowns == unknown)[0])
        return f"{self.multipliers[k].part} ({self.multipliers[k].component})"

    def rows_of(self, part: str) -> NDArray[np.bool_]:
        """Which rows belong to a part, shape (n,)."""
        return np.array([owner == part for owner in self.row_owner])

    def position(self, point: Any) -> Weights:
        """Weights of a point: a Point, 'body.name', or a body's name."""
        reference = as_point(point)
        return self.anchor(reference).position(reference, Reader())

    def coordinate(self, reference: str) -> Coordinate:
        """A joint coordinate by name, 'joint.angle'."""
        from condyle.system.coordinate import find

        return find(self.points, reference, Reader())

    def anchor(self, point: Point) -> Anchor:
        """The anchor of a point's body."""
        self.model.body(point.body)
        return self.anchors[point.body]

    # --- what the model has -------------------------------------------------------------------------------------------

    def without_contact(self, who: str) -> None:
        """InputError if the model has contacts, which `who` would not see."""
        if self.contacts:
            raise InputError(
                f"{who} knows no contact, but the model has '{self.contacts[0].name}'; use EnergyMomentum, "
                "GeneralizedAlpha, Newmark, HHT, BDF, Compliant or solve_static; explicit methods take soft laws"
            )

    def refuse_states(self, method: str) -> None:
        """An error for a method that does not step activations and fibre lengths."""
        if self.has_states:
            owner = self.instances[1][int(self.angles[1].instance[self.angles[1].vector < 0][0])].part
            raise InputError(
                f"'{owner}' carries its activation or fibre length from step to step, which {method} does not; take "
                "EnergyMomentum, GeneralizedAlpha, HHT, Newmark or BDF, or a rigid tendon without activation dynamics"
            )

    @property
    def turn_count(self) -> int:
        """Angles that springs, limits, drivers and couplings refer to, and states of laws."""
        return sum(len(angles.instance) for angles in self.angles)

    @shared_property
    def directors(self) -> NDArray[np.int64]:
        """Rows of the directors of rigid bodies (bodies, d)."""
        return np.array([rows for _, rows in self.rigid], dtype=np.int64).reshape(-1, self.d)

    @shared_property
    def has_states(self) -> bool:
        """Do muscles carry activations or fibre lengths along?"""
        return bool((self.angles[1].vector < 0).any())

    @shared_property
    def has_drives(self) -> bool:
        """Do constraints follow functions of time?"""
        return bool((self.constraints.drive >= 0).any() or (self.rates.drive >= 0).any())

    @shared_property
    def swells(self) -> bool:
        """Do stress-free shapes change with time?"""
        return any(i.swelling >= 0 for i in self.instances[0])

    @shared_property
    def fades(self) -> bool:
        """Do materials have a fading memory?"""
        return bool((np.diff(self.energies.past_start) > 0).any())

    @shared_property
    def all_quadratic(self) -> bool:
        """Are all constraints at most quadratic in x?"""
        return not ((self.constraints.law == COORDINATE).any() or is_own(self.constraints.law))

    @shared_property
    def quasi_static(self) -> NDArray[np.int64]:
        """Rows of quasi-static bodies: without inertia, balanced at the end of every step."""
        return np.flatnonzero(self.rows.quasi)

    @shared_property
    def end_channels(self) -> NDArray[np.int64]:
        """Functions of time of forces on quasi-static bodies, which are taken at the end of a step."""
        return np.unique(self.forces.channel[self.forces.at_end & (self.forces.channel >= 0)])

    @shared_property
    def end_multipliers(self) -> NDArray[np.bool_]:
        """Multipliers of constraints on quasi-static bodies, shape (m,)."""
        return np.concatenate((np.repeat(self.links.at_end, self.d), self.constraints.at_end, self.rates.at_end))

    @shared_property
    def elastic_rows(self) -> NDArray[np.bool_]:
        """Rows on which elements (stored energies of more than one vector) act, shape (n,)."""
        out = np.zeros(self.n, dtype=bool)
        table = self.energies
        out[table.rows[: table.row_start[-1]][np.repeat(table.vectors > 1, np.diff(table.row_start))]] = True
        return out

    @shared_property
    def heaviest(self) -> float:
        """The largest mass of a row [kg]; moments of directions [kg m²] over the square of the model's size."""
        return float((self.row_mass / np.where(self.translation > 0, 1.0, self.size**2)).max(initial=0.0))

    # --- functions of time, as declared -------------------------------------------------------------------------------

    def amplitudes(self, t: float) -> Array:
        """Values of all functions of time at t."""
        if not self.functions:
            return np.zeros(1)
        owners = zip(self.functions, self.function_owner, strict=True)
        return np.array([value_at(f, t, self.model[owner]) for f, owner in owners])

    def amplitude_courses(self, t: float, step: float) -> Array:
        """Values, first and second derivatives of all functions of time at t, shape (3, functions); step: of the run [s]."""
        found = courses(self.amplitudes, t, step)
        for k, function in enumerate(self.functions):
            for order in (1, 2) if self._declared(k) else ():
                exact = function.derivative(t, order)
                found[order, k] = found[order, k] if exact is None else exact
        return found

    def _declared(self, function: int) -> bool:
        """Does a function of time have its declared values?"""
        return True

    def targets(self, t0: float, t1: float) -> Array:
        """Values of all functions of time at both ends of a step, shape (2, functions)."""
        return np.array([self.amplitudes(t0), self.amplitudes(t1)])

    def gravity(self, t: float) -> Array:
        """Gravity force per row [N], shape (n, d)."""
        return self.gravity_force if self.gravity_scale is None else self.gravity_scale(t) * self.gravity_force

    def applied(self, t: float, x: Array, v: Array) -> Array:
        """Gravity and forces of Python functions per row [N], shape (n, d)."""
        force = self.gravity(t)
        if self.user_forces:
            force = force.copy()
            for law in self.user_forces:
                for rows, values in law(t, x, v):
                    np.add.at(force, rows, values)
        return force

    def place_driven(self, t: float, x: Array) -> None:
        """Put prescribed rows where they belong at t."""
        for rows, motion in self.driven:
            x[rows] = motion(t)

    def driven_acceleration(self, t: float, a: Array, h: float = 1e-3) -> None:
        """Accelerations of prescribed rows at t, by central differences over ±2h [s].

        With the step of an integrator as h, a kink of the motion gives the impulse of its jump of velocity and no more.
        """
        for rows, motion in self.driven:
            near, far = motion(t + h) + motion(t - h), motion(t + 2 * h) + motion(t - 2 * h)
            a[rows] = (16 * near - far - 30 * motion(t)) / (12 * h * h)

    # --- unknowns and their matrix ------------------------------------------------------------------------------------

    @property
    def unknowns(self) -> int:
        """Unknowns of the linear system: motion, then multipliers that are iterated with it."""
        return self.pattern.n

    @shared_property
    def unknown_groups(self) -> list[NDArray[np.int64]]:
        """Unknowns whose residuals have the same unit: of lengths (also half thicknesses), of unit vectors, of turning."""
        return unknowns.unknown_groups(self)

    @shared_property
    def unit_of_unknown(self) -> NDArray[np.int64]:
        """The group of each unknown of motion: residuals of the same unit are judged together."""
        out = np.zeros(self.motion_unknowns, dtype=np.int64)
        for number, members in enumerate(self.unknown_groups):
            out[members] = number
        return out

    @shared_property
    def levers(self) -> Array:
        """[m] of each unknown: 1 for a place, the extent of the model for a direction or turning, 0 for multipliers."""
        return unknowns.levers(self)

    @shared_property
    def diagonal_slots(self) -> NDArray[np.int64]:
        """Where the matrix keeps its diagonal, shape (unknowns,)."""
        return np.flatnonzero(self.pattern.rows() == self.pattern.indices).astype(np.int64)

    @shared_property
    def couplings(self) -> Couplings:
        """Where the matrix keeps the gradients of the constraints."""
        p, multipliers = self.pattern, np.arange(self.motion_unknowns, self.unknowns)
        return find_couplings(p.rows(), p.indices, np.arange(p.nnz), multipliers, self.levers)

    @shared_property
    def blocks(self) -> Blocks | None:
        """The equations in blocks with their order of elimination; None where that would fill too much."""
        return in_blocks(self)

    @shared_property
    def why_no_tree(self) -> str:
        """Why it is not stepped in joint coordinates, with the part at fault; empty if it is."""
        from condyle.system.joint_tree import why_no_tree

        return why_no_tree(self)

    @shared_property
    def tree(self) -> Tree:
        """Its bodies as a (spanning) tree with the coordinates of their joints, where `why_no_tree` has nothing against it."""
        from condyle.system.joint_tree import joint_tree

        return joint_tree(self)

    @shared_property
    def laws_of_hinges(self) -> dict[tuple[int, int], AngleOfHinge]:
        """Laws that act on nothing but the angle of a hinge of this tree, by family and number."""
        from condyle.system.hinge_laws import laws_of_hinges

        return laws_of_hinges(self)

    @shared_property
    def laws_of_bodies(self) -> dict[tuple[int, int], LawOfBodies]:
        """All other laws that act on one body of this tree or between two, by family and number."""
        from condyle.system.body_laws import laws_of_bodies

        return laws_of_bodies(self)

    @shared_property
    def closing(self) -> Closing:
        """The conditions that close the loops of this tree."""
        from condyle.system.joint_tree import closing_conditions

        return closing_conditions(self)

    @property
    def least_stiffness(self) -> float:
        """The heaviest mass over 1 s² [N/m]: what a mechanism counts with in balance, where only its forces have stiffness."""
        return self.heaviest or 1.0

    def regularise(self, A: Array) -> None:
        """Let redundant constraints share their reactions (a tiny negative diagonal of the multipliers)."""
        regularise(self.couplings, REGULARISATION, self.least_stiffness, A)

    def matvec(self, A: Array, u: Array) -> Array:
        """Matrix times vector in this system's pattern."""
        return matvec(self.pattern, A, u)

    def inertia_scale(self, x: Array, reach: Array, factor: float) -> Array:
        """Round-off level of inertia forces: Σ|m| size times `factor` = ∂ẍ/∂x, per unknown of motion.

        The size of a row is how far it moves in the step, reach = h v.
        """
        rows = factor * (self._mass_size @ np.abs(reach))
        r, r_scale, r_noise = (np.zeros(self.unknowns) for _ in range(3))
        assembly.project(self.rows, x, rows, rows, rows, r, r_scale, r_noise)
        return r_scale[: self.motion_unknowns]

    @shared_property
    def _mass_size(self) -> Any:
        """|m| as a sparse matrix, shape (n, n)."""
        from scipy.sparse import csr_matrix

        m = self.mass
        return csr_matrix((np.abs(m.value), (m.first, m.second)), shape=(self.n, self.n))

    def clean_directors(self, x: Array) -> None:
        """Remove round-off from the directors of rigid bodies with tangent maps."""
        assembly.normalise_directors(self.rows, x)

    # --- constraints and multipliers ----------------------------------------------------------------------------------

    @shared_property
    def hold(self) -> NDArray[np.int64]:
        """Enforcement of each multiplier, shape (m,)."""
        tables = self.constraints.hold, self.rates.hold
        return np.concatenate((np.repeat(self.links.hold, self.d), *tables)).astype(np.int64)

    @shared_property
    def exact(self) -> NDArray[np.bool_]:
        """Constraints that Newton's method itself satisfies (multiplier and augmented), shape (m,)."""
        return self.multiplier_unknowns >= 0

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

    @shared_property
    def effective_masses(self) -> tuple[Array, Array]:
        """1 / (G m⁻¹ Gᵀ) of each constraint with the diagonal of the mass matrix; [kg] for links."""
        return holding.effective_masses(self)

    def stiffness(self, h: float, run: float | None = None) -> tuple[Array, Array]:
        """Stiffness of augmented and penalty constraints for a step h [s]; chosen from effective mass where not given.

        run: the step of the run [s], if this one may be a part of it: penalties store energy, so they stay as they are.
        """
        return holding.chosen_stiffness(self, h, run)

    def uzawa_stiffness(self, stiffness: tuple[Array, Array]) -> Array:
        """η of each multiplier held by Uzawa's outer loop, else 0; shape (m,)."""
        return np.where(self.hold == UZAWA, holding.of_multipliers(self, stiffness), 0.0)

    def reported_multipliers(
        self, multipliers: Array, stiffness: tuple[Array, Array], ends: tuple[Array, Array], times: tuple[float, float]
    ) -> Array:
        """Multipliers with the forces of penalty constraints filled in (mean of both ends of the step)."""
        return holding.reported_multipliers(self, multipliers, stiffness, ends, times)

    def constraint_values(self, x: Array, t: float = 0.0) -> Array:
        """All constraint values c at x and time t [s], shape (m,)."""
        c = np.zeros(len(self.multipliers))
        self.call(assembly.constraint_values)(self.links, self.constraints, x, self.amplitudes(t), c)
        return c

    def constraint_error(self, x: Array, t: float = 0.0) -> float:
        """Largest violation of constraints that are held exactly: [m] for points, [m²] or [–] for directions."""
        c = np.abs(self.constraint_values(x, t)[self.hold != PENALTY])
        return float(c.max()) if c.size else 0.0

    @shared_property
    def has_loops(self) -> bool:
        """Do joints connect bodies in a loop?"""
        from condyle.system.redundancy import has_loops

        return has_loops(self)

    @shared_property
    def row_form(self) -> System:
        """This system with identity maps: every row is an unknown, every exact constraint is held by a multiplier.

        Constraints on quasi-static bodies are left out: where those are follows from balance, not from inertia.
        """
        from condyle.system.compile import assemble_system

        given = self.contributions
        same = self.identity or not (given.rigid or any(c.internal for c in given.constraints))
        if same and not (self.hold == UZAWA).any() and not self.quasi_static.size:
            return self
        return assemble_system(self.contributions, identity=True, solver=self.solver_kind, exact=True, inertial=True)

    # --- at a state ---------------------------------------------------------------------------------------------------

    def momentum(self, state: State) -> tuple[Array, Array]:
        """Linear momentum [kg m/s], shape (d,), and angular momentum about the origin [kg m²/s], shape (3,)."""
        linear, angular = np.zeros(self.d), np.zeros(3)
        self.call(assembly.momenta)(self.mass, self.translation, state.x, state.v, linear, angular)
        return linear, angular

    def turns_at(self, x: Array, near: Array) -> Array:
        """Unwrapped angles at x, each on the turn nearest to `near`."""
        return turns.turns_at(self, x, near)

    @shared_property
    def total_weight(self) -> float:
        """Sum of the sizes of gravity's forces on all rows [N]."""
        return float(np.abs(self.gravity_force).sum())

    @shared_property
    def has_gradients(self) -> bool:
        """Are there elements whose material gradients could collapse?"""
        return bool(self.energies.gradients.any())

    @shared_property
    def part_held_by_uzawa(self) -> str:
        """The first part whose constraints Uzawa's outer loop holds, '' if there is none."""
        return next((m.part for m, hold in zip(self.multipliers, self.hold, strict=True) if hold == UZAWA), "")

    def inverted_element(self, x0: Array, x1: Array) -> tuple[str, str] | None:
        """The first element that has collapsed or is turned inside out at x1, coming from x0: its part, and a sentence."""
        if not self.has_gradients:
            return None
        found = int(first_inverted(self.energies, x0, x1))
        if found < 0:
            return None
        instance = self.instances[0][found]
        surface = instance.columns == 2 and self.d == 3
        what = "has collapsed to no length" if instance.columns == 1 else "is turned inside out"
        what = "has collapsed or turned over" if surface else what
        which = f"element {instance.element} of " if instance.element >= 0 else ""
        return instance.part, f"{which}'{instance.part}' {what}"


def _with_stand_ins(mass: MassTable, given: Contributions) -> Array:
    """The mass matrix with some inertia where a body has none of its own."""
    value = mass.value.copy()
    stand_in = np.zeros(len(given.x))
    stand_in[list(given.singular)] = [SINGULAR_INERTIA * size for size in given.singular.values()]
    value += np.where(mass.first == mass.second, stand_in[mass.first], 0.0)
    return value


def _weight(mass: MassTable, given: Contributions) -> Array:
    """What gravity acts on [kg], per row, shape (n,)."""
    weight = np.zeros(len(given.x))
    np.add.at(weight, mass.first, mass.value * given.translation[mass.second])
    for members, matrix in given.weight:
        np.add.at(weight, members, matrix @ given.translation[members])
    return weight


def _refuse(name: str) -> NoReturn:
    raise AttributeError(
        f"a System does not change once it is compiled, so '{name}' cannot be set; what belongs to one run is in the "
        "system of its Simulation"
    )


__all__ = ["System"]
