"""Rigid bodies and mechanisms against closed forms, quadratures and published reference solutions."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import ellipj, ellipk

import condyle as cd

SECOND = [cd.EnergyMomentum(), cd.GeneralizedAlpha(0.9), cd.Newmark(0.25, 0.5), cd.HHT(0.05)]
HIGHER = [cd.RungeKutta(order=8), cd.Gauss(order=6), cd.ComposedEnergyMomentum(order=4)]


def label(value: object) -> str:
    return str(value) if isinstance(value, float) else type(value).__name__


def squeezer() -> cd.Model:
    """Andrews' squeezing mechanism (Schiehlen 1990; Hairer and Wanner 1996): seven bodies, three loops, a spring, a motor."""
    sin, cos = np.sin, np.cos
    mass = (0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498)
    inertia = (2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5)
    A, B, C = np.array((-0.06934, -0.00227)), np.array((-0.03635, 0.03273)), (0.014, 0.072)
    beta, gamma, phi, delta, epsilon = START
    F = 0.007 * np.array((cos(beta), sin(beta)))
    E = F - 0.028 * np.array((cos(beta), sin(beta)))
    G = A + 0.04 * np.array((cos(delta), sin(delta)))
    H = A + 0.04 * np.array((sin(epsilon), -cos(epsilon)))
    m = cd.Model("squeezer", dimension=2)

    def body(k: int, centre: np.ndarray, angle: float) -> cd.RigidBody:
        return m.add(cd.RigidBody(f"body {k}", mass[k - 1], inertia=inertia[k - 1], position=centre, rotation=angle))

    def turned(angle: float, x: float, y: float) -> np.ndarray:
        return np.array((x * cos(angle) - y * sin(angle), x * sin(angle) + y * cos(angle)))

    b1 = body(1, 0.00092 * F / 0.007, beta)
    b2 = body(2, F - 0.0115 * F / 0.007, beta)
    b3 = body(3, B + turned(gamma, 0.01043, -0.01874), gamma)
    b4 = body(4, G + turned(phi + delta, 0.0, -(0.02 - 0.01421)), phi + delta)
    b5 = body(5, A + turned(delta, 0.02308, 0.00916), delta)
    b6 = body(6, H + turned(epsilon - phi, 0.02 - 0.01421, 0.0), epsilon - phi)
    b7 = body(7, A + turned(epsilon, -0.00449, -0.01228), epsilon)
    for k, (a, b, at) in enumerate(
        [(m.ground, b1, (0, 0)), (b1, b2, F), (b2, b3, E), (b2, b4, E), (b2, b6, E), (m.ground, b3, B), (b4, b5, G),
         (b6, b7, H), (m.ground, b5, A), (m.ground, b7, A)]
    ):  # fmt: skip
        m.add(cd.Pin(f"pin {k}", a, b, at=at))
    D = cd.Point(b3, tuple(B + turned(gamma, 0.02, -0.018)), "world")
    m.add(cd.Spring("spring", D, m.ground.at(*C), stiffness=4530.0, rest_length=0.07785))
    m.add(cd.Torque("motor", b1, 0.033))
    return m


# β, γ, Φ, δ, ε at the start (Θ = 0, Ω = −Φ), and β, Θ, γ, δ, ε at 0.03 s in the test set for initial value problems
START = (-0.0617138900142764496, 0.455279819163070380, 0.222668390165885884, 0.487364979543842550, 1.23054744454982119)
SOLVED = (15.81077119629904, -15.75637105984298, 0.04082224013073101, 0.5244099658805304, 1.048080741042263)


@pytest.mark.parametrize(("method", "error"), [*((x, 5e-3) for x in SECOND), *((x, 1e-8) for x in HIGHER)], ids=label)
def test_andrews_squeezer_ends_where_the_test_set_says(method, error):
    r = cd.simulate(squeezer(), end=0.03, dt=5e-5, integrator=method)
    beta, gamma, _, delta, epsilon = START
    turned = [r.angle(f"body {k}")[-1] for k in (1, 2, 3, 5, 7)]
    found = np.add(turned, (beta, beta, gamma, delta, epsilon))
    found[1] -= found[0]  # Θ is counted from β
    np.testing.assert_allclose(found, SOLVED, atol=error)


@pytest.mark.parametrize(("method", "error"), [*((x, 5e-3) for x in SECOND), *((x, 1e-8) for x in HIGHER)], ids=label)
def test_a_free_body_turns_over_as_jacobis_functions_say(method, error):
    """Torque-free motion near the middle axis (Dzhanibekov): ω1 ~ cn, ω2 ~ sn, ω3 ~ dn (Landau and Lifshitz, § 37)."""
    I1, I2, I3 = 1.0, 2.0, 3.0
    w1, w3 = 0.3, 0.8  # at the start ω2 = 0
    twice, square = I1 * w1**2 + I3 * w3**2, (I1 * w1) ** 2 + (I3 * w3) ** 2
    assert square > twice * I2
    rate = np.sqrt((I3 - I2) * (square - twice * I1) / (I1 * I2 * I3))
    k2 = (I2 - I1) * (twice * I3 - square) / ((I3 - I2) * (square - twice * I1))
    period = 4.0 * ellipk(k2) / rate
    m = cd.Model("free")
    m.add(cd.RigidBody("body", 1.0, inertia=(I1, I2, I3), angular_velocity=(w1, 0.0, w3)))
    r = cd.simulate(m, end=period, dt=period / 400, integrator=method)
    body = np.einsum("tij,ti->tj", r.rotation_matrix("body"), r.angular_velocity("body"))
    sn, cn, dn, _ = ellipj(rate * r.times, k2)
    greatest = np.sqrt((twice * I3 - square) / (I2 * (I3 - I2)))
    np.testing.assert_allclose(body, np.column_stack((w1 * cn, greatest * sn, w3 * dn)), atol=error)


@pytest.mark.parametrize(("method", "error"), [*((x, 5e-3) for x in SECOND), *((x, 2e-7) for x in HIGHER)], ids=label)
def test_a_fast_top_nods_and_precesses_as_its_quadratures_say(method, error):
    """Released with spin alone, the axis of a heavy top falls, is caught, and moves on in cusps (Goldstein, § 5.7)."""
    mass, arm, A, C, g, tilt, spin = 1.2, 0.25, 0.11, 0.02, 9.81, 0.6, 60.0
    u0, momentum, energy = np.cos(tilt), C * spin, mass * g * arm * np.cos(tilt)

    def fall(u: float) -> float:  # u̇², u = cos θ
        return 2.0 * (energy - mass * g * arm * u) / A * (1.0 - u * u) - (momentum * (u0 - u) / A) ** 2

    u1 = brentq(fall, -0.999, u0 - 1e-6)
    middle, half = 0.5 * (u0 + u1), 0.5 * (u0 - u1)

    def swept(rate) -> float:  # ∫ rate(u) dt over a whole period, u = middle + half cos s
        def of(s: float) -> float:
            u = middle + half * np.cos(s)
            return rate(u) / np.sqrt(fall(u) / ((u0 - u) * (u - u1)))

        return 2.0 * quad(of, 1e-6, np.pi - 1e-6)[0]

    period = swept(lambda u: 1.0)
    turn = swept(lambda u: momentum * (u0 - u) / A / (1.0 - u * u))
    m = cd.Model("top", gravity=(0, 0, -g))
    axis = np.array((np.sin(tilt), 0.0, np.cos(tilt)))
    across = A - mass * arm**2
    top = m.add(
        cd.RigidBody("top", mass, inertia=(across, across, C), centre_of_mass=(0, 0, arm), rotation=(0, tilt, 0),
                     angular_velocity=spin * axis, points={"end": (0, 0, 1)})
    )  # fmt: skip
    m.add(cd.Spherical("tip", m.ground, top, at=(0, 0, 0)))
    steps = 2000 if error > 1e-6 else 200
    p = cd.simulate(m, end=period, dt=period / steps, integrator=method).position("top.end")
    assert np.arccos(p[steps // 2, 2]) == pytest.approx(np.arccos(u1), abs=error)  # the lowest point, half-way
    assert np.arccos(p[-1, 2]) == pytest.approx(tilt, abs=error)
    # the quadratures leave out 1e-6 of the path at both ends
    assert np.unwrap(np.arctan2(p[:, 1], p[:, 0]))[-1] == pytest.approx(turn, abs=error + 1e-6)


@pytest.mark.parametrize("method", [*SECOND, cd.BDF(2), *HIGHER], ids=label)
def test_a_bead_in_a_turning_tube_is_flung_out(method):
    """r = r0 cosh Ωt, and the tube pushes with 2 m Ω ṙ; the tube is a prescribed frame, which does the work."""
    turn, start, mass = 2.0, 0.3, 0.4
    m = cd.Model("tube", dimension=2)
    m.add(cd.Frame("tube", angle=cd.Polynomial((0, turn))))
    m.add(cd.PointMass("bead", mass, position=(start, 0), velocity=(0, turn * start)))
    m.add(cd.PointOnLine("bore", "tube", "bead", at=(start, 0), axis=(1, 0)))
    r = cd.simulate(m, end=1.0, dt=0.005, integrator=method)
    np.testing.assert_allclose(
        np.linalg.norm(r.position("bead"), axis=1),
        start * np.cosh(turn * r.times),
        atol=3e-4 if label(method) == "BDF" else 1e-4,
    )
    push = 2.0 * mass * turn * start * turn * np.sinh(turn * r.multiplier_times)
    np.testing.assert_allclose(np.linalg.norm(r.joint_force("bore"), axis=1), push, atol=1e-3)


@pytest.mark.parametrize("method", SECOND, ids=label)
def test_a_gear_reflects_inertia_by_the_square_of_its_ratio(method):
    m = cd.Model("gears", dimension=2)
    for k, at in enumerate((0.0, 1.0)):
        m.add(cd.RigidBody(f"wheel {k}", 1.0, inertia=(0.2, 0.05)[k], position=(at, 0)))
        m.add(cd.Pin(f"axle {k}", m.ground, f"wheel {k}", at=(at, 0)))
    m.add(cd.Gear("teeth", a="axle 0.angle", b="axle 1.angle", ratio=3.0))
    m.add(cd.Torque("motor", "wheel 0", 1.3))
    r = cd.simulate(m, end=1.0, dt=0.01, integrator=method)
    rate = 1.3 / (0.2 + 9.0 * 0.05)
    assert r.angle("wheel 0")[-1] == pytest.approx(0.5 * rate, rel=1e-3)
    assert r.coordinate_rate("axle 1.angle")[-1] == pytest.approx(-3.0 * rate, rel=1e-3)


def bennett(twist: float, other: float, a: float, angle: float) -> cd.Model:
    """Bennett's linkage: four hinges in space, a loop that only moves because b sin α = a sin β."""
    b = a * np.sin(other) / np.sin(twist)
    frames = [(np.eye(3), np.zeros(3))]
    second = 2.0 * np.arctan(np.sin(0.5 * (other + twist)) / np.sin(0.5 * (other - twist)) / np.tan(0.5 * angle))
    for turn, along, tilt in zip(
        (angle, second, -angle, -second), (a, b, a, b), (twist, other, twist, other), strict=True
    ):
        R, p = frames[-1]
        R = R @ cd.rotation(axis=(0, 0, 1), angle=turn)
        p = p + R @ (along, 0, 0)
        frames.append((R @ cd.rotation(axis=(1, 0, 0), angle=tilt), p))
    assert np.allclose(frames[4][1], 0.0, atol=1e-12) and np.allclose(frames[4][0], np.eye(3), atol=1e-12)
    m = cd.Model("Bennett", gravity=(0, 0, -9.81))
    links = [m.ground]
    for k in (1, 2, 3):
        here, there = frames[k][1], frames[k + 1 if k < 4 else 0][1]
        links.append(
            m.add(cd.RigidBody(f"link {k}", 1.0 + k, inertia=(0.02, 0.03, 0.04), position=0.5 * (here + there)))
        )
    for k in range(4):
        m.add(cd.Revolute(f"hinge {k}", links[k - 1], links[k], at=frames[k][1], axis=frames[k][0][:, 2]))
    return m


def test_bennetts_overconstrained_linkage_moves_as_its_angles_must():
    """tan ½θ1 tan ½θ2 = sin ½(β + α)/sin ½(β − α), though by count of its equations it could not move at all."""
    twist, other, start = 0.7, 1.2, 1.0
    with pytest.warns(cd.RedundancyWarning, match="hinge"):
        r = cd.simulate(bennett(twist, other, 1.0, start), end=1.0, dt=0.005)
    assert np.ptp(r.energy["total"]) < 1e-9 and r.constraint_error.max() < 1e-10
    ratio = np.sin(0.5 * (other + twist)) / np.sin(0.5 * (other - twist))
    first = start + r.coordinate("hinge 0.angle")
    second = 2.0 * np.arctan(ratio / np.tan(0.5 * start)) + r.coordinate("hinge 1.angle")
    assert np.ptp(first) > 0.1
    np.testing.assert_allclose(np.tan(0.5 * first) * np.tan(0.5 * second), ratio, rtol=1e-8)
