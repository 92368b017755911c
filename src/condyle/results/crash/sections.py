"""Force and moment through a cut of a rigid body: what holds the part beyond it, from its inertia and all that acts on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.bodies.pseudo_rigid import PseudoRigidBody
from condyle.bodies.rigid import RigidBody
from condyle.errors import InputError
from condyle.model.part import name_of
from condyle.results.crash.beyond import cross, given, prepared, touching, transmitted
from condyle.results.crash.curves import Array
from condyle.system.cut import Cut

if TYPE_CHECKING:
    from condyle.model.given import BodyLike, NumbersLike, VectorLike
    from condyle.results.crash.beyond import Loads
    from condyle.results.result import Result


@dataclass(frozen=True)
class SectionForce:
    """What the part beyond the cut puts on the part before it, over the `times` [s] of the frames, in world axes.

    force [N], shape (n, d); moment about the place of the cut [N m], shape (n, 3), in 2D (n,); normal: unit vectors
    (n, d) out of the
    part before.
    """

    times: Array
    force: Array
    moment: Array
    normal: Array

    @property
    def axial(self) -> Array:
        """Force along the normal [N], tension positive, shape (n,)."""
        return np.asarray(np.sum(self.force * self.normal, axis=1))

    @property
    def shear(self) -> Array:
        """Size of the force across the normal [N], shape (n,)."""
        return np.asarray(np.linalg.norm(self.force - self.axial[:, None] * self.normal, axis=1))

    @property
    def torsion(self) -> Array:
        """Moment about the normal [N m], shape (n,); 0 in 2D."""
        return (
            np.zeros(len(self.times))
            if self.moment.ndim == 1
            else np.asarray(np.sum(self.moment * self.normal, axis=1))
        )

    @property
    def bending(self) -> Array:
        """Size of the moment across the normal [N m], shape (n,); in 2D the moment itself."""
        if self.moment.ndim == 1:
            return self.moment
        return np.asarray(np.linalg.norm(self.moment - self.torsion[:, None] * self.normal, axis=1))


def section_force(
    result: Result,
    body: BodyLike,
    at: VectorLike,
    *,
    normal: VectorLike | None = None,
    bar: tuple[VectorLike, VectorLike] | None = None,
    mass: float | None = None,
    centre: VectorLike | None = None,
    inertia: NumbersLike | None = None,
    loads: Loads | None = None,
) -> SectionForce:
    """Force and moment through the plane at `at` [m, body axes] of a rigid body.

    What lies beyond the cut is given as bar=(start, end) [m, body axes], along which the mass of the body is spread
    evenly (its normal is from start to end), or by normal, mass [kg], centre [m] and inertia [kg m²] about it (3 values or
    a matrix, in 2D a number) of that part. All that acts on that part is found in the model; what acts on a joint
    coordinate acts where the joint is. The rest must be said by `loads`, and whatever else is said there takes the place
    of what is found: {'name of the part': point} says where a part acts that names no place (a `Torque`), and
    {'name': (point, force)} or (point, force, moment) what impacts in no time do, or parts that controllers have set, with
    forces [N] and moments [N m] at the frames, shapes (n, d) and (n, 3), in 2D (n,). Both count where the point is beyond
    the cut.
    Accelerations are slopes of the recorded velocities, so keep every step; in equilibria of `solve_static` there are none.
    """
    d = result.dimension
    rigid = result.model.body(name_of(body))
    if not isinstance(rigid, RigidBody) or isinstance(rigid, PseudoRigidBody):
        raise InputError(f"section_force: {rigid.label} is no rigid body; only rigid bodies can be cut")
    place = _vector(at, d, "at")
    out, moments = _beyond(rigid, place, normal, bar, mass, centre, inertia, d)
    cut = prepared(result, Cut(rigid.name, place, out, moments), loads or {})
    origin, axes = result.position(rigid.name), result.directors(rigid.name)
    there = origin + axes @ place
    force, moment = transmitted(result, cut, there)
    for point, acting, turn in (*given(result, cut, loads or {}), *touching(result, cut)):
        force = force + acting
        moment = moment + cross(point - there, acting) + turn
    direction = axes @ out
    return SectionForce(
        np.asarray(result.times), force, moment, direction / np.linalg.norm(direction, axis=1, keepdims=True)
    )


def _vector(value: object, d: int, what: str) -> Array:
    array = np.asarray(value, dtype=float)
    if array.shape != (d,) or not np.isfinite(array).all():
        raise InputError(f"section_force: {what} must be {d} finite numbers in body axes, not {value!r}")
    return array


def _beyond(
    body: Any, place: Array, normal: Any, bar: Any, mass: float | None, centre: Any, inertia: Any, d: int
) -> tuple[Array, Array]:
    """The normal in body axes, and ∫ρ [1; ξ][1; ξ]ᵀ of the part beyond the cut, shape (d + 1, d + 1)."""
    if bar is not None:
        start, end = (_vector(p, d, "bar") for p in bar)
        length = float(np.linalg.norm(end - start))
        share = float((end - place) @ (end - start)) / length**2 if length > 0.0 else -1.0
        if not 0.0 <= share <= 1.0:
            raise InputError(f"section_force: the cut at {place.tolist()} is not between the ends of the bar")
        piece, middle, half = share * body.mass, end - 0.5 * share * (end - start), 0.5 * share * (end - start)
        second = piece * (np.outer(middle, middle) + np.outer(half, half) / 3.0)
        return (end - start) / length, _matrix(piece, middle, second, d)
    if normal is None or mass is None or centre is None:
        raise InputError(
            "section_force: a rigid body does not say how its mass is spread; give bar=(start, end), or normal, mass, "
            "centre and inertia of the part beyond the cut"
        )
    out, middle, piece = _vector(normal, d, "normal"), _vector(centre, d, "centre"), float(mass)
    if not out.any() or not 0.0 < piece <= body.mass * (1.0 + 1e-9):
        raise InputError(
            f"section_force: normal must not be 0, and mass between 0 and that of the body, {body.mass:g} kg"
        )
    J = np.zeros(()) if inertia is None else np.asarray(inertia, dtype=float)
    if d == 2:
        about = 0.5 * float(J) * np.eye(2)
    else:
        J = np.diag(J) if J.shape == (3,) else J * np.eye(3) if J.ndim == 0 else J
        about = 0.5 * np.trace(J) * np.eye(3) - J
    return out / np.linalg.norm(out), _matrix(piece, middle, about + piece * np.outer(middle, middle), d)


def _matrix(mass: float, centre: Array, second: Array, d: int) -> Array:
    matrix = np.empty((d + 1, d + 1))
    matrix[0, 0], matrix[1:, 1:] = mass, second
    matrix[0, 1:] = matrix[1:, 0] = mass * centre
    return matrix
