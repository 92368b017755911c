"""Meshes: volumes and sets of the generators, files, and what is refused."""

import numpy as np
import pytest

import condyle as cd
from condyle.bodies.elements import ELEMENTS, outer_facets
from condyle.bodies.mesh_files import write_mesh

GENERATORS = {
    "block": (lambda e: cd.Mesh.block((2.0, 1.0), (3, 2), element=e), 2.0, 2),
    "box": (lambda e: cd.Mesh.block((2.0, 1.0, 0.5), (3, 2, 1), element=e), 1.0, 3),
    "annulus": (lambda e: cd.Mesh.annulus(1.0, 2.0, (2, 24), element=e), 3 * np.pi, 2),
    "sector": (lambda e: cd.Mesh.annulus(1.0, 2.0, (2, 8), angle=np.pi / 3, start=0.2, element=e), np.pi / 2, 2),
    "disk": (lambda e: cd.Mesh.disk(1.5, (6, 3), element=e), np.pi * 1.5**2, 2),
    "cylinder": (lambda e: cd.Mesh.cylinder(1.0, 2.0, (6, 3, 2), element=e), 2 * np.pi, 3),
    "tube": (lambda e: cd.Mesh.cylinder(1.0, 2.0, (24, 2, 2), inner=0.5, element=e), 1.5 * np.pi, 3),
    "ball": (lambda e: cd.Mesh.sphere(1.0, (6, 3), element=e), 4 / 3 * np.pi, 3),
    "shell": (lambda e: cd.Mesh.sphere(1.0, (6, 2), inner=0.6, element=e), 4 / 3 * np.pi * (1 - 0.6**3), 3),
    "cup in 2D": (lambda e: cd.Mesh.cup(0.6, 1.0, (12, 2), dimension=2, element=e), 0.5 * np.pi * (1 - 0.36), 2),
    "cup": (lambda e: cd.Mesh.cup(0.6, 1.0, (6, 2), element=e), 2 / 3 * np.pi * (1 - 0.6**3), 3),
}


def volume(mesh):
    return sum(b.kind.reference_gradients(mesh.nodes[b.cells], "mesh")[1].sum() for b in mesh.blocks)


@pytest.mark.parametrize("name", GENERATORS)
def test_generated_meshes_are_sound_and_fill_their_shape(name):
    make, exact, d = GENERATORS[name]
    for kind, one in ELEMENTS.items():
        if one.dimension != d or (name == "ball" and kind.startswith("wedge")):
            continue
        mesh = make(kind).check()
        assert mesh.element == kind
        assert volume(mesh) == pytest.approx(exact, rel=0.01 if one.quadratic else 0.06)
        assert all(len(members) for members in mesh.sets.values())


@pytest.mark.parametrize("name", [name for name, (_, _, d) in GENERATORS.items() if d == 3])
def test_cells_of_generated_meshes_share_their_facets(name):
    """The surface is that of the hexahedra they were cut from, each quadrilateral once, whole or in two."""
    make = GENERATORS[name][0]
    (whole,) = outer_facets(make("hex8").blocks)
    for kind, one in ELEMENTS.items():
        if one.dimension == 3 and not (name == "ball" and kind.startswith("wedge")):
            found = outer_facets(make(kind).blocks)
            assert sum(len(f.nodes) * (1.0 if f.kind.corners == 4 else 0.5) for f in found) == len(whole.nodes), kind


def test_quadratic_cells_follow_the_curve():
    ring = cd.Mesh.annulus(1.0, 2.0, (1, 12), element="quad8")
    radius = np.hypot(*ring.nodes[ring.sets["outer"]].T)
    np.testing.assert_allclose(radius, 2.0, rtol=1e-12)
    assert len(radius) == 24
    assert volume(ring) == pytest.approx(3 * np.pi, rel=1e-3)


def test_a_plane_mesh_is_extruded_and_revolved():
    flat = cd.Mesh.block((1.0, 2.0), (2, 3), origin=(1.0, 0.0))
    assert volume(flat.extruded(3.0, 2).check()) == pytest.approx(6.0)
    turned = flat.revolved(np.pi / 2, 16).check()
    assert volume(turned) == pytest.approx(np.pi / 4 * (4 - 1) * 2, rel=0.01)
    assert set(turned.sets) >= {"left", "right", "bottom", "top", "back", "front"}


@pytest.mark.parametrize(
    ("plane", "kind"),
    [
        ("tri3", "wedge6"), ("tri6", "wedge15"), ("tri3", "tet4"), ("tri6", "tet10"), ("quad4", "hex8"), ("quad8", "hex20"),
    ],
)  # fmt: skip
def test_every_plane_mesh_is_extruded_and_revolved_into_its_element_of_space(plane, kind):
    flat = cd.Mesh.block((1.0, 2.0), (3, 2), element=plane, origin=(1.0, 0.0))
    flat.regions["first"] = np.array([0])
    wanted = kind if kind.startswith("tet") else None
    straight = flat.extruded(3.0, 2, element=wanted).check()
    assert straight.element == kind
    assert volume(straight) == pytest.approx(6.0, rel=1e-12)
    fills = straight.cells[straight.regions["first"]]
    part = cd.Mesh(straight.nodes, fills, kind)
    own = cd.Mesh(flat.nodes, flat.cells[:1], plane)
    assert volume(part) == pytest.approx(3.0 * volume(own), rel=1e-12)
    faces = cd.Solid.from_mesh("s", straight, cd.NeoHookean(1.0, 0.3, 1.0)).shape_anchor().boundary
    counts = {f.kind.corners: len(f.nodes) for f in faces}  # neighbours share their faces: no gaps
    assert counts == {"hex": {4: 32}, "wed": {3: 24, 4: 20}, "tet": {3: 64}}[kind[:3]]
    for wall, axis, place in (("left", 0, 1.0), ("top", 1, 2.0), ("front", 2, 3.0), ("back", 2, 0.0)):
        np.testing.assert_array_equal(np.sort(straight.sets[wall]), np.flatnonzero(straight.nodes[:, axis] == place))
    turned = flat.revolved(np.pi / 2, 8, element=wanted).check()
    exact = np.pi / 4 * (4 - 1) * 2
    assert volume(turned) == pytest.approx(exact, rel=1e-5 if plane in ("tri6", "quad8") else 0.01)


@pytest.mark.parametrize(
    ("kind", "order"),
    [("hex8", 2), ("tet4", 2), ("wedge6", 2), ("pyramid5", 2), ("hex20", 4), ("tet10", 4), ("wedge15", 4)],
)
@pytest.mark.parametrize("inner", [0.0, 0.5])
def test_the_volume_of_a_cylinder_converges_with_the_order_of_its_element(kind, order, inner):
    exact = np.pi * (1.0 - inner**2) * 2.0
    turns = (4, 8) if inner == 0.0 else (12, 24)
    coarse, fine = (
        abs(volume(cd.Mesh.cylinder(1.0, 2.0, (n, 2, 1), inner=inner, element=kind).check()) / exact - 1) for n in turns
    )
    assert np.log2(coarse / fine) > order - 0.3
    if order == 4:
        mesh = cd.Mesh.cylinder(1.0, 2.0, (4, 2, 2), inner=inner, element=kind)
        np.testing.assert_allclose(np.hypot(*mesh.nodes[mesh.sets["outer"]][:, :2].T), 1.0, rtol=1e-12)


@pytest.mark.parametrize("ending", ["msh", "inp", "vtk"])
def test_meshes_come_back_from_files(tmp_path, ending):
    mesh = cd.Mesh.block((1.0, 1.0, 1.0), (2, 2, 2), element="tet10" if ending == "vtk" else "hex8")
    path = tmp_path / f"mesh.{ending}"
    write_mesh(path, mesh)
    back = cd.Mesh.read(path)
    assert back.element == mesh.element
    np.testing.assert_allclose(back.nodes, mesh.nodes, atol=1e-12)
    np.testing.assert_array_equal(back.cells, mesh.cells)
    if ending == "inp":
        assert sorted(back.sets["left"]) == sorted(mesh.sets["left"].tolist())


def named_file(path):
    """A Gmsh file of two regions, a named side and a node that belongs to nothing."""
    import meshio

    flat = cd.Mesh.block((2.0, 1.0), (2, 1))
    points = np.vstack((np.pad(flat.nodes, ((0, 0), (0, 1))), [[9.0, 9.0, 0.0]]))
    side = flat.sets["right"]
    meshio.Mesh(
        points,
        [("quad", flat.cells), ("line", [side])],
        cell_data={
            "gmsh:physical": [np.array([1, 2]), np.array([3])],
            "gmsh:geometrical": [np.array([1, 2]), np.array([3])],
        },
        field_data={"soft": np.array([1, 2]), "hard": np.array([2, 2]), "grip": np.array([3, 1])},
    ).write(path, file_format="gmsh22", binary=False)


def test_regions_surfaces_and_sets_keep_their_names(tmp_path):
    path = tmp_path / "named.msh"
    named_file(path)
    mesh = cd.Mesh.read(path)
    assert len(mesh.nodes) == 6  # the lost node is gone
    assert mesh.regions == {"soft": [0], "hard": [1]}
    assert len(mesh.surfaces["grip"]) == 1
    np.testing.assert_allclose(mesh.nodes[mesh.sets["grip"], 0], 2.0)
    part = cd.Mesh.read(path, region="hard")
    assert len(part.cells) == 1
    soft, hard = cd.NeoHookean(1e5, density=1.0), cd.NeoHookean(1e7, density=2.0)
    m = cd.Model("two", dimension=2)
    m.add(cd.Solid.from_mesh("plate", mesh, {"soft": soft, "hard": hard}))
    system = cd.compile(m)
    assert system.row_mass.sum() == pytest.approx(np.trace(_mass(system)))
    m["plate"].material = {"soft": soft}
    with pytest.raises(cd.InputError, match="cell 1 lies in no region"):
        cd.compile(m)
    m["plate"].material = {"soft": soft, "hrad": hard}
    with pytest.raises(cd.InputError, match="no region 'hrad'; did you mean 'hard'"):
        cd.compile(m)


def _mass(system):
    m = np.zeros((system.n, system.n))
    np.add.at(m, (system.mass.first, system.mass.second), system.mass.value)
    return m


def test_bad_meshes_are_refused_with_the_place(tmp_path):
    good = cd.Mesh.block((1.0, 1.0), (2, 2))
    cases = {
        "turned inside out": lambda m: m.cells.__setitem__(1, m.cells[1][::-1].copy()),
        "of zero size": lambda m: m.nodes.__setitem__(4, m.nodes[4]) or m.nodes.__setitem__((slice(None), 1), 0.0),
        "is there 2 times": lambda m: m.cells.__setitem__(1, m.cells[0]),
        "2 nodes lie at": lambda m: m.nodes.__setitem__(4, m.nodes[3]),
        "refers to node 99": lambda m: m.cells.__setitem__((0, 0), 99),
    }
    for message, spoil in cases.items():
        mesh = cd.Mesh(good.nodes.copy(), good.cells.copy(), "quad4")
        spoil(mesh)
        with pytest.raises(cd.InputError, match="belongs to no cell|nodes lie at|" + message):
            mesh.check()
    lonely = cd.Mesh(np.vstack((good.nodes, [[3.0, 3.0]])), good.cells, "quad4")
    with pytest.raises(cd.InputError, match=r"node 9 at \[3.0, 3.0\] belongs to no cell"):
        lonely.check()
    with pytest.raises(cd.InputError, match="does not exist"):
        cd.Mesh.read(tmp_path / "no.msh")
    (tmp_path / "bad.vtk").write_text("nonsense")
    with pytest.raises(cd.InputError, match="cannot be read"):
        cd.Mesh.read(tmp_path / "bad.vtk")
    for call, message in (
        (lambda: cd.Mesh.annulus(2.0, 1.0, (1, 4)), "inner must be below outer"),
        (lambda: cd.Mesh.block((1.0, -1.0), (1, 1)), "size must be positive"),
        (lambda: cd.Mesh.cup(0.5, 1.0, (5, 1)), "must be even"),
        (lambda: cd.Mesh.block((1.0, 1.0), (1, 1), element="hex8"), "hex8 is not an element of 2D"),
        (lambda: cd.Mesh.block((1.0, 1.0), (1, 1)).converted("quad9"), "unknown element 'quad9'"),
    ):
        with pytest.raises(cd.InputError, match=message):
            call()


BRICK = """
SetFactory("OpenCASCADE");
Box(1) = {0, 0, 0, 1, 0.5, 0.25};
Physical Volume("bone") = {1};
Physical Surface("foot") = {5};
"""


def test_geometry_is_meshed_by_gmsh(tmp_path):
    file = tmp_path / "brick.geo"
    file.write_text(BRICK)
    try:
        cd.Mesh.from_geometry(file, size=0.5)
    except cd.InputError as error:
        if "needs Gmsh" in str(error):
            pytest.skip(str(error))
        raise
    for order, element in ((1, "tet4"), (2, "tet10")):
        mesh = cd.Mesh.from_geometry(file, size=0.25, order=order)
        assert mesh.element == element
        assert set(mesh.regions) == {"bone"}
        assert np.abs(np.array(mesh.nodes)[mesh.sets["foot"], 2]).max() < 1e-12
        m = cd.Model("brick", dimension=3)
        body = m.add(cd.Solid.from_mesh("brick", mesh, cd.Robust(10.0, 0.3, 1.0)))
        assert cd.compile(m).mass.value.sum() == pytest.approx(0.125)
        m.add(cd.Traction("push", body, "foot", (0.0, 0.0, 1.0)))
        cd.compile(m)
    (tmp_path / "plain.geo").write_text("Point(1) = {0,0,0};")
    bare = tmp_path / "bare.geo"
    bare.write_text('SetFactory("OpenCASCADE"); Rectangle(1) = {0, 0, 0, 2, 1};')
    plate = cd.Mesh.from_geometry(bare, size=0.5)
    assert plate.element == "tri3"
    assert len(plate.surfaces) == 4


def test_wrong_geometry_is_refused(tmp_path):
    with pytest.raises(cd.InputError, match="does not exist"):
        cd.Mesh.from_geometry(tmp_path / "none.step")
    file = tmp_path / "mesh.stl"
    file.write_text("")
    with pytest.raises(cd.InputError, match="kind is not known"):
        cd.Mesh.from_geometry(file)
    file = tmp_path / "a.geo"
    file.write_text("")
    with pytest.raises(cd.InputError, match="order must be 1"):
        cd.Mesh.from_geometry(file, order=3)
    with pytest.raises(cd.InputError, match="size must be a positive"):
        cd.Mesh.from_geometry(file, size=-1.0)
