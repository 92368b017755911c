"""Integrators by name, so that the command line and `condyle.compare` can take any of them, also a user's own.

@cd.register_integrator
class MyMethod:
    multiplier_time = 1.0
    start_correction = 0.0
    def prepare(self, system, state, h): ...
    def step(self, system, state, h): ...
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

from condyle.errors import InputError, unknown_name
from condyle.integrators.asynchronous import AsynchronousVariational
from condyle.integrators.bdf import BDF
from condyle.integrators.compliant import Compliant, LinearisedImplicit, SemiImplicit
from condyle.integrators.composed import ComposedEnergyMomentum
from condyle.integrators.energy_momentum import EnergyMomentum
from condyle.integrators.equilibrium import QuasiStatic
from condyle.integrators.explicit import ExplicitEuler, Gauss, IteratedNewmark, RungeKutta
from condyle.integrators.generalized_alpha import HHT, GeneralizedAlpha, Newmark
from condyle.integrators.holding_methods import AugmentedLagrangian, Baumgarte
from condyle.integrators.newton import Tolerance
from condyle.integrators.nonsmooth import Nonsmooth
from condyle.integrators.scipy_reference import METHODS, ScipyReference
from condyle.integrators.stabilised import Stabilised
from condyle.integrators.variational import VariationalPenalty

Made = TypeVar("Made", bound=Callable[..., Any])

# A built-in method is a line here. SciPy's BDF has a name of its own, because Condyle has one, too.
_KNOWN: dict[str, Callable[..., Any]] = {
    "EnergyMomentum": EnergyMomentum,
    "ComposedEnergyMomentum": ComposedEnergyMomentum,
    "GeneralizedAlpha": GeneralizedAlpha,
    "Newmark": Newmark,
    "HHT": HHT,
    "BDF1": partial(BDF, order=1),
    "BDF2": partial(BDF, order=2),
    "QuasiStatic": QuasiStatic,
    "RungeKutta": RungeKutta,
    "Gauss": Gauss,
    "ExplicitEuler": ExplicitEuler,
    "IteratedNewmark": IteratedNewmark,
    "Compliant": Compliant,
    "Stabilised": Stabilised,
    "Baumgarte": Baumgarte,
    "AugmentedLagrangian": AugmentedLagrangian,
    "VariationalPenalty": VariationalPenalty,
    "AsynchronousVariational": AsynchronousVariational,
    "Nonsmooth": Nonsmooth,
    "LinearisedImplicit": LinearisedImplicit,
    "SemiImplicit": SemiImplicit,
    "ScipyReference": ScipyReference,
    **{("ScipyBDF" if name == "BDF" else name): partial(ScipyReference, method=name) for name in METHODS},
}
NEEDED = ("prepare", "step", "multiplier_time", "start_correction")


def register_integrator(method: Made, *, name: str | None = None) -> Made:
    """Make an integrator known by name (its own by default); usable as a decorator of a class.

    method: a class, or any callable that returns an integrator. It needs `prepare(system, state, h)`,
    `step(system, state, h) -> (state, StepInfo)`, `multiplier_time` (1: multipliers belong to the end of a step) and
    `start_correction` (0 if in doubt).
    """
    label = name or getattr(method, "__name__", "")
    if not label:
        raise InputError("register_integrator: give the integrator a name")
    if isinstance(method, type):
        missing = [name for name in NEEDED if not hasattr(method, name)]
        if missing:
            raise InputError(f"integrator '{label}' lacks {', '.join(missing)}; see condyle.register_integrator")
    if not callable(method):
        raise InputError(f"integrator '{label}': register a class, not {method!r}")
    _KNOWN[label] = method
    return method


def is_integrator(cls: type) -> bool:
    """Does a class have all that an integrator needs?"""
    return all(hasattr(cls, name) for name in NEEDED)


def known_integrators() -> dict[str, Callable[..., Any]]:
    """All known integrators by name, built-in ones first."""
    return dict(_KNOWN)


def integrator_of(description: Mapping[str, Any]) -> Any:
    """The integrator that a file describes by the name of its class and its options.

    The name is looked up among integrators and nowhere else: a file can name, not run, what it likes.
    """
    kinds = {getattr(known, "__name__", name): known for name, known in _KNOWN.items()}
    kinds |= {known.func.__name__: known.func for known in _KNOWN.values() if isinstance(known, partial)}
    name = description.get("name")
    if not isinstance(name, str) or name not in kinds:
        raise InputError(
            f"the integrator {name!r} is not known here; give it: resume(…, integrator=…), or --load FILE.py on the "
            "command line"
        )
    options = {k: v for k, v in description.items() if k not in ("name", "multiplier_time")}
    try:
        if isinstance(options.get("tolerance"), Mapping):
            options["tolerance"] = Tolerance(**options["tolerance"])
        return kinds[name](**options)
    except TypeError as error:
        raise InputError(f"integrator '{name}' does not take these options: {error}") from None


def make_integrator(text: str) -> Any:
    """An integrator from its name, with options as in Python: 'HHT', 'HHT(alpha=0.2)'. Case does not matter."""
    try:
        call = ast.parse(text.strip(), mode="eval").body
        name = ast.unparse(call.func) if isinstance(call, ast.Call) else text.strip()
        options = {str(k.arg): ast.literal_eval(k.value) for k in call.keywords} if isinstance(call, ast.Call) else {}
        positional = bool(call.args) if isinstance(call, ast.Call) else False
    except (SyntaxError, ValueError):
        raise InputError(f"cannot read the integrator {text!r}; write a name, or name(option=value)") from None
    if positional:
        raise InputError(f"integrator {text!r}: give options by name, name(option=value)")
    by_case = {known.lower(): known for known in _KNOWN}
    if name.lower() not in by_case:
        raise unknown_name("integrator", name, _KNOWN)
    try:
        return _KNOWN[by_case[name.lower()]](**options)
    except TypeError as error:
        raise InputError(f"integrator {text!r}: {error}") from None
