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

SCRIPT = Path(__file__).parents[1] / "support" / "killed_run.py"
KILLS = {"EnergyMomentum": 5, "GeneralizedAlpha": 4}


@pytest.fixture(scope="module", params=["EnergyMomentum", "GeneralizedAlpha"])
def reference(request):
    """The name of an integrator and the uninterrupted run with it, the second one: its time is without that of compiling."""
    whole(request.param)
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


def hinged():
    """Three hinges that a coarse tolerance cuts steps of."""
    m = cd.Model("hinged", dimension=3, gravity=(0.0, 0.0, -9.81))
    before = m.ground
    for k in range(3):
        body = m.add(cd.RigidBody.box(f"bar {k}", (0.1, 0.02, 0.03), 1000.0, position=(0.05 + 0.1 * k, 0.0, 0.0)))
        m.add(cd.Revolute(f"hinge {k}", before, body, at=(0.1 * k, 0.0, 0.0), axis=(0.0, 1.0, 0.3 * k)))
        before = body
    return m


def nothing(*_):
    """A hook: steps are taken one by one."""


@pytest.mark.parametrize("method", [cd.EnergyMomentum, cd.GeneralizedAlpha])
def test_steps_that_are_cut_count_as_one(method, tmp_path):
    options = dict(dt=8e-3, integrator=method(tolerance=cd.Tolerance(iterations=2)))
    row = cd.simulate(hinged(), end=1.2, **options)
    alone = cd.simulate(hinged(), end=1.2, hooks=[nothing], **options)
    assert row.cuts.sum() > 0
    np.testing.assert_array_equal(row.cuts, alone.cuts)
    np.testing.assert_array_equal(row.state(-1).x, alone.state(-1).x)
    cd.simulate(hinged(), end=1.1, hooks=[nothing], file=tmp_path / "run.h5", **options)
    same(cd.resume(tmp_path / "run.h5", end=1.2, hooks=[nothing]), alone)


def test_error_control_is_resumed_bit_for_bit_over_many_steps(tmp_path):
    options = dict(end=0.6, dt=0.01, step_error=1e-7, integrator=cd.EnergyMomentum(tolerance=cd.Tolerance(force=1e-5)))
    through = cd.simulate(hinged(), **options)
    taken = iter(range(through.steps))

    def interrupt(*_):
        if next(taken) == 150:
            raise KeyboardInterrupt

    stopped = cd.simulate(hinged(), hooks=[interrupt], file=tmp_path / "run.h5", **options)
    assert stopped.status == "interrupted" and 150 < stopped.steps < through.steps
    same(cd.resume(tmp_path / "run.h5"), through)


@pytest.mark.parametrize("method", ["GeneralizedAlpha", "Newmark", "BDF2", "EnergyMomentum"])
def test_a_model_without_rigid_bodies_is_resumed(method, tmp_path):
    def bouncing():
        m = cd.Model("mass", dimension=2, gravity=(0.0, -9.81))
        m.add(cd.PointMass("mass", 1.0, position=(0.0, -1.0)))
        m.add(cd.Spring("spring", m.ground, "mass", 50.0))
        return m

    through = cd.simulate(bouncing(), end=0.5, dt=0.01, integrator=method)
    cd.simulate(bouncing(), end=0.3, dt=0.01, integrator=method, file=tmp_path / "run.h5")
    np.testing.assert_array_equal(cd.resume(tmp_path / "run.h5", end=0.5).state(-1).x, through.state(-1).x)


@pytest.mark.parametrize("method", ["GeneralizedAlpha", "BDF2"])
def test_a_drive_over_many_turns_is_resumed_in_python(method, tmp_path):
    def wheel():
        m = hinged()
        m.add(cd.Drive("drive", "hinge 0.angle", lambda t: 4.0 * t * t))
        return m

    options = dict(dt=0.01, integrator=method, solver="dense")
    through = cd.simulate(wheel(), end=2.0, **options)
    cd.simulate(wheel(), end=1.6, file=tmp_path / "run.h5", **options)
    result = cd.resume(tmp_path / "run.h5", end=2.0, model=wheel())
    np.testing.assert_array_equal(result.state(-1).x, through.state(-1).x)


def test_a_run_is_not_shortened_nor_run_again(tmp_path):
    file = tmp_path / "run.h5"
    cd.simulate(hinged(), end=0.25, dt=0.005, every=7, file=file)
    before = file.read_bytes()
    assert cd.resume(file).steps == 50 and cd.resume(file, end=0.1).steps == 50
    assert file.read_bytes() == before


def test_a_method_with_a_step_of_its_own_is_asked_for_it():
    class Counting(cd.GeneralizedAlpha):
        def step(self, system, state, h):
            self.called = getattr(self, "called", 0) + 1
            return super().step(system, state, h)

    method = Counting()
    cd.simulate(hinged(), end=0.1, dt=0.01, integrator=method)
    assert method.called == 10


def test_a_run_whose_model_is_not_in_its_file_asks_for_it(tmp_path):
    m, file = cd.Model("pushed", dimension=2), tmp_path / "run.h5"
    m.add(cd.PointMass("p", 1.0, (0.0, 0.0)))
    m.add(cd.Load("push", "p", (1.0, 0.0), scale=lambda t: t))
    cd.simulate(m, end=0.02, dt=0.01, file=file)
    with pytest.raises(cd.InputError, match=r"does not hold the whole model.*condyle\.resume\(.*model=model"):
        cd.resume(file, end=0.04)
    assert cd.resume(file, end=0.04, model=m).steps == 4


def test_a_file_of_an_earlier_version_lacks_accelerations_by_soft_contact_and_goes_on_without(tmp_path):
    import h5py

    m = cd.Model("ball", dimension=3, gravity=(0.0, 0.0, -9.81))
    ball = m.add(cd.RigidBody("ball", 1.0, inertia=(0.01, 0.01, 0.01), position=(0.0, 0.0, 0.1)))
    m.add(cd.Contact("floor", ball, [(0.0, 0.0, -0.1)], m.ground, cd.Plane((0.0, 0.0, 1.0)), law=cd.SpringDashpot(1e4)))
    file, options = tmp_path / "run.h5", dict(dt=1e-3, integrator=cd.GeneralizedAlpha())
    whole = cd.simulate(m, end=0.04, **options)
    cd.simulate(m, end=0.02, file=file, **options)
    with h5py.File(file, "r+") as stored:
        for name in ("pressed", "spin pressed"):
            del stored["frames/memory"][name]
    rest = cd.resume(file, end=0.04)
    assert rest.status == "completed"
    assert rest.position("ball")[-1] == pytest.approx(whole.position("ball")[-1], abs=1e-4)
