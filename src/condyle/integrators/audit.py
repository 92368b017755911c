"""Is the account of energy of many steps in order, as a kernel. (Not in `account.py`, which compiled loops depend on.)"""

from condyle.integrators.account import HIGHEST, LARGEST, LEAST, MISSING, go_on
from condyle.laws.kernel import kernel

QUIET = 1e-6  # of the level of forces: energies below are taken as this large, for a run that hardly moves


@kernel
def first_failure(account, scalars, counted, doubt, tolerance, exact):
    """The first of many steps, (steps, SCALARS), after which the balance is off by more than `tolerance`; −1 if none is.

    counted: steps whose work is known; what is missing in others is left out. doubt: how well it is known [J]. exact: off in
    either direction; otherwise only what is there beyond the least so far counts: energy from nowhere. Returns also by how much
    it is off there [J], and of what energy [J].
    """
    found, missing, largest = -1, 0.0, 0.0
    for s in range(scalars.shape[0]):
        least = account[LEAST]
        unknown = go_on(account, scalars[s])
        if not counted[s]:
            account[MISSING] -= unknown
            account[LEAST] = least
        off = account[MISSING] if exact else account[MISSING] - account[LEAST]
        scale = max(account[LARGEST], QUIET * account[HIGHEST])
        if found < 0 and not abs(off) <= tolerance * scale + doubt[s]:
            found, missing, largest = s, off, scale
    return found, missing, largest
