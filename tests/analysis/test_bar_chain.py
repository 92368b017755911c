"""The chain in Euler parameters and in natural coordinates: derivatives, and the same motion as in Condyle's rows."""

import numpy as np
import pytest

import condyle as cd

FORMS = ("Euler parameters", "natural")
CHAIN = cd.methods.BarChain(bars=4, load=3.0, compliance=1e-7)


def bent(form, rng):
    """A configuration off the plane and off its joints, and a velocity."""
    q, v = form.start()
    return form.moved(q, 0.2 * rng.normal(size=v.size)), rng.normal(size=v.size)


@pytest.mark.parametrize("name", FORMS)
def test_gradients_and_geometric_stiffness_are_derivatives(name):
    rng = np.random.default_rng(2)
    form = CHAIN.coordinates(name)
    q, v = bent(form, rng)
    h = 1e-6
    phi, J = form.joints(q)
    ends = [form.joints(form.moved(q, sign * h * v)) for sign in (1.0, -1.0)]
    np.testing.assert_allclose(J @ v, (ends[0][0] - ends[1][0]) / (2 * h), atol=1e-7)
    held = rng.normal(size=phi.size)
    expected = (ends[0][1].T @ held - ends[1][1].T @ held) / (2 * h)
    np.testing.assert_allclose(form.geometric(q, held) @ v, expected, atol=1e-7)


def test_the_stiffness_in_euler_parameters_is_not_symmetric():
    rng = np.random.default_rng(1)
    form = CHAIN.coordinates("Euler parameters")
    q, _ = bent(form, rng)
    K = form.geometric(q, rng.normal(size=form.rows))
    assert np.abs(K - K.T).max() > 0.01


@pytest.mark.parametrize("name", FORMS)
def test_they_move_as_the_rows_of_the_package_do(name):
    m = cd.Model("chain", dimension=2, gravity=(0.0, -9.81))
    along, last = np.array([np.sqrt(0.5), np.sqrt(0.5)]), m.ground
    for k in range(4):
        bar = cd.RigidBody(f"b{k}", 1.0, inertia=0.01 / 12, position=(k + 0.5) * 0.1 * along, rotation=np.pi / 4)
        m.add(bar)
        m.add(cd.Revolute(f"j{k}", last, bar, at=k * 0.1 * along))
        last = bar
    m.add(cd.PointMass("load", 3.0, 0.4 * along))
    m.add(cd.Pin("hook", "load", last, at=0.4 * along))
    rows = cd.simulate(m, end=0.3, dt=0.002, integrator=cd.Stabilised(compliance=1e-7))
    run = CHAIN.run(name, dt=0.002, end=0.3)
    np.testing.assert_allclose(run.load, rows.position("load"), atol=3e-3)
    assert run.gap.max() < 1e-3 and run.net[-1] < run.net[0]
    watched = CHAIN.run(name, dt=0.002, end=0.3, monitor="tanh")
    assert np.abs(watched.net - watched.net[0]).max() < np.abs(run.net - run.net[0]).max()


def test_wrong_words_are_named():
    with pytest.raises(cd.InputError, match="Euler parameters"):
        CHAIN.run("quaternions", dt=0.01, end=0.1)
    with pytest.raises(cd.InputError, match="quartic"):
        CHAIN.run("natural", dt=0.01, end=0.1, monitor="cubic")
