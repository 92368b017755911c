"""Sweeps: cases on several processes, kept as they are finished, one table."""

from __future__ import annotations

import csv
import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import condyle as cd
import sweep_cases
from condyle.cli import main


def test_a_function_of_ones_own_gives_a_table(tmp_path):
    seen = []
    found = cd.sweep(
        sweep_cases.area, {"width": "1:3:3", "height": [2.0, 4.0]}, out=tmp_path, workers=2,
        progress=lambda count, total, case: seen.append((count, total)),
    )  # fmt: skip
    assert sorted(seen) == [(k, 6) for k in range(1, 7)]
    assert found.column("area").tolist() == [2.0, 4.0, 4.0, 8.0, 6.0, 12.0]
    with (tmp_path / "table.csv").open() as stream:
        rows = list(csv.DictReader(stream))
    assert [float(row["half"]) for row in rows] == [1.0, 2.0, 2.0, 4.0, 3.0, 6.0]
    assert found.to_pandas().loc[5, "area"] == 12.0
    assert repr(found) == "<sweep of area over width, height: 6 cases>"


def test_failed_cases_are_kept_with_their_reason():
    found = cd.sweep(sweep_cases.mostly, {"number": [1, 2, 3, 4]}, workers=0)
    assert [case.number for case in found.failed] == [1, 2]
    assert [case.problem for case in found.failed] == ["ZeroDivisionError: two is too much", "it gave no finite number"]
    assert found.column("value").tolist() == [1.0, 4.0]


def test_a_worker_that_dies_loses_no_finished_case(tmp_path):
    found = cd.sweep(sweep_cases.deadly, {"number": [0, 1, 2, 3, 4, 5]}, fixed={"folder": str(tmp_path)}, workers=2)
    assert found.column("value").tolist() == [0.0, 1.0, 3.0, 4.0, 5.0]
    assert [case.problem for case in found.failed] == ["its process died: out of memory, or a crash"]
    runs = [len((tmp_path / f"{number}").read_text()) for number in range(6)]
    assert runs == [1, 2, 2, 1, 1, 1]  # only those whose own process died ran twice


def test_a_worker_does_what_it_was_asked_to_do_at_its_end(tmp_path):
    """It leaves without taking down what is loaded, but not before that."""
    cd.sweep(sweep_cases.saying_goodbye, {"number": [0, 1]}, fixed={"folder": str(tmp_path)}, workers=2)
    assert [(tmp_path / f"{number}").read_text() for number in range(2)] == ["goodbye", "goodbye"]


def test_a_sweep_that_was_stopped_goes_on_where_it_was(tmp_path):
    vary = {"width": [1.0, 2.0, 3.0, 4.0]}

    def stop(count, total, case):
        if count == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cd.sweep(sweep_cases.area, vary, out=tmp_path, workers=0, progress=stop)
    kept = {file.name: file.stat().st_mtime_ns for file in (tmp_path / "cases").iterdir()}
    assert sorted(kept) == ["000000.json"]  # the second was not handed on
    ran = []
    found = cd.sweep(sweep_cases.area, vary, out=tmp_path, workers=0, progress=lambda *seen: ran.append(seen[2].number))
    assert ran == [1, 2, 3]
    assert found.column("area").tolist() == [1.0, 2.0, 3.0, 4.0]
    assert (tmp_path / "cases" / "000000.json").stat().st_mtime_ns == kept["000000.json"]
    with pytest.raises(cd.InputError, match="holds another sweep"):
        cd.sweep(sweep_cases.area, {"width": [1.0]}, out=tmp_path, workers=0)
    assert len(cd.sweep(sweep_cases.area, {"width": [1.0]}, out=tmp_path, workers=0, overwrite=True)) == 1


def test_a_sweep_that_is_killed_leaves_no_worker_and_goes_on_where_it_was(tmp_path):
    cases, kept = tmp_path / "ran", tmp_path / "sweep" / "cases"
    cases.mkdir()
    vary, fixed = {"number": list(range(40))}, {"folder": str(cases)}
    script = f"""if __name__ == "__main__":
    import condyle, sweep_cases
    condyle.sweep(sweep_cases.slow, {vary}, fixed={fixed}, out={str(kept.parent)!r}, workers=2)
"""
    (tmp_path / "script.py").write_text(script)
    paths = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.Popen([sys.executable, "script.py"], cwd=tmp_path, env=paths)
    while len(list(kept.glob("*.json"))) < 5:
        time.sleep(0.02)
        assert run.poll() is None
    run.send_signal(signal.SIGKILL)
    run.wait()
    finished = {file.stem: file.read_bytes() for file in kept.glob("*.json")}
    workers = {int(line) for file in cases.iterdir() for line in file.read_text().split()}
    assert len(workers) == 2
    for worker in workers:  # they would wait for work for ever
        for _ in range(200):
            if not _alive(worker):
                break
            time.sleep(0.05)
        assert not _alive(worker)
    before = {file.name: file.read_text() for file in cases.iterdir()}
    found = cd.sweep(sweep_cases.slow, vary, fixed=fixed, out=kept.parent, workers=2)
    assert found.column("value").tolist() == list(range(40))
    for name, text in finished.items():
        assert (kept / f"{name}.json").read_bytes() == text
        assert (cases / f"{int(name)}").read_text() == before[f"{int(name)}"]  # it did not run again


def _alive(process):
    """Whether there is such a process; one that has ended and that nobody has asked about is none."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False
    return state != "Z"


def test_numbers_of_numpy_are_kept_in_files(tmp_path):
    given = {"width": np.arange(1, 4)}
    found = cd.sweep(sweep_cases.area, given, fixed={"height": np.int64(2)}, workers=0, out=tmp_path)
    assert found.column("area").tolist() == [2.0, 4.0, 6.0]
    ran = []
    cd.sweep(
        sweep_cases.area, given, fixed={"height": np.int64(2)}, workers=0, out=tmp_path,
        progress=lambda *seen: ran.append(seen),
    )  # fmt: skip
    assert not ran


def test_a_study_gives_what_its_claims_compute(tmp_path):
    found = cd.sweep("spicka-ball", {"hertz": "log 1e5:1e6:2"}, quick=True, workers=0, out=tmp_path)
    depth = found.column("Hertz: depth")
    assert depth[0] == pytest.approx(0.03501, abs=2e-4)
    for k, s in zip((1e5, 1e6), depth, strict=True):
        assert k * s**2.5 / 2.5 == pytest.approx(9.81 * (0.9 + s), rel=5e-3)
    assert found.units["Hertz: depth"] == "m"


def test_results_files_of_every_case_are_kept_if_asked_for(tmp_path):
    cd.sweep("spicka-ball", {"hertz": [1e5, 2e5]}, quick=True, workers=0, out=tmp_path, keep_results=True)
    for number in ("000000", "000001"):
        assert cd.load(tmp_path / "results" / number / "impact-Hertz.h5").status == "completed"


def test_a_table_is_written_by_the_ending_of_its_file(tmp_path, monkeypatch):
    found = cd.sweep(sweep_cases.area, {"width": [1.0, 2.0]}, workers=0)
    with pytest.raises(cd.InputError, match="a table ends in"):
        found.save(tmp_path / "table.txt")

    whole = found.save(tmp_path / "whole.parquet")
    assert pd.read_parquet(whole)["area"].tolist() == [1.0, 2.0]

    def missing(*given, **options):
        raise ImportError("pyarrow")

    monkeypatch.setattr("pandas.DataFrame.to_parquet", missing)
    with pytest.raises(cd.InputError, match="needs pandas and pyarrow"):
        found.save(tmp_path / "table.parquet")


def test_indices_of_sensitivity_are_those_of_salib():
    analysis = pytest.importorskip("SALib.analyze.sobol")
    span = cd.Span(-math.pi, math.pi)
    found = cd.sweep(sweep_cases.ishigami, dict.fromkeys("xyz", span), design="saltelli", samples=256, workers=0)
    indices, values = found.sensitivity("value"), found.column("value").reshape(5, 256)
    listed = np.stack([values[0], *values[2:], values[1]], axis=1).ravel()  # SALib has the second sample last
    problem = {"num_vars": 3, "names": list("xyz"), "bounds": [[-math.pi, math.pi]] * 3}
    other = analysis.analyze(problem, listed, calc_second_order=False)
    assert list(indices.total.values()) == pytest.approx(other["ST"], abs=1e-9)
    assert list(indices.first.values()) == pytest.approx(other["S1"], abs=1e-3)  # means are taken off in another order


def test_indices_of_sensitivity_are_those_of_ishigamis_function():
    span = cd.Span(-math.pi, math.pi)
    found = cd.sweep(sweep_cases.ishigami, dict.fromkeys("xyz", span), design="saltelli", samples=1024, workers=0)
    indices = found.sensitivity("value")
    assert indices.first == pytest.approx({"x": 0.3139, "y": 0.4424, "z": 0.0}, abs=0.03)
    assert indices.total == pytest.approx({"x": 0.5576, "y": 0.4424, "z": 0.2437}, abs=0.03)
    low, high = indices.total_interval["z"]
    assert low < 0.2437 < high
    assert found.plot_sensitivity("value").axes[0].get_ylabel().endswith("value")


def test_figures_of_one_two_and_three_parameters():
    one = cd.sweep(sweep_cases.area, {"width": cd.Span(1.0, 100.0, 3, log=True)}, workers=0)
    panel = one.plot().axes[0]
    assert panel.get_xscale() == "log" and panel.get_lines()[0].get_ydata().tolist() == pytest.approx(
        [1.0, 10.0, 100.0]
    )
    two = cd.sweep(sweep_cases.area, {"width": [1.0, 2.0, 3.0], "height": [1.0, 2.0]}, workers=0)
    assert len(two.plot("area").axes[0].get_lines()) == 2
    assert two.plot_map("area").axes[0].get_xlabel() == "width"
    three = cd.sweep(
        sweep_cases.ishigami, dict.fromkeys("xyz", cd.Span(0.0, 1.0)), design="latin", samples=5, workers=0
    )
    assert len(three.plot_parallel("value").axes[0].get_lines()) == 5
    cube = cd.sweep(sweep_cases.ishigami, {"x": cd.Span(0, 1, 3), "y": [0.0, 1.0], "z": [1.0, 2.0]}, workers=0)
    maps = [ax.get_title() for ax in cube.plot_map("value").axes]
    assert maps == ["z 1", "z 2", ""]  # and the bar of colours, which both share
    with pytest.raises(cd.InputError, match="a map has two parameters"):
        three.plot_map("value")
    with pytest.raises(cd.InputError, match="need design='saltelli'"):
        three.sensitivity("value")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (dict(target="spicka-bal", vary={"mass": [1.0]}), "did you mean 'spicka-ball'"),
        (dict(target="spicka-ball", vary={"mas": [1.0]}), "did you mean 'mass'"),
        (dict(target="spicka-ball", vary={"mas": "1:2:2 kg"}), "did you mean 'mass'"),
        (dict(target="spicka-ball", vary={"mass": "1:2:2 m"}), "'m' is a unit of another dimension"),
        (dict(target="spicka-ball", vary={"mass": [1.0]}, fixed={"mass": 1.0}), "varied and fixed at once"),
        (dict(target="spicka-ball", vary={"steps": "80:81:3"}), "takes a whole number"),
        (dict(target=sweep_cases.area, vary={"width": [1.0]}, workers=-1), "-1 workers"),
        (dict(target=sweep_cases.area, vary={"width": [1.0]}, keep_results=True), "give out="),
    ],
)
def test_a_wrong_sweep_is_refused_before_it_runs(arguments, message):
    with pytest.raises(cd.InputError, match=message):
        cd.sweep(**arguments)


def test_the_command_writes_table_and_figures(tmp_path, capsys):
    out = tmp_path / "sweep"
    command = ["sweep", "spicka-ball", "--quick", "--workers", "0", "--out", str(out)]
    assert main([*command, "--vary", "hertz=1e5,1e6", "--vary", "mass=500,1000 g", "--parquet"]) == 0
    printed = capsys.readouterr().out
    assert "mass (g)" in printed and str(out / "map.png") in printed
    assert (out / "responses.png").stat().st_size > 1000
    with (out / "table.csv").open() as stream:
        assert [float(row["mass"]) for row in csv.DictReader(stream)] == [0.5, 1.0, 0.5, 1.0]
    assert pd.read_parquet(out / "table.parquet")["mass"].tolist() == [0.5, 1.0, 0.5, 1.0]
    # Finished: nothing runs a second time, and the table is there for machines.
    assert main([*command, "--vary", "hertz=1e5,1e6", "--vary", "mass=500,1000 g", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)) == 4
    assert main([*command, "--vary", "hertz"]) == 2
    assert "write name=low:high:count" in capsys.readouterr().err


def test_a_scheduler_that_does_not_answer_is_named(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("condyle.runs.workers.CONNECT_TIME", 0.5)
    with pytest.raises(cd.InputError, match="does not answer"):
        cd.sweep(sweep_cases.area, {"width": [1.0]}, scheduler="tcp://127.0.0.1:9")
    with pytest.raises(
        cd.InputError, match="'somewhere' is no address of a scheduler; start one with 'dask scheduler'"
    ):
        cd.sweep(sweep_cases.area, {"width": [1.0]}, scheduler="somewhere")


def test_a_scheduler_that_goes_away_is_named_and_finished_cases_are_kept(tmp_path):
    distributed = pytest.importorskip("distributed")
    vary = {"width": [1.0, 2.0, 3.0, 4.0]}
    cluster = distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None, silence_logs=50)
    ended = []

    def end(count, total, case):
        if count == 2:
            cluster.close()
            ended.append(count)

    with cluster, pytest.raises(cd.CondyleError, match="went away; start one and repeat this"):
        cd.sweep(sweep_cases.sleepy, vary, scheduler=cluster.scheduler_address, out=tmp_path, progress=end)
    assert ended and not (tmp_path / "table.csv").exists()
    ran = []
    found = cd.sweep(
        sweep_cases.sleepy, vary, workers=0, out=tmp_path, progress=lambda *seen: ran.append(seen[2].number)
    )
    assert len(found.good) == 4 and 0 not in ran


def test_a_dask_cluster_runs_the_cases():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster:
        found = cd.sweep(sweep_cases.area, {"width": [1.0, 2.0, 3.0]}, scheduler=cluster.scheduler_address)
    assert found.column("area").tolist() == [1.0, 2.0, 3.0]


def test_a_dask_worker_that_is_killed_loses_no_finished_case(tmp_path):
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(
        n_workers=1, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    )
    with cluster:
        found = cd.sweep(
            sweep_cases.kills_its_worker, {"number": [0, 1, 2, 3, 4, 5]}, fixed={"folder": str(tmp_path)},
            scheduler=cluster.scheduler_address, out=tmp_path / "sweep",
        )  # fmt: skip
    assert not found.failed and found.column("value").tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]
    assert len(list(tmp_path.glob("3-*"))) == 2  # it ran again, with another worker
    assert len(list((tmp_path / "sweep" / "cases").glob("*.json"))) == 6
