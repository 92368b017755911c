"""Constraints of velocities where there are none: analyses of places alone refuse them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condyle.errors import InputError

if TYPE_CHECKING:
    from condyle.system.system import System


def refuse_rates(system: System, who: str) -> None:
    """InputError if the model holds velocities, which `who` does not know."""
    if system.rates.law.size:
        part = system.model[system.instances[4][0].part]
        raise InputError(
            f"{who} knows places and no velocities, which {part.label} holds; take simulate with EnergyMomentum, "
            "GeneralizedAlpha, Newmark, HHT or BDF, or remove it"
        )
