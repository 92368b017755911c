"""The parameters of Millard's curves of muscle and tendon."""

from __future__ import annotations

from condyle.errors import InputError
from condyle.model.part import Part
from condyle.model.quantities import declared, quantity

__all__ = ["MillardShape"]


@declared(frozen=True)
class MillardShape(Part):
    """How the curves of a `Muscle` with curves='millard' run (Millard et al. 2013).

    Lengths are over the optimal one, forces over F0, slopes and stiffnesses are of these. Curviness is 0 for nearly straight
    lines and 1 for nearly sharp corners.

    active_shortest, active_longest: lengths between which fibres have active force; active_turn: where the steep rise ends;
    active_slope: of the shallow rise after it. passive_slack: strain up to which there is no passive force; low_stiffness and
    passive_stiffness: of the passive curve at low force and at F0 (2/(passive_strain − passive_slack) if None).
    tendon_stiffness: at F0 (1.375/tendon_strain if None); tendon_toe: force above which the tendon is straight. fast_slope,
    near_fast_slope, rest_slope, near_stretch_slope, stretch_slope: of the curve over speed at and near the largest speed of
    shortening, at rest, near and at the largest speed of lengthening. The strains at F0 and the greatest force while fibres
    lengthen are those of the muscle.
    """

    active_shortest: float = quantity(default=0.4441, above=0.0)
    active_turn: float = quantity(default=0.73, above=0.0, below=0.95)
    active_longest: float = quantity(default=1.8123, above=1.1)
    active_slope: float = quantity(default=0.8616, above=0.0)
    passive_slack: float = quantity(default=0.0)
    low_stiffness: float = quantity(default=0.2, above=0.0)
    passive_stiffness: float | None = quantity(default=None, above=0.0)
    passive_bend: float = quantity(default=0.75, at_least=0.0, at_most=1.0)
    tendon_stiffness: float | None = quantity(default=None, above=0.0)
    tendon_toe: float = quantity(default=2.0 / 3.0, above=0.0, below=1.0)
    tendon_bend: float = quantity(default=0.5, at_least=0.0, at_most=1.0)
    fast_slope: float = quantity(default=0.0, at_least=0.0)
    near_fast_slope: float = quantity(default=0.25, above=0.0)
    rest_slope: float = quantity(default=5.0, above=1.0)
    stretch_slope: float = quantity(default=0.0, at_least=0.0)
    near_stretch_slope: float = quantity(default=0.15, above=0.0)
    shortening_bend: float = quantity(default=0.6, at_least=0.0, at_most=1.0)
    stretching_bend: float = quantity(default=0.9, at_least=0.0, at_most=1.0)

    def parameters(
        self, passive_strain: float, tendon_strain: float, eccentric_force: float, label: str
    ) -> dict[str, float]:
        """Those of the law by their names, for a muscle with these strains at F0; each corner must bend one way."""
        stretch = passive_strain - self.passive_slack
        passive = 2.0 / stretch if self.passive_stiffness is None and stretch > 0.0 else self.passive_stiffness
        tendon = 1.375 / tendon_strain if self.tendon_stiffness is None else self.tendon_stiffness
        wrong = ""
        if not self.active_shortest < self.active_turn or self.active_slope * (0.95 - self.active_turn) >= 1.0:
            wrong = (
                "active_shortest must be below active_turn, and active_slope not so large that the force there is none"
            )
        elif stretch <= 0.0:
            wrong = f"passive_slack {self.passive_slack:g} must be below passive_strain {passive_strain:g}"
        elif passive is None or not self.low_stiffness < 1.0 / stretch < passive:
            wrong = f"the mean stiffness {1.0 / stretch:g} must lie between low_stiffness and passive_stiffness"
        elif not tendon * tendon_strain > 1.0:
            wrong = f"tendon_stiffness must be above 1/tendon_strain = {1.0 / tendon_strain:g}"
        elif not self.fast_slope < self.near_fast_slope < 1.0 < self.rest_slope:
            wrong = "fast_slope, near_fast_slope, 1 and rest_slope must grow in this order"
        elif not self.stretch_slope < self.near_stretch_slope < eccentric_force - 1.0:
            wrong = "stretch_slope, near_stretch_slope and eccentric_force − 1 must grow in this order"
        if wrong or passive is None:
            raise InputError(f"{label}: MillardShape: {wrong}")
        given = {name: getattr(self, name) for name in self.__dataclass_fields__}
        return given | {"passive_stiffness": passive, "tendon_stiffness": tendon}
