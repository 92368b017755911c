"""The whole system: what all families of laws add, one after the other, and the way from rows to unknowns.

`assemble_compiled` is for loops over steps in compiled code; everything else calls `assemble` of threads.py, which does the
same.
"""

import numpy as np
from numba import types

from condyle.laws.kernel import kernel, separate
from condyle.system.assembly.constraints import add_constraints
from condyle.system.assembly.energies import add_energies
from condyle.system.assembly.forces import add_forces
from condyle.system.assembly.inertia import add_body_inertia, add_inertia
from condyle.system.assembly.links import add_links
from condyle.system.assembly.maps import add_curvature, project
from condyle.system.assembly.places import begin_residual, family
from condyle.system.assembly.rates import add_rates
from condyle.system.signatures import MAPS, WHOLE_SYSTEM, count, f1, f2, flag, number, several
from condyle.system.tables import NOWHERE

NO_MAP = np.zeros((0, 2, 3))  # rates of directors follow from κ̇, not from maps of their own


@kernel
def assemble_compiled(whole, motion, loads, held, where, held_where, factors, maps, tangent, out):
    """What `assemble` does, in one thread."""
    start_assembly(whole, motion, loads, factors, maps, tangent, out)
    finish_assembly(whole, motion, loads, held, where, held_where, factors, maps, tangent, out)


@kernel
def start_assembly(whole, motion, loads, factors, maps, tangent, out):
    """Everything zero but weight and inertia."""
    q, q_scale, q_noise, r, r_scale, r_noise, c, c_scale, A = out
    arrays = (q, q_scale, q_noise, r, r_scale, r_noise, c, c_scale, A)
    _start(whole, motion, loads, factors, maps, tangent, arrays)


@kernel(nogil=True)
def add_span(laws, span, rows, motion, where, factors, maps, tangent, out):
    """What the energies from span[0] to span[1] add; others may do the same meanwhile for rows that these do not touch."""
    x0, x1, x_test, x_dot, _, x_old = motion
    q, q_scale, q_noise, _, _, _, _, _, A = out
    add_energies(
        family(laws, span, 0), rows, x0, x1, x_test, x_old, x_dot, where, factors[1], factors[2], maps[1], tangent, q,
        q_scale, q_noise, A,
    )  # fmt: skip


@kernel
def finish_assembly(whole, motion, loads, held, where, held_where, factors, maps, tangent, out):
    """Energies (those that spans[0] leaves), forces, links, constraints and rates; then from rows to unknowns."""
    q, q_scale, q_noise, r, r_scale, r_noise, c, c_scale, A = out
    arrays = (q, q_scale, q_noise, r, r_scale, r_noise, c, c_scale, A)
    _finish(whole, motion, loads, held, where, held_where, factors, maps, tangent, arrays)


_LOADS = types.Tuple((f2, f1, f2))
OUT = types.Tuple((f2, f2, f2, f1, f1, f1, f1, f1, f1))


@separate(count(WHOLE_SYSTEM, several(f2, 6), _LOADS, several(number, 3), several(MAPS, 2), flag, OUT))
def _start(whole, motion, loads, factors, maps, tangent, out):
    rows, bodies, mass, apart = whole.rows, whole.bodies, whole.mass, whole.apart
    _, x1, x_test, x_dot, acceleration, _ = motion
    gravity, _, _ = loads
    inertia, _, kappa_dot = factors
    q, q_scale, q_noise, r, r_scale, r_noise, _, _, A = out
    begin_residual(gravity, tangent, q, q_scale, q_noise, r, r_scale, r_noise, A)
    entries = mass.value.size
    if maps[1].shape[0] == 0:
        add_body_inertia(bodies, rows, acceleration, x_test, x1, inertia, tangent, q, q_scale, A)
        entries = apart
    add_inertia(mass, entries, rows, acceleration, x_dot, x_test, x1, inertia, kappa_dot, maps, tangent, q, q_scale, A)
    return 0


@separate(
    count(
        WHOLE_SYSTEM,
        several(f2, 6),
        _LOADS,
        several(f1, 3),
        count,
        count,
        several(number, 3),
        several(MAPS, 2),
        flag,
        OUT,
    )
)
def _finish(whole, motion, loads, held, where, held_where, factors, maps, tangent, out):
    rows, laws, spans = whole.rows, whole.laws, whole.spans
    x0, x1, x_test, x_dot, _, x_old = motion
    _, amplitudes, targets = loads
    multipliers, stiffness_l, stiffness_c = held
    _, kappa, kappa_dot = factors
    rate_map = maps[1]
    q, q_scale, q_noise, r, r_scale, r_noise, c, c_scale, A = out
    if spans[1] > spans[0]:
        add_energies(
            family(laws, spans, 0), rows, x0, x1, x_test, x_old, x_dot, where, kappa, kappa_dot, rate_map, tangent, q,
            q_scale, q_noise, A,
        )  # fmt: skip
    if spans[2] > spans[1]:
        add_forces(
            family(laws, spans, 1), rows, x_test, x_dot, x1, amplitudes, kappa, kappa_dot, rate_map, tangent, q, q_scale,
            A,
        )  # fmt: skip
    if spans[3] > spans[2] and held_where != NOWHERE:
        add_links(
            family(laws, spans, 2), rows, x0, x1, multipliers, stiffness_l, held_where, tangent, q, q_scale, q_noise, c,
            c_scale, A,
        )  # fmt: skip
    if spans[4] > spans[3] and held_where != NOWHERE:
        add_constraints(
            family(laws, spans, 3), rows, x0, x1, targets, multipliers, stiffness_c, held_where, tangent, q, q_scale,
            q_noise, c, c_scale, A,
        )  # fmt: skip
    if spans[5] > spans[4]:
        add_rates(
            family(laws, spans, 4), rows, x_test, x_dot, x1, amplitudes, multipliers, kappa, kappa_dot, rate_map, tangent,
            q, q_scale, c, c_scale, A,
        )  # fmt: skip
    project(rows, x_test, q, q_scale, q_noise, r, r_scale, r_noise)
    if tangent:
        add_curvature(rows, q, x1, kappa, A)
    return 0
