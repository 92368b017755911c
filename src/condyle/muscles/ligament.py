"""Ligaments: elastic, with a toe region, slack when short."""

from __future__ import annotations

from typing import TYPE_CHECKING

from condyle.errors import InputError
from condyle.laws.codes import COORDINATE_DAMPER, LIGAMENT, LIGAMENT_DAMPER
from condyle.model.quantities import declared, quantity
from condyle.muscles.path import AlongPath, OnPath

if TYPE_CHECKING:
    from condyle.system.builder import Builder


@declared
class Ligament(AlongPath):
    """A ligament along a path (Blankevoort et al. 1991): tension by the strain ε = ℓ/slack_length − 1.

    stiffness k [N per unit strain]: the tension is k ε²/(4 ε_l) up to ε = 2 ε_l, then k (ε − ε_l); none when ε < 0. toe: ε_l,
    usually 0.03. slack_length L [m]; or reference_strain: the strain in the declared pose, before `Initial` moves bodies, from
    which L follows.

    damping c [N s/m] acts on the rate of the length while it is taut. tension_only: it comes in with the stiffness, through the
    toe region, and while the ligament shortens it takes no more than the elastic tension, so that the ligament pulls and does
    not push (`laws/coordinates.py:held_back`). Without it, c ℓ̇ as in a spring with a dashpot beside it, of either sign.
    """

    name: str
    path: OnPath
    stiffness: float = quantity("N", at_least=0.0)
    slack_length: float | None = quantity("m", default=None, above=0.0)
    toe: float = quantity(default=0.03, above=0.0)
    reference_strain: float = quantity(default=0.0, above=-1.0)
    damping: float = quantity("N s/m", default=0.0, at_least=0.0)
    tension_only: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.slack_length is not None and self.reference_strain != 0.0:
            raise InputError(
                f"{self.label}: slack_length and reference_strain both say how long it is when slack; give one of them"
            )

    def compile(self, builder: Builder) -> None:
        from condyle.muscles.reading import PathReader, declared_length

        terms = self.terms(builder)
        slack = self.slack_length
        if slack is None:
            slack = declared_length(PathReader(terms), builder, self) / (1.0 + self.reference_strain)
        builder.add_path_energy(self.name, LIGAMENT, terms, (self.stiffness, slack, self.toe))
        if self.damping > 0.0 and self.tension_only:
            builder.add_path_force(self.name, LIGAMENT_DAMPER, terms, (self.damping, self.stiffness, slack, self.toe))
        elif self.damping > 0.0:
            builder.add_path_force(self.name, COORDINATE_DAMPER, terms, (self.damping, 0.0, slack, 0.0))
