"""Equations of spicka-2013 as corrected, written out, beside what the package computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import eigh
from test_contact_laws import left_over

import condyle as cd
from condyle import geometry as g
from condyle.studies import spicka_pendulum as pendulum

RADII = np.array([0.5, 0.3, 0.2])
ANGLES = (0.7, 1.1, -0.4)  # ψ, ν, φ
PLANE = np.array([0.3, -0.5, 0.8])


def test_a_line_beside_an_ellipse_has_the_distance_of_its_parallel_tangents():
    """y = k x + q, A x² + B y² = C: the tangent has the slope −A x/(B y) = k, so that x = −B k y/A."""
    a, b = 0.5, 0.2
    A, B = 1.0 / a**2, 1.0 / b**2
    for k, q in ((0.4, -0.9), (-1.3, -1.1), (0.0, -0.6)):
        y = 1.0 / np.sqrt(B + B**2 * k**2 / A)
        points = [(-B * k * s * y / A, s * y) for s in (1.0, -1.0)]
        wanted = min(abs(k * x0 - y0 + q) / np.sqrt(k**2 + 1.0) for x0, y0 in points)
        line = g.HalfSpace((-k, 1.0, 0.0), centre=(0.0, q, 0.0))  # what is below the line is material
        found = g.closest_points([g.Ellipsoid((a, b, 0.7)), line], np.stack((g.pose(), g.pose())), [(0, 1)])
        assert found.gap[0] == pytest.approx(wanted, abs=1e-12)


def test_a_plane_in_body_axes_has_the_corrected_components():
    """k̃, l̃, m̃ = T₁₂ᵀ (k, l, m) written out in Euler angles, and d = (ñ − h)/|(k, l, m)|."""
    psi, nu, phi = ANGLES
    sp, cp, sn, cn, sf, cf = np.sin(psi), np.cos(psi), np.sin(nu), np.cos(nu), np.sin(phi), np.cos(phi)
    k, n0, centre = PLANE, -0.1, np.array([0.4, 0.9, 0.7])
    in_body = np.array(
        [
            k[0] * (cf * cp - cn * sf * sp) + k[1] * (cf * sp + cn * cp * sf) + k[2] * sf * sn,
            k[0] * (-cp * sf - cf * cn * sp) + k[1] * (cf * cn * cp - sf * sp) + k[2] * cf * sn,
            k[0] * sn * sp - k[1] * cp * sn + k[2] * cn,
        ]
    )
    T = pendulum.turned(ANGLES)
    assert in_body == pytest.approx(T.T @ k, abs=1e-15)
    assert T[:, 2] == pytest.approx([sn * sp, -cp * sn, cn], abs=1e-15)
    h = np.sqrt((RADII**2 * in_body**2).sum())
    size = np.linalg.norm(k)
    wanted = (n0 + k @ centre - h) / size
    plane = g.HalfSpace(k, centre=-n0 * k / size**2)
    found = g.closest_points([g.Ellipsoid(RADII), plane], np.stack((g.pose(centre, T), g.pose())), [(0, 1)])
    assert found.gap[0] == pytest.approx(wanted, abs=1e-12)
    assert T.T @ (found.point_a[0] - centre) == pytest.approx(-(RADII**2) * in_body / h, abs=1e-9)


def test_the_rate_of_a_gap_is_the_normal_velocity_of_the_material_at_the_contact_point():
    """The point moves over the ellipsoid, and that does not count: ḋ = n·(Ẋ + ω × R)."""
    rng = np.random.default_rng(2)
    velocity, spin, centre = rng.normal(size=3), rng.normal(size=3), np.array([0.1, 0.2, 0.8])

    def at(t: float) -> Any:
        turn = cd.rotation(axis=spin / np.linalg.norm(spin), angle=t * float(np.linalg.norm(spin)))
        poses = np.stack((g.pose(centre + t * velocity, turn @ pendulum.turned(ANGLES)), g.pose()))
        return g.closest_points([g.Ellipsoid(RADII), g.HalfSpace(PLANE)], poses, [(0, 1)])

    here, h = at(0.0), 1e-5
    normal = PLANE / np.linalg.norm(PLANE)
    material = normal @ (velocity + np.cross(spin, here.point_a[0] - centre))
    assert (at(h).gap[0] - at(-h).gap[0]) / (2 * h) == pytest.approx(material, abs=1e-8)


def test_a_contact_force_acts_on_the_body_with_its_moment_about_the_centre_of_mass():
    """M = R × F with R = r − X_s: what turns the body is that and nothing else."""
    model = cd.Model("ellipsoid", dimension=3)
    inertia, T, dt = np.array([0.02, 0.03, 0.04]), pendulum.turned(ANGLES), 1e-6
    down = float(np.sqrt((RADII**2 * (T.T @ (0.0, 0.0, 1.0)) ** 2).sum()))
    body = model.add(cd.RigidBody("body", 2.0, inertia=inertia, position=(0, 0, down - 1e-3), rotation=T))
    model.add(cd.Contact("floor", body, cd.Ellipsoid(RADII), model.ground, cd.Plane((0, 0, 1)), law=cd.Hertz(1e7)))
    run = cd.simulate(model, end=20 * dt, dt=dt, integrator=cd.RungeKutta())
    force = run.contact("floor").force[-1][0]
    arm = run.contact("floor").places[-1][0] - run.position("body")[-1]
    gained = T @ (inertia * (T.T @ run.angular_velocity("body")[-1]))
    assert np.abs(np.cross(arm, force)).max() > 1.0
    assert gained / (20 * dt) == pytest.approx(np.cross(arm, force), rel=2e-3, abs=1e-3)
    assert 2.0 * run.velocity("body")[-1] / (20 * dt) == pytest.approx(force, rel=2e-3, abs=1e-6)


@pytest.mark.parametrize("rule", ["newton", "poisson", "stronge"])
def test_an_eccentric_impact_has_the_impulse_of_the_discrete_model(rule: str):
    """P₁ = Δv/(1/m₁ + 1/m₂ + r₁²/I₁ + r₂²/I₂), of which (1 + e) is handed over."""
    e, (m1, m2), (i1, i2) = 0.6, (1.0, 2.5), (0.04, 0.2)
    v10, v20, w10, w20, r1, r2 = 2.0, -0.5, 0.3, -0.2, 0.15, -0.25
    model = cd.Model("bars", dimension=2)
    one = model.add(cd.RigidBody("one", m1, inertia=i1, position=(-0.02, -r1), velocity=(v10, 0), angular_velocity=w10))
    two = model.add(cd.RigidBody("two", m2, inertia=i2, position=(0.02, -r2), velocity=(v20, 0), angular_velocity=w20))
    ball, wall = cd.Sphere(0.019, (0.0, r1)), cd.Box((0.038, 2.0))
    model.add(cd.Contact("blow", one, ball, two, wall, law=cd.Impact(e, rule)))
    run = cd.simulate(model, end=2e-3, dt=1e-4)
    # The line of the impact is x; the arms are those along y, and the speed of the point is v − ω r.
    P1 = ((v10 - r1 * w10) - (v20 - r2 * w20)) / (1 / m1 + 1 / m2 + r1**2 / i1 + r2**2 / i2)
    assert run.velocity("one")[-1, 0] == pytest.approx(v10 - (1 + e) * P1 / m1, abs=3e-3)
    assert run.velocity("two")[-1, 0] == pytest.approx(v20 + (1 + e) * P1 / m2, abs=3e-3)
    assert run.angular_velocity("one")[-1] == pytest.approx(w10 + (1 + e) * r1 * P1 / i1, abs=3e-2)
    assert run.angular_velocity("two")[-1] == pytest.approx(w20 - (1 + e) * r2 * P1 / i2, abs=3e-2)


def test_the_constraints_of_the_double_pendulum_have_their_gradient_and_bias():
    """Φ_q and γ with their signs and the factor 2 corrected, by differences."""
    rng, reach, h = np.random.default_rng(4), 2.0, 1e-5
    q, v = rng.normal(size=12), rng.normal(size=12)
    _, G, bias = pendulum._constraints(q, v, reach)
    for k, e in enumerate(np.eye(12)):
        up, down = (pendulum._constraints(q + s * h * e, v, reach)[0] for s in (1, -1))
        assert (up - down) / (2 * h) == pytest.approx(G[:, k], abs=1e-9)
    ways = [pendulum._constraints(q + s * h * v, v, reach)[0] for s in (1, 0, -1)]
    assert -(ways[0] - 2 * ways[1] + ways[2]) / h**2 == pytest.approx(bias, abs=1e-4)


def test_rates_of_euler_angles_are_the_angular_velocity_in_body_and_in_world_axes():
    """ω = B θ̇ in the body, and its columns in the world are z, the line of nodes and z′."""
    q, h = np.array(ANGLES), 1e-6
    psi, nu, _ = q
    T = pendulum.turned(q)
    world = np.array(
        [
            (0.0, np.cos(psi), np.sin(nu) * np.sin(psi)),
            (0.0, np.sin(psi), -np.sin(nu) * np.cos(psi)),
            (1.0, 0.0, np.cos(nu)),
        ]
    )
    assert T @ pendulum.spin_map(q) == pytest.approx(world, abs=1e-15)
    for k, e in enumerate(np.eye(3)):
        S = (pendulum.turned(q + h * e) - pendulum.turned(q - h * e)) / (2 * h) @ T.T
        assert np.array([S[2, 1], S[0, 2], S[1, 0]]) == pytest.approx(world[:, k], abs=1e-9)


def test_multipliers_that_were_eliminated_are_the_joint_forces():
    """λ of the elimination at the release is what the joints carry: that of the shoulder holds what does not fall."""
    p = pendulum.STUDY.values()
    run = cd.simulate(pendulum.pendulum_model(p), end=4e-3, dt=1e-3)
    q, v = np.zeros(12), np.zeros(12)
    axis = pendulum.turned((0.0, 0.5 * np.pi, 0.0))[:, 2]
    for k in range(2):
        q[6 * k : 6 * k + 3], q[6 * k + 4] = (1 + 2 * k) * p.semi_axes[2] * axis, 0.5 * np.pi
    falls = pendulum.accelerations(q, v, p, exact=True)
    carried = p.mass * (2 * p.gravity + falls[2] + falls[8])
    alpha = 196.2 / 68.0, -39.24 / 68.0
    assert carried == pytest.approx(2 * 9.81 - 6 * alpha[0] - 2 * alpha[1], abs=1e-3)
    assert abs(run.joint_force("shoulder")[0, 2]) == pytest.approx(carried, abs=2e-3)


def in_six_angles(p: Any, times: Any) -> tuple[Any, Any]:
    """Angles and rates (t, 2, 3) of the constant mass matrix by Lagrange's equations in six Euler angles, without joints.

    L = Σ ½ m |ẋ|² + ½ Σ I θ̇² − m g z with x₁ = a e₁, x₂ = 2a e₁ + a e₂, e = (sν sψ, −cψ sν, cν): Σ m Jᵀ (J θ̈ + ẍ₀) + I θ̈ = f.
    """
    a, inertia = p.semi_axes[2], np.tile(p.inertia, 2)

    def rate(t: float, y: Any) -> Any:
        angles, rates = y[:6], y[6:]
        axes, bends = np.zeros((2, 3, 6)), np.zeros((2, 3))
        for k in range(2):
            (psi, nu, _), (dpsi, dnu, _) = angles[3 * k : 3 * k + 3], rates[3 * k : 3 * k + 3]
            sp, cp, sn, cn = np.sin(psi), np.cos(psi), np.sin(nu), np.cos(nu)
            axes[k, :, 3 * k] = (sn * cp, sn * sp, 0.0)
            axes[k, :, 3 * k + 1] = (cn * sp, -cn * cp, -sn)
            both, square = 2.0 * cn * dpsi * dnu, dpsi**2 + dnu**2
            bends[k] = (-sn * sp * square + cp * both, sn * cp * square + sp * both, -cn * dnu**2)
        M, f = np.diag(inertia), np.zeros(6)
        for J, bend in ((a * axes[0], a * bends[0]), (2 * a * axes[0] + a * axes[1], 2 * a * bends[0] + a * bends[1])):
            M = M + p.mass * J.T @ J
            f -= p.mass * J.T @ (bend + np.array((0.0, 0.0, p.gravity)))
        return np.concatenate((rates, np.linalg.solve(M, f)))

    start = np.concatenate((np.tile((0.0, 0.5 * np.pi, 0.0), 2), np.tile(p.spin, 2)))
    solved: Any = solve_ivp(rate, (0.0, times[-1]), start, "DOP853", t_eval=times, rtol=1e-11, atol=1e-12)
    return solved.y[:6].T.reshape(-1, 2, 3), solved.y[6:].T.reshape(-1, 2, 3)


def test_the_constant_mass_matrix_drifts_by_29_J_in_2_s():
    """What it keeps is Σ ½ I θ̇² with the rates of Euler angles; of the energy Σ ½ I ω² it gains and loses the difference."""
    p = pendulum.STUDY.values()
    times = np.linspace(0.0, 2.0, 201)
    angles, rates = in_six_angles(p, times)
    spins = np.array(
        [[pendulum.spin_map(a) @ r for a, r in zip(*at, strict=True)] for at in zip(angles, rates, strict=True)]
    )
    difference = 0.5 * ((spins**2 - rates**2) @ np.array(p.inertia)).sum(axis=1)
    drift = difference - difference[0]
    energy = pendulum.in_euler_angles(p, p.spin, times, exact=False)["energy"]
    assert energy - energy[0] == pytest.approx(drift, abs=1e-4)
    assert np.abs(drift).max() == pytest.approx(29.495, abs=2e-3)
    exact = pendulum.in_euler_angles(p, p.spin, times, exact=True)["energy"]
    assert np.abs(exact - exact[0]).max() < 1e-5


def test_a_hanging_pendulum_swings_where_euler_angles_are_singular():
    """B has no inverse at ν = π, and the exact matrix BᵀIB none either; Condyle has both small swings of each plane."""
    p = pendulum.STUDY.values()
    assert np.linalg.det(pendulum.spin_map((0.3, np.pi, 0.0))) == pytest.approx(0.0, abs=1e-15)
    m, g, a, kick = p.mass, p.gravity, p.semi_axes[2], 1e-3
    model = cd.Model("hanging", dimension=3, gravity=(0.0, 0.0, -g))
    T = pendulum.turned((0.0, np.pi, 0.0))
    first = {"spins": np.array((kick, -0.5 * kick, 0.0)), "place": np.array((0.0, 0.0, -a))}
    spins = (first["spins"], np.array((-0.4 * kick, 0.7 * kick, 0.0)))
    elbow = np.cross(spins[0], 2.0 * first["place"])
    speeds = (0.5 * elbow, elbow + np.cross(spins[1], first["place"]))
    bodies = [
        model.add(
            cd.RigidBody(name, m, inertia=p.inertia, position=(0, 0, -(1 + 2 * k) * a), rotation=T, velocity=speeds[k],
                         angular_velocity=spins[k])
        )
        for k, name in enumerate(("upper", "lower"))
    ]  # fmt: skip
    model.add(cd.Spherical("shoulder", model.ground, bodies[0], at=(0.0, 0.0, 0.0)))
    model.add(cd.Spherical("elbow", bodies[0], bodies[1], at=(0.0, 0.0, -2.0 * a)))
    run = cd.simulate(model, end=2.0, dt=2e-3)
    assert np.ptp(run.energy["total"]) < 1e-12
    K = m * g * a * np.diag((3.0, 1.0))
    for axis in (0, 1):  # turning about x moves the bodies along y, about y against x
        M = p.inertia[axis] * np.eye(2) + m * a**2 * np.array(((5.0, 2.0), (2.0, 1.0)))
        squares, modes = eigh(K, M)
        share = modes.T @ M @ [spin[axis] for spin in spins]
        w = np.sqrt(squares)
        turn = (np.sin(np.outer(run.times, w)) / w * share) @ modes.T
        way = (1.0, -1.0)[axis] * a * np.stack((turn[:, 0], 2.0 * turn[:, 0] + turn[:, 1]), axis=1)
        found = np.stack([run.position(name)[:, 1 - axis] for name in ("upper", "lower")], axis=1)
        assert np.abs(way).max() > 0.2 * kick
        assert found == pytest.approx(way, abs=1e-4 * np.abs(way).max())


@pytest.mark.parametrize("method", [cd.EnergyMomentum(), cd.GeneralizedAlpha()], ids=["energy-momentum", "alpha"])
def test_a_dashpot_of_the_square_of_the_rate_has_its_closed_form(method: Any):
    """F = K sⁿ + χ sⁿ ṡ |ṡ|: of ½ v² there is 1/(1 + χ v²/K) left, whatever n."""
    for exponent, speed in ((1.5, 1.0), (1.0, 2.0)):
        law = cd.NonlinearDashpot(1e6, 4e5, exponent, rate_exponent=2.0)
        wanted = 1.0 / np.sqrt(1.0 + 0.4 * speed**2)
        assert cd.rebound(law, 1.5, speed).restitution == pytest.approx(wanted, abs=1e-7)
        assert left_over(law, speed, method) == pytest.approx(wanted, abs=6e-3)
    with pytest.raises(cd.InputError, match="rate_exponent"):
        cd.NonlinearDashpot(1e6, 4e5, rate_exponent=0.5)


@pytest.mark.parametrize("method", [cd.EnergyMomentum(), cd.GeneralizedAlpha()], ids=["energy-momentum", "alpha"])
def test_a_dashpot_of_another_exponent_than_the_spring_has_its_closed_form(method: Any):
    """K s³ + χ s ṡ: with y = s² a linear dashpot of twice the mass, v dv/dy 2 m = −K y − χ v, let go where y + χ v/K = 0."""
    mass, K, zeta = 1.5, 1e9, 0.2
    law = cd.NonlinearDashpot(K, 2.0 * zeta * np.sqrt(2.0 * mass * K), 3.0, 1.0)
    w = np.sqrt(1.0 - zeta**2)
    wanted = np.exp(-zeta / w * np.arctan2(2.0 * zeta * w, 2.0 * zeta**2 - 1.0))
    for speed in (1.0, 2.0):
        assert left_over(law, speed, method) == pytest.approx(wanted, abs=6e-3)
