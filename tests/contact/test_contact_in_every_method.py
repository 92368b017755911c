"""Contact in methods of first order and explicit ones: every law where it can be carried, and a word where it cannot."""

import numpy as np
import pytest

import condyle as cd

SOFT = {
    "RungeKutta": cd.RungeKutta(),
    "Gauss": cd.Gauss(order=4),
    "ExplicitEuler": cd.methods.ExplicitEuler(),
    "Newmark, β = 0": cd.Newmark(beta=0.0, gamma=0.5, unknown="acceleration"),
    "IteratedNewmark": cd.methods.IteratedNewmark(),
    "SciPy's DOP853": cd.methods.ScipyReference("DOP853"),
    "SciPy's Radau": cd.methods.ScipyReference("Radau", rtol=1e-7),
    "TRBDF2": cd.methods.ScipyReference("TRBDF2", rtol=1e-6),
    "Compliant, explicit": cd.Compliant(contact="explicit"),
}
EVERY = {
    "Compliant": cd.Compliant(),
    "LinearisedImplicit": cd.methods.LinearisedImplicit(),
    "SemiImplicit": cd.methods.SemiImplicit(),
    "BDF(1)": cd.BDF(1),
}
OTHERS = {
    "EnergyMomentum": cd.EnergyMomentum(),
    "GeneralizedAlpha": cd.GeneralizedAlpha(),
    "Newmark": cd.Newmark(),
    "HHT": cd.HHT(),
    "BDF(2)": cd.BDF(2),
    "Stabilised": cd.Stabilised(),
}
FLOOR = cd.Plane((0.0, 1.0))


def particle(law, velocity=(0.0, -1.0), height=0.0, friction=0.0, gravity=0.0):
    model = cd.Model("particle", dimension=2, gravity=(0.0, gravity))
    ball = model.add(cd.PointMass("ball", 2.0, (0.0, height), velocity))
    model.add(cd.Contact("floor", ball, "nodes", model.ground, FLOOR, law=law, friction=friction))
    return model


@pytest.mark.parametrize("name", [*SOFT, *EVERY])
def test_a_soft_floor_throws_a_particle_back(name):
    """m = 2, k = 2e4: half a period, π/100 s, at most v/100 deep. Methods of first order come near it."""
    method = (SOFT | EVERY)[name]
    first_order = name in EVERY or name in ("ExplicitEuler", "Compliant, explicit")
    tolerance = 0.05 if first_order else 3e-3
    dt = 2e-4 if first_order else 1e-3
    run = cd.simulate(particle(cd.SpringDashpot(2e4, damping=0.0)), end=0.034, dt=dt, integrator=method)
    assert run.position("ball")[:, 1].min() == pytest.approx(-0.01, rel=tolerance)
    assert run.velocity("ball")[-1, 1] == pytest.approx(1.0, rel=tolerance)
    assert run.contact("floor").normal_force.max() == pytest.approx(200.0, rel=tolerance)
    impulse = np.trapezoid(run.contact("floor").normal_force[:, 0], run.times)
    assert impulse == pytest.approx(4.0, rel=2 * tolerance)


@pytest.mark.filterwarnings("ignore::condyle.contact.stiffness.ContactWarning", "ignore::condyle.EnergyWarning")
def test_explicit_penalties_have_the_impulse_of_the_source():
    """hewlett-2020, 5.4.4: h f = −h k φ n − h β (v·n) n, at the place and velocity of the step's start, never pulling."""
    k, damping, h, mass = 1e6, 50.0, 1e-3, 2.0
    model = particle(cd.SpringDashpot(k, damping=damping), (0.3, -2.0), height=1e-3, gravity=-9.81)
    run = cd.simulate(model, end=7 * h, dt=h, integrator=SOFT["Compliant, explicit"])
    y, v, pressed = 1e-3, -2.0, 0
    for place, velocity in zip(run.position("ball")[1:], run.velocity("ball")[1:], strict=True):
        push = max(0.0, -k * y - damping * v) if y < 0.0 else 0.0
        pressed += push > 0.0
        v += h * (push / mass - 9.81)
        y += h * v
        assert (place[1], velocity[1], velocity[0]) == pytest.approx((y, v, 0.3), rel=1e-9, abs=1e-12)
    assert pressed >= 3


@pytest.mark.parametrize("name", ["RungeKutta", "Newmark, β = 0", "Compliant, explicit"])
def test_friction_of_a_soft_floor_in_explicit_methods(name):
    """It slides in at 3 m/s, is thrown back at 2 m/s: friction has taken μ times the normal impulse, 0.3 · 4 m/s."""
    model = particle(cd.SpringDashpot(2e4, damping=0.0), (3.0, -2.0), friction=0.3)
    run = cd.simulate(model, end=0.034, dt=2e-4, integrator=SOFT[name])
    assert run.velocity("ball")[-1] == pytest.approx((3.0 - 0.3 * 4.0, 2.0), rel=0.02)


@pytest.mark.parametrize("name", SOFT)
def test_explicit_methods_refuse_what_only_multipliers_hold_and_name_what_serves(name):
    with pytest.raises(cd.InputError, match=r"cannot hold the gap of contact 'floor', whose law is Impact.*Compliant"):
        cd.simulate(particle(cd.Impact(0.5)), end=0.01, dt=1e-3, integrator=SOFT[name])


@pytest.mark.parametrize("name", ["RungeKutta", "Newmark, β = 0", "Compliant, explicit"])
def test_a_contact_too_stiff_for_an_explicit_step_is_a_warning(name):
    model = particle(cd.SpringDashpot(1e6, damping=0.0), (0.0, 0.0), 0.2, gravity=-9.81)
    with pytest.warns(cd.EnergyWarning, match=r"energy appears from nowhere|has created .* take a smaller dt"):
        cd.simulate(model, end=0.3, dt=0.01, integrator=SOFT[name])


def test_other_forms_that_know_no_contact_say_so():
    reference = cd.methods.ScipyReference(stabilisation="baumgarte")
    with pytest.raises(cd.InputError, match=r"use stabilisation='projection'"):
        cd.simulate(particle(cd.SpringDashpot(2e4), friction=0.1), end=0.01, dt=1e-3, integrator=reference)
    with pytest.raises(cd.InputError, match=r"form='velocity' or 'auto'"):
        cd.simulate(particle(cd.Hard()), end=0.01, dt=1e-3, integrator=cd.Compliant(form="force"))


@pytest.mark.parametrize(
    ("name", "law"), [*((name, cd.Hard()) for name in EVERY), ("Compliant", cd.SpringDashpot(1e9, ratio=0.0))]
)
def test_a_box_falls_tumbles_and_comes_to_rest_without_gaining_energy(name, law):
    model = cd.Model("box", dimension=2, gravity=(0.0, -9.81))
    box = model.add(cd.RigidBody.box("box", (0.4, 0.2), 100.0, position=(0, 0.4), rotation=0.5, velocity=(1.0, 0.0)))
    corners = [(x, y) for x in (-0.2, 0.2) for y in (-0.1, 0.1)]
    model.add(cd.Contact("floor", box, corners, model.ground, FLOOR, law=law, friction=0.4))
    run = cd.simulate(model, end=1.0, dt=0.01, integrator=EVERY[name])
    energy, floor = run.energy["total"], run.contact("floor")
    assert np.diff(energy).max() < 1e-6 * energy[0]
    assert floor.gap.min() > -1e-5
    assert run.position("box")[-1, 1] == pytest.approx(0.1, abs=1e-5)
    assert np.abs(run.velocity("box")[-10:]).max() < 1e-6
    assert floor.normal_force[-1].sum() == pytest.approx(8.0 * 9.81, rel=1e-6)


@pytest.mark.parametrize("name", ["Compliant", "SemiImplicit"])
def test_momentum_is_kept_when_free_bodies_meet(name):
    """A ball strikes a free block off its middle, with friction."""
    model = cd.Model("free", dimension=2)
    block = model.add(cd.RigidBody.box("block", (0.4, 0.2), 100.0, position=(0, 0)))
    ball = model.add(cd.PointMass("ball", 1.0, (0.1, 0.15), (0.3, -2.0)))
    model.add(cd.Contact("hit", ball, "nodes", block, cd.Box((0.4, 0.2)), law=cd.Impact(0.4), friction=0.3))
    run = cd.simulate(model, end=0.1, dt=0.005, integrator=EVERY[name])
    assert run.contact("hit").impulse.any()
    assert np.abs(run.linear_momentum - run.linear_momentum[0]).max() < 1e-12
    spin = run.angular_momentum
    assert np.abs(spin - spin[0]).max() < 0.02 * np.abs(spin).max()  # of first order


@pytest.mark.parametrize(
    ("method", "why"),
    [
        (cd.methods.ExplicitEuler(), "ExplicitEuler is not compiled"),
        (cd.Compliant(contact="explicit"), "contact='explicit' was asked for"),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_a_run_counts_the_steps_with_contact_that_are_not_compiled(method, why):
    run = cd.simulate(particle(cd.SpringDashpot(2e4), height=1.0), end=0.005, dt=1e-3, integrator=method)
    assert run.in_python == {why: 5}
    assert why in run.summary()


@pytest.mark.parametrize("angle", [0.0, 10.0, 30.0])
def test_a_cable_comes_to_rest_on_an_incline(angle):
    """Hewlett 2020, section 6.6.1: one element of 10 m, E = 5 GPa, μ = 1, 10 ms. It sticks, and does not creep downhill."""
    tilt = np.radians(angle)
    gravity = 9.81 * np.array((-np.sin(tilt), -np.cos(tilt)))  # the plane lies along x
    model = cd.Model("incline", dimension=2, gravity=gravity)
    section = cd.RoundSection(0.1, cd.StVenantKirchhoff(young=5e9, density=7750.0))
    cable = model.add(cd.Cable("cable", [(0.0, 0.15), (10.0, 0.15)], 1, section))
    places = [(float(s), 0.0) for s in 5.0 + 5.0 * np.polynomial.legendre.leggauss(7)[0]]
    model.add(cd.Contact("plane", cable, places, model.ground, FLOOR, law=cd.SpringDashpot(1e7), friction=1.0))
    run = cd.simulate(model, end=2.0, dt=0.01, integrator=cd.Compliant())
    weight = 7750.0 * np.pi * 0.1**2 * 10.0 * 9.81
    force = run.contact("plane").force[-1].sum(axis=0)
    assert force == pytest.approx((weight * np.sin(tilt), weight * np.cos(tilt)), rel=1e-6, abs=1e-3)
    assert np.abs(run.velocity(cable.at(5.0))[-20:]).max() < 1e-6


def test_regularised_friction_creeps_as_its_speed_says():
    """Hewlett 2020, section 6.6.1: the cable at rest drifts downhill, so fast that friction balances."""
    tilt, slow = np.radians(10.0), 0.05
    model = cd.Model("creep", dimension=2, gravity=9.81 * np.array((-np.sin(tilt), -np.cos(tilt))))
    section = cd.RoundSection(0.1, cd.StVenantKirchhoff(young=5e9, density=7750.0))
    cable = model.add(cd.Cable("cable", [(0.0, 0.0), (10.0, 0.0)], 1, section))
    rub = cd.Regularised(1.0, slow)
    places = [(float(s), 0.0) for s in np.linspace(0.0, 10.0, 7)]
    model.add(cd.Contact("plane", cable, places, model.ground, FLOOR, law=cd.SpringDashpot(1e7), friction=rub))
    run = cd.simulate(model, end=1.0, dt=0.01, integrator=cd.Compliant())
    creep = -run.velocity(cable.at(5.0))[-1, 0]
    assert creep / np.hypot(creep, slow) == pytest.approx(np.tan(tilt), rel=1e-3)


HARD = EVERY | OTHERS | {"Nonsmooth": cd.Nonsmooth()}
ALL_SOFT = EVERY | OTHERS | SOFT


@pytest.mark.parametrize(("law", "name"), [*(("hard", name) for name in HARD), *(("soft", name) for name in ALL_SOFT)])
def test_a_force_of_python_acts_on_what_slides(law, name):
    """m v̇ = −c v − μ m g: v = (v₀ + μ m g/c) exp(−c t/m) − μ m g/c."""
    law, method = (cd.Hard(), HARD[name]) if law == "hard" else (cd.SpringDashpot(1e5), ALL_SOFT[name])
    model = cd.Model("sledge", gravity=(0, 0, -9.81))
    sledge = model.add(cd.RigidBody("sledge", 1.0, inertia=(0.1, 0.1, 0.1), velocity=(2.0, 0.0, 0.0)))
    model.add(cd.Contact("floor", sledge, [(0, 0, 0)], model.ground, cd.Plane((0, 0, 1)), law=law, friction=0.1))
    model.add(cd.UserForce("drag", sledge, lambda t, x, v: -0.5 * v))
    run = cd.simulate(model, end=0.05, dt=1e-3, integrator=method)
    rest = 0.1 * 9.81 / 0.5
    expected = (2.0 + rest) * np.exp(-0.025) - rest
    # On a soft floor it starts without any force that presses, and the explicit method of Euler makes it bounce.
    tolerance = 0.02 if name == "ExplicitEuler" else 2e-4
    assert run.velocity("sledge")[-1, 0] == pytest.approx(expected, rel=tolerance)
