"""How long a user waits: commands that only answer, the import, a first step in a second process.

Prints one line per goal, met or not met, the median of several runs; the same as JSON with --json.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import time

STEP = (
    "import condyle as cd; m = cd.Model('p', dimension=2, gravity=(0, -9.81));"
    "b = m.add(cd.RigidBody.box('b', (1, 0.1), 100, position=(0.5, 0))); m.add(cd.Pin('p', m.ground, b, at=(0, 0)));"
    "cd.simulate(m, end=0.01, dt=0.01)"
)
GOALS = (
    ("condyle --help", ["-m", "condyle", "--help"], 0.5),
    ("condyle --version", ["-m", "condyle", "--version"], 0.5),
    ("condyle list", ["-m", "condyle", "list"], 0.5),
    ("import condyle", ["-c", "import condyle"], 1.0),
    ("first step of a model, kernels cached", ["-c", STEP], 2.0),
)


def seconds(arguments: list[str], repeats: int) -> float:
    """Median wall time of a Python process [s]."""
    times = []
    for _ in range(repeats):
        began = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
        times.append(time.perf_counter() - began)
    return statistics.median(times)


def main() -> None:
    """Run all goals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    subprocess.run([sys.executable, "-c", STEP], check=True)  # compiles the kernels if they are not cached
    rows = []
    for name, arguments, goal in GOALS:
        measured = seconds(arguments, options.repeats)
        rows.append({"what": name, "seconds": round(measured, 3), "goal": goal, "met": measured <= goal})
    if options.json:
        print(json.dumps(rows, indent=1))
        return
    for row in rows:
        print(
            f"{row['what']:40} {row['seconds']:7.3f} s   goal {row['goal']:g} s   {'met' if row['met'] else 'NOT MET'}"
        )


if __name__ == "__main__":
    main()
