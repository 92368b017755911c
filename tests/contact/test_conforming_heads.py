"""A rigid head that fits a soft cup and exactly touches it stays in the cup, however hard it is pressed in the first step."""

import numpy as np
import pytest

import condyle as cd
from condyle.contact.stiffness import ContactWarning
from condyle.integrators import quasi_static
from condyle.integrators.newton import StepFailed, refuse_passed

RADIUS, YOUNG, THICK = 14e-3, 974e6, 8e-3
FORCE, MASS, STEP = 1000.0, 0.1, 0.01  # free, the head would move by 0.5 m in a step
METHODS = {"generalized-α": cd.GeneralizedAlpha(), "no memory": cd.GeneralizedAlpha(0.0), "energy–momentum": None}


def ball(radius, parts):
    """Nodes and facets of a sphere: a cube of parts × parts squares on each side, blown up."""
    t = np.tan(np.linspace(-np.pi / 4, np.pi / 4, parts + 1))
    a, b = (grid.ravel() for grid in np.meshgrid(t, t, indexing="ij"))
    k = np.arange((parts + 1) ** 2).reshape(parts + 1, parts + 1)
    quads = np.stack((k[:-1, :-1], k[1:, :-1], k[1:, 1:], k[:-1, 1:]), axis=-1).reshape(-1, 4)
    nodes, facets = [], []
    for axis in range(3):
        for side in (1.0, -1.0):
            face = np.roll(np.stack((side * np.ones_like(a), side * a, b), axis=1), axis, axis=1)
            facets += (quads + len(nodes) * len(a)).tolist()
            nodes.append(radius * face / np.linalg.norm(face, axis=1)[:, None])
    return cd.FacetSurface(np.concatenate(nodes), facets)


def joint(contact):
    """A cup without inertia, open upwards, and a head in it that is pressed down. contact: the part, of cup and head."""
    model = cd.Model("hip", gravity=(0.0, 0.0, 0.0))
    mesh = cd.Mesh.cup(RADIUS, RADIUS + THICK, (4, 2))
    cup = model.add(cd.Solid.from_mesh("cup", mesh, cd.Robust(YOUNG, 0.46, 940.0), quasi_static=True))
    model.add(cd.Tie("shell", cup, "outer", model.ground))
    head = model.add(cd.RigidBody("head", MASS, inertia=1e-5 * np.eye(3)))
    model.add(contact(cup, head))
    model.add(cd.Load("press", head, (0.0, 0.0, -FORCE)))
    return model


@pytest.mark.parametrize("name", METHODS)
def test_a_head_that_exactly_touches_is_not_shot_through_its_cup(name):
    model = joint(lambda cup, head: cd.Contact("surface", cup, "inner", head, cd.Sphere(RADIUS)))
    method = METHODS[name]
    run = cd.simulate(
        model, end=5 * STEP, dt=STEP, energy_tolerance=np.inf, **({"integrator": method} if method else {})
    )
    way = np.linalg.norm(run.position("head"), axis=1)
    layer = FORCE * THICK / (YOUNG * 2.0 * np.pi * RADIUS**2 / 3.0)  # a half sphere on springs E/h
    assert way.max() < 3.0 * layer
    if name == "no memory":  # the others go on ringing, for a cup without inertia has no damping
        assert run.contact("surface").resultant[-1, 2] == pytest.approx(-FORCE, rel=1e-3)


def test_a_head_deep_in_the_straight_facets_of_a_hollow_cup_is_warned_of_before_the_run(monkeypatch):
    def stop(*_):
        raise StopIteration("the cup is pressed now")

    monkeypatch.setattr(quasi_static, "_Rest", stop)
    fits = joint(lambda cup, head: cd.Contact("surface", head, ball(RADIUS, 8), cup, "inner"))
    message = r"'surface': .* mm inside the target.*'head' and 'cup'.*touch a smooth shape"
    with pytest.warns(ContactWarning, match=message), pytest.raises(StopIteration):
        cd.Simulation(fits, dt=STEP)


@pytest.mark.filterwarnings("ignore::condyle.contact.stiffness.ContactWarning")
@pytest.mark.parametrize("overlap", ["report", "resolve"])
def test_a_head_that_no_cup_of_straight_facets_can_hold_is_an_error_that_names_the_contact(overlap):
    fits = joint(lambda cup, head: cd.Contact("surface", head, ball(RADIUS, 8), cup, "inner", overlap=overlap))
    with pytest.raises(cd.InputError, match=r"'surface': .* mm inside the target.*touch a smooth shape"):
        cd.Simulation(fits, dt=STEP)


def test_a_step_in_which_points_pass_through_a_shape_fails_and_names_the_contact():
    model = cd.Model("beads", gravity=(0.0, 0.0, 0.0))
    bead = model.add(cd.RigidBody("bead", 1.0, inertia=np.eye(3), position=(0.0, 0.1, 0.0)))
    model.add(cd.Contact("touch", bead, [(0.0, 0.0, 0.0)], model.ground, cd.Sphere(1e-3)))
    sim = cd.Simulation(model, dt=0.01)
    before = sim.state.x
    near, beyond = (np.where(before == 0.1, y, before) for y in (0.002, -0.1))
    refuse_passed(sim.system, before, near)
    with pytest.raises(StepFailed, match="points of 'bead' pass through the surface of 'ground' in contact 'touch'"):
        refuse_passed(sim.system, before, beyond)
