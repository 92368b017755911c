"""Two parametric surfaces on two bodies, such as condyle and plateau, that meet in one point each (gantoi-2013, chapter 3)."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.body import FrameAnchor
from condyle.contact.contact import is_rigid, laws_of
from condyle.contact.laws import Hertz
from condyle.contact.laws.law import ContactLaw, FrictionLaw
from condyle.contact.parametric import Array, ParametricSurface
from condyle.contact.problem import ContactProblem
from condyle.contact.shape_pair import FEATURES, ShapePair
from condyle.errors import InputError
from condyle.geometry.spread import FLAT
from condyle.geometry.touching import (
    FIRST,
    GAP,
    IN_A,
    IN_B,
    LEAN,
    NORMAL,
    POINT,
    SECOND,
    SPREAD_A,
    SPREAD_B,
    WIDTH,
    frames_of_bodies,
)  # fmt: skip
from condyle.model.part import Part, number, one_of
from condyle.system.tables import FIXED

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder

WORDS = ("hard", "hertz")


class SurfaceEdgeWarning(UserWarning):
    """A contact point has left its surface."""


def common_normal(
    first: ParametricSurface, second: ParametricSurface, poses: Array, start: Array, *, iterations: int = 60
) -> tuple[Array, float, int]:
    """Parameters of the two points whose connection is normal to both surfaces: (s of the second, s of the first), shape (4,).

    poses (2, 4, 3): place and axes (rows) of both bodies. Newton's method on
    E = (t₁·r, t₂·r, t₁'·n, t₂'·n), with r from the first surface (t, n) to the second (t'), kept inside both surfaces.
    Returns them, what is left of E as a length, and the number of iterations.
    """
    s = np.array(start, dtype=float)
    low, high = np.vstack((second.domain, first.domain)).T
    width = high - low
    left, reach = np.inf, 1.0
    for count in range(1, iterations + 1):
        t, f = (
            _placed(surface, part, pose)
            for surface, part, pose in ((first, s[2:], poses[0]), (second, s[:2], poses[1]))
        )
        E, D = _equations(t, f)
        sizes = np.linalg.norm(np.array([t[1], t[2], f[1], f[2]]), axis=1)
        area = np.linalg.norm(np.cross(t[1], t[2]))
        reach = max(float(np.linalg.norm(f[0] - t[0])), float(np.max(sizes * width[[2, 3, 0, 1]])))
        left = float(
            np.max(np.abs(E) / np.array([sizes[0], sizes[1], sizes[2] * area / reach, sizes[3] * area / reach]))
        )
        if left <= 1e-13 * reach:
            return s, left / reach, count
        try:
            step = -np.linalg.solve(D, E)
        except np.linalg.LinAlgError:
            return s, np.inf, count
        step *= min(1.0, 0.25 / max(float(np.max(np.abs(step) / width)), 1e-300))
        after = np.clip(s + step, low, high)
        if np.max(np.abs(after - s) / width) < 1e-15:
            return after, left / reach, count
        s = after
    return s, left / reach, iterations


def _placed(surface: ParametricSurface, s: Array, pose: Array) -> Array:
    """The jet of a surface in the world."""
    out = surface.jet(s) @ pose[1:]
    out[0] += pose[0]
    return np.asarray(out)


def _equations(t: Array, f: Array) -> tuple[Array, Array]:
    """E and ∂E/∂(s of f, s of t) of two jets in the world; the source prints the last two columns of the first rows wrongly."""
    r, n = f[0] - t[0], np.cross(t[1], t[2])
    n1, n2 = np.cross(t[3], t[2]) + np.cross(t[1], t[4]), np.cross(t[4], t[2]) + np.cross(t[1], t[5])
    E = np.array([t[1] @ r, t[2] @ r, f[1] @ n, f[2] @ n])
    D = np.array([
        [t[1] @ f[1], t[1] @ f[2], t[3] @ r - t[1] @ t[1], t[4] @ r - t[1] @ t[2]],
        [t[2] @ f[1], t[2] @ f[2], t[4] @ r - t[2] @ t[1], t[5] @ r - t[2] @ t[2]],
        [f[3] @ n, f[4] @ n, f[1] @ n1, f[1] @ n2],
        [f[4] @ n, f[5] @ n, f[2] @ n1, f[2] @ n2],
    ])  # fmt: skip
    return E, D


def first_guess(first: ParametricSurface, second: ParametricSurface, poses: Array) -> Array:
    """Of all points of two grids, those of the second that lie deepest under the first, with the nearest of the first."""
    (st, ut), (sf, uf) = first.grid(), second.grid()
    wt, wf = (poses[k, 0] + u @ poses[k, 1:] for k, u in ((0, ut), (1, uf)))
    near = np.argmin(np.linalg.norm(wf[:, None] - wt[None], axis=2), axis=1)
    normals = np.array([first.normal(s) for s in st]) @ poses[0, 1:]
    depth = np.sum((wf - wt[near]) * normals[near], axis=1)
    best = int(np.argmin(depth))
    return np.concatenate((sf[best], st[near[best]]))


def hertz_stiffness(curvature: Array, modulus: float) -> float:
    """K [N/m^1.5] of F = K δ^1.5 for the sum of both curvatures (2, 2) [1/m] at the contact, by Hertz's ellipse.

    modulus E* [Pa]: 1/E* = (1 − ν₁²)/E₁ + (1 − ν₂²)/E₂.
    """
    from scipy.optimize import brentq
    from scipy.special import ellipe, ellipk

    values = np.linalg.eigvalsh(curvature)
    if not values[0] > 0.0:
        raise InputError(
            "hertz_stiffness: both principal curvatures must be positive; along a line there is no Hertz ellipse"
        )
    ratio = values[1] / values[0]

    def miss(k: float) -> float:
        m = 1.0 - 1.0 / k**2
        return float((k**2 * ellipe(m) - ellipk(m)) - ratio * (ellipk(m) - ellipe(m)))

    k = 1.0 if ratio < 1.0 + 1e-9 else float(brentq(miss, 1.0 + 1e-12, 10.0 * ratio))
    m = 1.0 - 1.0 / k**2
    radius = 1.0 / values.sum()
    return float(np.pi * k * 2.0 * modulus * np.sqrt(radius * ellipe(m) / (4.5 * ellipk(m) ** 3)))


class ArticularPair(ShapePair):
    """One contact of two parametric surfaces, compiled: A is the target, B the body; points and forces as of shapes."""

    of_shapes = False

    def __init__(
        self, name: str, surfaces: tuple[ParametricSurface, ParametricSurface], rows: NDArray[np.int64], law: ContactLaw,
        rub: FrictionLaw | None, names: tuple[str, str], overlap: str,
    ) -> None:  # fmt: skip
        self.name, self.surfaces, self.rows_of_bodies = name, surfaces, rows
        self.law, self.rub = law, rub
        self.stiffness = None if law.own_stiffness is None else np.full(1, law.own_stiffness)
        self.body, self.target, self.overlap = *names, overlap
        self.d, self.count, self.each, self.within = 3, 1, 1, np.inf
        self.pairs = np.array([(0, 1)], dtype=np.int64)
        self.bodies = np.array([(0, 1)], dtype=np.int64)
        self.rows = np.concatenate((rows[1], rows[0]))[None]
        self.labels, self.areas, self.allowed = ["point 0"], np.zeros(1), np.zeros(1)
        spans = [np.ptp(surface.grid(5)[1], axis=0).max() for surface in surfaces]
        self.size, self.radius = float(sum(spans)), float(min(spans))
        self.features = np.zeros((1, FEATURES))
        self._known: dict[bytes, Any] = {}
        self._warned = False

    def _placed(self, x: Array) -> tuple[Array, Array, tuple[Array, Array]]:
        frames, poses, turning = np.empty((2, 4, 3)), np.empty((2, 4, 3)), np.empty((2, 3, 3))
        frames_of_bodies(x, self.rows_of_bodies, frames, poses, turning)
        return frames, poses, (poses, turning)

    def _meet(
        self, placed: Array, frames: Array, poses: Array, blocks: Array
    ) -> tuple[NDArray[np.bool_], Array, Array]:
        there, points, now = np.zeros((1, 1), dtype=bool), self._open(1).reshape(1, 1, WIDTH), blocks.copy()
        known = blocks[0, 0, 0] > 0.0
        first, second = self.surfaces
        start = blocks[0, 0, 1:5] if known else first_guess(first, second, poses)
        s, left, _ = common_normal(first, second, poses, start)
        if left > 1e-9 and known:
            s, left, _ = common_normal(first, second, poses, first_guess(first, second, poses))
        if left > 1e-9:
            return there, points, now
        there[0, 0] = True
        reference = self._write(s, poses, frames, blocks[0, 0, 7:10] if known else None, points[0, 0])
        now[0, 0] = (1.0, *s, 0.0, 0.0, *reference)
        return there, points, now

    def to_report(self, response: Any, x1: Array) -> Array:
        """As of shapes; says once where its point has left its surface."""
        if not self._warned and not self.touch(x1).there[0]:
            self._warned = True
            place = self.surfaces[1].jet(self.features[0, 1:3])[0]
            warnings.warn(
                f"Contact '{self.name}': its point has left a surface near {np.round(place, 4).tolist()} m of '{self.body}'; "
                "there is no contact until it comes back. Make the surfaces larger if they go on.",
                SurfaceEdgeWarning,
                stacklevel=2,
            )
        return super().to_report(response, x1)

    def _write(self, s: Array, poses: Array, frames: Array, reference: Array | None, out: Array) -> Array:
        """Fill one contact point; returns the vector on A that e₁ follows."""
        first, second = self.surfaces
        t, f = _placed(first, s[2:], poses[0]), _placed(second, s[:2], poses[1])
        n = np.cross(t[1], t[2])
        n /= np.linalg.norm(n)
        gap = float((f[0] - t[0]) @ n)
        along = n if reference is None else reference @ poses[0, 1:]
        if reference is None or np.linalg.norm(along - (along @ n) * n) < 0.1:
            along = np.eye(3)[int(np.argmin(np.abs(n)))]
            along = along - (along @ n) * n
            along = along / np.linalg.norm(along)
            reference = poses[0, 1:] @ along
        side = along - (along @ n) * n
        e1 = side / np.linalg.norm(side)
        e2 = np.cross(n, e1)
        middle = 0.5 * (t[0] + f[0])
        out[GAP], out[LEAN] = gap, float(along @ n) / np.linalg.norm(side)
        out[POINT : POINT + 3], out[NORMAL : NORMAL + 3], out[FIRST : FIRST + 3], out[SECOND : SECOND + 3] = (
            middle,
            n,
            e1,
            e2,
        )
        for at, frame in ((IN_A, frames[0]), (IN_B, frames[1])):
            out[at : at + 3] = np.linalg.solve(frame[1:].T, middle - frame[0])
        axes = np.array([e1, e2])
        for at, jet, sign in ((SPREAD_A, t, 1.0), (SPREAD_B, f, -1.0)):
            spread = _spread(jet, axes, sign * n, self.size) + 0.5 * gap * np.eye(2)
            out[at : at + 3] = spread[0, 0], spread[0, 1], spread[1, 1]
        return np.asarray(reference)


def _spread(jet: Array, axes: Array, n: Array, size: float) -> Array:
    """How far a contact point goes as the normal turns, C = κ⁻¹ in tangential axes (2, 2); long where the surface is flat."""
    inverse = np.linalg.inv(axes @ jet[1:3].T)
    second = -np.array([[jet[3] @ n, jet[4] @ n], [jet[4] @ n, jet[5] @ n]])
    values, turned = np.linalg.eigh(inverse.T @ second @ inverse)
    least = 1.0 / (FLAT * size)
    values = np.where(np.abs(values) < least, least, values)
    return np.asarray(turned @ np.diag(1.0 / values) @ turned.T)


@dataclass
class ArticularContact(Part):
    """Two parametric surfaces, such as a condyle on `body` and a plateau on `target`, that touch in one point.

    shape, surface: a `ParametricSurface` each, on the target and on the body, in their coordinates: RevolvedSurface,
    FlatSurface, SplinePatch or one's own. The point is where a line is normal to both: four parameters by Newton's method in
    every iteration. Both must curve away from each other there. A knee has one such contact per condyle.

    law: 'hard', a multiplier that is the normal force and lets go when it would pull; 'hertz', Hertz's stiffness of the
    curvatures at the start with the modulus E* [Pa]; or any law of contact. friction: a law or Coulomb's coefficient.
    """

    name: str
    body: Any
    surface: Any
    target: Any
    shape: Any
    law: Any = "hard"
    modulus: float = 1e9
    friction: Any = 0.0
    overlap: str = "report"

    stiffness = None

    def __post_init__(self) -> None:
        self.body = getattr(self.body, "name", self.body)
        self.target = getattr(self.target, "name", self.target)
        for name in ("surface", "shape"):
            if not isinstance(getattr(self, name), ParametricSurface):
                raise InputError(f"{self.label}: {name} must be a parametric surface such as RevolvedSurface(…)")
        if not isinstance(self.law, ContactLaw) and self.law not in WORDS:
            raise InputError(
                f"{self.label}: law is {self.law!r}; give a law such as Hard() or Hertz(1e8), 'hard' or 'hertz'"
            )
        number(self, "modulus", low=0.0, strict=True)
        one_of(self, "overlap", ("report", "resolve"))
        if not isinstance(self.friction, FrictionLaw):
            number(self, "friction", low=0.0)

    def validate(self, model: Model) -> None:
        model.body(self.body, self)
        model.body(self.target, self)
        if model.dimension != 3:
            raise InputError(f"{self.label}: articular contact is for 3D models")
        if self.body == self.target:
            raise InputError(f"{self.label}: body and target are both '{self.body}'; they must be two bodies")

    def compile(self, builder: Builder) -> None:
        builder.contact_problem = ContactProblem
        anchors: list[Any] = [builder.anchor(name, self) for name in (self.target, self.body)]
        for name, anchor in zip((self.target, self.body), anchors, strict=True):
            if not isinstance(anchor, FrameAnchor) or not is_rigid(builder, anchor):
                raise InputError(f"{self.label}: '{name}' must be a rigid body to carry a surface")
        rows = np.array([(a.r, *a.directors) for a in anchors], dtype=np.int64)
        if all(builder.kind[row] == FIXED for row in rows.ravel()):
            raise InputError(f"{self.label} is between parts that cannot move; remove it")
        poses = np.array([[builder.x[row] for row in body] for body in rows], dtype=float)
        s, left, _ = common_normal(self.shape, self.surface, poses, first_guess(self.shape, self.surface, poses))
        if left > 1e-9:
            raise InputError(
                f"{self.label}: there is no line normal to both surfaces inside their bounds, so they never touch; turn an "
                "outside (∂u/∂s₁ × ∂u/∂s₂), move a surface or make it larger, and let both curve away from each other"
            )
        law, rub = laws_of(_WithLaw(self, self.chosen_law(s, poses)))
        pair = ArticularPair(
            self.name, (self.shape, self.surface), rows, law, rub, (self.body, self.target), self.overlap
        )
        builder.contacts.append(pair)

    def chosen_law(self, s: Array, poses: Array) -> ContactLaw:
        """The law itself; Hertz's by the curvatures at the point s."""
        from condyle.contact.laws import Hard

        if isinstance(self.law, ContactLaw):
            return self.law
        if self.law == "hard":
            return Hard()
        t, f = _placed(self.shape, s[2:], poses[0]), _placed(self.surface, s[:2], poses[1])
        e1 = t[1] / np.linalg.norm(t[1])
        n = np.cross(t[1], t[2]) / np.linalg.norm(np.cross(t[1], t[2]))
        axes = np.array([e1, np.cross(n, e1)])
        both = np.zeros((2, 2))
        for jet, sign in ((t, 1.0), (f, -1.0)):
            both += np.linalg.inv(_spread(jet, axes, sign * n, 1.0))
        return Hertz(hertz_stiffness(both, self.modulus))


class _WithLaw:
    """A contact with its law, as `laws_of` takes it."""

    def __init__(self, part: ArticularContact, law: ContactLaw) -> None:
        self.label, self.law, self.friction, self.stiffness = part.label, law, part.friction, None
