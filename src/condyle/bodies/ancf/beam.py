"""Fully parameterised ANCF beam: nodes with r, r_x, r_y, r_z (24 coordinates per element; 12 in 2D).

formulation 'section' writes the energy in strains of its sections. measures='director' (directors.py): those of the
geometrically exact beam, of the frames that the sections' vectors make; what an AncfBeam converges to at any strain.
measures='gradient' (gradients.py): strains linear in the Gram matrix, as earlier ANCF beams have them, for small strains.

formulation 'continuum' (continuum.py) integrates the stored energy over the volume (Hewlett 2020, equations 5.24–5.31 and
B.7–B.10); for St. Venant–Kirchhoff with ν ≠ 0 the coupling by ν is integrated on the axis only, which is the usual remedy
against Poisson locking.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.ancf.body import Mesh
from condyle.bodies.ancf.continuum import SHAPES, VOLUMES, add_continuum
from condyle.bodies.ancf.directors import add_directors
from condyle.bodies.ancf.gradients import add_gradients
from condyle.bodies.ancf.line_body import BeamBody
from condyle.bodies.ancf.lines import check_line, frames_along, make_line
from condyle.bodies.ancf.measures import along_line, on_axis, section_at
from condyle.bodies.ancf.sections import RectangularSection
from condyle.bodies.ancf.shapes import BEAM, BEAM_2D, gauss
from condyle.bodies.ancf.splines import AlongSpline
from condyle.errors import InputError
from condyle.model.given import NumbersOrNone, VectorOrNone
from condyle.model.part import plain
from condyle.model.quantities import choice, declared, quantity

if TYPE_CHECKING:
    from condyle.bodies.materials.material import Material
    from condyle.model.model import Model
    from condyle.system.builder import Builder

Array = NDArray[np.float64]


@declared
class AncfBeam(AlongSpline, BeamBody):
    """A beam that stretches, shears, bends, twists and changes its section.

    line: points of the axis [m] (two: straight; more: a smooth curve); tangents: directions of the curve there; elements:
    divisions of each piece; section: RoundSection, RectangularSection, Rope (with a diameter) or TaperedSection; normal:
    direction of the section's y axis at the start (3D). prestrain: axial strain without force. rest: 'curved' as drawn.
    formulation: 'section' or 'continuum' (a round, elliptic or rectangular section of any material, whose fibres run along
    the beam). points: Gauss points along an element for stretch; across: points in a section of the continuum formulation, 4
    or 12 (of a rectangle a square number). volume: how a material that hardly changes its volume is kept from locking
    ('relaxed', 'axis' or 'full'; see continuum.py). pre_stretch: how many times longer than at rest it is as drawn; of a
    continuum the section is as much narrower as Poisson's ratio says, and keeps its size at rest. measures of the section
    formulation: 'director', those of the geometrically exact beam, or
    'gradient', linear in the products of the gradients, for small strains. extents [m]: of each piece in its parameter x; the
    tangents are then r_x, and the axis is exactly these cubics (`of_spline`).
    Points: 'start', 'end', node numbers, at(s, y, z): arc length and place in the section [m], both at rest.
    """

    formulation: str = choice("section", "continuum", default="section")
    points: int = quantity(default=4, at_least=1)
    damping: float = quantity("s", default=0.0, at_least=0.0)
    velocity: VectorOrNone = quantity("m/s", default=None, vector=True)
    angular_velocity: NumbersOrNone = quantity("rad/s", default=None)
    measures: str = choice("director", "gradient", default="director")
    pre_stretch: float = quantity(default=1.0, above=0.0)
    across: int = 4
    volume: str = choice(*VOLUMES, default="relaxed")
    extents: NumbersOrNone = quantity("m", default=None)

    def __post_init__(self) -> None:
        self.check_beam_fields()
        self.extents = plain(self.extents)
        if self.formulation == "continuum":
            self._check_continuum()
        self.check_motion()

    def _check_continuum(self) -> None:
        if not isinstance(self.section, SHAPES):
            raise InputError(
                f"{self.label}: the continuum formulation needs a RectangularSection, a RoundSection or an EllipticSection"
            )
        if self.prestrain:
            raise InputError(f"{self.label}: prestrain is for formulation='section'; here it is pre_stretch")
        counts = (4, 9, 16, 25) if isinstance(self.section, RectangularSection) else (4, 12)
        if isinstance(self.across, bool) or self.across not in counts:
            given = " or ".join(map(str, counts))
            raise InputError(f"{self.label}: across is {given} points in its section, not {self.across!r}")

    @property
    def has_sections(self) -> bool:
        return self.formulation == "section"

    def validate(self, model: Model) -> None:
        super().validate(model)
        check_line(self, model.dimension)
        section = self.section.at(0.0)
        if section.mass > 0 and not section.moment_y > 0:
            raise InputError(f"{self.label}: its section has no inertia against turning; give the Rope a diameter")
        rows_of = (self.points + 12 + 6) if model.dimension == 3 else (self.points + 5 + 2)
        if self.formulation == "continuum":
            rows_of = self.points * self.across * 6 if model.dimension == 3 else self.points * 2 * 3
        self.warn_of_few_points(rows_of, 24 if model.dimension == 3 else 12, 6 if model.dimension == 3 else 3)

    def mesh(self, d: int) -> Mesh:
        line = make_line(self)
        nodal = np.concatenate((line.nodes[:, None], frames_along(line, self.normal, self.label)), axis=1)
        lengths, starts = np.ones((len(line.cells), d)), np.zeros((len(line.cells), d))
        lengths[:, 0], starts[:, 0] = line.lengths, line.starts
        groups = {"start": [0], "end": [len(nodal) - 1]}
        mesh = Mesh(BEAM_2D if d == 2 else BEAM, nodal, line.cells, lengths, starts, groups=groups)
        return mesh.stretched(self.pre_stretch, self._across_at_start())

    def _across_at_start(self) -> float:
        """Length of r_y and r_z at the start: 1, or as the pre-stretch of a continuum has it with hardly any stress across."""
        if self.formulation == "section":
            return 1.0
        material: Material = self.section.material  # type: ignore[attr-defined]  # as `_check_continuum` has asked
        return float(self.pre_stretch ** -(0.5 if material.splits else material.poisson))

    def held_gradients(self, mesh: Mesh, tied: set[int]) -> dict[int, set[int]]:
        """The section, not r_x: shear and stretch at a clamp stay free."""
        return {i: set(range(1, mesh.nodal.shape[1] - 1)) for i in tied}

    def section_gradients(self, parameters: int) -> tuple[int, ...]:
        return tuple(range(1, parameters))

    def add_element(self, builder: Builder, mesh: Mesh, e: int, rows: NDArray[np.int64], W: Array) -> None:
        if self.formulation == "section":
            add = add_directors if self.measures == "director" else add_gradients
            add(builder, self, mesh, e, rows, W)
        else:
            add_continuum(builder, self, mesh, e, rows, W)
        builder.mass.append((rows, W.T @ self._mass(mesh, e) @ W))

    def _mass(self, mesh: Mesh, e: int) -> Array:
        """∫ (ρA N Nᵀ + ∫ρy² N_y N_yᵀ + ∫ρz² N_z N_zᵀ) ds."""
        X, L = mesh.local(e), float(mesh.lengths[e, 0])
        d = X.shape[1]
        m = np.zeros((len(X), len(X)))
        orders = [(0,) * d] + [tuple(int(i == k) for i in range(d)) for k in range(1, d)]
        for q, w in zip(*gauss(5), strict=True):
            _, J = along_line(mesh, e, on_axis(q, d))
            k = section_at(self, mesh, e, q)
            N = mesh.weights(e, on_axis(q, d), *orders)
            for density, shape in zip((k.mass, k.moment_y, k.moment_z), N, strict=False):
                m += density * w * L * J * np.outer(shape, shape)
        return m
