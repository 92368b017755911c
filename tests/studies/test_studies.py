"""Every registered study: the claims of its quick form hold, and it is declared completely."""

from __future__ import annotations

import re
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


def test_every_study_module_of_the_folder_is_registered():
    assert sorted(module.name for module in iter_modules(studies.__path__)) == sorted(studies.MODULES)


def test_every_reference_of_the_bibliography_is_written_out():
    assert BEYOND not in REFERENCES
    assert [key for key in REFERENCES if not re.fullmatch(r"[a-z]+(-[a-z]+)*-\d{4}", key)] == []  # authors and year
    assert [key for key, text in REFERENCES.items() if key[-4:] not in text] == []
    assert all(text.endswith(".") and any(c.isdigit() for c in text) for text in REFERENCES.values())
