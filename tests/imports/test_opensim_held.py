"""Prescribed and coupled coordinates of OpenSim models move as in OpenSim, and a report says what was not taken.

The numbers in data/held.json are made by opensim_held_reference.py with the package `opensim`.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import condyle as cd

DATA = Path(__file__).parent / "data"
REFERENCE = json.loads((DATA / "held.json").read_text(encoding="utf-8"))
MUSCLE = """<{kind} name="pull"><GeometryPath name="path"><PathPointSet><objects>
  <PathPoint name="1"><socket_parent_frame>/bodyset/thigh</socket_parent_frame><location>0.03 -0.1 0</location></PathPoint>
  <PathPoint name="2"><socket_parent_frame>/bodyset/shank</socket_parent_frame><location>0.03 -0.05 0</location></PathPoint>
</objects></PathPointSet></GeometryPath><max_isometric_force>800</max_isometric_force>
<optimal_fiber_length>0.1</optimal_fiber_length><tendon_slack_length>0.26</tendon_slack_length>
<active_force_length_curve><SimmSpline><x>0.4 0.6 0.8 1 1.2 1.4 1.6</x><y>0 {half} 0.9 1 0.9 0.5 0</y></SimmSpline>
</active_force_length_curve></{kind}>"""


@pytest.fixture(scope="module")
def leg():
    imported = cd.import_model(DATA / "held.osim")
    return imported, cd.simulate(imported.model, end=0.4, dt=0.001)


def at(run, imported, name):
    """A coordinate at the times of the reference."""
    found = run.coordinate(imported.coordinates[name])
    return np.array([found[np.argmin(np.abs(run.times - t))] for t in REFERENCE["times"]])


@pytest.mark.parametrize("name", ["hip_angle", "knee_angle", "patella_shift", "ankle_angle"])
def test_prescribed_and_coupled_coordinates_move_as_in_opensim(leg, name):
    imported, run = leg
    expected = np.array(REFERENCE["values"][name])
    assert np.ptp(expected) > (0.01 if name == "patella_shift" else 0.2)  # it moves
    assert np.abs(at(run, imported, name) - expected).max() < 1e-4 * np.ptp(expected)


def test_coupled_coordinates_keep_to_their_functions(leg):
    imported, run = leg
    knee, ankle = (run.coordinate(imported.coordinates[name]) for name in ("knee_angle", "ankle_angle"))
    assert np.abs(ankle - (0.1 - 0.5 * knee)).max() < 1e-9


def test_a_prescribed_line_goes_on_beyond_its_first_second(tmp_path):
    text = (DATA / "held.osim").read_text(encoding="utf-8")
    first, last = text.index("<prescribed_function>"), text.index("</prescribed_function>")
    line = "<LinearFunction><coefficients>0.5 0.2</coefficients></LinearFunction>"
    file = tmp_path / "line.osim"
    file.write_text(text[: first + len("<prescribed_function>")] + line + text[last:], encoding="utf-8")
    motion = cd.import_model(file).model["hip_angle motion"].motion
    assert [motion(t) for t in (0.0, 0.7, 3.0)] == pytest.approx([0.2, 0.55, 1.7], abs=1e-12)


def test_the_report_counts_drawings_and_names_contact_of_meshes():
    said = cd.import_model(DATA / "held.osim").summary()
    assert "Drawing '3 meshes': they only draw bones" in said
    assert "femur.vtp" not in said
    assert "ElasticFoundationForce 'rubbing': none of its geometries is a ContactMesh" in said
    older = cd.import_model(DATA / "models" / "arm26.osim").summary()
    assert (
        f"Drawing '{(DATA / 'models' / 'arm26.osim').read_text(encoding='utf-8').count('<geometry_file>')} meshes'"
        in older
    )


@pytest.mark.parametrize("kind", ["Schutte1993Muscle_Deprecated", "Delp1990Muscle_Deprecated"])
def test_the_report_says_by_how_much_tabulated_curves_of_muscles_differ(tmp_path, kind):
    text = (DATA / "held.osim").read_text(encoding="utf-8")
    off = []
    for half in (0.5, 0.95):
        file = tmp_path / f"muscle{half}.osim"
        muscle = MUSCLE.format(kind=kind, half=half)
        file.write_text(text.replace('<ElasticFoundationForce name="rubbing" />', muscle), encoding="utf-8")
        why = next(item.why for item in cd.import_model(file).left_out if item.what == kind)
        assert "its tables are Millard's curves here, fitted up to its strength" in why
        off.append(float(why.partition("active ")[2].split(". ")[0]))
    assert min(off) > 0.0 and max(off) < 0.15  # the fit follows a slender bell and a broad one


# Force [N] of the muscle in data/tables.osim by OpenSim 4.6, at lengths of its path [m] and activations, in equilibrium.
TABLES = [
    (0.26, 0.5, 225.574), (0.26, 1.0, 411.248), (0.28, 0.5, 451.476), (0.28, 1.0, 884.275), (0.30, 0.05, 49.737),
    (0.30, 0.5, 494.364), (0.30, 1.0, 979.789), (0.32, 0.05, 145.827), (0.32, 1.0, 964.570), (0.34, 0.05, 454.376),
    (0.34, 1.0, 839.116),
]  # fmt: skip


def test_a_muscle_whose_curves_are_tables_pulls_as_in_opensim():
    missed = []
    for length, activation, force in TABLES:
        imported = cd.import_model(DATA / "tables.osim", pose={"length": length})
        imported.model["muscle"].excitation = cd.Constant(activation)
        found = cd.solve_static(imported.model, steps=1).path("muscle")["tension"][-1]
        missed.append(abs(found - force))
    assert max(missed) < 60.0 and np.mean(missed) < 15.0  # [N] of 1000: Millard's curves, fitted to the tables


def test_the_report_names_only_the_cylinders_whose_ends_a_path_passes():
    said = [item for item in cd.import_model(DATA / "models" / "arm26.osim").left_out if "beyond its ends" in item.why]
    assert [item.name for item in said] == ["TRIlong"]
    assert "'TRIlongglen' beyond its ends in 5 of 40 poses" in said[0].why
