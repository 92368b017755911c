"""The explicit reference in compiled code is the one in Python: same motion, same reactions, same errors."""

import numpy as np
import pytest

import condyle as cd
from condyle.system import row_problem


def driven():
    """A shaken support, a driven crank, a spring and a damper, in the plane."""
    model = cd.Model(dimension=2, gravity=(0, -9.81))
    table = model.add(cd.Frame("table", shift=(cd.Harmonic(amplitude=0.05, frequency=2.0), 0.0)))
    crank = model.add(cd.RigidBody.box("crank", (0.4, 0.05), 10.0, position=(0.2, 0)))
    rod = model.add(cd.RigidBody.box("rod", (0.6, 0.05), 10.0, position=(0.7, 0)))
    model.add(cd.Pin("shaft", table, crank, at=(0, 0)))
    model.add(cd.Pin("pin", crank, rod, at=(0.4, 0)))
    model.add(cd.Drive("motor", "shaft.angle", motion=lambda t: 1.0 - np.cos(3.0 * t)))
    model.add(cd.Spring("cord", model.ground.at(1.0, 0.5), rod.at(0.3, 0.0), 50.0, rest_length=0.2))
    model.add(cd.Damper("oil", model.ground.at(1.0, -0.5), rod.at(0.3, 0.0), 2.0))
    model.add(cd.Load("push", rod, (3.0, 0.0), scale=cd.Ramp(0, 1, first=0, last=0.2)))
    return model


def door():
    """Two hinges on one line, redundant, and a torsion spring by a curve, in space."""
    model = cd.Model(gravity=(0, 0, -9.81))
    panel = model.add(
        cd.RigidBody.box("panel", (0.8, 0.04, 2.0), 100.0, position=(0.4, 0, 1), angular_velocity=(0, 0, 2))
    )
    for name, height in (("low", 0.3), ("high", 1.7)):
        model.add(cd.Revolute(name, model.ground, panel, at=(0, 0, height), axis=(0, 0, 1)))
    model.add(cd.CoordinateSpring("closer", "low.angle", curve=([-1.0, 0.0, 1.0], [-20.0, 0.0, 60.0])))
    return model


def free():
    model = cd.Model(gravity=(0, 0, -1))
    model.add(
        cd.PseudoRigidBody.box(
            "jelly", (0.2, 0.3, 0.4), 900.0, material=cd.NeoHookean(1e4, 0.3, 900.0), angular_velocity=(3, 1, 2)
        )
    )
    return model


@pytest.mark.filterwarnings("ignore::condyle.RedundancyWarning")
@pytest.mark.parametrize("make", [driven, door, free])
@pytest.mark.parametrize("method", [cd.RungeKutta(), cd.methods.ScipyReference(rtol=1e-9)])
def test_compiled_and_python_steps_are_the_same(make, method, monkeypatch):
    runs = []
    for most in (row_problem.DENSE, 0):
        monkeypatch.setattr(row_problem, "DENSE", most)
        runs.append(cd.simulate(make(), end=0.1, dt=0.005, integrator=method))
    compiled, python = runs
    exact = isinstance(method, cd.RungeKutta)
    assert np.abs(compiled.state(-1).x - python.state(-1).x).max() < (1e-11 if exact else 1e-8)
    assert np.abs(compiled.state(-1).v - python.state(-1).v).max() < (1e-9 if exact else 1e-6)
    size = np.abs(python.state(-1).multipliers).max(initial=1.0)
    assert (
        np.abs(compiled.state(-1).multipliers - python.state(-1).multipliers).max(initial=0.0)
        < (1e-8 if exact else 1e-5) * size
    )
    assert compiled.constraint_error.max() < 1e-13


@pytest.mark.filterwarnings("ignore::condyle.RedundancyWarning")
def test_a_small_model_takes_no_python_between_the_stages(monkeypatch):
    monkeypatch.setattr(cd.RungeKutta, "_acceleration", None)  # would be called at every stage
    assert cd.simulate(door(), end=0.02, dt=0.005, integrator=cd.RungeKutta()).status == "completed"


def test_a_step_that_is_too_long_is_said_to_be():
    model = cd.Model(gravity=(0, 0, 0))
    model.add(cd.PointMass("mass", 1.0, (1.1, 0, 0)))
    model.add(cd.Spring("spring", model.ground, "mass", 1e6, rest_length=1.0))
    with pytest.raises(cd.ConvergenceError, match="smaller dt"):
        cd.simulate(model, end=20.0, dt=2.0, integrator=cd.RungeKutta())


def test_joints_of_uzawa_hold_in_rows_as_well():
    ends = []
    for enforcement in ("multiplier", "uzawa"):
        m = cd.Model("bar", dimension=2, gravity=(0, -9.81))
        bar = m.add(cd.RigidBody("bar", 1.0, inertia=0.1, position=(1.0, 0.0)))
        m.add(cd.Revolute("hinge", m.ground, bar, at=(0, 0), enforcement=enforcement))
        method = cd.RungeKutta(coordinates="rows")
        run = cd.simulate(m, end=0.1, dt=0.01, integrator=method, formulation="rows")
        ends.append(run.position("bar")[-1])
    assert ends[1] == pytest.approx(ends[0], abs=1e-9)


def plate(inertia=(0.1, 0.2, 0.3)):
    """A plate without thickness, I₃ = I₁ + I₂, on a ball joint at its edge."""
    model = cd.Model("plate", gravity=(0, 0, -9.81))
    body = model.add(cd.RigidBody("plate", 1.0, inertia, position=(0.5, 0, 0), angular_velocity=(1.0, 0, 0)))
    model.add(cd.Spherical("edge", model.ground, body, at=(0, 0, 0)))
    return model


def test_a_director_without_inertia_is_stepped_in_compiled_rows():
    """The director across a plate has no mass; the conditions of a rigid body hold it."""
    rows, joints = (
        cd.simulate(plate(), end=0.3, dt=0.005, integrator=cd.RungeKutta(order=8, coordinates=kind))
        for kind in ("rows", "joints")
    )
    assert not rows.in_python
    np.testing.assert_allclose(rows.position("plate"), joints.position("plate"), rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(rows.joint_force("edge"), joints.joint_force("edge"), rtol=0.0, atol=1e-6)


@pytest.mark.parametrize("coordinates", ["rows", "joints"])
def test_methods_that_step_the_same_run_in_turn_have_stages_of_their_own(coordinates):
    methods = [
        kind(order=order, coordinates=coordinates)
        for kind, order in ((cd.RungeKutta, 4), (cd.RungeKutta, 8), (cd.Gauss, 4))
    ]
    shared, ends = cd.Simulation(plate((0.1, 0.2, 0.25)), dt=0.1, integrator=methods[0]), []
    for method in methods:
        alone = cd.Simulation(plate((0.1, 0.2, 0.25)), dt=0.1, integrator=method)
        after, _ = method.step(shared.system, shared.state.copy(), 0.1)
        assert np.array_equal(after.x, method.step(alone.system, alone.state.copy(), 0.1)[0].x)
        ends.append(after.x)
    assert min(np.abs(ends[k] - ends[k - 1]).max() for k in range(3)) > 1e-9
