"""The index-1 form of the constrained system as an ordinary differential equation, for standard solvers.

    [m  Gᵀ] [a]   [ f                      ]
    [G  0 ] [λ] = [−(c̈ at a = 0) − 2α ċ − β² c]

in row form. Nothing but a stabilisation keeps c near zero: Baumgarte's terms (α, β), a projection between steps (both
`RowForm`), or a partition of the coordinates into independent and dependent ones (`PartitionedForm`).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import qr

from condyle.integrators.newton import StepFailed
from condyle.system.row_problem import RowProblem
from condyle.system.running import RunningSystem
from condyle.system.state import State

if TYPE_CHECKING:
    from condyle.contact.step import ContactStep

Array = NDArray[np.float64]


class RowForm:
    """z = (x, v) of all rows that are solved for; ż = (v, a).

    alpha, beta: Baumgarte's coefficients [1/s]; constraint errors then decay like those of an oscillator with
    frequency β and damping ratio α/β. Both zero: none.
    """

    def __init__(self, system: RunningSystem, state: State, alpha: float = 0.0, beta: float = 0.0) -> None:
        self.system, self.alpha, self.beta = system, alpha, beta
        self.problem = RowProblem(system)
        self.plain = self.problem.system
        self.free = self.plain.moving
        self.x, self.v, self.turns = state.x.copy(), state.v.copy(), state.turns.copy()
        self.evaluations = 0
        self.contact: ContactStep | None = None  # that of the step of the run, whose soft laws press

    def pack(self, x: Array, v: Array) -> Array:
        """The vector that is integrated."""
        return np.concatenate((x[self.free].ravel(), v[self.free].ravel()))

    def unpack(self, t: float, z: Array) -> tuple[Array, Array]:
        """Rows and their rates, shape (n, d) each."""
        x, v = self.x.copy(), self.v.copy()
        half = z.size // 2
        x[self.free], v[self.free] = z[:half].reshape(-1, self.plain.d), z[half:].reshape(-1, self.plain.d)
        self.system.place_driven(t, x)
        self.system.driven_velocity(t, v)
        return x, v

    def tolerances(self, relative: float) -> Array:
        """Absolute tolerance of each entry of z: of lengths relative to the size of the model, of rates per second."""
        size = np.where(self.system.translation > 0, self.system.size, 1.0)
        rows = np.repeat(size[:, None], self.plain.d, axis=1)
        return relative * self.pack(rows, rows)

    def rate(self, t: float, z: Array) -> Array:
        """ż, the right-hand side."""
        if not np.isfinite(z).all():
            raise StepFailed("the solution is no longer finite")
        self.evaluations += 1
        x, v = self.unpack(t, np.array(z))
        a, _ = self.acceleration(t, x, v, self.alpha, self.beta)
        return self.pack(v, a)

    def accepted(self, t: float, z: Array) -> bool:
        """Told of every step of the solver; False asks for a new start from here."""
        if self.turns.size:
            self.turns = self.system.turns_at(self.unpack(t, z)[0], self.turns)
        return True

    def acceleration(self, t: float, x: Array, v: Array, alpha: float = 0.0, beta: float = 0.0) -> tuple[Array, Array]:
        """Accelerations (n, d) and multipliers of the row form."""
        state = State(t, x, v, np.zeros(0), turns=self.turns)
        push = None if self.contact is None else self.contact.force_at(x, v)
        return self.problem.acceleration(state, push, damping=(2.0 * alpha, beta**2))


class PartitionedForm(RowForm):
    """z = independent coordinates and their rates; the dependent ones follow from the constraints.

    The partition is chosen by QR with column pivoting of the constraint gradients: the first columns are those that the
    constraints determine best.
    """

    WORSE = 0.1  # a partition is given up when it is conditioned this much worse than the best one

    def __init__(self, system: RunningSystem, state: State) -> None:
        super().__init__(system, state)
        size = np.where(system.translation > 0, system.size, 1.0)[self.free]
        self.column_size = np.repeat(size, self.plain.d)
        self.exact = self.plain.exact
        self.passed = [(state.t, state.x.copy(), state.v.copy())]  # the last two places that were accepted
        scaled = self._gradients(state.t, state.x)
        self.dependent, self.independent = partition(scaled)
        self._factorise(scaled)

    def pack(self, x: Array, v: Array) -> Array:
        return np.concatenate((x[self.free].ravel()[self.independent], v[self.free].ravel()[self.independent]))

    def unpack(self, t: float, z: Array) -> tuple[Array, Array]:
        x, v = self._guess(t), np.zeros_like(self.v)
        half = self.independent.size
        flat = x[self.free].ravel()
        flat[self.independent] = z[:half]
        self.system.place_driven(t, x)
        self._close(t, x, flat)
        rates = np.zeros_like(flat)
        rates[self.independent] = z[half:]
        v[self.free] = rates.reshape(-1, self.plain.d)
        self.system.driven_velocity(t, v)
        if self.dependent.size:
            scaled = self._gradients(t, x)[:, self.dependent]
            gap = self.problem._derivative(x, v, np.zeros_like(x), t, 1)[self.exact] / self.row_size
            rates[self.dependent] = -self.column_size[self.dependent] * np.linalg.lstsq(scaled, gap, rcond=1e-10)[0]
            v[self.free] = rates.reshape(-1, self.plain.d)
        return x, v

    def accepted(self, t: float, z: Array) -> bool:
        x, v = self.unpack(t, z)
        if self.turns.size:
            self.turns = self.system.turns_at(x, self.turns)
        self.passed = [self.passed[-1], (t, x, v)]
        scaled = self._gradients(t, x)
        self._factorise(scaled)
        best, _ = partition(scaled)
        return best.size == self.dependent.size and self._quality(scaled, self.dependent) >= self.WORSE * self._quality(
            scaled, best
        )

    def _guess(self, t: float) -> Array:
        """Rows near time t: Hermite's cubic between the last two places, a straight line beyond them.

        Where a dependent coordinate has two roots, the guess chooses between them.
        """
        t1, x1, v1 = self.passed[-1]
        t0, x0, v0 = self.passed[0]
        if t >= t1 or t1 <= t0:
            return x1 + (t - t1) * v1
        h, s = t1 - t0, (t - t0) / (t1 - t0)
        ends = (1.0 + 2.0 * s) * (1.0 - s) ** 2 * x0 + s * s * (3.0 - 2.0 * s) * x1
        return np.asarray(ends + h * s * (1.0 - s) * ((1.0 - s) * v0 - s * v1))

    def _close(self, t: float, x: Array, flat: Array) -> None:
        """Dependent coordinates by Newton's method; gradients are renewed where convergence is slow."""
        x[self.free] = flat.reshape(-1, self.plain.d)
        if not self.dependent.size:
            return
        self.plain.set_turns(self.turns)
        inverse, before = self.inverse, np.inf
        for _ in range(40):
            c = self.plain.constraint_values(x, t)[self.exact] / self.row_size
            error = float(np.abs(c).max())
            if error <= 2e-15 or (error <= 1e-12 and error > 0.5 * before):
                return
            if not error < 0.3 * before:
                inverse = np.linalg.pinv(self._gradients(t, x)[:, self.dependent], rcond=1e-10)
            flat[self.dependent] -= self.column_size[self.dependent] * (inverse @ c)
            x[self.free] = flat.reshape(-1, self.plain.d)
            before = error
        raise StepFailed("the dependent coordinates do not follow from the independent ones")

    def _gradients(self, t: float, x: Array) -> Array:
        """Constraint gradients by free coordinates, scaled to pure numbers, shape (m, free)."""
        plain, n = self.plain, self.plain.motion_unknowns
        self.plain.set_turns(self.turns)
        self.problem.factor(x, t)
        rows, columns = plain.pattern.rows(), plain.pattern.indices
        mine = (rows >= n) & (columns < n)
        G = np.zeros((plain.unknowns - n, n))
        G[rows[mine] - n, columns[mine]] = self.problem.out.A[mine]
        slots = (plain.rows.unknown[self.free][:, None] + np.arange(plain.d)).ravel()
        G = G[plain.multiplier_unknowns[self.exact] - n][:, slots] * self.column_size
        self.row_size = np.maximum(np.abs(G).max(axis=1, initial=0.0), 1e-300)
        scaled: Array = G / self.row_size[:, None]
        return scaled

    def _factorise(self, scaled: Array) -> None:
        self.inverse = np.linalg.pinv(scaled[:, self.dependent], rcond=1e-10)

    @staticmethod
    def _quality(scaled: Array, columns: NDArray[np.int64]) -> float:
        """Reciprocal condition number of these columns, redundant constraints left out."""
        values = np.linalg.svd(scaled[:, columns], compute_uv=False)[: columns.size]
        return float(values[-1] / values[0]) if values.size else 1.0


def partition(gradients: Array) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Dependent and independent columns of constraint gradients, shape (m, n)."""
    n = gradients.shape[1]
    if not gradients.size:
        return np.zeros(0, dtype=np.int64), np.arange(n)
    R, order = qr(gradients, mode="r", pivoting=True)
    diagonal = np.abs(np.diag(R))
    rank = int(np.sum(diagonal > 1e-9 * diagonal[0]))
    return np.sort(order[:rank]).astype(np.int64), np.sort(order[rank:]).astype(np.int64)
