"""Mortar: how the nodes of one surface follow those of another whose mesh does not match.

The places x of one surface and x′ of the other agree in the mean, ∫ Φ_i (x − x′) dA = 0, over their common pieces. With dual
functions, ∫ Φ_i N_j = δ_ij ∫ N_j on every facet (wohlmuth-2000), each node follows a few nodes of the other side by itself:
x_i = Σ_k P_ik x′_k. Σ_k P_ik = 1 keeps momenta, Σ_i Φ_i = 1 passes an even stress on evenly.

∫ N_j is zero or negative at corners of quadratic facets. There the functions are Ñ = N + α Σ (of the middles beside it) at
corners and (1 − 2α) N at middles, α = 1/5 (popp-2012): the same space, with positive integrals.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from condyle.bodies.elements.element import Element
from condyle.bodies.overlap import common_pieces, frames

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]

ALPHA = 0.2
HALF = 0.5  # share of a facet that must lie on the other surface for its nodes to follow


def following(
    kind: Element, X: Array, faces: Numbers, other: Element, Y: Array, other_faces: Numbers, *, radius: bool = False
) -> tuple[Numbers, csr_array]:
    """Nodes of the first surface that follow the second, and their weights P (nodes, nodes of Y).

    X, Y: nodes of both meshes [m]; faces, other_faces: node numbers of the facets. radius: x is the distance from an axis.
    Facets of which less than half lies on the other surface stay free.
    """
    pieces = common_pieces(kind, X[faces], other, Y[other_faces])
    a = pieces.first
    T = _positive(kind)
    N, N_other = kind.shape(pieces.xi) @ T, other.shape(pieces.eta)
    weights = pieces.weights
    if radius:
        weights = weights * np.einsum("nqa,na->nq", N @ np.linalg.inv(T), X[faces[a]][..., 0])
    mass = np.zeros((len(faces), kind.nodes, kind.nodes))
    np.add.at(mass, a, np.einsum("nq,nqi,nqj->nij", weights, N, N, optimize=True))
    whole = _integrals(kind, X[faces], radius) @ T
    counts = mass.sum(axis=(1, 2)) > HALF * whole.sum(axis=1)
    mass[~counts] = np.eye(kind.nodes)
    share = np.where(counts[:, None], mass.sum(axis=2), 0.0)
    dual = share[..., None] * np.linalg.inv(mass)
    coupling = dual[a] @ np.einsum("nq,nqi,nqk->nik", weights, N, N_other, optimize=True)

    size, width = len(X), coupling.shape[2]
    total = np.bincount(faces.ravel(), share.ravel(), size)
    tied = np.zeros(size, dtype=bool)
    tied[faces[counts]] = True
    rows = np.repeat(faces[a], width, axis=1).ravel()
    columns = np.tile(other_faces[pieces.second], (1, kind.nodes)).ravel()
    scaled = coupling.ravel() / np.where(tied, total, 1.0)[rows]
    P = csr_array((scaled, (rows, columns)), shape=(size, len(Y)))
    nodes = np.flatnonzero(tied)
    P = csr_array((_middles(kind, faces[counts], size) @ P)[nodes])
    P.data[np.abs(P.data) < 1e-14] = 0.0  # of facets that only touch
    P.eliminate_zeros()
    return nodes, P


def _positive(kind: Element) -> Array:
    """T of the functions Ñ = N T, whose integrals are positive."""
    T = np.eye(kind.nodes)
    for edge in kind.edges:
        for middle in edge[2:]:
            T[middle, [edge[0], edge[1]]] = ALPHA
            T[middle, middle] = 1.0 - 2.0 * ALPHA
    return T


def _middles(kind: Element, faces: Numbers, size: int) -> csr_array:
    """T of all nodes of a mesh: x = T x̃ of the functions Ñ."""
    T = csr_array(_positive(kind))
    a, b = T.nonzero()
    rows, columns = faces[:, a].ravel(), faces[:, b].ravel()
    pairs, once = np.unique(rows * size + columns, return_index=True)  # what facets have in common counts once
    values = np.tile(T.data, len(faces))[once]
    return csr_array((values, (pairs // size, pairs % size)), shape=(size, size))


def _integrals(kind: Element, X: Array, radius: bool) -> Array:
    """∫ N dA over the plane of each facet, (f, nodes)."""
    centre, _, tangents, _ = frames(kind, X)
    flat = np.einsum("fnd,fkd->fnk", X - centre[:, None], tangents)
    N = kind.shape(kind.points)
    area = kind.weights * np.abs(np.linalg.det(np.einsum("fnk,qni->fqki", flat, kind.gradient(kind.points))))
    if radius:
        area = area * (X[..., 0] @ N.T)
    return np.asarray(area @ N)
