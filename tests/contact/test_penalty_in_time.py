"""Penalties under methods that balance the end of a step: they press with their mean over it, and no energy appears."""

import warnings

import numpy as np
import pytest

import condyle as cd

METHODS = {
    "generalized-α": cd.GeneralizedAlpha(0.5),
    "generalized-α, little damping": cd.GeneralizedAlpha(0.8),
    "HHT": cd.HHT(alpha=0.1),
    "Newmark": cd.Newmark(),
}
EACH = pytest.mark.parametrize("method", METHODS)


def thrown_block(target: str) -> cd.Model:
    """A soft block thrown on a stiff floor, or on another block, which the step does not resolve."""
    model = cd.Model("thrown", dimension=2, gravity=(0.0, -9.81))
    rubber = cd.NeoHookean(1e5, 0.3, 1000.0)
    place = dict(origin=(0.0, 0.02), velocity=(1.0, -1.0))
    block = model.add(cd.Solid.block("block", (0.4, 0.2), (4, 2), rubber, **place))
    where = (model.ground, cd.Plane((0.0, 1.0)))
    if target == "block":
        base = model.add(cd.Solid.block("base", (1.0, 0.2), (5, 2), rubber, origin=(-0.3, -0.2)))
        model.add(cd.Tie("glue", base, "bottom", model.ground))
        where = (base, "top")
    model.add(cd.Contact("floor", block, "bottom", *where, law="penalty", stiffness=1e7))
    return model


@pytest.mark.covering
@EACH
@pytest.mark.parametrize("target", ["floor", "block"])
def test_no_energy_appears_when_a_body_that_deforms_rebounds(target, method):
    """With forces at the end of the step up to 0.7 of the kinetic energy came from nowhere."""
    result = cd.simulate(thrown_block(target), end=0.15, dt=0.005, integrator=METHODS[method])
    energy, floor = result.energy["total"], result.contact("floor")
    assert floor.active.any() and not floor.active[-1].all()
    assert energy.max() - energy[0] < 0.01 * result.energy["kinetic"].max()


@pytest.mark.covering
@EACH
@pytest.mark.parametrize("stiffness", [1e4, 1e7])
def test_no_energy_appears_when_a_chain_hits_the_floor(stiffness, method):
    model = cd.Model("chain", dimension=2, gravity=(0.0, -9.81))
    first = model.add(cd.RigidBody("first", 1.0, inertia=0.03, position=(0.3, 0.0)))
    second = model.add(cd.RigidBody("second", 1.0, inertia=0.03, position=(0.9, 0.0)))
    model.add(cd.Pin("hook", model.ground, first, at=(0.0, 0.0)))
    model.add(cd.Pin("joint", first, second, at=(0.6, 0.0)))
    floor = (model.ground, cd.Plane((0.0, 1.0), (0.0, -0.4)))
    model.add(cd.Contact("floor", second, [(0.3, 0.0)], *floor, law="penalty", stiffness=stiffness, friction=0.2))
    result = cd.simulate(model, end=0.8, dt=0.01, integrator=METHODS[method])
    energy = result.energy["total"]
    assert result.contact("floor").active.any()
    assert energy.max() - energy[0] < 1e-3 * result.energy["kinetic"].max()


def resting(stiffness: float, speed: float) -> cd.Model:
    """A body of 1 kg that a floor carries, struck so that it stays in touch."""
    model = cd.Model("resting", dimension=2, gravity=(0.0, -10.0))
    body = model.add(cd.RigidBody("body", 1.0, inertia=0.1, position=(1.0, -10.0 / stiffness), velocity=(0, speed)))
    floor = (model.ground, cd.Plane((0.0, 1.0)))
    feet = [(-1.0, 0.0), (1.0, 0.0)]
    model.add(cd.Contact("floor", body, feet, *floor, law=cd.SpringDashpot(0.5 * stiffness, damping=0.0)))
    return model


@pytest.mark.filterwarnings("ignore::condyle.contact.stiffness.ContactWarning")
@EACH
def test_a_contact_that_the_step_does_not_resolve_dies_out_as_fast_as_the_method_promises(method):
    """k h²/m = 10⁴: in each step only the spectral radius at infinity is left of it."""
    result = cd.simulate(resting(1e8, -1e-5), end=0.3, dt=0.01, integrator=METHODS[method])
    speed = np.abs(result.velocity("body")[:, 1])
    rho = {"generalized-α": 0.5, "generalized-α, little damping": 0.8, "HHT": 0.9 / 1.1, "Newmark": 1.0}[method]
    assert speed[20:].max() < 10.0 * rho**20 * speed[0]
    assert method != "Newmark" or speed[20:].max() > 0.5 * speed[0]  # it is not damped: beats of what is not resolved


@EACH
def test_a_contact_that_stays_closed_is_of_second_order(method):
    """x = v/ω sin ω t about the balance; force and place at the end of the step."""
    omega, speed, end = np.sqrt(1e3), -0.1, 0.32
    errors = []
    for dt in (0.004, 0.002, 0.001):
        result = cd.simulate(resting(1e3, speed), end=end, dt=dt, integrator=METHODS[method])
        exact = -0.01 + speed / omega * np.sin(omega * result.times)
        floor = result.contact("floor")
        errors.append(np.abs(result.position("body")[:, 1] - exact).max())
        assert np.allclose(floor.normal_force.sum(axis=1)[1:], -1e3 * result.position("body")[1:, 1])
    assert 3.5 < errors[0] / errors[1] < 4.5 and 3.5 < errors[1] / errors[2] < 4.5


def test_joints_carry_the_force_of_a_penalty_at_the_end_of_the_step():
    """A bar on a pin that rests on a floor at its other end: each takes half of its weight."""
    model = cd.Model("bar", dimension=2, gravity=(0.0, -10.0))
    bar = model.add(cd.RigidBody("bar", 2.0, inertia=0.1))
    model.add(cd.Pin("pin", model.ground, bar, at=(-0.5, 0.0)))
    floor = (model.ground, cd.Plane((0.0, 1.0)))
    model.add(cd.Contact("floor", bar, [(0.5, 0.0)], *floor, law="penalty", stiffness=1e5))
    result = cd.simulate(model, end=1.0, dt=0.01, integrator=cd.GeneralizedAlpha(0.3))
    assert result.contact("floor").normal_force[-1, 0] == pytest.approx(10.0, rel=1e-3)
    assert result.joint_force("pin")[-1] == pytest.approx((0.0, 10.0), rel=1e-3, abs=1e-2)


@pytest.mark.parametrize("law", [cd.SpringDashpot(1e9, ratio=0.0), cd.Hertz(1e10)], ids=["linear", "Hertz"])
@pytest.mark.parametrize(
    ("method", "most"),
    [
        (cd.BDF(), 3e-3), (cd.Compliant(), 2e-3), (cd.GeneralizedAlpha(), 1e-3), (cd.Newmark(), 1e-3), (cd.HHT(), 1e-3),
        (cd.EnergyMomentum(), 1e-3),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_a_box_on_a_law_far_too_stiff_for_the_step_gains_no_energy(method, most, law):
    """BDF(2) took half of the velocity at which each corner landed as a rebound: of 29 J it made up to 1250 J."""
    for friction, angle, height in ((0.0, 0.3, 0.31), (0.4, 1.1, 0.343)):
        model = cd.Model("box", dimension=2, gravity=(0.0, -9.81))
        start = {"position": (0.0, height), "rotation": angle, "velocity": (0.5, -1.0), "angular_velocity": 1.0}
        box = model.add(cd.RigidBody.box("box", (0.4, 0.2), 100.0, **start))
        corners = [(x, y) for x in (-0.2, 0.2) for y in (-0.1, 0.1)]
        floor = cd.Plane((0.0, 1.0))
        model.add(cd.Contact("floor", box, corners, model.ground, floor, law=law, friction=friction))
        result = cd.simulate(model, end=0.5, dt=0.01, integrator=method)
        energy = result.energy["total"]
        assert (energy - np.minimum.accumulate(energy)).max() < most * np.ptp(result.energy["kinetic"])


@pytest.mark.parametrize("law", [cd.Hertz(1e10), cd.HuntCrossley(1e10, e=0.9)], ids=["Hertz", "damped"])
@pytest.mark.parametrize("method", [cd.GeneralizedAlpha(), cd.Newmark(), cd.HHT()], ids=lambda m: type(m).__name__)
def test_elastic_blows_within_a_step_that_add_energy_are_a_warning(method, law):
    """The arm of the force turns while it acts: 0.1 % of the energy, which a watch for a tenth of it would not see."""
    model = cd.Model("box", dimension=2, gravity=(0.0, -9.81))
    start = {"position": (0.0, 0.34), "rotation": 0.9, "velocity": (0.5, -1.0), "angular_velocity": 6.0}
    box = model.add(cd.RigidBody.box("box", (0.4, 0.2), 100.0, **start))
    corners = [(x, y) for x in (-0.2, 0.2) for y in (-0.1, 0.1)]
    model.add(cd.Contact("floor", box, corners, model.ground, cd.Plane((0.0, 1.0)), law=law))
    with warnings.catch_warnings(record=True) as seen:
        warnings.simplefilter("always")
        cd.simulate(model, end=0.2, dt=0.01, integrator=method)
    told = [str(w.message) for w in seen if issubclass(w.category, cd.EnergyWarning)]
    assert bool(told) == (type(law) is cd.Hertz)
    assert all("contact 'floor' dissipates nothing" in words and "some damping" in words for words in told)


def test_bdf_stays_of_second_order_through_a_soft_bounce():
    """A particle thrown back by a spring that the step resolves: m = 2, k = 2e3, half a period of π/√1000 s."""
    errors = []
    for dt in (4e-4, 1e-4):
        model = cd.Model("bounce", dimension=2)
        ball = model.add(cd.PointMass("ball", 2.0, (0.0, 0.01), (0.0, -1.0)))
        law = cd.SpringDashpot(2e3, damping=0.0)
        model.add(cd.Contact("floor", ball, "nodes", model.ground, cd.Plane((0.0, 1.0)), law=law))
        result = cd.simulate(model, end=0.12, dt=dt, integrator=cd.BDF())
        exact = 0.12 - 0.01 - np.pi / np.sqrt(1e3)
        errors.append(abs(result.position("ball")[-1, 1] - exact))
    assert errors[1] < 2e-4
    assert np.log2(errors[0] / errors[1]) > 3.0
