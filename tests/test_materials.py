"""Curves of materials against closed forms, and figures of them."""

import numpy as np
import pytest

import condyle as cd

LAWS = {
    "St. Venant–Kirchhoff": cd.StVenantKirchhoff(6.0, 0.3),
    "robust": cd.Robust(6.0, 0.3),
    "neo-Hookean": cd.NeoHookean(6.0, 0.3),
    "Mooney–Rivlin": cd.MooneyRivlin(0.8, 0.3, 5e4),
    "Yeoh": cd.Yeoh(1.0, -0.05, 0.03, 50.0),
    "Ogden": cd.Ogden((1.3, -0.4), (1.9, -1.5), 50.0),
    "fibres": cd.FibreReinforced(1.0, 50.0, 0.5, 6.0, 1.15),
}


@pytest.mark.parametrize("name", LAWS)
def test_curves_start_with_the_moduli_of_small_strain(name):
    law = LAWS[name]
    curves = cd.material_curves(law, stretches=(1 - 1e-5, 1.0, 1 + 1e-5), shears=(0.0, 1e-5))
    _, stress = curves["uniaxial"]
    assert stress[1] == pytest.approx(0.0, abs=1e-9)
    below = (stress[1] - stress[0]) / 1e-5  # fibres are slack in compression
    assert below == pytest.approx(law.young, rel=1e-3)
    assert curves["shear"][1][1] / 1e-5 == pytest.approx(law.lame()[1] if hasattr(law, "lame") else 1.0, rel=1e-3)
    biaxial = curves["biaxial"][1]
    assert (biaxial[1] - biaxial[0]) / 1e-5 == pytest.approx(law.young / (1 - law.poisson), rel=1e-3)


def test_incompressible_mooney_rivlin_follows_its_closed_forms():
    """P = 2 (λ − λ⁻²)(c10 + c01/λ), biaxial 2 (λ − λ⁻⁵)(c10 + c01 λ²), shear 2 (c10 + c01) γ."""
    curves = cd.material_curves(LAWS["Mooney–Rivlin"])
    s, stress = curves["uniaxial"]
    np.testing.assert_allclose(stress, 2 * (s - s**-2) * (0.8 + 0.3 / s), rtol=1e-3, atol=1e-3)
    s, stress = curves["biaxial"]
    np.testing.assert_allclose(stress, 2 * (s - s**-5) * (0.8 + 0.3 * s**2), rtol=1e-3, atol=1e-3)
    gamma, stress = curves["shear"]
    np.testing.assert_allclose(stress, 2 * 1.1 * gamma, rtol=1e-3, atol=1e-6)


def test_curves_are_those_of_a_solid():
    for law in (LAWS["robust"], LAWS["fibres"]):
        m = cd.Model("cube", dimension=3)
        cube = m.add(cd.Solid.block("cube", (1, 1, 1), (1, 1, 1), law, quasi_static=True))
        for axis, side in enumerate(("left", "bottom", "back")):
            m.add(cd.Hold(side, cube, side, np.eye(3)[axis]))
        m.add(cd.Hold("pull", cube, "right", (1, 0, 0), displacement=0.3))
        force = cd.solve_static(m, steps=3).reaction("pull")[-1, 0]
        assert cd.material_curves(law, stretches=(1.3,))["uniaxial"][1][0] == pytest.approx(force, rel=1e-8)


def test_all_laws_in_one_figure(tmp_path):
    figure = cd.plot_material(LAWS, unit="MPa", scale=1e-6)
    assert len(figure.axes) == 3
    assert all(len(ax.lines) == len(LAWS) for ax in figure.axes)
    figure.savefig(tmp_path / "laws.png")
    with pytest.raises(cd.InputError, match="give a material"):
        cd.plot_material("steel")
