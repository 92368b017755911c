"""Patches as the user declares them: a cable, beam, plate or face of a solid that lies on something, wherever it does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.bodies.body import FrameAnchor
from condyle.bodies.capabilities import Faceted, Sided
from condyle.contact.contact import check_model, check_sides, is_rigid, laws_of
from condyle.contact.deformable import FacetPair
from condyle.contact.laws.law import ContactLaw, FrictionLaw
from condyle.contact.laws.surface_friction import SurfaceFriction
from condyle.contact.material import Material, material_of
from condyle.contact.patch_pair import Options, PatchPair
from condyle.contact.patch_targets import LineTarget, PieceTarget, ShapeTarget, Target
from condyle.contact.problem import ContactProblem
from condyle.contact.surface import Surface
from condyle.errors import InputError
from condyle.model.given import OnBody
from condyle.model.part import Part, number
from condyle.model.quantities import choice, declared, quantity

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder

MARGIN = 0.01  # of the radius: a gap that belongs to a patch
THIN = 1e-3  # of a cell: the same of lines without a radius
APART = 8.0  # radii along a line: nearer parts of it do not meet


@declared
class PatchContact(Part):
    """A line or surface that lies on something in patches, which are found anew in every step, for `Nonsmooth`.

    body: a Cable, Beam or AncfBeam, a Plate or Shell, or a Solid with the name of one of its surfaces as `surface`. target: a
    rigid body, a frame or the ground, which carries `shape`, a Surface in its coordinates; another Cable or beam, or the same
    one, which then meets itself (no shape); a Plate or Shell with shape='top' or 'bottom', or the same one, which folds over
    itself (no shape); or a Solid with the name of a surface.

    A patch of a line is an interval of its length in which the gap is at most `margin` [m] (1 % of the radius unless given),
    or will be within the step; of a surface it is a rectangle in each of its elements. per_patch: Gauss points of a patch, of
    a surface in each direction; each has its length or area as weight. longest [m]: longer patches of a line are cut in equal
    pieces with as many points each (the longest element unless given). sideways: friction across a line is 'held' (a band),
    or 'free' (a thin cable rolls); round sections of an AncfBeam or Beam are met where they face the target, and friction
    turns them. radius [m] of the line, or half of the thickness of a surface: its own unless given. most: contact points at
    the same time. apart [m]: parts of a line or sheet that are nearer along it do not meet (8 radii unless given).
    law: Hard() or Impact(e); friction: Coulomb(μ), a SurfaceFriction, or μ; model: of friction in steps of Nonsmooth, that of
    the method unless given.
    """

    name: str
    body: OnBody
    target: OnBody
    shape: Surface | str | None = None
    surface: str | None = None
    law: ContactLaw | str = "augmented"
    friction: FrictionLaw | float = 0.0
    per_patch: int = quantity(default=3, at_least=1)
    longest: float | None = quantity("m", default=None, above=0.0)
    margin: float | None = quantity("m", default=None, above=0.0)
    sideways: str = choice("held", "free", default="held")
    radius: float | None = quantity("m", default=None, at_least=0.0)
    most: int | None = quantity(default=None, at_least=1)
    apart: float | None = quantity("m", default=None, above=0.0)
    overlap: str = choice("report", "resolve", default="report")
    model: str | None = None
    stiffness = None

    def __post_init__(self) -> None:
        self.body = getattr(self.body, "name", self.body)
        self.target = getattr(self.target, "name", self.target)
        check_model(self)
        if not isinstance(self.shape, Surface | str | None):
            raise InputError(
                f"{self.label}: shape must be a Surface such as Cylinder(radius, axis), the name of a surface, or None for a "
                f"cable or beam, not {self.shape!r}"
            )
        if not isinstance(self.friction, FrictionLaw):
            number(self, "friction", low=0.0)
        law, _ = laws_of(self)
        if not law.by_multipliers:
            raise InputError(f"{self.label}: patches take Hard() or Impact(e), not {type(law).__name__}; use Contact")

    def validate(self, model: Model) -> None:
        check_sides(self, model, "leave out the shape")

    def compile(self, builder: Builder) -> None:
        builder.contact_problem = ContactProblem
        anchor: Any = builder.anchor(self.body, self)
        material = material_of(anchor, self.surface, self)
        itself = self.body == self.target
        law, rub = laws_of(self)
        if self.sideways == "free" and rub is not None and builder.d == 3:
            if material.along == 2:
                raise InputError(f"{self.label}: sideways='free' is for lines; a surface has no side")
            rub = SurfaceFriction(rub.mu, across=0.0, axis="along")
        radius = material.radius if self.radius is None else self.radius
        if material.round and not radius > 0.0:
            raise InputError(f"{self.label}: a section that turns has a radius above 0; leave radius out")
        size = float(material.lengths.max())
        longest = size if self.longest is None else self.longest
        margin = self.margin if self.margin is not None else MARGIN * radius if radius > 0.0 else THIN * size
        target = self._target(builder, radius, itself, margin)
        most = self.most if self.most is not None else self._most(material, longest)
        options = Options(self.per_patch, longest, margin, most, radius)
        builder.contacts.append(
            PatchPair(self.name, material, target, options, law, rub, self.body, self.overlap, self.model)
        )

    def _most(self, material: Material, longest: float) -> int:
        """Room for all of the body to touch, and for a few short patches."""
        if material.along == 2:
            return len(material.cells) * self.per_patch**2
        return self.per_patch * (int(np.ceil(material.length / longest)) + 8)

    def _target(self, builder: Builder, radius: float, itself: bool, margin: float) -> Target:
        anchor: Any = builder.anchor(self.target, self)
        if isinstance(self.shape, Surface):
            if not isinstance(anchor, FrameAnchor) or not is_rigid(builder, anchor):
                raise InputError(f"{self.label}: '{self.target}' must be rigid to carry a {type(self.shape).__name__}")
            return ShapeTarget(self.target, self.shape, anchor.r, anchor.directors)
        if self.shape is None:
            if isinstance(anchor, Faceted | FrameAnchor):
                raise InputError(
                    f"{self.label}: say what of '{self.target}' is met: shape=cd.Plane(…) or a surface's name"
                )
            line = material_of(anchor, None, self)
            if line.along == 2 and itself:
                return self._sheet(line, radius, margin)
            if line.along != 1:
                raise InputError(f"{self.label}: say which side of '{self.target}' is met: shape='top' or 'bottom'")
            apart = (APART * line.radius if self.apart is None else self.apart) if itself else 0.0
            if line.radius <= 0.0 and radius <= 0.0:
                raise InputError(f"{self.label}: two lines without a radius never meet; give their sections a size")
            if itself and not 0.0 < apart < line.length:
                raise InputError(f"{self.label}: give apart=… [m], shorter than the line, for a body that meets itself")
            return LineTarget(self.target, line, line.radius, apart)
        if itself and not isinstance(anchor, Faceted):
            raise InputError(f"{self.label}: a plate meets itself on both sides; leave out shape='{self.shape}'")
        return PieceTarget(self.target, self._pieces(builder, anchor), itself)

    def _sheet(self, sheet: Material, radius: float, margin: float) -> Target:
        from condyle.contact.sheets import SheetTarget

        apart = APART * radius if self.apart is None else self.apart
        if not radius > 0.0:
            raise InputError(f"{self.label}: a sheet without a thickness never meets itself; give radius=… [m]")
        if not apart > 2.0 * radius:
            raise InputError(
                f"{self.label}: parts of a sheet {apart:g} m apart along it meet already as it lies flat, {2.0 * radius:g} m "
                "thick; give apart=… [m], several times the thickness"
            )
        return SheetTarget(self.target, sheet, radius, apart, margin)

    def _pieces(self, builder: Builder, anchor: Any) -> FacetPair:
        """The pieces of a surface that deforms, as contact has them everywhere."""
        if not isinstance(anchor, Faceted | Sided):
            raise InputError(f"{self.label}: '{self.target}' has no surface '{self.shape}'; give a Surface as shape")
        from condyle.contact.contact import Contact

        before = len(builder.contacts)
        name = str(self.shape)
        stands = Contact(self.name, self.target, name if isinstance(anchor, Faceted) else "nodes", self.target, name)
        stands.compile(builder)
        pair = builder.contacts.pop()
        assert len(builder.contacts) == before and isinstance(pair, FacetPair)
        return pair
