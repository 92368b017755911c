"""How near shapes must be to count does not depend on units: metres and millimetres look for the same couples."""

import pytest

import condyle as cd


def looked(scale, spin):
    """Gap up to which points count, in metres, for two balls that fly and spin, described in metres over `scale`."""
    m = cd.Model("two", dimension=3)
    balls = [
        m.add(
            cd.RigidBody.ball(
                name, 0.1 * scale, 1000.0 / scale**3, position=(x * scale, 0, 0), velocity=(v * scale, 0, 0),
                angular_velocity=(0, 0, spin),
            )
        )
        for name, x, v in (("a", 0.0, 1.0), ("b", 0.5, -2.0))
    ]  # fmt: skip
    m.add(cd.Collisions("balls", balls))
    sim = cd.Simulation(m, dt=1e-3)
    pair = sim.system.contact.pairs[0]
    pair.survey(sim.state.x, sim.state.v, 1e-3)
    return pair.within / scale


@pytest.mark.parametrize("spin", [0.0, 30.0])
def test_the_gap_up_to_which_points_count_is_the_same_in_metres_and_millimetres(spin):
    assert looked(1e3, spin) == pytest.approx(looked(1.0, spin), rel=1e-12)


def test_balls_that_roll_look_as_far_as_their_surfaces_go():
    """Three times the way of a point in a step, the size being that of a ball; not that of a metre."""
    assert looked(1.0, 30.0) - looked(1.0, 0.0) == pytest.approx(3.0 * 0.2 * 30.0 * 1e-3, rel=1e-9)
