"""Hill-type muscles."""

from __future__ import annotations

import math
from copy import copy
from functools import partial
from typing import TYPE_CHECKING

from condyle.errors import InputError
from condyle.laws.codes import MUSCLE
from condyle.laws.muscle_places import ACTIVATION, ACTIVATION_RATE, FIBRE, FIBRE_RATE, PACE, PATH, packed
from condyle.model.functions import Ramp, Spline, Table, TimeFunction, as_function
from condyle.model.given import OverTime
from condyle.model.part import number
from condyle.model.quantities import choice, declared, given, quantity
from condyle.muscles.millard import MillardShape
from condyle.muscles.path import AlongPath, OnPath

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.muscles.reading import PathReader
    from condyle.system.builder import Builder
    from condyle.system.running import RunningSystem
    from condyle.system.state import State


CURVES = ("de-groote", "thelen", "millard")  # in the order of their numbers in the law
SHORTEST, LONGEST = 0.4, 1.8  # fibre lengths over the optimal one that a muscle may start with unquestioned
STRONGEST = 1e6  # tension over F0 at the start beyond which nothing can be computed


@declared
class Muscle(AlongPath):
    """A Hill-type muscle along a path, with the curves of De Groote et al. (2016).

    max_force F0: isometric, at full activation [N]; fibre_length: optimal one [m]; tendon_length: slack length [m];
    pennation: angle of the fibres at their optimal length [rad], the width of the muscle being constant.

    excitation: a function of time between 0 and 1, or an input of a `Simulation`. Activation follows it with the time
    constants activation_time and deactivation_time [s]; with activation_time=None it is the excitation itself.
    activation: its value at the start, by default the excitation then.

    tendon: 'elastic' (strain tendon_strain at F0) or 'rigid'. max_speed: of shortening [optimal lengths per second]; damping:
    of the fibres, relative to F0 at the largest speed; passive_strain: of the fibres where their passive force is F0.
    steepness: of the change between the two time constants, 0.1 in the source, which is hardly one.

    curves: 'de-groote', or 'thelen', those of Thelen (2003): active_width of a bell curve, concentric_shape of the curve over
    speed while fibres shorten, eccentric_force while they lengthen, over F0; tendon_strain and passive_strain as above. Or
    'millard', those of Millard et al. (2013): eccentric_force, tendon_strain and passive_strain (0.7 in the source) as above,
    and shape, a `MillardShape`. least_activation: below it activation does not fall; with one, fibres need no damping.

    tension_only: it pulls and does not push. A tendon shorter than its slack length has no force, nor have fibres that shorten
    faster than they can under load. Without it the source's curves hold everywhere: a slack tendon pushes with up to 0.2 F0.
    """

    name: str
    path: OnPath
    max_force: float = quantity("N", above=0.0)
    fibre_length: float = quantity("m", above=0.0)
    tendon_length: float = quantity("m")
    excitation: OverTime = given(default=0.0)
    pennation: float = quantity(
        "rad", default=0.0, at_least=0.0, below=0.5 * math.pi, hint="π/2 is across; give radians"
    )
    tendon: str = choice("elastic", "rigid", default="elastic")
    activation_time: float | None = quantity("s", default=0.015, above=0.0)
    deactivation_time: float = quantity("s", default=0.06, above=0.0)
    activation: float | None = quantity(default=None, at_least=0.0, at_most=1.0)
    max_speed: float = quantity("1/s", default=10.0, above=0.0)
    damping: float = quantity(default=0.1, at_least=0.0)
    tendon_strain: float = quantity(default=0.049, above=0.0)
    passive_strain: float = quantity(default=0.6, above=0.0)
    passive_shape: float = quantity(default=4.0, above=0.0)
    steepness: float = quantity(default=10.0, above=0.0)
    tension_only: bool = True
    curves: str = choice(*CURVES, default="de-groote")
    active_width: float = quantity(default=0.45, above=0.0)
    concentric_shape: float = quantity(default=0.25, above=0.0)
    eccentric_force: float = quantity(default=1.4, above=1.0)
    shape: MillardShape | None = None
    least_activation: float = quantity(default=0.0, at_least=0.0, below=1.0)

    def __post_init__(self) -> None:
        super().__post_init__()
        self.excitation = as_function(self.excitation, self.label)
        number(self, "tendon_length", low=0.0, strict=self.tendon == "elastic")
        if self.shape is not None and self.curves != "millard":
            raise InputError(f"{self.label}: shape is for curves='millard'; its curves are '{self.curves}'")
        self.parameters()  # do they make curves?
        if self.tendon == "elastic" and self.damping == 0.0 and self.least_activation == 0.0:
            raise InputError(
                f"{self.label}: fibres without damping cannot be balanced with an elastic tendon at no activation; give "
                "damping (0.1), a least_activation (0.01), or tendon='rigid'"
            )

    def validate(self, model: Model) -> None:
        super().validate(model)
        for t, value in _known_values(self.excitation):
            if not -1e-9 <= value <= 1.0 + 1e-9:
                hint = " (percent?)" if 1.0 < value <= 100.0 else ""
                raise InputError(
                    f"{self.label}: excitation is {value:g} at t = {t:g}; it must be between 0 and 1{hint}"
                )

    def compile(self, builder: Builder) -> None:
        from condyle.muscles.reading import PathReader, declared_length

        terms = self.terms(builder)
        reader = PathReader(terms)
        declared_length(reader, builder, self)
        elastic, dynamic = self.tendon == "elastic", self.activation_time is not None
        states = ((ACTIVATION, ACTIVATION_RATE) if dynamic else ()) + ((FIBRE, FIBRE_RATE) if elastic else ())
        builder.add_path_force(
            self.name, MUSCLE, terms, self.parameters(), self.excitation, states, self.activation if states else None
        )
        builder.start_checks.append(partial(self.check_start, reader))

    def check_start(self, reader: PathReader, system: RunningSystem, state: State) -> str:
        """A doubt about its lengths at the start, if there is one; an error where they make no sense."""
        from condyle.laws.muscles import muscle_tension

        index = next(k for k, force in enumerate(system.instances[1]) if force.part == self.name)
        table = system.forces
        p = table.params[table.param_start[index] : table.param_start[index + 1]].copy()
        own = copy(reader)  # another run may ask at the same time
        own.params = p[PATH:]  # with angles on the turn of the state
        path = own.at(state.x)[0]
        if path <= self.tendon_length:
            raise InputError(
                f"{self.label}: its path is {path:.4g} m long at the start, not longer than its tendon "
                f"({self.tendon_length:.4g} m): nothing is left for the fibres"
            )
        p[PACE] = 0.0  # fibres and tendon in balance
        activation = self.activation if self.activation is not None else self.excitation(state.t)
        tension, _, _, _, fibres = muscle_tension(path, 0.0, activation, p)
        pull = tension / self.max_force
        if SHORTEST <= fibres <= LONGEST and pull < STRONGEST:
            return ""
        excess = path - self.tendon_length - self.fibre_length * math.cos(self.pennation)
        what = (
            f"{self.label}: its path is {path:.4g} m long at the start, its fibres are at {fibres:.3g} of their optimal "
            f"length and pull with {pull:.4g} max_force; its tendon is too {'short' if excess > 0.0 else 'long'} by about "
            f"{abs(excess):.2g} m"
        )
        if not pull < STRONGEST:
            raise InputError(what)
        return what

    def parameters(self) -> tuple[float, ...]:
        """Those of the law before its path (laws/muscles.py)."""
        tendon = math.log((1.0 + 0.2) / 0.2) / self.tendon_strain  # force F0 at this strain
        shape = self.shape or MillardShape()
        strains = (self.passive_strain, self.tendon_strain, self.eccentric_force)
        millard = shape.parameters(*strains, self.label) if self.curves == "millard" else {}
        return packed(
            rigid=self.tendon == "rigid", force=self.max_force, optimal=self.fibre_length, slack=self.tendon_length,
            speed=self.max_speed, width=math.sin(self.pennation), damping=self.damping, tendon=tendon,
            rise=self.activation_time or 0.0, fall=self.deactivation_time, steepness=self.steepness,
            passive_strain=self.passive_strain, passive_shape=self.passive_shape, tension_only=self.tension_only,
            curves=CURVES.index(self.curves), active_width=self.active_width, shortening=self.concentric_shape,
            stretched=self.eccentric_force, least=self.least_activation, **millard,
        )  # fmt: skip


def _known_values(function: TimeFunction) -> list[tuple[float, float]]:
    """Times [s] and values of a function that are known beforehand: those it is made of, or that at t = 0."""
    if isinstance(function, Table | Spline):
        return list(zip(function.times, function.values, strict=True))
    if isinstance(function, Ramp):
        return [(function.start, function.first), (function.end, function.last)]
    return [(0.0, function(0.0))]
