"""No penetration at all: multipliers hold the gap. What an impact leaves is a coefficient of restitution and its rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from condyle.contact.laws.law import ContactLaw
from condyle.errors import InputError
from condyle.model.quantities import choice, declared, quantity

RULES = ("newton", "poisson", "stronge")


@dataclass(frozen=True, kw_only=True)
class Hard(ContactLaw):
    """gap ≥ 0, pressing force ≥ 0, one of them 0; heavy bodies that meet stay together (restitution 0).

    regularisation [N/m] per point: of the augmented Lagrangian; it changes the way to the solution and not the solution.
    """

    by_multipliers: ClassVar[bool] = True
    regularisation: float | None = quantity("N/m", default=None, above=0.0)

    @property
    def own_stiffness(self) -> float | None:
        return self.regularisation


@declared(frozen=True)
class Impact(Hard):
    """No penetration, and impacts with a coefficient of restitution e, 0 (bodies stay together) to 1.

    rule: what e compares. 'newton': the speed at which points part with that at which they met. 'poisson': the normal impulse
    of the expansion with that of the compression. 'stronge': e² is the work that the normal impulse gives back in the expansion
    over what it took in the compression. Without friction all three are the same. Friction follows Coulomb's law with the
    impulse.
    """

    restitution: float = quantity(default=0.0)
    rule: str = choice(*RULES, default="newton")

    def __post_init__(self) -> None:
        if not 0.0 <= self.restitution <= 1.0:
            raise InputError(
                f"Impact: restitution must be between 0 (bodies stay together) and 1 (nothing lost), not {self.restitution:g}"
            )
