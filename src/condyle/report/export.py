"""Results for other programs, by the ending of the file: `result.export("run.glb")` and `condyle export`."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from condyle.errors import InputError

if TYPE_CHECKING:
    from condyle.results.result import Result

__all__ = ["add_export_options", "export", "export_file"]

ENDINGS = {
    ".glb": "glTF animation",
    ".csv": "table",
    ".parquet": "table",
    ".sto": "OpenSim storage",
    ".mot": "OpenSim storage",
    ".pvd": "VTK series for ParaView",
}


def export(result: Result, path: str | Path, **options: Any) -> Path:
    """Write a result for another program, by the ending of the path; returns the path.

    .glb: `write_gltf`; .csv, .parquet: `to_csv`, `to_parquet`; .sto, .mot: `to_sto`; .pvd: `write_vtk`. Options are theirs.
    """
    from condyle.report.gltf import write_gltf
    from condyle.results.vtk import write_vtk

    file = Path(path)
    ending = file.suffix.lower()
    if ending not in ENDINGS:
        known = ", ".join(f"{end} ({what})" for end, what in ENDINGS.items())
        raise InputError(f"'{file}' does not say what to write; give it one of these endings: {known}")
    if not file.parent.is_dir():
        raise InputError(f"cannot write '{file}': there is no folder '{file.parent}'; make it first")
    if ending == ".glb":
        return write_gltf(result, file, **options)
    if ending == ".pvd":
        return write_vtk(result, file, **options)
    if ending in (".sto", ".mot"):
        return result.to_sto(file, **options)
    contents = options.pop("contents", ())
    write = result.to_csv if ending == ".csv" else result.to_parquet
    return write(file, *([contents] if isinstance(contents, str) else contents), **options)


def add_export_options(parser: argparse.ArgumentParser) -> None:
    """The arguments of `condyle export`."""
    parser.add_argument("file", type=Path, metavar="RESULT", help="results file (.h5)")
    parser.add_argument(
        "-o", "--out", type=Path, required=True, metavar="FILE", help=f"file to write: {', '.join(ENDINGS)}"
    )
    parser.add_argument("--frames", type=int, metavar="N", help="of pictures: write at most N frames")
    parser.add_argument(
        "--contents",
        nargs="+",
        default=[],
        metavar="WHAT",
        help="of tables: coordinates, speeds, forces, activations, bodies",
    )
    parser.add_argument("--degrees", action="store_true", help="of .sto and .mot: angles in degrees")
    parser.add_argument("--overwrite", action="store_true", help="replace a file that exists")
    parser.add_argument("--json", action="store_true", help="the file that was written and its size as JSON")
    parser.add_argument(
        "--allow-code", action="store_true", help="import functions that a model names; only if you trust it"
    )


def export_file(options: argparse.Namespace) -> int:
    """``condyle export RESULT -o run.glb``"""
    import condyle

    out: Path = options.out
    if out.exists() and not options.overwrite:
        raise InputError(f"'{out}' is there already; give --overwrite to replace it")
    ending = out.suffix.lower()
    given: dict[str, Any] = {}
    if ending in (".glb", ".pvd") and options.frames is not None:
        given["count"] = options.frames
    if ending in (".csv", ".parquet"):
        given["contents"] = options.contents
    if ending in (".sto", ".mot"):
        if len(options.contents) > 1:
            raise InputError(f"'{out}': a storage file has one kind of contents, not {len(options.contents)}")
        given |= {"degrees": options.degrees} | ({"contents": options.contents[0]} if options.contents else {})
    result = condyle.load(options.file, allow_code=options.allow_code)
    written = export(result, out, **given)
    size = written.stat().st_size
    if options.json:
        told = {"written": str(written), "kind": ENDINGS[ending], "bytes": size}
        print(json.dumps(told, ensure_ascii=False))
    else:
        print(f"written: {written} ({ENDINGS[ending]}, {size / 1e6:.2f} MB)")
    return 0
