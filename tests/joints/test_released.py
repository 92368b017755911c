"""Homogeneous conditions on any degree of freedom: rows of any body held along a direction, components of joints released."""

import numpy as np
import pytest

import condyle as cd

METHODS = [cd.EnergyMomentum(), cd.GeneralizedAlpha(), cd.BDF(), cd.Newmark(), cd.RungeKutta(), cd.Compliant()]
EACH = pytest.mark.parametrize("method", METHODS, ids=lambda m: type(m).__name__)
RUBBER = cd.NeoHookean(young=2e4, poisson=0.3, density=1000.0)


def bar(**joint):
    """A bar in space that turns and flies, on a joint at its end."""
    m = cd.Model("bar", gravity=(0.0, 0.0, -9.81))
    body = m.add(
        cd.RigidBody("bar", 2.0, inertia=(0.1, 0.2, 0.25), position=(0.5, 0, 0), angular_velocity=(0.3, 0.2, 1.0))
    )
    body.velocity = (0.4, 0.5, -0.1)
    return m, body


# --- rows that are held -----------------------------------------------------------------------------------------------


@EACH
def test_a_rigid_body_held_along_a_direction_moves_freely_across_it(method):
    m, body = bar()
    body.velocity = (0.4, 0.5, 0.0)
    m.add(cd.Hold("level", body, "nodes", (0, 0, 1)))
    run = cd.simulate(m, end=0.2, dt=0.005, integrator=method)
    x = run.position("bar")
    assert np.abs(x[:, 2]).max() < 1e-9
    assert x[-1, :2] == pytest.approx((0.5 + 0.4 * 0.2, 0.1), abs=1e-9)
    assert run.reaction("level")[-5:, 2] == pytest.approx(2.0 * 9.81, rel=1e-6)


def test_a_hold_is_the_joint_that_does_the_same():
    first, body = bar()
    first.add(cd.Hold("level", body, "nodes", (0, 0.6, 0.8)))
    second, body = bar()
    second.add(cd.PointOnPlane("level", second.ground, body.at(0, 0, 0), axis=(0, 0.6, 0.8)))
    runs = [cd.simulate(m, end=0.3, dt=0.005) for m in (first, second)]
    assert np.abs(runs[0].position("bar") - runs[1].position("bar")).max() < 1e-12


@EACH
def test_a_director_that_is_held_stops_the_turning_in_the_plane(method):
    m = cd.Model("plane", dimension=2, gravity=(0.0, -9.81))
    body = m.add(cd.RigidBody("body", 2.0, inertia=0.1, rotation=0.4, velocity=(1.0, 0.0)))
    m.add(cd.Load("push", body.at(0.3, 0.0), (0.0, 5.0)))
    m.add(cd.Hold("no turning", body, "nodes", (0, 1), vectors="direction 1"))
    run = cd.simulate(m, end=0.2, dt=0.01, integrator=method)
    assert np.abs(run.angle("body")).max() < 1e-9
    # d₁·e_y = sin φ: −λ cos φ is the moment about the centre that the support puts on the body.
    moment = 0.3 * np.cos(0.4) * 5.0
    (force,) = run.multipliers("no turning").values()
    assert np.ravel(force)[-1] == pytest.approx(moment / np.cos(0.4), rel=1e-9)


def cantilever():
    """A cable whose start is held by its place and by the component of its gradient across it: r_x may still stretch."""
    m = cd.Model("cantilever", dimension=2)
    cable = m.add(cd.Cable("cable", [(0, 0), (1, 0)], 4, cd.Rope(axial=1e3, bending=10.0, mass=1.0)))
    m.add(cd.Pin("pin", m.ground, cable.point("start"), at=(0, 0)))
    m.add(cd.Hold("slope", cable, "start", (0, 1), vectors="direction 1"))
    m.add(cd.Load("tip", cable.point("end"), (0.2, 0.05)))
    return m, cable


def test_a_held_gradient_component_carries_the_moment_of_a_cantilever():
    m, cable = cantilever()
    still = cd.solve_static(m)
    assert still.position("cable.end")[-1, 1] == pytest.approx(0.05 / (3 * 10.0), rel=0.01)
    (moment,) = still.multipliers("slope").values()
    assert np.ravel(moment)[-1] == pytest.approx(0.05, rel=0.01)
    assert still.position(cable.at(0.5))[-1, 0] > 0.5 + 0.9e-4  # 0.2/1e3 of stretch: that is not held


@EACH
def test_a_held_gradient_component_stays_in_every_method(method):
    m, cable = cantilever()
    run = cd.simulate(m, end=0.02, dt=0.0002 if isinstance(method, cd.RungeKutta) else 0.001, integrator=method)
    start = run.position(cable.at(1e-4)) / 1e-4  # r_x, but for s r_xx/2
    assert np.abs(start[:, 1]).max() < 1e-6 < np.abs(run.position("cable.end")[:, 1]).max()


@pytest.mark.parametrize("order", [1, 2])
def test_columns_and_coefficients_of_a_pseudo_rigid_body_are_held(order):
    m = cd.Model("block", dimension=2)
    block = m.add(cd.PseudoRigidBody.box("block", (0.4, 0.2), 1000.0, material=RUBBER, order=order))
    m.add(cd.Hold("place", block, "nodes", (1, 0)))
    m.add(cd.Hold("no shear", block, 0, (1, 0), vectors="direction 2"))
    if order == 2:
        m.add(cd.Hold("no bending", block, 0, (0, 1), vectors=[f"direction {k}" for k in (3, 4, 5)]))
    m.add(cd.Load("pull", block.at(0.1, 0.1), (3.0, 1.0)))
    system = cd.compile(m)
    run = cd.simulate(m, end=0.1, dt=0.002)
    x = np.array([run.position(block.at(*p)) for p in ((0.0, 0.0), (0.0, 0.1), (0.2, 0.0))])
    assert np.abs(x[0, :, 0]).max() < 1e-12
    assert system.unknowns == 2 * (3 if order == 1 else 6) + 2 + (3 if order == 2 else 0)
    if order == 1:
        assert np.abs(x[1, :, 0] - x[0, :, 0]).max() < 1e-12
        assert np.abs(x[1, -1, 1] - x[0, -1, 1] - 0.1) > 1e-7  # it still stretches
    assert np.abs(run.energy["total"] - run.energy["work"] - run.energy["total"][0]).max() < 1e-10


def test_a_prescribed_gradient_follows_its_function():
    m = cd.Model("twisted", dimension=2)
    cable = m.add(cd.Cable("cable", [(0, 0), (1, 0)], 3, cd.Rope(axial=1e4, bending=1.0, mass=1.0)))
    m.add(cd.Pin("pin", m.ground, cable.point("start"), at=(0, 0)))
    m.add(cd.Hold("turn", cable, "start", (0, 1), cd.Ramp(0.0, 0.1, 0.0, 0.3), vectors="direction 1"))
    run = cd.simulate(m, end=0.1, dt=0.002)
    near = run.position(cable.at(1e-6))[-1] / 1e-6
    assert near[1] == pytest.approx(0.3, abs=1e-5)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"vectors": "direction 4"}, "nodes of 'bar' have no 'direction 4'"),
        ({"vectors": []}, "vectors are 'place'"),
        ({"vectors": 3}, "vectors are 'place'"),
        ({"vectors": "direction 1", "direction": (1, 0, 0)}, "turning does not change it"),
        ({"nodes": "tip"}, "no set or node 'tip'"),
        ({"nodes": [1]}, "no set or node 1"),
    ],
)
def test_what_cannot_be_held_is_named(options, message):
    m, body = bar()
    with pytest.raises(cd.InputError, match=f"Hold 'h': .*{message}"):
        m.add(cd.Hold("h", body, **({"nodes": "nodes", "direction": (0, 0, 1)} | options)))
        cd.compile(m)


# --- components that are released -------------------------------------------------------------------------------------


def released_pairs():
    """A joint with components released, and the joint that is left."""

    def spherical(m, body, **more):
        return cd.Spherical("joint", m.ground, body, at=(0, 0, 0), **more)

    def revolute(m, body, **more):
        return cd.Revolute("joint", m.ground, body, at=(0, 0, 0), axis=(0, 0, 1), **more)

    def cylindrical(m, body, **more):
        return cd.Cylindrical("joint", m.ground, body, at=(0, 0, 0), axis=(0, 0, 1), **more)

    def fixed(m, body, **more):
        return cd.Fixed("joint", m.ground, body, at=(0, 0, 0), **more)

    def on_line(m, body, **more):
        return cd.PointOnLine("joint", m.ground, body, at=(0, 0, 0), axis=(0, 0, 1), **more)

    return {
        "ball on a line": (spherical, ["z"], on_line),
        "hinge as ball": (revolute, ["axis 1", "axis 2"], spherical),
        "hinge that slides": (revolute, ["z"], cylindrical),
        "weld that turns": (fixed, ["rotation 1"], revolute),
        "cylinder as line": (cylindrical, ("axis 1", "axis 2"), on_line),
    }


@pytest.mark.parametrize("name", released_pairs())
@pytest.mark.parametrize("formulation", ["tangent", "rows"])
def test_a_joint_without_some_components_is_the_joint_that_is_left(name, formulation):
    make, released, other = released_pairs()[name]
    runs = []
    for build, options in ((make, {"released": released}), (other, {})):
        m, body = bar()
        m.add(build(m, body, **options))
        runs.append(cd.simulate(cd.compile(m, formulation=formulation), end=0.2, dt=0.005))
    a, b = runs
    assert np.abs(a.position("bar") - b.position("bar")).max() < 1e-9
    assert np.abs(a.joint_force("joint") - b.joint_force("joint")).max() < 1e-6
    assert np.abs(a.joint_torque("joint") - b.joint_torque("joint")).max() < 1e-6
    assert not set(released) & set(a.multipliers("joint"))


@pytest.mark.parametrize(
    ("method", "enforcement"),
    [
        *((method, "multiplier") for method in METHODS),
        (METHODS[0], "augmented"),
        (METHODS[0], "uzawa"),
        (METHODS[2], "penalty"),
    ],
)
def test_a_released_component_is_free_in_every_method(method, enforcement):
    m = cd.Model("slot", dimension=2, gravity=(0.5, -9.81))
    body = m.add(cd.PointMass("bead", 2.0, (0.0, 0.0)))
    m.add(cd.Spherical("slot", m.ground, body, at=(0, 0), released="x", enforcement=enforcement))
    run = cd.simulate(m, end=0.2, dt=0.005, integrator=method)
    assert run.position("bead")[-1] == pytest.approx((0.5 * 0.5 * 0.2**2, 0.0), abs=4e-4)
    loose = 1e-3 if enforcement == "penalty" else 1e-6
    assert run.joint_force("slot")[-1] == pytest.approx((0.0, 2.0 * 9.81), rel=loose)


def test_a_joint_may_hold_nothing_and_still_measure():
    m, body = bar()
    m.add(
        cd.Revolute("free", m.ground, body, at=(0, 0, 0), axis=(0, 0, 1), released=["x", "y", "z", "axis 1", "axis 2"])
    )
    run = cd.simulate(m, end=0.1, dt=0.005)
    assert run.velocity("bar")[-1] == pytest.approx((0.4, 0.5, -0.1 - 0.981), abs=1e-9)
    assert run.coordinate("free.angle")[-1] == pytest.approx(0.1, abs=0.02)


@pytest.mark.parametrize(
    ("released", "message"),
    [
        (["axis 3"], "it holds no component 'axis 3' to release"),
        (3, "released is the name"),
        ([1], "released is the name"),
    ],
)
def test_what_cannot_be_released_is_named(released, message):
    m, body = bar()
    with pytest.raises(cd.InputError, match=f"Revolute 'joint': {message}"):
        m.add(cd.Revolute("joint", m.ground, body, at=(0, 0, 0), axis=(0, 0, 1), released=released))
        cd.compile(m)
