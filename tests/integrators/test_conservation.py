"""Energy–momentum stepping keeps energy and both momenta, and every description of a mechanism gives the same motion."""

import numpy as np
import pytest

import condyle as cd
from condyle.analysis.checks.motion import Kept, spread
from stepping import walk
from zoo import FIRM, STEEL, STRIP, as_simplices, shared_corners

SPIN = (0.4, 2.0, -0.7)


def free_body(dimension=3):
    m = cd.Model("free body", dimension=dimension)
    if dimension == 3:
        motion = dict(velocity=(-0.6, 0.05, 0.5), angular_velocity=(0.1, 2.0, 0.1))
        m.add(cd.RigidBody("body", 2.0, inertia=(1.0, 2.0, 2.5), centre_of_mass=(0.2, -0.1, 0.3), **motion))
    else:
        motion = dict(velocity=(0.0, -0.6), angular_velocity=2.0)
        m.add(cd.RigidBody.box("body", (2.0, 1.0), 1.0, centre_of_mass=(0.3, 0.1), **motion))
    return m


def chain(*, hung=False, gravity=None):
    """Three bodies with a spherical joint and a hinge; `hung`: from the ground by another spherical joint."""
    m = cd.Model("chain", dimension=3, gravity=gravity)
    turns = ((0.2, 0, 0), (0, 0.5, 0.1), (0.3, -0.2, 0))
    links = [
        m.add(
            cd.RigidBody(
                f"link{i}", 1.0 + 0.2 * i, inertia=(0.02, 0.1, 0.11), position=(0.5 + i, 0, 0), rotation=turns[i]
            )
        )
        for i in range(3)
    ]
    links[0].angular_velocity = SPIN
    m.add(cd.Spherical("ball", links[0], links[1], at=(1.0, 0.0, 0.0)))
    m.add(cd.Revolute("hinge", links[1], links[2], at=(2.0, 0.0, 0.0), axis=(0.0, 1.0, 0.2)))
    if hung:
        m.add(cd.Spherical("hook", links[0], m.ground, at=(0.0, 0.0, 0.0)))
    return m


def assert_conserved(path, tolerance, *, momenta=True):
    kept = Kept(path.energy("kinetic"), path.energy(), *path.momenta(), path.system.row_mass.sum())
    kept.check(tolerance, momenta=momenta)
    assert kept.kinetic.min() > 0.0  # it moves


def test_a_free_asymmetric_body_keeps_energy_and_momenta_over_10000_steps():
    path = walk(free_body(), 0.02, 10_000, every=20)
    assert_conserved(path, 1e-11)  # also the angular momentum about an origin that it leaves 150 m behind
    # It tumbles: the axis with the middle inertia turns over.
    second = path.system.anchors["body"].directors[1]
    assert min(s.x[second, 1] for s in path.states) < -0.9


def test_a_floating_chain_keeps_energy_and_momenta_over_10000_steps():
    path = walk(chain(), 0.01, 10_000, every=50)
    assert_conserved(path, 1e-10)
    assert max(path.system.constraint_error(s.x) for s in path.states) < 1e-12


def test_a_hanging_chain_keeps_energy_and_the_momentum_about_the_vertical_over_10000_steps():
    path = walk(chain(hung=True, gravity=(0.0, 0.0, -9.81)), 0.01, 10_000, every=50)
    assert_conserved(path, 1e-10, momenta=False)
    vertical = path.momenta()[1][:, 2]
    assert spread(vertical) < 1e-10
    assert np.ptp(path.energy("gravity")) > 10.0  # it swings


@pytest.mark.parametrize("dimension", [2, 3])
def test_rows_with_multipliers_conserve_as_tangent_maps_do(dimension):
    for model in (free_body(dimension), shared_corners(dimension)):
        assert_conserved(walk(model, 0.05, 500, formulation="rows", every=5), 1e-11)


def springs():
    m = chain()
    load = m.add(cd.PointMass("load", 0.5, (1.5, 0.8, 0.3), velocity=(0.0, 0.5, 1.0)))
    m.add(cd.Spring("elastic", m["link0"].at(0.2, 0.1, 0), load, 300.0, rest_length=1.0))
    m.add(cd.Spring("cord", m["link2"], load, 200.0, rest_length=1.0, tension_only=True))
    m.add(cd.Spring("centre", m["link1"].at(0, 0.3, 0), load, 50.0, rest_length=0.0))
    return m


def pseudo_rigid():
    m = cd.Model("pseudo-rigid", dimension=3)
    bar = m.add(
        cd.PseudoRigidBody.box(
            "bar", (1.0, 0.3, 0.2), 15.0, material=FIRM, angular_velocity=SPIN, velocity=(0.1, 0, 0.2)
        )
    )
    tail = m.add(cd.RigidBody("tail", 0.4, inertia=(0.01, 0.02, 0.02), position=(0.9, 0, 0)))
    m.add(cd.Revolute("hinge", bar.at(0.5, 0, 0), tail, at=(0.5, 0, 0), axis=(0, 0, 1)))
    return m


def tumbling_mesh(element, material=FIRM):
    flat = element in ("quad4", "tri3")
    m = cd.Model("mesh", dimension=2 if flat else 3)
    size, divisions = ((1.0, 0.3), (4, 2)) if flat else ((1.0, 0.3, 0.2), (3, 1, 1))
    spin = 3.0 if flat else SPIN
    block = cd.Solid.block("block", size, divisions, material, angular_velocity=spin)
    mesh = m.add(block if element in ("quad4", "hex8") else as_simplices(block))
    hub = dict(inertia=0.1, position=(-0.2, 0.1), angular_velocity=spin)
    if not flat:
        hub |= dict(inertia=(0.1, 0.1, 0.15), position=(-0.2, 0.1, 0.1))
    m.add(cd.Tie("bond", mesh, "left", m.add(cd.RigidBody("hub", 1.0, **hub))))
    return m


def rod(dimension):
    m = cd.Model("rod", dimension=dimension)
    if dimension == 2:
        hub = m.add(cd.RigidBody.disk("hub", 0.5, 1.0, angular_velocity=2.0))
        m.add(cd.Rod("rod", [(0.5, 0.0), (2.5, 0.0)], 5, 0.05, STRIP, width=0.2, velocity=(0.0, 0.5)))
    else:
        hub = m.add(cd.RigidBody.box("hub", (0.5, 0.4, 0.3), 2.0, angular_velocity=SPIN))
        m.add(cd.Rod("rod", [(0.25, 0, 0), (2.0, 0, 0)], 5, 0.05, STRIP, width=0.08, velocity=(0.0, 0.5, 0.3)))
    m.add(cd.Tie("clamp", "rod", "start", hub))
    return m


def soft_chain():
    m = chain()
    m["ball"].enforcement = cd.Penalty(2e4)
    m["hinge"].enforcement = cd.Penalty(3e4)
    return m


FLEXIBLE = {
    "springs": (springs, 0.005),
    "neo-Hookean pseudo-rigid body": (pseudo_rigid, 0.005),
    "neo-Hookean quad4": (lambda: tumbling_mesh("quad4"), 0.01),
    "St. Venant–Kirchhoff tri3": (lambda: tumbling_mesh("tri3", STEEL), 0.01),
    "neo-Hookean hex8": (lambda: tumbling_mesh("hex8"), 0.01),
    "St. Venant–Kirchhoff tet4": (lambda: tumbling_mesh("tet4", STEEL), 0.01),
    "rod in the plane": (lambda: rod(2), 0.01),
    "rod in space": (lambda: rod(3), 0.01),
    "penalty joints": (soft_chain, 0.005),
}


@pytest.mark.parametrize("name", FLEXIBLE)
def test_energy_and_momenta_are_kept_with_stiff_flexible_parts(name):
    build, h = FLEXIBLE[name]
    path = walk(build(), h, 1000, every=5)
    assert_conserved(path, 1e-8)
    assert np.ptp(path.energy("stored")) > 1e-4 * path.energy().max()  # it deforms


def same_motion(first, second, points, tolerance):
    """Positions and velocities of the points agree along two paths, relative to their size."""
    for point in points:
        for a, b in ((first.point(point), second.point(point)), (first.velocity(point), second.velocity(point))):
            assert np.abs(a - b).max() < tolerance * np.abs(a).max()
            assert np.ptp(a, axis=0).max() > 1e-3  # it moves


@pytest.mark.parametrize("model", [chain, lambda: chain(hung=True, gravity=(0, 0, -9.81)), springs, lambda: rod(3)])
def test_tangent_maps_and_rows_give_the_same_motion(model):
    paths = [walk(model(), 0.01, 200, formulation=f) for f in ("tangent", "rows")]
    bodies = [b.name for b in paths[0].system.model.bodies if b.name not in ("ground", "rod")]
    same_motion(*paths, bodies, 1e-9)
    for joint in ("ball", "hinge"):
        if joint in paths[0].system.model:
            a, b = (p.multipliers(joint)[1:] for p in paths)
            assert np.abs(a - b).max() < 1e-7 * np.abs(a).max()


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_master_simplex_moves_as_the_body_with_directors_does(dimension):
    m = free_body(dimension)
    body = m["body"]
    corners = np.vstack((np.zeros(dimension), np.diag([0.3, 0.5, 0.4][:dimension])))
    simplex = cd.RigidSimplex(
        "body", body.mass, inertia=body.inertia, second_moment=body.second_moment, centre_of_mass=body.centre_of_mass,
        velocity=body.velocity, angular_velocity=body.angular_velocity,
        corners={str(k): c for k, c in enumerate(corners)},
    )  # fmt: skip
    other = cd.Model("simplex", dimension=dimension)
    other.add(simplex)
    place = cd.Point("body", (0.7, -0.2, 0.1)[:dimension])
    same_motion(walk(m, 0.05, 200), walk(other, 0.05, 200, formulation="rows"), [place, "body"], 1e-9)


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_shared_corner_is_a_spherical_joint_without_equations(dimension):
    models = [shared_corners(dimension, joint) for joint in ("tie", "spherical", "tie")]
    for model in models:  # a start at which both bodies agree about the velocity of the corner
        model["b"].velocity = (0.0, 0.5, 0.0)[:dimension]
        model["a"].angular_velocity = 1.0 if dimension == 2 else (0.0, 0.0, 1.0)
    forms = ("rows", "rows", "tangent")
    shared, joined, turned = (walk(m, 0.02, 200, formulation=f) for m, f in zip(models, forms, strict=True))
    assert shared.system.unknowns == joined.system.unknowns - 2 * dimension
    same_motion(shared, joined, ["a.x", "a.y", "b.x", "b.y"], 1e-9)
    same_motion(shared, turned, ["a.x", "a.y", "b.x", "b.y"], 1e-9)


@pytest.mark.parametrize(
    "enforcement, tolerance",
    [("augmented", 1e-9), (cd.Augmented(1e4), 1e-9), ("uzawa", 3e-8), (cd.Augmented(1e6, solve="uzawa"), 3e-8)],
)
def test_an_augmented_lagrangian_gives_the_motion_of_multipliers(enforcement, tolerance):
    model = chain(hung=True, gravity=(0.0, 0.0, -9.81))
    for joint in ("ball", "hinge", "hook"):
        model[joint].enforcement = enforcement
    reference = walk(chain(hung=True, gravity=(0.0, 0.0, -9.81)), 0.01, 100)
    path = walk(model, 0.01, 100)
    same_motion(reference, path, ["link0", "link1", "link2"], tolerance)
    a, b = (p.multipliers("hook")[1:] for p in (reference, path))
    assert np.abs(a - b).max() < 1e-6 * np.abs(a).max()


def test_a_penalty_converges_to_the_motion_of_multipliers():
    def end(enforcement):
        model = chain()
        for link in ("link0", "link1", "link2"):  # a start at which the joints are not torn apart
            model[link].velocity = tuple(np.cross(SPIN, model[link].position))
            model[link].angular_velocity = SPIN
        for joint in ("ball", "hinge"):
            model[joint].enforcement = enforcement
        return walk(model, 0.002, 100).point("link2")

    reference = end("multiplier")
    errors = [np.abs(end(cd.Penalty(stiffness)) - reference).max() for stiffness in (1e4, 1e5, 1e6)]
    assert errors[0] > 8.0 * errors[1] > 64.0 * errors[2]
    assert errors[2] < 1e-4


def test_an_augmented_lagrangian_converges_where_round_off_lets_the_residual_jump():
    model = chain(hung=True, gravity=(0.0, 0.0, -9.81))
    for joint in ("ball", "hinge", "hook"):
        model[joint].enforcement = "uzawa"
    path = walk(model, 0.002, 5)
    assert max(path.system.constraint_error(s.x) for s in path.states) < 1e-10


@pytest.mark.parametrize("along", ["line", "all"])
def test_dampers_take_exactly_the_work_they_report_and_energy_never_grows(along):
    model = springs()
    model.add(cd.Damper("dashpot", "link0", "load", 2.0, along=along))
    model.add(cd.Damper("brake", model.ground.at(0.0, 3.0, 0.0), "link2", 1.0, along=along))
    path = walk(model, 0.005, 1000)
    energy, work = path.energy(), np.array(path.work)
    assert np.abs(energy - energy[0] - work).max() < 1e-10 * energy[0]
    assert np.diff(energy).max() <= 1e-12 * energy[0]
    assert energy[-1] < 0.7 * energy[0]


def test_loads_and_torques_do_exactly_the_work_they_report():
    model = chain()
    model.add(cd.Load("push", "link0", (1.0, -0.5, 0.3), scale=cd.Harmonic(frequency=0.7)))
    model.add(cd.Torque("motor", "link1", (0.1, 0.2, -0.3)))
    model.add(cd.Torque("rotor", "link2", (0.1, 0.2, 0.3), frame="body", scale=cd.Ramp(0.0, 1.0)))
    path = walk(model, 0.01, 300)
    energy, work = path.energy(), np.array(path.work)
    assert np.abs(energy - energy[0] - work).max() < 1e-10 * energy.max()
    assert np.ptp(work) > 0.1 * energy[0]
