"""References in minimal coordinates: Newton–Euler equations projected on q, solved by DOP853, with reaction forces.

A mechanism is a function pose(q) -> [(place of the centre of mass (3,), rotation (3, 3)), …]; derivatives are taken by
central differences of order 6, whose error is below 1e-11 here. Plane mechanisms turn about z.
"""

import math
from dataclasses import dataclass, field

import numpy as np
from scipy.integrate import solve_ivp

STEP = 0.01
PLACES = np.array([-3, -2, -1, 1, 2, 3]) * STEP
FIRST = np.array([-1 / 60, 3 / 20, -3 / 4, 3 / 4, -3 / 20, 1 / 60]) / STEP
SECOND = np.array([1 / 90, -3 / 20, 3 / 2, 3 / 2, -3 / 20, 1 / 90]) / STEP**2
MIDDLE = -49 / 18 / STEP**2


def turn(axis, angle):
    """The rotation by an angle about an axis."""
    x, y, z = np.asarray(axis, dtype=float).tolist()
    size = math.sqrt(x * x + y * y + z * z)
    x, y, z, c, s = x / size, y / size, z / size, math.cos(angle), math.sin(angle)
    k = 1.0 - c
    return np.array(
        [
            [c + k * x * x, k * x * y - s * z, k * x * z + s * y],
            [k * x * y + s * z, c + k * y * y, k * y * z - s * x],
            [k * x * z - s * y, k * y * z + s * x, c + k * z * z],
        ]
    )


def turn_by(vector):
    """The rotation by a rotation vector."""
    size = np.linalg.norm(vector)
    return turn(vector, size) if size > 1e-14 else np.eye(3)


def across(axis):
    """Two unit vectors square to an axis and to each other."""
    n = np.asarray(axis, dtype=float) / np.linalg.norm(axis)
    first = np.cross(n, np.eye(3)[np.argmin(np.abs(n))])
    first /= np.linalg.norm(first)
    return first, np.cross(n, first)


def axial(W):
    """The vector of a skew matrix."""
    return 0.5 * np.array([W[2, 1] - W[1, 2], W[0, 2] - W[2, 0], W[1, 0] - W[0, 1]])


@dataclass
class Motion:
    """Of one body at one instant: place, rotation, velocity, spin, and acceleration and its angular counterpart."""

    place: np.ndarray
    rotation: np.ndarray
    velocity: np.ndarray
    spin: np.ndarray
    acceleration: np.ndarray
    spin_rate: np.ndarray


@dataclass
class Mechanism:
    """pose(q) and, per body, mass [kg] and inertia (3, 3) in the axes in which R = 1; q0, rates: the start."""

    pose: object
    masses: tuple
    inertias: tuple
    q0: np.ndarray
    rates: np.ndarray
    gravity: tuple = (0.0, 0.0, 0.0)
    force: object = None  # generalised force (t, q, q̇), beside gravity
    solved: object = field(default=None, init=False)

    def jacobians(self, q, rates):
        """Per body: place, rotation, ∂ place/∂q, spin per q̇ (3, n), and the accelerations at q̈ = 0."""
        n = len(q)
        shifted = [[self.pose(q + s * e) for s in PLACES] for e in np.eye(n)]
        along = [self.pose(q + s * rates) for s in PLACES]
        out = []
        for k, (place, R) in enumerate(self.pose(q)):
            Jv, Jw = np.zeros((3, n)), np.zeros((3, n))
            for j, row in enumerate(shifted):
                Jv[:, j] = sum(w * p[k][0] for w, p in zip(FIRST, row, strict=True))
                Jw[:, j] = axial(sum(w * p[k][1] for w, p in zip(FIRST, row, strict=True)) @ R.T)
            bend = MIDDLE * place + sum(w * p[k][0] for w, p in zip(SECOND, along, strict=True))
            spin_bend = axial(sum(w * p[k][1] for w, p in zip(SECOND, along, strict=True)) @ R.T)
            out.append((place, R, Jv, Jw, bend, spin_bend))
        return out

    def accelerations(self, t, q, rates, parts=None):
        """q̈ from Σ Jvᵀ m (a − g) + Jwᵀ (I ω̇ + ω × I ω) = Q."""
        n = len(q)
        M, f = np.zeros((n, n)), np.zeros(n) if self.force is None else np.array(self.force(t, q, rates), dtype=float)
        g = np.asarray(self.gravity)
        for (_, R, Jv, Jw, bend, spin_bend), m, J in zip(
            parts or self.jacobians(q, rates), self.masses, self.inertias, strict=True
        ):
            Jt, w = R @ J @ R.T, Jw @ rates
            M += m * Jv.T @ Jv + Jw.T @ Jt @ Jw
            f -= m * Jv.T @ (bend - g) + Jw.T @ (Jt @ spin_bend + np.cross(w, Jt @ w))
        return np.linalg.solve(M, f) if n else np.zeros(0)

    def solve(self, end):
        """Integrate; afterwards `at` gives the motion of all bodies."""
        n = len(self.q0)

        def rate(t, y):
            return np.concatenate((y[n:], self.accelerations(t, y[:n], y[n:])))

        start = np.concatenate((self.q0, self.rates))
        self.solved = solve_ivp(rate, (0.0, end), start, "DOP853", rtol=1e-10, atol=1e-11, dense_output=True).sol
        return self

    def coordinates(self, t):
        """q and q̇ at time t."""
        n = len(self.q0)
        y = self.solved(t) if self.solved is not None else np.concatenate((self.q0, self.rates))
        return y[:n], y[n:]

    def at(self, t):
        """The motion of all bodies at time t."""
        q, rates = self.coordinates(t)
        parts = self.jacobians(q, rates)
        qdd = self.accelerations(t, q, rates, parts)
        return [
            Motion(place, R, Jv @ rates, Jw @ rates, Jv @ qdd + bend, Jw @ qdd + spin_bend)
            for place, R, Jv, Jw, bend, spin_bend in parts
        ]

    def force_on(self, k, times):
        """What carries body k beside gravity: m (a − g) [N], shape (times, 3)."""
        return np.array([self.masses[k] * (self.at(t)[k].acceleration - self.gravity) for t in times])

    def moment_on(self, k, times, about):
        """Moment [N m] that carries body k about its material point `about` (given where R = 1, from the centre)."""
        out = []
        for t in times:
            b = self.at(t)[k]
            Jt = b.rotation @ self.inertias[k] @ b.rotation.T
            force = self.masses[k] * (b.acceleration - self.gravity)
            moment = Jt @ b.spin_rate + np.cross(b.spin, Jt @ b.spin)
            out.append(moment - np.cross(b.rotation @ about, force))
        return np.array(out)
