"""Identification: known parameters are found again, with intervals that hold what they promise."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import condyle as cd
import sweep_cases
from condyle.cli import main

TRUE = {"damping": 0.3, "stiffness": 40.0}


def swing(damping, stiffness, start=1.0, times=None):
    """A damped oscillator of 1 kg, in closed form."""
    t = np.linspace(0.0, 3.0, 121) if times is None else times
    frequency = np.sqrt(stiffness - 0.25 * damping**2)
    phase = 0.5 * damping / frequency
    x = start * np.exp(-0.5 * damping * t) * (np.cos(frequency * t) + phase * np.sin(frequency * t))
    return {"position": (t, x), "force": (t, stiffness * x)}


UNKNOWNS = {
    "damping": cd.Unknown(1e-3, 10.0, log=True, unit="N s/m"),
    "stiffness": cd.Unknown(10.0, 100.0, 35.0, unit="N/m"),
}


def measured(seed=0, noise=0.02, **others):
    t, x = swing(**TRUE)["position"]
    return cd.Measured("position", t, x + noise * np.random.default_rng(seed).standard_normal(len(t)), **others)


@pytest.mark.parametrize("method", ["local", "starts", "evolution", "cma"])
def test_known_parameters_are_found_again(method):
    found = cd.identify(swing, UNKNOWNS, measured(noise=0.0), method=method, starts=5)
    assert found.values == pytest.approx(TRUE, rel=1e-6)
    assert found.cost < 1e-12 and not found.doubts


def test_runs_that_do_not_wait_for_each_other_go_to_other_processes():
    alone = cd.identify(sweep_cases.swing, UNKNOWNS, measured())
    shared = cd.identify(sweep_cases.swing, UNKNOWNS, measured(), workers=2)
    assert shared.values == alone.values and shared.runs == alone.runs  # the same questions, in the same order
    found = cd.identify(sweep_cases.swing, UNKNOWNS, measured(noise=0.0), method="cma", workers=1, most_runs=600)
    assert found.values == pytest.approx(TRUE, rel=1e-6)
    with pytest.raises(cd.InputError, match="define functions at the top of a module, or take workers=0"):
        cd.identify(lambda **given: swing(**given), UNKNOWNS, measured(), workers=1)


MODEL_FILE = """
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
"""
TASK = """
model: pendulum.yaml
unknowns:
  grease: {low: 0.5, high: 20, start: 2}   # its unit is that of the parameter
measured:
  - {file: angle.csv, curve: angle}
"""


def test_an_identification_is_written_down_in_a_file(tmp_path, capsys):
    (tmp_path / "pendulum.yaml").write_text(MODEL_FILE)
    (tmp_path / "task.yaml").write_text(TASK)
    from condyle.files.experiment import file_simulation

    times, angle = file_simulation(tmp_path / "pendulum.yaml")(grease=7.0)["angle"]
    rows = "".join(f"{t},{y + 1e-6 * (-1) ** k}\n" for k, (t, y) in enumerate(zip(times, angle, strict=True)))
    (tmp_path / "angle.csv").write_text("t,angle\n" + rows)
    out = tmp_path / "out"
    command = ["identify", str(tmp_path / "task.yaml"), "--out", str(out), "--workers", "0", "--profile"]
    assert main([*command, "grease"]) == 0
    shown = capsys.readouterr().out
    assert "grease" in shown and "ISO 18571 1.000" in shown and (out / "fit.png").is_file()
    values = json.loads((out / "values.json").read_text())
    assert values[0]["name"] == "grease" and values[0]["value"] == pytest.approx(7.0, rel=1e-5)
    assert values[0]["unit"] == "N m s" and values[0]["correlations"] == {}
    low, high = values[0]["profile"]
    assert low < values[0]["value"] < high and (out / "profile-grease.png").is_file()
    assert main([*command, "greese"]) == 2
    assert "did you mean 'grease'" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("grease:", "greese:", "task.yaml:4.*did you mean 'grease'"),
        ("low: 0.5", "low: 30", "lower bound first"),
        ("start: 2", "stat: 2", "did you mean 'start'"),
        ("curve: angle", "curv: angle", "did you mean 'curve'"),
        ("model: pendulum.yaml", "model: ../other.yaml", "lies outside of the folder of this file"),
        ("angle.csv", "angel.csv", "there is no file 'angel.csv'"),
        ("model: pendulum.yaml", "", "an identification has 'model'"),
        ("measured:", "method: locl\nmeasured:", "task.yaml:5:9: .*did you mean 'local'"),
        ("start: 2", "start: 2 m", "task.yaml:4.*start: 'm' is a unit of another dimension"),
        ("curve: angle", "curve: angle, sigma: 1 kg", "task.yaml:6.*sigma: 'kg' is a unit of another dimension"),
        ("curve: angle", "curve: angle, sigma: 0,1", "task.yaml:6.*decimals are written with a point"),
        ("  - {file", "  file: angle.csv #", "task.yaml:6:3: a measured curve has 'curve'"),
        ("curve: angle", "curve: angle, experiment: {grese: 1}", "task.yaml:6.*did you mean 'grease'"),
        ("curve: angle", "curve: angle, experiment: {grease: 1 kg}", "task.yaml:6.*another dimension"),
        ("curve: angle", "curve: angle, shift: [1 m, 2 m]", "task.yaml:6.*another dimension"),
        ("curve: angle", "curve: angle, filter: CFC 170", "choose one of CFC 60, CFC 180"),
        ("start: 2", "prior: [3 kg, 1 kg]", "task.yaml:4.*another dimension"),
        ("start: 2", "low: 1", "twice"),
    ],
)
def test_mistakes_in_the_file_of_an_identification_are_named(tmp_path, capsys, old, new, message):
    (tmp_path / "pendulum.yaml").write_text(MODEL_FILE)
    (tmp_path / "angle.csv").write_text("t,angle\n0,0\n0.1,0.1\n")
    (tmp_path / "task.yaml").write_text(TASK.replace(old, new, 1))
    assert main(["identify", str(tmp_path / "task.yaml"), "--out", str(tmp_path / "out"), "--workers", "0"]) == 2
    assert re.search(message, capsys.readouterr().err.replace("\n", " "))


EXPERIMENTS = """
model: pendulum.yaml
unknowns:
  grease: {low: 0.5 N m s, high: 20, log: true}
  bar.mass: {low: 5, high: 20 kg, start: 8 kg, prior: [12 kg, 100 g]}
measured:
  - {file: one.csv, curve: speed, sigma: 0.01, weight: 2, experiment: {bar.inertia: 1 kg m²}, shift: [-50 ms, 50 ms]}
  - {file: two.csv, curve: speed, time: clock, column: its speed, sigma: 0.01, experiment: {bar.inertia: 1.5}, filter: CFC 60}
"""


def test_experiments_with_units_shifts_priors_and_filters_stand_in_a_file(tmp_path, capsys):
    fine = MODEL_FILE.replace("dt: 10 ms", "dt: 1 ms") + "  speed: {coordinate_rate: hinge.angle}\n"
    (tmp_path / "pendulum.yaml").write_text(fine)
    (tmp_path / "task.yaml").write_text(EXPERIMENTS)
    run = cd.file_simulation(tmp_path / "pendulum.yaml")
    for file, inertia, late in (("one.csv", 1.0, 0.02), ("two.csv", 1.5, 0.0)):
        t, y = run(grease=7.0, **{"bar.mass": 12.0, "bar.inertia": inertia})["speed"]
        heading = "t, speed, note" if late else "clock, its speed, note"  # as people write tables
        values = y if late else cd.crash.cfc_filter(t, y, 60)
        places = np.linspace(0.06, 0.42, 40) ** (2.0 if late else 1.0)  # the first is not sampled evenly
        rows = [f"{place}, {np.interp(place + late, t, values)}, " for place in places]
        (tmp_path / file).write_text("\n".join([heading, *rows, "0.43", ""]))  # the last line is cut off
    out = tmp_path / "out"
    command = ["identify", str(tmp_path / "task.yaml"), "--out", str(out), "--workers", "0"]
    assert main([*command, "--profile", "shift of speed 0"]) == 0, capsys.readouterr().err
    shown = capsys.readouterr().out
    assert shown.count("speed: ISO 18571 1.000") == 2 and (out / "profile-shift of speed 0.png").is_file()
    found = {row["name"]: row["value"] for row in json.loads((out / "values.json").read_text())}
    assert found == pytest.approx({"grease": 7.0, "bar.mass": 12.0, "shift of speed 0": 0.02}, rel=1e-4)
    # What is kept belongs to this model, these samples and this noise.
    for file, old, new in (
        ("pendulum.yaml", "mass: 10 kg", "mass: 11 kg"),
        ("task.yaml", "sigma: 0.01, weight: 2", "sigma: 0.02, weight: 2"),
        ("task.yaml", "filter: CFC 60", "filter: CFC 180"),
        ("one.csv", "speed, note", "speed, other\n0.001, 5.0,"),
    ):
        text = (tmp_path / file).read_text()
        assert old in text
        (tmp_path / file).write_text(text.replace(old, new))
        assert main(command) == 2
        assert "holds another identification, or one whose model file" in capsys.readouterr().err.replace("\n", " ")
        (tmp_path / file).write_text(text)
    assert main(command) == 0


def test_the_interval_of_95_percent_holds_the_truth_in_about_95_of_100_cases():
    inside = dict.fromkeys(TRUE, 0)
    for seed in range(100):
        found = cd.identify(swing, UNKNOWNS, measured(seed, sigma=None if seed % 2 else 0.02))
        for name, (low, high) in found.intervals.items():
            inside[name] += low < TRUE[name] < high
    assert all(88 <= count <= 99 for count in inside.values()), inside


def test_the_profile_agrees_with_the_interval_of_a_nearly_linear_problem():
    found = cd.identify(swing, UNKNOWNS, measured(noise=0.002))
    profile = found.profile("stiffness", points=15)
    low, high = found.intervals["stiffness"]
    assert profile.interval == pytest.approx((low, high), abs=0.12 * (high - low))
    assert profile.costs.min() == pytest.approx(found.cost, rel=1e-3)
    assert found.plot_profile("damping", 5).axes[0].get_xlabel() == "damping [N s/m]"


def test_what_the_data_cannot_tell_apart_is_named():
    def product(a, b, c):
        t = np.linspace(0.0, 1.0, 30)
        return {"y": (t, a * b * t)}

    t = np.linspace(0.0, 1.0, 30)
    unknowns = {name: cd.Unknown(0.1, 10.0, 2.0) for name in "abc"}
    with pytest.warns(cd.IdentificationWarning) as caught:
        found = cd.identify(product, unknowns, cd.Measured("y", t, 6.0 * t + 0.01 * np.sin(40 * t)))
    said = [str(warning.message) for warning in caught]
    assert any("a and b: the data can hardly tell them apart" in text for text in said)
    assert any("c: the measured curves do not depend on it" in text for text in said)
    assert found.values["a"] * found.values["b"] == pytest.approx(6.0, rel=1e-3)


def test_a_prior_decides_what_the_data_leave_open():
    def line(a, b):
        t = np.linspace(0.0, 1.0, 30)
        return {"y": (t, (a + b) * t)}

    t = np.linspace(0.0, 1.0, 30)
    unknowns = {"a": cd.Unknown(0.0, 10.0, 5.0, prior=(1.0, 1e-3)), "b": cd.Unknown(0.0, 10.0, 5.0)}
    found = cd.identify(line, unknowns, cd.Measured("y", t, 4.0 * t, sigma=0.01))
    assert found.values == pytest.approx({"a": 1.0, "b": 3.0}, rel=1e-4)


def test_several_experiments_curves_shifts_and_filters_at_once():
    def halved(t, x):
        return 0.5 * x

    data = []
    for start, curve, late in ((1.0, "position", 0.05), (0.5, "force", -0.04)):
        t = np.linspace(0.2, 2.5, 80)
        t_all, y = swing(**TRUE, start=start, times=np.linspace(0.0, 3.0, 3001))[curve]
        values = 0.5 * np.interp(t + late, t_all, y)
        data.append(cd.Measured(curve, t, values, experiment={"start": start}, shift=(-0.1, 0.1), process=halved))

    def fine(damping, stiffness, start):
        return swing(damping, stiffness, start, np.linspace(0.0, 3.0, 3001))

    found = cd.identify(fine, UNKNOWNS, data)
    assert {name: found.values[name] for name in TRUE} == pytest.approx(TRUE, rel=1e-4)
    assert found.values["shift of position"] == pytest.approx(0.05, abs=1e-5)
    assert found.values["shift of force"] == pytest.approx(-0.04, abs=1e-5)
    assert len(found.plot().axes) == 2
    assert all(rating.overall > 0.99 for rating in found.ratings())


def test_the_better_model_has_the_smaller_criterion():
    def without(stiffness):
        return swing(0.0, stiffness)

    data = measured()
    damped = cd.identify(swing, UNKNOWNS, data)
    free = cd.identify(without, {"stiffness": UNKNOWNS["stiffness"]}, data)
    assert damped.aic < free.aic - 10.0 and damped.bic < free.bic - 10.0


def test_runs_that_fail_turn_the_search_back():
    def fragile(damping, stiffness):
        if stiffness > 60.0:
            raise cd.ConvergenceError("it did not converge")
        return swing(damping, stiffness)

    found = cd.identify(fragile, UNKNOWNS, measured(noise=0.0), method="evolution", starts=6)
    assert found.failures > 0 and found.values == pytest.approx(TRUE, rel=1e-5)


def test_an_identification_that_was_stopped_goes_on_where_it_was(tmp_path):
    count = [0]

    def counted(damping, stiffness):
        count[0] += 1
        if count[0] == 12:
            raise KeyboardInterrupt
        return swing(damping, stiffness)

    with pytest.raises(KeyboardInterrupt):
        cd.identify(counted, UNKNOWNS, measured(), out=tmp_path)
    again = cd.identify(counted, UNKNOWNS, measured(), out=tmp_path)
    straight = cd.identify(swing, UNKNOWNS, measured())
    assert again.values == straight.values
    assert count[0] == straight.runs + 1  # only the one that was stopped ran twice
    with pytest.raises(cd.InputError, match="holds another identification"):
        cd.identify(swing, UNKNOWNS, measured(seed=1), out=tmp_path)


def test_an_identification_that_was_killed_twice_while_it_wrote_loses_only_those_lines(tmp_path):
    count = [0]

    def counted(damping, stiffness):
        count[0] += 1
        if count[0] in (6, 12):
            raise KeyboardInterrupt
        return swing(damping, stiffness)

    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            cd.identify(counted, UNKNOWNS, measured(), out=tmp_path)
        with (tmp_path / "evaluations.jsonl").open("a") as stream:
            stream.write('{"point": [0.1, 3')
    found = cd.identify(counted, UNKNOWNS, measured(), out=tmp_path)
    assert count[0] == cd.identify(swing, UNKNOWNS, measured()).runs + 2
    assert found.values == cd.identify(swing, UNKNOWNS, measured()).values


def test_a_search_ends_after_the_runs_it_was_given():
    with pytest.warns(cd.IdentificationWarning, match="ended after 40 runs"):
        found = cd.identify(swing, UNKNOWNS, measured(), method="evolution", most_runs=40)
    assert found.runs <= 40 + 2 * 2 + 1


def test_curves_are_read_from_files(tmp_path):
    file = tmp_path / "curve.csv"
    file.write_text("t,position,other\n0,1.0,5\n0.1,0.9,\n0.2,0.7,6\n")
    assert cd.Measured.from_csv(file, "position").values.tolist() == [1.0, 0.9, 0.7]
    assert cd.Measured.from_csv(file, "force", column="other").times.tolist() == [0.0, 0.2]
    with pytest.raises(cd.InputError, match="no column 'force'; it has t, position, other"):
        cd.Measured.from_csv(file, "force")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "is no table"),
        ("t,pösition\n0,1\n".encode("latin-1"), "is no table: write CSV in UTF-8"),
        (b"t|position\n0|1\n", "no column of times.*it has t|position, as commas, semicolons or tabs separate them"),
        (b"t,position\n0,one\n", "line 2: 'one' in the column 'position' is no number"),
        (b"t,position\n", "has no samples"),
    ],
)
def test_a_file_that_is_no_table_of_numbers_is_named(tmp_path, text, message):
    (tmp_path / "curve.csv").write_bytes(text)
    with pytest.raises(cd.InputError, match=message):
        cd.Measured.from_csv(tmp_path / "curve.csv", "position")


def test_a_curve_of_few_samples_is_fitted_and_not_rated():
    found = cd.identify(
        swing,
        {"stiffness": UNKNOWNS["stiffness"], "damping": UNKNOWNS["damping"]},
        cd.Measured(
            "position",
            [0.0, 0.4, 0.9, 1.3],
            [swing(**TRUE, times=t)["position"][1] for t in (0.0, 0.4, 0.9, 1.3)],
            sigma=0.01,
        ),
    )
    assert found.values == pytest.approx(TRUE, rel=0.2)
    assert "not rated, iso_18571: at least" in found.rating_texts()[0]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (
            lambda: cd.identify(swing, {"damping": cd.Unknown(start=1.0)}, measured(), method="starts"),
            "low and high of 'damping'",
        ),
        (lambda: cd.identify(swing, UNKNOWNS, measured(), method="locl"), "did you mean 'local'"),
        (lambda: cd.identify(swing, {}, measured()), "at least one unknown"),
        (
            lambda: cd.identify(swing, UNKNOWNS, cd.Measured("position", [0, 4], [1, 2])),
            "outside of the simulated time",
        ),
        (lambda: cd.identify(swing, UNKNOWNS, cd.Measured("positon", [0, 1], [1, 2])), "did you mean 'position'"),
        (lambda: cd.Unknown(), "without bounds"),
        (lambda: cd.Unknown(2.0, 1.0), "lower bound first"),
        (lambda: cd.Unknown(0.0, 1.0, log=True), "above zero"),
        (lambda: cd.Unknown(0.0, 1.0, start=2.0), "outside of the bounds"),
        (lambda: cd.Measured("x", [0, 0], [1, 2]), "do not ascend, first at sample 1"),
        (lambda: cd.Measured("x", [0, 1], [1, np.nan]), "not finite"),
        (lambda: cd.Measured("x", [0, 1], [1, 2, 3]), "as many times as values"),
        (lambda: cd.Measured("x", [0, 1], [1, 2], sigma=0.0), "sigma"),
        (lambda: cd.Measured("x", [0, 1], [1, 2], weight=0.0), "leave the curve out"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(cd.InputError, match=message):
        call()
