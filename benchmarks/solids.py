"""Time of a Newton iteration of a hyperelastic block of hex8, beside felupe on the same mesh and law.

python benchmarks/solids.py [cells per side …]

Each line: unknowns, milliseconds of assembling residual and matrix and of factorising and solving. felupe is measured
where it is installed (`pip install felupe`); it assembles by NumPy and solves with SciPy's SuperLU.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

YOUNG, POISSON, STRETCH = 1e6, 0.3, 1.1


def best(action: Callable[[], Any], least: float = 0.5) -> float:
    """Shortest time of an action [ms], repeated for at least `least` seconds."""
    action()
    shortest, began = np.inf, time.perf_counter()
    while time.perf_counter() - began < least:
        start = time.perf_counter()
        action()
        shortest = min(shortest, time.perf_counter() - start)
    return 1e3 * shortest


def condyle(n: int) -> tuple[int, float, float]:
    """Unknowns, assembly and solve [ms]."""
    import condyle as cd
    from condyle.system import assembly

    m = cd.Model("block", dimension=3)
    block = m.add(cd.Solid.block("block", (1, 1, 1), (n, n, n), cd.NeoHookean(YOUNG, POISSON, 1.0)))
    m.add(cd.Tie("wall", block, "left", m.ground))
    s = cd.compile(m)
    x = s.x_start.copy()
    x[s.moving] *= (STRETCH, 0.97, 0.97)
    still, none = np.zeros_like(x), np.zeros_like(x)
    loads = (none, s.amplitudes(0.0), s.targets(0.0, 0.0))
    held = (np.zeros(len(s.multipliers)), *s.stiffness(1.0))

    def assemble() -> None:
        assembly.assemble(
            s.parts, (x, x, x, still, still, x), loads, held, assembly.END, assembly.END, (0.0, 1.0, 0.0),
            (assembly.NO_MAP, assembly.NO_MAP), True, s.scratch,
        )  # fmt: skip

    def solve() -> None:
        s.solver.factor(s.scratch.A)
        s.solver.solve(s.scratch.r)

    return s.unknowns, best(assemble), best(solve)


def felupe(n: int) -> tuple[int, float, float]:
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
    r = np.ones(len(free))
    return len(free), best(assemble), best(lambda: splu(K).solve(r))


def main() -> None:
    for n in [int(a) for a in sys.argv[1:]] or (6, 14, 24):
        for engine in (condyle, felupe):
            try:
                unknowns, assembly_time, solve_time = engine(n)
            except ImportError:
                print(f"{engine.__name__:8s} is not installed")
                continue
            print(
                f"{engine.__name__:8s} {unknowns:7d} unknowns: assembly {assembly_time:9.2f} ms, solve {solve_time:9.2f} ms"
            )


if __name__ == "__main__":
    main()
