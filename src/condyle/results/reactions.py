"""Joint forces and torques out of multipliers: which constraints carry force between the points of a joint, and which way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.joints.joint import Joint
from condyle.joints.tie import Tie
from condyle.laws.codes import DOT_PRODUCT, HALF_SQUARE
from condyle.laws.record import numbered
from condyle.system.system import System
from condyle.system.weights import Weights

Array = NDArray[np.float64]


class Constraint(NamedTuple):
    """A compiled constraint: its (first) multiplier, law, gathered vectors and parameters."""

    multiplier: int
    law: int
    vectors: list[Weights]
    params: Array


def force_on_b(system: System, part: Joint | Tie, multipliers: Array, vector_at: Callable[[Weights], Array]) -> Array:
    """Force of a joint on its body b (of a tie: on the body `to`) [N], shape (times, d).

    A constraint c of the gap y = x^(a) − x^(b) puts +λ ∂c/∂y on b. multipliers: shape (times, m); vector_at(w) gives a
    gathered vector at those times, shape (times, d). Constraints of directions alone carry a torque and no force.
    """
    d = system.d
    force = np.zeros((len(multipliers), d))
    if isinstance(part, Tie):
        for k in _tied(system, part):
            force += multipliers[:, k : k + d]
        return force
    for link in _constraints(system, system.links, part.name):
        force += multipliers[:, link.multiplier : link.multiplier + d]
    on_b = system.rows_of(part.b.body)
    on_b[system.position(part.b).rows] = True
    for constraint in (
        *_constraints(system, system.constraints, part.name),
        *_constraints(system, system.rates, part.name),
    ):
        for i, vector in enumerate(constraint.vectors):
            mine = on_b[vector.rows]
            share = float(vector.values[mine] @ system.translation[vector.rows[mine]])  # −1 of x^(a) − x^(b)
            if abs(share) > 1e-9:
                size = -share * multipliers[:, constraint.multiplier, None]
                force += size * _derivative(constraint, i, vector_at)
    return force


def torque_on_b(system: System, part: Joint, multipliers: Array, vector_at: Callable[[Weights], Array]) -> Array:
    """Torque of a joint on its body b about its point there [N m], shape (times, 3), in 2D (times,).

    Virtual work: a turn δθ of b about its point p changes a row of b by δθ × (x − τ p), τ = 1 of positions and 0 of directions,
    and the constraint puts −λ w ∂c/∂y on it; so M = Σ w (x − τ p) × (−λ ∂c/∂y) over the rows of b.
    """
    d, place = system.d, system.position(part.b)
    on_b = system.rows_of(part.b.body)
    on_b[place.rows] = True
    at_point = vector_at(place)
    torque = np.zeros((len(multipliers), 3 if d == 3 else 1))
    for table in (system.links, system.constraints, system.rates):
        for constraint in _constraints(system, table, part.name):
            for i, vector in enumerate(constraint.vectors):
                mine = Weights(vector.rows[on_b[vector.rows]], vector.values[on_b[vector.rows]])
                if not mine.rows.size:
                    continue
                k = constraint.multiplier
                if table is system.links:
                    force = -multipliers[:, k : k + d]
                else:
                    force = -multipliers[:, k, None] * _derivative(constraint, i, vector_at)
                arm = vector_at(mine) - float(mine.values @ system.translation[mine.rows]) * at_point
                torque += np.reshape(_cross(arm, force), torque.shape)
    return torque if d == 3 else torque[:, 0]


def _cross(a: Array, b: Array) -> Array:
    """a × b, shape (times, 3); in the plane its one component, shape (times,)."""
    return np.cross(a, b) if a.shape[1] == 3 else a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]


def _derivative(constraint: Constraint, i: int, vector_at: Callable[[Weights], Array]) -> Array:
    """∂c/∂y_i = 2 Σ_j S_ij y_j with S = ∂c/∂G, or a_i of a constraint of velocities, shape (times, d)."""
    if constraint.law == DOT_PRODUCT:
        return vector_at(constraint.vectors[1 - i])
    if constraint.law == HALF_SQUARE:
        return vector_at(constraint.vectors[i])
    from condyle.laws.gram import gram_law
    from condyle.laws.rates import rate_law

    Y = np.stack([vector_at(vector) for vector in constraint.vectors], axis=1)
    ny, d = len(constraint.vectors), Y.shape[2]
    if numbered(constraint.law).kind == "rate":
        found = np.zeros((len(Y), d))
        for t, y in enumerate(np.ascontiguousarray(Y)):
            a = np.zeros((ny, d))
            rate_law(constraint.law, ny, d, y, constraint.params, a, np.zeros((ny, d, ny, d)))
            found[t] = a[i]
        return found
    S, H = np.zeros((ny, ny)), np.zeros((ny, ny, ny, ny))
    result = np.zeros((len(Y), Y.shape[2]))
    for t, y in enumerate(Y):
        gram_law(constraint.law, ny, y @ y.T, constraint.params, S, H)
        result[t] = 2.0 * S[i] @ y
    return result


def _tied(system: System, tie: Tie) -> Iterator[int]:
    """First multiplier of each tied node; ties of directions carry no force."""
    own = system.rows_of(tie.body) * system.translation
    for link in _constraints(system, system.links, tie.name):
        vector = link.vectors[0]
        if abs(float(vector.values @ own[vector.rows])) > 0.5:
            yield link.multiplier


def _constraints(system: System, table: Any, part: str) -> Iterator[Constraint]:
    """The constraints of one part."""
    for i in range(table.law.size):
        k = int(table.channel[i])
        if system.multipliers[k].part == part:
            rows = table.rows[table.row_start[i] : table.row_start[i + 1]]
            at = table.weight_start[table.point_start[i]]
            W = table.weights[at : at + table.vectors[i] * rows.size].reshape(table.vectors[i], -1)
            params = table.params[table.param_start[i] : table.param_start[i + 1]]
            yield Constraint(k, int(table.law[i]), [Weights(rows, w).pruned() for w in W], params)
