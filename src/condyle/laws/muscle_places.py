"""The parameters of a muscle and where they stand in its law: each is declared here, once, and known by its name elsewhere."""

from __future__ import annotations

from condyle.laws.record import LawParameter

_declared: list[LawParameter] = []


def _place(name: str, unit: str = "", meaning: str = "", **bounds: float) -> int:
    _declared.append(LawParameter(name, unit, meaning, **bounds))
    return len(_declared) - 1


# What a step of time fixes, and the states with their rates.
PACE = _place("pace", "1/s", "κ of κ (z − z_b) = ż(z); 0: equilibrium, < 0: states as they are")
LEAD = _place("lead", "s", "z_b = z_0 + lead ż_0")
ACTIVATION = _place("activation")
ACTIVATION_RATE = _place("activation_rate", "1/s")
FIBRE = _place("fibre", "", "length of the fibres over the optimal one")
FIBRE_RATE = _place("fibre_rate", "1/s")

# The muscle itself.
RIGID = _place("rigid", "", "1: the tendon does not stretch")
FORCE = _place("force", "N", "isometric, at full activation", above=0.0)
OPTIMAL = _place("optimal", "m", "length of the fibres at that force", above=0.0)
SLACK = _place("slack", "m", "length of the tendon", at_least=0.0)
SPEED = _place("speed", "1/s", "of shortening, in optimal lengths", above=0.0)
WIDTH = _place("width", "", "sine of the pennation at the optimal length", at_least=0.0, below=1.0)
DAMPING = _place("damping", "", "of the fibres, over the force at the largest speed", at_least=0.0)
TENDON = _place("tendon", "", "rate of the tendon's exponential", above=0.0)
RISE = _place("rise", "s", "time constant of activation; 0: none", at_least=0.0)
FALL = _place("fall", "s", "time constant of deactivation", above=0.0)
STEEPNESS = _place("steepness", "", "of the change between the two", above=0.0)
PASSIVE_STRAIN = _place(
    "passive_strain", "", "of the fibres where their passive force is that of the muscle", above=0.0
)
PASSIVE_SHAPE = _place("passive_shape", "", "of the passive exponential", above=0.0)
TENSION_ONLY = _place("tension_only", "", "1: it does not push")
CURVES = _place("curves", "", "0: De Groote et al. (2016), 1: Thelen (2003), 2: Millard et al. (2013)")
ACTIVE_WIDTH = _place("active_width", "", "of Thelen's active curve", above=0.0)
SHORTENING = _place("shortening", "", "shape of Thelen's curve over speed while fibres shorten", above=0.0)
STRETCHED = _place("stretched", "", "greatest force of fibres while they lengthen (Thelen, Millard)", above=1.0)
LEAST = _place("least", "", "activation below which fibres do not fall", at_least=0.0, below=1.0)

# Curves of Millard (laws/millard.py).
ACTIVE_SHORTEST = _place("active_shortest", "", "length below which fibres have no active force", above=0.0)
ACTIVE_TURN = _place("active_turn", "", "length from which the active curve rises less steeply", above=0.0)
ACTIVE_LONGEST = _place("active_longest", "", "length above which fibres have no active force", above=1.0)
ACTIVE_SLOPE = _place("active_slope", "", "of that less steep part", above=0.0)
PASSIVE_SLACK = _place("passive_slack", "", "strain up to which fibres have no passive force")
LOW_STIFFNESS = _place("low_stiffness", "", "of the passive curve at low force, over F0", above=0.0)
PASSIVE_STIFFNESS = _place("passive_stiffness", "", "of the passive curve at F0, over F0", above=0.0)
PASSIVE_BEND = _place("passive_bend", "", "curviness of the passive curve", at_least=0.0, at_most=1.0)
TENDON_STIFFNESS = _place("tendon_stiffness", "", "of the tendon at F0, over F0", above=0.0)
TENDON_TOE = _place("tendon_toe", "", "force over F0 where the tendon becomes straight", above=0.0, below=1.0)
TENDON_BEND = _place("tendon_bend", "", "curviness of the tendon's curve", at_least=0.0, at_most=1.0)
FAST_SLOPE = _place("fast_slope", "", "of the curve over speed at the largest speed of shortening", at_least=0.0)
NEAR_FAST_SLOPE = _place("near_fast_slope", "", "near that speed", above=0.0)
REST_SLOPE = _place("rest_slope", "", "at rest", above=1.0)
STRETCH_SLOPE = _place("stretch_slope", "", "at the largest speed of lengthening", at_least=0.0)
NEAR_STRETCH_SLOPE = _place("near_stretch_slope", "", "near that speed", above=0.0)
SHORTENING_BEND = _place("shortening_bend", "", "curviness while fibres shorten", at_least=0.0, at_most=1.0)
STRETCHING_BEND = _place("stretching_bend", "", "curviness while fibres lengthen", at_least=0.0, at_most=1.0)

PATH = len(_declared)  # the list of coordinates that makes its path
PARAMETERS = tuple(_declared)

MILLARD = {
    "active_shortest": 0.4441, "active_turn": 0.73, "active_longest": 1.8123, "active_slope": 0.8616, "passive_slack": 0.0,
    "low_stiffness": 0.2, "passive_stiffness": 2.0 / 0.7, "passive_bend": 0.75, "tendon_stiffness": 1.375 / 0.049,
    "tendon_toe": 2.0 / 3.0, "tendon_bend": 0.5, "fast_slope": 0.0, "near_fast_slope": 0.25, "rest_slope": 5.0,
    "stretch_slope": 0.0, "near_stretch_slope": 0.15, "shortening_bend": 0.6, "stretching_bend": 0.9,
}  # fmt: skip


def packed(**values: float) -> tuple[float, ...]:
    """The parameters in their places; states that are not given start at rest: pace −1, fibres at their optimal length."""
    given = {
        "pace": -1.0,
        "lead": 0.0,
        "activation": 0.0,
        "activation_rate": 0.0,
        "fibre": 1.0,
        "fibre_rate": 0.0,
        "curves": 0.0,
        "active_width": 0.45,
        "shortening": 0.25,
        "stretched": 1.4,
        "least": 0.0,
        **MILLARD,
    } | values
    if set(given) != {parameter.name for parameter in PARAMETERS}:
        raise TypeError(f"a muscle has {', '.join(p.name for p in PARAMETERS)}; given are {', '.join(given)}")
    return tuple(float(given[parameter.name]) for parameter in PARAMETERS)
