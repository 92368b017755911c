"""Mass matrices, momenta and kinetic energies against closed forms."""

import numpy as np
import pytest

import condyle as cd
from condyle.system.compile import running
from condyle.system.state import State
from zoo import as_simplices

RHO = 3.0
SPIN = np.array([0.4, -1.2, 0.7])
SPEED = np.array([0.3, 0.8, -0.5])
PLACE = np.array([0.5, -0.4, 0.9])
TURN = cd.rotation(axis=(1.0, 2.0, -0.5), angle=0.8)
CUBE_CORNERS = {"o": (0, 0, 0), "x": (0.3, 0, 0), "y": (0, 0.5, 0), "z": (0.1, 0, 0.4)}


def kinetics(body, dimension=3, formulation="tangent"):
    """Kinetic energy, linear and angular momentum of one body alone at the start."""
    model = cd.Model("one body", dimension=dimension)
    model.add(body)
    system = running(model, formulation=formulation)
    state = State(0.0, system.x_start, system.v_start, np.zeros(len(system.multipliers)))
    return (system.energy(state)["kinetic"], *system.momentum(state))


def assert_rigid_motion(found, mass, centre, velocity, inertia, spin):
    """As m, the place and velocity of the centre of mass and the spatial inertia about it say."""
    kinetic, linear, angular = found
    assert kinetic == pytest.approx(0.5 * mass * velocity @ velocity + 0.5 * spin @ inertia @ spin, rel=1e-13)
    np.testing.assert_allclose(linear, mass * velocity, rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(angular, np.cross(centre, mass * velocity) + inertia @ spin, rtol=1e-12, atol=1e-14)


def moving(**options):
    return dict(position=PLACE, rotation=TURN, velocity=SPEED, angular_velocity=SPIN) | options


SHAPES = {
    "box": (cd.RigidBody.box, ((0.5, 0.8, 0.3), RHO), 0.12 * RHO, np.array([0.73, 0.34, 0.89]) / 12),
    "ball": (cd.RigidBody.ball, (0.6, RHO), 4 / 3 * np.pi * 0.6**3 * RHO, np.full(3, 0.4 * 0.36)),
    "cylinder": (
        cd.RigidBody.cylinder,
        (0.4, 1.5, RHO),
        np.pi * 0.16 * 1.5 * RHO,
        (0.04 + 0.1875, 0.04 + 0.1875, 0.08),
    ),
}


@pytest.mark.parametrize("name", SHAPES)
def test_a_rigid_body_of_a_shape_has_its_inertia(name):
    make, arguments, mass, ratios = SHAPES[name]
    found = kinetics(make("body", *arguments, **moving()))
    assert_rigid_motion(found, mass, PLACE, SPEED, TURN @ np.diag(mass * np.array(ratios)) @ TURN.T, SPIN)


@pytest.mark.parametrize("formulation", ["tangent", "rows"])
@pytest.mark.parametrize("kind", [cd.RigidBody, cd.RigidSimplex])
def test_a_rigid_body_from_mass_inertia_and_an_offset_centre(kind, formulation):
    J = np.array([[1.0, 0.1, -0.2], [0.1, 1.3, 0.05], [-0.2, 0.05, 0.9]])
    offset = np.array([0.2, -0.1, 0.3])
    corners = {} if kind is cd.RigidBody else {"corners": CUBE_CORNERS}
    body = kind("body", 2.5, inertia=J, centre_of_mass=offset, **moving(**corners))
    arm = TURN @ offset
    found = kinetics(body, formulation=formulation)
    assert_rigid_motion(found, 2.5, PLACE + arm, SPEED + np.cross(SPIN, arm), TURN @ J @ TURN.T, SPIN)


@pytest.mark.parametrize("element", ["hex8", "tet4"])
def test_a_rigid_body_from_a_mesh_has_the_inertia_of_the_solid(element):
    block = cd.Solid.block("mesh", (0.5, 0.8, 0.3), (2, 1, 2), cd.NeoHookean(1.0, density=1.0), origin=(0.1, 0.2, -0.1))
    mesh = as_simplices(block) if element == "tet4" else block
    found = kinetics(cd.RigidBody.from_mesh("body", mesh.nodes, mesh.cells, RHO, element=element, **moving()))
    arm = TURN @ (np.array([0.1, 0.2, -0.1]) + np.array([0.5, 0.8, 0.3]) / 2)
    J = TURN @ np.diag(0.12 * RHO * np.array([0.73, 0.34, 0.89]) / 12) @ TURN.T
    assert_rigid_motion(found, 0.12 * RHO, PLACE + arm, SPEED + np.cross(SPIN, arm), J, SPIN)


@pytest.mark.parametrize("element", ["hex8", "tet4"])
def test_a_solid_that_moves_rigidly_has_the_momenta_of_the_rigid_block(element):
    block = cd.Solid.block("mesh", (0.5, 0.8, 0.3), (2, 1, 2), cd.NeoHookean(1.0, density=RHO), origin=PLACE)
    block.velocity, block.angular_velocity = tuple(SPEED), tuple(SPIN)
    found = kinetics(as_simplices(block) if element == "tet4" else block)
    centre = PLACE + np.array([0.5, 0.8, 0.3]) / 2
    J = np.diag(0.12 * RHO * np.array([0.73, 0.34, 0.89]) / 12)
    assert_rigid_motion(found, 0.12 * RHO, centre, SPEED + np.cross(SPIN, centre), J, SPIN)


def test_a_straight_rod_that_moves_rigidly_has_the_momenta_of_the_rigid_bar():
    strip = cd.StVenantKirchhoff(1.0, density=RHO)
    rod = cd.Rod("rod", [(0, 0, 0), (2.0, 0, 0)], 4, 0.1, strip, width=0.3, normal=(0, 1, 0), velocity=SPEED)
    rod.angular_velocity = tuple(SPIN)
    mass, centre = 2.0 * 0.1 * 0.3 * RHO, np.array([1.0, 0.0, 0.0])
    J = mass / 12 * np.diag([0.1**2 + 0.3**2, 4.0 + 0.3**2, 4.0 + 0.1**2])
    assert_rigid_motion(kinetics(rod), mass, centre, SPEED + np.cross(SPIN, centre), J, SPIN)


def test_a_pseudo_rigid_body_and_a_particle():
    soft = cd.PseudoRigidBody.box("body", (0.5, 0.8, 0.3), RHO, material=cd.NeoHookean(1.0, density=RHO), **moving())
    J = TURN @ np.diag(0.12 * RHO * np.array([0.73, 0.34, 0.89]) / 12) @ TURN.T
    assert_rigid_motion(kinetics(soft), 0.12 * RHO, PLACE, SPEED, J, SPIN)
    point = cd.PointMass("point", 1.7, PLACE, velocity=SPEED)
    assert_rigid_motion(kinetics(point), 1.7, PLACE, SPEED, np.zeros((3, 3)), SPIN)


def flat(mass, centre, velocity, polar, spin):
    """Kinetic energy, linear momentum and angular momentum in the plane."""
    angular = mass * (centre[0] * velocity[1] - centre[1] * velocity[0]) + polar * spin
    return 0.5 * mass * velocity @ velocity + 0.5 * polar * spin**2, mass * velocity, angular


PLANE = dict(position=(0.5, -0.4), rotation=0.7, velocity=(0.3, 0.8), angular_velocity=1.3)
# A triangle with corners (0, 0), (3, 0), (0, 3): area 9/2, centre (1, 1), polar moment about it 9/2.
PLANE_BODIES = {
    "rectangle": (lambda: cd.RigidBody.box("b", (2.0, 1.0), RHO, **PLANE), 2 * RHO, (0, 0), 2 * RHO * 5 / 12),
    "disk": (lambda: cd.RigidBody.disk("b", 0.5, RHO, **PLANE), np.pi / 4 * RHO, (0, 0), np.pi / 4 * RHO * 0.125),
    "triangle": (lambda: cd.RigidBody.polygon("b", [(0, 0), (3, 0), (0, 3)], RHO, **PLANE), 4.5 * RHO, (1, 1), 4.5 * RHO),
    "inertia": (lambda: cd.RigidBody("b", 2.0, inertia=0.8, centre_of_mass=(0.2, 0.1), **PLANE), 2.0, (0.2, 0.1), 0.8),
}  # fmt: skip


@pytest.mark.parametrize("formulation", ["tangent", "rows"])
@pytest.mark.parametrize("name", PLANE_BODIES)
def test_rigid_bodies_in_the_plane(name, formulation):
    make, mass, centre, polar = PLANE_BODIES[name]
    c, s = np.cos(0.7), np.sin(0.7)
    arm = np.array([[c, -s], [s, c]]) @ centre
    velocity = np.array([0.3, 0.8]) + 1.3 * np.array([-arm[1], arm[0]])
    energy, linear, angular = flat(mass, np.array([0.5, -0.4]) + arm, velocity, polar, 1.3)
    found = kinetics(make(), 2, formulation)
    assert found[0] == pytest.approx(energy, rel=1e-13)
    np.testing.assert_allclose(found[1], linear, rtol=1e-13)
    np.testing.assert_allclose(found[2], (0.0, 0.0, angular), rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize("element", ["quad4", "tri3"])
def test_solids_in_the_plane_count_their_thickness(element):
    block = cd.Solid.block(
        "mesh", (2.0, 1.0), (3, 2), cd.NeoHookean(1.0, density=RHO), thickness=0.3, angular_velocity=1.3
    )
    found = kinetics(as_simplices(block) if element == "tri3" else block, 2)
    mass, centre = 0.6 * RHO, np.array([1.0, 0.5])
    energy, linear, angular = flat(mass, centre, 1.3 * np.array([-0.5, 1.0]), mass * 5 / 12, 1.3)
    assert found[0] == pytest.approx(energy, rel=1e-13)
    np.testing.assert_allclose(found[1], linear, rtol=1e-13)
    np.testing.assert_allclose(found[2][2], angular, rtol=1e-12)


def test_the_mass_matrix_of_the_master_simplex_is_the_integral_of_its_natural_coordinates():
    """A triangle on its own corners: M = ρ A/12 (1 + δ) (Taylor 2000, eq. 72)."""
    model = cd.Model("triangle", dimension=2)
    corners = np.array([(0.0, 0.0), (3.0, 0.0), (0.0, 3.0)])
    shape = cd.RigidBody.polygon("shape", corners, 2.0)
    names = dict(zip("123", corners.tolist(), strict=True))
    body = dict(second_moment=shape.second_moment, centre_of_mass=shape.centre_of_mass)
    model.add(cd.RigidSimplex("body", shape.mass, corners=names, **body))
    system = running(model, formulation="rows")
    M = np.zeros((system.n, system.n))
    M[system.mass.first, system.mass.second] = system.mass.value
    rows = np.flatnonzero(system.moving)
    np.testing.assert_allclose(M[np.ix_(rows, rows)], 2.0 * 4.5 / 12 * (np.ones((3, 3)) + np.eye(3)), rtol=1e-13)
