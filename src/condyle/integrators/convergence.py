"""When a residual is small enough, as a kernel.

It stands apart from `newton.py` because compiled code depends on every file that its file imports: here on none.
"""

import numpy as np

from condyle.laws.kernel import kernel

NOTHING = 1e-250  # forces of this size, in any unit, are remains of round-off without digits


@kernel
def judge(r, r_scale, r_noise, unit, inertia_scale, c, c_scale, exact, force_tolerance, length_tolerance, round_off):
    """Largest residual over tolerance (inf where something is not finite), and its unknown (n for a constraint)."""
    n = unit.size
    largest = np.zeros(3)
    for i in range(n):
        if not np.isfinite(r[i]):
            return np.inf, i
        largest[unit[i]] = max(largest[unit[i]], r_scale[i])
    value, worst = 0.0, 0
    for i in range(n):
        if abs(r[i]) > NOTHING:
            allowed = force_tolerance * largest[unit[i]] + round_off * (
                r_scale[i] + inertia_scale[i] + 2.0 * r_noise[i]
            )
            ratio = abs(r[i]) / allowed
            if ratio > value:
                value, worst = ratio, i
    for k in range(c.size):
        if exact[k] and c[k] != 0.0:
            if not np.isfinite(c[k]):
                return np.inf, n
            ratio = abs(c[k]) / (length_tolerance * c_scale[k])
            if ratio > value:
                value, worst = ratio, n
    return value, worst
