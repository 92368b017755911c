"""Energy of an AncfBeam element in strains that are linear in the Gram matrix of its gradients (measures='gradient'):

    axial ½(r'·r' − 1); shear r'·r_y, r'·r_z; bending (r'·r_y)' − r''·r_y, the same with z;
    twist ½(r_z'·r_y − r_y'·r_z); change of the section ½(r_y·r_y − 1) + ν ε, ½(r_z·r_z − 1) + ν ε, r_y·r_z

Uniaxial stress and the change of the section are an exact split of the isotropic energy, so that Poisson's ratio cannot
lock bending. Section and shear are taken at the nodes. In an element that turns by φ, r''·r_y is too small by φ²/12 at the
two Gauss points (r_y is a chord there) and too large by as much between the nodes: bending takes the mean of both.

Curvature is that of the axis here, less the change of shear: with strains of the size ε it is wrong by the share ε, and the
change of the section's own length along the beam, which nothing resists, is seen as shear. For small strains only.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.ancf.body import Mesh
from condyle.bodies.ancf.measures import Term, add_linear, along_line, on_axis, section_at
from condyle.bodies.ancf.shapes import gauss

if TYPE_CHECKING:
    from condyle.system.builder import Builder

Array = NDArray[np.float64]

# Twist as (strain, i, j, coefficient of G_ij) of y = (r_y, r_z, r_y', r_z').
_TWIST: list[Term] = [(0, 3, 0, 0.5), (0, 2, 1, -0.5)]


def add_gradients(builder: Builder, beam: Any, mesh: Mesh, e: int, rows: NDArray[np.int64], W: Array) -> None:
    """Energy of element e."""
    d = builder.d
    X, L = mesh.local(e), float(mesh.lengths[e, 0])
    sides = [tuple(int(i == k) for i in range(d)) for k in range(1, d)]
    turns = [tuple(int(i in (0, k)) for i in range(d)) for k in range(1, d)]
    axial, twist, section = [], [], []
    for q, w in zip(*gauss(beam.points), strict=True):
        y, J = along_line(mesh, e, on_axis(q, d))
        axial.append((y[:1], w * L * J, np.array([[section_at(beam, mesh, e, q).axial]]), np.array([beam.prestrain])))
    for q in (0.0, 1.0):
        y, J = along_line(mesh, e, on_axis(q, d))
        own = mesh.weights(e, on_axis(q, d), *sides)
        k = section_at(beam, mesh, e, q)
        lam, mu = k.lame
        across = np.zeros((5, 5))
        across[:2, :2] = lam + 2 * mu * np.eye(2)
        across[2, 2], across[3, 3], across[4, 4] = mu, k.shear_y, k.shear_z
        if d == 2:  # plane stress across the plane
            across = np.diag([4 * mu * (lam + mu) / (lam + 2 * mu), k.shear_y])
        section.append((np.vstack((y[:1], own)), 0.5 * L * J, across, None))
    nu = section_at(beam, mesh, e, 0.5).poisson
    change: list[Term] = [(0, 1, 1, 0.5), (0, 0, 0, 0.5 * nu), (1, 0, 1, 1.0)]
    if d == 3:
        change = [*change[:2], (1, 2, 2, 0.5), (1, 0, 0, 0.5 * nu), (2, 1, 2, 1.0), (3, 0, 1, 1.0), (4, 0, 2, 1.0)]
        size = L * 0.5 * sum(along_line(mesh, e, on_axis(q, d))[1] for q in (0.0, 1.0))
        for q, w in zip(*gauss(2), strict=True):
            _, J = along_line(mesh, e, on_axis(q, d))
            own = mesh.weights(e, on_axis(q, d), *sides, *turns)
            own[2:] /= J
            GJ = section_at(beam, mesh, e, q).torsion / _twist_seen(own, X, size) ** 2
            twist.append((own, w * L * J, np.array([[GJ]]), None))
        add_linear(builder, beam.name, rows, W, X, twist, _TWIST)
    add_linear(builder, beam.name, rows, W, X, axial, [(0, 0, 0, 0.5)], 1)
    add_linear(builder, beam.name, rows, W, X, section, change, d)
    _add_bending(builder, beam, mesh, e, rows, W)


def _add_bending(builder: Builder, beam: Any, mesh: Mesh, e: int, rows: NDArray[np.int64], W: Array) -> None:
    """y = (r', r'', r_y at the first node, the same at the second); one strain at each of two Gauss points."""
    d = builder.d
    X, L = mesh.local(e), float(mesh.lengths[e, 0])
    ends = [along_line(mesh, e, on_axis(q, d)) for q in (0.0, 1.0)]
    (xi, w), size = gauss(2), L * 0.5 * (ends[0][1] + ends[1][1])
    terms: list[Term] = []
    for k, q in enumerate(xi):
        N = (1.0 - q, q)
        terms += [(k, 0, 2, -1.0 / size), (k, 3, 5, 1.0 / size)]  # (r'·r_y)'
        for i in range(2):
            terms.append((k, 3 * i + 1, 3 * i + 2, -0.5 * N[i]))
            terms += [(k, 3 * i + 1, 3 * j + 2, -0.5 * N[i] * N[j]) for j in range(2)]
    here = [section_at(beam, mesh, e, q) for q in xi]
    for n, name in zip(range(1, d), ("bending_z", "bending_y"), strict=False):
        order = tuple(int(i == n) for i in range(d))
        y = np.vstack([(*ends[q][0], mesh.weights(e, on_axis(q, d), order)[0]) for q in (0, 1)])
        C = np.diag([weight * getattr(k, name) for weight, k in zip(w, here, strict=True)])
        add_linear(builder, beam.name, rows, W, X, [(y, size, C, None)], terms)


def _twist_seen(y: Array, X: Array, size: float) -> float:
    """Twist that linear sections show when the sections of an element at rest are turned by one radian per length.

    1 for a straight element; less where the axis is curved at rest, since sections between the nodes are chords.
    """
    turned = np.zeros_like(X)
    turned[6], turned[7] = size * X[7], -size * X[6]  # r_y and r_z of the second node
    V, dV = y @ X, y @ turned
    return float(0.5 * (dV[3] @ V[0] + V[3] @ dV[0] - dV[2] @ V[1] - V[2] @ dV[1]))
