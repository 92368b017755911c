"""Collisions as the user declares them: everything in a group against everything else."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.bodies.body import FrameAnchor
from condyle.contact.collision_pair import CollisionPair
from condyle.contact.contact import WORDS, check_model, is_rigid, law_of, laws_of
from condyle.contact.facets import FacetSurface
from condyle.contact.laws.law import ContactLaw, FrictionLaw
from condyle.contact.problem import ContactProblem
from condyle.contact.shape_pair import Carried
from condyle.contact.shapes import Box, Cylinder, Sphere
from condyle.contact.solids import as_shape
from condyle.contact.surface import Surface
from condyle.errors import InputError
from condyle.geometry.queries import Shapes
from condyle.geometry.shape import Shape
from condyle.model.given import BodyLike, Given
from condyle.model.part import Part, number
from condyle.model.quantities import choice, declared, given, quantity
from condyle.system.tables import FIXED

if TYPE_CHECKING:
    from condyle.contact.solids import ShapesLike
    from condyle.model.model import Model
    from condyle.system.builder import Builder


@declared
class Collisions(Part):
    """All rigid bodies of a group against each other, wherever their shapes meet.

    bodies: a list of bodies that know their shapes (`RigidBody.box`, `.ball`, … or `RigidBody(…, shape=…)`), or a dict from
    bodies to a shape or a list of shapes, as in `Contact`; the value None means that of the body. ground: shape or shapes of
    the ground, such as Plane((0, 0, 1)). law, friction, stiffness, overlap: as of `Contact`, the same for all. neighbours:
    also bodies that a joint connects. model: of friction, as of `Contact`. apart: further pairs of bodies that do not meet.
    most: contact points at the same time, 12 for each body if not given (6 where there are only round ones).
    """

    name: str
    bodies: Given[Sequence[BodyLike] | Mapping[str, ShapesLike], dict[str, ShapesLike]]
    ground: ShapesLike = None
    law: ContactLaw | str = "augmented"
    friction: FrictionLaw | float = 0.0
    stiffness: float | None = quantity("N/m", default=None, above=0.0)
    neighbours: bool = False
    apart: Given[Sequence[Sequence[BodyLike]], list[list[str]]] = given(default_factory=list)
    most: int | None = quantity(default=None, at_least=1)
    overlap: str = choice("report", "resolve", default="report")
    model: str | None = None

    def __post_init__(self) -> None:
        check_model(self)
        given = self.bodies if isinstance(self.bodies, dict) else {_name(body): None for body in _listed(self.bodies)}
        self.bodies = {_name(body): shapes for body, shapes in given.items()}
        self.apart = [[_name(one), _name(other)] for one, other in self.apart]
        if not isinstance(self.law, ContactLaw) and self.law not in WORDS:
            raise InputError(
                f"{self.label}: law is {self.law!r}; give a law such as Hard() or SpringDashpot(1e5), or 'penalty'"
            )
        if not isinstance(self.friction, FrictionLaw):
            number(self, "friction", low=0.0)
        laws_of(self)
        for name, shapes in self.bodies.items():
            self._check_shapes(name, shapes)
        self._check_shapes("ground", self.ground)
        if len(self.bodies) + (self.ground is not None) < 2:
            raise InputError(f"{self.label}: a collision needs two bodies, or one and a shape of the ground")

    @property
    def normal_law(self) -> ContactLaw:
        """The law itself, where it is given in a word."""
        return law_of(self)

    def given_shapes(self, ground: str) -> list[tuple[str, Surface | Shape]]:
        """Bodies with the shapes that are declared here."""
        every = {ground: self.ground, **self.bodies}
        return [(name, shape) for name, shapes in every.items() for shape in _listed(shapes)]

    def _check_shapes(self, name: str, shapes: Any) -> None:
        for shape in _listed(shapes):
            if not isinstance(shape, Surface | Shape):
                raise InputError(f"{self.label}: '{name}' must have a shape such as Sphere(radius), not {shape!r}")

    def validate(self, model: Model) -> None:
        for name in (*self.bodies, *(name for pair in self.apart for name in pair)):
            model.body(name, self)

    def compile(self, builder: Builder) -> None:
        builder.contact_problem = ContactProblem
        shapes, on, names, rows = [], [], [], []
        ground = {builder.model.ground.name: self.ground} if self.ground is not None else {}
        for number_, (name, shaped) in enumerate({**ground, **self.bodies}.items()):
            anchor: Any = builder.anchor(name, self)
            if not isinstance(anchor, FrameAnchor) or not is_rigid(builder, anchor):
                raise InputError(f"{self.label}: '{name}' must be a rigid body to carry a shape")
            names.append(name)
            rows.append((anchor.r, *anchor.directors))
            for shape in self._shapes(builder, name, shaped):
                shapes.append(as_shape(shape, builder.d, f"{self.label}, '{name}'"))
                on.append(number_)
        table = np.array(rows, dtype=np.int64)
        if all(builder.kind[row] == FIXED for row in table.ravel()):
            raise InputError(f"{self.label} is between parts that cannot move; remove it")
        apart = np.array(sorted(set(self._left_out(builder, names))), dtype=np.int64).reshape(-1, 2)
        law, rub = laws_of(self)
        pair = CollisionPair(
            self.name, Carried(Shapes(shapes, on), table), names, apart, law, rub, None, self.overlap, self.most
        )
        if law.own_stiffness is not None:
            pair.stiffness = np.full(pair.count, law.own_stiffness)
        pair.model = self.model
        builder.contacts.append(pair)

    def _shapes(self, builder: Builder, name: str, given: Any) -> list[Any]:
        """Of a body, as given or as it knows them itself."""
        if given is not None:
            return _listed(given)
        own = getattr(builder.model[name], "shape", None)
        if own is None:
            raise InputError(
                f"{self.label}: '{name}' has no shape; give bodies={{…: cd.Sphere(…)}}, or make it by "
                "RigidBody.box, .ball, .cylinder or with shape=…"
            )
        return [made_of(own)] if isinstance(own, dict) else _listed(own)

    def _left_out(self, builder: Builder, names: list[str]) -> Iterator[tuple[int, int]]:
        """Pairs of bodies that do not meet, by their numbers."""
        number_of = {name: k for k, name in enumerate(names)}
        pairs: list[tuple[str, ...]] = [tuple(pair) for pair in self.apart]
        if not self.neighbours:
            for part in builder.model:
                ends = [str(getattr(getattr(part, end, None), "body", "")) for end in ("a", "b")]
                if hasattr(part, "enforcement") and all(ends):
                    pairs.append(tuple(ends))
        for one, other in pairs:
            if one in number_of and other in number_of:
                a, b = sorted((number_of[one], number_of[other]))
                yield a, b


def made_of(own: dict[str, Any]) -> Surface:
    """The shape that a body made of one knows, by its kind and sizes, as in {'box': size}."""
    ((kind, size),) = own.items()
    if kind == "box":
        return Box(size)
    if kind == "ball":
        return Sphere(size)
    if kind == "cylinder":
        return Cylinder(size[0], (0.0, 0.0, 1.0), length=size[1])
    return FacetSurface(size, [(k, (k + 1) % len(size)) for k in range(len(size))])


def _name(body: Any) -> str:
    return str(getattr(body, "name", body))


def _listed(given: Any) -> list[Any]:
    return [] if given is None else list(given) if isinstance(given, list | tuple) else [given]
