"""Rigid bodies and solids as polygons for ParaView."""

import numpy as np
import pytest

import condyle as cd
from vtk_files import vtk_numbers, vtk_piece

MESH = cd.Mesh.block((0.4, 0.2, 0.2), (2, 1, 1))
BONE = cd.StVenantKirchhoff(1e7, 0.3, density=1000.0)
BODIES = {
    "box": (lambda: cd.RigidBody.box("body", (0.4, 0.2, 0.1), 1000.0), 6, 2 * (0.08 + 0.04 + 0.02), 0.008),
    "cylinder": (lambda: cd.RigidBody.cylinder("body", 0.1, 0.5, 1000.0), 26, None, 0.5 * np.pi * 0.01),
    "ball": (lambda: cd.RigidBody.ball("body", 0.2, 1000.0), 24 * 12, None, 4 / 3 * np.pi * 0.008),
    "mesh": (lambda: cd.RigidBody.from_mesh("body", MESH.nodes, MESH.cells, 1000.0, element="hex8"), 10, 0.4, 0.016),
    "quadratic mesh": (
        lambda: cd.RigidBody.from_mesh("body", QUADRATIC.nodes, QUADRATIC.cells, 1000.0, element="hex20"),
        10,
        0.4,
        0.016,
    ),
    "solid": (lambda: cd.Solid.from_mesh("body", MESH, BONE), 10, 0.4, 0.016),
    "pseudo-rigid": (lambda: cd.PseudoRigidBody.box("body", (0.4, 0.2, 0.1), 1000.0, material=BONE), 6, 0.28, 0.008),
}
QUADRATIC = MESH.converted("hex20")


def polygons(piece):
    """Corners of each polygon, shape (corners, 3)."""
    points = vtk_numbers(piece.find("Points/DataArray")).reshape(-1, 3)
    numbers, ends = (vtk_numbers(array) for array in piece.findall("Polys/DataArray"))
    return [points[cell] for cell in np.split(numbers, ends[:-1])]


@pytest.mark.parametrize("kind", BODIES)
def test_a_body_is_written_as_a_closed_surface_that_moves_with_it(kind, tmp_path):
    make, count, area, volume = BODIES[kind]
    model = cd.Model(gravity=(0, 0, -9.81))
    model.add(make())
    result = cd.simulate(model, end=0.1, dt=0.05)
    cd.write_vtk(result, tmp_path / "run.pvd", count=2)
    for frame, drop in ((0, 0.0), (1, 0.5 * 9.81 * 0.01)):
        piece = vtk_piece(tmp_path / f"run_{frame:04d}.vtp")
        faces = polygons(piece)
        assert len(faces) == int(piece.get("NumberOfPolys")) == count
        fans = [(f[0], f[k], f[k + 1]) for f in faces for k in range(1, len(f) - 1)]
        normals = np.array([0.5 * np.cross(b - a, c - a) for a, b, c in fans])
        assert normals.sum(axis=0) == pytest.approx(np.zeros(3), abs=1e-9)  # closed
        inside = sum(float(np.dot(a, np.cross(b, c))) for a, b, c in fans) / 6.0
        assert inside == pytest.approx(volume, rel=0.04) and inside > 0.0  # seen from outside
        if area is not None:
            assert np.linalg.norm(normals, axis=1).sum() == pytest.approx(area, rel=1e-9)
        fall = vtk_numbers(piece.find("PointData/DataArray[@Name='displacement']")).reshape(-1, 3)
        assert fall[:, 2] == pytest.approx(-drop, abs=1e-6)


def test_faces_of_ones_own_go_into_the_model_file(tmp_path):
    faces = {
        "points": [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)],
        "cells": [(0, 2, 1), (0, 1, 3), (1, 2, 3), (0, 3, 2)],
    }
    model = cd.Model()
    model.add(cd.RigidBody("bone", 1.0, inertia=(1, 1, 1), faces=faces))
    model.save(tmp_path / "model.json")
    again = cd.Model.load(tmp_path / "model.json")
    cd.write_vtk(cd.simulate(again, end=0.1, dt=0.1), tmp_path / "run.pvd", count=1)
    assert len(polygons(vtk_piece(tmp_path / "run_0000.vtp"))) == 4
    for wrong in (
        {"points": [(0, 0, 0)], "cells": [(0, 1, 2)]},
        {"points": [(0, 0)]},
        "mesh",
        {"points": [1], "cells": []},
    ):
        with pytest.raises(cd.InputError, match="'bone': faces are"):
            cd.RigidBody("bone", 1.0, inertia=(1, 1, 1), faces=wrong)
