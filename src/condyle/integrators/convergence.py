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
    first = second = third = 0.0  # largest scale of each unit
    for i in range(n):
        if not np.isfinite(r[i]):
            return np.inf, i
        if unit[i] == 0:
            first = max(first, r_scale[i])
        elif unit[i] == 1:
            second = max(second, r_scale[i])
        else:
            third = max(third, r_scale[i])
    value, worst = 0.0, 0
    for i in range(n):
        size = abs(r[i])
        if size > NOTHING:
            largest = first if unit[i] == 0 else second if unit[i] == 1 else third
            allowed = force_tolerance * largest + round_off * (r_scale[i] + inertia_scale[i] + 2.0 * r_noise[i])
            if size > value * allowed:
                value, worst = size / allowed, i
    for k in range(c.size):
        if exact[k] and c[k] != 0.0:
            if not np.isfinite(c[k]):
                return np.inf, n
            ratio = abs(c[k]) / (length_tolerance * c_scale[k])
            if ratio > value:
                value, worst = ratio, n
    return value, worst
