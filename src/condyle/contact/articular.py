"""Two parametric surfaces on two bodies, such as condyle and plateau, that meet in one point each (gantoi-2013, chapter 3)."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.body import FrameAnchor
from condyle.contact.articular_surface import ArticularSurface, spread_points
from condyle.contact.contact import is_rigid, laws_of
from condyle.contact.laws import Foundation, Hertz, NonlinearDashpot
from condyle.contact.laws.law import ContactLaw, FrictionLaw
from condyle.contact.pair import RigidPair
from condyle.contact.parametric import Array, FlatSurface, ParametricSurface, curvature_of, table_of
from condyle.contact.problem import ContactProblem
from condyle.contact.shape_pair import FEATURES, ShapePair
from condyle.contact.shapes import Plane
from condyle.errors import InputError
from condyle.geometry.queries import Shapes
from condyle.geometry.shape import Sphere as Ball
from condyle.geometry.touching import WIDTH, frames_of_bodies
from condyle.model.given import Given, OnBody
from condyle.model.part import Part, number
from condyle.model.point import Point
from condyle.model.quantities import choice, declared, given, quantity
from condyle.system.tables import FIXED
from condyle.system.touching.articular import find_normal, meet, normal_step, write_point
from condyle.system.touching.joint_surfaces import deepest_points

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
    Returns them, what is left of E as a share of the surfaces' reach, and the number of iterations.
    """
    s = np.array(start, dtype=float)
    tables = table_of(first), table_of(second)
    if tables[0] is not None and tables[1] is not None:
        left, count = find_normal(*tables, poses, iterations, s)
        return s, float(left), int(count)
    low, high = (np.ascontiguousarray(end) for end in np.vstack((second.domain, first.domain)).T)
    left = np.inf
    for count in range(1, iterations + 1):
        left, more = normal_step(*_jets(first, second, poses, s), low, high, s)
        if not more:
            return s, float(left), count
    return s, float(left), iterations


def _jets(first: ParametricSurface, second: ParametricSurface, poses: Array, s: Array) -> tuple[Array, Array]:
    """Jets of both surfaces in the world."""
    return _placed(first, s[2:], poses[0]), _placed(second, s[:2], poses[1])


def _placed(surface: ParametricSurface, s: Array, pose: Array) -> Array:
    """The jet of a surface in the world."""
    out = np.asarray(surface.jet(s), dtype=float) @ pose[1:]
    out[0] += pose[0]
    return np.ascontiguousarray(out)


def first_guess(first: ParametricSurface, second: ParametricSurface, poses: Array) -> Array:
    """Of all points of two grids, those of the second that lie deepest under the first, with the nearest of the first."""
    tables = table_of(first), table_of(second)
    if tables[0] is not None and tables[1] is not None:
        s = np.zeros(4)
        deepest_points(*tables, np.ascontiguousarray(poses), s)
        return s
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


def foundation_stiffness(curvature: Array, layer: Foundation) -> float:
    """K [N/m²] of F = K δ² for the sum of both curvatures (2, 2) [1/m] at the contact and a layer pressed point by point.

    The depth at a point is δ less half the curvature times the square of its distance, over an ellipse of the area
    2 π δ/√(κ₁ κ₂); its mean is ½ δ.
    """
    values = np.linalg.eigvalsh(curvature)
    if not values[0] > 0.0:
        raise InputError(
            "foundation_stiffness: both principal curvatures must be positive; along a line there is no ellipse"
        )
    return float(np.pi * layer.modulus / (layer.thickness * np.sqrt(values.prod())))


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
        tables = tuple(table_of(surface) for surface in surfaces)
        self.surface_tables = None if None in tables else tables  # not of surfaces of one's own
        # Kernels carry them among rigid shapes; balls that hold them stand in their place there.
        self.shapes = Shapes([Ball(radius=max(span, 1e-9)) for span in spans], on=(0, 1))

    def _placed(self, x: Array) -> tuple[Array, Array, tuple[Array, Array]]:
        frames, poses, turning = np.empty((2, 4, 3)), np.empty((2, 4, 3)), np.empty((2, 3, 3))
        frames_of_bodies(x, self.rows_of_bodies, frames, poses, turning)
        return frames, poses, (poses, turning)

    def _meet(
        self, placed: Array, frames: Array, poses: Array, blocks: Array
    ) -> tuple[NDArray[np.bool_], Array, Array]:
        there, points, now = np.zeros((1, 1), dtype=bool), self._open(1).reshape(1, 1, WIDTH), blocks.copy()
        block = now[0, 0]
        known = block[0] > 0.0
        if not known:
            block[1:5] = first_guess(*self.surfaces, poses)
        found = self._point(poses, frames, block, points[0, 0])
        if not found and known:
            block[1:5] = first_guess(*self.surfaces, poses)
            found = self._point(poses, frames, block, points[0, 0])
        if not found:
            return there, points, blocks.copy()
        there[0, 0] = True
        return there, points, now

    def _point(self, poses: Array, frames: Array, block: Array, out: Array) -> bool:
        """The point near the parameters in `block`, which become its own; whether there is one."""
        if self.surface_tables is not None:
            first, second = self.surface_tables
            return bool(meet(first, second, poses, frames, block, self.size, out))
        s, left, _ = common_normal(*self.surfaces, poses, block[1:5])
        if not left <= 1e-9:
            return False
        write_point(*_jets(*self.surfaces, poses, s), poses, frames, bool(block[0] > 0.0), block[7:10], self.size, out)
        block[0], block[1:5] = 1.0, s
        return True

    def after_step(self, x1: Array, t: float) -> None:
        """Say once when and where its point has left its surface."""
        if self._warned or self.touch(x1).there[0]:
            return
        self._warned = True
        place = self.surfaces[1].jet(self.features[0, 1:3])[0]
        warnings.warn(
            f"Contact '{self.name}': at {t:.6g} s its point has left a surface near {np.round(place, 4).tolist()} m of "
            f"'{self.body}'; there is no contact until it comes back. Make the surfaces larger if they go on.",
            SurfaceEdgeWarning,
            stacklevel=2,
        )


@declared
class ArticularContact(Part):
    """Two parametric surfaces, such as a condyle on `body` and a plateau on `target`, that touch in one point.

    shape, surface: a `ParametricSurface` each, on the target and on the body, in their coordinates: RevolvedSurface,
    FlatSurface, SplinePatch, PolynomialPatch or one's own. The point is where a line is normal to both: four parameters by
    Newton's method in every iteration. Both must curve away from each other there. A knee has one such contact per condyle.

    law: 'hard', a multiplier that is the normal force and lets go when it would pull; 'hertz', Hertz's stiffness of the
    curvatures at the start with the modulus E* [Pa]; or any law of contact. friction: a law or Coulomb's coefficient.

    A `Foundation` is cartilage (of both bodies together) or a layer of an implant. With points=1 its force is K δ² (1 + c δ̇),
    K by the curvatures at the start; with more, (along s₁, along s₂) or a number for both, so many points spread over `surface`
    press by themselves, each with its area, and `result.contact(name).pressure` is their pressure. Surfaces may then fit each
    other.
    """

    name: str
    body: OnBody
    surface: ParametricSurface
    target: OnBody
    shape: ParametricSurface
    law: ContactLaw | str = "hard"
    modulus: float = quantity("Pa", default=1e9, above=0.0)
    friction: FrictionLaw | float = 0.0
    overlap: str = choice("report", "resolve", default="report")
    points: Given[int | Sequence[int], int | tuple[int, int]] = given(default=1)

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
        if not isinstance(self.friction, FrictionLaw):
            number(self, "friction", low=0.0)
        self._check_points()

    def _check_points(self) -> None:
        given = np.atleast_1d(np.asarray(self.points))
        if given.shape not in ((1,), (2,)) or given.dtype.kind not in "iu" or given.min() < 1:
            raise InputError(f"{self.label}: points is {self.points!r}; give a whole number above 0, or two: (60, 20)")
        self.points = int(given[0]) if given.size == 1 else tuple(int(n) for n in given)
        if self.spread and not isinstance(self.law, Foundation):
            raise InputError(
                f"{self.label}: points spread over the surface press as a layer does; give law=Foundation(…), or leave points=1"
            )

    @property
    def spread(self) -> bool:
        """Do many points press by themselves?"""
        return self.points not in (1, (1, 1))

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
        if self.spread:
            builder.contacts.append(self._layer(builder, anchors))
            return
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

    def _layer(self, builder: Builder, anchors: list[Any]) -> RigidPair:
        """Points over the surface of the body, which press into that of the target by themselves."""
        target = anchors[0]
        counts = (self.points, self.points) if isinstance(self.points, int) else self.points
        places, areas = spread_points(self.surface, counts)
        if type(self.shape) is FlatSurface:
            shape: Any = Plane(self.shape.direction, self.shape.point)
        else:
            shape = ArticularSurface(self.shape)
        layer = self.law
        assert isinstance(layer, Foundation)  # as `_check_points` has asked
        law, rub = laws_of(_WithLaw(self, layer))
        return RigidPair(
            self.name, [anchors[1].position(Point(self.body, tuple(p)), self) for p in places.tolist()], areas,
            [f"point {k}" for k in range(len(areas))], target.r, target.directors, shape, law, rub,
            layer.modulus / layer.thickness * areas, 0.0, self.body, self.target, None, self.overlap,
        )  # fmt: skip

    def chosen_law(self, s: Array, poses: Array) -> ContactLaw:
        """The law itself; that of Hertz or of a layer by the curvatures at the point s."""
        from condyle.contact.laws import Hard

        if isinstance(self.law, ContactLaw) and not isinstance(self.law, Foundation):
            return self.law
        if self.law == "hard":
            return Hard()
        t, f = _jets(self.shape, self.surface, poses, s)
        e1 = t[1] / np.linalg.norm(t[1])
        n = np.cross(t[1], t[2]) / np.linalg.norm(np.cross(t[1], t[2]))
        axes = np.array([e1, np.cross(n, e1)])
        both = curvature_of(t, axes) + curvature_of(f, axes)
        if isinstance(self.law, Foundation):
            K = foundation_stiffness(both, self.law)  # all points of the layer have the rate of the deepest
            return NonlinearDashpot(K, self.law.dissipation * K, 2.0) if self.law.dissipation else Hertz(K, 2.0)
        return Hertz(hertz_stiffness(both, self.modulus))


class _WithLaw:
    """A contact with its law, as `laws_of` takes it."""

    def __init__(self, part: ArticularContact, law: ContactLaw) -> None:
        self.label, self.law, self.friction, self.stiffness = part.label, law, part.friction, None
