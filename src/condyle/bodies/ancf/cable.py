"""ANCF cable: nodes with a position and a tangent (Hewlett 2020, equations 2.23–2.29), in the plane and in space.

Two elements of energy: stretch and curvature. All derivatives are by the arc length of the shape at rest, which is
therefore free of strain whatever the elements' parameters are; curvature at rest stands in the parameters of the law.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.ancf.body import AncfAnchor, Mesh, add_by_point
from condyle.bodies.ancf.line_body import LineBody
from condyle.bodies.ancf.lines import check_line, make_line
from condyle.bodies.ancf.measures import along_line, section_at
from condyle.bodies.ancf.sections import SectionPart, checked_section
from condyle.bodies.ancf.shapes import CABLE as CABLE_SHAPE
from condyle.bodies.ancf.shapes import gauss
from condyle.bodies.ancf.splines import AlongSpline
from condyle.bodies.materials import LigamentTissue
from condyle.errors import InputError
from condyle.laws.codes import CABLE, DISTANCE, FIBRE_LINE, REELED_CABLE
from condyle.model.given import Numbers, NumbersLike, NumbersOrNone, Option, VectorOrNone
from condyle.model.part import plain, rows
from condyle.model.point import Point
from condyle.model.quantities import choice, declared, given, quantity
from condyle.system.coordinate import Coordinate
from condyle.system.weights import Weights

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder
    from condyle.system.points import Points

Array = NDArray[np.float64]


@declared
class Cable(AlongSpline, LineBody):
    """A cable that stretches and bends, without shear and twist.

    line: points [m] (k, d): two for a straight cable, more for a smooth curve through them (curve='spline') or straight
    pieces hinged to each other (curve='polyline'); tangents: directions of the curve at the points; edges: pairs of point
    numbers, for a net of straight cables. elements: divisions of each piece. section: RoundSection, RectangularSection,
    Rope or TaperedSection. strain: 'green' ½(r'·r' − 1) or 'engineering' |r'| − 1. curvature: 'material' (of the line at
    rest) or 'geometric' (of the deformed curve); they differ where the cable is stretched. prestrain: strain at which the
    cable is free of force; rest: 'curved' as drawn, or 'straight': then it is bent at the start. points: Gauss points per
    element; bending_points: those of the curvature, by default as many. reel [kg]: the length at rest can change, as joint
    coordinate '<name>.length'; the number is the inertia of the drum, J/R². pre_stretch: how many times longer than at rest
    it is as drawn. extents [m]: of each piece in its parameter x; the tangents are then r_x, and each piece is
    exactly that cubic (`of_spline`). A section of LigamentTissue pulls by the law of its fibres, and bends with the stiffness
    of its ground.
    Points: 'start', 'end', node numbers, at(s) with the arc length s [m] at rest.
    """

    name: str
    line: Numbers = quantity("m")
    elements: int = quantity(at_least=1)
    section: SectionPart
    curve: str = choice("spline", "polyline", default="spline")
    tangents: NumbersOrNone = given(default=None)
    edges: NumbersOrNone = given(default=None)
    strain: str = choice("green", "engineering", default="green")
    curvature: str = choice("material", "geometric", default="material")
    prestrain: float = quantity(default=0.0, at_least=-0.5)
    rest: str = choice("curved", "straight", default="curved")
    points: int = quantity(default=5, at_least=2)
    damping: float = quantity("s", default=0.0, at_least=0.0)
    reel: float | None = quantity("kg", default=None, above=0.0)
    velocity: VectorOrNone = quantity("m/s", default=None, vector=True)
    angular_velocity: NumbersOrNone = quantity("rad/s", default=None)
    bending_points: int | None = quantity(default=None, at_least=2)
    pre_stretch: float = quantity(default=1.0, above=0.0)
    extents: NumbersOrNone = quantity("m", default=None)

    def __post_init__(self) -> None:
        rows(self, "line")
        if self.tangents is not None:
            rows(self, "tangents")
        self.extents = plain(self.extents)
        if self.edges is not None:
            rows(self, "edges", whole=True)
            if not self.edges:
                raise InputError(f"{self.label}: edges is empty; leave it out or give pairs of points")
        checked_section(self)
        if self.reel is not None and (self.pre_stretch != 1.0 or self.tissue is not None):
            raise InputError(f"{self.label}: a cable with a reel has no pre_stretch and is of no LigamentTissue")
        if self.tissue is not None and self.prestrain:
            raise InputError(f"{self.label}: a cable of LigamentTissue takes pre_stretch, not prestrain")
        self.check_motion()

    @classmethod
    def net(
        cls, name: str, points: NumbersLike, edges: NumbersLike, elements: int, section: SectionPart, **options: Option
    ) -> Self:
        """Straight cables along the edges (pairs of point numbers) of a net, hinged where they meet."""
        return cls(name, points, elements, section, edges=edges, **options)

    def at(self, *coordinates: float) -> Point:
        """The point at arc length s [m] of the shape at rest."""
        s = coordinates[0] if len(coordinates) == 1 else coordinates
        d = len(self.line[0])
        return Point(self.name, (float(s), *([0.0] * (d - 1))) if np.isscalar(s) else tuple(np.ravel(s).tolist()))  # type: ignore[arg-type]

    def validate(self, model: Model) -> None:
        super().validate(model)
        d = model.dimension
        check_line(self, d)
        self.warn_of_few_points(sum(self._counts), 4 * d, 3 if d == 2 else 5)
        stiffness = self.section.at(0.0)
        if d == 3 and not np.isclose(stiffness.bending_y, stiffness.bending_z, rtol=1e-9, atol=0.0):
            raise InputError(
                f"{self.label}: a cable bends alike in all directions, but its section has EI of "
                f"{stiffness.bending_z:g} and {stiffness.bending_y:g} N m²; use an AncfBeam"
            )
        if self.rest == "curved" and self.reel is not None and len(self.line) > 2 and self.edges is None:
            raise InputError(f"{self.label}: a cable that is reeled must be straight at rest; set rest='straight'")

    def mesh(self, d: int) -> Mesh:
        line = make_line(self)
        nodal = np.stack((line.nodes, line.tangents), axis=1)
        groups = {"start": [0], "end": [len(nodal) - 1]}
        if self.edges is not None:
            at: dict[int, int] = {}
            for k, place in enumerate(line.place):
                at.setdefault(int(place), k)
            X = np.array(self.line)
            groups = {f"point {k}": [int(np.argmin(np.linalg.norm(line.nodes - x, axis=1)))] for k, x in enumerate(X)}
        mesh = Mesh(CABLE_SHAPE, nodal, line.cells, line.lengths[:, None], line.starts[:, None], line.place, groups)
        return mesh.stretched(self.pre_stretch, 1.0)

    @property
    def tissue(self) -> LigamentTissue | None:
        """The material whose fibres pull, if its section is of such."""
        material = getattr(self.section, "material", None)
        return material if isinstance(material, LigamentTissue) else None

    # --- the length as a coordinate -----------------------------------------------------------------------------------

    def coordinate_names(self, dimension: int) -> tuple[str, ...]:
        """A reeled cable has its length at rest as coordinate."""
        return ("length",) if self.reel is not None else ()

    def coordinates(self, builder: Points) -> dict[str, Coordinate]:
        """The length at rest [m]."""
        return {"length": Coordinate(DISTANCE, [self._length_vector(builder)])}

    def _length_vector(self, builder: Points) -> Weights:
        return Weights([builder.anchors[self.name].reel_row], [1.0])  # type: ignore[attr-defined]

    def compile(self, builder: Builder) -> AncfAnchor:
        if self.reel is None:
            return super().compile(builder)
        whole = float(make_line(self).lengths.sum())
        start = np.zeros(builder.d)
        start[0] = whole
        self._reel = builder.row(self.name, start, np.zeros(builder.d), direction=True)
        builder.add_mass([Weights([self._reel], [1.0])], [[self.reel]])
        anchor = super().compile(builder)
        anchor.reel_row = self._reel
        return anchor

    # --- elements -----------------------------------------------------------------------------------------------------

    def add_element(self, builder: Builder, mesh: Mesh, e: int, rows: NDArray[np.int64], W: Array) -> None:
        X = mesh.local(e)
        L = float(mesh.lengths[e, 0])
        axial, bending = self._counts
        if axial == bending:
            self._add_energy(builder, mesh, e, rows, W, axial, 1.0, 1.0)
        else:
            self._add_energy(builder, mesh, e, rows, W, axial, 1.0, 0.0)
            self._add_energy(builder, mesh, e, rows, W, bending, 0.0, 1.0)
        m = np.zeros((len(X), len(X)))
        for q, weight in zip(*gauss(5 if self.section.uniform else 7), strict=True):
            N, slope = mesh.weights(e, [q], (0,), (1,))
            size = weight * L * float(np.linalg.norm(slope @ X))
            m += section_at(self, mesh, e, q).mass * size * np.outer(N, N)
        builder.mass.append((rows, W.T @ m @ W))

    @property
    def _counts(self) -> tuple[int, int]:
        """Gauss points of stretch and of bending."""
        return self.points, self.points if self.bending_points is None else self.bending_points

    def _add_energy(
        self, builder: Builder, mesh: Mesh, e: int, rows: NDArray[np.int64], W: Array, count: int, axial: float,
        bending: float,
    ) -> None:  # fmt: skip
        """Shares `axial` and `bending` (0 or 1) of the energy, at `count` points."""
        X = mesh.local(e)
        L = float(mesh.lengths[e, 0])
        assert mesh.starts is not None
        total = float(mesh.starts[-1, 0] + mesh.lengths[-1, 0])
        xi, w = gauss(count)
        weights, measure, params = [], [], []
        for q, weight in zip(xi, w, strict=True):
            y, J = along_line(mesh, e, np.array([q]))
            at_rest = y @ X
            kappa = float(np.linalg.norm(at_rest[1])) if self.rest == "curved" else 0.0
            kappa = kappa if kappa * L > 1e-6 else 0.0
            k = section_at(self, mesh, e, q)
            k = k._replace(axial=axial * k.axial, bending_z=bending * k.bending_z)
            weights.append(y @ W)
            measure.append(weight * L * J)
            params.append(self._parameters(k, kappa, L))
        if self.tissue is not None and axial:
            self._add_fibres(builder, mesh, e, rows, np.array(weights)[:, :1], np.array(measure), xi)
            params = [(*p[:2], 0.0, *p[3:]) for p in params]
        if self.reel is None:
            add_by_point(builder, self.name, CABLE, rows, np.array(weights), np.array(measure), params, 1)
        else:
            with_reel = np.zeros((len(weights), 3, len(rows) + 1))
            with_reel[:, :2, :-1] = weights
            with_reel[:, 2, -1] = 1.0
            params = [(total, *p) for p in params]
            add_by_point(
                builder, self.name, REELED_CABLE, np.append(rows, self._reel), with_reel, np.array(measure), params, 1
            )

    def _add_fibres(
        self, builder: Builder, mesh: Mesh, e: int, rows: NDArray[np.int64], weights: Array, measure: Array, xi: Array
    ) -> None:
        """The pull of ligament tissue in place of EA."""
        material = self.tissue
        assert material is not None
        first = len(builder.energies)
        fading: Any = material.prony  # pairs, as the material has checked them
        params = []
        for q in xi:
            k = section_at(self, mesh, e, q)
            params.append((k.axial / material.young, *material.constants()))
        add_by_point(builder, self.name, FIBRE_LINE, rows, weights, measure, params, 1)
        for instance in builder.energies[first:]:
            instance.prony = fading

    def _parameters(self, k: Any, kappa: float, L: float) -> tuple[float, ...]:
        """Of the law `cable`; curvatures that turn an element by less than 1e-6 are not damped."""
        exact = 0.0 if self.strain == "green" else 1.0
        order = 1.0 if self.curvature == "material" else 2.0
        return exact, order, k.axial, self.prestrain, k.bending_z, kappa, 1e-6 / L
