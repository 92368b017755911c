# mypy: allow-untyped-defs, no-check-untyped-defs
"""Strains of an element of constant strain between two rigid frames a, b (sonneville-2014), and what they store.

With R = aᵀb, its axial vector k = sin φ n, c = cos φ and g_i = ½(a_i + b_i)·Δr/L,

    L κ = f(c) k,   Γ = f(c) g − h(c) (g·k) k,   f = φ/sin φ,   h = (f − 1)/sin² φ

where v = (g, k, c) are seven sums of products of the gathered vectors: no rotation parameter, exact for every constant strain,
whatever the element turns by. ψ = ½ (e − e0)·C (e − e0), e = (Γ, L κ), and its derivatives are taken by these sums.
"""

import numpy as np

from condyle.laws.frames import (
    ASKED,
    ENERGY,
    MODULI,
    VISCOUS_CHANGE,
    energy_of_strains,
    gather_pairs,
    spread_pairs,
    strain_law,
)
from condyle.laws.kernel import kernel, separate
from condyle.laws.sections import turn_factors

SUMS, STRAINS = 7, 6
# Parameters p: constant part of c, number of terms, C (6, 6), e0 (6), terms (number of the sum, i, j, coefficient).
CONSTANT, COUNT, STIFFNESS, REST, TERMS = 0, 1, 2, 38, 44


@kernel
def strains_of_frames(v, e, slopes):
    """e (6) = (Γ, L κ) and their slopes (6, 7) by v; returns f, f', f'', h, h', h'' by c, and g·k."""
    f, f1, f2, h, h1, h2 = turn_factors(v[6])
    along = v[0] * v[3] + v[1] * v[4] + v[2] * v[5]
    for i in range(3):
        g, k = v[i], v[3 + i]
        e[i], e[3 + i] = f * g - h * along * k, f * k
        for j in range(3):
            slopes[i, j], slopes[i, 3 + j] = -h * k * v[3 + j], -h * k * v[j]
            slopes[3 + i, j] = slopes[3 + i, 3 + j] = 0.0
        slopes[i, i] += f
        slopes[i, 3 + i] -= h * along
        slopes[3 + i, 3 + i] = f
        slopes[i, 6], slopes[3 + i, 6] = f1 * g - h1 * along * k, f1 * k
    return f, f1, f2, h, h1, h2, along


@kernel
def add_bends_of_frames(v, factors, w, out):
    """out (7, 7) += Σ_q w_q ∂²e_q; factors: what `strains_of_frames` returned."""
    _, f1, f2, h, h1, h2, along = factors
    on_k = w[0] * v[3] + w[1] * v[4] + w[2] * v[5]
    on_g = w[0] * v[0] + w[1] * v[1] + w[2] * v[2]
    turned = w[3] * v[3] + w[4] * v[4] + w[5] * v[5]
    for i in range(3):
        by_g = f1 * w[i] - h1 * on_k * v[3 + i]
        by_k = f1 * w[3 + i] - h1 * (on_k * v[i] + along * w[i])
        out[i, 6] += by_g
        out[6, i] += by_g
        out[3 + i, 6] += by_k
        out[6, 3 + i] += by_k
        for j in range(3):
            mixed = -h * (v[3 + i] * w[j] + (on_k if i == j else 0.0))
            out[i, 3 + j] += mixed
            out[3 + j, i] += mixed
            out[3 + i, 3 + j] -= h * (v[i] * w[j] + v[j] * w[i])
    out[6, 6] += f2 * (on_g + turned) - h2 * along * on_k


@kernel
def frame_law(v, p, second, moving, s, h, noise):
    """ψ by its seven sums v; s: slopes, h: bends, if they are asked for.

    noise: what s changes by at most if v changes by `moving`, of strains alone.
    """
    e, slopes, stress = np.empty(STRAINS), np.empty((STRAINS, SUMS)), np.empty(STRAINS)
    factors = strains_of_frames(v, e, slopes)
    psi = strain_law(SUMS, STRAINS, e, slopes, p[STIFFNESS:REST], p[REST:TERMS], stress, second, moving, s, h, noise)
    if second:
        add_bends_of_frames(v, factors, stress, h)
    return psi


@kernel
def frame_energy(v, p):
    """ψ of `frame_law` alone."""
    f, _, _, h, _, _ = turn_factors(v[6])
    along = h * (v[0] * v[3] + v[1] * v[4] + v[2] * v[5])
    e = (
        f * v[0] - along * v[3], f * v[1] - along * v[4], f * v[2] - along * v[5], f * v[3], f * v[4], f * v[5],
    )  # fmt: skip
    return energy_of_strains(STRAINS, e, p[STIFFNESS:REST], p[REST:TERMS])


@kernel
def add_frame_moduli(v, p, factor, h):
    """h (7, 7) += factor ∂eᵀ C ∂e."""
    e, slopes, C = np.empty(STRAINS), np.empty((STRAINS, SUMS)), p[STIFFNESS:REST]
    strains_of_frames(v, e, slopes)
    _add_form(C, factor, slopes, slopes, h)


@kernel
def _add_form(C, factor, left, right, h):
    """h += factor leftᵀ C right of slopes (6, 7)."""
    for k in range(STRAINS):
        for j in range(STRAINS):
            modulus = factor * C[k * STRAINS + j]
            if modulus != 0.0:
                for a in range(SUMS):
                    for b in range(SUMS):
                        h[a, b] += modulus * left[k, a] * right[j, b]


@kernel
def add_frame_viscous_change(v, p, rates, factor, h):
    """h += factor ∂s/∂v of the stress s = ∂eᵀ C ė at given rates of v (7)."""
    e, slopes, change = np.empty(STRAINS), np.empty((STRAINS, SUMS)), np.empty((STRAINS, SUMS))
    stress, unit, bend, C = np.zeros(STRAINS), np.zeros(STRAINS), np.empty((SUMS, SUMS)), p[STIFFNESS:REST]
    factors = strains_of_frames(v, e, slopes)
    for j in range(STRAINS):
        unit[:] = 0.0
        unit[j] = 1.0
        bend[:] = 0.0
        add_bends_of_frames(v, factors, unit, bend)
        going = 0.0
        for b in range(SUMS):
            going += slopes[j, b] * rates[b]
            change[j, b] = 0.0
            for c in range(SUMS):
                change[j, b] += bend[b, c] * rates[c]
        for k in range(STRAINS):
            stress[k] += factor * C[k * STRAINS + j] * going
    add_bends_of_frames(v, factors, stress, h)
    _add_form(C, factor, slopes, change, h)


# --- as laws of the Gram matrix ---------------------------------------------------------------------------------------------


@kernel
def _sums(G, p):
    """v of a Gram matrix."""
    v = np.zeros(SUMS)
    v[6] = p[CONSTANT]
    gather_pairs(int(p[COUNT]), p[TERMS:], G, v)
    return v


@separate(ASKED)
def _of_frames(ny, G, p, what, S, H):
    """`frame_strains`, or its moduli, or the change of its viscous stress."""
    v, s, h = _sums(G, p), np.zeros(SUMS), np.zeros((SUMS, SUMS))
    psi = 0.0
    if what == ENERGY:
        psi = frame_law(v, p, True, np.zeros(SUMS), s, h, np.empty(SUMS))
    elif what == MODULI:
        add_frame_moduli(v, p, 1.0, h)
    else:
        rates = np.zeros(SUMS)
        gather_pairs(int(p[COUNT]), p[TERMS:], S, rates)
        add_frame_viscous_change(v, p, rates, 1.0, h)
    spread_pairs(ny, int(p[COUNT]), p[TERMS:], s, h, S, H)
    return psi


@kernel
def frame_strains(ny, G, p, S, H):
    """Stored energy of e = (Γ1, Γ2, Γ3, L κ1, L κ2, L κ3) between two rigid frames.

    p = (constant part of c, number of terms, C (6, 6), e0 (6), terms (number of g, k or c, i, j, coefficient)).
    """
    return _of_frames(ny, G, p, ENERGY, S, H)


@kernel
def frame_constraint(ny, G, p, S, H):
    """c = e_q − e0_q of the strains of `frame_strains`, q = p[0]; then as there: a beam that does not stretch, or not shear."""
    e, slopes = np.empty(STRAINS), np.empty((STRAINS, SUMS))
    unit, h, q, own = np.zeros(STRAINS), np.zeros((SUMS, SUMS)), int(p[0]), p[1:]
    v = _sums(G, own)
    factors = strains_of_frames(v, e, slopes)
    unit[q] = 1.0
    add_bends_of_frames(v, factors, unit, h)
    spread_pairs(ny, int(own[COUNT]), own[TERMS:], slopes[q], h, S, H)
    return e[q] - own[REST + q]


@kernel
def frame_moduli(ny, G, p, S, H):
    """Moduli of `frame_strains`, of which follow the Kelvin–Voigt stress β H:Ġ and the stiffness of the strains alone."""
    return _of_frames(ny, G, p, MODULI, S, H)


@kernel
def frame_viscous_change(ny, G, p, S, H):
    """Change of the viscous stress of `frame_strains`: H = ∂(∂eᵀ C ∂e : Ġ)/∂G at a given Ġ, which stands in S before."""
    return _of_frames(ny, G, p, VISCOUS_CHANGE, S, H)
