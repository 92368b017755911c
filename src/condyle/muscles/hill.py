"""Hill-type muscles."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.errors import InputError
from condyle.joints.coordinate import Term
from condyle.laws.codes import MUSCLE
from condyle.model.functions import as_function
from condyle.model.part import Part, number, one_of
from condyle.muscles.path import as_path, check_path, path_terms

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder


@dataclass
class Muscle(Part):
    """A Hill-type muscle along a path, with the curves of De Groote et al. (2016).

    max_force F0: isometric, at full activation [N]; fibre_length: optimal one [m]; tendon_length: slack length [m];
    pennation: angle of the fibres at their optimal length [rad], the width of the muscle being constant.

    excitation: a function of time between 0 and 1, or an input of a `Simulation`. Activation follows it with the time
    constants activation_time and deactivation_time [s]; with activation_time=None it is the excitation itself.
    activation: its value at the start, by default the excitation then.

    tendon: 'elastic' (strain tendon_strain at F0) or 'rigid'. max_speed: of shortening [optimal lengths per second]; damping:
    of the fibres, relative to F0 at the largest speed; passive_strain: of the fibres where their passive force is F0.
    steepness: of the change between the two time constants, 0.1 in the source, which is hardly one.
    """

    name: str
    path: Any
    max_force: float
    fibre_length: float
    tendon_length: float
    excitation: Any = 0.0
    pennation: float = 0.0
    tendon: str = "elastic"
    activation_time: float | None = 0.015
    deactivation_time: float = 0.06
    activation: float | None = None
    max_speed: float = 10.0
    damping: float = 0.1
    tendon_strain: float = 0.049
    passive_strain: float = 0.6
    passive_shape: float = 4.0
    steepness: float = 10.0

    def __post_init__(self) -> None:
        self.path = as_path(self.path, self.label)
        self.excitation = as_function(self.excitation)
        one_of(self, "tendon", ("elastic", "rigid"))
        for field in ("max_force", "fibre_length", "deactivation_time", "max_speed", "passive_strain", "passive_shape",
                      "tendon_strain", "steepness"):  # fmt: skip
            number(self, field, low=0.0, strict=True)
        number(self, "tendon_length", low=0.0, strict=self.tendon == "elastic")
        number(self, "activation_time", low=0.0, strict=True, none_ok=True)
        number(self, "damping", low=0.0)
        number(self, "pennation", low=0.0)
        if self.pennation >= 0.5 * math.pi:
            raise InputError(f"{self.label}: pennation is {self.pennation:g} rad; it must be below π/2 (give radians)")
        number(self, "activation", low=0.0, none_ok=True)
        if self.activation is not None and self.activation > 1.0:
            raise InputError(f"{self.label}: activation must be between 0 and 1, not {self.activation:g}")
        if self.tendon == "elastic" and self.damping == 0.0:
            raise InputError(
                f"{self.label}: fibres without damping cannot be balanced with an elastic tendon at no activation; give "
                "damping (0.1), or tendon='rigid'"
            )

    def validate(self, model: Model) -> None:
        check_path(self.path, model, self)

    def terms(self, builder: Builder) -> list[Term]:
        """Its length as a sum."""
        return path_terms(self.path, builder, self)

    def compile(self, builder: Builder) -> None:
        from condyle.laws.muscles import ACTIVATION, ACTIVATION_RATE, FIBRE, FIBRE_RATE
        from condyle.muscles.reading import length_at_start

        terms = self.terms(builder)
        length = length_at_start(terms, builder, self)
        if length <= self.tendon_length:
            raise InputError(
                f"{self.label}: its path is {length:.4g} m long at the start, not longer than its tendon "
                f"({self.tendon_length:.4g} m): nothing is left for the fibres"
            )
        elastic, dynamic = self.tendon == "elastic", self.activation_time is not None
        states = ((ACTIVATION, ACTIVATION_RATE) if dynamic else ()) + ((FIBRE, FIBRE_RATE) if elastic else ())
        builder.add_path_force(
            self.name, MUSCLE, terms, self.parameters(), self.excitation, states, self.activation if states else None
        )

    def parameters(self) -> tuple[float, ...]:
        """Those of the law before its path (laws/muscles.py)."""
        tendon = math.log((1.0 + 0.2) / 0.2) / self.tendon_strain  # force F0 at this strain
        return (
            -1.0, 0.0, 0.0, 0.0, 1.0, 0.0, float(self.tendon == "rigid"), self.max_force, self.fibre_length,
            self.tendon_length, self.max_speed, float(np.sin(self.pennation)), self.damping, tendon,
            self.activation_time or 0.0, self.deactivation_time, self.steepness, self.passive_strain, self.passive_shape,
        )  # fmt: skip
