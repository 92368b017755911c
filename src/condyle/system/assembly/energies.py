"""Stored energies: their forces and stiffness, and the energy itself. Each kind of element has a kernel of its own."""

import numpy as np

from condyle.laws.gram import gram_law
from condyle.laws.kernel import kernel, separate
from condyle.laws.solids import has_mean_dilatation
from condyle.system.assembly.dilatation import volume_energy
from condyle.system.assembly.elements import (
    FRAME,
    GENERAL,
    PLANE_SOLID,
    SECTION,
    SLENDER,
    SPRING,
    is_frame,
    is_section,
    is_slender,
    kind_of,
)
from condyle.system.assembly.frames import add_frames, frame_energies
from condyle.system.assembly.general import add_general
from condyle.system.assembly.places import gather, gram, most_vectors
from condyle.system.assembly.planes import add_planes
from condyle.system.assembly.sections import add_sections, section_energies
from condyle.system.assembly.slender import add_slender, slender_energies
from condyle.system.assembly.solids import add_solids
from condyle.system.assembly.springs import add_springs
from condyle.system.signatures import LAWS, MAPS, ROWS, count, f1, f2, flag, number


@kernel
def add_energies(
    table, rows, x0, x1, x_test, x_old, x_dot, where, kappa, kappa_dot, rate_map, tangent, q, q_scale, q_noise, A
):
    """q += ∂ψ/∂x for all stored energies; A += its derivative (4 yᵀ H y + 2 κ S, both through the weights).

    The geometric part uses the stress S* = S_old + H_old:δG extrapolated linearly from the previous iterate `x_old`, as if
    stress were an unknown of its own (mixed integration points, Magisano, Leonetti and Garcea 2017): slender bodies
    then converge in a few iterations where the stress of the iterate itself would be far off.

    q_noise times machine precision is the round-off of the force of a stiff, hardly strained element, which may be far above
    that of the force itself: what the rounding of positions does to the gathered vectors, and they to the stress.

    Viscosity adds S_v = β H:Ġ (stiffness-proportional, `LawTable.damping`) or ½ η Ċ (`LawTable.viscosity`): both follow the
    body and do no work in rigid motion. A law with fading memory adds the stress of its past (`add_past`). Rates change by
    κ̇ = ∂ẋ/∂x1 [1/s], those of directors by `rate_map` where given.

    Quasi-static bodies are taken at x1, with rates (x1 − x0)/h; other rows that they act on get the share κ.
    """
    _add_energies(
        table, rows, x0, x1, x_test, x_old, x_dot, where, kappa, kappa_dot, rate_map, tangent, q, q_scale, q_noise, A
    )


@separate(count(LAWS, ROWS, f2, f2, f2, f2, f2, count, number, number, MAPS, flag, f2, f2, f2, f1))
def _add_energies(
    table, rows, x0, x1, x_test, x_old, x_dot, where, kappa, kappa_dot, rate_map, tangent, q, q_scale, q_noise, A
):
    """Call the kernels of those kinds of elements that there are, once each: handing over tables takes as long as a cable."""
    d = x1.shape[1]
    how = (where, kappa, kappa_dot, rate_map, tangent)
    general = slender = sections = frames = planes = solids = springs = False
    for i in range(table.law.size):
        kind = kind_of(table, i, d)
        if kind == SLENDER:
            slender = True
        elif kind == SECTION:
            sections = True
        elif kind == FRAME:
            frames = True
        elif kind == GENERAL:
            general = True
        elif kind == SPRING:
            springs = True
        elif kind == PLANE_SOLID:
            planes = True
        else:
            solids = True
    if slender:
        add_slender(table, rows, x0, x1, x_test, x_old, x_dot, how, q, q_scale, q_noise, A)
    if sections:
        add_sections(table, rows, x0, x1, x_test, x_old, x_dot, how, q, q_scale, q_noise, A)
    if frames:
        add_frames(table, rows, x0, x1, x_test, x_old, x_dot, how, q, q_scale, q_noise, A)
    if springs:
        add_springs(table, rows, x0, x1, x_test, x_old, x_dot, how, q, q_scale, q_noise, A)
    if general:
        add_general(table, rows, x0, x1, x_test, x_old, x_dot, how, q, q_scale, q_noise, A)
    if planes:
        add_planes(table, rows, x0, x1, x_test, x_old, x_dot, how, q, q_scale, q_noise, A)
    if solids:
        add_solids(table, rows, x0, x1, x_test, x_old, x_dot, how, q, q_scale, q_noise, A)
    return 0


@kernel
def stored_energy(table, x):
    """Σ ψ of all stored energies [J] at x."""
    return _stored_energy(table, x) if table.law.size else 0.0


@separate(number(LAWS, f2))
def _stored_energy(table, x):
    total = 0.0
    d = x.shape[1]
    most = most_vectors(table)
    y, G = np.zeros((most, d)), np.zeros((most, most))
    S, H = np.zeros((most, most)), np.zeros((most, most, most, most))
    slender = sections = frames = False
    for i in range(table.law.size):
        law = table.law[i]
        slender, sections, frames = slender or is_slender(law), sections or is_section(law), frames or is_frame(law)
        if is_slender(law) or is_section(law) or is_frame(law):
            continue
        p = table.params[table.param_start[i] : table.param_start[i + 1]]
        for point in range(table.point_start[i], table.point_start[i + 1]):
            gather(table, i, point, x, y)
            gram(table.vectors[i], d, y, G)
            total += table.measure[point] * gram_law(law, table.vectors[i], G, p, S, H)
        if has_mean_dilatation(law, p):
            total += volume_energy(table, i, x, y, G, S, H)
    if slender:
        total += slender_energies(table, x)
    if sections:
        total += section_energies(table, x)
    if frames:
        total += frame_energies(table, x)
    return total
