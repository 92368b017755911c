"""Quasi-static bodies inside a run in time: balanced at every instant, second order, few iterations, supported."""

import numpy as np
import pytest

import condyle as cd
from condyle.system.compile import running
from condyle.system.quasi_static import end_forces

METHODS = {
    "energy–momentum": cd.EnergyMomentum(),
    "generalized-α": cd.GeneralizedAlpha(),
    "Newmark": cd.Newmark(),
    "HHT": cd.HHT(),
    "BDF": cd.BDF(),
}


def swing(quasi_static=True, *, law=None, joint=False, density=100.0):
    """A pendulum with a soft pad bonded under its end; the pad is pulled at its lower side."""
    m = cd.Model("swing", dimension=2, gravity=(0.0, -9.81))
    arm = m.add(cd.RigidBody("arm", 10.0, inertia=0.5, position=(0.5, 0.0)))
    m.add(cd.Spherical("hinge", m.ground, arm, at=(0.0, 0.0)))
    law = law or cd.Robust(2e4, 0.3, density)
    pad = m.add(cd.Solid.block("pad", (0.2, 0.1), (2, 1), law, origin=(0.9, -0.15), quasi_static=quasi_static))
    m.add(cd.Tie("bond", pad, "top", arm))
    if joint:  # a small body hangs on the pad
        bob = m.add(cd.RigidBody("bob", 1.0, inertia=0.01, position=(1.0, -0.25)))
        m.add(cd.Spherical("ball", pad.point("bottom"), bob, at=(1.0, -0.15)))
    else:
        m.add(cd.Load("pull", pad.point("bottom"), (0.0, -20.0)))
    return m


@pytest.mark.covering
@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize("joint", [False, True])
def test_a_swing_with_a_quasi_static_pad_converges_with_second_order(name, joint):
    end, step = (0.04, 0.002) if joint else (0.2, 0.01)  # the small body bounces on the pad
    reference = cd.simulate(swing(joint=joint), end=end, dt=step / 16, integrator=METHODS[name])
    errors = []
    for dt in (step, step / 2):
        result = cd.simulate(swing(joint=joint), end=end, dt=dt, integrator=METHODS[name])
        assert result.iterations.max() <= 4
        errors.append(np.abs(result.position("arm")[-1] - reference.position("arm")[-1]).max())
    assert errors[1] < 3e-3
    assert np.log2(errors[0] / errors[1]) > 1.7


@pytest.mark.parametrize("name", METHODS)
def test_the_pad_is_in_balance_at_every_instant_and_does_not_ring(name):
    """Elastic forces on its free nodes equal load and weight there, in every frame."""
    result = cd.simulate(swing(), end=0.2, dt=0.01, integrator=METHODS[name])
    system = running(result.system)
    for frame in range(len(result)):
        state = result.state(frame)
        left = (end_forces(system, state) - system.gravity(state.t))[system.quasi_static]
        assert np.abs(left).max() < 1e-9
    reach = result.position("pad.bottom") - result.position(cd.Point("arm", (0.5, -0.05)))
    stretch = np.linalg.norm(reach, axis=1)
    assert np.abs(np.diff(stretch, 2)).max() < 1e-4  # smooth from step to step


def test_a_light_body_moves_as_a_quasi_static_one():
    """Without inertia is the limit of little inertia."""
    still = cd.simulate(swing(density=1e-6), end=0.2, dt=0.005, integrator=cd.BDF())
    light = cd.simulate(swing(False, density=1e-6), end=0.2, dt=0.005, integrator=cd.BDF())
    np.testing.assert_allclose(still.position("pad.bottom")[-1], light.position("pad.bottom")[-1], atol=1e-5)


def test_energy_is_nearly_kept_and_the_result_says_that_it_is_not_exact():
    result = cd.simulate(swing(), end=0.5, dt=0.01)
    total = result.energy["total"] - result.energy["work"]
    scale = result.energy["kinetic"].max()
    assert np.ptp(total) < 2e-3 * scale
    assert any("quasi-static" in note for note in result.options["notes"])
    fine = cd.simulate(swing(), end=0.5, dt=0.005)
    assert np.ptp(fine.energy["total"] - fine.energy["work"]) < 0.35 * np.ptp(total)


@pytest.mark.parametrize("name", ["energy–momentum", "generalized-α"])
def test_viscous_and_fading_pads_keep_the_order(name):
    law = cd.Robust(2e4, 0.3, 100.0, viscosity=50.0, prony=((0.5, 0.05),))
    reference = cd.simulate(swing(law=law), end=0.1, dt=0.000625, integrator=METHODS[name])
    errors = []
    for dt in (0.01, 0.005):
        result = cd.simulate(swing(law=law), end=0.1, dt=dt, integrator=METHODS[name])
        assert result.iterations.max() <= 5
        errors.append(np.abs(result.position("pad.bottom")[-1] - reference.position("pad.bottom")[-1]).max())
    assert np.log2(errors[0] / errors[1]) > 0.8


def test_a_run_with_a_quasi_static_body_is_resumed_bit_for_bit(tmp_path):
    law = cd.Robust(2e4, 0.3, 100.0, prony=((0.5, 0.05),))
    whole = cd.simulate(swing(law=law), end=0.1, dt=0.01)
    for integrator in (cd.EnergyMomentum(), cd.GeneralizedAlpha()):
        whole = cd.simulate(swing(law=law), end=0.1, dt=0.01, integrator=integrator)
        file = tmp_path / f"{type(integrator).__name__}.h5"
        cd.simulate(swing(law=law), end=0.05, dt=0.01, integrator=integrator, file=file)
        again = cd.resume(file, end=0.1)
        assert np.array_equal(again.position("pad.bottom")[-1], whole.position("pad.bottom")[-1])
        assert np.array_equal(again.position("arm")[-1], whole.position("arm")[-1])


def test_loose_and_heavy_quasi_static_bodies_are_refused():
    def model(**hold):
        m = cd.Model("loose", dimension=2)
        pad = m.add(cd.Solid.block("pad", (1, 1), (1, 1), cd.Robust(10.0, 0.3), quasi_static=True))
        for name, (nodes, direction) in hold.items():
            m.add(cd.Hold(name, pad, nodes, direction))
        return m, pad

    with pytest.raises(cd.InputError, match="nothing keeps it from"):
        cd.compile(model()[0])
    with pytest.raises(cd.InputError, match="nothing keeps it from moving"):
        cd.compile(model(a=("left", (1, 0)))[0])
    with pytest.raises(cd.InputError, match="nothing keeps it from turning"):
        cd.compile(model(a=([0], (1, 0)), b=([0], (0, 1)))[0])
    m, pad = model(a=("left", (1, 0)), b=("bottom", (0, 1)))
    cd.compile(m)
    m, pad = model(a=([0], (1, 0)), b=([0], (0, 1)))
    m.add(cd.Spring("spring", pad.point(1), m.ground.point((1.0, -1.0)), 1e-3))
    cd.compile(m)
    heavy = m.add(cd.Solid.block("heavy", (1, 1), (1, 1), cd.Robust(10.0, 0.3, 1.0), origin=(0, 1)))
    m.add(cd.Tie("on it", heavy, "bottom", pad))
    with pytest.raises(cd.InputError, match="carries the mass of another body"):
        cd.compile(m)
    for method in (cd.RungeKutta(), cd.Compliant()):
        with pytest.raises(cd.InputError, match="cannot move the quasi-static body 'pad'"):
            cd.simulate(swing(), end=0.01, dt=0.01, integrator=method)


@pytest.mark.parametrize("name", METHODS)
def test_a_plate_bounces_on_a_quasi_static_pad(name):
    """Contact with a body without inertia: a mass on a spring while it touches, a free flight else; no energy is made."""
    m = cd.Model("bounce", dimension=2, gravity=(0.0, -9.81))
    pad = m.add(cd.Solid.block("pad", (0.4, 0.1), (4, 1), cd.Robust(5e4, 0.3), quasi_static=True))
    m.add(cd.Tie("base", pad, "bottom", m.ground))
    plate = m.add(cd.RigidBody("plate", 5.0, inertia=0.1, position=(0.2, 0.13)))
    m.add(cd.Contact("touch", pad, "top", plate, cd.Plane((0, -1), point=(0, -0.02))))
    result = cd.simulate(m, end=0.12, dt=0.001, integrator=METHODS[name])
    energy = result.energy["total"]
    scale = result.energy["kinetic"].max()
    assert energy.max() < energy[0] + 0.02 * scale
    height = result.position("plate")[:, 1]
    assert height.min() < 0.1185  # it presses the pad in
    assert height[height.argmin() :].max() > height.min() + 0.002  # and comes back
    assert result.contact("touch").normal_force.max() > 5.0 * 9.81
    assert result.iterations.max() <= 15


def bounce(law="augmented", friction=0.0):
    """A plate that falls, turned a little, onto a pad without inertia, whose left half it meets first."""
    m = cd.Model("bounce", dimension=2, gravity=(0.0, -9.81))
    pad = m.add(cd.Solid.block("pad", (0.4, 0.1), (4, 1), cd.Robust(5e4, 0.3), quasi_static=True))
    m.add(cd.Tie("base", pad, "bottom", m.ground))
    plate = m.add(cd.RigidBody("plate", 5.0, inertia=0.1, position=(0.2, 0.123), rotation=0.01, velocity=(0.2, 0.0)))
    m.add(cd.Contact("touch", pad, "top", plate, cd.Plane((0, -1), point=(0, -0.02)), law=law, friction=friction))
    m.add(cd.Spring("spring", m.ground.point((0.2, 1.0)), plate, 20.0))
    return m


COMPILED = {
    "a load": swing,
    "a joint": lambda: swing(joint=True),
    "hard contact": bounce,
    "hard contact, friction": lambda: bounce(friction=0.3),
    "soft contact": lambda: bounce(law="penalty"),
}


@pytest.mark.covering(2)
@pytest.mark.parametrize(
    "method",
    [cd.GeneralizedAlpha(), cd.Newmark(beta=0.3025, gamma=0.6, hold="positions"), cd.HHT(), cd.BDF()],
    ids=["alpha", "Newmark, positions", "HHT", "BDF"],
)
@pytest.mark.parametrize("case", COMPILED)
def test_compiled_steps_with_quasi_static_bodies_are_those_of_python(case, method, monkeypatch):
    """Rows of steps and single ones have the same bits; those of Python the same motion, forces and work."""
    run = lambda **how: cd.simulate(COMPILED[case](), end=0.06, dt=0.002, integrator=method, **how)  # noqa: E731
    compiled, alone = run(), run(events=[lambda sim: 1.0])
    assert compiled.in_python == {}
    np.testing.assert_array_equal(compiled.state(-1).x, alone.state(-1).x)
    monkeypatch.setattr(type(method), "why_in_python", lambda self, system: "asked for")
    python = run()
    assert sum(python.in_python.values()) == 30
    if "contact" in case:
        force = python.contact("touch").normal_force
        assert force.sum(axis=1).max() > 10.0 and not force[0].any()
        np.testing.assert_allclose(compiled.contact("touch").normal_force, force, atol=1e-5 * force.max())
    scale = np.abs(python.state(-1).v).max()
    for frame in (5, 15, 30):
        here, there = compiled.state(frame), python.state(frame)
        np.testing.assert_allclose(here.x, there.x, rtol=0.0, atol=1e-9)
        np.testing.assert_allclose(here.v, there.v, rtol=0.0, atol=1e-6 * scale)
        np.testing.assert_allclose(here.multipliers, there.multipliers, rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(compiled.energy["total"], python.energy["total"], atol=1e-7)


def test_what_quasi_static_bodies_leave_to_python_is_said():
    """Methods that balance mid-step, and contacts of which some press such bodies and others do not."""
    assert "does not balance the end of a step" in cd.Simulation(swing(), dt=0.01).step().in_python
    m = bounce()
    m.add(cd.Contact("wall", "plate", [(0.1, 0.0)], m.ground, cd.Plane((-1, 0), point=(2.0, 0.0))))
    reason = cd.Simulation(m, dt=0.002, integrator=cd.GeneralizedAlpha()).step().in_python
    assert reason == "some contacts press quasi-static bodies and others do not"


@pytest.mark.parametrize("law", ["augmented", "penalty"])
def test_a_heavy_body_on_a_stiff_pad_without_inertia_comes_to_rest_and_does_not_ring(law):
    """The force at the end of the step, taken as a mean, leaves v1 = 2 Δx/h − v0: a velocity that turns round for ever."""
    m = cd.Model("landing", dimension=2, gravity=(0.0, -9.81))
    stiff = cd.Robust(2e9, 0.3, 100.0)
    pad = m.add(cd.Solid.block("pad", (0.2, 0.1), (2, 1), stiff, origin=(-0.1, 0.0), quasi_static=True))
    m.add(cd.Tie("glue", pad, "bottom", m.ground))
    box = m.add(cd.RigidBody("box", 10.0, inertia=0.1, position=(0, 0.3), velocity=(0, -0.05)))
    m.add(cd.Slider("guide", m.ground, box, axis=(0, 1)))
    m.add(cd.Contact("pad under box", pad, "top", box, cd.Plane((0, -1), (0, -0.2)), law=law))
    result = cd.simulate(m, end=0.1, dt=0.005)
    assert np.abs(result.velocity("box")[-5:, 1]).max() < 1e-6
    np.testing.assert_allclose(result.contact("pad under box").resultant[-5:, 1], -98.1, rtol=1e-5)
    total = np.asarray(result.energy["total"])
    assert total.max() <= total[0] + 1e-9


def test_a_joint_on_a_quasi_static_pad_runs_in_rows_as_well():
    ends = [
        cd.simulate(swing(joint=True), end=0.01, dt=0.002, integrator=cd.GeneralizedAlpha(), formulation=form)
        for form in ("tangent", "rows")
    ]
    tangent, rows = (run.position("bob")[-1] for run in ends)
    assert rows == pytest.approx(tangent, abs=1e-8)
