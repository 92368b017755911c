"""Fully parameterised ANCF beam: nodes with r, r_x, r_y, r_z (24 coordinates per element; 12 in 2D).

formulation 'section' writes the energy in strains of its sections. measures='director' (directors.py): those of the
geometrically exact beam, of the frames that the sections' vectors make; what an AncfBeam converges to at any strain.
measures='gradient' (gradients.py): strains linear in the Gram matrix, as earlier ANCF beams have them, for small strains.

formulation 'continuum' integrates the Green strain over the volume (Hewlett 2020, R29, R37); for St. Venant–Kirchhoff
with ν ≠ 0 the coupling by ν is integrated on the axis only, which is the usual remedy against Poisson locking.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.ancf.body import Mesh
from condyle.bodies.ancf.directors import add_directors
from condyle.bodies.ancf.gradients import add_gradients
from condyle.bodies.ancf.line_body import BeamBody
from condyle.bodies.ancf.lines import check_line, frames_along, make_line
from condyle.bodies.ancf.measures import Term, add_linear, along_line, on_axis, section_at, volume_points
from condyle.bodies.ancf.sections import RectangularSection, RoundSection
from condyle.bodies.ancf.shapes import BEAM, BEAM_2D, gauss
from condyle.bodies.materials import StVenantKirchhoff
from condyle.errors import InputError
from condyle.model.part import one_of

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder

Array = NDArray[np.float64]

# Strains as (strain, i, j, coefficient of G_ij).
_GREEN: list[Term] = [(0, 0, 0, 0.5), (1, 1, 1, 0.5), (2, 2, 2, 0.5), (3, 1, 2, 1.0), (4, 0, 2, 1.0), (5, 0, 1, 1.0)]


@dataclass
class AncfBeam(BeamBody):
    """A beam that stretches, shears, bends, twists and changes its section.

    line: points of the axis [m] (two: straight; more: a smooth curve); tangents: directions of the curve there; elements:
    divisions of each piece; section: RoundSection, RectangularSection, Rope (with a diameter) or TaperedSection; normal:
    direction of the section's y axis at the start (3D). prestrain: axial strain without force. rest: 'curved' as drawn.
    formulation: 'section' or 'continuum' (a round or rectangular section of any material). points: Gauss points along an
    element for stretch. measures of the section formulation: 'director', those of the geometrically exact beam, or
    'gradient', linear in the products of the gradients, for small strains.
    Points: 'start', 'end', node numbers, at(s, y, z): arc length and place in the section [m].
    """

    formulation: str = "section"
    points: int = 4
    damping: float = 0.0
    velocity: Any = None
    angular_velocity: Any = None
    measures: str = "director"

    def __post_init__(self) -> None:
        self.check_beam_fields()
        one_of(self, "formulation", ("section", "continuum"))
        one_of(self, "measures", ("director", "gradient"))
        if isinstance(self.points, bool) or not isinstance(self.points, int) or self.points < 1:
            raise InputError(f"{self.label}: points must be a whole number of at least 1, not {self.points!r}")
        if self.formulation == "continuum" and not isinstance(self.section, RectangularSection | RoundSection):
            raise InputError(f"{self.label}: the continuum formulation needs a RectangularSection or a RoundSection")
        if self.formulation == "continuum" and self.prestrain:
            raise InputError(f"{self.label}: prestrain is for formulation='section'")
        self.check_motion()

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
            rows_of = self.points * 4 * 6 if model.dimension == 3 else self.points * 2 * 3
        self.warn_of_few_points(rows_of, 24 if model.dimension == 3 else 12, 6 if model.dimension == 3 else 3)

    def mesh(self, d: int) -> Mesh:
        line = make_line(self)
        nodal = np.concatenate((line.nodes[:, None], frames_along(line, self.normal, self.label)), axis=1)
        lengths, starts = np.ones((len(line.cells), d)), np.zeros((len(line.cells), d))
        lengths[:, 0], starts[:, 0] = line.lengths, line.starts
        groups = {"start": [0], "end": [len(nodal) - 1]}
        return Mesh(BEAM_2D if d == 2 else BEAM, nodal, line.cells, lengths, starts, groups=groups)

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
            self._add_continuum(builder, mesh, e, rows, W)
        builder.mass.append((rows, W.T @ self._mass(mesh, e) @ W))

    def _add_continuum(self, builder: Builder, mesh: Mesh, e: int, rows: NDArray[np.int64], W: Array) -> None:
        d = builder.d
        material = self.section.material
        points = volume_points(self, mesh, e, _section_rule(self.section, self.points, d))
        split = isinstance(material, StVenantKirchhoff) and material.poisson != 0.0 and d == 3
        if not split:
            weights, measure = np.array([y @ W for y, *_ in points]), np.array([v for _, v, _ in points])
            builder.add_element(self.name, material.number, rows, weights, measure, material.parameters(d), columns=d)
            return
        lam, mu = material.lame()
        k = self.section.at(0.0)
        shear = k.shear_y / k.lame[1] * mu
        young = material.young
        D0 = np.diag([young, young, young, mu, shear, shear])
        coupling = np.zeros((6, 6))
        coupling[:3, :3] = lam + (2 * mu - young) * np.eye(3)
        X, none = mesh.local(e), np.zeros(6)
        # `linear` takes its rest strain from the gathered vectors at rest, whose Gram matrix is 1 here
        add_linear(builder, self.name, rows, W, X, [(y, v, D0, none) for y, v, _ in points], _GREEN, d)
        xi, w = gauss(self.points)
        area = float(k.lame[1] / mu)
        axis = volume_points(self, mesh, e, (np.array([on_axis(q, d) for q in xi]), w * area))
        add_linear(builder, self.name, rows, W, X, [(y, v, coupling, none) for y, v, _ in axis], _GREEN)

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


def _section_rule(section: Any, along: int, d: int) -> tuple[Array, Array]:
    """Points (ξ, y, z) and weights (of ξ times area) over the volume: Gauss along, 2 × 2 or a disk rule across."""
    xi, w = gauss(along)
    if isinstance(section, RoundSection):
        if section.inner_radius or d == 2:
            raise InputError("the continuum formulation takes full round sections, in 3D")
        half, area = 0.5 * section.radius, np.pi * section.radius**2
        across = [(a, b) for a in (-half, half) for b in (-half, half)]  # exact to degree 3
    else:
        g = 1.0 / np.sqrt(3.0)
        y, z = 0.5 * section.height * g, 0.5 * section.width * g
        area = section.height * section.width
        across = [(a, b) for a in (-y, y) for b in (-z, z)] if d == 3 else [(-y,), (y,)]  # type: ignore[list-item]
    points = np.array([(q, *c) for q in xi for c in across])
    weights = np.array([v * area / len(across) for v in w for _ in across])
    return points, weights
