"""Solids under every implicit integrator: the same motion, few iterations, energy lost only where it should be."""

import numpy as np
import pytest

import condyle as cd

BULK = 50.0
SOFT = cd.Robust(6.0, 0.3, 1.0)
CASES = {
    "tri6, Ogden": (2, cd.Ogden((1.3, -0.4), (1.9, -1.5), BULK, 1.0), {"element": "tri6"}),
    "quad4, mean dilatation": (2, cd.MooneyRivlin(0.8, 0.3, BULK, 1.0), {"dilatation": "mean"}),
    "quad8, plane stress": (2, SOFT, {"element": "quad8", "plane": "stress"}),
    "quad4, viscous, about an axis": (
        2,
        cd.Robust(6.0, 0.3, 1.0, viscosity=0.05),
        {"plane": "axisymmetric", "origin": (0.5, 0.0)},
    ),
    "tet10, fibres": (
        3,
        cd.FibreReinforced(1.0, BULK, 0.5, 6.0, 1.15, (1.0, 0.0, 0.0), 1.0),
        {"element": "tet10"},
    ),
    "hex8, viscous": (3, cd.Robust(6.0, 0.3, 1.0, viscosity=0.05), {}),
}
# method -> how far its tip may be from that of energy–momentum, and the part of the energy it may lose, in 20 steps
METHODS = {
    "generalized-α": (cd.GeneralizedAlpha(), 5e-5, 1e-3),
    "Newmark": (cd.Newmark(), 5e-5, 1e-3),
    "HHT": (cd.HHT(), 8e-5, 5e-3),
    "BDF1": (cd.BDF(order=1), 1e-2, 0.5),
    "BDF2": (cd.BDF(), 1e-3, 0.1),
}


def block(name):
    """A cantilever of two cells that starts to move across its length."""
    d, law, options = CASES[name]
    m = cd.Model("block", dimension=d)
    body = m.add(cd.Solid.block("b", (1, 0.5, 0.5)[:d], (2, 1, 1)[:d], law, velocity=(0, 0.3, 0)[:d], **options))
    m.add(
        cd.Tie(
            "wall", body, "bottom" if "plane" in options and options["plane"] == "axisymmetric" else "left", m.ground
        )
    )
    return m, body.point(len(body.nodes) - 1)


def tip(result, point):
    return result.displacement(point)[-1]


@pytest.mark.parametrize("name", CASES)
def test_all_integrators_move_a_solid_alike(name):
    m, end = block(name)
    exact = cd.simulate(m, end=0.4, dt=0.02)
    total, work = exact.energy["total"], exact.energy["work"]
    assert np.ptp(total - work) < 1e-9 * total[0]
    for method, near, lost in METHODS.values():
        result = cd.simulate(m, end=0.4, dt=0.02, integrator=method)
        np.testing.assert_allclose(tip(result, end), tip(exact, end), atol=near)
        left = (result.energy["total"] - result.energy["work"])[-1] / total[0]
        assert 1.0 - lost < left < 1.0 + 1e-3
        assert result.iterations.max() <= 4


def test_the_motion_of_a_solid_converges_with_the_order_of_the_method():
    m, end = block("quad8, plane stress")
    reference = tip(cd.simulate(m, end=0.4, dt=0.00125), end)
    for method, order in ((cd.GeneralizedAlpha(), 2), (cd.Newmark(), 2), (cd.BDF(), 2), (cd.BDF(order=1), 1)):
        errors = [np.abs(tip(cd.simulate(m, end=0.4, dt=dt, integrator=method), end) - reference).max()
                  for dt in (0.01, 0.005)]  # fmt: skip
        assert np.log2(errors[0] / errors[1]) > order - 0.4
