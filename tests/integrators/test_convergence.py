"""The rule of Newton's method: what an iterate is followed by."""

import numpy as np
import pytest

import condyle as cd
from condyle.integrators import convergence as rule
from condyle.system.compile import running


def control(*, foreseeing, usual=1.0):
    made = np.zeros(rule.CONTROL)
    rule.begin(made, 0.0, 20.0, True, True, usual)
    made[rule.FORESEEING] = float(foreseeing)
    return made


def follow(made, values):
    """What is done after each of these residuals, in tolerances."""
    actions = []
    for value in values:
        action = rule.decide(made, value)
        if action == rule.EVALUATE:
            actions.append(action)
            action = rule.next_correction(made)
        actions.append(action)
        if action < rule.EVALUATE:
            break
        rule.go_on(made, 1.0)
    return actions


def test_a_correction_that_is_foreseen_to_end_a_step_is_the_last_and_counts():
    """1e7 → 30 tolerances: factors at hand leave 1e-4 of them, and nothing has to be evaluated after that."""
    made = control(foreseeing=True)
    assert follow(made, [1e7, 30.0]) == [rule.FACTORISE, rule.CORRECT]
    assert made[rule.LAST] == 1.0 and made[rule.COUNT] == 2.0 and made[rule.MADE] == 1.0
    made = control(foreseeing=False)
    assert follow(made, [1e7, 30.0, 1e-2])[:2] == [rule.FACTORISE, rule.CORRECT]
    assert made[rule.COUNT] == 2.0  # then polished


def test_slow_convergence_is_never_foreseen():
    made = control(foreseeing=True)
    follow(made, [1e7, 1e5, 1e3, 10.0])
    assert made[rule.LAST] == 0.0


def test_a_step_that_one_matrix_would_have_done_for_does_not_ask_the_next_for_two():
    made = control(foreseeing=True, usual=2.0)
    assert follow(made, [1e7, 30.0]) == [rule.FACTORISE, rule.FACTORISE]  # the tangent had been evaluated
    assert made[rule.MADE] == 1.0


@pytest.mark.parametrize("damping", [0.0, 1e-3])
def test_energy_is_kept_to_round_off_where_the_last_iterate_is_not_evaluated(damping):
    """A cable that falls: two iterations a step, and an account of energy that is closed to round-off."""
    m = cd.Model("cable", dimension=2, gravity=(0.0, -9.81))
    section = cd.RoundSection(0.01, cd.StVenantKirchhoff(2e8, density=1000.0))
    cable = m.add(cd.Cable("c", [(0.0, 0.0), (2.0, 0.0)], 32, section, strain="engineering", damping=damping))
    m.add(cd.Pin("pin", m.ground, cable.point("start"), at=(0.0, 0.0)))
    result = cd.simulate(running(m), end=0.05, dt=1e-3, integrator=cd.EnergyMomentum())
    assert result.iterations[10:].mean() == 2.0
    missing = result.energy["total"] - result.energy["total"][0] - result.energy["work"]
    assert np.abs(missing).max() < 2e-12 * result.energy["kinetic"].max() + 1e-12
