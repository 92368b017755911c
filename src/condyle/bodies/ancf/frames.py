"""Strains of geometrically exact beams in plain numbers, for shapes at rest and for results; formulas in laws/frames.py
and laws/rigid_frames.py.

Frames are rows d1, d2, d3 (3, 3); what lies in the plane is put into space, with r_z across it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def in_space(vectors: Array) -> Array:
    """Vectors (n, d) with three components."""
    v = np.atleast_2d(np.asarray(vectors, dtype=float))
    return np.column_stack((v, np.zeros(len(v)))) if v.shape[1] == 2 else v


def section_frame(sides: Array) -> Array:
    """The frame of a section with the gradients r_y(, r_z), shape (d − 1, d): their polar rotation."""
    F = in_space(sides)
    if len(F) == 1:
        F = np.vstack((F, (0.0, 0.0, 1.0)))
    values, axes = np.linalg.eigh(F @ F.T)
    D = axes @ np.diag(1.0 / np.sqrt(values)) @ axes.T @ F
    return np.vstack((np.cross(D[0], D[1]), D))


def section_strains(slope: Array, sides: Array) -> Array:
    """Γ1, Γ2, Γ3 of r' and r_y(, r_z)."""
    return np.asarray(section_frame(sides) @ in_space(slope)[0])


def section_angles(first: Array, second: Array) -> Array:
    """L κ1, L κ2, L κ3 between two sections with the gradients r_y(, r_z), shape (d − 1, d)."""
    return frame_strains(np.zeros(3), section_frame(first), section_frame(second))[1]


def frame_strains(slope: Array, a: Array, b: Array) -> tuple[Array, Array]:
    """Γ and L κ of the element of constant strain between two frames (rows), slope = Δr/L."""
    R = a @ b.T
    k = 0.5 * np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    sine = float(np.linalg.norm(k))
    angle = float(np.arctan2(sine, 0.5 * (np.trace(R) - 1.0)))
    g = 0.5 * (a + b) @ slope
    f, h = (angle / sine, (angle / sine - 1.0) / sine**2) if sine > 1e-4 else (1.0 + sine**2 / 6.0, 1.0 / 6.0)
    return f * g - h * (g @ k) * k, f * k


def rounded(strains: Array) -> list[float]:
    """Without round-off, which must not make points of a straight line differ."""
    return [float(v) + 0.0 for v in np.round(strains, 14)]
