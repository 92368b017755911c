# mypy: allow-untyped-defs, no-check-untyped-defs
"""Stored energies of geometrically exact beams (reissner-1972, simo-1985) in the Gram matrix: ψ = ½ (e − e0)·C (e − e0).

With the frame d1, d2, d3 of a section the strains are Γ_i = d_i·r' (stretch, shear) and the curvatures κ of d_i' = κ × d_i:

    κ1 = d3·d2' (twist), κ2 = d1·d3', κ3 = −d1·d2'

`section_strains` and `section_curvature` take the frame out of gradients r_y, r_z that may stretch and shear (AncfBeam), with
the derivatives of `sections.py`: the polar rotation D = [r_y r_z] U⁻¹, U² = A the Gram matrix of the two, so that neither of
the two axes is preferred. With R = aᵀb between the frames at the ends of an element, the axial vector k = sin φ n of R and
c = cos φ, the angle is L κ = f(c) k, f = φ/sin φ.
Elements between two rigid frames are in `rigid_frames.py`.
"""

import numpy as np
from numba import types

from condyle.laws.derivatives import clear_derivatives
from condyle.laws.kernel import kernel, separate
from condyle.laws.sections import (
    LANES,
    TERMS,
    add_angle_bends,
    add_bends_of_normal,
    add_section_bends,
    angles_alone,
    angles_between,
    section_strains_alone,
    section_strains_of,
    square_of_normal,
)

ENERGY, MODULI, VISCOUS_CHANGE = 0, 1, 2  # what is asked of the strains

_MATRIX, _MODULI = (types.Array(types.float64, n, "C") for n in (2, 4))
# Energy, moduli and change are asked of one function, which is compiled once: ny, G, p, what is asked, S, H.
ASKED = types.float64(
    types.int64, _MATRIX, types.Array(types.float64, 1, "C", readonly=True), types.int64, _MATRIX, _MODULI
)


@kernel
def spread_pairs(ny, terms, t, s, h, S, H):
    """S and H of a function of l_k = Σ coefficient · G_ij with the derivatives s by l and h by l, l.

    t = (k, i, j, coefficient) of each term; S and H are set to zero first.
    """
    clear_derivatives(ny, S, H)
    for q in range(terms):
        k, i, j, a = int(t[4 * q]), int(t[4 * q + 1]), int(t[4 * q + 2]), 0.5 * t[4 * q + 3]
        S[i, j] += a * s[k]
        S[j, i] += a * s[k]
        for r in range(terms):
            m, u, v = int(t[4 * r]), int(t[4 * r + 1]), int(t[4 * r + 2])
            value = a * 0.5 * t[4 * r + 3] * h[k, m]
            if value != 0.0:
                H[i, j, u, v] += value
                H[j, i, u, v] += value
                H[i, j, v, u] += value
                H[j, i, v, u] += value


@kernel
def gather_pairs(terms, t, G, sums):
    """l_k += Σ coefficient · G_ij into `sums`, terms as in `spread_pairs`."""
    for q in range(terms):
        i, j = int(t[4 * q + 1]), int(t[4 * q + 2])
        sums[int(t[4 * q])] += 0.5 * t[4 * q + 3] * (G[i, j] + G[j, i])


# --- frames out of gradients --------------------------------------------------------------------------------------------

# Entries of G that strains of a section (the first six, of r', r_y, r_z) and the turn between two sections (of r' and the
# vectors of both, y1, z1, y2, z2) depend on, in the order of `sections.py`.
_FIRST = np.array([0, 0, 0, 1, 1, 2, 0, 0, 3, 3, 4, 1, 1, 2, 2])
_SECOND = np.array([0, 1, 2, 1, 2, 2, 3, 4, 3, 4, 4, 3, 4, 3, 4])


@kernel
def section_pairs(count, planar, place, first, second):
    """Products of the vectors of one section (count = 6) or of two (15): place among the count, numbers of the vectors.

    In the plane z is a unit vector across it; only products without it are variables. Returns how many there are.
    """
    n = 0
    for k in range(count):
        i, j = _FIRST[k], _SECOND[k]
        if planar and ((i % 2 == 0 and i > 0) or (j % 2 == 0 and j > 0)):
            continue
        place[n] = k
        first[n], second[n] = ((i + 1) // 2, (j + 1) // 2) if planar else (i, j)
        n += 1
    return n


@kernel(forceinline=True)
def across(v):
    """Products of the unit vector across the plane with itself and with others; those in the plane come later."""
    for k in range(v.size):
        v[k] = 1.0 if k in (5, 10, 14) else 0.0


@kernel
def section_law(v, p, second, moving, s, h, noise):
    """ψ of `section_strains` by its six products v; s: slopes, h: bends, if they are asked for.

    noise: what s changes by at most if v changes by `moving`, of strains alone.
    """
    nu, C, e0 = p[0], p[1:37], p[37:43]
    e, slopes = np.empty(6), np.empty((6, 6))
    if C[7] == 0.0 and C[14] == 0.0 and C[21] == 0.0 and C[28] == 0.0 and C[35] == 0.0:
        return _stretch_law(v, C[0], e0[0], second, moving, s, h, noise)
    section_strains_of(v, nu, e, slopes)
    stress = np.empty(6)
    psi = strain_law(6, 6, e, slopes, C, e0, stress, second, moving, s, h, noise)
    if second:
        add_section_bends(v, nu, stress, slopes, h)
    return psi


@kernel
def _stretch_law(v, stiffness, rest, second, moving, s, h, noise):
    """`section_law` where only Γ1 has a stiffness."""
    gamma = np.sqrt(square_of_normal(v, s))
    force, change = stiffness * (gamma - rest), 0.0
    for i in range(6):
        change += abs(s[i]) * moving[i]
    if second:
        bend = 0.25 * (stiffness - force / gamma) / (gamma * gamma)
        for i in range(6):
            for j in range(6):
                h[i, j] = bend * s[i] * s[j]
        add_bends_of_normal(v, 0.5 * force / gamma, h)
    for i in range(6):
        noise[i] = 0.25 * stiffness / (gamma * gamma) * abs(s[i]) * change
        s[i] *= 0.5 * force / gamma
    return 0.5 * force * (gamma - rest)


@kernel
def strain_law(n, m, e, slopes, C, e0, stress, second, moving, s, h, noise):
    """ψ = ½ (e − e0)·C (e − e0) of m strains with these slopes by n products; h: without the bends of the strains."""
    psi = 0.0
    for i in range(n):
        s[i] = noise[i] = 0.0
    for k in range(m):
        value = shaken = 0.0
        for j in range(m):
            modulus = C[k * m + j]
            if modulus != 0.0:
                moved = 0.0
                for i in range(n):
                    moved += abs(slopes[j, i]) * moving[i]
                value += modulus * (e[j] - e0[j])
                shaken += abs(modulus) * moved
        stress[k] = value
        psi += 0.5 * value * (e[k] - e0[k])
        for i in range(n):
            s[i] += value * slopes[k, i]
            noise[i] += shaken * abs(slopes[k, i])
    if second:
        for i in range(n):
            for b in range(n):
                h[i, b] = 0.0
        for k in range(m):
            for j in range(m):
                modulus = C[k * m + j]
                if modulus != 0.0:
                    for i in range(n):
                        value = modulus * slopes[k, i]
                        for b in range(n):
                            h[i, b] += value * slopes[j, b]
    return psi


@kernel
def curvature_law(v, p, second, moving, s, h, noise):
    """ψ of `section_curvature` by its fifteen products v; the rest as in `section_law`."""
    value, slope = np.empty(TERMS), np.empty((TERMS, LANES))
    e, slopes, stress = np.empty(3), np.empty((3, LANES)), np.empty(3)
    ratio = angles_between(v, value, slope, e, slopes)
    psi = strain_law(15, 3, e, slopes, p[:9], p[9:12], stress, second, moving, s, h, noise)
    if second:
        add_angle_bends(v, ratio, value, slope, stress, h)
    return psi


@kernel(forceinline=True)
def energy_of_strains(m, e, C, e0):
    """ψ = ½ (e − e0)·C (e − e0)."""
    psi = 0.0
    for k in range(m):
        for j in range(m):
            psi += 0.5 * (e[k] - e0[k]) * C[k * m + j] * (e[j] - e0[j])
    return psi


@kernel
def section_energy(v, p):
    """ψ of `section_law` alone."""
    return energy_of_strains(6, section_strains_alone(v, p[0]), p[1:37], p[37:43])


@kernel
def curvature_energy(v, p):
    """ψ of `curvature_law` alone."""
    return energy_of_strains(3, angles_alone(v), p[:9], p[9:12])


@kernel
def _asked(ny, G, p, what, count, S, H):
    """The energy, the moduli or the change of the viscous stress of `section_strains` or `section_curvature`, by G."""
    place, first, second = np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros(count, np.int64)
    n = section_pairs(count, ny == (2 if count == 6 else 3), place, first, second)
    v, s, h, none = np.empty(count), np.zeros(count), np.zeros((count, count)), np.zeros(count)
    t = np.zeros(4 * n)
    across(v)
    for k in range(n):
        i, j = first[k], second[k]
        t[4 * k], t[4 * k + 1], t[4 * k + 2], t[4 * k + 3] = k, i, j, 1.0
        v[place[k]] = 0.5 * (G[i, j] + G[j, i])
    psi = 0.0
    if what == ENERGY and count == 6:
        psi = section_law(v, p, True, none, s, h, np.empty(count))
    elif what == ENERGY:
        psi = curvature_law(v, p, True, none, s, h, np.empty(count))
    else:
        rates = np.zeros(n)
        if what == VISCOUS_CHANGE:
            gather_pairs(n, t, S, rates)
        _viscous_form(n, count, place, v, p, what, rates, h)
    own, bends = np.empty(n), np.empty((n, n))
    for a in range(n):
        own[a] = s[place[a]]
        for b in range(n):
            bends[a, b] = h[place[a], place[b]]
    spread_pairs(ny, n, t, own, bends, S, H)
    return psi


@kernel
def _viscous_form(n, count, place, v, p, what, rates, h):
    """h = ∂eᵀ C ∂e; for VISCOUS_CHANGE h_ab = ∂s_a/∂b of the stress s = ∂eᵀ C ė at the rates of the products."""
    m = 6 if count == 6 else 3
    C = p[1:37] if count == 6 else p[:9]
    value, slope = np.empty(TERMS), np.empty((TERMS, LANES))
    e, slopes, ratio = np.empty(m), np.empty((m, LANES)), (0.0, 0.0, 0.0)
    if count == 6:
        section_strains_of(v, p[0], e, slopes)
    else:
        ratio = angles_between(v, value, slope, e, slopes)
    if what == MODULI:
        for a in range(count):
            for b in range(count):
                for k in range(m):
                    for j in range(m):
                        h[a, b] += C[k * m + j] * slopes[k, a] * slopes[j, b]
        return
    unit, bend = np.zeros(m), np.empty((count, count))
    change, going = np.zeros((m, count)), np.zeros(m)  # of the slopes by the rates, and rates of the strains
    for j in range(m):
        unit[:] = 0.0
        unit[j] = 1.0
        bend[:] = 0.0
        if count == 6:
            add_section_bends(v, p[0], unit, slopes, bend)
        else:
            add_angle_bends(v, ratio, value, slope, unit, bend)
        for c in range(n):
            going[j] += slopes[j, place[c]] * rates[c]
            for b in range(count):
                change[j, b] += bend[b, place[c]] * rates[c]
    for k in range(m):
        unit[k] = 0.0
        for j in range(m):
            unit[k] += C[k * m + j] * going[j]
    if count == 6:
        add_section_bends(v, p[0], unit, slopes, h)
    else:
        add_angle_bends(v, ratio, value, slope, unit, h)
    for a in range(count):
        for b in range(count):
            for k in range(m):
                for j in range(m):
                    h[a, b] += slopes[k, a] * C[k * m + j] * change[j, b]


@separate(ASKED)
def _section(ny, G, p, what, S, H):
    """`section_strains`, or its moduli, or the change of its viscous stress."""
    return _asked(ny, G, p, what, 6, S, H)


@kernel
def section_strains(ny, G, p, S, H):
    """Stored energy of the strains of a section, y = (r', r_y, r_z), in the plane (r', r_y).

    e = (Γ1, Γ2, Γ3, ½ r_y·r_y + ν Γ1, ½ r_z·r_z + ν Γ1, r_y·r_z), p = (ν, C (6, 6), e0 (6)).
    """
    return _section(ny, G, p, ENERGY, S, H)


@separate(ASKED)
def _curvature(ny, G, p, what, S, H):
    """`section_curvature`, or its moduli, or the change of its viscous stress."""
    return _asked(ny, G, p, what, 15, S, H)


@kernel
def section_curvature(ny, G, p, S, H):
    """Stored energy of the curvature between two sections, y = (r', y1, z1, y2, z2), in the plane (r', y1, y2).

    e = (κ1, κ2, κ3) L, the angle between the sections of an element. y, z: the vectors r_y, r_z of its first and last
    section; r' half-way tells on which side the axis is. p = (C (3, 3), e0 (3)).
    """
    return _curvature(ny, G, p, ENERGY, S, H)


# --- moduli H = ∂eᵀ C ∂e, of which follow the Kelvin–Voigt stress β H:Ġ and the stiffness of the strains alone ------------


@kernel
def section_moduli(ny, G, p, S, H):
    """Moduli of `section_strains`."""
    return _section(ny, G, p, MODULI, S, H)


@kernel
def curvature_moduli(ny, G, p, S, H):
    """Moduli of `section_curvature`."""
    return _curvature(ny, G, p, MODULI, S, H)


# --- change of the Kelvin–Voigt stress: H = ∂(∂eᵀ C ∂e : Ġ)/∂G at a given Ġ, which stands in S before -----------------------


@kernel
def section_viscous_change(ny, G, p, S, H):
    """Change of the viscous stress of `section_strains`."""
    return _section(ny, G, p, VISCOUS_CHANGE, S, H)


@kernel
def curvature_viscous_change(ny, G, p, S, H):
    """Change of the viscous stress of `section_curvature`."""
    return _curvature(ny, G, p, VISCOUS_CHANGE, S, H)
