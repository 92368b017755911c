"""No run makes energy silently: bodies turn by less than half a turn within a step, and every run watches its balance."""

import math
import warnings

import numpy as np
import pytest

import condyle as cd
from condyle.integrators.turning import FURTHEST

PATHS = ("auto", "dense")  # compiled steps, and steps in Python


def three_boxes():
    m = cd.Model("three boxes", dimension=2, gravity=(0, -9.81))
    before = m.ground
    for k in range(3):
        box = m.add(cd.RigidBody.box(f"box {k}", (0.1, 0.02), 100, position=(0.05 + 0.1 * k, 0)))
        m.add(cd.Pin(f"pin {k}", before, box, at=(0.1 * k, 0)))
        before = box
    return m


def eccentric_spring(dimension, stiffness=100.0):
    """A light body, pulled at a point off its centre by a spring that is long at first."""
    rest = (0.0,) * (dimension - 2)
    m = cd.Model("eccentric spring", dimension=dimension)
    inertia = 0.01 if dimension == 2 else (0.01, 0.02, 0.015)
    body = m.add(cd.RigidBody("body", 1.0, inertia=inertia))
    mass = m.add(cd.PointMass("mass", mass=1.0, position=(2.3, 0.1, *rest)))
    m.add(cd.Spring("spring", body.at(0.0, 0.3, *rest), mass, stiffness=stiffness, rest_length=0.3))
    return m


def spinning(rate, dimension=3, **motion):
    m = cd.Model("spinning", dimension=dimension)
    inertia, spin = ((0.2, 0.3, 0.1), (0, rate, 0)) if dimension == 3 else (0.2, rate)
    m.add(cd.RigidBody("rotor", 1.0, inertia=inertia, angular_velocity=spin, **motion))
    return m


def off_balance(result):
    """By how much the balance of energy is off, of the largest energy."""
    energy = result.energy
    balance = energy["total"] - energy["work"]
    return np.abs(balance - balance[0]).max() / max(energy["kinetic"].max(), energy["stored"].max())


# --- turns within a step ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", PATHS)
def test_three_boxes_that_turn_over_keep_their_energy(solver):
    result = cd.simulate(three_boxes(), end=2.0, dt=0.02, solver=solver)
    assert off_balance(result) < 1e-12
    assert result.energy["kinetic"].max() < 0.2 * 9.81 * 0.6  # no more than a fall of all three gives


@pytest.mark.parametrize("solver", PATHS)
@pytest.mark.parametrize("dimension", [2, 3])
def test_a_spring_that_turns_a_light_body_over_keeps_the_energy(dimension, solver):
    result = cd.simulate(eccentric_spring(dimension), end=5.0, dt=0.05, solver=solver)
    assert off_balance(result) < 1e-12
    assert result.cuts.sum() > 0  # half a turn within a step, without


def test_a_rotor_too_fast_for_the_step_is_followed_with_cut_steps():
    """The Cayley rotation of a step at h ω = 3.5 is 2.1 rad: cut in two it is exact in energy still, and nearer in angle."""
    h, rate = 0.05, 70.0
    result = cd.simulate(spinning(rate, dimension=2), end=0.5, dt=h)
    assert (result.cuts == 1).all()
    turned = 2.0 * np.arctan(0.25 * h * rate) * 2.0  # of both halves
    assert np.allclose(np.diff(result.angle("rotor")), turned)
    assert off_balance(result) < 1e-13


@pytest.mark.parametrize("method", [cd.EnergyMomentum, cd.GeneralizedAlpha, cd.BDF])
@pytest.mark.parametrize("dimension", [2, 3])
def test_a_body_that_turns_too_far_in_any_step_is_named(method, dimension):
    with pytest.raises(
        cd.ConvergenceError, match=f"'rotor' turns by more than {FURTHEST:g} rad within a step"
    ) as caught:
        cd.simulate(spinning(1e5, dimension), end=0.1, dt=0.05, integrator=method())
    assert caught.value.part == "rotor"
    assert caught.value.result.status == "failed"


@pytest.mark.parametrize("solver", PATHS)
def test_cut_steps_keep_the_energy_in_penalties_of_their_own_stiffness(solver):
    """The stiffness that is chosen from the step stays that of the whole step."""
    m = eccentric_spring(2)
    bar = m.add(cd.RigidBody("bar", 0.5, inertia=0.02, position=(0, -0.4), angular_velocity=3.0))
    m.add(cd.Pin("soft pin", m["body"], bar, at=(0, -0.2), enforcement="penalty"))
    result = cd.simulate(m, end=1.0, dt=0.05, solver=solver)
    assert result.cuts.sum() > 0
    assert off_balance(result) < 1e-11


# --- the watch --------------------------------------------------------------------------------------------------------


class Boosted(cd.EnergyMomentum):
    """Claims to conserve, and makes velocities a little larger in every step."""

    def step(self, system, state, h):
        after, info = super().step(system, state, h)
        after.v *= 1.0 + 1e-7
        return after, cd.integrators.newton.StepInfo(info.iterations)


def test_a_run_that_should_conserve_and_does_not_is_stopped():
    with pytest.raises(cd.ConvergenceError, match=r"energy is not kept: .* have appeared by t = .*'box") as caught:
        cd.simulate(three_boxes(), end=1.0, dt=0.01, integrator=Boosted())
    error = caught.value
    assert error.part in {"box 0", "box 1", "box 2"} and error.time == pytest.approx(error.result.times[-1] + 0.01)
    assert error.result.status == "failed" and "not kept" in error.result.summary()
    kept = cd.simulate(three_boxes(), end=1.0, dt=0.01, integrator=Boosted(), on_failure="return")
    assert kept.status == "failed" and 0 < kept.steps < 20 and off_balance(kept) < 2e-6


def test_stepping_by_hand_is_watched_too():
    sim = cd.Simulation(three_boxes(), dt=0.01, integrator=Boosted())
    with pytest.raises(cd.ConvergenceError, match="energy is not kept"):
        sim.run(until=1.0)
    coarse = cd.Simulation(eccentric_spring(2), dt=0.1, integrator=cd.Newmark())
    with pytest.warns(cd.EnergyWarning, match="energy appears from nowhere"):
        coarse.run(until=5.0)


def test_energy_from_nowhere_is_one_warning_with_time_and_part_and_stands_in_the_summary(tmp_path):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = cd.simulate(eccentric_spring(2), end=5.0, dt=0.1, integrator=cd.Newmark(), file=tmp_path / "gained.h5")
    messages = [str(w.message) for w in caught if issubclass(w.category, cd.EnergyWarning)]
    assert len(messages) == 1
    assert (
        "by t = " in messages[0]
        and "smaller dt" in messages[0]
        and ("'body'" in messages[0] or "'mass'" in messages[0])
    )
    assert messages[0] in result.summary()
    assert messages[0] in cd.load(tmp_path / "gained.h5").summary()


def test_the_watch_can_be_set_and_switched_off():
    loose = cd.simulate(three_boxes(), end=0.3, dt=0.01, integrator=Boosted(), energy_tolerance=1e-4)
    free = cd.simulate(three_boxes(), end=0.3, dt=0.01, integrator=Boosted(), energy_tolerance=math.inf)
    assert loose.status == free.status == "completed"
    with warnings.catch_warnings():
        warnings.simplefilter("error", cd.EnergyWarning)
        cd.simulate(eccentric_spring(2), end=5.0, dt=0.1, integrator=cd.Newmark(), energy_tolerance=math.inf)
    with pytest.raises(cd.InputError, match="energy_tolerance must be a positive number"):
        cd.simulate(three_boxes(), end=0.3, dt=0.01, energy_tolerance=-1.0)


def test_a_damped_run_at_rest_gives_no_alarm():
    m = cd.Model("at rest", dimension=2, gravity=(0, -9.81))
    bar = m.add(cd.RigidBody.box("bar", (0.5, 0.1), 1000, position=(0, -0.25), rotation=np.pi / 2))
    m.add(cd.Pin("pin", m.ground, bar, at=(0, 0)))
    m.add(cd.Load("press", bar.at(0.0, 0.0), (0.0, -1e5)))
    with warnings.catch_warnings():
        warnings.simplefilter("error", cd.EnergyWarning)
        for method in (cd.EnergyMomentum(), cd.GeneralizedAlpha(), cd.BDF(2), cd.RungeKutta()):
            assert cd.simulate(m, end=0.2, dt=0.01, integrator=method).status == "completed"


def loop_in_steps_too_large():
    """A loop of sliders in steps so large that Newton's method runs off to forces of 1e9 N and more before they are cut."""
    m = cd.Model("loop", dimension=3, gravity=(0, 0, -9.81))
    tips = np.array([[0, 0, 0], [-0.277296, 0, -0.28875], [-0.561855, 0.249356, -0.046753]])
    middles = [(-0.138648, 0, -0.144375), (-0.419575, 0.124678, -0.167751), (-0.628076, 0.238436, -0.029787)]
    inertias = [(0.019407, 0.019407, 0.002781), (0.018081, 0.018081, 0.000521), (0.002694, 0.002694, 0.000411)]
    spins, masses = (
        [(-10, 16.324117, 13.300744), (0, 17.474601, -0.001221), (16.234586, -2.529819, -2.249943)],
        (1.453081, 1.075623, 1.686474),
    )
    bars = [m.add(cd.RigidBody(f"bar {k}", masses[k], inertia=inertias[k], position=middles[k], angular_velocity=spins[k]))
            for k in range(3)]  # fmt: skip
    m.add(cd.Prismatic("joint 0", m.ground, bars[0], at=tips[0], axis=(-0.692656, 0, -0.721268)))
    m.add(cd.Spherical("joint 1", bars[0], bars[1], at=tips[1]))
    m.add(cd.Prismatic("joint 2", bars[1], bars[2], at=tips[2], axis=(-0.956587, -0.157737, 0.245071)))
    m.add(
        cd.Spring(
            "spring", bars[1].at(0.288745, 0.072261, 0.125756), m.ground.at(-0.303488, -0.954336, 0.867263), 7582.0
        )
    )
    m.add(cd.Distance("loop", bars[0].at(-0.138648, 0, -0.144375), bars[2].at(-0.066221, -0.01092, 0.016965)))
    return m


def test_forces_of_an_attempt_that_failed_excuse_no_gain():
    """The level of forces that counts is that of the steps that were taken, not of those that had to be cut."""
    first = cd.Simulation(loop_in_steps_too_large(), dt=0.1, integrator=cd.GeneralizedAlpha()).step()
    assert first.cuts > 0 and first.level < 1e4
    with pytest.warns(cd.EnergyWarning, match="energy appears from nowhere"):
        result = cd.simulate(loop_in_steps_too_large(), end=0.7, dt=0.1, integrator=cd.GeneralizedAlpha())
    balance = result.energy["total"]
    assert np.max(balance - np.minimum.accumulate(balance)) > 10.0


# --- what is counted --------------------------------------------------------------------------------------------------


def test_velocities_that_are_set_between_steps_are_no_gain():
    sim = cd.Simulation(three_boxes(), dt=0.01)
    for _ in range(5):
        sim.step()
        sim.state.v *= 2.0
    sim.run(until=0.2)


@pytest.mark.parametrize("method", [cd.EnergyMomentum, cd.GeneralizedAlpha])
@pytest.mark.parametrize("enforcement", ["multiplier", "penalty"])
def test_a_drive_whose_target_is_set_by_hand_does_the_work_that_is_there(method, enforcement):
    m = cd.Model("driven", dimension=2, gravity=(0, -9.81))
    bar = m.add(cd.RigidBody.box("bar", (0.5, 0.1), 1000, position=(0.25, 0)))
    m.add(cd.Pin("pin", m.ground, bar, at=(0, 0)))
    m.add(cd.Drive("drive", "pin.angle", cd.Ramp(0.0, 1.0), enforcement=enforcement))
    sim = cd.Simulation(m, dt=0.01, integrator=method())
    with warnings.catch_warnings():
        warnings.simplefilter("error", cd.EnergyWarning)
        for k in range(60):
            sim.inputs["drive"] = 0.2 * (1.0 - math.cos(0.1 * k))
            sim.step()


def test_gravity_that_changes_does_work_that_is_counted():
    m = three_boxes()
    m.add(cd.Gravity("field", scale=cd.Harmonic(frequency=2.0, offset=1.0)))
    for solver in PATHS:
        result = cd.simulate(m, end=0.5, dt=0.01, solver=solver)
        assert off_balance(result) < 1e-12
        assert np.ptp(result.energy["work"]) > 0.01


def test_the_summary_says_what_the_balance_is_worth():
    exact = cd.simulate(three_boxes(), end=0.1, dt=0.01).summary()
    assert "exact by method and model" in exact
    assert "watched for gains" in cd.simulate(three_boxes(), end=0.1, dt=0.01, integrator="BDF2").summary()
    m = cd.Model("slow", dimension=2)
    mass = m.add(cd.PointMass("mass", 1.0, (1.0, 0.0)))
    m.add(cd.Spring("spring", m.ground, mass, 100.0, rest_length=0.5))
    m.add(cd.Spring("side", m.ground.at(1.0, 1.0), mass, 100.0))
    m.add(cd.Load("pull", mass, (1.0, 0.0), cd.Ramp(0.0, 1.0)))
    assert "inertia plays no part" in cd.simulate(m, end=0.3, dt=0.1, integrator=cd.QuasiStatic()).summary()


# --- drives and moving supports under methods that only approximate their work ------------------------------------------


def sledge(motion):
    m = cd.Model("sledge", dimension=2)
    body = m.add(cd.RigidBody("body", 2.0, inertia=1.0))
    m.add(cd.Slider("rail", m.ground, body, at=(0, 0), axis=(1, 0)))
    m.add(cd.Drive("drive", "rail.position", motion=motion))
    return m


@pytest.mark.parametrize("method", ["GeneralizedAlpha", "Newmark", "BDF2", "RungeKutta"])
@pytest.mark.parametrize("motion", [
    cd.Table([0.0, 0.5, 1.0], [0.0, 1.0, 0.0]), cd.Ramp(0.2, 0.604), cd.Harmonic(0.5, 3.0), lambda t: 0.2 * t**2,
], ids=["table", "ramp", "harmonic", "parabola"])  # fmt: skip
def test_a_drive_gives_no_alarm_with_kinks_or_without(motion, method):
    with warnings.catch_warnings():
        warnings.simplefilter("error", cd.EnergyWarning)
        result = cd.simulate(sledge(motion), end=1.0, dt=0.01, integrator=method)
    assert "watched for gains" in result.summary()


@pytest.mark.parametrize("motion", [cd.Harmonic(0.1, 1.0), cd.Table([0.0, 1.0, 2.0, 9.0], [0.0, 0.3, 0.0, 0.0])])
def test_energy_from_nowhere_in_a_driven_model_is_a_warning(motion):
    """A spring that gains energy in steps that are too large, beside a drive that has nothing to do with it."""
    m = eccentric_spring(2)
    slide = m.add(cd.RigidBody("slide", 1.0, inertia=0.1, position=(0.0, 5.0)))
    m.add(cd.Slider("rail", m.ground, slide, at=(0.0, 5.0), axis=(1, 0)))
    m.add(cd.Drive("drive", "rail.position", motion=motion))
    with pytest.warns(cd.EnergyWarning, match="energy appears from nowhere"):
        cd.simulate(m, end=5.0, dt=0.1, integrator=cd.Newmark())


def test_a_support_that_shakes_gives_no_alarm_and_one_that_is_set_by_hand_neither():
    m = cd.Model("shaken", dimension=2, gravity=(0.0, -9.81))
    base = m.add(cd.Frame("base", shift=(cd.Harmonic(0.05, 3.0), cd.Ramp(0.3, 0.5))))
    rod = m.add(cd.RigidBody.box("rod", (0.5, 0.05), 1000.0, position=(0.25, 0.0)))
    m.add(cd.Pin("pin", base, rod, at=(0.0, 0.0)))
    with warnings.catch_warnings():
        warnings.simplefilter("error", cd.EnergyWarning)
        cd.simulate(m, end=1.0, dt=0.005, integrator=cd.GeneralizedAlpha(0.9))
        sim = cd.Simulation(sledge(0.0), dt=0.01, integrator=cd.GeneralizedAlpha())
        for k in range(40):
            sim.inputs["drive"] = 0.1 * (k // 10)
            sim.step()
