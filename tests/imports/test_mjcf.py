"""MJCF files against numbers of MuJoCo itself (tests/support/mujoco_side.py), and against MuJoCo where it is installed."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import condyle as cd
from condyle.imports.registry import import_model
from mujoco_side import DATA, REFERENCE, after, differences, loaded, of_condyle, of_mujoco, states

KNOWN = json.loads(REFERENCE.read_text(encoding="utf-8"))
EXACT = 1e-12  # of what no light body takes part in
LIGHT = 1e-4  # accelerations with light bodies, of a millionth of the mass, between joints


def written(folder: Path, text: str, name: str = "model.xml") -> Path:
    file = folder / name
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("case", KNOWN["tumbler"], ids=["first", "second", "third"])
def test_bodies_stand_and_move_as_in_mujoco(case):
    made = import_model(DATA / "tumbler.xml", qpos=case["qpos"], qvel=case["qvel"], limits=False)
    off = differences(case, of_condyle(made.model))
    assert max(off[key] for key in ("place", "turn", "velocity", "spin")) < EXACT
    assert max(off["acceleration"], off["turning"]) < LIGHT


def test_masses_are_those_of_mujoco():
    made = import_model(DATA / "tumbler.xml")
    masses = dict(KNOWN["tumbler masses"])
    masses["trunk"] += masses.pop("head")  # it has no joint
    for name, mass in masses.items():
        assert made.model[name].mass == pytest.approx(mass, rel=1e-7)  # MuJoCo has meshes in single precision


def test_a_run_ends_where_that_of_mujoco_does():
    case = KNOWN["tumbler"][0]
    made = import_model(DATA / "tumbler.xml", qpos=case["qpos"], qvel=case["qvel"], limits=False)
    result = cd.simulate(made.model, end=0.2, dt=1e-3, integrator=cd.GeneralizedAlpha(spectral_radius=0.9))
    for name, later in KNOWN["tumbler later"]["bodies"].items():
        if name in made.model:
            assert np.abs(result.position(name)[-1] - later["place"]).max() < 2e-5
            assert np.abs(result.rotation_matrix(name)[-1] - later["turn"]).max() < 2e-4
    assert result.energy["kinetic"][0] == pytest.approx(case["kinetic"], rel=1e-5)
    lost = KNOWN["tumbler later"]["kinetic"] + KNOWN["tumbler later"]["potential"] - case["kinetic"] - case["potential"]
    assert result.energy["total"][-1] - result.energy["total"][0] == pytest.approx(lost, rel=2e-3)


def test_tendons_and_actuators_pull_as_in_mujoco():
    made = import_model(DATA / "pulled_arm.xml", keyframe="bent")
    off = differences(KNOWN["pulled_arm"], of_condyle(made.model))
    assert max(off.values()) < EXACT
    left_out = {item.name for item in made.left_out}
    assert {"over a pulley", "wound"} <= left_out


def test_controls_are_given_by_name():
    still = of_condyle(import_model(DATA / "pulled_arm.xml", qpos=[0.3, -0.9, 0.01]).model)
    pulled = of_condyle(import_model(DATA / "pulled_arm.xml", qpos=[0.3, -0.9, 0.01], controls={"both": 0.5}).model)
    assert np.abs(still["bodies"]["lower"]["turning"] - pulled["bodies"]["lower"]["turning"]).max() > 1.0


def test_closed_chains_gears_and_welds_move_as_in_mujoco():
    known = KNOWN["four_bar"]
    made = import_model(DATA / "four_bar.xml", qvel=known["qvel"])
    off = differences(known, of_condyle(made.model))
    assert max(off[key] for key in ("place", "turn", "velocity", "spin")) < EXACT
    assert max(off["acceleration"], off["turning"]) < 5e-3  # MuJoCo's constraints give way a little


def test_values_of_joints_are_found_by_the_names_of_the_file():
    case = KNOWN["tumbler"][0]
    made = import_model(DATA / "tumbler.xml", qpos=case["qpos"], qvel=case["qvel"], limits=False)
    result = cd.simulate(made.model, end=1e-4, dt=1e-4)
    names = ["hip_x", "hip_z", "hip_y", "knee", "ankle_y", "ankle_x", None, "wrist_1", "wrist_2", "reach", "slide_x",
             "slide_z", "pitch"]  # fmt: skip
    place = 7
    for name in names:
        if name is None:
            place += 4  # the ball of the shoulder
            continue
        value = made.here(name, case["qpos"][place])
        assert result.coordinate(made.coordinates[name])[0] == pytest.approx(value, abs=1e-12), name
        place += 1


def test_limits_hold_joints_within_their_ranges(tmp_path):
    text = """<mujoco><worldbody><body name="rod"><joint name="pin" axis="0 1 0" range="-30 20"/>
        <geom type="capsule" size="0.02" fromto="0 0 0 0.5 0 0"/></body></worldbody></mujoco>"""
    made = import_model(written(tmp_path, text))
    angle = cd.simulate(made.model, end=1.0, dt=2e-3).coordinate("pin.angle")
    assert np.degrees(angle.max()) == pytest.approx(
        20.0, abs=2.0
    )  # a stop with MuJoCo's time constant of 0.02 s gives way
    rod, stop = made.model["rod"], made.model["pin limit"]
    weight = rod.mass * 9.81 * rod.centre_of_mass[0] * np.cos(angle[-1])  # its moment, in balance with the stop
    assert angle[-1] - np.radians(20.0) == pytest.approx(weight / stop.stiffness, rel=1e-3)
    free = import_model(written(tmp_path, text), limits=False)
    assert np.degrees(cd.simulate(free.model, end=0.4, dt=2e-3).coordinate("pin.angle").max()) > 60.0


def test_geoms_fall_on_the_floor_where_contact_is_asked_for(tmp_path):
    text = """<mujoco><worldbody><geom type="plane" size="1 1 1"/>
        <body name="ball" pos="0 0 0.15"><freejoint/><geom size="0.1"/></body>
        <body name="crate" pos="0.5 0 0.15"><freejoint/><geom type="box" size="0.1 0.1 0.1"/></body>
        </worldbody></mujoco>"""
    made = import_model(written(tmp_path, text), contacts=True)
    result = cd.simulate(made.model, end=0.4, dt=2e-3, integrator=cd.Nonsmooth())
    assert result.position("ball")[-1, 2] == pytest.approx(0.1, abs=2e-3)
    assert result.position("crate")[-1, 2] == pytest.approx(0.1, abs=2e-3)
    assert made.model["contacts"].friction == 1.0


def test_armature_is_a_wheel_or_left_out():
    known = KNOWN["tumbler"][0]
    options = {"qpos": known["qpos"], "qvel": known["qvel"], "limits": False}
    bare = import_model(DATA / "tumbler.xml", rotors=False, **options)
    assert not any("rotor" in part.name for part in bare.model)
    assert sum(item.what == "armature of joint" for item in bare.left_out) == 7
    assert differences(known, of_condyle(bare.model))["turning"] > 0.01


def test_a_mesh_that_is_not_quite_closed_is_weighed_and_named(tmp_path):
    text = """<mujoco><asset><mesh name="wedge" vertex="0 0 0  0.2 0 0  0 0.1 0  0 0 0.3" face="{}"/></asset><worldbody>
        <body name="b"><joint/><geom name="skin" type="mesh" mesh="wedge"/></body></worldbody></mujoco>"""
    closed = "0 2 1  0 1 3  0 3 2  1 2 3"
    sound = import_model(written(tmp_path, text.format(closed)))
    doubled = import_model(written(tmp_path, text.format(closed + "  0 1 2  0 2 1")))  # an inner wall
    assert sound.model["b"].mass == pytest.approx(1000.0 * 0.2 * 0.1 * 0.3 / 6.0)
    assert doubled.model["b"].mass == pytest.approx(sound.model["b"].mass) and not sound.left_out
    assert any(item.name == "skin" and "more than two triangles" in item.why for item in doubled.left_out)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("<robot/>", "root element is 'robot'"),
        ("<mujoco><worldbody><body>", "not well-formed"),
        ("<mujoco><compiler coordinate='global'/></mujoco>", "global coordinates"),
        ("<mujoco><worldbody><body name='b'><joint/></body></worldbody></mujoco>", "needs mass"),
        ("<mujoco><worldbody><geom type='box' size='1 1'/></worldbody></mujoco>", "3 positive sizes"),
        ("<mujoco><worldbody><geom class='skin'/></worldbody></mujoco>", "unknown default class 'skin'"),
        ("<mujoco><include file='gone.xml'/></mujoco>", "gone.xml"),
        ("<mujoco><worldbody><geom type='mesh' mesh='bone'/></worldbody></mujoco>", "unknown mesh 'bone'"),
        (
            "<mujoco><worldbody><body><joint axis='0 0'/><geom size='1'/></body></worldbody></mujoco>",
            "3 numbers are needed",
        ),
    ],
)
def test_mistakes_are_named(tmp_path, text, said):
    with pytest.raises(cd.InputError, match=said):
        import_model(written(tmp_path, text))


def test_states_that_do_not_fit_are_refused():
    with pytest.raises(cd.InputError, match="qpos has 3 numbers"):
        import_model(DATA / "pulled_arm.xml", qpos=[0.0] * 5)
    with pytest.raises(cd.InputError, match="unknown keyframe 'bend'; did you mean 'bent'"):
        import_model(DATA / "pulled_arm.xml", keyframe="bend")


# --- with MuJoCo itself -------------------------------------------------------------------------------------------------


def suite() -> list[Path]:
    """Models of dm_control's suite, where it is installed."""
    try:
        import dm_control
    except ImportError:
        return []
    folder = Path(dm_control.__file__).parent / "suite"
    # 'dog' has meshes that are not closed, 'lqr' is a template without bodies.
    return [file for file in sorted(folder.glob("*.xml")) if file.stem not in ("dog", "lqr")]


@pytest.mark.parametrize("file", suite(), ids=lambda file: file.stem)
def test_the_suite_moves_as_in_mujoco(file):
    mujoco = pytest.importorskip("mujoco")
    m = loaded(mujoco, file)
    for q, v in states(mujoco, m, 2, seed=3):
        made = import_model(file, qpos=q, qvel=v, limits=False, equalities=False)
        off = differences(of_mujoco(mujoco, m, q, v), of_condyle(made.model))
        assert max(off[key] for key in ("place", "turn", "velocity", "spin")) < EXACT
        light = any("light" in item.why for item in made.left_out)
        assert max(off["acceleration"], off["turning"]) < (LIGHT if light else 1e-10)


def test_reference_numbers_are_those_of_mujoco():
    mujoco = pytest.importorskip("mujoco")
    m = loaded(mujoco, DATA / "tumbler.xml")
    case = KNOWN["tumbler"][1]
    now = of_mujoco(mujoco, m, case["qpos"], case["qvel"])
    for name, values in now["bodies"].items():
        for key, value in values.items():
            assert np.allclose(value, case["bodies"][name][key], rtol=1e-9, atol=1e-9), (name, key)


def test_a_humanoid_falls_as_in_mujoco():
    mujoco = pytest.importorskip("mujoco")
    file = next((f for f in suite() if f.stem == "humanoid"), None)
    if file is None:
        pytest.skip("dm_control is not installed")
    m = loaded(mujoco, file)
    q, v = states(mujoco, m, 1, seed=5, spread=0.2)[0]
    made = import_model(file, qpos=q, qvel=v, limits=False)
    result = cd.simulate(made.model, end=0.1, dt=1e-3, integrator=cd.GeneralizedAlpha(spectral_radius=0.9))
    for name, later in after(mujoco, m, q, v, 0.1)["bodies"].items():
        if name in made.model:
            assert np.abs(result.position(name)[-1] - later["place"]).max() < 1e-4


def test_motions_are_written_with_the_signs_and_zeros_of_the_file(tmp_path):
    case = KNOWN["tumbler"][0]
    made = import_model(DATA / "tumbler.xml", qpos=case["qpos"], qvel=case["qvel"], limits=False)
    result = cd.simulate(made.model, end=0.004, dt=0.002)
    table = cd.read_motion(made.to_sto(result, tmp_path / "tumbler.sto"))
    assert made.conversions["hip_y"][0] == -1.0 and made.conversions["hip_z"][1] != 0.0
    for name, own in made.coordinates.items():
        assert made.here(name, table[name]) == pytest.approx(result.coordinate(own), abs=1e-12)


def test_pieces_of_mjcf_files_are_said_to_be_pieces(tmp_path):
    (tmp_path / "arm.xml").write_text("<mujocoinclude><body/></mujocoinclude>", encoding="utf-8")
    with pytest.raises(cd.InputError, match="import the file that includes it"):
        import_model(tmp_path / "arm.xml")


def test_paths_of_includes_may_be_those_of_windows(tmp_path):
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "ball.xml").write_text(
        '<mujocoinclude><body name="ball"><freejoint/><geom size="0.1"/></body></mujocoinclude>', encoding="utf-8"
    )
    main = '<mujoco><worldbody><include file="parts\\ball.xml"/></worldbody></mujoco>'
    (tmp_path / "main.xml").write_text(main, encoding="utf-8")
    assert import_model(tmp_path / "main.xml").model["ball"].mass == pytest.approx(1000 * 4 / 3 * np.pi * 0.1**3)


def test_meshes_in_the_format_of_mujoco_weigh_as_they_should(tmp_path):
    """A tetrahedron with its corners written once for each triangle, as the format has them where normals differ."""
    corners = 0.1 * np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype="<f4")
    triangles = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    counts = np.array([12, 12, 0, 4], dtype="<i4")
    data = counts.tobytes() + corners[triangles].tobytes() + np.zeros((12, 3), "<f4").tobytes()
    (tmp_path / "part.msh").write_bytes(data + np.arange(12, dtype="<i4").tobytes())
    text = """<mujoco><asset><mesh name="part" file="part.msh"/></asset><worldbody><body name="part"><freejoint/>
      <geom type="mesh" mesh="part" density="1200"/></body></worldbody></mujoco>"""
    (tmp_path / "part.xml").write_text(text, encoding="utf-8")
    body = import_model(tmp_path / "part.xml").model["part"]
    assert body.mass == pytest.approx(1200 * 0.1**3 / 6, rel=1e-6)
    (tmp_path / "part.msh").write_bytes(data)
    with pytest.raises(cd.InputError, match="is no mesh of MuJoCo"):
        import_model(tmp_path / "part.xml")


def test_a_shape_that_is_fitted_to_a_mesh_is_the_mesh_itself(tmp_path):
    text = """<mujoco><asset><mesh name="part" vertex="0 0 0 .1 0 0 0 .1 0 0 0 .1"/></asset><worldbody><body name="part">
      <freejoint/><geom name="ball" mesh="part"/></body></worldbody></mujoco>"""
    (tmp_path / "part.xml").write_text(text, encoding="utf-8")
    made = import_model(tmp_path / "part.xml")
    assert made.model["part"].mass == pytest.approx(1000 * 0.1**3 / 6)
    assert any(item.name == "ball" and "fitted" in item.why for item in made.left_out)


def test_a_flat_mesh_is_a_picture_that_weighs_nothing(tmp_path):
    (tmp_path / "sign.obj").write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n", encoding="utf-8")
    text = """<mujoco><asset><mesh name="sign" file="sign.obj"/></asset><worldbody><body name="part"><freejoint/>
      <inertial mass="2" pos="0 0 0" diaginertia="1 1 1"/><geom type="mesh" mesh="sign"/></body></worldbody></mujoco>"""
    (tmp_path / "part.xml").write_text(text, encoding="utf-8")
    assert import_model(tmp_path / "part.xml").model["part"].mass == 2.0


def test_inertias_are_balanced_where_the_compiler_asks_for_it(tmp_path):
    text = """<mujoco><compiler balanceinertia="true"/><worldbody><body name="part"><freejoint/>
      <inertial mass="1" pos="0 0 0" diaginertia="1 2 6"/><geom size="0.1"/></body></worldbody></mujoco>"""
    file = tmp_path / "part.xml"
    file.write_text(text, encoding="utf-8")
    assert np.allclose(import_model(file).model["part"].second_moment, 1.5 * np.eye(3))  # of three moments of 3 kg m²
    file.write_text(text.replace('balanceinertia="true"', ""), encoding="utf-8")
    with pytest.raises(cd.InputError, match="triangle inequality"):
        import_model(file)
