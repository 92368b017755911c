"""Curves of materials against closed forms, and figures of them."""

import re

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import brentq

import condyle as cd

LAWS = {
    "St. Venant–Kirchhoff": cd.StVenantKirchhoff(6.0, 0.3),
    "robust": cd.Robust(6.0, 0.3),
    "neo-Hookean": cd.NeoHookean(6.0, 0.3),
    "Mooney–Rivlin": cd.MooneyRivlin(0.8, 0.3, 5e4),
    "Yeoh": cd.Yeoh(1.0, -0.05, 0.03, 50.0),
    "Ogden": cd.Ogden((1.3, -0.4), (1.9, -1.5), 50.0),
    "fibres": cd.FibreReinforced(1.0, 50.0, 0.5, 6.0, 1.15),
    "Arruda–Boyce": cd.ArrudaBoyce(1.3, 2.2, 50.0),
    "Veronda–Westmann": cd.VerondaWestmann(0.9, 1.4, 50.0),
    "Holzapfel–Gasser–Ogden": cd.HolzapfelGasserOgden(1.2, 0.9, 0.7, 0.1, 50.0, ((1, 0, 0), (0, 1, 0))),
}
STIFF = 2e6  # a bulk modulus with which a law is nearly incompressible


# Fibres across the pull are stretched in compression: their law has no one modulus at small strain.
@pytest.mark.parametrize("name", [name for name in LAWS if name != "Holzapfel–Gasser–Ogden"])
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


def slopes(W, *at, step=1e-5):
    """Derivatives of W(Ī₁, Ī₂) by central differences."""
    out = []
    for k in range(len(at)):
        more, less = list(at), list(at)
        more[k] += step
        less[k] -= step
        out.append((W(*more) - W(*less)) / (2 * step))
    return out


def chains(I1, I2):
    """Arruda–Boyce with the integral of the inverse of Langevin's function, found by bisection."""

    def inverse(s):
        return brentq(lambda b: 1 / np.tanh(b) - 1 / b - s, 1e-6, 1e6, xtol=1e-14)

    return 1.3 * 2.2**2 * quad(inverse, np.sqrt(1 / 3.0), np.sqrt(I1 / 3.0) / 2.2)[0]


def skin(I1, I2):
    return 0.9 * (np.exp(1.4 * (I1 - 3)) - 1) - 0.5 * 0.9 * 1.4 * (I2 - 3)


@pytest.mark.parametrize("law, W", [
    (cd.ArrudaBoyce(1.3, 2.2, STIFF), chains), (cd.VerondaWestmann(0.9, 1.4, STIFF), skin),
], ids=["Arruda–Boyce", "Veronda–Westmann"])  # fmt: skip
def test_incompressible_laws_of_two_invariants_follow_their_closed_forms(law, W):
    """P = 2 (λ − λ⁻²)(W₁ + W₂/λ), biaxial 2 (λ − λ⁻⁵)(W₁ + W₂ λ²), shear 2 (W₁ + W₂) γ; W written apart from the law."""
    stretches, shears = np.array((0.8, 0.9, 1.2, 1.4)), np.array((0.2, 0.5, 1.0))
    curves = cd.material_curves(law, stretches, shears)
    for s, uniaxial, biaxial in zip(stretches, curves["uniaxial"][1], curves["biaxial"][1], strict=True):
        W1, W2 = slopes(W, s**2 + 2 / s, 2 * s + s**-2)
        assert uniaxial == pytest.approx(2 * (s - s**-2) * (W1 + W2 / s), rel=2e-4)
        W1, W2 = slopes(W, 2 * s**2 + s**-4, s**4 + 2 * s**-2)
        assert biaxial == pytest.approx(2 * (s - s**-5) * (W1 + W2 * s**2), rel=2e-4)
    for gamma, stress in zip(shears, curves["shear"][1], strict=True):
        W1, W2 = slopes(W, 3 + gamma**2, 3 + gamma**2)
        assert stress == pytest.approx(2 * (W1 + W2) * gamma, rel=1e-6)


def test_chains_of_many_links_are_neo_hookean_and_short_ones_lock():
    long, short = cd.ArrudaBoyce(2.0, 1e3, 50.0), cd.ArrudaBoyce(2.0, 1.3, STIFF)
    rubber = cd.MooneyRivlin(1.0, 0.0, 50.0)
    for test, (_, stress) in cd.material_curves(long).items():
        np.testing.assert_allclose(stress, cd.material_curves(rubber)[test][1], rtol=2e-6, atol=1e-8)
    _, stress = cd.material_curves(short, stretches=(1.9, 1.95, 2.5))["uniaxial"]
    assert stress[1] > 1.4 * stress[0]  # √(Ī₁/3) is 1.3 at λ = 2.03
    assert np.isnan(stress[2])


@pytest.mark.parametrize("spread", [0.0, 0.1, 1 / 3])
def test_two_families_of_fibres_share_an_equal_biaxial_pull(spread):
    """Fibres at ±45°: P = 2 (λ − λ⁻⁵) W₁ + 2 λ W₄, W₄ that of one family; E = κ (Ī₁ − 3) + (1 − 3 κ)(λ² − 1)."""
    c, k1, k2 = 1.2, 0.9, 0.7
    law = cd.HolzapfelGasserOgden(c, k1, k2, spread, STIFF, ((1, 1, 0), (1, -1, 0)))
    stretches = np.array((0.8, 1.1, 1.3, 1.5))
    for s, stress in zip(stretches, cd.material_curves(law, stretches)["biaxial"][1], strict=True):
        E = max(spread * (2 * s**2 + s**-4 - 3) + (1 - 3 * spread) * (s**2 - 1), 0.0)
        force = k1 * E * np.exp(k2 * E**2)
        W1, W4 = 0.5 * c + 2 * force * spread, force * (1 - 3 * spread)
        assert stress == pytest.approx(2 * (s - s**-5) * W1 + 2 * s * W4, rel=3e-4)


def test_fibres_in_all_directions_alike_are_isotropic():
    along, across = (cd.HolzapfelGasserOgden(1.2, 0.9, 0.7, 1 / 3, 50.0, (n, n)) for n in ((1, 0, 0), (0, 0, 1)))
    one, other = cd.material_curves(along), cd.material_curves(across)
    for test in one:
        np.testing.assert_allclose(one[test][1], other[test][1], rtol=1e-7, atol=1e-9)


BAD = {
    "ArrudaBoyce: locking of the law 'Arruda–Boyce' must be above 1, not 0.9": lambda: cd.ArrudaBoyce(1.0, 0.9, 10.0),
    "VerondaWestmann: c1 [Pa] of the law 'Veronda–Westmann' must be above 0, not -1": lambda: cd.VerondaWestmann(-1, 1, 9),
    "dispersion of the law 'Holzapfel–Gasser–Ogden' must be at least 0 and at most 0.333333, not 0.5":
        lambda: cd.HolzapfelGasserOgden(1.0, 1.0, 1.0, 0.5, 9.0),
    "HolzapfelGasserOgden: directions must be two vectors": lambda: cd.HolzapfelGasserOgden(1, 1, 1, 0, 9, ((1, 0, 0),)),
    "Yeoh: bulk [Pa] of the law 'Yeoh' must be above 0, not 0": lambda: cd.Yeoh(1.0, 0.0, 0.0, 0.0),
    "FibreReinforced: toe_end of the law 'fibres' must be at least 1, not 0.5": lambda: cd.FibreReinforced(1, 9, 1, 1, 0.5),
    "Robust: young must be above 0, not -3 Pa": lambda: cd.Robust(-3.0),
}  # fmt: skip


@pytest.mark.parametrize("message", BAD)
def test_a_parameter_out_of_bounds_is_named_with_its_law_bound_and_unit(message):
    with pytest.raises(cd.InputError, match=re.escape(message)):
        BAD[message]()


def test_curves_are_those_of_a_solid():
    for law in (LAWS["robust"], LAWS["fibres"], LAWS["Holzapfel–Gasser–Ogden"]):
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
