"""Simulations stepped by hand, with inputs, controllers, events, a clock, error control and memory."""

import gc

import numpy as np
import pytest

import condyle as cd

METHODS = [cd.EnergyMomentum, cd.GeneralizedAlpha]


def arm(gravity=(0.0, -9.81)):
    """A pendulum in the plane with a motor on its pin; it starts level."""
    m = cd.Model("arm", dimension=2, gravity=gravity)
    bar = m.add(cd.RigidBody("bar", 1.0, inertia=0.1, position=(0.5, 0.0)))
    m.add(cd.Pin("pin", m.ground, bar, at=(0.0, 0.0)))
    m.add(cd.CoordinateForce("motor", "pin.angle", scale=0.0))
    return m


@pytest.mark.parametrize("method", METHODS)
def test_stepping_by_hand_is_simulating_bit_for_bit(method):
    result = cd.simulate(arm(), end=0.5, dt=0.015625, integrator=method())
    sim = cd.Simulation(arm(), dt=0.015625, integrator=method())
    for k in range(32):
        assert np.array_equal(sim.state.x, result.state(k).x)
        assert np.array_equal(sim.state.v, result.state(k).v)
        assert k == 0 or np.array_equal(sim.joint_force("pin"), result.joint_force("pin")[k - 1])
        sim.step()
    assert sim.steps == 32 and sim.time == result.times[-1]
    assert sim.coordinate("pin.angle") == result.coordinate("pin.angle")[-1]


@pytest.mark.parametrize("method", METHODS)
def test_a_simulation_begun_anew_is_a_new_one(method):
    """Inputs, memory, turns counted and the work of the run before are gone."""
    sim, new = (cd.Simulation(arm(), dt=0.01, integrator=method()) for _ in range(2))
    sim.inputs["motor"] = 30.0
    sim.memory["integral"] = 1.0
    sim.run(2.0, each=lambda sim: sim.coordinate("pin.angle"))
    assert sim.coordinate("pin.angle") > 2.0 * np.pi and sim.work > 0.0
    sim.begin_anew()
    for _ in range(20):
        for a, b in (
            (sim.state.x, new.state.x),
            (sim.state.v, new.state.v),
            (sim.state.multipliers, new.state.multipliers),
        ):
            assert np.array_equal(a, b)
        assert sim.coordinate("pin.angle") == new.coordinate("pin.angle") and sim.energy() == new.energy()
        assert (sim.work, sim.steps, dict(sim.inputs), len(sim.memory)) == (new.work, new.steps, {}, 0)
        sim.step()
        new.step()


def test_reading_between_steps_agrees_with_the_result():
    result = cd.simulate(arm(), end=0.25, dt=0.03125)
    sim = cd.Simulation(arm(), dt=0.03125)
    sim.run(0.25)
    assert np.array_equal(sim.position("bar"), result.position("bar")[-1])
    assert np.array_equal(sim.velocity("bar"), result.velocity("bar")[-1])
    assert sim.coordinate_rate("pin") == result.coordinate_rate("pin")[-1]
    assert sim.energy()["total"] == result.energy["total"][-1]
    with pytest.raises(cd.InputError, match="'motor' has no joint force"):
        sim.joint_force("motor")


def test_an_input_holds_until_it_is_deleted():
    sim = cd.Simulation(arm(gravity=(0.0, 0.0)), dt=0.01)
    inertia = 0.1 + 0.25
    sim.inputs["motor"] = 0.7
    assert dict(sim.inputs) == {"motor": 0.7} and sim.inputs.names() == ["motor"]
    sim.run(0.5)
    assert sim.coordinate_rate("pin.angle") == pytest.approx(0.7 / inertia * 0.5, rel=1e-9)
    del sim.inputs["motor"]
    assert "motor" not in sim.inputs and len(sim.inputs) == 0
    before = sim.coordinate_rate("pin.angle")
    sim.run(0.7)
    assert sim.coordinate_rate("pin.angle") == pytest.approx(before, rel=1e-9)  # its function of time is 0
    assert sim.work == pytest.approx(0.5 * inertia * before**2, rel=1e-7)


def test_an_input_of_a_drive_replaces_its_motion():
    m = arm()
    m.add(cd.Drive("servo", "pin.angle", motion=0.0))
    sim = cd.Simulation(m, dt=0.005, integrator=cd.GeneralizedAlpha(spectral_radius=0.5))
    for k in range(40):
        sim.inputs["servo"] = 0.002 * k
        sim.step()
        assert sim.coordinate("pin.angle") == pytest.approx(0.002 * k, abs=1e-10)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), (1.0, 2.0), "fast"])
def test_an_input_that_is_not_one_finite_number_is_refused_by_name(value):
    sim = cd.Simulation(arm(), dt=0.01)
    with pytest.raises(cd.InputError, match="'motor' must be one finite number"):
        sim.inputs["motor"] = value


def test_an_unknown_input_suggests_the_nearest():
    sim = cd.Simulation(arm(), dt=0.01)
    with pytest.raises(cd.InputError, match="no input 'moter'; did you mean 'motor'"):
        sim.inputs["moter"] = 1.0


def test_a_controller_holds_the_arm_level():
    def hold(sim):
        return {"motor": -40.0 * sim.coordinate("pin.angle") - 8.0 * sim.coordinate_rate("pin.angle")}

    result = cd.simulate(arm(), end=4.0, dt=0.01, controllers=[hold])
    assert result.coordinate("pin.angle")[-1] == pytest.approx(sag(), abs=1e-4)
    assert abs(result.coordinate_rate("pin.angle")[-1]) < 1e-3


def sag():
    """Where 40 q = −m g r cos q."""
    q = 0.0
    for _ in range(100):
        q = -9.81 * 0.5 * np.cos(q) / 40.0
    return q


@pytest.mark.parametrize(
    "answer, message",
    [(3.0, "controller 'wrong' must return a dict"), ({"motor": float("nan")}, "'motor' must be one finite number"),
     ({"motor": [1.0, 2.0]}, "'motor' must be one finite number"), ({"engine": 1.0}, "no input 'engine'")],
)  # fmt: skip
def test_a_controller_that_answers_wrongly_is_an_error_that_names_it(answer, message):
    def wrong(sim):
        return answer if sim.time > 0.05 else None

    with pytest.raises(cd.InputError, match=message):
        cd.simulate(arm(), end=0.2, dt=0.01, controllers=[wrong])


def test_an_event_stops_the_run_at_its_instant():
    """A ball thrown upwards comes back after 2 v/g, wherever the steps are."""
    m = cd.Model("ball", dimension=3, gravity=(0, 0, -9.81))
    m.add(cd.PointMass("ball", 1.0, (0, 0, 0), velocity=(0, 0, 3.0)))

    def landing(sim):
        return sim.position("ball")[2] + (1e-6 if sim.time == 0 else 0.0)

    for dt in (0.05, 0.013):
        result = cd.simulate(m, end=2.0, dt=dt, events=[landing])
        assert result.status == "stopped" and "'landing'" in result.message
        assert result.times[-1] == pytest.approx(2 * 3.0 / 9.81, abs=1e-6)
        assert abs(result.position("ball")[-1, 2]) < 1e-6


@pytest.mark.parametrize("dt", [0.05, 0.03, 0.013, 0.0071])
def test_a_run_that_goes_on_from_an_event_does_not_stop_at_it_again(dt):
    """A pendulum passes its lowest point once in half a period; each run ends at the next passage."""
    level, run, passed = -0.25 * np.pi, None, []
    for _ in range(4):
        run = cd.simulate(arm(), end=5.0, dt=dt, events=[lambda sim: sim.coordinate("pin.angle") - level], state=run)
        passed.append(run.times[-1])
    assert run.status == "stopped" and np.diff(passed).min() > 5 * dt


def test_an_event_that_never_changes_its_sign_is_fine():
    plain = cd.simulate(arm(), end=0.2, dt=0.01)
    watched = cd.simulate(arm(), end=0.2, dt=0.01, events=[lambda sim: 1.0, lambda sim: 0.0])
    assert watched.status == "completed" and watched.message == ""
    assert np.array_equal(plain.position("bar"), watched.position("bar"))


def test_of_two_events_the_run_stops_at_one_that_happens():
    result = cd.simulate(
        arm(), end=1.0, dt=0.01, events=[lambda sim: sim.time + 1.0, lambda sim: sim.coordinate("pin.angle") + 0.3]
    )
    assert result.coordinate("pin.angle")[-1] == pytest.approx(-0.3, abs=1e-8)


def test_steps_that_come_too_late_for_the_clock_are_counted():
    sim = cd.Simulation(arm(), dt=0.01)
    sim.run(0.1, pace=1e9)  # a clock that nothing keeps up with
    assert sim.late_steps == 10
    sim.late_steps = 0
    sim.run(0.13, pace=0.05)  # 0.2 s for each step
    assert sim.late_steps == 0


def test_a_paced_run_does_not_stop_to_look_through_all_objects_for_garbage():
    sim, frozen = cd.Simulation(arm(), dt=0.01), []
    sim.run(0.02, pace=1e9, each=lambda sim: frozen.append(gc.get_freeze_count()))
    sim.run(0.03, each=lambda sim: frozen.append(gc.get_freeze_count()))
    assert frozen[0] > 1000 and frozen[2] == 0 == gc.get_freeze_count()
    gc.freeze()  # what its user has set aside stays there
    try:
        count = gc.get_freeze_count()
        sim.run(0.04, pace=1e9)
        assert 0.9 * count < gc.get_freeze_count() <= count
    finally:
        gc.unfreeze()


@pytest.mark.parametrize("method", METHODS)
def test_error_controlled_steps_meet_their_tolerance(method):
    """Local errors of 1e-5 and 1e-7 of the size: the error at the end falls as tolerance^(2/3), at the least."""
    fine = cd.simulate(arm(), end=0.5, dt=5e-4, integrator=method(), every=1000)
    size = 0.5
    errors, steps = [], []
    for tolerance in (1e-5, 1e-7):
        result = cd.simulate(arm(), end=0.5, dt=0.2, step_error=tolerance, integrator=method())
        errors.append(np.abs(result.position("bar")[-1] - fine.position("bar")[-1]).max() / size)
        steps.append(result.steps)
        assert result.times[-1] == pytest.approx(0.5, abs=1e-12)
        assert result.step_sizes.max() <= 0.2 and np.ptp(result.step_sizes[1:-1]) > 0.0
        assert errors[-1] < 10 * tolerance * result.steps  # local errors that add up
    assert errors[1] < 0.2 * errors[0]
    assert 2 * steps[0] < steps[1] < 10 * steps[0]


@pytest.mark.parametrize(
    "method, order, error", [(cd.BDF(order=1), 1, 1e-3), (cd.GeneralizedAlpha(), 2, 1e-5), (cd.RungeKutta(), 4, 1e-5)]
)
def test_controlled_steps_grow_with_the_order_of_the_method(method, order, error):
    """A hundred times the tolerance needs 100^(1/(p+1)) times fewer steps, for each order p."""
    assert method.order == order
    errors = (error, 0.01 * error)  # first order would need thousands of steps for the second of the others
    few, many = (cd.simulate(arm(), end=0.5, dt=0.2, step_error=e, integrator=method).steps for e in errors)
    assert np.log(many / few) / np.log(100.0) == pytest.approx(1.0 / (order + 1), rel=0.25)


def test_a_controller_finds_its_memory_in_the_next_step_and_in_the_result():
    def count(sim):
        sim.memory["calls"] = sim.memory["calls"] + 1.0
        sim.memory["track"] = np.add(np.roll(sim.memory["track"], 1), [sim.time, 0.0])

    result = cd.simulate(arm(), end=0.2, dt=0.01, controllers=[count], memory={"calls": 0.0, "track": [0.0, 0.0]})
    assert float(result.state(20).memory["run calls"]) == 20.0
    assert float(result.state(7).memory["run calls"]) == 7.0
    assert result.state(20).memory["run track"].shape == (2,)


def test_hooks_see_every_step():
    seen = []
    cd.simulate(arm(), end=0.1, dt=0.01, hooks=[lambda system, state, info: seen.append((state.t, info.iterations))])
    assert [round(t, 10) for t, _ in seen] == [round(0.01 * k, 10) for k in range(1, 11)]
    assert all(n >= 1 for _, n in seen)


def test_an_angle_is_followed_over_full_turns():
    m = cd.Model("wheel", dimension=2)
    wheel = m.add(cd.RigidBody.box("wheel", (1.0, 1.0), 1.0, angular_velocity=7.0))
    m.add(cd.Revolute("axle", m.ground, wheel, at=(0.0, 0.0)))
    sim = cd.Simulation(m, dt=0.01)
    assert sim.coordinate("axle.angle") == 0.0
    sim.run(2.0)
    assert sim.coordinate("axle.angle") == pytest.approx(14.0, rel=1e-3)


@pytest.mark.parametrize(
    ("method", "steps"),
    [(cd.GeneralizedAlpha(), "run_steps of Newmark"), (cd.Newmark(), "run_steps of Newmark"), (None, "run_steps")],
)
def test_at_the_very_first_run_others_compile_the_steps_of_its_method(method, steps, monkeypatch):
    from condyle.laws import precompile

    asked = []
    monkeypatch.setattr(precompile, "start", lambda steps="run_steps": asked.append(steps))
    m = cd.Model("falling", dimension=3, gravity=(0.0, 0.0, -9.81))
    m.add(cd.PointMass("mass", 1.0, (0.0, 0.0, 0.0)))
    cd.Simulation(m, dt=0.01, integrator=method)
    assert asked[0] == steps and steps in precompile.STEPS
