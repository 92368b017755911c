"""A large results file is opened and read with little memory: only what is asked for comes in.

The reduced form of a file of 1 GB: sizes, and the bound up to which arrays are kept, are smaller by the same factor.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import condyle as cd
from condyle.results.recorder import Recorder
from condyle.system.compile import compile as compiled
from condyle.system.running import RunningSystem
from condyle.system.start import consistent_state

FRAMES = 200
READ = """
import resource, sys
import condyle as cd
from condyle.results import stores


def read(file):
    result = cd.load(file)
    tip, energy, state = result.position("block.0"), result.energy["total"][-1], result.state(len(result) // 2)
    result[2:8].position("block.5")
    return tip[-1, 0], state.x.shape[0], len(result.summary()) > 50


stores.KEEP_BYTES = int(sys.argv[2])
read(sys.argv[3])  # imports, kernels and the model itself are no part of the measurement
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
found = read(sys.argv[1])
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before, *found)
"""


def written(file: Path, divisions: tuple[int, int, int], frames: int) -> int:
    """A block that moves along x by 1 mm per frame, as a results file; returns the number of its rows."""
    model = cd.Model("block", dimension=3)
    rubber = cd.NeoHookean(young=1e6, poisson=0.3, density=1000.0)
    model.add(cd.Solid.block("block", (1.0, 1.0, 1.0), divisions, rubber))
    system = RunningSystem(compiled(model))
    state, _ = consistent_state(system, "as-given")
    method = {"name": "EnergyMomentum", "multiplier_time": 0.5}
    numbers = dict.fromkeys(("kinetic", "stored", "gravity", "total", "work", "constraint_error", "step"), 0.0)
    told = numbers | {"iterations": 1, "cuts": 0, "linear_momentum": np.zeros(3), "angular_momentum": np.zeros(3)}
    shift = 1e-3 * system.moving[:, None] * np.array([1.0, 0.0, 0.0])
    with Recorder(system, file=file, block=20, integrator=method, options={"begin": 0.0}) as recorder:
        recorder.start(state, told)
        for k in range(1, frames):
            state.t, state.x = 0.001 * k, state.x + shift
            recorder.record(state, told | {"step": 0.001})
        recorder.finish("completed", "", 1.0)
    return len(state.x)


@pytest.mark.skipif(sys.platform == "win32", reason="peak memory is read by resource.getrusage")
def test_a_large_result_opens_with_little_memory(tmp_path: Path):
    large, small = tmp_path / "large.h5", tmp_path / "small.h5"
    rows = written(large, (19, 19, 19), FRAMES)
    written(small, (19, 19, 19), 12)
    held = FRAMES * rows * 3 * 8  # bytes of the places alone
    assert large.stat().st_size > 70e6 and held > 3e7
    said = subprocess.run(
        [sys.executable, "-c", READ, str(large), str(held // 2), str(small)], capture_output=True, text=True, check=True
    ).stdout.split()
    more = 1024 * float(said[0])  # ru_maxrss counts kB
    assert float(said[1]) == pytest.approx(0.001 * (FRAMES - 1), abs=1e-9)
    assert int(said[2]) == rows and said[3] == "True"
    assert more < 0.3 * large.stat().st_size, f"{more / 1e6:.0f} MB for a file of {large.stat().st_size / 1e6:.0f} MB"
