"""Models of others have the muscles of OpenSim over ranges of their coordinates, and move with them as in OpenSim.

The models of data/models are those of the package osim-rl, licence CC BY 3.0 (see the README there). Reference numbers are
made by opensim_motion_reference.py with the package `opensim`.
"""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest

import condyle as cd
from condyle.imports.opensim_paths import _Surface
from condyle.muscles.reading import PathReader
from condyle.system.compile import compile as compile_system

MODELS = Path(__file__).parent / "data" / "models"
REFERENCE = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(MODELS.glob("*.json"))}
ARM, WALKER, SPACE = "arm26", "gait9dof18musc_20170320", "gait14dof22musc_20170320"
OVER = 3e-5  # [m] to which OpenSim finds the shortest way over a surface of arm26
# Muscles whose path differs from OpenSim's, and why:
DIFFERENT = {"TRIlong"}  # a cylinder has no ends here, and two surfaces are passed together


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cd.InputWarning)  # fibres at the ends of ranges may be long
        yield


def read(name, **options):
    return cd.import_model(MODELS / f"{name}.osim", **options)


@pytest.fixture(scope="module")
def muscles():
    """Of each model: readers of the paths of its muscles."""
    found = {}
    for name in REFERENCE:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", cd.InputWarning)
            model = read(name).model
        points = compile_system(model).points
        found[name] = {m.name: (m, PathReader(m.terms(points))) for m in model if isinstance(m, cd.Muscle)}
    return found


def places(name, pose):
    """Rows of a model in a pose; they are the same without forces."""
    return compile_system(read(name, pose=pose, forces=False).model).points.places()


def coming_in(muscle, coordinate, value):
    """Is a conditional point of the muscle near a limit, where it comes in smoothly here and jumps in OpenSim?"""
    points = [e for e in muscle.path if isinstance(e, cd.ConditionalPoint) and e.coordinate.endswith(f".{coordinate}")]
    return any(min(abs(value - point.lower), abs(value - point.upper)) < 1.01 * point.blend for point in points)


@pytest.mark.parametrize(
    ("name", "coordinate"),
    [
        (name, q)
        for name, found in REFERENCE.items()
        for q, arms in found["arms"].items()
        if arms["muscles"] and q[-2:] != "_l"
    ],
)
def test_lengths_and_moment_arms_over_the_range_of_a_coordinate(muscles, name, coordinate):
    expected, step = REFERENCE[name]["arms"][coordinate], 1e-4
    compared = 0
    for k in range(0, len(expected["values"]), 2):
        value = expected["values"][k]
        if "adduction" in coordinate and abs(value) > 1.5:
            continue  # the second of three rotations
        low, here, high = (places(name, {coordinate: q}) for q in (value - step, value, value + step))
        for muscle, numbers in expected["muscles"].items():
            part, reader = muscles[name][muscle]
            if muscle in DIFFERENT or coming_in(part, coordinate, value):
                continue
            if np.isnan(reader.at(here)[0]):  # a point of its path lies inside a surface
                assert any("lies inside" in str(item) for item in read(name).left_out if item.name == muscle)
                continue
            wrapped = any(isinstance(entry, cd.CylinderWrap | cd.EllipsoidWrap) for entry in part.path)
            assert reader.at(here)[0] == pytest.approx(numbers["length"][k], abs=OVER if wrapped else 2e-9)
            arm = (reader.at(low)[0] - reader.at(high)[0]) / (2.0 * step)
            assert arm == pytest.approx(numbers["arm"][k], abs=10.0 * OVER if wrapped else 1e-6)
            compared += 1
    assert compared > 3


def test_the_long_head_of_triceps_agrees_where_it_touches_nothing_and_is_nearly_the_shortest_path_elsewhere(muscles):
    """Longer in OpenSim where its path has a kink at the ellipsoid; a little longer in Condyle, whose cylinders have no ends.

    OpenSim places the path on the ellipsoid as if it came straight from the first point, not from the cylinder before it.
    """
    expected = REFERENCE[ARM]["arms"]["r_shoulder_elev"]
    _, reader = muscles[ARM]["TRIlong"]
    lengths = expected["muscles"]["TRIlong"]["length"]
    for value, length in zip(expected["values"], lengths, strict=True):
        more = reader.at(places(ARM, {"r_shoulder_elev": value}))[0] - length
        if value < -0.3 or value > 2.51:
            assert abs(more) < OVER
        else:
            assert -0.008 < more < 0.002  # [m]


def test_the_length_of_the_long_head_of_triceps_has_no_jump_where_its_path_changes_sides(muscles):
    """Shoulder elevation from 1.6 to 2.1 rad; a search that misses the shortest path jumps by 2 and 6 mm there."""
    _, reader = muscles[ARM]["TRIlong"]
    values = np.linspace(1.6, 2.1, 101)
    lengths = [reader.at(places(ARM, {"r_shoulder_elev": value}))[0] for value in values]
    assert np.max(np.abs(np.diff(lengths))) < 0.03 * (values[1] - values[0])  # arms are shorter than 3 cm


@pytest.mark.parametrize(("end", "straight"), [((-62.87, -46.66, 102.31), True), ((-99.95, -95.93, 36.75), False)])
def test_a_path_touches_a_cylinder_beyond_its_ends_where_opensim_lets_it_go_straight(end, straight):
    """Ends of the long head of triceps [mm] in the frame of its cylinder, at 0.393 and 1.178 rad of shoulder elevation."""
    cylinder = _Surface("TRIlongglen", "base", None, "WrapCylinder", (3.0, 30.0), "x")
    assert cylinder.missed(np.array([3.39, 6.13, 11.95]), np.array(end)) == straight


def moved(name, end, dt, louder=1.0):
    """Largest difference of coordinates from OpenSim's after each recorded time [rad or m], by name."""
    expected = REFERENCE[name]["motion"]
    imported = read(name, pose=expected["start"])
    model = cd.Model(name, gravity=imported.model.gravity)
    for part in imported.model:
        if part.name not in ("ground", *expected["without"]):
            model.add(part)
        if isinstance(part, cd.Muscle):
            part.excitation = part.activation = louder * expected["excitations"].get(part.name, expected["quiet"])
    result = cd.simulate(model, end=end, dt=dt)
    times = np.array(expected["times"])
    times = times[times <= end + 1e-9]
    assert result.status == "completed"
    return times, {
        name: np.interp(times, result.times, result.coordinate(here)) - expected["values"][name][: len(times)]
        for name, here in imported.coordinates.items()
    }


def largest(differences, names):
    return max(np.abs(differences[name]).max() for name in names)


def test_an_arm_moves_under_its_muscles_as_in_opensim():
    _, found = moved(ARM, 1.0, 0.005)
    assert largest(found, found) < 0.005  # [rad] of 0.67 and 1.08 that shoulder and elbow move
    _, wrong = moved(ARM, 0.5, 0.005, louder=1.05)
    assert largest(wrong, wrong) > 0.01


def test_a_walker_falls_on_its_feet_with_muscles_and_contact_as_in_opensim():
    times, found = moved(SPACE, 1.0, 0.004)
    places = ("pelvis_tx", "pelvis_ty", "pelvis_tz")
    angles = [name for name in found if name not in places]
    half = {name: values[times <= 0.5] for name, values in found.items()}
    assert largest(half, places) < 0.004  # [m]
    assert largest(half, angles) < 0.04  # [rad]
    assert largest(found, places) < 0.012  # of 0.92 m that it falls forward
    assert largest(found, angles) < 0.1  # of 1.1 rad that the pelvis turns
    _, wrong = moved(SPACE, 0.5, 0.004, louder=0.8)
    assert largest(wrong, places) > 0.008 or largest(wrong, angles) > 0.08
