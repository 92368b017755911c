"""Elements that keep their volume by few numbers (`Solid(dilatation="mean")`): functions, pressures, and where they mislead.

One dilatation per element suits linear elements. In quadratic ones it leaves ways to bend without resistance, so they have its
linear part too. Where that may vary freely (in tri6 and tet10 it is all there is: with the bulk modulus κ they would be the
plain elements, which lock), the mixed element needs stabilising: the linear part of its pressure may differ by a stress of the
size of the shear modulus μ (dohrmann-bochev-2004), so κ₁ = 1/(1/κ + 1/(10 μ)) replaces κ. One layer of any of the five
quadratic elements then bends within 7 % of beam theory at ν = 0.4999.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.elements import Element, quadratic_of
from condyle.bodies.elements.cell import HEXAHEDRON, QUADRILATERAL, TETRAHEDRON, TRIANGLE, WEDGE
from condyle.errors import InputWarning

if TYPE_CHECKING:
    from condyle.bodies.materials import Material
    from condyle.bodies.mesh_anchor import MeshAnchor

Array = NDArray[np.float64]

STABILISATION = 10.0  # largest modulus of the linear part, over the shear modulus
INCOMPRESSIBLE = 0.45  # Poisson's ratio from which thin layers of linear elements are spoken of
SLENDER = 3.0  # a layer is thin if the body is this many times as long


def keeps_locking(kind: Element) -> bool:
    """Does one dilatation per cell not help? Linear triangles and tetrahedra have no more; of wedges there are two a node."""
    return not kind.quadratic and kind.cell in (TRIANGLE, TETRAHEDRON, WEDGE)


def linear_functions(kind: Element, X: Array, volumes: Array) -> Array:
    """φ_a at the quadrature points of each cell, shape (cells, q, a): linear in place, ∫ φ_a = 0, ∫ φ_a φ_b = V δ_ab.

    X: nodes of the cells [m], shape (cells, nodes, d); volumes of the points [m³], shape (cells, q). None of linear elements.
    """
    if not kind.quadratic:
        return np.zeros((*volumes.shape, 0))
    share = volumes / volumes.sum(axis=1, keepdims=True)
    place = np.einsum("qn,cnd->cqd", kind.shape(kind.points), X)
    place = place - np.einsum("cq,cqd->cd", share, place)[:, None]
    spread = np.linalg.cholesky(np.einsum("cq,cqd,cqe->cde", share, place, place))
    return np.swapaxes(np.linalg.solve(spread, np.swapaxes(place, 1, 2)), 1, 2)


def averaged(params: tuple[float, ...], material: Material, functions: Array) -> tuple[float, ...]:
    """Parameters of a law that takes its pressure from the dilatations of its element; functions (q, a)."""
    bulk, mu = params[0], material.lame()[1]
    resisted = 1.0 / (1.0 / bulk + 1.0 / (STABILISATION * mu))
    own = (float(functions.shape[1]), resisted, *functions.ravel().tolist())
    return (bulk, float(len(params)), *params[2:], *own)


def pressures(p: Array, J: Array, volumes: Array) -> tuple[Array, Array]:
    """Pressure [Pa] and energy per volume [J/m³] at the points of one cell, shape (q,) each; tension is positive."""
    at = int(p[1])
    functions = p[at + 2 :][: len(J) * int(p[at])].reshape(len(J), -1)
    share = volumes / volumes.sum()
    theta = float(share @ J)
    varied = functions @ (functions.T @ (share * J))
    energy = 0.25 * p[0] * (theta**2 - 1.0 - 2.0 * np.log(theta)) + 0.5 * p[at + 1] * varied**2
    return 0.5 * p[0] * (theta - 1.0 / theta) + p[at + 1] * varied, energy


def warn_of_thin_layer(anchor: MeshAnchor, poisson: float, averaged: bool) -> None:
    """Say so where a nearly incompressible body is one layer of linear elements, and long: its bending is far off."""
    blocks, X = anchor.blocks, anchor.X
    if blocks[0].kind.quadratic or poisson < INCOMPRESSIBLE or anchor.depth is None:
        return
    faces = [(kind, face) for kind, nodes in anchor.boundary for face in nodes]
    if len(np.unique(np.concatenate([face for _, face in faces]))) < len(X):
        return  # nodes inside: more than one layer
    areas = (float(np.linalg.norm(anchor.facet_normals(*face)[1], axis=1).sum()) for face in faces)
    area = sum(areas) / anchor.depth
    volume = sum(
        float(b.kind.reference_gradients(X[b.cells], anchor.body.label, first=b.first)[1].sum()) for b in blocks
    )
    if np.ptp(X, axis=0).max() < SLENDER * 2 * X.shape[1] * volume / area:  # a cube has the thickness of its side
        return
    cube = all(b.kind.cell in (QUADRILATERAL, HEXAHEDRON) for b in blocks)
    wrong = "up to 1.7 times too soft" if averaged and cube else "many times too stiff"
    names = ", ".join(b.kind.name for b in blocks)
    better = ", ".join(e.name for e in (quadratic_of(b.kind) for b in blocks) if e is not None) or "tet10"
    warnings.warn(
        f"{anchor.body.label}: one layer of {names} at Poisson's ratio {poisson:.4g} bends {wrong}; use {better} with "
        f"dilatation='mean'{', or several layers' if averaged and cube else ''}",
        InputWarning,
        stacklevel=2,
    )
