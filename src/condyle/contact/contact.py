"""Contact as the user declares it: points of a body that cannot enter the surface of another."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.body import FrameAnchor, world_places
from condyle.bodies.capabilities import Extended, Faceted, Noded, Sided, able, lacking
from condyle.bodies.point_mass import PointAnchor
from condyle.contact.basis import Monomials, bilinear, flat
from condyle.contact.deformable import FacetPair, Pieces
from condyle.contact.facets import FacetSurface
from condyle.contact.laws import Coulomb, Foundation, Hard, SpringDashpot, SurfaceFriction
from condyle.contact.laws.law import ContactLaw, FrictionLaw
from condyle.contact.mortar import MortarPair
from condyle.contact.pair import RigidPair
from condyle.contact.problem import ContactProblem
from condyle.contact.shape_pair import Carried, ShapePair
from condyle.contact.shapes import Sphere
from condyle.contact.solids import as_shape, is_shape
from condyle.contact.surface import Array, Surface
from condyle.errors import InputError
from condyle.geometry.queries import Shapes
from condyle.geometry.shape import HalfSpace, Shape
from condyle.model.given import Given, NodesLike, NumbersLike, OnBody, means
from condyle.model.part import Part, number, one_of, plain
from condyle.model.point import Point
from condyle.model.quantities import choice, declared, quantity
from condyle.system.tables import FIXED
from condyle.system.weights import Weights

if TYPE_CHECKING:
    from condyle.bodies.elements import Facets
    from condyle.model.model import Model
    from condyle.system.builder import Builder

WORDS = ("augmented", "penalty")  # laws that a word is enough for
MODELS = ("cone", "box", "polyhedral", "prox", "penalty")  # of friction in steps at the level of velocities


# Points of a body that meet another: the name of a surface or a point, nodes, places [m], or shapes. Kept: these as plain data.
OnSurface: TypeAlias = "Given[Surface | Shape | Sequence[Surface | Shape] | NodesLike | NumbersLike | None, Any]"
means("OnSurface", "a surface, shapes, nodes or points", "string", "number", "array", "object", "null")


@declared
class Contact(Part):
    """Points of `body`, or a shape that it carries, that cannot enter a surface of `target`.

    surface: of a rigid body, its shape, or a list of shapes: a Sphere, Ellipsoid, Capsule, Cylinder, Cone, Box or Plane in its
    coordinates, which
    meets `shape` wherever their surfaces come together, on as many points as they have in common. Or points: of a Solid, a
    named surface or set; of a body of ANCF elements, 'nodes' or node numbers; of a PointMass 'nodes', its only point; of a
    rigid body, points in its coordinates [m] (k, d), the names of such points, or a FacetSurface, of which nodes or points
    spread over its facets are taken (`points`). target: a rigid body, a frame or the ground, which carries `shape`, a Surface
    in its coordinates; or a body that deforms: a Solid, the name of one of whose surfaces is `shape` (straight facets; the
    body itself too), or a Plate, a Shell, in the plane a Cable or AncfBeam, with shape='top' or 'bottom'.

    law: how points are pressed out (`contact/laws`): `Hard()`, a multiplier per point, exact; `Impact(e)`, the same with
    restitution; soft laws `SpringDashpot`, `Foundation`, `Hertz`, `HuntCrossley`, …; or in a word 'augmented' for Hard() and
    'penalty' for SpringDashpot(). friction: a law such as `Coulomb(0.3)`, or Coulomb's coefficient. stiffness [N/m] per point,
    where law is a word: of a penalty, or of the regularisation of 'augmented', where it changes the
    way and not the result; chosen from the stiffness and mass of what meets if not given. points: 'nodes', 'integration'
    (Gauss points of the facets), or 'mortar' (two solids: gaps in the mean over their common pieces). radius [m]: of
    balls around the points. overlap: what to do if points start deep inside the target, 'report' an error or 'resolve'
    it, half of it in each step. per_element: integration points of each element of a cable or beam, and in each direction
    of a plate or shell. model: of friction, in steps of `Nonsmooth`: 'cone', 'box', 'polyhedral', 'prox' or 'penalty', in place
    of the one that the method has.
    """

    name: str
    body: OnBody
    surface: OnSurface
    target: OnBody
    shape: Surface | str
    law: ContactLaw | str = "augmented"
    friction: FrictionLaw | float = 0.0
    stiffness: float | None = quantity("N/m", default=None, above=0.0)
    points: str = choice("nodes", "integration", "mortar", default="nodes")
    radius: float = quantity("m", default=0.0, at_least=0.0)
    overlap: str = choice("report", "resolve", default="report")
    per_element: int = quantity(default=4, at_least=1)
    model: str | None = None

    def __post_init__(self) -> None:
        self.body = getattr(self.body, "name", self.body)
        self.target = getattr(self.target, "name", self.target)
        several = isinstance(self.surface, list | tuple) and any(map(is_shape, self.surface))
        if several:
            self.surface = list(self.surface)
        elif not isinstance(self.surface, Surface | Shape):
            self.surface = plain(self.surface)
        if not isinstance(self.law, ContactLaw) and self.law not in WORDS:
            raise InputError(
                f"{self.label}: law is {self.law!r}; give a law such as Hard(), Impact(0.5), SpringDashpot(1e5) or "
                "Foundation(…), or a word: 'augmented', 'penalty'"
            )
        check_model(self)
        if self.stiffness is not None and isinstance(self.law, ContactLaw):
            raise InputError(
                f"{self.label}: the stiffness belongs to the law, {type(self.law).__name__}; leave it out here"
            )
        self._check_friction()
        if self.points == "mortar" and (self.radius > 0.0 or not isinstance(self.shape, str)):
            raise InputError(
                f"{self.label}: points='mortar' is for contact of two solids, without radius; use "
                "points='nodes', or 'integration' with law='penalty'"
            )
        if not isinstance(self.shape, Surface | str):
            raise InputError(
                f"{self.label}: shape must be a Surface such as Sphere(radius), or the name of a surface of a Solid, not "
                f"{self.shape!r}"
            )

    def _check_friction(self) -> None:
        if not isinstance(self.friction, FrictionLaw):
            number(self, "friction", low=0.0)
        laws_of(self)

    @property
    def normal_law(self) -> ContactLaw:
        """The law itself, where it is given in a word."""
        return law_of(self)

    @property
    def friction_law(self) -> FrictionLaw | None:
        """The law of friction, None without any."""
        return rub_of(self)

    def validate(self, model: Model) -> None:
        check_sides(self, model, "they must be two bodies")

    def compile(self, builder: Builder) -> None:
        builder.contact_problem = ContactProblem
        first = len(builder.contacts)
        self._compile_pairs(builder)
        for pair in builder.contacts[first:]:
            pair.model = self.model
            if isinstance(self.friction, SurfaceFriction) and self.friction.axis == "along":
                anchor: Any = builder.anchor(self.body, self)
                if self.points == "integration" and isinstance(anchor, Extended):
                    pair.lines = [at[1] for _, at, _ in anchor.spread(self.per_element)]

    def _compile_pairs(self, builder: Builder) -> None:
        target: Any = builder.anchor(self.target, self)
        if isinstance(self.shape, str):
            self._compile_facets(builder, target)
            return
        if not isinstance(target, FrameAnchor) or not is_rigid(builder, target):
            raise InputError(f"{self.label}: '{self.target}' must be rigid to carry a {type(self.shape).__name__}")
        if is_shape(self.surface):
            self._compile_shapes(builder, target, [self.surface])
            return
        if isinstance(self.surface, list) and self.surface and all(map(is_shape, self.surface)):
            self._compile_shapes(builder, target, self.surface)
            return
        found, areas, labels, nodes = self._points(builder)
        if self.radius > 0.0 and self.friction_law is not None:
            self._compile_shapes(builder, target, self._balls(builder, found))
            return
        rows = {row for p in found for row in p.rows} | {target.r, *target.directors}
        if all(builder.kind[row] == FIXED for row in rows):
            raise InputError(f"{self.label} is between parts that cannot move; remove it")
        builder.contacts.append(
            RigidPair(
                self.name, found, areas, labels, target.r, target.directors, self.shape,
                self.normal_law, self.friction_law, self._stiffness(areas), self.radius, self.body,
                self.target, nodes, self.overlap,
            )
        )  # fmt: skip

    def _balls(self, builder: Builder, found: list[Weights]) -> list[Surface]:
        """Balls about points, which friction turns with their body."""
        anchor: Any = builder.anchor(self.body, self)
        if not isinstance(anchor, FrameAnchor) or not is_rigid(builder, anchor):
            raise InputError(
                f"{self.label}: friction would turn the balls about the points of '{self.body}', which cannot turn; make it a "
                "RigidBody, or leave out the radius"
            )
        return [Sphere(self.radius, tuple(float(c) for c in p.values[1:])) for p in found]

    def _compile_shapes(self, builder: Builder, target: FrameAnchor, shapes: list[Any]) -> None:
        """Shapes of the body against that of the target."""
        anchor: Any = builder.anchor(self.body, self)
        if not isinstance(anchor, FrameAnchor) or not is_rigid(builder, anchor):
            raise InputError(f"{self.label}: '{self.body}' must be a rigid body to carry a {type(shapes[0]).__name__}")
        made = [as_shape(s, builder.d, self.label) for s in (self.shape, *shapes)]
        if isinstance(made[0], HalfSpace) and any(isinstance(s, HalfSpace) for s in made[1:]):
            raise InputError(
                f"{self.label}: two planes have no closest points; give one of the bodies a shape that ends"
            )
        rows = np.array([(a.r, *a.directors) for a in (target, anchor)], dtype=np.int64)
        if all(builder.kind[row] == FIXED for row in rows.ravel()):
            raise InputError(f"{self.label} is between parts that cannot move; remove it")
        carried = Carried(Shapes(made, [0] + [1] * len(shapes)), rows)
        pair = ShapePair(
            self.name, carried, self.normal_law, self.friction_law, None, self.body, self.target, self.overlap
        )
        pair.stiffness = self._stiffness(pair.areas)
        builder.contacts.append(pair)

    def _compile_facets(self, builder: Builder, target: Any) -> None:
        """Against a surface that deforms; a body that meets itself does not see the pieces around each point."""
        if isinstance(target, Faceted):
            pieces, others, rest = self._facet_pieces(builder, target)
            found, areas, labels, nodes = self._points(builder, target.X)
        elif isinstance(target, Sided):
            side, others = target.side(str(self.shape), self), []
            pieces = Pieces(Monomials(side.powers), *side[1:])
            rest = world_places(builder, side.vectors)
            found, areas, labels, nodes = self._points(builder)
        else:
            raise lacking(Faceted, self.target, self.label, "give a Surface as shape")
        excluded = [np.zeros(0, dtype=np.int64)] * len(found)
        if self.body == self.target:
            excluded = self._around(pieces, found)
        c = pieces.coefficients @ rest[pieces.cells]
        corners = pieces.basis.sampled(c)[0]
        size = float(np.linalg.norm(np.ptp(corners, axis=1), axis=1).max())
        stiffness = self._stiffness(areas)
        if self.points == "mortar":
            anchor: Any = builder.anchor(self.body, self)
            if not isinstance(target, Faceted) or nodes is None or self.body == self.target:
                raise InputError(f"{self.label}: points='mortar' needs the surfaces of two solids")
            faces = [f._replace(nodes=np.searchsorted(nodes, f.nodes)) for f in anchor.facets(self.surface, self)]
            builder.contacts.append(
                MortarPair(
                    self.name, found, areas, labels, faces, pieces, others,
                    self.normal_law, self.friction_law, stiffness, size, builder.d,
                    self.body, self.target, nodes, self.overlap,
                )
            )  # fmt: skip
            return
        builder.contacts.append(
            FacetPair(
                self.name, found, areas, labels, pieces, excluded, self.normal_law,
                self.friction_law, stiffness, size, builder.d, self.body, self.target, nodes, self.radius, self.overlap,
            )
        )  # fmt: skip

    def _facet_pieces(self, builder: Builder, target: Any) -> tuple[Pieces, list[Facets], Array]:
        """The straight facets of a solid as pieces, the same by their kinds, and its nodes at rest."""
        groups = target.facets(self.shape, self)
        if any(kind.nodes != kind.corners for kind, _ in groups):
            raise InputError(
                f"{self.label}: the facets of '{self.target}' must be straight; use elements without middle nodes, such as "
                "quad4, tet4, hex8 or wedge6"
            )
        # An even pressure on a quadrilateral is not the same as on two triangles; nodes do not notice, and flat is faster.
        whole = self.points != "nodes" and any(kind.corners == 4 for kind, _ in groups)
        if whole:
            triangle = np.concatenate([np.full(len(nodes), kind.corners == 3) for kind, nodes in groups])
            facets = np.vstack([nodes[:, np.arange(4) % kind.corners] for kind, nodes in groups])
            basis, C = bilinear(triangle)
        else:
            halves = [nodes[:, [0, k, k + 1]] for kind, nodes in groups for k in range(1, kind.corners - 1)]
            facets = np.vstack(halves) if builder.d == 3 else groups[0].nodes
            basis, made = flat(builder.d)
            C = np.broadcast_to(made, (len(facets), *made.shape))
        used, where = np.unique(facets, return_inverse=True)
        pieces = Pieces(basis, [target.vectors[i] for i in used], where.reshape(facets.shape), C)
        return pieces, [f._replace(nodes=np.searchsorted(used, f.nodes)) for f in groups], target.X[used]

    def _around(self, pieces: Pieces, found: list[Weights]) -> list[NDArray[np.int64]]:
        """The pieces around each point of the same body, and those beside them."""
        rows = [set(v.rows.tolist()) for v in pieces.vectors]
        out = []
        for point in found:
            own = set(point.rows.tolist())
            touched = np.array([bool(own & r) for r in rows])
            near = np.unique(pieces.cells[touched[pieces.cells].any(axis=1)])
            out.append(np.flatnonzero(np.isin(pieces.cells, near).any(axis=1)))
        return out

    def _stiffness(self, areas: Array) -> Array | None:
        """Of each point (n,) [N/m], as the law gives it; None if it is to be chosen."""
        law = self.normal_law.core
        if isinstance(law, Foundation):
            if not areas.any():
                raise InputError(f"{self.label}: a foundation needs areas; give a surface of facets, not single points")
            return law.modulus / law.thickness * areas
        return None if law.own_stiffness is None else np.full(len(areas), law.own_stiffness)

    # --- points ---------------------------------------------------------------------------------------------------------

    def _points(
        self, builder: Builder, others: Array | None = None
    ) -> tuple[list[Weights], Array, list[str], NDArray[np.int64] | None]:
        """Points as weights, the area of each [m²] (0 where there is none), what they are called, node numbers.

        others: nodes of the target at rest [m]; in the plane, facets are integrated piece by piece between them, so
        that an even pressure is even on both sides (the patch test).
        """
        anchor: Any = builder.anchor(self.body, self)
        if isinstance(anchor, Faceted):
            return self._of_facets(anchor, others)
        if isinstance(self.surface, FacetSurface) and self.points != "mortar":
            X = np.array(self.surface.nodes)
            if self.points == "integration":
                self._refuse_locking()
                X, areas, labels = self.surface.spread()
                return [anchor.position(Point(self.body, tuple(p)), self) for p in X.tolist()], areas, labels, None
            areas = self.surface.nodal_areas()
            used = np.flatnonzero(areas > 0.0)
            found = [anchor.position(Point(self.body, tuple(X[i].tolist())), self) for i in used]
            return found, areas[used], [f"node {i}" for i in used], used
        if isinstance(anchor, PointAnchor) and _is_the_point(self.surface):
            return [anchor.position(Point(self.body), self)], np.zeros(1), ["point"], None
        if self.points == "integration" and isinstance(anchor, Extended):
            found_along = anchor.spread(self.per_element)
            names = [f"integration point {k}" for k in range(len(found_along))]
            return [at[0] for _, at, _ in found_along], np.array([m for m, _, _ in found_along]), names, None
        if self.points != "nodes":
            raise InputError(f"{self.label}: '{self.body}' has no facets to integrate over; leave points='nodes'")
        if self.surface == "nodes":
            noded = able(anchor, Noded, self.body, self.label, "give its points in its coordinates")
            keys: list[Any] = list(range(len(noded.node_places()[1])))
        else:
            keys = list(self.surface) if isinstance(self.surface, list | tuple) else [self.surface]
        if not keys:
            raise InputError(f"{self.label}: surface has no points")
        found = []
        for key in keys:
            at = tuple(float(c) for c in key) if isinstance(key, list | tuple) else key
            found.append(anchor.position(Point(self.body, at), self))
        return found, np.zeros(len(found)), [f"point {key}" for key in keys], None

    def _refuse_locking(self) -> None:
        if self.normal_law.by_multipliers:
            raise InputError(
                f"{self.label}: multipliers at integration points would lock the surface; use points='nodes' or law='penalty'"
            )

    def _of_facets(
        self, anchor: Any, others: Array | None
    ) -> tuple[list[Weights], Array, list[str], NDArray[np.int64] | None]:
        if not isinstance(self.surface, str):
            raise InputError(f"{self.label}: give the name of a surface or set of '{self.body}', not {self.surface!r}")
        groups = anchor.facets(self.surface, self)
        every = [(kind, face) for kind, nodes in groups for face in nodes]
        found: list[Weights] = []
        areas: list[float] = []
        labels: list[str] = []
        if self.points == "integration":
            self._refuse_locking()
            for number_, (kind, face) in enumerate(every):
                N, normals = anchor.facet_normals(kind, face)
                if others is not None and len(face) == 2 and anchor.depth is not None:
                    N, normals = _pieces(anchor.X[face], others, anchor.depth)
                for q in range(len(N)):
                    found.append(anchor.weighted(N[q], face))
                    areas.append(float(np.linalg.norm(normals[q])))
                    labels.append(f"facet {number_}, point {q}")
            return found, np.array(areas), labels, None
        area = np.zeros(len(anchor.X))
        for kind, face in every:
            N, normals = anchor.facet_normals(kind, face)
            area[face] += np.linalg.norm(normals, axis=1) @ N
        nodes = np.unique(np.concatenate([f.nodes.ravel() for f in groups]))
        if area[nodes].min() <= 1e-9 * area[nodes].max():
            raise InputError(
                f"{self.label}: nodes at the corners of {groups[0].kind.name} facets have no area of their own; use "
                "points='integration' with law='penalty', or a mesh of straight elements"
            )
        return [anchor.vectors[i] for i in nodes], area[nodes], [f"node {i}" for i in nodes], nodes


def law_of(part: Any) -> ContactLaw:
    """The normal law of a contact, where it is given in a word."""
    if isinstance(part.law, ContactLaw):
        return part.law
    return Hard(regularisation=part.stiffness) if part.law == "augmented" else SpringDashpot(part.stiffness)


def rub_of(part: Any) -> FrictionLaw | None:
    """The law of friction of a contact, None without any."""
    if isinstance(part.friction, FrictionLaw):
        return part.friction if part.friction.mu > 0.0 or part.friction.of_impulses else None
    return Coulomb(part.friction) if part.friction > 0.0 else None


def check_sides(part: Any, model: Model, otherwise: str) -> None:
    """Both bodies are in the model; with a surface as target they are two, and it fits the model's dimension."""
    model.body(part.body, part)
    model.body(part.target, part)
    if isinstance(part.shape, Surface):
        if part.body == part.target:
            raise InputError(f"{part.label}: body and target are both '{part.body}'; {otherwise}")
        part.shape.check_dimension(model.dimension, part)


def check_model(part: Any) -> None:
    """InputError if a contact has a model of friction that there is not."""
    if part.model is not None:
        one_of(part, "model", MODELS)


def laws_of(part: Any) -> tuple[ContactLaw, FrictionLaw | None]:
    """Both laws of a contact; an error if they do not go together."""
    law, rub = law_of(part), rub_of(part)
    if rub is not None and rub.of_impulses and not law.by_multipliers:
        raise InputError(
            f"{part.label}: {type(rub).__name__} is friction of steps at the level of velocities, which know Hard() and "
            f"Impact(e), not {type(law).__name__}; take one of these, or Coulomb(mu)"
        )
    if rub is not None and law.by_multipliers and not rub.exact:
        raise InputError(
            f"{part.label}: {type(rub).__name__} is a law of soft contacts, and {type(law).__name__} "
            "is held by multipliers, which carry Coulomb; take Coulomb(mu), or a soft law such as SpringDashpot()"
        )
    return law, rub


def _is_the_point(surface: Any) -> bool:
    """Does it mean the only point of a particle? None, 'nodes', or its own origin."""
    return surface is None or surface == "nodes" or (isinstance(surface, list | tuple) and not np.any(surface))


def is_rigid(builder: Builder, anchor: FrameAnchor) -> bool:
    """Are the directors orthonormal for good?"""
    at = bisect_left(builder.rigid, (anchor.r,))  # rows are numbered in order
    held = at < len(builder.rigid) and builder.rigid[at][0] == anchor.r
    return held or builder.kind[anchor.r] == FIXED


def _pieces(X: Array, others: Array, depth: float) -> tuple[Array, Array]:
    """As `facet_normals` of a line between X [m] (2, 2): two Gauss points in each piece between the feet of other nodes."""
    t = X[1] - X[0]
    length = float(np.linalg.norm(t))
    s = (others - X[0]) @ t / length**2
    near = np.abs((others - X[0]) @ np.array([t[1], -t[0]])) / length < length
    cuts = np.unique(np.concatenate(([0.0, 1.0], s[near & (s > 1e-9) & (s < 1.0 - 1e-9)])))
    half, middle = 0.5 * np.diff(cuts), 0.5 * (cuts[1:] + cuts[:-1])
    at = np.concatenate((middle - half / np.sqrt(3.0), middle + half / np.sqrt(3.0)))
    size = np.concatenate((half, half)) * length * depth
    return np.stack((1.0 - at, at), axis=1), np.stack((size, np.zeros_like(size)), axis=1)
