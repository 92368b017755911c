"""The continuum formulation of an AncfBeam: stored energy of any material over the volume, with remedies against locking.

Sections of the beam stay plane and do not swell or shrink across their height where it bends. A material that hardly changes
its volume would then resist bending with its bulk modulus: 83 times too stiff for a ligament. So of such a material

    'relaxed'  the ground has its energy of the axis, and where strains differ from those of the axis, that of a bar whose
               sides are free: ½ E Δε_xx² + ½ μ (Δγ_xy² + Δγ_xz²); fibres are integrated over the whole section;
    'axis'     shape and fibres are integrated over the section, the volume on the axis: bending is then too soft by 4/9;
    'full'     everything is integrated over the section, as it stands in the papers.

All strains are in the axes of the section at rest, so that fibres run along the beam.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.ancf.measures import Term, add_linear, on_axis, section_at, volume_points
from condyle.bodies.ancf.sections import EllipticSection, RectangularSection, RoundSection
from condyle.bodies.ancf.shapes import gauss, gauss_product
from condyle.bodies.materials import Material, MooneyRivlin, StVenantKirchhoff
from condyle.errors import InputError

if TYPE_CHECKING:
    from condyle.bodies.ancf.body import Mesh
    from condyle.system.builder import Builder

Array = NDArray[np.float64]

SHAPES = (RectangularSection, RoundSection, EllipticSection)
VOLUMES = ("relaxed", "axis", "full")
# Strains as (strain, i, j, coefficient of G_ij).
GREEN: list[Term] = [(0, 0, 0, 0.5), (1, 1, 1, 0.5), (2, 2, 2, 0.5), (3, 1, 2, 1.0), (4, 0, 2, 1.0), (5, 0, 1, 1.0)]
# Of a place in the section (0, 1, 2) over those of the axis (3, 4, 5).
OVER_AXIS: list[Term] = [
    (0, 0, 0, 0.5), (0, 3, 3, -0.5), (1, 0, 1, 1.0), (1, 3, 4, -1.0), (2, 0, 2, 1.0), (2, 3, 5, -1.0),
]  # fmt: skip


def add_continuum(builder: Builder, part: Any, mesh: Mesh, e: int, rows: NDArray[np.int64], W: Array) -> None:
    """The energy of element e."""
    d, material = builder.d, part.section.material
    places = section_places(part.section, part.across, d)
    points = volume_points(part, mesh, e, _rule(part.points, places))
    if d == 2:
        _add(builder, part, rows, W, points, material.parameters(2))
        return
    points = [(_axes(mesh, e, q) @ y, v, q) for (y, v, _), q in zip(points, _rule(part.points, places)[0], strict=True)]
    if isinstance(material, StVenantKirchhoff) and material.poisson != 0.0:
        _add_poisson(builder, part, mesh, e, rows, W, points)
    elif not material.splits or part.volume == "full":
        _add(builder, part, rows, W, points, material.parameters(3))
    else:
        axis = axis_points(part, mesh, e)
        if part.volume == "axis":
            _add(builder, part, rows, W, points, material.without((), bulk=False))
            weights, measure = np.array([y @ W for y, *_ in axis]), np.array([v for _, v, _ in axis])
            alone = (material.bulk, 0.0, 0.0, 0.0, 0.0)  # U(J) and nothing else
            builder.add_element(part.name, MooneyRivlin.law.number, rows, weights, measure, alone, columns=3)
            return
        _add(builder, part, rows, W, axis, material.without(material.reinforcement))
        _add_over_axis(builder, part, mesh, e, rows, W, points)
        if material.fibres():
            _add(builder, part, rows, W, points, material.without(material.ground, bulk=False))


def axis_points(part: Any, mesh: Mesh, e: int) -> list[tuple[Array, float, Array]]:
    """(weights of the columns of F in the axes of the section, volume, ξ) on the axis, each for the whole section."""
    xi, w = gauss(part.points)
    area = float(section_places(part.section, part.across, 3)[1].sum())
    at = np.array([on_axis(q, 3) for q in xi])
    found = volume_points(part, mesh, e, (at, w * area))
    return [(_axes(mesh, e, q) @ y, v, q) for (y, v, _), q in zip(found, at, strict=True)]


def _axes(mesh: Mesh, e: int, q: Array) -> Array:
    """Along the line, y(, z) at rest (rows) at ξ of element e."""
    more = (0,) * (len(q) - 2)
    r_x, r_y = mesh.weights(e, q, (1, 0, *more), (0, 1, *more)) @ mesh.local(e)
    t = r_x / np.linalg.norm(r_x)
    n = r_y - (r_y @ t) * t
    n /= np.linalg.norm(n)
    return np.array([t, n]) if len(q) == 2 else np.array([t, n, np.cross(t, n)])


def _add(builder: Builder, part: Any, rows: NDArray[np.int64], W: Array, points: Any, params: Any) -> None:
    material = part.section.material
    params = _along_beam(material, params) if builder.d == 3 else params
    weights, measure = np.array([y @ W for y, *_ in points]), np.array([v for _, v, _ in points])
    builder.add_element(
        part.name, material.number, rows, weights, measure, params, columns=builder.d, damping=material.viscosity,
        prony=material.prony,
    )  # fmt: skip


def _along_beam(material: Material, params: tuple[float, ...]) -> tuple[float, ...]:
    """One family of fibres runs along the beam; two families keep their directions, in the axes of the section."""
    return material.along(params, np.eye(3)[0]) if len(material.fibres()) == 1 else params


def _add_over_axis(
    builder: Builder, part: Any, mesh: Mesh, e: int, rows: NDArray[np.int64], W: Array, points: Any
) -> None:
    """A ground whose strains differ from those of the axis: a bar with free sides."""
    material = part.section.material
    mu = material.lame()[1]
    X, terms = mesh.local(e), []
    for y, v, q in points:
        k = section_at(part, mesh, e, q[0])
        warping = k.torsion / mu / ((k.bending_y + k.bending_z) / material.young)
        (at_axis, _, _), *_ = volume_points(part, mesh, e, (np.array([on_axis(q[0], 3)]), np.ones(1)))
        both = np.vstack((y, _axes(mesh, e, on_axis(q[0], 3)) @ at_axis))
        terms.append((both, v, np.diag([material.young, warping * mu, warping * mu]), None))
    add_linear(builder, part.name, rows, W, X, terms, OVER_AXIS)


def _add_poisson(
    builder: Builder, part: Any, mesh: Mesh, e: int, rows: NDArray[np.int64], W: Array, points: Any
) -> None:
    """St. Venant–Kirchhoff: what Poisson's ratio couples is integrated on the axis only."""
    material = part.section.material
    lam, mu = material.lame()
    young = material.young
    k = section_at(part, mesh, e, 0.5)
    along_y, along_z = k.shear_y / k.lame[1] * mu, k.shear_z / k.lame[1] * mu
    D0 = np.diag([young, young, young, mu, along_z, along_y])
    coupling = np.zeros((6, 6))
    coupling[:3, :3] = lam + (2 * mu - young) * np.eye(3)
    X, none = mesh.local(e), np.zeros(6)
    # `linear` takes its rest strain from the gathered vectors at rest, whose Gram matrix is 1 here
    add_linear(builder, part.name, rows, W, X, [(y, v, D0, none) for y, v, _ in points], GREEN, 3)
    axis = [(y, v, coupling, none) for y, v, _ in axis_points(part, mesh, e)]
    add_linear(builder, part.name, rows, W, X, axis, GREEN)


def _rule(along: int, places: tuple[Array, Array]) -> tuple[Array, Array]:
    """Points (ξ, y, z) and weights (of ξ times area) over the volume."""
    xi, w = gauss(along)
    points = np.array([(q, *c) for q in xi for c in places[0]])
    return points, np.array([v * a for v in w for a in places[1]])


def section_places(section: Any, count: int, d: int) -> tuple[Array, Array]:
    """Places (y, z) [m] in a section and their areas [m²] (in the plane: y, and heights times width)."""
    if isinstance(section, RectangularSection):
        sides = (section.height, section.width)[: d - 1]
        each = round(count ** (1.0 / 2.0))
        points, weights = gauss_product([each] * (d - 1))
        return (points - 0.5) * sides, weights * section.height * section.width
    if d == 2 or getattr(section, "inner_radius", False):
        raise InputError("the continuum formulation takes full round and elliptic sections, in 3D")
    a, b = section.half_sizes
    if count == 4:  # exact to degree 3
        unit, share = np.array([(u, v) for u in (-0.5, 0.5) for v in (-0.5, 0.5)]), np.full(4, 0.25)
    else:  # two rings of six: exact to degree 5
        angle = np.pi / 6.0 * (1.0 + 2.0 * np.arange(6))
        ring = np.column_stack((np.cos(angle), np.sin(angle)))
        radii = np.sqrt(0.5 + np.array([-1.0, 1.0]) * np.sqrt(3.0) / 6.0)
        unit, share = np.vstack([r * ring for r in radii]), np.full(12, 1.0 / 12.0)
    return unit * (a, b), share * np.pi * a * b


def continuum_pull(part: Any, mesh: Mesh, e: int, q: float, now: Array) -> float:
    """Force along the line [N] through the section at a share q of element e, nodal vectors `now`: ∫ t·P e_x dA."""
    material, d = part.section.material, now.shape[1]
    at, areas = section_places(part.section, part.across, d)
    places = np.array([(q, *c) for c in at])
    F = [
        _axes(mesh, e, c) @ w @ now
        for (w, *_), c in zip(volume_points(part, mesh, e, (places, areas)), places, strict=True)
    ]
    (slope,) = mesh.weights(e, on_axis(q, d), (1, *((0,) * (d - 1)))) @ now
    t = slope / np.linalg.norm(slope)

    def over_section(number: int, params: tuple[float, ...]) -> NDArray[np.float64]:
        return sum(a * _first_piola(number, f, params) for f, a in zip(F, areas, strict=True))

    if d == 2 or not material.splits or part.volume == "full":
        number, params = material.setting(d, getattr(part, "plane", "strain"))
        return float(t @ over_section(number, _along_beam(material, params) if d == 3 else params))
    axis = on_axis(q, 3)
    (on_it, *_), *_ = volume_points(part, mesh, e, (axis[None], np.ones(1)))
    F0, area = _axes(mesh, e, axis) @ on_it @ now, float(areas.sum())
    if part.volume == "axis":
        total = area * _first_piola(MooneyRivlin.law.number, F0, (material.bulk, 0.0, 0.0, 0.0, 0.0))
        return float(
            t @ (total + over_section(material.number, _along_beam(material, material.without((), bulk=False))))
        )
    total = area * _first_piola(material.number, F0, _along_beam(material, material.without(material.reinforcement)))
    for f, a in zip(F, areas, strict=True):
        total = total + a * 0.5 * material.young * (f[0] @ f[0] - F0[0] @ F0[0]) * (f[0] - F0[0])
    if material.fibres():
        fibres = _along_beam(material, material.without(material.ground, bulk=False))
        total = total + over_section(material.number, fibres)
    return float(t @ total)


def _first_piola(number: int, F: Array, params: tuple[float, ...]) -> Array:
    """P e_x [Pa]: the traction per area at rest on the section, for the columns of F as rows."""
    from condyle.laws.gram import gram_law

    ny = len(F)
    S, H = np.zeros((ny, ny)), np.zeros((ny, ny, ny, ny))
    gram_law(number, ny, np.ascontiguousarray(F @ F.T), np.array(params), S, H)
    return np.asarray(2.0 * S[0] @ F)
