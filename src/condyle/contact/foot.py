"""Where a point is over a piece of a surface that deforms, and how foot, gap and frame change with the rows.

The piece is y(u) = Σ N_k(u) x_k. With tangents t_α, metric A, bending b_αβ = n·y_,αβ, distance g, w = δp − Σ N_k δx_k,
ν_α = n·Σ N_k,α δx_k and μ_α = ν_α + b_αβ δu^β,

    (A_αβ − g b_αβ) δu^β = t_α·w + g ν_α,   δg = n·w,   δn = −A^{αβ} μ_α t_β,
    Δδg = −μ_α(Δ) δu^α − μ_α(δ) Δu^α + b_αβ Δu^α δu^β + g A^{αβ} μ_α(Δ) μ_β(δ).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.contact.surface import Array


class Foot(NamedTuple):
    """Where points are over their pieces."""

    facet: NDArray[np.int64]  # (n,)
    u: Array  # (n, p)
    N: Array  # weights of the vectors (n, K)
    slopes: Array  # ∂N/∂u (n, p, K)
    bends: Array  # ∂²N/∂u² (n, p, p, K)
    frame: Array  # n and e_α as rows (n, d, d)
    distance: Array  # from the piece (n,)
    tangents: Array  # (n, p, d)
    curving: Array  # y_,αβ (n, p, p, d)
    inverse: Array  # A^{αβ} (n, p, p)

    @property
    def normal(self) -> Array:
        return self.frame[:, 0]

    @property
    def length(self) -> Array:
        """Of the piece along its first parameter [m]."""
        return np.asarray(np.linalg.norm(self.tangents[:, 0], axis=1))


class Variation:
    """How foot, gap and frame change with the rows, at one configuration."""

    def __init__(self, foot: Foot, point: Array, W: Array) -> None:
        self.foot = foot
        self.weights = point - np.einsum("nk,nkr->nr", foot.N, W)  # of w on rows (n, nr)
        self.edges = foot.slopes @ W  # of δt_α (n, p, nr)
        self.real = (point != 0.0) | np.any(W != 0.0, axis=1)
        self.curved = foot.bends.shape[-1] > 0
        self.bends = foot.bends @ W[:, None] if self.curved else None  # (n, p, p, nr)
        self.p = foot.tangents.shape[1]
        self.dual = foot.inverse @ foot.tangents  # t^α
        self.turned = foot.frame[:, 1:] @ np.swapaxes(self.dual, 1, 2)  # c = e_α·t^β (n, p, p)
        self.b = np.einsum("nabd,nd->nab", foot.curving, foot.normal)

    @staticmethod
    def lift(vector: Array, weights: Array, M: Array) -> Array:
        """vector·(Σ weights δx_r) by unknowns (n, nu): vector (n, d), weights (n, nr), maps M (n, nr, d, d)."""
        pulled = np.matmul(vector[:, None, None, :], M)[:, :, 0]
        return np.asarray((weights[:, :, None] * pulled).reshape(len(vector), M.shape[1] * M.shape[3]))

    def row_gradients(self, rubs: bool) -> Array:
        """What works on the normal force, and (if it rubs) on the components of friction, on rows (n, 1 or d, nr, d)."""
        foot = self.foot
        out = [self.weights[:, :, None] * foot.normal[:, None]]
        if rubs:
            lever = np.einsum("nab,nbr->nar", self.turned, self.edges) * foot.distance[:, None, None]
            for a in range(self.p):
                along = self.weights[:, :, None] * foot.frame[:, None, 1 + a]
                out.append(along + lever[:, a, :, None] * foot.normal[:, None])
        return np.stack(out, axis=1)

    def _changes(self, M: Array) -> tuple[Array, Array, Array, Array]:
        """By unknowns: δu^α, μ_α, m_α = e_α·δn, all (n, p, nu), and the turn ω = e_2·δe_1 of the frame (n, nu)."""
        foot, p = self.foot, self.p
        nu = np.stack([self.lift(foot.normal, self.edges[:, a], M) for a in range(p)], axis=1)
        tw = np.stack([self.lift(foot.tangents[:, a], self.weights, M) for a in range(p)], axis=1)
        A = np.linalg.inv(foot.inverse)
        du = np.linalg.solve(A - foot.distance[:, None, None] * self.b, tw + foot.distance[:, None, None] * nu)
        mu = nu + self.b @ du
        m = -self.turned @ mu
        if p == 1:
            return du, mu, m, np.zeros((len(m), m.shape[2]))
        e = foot.frame[:, 2]
        turn = self.lift(e, self.edges[:, 0], M) + np.einsum("nbd,nd,nbu->nu", foot.curving[:, 0], e, du)
        return du, mu, m, turn / foot.length[:, None]

    def slip_gradients(self, away: Array, anchor: Array, M: Array) -> Array:
        """δz_α of z = e·away, where δ(away) has the weights `anchor` on rows, by unknowns (n, p, nu)."""
        frame = self.foot.frame
        _, _, m, turn = self._changes(M)
        z = np.einsum("nij,nj->ni", frame, away)
        out = []
        for a in range(self.p):
            change = self.lift(frame[:, 1 + a], anchor, M) - z[:, :1] * m[:, a]
            if self.p == 2:
                change = change + (1.0, -1.0)[a] * z[:, 2 - a, None] * turn
            out.append(change)
        return np.stack(out, axis=1)

    def bend(self, F: Array, Mt: Array, M1: Array) -> Array:
        """Σ F_i times the change of what works on it, between unknowns (n, nu, nu); F (n, 1) or (n, d)."""
        foot, p, g = self.foot, self.p, self.foot.distance[:, None]
        du1, mu1, m1, turn1 = self._changes(M1)
        dut, mut = (du1, mu1) if Mt is M1 else self._changes(Mt)[:2]
        left: list[Array] = []
        right: list[Array] = []

        def add(a: Array, b: Array) -> None:
            left.append(a)
            right.append(b)

        f = F[:, :1]
        raised = foot.inverse @ mu1
        bent = self.b @ du1
        for a in range(p):
            add(-f * dut[:, a], mu1[:, a] - bent[:, a])
            add(f * mut[:, a], g * raised[:, a] - du1[:, a])
        if F.shape[1] > 1:
            self._bend_friction(F, Mt, M1, (du1, m1, turn1), add)
        return np.swapaxes(np.stack(left, axis=1), 1, 2) @ np.stack(right, axis=1)

    def _bend_friction(self, F: Array, Mt: Array, M1: Array, changes: tuple[Array, Array, Array], add: Any) -> None:
        """Of e_α·w + g c_α^β ν_β: each factor changes in turn."""
        foot, p, g, c = self.foot, self.p, self.foot.distance[:, None], self.turned
        du1, m1, turn1 = changes
        frame, n = foot.frame, foot.normal
        nu = [self.lift(n, self.edges[:, b], Mt) for b in range(p)]
        gap1 = self.lift(n, self.weights, M1)
        w = [self.lift(frame[:, i], self.weights, Mt) for i in range(1 + p)]
        along = [[self.lift(frame[:, 1 + a], self.edges[:, b], Mt) for b in range(p)] for a in range(p)]
        # t^β·Δt_γ, with the move of the foot
        edge_change = [
            [
                self.lift(self.dual[:, b], self.edges[:, k], M1)
                + np.einsum("nld,nd,nlu->nu", foot.curving[:, k], self.dual[:, b], du1)
                for k in range(p)
            ]
            for b in range(p)
        ]
        for a in range(p):
            f = F[:, 1 + a, None]
            add(-f * w[0], m1[:, a])
            if p == 2:
                add((1.0, -1.0)[a] * f * w[2 - a], turn1)
            for b in range(p):
                add(-f * along[a][b], du1[:, b])
                change = gap1 * c[:, a, b, None]
                for k in range(p):
                    change = change - g * c[:, a, k, None] * edge_change[b][k]
                if p == 2:
                    change = change + (1.0, -1.0)[a] * g * c[:, 1 - a, b, None] * turn1
                add(f * nu[b], change)
                scale = f * g * c[:, a, b, None]
                for k in range(p):
                    add(scale * along[k][b], m1[:, k])
                    if self.bends is not None:
                        add(scale * self.lift(n, self.bends[:, b, k], Mt), du1[:, k])
