"""Linearisation of the equations of motion about a state: M δü + D δu̇ + K δu + Gᵀ δλ = 0, G δu = 0.

u are the unknowns of motion: displacements of free rows, δr and δθ (world axes) of rigid bodies. Rows follow as
δx = P δu, and because a director turns as δd = δθ × d at every moment,

    δẋ = P δu̇ + Ṗ δu,   δẍ = P δü + 2 Ṗ δu̇ + P̈ δu,

where Ṗ and P̈ are P with ḋ and d̈ in place of d. Put into Pᵀ (m ẍ + Σ f(x, ẋ) + G λ) this gives

    M = Pᵀ m P,   D = Pᵀ (2 m Ṗ + ∂f/∂ẋ P),   K = Pᵀ (m P̈ + ∂f/∂ẋ Ṗ + ∂f/∂x P) + curvature of the maps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.analysis.user_forces import user_derivatives
from condyle.errors import InputError
from condyle.model.model import Model
from condyle.system import assembly
from condyle.system.compile import assemble_system, running
from condyle.system.row_problem import RowProblem
from condyle.system.running import RunningSystem
from condyle.system.start import consistent_state, picked_state
from condyle.system.state import LOAD_FACTOR, LOAD_TIME, State
from condyle.system.system import System
from condyle.system.tables import DIRECTOR, FREE, PENALTY, UZAWA
from condyle.system.velocity_rows import refuse_rates
from condyle.system.whole import whole_system

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from condyle.results.result import Result

Array = NDArray[np.float64]
LARGE = 2.0**40  # [1/s]
SLOW = 0.01  # pace of fibres [1/s] that is slow for any muscle


@dataclass(frozen=True)
class Linearised:
    """M, D, K (n, n) and G (m, n) of a system about a state.

    The values are kept in the sparsity pattern of the whole saddle point, whose lines and columns beyond n belong to the
    multipliers; `stiffness_values` holds G and Gᵀ there.

    residual, residual_scale: what the equations of motion lack at the state [N, N m], and the size of the forces that were
    added up; shape (n,). balanced: is the state an equilibrium (no accelerations)? user_stiffness, user_damping: parts of K
    and D that come from forces of Python functions, which couple unknowns outside the pattern; None without such forces.
    """

    system: RunningSystem
    state: State
    acceleration: Array
    mass_values: Array
    damping_values: Array
    stiffness_values: Array
    residual: Array
    residual_scale: Array
    balanced: bool
    user_stiffness: csr_matrix | None = None
    user_damping: csr_matrix | None = None

    @property
    def size(self) -> int:
        """Number n of unknowns of motion."""
        return self.system.motion_unknowns

    @property
    def M(self) -> csr_matrix:
        """Mass matrix (n, n): [kg] for displacements, [kg m²] for turning."""
        return self._block(self.mass_values)

    @property
    def D(self) -> csr_matrix:
        """Damping and gyroscopic matrix (n, n) [N s/m, N m s]."""
        D = self._block(self.damping_values)
        return D if self.user_damping is None else (D + self.user_damping).tocsr()

    @property
    def K(self) -> csr_matrix:
        """Stiffness matrix (n, n) [N/m, N m], with the geometric stiffness of forces and multipliers."""
        K = self._block(self.stiffness_values)
        return K if self.user_stiffness is None else (K + self.user_stiffness).tocsr()

    @property
    def G(self) -> csr_matrix:
        """Gradients of the constraints that are held exactly, (m, n)."""
        return self.saddle(self.stiffness_values)[self.size :, : self.size]

    @property
    def map(self) -> csr_matrix:
        """P, shape (rows · d, n): changes of all rows are (P u).reshape(rows, d)."""
        return tangent_map(self.system, self.state.x)

    def row_displacements(self, u: NDArray[np.float64]) -> NDArray[np.float64]:
        """Changes of all rows (rows, d) that belong to changes u (n,) of the unknowns."""
        return np.asarray(self.map @ u).reshape(self.system.n, self.system.d)

    def dense(self) -> tuple[Array, Array, Array, Array]:
        """M, D, K and G as full arrays."""
        return self.M.toarray(), self.D.toarray(), self.K.toarray(), self.G.toarray()

    @property
    def names(self) -> list[str]:
        """Name of each unknown: 'body x', 'body θz', 'mesh[4] y' (the fifth row of a body with several)."""
        return unknown_names(self.system)

    @property
    def constraint_names(self) -> list[str]:
        """Name of each line of G: 'joint x'."""
        s = self.system
        order = np.argsort(s.multiplier_unknowns[s.exact], kind="stable")
        held = [s.multipliers[k] for k in np.flatnonzero(s.exact)]
        return [f"{held[k].part} {held[k].component}" for k in order]

    def saddle(self, values: Array) -> csr_matrix:
        """Values in the pattern as a sparse matrix, motion first, then multipliers."""
        from scipy.sparse import csr_matrix

        pattern = self.system.pattern
        return csr_matrix((values, pattern.indices, pattern.indptr), shape=(pattern.n, pattern.n))

    def _block(self, values: Array) -> csr_matrix:
        block = self.saddle(values)[: self.size, : self.size]
        block.eliminate_zeros()
        return block


def linearise(
    model: Model | System,
    state: State | Result | None = None,
    t: float | None = None,
    *,
    rest: bool = False,
    dt: float = 1e-3,
) -> Linearised:
    """Linearise a model about a state.

    state: None is the start of the model, made consistent; a State; a Result (its last frame) or (result, k). A state of
    `solve_static` or `trace_equilibrium` brings its load factor and its multipliers; for others accelerations and
    multipliers follow from the equations of motion. t [s]: time at which loads are taken, by default that of the state.
    rest: take velocities as zero. dt [s]: the step that penalties without a stiffness of their own choose theirs for.

    K holds elastic and geometric stiffness, that of multipliers, of follower forces and torques, and the curvature term of
    rigid bodies. With velocities, D holds gyroscopic terms and K centrifugal ones, and K those of forces that depend on
    rates. Muscles with fibres or activations of their own are in balance: K has their static stiffness, D the damping of motion
    that is slower than they are. Constraints that are held by multipliers in any way are lines of G; penalties are stiffness.
    """
    system = running(model)
    system.without_contact("linearise")
    refuse_rates(system, "linearise")
    if not (np.isfinite(dt) and dt > 0):
        raise InputError(f"linearise: dt must be a positive number [s], not {dt!r}")
    if t is not None and not np.isfinite(t):
        raise InputError(f"linearise: t must be a finite time [s], not {t!r}")
    at = given_state(system, state, 0.0 if t is None else float(t))
    if rest:
        at.v[:] = 0.0
    factor = 1.0
    if LOAD_FACTOR in at.memory:
        factor = float(at.memory[LOAD_FACTOR][0])
        at.t = float(at.memory[LOAD_TIME][0]) if t is None else float(t)
        acceleration = np.zeros_like(at.x)
    else:
        at.t = at.t if t is None else float(t)
        problem = RowProblem(system)
        acceleration, multipliers = problem.acceleration(at)
        at.multipliers = problem.shared(multipliers)
    return _assembled(held_exactly(system), at, acceleration, factor, dt)


def held_exactly(system: RunningSystem) -> RunningSystem:
    """The system with multipliers as unknowns also where Uzawa's loop would find them."""
    if not (system.hold == UZAWA).any():
        return system
    exact = assemble_system(system.contributions, identity=system.identity, solver=system.solver_kind, exact=True)
    return RunningSystem(exact)


def given_state(system: RunningSystem, state: Any, t: float = 0.0) -> State:
    """A copy of the state that is meant: None (the start), a State, a Result (its last frame) or (result, frame)."""
    if state is None:
        return consistent_state(system, "consistent", t)[0]
    copy = picked_state(system, state)
    if copy.multipliers.shape != (len(system.multipliers),):
        raise InputError(f"the state does not belong to model '{system.model.name}': it has other joints")
    if copy.turns.size != system.turn_count:
        copy.turns = system.turns_at(copy.x, np.zeros(system.turn_count))
    return copy


def _assembled(system: RunningSystem, state: State, acceleration: Array, factor: float, dt: float) -> Linearised:
    """All matrices, each by the assembly with the factors that leave only its part."""
    s, x, v = system, state.x, state.v
    s.set_turns(state.turns)
    s.set_pace(0.0)
    s.swell(state.t)
    amplitudes = s.amplitudes(state.t)
    loads = (factor * s.applied(state.t, x, v), factor * amplitudes, np.array([amplitudes, amplitudes]))
    held = (state.multipliers, *_penalties(s, dt))
    out = s.buffers()
    everything = whole_system(s, s.rows, s.mass, s.laws)
    none = (assembly.NO_MAP, assembly.NO_MAP)

    def assembled(whole: tuple[Any, ...], factors: tuple[float, float, float], maps: Any) -> Array:
        motion = (x, x, x, v, acceleration, x)
        assembly.assemble(whole, motion, loads, held, assembly.END, assembly.END, factors, maps, True, out)
        return out.A.copy()

    inertia = everything._replace(spans=np.zeros_like(s.spans))  # with κ = 0 nothing but inertia is left
    M = assembled(inertia, (1.0, 0.0, 0.0), none)
    # The part with κ̇ is so large that the stiffness it is added to, and taken from again, leaves no round-off.
    D = (assembled(everything, (0.0, 1.0, LARGE), none) - assembled(everything, (0.0, 1.0, 0.0), none)) / LARGE
    rate, second = _turning_maps(s, v), _turning_maps(s, acceleration)
    if len(rate):
        D += assembled(inertia, (0.0, 0.0, 0.0), (2.0 * rate, np.zeros_like(rate)))
    if s.has_states:
        D += _of_fibres(s, lambda: assembled(everything, (0.0, 1.0, 0.0), none))
    K = assembled(everything, (0.0, 1.0, 0.0), (second, rate))
    n = s.motion_unknowns
    residual, scale = out.r[:n].copy(), out.r_scale[:n].copy()
    for values, name in ((M, "mass"), (D, "damping"), (K, "stiffness")):
        if not np.isfinite(values).all():
            raise InputError(f"the {name} matrix of '{s.model.name}' is not finite at this state")
    inertia_force = np.zeros_like(x)
    np.add.at(inertia_force, s.mass.first, s.mass.value[:, None] * acceleration[s.mass.second])
    inertia_of_unknowns = np.abs(tangent_map(s, x).T @ inertia_force.ravel())
    balanced = bool((inertia_of_unknowns <= 1e-6 * _by_group(s, scale)).all())
    user = (None, None) if not s.user_forces else _of_users(s, state, factor)
    return Linearised(s, state, acceleration, M, D, K, residual, scale, balanced, *user)


def _of_fibres(system: RunningSystem, stiffness: Callable[[], Array]) -> Array:
    """Damping by states of laws that follow the motion, such as fibre lengths, for motion slower than they are.

    With states at pace κ the stiffness is what the laws answer to a motion e^(κ t); D is its derivative by κ at 0.
    """
    at = []
    for pace in (0.0, 0.5 * SLOW, SLOW):
        system.set_pace(pace)
        at.append(stiffness())
    system.set_pace(0.0)
    return (4.0 * at[1] - at[2] - 3.0 * at[0]) / SLOW


def _of_users(system: RunningSystem, state: State, factor: float) -> tuple[csr_matrix, csr_matrix]:
    """Parts of K and D of forces given by Python functions: −Pᵀ (∂f/∂x P + ∂f/∂ẋ Ṗ) and −Pᵀ ∂f/∂ẋ P."""
    by_x, by_v = user_derivatives(system, state)
    P, rate = tangent_map(system, state.x), tangent_map(system, state.v, directors_only=True)
    return -factor * (P.T @ (by_x @ P + by_v @ rate)).tocsr(), -factor * (P.T @ by_v @ P).tocsr()


def _by_group(system: RunningSystem, scale: Array) -> Array:
    """The largest scale among the unknowns of the same unit, shape (n,)."""
    out = np.zeros_like(scale)
    for group in system.unknown_groups:
        out[group] = scale[group].max(initial=0.0)
    return out


def _penalties(system: RunningSystem, dt: float) -> tuple[Array, Array]:
    """Stiffness of penalties; augmented constraints are exact, so theirs would only add to K what G takes away."""
    links, constraints = system.stiffness(dt)
    return links * (system.links.hold == PENALTY), constraints * (system.constraints.hold == PENALTY)


def _turning_maps(system: RunningSystem, directions: Array) -> Array:
    """The maps δθ → δθ × y of all director rows, shape (n, d, 3); empty without rigid bodies."""
    if not len(system.rows.bodies):
        return assembly.NO_MAP
    maps = np.zeros((system.n, system.d, 3))
    for row in np.flatnonzero(system.rows.kind == DIRECTOR):
        y = np.zeros(3)
        y[: system.d] = directions[row]
        maps[row] = np.cross(np.eye(3), y).T[: system.d]
    return maps


def tangent_map(system: RunningSystem, x: Array, *, directors_only: bool = False) -> csr_matrix:
    """P at x, shape (rows · d, n): what the unknowns of motion do to all rows (or to directors only)."""
    from scipy.sparse import csr_matrix

    d = system.d
    turning = _turning_maps(system, x)
    none = np.zeros(0, dtype=np.int64)
    lines, columns, values = [none], [none], [np.zeros(0)]
    for row in np.flatnonzero(system.rows.kind == DIRECTOR if directors_only else system.moving):
        u = int(system.rows.unknown[row])
        block = (
            np.eye(d) if system.rows.kind[row] == FREE else turning[row][:, (slice(None) if d == 3 else slice(2, 3))]
        )
        i, j = np.nonzero(block)
        lines.append(row * d + i)
        columns.append(u + j)
        values.append(block[i, j])
    entries = (np.concatenate(values), (np.concatenate(lines), np.concatenate(columns)))
    return csr_matrix(entries, shape=(system.n * d, system.motion_unknowns))


def unknown_names(system: RunningSystem) -> list[str]:
    """Name of each unknown of motion."""
    rows, owner = system.rows, system.row_owner
    names = [""] * system.motion_unknowns
    free: dict[str, list[int]] = {}
    for row in np.flatnonzero(rows.kind == FREE).tolist():
        free.setdefault(owner[row], []).append(row)
    for body, members in free.items():
        for k, row in enumerate(members):
            label = body if len(members) == 1 else f"{body}[{k}]"
            for a in range(system.d):
                names[rows.unknown[row] + a] = f"{label} {'xyz'[a]}"
    for turning in rows.bodies:
        at = int(rows.unknown[turning[0]])
        for a, axis in enumerate("xyz" if system.d == 3 else " "):
            names[at + a] = f"{owner[turning[0]]} θ{axis}".rstrip()
    return names
