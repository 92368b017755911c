"""Is the account of energy of many steps in order, as a kernel. (Not in `account.py`, which compiled loops depend on.)"""

from condyle.integrators.account import LARGEST, LEAST, LEVEL, MISSED_BY_ROUND_OFF, MISSING, go_on
from condyle.laws.kernel import kernel

QUIET = 1e-6  # of the steady level of forces: energies below are taken as this large, for a run that hardly moves
GROWTH = 2.0  # by which the steady level grows in a step, at most

# What counts: any error of the balance; energy beyond the least so far; energy beyond that of the start, where contacts hold
# energy that the account does not know and give it back.
EXACT, GAINED, ABOVE_START = 0, 1, 2

# What the watch knows of the level of forces: a steady one, and the round-off of all steps so far [all J].
STEADY, ROUND_OFF = 0, 1
LEVELS = 2


@kernel
def first_failure(account, levels, scalars, counted, doubt, tolerance, counts):
    """The first of many steps, (steps, SCALARS), after which the balance is off by more than `tolerance`; −1 if none is.

    counted: steps whose work is known; what is missing in others is left out. doubt: how well it is known [J]. counts: EXACT,
    off in either direction; GAINED or ABOVE_START, energy from nowhere. Returns also by how much it is off there [J], and of
    what energy [J].

    levels: the steady level follows that of each step down at once and up by `GROWTH` at most: in a run that hardly moves,
    forces are steady, and one step with far larger ones, as in an impact, must excuse no gain for the rest of the run.
    """
    found, missing, largest = -1, 0.0, 0.0
    for s in range(scalars.shape[0]):
        least, level = account[LEAST], scalars[s, LEVEL]
        unknown = go_on(account, scalars[s])
        if not counted[s]:
            account[MISSING] -= unknown
            account[LEAST] = least
        levels[STEADY] = level if levels[STEADY] == 0.0 else min(level, GROWTH * levels[STEADY])
        levels[ROUND_OFF] += MISSED_BY_ROUND_OFF * level
        off = account[MISSING] - account[LEAST] if counts == GAINED else account[MISSING]
        if counts == ABOVE_START:
            off = max(off, 0.0)
        scale = max(account[LARGEST], QUIET * levels[STEADY])
        if found < 0 and not abs(off) <= tolerance * scale + levels[ROUND_OFF] + doubt[s]:
            found, missing, largest = s, off, scale
    return found, missing, largest
