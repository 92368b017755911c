"""The claims of studies can fail: a wrong model, or the other reading of a source, breaks the claim that names it."""

from __future__ import annotations

import pytest

from condyle import studies

# study, what is changed on top of its quick form, the claim that has to fail
WRONG = [
    ("taylor-block", {"triangle": "equilateral"}, "(b) time when the kinetic energy is 10 % too large"),
    ("taylor-block", {"dt": 0.25}, "(b) time when the kinetic energy is 10 % too large"),
    ("taylor-disk-beam", {"young": 50_000.0, "end": 20.0}, "first angular frequency of the clamped beam"),
    ("taylor-disk-beam", {"depth": 0.12, "end": 20.0}, "bending stiffness from a tip load"),
    ("taylor-hinged-blocks", {"arrangement": "diagonal", "order_end": 4.0}, "node 2 against −3 sin θ (1, 1)"),
    ("torque-free-body", {"inertia": (1.0, 2.0, 2.4), "order_end": 0.5}, "period of the turning over"),
    ("revolute-pair", {"stiffness": 1e4, "end": 0.4, "order_end": 0.08}, "penalty 10⁵: gap of the joint"),
    ("gait-foot", {"rough": 0.3}, "stance leg, standing against pinned"),
    ("gait-legs", {"forward": -0.05}, "ankle moment, misfit"),
    ("pseudo-rigid-bar", {"poisson": 0.0, "tumble_steps": 5}, "neo-Hookean: frequency 1 of small stretches"),
]


@pytest.mark.parametrize(("name", "change", "quantity"), WRONG, ids=lambda value: str(value)[:40])
def test_a_wrong_model_breaks_the_claim_about_it(name, change, quantity):
    study = studies.get(name)
    outcome = study.execute(change, quick=True)
    broken = {verdict.quantity for verdict in study.judge(outcome, quick=True) if not verdict.ok}
    assert quantity in broken
