"""Wrong joints, drives, limits and couplings are refused before the run, naming the part and the fix."""

import pytest

import condyle as cd


def base():
    m = cd.Model("arm", dimension=3, gravity=(0, 0, -9.81))
    a = m.add(cd.RigidBody("upper", 1.0, inertia=(0.1, 0.1, 0.1), position=(0.5, 0, 0)))
    b = m.add(cd.RigidBody("lower", 1.0, inertia=(0.1, 0.1, 0.1), position=(1.5, 0, 0)))
    m.add(cd.Revolute("shoulder", m.ground, a, at=(0, 0, 0), axis=(0, 1, 0)))
    m.add(cd.Cylindrical("elbow", a, b, at=(1, 0, 0), axis=(0, 1, 0)))
    return m


PARTS = {
    "a drive of a joint that is not there": (
        lambda m: cd.Drive("servo", "sholder.angle", motion=0.0),
        r"Drive 'servo': there is no joint with coordinates 'sholder'; did you mean 'shoulder'",
    ),
    "a drive of a coordinate that is not there": (
        lambda m: cd.Drive("servo", "shoulder.position", motion=0.0),
        r"Drive 'servo': Revolute 'shoulder' has no coordinate 'position'; it has 'shoulder.angle'",
    ),
    "a drive of a joint with two coordinates": (
        lambda m: cd.Drive("servo", "elbow", motion=0.0),
        r"Drive 'servo': .*'elbow.angle', 'elbow.position'",
    ),
    "a drive of a body": (lambda m: cd.Drive("servo", "upper", motion=0.0), r"Drive 'servo': there is no joint"),
    "a drive without motion": (lambda m: cd.Drive("servo", "shoulder"), r"'servo': give either motion or rate"),
    "a drive with motion and rate": (
        lambda m: cd.Drive("servo", "shoulder", motion=0.0, rate=1.0), r"'servo': give either motion or rate"),
    "a drive by a list": (lambda m: cd.Drive("servo", "shoulder", motion=[1, 2]), r"is no function of time"),
    "a translation without direction": (
        lambda m: cd.Translation("guide", m.ground, "upper", at=(0, 0, 0)), r"Translation 'guide': give the direction"),
    "a rotation with one direction": (
        lambda m: cd.Rotation("upright", m.ground, "upper", at=(0, 0, 0), direction_a=(1, 0, 0)),
        r"Rotation 'upright': give direction_a \(carried by a\) and direction_b",
    ),
    "a limit upside down": (
        lambda m: cd.Limit("stop", "shoulder", lower=1.0, upper=-1.0, stiffness=10.0),
        r"Limit 'stop': lower \(1\) must not be above upper \(-1\)",
    ),
    "a limit without stiffness": (
        lambda m: cd.Limit("stop", "shoulder", -1.0, 1.0, stiffness=0.0), r"'stop': stiffness must be above 0"),
    "a limit that is not a number": (
        lambda m: cd.Limit("stop", "shoulder", float("nan"), 1.0, stiffness=1.0), r"'stop': lower must be finite"),
    "a spring of negative stiffness": (
        lambda m: cd.CoordinateSpring("spring", "shoulder", -1.0), r"'spring': stiffness must be at least 0"),
    "a damper of a missing coordinate": (
        lambda m: cd.CoordinateDamper("damper", "elbow.turn", 1.0), r"'damper': Cylindrical 'elbow' has no coordinate"),
    "a motor on a missing joint": (
        lambda m: cd.CoordinateForce("motor", "knee", 1.0), r"'motor': there is no joint with coordinates 'knee'"),
    "a gear without partner": (lambda m: cd.Gear("gear", a="shoulder"), r"'gear': give the two coordinates"),
    "a coupling of nothing": (lambda m: cd.Coupling("rack", {}), r"'rack': give at least one coordinate"),
    "a coupling by an infinite factor": (
        lambda m: cd.Coupling("rack", {"shoulder": float("inf")}), r"'rack': factors must be .*finite numbers"),
    "a spline with one point": (
        lambda m: cd.Follow("cam", "elbow.angle", of="shoulder", x=[0.0], y=[1.0]), r"'cam': a spline needs"),
    "a spline that goes back": (
        lambda m: cd.Follow("cam", "elbow.angle", of="shoulder", x=[0.0, 1.0, 0.5], y=[1, 2, 3]),
        r"'cam': the x values of a spline must increase"),
    "a start without value": (lambda m: cd.Initial("start", "shoulder"), r"'start': give a value or a rate"),
    "a start of a missing coordinate": (
        lambda m: cd.Initial("start", "elbow.tilt", value=1.0), r"'start': Cylindrical 'elbow' has no coordinate"),
    "a hinge without axis": (lambda m: cd.Revolute("hinge", "upper", "lower", at=(1, 0, 0)), r"'hinge': give the axis"),
    "a hinge with a zero axis": (
        lambda m: cd.Revolute("hinge", "upper", "lower", at=(1, 0, 0), axis=(0, 0, 0)), r"'hinge': axis must not be"),
    "a hinge with an axis of the plane": (
        lambda m: cd.Revolute("hinge", "upper", "lower", at=(1, 0, 0), axis=(0, 1)), r"'hinge': axis has 2 components"),
    "a slide without axis": (lambda m: cd.Prismatic("slide", "upper", "lower"), r"'slide': give its axis"),
    "a joint of a body with itself": (
        lambda m: cd.Spherical("ball", "upper", "upper", at=(1, 0, 0)), r"'ball': both ends are on 'upper'"),
    "a joint of a body that is not there": (
        lambda m: cd.Spherical("ball", "upper", "lowr", at=(1, 0, 0)), r"'ball': there is no body 'lowr'; did you mean"),
    "a joint of the plane in space": (
        lambda m: cd.Slider("slide", "upper", "lower", at=(1, 0, 0)), r"'slide'"),
    "universal axes that are not square": (
        lambda m: cd.Universal("cross", "upper", "lower", at=(1, 0, 0), axis=(1, 0, 0), second_axis=(1, 1, 0)),
        r"'cross': axis and second_axis must be perpendicular"),
    "a rod without length": (
        lambda m: cd.Distance("rod", "upper", "lower", at=(1, 0, 0)), r"'rod': its points coincide"),
    "a custom joint with an unknown coordinate": (
        lambda m: cd.CustomJoint("knee", "upper", "lower", at=(1, 0, 0), functions={"angle 4": 0.0}),
        r"'knee': there is no coordinate 'angle 4'"),
    "a custom joint in a circle": (
        lambda m: cd.CustomJoint("knee", "upper", "lower", at=(1, 0, 0), functions={
            "x": {"of": "y", "x": [0, 1], "y": [0, 1]}, "y": {"of": "x", "x": [0, 1], "y": [0, 1]}}),
        r"'knee': '[xy]' must be a function of a free coordinate"),
    "a pitch that is no number": (
        lambda m: cd.Screw("thread", "upper", "lower", at=(1, 0, 0), axis=(0, 1, 0), pitch="fine"),
        r"'thread': pitch must be a number"),
    "an unknown enforcement": (
        lambda m: cd.Spherical("ball", "upper", "lower", at=(1, 0, 0), enforcement="glue"), r"'ball'.*glue"),
    "a bushing of negative stiffness": (
        lambda m: cd.Bushing("mount", "upper", "lower", at=(1, 0, 0), stiffness=-1.0), r"'mount': stiffness must be"),
    "damping of a rigid body's stiffness": (
        lambda m: cd.RayleighDamping("damping", "upper", stiffness_time=1.0), r"'damping': 'upper' has no stiffness"),
    "a force that is no function": (lambda m: cd.UserForce("push", ["upper"], 3.0), r"'push': function must be callable"),
    "a function that returns too little": (
        lambda m: cd.UserForce("push", ["upper", "lower"], lambda t, x, v: [1.0]), r"'push': its function must return"),
    "a function that returns NaN": (
        lambda m: cd.UserForce("push", ["upper"], lambda t, x, v: x * float("nan")), r"'push': .*not finite"),
}  # fmt: skip


@pytest.mark.parametrize("what", PARTS)
def test_it_is_refused_with_its_name(what):
    make, message = PARTS[what]
    with pytest.raises(cd.InputError, match=message):
        model = base()
        model.add(make(model))
        cd.simulate(model, end=0.02, dt=0.01)


def test_two_drives_of_one_coordinate_name_each_other():
    m = base()
    m.add(cd.Drive("one", "shoulder.angle", motion=0.0))
    m.add(cd.Drive("two", "shoulder", rate=1.0))
    with pytest.raises(cd.InputError, match=r"Drive 'one': 'shoulder.angle' is driven by Drive 'two' too"):
        cd.simulate(m, end=0.1, dt=0.01)


def test_a_drive_that_contradicts_a_gear_is_named():
    m = base()
    m.add(cd.Coupling("held", {"elbow.angle": 1.0}))
    m.add(cd.Drive("servo", "elbow.angle", rate=2.0))
    with pytest.raises(cd.AssemblyError, match=r"'(held|servo)'"):
        cd.simulate(m, end=0.1, dt=0.01)


def test_a_drive_that_jumps_away_from_the_start_moves_the_start():
    """A motion that does not begin where the model stands is closed at the start, and the user is told."""
    m = base()
    m.add(cd.Drive("servo", "shoulder.angle", motion=0.3))
    result = cd.simulate(m, end=0.02, dt=0.01)
    assert result.coordinate("shoulder.angle")[0] == pytest.approx(0.3, abs=1e-12)
    assert any("start: moved by up to" in note for note in result.options["notes"])
