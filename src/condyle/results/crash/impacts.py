"""What a contact force did: peak, impulse, duration, energy lost, depth."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from condyle.errors import InputError
from condyle.results.crash.curves import Array, curve

if TYPE_CHECKING:
    from condyle.results.result import Result


@dataclass(frozen=True)
class Impact:
    """One blow: from `start` to `end` [s], with its `peak` force [N] at `peak_time` [s] and its `impulse` [N s].

    depth [m]: the deepest penetration, and dissipated [J]: what the force took out between first touch and release, ∮
    F dδ; both None
    where no penetration was given. allowed [m]: the depth that is allowed, where one is known.
    """

    start: float
    end: float
    peak: float
    peak_time: float
    impulse: float
    depth: float | None = None
    dissipated: float | None = None
    allowed: float | None = None

    @property
    def used(self) -> float | None:
        """Depth over the depth that is allowed; None where either is not known."""
        return None if self.depth is None or not self.allowed else self.depth / self.allowed

    @property
    def duration(self) -> float:
        """How long it lasted [s]."""
        return self.end - self.start


def impacts(
    times: ArrayLike, force: ArrayLike, penetration: ArrayLike | None = None, *, threshold: float = 0.0
) -> list[Impact]:
    """The blows of a pressing force [N], shape (n,): each from where it rises over `threshold` [N] to where it falls
    below again.

    penetration [m], shape (n,): for depth and energy. Integrals are those of straight lines between the samples.
    """
    t, f = curve(times, force, "impacts")
    if f.ndim != 1:
        raise InputError(
            f"impacts: give the size of the force, shape (n,), not {f.shape}; np.linalg.norm(force, axis=1)"
        )
    depth = None if penetration is None else curve(times, penetration, "impacts")[1]
    pressing = np.concatenate(([False], f > threshold, [False]))
    edges = np.flatnonzero(pressing[1:] != pressing[:-1])
    return [_impact(t, f, depth, int(first), int(last)) for first, last in zip(edges[::2], edges[1::2], strict=True)]


def _impact(t: Array, f: Array, depth: Array | None, first: int, last: int) -> Impact:
    """The blow of the samples first to last − 1, with one sample before and after where the force starts and ends."""
    low, high = max(first - 1, 0), min(last + 1, t.size)
    T, F = t[low:high], f[low:high]
    k = int(F.argmax())
    impulse = float(np.trapezoid(F, T))
    if depth is None:
        return Impact(float(T[0]), float(T[-1]), float(F[k]), float(T[k]), impulse)
    d = depth[low:high]
    lost = float(np.sum(0.5 * (F[1:] + F[:-1]) * np.diff(d)))
    return Impact(float(T[0]), float(T[-1]), float(F[k]), float(T[k]), impulse, float(d.max()), lost)


def contact_impacts(
    result: Result, contact: str, *, threshold: float = 0.0, allowed: float | None = None
) -> list[Impact]:
    """The blows of a contact of a run, by its name: the sum of its pressing forces, and the depth of its deepest point.

    Energies are those of all its points. allowed: the depth that is allowed [m], by default the thickness of the layer that the
    law of the contact has (`Foundation`), if it has one.
    """
    if allowed is not None and not (np.isfinite(allowed) and allowed > 0.0):
        raise InputError(f"contact_impacts: allowed must be a positive depth [m], not {allowed!r}")
    history: Any = result.contact(contact)
    pressing = history.normal_force
    found = impacts(history.times, pressing.sum(axis=1), np.maximum(-history.gap, 0.0).max(axis=1), threshold=threshold)
    mean = pressing[1:] if _is_mean_of_step(result) else 0.5 * (pressing[1:] + pressing[:-1])
    power = np.concatenate(([0.0], np.cumsum(-(mean * np.diff(history.gap, axis=0)).sum(axis=1))))
    lost = [
        float(np.interp(blow.end, history.times, power) - np.interp(blow.start, history.times, power)) for blow in found
    ]
    limit = history.pair.law.layer if allowed is None else allowed
    return [Impact(*_fields(blow), dissipated=energy, allowed=limit) for blow, energy in zip(found, lost, strict=True)]


def _is_mean_of_step(result: Result) -> bool:
    """Whether a force is the mean over the step that ends with its frame, so that it times the way is the work of the step."""
    store = result._store
    return store.header.multiplier_time == 0.5 and bool((np.diff(store.frame_steps) == 1).all())


def _fields(blow: Impact) -> tuple[float, float, float, float, float, float | None]:
    return blow.start, blow.end, blow.peak, blow.peak_time, blow.impulse, blow.depth
