"""Nearly incompressible solids: bending of one layer against beam theory, Cook's membrane, energy and warnings."""

import warnings

import numpy as np
import pytest

import condyle as cd

NU, E = 0.4999, 1e6
LAW = cd.MooneyRivlin.from_moduli(E, NU, density=1.0)
# element -> dimension, deflection of one layer over beam theory, of Cook's membrane over the converged one: least and most.
# A clamped end holds the section's width and thickness, so a little less than one is right.
QUADRATIC = {
    "tri6": (2, (0.95, 1.03), (0.96, 1.0)),
    "quad8": (2, (0.98, 1.07), (0.98, 1.0)),
    "tet10": (3, (0.92, 1.03), (0.91, 1.0)),
    "hex20": (3, (0.98, 1.03), (0.96, 1.0)),
    "wedge15": (3, (0.95, 1.0), (0.91, 1.0)),
}
COOK = 1.2431  # of the linear problem below: quad8 with 8, 16 and 32 cells a side, extrapolated


def cantilever(element, d, cells=(10, 1, 1), **options):
    """Mean deflection of the end of a slender block under a small shear, over that of beam theory."""
    m = cd.Model("cantilever", dimension=d)
    body = m.add(cd.Solid.block("beam", (10, 1, 1)[:d], cells[:d], LAW, element=element, **options))
    m.add(cd.Tie("wall", body, "left", m.ground))
    m.add(cd.Traction("load", body, "right", (0, 1, 0)[:d]))
    result = cd.solve_static(m, steps=1)
    young = E / (1 - NU**2) if d == 2 else E
    theory = 10**3 / (3 * young / 12) + 10 / (5 / 6 * E / (2 * (1 + NU)))
    return result.fields(body).displacement[body.sets["right"], 1].mean() / theory


def cook(element, d, n, **options):
    """Vertical move of the corner of Cook's membrane under a small shear (a slice of it between walls, in space)."""
    depth = 48.0 / n

    def skew(u):
        places = np.array(u)
        low, high = 44.0 * u[:, 0], 44.0 + 16.0 * u[:, 0]
        places[:, 0], places[:, 1] = 48.0 * u[:, 0], low + u[:, 1] * (high - low)
        return places

    mesh = cd.Mesh.block((1, 1, depth)[:d], (n, n, 1)[:d], element=element).mapped(skew)
    m = cd.Model("Cook", dimension=d)
    law = cd.MooneyRivlin.from_moduli(250.0, NU, 1.0)
    body = m.add(cd.Solid.from_mesh("membrane", mesh, law, **options))
    m.add(cd.Tie("wall", body, "left", m.ground))
    if d == 3:
        inside = sorted(set(body.sets["back"] + body.sets["front"]) - set(body.sets["left"]))
        m.add(cd.Hold("walls", body, inside, (0, 0, 1)))
    m.add(cd.Traction("shear", body, "right", (0.0, 1e-3, 0.0)[:d]))
    corner = int(np.argmax(mesh.nodes @ np.array((1.0, 1.0, -1.0)[:d])))
    return 1e3 * cd.solve_static(m, steps=1).displacement(body.point(corner))[-1, 1]


@pytest.mark.parametrize("element", QUADRATIC)
def test_one_layer_of_a_quadratic_element_bends_as_beam_theory_says(element):
    d, (least, most), _ = QUADRATIC[element]
    assert least < cantilever(element, d, dilatation="mean") < most


@pytest.mark.parametrize("element", QUADRATIC)
def test_cooks_membrane_does_not_lock_with_quadratic_elements(element):
    d, _, (least, most) = QUADRATIC[element]
    n = 8 if d == 2 else 4
    assert least * COOK < cook(element, d, n, dilatation="mean") < most * COOK


@pytest.mark.parametrize(("element", "d"), [("quad4", 2), ("hex8", 3)])
def test_linear_elements_with_a_mean_dilatation_converge_and_thin_layers_of_them_are_warned_of(element, d):
    with pytest.warns(cd.InputWarning, match=f"one layer of {element} .* up to 1.7 times too soft; use"):
        assert 1.3 < cantilever(element, d, dilatation="mean") < 1.75
    with warnings.catch_warnings():
        warnings.simplefilter("error", cd.InputWarning)
        assert 0.9 < cantilever(element, d, (20, 2, 2), dilatation="mean") < 1.1
    coarse, fine = (cook(element, d, n, dilatation="mean") / COOK for n in (4, 8))
    assert 0.8 < coarse < fine - 0.08
    assert 0.93 < fine < 1.0


@pytest.mark.parametrize(("element", "d"), [("tri3", 2), ("tet4", 3), ("wedge6", 3), ("quad4", 2), ("hex8", 3)])
def test_plain_linear_elements_lock_and_thin_layers_of_them_are_warned_of(element, d):
    with pytest.warns(cd.InputWarning, match=f"one layer of {element} .* many times too stiff; use"):
        assert cantilever(element, d) < 0.1
    assert cook(element, d, 4) < 0.4 * COOK


def test_pyramids_with_a_mean_dilatation_converge_and_wedges_refuse_one():
    coarse, fine = (cook("pyramid5", 3, n, dilatation="mean") / COOK for n in (4, 8))
    assert 0.35 < coarse < fine - 0.25
    assert cantilever("pyramid5", 3, dilatation="mean") > 50 * cantilever("pyramid5", 3)
    with pytest.raises(cd.InputError, match="wedge6 locks with one dilatation, too; use"):
        cantilever("wedge6", 3, dilatation="mean")
    m = cd.Model("axle", dimension=3)  # wedges among hexahedra do not hold them up
    mesh = cd.Mesh.cylinder(0.5, 4.0, (2, 3, 8), element="mixed")
    body = m.add(cd.Solid.from_mesh("axle", mesh, LAW, dilatation="mean"))
    m.add(cd.Tie("wall", body, "back", m.ground))
    m.add(cd.Traction("load", body, "front", (0, 1.0, 0)))
    move = cd.solve_static(m, steps=1).fields(body).displacement[body.sets["front"], 1].mean()
    inertia = 0.0
    for a in np.arange(8) * np.pi / 4:  # of the octagon, by triangles
        P = 0.5 * np.array([(np.cos(a), np.sin(a)), (np.cos(a + np.pi / 4), np.sin(a + np.pi / 4))])
        y = np.array((0.0, *P[:, 1]))
        inertia += 0.125 * np.sin(np.pi / 4) / 12 * (y.sum() ** 2 + (y**2).sum())
    area = 8 * 0.125 * np.sin(np.pi / 4)
    theory = area * (4.0**3 / (3 * E * inertia) + 4.0 / (0.9 * E / (2 * (1 + NU)) * area))
    assert 0.8 < move / theory < 1.0  # three rings of cells; plain ones reach a tenth


def test_a_single_cell_and_a_quadratic_layer_are_not_warned_of():
    with warnings.catch_warnings():
        warnings.simplefilter("error", cd.InputWarning)
        for element, cells in (("hex8", (1, 1, 1)), ("hex20", (10, 1, 1))):
            m = cd.Model("quiet", dimension=3)
            m.add(cd.Solid.block("b", cells, cells, LAW, element=element, dilatation="mean"))
            cd.compile(m)


FIBRES = cd.FibreReinforced(1.0, 500.0, 0.5, 6.0, 1.15, (1.0, 0.3, 0.0), 1.0)


@pytest.mark.parametrize(
    ("element", "d", "law", "options"),
    [
        ("hex20", 3, FIBRES, {}),
        ("tet10", 3, cd.Ogden((1.3, -0.4), (1.9, -1.5), 500.0, 1.0), {}),
        ("quad8", 2, cd.Yeoh(1.0, -0.05, 0.03, 500.0, 1.0), {"plane": "axisymmetric", "origin": (0.5, 0.0)}),
        ("tri6", 2, cd.MooneyRivlin(0.8, 0.3, 500.0, 1.0, prony=((0.5, 0.05),)), {}),
    ],
)
def test_energy_and_momenta_are_kept_with_linear_dilatations(element, d, law, options):
    m = cd.Model("tumbling", dimension=d)
    about_axis = "plane" in options
    motion = {"velocity": (0.0, 0.3)} if about_axis else {"angular_velocity": 4.0 if d == 2 else (1.0, 3.0, 2.0)}
    body = m.add(
        cd.Solid.block(
            "b", (1, 0.5, 0.5)[:d], (2, 1, 1)[:d], law, element=element, dilatation="mean", **motion, **options
        )
    )
    if about_axis:
        m.add(cd.Tie("floor", body, "bottom", m.ground))
    result = cd.simulate(m, end=0.3, dt=0.02)
    balance = result.energy["total"] - result.energy["work"]
    assert np.ptp(result.energy["total"] - result.energy["kinetic"]) > 1e-3 * balance[0]  # it deforms
    assert np.ptp(balance) < 1e-10 * balance[0]
    if not about_axis:
        assert np.ptp(result.angular_momentum, axis=0).max() < 1e-10 * np.abs(result.angular_momentum).max()
    assert result.iterations.max() <= 6


def test_stress_of_a_linear_dilatation_is_the_derivative_of_the_energy_that_fields_report():
    m = cd.Model("bent", dimension=3)
    body = m.add(cd.Solid.block("b", (4, 1, 1), (2, 1, 1), FIBRES, element="hex20", dilatation="mean"))
    m.add(cd.Tie("wall", body, "left", m.ground))
    m.add(cd.Traction("load", body, "right", (0.0, 0.02, 0.01)))
    result = cd.solve_static(m, steps=2)
    fields = result.fields(body)
    assert (fields.energy_density * fields.volumes).sum() == pytest.approx(result.energy["stored"][-1], rel=1e-12)
    np.testing.assert_allclose(fields.surface_force("right"), (0.0, 0.02, 0.01), atol=0.004)
    bending = fields.cauchy[1, :, 0, 0] - fields.cauchy[0, :, 0, 0]
    assert np.abs(bending).max() > 0.01
