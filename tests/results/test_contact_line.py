"""What is kept of patches can be drawn over length and time, and written for a viewer."""

import meshio
import numpy as np
import pytest

import condyle as cd

WEIGHT = 2000.0 * np.pi * 0.02**2 * 9.81  # per length [N/m]


@pytest.fixture(scope="module")
def found() -> cd.Result:
    model = cd.Model("slope", dimension=3, gravity=(9.81 * np.sin(0.2), 0.0, -9.81 * np.cos(0.2)))
    section = cd.RoundSection(0.02, cd.StVenantKirchhoff(1e8, 0.0, 2000.0))
    cable = model.add(cd.Cable("cable", [(0.0, 0.0, 0.02), (1.0, 0.0, 0.02)], 2, section))
    model.add(cd.PatchContact("plane", cable, model.ground, cd.Plane((0.0, 0.0, 1.0)), friction=0.5, per_patch=3))
    return cd.simulate(model, end=0.05, dt=0.01, integrator=cd.Nonsmooth())


def test_maps_and_profiles_show_the_density_of_the_weight(found: cd.Result) -> None:
    line = found.contact("plane").line
    picture = line.plot_map("normal")
    shown = np.ma.masked_invalid(picture.axes[0].collections[0].get_array())
    assert np.allclose(shown[:, -1].compressed(), 0.01 * WEIGHT * np.cos(0.2), rtol=1e-3)
    profile = line.plot_profile("axial", [0.05]).axes[0].lines[0].get_ydata()
    assert np.allclose(profile[np.isfinite(profile)], -0.01 * WEIGHT * np.sin(0.2), rtol=1e-3)
    for name in ("transverse", "margin", "axial_margin", "transverse_margin", "gap", "slip"):
        assert line.plot_map(name).axes
    with pytest.raises(cd.InputError, match="norml"):
        line.plot_map("norml")


def test_points_of_patches_are_written_with_their_impulses(found: cd.Result, tmp_path) -> None:
    contact = found.contact("plane")
    last = meshio.read(contact.write_vtk(tmp_path)[-1])
    assert last.point_data["normal"].sum() == pytest.approx(0.01 * WEIGHT * np.cos(0.2), rel=1e-6)
    assert last.point_data["axial"].sum() == pytest.approx(-0.01 * WEIGHT * np.sin(0.2), rel=1e-6)
    assert np.abs(last.point_data["transverse"]).max() < 1e-9
    assert last.point_data["margin"].min() > 0.0
    assert last.point_data["normal_density"] == pytest.approx(0.01 * WEIGHT * np.cos(0.2), rel=1e-3)
    for name in ("force", "gap", "slip", "slip_speed", "cone_margin", "pressure", "axial_margin", "margin_density"):
        assert np.isfinite(last.point_data[name]).all()
    along = contact.line.axial_margin[-1]
    expected = 0.5 * last.point_data["normal"] - np.abs(last.point_data["axial"])
    assert along[np.isfinite(along)] == pytest.approx(expected)
    # Sticking: what friction could hold is more than what it does, and both margins are the same force.
    assert contact.cone_margin[-1].sum() == pytest.approx(np.nansum(contact.line.margin[-1]) / 0.01, rel=1e-6)
    assert contact.resultant[-1][:3] == pytest.approx(
        (-WEIGHT * np.sin(0.2), 0.0, WEIGHT * np.cos(0.2)), rel=1e-6, abs=1e-6
    )
