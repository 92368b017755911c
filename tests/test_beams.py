"""Beams at large strain against the geometrically exact beam solved as a boundary value problem, and what else a `Beam` does."""

from functools import cache

import numpy as np
import pytest
from simo_reissner import tip

import condyle as cd

SOFT = cd.StVenantKirchhoff(young=1e6, poisson=0.3, density=1000.0)
STUB = cd.RectangularSection(0.4, 0.3, SOFT)  # on a length of 1 m: shear matters
SLENDER = cd.RectangularSection(0.02, 0.01, SOFT)


def line(d, length=1.0):
    return [(0.0,) * d, (length, *((0.0,) * (d - 1)))]


def cantilever(kind, elements, section, force=(0, 0, 0), moment=(0, 0, 0), *, d=3, length=1.0, **options):
    """A beam clamped at its start, with dead loads at its end; the last state of its equilibrium."""
    m = cd.Model("cantilever", dimension=d)
    normal = {} if d == 2 else {"normal": (0, 1, 0)}
    beam = m.add(kind("b", line(d, length), elements, section, **normal, **options))
    m.add(cd.Tie("clamp", beam, "start", "ground"))
    if np.any(force):
        m.add(cd.Load("force", "b.end", tuple(force)[:d]))
    if np.any(moment):
        m.add(cd.Moment("moment", "b.end", tuple(moment) if d == 3 else float(moment[2])))
    return m


def end_of(model, steps=8):
    return cd.solve_static(model, steps=steps).position("b.end")[-1]


# --- the geometrically exact beam -----------------------------------------------------------------------------------------

k = STUB.at(0.0)
LOADS = {
    "force": ((0.15 * k.axial, 0.02 * k.shear_y, 0.0), (0.0, 0.0, 0.0)),
    "shear": ((0.0, 0.1 * k.shear_y, 0.0), (0.0, 0.0, 0.0)),
    "moment": ((0.0, 0.0, 0.0), (0.0, 0.5 * k.bending_y, 1.5 * k.bending_z)),
    "torsion": ((0.0, 0.02 * k.shear_y, 0.0), (1.2 * k.torsion, 0.0, 0.0)),
    "all": ((0.1 * k.axial, 0.04 * k.shear_y, -0.03 * k.shear_z), (0.8 * k.torsion, 0.3 * k.bending_y, 0.5 * k.bending_z)),
}


@cache
def exact(name):
    return tip(k, 1.0, *LOADS[name])[0]


@pytest.mark.parametrize("kind", [cd.Beam, cd.AncfBeam])
@pytest.mark.parametrize("name", list(LOADS))
def test_beams_converge_to_the_geometrically_exact_one_at_large_strain(kind, name):
    """Strains of 15 % in stretch, 10 % in shear, 30 % in bending, 20 % in twist; of second order or better."""
    errors = [np.linalg.norm(end_of(cantilever(kind, n, STUB, *LOADS[name])) - exact(name)) for n in (4, 8, 16)]
    assert errors[-1] < 2e-3
    for coarse, fine in zip(errors, errors[1:], strict=False):
        assert coarse / fine > 3.4 or fine < 1e-7


@pytest.mark.parametrize("d", [2, 3])
@pytest.mark.parametrize("kind", [cd.Beam, cd.AncfBeam])
def test_a_deep_cantilever_deflects_as_the_exact_beam_and_refining_helps(kind, d):
    steel = cd.StVenantKirchhoff(young=2.07e11, poisson=0.3, density=7850.0)
    section = cd.RectangularSection(0.5, 0.1, steel)
    wanted = tip(section.at(0.0), 2.0, (0.0, -62.5e6, 0.0))[0]
    assert wanted[1] == pytest.approx(-0.7106, abs=1e-4)
    off = []
    for n in (8, 32):
        end = end_of(cantilever(kind, n, section, (0.0, -62.5e6, 0.0), d=d, length=2.0), steps=4)
        off.append(np.linalg.norm(end - wanted[:d]))
    assert off[0] < 5e-3 and off[1] < off[0] / 12
