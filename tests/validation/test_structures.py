"""Beams, cables and solids against closed forms and quadratures."""

import warnings

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq
from scipy.special import jn_zeros

import condyle as cd

YOUNG, RHO, LENGTH, HEIGHT, WIDTH = 2.1e11, 7850.0, 1.0, 0.01, 0.02
AREA, BENDING = HEIGHT * WIDTH, YOUNG * WIDTH * HEIGHT**3 / 12.0
STEEL = cd.StVenantKirchhoff(YOUNG, 0.3, density=RHO)
BARE = cd.StVenantKirchhoff(YOUNG, 0.0, density=RHO)  # without Poisson's ratio, where a continuum would lock with it
SECTION = cd.RectangularSection(HEIGHT, WIDTH, STEEL)
ROPE = cd.Rope(axial=YOUNG * AREA, bending=BENDING, mass=RHO * AREA)

# each body: its maker in the plane for a number of elements, and how far its first two frequencies may be off with 8 of them
BEAMS = {
    "Cable": (lambda n, line: cd.Cable("b", line, n, ROPE), (1e-4, 2e-4)),
    "Beam": (lambda n, line: cd.Beam("b", line, n, SECTION), (2e-3, 4e-2)),
    "AncfBeam": (lambda n, line: cd.AncfBeam("b", line, n, SECTION), (2e-4, 6e-4)),
    "AncfBeam of gradients": (lambda n, line: cd.AncfBeam("b", line, n, SECTION, measures="gradient"), (2e-4, 6e-4)),
    "PlanarBeam": (
        lambda n, line: cd.PlanarBeam("b", line, n, cd.RectangularSection(HEIGHT, WIDTH, BARE)),
        (1e-3, 4e-3),
    ),
    "Rod": (lambda n, line: cd.Rod("b", line, n, depth=HEIGHT, width=WIDTH, material=BARE), (2e-3, 4e-2)),
}


def cantilever(kind: str, elements: int) -> cd.Model:
    m = cd.Model("cantilever", dimension=2)
    body = m.add(BEAMS[kind][0](elements, [(0, 0), (LENGTH, 0)]))
    m.add(cd.Tie("clamp", body, "start", "ground"))
    return m


@pytest.mark.parametrize("kind", BEAMS)
def test_a_clamped_beam_rings_as_euler_and_bernoulli_say(kind):
    roots = np.array((1.8751040687, 4.6940911330))
    exact = roots**2 * np.sqrt(BENDING / (RHO * AREA)) / LENGTH**2 / (2.0 * np.pi)
    found = cd.eigenmodes(cantilever(kind, 8), count=3).frequencies
    off = [np.abs(found / f - 1.0).min() for f in exact]
    assert (np.array(off) < BEAMS[kind][1]).all()


@pytest.mark.parametrize("kind", BEAMS)
def test_a_column_loses_its_stiffness_at_eulers_load(kind):
    """The squared frequency of a clamped column under a dead load passes through zero at π² EI/4L²: regula falsi."""
    load = np.pi**2 * BENDING / (4.0 * LENGTH**2)
    m = cantilever(kind, 12)
    press = m.add(cd.Load("press", "b.end", (-load, 0)))

    def square(share: float) -> float:
        press.force = (-share * load, 0.0)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", cd.StabilityWarning)
            modes = cd.eigenmodes(m, count=1, state=cd.solve_static(m, steps=1))
        value = modes.eigenvalues[0] ** 2
        return float(np.real(value))

    low, high = square(0.95), square(1.05)
    assert low * high < 0.0  # stable below, unstable above
    critical = 0.95 - 0.1 * low / (high - low)
    assert critical == pytest.approx(1.0, abs=6e-3)


@pytest.mark.parametrize(("dimension", "elements"), [(2, 12), (2, 30), (3, 12)])
def test_a_geometrically_exact_beam_is_rolled_up_in_twelve_steps_without_a_cut(dimension, elements):
    """A moment 2π EI/L bends it to a circle, exactly with any mesh; each step turns the end by 30° in a dozen iterations."""
    m = cd.Model("roll-up", dimension=dimension)
    more = {"normal": (0, 1, 0)} if dimension == 3 else {}
    line = [(0,) * dimension, (LENGTH,) + (0,) * (dimension - 1)]
    m.add(cd.Beam("b", line, elements, SECTION, **more))
    m.add(cd.Tie("clamp", "b", "start", "ground"))
    moment = 2.0 * np.pi * BENDING / LENGTH
    m.add(cd.Moment("moment", "b.end", moment if dimension == 2 else (0, 0, moment)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cd.StabilityWarning)
        r = cd.solve_static(m, steps=12)
    assert np.linalg.norm(r.position("b.end")[-1]) < 1e-9
    assert r.steps == 12 and r.cuts.sum() == 0 and r.iterations.max() <= 14


def test_an_elastic_cable_hangs_in_the_elastic_catenary():
    """x = H L/EA + 2 H/w asinh V/H, V = w L/2 (Irvine 1981); the sag is that of a chain and of its stretch."""
    weight, length, axial, span, n = 5.0, 1.2, 2e4, 1.0, 16
    V = 0.5 * weight * length
    H = brentq(lambda H: H * length / axial + 2.0 * H / weight * np.arcsinh(V / H) - span, 1e-2, 1e3)
    sag = V * length / 4.0 / axial + (np.hypot(H, V) - H) / weight
    a = brentq(lambda a: 2.0 * a * np.sinh(0.5 * span / a) - length, 0.1, 10.0)
    x = np.linspace(0.0, span, n + 1)
    points = list(zip(x, a * (np.cosh((x - 0.5 * span) / a) - np.cosh(0.5 * span / a)), strict=True))
    m = cd.Model("catenary", dimension=2, gravity=(0, -9.81))
    rope = cd.Rope(axial=axial, bending=1e-6, mass=weight / 9.81)
    m.add(cd.Cable("rope", points, 1, rope, rest="straight"))
    m.add(cd.Pin("left", m.ground, "rope.start"))
    m.add(cd.Pin("right", m.ground.at(span, 0), "rope.end"))
    r = cd.solve_static(m, steps=4)
    np.testing.assert_allclose(np.abs(r.joint_force("left")[-1]), (H, V), rtol=1e-4)
    assert -r.position(f"rope.{n // 2}")[-1, 1] == pytest.approx(sag, rel=1e-4)


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_hanging_chain_swings_with_the_zeros_of_bessels_function(dimension):
    """ω_k = ½ j_0k √(g/L) (Bernoulli 1733)."""
    m = cd.Model("chain", dimension=dimension, gravity=(0, -9.81, 0)[:dimension])
    line = [(0,) * dimension, (0, -1.0, 0)[:dimension]]
    m.add(cd.Cable("chain", line, 12, cd.Rope(axial=1e6, bending=1e-9, mass=0.3)))
    m.add(cd.Pin("hook", m.ground, "chain.start") if dimension == 2 else cd.Spherical("hook", m.ground, "chain.start"))
    modes = cd.eigenmodes(m, count=4 * (dimension - 1), state=cd.solve_static(m, steps=2))
    exact = 0.5 * jn_zeros(0, 3) * np.sqrt(9.81)
    for omega in exact:  # in space each of them twice
        assert np.sum(np.abs(modes.angular_frequencies / omega - 1.0) < 2e-3) == dimension - 1


@pytest.mark.parametrize("method", [cd.EnergyMomentum(), cd.GeneralizedAlpha(1.0)], ids=lambda m: type(m).__name__)
def test_a_spinning_cable_is_stiffened_by_its_own_tension(method):
    """Without bending stiffness the second mode out of the plane of rotation, ½ (5 ξ³ − 3 ξ), has the frequency √6 Ω."""
    spin, n = 10.0, 8
    m = cd.Model("rotor", dimension=3)
    cable = m.add(
        cd.Cable(
            "blade",
            [(0, 0, 0), (1, 0, 0)],
            n,
            cd.Rope(axial=1e5, bending=1e-7, mass=0.1),
            angular_velocity=(0, 0, spin),
        )
    )
    m.add(cd.Spherical("hub", m.ground, "blade.start"))
    sim = cd.Simulation(m, dt=1e-3)
    push = 1e-3
    sim.set_velocity(cable, lambda x: (-spin * x[1], spin * x[0], push * 0.5 * (5.0 * x[0] ** 3 - 3.0 * x[0])))
    period = 2.0 * np.pi / (np.sqrt(6.0) * spin)
    r = cd.simulate(m, end=period, dt=period / 250, state=sim.state, integrator=method)
    height = r.position("blade.end")[:, 2]
    wave = push / (np.sqrt(6.0) * spin) * np.sin(np.sqrt(6.0) * spin * r.times)
    np.testing.assert_allclose(height, wave, atol=0.03 * np.abs(wave).max())


def test_a_balloon_of_rubber_inflates_as_its_integral_says():
    """Thick neo-Hookean sphere, incompressible: p = ∫ 2 μ (λ⁻⁵ + λ⁻²) dλ between its walls' stretches (Green and Zerna)."""
    shear, inner, outer, grown = 1.0, 1.0, 1.5, 1.3
    law = cd.MooneyRivlin(c10=0.5 * shear, c01=0.0, bulk=2e4 * shear, density=1.0)
    mesh = cd.Mesh.annulus(inner, outer, (6, 8), angle=0.5 * np.pi, element="quad8")
    m = cd.Model("balloon", dimension=2)
    wall = m.add(cd.Solid.from_mesh("wall", mesh, law, plane="axisymmetric", dilatation="mean"))
    m.add(cd.Hold("equator", wall, "start", (0, 1)))
    m.add(cd.Hold("axis", wall, "end", (1, 0)))
    thin = (1.0 + (grown**3 - 1.0) * inner**3 / outer**3) ** (1.0 / 3.0)
    pressure = quad(lambda s: 2.0 * shear * (s**-5 + s**-2), thin, grown)[0]
    m.add(cd.Pressure("air", wall, pressure, surface="inner"))
    r = cd.solve_static(m, steps=6)
    assert 1.0 + r.displacement(wall.point("inner"))[-1].sum() / mean_of_arc() == pytest.approx(grown, rel=3e-3)


def mean_of_arc() -> float:
    """Sum of the mean x and y of the nodes on a quarter of a circle of radius 1 (8 cells of quad8, their middles included)."""
    angles = np.linspace(0.0, 0.5 * np.pi, 17)
    return float(np.mean(np.cos(angles)) + np.mean(np.sin(angles)))
