"""Shapes as VTK files for ParaView: one PolyData file per frame, its numbers binary, and a collection with the times."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.bodies.capabilities import Shown
from condyle.errors import InputError
from condyle.results.shapes import chosen_frames, gathered, path_lines

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from condyle.results.result import Result
    from condyle.system.weights import Weights


def write_vtk(result: Result, path: str | Path, times: Sequence[float] | None = None, *, count: int = 50) -> Path:
    """Write the outlines and faces (polygons) of all bodies at some times [s], by default `count` evenly spread ones.

    path: name of the collection, ending in .pvd; frames go beside it. Points carry their displacement and velocity (not along
    muscles and ligaments: 0), cells the number of their body (−1: a muscle, ligament or actuator along its path) and the
    tension [N] of the path (0 for bodies). Returns the path.
    """
    file = Path(path)
    if file.suffix != ".pvd":
        raise InputError(f"write_vtk: '{file}' must end in .pvd; frames are written beside it as .vtp")
    shown = _Shown(result)
    paths = [path for path, _ in path_lines(result.system)]
    if not shown.count and not paths:
        raise InputError("write_vtk: the model has no body with an outline to draw")
    tensions = [result.path(path.part)["tension"] for path in paths]
    frames = chosen_frames(result, times, min(count, len(result.times)))
    file.parent.mkdir(parents=True, exist_ok=True)
    first = shown.gather @ np.asarray(result._store.frame("x", 0))
    entries = []
    for number, frame in enumerate(frames):
        stored = int(result._frames[frame])
        x, v = (np.asarray(result._store.frame(name, stored)) for name in ("x", "v"))
        places, rates = shown.gather @ x, shown.gather @ v
        moved, lines = places - first, list(shown.lines)
        for line in (path.at(x) for path in paths):
            lines.append(list(range(len(places), len(places) + len(line))))
            places = np.vstack((places, line))
        moved, rates = (np.vstack((a, np.zeros((len(places) - len(a), a.shape[1])))) for a in (moved, rates))
        body = [*shown.line_body, *[-1] * len(paths), *shown.polygon_body]
        tension = [0.0] * len(shown.lines) + [float(t[frame]) for t in tensions] + [0.0] * len(shown.polygons)
        name = f"{file.stem}_{number:04d}.vtp"
        text = _poly_data(places, {"displacement": moved, "velocity": rates}, lines, shown.polygons, body, tension)
        (file.parent / name).write_text(text, encoding="ascii")
        entries.append(f'<DataSet timestep="{result.times[frame]:.10g}" file="{name}"/>')
    file.write_text(
        '<?xml version="1.0"?>\n<VTKFile type="Collection" version="0.1" byte_order="LittleEndian">\n<Collection>\n'
        + "\n".join(entries) + "\n</Collection>\n</VTKFile>\n", encoding="ascii",
    )  # fmt: skip
    return file


class _Shown:
    """What is written of the bodies: points as one matrix, lines and polygons as numbers of points, and whose they are."""

    def __init__(self, result: Result) -> None:
        points: list[Weights] = []
        self.lines: list[list[int]] = []
        self.polygons: list[list[int]] = []
        self.line_body: list[int] = []
        self.polygon_body: list[int] = []
        for number, body in enumerate(result.model.bodies):
            anchor: Any = result.system.anchors[body.name]
            for line in anchor.outline():
                self.lines.append(list(range(len(points), len(points) + len(line))))
                self.line_body.append(number)
                points += line
            corners, cells = anchor.polygons() if isinstance(anchor, Shown) else ([], [])
            self.polygons += [[len(points) + k for k in cell] for cell in cells]
            self.polygon_body += [number] * len(cells)
            points += corners
        self.count, self.gather = len(points), gathered(points, result.system.n)


def _poly_data(
    points: NDArray[np.float64],
    fields: dict[str, Any],
    lines: Any,
    polygons: Any,
    owner: list[int],
    tension: list[float],
) -> str:
    n = len(points)

    def array(name: str, values: Any, width: int = 1, kind: str = "Float64") -> str:
        raw = np.ravel(values).astype("<i8" if kind == "Int64" else "<f8").tobytes()
        coded = base64.b64encode(np.uint64(len(raw)).astype("<u8").tobytes() + raw).decode("ascii")
        return (
            f'<DataArray type="{kind}" Name="{name}" NumberOfComponents="{width}" format="binary">{coded}</DataArray>'
        )

    def cells(tag: str, items: Any) -> str:
        ends = np.cumsum([len(i) for i in items], dtype=int).tolist() if items else []
        flat = [v for item in items for v in item]
        return f"<{tag}>{array('connectivity', flat, 1, 'Int64')}{array('offsets', ends, 1, 'Int64')}</{tag}>"

    data = "".join(array(name, _in_space(v), 3) for name, v in fields.items())
    return (
        '<?xml version="1.0"?>\n'
        '<VTKFile type="PolyData" version="1.0" byte_order="LittleEndian" header_type="UInt64"><PolyData>'
        f'<Piece NumberOfPoints="{n}" NumberOfVerts="0" NumberOfLines="{len(lines)}" NumberOfStrips="0" '
        f'NumberOfPolys="{len(polygons)}">\n<PointData>{data}</PointData>\n'
        f"<CellData>{array('body', owner, 1, 'Int64')}{array('tension', tension)}</CellData>\n"
        f"<Points>{array('points', _in_space(points), 3)}</Points>\n{cells('Lines', lines)}\n{cells('Polys', polygons)}\n"
        "</Piece></PolyData></VTKFile>\n"
    )


def _in_space(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return values if values.shape[1] == 3 else np.column_stack((values, np.zeros(len(values))))
