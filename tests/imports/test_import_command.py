"""Choosing a reader by the file, and `condyle import` as a newcomer would use it."""

from __future__ import annotations

import json

import numpy as np
import pytest

import condyle as cd
from condyle.cli import main
from condyle.imports.registry import READERS, import_model
from mujoco_side import DATA


@pytest.mark.parametrize(
    ("file", "options"),
    [
        ("tumbler.xml", {"contacts": True}),
        ("pulled_arm.xml", {"keyframe": "bent"}),
        ("four_bar.xml", {}),
        ("arm.urdf", {"contacts": True}),
        ("cube.feb", {"length": 1e-3}),
        ("punch.feb", {}),
    ],
)
def test_written_models_are_the_same_when_read(file, options, tmp_path):
    made = import_model(DATA / file, **options)
    written = cd.write_model(made.model, tmp_path / "model.yaml")
    assert cd.read_model(written).to_dict() == made.model.to_dict()


def test_a_newcomer_imports_checks_and_runs(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["import", str(DATA / "pulled_arm.xml"), "--set", "keyframe=bent"]) == 0
    said = capsys.readouterr().out
    assert "MJCF file" in said and "left out or changed" in said and "written: pulled_arm.yaml" in said
    assert main(["check", "pulled_arm.yaml"]) == 0
    assert main(["simulate", "pulled_arm.yaml", "--end", "0.01", "--dt", "0.001"]) == 0
    result = cd.load("pulled_arm.h5")
    assert result.times[-1] == pytest.approx(0.01) and np.ptp(result.coordinate("elbow.angle")) > 1e-4
    assert main(["export", "pulled_arm.h5", "-o", "pulled_arm.glb"]) == 0


def test_what_was_read_is_said_as_json(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert main(["import", str(DATA / "arm.urdf"), "-o", "robot.yaml", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["format"] == "URDF" and said["written"] == "robot.yaml"
    assert said["coordinates"]["bend"] == "bend.angle"
    assert {item["name"] for item in said["left_out"]} >= {"tool", "extend"}


def test_a_model_file_that_exists_is_kept(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "arm.yaml").write_text("mine", encoding="utf-8")
    assert main(["import", str(DATA / "arm.urdf")]) == 2
    assert "is there already" in capsys.readouterr().err
    assert (tmp_path / "arm.yaml").read_text(encoding="utf-8") == "mine"
    assert main(["import", str(DATA / "arm.urdf"), "--overwrite"]) == 0


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("model.fbx", "x", "unknown format of model files '.fbx'"),
        ("model.xml", "<opencv/>", "its root element is 'opencv', which no reader knows"),
        ("model.xml", "no xml", "not well-formed XML"),
        ("model.xml", "<!DOCTYPE a [<!ENTITY b 'c'>]><mujoco/>", "declares the entity 'b'"),
        ("gone.xml", None, "there is no file"),
    ],
)
def test_files_that_no_reader_knows_are_refused(tmp_path, name, content, said, capsys):
    file = tmp_path / name
    if content is not None:
        file.write_text(content, encoding="utf-8")
    assert main(["import", str(file), "-o", str(tmp_path / "out.yaml")]) == 2
    assert said in capsys.readouterr().err


def test_options_are_those_of_the_reader(tmp_path, capsys):
    assert main(["import", str(DATA / "arm.urdf"), "-o", str(tmp_path / "a.yaml"), "--set", "contact=true"]) == 2
    assert "unknown option 'contact'; did you mean 'contacts'" in capsys.readouterr().err
    assert main(["import", str(DATA / "arm.urdf"), "-o", str(tmp_path / "a.yaml"), "--set", "contacts"]) == 2
    assert "write NAME=VALUE" in capsys.readouterr().err
    assert main(["import", str(DATA / "arm.urdf"), "-o", str(tmp_path / "a.yaml"), "--set", "contacts=yes"]) == 2
    assert "the option contacts is true or false, not 'yes'" in capsys.readouterr().err
    assert main(["import", str(DATA / "cube.feb"), "-o", str(tmp_path / "a.yaml"), "--set", "length=mm"]) == 2
    assert "the option length is a number, not 'mm'" in capsys.readouterr().err


def test_every_reader_can_be_found():
    from importlib import import_module

    for module in set(READERS.values()):
        assert callable(import_module(f"condyle.imports.{module}").read)


def test_large_meshes_stand_beside_the_model_file(tmp_path):
    pytest.importorskip("meshio")
    model = cd.Model("pad")
    mesh = cd.Mesh.block((0.1, 0.1, 0.1), (8, 8, 8), element="tet4")
    soft = cd.NeoHookean(1e6, 0.3, density=1000.0)
    model.add(cd.Solid.from_mesh("soft pad", mesh, soft, sets={"corner": [0, 1, 2]}))
    file = cd.write_model(model, tmp_path / "pad.yaml")
    assert (tmp_path / "pad-soft-pad.vtu").is_file() and file.stat().st_size < 30_000
    again = cd.read_model(file)
    assert again.to_dict() == model.to_dict()
    with pytest.raises(cd.InputError, match="is there already"):
        cd.write_model(model, tmp_path / "pad.yaml")
