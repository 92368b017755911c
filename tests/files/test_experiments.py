"""Model files that are run: studies, sweeps, identification, the command line, the schema, the formatter."""

import json

import jsonschema
import numpy as np
import pytest

import condyle as cd
from condyle.cli import main
from condyle.files.formatting import formatted
from condyle.files.schema import schema
from condyle.files.starts import STARTS
from condyle.files.writing import model_text
from condyle.study import Context
from zoo import ZOO

OSCILLATOR = """\
# a mass on a spring
title: A mass on a spring
dimension: 2
parameters:
  stiffness: {value: 400 N/m, meaning: of the spring, low: 100 N/m, high: 900 N/m}
  periods: 3
  amplitude: 10 mm
parts:
  ball: {type: PointMass, mass: 1 kg, position: [amplitude, 0]}
  spring: {type: Spring, a: ground, b: ball, stiffness: stiffness, rest_length: 0}
run: {end: periods * 2*pi*sqrt(1 kg/stiffness) + 20 ms, dt: 2 ms}
curves:
  place: {position: ball, component: x, unit: mm}
  speed: {velocity: ball, component: size}
outputs:
  fastest: speed.max
  period: place.period
claims:
  fastest: {value: amplitude*sqrt(stiffness/1 kg), tolerance: 2 mm/s, kind: closed form, from: A ω}
figures:
  phases: {curves: [speed], against: place, title: A circle}
"""


@pytest.fixture
def oscillator(tmp_path):
    path = tmp_path / "oscillator.yaml"
    path.write_text(OSCILLATOR)
    return path


def test_a_file_is_a_study(oscillator):
    study = cd.study_of_file(oscillator)
    assert study.parameters["stiffness"].unit == "N/m" and study.parameters["ball.mass"].default == 1.0
    outcome = study.execute()
    assert [v.outcome for v in study.judge(outcome)] == ["holds"]
    stiffer = study.execute({"stiffness": 900.0})
    assert stiffer["outputs"]["fastest"] == pytest.approx(0.3, rel=0.01)
    (follows,) = study.judge(stiffer)
    assert follows.ok and follows.reference == pytest.approx(0.3)  # an expression of what was set
    assert stiffer["result"].times[-1] == pytest.approx(6 * np.pi / 30 + 0.02, abs=2e-3)
    assert set(study.draw(outcome, None)) == {"phases"}


def test_the_command_runs_a_file(oscillator, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["check", str(oscillator)]) == 0
    assert main(["run", str(oscillator), "--out", "out", "--set", "amplitude=2 cm"]) == 0
    assert {p.name for p in (tmp_path / "out").iterdir()} == {
        "run.h5", "claims.json", "phases.png", "report.html",
    }  # fmt: skip
    found = json.loads((tmp_path / "out" / "claims.json").read_text())
    assert found[0]["computed"] == pytest.approx(0.4, rel=0.01)
    assert "closed form" in capsys.readouterr().out


def test_the_command_names_every_mistake(tmp_path, capsys):
    path = tmp_path / "wrong.yaml"
    path.write_text(OSCILLATOR.replace("PointMass", "PointMas").replace("stiffness: stiffness", "stiffness: 3 m"))
    assert main(["check", str(path)]) == 2
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2 and lines[0].startswith(f"{path}:9:16: unknown type 'PointMas'; did you mean 'PointMass'")
    assert main(["check", str(path), "--json"]) == 2
    assert [m["line"] for m in json.loads(capsys.readouterr().out)] == [9, 10]
    assert main(["run", str(path)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 2


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("component: x", "component: w", "choose one of x, y, z, size"),
        ("position: ball", "positon: ball", "a curve reads one thing"),
        ("unit: mm", "unit: kg", "another dimension"),
        ("speed.max", "speed.maxi", "did you mean 'max'"),
        ("speed.max", "speed", "is a curve; write which number of it"),
        ("tolerance: 2 mm/s", "tolerance: 2 mm", "but 'fastest' is in m/s"),
        (", tolerance: 2 mm/s", "", "needs a value and a tolerance"),
        ("  fastest: {value", "  fastst: {value", "unknown output 'fastst'; did you mean 'fastest'"),
        ("kind: closed form", "kind: closed", "did you mean 'closed form'"),
        ("against: place", "against: plac", "did you mean 'place'"),
        ("dt: 2 ms", "dt: 2 mm", "write it in s"),
        ("dt: 2 ms", "ddt: 2 ms", "did you mean 'dt'"),
        ("run: {end", "run: {integrator: HTH, end", "integrator"),
        (", dt: 2 ms", "", "give dt"),
    ],
)
def test_mistakes_about_the_run_are_named(tmp_path, old, new, said):
    path = tmp_path / "wrong.yaml"
    path.write_text(OSCILLATOR.replace(old, new))
    with pytest.raises(cd.FileError) as error:
        cd.study_of_file(path)
    assert said in str(error.value) and ":" in str(error.value)


def test_a_file_is_swept_by_parameters_and_fields(oscillator):
    found = cd.sweep(str(oscillator), {"stiffness": "100:400:2 N/m", "ball.mass": "1,1.2 kg"}, workers=0)
    assert not found.failed
    fastest = [case.outputs["fastest"] for case in found.good]
    assert fastest == pytest.approx([0.1, 0.0913, 0.2, 0.1826], rel=0.02)


def test_a_sweep_of_a_file_knows_units_of_angles_and_of_outputs_without_claims(tmp_path):
    assert main(["new", "pendulum", str(tmp_path / "pendulum.yaml"), "--quiet"]) == 0
    found = cd.sweep(tmp_path / "pendulum.yaml", {"start": "1,5 deg", "length": "20,30 cm"}, design="list", workers=0)
    assert found.units["start"] == found.units["largest angle"] == "rad" and found.units["period"] == "s"
    assert found.column("start") == pytest.approx(np.radians([1.0, 5.0]))


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("30 deg", "rad"),
        ("2 * tilt + 5 deg", "rad"),  # follows from the unit of another parameter
        ("atan2(1, 2)", "rad"),
        ("120 rpm", "rad/s"),
        ("tilt / 2 s", "rad/s"),
        ("3 N m/deg", "N m/rad"),
        ("sin(tilt)", ""),
        ("tilt / tilt", ""),
        ("0.5", ""),
        ("2 Hz", "1/s"),
        ("3 mm", "m"),
    ],
)
def test_the_unit_of_a_parameter_follows_from_the_units_in_its_expression(tmp_path, text, unit):
    path = tmp_path / "angles.yaml"
    path.write_text(OSCILLATOR.replace("parameters:\n", f"parameters:\n  tilt: 10 deg\n  asked: {text}\n", 1))
    assert cd.study_of_file(path).parameters["asked"].unit == unit


def test_curves_of_statics_go_along_with_the_load(tmp_path):
    assert main(["new", "hip", str(tmp_path / "hip.yaml"), "--quiet"]) == 0
    study = cd.study_of_file(tmp_path / "hip.yaml")
    figures = study.figures(study.run(study.values(), Context()), None)
    assert {figure.axes[-1].get_xlabel() for figure in figures.values()} == {"load factor"}


def test_all_mistakes_of_all_sections_are_listed_at_once(oscillator):
    """Parts that could not be made are not called unknown where others name them."""
    oscillator.write_text(
        OSCILLATOR.replace("mass: 1 kg", "mass: 1 m").replace("speed.max", "speed.maxi").replace("[speed]", "[sped]")
    )
    with pytest.raises(cd.FileError) as error:
        cd.study_of_file(oscillator)
    said = [mistake.problem for mistake in error.value.mistakes]
    assert len(said) == 3
    assert "it is m, a unit of another dimension; write it in kg" in said[0]
    assert "'maxi'; did you mean 'max'" in said[1] and "'sped'; did you mean 'speed'" in said[2]


def test_a_file_that_is_not_there_has_its_neighbour_offered(oscillator):
    with pytest.raises(cd.InputError, match=r"did you mean 'oscillator\.yaml'"):
        cd.study_of_file(oscillator.with_name("oscilator.yaml"))


def test_a_sweep_of_a_file_reads_only_what_is_allowed(tmp_path, capsys):
    (tmp_path / "inside").mkdir()
    (tmp_path / "mass.csv").write_text("mass\n1\n")
    file = tmp_path / "inside" / "oscillator.yaml"
    file.write_text(OSCILLATOR.replace("position: [amplitude, 0]", "position: {file: ../place.csv, column: x}"))
    (tmp_path / "place.csv").write_text("x\n0.01\n0\n")
    command = ["sweep", str(file), "--vary", "stiffness=200,400N/m", "--workers", "1", "--out", str(tmp_path / "out")]
    assert main(command) == 2
    assert "is read only with --allow" in capsys.readouterr().err
    assert main([*command, "--allow", str(tmp_path)]) == 0
    assert "fastest" in (tmp_path / "out" / "table.csv").read_text()


def test_a_sweep_of_a_file_that_was_changed_does_not_go_on(oscillator, tmp_path):
    vary, out = {"stiffness": [200.0, 400.0]}, tmp_path / "out"
    cd.sweep(oscillator, vary, workers=0, out=out)
    oscillator.write_text(OSCILLATOR.replace("mass: 1 kg", "mass: 2 kg"))
    with pytest.raises(cd.InputError, match="or one of a file that was changed"):
        cd.sweep(oscillator, vary, workers=0, out=out)


def test_a_sweep_does_not_go_on_when_a_file_that_its_model_names_was_changed(tmp_path):
    (tmp_path / "ball.yaml").write_text(
        "dimension: 2\nparts:\n  ball: {type: PointMass, mass: 3 kg, position: [0, 1]}\n"
    )
    whole = """dimension: 2
gravity: [0, -9.81]
parameters: {end: 0.1 s}
include: [{file: ball.yaml}]
run: {end: end, dt: 10 ms}
curves: {height: {position: ball, component: y}}
outputs: {low: height.min}
"""
    (tmp_path / "whole.yaml").write_text(whole)
    given = {"vary": {"end": "0.1:0.2:2 s"}, "workers": 0, "out": tmp_path / "sweep"}
    assert not cd.sweep(tmp_path / "whole.yaml", **given).failed
    assert not cd.sweep(tmp_path / "whole.yaml", **given).failed
    (tmp_path / "ball.yaml").write_text(
        "dimension: 2\nparts:\n  ball: {type: PointMass, mass: 3 kg, position: [0, 2]}\n"
    )
    with pytest.raises(cd.InputError, match="holds another sweep, or one of a file that was changed"):
        cd.sweep(tmp_path / "whole.yaml", **given)


def test_a_file_is_fitted_to_measurements(oscillator):
    t = np.linspace(0.0, 0.6, 61)
    measured = cd.Measured("place", t, 10.0 * np.cos(np.sqrt(625.0) * t))
    for name in ("stiffness", "spring.stiffness"):  # with bounds of the file, and those of the field
        found = cd.identify(oscillator, [name], measured)
        assert found.values[name] == pytest.approx(625.0, rel=0.01)
    assert cd.file_simulation(oscillator).bounds("stiffness") == (100.0, 900.0, 400.0, "N/m")
    assert cd.file_simulation(oscillator).bounds("spring.stiffness") == (0.0, np.inf, 400.0, "N/m")
    with pytest.raises(cd.InputError, match="did you mean 'stiffness'"):
        cd.identify(oscillator, ["stifness"], measured)


def test_curves_are_fitted_whether_or_not_there_are_outputs_of_them(tmp_path):
    path = tmp_path / "oscillator.yaml"
    path.write_text(OSCILLATOR.replace("periods: 3", "periods: 0.4"))  # it has no period in this time
    times, place = cd.file_simulation(path)(stiffness=300.0)["place"]
    assert place[-1] == pytest.approx(10.0 * np.cos(np.sqrt(300.0) * times[-1]), abs=0.05)


def test_an_output_without_a_value_is_named_and_the_others_are_kept(tmp_path):
    path = tmp_path / "oscillator.yaml"
    path.write_text(
        OSCILLATOR.replace("periods: 3", "periods: 0.4").replace(
            "claims:\n", "claims:\n  period: {value: 0.3 s, tolerance: 0.1 s}\n"
        )
    )
    with pytest.warns(cd.InputWarning, match=r"no output 'period': .*:17:11: place.period: it does not swing twice"):
        period, fastest = cd.study_of_file(path).verify()
    assert not period.ok and "does not swing twice" in period.problem and fastest.ok
    found = cd.sweep(str(path), {"periods": [0.4, 3.0]}, workers=0)
    assert not found.failed and found.column("fastest") == pytest.approx([0.2, 0.2], rel=1e-3)
    assert "does not swing twice" in found.cases[0].warnings[0] and found.cases[1].outputs["period"] > 0.3
    text = path.read_text()
    path.write_text(text[: text.index("claims:")].replace("  fastest: speed.max\n", ""))
    (failed,) = cd.sweep(str(path), {"periods": [0.4]}, workers=0).failed
    assert failed.problem.startswith("it gave no finite number; no output 'period': ")


@pytest.mark.parametrize("kind", STARTS)
def test_files_to_begin_with_have_no_mistakes_and_fit_the_schema(kind, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new", kind]) == 0
    assert main(["check", f"{kind}.yaml"]) == 0
    assert main(["new", kind]) == 2
    assert main(["format", "--check", f"{kind}.yaml"]) == 0, capsys.readouterr().out
    jsonschema.Draft202012Validator(schema()).validate(_plain(STARTS[kind]))


@pytest.mark.parametrize("kind", STARTS)
def test_claims_of_files_to_begin_with_hold(kind, tmp_path):
    (tmp_path / f"{kind}.yaml").write_text(STARTS[kind])
    study = cd.study_of_file(tmp_path / f"{kind}.yaml")
    assert all(verdict.ok for verdict in study.verify())


def _plain(text):
    from ruamel.yaml import YAML

    return YAML(typ="safe").load(text)


def test_the_schema_takes_all_models_and_refuses_mistakes():
    whole = schema()
    jsonschema.Draft202012Validator.check_schema(whole)
    check = jsonschema.Draft202012Validator(whole)
    for name in list(ZOO)[::6]:
        check.validate(_plain(model_text(ZOO[name]())))
    sound = _plain(OSCILLATOR)
    check.validate(sound)
    for change in (
        {"parts": {"b": {"type": "PointMas"}}},
        {"parts": {"b": {"type": "PointMass", "mass": -1, "position": [0, 0]}}},
        {"parts": {"b": {"type": "PointMass", "mass": 1}}},
        {"parts": {"b": {"type": "PointMass", "mass": 1, "position": [0, 0], "colour": "red"}}},
        {"dimension": 4},
        {"gravty": [0, 0]},
        {"claims": {"x": {"kind": "closed"}}},
    ):
        assert list(check.iter_errors({**sound, **change})), change


def test_the_formatter_keeps_comments_and_meaning():
    text = "# above\nparts:\n     b:   {type: PointMass,   mass: 1 kg, position: [0, 0]} # beside\n\n\n# below\n"
    made = formatted(text, "f.yaml")
    assert (
        made == "# above\nparts:\n  b: {type: PointMass, mass: 1 kg, position: [0, 0]}        # beside\n\n\n# below\n"
    )
    assert formatted(made, "f.yaml") == made
