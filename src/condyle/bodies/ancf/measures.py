"""Energy and mass of one element: along a line, on a surface, in a volume. Shared by all families of ANCF bodies.

Reference shapes may be curved: lines are written in their arc length, volumes in world coordinates, surfaces in covariant
strains of their parameters with the contravariant elasticity of the metric at rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.ancf.body import Mesh, add_by_point
from condyle.bodies.ancf.sections import Stiffness
from condyle.errors import InputError
from condyle.laws.codes import LINEAR_STRAINS, PLATE
from condyle.system.builder import Builder

Array = NDArray[np.float64]
Term = tuple[int, int, int, float]  # strain, i, j, coefficient of G_ij


def on_axis(q: float, d: int) -> Array:
    """ξ of the point at a share q of an element of a beam, on its axis."""
    return np.array([q, *([0.0] * (d - 1))])


def section_at(part: Any, mesh: Mesh, e: int, share: float) -> Stiffness:
    """Of the section of a cable or beam at a share 0 … 1 of element e."""
    assert mesh.starts is not None
    whole = float(mesh.starts[-1, 0] + mesh.lengths[-1, 0])
    k: Stiffness = part.section.at((mesh.starts[e, 0] + share * mesh.lengths[e, 0]) / whole)
    return k


def along_line(mesh: Mesh, e: int, q: Array) -> tuple[Array, float]:
    """Weights of r' and r'' by the arc length at rest, and ds/dx, at ξ = q of element e."""
    more = (0,) * (mesh.shape.parameters - 1)
    slope, bend = mesh.weights(e, q, (1, *more), (2, *more))
    X = mesh.local(e)
    t, c = slope @ X, bend @ X
    J = float(np.linalg.norm(t))
    # r_s = r_x/J, r_ss = r_xx/J² − r_x (r_x·r_xx)/J⁴
    return np.array([slope / J, bend / J**2 - slope * float(t @ c) / J**4]), J


def linear(C: Array, terms: Sequence[Term], reference: Array, extra: Array | None = None) -> tuple[float, ...]:
    """Parameters of the law of strains linear in G that vanish for the gathered vectors `reference` (ny, d)."""
    G = reference @ reference.T
    e0 = np.zeros(len(C)) if extra is None else np.asarray(extra, dtype=float).copy()
    for k, i, j, a in terms:
        e0[k] += a * G[i, j]
    flat = [float(v) for term in terms for v in term]
    return (float(len(C)), float(len(terms)), *np.ravel(C).tolist(), *e0.tolist(), *flat)


def add_linear(
    builder: Builder, part: str, rows: NDArray[np.int64], W: Array, X: Array,
    points: Sequence[tuple[Array, float, Array, Array | None]], terms: Sequence[Term], columns: int = 0,
) -> None:  # fmt: skip
    """Strains linear in G at points (weights (ny, nodes · k), measure, C, extra rest strain) of one element.

    columns: see `Builder.add_element`.
    """
    params = [linear(C, terms, y @ X, extra) for y, _, C, extra in points]
    weights = np.array([y @ W for y, *_ in points])
    add_by_point(builder, part, LINEAR_STRAINS, rows, weights, np.array([m for _, m, *_ in points]), params, columns)


# --- surfaces -----------------------------------------------------------------------------------------------------------


def plane_stress(material: Any, metric: Array) -> Array:
    """Contravariant plane-stress elasticity per thickness on (e11, e22, 2 e12), shape (3, 3), for a metric (2, 2)."""
    E, nu = material.young, material.poisson
    a = np.linalg.inv(metric)
    pairs = ((0, 0), (1, 1), (0, 1))
    C = np.empty((3, 3))
    for m, (i, j) in enumerate(pairs):
        for n, (k, q) in enumerate(pairs):
            C[m, n] = nu * a[i, j] * a[k, q] + 0.5 * (1.0 - nu) * (a[i, k] * a[j, q] + a[i, q] * a[j, k])
    return E / (1.0 - nu**2) * C


def surface_energy(
    builder: Builder, part: Any, mesh: Mesh, e: int, rows: NDArray[np.int64], W: Array,
    rule: tuple[Array, Array], *, order: float, curved: bool, prestrain: float,
) -> None:  # fmt: skip
    """Stretch of the middle surface and its curvature (law `plate`); part has a material and a thickness."""
    X = mesh.local(e)
    size = float(np.prod(mesh.lengths[e]))
    twice = np.array([[1.0, 1.0, 2.0], [1.0, 1.0, 2.0], [2.0, 2.0, 4.0]])  # κ12 stands once, but counts twice
    weights, measure, params = [], [], []
    for q, w in zip(*rule, strict=True):
        y = mesh.weights(e, q, (1, 0), (0, 1), (2, 0), (0, 2), (1, 1))
        V = y @ X
        metric = V[:2] @ V[:2].T
        area = float(np.sqrt(np.linalg.det(metric)))
        if not area > 0:
            raise InputError(f"{part.label}: element {e} has no area; are its nodes in order?")
        C = plane_stress(part.material, metric)
        n = np.cross(V[0], V[1]) / area
        kappa = V[2:] @ n if curved else np.zeros(3)
        if np.abs(kappa).max() * np.sqrt(size) < 1e-6:
            kappa = np.zeros(3)
        e0 = np.array([0.5 * metric[0, 0], 0.5 * metric[1, 1], metric[0, 1]]) * (1.0 + 2.0 * prestrain)
        membrane = part.thickness * C if part.membrane is None else np.array(part.membrane)
        bending = part.thickness**3 / 12.0 * C if part.bending is None else np.array(part.bending)
        weights.append(y @ W)
        measure.append(w * size * area)
        params.append(
            (order, *e0.tolist(), *np.ravel(membrane).tolist(), *np.ravel(twice * bending).tolist(), *kappa.tolist(),
             1e-6 / np.sqrt(size))
        )  # fmt: skip
    # Round-off of flat elements must not make their points differ.
    params = [tuple(float(f"{v:.13e}") if abs(v) > 1e-30 else 0.0 for v in p) for p in params]
    add_by_point(builder, part.name, PLATE, rows, np.array(weights), np.array(measure), params, 2)


def surface_mass(mesh: Mesh, e: int, density: float, count: int, order: Sequence[int] = (0, 0)) -> Array:
    """∫ density N Nᵀ dA of the shape functions of ∂^order r, shape (nodes · k, nodes · k); density [kg/m²]."""
    from condyle.bodies.ancf.shapes import gauss_product

    X = mesh.local(e)
    more = (0,) * (mesh.shape.parameters - 2)
    m = np.zeros((len(X), len(X)))
    for q, w in zip(*gauss_product([count, count]), strict=True):
        xi = [*q, *(0.0 for _ in more)]
        N, a, b = mesh.weights(e, xi, order, (1, 0, *more), (0, 1, *more))
        T = np.array([a @ X, b @ X])
        area = float(np.sqrt(np.linalg.det(T @ T.T)))
        m += density * w * float(np.prod(mesh.lengths[e][:2])) * area * np.outer(N, N)
    return m


# --- volumes ------------------------------------------------------------------------------------------------------------


def volume_points(
    part: Any, mesh: Mesh, e: int, rule: tuple[Array, Array]
) -> list[tuple[Array, float, Array]]:  # fmt: skip
    """(weights of the columns of F, volume, weights of r) at the points of a rule on the cell of element e."""
    X = mesh.local(e)
    p = mesh.shape.parameters
    orders = [tuple(int(i == k) for i in range(p)) for k in range(p)]
    out = []
    for q, w in zip(*rule, strict=True):
        N, *dN = mesh.weights(e, q, (0,) * p, *orders)
        J = np.array(dN) @ X
        det = float(np.linalg.det(J))
        if not det > 0:
            raise InputError(f"{part.label}: element {e} is turned inside out; are its nodes in order?")
        out.append((np.linalg.solve(J, np.array(dN)), w * float(np.prod(mesh.lengths[e])) * det, N))
    return out


def volume_energy(
    builder: Builder, part: Any, mesh: Mesh, e: int, rows: NDArray[np.int64], W: Array, rule: tuple[Array, Array]
) -> None:
    """The stored energy of any material at the points of a rule."""
    points = volume_points(part, mesh, e, rule)
    weights = np.array([y @ W for y, *_ in points])
    measure = np.array([v for _, v, _ in points])
    builder.add_element(
        part.name,
        part.material.number,
        rows,
        weights,
        measure,
        part.material.parameters(mesh.shape.parameters),
        columns=3,
    )


def volume_mass(part: object, mesh: Mesh, e: int, density: float, rule: tuple[Array, Array]) -> Array:
    """∫ ρ N Nᵀ dV, shape (nodes · k, nodes · k)."""
    points = volume_points(part, mesh, e, rule)
    return np.asarray(sum(density * v * np.outer(N, N) for _, v, N in points))
