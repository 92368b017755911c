# mypy: disallow-untyped-defs=False, check-untyped-defs=False
"""The energy of the volume of nearly incompressible solids."""

import numpy as np

from condyle.laws.kernel import kernel


@kernel
def volume_law(bulk, J):
    """U = ¼ κ (J² − 1 − 2 ln J), U′ and U″; bulk modulus κ [Pa]."""
    return volume_energy(bulk, J, np.log(J))


@kernel(forceinline=True)
def volume_energy(bulk, J, log_J):
    """U(J) and its derivatives, where ln J is known."""
    return (
        0.25 * bulk * (J * J - 1.0 - 2.0 * log_J),
        0.5 * bulk * (J - 1.0 / J),
        0.5 * bulk * (1.0 + 1.0 / (J * J)),
    )
