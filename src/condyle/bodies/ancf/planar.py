"""Planar shear-deformable beams with sections that stay straight, or that warp (gantoi-2013, chapter 5).

Per component the fields are [1, x, y, xy, x², x³] with r, r_x, r_y at the nodes (12 coordinates per element), and [1, x, y, xy,
x², x³, x²(y − κ y²), x³y] with r_xy too (16 coordinates). Three things to know about the second:

- κ has a unit, 1/m: the element of the source is that of metres (κ = 3/m), and another one in other units.
- There is no y² at the start of an element but at its end, so that off the axis the field jumps between elements. Readings
  there are those of the element on the left.
- r_xy must stay free at a clamp, or the beam is too stiff by ten percent; `Tie` and `Insertion` leave it free.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.ancf.body import Mesh
from condyle.bodies.ancf.line_body import LineBody
from condyle.bodies.ancf.lines import check_line, frames_along, make_line
from condyle.bodies.ancf.measures import volume_points
from condyle.bodies.ancf.sections import RectangularSection, checked_section
from condyle.bodies.ancf.shapes import BEAM_2D, CABLE, gauss_product, warped_beam
from condyle.errors import InputError
from condyle.model.given import Given, Numbers, NumbersOrNone, VectorOrNone
from condyle.model.part import rows
from condyle.model.point import Point
from condyle.model.quantities import choice, declared, given, quantity

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder

Array = NDArray[np.float64]

ELEMENTS = {
    "straight": (5, 3),
    "warped": (7, 5),
}  # Gauss points along and across that integrate St. Venant–Kirchhoff exactly


@declared
class PlanarBeam(LineBody):
    """A beam of a planar model as a continuum: stored energy of its material over length and height.

    line: points of the axis [m], curved or straight; tangents: directions there; elements: divisions of each piece; section:
    a RectangularSection.
    sections: 'straight' (12 coordinates per element: r, r_x, r_y) or 'warped' (16: r_xy too, by which sections warp and stretch
    differently over their height). plane: 'stress' or 'strain'. warping: κ [1/m] of the warped field. points: Gauss points
    along and across an element, by default as many as integrate St. Venant–Kirchhoff exactly.
    Points: 'start', 'end', node numbers, at(s, y): arc length and place in the section [m].
    """

    name: str
    line: Numbers
    elements: int = quantity(at_least=1)
    section: RectangularSection
    tangents: NumbersOrNone = given(default=None)
    sections: str = choice(*ELEMENTS, default="warped")
    plane: str = choice("stress", "strain", default="stress")
    warping: float = quantity(default=3.0)
    points: Given[Sequence[int] | None, tuple[int, int] | None] = given(default=None)
    damping: float = quantity("s", default=0.0, at_least=0.0)
    velocity: VectorOrNone = quantity("m/s", default=None, vector=True)
    angular_velocity: NumbersOrNone = quantity("rad/s", default=None)
    curve = "spline"
    edges = None

    def __post_init__(self) -> None:
        rows(self, "line")
        if self.tangents is not None:
            rows(self, "tangents")
        checked_section(self)
        if not isinstance(self.section, RectangularSection):
            raise InputError(f"{self.label}: a planar beam needs a RectangularSection")
        if self.points is not None:
            given = np.ravel(np.asarray(self.points, dtype=object)).tolist()
            if len(given) != 2 or not all(isinstance(n, int) and n >= 1 for n in given):
                raise InputError(f"{self.label}: points are two whole numbers, along and across, not {self.points!r}")
            self.points = tuple(given)
        self.check_motion()

    def at(self, *coordinates: float) -> Point:
        """The point at arc length s and height y in the section [m]."""
        flat = np.ravel(coordinates).tolist()
        return Point(self.name, tuple(flat + [0.0] * (2 - len(flat))))

    @property
    def has_sections(self) -> bool:
        return False

    @property
    def across(self) -> int:
        """Points in a section at which forces are read, squared as of a section in space."""
        return self.counts[1] ** 2

    @property
    def counts(self) -> tuple[int, int]:
        """Gauss points along and across."""
        return ELEMENTS[self.sections] if self.points is None else self.points

    def validate(self, model: Model) -> None:
        super().validate(model)
        if model.dimension != 2:
            raise InputError(f"{self.label}: a planar beam is for 2D models; use an AncfBeam")
        check_line(self, 2)
        along, across = self.counts
        self.warn_of_few_points(3 * along * across, 12 if self.sections == "straight" else 16, 3)

    def mesh(self, d: int) -> Mesh:
        line = make_line(self)
        nodal = np.concatenate((line.nodes[:, None], frames_along(line, None, self.label)), axis=1)
        lengths, starts = np.ones((len(line.cells), 2)), np.zeros((len(line.cells), 2))
        lengths[:, 0], starts[:, 0] = line.lengths, line.starts
        groups = {"start": [0], "end": [len(nodal) - 1]}
        if self.sections == "straight":
            return Mesh(BEAM_2D, nodal, line.cells, lengths, starts, groups=groups)
        turn = _curvature(line)[:, None, None] * -nodal[:, 1:2]  # r_xy = dn/dx = −κ t at rest
        nodal = np.concatenate((nodal, turn), axis=1)
        return Mesh(warped_beam(self.warping), nodal, line.cells, lengths, starts, groups=groups)

    def held_gradients(self, mesh: Mesh, tied: set[int]) -> dict[int, set[int]]:
        """The section, not r_x, nor how it warps."""
        return {i: {1} for i in tied}

    def section_gradients(self, parameters: int) -> tuple[int, ...]:
        return (1,)

    def add_element(self, builder: Builder, mesh: Mesh, e: int, rows: NDArray[np.int64], W: Array) -> None:
        material, h = self.section.material, self.section.height
        points, weights = gauss_product(list(self.counts))
        places = (points - (0.0, 0.5)) * (1.0, h)
        size = h * self.section.width
        found = volume_points(self, mesh, e, (places, weights * size))
        law, params = material.setting(2, self.plane)
        builder.add_element(
            self.name, law, rows, np.array([y @ W for y, *_ in found]), np.array([v for _, v, _ in found]), params,
            columns=2, damping=material.viscosity, prony=material.prony,
        )  # fmt: skip
        points, weights = gauss_product([5, 4])
        full = volume_points(self, mesh, e, ((points - (0.0, 0.5)) * (1.0, h), weights * size))
        m = sum(material.density * v * np.outer(N, N) for _, v, N in full)
        builder.mass.append((rows, W.T @ m @ W))


def _curvature(line: Any) -> Array:
    """Of a line in the plane at its nodes [1/m], the mean of both sides; positive to the left."""
    total, count = np.zeros(len(line.nodes)), np.zeros(len(line.nodes))
    for (i, j), L in zip(line.cells, line.lengths, strict=True):
        X = np.array([line.nodes[i], line.tangents[i], line.nodes[j], line.tangents[j]])
        for node, xi in ((i, 0.0), (j, 1.0)):
            t, c = (CABLE.weights([xi], (order,), [L]) @ X for order in (1, 2))
            total[node] += (t[0] * c[1] - t[1] * c[0]) / np.linalg.norm(t) ** 3
            count[node] += 1.0
    return np.asarray(total / count)
