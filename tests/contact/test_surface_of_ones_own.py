"""A surface that a user adds in one file (examples/extensions/tyre.py) does all that the built-in ones do."""

from __future__ import annotations

import numpy as np
import pytest
import test_surfaces

import condyle as cd
from extensions import extension


def test_a_surface_passes_the_tests_of_all_surfaces(monkeypatch: pytest.MonkeyPatch):
    with extension("tyre.py") as own:
        monkeypatch.setitem(test_surfaces.SURFACES, "tyre", (own.Tyre(0.7, 0.3, (0.2, 0.1, 1.0)), 3))
        test_surfaces.test_the_normal_is_the_gradient_of_the_gap_and_the_hessian_that_of_the_normal("tyre")
        test_surfaces.test_the_closest_point_lies_on_the_surface_and_no_other_is_closer("tyre")
        test_surfaces.test_the_sign_changes_across_the_surface("tyre")
        np.testing.assert_allclose(own.Tyre(0.7, 0.3).curvatures([(2.0, 0.0, 0.0)]), [[1.0, 1.0 / 0.3]])


def test_a_stone_slides_down_the_tyre_as_on_a_circle():
    disk, tube, start, mass = 0.4, 0.1, 0.2, 0.01
    with extension("tyre.py") as own:
        m = cd.Model("stone on a tyre", gravity=(0.0, 0.0, -9.81))
        at = (disk + tube * np.sin(start), 0.0, tube * np.cos(start))
        stone = m.add(cd.RigidBody("stone", mass, inertia=1e-6 * np.eye(3), position=at))
        m.add(cd.Contact("tyre", stone, [(0.0, 0.0, 0.0)], m.ground, own.Tyre(disk, tube)))
        result = cd.simulate(m, end=0.16, dt=0.001)
    place, contact = result.position("stone") - (disk, 0.0, 0.0), result.contact("tyre")
    angle = np.arctan2(place[:, 0], place[:, 2])
    assert angle[-1] > 0.4  # it is under way, and still pressed on
    np.testing.assert_allclose(np.hypot(place[:, 0], place[:, 2]), tube, rtol=1e-8)
    speed = 2.0 * 9.81 * tube * (np.cos(start) - np.cos(angle))  # its square
    normal = 0.5 * (
        contact.normal_force[1:, 0] + contact.normal_force[:-1, 0]
    )  # from the middles of steps to their ends
    wanted = mass * (9.81 * np.cos(angle) - speed / tube)
    np.testing.assert_allclose(normal[2:-1], wanted[2:-2], rtol=2e-3)
