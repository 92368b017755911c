"""Fully parameterised ANCF beam: nodes with r, r_x, r_y, r_z (24 coordinates per element; 12 in 2D).

formulation 'section' writes the energy in strains of the axis, all linear in the Gram matrix:

    axial ½(r'·r' − 1); shear r'·r_y, r'·r_z; bending (r'·r_y)' − r''·r_y, the same with z;
    twist ½(r_z'·r_y − r_y'·r_z); change of the section ½(r_y·r_y − 1) + ν ε, ½(r_z·r_z − 1) + ν ε, r_y·r_z

Uniaxial stress and the change of the section are an exact split of the isotropic energy, so that Poisson's ratio cannot
lock bending. Section and shear are taken at the nodes, where the section's own vectors are: between them sections are
linear, and a cubic axis cannot stay square to them. In an element that turns by φ, r''·r_y is too small by φ²/12 at the
two Gauss points (r_y is a chord there) and too large by as much between the nodes: bending takes the mean of both.

formulation 'continuum' integrates the Green strain over the volume (Hewlett 2020, R29, R37); for St. Venant–Kirchhoff
with ν ≠ 0 the coupling by ν is integrated on the axis only, which is the usual remedy against Poisson locking.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.ancf.body import AncfBody, Mesh
from condyle.bodies.ancf.lines import check_elements, check_line, frames_along, make_line
from condyle.bodies.ancf.measures import Term, add_linear, along_line, volume_points
from condyle.bodies.ancf.sections import RectangularSection, Rope, RoundSection, Stiffness, checked_section
from condyle.bodies.ancf.shapes import BEAM, BEAM_2D, gauss
from condyle.bodies.materials import StVenantKirchhoff
from condyle.errors import InputError
from condyle.model.part import number, one_of, rows, vector
from condyle.model.point import Point

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder

Array = NDArray[np.float64]

# Strains as (strain, i, j, coefficient of G_ij). Twist: y = (r_y, r_z, r_y', r_z').
_TWIST: list[Term] = [(0, 3, 0, 0.5), (0, 2, 1, -0.5)]
_GREEN: list[Term] = [(0, 0, 0, 0.5), (1, 1, 1, 0.5), (2, 2, 2, 0.5), (3, 1, 2, 1.0), (4, 0, 2, 1.0), (5, 0, 1, 1.0)]


@dataclass
class AncfBeam(AncfBody):
    """A beam that stretches, shears, bends, twists and changes its section.

    line: points of the axis [m] (two: straight; more: a smooth curve); tangents: directions of the curve there; elements:
    divisions of each piece; section: RoundSection, RectangularSection, Rope (with a diameter) or TaperedSection; normal:
    direction of the section's y axis at the start (3D). prestrain: axial strain without force. rest: 'curved' as drawn.
    formulation: 'section' or 'continuum' (a round or rectangular section of any material). points: Gauss points along an
    element for stretch. Points: 'start', 'end', node numbers, at(s, y, z): arc length and place in the section [m].
    """

    name: str
    line: Any
    elements: int
    section: Any
    tangents: Any = None
    normal: Any = None
    prestrain: float = 0.0
    formulation: str = "section"
    points: int = 4
    damping: float = 0.0
    velocity: Any = None
    angular_velocity: Any = None

    curve = "spline"
    edges = None

    def __post_init__(self) -> None:
        rows(self, "line")
        if self.tangents is not None:
            rows(self, "tangents")
        check_elements(self)
        checked_section(self)
        vector(self, "normal", none_ok=True, nonzero=True)
        number(self, "prestrain", low=-0.5)
        one_of(self, "formulation", ("section", "continuum"))
        if isinstance(self.points, bool) or not isinstance(self.points, int) or self.points < 1:
            raise InputError(f"{self.label}: points must be a whole number of at least 1, not {self.points!r}")
        if self.formulation == "continuum" and not isinstance(self.section, RectangularSection | RoundSection):
            raise InputError(f"{self.label}: the continuum formulation needs a RectangularSection or a RoundSection")
        if self.formulation == "continuum" and self.prestrain:
            raise InputError(f"{self.label}: prestrain is for formulation='section'")
        self.check_motion()

    def at(self, *coordinates: float) -> Point:
        """The point at arc length s and place y, z in the section [m]."""
        flat = np.ravel(coordinates).tolist()
        return Point(self.name, tuple(flat + [0.0] * (len(self.line[0]) - len(flat))))

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

    @property
    def viscosity(self) -> float:
        own = self.section.damping if isinstance(self.section, Rope) else 0.0
        return float(max(self.damping, own))

    def mesh(self, d: int) -> Mesh:
        line = make_line(self)
        if d == 2:
            y = np.column_stack((-line.tangents[:, 1], line.tangents[:, 0]))
            nodal = np.stack((line.nodes, line.tangents, y), axis=1)
        else:
            nodal = np.stack((line.nodes, line.tangents, *frames_along(line, self.normal, self.label)), axis=1)
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
            self._add_section(builder, mesh, e, rows, W)
        else:
            self._add_continuum(builder, mesh, e, rows, W)
        builder.mass.append((rows, W.T @ self._mass(mesh, e) @ W))

    def _at(self, mesh: Mesh, e: int, share: float) -> Stiffness:
        assert mesh.starts is not None
        whole = float(mesh.starts[-1, 0] + mesh.lengths[-1, 0])
        k: Stiffness = self.section.at((mesh.starts[e, 0] + share * mesh.lengths[e, 0]) / whole)
        return k

    def _add_section(self, builder: Builder, mesh: Mesh, e: int, rows: NDArray[np.int64], W: Array) -> None:
        d = builder.d
        X, L = mesh.local(e), float(mesh.lengths[e, 0])
        sides = [tuple(int(i == k) for i in range(d)) for k in range(1, d)]
        turns = [tuple(int(i in (0, k)) for i in range(d)) for k in range(1, d)]
        stretch, twist, section = [], [], []
        for q, w in zip(*gauss(self.points), strict=True):
            y, J = along_line(mesh, e, _on_axis(q, d))
            stretch.append((y[:1], w * L * J, np.array([[self._at(mesh, e, q).axial]]), np.array([self.prestrain])))
        for q in (0.0, 1.0):
            y, J = along_line(mesh, e, _on_axis(q, d))
            own = mesh.weights(e, _on_axis(q, d), *sides)
            k = self._at(mesh, e, q)
            lam, mu = k.lame
            across = np.zeros((5, 5))
            across[:2, :2] = lam + 2 * mu * np.eye(2)
            across[2, 2], across[3, 3], across[4, 4] = mu, k.shear_y, k.shear_z
            if d == 2:  # plane stress across the plane
                across = np.diag([4 * mu * (lam + mu) / (lam + 2 * mu), k.shear_y])
            section.append((np.vstack((y[:1], own)), 0.5 * L * J, across, None))
        nu = self._at(mesh, e, 0.5).poisson
        change: list[Term] = [(0, 1, 1, 0.5), (0, 0, 0, 0.5 * nu), (1, 0, 1, 1.0)]
        if d == 3:
            change = [*change[:2], (1, 2, 2, 0.5), (1, 0, 0, 0.5 * nu), (2, 1, 2, 1.0), (3, 0, 1, 1.0), (4, 0, 2, 1.0)]
            size = L * 0.5 * sum(along_line(mesh, e, _on_axis(q, d))[1] for q in (0.0, 1.0))
            for q, w in zip(*gauss(2), strict=True):
                _, J = along_line(mesh, e, _on_axis(q, d))
                own = mesh.weights(e, _on_axis(q, d), *sides, *turns)
                own[2:] /= J
                GJ = self._at(mesh, e, q).torsion / _twist_seen(own, X, size) ** 2
                twist.append((own, w * L * J, np.array([[GJ]]), None))
            add_linear(builder, self.name, rows, W, X, twist, _TWIST)
        add_linear(builder, self.name, rows, W, X, stretch, [(0, 0, 0, 0.5)], 1)
        add_linear(builder, self.name, rows, W, X, section, change, d)
        self._add_bending(builder, mesh, e, rows, W)

    def _add_bending(self, builder: Builder, mesh: Mesh, e: int, rows: NDArray[np.int64], W: Array) -> None:
        """y = (r', r'', r_y at the first node, the same at the second); one strain at each of two Gauss points."""
        d = builder.d
        X, L = mesh.local(e), float(mesh.lengths[e, 0])
        ends = [along_line(mesh, e, _on_axis(q, d)) for q in (0.0, 1.0)]
        (xi, w), size = gauss(2), L * 0.5 * (ends[0][1] + ends[1][1])
        terms: list[Term] = []
        for k, q in enumerate(xi):
            N = (1.0 - q, q)
            terms += [(k, 0, 2, -1.0 / size), (k, 3, 5, 1.0 / size)]  # (r'·r_y)'
            for i in range(2):
                terms.append((k, 3 * i + 1, 3 * i + 2, -0.5 * N[i]))
                terms += [(k, 3 * i + 1, 3 * j + 2, -0.5 * N[i] * N[j]) for j in range(2)]
        here = [self._at(mesh, e, q) for q in xi]
        for n, name in zip(range(1, d), ("bending_z", "bending_y"), strict=False):
            order = tuple(int(i == n) for i in range(d))
            y = np.vstack([(*ends[q][0], mesh.weights(e, _on_axis(q, d), order)[0]) for q in (0, 1)])
            C = np.diag([weight * getattr(k, name) for weight, k in zip(w, here, strict=True)])
            add_linear(builder, self.name, rows, W, X, [(y, size, C, None)], terms)

    def _add_continuum(self, builder: Builder, mesh: Mesh, e: int, rows: NDArray[np.int64], W: Array) -> None:
        d = builder.d
        material = self.section.material
        points = volume_points(self, mesh, e, _section_rule(self.section, self.points, d))
        split = isinstance(material, StVenantKirchhoff) and material.poisson != 0.0 and d == 3
        if not split:
            weights, measure = np.array([y @ W for y, *_ in points]), np.array([v for _, v, _ in points])
            builder.add_element(self.name, material.law, rows, weights, measure, material.parameters(d), columns=d)
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
        axis = volume_points(self, mesh, e, (np.array([_on_axis(q, d) for q in xi]), w * area))
        add_linear(builder, self.name, rows, W, X, [(y, v, coupling, none) for y, v, _ in axis], _GREEN)

    def _mass(self, mesh: Mesh, e: int) -> Array:
        """∫ (ρA N Nᵀ + ∫ρy² N_y N_yᵀ + ∫ρz² N_z N_zᵀ) ds."""
        X, L = mesh.local(e), float(mesh.lengths[e, 0])
        d = X.shape[1]
        m = np.zeros((len(X), len(X)))
        orders = [(0,) * d] + [tuple(int(i == k) for i in range(d)) for k in range(1, d)]
        for q, w in zip(*gauss(5), strict=True):
            _, J = along_line(mesh, e, _on_axis(q, d))
            k = self._at(mesh, e, q)
            N = mesh.weights(e, _on_axis(q, d), *orders)
            for density, shape in zip((k.mass, k.moment_y, k.moment_z), N, strict=False):
                m += density * w * L * J * np.outer(shape, shape)
        return m


def _twist_seen(y: Array, X: Array, size: float) -> float:
    """Twist that linear sections show when the sections of an element at rest are turned by one radian per length.

    1 for a straight element; less where the axis is curved at rest, since sections between the nodes are chords.
    """
    turned = np.zeros_like(X)
    turned[6], turned[7] = size * X[7], -size * X[6]  # r_y and r_z of the second node
    V, dV = y @ X, y @ turned
    return float(0.5 * (dV[3] @ V[0] + V[3] @ dV[0] - dV[2] @ V[1] - V[2] @ dV[1]))


def _on_axis(q: float, d: int) -> Array:
    return np.array([q, *([0.0] * (d - 1))])


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
