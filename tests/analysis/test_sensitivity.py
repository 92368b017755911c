"""Sensitivities by differentiating the steps: they agree with differences of whole runs, and with closed forms."""

from __future__ import annotations

import math

import numpy as np
import pytest

import condyle as cd


def oscillator(stiffness, damping, mass=2.0, start=0.1):
    model = cd.Model("oscillator", dimension=2)
    weight = model.add(cd.PointMass("weight", mass, (1.0 + start, 0.0)))
    model.add(cd.Spring("spring", model.ground, weight, stiffness=stiffness, rest_length=1.0))
    model.add(cd.Damper("oil", model.ground, weight, damping=damping))
    return model


def place(result):
    return {"place": (result.times, result.position("weight")[:, 0] - 1.0)}


def double_pendulum(length, density, grease, pull):
    """Two bars in space with joints, a damper, a torsional spring, a motor along a function of time."""
    model = cd.Model("double", gravity=(0, 0, -9.81))
    size = (length, 0.1, 0.06)
    upper = model.add(cd.RigidBody.box("upper", size, density=density, position=(length / 2, 0, 0)))
    lower = model.add(cd.RigidBody.box("lower", size, density=500.0, position=(1.5 * length, 0, 0)))
    model.add(cd.Revolute("shoulder", model.ground, upper, at=(0, 0, 0), axis=(0, 1, 0)))
    model.add(cd.Spherical("elbow", upper, lower, at=(length, 0, 0)))
    model.add(cd.CoordinateDamper("grease", "shoulder.angle", damping=grease))
    model.add(cd.CoordinateSpring("bend", "shoulder.angle", stiffness=20.0))
    model.add(cd.Load("pull", lower.at((length / 2, 0, 0)), (0.0, pull, 0.0)))
    return model


def swing(result):
    return {
        "angle": (result.times, result.coordinate("shoulder.angle")),
        "hand": (result.times, result.position("lower")[:, 1]),
        "energy": (result.times, result.energy["kinetic"]),
        "force": (result.times, np.linalg.norm(result.joint_force("elbow"), axis=1)),
    }


VALUES = {"length": 0.5, "density": 800.0, "grease": 0.4, "pull": 3.0}


@pytest.mark.parametrize("integrator", ["EnergyMomentum", "GeneralizedAlpha(spectral_radius=0.8)", "Newmark", "HHT"])
def test_they_agree_with_differences_of_whole_runs(integrator):
    run = cd.SensitiveRun(double_pendulum, swing, end=0.2, dt=0.01, integrator=integrator)
    found, plain = run.derivatives(**VALUES), run(**VALUES)
    for name, value in VALUES.items():
        step = 2e-3 * value
        ends = [run(**VALUES | {name: value + k * step}) for k in (-2, -1, 1, 2)]
        for curve, (times, values, slopes) in found.items():
            assert times == pytest.approx(plain[curve][0]) and values == pytest.approx(
                plain[curve][1], rel=1e-7, abs=1e-9
            )
            a, b, c, d = (np.asarray(end[curve][1]) for end in ends)
            differences = (8.0 * (c - b) - (d - a)) / (12.0 * step)
            assert np.abs(slopes[name] - differences).max() < 1e-6 * np.abs(differences).max() + 1e-9, (name, curve)


def test_they_are_those_of_the_closed_form():
    k, c, m, start = 40.0, 0.6, 2.0, 0.1
    run = cd.SensitiveRun(oscillator, place, end=1.0, dt=1e-3)
    times, values, slopes = run.derivatives(stiffness=k, damping=c, start=start, by=("stiffness", "damping", "start"))[
        "place"
    ]

    def exact(k, c, x0):
        w, a = np.sqrt(k / m - (0.5 * c / m) ** 2 + 0j), 0.5 * c / m
        return x0 * np.exp(-a * times) * (np.cos(w * times) + a / w * np.sin(w * times))

    assert values == pytest.approx(exact(k, c, start).real, abs=2e-6)
    tiny = 1e-30j  # complex steps
    for name, by in (("stiffness", exact(k + tiny, c, start)), ("damping", exact(k, c + tiny, start))):
        slope = by.imag / 1e-30
        assert np.abs(slopes[name] - slope).max() < 1e-4 * np.abs(slope).max()
    assert slopes["start"] == pytest.approx(values / start, rel=1e-9, abs=1e-12)


BOB = {"stiffness": 40.0, "damping": 0.6, "mass": 2.0, "gravity": 9.81, "rest": 1.0, "start": 1.1}


def bob(stiffness, damping, mass, gravity, rest, start):
    """A mass that swings on a soft spring with a damper."""
    model = cd.Model("bob", dimension=2, gravity=(0, -gravity))
    weight = model.add(cd.PointMass("bob", mass, (start, 0.0)))
    model.add(cd.Spring("spring", model.ground, weight, stiffness=stiffness, rest_length=rest))
    model.add(cd.Damper("oil", model.ground, weight, damping=damping))
    return model


def newmark_bob(h, steps, *, stiffness, damping, mass, gravity, rest, start):
    """The same steps of Newmark's method written down for one mass, in complex numbers; places (steps + 1, 2)."""

    def acceleration(x, v):
        length = np.sqrt(x @ x)
        n = x / length
        return -(stiffness * (length - rest) + damping * (n @ v)) / mass * n - np.array([0.0, gravity])

    x, v = np.array([start, 0.0], dtype=complex), np.zeros(2, dtype=complex)
    a, places = acceleration(x, v), [x]
    for _ in range(steps):
        new = a
        for _ in range(60):  # it contracts: h² k / 4 m is small
            new = acceleration(x + h * v + 0.25 * h * h * (a + new), v + 0.5 * h * (a + new))
        x, v, a = x + h * v + 0.25 * h * h * (a + new), v + 0.5 * h * (a + new), new
        places.append(x)
    return np.array(places)


def test_they_are_those_of_the_steps_themselves_to_ten_digits():
    """Against the steps differentiated by complex steps, which have no error of differences."""
    run = cd.SensitiveRun(
        bob, lambda r: {"place": (r.times, r.position("bob"))}, end=0.6, dt=0.01, integrator="Newmark"
    )
    _, places, slopes = run.derivatives(**BOB)["place"]
    assert places == pytest.approx(newmark_bob(0.01, 60, **BOB).real, abs=1e-12)
    for name, value in BOB.items():
        exact = newmark_bob(0.01, 60, **{**BOB, name: value + 1e-30j}).imag / 1e-30
        assert np.abs(slopes[name] - exact).max() < 1e-10 * np.abs(exact).max(), name
    assert run.linear == tuple(BOB)


def test_parameters_that_do_not_enter_linearly_are_told_from_those_that_do():
    run = cd.SensitiveRun(double_pendulum, swing, end=0.03, dt=0.01)
    run.derivatives(**VALUES)
    assert run.linear == ("density", "grease", "pull")


def test_deformable_bodies_and_prescribed_motions():
    def build(young, amplitude):
        model = cd.Model("shaken", dimension=2)
        rubber = cd.StVenantKirchhoff(young=young, poisson=0.3, density=1000.0)
        block = model.add(cd.Solid.block("block", (0.3, 0.1), (3, 1), rubber))
        table = model.add(cd.Frame("table", (0, 0), shift=(0, lambda t: amplitude * np.sin(30.0 * t))))
        model.add(cd.Tie("glue", block, "left", table))
        return model

    def read(result):
        return {"tip": (result.times, result.position("block.7")[:, 1])}

    run = cd.SensitiveRun(build, read, end=0.03, dt=2e-3)
    slopes = run.derivatives(young=1e5, amplitude=0.01)["tip"][2]
    for name, value in {"young": 1e5, "amplitude": 0.01}.items():
        step = 1e-4 * value
        ends = [run(**{"young": 1e5, "amplitude": 0.01, name: value + k * step})["tip"][1] for k in (-1, 1)]
        differences = (ends[1] - ends[0]) / (2.0 * step)
        assert np.abs(slopes[name] - differences).max() < 1e-6 * np.abs(differences).max()


def test_an_identification_takes_them():
    truth = {"stiffness": 40.0, "damping": 0.6}
    run = cd.SensitiveRun(oscillator, place, end=1.0, dt=0.01)
    times, values = run(**truth)["place"]
    noisy = values + 1e-3 * np.random.default_rng(2).standard_normal(len(times))
    unknowns = {"stiffness": cd.Unknown(10.0, 100.0, 30.0), "damping": cd.Unknown(0.05, 5.0, log=True)}
    data = cd.Measured("place", times[10:90] - 0.01, noisy[10:90], shift=(-0.05, 0.05))
    ways = {way: cd.identify(run, unknowns, data, gradients=way) for way in ("exact", "differences")}
    exact, differences = ways["exact"], ways["differences"]
    for name in exact.values:
        low, high = differences.intervals[name]
        assert exact.values[name] == pytest.approx(differences.values[name], abs=1e-3 * (high - low))
        assert exact.intervals[name] == pytest.approx((low, high), abs=1e-2 * (high - low))
    assert exact.runs < differences.runs


def test_what_cannot_be_differentiated_is_named():
    def ball(height):
        model = cd.Model("ball", dimension=2, gravity=(0, -9.81))
        mass = model.add(cd.PointMass("weight", 1.0, (0.0, height)))
        model.add(cd.Contact("floor", mass, "nodes", model.ground, cd.Plane((0.0, 1.0)), law=cd.Hertz(1e5), radius=0.1))
        return model

    with pytest.raises(cd.InputError, match="contact opens and closes"):
        cd.SensitiveRun(ball, place, end=0.1, dt=0.01).derivatives(height=1.0)
    explicit = cd.SensitiveRun(oscillator, place, end=0.1, dt=0.01, integrator="ExplicitEuler")
    with pytest.raises(cd.InputError, match="steps of ExplicitEuler are no balance"):
        explicit.derivatives(stiffness=40.0, damping=0.6)
    run = cd.SensitiveRun(oscillator, place, end=0.1, dt=0.01)
    with pytest.raises(cd.InputError, match="unknown parameter 'stifness'; did you mean 'stiffness'"):
        run.derivatives(stiffness=40.0, damping=0.6, by=["stifness"])
    data = cd.Measured("place", [0.0, 0.05], [0.1, 0.1])
    unknowns = {"stiffness": cd.Unknown(10.0, 100.0), "damping": cd.Unknown(0.1, 1.0)}
    with pytest.raises(cd.InputError, match="exact gradients need a SensitiveRun"):
        cd.identify(lambda **given: run(**given), unknowns, data, gradients="exact")
    with pytest.raises(cd.InputError, match="unknown way to gradients 'exat'; did you mean 'exact'"):
        cd.identify(run, unknowns, data, gradients="exat")


def pushed(angle, force=10.0):
    model = cd.Model("pushed", dimension=2)
    weight = model.add(cd.PointMass("weight", 2.0, (0.0, 0.0)))
    model.add(cd.Load("push", weight, (force * np.cos(angle), 0.0)))
    return model


def test_an_odd_function_of_a_parameter_is_not_taken_for_a_linear_one():
    run = cd.SensitiveRun(pushed, lambda r: {"x": (r.times, r.position("weight")[:, 0])}, end=0.1, dt=0.01)
    found = run.derivatives(angle=np.pi / 2)
    assert "angle" not in run.linear
    assert found["x"][2]["angle"][-1] == pytest.approx(-0.5 * 5.0 * 0.1**2, rel=1e-6)
    run.derivatives(angle=1.0, force=10.0)
    assert "force" in run.linear


def test_slopes_that_grow_with_time_keep_their_digits():
    def rotor(rate):
        model = cd.Model("rotor", dimension=2)
        model.add(cd.RigidBody("wheel", 1.0, inertia=0.1, angular_velocity=rate))
        return model

    def read(result):
        return {"angle": (result.times, result.rotation_matrix("wheel")[:, 0, 0])}

    run = cd.SensitiveRun(rotor, read, end=5.0, dt=0.1)
    slope, step = run.derivatives(rate=5.0)["angle"][2]["rate"], 1e-3
    a, b, c, d = (np.asarray(run(rate=5.0 + k * step)["angle"][1]) for k in (-2, -1, 1, 2))
    assert slope == pytest.approx((8.0 * (c - b) - (d - a)) / (12.0 * step), abs=1e-6)


def test_distant_values_that_a_model_does_not_take_are_done_without():
    def leaning(lean):
        return pushed(np.arccos(lean) if lean <= 1.0 else math.acos(lean))

    run = cd.SensitiveRun(leaning, lambda r: {"x": (r.times, r.position("weight")[:, 0])}, end=0.1, dt=0.01)
    assert run.derivatives(lean=0.8)["x"][2]["lean"][-1] == pytest.approx(0.5 * 5.0 * 0.1**2, rel=1e-6)
