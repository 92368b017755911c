"""Penalties on a step of their own: what an oscillator on the step h/2ᴺ is on the step h (Hewlett 2020, §4.4).

A constraint c is a coordinate with a mass m, a stiffness k and perhaps a damping β, integrated by

    (m/h_s²)(c₊ − 2c + c₋) + a c₊ + b c + c' c₋ = 0,     h_s = h/2ᴺ

between two instants of the model. Eliminating the instants between, two at a time, gives the same law on a step twice as long;
after N times it is that of the step h, with the force −Δ λ on the right.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from condyle.errors import InputError

MARGIN = 0.1  # of the half turn in which a pair is stable: how far from its ends a nudged one stays


class Rescaled(NamedTuple):
    """A penalty on the long step: −Δ λ = (m/h²)(c₊ − 2c + c₋) + a c₊ + b c + c c₋."""

    a: float  # [N/m]
    b: float  # [N/m]
    c: float  # [N/m]
    delta: float
    stiffness: float  # k [N/m] that it was made of
    mass: float  # m [kg] that it was made of
    step: float  # h [s]
    levels: int

    @property
    def effective_stiffness(self) -> float:
        """b/Δ [N/m]: the stiffness of the penalty as the long step sees it."""
        return self.b / self.delta

    @property
    def effective_mass(self) -> float:
        """m/Δ [kg]."""
        return self.mass / self.delta

    @property
    def is_stable(self) -> bool:
        """Is it stable for every effective mass of the constraint, as linear analysis says?"""
        return self.delta > 0.0

    def is_stable_with(self, mass: float) -> bool:
        """Is it stable for a constraint of this effective mass [kg]: 0 < h² b/(m + μ Δ) < 4?"""
        size = self.mass + mass * self.delta
        return size != 0.0 and 0.0 < self.step**2 * self.b / size < 4.0


def rescale(stiffness: float, mass: float, step: float, levels: int, damping: float = 0.0) -> Rescaled:
    """A penalty of stiffness [N/m], mass [kg] and damping [N s/m], on the step [s] made of 2^levels short ones."""
    short = step / 2.0**levels
    a, b, c = 0.5 * damping / short, stiffness, -0.5 * damping / short
    delta, H = 1.0, short
    for _ in range(levels):
        s = H * H / (4.0 * mass)
        a, b, c, delta = (
            0.5 * a + s * a * a, 0.5 * (a + c) + b + s * (2.0 * a * c - b * b), 0.5 * c + s * c * c,
            delta * (1.0 - 2.0 * s * b),
        )  # fmt: skip
        H *= 2.0
    return Rescaled(a, b, c, delta, stiffness, mass, step, levels)


def largest_stiffness(mass: float, step: float, levels: int) -> float:
    """The stiffness [N/m] up to which the oscillator is stable on its short step, 4 m/h_s²."""
    return 4.0 * mass / (step / 2.0**levels) ** 2


def turn(stiffness: float, mass: float, step: float, levels: int) -> float:
    """By how much the phase of the oscillator turns in a long step [rad]; Δ > 0 where its sine is."""
    return 2.0**levels * 2.0 * math.asin(math.sqrt(stiffness / largest_stiffness(mass, step, levels)))


def stiffness_of_turn(angle: float, mass: float, step: float, levels: int) -> float:
    """The other way round: the stiffness [N/m] whose phase turns by an angle [rad] in a long step."""
    return largest_stiffness(mass, step, levels) * math.sin(0.5 * angle / 2.0**levels) ** 2


def stable_ranges(stiffness: float, mass: float, step: float, levels: int) -> list[tuple[float, float]]:
    """The ranges of stiffness [N/m] with Δ > 0 next to a given one: the one it is in, or those below and above."""
    full = 2.0 * math.pi
    k, rest = divmod(turn(stiffness, mass, step, levels), full)
    starts = [k * full] if 0.0 < rest < math.pi else [k * full, (k + 1.0) * full]
    most = 2.0**levels * math.pi
    return [
        (stiffness_of_turn(s, mass, step, levels), stiffness_of_turn(min(s + math.pi, most), mass, step, levels))
        for s in starts
        if s < most
    ]


def select_penalty(
    stiffness: float, mass: float, step: float, levels: int, damping: float = 0.0, *, nudge: bool = True
) -> Rescaled:
    """The penalty with Δ > 0 nearest to a given pair of stiffness [N/m] and mass [kg].

    nudge=False, or a stiffness beyond the limit of the short step: InputError with the ranges that are stable.
    """
    limit = largest_stiffness(mass, step, levels)
    if not stiffness < limit:
        more = math.ceil(0.5 * math.log2(stiffness * step**2 / (4.0 * mass)) + 1e-9) + 1
        raise InputError(
            f"a penalty of {stiffness:g} N/m and {mass:g} kg is beyond the linear limit of its step {step / 2.0**levels:.3g} "
            f"s, which is 4 m/h² = {limit:.3g} N/m; take levels={more} or more, a larger mass, or a stiffness below that"
        )
    found = rescale(stiffness, mass, step, levels, damping)
    if found.delta > 0.0:
        return found
    if not nudge:
        ranges = " or ".join(f"{low:.6g} … {high:.6g}" for low, high in stable_ranges(stiffness, mass, step, levels))
        raise InputError(
            f"a penalty of {stiffness:g} N/m and {mass:g} kg is unstable on the step {step:g} s (Δ = {found.delta:.3g}); "
            f"stable are stiffnesses of {ranges} N/m, or nudge=True, which takes the nearest one"
        )
    angle, full = turn(stiffness, mass, step, levels), 2.0 * math.pi
    near = [round(angle / full) * full + MARGIN * math.pi, (math.floor(angle / full) + 0.5 - 0.5 * MARGIN) * full]
    for goal in sorted(near, key=lambda goal: abs(goal - angle)):
        if 0.0 < goal < 2.0**levels * math.pi:
            found = rescale(stiffness_of_turn(goal, mass, step, levels), mass, step, levels, damping)
            if found.delta > 0.0:
                return found
    raise InputError(
        f"no stiffness near {stiffness:g} N/m is stable with a mass of {mass:g} kg, a damping of {damping:g} N s/m and the "
        f"step {step:g} s; take less damping, or a mass of another size"
    )
