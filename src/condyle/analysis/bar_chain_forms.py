"""The coordinates of `bar_chain.py`: Euler parameters with spins in world axes, and points with unit vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from condyle.analysis.bar_chain import BarChain

Array = NDArray[np.float64]
THIN = 1e-3  # inertia of a bar about its own axis over that across it: a thin bar has none, and could not be solved for


def cross_matrix(a: Array) -> Array:
    """CPM(a) b = a × b."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


def cross(a: Array, b: Array) -> Array:
    """a × b of two vectors, for which NumPy takes ten times as long."""
    return np.array([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def rotation_of(e: Array) -> Array:
    """The rotation of a unit quaternion (scalar first)."""
    w, x, y, z = e
    return np.array([
        [w * w + x * x - y * y - z * z, 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), w * w - x * x + y * y - z * z, 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ])  # fmt: skip


class EulerParameters:
    """Bars in space: places p and unit quaternions e, velocities ṗ and spins ω in world axes; the last body is the load.

    A hinge of body i on body j, s = R s̄, n = R_i n̄, c = R_j c̄, d = R_j d̄: p_i + s_i − p_j − s_j = 0, c·n = 0, d·n = 0.
    """

    def __init__(self, chain: BarChain) -> None:
        self.chain, self.bodies = chain, chain.bars + 1
        across = chain.mass * chain.length**2 / 12.0
        bar, ball = np.diag([THIN * across, across, across]), np.eye(3) * chain.load * chain.length**2 / 100.0
        self.masses = np.array([*[chain.mass] * chain.bars, chain.load])
        self.inertias = [*[bar] * chain.bars, ball]
        half = 0.5 * chain.length * np.array([1.0, 0.0, 0.0])
        self.arm = [*[-half] * chain.bars, np.zeros(3)]  # from the centre of each body to its joint with the one before
        self.far = half
        self.rows = 5 * chain.bars + 3

    def start(self) -> tuple[Array, Array]:
        """Straight, at rest."""
        chain, a = self.chain, self.chain.angle
        along = np.array([np.cos(a), 0.0, np.sin(a)])
        e = np.array([np.cos(0.5 * a), 0.0, -np.sin(0.5 * a), 0.0])
        places = [*[(k + 0.5) * chain.length for k in range(chain.bars)], chain.bars * chain.length]
        return np.concatenate([np.concatenate((s * along, e)) for s in places]), np.zeros(6 * self.bodies)

    def body(self, q: Array, k: int) -> tuple[Array, Array]:
        """Place and rotation of a body; −1 is the ground."""
        if k < 0:
            return np.zeros(3), np.eye(3)
        return q[7 * k : 7 * k + 3], rotation_of(q[7 * k + 3 : 7 * k + 7])

    def inertia(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Mass matrix; forces less gyroscopic moments."""
        M, f = np.zeros((6 * self.bodies, 6 * self.bodies)), np.zeros(6 * self.bodies)
        for k in range(self.bodies):
            _, R = self.body(q, k)
            inertia, w = R @ self.inertias[k] @ R.T, v[6 * k + 3 : 6 * k + 6]
            M[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = self.masses[k] * np.eye(3)
            M[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = inertia
            f[6 * k + 2] = -self.masses[k] * self.chain.gravity
            f[6 * k + 3 : 6 * k + 6] = -cross(w, inertia @ w)
        return M, f

    def _hinge(self, q: Array, k: int) -> tuple[Array, ...]:
        """p_i, s_i, p_j, s_j, n, c, d of the joint of body k with the one before."""
        (p, R), (o, Q) = self.body(q, k), self.body(q, k - 1)
        reach = Q @ self.far if k else np.zeros(3)
        return p, R @ self.arm[k], o, reach, R @ np.array([0.0, 1.0, 0.0]), Q[:, 0], Q[:, 2]

    def joints(self, q: Array) -> tuple[Array, Array]:
        """φ and J: φ̇ = J v."""
        phi, J = np.zeros(self.rows), np.zeros((self.rows, 6 * self.bodies))
        for k in range(self.bodies):
            p, s, o, r, n, c, d = self._hinge(q, k)
            at, i, j = 5 * k, 6 * k, 6 * (k - 1)
            phi[at : at + 3] = p + s - o - r
            J[at : at + 3, i : i + 3], J[at : at + 3, i + 3 : i + 6] = np.eye(3), -cross_matrix(s)
            if k:
                J[at : at + 3, j : j + 3], J[at : at + 3, j + 3 : j + 6] = -np.eye(3), cross_matrix(r)
            if k == self.chain.bars:
                continue  # the load hangs on a ball joint
            for row, axis in ((at + 3, c), (at + 4, d)):
                phi[row] = axis @ n
                turn = cross(n, axis)
                J[row, i + 3 : i + 6] = turn
                if k:
                    J[row, j + 3 : j + 6] = -turn
        return phi, J

    def geometric(self, q: Array, held: Array) -> Array:
        """K: d(Jᵀ λ)/dt = K v with λ held (Hewlett 2020, Eqs. 3.43 and 3.44)."""
        K = np.zeros((6 * self.bodies, 6 * self.bodies))
        for k in range(self.bodies):
            _, s, _, r, n, c, d = self._hinge(q, k)
            at, i, j = 5 * k, slice(6 * k + 3, 6 * k + 6), slice(6 * k - 3, 6 * k)
            pull = cross_matrix(held[at : at + 3])
            bend = np.zeros((3, 3))
            if k < self.chain.bars:
                bend = (held[at + 3] * cross_matrix(c) + held[at + 4] * cross_matrix(d)) @ cross_matrix(n)
            K[i, i] += pull @ cross_matrix(s) + bend
            if k:
                K[i, j] -= bend.T
                K[j, i] -= bend
                K[j, j] += -pull @ cross_matrix(r) + bend.T
        return K

    def moved(self, q: Array, turn: Array) -> Array:
        """Places add; quaternions follow ė = ½ (0, ω) e and stay of unit length."""
        out = q.copy()
        for k in range(self.bodies):
            out[7 * k : 7 * k + 3] += turn[6 * k : 6 * k + 3]
            e, w = q[7 * k + 3 : 7 * k + 7], turn[6 * k + 3 : 6 * k + 6]
            e = e + 0.5 * np.concatenate(([-w @ e[1:]], e[0] * w + cross(w, e[1:])))
            out[7 * k + 3 : 7 * k + 7] = e / np.linalg.norm(e)
        return out

    def potential(self, q: Array) -> float:
        """Of gravity [J]."""
        return float(self.chain.gravity * self.masses @ q[2::7])

    def load(self, q: Array) -> Array:
        """Along and up [m]."""
        return q[[7 * self.chain.bars, 7 * self.chain.bars + 2]]


class NaturalCoordinates:
    """Bars in the plane: the near end r of each and the unit vector u along it; the load is a point (garcia-bayo-1994).

    u·u = 1 keeps a bar rigid; r_k + L u_k = r_{k+1} are linear. Rates are the velocities, the mass matrix is constant.
    """

    def __init__(self, chain: BarChain) -> None:
        self.chain = chain
        m, L, n = chain.mass, chain.length, chain.bars
        self.M = np.zeros((4 * n + 2, 4 * n + 2))
        bar = np.kron(m * np.array([[1.0, 0.5 * L], [0.5 * L, L**2 / 3.0]]), np.eye(2))
        for k in range(n):
            self.M[4 * k : 4 * k + 4, 4 * k : 4 * k + 4] = bar
        self.M[4 * n :, 4 * n :] = chain.load * np.eye(2)
        down = np.zeros(4 * n + 2)
        for k in range(n):
            down[4 * k + 1] = 1.0
        down[4 * n + 1] = 1.0
        self.f = -chain.gravity * (self.M @ down)

    def start(self) -> tuple[Array, Array]:
        """Straight, at rest."""
        chain, n = self.chain, self.chain.bars
        u = np.array([np.cos(chain.angle), np.sin(chain.angle)])
        q = np.concatenate([*[np.concatenate((k * chain.length * u, u)) for k in range(n)], n * chain.length * u])
        return q, np.zeros(4 * n + 2)

    def inertia(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Mass matrix and forces, both constant."""
        return self.M, self.f

    def joints(self, q: Array) -> tuple[Array, Array]:
        """φ and J, all lengths: ½ L (u·u − 1) of bars, gaps of joints."""
        L, n = self.chain.length, self.chain.bars
        phi, J = np.zeros(3 * n + 2), np.zeros((3 * n + 2, 4 * n + 2))
        for k in range(n):
            r, u = slice(4 * k, 4 * k + 2), slice(4 * k + 2, 4 * k + 4)
            phi[k], J[k, u] = 0.5 * L * (q[u] @ q[u] - 1.0), L * q[u]
            after, rows = slice(4 * k + 4, 4 * k + 6), slice(n + 2 * k, n + 2 * k + 2)
            phi[rows] = q[r] + L * q[u] - q[after]
            J[rows, r], J[rows, u], J[rows, after] = np.eye(2), L * np.eye(2), -np.eye(2)
        phi[3 * n :], J[3 * n :, :2] = q[:2], np.eye(2)
        return phi, J

    def geometric(self, q: Array, held: Array) -> Array:
        """λ L on the unit vectors; all else is linear."""
        K = np.zeros_like(self.M)
        for k in range(self.chain.bars):
            u = np.arange(4 * k + 2, 4 * k + 4)
            K[u, u] = held[k] * self.chain.length
        return K

    def moved(self, q: Array, turn: Array) -> Array:
        """All coordinates add."""
        return q + turn

    def potential(self, q: Array) -> float:
        """Of gravity [J]."""
        return -float(self.f @ q)

    def load(self, q: Array) -> Array:
        """Along and up [m]."""
        return q[-2:]
