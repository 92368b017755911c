"""Laws of beams in the products of the vectors that they gather, or in sums of products, and their discrete gradients."""

import numpy as np

from condyle.laws.codes import FRAME_STRAINS, SECTION_STRAINS
from condyle.laws.frames import curvature_energy, curvature_law, section_energy, section_law
from condyle.laws.kernel import kernel
from condyle.laws.rigid_frames import frame_energy, frame_law

_GAUSS = np.array([0.5 - 0.5 / np.sqrt(3.0), 0.5 + 0.5 / np.sqrt(3.0)])
MOST = 15  # variables


@kernel
def law_of(law, v, p, second, moving, s, h, noise):
    """ψ by the variables v; s: slopes, h: bends, if they are asked for; noise: what s changes by if v changes by `moving`."""
    if law == SECTION_STRAINS:
        return section_law(v, p, second, moving, s, h, noise)
    if law == FRAME_STRAINS:
        return frame_law(v, p, second, moving, s, h, noise)
    return curvature_law(v, p, second, moving, s, h, noise)


@kernel
def energy_of(law, v, p):
    """ψ of `law_of` alone."""
    if law == SECTION_STRAINS:
        return section_energy(v, p)
    return frame_energy(v, p) if law == FRAME_STRAINS else curvature_energy(v, p)


@kernel
def discrete_gradient(law, n, pairs, p, tangent, v0, v1, moving, s, h, noise, v, s_work, h_work):
    """The discrete gradient of `laws.gram.discrete_gradient` in the products, in which Δ:Δ has those of two vectors twice."""
    place, one, two = pairs[0], pairs[1], pairs[2]
    shaken = np.empty(MOST)
    for k in range(MOST):
        s[k] = noise[k] = 0.0
        v[k] = v1[k]
        if tangent:
            for m in range(MOST):
                h[k, m] = 0.0
    for g in range(2):
        t = _GAUSS[g]
        for k in range(n):
            v[place[k]] = v0[place[k]] + t * (v1[place[k]] - v0[place[k]])
        law_of(law, v, p, tangent, moving, s_work, h_work, shaken)
        for k in range(n):
            a = place[k]
            s[a] += 0.5 * s_work[a]
            noise[a] += 0.5 * t * shaken[a]
            if tangent:
                for m in range(n):
                    h[a, place[m]] += 0.5 * t * h_work[a, place[m]]
    square = size = along = 0.0
    for k in range(n):
        a, twice = place[k], 1.0 if one[k] == two[k] else 2.0
        delta = v1[a] - v0[a]
        square, size, along = square + twice * delta * delta, size + twice * v1[a] * v1[a], along + s[a] * delta
    if square <= 4e-7 * size:
        return
    defect = -energy_of(law, v0, p) - along
    if not tangent:  # slopes at the end are asked for by the tangent alone
        defect += energy_of(law, v1, p)
    else:
        defect += law_of(law, v1, p, False, moving, s_work, h_work, shaken)
        for k in range(n):
            a, twice = place[k], 1.0 if one[k] == two[k] else 2.0
            value = s_work[a] - s[a] - 2.0 * defect * twice * (v1[a] - v0[a]) / square
            for m in range(n):
                value -= (v1[place[m]] - v0[place[m]]) * h[place[m], a]
            v[a] = value
        for k in range(n):
            a, twice = place[k], 1.0 if one[k] == two[k] else 2.0
            for m in range(n):
                h[a, place[m]] += twice * (v1[a] - v0[a]) / square * v[place[m]]
            h[a, a] += twice * defect / square
    for k in range(n):
        a, twice = place[k], 1.0 if one[k] == two[k] else 2.0
        s[a] += defect * twice * (v1[a] - v0[a]) / square
