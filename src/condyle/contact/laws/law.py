"""The contract of all laws of contact: what presses a point out of a surface, and what holds it back along the surface.

A law is a `Part`: named parameters with units, checked when it is made, written to model files. It knows neither bodies nor
rows: it answers with numbers of n points at once, each from numbers of its own point alone, elementwise, so that the same lines
can become a kernel. How conditions are met is the solver's business (`contact/problem.py`), where points are the pair's
(`contact/pair.py`).

**Normal laws** are of two kinds. Those with `by_multipliers` let nothing in: multipliers hold the gap, and the law only says
what an impact leaves (`restitution`, `rule`). Soft laws press with

    p = F(s) + c(s) ṡ |ṡ|^(q − 1),   s = −gap [m], the depth, negative outside; ṡ its rate [m/s]; q = 1 but for few laws

and give F and c as a `Curve`: value, slope and primitive. With the primitives ψ = ∫ F ds and C = ∫ c ds the mean of p over a
step from s0 to s1 is (ψ1 − ψ0)/(s1 − s0) + (C1 − C0)/h |(s1 − s0)/h|^(q − 1), whatever closes or opens within it: its work is
the change of ψ and what is dissipated, which is not negative because c ≥ 0. So no step creates energy. What a law remembers of
an impact (`Past`) stays as it is within a step.

**Friction laws** give the force along the surface over a step from the slip in it, the pressing force and what the law
remembers: the elastic slip z [m].

A new law is a file like its neighbours and a line in `laws/__init__.py`; `tests/contact/test_contact_laws.py` finds it.
"""

from __future__ import annotations

from typing import ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.contact.surface import Array
from condyle.model.given import means
from condyle.model.part import Part

SAME = 1e-6  # of the depth: nearer together, two depths are one, and a quotient between them would be round-off


class Curve(NamedTuple):
    """A function of the depth at n points: its primitive, which is 0 where the law does nothing, value and slope, each (n,)."""

    whole: Array
    value: Array
    slope: Array


class Past(NamedTuple):
    """What a soft law remembers of the impact that a point is in, each (n,)."""

    speed: Array  # at which the point came in [m/s]
    deepest: Array  # so far [m]


class Chosen(NamedTuple):
    """What the solver has chosen for each point where a law leaves it open, each (n,)."""

    stiffness: Array  # [N/m]
    damping: Array  # [N s/m]


class ContactLaw(Part, abstract=True):
    """A normal law. Soft ones define `elastic_curve` and, if they dissipate, `damping_curve`."""

    by_multipliers: ClassVar[bool] = False
    linear: ClassVar[bool] = False  # F = k s: methods that damp unresolved oscillations do it for these
    remembers: ClassVar[bool] = False  # does it need the `Past` of a point?
    pulls: bool = False  # may p be negative?
    rate_exponent: float = 1.0  # q, at least 1
    restitution: float = 0.0
    rule: str = "newton"
    layer: float | None = None  # thickness of what gives way [m], where there is a layer

    @property
    def own_stiffness(self) -> float | None:
        """Stiffness per point [N/m] that the law gives for F = k s, None if it is chosen or F is no such law."""
        return None

    @property
    def core(self) -> ContactLaw:
        """The law that stiffness and damping are chosen for: itself, or the one that it changes."""
        return self

    def elastic_curve(self, depth: Array, past: Past, chosen: Chosen) -> Curve:
        """F(s) [N]."""
        raise TypeError(
            f"{type(self).__name__} does not say how it presses: define elastic_curve(self, depth, past, chosen)"
        )

    def damping_curve(self, depth: Array, past: Past, chosen: Chosen) -> Curve:
        """c(s) [N s/m], nowhere negative."""
        nothing = np.zeros_like(depth)
        return Curve(nothing, nothing, nothing)

    def chord(self, depth: float) -> float:
        """F/s at a depth [m], a measure of stiffness [N/m] for friction and round-off; of laws without `own_stiffness`."""
        s, past = np.array([depth]), Past(np.zeros(1), np.zeros(1))
        return float(self.elastic_curve(s, past, Chosen(np.ones(1), np.zeros(1))).value[0] / depth)

    def mean(self, before: Array, after: Array, past: Past, chosen: Chosen) -> tuple[Array, Array]:
        """Mean of F between two depths (n,), and its derivative by the second."""
        first, last = self.elastic_curve(before, past, chosen), self.elastic_curve(after, past, chosen)
        apart = np.abs(after - before) > SAME * np.maximum(np.abs(before), np.abs(after))
        middle = self.elastic_curve(0.5 * (before + after), past, chosen)
        length = np.where(apart, after - before, 1.0)
        quotient = (last.whole - first.whole) / length
        return (
            np.where(apart, quotient, middle.value),
            np.where(apart, (last.value - quotient) / length, 0.5 * middle.slope),
        )

    def of_rate(self, rate: Array) -> tuple[Array, Array]:
        """|ṡ|^(q − 1) and its derivative by ṡ, both (n,)."""
        q = self.rate_exponent
        if q == 1.0:
            return np.ones_like(rate), np.zeros_like(rate)
        size = np.abs(rate)
        grown = size ** (q - 1.0)
        return grown, (q - 1.0) * np.sign(rate) * grown / np.where(size > 0.0, size, 1.0)


means("ContactLaw", "a law of contact", "object")


class FrictionLaw(Part, abstract=True):
    """A law of friction; `mu` is its (kinetic) coefficient. Soft contacts ask for `traction`, multipliers for `coefficient`."""

    exact: ClassVar[bool] = False  # can multipliers hold it, with points that stick and do not move at all?
    rates: ClassVar[bool] = False  # does it need the rate of slip, which statics has not?
    of_impulses: ClassVar[bool] = False  # do only steps at the level of velocities know it?
    mu: float

    @property
    def varies(self) -> bool:
        """Does its coefficient change with the speed of slip?"""
        return False

    def coefficient(self, speed: Array) -> Array:
        """μ at speeds of slip [m/s] (n,)."""
        return np.full_like(speed, self.mu)

    def stiffness(self, normal: Array) -> Array:
        """Of its elastic slip (n,) [N/m], where the contact has a stiffness `normal` across."""
        return normal

    def traction(self, slid: Slid) -> Traction:
        """The force along the surface, against the slip of the step."""
        raise TypeError(f"{type(self).__name__} does not say how it rubs: define traction(self, slid)")


means("FrictionLaw", "a law of friction", "object")


class Slid(NamedTuple):
    """What a law of friction knows of n points in a step."""

    step: Array  # slip along the surface within the step (n, d) [m]
    elastic: Array  # elastic slip z before it (n, d) [m]
    press: Array  # pressing force (n,) [N]
    stiffness: Array  # (n,) [N/m], as of `FrictionLaw.stiffness`
    h: float | None  # [s], None in statics
    speed: Array  # of slip as the step begins (n,) [m/s]
    sticks: NDArray[np.bool_]  # points that are taken to stick (n,)
    slips: NDArray[np.bool_]  # and those taken to slip (n,)


class Traction(NamedTuple):
    """Friction of n points, with the sign of the slip that it resists."""

    force: Array  # (n, d) [N]
    by_step: Array  # (n, d, d)
    by_elastic: Array  # (n, d, d)
    by_press: Array  # (n, d)
    elastic: Array  # elastic slip after the step (n, d) [m]
    slips: NDArray[np.bool_]  # (n,)


def power(depth: Array, exponent: float) -> tuple[Array, Array, Array]:
    """∫ sⁿ ds, sⁿ and its slope, 0 outside."""
    s = np.maximum(depth, 0.0)
    slope = exponent * s ** (exponent - 1.0) if exponent != 1.0 else (depth > 0.0).astype(float)
    return s ** (exponent + 1.0) / (exponent + 1.0), s**exponent, np.where(depth > 0.0, slope, 0.0)
