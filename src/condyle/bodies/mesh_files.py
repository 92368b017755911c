"""Mesh files, through meshio: cells of one or several kinds, with the names the file gives to parts of the mesh."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from condyle.bodies.elements import ELEMENTS, LINES
from condyle.bodies.mesh import Mesh
from condyle.errors import InputError
from condyle.model.part import did_you_mean
from condyle.model.readers import said_of

SURFACES = (".stl", ".obj", ".ply", ".off")  # of triangles


def read_mesh(path: str | Path, region: str | None = None) -> Mesh:
    """The mesh in a file, checked; see `Mesh.read`."""
    label = f"mesh file '{path}'"
    meshio = with_meshio("reading mesh files")
    if not Path(path).exists():
        raise InputError(f"{label} does not exist")
    if Path(path).suffix.lower() not in meshio.extension_to_filetypes or Path(path).suffix.lower() in SURFACES:
        otherwise = "give a file of a mesher, such as .msh, .inp or .vtu"
        raise InputError(f"{label} holds no cells with an inside: {said_of(path, otherwise, own=())}")
    try:
        data = meshio.read(path)
    except (Exception, SystemExit) as error:  # meshio leaves the interpreter on some bad files
        raise InputError(f"{label} cannot be read: {error}") from None
    ours = _own_names()
    blocks = [(k, ours.get(b.type, b.type), np.asarray(b.data, dtype=np.int64)) for k, b in enumerate(data.cells)]
    kinds = {kind for _, kind, _ in blocks if kind in ELEMENTS}
    if not kinds:
        found = ", ".join(sorted({kind for _, kind, _ in blocks})) or "none"
        raise InputError(f"{label}: no cells of a kind that is supported ({', '.join(ELEMENTS)}); it holds {found}")
    d = max(ELEMENTS[kind].dimension for kind in kinds)
    volumes = [b for b in blocks if b[1] in ELEMENTS and ELEMENTS[b[1]].dimension == d]
    names = list(dict.fromkeys(b[1] for b in volumes))
    volumes.sort(key=lambda b: names.index(b[1]))  # cells are numbered kind by kind
    offsets = dict(
        zip([b[0] for b in volumes], np.cumsum([0] + [len(b[2]) for b in volumes[:-1]]).tolist(), strict=True)
    )
    cells = {name: np.vstack([b[2] for b in volumes if b[1] == name]) for name in names}
    sides = {side.name for name in names for side in ELEMENTS[name].sides}
    regions: dict[str, Any] = {}
    surfaces: dict[str, Any] = {}
    for name, k, members in _named_cells(data):
        if k in offsets:
            regions.setdefault(name, []).extend((offsets[k] + members).tolist())
        elif blocks[k][1] in sides:
            surfaces.setdefault(name, []).extend(blocks[k][2][members].tolist())
    sets = {name: np.asarray(members).tolist() for name, members in data.point_sets.items()}
    for name, faces in surfaces.items():
        sets.setdefault(name, sorted({i for face in faces for i in face}))
    X = np.asarray(data.points, dtype=float)
    if d == 2 and X.shape[1] == 3:
        if np.ptp(X[:, 2]) > 1e-9 * np.ptp(X):
            raise InputError(f"{label}: {', '.join(names)} cells of a curved surface; a plane mesh has one z")
        X = X[:, :2]
    if region is not None:
        if region not in regions:
            raise InputError(f"{label}: there is no region '{region}'{did_you_mean(region, regions)}")
        keep = np.array(sorted(regions[region]))
        regions = {n: np.flatnonzero(np.isin(keep, m)).tolist() for n, m in regions.items()}
        ends = np.cumsum([0, *(len(rows) for rows in cells.values())])
        chosen = [keep[(keep >= a) & (keep < b)] - a for a, b in pairwise(ends)]
        cells = {name: rows[k] for (name, rows), k in zip(cells.items(), chosen, strict=True) if len(k)}
    return _compact(Mesh.of_blocks(X, cells, sets, surfaces, regions)).check(label)


def _own_names() -> dict[str, str]:
    """Our names of elements by those of meshio."""
    return {e.file_name: e.name for e in (*LINES.values(), *ELEMENTS.values())}


def write_mesh(path: str | Path, mesh: Mesh) -> None:
    """Write a mesh with its node sets; the kind of file follows from the name."""
    meshio = with_meshio("writing mesh files")
    X = mesh.nodes if mesh.nodes.shape[1] == 3 else np.pad(mesh.nodes, ((0, 0), (0, 1)))
    cells = [(b.kind.file_name, b.cells) for b in mesh.blocks]
    made = meshio.Mesh(X, cells, point_sets={k: np.asarray(v) for k, v in mesh.sets.items()})
    try:
        made.write(
            path, file_format="gmsh22" if Path(path).suffix == ".msh" else None
        )  # not Ansys, which has no middles
    except KeyError as error:
        raise InputError(f"mesh file '{path}': its format has no cells {error}; write .msh or .vtu") from None


def with_meshio(what: str) -> Any:
    """The package meshio; what: for what it is needed."""
    try:
        import meshio
    except ImportError:
        raise InputError(f"{what} needs meshio: pip install 'condyle[mesh]'") from None
    for kind in ELEMENTS.values():  # meshio 5.3 knows the name wedge15, but not its dimension
        meshio._mesh.topological_dimension.setdefault(kind.file_name, kind.dimension)
    return meshio


def _named_cells(data: Any) -> list[tuple[str, int, Any]]:
    """(name, block, members) of every named group of cells: cell sets, and the physical groups of Gmsh."""
    found = []
    for name, per_block in data.cell_sets.items():
        if not name.startswith("gmsh:"):
            for k, members in enumerate(per_block):
                if members is not None and len(members):
                    found.append((name, k, np.asarray(members, dtype=np.int64)))
    physical = data.cell_data.get("gmsh:physical")
    names = {(int(tag), int(dim)): name for name, (tag, dim) in data.field_data.items()}
    known, ours = {(name, k) for name, k, _ in found}, _own_names()
    for k, block in enumerate(data.cells):
        if physical is not None:
            for tag in np.unique(physical[k]):
                name = names.get((int(tag), block.dim), f"{ours.get(block.type, block.type)} {int(tag)}")
                if (name, k) not in known:
                    found.append((name, k, np.flatnonzero(physical[k] == tag)))
    return found


def _compact(mesh: Mesh) -> Mesh:
    """Without nodes that no cell uses (geometry points of mesh files), and without what then is empty."""
    used = np.unique(np.concatenate([b.cells.ravel() for b in mesh.blocks]))
    new = np.full(len(mesh.nodes), -1, dtype=np.int64)
    new[used] = np.arange(len(used))
    sets = {name: new[np.asarray(m, dtype=np.int64)] for name, m in mesh.sets.items()}
    sets = {name: m[m >= 0] for name, m in sets.items() if (m >= 0).any()}
    surfaces = {
        name: [new[face].tolist() for face in map(np.asarray, faces) if (new[face] >= 0).all()]
        for name, faces in mesh.surfaces.items()
    }
    surfaces = {name: faces for name, faces in surfaces.items() if faces}
    regions = {name: m for name, m in mesh.regions.items() if len(m)}
    cells = {b.kind.name: new[b.cells] for b in mesh.blocks}
    return Mesh.of_blocks(mesh.nodes[used], cells, sets, surfaces, regions)


__all__ = ["read_mesh", "with_meshio", "write_mesh"]
