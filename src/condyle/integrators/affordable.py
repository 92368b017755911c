"""Explicit methods must resolve the fastest oscillation of a model: an error before the run if that takes too many steps."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from condyle.errors import InputError
from condyle.integrators.compliant import stiffest

if TYPE_CHECKING:
    from condyle.integrators.simulation import Simulation

MOST_STEPS = 1e6  # steps of an explicit method in one run, which take hours


def check_affordable(sim: Simulation, end: float) -> None:
    """InputError if an explicit method would need too many steps to come to `end` [s].

    None of them is stable with steps much above 2/ω, ω the highest frequency of the model, whatever the step of the run:
    there it fails and is cut, or takes steps of its own. Constraints only lower ω, so this is an estimate from above.
    """
    if not getattr(sim.method, "explicit", False):
        return
    try:
        step, part = stiffest(sim.system, sim.state)
    except (np.linalg.LinAlgError, ArithmeticError, RuntimeError):
        return  # something has no mass of its own, so that joints determine the frequency and there is no estimate
    count = (end - sim.time) / step
    if count > MOST_STEPS:
        name = getattr(sim.method, "method", type(sim.method).__name__)
        raise InputError(
            f"{name} is explicit and would need about {count:.2g} steps to t = {end:g}: with '{part}' the model is stable for "
            f"steps of {step:.2g} s only; take an implicit method (EnergyMomentum, GeneralizedAlpha, Radau), or a softer part"
        )
