"""A joint that a user adds in one file (examples/extensions/oldham.py) does all that the built-in ones do."""

from __future__ import annotations

import numpy as np

import condyle as cd
from extensions import extension


def shafts(kind: type) -> cd.Model:
    """Two parallel shafts 0.1 m out of line; the second one is held by the coupling and by a bearing at its middle."""
    m = cd.Model("coupled shafts")
    first = m.add(cd.RigidBody.cylinder("first", 0.05, 0.2, 7800.0, angular_velocity=(0.0, 0.0, 3.0)))
    second = m.add(cd.RigidBody.cylinder("second", 0.05, 0.2, 7800.0, position=(0.1, 0.0, 0.3)))
    m.add(cd.Revolute("bearing", m.ground, first, at=(0.0, 0.0, 0.0), axis=(0.0, 0.0, 1.0)))
    m.add(cd.PointOnLine("line", m.ground.at(0.1, 0.0, 0.3), second, axis=(0.0, 0.0, 1.0)))
    m.add(kind("coupling", first, second))
    m.add(cd.CoordinateForce("motor", "bearing.angle", 2.0))
    return m


def test_a_joint_couples_shafts_out_of_line_and_passes_the_checks_of_all_joints():
    with extension("oldham.py") as own:
        m = shafts(own.Oldham)
        result = cd.simulate(m, end=0.5, dt=0.005)
        turned = result.angle("first", axis=(0, 0, 1))
        assert turned[-1] > 1.5
        np.testing.assert_allclose(result.angle("second", axis=(0, 0, 1)), turned, atol=1e-9)
        np.testing.assert_allclose(result.position("second"), [(0.1, 0.0, 0.3)] * len(result.times), atol=1e-9)
        energy = result.energy
        np.testing.assert_allclose(energy["total"] - energy["work"], energy["total"][0], rtol=1e-9)
        again = cd.simulate(cd.Model.from_dict(m.to_dict()), end=0.5, dt=0.005)
        np.testing.assert_array_equal(again.state(-1).x, result.state(-1).x)
        assert cd.check(own.Oldham).ok
