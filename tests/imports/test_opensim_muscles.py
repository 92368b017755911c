"""Muscles of OpenSim files have the forces and the activation that OpenSim gives them.

Reference numbers are made by opensim_muscle_reference.py with the package `opensim`.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import condyle as cd
from condyle.laws.muscle_places import DAMPING, FALL, PACE, RISE, STEEPNESS
from condyle.laws.muscles import activation_rate, fibre_force, tendon_at

DATA = Path(__file__).parent / "data"
REFERENCE = json.loads((DATA / "muscles.json").read_text(encoding="utf-8"))
KINDS = ("Thelen2003Muscle", "Millard2012EquilibriumMuscle", "DeGrooteFregly2016Muscle")
FASTEST = 30.0  # of the largest speed of shortening; beyond it the curves of De Groote have no inverse


@pytest.fixture(scope="module")
def imported():
    return cd.import_model(DATA / "muscles.osim")


@pytest.mark.parametrize("kind", KINDS)
def test_fibres_and_tendon_pull_as_in_opensim_over_length_speed_and_activation(imported, kind):
    muscle = imported.model[kind]
    p = np.array(muscle.parameters())
    p[PACE] = 1.0
    if kind == "DeGrooteFregly2016Muscle":
        p[DAMPING] = 0.0  # in OpenSim it has none
    speeds = []
    for a, fibre, path, speed, tension in REFERENCE[kind]["states"]:
        along = np.sqrt(fibre**2 - np.sin(muscle.pennation) ** 2)
        assert muscle.max_force * tendon_at(path, along, p)[0] == pytest.approx(tension, rel=1e-9)
        if abs(speed) > FASTEST:
            continue
        pull = fibre_force(fibre, a, fibre - speed * muscle.max_speed, p)[0]
        assert muscle.max_force * pull == pytest.approx(tension, rel=1e-8)
        speeds.append(speed)
    assert min(speeds) < -0.2 and max(speeds) > 0.5  # fibres shorten and lengthen


@pytest.mark.parametrize("kind", KINDS)
def test_activation_follows_excitation_as_in_opensim(imported, kind):
    p = imported.model[kind].parameters()
    for a, u, rate in REFERENCE[kind]["activation"]:
        if u > 0.0:  # below its least activation a muscle of OpenSim goes on falling, and is then cut off
            assert activation_rate(a, u, p[RISE], p[FALL], p[STEEPNESS]) == pytest.approx(rate, rel=1e-9)


def test_no_muscle_of_these_kinds_is_replaced(imported):
    assert [str(item) for item in imported.left_out if "Thelen" in str(item) or "Millard" in str(item)] == []
    assert imported.model["Millard2012EquilibriumMuscle"].curves == "millard"
