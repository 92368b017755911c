"""Surfaces and meshes as bodies: mass and inertia, holes, flipped triangles, units, too many triangles."""

from __future__ import annotations

import numpy as np
import pytest

import condyle as cd
from condyle.imports.registry import import_model
from condyle.imports.surfaces import Surface

trimesh = pytest.importorskip("trimesh")


@pytest.fixture
def box():
    """A box of 0.2 × 0.3 × 0.4 m about (1, 2, 3)."""
    made = trimesh.creation.box((0.2, 0.3, 0.4))
    made.apply_translation((1.0, 2.0, 3.0))
    return made


@pytest.mark.parametrize("ending", ["stl", "ply", "obj", "off"])
def test_a_closed_surface_is_a_rigid_body(box, tmp_path, ending):
    file = tmp_path / f"femur.{ending}"
    box.export(file)
    body = import_model(file, density=2000.0).model["femur"]
    assert body.mass == pytest.approx(2000.0 * 0.024, rel=1e-6)
    assert body.position == pytest.approx([1.0, 2.0, 3.0], rel=1e-6)
    inertia = 48.0 / 12.0 * np.diag([0.3**2 + 0.4**2, 0.2**2 + 0.4**2, 0.2**2 + 0.3**2])
    assert np.allclose(body.inertia, inertia, rtol=1e-6, atol=1e-6)
    assert len(body.faces["cells"]) == 12


def test_mass_and_units_can_be_given(box, tmp_path):
    box.apply_scale(1000.0)
    box.export(tmp_path / "bone.stl")
    made = import_model(tmp_path / "bone.stl", length=0.001, mass=3.0, shape="hull")
    assert made.model["bone"].mass == pytest.approx(3.0)
    assert made.model["bone"].position == pytest.approx([1.0, 2.0, 3.0], rel=1e-6)
    assert isinstance(made.model["bone"].shape, cd.FacetSurface) and not made.left_out
    doubted = import_model(tmp_path / "bone.stl")
    assert any(item.what == "units" and "0.001 for mm" in item.why for item in doubted.left_out)


def test_an_imported_bone_falls_and_turns(box, tmp_path):
    box.export(tmp_path / "bone.stl")
    model = import_model(tmp_path / "bone.stl", shape="facets").model
    model.gravity = (0.0, 0.0, -9.81)
    model.add(cd.Spherical("hold", model.ground, model["bone"], at=(1.1, 2.0, 3.0)))
    result = cd.simulate(model, end=0.1, dt=1e-3)
    total = result.energy["total"]
    assert np.abs(total - total[0]).max() < 1e-8 * np.abs(result.energy["kinetic"]).max()
    assert result.position("bone")[-1, 2] < 2.99


def test_holes_are_an_error_that_names_the_fix(box, tmp_path):
    box.update_faces(np.arange(len(box.faces)) > 1)
    box.export(tmp_path / "open.stl")
    with pytest.raises(cd.InputError, match=r"it has holes: 4 edges .*fill_holes"):
        import_model(tmp_path / "open.stl")


def test_flipped_triangles_are_an_error_that_names_the_fix(box):
    triangles = np.array(box.faces)
    triangles[3] = triangles[3][::-1]
    with pytest.raises(cd.InputError, match=r"at 3 edges .*fix_normals"):
        Surface(np.array(box.vertices), triangles, "the surface").mass_properties(1.0)
    with pytest.raises(cd.InputError, match="face inwards"):
        Surface(np.array(box.vertices), np.array(box.faces)[:, ::-1], "the surface").mass_properties(1.0)


def test_too_many_triangles_bring_a_hint_and_a_coarse_picture(tmp_path):
    trimesh.creation.icosphere(subdivisions=6, radius=0.1).export(tmp_path / "head.stl")
    made = import_model(tmp_path / "head.stl")
    assert any("simplify_quadric_decimation" in item.why for item in made.left_out)
    assert 500 < len(made.model["head"].faces["cells"]) <= 3000
    assert made.model["head"].mass == pytest.approx(4.0 / 3.0 * np.pi, rel=1e-3)


def test_other_files_are_refused(tmp_path):
    (tmp_path / "text.stl").write_text("this is no surface", encoding="utf-8")
    with pytest.raises(cd.InputError, match=r"text\.stl"):
        import_model(tmp_path / "text.stl")
    with pytest.raises(cd.InputError, match="there is no file"):
        import_model(tmp_path / "gone.stl")


def test_a_mesh_of_cells_is_a_solid(tmp_path):
    from condyle.bodies.mesh_files import write_mesh

    write_mesh(tmp_path / "pad.vtu", cd.Mesh.block((10.0, 20.0, 30.0), (1, 2, 3)))
    made = import_model(tmp_path / "pad.vtu", length=0.001, young=1e6)
    solid = made.model["pad"]
    assert np.ptp(np.array(solid.nodes), axis=0) == pytest.approx([0.01, 0.02, 0.03])
    assert solid.material == cd.NeoHookean(1e6, 0.3, density=1000.0)
    with pytest.raises(cd.InputError, match=r"give young=… \[Pa\]"):
        import_model(tmp_path / "pad.vtu")
