"""Passive resistance of joints: curves, stops and damping about each axis, relative and absolute angles."""

import numpy as np
import pytest

import condyle as cd
from condyle.errors import InputError

TABLE = ([-1.2, -0.4, 0.0, 0.4, 1.2], [-9.0, -0.4, 0.0, 0.3, 8.0])
METHODS = [cd.EnergyMomentum(), cd.GeneralizedAlpha(), cd.BDF(2), cd.RungeKutta()]


def arm(*parts, spin=(0.5, 0.8, -0.6), rotations=(None, None), elbow_joint=cd.Spherical, hangs=True):
    """Two segments on ball joints; the shoulder is at the origin, the segments point along their third axes."""
    m = cd.Model("arm", gravity=(0, 0, 0))
    R = [cd.rotation() if r is None else r for r in rotations]
    elbow = -0.3 * R[0][:, 2]
    upper = m.add(
        cd.RigidBody(
            "upper", 2.0, inertia=(0.02, 0.02, 0.005), position=0.5 * elbow, rotation=R[0], angular_velocity=spin
        )
    )
    place = elbow - 0.2 * R[1][:, 2]
    fore = m.add(
        cd.RigidBody("fore", 1.5, inertia=(0.02, 0.02, 0.004), position=place, rotation=R[1], angular_velocity=spin)
    )
    if hangs:
        m.add(cd.Spherical("shoulder", m.ground, upper, at=(0, 0, 0), axes_b=R[0]))
    m.add(elbow_joint("elbow", upper, fore, at=elbow, axes=R[0], axes_b=R[1]))
    for part in parts:
        m.add(part)
    return m


def all_axes(axis):
    return {f"angle {k}": axis for k in (1, 2, 3)}


def test_angles_of_a_ball_joint_are_the_cardan_angles_of_its_axes():
    angles = (0.4, -0.7, 1.1)
    R = cd.rotation(axis=(1, 2, 0.5), angle=0.9) @ cd.rotation(euler="xyz", angles=angles)
    model = arm(rotations=(cd.rotation(axis=(1, 2, 0.5), angle=0.9), R))
    run = cd.simulate(model, end=0.01, dt=0.01)
    assert [run.coordinate(f"elbow.angle {k}")[0] for k in (1, 2, 3)] == pytest.approx(angles, abs=1e-12)


def test_energy_is_stored_and_kept_about_all_three_axes():
    axis = cd.PassiveAxis(TABLE, lower=-0.5, upper=0.3, stiffness=30.0)
    model = arm(cd.PassiveMoment("s", "shoulder", all_axes(axis)), cd.PassiveMoment("e", "elbow", all_axes(axis)))
    run = cd.simulate(model, end=1.0, dt=0.005)
    total = run.energy["total"]
    assert run.energy["stored"].max() > 0.2 * total[0]
    assert np.abs(total - total[0]).max() < 1e-10 * total[0]


def test_each_axis_resists_with_its_own_curve():
    angles, stiffness = np.array((0.4, -0.7, 1.1)), np.array((3.0, 5.0, 8.0))
    axes = {f"angle {k + 1}": cd.PassiveAxis(([-2.0, 2.0], [-2.0 * s, 2.0 * s])) for k, s in enumerate(stiffness)}
    model = arm(cd.PassiveMoment("e", "elbow", axes), rotations=(None, cd.rotation(euler="xyz", angles=angles)))
    run = cd.simulate(model, end=1e-3, dt=1e-3)
    assert run.energy["stored"][0] == pytest.approx(0.5 * np.sum(stiffness * angles**2), rel=1e-9)
    for k, name in enumerate(axes):
        assert run.passive_moment("e")[name][0] == pytest.approx(-stiffness[k] * angles[k], rel=1e-9)


def test_damping_takes_what_its_moment_and_rate_say():
    axis = cd.PassiveAxis(TABLE, lower=-0.2, upper=0.2, stiffness=30.0, stop_damping=0.4, damping=0.05)
    run = cd.simulate(arm(cd.PassiveMoment("e", "elbow", all_axes(axis))), end=0.6, dt=0.0005)
    power = sum(
        moment * run.coordinate_rate(f"elbow.{name}") for name, moment in run.passive_moment("e").items()
    )  # of curves and stops too, whose share is the change of what is stored
    work = np.concatenate(([0.0], np.cumsum(0.5 * (power[1:] + power[:-1]) * np.diff(run.times))))
    gained = run.energy["total"] - run.energy["total"][0]
    stored = run.energy["stored"] - run.energy["stored"][0]
    assert gained[-1] < -0.05 * run.energy["total"][0]
    assert np.abs(gained - stored - work).max() < 2e-3 * abs(gained[-1])


@pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
def test_every_method_follows_the_same_motion(method):
    axis = cd.PassiveAxis(TABLE, damping=0.02)
    model = arm(cd.PassiveMoment("e", "elbow", all_axes(axis)), cd.PassiveMoment("s", "shoulder", all_axes(axis)))
    end = cd.simulate(model, end=0.3, dt=0.001, integrator=method).position("fore")[-1]
    fine = cd.simulate(model, end=0.3, dt=0.00025).position("fore")[-1]
    assert np.abs(end - fine).max() < 2e-5


def test_one_axis_on_a_hinge_is_spring_limit_and_damper_together():
    def hinged(*parts):
        m = cd.Model("hinge", dimension=2, gravity=(0.0, -9.81))
        rod = m.add(cd.RigidBody("rod", 2.0, inertia=0.05, position=(0.3, 0.0)))
        m.add(cd.Pin("knee", m.ground, rod, at=(0, 0)))
        for part in parts:
            m.add(part)
        return cd.simulate(m, end=1.0, dt=0.002)

    zero = -0.2
    axis = cd.PassiveAxis(TABLE, lower=-0.5, upper=1.0, stiffness=90.0, stop_damping=2.0, damping=0.1, zero=zero)
    one = hinged(cd.PassiveMoment("all", "knee", axis))
    three = hinged(
        cd.CoordinateSpring("curve", "knee", curve=TABLE, rest=zero),
        cd.Limit("stops", "knee", -0.5 + zero, 1.0 + zero, 90.0, 2.0),
        cd.CoordinateDamper("damper", "knee", 0.1),
    )
    assert one.coordinate("knee").min() < -0.75  # beyond the stop
    assert np.abs(one.coordinate("knee") - three.coordinate("knee")).max() < 1e-12
    torque = one.passive_moment("all")["angle"]
    inertia, gravity = 0.05 + 2.0 * 0.3**2, -2.0 * 9.81 * 0.3 * np.cos(one.coordinate("knee"))
    rate = one.coordinate_rate("knee")
    impulse = np.sum(0.5 * ((torque + gravity)[1:] + (torque + gravity)[:-1]) * np.diff(one.times))
    assert impulse == pytest.approx(inertia * (rate[-1] - rate[0]), abs=0.01)  # that of gravity is −5.4


def test_absolute_angles_give_the_moments_of_the_thesis():
    """Eq. (4.1): −Q(θ) of its own angle on the forearm, +Q(θ) of its own on the upper arm, in the plane of angle 1."""
    first, second = np.radians(135.0), np.radians(67.0)
    rotations = tuple(cd.rotation(axis=(1, 0, 0), angle=a) for a in (first, second))
    curve = ([0.0, 1.0, 2.0, 3.0], [-1.0, 0.2, 0.9, 4.0])
    axis = cd.PassiveAxis(curve)

    def spins(angles):
        part = cd.PassiveMoment("Q", "elbow", {"angle 1": axis}, angles)
        free = {"elbow_joint": cd.CustomJoint, "hangs": False}  # it holds nothing: each moment is seen by itself
        model = arm(part, rotations=rotations, spin=(0, 0, 0), **free)
        run = cd.simulate(model, end=1e-4, dt=1e-4)
        return [0.02 * run.angular_velocity(b)[-1, 0] / 1e-4 for b in ("upper", "fore")]

    assert spins("absolute") == pytest.approx([axis.resistance(first), -axis.resistance(second)], rel=1e-4)
    mutual = axis.resistance(second - first)
    assert spins("relative") == pytest.approx([mutual, -mutual], rel=1e-4)


def test_the_absolute_reading_breaks_the_balance_of_moments():
    """The moments on both segments do not add up to zero: free in space, they set themselves turning."""
    rotations = tuple(cd.rotation(axis=(1, 0, 0), angle=a) for a in (2.3, 1.2))
    axes = {"angle 1": cd.PassiveAxis(([0.0, 3.0], [-3.0, 3.0]))}
    momenta = []
    for angles in ("relative", "absolute"):
        model = arm(cd.PassiveMoment("Q", "elbow", axes, angles), rotations=rotations, spin=(0, 0, 0), hangs=False)
        run = cd.simulate(model, end=0.2, dt=0.002)
        momenta.append(np.abs(run.angular_momentum[-1]).max())
        assert np.ptp(run.energy["total"]) < 1e-10  # it has a potential all the same
    assert momenta[0] < 1e-12 and momenta[1] > 0.05


@pytest.mark.parametrize(("joint", "places"), [("hip", (0, 90)), ("knee", (0, 120)), ("ankle", (-30, 20))])
def test_published_curves_resist_at_both_ends(joint, places):
    curve = cd.passive_curve(joint)
    assert curve.source == "riener-1999" and not curve.stand_in
    low, high = cd.PassiveAxis(joint).resistance(np.radians(places))
    assert low < -1.0 and high > 8.0


PRINTED = [  # moments of Riener and Edrich 1999 [N m] where the other joints are at 0°, over flexion or plantarflexion [°]
    ("hip", lambda q: np.exp(1.4655 - 0.0750 * q) - np.exp(1.3403 + 0.0305 * q) + 8.072, ((0, 8.582), (90, -51.383))),
    (
        "knee",
        lambda q: np.exp(1.800 - 0.0352 * q) - np.exp(-3.971 + 0.0495 * q) - 4.820 + np.exp(2.220 - 0.150 * q),
        ((0, 10.418), (90, -6.188)),
    ),
    (
        "ankle",
        lambda q: np.exp(2.1016 - 0.0843 * q) - np.exp(-7.9763 + 0.1949 * q) - 1.792,
        ((30, -1.259), (-15, 27.173)),
    ),
]


@pytest.mark.parametrize(("joint", "printed", "values"), PRINTED, ids=[entry[0] for entry in PRINTED])
def test_moments_of_the_leg_are_those_that_are_printed(joint, printed, values):
    """Printed moments turn the joint; ours resist. The ankle's are printed over plantarflexion, ours over dorsiflexion."""
    turns = -1.0 if joint == "ankle" else 1.0
    axis = cd.PassiveAxis(joint)
    for degrees, value in values:
        assert printed(degrees) == pytest.approx(value, abs=6e-4)
        assert axis.resistance(np.radians(turns * degrees)) == pytest.approx(-turns * value, abs=2e-3)
    low, high = np.degrees(cd.passive_curve(joint).angles[[0, -1]])
    for degrees in np.linspace(low, high, 23):  # between the entries of the table too
        wanted = -turns * printed(turns * degrees)
        assert axis.resistance(np.radians(degrees)) == pytest.approx(wanted, rel=1e-3, abs=1e-3)


def test_stand_ins_say_that_they_are():
    for joint, (low, high) in {"shoulder": (-60, 180), "elbow": (0, 150), "wrist": (-70, 80)}.items():
        curve = cd.passive_curve(joint)
        assert curve.stand_in and "stand-in" in curve.source
        assert cd.PassiveAxis(joint).resistance(np.radians([low, high])) == pytest.approx([-1.0, 1.0], abs=1e-6)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: cd.PassiveAxis(), "nothing resists"),
        (lambda: cd.PassiveAxis(lower=0.1), "a stop needs both"),
        (lambda: cd.PassiveAxis(stiffness=3.0), "a stop needs both"),
        (lambda: cd.PassiveAxis(lower=1.0, upper=0.0, stiffness=3.0), r"lower \(1\) must not be above upper \(0\)"),
        (lambda: cd.PassiveAxis("elbow", stop_damping=1.0), "stop_damping acts beyond a stop"),
        (lambda: cd.PassiveAxis("ellbow"), "no passive curve 'ellbow'; did you mean 'elbow'"),
        (lambda: cd.PassiveAxis(([0, 0], [1, 2])), "must increase"),
        (lambda: cd.PassiveAxis(damping=([-1, 0, 1], [1, 0, 1])), "sign of the rates"),
        (lambda: cd.PassiveMoment("p", "elbow", {"angle 1": TABLE}), r"axes is \{'angle 1': cd.PassiveAxis"),
        (lambda: cd.PassiveMoment("p", "elbow", {}), "axes is"),
        (lambda: cd.PassiveMoment("p", "elbow", cd.PassiveAxis("elbow", damping=1.0), "absolute"), "a curve alone"),
        (lambda: cd.PassiveMoment("p", "elbow", cd.PassiveAxis("elbow"), "both"), "choose one of relative, absolute"),
    ],
)
def test_wrong_resistance_is_named(make, message):
    with pytest.raises(InputError, match=message):
        make()


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (cd.PassiveMoment("p", "elbow", cd.PassiveAxis("elbow")), "has no coordinate ''; it has 'elbow.angle 1'"),
        (cd.PassiveMoment("p", "elbow", {"angle 4": cd.PassiveAxis("elbow")}), "has no coordinate 'angle 4'"),
        (cd.PassiveMoment("p", "elbo", {"angle 1": cd.PassiveAxis("elbow")}), "did you mean 'elbow'"),
        (cd.PassiveMoment("p", "rail", cd.PassiveAxis("elbow")), "is a length"),
        (cd.PassiveMoment("p", "rail", cd.PassiveAxis("elbow"), "absolute"), "need a joint with axes"),
    ],
)
def test_wrong_joints_are_named(part, message):
    model = arm()
    sled = model.add(cd.RigidBody("sled", 1.0, inertia=(1, 1, 1), position=(3, 0, 0)))
    model.add(cd.Prismatic("rail", model.ground, sled, at=(3, 0, 0), axis=(1, 0, 0)))
    with pytest.raises(InputError, match=f"PassiveMoment 'p'.*{message}"):
        model.add(part)
        cd.compile(model)
