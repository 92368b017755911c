"""The stiffness of contact where none is given, and whether one that is given makes sense.

A penalty is part of the model, so its stiffness follows from what there is to press: the stiffness of the bodies that meet
and of what acts on them through their joints, springs, ligaments and cables; and the forces at hand, weights and loads,
over a depth that is small against the bodies. It does not depend on the step. The regularisation of an augmented
Lagrangian changes only the way to the solution: it follows from the tangent of a step.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.contact.laws import SpringDashpot
from condyle.contact.laws.law import Chosen, Past
from condyle.contact.laws.spring_dashpot import SETTLING
from condyle.contact.memory import DAMPING, STIFFNESS
from condyle.contact.surface import Array
from condyle.errors import InputError
from condyle.system import assembly
from condyle.system.linear import SingularMatrixError
from condyle.system.tables import FIXED

if TYPE_CHECKING:
    from condyle.contact.layout import Pair
    from condyle.contact.problem import ContactProblem
    from condyle.system.running import RunningSystem
    from condyle.system.state import State

STIFF = 10.0  # a penalty that is not given, over the stiffness of what it presses on
SINK = 1e-3  # of the size of the bodies: how deep the forces at hand press a penalty that is not given
DENT = 1e-2  # of their size: how deep an impact does, where there is no other force
SUNK = 0.05  # of their size: a depth that can hardly be meant
FAR_TOO_STIFF = 1e10  # times the forces at hand over the size: round-off becomes force
EASY = 0.01  # share of the diagonal of the tangent that regularises
LOOSE = 1e-8  # of the highest rate of the model: inertia in place of what holds nothing
SAMPLES = 40  # points of a contact at which the stiffness of all that holds its bodies is asked for


class ContactWarning(UserWarning):
    """A contact that can hardly be meant as it is."""


class AtHand(NamedTuple):
    """What there is to choose a stiffness from."""

    soft: Array  # stiffness of what meets at each point [N/m] (n,), NaN where there is none
    force: float  # that presses: weights and loads [N]
    impact: float  # mass times the square of the speed at which they come together [J]
    size: float  # of the bodies [m]


def choose_stiffness(problem: ContactProblem, state: State, h: float | None) -> Array:
    """Stiffness r [N/m] of each point, as given or chosen; h [s]: the step, None for statics."""
    elastic, inertia, loads = _diagonals(problem.system, state)
    out = np.zeros(problem.points)
    for k, pair in enumerate(problem.pairs):
        here = slice(problem.point_start[k], problem.point_start[k + 1])
        gradients = _gap_gradients(problem.system, pair, state.x)
        if pair.stiffness is not None:
            out[here] = pair.stiffness
        elif pair.soft and not pair.law.linear:
            out[here] = pair.law.chord(DENT * body_size(problem.system, pair, state.x))
        elif pair.soft:
            out[here] = _penalty(pair, at_hand(problem.system, pair, state, gradients, elastic, inertia, loads))
        else:
            easy = 1.0 / rubbing_ratio(problem, pair, h)
            diagonal = easy * (elastic + (0.0 if h is None else 4.0 / h**2) * inertia)
            found = _schur(problem.system, gradients, diagonal)
            if not np.isfinite(found).any():  # rigid bodies that nothing but contact holds, in statics: any will do
                found = _penalty(pair, at_hand(problem.system, pair, state, gradients, elastic, inertia, loads))
            out[here] = _regularisation(pair, found)
        if pair.stiffness is not None and pair.soft and pair.layer is None:
            _doubt(pair, out[here], at_hand(problem.system, pair, state, gradients, elastic, inertia, loads))
    return out


def choose_damping(problem: ContactProblem, state: State, stiffness: Array) -> Array:
    """Damping [N s/m] of each point of a soft law, as given, or 2 ζ √(k m) with the effective mass m of the point."""
    out = np.zeros(problem.points)
    inertia = None
    for k, pair in enumerate(problem.pairs):
        law = pair.law.core
        if not isinstance(law, SpringDashpot):
            continue
        here = slice(problem.point_start[k], problem.point_start[k + 1])
        ratio = law.ratio if law.ratio is not None else 0.0 if pair.elastic else SETTLING
        if law.damping is not None:
            out[here] = law.damping
        elif ratio > 0.0:
            if inertia is None:
                inertia = _diagonals(problem.system, state)[1]
            mass = _effective_mass(problem.system, pair, state, inertia)
            out[here] = 2.0 * ratio * np.sqrt(stiffness[here] * mass)
    return out


def elastic_blows(problem: ContactProblem, state: State, h: float) -> str:
    """The first contact whose blows dissipate nothing and are over within about a step of h [s]; '' if there is none."""
    memory, inertia = problem.memory_of(state, h), None
    for k, pair in enumerate(problem.pairs):
        if not problem.strikes(pair) or pair.elastic or pair.law.remembers:
            continue
        here = slice(problem.point_start[k], problem.point_start[k + 1])
        r, s = memory[STIFFNESS][here], np.full(pair.count, DENT * body_size(problem.system, pair, state.x))
        chosen = Chosen(r, memory[DAMPING][here])
        if pair.law.damping_curve(s, Past(np.ones_like(s), s), chosen).value.any():
            continue
        if inertia is None:
            inertia = _diagonals(problem.system, state)[1]
        mass = _effective_mass(problem.system, pair, state, inertia)
        if ((mass > 0.0) & (r * h * h > mass)).any():  # a blow takes π √(m/k)
            return pair.name
    return ""


def rubbing_ratio(problem: ContactProblem, pair: Pair, h: float | None) -> float:
    """Regularisation of friction over that of the gap: as stiff as the tangent of a step of h [s] (None: statics).

    Gaps take only a share of that: see `_regularisation`. What rubs is stiff along the surface, and what has slipped by
    less than friction can move it within the step may still stick.
    """
    eased = h is not None and pair.stiffness is None and pair.elastic and not problem.presses_still(pair)
    return 1.0 / EASY if eased else 1.0


def at_hand(
    system: RunningSystem, pair: Pair, state: State, gradients: Any, elastic: Array, inertia: Array, loads: Array
) -> AtHand:
    """Stiffness, forces and size of what meets in a contact."""
    soft = _schur(system, gradients, elastic)
    if not pair.elastic:
        held = _held_stiffness(system, state, gradients)
        soft = np.where(np.isfinite(soft), np.fmax(soft, held), held)
    sides = [rows for rows in (_connected(system, name) for name in (pair.body, pair.target)) if rows.any()]
    force = min((float(loads[rows].sum()) for rows in sides), default=0.0)
    approach = pair.approach_rates(state.x, state.v)[0] if np.any(state.v) else np.zeros(pair.count)
    impact = float(np.nanmax(_schur(system, gradients, inertia) * np.minimum(approach, 0.0) ** 2, initial=0.0))
    return AtHand(soft, force, impact, body_size(system, pair, state.x))


def body_size(system: RunningSystem, pair: Pair, x: Array) -> float:
    """The size of the smaller of the bodies that meet, as far as their points tell [m]."""
    own = system.rows_of(pair.body) & (system.translation > 0)
    places = np.concatenate((pair.places(x), x[own]))
    across = float(np.linalg.norm(np.ptp(places, axis=0))) + 2.0 * getattr(pair, "radius", 0.0)
    return min(across, system.size) if across > 0.0 else system.size


def _penalty(pair: Pair, found: AtHand) -> Array:
    """The same per area all over the surface, where points have areas."""
    least = found.force / (SINK * found.size)
    if least == 0.0:
        least = found.impact / (DENT * found.size) ** 2
    out = np.fmax(STIFF * found.soft, least)
    if pair.elastic and np.isfinite(found.soft).any():  # bodies that deform give way themselves, whatever presses them
        out = STIFF * np.where(np.isfinite(found.soft), found.soft, np.nanmean(found.soft))
    if not (np.isfinite(out) & (out > 0.0)).all():
        raise InputError(
            f"Contact '{pair.name}': nothing that meets there has stiffness, weight, load or speed, so no stiffness can be "
            "chosen; give stiffness=… [N/m]"
        )
    if (pair.areas > 0.0).all():
        out = pair.areas * out.sum() / pair.areas.sum()
    return out


def _regularisation(pair: Pair, out: Array) -> Array:
    """1/Σ (∂g/∂u)²/A_uu with the diagonal of the tangent of statics, or a share of that of a step (β = ¼).

    The diagonal knows nothing of what gives way besides: of slender bodies it is far too stiff, and points would chatter.
    """
    lost = ~np.isfinite(out)
    if lost.all():
        raise InputError(
            f"Contact '{pair.name}': nothing that meets there has stiffness, so none can be chosen; give stiffness=… [N/m]"
        )
    return np.where(lost, np.mean(out[~lost]), out)


def _doubt(pair: Pair, stiffness: Array, found: AtHand) -> None:
    """A word on a penalty that is given and far from what there is to press."""
    k = float(np.median(stiffness))
    good = found.force / (SINK * found.size)
    depth = found.force / (k * pair.count)
    if depth > SUNK * found.size:
        _warn(
            f"Contact '{pair.name}': with a stiffness of {k:.3g} N/m per point the forces at hand, {found.force:.3g} N, press "
            f"{depth:.3g} m deep, {100 * depth / found.size:.0f} % of the size of the body; stiffness={good:.1g} would keep it "
            f"at {100 * SINK:g} %"
        )
    elif found.force > 0.0 and k > FAR_TOO_STIFF * found.force / found.size:
        _warn(
            f"Contact '{pair.name}': a stiffness of {k:.3g} N/m per point turns the round-off of places into forces against "
            f"the {found.force:.3g} N at hand; stiffness={good:.1g} presses {100 * SINK:g} % of the size of the body deep, and "
            "law='augmented' not at all"
        )


def largest_depth(system: RunningSystem, pair: Pair, x: Array) -> float:
    """How deep a penalty may be meant to give way [m]: a layer by its thickness, else a share of the size of the bodies."""
    return pair.layer if pair.layer is not None else SUNK * body_size(system, pair, x)


def warn_of_depth(pair: Pair, point: int, depth: float, limit: float, stiffness: float, t: float) -> None:
    """A penalty has given way by more than `largest_depth`."""
    where = f"Contact '{pair.name}': at t = {t:.4g} s {pair.labels[point]} is {depth:.3g} m inside '{pair.target}'"
    if pair.layer is not None:
        _warn(f"{where}, deeper than its layer of {limit:.3g} m is thick; make the layer stiffer or thicker")
        return
    size = limit / SUNK
    _warn(
        f"{where}, {100 * depth / size:.0f} % of the size of the body; its stiffness of {stiffness:.3g} N/m is too low for the "
        f"forces there: give stiffness={stiffness * depth / (SINK * size):.1g}, or law='augmented'"
    )


def _warn(message: str) -> None:
    warnings.warn(message, ContactWarning, stacklevel=4)


# --- what there is --------------------------------------------------------------------------------------------------------


def _diagonals(system: RunningSystem, state: State) -> tuple[Array, Array, Array]:
    """Diagonals of stiffness [N/m] and mass [kg] of the unknowns of motion, and the size of weights and loads per row [N].

    Loads that grow from nothing count as they are when their function is 1.
    """
    s, out = system, system.buffers()
    s.set_turns(state.turns)
    elastic, inertia = _tangent_diagonals(s, state, out)
    amplitudes = s.amplitudes(state.t)
    amplitudes = np.where(amplitudes == 0.0, 1.0, amplitudes)
    _assemble(s, state, (0.0, 1.0, 0.0), out, (s.applied(state.t, state.x, np.zeros_like(state.x)), amplitudes))
    return elastic, inertia, np.linalg.norm(out.q, axis=1) * (s.translation > 0) * s.moving


def _tangent_diagonals(system: RunningSystem, state: State, out: Any) -> tuple[Array, Array]:
    """Of stiffness and of mass."""
    slots = system.diagonal_slots[: system.motion_unknowns]
    found = []
    for factors in ((0.0, 1.0, 0.0), (1.0, 1.0, 0.0)):
        _assemble(system, state, factors, out)
        found.append(out.A[slots].copy())
    return found[0], found[1] - found[0]


def _assemble(
    s: RunningSystem,
    state: State,
    factors: tuple[float, float, float],
    out: Any,
    loads: tuple[Array, Array] | None = None,
) -> None:
    """Forces and tangent at rest, without multipliers; loads: on rows, and the values of functions of time."""
    still = np.zeros_like(state.x)
    motion = (state.x, state.x, state.x, still, still, state.x)
    on_rows, amplitudes = (still, np.zeros_like(s.amplitudes(state.t))) if loads is None else loads
    none = (np.zeros(len(s.multipliers)), np.zeros(s.links.law.size), np.zeros(s.constraints.law.size))
    assembly.assemble(
        s.whole, motion, (on_rows, amplitudes, np.zeros_like(s.targets(state.t, state.t))), none, assembly.END,
        assembly.END, factors, (assembly.NO_MAP, assembly.NO_MAP), True, out,
    )  # fmt: skip


def _held_stiffness(system: RunningSystem, state: State, gradients: Any) -> Array:
    """1/(∇g·A⁻¹ ∇g) with all that acts on the bodies through their joints [N/m] (n,), NaN where nothing holds them.

    A little inertia keeps the matrix regular: what gives way as if there were nothing else is held by nothing.
    """
    s, n = system, gradients.shape[0]
    out, stiffness = s.buffers(), np.full(n, np.nan)
    elastic, mass = _tangent_diagonals(s, state, out)
    heavy = mass > 1e-9 * mass.max(initial=0.0)
    rate = LOOSE * float((np.abs(elastic[heavy]) / mass[heavy]).max(initial=0.0))
    if rate == 0.0:
        return stiffness
    _assemble(s, state, (rate, 1.0, 0.0), out)
    s.regularise(out.A)
    try:
        s.solver.factor(out.A)
    except SingularMatrixError:
        return stiffness
    some = np.unique(np.linspace(0, n - 1, min(n, SAMPLES)).astype(int))
    for i in some:
        push = np.zeros(s.unknowns)
        push[: s.motion_unknowns] = gradients[i].toarray().ravel()
        way = s.solver.solve(push)[: s.motion_unknowns]
        gives = float(push[: s.motion_unknowns] @ way)
        loose = float(rate * np.sum(mass * way**2))  # twice the energy of the inertia, against that of all
        if gives > 0.0 and loose < 0.5 * gives:
            stiffness[i] = 1.0 / gives
    known = np.isfinite(stiffness)
    return np.where(known, stiffness, np.median(stiffness[known])) if known.any() else stiffness


def _connected(system: RunningSystem, body: str) -> NDArray[np.bool_]:
    """Rows of all bodies that joints and forces connect with a body, itself included; none if it cannot move."""
    owner = np.array(system.row_owner)
    names = {name: k for k, name in enumerate(dict.fromkeys(owner.tolist()))}
    of_row, moves = np.array([names[name] for name in owner]), system.rows.kind != FIXED
    group = np.arange(len(names))
    for table in (system.energies, system.forces, system.links, system.constraints):
        for i in range(table.law.size):
            rows = table.rows[table.row_start[i] : table.row_start[i + 1]]
            met = np.unique(group[of_row[rows[moves[rows]]]])
            if met.size > 1:
                group[np.isin(group, met)] = met[0]
    return moves & (group[of_row] == group[names[body]]) if body in names else np.zeros(owner.size, dtype=bool)


def _gap_gradients(system: RunningSystem, pair: Pair, x: Array) -> Any:
    """∂g/∂u of all points by all unknowns, sparse."""
    from scipy.sparse import coo_matrix

    columns, B = pair.gap_gradient(x)
    at = columns >= 0
    row = np.broadcast_to(np.arange(pair.count)[:, None], at.shape)
    return coo_matrix((B[at], (row[at], columns[at])), shape=(pair.count, system.motion_unknowns)).tocsr()


def _effective_mass(system: RunningSystem, pair: Pair, state: State, inertia: Array) -> Array:
    """Mass that a blow at each point of a pair has to turn round [kg] (n,), 0 where nothing resists."""
    mass = _schur(system, _gap_gradients(system, pair, state.x), inertia)
    return np.where(np.isfinite(mass), mass, 0.0)


def _schur(system: RunningSystem, gradients: Any, diagonal: Array) -> Array:
    """1/Σ (∂g/∂u)²/A_uu, NaN where nothing resists: unknowns without what counts against the others of their unit."""
    inverse = np.zeros_like(diagonal)
    for members in system.unknown_groups:
        mine = diagonal[members]
        resists = mine > 1e-12 * np.abs(mine).max(initial=0.0)
        inverse[members[resists]] = 1.0 / mine[resists]
    total = np.asarray(gradients.power(2) @ inverse).ravel()
    return np.where(total > 0.0, 1.0 / np.where(total > 0.0, total, 1.0), np.nan)
