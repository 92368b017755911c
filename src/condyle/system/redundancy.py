"""Redundant constraints: found at the start and named, so that nobody has to guess from a singular matrix."""

from __future__ import annotations

import warnings

import numpy as np
from numpy.typing import NDArray

from condyle.system.row_problem import RowProblem
from condyle.system.running import RunningSystem
from condyle.system.state import State
from condyle.system.system import System

LARGEST = 1500  # multipliers up to which the search (a dense eigenvalue problem) is made


class RedundancyWarning(UserWarning):
    """Some constraints say the same thing twice; the motion is not affected, reactions are shared."""


def find_redundant(system: System, state: State) -> list[tuple[int, list[str]]]:
    """Groups of parts whose constraints depend on each other: (number of superfluous equations, names).

    With the constraint Jacobian G in row form and N = G m⁻¹ Gᵀ scaled to a unit diagonal, each null vector of N is a set of
    multipliers that does nothing; the parts with entries in it belong together.
    """
    run = system if isinstance(system, RunningSystem) else RunningSystem(system)
    plain = run.plain
    if not system.has_loops or not 0 < len(plain.multipliers) <= LARGEST:
        return []
    G = jacobian(run, state)
    mass = np.repeat(plain.row_mass[plain.moving], plain.d)
    # A row without inertia (across a flat disk) must not drown the others: constraints that share it would look alike.
    size = np.repeat(plain.rows.size[plain.moving], plain.d)  # directions have inertia [kg m²], places mass
    heaviest = max((mass * size**2).max(), 1e-300)
    weight = 1.0 / np.sqrt(np.maximum(mass, 1e-6 * heaviest / size**2))
    scaled = G * weight
    scaled /= np.maximum(np.linalg.norm(scaled, axis=1), 1e-300)[:, None]
    values, vectors = np.linalg.eigh(scaled @ scaled.T)
    null = vectors[:, values < 1e-10 * max(values[-1], 1.0)]
    if null.shape[1] == 0:
        return []
    return _groups(plain, null)


def has_loops(system: System) -> bool:
    """Do joints connect bodies in a loop (what does not move being one body)? Without one nothing is said twice."""
    bodies = ["" if fixed else owner for owner, fixed in zip(system.row_owner, ~system.moving, strict=True)]
    reached: dict[str, set[str]] = {}
    for table in (system.links, system.constraints, system.rates):
        for i in range(table.law.size):
            rows = table.rows[table.row_start[i] : table.row_start[i + 1]]
            part = system.multipliers[int(table.channel[i])].part
            reached.setdefault(part, set()).update(bodies[r] for r in rows)
    group = {name: name for name in bodies}

    def head(name: str) -> str:
        while group[name] != name:
            group[name] = group[group[name]]
            name = group[name]
        return name

    for joined in reached.values():
        heads = [head(name) for name in joined]
        if len(set(heads)) < len(heads) or len(heads) < 2:
            return True
        for other in heads[1:]:
            group[other] = heads[0]
    return False


def jacobian(system: RunningSystem, state: State) -> NDArray[np.float64]:
    """∂c/∂x of all exact constraints in row form, shape (multipliers, moving rows · d), rigidity included."""
    problem = RowProblem(system)
    plain = problem.system
    plain.set_turns(state.turns)
    problem.factor(state.x, state.t)
    first = plain.motion_unknowns
    G = np.zeros((plain.unknowns - first, first))
    pattern, A = plain.pattern, problem.out.A
    for i in range(first, plain.unknowns):
        at = slice(pattern.indptr[i], pattern.indptr[i + 1])
        columns = pattern.indices[at]
        G[i - first, columns[columns < first]] = A[at][columns < first]
    return G


def _groups(plain: RunningSystem, null: NDArray[np.float64]) -> list[tuple[int, list[str]]]:
    """Connected sets of joints in the null space; what only keeps bodies rigid is not named."""
    involved = np.linalg.norm(null, axis=1) > 1e-7
    owners = [m.part for m, exact in zip(plain.multipliers, plain.exact, strict=True) if exact]
    internal = [m.internal for m, exact in zip(plain.multipliers, plain.exact, strict=True) if exact]
    projector = np.abs(null @ null.T) > 1e-7
    left = {k for k in np.flatnonzero(involved).tolist()}
    groups = []
    while left:
        members, front = set(), {left.pop()}
        while front:
            k = front.pop()
            members.add(k)
            front |= {j for j in np.flatnonzero(projector[k]).tolist() if j in left}
            left -= front
        names = list(dict.fromkeys(owners[k] for k in sorted(members) if not internal[k]))
        count = int(np.linalg.matrix_rank(null[sorted(members)], tol=1e-6))
        groups.append((count, names or list(dict.fromkeys(owners[k] for k in sorted(members)))))
    return groups


def redundancy_notes(system: RunningSystem, state: State) -> list[str]:
    """Sentences for the user, also raised as warnings."""
    notes = []
    for count, names in find_redundant(system, state):
        who = ", ".join(f"'{n}'" for n in names)
        notes.append(
            f"{count} redundant constraint{'s' if count > 1 else ''} among {who}: the motion is not affected, "
            "the reactions are shared with the smallest norm"
        )
        warnings.warn(notes[-1], RedundancyWarning, stacklevel=4)
    return notes
