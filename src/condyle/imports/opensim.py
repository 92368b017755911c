"""OpenSim models (.osim, versions 2 to 4) as models of Condyle."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from condyle.imports.imported import Imported
from condyle.imports.opensim_build import Import, add_bodies, add_couplings, add_joints, add_start
from condyle.imports.opensim_file import OpenSimFile
from condyle.imports.opensim_forces import add_constraints, add_forces, add_held_coordinates
from condyle.imports.opensim_joints import Skeleton, read_skeleton
from condyle.model.motion import MotionTable
from condyle.parts import Model

__all__ = ["read"]


def read(path: Path, *, pose: Mapping[str, float] | MotionTable | None = None, forces: bool = True) -> Imported:
    """The model of an OpenSim file.

    pose: values of coordinates by OpenSim's names [rad or m] in which the model is declared and starts, or a motion, whose
    values at time 0 are taken; others have their default values. forces: with muscles, springs, contact and all else that acts.
    `Imported.coordinates` gives the names here: {'knee_angle_r': 'knee_r.knee_angle_r'}.
    """
    file = OpenSimFile.open(path)
    skeleton = read_skeleton(file)
    gravity = tuple(file.vector(file.model, "gravity", (0.0, -9.80665, 0.0)).tolist())
    model = Model(str(file.model.get("name") or path.stem), gravity=gravity)
    imported = Imported(model, path, f"OpenSim {max(file.version // 10000, 1)}")
    values = skeleton.values(_start(skeleton, pose) if isinstance(pose, MotionTable) else pose)
    work = Import(file, skeleton, imported, values, skeleton.poses(values))
    add_bodies(work)
    add_joints(work)
    add_couplings(work)
    add_start(work)
    add_held_coordinates(work)
    add_constraints(work)
    if forces:
        add_forces(work)
    _note_drawings(file, imported)
    imported.coordinates = dict(work.coordinates)
    imported.names = dict(work.names)
    imported.angles = frozenset(name for name in work.coordinates if skeleton.coordinates[name].turning)
    return imported


def _note_drawings(file: OpenSimFile, imported: Imported) -> None:
    """Say how many meshes that only draw bones were not taken; `mesh_file` since version 4, before it `geometry_file`."""
    one_each = [e.text for tag in ("mesh_file", "geometry_file") for e in file.model.iter(tag)]
    lists = [e.text for e in file.model.iter("geometry_files")]
    count = sum(bool(text and text.strip()) for text in one_each) + sum(len((text or "").split()) for text in lists)
    if count:
        imported.leave_out("Drawing", f"{count} meshes", "they only draw bones, and their files are not read")


def _start(skeleton: Skeleton, motion: MotionTable) -> dict[str, float]:
    """Coordinates at time 0 of a motion [rad or m]."""
    return {
        name: motion.function(name, angle=q.turning)(0.0) for name, q in skeleton.coordinates.items() if name in motion
    }
