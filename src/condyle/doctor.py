"""``condyle doctor``: is everything there that a run needs, what is missing, and the command that installs it."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
from dataclasses import dataclass
from importlib.util import find_spec

__all__ = ["Finding", "findings"]

NEEDED = {
    "numpy": "arrays", "scipy": "sparse matrices, reference integrators", "numba": "compiled steps", "h5py": "results files",
    "matplotlib": "figures", "rich": "tables and progress", "pint": "units", "ruamel.yaml": "model files",
}  # fmt: skip
# What more a package gives, and the extra of Condyle that brings it.
MORE = {
    "pypardiso": ("the fastest linear solver for large solids", "pardiso"),
    "pandas": ("results as tables", "tables"),
    "xarray": ("results as labelled arrays", "tables"),
    "pyarrow": ("tables as Parquet files", "parquet"),
    "meshio": ("mesh files, VTK files of solids", "mesh"),
    "trimesh": ("STL, PLY and OBJ files as rigid bodies", "mesh"),
    "gmsh": ("meshes by Gmsh", "gmsh"),
    "distributed": ("sweeps on a Dask cluster", "dask"),
    "cma": ("a global search for identifications", "cma"),
    "ezc3d": ("motions from C3D files", "c3d"),
    "imageio-ffmpeg": ("animations as .mp4 where there is no ffmpeg", "video"),
}
PROGRAMS = {"ffmpeg": "animations as .mp4 (.gif and .html need nothing)", "chromium": "tests of pages in a browser"}
INSTEAD = {"ffmpeg": ("video", "imageio-ffmpeg")}  # a program -> the extra and the package that brings it


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at: ok (True), missing though it is needed (False), or missing and not needed (None)."""

    name: str
    ok: bool | None
    found: str
    fix: str = ""


def findings() -> list[Finding]:
    """Versions, what is missing with the command that installs it, the kernel cache, threads."""
    out = [Finding("python", True, f"{platform.python_version()} on {platform.platform()}")]
    for package, use in NEEDED.items():
        version = _version(package)
        fix = "" if version else f"pip install {package}"
        out.append(Finding(package, bool(version), version or f"missing: {use}", fix))
    for package, (use, extra) in MORE.items():
        version = _version(package)
        fix = "" if version else f"pip install 'condyle[{extra}]'"
        out.append(Finding(package, True if version else None, version or f"not installed: {use}", fix))
    for program, use in PROGRAMS.items():
        path = shutil.which(program)
        extra, instead = INSTEAD.get(program, ("", ""))
        if not path and instead and _version(instead):
            out.append(Finding(program, True, f"that of {instead}"))
            continue
        fix = f"pip install 'condyle[{extra}]'" if extra and not path else ""
        out.append(Finding(program, True if path else None, path or f"not found: {use}", fix))
    return [*out, _solvers(), *_kernels(), _threads()]


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return ""


def _solvers() -> Finding:
    names = ["dense", "band", "SuperLU", "multifrontal", "multigrid"] + (["PARDISO"] if find_spec("pypardiso") else [])
    return Finding("linear solvers", True, ", ".join(names))


def _kernels() -> list[Finding]:
    from condyle.laws.kernel import cache_folder, is_warm

    folder = cache_folder().parent
    there = folder if folder.exists() else next(p for p in folder.parents if p.exists())
    if not os.access(there, os.W_OK):
        fix = "export CONDYLE_CACHE=<a folder you may write to>"
        return [Finding("compiled kernels", False, f"'{folder}' cannot be written: every run would compile anew", fix)]
    state = "warm" if is_warm() else "empty: the first run compiles"
    used = sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) / 1e6 if folder.exists() else 0.0
    free = shutil.disk_usage(there).free / 1e9
    enough = free > 0.5
    return [
        Finding("compiled kernels", True, f"{folder} ({state}, {used:.0f} MB)", "" if is_warm() else "condyle warmup"),
        Finding("disk", enough, f"{free:.1f} GB free", "" if enough else "make room: kernels and results need some"),
    ]


def _threads() -> Finding:
    """Processors, and the variables that keep Condyle or its libraries to fewer threads."""
    known = ("CONDYLE_THREADS", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")
    given = {name: os.environ[name] for name in known if name in os.environ}
    told = ", ".join(f"{name}={value}" for name, value in given.items())
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return Finding("threads", True, f"{cores} processor{'s' * (cores > 1)}" + (f"; {told}" if told else ""))
