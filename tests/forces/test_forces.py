"""Bushings, follower forces, forces from Python functions and Rayleigh damping against closed forms."""

from itertools import pairwise

import numpy as np
import pytest

import condyle as cd


def frequency(times, values):
    """Angular frequency [rad/s] from the upward zero crossings."""
    signs = np.signbit(values)
    at = np.flatnonzero(signs[:-1] & ~signs[1:])
    crossings = times[at] - values[at] * (times[at + 1] - times[at]) / (values[at + 1] - values[at])
    return 2 * np.pi * (len(crossings) - 1) / (crossings[-1] - crossings[0])


@pytest.mark.parametrize("axis", range(3))
def test_a_bushing_swings_a_body_with_its_turning_stiffness_about_every_axis(axis):
    inertia = (0.2, 0.25, 0.3)
    m = cd.Model("bushing", dimension=3)
    spin = 0.01 * np.eye(3)[axis]
    body = m.add(cd.RigidBody("body", 1.5, inertia=inertia, angular_velocity=spin))
    m.add(cd.Bushing("mount", m.ground, body, at=(0, 0, 0), stiffness=60.0, turning_stiffness=8.0))
    result = cd.simulate(m, end=10.0, dt=0.005)
    turn = result.directors("body")[:, (axis + 2) % 3, (axis + 1) % 3]
    assert frequency(result.times, turn) == pytest.approx(np.sqrt(8.0 / inertia[axis]), rel=1e-3)


def test_a_bushing_swings_and_damps_translations():
    m = cd.Model("bushing", dimension=3)
    body = m.add(cd.RigidBody("body", 1.5, inertia=(0.2, 0.25, 0.3), velocity=(0.3, 0, 0)))
    m.add(cd.Bushing("mount", m.ground, body, at=(0, 0, 0), stiffness=60.0, damping=1.2))
    result = cd.simulate(m, end=3.0, dt=0.002)
    decay = 1.2 / (2 * 1.5)
    w = np.sqrt(60.0 / 1.5 - decay**2)
    exact = 0.3 / w * np.exp(-decay * result.times) * np.sin(w * result.times)
    assert np.abs(result.position("body")[:, 0] - exact).max() < 1e-4


def test_a_bushing_damps_turning():
    m = cd.Model("bushing", dimension=2)
    body = m.add(cd.RigidBody("body", 1.0, inertia=0.4, angular_velocity=0.02))
    m.add(cd.Bushing("mount", m.ground, body, at=(0, 0), stiffness=50.0, turning_damping=0.8))
    result = cd.simulate(m, end=2.0, dt=0.005)
    exact = 0.02 * np.exp(-0.8 / 0.4 * result.times)
    assert np.abs(result.angular_velocity("body") - exact).max() < 1e-6


def test_a_follower_force_drives_a_body_round_a_circle():
    """A thrust square to the radius of a turning body: its angle grows as ½ F r t² / (J + m r²)."""
    m = cd.Model("nozzle", dimension=3)
    body = m.add(cd.RigidBody("body", 2.0, inertia=(0.2, 0.2, 0.3), position=(0.5, 0, 0)))
    m.add(cd.Revolute("pivot", m.ground, body, at=(0, 0, 0), axis=(0, 0, 1)))
    m.add(cd.FollowerForce("thrust", body.at(0.3, 0, 0), (0.0, 4.0, 0.0)))
    result = cd.simulate(m, end=2.0, dt=0.002)
    exact = 0.5 * 4.0 * 0.8 / (0.3 + 2.0 * 0.25) * result.times**2
    assert exact[-1] > 2 * np.pi
    assert np.abs(result.coordinate("pivot.angle") - exact).max() < 5e-4


def test_a_force_from_a_python_function_acts_as_the_spring_that_it_imitates():
    def pull(t, x, v):
        return -30.0 * x - 0.4 * v

    runs = []
    for imitate in (True, False):
        m = cd.Model("spring", dimension=3, gravity=(0, 0, -1.0))
        ball = m.add(cd.PointMass("ball", 1.0, (0.4, 0, 0.1), velocity=(0, 0.5, 0)))
        if imitate:
            m.add(cd.UserForce("pull", [ball], pull))
        else:
            m.add(cd.Spring("spring", m.ground, ball, 30.0, rest_length=0.0))
            m.add(cd.Damper("dashpot", m.ground, ball, 0.4, along="all"))
        runs.append(cd.simulate(m, end=1.0, dt=0.002))
    assert np.abs(runs[0].position("ball") - runs[1].position("ball")).max() < 1e-9
    assert runs[0].energy["work"][-1] != 0.0


@pytest.mark.parametrize("alpha, beta", [(0.8, 0.0), (0.0, 0.004), (0.5, 0.002)])
def test_rayleigh_damping_gives_a_mode_its_ratio(alpha, beta):
    """A bar that stretches: ratio ½ (α/ω + β ω), from the logarithmic decrement of its first mode."""
    material = cd.StVenantKirchhoff(young=4e4, poisson=0.0, density=100.0)
    m = cd.Model("bar", dimension=2)
    length, n = 1.0, 8
    bar = m.add(cd.Solid.block("bar", (length, 0.1), (n, 1), material))
    m.add(cd.Tie("wall", bar, "left", m.ground))
    if alpha or beta:
        m.add(cd.RayleighDamping("damping", bar, mass_rate=alpha, stiffness_time=beta))
    end = bar.at(length, 0.05)
    m.add(cd.Load("kick", end, (1e-2, 0.0), scale=cd.Table((0.0, 0.02, 0.0200001), (1.0, 1.0, 0.0))))
    result = cd.simulate(m, end=1.2, dt=0.001)
    along = np.linspace(0.0, length, n + 1)[1:]
    share = np.sin(0.5 * np.pi * along / length)  # the first mode, to which the others are orthogonal
    share[-1] *= 0.5
    u = sum(s * result.displacement(bar.at(x, 0.05))[:, 0] for s, x in zip(share, along, strict=True))
    late = result.times > 0.05  # the kick is over
    w = frequency(result.times[late], u[late])
    assert w == pytest.approx(np.pi / 2 * np.sqrt(4e4 / 100.0) / length, rel=0.05)
    envelope = peaks(result.times[late], u[late])
    slope = np.polyfit(envelope[0], np.log(envelope[1]), 1)[0]
    assert -slope / w == pytest.approx(0.5 * (alpha / w + beta * w), rel=0.1)


def peaks(times, values):
    """Time and size of the largest value of each half period."""
    signs = np.signbit(values)
    edges = np.flatnonzero(signs[:-1] != signs[1:])
    spans = [slice(a + 1, b + 1) for a, b in pairwise(edges)]
    at = [s.start + int(np.argmax(np.abs(values[s]))) for s in spans]
    return times[at], np.abs(values[at])
