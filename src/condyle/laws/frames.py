# mypy: allow-untyped-defs, no-check-untyped-defs
"""Stored energies of geometrically exact beams (reissner-1972, simo-1985) in the Gram matrix: ψ = ½ (e − e0)·C (e − e0).

With the frame d1, d2, d3 of a section the strains are Γ_i = d_i·r' (stretch, shear) and the curvatures κ of d_i' = κ × d_i:

    κ1 = d3·d2' (twist), κ2 = d1·d3', κ3 = −d1·d2'

`section_strains` and `section_curvature` take the frame out of gradients r_y, r_z that may stretch and shear (AncfBeam): the
polar rotation D = [r_y r_z] U⁻¹, U² = A the Gram matrix of the two, so that neither of the two axes is preferred.
`frame_strains` takes two rigid frames a, b, the ends of an element of constant strain (sonneville-2014): with R = aᵀb,
k = sin φ n the axial vector of R, c = cos φ and g_i = ½(a_i + b_i)·Δr/L,

    L κ = f(c) k,   Γ = f(c) g − h(c) (g·k) k,   f = φ/sin φ, h = (f − 1)/sin² φ

where g, k and c are linear in G: no rotation parameter, exact for every constant strain, whatever the element turns by.
Derivatives are carried along as jets by the entries (or sums of entries) of G that the strains depend on.
"""

import numpy as np

from condyle.laws.codes import FRAME_STRAINS, SECTION_CURVATURE, SECTION_STRAINS
from condyle.laws.kernel import kernel
from condyle.laws.paths import jet_function, jet_of, jet_product, jet_root

# Terms of the series of f, h and of the angle of a curvature; they are used where the last is below round-off.
_TERMS = 24


@kernel
def spread_pairs(ny, terms, t, s, h, S, H):
    """S and H of a function of l_k = Σ coefficient · G_ij with the derivatives s by l and h by l, l.

    t = (k, i, j, coefficient) of each term; S and H are set to zero first.
    """
    for i in range(ny):
        for j in range(ny):
            S[i, j] = 0.0
            for u in range(ny):
                for v in range(ny):
                    H[i, j, u, v] = 0.0
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
def _form_of_strains(n, m, e, C, e0, moduli, s, h):
    """ψ = ½ (e − e0)·C (e − e0) of m jets e by n variables; s and h are its derivatives, or h = ∂eᵀ C ∂e for `moduli`."""
    psi = 0.0
    for k in range(m):
        stress = 0.0
        for j in range(m):
            stress += C[k * m + j] * (e[j, 0, 0] - e0[j])
        psi += 0.5 * stress * (e[k, 0, 0] - e0[k])
        for a in range(n):
            s[a] += stress * e[k, 0, a + 1]
            for b in range(n):
                if not moduli:
                    h[a, b] += stress * e[k, a + 1, b + 1]
                for j in range(m):
                    h[a, b] += C[k * m + j] * e[k, 0, a + 1] * e[j, 0, b + 1]
    return psi


# --- frames out of gradients --------------------------------------------------------------------------------------------

# Entries of G, in the order r', r_y, r_z, r_y', r_z', that strains (the first six) and curvatures depend on.
_FIRST = np.array([0, 0, 0, 1, 1, 2, 1, 2, 1, 2, 0, 0])
_SECOND = np.array([0, 1, 2, 1, 2, 2, 3, 3, 4, 4, 3, 4])


@kernel
def _variables(ny, G, count, t):
    """Jets of the entries above; in the plane (ny = 2 or 3) r_z is a unit vector across it. Returns jets, n, and terms in t."""
    planar = ny == (2 if count == 6 else 3)
    own = np.full(count, -1)
    n = 0
    for k in range(count):
        i, j = _FIRST[k], _SECOND[k]
        if planar and (i == 2 or j == 2 or j == 4):
            continue
        if planar and j == 3:
            j = 2
        own[k] = n
        t[4 * n], t[4 * n + 1], t[4 * n + 2], t[4 * n + 3] = n, i, j, 1.0
        n += 1
    jets = np.zeros((count, n + 1, n + 1))
    for k in range(count):
        if own[k] < 0:
            jets[k, 0, 0] = 1.0 if k == 5 else 0.0
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
def _polar(n, v, inverse, root):
    """A⁻¹ and U⁻¹ of A = U² = [v3 v4; v4 v5], as (11, 12, 22); U⁻¹ = (adj A + δ 1)/(τ δ), δ² = det A, τ² = tr A + 2 δ."""
    det = jet_product(n, v[3], v[5]) - jet_product(n, v[4], v[4])
    over = _inverse(n, det)
    inverse[0] = jet_product(n, v[5], over)
    inverse[1] = -jet_product(n, v[4], over)
    inverse[2] = jet_product(n, v[3], over)
    delta = jet_root(n, det)
    scale = _inverse(n, jet_product(n, jet_root(n, v[3] + v[5] + 2.0 * delta), delta))
    root[0] = jet_product(n, v[5] + delta, scale)
    root[1] = -jet_product(n, v[4], scale)
    root[2] = jet_product(n, v[3] + delta, scale)
    return delta


@kernel
def _times(n, M, a, b, out):
    """out = M (a, b) of a symmetric 2×2 matrix (11, 12, 22)."""
    out[0] = jet_product(n, M[0], a) + jet_product(n, M[1], b)
    out[1] = jet_product(n, M[1], a) + jet_product(n, M[2], b)


@kernel
def _section(ny, G, p, moduli, S, H):
    """`section_strains`, or with `moduli` H = ∂eᵀ C ∂e."""
    t = np.zeros(24)
    v, n = _variables(ny, G, 6, t)
    inverse, root, e = np.zeros((3, n + 1, n + 1)), np.zeros((3, n + 1, n + 1)), np.zeros((6, n + 1, n + 1))
    _polar(n, v, inverse, root)
    dual = np.zeros((2, n + 1, n + 1))
    _times(n, inverse, v[1], v[2], dual)
    e[0] = jet_root(n, v[0] - jet_product(n, v[1], dual[0]) - jet_product(n, v[2], dual[1]))  # Γ1 = d1·r'
    _times(n, root, v[1], v[2], e[1:3])
    e[3] = 0.5 * v[3] + p[0] * e[0]
    e[4] = 0.5 * v[5] + p[0] * e[0]
    e[5] = v[4]
    s, h = np.zeros(n), np.zeros((n, n))
    psi = _form_of_strains(n, 6, e, p[1:37], p[37:43], moduli, s, h)
    spread_pairs(ny, n, t, s, h, S, H)
    return psi


@kernel
def section_strains(ny, G, p, S, H):
    """Of y = (r', r_y, r_z), in the plane (r', r_y): e = (Γ1, Γ2, Γ3, ½ r_y·r_y + ν Γ1, ½ r_z·r_z + ν Γ1, r_y·r_z).

    p = (ν, C (6, 6), e0 (6)).
    """
    return _section(ny, G, p, False, S, H)


@kernel
def _angle(n, square):
    """2 atan(x/2)/x of x² = `square`: turns 2 tan(φ/2) into φ. With z = x²/4 it is F = atan(√z)/√z, 2 z F' + F = 1/(1 + z)."""
    z = 0.25 * square[0, 0]
    F = F1 = F2 = 0.0
    if z < 0.1:
        for q in range(_TERMS - 1, -1, -1):  # Σ (−z)^q/(2q + 1), by Horner's rule with its derivatives
            F2 = F2 * z + 2.0 * F1
            F1 = F1 * z + F
            F = F * z + (1.0 if q % 2 == 0 else -1.0) / (2.0 * q + 1.0)
    else:
        F = np.arctan(np.sqrt(z)) / np.sqrt(z)
        F1 = (1.0 / (1.0 + z) - F) / (2.0 * z)
        F2 = (-1.0 / ((1.0 + z) * (1.0 + z)) - 3.0 * F1) / (2.0 * z)
    return jet_function(n, square, F, 0.25 * F1, 0.0625 * F2)


@kernel
def _curvature(ny, G, p, moduli, S, H):
    """`section_curvature`, or with `moduli` H = ∂eᵀ C ∂e."""
    t = np.zeros(48)
    v, n = _variables(ny, G, 12, t)
    inverse, root, e = np.zeros((3, n + 1, n + 1)), np.zeros((3, n + 1, n + 1)), np.zeros((3, n + 1, n + 1))
    delta = _polar(n, v, inverse, root)
    dual, bend = np.zeros((2, n + 1, n + 1)), np.zeros((2, n + 1, n + 1))
    _times(n, inverse, v[1], v[2], dual)
    normal = _inverse(n, jet_root(n, v[0] - jet_product(n, v[1], dual[0]) - jet_product(n, v[2], dual[1])))
    for k in range(2):  # d1·r_y', d1·r_z'
        across = v[10 + k] - jet_product(n, v[6 + 2 * k], dual[0]) - jet_product(n, v[7 + 2 * k], dual[1])
        bend[k] = p[0] * jet_product(n, across, normal)
    _times(n, root, bend[0], bend[1], e[1:3])
    swap = e[1].copy()
    e[1] = e[2]
    e[2] = -swap
    e[0] = 0.5 * p[0] * jet_product(n, v[7] - v[8], _inverse(n, delta))
    turn = jet_product(n, e[0], e[0]) + jet_product(n, e[1], e[1]) + jet_product(n, e[2], e[2])
    share = _angle(n, turn)
    for k in range(3):
        e[k] = jet_product(n, share, e[k])
    s, h = np.zeros(n), np.zeros((n, n))
    psi = _form_of_strains(n, 3, e, p[1:10], p[10:13], moduli, s, h)
    spread_pairs(ny, n, t, s, h, S, H)
    return psi


@kernel
def section_curvature(ny, G, p, S, H):
    """Of y = (r', r_y, r_z, r_y', r_z') half-way, in the plane (r', r_y, r_y'): e = (κ1, κ2, κ3) L as angles of the element.

    Sections are linear along it, so that their difference seen from half-way is 2 tan(φ/2), which is made the angle φ.
    p = (L [m], C (3, 3) on angles, e0 (3)).
    """
    return _curvature(ny, G, p, False, S, H)


# --- rigid frames ---------------------------------------------------------------------------------------------------------


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


@kernel
def _frames(G, p, e):
    """Jets e (6, 8, 8) of the strains of two frames by g (3), k (3), c."""
    terms = int(p[1])
    z = np.zeros((7, 8, 8))
    value = np.zeros(7)
    value[6] = p[0]
    for q in range(terms):
        at = 44 + 4 * q
        i, j = int(p[at + 1]), int(p[at + 2])
        value[int(p[at])] += 0.5 * p[at + 3] * (G[i, j] + G[j, i])
    for k in range(7):
        z[k] = jet_of(7, k, value[k])
    f, f1, f2, h, h1, h2 = _turn_factors(value[6])
    share = jet_function(7, z[6], f, f1, f2)
    along = jet_product(7, z[0], z[3]) + jet_product(7, z[1], z[4]) + jet_product(7, z[2], z[5])
    along = jet_product(7, jet_function(7, z[6], h, h1, h2), along)
    for k in range(3):
        e[k] = jet_product(7, share, z[k]) - jet_product(7, along, z[3 + k])
        e[3 + k] = jet_product(7, share, z[3 + k])


@kernel
def _of_frames(ny, G, p, moduli, S, H):
    """`frame_strains`, or with `moduli` H = ∂eᵀ C ∂e."""
    e, s, h = np.zeros((6, 8, 8)), np.zeros(7), np.zeros((7, 7))
    _frames(G, p, e)
    psi = _form_of_strains(7, 6, e, p[2:38], p[38:44], moduli, s, h)
    spread_pairs(ny, int(p[1]), p[44:], s, h, S, H)
    return psi


@kernel
def frame_strains(ny, G, p, S, H):
    """e = (Γ1, Γ2, Γ3, L κ1, L κ2, L κ3) between two rigid frames.

    p = (constant part of c, number of terms, C (6, 6), e0 (6), terms (number of g, k or c, i, j, coefficient)).
    """
    return _of_frames(ny, G, p, False, S, H)


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


@kernel
def beam_moduli(code, ny, G, p, S, H):
    """H = ∂eᵀ C ∂e, of which follow the Kelvin–Voigt stress β H:Ġ and the stiffness of the strains alone. Returns ψ."""
    if code == SECTION_STRAINS:
        return _section(ny, G, p, True, S, H)
    if code == SECTION_CURVATURE:
        return _curvature(ny, G, p, True, S, H)
    return _of_frames(ny, G, p, True, S, H)


@kernel
def is_beam(code):
    """Is it an energy of this file?"""
    return code in (SECTION_STRAINS, SECTION_CURVATURE, FRAME_STRAINS)
