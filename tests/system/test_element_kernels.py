"""Solids, sections of beams and rigid frames have kernels of their own; they give what the element of any law gives."""

import numpy as np
import pytest

import condyle as cd
from condyle.system import assembly
from condyle.system.compile import running

MATERIALS = {
    "neo-Hookean": cd.NeoHookean(1e6, 0.3, 1000.0),
    "St. Venant–Kirchhoff": cd.StVenantKirchhoff(1e6, 0.3, 1000.0),
    "Ogden": cd.Ogden((4e5, -1e5), (1.3, -2.0), bulk=1e6, density=1000.0),
}
NEGLIGIBLE = 1e-290  # [Pa s] an element with a viscosity is a general one, whatever its size


def blocks(dimension, element):
    model = cd.Model("blocks", dimension=dimension)
    sizes, cells = ((0.8, 0.4, 0.3), (2, 1, 1)) if dimension == 3 else ((0.8, 0.4), (2, 1))
    for k, material in enumerate(MATERIALS.values()):
        origin = (0.0, 1.0 * k, 0.0)[:dimension]
        model.add(cd.Solid.block(f"block {k}", sizes, cells, material, origin=origin, element=element))
    return running(model)


def added(system, table, places, where, kappa):
    """Forces with scale and noise, and the matrix, that the energies of a table add."""
    x0, x1, x_old = places
    middle = x1 if where == assembly.END else 0.5 * (x0 + x1)
    q, scale, noise = (np.zeros_like(x1) for _ in range(3))
    A = np.zeros_like(system.scratch.A)
    rest = (x1 - x0, where, kappa, 10.0, assembly.NO_MAP, True, q, scale, noise, A)
    assembly.add_energies(table, system.rows, x0, x1, middle, x_old, *rest)
    return q, scale, noise, A


@pytest.mark.parametrize("size", [1e-4, 0.1], ids=["small steps", "large steps"])
@pytest.mark.parametrize("where", [assembly.END, assembly.CONSERVING], ids=["end", "conserving"])
@pytest.mark.parametrize("element", ["quad4", "quad8", "hex8", "hex20"])
def test_plain_solids_have_the_forces_and_stiffness_of_the_general_element(element, where, size):
    system = blocks(2 if element.startswith("quad") else 3, element)
    rng = np.random.default_rng(1)
    shape = system.x_start.shape
    x0 = system.x_start + 0.01 * rng.standard_normal(shape)
    x1 = x0 + 0.1 * size * rng.standard_normal(shape)
    places = (x0, x1, x1 + 0.1 * size * rng.standard_normal(shape))
    table = system.energies
    general = table._replace(viscosity=np.full(table.law.size, NEGLIGIBLE))
    kappa = 1.0 if where == assembly.END else 0.5
    q, scale, noise, A = added(system, table, places, where, kappa)
    wanted_q, wanted_scale, wanted_noise, wanted_A = added(system, general, places, where, kappa)
    np.testing.assert_allclose(q, wanted_q, atol=1e-11 * np.abs(wanted_q).max())
    np.testing.assert_allclose(scale, wanted_scale, atol=1e-11 * np.abs(wanted_scale).max())
    np.testing.assert_allclose(noise, wanted_noise, atol=0.5 * np.abs(wanted_noise).max())  # estimates
    np.testing.assert_allclose(A, wanted_A, atol=1e-11 * np.abs(wanted_A).max())
    assert np.abs(A).max() > 0.0


@pytest.mark.parametrize("size", [1e-4, 0.1], ids=["small steps", "large steps"])
@pytest.mark.parametrize("where", [assembly.END, assembly.CONSERVING], ids=["end", "conserving"])
@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("damping", [0.0, 2e-3])
def test_sections_of_beams_have_the_forces_and_stiffness_of_the_general_element(dimension, where, size, damping):
    """In conserving steps the part of the stress is extrapolated another way, so the iterate before is the iterate there."""
    model = cd.Model("beam", dimension=dimension)
    line = np.array([(0.0, 0.0, 0.0), (0.5, 0.1, 0.05), (0.9, 0.3, 0.0)])[:, :dimension]
    section = cd.RectangularSection(0.05, 0.08, cd.StVenantKirchhoff(1e6, 0.3, 1000.0))
    model.add(cd.AncfBeam("beam", line, 1, section, damping=damping))
    system, rng = running(model), np.random.default_rng(2)
    shape = system.x_start.shape
    x0 = system.x_start + 0.02 * rng.standard_normal(shape)
    x1 = x0 + 0.3 * size * rng.standard_normal(shape)
    x_old = x1 + 0.1 * size * rng.standard_normal(shape) if where == assembly.END else x1
    table = system.energies
    general = table._replace(viscosity=np.full(table.law.size, NEGLIGIBLE))
    kappa = 1.0 if where == assembly.END else 0.5
    q, _, _, A = added(system, table, (x0, x1, x_old), where, kappa)
    wanted_q, _, _, wanted_A = added(system, general, (x0, x1, x_old), where, kappa)
    np.testing.assert_allclose(q, wanted_q, atol=1e-11 * np.abs(wanted_q).max())
    np.testing.assert_allclose(A, wanted_A, atol=1e-11 * np.abs(wanted_A).max())
    assert np.abs(A).max() > 0.0


@pytest.mark.parametrize("damping", [0.0, 2e-3])
@pytest.mark.parametrize("where", [assembly.END, assembly.CONSERVING], ids=["end", "conserving"])
@pytest.mark.parametrize("dimension", [2, 3])
def test_elements_between_frames_have_the_forces_and_stiffness_of_the_general_element(dimension, where, damping):
    """Steps are small, for in large ones energy is kept along other products; nothing has moved since the iterate before."""
    model = cd.Model("beam", dimension=dimension)
    line = np.array([(0.0, 0.0, 0.0), (0.5, 0.1, 0.05), (0.9, 0.3, 0.0)])[:, :dimension]
    section = cd.RectangularSection(0.05, 0.08, cd.StVenantKirchhoff(1e6, 0.3, 1000.0))
    model.add(cd.Beam("beam", line, 1, section, damping=damping))
    system, rng = running(model), np.random.default_rng(2)
    shape = system.x_start.shape
    x0 = system.x_start + 0.2 * rng.standard_normal(shape)
    x1 = x0 + 3e-5 * rng.standard_normal(shape)
    table = system.energies
    assert (table.damping == damping).all()
    general = table._replace(viscosity=np.full(table.law.size, NEGLIGIBLE))
    kappa = 1.0 if where == assembly.END else 0.5
    q, _, _, A = added(system, table, (x0, x1, x1), where, kappa)
    wanted_q, _, _, wanted_A = added(system, general, (x0, x1, x1), where, kappa)
    np.testing.assert_allclose(q, wanted_q, atol=1e-11 * np.abs(wanted_q).max())
    np.testing.assert_allclose(A, wanted_A, atol=1e-11 * np.abs(wanted_A).max())
    assert np.abs(A).max() > 0.0


@pytest.mark.parametrize("size", [1e-4, 0.3], ids=["small steps", "large steps"])
@pytest.mark.parametrize("where", [assembly.END, assembly.CONSERVING], ids=["end", "conserving"])
@pytest.mark.parametrize("dimension", [2, 3])
def test_springs_have_the_forces_and_stiffness_of_the_general_element(dimension, where, size):
    model = cd.Model("springs", dimension=dimension)
    place = [(0.3 * k, 0.1 * k * k, 0.2)[:dimension] for k in range(4)]
    bodies = [model.add(cd.PointMass(f"body {k}", 1.0, position=place[k])) for k in range(4)]
    for k, options in enumerate(
        ({"rest_length": 0.25}, {"rest_length": 0.0}, {"rest_length": 0.2, "tension_only": True})
    ):
        model.add(cd.Spring(f"spring {k}", bodies[k], bodies[k + 1], 700.0, **options))
    system, rng = running(model), np.random.default_rng(5)
    shape = system.x_start.shape
    x0 = system.x_start + 0.02 * rng.standard_normal(shape)
    x1 = x0 + 0.3 * size * rng.standard_normal(shape)
    places = (x0, x1, x1 + 0.1 * size * rng.standard_normal(shape))
    table = system.energies
    assert (table.vectors == 1).all()
    general = table._replace(viscosity=np.full(table.law.size, NEGLIGIBLE))
    kappa = 1.0 if where == assembly.END else 0.5
    found, wanted = (added(system, one, places, where, kappa) for one in (table, general))
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=1e-11 * np.abs(theirs).max())
        assert np.abs(ours).max() > 0.0


@pytest.mark.parametrize("where", [assembly.END, assembly.CONSERVING], ids=["end", "conserving"])
def test_a_cable_in_the_plane_has_the_forces_of_one_in_space(where):
    """Four rows in the plane are taken side by side; in space, where z stays zero, they are not."""
    rng = np.random.default_rng(3)
    moves = [amount * rng.standard_normal((8, 2)) for amount in (0.05, 0.05, 0.01)]  # four nodes of two rows
    found = []
    for dimension in (2, 3):
        model = cd.Model("cable", dimension=dimension)
        ends = [(0.0,) * dimension, (1.0, 0.2, 0.0)[:dimension]]
        model.add(cd.Cable("cable", ends, 3, cd.RoundSection(0.01, cd.StVenantKirchhoff(1e6, density=1000.0))))
        system = running(model)
        places = [system.x_start.copy()]
        for move in moves:
            places.append(places[-1].copy())
            places[-1][-8:, :2] += move
        kappa = 1.0 if where == assembly.END else 0.5
        forces = added(system, system.energies, tuple(places[1:]), where, kappa)[:3]
        found.append([force[-8:, :2] for force in forces])
    for plane, space in zip(*found, strict=True):
        np.testing.assert_allclose(plane, space, atol=1e-12 * np.abs(plane).max())
        assert np.abs(plane).max() > 0.0
