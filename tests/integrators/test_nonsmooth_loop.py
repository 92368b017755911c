"""Steps at the level of velocities in compiled code are those that Python takes, with every model of friction."""

from __future__ import annotations

import warnings
from types import SimpleNamespace

import numpy as np
import pytest

import condyle as cd
from condyle.contact.memory import FORCE
from condyle.studies import hewlett_bent_cable, hewlett_cylinders, hewlett_friction, hewlett_rolling


def parameters(study):
    p = SimpleNamespace(**{name: given.default for name, given in study.PARAMETERS.items()})
    if hasattr(p, "drop"):
        p.drop = 1e-3
    return p


def slope():
    p = parameters(hewlett_friction)
    return hewlett_friction.cable_model(p, 10.0), p


def cylinders():
    p = parameters(hewlett_cylinders)
    return hewlett_cylinders.cable_model(p, 0.0), p


def rolling():
    p = parameters(hewlett_rolling)
    return hewlett_rolling.beam_model(p), p


def bent():
    p = parameters(hewlett_bent_cable)
    return hewlett_bent_cable.cable_model(p), p


def method(p, name, **more):
    soft = p.compliance if name in ("box", "penalty") else 0.0
    return cd.Nonsmooth(friction=name, contact_compliance=soft, **more)


@pytest.mark.parametrize("build", [slope, cylinders, rolling, bent])
@pytest.mark.parametrize("name", ["cone", "box", "penalty", "polyhedral", "prox"])
def test_a_compiled_step_is_the_one_that_python_takes(build, name):
    model, p = build()
    how = method(p, name)
    sim = cd.Simulation(model, dt=p.dt, integrator=how)
    assert how.why_in_python(sim.system) == ""
    mass, moved = sim.system.mass, sim.system.translation
    weight, touched = 9.81 * float(np.sum(mass.value * moved[mass.first] * moved[mass.second])), 0
    for _ in range(10):
        before = sim.state.copy()
        info = sim.step()
        assert info.in_python == ""
        python, told = how.step_in_python(sim.system, before, p.dt)
        gaps = np.concatenate([pair.gaps(before.x) for pair in sim.system.contact.pairs])
        if name == "penalty" and np.abs(gaps).min() < 1e-12:
            continue  # round-off says whether a point is inside
        far = max(np.abs(python.v).max(), 9.81 * p.dt)
        assert python.v == pytest.approx(sim.state.v, abs=1e-6 * far)
        assert python.x == pytest.approx(sim.state.x, abs=1e-6 * p.dt * far)
        assert set(sim.state.memory) >= set(python.memory)
        solved = not info.unsolved or info.unsolved.startswith("energy")  # which the run watches, not the method
        assert bool(told.unsolved) != solved
        # How redundant points share their impulses may differ, what they do together may not.
        force, other = (state.memory[FORCE].reshape(-1, 3).sum(axis=0) for state in (python, sim.state))
        assert force == pytest.approx(other, abs=1e-5 * max(np.abs(force).max(), 1e-2 * weight))
        touched += bool(np.abs(force).max() > 1e-6 * weight)
    assert touched > 3


def test_many_compiled_steps_in_a_row_are_those_taken_one_by_one():
    model, p = cylinders()
    result = cd.simulate(model, end=0.3, dt=p.dt, integrator=method(p, "cone"))
    sim = cd.Simulation(cylinders()[0], dt=p.dt, integrator=method(p, "cone"))
    for _ in range(30):
        sim.step()
    point = cd.Point("cable", (0.5 * p.length, 0.0, 0.0))
    assert result.position(point)[-1] == pytest.approx(sim.position(point), abs=1e-12)
    assert result.unsolved_steps == 0 and not result.in_python


def test_the_published_weights_of_projections_can_be_chosen():
    model, p = slope()
    mass = p.density * np.pi * p.radius**2
    found = {}
    for weights in (0.0, mass):
        sim = cd.Simulation(model, dt=p.dt, integrator=method(p, "prox", prox_density=weights))
        for _ in range(15):
            sim.step()
        found[weights] = sim.state
    assert np.abs(found[0.0].v - found[mass].v).max() < 1e-4 * p.gravity * p.dt
    weighted = method(p, "prox", prox_density=mass)
    python, _ = weighted.step_in_python(cd.Simulation(model, dt=p.dt, integrator=weighted).system, found[mass], p.dt)
    assert np.isfinite(python.v).all()
    with pytest.raises(cd.InputError, match="prox_density"):
        cd.Nonsmooth(prox_density=-1.0)


def test_steps_that_python_has_to_take_say_why():
    model, _ = slope()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sim = cd.Simulation(model, dt=0.01, integrator=cd.Nonsmooth(theta=0.7))
        assert "theta" in sim.step().in_python


@pytest.mark.parametrize("dt", [0.001, 0.02])
def test_what_sticks_does_not_gather_errors_over_many_steps(dt):
    """Four feet of a block are more than hold it; what is left of each step must not add up until the tolerance is reached."""
    model = cd.Model("slope", dimension=3, gravity=(9.81 * np.sin(0.28), 0.0, -9.81 * np.cos(0.28)))
    block = model.add(cd.RigidBody.box("block", (0.2, 0.1, 0.1), 1000.0, position=(0.0, 0.0, 0.05)))
    feet = [(a, b, -0.05) for a in (-0.1, 0.1) for b in (-0.05, 0.05)]
    model.add(cd.Contact("floor", block, feet, model.ground, cd.Plane((0, 0, 1)), friction=0.3))
    result = cd.simulate(model, end=1000 * dt, dt=dt, integrator=cd.Nonsmooth())
    speed = np.sqrt(2.0 * result.energy["kinetic"] / 2.0)  # of 2 kg, with that of turning
    assert speed.max() < 1e-13 * 9.81 * dt
