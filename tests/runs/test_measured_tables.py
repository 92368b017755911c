"""Tables of measured curves as people and instruments write them."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import condyle as cd
from condyle.cli import main

TIMES, DEGREES = [0.0, 0.1, 0.25], [1.5, -2.0, 30.0]

FORMS = {
    "units in brackets": "time [ms],angle [deg]\n0,1.5\n100,-2\n250,30\n",
    "units in parentheses, capitals": "Time (s),Angle (deg)\n0,1.5\n0.1,-2\n0.25,30\n",
    "the sign of degrees": "t [s],angle [°]\n0,1.5\n0.1,-2\n0.25,30\n",
    "a row of units": "t,angle\nms,deg\n0,1.5\n100,-2\n250,30\n",
    "a row of units in brackets": "t,angle\n[ms],[deg]\n0,1.5\n100,-2\n250,30\n",
    "semicolons with decimal commas": "time [s];angle [deg]\n0;1,5\n0,1;-2\n0,25;3,0e1\n",
    "semicolons with decimal points": "time [s];angle [deg]\n0;1.5\n0.1;-2\n0.25;30\n",
    "tabs": "time [ms]\tangle [deg]\n0\t1,5\n100\t-2\n250\t30\n",
    "commas, and decimal commas in quotes": 'time [s],angle [deg]\n0,"1,5"\n"0,1",-2\n"0,25",30\n',
    "comments and empty lines": "# test 5\n\ntime [s],angle [deg]\n# begin\n0,1.5\n0.1,-2\n\n0.25,30\n# end\n",
    "headings in a comment": "# t [s],angle [deg]\n0,1.5\n0.1,-2\n0.25,30\n",
    "other columns and gaps": "note,angle [deg],t [ms]\nbegin,1.5,0\n,,50\n,nan,60\n,-2,100\nend,30,250,\n",
    "a mark of UTF-8 and lines of Windows": "\ufefftime [ms],angle [deg]\r\n0,1.5\r\n100,-2\r\n250,30\r\n",
    "spaces around": " time [ms] , angle [deg] \n 0 , 1.5 \n 100 , -2 \n 250 , 30 \n",
}


@pytest.mark.parametrize("text", FORMS.values(), ids=FORMS.keys())
def test_all_forms_of_a_table_give_the_same_curve(tmp_path, text):
    (tmp_path / "curve.csv").write_bytes(text.encode())
    read = cd.Measured.from_csv(tmp_path / "curve.csv", "angle", unit="rad")
    assert read.times == pytest.approx(TIMES, rel=1e-14) and read.unit == "rad"
    assert read.values == pytest.approx(np.radians(DEGREES), rel=1e-14)


@pytest.mark.parametrize(
    ("written", "unit", "expected"),
    [
        ("mm", "m", 1e-3), ("m/s2", "m/s^2", 1.0), ("N/mm2", "Pa", 1e6), ("Nm", "N m", 1.0), ("kNm", "N m", 1e3),
        ("g", "m/s^2", 9.80665), ("g", "kg", 1e-3), ("°/s", "rad/s", math.pi / 180), ("%", "", 0.01), ("µm", "m", 1e-6),
    ],
)  # fmt: skip
def test_units_are_written_as_in_laboratories(tmp_path, written, unit, expected):
    (tmp_path / "curve.csv").write_text(f"t,y [{written}]\n0,1\n1,2\n", encoding="utf-8")
    read = cd.Measured.from_csv(tmp_path / "curve.csv", "y", unit=unit).converted(unit)
    assert read.values == pytest.approx([expected, 2 * expected], rel=1e-12)


def test_a_curve_keeps_the_unit_of_its_file_where_none_is_asked_for(tmp_path):
    (tmp_path / "curve.csv").write_text("force [kN],angle [deg]\n1,3\n2,4\n")
    read = cd.Measured.from_csv(tmp_path / "curve.csv", "angle", time="force")
    assert (read.times.tolist(), read.values.tolist(), read.unit) == ([1.0, 2.0], [3.0, 4.0], "deg")
    whole = cd.Measured.from_csv(tmp_path / "curve.csv", "y", time="force", column="angle [deg]", sigma=1.0)
    turned = whole.converted("rad")
    assert turned.sigma == pytest.approx(math.pi / 180) and turned.unit == "rad"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("time [kg],angle [deg]\n0,1\n1,2\n", "'curve.csv', column 'time': 'kg' is a unit of another dimension"),
        ("t,angle [mm]\n0,1\n1,2\n", "'curve.csv', column 'angle': 'mm' is a unit of another dimension; it is in rad"),
        ("t,angle\ns,mm\n0,1\n1,2\n", "column 'angle': 'mm' is a unit of another dimension"),
        ("t,angle [furlongz]\n0,1\n", "column 'angle [furlongz]': there is no unit 'furlongz'"),
        ("# a test\n0,1\n1,2\n", "has no headings: line 2 has numbers already; write the names of its columns above"),
        ("t,angel [deg]\n0,1\n", "no column 'angle'; did you mean 'angel'? it has t, angel [deg]"),
        ("tim,angle\n0,1\n", "no column of times, 't' or 'time'; did you mean 'tim'? it has tim, angle"),
        ("TIME,Time,angle\n0,1,2\n", "several columns for 'time': 'TIME' and 'Time'; name one of them whole"),
        ("t,angle [deg],angle [rad]\n0,1,2\n", "several columns for 'angle'"),
        ("# x\nt,angle\n0,1\n\n0.2,2\n0.1,3\n", "line 6: its times do not ascend, 0.1 comes after 0.2; sort the lines"),
        ("t,angle\n0,1\n,2\n", "line 3: '' in the column 't' is no number"),
        ("t,angle\n0,inf\n", "line 2: 'inf' in the column 'angle' is no number"),
        ("t,angle\n0,0,1,5\n", "line 2: 4 cells below 2 headings; where numbers have decimal commas, separate the"),
    ],
)  # fmt: skip
def test_what_is_wrong_in_a_table_is_named_with_its_place(tmp_path, monkeypatch, text, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "curve.csv").write_text(text)
    with pytest.raises(cd.InputError) as error:
        cd.Measured.from_csv("curve.csv", "angle", unit="rad", time_unit="s")
    assert message in str(error.value)


MODEL = """
name: pendulum
dimension: 2
gravity: [0, -9.81]
parameters:
  grease: {value: 3 N m s, low: 0.1 N m s, high: 50 N m s}
  lean: {value: 10 deg}
parts:
  bar: {type: RigidBody, mass: 10 kg, inertia: 1 kg m², position: [0.5 m, 0 m]}
  hinge: {type: Pin, a: ground, b: bar, at: [0 m, 0 m]}
  damper: {type: CoordinateDamper, coordinate: hinge.angle, damping: grease}
run: {end: 0.5 s, dt: 10 ms}
curves:
  angle: {coordinate: hinge.angle}
outputs:
  lowest: angle.min + 0.1 * lean
"""
TASK = "model: pendulum.yaml\nunknowns:\n  grease:\nmeasured:\n  - {file: angle.csv, curve: angle}\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A model file, and its angle with grease of 7 N m s as an instrument writes it: in ms and degrees."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pendulum.yaml").write_text(MODEL)
    (tmp_path / "task.yaml").write_text(TASK)
    times, angle = cd.file_simulation("pendulum.yaml")(grease=7.0)["angle"]
    rows = [f"{1e3 * t:.9g};{math.degrees(y):.9g}".replace(".", ",") for t, y in zip(times, angle, strict=True)]
    (tmp_path / "angle.csv").write_text("\n".join(["time [ms];angle [deg]", *rows, ""]))
    return tmp_path


def test_a_table_in_ms_and_degrees_is_fitted_by_a_model_in_si_units(folder):
    found = cd.identify("pendulum.yaml", ["grease"], cd.Measured.from_csv("angle.csv", "angle"))
    assert found.values["grease"] == pytest.approx(7.0, rel=1e-5) and not found.doubts
    panel = found.plot().axes[0]
    assert (panel.get_xlabel(), panel.get_ylabel()) == ("time [s]", "angle [rad]")
    assert panel.get_lines()[0].get_xdata().max() == pytest.approx(0.5)


def test_a_curve_that_a_file_lacks_is_named_before_the_first_run(folder, capsys, monkeypatch):
    def never(*given, **options):
        raise AssertionError("it was run")

    monkeypatch.setattr("condyle.files.experiment.Experiment.run", never)
    with pytest.raises(cd.InputError, match="did you mean 'angle'"):
        cd.identify("pendulum.yaml", ["grease"], cd.Measured("angel", [0.0, 0.1], [0.0, 0.1]))
    (folder / "task.yaml").write_text(TASK.replace("curve: angle", "curve: angel"))
    assert main(["identify", "task.yaml", "--workers", "0"]) == 2
    assert "task.yaml:5" in (said := capsys.readouterr().err.replace("\n", " ")) and "did you mean 'angle'" in said


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("time [ms]", "time", "lie outside of the simulated time, 0 to 0.5; if they are in ms, say so in the heading"),
        ("500;", "600;", "its samples from 0 to 0.6 lie outside of the simulated time, 0 to 0.5; simulate longer"),
        ("time [ms]", "time [kg]", "'kg' is a unit of another dimension"),
        ("angle [deg]", "angle [mm]", "'mm' is a unit of another dimension; it is in rad"),
    ],
)
def test_a_table_that_does_not_belong_to_the_model_is_named(folder, capsys, old, new, message):
    text = (folder / "angle.csv").read_text()
    assert old in text
    (folder / "angle.csv").write_text(text.replace(old, new))
    assert main(["identify", "task.yaml", "--workers", "0"]) == 2
    assert message in " ".join(capsys.readouterr().err.split())


def test_a_shift_that_leaves_the_simulated_time_is_named(folder, capsys):
    (folder / "task.yaml").write_text(TASK.replace("curve: angle", "curve: angle, shift: [-50 ms, 50 ms]"))
    assert main(["identify", "task.yaml", "--workers", "0"]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert re.search(r"samples from 0 to 0.5, shifted by \S+, lie outside of the simulated time, 0 to 0.5;", said)
    assert "narrow the bounds of the shift, simulate longer, or leave samples out" in said


def test_a_parameter_that_is_swept_in_degrees_is_drawn_in_degrees(folder):
    found = cd.sweep("pendulum.yaml", {"lean": "10:30:3 deg", "grease": "2,4"}, workers=0)
    assert found.column("lean") == pytest.approx(np.radians([10, 10, 20, 20, 30, 30]))  # tables are in SI units
    panel = found.plot("lowest").axes[0]
    assert panel.get_xlabel() == "lean [deg]" and panel.get_title() == "lowest [rad]"
    assert panel.get_lines()[0].get_xdata() == pytest.approx([10.0, 20.0, 30.0])
    assert [line.get_label() for line in panel.get_lines()] == ["grease 2 N m s", "grease 4 N m s"]
    over = found.plot_map("lowest").axes[0]
    assert (over.get_xlabel(), over.get_ylabel()) == ("lean [deg]", "grease [N m s]")
    ticks = [text.get_text() for text in found.plot_parallel("lowest").axes[0].get_xticklabels()]
    assert ticks == ["lean [deg]", "grease [N m s]", "lowest [rad]"]
