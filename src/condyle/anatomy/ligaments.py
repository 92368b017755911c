"""Bundles of ligaments between two bones: as cables, beams or springs, stretched as the joint is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.bodies import AncfBeam, Cable, EllipticSection, LigamentTissue, RoundSection
from condyle.errors import InputError
from condyle.forces import Damper, Spring
from condyle.joints import Insertion
from condyle.model.point import Point
from condyle.muscles import Ligament

if TYPE_CHECKING:
    from condyle.model.given import VectorLike

Array = NDArray[np.float64]
KINDS = ("cable", "beam", "spring", "toe")
# Collateral ligaments of gantoi-2013, after weiss-1996.
TISSUE = LigamentTissue(1.44e6, 1.0 / 0.00126e-6, 0.57e6, 48.0, 467.1e6, 1.063, density=1000.0)


@dataclass(frozen=True)
class Bundle:
    """A bundle of fibres from one bone to another.

    femoral, distal [m]: its sites in the world, as the joint is drawn. strain: by how much it is longer then than at rest
    (negative: slack). kind: 'cable' and 'beam' are elements of `tissue` with the half axes `radii` [m] of its section (a
    cable has a round one of the same area); 'spring' is a linear one with `stiffness` [N/m] and `damping` [N s/m]; 'toe' pulls
    with `stiffness` [N per unit strain], from zero in a toe region and never pushes (`Ligament`). hold: what of the section
    its insertions hold (`Insertion`), of cables always the tangent. bone: 'tibia' or 'fibula'.
    """

    femoral: VectorLike
    distal: VectorLike
    strain: float = 0.04
    kind: str = "cable"
    radii: tuple[float, float] = (3.4e-3, 2.3e-3)
    tissue: LigamentTissue = TISSUE
    stiffness: float | None = None
    damping: float = 0.0
    elements: int = 4
    hold: str = "section"
    bone: str = "tibia"

    @property
    def length(self) -> float:
        """Distance of its sites as drawn [m]."""
        return float(np.linalg.norm(np.subtract(self.femoral, self.distal)))

    def check(self, name: str) -> None:
        """InputError for a bundle that cannot be."""
        if self.kind not in KINDS:
            raise InputError(f"bundle '{name}': kind is {self.kind!r}; choose one of {', '.join(KINDS)}")
        if self.bone not in ("tibia", "fibula"):
            raise InputError(f"bundle '{name}': bone is {self.bone!r}; choose 'tibia' or 'fibula'")
        if any(np.shape(site) != (3,) or not np.isfinite(site).all() for site in (self.femoral, self.distal)):
            raise InputError(f"bundle '{name}': femoral and distal must be points in space [m]")
        if not self.length > 0.0:
            raise InputError(
                f"bundle '{name}': both sites are at the same place, so it has no length; move one of them"
            )
        if not (np.isfinite(self.strain) and self.strain > -1.0):
            raise InputError(
                f"bundle '{name}': with a strain of {self.strain:g} its length at rest, {self.length:g} m / (1 + strain), "
                "would not be above zero; strain is a share such as 0.04"
            )
        if self.kind in ("spring", "toe") and not (self.stiffness is not None and self.stiffness > 0.0):
            raise InputError(f"bundle '{name}': a {self.kind} needs a stiffness above 0")


def add_bundle(model: Any, name: str, bundle: Bundle, femur: Any, bone: Any, forward: Any = (1.0, 0.0, 0.0)) -> None:
    """Add a bundle and its insertions to a model; femur and bone are bodies of it. forward: first axis of sections of beams."""
    bundle.check(name)
    top, bottom = (tuple(float(c) for c in site) for site in (bundle.femoral, bundle.distal))
    stretch = 1.0 + bundle.strain
    ends = Point(femur.name, top, "world"), Point(bone.name, bottom, "world")
    if bundle.kind == "toe":
        model.add(Ligament(name, list(ends), float(bundle.stiffness or 0.0), reference_strain=bundle.strain,
                           damping=bundle.damping))  # fmt: skip
        return
    if bundle.kind == "spring":
        model.add(Spring(name, *ends, float(bundle.stiffness or 0.0), rest_length=bundle.length / stretch))
        if bundle.damping:
            model.add(Damper(f"{name} damper", *ends, bundle.damping))
        return
    body: Any
    if bundle.kind == "cable":
        section: Any = RoundSection(float(np.sqrt(bundle.radii[0] * bundle.radii[1])), bundle.tissue)
        body = Cable(name, [bottom, top], bundle.elements, section, pre_stretch=stretch)
    else:
        along = np.subtract(top, bottom) / bundle.length
        normal = np.asarray(forward, dtype=float) - np.dot(forward, along) * along
        normal = np.array((0.0, 1.0, 0.0)) if np.linalg.norm(normal) < 0.1 else normal
        body = AncfBeam(
            name, [bottom, top], bundle.elements, EllipticSection(*bundle.radii, bundle.tissue),
            normal=tuple((normal / np.linalg.norm(normal)).tolist()), formulation="continuum", pre_stretch=stretch,
        )  # fmt: skip
    model.add(body)
    hold = "tangent" if bundle.kind == "cable" else bundle.hold
    model.add(Insertion(f"{name} distal", body.point("start"), bone, at=bottom, hold=hold))
    model.add(Insertion(f"{name} femoral", body.point("end"), femur, at=top, hold=hold))
