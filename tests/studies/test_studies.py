"""Every registered study: the claims of its quick form hold, and it is declared completely."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pkgutil import iter_modules

import pytest

import condyle as cd
from condyle import studies
from condyle.bibliography import BEYOND, REFERENCES
from condyle.files.reading import ModelFile
from condyle.files.writing import model_text
from condyle.study import Study

# Studies with models that no file can hold, and why: something in them is Python code.
CODE = {
    "gripper": "the hand is lifted with a speed that is a Python function of time",
    "slider-crank": "the crank turns by a Python function of time",
}


@pytest.fixture
def declared(monkeypatch: pytest.MonkeyPatch) -> dict[tuple[str, ...], cd.Model]:
    """One model of each kind that a study simulates, by the types of its parts."""
    found: dict[tuple[str, ...], cd.Model] = {}
    check = cd.Model.validate

    def noted(model: cd.Model) -> None:
        check(model)
        found.setdefault(tuple(sorted({type(part).__name__ for part in model})), model)

    monkeypatch.setattr(cd.Model, "validate", noted)
    return found


@pytest.mark.parametrize("study", studies.all_studies(), ids=lambda study: study.name)
def test_every_claim_of_the_quick_form_holds_and_its_models_come_back_from_files(study: Study, declared, monkeypatch):
    verdicts = study.verify(quick=True)
    assert verdicts, f"{study.name} claims nothing in its quick form"
    assert [verdict for verdict in verdicts if not verdict.ok] == []
    monkeypatch.undo()
    assert all(comes_back(model) for model in declared.values()) is (study.name not in CODE)


def comes_back(model: cd.Model) -> bool:
    """Is a model the same, bit for bit, when it was written to a file and read? False where it holds Python code."""
    try:
        text = model_text(model)
    except cd.InputError as error:
        assert "the Python function" in str(error), error
        return False
    again = ModelFile.read("model.yaml", text=text).model
    assert json.dumps(again.to_dict()) == json.dumps(model.to_dict())
    return True


def test_every_study_is_declared_completely():
    for study in studies.all_studies():
        assert study.source == BEYOND or study.source in REFERENCES, study.name
        assert study.title and study.summary, study.name
        assert study.name == study.name.lower() and " " not in study.name
        assert all(parameter.doc for parameter in study.parameters.values()), study.name
        assert all(claim.origin for claim in study.claims), study.name


def test_the_list_of_studies_reads_from_the_files_what_the_studies_declare():
    for card, study in zip(studies.cards(), studies.all_studies(), strict=True):
        assert (card.name, card.title, card.source) == (study.name, study.title, study.source)


def test_the_list_of_studies_imports_none_of_them():
    listing = "import sys; from condyle.cli import main; assert main(['list']) == 0"
    loaded = "print(*(m for m in sys.modules if m == 'numpy' or m.startswith('condyle.studies.')))"
    done = subprocess.run([sys.executable, "-c", f"{listing}; {loaded}"], capture_output=True, text=True, check=True)
    *lines, modules = done.stdout.splitlines()
    assert len(lines) == len(studies.MODULES) and modules == ""


def test_every_study_module_of_the_folder_is_registered():
    assert sorted(module.name for module in iter_modules(studies.__path__)) == sorted(studies.MODULES)


def test_every_reference_of_the_bibliography_is_written_out():
    assert BEYOND not in REFERENCES
    assert [key for key in REFERENCES if not re.fullmatch(r"[a-z]+(-[a-z]+)*-\d{4}", key)] == []  # authors and year
    assert [key for key, text in REFERENCES.items() if key[-4:] not in text] == []
    assert all(text.endswith(".") and any(c.isdigit() for c in text) for text in REFERENCES.values())
