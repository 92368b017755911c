"""Cross-sections of cables and beams: round, rectangular, tapered, or given by their stiffness."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from condyle.bodies.materials import Material
from condyle.errors import InputError
from condyle.model.fields import Numbers
from condyle.model.part import Part, number


class Stiffness(NamedTuple):
    """What a section resists with, per unit length: y and z are its axes, x is along the line."""

    axial: float  # EA [N]
    bending_z: float  # EI about z, ∫E y² dA [N m²]: the bending of 2D models
    bending_y: float  # ∫E z² dA [N m²]
    torsion: float  # GJ [N m²]
    shear_y: float  # shear force over shear strain [N]
    shear_z: float
    mass: float  # ρA [kg/m]
    moment_y: float  # ∫ρ y² dA [kg m]
    moment_z: float  # ∫ρ z² dA [kg m]
    lame: tuple[float, float]  # λA, μA [N] against a change of the section itself
    poisson: float


class SectionPart(Part, abstract=True):
    """Base of sections."""

    def at(self, share: float) -> Stiffness:
        """The section at a share 0 … 1 of the length."""
        raise TypeError(f"{type(self).__name__} does not say its stiffness: define at(self, share)")

    @property
    def uniform(self) -> bool:
        """Is it the same along the whole length?"""
        return True

    @property
    def half_sizes(self) -> tuple[float, float] | None:
        """Half height along y and half width along z [m], if it has a shape."""
        return None


def _of_material(
    material: Material, area: float, Iz: float, Iy: float, J: float, shear: float, label: str
) -> Stiffness:
    lam, mu = material.lame()
    E, rho = material.young, material.density
    if not rho > 0:
        raise InputError(f"{label}: the density of its material must be positive for it to move")
    return Stiffness(
        E * area, E * Iz, E * Iy, mu * J, shear * mu * area, shear * mu * area, rho * area, rho * Iz, rho * Iy,
        (lam * area, mu * area), material.poisson,
    )  # fmt: skip


def _checked_material(part: Any) -> None:
    if not isinstance(part.material, Material):
        raise InputError(f"{part.label}: give a material such as StVenantKirchhoff(young=…, poisson=…, density=…)")


@dataclass(frozen=True)
class RoundSection(SectionPart):
    """A circle or tube: radius and inner_radius [m]."""

    radius: float
    material: Any
    inner_radius: float = 0.0

    def __post_init__(self) -> None:
        number(self, "radius", low=0.0, strict=True)
        number(self, "inner_radius", low=0.0)
        if self.inner_radius >= self.radius:
            raise InputError(f"{self.label}: inner_radius {self.inner_radius:g} must be below radius {self.radius:g}")
        _checked_material(self)

    def at(self, share: float) -> Stiffness:
        area = np.pi * (self.radius**2 - self.inner_radius**2)
        inertia = 0.25 * np.pi * (self.radius**4 - self.inner_radius**4)
        nu = self.material.poisson
        shear = 6.0 * (1.0 + nu) / (7.0 + 6.0 * nu)
        return _of_material(self.material, area, inertia, inertia, 2.0 * inertia, shear, self.label)

    @property
    def half_sizes(self) -> tuple[float, float] | None:
        return self.radius, self.radius


@dataclass(frozen=True)
class RectangularSection(SectionPart):
    """height [m] along y (the direction `normal` of a beam; in 2D in the plane) and width [m] along z."""

    height: float
    width: float
    material: Any

    def __post_init__(self) -> None:
        number(self, "height", low=0.0, strict=True)
        number(self, "width", low=0.0, strict=True)
        _checked_material(self)

    def at(self, share: float) -> Stiffness:
        h, w, nu = self.height, self.width, self.material.poisson
        long, short = max(h, w), min(h, w)
        J = long * short**3 * (1.0 / 3.0 - 0.21 * short / long * (1.0 - short**4 / (12.0 * long**4)))
        shear = 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu)
        return _of_material(self.material, h * w, w * h**3 / 12.0, h * w**3 / 12.0, J, shear, self.label)

    @property
    def half_sizes(self) -> tuple[float, float] | None:
        return 0.5 * self.height, 0.5 * self.width


@dataclass(frozen=True)
class Rope(SectionPart):
    """A rope or any section by its data: axial EA [N], bending EI [N m²], mass [kg/m], torsion GJ [N m²].

    bending may be two numbers (about z and y: unlike in two directions). shear [N] is by default 5/12 EA; diameter [m]
    gives the inertia of the section against turning, which beams need. damping [s] is the time of Kelvin–Voigt damping.
    """

    axial: float
    bending: Numbers
    mass: float
    torsion: float = 0.0
    shear: float | None = None
    diameter: float | None = None
    damping: float = 0.0

    def __post_init__(self) -> None:
        number(self, "axial", low=0.0, strict=True)
        number(self, "mass", low=0.0, strict=True)
        number(self, "torsion", low=0.0)
        number(self, "shear", low=0.0, strict=True, none_ok=True)
        number(self, "diameter", low=0.0, strict=True, none_ok=True)
        number(self, "damping", low=0.0)
        try:
            both = np.broadcast_to(np.asarray(self.bending, dtype=float), 2)
        except (TypeError, ValueError):
            both = np.array([np.nan])
        if not (np.isfinite(both).all() and (both >= 0).all()):
            raise InputError(
                f"{self.label}: bending must be one or two numbers of at least 0 [N m²], not {self.bending!r}"
            )
        object.__setattr__(self, "bending", tuple(both.tolist()) if both[0] != both[1] else float(both[0]))

    def at(self, share: float) -> Stiffness:
        about_z, about_y = np.broadcast_to(np.asarray(self.bending, dtype=float), 2).tolist()
        shear = 5.0 / 12.0 * self.axial if self.shear is None else self.shear
        moment = 0.0 if self.diameter is None else self.mass * self.diameter**2 / 16.0
        return Stiffness(
            self.axial, about_z, about_y, self.torsion, shear, shear, self.mass, moment, moment,
            (0.0, 0.5 * self.axial), 0.0,
        )  # fmt: skip

    @property
    def half_sizes(self) -> tuple[float, float] | None:
        return None if self.diameter is None else (0.5 * self.diameter, 0.5 * self.diameter)


@dataclass(frozen=True)
class TaperedSection(SectionPart):
    """From one section to another of the same kind: all their numbers change linearly along the line."""

    start: Any
    end: Any

    def __post_init__(self) -> None:
        if not isinstance(self.start, SectionPart) or type(self.start) is not type(self.end):
            raise InputError(f"{self.label}: start and end must be sections of one kind, such as two RoundSection")

    def at(self, share: float) -> Stiffness:
        changed = {}
        for f in dataclasses.fields(self.start):
            a, b = getattr(self.start, f.name), getattr(self.end, f.name)
            if isinstance(a, float) and isinstance(b, float):
                changed[f.name] = (1.0 - share) * a + share * b
        part: SectionPart = dataclasses.replace(self.start, **changed)
        return part.at(share)

    @property
    def uniform(self) -> bool:
        return False

    @property
    def half_sizes(self) -> tuple[float, float] | None:
        sizes: tuple[float, float] | None = self.start.half_sizes
        return sizes


def checked_section(part: Any) -> None:
    """`part.section` is a section."""
    if not isinstance(part.section, SectionPart):
        raise InputError(f"{part.label}: give a section such as RoundSection(radius=…, material=…) or Rope(…)")
