"""What a result gives of joints, points and bodies: torques, accelerations, momenta, and its page in the docs."""

import re
from pathlib import Path

import numpy as np
import pytest

import condyle as cd
from condyle.results.result import Result

G = 9.81


def bar_on_hinge(dt=0.005, **options):
    """A bar of 2 kg and 1 m on a hinge at its end, its axis y, released from the horizontal; its centre is off to y."""
    model = cd.Model("bar", gravity=(0.0, 0.0, -G))
    bar = model.add(
        cd.RigidBody(
            "bar", 2.0, inertia=(0.02, 2.0 / 12.0, 2.0 / 12.0), position=(0.5, 0.3, 0.0), points={"end": (0.5, 0, 0)}
        )
    )
    model.add(cd.Revolute("hinge", model.ground, bar, at=(0.0, 0.0, 0.0), axis=(0.0, 1.0, 0.0)))
    return cd.simulate(model, end=0.5, dt=dt, **options)


def newton_euler(result, times):
    """Force and torque about the hinge on the bar [N, N m] by the laws of Newton and Euler, from its angle and rate."""
    angle = np.interp(times, result.times, result.angle("bar", axis=(0.0, 1.0, 0.0)))
    c, s = np.cos(angle), np.sin(angle)
    zero = np.zeros_like(c)
    r = np.stack((0.5 * c, 0.3 + zero, -0.5 * s), axis=1)  # hinge to centre
    J = 2.0 / 12.0 + 2.0 * 0.25
    rate = np.interp(times, result.times, result.angular_velocity("bar")[:, 1])
    turn = 2.0 * G * 0.5 * c / J
    a = np.stack((0.5 * (-s * turn - c * rate**2), zero, 0.5 * (-c * turn + s * rate**2)), axis=1)
    force = 2.0 * a + np.array([0.0, 0.0, 2.0 * G])
    # d/dt of the angular momentum about the hinge: m r × a, and the bar's own J₂ α along y (no product of inertia with y).
    torque = 2.0 * np.cross(r, a) - np.cross(r, [0.0, 0.0, -2.0 * G])
    torque[:, 1] += 2.0 / 12.0 * turn
    return force, torque


@pytest.mark.parametrize("method", [cd.EnergyMomentum(), cd.GeneralizedAlpha(), cd.RungeKutta()])
def test_force_and_torque_of_a_hinge_are_those_of_newton_and_euler(method):
    errors = []
    for dt in (0.01, 0.005):
        result = bar_on_hinge(dt, integrator=method)
        force, torque = newton_euler(result, result.multiplier_times)
        assert np.abs(torque[:, 1]).max() < 1e-10  # the formula itself: a hinge holds nothing about its axis
        assert np.abs(result.joint_torque("hinge")[:, 1]).max() < 1e-9
        errors.append(
            max(np.abs(result.joint_torque("hinge") - torque).max(), np.abs(result.joint_force("hinge") - force).max())
        )
    assert errors[1] < 4e-2 and errors[1] < max(0.3 * errors[0], 1e-10)  # second order, or that of the motion itself


def test_torque_of_a_clamp_carries_the_moment_of_a_weight():
    for dimension in (2, 3):
        down = (0.0, -G) if dimension == 2 else (0.0, 0.0, -G)
        model = cd.Model(dimension=dimension, gravity=down)
        size, place = ((1.0, 0.1), (0.5, 0.0)) if dimension == 2 else ((1.0, 0.1, 0.1), (0.5, 0.0, 0.0))
        bar = model.add(cd.RigidBody.box("bar", size, 20.0, position=place))
        model.add(cd.Fixed("wall", model.ground, bar, at=(0.0,) * dimension))
        torque = cd.simulate(model, end=0.1, dt=0.01).joint_torque("wall")
        weight = model["bar"].mass * G
        wanted = 0.5 * weight if dimension == 2 else [0.0, -0.5 * weight, 0.0]
        assert torque == pytest.approx(np.broadcast_to(wanted, torque.shape), abs=1e-9 * weight)


def test_torque_of_a_joint_on_a_solid_is_its_moment_about_the_joint():
    """A beam clamped at a rigid base that is turned: the torque on the base is that of what hangs on it."""
    model = cd.Model(gravity=(0.0, 0.0, -G))
    mesh = cd.Mesh.block((1.0, 0.2, 0.2), (2, 1, 1))
    model.add(cd.Solid.from_mesh("beam", mesh, cd.StVenantKirchhoff(1e9, 0.3, density=100.0)))
    model.add(
        cd.Revolute("hinge", model.ground.at(0.0, 0.1, 0.1), cd.Point("beam", (0.0, 0.1, 0.1)), axis=(0.0, 1.0, 0.0))
    )
    model.add(cd.Spherical("end", model.ground.at(1.0, 0.1, 0.1), cd.Point("beam", (1.0, 0.1, 0.1))))
    static = cd.solve_static(model)
    torque, force = static.joint_torque("hinge")[-1], static.joint_force("hinge")[-1]
    other = static.joint_force("end")[-1]
    weight = 100.0 * 0.04 * G
    assert force + other == pytest.approx([0.0, 0.0, weight], abs=1e-6 * weight)
    arm = (
        static.position(cd.Point("beam", (1.0, 0.1, 0.1)))[-1] - static.position(cd.Point("beam", (0.0, 0.1, 0.1)))[-1]
    )
    centre = np.mean(mesh.nodes, axis=0) - (0.0, 0.1, 0.1)
    left = torque + np.cross(arm, other) + np.cross(centre, [0.0, 0.0, -weight])
    assert left == pytest.approx(np.zeros(3), abs=1e-3 * weight)
    assert abs(torque[1]) < 1e-9 * weight  # free about its axis


def test_accelerations_are_of_second_order():
    errors = []
    for dt in (0.01, 0.005):
        result = bar_on_hinge(dt)
        angle = result.angle("bar", axis=(0.0, 1.0, 0.0))
        turn = 1.5 * G * np.cos(angle)
        spin = result.angular_velocity("bar")[:, 1]
        end = np.stack(
            (
                -np.sin(angle) * turn - np.cos(angle) * spin**2,
                0 * turn,
                -np.cos(angle) * turn + np.sin(angle) * spin**2,
            ),
            1,
        )
        errors.append(
            (
                np.abs(result.angular_acceleration("bar")[:, 1] - turn).max(),
                np.abs(result.acceleration("bar.end") - end).max(),
            )
        )
    errors = np.array(errors)
    assert (errors[1] < 0.3 * errors[0]).all() and (errors[1] < 3e-2).all()


def test_accelerations_need_three_frames_in_time():
    model = cd.Model(dimension=2)
    model.add(cd.PointMass("stone", 1.0, (0.0, 0.0)))
    with pytest.raises(cd.InputError, match="three frames"):
        cd.simulate(model, end=0.1, dt=0.1).acceleration("stone")
    assert cd.simulate(model, end=0.3, dt=0.1).acceleration("stone") == pytest.approx(
        np.broadcast_to(model.gravity, (4, 2)), abs=1e-9
    )


def test_momenta_of_the_bodies_add_up_to_those_of_the_model():
    model = cd.Model(gravity=(0.0, 0.0, 0.0))
    a = model.add(
        cd.RigidBody.box("a", (1.0, 0.2, 0.1), 500.0, velocity=(1.0, 0.2, 0.0), angular_velocity=(0.3, 2.0, 1.0))
    )
    b = model.add(cd.RigidBody.ball("b", 0.2, 900.0, position=(0.7, 0.0, 0.0), centre_of_mass=(0.0, 0.02, 0.0)))
    model.add(cd.Spherical("ball", a, b, at=(0.5, 0.0, 0.0)))
    result = cd.simulate(model, end=0.2, dt=0.01)
    parts = [result.body_momentum(body) for body in ("a", b)]
    assert sum(p for p, _ in parts) == pytest.approx(result.linear_momentum, abs=1e-10)
    assert sum(h for _, h in parts) == pytest.approx(result.angular_momentum, abs=1e-10)
    centre = cd.Point("b", (0.0, 0.02, 0.0))
    assert parts[1][0] == pytest.approx(model["b"].mass * result.velocity(centre), abs=1e-10)
    with pytest.raises(cd.InputError, match="no mass"):
        result.body_momentum("ground")


def test_multipliers_are_put_onto_the_frames_with_second_order():
    errors = []
    for dt in (0.01, 0.005):
        result = bar_on_hinge(dt)
        force = result.at_frames(result.joint_force("hinge"))
        assert force.shape == (len(result), 3)
        errors.append(np.abs(force - newton_euler(result, result.times)[0]).max())
    assert errors[1] < 0.3 * errors[0] and errors[1] < 4e-2
    with pytest.raises(cd.InputError, match="multiplier_times"):
        result.at_frames(np.zeros(7))


def test_curves_are_drawn_over_a_coordinate():
    result = bar_on_hinge()
    axes = result.plot_joint_force("hinge", "z", over="hinge.angle", degrees=True).axes[0]
    assert axes.get_xlabel() == "hinge.angle [°]"
    (line,) = axes.get_lines()
    assert line.get_xdata() == pytest.approx(np.degrees(result.coordinate("hinge.angle")))
    assert line.get_ydata() == pytest.approx(result.at_frames(result.joint_force("hinge"))[:, 2])
    axes = result.plot_joint_torque("hinge", over=result.position("bar.end")[:, 2]).axes[0]
    assert len(axes.get_lines()) == 3 and axes.get_ylabel() == "joint torque [N m]"
    axes = result.plot_points("bar.end", "z", quantity="acceleration", over="hinge.angle").axes[0]
    assert axes.get_ylabel() == "acceleration z [m/s²]" and axes.get_xlabel() == "hinge.angle [rad]"
    axes = result.plot_coordinate("hinge.angle", quantity="rate", over="hinge.angle").axes[0]  # a phase portrait
    assert axes.get_lines()[0].get_ydata() == pytest.approx(result.coordinate_rate("hinge.angle"))
    with pytest.raises(cd.InputError, match="one for each frame"):
        result.plot_joint_force("hinge", over=result.multiplier_times)


def test_every_public_name_of_a_result_stands_on_its_page_with_its_unit():
    page = (Path(__file__).parents[2] / "docs" / "results.md").read_text(encoding="utf-8")
    rows = set(re.findall(r"^\| `(?:result\.)?(\w+)", page, re.M)) | set(re.findall(r"`(\w+)\(?", page))
    public = {name for kind in Result.__mro__[:-1] for name in vars(kind) if not name.startswith("_")}
    assert public - rows == set()
