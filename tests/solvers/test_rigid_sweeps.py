"""Sweeps over free bodies: the same contacts as bodies and arms, and as W and q, by which impulses are judged."""

from __future__ import annotations

import numpy as np
import pytest

from condyle.solvers import FrictionProblem
from condyle.solvers import rigid_sweeps as rs

BODIES, CONTACTS = 6, 10


def skew(r):
    return np.array([[0.0, -r[2], r[1]], [r[2], 0.0, -r[0]], [-r[1], r[0], 0.0]])


def problem(seed: int, give: float):
    """Contacts between bodies and with the ground, as kernels take them, and W, q of the axes n, e₁, e₂."""
    rng = np.random.default_rng(seed)
    answer = np.zeros((BODIES + 1, rs.ANSWERS))
    inertia = []
    for b in range(BODIES):
        A = rng.normal(size=(3, 3))
        inverse = A @ A.T + 2.0 * np.eye(3)
        answer[b, 0] = rng.uniform(0.5, 2.0)
        answer[b, 1:] = inverse[np.triu_indices(3)]
        inertia.append(inverse)
    first, second = rng.integers(0, BODIES, CONTACTS), np.empty(CONTACTS, dtype=np.int64)
    table, J, M = np.zeros((CONTACTS, rs.COLUMNS)), np.zeros((3 * CONTACTS, 6 * BODIES)), np.zeros((6 * BODIES,) * 2)
    frames = np.empty((CONTACTS, 3, 3))
    for b in range(BODIES):
        M[6 * b : 6 * b + 3, 6 * b : 6 * b + 3] = answer[b, 0] * np.eye(3)
        M[6 * b + 3 : 6 * b + 6, 6 * b + 3 : 6 * b + 6] = inertia[b]
    for c in range(CONTACTS):
        second[c] = BODIES if c % 3 == 0 else (first[c] + 1 + c % (BODIES - 1)) % BODIES
        axes = frames[c] = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        ra, rb = rng.normal(size=(2, 3))
        table[c, :3], table[c, rs.ARM_A : rs.ARM_A + 3], table[c, rs.ARM_B : rs.ARM_B + 3] = axes[0], ra, rb
        for body, arm, sign in ((first[c], ra, -1.0), (second[c], rb, 1.0)):
            if body < BODIES:
                J[3 * c : 3 * c + 3, 6 * body : 6 * body + 6] += sign * axes @ np.hstack((np.eye(3), -skew(arm)))
    rs.prepare(first, second, answer, give, table)
    v = np.zeros((BODIES + 1, 6))
    v[:BODIES] = rng.normal(size=(BODIES, 6))
    W = J @ M @ J.T
    return first, second, table, answer, v, frames, J, W, J @ v[:BODIES].ravel()


@pytest.mark.parametrize("give", [0.0, 0.01])
@pytest.mark.parametrize("mu", [0.0, 0.4])
@pytest.mark.parametrize("seed", range(4))
def test_sweeps_over_bodies_solve_the_problem_of_the_matrix(seed, mu, give):
    first, second, table, answer, v, axes, J, W, q = problem(seed, give)
    free, p = v.copy(), np.zeros((CONTACTS, 3))
    across = np.diag(W)[::3]
    assert table[:, rs.ACROSS] == pytest.approx((1.0 + give) * across)
    drive = rs.drive_of(first, second, table, v)
    count, left = rs.sweep_rigid(first, second, table, answer, mu, drive, p, v, 1e-12, 2000)
    assert left <= 1e-12 and 0 < count <= 2000
    soft = np.repeat(give * across, 3)
    wanted = FrictionProblem(
        W + np.diag(soft), q, 3 * np.arange(CONTACTS), [(3 * c + 1, 3 * c + 2) for c in range(CONTACTS)],
        np.arange(CONTACTS), np.full(CONTACTS, mu),
    )  # fmt: skip
    local = np.einsum("cij,cj->ci", axes, p).ravel()
    assert wanted.residual(local) <= 1e-11
    assert J @ v[:BODIES].ravel() == pytest.approx(W @ local + q, abs=1e-9)
    rs.push_all(first, second, table, answer, p, free)
    assert free == pytest.approx(v, abs=1e-9)
