"""Explicit steps in joint coordinates: the same motion and the same forces as in rows, to the order of the method."""

from dataclasses import replace

import numpy as np
import pytest

import condyle as cd
from condyle.system.compile import running
from trees import loose, plane


def limb():
    """A branched limb: ball joints and hinges, one of them the other way round, springs, a damper, a load and a torque."""
    m = cd.Model("limb", dimension=3, gravity=(0.0, 0.0, -9.81))
    a = m.add(cd.RigidBody("a", 1.2, inertia=(0.02, 0.09, 0.1), position=(0.3, 0, 0), angular_velocity=(0.5, 0, 1.0)))
    b = m.add(
        cd.RigidBody("b", 0.8, inertia=(0.01, 0.06, 0.05), position=(0.6, 0.2, 0), rotation=(0.3, 0.2, 0),
                     centre_of_mass=(0.02, 0.05, 0.0), angular_velocity=(0, 1, 0.5))
    )  # fmt: skip
    c = m.add(cd.RigidBody("c", 0.5, inertia=(0.01, 0.02, 0.02), position=(0.6, 0.6, 0.1)))
    e = m.add(cd.RigidBody("e", 0.4, inertia=(0.01, 0.02, 0.015), position=(0.5, -0.3, 0), angular_velocity=(1, 0, 0)))
    m.add(cd.Spherical("hook", m.ground, a, at=(0, 0, 0)))
    m.add(cd.Revolute("hinge", a, b, at=(0.6, 0, 0), axis=(0.2, 0, 1)))
    m.add(
        cd.Revolute("wrist", c, b, at=(0.6, 0.4, 0), axis=(1, 0.3, 0))
    )  # the body comes first, what it hangs on second
    m.add(cd.Spherical("shoulder", e, a, at=(0.5, -0.1, 0)))
    m.add(cd.Spring("cord", m.ground.at(1, 0, 0), c.at(0, 0.1, 0), stiffness=40.0, rest_length=0.3))
    m.add(cd.CoordinateSpring("torsion", "wrist.angle", stiffness=2.0))
    m.add(cd.CoordinateDamper("brake", "hinge.angle", 0.05))
    m.add(cd.Load("push", e, (0.5, 0.0, 1.0), cd.Ramp(0.0, 0.3)))
    return m


def ends(make, order, steps, coordinates="joints", end=0.4, kind=cd.RungeKutta):
    method = kind(order=order, coordinates=coordinates)
    return [cd.simulate(make(), end=end, dt=h, integrator=method).state(-1) for h in steps]


def distances(found, exact):
    """Errors of places, velocities, multipliers and accelerations."""
    rows = (
        (found.x, exact.x),
        (found.v, exact.v),
        (found.multipliers, exact.multipliers),
        (found.memory["acceleration"], exact.memory["acceleration"]),
    )
    return np.array([np.abs(one - other).max() for one, other in rows])


@pytest.mark.parametrize("make", [limb, plane, loose])
def test_motion_and_joint_forces_are_those_of_rows(make):
    (exact,) = ends(make, 4, [0.0005], "rows")
    (found,) = ends(make, 8, [0.01])
    assert distances(found, exact).max() < 1e-8 * max(1.0, np.abs(exact.multipliers).max())


@pytest.mark.parametrize(
    ("make", "order", "steps"),
    [(limb, 4, (0.02, 0.01)), (plane, 4, (0.02, 0.01)), (loose, 4, (0.02, 0.01)),
     (limb, 8, (0.08, 0.04)), (plane, 8, (0.08, 0.04)), (loose, 8, (0.4, 0.2))],
)  # fmt: skip
def test_the_order_is_that_of_the_method(make, order, steps):
    (exact,) = ends(make, 8, [0.0025])
    coarse, fine = (distances(state, exact) for state in ends(make, order, steps))
    assert np.log2(coarse / fine).min() > order - 0.8
    assert fine[0] > 1e-14


def test_joints_are_closed_and_momenta_kept_to_round_off():
    run = cd.simulate(loose(), end=10.0, dt=0.01, integrator=cd.RungeKutta(order=8))
    assert run.constraint_error.max() < 1e-13
    energy = run.energy["total"]
    assert np.abs(energy - energy[0]).max() < 1e-10 * energy[0]
    for name in ("linear_momentum", "angular_momentum"):
        momentum = getattr(run, name)
        assert np.abs(momentum - momentum[0]).max() < 1e-9 * np.abs(momentum[0]).max()


def test_work_of_loads_and_dampers_closes_the_balance_to_second_order():
    missing = []
    for h in (0.01, 0.005):
        energy = cd.simulate(limb(), end=0.4, dt=h, integrator=cd.RungeKutta()).energy
        missing.append(abs((energy["total"] - energy["work"])[-1] - energy["total"][0]))
    assert missing[0] < 1e-3
    assert missing[0] / missing[1] > 3.5


def test_a_run_resumes_bit_for_bit_and_steps_alone_are_those_in_a_row(tmp_path):
    method = cd.RungeKutta(order=8)
    whole = cd.simulate(limb(), end=2.0, dt=1 / 64, integrator=method)
    cd.simulate(limb(), end=1.0, dt=1 / 64, integrator=method, file=tmp_path / "run.h5")
    resumed = cd.resume(tmp_path / "run.h5", end=2.0)
    sim = cd.Simulation(limb(), dt=1 / 64, integrator=method, state=whole.state(64))
    while sim.time < 2.0:
        sim.step()
    for state in (resumed.state(-1), sim.state):
        for name in ("x", "v", "multipliers", "turns"):
            assert np.array_equal(getattr(state, name), getattr(whole.state(-1), name))


def test_a_step_that_is_too_long_is_said_to_be():
    m = plane()
    m.add(cd.CoordinateSpring("stiff", "knee.angle", stiffness=1e4))
    m["b"].angular_velocity = 1.0
    with pytest.raises(cd.ConvergenceError, match="smaller dt"):
        cd.simulate(m, end=5.0, dt=0.5, integrator=cd.RungeKutta())


def refused():
    slider = plane()
    slider.add(cd.RigidBody("s", 1.0, inertia=0.1))
    slider.add(cd.Slider("guide", slider.ground, slider["s"], axis=(1, 0)))
    mass = plane()
    mass.add(cd.PointMass("mass", mass=1.0, position=(2, 0)))
    drive = plane()
    drive.add(cd.Drive("motor", "hook.angle", motion=lambda t: 0.1 * t))
    soft = plane()
    soft["knee"].enforcement = cd.Penalty(1e5) if hasattr(cd, "Penalty") else "penalty"
    return {"'s' hangs on nothing, in a plane": slider, "'mass' is no rigid body": mass,
            "'motor' follows a function of time": drive, "'knee' is not held exactly": soft}  # fmt: skip


@pytest.mark.parametrize("message", refused())
def test_what_has_no_joint_coordinates_is_named_and_stepped_in_rows_instead(message):
    model = refused()[message]
    assert message in running(model).why_no_tree
    with pytest.raises(cd.InputError, match=message):
        cd.simulate(model, end=0.01, dt=0.01, integrator=cd.RungeKutta(coordinates="joints"))
    assert cd.simulate(model, end=0.01, dt=0.005, integrator=cd.RungeKutta(order=8)).status == "completed"


def test_wrong_options_are_named():
    with pytest.raises(cd.InputError, match="order must be 4 or 8"):
        cd.RungeKutta(order=5)
    with pytest.raises(cd.InputError, match="coordinates"):
        cd.RungeKutta(coordinates="angles")


@pytest.mark.parametrize(("order", "steps"), [(4, (0.02, 0.01)), (6, (0.04, 0.02)), (8, (0.04, 0.02))])
def test_collocation_at_the_points_of_gauss_has_its_order(order, steps):
    (exact,) = ends(limb, 8, [0.0025])
    coarse, fine = (distances(state, exact) for state in ends(limb, order, steps, kind=cd.Gauss))
    assert np.log2(coarse / fine).min() > order - 0.8
    assert fine[0] > 1e-14


def test_collocation_in_rows_is_that_in_joint_coordinates_to_its_order():
    (joints,) = ends(plane, 6, [0.01], kind=cd.Gauss, end=0.1)
    (rows,) = ends(plane, 6, [0.01], "rows", kind=cd.Gauss, end=0.1)
    assert distances(rows, joints)[:2].max() < 1e-8


def test_collocation_goes_back_to_where_it_came_from():
    there = cd.Simulation(plane(), dt=0.02, integrator=cd.Gauss())
    began = there.state
    for _ in range(50):
        there.step()
    turned = there.state
    back = cd.Simulation(plane(), dt=0.02, integrator=cd.Gauss(), state=replace(turned, t=0.0, v=-turned.v))
    for _ in range(50):
        back.step()
    assert np.abs(back.state.x - began.x).max() < 1e-10
    forward = cd.Simulation(plane(), dt=0.02, integrator=cd.RungeKutta(), state=replace(turned, t=0.0, v=-turned.v))
    for _ in range(50):
        forward.step()
    assert np.abs(forward.state.x - began.x).max() > 1e-7


def test_collocation_keeps_energy_where_an_explicit_method_drifts():
    drift = {}
    for method in (cd.Gauss(), cd.RungeKutta()):
        total = cd.simulate(plane(), end=60.0, dt=0.02, integrator=method).energy["total"]
        early, late = (np.abs(part - total[0]).max() for part in (total[:500], total[-500:]))
        drift[method.label] = late / early
    assert drift["Gauss"] < 3.0 < drift["RungeKutta"]


def test_collocation_cuts_a_step_whose_sweeps_do_not_converge():
    m = plane()
    m.add(cd.CoordinateSpring("stiff", "knee.angle", stiffness=1e4))
    m["b"].angular_velocity = 1.0
    run = cd.simulate(m, end=0.5, dt=0.5, integrator=cd.Gauss())
    total = run.energy["total"]
    assert run.status == "completed" and "cuts" in str(run.summary())
    assert abs(total[-1] - total[0]) < 1e-6 * abs(total[0])


def test_wrong_orders_of_collocation_are_named():
    with pytest.raises(cd.InputError, match="order must be 4, 6 or 8"):
        cd.Gauss(order=5)


def test_the_tree_is_found_once_for_all_runs_of_a_system():
    system = cd.compile(limb())
    assert running(system).tree is running(system).tree


def test_the_steps_of_a_short_run_are_one_batch():
    class Batches:
        def __init__(self):
            self.ends = []

        def begun(self, state, scalars):
            pass

        def stepped(self, state, scalars, info, number):
            pass

        def advanced(self, batch, number):
            self.ends += [batch.times.tolist()]

    batches = Batches()
    run = cd.simulate(plane(), end=0.604, dt=0.01, integrator=cd.RungeKutta(), hooks=[batches])
    assert batches.ends == [run.times[1:].tolist()]
    assert run.times[-2:].tolist() == [60 * 0.01, 0.604]
