"""Forces and moments along cables and beams, out of the strains of a state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.ancf.body import AncfAnchor
from condyle.bodies.ancf.continuum import continuum_pull
from condyle.bodies.ancf.directors import director_strains
from condyle.bodies.ancf.exact import Beam
from condyle.bodies.ancf.measures import along_line, section_at
from condyle.bodies.capabilities import Reeled

Array = NDArray[np.float64]


class LineForces(NamedTuple):
    """Along a cable or beam, at k stations: arc length s [m], place [m] (k, d), and what the section carries there.

    axial [N] along the deformed axis (of a Beam, and of an AncfBeam with measures='director', along the normal of the section);
    bending [N m]: counter-clockwise in 2D, the amount for a cable in 3D, about z and y of
    the section (k, 2) for a beam in 3D; shear [N] along y and z alike; torsion [N m]; energy: stored per length [J/m]. All are
    what the part beyond the station puts on it.
    """

    s: Array
    position: Array
    axial: Array
    shear: Array
    bending: Array
    torsion: Array
    energy: Array


def line_forces(
    anchor: AncfAnchor, x: Array, per_element: int = 5, held: Mapping[int, Array] | None = None
) -> LineForces:
    """Of a Cable, Beam or AncfBeam (formulation 'section') at the state x (n, d).

    held: forces [N] of the strains that a Beam does not have (see `Beam.held`), by strain, one per element.
    """
    body: Any = anchor.body
    mesh = anchor.mesh
    assert mesh.starts is not None
    d = x.shape[1]
    vectors = [[v.at(x) for v in own] for own in anchor.vectors]
    total = float(mesh.starts[-1, 0] + mesh.lengths[-1, 0])
    reel = 1.0
    if isinstance(body, Reeled) and body.reel is not None:
        reel = float(np.linalg.norm(x[anchor.reel_row])) / total
    columns = []
    for e, cell in enumerate(mesh.cells):
        now = np.array([v for i in cell for v in vectors[i]])
        for q in np.linspace(0.0, 1.0, per_element):
            k = body.section.at((mesh.starts[e, 0] + q * mesh.lengths[e, 0]) / total)
            place = mesh.weights(e, [q, *([0.0] * (mesh.shape.parameters - 1))], (0,) * mesh.shape.parameters)[0] @ now
            s = reel * (mesh.starts[e, 0] + q * mesh.lengths[e, 0])
            if mesh.shape.parameters == 1:
                carried = _of_cable(body, mesh, e, q, now, k, reel, d)
            elif isinstance(body, Beam):
                carried = _of_frames(body, mesh, e, q, now, k, {n: float(f[e]) for n, f in (held or {}).items()})
            elif body.measures == "director":
                carried = _of_directors(body, mesh, e, q, now, k)
            else:
                carried = _of_gradients(body, mesh, e, q, now, k, d)
            columns.append((s, place, *carried))
    return LineForces(*(np.array(c) for c in zip(*columns, strict=True)))


def axial_forces(anchor: AncfAnchor, x: Array, places: Sequence[tuple[int, Array]]) -> list[float]:
    """Force along the line [N] of a Cable or AncfBeam at places (element, ξ) and the state x (n, d)."""
    body: Any = anchor.body
    mesh, d = anchor.mesh, x.shape[1]
    out = []
    for e, xi in places:
        now = np.array([v.at(x) for i in mesh.cells[e] for v in anchor.vectors[i]])
        q = float(xi[0])
        if not body.has_sections:
            out.append(continuum_pull(body, mesh, e, q, now))
            continue
        k = section_at(body, mesh, e, q)
        if mesh.shape.parameters == 1:
            carried = _of_cable(body, mesh, e, q, now, k, 1.0, d)
        elif body.measures == "director":
            carried = _of_directors(body, mesh, e, q, now, k)
        else:
            carried = _of_gradients(body, mesh, e, q, now, k, d)
        out.append(float(carried[0]))
    return out


def _of_cable(body: Any, mesh: Any, e: int, q: float, now: Array, k: Any, reel: float, d: int) -> tuple[Any, ...]:
    y, J = along_line(mesh, e, np.array([q]))
    third = mesh.weights(e, [q], (3,))[0] / J**3
    t, c, r3 = (y[0] @ now) / reel, (y[1] @ now) / reel**2, (third @ now) / reel**3
    size = float(np.linalg.norm(t))
    power = 2 if body.curvature == "material" else 3
    rest = np.linalg.norm(y[1] @ mesh.local(e)) if body.rest == "curved" else 0.0
    green = body.strain == "green"
    strain = (0.5 * (size**2 - 1.0) if green else size - 1.0) - body.prestrain
    axial = k.axial * strain * (size if green else 1.0)
    stored = 0.5 * k.axial * strain**2
    if body.tissue is not None:
        stored, pull, _ = body.tissue.pull(size)
        area = k.axial / body.tissue.young
        axial, stored = area * pull, area * stored
    if d == 2:
        turn, change = (float(t[0] * v[1] - t[1] * v[0]) / size**power for v in (c, r3))
        rest = rest * np.sign(float(np.cross([*t, 0.0], [*(y[1] @ mesh.local(e)), 0.0])[2])) if rest else 0.0
    else:
        turn, change = (float(np.linalg.norm(np.cross(t, v))) / size**power for v in (c, r3))
    moment = k.bending_z * (turn - rest)
    energy = stored + 0.5 * k.bending_z * (turn - rest) ** 2
    return axial, (-1.0 if d == 2 else 1.0) * k.bending_z * change, moment, 0.0, energy


def _of_directors(body: Any, mesh: Any, e: int, q: float, now: Array, k: Any) -> tuple[Any, ...]:
    gamma, kappa = (
        a - b for a, b in zip(*(director_strains(mesh, e, q, X) for X in (now, mesh.local(e))), strict=True)
    )
    gamma[0] -= body.prestrain
    forces = np.array([k.axial, k.shear_y, k.shear_z]) * gamma
    moments = np.array([k.torsion, k.bending_y, k.bending_z]) * kappa
    return _listed(forces, moments, 0.5 * float(forces @ gamma + moments @ kappa), now.shape[1])


def _of_frames(
    body: Beam, mesh: Any, e: int, q: float, now: Array, k: Any, held: Mapping[int, float]
) -> tuple[Any, ...]:  # fmt: skip
    """Strains are constant along an element; the moment changes by that of the force: m(q) = m − (r(q) − r) × n."""
    d, L = now.shape[1], float(mesh.lengths[e, 0])
    ends = now.reshape(2, -1, d)
    (gamma, angles), (gamma0, angles0) = (body.strains(mesh, e, *X) for X in (ends, mesh.local(e).reshape(2, -1, d)))
    strain = gamma - gamma0 - (body.prestrain, 0.0, 0.0)
    kappa = (angles - angles0) / L
    forces = np.array([k.axial, k.shear_y, k.shear_z]) * strain
    moments = np.array([k.torsion, k.bending_y, k.bending_z]) * kappa
    energy = 0.5 * float(forces @ strain + moments @ kappa)
    for n, force in held.items():
        forces[n] = force
    return _listed(forces, moments - (q - 0.5) * L * np.cross(gamma, forces), energy, d)


def _listed(forces: Array, moments: Array, energy: float, d: int) -> tuple[Any, ...]:
    """axial, shear, bending, torsion, energy; in 3D the moment about y counts as what bends towards z."""
    if d == 2:
        return forces[0], forces[1], moments[2], 0.0, energy
    return forces[0], forces[1:], moments[:0:-1], moments[0], energy


def _of_gradients(body: Any, mesh: Any, e: int, q: float, now: Array, k: Any, d: int) -> tuple[Any, ...]:
    rest = mesh.local(e)

    def strains(X: Array) -> tuple[float, Array, Array, float]:
        axis = np.array([q, *([0.0] * (d - 1))])
        t = along_line(mesh, e, axis)[0][0] @ X
        ends, J = [], []
        for p in (0.0, 1.0):
            at = np.array([p, *([0.0] * (d - 1))])
            own, j = along_line(mesh, e, at)
            sides = mesh.weights(e, at, *(tuple(int(i == n) for i in range(d)) for n in range(1, d)))
            ends.append((own @ X, sides @ X))
            J.append(j)
        size = float(mesh.lengths[e, 0]) * 0.5 * (J[0] + J[1])
        N = (1.0 - q, q)
        gamma = [np.array([end[0][0] @ side for side in end[1]]) for end in ends]
        shear = N[0] * gamma[0] + N[1] * gamma[1]
        r2 = [end[0][1] for end in ends]
        side = N[0] * ends[0][1] + N[1] * ends[1][1]
        between = (N[0] * r2[0] + N[1] * r2[1]) @ side.T
        nodes = N[0] * ends[0][1] @ r2[0] + N[1] * ends[1][1] @ r2[1]
        bending = (gamma[1] - gamma[0]) / size - 0.5 * (between + nodes)
        twist = 0.0
        if d == 3:
            slope = (ends[1][1] - ends[0][1]) / size
            twist = float(0.5 * (slope[1] @ side[0] - slope[0] @ side[1]))
        return float(t @ t), shear, bending, twist

    square, shear, bending, twist = strains(now)
    _, shear0, bending0, twist0 = strains(rest)
    strain = 0.5 * (square - 1.0) - body.prestrain
    moments = np.array([k.bending_z, k.bending_y][: d - 1]) * (bending - bending0)
    forces = np.array([k.shear_y, k.shear_z][: d - 1]) * (shear - shear0)
    torque = k.torsion * (twist - twist0)
    energy = 0.5 * (
        k.axial * strain**2 + moments @ (bending - bending0) + forces @ (shear - shear0) + torque * (twist - twist0)
    )
    # r'·r_y' is minus the curvature towards y, the twist measure minus the twist: components of the moment vector follow
    flat = (forces[0], -moments[0]) if d == 2 else (forces, moments * (-1.0, 1.0))
    return k.axial * strain * float(np.sqrt(square)), *flat, -torque, energy
