# mypy: allow-untyped-defs, no-check-untyped-defs
"""Strains of a section and the turn between two sections of an ANCF beam, with derivatives by the products of their vectors.

A section has the products v = (a, g1, g2, A11, A12, A22) of r', r_y, r_z: a = r'·r', g = (r'·r_y, r'·r_z) and the Gram matrix
A of r_y, r_z. Its frame is the polar rotation D = [r_y r_z] U⁻¹, U² = A, and the normal d1. With z = A⁻¹ g

    u = a − g·z = Γ1²,  du = m mᵀ:dG, m = (1, −z),  d²u = −2 dw·A⁻¹ dw, dw = dg − dA z
    (Γ2, Γ3) = U⁻¹ g,  U⁻¹ = (adj A + δ 1)/(τ δ), δ² = det A, τ² = tr A + 2 δ

The turn R between two sections has 15 products: of r' half-way and the first section as above, g and A of the second, and
X = (y1·y2, y1·z2, z1·y2, z1·z2). With n = 1/Γ1 and w = g − Xᵀz of either section it is made of products,

    R_ss = U1⁻¹ X U2⁻¹,  R_0s = n1 U2⁻¹ (g2 − Xᵀ z1),  R_s0 = n2 U1⁻¹ (g1 − X z2),  R_00 = det R_ss

which stand in a list: values and slopes follow it forwards, the weights of its terms in a sum of strains backwards, and the
bends of that sum are those weights times slope by slope.
"""

import numpy as np

from condyle.laws.kernel import kernel

# Terms of the series of f and h, which are used where the last is below round-off: those of x < 0.3, and of x < 0.01.
_SERIES, _SHORT = 24, 8
_COEFFICIENTS = np.cumprod([1.0, *(q / (2.0 * q + 1.0) for q in range(1, _SERIES + 1))])

# Places of the products of the first and of the second section among the 15, and of X.
_OF = np.array([[0, 1, 2, 3, 4, 5], [0, 6, 7, 8, 9, 10]])
_X = 11
LANES = 16  # numbers of a slope: of 15 products, and one that is always 0


@kernel(forceinline=True)
def _inverse_of_gram(v):
    """A⁻¹ as (11, 12, 22), and z = A⁻¹ g."""
    over = 1.0 / (v[3] * v[5] - v[4] * v[4])
    i11, i12, i22 = v[5] * over, -v[4] * over, v[3] * over
    return i11, i12, i22, i11 * v[1] + i12 * v[2], i12 * v[1] + i22 * v[2]


@kernel(forceinline=True)
def _line_of_dual(i, z1, z2):
    """Entry i of the lines (0, 1, 0, −z1, −z2, 0) and (0, 0, 1, 0, −z1, −z2) of dw = dg − dA z."""
    first = 1.0 if i == 1 else (-z1 if i == 3 else (-z2 if i == 4 else 0.0))
    return first, 1.0 if i == 2 else (-z1 if i == 4 else (-z2 if i == 5 else 0.0))


@kernel(forceinline=True)
def square_of_normal(v, first):
    """u; first (6): its slopes."""
    _, _, _, z1, z2 = _inverse_of_gram(v)
    first[0], first[1], first[2] = 1.0, -2.0 * z1, -2.0 * z2
    first[3], first[4], first[5] = z1 * z1, 2.0 * z1 * z2, z2 * z2
    return v[0] - v[1] * z1 - v[2] * z2


@kernel(forceinline=True)
def add_bends_of_normal(v, factor, h):
    """h (6, 6) += factor ∂²u."""
    i11, i12, i22, z1, z2 = _inverse_of_gram(v)
    for i in range(1, 6):
        a1, a2 = _line_of_dual(i, z1, z2)
        b1, b2 = -2.0 * factor * (i11 * a1 + i12 * a2), -2.0 * factor * (i12 * a1 + i22 * a2)
        h[i, 1] += b1
        h[i, 2] += b2
        h[i, 3] -= b1 * z1
        h[i, 4] -= b1 * z2 + b2 * z1
        h[i, 5] -= b2 * z2


@kernel
def inverse_root(v, B, slope, bend, second):
    """U⁻¹ as B (3) = (11, 12, 22); slope (3, 3): by A11, A12, A22; bend (3, 3, 3), if they are asked for."""
    A11, A12, A22 = v[3], v[4], v[5]
    delta = np.sqrt(A11 * A22 - A12 * A12)
    tau = np.sqrt(A11 + A22 + 2.0 * delta)
    phi = 1.0 / (tau * delta)
    o, half = 0.5 / delta, 0.5 / tau
    D = (A22, -2.0 * A12, A11)  # slopes of det A
    B[0], B[1], B[2] = (A22 + delta) * phi, -A12 * phi, (A11 + delta) * phi
    for i in range(3):
        di = o * D[i]
        ti = half * ((0.0 if i == 1 else 1.0) + 2.0 * di)
        fi = -phi * phi * (tau * di + delta * ti)
        slope[0, i] = ((1.0 if i == 2 else 0.0) + di) * phi + (A22 + delta) * fi
        slope[1, i] = (-phi if i == 1 else 0.0) - A12 * fi
        slope[2, i] = ((1.0 if i == 0 else 0.0) + di) * phi + (A11 + delta) * fi
        if second:
            for j in range(i + 1):
                dj = o * D[j]
                tj = half * ((0.0 if j == 1 else 1.0) + 2.0 * dj)
                pj = tau * dj + delta * tj
                fj = -phi * phi * pj
                both = 1.0 if i + j == 2 and i != j else (-2.0 if i == 1 and j == 1 else 0.0)  # of det A
                dd = o * both - di * dj / delta
                tt = 2.0 * half * dd - ti * tj / tau
                ff = -phi * phi * (di * tj + dj * ti + tau * dd + delta * tt) - 2.0 * phi * fi * pj
                ci, cj = (1.0 if i == 2 else 0.0) + di, (1.0 if j == 2 else 0.0) + dj
                b0 = dd * phi + ci * fj + cj * fi + (A22 + delta) * ff
                b1 = -(fj if i == 1 else 0.0) - (fi if j == 1 else 0.0) - A12 * ff
                ci, cj = (1.0 if i == 0 else 0.0) + di, (1.0 if j == 0 else 0.0) + dj
                b2 = dd * phi + ci * fj + cj * fi + (A11 + delta) * ff
                bend[0, i, j] = bend[0, j, i] = b0
                bend[1, i, j] = bend[1, j, i] = b1
                bend[2, i, j] = bend[2, j, i] = b2


@kernel(forceinline=True)
def _root_alone(a11, a12, a22):
    """U⁻¹ as (11, 12, 22), without its slopes."""
    delta = np.sqrt(a11 * a22 - a12 * a12)
    phi = 1.0 / (np.sqrt(a11 + a22 + 2.0 * delta) * delta)
    return (a22 + delta) * phi, -a12 * phi, (a11 + delta) * phi


# --- strains of a section -------------------------------------------------------------------------------------------------


@kernel
def section_strains_of(v, nu, e, slopes):
    """e (6) = (Γ1, Γ2, Γ3, ½ A11 + ν Γ1, ½ A22 + ν Γ1, A12) and their slopes (6, 6) by v."""
    first = slopes[0]
    gamma = np.sqrt(square_of_normal(v, first))
    B, slope, none = np.empty(3), np.empty((3, 3)), np.empty((0, 0, 0))
    inverse_root(v, B, slope, none, False)
    e[0], e[1], e[2] = gamma, B[0] * v[1] + B[1] * v[2], B[1] * v[1] + B[2] * v[2]
    e[3], e[4], e[5] = 0.5 * v[3] + nu * gamma, 0.5 * v[5] + nu * gamma, v[4]
    for i in range(6):
        first[i] *= 0.5 / gamma
        slopes[3, i] = slopes[4, i] = nu * first[i]
        slopes[1, i] = slopes[2, i] = slopes[5, i] = 0.0
    slopes[3, 3] += 0.5
    slopes[4, 5] += 0.5
    slopes[5, 4] = 1.0
    slopes[1, 1], slopes[1, 2], slopes[2, 1], slopes[2, 2] = B[0], B[1], B[1], B[2]
    for i in range(3):
        slopes[1, 3 + i] = slope[0, i] * v[1] + slope[1, i] * v[2]
        slopes[2, 3 + i] = slope[1, i] * v[1] + slope[2, i] * v[2]


@kernel(forceinline=True)
def section_strains_alone(v, nu):
    """The strains of `section_strains_of`, without their slopes."""
    _, _, _, z1, z2 = _inverse_of_gram(v)
    gamma = np.sqrt(v[0] - v[1] * z1 - v[2] * z2)
    b11, b12, b22 = _root_alone(v[3], v[4], v[5])
    shear_y, shear_z = b11 * v[1] + b12 * v[2], b12 * v[1] + b22 * v[2]
    return gamma, shear_y, shear_z, 0.5 * v[3] + nu * gamma, 0.5 * v[5] + nu * gamma, v[4]


@kernel
def add_section_bends(v, nu, c, slopes, h):
    """h (6, 6) += Σ_k c_k ∂²e_k; slopes: those of `section_strains_of`."""
    first = slopes[0]
    gamma = np.sqrt(v[0] - v[1] * _inverse_of_gram(v)[3] - v[2] * _inverse_of_gram(v)[4])
    along = c[0] + nu * (c[3] + c[4])
    if along != 0.0:
        add_bends_of_normal(v, 0.5 * along / gamma, h)
        for i in range(6):
            for j in range(6):
                h[i, j] -= along / gamma * first[i] * first[j]
    if c[1] != 0.0 or c[2] != 0.0:
        B, slope, bend = np.empty(3), np.empty((3, 3)), np.empty((3, 3, 3))
        inverse_root(v, B, slope, bend, True)
        c0, c1, c2 = c[1] * v[1], c[1] * v[2] + c[2] * v[1], c[2] * v[2]
        for i in range(3):
            on_1, on_2 = c[1] * slope[0, i] + c[2] * slope[1, i], c[1] * slope[1, i] + c[2] * slope[2, i]
            h[1, 3 + i] += on_1
            h[3 + i, 1] += on_1
            h[2, 3 + i] += on_2
            h[3 + i, 2] += on_2
            for j in range(3):
                h[3 + i, 3 + j] += c0 * bend[0, i, j] + c1 * bend[1, i, j] + c2 * bend[2, i, j]


# --- the turn between two sections ------------------------------------------------------------------------------------------

# Terms: of each section U⁻¹ (11, 12, 22), z, 1/Γ1; X; g of both; U1⁻¹ X; R_11, R_12, R_21, R_22; R_00; g2 − Xᵀ z1 and that
# times U2⁻¹; R_01, R_02; g1 − X z2 and that times U1⁻¹; R_10, R_20.
_ROOT, _DUAL, _NORMAL, _SECOND, _CROSS, _SIDE, _HALF, _INNER, _CORNER = 0, 3, 5, 6, 12, 16, 20, 24, 28
_W1, _V1, _R0, _W2, _V2, _RS = 29, 31, 33, 35, 37, 39
TERMS = 41


def _products():
    """The list: term += factor · one · other, with few different ones first."""
    found = []
    for i in range(2):
        for j in range(2):
            found += [(_HALF + 2 * i + j, _CROSS + 2 * k + j, _ROOT + i + k, 1) for k in range(2)]
    for i in range(2):
        for j in range(2):
            found += [(_INNER + 2 * i + j, _SECOND + _ROOT + j + k, _HALF + 2 * i + k, 1) for k in range(2)]
    found += [(_CORNER, _INNER, _INNER + 3, 1), (_CORNER, _INNER + 1, _INNER + 2, -1)]
    for j in range(2):
        found += [(_W1 + j, _CROSS + 2 * k + j, _DUAL + k, -1) for k in range(2)]
        found += [(_W2 + j, _CROSS + 2 * j + k, _SECOND + _DUAL + k, -1) for k in range(2)]
    for j in range(2):
        found += [(_V1 + j, _SECOND + _ROOT + j + k, _W1 + k, 1) for k in range(2)]
        found += [(_V2 + j, _ROOT + j + k, _W2 + k, 1) for k in range(2)]
    for j in range(2):
        found += [(_R0 + j, _NORMAL, _V1 + j, 1), (_RS + j, _SECOND + _NORMAL, _V2 + j, 1)]
    return np.array(found)


_PRODUCTS = _products()
_LEFT = np.unique(_PRODUCTS[:, 1])
# k = ½ (R_21 − R_12, R_02 − R_20, R_10 − R_01)
_PLUS, _MINUS = np.array([_INNER + 2, _R0 + 1, _RS]), np.array([_INNER + 1, _RS + 1, _R0])


@kernel
def turn_factors(c):
    """f = φ/sin φ and h = (f − 1)/sin² φ of c = cos φ, with first and second derivatives by c.

    (1 − c²) f' = c f − 1; with x = 1 − c, f = Σ a_q xᵠ, a_q = a_{q−1} q/(2q + 1); h = u/(2 − x), u = (f − 1)/x.
    """
    x = 1.0 - c
    f = f1 = f2 = u = u1 = u2 = 0.0
    if abs(x) < 0.3:
        for q in range(_SERIES if abs(x) > 0.01 else _SHORT, -1, -1):
            if q > 0:
                u2 = u2 * x + 2.0 * u1
                u1 = u1 * x + u
                u = u * x + _COEFFICIENTS[q]
            f2 = f2 * x + 2.0 * f1
            f1 = f1 * x + f
            f = f * x + _COEFFICIENTS[q]
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
def _section_terms(v, of, first, value, slope):
    """U⁻¹, z and 1/Γ1 of a section, and their slopes; of: places of its products, first: number of its first term."""
    own, B, by, none = np.empty(6), np.empty(3), np.empty((3, 3)), np.empty((0, 0, 0))
    for i in range(6):
        own[i] = v[of[i]]
    inverse_root(own, B, by, none, False)
    for k in range(3):
        value[first + k] = B[k]
        for i in range(3):
            slope[first + k, of[3 + i]] = by[k, i]
    i11, i12, i22, z1, z2 = _inverse_of_gram(own)
    value[first + _DUAL], value[first + _DUAL + 1] = z1, z2
    for i in range(1, 6):  # dz = A⁻¹ dw
        a1, a2 = _line_of_dual(i, z1, z2)
        slope[first + _DUAL, of[i]] = i11 * a1 + i12 * a2
        slope[first + _DUAL + 1, of[i]] = i12 * a1 + i22 * a2
    by_u = np.empty(6)
    u = square_of_normal(own, by_u)
    f = 1.0 / np.sqrt(u)
    value[first + _NORMAL] = f
    for i in range(6):
        slope[first + _NORMAL, of[i]] = -0.5 * f / u * by_u[i]


@kernel
def _add_section_terms(v, of, first, weight, h):
    """h += Σ weight · bend of U⁻¹, z and 1/Γ1 of a section."""
    own, B, by, bend = np.empty(6), np.empty(3), np.empty((3, 3)), np.empty((3, 3, 3))
    for i in range(6):
        own[i] = v[of[i]]
    inverse_root(own, B, by, bend, True)
    c0, c1, c2 = weight[first], weight[first + 1], weight[first + 2]
    for i in range(3):
        for j in range(3):
            h[of[3 + i], of[3 + j]] += c0 * bend[0, i, j] + c1 * bend[1, i, j] + c2 * bend[2, i, j]
    i11, i12, i22, z1, z2 = _inverse_of_gram(own)
    # c·d²z = −2 c·A⁻¹ dA dz
    d1, d2 = weight[first + _DUAL], weight[first + _DUAL + 1]
    d1, d2 = i11 * d1 + i12 * d2, i12 * d1 + i22 * d2
    for j in range(1, 6):
        a1, a2 = _line_of_dual(j, z1, z2)
        s1, s2 = i11 * a1 + i12 * a2, i12 * a1 + i22 * a2
        for i in range(3, 6):
            value = -(d1 * s1 if i == 3 else (d1 * s2 + d2 * s1 if i == 4 else d2 * s2))
            h[of[i], of[j]] += value
            h[of[j], of[i]] += value
    by_u, bends = np.empty(6), np.zeros((6, 6))
    u = square_of_normal(own, by_u)
    f = weight[first + _NORMAL] / np.sqrt(u)
    add_bends_of_normal(own, -0.5 * f / u, bends)
    for i in range(6):
        for j in range(6):
            h[of[i], of[j]] += bends[i, j] + 0.75 * f / (u * u) * by_u[i] * by_u[j]


@kernel
def angles_between(v, value, slope, e, slopes):
    """e (3) = f(c) k: the angle between two sections as a vector, its slopes (3, LANES); value (TERMS), slope (TERMS, LANES).

    k = sin φ n is the axial vector of R, c = cos φ, f = φ/sin φ. Returns f, f', f'' by c.
    """
    for k in range(TERMS):
        value[k] = 0.0
        for i in range(LANES):
            slope[k, i] = 0.0
    _section_terms(v, _OF[0], 0, value, slope)
    _section_terms(v, _OF[1], _SECOND, value, slope)
    for k in range(4):
        value[_CROSS + k], slope[_CROSS + k, _X + k] = v[_X + k], 1.0
    for k in range(2):
        value[_SIDE + k], slope[_SIDE + k, 1 + k] = v[1 + k], 1.0
        value[_W2 + k], slope[_W2 + k, 1 + k] = v[1 + k], 1.0
        value[_SIDE + 2 + k], slope[_SIDE + 2 + k, 6 + k] = v[6 + k], 1.0
        value[_W1 + k], slope[_W1 + k, 6 + k] = v[6 + k], 1.0
    for m in range(_PRODUCTS.shape[0]):
        to, a, b, factor = _PRODUCTS[m, 0], _PRODUCTS[m, 1], _PRODUCTS[m, 2], float(_PRODUCTS[m, 3])
        x, y = factor * value[a], factor * value[b]
        value[to] += x * value[b]
        for i in range(LANES):
            slope[to, i] += x * slope[b, i] + y * slope[a, i]
    c = 0.5 * (value[_CORNER] + value[_INNER] + value[_INNER + 3] - 1.0)
    f, f1, f2, _, _, _ = turn_factors(c)
    for k in range(3):
        p, m = _PLUS[k], _MINUS[k]
        axis = 0.5 * (value[p] - value[m])
        e[k] = f * axis
        for i in range(LANES):
            turn = 0.5 * (slope[_CORNER, i] + slope[_INNER, i] + slope[_INNER + 3, i])
            slopes[k, i] = 0.5 * f * (slope[p, i] - slope[m, i]) + f1 * axis * turn
    return f, f1, f2


@kernel(forceinline=True)
def angles_alone(v):
    """The angles of `angles_between`, without their slopes."""
    a11, a12, a22 = _root_alone(v[3], v[4], v[5])
    b11, b12, b22 = _root_alone(v[8], v[9], v[10])
    over, other = 1.0 / (v[3] * v[5] - v[4] * v[4]), 1.0 / (v[8] * v[10] - v[9] * v[9])
    y1, z1 = (v[5] * v[1] - v[4] * v[2]) * over, (v[3] * v[2] - v[4] * v[1]) * over
    y2, z2 = (v[10] * v[6] - v[9] * v[7]) * other, (v[8] * v[7] - v[9] * v[6]) * other
    n1 = 1.0 / np.sqrt(v[0] - v[1] * y1 - v[2] * z1)
    n2 = 1.0 / np.sqrt(v[0] - v[6] * y2 - v[7] * z2)
    x11, x12, x21, x22 = v[11], v[12], v[13], v[14]
    h11, h12, h21, h22 = a11 * x11 + a12 * x21, a11 * x12 + a12 * x22, a12 * x11 + a22 * x21, a12 * x12 + a22 * x22
    r11, r12, r21, r22 = h11 * b11 + h12 * b12, h11 * b12 + h12 * b22, h21 * b11 + h22 * b12, h21 * b12 + h22 * b22
    w1, w2 = v[6] - x11 * y1 - x21 * z1, v[7] - x12 * y1 - x22 * z1
    r01, r02 = n1 * (b11 * w1 + b12 * w2), n1 * (b12 * w1 + b22 * w2)
    w1, w2 = v[1] - x11 * y2 - x12 * z2, v[2] - x21 * y2 - x22 * z2
    r10, r20 = n2 * (a11 * w1 + a12 * w2), n2 * (a12 * w1 + a22 * w2)
    half = 0.5 * turn_factors(0.5 * (r11 * r22 - r12 * r21 + r11 + r22 - 1.0))[0]
    return half * (r21 - r12), half * (r02 - r20), half * (r10 - r01)


@kernel
def add_angle_bends(v, ratio, value, slope, c, h):
    """h (15, 15) += Σ_k c_k ∂²e_k of `angles_between`; value and slope: those that it left, ratio: what it returned."""
    f, f1, f2 = ratio
    weight, left = np.zeros(TERMS), np.zeros((TERMS, LANES))
    turn, axis = np.zeros(LANES), np.zeros(LANES)  # slopes of c and of Σ c_k k_k
    along = 0.0
    for k in range(3):
        p, m = _PLUS[k], _MINUS[k]
        along += 0.5 * c[k] * (value[p] - value[m])
        weight[p] += 0.5 * f * c[k]
        weight[m] -= 0.5 * f * c[k]
        for i in range(LANES):
            axis[i] += 0.5 * c[k] * (slope[p, i] - slope[m, i])
    for i in range(LANES):
        turn[i] = 0.5 * (slope[_CORNER, i] + slope[_INNER, i] + slope[_INNER + 3, i])
    weight[_CORNER] += 0.5 * f1 * along
    weight[_INNER] += 0.5 * f1 * along
    weight[_INNER + 3] += 0.5 * f1 * along
    for m in range(_PRODUCTS.shape[0] - 1, -1, -1):
        to, a, b = _PRODUCTS[m, 0], _PRODUCTS[m, 1], _PRODUCTS[m, 2]
        share = weight[to] * float(_PRODUCTS[m, 3])
        weight[a] += share * value[b]
        weight[b] += share * value[a]
        for i in range(LANES):
            left[a, i] += share * slope[b, i]
    both = np.zeros((LANES, LANES))
    for i in range(LANES):
        for j in range(LANES):
            both[i, j] = 0.5 * f2 * along * turn[i] * turn[j] + f1 * turn[i] * axis[j]
    for k in range(_LEFT.size):
        a = _LEFT[k]
        for i in range(LANES):
            x = slope[a, i]
            if x != 0.0:
                for j in range(LANES):
                    both[i, j] += x * left[a, j]
    for i in range(15):
        for j in range(15):
            h[i, j] += both[i, j] + both[j, i]
    _add_section_terms(v, _OF[0], 0, weight, h)
    _add_section_terms(v, _OF[1], _SECOND, weight, h)
