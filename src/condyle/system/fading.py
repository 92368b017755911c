"""Fading memory of the elastic stress (quasi-linear viscoelasticity, Fung 1993).

    S(t) = Sᵉ(t) + Σ_k g_k Q_k(t),   Q_k(t) = ∫ exp(−(t − s)/τ_k) (dSᵉ/ds) ds

over all times before t. Over a step in which Sᵉ changes evenly, with e = exp(−h/τ) and γ = (1 − e) τ/h,

    Q1 = e Q0 + γ (Sᵉ1 − Sᵉ0),

which is exact. So S1 = (1 + c) Sᵉ1 + B with c = Σ g γ and B = Σ g (e Q0 − γ Sᵉ0), known before the step; energy–momentum
takes the mean of Q0 and Q1 (but for quasi-static bodies). The memory (Sᵉ0, Q0) is part of the state. It starts empty: a
body is relaxed before the run.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from condyle.system import assembly
from condyle.system.contributions import Instance
from condyle.system.tables import CONSERVING, LawTable

Array = NDArray[np.float64]
STRESS_MEMORY = "stress memory"  # its name in the memory of a state


class Fading:
    """The laws with fading memory of a system, and their memory (1 + terms, entries): Sᵉ and Q_k [Pa], halved like ∂ψ/∂G."""

    def __init__(self, table: LawTable, instances: list[Instance]) -> None:
        self.table, self.instances = table, instances
        self.fading = np.flatnonzero(np.diff(table.past_start) > 0)
        terms = max((len(instances[i].prony) for i in self.fading), default=0)
        self.size = 0
        places, owner = [], []
        self.weights, self.times = np.zeros((terms, len(self.fading))), np.ones((terms, len(self.fading)))
        for k, i in enumerate(self.fading):
            points = table.point_start[i + 1] - table.point_start[i]
            count = int(points * table.vectors[i] ** 2)
            places.append(table.past_start[i] + 1 + np.arange(count))
            owner.append(np.full(count, k))
            self.size += count
            for j, (weight, time) in enumerate(instances[i].prony):
                self.weights[j, k], self.times[j, k] = weight, time
        self._factors = table.past_start[self.fading]
        self._places = np.concatenate(places) if places else np.zeros(0, dtype=np.int64)
        self._owner = np.concatenate(owner) if owner else np.zeros(0, dtype=np.int64)

    def __bool__(self) -> bool:
        return self.size > 0

    def empty(self, x: Array) -> Array:
        """The memory at the start: Sᵉ at x, and nothing of the past."""
        memory = np.zeros((1 + len(self.weights), self.size))
        assembly.elastic_stress(self.table, x, memory[0])
        return memory

    def begin_step(self, memory: Array | None, h: float, where: int) -> None:
        """Write c and B of a step of length h [s] into the table; without a memory (statics) all is relaxed."""
        if memory is None:
            self.at_rest(None)
            return
        decay, gain = self._rates(h)
        share = np.where(self.table.at_end[self.fading] | (where != CONSERVING), 1.0, 0.5)
        self.table.past[self._factors] = share * np.sum(self.weights * gain, axis=0)
        kept, gained = 1.0 - share + share * decay, share * gain
        g, e, y = (a[:, self._owner] for a in (self.weights, kept, gained))
        self.table.past[self._places] = np.sum(g * (e * memory[1:] - y * memory[0]), axis=0)

    def at_rest(self, memory: Array | None) -> None:
        """Write the stress that is remembered at a state into the table, as B with c = 0."""
        self.table.past[self._factors] = 0.0
        self.table.past[self._places] = 0.0 if memory is None else self.remembered(memory)

    def after_step(self, memory: Array, x1: Array, h: float) -> Array:
        """The memory at the end of the step."""
        decay, gain = self._rates(h)
        out = np.zeros_like(memory)
        assembly.elastic_stress(self.table, x1, out[0])
        out[1:] = decay[:, self._owner] * memory[1:] + gain[:, self._owner] * (out[0] - memory[0])
        return out

    def remembered(self, memory: Array) -> Array:
        """Σ g Q, shape (entries,)."""
        return np.asarray(np.sum(self.weights[:, self._owner] * memory[1:], axis=0))

    def by_instance(self, memory: Array) -> dict[int, Array]:
        """What each law remembers, Σ g Q (points, ny, ny), by the identity of its instance."""
        flat, out, at = self.remembered(memory), {}, 0
        for i in self.fading:
            points, ny = int(self.table.point_start[i + 1] - self.table.point_start[i]), int(self.table.vectors[i])
            out[id(self.instances[i])] = flat[at : at + points * ny * ny].reshape(points, ny, ny)
            at += points * ny * ny
        return out

    def _rates(self, h: float) -> tuple[Array, Array]:
        """e and γ of each term and law."""
        ratio = h / self.times
        return np.exp(-ratio), -np.expm1(-ratio) / ratio
