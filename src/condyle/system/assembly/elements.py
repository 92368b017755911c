"""What elements of all kinds have in common: which kernel an energy goes to, its nodes before, its forces on rows after."""

import numpy as np
from numba import types

from condyle.laws.codes import CABLE, FRAME_STRAINS, LINEAR_STRAINS, SECTION_CURVATURE, SECTION_STRAINS
from condyle.laws.kernel import kernel
from condyle.laws.record import PLANE_STRESS
from condyle.laws.solids import has_mean_dilatation
from condyle.laws.table import HAS_BETWEEN, SOLID, has
from condyle.system.assembly.maps import share_of_row
from condyle.system.assembly.places import fades
from condyle.system.assembly.weighing import add_to_rows, scatter_element, scatter_rates
from condyle.system.signatures import LAWS, MAPS, ROWS, count, f1, f2, flag, number
from condyle.system.tables import DIRECTOR, END

# Kinds of elements, each with a kernel of its own; what is none of the others is general.
GENERAL, SLENDER, SOLID_IN_SPACE, PLANE_SOLID, SECTION, SPRING, FRAME = range(7)

# where energies are taken, κ, κ̇, rates of directors, with the tangent or without: see `energies.add_energies`
HOW = types.Tuple((count, number, number, MAPS, flag))
# What a kernel that adds the elements of one kind is handed: tables, x0, x1, x_test, x_old, ẋ, how; q, its scale and noise, A.
ADDS_ELEMENTS = count(LAWS, ROWS, f2, f2, f2, f2, f2, HOW, f2, f2, f2, f1)


@kernel(forceinline=True)
def is_slender(law):
    """Is it a law of cables or of strains linear in G (slender.py)?"""
    return law in (CABLE, LINEAR_STRAINS)


@kernel(forceinline=True)
def is_section(law):
    """Is it a law of the sections of beams (sections.py)?"""
    return law in (SECTION_STRAINS, SECTION_CURVATURE)


@kernel(forceinline=True)
def is_frame(law):
    """Is it the law of elements between two rigid frames (frames.py)?"""
    return law == FRAME_STRAINS


@kernel(forceinline=True)
def is_spring(table, i):
    """Is it a law of one vector with nothing but its energy (springs.py)?"""
    law = table.law[i]
    plain = table.damping[i] == 0.0 and table.viscosity[i] == 0.0 and not fades(table, i) and table.gradients[i] == 0
    return plain and not has(law, SOLID) and not has(law, HAS_BETWEEN)


@kernel(forceinline=True)
def is_viscous(table, i):
    """Has an instance a stress that depends on the rates of its rows?"""
    return table.damping[i] > 0.0 or table.viscosity[i] > 0.0


@kernel(forceinline=True)
def kind_of(table, i, d):
    """The kind of instance i. Memory, averaged dilatations, plane stress are general, and viscosity but for beams."""
    law, ny = table.law[i], table.vectors[i]
    if is_slender(law):
        return SLENDER
    if (is_section(law) or is_frame(law)) and table.viscosity[i] == 0.0 and not fades(table, i):
        return SECTION if is_section(law) else FRAME
    if ny == 1 and is_spring(table, i):
        return SPRING
    if ny != d or not has(law, SOLID) or law >= PLANE_STRESS:
        return GENERAL
    if table.damping[i] != 0.0 or table.viscosity[i] != 0.0 or fades(table, i):
        return GENERAL
    if has_mean_dilatation(law, table.params[table.param_start[i] : table.param_start[i + 1]]):
        return GENERAL
    return SOLID_IN_SPACE if d == 3 else PLANE_SOLID


@kernel(forceinline=True)
def most_rows(table, kind, d):
    """The largest numbers of rows and of gathered vectors, over all its points, of an element of one kind."""
    most_r, most_c = 1, 1
    for i in range(table.law.size):
        if kind_of(table, i, d) == kind:
            most_r = max(most_r, table.row_start[i + 1] - table.row_start[i])
            most_c = max(most_c, table.vectors[i] * (table.point_start[i + 1] - table.point_start[i]))
    return most_r, most_c


@kernel(forceinline=True)
def begin_instance(table, rows, i, how, x0, x1, x_old, x_dot, ends):
    """Nodes of instance i at x0, x1, x_old, and their rates; how it is taken: where, κ, κ̇, tangent, `keeps_rates_apart`.

    Quasi-static ones are taken at the end of the step. What depends on rates that are kept apart is not in K: κ̇ is 0 there.
    """
    where, kappa, kappa_dot, _, tangent = how
    first, members, pace = table.row_start[i], table.rows, rows.pace[0]
    at_end = table.at_end[i] and pace > 0.0
    for r in range(table.row_start[i + 1] - first):
        row = members[first + r]
        for a in range(x1.shape[1]):
            ends[0, r, a] = x0[row, a]
            ends[1, r, a] = x1[row, a]
            ends[2, r, a] = x_old[row, a]
            ends[3, r, a] = (x1[row, a] - x0[row, a]) * pace if at_end else x_dot[row, a]
    if table.at_end[i]:
        return (END, 1.0, pace if pace > 0.0 else kappa_dot, tangent, False)
    apart = keeps_rates_apart(table, rows, i, how)
    return (where, kappa, 0.0 if apart else kappa_dot, tangent, apart)


@kernel(forceinline=True)
def keeps_rates_apart(table, rows, i, how):
    """Is ∂f/∂ẋ of a viscous instance a matrix of its own? It is where rates of directors do not follow from κ̇."""
    _, _, _, rate_map, tangent = how
    if tangent and rate_map.shape[0] > 0 and is_viscous(table, i):
        for k in range(table.row_start[i], table.row_start[i + 1]):
            if rows.kind[table.rows[k]] == DIRECTOR:
                return True
    return False


@kernel(forceinline=True)
def finish_instance(table, rows, i, how, x_test, x1, f, K, q, q_scale, q_noise, A):
    """Force f and stiffness K of instance i to its rows and into the matrix; how: as it is for all."""
    d, kappa, tangent = x1.shape[1], how[1], how[4]
    at_end = table.at_end[i]
    if at_end and kappa != 1.0:
        first = table.row_start[i]
        nr = table.row_start[i + 1] - first
        for r in range(nr):
            share = share_of_row(rows, table.rows[first + r], at_end, kappa)
            for a in range(d):
                f[0, r, a] *= share
                f[1, r, a] *= share
                if tangent:
                    for s in range(nr * d):
                        K[r * d + a, s] *= share
    add_to_rows(table, i, f, q, q_scale, q_noise)
    if tangent:
        scatter_element(table, i, rows, x_test, x1, K, A)


@kernel(forceinline=True)
def finish_viscous(table, rows, i, how, apart, x_test, x1, f, K, D, q, q_scale, q_noise, A):
    """`finish_instance` where D = ∂f/∂ẋ may be kept apart."""
    if apart:
        scatter_rates(table, i, rows, x_test, how[2], how[3], D, K, A)
    finish_instance(table, rows, i, how, x_test, x1, f, K, q, q_scale, q_noise, A)


@kernel(forceinline=True)
def rate_array(how, array):
    """Room beside an array of a stiffness for the same of ∂f/∂ẋ, where directors have rates of their own."""
    return np.zeros_like(array) if how[3].shape[0] > 0 else array


@kernel(forceinline=True)
def element_arrays(most_r, d):
    """Nodes at x0, x1, x_old and their rates (4, r, d); forces, their scale, their noise (3, r, d); stiffness (r d, r d)."""
    return np.zeros((4, most_r, d)), np.zeros((3, most_r, d)), np.zeros((most_r * d, most_r * d))
