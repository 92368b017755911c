"""Energy of an AncfBeam element in the strains of its sections' frames (measures='director'), law files laws/frames.py.

Stretch is taken at Gauss points, shear and the change of the section at the nodes, where the section's own vectors are: between
them sections are linear, and a cubic axis cannot stay square to them. Curvature and twist are the angle between the frames of
the two sections, per length: nothing of the axis, and nothing of the length of the section's vectors, is in
them. A section that is linear along the element has no change of curvature; that of the axis, ρ = ½ (r''(ξ₂) − r''(ξ₁)) at
two Gauss points, stands for it: ½ EI (κ² + (ρ·r_y)²). It vanishes with the square of the length of an element, and makes one
element exact where the moment is linear.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.ancf.body import Mesh, add_by_point
from condyle.bodies.ancf.frames import rounded, section_angles, section_strains
from condyle.bodies.ancf.measures import Term, add_linear, along_line, on_axis, section_at
from condyle.bodies.ancf.sections import Stiffness
from condyle.bodies.ancf.shapes import gauss
from condyle.laws.codes import SECTION_CURVATURE, SECTION_STRAINS

if TYPE_CHECKING:
    from condyle.system.builder import Builder

Array = NDArray[np.float64]


def sides_of(d: int) -> list[tuple[int, ...]]:
    """Orders of r_y(, r_z)."""
    return [tuple(int(i == k) for i in range(d)) for k in range(1, d)]


def add_directors(builder: Builder, beam: Any, mesh: Mesh, e: int, rows: NDArray[np.int64], W: Array) -> None:
    """Energy of element e."""
    d, X, L = builder.d, mesh.local(e), float(mesh.lengths[e, 0])
    axial, section = [], []
    for q, w in zip(*gauss(beam.points), strict=True):
        C = np.zeros((6, 6))
        C[0, 0] = section_at(beam, mesh, e, q).axial
        axial.append((q, w * L, C, beam.prestrain))
    for q in (0.0, 1.0):
        section.append((q, 0.5 * L, _across(section_at(beam, mesh, e, q), d), 0.0))
    for points in (axial, section):
        weights, measure, params = [], [], []
        for q, size, C, more in points:
            slope, J = along_line(mesh, e, on_axis(q, d))
            y = np.vstack((slope[:1], mesh.weights(e, on_axis(q, d), *sides_of(d))))
            nu = 0.0 if _is_tied(mesh, e, q) else section_at(beam, mesh, e, q).poisson
            weights.append(y @ W)
            measure.append(size * J)
            params.append((nu, *C.ravel().tolist(), *_at_rest(y @ X, nu, more)))
        add_by_point(builder, beam.name, SECTION_STRAINS, rows, np.array(weights), np.array(measure), params, d)
    _add_curvature(builder, beam, mesh, e, rows, W)


def _is_tied(mesh: Mesh, e: int, q: float) -> bool:
    """Is it a node that follows another body? Its section cannot contract, which must not hold back the axis beside it."""
    return q in (0.0, 1.0) and int(mesh.cells[e][int(q)]) in mesh.tied


def _across(k: Stiffness, d: int) -> Array:
    """Moduli of shear and of the change of the section."""
    lam, mu = k.lame
    C = np.zeros((6, 6))
    C[1, 1], C[2, 2] = k.shear_y, k.shear_z
    C[3:5, 3:5] = lam + 2 * mu * np.eye(2)
    C[5, 5] = mu
    if d == 2:  # plane stress across the plane
        C[3, 3] = 4 * mu * (lam + mu) / (lam + 2 * mu)
        C[3, 4] = C[4, 3] = C[4, 4] = C[5, 5] = C[2, 2] = 0.0
    return C


def _at_rest(y: Array, nu: float, prestrain: float) -> list[float]:
    gamma = section_strains(y[0], y[1:])
    A = np.eye(2)
    A[: len(y) - 1, : len(y) - 1] = y[1:] @ y[1:].T
    gamma[0] += prestrain
    return rounded(np.array([*gamma, 0.5 * A[0, 0] + nu * gamma[0], 0.5 * A[1, 1] + nu * gamma[0], A[0, 1]]))


def _add_curvature(builder: Builder, beam: Any, mesh: Mesh, e: int, rows: NDArray[np.int64], W: Array) -> None:
    d, X = builder.d, mesh.local(e)
    size = element_length(mesh, e)
    start, half, end = (mesh.weights(e, on_axis(q, d), *sides_of(d)) for q in (0.0, 0.5, 1.0))
    slope = along_line(mesh, e, on_axis(0.5, d))[0][0]
    y = np.vstack((slope, start, end))
    first, second = (section_at(beam, mesh, e, q) for q in gauss(2)[0])
    moduli = [0.5 * (getattr(first, n) + getattr(second, n)) for n in ("torsion", "bending_y", "bending_z")]
    if d == 2:
        moduli[:2] = [0.0, 0.0]
    rest = rounded(section_angles(start @ X, end @ X))
    params = (*(np.diag(moduli) / size**2).ravel().tolist(), *rest)
    builder.add_element(beam.name, SECTION_CURVATURE, rows, (y @ W)[None], np.array([size]), params)
    change = 0.5 * np.subtract(*(along_line(mesh, e, on_axis(q, d))[0][1] for q in gauss(2)[0][::-1]))
    terms: list[Term] = [(k, 0, 1 + k, 1.0) for k in range(d - 1)]
    C = np.diag(moduli[:0:-1][: d - 1])
    add_linear(builder, beam.name, rows, W, X, [(np.vstack((change, half)), size, C, None)], terms)


def element_length(mesh: Mesh, e: int) -> float:
    """Arc length of element e at rest [m]."""
    d = mesh.nodal.shape[2]
    return float(mesh.lengths[e, 0]) * 0.5 * sum(along_line(mesh, e, on_axis(q, d))[1] for q in (0.0, 1.0))


def director_strains(mesh: Mesh, e: int, q: float, vectors: Array) -> tuple[Array, Array]:
    """Γ and κ at ξ = q of element e with the nodal vectors given, shape (nodes · k, d): as the energy has them."""
    d = vectors.shape[1]
    own = [
        (along_line(mesh, e, on_axis(s, d))[0], mesh.weights(e, on_axis(s, d), *sides_of(d)))
        for s in (0.0, q, 0.5, 1.0)
    ]
    ends = [section_strains(y[0] @ vectors, sides @ vectors) for y, sides in (own[0], own[-1])]
    gamma = (1.0 - q) * ends[0] + q * ends[1]
    gamma[0] = section_strains(own[1][0][0] @ vectors, own[1][1] @ vectors)[0]
    half = own[2][1] @ vectors
    kappa = section_angles(own[0][1] @ vectors, own[-1][1] @ vectors) / element_length(mesh, e)
    change = (own[1][0][1] - own[2][0][1]) @ vectors  # r'' against that half-way
    bend = half @ change
    kappa[2] += bend[0]
    if d == 3:
        kappa[1] -= bend[1]
    return gamma, kappa
