"""Pseudo-rigid bodies of higher order (Taylor 2000, §8): polynomials that bend, against meshes of solids."""

import numpy as np
import pytest

import condyle as cd

SOFT = cd.NeoHookean(young=1e5, poisson=0.3, density=100.0)
BAR = (1.0, 0.2)


def bending_frequency(body):
    """The lowest frequency [Hz] of a bar that nothing holds; three motions of it are rigid."""
    m = cd.Model("bar", dimension=2)
    m.add(body)
    found = cd.eigenmodes(m, 8).angular_frequencies
    return float(found[found > 1e-3 * found.max()].min())


def test_a_bar_swings_as_a_fine_mesh_does_with_growing_order():
    """Polynomials are a part of all deformations, and each order of the next: frequencies come down to the true one."""
    fine = bending_frequency(cd.Solid.block("bar", BAR, (20, 4), SOFT, element="quad8"))
    found = np.array([bending_frequency(box(order)) for order in (1, 2, 3, 4, 6)])
    errors = found / fine - 1.0
    assert (np.diff(found) < 1e-9 * fine).all()
    # A parabola in Rayleigh's quotient of a slender free bar: ω² = 720 EI/(ρA L⁴), where 22.373² is exact.
    assert errors[1] == pytest.approx(np.sqrt(720.0) / 22.373 - 1.0, abs=0.02)
    assert errors[0] > 0.5 and errors[3] < 0.02 and abs(errors[4]) < 2e-3


def box(order):
    return cd.PseudoRigidBody.box("bar", BAR, 100.0, material=SOFT, order=order)


@pytest.mark.parametrize("d", [2, 3])
def test_energy_and_momenta_are_kept_while_it_tumbles_and_bends(d):
    spin, size = (3.0, BAR) if d == 2 else ((1.0, 2.0, 3.0), (*BAR, 0.15))
    m = cd.Model("thrown", dimension=d)
    body = m.add(cd.PseudoRigidBody.box("bar", size, 100.0, material=SOFT, order=2, angular_velocity=spin))
    ball = m.add(cd.PointMass("ball", 0.5, (0.5, 0.4, 0.0)[:d]))
    m.add(cd.Spring("cord", body.at(*(0.5, 0.1, 0.0)[:d]), ball, 300.0, rest_length=0.1))
    r = cd.simulate(m, end=0.5, dt=0.005)
    E = r.energy["total"]
    assert np.abs(E - E[0]).max() < 1e-10 * E[0]
    for momentum in (r.linear_momentum, r.angular_momentum):
        assert np.abs(momentum - momentum[0]).max() < 1e-10 * max(1.0, np.abs(momentum).max())
    moved = (
        r.position(body.at(*(0.5, 0.0, 0.0)[:d])) + r.position(body.at(*(-0.5, 0.0, 0.0)[:d])) - 2.0 * r.position("bar")
    )
    assert np.abs(moved).max() > 1e-3  # it does bend


def test_a_body_of_higher_order_starts_with_the_motion_of_the_homogeneous_one():
    energies = [cd.simulate(_single(order), end=0.01, dt=0.01).energy["kinetic"][0] for order in (1, 3)]
    assert energies[1] == pytest.approx(energies[0], rel=1e-12)


def _single(order):
    m = cd.Model("one", dimension=2)
    m.add(
        cd.PseudoRigidBody.box("b", BAR, 100.0, material=SOFT, order=order, angular_velocity=2.0, velocity=(1.0, 0.5))
    )
    return m


def test_bad_orders_and_shapes_are_refused():
    with pytest.raises(cd.InputError, match="order must be at least 1 and at most 8"):
        cd.PseudoRigidBody.box("b", BAR, 100.0, material=SOFT, order=0)
    with pytest.raises(cd.InputError, match="needs its shape"):
        cd.PseudoRigidBody("b", 1.0, second_moment=np.eye(2), material=SOFT, order=2)
    with pytest.raises(cd.InputError, match="give more points"):
        cd.PseudoRigidBody("b", 1.0, second_moment=np.eye(2), material=SOFT, order=2,
                           shape={"points": [(0, 0), (1, 0), (0, 1)], "volumes": [1, 1, 1]})  # fmt: skip


@pytest.mark.parametrize(
    ("method", "dt", "within"),
    [
        (cd.GeneralizedAlpha(), 1e-3, 2e-6),
        (cd.Newmark(unknown="velocity"), 1e-3, 2e-6),
        (cd.Newmark(unknown="acceleration"), 1e-3, 2e-6),
        (cd.HHT(), 1e-3, 2e-6),
        (cd.BDF(), 1e-3, 2e-5),
        (cd.Compliant(form="velocity"), 5e-4, 2e-4),
        (cd.Compliant(form="force"), 5e-4, 2e-4),
        (cd.methods.LinearisedImplicit(), 5e-4, 2e-4),
        (cd.RungeKutta(), 2e-4, 1e-7),
        (cd.Newmark(beta=0.0, unknown="acceleration"), 2e-4, 1e-6),
        (cd.methods.ExplicitEuler(), 1e-4, 1e-4),
    ],
    ids=lambda value: getattr(type(value), "__name__", "") if not isinstance(value, float) else f"{value:g}",
)
def test_a_bending_body_moves_alike_in_every_method(method, dt, within):
    model = cd.Model("bar", dimension=2, gravity=(0.0, -9.81))
    rubber = cd.NeoHookean(young=2e5, poisson=0.3, density=1000.0)
    bar = model.add(cd.PseudoRigidBody.box("bar", (0.4, 0.1), 1000.0, material=rubber, order=2, position=(0.2, 0.0)))
    model.add(cd.Pin("pin", model.ground, bar, at=(0.0, 0.0)))
    exact = cd.simulate(model, end=0.02, dt=2e-4).position(bar.at(0.2, 0.0))[-1]
    found = cd.simulate(model, end=0.02, dt=dt, integrator=method).position(bar.at(0.2, 0.0))[-1]
    assert np.abs(found - exact).max() < within < np.abs(exact - (0.4, 0.0)).max()
