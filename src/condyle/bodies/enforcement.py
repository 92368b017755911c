"""How a constraint is held: by a multiplier, an augmented Lagrangian, or a penalty."""

from __future__ import annotations

from typing import TypeAlias

from condyle.errors import InputError
from condyle.model.given import means
from condyle.model.part import Part
from condyle.model.quantities import choice, declared, quantity
from condyle.system.tables import AUGMENTED, MULTIPLIER, PENALTY, UZAWA


@declared(frozen=True)
class Penalty(Part):
    """A stiff spring ½ k c² instead of an exact constraint. k: [N/m] for points, [N m] for directions.

    Without a stiffness, one is chosen from the effective mass and the step: 1000 m / h².
    """

    stiffness: float | None = quantity("(N/m, or N m/rad)", default=None, above=0.0)


@declared(frozen=True)
class Augmented(Part):
    """Augmented Lagrangian (λ + ½ k c) c: exact as a multiplier, better conditioned where constraints are redundant.

    solve: 'newton' iterates λ together with the motion; 'uzawa' (Taylor 2000, eqs 63–65) keeps λ out of the equations and
    updates it in an outer loop. Without a stiffness, one is chosen from the effective mass and the step: 10 m / h² for
    'newton', 100 m / h² for 'uzawa'.
    """

    stiffness: float | None = quantity("(N/m, or N m/rad)", default=None, above=0.0)
    solve: str = choice("newton", "uzawa", default="newton")


# 'multiplier', 'augmented', 'uzawa', 'penalty', or one with a stiffness.
Enforcement: TypeAlias = str | Augmented | Penalty
means(
    "Enforcement",
    "multiplier, augmented, uzawa, penalty, or one of the last three with a stiffness",
    "string",
    "object",
)


def held(enforcement: Enforcement, part: Part) -> tuple[int, float | None]:
    """Code and stiffness of an enforcement given by the user."""
    if enforcement == "multiplier":
        return MULTIPLIER, None
    if enforcement == "penalty":
        return PENALTY, None
    if enforcement in ("augmented", "uzawa"):
        return (AUGMENTED if enforcement == "augmented" else UZAWA), None
    if isinstance(enforcement, Penalty):
        return PENALTY, enforcement.stiffness
    if isinstance(enforcement, Augmented):
        return (AUGMENTED if enforcement.solve == "newton" else UZAWA), enforcement.stiffness
    raise InputError(
        f"{part.label}: enforcement is {enforcement!r}; choose 'multiplier', 'augmented', 'uzawa', 'penalty', "
        "Augmented(stiffness=…) or Penalty(stiffness=…)"
    )
