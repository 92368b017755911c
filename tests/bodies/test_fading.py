"""Quasi-linear viscoelasticity against its closed forms: relaxation, creep of the memory with a ramp, energy, slow runs."""

import numpy as np
import pytest

import condyle as cd

SERIES = ((0.6, 0.05), (0.3, 0.4))
METHODS = {
    "energy–momentum": cd.EnergyMomentum(),
    "generalized-α": cd.GeneralizedAlpha(),
    "Newmark": cd.Newmark(),
    "BDF1": cd.BDF(order=1),
}


def relaxation(t):
    """1 + Σ g e^(−t/τ)."""
    return 1.0 + sum(g * np.exp(-np.asarray(t) / tau) for g, tau in SERIES)


def pulled(law, dimension=2, stretch=0.2, rise=0.02, quasi_static=True, **options):
    """A block on rollers that is stretched within `rise` and held."""
    m = cd.Model("relaxation", dimension=dimension)
    block = m.add(
        cd.Solid.block("block", (1,) * dimension, (1,) * dimension, law, quasi_static=quasi_static, **options)
    )
    for axis, side in enumerate(("left", "bottom", "back")[:dimension]):
        m.add(cd.Hold(f"hold{axis}", block, side, np.eye(dimension)[axis]))
    m.add(cd.Hold("pull", block, "right", np.eye(dimension)[0], displacement=cd.Ramp(0.0, rise, 0.0, stretch)))
    return m


def after_ramp(t, rise):
    """Relaxation after an even rise of the elastic stress from 0 to `rise`, t > rise."""
    return 1.0 + sum(g * tau / rise * (np.exp(rise / tau) - 1.0) * np.exp(-t / tau) for g, tau in SERIES)


CASES = {
    "plane strain": (2, cd.StVenantKirchhoff(6.0, 0.3, prony=SERIES), {}),
    "plane stress": (2, cd.StVenantKirchhoff(6.0, 0.3, prony=SERIES), {"plane": "stress"}),
    "space": (3, cd.StVenantKirchhoff(6.0, 0.3, prony=SERIES), {}),
    "about an axis": (2, cd.StVenantKirchhoff(6.0, 0.3, prony=SERIES), {"plane": "axisymmetric"}),
    "rubber": (3, cd.MooneyRivlin(0.8, 0.3, 50.0, prony=SERIES), {}),
}


@pytest.mark.parametrize("name", CASES)
def test_stress_relaxes_as_the_series_says(name):
    """All stress is proportional to G(t) while the strain is held: the shape stays, and the force follows the series."""
    dimension, law, options = CASES[name]
    rise, small = 1e-3, 1e-4
    m = pulled(law, dimension, small, rise, **options)
    result = cd.simulate(m, end=1.0 + rise, dt=rise, every=50)
    force = np.abs(result.reaction("pull")[:, 0])
    times = result.times[1:]
    late = times > 2 * rise
    law_alone = type(law)(**{k: getattr(law, k) for k in law.__dataclass_fields__ if k != "prony"})
    elastic = np.abs(
        cd.solve_static(pulled(law_alone, dimension, small, rise, **options), steps=1, at=1.0).reaction("pull")[-1, 0]
    )
    np.testing.assert_allclose(force[late] / elastic, after_ramp(times[late], rise), rtol=2e-4)


@pytest.mark.parametrize("name", METHODS)
def test_all_methods_relax_alike(name):
    m = pulled(CASES["plane strain"][1], rise=0.02)
    result = cd.simulate(m, end=0.6, dt=0.02, integrator=METHODS[name])
    force = result.reaction("pull")[:, 0]
    exact = cd.simulate(m, end=0.6, dt=0.0025).reaction("pull")[:, 0]
    assert force[-1] == pytest.approx(exact[-1], rel=1e-3)
    assert (np.diff(force[2:]) < 0).all()  # it falls, without ringing


def test_with_inertia_the_memory_takes_out_the_work_it_is_charged_with():
    for options in ({}, {"plane": "axisymmetric", "origin": (0.5, 0.0)}, {"dilatation": "mean"}):
        law = cd.MooneyRivlin(100.0, 20.0, 500.0, 1.0, prony=((0.5, 0.05), (0.5, 0.3)))
        m = cd.Model("gel", dimension=2)
        gel = m.add(cd.Solid.block("gel", (1, 1), (2, 2), law, velocity=(0.0, 0.8), **options))
        m.add(cd.Tie("base", gel, "bottom", m.ground))
        result = cd.simulate(m, end=0.5, dt=0.01)
        total, work = result.energy["total"], result.energy["work"]
        assert np.ptp(total - work) < 1e-9 * total[0]
        assert result.energy["total"][-1] < 0.9 * total[0]
        assert result.iterations.max() <= 6


def test_motion_with_memory_is_of_second_order():
    def tip(method, dt):
        law = cd.Robust(20.0, 0.3, 1.0, prony=((0.5, 0.1),))
        m = cd.Model("gel", dimension=2)
        gel = m.add(cd.Solid.block("gel", (1, 0.5), (2, 1), law, velocity=(0.0, 0.5)))
        m.add(cd.Tie("base", gel, "left", m.ground))
        return cd.simulate(m, end=0.4, dt=dt, integrator=method).position("gel.right")[-1]

    reference = tip(cd.EnergyMomentum(), 0.000625)
    for method in (cd.EnergyMomentum(), cd.GeneralizedAlpha()):
        errors = [np.abs(tip(method, dt) - reference).max() for dt in (0.005, 0.0025)]
        assert np.log2(errors[0] / errors[1]) > 1.6


def test_a_slow_run_is_statics_and_a_fast_one_the_stiff_law():
    law, plain = cd.Robust(6.0, 0.3, prony=SERIES), cd.Robust(6.0, 0.3)
    elastic = cd.solve_static(pulled(plain), steps=2, at=1e9).reaction("pull")[-1, 0]
    assert cd.solve_static(pulled(law), steps=2, at=1e9).reaction("pull")[-1, 0] == pytest.approx(elastic)
    slow = cd.simulate(pulled(law, rise=1000.0), end=1000.0, dt=100.0).reaction("pull")[-1, 0]
    assert slow == pytest.approx(elastic, rel=1e-3)
    fast = cd.simulate(pulled(law, rise=1e-4), end=1e-4, dt=1e-5).reaction("pull")[-1, 0]
    assert fast == pytest.approx(1.9 * elastic, rel=2e-3)


def test_fields_hold_the_remembered_stress():
    m = pulled(CASES["plane strain"][1], rise=0.02)
    result = cd.simulate(m, end=0.1, dt=0.005)
    for frame in (5, len(result) - 1):
        side = result.fields("block", frame).surface_force("right")[0]
        assert side == pytest.approx(result.reaction("pull")[frame - 1, 0], rel=1e-6)


def test_wrong_series_are_refused():
    for wrong in (((0.5,),), ((-0.1, 1.0),), ((0.5, 0.0),), "soft"):
        with pytest.raises(cd.InputError, match=r"prony must be (pairs|numbers)"):
            cd.Robust(1.0, 0.3, prony=wrong)
    m = pulled(cd.Robust(6.0, 0.3, 1.0, prony=SERIES), quasi_static=False)
    with pytest.raises(cd.InputError, match="does not carry the fading stress of 'block'"):
        cd.simulate(m, end=0.01, dt=0.01, integrator=cd.RungeKutta())
