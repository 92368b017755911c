"""OpenSim models are read as OpenSim itself understands them.

Reference numbers are made by opensim_reference.py with the package `opensim`. The folder named by CONDYLE_OPENSIM_MODELS may
hold more models, each with its numbers beside it (MODEL.osim, MODEL.json); without it these tests are left out.
"""

import json
import os
import warnings
from pathlib import Path

import numpy as np
import pytest

import condyle as cd
from condyle.laws.coordinates import coordinate_gradient
from condyle.laws.muscle_places import PACE
from condyle.laws.muscles import muscle_tension
from condyle.muscles.reading import PathReader
from condyle.system.compile import compile as compile_system

DATA = Path(__file__).parent / "data"
REFERENCE = json.loads((DATA / "leg.json").read_text(encoding="utf-8"))
LEG = {"version 3": DATA / "leg.osim", "version 4": DATA / "leg4.osim"}
OVER = 1e-6  # [m] to which OpenSim finds the shortest way over a cylinder; here it is exact, and never longer
MORE = sorted(Path(os.environ.get("CONDYLE_OPENSIM_MODELS", DATA / "none")).glob("*.osim"))


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cd.InputWarning)  # fibres at random poses may be long
        yield


def off(imported, sample):
    """Largest difference of places [m] and rotations of bodies from OpenSim's."""
    differences = [0.0]
    for name, body in sample["bodies"].items():
        if name in imported.model:
            part = imported.model[name]
            differences += [np.abs(np.subtract(part.position, body["place"])).max()]
            differences += [np.abs(np.subtract(part.rotation, body["rotation"])).max()]
    return max(differences)


def lengths(imported):
    points = compile_system(imported.model).points
    muscles = [part for part in imported.model if isinstance(part, cd.Muscle)]
    return {m.name: PathReader(m.terms(points)).at(points.places())[0] for m in muscles}


@pytest.mark.parametrize("version", LEG)
def test_bodies_stand_where_opensim_has_them_and_the_joints_agree(version):
    for sample in REFERENCE["samples"]:
        imported = cd.import_model(LEG[version], pose=sample["values"], forces=False)
        assert off(imported, sample) < 1e-12
        sim = cd.Simulation(imported.model, dt=1e-3)
        for name, here in imported.coordinates.items():
            assert sim.coordinate(here) == pytest.approx(sample["values"][name], abs=1e-12)


@pytest.mark.parametrize("version", LEG)
def test_masses_defaults_and_markers_are_those_of_the_file(version):
    imported = cd.import_model(LEG[version])
    for name, mass in REFERENCE["masses"].items():
        assert name == "tip" or imported.model[name].mass == pytest.approx(mass)
    assert "tip" not in imported.model  # it has no mass and is welded: its marker is on the foot
    assert set(imported.model["foot"].points) == {"heel", "toe"}
    assert imported.coordinates["knee_angle"] == "knee.knee_angle"
    assert "pelvis_tx" not in imported.angles and "pelvis_tilt" in imported.angles
    why = [str(item) for item in imported.left_out]
    assert any("TorqueActuator 'unread'" in line for line in why)
    assert any("hip between" in line for line in why)  # a constant about its second axis: the axes are not square


def test_lengths_and_moment_arms_of_muscles_are_those_of_opensim():
    for sample in REFERENCE["samples"]:
        found = lengths(cd.import_model(LEG["version 3"], pose=sample["values"]))
        for name, muscle in sample["muscles"].items():
            assert found[name] == pytest.approx(muscle["length"], abs=OVER if name == "extensor" else 1e-12)
    sample, step = REFERENCE["samples"][0], 1e-4
    for coordinate in ("hip_flexion", "hip_adduction", "knee_angle", "ankle_angle"):
        ends = [
            lengths(cd.import_model(LEG["version 3"], pose=sample["values"] | {coordinate: value}))
            for value in sample["values"][coordinate] + np.array([step, -step])
        ]
        for name, muscle in sample["muscles"].items():
            arm = (ends[1][name] - ends[0][name]) / (2.0 * step)
            expected = muscle["arms"].get(coordinate, 0.0)
            assert arm == pytest.approx(expected, abs=10.0 * OVER if name == "extensor" else 1e-7)


def test_a_conditional_point_beside_a_moving_one_has_exact_derivatives():
    imported = cd.import_model(LEG["version 3"], pose={"knee_angle": -1.4585})  # while it comes in
    points = compile_system(imported.model).points
    reader = PathReader(imported.model["rectus"].terms(points))
    y = np.array([v.at(points.places()) for v in reader.vectors])
    reader.of(y)
    gradient, curvature = np.zeros(y.shape), np.zeros(y.shape * 2)
    coordinate_gradient(*y.shape, y, reader.params, 0, gradient, curvature)
    way = np.random.default_rng(2).normal(size=y.shape)
    h = 1e-6
    (plus, up), (minus, down) = (reader.of(y + s * h * way) for s in (1.0, -1.0))
    assert np.sum(gradient * way) == pytest.approx((plus - minus) / (2.0 * h), rel=1e-6)
    bend = np.einsum("kamb,mb->ka", curvature, way)
    assert np.allclose(bend, (up - down) / (2.0 * h), rtol=1e-4, atol=1e-5 * np.abs(bend).max())


def test_muscles_of_thelen_pull_as_in_opensim():
    for sample in REFERENCE["samples"]:
        model = cd.import_model(LEG["version 3"], pose=sample["values"]).model
        for activation, forces in sample["forces"].items():
            for name, expected in forces.items():
                p = np.array(model[name].parameters())
                p[PACE] = 0.0  # fibres and tendon in balance
                length = sample["muscles"][name]["length"]
                tension, _, _, _, fibre = muscle_tension(length, 0.0, float(activation), p)
                assert tension == pytest.approx(expected["tension"], rel=1e-6, abs=1e-4)
                assert fibre == pytest.approx(expected["fibre"], rel=1e-6)


def test_a_leg_falls_as_in_opensim():
    imported = cd.import_model(LEG["version 3"], forces=False)
    fall = cd.simulate(imported.model, end=0.3, dt=0.005)
    for name, here in imported.coordinates.items():
        expected = REFERENCE["fall"]["values"][name]
        found = np.interp(REFERENCE["fall"]["times"], fall.times, fall.coordinate(here))
        assert np.ptp(expected) > 1e-3  # it moves
        assert np.abs(found - expected).max() < 2e-5  # 6e-6 of it is the light body in the hip, of 0.9 g


def test_an_imported_model_is_written_and_read(tmp_path):
    imported = cd.import_model(LEG["version 4"])
    imported.model.save(tmp_path / "leg.json")
    again = cd.Model.load(tmp_path / "leg.json")
    assert again.to_dict() == imported.model.to_dict()


def test_a_motion_drives_coordinates_by_their_names(tmp_path):
    file = tmp_path / "leg.mot"
    rows = [f"{t}\t{20 + 30 * t}\t{0.2 + 0.1 * t}\t{-40 - 20 * t}" for t in (0.0, 0.05, 0.1, 0.15)]
    file.write_text("\n".join(["leg", "inDegrees=yes", "endheader", "time\thip_flexion\tpelvis_tx\tknee_angle", *rows]))
    pose = {"hip_flexion": np.radians(20), "pelvis_tx": 0.2, "knee_angle": np.radians(-40)}
    imported = cd.import_model(LEG["version 3"], pose=pose, forces=False)
    assert set(imported.drive(cd.read_motion(file))) == {"hip_flexion", "pelvis_tx", "knee_angle"}
    moved = cd.simulate(imported.model, end=0.1, dt=0.005)
    assert moved.coordinate("knee.knee_angle")[-1] == pytest.approx(np.radians(-42), abs=1e-9)
    assert moved.coordinate("ground_pelvis.pelvis_tx")[-1] == pytest.approx(0.21, abs=1e-9)
    from_motion = cd.import_model(LEG["version 3"], pose=cd.read_motion(file), forces=False)
    assert np.allclose(from_motion.model["tibia"].position, imported.model["tibia"].position, rtol=0.0, atol=1e-12)
    with pytest.raises(cd.InputError, match="coordinate"):
        imported.drive(cd.MotionTable([0.0, 1.0], {"elbow": [0.0, 1.0]}))


def test_bodies_start_with_the_velocities_of_a_result():
    imported = cd.import_model(LEG["version 3"], forces=False)
    again = cd.import_model(LEG["version 3"], forces=False)
    again.model["pelvis"].velocity = (0.3, 0.0, 0.0)
    moving = cd.simulate(again.model, end=0.01, dt=0.005)
    imported.start_as(moving)
    assert np.allclose(imported.model["tibia"].velocity, moving.velocity("tibia")[0], rtol=0.0, atol=1e-15)
    spin = imported.model["tibia"].angular_velocity
    assert np.allclose(spin, moving.angular_velocity("tibia")[0], rtol=0.0, atol=1e-15) and np.any(spin)


def test_contact_takes_the_place_of_a_joint_and_its_coordinates_stay():
    imported = cd.import_model(LEG["version 3"], forces=False)
    model = imported.model
    centre = model["ankle"].a.at
    socket = cd.Contact("socket", "talus", [(0.0, 0.0, 0.0)], "tibia", cd.Sphere(0.002, centre=centre, inside=True))
    imported.replace_joint("ankle", [socket])
    assert set(model["ankle"].released) == {"x", "y", "z", "axis 1", "axis 2"}
    fall = cd.simulate(model, end=0.02, dt=0.001)
    gap = fall.position("talus") - fall.position(cd.Point("tibia", centre))
    assert 1e-6 < np.linalg.norm(gap, axis=1).max() < 0.00201  # it moves in its socket, and not out of it
    assert np.isfinite(fall.coordinate("ankle.ankle_angle")).all()
    with pytest.raises(cd.InputError, match="joint 'ancle'"):
        imported.replace_joint("ancle", [socket])
    with pytest.raises(cd.InputError, match="component"):
        imported.replace_joint("knee", [socket], keep=["no such"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("<OpenSimDocument Version=\"30000\">", "<OpenSimDocument Version=\"10500\">"), "version 10500"),
        (("OpenSimDocument", "SimbodyDocument"), "is no OpenSim model"),
        (("PinJoint", "ScapulothoracicJoint"), "joints of the kind ScapulothoracicJoint are not read"),
        (("<parent_body>femur</parent_body>", "<parent_body>thigh</parent_body>"), "do not make a tree"),
        (("<mass>9</mass>", "<mass>heavy</mass>"), "should be numbers"),
        (("<coordinates>hip_flexion</coordinates>", "<coordinates>flexion</coordinates>"), "has no coordinate 'flexion'"),
        (("</Model>", ""), "not well-formed"),
    ],
)  # fmt: skip
def test_a_bad_file_says_what_is_wrong_and_where(tmp_path, change, message):
    file = tmp_path / "leg.osim"
    file.write_text(LEG["version 3"].read_text(encoding="utf-8").replace(*change), encoding="utf-8")
    with pytest.raises(cd.InputError, match=message):
        cd.import_model(file)


def test_a_pose_names_coordinates_of_the_file():
    with pytest.raises(cd.InputError, match="unknown coordinate 'knee'"):
        cd.import_model(LEG["version 3"], pose={"knee": 0.1})


@pytest.mark.skipif(not MORE, reason="CONDYLE_OPENSIM_MODELS names no folder with models")
@pytest.mark.parametrize("path", MORE, ids=lambda path: path.stem)
def test_models_of_others_stand_as_in_opensim(path):
    reference = json.loads(path.with_suffix(".json").read_text(encoding="utf-8"))
    for sample in reference["samples"]:
        imported = cd.import_model(path, pose=sample["values"])
        assert off(imported, sample) < 1e-9
        found = lengths(imported)
        if any(item.what in ("PathWrap", "WrapEllipsoid", "WrapSphere") for item in imported.left_out):
            continue  # OpenSim's own way over ellipsoids is an approximation
        for name, muscle in sample["muscles"].items():
            if not _coming_in(imported.model[name], sample["values"]):
                assert found[name] == pytest.approx(muscle["length"], abs=1e-5)


def _coming_in(muscle, values):
    """Is a conditional point of the muscle near a limit, where it comes in smoothly here and jumps in OpenSim?"""
    points = [entry for entry in muscle.path if isinstance(entry, cd.ConditionalPoint)]
    now = [values[point.coordinate.partition(".")[2]] for point in points]
    return any(min(abs(q - v.lower), abs(q - v.upper)) < v.blend for q, v in zip(now, points, strict=True))


BALL = """<OpenSimDocument Version="40500"><Model name="ball"><gravity>0 0 0</gravity>
<BodySet><objects><Body name="ball"><mass>1</mass><inertia>0.001 0.001 0.001 0 0 0</inertia></Body></objects></BodySet>
<JointSet><objects><SliderJoint name="fall"><socket_parent_frame>g</socket_parent_frame>
  <socket_child_frame>b</socket_child_frame>
  <coordinates><Coordinate name="height"><default_value>0.045</default_value><locked>true</locked></Coordinate></coordinates>
  <frames><PhysicalOffsetFrame name="g"><socket_parent>/ground</socket_parent><orientation>0 0 1.5707963267948966</orientation>
  </PhysicalOffsetFrame><PhysicalOffsetFrame name="b"><socket_parent>/bodyset/ball</socket_parent>
  <orientation>0 0 1.5707963267948966</orientation></PhysicalOffsetFrame></frames></SliderJoint></objects></JointSet>
<ForceSet><objects><ElasticFoundationForce name="press"><ElasticFoundationForce::ContactParametersSet><objects>
  <ElasticFoundationForce::ContactParameters><geometry>skin floor</geometry><stiffness>1e7</stiffness>
  <dissipation>0.5</dissipation></ElasticFoundationForce::ContactParameters></objects>
</ElasticFoundationForce::ContactParametersSet></ElasticFoundationForce></objects></ForceSet>
<ContactGeometrySet><objects>
  <ContactMesh name="skin"><socket_frame>/bodyset/ball</socket_frame><filename>ball.obj</filename></ContactMesh>
  <ContactHalfSpace name="floor"><socket_frame>/ground</socket_frame>
  <orientation>0 0 -1.5707963267948966</orientation></ContactHalfSpace>
</objects></ContactGeometrySet></Model></OpenSimDocument>"""


@pytest.mark.parametrize(("height", "force"), [(0.048, 5.325655), (0.045, 36.231620), (0.042, 95.641823)])
def test_a_mesh_with_an_elastic_foundation_presses_as_in_opensim(tmp_path, height, force):
    """A sphere of 1280 triangles on a half-space; force [N] by OpenSim 4.6, which has one spring at each triangle."""
    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.creation.icosphere(subdivisions=3, radius=0.05)
    mesh.export(tmp_path / "ball.obj")
    depth = np.maximum(-height - mesh.triangles_center[:, 1], 0.0)
    assert 1e7 * mesh.area_faces @ depth == pytest.approx(force, rel=1e-5)  # OpenSim's sum over the triangles
    (tmp_path / "ball.osim").write_text(BALL)
    imported = cd.import_model(tmp_path / "ball.osim", pose={"height": height})
    found = cd.simulate(imported.model, end=0.002, dt=0.001).contact("press skin floor").resultant[-1]
    assert found[1] == pytest.approx(force, rel=0.02)  # three points of each triangle: more of those that half touch
    assert force < found[1] < 1e7 * np.pi * 0.05 * (0.05 - height) ** 2  # nearer to the round ball
    assert np.abs(found[[0, 2]]).max() < 1e-9


def test_an_elastic_foundation_dissipates_as_in_opensim(tmp_path):
    """The ball comes down with 1 m/s; OpenSim 4.6 sends it up again with 0.748435 m/s, without dissipation with 1 m/s."""
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.icosphere(subdivisions=3, radius=0.05).export(tmp_path / "ball.obj")
    falls = BALL.replace("<locked>true</locked>", "<default_speed_value>-1</default_speed_value>")
    (tmp_path / "ball.osim").write_text(falls)
    imported = cd.import_model(tmp_path / "ball.osim", pose={"height": 0.051})
    assert not any("dissipation" in item.why for item in imported.left_out)
    back = cd.simulate(imported.model, end=0.04, dt=5e-4).coordinate_rate("fall.height")[-1]
    assert back == pytest.approx(0.748435, abs=2e-3)


def test_a_missing_mesh_of_a_contact_is_named(tmp_path):
    (tmp_path / "ball.osim").write_text(BALL)
    imported = cd.import_model(tmp_path / "ball.osim")
    assert any("no file 'ball.obj'" in item.why and "Geometry" in item.why for item in imported.left_out)
