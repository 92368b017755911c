"""Statics at, below and beyond points of bifurcation: passed, and unstable branches said."""

import warnings

import numpy as np
import pytest

import condyle as cd
from condyle.analysis import stability
from truss import von_mises_truss


def rigid_column(load, across=0.0):
    """A rigid bar of 1 m standing on a hinge with a spring of 10 N m/rad: it buckles at 10 N."""
    m = cd.Model("column", dimension=2)
    column = m.add(cd.RigidBody("bar", 1.0, inertia=1.0 / 12.0, position=(0.0, 0.5), rotation=np.pi / 2))
    m.add(cd.Pin("foot", m.ground, column, at=(0.0, 0.0)))
    m.add(cd.CoordinateSpring("spring", "foot.angle", 10.0))
    m.add(cd.Load("load", column.at(0.5, 0.0), (across, -load)))
    return m


def euler_column(share, across=0.0, elements=12):
    """A slender clamped rod under `share` of π² E I / 4 L², with E I = 10⁶ · 0.05 · 0.02³/12, L = 1 m."""
    m = cd.Model("Euler", dimension=2)
    rod = m.add(cd.Rod("rod", [(0.0, 0.0), (0.0, 1.0)], elements, 0.02, cd.StVenantKirchhoff(1e6), width=0.05))
    m.add(cd.Tie("clamp", rod, "start", m.ground))
    critical = np.pi**2 / 4.0 * 1e6 * 0.05 * 0.02**3 / 12.0
    m.add(cd.Load("load", rod.point("end"), (across, -share * critical)))
    return m


@pytest.mark.parametrize("make", [lambda share, across=0.0: rigid_column(10.0 * share, across), euler_column])
def test_a_column_beyond_its_buckling_load_is_called_unstable_where_it_stays_straight(make):
    with pytest.warns(cd.StabilityWarning, match="unstable in 1 direction .*trace_equilibrium"):
        result = cd.solve_static(make(1.3), steps=3)
    assert result.status == "completed" and "unstable in 1 direction" in result.message
    with warnings.catch_warnings():
        warnings.simplefilter("error", cd.StabilityWarning)
        assert cd.solve_static(make(0.9), steps=3).message == ""  # below
        bent = cd.solve_static(make(1.3, across=0.01), steps=20)  # on the other branch
    assert bent.message == ""


@pytest.mark.parametrize("steps", [2, 4, 8])
def test_an_increment_that_ends_on_a_singular_point_is_gone_past(steps):
    with pytest.warns(cd.StabilityWarning):
        result = cd.solve_static(rigid_column(20.0), steps=steps)  # 10 N is exactly half of it
    assert result.status == "completed" and result.times[-1] == 1.0
    assert np.abs(result.coordinate("foot.angle")).max() < 1e-9


def test_a_truss_that_has_snapped_through_is_stable():
    with warnings.catch_warnings():
        warnings.simplefilter("error", cd.StabilityWarning)
        assert cd.solve_static(von_mises_truss(), steps=5).message == ""


@pytest.mark.parametrize("share, count", [(0.9, 0), (1.3, 1), (12.0, 2)])
def test_full_and_sparse_factorisations_count_the_same(share, count, monkeypatch):
    """The second buckling load of a clamped column is 9 times the first."""
    for small in (10_000, 0):
        monkeypatch.setattr(stability, "SMALL", small)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", cd.StabilityWarning)
            cd.solve_static(euler_column(share, elements=24), steps=1)
        said = [str(w.message) for w in caught if issubclass(w.category, cd.StabilityWarning)]
        assert [f"in {count} direction" in text for text in said] == [True] * (count > 0)


def test_statics_needs_no_density_and_motion_says_that_it_does():
    m = euler_column(0.5)
    assert cd.solve_static(m, steps=1).status == "completed"
    with pytest.raises(cd.InputError, match=r"Rod 'rod': the density of its material must be positive .* solve_static"):
        cd.simulate(m, end=0.1, dt=0.01)


@pytest.mark.parametrize("body", ["solid", "beam"])
def test_balance_without_density_is_that_with_it(body):
    """Where gravity does not act, masses have no part in statics."""

    def tip(density):
        material = cd.StVenantKirchhoff(1e6, 0.3, density)
        m = cd.Model(body, dimension=3)
        if body == "solid":
            part = m.add(cd.Solid.block("part", (1.0, 0.1, 0.1), (4, 1, 1), material))
            m.add(cd.Tie("clamp", part, "left", m.ground))
            end = part.at(1.0, 0.05, 0.05)
        else:
            section = cd.RectangularSection(0.1, 0.1, material)
            part = m.add(cd.AncfBeam("part", [(0, 0, 0), (1, 0, 0)], 4, section, normal=(0, 1, 0)))
            m.add(cd.Fixed("clamp", m.ground, part.point("start")))
            end = part.point("end")
        m.add(cd.Load("load", end, (0.0, 0.0, 0.1)))
        return cd.solve_static(m, steps=1).displacement(end)[-1]

    np.testing.assert_allclose(tip(0.0), tip(1000.0), rtol=1e-7, atol=1e-12)
