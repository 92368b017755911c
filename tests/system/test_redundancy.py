"""Redundant constraints are found and named; the run goes on with the motion of the model without them."""

import warnings

import numpy as np
import pytest

import condyle as cd
from condyle.system.compile import compile
from condyle.system.redundancy import has_loops, jacobian
from loops import bricard, door, four_bar

METHODS = {"energy–momentum": cd.EnergyMomentum(), "generalized-α": cd.GeneralizedAlpha(spectral_radius=0.9)}


def opened_bricard():
    """Bricard's loop whose last hinge may also slide: nothing is redundant, and it does not slide."""
    m = bricard()
    hinge = m["hinge 6"]
    m._parts["hinge 6"] = cd.Cylindrical("hinge 6", hinge.a, hinge.b, axis=hinge.axis)
    return m


LOOPS = {
    "four-bar": (four_bar, lambda: four_bar("minimal"), "coupler", 3, "'A', 'B', 'C', 'D'"),
    "door": (door, lambda: door(["low"]), "leaf", 5, "'low', 'high'"),
    "Bricard": (
        bricard,
        opened_bricard,
        "rod 3",
        1,
        "'hinge 1', 'hinge 2', 'hinge 3', 'hinge 4', 'hinge 5', 'hinge 6'",
    ),
}


def quietly(model, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cd.RedundancyWarning)
        return cd.simulate(model, **options)


@pytest.mark.parametrize("name", LOOPS)
def test_redundant_constraints_are_counted_and_their_joints_named(name):
    make, _, _, count, names = LOOPS[name]
    with pytest.warns(cd.RedundancyWarning, match=f"redundant constraint.* among {names}:") as caught:
        result = cd.simulate(make(), end=0.02, dt=0.01)
    assert result.status == "completed"
    said = [str(w.message) for w in caught]
    assert sum(int(text.split()[0]) for text in said) == count  # those that have nothing to do with each other apart
    assert set(said) <= set(result.options["notes"])


@pytest.mark.parametrize("name", LOOPS)
def test_a_model_without_redundancy_gives_no_warning(name):
    with warnings.catch_warnings():
        warnings.simplefilter("error", cd.RedundancyWarning)
        cd.simulate(LOOPS[name][1](), end=0.02, dt=0.01)


@pytest.mark.parametrize("inertia", [(0.1, 0.2, 0.25), (0.25, 0.5, 0.75)])
def test_a_flat_body_on_one_hinge_is_not_called_redundant(inertia):
    with warnings.catch_warnings():
        warnings.simplefilter("error", cd.RedundancyWarning)
        cd.simulate(door(["low"], inertia), end=0.02, dt=0.01)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", LOOPS)
def test_the_motion_is_that_of_the_model_without_redundancy(name, method):
    make, independent, body, *_ = LOOPS[name]
    options = dict(end=0.3, dt=0.005, integrator=METHODS[method])
    one, two = quietly(make(), **options), quietly(independent(), **options)
    assert np.ptp(one.position(body), axis=0).max() > 0.05
    # Bricard's opened loop is nearly singular, and compiled steps of generalized-α do not pivot.
    close = 1e-8 if method == "generalized-α" else 1e-10
    assert np.abs(one.position(body) - two.position(body)).max() < close
    assert np.abs(one.directors(body) - two.directors(body)).max() < close
    assert one.constraint_error.max() < 1e-10
    if method == "energy–momentum":
        assert np.ptp(one.energy["total"]) < 1e-10 * max(one.energy["kinetic"].max(), 1.0)


@pytest.mark.parametrize("method", METHODS)
def test_the_forces_of_two_hinges_sum_to_what_one_hinge_carries(method):
    options = dict(end=0.2, dt=0.005, integrator=METHODS[method])
    two, one = quietly(door(), **options), quietly(door(["low"]), **options)
    total = two.joint_force("low") + two.joint_force("high")
    assert np.abs(total - one.joint_force("low")).max() < 1e-9 * 19.62
    assert (two.joint_force("low")[:, 2] > 0).all() and (two.joint_force("high")[:, 2] > 0).all()  # both carry weight


@pytest.mark.parametrize("method", METHODS)
def test_the_reactions_of_a_planar_loop_are_the_ones_of_smallest_norm(method):
    """Multipliers without any part in the null space of Gᵀ: all that is redundant is out of the plane and zero."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sim = cd.Simulation(four_bar(), dt=0.005, integrator=METHODS[method])
    for _ in range(40):
        sim.step()
    G = jacobian(sim.system, sim.state)
    values, vectors = np.linalg.eigh(G @ G.T)
    own = [k for k, m in enumerate(sim.system.plain.multipliers) if not m.internal]
    null = vectors[own][:, values < 1e-12 * values[-1]]
    assert null.shape[1] == 3
    reactions = sim.state.multipliers
    assert np.linalg.norm(reactions) > 1.0
    assert np.abs(null.T @ reactions).max() < 1e-9 * np.linalg.norm(reactions)


def test_two_hinges_at_the_same_place_carry_half_each():
    m = door(["low"])
    m.add(cd.Revolute("again", m.ground, m["leaf"], at=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0)))
    result = quietly(m, end=0.1, dt=0.005)
    assert np.abs(result.joint_force("low") - result.joint_force("again")).max() < 2e-6  # of 10 N
    for component in ("axis 1", "axis 2"):
        one, two = (result.multipliers(name)[component] for name in ("low", "again"))
        assert np.abs(one - two).max() < 2e-6


def test_generalized_alpha_keeps_the_reactions_of_a_loop_in_space_small():
    result = quietly(bricard(), end=0.3, dt=0.005, integrator=METHODS["generalized-α"])
    assert max(np.abs(result.joint_force(f"hinge {k + 1}")).max() for k in range(6)) < 30.0  # the rods weigh 49 N


def test_energy_momentum_keeps_the_reactions_of_a_loop_in_space_small():
    result = quietly(bricard(), end=0.3, dt=0.005)
    assert max(np.abs(result.joint_force(f"hinge {k + 1}")).max() for k in range(6)) < 30.0


def test_a_loop_that_cannot_be_closed_names_its_joints():
    m = four_bar()
    m["coupler"].position = tuple(np.add(m["coupler"].position, (0.0, 0.0, 5.0)))
    for name in "BC":
        m[name].assemble = True
    m["rocker"].points["far"] = (9.0, 0.0, 0.0)
    m.add(cd.Spherical("far", m.ground, m["rocker"].point("far"), at=(0.0, 0.0, 9.0), assemble=True))
    with pytest.raises(cd.AssemblyError, match=r"'(A|B|C|D|far)'"):
        cd.simulate(m, end=0.1, dt=0.01)


def test_joint_points_that_are_apart_are_an_error_that_names_the_joint():
    m = four_bar()
    m.add(cd.Spherical("apart", m.ground, m["rocker"].at(0.0, 0.0, 0.0), at=(3.0, 0.0, 0.0)))
    with pytest.raises(cd.AssemblyError, match=r"Spherical 'apart'.*assemble=True"):
        cd.simulate(m, end=0.1, dt=0.01)


def test_drives_that_contradict_each_other_are_named():
    m = four_bar()
    m._parts.pop("start")
    m.add(cd.Drive("one", "A.angle", rate=2.0))
    m.add(cd.Drive("two", "D.angle", rate=2.0))  # the loop wants another rate here
    with pytest.raises(cd.AssemblyError, match=r"'(one|two)'"):
        cd.simulate(m, end=0.5, dt=0.01)


def hung_door(length=1.0, mass=1.0):
    """A door of 1 m × 2 m and 50 kg on two hinges 1.4 m apart, under its own weight; in other units of length and mass."""
    m = cd.Model("door", dimension=3, gravity=(0.0, 0.0, -9.81 * length))
    size = np.array((1.0, 0.05, 2.0)) * length
    leaf = cd.RigidBody.box("leaf", size, 500.0 * mass / length**3, position=(0.5 * length, 0.0, length))
    leaf = m.add(leaf)
    for name, height in (("low", 0.3), ("high", 1.7)):
        m.add(cd.Revolute(name, m.ground, leaf, at=(0.0, 0.0, height * length), axis=(0.0, 0.0, 1.0)))
    return m


def least(weight, lever, apart, extent):
    """Horizontal force H and moment M of each hinge with the least 2 H² + 2 (M/L)² and H·apart + 2 M = weight·lever."""
    multiplier = weight * lever / (0.25 * apart**2 + extent**2)
    return 0.25 * apart * multiplier, 0.5 * extent**2 * multiplier


@pytest.mark.parametrize("units", [(1.0, 1.0), (1000.0, 1.0), (1.0, 1e-3)])
@pytest.mark.parametrize("method", [*METHODS, "Runge–Kutta", "statics"])
def test_the_reactions_of_hinges_apart_are_the_smallest_in_every_method_and_unit(method, units):
    length, mass = units
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cd.RedundancyWarning)
        if method == "statics":
            m = hung_door(length, mass)
            m.add(cd.CoordinateSpring("closer", "low.angle", 100.0 * mass * length**2))
            result = cd.solve_static(m, steps=1)
        else:
            chosen = {**METHODS, "Runge–Kutta": cd.RungeKutta()}[method]
            result = cd.simulate(hung_door(length, mass), end=0.02, dt=0.01, integrator=chosen)
    H, M = least(490.5, 0.5, 1.4, result.system.size / length)
    force = mass * length
    for step in (0, -1) if method != "statics" else (-1,):
        low, high = result.joint_force("low")[step], result.joint_force("high")[step]
        assert np.abs(np.abs(low) - np.array([H, 0.0, 245.25]) * force).max() < 1e-6 * 490.5 * force
        assert np.abs(low[:2] + high[:2]).max() < 1e-9 * 490.5 * force
    moments = np.abs(result.state(-1).multipliers[6:]) / (force * length)
    assert np.allclose(moments, [M, 0.0, M, 0.0], atol=1e-6 * M)


@pytest.mark.parametrize("bodies", [3, 4, 7, 20])
def test_a_loop_is_seen_in_whatever_order_its_joints_are_given(bodies):
    """A ring closed over the ground has one loop more than the chain, for every order of parts and names."""
    rng = np.random.default_rng(bodies)
    for _ in range(20):
        m = cd.Model("ring", dimension=3)
        parts = [m.add(cd.RigidBody(f"{name}", 1.0, inertia=(0.1, 0.2, 0.25))) for name in rng.permutation(bodies)]
        chain = [m.ground, *parts, m.ground]
        joints = [(chain[k], chain[k + 1]) for k in rng.permutation(bodies + 1)]
        for k, (a, b) in enumerate(joints):
            if k == bodies:
                assert not has_loops(compile(m))
            m.add(cd.Revolute(f"hinge {k}", a, b, at=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0)))
        assert has_loops(compile(m))


@pytest.mark.parametrize("method", METHODS)
def test_a_loop_of_flat_bodies_has_the_reactions_of_one_of_thick_ones(method):
    """Plates turn about the same axis as bodies with the same inertia about it: nothing else moves."""

    def loop(inertia):
        m = cd.Model("loop", dimension=3, gravity=(0.0, 0.0, -9.81))
        corners = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 0.3], [0.5, 0.0, 0.3], [0.5, 0.0, 0.0]])
        bars = [
            m.add(cd.RigidBody(f"bar {k}", 1.0, inertia=inertia, position=0.5 * (corners[k] + corners[k + 1])))
            for k in range(3)
        ]
        chain = [m.ground, *bars, m.ground]
        for k in range(4):
            m.add(cd.Revolute(f"hinge {k}", chain[k], chain[k + 1], at=corners[k], axis=(0.0, 1.0, 0.0)))
        m.add(cd.Initial("start", "hinge 0.angle", rate=1.0))
        return m

    options = dict(end=0.2, dt=0.01, integrator=METHODS[method])
    flat, thick = quietly(loop((0.01, 0.02, 0.03)), **options), quietly(loop((0.015, 0.02, 0.025)), **options)
    for k in range(4):
        forces = flat.joint_force(f"hinge {k}"), thick.joint_force(f"hinge {k}")
        assert np.abs(forces[0] - forces[1]).max() < 1e-6 * np.abs(forces[1]).max()
