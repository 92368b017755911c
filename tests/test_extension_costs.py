"""What it costs to add something from outside the package: counted on examples that are added here, and said in the docs."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest

import condyle as cd
from condyle.analysis.check import check_loaded
from condyle.analysis.loading import load_parts
from condyle.laws import user

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "examples" / "extensions"
COSTS = {"law": "gent.py"}  # row of the table in docs/architecture.md -> its file


@pytest.fixture
def loaded():
    before = dict(user._LAWS)
    yield load_parts(FOLDER / "gent.py")
    user._LAWS.clear()
    user._LAWS.update(before)


def lines_of_code(path):
    """Lines with code: without comments, docstrings, empty lines and imports."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    lines = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and not isinstance(node, ast.Import | ast.ImportFrom):
            if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
                continue
            whole = isinstance(node, ast.FunctionDef | ast.ClassDef)
            starts = [d.lineno for d in node.decorator_list] if whole else [node.lineno]
            lines |= set(range(min([node.lineno, *starts]), (node.lineno if whole else node.end_lineno) + 1))
    return len(lines)


def test_the_table_of_costs_is_counted():
    page = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    for row, file in COSTS.items():
        files, lines = map(int, re.search(rf"^\| {row} \(.*\) \| (\d+) \| (\d+) \|$", page, re.M).groups())
        assert (files, lines) == (1, lines_of_code(FOLDER / file))


def test_a_law_from_outside_passes_all_checks(loaded):
    assert loaded.laws == ["Gent"]
    report = check_loaded(loaded)
    assert report.ok, str(report)
    assert [check.test for check in report.checks] == ["derivatives", "conservation", "round trip"]


@pytest.mark.parametrize("options", [
    dict(dimension=3), dict(dimension=3, dilatation="mean"), dict(dimension=2, plane="stress"),
    dict(dimension=2, plane="axisymmetric"),
], ids=str)  # fmt: skip
def test_a_law_from_outside_pulls_like_its_closed_form_wherever_it_acts(loaded, options):
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


def test_a_parameter_of_a_law_from_outside_is_named_with_law_bound_and_unit(loaded):
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
