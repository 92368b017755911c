"""Which reader takes which file, for the message about one that was given to another reader."""

from __future__ import annotations

from pathlib import Path

_SURFACE = (
    "a surface of triangles without an inside: give its nodes and triangles (meshio.read) to condyle.FacetSurface, or fill "
    "it with cells in a mesher such as Gmsh and take condyle.Mesh.read"
)
_MESH = "a mesh, read by condyle.Mesh.read"
_MOTION = "a table over time, read by condyle.read_motion"
_RESULT = "a results file, read by condyle.load and `condyle show`"
_READERS = {
    **dict.fromkeys((".json", ".yaml", ".yml"), "a model file, read by condyle.Model.load and `condyle simulate`"),
    ".h5": _RESULT,
    ".hdf5": _RESULT,
    ".csv": _MOTION,
    ".mot": _MOTION,
    ".sto": _MOTION,
    ".trc": "markers over time: write them as .csv with the columns time, name_x, name_y, name_z for condyle.read_motion",
    ".c3d": "markers over time: write them as .csv with the columns time, name_x, name_y, name_z for condyle.read_motion",
    ".osim": "an OpenSim model, which nothing here reads: build it of parts (condyle.Muscle takes the same numbers); its "
    "motions (.mot, .sto) are read by condyle.read_motion",
    **dict.fromkeys((".stl", ".obj", ".ply", ".off"), _SURFACE),
    **dict.fromkeys((".msh", ".vtk", ".vtu", ".inp", ".mesh", ".med"), _MESH),
    ".py": "Python code: `--load` takes files with parts of your own",
}


def said_of(path: str | Path, otherwise: str, *, own: tuple[str, ...]) -> str:
    """What a file is and who reads it, by its name; `otherwise` where the name says nothing or the file is one's `own`."""
    suffix = Path(path).suffix.lower()
    return otherwise if suffix in own or suffix not in _READERS else f"'{suffix}' is {_READERS[suffix]}"
