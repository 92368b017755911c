"""What presses a quasi-static body at the start of a run does so from the first instant on."""

import numpy as np
import pytest

import condyle as cd


def press(height: float, weight: float = 1.0) -> cd.Model:
    """A soft block on the ground and a rigid plate above it; `height` of the plate over the block [m]."""
    m = cd.Model("press", dimension=2, gravity=(0.0, -9.81))
    soft = cd.NeoHookean(1e6, 0.3, 1000.0)
    block = m.add(cd.Solid.block("block", (1.0, 0.5), (4, 2), soft, quasi_static=True))
    m.add(cd.Tie("base", block, "bottom", m.ground))
    plate = m.add(cd.RigidBody("plate", 100.0 * weight, inertia=1.0, position=(0.5, 0.5 + height)))
    m.add(cd.Slider("guide", m.ground, plate, axis=(0, 1)))
    m.add(cd.Contact("contact", block, "top", plate, cd.Plane((0.0, -1.0))))
    return m


@pytest.fixture(scope="module")
def depth() -> float:
    """How far the plate sinks at rest [m]."""
    return float(0.5 - cd.solve_static(press(0.0), steps=1).position("plate")[-1, 1])


@pytest.mark.parametrize("method", [cd.GeneralizedAlpha(0.6), cd.Newmark()], ids=lambda m: type(m).__name__)
def test_a_plate_at_rest_on_a_pressed_block_stays_there(depth, method):
    result = cd.simulate(press(-depth), end=0.1, dt=0.01, integrator=method)
    assert np.abs(result.position("plate")[:, 1] - (0.5 - depth)).max() < 1e-7 * depth
    force = result.contact("contact").resultant[:, 1]
    np.testing.assert_allclose(force, force[0], rtol=1e-7)
    assert abs(force[0]) == pytest.approx(981.0, rel=1e-9)


def test_acceleration_at_the_start_has_the_contact_force(depth):
    """Twice the weight on what one weight has pressed falls with g/2."""
    sim = cd.Simulation(press(-depth, weight=2.0), dt=1e-3, integrator=cd.GeneralizedAlpha())
    row = sim.system.row_owner.index("plate")
    assert sim.state.memory["acceleration"][row, 1] == pytest.approx(-9.81 / 2.0, rel=1e-7)


def test_zero_acceleration_stays_zero(depth):
    sim = cd.Simulation(press(-depth), dt=1e-3, integrator=cd.Newmark(hold="positions"), start="zero-acceleration")
    assert not sim.state.memory["acceleration"].any()


@pytest.mark.parametrize("up", [0.0, 1e-17, -1e-17])
def test_what_rests_but_for_round_off_is_held_as_the_run_begins(up):
    """A drive that begins at rest leaves 1e-17 m/s: a condyle then came off its plateau for a step, and struck it again."""
    model = cd.Model("plate", dimension=2, gravity=(0.0, -9.81))
    plate = model.add(cd.RigidBody("plate", 2.0, inertia=0.1, position=(0.0, 0.1), velocity=(0.0, up)))
    feet = [(-0.3, -0.1), (0.3, -0.1)]
    model.add(cd.Contact("floor", plate, feet, model.ground, cd.Plane((0, 1)), friction=0.3))
    sim = cd.Simulation(model, dt=5e-3, integrator=cd.GeneralizedAlpha())
    assert np.abs(sim.state.memory["acceleration"]).max() < 1e-9
