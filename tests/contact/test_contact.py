"""Contact: exact in simple cases, never a source of energy, the same in any unit, resumed bit for bit."""

from __future__ import annotations

import numpy as np
import pytest

import condyle as cd
from condyle.system.compile import running

RUBBER = cd.NeoHookean(1e6, 0.3, 1000.0)
INTEGRATORS = {
    "energy–momentum": cd.EnergyMomentum(),
    "generalized-α": cd.GeneralizedAlpha(),
    "Newmark": cd.Newmark(),
    "HHT": cd.HHT(),
    "BDF": cd.BDF(),
}


def tumbling_box(law, friction: float) -> cd.Model:
    model = cd.Model("drop", dimension=2, gravity=(0, -9.81))
    box = model.add(
        cd.RigidBody("box", 1.0, inertia=0.02, position=(0, 0.3), velocity=(0.3, 0), rotation=0.3, angular_velocity=1.0)
    )
    corners = [(-0.1, -0.1), (0.1, -0.1), (0.1, 0.1), (-0.1, 0.1)]
    model.add(cd.Contact("floor", box, corners, model.ground, cd.Plane((0, 1)), law=law, friction=friction))
    return model


@pytest.mark.covering
@pytest.mark.parametrize("friction", (0.0, 0.5))
@pytest.mark.parametrize("name", INTEGRATORS)
def test_a_box_that_falls_never_has_more_energy_than_before(name: str, friction: float):
    result = cd.simulate(tumbling_box("augmented", friction), end=0.8, dt=4e-3, integrator=INTEGRATORS[name])
    energy = result.energy["total"]
    assert energy.max() <= energy[0] + (1e-12 if name == "energy–momentum" else 1e-3 * energy[0])
    assert energy[-1] < 0.6 * energy[0]
    assert result.contact("floor").gap.min() > -1e-12
    assert np.sort(result.iterations)[-2] <= 12  # where two corners meet the floor, what sticks may have to be guessed


def test_energy_momentum_keeps_the_energy_of_a_box_on_a_penalty_exactly():
    result = cd.simulate(tumbling_box(cd.SpringDashpot(damping=0.0), 0.0), end=0.8, dt=4e-3)
    energy = result.energy["total"]
    assert result.energy["stored"].max() > 0.5
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-11


@pytest.mark.parametrize("name", INTEGRATORS)
def test_a_soft_block_that_falls_on_a_slope_never_has_more_energy_than_before(name: str):
    model = cd.Model("soft drop", dimension=2, gravity=(0, -9.81))
    law = cd.NeoHookean(1e5, 0.3, 1000.0)
    block = model.add(cd.Solid.block("block", (0.2, 0.2), (3, 3), law, origin=(0, 0.03)))
    model.add(cd.Contact("floor", block, "bottom", model.ground, cd.Plane((0.1, 1)), friction=0.2))
    result = cd.simulate(model, end=0.2, dt=2e-3, integrator=INTEGRATORS[name])
    energy = result.energy["total"]
    assert result.contact("floor").active[-1].any()
    assert energy.max() <= energy[0] * (1.0 + 1e-9)
    assert result.iterations.max() <= 10


def test_two_bodies_that_collide_in_space_keep_energy_and_both_momenta():
    model = cd.Model("collision", dimension=3)
    a = model.add(cd.RigidBody("a", 1.0, inertia=(0.1, 0.2, 0.3), velocity=(1, 0, 0), angular_velocity=(0.3, 1, 0.2)))
    b = model.add(
        cd.RigidBody("b", 2.0, inertia=(0.3, 0.2, 0.4), position=(1.6, 0.1, 0.2), angular_velocity=(0, 0, 1.0))
    )
    points = [(0.5, y, z) for y in (-0.3, 0.0, 0.3) for z in (-0.3, 0.0, 0.3)]
    model.add(cd.Contact("hit", a, points, b, cd.Ellipsoid((0.6, 0.5, 0.7)), law=cd.SpringDashpot(400.0, damping=0.0)))
    result = cd.simulate(model, end=2.0, dt=0.01)
    assert result.contact("hit").normal_force.max() > 1.0
    assert np.abs(result.velocity("b")[-1]).max() > 0.1
    energy, L, p = result.energy["total"], result.angular_momentum, result.linear_momentum
    assert np.abs(energy - energy[0]).max() < 1e-11
    assert np.abs(L - L[0]).max() < 1e-11
    assert np.abs(p - p[0]).max() < 1e-12


@pytest.mark.parametrize("d", (2, 3))
@pytest.mark.parametrize("law", ("augmented", "penalty"))
def test_a_block_pressed_evenly_on_a_plane_has_an_even_pressure(d: int, law: str):
    """The patch test of contact."""
    model = cd.Model("patch", dimension=d)
    mesh = cd.Mesh.block((1.0,) * d, (4,) * d)
    rng = np.random.default_rng(2)
    inner = (np.abs(mesh.nodes - 0.5).max(axis=1) < 0.49)[:, None]
    mesh.nodes = mesh.nodes + inner * 0.05 * rng.uniform(-1, 1, mesh.nodes.shape)
    block = model.add(cd.Solid.from_mesh("block", mesh, RUBBER))
    up = np.eye(d)[1]
    for k in range(d):
        if k != 1:
            model.add(cd.Hold(f"side {k}", block, ("left", "", "back")[k], np.eye(d)[k]))
    model.add(cd.Traction("load", block, "top", tuple(-2e4 * up)))
    model.add(cd.Contact("table", block, "bottom", model.ground, cd.Plane(up), law=law))
    result = cd.solve_static(model, steps=2)
    table = result.contact("table")
    # The traction and the pressure are per area at rest.
    assert np.allclose(table.pressure[-1], 2e4, rtol=1e-8 if law == "augmented" else 2e-3)
    assert np.allclose(table.resultant[-1], 2e4 * up, atol=1e-4)
    assert np.isclose(table.area[-1], 1.0)
    centre = table.centre_of_pressure[-1]
    assert np.allclose(np.delete(centre, 1), table.places[-1].mean(axis=0)[[k for k in range(d) if k != 1]], atol=1e-3)


@pytest.mark.parametrize("name", ("energy–momentum", "generalized-α"))
@pytest.mark.parametrize(("friction", "holds"), [(0.3, False), (0.7, True)])
def test_a_box_on_a_slope_slides_by_coulombs_law_or_stays_exactly_where_it_is(friction: float, holds: bool, name: str):
    slope, g = 0.5, 10.0
    model = cd.Model("slope", dimension=3, gravity=(g * np.sin(slope), 0, -g * np.cos(slope)))
    box = model.add(cd.RigidBody("box", 2.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0.05)))
    feet = [(x, y, -0.05) for x in (-0.2, 0.2) for y in (-0.2, 0.2)]
    model.add(cd.Contact("floor", box, feet, model.ground, cd.Plane((0, 0, 1)), friction=friction))
    result = cd.simulate(model, end=0.5, dt=0.01, integrator=INTEGRATORS[name])
    way = result.position("box")[:, 0]
    if holds:
        assert np.abs(way).max() < 1e-12
    else:
        exact = 0.5 * g * (np.sin(slope) - friction * np.cos(slope)) * result.times**2
        assert np.abs(way - exact).max() < 0.02 * exact[-1]
    floor = result.contact("floor")
    tangential = np.linalg.norm(floor.friction_force, axis=2)
    assert (tangential <= friction * floor.normal_force + 1e-9).all()
    assert np.allclose(floor.resultant[5:, 2], 2.0 * g * np.cos(slope), rtol=1e-6)


def test_a_ball_pressed_into_a_foundation_has_the_closed_form():
    """A sphere of radius R, d deep in a layer: p = k (d − r²/2R) nearly, F = π k R d²."""
    R, depth, E, nu, thickness = 1.0, 0.01, 1e6, 0.3, 0.02
    model = cd.Model("foundation", dimension=3)
    n, side = 41, 0.4
    grid = np.linspace(-side / 2, side / 2, n)
    nodes = [(x, y, 0.0) for x in grid for y in grid]
    quads = [
        (i * n + j, (i + 1) * n + j, (i + 1) * n + j + 1, i * n + j + 1) for i in range(n - 1) for j in range(n - 1)
    ]
    plate = model.add(cd.RigidBody("plate", 1.0, inertia=(1, 1, 1)))
    model.add(cd.Fixed("wall", model.ground, plate))
    ball = model.add(cd.Frame("ball", position=(0, 0, R - depth)))
    model.add(
        cd.Contact("layer", plate, cd.FacetSurface(nodes, quads), ball, cd.Sphere(R), 
                   law=cd.Foundation(thickness, young=E, poisson=nu))
    )  # fmt: skip
    result = cd.simulate(model, end=0.01, dt=0.01)
    k = E * (1 - nu) / ((1 + nu) * (1 - 2 * nu)) / thickness
    layer = result.contact("layer")
    assert np.isclose(layer.normal_force[-1].sum(), np.pi * k * R * depth**2, rtol=0.02)
    assert np.isclose(layer.pressure[-1].max(), k * depth, rtol=1e-6)
    assert np.isclose(layer.area[-1], np.pi * 2 * R * depth, rtol=0.05)


def pressed(metre: float, friction: float, law: str) -> cd.Model:
    """A soft block pressed and dragged over a bump, with another unit of length."""
    model = cd.Model("units", dimension=2)
    law_of_block = cd.NeoHookean(1e6 / metre, 0.3, 1000.0 / metre**3)
    block = model.add(
        cd.Solid.block("block", (0.1 * metre, 0.04 * metre), (6, 3), law_of_block, thickness=0.02 * metre)
    )
    along, down = (0, 0, 0.01 * metre), (0, -0.004 * metre, -0.004 * metre)
    top = model.add(cd.Frame("top", shift=(cd.Table((0, 1, 2), along), cd.Table((0, 1, 2), down))))
    model.add(cd.Tie("glue", block, "top", top))
    bump = cd.Sphere(0.2 * metre, (0.05 * metre, -0.2 * metre))
    model.add(cd.Contact("bump", block, "bottom", model.ground, bump, law=law, friction=friction))
    return model


@pytest.mark.parametrize("law", ("augmented", "penalty"))
def test_metres_and_millimetres_give_the_same(law: str):
    runs = [
        cd.simulate(pressed(m, 0.3, law), end=0.2, dt=0.02, integrator=cd.Newmark(beta=0.3025, gamma=0.6))
        for m in (1.0, 1000.0)
    ]
    a, b = (r.contact("bump") for r in runs)
    assert a.active[-1].any()
    assert np.allclose(1000.0 * a.places[-1], b.places[-1], rtol=1e-9, atol=1e-9)
    assert np.allclose(1000.0 * a.force[-1], b.force[-1], rtol=1e-6, atol=1e-6 * np.abs(b.force[-1]).max())
    assert (runs[0].iterations == runs[1].iterations).all()


@pytest.mark.parametrize(("law", "friction"), [("augmented", 0.4), ("penalty", 0.4), ("augmented", 0.0)])
def test_a_run_with_contact_is_resumed_bit_for_bit(law: str, friction: float, tmp_path):
    whole = cd.simulate(tumbling_box(law, friction), end=0.6, dt=4e-3, file=tmp_path / "whole.h5")
    cd.simulate(tumbling_box(law, friction), end=0.4, dt=4e-3, file=tmp_path / "part.h5")
    again = cd.resume(tmp_path / "part.h5", end=0.6)
    assert (again.position("box") == whole.position("box")).all()
    assert (again.contact("floor").force == whole.contact("floor").force).all()
    assert (again.contact("floor").slip == whole.contact("floor").slip).all()


def test_a_cable_falls_over_a_ball_and_keeps_its_radius_away():
    model = cd.Model("cable", dimension=2, gravity=(0, -9.81))
    rope = cd.RoundSection(0.01, cd.StVenantKirchhoff(1e6, 0.0, 1000.0))
    cable = model.add(cd.Cable("cable", [(-0.5, 0.25), (0.5, 0.25)], 10, rope, damping=0.01))
    model.add(cd.Contact("ball", cable, "nodes", model.ground, cd.Sphere(0.2), radius=0.01))
    result = cd.simulate(model, end=0.4, dt=2e-3, integrator=cd.GeneralizedAlpha(spectral_radius=0.5))
    ball = result.contact("ball")
    assert ball.active[-1].any()
    assert ball.gap.min() > -1e-9
    assert result.position("cable.end")[-1, 1] < 0.1


def test_wear_is_pressure_times_slip():
    model = cd.Model("wear", dimension=2)
    block = model.add(cd.Solid.block("block", (0.1, 0.05), (4, 2), RUBBER))
    top = model.add(
        cd.Frame("top", shift=(cd.Table((0, 0.5, 1), (0, 0, 0.02)), cd.Table((0, 0.5, 1), (0, -1e-3, -1e-3))))
    )
    model.add(cd.Tie("glue", block, "top", top))
    model.add(cd.Contact("floor", block, "bottom", model.ground, cd.Plane((0, 1))))
    result = cd.simulate(model, end=1.0, dt=0.1, integrator=cd.BDF(order=1))
    floor = result.contact("floor")
    middle = len(floor.nodes) // 2
    expected = 1e-9 * np.sum(floor.pressure[:, middle] * floor.slip_steps[:, middle])
    assert np.isclose(floor.wear(1e-9)[-1, middle], expected)
    assert expected > 0.5 * 1e-9 * 0.02 * floor.pressure[-1, middle]
    with pytest.raises(cd.InputError, match="coefficient"):
        floor.wear(-1.0)


def test_figures_and_vtk_files_are_written(tmp_path):
    import meshio

    result = cd.simulate(
        pressed(1.0, 0.3, "augmented"), end=0.04, dt=0.02, integrator=cd.Newmark(beta=0.3025, gamma=0.6)
    )
    bump = result.contact("bump")
    assert bump.plot().axes and bump.plot_history().axes
    paths = bump.write_vtk(tmp_path)
    mesh = meshio.read(paths[-1])
    assert len(paths) == 3
    assert np.allclose(mesh.point_data["pressure"], bump.pressure[-1])


# --- bad input ------------------------------------------------------------------------------------------------------------


def model_with(**options) -> cd.Model:
    model = cd.Model("bad", dimension=2)
    block = model.add(cd.Solid.block("block", (1.0, 1.0), (2, 2), RUBBER))
    ball = model.add(cd.RigidBody("ball", 1.0, inertia=1.0, position=(0, 3)))
    given = dict(body=block, surface="top", target=ball, shape=cd.Sphere(0.5)) | options
    model.add(cd.Contact("touch", **given))
    return model


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (dict(friction=-0.1), "friction must be at least 0"),
        (dict(law="glue"), "law is 'glue'"),
        (dict(stiffness=0.0), "stiffness must be above 0"),
        (dict(law="foundation"), "law is 'foundation'"),
        (dict(law=cd.Hard(), stiffness=10.0), "stiffness belongs to the law"),
        (dict(friction=cd.Regularised(0.3, 0.01)), "multipliers, which carry Coulomb"),
        (dict(shape=3.0), "must be a Surface"),
        (dict(shape=cd.Torus(1.0, 0.2, (0, 0, 1))), "in 3D, not in 2D"),
        (dict(surface="up"), "no surface or set 'up'"),
        (dict(surface=[(0, 0)]), "name of a surface"),
        (dict(target="block"), "must be two bodies"),
        (dict(target="bal"), "did you mean 'ball'"),
        (dict(points="integration"), "would lock"),
        (dict(radius=0.1, friction=0.2), "turn the balls about the points"),
        (dict(body="ball", surface=[(0, 0)], target="block"), "must be rigid"),
        (dict(body="ball", surface=[]), "no points|two bodies"),
        (dict(body="ground", surface=[(0, 0)], target="ground"), "two bodies"),
    ],
)
def test_bad_contacts_are_refused_with_the_fix(options, words):
    with pytest.raises(cd.InputError, match=words):
        cd.compile(model_with(**options))


def test_methods_that_know_no_contact_refuse_it():
    for method in (cd.RungeKutta(), cd.methods.ExplicitEuler(), cd.methods.ScipyReference()):
        with pytest.raises(cd.InputError, match="cannot hold the gap"):
            cd.simulate(model_with(), end=0.1, dt=0.01, integrator=method)
    for run in (cd.relax, cd.linearise, cd.trace_equilibrium):
        with pytest.raises(cd.InputError, match="knows no contact"):
            run(model_with())


def test_a_result_without_contact_says_so():
    model = cd.Model("free", dimension=2)
    model.add(cd.PointMass("p", 1.0, (0, 0)))
    result = cd.simulate(model, end=0.1, dt=0.1)
    with pytest.raises(cd.InputError, match="has no contact"):
        result.contact("floor")
    other = cd.simulate(tumbling_box("augmented", 0.0), end=0.01, dt=0.01)
    with pytest.raises(cd.InputError, match="there is no contact 'flor'"):
        other.contact("flor")
    with pytest.raises(cd.InputError, match="no area"):
        _ = other.contact("floor").pressure


# --- rigid on rigid ---------------------------------------------------------------------------------------------------------

QUADS = [(0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7)]


def block_mesh(a: float, b: float, c: float) -> cd.FacetSurface:
    """A box of half sides a, b, c as a mesh of quadrilaterals."""
    return cd.FacetSurface(
        [(sx * a, sy * b, z) for z in (-c, c) for sx, sy in ((-1, -1), (1, -1), (1, 1), (-1, 1))], QUADS
    )


def two_meshes(law: str, points: str) -> cd.Model:
    """A tilted box falls on a slab that floats freely: corners of each against the facets of the other."""
    model = cd.Model("meshes", dimension=3)
    top, slab = block_mesh(0.1, 0.06, 0.04), block_mesh(0.3, 0.3, 0.05)
    base = model.add(cd.RigidBody("slab", 5.0, inertia=(0.15, 0.15, 0.3), position=(0, 0, -0.05)))
    box = model.add(
        cd.RigidBody(
            "box", 1.0, inertia=(2e-3, 4e-3, 5e-3), position=(0.02, 0.01, 0.12), rotation=(0.4, 0.5, 0.2),
            velocity=(0.2, 0.0, -1.0),
        )
    )  # fmt: skip
    given = cd.Hard() if law == "augmented" else cd.SpringDashpot(2e4, damping=0.0)
    model.add(cd.Contact("down", box, top, base, slab, law=given, points=points))
    model.add(cd.Contact("up", base, slab, box, top, law=given, points=points))
    return model


@pytest.mark.parametrize(("law", "points"), [("penalty", "nodes"), ("penalty", "integration"), ("augmented", "nodes")])
def test_a_box_tumbles_on_another_mesh_without_gain_of_energy(law: str, points: str):
    result = cd.simulate(two_meshes(law, points), end=0.15, dt=2e-3, integrator=cd.EnergyMomentum())
    energy, p, L = result.energy["total"], result.linear_momentum, result.angular_momentum
    assert result.contact("down").active.any()
    assert energy.max() - energy[0] < 1e-8 * energy[0]
    if law == "penalty":
        assert np.abs(energy - energy[0]).max() < 1e-7 * energy[0]  # kept exactly
    assert np.abs(p - p[0]).max() < 1e-10
    assert np.abs(L - L[0]).max() < 1e-10
    deepest = min(result.contact(name).gap.min() for name in ("down", "up"))
    assert deepest > (-0.02 if law == "penalty" else -1e-6)
    assert (result.position("box") - result.position("slab"))[-1, 2] > 0.08  # on the slab, not in it


# --- solids on solids -----------------------------------------------------------------------------------------------------


def two_blocks(law: str, points: str, cells: tuple[int, int], *, both: bool = False, d: int = 2) -> cd.Model:
    model = cd.Model("two blocks", dimension=d)
    low = model.add(cd.Solid.block("low", (1.0,) * d, (cells[0],) * d, RUBBER))
    high = model.add(cd.Solid.block("high", (1.0,) * d, (cells[1],) * d, RUBBER, origin=(0, 1, 0)[:d]))
    for body in (low, high):
        for axis, side in ((0, "left"), (2, "back"))[: d - 1]:
            model.add(cd.Hold(f"{side} of {body.name}", body, side, np.eye(d)[axis]))
    model.add(cd.Hold("base", low, "bottom", np.eye(d)[1]))
    model.add(cd.Traction("load", high, "top", -5e4 * np.eye(d)[1]))
    model.add(cd.Contact("joint", high, "bottom", low, "top", law=law, points=points))
    if both:
        model.add(cd.Contact("other", low, "top", high, "bottom", law=law, points=points))
    return model


@pytest.mark.parametrize(
    ("law", "points", "cells", "both", "d"),
    [
        ("augmented", "nodes", (4, 4), False, 2),
        ("penalty", "integration", (4, 3), False, 2),
        ("penalty", "integration", (3, 5), True, 2),
        ("augmented", "mortar", (4, 3), False, 2),
        ("penalty", "mortar", (3, 5), False, 2),
        ("augmented", "mortar", (2, 3), False, 3),
        ("penalty", "mortar", (3, 2), False, 3),
    ],
)
def test_an_even_pressure_passes_from_solid_to_solid(law: str, points: str, cells: tuple[int, int], both: bool, d: int):
    """The patch test of two deformable meshes: exact with multipliers where they match, with pieces where they do not."""
    result = cd.solve_static(two_blocks(law, points, cells, both=both, d=d), steps=2)
    assert np.allclose(result.contact("joint").pressure[-1], 2.5e4 if both else 5e4, rtol=1e-7)
    stress = result.fields("low").cauchy[..., 1, 1]
    assert np.ptp(stress) < 1e-7 * np.abs(stress).max()
    assert result.iterations.max() <= 6


def test_a_block_that_slides_over_stiff_facets_is_pressed_as_by_a_plane():
    """The pieces are cut anew in every step: the stress does not tell where the facets below are."""
    found, stress = [], []
    for soft in (False, True):
        model = cd.Model("slide", dimension=2)
        high = model.add(cd.Solid.block("high", (1.0, 0.5), (4, 2), RUBBER, origin=(0.2, 0.5)))
        jaw = model.add(cd.Frame("jaw", position=(0.7, 1.0), shift=(cd.Ramp(0.0, 1.0, 0.0, 1.3), 0.0)))
        stamp = model.add(cd.RigidBody("stamp", 1.0, inertia=1.0, position=(0.7, 1.0)))
        model.add(cd.Slider("guide", jaw, stamp, axis=(0, 1)))
        model.add(cd.Tie("grip", high, "top", stamp))
        model.add(cd.Load("weight", stamp.at(0, 0), (0, -2e4)))
        if soft:
            steel = cd.NeoHookean(1e11, 0.3, 1000.0)
            low = model.add(cd.Solid.block("low", (3.0, 0.5), (10, 1), steel))
            model.add(cd.Tie("base", low, "bottom", model.ground))
            model.add(cd.Contact("joint", high, "bottom", low, "top", points="mortar"))
        else:
            model.add(cd.Contact("joint", high, "bottom", model.ground, cd.Plane((0, 1), (0, 0.5))))
        result = cd.solve_static(model, steps=8)
        found.append(result.contact("joint"))
        stress.append(result.fields("high").cauchy)
        assert result.iterations.max() <= 6
    assert np.allclose(found[1].resultant[1:, 1], 2e4 * found[1].times[1:], rtol=1e-4)
    assert np.abs(stress[1] - stress[0]).max() < 1e-3 * np.abs(stress[0]).max()
    assert np.allclose(found[1].slip[-1], found[0].slip[-1], atol=1e-3)


@pytest.mark.covering
@pytest.mark.parametrize("points", ["nodes", "mortar"])
@pytest.mark.parametrize(
    ("law", "friction"), [("augmented", 0.0), ("augmented", 0.3), ("penalty", 0.0), ("penalty", 0.3)]
)
def test_soft_bodies_that_collide_keep_both_momenta_and_gain_no_energy(law: str, friction: float, points: str):
    model = cd.Model("collision", dimension=2)
    soft = cd.NeoHookean(1e5, 0.3, 1000.0)
    a = model.add(cd.Solid.block("a", (0.2, 0.2), (4, 4), soft))
    b = model.add(cd.Solid.block("b", (0.2, 0.2), (3, 3), soft, origin=(0.07, 0.21), velocity=(friction, -1.0)))
    model.add(cd.Contact("hit", b, "bottom", a, "top", law=law, friction=friction, points=points))
    result = cd.simulate(model, end=0.1, dt=2e-3)
    energy, L, p = result.energy["total"], result.angular_momentum, result.linear_momentum
    assert result.contact("hit").active.any()
    assert np.abs(L - L[0]).max() < 1e-12 * np.abs(L[0]).max()
    assert np.abs(p - p[0]).max() < 1e-11
    assert energy.max() <= energy[0] * (1.0 + (1e-9 if points == "nodes" else 1e-6))  # pieces are cut anew in each step
    assert energy[-1] > (0.9 if friction == 0.0 else 0.8) * energy[0]


def dragged(d: int, law: str) -> cd.Model:
    """A soft block pressed on a soft base by a jaw, and dragged along it over its facets."""
    model = cd.Model("drag", dimension=d)
    low, high, n, k, at = (0.4, 0.1, 0.2), (0.1, 0.05, 0.1), (12, 2, 4), (4, 2, 3), (0.1, 0.1, 0.05)
    base = model.add(cd.Solid.block("base", low[:d], n[:d], RUBBER))
    block = model.add(cd.Solid.block("block", high[:d], k[:d], RUBBER, origin=at[:d]))
    model.add(cd.Tie("glue", base, "bottom", model.ground))
    along, down = cd.Table((0, 0.25, 1), (0, 0, 0.05)), cd.Table((0, 0.25, 1), (0, -2e-3, -2e-3))
    jaw = model.add(cd.Frame("jaw", shift=(along, down, 0.0)[:d]))
    model.add(cd.Tie("grip", block, "top", jaw))
    model.add(cd.Contact("joint", block, "bottom", base, "top", law=law, friction=0.3))
    return model


@pytest.mark.parametrize(("d", "law"), [(2, "augmented"), (2, "penalty"), (3, "augmented")])
def test_a_block_dragged_over_another_sticks_and_then_slips_by_coulombs_law(d: int, law: str):
    result = cd.solve_static(dragged(d, law), steps=12)
    joint = result.contact("joint")
    drag = -joint.resultant[:, 0] / np.maximum(joint.normal_force.sum(axis=1), 1e-300)
    assert drag[3] < 0.02  # pressed only
    assert np.abs(drag[4:] - 0.3).max() < 0.003  # facets lie a little askew
    cone = np.linalg.norm(joint.friction_force, axis=2) - 0.3 * joint.normal_force
    assert cone.max() < (1e-12 if d == 2 else 1e-3) * joint.normal_force.max()
    if law == "augmented":
        moved = np.array([joint.pair.slide(a, b) for a, b in zip(joint._x[2:3], joint._x[3:4], strict=True)])
        assert (np.linalg.norm(moved, axis=2) < 1e-12).sum() >= (5 if d == 2 else 4)  # what sticks does not creep
        assert result.iterations.max() <= 7


def test_two_blocks_that_stick_are_one():
    """The patch test of stick: on matching meshes the stress is that of one block of the same cells."""
    whole, halves = (cd.Model(name, dimension=2) for name in ("whole", "halves"))
    one = whole.add(cd.Solid.block("one", (1.0, 1.0), (4, 4), RUBBER))
    low = halves.add(cd.Solid.block("low", (1.0, 0.5), (4, 2), RUBBER))
    high = halves.add(cd.Solid.block("high", (1.0, 0.5), (4, 2), RUBBER, origin=(0, 0.5)))
    halves.add(cd.Contact("joint", high, "bottom", low, "top", friction=2.0))
    for model, base, top in ((whole, one, one), (halves, low, high)):
        model.add(cd.Tie("glue", base, "bottom", model.ground))
        model.add(cd.Traction("load", top, "top", (5e3, -1e5)))
    results = [cd.solve_static(model, steps=3) for model in (whole, halves)]
    place = [
        result.displacement(cd.Point(body, (0.7, 1.0)))[-1]
        for result, body in zip(results, ("one", "high"), strict=True)
    ]
    assert np.allclose(place[0], place[1], rtol=1e-9)
    stress = results[0].fields("one").cauchy
    both = np.concatenate([results[1].fields(body).cauchy for body in ("low", "high")])
    for i, j in ((0, 0), (0, 1), (1, 1)):  # cells are numbered otherwise
        assert np.allclose(
            np.sort(stress[..., i, j].ravel()), np.sort(both[..., i, j].ravel()), atol=1e-8 * np.abs(stress).max()
        )
    assert np.abs(results[1].contact("joint").slip[-1]).max() < 1e-12


@pytest.mark.parametrize("law", ("augmented", "penalty"))
def test_friction_turns_with_the_bodies(law: str):
    """Pressed and sheared by a jaw, then all turned by 30°: forces turn along, and nothing slips."""
    model = cd.Model("turned", dimension=2)
    t = np.linspace(0.0, 1.0, 21)
    angle, push = np.clip(np.pi / 6 * (t - 0.2) / 0.8, 0.0, None), np.clip(t / 0.2, 0.0, 1.0)
    c, s = np.cos(angle), np.sin(angle)
    dx, dy = 5e-4 * push, -2e-3 * push
    turn = cd.Table(t, angle)
    base = model.add(cd.Frame("base", angle=turn))
    jaw = model.add(cd.Frame("jaw", angle=turn, shift=(cd.Table(t, c * dx - s * dy), cd.Table(t, s * dx + c * dy))))
    low = model.add(cd.Solid.block("low", (0.4, 0.1), (8, 2), RUBBER))
    high = model.add(cd.Solid.block("high", (0.2, 0.1), (3, 2), RUBBER, origin=(0.115, 0.1)))
    model.add(cd.Tie("glue", low, "bottom", base))
    model.add(cd.Tie("grip", high, "top", jaw))
    model.add(cd.Contact("joint", high, "bottom", low, "top", law=law, friction=0.5))
    result = cd.solve_static(model, steps=20)
    joint = result.contact("joint")
    sheared = np.linalg.norm(joint.friction_force[4], axis=1)
    assert sheared.max() > 30.0
    assert np.allclose(np.linalg.norm(joint.friction_force[-1], axis=1), sheared, rtol=1e-6, atol=1e-6 * sheared.max())
    assert np.allclose(joint.normal_force[-1], joint.normal_force[4], rtol=1e-6)
    if law == "augmented":
        assert joint.slip_steps[5:].max() < 1e-12


def test_a_finger_on_a_plate_bends_it_as_the_load_itself_would():
    steel = cd.StVenantKirchhoff(1e9, 0.3, 1000.0)
    found = []
    for touched in (False, True):
        model = cd.Model("plate", dimension=3)
        plate = model.add(cd.Plate.rectangle("plate", (1.0, 1.0), (2, 2), steel, 0.01, origin=(-0.5, -0.5, 0.0)))
        for side in ("left", "right"):
            model.add(cd.Tie(side, plate, side, model.ground))
        if touched:
            finger = model.add(cd.RigidBody("finger", 1.0, inertia=(1, 1, 1), position=(0.0, 0.0, 0.105)))
            model.add(cd.Prismatic("guide", model.ground, finger, axis=(0, 0, 1)))
            model.add(cd.Load("push", finger.at(0, 0, 0), (0, 0, -20.0)))
            model.add(cd.Contact("tip", finger, [(0.0, 0.0, -0.1)], plate, "top"))
        else:
            model.add(cd.Load("push", plate.point(4), (0, 0, -20.0)))
        result = cd.solve_static(model, steps=2)
        found.append(result.displacement(cd.Point("plate", 4))[-1])
    assert np.allclose(found[0], found[1], rtol=1e-9, atol=1e-12)
    assert found[0][2] < -1e-4
    tip = result.contact("tip")
    assert np.allclose(tip.resultant[-1], (0, 0, 20.0))
    assert np.allclose(tip.places[-1, 0], (0.0, 0.0, 0.005 + found[1][2]))  # on top of it, by half of its thickness


@pytest.mark.parametrize(("body", "friction"), [("cable", 0.0), ("cable", 0.2), ("beam", 0.0), ("beam", 0.2)])
def test_a_bead_slides_along_a_line_from_element_to_element(body: str, friction: float):
    """Both momenta are kept, no energy comes from nowhere, and the smooth line is felt without a jolt."""
    model = cd.Model("bead", dimension=2)
    steel = cd.StVenantKirchhoff(1e8, 0.3, 4000.0)
    x = np.linspace(-0.5, 0.5, 5)
    line = np.column_stack((x, 0.4 * x**2))
    if body == "cable":
        cable = model.add(cd.Cable("cable", line, 1, cd.RoundSection(0.02, steel)))
    else:  # its upper side is made of its own slopes across
        cable = model.add(cd.AncfBeam("cable", line, 1, cd.RectangularSection(0.04, 0.04, steel)))
    bead = model.add(cd.RigidBody("bead", 0.02, inertia=1e-6, position=(-0.3, 0.036 + 0.021), velocity=(1.2, -0.4)))
    model.add(cd.Contact("touch", bead, [(0.0, 0.0)], cable, "top", friction=friction))
    result = cd.simulate(model, end=0.3, dt=4e-3)
    touch = result.contact("touch")
    assert touch.active.sum() > (20 if body == "cable" else 5)  # it bounces on what is stiff
    assert np.ptp(result.position("bead")[touch.active[:, 0], 0]) > 0.2  # over more than one element
    energy, L, p = result.energy["total"], result.angular_momentum, result.linear_momentum
    assert energy.max() <= energy[0] * (1.0 + 1e-5)
    assert np.abs(L - L[0]).max() < 1e-10 * np.abs(L[0]).max() + 1e-13
    assert np.abs(p - p[0]).max() < 1e-11
    assert np.median(result.iterations) <= 4


def test_only_surfaces_have_sides():
    model = cd.Model("rope", dimension=3)
    rope = cd.RoundSection(0.01, cd.StVenantKirchhoff(1e6, 0.3, 1000.0))
    cable = model.add(cd.Cable("cable", [(0, 0, 0), (1, 0, 0)], 2, rope))
    ball = model.add(cd.RigidBody("ball", 1.0, inertia=(1, 1, 1), position=(0, 0, 1)))
    model.add(cd.Contact("touch", ball, [(0, 0, 0)], cable, "top"))
    with pytest.raises(cd.InputError, match="has no side 'top'; only plates"):
        cd.compile(model)


def test_a_ring_pressed_flat_meets_itself():
    model = cd.Model("flat ring", dimension=2)
    ring = model.add(cd.Solid.from_mesh("ring", cd.Mesh.annulus(0.08, 0.1, (2, 32)), RUBBER))
    X = np.array(ring.nodes)
    model.add(cd.Hold("middle", ring, [int(i) for i in np.flatnonzero(np.abs(X[:, 0]) < 1e-9)], (1, 0)))
    for name, sign in (("above", -1.0), ("below", 1.0)):
        plate = model.add(cd.Frame(f"{name} plate", shift=(0.0, cd.Ramp(0.0, 1.0, 0.0, sign * 0.085))))
        model.add(cd.Contact(name, ring, "outer", plate, cd.Plane((0, sign), (0, -sign * 0.1))))
    model.add(cd.Contact("self", ring, "inner", ring, "inner", law="penalty"))
    result = cd.solve_static(model, steps=30)
    own = result.contact("self")
    assert not own.active[20].any()
    assert own.active[-1].sum() > 10
    assert own.gap[-1].min() > -0.004
    assert np.abs(own.resultant[-1]).max() < 1e-6 * own.normal_force[-1].sum()
    assert result.iterations.max() <= 15


def test_facets_refuse_curved_elements():
    with pytest.raises(cd.InputError, match="no surface or set 'side'"):
        cd.compile(model_with(body="ball", surface=[(0, 0)], target="block", shape="side"))
    with pytest.raises(cd.InputError, match="has no surface"):
        cd.compile(model_with(shape="top"))
    model = cd.Model("curved", dimension=2)
    a = model.add(cd.Solid.block("a", (1, 1), (1, 1), RUBBER, element="quad8"))
    b = model.add(cd.Solid.block("b", (1, 1), (1, 1), RUBBER, origin=(0, 1)))
    model.add(cd.Contact("c", b, "bottom", a, "top"))
    with pytest.raises(cd.InputError, match="must be straight"):
        cd.compile(model)


# --- starts that cannot be meant ------------------------------------------------------------------------------------------


def sunk(**options) -> cd.Model:
    model = cd.Model("sunk", dimension=2)
    block = model.add(cd.Solid.block("block", (1.0, 0.5), (4, 2), RUBBER))
    model.add(cd.Hold("side", block, "left", (1, 0)))
    model.add(cd.Traction("load", block, "top", (0, -1e3)))
    model.add(cd.Contact("floor", block, "bottom", model.ground, cd.Plane((0, 1), (0, 0.1)), **options))
    return model


def test_a_deep_overlap_is_reported_with_the_point_and_the_fix():
    with pytest.raises(cd.InputError, match=r"node \d+ starts 0.1 m inside the target.*overlap='resolve'"):
        cd.solve_static(sunk())
    with pytest.raises(cd.InputError, match="turn the surface if its outside is wrong"):
        cd.simulate(sunk(), end=0.1, dt=0.01)


def test_a_deep_overlap_is_resolved_step_by_step():
    result = cd.solve_static(sunk(overlap="resolve"), steps=15)
    gap = result.contact("floor").gap.min(axis=1)
    assert gap[0] == pytest.approx(-0.1)
    assert gap[1] == pytest.approx(-0.05)
    assert abs(gap[-1]) < 1e-12
    fast = cd.simulate(sunk(overlap="resolve"), end=0.3, dt=0.01)
    assert fast.contact("floor").gap[-1].min() > -1e-12


def test_a_target_out_of_reach_is_a_warning():
    from condyle.contact.problem import ContactWarning

    model = cd.Model("far", dimension=2)
    ball = model.add(cd.RigidBody("ball", 1.0, inertia=1.0, position=(0, 1)))
    model.add(cd.Contact("floor", ball, [(0, 0)], model.ground, cd.Plane((0, 1), (0, -100))))
    with pytest.warns(ContactWarning, match="right place"):
        cd.simulate(model, end=0.01, dt=0.01)


def test_points_that_open_and_close_in_turn_are_damped_and_then_named():
    from condyle.contact.problem import ContactStep

    system = running(tumbling_box("augmented", 0.0))
    assert system.contact is not None
    state = cd.State(0.0, system.x_start.copy(), system.v_start.copy(), np.zeros(len(system.multipliers)))
    step = ContactStep(system.contact, state, 0.01)
    messages = []
    for k in range(20):
        step.status[:] = (k % 2, 0, 0, 0)
        messages.append((step.damping, step.watch()))
    assert messages[2] == (1.0, "")
    assert any(damping < 1.0 and not message for damping, message in messages)
    assert "floor (point [-0.1, -0.1])" in messages[-1][1]
    assert "open and close in turn" in messages[-1][1]


@pytest.mark.parametrize("friction", [0.0, 0.4])
@pytest.mark.parametrize("method", [cd.EnergyMomentum(), cd.GeneralizedAlpha()], ids=["momentum", "alpha"])
def test_a_heavy_body_stays_where_it_lands_whatever_the_step(method, friction):
    """An arm on a hinge falls on its hand: where in a step that is must not decide on a rebound."""
    for h in (4e-3, 2.1e-3, 1.9e-3):
        m = cd.Model("hand", dimension=3, gravity=(0.0, 0.0, -9.81))
        arm = m.add(
            cd.RigidBody("arm", 1.5, inertia=(0.001, 0.02, 0.02), position=(0, 0, 0), centre_of_mass=(0.15, 0, 0))
        )
        m.add(cd.Revolute("elbow", m.ground, arm, at=(0, 0, 0), axis=(0, -1, 0)))
        m.add(cd.Initial("start", "elbow.angle", value=0.5))
        hand = [(0.33, 0.02, -0.01), (0.33, -0.02, -0.01)]
        m.add(cd.Contact("table", arm, hand, m.ground, cd.Plane((0, 0, 1), (0, 0, -0.05)), friction=friction))
        result = cd.simulate(m, end=0.3, dt=h, integrator=method)
        landed = int(np.argmax(result.contact("table").active.any(axis=1)))
        rate = result.coordinate_rate("elbow.angle")
        assert rate[landed - 1] < -6.0 and np.abs(rate[landed:]).max() < 0.02
        assert np.diff(result.energy["total"]).max() < 1e-6 * result.energy["kinetic"].max()


def test_mortar_surfaces_that_do_not_face_each_other_do_not_touch():
    """Nothing of them is common, and so there is nothing to integrate over."""
    model = cd.Model("aside", dimension=3)
    rubber = cd.NeoHookean(1e6, 0.3, 1000.0)
    low = model.add(cd.Solid.block("low", (0.2, 0.1, 0.2), (1, 1, 1), rubber))
    high = model.add(cd.Solid.block("high", (0.2, 0.1, 0.2), (1, 1, 1), rubber, origin=(1.0, 0.2, 0.0)))
    model.add(cd.Contact("joint", high, "bottom", low, "top", points="mortar"))
    assert not cd.simulate(model, end=2e-3, dt=1e-3).contact("joint").active.any()
