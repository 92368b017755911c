"""What people get wrong in their first model files: each mistake is found before the run, at its place, with what to write."""

import pytest

import condyle as cd
from condyle.cli import main
from condyle.files.experiment import Experiment
from condyle.files.expressions import evaluate
from condyle.units import base, number_in

PENDULUM = """\
title: My pendulum
dimension: 2
gravity: (0, -9.81)
parameters:
  length: 50 cm
  grease: {value: 2 N m s, low: 0.5 N m s, high: 20 N m s}
parts:
  rod:
    type: RigidBody.box
    size: (length, 2 cm)
    density: 7800
    position: (length/2, 0)
  hinge:
    type: Pin
    a: ground
    b: rod
    at: (0, 0)
  damper: {type: CoordinateDamper, coordinate: hinge.angle, damping: grease}
run: {end: 1 s, dt: 2 ms}
curves:
  angle: {coordinate: hinge.angle, unit: deg}
  tip: {position: rod, component: y}
outputs:
  lowest: angle.min
claims:
  lowest: {between: [-180 deg, 0]}
"""
BLOCK = """\
dimension: 2
parts:
  block:
    type: Solid.block
    size: (20, 10) mm
    divisions: [4, 2]
    material: {type: NeoHookean, young: 3 MPa, poisson: 0.45, density: 1100}
  press: {type: Pressure, body: block, surface: top, pressure: 10 kPa}
  bottom: {type: Hold, body: block, nodes: bottom, direction: [0, 1]}
run: {analysis: statics, steps: 4}
curves:
  sinking: {displacement: block.10, component: y, unit: mm}
"""


def mistakes_of(folder, text, name="model.yaml"):
    path = folder / name
    path.write_text(text, encoding="utf-8")
    with pytest.raises(cd.FileError) as error:
        Experiment(path).check_equations()
    return [(m.line, m.column, m.problem) for m in error.value.mistakes]


@pytest.mark.parametrize(
    ("old", "new", "place", "said"),
    [
        # YAML
        ("    density: 7800", "   density: 7800", (11, 4), "indented by 3, line 8 by 2 spaces"),
        ("    density: 7800", "      density: 7800", (11, 7), "indented by 6, line 10 by 4 spaces"),
        ("    density: 7800", "\tdensity: 7800", (11, 1), "a tab stands in front of this line; indent with spaces"),
        ("    density: 7800", "\u00a0\u00a0\u00a0\u00a0density: 7800", (11, 1), "another kind of space"),
        ("density: 7800", "density 7800", (11, 5), "a name has a colon after it: density: 7800"),
        ("density: 7800", "density = 7800", (11, 5), "a name has a colon after it"),
        ("density: 7800", "density:7800", (11, 5), "a space belongs after the colon: density: 7800"),
        ("  rod:\n", "  rod\n", (8, 3), "a name has a colon after it: rod:"),
        ("title: My", 'title: "My', (1, 8), "the quote that begins here is not closed"),
        ("title: My pendulum", "title: Pendulum: mine", (1, 16), "needs quotes around it"),
        ("high: 20 N m s}", "high: 20 N m s", (6, 11), "the '{' that opens here is not closed"),
        ("m s, high", "m s high", (6, 47), "a comma is missing"),
        ("(length/2, 0)", "[25 cm, 0] cm", (12, 26), "a unit stands behind each number"),
        ("  rod:\n    type", "  - rod:\n    type", (13, 3), "names of parts stand without '-'"),
        ("    type: Pin", "    - type: Pin", (15, 5), "does not"),
        ("b: rod", "b: @rod", (16, 8), "begins with '@' needs quotes"),
        ("  hinge:\n", "  rod:\n", (13, 3), "'rod' is there twice, first in line 8"),
        # names
        ("density: 7800", "denisty: 7800", (11, 5), "did you mean 'density'"),
        ("type: Pin", "type: pin", (14, 11), "did you mean 'Pin'"),
        ("type: Pin", "type: Hinge", (14, 11), "did you mean 'Pin' or 'Revolute'"),
        ("type: Pin", "type: Qqqq", (14, 11), "docs/fields.md list all types"),
        ("b: rod", "b: Rod", (16, 8), "did you mean 'rod'"),
        ("parts:", "part:", (7, 1), "did you mean 'parts'"),
        ("{coordinate: hinge.angle, unit", "{coordinate: hinge.angel, unit", (21, 23), "it has 'hinge.angle'"),
        ("{coordinate: hinge.angle, unit", "{coordinat: hinge.angle, unit", (21, 11), "did you mean 'coordinate'"),
        ("position: rod,", "position: rood,", (22, 19), "there is no body 'rood'; did you mean 'rod'"),
        ("position: rod,", "position: rod.tip,", (22, 19), "has no point 'tip'"),
        ("position: rod, component: y", "position: rod", (22, 8), "add component"),
        ("position: rod, component: y", "position: rod, component: z", (22, 8), "the model is 2D"),
        ("position: rod, component: y", "joint_force: rod, component: y", (22, 22), "is a body, which has no joint force"),
        ("hinge.angle, unit: deg", "hinge.angle, component: x", (21, 10), "has no components"),
        # numbers
        ("density: 7800", "density: 7800,5", (11, 14), "decimals are written with a point"),
        ("value: 2 N", "value: 2,5 N", (6, 21), "decimals are written with a point"),
        ("density: 7800", "density: 7 800", (11, 14), "without spaces or signs between thousands"),
        ("density: 7800", "density: 7_800", (11, 14), "without spaces or signs between thousands"),
        ("density: 7800", "density: yes", (11, 14), "'yes' is no number"),
        ("density: 7800", 'density: "7800"', (11, 14), "numbers stand without quotes: density: 7800"),
        ("density: 7800", "density:", (11, 13), "nothing stands here"),
        ("density: 7800", "density: -7800", (11, 14), "density must be at least 0"),
        ("density: 7800", "density: [7800, 2]", (11, 14), "density must be a finite number, not [7800, 2]"),
        ("at: (0, 0)", "at: 0, 0", (17, 9), "a vector stands in brackets"),
        ("at: (0, 0)", 'at: "0, 0"', (17, 9), "numbers stand without quotes: at: [0, 0]"),
        ("at: (0, 0)", "at: (0; 0)", (17, 9), "separated by commas"),
        ("(0, -9.81)", "(0, 0, -9.81)", (3, 10), "gravity has 2 components"),
        ("(0, -9.81)", "-9.81", (3, 10), "gravity has 2 components"),
        ("dimension: 2\n", "", (2, 10), "write dimension: 2 for a model in the plane"),
        # units
        ("density: 7800", "density: 7800 kg", (11, 14), "write it in kg/m³"),
        ("density: 7800", "density: 7800 kg/m3", (11, 14), "a power is written m^3 or m³"),
        ("50 cm", "50 CM", (5, 11), "did you mean 'cm'"),
        ("50 cm", "50 cms", (5, 11), "did you mean 'cm'"),
        ("end: 1 s", "end: 90 °", (19, 12), "end: it is an angle"),
        ("dt: 2 ms", "dt: 2 mm", (19, 21), "dt: it is m, a unit of another dimension"),
        ("low: 0.5 N m s", "low: 0.5 N m", (6, 33), "low of the parameter 'grease' is m^2 kg/s^2"),
        # values that do not fit to others
        ("length: 50 cm", "length: 2*width\n  width: length/2", (5, 11), "length → width → length"),
        ("low: 0.5 N m s", "low: 50 N m s", (6, 33), "must be below high"),
        ("value: 2 N m s", "value: 30 N m s", (6, 19), "is not between its bounds, 0.5 N m s to 20 N m s"),
        ("dt: 2 ms", "dt: 2 s", (19, 21), "dt = 2 s is longer than the run"),
        ("dt: 2 ms", "dt: 2 ms, start: 3°", (19, 34), "unknown start '3°'"),
        ("dt: 2 ms", "dt: 2 ms, solver: denze", (19, 35), "did you mean 'dense'"),
        ("run: {end: 1 s, dt: 2 ms}", "run:\n  - end: 1 s", (20, 3), "run holds names"),
    ],
)  # fmt: skip
def test_a_mistake_is_found_once_where_it_is(tmp_path, old, new, place, said):
    assert old in PENDULUM
    found = mistakes_of(tmp_path, PENDULUM.replace(old, new, 1))
    assert [found[0][:2]] == [place] and said in found[0][2], found
    assert len(found) == 1  # nothing that only follows from it


def test_the_right_files_have_no_mistakes(tmp_path):
    for text in (PENDULUM, BLOCK):
        path = tmp_path / "model.yaml"
        path.write_text(text)
        Experiment(path).check_equations()


@pytest.mark.parametrize(
    ("old", "new", "place", "said"),
    [
        ("surface: top", "surface: up", (8, 49), "there are: bottom, left, right, top"),
        ("nodes: bottom", "nodes: ground", (9, 44), "'ground'"),
        ("block.10", "block.1000", (12, 27), "has nodes 0 … 14, not 1000"),
        ("poisson: 0.45", "poisson: 0.45 MPa", (7, 57), "a pure number"),
        ("poisson: 0.45", "poisson: 0.5", (7, 57), "below 0.5"),
        ("10 kPa", "10 kpa", (8, 64), "did you mean 'kPa'"),
    ],
)
def test_what_only_the_equations_know_is_found_before_the_run(tmp_path, capsys, old, new, place, said):
    found = mistakes_of(tmp_path, BLOCK.replace(old, new, 1))
    assert found[0][:2] == place and said in found[0][2], found
    path = tmp_path / "model.yaml"
    for command in ("check", "run"):
        assert main([command, str(path)]) == 2
        assert f"{path}:{place[0]}:{place[1]}: " in "".join(capsys.readouterr())
    assert not (tmp_path / "results").exists()


def test_a_file_in_another_encoding_is_named_with_the_letter(tmp_path):
    path = tmp_path / "model.yaml"
    path.write_bytes("dimension: 2\ntitle: Flüssig\n".encode("latin-1"))
    with pytest.raises(cd.FileError) as error:
        Experiment(path)
    assert [(m.line, m.column) for m in error.value.mistakes] == [(2, 10)] and "save it" in str(error.value)


def test_a_copy_without_a_prefix_is_named(tmp_path):
    (tmp_path / "leg.yaml").write_text(PENDULUM)
    found = mistakes_of(tmp_path, PENDULUM + "include: {file: leg.yaml}\n")
    assert found[0][:2] == (27, 10) and "give the copies a prefix" in found[0][2]


@pytest.mark.parametrize(
    ("text", "like"),
    [("3 Nm", "N m"), ("3 kNm", "N m"), ("3 Nmm", "N m"), ("2 Nms/rad", "N m s"), ("1 Ns", "N s"), ("5 Pas", "Pa s"),
     ("0.2 Nm²", "N m^2"), ("4 Nm/rad", "N m")],
)  # fmt: skip
def test_units_that_are_written_as_one_word_are_those_of_mechanics(text, like):
    assert evaluate(text, {}).dimension == base(like, "")[1]


def test_newton_metres_are_no_unit_of_yarn():
    assert evaluate("3 kNm", {}).value == 3000.0 and evaluate("2 Nmm", {}).value == pytest.approx(0.002)
    assert number_in("3 kNm", "N m", "moment") == 3000.0
    assert evaluate("2 ms", {}).value == 0.002 and evaluate("2 mN", {}).value == 0.002
