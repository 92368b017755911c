"""What a run is asked for, functions of the user's own, files for other readers: an error that names what is wrong."""

import pytest

import condyle as cd
from mistakes import fails, model

NAN, INF = float("nan"), float("inf")


def turning():
    """A body that a torque turns."""
    m = model()
    m.add(cd.Torque("t", "a", 1.0))
    return m


def raising(*given):
    return 1.0 / 0.0


def nothing(*given):
    return None


def loaded(scale):
    m = model()
    m.add(cd.Load("push", "a", (1.0, 0.0), scale))
    return m


RUNS = {
    "a model that is a dict": (r"a Model is expected, not \{", lambda: cd.simulate({"parts": []}, end=1.0, dt=0.1)),
    "an endless run": (r"there are 1e\+299 steps of 10 s", lambda: cd.simulate(turning(), end=1e300, dt=10.0)),
    "a step that is True": (r"dt must be a finite number", lambda: cd.simulate(turning(), end=1.0, dt=True)),
    "text for step_error": (r"step_error must be", lambda: cd.simulate(turning(), end=1.0, dt=0.1, step_error="small")),
    "a step of no length": (r"advance: h must be a positive", lambda: cd.Simulation(turning(), dt=0.1).advance(0)),
    "a step of NaN": (r"step: dt must be a positive", lambda: cd.Simulation(turning(), dt=0.1).step(NAN)),
    "until NaN": (r"run: until must be a time", lambda: cd.Simulation(turning(), dt=0.1).run(NAN)),
    "until for ever": (r"run: until must be a time", lambda: cd.Simulation(turning(), dt=0.1).run(INF)),
    "text for until": (r"run: until must be a time", lambda: cd.Simulation(turning(), dt=0.1).run("soon")),
    "each that raises": (
        r"each 'raising' failed: ZeroDivisionError",
        lambda: cd.Simulation(turning(), dt=0.1).run(1.0, each=raising),
    ),
    "a controller that raises": (
        r"controller 'raising' failed: ZeroDivisionError",
        lambda: cd.simulate(turning(), end=1.0, dt=0.1, controllers=[raising]),
    ),
    "a hook that raises": (
        r"hook 'raising' failed: ZeroDivisionError",
        lambda: cd.simulate(turning(), end=1.0, dt=0.1, hooks=[raising]),
    ),
    "an event that raises": (
        r"event 'raising' failed: ZeroDivisionError",
        lambda: cd.simulate(turning(), end=1.0, dt=0.1, events=[raising]),
    ),
    "an event that returns nothing": (
        r"event 'nothing' must return a finite number, not None",
        lambda: cd.simulate(turning(), end=1.0, dt=0.1, events=[nothing]),
    ),
    "hooks that are no list": (
        r"hooks must be a list of functions",
        lambda: cd.simulate(turning(), end=1.0, dt=0.1, hooks=3),
    ),
    "a function of time that raises": (
        r"Load 'push': Function: '.*raising' failed at t = .*ZeroDivisionError",
        lambda: cd.simulate(loaded(raising), end=1.0, dt=0.1),
    ),
    "a function of time that returns nothing": (
        r"Load 'push': Function: '.*nothing' returned None",
        lambda: cd.simulate(loaded(nothing), end=1.0, dt=0.1),
    ),
    "a function of time that overflows": (
        r"Load 'push'.*at t = ",
        lambda: cd.simulate(loaded(cd.Harmonic(1e200, 1e308)), end=1.0, dt=0.1),
    ),
    "a force that raises": (
        r"UserForce 'u': its function 'raising' failed at t = .*ZeroDivisionError",
        lambda: cd.simulate(with_part(cd.UserForce("u", ["a"], raising)), end=1.0, dt=0.1),
    ),
    "a moving frame that raises": (
        r"Frame 'f': Function: '.*raising' failed",
        lambda: cd.simulate(with_part(cd.Frame("f", (0, 0), (raising, 0.0))), end=1.0, dt=0.1),
    ),
    "an unsymmetric second moment": (
        r"RigidBody 'b': second_moment must be symmetric",
        lambda: cd.compile(with_part(cd.RigidBody("b", 1.0, second_moment=[[1, 0.5], [0, 1]]))),
    ),
    "inertia and another second moment": (
        r"RigidBody 'b': inertia and second_moment contradict each other",
        lambda: cd.compile(with_part(cd.RigidBody("b", 1.0, inertia=1.0, second_moment=[[1, 0], [0, 1]]))),
    ),
}


def with_part(part):
    m = model()
    m.add(part)
    return m


@pytest.mark.parametrize("case", RUNS)
def test_a_run_that_cannot_be_meant_is_refused(case):
    fails(*RUNS[case])


def test_a_rotation_in_degrees_is_doubted():
    with pytest.warns(cd.InputWarning, match=r"RigidBody 'b': its rotation of 90 rad .*math\.radians\(90\)"):
        cd.compile(with_part(cd.RigidBody("b", 1.0, inertia=1.0, rotation=90)))


@pytest.mark.parametrize(
    ("name", "reader", "hint"),
    [
        ("walk.trc", cd.read_motion, "is it a .trc file"),
        ("leg.osim", cd.Model.load, "an OpenSim model"),
        ("leg.osim", cd.read_motion, "an OpenSim model"),
        ("bone.stl", cd.Mesh.read, "FacetSurface"),
        ("bone.stl", cd.load, "FacetSurface"),
        ("walk.mot", cd.load, "read by condyle.read_motion"),
        ("run.h5", cd.Model.load, "condyle.load"),
        ("arm.json", cd.load, "condyle.Model.load"),
    ],
)
def test_a_file_for_another_reader_is_told_where_it_belongs(name, reader, hint, tmp_path):
    (tmp_path / name).write_text("solid x\n")
    with pytest.raises(cd.InputError, match=rf"{name}.*{hint}"):
        reader(tmp_path / name)


def test_an_explicit_step_that_cannot_be_closed_again_fails_as_a_step_and_keeps_what_was_before():
    """It once ended in an AssemblyError, as if the parts did not fit together, and the run was lost."""
    model = cd.Model("sling", dimension=2, gravity=(0, -9.81))
    model.add(cd.PointMass("light", 1.0, position=(1, 0)))
    model.add(cd.PointMass("heavy", 1e8, position=(1, -1)))
    model.add(cd.Distance("upper", model.ground, "light", length=1))
    model.add(cd.Distance("lower", "light", "heavy", length=1))
    with pytest.raises(
        cd.ConvergenceError, match=r"explicit method is unstable.*cannot be closed together.*t = 0\.\d"
    ) as failed:
        cd.simulate(model, end=1.0, dt=0.01, integrator=cd.RungeKutta())
    assert failed.value.result.times[-1] > 0.3
