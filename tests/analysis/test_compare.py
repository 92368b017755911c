"""`condyle compare`: the table, the figure, the command, and a user's own integrator and joint in it."""

import json

import numpy as np
import pytest

import condyle as cd
from condyle.analysis.compare import split_names
from condyle.analysis.examples import EXAMPLES, double_pendulum
from condyle.analysis.loading import load_parts
from condyle.cli import main
from condyle.errors import InputError
from condyle.integrators import registry
from condyle.integrators.newton import StepFailed

OWN_PARTS = '''
from dataclasses import dataclass
from typing import Any

import condyle as cd
from condyle.joints import Joint


@dataclass
class BallJoint(Joint):
    """A joint of my own: two points meet."""

    def compile(self, builder):
        self.meet(builder)


@dataclass
class HalfSteps(cd.BDF):
    """A method of my own: every step is two steps of half the length."""

    def step(self, system, state, h):
        middle, first = super().step(system, state, 0.5 * h)
        end, second = super().step(system, middle, 0.5 * h)
        second.iterations += first.iterations
        return end, second
'''


@pytest.fixture
def known():
    """The registry as it was, after the test."""
    before = dict(registry._KNOWN)
    yield
    registry._KNOWN.clear()
    registry._KNOWN.update(before)


@pytest.fixture(scope="module")
def comparison():
    return cd.compare(
        double_pendulum(), 0.1, steps=(0.01, 0.02), integrators=["EnergyMomentum", cd.BDF(order=1), "LSODA(rtol=1e-8)"]
    )


def test_the_table_has_orders_costs_and_drifts(comparison):
    assert comparison.integrators == ["EnergyMomentum", "BDF(order=1)", "LSODA(rtol=1e-8)"]
    assert [run.step for run in comparison.of("EnergyMomentum")] == [0.02, 0.01]
    assert [run.steps for run in comparison.of("EnergyMomentum")] == [5, 10]
    for quantity in ("position", "velocity"):
        assert abs(comparison.order("EnergyMomentum", quantity) - 2.0) < 0.2
        assert abs(comparison.order("BDF(order=1)", quantity) - 1.0) < 0.2
    assert comparison.order("LSODA(rtol=1e-8)") is None  # its error does not depend on the step
    energy = {run.integrator: run.energy_drift for run in comparison.runs}
    assert energy["EnergyMomentum"] < 1e-13 < 1e-4 < energy["BDF(order=1)"]
    momentum = {run.integrator: run.momentum_drift for run in comparison.runs}
    assert momentum["EnergyMomentum"] < 1e-12  # about the vertical
    assert all(run.wall_time > 0.0 and run.constraint_error < 1e-13 for run in comparison.runs)
    exact = comparison.of("LSODA(rtol=1e-8)")[0]
    assert max(exact.position_error, exact.velocity_error, exact.multiplier_error) < 1e-6


def test_the_table_is_text_pandas_and_json(comparison):
    text = str(comparison)
    assert "order 2.0" in text and "step [s]" in text and "BDF(order=1)" in text
    frame = comparison.to_pandas()
    assert len(frame) == 6
    assert frame["position_order"].iloc[0] == comparison.order("EnergyMomentum")
    data = json.loads(json.dumps(comparison.to_json(), allow_nan=False))
    assert data["runs"][0]["position_error"] == comparison.runs[0].position_error


def test_the_figure_shows_every_integrator_and_the_orders(comparison, tmp_path):
    figure = comparison.plot("velocity")
    work, step = figure.axes
    assert [line.get_label() for line in work.get_lines()] == comparison.integrators
    assert {text.get_text() for text in step.texts} == {"1", "2"}
    assert "error" in work.get_ylabel() and "[s]" in step.get_xlabel()
    files = comparison.save(tmp_path)
    assert [file.name for file in files] == [
        "compare.json", "work-precision-position.png", "work-precision-velocity.png", "work-precision-multiplier.png",
    ]  # fmt: skip
    assert all(file.stat().st_size > 1000 for file in files)


class GivesUp(cd.BDF):
    """Fails on the way."""

    def step(self, system, state, h):
        if state.t > 0.03:
            raise StepFailed("enough", "elbow")
        return super().step(system, state, h)


def test_a_run_that_fails_is_named_and_the_others_go_on():
    comparison = cd.compare(double_pendulum(), 0.06, steps=(0.02,), integrators=[GivesUp(), "BDF2"])
    failed, fine = comparison.runs
    assert "elbow" in failed.message and failed.position_error is None and failed.steps == 2
    assert fine.message == "" and fine.position_error > 0.0
    assert comparison.problems()[0].startswith("GivesUp, step 0.02 s: enough")
    assert "failed" in str(comparison)


def test_momentum_of_a_free_body_is_compared_although_energy_is_not_kept():
    model = cd.Model("free", dimension=3)
    model.add(cd.RigidBody("body", 1.0, inertia=(0.2, 0.3, 0.4), velocity=(1.0, 0, 0), angular_velocity=(0.1, 2, 0.1)))
    comparison = cd.compare(model, 0.2, steps=(0.1,), integrators=["EnergyMomentum", "BDF1"])
    kept, lost = comparison.runs
    assert kept.momentum_drift < 1e-13 < lost.momentum_drift
    assert kept.multiplier_error is None


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_named_models_start_without_a_change(name):
    sim = cd.Simulation(EXAMPLES[name](), dt=0.01)
    assert sim.start_report.position_change < 1e-12
    sim.step()


def test_a_users_integrator_and_joint_take_part(known, tmp_path, capsys):
    own = tmp_path / "my_parts.py"
    own.write_text(OWN_PARTS)
    assert load_parts(own).integrators == ["HalfSteps"]
    data = double_pendulum().to_dict()
    for part in data["parts"]:
        if part["type"] == "Spherical":
            part["type"] = "BallJoint"
    file = tmp_path / "model.json"
    cd.Model.from_dict(data).save(file)
    code = main(
        ["compare", str(file), "--load", str(own), "--integrators", "HalfSteps,BDF2", "--steps", "0.02,0.01", "--end",
         "0.1", "--json", "--out", str(tmp_path / "out")]
    )  # fmt: skip
    assert code == 0
    runs = {(run["integrator"], run["step"]): run for run in json.loads(capsys.readouterr().out)["runs"]}
    # Two half steps are as exact as the method with half the step.
    assert np.isclose(runs["HalfSteps", 0.02]["velocity_error"], runs["BDF2", 0.01]["velocity_error"], rtol=0.2)
    assert runs["HalfSteps", 0.01]["constraint_error"] < 1e-13
    assert (tmp_path / "out" / "work-precision-position.png").exists()


def test_an_integrator_registers_with_a_decorator(known):
    @cd.register_integrator
    class Mine(cd.BDF):
        pass

    assert isinstance(registry.make_integrator("mine(order=1)"), Mine)
    with pytest.raises(InputError, match="lacks step, multiplier_time"):

        @cd.register_integrator
        class Nothing:
            start_correction = 0.0

            def prepare(self, system, state, h):
                pass


def test_names_are_split_outside_brackets():
    assert split_names('BDF2, HHT(alpha=0.1, hold="all"),RK45') == ["BDF2", 'HHT(alpha=0.1, hold="all")', "RK45"]


@pytest.mark.parametrize(("arguments", "message"), [
    (["nonsense"], "unknown model 'nonsense'"),
    (["heavy-top", "--integrators", "Nwmark"], "did you mean 'Newmark'"),
    (["heavy-top", "--integrators", "HHT(0.1)"], "options by name"),
    (["heavy-top", "--integrators", "HHT(beta=0.1)"], "beta"),
    (["heavy-top", "--integrators", "HHT(alpha=9)"], "alpha must be at least 0 and at most 0.333"),
    (["heavy-top", "--integrators", "HHT,HHT"], "given twice"),
    (["heavy-top", "--steps", "-1"], "a step must be between"),
    (["heavy-top", "--end", "0"], "end must be a positive time"),
    (["heavy-top", "--reference", "exact"], "unknown integrator 'exact'"),
    (["heavy-top", "--load", "nowhere.py"], "no file 'nowhere.py'"),
    (["missing.json"], "missing.json"),
])  # fmt: skip
def test_mistakes_are_named(arguments, message, capsys):
    assert main(["compare", *arguments]) == 2
    assert message in capsys.readouterr().err


def test_a_file_with_an_error_is_named(tmp_path):
    own = tmp_path / "broken.py"
    own.write_text("import condyle\n1 / 0\n")
    with pytest.raises(InputError, match=r"broken.py' cannot be loaded: ZeroDivisionError"):
        load_parts(own)
