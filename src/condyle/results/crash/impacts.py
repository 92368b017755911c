"""What a contact force did: peak, impulse, duration, energy lost, depth."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from condyle.errors import InputError, InputWarning
from condyle.results.crash.curves import Array, curve

if TYPE_CHECKING:
    from condyle.results.result import Result

ROUND_OFF = 1e-12  # of the largest force: less does not press


@dataclass(frozen=True)
class Impact:
    """One blow: from `start` to `end` [s], with its `peak` force [N] at `peak_time` [s] and its `impulse` [N s].

    depth [m]: the deepest penetration, and dissipated [J]: what the normal force took out between first touch and release, ∮
    F dδ, without friction; None where they are not known. allowed [m]: the depth that is allowed, where one is known.
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

    Energies are those of all its points. An impact in no time (`Impact`, `Hard`) has no largest force: its peak is the mean
    over its step, and its energy −p (u⁻ + u⁺)/2, with the rates of the gap in the frames before and after it. allowed: the
    depth that is allowed [m], by default the thickness of the layer that the law of the contact has (`Foundation`), if it
    has one.
    """
    if allowed is not None and not (np.isfinite(allowed) and allowed > 0.0):
        raise InputError(f"contact_impacts: allowed must be a positive depth [m], not {allowed!r}")
    history: Any = result.contact(contact)
    depth = np.maximum(-history.gap, 0.0).max(axis=1)
    found = impacts(history.times, pressing(result, history), depth, threshold=threshold)
    taken = _taken(result, history)
    lost: list[float | None] = [None] * len(found)
    if taken is not None:
        at = [np.searchsorted(history.times, (blow.start, blow.end)) for blow in found]
        lost = [float(taken[last] - taken[first]) for first, last in at]
    limit = history.pair.law.layer if allowed is None else allowed
    return [Impact(*_fields(blow), dissipated=energy, allowed=limit) for blow, energy in zip(found, lost, strict=True)]


def pressing(result: Result, history: Any) -> Array:
    """The pressing force of all points of a contact [N], shape (frames,); in the step of an impact the mean over it."""
    force = history.normal_force
    if history.pair.soft:
        return np.asarray(force.sum(axis=1))
    impulse = history.normal_impulse
    if impulse.any() and not _every_step(result):
        warnings.warn(
            f"contact '{history.name}': impacts in steps that were not kept are missing; simulate with every=1",
            InputWarning,
            stacklevel=3,
        )
    h = np.diff(history.times, prepend=-np.inf)
    out = np.where(impulse != 0.0, impulse / h[:, None], force).sum(axis=1)
    return np.asarray(np.where(out > ROUND_OFF * out.max(initial=0.0), out, 0.0))


def _taken(result: Result, history: Any) -> Array | None:
    """What the pressing forces have taken out since the start [J], shape (frames,); None where it is not known."""
    pair, force = history.pair, history.normal_force
    if pair.soft:
        mean = force[1:] if _is_mean_of_step(result) else 0.5 * (force[1:] + force[:-1])
        work = -(mean * np.diff(history.gap, axis=0)).sum(axis=1)
    elif pair.elastic and not pair.law.restitution:  # what light nodes lose as they close is no impulse
        return None
    else:
        rate = history.gap_rate
        work = -(history.normal_impulse[1:] * 0.5 * (rate[1:] + rate[:-1])).sum(axis=1)
    return np.concatenate(([0.0], np.cumsum(work)))


def _is_mean_of_step(result: Result) -> bool:
    """Whether a force is the mean over the step that ends with its frame, so that it times the way is the work of the step.

    Forces that press quasi-static bodies are those of the end of a step, and act on all bodies as its mean.
    """
    return result._store.header.multiplier_time == 0.5 and _every_step(result)


def _every_step(result: Result) -> bool:
    return bool((np.diff(result._store.frame_steps) == 1).all())


def _fields(blow: Impact) -> tuple[float, float, float, float, float, float | None]:
    return blow.start, blow.end, blow.peak, blow.peak_time, blow.impulse, blow.depth
