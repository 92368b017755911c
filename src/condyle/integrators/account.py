"""The account of energy as kernels: is a step balanced, is a run?

    missing = E1 − E0 − W

over a step, with the energies at its ends and the work W that loads, dampers, drives and supports do in it. Round-off is judged
against the level of the forces at hand (`force_level`), everything else against the largest energy so far, in which gravity
counts by its change: neither units nor the origin play a part.
"""

import numpy as np

from condyle.laws.kernel import kernel

# Columns of the table of scalars, as a run records them.
KINETIC, STORED, GRAVITY, TOTAL, WORK, ERROR, ITERATIONS = 0, 1, 2, 3, 4, 5, 6
LEVEL = 7  # all forces times distances [J], of which round-off makes its share; not kept in results
SCALARS = 8

# An account: total energy and work before the next step, the largest energy so far, gravity's energy and work at its start;
# what is missing in all steps so far, and the least that was; the highest level of forces [all J].
BEFORE, WORK_BEFORE, LARGEST, GRAVITY_THERE, WORK_THERE, MISSING, LEAST, HIGHEST = 0, 1, 2, 3, 4, 5, 6, 7
ACCOUNT = 8

# A conserving step whose energy is off by more, of the largest energy and of the level of forces, is no solution.
MISSED, MISSED_BY_ROUND_OFF = 1e-9, 1e-12


@kernel
def open_account(account, scalars):
    """Begin an account at the energies of a state."""
    account[:] = 0.0
    account[BEFORE], account[GRAVITY_THERE] = scalars[TOTAL], scalars[GRAVITY]
    account[WORK_BEFORE] = account[WORK_THERE] = scalars[WORK]
    account[LARGEST] = max(scalars[KINETIC], abs(scalars[STORED]))


@kernel
def missing_in(account, scalars):
    """What is missing [J] in a step that ends with these numbers."""
    return scalars[TOTAL] - account[BEFORE] - (scalars[WORK] - account[WORK_BEFORE])


@kernel
def go_on(account, scalars):
    """Take over the energies after a step; returns what is missing in it [J]."""
    missing = missing_in(account, scalars)
    largest = max(scalars[KINETIC], abs(scalars[STORED]), abs(scalars[GRAVITY] - account[GRAVITY_THERE]))
    account[LARGEST] = max(account[LARGEST], largest, abs(scalars[WORK] - account[WORK_THERE]))
    account[HIGHEST] = max(account[HIGHEST], scalars[LEVEL])
    account[BEFORE], account[WORK_BEFORE] = scalars[TOTAL], scalars[WORK]
    account[MISSING] += missing
    account[LEAST] = min(account[LEAST], account[MISSING])
    return missing


@kernel
def is_kept(account, scalars):
    """Is energy kept over a step that ends with these numbers? Then the account goes on with them."""
    after = np.zeros(account.size)
    for k in range(account.size):
        after[k] = account[k]
    missing = abs(go_on(after, scalars))
    if not missing <= MISSED * after[LARGEST] + MISSED_BY_ROUND_OFF * scalars[LEVEL]:
        return False
    for k in range(account.size):  # an assignment of arrays would have Numba compile its message for shapes that differ
        account[k] = after[k]
    return True


@kernel
def force_level(translation, unit, x, sizes):
    """All forces times the largest distance, and moments [J]; sizes: of what was added up in the residual."""
    far = 0.0
    for i in range(x.shape[0]):
        if translation[i] > 0.0:
            for a in range(x.shape[1]):
                far = max(far, abs(x[i, a]))
    level = 0.0
    for i in range(unit.size):
        level += sizes[i] * (far if unit[i] == 0 else 1.0)
    return level


def numbers(energy: dict[str, float], work: float, level: float) -> np.ndarray:
    """Energies of a state as a row of the table of scalars."""
    row = np.zeros(SCALARS)
    row[KINETIC], row[STORED], row[GRAVITY] = energy["kinetic"], energy["stored"], energy["gravity"]
    row[TOTAL], row[WORK], row[LEVEL] = energy["total"], work, level
    return row
