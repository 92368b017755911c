"""Mortar: how the nodes of one surface follow those of another whose mesh does not match.

The places x of one surface and x′ of the other agree in the mean, ∫ Φ_i (x − x′) dA = 0, over their common pieces. With dual
functions, ∫ Φ_i N_j = δ_ij ∫ N_j on every facet (wohlmuth-2000), each node follows a few nodes of the other side by itself:
x_i = Σ_k P_ik x′_k. Σ_k P_ik = 1 keeps momenta, Σ_i Φ_i = 1 passes an even stress on evenly.

∫ N_j is zero or negative at corners of quadratic facets. There the functions are Ñ = N + α Σ (of the middles beside it) at
corners and (1 − 2α) N at middles, α = 1/5 (popp-2012): the same space, with positive integrals.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from condyle.bodies.elements import Element, Facets
from condyle.bodies.overlap import common_pieces, frames

Array = NDArray[np.float64]
Numbers = NDArray[np.int64]

ALPHA = 0.2
HALF = 0.5  # share of a facet that must lie on the other surface for its nodes to follow


def following(
    own: Sequence[Facets], X: Array, other: Sequence[Facets], Y: Array, *, radius: bool = False
) -> tuple[Numbers, csr_array]:
    """Nodes of the first surface that follow the second, and their weights P (nodes, nodes of Y).

    own, other: the facets of both surfaces by their kinds; X, Y: nodes of both meshes [m]. radius: x is the distance from an
    axis. Facets of which less than half lies on the other surface stay free.
    """
    size = len(X)
    total, tied = np.zeros(size), np.zeros(size, dtype=bool)
    coupled: list[tuple[Array, Numbers, Numbers]] = []
    covered: list[Facets] = []
    for kind, faces in own:
        integral, counts, blocks = _coupling(kind, X, faces, other, Y, radius)
        total += np.bincount(faces.ravel(), integral.ravel(), size)
        tied[faces[counts]] = True
        covered.append(Facets(kind, faces[counts]))
        for a, there, coupling in blocks:
            rows = np.repeat(faces[a], coupling.shape[2], axis=1).ravel()
            coupled.append((coupling.ravel(), rows, np.tile(there, (1, kind.nodes)).ravel()))
    values, rows, columns = (np.concatenate(part) for part in zip(*coupled, strict=True))
    scaled = values / np.where(tied, total, 1.0)[rows]
    P = csr_array((scaled, (rows, columns)), shape=(size, len(Y)))
    nodes = np.flatnonzero(tied)
    P = csr_array((_middles(covered, size) @ P)[nodes])
    P.data[np.abs(P.data) < 1e-14] = 0.0  # of facets that only touch
    P.eliminate_zeros()
    return nodes, P


def _coupling(
    kind: Element, X: Array, faces: Numbers, other: Sequence[Facets], Y: Array, radius: bool
) -> tuple[Array, NDArray[np.bool_], list[tuple[Numbers, Numbers, Array]]]:
    """Of facets of one kind: ∫ Ñ over what they have in common with the other surface, (f, nodes), and which count.

    Then for each kind of facet there, the common pieces: own facets (n,), nodes there (n, K), and ∫ Φ N there (n, nodes, K).
    """
    T = _positive(kind)
    mass = np.zeros((len(faces), kind.nodes, kind.nodes))
    shared = []
    for there, nodes in other:
        pieces = common_pieces(kind, X[faces], there, Y[nodes])
        a, N, weights = pieces.first, kind.shape(pieces.xi) @ T, pieces.weights
        if radius:
            weights = weights * np.einsum("nqa,na->nq", N @ np.linalg.inv(T), X[faces[a]][..., 0])
        np.add.at(mass, a, np.einsum("nq,nqi,nqj->nij", weights, N, N, optimize=True))
        across = np.einsum("nq,nqi,nqk->nik", weights, N, there.shape(pieces.eta), optimize=True)
        shared.append((a, nodes[pieces.second], across))
    whole = _integrals(kind, X[faces], radius) @ T
    counts = mass.sum(axis=(1, 2)) > HALF * whole.sum(axis=1)
    mass[~counts] = np.eye(kind.nodes)
    integral = np.where(counts[:, None], mass.sum(axis=2), 0.0)
    dual = integral[..., None] * np.linalg.inv(mass)
    return integral, counts, [(a, there, dual[a] @ across) for a, there, across in shared]


def _positive(kind: Element) -> Array:
    """T of the functions Ñ = N T, whose integrals are positive; those of lines are anyway."""
    T = np.eye(kind.nodes)
    for edge in kind.edges if kind.dimension == 2 else ():
        for middle in edge[2:]:
            T[middle, [edge[0], edge[1]]] = ALPHA
            T[middle, middle] = 1.0 - 2.0 * ALPHA
    return T


def _middles(covered: Sequence[Facets], size: int) -> csr_array:
    """T of all nodes of a mesh: x = T x̃ of the functions Ñ."""
    keys, entries = [], []
    for kind, faces in covered:
        T = csr_array(_positive(kind))
        a, b = T.nonzero()
        keys.append((faces[:, a] * size + faces[:, b]).ravel())
        entries.append(np.tile(T.data, len(faces)))
    pairs, once = np.unique(np.concatenate(keys), return_index=True)  # what facets have in common counts once
    values = np.concatenate(entries)[once]
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
