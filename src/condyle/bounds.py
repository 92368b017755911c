"""Bounds of a number, in one set of words for fields of parts and for parameters of laws."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

__all__ = ["Bounded"]


@dataclass(frozen=True, kw_only=True)
class Bounded:
    """A declared number whose bounds are these four; -inf and inf where there are none."""

    above: float = -math.inf
    at_least: float = -math.inf
    below: float = math.inf
    at_most: float = math.inf

    @property
    def limits(self) -> dict[str, float]:
        """All four by name."""
        return {"above": self.above, "at_least": self.at_least, "below": self.below, "at_most": self.at_most}

    @cached_property
    def bounds(self) -> str:
        """In words: 'above 0', 'at least 1 and below 2'; nothing where there are none."""
        words = (("above", self.above), ("at least", self.at_least), ("below", self.below), ("at most", self.at_most))
        return " and ".join(f"{word} {value:g}" for word, value in words if math.isfinite(value))

    def allows(self, value: float) -> bool:
        """Is a number within the bounds?"""
        return self.above < value < self.below and self.at_least <= value <= self.at_most
