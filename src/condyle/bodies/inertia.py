"""Mass, centre and second moments of shapes and meshes.

The second moment (Euler tensor) about a point is Σ = ∫ ρ ξ ξᵀ dV; the inertia tensor is J = tr(Σ) 1 − Σ.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.bodies.elements import blocks_of
from condyle.errors import InputError
from condyle.model.fields import numbers


class MassProperties(NamedTuple):
    """mass [kg], centre of mass [m] (d,), second moment about that centre [kg m²] (d, d)."""

    mass: float
    centre: NDArray[np.float64]
    second_moment: NDArray[np.float64]


def inertia_from_second_moment(second: NDArray[np.float64]) -> NDArray[np.float64]:
    """J = tr(Σ) 1 − Σ in 3D; the polar moment tr Σ, as a 1×1 matrix, in 2D."""
    if second.shape == (2, 2):
        return np.array([[np.trace(second)]])
    inertia = 0.0 - second
    inertia.flat[:: len(second) + 1] += second.trace()
    return inertia


def second_moment(given: ArrayLike | None, inertia: ArrayLike | None, d: int, label: str) -> NDArray[np.float64]:
    """Σ of a body, shape (d, d), as it was given or from its inertia; of both, they must say the same."""
    if inertia is None and given is None:
        raise InputError(f"{label}: give inertia (about the centre of mass), or use PointMass for a particle")
    from_inertia = None if inertia is None else second_moment_from_inertia(inertia, d, label)
    if given is None:
        assert from_inertia is not None
        return from_inertia
    second = numbers(given, f"{label}: second_moment", shape=(d, d))
    if not _symmetric(second):
        raise InputError(f"{label}: second_moment must be symmetric, not {second.tolist()}")
    second = clipped(0.5 * (second + second.T), label)
    if from_inertia is not None:
        one, other = (inertia_from_second_moment(S) for S in (second, from_inertia))
        if np.abs(one - other).max() > 1e-9 * np.abs(one).max():
            raise InputError(
                f"{label}: inertia and second_moment contradict each other (by second_moment the inertia is {one.tolist()}); "
                "give one of them"
            )
    return second


def second_moment_from_inertia(inertia: ArrayLike, dimension: int, label: str) -> NDArray[np.float64]:
    """Σ = ½ tr(J) 1 − J (3D: J as 3 principal values or a 3×3 matrix); in 2D the polar moment, split evenly.

    The triangle inequality of principal inertias is the condition that Σ has no negative eigenvalue.
    """
    J = numbers(inertia, f"{label}: inertia")
    if dimension == 2:
        if J.ndim != 0:
            raise InputError(f"{label}: in 2D the inertia is one number [kg m²], not {inertia!r}")
        if J < 0:
            raise InputError(f"{label}: inertia must not be negative, not {float(J):g}")
        return 0.5 * float(J) * np.eye(2)
    if J.shape == (3,):
        first, second, third = J.tolist()
        half = 0.5 * (first + second + third)
        return clipped(np.diag((half - first, half - second, half - third)), label)
    if J.shape != (3, 3):
        raise InputError(f"{label}: in 3D the inertia is 3 principal values or a 3×3 matrix, not {inertia!r}")
    if not _symmetric(J):
        raise InputError(f"{label}: the inertia matrix must be symmetric")
    return clipped(0.5 * np.trace(J) * np.eye(3) - 0.5 * (J + J.T), label)


def _symmetric(matrix: NDArray[np.float64]) -> bool:
    """But for the digits it was written with."""
    entries, turned = matrix.ravel().tolist(), matrix.T.ravel().tolist()
    off = max(abs(a - b) for a, b in zip(entries, turned, strict=True))
    return bool(off <= 1e-9 * max(*map(abs, entries), 1e-300))


def principal(second: NDArray[np.float64]) -> list[float] | None:
    """Eigenvalues from the smallest on where they stand on the diagonal, as for most bodies; None if it is not diagonal."""
    diagonal = second.diagonal()
    if np.count_nonzero(second) != np.count_nonzero(diagonal):
        return None
    return sorted(diagonal.tolist())


def clipped(second: NDArray[np.float64], label: str) -> NDArray[np.float64]:
    """Make eigenvalues of the size of round-off exactly zero; larger negative ones are an error in the input."""
    diagonal = principal(second)
    values, axes = (diagonal, None) if diagonal else np.linalg.eigh(second)
    trace = sum(map(float, values))
    if trace < 0 or values[0] < -1e-12 * max(trace, 0.0) - 1e-300:
        J = np.sort(np.linalg.eigvalsh(inertia_from_second_moment(second)))
        raise InputError(
            f"{label}: principal inertias {', '.join(f'{v:g}' for v in J)} violate the triangle inequality "
            f"(the largest must not exceed the sum of the others); check units, axes and the reference point"
        )
    if axes is None:
        return second if values[0] > 1e-12 * trace else np.where(second > 1e-12 * trace, second, 0.0)
    return (axes * np.where(np.asarray(values) > 1e-12 * trace, values, 0.0)) @ axes.T


def box(size: ArrayLike, density: float) -> MassProperties:
    """A rectangle (2D, per unit thickness) or a box, centred."""
    edges = np.asarray(size, dtype=float)
    mass = density * float(np.prod(edges))
    return MassProperties(mass, np.zeros(edges.size), mass / 12.0 * np.diag(edges**2))


def ball(radius: float, density: float, dimension: int) -> MassProperties:
    """A disk (2D, per unit thickness) or a sphere, centred."""
    if dimension == 2:
        mass = density * math.pi * radius**2
        return MassProperties(mass, np.zeros(2), 0.25 * mass * radius**2 * np.eye(2))
    mass = density * 4.0 / 3.0 * math.pi * radius**3
    return MassProperties(mass, np.zeros(3), 0.2 * mass * radius**2 * np.eye(3))


def cylinder(radius: float, length: float, density: float) -> MassProperties:
    """A solid cylinder along z, centred."""
    mass = density * math.pi * radius**2 * length
    across = 0.25 * mass * radius**2
    return MassProperties(mass, np.zeros(3), np.diag([across, across, mass * length**2 / 12.0]))


def capsule(radius: float, length: float, density: float) -> MassProperties:
    """All points within `radius` of a line of `length` along z, centred: a cylinder with a half ball on each end."""
    rod, cap = cylinder(radius, length, density), ball(radius, density, 3)
    # Centres of the half balls are 3/8 of the radius beyond the ends of the line.
    off = 0.5 * length + 0.375 * radius
    along = cap.second_moment[2, 2] - cap.mass * (0.375 * radius) ** 2 + cap.mass * off**2
    across = float(cap.second_moment[0, 0])
    return MassProperties(rod.mass + cap.mass, np.zeros(3), rod.second_moment + np.diag([across, across, float(along)]))


def ellipsoid(radii: ArrayLike, density: float) -> MassProperties:
    """An ellipsoid of half axes `radii`, centred."""
    half = np.asarray(radii, dtype=float)
    mass = density * 4.0 / 3.0 * math.pi * float(np.prod(half))
    return MassProperties(mass, np.zeros(3), 0.2 * mass * np.diag(half**2))


def of_surface(points: ArrayLike, triangles: ArrayLike, density: float) -> MassProperties:
    """What a closed surface of triangles (t, 3) encloses, which face outwards: a sum over tetrahedra to the origin."""
    corners = np.asarray(points, dtype=float)[np.asarray(triangles, dtype=np.int64)]
    volumes = np.einsum("ti,ti->t", corners[:, 0], np.cross(corners[:, 1], corners[:, 2])) / 6.0
    volume = float(volumes.sum())
    total = corners.sum(axis=1)
    centre = volumes @ total / (4.0 * volume) if volume else np.zeros(3)
    # ∫ ξξᵀ dV of a tetrahedron with one corner at the origin: V/20 (Σ_k a_k a_kᵀ + s sᵀ), s = Σ_k a_k.
    second = np.einsum("t,tki,tkj->ij", volumes, corners, corners) + np.einsum("t,ti,tj->ij", volumes, total, total)
    return MassProperties(density * volume, centre, density * (second / 20.0 - volume * np.outer(centre, centre)))


def of_mesh(
    nodes: ArrayLike, cells: NDArray[np.int64], kind: str, density: float, label: str, thickness: float = 1.0
) -> MassProperties:
    """Mass properties of a meshed body, M = Σ_e Lᵀ m^(e) L (Taylor 2000, eq. 77) with consistent element masses.

    The affine functions 1, X_1 … X_d stand for the natural coordinates L; both span the same motions.
    """
    X = np.asarray(nodes, dtype=float)
    moments = np.zeros((X.shape[1] + 1,) * 2)
    for block in blocks_of(cells, kind, label):
        corners = X[block.cells]
        affine = np.concatenate((np.ones((*corners.shape[:2], 1)), corners), axis=2)
        m = density * thickness * block.kind.mass_matrices(corners, label, first=block.first)
        moments = moments + np.einsum("cnI,cnm,cmJ->IJ", affine, m, affine)
    mass = float(moments[0, 0])
    if not mass > 0:
        raise InputError(f"{label}: the mesh has no mass; check density ({density:g}) and the orientation of its cells")
    centre = moments[0, 1:] / mass
    return MassProperties(mass, centre, moments[1:, 1:] - mass * np.outer(centre, centre))
