"""Meshes of geometry files (.geo, .step, .stp, .iges, .brep), made by Gmsh."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from condyle.bodies.mesh import Mesh
from condyle.bodies.mesh_files import read_mesh
from condyle.errors import InputError

KINDS = (".geo", ".step", ".stp", ".iges", ".igs", ".brep")


def mesh_geometry(path: str | Path, size: float | None, order: int, region: str | None) -> Mesh:
    """The mesh of a geometry file, see `Mesh.from_geometry`."""
    label = f"geometry file '{path}'"
    if not Path(path).exists():
        raise InputError(f"{label} does not exist")
    if Path(path).suffix.lower() not in KINDS:
        raise InputError(f"{label}: its kind is not known; use {', '.join(KINDS)}, or Mesh.read for a mesh")
    if order not in (1, 2):
        raise InputError(f"{label}: order must be 1 (straight elements) or 2 (quadratic), not {order!r}")
    if size is not None and not size > 0.0:
        raise InputError(f"{label}: size must be a positive length [m], not {size!r}")
    try:
        import gmsh

        gmsh.initialize(interruptible=False)
    except (ImportError, OSError, AttributeError) as error:  # not installed, or a library is missing
        raise InputError(f"meshing geometry needs Gmsh: pip install 'condyle[gmsh]' ({error})") from None
    with tempfile.TemporaryDirectory() as folder:
        mesh = Path(folder) / "mesh.msh"
        try:
            gmsh.option.setNumber("General.Terminal", 0)
            gmsh.open(str(path))
            if size is not None:
                gmsh.option.setNumber("Mesh.MeshSizeMax", size)
                gmsh.option.setNumber("Mesh.MeshSizeMin", min(size, gmsh.option.getNumber("Mesh.MeshSizeMin") or size))
            gmsh.option.setNumber("Mesh.ElementOrder", order)
            gmsh.option.setNumber("Mesh.SecondOrderIncomplete", 1)
            _name_all(gmsh)
            gmsh.model.mesh.generate(gmsh.model.getDimension())
            gmsh.write(str(mesh))
        except Exception as error:  # Gmsh raises plain exceptions
            raise InputError(f"{label} cannot be meshed: {error}") from None
        finally:
            gmsh.finalize()
        return read_mesh(mesh, region)


def _name_all(gmsh: Any) -> None:
    """Where the geometry names nothing, its pieces are 'region 1', …, and their sides 'surface 1', …"""
    if gmsh.model.getPhysicalGroups():
        return
    dimension = gmsh.model.getDimension()
    for what, d in (("region", dimension), ("surface", dimension - 1)):
        for _, tag in gmsh.model.getEntities(d):
            gmsh.model.addPhysicalGroup(d, [tag], name=f"{what} {tag}")
