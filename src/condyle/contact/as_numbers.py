"""Surfaces, laws and friction as rows of numbers for the kernels of `system/touching`; None for what these do not know.

Subclasses may be different, so that only the classes of the package themselves are known.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from condyle.contact import laws
from condyle.contact.articular_surface import ArticularSurface
from condyle.contact.curves import HermiteCurve, Revolution, SplineCurve
from condyle.contact.deformable import FacetPair
from condyle.contact.facets import FacetSurface
from condyle.contact.laws.law import ContactLaw
from condyle.contact.patches import HermiteSurface, SplineSurface
from condyle.contact.shapes import (
    Box,
    Capsule,
    Cone,
    Cylinder,
    Ellipsoid,
    Plane,
    Sphere,
    Torus,
    as_place,
    as_turn,
    as_unit,
)
from condyle.contact.surface import Array
from condyle.system.touching import curves, facets, patched, surfaces

LEAF = 3  # facets in a leaf of the tree


def surface_numbers(shape: Any, d: int) -> Array | None:
    """A surface in d dimensions as `system/touching/surfaces.py` reads it."""
    found = _of_formula(shape, d)
    if found is not None:
        return np.array(found, dtype=float)
    kind = type(shape)
    if kind in (Cylinder, Cone):
        return _revolved(shape, shape._profile, shape.inside)
    if kind is Torus:
        return _revolved(shape, Sphere(shape.minor, (shape.major, 0.0)), False)
    if kind is Revolution:
        return _revolved(shape, shape.profile, False)
    if kind is FacetSurface:
        return _facets(shape) if shape._curved is None else _pieces(shape._curved, shape.inside)
    if kind in (SplineSurface, HermiteSurface):
        return _pieces(shape._made, shape.inside)
    if kind in (HermiteCurve, SplineCurve):
        return _curve(shape)
    return shape.numbers if kind is ArticularSurface else None


def _of_formula(shape: Any, d: int) -> list[float] | None:
    kind = type(shape)
    if kind is Plane:
        return [surfaces.PLANE, *as_unit(shape.normal), *as_place(shape.point, d)]
    if kind is Sphere:
        return [surfaces.SPHERE, shape.inside, shape.radius, *as_place(shape.centre, d), *np.zeros(d)]
    if kind is Cylinder and shape.length is None:
        return [surfaces.CYLINDER, shape.inside, shape.radius, *as_place(shape.centre, d), *as_unit(shape.axis)]
    if kind is Capsule:
        way = np.asarray(shape.end) - np.asarray(shape.start)
        return [surfaces.CAPSULE, 0.0, shape.radius, *shape.start, *as_unit(way), float(np.linalg.norm(way))]
    if kind is Box:
        half = 0.5 * np.asarray(shape.size) - shape.rounding
        return [surfaces.BOX, shape.rounding, *half, *as_place(shape.centre, d), *as_turn(shape.rotation, d).ravel()]
    if kind is Ellipsoid:
        turn = as_turn(shape.rotation, d).ravel()
        return [surfaces.ELLIPSOID, shape.inside, *shape.radii, *as_place(shape.centre, d), *turn]
    return None


def _revolved(shape: Any, profile: Any, inside: bool) -> Array | None:
    """A surface in the plane turned about the axis of a shape."""
    of_profile = surface_numbers(profile, 2)
    if of_profile is None:
        return None
    head = [surfaces.REVOLVED, inside, *as_place(shape.centre, 3), *as_unit(shape.axis)]
    return np.concatenate((np.array(head, dtype=float), of_profile))


def _facets(shape: FacetSurface) -> Array:
    """Lines or triangles with their normals, and a tree of boxes to look for the nearest."""
    made: Any = shape._made
    corners, normals = made.corners, made.normals[:, None]
    at_corners = made.vertex_normals[made.F]
    parts = [corners, normals, at_corners]
    if corners.shape[2] == 3:
        parts += [made.edge_normals[made.edge_of], made.edge_along[made.edge_of]]
    records = np.concatenate(parts, axis=1).reshape(len(corners), -1)
    assert records.shape[1] == (facets.LINE if corners.shape[2] == 2 else facets.TRIANGLE)
    nodes, order = tree_of_boxes(corners)
    head = [surfaces.FACETS, shape.inside, float(np.ptp(made.X, axis=0).max()), len(records), len(nodes)]
    return np.concatenate((np.array(head, dtype=float), records[order].ravel(), nodes.ravel()))


def tree_of_boxes(corners: Array) -> tuple[Array, NDArray[np.int64]]:
    """Nodes of a tree over pieces with given corners (f, k, d), and the order in which pieces stand in its leaves.

    A node is the low and the high corner of its box, then two children and 0, or −1 and its range of pieces.
    """
    low, high, order = corners.min(axis=1), corners.max(axis=1), np.arange(len(corners))
    middle = corners.mean(axis=1)
    nodes: list[list[float]] = []
    waiting = [(0, len(corners), -1, 0)]
    d = corners.shape[2]
    while waiting:
        first, last, parent, child = waiting.pop()
        mine = order[first:last]
        if parent >= 0:
            nodes[parent][2 * d + child] = len(nodes)
        nodes.append([*low[mine].min(axis=0), *high[mine].max(axis=0), -1.0, first, last])
        if last - first > LEAF:
            axis, half = int(np.ptp(middle[mine], axis=0).argmax()), (last - first) // 2
            order[first:last] = mine[np.argpartition(middle[mine, axis], half)]
            waiting += [(first, first + half, len(nodes) - 1, 0), (first + half, last, len(nodes) - 1, 1)]
    return np.array(nodes), order


def _curve(shape: Any) -> Array:
    """Cubic pieces and the samples among which the nearest is looked for."""
    pieces, samples = shape._pieces, np.asarray(shape._tree.data)
    slope = float(np.linalg.norm(pieces[:, 1], axis=1).min(initial=1.0))
    head = [
        surfaces.CURVE, shape.inside, shape.closed, len(pieces), len(samples), np.abs(pieces).max(), slope,
    ]  # fmt: skip
    return np.concatenate((np.array(head, dtype=float), pieces.ravel(), samples.ravel()))


def _pieces(made: Any, inside: bool) -> Array:
    """Curved pieces with their samples, and a tree of boxes that hold their control points."""
    c, basis = made.c, made.basis
    f, triangle = len(c), bool(basis.triangle)
    samples = np.asarray(made.tree.data).reshape(f, -1)
    if triangle:
        quartic = np.einsum("pj,fjd->fpd", basis.of_powers[:, :12], c[:, :12])
        parts = [quartic.reshape(f, -1), c[:, 12:].reshape(f, -1), samples]
        parts += [normals.reshape(f, -1) for normals in made.outward]
        controls = c
    else:
        parts = [c.reshape(f, -1), samples]
        controls = np.einsum("ip,jq,fpqd->fijd", _BERNSTEIN, _BERNSTEIN, c.reshape(f, 4, 4, 3)).reshape(f, 16, 3)
    nodes, order = tree_of_boxes(controls)
    records, count = np.concatenate(parts, axis=1)[order], samples.shape[1] // 3
    head = [surfaces.PATCHED, inside, triangle, f, len(nodes), made.size, made.spacing, count]
    assert len(head) == patched.FIRST
    return np.concatenate((np.array(head, dtype=float), records.ravel(), nodes.ravel()))


# Control points of a cubic on 0 … 1 from its powers.
_BERNSTEIN = np.array([(1, 0, 0, 0), (1, 1 / 3, 0, 0), (1, 2 / 3, 1 / 3, 0), (1, 1, 1, 1)])


def law_numbers(law: Any) -> dict[int, float] | None:
    """A normal law as `system/touching/curves.py` reads it, but for its `table_numbers`."""
    if law.by_multipliers:
        return {}
    out = {curves.SOFT: 1.0, curves.PULLS: float(law.pulls), curves.REMEMBERS: float(law.remembers), curves.DENT: -1.0}
    kind = type(law)
    if kind is laws.SmoothSwitch:
        inner = law_numbers(law.law)
        switch = {curves.SWITCHED: 1.0, curves.SWITCH_AT: law.reach, curves.STEEPNESS: law.steepness or 0.0}
        if inner is None:
            return None
        return inner | switch | {curves.MAGNITUDE: float(law.magnitude), curves.LINEAR: 0.0}
    if kind is laws.SpringDashpot:
        return out | {curves.LINEAR: 1.0, curves.CHOSEN: 1.0, curves.DASHPOT: 1.0}
    if kind is laws.Foundation:
        return out | {curves.LINEAR: 1.0, curves.CHOSEN: 1.0, curves.CHI: law.dissipation, curves.CHI_EXPONENT: 1.0}
    if kind is laws.ContactTable:
        return out | {curves.ENTRIES: len(law.depths), curves.UNLOADS: float(law.unloading is not None)}
    if kind is laws.HertzHysteresis:
        return out | {curves.STIFF: law.stiffness, curves.EXPONENT: law.exponent, curves.DENT: law.dent}
    if kind is laws.NonlinearDashpot:
        m = law.exponent if law.damping_exponent is None else law.damping_exponent
        grows = {curves.CHI: law.damping, curves.CHI_EXPONENT: m, curves.GROWS: law.rate_exponent - 1.0}
        return out | {curves.STIFF: law.stiffness, curves.EXPONENT: law.exponent} | grows
    own = kind.elastic_curve is laws.Hertz.elastic_curve if isinstance(law, laws.Hertz) else False
    if not own or kind.damping_curve not in (ContactLaw.damping_curve, laws.HuntCrossley.damping_curve):
        return None
    out |= {curves.STIFF: law.stiffness, curves.EXPONENT: law.exponent}
    return out | (
        {curves.FACTOR: law.factor, curves.SLOWEST: law.slowest} if isinstance(law, laws.HuntCrossley) else {}
    )


def table_numbers(law: Any) -> Array:
    """The measured curves of a law as `system/touching/tabulated.py` reads them; empty if it has none."""
    if isinstance(law, laws.SmoothSwitch):
        return table_numbers(law.law)
    if not isinstance(law, laws.ContactTable):
        return np.zeros(0)
    s, out = np.array(law.depths), [np.array(law.depths)]
    for way in (law.loading, law.loading if law.unloading is None else law.unloading):
        F = np.array(way)
        out += [F, np.concatenate(([0.0], np.cumsum(0.5 * (F[1:] + F[:-1]) * np.diff(s))))]
    return np.concatenate(out)


def friction_numbers(rub: Any) -> dict[int, float] | None:
    """A law of friction, likewise."""
    kind, out = type(rub), {curves.MU: rub.mu, curves.RATIO: 1.0}
    if kind not in (laws.Coulomb, laws.Bristle, laws.Stronge, laws.Regularised, laws.LuGre):
        return None
    if rub.varies:
        out |= {curves.STATIC: float(getattr(rub, "static", 0.0)), curves.SPEED: float(getattr(rub, "speed", 0.0))}
    if kind is laws.Regularised:
        return out | {curves.RUB: curves.REGULARISED, curves.CREEP: rub.creep}
    if kind is laws.LuGre:
        bristles = {curves.SIGMA_0: rub.bristles, curves.SIGMA_1: rub.damping, curves.SIGMA_2: rub.viscous}
        return out | {curves.RUB: curves.LUGRE, curves.RATIO: 0.0} | bristles
    if kind is laws.Bristle:
        out[curves.BRISTLES] = rub.bristles
    elif kind is laws.Stronge:
        out[curves.RATIO] = float(rub.stiffness(np.ones(1))[0])
    return out | {curves.RUB: curves.RETURNED}


def pair_numbers(pair: Any, means: bool, still: bool) -> Array:
    """A pair as the kernels read it, but for the place of its surface.

    means: do its forces count as means over a step? still: does it press a quasi-static body?
    """
    out = np.zeros(curves.PAIR)
    found = (law_numbers(pair.law) or {}) | ({} if pair.rub is None else friction_numbers(pair.rub) or {})
    for at, value in found.items():
        out[at] = value
    out[curves.RADIUS], out[curves.REPORTED] = pair.radius, pair.reported
    out[curves.ALONG], out[curves.MEANS], out[curves.STILL], out[curves.ELASTIC] = 1.0, means, still, pair.elastic
    light = isinstance(pair, FacetPair) and pair.law.restitution == 0.0  # nodes of bodies that deform may be light
    out[curves.STRIKES] = not (pair.soft or still or light)
    return np.concatenate((out, table_numbers(pair.law)))
