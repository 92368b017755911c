"""Force and moment through a cut of a rigid body: what holds the part beyond it, from its inertia and all that acts on it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.errors import InputError
from condyle.model.part import name_of
from condyle.results.crash.curves import Array

if TYPE_CHECKING:
    from condyle.model.given import BodyLike, NumbersLike, PointLike, VectorLike
    from condyle.results.result import Result

SILENT = ("Gravity", "Initial")  # parts that put no force on a point of the body


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
    loads: Mapping[str, tuple[PointLike, NumbersLike]] | None = None,
) -> SectionForce:
    """Force and moment through the plane at `at` [m, body axes] of a rigid body.

    What lies beyond the cut is given as bar=(start, end) [m, body axes], along which the mass of the body is spread
    evenly (its normal
    is from start to end), or by normal, mass [kg], centre [m] and inertia [kg m²] about it (3 values or a matrix, in
    2D a number) of
    that part. Joints, gravity and contacts without impacts in no time are found in the model. What else acts on the part
    beyond, such as springs, is given by loads={'name of the part': (point, force)}, with forces [N] at the frames, shape
    (n, d). Accelerations are slopes of the recorded velocities, so keep every step.
    """
    d = result.dimension
    name = result.model.body(name_of(body)).name
    place = _vector(at, d, "at")
    out, moments = _beyond(result.model.body(name), place, normal, bar, mass, centre, inertia, d)
    rows = [result.system.position(name), *result.system.anchors[name].axes()]
    if len(rows) != d + 1:
        raise InputError(f"section_force: {result.model[name].label} has no directors; only rigid bodies can be cut")
    y = [result._history("x", row) for row in rows]
    acceleration = [result._slope(result._history("v", row)) for row in rows]
    cut = y[0] + sum(place[k] * y[k + 1] for k in range(d))
    force = -np.asarray(sum(moments[0, j] * acceleration[j] for j in range(d + 1)))
    turning = sum(moments[i, j] * cross(y[i], acceleration[j]) for i in range(d + 1) for j in range(d + 1))
    moment = -np.asarray(turning) - cross(cut, force)
    middle = np.asarray(sum(moments[0, j] * y[j] for j in range(d + 1))) / moments[0, 0]
    times = result._store.steps["time"][result._store.frame_steps]
    weight = moments[0, 0] * np.outer(_gravity_scale(result, times), np.asarray(result.model.gravity, dtype=float)[:d])
    force, moment = force + weight, moment + cross(middle - cut, weight)
    keep = result._frames
    force, moment, cut = force[keep], moment[keep], cut[keep]
    for point, acting, turn in _acting(result, name, place, out, loads or {}):
        force = force + acting
        moment = moment + cross(point - cut, acting) + turn
    direction = np.asarray(sum(out[k] * y[k + 1][keep] for k in range(d)))
    return SectionForce(
        np.asarray(result.times), force, moment, direction / np.linalg.norm(direction, axis=1, keepdims=True)
    )


def cross(a: Array, b: Array) -> Array:
    """a × b, (n, 3), in 2D its one component (n,)."""
    return np.cross(a, b) if a.shape[-1] == 3 else np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


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


def _gravity_scale(result: Result, times: Array) -> Array:
    scale = next((part.scale for part in result.model if type(part).__name__ == "Gravity"), None)
    return np.ones(len(times)) if scale is None else np.array([float(scale(t)) for t in times])


def _acting(
    result: Result, body: str, place: Array, out: Array, loads: Mapping[str, tuple[Any, Any]]
) -> Iterator[tuple[Array, Array, Any]]:
    """Place, force and moment of all that acts on the part beyond, at the frames."""
    from condyle.contact.contact import Contact
    from condyle.joints import Joint

    for key, (point, given) in loads.items():
        force = np.asarray(given, dtype=float)
        if force.shape != (len(result.times), result.dimension):
            raise InputError(
                f"section_force: the force of '{key}' must have shape {(len(result.times), result.dimension)}"
            )
        yield result.position(point), force, 0.0
    held = {owner for owner, _, _ in result._store.header.multipliers}
    for part in result.model:
        own = [p for p in _points(part, body) if _is_beyond(result, p, body, place, out)]
        name = getattr(part, "name", "")
        if not own or name in loads or type(part).__name__ in SILENT or name == body:
            continue
        if isinstance(part, Contact) and not result.contact(name).impulse.any():
            yield from _touching(result, name, body, place, out)
            continue
        if not isinstance(part, Joint) or name not in held:
            raise InputError(
                f"section_force: {part.label} acts on '{body}' beyond the cut; give its force by "
                f"loads={{'{name}': (point, force)}}"
            )
        sign = 1.0 if part.b.body == body else -1.0
        torque = result.at_frames(result.joint_torque(part))
        yield result.position(part.b), sign * result.at_frames(result.joint_force(part)), sign * torque


def _touching(
    result: Result, contact: str, body: str, place: Array, out: Array
) -> Iterator[tuple[Array, Array, float]]:
    """Place and force of each point of a contact on the body, while it is beyond the cut."""
    history = result.contact(contact)
    force, later = history.force, len(result.multiplier_times)
    if not np.array_equal(history.force_times, history.times):  # those of the middles of steps
        force = result.at_frames(force[len(force) - later :])
    sign = 1.0 if history.pair.body == body else -1.0
    origin, axes = result.position(body), result.rotation_matrix(body)
    for k in range(force.shape[1]):
        where = history.places[:, k]
        local = np.einsum("fi,fij->fj", where - origin, axes)
        yield where, sign * force[:, k] * ((local - place) @ out > 0.0)[:, None], 0.0


def _points(part: object, body: str) -> Iterator[Any]:
    """Points of a body that a part names; the body itself where it names no more."""
    if not is_dataclass(part):
        return
    for field in fields(part):
        value = getattr(part, field.name)
        for one in value if isinstance(value, list | tuple) else (value,):
            if (getattr(one, "body", None) == body and hasattr(one, "at")) or (
                field.name != "name" and isinstance(one, str) and one.partition(".")[0] == body
            ):
                yield one


def _is_beyond(result: Result, point: Any, body: str, place: Array, out: Array) -> bool:
    """Whether a point lies on the side of the cut that the normal points to; a part on the whole body does."""
    if isinstance(point, str) and point == body:
        return True
    x = result.position(point)[0] - result.position(body)[0]
    return bool((x @ result.rotation_matrix(body)[0] - place) @ out > 0.0)
