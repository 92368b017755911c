"""Laws whose way out is softer than the way in: Hertz with a dent, and curves from a test laboratory."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from condyle.contact.laws.law import Chosen, ContactLaw, Curve, Past, power
from condyle.contact.surface import Array
from condyle.errors import InputError
from condyle.model.given import Numbers, NumbersOrNone
from condyle.model.quantities import declared, quantity


@declared(frozen=True)
class HertzHysteresis(ContactLaw):
    """In: F = K sⁿ. Out: F = F_max ((s − p)/(s_max − p))ⁿ with a dent p = dent × s_max (Lankarani and Nikravesh 1994).

    stiffness K [N/mⁿ], exponent n, dent: share of the largest depth. What is pressed again before it leaves the surface returns
    by the way out, and goes on from s_max along the way in. The dent belongs to one blow: once the point is outside, it is
    forgotten, and the next blow begins at the undented surface. The restitution is √(1 − dent), at any speed, of each blow.
    """

    remembers: ClassVar[bool] = True
    stiffness: float = quantity("(N/mⁿ)", above=0.0)
    exponent: float = quantity(default=1.5, at_least=1.0)
    dent: float = quantity(default=0.2, at_least=0.0, below=1.0, hint="1 is the whole depth")

    def elastic_curve(self, depth: Array, past: Past, chosen: Chosen) -> Curve:
        most = past.deepest
        dented = np.where(most > 0.0, most, 1.0)
        inner = (1.0 - self.dent) * dented
        top = self.stiffness * dented**self.exponent
        out = power((depth - self.dent * dented) / inner, self.exponent)
        loaded, corner = power(depth, self.exponent), power(most, self.exponent)
        turned = top * inner / (self.exponent + 1.0)  # what the way out holds at its top
        back = (most > 0.0) & (depth < most)
        return Curve(
            np.where(
                back, top * inner * out[0], self.stiffness * (loaded[0] - corner[0]) + np.where(most > 0.0, turned, 0.0)
            ),
            np.where(back, top * out[1], self.stiffness * loaded[1]),
            np.where(back, top / inner * out[2], self.stiffness * loaded[2]),
        )


@declared(frozen=True)
class ContactTable(ContactLaw):
    """Measured curves: force [N] over depths [m], on the way in and (unloading) on the way out from the last depth.

    Straight lines between entries. A way out from another depth is the same curve, scaled to begin there, and nowhere above the
    way in; beyond the last depth the last slope goes on.
    """

    remembers: ClassVar[bool] = True
    depths: Numbers = quantity("m")
    loading: Numbers = quantity("N")
    unloading: NumbersOrNone = quantity("N", default=None)

    def __post_init__(self) -> None:
        s, F = (np.asarray(a, dtype=float) for a in (self.depths, self.loading))
        U = F if self.unloading is None else np.asarray(self.unloading, dtype=float)
        if s.ndim != 1 or s.size < 2 or s.shape != F.shape or U.shape != s.shape:
            raise InputError("ContactTable: depths and forces must be lists of equal length, of at least two numbers")
        for name, curve in (("depths", s), ("loading", F), ("unloading", U)):
            if curve[0] != 0.0:
                raise InputError(
                    f"ContactTable: {name} must begin with 0, not {curve[0]:g}; put a first entry of 0 before it"
                )
        if (np.diff(s) <= 0.0).any():
            at = int(np.argmax(np.diff(s) <= 0.0)) + 1
            raise InputError(
                f"ContactTable: depths must grow from entry to entry, as they do not at entry {at}; sort the table"
            )
        for name, curve in (("loading", F), ("unloading", U)):
            if (np.diff(curve) < 0.0).any():
                at = int(np.argmax(np.diff(curve) < 0.0)) + 1
                raise InputError(f"ContactTable: {name} must not fall with the depth, as it does at entry {at}")
            if curve[-1] <= 0.0:
                raise InputError(f"ContactTable: {name} must press somewhere; all of its forces are 0")
        if (U > F * (1.0 + 1e-12)).any() or abs(U[-1] - F[-1]) > 1e-9 * F[-1]:
            raise InputError("ContactTable: unloading must be nowhere above loading, and begin where that ends")
        for name, value in (("depths", s), ("loading", F), ("unloading", None if self.unloading is None else U)):
            object.__setattr__(self, name, None if value is None else tuple(value.tolist()))

    def elastic_curve(self, depth: Array, past: Past, chosen: Chosen) -> Curve:
        way_in = self._line(depth, self.loading)
        if self.unloading is None:
            return way_in
        most = past.deepest
        reached = np.where(most > 0.0, most, 1.0)
        out, top = self._way_out(depth, reached), self._way_out(reached, reached)
        back = (most > 0.0) & (depth < most)
        beyond = way_in.whole - np.where(most > 0.0, self._line(reached, self.loading).whole - top.whole, 0.0)
        return Curve(
            np.where(back, out.whole, beyond),
            np.where(back, out.value, way_in.value),
            np.where(back, out.slope, way_in.slope),
        )

    def _way_out(self, depth: Array, reached: Array) -> Curve:
        """The smaller of the scaled curve and of the way in: a scaled curve alone could give back more than went in."""
        depth, reached = np.broadcast_arrays(depth, reached)
        width = reached / self.depths[-1]
        height = self._line(reached, self.loading).value / self.loading[-1]

        def both(s: Array) -> tuple[Curve, Curve]:
            scaled = self._line(s / width, self.unloading)
            return self._line(s, self.loading), Curve(
                scaled.whole, height * scaled.value, height / width * scaled.slope
            )

        # Between the corners of both curves each is a straight line, and they cross at most once.
        table = np.array(self.depths).reshape(-1, *(1,) * depth.ndim)
        corners = np.sort(np.concatenate((np.broadcast_to(table, (len(table), *depth.shape)), table * width)), axis=0)
        ends = np.clip(np.concatenate((corners, [depth])), 0.0, np.maximum(depth, 0.0))
        one, other = (curve.value for curve in both(ends))
        least, apart, length = np.minimum(one, other), one - other, np.diff(ends, axis=0)
        crosses = apart[:-1] * apart[1:] < 0.0
        share = np.where(crosses, apart[:-1] / np.where(crosses, apart[:-1] - apart[1:], 1.0), 0.5)
        middle = one[:-1] + share * np.diff(one, axis=0)
        plain, kinked = least[:-1] + least[1:], share * (least[:-1] + middle) + (1.0 - share) * (middle + least[1:])
        whole = np.sum(0.5 * length * np.where(crosses, kinked, plain), axis=0)
        first, second = both(depth)
        lower = first.value <= second.value
        return Curve(whole, np.minimum(first.value, second.value), np.where(lower, first.slope, second.slope))

    def _line(self, depth: Array, forces: Numbers) -> Curve:
        s, F = np.array(self.depths), np.array(forces)
        slopes = np.diff(F) / np.diff(s)
        areas = np.concatenate(([0.0], np.cumsum(0.5 * (F[1:] + F[:-1]) * np.diff(s))))
        k = np.clip(np.searchsorted(s, depth, side="right") - 1, 0, len(slopes) - 1)
        more = np.maximum(depth, 0.0) - s[k]
        value = F[k] + slopes[k] * more
        return Curve(areas[k] + (F[k] + 0.5 * slopes[k] * more) * more, value, np.where(depth > 0.0, slopes[k], 0.0))
