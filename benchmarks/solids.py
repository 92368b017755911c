"""A Newton iteration of a hyperelastic block of hex8, beside other finite element programs on the same mesh and law.

python benchmarks/solids.py                      all sizes and engines that are installed
python benchmarks/solids.py condyle 14           one engine, cells per side: a line of JSON

Each engine gets a process of its own for each size, so that its peak memory is its own. felupe assembles by NumPy and solves
with SciPy's SuperLU; KratosMultiphysics assembles with both cores and solves with its own multigrid; what solver Condyle chose
is in its row.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from goals import Goal
from processes import own_peak

YOUNG, POISSON, STRETCH = 1e6, 0.3, 1.1
SIZES = (6, 15, 24, 40)  # cells per side: 1, 11, 45, 200 thousand unknowns
ASSEMBLY = 0.2  # of felupe's time
ITERATION = {882: 0.5}  # of KratosMultiphysics' time, by unknowns; 0.7 of the others


@dataclass
class SolidRow:
    """One engine on one size: unknowns, milliseconds of assembling residual and matrix, of solving; peak memory."""

    engine: str
    unknowns: int
    assembly: float
    solve: float
    solver: str
    memory: float

    @property
    def iteration(self) -> float:
        """A whole iteration [ms]."""
        return self.assembly + self.solve


def best(action: Callable[[], Any], least: float = 0.5) -> float:
    """Shortest time of an action [ms], repeated for at least `least` seconds."""
    action()
    shortest, began = math.inf, time.perf_counter()
    while time.perf_counter() - began < least:
        start = time.perf_counter()
        action()
        shortest = min(shortest, time.perf_counter() - start)
    return 1e3 * shortest


def condyle(n: int) -> tuple[int, float, float, str]:
    """Unknowns, assembly and solve [ms], solver. Assembly is that of a later iteration, with stress extrapolated."""
    import condyle as cd
    from condyle.system import assembly
    from condyle.system.compile import running

    m = cd.Model("block", dimension=3)
    block = m.add(cd.Solid.block("block", (1, 1, 1), (n, n, n), cd.NeoHookean(YOUNG, POISSON, 1.0)))
    m.add(cd.Tie("wall", block, "left", m.ground))
    s = running(m)
    x = s.x_start.copy()
    x[s.moving] *= (STRETCH, 0.97, 0.97)
    still = np.zeros_like(x)
    loads = (still, s.amplitudes(0.0), s.targets(0.0, 0.0))
    held = (np.zeros(len(s.multipliers)), *s.stiffness(1.0))
    b = np.ones(s.unknowns)

    def assemble() -> None:
        assembly.assemble(
            s.whole, (x, x, x, still, still, s.x_start), loads, held, assembly.END, assembly.END, (0.0, 1.0, 0.0),
            (assembly.NO_MAP, assembly.NO_MAP), True, s.scratch,
        )  # fmt: skip

    def solve() -> None:
        s.solver.factor(s.scratch.A)
        s.solver.solve(b)

    return s.unknowns, best(assemble), best(solve), s.solver.name


def felupe(n: int) -> tuple[int, float, float, str]:
    """The same."""
    import felupe as fem
    from scipy.sparse.linalg import splu

    mesh = fem.Cube(n=n + 1)
    region = fem.RegionHexahedron(mesh)
    field = fem.FieldContainer([fem.Field(region, dim=3)])
    mu = YOUNG / (2 * (1 + POISSON))
    lam = 2 * mu * POISSON / (1 - 2 * POISSON)
    body = fem.SolidBody(umat=fem.NeoHookeCompressible(mu=mu, lmbda=lam), field=field)
    field[0].values[:] = mesh.points * (STRETCH - 1, -0.03, -0.03)
    free = np.flatnonzero(np.repeat(mesh.points[:, 0] > 0, 3))

    def assemble() -> Any:
        body.assemble.vector(field)
        return body.assemble.matrix(field)

    K = assemble().tocsc()[free][:, free]
    b = np.ones(len(free))
    assembled = best(assemble)
    # SuperLU fills the memory of a small machine from 50,000 unknowns on
    solved = best(lambda: splu(K).solve(b)) if n <= 24 else math.inf
    return len(free), assembled, solved, "SuperLU" if n <= 24 else "not tried"


def kratos(n: int) -> tuple[int, float, float, str]:
    """The same: total Lagrangian elements of KratosMultiphysics with its hyperelastic law, its own multigrid."""
    import KratosMultiphysics as km
    import KratosMultiphysics.ConstitutiveLawsApplication as laws
    import KratosMultiphysics.StructuralMechanicsApplication

    km.Logger.GetDefaultOutput().SetSeverity(km.Logger.Severity.WARNING)
    model = km.Model()
    part = model.CreateModelPart("block")
    part.ProcessInfo[km.DOMAIN_SIZE] = 3
    for variable in (km.DISPLACEMENT, km.REACTION, km.VOLUME_ACCELERATION):
        part.AddNodalSolutionStepVariable(variable)
    material = part.CreateNewProperties(1)
    for variable, value in ((km.YOUNG_MODULUS, YOUNG), (km.POISSON_RATIO, POISSON), (km.DENSITY, 1.0)):
        material.SetValue(variable, value)
    material.SetValue(km.CONSTITUTIVE_LAW, laws.HyperElastic3DLaw())
    m = n + 1
    for node in range(m**3):
        part.CreateNewNode(1 + node, node % m / n, node // m % m / n, node // m**2 / n)
    corners = np.array([0, 1, 1 + m, m, m * m, m * m + 1, m * m + m + 1, m * m + m])
    for cell in range(n**3):
        first = 1 + cell % n + m * (cell // n % n) + m * m * (cell // n**2)
        part.CreateNewElement("TotalLagrangianElement3D8N", 1 + cell, (first + corners).tolist(), material)
    for axis in "XYZ":
        own, reaction = (getattr(km, f"{kind}_{axis}") for kind in ("DISPLACEMENT", "REACTION"))
        km.VariableUtils().AddDof(own, reaction, part)
    for node in part.Nodes:
        place = np.array([node.X, node.Y, node.Z])
        if node.X < 1e-12:
            for axis in "XYZ":
                node.Fix(getattr(km, f"DISPLACEMENT_{axis}"))
            continue
        moved = place * (STRETCH - 1, -0.03, -0.03)
        node.SetSolutionStepValue(km.DISPLACEMENT, moved.tolist())
        node.X, node.Y, node.Z = (place + moved).tolist()
    scheme = km.ResidualBasedIncrementalUpdateStaticScheme()
    settings = {"solver_type": "amgcl", "smoother_type": "ilu0", "krylov_type": "cg", "coarsening_type": "aggregation",
                "max_iteration": 300, "tolerance": 1e-10, "verbosity": 0, "block_size": 3, "scaling": False}  # fmt: skip
    solver = km.AMGCLSolver(km.Parameters(json.dumps(settings)))
    builder = km.ResidualBasedBlockBuilderAndSolver(solver)
    builder.SetUpDofSet(scheme, part)
    builder.SetUpSystem(part)
    space = km.UblasSparseSpace()
    A, x, b = space.CreateEmptyMatrixPointer(), space.CreateEmptyVectorPointer(), space.CreateEmptyVectorPointer()
    builder.ResizeAndInitializeVectors(scheme, A, x, b, part)
    scheme.Initialize(part)
    scheme.InitializeElements(part)
    scheme.InitializeSolutionStep(part, A, x, b)

    def assemble() -> None:
        space.SetToZeroMatrix(A)
        space.SetToZeroVector(b)
        builder.Build(scheme, part, A, b)

    assembled = best(assemble)
    builder.ApplyDirichletConditions(scheme, part, A, x, b)

    def solve() -> None:
        space.SetToZeroVector(x)
        solver.Solve(A, x, b)

    return 3 * n * m * m, assembled, best(solve), "AMGCL"


ENGINES = {"condyle": condyle, "felupe": felupe, "kratos": kratos}


def measured(sizes: tuple[int, ...] | list[int] = SIZES) -> list[SolidRow]:
    """All engines that are installed, each in a process of its own."""
    rows = []
    for n in sizes:
        for name in ENGINES:
            done = subprocess.run([sys.executable, __file__, name, str(n)], capture_output=True, text=True)
            if done.returncode == 0:
                rows.append(SolidRow(**json.loads(done.stdout.splitlines()[-1])))
            else:
                print(f"{name}, {n} cells per side: {(done.stderr.strip().splitlines() or ['ended'])[-1]}")
    return rows


def judge(rows: list[SolidRow]) -> list[Goal]:
    """Assembly and the whole iteration against the fastest peer of each size."""
    goals = []
    for own in (row for row in rows if row.engine == "condyle"):
        peers = [row for row in rows if row.engine != "condyle" and row.unknowns == own.unknowns]
        for what, limit, time_of in (
            ("assembly", ASSEMBLY, lambda row: row.assembly),
            ("iteration", ITERATION.get(own.unknowns, 0.7), lambda row: row.iteration),
        ):
            others = [row for row in peers if time_of(row) < math.inf]
            if others:
                peer = min(others, key=time_of)
                name = f"hex8 block of {own.unknowns:,} unknowns: {what}, of {peer.engine}'s"
                note = f"{time_of(own):.4g} ms, {own.solver}; {peer.engine} {time_of(peer):.4g} ms, {peer.solver}"
                goals.append(Goal(name, time_of(own) / time_of(peer), limit, note=note))
    return goals


COLUMNS = ("unknowns", "engine", "assembly ms", "solve ms", "solver", "peak memory MB")


def cells(rows: list[SolidRow]) -> list[tuple[str, ...]]:
    """The rows of the table."""
    return [
        (f"{r.unknowns:,}", r.engine, f"{r.assembly:.4g}", f"{r.solve:.4g}" if r.solve < math.inf else "–", r.solver,
         f"{r.memory:.0f}")
        for r in rows
    ]  # fmt: skip


def main() -> None:
    """One engine and size as JSON, or all of them as lines."""
    if len(sys.argv) == 3:
        unknowns, assembly, solve, solver = ENGINES[sys.argv[1]](int(sys.argv[2]))
        memory = own_peak()
        print(json.dumps(asdict(SolidRow(sys.argv[1], unknowns, assembly, solve, solver, memory))))
        return
    rows = measured()
    for line in (COLUMNS, *cells(rows)):
        print("  ".join(f"{cell:>14s}" for cell in line))
    for goal in judge(rows):
        print(f"{goal.what}: {goal.measured:.3g} (≤ {goal.limit:g}), {goal.note}")


if __name__ == "__main__":
    main()
