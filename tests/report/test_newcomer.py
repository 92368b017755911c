"""The way of a newcomer on the command line: a file to begin with, checked, run, looked at, and run with other numbers."""

from __future__ import annotations

import csv
import json

import pytest

from condyle.cli import main


def test_from_a_new_file_to_a_page_and_a_sweep_on_a_cluster(tmp_path, monkeypatch, capsys):
    distributed = pytest.importorskip("distributed")
    monkeypatch.chdir(tmp_path)
    assert main(["new", "pendulum"]) == 0
    assert main(["check", "pendulum.yaml"]) == 0
    assert "no mistakes" in capsys.readouterr().out

    assert main(["run", "pendulum.yaml", "--quiet"]) == 0
    folder = tmp_path / "results" / "pendulum"
    assert all(verdict["ok"] for verdict in json.loads((folder / "claims.json").read_text()))
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert "condylePage" in page and len(page) < 5e6

    (result,) = folder.glob("*.h5")
    assert main(["report", str(result), "-o", "pendulum.html"]) == 0
    assert (tmp_path / "pendulum.html").is_file()

    with distributed.LocalCluster(n_workers=1, processes=False, dashboard_address=None) as cluster:
        address = cluster.scheduler_address
        code = main(["sweep", "pendulum.yaml", "--vary", "length=20:90:8cm", "--scheduler", address, "--out", "swept"])
    assert code == 0
    with (tmp_path / "swept" / "table.csv").open(newline="", encoding="utf-8") as file:
        lengths = [float(row["length"]) for row in csv.DictReader(file)]
    assert lengths == pytest.approx([0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])


def test_a_mistake_in_the_file_is_named_with_its_line(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    main(["new", "pendulum"])
    file = tmp_path / "pendulum.yaml"
    file.write_text(file.read_text().replace("mass: mass", "mass: 3 m", 1))
    assert main(["check", "pendulum.yaml"]) == 2
    shown = capsys.readouterr().out
    assert "pendulum.yaml:" in shown and "kg" in shown
