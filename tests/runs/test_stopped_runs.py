"""Sweeps and identifications that were stopped, and folders that were damaged: what is said, and what goes on."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

import condyle as cd
import sweep_cases
from condyle.cli import main

VARY = {"width": [1.0, 2.0, 3.0]}


@pytest.mark.parametrize("text", [b"", b'{"number": 1, "par', b"[1, 2]", b'{"number": "1", "parameters": {}}', b"\xff"])
def test_a_case_whose_file_is_damaged_runs_again_and_is_named(tmp_path, text):
    cd.sweep(sweep_cases.area, VARY, workers=0, out=tmp_path)
    (tmp_path / "cases" / "000001.json").write_bytes(text)
    ran = []
    with pytest.warns(RuntimeWarning, match=r"000001\.json' is damaged: this case runs again"):
        found = cd.sweep(
            sweep_cases.area, VARY, workers=0, out=tmp_path, progress=lambda *seen: ran.append(seen[2].number)
        )
    assert ran == [1] and found.column("area").tolist() == [1.0, 2.0, 3.0]


@pytest.mark.parametrize("text", [b"", b'{"target": "ar', b"\xff"])
def test_a_damaged_plan_of_a_sweep_is_named_with_what_to_do(tmp_path, text):
    cd.sweep(sweep_cases.area, VARY, workers=0, out=tmp_path)
    (tmp_path / "sweep.json").write_bytes(text)
    with pytest.raises(cd.InputError, match=r"sweep\.json' is damaged: if .* delete this file and repeat the command"):
        cd.sweep(sweep_cases.area, VARY, workers=0, out=tmp_path)
    (tmp_path / "sweep.json").unlink()  # as the message says: what was kept is taken again
    ran = []
    cd.sweep(sweep_cases.area, VARY, workers=0, out=tmp_path, progress=lambda *seen: ran.append(seen))
    assert not ran


def test_cases_of_another_sweep_are_not_taken_where_its_plan_is_gone(tmp_path):
    cd.sweep(sweep_cases.area, VARY, workers=0, out=tmp_path)
    (tmp_path / "sweep.json").unlink()
    found = cd.sweep(sweep_cases.area, {"width": [1.0, 5.0]}, workers=0, out=tmp_path)
    assert found.column("area").tolist() == [1.0, 5.0]


@pytest.mark.parametrize("text", [b"", b'{\n  "model', b"\xff\xfe"])
def test_a_damaged_folder_of_an_identification_is_named_with_what_to_do(tmp_path, text):
    t, x = sweep_cases.swing(0.3, 40.0)["position"]
    unknowns = {"damping": cd.Unknown(0.1, 1.0), "stiffness": cd.Unknown(30.0, 50.0, 35.0)}
    data = cd.Measured("position", t, x)
    first = cd.identify(sweep_cases.swing, unknowns, data, out=tmp_path)
    (tmp_path / "identification.json").write_bytes(text)
    with pytest.raises(cd.InputError, match=r"identification\.json' is damaged: if .* delete this file and repeat"):
        cd.identify(sweep_cases.swing, unknowns, data, out=tmp_path)
    (tmp_path / "identification.json").unlink()
    with (tmp_path / "evaluations.jsonl").open("ab") as stream:
        stream.write(b"\xff\xfe nothing")  # a disk that was full
    again = cd.identify(sweep_cases.swing, unknowns, data, out=tmp_path)
    assert again.values == first.values and again.runs == first.runs


MODEL = """
name: pendulum
dimension: 2
gravity: [0, -9.81]
parameters:
  grease: {value: 3 N m s, low: 0.1 N m s, high: 50 N m s}
parts:
  bar: {type: RigidBody, mass: 10 kg, inertia: 1 kg m², position: [0.5 m, 0 m]}
  hinge: {type: Pin, a: ground, b: bar, at: [0 m, 0 m]}
  damper: {type: CoordinateDamper, coordinate: hinge.angle, damping: grease}
run: {end: 0.5 s, dt: 10 ms}
curves:
  angle: {coordinate: hinge.angle}
outputs:
  lowest: angle.min
"""
TASK = """
model: pendulum.yaml
unknowns: {grease: {start: 2}, bar.mass: {low: 5 kg, high: 20 kg, start: 8 kg}}
measured: [{file: angle.csv, curve: angle}]
method: evolution
most_runs: 150
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "pendulum.yaml").write_text(MODEL)
    (tmp_path / "task.yaml").write_text(TASK)
    times, angle = cd.file_simulation(tmp_path / "pendulum.yaml")(grease=7.0, **{"bar.mass": 12.0})["angle"]
    rows = [f"{t},{y + 1e-3 * (-1) ** k}" for k, (t, y) in enumerate(zip(times, angle, strict=True))]
    (tmp_path / "angle.csv").write_text("\n".join(["time [s],angle [rad]", *rows]))
    return tmp_path


def _stopped(folder, command, file, lines, how):
    """The command in a process of its own, sent a signal when the folder or file has so many entries."""
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.Popen(
        [sys.executable, "-m", "condyle", *command], cwd=folder, env=paths, stderr=subprocess.PIPE, text=True
    )

    def entries():
        if file.is_dir():
            return len(list(file.glob("*.json")))
        return len(file.read_bytes().splitlines()) if file.is_file() else 0

    until = time.monotonic() + 120.0
    while entries() < lines and run.poll() is None and time.monotonic() < until:
        time.sleep(0.005)
    assert run.poll() is None, run.stderr.read()
    run.send_signal(how)
    said = run.communicate(timeout=60)[1]
    return run.returncode, " ".join(said.split())


def test_an_identification_that_is_killed_goes_on_to_the_same_values(folder, monkeypatch, capsys):
    monkeypatch.chdir(folder)
    kept = folder / "out" / "evaluations.jsonl"
    command = ["identify", "task.yaml", "--workers", "0"]
    _stopped(folder, [*command, "--out", "out"], kept, 20, signal.SIGKILL)
    before = kept.read_bytes().splitlines()
    assert 20 <= len(before) < 150
    assert main([*command, "--out", "out"]) in (0, 1)
    assert main([*command, "--out", "straight"]) in (0, 1)
    lines = [(folder / name / "evaluations.jsonl").read_bytes().splitlines() for name in ("out", "straight")]
    assert lines[0][: len(before) - 1] == before[:-1]
    assert set(lines[0]) - set(before[-1:]) <= set(lines[1]) and len(lines[1]) <= len(lines[0]) <= len(lines[1]) + 1
    assert (folder / "out" / "values.json").read_bytes() == (folder / "straight" / "values.json").read_bytes()


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM], ids=["ctrl-c", "kill"])
def test_an_interruption_says_what_is_kept_and_how_to_go_on(folder, how):
    code, said = _stopped(
        folder,
        ["identify", "task.yaml", "--workers", "0", "--out", "out"],
        folder / "out" / "evaluations.jsonl",
        5,
        how,
    )
    assert code == 130 and "Traceback" not in said
    assert "condyle: interrupted: " in said and "runs are kept in 'out'; the same command goes on from there" in said


def test_an_interrupted_sweep_says_how_many_cases_are_kept(folder):
    command = ["sweep", "pendulum.yaml", "--vary", "grease=1:50:4000", "--workers", "1", "--out", "out"]
    code, said = _stopped(folder, command, folder / "out" / "cases", 3, signal.SIGINT)
    assert code == 130 and "Traceback" not in said
    assert "finished cases are kept in 'out'; the same command goes on with the others" in said


def test_a_scheduler_without_workers_is_named(monkeypatch, capsys):
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr("condyle.runs.workers.WORKER_TIME", 0.2)
    with distributed.LocalCluster(n_workers=0, processes=False, dashboard_address=None, silence_logs=50) as cluster:

        def grow():
            time.sleep(1.5)
            cluster.scale(1)

        import threading

        later = threading.Thread(target=grow)
        later.start()
        found = cd.sweep(sweep_cases.area, {"width": [1.0]}, scheduler=cluster.scheduler_address)
        later.join()
    assert found.column("area").tolist() == [1.0]
    assert "has no workers, it waits: start some with 'dask worker tcp://" in capsys.readouterr().err.replace(
        "inproc://", "tcp://"
    )
