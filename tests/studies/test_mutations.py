"""Claims feel the physics: a study with an input that is wrong by a few percent has a claim that fails.

Each parameter that a study names as an input of its physics is made larger and, if nobody minds, smaller by the same part; of
a tuple, each entry. The first input of each study always is, the others with `--full`. A claim that is published or a closed
form has to fail; where the quick form of the study has none, one that compares with another program, a converged run or what
the method promises (``OTHERWISE`` says which studies these are).
"""

from __future__ import annotations

from typing import Any

import pytest

import condyle as cd
from condyle import studies
from condyle.study import Study

PART = 0.05

# Studies, and single inputs of studies, that no published number nor closed form depends on, and what has to fail there.
OTHERWISE = {
    "bricard": "reference",  # no closed form is known to us; runs with smaller steps, extrapolated
    "flexible-crank": "reference",  # a converged run
    "helmet-drop": "reference",  # smaller steps; its closed forms are ratios, which are the same for other heads and speeds
    "legform-bumper": "reference",  # smaller steps; its closed form is the stiffness of the knee
    "taylor-disk-beam force": "reference",  # the momentum after the pulse, by a converged run: its arm turns with the disk
}

# Inputs that no such claim feels yet: to be emptied, not to be added to.
NOT_FELT: dict[str, set[str]] = {}


def breaks_a_claim(study: Study, wrong: dict[str, Any], kinds: set[str]) -> bool:
    """Whether a claim of these kinds fails. The study is run until one does: what it yields later is not always needed."""
    claims = [claim for claim in study.declared(quick=True) if claim.kind in kinds]
    for found in study.stages(wrong, quick=True):
        verdicts = [claim.check(study.name, found) for claim in claims]
        if any(not verdict.ok and not verdict.problem.startswith("KeyError") for verdict in verdicts):  # still to come
            return True
    return False


def is_felt(study: Study, name: str) -> bool:
    """Whether a wrong value of this input breaks a claim that has to break."""
    otherwise = OTHERWISE.get(study.name) or OTHERWISE.get(f"{study.name} {name}")
    wanted = {otherwise} if otherwise else {"published", "closed form"}
    for wrong in study.changes(name, PART, quick=True):
        try:
            if breaks_a_claim(study, wrong, wanted):
                return True
        except cd.InputError:  # such a value cannot be (the largest inertia above the sum of the others); try the next
            continue
    return False


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    ("name", "parameter"),
    [
        pytest.param(study.name, name, marks=[pytest.mark.full] if k else [])
        for study in studies.all_studies()
        for k, name in enumerate(study.physical_inputs())
    ],
)
def test_a_wrong_input_breaks_a_claim(name: str, parameter: str) -> None:
    assert is_felt(studies.get(name), parameter) is (parameter not in NOT_FELT.get(name, ()))


def test_every_study_names_inputs_and_has_claims_that_can_feel_them():
    for study in studies.all_studies():
        assert study.physical_inputs(), study.name
        kinds = {claim.kind for claim in study.declared(quick=True)}
        assert study.name in OTHERWISE or kinds & {"published", "closed form"}, study.name


def test_what_is_listed_as_not_felt_exists():
    for name, inputs in NOT_FELT.items():
        assert inputs <= set(studies.get(name).physical_inputs()), name
