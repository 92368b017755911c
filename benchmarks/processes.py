"""What only a fresh process shows: how long a user waits, and how much memory a model takes.

python processes.py <engine> <bodies>    prints the peak memory of this process after a few steps of a chain [MB]
"""

from __future__ import annotations

import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
FIRST_STEP = (
    "import condyle as cd; m = cd.Model('p', dimension=2, gravity=(0, -9.81));"
    "b = m.add(cd.RigidBody.box('b', (1, 0.1), 100, position=(0.5, 0))); m.add(cd.Pin('p', m.ground, b, at=(0, 0)));"
    "cd.simulate(m, end=0.01, dt=0.01)"
)
STARTS = (  # what a user does, the arguments of Python, the goal [s]
    ("condyle --help", ["-m", "condyle", "--help"], 0.5),
    ("condyle --version", ["-m", "condyle", "--version"], 0.5),
    ("condyle list", ["-m", "condyle", "list"], 0.3),
    ("import condyle", ["-c", "import condyle"], 1.0),
    ("a script to the end of its first step", ["-c", FIRST_STEP], 1.5),
)
STUDY = "taylor-disk-beam"
# As on a user's machine: Python keeps the byte code of modules from one process to the next.
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def starts(repeats: int) -> list[tuple[str, float, float]]:
    """What is started, median seconds, goal [s]; kernels are compiled before, as they are in every process but the first."""
    for _, arguments, _ in STARTS:
        seconds(arguments)
    until_shown(STUDY)
    found = []
    for name, arguments, goal in STARTS:
        found.append((name, statistics.median(seconds(arguments) for _ in range(repeats)), goal))
    shown = statistics.median(until_shown(STUDY) for _ in range(repeats))
    return [*found, (f"condyle run {STUDY}, to its first line of progress", shown, 2.0)]


def seconds(arguments: list[str]) -> float:
    """Wall time of a Python process; infinite if it fails."""
    began = time.perf_counter()
    done = subprocess.run([sys.executable, *arguments], capture_output=True, env=ENVIRONMENT)
    return time.perf_counter() - began if done.returncode == 0 else math.inf


def until_shown(study: str) -> float:
    """Wall time until a study that was started says how far it is: a tenth of its first simulation is then done."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "condyle", "run", study, "--quick", "--out", folder]
        began = time.perf_counter()
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=ENVIRONMENT) as process:
            assert process.stderr is not None
            line = process.stderr.readline()
            shown = time.perf_counter() - began
            process.terminate()
    return shown if b"%" in line else math.inf


def memory(engine: str, bodies: int) -> float:
    """Peak memory of a process that runs a chain [MB]; not a number if it fails."""
    command = [sys.executable, str(HERE / "processes.py"), engine, str(bodies)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        print(f"  memory of {engine}, {bodies} bodies: {done.stderr.strip().splitlines()[-1]}")
        return math.nan
    return float(done.stdout.split()[-1])


def peak(engine: str, bodies: int) -> float:
    """Peak memory of this process after two steps of a chain [MB]."""
    from importlib import import_module

    from workloads import chain

    adapter = import_module(f"engines.{engine}")
    mechanism = chain(bodies)
    adapter.Run(mechanism, adapter.variants(mechanism)[0], 1e-3).run(2, 1)
    return own_peak()


def own_peak() -> float:
    """Peak memory of this process [MB]."""
    status = Path("/proc/self/status")
    if status.exists():  # Linux; there the resource usage of a child begins with that of its parent
        return float(re.search(r"VmHWM:\s+(\d+) kB", status.read_text())[1]) * 1024 / 1e6  # type: ignore[index]
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1.0 if sys.platform == "darwin" else 1024.0) / 1e6


if __name__ == "__main__":
    print(round(peak(sys.argv[1], int(sys.argv[2])), 1))
