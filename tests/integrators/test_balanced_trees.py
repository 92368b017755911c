"""Energy–momentum steps in joint coordinates: those of rows with multipliers, to round-off, in a fraction of the time."""

import numpy as np
import pytest

import condyle as cd
from condyle.integrators.compiled import CompiledSteps
from condyle.integrators.loop import set_turns
from condyle.integrators.tree_loop import correct, evaluate, factor
from condyle.integrators.tree_steps import TreeSteps
from condyle.system.assembly.body_laws import find_vectors
from condyle.system.assembly.hinge_laws import find_angles
from condyle.system.assembly.maps import turns_of
from condyle.system.assembly.tree_balance import (
    keep_iterate,
    move_tree,
    take_iterate,
)
from condyle.system.assembly.tree_start import begin_tree_step, find_gaps
from condyle.system.compile import running
from scaling import scaled
from trees import chain, human, limb, loose, plane

TREES = {
    "balls": lambda: chain(4),
    "hinges": lambda: chain(4, "hinge"),
    "loose balls": lambda: chain(3, held=False),
    "limb": limb,
    "limb on a hinge": lambda: limb(cd.Revolute, axis=(0.1, 1.0, 0.2)),
    "plane": plane,
    "loose hinge": loose,
    "human": human,
}


def resisted():
    """A limb with all that acts on the angles of its two hinges, one of which has its body first and its parent second."""
    model = limb()
    model.add(cd.CoordinateSpring("torsion", "wrist.angle", stiffness=2.0, rest=0.3))
    model.add(cd.CoordinateDamper("oil", "wrist.angle", damping=0.02))
    model.add(cd.Limit("stop", "wrist.angle", -0.2, 0.2, stiffness=50.0, damping=0.5))
    model.add(cd.CoordinateSpring("cord", "hinge.angle", curve=([-1.0, 0.0, 0.5, 1.0], [-3.0, 0.0, 0.2, 4.0])))
    model.add(cd.CoordinateDamper("grease", "hinge.angle", curve=([-3.0, 0.0, 1.0, 4.0], [-0.5, 0.0, 0.1, 0.3])))
    model.add(cd.CoordinateForce("motor", "hinge.angle", 1.5, lambda t: np.sin(20.0 * t)))
    tissue = cd.PassiveAxis(curve="elbow", lower=-0.4, upper=0.5, stiffness=20.0, stop_damping=0.3, damping=0.01)
    model.add(cd.PassiveMoment("passive", "hinge", tissue))
    return model


def sprung(make, joints, stiffness=3.0, rest=0.4, motor=0.0):
    """A model with a spring, and a motor, on each of these angles."""
    model = make()
    for name in joints:
        model.add(cd.CoordinateSpring(f"spring of {name.split(chr(46))[0]}", name, stiffness=stiffness, rest=rest))
        if motor:
            model.add(cd.CoordinateForce(f"motor of {name.split(chr(46))[0]}", name, motor))
    return model


def two_limbs():
    """Two trees in one model: one on the ground, one that falls; a hinge each."""
    model = loose()
    model.gravity = (0.0, 0.0, -9.81)
    arm = model.add(cd.RigidBody("arm", 1.2, inertia=(0.02, 0.09, 0.1), position=(3.3, 0, 0)))
    model.add(cd.Revolute("elbow", model.ground, arm, at=(3, 0, 0), axis=(0.2, 1.0, 0)))
    return model


RESISTED = {
    "all laws": resisted,
    "on the ground": lambda: sprung(lambda: limb(cd.Revolute, axis=(0.1, 1.0, 0.2)), ["hook.angle", "wrist.angle"]),
    "in the plane": lambda: sprung(plane, ["hook", "knee"], motor=1.0),
    "on nothing": lambda: sprung(loose, ["hinge.angle"], motor=1.0),
    "several trees": lambda: sprung(two_limbs, ["hinge.angle", "elbow.angle"]),
    "many hinges": lambda: sprung(lambda: chain(4, "hinge"), [f"j{k}.angle" for k in range(4)], stiffness=40.0),
}


def acted_on(make, act):
    """A model with more that acts on it."""
    model = make()
    act(model)
    return model


def turn(m):
    m.add(cd.Torque("twist", "e", (0.5, 0.0, 1.0), lambda t: np.cos(10.0 * t)))
    m.add(cd.Torque("own", "c", (0.2, 0.3, -0.1), frame="body"))
    m.add(cd.FollowerForce("jet", m["c"].at(0.1, 0.0, 0.2), (1.0, 2.0, 0.5)))


def hang(m):
    m.add(cd.Spring("band", m.ground.at(0.2, 0.5, 1.0), m["c"].at(0.65, 0.7, 0.1), stiffness=30.0))
    m.add(cd.Damper("oil", m.ground.at(0.2, 0.5, 1.0), m["e"].at(0.5, -0.4, 0.1), damping=0.5))


def tie(m):
    m.add(cd.Spring("spring", m["e"].at(0.5, -0.4, 0.1), m["c"].at(0.65, 0.7, 0.1), stiffness=30.0, rest_length=0.5))
    m.add(cd.Damper("damper", m["e"].at(0.5, -0.4, 0.1), m["c"].at(0.65, 0.7, 0.1), damping=0.5))
    ends = m["a"].at(0.1, 0.1, 0.1), m["b"].at(0.65, 0.2, 0.1)
    m.add(cd.Spring("cord", *ends, stiffness=50.0, rest_length=0.1, tension_only=True))
    m.add(cd.CoordinateSpring("torsion", "wrist.angle", stiffness=2.0, rest=0.3))


def hold(m):
    for k in (1, 2, 3):
        m.add(cd.CoordinateSpring(f"capsule {k}", f"shoulder.angle {k}", stiffness=2.0, rest=0.1 * k))
        m.add(cd.CoordinateDamper(f"oil {k}", f"shoulder.angle {k}", damping=0.01))
        m.add(cd.CoordinateSpring(f"hook {k}", f"hook.angle {k}", stiffness=2.0))


def bind_in_the_plane(m):
    m.add(cd.Spring("spring", m["a"].at(0.3, 0.2), m["b"].at(1.4, 0.1), stiffness=40.0, rest_length=0.6))
    m.add(cd.Spring("band", m.ground.at(0.3, -2.0), m["b"].at(1.4, 0.1), stiffness=10.0))
    m.add(cd.Torque("twist", "a", 0.7))


def bind(m):
    m.add(cd.Spring("spring", m["a"].at(0.1, 0.2, 0.0), m["b"].at(1.1, 0.0, 0.3), stiffness=40.0, rest_length=0.6))


BETWEEN = {
    "torques": lambda: acted_on(limb, turn),
    "to the ground": lambda: acted_on(limb, hang),
    "cords": lambda: acted_on(limb, tie),
    "ball joints": lambda: acted_on(limb, hold),
    "springs in the plane": lambda: acted_on(plane, bind_in_the_plane),
    "spring on nothing": lambda: acted_on(loose, bind),
}


def corded(count):
    """A chain with springs between bodies all along it."""
    m = chain(30)
    for k in range(count):
        m.add(cd.Spring(f"cord {k}", m[f"b{k}"], m[f"b{(7 * k + 5) % 30}"], stiffness=10.0))
    return m


def pair(make, end, dt, kind=cd.EnergyMomentum, **options):
    """The same run in joint coordinates and in rows."""
    return [cd.simulate(make(), end=end, dt=dt, integrator=kind(coordinates=c, **options)) for c in ("joints", "rows")]


def sizes(run, *names):
    return [
        max(1e-3, max(float(np.abs(getattr(run.state(k), name)).max()) for k in range(run.steps))) for name in names
    ]


@pytest.mark.parametrize("name", TREES)
def test_motion_and_joint_forces_are_those_of_rows_to_round_off(name):
    joints, rows = pair(TREES[name], 0.5, 0.005)
    assert joints.status == rows.status == "completed"
    # Velocities are differences of places over a step, multipliers those of velocities.
    x, v, held = sizes(rows, "x", "v", "multipliers")
    for k in (1, 20, 100):
        one, other = joints.state(k), rows.state(k)
        assert np.abs(one.x - other.x).max() < 1e-12 * x
        assert np.abs(one.v - other.v).max() < 2e-11 * max(v, x / 0.005)
        assert np.abs(one.multipliers - other.multipliers).max(initial=0.0) < 1e-8 * max(held, 10.0)
    for quantity in ("kinetic", "gravity", "total"):
        np.testing.assert_allclose(joints.energy[quantity], rows.energy[quantity], rtol=0, atol=1e-10)
    np.testing.assert_allclose(joints.linear_momentum, rows.linear_momentum, rtol=0, atol=1e-10)
    np.testing.assert_allclose(joints.angular_momentum, rows.angular_momentum, rtol=0, atol=1e-10)
    assert joints.constraint_error.max() < 1e-14 * max(1.0, x)
    assert joints.iterations.sum() < 1.5 * rows.iterations.sum()


@pytest.mark.parametrize("dt", [0.005, 0.02])
@pytest.mark.parametrize("name", RESISTED | BETWEEN)
def test_laws_on_hinges_and_between_bodies_act_as_in_rows_to_round_off(name, dt):
    joints, rows = pair((RESISTED | BETWEEN)[name], 0.5, dt)
    assert joints.status == rows.status == "completed" and not joints.in_python
    x, v, held = sizes(rows, "x", "v", "multipliers")
    for k in range(1, joints.steps, 8):
        one, other = joints.state(k), rows.state(k)
        assert np.abs(one.x - other.x).max() < 1e-12 * x
        assert np.abs(one.v - other.v).max() < 2e-11 * max(v, x / dt)
        assert np.abs(one.multipliers - other.multipliers).max() < 1e-8 * max(held, 10.0)
        assert np.abs(one.turns - other.turns).max(initial=0.0) < 1e-12 * max(1.0, np.abs(other.turns).max(initial=0.0))
    for quantity in ("kinetic", "stored", "total", "work"):
        np.testing.assert_allclose(joints.energy[quantity], rows.energy[quantity], rtol=0, atol=1e-10)
    assert np.ptp(joints.energy["stored"]) + np.ptp(joints.energy["work"]) > 1e-3
    assert joints.iterations.sum() < 1.25 * rows.iterations.sum()


@pytest.mark.parametrize("name", ["loose hinge", "human"])
def test_energy_and_momenta_are_kept_over_long_runs(name):
    model = TREES[name]()
    model.gravity = None
    run = cd.simulate(model, end=40.0, dt=0.01, every=1000)
    total = run.energy["total"]
    assert np.abs(total - total[0]).max() < 1e-12 * total[0]
    for momentum in (run.linear_momentum, run.angular_momentum):
        assert np.abs(momentum - momentum[0]).max() < 1e-11 * max(1.0, np.abs(momentum[0]).max())


def test_energy_is_kept_under_gravity_and_at_large_steps():
    run = cd.simulate(limb(), end=20.0, dt=0.02, every=1000)
    total = run.energy["total"]
    assert run.iterations.mean() > 1.5
    assert np.abs(total - total[0]).max() < 1e-12 * run.energy["kinetic"].max()


def test_stiff_springs_and_stops_take_as_many_iterations_as_in_rows():
    def stiff():
        model = sprung(limb, ["wrist.angle"], stiffness=3e4, rest=0.01)
        model.add(cd.Limit("stop", "hinge.angle", -0.05, 0.05, stiffness=1e5, damping=10.0))
        return model

    def stiff_cords():
        model = limb()
        model.add(cd.Spring("cord", model["e"].at(0.5, -0.4, 0.1), model["c"].at(0.65, 0.7, 0.1), stiffness=1e6))
        model.add(cd.Spring("wire", model.ground.at(0.2, 0.5, 1.0), model["a"].at(0.3, 0.0, 0.1), stiffness=1e7))
        return model

    joints, rows = pair(stiff_cords, 0.1, 0.001)
    assert joints.iterations.sum() < 1.25 * rows.iterations.sum() and not joints.in_python
    joints, rows = pair(stiff, 0.2, 0.002)
    assert np.abs(joints.state(-1).x - rows.state(-1).x).max() < 1e-10
    assert joints.iterations.sum() < 1.1 * rows.iterations.sum() and not joints.in_python


def test_energy_is_kept_by_springs_on_hinges_that_go_round_and_round():
    model = sprung(loose, ["hinge.angle"], stiffness=0.02)
    model["a"].angular_velocity = (0.0, 9.0, 9.0)
    run = cd.simulate(model, end=20.0, dt=0.02, every=100)
    total = run.energy["total"]
    assert np.abs(run.state(-1).turns).max() > 4.0 * np.pi
    assert np.abs(total - total[0]).max() < 1e-12 * total[0]
    for momentum in (run.linear_momentum, run.angular_momentum):
        assert np.abs(momentum - momentum[0]).max() < 1e-11 * np.abs(momentum[0]).max()


@pytest.mark.parametrize(
    "name", ["balls", "hinges", "limb", "plane", "loose hinge", "human", "all laws", "in the plane", *BETWEEN]
)
def test_convergence_is_quadratic_also_where_joints_are_open_at_an_iterate(name):
    h = 0.04
    sim = cd.Simulation((TREES | RESISTED | BETWEEN)[name](), dt=h, integrator=cd.EnergyMomentum(coordinates="joints"))
    for _ in range(3):
        sim.step()
    steps = sim.method.compiled(sim.system)
    problem, room = steps.problem, steps.work.room
    tree, x, v, turn = problem.tree, sim.state.x, sim.state.v, np.zeros((len(sim.system.rows.bodies), 3))
    amplitudes = sim.system.amplitudes(sim.time + 0.5 * h) if sim.system.functions else np.zeros(1)
    find_gaps(tree, x, room)
    find_angles(tree, problem.hinges, x, sim.state.turns, steps.work.hinges)
    set_turns(problem.whole.laws, problem.between.turns, sim.state.turns)
    find_vectors(tree, problem.between, problem.whole.laws, x, steps.work.between)
    begin_tree_step(tree, h, problem.gravity, x, v, room)
    turns_of(problem.whole.rows, x, v, h, turn)
    take_iterate(tree, problem.bodies, h * v, turn, room)
    left = []
    for _ in range(4):
        evaluate(problem, h, amplitudes, True, steps.work)
        left.append(np.abs(steps.work.unknowns[0]).max())
        assert factor(problem, h, steps.work)
        correct(problem, steps.work)
        keep_iterate(tree, room)
        move_tree(tree, 1.0, room)
    assert left[3] < 10.0 * left[2] * left[2] / left[0] + 1e-14 * max(left[0], 1.0)


def test_a_tree_is_stepped_in_joint_coordinates_and_other_models_in_rows():
    ring = chain(3)
    ring.add(cd.Spherical("end", ring.ground, ring["b2"], at=(3, 0, 0.3)))
    trees = limb(), resisted(), BETWEEN["torques"](), BETWEEN["ball joints"](), corded(3)
    for model, kind in (*((tree, TreeSteps) for tree in trees), (ring, CompiledSteps)):
        assert type(cd.EnergyMomentum().compiled(running(model))) is kind
        assert type(cd.EnergyMomentum(coordinates="rows").compiled(running(model))) is CompiledSteps


def test_many_springs_between_bodies_far_from_each_other_are_left_to_rows():
    assert type(cd.EnergyMomentum().compiled(running(corded(30)))) is CompiledSteps
    joints, rows = pair(lambda: corded(30), 0.05, 0.005)
    assert not joints.in_python
    assert np.abs(joints.state(-1).x - rows.state(-1).x).max() < 1e-11
    assert joints.iterations.sum() < 1.25 * rows.iterations.sum()


def test_springs_between_bodies_keep_energy_and_momenta():
    run = cd.simulate(BETWEEN["spring on nothing"](), end=20.0, dt=0.02, every=100)
    total = run.energy["total"]
    assert not run.in_python and np.ptp(run.energy["stored"]) > 1e-2 * total[0]
    assert np.abs(total - total[0]).max() < 1e-12 * total[0]
    for momentum in (run.linear_momentum, run.angular_momentum):
        assert np.abs(momentum - momentum[0]).max() < 1e-11 * np.abs(momentum[0]).max()


def refused():
    ring = chain(3)
    ring.add(cd.Spherical("end", ring.ground, ring["b2"], at=(3, 0, 0.3)))
    spanned = limb()
    path = [spanned["a"].at(0.1, 0, 0), spanned["b"].at(0.6, 0.3, 0), spanned["c"].at(0.6, 0.5, 0.1)]
    spanned.add(cd.Ligament("ligament", path, stiffness=100.0, slack_length=0.3))
    mass = plane()
    mass.add(cd.PointMass("mass", mass=1.0, position=(2, 0)))
    where = "acts on more than two bodies, or in a way that only rows know"
    return {"'end' closes a loop": ring, f"'ligament' {where}": spanned, "'mass' is no rigid body": mass}  # fmt: skip


@pytest.mark.parametrize("message", refused())
@pytest.mark.parametrize("kind", [cd.EnergyMomentum, cd.ComposedEnergyMomentum])
def test_what_joint_coordinates_cannot_do_is_named(message, kind):
    with pytest.raises(cd.InputError, match=rf"{kind.__name__}\(coordinates='joints'\): {message}"):
        cd.simulate(refused()[message], end=0.01, dt=0.005, integrator=kind(coordinates="joints"))


@pytest.mark.parametrize("make", [limb, lambda: sprung(limb, ["wrist.angle", "hinge.angle"]), BETWEEN["ball joints"]])
def test_a_run_resumes_bit_for_bit_and_steps_alone_are_those_in_a_row(make, tmp_path):
    whole = cd.simulate(make(), end=4.0, dt=1 / 64)
    cd.simulate(make(), end=2.5, dt=1 / 64, file=tmp_path / "run.h5")
    resumed = cd.resume(tmp_path / "run.h5", end=4.0)
    sim = cd.Simulation(make(), dt=1 / 64)
    errors = []
    while sim.time < 4.0:
        info = sim.step()
        assert not info.in_python
        errors.append(info.numbers[0][5])
    for state in (resumed.state(-1), sim.state):
        for name in ("x", "v", "multipliers", "turns"):
            assert np.array_equal(getattr(state, name), getattr(whole.state(-1), name))
    assert np.array_equal(whole.constraint_error[1:], errors)
    assert np.array_equal(resumed.energy["total"], whole.energy["total"])


def test_a_run_goes_on_in_rows_from_joint_coordinates():
    there = cd.Simulation(limb(), dt=0.005)
    for _ in range(20):
        there.step()
    ends = []
    for coordinates in ("joints", "rows"):
        sim = cd.Simulation(limb(), dt=0.005, integrator=cd.EnergyMomentum(coordinates=coordinates), state=there.state)
        for _ in range(20):
            sim.step()
        ends.append(sim.state.x)
    assert np.abs(ends[0] - ends[1]).max() < 1e-12


@pytest.mark.parametrize("make", [limb, lambda: sprung(limb, ["wrist.angle", "hinge.angle"]), BETWEEN["cords"]])
def test_metres_and_millimetres_give_the_same_steps(make):
    one, other = (cd.simulate(scaled(make(), s), end=0.5, dt=0.005) for s in (1.0, 1e3))
    assert not other.in_python
    assert np.array_equal(one.iterations, other.iterations)
    np.testing.assert_allclose(other.energy["kinetic"], 1e6 * one.energy["kinetic"], rtol=1e-9)
    np.testing.assert_allclose(other.position("c"), 1e3 * one.position("c"), rtol=0, atol=1e-9)


def test_a_step_in_which_a_body_turns_too_far_is_cut():
    model = limb()
    model["e"].angular_velocity = (400.0, 0.0, 0.0)
    run = cd.simulate(model, end=0.02, dt=0.01)
    total = run.energy["total"]
    assert run.status == "completed" and "cuts" in str(run.summary())
    assert np.abs(total - total[0]).max() < 1e-9 * total[0]


def test_what_joints_are_open_by_at_the_start_of_a_step_is_closed_in_it():
    sim = cd.Simulation(limb(), dt=0.005)
    turn = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, -1e-11], [0.0, 1e-11, 1.0]])
    last = sim.system.tree.rows[-1]
    sim.state.x[last[0]] += 1e-11
    sim.state.x[last[1:]] = sim.state.x[last[1:]] @ turn.T
    assert sim.system.constraint_error(sim.state.x, 0.0) > 3e-12
    assert not sim.step().in_python
    assert sim.system.constraint_error(sim.state.x, 0.0) < 1e-15


def pushed():
    """Forces that keep their directions, and gravity that changes."""
    model = limb()
    model.add(cd.Load("push", model["e"].at(0.1, 0.0, 0.0), (0.5, 0.0, 3.0), cd.Ramp(0.0, 0.3)))
    model.add(cd.Load("pull", model["c"].at(0.1, 0.0, 0.2), (5.0, 0.0, 3.0), lambda t: np.sin(30.0 * t)))
    model.add(cd.Gravity("launch", lambda t: 1.0 + np.sin(20.0 * t)))
    return model


def test_dead_loads_and_changing_gravity_act_as_in_rows_and_their_work_closes_the_balance():
    joints, rows = pair(pushed, 0.5, 0.005)
    assert type(cd.EnergyMomentum().compiled(running(pushed()))) is TreeSteps
    assert np.abs(joints.state(-1).x - rows.state(-1).x).max() < 1e-12
    assert np.abs(joints.state(-1).multipliers - rows.state(-1).multipliers).max() < 1e-7
    missing = joints.energy["total"] - joints.energy["work"]
    assert np.ptp(joints.energy["work"]) > 10.0
    assert np.ptp(missing) < 1e-11
    np.testing.assert_allclose(joints.energy["work"], rows.energy["work"], rtol=0, atol=1e-10)


def test_inputs_of_a_script_act_on_steps_in_joint_coordinates():
    ends = []
    for coordinates in ("joints", "rows"):
        model = limb()
        model.add(cd.Load("push", model["e"], (0.0, 0.0, 1.0)))
        model.add(cd.CoordinateForce("motor", "wrist.angle", 1.0))
        model.add(cd.Torque("twist", "b", (0.0, 0.0, 1.0)))
        sim = cd.Simulation(model, dt=0.005, integrator=cd.EnergyMomentum(coordinates=coordinates))
        for k in range(40):
            sim.inputs["push"] = 3.0 * np.sin(k)
            sim.inputs["motor"], sim.inputs["twist"] = 0.2 * np.cos(k), 0.1 * np.sin(2.0 * k)
            sim.step()
        ends.append(sim.state.x)
    assert np.abs(ends[0] - ends[1]).max() < 1e-12


@pytest.mark.parametrize("newton", ["full", "modified"])
def test_kept_factors_give_the_same_motion(newton):
    joints, rows = pair(limb, 0.2, 0.005, newton=newton)
    assert np.abs(joints.state(-1).x - rows.state(-1).x).max() < 1e-12


@pytest.mark.parametrize("order", [4, 6])
@pytest.mark.parametrize(
    "make", [limb, lambda: sprung(limb, ["wrist.angle", "hinge.angle"]), BETWEEN["spring on nothing"]]
)
def test_compositions_of_steps_are_those_of_rows(make, order):
    joints, rows = pair(make, 0.2, 0.02, kind=cd.ComposedEnergyMomentum, order=order)
    one, other = joints.state(-1), rows.state(-1)
    assert np.abs(one.x - other.x).max() < 1e-12
    assert np.abs(one.multipliers - other.multipliers).max() < 1e-8 * np.abs(other.multipliers).max()
    total = joints.energy["total"]
    assert np.abs(total - total[0]).max() < 1e-12


def test_a_chain_of_a_thousand_hinges_loses_no_digits():
    run = cd.simulate(chain(1000, "hinge"), end=0.03, dt=0.001, every=30)
    total = run.energy["total"]
    assert run.iterations[1:].max() <= 2 and run.iterations[0] <= 6
    assert np.abs(total - total[0]).max() < 1e-14 * np.abs(total[0])
