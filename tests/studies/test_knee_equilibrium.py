"""The knee of the studies before it moves: equilibrium of stretched ligaments on two condyles."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
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


def test_a_flexed_knee_is_reached_by_turning_its_drive_with_the_load_factor():
    result = cd.solve_static(knee("tangent", 8), at=0.5)
    motion = cd.clinical_motion(result, "knee")
    np.testing.assert_allclose(motion["flexion"], result.times * np.radians(45.0), atol=1e-9)
    assert result.constraint_error.max() < 1e-10
    assert 90 < result.contact("medial").normal_force[-1, 0] < 115
