"""The knee of the studies before it moves: equilibrium of stretched ligaments on two condyles."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

import condyle as cd
from condyle.studies import knee_contact


def knee(kind, elements):
    p = SimpleNamespace(**{name: parameter.default for name, parameter in knee_contact.PARAMETERS.items()})
    p.elements = elements
    return knee_contact.model(p, "hard", kind)


@pytest.mark.parametrize("kind", ["full", "tangent"])
def test_ligaments_that_start_stretched_settle_where_newtons_method_alone_folds_them(kind):
    """Load increments from the drawing fail for both: the stretch is there before the first one."""
    result = cd.solve_static(knee(kind, 4 if kind == "full" else 8))
    forces = [result.contact(name).normal_force[-1, 0] for name in ("medial", "lateral")]
    assert result.status == "completed"
    assert sum(forces) == pytest.approx(787, rel=0.01)  # cruciates, collaterals and weight press
    assert min(forces) > 200
