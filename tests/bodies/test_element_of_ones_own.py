"""An element that a user adds in one file (examples/extensions/quad9.py) takes part in all that the built-in ones do."""

import runpy
from pathlib import Path

import numpy as np
import pytest
import test_elements
import test_mixed_cells
import test_patch

import condyle as cd
from condyle.bodies.elements import ELEMENTS, Element
from condyle.bodies.elements.cell import QUADRILATERAL
from condyle.bodies.elements.quadratic import LINE3
from condyle.bodies.mesh_files import write_mesh

FILE = Path(__file__).parents[2] / "examples" / "extensions" / "quad9.py"


@pytest.fixture
def quad9():
    runpy.run_path(str(FILE))
    yield ELEMENTS["quad9"]
    del ELEMENTS["quad9"]


def test_it_passes_the_tests_of_all_elements(quad9):
    test_elements.test_shape_functions_are_one_at_their_node_and_add_up_to_one(quad9)
    test_elements.test_the_facets_close_the_element_and_look_outwards(quad9)
    test_elements.test_the_points_hold_all_strains_of_the_element(quad9)
    test_elements.test_places_are_found_again_in_a_distorted_cell(quad9)
    test_mixed_cells.test_every_element_converges_with_its_order(quad9)
    test_patch.test_every_element_passes_the_patch_test("quad9", "neo-Hookean")


def test_it_is_made_by_generators_and_comes_back_from_files(quad9, tmp_path):
    mesh = cd.Mesh.annulus(1.0, 2.0, (2, 12), element="quad9").check()
    radius = np.hypot(*mesh.nodes[mesh.sets["outer"]].T)
    assert len(radius) == 24
    np.testing.assert_allclose(radius, 2.0, rtol=1e-12)
    write_mesh(tmp_path / "ring.vtu", mesh)
    back = cd.Mesh.read(tmp_path / "ring.vtu")
    assert back.element == "quad9"
    np.testing.assert_allclose(back.nodes[back.cells], mesh.nodes[mesh.cells], atol=1e-12)


def test_it_keeps_its_volume_by_few_numbers(quad9):
    m = cd.Model("strip", dimension=2)
    law = cd.MooneyRivlin.from_moduli(1e6, 0.4999, density=1.0)
    body = m.add(cd.Solid.block("strip", (10, 1), (10, 1), law, element="quad9", dilatation="mean"))
    m.add(cd.Tie("wall", body, "left", m.ground))
    m.add(cd.Traction("load", body, "right", (0, 1)))
    found = cd.solve_static(m, steps=1).fields(body).displacement[body.sets["right"], 1].mean()
    theory = 10**3 / (3 * 1e6 / (1 - 0.4999**2) / 12) + 10 / (5 / 6 * 1e6 / 2.9998)
    assert 0.97 < found / theory < 1.1


def test_elements_that_do_not_hold_together_are_refused_by_name():
    flat = ((0, 0), (1, 0), (0, 1), (1, 1))
    rule = QUADRILATERAL.rule(3)
    with pytest.raises(cd.InputError, match="there is an element 'quad4' already"):
        cd.register_element(Element("quad4", QUADRILATERAL, flat, rule, rule, (LINE3,)))
    with pytest.raises(cd.InputError, match="element 'mine': 8 nodes need as many monomials, not 4"):
        cd.register_element(Element("mine", QUADRILATERAL, flat, rule, rule, (LINE3,), middles=True))
    with pytest.raises(cd.InputError, match="element 'mine': its sides must be the elements of the facets"):
        cd.register_element(Element("mine", QUADRILATERAL, flat, rule, rule))
