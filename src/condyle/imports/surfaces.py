"""Surfaces of triangles from STL, PLY and OBJ files, by trimesh: read, checked, and weighed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.bodies.inertia import MassProperties, of_surface
from condyle.errors import InputError

__all__ = ["ENDINGS", "MANY", "Surface", "read_surface"]

Array = NDArray[np.float64]
ENDINGS = (".stl", ".ply", ".obj", ".off")
MUJOCO = ".msh"  # of the older models of MuJoCo; that of Gmsh is a mesh of cells
MANY = 20_000  # triangles of a rigid body beyond which a coarser surface serves as well


@dataclass(frozen=True)
class Surface:
    """points [m] (n, 3), triangles (t, 3) of their numbers, and how messages name it."""

    points: Array
    triangles: NDArray[np.int64]
    label: str

    def scaled(self, factors: ArrayLike, label: str | None = None) -> Surface:
        """Longer by a factor along each axis; where that mirrors it, triangles are turned over."""
        by = np.broadcast_to(np.asarray(factors, dtype=float), (3,))
        triangles = self.triangles[:, ::-1] if np.prod(by) < 0.0 else self.triangles
        return Surface(self.points * by, triangles, label or self.label)

    def faults(self) -> list[str]:
        """What keeps it from enclosing a volume, each with what mends it; empty if nothing does."""
        edges = self.triangles[:, [0, 1, 1, 2, 2, 0]].reshape(-1, 2)
        _, which, count = np.unique(np.sort(edges, axis=1), axis=0, return_inverse=True, return_counts=True)
        found = []
        if (count == 1).any():
            found.append(
                f"it has holes: {int((count == 1).sum())} edges belong to one triangle only; close them, for example with "
                "trimesh.repair.fill_holes or MeshLab's 'Close Holes'"
            )
        if (count > 2).any():
            found.append(
                f"{int((count > 2).sum())} edges belong to more than two triangles; take doubled and inner triangles out, for "
                "example with MeshLab's 'Remove Duplicate Faces' and 'Repair non Manifold Edges'"
            )
        same_way = np.bincount(which.ravel(), weights=np.where(edges[:, 0] < edges[:, 1], 1.0, -1.0))
        turned = (count == 2) & (same_way != 0.0)
        if turned.any():
            found.append(
                f"at {int(turned.sum())} edges the triangles on both sides face opposite ways; turn them the same way, for "
                "example with trimesh.repair.fix_normals or MeshLab's 'Re-Orient all faces coherently'"
            )
        if not found and of_surface(self.points, self.triangles, 1.0).mass <= 0.0:
            found.append(
                "its triangles face inwards; turn them over, for example with mesh.invert() of trimesh or MeshLab's 'Invert "
                "Faces Orientation'"
            )
        return found

    def is_flat(self) -> bool:
        """Whether all points lie in one plane, so that there is no volume."""
        sizes = np.linalg.svd(self.points - self.points.mean(axis=0), full_matrices=False, compute_uv=False)
        return len(sizes) < 3 or bool(sizes[2] <= 1e-6 * sizes[0])

    def hints(self) -> list[str]:
        """What would serve better, though it can be used as it is."""
        if len(self.triangles) <= MANY:
            return []
        return [
            f"it has {len(self.triangles)} triangles, more than motion, contact and pictures need; make it coarser, for "
            f"example with trimesh's mesh.simplify_quadric_decimation(face_count={MANY // 4})"
        ]

    def hull(self) -> Surface:
        """Its convex hull, with the points that it needs."""
        from scipy.spatial import ConvexHull, QhullError

        try:
            found = ConvexHull(self.points)
        except (QhullError, ValueError):
            raise InputError(f"{self.label}: its {len(self.points)} points do not span a volume") from None
        used, which = np.unique(found.simplices, return_inverse=True)
        points, triangles = self.points[used], which.reshape(-1, 3)
        a, b, c = (points[triangles[:, k]] for k in range(3))
        inward = np.einsum("ti,ti->t", np.cross(b - a, c - a), found.equations[:, :3]) < 0.0
        triangles[inward] = triangles[inward][:, ::-1]
        return Surface(points, triangles, self.label)

    def coarse(self, most: int) -> Surface:
        """With at most so many triangles, for pictures: points in the same cell of a grid become one."""
        coarse, cells = self, 64
        while len(coarse.triangles) > most and cells > 2:
            low, size = self.points.min(axis=0), float(np.ptp(self.points, axis=0).max()) / cells
            keys = np.floor((self.points - low) / size).astype(np.int64)
            _, which = np.unique(keys, axis=0, return_inverse=True)
            which = which.ravel()
            count = np.bincount(which)
            points = np.column_stack([np.bincount(which, weights=x) / count for x in self.points.T])
            triangles = which[self.triangles]
            flat = (triangles == np.roll(triangles, 1, axis=1)).any(axis=1)
            coarse, cells = Surface(points, triangles[~flat], self.label), cells * 3 // 4
        return coarse

    def mass_properties(self, density: float) -> MassProperties:
        """Of what it encloses; an InputError with the fix if it does not enclose anything."""
        faults = self.faults()
        if faults:
            raise InputError(f"{self.label} does not enclose a volume: {'; '.join(faults)}")
        return of_surface(self.points, self.triangles, density)


def read_surface(path: str | Path, *, scale: float | Sequence[float] = 1.0) -> Surface:
    """The triangles of an STL, PLY, OBJ or OFF file; scale: from its unit of length to metres, one factor or three."""
    file = Path(path)
    label = f"the surface '{file}'"
    if not file.is_file():
        raise InputError(f"there is no file '{file}'")
    if file.suffix.lower() == MUJOCO:
        return _of_mujoco(file, label).scaled(scale)
    if file.suffix.lower() not in ENDINGS:
        raise InputError(f"{label}: give a file that ends in {', '.join(ENDINGS)}")
    try:
        import trimesh
    except ImportError:
        raise InputError(f"reading {label} needs trimesh: pip install 'condyle[mesh]'") from None
    try:
        made: Any = trimesh.load(file, force="mesh", process=True)
        points, triangles = np.array(made.vertices, dtype=float), np.array(made.faces, dtype=np.int64)
    except Exception as error:  # trimesh raises whatever its parsers do
        raise InputError(f"{label} cannot be read as {file.suffix[1:].upper()}: {error}") from None
    if not len(triangles):
        raise InputError(f"{label} has no triangles; is it a {file.suffix[1:].upper()} file of a surface?")
    if not np.isfinite(points).all():
        raise InputError(f"{label} has points that are no numbers; export it again")
    a, b, c = (points[triangles[:, k]] for k in range(3))
    flat = np.linalg.norm(np.cross(b - a, c - a), axis=1) <= 1e-14 * float(np.ptp(points, axis=0).max()) ** 2
    return Surface(points, triangles[~flat], label).scaled(scale)


def _of_mujoco(file: Path, label: str) -> Surface:
    """MuJoCo's own mesh: four counts, then points, normals and places in a texture, then triangles."""
    data = file.read_bytes()
    counts = np.frombuffer(data[:16], "<i4")
    if len(counts) == 4 and counts.min() >= 0:
        points, normals, textured, triangles = map(int, counts)
        start = 16 + 4 * (3 * points + 3 * normals + 2 * textured)
        if triangles and len(data) == start + 12 * triangles:
            places = np.frombuffer(data, "<f4", 3 * points, 16).reshape(-1, 3).astype(float)
            corners = np.frombuffer(data, "<i4", 3 * triangles, start).reshape(-1, 3).astype(np.int64)
            if np.isfinite(places).all() and corners.min() >= 0 and corners.max() < points:
                places, which = np.unique(places, axis=0, return_inverse=True)  # corners of triangles are one point
                return Surface(places, which.ravel()[corners], label)
    raise InputError(f"{label} is no mesh of MuJoCo; write it as STL or OBJ")
