"""Every registered study: the claims of its quick form hold, and it is declared completely."""

from __future__ import annotations

import re
import subprocess
import sys
from pkgutil import iter_modules

import pytest

from condyle import studies
from condyle.bibliography import BEYOND, REFERENCES
from condyle.study import Study


@pytest.mark.parametrize("study", studies.all_studies(), ids=lambda study: study.name)
def test_every_claim_of_the_quick_form_holds(study: Study):
    verdicts = study.verify(quick=True)
    assert verdicts, f"{study.name} claims nothing in its quick form"
    assert [verdict for verdict in verdicts if not verdict.ok] == []


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
