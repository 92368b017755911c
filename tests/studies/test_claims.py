"""Claims and studies: what holds, what is refused, and what a mistake is answered with."""

from __future__ import annotations

import dataclasses
import json
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import condyle as cd
import fake_study
from condyle.claims import by_kind, counted
from condyle.verification import load_reports

MISSED = cd.Differs("the source has another mesh", 2.4, 2.6)


def claim(reference: Any, value: Any, **options: Any) -> cd.Claim:
    return cd.Claim(
        "deflection",
        reference,
        lambda outcome: value,
        **{"kind": "published", "origin": "table 1", "unit": "m"} | options,
    )


@pytest.mark.parametrize(
    ("reference", "tolerance", "sense", "value", "ok"),
    [
        (2.0, 0.1, "below", 2.05, True),
        (2.0, 0.1, "below", 1.85, False),
        (2.0, 0.0, "below", 2.0, True),
        (-2.0, 0.1, "below", 2.0, False),
        ((1.0, 2.0), None, "below", 1.0, True),
        ((1.0, 2.0), None, "below", 2.0, True),
        ((1.0, 2.0), None, "below", 2.0000001, False),
        ((1.0, math.inf), None, "below", 1e300, True),
        ("J constant", 1e-10, "below", 3e-11, True),
        ("J constant", 1e-10, "below", 3e-10, False),
        ("(b) unbounded", 100.0, "above", 2e5, True),
        ("(b) unbounded", 100.0, "above", 3.0, False),
    ],
)
def test_a_claim_holds_within_its_tolerance_interval_or_margin(reference, tolerance, sense, value, ok):
    verdict = claim(reference, value, tolerance=tolerance, sense=sense).check("bar", {})
    assert verdict.ok is ok
    assert verdict.computed == value


@pytest.mark.parametrize(
    ("reference", "sense"), [(2.0, "below"), ((0.0, math.inf), "below"), ("J constant", "below"), ("grows", "above")]
)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf, np.float64("nan"), None, "text", [1.0, 2.0]])
def test_what_is_not_a_finite_number_never_holds(reference, sense, value):
    verdict = claim(reference, value, tolerance=1.0, sense=sense).check("bar", {})
    assert not verdict.ok
    assert verdict.computed is None
    assert verdict.problem


def test_a_claim_whose_computation_fails_says_why():
    broken = cd.Claim(
        "angle", 1.0, lambda outcome: outcome["angle"], tolerance=0.1, kind="published", origin="figure 3"
    )
    verdict = broken.check("bar", {})
    assert not verdict.ok
    assert "KeyError" in verdict.problem and "angle" in verdict.problem


def test_a_verdict_is_strict_json_with_the_agreed_keys():
    verdict = claim((0.0, math.inf), math.nan).check("bar", {})
    text = json.dumps(verdict.to_json(), allow_nan=False)
    assert json.loads(text) == {
        "study": "bar",
        "quantity": "deflection",
        "kind": "published",
        "reference": [0.0, None],
        "computed": None,
        "unit": "m",
        "tolerance": None,
        "sense": "below",
        "outcome": "fails",
        "ok": False,
        "from": "table 1",
        "reason": "",
        "problem": "computed value is nan",
    }
    assert cd.Verdict.from_json(json.loads(text)) == verdict
    assert list(claim(1.0, np.float32(1.0), tolerance=0.5).check("bar", {}).to_json()) == list(json.loads(text))


@pytest.mark.parametrize(
    ("reference", "options", "message"),
    [
        (2.0, {}, "finite tolerance in m"),
        ("J constant", {}, "finite tolerance"),
        (2.0, {"tolerance": math.nan}, "finite tolerance"),
        (2.0, {"tolerance": -0.1}, "negative"),
        (math.nan, {"tolerance": 0.1}, "reference must be finite"),
        ((2.0, 1.0), {}, "lo <= hi"),
        ((math.nan, 1.0), {}, "lo <= hi"),
        (2.0, {"tolerance": 0.1, "sense": "above"}, "belongs to words"),
        ((1.0, 2.0), {"sense": "above"}, "belongs to words"),
        ("grows", {"tolerance": 1.0, "sense": "over"}, "'below' or 'above'"),
        ((-math.inf, math.inf), {}, "cannot fail"),
        (2.0, {"tolerance": 0.1, "kind": "publshed"}, "unknown kind 'publshed'; did you mean 'published'"),
        (2.0, {"tolerance": 0.1, "origin": " "}, "say in origin where"),
        (2.0, {"tolerance": 0.1, "origin": "Galilei 1638"}, "its place in the source.*not 'Galilei 1638'"),
        (2.0, {"tolerance": 0.1, "kind": "property", "differs": MISSED}, "a property holds or fails"),
        (2.0, {"tolerance": 0.1, "kind": "relation", "differs": MISSED}, "a relation holds or fails"),
        ("grows", {"tolerance": 1.0, "differs": MISSED}, "words cannot differ"),
        (2.0, {"tolerance": 0.1, "differs": cd.Differs(" ", 2.4, 2.6)}, "say in the reason"),
        (2.0, {"tolerance": 0.1, "differs": cd.Differs("why", 2.6, 2.4)}, "low <= high in m"),
        (2.0, {"tolerance": 0.1, "differs": cd.Differs("why", 2.4, math.inf)}, "finite bounds"),
        (2.0, {"tolerance": 0.1, "differs": cd.Differs("why", 2.05, 2.6)}, "keep them apart"),
        ((1.0, 2.0), {"differs": cd.Differs("why", 0.5, 1.5)}, "keep them apart"),
    ],
)
def test_a_claim_that_could_not_be_judged_is_refused_by_name(reference, options, message):
    with pytest.raises(cd.InputError, match=f"'deflection'.*{message}"):
        claim(reference, 1.0, **options)


@pytest.mark.parametrize(
    ("value", "outcome", "ok", "problem"),
    [
        (2.5, "differs", True, ""),
        (2.4, "differs", True, ""),
        (2.05, "fails", False, "agrees with the source now"),
        (2.7, "fails", False, "differs more than stated: outside of 2.4 to 2.6"),
        (1.0, "fails", False, "differs more than stated"),
        (math.nan, "fails", False, "computed value is nan"),
    ],
)
def test_a_miss_is_shown_as_long_as_it_stays_as_stated(value, outcome, ok, problem):
    verdict = claim(2.0, value, tolerance=0.1, differs=MISSED).check("bar", {})
    assert (verdict.outcome, verdict.ok) == (outcome, ok)
    assert verdict.problem.startswith(problem) and bool(verdict.problem) is bool(problem)
    assert verdict.reason == "the source has another mesh"


def test_claims_that_many_studies_make_are_properties_of_an_entry_or_of_newtons_method():
    kept = cd.Claim.kept("energy drift", "drift", 1e-10, "conservative system")
    assert (kept.kind, kept.reference, kept.tolerance) == ("property", "constant", 1e-10)
    assert kept.check("s", {"drift": 1e-11}).ok and not kept.check("s", {"drift": 1e-9}).ok
    newton = cd.Claim.newton(4, lambda o: o["iterations"])
    assert newton.check("s", {"iterations": 4}).ok and not newton.check("s", {"iterations": 5}).ok


def test_a_module_is_a_study_by_its_docstring_and_its_names():
    module = {
        "__name__": "folder.swinging_rod",
        "__doc__": "A rod\nswings.\n\nOn a pin,\nfreely.\n\nNotes for readers of the code.\n",
        "PARAMETERS": {"end": cd.Parameter(2.0, "time", "s")}, "QUICK": {"end": 1.0}, "INPUTS": ("end",),
        "run": lambda p, context: {"drift": 0.0}, "CLAIMS": [cd.Claim.kept("energy drift", "drift", 1e-10, "method")],
    }  # fmt: skip
    study = cd.Study.of_module(module, source="beyond")
    assert (study.name, study.title, study.summary) == ("swinging-rod", "A rod swings", "On a pin, freely.")
    assert study.values(quick=True).end == 1.0 and study.physical_inputs() == ["end"] and study.figures is None
    assert cd.Study.of_module(module, source="beyond", name="rod").name == "rod"
    with pytest.raises(cd.InputError, match="'swinging-rod': its module has no CLAIMS; write it, or give claims"):
        cd.Study.of_module(module | {"CLAIMS": None}, source="beyond")


def test_a_kind_has_to_be_given():
    with pytest.raises(TypeError, match="kind"):
        cd.Claim("depth", 1.0, lambda outcome: 1.0, tolerance=0.1, origin="table 1")


def test_claims_are_grouped_and_counted_by_kind():
    kinds = {"relation": [0.0], "published": [2.0, 2.0, 2.5], "closed form": [2.0, 9.0], "property": [9.0, 9.0]}
    verdicts = [
        claim(
            2.0,
            value,
            tolerance=2.0 if kind == "relation" else 0.1,
            kind=kind,
            differs=MISSED if value == 2.5 else None,
        ).check("bar", {})
        for kind, values in kinds.items()
        for value in values
    ]
    assert [v.kind for v in by_kind(verdicts)] == ["published"] * 3 + ["closed form"] * 2 + ["relation"] + [
        "property"
    ] * 2
    assert counted(verdicts) == (
        "2 of 3 published, 1 differs; 1 of 2 closed form, 1 fails; 1 of 1 relation; 0 of 2 property, 2 fail"
    )


def test_the_page_of_claims_is_that_of_the_verdicts_that_are_kept_beside_it():
    folder = Path(__file__).resolve().parents[2] / "docs"
    reports = load_reports([folder / "claims.json"])
    verdicts = [verdict for report in reports.values() for verdict in report.verdicts]
    page = (folder / "claims.md").read_text(encoding="utf-8")
    assert f"{counted(verdicts)}." in page
    assert not any(report.quick for report in reports.values())
    assert [verdict.quantity for verdict in verdicts if not verdict.ok] == []
    assert [name for name in reports if f"| `{name}` |" not in page] == []


def test_inputs_of_the_physics_are_numbers_with_a_unit_unless_declared():
    study = fake_study.STUDY
    assert study.physical_inputs() == ["gravity"]  # start is at zero, end and dt are times
    assert dataclasses.replace(study, inputs=("end",)).physical_inputs() == ["end"]
    assert study.changes("gravity", 0.1) == [{"gravity": 11.0}, {"gravity": 9.0}]
    assert study.changes("end", 0.5, quick=True)[0] == {"end": 0.75}
    tilted = dataclasses.replace(study, parameters={"start": cd.Parameter((0.0, -4.0), "place", "m")}, quick={})
    assert tilted.changes("start", 0.5) == [{"start": (0.0, -6.0)}, {"start": (0.0, -2.0)}]
    for wrong, message in (("scheme", "'scheme' is no number"), ("start", "'start' is no number"), ("mass", "unknown")):
        with pytest.raises(cd.InputError, match=message):
            dataclasses.replace(study, inputs=(wrong,))


def test_parameters_are_defaults_then_quick_then_overrides():
    study = fake_study.STUDY
    assert study.values().end == 2.0
    assert study.values(quick=True).end == 0.5
    assert study.values({"end": 3}, quick=True).end == 3.0
    assert isinstance(study.values({"end": np.int64(3)}).end, float)
    assert study.values({"start": np.array([1, 2, 3])}).start == (1.0, 2.0, 3.0)


@pytest.mark.parametrize(
    ("overrides", "message"),
    [
        ({"gravty": 9.81}, "unknown parameter 'gravty'; did you mean 'gravity'\\? Known: bounces, drag"),
        ({"gravity": "high"}, "'gravity' takes a number, not 'high'"),
        ({"gravity": True}, "'gravity' takes a number, not True"),
        ({"gravity": math.nan}, "'gravity' must be finite, but is nan"),
        ({"gravity": math.inf}, "'gravity' must be finite"),
        ({"bounces": 2.5}, "'bounces' takes a whole number, not 2.5"),
        ({"drag": 1}, "'drag' takes true or false"),
        ({"scheme": 3}, "'scheme' takes a text"),
        ({"start": 3.0}, "'start' takes a tuple like"),
        ({"start": ()}, "'start' takes a tuple like"),
        ({"start": (0.0, math.nan, 0.0)}, "'start' must be finite"),
    ],
)
def test_a_wrong_parameter_is_named_with_its_study(overrides, message):
    with pytest.raises(cd.InputError, match=f"^study 'falling-stone': .*{message}"):
        fake_study.STUDY.execute(overrides)


def test_assignments_are_read_in_the_type_of_the_default():
    study = fake_study.STUDY
    read = study.parse(["gravity=1e1", "bounces=3", "drag=yes", "scheme=newmark", "start=1,2.5, 3", "end = 4"])
    assert vars(study.values(read)) == {
        "gravity": 10.0,
        "bounces": 3,
        "drag": True,
        "scheme": "newmark",
        "start": (1.0, 2.5, 3.0),
        "end": 4.0,
        "dt": 0.1,
    }


def test_an_assignment_without_a_value_is_refused():
    with pytest.raises(cd.InputError, match="write name=value"):
        fake_study.STUDY.parse(["gravity"])


@pytest.mark.parametrize("default", [None, math.nan, (), [1.0], {}])
def test_a_default_without_a_usable_type_is_refused(default):
    with pytest.raises(cd.InputError, match="stiffness"):
        cd.Parameter(default, "stiffness")


def test_a_wrong_quick_form_or_a_repeated_quantity_is_found_at_declaration():
    with pytest.raises(cd.InputError, match="unknown parameter 'ende'"):
        dataclasses.replace(fake_study.STUDY, quick={"ende": 1.0})
    with pytest.raises(cd.InputError, match="same quantity: depth"):
        dataclasses.replace(fake_study.STUDY, claims=[fake_study.STUDY.claims[1]] * 2)


def test_verify_leaves_out_full_only_claims_in_the_quick_form(monkeypatch):
    monkeypatch.setitem(vars(cd), "simulate", fake_study.simulate)
    assert [v.quantity for v in fake_study.STUDY.verify(quick=True)] == ["acceleration from the depth"]
    full = fake_study.STUDY.verify()
    assert [v.ok for v in full] == [True, True]


def test_context_passes_file_and_progress_and_remembers_results(monkeypatch, tmp_path):
    calls = []

    def simulate(model, **options):
        calls.append((model, options))
        return SimpleNamespace(status="completed")

    monkeypatch.setitem(vars(cd), "simulate", simulate)
    context = cd.Context(tmp_path / "new" / "folder", progress=True)
    result = context.simulate("swing", "model", end=1.0)
    file = tmp_path / "new" / "folder" / "swing.h5"
    assert calls == [("model", {"file": file, "overwrite": True, "progress": True, "end": 1.0})]
    assert context.results == {"swing": result}
    assert (tmp_path / "new" / "folder").is_dir()
    with pytest.raises(cd.InputError, match="'swing': the label is taken"):
        context.simulate("swing", "model")
    cd.Context().simulate("swing", "model")
    assert calls[-1][1]["file"] is None


def test_an_interrupted_simulation_ends_the_study_and_is_remembered(monkeypatch):
    monkeypatch.setitem(vars(cd), "simulate", lambda model, **options: SimpleNamespace(status="interrupted"))
    context = cd.Context()
    with pytest.raises(KeyboardInterrupt):
        context.simulate("swing", None)
    assert context.results["swing"].status == "interrupted"


def test_the_partial_result_of_a_failed_simulation_is_remembered(monkeypatch):
    def simulate(model, **options):
        raise cd.ConvergenceError("bar: no convergence at t = 0.3 s", result="partial", time=0.3, part="bar")

    monkeypatch.setitem(vars(cd), "simulate", simulate)
    context = cd.Context()
    with pytest.raises(cd.ConvergenceError) as caught:
        context.simulate("swing", None)
    assert context.results == {"swing": "partial"}
    assert (caught.value.time, caught.value.part) == (0.3, "bar")
