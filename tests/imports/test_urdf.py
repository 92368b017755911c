"""URDF files against MuJoCo's own reader of them (tests/support/mujoco_side.py)."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

import condyle as cd
from condyle.imports.registry import import_model
from mujoco_side import DATA, REFERENCE, differences, loaded, of_condyle, of_mujoco

KNOWN = json.loads(REFERENCE.read_text(encoding="utf-8"))["arm"]
VALUES = dict(zip(KNOWN["joints"], KNOWN["qpos"], strict=True))
ROBOT = (DATA / "arm.urdf").read_text(encoding="utf-8")


def test_links_stand_and_fall_as_in_mujoco():
    made = import_model(DATA / "arm.urdf", values=VALUES, limits=False)
    off = differences(KNOWN, of_condyle(made.model))
    assert max(off.values()) < 1e-9


def test_reference_numbers_are_those_of_mujoco():
    mujoco = pytest.importorskip("mujoco")
    now = of_mujoco(mujoco, loaded(mujoco, DATA / "arm.urdf"), KNOWN["qpos"], np.zeros(5))
    for name, values in now["bodies"].items():
        assert np.allclose(values["acceleration"], KNOWN["bodies"][name]["acceleration"], rtol=1e-9, atol=1e-9)


def test_fixed_links_are_parts_of_their_parents():
    made = import_model(DATA / "arm.urdf")
    assert "tool" not in made.model and made.model["ram"].mass == pytest.approx(1.0)
    assert made.model["ram"].points["tool"] == pytest.approx([0.2, 0.0, 0.0])
    assert "base" not in made.model  # it stands on the ground
    free = import_model(DATA / "arm.urdf", base="free")
    assert free.model["base"].mass == 5.0


def test_joints_that_mimic_others_follow_them(tmp_path):
    mimic = '<axis xyz="0 0 1"/><mimic joint="left_finger" multiplier="-2" offset="0.1"/>'
    before, right = ROBOT.split('<joint name="right_finger"')
    file = tmp_path / "arm.urdf"
    file.write_text(
        before + '<joint name="right_finger"' + right.replace('<axis xyz="0 0 1"/>', mimic, 1), encoding="utf-8"
    )
    result = cd.simulate(import_model(file, values={"left_finger": 0.3}).model, end=0.05, dt=1e-3)
    right, left = (result.coordinate(f"{side}_finger.angle") for side in ("right", "left"))
    assert left[0] == pytest.approx(0.3, abs=1e-9)
    assert np.allclose(right, 0.1 - 2.0 * left, atol=1e-8)


def test_links_rest_on_the_ground_where_contact_is_asked_for(tmp_path):
    text = """<robot name="ball"><link name="ball"><inertial><mass value="1"/>
      <inertia ixx="0.004" ixy="0" ixz="0" iyy="0.004" iyz="0" izz="0.004"/></inertial>
      <collision><geometry><sphere radius="0.1"/></geometry></collision></link><link name="world"/>
      <joint name="free" type="floating"><parent link="world"/><child link="ball"/><origin xyz="0 0 0.2"/></joint></robot>"""
    file = tmp_path / "ball.urdf"
    file.write_text(text, encoding="utf-8")
    made = import_model(file, contacts=True)
    result = cd.simulate(made.model, end=0.5, dt=2e-3, integrator=cd.Nonsmooth())
    assert result.position("ball")[-1, 2] == pytest.approx(0.1, abs=2e-3)


def test_planar_joints_have_three_coordinates(tmp_path):
    text = ROBOT.replace('name="turn" type="continuous"', 'name="turn" type="planar"')
    file = tmp_path / "arm.urdf"
    file.write_text(text, encoding="utf-8")
    made = import_model(file)
    assert made.coordinates["turn x"] == "turn.x" and isinstance(made.model["turn"], cd.Planar)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("<robot", "<sdf", "not well-formed|root element 'robot'"),
        ('child link="upper"', 'child link="uper"', "unknown link 'uper'; did you mean 'upper'"),
        ('child link="upper"', 'child link="ram"', "one link must be the root"),
        ('type="prismatic"', 'type="screw"', "its type is 'screw'"),
        ('<mass value="3"/>', "", "inertial needs mass and inertia"),
        ('<axis xyz="1 0 0"/>', '<axis xyz="0 0 0"/>', "axis must not be 0"),
        ('izz="0.02"', 'izz="2"', "triangle inequality"),
    ],
)
def test_mistakes_are_named(tmp_path, old, new, said):
    file = tmp_path / "arm.urdf"
    file.write_text(ROBOT.replace(old, new), encoding="utf-8")
    with pytest.raises(cd.InputError, match=said):
        import_model(file)


def test_what_other_programs_read_over_is_read_over(tmp_path):
    """Blanks before the declaration, dashes and openings in comments, and a byte after the end; lines stay where they are."""
    file = tmp_path / "arm.urdf"
    body = ROBOT[ROBOT.index("<robot") :]
    file.write_bytes(b'\n\n<?xml version="1.0"?>\n<!-- a <!-- b -- c\n-->\n' + body.encode() + b"\x00\n")
    assert len(import_model(file).model) == len(import_model(DATA / "arm.urdf").model)
    line = next(k for k, text in enumerate(file.read_text(encoding="utf-8").splitlines(), 1) if "<mass" in text)
    file.write_bytes(file.read_bytes().replace(b"<mass value=", b"<mass value='x' was=", 1))
    with pytest.raises(cd.InputError, match=rf"line {line - 1}|line {line}"):
        import_model(file)


def test_templates_of_xacro_are_said_to_be_templates(tmp_path):
    file = tmp_path / "arm.urdf"
    file.write_text(ROBOT.replace("<robot", '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"', 1) + "<xacro:arm/>")
    with pytest.raises(cd.InputError, match="template: write the file itself by xacro"):
        import_model(file)


def test_inertias_that_no_body_can_have_name_the_link_and_are_balanced_when_asked(tmp_path):
    file = tmp_path / "arm.urdf"
    file.write_text(re.sub(r'ixx="[^"]*"', 'ixx="9"', ROBOT), encoding="utf-8")
    with pytest.raises(cd.InputError, match=r"inertial of link '\w+'.*balance_inertia=True"):
        import_model(file)
    made = import_model(file, base="free", balance_inertia=True)
    note = next(item for item in made.left_out if item.what == "inertia")
    assert note.name == "base" and "balance_inertia" in str(note)
    body = made.model["base"]
    J = np.linalg.eigvalsh(np.trace(body.second_moment) * np.eye(3) - np.asarray(body.second_moment))
    assert J[2] <= J[0] + J[1] and J.sum() > 9.0


def test_shapes_without_size_are_left_out(tmp_path):
    file = tmp_path / "arm.urdf"
    shape = '<visual><geometry><sphere radius="0"/></geometry></visual></link>'
    file.write_text(ROBOT.replace("</link>", shape, 1), encoding="utf-8")
    assert any("has no size" in str(item) for item in import_model(file).left_out)
