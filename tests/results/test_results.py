"""Results: recording, files, reading of points, angles and forces by name."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest
from test_results_motions import DESCRIPTION, known_state, plate_and_arm, recorded, scalars, spinning_box, turn

import condyle as cd
from condyle import InputError, Model, RigidBody, State, compile, load
from condyle.results import recorder as recorder_module
from condyle.results import rotations
from condyle.results.recorder import Recorder

HERE = Path(__file__).parent


@pytest.fixture
def plate():
    return recorded(plate_and_arm(), steps=60)


# --- recording --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("on_disk", [False, True])
@pytest.mark.parametrize("every", [1, 3])
@pytest.mark.parametrize("steps", [0, 1, 4, 5, 6, 10, 11])
def test_every_step_and_the_right_frames_are_kept_around_the_ends_of_blocks(tmp_path, steps, every, on_disk):
    file = tmp_path / "run.h5" if on_disk else None
    result = recorded(plate_and_arm(), steps=steps, every=every, block=5, file=file)
    assert result.steps == steps and len(result.iterations) == len(result.cuts) == len(result.step_sizes) == steps
    np.testing.assert_allclose(result.step_times, 0.1 * np.arange(steps + 1), rtol=1e-15)
    frames = sorted({*range(0, steps + 1, every), steps})
    np.testing.assert_allclose(result.times, 0.1 * np.array(frames), rtol=1e-15)
    expected = [known_state(result.system, 0.1 * k).x for k in frames]
    np.testing.assert_array_equal([result.state(k).x for k in range(len(result))], expected)
    np.testing.assert_array_equal(result.energy["kinetic"], 4.0 + result.step_times)


def test_a_result_from_a_file_equals_the_one_in_memory(tmp_path):
    kept = recorded(plate_and_arm(), steps=23, every=2, block=7)
    recorded(plate_and_arm(), steps=23, every=2, block=7, file=tmp_path / "run.h5")
    read = load(tmp_path / "run.h5")
    assert (read.status, read.message, read.wall_time) == (kept.status, kept.message, kept.wall_time)
    assert (read.integrator, read.options, read.formulation) == (kept.integrator, kept.options, kept.formulation)
    assert read.file == tmp_path / "run.h5" and kept.file is None
    assert (len(read), read.steps, read.name, read.dimension) == (len(kept), kept.steps, "plate", 2)
    for name in ("times", "step_times", "iterations", "cuts", "step_sizes", "linear_momentum", "angular_momentum",
                 "constraint_error", "multiplier_times"):  # fmt: skip
        np.testing.assert_array_equal(getattr(read, name), getattr(kept, name), err_msg=name)
    for name, values in kept.energy.items():
        np.testing.assert_array_equal(read.energy[name], values)
    for read_by in ("position", "velocity", "displacement"):
        np.testing.assert_array_equal(getattr(read, read_by)("plate.corner"), getattr(kept, read_by)("plate.corner"))
    np.testing.assert_array_equal(read.angle("arm", "plate"), kept.angle("arm", "plate"))
    np.testing.assert_array_equal(read.joint_force("elbow"), kept.joint_force("elbow"))
    for k in (0, 5, -1):
        for a, b in zip(_arrays(read.state(k)), _arrays(kept.state(k)), strict=True):
            np.testing.assert_array_equal(a, b)
    assert read.model.to_dict() == kept.model.to_dict()


def test_a_file_larger_than_memory_is_read_row_by_row(tmp_path, monkeypatch):
    kept = recorded(plate_and_arm(), steps=9, file=tmp_path / "run.h5")
    expected = kept.position("plate.corner"), kept.angle("arm"), kept.joint_force("elbow")
    monkeypatch.setattr("condyle.results.stores.KEEP_BYTES", 0)
    read = load(tmp_path / "run.h5")
    for a, b in zip(
        (read.position("plate.corner"), read.angle("arm"), read.joint_force("elbow")), expected, strict=True
    ):
        np.testing.assert_array_equal(a, b)
    assert not read._store._kept


def _arrays(state):
    return [np.array(state.t), state.x, state.v, state.multipliers, state.memory["acceleration"]]


def test_only_what_is_carried_from_step_to_step_belongs_to_the_memory_of_a_state(tmp_path):
    system = compile(plate_and_arm())
    for file in (None, tmp_path / "run.h5"):
        recorder = Recorder(system, file=file, integrator=DESCRIPTION, options={})
        start = known_state(system, 0.0)
        start.memory["only at the start"] = np.ones(3)
        recorder.start(start, scalars(0.0, 2, 0.0))
        recorder.record(known_state(system, 0.1), scalars(0.1, 2, 0.1))
        result = recorder.finish("completed", "", 0.0)
        assert [list(result.state(k).memory) for k in (0, 1)] == [["acceleration"], ["acceleration"]]


@pytest.mark.parametrize("method", [cd.EnergyMomentum, cd.Newmark])
def test_a_run_goes_on_from_a_stored_state(tmp_path, method):
    """To the last digits: in the run a step is guessed from those before it."""
    model = plate_and_arm()
    cd.simulate(model, end=0.08, dt=0.01, integrator=method(), file=tmp_path / "run.h5")
    result = load(tmp_path / "run.h5")
    state, _ = method().step(result._running(), result.state(5), 6 * 0.01 - result.times[5])
    expected = result.state(6)
    arrays = [(state.x, expected.x), (state.v, expected.v), (state.multipliers, expected.multipliers)]
    arrays += [(state.memory[name], values) for name, values in expected.memory.items()]
    for a, b in arrays:
        np.testing.assert_allclose(a, b, rtol=0.0, atol=1e-10 * np.abs(b).max() + 1e-12)


@pytest.mark.parametrize("where", ["x", "v", "energy"])
def test_a_state_that_is_not_finite_is_never_recorded(where):
    system = compile(spinning_box())
    recorder = Recorder(system, integrator=DESCRIPTION, options={})
    recorder.start(known_state(system, 0.0), scalars(0.0, 3, 0.0))
    bad, measured = known_state(system, 0.1), scalars(0.1, 3, 0.1)
    if where == "energy":
        measured["kinetic"] = np.inf
    else:
        getattr(bad, where)[2, 1] = np.nan
    with pytest.raises(cd.ConvergenceError, match=r"t = 0.1 s is not finite"):
        recorder.record(bad, measured)
    result = recorder.finish("failed", "", 0.0)
    assert result.steps == 0 and len(result) == 1
    assert np.isfinite(result.position("box.corner")).all()


def test_steps_are_handed_on_in_blocks(monkeypatch):
    """Else each would cost a look at the file."""
    monkeypatch.setattr(recorder_module, "FLUSH_SECONDS", float("inf"))
    system = compile(plate_and_arm())
    state, measured = known_state(system, 0.0), scalars(0.0, 2, 0.1)
    recorder, blocks = Recorder(system, integrator=DESCRIPTION, options={}), []
    append = recorder._target.append
    monkeypatch.setattr(recorder._target, "append", lambda *a: blocks.append(a) or append(*a))
    recorder.start(state, measured)
    for _ in range(3000):
        recorder.record(state, measured)
    recorder.finish("completed", "", 0.0)
    assert len(blocks) <= 5


def test_what_the_recorder_cannot_do_is_said_at_the_start(tmp_path):
    system = compile(plate_and_arm())
    with pytest.raises(InputError, match="every must be a whole number"):
        Recorder(system, every=0, integrator={}, options={})
    notes = tmp_path / "notes.txt"
    notes.write_text("precious")
    for file, words in ((tmp_path / "none" / "a.h5", "no folder"), (tmp_path, "folder"), (notes, "left alone")):
        recorder = Recorder(system, file=file, integrator={}, options={})
        with pytest.raises(InputError, match=words):
            recorder.start(known_state(system, 0.0), scalars(0.0, 2, 0.0))
    assert notes.read_text() == "precious"
    with pytest.raises(InputError, match="call start first"):
        Recorder(system, integrator={}, options={}).finish("completed", "", 0.0)


# --- files ------------------------------------------------------------------------------------------------------------

KILLED = """
import sys, time
sys.path.insert(0, {here!r})
from test_results_motions import *
system = compile(plate_and_arm())
recorder = Recorder(system, file={file!r}, every=2, block=20, integrator=DESCRIPTION, options={{}})
recorder.start(known_state(system, 0.0), scalars(0.0, 2, 0.0))
k = 0
while True:
    k += 1
    recorder.record(known_state(system, 1e-3 * k), scalars(1e-3 * k, 2, 1e-3))
    if k % 100 == 0:
        print(k, flush=True)
"""


def test_a_killed_run_is_readable_up_to_its_last_block(tmp_path):
    file = tmp_path / "run.h5"
    program = KILLED.format(here=str(HERE), file=str(file))
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as run:
        try:
            done = 0
            while done < 2000:
                done = int(run.stdout.readline())
            living = load(file)  # a run can be looked at while it goes on
        finally:
            os.kill(run.pid, signal.SIGKILL)
    assert living.status == "unfinished" and living.steps >= 1980
    result = load(file)
    assert result.status == "unfinished" and "did not come to its end" in result.message
    assert result.steps >= 1980
    np.testing.assert_allclose(result.step_times, 1e-3 * np.arange(result.steps + 1), rtol=1e-14)
    np.testing.assert_array_equal(result.state(-1).x, known_state(result.system, float(result.times[-1])).x)
    angle = 3.0 * result.times
    circle = np.column_stack((np.cos(angle), np.sin(angle)))
    np.testing.assert_allclose(result.position("plate.tip"), circle, atol=1e-12)
    file.with_name("cut.h5").write_bytes(file.read_bytes()[:-5000])
    with pytest.raises(InputError, match="end of the file is missing"):
        load(file.with_name("cut.h5"))
    recorded(plate_and_arm(), steps=3, file=file, overwrite=True)  # and its name can be used again
    assert load(file).status == "completed"


@pytest.mark.parametrize("on_disk", [False, True])
@pytest.mark.parametrize("after", ["frames", "all"])
def test_a_block_cut_short_by_the_user_is_written_whole_and_once(tmp_path, monkeypatch, on_disk, after):
    system = compile(plate_and_arm())
    file = tmp_path / "run.h5" if on_disk else None
    recorder = Recorder(system, file=file, every=2, block=5, integrator=DESCRIPTION, options={})
    recorder.start(known_state(system, 0.0), scalars(0.0, 2, 0.0))
    append = type(recorder._target).append

    def interrupted(self, block, *rest):
        if after == "all":
            append(self, block, *rest)
        raise KeyboardInterrupt

    for k in range(1, 9):
        if k == 6:
            monkeypatch.setattr(type(recorder._target), "append", interrupted)
        try:
            recorder.record(known_state(system, 0.1 * k), scalars(0.1 * k, 2, 0.1))
        except KeyboardInterrupt:
            break
    monkeypatch.undo()
    result = recorder.finish("interrupted", "", 0.0)
    np.testing.assert_allclose(result.step_times, 0.1 * np.arange(7), atol=1e-15)
    np.testing.assert_allclose(result.times, 0.2 * np.arange(4), atol=1e-15)
    np.testing.assert_array_equal(result.state(-1).x, known_state(system, 0.1 * 6).x)


def test_slow_runs_are_flushed_by_the_clock(tmp_path, monkeypatch):
    monkeypatch.setattr("condyle.results.recorder.FLUSH_SECONDS", 0.0)
    system = compile(plate_and_arm())
    recorder = Recorder(system, file=tmp_path / "run.h5", integrator=DESCRIPTION, options={})
    recorder.start(known_state(system, 0.0), scalars(0.0, 2, 0.0))
    recorder.record(known_state(system, 0.1), scalars(0.1, 2, 0.1))
    living = load(tmp_path / "run.h5")
    assert (living.steps, len(living), living.status) == (1, 2, "unfinished")
    recorder.finish("completed", "", 0.0)


def test_what_is_not_a_result_is_refused_with_advice(tmp_path):
    text, other, cut = tmp_path / "text.h5", tmp_path / "other.h5", tmp_path / "cut.h5"
    text.write_text("no HDF5")
    with h5py.File(other, "w") as file:
        file["x"] = np.zeros(3)
    recorded(plate_and_arm(), steps=50, file=tmp_path / "good.h5")
    cut.write_bytes((tmp_path / "good.h5").read_bytes()[:3000])
    for path, words in (
        (tmp_path / "none.h5", "no file .*none.h5"),
        (tmp_path, "is a folder.*good.h5"),
        (text, "not a Condyle result .no HDF5 file.*condyle.simulate"),
        (other, "HDF5 file, but not a Condyle result"),
        (cut, "damaged or incomplete"),
    ):
        with pytest.raises(InputError, match=words):
            load(path)
    with h5py.File(tmp_path / "good.h5", "r+") as file:
        file.attrs["format_version"] = 99
    with pytest.raises(InputError, match="newer format"):
        load(tmp_path / "good.h5")


def test_a_file_that_was_overwritten_is_noticed(tmp_path):
    recorded(plate_and_arm(), steps=5, file=tmp_path / "run.h5")
    old = load(tmp_path / "run.h5")
    with pytest.raises(InputError, match="exists already and was left alone"):
        recorded(plate_and_arm(), steps=5, file=tmp_path / "run.h5")
    recorded(plate_and_arm(), steps=5, file=tmp_path / "run.h5", overwrite=True)
    with pytest.raises(InputError, match="overwritten by another run"):
        old.position("plate")


def test_a_model_with_python_functions_is_stored_as_far_as_possible(tmp_path):
    model = plate_and_arm()
    model.add(cd.Load("push", "plate.tip", (1.0, 0.0), scale=cd.Function(lambda t: t)))
    made = recorded(model, steps=5, file=tmp_path / "run.h5")
    assert made.position("plate").shape == (6, 2)
    read = load(tmp_path / "run.h5")
    assert read.energy["total"][0] == 5.0 and read.steps == 5
    with pytest.raises(InputError, match=r"does not hold the whole model.*Load 'push'.*load\(.*model=model"):
        read.position("plate")
    given = load(tmp_path / "run.h5", model=model)
    np.testing.assert_array_equal(given.position("plate.tip"), made.position("plate.tip"))
    with pytest.raises(InputError, match="give the model that was simulated"):
        load(tmp_path / "run.h5", model=spinning_box()).position("box")


def test_a_saved_copy_and_a_saved_slice_read_the_same(tmp_path, plate):
    path = plate.save(tmp_path / "copy.h5")
    copy = load(path)
    np.testing.assert_array_equal(copy.position("arm"), plate.position("arm"))
    assert copy.model.to_dict() == plate.model.to_dict()
    part = plate[10:21]
    read = load(part.save(tmp_path / "part.h5"))
    np.testing.assert_array_equal(read.times, part.times)
    np.testing.assert_array_equal(read.joint_force("elbow"), part.joint_force("elbow"))
    np.testing.assert_array_equal(read.energy["kinetic"], part.energy["kinetic"])
    with pytest.raises(InputError, match="read from; save it under another name"):
        read.save(tmp_path / "part.h5")


# --- reading ----------------------------------------------------------------------------------------------------------


def test_points_follow_the_closed_form_in_the_plane(plate):
    t = plate.times
    c, s = np.cos(3.0 * t), np.sin(3.0 * t)
    corner = np.column_stack((c - 0.5 * s, s + 0.5 * c))
    rate = 3.0 * np.column_stack((-s - 0.5 * c, c - 0.5 * s))
    np.testing.assert_allclose(plate.position("plate.corner"), corner, atol=1e-14)
    np.testing.assert_allclose(plate.position(plate.model["plate"].at(1.0, 0.5)), corner, atol=1e-14)
    np.testing.assert_allclose(plate.velocity("plate.corner"), rate, atol=1e-13)
    np.testing.assert_allclose(plate.displacement("plate.corner"), corner - corner[0], atol=1e-14)
    np.testing.assert_allclose(plate.position("arm"), np.column_stack((c, s)), atol=1e-14)
    np.testing.assert_array_equal(plate.position("arm"), plate.position(plate.model["arm"]))


def test_angles_count_full_turns_and_may_be_relative(plate):
    t = plate.times
    assert 3.0 * t[-1] > 2.5 * 2.0 * np.pi
    np.testing.assert_allclose(plate.angle("plate"), 3.0 * t, atol=1e-12)
    np.testing.assert_allclose(plate.angle("arm", relative_to="plate"), 3.0 * t, atol=1e-12)
    np.testing.assert_allclose(plate.angle("plate", relative_to=plate.model["arm"]), -3.0 * t, atol=1e-12)
    np.testing.assert_allclose(plate.angular_velocity("arm"), 6.0, atol=1e-13)
    np.testing.assert_allclose(plate.rotation_matrix("plate"), [turn(3.0 * s, 2) for s in t], atol=1e-14)


@pytest.mark.parametrize("model", [plate_and_arm(), spinning_box()])
def test_angles_count_turns_between_frames_far_apart(model):
    result = recorded(model, steps=200, h=0.05, every=47)  # 7 rad from frame to frame
    axis = None if model.dimension == 2 else (0.0, 0.0, 2.0)
    np.testing.assert_allclose(result.angle(model.bodies[1], axis=axis), 3.0 * result.times, atol=1e-11)


def test_rotations_in_space_follow_the_closed_form():
    result = recorded(spinning_box(), steps=60)
    t = result.times
    R = np.array([turn(3.0 * s, 3) for s in t])
    np.testing.assert_allclose(result.directors("box"), R, atol=1e-14)
    np.testing.assert_allclose(result.rotation_matrix("box"), R, atol=1e-14)
    np.testing.assert_allclose(result.position("box.corner"), np.outer(t, [1, 0, 0]) + R @ [0.5, 1.0, 1.5], atol=1e-13)
    np.testing.assert_allclose(result.angle("box", axis=(0, 0, 1)), 3.0 * t, atol=1e-12)
    np.testing.assert_allclose(result.angle("box", axis=(0, 0, -5)), -3.0 * t, atol=1e-12)
    np.testing.assert_allclose(result.angle("ground", "box", axis=(0, 0, 1)), -3.0 * t, atol=1e-12)
    np.testing.assert_allclose(result.angular_velocity("box"), np.tile([0, 0, 3.0], (len(t), 1)), atol=1e-13)
    np.testing.assert_allclose(result.euler_angles("box", "zyx")[:, 0], 3.0 * t, atol=1e-12)
    half = 1.5 * t
    zero = 0.0 * t
    np.testing.assert_allclose(
        result.quaternion("box"), np.column_stack((np.cos(half), zero, zero, np.sin(half))), atol=1e-13
    )


@pytest.mark.parametrize("sequence", ["zxz", "xyz", "zyx"])
def test_euler_angles_and_quaternions_are_those_that_models_take(sequence):
    t = np.linspace(0.0, 6.0, 200)
    angles = np.column_stack((2.0 * t, 0.7 + 0.3 * np.sin(t), 0.1 - 3.0 * t))
    R = np.array([cd.rotation(euler=sequence, angles=a) for a in angles])
    np.testing.assert_allclose(rotations.euler_angles(R, sequence), angles, atol=1e-12)
    q = rotations.quaternions(R)
    np.testing.assert_allclose([cd.rotation(quaternion=k) for k in q], R, atol=1e-13)
    assert np.abs(np.diff(q, axis=0)).max() < 0.2  # continuous


def test_a_turn_about_an_axis_is_seen_through_a_tilt():
    t = np.linspace(0.0, 10.0, 300)
    R = np.array([cd.rotation(euler="xz", angles=(0.4 * np.sin(s), 2.0 * s)) for s in t])
    angle = np.unwrap(rotations.angle_about(R, (0.0, 0.0, 1.0)))
    np.testing.assert_allclose(angle, 2.0 * t, atol=1e-12)


def test_the_rotation_of_a_body_that_deforms_is_the_polar_part():
    model = Model("soft", dimension=2)
    material = cd.NeoHookean(young=1e5, poisson=0.3, density=1.0)
    model.add(cd.PseudoRigidBody.box("soft", (1.0, 1.0), 1.0, material=material))
    system = compile(model)
    state = State(0.0, system.x_start.copy(), np.zeros_like(system.x_start), np.zeros(len(system.multipliers)))
    recorder = Recorder(system, integrator={}, options={})
    anchor = system.anchors["soft"]
    stretch, W = np.array([[1.4, 0.2], [0.2, 0.8]]), np.array([[0.0, -2.0], [2.0, 0.0]])
    D = turn(0.3, 2) @ stretch
    state.x[list(anchor.directors)], state.v[list(anchor.directors)] = D.T, (W @ D).T
    recorder.start(state, scalars(0.0, 2, 0.0))
    result = recorder.finish("completed", "", 0.0)
    np.testing.assert_allclose(result.directors("soft")[0], D)
    np.testing.assert_allclose(result.rotation_matrix("soft")[0], turn(0.3, 2), atol=1e-14)
    np.testing.assert_allclose(result.angular_velocity("soft"), 2.0)


def test_slices_hold_their_frames_and_the_steps_between():
    result = recorded(plate_and_arm(), steps=30, every=2)
    part = result[3:9:2]
    np.testing.assert_array_equal(part.times, result.times[3:9:2])
    np.testing.assert_array_equal(part.step_times, result.step_times[6:15])
    assert part.steps == 8 and len(part.iterations) == 8
    np.testing.assert_array_equal(part.position("arm"), result.position("arm")[3:9:2])
    np.testing.assert_array_equal(part.displacement("arm"), result.displacement("arm")[3:9:2])
    np.testing.assert_array_equal(part.angle("arm"), result.angle("arm")[3:9:2])
    np.testing.assert_array_equal(part.joint_force("axle"), result.joint_force("axle")[2:8:2])
    np.testing.assert_array_equal(part[1:].times, part.times[1:])
    assert part.state(0).t == part.times[0] and result.at(1.27) == 6 and result.at(3.0) == 15
    for wrong in (lambda: result[40:], lambda: result[5:2], lambda: result[3], lambda: result.state(99)):
        with pytest.raises(InputError, match="frame"):
            wrong()
    for t in (-1.0, 4.0, np.nan):
        with pytest.raises(InputError, match="lies outside the result"):
            result.at(t)


def test_unknown_names_are_answered_with_the_nearest(plate):
    for read, words in (
        (lambda: plate.position("plat"), "no body 'plat'; did you mean 'plate'"),
        (lambda: plate.position("plate.cornr"), "no point 'cornr'; did you mean 'corner'"),
        (lambda: plate.angle("arn"), "did you mean 'arm'"),
        (lambda: plate.angle("elbow"), "not a body"),
        (lambda: plate.angle("plate", axis=(0, 0, 1)), "in 2D"),
        (lambda: plate.euler_angles("plate"), "3D models.*result.angle"),
        (lambda: plate.multipliers("elbo"), "unknown joint 'elbo'; did you mean 'elbow'"),
        (lambda: plate.joint_force("plate"), "no multipliers"),
    ):
        with pytest.raises(InputError, match=words):
            read()
    with pytest.raises(InputError, match="about which world axis"):
        recorded(spinning_box(), steps=1).angle("box")
    with pytest.raises(InputError, match="three of the axes"):
        recorded(spinning_box(), steps=1).euler_angles("box", "zz")


def test_bodies_without_directors_say_so():
    model = Model("parts", dimension=2)
    model.add(cd.PointMass("dot", 1.0, (5.0, 5.0)))
    result = recorded_still(model)
    with pytest.raises(InputError, match="PointMass 'dot' has no directors"):
        result.angle("dot")
    np.testing.assert_array_equal(result.position("dot"), [[5.0, 5.0]])


# --- multipliers ------------------------------------------------------------------------------------------------------


def test_multipliers_are_read_by_component_at_the_time_they_belong_to(plate):
    np.testing.assert_allclose(plate.multiplier_times, 0.1 * np.arange(60) + 0.05, atol=1e-13)
    names = [m for m in plate.system.multipliers if m.part == "elbow"]
    first = plate.system.multipliers.index(names[0])
    found = plate.multipliers("elbow")
    assert list(found) == ["x", "y"]
    np.testing.assert_allclose(found["x"], 10.0 * plate.times[1:] + first, rtol=1e-14)
    np.testing.assert_array_equal(plate.joint_force("elbow"), np.column_stack((found["x"], found["y"])))


@pytest.mark.parametrize("every", [1, 4])
def test_the_force_of_a_guide_turns_with_its_body(every):
    """A bead on a turning rail: the force on the bead is across the rail, as it stands in the middle of the step."""
    model = Model("rail", dimension=2)
    model.add(RigidBody.box("plate", (2.0, 0.1), 1.0, angular_velocity=3.0))
    model.add(RigidBody.box("arm", (0.1, 0.1), 1.0, position=(1.0, 0.0)))
    model.add(cd.Slider("rail", "plate", "arm", at=(1.0, 0.0)))
    result = recorded(model, steps=40, h=0.01, every=every)
    across = result.multipliers("rail")["across"]
    angle = 3.0 * result.multiplier_times
    expected = across[:, None] * np.column_stack((-np.sin(angle), np.cos(angle)))
    np.testing.assert_allclose(result.joint_force("rail"), expected, rtol=2e-3)


def test_a_single_translation_carries_force_along_its_direction():
    model = Model("held", dimension=3)
    model.add(RigidBody.box("box", (1.0, 1.0, 1.0), 1.0))
    model.add(cd.Translation("stop", model.ground, "box", at=(0.0, 0.0, 0.0), direction=(0.0, 0.0, 1.0)))
    model.add(cd.Spherical("far", "box", model.ground, at=(0.5, 0.0, 0.0)))
    result = recorded(model, steps=3, spin=0.0)
    force = result.joint_force("stop")
    np.testing.assert_allclose(force[:, :2], 0.0, atol=1e-15)
    np.testing.assert_allclose(force[:, 2], result.multipliers("stop")["translation"])


def test_the_force_of_a_tie_is_the_sum_over_its_nodes():
    model = Model("tied", dimension=2)
    material = cd.NeoHookean(young=1e5, poisson=0.3, density=1.0)
    nodes = [(0, 0), (1, 0), (1, 1), (0, 1)]
    model.add(cd.Solid("block", nodes, [(0, 1, 2, 3)], "quad4", material, sets={"left": [0, 3]}))
    model.add(cd.Tie("wall", "block", "left", "ground", enforcement="multiplier"))
    system = compile(model)
    recorder = Recorder(system, integrator={}, options={})
    state = State(0.0, system.x_start, system.v_start, np.zeros(4))
    recorder.start(state, scalars(0.0, 2, 0.0))
    recorder.record(State(0.1, system.x_start, system.v_start, np.array([1.0, 2.0, 30.0, 40.0])), scalars(0.1, 2, 0.1))
    result = recorder.finish("completed", "", 0.0)
    np.testing.assert_array_equal(result.joint_force("wall"), [[31.0, 42.0]])
    np.testing.assert_array_equal(result.multipliers("wall")["x"], [[1.0, 30.0]])


def test_the_joint_force_of_a_hanging_body_is_its_weight():
    """With the engine: the sign is that of the force on body b."""
    model = Model("hanging", dimension=2, gravity=(0.0, -10.0))
    box = model.add(RigidBody.box("box", (1.0, 1.0), 2.0, position=(0.0, -0.5)))
    model.add(cd.Spherical("hook", model.ground, box, at=(0.0, 0.0)))
    result = cd.simulate(model, end=0.05, dt=0.01)
    np.testing.assert_allclose(result.joint_force("hook"), np.tile([0.0, 20.0], (5, 1)), atol=1e-9)
    np.testing.assert_allclose(result.multiplier_times, 0.01 * np.arange(5) + 0.005)


def test_the_forces_of_all_joints_balance_inertia_and_weight():
    """On each body of a falling chain with different joints: m a = m g + joint forces."""
    model = Model("chain", dimension=3, gravity=(0.0, 0.0, -10.0))
    inertia = {"mass": 2.0, "inertia": (0.1, 0.2, 0.25)}
    one = model.add(RigidBody("one", position=(1.0, 0.0, 0.0), **inertia))
    two = model.add(RigidBody("two", position=(2.0, 0.2, 0.0), angular_velocity=(1.0, 0.0, 0.0), **inertia))
    model.add(cd.Revolute("hinge", model.ground, one, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    model.add(cd.Translation("guide", two, one, at=(1.5, 0.0, 0.0), direction=(0.0, 1.0, 1.0)))
    model.add(cd.Translation("guide2", one, two, at=(1.5, 0.0, 0.0), direction=(1.0, 1.0, 0.0)))
    result = cd.simulate(model, end=0.2, dt=0.01)
    force = {"one": result.joint_force("hinge") + result.joint_force("guide") - result.joint_force("guide2"),
             "two": result.joint_force("guide2") - result.joint_force("guide")}  # fmt: skip
    for name, total in force.items():
        acceleration = np.diff(result.velocity(name), axis=0) / 0.01
        np.testing.assert_allclose(total, 2.0 * (acceleration - [0.0, 0.0, -10.0]), atol=1e-9)


def test_a_frame_driven_by_a_function_is_read_like_a_body():
    model = Model("shaker", dimension=2)
    model.add(cd.Frame("table", angle=0.0))
    model.add(RigidBody.box("plate", (2.0, 1.0), 1.0))
    result = recorded_still(model)
    np.testing.assert_array_equal(result.angle("table"), [0.0])


def recorded_still(model):
    system = compile(model)
    recorder = Recorder(system, integrator={}, options={})
    recorder.start(State(0.0, system.x_start, system.v_start, np.zeros(len(system.multipliers))), scalars(0.0, 2, 0.0))
    return recorder.finish("completed", "", 0.0)


def test_show_names_the_model_how_it_was_solved_and_its_parts(tmp_path, capsys):
    model = cd.Model("stones", dimension=2, gravity=(0, -9.81))
    for k in range(15):
        model.add(cd.PointMass(f"stone {k}", 1.0, position=(k, 0)))
    model.add(cd.Load("wind", "stone 3", (1, 0), lambda t: t))  # a function that cannot be written
    result = cd.simulate(model, end=0.2, dt=0.1, file=tmp_path / "run.h5")
    from condyle.cli import main

    assert main(["show", str(tmp_path / "run.h5")]) == 0
    shown = capsys.readouterr().out
    for words in ("stones (2D)", "EnergyMomentum (", "0.1 s", "stone 0, stone 1,", "and 3 more", "Load", "wind"):
        assert words in shown
    assert result.part_names == cd.load(tmp_path / "run.h5").part_names


def test_the_summary_calls_round_off_of_the_largest_energy_none():
    model = cd.Model("bar", gravity=(0, 0, -9.81))
    bar = model.add(cd.RigidBody.box("bar", (0.05, 1.0, 0.05), 7800.0, position=(0, 0.5, 1e-40)))
    model.add(cd.Revolute("hinge", model.ground, bar, at=(0, 0, 0), axis=(1, 0, 0)))
    run = cd.simulate(model, end=0.1, dt=0.01)
    assert 0.0 < abs(run.energy["total"][0]) < 1e-30
    assert "energy           0 J at the start" in run.summary()


def test_the_command_line_says_what_contacts_have_taken_out_and_calls_it_no_drift(capsys):
    from condyle.tables import print_result

    model = cd.Model("ball", dimension=2, gravity=(0, -9.81))
    ball = model.add(cd.PointMass("ball", 1.0, (0.0, 0.01)))
    law = cd.SpringDashpot(1e5, ratio=0.3)
    model.add(cd.Contact("floor", ball, "nodes", model.ground, cd.Plane((0.0, 1.0)), law=law))
    run = cd.simulate(model, end=0.1, dt=1e-3)
    print_result("ball", run)
    shown = " ".join(capsys.readouterr().out.split())
    assert "of the largest energy taken out, by contacts too" in shown and "drift" not in shown
