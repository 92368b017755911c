"""The energy monitor: how much geometric stiffness a step takes, by how far its energy is from a target (Hewlett 2020, §3.3).

    x = (E − E_target) / width,   α = α_s f(|x|),   α_s = most if x > 0, least if x < 0

f: min(|x|, 1), tanh |x| or min(|x|, 1)⁴. Too much energy: geometric stiffness at the end of the step, which takes some out; too
little: at its start or before, which puts some in. The target follows the work that is done from outside.
"""

# Kernels are compiled for the types they are called with.
# mypy: disallow-untyped-defs=False

import numpy as np

from condyle.laws.kernel import kernel

OFF, LINEAR, TANH, QUARTIC = 0, 1, 2, 3
LAWS = {"none": OFF, "linear": LINEAR, "tanh": TANH, "quartic": QUARTIC}
TARGET, SHARE = 0, 1  # what is carried from step to step: the target [J], and α of the last step


@kernel
def monitored_share(law, excess, least, most):
    """α of a step whose energy is `excess` widths above its target."""
    bound = most if excess > 0.0 else least
    size = abs(excess)
    if law == LINEAR:
        return bound * min(size, 1.0)
    if law == TANH:
        if size > 20.0:
            return bound
        e = np.exp(-2.0 * size)
        return bound * (1.0 - e) / (1.0 + e)
    return bound * min(size, 1.0) ** 4


@kernel
def constraint_energy(values, live, compliance):
    """½ Σ c² / C [J] of constraints that give way; 0 where they do not."""
    if compliance <= 0.0:
        return 0.0
    total = 0.0
    for k in range(values.size):
        if live[k] > 0:
            total += values[k] ** 2
    return 0.5 * total / compliance
