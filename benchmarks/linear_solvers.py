"""Time to factorise and solve with every linear solver, for chains and for meshes: what `auto` is set by.

    python benchmarks/linear_solvers.py [largest number of unknowns]

Prints microseconds per factorisation + solution of one right-hand side, the shortest of repeated calls, on saddle
points with stiffnesses of 1e6 beside constraint gradients of 1.
"""

from __future__ import annotations

import sys
import time

import numpy as np

from condyle.system.linear import available_solvers, make_solver
from condyle.system.linear.lapack import band_order
from condyle.system.pattern import Pattern, build_pattern


def saddle_values(pattern: Pattern, multiplier: np.ndarray, *, symmetric: bool, stiffness: float = 1e6) -> np.ndarray:
    """Random entries with a dominant stiffness diagonal, and none where two multipliers meet, shape (nnz,)."""
    rng = np.random.default_rng(0)
    row, column = pattern.rows(), pattern.indices
    entry = rng.uniform(0.1, 1.0, pattern.n)
    values = np.sin(1e3 * (entry[row] * entry[column]))  # symmetric
    if not symmetric:
        values += 0.1 * rng.normal(size=pattern.nnz)
    both_stiff = ~multiplier[row] & ~multiplier[column]
    values[both_stiff] *= stiffness
    values[both_stiff & (row == column)] += 3.0 * stiffness * np.sqrt(pattern.nnz / pattern.n)
    values[multiplier[row] & multiplier[column]] = 0.0
    return values


def chain(n: int) -> tuple[Pattern, np.ndarray]:
    """Rigid bodies (6 unknowns each) in a row, connected by ball joints (3 multipliers each)."""
    bodies = max(1, (n + 3) // 9)
    joints = np.arange(bodies - 1)
    offset = np.concatenate([9 * np.arange(bodies), 9 * joints + 6])
    size = np.repeat([6, 3], [bodies, bodies - 1])
    rows = np.concatenate([bodies + joints, bodies + joints])
    pattern = build_pattern(rows, np.concatenate([joints, joints + 1]), offset, size, int(size.sum())).pattern
    return pattern, np.arange(pattern.n) % 9 >= 6


def mesh(n: int, *, aspect: float = 1.0) -> tuple[Pattern, np.ndarray]:
    """Quadrilaterals with 2 unknowns per node; the lower edge is held by multipliers. ``aspect`` = length / width."""
    across = max(2, round(np.sqrt(n / (2.0 * aspect))))
    along = max(2, round(n / (2.0 * across)))
    node = np.arange(across * along).reshape(along, across)
    couples = [(node[:, :-1], node[:, 1:]), (node[:-1], node[1:]), (node[:-1, :-1], node[1:, 1:])]
    couples += [(node[:-1, 1:], node[1:, :-1]), (node.size + np.arange(across), node[0])]
    rows = np.concatenate([np.ravel(a) for a, _ in couples])
    columns = np.concatenate([np.ravel(b) for _, b in couples])
    blocks = node.size + across
    pattern = build_pattern(rows, columns, 2 * np.arange(blocks), np.full(blocks, 2), 2 * blocks).pattern
    return pattern, np.arange(pattern.n) >= 2 * node.size


def microseconds(kind: str, pattern: Pattern, values: np.ndarray, *, symmetric: bool) -> float:
    """Shortest time of factor + solve [µs], after a first factorisation that finds the order."""
    solver = make_solver(pattern, kind, symmetric=symmetric)
    rhs = np.linspace(-1.0, 1.0, pattern.n)
    times: list[float] = []
    solver.factor(values)
    while len(times) < 3 or (sum(times) < 0.2 and len(times) < 200):
        start = time.perf_counter()
        solver.factor(values)
        solver.solve(rhs)
        times.append(time.perf_counter() - start)
    return 1e6 * min(times)


def main() -> None:
    """Print one line per matrix."""
    largest = int(sys.argv[1]) if len(sys.argv) > 1 else 6000
    kinds = available_solvers()
    print(f"{'matrix':<16} {'n':>6} {'nnz/n':>6} {'band':>5}  " + "".join(f"{kind:>12}" for kind in kinds), end="")
    print(f"{'pardiso sym':>13}  auto" if "pardiso" in kinds else "  auto")
    families = {"chain": chain, "mesh 1:1": mesh, "mesh 30:1": lambda n: mesh(n, aspect=30.0)}
    for name, family in families.items():
        for n in (20, 60, 120, 200, 600, 2000, 6000, 20000):
            if n > largest:
                continue
            pattern, multiplier = family(n)
            half = band_order(pattern)[1]
            line = f"{name:<16} {pattern.n:>6} {pattern.nnz / pattern.n:>6.0f} {half:>5}  "
            values = saddle_values(pattern, multiplier, symmetric=False)
            for kind in kinds:
                slow = kind == "dense" and pattern.n > 1000
                line += f"{'-':>12}" if slow else f"{microseconds(kind, pattern, values, symmetric=False):>12.0f}"
            if "pardiso" in kinds:
                values = saddle_values(pattern, multiplier, symmetric=True)
                line += f"{microseconds('pardiso', pattern, values, symmetric=True):>13.0f}"
            print(f"{line}  {make_solver(pattern).name}", flush=True)


if __name__ == "__main__":
    main()
