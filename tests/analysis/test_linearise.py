"""M, D, K and G are the derivatives of the equations of motion, at rest and in motion."""

import numpy as np
import pytest

import condyle as cd
from condyle.analysis.linearise import tangent_map
from condyle.system import assembly
from condyle.system.whole import whole_system
from zoo import ZOO

KINDS = [
    "joints in the plane, multiplier",
    "joints in space, augmented",
    "joints in space, uzawa",
    "joints in the plane, given penalty",
    "forces in the plane",
    "forces in space",
    "quad4",
    "rod in the plane",
    "rod in space",
    "shared corner in space",
]


def residual(linear, x, v, a, multipliers):
    """Pᵀ (m ẍ + f(x, ẋ) + Gᵀ λ) and the constraints, evaluated without any tangent."""
    s, t = linear.system, linear.state.t
    out = s.buffers()
    stiffness = s.stiffness(1e-3)
    penalty = stiffness[0] * (s.links.hold == 3), stiffness[1] * (s.constraints.hold == 3)
    amplitudes = s.amplitudes(t)
    loads = (s.applied(t, x, v), amplitudes, np.array([amplitudes, amplitudes]))
    whole = whole_system(s, s.rows, s.mass, s.laws)
    none = (assembly.NO_MAP, assembly.NO_MAP)
    motion = (x, x, x, v, a, x)
    assembly.assemble(whole, motion, loads, (multipliers, *penalty), 0, 0, (1.0, 1.0, 0.0), none, False, out)
    return out.r[: linear.size].copy(), out.c.copy()


def turned(system, rows, x, du):
    """Rows of vectors that turn with the rigid bodies as the unknowns change; free rows stay."""
    out, base = rows.copy(), x.copy()
    assembly.move(system.rows, du, base)
    for directors in system.rows.bodies:
        turn = base[directors].T @ x[directors]
        out[directors] = rows[directors] @ turn.T
    return out


def differences(linear):
    """M, D and K by central differences along u, u̇ and ü; G from the constraints."""
    s, at = linear.system, linear.state
    n, h = linear.size, 1e-6
    M, D, K, G = np.zeros((n, n)), np.zeros((n, n)), np.zeros((n, n)), np.zeros((len(s.multipliers), n))
    P, a = linear.map.toarray(), linear.acceleration
    rate = tangent_map(s, at.v, directors_only=True).toarray()
    for k in range(n):
        for sign in (1.0, -1.0):
            du = np.zeros(s.unknowns)
            du[k] = sign * h
            x = at.x.copy()
            assembly.move(s.rows, du, x)
            r, c = residual(linear, x, turned(s, at.v, at.x, du), turned(s, a, at.x, du), at.multipliers)
            K[:, k] += sign * r / (2 * h)
            G[:, k] += sign * c / (2 * h)
            change = sign * h * P[:, k].reshape(at.x.shape)
            bend = sign * h * 2.0 * rate[:, k].reshape(at.x.shape)
            D[:, k] += sign * residual(linear, at.x, at.v + change, a + bend, at.multipliers)[0] / (2 * h)
            M[:, k] += sign * residual(linear, at.x, at.v, a + change, at.multipliers)[0] / (2 * h)
    return M, D, K, G


@pytest.mark.covering
@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("rest", [True, False], ids=["at rest", "in motion"])
def test_matrices_are_derivatives_of_the_equations_of_motion(name, rest):
    linear = cd.linearise(ZOO[name](), rest=rest)
    s = linear.system
    M, D, K, G = differences(linear)
    live = np.flatnonzero(s.exact)
    order = live[np.argsort(s.multiplier_unknowns[live])]
    for ours, theirs in zip(linear.dense(), (M, D, K, G[order]), strict=True):
        assert ours.shape == theirs.shape
        if ours.size:
            scale = max(np.abs(theirs).max(), 1e-3 * np.abs(K).max())
            np.testing.assert_allclose(ours, theirs, atol=3e-7 * scale)


def with_user_force():
    """A rigid body and a particle, pulled together and slowed down by a Python function."""
    m = cd.Model("user force", dimension=3, gravity=(0.0, 0.0, -9.81))
    a = m.add(cd.RigidBody("a", 1.3, inertia=(0.2, 0.3, 0.4), angular_velocity=(0.5, 0.2, -0.4)))
    p = m.add(cd.PointMass("p", 0.4, (1.0, 0.5, 0.2), velocity=(0.1, 0.0, 0.3)))

    def pull(t, places, rates):
        gap, closing = places[1] - places[0], rates[1] - rates[0]
        force = 20.0 * gap * np.linalg.norm(gap) + 3.0 * closing
        return np.array([force, -force])

    m.add(cd.UserForce("muscle", [a.at(0.2, 0.1, 0.3), p], pull))
    return m


def test_forces_of_python_functions_are_linearised_by_differences():
    linear = cd.linearise(with_user_force())
    M, D, K, _ = differences(linear)
    for ours, theirs in zip(linear.dense(), (M, D, K), strict=False):
        np.testing.assert_allclose(ours, theirs, atol=1e-6 * np.abs(theirs).max())


def test_unknowns_and_constraints_have_names():
    linear = cd.linearise(ZOO["joints in the plane, multiplier"]())
    assert linear.names[:2] == ["a x", "a y"] and "a θ" in linear.names
    assert len(linear.names) == linear.size == len(set(linear.names))
    assert linear.constraint_names[:2] == ["pin x", "pin y"]
    assert linear.G.shape == (len(linear.constraint_names), linear.size)
    assert "rod[3] y" in cd.linearise(ZOO["rod in the plane"]()).names
    assert "b0 θz" in cd.linearise(ZOO["joints in space, multiplier"]()).names


def test_an_equilibrium_brings_its_load_factor_and_multipliers():
    m = cd.Model("pendulum", dimension=2, gravity=(0.0, -10.0))
    body = m.add(cd.RigidBody("body", 2.0, inertia=0.3, position=(0.0, -0.5)))
    m.add(cd.Pin("pin", m.ground, body, at=(0.0, 0.0)))
    path = cd.solve_static(m, steps=4)
    for frame, factor in ((1, 0.25), (-1, 1.0)):
        linear = cd.linearise(m, (path, frame))
        assert linear.balanced
        np.testing.assert_allclose(linear.K.toarray()[2, 2], factor * 2.0 * 10.0 * 0.5, rtol=1e-12)
    assert cd.linearise(m, path).K.toarray()[2, 2] == linear.K.toarray()[2, 2]
    np.testing.assert_allclose(cd.linearise(m).K.toarray(), linear.K.toarray(), atol=1e-12)


def test_a_state_in_motion_is_not_balanced():
    m = cd.Model("stone", dimension=2, gravity=(0.0, -10.0))
    m.add(cd.PointMass("stone", 1.0, (0.0, 0.0)))
    linear = cd.linearise(m)
    assert not linear.balanced
    np.testing.assert_allclose(linear.residual, 0.0, atol=1e-12)


def test_wrong_input_is_named():
    m, other = ZOO["rod in the plane"](), ZOO["quad4"]()
    with pytest.raises(cd.InputError, match="does not belong to model 'rod in the plane'"):
        cd.linearise(m, cd.linearise(other).state)
    with pytest.raises(cd.InputError, match="a State, a Result or"):
        cd.linearise(m, 3.0)
    with pytest.raises(cd.InputError, match="dt must be a positive"):
        cd.linearise(m, dt=0.0)
    with pytest.raises(cd.InputError, match="t must be a finite"):
        cd.linearise(m, t=np.nan)
