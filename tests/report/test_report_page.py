"""What a page is made of, without a browser: arrays, scene, curves, tree, previews, errors, commands."""

from __future__ import annotations

import base64
import json
import re
import zlib

import numpy as np
import pytest

import condyle as cd
import zoo
from condyle.cli import main
from condyle.geometry.drawing import triangulated
from condyle.report.curves import MOST_POINTS, Plot, plots
from condyle.report.packing import Block
from condyle.report.page import page_data, page_text
from condyle.report.preview import preview
from condyle.report.scene import Scene
from condyle.report.tree import model_tree
from condyle.study import plain_name


def pendulum(name: str = "pendulum") -> cd.Model:
    model = cd.Model(name, dimension=3, gravity=(0, 0, -9.81))
    bar = model.add(cd.RigidBody.box("bar", size=(0.05, 1.0, 0.05), density=7800.0, position=(0, 0.5, 0)))
    model.add(cd.Revolute("hinge", model.ground, bar, at=(0, 0, 0), axis=(1, 0, 0)))
    return model


@pytest.fixture(scope="module")
def swing() -> cd.Result:
    return cd.simulate(pendulum(), end=0.3, dt=0.01)


def unpacked(arrays: str, place: dict) -> np.ndarray:
    raw = zlib.decompress(base64.b64decode(arrays))
    kinds = {"f4": np.float32, "u2": np.uint16, "u4": np.uint32}
    return np.frombuffer(raw, kinds[place["kind"]], place["count"], place["at"])


def test_arrays_come_back_from_the_block():
    block = Block()
    places = [block.add([1, 2, 3], "u2"), block.add([0.5, -2.0], "f4"), block.add([7], "u4")]
    steps = block.add_between(np.array([-1.0, 0.0, np.nan, 3.0]), -1.0, 3.0)
    text = block.text()
    assert [unpacked(text, p).tolist() for p in places] == [[1, 2, 3], [0.5, -2.0], [7]]
    assert unpacked(text, steps).tolist() == [0, 16384, 0, 65535]


def test_places_in_the_page_are_those_of_the_result(swing: cd.Result):
    about, arrays = page_data(swing)
    (run,) = about["runs"]
    bar = next(item for item in run["items"] if item["name"] == "bar")
    boxes = unpacked(arrays, bar["boxes"]).reshape(-1, 6)
    places = (
        unpacked(arrays, bar["places"]).reshape(len(boxes), -1, 3) / 65535 * boxes[:, None, 3:] + boxes[:, None, :3]
    )
    scene = Scene(swing)
    number = [item.name for item in scene.items].index("bar")
    for frame in (0, 17, 30):
        expected = np.array([point.at(scene.rows(frame)) for point in scene.items[number].points])
        assert np.abs(places[frame] - expected).max() < 2e-5
    assert run["frames"] == pytest.approx(swing.times.tolist())
    assert run["up"] == [0.0, 0.0, 1.0]


def test_a_page_stands_alone_and_nothing_in_the_data_can_end_its_script():
    model = pendulum("</script><script>alert(1)</script>")
    text = page_text(preview(model), title="<b>&</b>", text="</script>")
    assert not re.search(r"(src|href)\s*=\s*[\"']?https?:", text)
    assert text.count("</script>") == 4 and "<title>&lt;b&gt;" in text
    about = re.search(r'id="about">(.*?)</script>', text, re.S)
    assert about and json.loads(about.group(1))["runs"][0]["label"] == model.name


def test_curves_are_thinned_but_keep_their_peaks():
    times = np.linspace(0.0, 1.0, 50_000)
    values = np.sin(40.0 * times)
    values[12_345] = 9.0
    thin = Plot("p", "", times, {"v": values}).thinned()
    assert len(thin.times) <= 4 * MOST_POINTS and thin.series["v"].max() == 9.0
    assert thin.times[0] == 0.0 and thin.times[-1] == 1.0


def test_curves_of_a_run_have_units(swing: cd.Result):
    found = {plot.title: plot for plot in plots(swing)}
    assert found["energy"].unit == "J" and found["joint angles"].unit == "deg"
    angle = np.rad2deg(swing.coordinate("hinge.angle"))
    assert np.allclose(found["joint angles"].series["hinge.angle"], angle)


def test_the_tree_writes_places_with_few_digits():
    model = pendulum()
    model.add(cd.Ligament("band", [model.ground.at(1 / 3, 0, 0.3), model["bar"].at(0.2, 0, 0)], 30.0, slack_length=0.4))
    text = str(next(kind for kind in model_tree(model) if kind["kind"] == "Ligament"))
    assert "0.333333" in text and "0.3333333" not in text


def test_the_tree_tells_values_with_units():
    (kind, *_) = model_tree(pendulum())
    assert kind["kind"] == "RigidBody" and kind["count"] == 1
    values = {name: (value, unit) for name, value, unit in kind["parts"][0]["values"]}
    assert values["mass"] == ("19.5", "kg")


LOOKED_AT = (
    "forces in space", "rod in space",
    "joints in the plane, multiplier", "joints in space, multiplier", "tri6, mean dilatation", "hex20, Ogden",
    "surfaces bonded in the plane", "cables in the plane", "winch", "beams in space", "exact beams in the plane",
    "curved plate", "shell", "brick", "joint library, multiplier", "coordinates in space", "rolling in the plane",
    "muscles in the plane", "muscles in space",
)  # fmt: skip


@pytest.mark.parametrize("name", LOOKED_AT)
def test_every_kind_of_model_can_be_looked_at_before_it_runs(name: str):
    about, _ = page_data(preview(zoo.ZOO[name]()), before=True)
    assert about["runs"][0]["items"] and about["runs"][0]["status"] == "not yet run"


SHAPES = {
    "sphere": (cd.geometry.Sphere(0.2), 4.0 / 3.0 * np.pi * 0.2**3),
    "ellipsoid": (cd.geometry.Ellipsoid((0.1, 0.2, 0.3)), 4.0 / 3.0 * np.pi * 0.006),
    "capsule": (cd.geometry.Capsule(0.1, 0.4), np.pi * 0.01 * 0.4 + 4.0 / 3.0 * np.pi * 0.001),
    "cylinder": (cd.geometry.Cylinder(0.1, 0.4), np.pi * 0.01 * 0.4),
    "cone": (cd.geometry.Cone(0.3, 0.5), np.pi * 0.09 * 0.5 / 3.0),
    "box": (cd.geometry.Box((0.1, 0.2, 0.3), centre=(1, 2, 3)), 0.006),
}


@pytest.mark.parametrize("name", SHAPES)
def test_triangles_of_a_shape_hold_its_volume(name: str):
    shape, volume = SHAPES[name]
    points, triangles = triangulated(shape)
    a, b, c = (points[triangles[:, k]] for k in range(3))
    assert abs(np.einsum("ti,ti->", a - shape.centre, np.cross(b - a, c - a)) / 6.0) == pytest.approx(volume, rel=0.03)


def test_names_of_files_are_plain():
    assert plain_name("rigid, Runge–Kutta") == "rigid-Runge-Kutta"
    assert plain_name("Špička 40 km/h") == "Spicka-40-km-h"
    assert plain_name("generalized-α, rigid") == "generalized-alpha-rigid"
    assert plain_name("…") == "run"


def test_models_and_results_show_themselves_in_notebooks(swing: cd.Result, tmp_path):
    model = pendulum()
    assert "RigidBody (1)" in model._repr_html_() and "19.5 kg" in model._repr_html_()
    assert "data:image/png" in swing._repr_html_() and "completed" in swing._repr_html_()
    shown = swing.show(frames=3)
    assert shown._repr_html_().startswith("<iframe srcdoc=")
    assert "condylePage" in shown.save(tmp_path / "page.html").read_text()
    assert "not yet run" in model.show().text


def test_mistakes_are_said(swing: cd.Result, tmp_path, capsys):
    with pytest.raises(cd.InputError, match=r"must end in \.html"):
        cd.write_report(swing, tmp_path / "page.pdf")
    with pytest.raises(cd.InputError, match="whole number of at least 1"):
        cd.write_report(swing, tmp_path / "page.html", frames=0)
    with pytest.raises(cd.InputError, match="nothing to show"):
        cd.write_report({}, tmp_path / "page.html")
    (tmp_path / "notes.txt").write_text("no model")
    assert main(["view", str(tmp_path / "notes.txt"), "--no-browser"]) == 2
    assert "neither a model" in capsys.readouterr().err
    assert main(["report", str(tmp_path / "notes.txt")]) == 2
    with pytest.raises(cd.InputError, match=r"a named point is point\('tip'\)"):
        cd.RigidBody("bar", 1.0, 1.0).at("tip")


def test_the_command_writes_a_page(swing: cd.Result, tmp_path, capsys):
    file = swing.save(tmp_path / "swing.h5")
    assert main(["report", str(file), "--frames", "5", "--title", "a swing"]) == 0
    assert "written:" in capsys.readouterr().out
    text = (tmp_path / "swing.html").read_text()
    assert "<title>a swing</title>" in text and "condylePage" in text


def test_a_model_of_another_program_is_looked_at_without_importing_it_first(tmp_path):
    import argparse
    from importlib.resources import files

    from condyle.report.command import _View

    file = files("condyle.studies") / "data" / "gait_plane.osim"
    view = _View(argparse.Namespace(target=file, allow=[], allow_code=False, frames=200, no_fields=False))
    about, _ = view.data()
    names = {item["name"] for item in about["runs"][0]["items"]}
    assert about["before"] and {"torso", "foot_l", "hip_r"} <= names  # also bodies that have one joint only


def test_a_model_with_contact_is_shown_before_it_runs():
    m = cd.Model("ball", gravity=(0, 0, -9.81))
    ball = m.add(cd.RigidBody("ball", 1.0, (0.1, 0.1, 0.1), position=(0, 0, 0.2)))
    m.add(cd.Collisions("floor", {ball.name: cd.geometry.Sphere(0.1), "ground": cd.geometry.HalfSpace()}))
    about, _ = page_data({"model": preview(m)}, before=True)
    assert about["runs"][0]["status"] == "not yet run"
    with pytest.raises(cd.InputError, match="no contact forces"):
        preview(m).contact("floor")
