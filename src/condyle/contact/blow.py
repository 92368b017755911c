"""What a soft law of contact makes of a blow, without a model: a mass that meets a rigid wall, in one unknown."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from condyle.contact.laws import SmoothSwitch, SpringDashpot
from condyle.contact.laws.law import Chosen, ContactLaw, Past
from condyle.contact.surface import Array
from condyle.errors import InputError

Press = Callable[[Array, Array, float], Array]  # force over depth, its rate and the deepest point so far

TOLERANCE = 1e-9
SAMPLES = 400  # of each of the two parts
LONGEST = 400.0  # times what the mass would take to come to its deepest point without damping


@dataclass(frozen=True)
class Rebound:
    """One blow over `times` [s] with its `force` [N] and `depth` [m], each of shape (n,).

    restitution: speed at which the mass leaves over that at which it came. dissipated [J] by the law.
    """

    times: Array
    force: Array
    depth: Array
    restitution: float
    dissipated: float

    @property
    def peak(self) -> float:
        """Largest force [N]."""
        return float(self.force.max())

    @property
    def deepest(self) -> float:
        """Largest depth [m]."""
        return float(self.depth.max())

    @property
    def duration(self) -> float:
        """From the touch to the release [s]."""
        return float(self.times[-1])


def rebound(law: ContactLaw, mass: float, speed: float) -> Rebound:
    """A mass [kg] that meets a rigid wall with a speed [m/s] by a soft law: m s″ = −F(s) − c(s) s′ |s′|^(q − 1).

    In two parts, to the deepest point and back, because a law may remember it; solved to 1e-9. Where bodies of masses m₁ and m₂
    meet, mass is m₁ m₂/(m₁ + m₂).
    """
    if not isinstance(law, ContactLaw) or law.by_multipliers or isinstance(law, SmoothSwitch):
        raise InputError(
            f"rebound: law must be a soft law of contact that begins at the surface, such as Hertz(1e6), not {law!r}"
        )
    m, v = _positive(mass, "mass [kg]"), _positive(speed, "speed [m/s]")
    chosen = _chosen(law, m)

    def force(s: Array, rate: Array, deepest: float) -> Array:
        past = Past(np.array([v]), np.array([deepest]))  # one number for all depths
        c = law.damping_curve(s, past, chosen).value
        p = law.elastic_curve(s, past, chosen).value + c * rate * law.of_rate(rate)[0]
        return p if law.pulls else np.maximum(p, 0.0)

    into = _solved(force, m, 0.0, v, 0.0, _first_guess(law, m, v, chosen))
    back = _solved(force, m, float(into[1][-1]), 0.0, float(into[1][-1]), float(into[0][-1]))
    times = np.concatenate((into[0], into[0][-1] + back[0][1:]))
    depth, rates = (np.concatenate((into[k], back[k][1:])) for k in (1, 2))
    pressing = np.concatenate((force(into[1], into[2], 0.0), force(back[1][1:], back[2][1:], float(into[1][-1]))))
    left = max(0.0, float(-rates[-1]))
    return Rebound(times, pressing, depth, left / v, 0.5 * m * (v * v - left * left))


def _positive(value: float, what: str) -> float:
    if not (isinstance(value, int | float | np.number) and np.isfinite(value) and value > 0.0):
        raise InputError(f"rebound: {what} must be a positive number, not {value!r}")
    return float(value)


def _chosen(law: ContactLaw, mass: float) -> Chosen:
    """Stiffness and damping of the laws that leave them to the solver."""
    core, none = law.core, np.zeros(1)
    if not isinstance(core, SpringDashpot):
        return Chosen(none if law.own_stiffness is None else np.array([law.own_stiffness]), none)
    if core.stiffness is None:
        raise InputError("rebound: SpringDashpot needs a stiffness [N/m] here, where there is no model to take it from")
    ratio = 0.1 if core.ratio is None else core.ratio
    damping = 2.0 * ratio * math.sqrt(core.stiffness * mass) if core.damping is None else core.damping
    return Chosen(np.array([core.stiffness]), np.array([damping]))


def _first_guess(law: ContactLaw, mass: float, speed: float, chosen: Chosen) -> float:
    """About the time to the deepest point [s]: that to the depth at which the law would hold the energy ½ m v²."""
    past, s = Past(np.array([speed]), np.zeros(1)), 1e-12
    while float(law.elastic_curve(np.array([s]), past, chosen).whole[0]) < 0.5 * mass * speed**2:
        s *= 1.3
        if s > 1e6:
            raise InputError(f"rebound: {type(law).__name__} never stops {mass:g} kg at {speed:g} m/s")
    return s / speed


def _solved(press: Press, m: float, s: float, v: float, deepest: float, unit: float) -> tuple[Array, Array, Array]:
    """Times, depths and rates from s, v on: to the deepest point, or, from there, to the release."""
    from scipy.integrate import solve_ivp

    def rate(t: float, y: Array) -> list[float]:
        return [y[1], -float(press(y[:1], y[1:], deepest)[0]) / m]

    def ends(t: float, y: Array) -> float:
        return float(y[1] if v > 0.0 else y[0])

    ends.terminal, ends.direction = True, -1.0  # type: ignore[attr-defined]
    size = max(s, v * unit)
    options: dict[str, Any] = {
        "rtol": TOLERANCE,
        "atol": [TOLERANCE * size, TOLERANCE * size / unit],
        "dense_output": True,
    }
    found: Any = solve_ivp(rate, (0.0, LONGEST * unit), [s, v], method="DOP853", events=ends, **options)
    times = np.linspace(0.0, found.t[-1], SAMPLES)
    return times, *found.sol(times)
