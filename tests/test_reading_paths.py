"""Muscles and ligaments as results tell of them: lengths, fibres, power and moment arms; from memory, files and slices."""

import numpy as np
import pytest

import condyle as cd
from condyle.results import files


def arm(tendon="elastic", bone=True):
    """An upper arm that is held, a forearm, a muscle over a cylinder round the elbow, a ligament."""
    m = cd.Model("arm", dimension=2, gravity=(0, -9.81))
    m.add(cd.RigidBody("upper arm", 2.0, inertia=0.02, position=(0, -0.15)))
    m.add(cd.RigidBody("forearm", 1.5, inertia=0.02, position=(0.15, -0.3)))
    m.add(cd.Weld("shoulder", m.ground, "upper arm", at=(0, 0)))
    m.add(cd.Pin("elbow", "upper arm", "forearm", at=(0, -0.3)))
    round_the_elbow = [cd.CylinderWrap(cd.Point("upper arm", (0, -0.3), "world"), 0.02, side=(1, 0.3))] if bone else []
    ends = [cd.Point("upper arm", (0.02, 0.0), "world"), cd.Point("forearm", (0.04, -0.3), "world")]
    path = [ends[0], *round_the_elbow, ends[1]]
    excitation = cd.Table((0, 0.02, 0.03), (0.05, 0.05, 0.6))
    m.add(cd.Muscle("biceps", path, 600, 0.13, 0.17, excitation, tendon=tendon, pennation=0.2))
    ends = [cd.Point("upper arm", (0, -0.2), "world"), cd.Point("forearm", (0.05, -0.3), "world")]
    m.add(cd.Ligament("band", ends, 3000.0, damping=1.0, reference_strain=0.02))
    return m


@pytest.fixture(scope="module", params=["elastic", "rigid"])
def lift(request, tmp_path_factory):
    file = tmp_path_factory.mktemp("lift") / "run.h5"
    return cd.simulate(arm(request.param), end=0.1, dt=0.002, file=file)


def test_a_path_in_a_file_is_read_with_a_few_looks_at_the_file(lift, monkeypatch):
    result, looks = cd.load(lift.file), []
    opened = files.opened
    monkeypatch.setattr(files, "opened", lambda *a, **k: looks.append(a) or opened(*a, **k))
    muscle = result.path("biceps")
    assert len(looks) <= 4
    for k in range(len(result)):
        result.state(k)
    assert len(looks) <= 30  # not one for each frame and array
    for name, values in lift.path("biceps").items():
        np.testing.assert_array_equal(values, muscle[name])
        np.testing.assert_array_equal(values[20:40], lift[20:40].path("biceps")[name])


def test_one_state_of_a_large_file_is_read_by_itself(lift):
    result = cd.load(lift.file)
    state = result.state(3)
    assert "x" not in result._store._kept
    result.state(4)
    assert "x" in result._store._kept
    np.testing.assert_array_equal(state.x, result.state(3).x)


def test_rates_and_power_of_a_muscle_are_those_of_its_lengths(lift):
    muscle, h = lift.path("biceps"), 0.002
    part = lift.model["biceps"]
    middle = np.diff(muscle["length"]) / h
    np.testing.assert_allclose(0.5 * (muscle["rate"][1:] + muscle["rate"][:-1]), middle, atol=1e-3)
    np.testing.assert_allclose(muscle["power"], -muscle["tension"] * muscle["rate"])
    fibre_middle = np.diff(muscle["fibre length"]) / h
    found = muscle["fibre rate"]
    if part.tendon == "rigid":
        found = 0.5 * (found[1:] + found[:-1])
        assert (muscle["tendon strain"] == 0.0).all()
    else:  # the mean of the step before
        found = found[1:]
    np.testing.assert_allclose(found, fibre_middle, atol=0.01)
    along = part.fibre_length * muscle["fibre length"] * np.cos(muscle["pennation"])
    np.testing.assert_allclose(along + part.tendon_length * (1 + muscle["tendon strain"]), muscle["length"])
    assert muscle["pennation"][0] == pytest.approx(np.arcsin(np.sin(0.2) / muscle["fibre length"][0]))


def test_the_power_of_paths_and_weight_is_what_energy_gains(lift):
    """Σ ∫ power of the muscle = gain of kinetic, gravity and stored energy and what the ligament's damping takes."""
    muscle, band, energy = lift.path("biceps"), lift.path("band"), lift.energy
    taken = 1.0 * band["rate"] ** 2 * (band["strain"] > 0)
    gained = np.trapezoid(muscle["power"] - taken, lift.times)
    assert gained == pytest.approx(energy["total"][-1] - energy["total"][0], rel=0.01)
