"""Runs that start from a state: a balance, another run, velocities of one's own."""

import numpy as np
import pytest

import condyle as cd

METHODS = {
    "energy–momentum": cd.EnergyMomentum(),
    "generalized-α": cd.GeneralizedAlpha(),
    "BDF": cd.BDF(),
    "Runge–Kutta": cd.RungeKutta(),
    "compliant": cd.Compliant(),
}


ROPE = cd.RoundSection(0.01, cd.StVenantKirchhoff(2e6, density=1000.0))


def pendulum(gravity=(0.0, 0.0, -9.81)):
    model = cd.Model("pendulum", gravity=gravity)
    bar = model.add(cd.RigidBody.box("bar", (1.0, 0.1, 0.1), 100.0, position=(0.5, 0.0, 0.0)))
    model.add(cd.Revolute("hinge", model.ground, bar, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    model.add(cd.CoordinateSpring("spring", "hinge.angle", 3.0))
    return model


def hanging_cable():
    model = cd.Model("rope", gravity=(0.0, 0.0, -9.81))
    model.add(cd.Cable("rope", [(0, 0, 0), (1.0, 0, 0)], 6, ROPE))
    model.add(cd.Spherical("left", model.ground, "rope.start"))
    model.add(cd.Spherical("right", model.ground.at(0.8, 0.0, 0.0), "rope.end", assemble=True))
    return model


@pytest.mark.parametrize("name", METHODS)
def test_a_run_goes_on_exactly_from_its_own_state(name):
    model, method = pendulum(), METHODS[name]
    whole = cd.simulate(model, end=0.4, dt=0.01, integrator=method)
    first = cd.simulate(model, end=0.2, dt=0.01, integrator=method)
    for state in (first, (whole, 20), whole.state(20)):
        second = cd.simulate(model, end=0.4, dt=0.01, integrator=method, state=state)
        assert second.times[0] == pytest.approx(0.2, abs=1e-15) and len(second) == 21
        assert np.abs(second.state(-1).x - whole.state(-1).x).max() < 1e-12
        assert np.abs(second.state(-1).v - whole.state(-1).v).max() < 1e-11


def test_another_method_takes_a_run_over():
    model = pendulum()
    tip = cd.Point("bar", (0.5, 0.0, 0.0))
    exact = cd.simulate(model, end=0.4, dt=0.0005).position(tip)[-1]
    for dt, tolerance in ((0.004, 6e-5), (0.002, 1.5e-5)):
        first = cd.simulate(model, end=0.2, dt=dt, integrator=cd.GeneralizedAlpha())
        second = cd.simulate(model, end=0.4, dt=dt, state=first)
        assert np.abs(second.position(tip)[-1] - exact).max() < tolerance
        assert second.energy["total"] - second.energy["work"] == pytest.approx(second.energy["total"][0], abs=1e-11)


@pytest.mark.parametrize("method", [cd.EnergyMomentum(), cd.GeneralizedAlpha()])
@pytest.mark.parametrize("make", [pendulum, hanging_cable])
def test_a_static_balance_stays_at_rest(make, method):
    model = make()
    balance = cd.solve_static(model, steps=20)
    run = cd.simulate(model, end=0.05, dt=0.005, state=balance, integrator=method)
    assert run.times[0] == 0.0
    assert np.abs(run.state(-1).x - balance.state(-1).x).max() < 1e-9
    assert run.energy["kinetic"].max() < 1e-12 * abs(run.energy["total"][0])


def test_joints_may_differ_from_those_of_the_balance():
    held, free = cd.Model("held", gravity=(0, -9.81), dimension=2), cd.Model("free", gravity=(0, -9.81), dimension=2)
    for model in (held, free):
        model.add(cd.PointMass("mass", 2.0, (0.0, -1.0)))
        model.add(cd.Spring("spring", model.ground, "mass", stiffness=100.0, rest_length=0.5))
    held.add(cd.Load("pull", "mass", (0.0, -20.0)))
    balance = cd.solve_static(held)
    run = cd.simulate(free, end=0.05, dt=1e-3, state=balance)
    rest, start = -0.5 - 2.0 * 9.81 / 100.0, -0.5 - (2.0 * 9.81 + 20.0) / 100.0
    assert run.position("mass")[0, 1] == pytest.approx(start, abs=1e-12)
    wanted = rest + (start - rest) * np.cos(np.sqrt(50.0) * run.times[-1])
    assert run.position("mass")[-1, 1] == pytest.approx(wanted, abs=2e-7)


def test_a_state_that_misses_the_constraints_is_made_to_fit():
    model = pendulum()
    state = cd.simulate(model, end=0.1, dt=0.01).state(-1)
    state.v[:] += 1.0  # the hinge forbids it
    run = cd.simulate(model, end=0.2, dt=0.01, state=state)
    assert any("velocities changed" in note for note in run.options["notes"])
    assert np.abs(run.velocity(cd.Point("bar", (-0.5, 0.0, 0.0)))).max() < 1e-3


def test_a_state_of_another_model_is_refused():
    state = cd.simulate(pendulum(), end=0.1, dt=0.1).state(-1)
    with pytest.raises(cd.InputError, match="does not belong to model 'rope'"):
        cd.simulate(hanging_cable(), end=1.0, dt=0.1, state=state)
    with pytest.raises(cd.InputError, match=r"end time must come after the start t = 0\.1"):
        cd.simulate(pendulum(), end=0.05, dt=0.1, state=state)
    with pytest.raises(cd.InputError, match="state must be"):
        cd.simulate(pendulum(), end=0.05, dt=0.1, state=3)


def test_a_run_from_a_state_is_resumed_on_the_same_clock(tmp_path):
    model, file = pendulum(), tmp_path / "run.h5"
    first = cd.simulate(model, end=0.1, dt=0.01)
    cd.simulate(model, end=0.15, dt=0.01, state=first, file=file)
    longer = cd.resume(file, end=0.2)
    whole = cd.simulate(model, end=0.2, dt=0.01, state=first)
    assert longer.times == pytest.approx(whole.times, abs=1e-15)
    assert np.abs(longer.state(-1).x - whole.state(-1).x).max() < 1e-12


# --- velocities of one's own ------------------------------------------------------------------------------------------


def bodies():
    """One of each kind, free in space, and where its points are."""
    material = cd.StVenantKirchhoff(1e5, 0.3, density=1000.0)
    mesh = cd.Mesh.block((1.0, 0.2, 0.2), (3, 1, 1))
    return {
        "rigid": cd.RigidBody.box("body", (1.0, 0.3, 0.2), 1000.0, position=(0.5, 0.1, 0.1)),
        "pseudo-rigid": cd.PseudoRigidBody.box(
            "body", (1.0, 0.3, 0.2), 1000.0, material=material, position=(0.5, 0.1, 0.1)
        ),
        "solid": cd.Solid("body", mesh.nodes, mesh.cells, mesh.element, material),
        "cable": cd.Cable("body", [(0, 0, 0), (1.0, 0, 0)], 4, ROPE),
        "point": cd.PointMass("body", 2.0, (0.3, 0.1, 0.0)),
    }


@pytest.mark.parametrize("kind", bodies())
def test_a_body_gets_a_velocity_and_a_spin(kind):
    model = cd.Model(gravity=(0, 0, 0))
    body = model.add(bodies()[kind])
    sim = cd.Simulation(model, dt=1e-3)
    v, w, c = np.array([1.0, -2.0, 0.5]), np.array([0.3, 0.2, -0.7]), np.array([0.4, 0.0, 0.1])
    sim.set_velocity(body, v, w, about=c)
    for node in sim.system.anchors["body"].nodal():
        x, rate = (node[0].at(a) for a in (sim.state.x, sim.state.v))
        assert rate == pytest.approx(v + np.cross(w, x - c), abs=1e-10)
    assert sim.energy()["total"] == pytest.approx(sim.work, rel=1e-12)  # all of it was put in


def test_a_field_of_velocities_moves_nodes_and_their_gradients():
    model = cd.Model(gravity=(0, 0, 0))
    rope = model.add(cd.Cable("rope", [(0, 0, 0), (2.0, 0, 0)], 8, ROPE))
    sim = cd.Simulation(model, dt=1e-3)
    sim.set_velocity(rope, lambda x: (0.0, 0.0, np.sin(np.pi * x[0])))
    run = cd.simulate(model, end=1e-3, dt=1e-3, state=sim.state)
    for s in np.linspace(0.0, 2.0, 33):  # cubic between the nodes: the error is (π/4)⁴/384 at most
        assert run.velocity(rope.at(s))[0, 2] == pytest.approx(np.sin(np.pi * s), abs=1.1e-3)
    mass = 1000.0 * np.pi * 0.01**2 * 2.0
    assert run.energy["kinetic"][0] == pytest.approx(0.25 * mass, rel=1.2e-3)


def test_nodes_get_one_velocity_each():
    model = cd.Model(gravity=(0, 0, 0))
    solid = model.add(bodies()["solid"])
    sim = cd.Simulation(model, dt=1e-3)
    given = np.random.default_rng(1).normal(size=(len(solid.nodes), 3))
    sim.set_velocity(solid, given)
    for k, v in enumerate(given):
        assert sim.velocity(f"body.{k}") == pytest.approx(v, abs=1e-12)


def test_a_blow_on_a_point_of_a_free_bar_turns_it_about_its_centre_of_percussion():
    model = cd.Model(gravity=(0, 0, 0))
    bar = model.add(cd.RigidBody("bar", 2.0, inertia=(0.1, 2.0 / 12.0, 2.0 / 12.0)))
    sim = cd.Simulation(model, dt=1e-3)
    sim.set_velocity(bar.at(0.5, 0.0, 0.0), (0.0, 1.0, 0.0))
    # Impulse P at the end of a rod: v = P/m, ω = P (L/2)/(m L²/12) = 6 P/(m L), and v + ω L/2 = 4 P/m = 1.
    assert sim.velocity(bar)[1] == pytest.approx(0.25, abs=1e-9)
    assert sim.velocity(bar.at(-0.5, 0.0, 0.0))[1] == pytest.approx(-0.5, abs=1e-9)


def test_velocities_are_changed_between_steps_and_energy_is_accounted_for():
    model = pendulum()
    sim = cd.Simulation(model, dt=0.01)
    balance = []
    for k in range(30):
        if k == 10:
            sim.set_velocity("hinge.angle", 2.0)
            assert sim.coordinate_rate("hinge.angle") == pytest.approx(2.0, rel=1e-3)
        if k == 20:
            sim.set_velocity("bar", (0.0, 0.0, 0.0))
            assert np.abs(sim.state.v).max() < 1e-3
        sim.step()
        balance.append(sim.energy()["total"] - sim.work)
    assert np.ptp(balance) < 1e-10


def test_what_joints_forbid_is_refused():
    sim = cd.Simulation(pendulum(), dt=0.01)
    with pytest.raises(cd.InputError, match="do not let 'bar"):
        sim.set_velocity(cd.Point("bar", (0.5, 0.0, 0.0)), (1.0, 0.0, 0.0))
    with pytest.raises(cd.InputError, match=r"finite numbers of shape \(3,\)"):
        sim.set_velocity("bar", (1.0, 0.0))
    with pytest.raises(cd.InputError, match="moves as prescribed"):
        sim.set_velocity("ground", (1.0, 0.0, 0.0))
