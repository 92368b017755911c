"""Cross-sections of cables and beams: round, rectangular, tapered, or given by their stiffness."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from condyle.bodies.materials import Material
from condyle.errors import InputError
from condyle.model.given import Numbers, NumbersOrNone, means
from condyle.model.part import Part
from condyle.model.quantities import declared, given, quantity


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


means("SectionPart", "a section", "object")


def _of_material(part: Any, area: float, Iz: float, Iy: float, J: float, shear: float) -> Stiffness:
    """Of a section with a shape; its own shear factors and torsion constant take the place of those of the shape."""
    material: Material = part.material
    along_y, along_z = (shear, shear) if part.shear_factors is None else part.shear_factors
    J = J if part.torsion_constant is None else part.torsion_constant
    lam, mu = material.lame()
    E, rho = material.young, material.density
    return Stiffness(
        E * area, E * Iz, E * Iy, mu * J, along_y * mu * area, along_z * mu * area, rho * area, rho * Iz, rho * Iy,
        (lam * area, mu * area), material.poisson,
    )  # fmt: skip


def _checked_shape(part: Any) -> None:
    """Material and shear factors."""
    if not isinstance(part.material, Material):
        raise InputError(f"{part.label}: give a material such as StVenantKirchhoff(young=…, poisson=…, density=…)")
    if part.shear_factors is not None:
        _one_or_two(part, "shear_factors", "", strict=True)
        object.__setattr__(part, "shear_factors", tuple(np.broadcast_to(part.shear_factors, 2).tolist()))


def _one_or_two(part: Any, field: str, unit: str, *, strict: bool) -> None:
    """`field` is one number or two, for the two directions of a section; two alike are kept as one."""
    given = getattr(part, field)
    try:
        both = np.broadcast_to(np.asarray(given, dtype=float), 2)
    except (TypeError, ValueError):
        both = np.array([np.nan, np.nan])
    if not (np.isfinite(both).all() and ((both > 0).all() if strict else (both >= 0).all())):
        least = "above 0" if strict else "of at least 0"
        raise InputError(f"{part.label}: {field} must be one or two numbers {least}{unit}, not {given!r}")
    object.__setattr__(part, field, tuple(both.tolist()) if both[0] != both[1] else float(both[0]))


@declared(frozen=True)
class RoundSection(SectionPart):
    """A circle or tube: radius and inner_radius [m].

    shear_factors: one or two (along y and z), by default those of a circle or tube (cowper-1966); torsion_constant [m⁴]: J, by
    default the polar moment of area.
    """

    radius: float = quantity("m", above=0.0)
    material: Material
    inner_radius: float = quantity("m", default=0.0, at_least=0.0)
    shear_factors: NumbersOrNone = given(default=None)
    torsion_constant: float | None = quantity("m⁴", default=None, above=0.0)

    def __post_init__(self) -> None:
        if self.inner_radius >= self.radius:
            raise InputError(f"{self.label}: inner_radius {self.inner_radius:g} must be below radius {self.radius:g}")
        _checked_shape(self)

    def at(self, share: float) -> Stiffness:
        area = np.pi * (self.radius**2 - self.inner_radius**2)
        inertia = 0.25 * np.pi * (self.radius**4 - self.inner_radius**4)
        nu, m = self.material.poisson, (self.inner_radius / self.radius) ** 2
        ring = (1.0 + m) ** 2
        shear = 6.0 * (1.0 + nu) * ring / ((7.0 + 6.0 * nu) * ring + (20.0 + 12.0 * nu) * m)
        return _of_material(self, area, inertia, inertia, 2.0 * inertia, shear)

    @property
    def half_sizes(self) -> tuple[float, float] | None:
        return self.radius, self.radius


@declared(frozen=True)
class EllipticSection(SectionPart):
    """A full ellipse: radii [m] along y (the direction `normal` of a beam) and along z.

    shear_factors: one or two (along y and z), by default those of a circle (cowper-1966); torsion_constant [m⁴]: J, by default
    π a³ b³/(a² + b²).
    """

    radius_y: float = quantity("m", above=0.0)
    radius_z: float = quantity("m", above=0.0)
    material: Material
    shear_factors: NumbersOrNone = given(default=None)
    torsion_constant: float | None = quantity("m⁴", default=None, above=0.0)

    def __post_init__(self) -> None:
        _checked_shape(self)

    def at(self, share: float) -> Stiffness:
        a, b, nu = self.radius_y, self.radius_z, self.material.poisson
        J = np.pi * (a * b) ** 3 / (a**2 + b**2)
        shear = 6.0 * (1.0 + nu) / (7.0 + 6.0 * nu)
        return _of_material(self, np.pi * a * b, 0.25 * np.pi * a**3 * b, 0.25 * np.pi * a * b**3, J, shear)

    @property
    def half_sizes(self) -> tuple[float, float] | None:
        return self.radius_y, self.radius_z


@declared(frozen=True)
class RectangularSection(SectionPart):
    """height [m] along y (the direction `normal` of a beam; in 2D in the plane) and width [m] along z.

    shear_factors: one or two (along y and z), by default 10(1 + ν)/(12 + 11ν) (cowper-1966); torsion_constant [m⁴]: J, by
    default that of a rectangle.
    """

    height: float = quantity("m", above=0.0)
    width: float = quantity("m", above=0.0)
    material: Material
    shear_factors: NumbersOrNone = given(default=None)
    torsion_constant: float | None = quantity("m⁴", default=None, above=0.0)

    def __post_init__(self) -> None:
        _checked_shape(self)

    def at(self, share: float) -> Stiffness:
        h, w, nu = self.height, self.width, self.material.poisson
        long, short = max(h, w), min(h, w)
        J = long * short**3 * (1.0 / 3.0 - 0.21 * short / long * (1.0 - short**4 / (12.0 * long**4)))
        shear = 10.0 * (1.0 + nu) / (12.0 + 11.0 * nu)
        return _of_material(self, h * w, w * h**3 / 12.0, h * w**3 / 12.0, J, shear)

    @property
    def half_sizes(self) -> tuple[float, float] | None:
        return 0.5 * self.height, 0.5 * self.width


@declared(frozen=True)
class Rope(SectionPart):
    """A rope or any section by its data: axial EA [N], bending EI [N m²], mass [kg/m], torsion GJ [N m²].

    bending may be two numbers (about z and y: unlike in two directions), and shear [N] too (along y and z); shear is by
    default 5/12 EA. diameter [m] gives the inertia of the section against turning, which beams need. damping [s] is the time
    of Kelvin–Voigt damping.
    """

    axial: float = quantity("N", above=0.0)
    bending: Numbers = quantity("N m²")
    mass: float = quantity("kg/m", above=0.0)
    torsion: float = quantity("N m²", default=0.0, at_least=0.0)
    shear: NumbersOrNone = given(default=None)
    diameter: float | None = quantity("m", default=None, above=0.0)
    damping: float = quantity("s", default=0.0, at_least=0.0)

    def __post_init__(self) -> None:
        _one_or_two(self, "bending", " [N m²]", strict=False)
        if self.shear is not None:
            _one_or_two(self, "shear", " [N]", strict=True)

    def at(self, share: float) -> Stiffness:
        about_z, about_y = np.broadcast_to(np.asarray(self.bending, dtype=float), 2).tolist()
        shear = 5.0 / 12.0 * self.axial if self.shear is None else self.shear
        along_y, along_z = np.broadcast_to(np.asarray(shear, dtype=float), 2).tolist()
        moment = 0.0 if self.diameter is None else self.mass * self.diameter**2 / 16.0
        return Stiffness(
            self.axial, about_z, about_y, self.torsion, along_y, along_z, self.mass, moment, moment,
            (0.0, 0.5 * self.axial), 0.0,
        )  # fmt: skip

    @property
    def half_sizes(self) -> tuple[float, float] | None:
        return None if self.diameter is None else (0.5 * self.diameter, 0.5 * self.diameter)


@dataclass(frozen=True)
class TaperedSection(SectionPart):
    """From one section to another of the same kind: all their numbers change linearly along the line."""

    start: SectionPart
    end: SectionPart

    def __post_init__(self) -> None:
        if not isinstance(self.start, SectionPart) or type(self.start) is not type(self.end):
            raise InputError(f"{self.label}: start and end must be sections of one kind, such as two RoundSection")
        start: Any = self.start
        for f in dataclasses.fields(start):
            a, b = getattr(start, f.name), getattr(self.end, f.name)
            if (a is None) != (b is None):
                raise InputError(f"{self.label}: give {f.name} of both its sections, or of none")
            if isinstance(a, Material) and a != b:
                raise InputError(f"{self.label}: both sections must be of the same material")

    def at(self, share: float) -> Stiffness:
        changed = {}
        start: Any = self.start
        for f in dataclasses.fields(start):
            a, b = getattr(self.start, f.name), getattr(self.end, f.name)
            if isinstance(a, float | tuple) and isinstance(b, float | tuple):
                a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
                changed[f.name] = ((1.0 - share) * a + share * b).tolist()
        part: SectionPart = dataclasses.replace(start, **changed)
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
