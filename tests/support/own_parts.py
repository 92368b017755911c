"""What a user may bring in a file of one's own: laws of every kind, a material, a joint, a force and an integrator."""

from dataclasses import dataclass
from typing import Any

import numba
import numpy as np

import condyle as cd


@numba.njit
def stretch(G):
    return np.sqrt(G[0, 0])


@cd.law("exponential spring", params=("k", "L", "a"), example=(700.0, 0.8, 3.0))
def exponential_spring(ny, G, p, S, H):
    """ψ = k/a ((e − 1)/a − (ℓ − L)) with e = exp(a (ℓ − L)): the force k/a (e − 1) grows exponentially."""
    k, rest, a = p[0], p[1], p[2]
    length = stretch(G)
    e = np.exp(a * (length - rest))
    force = k / a * (e - 1.0)
    S[0, 0] = 0.5 * force / length
    H[0, 0, 0, 0] = 0.25 * (k * e - force / length) / length**2
    return k / a * ((e - 1.0) / a - (length - rest))


@numba.njit
def inverse(ny, G, out):
    """The inverse of a symmetric 2×2 or 3×3 matrix by cofactors; returns the determinant."""
    det = 0.0
    for i in range(ny):
        for j in range(ny):
            if ny == 2:
                out[i, j] = G[1 - i, 1 - j] * (1.0 if i == j else -1.0)
            else:
                a, b, c, e = (i + 1) % 3, (i + 2) % 3, (j + 1) % 3, (j + 2) % 3
                out[i, j] = G[a, c] * G[b, e] - G[a, e] * G[b, c]
    for j in range(ny):
        det += G[0, j] * out[0, j]
    out /= det
    return det


@cd.law("Mooney–Rivlin", params=("c1", "c2", "bulk"), sizes=(2, 3), example=(0.6, 0.3, 5.0))
@numba.njit(cache=True)
def mooney_rivlin(ny, G, p, S, H):
    """ψ = c1 (I1 − 3) + c2 (I2 − 3) − (2 c1 + 4 c2) ln J + ½ bulk (ln J)²; plane strain in 2D (G33 = 1)."""
    c1, c2, bulk = p[0], p[1], p[2]
    inv = np.zeros((3, 3))
    det = inverse(ny, G, inv)
    if not det > 0.0:
        return np.nan
    log_j = 0.5 * np.log(det)
    push = bulk * log_j - 2.0 * c1 - 4.0 * c2
    trace = square = 3.0 - ny
    for i in range(ny):
        trace += G[i, i]
        for j in range(ny):
            square += G[i, j] * G[i, j]
    for i in range(ny):
        for j in range(ny):
            S[i, j] = 0.5 * push * inv[i, j] - c2 * G[i, j]
            H[i, i, j, j] += c2
            H[i, j, i, j] -= 0.5 * c2
            H[i, j, j, i] -= 0.5 * c2
            for k in range(ny):
                for m in range(ny):
                    H[i, j, k, m] += 0.25 * bulk * inv[i, j] * inv[k, m]
                    H[i, j, k, m] -= 0.25 * push * (inv[i, k] * inv[j, m] + inv[i, m] * inv[j, k])
        S[i, i] += c1 + c2 * trace
    second = 0.5 * (trace * trace - square)
    return c1 * (trace - 3.0) + c2 * (second - 3.0) + push * log_j - 0.5 * bulk * log_j * log_j


@cd.law("hypocycloid", kind="rate", params=("k",), sizes=(2,), example=(0.7,))
def hypocycloid(ny, d, y, p, a, K):
    """a·ẏ = y_1·ẏ_0 + k y_0·ẏ_1: two arms whose ends move against each other."""
    for b in range(d):
        a[0, b], a[1, b] = y[1, b], p[0] * y[0, b]
        K[0, b, 1, b], K[1, b, 0, b] = 1.0, p[0]


@cd.law("ellipse", kind="constraint", params=("a", "b"), sizes=(3,), example=(1.5, 1.0))
def ellipse(ny, G, p, S, H):
    """c = ½ ((y0·y1)²/a² + (y0·y2)²/b² − 1): the end of y0 stays on an ellipse with the axes y1, y2."""
    c = -0.5
    for k in range(1, 3):
        along, half = G[0, k], p[k - 1]
        c += 0.5 * (along / half) ** 2
        S[0, k] = S[k, 0] = 0.5 * along / half**2
        H[0, k, 0, k] = H[0, k, k, 0] = H[k, 0, 0, k] = H[k, 0, k, 0] = 0.25 / half**2
    return c


@cd.law("quadratic drag", kind="force", params=("c",), example=(0.3,))
def quadratic_drag(ny, d, y, ydot, amplitude, p, f, Ky, Kv):
    """f = −c |ẏ| ẏ."""
    speed = np.sqrt(np.sum(ydot[0] * ydot[0]))
    c = amplitude * p[0]
    for a in range(d):
        f[0, a] = -c * speed * ydot[0, a]
        Kv[0, a, 0, a] = -c * speed
        if speed > 0.0:
            for b in range(d):
                Kv[0, a, 0, b] -= c * ydot[0, a] * ydot[0, b] / speed


@dataclass
class BallJoint(cd.Joint):
    """Two points meet."""

    def compile(self, builder):
        self.meet(builder)


@dataclass
class Strap(cd.Part):
    """A cord of the exponential law between two points."""

    name: str
    a: Any
    b: Any
    stiffness: float

    @classmethod
    def example(cls):
        return cls("ligament", "a", "b", 200.0)

    def compile(self, builder):
        params = {"k": self.stiffness, "L": 0.7, "a": 2.0}
        cd.LawEnergy(self.name, "exponential spring", [(self.a, self.b)], params).compile(builder)


@dataclass
class HalfSteps(cd.BDF):
    """Every step is two steps of half the length."""

    def step(self, system, state, h):
        middle, first = super().step(system, state, 0.5 * h)
        end, second = super().step(system, middle, 0.5 * h)
        second.iterations += first.iterations
        return end, second


@cd.law("quadratic fibres", kind="solid", families=2, params=("mu", "stiffness"), example=(1.2, 0.4))
def quadratic_fibres(x, p, d, dd):
    """W = ½ μ (I₁ − 3 − 2 ln J) + ½ k Σ (I₄ − 1)²."""
    mu, k = p[0], p[1]
    d[0], d[2], dd[2, 2] = 0.5 * mu, -mu / x[2], mu / x[2] ** 2
    value = 0.5 * mu * x[0] - mu * np.log(x[2])
    for a in range(4, 6):
        d[a], dd[a, a] = k * (x[a] - 1.0), k
        value += 0.5 * k * (x[a] - 1.0) ** 2
    return value
