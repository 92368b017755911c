"""Frames of a section of an ANCF beam out of its gradients r_x, r_y, r_z, and what they are good for (gantoi-2013, chapter 4).

Gradients are rows, shape (…, 3, 3) or, in the plane, (…, 2, 2); frames have their axes as rows too: t, n(, b). With J = [r_x
r_y r_z] as columns, J = A U for every frame A = [t n b]; the strain ½ (Uᵀ U − 1) is the same of all of them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

__all__ = [
    "area_ratio",
    "cross_section_frame",
    "frame_relation",
    "green_strain",
    "polar_frame",
    "polar_spin",
    "stretch_in_frame",
    "tangent_frame",
]


def _gradients(gradients: ArrayLike) -> Array:
    g = np.asarray(gradients, dtype=float)
    if g.shape[-2:] not in ((2, 2), (3, 3)):
        raise ValueError(f"gradients r_x, r_y, r_z must have shape (…, 3, 3), in the plane (…, 2, 2), not {g.shape}")
    return g


def _unit(vectors: Array) -> Array:
    return np.asarray(vectors / np.linalg.norm(vectors, axis=-1, keepdims=True))


def cross_section_frame(gradients: ArrayLike) -> Array:
    """n along r_y, t normal to the section (to r_y and r_z), b = t × n in it; rows t, n, b."""
    g = _gradients(gradients)
    n = _unit(g[..., 1, :])
    if g.shape[-1] == 2:
        return np.stack((np.stack((n[..., 1], -n[..., 0]), axis=-1), n), axis=-2)
    t = _unit(np.cross(n, g[..., 2, :]))
    return np.stack((t, n, np.cross(t, n)), axis=-2)


def tangent_frame(gradients: ArrayLike, by: str = "y") -> Array:
    """t along r_x; by 'y': n in the plane of r_x and r_y, or by 'z': b in that of r_x and r_z; rows t, n, b."""
    g = _gradients(gradients)
    t = _unit(g[..., 0, :])
    if g.shape[-1] == 2:
        return np.stack((t, np.stack((-t[..., 1], t[..., 0]), axis=-1)), axis=-2)
    if by == "z":
        n = _unit(np.cross(g[..., 2, :], t))
        return np.stack((t, n, np.cross(t, n)), axis=-2)
    if by != "y":
        raise ValueError(f"the tangent frame goes by 'y' or 'z', not {by!r}")
    b = _unit(np.cross(t, g[..., 1, :]))
    return np.stack((t, np.cross(b, t), b), axis=-2)


def polar_frame(gradients: ArrayLike) -> Array:
    """The rotation R of the polar decomposition F = R U of the gradients, none of which is preferred; rows t, n, b."""
    u, _, vt = np.linalg.svd(_gradients(gradients))
    u[..., -1] *= np.sign(np.linalg.det(u @ vt))[..., None]
    return np.asarray(u @ vt)


def polar_spin(gradients: ArrayLike, rates: ArrayLike) -> Array:
    """Angular velocity [rad/s] of `polar_frame`, shape (…, 3), in the plane (…,); rates: of the gradients [1/s].

    ω = (tr V 1 − V)⁻¹ Σ t_k × ṙ_k with V = F Rᵀ (romero-2009); in the plane Σ t_k × ṙ_k / tr V.
    """
    g, w = _gradients(gradients), _gradients(rates)
    frame = polar_frame(g)
    V = np.einsum("...ki,...kj->...ij", g, frame)
    trace = np.trace(V, axis1=-2, axis2=-1)
    if g.shape[-1] == 2:
        return np.asarray(np.sum(frame[..., 0] * w[..., 1] - frame[..., 1] * w[..., 0], axis=-1) / trace)
    turning = np.cross(frame, w).sum(axis=-2)
    return np.asarray(np.linalg.solve(trace[..., None, None] * np.eye(3) - V, turning[..., None])[..., 0])


def stretch_in_frame(gradients: ArrayLike, frame: ArrayLike) -> Array:
    """U = Aᵀ J, shape (…, d, d): column k holds the components of the k-th gradient along t, n, b.

    Of the tangent frame it is upper triangular; of the cross-section frame the row of t has no entry but its first.
    """
    return np.asarray(np.asarray(frame, dtype=float) @ np.swapaxes(_gradients(gradients), -1, -2))


def frame_relation(gradients: ArrayLike) -> Array:
    """T = A_tᵀ A_s: components in the cross-section frame to those in the tangent frame, u_t = T u_s. 1 without shear."""
    return np.asarray(tangent_frame(gradients) @ np.swapaxes(cross_section_frame(gradients), -1, -2))


def green_strain(gradients: ArrayLike) -> Array:
    """½ (Jᵀ J − 1), shape (…, d, d): shear strains are tensor components, half of the products such as r_x·r_y."""
    g = _gradients(gradients)
    return np.asarray(0.5 * (g @ np.swapaxes(g, -1, -2) - np.eye(g.shape[-1])))


def area_ratio(gradients: ArrayLike) -> Array:
    """Area of the section now over that at rest, by Nanson's formula: |r_y × r_z|, in the plane |r_y|."""
    g = _gradients(gradients)
    side = g[..., 1, :] if g.shape[-1] == 2 else np.cross(g[..., 1, :], g[..., 2, :])
    return np.asarray(np.linalg.norm(side, axis=-1))
