"""Arguments and attributes that a part does not have, and values that are assigned after it was made."""

import copy
import inspect
import pickle

import pytest

import condyle as cd
from condyle import geometry
from part_examples import EXAMPLES


def arm():
    m = cd.Model("arm", dimension=2)
    m.add(cd.RigidBody("forearm", 1.0, inertia=0.01, position=(0.0, -0.1)))
    m.add(cd.Pin("elbow", "ground", "forearm", at=(0.0, 0.0)))
    m.add(cd.Limit("stop", "elbow.angle", -1.0, 1.0, 200.0))
    m.add(cd.Muscle("biceps", [cd.Point("ground", (0.05, 0.2)), "forearm"], 600.0, 0.1, 0.2))
    return m


@pytest.mark.parametrize(
    ("part", "field", "value", "said"),
    [
        ("forearm", "mass", -3, "RigidBody 'forearm': mass must be at least 0, not -3"),
        ("biceps", "max_force", -600, "Muscle 'biceps': max_force must be above 0"),
        ("biceps", "tendon", "elastik", "Muscle 'biceps': tendon is 'elastik'; choose one of elastic, rigid"),
        ("biceps", "excitation", 60, "Muscle 'biceps': excitation is 60"),
        ("stop", "stiffness", -200, "Limit 'stop': stiffness must be above 0"),
    ],
)
def test_a_value_that_is_assigned_later_is_checked_before_the_run(part, field, value, said):
    m = arm()
    m.validate()
    setattr(m[part], field, value)
    for _ in range(2):  # and again, as long as it is wrong
        with pytest.raises(cd.InputError, match=said):
            cd.compile(m)


def test_gravity_that_is_assigned_later_is_checked_and_a_part_keeps_its_name():
    m = arm()
    m.gravity = [0, -9.81]
    assert m.gravity == (0.0, -9.81)
    with pytest.raises(cd.InputError, match=r"Model 'arm': gravity must be 2 finite numbers"):
        m.gravity = (0.0, 0.0, -9.81)
    m["forearm"].name = "ulna"
    with pytest.raises(cd.InputError, match=r"RigidBody 'ulna' was added as 'forearm'; a part keeps its name"):
        m.validate()


def test_a_value_that_is_assigned_later_is_made_what_the_part_wants():
    m = arm()
    m["biceps"].excitation = 0.5
    m["forearm"].position = [0, -0.1]
    m.validate()
    assert m["biceps"].excitation == cd.Constant(0.5)
    assert m["forearm"].position == (0.0, -0.1)


def test_only_what_was_changed_is_checked_again(monkeypatch):
    m, seen = arm(), []
    for kind in (cd.RigidBody, cd.Muscle):
        once = kind.__post_init__
        monkeypatch.setattr(kind, "__post_init__", lambda part, once=once: (seen.append(part.name), once(part)))
    m.validate()
    m["forearm"].mass = 2.0
    m.validate()
    m.validate()
    assert seen == ["forearm"]


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda part: pickle.loads(pickle.dumps(part))])
def test_an_attribute_that_a_part_does_not_have_is_refused(copied):
    biceps = copied(arm()["biceps"])
    with pytest.raises(cd.InputError, match=r"Muscle 'biceps' has no 'excitaton'; did you mean 'excitation'\?"):
        biceps.excitaton = 0.9
    biceps._note = "private names are free"


@pytest.mark.parametrize("part", EXAMPLES, ids=lambda part: type(part).__name__)
def test_checking_a_part_again_changes_nothing(part):
    before = part.to_dict()
    part.__dict__["_changed"] = True
    part.check_changes()
    assert part.to_dict() == before
    assert list(inspect.signature(type(part)).parameters) == list(inspect.signature(type(part).__init__).parameters)[1:]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: cd.Muscle("b", ["a", "c"], 1, fiber_length=1), r"Muscle 'b' takes no 'fiber_length'; did you mean 'fibre_"),
        (lambda: cd.RigidBody("b", 1, center_of_mass=(0, 0)), r"RigidBody 'b' takes no 'center_of_mass'; .*'centre_of_mass'"),
        (lambda: cd.StVenantKirchhoff(1e5, rho=1.0), r"StVenantKirchhoff takes no 'rho'; there are: density"),
        (lambda: cd.PointMass("p"), r"PointMass 'p': missing a required argument: 'mass'"),
        (lambda: cd.Ramp(0, 1, 2, 3, 4), r"Ramp: too many positional arguments"),
        (lambda: cd.GeneralizedAlpha(spectral_radios=0.8), r"GeneralizedAlpha takes no 'spectral_radios'; .*'spectral_radius'"),
        (lambda: cd.EnergyMomentum(placment="endpoint"), r"EnergyMomentum takes no 'placment'; did you mean 'placement'"),
    ],
)  # fmt: skip
def test_an_argument_that_does_not_exist_is_an_error_with_the_nearest_one(make, said):
    with pytest.raises(cd.InputError, match=said):
        make()


@pytest.mark.parametrize(("name", "hint"), [("Ligamnet", "Ligament"), ("PinJoint", "Pin"), ("simulat", "simulate")])
def test_a_public_name_that_does_not_exist_is_an_error_with_the_nearest_one(name, hint):
    with pytest.raises(AttributeError, match=rf"module 'condyle' has no attribute '{name}'; did you mean .*{hint}"):
        getattr(cd, name)
    assert not hasattr(cd, "__wrapped__")


def test_shapes_in_lists_and_mappings_are_checked_and_made_anew():
    cube = [(x, y, z) for x in (0.0, 1.0) for y in (0.0, 1.0) for z in (0.0, 1.0)]
    mesh, ball = geometry.ConvexMesh(vertices=cube), geometry.Sphere(0.1)
    m = cd.Model("shapes")
    body = m.add(cd.RigidBody("body", 1.0, (0.1, 0.1, 0.1)))
    m.add(cd.Collisions("meet", {body.name: [mesh, ball], "ground": geometry.HalfSpace()}))
    small = mesh.reach()
    mesh.vertices = [[10.0 * a for a in corner] for corner in cube]
    m.validate()
    assert mesh.reach() == pytest.approx(10.0 * small)
    ball.radius = -5.0
    with pytest.raises(cd.InputError, match="radius"):
        m.validate()


@pytest.mark.parametrize("field", ["inertia", "second_moment"])
def test_a_number_that_is_changed_within_the_inertia_of_a_shape_is_noticed(field):
    m = cd.Model("box")
    box = m.add(cd.RigidBody.box("box", (0.3, 0.2, 0.1), 1000.0))
    m.validate()
    getattr(box, field)[0][0] *= 1.1
    with pytest.raises(cd.InputError, match="RigidBody 'box': inertia and second_moment contradict each other"):
        m.validate()


def test_vectors_are_kept_as_floats_and_each_of_their_numbers_is_checked():
    place = cd.RigidBody("body", 1.0, (1.0, 1.0, 1.0), position=[1, 2.5, 3]).position
    assert place == (1.0, 2.5, 3.0) and all(type(entry) is float for entry in place)
    for wrong, said in (((0.0, float("nan"), 1.0), "finite"), ((0.0, None, 1.0), "numbers"), ((1.0,), "2 or 3")):
        with pytest.raises(cd.InputError, match=f"RigidBody 'body': position must .*{said}"):
            cd.RigidBody("body", 1.0, (1.0, 1.0, 1.0), position=wrong)
    with pytest.raises(cd.InputError, match="Revolute 'hinge': axis must not be the zero vector"):
        cd.Revolute("hinge", "a", "b", at=(0.0, 0.0, 0.0), axis=(0, 0, 0.0))
