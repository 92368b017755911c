"""Markers and force plates of motion capture."""

import numpy as np
import pytest

import condyle as cd

TRC = """PathFileType\t4\t(X/Y/Z)\twalk.trc
DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits\tOrigDataRate\tOrigDataStartFrame\tOrigNumFrames
100\t100\t3\t2\tmm\t100\t1\t3
Frame#\tTime\theel\t\t\ttoe\t\t
\t\tX1\tY1\tZ1\tX2\tY2\tZ2

1\t0.00\t1\t2\t3\t10\t20\t30
2\t0.01\t2\t2\t3\t11\t20\t30
3\t0.02\t3\t2\t3\t12\t20\t30
"""


def test_markers_of_a_trc_file_are_in_metres(tmp_path):
    file = tmp_path / "walk.trc"
    file.write_text(TRC)
    table = cd.read_motion(file)
    markers = table.markers()
    assert set(markers) == {"heel", "toe"} and np.allclose(table.times, [0, 0.01, 0.02])
    assert np.allclose(markers["toe"], [[0.010, 0.020, 0.030], [0.011, 0.020, 0.030], [0.012, 0.020, 0.030]])
    file.write_text(TRC.replace("\tmm\t", "\tm\t"))
    assert np.allclose(cd.read_motion(file).markers()["heel"][:, 0], [1, 2, 3])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("PathFileType", "Markers"), "does not begin with 'PathFileType'"),
        (("\tmm\t", "\tinch\t"), "lengths in 'inch' are not known"),
        (("toe", "heel"), "marker 'heel' stands there twice"),
        (("3\t2\tmm", "3\t5\tmm"), "says 5 markers, but it names 2"),
        (("0.01\t2", "0.01\t"), "has no number at t = 0.01 s"),
        (("0.01\t2", "0.01\tabc"), "'abc' in line 8 is no number"),
    ],
)
def test_a_bad_trc_file_says_what_is_wrong(tmp_path, change, message):
    file = tmp_path / "walk.trc"
    file.write_text(TRC.replace(*change))
    with pytest.raises(cd.InputError, match=message):
        cd.read_motion(file)


def test_markers_of_a_c3d_file_are_in_metres(tmp_path):
    ezc3d = pytest.importorskip("ezc3d")
    made = ezc3d.c3d()
    made["parameters"]["POINT"]["RATE"]["value"] = [100]
    made["parameters"]["POINT"]["LABELS"]["value"] = ["heel", "toe"]
    made["parameters"]["POINT"]["UNITS"]["value"] = ["mm"]
    places = np.ones((4, 2, 5))
    places[0, 0], places[2, 1] = np.arange(5), 7.0
    made["data"]["points"] = places
    file = tmp_path / "walk.c3d"
    made.write(str(file))
    table = cd.read_motion(file)
    assert np.allclose(np.diff(table.times), 0.01)
    assert np.allclose(table.markers()["heel"][:, 0], np.arange(5) * 1e-3)
    assert np.allclose(table.markers()["toe"][:, 2], 7e-3)


def test_force_plates_of_a_c3d_file_give_force_centre_and_torque(tmp_path):
    """Two readings for each frame of the markers, of a level plate; moments are about its centre."""
    ezc3d = pytest.importorskip("ezc3d")
    made = ezc3d.c3d()
    made["parameters"]["POINT"]["RATE"]["value"] = [100]
    made["parameters"]["POINT"]["LABELS"]["value"] = ["heel"]
    made["parameters"]["POINT"]["UNITS"]["value"] = ["mm"]
    made["data"]["points"] = np.ones((4, 1, 3))
    force, at = np.array([10.0, 20.0, 500.0]), np.array([50.0, -30.0, 0.0])  # [N], [mm] from the centre of the plate
    readings = np.outer([*force, *np.cross(at, force)], np.linspace(1.0, 2.0, 6))  # grows from frame to frame
    made["data"]["analogs"] = readings[None]
    analog = made["parameters"]["ANALOG"]
    analog["LABELS"]["value"], analog["RATE"]["value"] = ["Fx", "Fy", "Fz", "Mx", "My", "Mz"], [200]
    analog["UNITS"]["value"], analog["SCALE"]["value"], analog["OFFSET"]["value"] = (
        ["N"] * 3 + ["Nmm"] * 3,
        [1.0] * 6,
        [0] * 6,
    )
    corners = np.array([(500.0, 400.0, 0.0), (0.0, 400.0, 0.0), (0.0, 0.0, 0.0), (500.0, 0.0, 0.0)]).T[:, :, None]
    for name, value in (("USED", np.array([1])), ("TYPE", np.array([2])), ("ZERO", np.array([0, 0])), ("CORNERS", corners),
                        ("ORIGIN", np.zeros((3, 1))), ("CHANNEL", np.arange(1, 7)[:, None])):  # fmt: skip
        made["parameters"]["FORCE_PLATFORM"][name]["value"] = value
    file = tmp_path / "walk.c3d"
    made.write(str(file))
    table = cd.read_motion(file)
    shares = np.linspace(1.0, 2.0, 6)[::2]  # at the frames of the markers
    for i, letter in enumerate("xyz"):
        assert table[f"ground_force_1_v{letter}"] == pytest.approx(force[i] * shares, rel=1e-5)
    assert table["ground_force_1_px"] == pytest.approx([0.3] * 3, rel=1e-5)
    assert table["ground_force_1_py"] == pytest.approx([0.17] * 3, rel=1e-5)
    assert (
        np.abs(table["ground_torque_1_z"]).max() < 1e-4
    )  # the force acts at the centre of pressure and turns nothing there


def test_a_c3d_file_without_the_package_names_the_extra(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "ezc3d", None)
    file = tmp_path / "walk.c3d"
    file.write_bytes(b"")
    with pytest.raises(cd.InputError, match=r"pip install 'condyle\[c3d\]'"):
        cd.read_motion(file)


def test_what_is_no_c3d_file_is_refused(tmp_path):
    pytest.importorskip("ezc3d")
    file = tmp_path / "walk.c3d"
    file.write_bytes(b"nothing of the kind")
    with pytest.raises(cd.InputError, match="cannot be read as a C3D file"):
        cd.read_motion(file)
