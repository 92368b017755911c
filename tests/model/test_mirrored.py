"""Parts of a model in a mirror move as the mirror image of what they move as before it."""

import numpy as np
import pytest

import condyle as cd
from condyle.model.mirroring import Mirror

S = np.diag([1.0, 1.0, -1.0])
LEAN = cd.rotation(axis=(0.3, 0.5, 0.2), angle=0.4)


def leg():
    """A right leg, with something of every kind that can be mirrored."""
    model = cd.Model("leg", gravity=(0, -9.81, 0))
    pelvis = model.add(cd.RigidBody("pelvis", 10.0, inertia=(0.1, 0.1, 0.1), position=(0, 1, 0)))
    thigh = model.add(
        cd.RigidBody(
            "thigh", 8.0, inertia=[[0.14, 0.01, 0.02], [0.01, 0.08, -0.01], [0.02, -0.01, 0.15]], position=(0.02, 0.8, 0.12),
            rotation=LEAN, centre_of_mass=(0.01, -0.02, 0.03), velocity=(0.1, 0.2, 0.3), angular_velocity=(0.3, -0.5, 0.4),
            points={"knee": (0.0, -0.2, 0.01)},
        )
    )  # fmt: skip
    shank = model.add(cd.RigidBody.box("shank", size=(0.06, 0.4, 0.08), density=1000, position=(0.05, 0.4, 0.13)))
    foot = model.add(cd.RigidBody("foot", 1.0, inertia=(0.01, 0.02, 0.03), position=(0.1, 0.15, 0.15)))
    model.add(cd.Fixed("sacrum", model.ground, pelvis, at=(0, 1, 0)))
    model.add(cd.Spherical("hip", pelvis, thigh, at=(0.0, 0.95, 0.1)))
    model.add(cd.Revolute("knee", thigh, shank, at=(0.03, 0.62, 0.12), axis=(0.1, 0.05, 1.0)))
    model.add(cd.Universal("ankle", shank, foot, at=(0.06, 0.2, 0.14), axis=(0, 0, 1), second_axis=(1, 0.1, 0)))
    model.add(cd.CoordinateSpring("stiff knee", "knee.angle", stiffness=20.0, rest=-0.5))
    model.add(cd.CoordinateSpring("stiff hip", "hip.angle 1", curve=([-1, 0, 1], [-5, 0, 40])))
    model.add(cd.CoordinateDamper("ankle friction", "ankle.angle 2", damping=0.3))
    model.add(cd.Limit("knee stop", "knee.angle", lower=-2.0, upper=-0.02, stiffness=200.0))
    model.add(cd.Initial("bent", "knee.angle", value=-0.3, rate=-1.0))
    model.add(cd.Torque("twist", "foot", (0.2, 0.4, -0.1), scale=cd.Table((0, 0.1, 1), (0, 1, 0.5))))
    model.add(cd.Load("push", cd.Point("shank", (0.01, 0.1, 0.02)), (5.0, 2.0, -8.0)))
    model.add(cd.Spring("band", cd.Point("pelvis", (0.1, 0, 0.15)), "thigh.knee", stiffness=100.0, rest_length=0.2))
    wrap = cd.CylinderWrap(cd.Point("thigh", (0.0, -0.15, 0.02)), 0.03, axis=(0, 0.1, 1), side=(1, 0, 0.1))
    path = (cd.Point("pelvis", (0.08, 0.0, 0.11)), wrap, cd.Point("shank", (0.05, 0.1, 0.01)))
    model.add(cd.Ligament("rectus", path, stiffness=500.0, slack_length=0.35))
    return model


def both(**options):
    """Two models: the leg, and its image."""
    image = cd.Model("image", gravity=(0, -9.81, 0))
    image.include(leg(), mirror="z", **options)
    return leg(), image


def test_a_mirrored_leg_moves_as_the_image_of_the_leg():
    results = [cd.simulate(model, end=0.2, dt=2e-3) for model in both()]
    for point in ("thigh", "thigh.knee", "shank", cd.Point("foot", (0.1, 0.0, 0.02))):
        image = cd.Point("foot", (0.1, 0.0, -0.02)) if isinstance(point, cd.Point) else point
        before, behind = results[0].position(point), results[1].position(image)
        assert np.ptp(before, axis=0).max() > 1e-3
        assert behind == pytest.approx(before @ S, abs=1e-9)
    for name in ("hip.angle 1", "hip.angle 2", "hip.angle 3", "knee.angle", "ankle.angle 1", "ankle.angle 2"):
        before, behind = (result.coordinate(name) for result in results)
        assert np.ptp(before) > 1e-3
        assert behind == pytest.approx(before, abs=1e-9)  # flexion stays flexion
    assert results[1].angular_velocity("foot") == pytest.approx(-results[0].angular_velocity("foot") @ S, abs=1e-8)


def test_the_image_of_the_image_is_the_leg():
    image = both()[1]
    again = cd.Model("leg", gravity=(0, -9.81, 0))
    again.include(image, mirror="z")
    one, two = (cd.simulate(model, end=0.05, dt=5e-3) for model in (leg(), again))
    assert two.position("foot") == pytest.approx(one.position("foot"), abs=1e-12)


def test_two_legs_come_from_one_in_a_file(tmp_path):
    right = leg()
    del right._parts["sacrum"]  # of the pelvis, which both share
    right.save(tmp_path / "leg.yaml")
    (tmp_path / "body.yaml").write_text(
        "gravity: [0, -9.81, 0]\nparts:\n  pelvis: {type: RigidBody, mass: 12, inertia: [0.1, 0.1, 0.1], position: [0, 1, 0]}\n"
        "  sacrum: {type: Fixed, a: ground, b: pelvis, at: [0, 1, 0]}\n"
        "include:\n  - {file: leg.yaml, prefix: right_, shared: [pelvis]}\n"
        "  - {file: leg.yaml, prefix: left_, shared: [pelvis], mirror: z}\n"
    )
    model = cd.Model.load(tmp_path / "body.yaml")
    assert model["left_knee"].b.body == "left_shank" and model["left_hip"].a.body == "pelvis"
    assert model["left_thigh"].position == pytest.approx((0.02, 0.8, -0.12))
    assert model["left_stiff knee"].coordinate == "left_knee.angle"
    result = cd.simulate(model, end=0.05, dt=5e-3)
    assert result.position("left_foot") == pytest.approx(result.position("right_foot") @ S, abs=1e-9)


def test_in_the_plane_angles_change_their_sign():
    side = cd.Model("arm", dimension=2, gravity=(0, -9.81))
    bar = side.add(cd.RigidBody.polygon("bar", [(0, 0), (0.4, 0), (0.4, 0.1)], 100.0, rotation=0.1))
    side.add(cd.Pin("hinge", side.ground, bar, at=(0, 0)))
    side.add(cd.CoordinateSpring("spring", "hinge.angle", stiffness=3.0, rest=0.4))
    side.add(cd.Limit("stop", "hinge.angle", lower=-0.5, upper=2.0, stiffness=50.0))
    side.add(cd.Torque("motor", "bar", 0.3))
    image = cd.Model("image", dimension=2, gravity=(0, -9.81))
    made = image.include(side, mirror="x")
    assert (made["spring"].rest, made["stop"].lower, made["stop"].upper) == (-0.4, -2.0, 0.5)
    one, two = (cd.simulate(model, end=0.5, dt=5e-3) for model in (side, image))
    assert two.position("bar.tip" if "tip" in bar.points else cd.Point("bar", (-0.4, 0.0)))[:, 0] == pytest.approx(
        -one.position(cd.Point("bar", (0.4, 0.0)))[:, 0], abs=1e-9
    )
    assert two.coordinate("hinge.angle") == pytest.approx(-one.coordinate("hinge.angle"), abs=1e-9)


def refused(part, dimension=3, axis="z"):
    model = cd.Model("one", dimension=dimension)
    body = model.add(cd.RigidBody("body", 1.0, inertia=0.1 if dimension == 2 else (0.1, 0.1, 0.1)))
    model.add(
        cd.Pin("pin", model.ground, body) if dimension == 2 else cd.Cylindrical("tube", "ground", body, axis=(0, 0, 1))
    )
    model.add(part)
    with pytest.raises(cd.InputError) as error:
        cd.Model("two", dimension=dimension).include(model, mirror=axis)
    return str(error.value)


def test_what_has_no_image_is_named():
    solid = cd.Solid.block("soft", size=(1, 1, 1), divisions=(1, 1, 1), material=cd.NeoHookean(young=1e6, poisson=0.3))
    assert "Solid 'soft': nodes has no image in a mirror; build the mirrored part" in refused(solid)
    assert "Drive 'motor': its coordinate has the other sign" in refused(cd.Drive("motor", "tube.position", motion=0.1))
    assert "Drive 'motor': its coordinate has the other sign" in refused(
        cd.Drive("motor", "pin.angle", motion=0.1), 2, "x"
    )
    frame = cd.Frame("table", shift=(0.0, 0.0, cd.Harmonic(0.1, 1.0)))
    assert "Frame 'table': shift has no image" in refused(frame)
    assert "a mirror is normal to one of the axes x, y, not 'z'" in refused(cd.PointMass("p", 1.0, (0, 0)), 2)
    assert "axes x, y, z, not 'sagittal'" in refused(cd.PointMass("p", 1.0, (0, 0, 0)), axis="sagittal")


SQUARE = [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)]
PLACED = dict(centre=(0.3, 0.2, -0.1), rotation=LEAN)
SHAPES = [
    cd.geometry.Ellipsoid((0.5, 0.3, 0.2), **PLACED),
    cd.geometry.Superellipsoid((0.5, 0.3, 0.2), (0.5, 1.2), **PLACED),
    cd.geometry.Box((1.0, 0.6, 0.4), **PLACED),
    cd.geometry.Capsule(0.2, 1.0, **PLACED),
    cd.geometry.Cone(0.4, 0.7, 0.1, **PLACED),
    cd.geometry.Cone(0.4, 0.7),
    cd.geometry.HalfSpace((1.0, 2.0, 3.0), **PLACED),
    cd.geometry.ConvexMesh([*SQUARE, (0.2, 0.3, 0.8)], **PLACED),
    cd.geometry.TriangleMesh(
        [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0.2, 0.3, 0.8)], [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)], **PLACED
    ),
]


@pytest.mark.parametrize("axis", "xyz")
@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.label)
def test_a_rigid_shape_is_as_far_from_a_ball_as_its_image_is_from_the_image_of_the_ball(shape, axis):
    mirror = Mirror(cd.Model("room"), axis)
    image = cd.geometry.Shape.from_dict(mirror.image(shape.to_dict(), shape.label))
    ball = cd.geometry.Sphere(0.1)
    for place in np.random.default_rng(3).uniform(-2.0, 2.0, (20, 3)):
        gaps = [
            cd.geometry.closest_points([one, ball], [cd.geometry.pose(), cd.geometry.pose(at)], [(0, 1)]).gap[0]
            for one, at in ((shape, place), (image, mirror.S @ place))
        ]
        assert gaps[1] == pytest.approx(gaps[0], abs=1e-9)


def test_a_field_of_heights_has_no_image():
    field = cd.geometry.HeightField(np.zeros((3, 3)))
    with pytest.raises(cd.InputError, match="heights has no image in a mirror"):
        Mirror(cd.Model("room"), "x").image(field.to_dict(), field.label)
