"""Residual and tangent of the whole system: gather, evaluate the laws, scatter through the tangent maps.

Forces are first summed into the row residual q (n, d); `project` turns q into the residual of the unknowns. The scale
arrays collect the absolute values of what was added, so that convergence can be judged against the forces at hand and
against round-off.

places.py       gather y = W x, Gram matrices
maps.py         from rows to unknowns: scatter, project, move
inertia.py, energies.py, forces.py, constraints.py   what each family of laws adds
weighing.py     a law's stiffness through its weights
"""

from __future__ import annotations

import numpy as np
from numba import types

from condyle.laws.kernel import kernel, separate
from condyle.system.assembly.constraints import add_constraints, add_links, constraint_values, regularise
from condyle.system.assembly.energies import add_energies, elastic_stress, stored_energy, viscous_work
from condyle.system.assembly.forces import add_forces
from condyle.system.assembly.inertia import add_body_inertia, add_inertia, momenta
from condyle.system.assembly.maps import (
    add_curvature,
    first_step,
    move,
    move_step,
    normalise_directors,
    project,
    turns_between,
)
from condyle.system.assembly.places import family, find_states, find_turns, set_pace
from condyle.system.signatures import PARTS, count, f1, f2, flag, number, several
from condyle.system.tables import CONSERVING, END, MIDPOINT

__all__ = [
    "CONSERVING", "END", "MIDPOINT", "NO_MAP", "add_constraints", "add_energies", "add_forces", "add_inertia", "add_links",
    "assemble", "constraint_values", "elastic_stress", "find_states", "find_turns", "first_step", "momenta", "move",
    "move_step", "normalise_directors", "project", "regularise", "set_pace", "stored_energy", "turns_between", "viscous_work",
]  # fmt: skip

NO_MAP = np.zeros((0, 2, 3))  # rates of directors follow from κ̇, not from maps of their own


@kernel
def assemble(parts, motion, loads, held, where, held_where, factors, maps, tangent, out):
    """Row residual q, residual r of the unknowns, constraint values c and (if `tangent`) the matrix A.

    parts: see `tables.Parts`
    motion = (x0, x1, x_test, x_dot, acceleration, previous iterate)
    loads = (gravity force per row, amplitudes where forces are taken, amplitudes at both ends of the step (2, nf))
    held = (multipliers, stiffness of links, stiffness of constraints)
    factors = (∂ẍ/∂x1, κ = ∂x_test/∂x1, ∂ẋ/∂x1); maps = (∂ẍ/∂δθ, ∂ẋ/∂δθ) of directors, each (n, d, 3), or empty
    out = (q, q_scale, q_noise, r, r_scale, r_noise, c, c_scale, A), see `Buffers`
    """
    q, q_scale, q_noise, r, r_scale, r_noise, c, c_scale, A = out
    arrays = (q, q_scale, q_noise, r, r_scale, r_noise, c, c_scale, A)
    _assemble(parts, motion, loads, held, where, held_where, factors, maps, tangent, arrays)


_LOADS = types.Tuple((f2, f1, f2))
_MAP = types.Array(types.float64, 3, "C", readonly=True)
_OUT = types.Tuple((f2, f2, f2, f1, f1, f1, f1, f1, f1))


@separate(
    count(PARTS, several(f2, 6), _LOADS, several(f1, 3), count, count, several(number, 3), several(_MAP, 2), flag, _OUT)
)
def _assemble(parts, motion, loads, held, where, held_where, factors, maps, tangent, out):
    rows, bodies, mass, apart, laws, spans = parts
    x0, x1, x_test, x_dot, acceleration, x_old = motion
    gravity, amplitudes, targets = loads
    multipliers, stiffness_l, stiffness_c = held
    inertia, kappa, kappa_dot = factors
    rate_map = maps[1]
    q, q_scale, q_noise, r, r_scale, r_noise, c, c_scale, A = out
    for i in range(r.size):
        r[i] = 0.0
        r_scale[i] = 0.0
        r_noise[i] = 0.0
    if tangent:
        for i in range(A.size):
            A[i] = 0.0
    for i in range(q.shape[0]):
        for a in range(q.shape[1]):
            q[i, a] = -gravity[i, a]
            q_scale[i, a] = abs(gravity[i, a])
            q_noise[i, a] = 0.0
    entries = mass.value.size
    if rate_map.shape[0] == 0:
        add_body_inertia(bodies, rows, acceleration, x_test, x1, inertia, tangent, q, q_scale, A)
        entries = apart
    add_inertia(mass, entries, rows, acceleration, x_dot, x_test, x1, inertia, kappa_dot, maps, tangent, q, q_scale, A)
    if spans[1] > spans[0]:
        add_energies(
            family(laws, spans, 0), rows, x0, x1, x_test, x_old, x_dot, where, kappa, kappa_dot, tangent, q, q_scale,
            q_noise, A,
        )  # fmt: skip
    if spans[2] > spans[1]:
        add_forces(
            family(laws, spans, 1), rows, x_test, x_dot, x1, amplitudes, kappa, kappa_dot, rate_map, tangent, q, q_scale,
            A,
        )  # fmt: skip
    if spans[3] > spans[2]:
        add_links(
            family(laws, spans, 2), rows, x0, x1, multipliers, stiffness_l, held_where, tangent, q, q_scale, q_noise, c,
            c_scale, A,
        )  # fmt: skip
    if spans[4] > spans[3]:
        add_constraints(
            family(laws, spans, 3), rows, x0, x1, targets, multipliers, stiffness_c, held_where, tangent, q, q_scale,
            q_noise, c, c_scale, A,
        )  # fmt: skip
    project(rows, x_test, q, q_scale, q_noise, r, r_scale, r_noise)
    if tangent:
        add_curvature(rows, q, x1, kappa, A)
    return 0
