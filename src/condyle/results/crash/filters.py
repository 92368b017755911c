"""Channel filters CFC 60, 180, 600 and 1000 (sae-2014)."""

from __future__ import annotations

import math
import warnings

import numpy as np
from numpy.typing import ArrayLike

from condyle.errors import InputError, InputWarning
from condyle.results.crash.curves import Array, curve, sampling

CLASSES = (60, 180, 600, 1000)
LEAST_PADDING = 0.01  # s that the curve is continued by at both ends


def cfc_coefficients(channel_class: float, step: float) -> tuple[Array, Array]:
    """Coefficients b and a of the two-pole filter of a channel class at samples every `step` [s], as SciPy orders them.

    ω_d = 2π · 2.0775 CFC, ω_a = tan(ω_d T / 2); run forwards and backwards the filter has four poles, no phase, and
    −3 dB at CFC / 0.6.
    """
    w = math.tan(math.pi * 2.0775 * channel_class * step)
    below = 1.0 + math.sqrt(2.0) * w + w * w
    a0 = w * w / below
    b1, b2 = -2.0 * (w * w - 1.0) / below, (-1.0 + math.sqrt(2.0) * w - w * w) / below
    return np.array([a0, 2.0 * a0, a0]), np.array([1.0, -b1, -b2])


def cfc_filter(times: ArrayLike, values: ArrayLike, channel_class: int = 180) -> Array:
    """Values filtered by a channel class, 60, 180, 600 or 1000; shape as given, (n,) or (n, d).

    times [s] must be evenly spaced (`resampled`), ten times as dense as the class. At both ends the curve is
    continued by its mirror
    image about its end point, so that a curve that starts at rest stays there.
    """
    from scipy.signal import lfilter, lfilter_zi

    t, v = curve(times, values, "cfc_filter")
    if channel_class not in CLASSES:
        raise InputError(
            f"cfc_filter: channel_class must be one of {', '.join(map(str, CLASSES))}, not {channel_class!r}"
        )
    step = sampling(t, "cfc_filter")
    if step * 2.0775 * channel_class >= 0.5:
        raise InputError(
            f"cfc_filter: CFC {channel_class} needs more than {4.155 * channel_class:.0f} samples a second"
        )
    if step * 10.0 * channel_class > 1.0 + 1e-6:
        warnings.warn(
            f"cfc_filter: {1.0 / step:.0f} samples a second are fewer than ten times CFC {channel_class}",
            InputWarning,
            stacklevel=2,
        )
    b, a = cfc_coefficients(channel_class, step)
    more = min(t.size - 1, max(math.ceil(LEAST_PADDING / step), math.ceil(1.0 / (channel_class * step))))
    longer = np.concatenate((2.0 * v[0] - v[more:0:-1], v, 2.0 * v[-1] - v[-2 : -more - 2 : -1]))
    rest = lfilter_zi(b, a).reshape(2, *(1,) * (v.ndim - 1))
    for _ in range(2):
        longer, _ = lfilter(b, a, longer, axis=0, zi=rest * longer[:1])
        longer = longer[::-1]
    return np.asarray(longer[more : more + t.size])
