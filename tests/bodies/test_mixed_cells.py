"""Wedges and pyramids, and meshes of several kinds of cells: facets of both kinds in loads, ties, contact and files."""

import json

import numpy as np
import pytest

import condyle as cd
from condyle.bodies.elements import ELEMENTS, Facets, outer_facets
from condyle.bodies.mesh_files import write_mesh
from condyle.bodies.mortar import following
from mixed_meshes import mixed_block

E, NU = 1000.0, 0.3
LAME, MU = E * NU / ((1 + NU) * (1 - 2 * NU)), E / (2 * (1 + NU))
SOFT = cd.NeoHookean(E, NU, 1.0)
F = np.array([[1.12, 0.15, -0.08], [0.0, 0.93, 0.06], [0.0, 0.0, 1.05]])
P = MU * F + (LAME * np.log(np.linalg.det(F)) - MU) * np.linalg.inv(F).T
SIDES = (("left", "right"), ("bottom", "top"), ("back", "front"))


def pulled(mesh, sides=SIDES):
    """A model with the tractions of a homogeneous deformation F on the sides of a block, held against rigid motion."""
    m = cd.Model("patch", dimension=3)
    body = m.add(cd.Solid.from_mesh("block", mesh, SOFT))
    for axis, (low, high) in enumerate(sides):
        m.add(cd.Traction(low, body, low, -P[:, axis]))
        m.add(cd.Traction(high, body, high, P[:, axis]))
    X = np.array(body.nodes)
    corner = [int(np.argmin(np.linalg.norm(X - place, axis=1))) for place in (np.zeros(3), *np.eye(3))]
    m.add(cd.Spherical("origin", m.ground, body.point(corner[0])))
    for node, axis in ((1, 1), (1, 2), (2, 2)):
        m.add(cd.Translation(f"hold{node}{axis}", m.ground, body.point(corner[node]), direction=np.eye(3)[axis]))
    return m, body


# --- meshes ---------------------------------------------------------------------------------------------------------------


def test_cells_of_four_kinds_fill_a_block_and_share_their_facets():
    mesh = mixed_block(move=0.1).check()
    assert {b.kind.name: len(b.cells) for b in mesh.blocks} == {"wedge6": 8, "hex8": 4, "pyramid5": 20, "tet4": 56}
    volume = sum(b.kind.reference_gradients(mesh.nodes[b.cells], "mesh")[1].sum() for b in mesh.blocks)
    assert volume == pytest.approx(4.0, rel=1e-12)
    areas = 0.0
    anchor = cd.Solid.from_mesh("s", mesh, SOFT).shape_anchor()
    for kind, faces in outer_facets(mesh.blocks):
        areas += sum(np.linalg.norm(anchor.facet_normals(kind, face)[1], axis=1).sum() for face in faces)
    assert areas == pytest.approx(18.0, rel=1e-12)  # nothing is counted that lies between two cells


def test_triangles_on_a_quadrilateral_are_refused_with_the_fix():
    block = cd.Mesh.block((2.0, 1.0, 1.0), (2, 1, 1))
    tets = cd.Mesh(block.nodes, block.cells[1:], "hex8").converted("tet4")
    with pytest.raises(cd.InputError, match=r"lie on the quadrilateral .* put a pyramid5 on it"):
        cd.Mesh(block.nodes, {"hex8": block.cells[:1], "tet4": tets.cells}, "mixed").check()
    with pytest.raises(cd.InputError, match="hex20 and tet4 have no facets in common"):
        cd.Mesh(block.nodes, {"tet4": tets.cells, "hex20": np.zeros((1, 20), dtype=int)}, "mixed")
    with pytest.raises(cd.InputError, match=r"given as .*element='mixed'"):
        cd.Mesh(block.nodes, {"hex8": block.cells}, "hex8")


@pytest.mark.parametrize("kind", ["wedge6", "pyramid5", "tet4", "wedge15", "tet10"])
def test_hexahedra_are_converted_into_cells_that_fit(kind):
    """Wherever cells meet, they share a facet: what is left outside is the surface of the block, once."""
    mesh = cd.Mesh.block((2.0, 1.0, 1.0), (3, 2, 2)).converted(kind).check()
    body = cd.Solid.from_mesh("s", mesh, SOFT).shape_anchor()
    area = sum(np.linalg.norm(body.facet_normals(k, f)[1], axis=1).sum() for k, faces in body.boundary for f in faces)
    assert area == pytest.approx(10.0, rel=1e-12)


@pytest.mark.parametrize("kind", ["wedge6", "pyramid5"])
def test_wedges_and_pyramids_are_cut_into_tetrahedra_that_fit(kind):
    shuffled = cd.Mesh.block((2.0, 1.0, 1.0), (2, 2, 2)).converted(kind)
    new = np.random.default_rng(4).permutation(len(shuffled.nodes))
    nodes = np.empty_like(shuffled.nodes)
    nodes[new] = shuffled.nodes
    tets = cd.Mesh(nodes, new[shuffled.cells], kind).converted("tet4").check()
    body = cd.Solid.from_mesh("s", tets, SOFT).shape_anchor()
    area = sum(np.linalg.norm(body.facet_normals(k, f)[1], axis=1).sum() for k, faces in body.boundary for f in faces)
    assert area == pytest.approx(10.0, rel=1e-12)


def test_a_cylinder_has_wedges_at_its_axis_and_hexahedra_around_them():
    mesh = cd.Mesh.cylinder(1.0, 2.0, (6, 3, 2), element="mixed").check()
    assert {k: len(v) for k, v in mesh.cells.items()} == {"wedge6": 48, "hex8": 96}
    volume = sum(b.kind.reference_gradients(mesh.nodes[b.cells], "mesh")[1].sum() for b in mesh.blocks)
    assert volume == pytest.approx(12 * np.sin(np.pi / 12) * 2.0, rel=1e-12)  # of a prism over 24 sides
    np.testing.assert_allclose(np.hypot(*mesh.nodes[mesh.sets["outer"]][:, :2].T), 1.0)
    with pytest.raises(cd.InputError, match="a full ball has no mesh of wedge6"):
        cd.Mesh.sphere(1.0, (2, 1), element="wedge6")


@pytest.mark.parametrize("kind", ELEMENTS)
@pytest.mark.parametrize("ending", ["msh", "vtu", "inp"])
def test_every_element_comes_back_from_files(tmp_path, kind, ending):
    mesh = cd.Mesh.block(
        (1.0, 2.0, 1.5)[: ELEMENTS[kind].dimension], (1, 2, 1)[: ELEMENTS[kind].dimension], element=kind
    )
    if (kind, ending) == ("pyramid5", "inp"):
        with pytest.raises(cd.InputError, match=r"its format has no cells 'pyramid'; write \.msh or \.vtu"):
            write_mesh(tmp_path / "mesh.inp", mesh)
        return
    write_mesh(tmp_path / f"mesh.{ending}", mesh)
    back = cd.Mesh.read(tmp_path / f"mesh.{ending}")
    assert back.element == kind
    np.testing.assert_allclose(back.nodes[back.cells], mesh.nodes[mesh.cells], atol=1e-12)


@pytest.mark.parametrize("ending", ["msh", "vtu", "vtk"])
def test_a_mesh_of_several_kinds_comes_back_from_files(tmp_path, ending):
    mesh = mixed_block()
    write_mesh(tmp_path / f"mesh.{ending}", mesh)
    back = cd.Mesh.read(tmp_path / f"mesh.{ending}")
    assert list(back.cells) == list(mesh.cells)
    for kind, cells in mesh.cells.items():
        np.testing.assert_allclose(back.nodes[back.cells[kind]], mesh.nodes[cells], atol=1e-12)


def test_names_in_a_file_of_several_kinds_are_those_of_cells_and_facets_of_both_kinds(tmp_path):
    import meshio

    mesh = mixed_block(1)
    blocks = [(b.kind.file_name, b.cells) for b in mesh.blocks]
    sides = [
        (f.kind.file_name, f.nodes) for f in cd.Solid.from_mesh("s", mesh, SOFT).shape_anchor().facets("top", None)
    ]
    counts = [len(c) for _, c in blocks + sides]
    tags = [np.full(n, 1 if k in (0, 2) else 2 if k < len(blocks) else 3) for k, n in enumerate(counts)]
    names = {"ends": np.array([1, 3]), "rest": np.array([2, 3]), "skin": np.array([3, 2])}
    data = {"gmsh:physical": tags, "gmsh:geometrical": tags}
    meshio.Mesh(mesh.nodes, blocks + sides, cell_data=data, field_data=names).write(
        tmp_path / "mesh.msh", file_format="gmsh22", binary=False
    )
    back = cd.Mesh.read(tmp_path / "mesh.msh")
    assert {len(face) for face in back.surfaces["skin"]} == {3, 4}
    first, third = len(mesh.cells["wedge6"]), len(mesh.cells["hex8"])
    np.testing.assert_array_equal(back.regions["rest"][:third], first + np.arange(third))
    ends = cd.Mesh.read(tmp_path / "mesh.msh", region="ends")
    assert set(ends.cells) == {"wedge6", "pyramid5"}


# --- solids ---------------------------------------------------------------------------------------------------------------


def test_a_block_of_four_kinds_of_cells_passes_the_patch_test_and_reads_even_stress():
    m, body = pulled(mixed_block(move=0.1))
    fields = cd.solve_static(m, steps=2).fields(body)
    np.testing.assert_allclose(fields.positions, np.array(body.nodes) @ F.T, atol=1e-9)
    np.testing.assert_allclose(
        fields.deformation_gradient @ fields.second_piola, np.broadcast_to(P, (88, 8, 3, 3)), atol=1e-6
    )
    assert fields.volumes.sum() == pytest.approx(4.0)
    np.testing.assert_allclose(fields.surface_force("front"), 4.0 * P[:, 2], atol=1e-6)
    nodal = fields.at_nodes(fields.cauchy)
    np.testing.assert_allclose(nodal, np.broadcast_to(nodal[0], nodal.shape), atol=1e-6)
    np.testing.assert_allclose(fields.probe(fields.volume_ratio, (3.3, 0.4, 0.6)), np.linalg.det(F), atol=1e-9)


def test_a_pressure_on_facets_of_both_kinds_moves_nothing_when_it_is_all_around():
    m = cd.Model("balloon", dimension=3)
    body = m.add(cd.Solid.from_mesh("block", mixed_block(move=0.05), SOFT))
    m.add(cd.Tie("held", body, [0], m.ground))
    for pair in SIDES:
        for side in pair:
            m.add(cd.Pressure(side, body, 30.0, surface=side))
    X = np.array(body.nodes)
    corner = [int(np.argmin(np.linalg.norm(X - place, axis=1))) for place in np.eye(3)]
    m.add(cd.Hold("y", body, [corner[0]], (0, 1, 0)))
    m.add(cd.Hold("z", body, [corner[0], corner[1]], (0, 0, 1)))
    result = cd.solve_static(m, steps=1)
    cauchy = result.fields(body).cauchy
    np.testing.assert_allclose(cauchy, np.broadcast_to(-30.0 * np.eye(3), cauchy.shape), atol=1e-7)
    assert np.abs(result.reaction("z")[-1]).max() < 1e-8


def test_a_solid_of_several_kinds_of_cells_moves_with_the_momenta_of_the_block_and_keeps_its_energy():
    m = cd.Model("tumbling", dimension=3)
    law = cd.NeoHookean(1e5, 0.3, 1000.0)
    motion = {"velocity": (1.0, 0.0, 0.5), "angular_velocity": (3.0, 2.0, 1.0)}
    m.add(cd.Solid.from_mesh("block", mixed_block(1), law, **motion))
    result = cd.simulate(m, end=0.02, dt=0.002)
    m0 = 4000.0
    centre = np.array((2.0, 0.5, 0.5))
    inertia = m0 / 12.0 * np.diag((2.0, 17.0, 17.0))
    v = np.array(motion["velocity"]) + np.cross(motion["angular_velocity"], centre)
    np.testing.assert_allclose(result.linear_momentum[0], m0 * v, rtol=1e-12)
    L = inertia @ motion["angular_velocity"] + m0 * np.cross(centre, v)
    np.testing.assert_allclose(result.angular_momentum[0], L, rtol=1e-12)
    assert np.abs(result.angular_momentum - L).max() < 1e-9 * np.abs(L).max()
    assert np.ptp(result.energy["total"]) < 1e-9 * result.energy["total"][0]


def test_models_of_several_kinds_of_cells_go_to_files_and_pictures(tmp_path):
    import meshio

    m, body = pulled(mixed_block(1))
    again = cd.Model.from_dict(json.loads(json.dumps(m.to_dict())))
    assert again["block"].cells == body.cells
    alone = cd.Model("alone", dimension=3)
    alone.add(body)
    assert f"{len(body.nodes)} nodes, 22 mixed" in str(alone)
    result = cd.solve_static(m, steps=1)
    back = meshio.read(result.write_vtk(body, tmp_path)[-1])
    assert [c.type for c in back.cells] == ["wedge", "hexahedron", "pyramid", "tetra"]
    faces = result.system.anchors["block"].polygons()[1]
    assert {len(f) for f in faces} == {3, 4}


def test_a_rigid_body_has_the_inertia_of_a_mesh_of_several_kinds():
    mesh = mixed_block(move=0.1)
    body = cd.RigidBody.from_mesh("body", mesh.nodes, mesh.cells, 3.0, element="mixed")
    assert body.mass == pytest.approx(12.0, rel=1e-12)
    np.testing.assert_allclose(body.centre_of_mass, (2.0, 0.5, 0.5), rtol=1e-12)
    np.testing.assert_allclose(body.second_moment, np.diag((16.0, 1.0, 1.0)), atol=1e-11)


# --- order, bending -------------------------------------------------------------------------------------------------------


def solved(kind, n):
    """L2 error of linear elasticity on a block of n cells a side; u = sin(x + 2y + …) e is given on its surface."""
    d = kind.dimension
    mesh = cd.Mesh.block((1.0,) * d, (n,) * d, element=kind.name)
    k, e = np.arange(1.0, d + 1), np.arange(d, 0.0, -1)
    X, N = mesh.nodes, len(mesh.nodes)
    gradients, volumes = kind.reference_gradients(X[mesh.cells], "mesh")
    shape, places = kind.shape(kind.points), np.einsum("qn,cnd->cqd", kind.shape(kind.points), X[mesh.cells])
    # σ = tr ε + 2 ε, so that −div σ = (μ |k|² e + (λ + μ) (k·e) k) sin.
    force = ((k @ k) * e + 2.0 * (k @ e) * k) * np.sin(places @ k)[..., None]
    g = gradients
    blocks = np.einsum("cq,cqin,cqjm->cnimj", volumes, g, g, optimize=True)
    swapped = np.einsum("cq,cqjn,cqim->cnimj", volumes, g, g, optimize=True)
    same = np.einsum("cq,cqkn,cqkm,ij->cnimj", volumes, g, g, np.eye(d), optimize=True)
    K, f = np.zeros((N, d, N, d)), np.zeros((N, d))
    for cell, block in zip(mesh.cells, blocks + swapped + same, strict=True):
        K[np.ix_(cell, range(d), cell, range(d))] += block
    np.add.at(f, mesh.cells, np.einsum("cq,qn,cqi->cni", volumes, shape, force))
    u = np.sin(X @ k)[:, None] * e
    inside = np.repeat(((X > 1e-9) & (X < 1 - 1e-9)).all(axis=1), d)
    K, u_flat = K.reshape(N * d, N * d), u.ravel().copy()
    rest = f.ravel()[inside] - K[np.ix_(inside, ~inside)] @ u_flat[~inside]
    u_flat[inside] = np.linalg.solve(K[np.ix_(inside, inside)], rest)
    points, weights = kind.mass_rule
    there = np.einsum("qn,cnd->cqd", kind.shape(points), X[mesh.cells])
    found = np.einsum("qn,cni->cqi", kind.shape(points), u_flat.reshape(N, d)[mesh.cells])
    error = np.sum((found - np.sin(there @ k)[..., None] * e) ** 2, axis=-1)
    return np.sqrt(np.sum(error * weights) * volumes.sum() / (len(mesh.cells) * weights.sum()))


@pytest.mark.parametrize("kind", ELEMENTS.values(), ids=ELEMENTS)
def test_every_element_converges_with_its_order(kind):
    cells = (2, 4) if kind.dimension == 3 and kind.name != "tet4" else (4, 8) if kind.dimension == 2 else (3, 6)
    coarse, fine = (solved(kind, n) for n in cells)
    assert np.log2(coarse / fine) > (2.8 if kind.quadratic else 1.75)


@pytest.mark.parametrize("kind", [k for k, e in ELEMENTS.items() if e.quadratic and e.dimension == 3])
def test_a_bent_beam_of_quadratic_elements_has_the_stress_of_beam_theory(kind):
    """A couple at the end of a slender block, small: σ = E κ y at every node, u = κ x²/2."""
    m = cd.Model("bending", dimension=3)
    body = m.add(cd.Solid.block("beam", (4.0, 1.0, 1.0), (4, 2, 1), cd.StVenantKirchhoff(1e6, 0.0, 1.0), element=kind))
    X, kappa = np.array(body.nodes), 1e-6
    m.add(cd.Tie("wall", body, [i for i in body.sets["left"] if X[i, 1] == 0.5], m.ground))
    m.add(cd.Hold("flat", body, [i for i in body.sets["left"] if X[i, 1] != 0.5], (1, 0, 0)))
    for i in body.sets["right"]:
        m.add(cd.Hold(f"turned {i}", body, [i], (1, 0, 0), displacement=float(-4.0 * kappa * (X[i, 1] - 0.5))))
    fields = cd.solve_static(m, steps=1).fields(body)
    exact = -1e6 * kappa * (X[:, 1] - 0.5)
    np.testing.assert_allclose(fields.at_nodes(fields.cauchy)[:, 0, 0], exact, atol=1e-4)
    np.testing.assert_allclose(fields.displacement[body.sets["right"], 1], 8.0 * kappa, rtol=1e-4)


# --- surfaces -------------------------------------------------------------------------------------------------------------


def facets_of(body, side):
    return body.shape_anchor().facets(side, body), np.array(body.nodes)


@pytest.mark.parametrize("follows", ["mixed", "hex8"])
def test_surfaces_of_both_kinds_of_facets_follow_linear_fields_and_pass_tractions_on(follows):
    upper = (
        mixed_block(2, low=1.0, seed=1) if follows == "mixed" else cd.Mesh.block((4, 1, 1), (5, 3, 1), origin=(0, 0, 1))
    )
    own, X = facets_of(cd.Solid.from_mesh("b", upper, SOFT), "back")
    other, Y = facets_of(cd.Solid.from_mesh("a", mixed_block(3), SOFT), "front")
    assert len(other) == 2 and all(isinstance(f, Facets) for f in other)
    nodes, weights = following(own, X, other, Y)
    np.testing.assert_allclose(weights @ Y, X[nodes], atol=1e-12)
    mine, theirs = loads(own, X), loads(other, Y)
    np.testing.assert_allclose(weights.T @ mine[nodes], theirs, atol=1e-9)


def loads(facets, X):
    """Nodal forces of a unit traction on a flat face across z."""
    out = np.zeros(len(X))
    for kind, faces in facets:
        J = np.einsum("fnI,qni->fqIi", X[faces][..., :2], kind.gradient(kind.points))
        np.add.at(out, faces, (kind.weights * np.abs(np.linalg.det(J))) @ kind.shape(kind.points))
    return out


def test_stress_passes_evenly_through_a_tie_of_surfaces_with_both_kinds_of_facets():
    m, base = pulled(mixed_block(2, move=0.08), SIDES[:2])
    top = m.add(cd.Solid.from_mesh("upper", mixed_block(3, low=1.0, move=0.05, seed=2), SOFT))
    for axis, pair in enumerate(SIDES[:2]):
        for side, sign in zip(pair, (-1, 1), strict=True):
            m.add(cd.Traction(f"top {side}", top, side, sign * P[:, axis]))
    m.add(cd.Traction("base back", base, "back", -P[:, 2]))
    m.add(cd.Traction("top front", top, "front", P[:, 2]))
    m.add(cd.Tie("glue", top, "back", base, surface="front"))
    result = cd.solve_static(m, steps=2)
    for body in (base, top):
        np.testing.assert_allclose(result.fields(body).positions, np.array(body.nodes) @ F.T, atol=1e-8)


@pytest.mark.parametrize(
    ("law", "points", "upper"),
    [
        ("augmented", "nodes", "mixed"),
        ("augmented", "mortar", "hex8"),
        ("augmented", "mortar", "mixed"),
        ("penalty", "mortar", "mixed"),
        ("penalty", "integration", "mixed"),
    ],
)
def test_an_even_pressure_passes_through_contact_of_surfaces_with_both_kinds_of_facets(law, points, upper):
    """The patch test of contact; meshes match for nodes and integration points, and do not for the mortar."""
    across = 2 if points != "mortar" else 3
    m = cd.Model("pressed", dimension=3)
    low = m.add(cd.Solid.from_mesh("low", mixed_block(2), SOFT))
    mesh = mixed_block(across, low=1.0) if upper == "mixed" else cd.Mesh.block((4, 1, 1), (5, 3, 1), origin=(0, 0, 1))
    high = m.add(cd.Solid.from_mesh("high", mesh, SOFT))
    for body in (low, high):
        m.add(cd.Hold(f"{body.name} x", body, "left", (1, 0, 0)))
        m.add(cd.Hold(f"{body.name} y", body, "bottom", (0, 1, 0)))
    m.add(cd.Hold("base", low, "back", (0, 0, 1)))
    m.add(cd.Traction("load", high, "front", (0, 0, -50.0)))
    m.add(cd.Contact("joint", high, "back", low, "front", law=law, points=points))
    result = cd.solve_static(m, steps=2)
    np.testing.assert_allclose(result.contact("joint").pressure[-1], 50.0, rtol=1e-6)
    stress = result.fields("low").cauchy[..., 2, 2]
    assert np.ptp(stress) < 1e-6 * np.abs(stress).max()
    assert result.iterations.max() <= 8


def test_a_rigid_surface_takes_triangles_and_quadrilaterals_together():
    """A box whose faces are cut into facets of both kinds: areas of nodes and points, distances, files."""
    facets = cd.Solid.from_mesh("b", mixed_block(2), SOFT).shape_anchor().boundary
    nodes = np.array(mixed_block(2).nodes) - (2.0, 0.5, 0.5)
    surface = cd.FacetSurface(nodes, [face for f in facets for face in f.nodes.tolist()])
    assert {len(f) for f in surface.facets} == {3, 4}
    assert surface.nodal_areas().sum() == pytest.approx(18.0, rel=1e-12)
    places, areas, labels = surface.spread()
    assert areas.sum() == pytest.approx(18.0, rel=1e-12)
    assert len(places) == len(set(labels))
    np.testing.assert_allclose(areas @ places, 0.0, atol=1e-12)
    again = cd.FacetSurface.from_dict(json.loads(json.dumps(surface.to_dict())))
    outside = again.distance(np.array([(0.0, 0.0, 1.5), (0.3, 0.2, 0.1), (-3.0, 0.0, 0.0)]))
    np.testing.assert_allclose(outside.gap, (1.0, -0.3, 1.0), atol=1e-12)
