"""The walking hip: half a stride of Hovey's coupled model in real time, and its liner pressed, beside felupe.

python benchmarks/hip.py                         all of it
python benchmarks/hip.py felupe plane            one engine and liner: a line of JSON

The run is that of `condyle run hip-gait` without muscles, as the source steps it, with its results file. The static solve moves
the inner surface of the liner as one into it, in one load step; mesh and law (neo-Hookean) are the same in both programs, the
meshes of the plane (384 quadrilaterals) and of a half sphere (1728 hexahedra). There is no goal: the numbers inform.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

YOUNG, POISSON, PUSH = 974e6, 0.46, 5e-5
INNER, OUTER = 0.014, 0.022
LINERS = ("plane", "half sphere")


@dataclass
class PressRow:
    """One engine and liner: unknowns, milliseconds of the whole static solve, Newton iterations, mean displacement [µm]."""

    engine: str
    liner: str
    unknowns: int
    time: float
    iterations: int
    displacement: float


@dataclass
class StrideRow:
    """The coupled run: simulated over wall time, milliseconds of a step, and the shares of a step [%]."""

    factor: float
    step: float
    iterations: float
    shares: dict[str, float]


def mesh_of(liner: str) -> Any:
    """The mesh, with its sets 'inner' and 'outer'."""
    import condyle as cd

    if liner == "plane":
        return cd.Mesh.annulus(INNER, OUTER, (8, 48), angle=np.pi)
    return cd.Mesh.cup(INNER, OUTER, (12, 4)).mapped(lambda X: X * (1.0, -1.0, -1.0))


def best(action: Callable[[], Any], least: float = 1.0) -> tuple[float, Any]:
    """Shortest time of an action [ms], repeated for at least `least` seconds, and what it returned."""
    result = action()
    shortest, began = np.inf, time.perf_counter()
    while time.perf_counter() - began < least:
        start = time.perf_counter()
        result = action()
        shortest = min(shortest, time.perf_counter() - start)
    return 1e3 * shortest, result


def press_condyle(liner: str) -> PressRow:
    """A frame that moves carries the inner nodes along."""
    import condyle as cd

    mesh = mesh_of(liner)
    d = mesh.nodes.shape[1]
    m = cd.Model("liner", dimension=d)
    options = {"thickness": 0.01} if d == 2 else {}
    solid = m.add(cd.Solid.from_mesh("liner", mesh, cd.NeoHookean(YOUNG, POISSON, 1.0), **options))
    shift = (*(0.0,) * (d - 1), cd.Ramp(0.0, 1.0, 0.0, PUSH))
    head = m.add(cd.Frame("head", shift=shift))
    m.add(cd.Tie("shell", solid, "outer", m.ground))
    m.add(cd.Tie("bond", solid, "inner", head))
    system = cd.compile(m)
    taken, result = best(lambda: cd.solve_static(system, steps=1))
    mean = 1e6 * float(np.linalg.norm(result.fields("liner").displacement, axis=1).mean())
    return PressRow("condyle", liner, system.unknowns, taken, int(result.iterations[-1]), mean)


def press_felupe(liner: str) -> PressRow:
    """The same nodes with prescribed displacements."""
    import felupe as fem

    mesh = mesh_of(liner)
    d = mesh.nodes.shape[1]
    grid = fem.Mesh(mesh.nodes, mesh.cells, "quad" if d == 2 else "hexahedron")
    region = (fem.RegionQuad if d == 2 else fem.RegionHexahedron)(grid)
    field = fem.FieldContainer([fem.FieldPlaneStrain(region, dim=2) if d == 2 else fem.Field(region, dim=3)])
    mu = YOUNG / (2 * (1 + POISSON))
    body = fem.SolidBody(fem.NeoHookeCompressible(mu=mu, lmbda=2 * mu * POISSON / (1 - 2 * POISSON)), field)
    held = {name: np.isin(np.arange(len(mesh.nodes)), mesh.sets[name]) for name in ("inner", "outer")}
    bounds = {"shell": fem.Boundary(field[0], mask=held["outer"])}
    for k in range(d):
        skip = tuple(j != k for j in range(d))
        bounds[f"head {k}"] = fem.Boundary(field[0], mask=held["inner"], skip=skip, value=PUSH if k == d - 1 else 0.0)
    dof0, dof1 = fem.dof.partition(field, bounds)
    ext0 = fem.dof.apply(field, bounds, dof0)

    def solve() -> Any:
        field[0].values[:] = 0.0
        return fem.newtonraphson(items=[body], dof0=dof0, dof1=dof1, ext0=ext0, tol=1e-10, verbose=False)

    taken, result = best(solve)
    mean = 1e6 * float(np.linalg.norm(field[0].values, axis=1).mean())
    return PressRow("felupe", liner, len(dof1), taken, int(result.iterations), mean)


ENGINES = {"condyle": press_condyle, "felupe": press_felupe}


def stride() -> StrideRow:
    """The coupled run; output is what writing the results file adds."""
    import condyle as cd
    from condyle.studies import hip_gait

    p = hip_gait.STUDY.values()
    method = cd.Newmark(beta=0.3025, gamma=0.6, hold="positions")

    def run(file: Path | None = None) -> Any:
        model = hip_gait.coupled(p)
        began = time.perf_counter()
        result = cd.simulate(model, end=p.end, dt=p.dt, integrator=method, start="zero-acceleration", file=file)
        return time.perf_counter() - began, result

    run()
    with tempfile.TemporaryDirectory() as folder:
        wall = min(run(Path(folder) / f"run {k}.h5")[0] for k in range(3))
    bare, result = min((run() for _ in range(3)), key=lambda found: found[0])
    step = 1e3 * wall / result.steps
    of_step = {"laws": 0.0, "contact": 0.0, "factorisation": 0.0}
    for phase in cd.profile(result):
        kind = "laws" if phase.name.startswith(("laws", "gather")) else phase.name
        kind = "factorisation" if phase.name.startswith(("factor", "solve")) else kind
        if kind in of_step:
            of_step[kind] += 1e3 * phase.total
    of_step["output"] = max(0.0, step - 1e3 * bare / result.steps)
    of_step["rest"] = max(0.0, step - sum(of_step.values()))
    shares = {name: 100.0 * value / step for name, value in of_step.items()}
    return StrideRow(p.end / wall, step, float(np.mean(result.iterations[1:])), shares)


def measured() -> tuple[StrideRow, list[PressRow]]:
    """The run, and all engines that are installed, each in a process of its own."""
    rows = []
    for liner in LINERS:
        for name in ENGINES:
            done = subprocess.run([sys.executable, __file__, name, liner], capture_output=True, text=True)
            if done.returncode == 0:
                rows.append(PressRow(**json.loads(done.stdout.splitlines()[-1])))
            else:
                print(f"{name}, liner of the {liner}: {done.stderr.strip().splitlines()[-1]}")
    return stride(), rows


COLUMNS = ("hip", "engine", "unknowns", "time ms", "iterations", "of felupe's", "what else")


def cells(run: StrideRow | None, rows: list[PressRow]) -> list[tuple[str, ...]]:
    """The rows of the table."""
    made = []
    if run is not None:
        shares = ", ".join(f"{name} {share:.0f} %" for name, share in run.shares.items())
        what = f"{run.factor:.2g} times real time; {shares}"
        made.append(("a step of the coupled walk", "condyle", "", f"{run.step:.3g}", f"{run.iterations:.1f}", "", what))
    for row in rows:
        other = [r for r in rows if r.engine == "felupe" and r.liner == row.liner]
        ratio = f"{row.time / other[0].time:.3g}" if other and row.engine == "condyle" else ""
        made.append((f"liner pressed, {row.liner}", row.engine, f"{row.unknowns:,}", f"{row.time:.4g}", f"{row.iterations}",
                     ratio, f"mean displacement {row.displacement:.6g} µm"))  # fmt: skip
    return made


def main() -> None:
    """One engine and liner as JSON, or everything as lines."""
    if len(sys.argv) == 3:
        print(json.dumps(asdict(ENGINES[sys.argv[1]](sys.argv[2]))))
        return
    for line in (COLUMNS, *cells(*measured())):
        print("  ".join(f"{cell:>12s}" for cell in line))


if __name__ == "__main__":
    main()
