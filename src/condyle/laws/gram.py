"""All laws of the Gram matrix behind one call, and the discrete gradient that makes energy–momentum stepping exact."""

import numpy as np
from numba import types

from condyle.laws.ancf import (
    cable,
    cable_strain_stiffness,
    cable_viscous,
    linear_strains,
    plate,
    plate_strain_stiffness,
    plate_viscous,
    reeled_cable,
    reeled_viscous,
)
from condyle.laws.chords import only_coordinates, spring_between, sum_between
from condyle.laws.codes import (
    CABLE,
    COORDINATE,
    COORDINATE_SPRING,
    DOT_PRODUCT,
    FIBRES,
    FRAME_CONSTRAINT,
    FRAME_STRAINS,
    HALF_SQUARE,
    INITIAL_STRESS,
    LIGAMENT,
    LINEAR_STRAINS,
    MOONEY_RIVLIN,
    NEO_HOOKEAN,
    PLANE_STRESS,
    PLATE,
    REELED_CABLE,
    ROBUST,
    SECTION_CURVATURE,
    SECTION_STRAINS,
    SPRING,
    ST_VENANT_KIRCHHOFF,
    USER,
)
from condyle.laws.constraints import dot_product, half_square
from condyle.laws.coordinates import coordinate_constraint, coordinate_spring
from condyle.laws.energies import neo_hookean, spring, st_venant_kirchhoff
from condyle.laws.frames import (
    beam_moduli,
    beam_viscous_change,
    frame_constraint,
    frame_strains,
    is_beam,
    section_curvature,
    section_strains,
)
from condyle.laws.hyperelastic import EXAMPLES, hyperelastic
from condyle.laws.kernel import kernel, separate
from condyle.laws.muscles import ligament
from condyle.laws.pointers import user_gram_law

_PLATE = (3.0, 0.9, 0.1, 0.9, 2.5, 0.0, 0.1, 0.0, 1.1)  # example moduli

# Γ and κ coupled, and two frames of seven vectors (r', a1 a2 a3, b1 b2 b3): terms of g, c and k.
_C3 = (3.0, 0.2, 0.1, 0.2, 2.0, 0.3, 0.1, 0.3, 1.0)
_C6 = tuple(float(v) for v in (np.diag((3.0, 2.0, 1.5, 1.0, 2.5, 2.0)) + 0.2).ravel())
_E6 = (0.9, 0.1, -0.1, 0.2, 0.3, -0.2)
_SPLINE = (1.0, 3.0, -4.0, 0.0, 4.0, 0.2, 0.3, 0.1, -0.02, 1.72, 0.14, -0.14, 0.01)  # a code, knots, powers from each
_FRAMES = (0.6, 15.0, *_C6, *_E6, *(float(v) for i in range(3) for v in (
    i, 0, 1 + i, 0.5, i, 0, 4 + i, 0.5, 6, 1 + i, 4 + i, 0.05,
    3 + i, 1 + (i + 2) % 3, 4 + (i + 1) % 3, 0.5, 3 + i, 1 + (i + 1) % 3, 4 + (i + 2) % 3, -0.5,
)))  # fmt: skip

# name -> (code, numbers of vectors it takes, example parameters): what the generic tests run over.
LAWS = {
    "spring": (SPRING, (1,), (700.0, 0.8, 0.0)),
    "spring without rest length": (SPRING, (1,), (700.0, 0.0, 0.0)),
    "spring under tension only": (SPRING, (1,), (700.0, 0.1, 1.0)),
    "St. Venant–Kirchhoff": (ST_VENANT_KIRCHHOFF, (1, 2, 3, 4), (3.0, 2.0)),
    "neo-Hookean": (NEO_HOOKEAN, (2, 3, 4), (3.0, 2.0)),
    "neo-Hookean, plane stress": (NEO_HOOKEAN + PLANE_STRESS, (2,), (3.0, 2.0)),
    **{name: (code, (2, 3, 4), p) for name, (code, p) in EXAMPLES.items()},
    **{
        f"{name}, plane stress": (code + PLANE_STRESS, (2,), p)
        for name, (code, p) in EXAMPLES.items()
        if name not in ("Mooney–Rivlin, mean dilatation", "initial stress")
    },
    "dot product": (DOT_PRODUCT, (2,), (0.3,)),
    "half square": (HALF_SQUARE, (1,), (1.7,)),
    "angle": (COORDINATE, (3,), (0.3, 1.0, 1.0, 0.0, 0.2, 0.0, 1.0)),
    "slide": (COORDINATE, (2,), (0.3, 1.0, 0.0, 0.0, 0.0, 0.0, 2.0)),
    "tilt": (COORDINATE, (2,), (0.3, 1.0, 3.0, 0.0, 0.0, 0.0, 1.0)),
    "distance": (COORDINATE, (1,), (0.3, 1.0, 2.0, 0.0, 0.0, 0.0, 1.0)),
    "spline of an angle and a slide": (COORDINATE, (5,), (0.1, 2.0, 1.0, 0.0, 0.1, *_SPLINE, 0.0, 3.0, 0.0, 0.0, -1.5)),
    "torsion spring": (COORDINATE_SPRING, (3,), (7.0, 0.4, 0.4, 1.0, 1.0, 0.0, 0.2, 0.0, 1.0)),
    "ligament in its toe region": (
        LIGAMENT,
        (2,),
        (300.0, 1.5, 0.6, 2.0, 2.0, 0.0, 0.0, 0.0, 1.0, 2.0, 1.0, 0.0, 0.0, 1.0),
    ),
    "ligament": (LIGAMENT, (2,), (300.0, 0.02, 0.06, 2.0, 2.0, 0.0, 0.0, 0.0, 1.0, 2.0, 1.0, 0.0, 0.0, 1.0)),
    "strains linear in G": (
        LINEAR_STRAINS,
        (3, 5),
        (2.0, 3.0, 3.0, 0.5, 0.5, 2.0, 0.4, 0.1, 0.0, 0.0, 0.0, 0.5, 1.0, 1.0, 2.0, 1.0, 1.0, 2.0, 2.0, -0.3),
    ),
    "cable": (CABLE, (2,), (0.0, 1.0, 3.0, 0.1, 0.5, 0.0, 1e-3)),
    "cable, engineering strain, curvature of the curve": (CABLE, (2,), (1.0, 2.0, 3.0, 0.1, 0.5, 0.0, 1e-3)),
    "cable, curved at rest": (CABLE, (2,), (0.0, 1.0, 3.0, 0.0, 0.5, 0.8, 1e-3)),
    "reeled cable": (REELED_CABLE, (3,), (1.1, 0.0, 1.0, 3.0, 0.1, 0.5, 0.0, 1e-3)),
    "reeled cable, engineering strain": (REELED_CABLE, (3,), (0.9, 1.0, 2.0, 3.0, 0.0, 0.5, 0.8, 1e-3)),
    "plate": (PLATE, (5,), (0.0, 0.5, 0.5, 0.0, *_PLATE, *_PLATE, 0.0, 0.0, 0.0, 1e-3)),
    "plate, curvature of the surface": (PLATE, (5,), (2.0, 0.4, 0.5, 0.1, *_PLATE, *_PLATE, 0.0, 0.0, 0.0, 1e-3)),
    "plate, curved at rest": (PLATE, (5,), (0.0, 0.5, 0.5, 0.0, *_PLATE, *_PLATE, 0.9, 0.2, 0.1, 1e-3)),
    "strains of a section": (SECTION_STRAINS, (2, 3), (0.3, *_C6, *_E6)),
    "curvature of a section": (SECTION_CURVATURE, (3, 5), (*_C3, 0.1, -0.2, 0.3)),
    "strains between two frames": (FRAME_STRAINS, (7,), _FRAMES),
    "no stretch between two frames": (FRAME_CONSTRAINT, (7,), (0.0, *_FRAMES)),
    "no shear between two frames": (FRAME_CONSTRAINT, (7,), (2.0, *_FRAMES)),
    "stop": (COORDINATE_SPRING, (3,), (7.0, -9.0, -5.0, 1.0, 1.0, 0.0, 0.2, 0.0, 1.0)),
}

# Two-point Gauss rule on [0, 1].
_GAUSS = np.array([0.5 - 0.5 / np.sqrt(3.0), 0.5 + 0.5 / np.sqrt(3.0)])


@kernel
def gram_law(code, ny, G, p, S, H):
    """Value of law `code` at G; fills S = ∂/∂G and H = ∂²/∂G∂G."""
    return _gram_law(code, ny, G, p, S, H)


@kernel
def viscous_moduli(code, ny, G, p, S, H):
    """H with the Kelvin–Voigt stress β H:Ġ: ∂²ψ/∂G∂G, but for curvature, whose energy is not quadratic in G."""
    if code == CABLE:
        cable_viscous(G, p, H)
    elif code == REELED_CABLE:
        reeled_viscous(G, p, H)
    elif code == PLATE:
        plate_viscous(G, p, H)
    elif is_beam(code):
        _moduli_of_beams(code, ny, G, p, S, H)
    else:
        gram_law(code, ny, G, p, S, H)


@kernel
def viscous_change(code, ny, G, p, S, H):
    """H = ∂(V:Ġ)/∂G over β of beams, whose moduli V depend on G; Ġ stands in S before."""
    _viscous_change_of_beams(code, ny, G, p, S, H)


@kernel
def strain_stiffness(code, ny, d, y, G, p, H, K):
    """K (ny, d, ny, d) = Jᵀ C⁻¹ J of a law's strains: its stiffness without the part of the present stress, never negative.

    H is ∂²ψ/∂G∂G, of beams overwritten by ∂eᵀ C ∂e; strains linear in G have 4 yᵀ H y. A reeled cable is taken at its
    present length.
    """
    if code == CABLE:
        cable_strain_stiffness(d, y, p, K)
        return
    if code == PLATE:
        plate_strain_stiffness(y, G, p, K)
        return
    for k in range(ny):
        for m in range(ny):
            for a in range(d):
                for b in range(d):
                    K[k, a, m, b] = 0.0
    if code == REELED_CABLE:
        s = np.sqrt(G[2, 2]) / p[0]
        z, small = np.zeros((2, d)), np.zeros((2, d, 2, d))
        for k in range(2):
            for a in range(d):
                z[k, a] = y[k, a] * s ** (-1.0 - k)
        cable_strain_stiffness(d, z, p[1:], small)
        for k in range(2):
            for m in range(2):
                for a in range(d):
                    for b in range(d):
                        K[k, a, m, b] = small[k, a, m, b] * s ** (-1.0 - k - m)
        return
    if code == SPRING:
        slack = p[2] > 0.0 and G[0, 0] < p[1] * p[1]
        for a in range(d):
            for b in range(d):
                along = (1.0 if a == b else 0.0) if p[1] == 0.0 else y[0, a] * y[0, b] / G[0, 0]
                K[0, a, 0, b] = 0.0 if slack else p[0] * along
        return
    if is_beam(code):
        _moduli_of_beams(code, ny, G, p, np.zeros((ny, ny)), H)
    for k in range(ny):
        for m in range(ny):
            for a in range(d):
                for b in range(d):
                    for i in range(ny):
                        for j in range(ny):
                            K[k, a, m, b] += 4.0 * y[i, a] * H[k, i, m, j] * y[j, b]


@kernel
def is_hyperelastic(code):
    """Is it a law of `hyperelastic`? (St. Venant–Kirchhoff and neo-Hookean are, about an axis and in plane stress.)"""
    if code in (ST_VENANT_KIRCHHOFF, NEO_HOOKEAN, NEO_HOOKEAN + PLANE_STRESS):
        return True
    return ROBUST <= code <= INITIAL_STRESS or ROBUST + PLANE_STRESS <= code <= FIBRES + PLANE_STRESS


@kernel
def has_mean_dilatation(code, p):
    """Is it a law of C̄ whose pressure comes from the mean dilatation of its element? (p[1], see `hyperelastic`)"""
    return MOONEY_RIVLIN <= code <= FIBRES and p[1] > 0.5


@kernel
def is_quadratic(code, ny):
    """Is the law a polynomial of degree ≤ 2 in G, so that its gradient at the mean G is already exact?"""
    return (code == ST_VENANT_KIRCHHOFF and ny < 4) or code in (DOT_PRODUCT, HALF_SQUARE, LINEAR_STRAINS)


@kernel
def discrete_gradient(code, ny, G0, G1, p, S, H, work_g, work_s, work_h):
    """S with S:(G1 − G0) = ψ(G1) − ψ(G0), symmetric in time, and its derivative H = ∂S/∂G1.

    S is the mean of ∂ψ/∂G along the straight line from G0 to G1, by two Gauss points: free of cancellation for small steps.
    Where the step is large enough for the quadrature error to show, Gonzalez's correction along ΔG makes it exact. Joint
    coordinates have quotients in closed form (`chords`).
    Being a function of G alone, the force 2 S y_mid keeps the angular momentum too.
    """
    if is_quadratic(code, ny):
        for i in range(ny):
            for j in range(ny):
                work_g[i, j] = 0.5 * (G0[i, j] + G1[i, j])
        gram_law(code, ny, work_g, p, S, H)
        for i in range(ny):
            for j in range(ny):
                for k in range(ny):
                    for m in range(ny):
                        H[i, j, k, m] *= 0.5
        return
    if code == COORDINATE and only_coordinates(p, 1):
        sum_between(ny, G0, G1, p, 1, S, H)
        return
    if code == COORDINATE_SPRING and only_coordinates(p, 3):
        spring_between(ny, G0, G1, p, S, H, work_s, work_h)
        return
    for i in range(ny):
        for j in range(ny):
            S[i, j] = 0.0
            for k in range(ny):
                for m in range(ny):
                    H[i, j, k, m] = 0.0
    for q in range(2):
        s = _GAUSS[q]
        for i in range(ny):
            for j in range(ny):
                work_g[i, j] = G0[i, j] + s * (G1[i, j] - G0[i, j])
        gram_law(code, ny, work_g, p, work_s, work_h)
        for i in range(ny):
            for j in range(ny):
                S[i, j] += 0.5 * work_s[i, j]
                for k in range(ny):
                    for m in range(ny):
                        H[i, j, k, m] += 0.5 * s * work_h[i, j, k, m]
    square = 0.0
    size = 0.0
    along = 0.0
    for i in range(ny):
        for j in range(ny):
            delta = G1[i, j] - G0[i, j]
            square += delta * delta
            size += G1[i, j] * G1[i, j]
            along += S[i, j] * delta
    if square <= 4e-7 * size:
        return
    # Gonzalez: S += e ΔG / (ΔG:ΔG), e = ψ1 − ψ0 − S:ΔG;  ∂e/∂G1 = S1 − S − H:ΔG.
    psi0 = gram_law(code, ny, G0, p, work_s, work_h)
    psi1 = gram_law(code, ny, G1, p, work_s, work_h)
    defect = psi1 - psi0 - along
    for k in range(ny):
        for m in range(ny):
            value = work_s[k, m] - S[k, m]
            for i in range(ny):
                for j in range(ny):
                    value -= (G1[i, j] - G0[i, j]) * H[i, j, k, m]
            work_g[k, m] = value / square - 2.0 * defect * (G1[k, m] - G0[k, m]) / (square * square)
    for i in range(ny):
        for j in range(ny):
            delta = G1[i, j] - G0[i, j]
            S[i, j] += defect / square * delta
            for k in range(ny):
                for m in range(ny):
                    H[i, j, k, m] += delta * work_g[k, m]
            H[i, j, i, j] += 0.5 * defect / square
            H[i, j, j, i] += 0.5 * defect / square


_NUMBERS = types.Array(types.float64, 1, "C", readonly=True)
_MATRIX = types.Array(types.float64, 2, "C")
_MODULI = types.Array(types.float64, 4, "C")


_LAW = types.float64(types.int64, types.int64, _MATRIX, _NUMBERS, _MATRIX, _MODULI)


@separate(_LAW)
def _gram_law(code, ny, G, p, S, H):
    if code == SPRING:
        return spring(ny, G, p, S, H)
    if ny < 4 and code == ST_VENANT_KIRCHHOFF:
        return st_venant_kirchhoff(ny, G, p, S, H)
    if ny < 4 and code == NEO_HOOKEAN:
        return neo_hookean(ny, G, p, S, H)
    if is_hyperelastic(code):
        return hyperelastic(code, ny, G, p, S, H)
    if code == DOT_PRODUCT:
        return dot_product(ny, G, p, S, H)
    if code == HALF_SQUARE:
        return half_square(ny, G, p, S, H)
    if code in (COORDINATE, COORDINATE_SPRING, LIGAMENT):
        return _law_of_coordinates(code, ny, G, p, S, H)
    if code in (LINEAR_STRAINS, CABLE, REELED_CABLE, PLATE):
        return _law_of_lines_and_plates(code, ny, G, p, S, H)
    if is_beam(code) or code == FRAME_CONSTRAINT:
        return _law_of_beams(code, ny, G, p, S, H)
    if code == USER:
        return _law_of_the_user(code, ny, G, p, S, H)
    return np.nan


@separate(_LAW)
def _law_of_coordinates(code, ny, G, p, S, H):
    if code == COORDINATE:
        return coordinate_constraint(ny, G, p, S, H)
    if code == COORDINATE_SPRING:
        return coordinate_spring(ny, G, p, S, H)
    return ligament(ny, G, p, S, H)


@separate(_LAW)
def _law_of_lines_and_plates(code, ny, G, p, S, H):
    if code == LINEAR_STRAINS:
        return linear_strains(ny, G, p, S, H)
    if code == CABLE:
        return cable(ny, G, p, S, H)
    if code == REELED_CABLE:
        return reeled_cable(ny, G, p, S, H)
    return plate(ny, G, p, S, H)


@separate(_LAW)
def _law_of_beams(code, ny, G, p, S, H):
    if code == SECTION_STRAINS:
        return section_strains(ny, G, p, S, H)
    if code == SECTION_CURVATURE:
        return section_curvature(ny, G, p, S, H)
    if code == FRAME_STRAINS:
        return frame_strains(ny, G, p, S, H)
    return frame_constraint(ny, G, p, S, H)


@separate(_LAW)
def _moduli_of_beams(code, ny, G, p, S, H):
    return beam_moduli(code, ny, G, p, S, H)


@separate(_LAW)
def _viscous_change_of_beams(code, ny, G, p, S, H):
    return beam_viscous_change(code, ny, G, p, S, H)


@separate(_LAW)
def _law_of_the_user(code, ny, G, p, S, H):
    return user_gram_law(ny, G, p, S, H)
