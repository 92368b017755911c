"""A law that a user adds in one file (extensions/gent.py) takes part in all that the built-in ones do."""

from pathlib import Path

import numpy as np
import pytest

import condyle as cd
from condyle.analysis.check import check_loaded
from condyle.analysis.loading import load_parts
from condyle.laws import user

FILE = Path(__file__).parents[2] / "examples" / "extensions" / "gent.py"


@pytest.fixture
def loaded():
    before = dict(user._LAWS)
    yield load_parts(FILE)
    user._LAWS.clear()
    user._LAWS.update(before)


def test_it_passes_the_checks_of_all_laws(loaded):
    assert loaded.laws == ["Gent"]
    report = check_loaded(loaded)
    assert report.ok, str(report)
    assert [check.test for check in report.checks] == ["derivatives", "conservation", "round trip"]


@pytest.mark.parametrize("options", [
    dict(dimension=3), dict(dimension=3, dilatation="mean"), dict(dimension=2, plane="stress"),
    dict(dimension=2, plane="axisymmetric"),
], ids=str)  # fmt: skip
def test_it_pulls_like_its_closed_form_wherever_it_acts(loaded, options):
    """Uniaxial tension: P = 2 W′ (λ − λ⁻²), W′ = ½ μ/(1 − (Ī₁ − 3)/J_m)."""
    rubber = cd.LawMaterial("Gent", {"mu": 2.0, "limit": 20.0, "bulk": 2e4})
    assert rubber.lame()[1] == pytest.approx(2.0) and rubber.splits
    d, stretch = options.pop("dimension"), 1.4
    m = cd.Model("bar", dimension=d)
    bar = m.add(cd.Solid.block("bar", (1,) * d, (1,) * d, rubber, **options))
    axis = 1 if options.get("plane") == "axisymmetric" else 0
    sides = (("left", 0), ("bottom", 1), ("back", 2))[:d]
    for side, k in sides:
        if not (axis == 1 and k == 0):  # about an axis the radius is free
            m.add(cd.Hold(side, bar, side, np.eye(d)[k]))
    m.add(cd.Hold("pull", bar, "top" if axis else "right", np.eye(d)[axis], displacement=stretch - 1))
    force = cd.solve_static(m, steps=4).reaction("pull")[-1, axis]
    area = np.pi if axis else 1.0  # of a cylinder of radius 1
    first = stretch**2 + 2 / stretch
    wanted = 2.0 / (1 - (first - 3) / 20.0) * (stretch - stretch**-2)
    assert force / area == pytest.approx(wanted, rel=2e-4)


def test_a_parameter_out_of_bounds_is_named_with_its_law_bound_and_unit(loaded):
    good = {"mu": 2.0, "limit": 20.0, "bulk": 10.0}
    for wrong, message in (
        ({"mu": -1.0}, r"LawMaterial: mu \[Pa\] of the law 'Gent' must be above 0, not -1"),
        ({"limit": 0.0}, r"LawMaterial: limit of the law 'Gent' must be above 0, not 0"),
        ({"bulk": 0.0}, r"LawMaterial: bulk \[Pa\] of the law 'Gent' must be above 0, not 0"),
    ):
        with pytest.raises(cd.InputError, match=message):
            cd.LawMaterial("Gent", good | wrong)
    with pytest.raises(cd.InputError, match=r"is one of the shape alone; give bulk \[Pa\] in params too"):
        cd.LawMaterial("Gent", {"mu": 2.0, "limit": 20.0})
