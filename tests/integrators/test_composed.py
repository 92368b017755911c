"""Energy–momentum steps composed to order 4 and 6: their orders, what they keep, and what they refuse."""

import numpy as np
import pytest

import condyle as cd
from stepping import walk

FINE = 0.0025


def pendulum(gravity=-9.81, hook=True):
    """A ball joint and a hinge in space."""
    m = cd.Model("double pendulum", dimension=3, gravity=(0.0, 0.0, gravity))
    a = m.add(cd.RigidBody("a", 1.2, inertia=(0.02, 0.09, 0.1), position=(0.3, 0, 0), angular_velocity=(0.5, 0, 1.0)))
    b = m.add(
        cd.RigidBody("b", 0.8, inertia=(0.01, 0.06, 0.05), position=(0.6, 0.2, 0), rotation=(0.3, 0.2, 0),
                     angular_velocity=(0, 1, 0.5))
    )  # fmt: skip
    if hook:
        m.add(cd.Spherical("hook", m.ground, a, at=(0, 0, 0)))
    m.add(cd.Revolute("hinge", a, b, at=(0.6, 0, 0), axis=(0.2, 0, 1)))
    return m


def top():
    m = cd.Model("top", gravity=(0, 0, -9.81))
    spin = 30.0 * np.array([np.sin(0.3), 0, np.cos(0.3)])
    body = m.add(
        cd.RigidBody("top", 1.0, inertia=(0.02, 0.02, 0.01), centre_of_mass=(0, 0, 0.2), position=(1, 0, 0),
                     rotation=(0, 0.3, 0), angular_velocity=spin)
    )  # fmt: skip
    m.add(cd.Spherical("tip", m.ground, body, at=(1, 0, 0)))
    return m


def cable():
    m = cd.Model("cable", dimension=2, gravity=(0, -9.81))
    section = cd.RoundSection(0.02, cd.StVenantKirchhoff(young=2e6, density=1000))
    line = m.add(cd.Cable("cable", [(0, 0), (1, 0)], elements=2, section=section))
    m.add(cd.Pin("pin", m.ground, line.point("start"), at=(0, 0)))
    return m


def end_errors(make, point, end, steps, order):
    """Distances from the end of a run with steps a quarter of the smallest one [m]."""
    method = cd.ComposedEnergyMomentum(order=order)
    exact = cd.simulate(make(), end=end, dt=steps[-1] / 4.0, integrator=cd.ComposedEnergyMomentum(order=6))
    where = [cd.simulate(make(), end=end, dt=h, integrator=method).position(point)[-1] for h in steps]
    return [float(np.linalg.norm(x - exact.position(point)[-1])) for x in where]


@pytest.mark.parametrize(
    ("make", "point", "end", "steps"),
    [(pendulum, "b", 0.8, (0.08, 0.04)), (top, cd.Point("top", (0, 0, 1)), 0.25, (0.025, 0.0125)),
     (cable, "cable.end", 0.4, (0.01, 0.005))],
    ids=["chain", "heavy top", "cable"],
)  # fmt: skip
@pytest.mark.parametrize("order", [4, 6])
def test_positions_have_the_order_of_the_method(make, point, end, steps, order):
    coarse, fine = end_errors(make, point, end, steps, order)
    assert np.log2(coarse / fine) > order - 0.4
    assert fine > 1e-12  # above round-off, so that the order means something


def test_velocities_and_multipliers_at_mid_step_are_of_order_4():
    reference = walk(pendulum(), FINE, 320, cd.RungeKutta())
    found = []
    for h in (0.02, 0.01):
        path, every = walk(pendulum(), h, round(0.8 / h), cd.ComposedEnergyMomentum()), round(h / FINE)
        v = np.abs(path.velocity("b") - reference.velocity("b")[::every]).max()
        force = [
            np.abs(path.multipliers(joint)[1:] - reference.multipliers(joint)[every // 2 :: every]).max()
            for joint in ("hook", "hinge")
        ]
        found.append([v, *force])
    orders = np.log2(np.array(found[0]) / found[1])
    assert orders.min() > 3.7


@pytest.mark.parametrize("order", [4, 6])
def test_energy_and_momenta_are_kept_exactly(order):
    method = cd.ComposedEnergyMomentum(order=order)
    run = cd.simulate(pendulum(gravity=0.0, hook=False), end=2.0, dt=0.1, integrator=method)
    energy = run.energy["total"]
    assert np.abs(energy - energy[0]).max() < 1e-12 * energy[0]
    for name in ("linear_momentum", "angular_momentum"):
        momentum = getattr(run, name)
        assert np.abs(momentum - momentum[0]).max() < 1e-13  # of bodies with about 0.1 kg m²/s each
    assert run.constraint_error.max() < 1e-12


def test_a_run_goes_on_bit_for_bit_from_its_file_and_from_its_state(tmp_path):
    method = cd.ComposedEnergyMomentum()
    whole = cd.simulate(pendulum(), end=2.0, dt=1 / 128, integrator=method)
    cd.simulate(pendulum(), end=1.0, dt=1 / 128, integrator=method, file=tmp_path / "run.h5")
    resumed = cd.resume(tmp_path / "run.h5", end=2.0)
    for name in ("x", "v", "multipliers"):
        assert np.array_equal(getattr(resumed.state(-1), name), getattr(whole.state(-1), name))
    started = cd.simulate(pendulum(), end=2.0, dt=1 / 128, integrator=method, state=whole.state(120))
    assert np.array_equal(started.state(-1).x, whole.state(-1).x)


def test_steps_in_python_are_those_of_compiled_code():
    method = cd.ComposedEnergyMomentum()
    compiled, python = (cd.Simulation(pendulum(), dt=0.05, integrator=method) for _ in range(2))
    compiled.step()
    after, info = method.step_in_python(python.system, python.state, 0.05)
    assert info.iterations > 10
    np.testing.assert_allclose(after.x, compiled.state.x, atol=1e-12)
    np.testing.assert_allclose(after.multipliers, compiled.state.multipliers, atol=1e-8)


def test_a_first_step_that_is_too_long_is_cut_into_shorter_ones():
    run = cd.simulate(pendulum(), end=1.0, dt=1.0, integrator=cd.ComposedEnergyMomentum())
    energy = run.energy["total"]
    assert run.times[-1] == 1.0 and run.constraint_error.max() < 1e-10
    assert abs(energy[-1] - energy[0]) < 1e-11 * run.energy["kinetic"].max()


def test_drives_do_their_work_and_the_balance_closes():
    m = pendulum()
    m.add(cd.Torque("motor", m["b"], (0, 0, 1.0), cd.Ramp(0.0, 0.5)))
    run = cd.simulate(m, end=1.0, dt=0.05, integrator=cd.ComposedEnergyMomentum())
    missing = run.energy["total"] - run.energy["work"]
    assert abs(run.energy["work"][-1]) > 1e-3
    assert np.abs(missing - missing[0]).max() < 1e-11 * np.abs(run.energy["kinetic"]).max()


def test_what_cannot_go_back_in_time_is_refused_by_name():
    damped = pendulum()
    damped.add(cd.CoordinateDamper("brake", "hinge.angle", 0.1))
    with pytest.raises(cd.InputError, match="'brake', which depends on velocities"):
        cd.simulate(damped, end=0.1, dt=0.05, integrator=cd.ComposedEnergyMomentum())
    dragged = pendulum()
    dragged.add(cd.RayleighDamping("drag", dragged["a"], mass_rate=0.1))
    with pytest.raises(cd.InputError, match="'a', which depends on velocities"):
        cd.simulate(dragged, end=0.1, dt=0.05, integrator="ComposedEnergyMomentum(order=6)")
    ball = cd.Model("ball", dimension=3, gravity=(0, 0, -9.81))
    ball.add(cd.RigidBody("ball", 1.0, inertia=(0.01, 0.01, 0.01), position=(0, 0, 1)))
    ball.add(cd.Contact("floor", ball["ball"], cd.Sphere(0.1), ball.ground, cd.Plane((0, 0, 1))))
    with pytest.raises(cd.InputError, match="contact 'floor' cannot"):
        cd.simulate(ball, end=0.1, dt=0.05, integrator=cd.ComposedEnergyMomentum())
    with pytest.raises(cd.InputError, match="order"):
        cd.ComposedEnergyMomentum(order=3)
