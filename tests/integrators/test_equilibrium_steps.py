"""Runs without inertia: balance at every instant under loads, drives and moving frames."""

import numpy as np
import pytest

import condyle as cd


def test_a_spring_follows_its_load_without_ringing():
    m = cd.Model("spring", dimension=2)
    ball = m.add(cd.RigidBody("ball", 5.0, inertia=1.0, position=(1.0, 0.0)))
    m.add(cd.Slider("guide", m.ground, ball, axis=(1, 0)))
    m.add(cd.Spring("spring", m.ground.at(0, 0), ball.at(0, 0), stiffness=100.0))
    m.add(cd.Load("pull", ball.at(0, 0), (10.0, 0.0), cd.Table((0.0, 1.0), (1.0, 3.0))))
    result = cd.simulate(m, end=1.0, dt=0.25, integrator=cd.QuasiStatic())
    assert np.allclose(result.position("ball")[:, 0], 1.1 + 0.2 * result.times)


def test_a_damper_and_a_spring_creep_as_implicit_euler_says():
    m = cd.Model("creep", dimension=2)
    ball = m.add(cd.RigidBody("ball", 1.0, inertia=1.0, position=(1.0, 0.0)))
    m.add(cd.Slider("guide", m.ground, ball, axis=(1, 0)))
    m.add(cd.Spring("spring", m.ground.at(0, 0), ball.at(0, 0), stiffness=100.0))
    m.add(cd.Damper("damper", m.ground.at(0, 0), ball.at(0, 0), damping=50.0))
    m.add(cd.Load("pull", ball.at(0, 0), (10.0, 0.0), cd.Table((0.0, 0.1), (0.0, 1.0))))
    result = cd.simulate(m, end=0.5, dt=0.1, integrator=cd.QuasiStatic())
    u = [0.0]
    for _ in range(5):
        u.append((10.0 + 500.0 * u[-1]) / 600.0)  # c (u1 − u0)/h + k u1 = f
    assert np.allclose(result.position("ball")[:, 0] - 1.0, u)


def test_a_driven_ball_slides_in_a_soft_socket():
    m = cd.Model("socket", dimension=2)
    mesh = cd.Mesh.annulus(0.014, 0.022, (2, 12), angle=np.pi)
    liner = m.add(cd.Solid.from_mesh("liner", mesh, cd.Robust(1e9, 0.3, 900.0), thickness=0.01))
    m.add(cd.Tie("shell", liner, "outer", m.ground))
    head = m.add(cd.RigidBody("head", 0.1, inertia=1e-5))
    m.add(cd.CustomJoint("hip", m.ground, head, at=(0, 0)))
    m.add(cd.Drive("turn", "hip.angle", motion=cd.Ramp(0.0, 1.0, 0.0, 0.5)))
    m.add(cd.Load("load", head.at(0, 0), (0.0, 1000.0)))
    m.add(cd.Contact("joint", liner, "inner", head, cd.Sphere(0.014)))
    result = cd.simulate(m, end=1.0, dt=0.1, integrator=cd.QuasiStatic(start_steps=2))
    joint = result.contact("joint")
    assert np.allclose(joint.resultant, (0.0, 1000.0), atol=1e-6)
    middle = int(np.argmin(np.abs(joint.places[0, :, 0])))
    assert joint.slip[-1, middle] == pytest.approx(0.5 * 0.014, rel=2e-3)
    still = cd.solve_static(m, steps=2).contact("joint")
    assert np.allclose(joint.pressure[0], still.pressure[-1], rtol=1e-9, atol=1.0)


def test_a_body_that_nothing_holds_is_named():
    m = cd.Model("loose", dimension=2, gravity=(0.0, -9.81))
    m.add(cd.RigidBody("loose", 1.0, inertia=0.1))
    with pytest.raises(cd.ConvergenceError, match="loose"):
        cd.simulate(m, end=1.0, dt=0.5, integrator=cd.QuasiStatic())


def test_the_number_of_increments_at_the_start_is_checked():
    with pytest.raises(cd.InputError, match="start_steps"):
        cd.QuasiStatic(start_steps=0)
