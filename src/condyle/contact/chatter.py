"""Points whose status comes back within a solve: corrections are shortened, other guesses are tried, then the solve fails."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from condyle.contact.response import OPEN, SLIP, STICK, UNDECIDED, Status

MOST_CYCLES = 6  # of the status of points within one solve
ALL_TRIED = 3  # points that keep changing: up to this many, all that they can be is tried


class Chatter:
    """What the status of all points of a step has been, iterate by iterate."""

    def __init__(self, points: int) -> None:
        self.seen: dict[bytes, int] = {}
        self.cycles, self.changed = 0, False
        self.changes = np.zeros(points, dtype=np.int64)  # of the status of each point

    @property
    def damping(self) -> float:
        """Shorter corrections once the status of points has come back, and has just changed again."""
        return 0.5 if self.cycles > MOST_CYCLES // 2 and self.changed else 1.0

    def watch(self, status: Status) -> NDArray[np.int64] | None:
        """Count how often the status of all points comes back; the points that chatter if it does too often."""
        key, now = status.tobytes(), sum(self.seen.values())
        last = next(reversed(self.seen), b"")
        self.changed = key != last
        if self.changed and key in self.seen:
            self.cycles += 1
        other = np.frombuffer(last, dtype=np.int8)
        if last:
            self.changes += other != status
        self.seen.pop(key, None)
        self.seen[key] = now
        if self.cycles <= MOST_CYCLES:
            return None
        return np.flatnonzero(other != status) if other.size == status.size else np.zeros(0, dtype=np.int64)

    def guesses(self, rubs: NDArray[np.bool_]) -> Iterator[Status]:
        """What points with friction (`rubs`) that have changed to and fro can be: of few all, of many that they stick."""
        points = np.flatnonzero(rubs & (self.changes > 1))
        every = [(STICK,) * len(points)]
        if len(points) <= ALL_TRIED:  # one that sticks is enough for a rigid body, and two are too many
            every = list(itertools.product((STICK, SLIP, OPEN), repeat=len(points)))
            every.sort(key=lambda guess: (abs(guess.count(STICK) - 1), guess.count(OPEN)))
        for status in every:
            guess = np.full(rubs.size, UNDECIDED, dtype=np.int8)
            guess[points] = status
            if len(points):
                yield guess
