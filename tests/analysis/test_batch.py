"""Batches: many copies of one model in one process, each with the bits that it has alone."""

from __future__ import annotations

import threading
from functools import partial
from itertools import pairwise

import numpy as np
import pytest

import condyle as cd
from condyle.system import layouts

RUN = {"end": 0.05, "dt": 1e-3}


def pendulum(damping=5.0, length=1.0):
    model = cd.Model("pendulum", dimension=2, gravity=(0, -9.81))
    bar = model.add(cd.RigidBody.box("bar", size=(length, 0.05), density=7800, position=(length / 2, 0)))
    model.add(cd.Pin("hinge", model.ground, bar, at=(0, 0)))
    model.add(cd.CoordinateDamper("grease", "hinge.angle", damping=damping))
    return model


def same(one, other):
    return all(
        np.array_equal(read(one), read(other))
        for read in (lambda r: r.position("bar"), lambda r: r.velocity("bar"), lambda r: r.energy["total"], lambda r: r.times)
    )  # fmt: skip


@pytest.mark.parametrize("integrator", ["EnergyMomentum", "GeneralizedAlpha(spectral_radius=0.8)"])
def test_each_copy_has_the_bits_that_it_has_alone(integrator):
    dampings = [0.0, 3.0, 40.0, 7.0]
    found = cd.batch(pendulum(), {"grease.damping": dampings}, integrator=integrator, threads=2, **RUN)
    assert len(found) == 4 and not found.failed and found.steps == 200
    for k, damping in enumerate(dampings):
        layouts._kept.clear()  # alone, nothing of another system is at hand
        alone = cd.simulate(pendulum(damping), integrator=integrator, **RUN)
        assert same(found[k], alone) and not found[k].in_python
    assert found.coordinate("hinge.angle").shape == (4, 51)
    assert found.coordinate_rate("hinge.angle")[1, -1] == found[1].coordinate_rate("hinge.angle")[-1]
    assert found.position("bar").shape == found.velocity("bar").shape == (4, 51, 2)
    assert np.diff(found.coordinate("hinge.angle")[[0, 1, 3, 2], -1]).min() > 0.0  # it falls less far with more damping
    assert repr(found).startswith("<batch of 4 copies, 200 steps,")


def test_systems_that_differ_in_numbers_only_share_their_layout():
    """In a batch and in a sweep: what is laid out for the first case serves the others."""
    layouts._kept.clear()
    cd.simulate(pendulum(), **RUN)
    kept = list(layouts._kept.values())
    found = cd.sweep(lambda damping: {"end": damped(damping)}, {"damping": [1.0, 2.0]}, workers=0)
    assert not found.failed and found.column("end")[0] < found.column("end")[1]
    cd.batch(pendulum(), {"grease.damping": [0.0, 3.0, 40.0]}, **RUN)
    assert {id(layout) for layout in layouts._kept.values()} == {id(layout) for layout in kept}
    two = pendulum()
    two.add(cd.PointMass("ball", 1.0, (2.0, 0.0)))
    cd.compile(two)
    assert len(layouts._kept) > len(kept)


def damped(damping):
    return cd.simulate(pendulum(damping), **RUN).coordinate("hinge.angle")[-1]


def test_a_function_may_make_each_copy():
    lengths = [0.5, 1.0]
    found = cd.batch(pendulum, {"length": lengths, "damping": [0.0, 1.0]}, every=10, **RUN)
    assert found.times.tolist() == pytest.approx([0.0, 0.01, 0.02, 0.03, 0.04, 0.05])
    assert same(found[1], cd.simulate(pendulum(1.0, 1.0), every=10, **RUN))


def test_copies_that_differ_in_their_start_share_one_system():
    model = pendulum()
    states = []
    for speed in (0.0, 1.0, -2.0):
        sim = cd.Simulation(model, dt=RUN["dt"])
        sim.set_velocity("hinge.angle", speed)
        states.append(sim.state)
    found = cd.batch(model, states=states, **RUN)
    assert all(result.system is found[0].system for result in found)
    assert found.coordinate_rate("hinge.angle")[:, 0] == pytest.approx([0.0, 1.0, -2.0], abs=1e-12)
    assert same(found[2], cd.simulate(cd.compile(model), state=states[2], **RUN))
    assert same(cd.batch(cd.compile(model), states=states, **RUN)[2], found[2])


def swing():
    model = cd.Model("swing", gravity=(0, 0, -9.81))
    bar = model.add(cd.RigidBody.box("bar", (1.0, 0.1, 0.1), 1000.0, position=(0.5, 0, 0)))
    model.add(cd.Spherical("pivot", model.ground, bar, at=(0, 0, 0)))
    return model


def sledge(law="penalty"):
    model = cd.Model("sledge", gravity=(0, 0, -9.81))
    bar = model.add(cd.RigidBody("bar", 1.0, inertia=(0.1, 0.1, 0.1), velocity=(0.5, 0, 0)))
    more = {"stiffness": 1e5} if law == "penalty" else {}
    model.add(cd.Contact("floor", bar, [(0, 0, 0)], model.ground, cd.Plane((0, 0, 1)), law=law, friction=0.3, **more))
    return model


def four_bar():
    """A loop of hinges that say more than is needed in space."""
    model = cd.Model("four-bar", gravity=(0, 0, -9.81))
    places = [(0, 0), (0, 1), (1, 1), (1, 0)]
    bodies = [model.ground]
    for name, (a, b) in zip(("bar", "coupler", "rocker"), pairwise(places), strict=True):
        middle = ((a[0] + b[0]) / 2, 0, (a[1] + b[1]) / 2)
        bodies.append(model.add(cd.RigidBody(name, 1.0, inertia=(0.1, 0.2, 0.1), position=middle)))
    for k, (x, z) in enumerate(places):
        model.add(cd.Revolute(f"j{k}", bodies[k], bodies[(k + 1) % 4], at=(x, 0, z), axis=(0, 1, 0)))
    return model


@pytest.mark.parametrize(
    ("make", "method"),
    [
        (pendulum, "EnergyMomentum"),
        (pendulum, "EnergyMomentum(coordinates='rows', newton='modified')"),
        (pendulum, "GeneralizedAlpha"),
        (pendulum, "Compliant"),
        (pendulum, "RungeKutta"),
        (pendulum, "RungeKutta(coordinates='rows')"),
        (swing, "ComposedEnergyMomentum(order=4)"),
        (pendulum, "Radau"),
        (sledge, "EnergyMomentum"),
        (partial(sledge, cd.Hard()), "Nonsmooth"),
        (four_bar, "EnergyMomentum"),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_nothing_of_a_copy_is_left_for_the_next_one(make, method):
    """In one thread all copies are stepped on the same tables. The second starts where the first one ended, where a run that
    went on would extrapolate; the third has other velocities, and the last starts as the first."""
    system = cd.compile(make())
    first = cd.Simulation(system, dt=RUN["dt"], integrator=method).state
    end = cd.simulate(system, integrator=method, state=first, **RUN).state(-1)
    end.t = 0.0
    other = end.copy()
    other.v *= 0.5
    states = [first, end, other, first]
    found = cd.batch(system, states=states, integrator=method, threads=1, **RUN)
    for result, state in zip(found, states, strict=True):
        assert same(result, cd.simulate(system, integrator=method, state=state, **RUN))


def test_fields_within_fields_and_gravity_are_varied():
    model = cd.Model("rope", dimension=2)
    section = cd.RoundSection(0.01, cd.StVenantKirchhoff(young=1e7, poisson=0.3, density=1000.0))
    model.add(cd.Cable("rope", [(0, 0), (1, 0)], elements=2, section=section))
    model.add(cd.Pin("nail", model.ground, "rope.start"))
    vary = {"rope.section.material.young": [1e6, 2e6], "gravity": [(0.0, -1.0), (0.0, -2.0)]}
    found = cd.batch(model, vary, end=0.02, dt=1e-3)
    assert [result.model["rope"].section.material.young for result in found] == [1e6, 2e6]
    assert found[1].model.gravity == (0.0, -2.0) and model.gravity == (0.0, 0.0)
    assert found[1].position("rope.end")[-1, 1] == pytest.approx(2.0 * found[0].position("rope.end")[-1, 1], rel=1e-2)


def test_a_copy_that_fails_keeps_what_it_has_and_the_others_go_on():
    model = pendulum()
    model.add(cd.PointMass("weight", 1.0, (2.0, 0.0)))
    model.add(cd.Load("pull", "weight", (1.0, 0.0)))
    scales = [lambda t: 1.0, lambda t: 1.0 if t < 0.02 else float("nan")]
    found = cd.batch(model, {"pull.scale": scales}, **RUN)
    assert list(found.failed) == [1] and found[0].status == "completed" and found[1].status == "failed"
    assert np.isfinite(found[1].position("bar")).all()
    with pytest.raises(cd.InputError, match="1 of 2 copies failed, the first is 1: "):
        found.position("bar")


def test_a_batch_that_is_stopped_begins_no_other_copy():
    begun = []

    def made(damping):
        begun.append(damping)
        return pendulum(damping)

    def stop(done, copies):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cd.batch(made, {"damping": np.linspace(1.0, 2.0, 50)}, threads=2, progress=stop, **RUN)
    assert len(begun) < 25


def test_steps_let_other_threads_go_on():
    """Without it, copies would run on one core: another thread counts while steps are taken."""
    counted, stop = [0], threading.Event()

    def count():
        while not stop.is_set():
            counted[0] += 1

    sim = cd.Simulation(pendulum(), dt=1e-4)
    from condyle.integrators.compiled import compiled_steps

    steps = compiled_steps(sim.method, sim.system, in_rows=True)
    times = [1e-4 * k for k in range(1, 20_001)]
    other = threading.Thread(target=count)
    other.start()
    before = counted[0]
    steps.run(sim.state, times, 1, 10**9, 0.0)
    during = counted[0] - before
    stop.set()
    other.join()
    assert during > 1000


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cd.batch(pendulum(), {}, **RUN), "nothing differs between the copies"),
        (lambda: cd.batch(pendulum(), {"grese.damping": [1.0]}, **RUN), "unknown part 'grese'; did you mean 'grease'"),
        (lambda: cd.batch(pendulum(), {"grease.dampin": [1.0]}, **RUN), "unknown field 'dampin'; did you mean 'damping'"),
        (lambda: cd.batch(pendulum(), {"grease": [1.0]}, **RUN), "'grease' has no field"),
        (lambda: cd.batch(pendulum(), {"grease.damping": []}, **RUN), "there is no copy to run"),
        (
            lambda: cd.batch(pendulum(), {"grease.damping": [1.0], "bar.position": [(0, 0), (1, 0)]}, **RUN),
            "one value per copy is needed of each, but there are: 'grease.damping' 1, 'bar.position' 2",
        ),
        (lambda: cd.batch(pendulum(), {"grease.damping": [1.0, -1.0]}, **RUN), "batch, copy 1: .*'grease': damping"),
        (lambda: cd.batch(pendulum(), {"grease.damping": [1.0]}, threads=0, **RUN), "threads must be a whole number"),
        (lambda: cd.batch(cd.compile(pendulum()), {"grease.damping": [1.0]}, **RUN), "numbers of a System are settled"),
        (lambda: cd.batch(3, {"a": [1.0]}, **RUN), "a Model, a System or a function"),
        (lambda: cd.batch(lambda a: a, {"a": [1.0]}, **RUN), "the function must return a Model, not 1.0"),
    ],
)  # fmt: skip
def test_bad_input_is_named(call, message):
    with pytest.raises(cd.InputError, match=message):
        call()
