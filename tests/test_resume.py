"""A run that is killed leaves a readable file, and goes on from it bit for bit as if it had never stopped."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import condyle as cd
from condyle.results.files import FileWriter
from killed_run import DT, END, EVERY, control, eager, model, same, whole

SCRIPT = Path(__file__).with_name("killed_run.py")
KILLS = {"EnergyMomentum": 14, "GeneralizedAlpha": 6}


@pytest.fixture(scope="module", params=["EnergyMomentum", "GeneralizedAlpha"])
def reference(request):
    """The name of an integrator and the uninterrupted run with it."""
    return request.param, whole(request.param)


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no kill -9")
def test_a_run_killed_at_random_moments_is_readable_and_resumes_bit_for_bit(reference, tmp_path):
    integrator, uninterrupted = reference
    fork = multiprocessing.get_context("fork")  # the kernels are loaded already
    random = np.random.default_rng(len(integrator))
    reached: list[float] = []
    while len(reached) < KILLS[integrator]:
        file = tmp_path / f"{len(reached)}.h5"
        file.unlink(missing_ok=True)
        process = fork.Process(target=eager, args=(integrator, file))
        process.start()
        while not file.exists() and process.is_alive():
            time.sleep(0.001)
        time.sleep(random.uniform(0.0, 2.0 * uninterrupted.wall_time))  # a busy machine takes longer
        os.kill(process.pid, signal.SIGKILL)
        process.join()
        if process.exitcode == 0:
            continue  # it was faster than the signal
        assert process.exitcode == -signal.SIGKILL
        left = cd.load(file)
        if left.status == "completed":
            continue  # it was killed after its end
        assert left.status == "unfinished"
        reached.append(left.times[-1])
        result = cd.resume(file, controllers=[control])
        assert result.status == "completed"
        same(result, uninterrupted)
        same(cd.load(file), uninterrupted)
    assert len(set(reached)) > KILLS[integrator] // 3  # they were killed on their way
    assert uninterrupted.coordinate("hub.angle")[-1] > 2 * np.pi  # with turns to be remembered


def test_two_processes_give_the_same_run_bit_for_bit(reference, tmp_path):
    integrator, uninterrupted = reference
    same(whole(integrator), uninterrupted)
    # Kernels that this process has compiled itself may differ in the last bit from those it left in the cache, so the two
    # runs that are compared both load them.
    runs = []
    for name in ("one.h5", "two.h5"):
        subprocess.run([sys.executable, str(SCRIPT), integrator, str(tmp_path / name)], check=True)
        runs.append(cd.load(tmp_path / name))
    same(*runs)


def test_a_run_resumed_twice_and_prolonged_is_the_long_run(reference, tmp_path):
    integrator, uninterrupted = reference
    file = tmp_path / "run.h5"
    whole(integrator, file, end=30 * EVERY * DT)
    cd.resume(file, end=60 * EVERY * DT, controllers=[control])
    result = cd.resume(file, end=END, controllers=[control])
    same(result, uninterrupted)


def test_a_completed_run_is_not_run_again(tmp_path):
    file = tmp_path / "run.h5"
    done = whole("EnergyMomentum", file, end=0.3)
    before = file.read_bytes()
    again = cd.resume(file, controllers=[control])
    same(done, again)
    assert file.read_bytes() == before


def test_a_run_killed_between_its_last_step_and_its_end_is_completed(tmp_path, monkeypatch):
    done = whole("EnergyMomentum", end=0.3)

    def killed(*_):
        raise SystemExit

    with monkeypatch.context() as patch:
        patch.setattr(FileWriter, "finish", lambda writer, outcome: killed(writer._file.close()))
        with pytest.raises(SystemExit):
            whole("EnergyMomentum", tmp_path / "run.h5", end=0.3)
    assert cd.load(tmp_path / "run.h5").status == "unfinished"
    result = cd.resume(tmp_path / "run.h5", controllers=[control])
    assert result.status == cd.load(tmp_path / "run.h5").status == "completed"
    same(result, done)


def test_resuming_a_file_that_is_not_there_is_an_error_that_names_it(tmp_path):
    with pytest.raises(cd.InputError, match=r"missing\.h5"):
        cd.resume(tmp_path / "missing.h5")


def test_error_controlled_steps_resume_bit_for_bit(tmp_path):
    options = dict(dt=0.05, step_error=1e-6, every=2)
    straight = cd.simulate(model(), end=1.0, **options)
    half = cd.simulate(model(), end=1.0, file=tmp_path / "run.h5", events=[halfway], **options)
    assert half.times[-1] < 1.0
    same(cd.resume(tmp_path / "run.h5"), straight)


def halfway(sim):
    return 0.5 - sim.time
