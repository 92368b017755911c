"""The command line, on a small fake study."""

from __future__ import annotations

import dataclasses
import json
import os
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest

import condyle as cd
import fake_study
from condyle import studies, verification
from condyle.analysis.dynamics import simulate
from condyle.cli import _parser, main


@pytest.fixture
def register(monkeypatch):
    """Makes the given studies the only registered ones."""

    def register_studies(*given):
        names = [f"fake_{k}" for k in range(len(given))]
        for name, study in zip(names, given, strict=True):
            module = ModuleType(f"condyle.studies.{name}")
            module.STUDY = study
            monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setattr(studies, "MODULES", tuple(names))

    return register_studies


@pytest.fixture(autouse=True)
def stone(register, monkeypatch, tmp_path):
    """The falling stone on the fake engine, in an empty working folder."""
    register(fake_study.STUDY)
    monkeypatch.setitem(vars(cd), "simulate", fake_study.simulate)
    monkeypatch.chdir(tmp_path)
    return fake_study.STUDY


def failing(study):
    wrong = cd.Claim("mass", 1.0, lambda outcome: 2.0, unit="kg", tolerance=0.1, kind="reference", origin="scale")
    return dataclasses.replace(study, name="wrong-stone", claims=[*study.claims, wrong])


def differing(study, value=3.0):
    missed = cd.Differs("the source rounds", low=2.9, high=3.1)
    size = cd.Claim(
        "size", 2.5, lambda outcome: value, unit="m", tolerance=0.1, kind="published", origin="page 3", differs=missed
    )
    return dataclasses.replace(study, name="odd-stone", claims=[*study.claims, size])


def test_list_gives_name_title_and_source(capsys):
    assert main(["list"]) == 0
    assert capsys.readouterr().out == "falling-stone  A stone falls from rest (beyond)\n"
    assert main(["list", "--json"]) == 0
    expected = [{"name": "falling-stone", "title": "A stone falls from rest", "source": "beyond"}]
    assert json.loads(capsys.readouterr().out) == expected


def test_list_describes_a_study_with_parameters_and_claims(capsys):
    assert main(["list", "falling-stone"]) == 0
    shown = capsys.readouterr().out
    for text in (
        "gravitational acceleration",
        "m/s²",
        "energy-momentum",
        "depth (full run only)",
        "Galilei [eq. 1]",
    ):
        assert text in shown


def test_run_prints_summary_and_claims_and_writes_files(capsys, tmp_path):
    assert main(["run", "falling-stone", "--out", "here"]) == 0
    shown = capsys.readouterr().out
    for text in ("completed", "steps", "20", "0 to 2 s", "0.25 s", "mean 3.00, most 4", "2.00e-01 of", "here/fall.h5"):
        assert text in shown
    assert "acceleration from the depth" in shown and "Galilei [eq. 1]" in shown
    assert sorted(file.name for file in (tmp_path / "here").iterdir()) == [
        "claims.json", "depth.png", "fall.h5", "report.html",
    ]  # fmt: skip
    assert (tmp_path / "here" / "depth.png").read_bytes()[:4] == b"\x89PNG"
    assert [claim["ok"] for claim in json.loads((tmp_path / "here" / "claims.json").read_text())] == [True, True]
    assert "default parameters" not in shown


def test_a_folder_that_a_study_writes_is_listed_with_the_number_of_its_files(register, stone, capsys, tmp_path):
    def with_folder(p, context):
        outcome = fake_study.fall(p, context)
        (context.out / "frames").mkdir()
        for k in range(3):
            (context.out / "frames" / f"{k}.vtu").write_text("")
        context.files.append(context.out / "frames")
        return outcome

    register(dataclasses.replace(stone, run=with_folder))
    assert main(["run", "falling-stone", "--out", "here", "--no-figures"]) == 0
    assert f"here{os.sep}frames{os.sep} (3 files)" in capsys.readouterr().out


def test_run_writes_to_a_results_folder_by_default_and_may_leave_figures_out(tmp_path):
    assert main(["run", "falling-stone", "--no-figures"]) == 0
    assert sorted(file.name for file in (tmp_path / "results" / "falling-stone").iterdir()) == [
        "claims.json",
        "fall.h5",
        "report.html",
    ]


def test_run_with_other_parameters_says_what_the_claims_are_declared_for(capsys):
    assert main(["run", "falling-stone", "--set", "end=1", "dt=0.5", "--no-figures"]) == 1
    shown = capsys.readouterr().out
    assert "declared for the default parameters; set here: end, dt" in shown
    assert "FAILS" in shown  # the depth after one second is not the one after two


def test_run_quick_says_how_many_claims_were_left_out(capsys):
    assert main(["run", "falling-stone", "--quick", "--no-figures"]) == 0
    assert "1 more claim needs the full run" in capsys.readouterr().out


def test_a_failed_claim_makes_run_and_verify_exit_with_one(register, stone, capsys):
    register(stone, failing(stone))
    assert main(["run", "wrong-stone", "--no-figures"]) == 1
    assert main(["verify"]) == 1
    assert "hold in all: 2 of 2 published; 2 of 2 closed form; 0 of 1 reference, 1 fails\n" in capsys.readouterr().out
    assert main(["verify", "falling-stone"]) == 0


def test_verify_json_is_nothing_but_the_array(register, stone, capsys):
    def talkative(p, context):
        print("a word from the study")
        return fake_study.fall(p, context)

    register(dataclasses.replace(failing(stone), run=talkative))
    assert main(["verify", "--json", "--quick"]) == 1
    captured = capsys.readouterr()
    verdicts = json.loads(captured.out)
    assert [(v["study"], v["quantity"], v["ok"]) for v in verdicts] == [
        ("wrong-stone", "acceleration from the depth", True),
        ("wrong-stone", "mass", False),
    ]
    assert "a word from the study" in captured.err


def test_a_study_that_breaks_fails_its_claims_and_the_others_are_still_verified(register, stone, capsys):
    def broken(p, context):
        raise ZeroDivisionError("no mass")

    register(dataclasses.replace(stone, name="broken-stone", run=broken), stone)
    assert main(["verify", "--json"]) == 1
    captured = capsys.readouterr()
    assert [verdict["ok"] for verdict in json.loads(captured.out)] == [False, False, True, True]
    assert "study broken-stone: ZeroDivisionError: no mass" in captured.err
    with pytest.raises(ZeroDivisionError):
        main(["verify", "--debug"])


def test_a_published_number_that_is_missed_as_stated_is_shown_with_its_reason_and_does_not_fail(
    register, stone, capsys
):
    register(differing(stone))
    assert main(["verify"]) == 0
    shown = capsys.readouterr().out
    assert "size differs: the source rounds" in shown and "1 of 2 published, 1 differs; 1 of 1 closed form" in shown
    lines = [line.strip() for line in shown.splitlines()]
    header, *rows = [line.split() for line in lines if line.startswith(("reference", "published", "closed form"))]
    assert header == ["reference", "quantity", "expected", "computed", "outcome", "from"]
    assert [row[0] for row in rows] == ["published", "closed"]  # each kind once, above the claims of its group
    assert "2.5 ± 0.1 m" in shown
    register(differing(stone, value=2.5))
    assert main(["run", "odd-stone", "--no-figures"]) == 1
    assert "size fails: agrees with the source now" in capsys.readouterr().out


def test_a_reason_that_several_claims_share_is_said_once_and_words_show_their_bound(register, stone, capsys):
    odd = differing(stone)
    more = [dataclasses.replace(odd.claims[-1], quantity=name) for name in ("width", "height")]
    grows = cd.Claim("growth", "grows", lambda outcome: 3.0, tolerance=2.0, sense="above", kind="property", origin="us")
    register(dataclasses.replace(odd, claims=[*odd.claims, *more, grows]), stone)
    assert main(["verify"]) == 0
    shown = capsys.readouterr().out
    assert "size; width; height differ: the source rounds" in shown and shown.count("the source rounds") == 1
    assert "grows (≥ 2)" in shown
    rows = [line.split() for line in shown.splitlines() if line.strip().startswith(("odd-stone  ", "all  "))]
    assert rows[0][:5] == ["odd-stone", "beyond", "1", "of", "4"] and rows[1][:4] == ["all", "2", "of", "5"]


def test_studies_are_verified_one_by_one_and_make_one_page(register, stone, capsys, tmp_path):
    register(stone, differing(stone), failing(stone))
    kept, other, page = tmp_path / "kept.json", tmp_path / "other.json", tmp_path / "claims.md"
    assert main(["verify", "falling-stone", "--quick", "--save", str(kept)]) == 0
    assert main(["verify", "falling-stone", "odd-stone", "--save", str(kept)]) == 0
    assert [(r["study"], r["quick"]) for r in json.loads(kept.read_text())] == [
        ("falling-stone", False),
        ("odd-stone", False),
    ]
    assert main(["verify", "--from", str(kept), "--page", str(page)]) == 0
    assert "Not run: wrong-stone." in page.read_text()
    assert main(["verify", "wrong-stone", "--quick", "--save", str(other), "--page", str(page)]) == 1
    assert "Not run: falling-stone, odd-stone." in page.read_text()  # the page of all that the file holds
    both = tmp_path / "both.json"
    assert main(["verify", "--from", str(kept), str(other), "--save", str(both)]) == 1
    assert [r["study"] for r in json.loads(both.read_text())] == ["falling-stone", "odd-stone", "wrong-stone"]
    capsys.readouterr()
    assert main(["verify", "--from", str(kept), str(other), "--page", str(page)]) == 1
    assert (
        "hold in all: 2 of 3 published, 1 differs; 3 of 3 closed form; 0 of 1 reference, 1 fails"
        in capsys.readouterr().out
    )
    text = page.read_text()
    for line in (
        "| `odd-stone` | beyond | 1 of 2 | 1 |  |  |  |  |",
        "| **all** |  | **2 of 3** | **3** | **0 of 1** | **0** | **0** | **0** |",
        "**`odd-stone`**: the source rounds.",
        "| size | 2.5 ± 0.1 m | 3 m | page 3 |",
        "- `wrong-stone`, mass: 2 kg beside 1 ± 0.1 kg",
        "In the reduced form only: wrong-stone.",
    ):
        assert line in text.splitlines()


def test_a_file_without_verdicts_is_a_mistake(stone, tmp_path, capsys):
    file = tmp_path / "odd.json"
    for text in ("{", "[1]", '[{"study": "x"}]', '{"a": 1}'):
        file.write_text(text)
        assert main(["verify", "--from", str(file)]) == 2
        assert "odd.json: holds no verdicts" in capsys.readouterr().err
    assert main(["verify", "--quick", "--from", str(file)]) == 2
    assert "give one of them" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "faling-stone"], "unknown study 'faling-stone'; did you mean 'falling-stone'?"),
        (["verify", "stone"], "unknown study 'stone'. `condyle list` lists all 1."),
        (["list", "stone"], "unknown study 'stone'"),
        (["run", "falling-stone", "--set", "gravty=3"], "did you mean 'gravity'?"),
        (["run", "falling-stone", "--set", "gravity"], "write name=value"),
        (["run", "falling-stone", "--set", "gravity=high"], "'gravity' takes a number, not 'high'"),
        (["run", "falling-stone", "--set", "gravity=nan"], "'gravity' must be finite"),
        (["run", "falling-stone", "--out", "occupied"], "occupied"),
    ],
)
def test_a_mistake_is_answered_with_one_line_and_exit_code_two(arguments, message, capsys, tmp_path):
    (tmp_path / "occupied").write_text("a file where a folder should be")
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("condyle: error: ") and captured.err.count("\n") == 1
    assert message in captured.err
    assert captured.out == ""
    with pytest.raises((cd.CondyleError, OSError)):
        main([*arguments, "--debug"])


def test_a_wrong_command_is_one_line_too(capsys):
    with pytest.raises(SystemExit) as caught:
        main(["ran"])
    assert caught.value.code == 2
    assert capsys.readouterr().err.startswith("condyle: error: ")


def test_an_interrupted_run_still_says_what_it_has_and_where(monkeypatch, capsys):
    def interrupted(model, **options):
        result = fake_study.simulate(model, **options)
        result.status = "interrupted"
        return result

    monkeypatch.setitem(vars(cd), "simulate", interrupted)
    assert main(["run", "falling-stone", "--out", "here"]) == 130
    captured = capsys.readouterr()
    assert "interrupted" in captured.out and "here/fall.h5" in captured.out
    assert captured.err == "condyle: interrupted\n"


def test_a_run_that_does_not_converge_shows_its_partial_result(monkeypatch, capsys):
    def diverging(model, **options):
        result = fake_study.simulate(model, **options)
        result.status, result.message = "failed", "residual grew"
        raise cd.ConvergenceError("stone: no convergence at t = 0.3 s", result=result)

    monkeypatch.setitem(vars(cd), "simulate", diverging)
    assert main(["run", "falling-stone", "--out", "here"]) == 1
    captured = capsys.readouterr()
    assert "failed: residual grew" in captured.out and "here/fall.h5" in captured.out
    assert captured.err == "condyle: error: stone: no convergence at t = 0.3 s\n"


def test_show_survives_a_result_that_knows_little(monkeypatch, capsys):
    monkeypatch.setitem(vars(cd), "load", lambda file: SimpleNamespace(status="completed", times=[], energy=None))
    assert main(["show", "some.h5"]) == 0
    assert "some.h5" in capsys.readouterr().out


def test_info_names_versions_and_the_folder_of_compiled_kernels(capsys):
    assert main(["info"]) == 0
    shown = capsys.readouterr().out
    assert cd.__version__ in shown and "numba" in shown and "compiled kernels" in shown


def test_a_list_of_studies_loads_nothing_that_models_are_made_of():
    heavy = ("condyle.bodies", "condyle.system", "matplotlib", "numba", "scipy")
    program = (
        "import sys; from condyle.cli import main; main(['list', '--json']);"
        f"print(*(m for m in {heavy} if m in sys.modules), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == ""


def test_a_reader_that_stops_early_is_no_error():
    process = subprocess.Popen(
        [sys.executable, "-c", "from condyle.cli import main; import sys; sys.exit(main(['list', '--json']))"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None and process.stderr is not None
    process.stdout.close()
    complaint = process.stderr.read()
    process.stderr.close()
    assert process.wait() == 0
    assert complaint == ""


def test_doctor_says_what_is_missing_and_how_to_get_it(monkeypatch, capsys):
    from condyle import doctor

    assert main(["doctor"]) == 0
    shown = capsys.readouterr().out
    assert "compiled kernels" in shown and "linear solvers" in shown and "threads" in shown
    known = doctor._version
    monkeypatch.setattr(doctor, "_version", lambda package: "" if package in ("numba", "gmsh") else known(package))
    assert main(["doctor", "--json"]) == 1
    found = {finding["name"]: finding for finding in json.loads(capsys.readouterr().out)}
    assert found["numba"]["ok"] is False and found["numba"]["fix"] == "pip install numba"
    assert found["gmsh"]["ok"] is None and found["gmsh"]["fix"] == "pip install 'condyle[gmsh]'"


def test_doctor_takes_the_ffmpeg_of_a_package_or_says_how_to_get_it(monkeypatch):
    from condyle import doctor

    monkeypatch.setattr(doctor.shutil, "which", lambda program: None)
    monkeypatch.setattr(doctor, "_version", lambda package: "1.0")
    assert {f.name: f for f in doctor.findings()}["ffmpeg"].ok is True
    monkeypatch.setattr(doctor, "_version", lambda package: "" if package == "imageio-ffmpeg" else "1.0")
    ffmpeg = {f.name: f for f in doctor.findings()}["ffmpeg"]
    assert ffmpeg.ok is None and ffmpeg.fix == "pip install 'condyle[video]'"


def test_doctor_notices_a_folder_of_kernels_that_cannot_be_written(monkeypatch):
    from condyle import doctor

    monkeypatch.setattr(doctor.os, "access", lambda *args: False)
    (finding,) = doctor._kernels()
    assert finding.ok is False and "CONDYLE_CACHE" in finding.fix


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_shells_complete_commands_options_and_studies(shell, capsys):
    assert main(["completion", shell]) == 0
    shown = capsys.readouterr().out
    assert all(word in shown for word in ("doctor", "no-figures", "falling-stone"))


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_offers_what_fits(tmp_path, capsys):
    main(["completion", "bash"])
    ask = 'COMP_WORDS=(condyle run fall); COMP_CWORD=2; _condyle; echo "${COMPREPLY[@]}"'
    answer = subprocess.run(
        ["bash", "-c", f"{capsys.readouterr().out}\n{ask}"], capture_output=True, text=True, check=True
    )
    assert answer.stdout.split() == ["falling-stone"]


def test_verify_quiet_shows_no_progress_of_what_a_study_simulates(monkeypatch):
    shown, verify = [], verification.verify
    monkeypatch.setattr(
        verification, "verify", lambda study, **options: shown.append(options["progress"]) or verify(study, **options)
    )
    assert main(["verify", "falling-stone"]) == main(["verify", "falling-stone", "--quiet"]) == 0
    assert shown == [True, False]


def test_run_quiet_prints_nothing_and_json_nothing_else(capsys):
    assert main(["run", "falling-stone", "--quiet", "--no-figures", "--no-report"]) == 0
    assert main(["verify", "falling-stone", "--quiet"]) == 0
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err == ""
    assert main(["run", "falling-stone", "--json", "--no-figures", "--no-report"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert [verdict["ok"] for verdict in told["verdicts"]] == [True, True]
    assert [Path(file).name for file in told["files"]] == ["fall.h5", "claims.json"]


def test_doctor_knows_every_extra_and_every_variable_of_threads(monkeypatch):
    from condyle import doctor

    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = {extra for _, extra in doctor.MORE.values()}
    assert named == set(project["optional-dependencies"]) - {"docs", "dev"}
    monkeypatch.setenv("CONDYLE_THREADS", "1")
    assert doctor._threads().found.endswith("; CONDYLE_THREADS=1")


def test_every_command_has_help_with_an_example_in_one_line_that_it_takes(capsys):
    parser = _parser()
    (commands,) = (action for action in parser._actions if isinstance(action.choices, dict))
    for name in commands.choices:
        with pytest.raises(SystemExit) as end:
            main([name, "--help"])
        assert end.value.code == 0
        (example,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("example: "))
        words = shlex.split(example.removeprefix("example: ").removeprefix("eval ").strip('"$()'))
        assert words[:2] == ["condyle", name]
        parser.parse_args(words[1:])


def test_how_a_run_went_and_what_a_file_and_a_machine_have_is_told_as_json(monkeypatch, capsys):
    monkeypatch.setitem(vars(cd), "simulate", simulate)  # the real one
    model = cd.Model("stone", gravity=(0, 0, -9.81))
    model.add(cd.PointMass("stone", 1.0, (0, 0, 0)))
    model.save("stone.yaml")
    run = json.loads(_told(["simulate", "stone.yaml", "--end", "0.1", "--dt", "0.01", "--json", "--quiet"], capsys))
    assert run["status"] == "completed" and run["steps"] == 10 and run["time"] == [0.0, pytest.approx(0.1)]
    assert json.loads(_told(["show", "stone.h5", "--json"], capsys)) == run
    assert ["stone"] in run["parts"].values() and run["integrator"]["name"] == "EnergyMomentum" and run["dt"] == 0.01
    longer = json.loads(_told(["resume", "stone.h5", "--end", "0.2", "--json"], capsys))
    assert longer["steps"] == 20 and longer["frames"] == 21
    assert json.loads(_told(["info", "--json"], capsys))["condyle"] == cd.__version__


def test_what_was_written_is_told_as_json(monkeypatch, capsys):
    monkeypatch.setitem(vars(cd), "simulate", simulate)
    assert json.loads(_told(["new", "pendulum", "--json", "--quiet"], capsys)) == {"written": "pendulum.yaml"}
    assert json.loads(_told(["format", "pendulum.yaml", "--json"], capsys)) == {"changed": [], "written": True}
    Path("wide.yaml").write_text("condyle:    1\ndimension: 2\n", encoding="utf-8")
    assert main(["format", "wide.yaml", "--check", "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == {"changed": ["wide.yaml"], "written": False}
    assert Path("wide.yaml").read_text(encoding="utf-8").startswith("condyle:    1")
    _told(["simulate", "pendulum.yaml", "--end", "0.1", "--dt", "0.01", "--quiet"], capsys)
    page = json.loads(_told(["report", "pendulum.h5", "--json"], capsys))
    assert page == {"written": "pendulum.html", "bytes": Path("pendulum.html").stat().st_size, "runs": ["pendulum"]}
    table = json.loads(_told(["export", "pendulum.h5", "-o", "run.csv", "--json"], capsys))
    assert table == {"written": "run.csv", "kind": "table", "bytes": Path("run.csv").stat().st_size}


def _told(arguments, capsys):
    assert main(arguments) == 0
    return capsys.readouterr().out


@pytest.mark.parametrize("arguments", [["schema"], ["completion", "bash"]])
def test_quiet_does_not_hold_back_what_a_command_is_for(arguments, capsys):
    assert main([*arguments, "--quiet"]) == 0
    assert len(capsys.readouterr().out) > 1000


def test_help_has_examples_and_exit_codes(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    shown = capsys.readouterr().out
    assert "condyle new pendulum" in shown and "exit codes: 0" in shown
