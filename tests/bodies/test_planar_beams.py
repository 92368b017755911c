"""Planar beams whose sections stay straight or warp."""

from __future__ import annotations

import numpy as np
import pytest

import condyle as cd
from condyle.bodies.ancf.shapes import warped_beam

YOUNG, HEIGHT, LENGTH = 7e6, 0.04, 1.2


def cantilever(sections, elements, poisson, tie=True, **options):
    """Tip deflection over that of a Timoshenko beam."""
    model = cd.Model("cantilever", dimension=2)
    section = cd.RectangularSection(HEIGHT, HEIGHT, cd.StVenantKirchhoff(YOUNG, poisson, 5540.0))
    beam = model.add(cd.PlanarBeam("b", [(0, 0), (LENGTH, 0)], elements, section, sections=sections, **options))
    if tie:
        model.add(cd.Tie("t", beam, "start", "ground"))
    else:
        model.add(cd.Insertion("t", beam.point("start"), "ground", at=(0, 0)))
    force = 1e-5
    model.add(cd.Load("f", beam.point("end"), (0, force)))
    tip = cd.solve_static(model, steps=1).displacement("b.end")[-1, 1]
    shear = 5 / 6 * YOUNG / (2 * (1 + poisson)) * HEIGHT**2
    return tip / (force * LENGTH**3 / (3 * YOUNG * HEIGHT**4 / 12) + force * LENGTH / shear)


def test_shape_functions_of_the_warped_beam_are_those_of_the_source():
    length, xi, y = 0.15, 0.3, 0.02
    eta = y / length
    l, lx = length, length * xi**2  # noqa: E741
    exact = [
        1 - 3 * xi**2 + 2 * xi**3, l * (xi - 2 * xi**2 + xi**3),
        l * (eta - 3 * xi**2 * eta + 9 * lx * eta**2 + 2 * xi**3 * eta),
        l**2 * (xi * eta - 2 * xi**2 * eta + 6 * lx * eta**2 + xi**3 * eta),
        3 * xi**2 - 2 * xi**3, l * (-(xi**2) + xi**3),
        l * (3 * xi**2 * eta - 9 * lx * eta**2 - 2 * xi**3 * eta),
        l**2 * (-(xi**2) * eta + 3 * lx * eta**2 + xi**3 * eta),
    ]  # fmt: skip
    np.testing.assert_allclose(warped_beam(3.0).weights([xi, y], (0, 0), [length, 1.0]), exact, atol=1e-15)


@pytest.mark.parametrize(
    ("sections", "poisson", "ratio"),
    [("straight", 0.0, 0.996), ("warped", 0.0, 0.9995), ("straight", 0.3, 0.906), ("warped", 0.3, 0.936)],
)
def test_a_cantilever_is_right_but_for_poissons_ratio(sections, poisson, ratio):
    assert cantilever(sections, 8, poisson) == pytest.approx(ratio, abs=6e-4)


def test_an_insertion_and_a_tie_hold_the_same_section():
    assert cantilever("warped", 4, 0.0, tie=False) == pytest.approx(cantilever("warped", 4, 0.0), rel=1e-6)


def test_the_constant_of_the_warped_field_has_a_unit():
    """In millimetres the source's 3 is another element: 3 per millimetre."""
    assert cantilever("warped", 8, 0.3, warping=3000.0) > cantilever("warped", 8, 0.3) + 0.01


def test_off_the_axis_the_left_element_is_read_and_only_warped_sections_stretch_differently():
    for sections in ("straight", "warped"):
        model = cd.Model("bent", dimension=2)
        section = cd.RectangularSection(0.2, 0.2, cd.StVenantKirchhoff(YOUNG, 0.3, 5540.0))
        beam = model.add(cd.PlanarBeam("b", [(0, 0), (1.0, 0)], 2, section, sections=sections))
        model.add(cd.Tie("t", beam, "start", "ground"))
        model.add(cd.Load("f", beam.point("end"), (0, 50.0)))
        seen = cd.LineHistory(cd.solve_static(model), "b", np.array([0.5]))
        axis, off = seen.area_ratio()[-1, 0], seen.area_ratio(0.08)[-1, 0]
        if sections == "straight":
            assert off == pytest.approx(axis, abs=1e-13)
        else:
            assert abs(off - axis) > 1e-3
        assert abs(seen.shear_angle()[-1, 0]) > 1e-4
        assert seen.tension.shape == (len(seen.times), 1)


def test_a_curved_bar_is_at_rest():
    angle = np.linspace(0.0, 1.0, 4)
    line = np.column_stack((np.sin(angle), 1 - np.cos(angle)))
    for sections in ("straight", "warped"):
        model = cd.Model("arc", dimension=2)
        section = cd.RectangularSection(0.1, 0.1, cd.StVenantKirchhoff(YOUNG, 0.3, 5540.0))
        beam = model.add(cd.PlanarBeam("b", line, 2, section, sections=sections))
        model.add(cd.Tie("t", beam, "start", "ground"))
        moved = cd.solve_static(model, steps=1).displacement("b.end")[-1]
        np.testing.assert_allclose(moved, 0.0, atol=1e-12)


def test_planar_beams_say_what_they_cannot_be():
    steel = cd.StVenantKirchhoff(2e11)
    with pytest.raises(cd.InputError, match="RectangularSection"):
        cd.PlanarBeam("b", [(0, 0), (1, 0)], 2, cd.RoundSection(0.1, steel))
    with pytest.raises(cd.InputError, match="points"):
        cd.PlanarBeam("b", [(0, 0), (1, 0)], 2, cd.RectangularSection(0.1, 0.1, steel), points=3)
    model = cd.Model("space")
    with pytest.raises(cd.InputError, match="2D"):
        model.add(cd.PlanarBeam("b", [(0, 0, 0), (1, 0, 0)], 2, cd.RectangularSection(0.1, 0.1, steel)))
        model.validate()
