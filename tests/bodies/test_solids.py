"""Solids against closed forms: laws in simple states of strain, kinematics, incompressibility, loads, fields."""

import numpy as np
import pytest
from scipy.optimize import minimize_scalar

import condyle as cd

BULK = 50.0
LAWS = {
    "St. Venant–Kirchhoff": cd.StVenantKirchhoff(6.0, 0.3, 1.0),
    "robust": cd.Robust(6.0, 0.3, 1.0),
    "neo-Hookean": cd.NeoHookean(6.0, 0.3, 1.0),
    "Mooney–Rivlin": cd.MooneyRivlin(0.8, 0.3, BULK, 1.0),
    "Yeoh": cd.Yeoh(1.0, -0.05, 0.03, BULK, 1.0),
    "Ogden": cd.Ogden((1.3, -0.4), (1.9, -1.5), BULK, 1.0),
    "fibres": cd.FibreReinforced(1.0, BULK, 0.5, 6.0, 1.15, (1.0, 0.0, 0.0), 1.0),
}


def energy(law, l1, l2, l3):
    """ψ of the principal stretches (the fibres lie along the first), written apart from the code of the laws."""
    m, J = LAWS[law], l1 * l2 * l3
    I1 = l1**2 + l2**2 + l3**2
    if law in ("St. Venant–Kirchhoff", "robust", "neo-Hookean"):
        lam, mu = m.lame()
        strains = [(s**2 - 1) / 2 for s in (l1, l2, l3)]
        shear = mu * sum(e**2 for e in strains)
        if law == "neo-Hookean":
            return mu / 2 * (I1 - 3) - mu * np.log(J) + lam / 2 * np.log(J) ** 2
        return shear + (lam / 2 * sum(strains) ** 2 if law == "St. Venant–Kirchhoff" else lam * (J - 1 - np.log(J)))
    volume = BULK / 4 * (J**2 - 1 - 2 * np.log(J))
    bar = I1 * J ** (-2 / 3) - 3
    if law == "Mooney–Rivlin":
        I2 = (l1 * l2) ** 2 + (l2 * l3) ** 2 + (l3 * l1) ** 2
        return 0.8 * bar + 0.3 * (I2 * J ** (-4 / 3) - 3) + volume
    if law == "Yeoh":
        return bar - 0.05 * bar**2 + 0.03 * bar**3 + volume
    if law == "Ogden":
        pairs = zip((1.3, -0.4), (1.9, -1.5), strict=True)
        return volume + sum(mu / a * (sum((s * J ** (-1 / 3)) ** a for s in (l1, l2, l3)) - 3) for mu, a in pairs)
    nominal = np.linspace(1.0, max(l1, 1.0), 20001)
    toe = np.minimum(nominal, 1.15)
    force = 0.5 * (np.exp(6 * (toe - 1)) - 1) + 0.5 * 6 * np.exp(6 * (toe - 1)) * (nominal - toe)
    return bar + volume + np.trapezoid(force, nominal)


def smallest(function):
    """Where a function of a stretch is smallest."""
    return minimize_scalar(function, bounds=(0.5, 1.5), method="bounded", options={"xatol": 1e-12}).x


def slope(function, at, step=1e-5):
    return (function(at + step) - function(at - step)) / (2 * step)


def cube(law, **options):
    """A unit cube of one hex8 on three rollers."""
    m = cd.Model("cube", dimension=3)
    block = m.add(cd.Solid.block("cube", (1, 1, 1), (1, 1, 1), LAWS[law], **options))
    for name, side, axis in (("x", "left", 0), ("y", "bottom", 1), ("z", "back", 2)):
        m.add(cd.Hold(name, block, side, np.eye(3)[axis]))
    return m, block


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("stretch", [1.3, 0.8])
def test_uniaxial_tension_and_compression(law, stretch):
    m, block = cube(law)
    m.add(cd.Hold("pull", block, "right", (1, 0, 0), displacement=stretch - 1))
    result = cd.solve_static(m, steps=4)
    side = smallest(lambda s: energy(law, stretch, s, s))
    force = slope(lambda s: energy(law, s, side, side), stretch)
    assert result.reaction("pull")[-1, 0] == pytest.approx(force, rel=1e-5)
    fields = result.fields(block)
    np.testing.assert_allclose(fields.cauchy[..., 0, 0], force / side**2, rtol=1e-5)
    np.testing.assert_allclose(fields.cauchy[..., 1, 1], 0.0, atol=1e-9)
    np.testing.assert_allclose(fields.energy_density, energy(law, stretch, side, side), rtol=1e-6)
    assert fields.von_mises[0, 0] == pytest.approx(abs(force) / side**2, rel=1e-5)
    assert fields.pressure[0, 0] == pytest.approx(-force / side**2 / 3, rel=1e-5)


@pytest.mark.parametrize("law", LAWS)
def test_equal_biaxial_tension(law):
    m, block = cube(law)
    m.add(cd.Hold("pull", block, "right", (1, 0, 0), displacement=0.2))
    m.add(cd.Hold("lift", block, "top", (0, 1, 0), displacement=0.2))
    result = cd.solve_static(m, steps=4)
    thin = smallest(lambda s: energy(law, 1.2, 1.2, s))
    assert result.reaction("pull")[-1, 0] == pytest.approx(slope(lambda s: energy(law, s, 1.2, thin), 1.2), rel=1e-5)
    assert result.reaction("lift")[-1, 1] == pytest.approx(slope(lambda s: energy(law, 1.2, s, thin), 1.2), rel=1e-5)


@pytest.mark.parametrize("law", [name for name in LAWS if name != "fibres"])
def test_simple_shear(law):
    """F = 1 + γ e₁⊗e₂: σ₁₂ = (∂ψ/∂γ) at constant volume; principal stretches γ/2 ± √(1 + γ²/4)."""
    gamma = 0.4
    m = cd.Model("shear", dimension=3)
    block = m.add(cd.Solid.block("cube", (1, 1, 1), (1, 1, 1), LAWS[law]))
    m.add(cd.Hold("y", block, list(range(8)), (0, 1, 0)))
    m.add(cd.Hold("z", block, list(range(8)), (0, 0, 1)))
    m.add(cd.Hold("floor", block, "bottom", (1, 0, 0)))
    m.add(cd.Hold("roof", block, "top", (1, 0, 0), displacement=gamma))
    result = cd.solve_static(m, steps=2)

    def along(g):
        long = g / 2 + np.sqrt(1 + g**2 / 4)
        return energy(law, long, 1 / long, 1.0)

    np.testing.assert_allclose(result.fields(block).cauchy[..., 0, 1], slope(along, gamma), rtol=1e-6)


def test_the_robust_law_stiffens_in_compression_where_st_venant_kirchhoff_gives_way():
    """Hovey's criteria: compressive stress grows monotonically, the tangent stays positive."""
    stretches = np.linspace(1.0, 0.05, 60)
    for law, robust in (("robust", True), ("St. Venant–Kirchhoff", False)):
        force = np.array([slope(lambda s, law=law: energy(law, s, 1.0, 1.0), s, 1e-6) for s in stretches])
        assert (np.diff(force) < 0).all() == robust
    m, block = cube("robust")
    m.add(cd.Hold("press", block, "right", (1, 0, 0), displacement=-0.8))
    result = cd.solve_static(m, steps=20)
    assert (np.diff(result.reaction("press")[:, 0]) < 0).all()


# --- kinematics -------------------------------------------------------------------------------------------------------


def plane_pull(law, **options):
    m = cd.Model("strip", dimension=2)
    block = m.add(cd.Solid.block("strip", (1, 1), (1, 1), LAWS[law], **options))
    m.add(cd.Hold("x", block, "left", (1, 0)))
    m.add(cd.Hold("y", block, "bottom", (0, 1)))
    m.add(cd.Hold("pull", block, "right", (1, 0), displacement=0.25))
    return m, block


@pytest.mark.parametrize("law", LAWS)
def test_plane_stress_is_uniaxial_tension(law):
    m, block = plane_pull(law, plane="stress", thickness=0.5)
    result = cd.solve_static(m, steps=4)
    side = smallest(lambda s: energy(law, 1.25, s, s))
    force = slope(lambda s: energy(law, s, side, side), 1.25)
    assert result.reaction("pull")[-1, 0] == pytest.approx(0.5 * force, rel=1e-5)
    fields = result.fields(block)
    np.testing.assert_allclose(fields.deformation_gradient[..., 2, 2], side, rtol=1e-6)
    np.testing.assert_allclose(fields.cauchy[..., 2, 2], 0.0, atol=1e-9)


@pytest.mark.parametrize("law", LAWS)
def test_plane_strain_keeps_the_thickness(law):
    m, block = plane_pull(law)
    result = cd.solve_static(m, steps=4)
    side = smallest(lambda s: energy(law, 1.25, s, 1.0))
    assert result.reaction("pull")[-1, 0] == pytest.approx(slope(lambda s: energy(law, s, side, 1.0), 1.25), rel=1e-5)
    across = slope(lambda s: energy(law, 1.25, side, s), 1.0) / (1.25 * side)
    np.testing.assert_allclose(result.fields(block).cauchy[..., 2, 2], across, rtol=1e-5)


def tube(law, element, divisions, pressure, **options):
    """A long tube about the y axis (plane strain along it), under inner pressure."""
    m = cd.Model("tube", dimension=2)
    mesh = cd.Mesh.block((1.0, 0.2), divisions, element=element, origin=(1.0, 0.0))
    body = m.add(cd.Solid.from_mesh("tube", mesh, law, plane="axisymmetric", **options))
    m.add(cd.Hold("below", body, "bottom", (0, 1)))
    m.add(cd.Hold("above", body, "top", (0, 1)))
    m.add(cd.Pressure("gas", body, pressure, surface="left"))
    return m, body


def test_a_tube_under_pressure_follows_lame():
    """Small strain: u(r) = (1 + ν)/E · p a²/(b² − a²) · ((1 − 2ν) r + b²/r); σ_θ(a) = p (a² + b²)/(b² − a²)."""
    E, nu, p, a, b = 1000.0, 0.3, 0.01, 1.0, 2.0
    m, body = tube(cd.StVenantKirchhoff(E, nu, 1.0), "quad8", (8, 1), p)
    result = cd.solve_static(m, steps=1)
    X = np.array(body.nodes)
    moved = result.fields(body).displacement[:, 0]
    exact = (1 + nu) / E * p * a**2 / (b**2 - a**2) * ((1 - 2 * nu) * X[:, 0] + b**2 / X[:, 0])
    np.testing.assert_allclose(moved, exact, rtol=2e-4)
    hoop = result.fields(body).at_nodes(result.fields(body).cauchy)[body.sets["left"], 2, 2]
    np.testing.assert_allclose(hoop, p * (a**2 + b**2) / (b**2 - a**2), rtol=0.02)


def test_a_nearly_incompressible_thick_tube_inflates_as_the_closed_form_says():
    """Incompressible neo-Hookean, plane strain: p = ∫ (σ_θ − σ_r)/r dr with r² = R² + c."""
    mu, a, b = 2.0, 1.0, 2.0
    law = cd.MooneyRivlin(0.5 * mu, 0.0, 1e4 * mu, 1.0)

    def pressure(c):  # μ (λ² − λ⁻²) / r over the deformed wall, λ = r/R
        R = np.linspace(a, b, 20001)
        r = np.sqrt(R**2 + c)
        return np.trapezoid(mu * ((r / R) ** 2 - (R / r) ** 2) * R / r**2, R)

    c = (1.5 * a) ** 2 - a**2
    m, body = tube(law, "quad8", (10, 1), pressure(c), dilatation="mean")
    result = cd.solve_static(m, steps=10)
    inner = result.fields(body).positions[body.sets["left"], 0]
    np.testing.assert_allclose(inner, 1.5 * a, rtol=3e-3)
    assert np.abs(result.fields(body).volume_ratio.mean(axis=1) - 1).max() < 1e-3


# --- incompressibility ------------------------------------------------------------------------------------------------


def cook(n, poisson, element="quad4", **options):
    """Vertical move of the upper right corner of Cook's membrane, plane strain; units N, mm."""
    m = cd.Model("Cook", dimension=2)

    def skew(u):
        low, high = 44.0 * u[:, 0], 44.0 + 16.0 * u[:, 0]
        return np.stack((48.0 * u[:, 0], low + u[:, 1] * (high - low)), axis=1)

    mesh = cd.Mesh.block((1.0, 1.0), (n, n), element=element).mapped(skew)
    law = cd.MooneyRivlin.from_moduli(240.565, poisson, 1.0)
    body = m.add(cd.Solid.from_mesh("membrane", mesh, law, **options))
    m.add(cd.Tie("wall", body, "left", m.ground))
    m.add(cd.Traction("shear", body, "right", (0.0, 100.0 / 16.0)))
    result = cd.solve_static(m, steps=5)
    corner = int(np.argmax(np.array(body.nodes).sum(axis=1)))
    return result.displacement(body.point(corner))[-1, 1]


def test_cooks_membrane_does_not_lock_with_one_dilatation_per_element():
    locked, free = cook(8, 0.4999), cook(8, 0.4999, dilatation="mean")
    fine = cook(16, 0.4999, dilatation="mean")
    soft = cook(8, 0.3), cook(8, 0.3, dilatation="mean")
    assert locked < 0.7 * free  # the plain element is far too stiff
    assert abs(free / fine - 1) < 0.05
    assert abs(soft[0] / soft[1] - 1) < 0.05  # at ν = 0.3 both agree
    assert cook(6, 0.4999, "tri6", dilatation="mean") == pytest.approx(fine, rel=0.03)


# --- loads ------------------------------------------------------------------------------------------------------------


def test_pressure_on_a_closed_surface_moves_nothing():
    m = cd.Model("diver", dimension=3)
    ball = m.add(
        cd.Solid.from_mesh("ball", cd.Mesh.sphere(0.5, (2, 1)), LAWS["robust"], angular_velocity=(0.3, 0.2, 0))
    )
    m.add(cd.Pressure("sea", ball, 1.0, cd.Ramp(0.0, 0.1), "outer"))
    result = cd.simulate(m, end=0.5, dt=0.02)
    assert np.abs(result.linear_momentum).max() < 1e-11
    assert np.abs(np.diff(result.angular_momentum, axis=0)).max() < 1e-11
    assert result.fields(ball).volume_ratio.max() < 1.0


def test_swelling_without_support_is_free_of_stress_and_with_it_presses():
    for d in (2, 3):
        m = cd.Model("gel", dimension=d)
        gel = m.add(cd.Solid.block("gel", (1,) * d, (2,) * d, LAWS["robust"], natural_stretch=1.1,
                                   **({"plane": "stress"} if d == 2 else {})))  # fmt: skip
        for axis, side in enumerate(("left", "bottom", "back")[:d]):
            m.add(cd.Hold(f"hold{axis}", gel, side, np.eye(d)[axis]))
        result = cd.solve_static(m, steps=2)
        np.testing.assert_allclose(result.fields(gel).positions, 1.1 * np.array(gel.nodes), atol=1e-9)
        np.testing.assert_allclose(result.fields(gel).cauchy, 0.0, atol=1e-8)
        m.add(cd.Hold("wall", gel, "right", np.eye(d)[0]))
        assert cd.solve_static(m, steps=2).reaction("wall")[-1, 0] < -0.1


def test_swelling_by_a_schedule_grows_the_body_and_does_the_work_it_is_charged_with():
    for d, options in ((2, {"plane": "stress"}), (2, {}), (2, {"plane": "axisymmetric"}), (3, {})):
        grow = cd.Table((0.0, 1.0), (1.0, 1.1))
        m = cd.Model("gel", dimension=d)
        law = cd.Robust(600.0, 0.3, 1.0)
        gel = m.add(cd.Solid.block("gel", (1,) * d, (1,) * d, law, natural_stretch=grow, **options))
        for axis, side in enumerate(("left", "bottom", "back")[:d]):
            m.add(cd.Hold(f"hold{axis}", gel, side, np.eye(d)[axis]))
        static = cd.solve_static(m, steps=4, at=1.0)
        wanted = cd.Solid.block("gel", (1,) * d, (1,) * d, law, natural_stretch=1.1, **options)
        other = cd.Model("gel", dimension=d)
        for part in m:
            if not isinstance(part, cd.Ground):
                other.add(wanted if part is gel else part)
        fixed = cd.solve_static(other, steps=4)
        np.testing.assert_allclose(static.fields(gel).positions, fixed.fields(wanted).positions, atol=1e-9)
        np.testing.assert_allclose(static.fields(gel).cauchy, fixed.fields(wanted).cauchy, atol=1e-6)
        if options != {} or d == 3:
            half = static.fields(gel, 2)
            assert np.abs(half.cauchy).max() < 1e-6  # grows freely
            np.testing.assert_allclose(half.positions, 1.05 * np.array(gel.nodes), atol=1e-8)
        result = cd.simulate(m, end=1.0, dt=0.05)
        total, work = result.energy["total"], result.energy["work"]
        assert np.ptp(total - work) < 1e-10 * max(total.max(), 1.0)
        still = cd.simulate(m, end=2.0, dt=0.1, integrator=cd.BDF(order=1))
        np.testing.assert_allclose(still.fields(gel).positions, fixed.fields(wanted).positions, atol=1e-3)
    with pytest.raises(cd.InputError, match="must stay positive"):
        m = cd.Model("gel", dimension=2)
        gel = m.add(cd.Solid.block("gel", (1, 1), (1, 1), LAWS["robust"], natural_stretch=cd.Table((0, 1), (1, -1))))
        m.add(cd.Tie("base", gel, "bottom", m.ground))
        cd.solve_static(m, at=1.0)


def test_initial_stress_is_carried_by_the_supports():
    stress = np.diag([2.0, -1.0, 0.5])
    m, block = cube("robust", initial_stress=stress)
    m.add(cd.Hold("x1", block, "right", (1, 0, 0)))
    m.add(cd.Hold("y1", block, "top", (0, 1, 0)))
    m.add(cd.Hold("z1", block, "front", (0, 0, 1)))
    result = cd.solve_static(m, steps=1)
    assert result.reaction("x1")[-1, 0] == pytest.approx(2.0)
    assert result.reaction("y1")[-1, 1] == pytest.approx(-1.0)
    np.testing.assert_allclose(result.fields(block).cauchy, np.broadcast_to(stress, (1, 8, 3, 3)), atol=1e-12)


def test_viscosity_takes_out_the_energy_it_is_charged_with():
    law = cd.Robust(600.0, 0.3, 1.0, viscosity=3.0)
    for d, options in ((2, {}), (2, {"plane": "axisymmetric", "origin": (0.5, 0.0)}), (3, {})):
        m = cd.Model("gel", dimension=d)
        gel = m.add(cd.Solid.block("gel", (1,) * d, (2,) * d, law, velocity=(0.0,) * (d - 1) + (0.5,), **options))
        m.add(cd.Tie("base", gel, "bottom" if d == 2 else "back", m.ground))
        result = cd.simulate(m, end=0.5, dt=0.01)
        total, work = result.energy["total"], result.energy["work"]
        assert work[-1] < -0.05 * total[0]
        assert np.ptp(total - work) < 1e-10 * total[0]


# --- motion -----------------------------------------------------------------------------------------------------------

MOTIONS = {
    **{name: (3, law, {}) for name, law in LAWS.items()},
    "mean dilatation": (3, LAWS["Yeoh"], {"dilatation": "mean"}),
    "plane stress": (2, LAWS["Ogden"], {"plane": "stress"}),
    "plane strain": (2, LAWS["robust"], {}),
    "quadratic": (2, LAWS["robust"], {"element": "tri6"}),
}


@pytest.mark.parametrize("name", MOTIONS)
def test_energy_and_momentum_are_kept_by_every_law(name):
    d, law, options = MOTIONS[name]
    m = cd.Model("tumbling", dimension=d)
    spin = 2.0 if d == 2 else (1.0, 2.0, 0.5)
    m.add(cd.Solid.block("block", (1.0, 0.5, 0.4)[:d], (2, 1, 1)[:d], law, angular_velocity=spin, **options))
    result = cd.simulate(m, end=1.0, dt=0.05)
    total = result.energy["total"]
    assert result.energy["stored"].max() > 1e-3 * total[0]
    assert np.ptp(total) < 2e-11 * total[0]
    L = result.angular_momentum
    assert np.abs(L - L[0]).max() < 1e-11 * np.abs(L).max()


# --- output -----------------------------------------------------------------------------------------------------------


def test_fields_recovered_at_nodes_and_resultants(tmp_path):
    """A cantilever: the bending stress of beam theory, and resultants that balance the load."""
    E, load = 1e5, 0.1
    m = cd.Model("beam", dimension=2)
    beam = m.add(cd.Solid.block("beam", (4.0, 1.0), (8, 2), cd.StVenantKirchhoff(E, 0.0, 1.0), element="quad8"))
    m.add(cd.Tie("wall", beam, "left", m.ground))
    m.add(cd.Traction("tip", beam, "right", (0.0, -load)))
    result = cd.solve_static(m, steps=1)
    fields = result.fields(beam)
    assert fields.probe(fields.cauchy, (2.0, 1.0))[0, 0] == pytest.approx(6 * load * 2.0, rel=0.01)
    assert fields.probe(fields.cauchy, (2.0, 0.5))[0, 1] == pytest.approx(-1.5 * load, rel=0.2)
    np.testing.assert_allclose(fields.surface_force("right"), (0.0, -load), atol=0.02 * load)
    values, axes = fields.principal_stresses()
    np.testing.assert_allclose(axes @ (values[..., None] * np.swapaxes(axes, -1, -2)), fields.cauchy, atol=1e-9)
    strains, _ = fields.principal_strains()
    np.testing.assert_allclose(strains.sum(axis=-1), np.trace(fields.strain, axis1=-2, axis2=-1), atol=1e-12)
    assert np.sum(fields.energy_density * fields.volumes) == pytest.approx(result.energy["stored"][-1], rel=1e-10)
    figure = fields.plot("von_mises", unit="kPa", scale=1e-3)
    figure.savefig(tmp_path / "map.png")
    assert (tmp_path / "map.png").stat().st_size > 5000
    paths = result.write_vtk(beam, tmp_path / "series")
    assert len(paths) == len(result)
    import meshio

    back = meshio.read(paths[-1])
    np.testing.assert_allclose(back.point_data["displacement [m]"][:, :2], fields.displacement)
    assert (tmp_path / "series" / "beam.pvd").read_text().count("DataSet") == len(result)
    with pytest.raises(cd.InputError, match="field 'mises'"):
        fields.scalar("mises")
    with pytest.raises(cd.InputError, match="has no mesh"):
        result.fields("ground")


def test_a_balloon_has_a_limit_pressure():
    """Thin neo-Hookean sphere: p = 2 μ (t/R) (λ⁻¹ − λ⁻⁷)."""
    mu, R, t = 1.0, 1.0, 0.02
    law = cd.MooneyRivlin(0.5 * mu, 0.0, 1e3 * mu, 1.0)
    m = cd.Model("balloon", dimension=2)
    arc = cd.Mesh.annulus(R - t / 2, R + t / 2, (1, 16), angle=np.pi / 2, element="quad8")
    skin = m.add(cd.Solid.from_mesh("skin", arc, law, plane="axisymmetric", dilatation="mean"))
    m.add(cd.Hold("equator", skin, "start", (0, 1)))
    m.add(cd.Hold("pole", skin, "end", (1, 0)))
    stretch = 1.25
    m.add(cd.Pressure("gas", skin, 2 * mu * t / R * (1 / stretch - stretch**-7), surface="inner"))
    result = cd.solve_static(m, steps=8)
    grown = np.hypot(*result.fields(skin).positions.T).mean() / R
    assert grown == pytest.approx(stretch, abs=0.02)


# --- refused ----------------------------------------------------------------------------------------------------------


def test_wrong_solids_are_refused():
    def solid(**options):
        m = cd.Model("bad", dimension=options.pop("dimension", 2))
        d = m.dimension
        law = options.pop("law", LAWS["Yeoh"])
        m.add(cd.Solid.block("s", (1,) * d, (1,) * d, law, **options))
        return m

    cases = [
        (dict(law=LAWS["robust"], dilatation="mean"), "needs a law with a bulk modulus"),
        (dict(element="tri3", dilatation="mean"), "tri3 has one dilatation already"),
        (dict(plane="stress", dilatation="mean"), "nothing locks in plane stress"),
        (dict(dimension=3, plane="strain"), "plane is for 2D"),
        (dict(plane="axisymmetric", origin=(-1.0, 0.0)), "negative radius"),
        (dict(natural_stretch=-1.0), "natural_stretch must be positive"),
        (dict(directions=[[1, 0], [0, 1]]), "one vector per cell"),
        (dict(regions={"r": [7]}), "region 'r' refers to cell 7"),
        (dict(surfaces={"top": []}), "surface 'top' is empty"),
    ]
    for options, message in cases:
        with pytest.raises(cd.InputError, match=message):
            cd.compile(solid(**options))
    with pytest.raises(cd.InputError, match=r"poisson must be above -1 and below 0\.5, not 0\.5"):
        cd.Robust(1.0, 0.5)
    with pytest.raises(cd.InputError, match="shear modulus"):
        cd.MooneyRivlin(-1.0, 0.5, 10.0)
    with pytest.raises(cd.InputError, match="as many exponents"):
        cd.Ogden((1.0, 2.0), (2.0,), 10.0)
    m = solid()
    m.add(cd.Pressure("p", "s", 1.0, surface="nowhere"))
    with pytest.raises(cd.InputError, match="no surface or set 'nowhere'"):
        cd.compile(m)
    m = solid()
    m.add(cd.Hold("h", "s", "nowhere", (1, 0)))
    with pytest.raises(cd.InputError, match="no set or node 'nowhere'"):
        cd.compile(m)


def test_a_node_may_be_given_by_a_number_of_numpy():
    block = cd.Solid.block("block", (1.0, 1.0), (1, 1), cd.NeoHookean(1e6, 0.3))
    assert block.point(np.int64(3)) == block.point(3)
