"""ANCF bodies against closed forms: stiffness, mass, frequencies, locking, points, loads, damping, and bad input."""

import warnings

import numpy as np
import pytest

import condyle as cd
from condyle.bodies.ancf import shapes
from condyle.system.compile import running
from vtk_files import vtk_numbers

STEEL = cd.StVenantKirchhoff(young=1e7, poisson=0.3, density=1000.0)
PLAIN = cd.StVenantKirchhoff(young=1e7, poisson=0.0, density=1000.0)
BAR = cd.RectangularSection(0.1, 0.06, STEEL)
WIRE = cd.RoundSection(0.01, PLAIN)


def straight(d, length=1.0):
    return [(0.0,) * d, (length, *((0.0,) * (d - 1)))]


def along(d, value, axis):
    out = [0.0] * d
    out[axis] = value
    return tuple(out)


def held(body, *parts, d=3, nodes="start", gravity=None):
    m = cd.Model("held", dimension=d, gravity=gravity)
    m.add(body)
    m.add(cd.Tie("clamp", body, nodes, "ground"))
    for part in parts:
        m.add(part)
    return m


# --- shape functions ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", ["CABLE", "BEAM_2D", "BEAM", "FRAMES_2D", "FRAMES", "THIN_PLATE", "BICUBIC_PLATE", "SHELL", "BRICK"]
)
def test_shape_functions_give_back_what_stands_at_the_nodes(name):
    shape = getattr(shapes, name)
    L = np.linspace(0.5, 2.0, shape.parameters)
    rows = [shape.weights(c, s, L) for c in shape.corners for s in shape.slots]
    np.testing.assert_allclose(rows, np.eye(len(shape.powers)), atol=1e-11)


def test_the_cable_has_the_published_shape_functions_and_mass():
    L, xi = 2.5, 0.3
    wanted = [1 - 3 * xi**2 + 2 * xi**3, L * (xi - 2 * xi**2 + xi**3), 3 * xi**2 - 2 * xi**3, L * (xi**3 - xi**2)]
    np.testing.assert_allclose(shapes.CABLE.weights([xi], (0,), [L]), wanted, atol=1e-14)
    m = cd.Model("one element", dimension=2)
    m.add(cd.Cable("c", straight(2, L), 1, cd.Rope(1.0, 1.0, 3.0)))
    system = running(m)
    first = system.n - 4  # after the rows of the ground
    M = np.zeros((system.n, system.n))
    M[system.mass.first, system.mass.second] = system.mass.value
    hewlett = np.array(
        [[13 / 35, 11 * L / 210, 9 / 70, -13 * L / 420], [11 * L / 210, L**2 / 105, 13 * L / 420, -(L**2) / 140],
         [9 / 70, 13 * L / 420, 13 / 35, -11 * L / 210], [-13 * L / 420, -(L**2) / 140, -11 * L / 210, L**2 / 105]]
    )  # fmt: skip
    np.testing.assert_allclose(M[first:, first:], 3.0 * L * hewlett, atol=1e-13)


def test_monomials_that_the_nodes_do_not_determine_are_refused():
    with pytest.raises(cd.InputError, match="do not determine"):
        shapes.Shape(((0,), (0,)), ((0.0,), (1.0,)), ((0,),))
    with pytest.raises(cd.InputError, match="there must be 2"):
        shapes.Shape(((0,), (1,), (2,)), ((0.0,), (1.0,)), ((0,),))


# --- stiffness ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("d", [2, 3])
def test_a_cable_bends_like_a_beam_and_stretches_like_a_spring(d):
    k = WIRE.at(0.0)
    pull, push = 1e-4 * k.axial, 3e-4 * k.bending_z
    tip = "c.end"
    cable = cd.Cable("c", straight(d), 4, WIRE)
    long = cd.solve_static(held(cable, cd.Load("f", tip, along(d, pull, 0)), d=d), steps=1).position(tip)[-1, 0] - 1.0
    bent = cd.solve_static(held(cable, cd.Load("f", tip, along(d, push, d - 1)), d=d), steps=1).position(tip)[-1, d - 1]
    # The clamp holds r_x, so that the first element is a little stiffer in tension.
    assert long == pytest.approx(1e-4, rel=0.05)
    assert bent == pytest.approx(1e-4, rel=1e-5)


@pytest.mark.parametrize("strain, force", [("green", 0.5 * (1.2**2 - 1.0) * 1.2), ("engineering", 0.2)])
def test_large_stretch_follows_the_chosen_strain(strain, force):
    cable = cd.Cable("c", straight(2), 1, cd.Rope(100.0, 1.0, 1.0), strain=strain)
    m = cd.Model("pull", dimension=2)
    m.add(cable)
    m.add(cd.Pin("pin", m.ground, cable.point("start"), at=(0.0, 0.0)))
    m.add(cd.PointOnLine("line", m.ground, cable.point("end"), at=(1.0, 0.0), axis=(1.0, 0.0)))
    m.add(cd.Load("f", "c.end", (100.0 * force, 0.0)))
    assert cd.solve_static(m).position("c.end")[-1, 0] == pytest.approx(1.2, rel=1e-9)


def test_prestrain_is_tension():
    cable = cd.Cable("c", straight(2), 2, cd.Rope(100.0, 1.0, 1.0), prestrain=-0.1)
    m = cd.Model("tight", dimension=2)
    m.add(cable)
    m.add(cd.Pin("left", m.ground, cable.point("start"), at=(0.0, 0.0)))
    m.add(cd.Pin("right", m.ground, cable.point("end"), at=(1.0, 0.0)))
    pull = cd.solve_static(m, steps=1).multipliers("right")["x"][-1]
    assert abs(pull) == pytest.approx(10.0, rel=1e-9)


@pytest.mark.parametrize("d, elements", [(2, 1), (2, 4), (3, 1), (3, 4)])
def test_poissons_ratio_does_not_lock_a_short_beam(d, elements):
    k = BAR.at(0.0)
    P = 3e-4 * k.bending_z
    beam = cd.AncfBeam("b", straight(d), elements, BAR, normal=None if d == 2 else (0, 1, 0))
    tip = cd.solve_static(held(beam, cd.Load("p", "b.end", along(d, P, 1)), d=d), steps=1).position("b.end")[-1, 1]
    assert tip == pytest.approx(P / (3 * k.bending_z) + P / k.shear_y, rel=1e-6)


def test_the_continuum_beam_converges_with_poissons_ratio_and_the_brick_too():
    k = BAR.at(0.0)
    P = 3e-4 * k.bending_z
    exact = P / (3 * k.bending_z) + P / k.shear_y
    errors = []
    for n in (2, 4, 8):
        beam = cd.AncfBeam("b", straight(3), n, BAR, normal=(0, 1, 0), formulation="continuum")
        tip = cd.solve_static(held(beam, cd.Load("p", "b.end", (0, P, 0))), steps=1).position("b.end")[-1, 1]
        errors.append(abs(tip / exact - 1.0))
    assert errors[0] / errors[1] == pytest.approx(4.0, rel=0.05)
    assert errors[1] / errors[2] == pytest.approx(4.0, rel=0.05)
    brick = cd.Brick.block("b", (1, 0.1, 0.06), (4, 1, 1), STEEL, origin=(0, -0.05, -0.03))
    place = brick.at(1.0, 0.05, 0.03)
    tip = cd.solve_static(held(brick, cd.Load("p", place, (0, P, 0)), nodes="left"), steps=1).position(place)[-1, 1]
    assert tip == pytest.approx(exact, rel=0.04)


def test_a_beam_twists_by_its_torsion_and_contracts_by_poissons_ratio():
    section = cd.RoundSection(0.02, STEEL)
    k = section.at(0.0)
    beam = cd.AncfBeam("b", straight(3), 4, section, normal=(0, 1, 0))
    r = cd.solve_static(held(beam, cd.Moment("m", "b.end", (0.1 * k.torsion, 0, 0))))
    y = r.position(beam.at(1.0, 0.01))[-1]
    assert np.arctan2(y[2], y[1]) == pytest.approx(0.1, rel=1e-3)
    r = cd.solve_static(held(beam, cd.Load("f", "b.end", (1e-3 * k.axial, 0, 0))), steps=1)
    side = np.linalg.norm(r.position(beam.at(1.0, 0.01))[-1] - r.position("b.end")[-1])
    assert side / 0.01 - 1.0 == pytest.approx(-0.3e-3, rel=5e-3)


def test_an_anisotropic_section_bends_by_the_stiffness_of_each_axis():
    rope = cd.Rope(1e4, (2.0, 8.0), 1.0, torsion=3.0, shear=1e6, diameter=0.05)
    for axis, EI in ((1, 2.0), (2, 8.0)):
        beam = cd.AncfBeam("b", straight(3), 2, rope, normal=(0, 1, 0))
        P = 3e-4 * EI
        tip = cd.solve_static(held(beam, cd.Load("p", "b.end", along(3, P, axis))), steps=1).position("b.end")[-1, axis]
        assert tip == pytest.approx(1e-4 + P / 1e6, rel=1e-6)


def test_a_tapered_cantilever_deflects_like_its_integral():
    taper = cd.TaperedSection(cd.RoundSection(0.02, PLAIN), cd.RoundSection(0.01, PLAIN))
    x, w = np.polynomial.legendre.leggauss(40)
    x, w = 0.5 * (1 + x), 0.5 * w
    exact = np.sum(w * (1 - x) ** 2 / (1e7 * np.pi / 4 * (0.02 - 0.01 * x) ** 4))
    P = 1e-4 / exact
    cable = cd.Cable("c", straight(2), 8, taper)
    tip = cd.solve_static(held(cable, cd.Load("p", "c.end", (0, P)), d=2), steps=1).position("c.end")[-1, 1]
    assert tip == pytest.approx(1e-4, rel=1e-4)


@pytest.mark.parametrize("kind, n, published", [("bicubic", 4, 0.001265), ("shell", 8, 0.001265), ("thin", 4, 0.001403),
                                                ("thin", 8, 0.001304)])  # fmt: skip
def test_a_clamped_square_plate_deflects_as_published(kind, n, published):
    """w D/(q a⁴) in the middle: 0.00126 by series; of the 12-term polynomial the values of Zienkiewicz and Taylor."""
    t = 0.01
    D = STEEL.young * t**3 / (12 * (1 - 0.09))
    q = 1e-4 * D
    if kind == "shell":
        plate = cd.Shell.rectangle("p", (1, 1), (n, n), STEEL, t)
    else:
        plate = cd.Plate.rectangle("p", (1, 1), (n, n), STEEL, t, kind=kind)
    edge = sorted({i for name in ("left", "right", "bottom", "top") for i in plate.sets[name]})
    m = held(plate, cd.DistributedLoad("q", plate, (0, 0, q)), nodes=edge)
    middle = plate.point((n + 1) ** 2 // 2)
    w = cd.solve_static(m, steps=1).position(middle)[-1, 2]
    assert w / (q / D) == pytest.approx(published, rel=0.01)


@pytest.mark.parametrize("make", [
    lambda: cd.Cable("b", straight(3), 2, WIRE),
    lambda: cd.AncfBeam("b", [(0, 0, 0), (0.5, 0.3, 0), (1, 0, 0.2)], 1, BAR),
    lambda: cd.AncfBeam("b", straight(3), 2, BAR, formulation="continuum"),
    lambda: cd.Plate.surface("b", lambda u, v: (np.sin(u), v, np.cos(u)), (0.8, 0.5), (2, 1), STEEL, 0.05),
    lambda: cd.Plate.rectangle("b", (0.8, 0.5), (2, 1), STEEL, 0.05, kind="thin"),
    lambda: cd.Shell.surface("b", lambda u, v: (np.sin(u), v, np.cos(u)), (0.8, 0.5), (2, 1), STEEL, 0.05),
    lambda: cd.Brick.block("b", (1, 0.3, 0.2), (1, 1, 1), STEEL),
])  # fmt: skip
def test_only_rigid_motion_is_free(make):
    body = make()
    m = cd.Model("free", dimension=3)
    m.add(body)
    f = cd.eigenmodes(m, count=9).frequencies
    free = 5 if isinstance(body, cd.Cable) and len(body.line) == 2 else 6
    assert f[:free].max() < 1e-3 * f[free]
    # nothing in a rigid motion either
    system = running(m)
    turn = np.array(cd.rotation(axis=(1, 2, 3), angle=1.1))
    from condyle.system import assembly

    scale = assembly.stored_energy(system.energies, 1.01 * system.x_start)
    assert abs(assembly.stored_energy(system.energies, system.x_start @ turn.T)) < 1e-10 * scale


@pytest.mark.parametrize("make", [
    lambda **o: cd.Brick.block("b", (1, 0.7, 0.5), (1, 1, 1), STEEL, **o),
    lambda **o: cd.Plate.rectangle("b", (1, 0.7), (1, 1), STEEL, 0.05, kind="thin", **o),
    lambda **o: cd.Plate.rectangle("b", (1, 0.7), (1, 1), STEEL, 0.05, **o),
], ids=["brick", "thin plate", "bicubic plate"])  # fmt: skip
def test_default_points_integrate_the_stiffness_exactly(make):
    """Eigenvalues as with seven points per direction; with fewer than the default, the element is too soft."""

    def frequencies(**options):
        m = cd.Model("free", dimension=3)
        m.add(make(**options))
        return cd.eigenmodes(m, count=30).frequencies[6:]

    exact = frequencies(points=7)
    np.testing.assert_allclose(frequencies(), exact, rtol=1e-9)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cd.QuadratureWarning)
        assert (frequencies(points=3) / exact).min() < 0.99


def test_stretch_and_bending_of_a_cable_have_points_of_their_own():
    """Three points bend a cubic exactly; two of stretch leave it free to change its length between them."""
    k = WIRE.at(0.0)
    tips = {}
    for points in ((5, None), (5, 5), (5, 3), (4, 2)):
        cable = cd.Cable("c", straight(2), 4, WIRE, points=points[0], bending_points=points[1])
        m = held(cable, cd.Load("f", "c.end", (0.0, 3.0 * k.bending_z)), d=2)
        tips[points] = cd.solve_static(m, steps=4).position("c.end")[-1]
    np.testing.assert_allclose(tips[5, None], tips[5, 5], rtol=1e-12)
    np.testing.assert_allclose(tips[5, 3], tips[5, 5], atol=1e-5)
    assert 1e-7 < np.abs(tips[4, 2] - tips[5, 5]).max() < 1e-2
    with pytest.raises(cd.InputError, match="bending_points must be at least 2"):
        cd.Cable("c", straight(2), 4, WIRE, bending_points=1)
    with pytest.warns(cd.QuadratureWarning, match="4 strains for 5 ways"):
        m = cd.Model("few", dimension=2)
        m.add(cd.Cable("c", straight(2), 1, WIRE, points=2, bending_points=2))
        cd.compile(m)


def test_sections_take_shear_factors_and_a_torsion_constant_of_ones_own():
    mu, area = STEEL.lame()[1], 0.1 * 0.06
    k = cd.RectangularSection(0.1, 0.06, STEEL, shear_factors=(0.8, 0.5), torsion_constant=2e-6).at(0.0)
    assert (k.shear_y, k.shear_z, k.torsion) == pytest.approx((0.8 * mu * area, 0.5 * mu * area, 2e-6 * mu))
    k = cd.RoundSection(0.1, STEEL, shear_factors=0.7).at(0.0)
    assert (k.shear_y, k.shear_z) == pytest.approx((0.7 * mu * np.pi * 0.01,) * 2)
    k = cd.Rope(1e4, 2.0, 1.0, shear=(3e3, 5e3), diameter=0.1).at(0.0)
    assert (k.shear_y, k.shear_z) == (3e3, 5e3)
    # and they are what a beam shears by, in each direction
    for kind in (cd.Beam, cd.AncfBeam):
        for axis, GA in ((1, 3e3), (2, 5e3)):
            rope = cd.Rope(1e4, 1e6, 1.0, torsion=3.0, shear=(3e3, 5e3), diameter=0.1)
            load = cd.Load("p", "b.end", along(3, 1e-3 * GA, axis))
            m = held(kind("b", straight(3), 2, rope, normal=(0, 1, 0)), load)
            assert cd.solve_static(m, steps=1).position("b.end")[-1, axis] == pytest.approx(1e-3, rel=2e-3)
    with pytest.raises(cd.InputError, match="shear_factors must be one or two numbers above 0"):
        cd.RoundSection(0.1, STEEL, shear_factors=(1, 2, 3))
    with pytest.raises(cd.InputError, match="torsion_constant"):
        cd.RectangularSection(0.1, 0.1, STEEL, torsion_constant=-1.0)


def test_a_thin_tube_shears_by_half_of_its_area():
    """Cowper: 2(1 + ν)/(4 + 3ν) as the wall gets thin, 6(1 + ν)/(7 + 6ν) of the full circle."""
    nu, mu = 0.3, STEEL.lame()[1]
    for inner, factor in ((0.0, 6 * (1 + nu) / (7 + 6 * nu)), (0.0999, 2 * (1 + nu) / (4 + 3 * nu))):
        k = cd.RoundSection(0.1, STEEL, inner).at(0.0)
        assert k.shear_y == pytest.approx(factor * mu * np.pi * (0.01 - inner**2), rel=1e-5)


def test_a_taper_changes_all_numbers_of_a_section():
    rope = cd.TaperedSection(
        cd.Rope(1e4, (2.0, 4.0), 1.0, shear=(1e3, 2e3)), cd.Rope(1e4, 3.0, 1.0, shear=(3e3, 2e3))
    )  # fmt: skip
    k = rope.at(0.5)
    assert (k.bending_z, k.bending_y, k.shear_y, k.shear_z) == (2.5, 3.5, 2e3, 2e3)
    with pytest.raises(cd.InputError, match="give shear of both"):
        cd.TaperedSection(cd.Rope(1e4, 2.0, 1.0, shear=1e3), cd.Rope(1e4, 2.0, 1.0))
    with pytest.raises(cd.InputError, match="same material"):
        cd.TaperedSection(cd.RoundSection(0.1, STEEL), cd.RoundSection(0.1, PLAIN))


# --- loads, damping, points ---------------------------------------------------------------------------------------------


def test_loads_per_reference_and_per_deformed_length():
    rope = cd.Rope(100.0, 1e-3, 1.0)
    sag = {}
    for per in ("reference", "deformed"):
        cable = cd.Cable("c", straight(2), 4, rope, strain="engineering")
        m = cd.Model("pull", dimension=2)
        m.add(cable)
        m.add(cd.Pin("pin", m.ground, cable.point("start"), at=(0.0, 0.0)))
        m.add(cd.PointOnLine("line", m.ground, cable.point("end"), at=(1.0, 0.0), axis=(1.0, 0.0)))
        m.add(cd.DistributedLoad("q", cable, (40.0, 0.0), per=per))
        sag[per] = cd.solve_static(m).position("c.end")[-1, 0] - 1.0
    # N' = −q or −q λ with N = EA (λ − 1): λ(0) = 1 + q/EA, or λ = exp(q (1 − s)/EA)
    assert sag["reference"] == pytest.approx(0.2, rel=1e-4)
    assert sag["deformed"] == pytest.approx(100 / 40 * (np.exp(0.4) - 1) - 1, rel=1e-4)


def test_kelvin_voigt_damping_takes_energy_from_bending_but_none_from_rigid_motion():
    def run(cable, end):
        m = cd.Model("damped", dimension=2)
        m.add(cable)
        r = cd.simulate(m, end=end, dt=2e-3)
        return r.energy["total"], r.angular_momentum[:, 2]

    curved = [(0.0, 0.0), (0.5, 0.2), (1.0, 0.0)]
    E, L = run(cd.Cable("c", curved, 2, WIRE, damping=0.02, rest="straight"), 1.0)
    assert E[-1] < 0.3 * E[0]
    assert (np.diff(E) <= 1e-9 * E[0]).all()
    assert np.abs(L).max() < 1e-9
    _, L = run(cd.Cable("c", curved, 2, WIRE, damping=0.01, angular_velocity=0.5), 0.2)
    np.testing.assert_allclose(L, L[0], rtol=1e-9)


def test_damping_does_not_slow_newtons_method_down_and_takes_the_energy_it_reports():
    rope = cd.Rope(6e4, 1.6, 0.3, damping=1e-3)
    m = cd.Model("falling", dimension=2, gravity=(0.0, -9.81))
    cable = m.add(cd.Cable("c", [(0, 0), (2, 0)], 16, rope, strain="engineering"))
    m.add(cd.Pin("pin", m.ground, cable.point("start"), at=(0, 0)))
    r = cd.simulate(m, end=0.1, dt=1e-3)
    assert r.iterations[1:].mean() < 4.5 and r.cuts.sum() == 0
    E = r.energy["total"]
    assert E[-1] < E[0]
    assert np.abs(E - E[0] - r.energy["work"]).max() < 1e-9 * np.ptp(r.energy["kinetic"])


@pytest.mark.parametrize("kind, off", [("cable", 0.05), ("beam", 0.005)])
def test_a_bending_mode_is_damped_as_its_time_says(kind, off):
    """ζ = ½ β ω of the first mode of a cantilever, ω = 3.516 √(EI/ρA)/L²."""
    k, beta = WIRE.at(0.0), 0.05
    omega = 3.516 * np.sqrt(k.bending_z / k.mass)
    kinds = {"cable": cd.Cable, "beam": cd.AncfBeam}
    body = kinds[kind]("c", straight(2), 2, WIRE, damping=beta)
    push = cd.Load(
        "f", "c.end", (0.0, 0.03 * k.bending_z), scale=cd.Table((0.0, 8.0, 10.0, 100.0), (0.0, 1.0, 0.0, 0.0))
    )
    r = cd.simulate(held(body, push, d=2), end=25.0, dt=0.02)
    y, t = r.position("c.end")[:, 1], r.times
    peaks = [y[i] for i in range(1, len(y) - 1) if y[i] > y[i - 1] and y[i] >= y[i + 1] and t[i] > 11.0]
    assert np.log(peaks[0] / peaks[-1]) / (2 * np.pi * (len(peaks) - 1)) == pytest.approx(0.5 * beta * omega, rel=off)


def test_energy_and_momenta_are_kept_by_flying_cables_beams_and_plates():
    m = cd.Model("flying", dimension=3)
    spin = dict(angular_velocity=(1.0, 2.0, 3.0))
    m.add(cd.Cable("c", [(0, 0, 0), (0.5, 0.2, 0), (1, 0, 0)], 2, WIRE, rest="straight", **spin))
    m.add(cd.AncfBeam("b", [(0, 1, 0), (0.5, 1.2, 0.1)], 2, BAR, **spin))
    m.add(cd.Plate.rectangle("p", (0.5, 0.5), (1, 1), STEEL, 0.02, origin=(0, 0, 1), **spin))
    r = cd.simulate(m, end=0.05, dt=1e-3)
    E, L = r.energy["total"], r.angular_momentum
    assert np.abs(E - E[0]).max() < 1e-9 * E[0]
    assert np.abs(L - L[0]).max() < 1e-9 * np.abs(L[0]).max()


def test_a_reeled_cable_hoists_its_load():
    rope = cd.Rope(1e5, 0.01, 0.1)
    cable = cd.Cable("rope", [(0, 0), (0, -4.0)], 4, rope, reel=5.0, damping=0.01)
    m = cd.Model("hoist", dimension=2, gravity=(0.0, -9.81))
    m.add(cable)
    load = m.add(cd.RigidBody("load", 50.0, inertia=1.0, position=(0, -4.0)))
    m.add(cd.Pin("top", m.ground, cable.point("start"), at=(0.0, 0.0)))
    m.add(cd.Pin("hook", cable.point("end"), load, at=(0.0, -4.0)))
    m.add(cd.Drive("winch", "rope.length", rate=cd.Ramp(0.0, 0.5, 0.0, -0.8), start=4.0))
    r = cd.simulate(m, end=2.0, dt=5e-3, integrator=cd.GeneralizedAlpha(0.5))
    length = r.coordinate("rope.length")
    assert length[-1] == pytest.approx(4.0 - 0.8 * 1.75, abs=1e-3)
    # means over the last second, because the load bounces a little
    late = r.times > 1.0
    hang = -r.position("load")[late, 1] / length[late]
    assert np.mean(hang) == pytest.approx(1 + 50 * 9.81 / 1e5, abs=5e-4)
    pull = np.abs(r.multipliers("winch")["drive"])[r.multiplier_times > 1.0]
    assert np.mean(pull) == pytest.approx(50 * 9.81, rel=0.03)


def test_points_are_found_by_name_number_arc_length_and_place():
    cable = cd.Cable("c", straight(2, 2.0), 4, WIRE)
    beam = cd.AncfBeam("b", [(0, 0, 1), (2, 0, 1)], 2, BAR, normal=(0, 1, 0))
    plate = cd.Plate.rectangle("p", (2, 1), (2, 2), STEEL, 0.01)
    m = cd.Model("points", dimension=2)
    m.add(cable)
    system = running(m)
    for point in (cable.at(0.5), cable.point(1), cd.Point("c", (0.5, 0.0), "world")):
        np.testing.assert_allclose(system.position(point).at(system.x_start), (0.5, 0.0), atol=1e-12)
    with pytest.raises(cd.InputError, match="lies outside"):
        system.position(cable.at(2.5))
    with pytest.raises(cd.InputError, match="does not lie on"):
        system.position(cd.Point("c", (0.5, 0.1), "world"))
    m = cd.Model("points", dimension=3)
    m.add(beam)
    m.add(plate)
    system = running(m)
    np.testing.assert_allclose(
        system.position(beam.at(0.7, 0.02, 0.01)).at(system.x_start), (0.7, 0.02, 1.01), atol=1e-12
    )
    np.testing.assert_allclose(system.position(plate.at(0.7, 0.3)).at(system.x_start), (0.7, 0.3, 0.0), atol=1e-12)


def test_a_generic_element_with_the_cables_polynomials_is_the_cable():
    rope = cd.Rope(1e4, 2.0, 1.0)
    tip = {}
    for kind in ("cable", "generic"):
        if kind == "cable":
            body = cd.Cable("c", straight(2), 2, rope)
        else:
            nodal = [[(x, 0.0), (1.0, 0.0)] for x in (0.0, 0.5, 1.0)]
            body = cd.GenericAncf("c", [(0,), (1,), (2,), (3,)], [(0.0,), (1.0,)], [(0,), (1,)], nodal, [(0, 1), (1, 2)],
                                  [(0.5,), (0.5,)], section=rope, sets={"start": [0], "end": [2]})  # fmt: skip
        tip[kind] = cd.solve_static(held(body, cd.Load("f", "c.end", (0.0, -3.0)), d=2)).position("c.end")[-1]
    np.testing.assert_allclose(tip["generic"], tip["cable"], atol=1e-12)


def test_a_clamp_holds_the_direction_or_the_whole_gradient():
    for hold, free in (("direction", True), ("gradient", False)):
        cable = cd.Cable("c", straight(2), 2, cd.Rope(100.0, 1.0, 1.0))
        m = cd.Model("clamp", dimension=2)
        m.add(cable)
        m.add(cd.Clamp("clamp", cable.point("start"), m.ground.at(0.0, 0.0), hold=hold))
        m.add(cd.Load("f", "c.end", (10.0, 1.0)))
        system = running(m)
        r = cd.solve_static(system)
        x = r._store.frame("x", len(r.times) - 1)
        slope = system.anchors["c"].gradients(cable.point("start"), cable)[0][0].at(x)
        assert abs(slope[1]) < 1e-9
        assert (abs(slope[0] - 1.0) > 0.05) == free


# --- bad input ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("make, message", [
    (lambda: cd.Cable("c", straight(2), 0, WIRE), "elements must be at least 1"),
    (lambda: cd.Cable("c", straight(2), 1, STEEL), "give a section"),
    (lambda: cd.Cable("c", straight(2), 1, WIRE, strain="log"), "choose one of green"),
    (lambda: cd.RoundSection(0.0, STEEL), "radius must be above 0"),
    (lambda: cd.RoundSection(0.1, STEEL, 0.2), "must be below radius"),
    (lambda: cd.RectangularSection(0.1, -1.0, STEEL), "width must be above 0"),
    (lambda: cd.Rope(0.0, 1.0, 1.0), "axial must be above 0"),
    (lambda: cd.Rope(1.0, -1.0, 1.0), "bending must be"),
    (lambda: cd.TaperedSection(WIRE, BAR), "of one kind"),
    (lambda: cd.Plate.rectangle("p", (1, 0), (1, 1), STEEL, 0.1), "must be positive"),
    (lambda: cd.Plate.rectangle("p", (1, 1), (1, 1), STEEL, 0.0), "thickness must be above 0"),
    (lambda: cd.AncfBeam("b", straight(3), 1, cd.Rope(1.0, 1.0, 1.0), formulation="continuum"), "needs a Rect"),
])  # fmt: skip
def test_wrong_numbers_are_refused_at_once(make, message):
    with pytest.raises(cd.InputError, match=message):
        make()


@pytest.mark.parametrize("body, d, message", [
    (cd.Cable("c", [(0, 0), (0, 0)], 1, WIRE), 2, "coincide"),
    (cd.Cable("c", [(0, 0)], 1, WIRE), 2, "at least two points"),
    (cd.Cable("c", straight(3), 1, BAR), 3, "bends alike in all directions"),
    (cd.Cable("c", straight(2), 1, WIRE, edges=[(0, 5)]), 2, "refers to points"),
    (cd.AncfBeam("b", straight(3), 1, cd.Rope(1.0, 1.0, 1.0)), 3, "give the Rope a diameter"),
    (cd.AncfBeam("b", straight(3), 1, BAR, normal=(1, 0, 0)), 3, "parallel to the line"),
    (cd.Plate("p", np.zeros((4, 3)), [(0, 1, 2, 3)], STEEL, 0.1), 3, "coincide"),
    (cd.Plate("p", np.eye(4)[:, :3], [(0, 1, 2, 7)], STEEL, 0.1), 3, "refers to node 7"),
    (cd.Shell("s", [(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0)], [(0, 1, 2, 3)], STEEL, 0.1, [(0, 0, -1)] * 4), 3,
     "inside out"),
    (cd.Cable("c", straight(2), 1, cd.RoundSection(0.1, cd.StVenantKirchhoff(1e6))), 2, "density"),
])  # fmt: skip
def test_bodies_that_cannot_be_are_refused_by_name(body, d, message):
    m = cd.Model("bad", dimension=d)
    m.add(body)
    with pytest.raises(cd.InputError, match=message):
        cd.compile(m)


def test_too_few_gauss_points_are_warned_of():
    for points, few in ((3, True), (4, False)):
        m = cd.Model("few", dimension=3)
        m.add(cd.Cable("c", straight(3), 1, WIRE, points=points))
        if few:
            with pytest.warns(cd.QuadratureWarning, match="6 strains for 7 ways"):
                cd.compile(m)
        else:
            cd.compile(m)


def test_a_direction_that_a_cable_does_not_have_is_refused():
    cable = cd.Cable("c", straight(3), 1, WIRE)
    m = cd.Model("bad", dimension=3)
    m.add(cable)
    m.add(cd.Fixed("weld", m.ground, cable.point("start"), at=(0.0, 0.0, 0.0)))
    with pytest.raises(cd.InputError, match="use a Clamp"):
        cd.compile(m)


# --- results ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind, d", [("cable", 2), ("cable", 3), ("beam", 2), ("beam", 3)])
def test_forces_along_a_cantilever_balance_its_tip_load(kind, d):
    k = WIRE.at(0.0)
    P, N = 1e-3 * k.bending_z, 5e-4 * k.axial
    bodies = {"cable": cd.Cable, "beam": cd.AncfBeam}
    options = {"normal": (0, 1, 0)} if (kind, d) == ("beam", 3) else {}
    body = bodies[kind]("b", straight(d), 4, WIRE, **options)
    m = held(body, cd.Load("p", "b.end", (0.0, P, *((0.0,) * (d - 2)))), d=d)
    forces = cd.line_forces(cd.solve_static(m, steps=1), body)
    bending, shear = (v if v.ndim == 1 else v[:, 0] for v in (forces.bending, forces.shear))
    np.testing.assert_allclose(bending, P * (1.0 - forces.s), atol=0.01 * P)
    np.testing.assert_allclose(shear, P, rtol=0.02)
    energy = np.trapezoid(forces.energy, forces.s)
    assert energy == pytest.approx(0.5 * P * P / (3 * k.bending_z), rel=0.02)
    m = held(body, cd.Load("p", "b.end", (N, *((0.0,) * (d - 1)))), d=d)
    axial = cd.line_forces(cd.solve_static(m, steps=1), body).axial
    assert axial[15:] == pytest.approx(N, rel=0.01)  # the clamp holds r_x: waves near it


def test_torsion_along_a_beam_is_the_torque_at_its_end():
    section = cd.RoundSection(0.02, STEEL)
    torque = 0.01 * section.at(0.0).torsion
    beam = cd.AncfBeam("b", straight(3), 4, section, normal=(0, 1, 0))
    r = cd.solve_static(held(beam, cd.Moment("m", "b.end", (torque, 0, 0))), steps=1)
    assert cd.line_forces(r, "b").torsion == pytest.approx(torque, rel=1e-3)
    assert len(cd.plot_line_forces(r, beam).axes) == 4


def test_shapes_are_written_for_paraview(tmp_path):
    import xml.etree.ElementTree as ET

    m = cd.Model("mixed", dimension=3, gravity=(0, 0, -9.81))
    m.add(cd.Cable("c", straight(3), 2, WIRE))
    m.add(cd.Plate.rectangle("p", (1, 1), (1, 1), STEEL, 0.02, origin=(0, 0, 1)))
    r = cd.simulate(m, end=0.02, dt=0.005)
    file = cd.write_vtk(r, tmp_path / "run.pvd", count=3)
    sets = ET.parse(file).getroot().findall(".//DataSet")
    assert [float(s.get("timestep")) for s in sets] == pytest.approx([0.0, 0.01, 0.02])
    piece = ET.parse(tmp_path / sets[-1].get("file")).getroot().find(".//Piece")
    assert (piece.get("NumberOfLines"), piece.get("NumberOfPolys")) == ("6", "16")
    points = vtk_numbers(piece.find("Points/DataArray")).reshape(-1, 3)
    assert len(points) == int(piece.get("NumberOfPoints"))
    fall = vtk_numbers(piece.find("PointData/DataArray")).reshape(-1, 3)
    assert fall[:, 2] == pytest.approx(-0.5 * 9.81 * 0.02**2, rel=1e-6)
    with pytest.raises(cd.InputError, match="must end in"):
        cd.write_vtk(r, tmp_path / "run.vtk")
    with pytest.raises(cd.InputError, match="is no cable or beam"):
        cd.line_forces(r, "p")


# --- winch and drum ---------------------------------------------------------------------------------------------------


def hoist(d=2, rope=None, radius=0.5, speed=2.0, **options):
    """A load that hangs down from the right side of a drum at the origin and is pushed sideways."""
    z = (0.0,) * (d - 2)
    end = (radius, -4.0)
    m = cd.Model("drum", dimension=d, gravity=(0.0, -9.81, *z))
    start = cd.Drum.leaving_point((0, 0), radius, end, "right")
    np.testing.assert_allclose(start, (radius, 0.0), atol=1e-12)
    cable = m.add(cd.Cable("rope", [(*start, *z), (*end, *z)], 2, rope or cd.Rope(1e6, 1e-2, 1e-3), reel=1.0))
    load = m.add(cd.PointMass("load", 10.0, (*end, *z), velocity=(speed, 0.0, *z)))
    m.add((cd.Pin if d == 2 else cd.Spherical)("hook", cable.point("end"), load))
    axis = None if d == 2 else (0.0, 0.0, 1.0)
    m.add(cd.Drum("drum", m.ground, cable.point("start"), radius, at=(0.0, 0.0, *z), axis=axis, **options))
    return m


@pytest.mark.parametrize("d", [2, 3])
def test_a_rope_unwinds_from_a_locked_drum_along_its_tangent(d):
    r = cd.simulate(hoist(d), end=0.6, dt=0.01)
    E = r.energy["total"]
    assert np.abs(E - E[0]).max() < 1e-9 * np.ptp(r.energy["kinetic"])
    angle, length = r.coordinate("drum.angle"), r.coordinate("rope.length")
    assert angle.max() > np.radians(10)
    np.testing.assert_allclose(length, 4.0 + 0.5 * angle, atol=1e-9)
    start, load = r.position("rope.start"), r.position("load")
    np.testing.assert_allclose(np.linalg.norm(start, axis=1), 0.5, atol=1e-9)
    # a rigid pendulum on the drum: x = R n + L t, L = 4 + R φ; ½ L² φ'² + g y is kept
    phi, w, h = 0.0, 2.0 / 4.0, 1e-4
    for _ in range(6000):
        L = 4.0 + 0.5 * phi
        w += -h * (0.5 * w * w * L + 9.81 * L * np.sin(phi)) / L**2
        phi += h * w
    L = 4.0 + 0.5 * phi
    exact = 0.5 * np.array([np.cos(phi), np.sin(phi)]) + L * np.array([np.sin(phi), -np.cos(phi)])
    assert np.linalg.norm(load[-1, :2] - exact) < 0.03


def test_a_turning_drum_pays_out():
    paid = cd.Ramp(0.0, 0.5, 0.0, 0.4)
    r = cd.simulate(hoist(speed=0.0, paid=paid), end=0.5, dt=0.01)
    length = 4.0 + np.array([paid(t) for t in r.times]) + 0.5 * r.coordinate("drum.angle")
    np.testing.assert_allclose(r.coordinate("rope.length"), length, atol=1e-9)
    assert r.position("load")[-1, 1] < -4.3


def test_drums_that_cannot_be_are_refused():
    m = cd.Model("drum", dimension=2)
    cable = m.add(cd.Cable("rope", [(0.4, 0), (0.5, -4)], 2, WIRE, reel=1.0))
    m.add(cd.Drum("drum", m.ground, cable.point("start"), 0.5, at=(0, 0)))
    with pytest.raises(cd.InputError, match=r"starts 0\.4 m from the drum's centre"):
        cd.compile(m)
    m = cd.Model("drum", dimension=2)
    cable = m.add(cd.Cable("rope", [(0.5, 0), (0.5, -4)], 2, WIRE))
    m.add(cd.Drum("drum", m.ground, cable.point("start"), 0.5, at=(0, 0)))
    with pytest.raises(cd.InputError, match="cannot change its length"):
        cd.compile(m)
    with pytest.raises(cd.InputError, match="within the radius"):
        cd.Drum.leaving_point((0, 0), 0.5, (0.1, 0.1))
    with pytest.raises(cd.InputError, match="radius"):
        cd.Drum("drum", "ground", "rope.start", 0.0)
