"""Surfaces of solids whose meshes do not match, tied in the mean (mortar)."""

import numpy as np
import pytest

import condyle as cd
from condyle.bodies.elements import ELEMENTS
from condyle.bodies.mortar import following
from condyle.bodies.overlap import clipped, common_pieces

E, NU = 1000.0, 0.3
LAME, MU = E * NU / ((1 + NU) * (1 - 2 * NU)), E / (2 * (1 + NU))
SOFT = cd.NeoHookean(E, NU, 1.0)
SIDES = (("left", "right"), ("bottom", "top"), ("back", "front"))


def mesh(kind, divisions, seed, *, low=0.0, height=1.0, irregular=0.2):
    """A block on the unit square (line) whose nodes inside each face and inside the block are moved about."""
    d = ELEMENTS[kind].dimension
    straight = cd.Mesh.block((1.0,) * (d - 1) + (height,), divisions, origin=(0.0,) * (d - 1) + (low,))
    X = straight.nodes.copy()
    lower, upper = X.min(axis=0), X.max(axis=0)
    move = np.random.default_rng(seed).uniform(-irregular, irregular, X.shape) * (upper - lower) / np.array(divisions)
    on_edge = np.minimum(X - lower, upper - X) < 1e-9
    X += np.where(on_edge, 0.0, move)
    return cd.Mesh(X, straight.cells, straight.element, straight.sets).converted(kind)


def surfaces(kind, other, seed=0):
    """Facets of two faces that lie on each other, with random divisions: what `following` wants."""
    rng = np.random.default_rng(seed)
    d = ELEMENTS[kind].dimension
    low, high = SIDES[d - 1]
    found = []
    for element, side, place in ((kind, low, 1.0), (other, high, 0.0)):
        body = cd.Solid.from_mesh("b", mesh(element, (*rng.integers(2, 6, d - 1), 1), seed, low=place), SOFT)
        anchor = body.shape_anchor()
        found += [anchor.facets(side, body), anchor.X]
    return found


PAIRS = [
    (a, b) for d in (2, 3) for a in ELEMENTS for b in ELEMENTS if ELEMENTS[a].dimension == ELEMENTS[b].dimension == d
]


@pytest.mark.parametrize(("kind", "other"), PAIRS)
def test_nodes_follow_every_linear_field_and_pass_an_even_traction_on_evenly(kind, other):
    faces, X, there, Y = surfaces(kind, other, seed=len(kind + other))
    nodes, P = following(faces, X, there, Y)
    np.testing.assert_array_equal(nodes, np.unique(np.concatenate([f.nodes.ravel() for f in faces])))
    np.testing.assert_allclose(P.sum(axis=1), 1.0, atol=1e-12)
    np.testing.assert_allclose(P @ Y, X[nodes], atol=1e-12)
    np.testing.assert_allclose(P.T @ loads(X, faces)[nodes], loads(Y, there), atol=1e-8)


def loads(X, facets):
    """Nodal forces of a unit traction on a flat face across the last axis."""
    out = np.zeros(len(X))
    for facet, faces in facets:
        for face in faces:
            J = np.einsum("nI,qni->qIi", X[face][:, :-1], facet.gradient(facet.points))
            np.add.at(out, face, (facet.weights * np.abs(np.linalg.det(J))) @ facet.shape(facet.points))
    return out


@pytest.mark.parametrize("kind", ["quad4", "tet4", "hex8"])
def test_common_pieces_fill_the_surface_once_and_know_their_place_on_both_sides(kind):
    ((facet, faces),), X, ((facet_there, there),), Y = surfaces(kind, kind)
    pieces = common_pieces(facet, X[faces], facet_there, Y[there])
    here = np.einsum("nqa,nad->nqd", facet.shape(pieces.xi), X[faces[pieces.first]])
    np.testing.assert_allclose(
        here, np.einsum("nqa,nad->nqd", facet_there.shape(pieces.eta), Y[there[pieces.second]]), atol=1e-12
    )
    x = here[..., 0]
    for power in range(6):
        assert np.sum(pieces.weights * x**power) == pytest.approx(1 / (power + 1), rel=1e-12)


def test_a_square_cut_by_lines_keeps_what_is_left_of_them():
    square = np.array([[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]] * 3)
    start, end = np.array([(0.5, 0.0), (1.0, 0.0), (2.0, 0.0)]), np.array([(0.5, 1.0), (0.0, 1.0), (2.0, -1.0)])
    out = clipped(square, start, end)
    x, y = np.moveaxis(out, 2, 0)
    area = 0.5 * np.sum(x * np.roll(y, -1, axis=1) - y * np.roll(x, -1, axis=1), axis=1)
    np.testing.assert_allclose(area, (0.5, 0.5, 0.0), atol=1e-15)


def stack(kind, other, lower, upper, enforcement="eliminate", **options):
    """Two blocks on each other; the upper one follows the lower."""
    d = ELEMENTS[kind].dimension
    m = cd.Model("stack", dimension=d)
    base = m.add(cd.Solid.from_mesh("base", mesh(other, lower, 1), SOFT, **options))
    top = m.add(cd.Solid.from_mesh("top", mesh(kind, upper, 2, low=1.0, height=0.7), SOFT, **options))
    low, high = SIDES[d - 1]
    m.add(cd.Tie("glue", top, low, base, surface=high, enforcement=enforcement))
    return m, base, top


PATCHES = {
    "lines, finer": ("quad4", "quad4", (3, 2), (5, 2), "eliminate"),
    "lines, coarser": ("tri3", "quad4", (7, 2), (4, 2), "eliminate"),
    "curved lines": ("tri6", "quad8", (2, 2), (3, 1), "eliminate"),
    "lines, multipliers": ("quad4", "tri3", (3, 2), (5, 2), "multiplier"),
    "lines, augmented": ("quad8", "quad4", (3, 2), (5, 2), "augmented"),
    "quadrilaterals": ("hex8", "hex8", (2, 3, 1), (3, 4, 2), "eliminate"),
    "triangles on quadrilaterals": ("tet4", "hex8", (2, 3, 2), (3, 2, 1), "eliminate"),
    "quadrilaterals on triangles": ("hex8", "tet4", (2, 2, 1), (3, 2, 2), "multiplier"),
    "quadratic": ("hex20", "tet10", (1, 2, 1), (2, 3, 1), "eliminate"),
}


@pytest.mark.parametrize("name", PATCHES)
def test_stress_passes_evenly_between_meshes_that_do_not_match(name):
    """Tractions of a homogeneous deformation on all free faces: every node of both meshes moves to F X."""
    kind, other, lower, upper, enforcement = PATCHES[name]
    m, base, top = stack(kind, other, lower, upper, enforcement)
    d = m.dimension
    F = np.array([[1.12, 0.15, -0.08], [0.0, 0.93, 0.06], [0.0, 0.0, 1.05]])[:d, :d]
    P = MU * F + (LAME * np.log(np.linalg.det(F)) - MU) * np.linalg.inv(F).T
    for body in (base, top):
        for axis, sides in enumerate(SIDES[:d]):
            for side, sign in zip(sides, (-1, 1), strict=True):
                if axis < d - 1 or (body is top) == (sign > 0):
                    m.add(cd.Traction(f"{body.name} {side}", body, side, sign * P[:, axis]))
    X = np.array(base.nodes)
    corner = [int(np.argmin(np.linalg.norm(X - place, axis=1))) for place in (np.zeros(d), *np.eye(d))]
    m.add(cd.Spherical("origin", m.ground, base.point(corner[0])))
    for node, axis in [(1, 1)] if d == 2 else [(1, 1), (1, 2), (2, 2)]:
        m.add(cd.Translation(f"hold{node}{axis}", m.ground, base.point(corner[node]), direction=np.eye(d)[axis]))
    result = cd.solve_static(m, steps=2)
    for body in (base, top):
        np.testing.assert_allclose(result.fields(body).positions, np.array(body.nodes) @ F.T, atol=1e-8)
    if enforcement != "eliminate":
        np.testing.assert_allclose(result.joint_force("glue")[-1], P[:, -1], atol=1e-5)


def test_stress_passes_evenly_about_an_axis():
    """Pulled along the axis, the sides free: the stress is the same at every radius."""
    m = cd.Model("tube", dimension=2)
    base = m.add(cd.Solid.block("base", (1, 1), (3, 2), SOFT, origin=(0.5, 0.0), plane="axisymmetric"))
    top = m.add(cd.Solid.block("top", (1, 1), (4, 1), SOFT, origin=(0.5, 1.0), element="quad8", plane="axisymmetric"))
    m.add(cd.Tie("glue", top, "bottom", base, surface="top"))
    m.add(cd.Hold("floor", base, "bottom", (0, 1)))
    m.add(cd.Traction("pull", top, "top", (0.0, 200.0)))
    result = cd.solve_static(m, steps=2)
    stress = np.concatenate([result.fields(b).second_piola.reshape(-1, 3, 3) for b in (base, top)])
    np.testing.assert_allclose(stress, np.broadcast_to(stress[0], stress.shape), atol=1e-6)
    assert stress[0, 1, 1] > 100.0


def ring(n, element, inner_cells, outer_cells):
    """Two rings in each other under inner pressure: mean radial displacement of the bore, per pressure and modulus."""
    m = cd.Model("rings", dimension=2)
    steel = cd.StVenantKirchhoff(E, NU, 1.0)
    inside = cd.Mesh.annulus(1.0, 1.5, (n, inner_cells * n), element=element)
    outside = cd.Mesh.annulus(1.5, 2.0, (n, outer_cells * n), element=element, start=0.1)
    outer = m.add(cd.Solid.from_mesh("outside", outside, steel))
    inner = m.add(cd.Solid.from_mesh("inside", inside, steel))
    m.add(cd.Tie("shrink fit", inner, "outer", outer, surface="inner"))
    m.add(cd.Pressure("gas", inner, 1e-4, surface="inner"))
    first, second = (int(i) for i in outside.sets["outer"][:2])
    m.add(cd.Spherical("hold", m.ground, outer.point(first), at=outside.nodes[first]))
    across = outside.nodes[second] - outside.nodes[first]
    level = (-across[1], across[0])
    m.add(cd.Hold("level", outer, [second], level))
    fields = cd.solve_static(m, steps=1).fields(inner)
    X = np.array(inside.nodes)[inside.sets["inner"]]
    moved = fields.displacement[inside.sets["inner"]]
    return float(np.mean(np.sum((moved - moved.mean(axis=0)) * X, axis=1))) / 1e-4 * E


@pytest.mark.parametrize(("element", "cells", "order"), [("quad4", (8, 11), 2), ("quad8", (8, 5), 4)])
def test_rings_that_fit_into_each_other_converge_to_lame(element, cells, order):
    """u(a) = (1 + ν) p a / E · (a² (1 − 2ν) + b²) / (b² − a²): curved surfaces that meet only as the meshes get finer."""
    exact = (1 + NU) * (1 - 2 * NU + 4.0) / 3.0
    errors = [abs(ring(n, element, *cells) - exact) for n in (1, 2, 4)]
    assert errors[-1] < (1e-2 if order == 2 else 1e-5) * exact
    assert np.log2(errors[0] / errors[2]) / 2 > order - 0.2


@pytest.mark.parametrize("enforcement", ["eliminate", "multiplier"])
def test_energy_and_momenta_are_kept_by_tied_blocks_that_tumble(enforcement):
    m = cd.Model("tumbling", dimension=3)
    spin = (2.0, 0.5, 1.0)
    base = m.add(cd.Solid.from_mesh("base", mesh("hex8", (2, 2, 1), 1), SOFT, angular_velocity=spin))
    top = m.add(cd.Solid.from_mesh("top", mesh("tet4", (1, 3, 1), 2, low=1.0), SOFT, angular_velocity=spin))
    m.add(cd.Tie("glue", top, "back", base, surface="front", enforcement=enforcement))
    result = cd.simulate(m, end=0.2, dt=0.01)
    for kept in (result.energy["total"], result.angular_momentum, result.linear_momentum):
        assert np.ptp(kept, axis=0).max() < 1e-9 * np.abs(kept).max()
    assert np.ptp(result.energy["stored"]) > 0.0


@pytest.mark.parametrize("method", [cd.GeneralizedAlpha(), cd.Newmark(), cd.BDF()])
def test_all_methods_move_tied_blocks_alike(method):
    def tip(enforcement, integrator):
        m, base, top = stack("quad4", "tri3", (3, 1), (4, 1), enforcement, velocity=(0.4, 0.0))
        m.add(cd.Tie("wall", base, "bottom", m.ground))
        return cd.simulate(m, end=0.05, dt=0.0025, integrator=integrator).displacement(top.point(0))[-1]

    exact = tip("eliminate", cd.EnergyMomentum())
    np.testing.assert_allclose(tip("eliminate", method), exact, atol=2e-4)
    np.testing.assert_allclose(tip("multiplier", method), exact, atol=2e-4)


def test_a_part_of_a_surface_that_lies_on_nothing_stays_free():
    m = cd.Model("overhang", dimension=2)
    base = m.add(cd.Solid.block("base", (1.0, 1.0), (3, 2), SOFT))
    top = m.add(cd.Solid.block("top", (2.0, 0.5), (8, 1), SOFT, origin=(0.0, 1.0)))
    m.add(cd.Tie("glue", top, "bottom", base, surface="top"))
    tied = list(cd.compile(m).contributions.mortars["glue"])
    np.testing.assert_allclose(np.sort(np.array(top.nodes)[tied, 0]), (0.0, 0.25, 0.5, 0.75, 1.0))


def test_surfaces_that_cannot_be_tied_are_refused():
    m, _, top = stack("quad4", "quad4", (2, 1), (3, 1))
    rigid = m.add(cd.RigidBody("rigid", 1.0, inertia=1.0))
    cases = {
        "do not lie on each other; check the names": cd.Tie("t", top, "top", "base", surface="bottom"),
        "'rigid' has no surface of facets": cd.Tie("t", top, "top", rigid, surface="top"),
        "no surface or set 'tpo'; did you mean 'top'": cd.Tie("t", top, "bottom", "base", surface="tpo"),
        "is tied already by Tie 'glue', and so are all": cd.Tie("t", top, "bottom", "base", surface="top"),
    }
    for message, tie in cases.items():
        wrong = cd.Model.from_dict(m.to_dict())
        wrong.add(tie)
        with pytest.raises(cd.InputError, match=message):
            cd.compile(wrong)
    with pytest.raises(cd.InputError, match="nodes must be the name of a surface"):
        cd.Tie("t", top, [0, 1], "base", surface="top")
