# mypy: allow-untyped-defs, no-check-untyped-defs
"""Stored energies of geometrically exact beams (reissner-1972, simo-1985) in the Gram matrix: ψ = ½ (e − e0)·C (e − e0).

With the frame d1, d2, d3 of a section the strains are Γ_i = d_i·r' (stretch, shear) and the curvatures κ of d_i' = κ × d_i:

    κ1 = d3·d2' (twist), κ2 = d1·d3', κ3 = −d1·d2'

`section_strains` and `section_curvature` take the frame out of gradients r_y, r_z that may stretch and shear (AncfBeam): the
polar rotation D = [r_y r_z] U⁻¹, U² = A the Gram matrix of the two, so that neither of the two axes is preferred. With
R = aᵀb between the frames at the ends of an element, the axial vector k = sin φ n of R and c = cos φ, the angle is
L κ = f(c) k, f = φ/sin φ.
`frame_strains` takes two rigid frames a, b, the ends of an element of constant strain (sonneville-2014): with
g_i = ½(a_i + b_i)·Δr/L,

    L κ = f(c) k,   Γ = f(c) g − h(c) (g·k) k,   h = (f − 1)/sin² φ

where g, k and c are linear in G: no rotation parameter, exact for every constant strain, whatever the element turns by.
Derivatives are carried along as jets by the entries (or sums of entries) of G that the strains depend on.
"""

import numpy as np
from numba import types

from condyle.laws.derivatives import clear_derivatives
from condyle.laws.kernel import kernel, separate
from condyle.laws.paths import jet_function, jet_of, jet_product, jet_root

ENERGY, MODULI, VISCOUS_CHANGE = 0, 1, 2  # what is asked of the strains

_MATRIX, _MODULI = (types.Array(types.float64, n, "C") for n in (2, 4))
# Energy, moduli and change are asked of one function, which is compiled once: ny, G, p, what is asked, S, H.
_ASKED = types.float64(
    types.int64, _MATRIX, types.Array(types.float64, 1, "C", readonly=True), types.int64, _MATRIX, _MODULI
)

# Terms of the series of f and h, which are used where the last is below round-off.
_TERMS = 24


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


@kernel
def _form_of_strains(n, m, e, C, e0, what, s, h):
    """ψ = ½ (e − e0)·C (e − e0) of m jets e by n variables; s and h are its derivatives, or h = ∂eᵀ C ∂e for MODULI.

    For VISCOUS_CHANGE s are rates of the variables, and h_ab = ∂s_a/∂b of the stress s = ∂eᵀ C ė at these rates.
    """
    if what == VISCOUS_CHANGE:
        for k in range(m):
            stress = 0.0
            for j in range(m):
                for c in range(n):
                    stress += C[k * m + j] * e[j, 0, c + 1] * s[c]
            for b in range(n):
                change = 0.0
                for j in range(m):
                    for c in range(n):
                        change += C[k * m + j] * e[j, b + 1, c + 1] * s[c]
                for a in range(n):
                    h[a, b] += stress * e[k, a + 1, b + 1] + e[k, 0, a + 1] * change
        return 0.0
    psi = 0.0
    for k in range(m):
        stress = 0.0
        for j in range(m):
            stress += C[k * m + j] * (e[j, 0, 0] - e0[j])
        psi += 0.5 * stress * (e[k, 0, 0] - e0[k])
        for a in range(n):
            s[a] += stress * e[k, 0, a + 1]
            for b in range(n):
                if what == ENERGY:
                    h[a, b] += stress * e[k, a + 1, b + 1]
                for j in range(m):
                    h[a, b] += C[k * m + j] * e[k, 0, a + 1] * e[j, 0, b + 1]
    return psi


@kernel
def _turn_factors(c):
    """f = φ/sin φ and h = (f − 1)/sin² φ of c = cos φ, with first and second derivatives by c.

    (1 − c²) f' = c f − 1; with x = 1 − c, f = Σ a_q xᵠ, a_q = a_{q−1} q/(2q + 1); h = u/(2 − x), u = (f − 1)/x.
    """
    x = 1.0 - c
    f = f1 = f2 = u = u1 = u2 = 0.0
    if abs(x) < 0.3:
        a = np.ones(_TERMS + 1)
        for q in range(1, _TERMS + 1):
            a[q] = a[q - 1] * q / (2.0 * q + 1.0)
        for q in range(_TERMS, -1, -1):
            f2 = f2 * x + 2.0 * f1
            f1 = f1 * x + f
            f = f * x + a[q]
        for q in range(_TERMS, 0, -1):
            u2 = u2 * x + 2.0 * u1
            u1 = u1 * x + u
            u = u * x + a[q]
    else:
        square = 1.0 - c * c
        f = np.arccos(c) / np.sqrt(square) if c < 1.0 else np.arccosh(c) / np.sqrt(-square)
        f1 = -(c * f - 1.0) / square  # by x
        f2 = (f - 3.0 * c * f1) / square
        u = (f - 1.0) / x
        u1 = (f1 - u) / x
        u2 = (f2 - 2.0 * u1) / x
    h = u / (2.0 - x)
    h1 = (u1 + h) / (2.0 - x)
    h2 = (u2 + 2.0 * h1) / (2.0 - x)
    return f, -f1, f2, h, -h1, h2


# --- frames out of gradients --------------------------------------------------------------------------------------------

# Entries of G that strains of a section (the first six, of r', r_y, r_z) and the turn between two sections (of r' and the
# vectors of both, y1, z1, y2, z2) depend on.
_FIRST = np.array([0, 0, 0, 1, 1, 2, 0, 0, 3, 3, 4, 1, 1, 2, 2])
_SECOND = np.array([0, 1, 2, 1, 2, 2, 3, 4, 3, 4, 4, 3, 4, 3, 4])


@kernel
def _variables(ny, G, count, t):
    """Jets of the entries above, and their number n; t: terms. In the plane (ny = 2 or 3) z is a unit vector across it."""
    planar = ny == (2 if count == 6 else 3)
    own = np.full(count, -1)
    n = 0
    for k in range(count):
        i, j = _FIRST[k], _SECOND[k]
        if planar and ((i % 2 == 0 and i > 0) or (j % 2 == 0 and j > 0)):
            continue
        if planar:  # r', y1, y2
            i, j = (i + 1) // 2, (j + 1) // 2
        own[k] = n
        t[4 * n], t[4 * n + 1], t[4 * n + 2], t[4 * n + 3] = n, i, j, 1.0
        n += 1
    jets = np.zeros((count, n + 1, n + 1))
    for k in range(count):
        if own[k] < 0:
            jets[k, 0, 0] = 1.0 if k in (5, 10, 14) else 0.0
        else:
            i, j = int(t[4 * own[k] + 1]), int(t[4 * own[k] + 2])
            jets[k] = jet_of(n, own[k], 0.5 * (G[i, j] + G[j, i]))
    return jets, n


@kernel
def _inverse(n, a):
    """1/a."""
    x = a[0, 0]
    return jet_function(n, a, 1.0 / x, -1.0 / (x * x), 2.0 / (x * x * x))


@kernel
def _polar(n, A, inverse, root):
    """A⁻¹ and U⁻¹ of A = U², all as (11, 12, 22); U⁻¹ = (adj A + δ 1)/(τ δ), δ² = det A, τ² = tr A + 2 δ."""
    det = jet_product(n, A[0], A[2]) - jet_product(n, A[1], A[1])
    over = _inverse(n, det)
    inverse[0] = jet_product(n, A[2], over)
    inverse[1] = -jet_product(n, A[1], over)
    inverse[2] = jet_product(n, A[0], over)
    delta = jet_root(n, det)
    scale = _inverse(n, jet_product(n, jet_root(n, A[0] + A[2] + 2.0 * delta), delta))
    root[0] = jet_product(n, A[2] + delta, scale)
    root[1] = -jet_product(n, A[1], scale)
    root[2] = jet_product(n, A[0] + delta, scale)


@kernel
def _times(n, M, a, b, out):
    """out = M (a, b) of a symmetric 2×2 matrix (11, 12, 22)."""
    out[0] = jet_product(n, M[0], a) + jet_product(n, M[1], b)
    out[1] = jet_product(n, M[1], a) + jet_product(n, M[2], b)


@separate(_ASKED)
def _section(ny, G, p, what, S, H):
    """`section_strains`, or its moduli, or the change of its viscous stress."""
    t = np.zeros(24)
    v, n = _variables(ny, G, 6, t)
    inverse, root, e = np.zeros((3, n + 1, n + 1)), np.zeros((3, n + 1, n + 1)), np.zeros((6, n + 1, n + 1))
    _polar(n, v[3:6], inverse, root)
    dual = np.zeros((2, n + 1, n + 1))
    _times(n, inverse, v[1], v[2], dual)
    e[0] = jet_root(n, v[0] - jet_product(n, v[1], dual[0]) - jet_product(n, v[2], dual[1]))  # Γ1 = d1·r'
    _times(n, root, v[1], v[2], e[1:3])
    e[3] = 0.5 * v[3] + p[0] * e[0]
    e[4] = 0.5 * v[5] + p[0] * e[0]
    e[5] = v[4]
    s, h = np.zeros(n), np.zeros((n, n))
    if what == VISCOUS_CHANGE:
        gather_pairs(n, t, S, s)
    psi = _form_of_strains(n, 6, e, p[1:37], p[37:43], what, s, h)
    spread_pairs(ny, n, t, s, h, S, H)
    return psi


@kernel
def section_strains(ny, G, p, S, H):
    """Stored energy of the strains of a section, y = (r', r_y, r_z), in the plane (r', r_y).

    e = (Γ1, Γ2, Γ3, ½ r_y·r_y + ν Γ1, ½ r_z·r_z + ν Γ1, r_y·r_z), p = (ν, C (6, 6), e0 (6)).
    """
    return _section(ny, G, p, ENERGY, S, H)


@kernel
def _turn(n, v, R):
    """Jets R (3, 3) of the rotation between the polar frames of two sections; R_11 is the cofactor of the rest."""
    inverse, root = np.zeros((2, 3, n + 1, n + 1)), np.zeros((2, 3, n + 1, n + 1))
    dual, normal, half = np.zeros((2, 2, n + 1, n + 1)), np.zeros((2, n + 1, n + 1)), np.zeros((2, 2, n + 1, n + 1))
    X = v[11:15]  # (y1, z1) · (y2, z2)
    for s in range(2):
        g, A = v[1:3] if s == 0 else v[6:8], v[3:6] if s == 0 else v[8:11]
        _polar(n, A, inverse[s], root[s])
        _times(n, inverse[s], g[0], g[1], dual[s])
        along = v[0] - jet_product(n, g[0], dual[s, 0]) - jet_product(n, g[1], dual[s, 1])
        normal[s] = _inverse(n, jet_root(n, along))
    side = np.zeros((2, n + 1, n + 1))
    for j in range(2):
        _times(n, root[0], X[j], X[2 + j], side)
        half[0, j], half[1, j] = side[0], side[1]
    for i in range(2):
        _times(n, root[1], half[i, 0], half[i, 1], R[1 + i, 1:])
    across = np.zeros((2, n + 1, n + 1))
    for j in range(2):  # d1 of the first on y2, z2
        rest = v[6 + j] - jet_product(n, dual[0, 0], X[j]) - jet_product(n, dual[0, 1], X[2 + j])
        across[j] = jet_product(n, rest, normal[0])
    _times(n, root[1], across[0], across[1], R[0, 1:])
    for i in range(2):  # d1 of the second on y1, z1
        rest = v[1 + i] - jet_product(n, dual[1, 0], X[2 * i]) - jet_product(n, dual[1, 1], X[2 * i + 1])
        across[i] = jet_product(n, rest, normal[1])
    _times(n, root[0], across[0], across[1], side)
    R[1, 0], R[2, 0] = side[0], side[1]
    R[0, 0] = jet_product(n, R[1, 1], R[2, 2]) - jet_product(n, R[1, 2], R[2, 1])


@separate(_ASKED)
def _curvature(ny, G, p, what, S, H):
    """`section_curvature`, or its moduli, or the change of its viscous stress."""
    t = np.zeros(60)
    v, n = _variables(ny, G, 15, t)
    R, e = np.zeros((3, 3, n + 1, n + 1)), np.zeros((3, n + 1, n + 1))
    _turn(n, v, R)
    c = 0.5 * (R[0, 0] + R[1, 1] + R[2, 2])
    c[0, 0] -= 0.5
    f, f1, f2, _, _, _ = _turn_factors(c[0, 0])
    ratio = jet_function(n, c, f, f1, f2)
    for k in range(3):
        i, j = (k + 2) % 3, (k + 1) % 3
        e[k] = 0.5 * jet_product(n, ratio, R[i, j] - R[j, i])
    s, h = np.zeros(n), np.zeros((n, n))
    if what == VISCOUS_CHANGE:
        gather_pairs(n, t, S, s)
    psi = _form_of_strains(n, 3, e, p[:9], p[9:12], what, s, h)
    spread_pairs(ny, n, t, s, h, S, H)
    return psi


@kernel
def section_curvature(ny, G, p, S, H):
    """Stored energy of the curvature between two sections, y = (r', y1, z1, y2, z2), in the plane (r', y1, y2).

    e = (κ1, κ2, κ3) L, the angle between the sections of an element. y, z: the vectors r_y, r_z of its first and last
    section; r' half-way tells on which side the axis is. p = (C (3, 3), e0 (3)).
    """
    return _curvature(ny, G, p, ENERGY, S, H)


# --- rigid frames ---------------------------------------------------------------------------------------------------------


@kernel
def _frames(G, p, e):
    """Jets e (6, 8, 8) of the strains of two frames by g (3), k (3), c."""
    terms = int(p[1])
    z = np.zeros((7, 8, 8))
    value = np.zeros(7)
    value[6] = p[0]
    gather_pairs(terms, p[44:], G, value)
    for k in range(7):
        z[k] = jet_of(7, k, value[k])
    f, f1, f2, h, h1, h2 = _turn_factors(value[6])
    ratio = jet_function(7, z[6], f, f1, f2)
    along = jet_product(7, z[0], z[3]) + jet_product(7, z[1], z[4]) + jet_product(7, z[2], z[5])
    along = jet_product(7, jet_function(7, z[6], h, h1, h2), along)
    for k in range(3):
        e[k] = jet_product(7, ratio, z[k]) - jet_product(7, along, z[3 + k])
        e[3 + k] = jet_product(7, ratio, z[3 + k])


@separate(_ASKED)
def _of_frames(ny, G, p, what, S, H):
    """`frame_strains`, or its moduli, or the change of its viscous stress."""
    e, s, h = np.zeros((6, 8, 8)), np.zeros(7), np.zeros((7, 7))
    _frames(G, p, e)
    if what == VISCOUS_CHANGE:
        gather_pairs(int(p[1]), p[44:], S, s)
    psi = _form_of_strains(7, 6, e, p[2:38], p[38:44], what, s, h)
    spread_pairs(ny, int(p[1]), p[44:], s, h, S, H)
    return psi


@kernel
def frame_strains(ny, G, p, S, H):
    """e = (Γ1, Γ2, Γ3, L κ1, L κ2, L κ3) between two rigid frames.

    p = (constant part of c, number of terms, C (6, 6), e0 (6), terms (number of g, k or c, i, j, coefficient)).
    """
    return _of_frames(ny, G, p, ENERGY, S, H)


@kernel
def frame_constraint(ny, G, p, S, H):
    """c = e_q − e0_q of the strains of `frame_strains`, q = p[0]; then as there: a beam that does not stretch, or not shear."""
    e, h = np.zeros((6, 8, 8)), np.zeros((7, 7))
    _frames(G, p[1:], e)
    q = int(p[0])
    for a in range(7):
        for b in range(7):
            h[a, b] = e[q, a + 1, b + 1]
    spread_pairs(ny, int(p[2]), p[45:], e[q, 0, 1:], h, S, H)
    return e[q, 0, 0] - p[39 + q]


# --- moduli H = ∂eᵀ C ∂e, of which follow the Kelvin–Voigt stress β H:Ġ and the stiffness of the strains alone ------------


@kernel
def section_moduli(ny, G, p, S, H):
    """Moduli of `section_strains`."""
    return _section(ny, G, p, MODULI, S, H)


@kernel
def curvature_moduli(ny, G, p, S, H):
    """Moduli of `section_curvature`."""
    return _curvature(ny, G, p, MODULI, S, H)


@kernel
def frame_moduli(ny, G, p, S, H):
    """Moduli of `frame_strains`."""
    return _of_frames(ny, G, p, MODULI, S, H)


# --- change of the Kelvin–Voigt stress: H = ∂(∂eᵀ C ∂e : Ġ)/∂G at a given Ġ, which stands in S before -----------------------


@kernel
def section_viscous_change(ny, G, p, S, H):
    """Change of the viscous stress of `section_strains`."""
    return _section(ny, G, p, VISCOUS_CHANGE, S, H)


@kernel
def curvature_viscous_change(ny, G, p, S, H):
    """Change of the viscous stress of `section_curvature`."""
    return _curvature(ny, G, p, VISCOUS_CHANGE, S, H)


@kernel
def frame_viscous_change(ny, G, p, S, H):
    """Change of the viscous stress of `frame_strains`."""
    return _of_frames(ny, G, p, VISCOUS_CHANGE, S, H)
