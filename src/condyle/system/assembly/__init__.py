"""Residual and tangent of the whole system: gather, evaluate the laws, scatter through the tangent maps.

Forces are first summed into the row residual q (n, d); `project` turns q into the residual of the unknowns. The scale
arrays collect the absolute values of what was added, so that convergence can be judged against the forces at hand and
against round-off.

places.py       gather y = W x, Gram matrices
maps.py         from rows to unknowns: scatter, project, move
inertia.py, energies.py, forces.py, constraints.py, rates.py   what each family of laws adds
elements.py     what elements have in common; slender.py, planes.py, solids.py, springs.py, general.py have those of
                one kind each
losses.py       what viscosity takes out of a step
weighing.py     a law's stiffness through its weights
whole.py, threads.py   all of them together, in compiled code and in two threads
"""

from __future__ import annotations

from condyle.system.assembly.constraints import add_constraints, constraint_values
from condyle.system.assembly.energies import add_energies, stored_energy
from condyle.system.assembly.forces import add_forces
from condyle.system.assembly.inelastic import elastic_stress
from condyle.system.assembly.inertia import add_inertia, momenta
from condyle.system.assembly.links import add_links
from condyle.system.assembly.losses import viscous_work
from condyle.system.assembly.maps import (
    add_curvature,
    first_step,
    move,
    move_step,
    normalise_directors,
    project,
    turns_between,
)
from condyle.system.assembly.places import find_states, find_turns, set_pace
from condyle.system.assembly.rates import rate_derivatives
from condyle.system.assembly.threads import assemble
from condyle.system.assembly.whole import NO_MAP, assemble_compiled
from condyle.system.tables import CONSERVING, END, MIDPOINT

__all__ = [
    "CONSERVING", "END", "MIDPOINT", "NO_MAP", "add_constraints", "add_curvature", "add_energies", "add_forces", "add_inertia",
    "add_links", "assemble", "assemble_compiled", "constraint_values", "elastic_stress", "find_states", "find_turns",
    "first_step", "momenta", "move", "move_step", "normalise_directors", "project", "rate_derivatives", "set_pace",
    "stored_energy", "turns_between", "viscous_work",
]  # fmt: skip
