"""Points against a surface that a rigid body carries, fixed or moving: kinematics, forces and tangent.

The place of a point in the coordinates of the target is ξ_i = d_i·(p − r), bilinear in rows of the state. So virtual
work F·δξ gives the force Σ F_i d_i on the point, its opposite on r, and F_i (p − r) on the directors; the tangent is
∂F/∂ξ between the gradients of ξ, plus F_i between p − r and d_i. It includes the rotation of the target and, through
∂F/∂ξ, the curvature of its surface.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.contact.laws.law import Chosen, ContactLaw, FrictionLaw, Past
from condyle.contact.multipliers import augmented, augmented_friction
from condyle.contact.response import END, SLIP, STICK, Approach, Recent, Response, Status, approach
from condyle.contact.soft import soft
from condyle.contact.surface import Array, Distance, Surface
from condyle.system.tables import DIRECTOR, FREE
from condyle.system.weights import Weights

if TYPE_CHECKING:
    from condyle.system.running import RunningSystem

FEW = 300  # up to this many points, all are computed at once rather than only those that are closed


class Terms(NamedTuple):
    """What a pair adds to the equations: n points, nr rows each, nu unknowns (columns) each, m multipliers each."""

    response: Response
    rows: NDArray[np.int64]  # (n, nr)
    force: Array  # on rows (n, nr, d)
    noise: Array  # round-off of the force, to be multiplied by eps (n, nr)
    columns: NDArray[np.int64]  # (n, nu), −1 where there is no unknown
    stiffness: Array  # (n, nu, nu)
    column: Array  # ∂(residual of motion)/∂λ (n, nu, m)
    line: Array  # ∂c/∂(unknowns) (n, m, nu)

    def weighed(self, weight: float) -> Terms:
        """Forces and matrix of a penalty with a weight."""
        return self._replace(force=weight * self.force, noise=weight * self.noise, stiffness=weight * self.stiffness)

    def in_rows(self, of_rows: Array, of_unknowns: Array) -> Terms:
        """Forces and matrix with a weight for each row of the state and each unknown."""
        weight, lines = of_rows[self.rows], of_unknowns[self.columns][:, :, None]
        out = self._replace(force=weight[:, :, None] * self.force, noise=weight * self.noise)
        if not self.stiffness.size:  # no tangent was asked for
            return out
        return out._replace(stiffness=lines * self.stiffness, column=lines * self.column)


class Held(NamedTuple):
    """Rates of one pair that are held: the gap of points that slip, all of ξ of points that stick."""

    rows: NDArray[np.int64]  # (k, nr)
    gradients: Array  # (k, nr, d)
    works: Array  # gradients that the forces act along (k, nr, d): the same, or with friction those of F
    bend: Array  # second derivative at constant velocity (k,)
    points: NDArray[np.int64]  # (k,)
    directions: Array  # of the force F (k, d)
    normal: Array  # of all points (n, d)


class ContactPair(ABC):
    """What all kinds of pairs have in common. Forces are kept in the world with friction, else along the normal."""

    name: str
    labels: Sequence[str]
    law: ContactLaw
    rub: FrictionLaw | None
    d: int
    along = 1.0  # regularisation of friction over that of the gap
    model: str | None = None  # of friction in steps at the level of velocities, None: that of the method
    lines: Sequence[Weights] = ()  # tangents of a cable or beam at its points, where friction asks for them

    @abstractmethod
    def gaps(self, x: Array) -> Array:
        """Gap of each point [m]."""

    @abstractmethod
    def normals(self, x: Array) -> Array:
        """Outward normals of the target (n, d)."""

    @abstractmethod
    def directions(self, x: Array, points: NDArray[np.int64]) -> tuple[NDArray[np.int64], Array, Array]:
        """Of some points: their rows (k, nr), gradients of the motion along normal and tangents (k, d, nr, d), and these axes
        in the coordinates in which forces are kept with friction (k, d, d)."""

    def after_step(self, x1: Array, t: float) -> None:  # noqa: B027
        """Look back at a step that has ended at x1 and the time t [s]; most pairs have nothing to say."""

    @property
    def width(self) -> int:
        """Multipliers per point that are unknowns of Newton's method."""
        return 0 if self.soft else self.reported

    @property
    def soft(self) -> bool:
        """Do its forces follow from places and rates, without multipliers?"""
        return not self.law.by_multipliers

    @property
    def friction(self) -> float:
        """The coefficient of (kinetic) friction."""
        return 0.0 if self.rub is None else self.rub.mu

    @property
    def layer(self) -> float | None:
        """Thickness of an elastic foundation [m]."""
        return self.law.layer

    def answer(
        self, near: Approach, step: Array, lam: Array, r: Array, recent: Recent, where: str, taken: Status
    ) -> Response:
        """What the law answers to a gap and a slip `step`: the one place where laws are told apart.

        taken: what points are taken for, whatever their forces say.
        """
        if self.soft:
            return soft(near, step, self.law, self.rub, recent, where, taken)
        if self.rub is not None:
            mu = self.rub.coefficient(recent.speed)
            return augmented_friction(near, step, lam, r, self.along * r, mu, taken)
        return augmented(near, lam, r, taken)

    @property
    def reported(self) -> int:
        """Components of the contact force that are kept: the normal one, or all with friction."""
        return self.d if self.friction > 0.0 else 1

    def normal_force(self, force: Array, x: Array) -> Array:
        """Pressing force [N] out of what `reported` keeps, (n,); positive in compression."""
        return -force[:, 0] if self.friction == 0.0 else -np.sum(force * self.normals(x), axis=1)

    def vector_force(self, force: Array, x: Array) -> Array:
        """Force on the points [N] in the world, (n, d)."""
        return -force * self.normals(x) if self.friction == 0.0 else -force

    def owner(self, point: int) -> str:
        """The contact and its point, for messages."""
        return f"{self.name} ({self.labels[point]})"

    def stored(self, x: Array, past: Past, chosen: Chosen, slip: Array) -> float:
        """Energy of a soft law and of its elastic slip [J]."""
        if not self.soft:
            return 0.0
        total = float(self.law.elastic_curve(-self.gaps(x), past, chosen).whole.sum())
        if self.rub is not None:
            k = self.rub.stiffness(chosen.stiffness)
            total += float(0.5 * np.sum(k * np.sum(slip * slip, axis=1)))
        return total


@dataclass
class RigidPair(ContactPair):
    """One contact, compiled: `points` of a body against `shape`, carried by the body with rows r and directors."""

    name: str
    points: Sequence[Weights]
    areas: Array  # [m²] of each point
    labels: Sequence[str]
    r: int
    directors: tuple[int, ...]
    shape: Surface
    law: ContactLaw
    rub: FrictionLaw | None
    stiffness: Array | None  # [N/m] per point, None to be chosen
    radius: float = 0.0
    body: str = ""
    target: str = ""
    nodes: NDArray[np.int64] | None = None  # node numbers of the points, if they are nodes
    overlap: str = "report"
    rows: NDArray[np.int64] = field(init=False)
    weights: Array = field(init=False)
    allowed: Array = field(init=False)  # overlap that is still allowed at each point [m]
    thin: float | None = field(default=None, init=False)  # thickness of the shape [m], once it is known
    dynamic = False  # its unknowns never change

    def __post_init__(self) -> None:
        d = self.d = len(self.directors)
        most = max(p.rows.size for p in self.points)
        n = len(self.points)
        self.rows = np.zeros((n, most + d + 1), dtype=np.int64)
        self.weights = np.zeros((n, most + d + 1))  # of p − r
        self.real = np.zeros(self.rows.shape, dtype=bool)
        for k, p in enumerate(self.points):
            count = p.rows.size
            self.rows[k, :count], self.weights[k, :count], self.real[k, :count] = p.rows, p.values, True
        self.rows[:, most:] = (self.r, *self.directors)
        self.weights[:, most] = -1.0
        self.real[:, most:] = True
        self.first = most + 1  # of the directors
        self.allowed = np.zeros(n)

    @property
    def count(self) -> int:
        """Number of points."""
        return len(self.points)

    def prepare(self, system: RunningSystem) -> None:
        """Find the unknowns of all rows."""
        table, d = system.rows, self.d
        kind, unknown = table.kind[self.rows], table.unknown[self.rows]
        self.free = (kind == FREE) & self.real
        self.turning = (kind == DIRECTOR) & self.real
        columns = np.where((self.free | self.turning)[:, :, None], unknown[:, :, None] + np.arange(d), -1)
        if d == 2:
            columns[self.turning, 1] = -1
        self.live = np.flatnonzero((self.free | self.turning).any(axis=0))  # the others never move: no unknowns
        self.columns = columns[:, self.live].reshape(self.count, -1)
        self._moving = self.free[:, self.live, None, None] * np.eye(d)  # maps, but for directors
        self._turns = self.turning[:, self.live]
        self._start: tuple[Array, Array, Distance] | None = None
        self.elastic = bool((deforming_rows(system)[self.rows] & self.real).any())

    # --- kinematics -----------------------------------------------------------------------------------------------------

    def arms(self, x: Array) -> Array:
        """p − r (n, d)."""
        return np.asarray(np.einsum("nr,nra->na", self.weights, x[self.rows]))

    def local(self, x: Array) -> Array:
        """Places of the points in the coordinates of the target [m], shape (n, d)."""
        return np.asarray(self.arms(x) @ x[list(self.directors)].T)

    def near(self, xi: Array) -> Distance:
        """Distance of all points, that belong to a body which is where their middle is."""
        return self.shape.distance_towards(xi, xi.mean(axis=0) - xi)

    def places(self, x: Array) -> Array:
        """Places of the points in the world [m], shape (n, d)."""
        return np.asarray(self.arms(x) + x[self.r])

    def to_world(self, vectors: Array, x: Array) -> Array:
        """Vectors in the coordinates of the target, (n, d), as they are in the world."""
        return np.asarray(vectors @ x[list(self.directors)])

    def gaps(self, x: Array) -> Array:
        """Gap of each point [m]."""
        return self.near(self.local(x)).gap - self.radius

    def normals(self, x: Array) -> Array:
        """Outward normals of the target at the closest points, in the world (n, d)."""
        return self.to_world(self.near(self.local(x)).normal, x)

    def kept_normals(self, x: Array) -> Array:
        """The same in the coordinates of the target, in which forces are kept."""
        return self.near(self.local(x)).normal

    def maps(self, x: Array, points: Any = slice(None)) -> Array:
        """∂(row)/∂(its unknowns) of the rows that move, shape (n, nr, d, d)."""
        d, turning = self.d, self._turns[points]
        M = self._moving[points].copy()
        if turning.any():
            y = x[self.rows[points][:, self.live][turning]]
            T = np.zeros((len(y), d, d))
            if d == 2:
                T[:, 0, 0], T[:, 1, 0] = -y[:, 1], y[:, 0]
            else:  # δd = δθ × d
                T[:, 0, 1], T[:, 0, 2] = y[:, 2], -y[:, 1]
                T[:, 1, 2], T[:, 1, 0] = y[:, 0], -y[:, 2]
                T[:, 2, 0], T[:, 2, 1] = y[:, 1], -y[:, 0]
            M[turning] = T
        return M

    def row_gradients(self, x: Array, points: Any = slice(None)) -> Array:
        """∂ξ_j/∂x_r at x, shape (n, nr, j, d)."""
        C = self.weights[points][:, :, None, None] * x[list(self.directors)][None, None]
        a = self.arms(x)[points]
        for j in range(self.d):
            C[:, self.first + j, j] += a
        return np.asarray(C)

    def gradients(self, x: Array, M: Array, points: Any = slice(None)) -> Array:
        """∂ξ_j/∂(unknowns) at x, shape (n, d, nu)."""
        C = np.swapaxes(self.row_gradients(x, points)[:, self.live], 1, 2)  # (n, j, nr, a)
        return np.asarray((C[:, :, :, None, :] @ M[:, None]).reshape(len(M), self.d, -1))

    def gap_gradient(self, x: Array) -> tuple[NDArray[np.int64], Array]:
        """Columns and ∂g/∂(unknowns), both (n, nu)."""
        normal = self.near(self.local(x)).normal
        return self.columns, np.einsum("nj,nju->nu", normal, self.gradients(x, self.maps(x)))

    def slide(self, before: Array, after: Array) -> Array:
        """Tangential motion of the points over the target between two configurations, in its coordinates (n, d)."""
        there = self.local(after)
        step = there - self.local(before)
        normal = self.near(there).normal
        return np.asarray(step - np.sum(step * normal, axis=1, keepdims=True) * normal)

    def approach_rates(self, x: Array, v: Array) -> tuple[Array, Array]:
        """Rate of the gap (n,) and tangential rate (n, d) in the coordinates of the target."""
        rate, normal = self.rates(x, v)[0], self.near(self.local(x)).normal
        leaving = np.sum(rate * normal, axis=1)
        return leaving, rate - leaving[:, None] * normal

    def held(self, status: NDArray[np.int8], x: Array, v: Array, rub: Array | None = None) -> Held:
        """What is held where `status` says that a point slips or sticks.

        rub: μ times the direction of friction of points that slip (n, d), whose force is then F = σ (n − rub).
        """
        near = self.near(self.local(x))
        slips, sticks = np.flatnonzero(status == SLIP), np.flatnonzero(status == STICK)
        points = np.concatenate((slips, *([sticks] * self.d)))
        unit = [np.tile(np.eye(self.d)[j], (len(sticks), 1)) for j in range(self.d)]
        directions = np.concatenate((near.normal[slips], *unit))
        by_row = self.row_gradients(x)[points]
        works = gradients = np.einsum("krja,kj->kra", by_row, directions)
        # The bend of ξ along the velocities; the gap bends with the surface too.
        speed, turn = self.rates(x, v)
        bend = np.sum(turn[points] * directions, axis=1)
        bend[: len(slips)] += np.einsum("ni,nij,nj->n", speed[slips], near.hessian[slips], speed[slips])
        if rub is not None:
            directions[: len(slips)] -= rub[slips]
            works = np.einsum("krja,kj->kra", by_row, directions)
        return Held(self.rows[points], gradients, works, bend, points, directions, near.normal)

    def directions(self, x: Array, points: NDArray[np.int64]) -> tuple[NDArray[np.int64], Array, Array]:
        axes = frames(self.near(self.local(x)).normal[points])
        return self.rows[points], np.einsum("kij,krja->kira", axes, self.row_gradients(x)[points]), axes

    def rates(self, x: Array, v: Array) -> tuple[Array, Array]:
        """ξ̇ (n, d) and ξ̈ at constant velocities of the rows, 2 ḋ_i·(ṗ − ṙ), (n, d)."""
        D, Ddot = x[list(self.directors)], v[list(self.directors)]
        a, adot = self.arms(x), np.einsum("nr,nra->na", self.weights, v[self.rows])
        return adot @ D.T + a @ Ddot.T, 2.0 * adot @ Ddot.T

    # --- equations ------------------------------------------------------------------------------------------------------

    def begin(self) -> None:
        """A new step: forget where the last one began."""
        self._start = None

    def respond(
        self, x0: Array, x1: Array, lam: Array, r: Array, recent: Recent, where: str, taken: Status
    ) -> Response:
        """The condition at the iterate x1; taken: what points are taken for, whatever their forces say ."""
        if self._start is None or self._start[0] is not x0:  # x0 stays the same within a step
            xi0 = self.local(x0)
            self._start = (x0, xi0, self.near(xi0))
        _, xi0, start = self._start
        xi1 = self.local(x1)
        near = approach(self.near(xi1), self.radius, xi0, xi1, start, self.allowed, where != END)
        return self.answer(near, xi1 - xi0, lam, r, recent, where, taken)

    def terms(
        self, response: Response, xt: Array, x1: Array, kappa: float, r: Array, size: float, tangent: bool
    ) -> Terms:
        """Forces on rows at the test configuration and (if `tangent`) the matrix."""
        d, n = self.d, self.count
        Dt = xt[list(self.directors)]
        at = self.arms(xt)
        F = response.force
        force = self.weights[:, :, None] * (F @ Dt)[:, None, :]
        for i in range(d):
            force[:, self.first + i] += F[:, i : i + 1] * at
        noise = np.abs(self.weights) * (r * (response.status > 0))[:, None] * size
        if not tangent:
            none = np.zeros((n, 0, 0))
            return Terms(response, self.rows, force, noise, self.columns, none, none, none)
        if n <= FEW:
            K, Bt, B1 = self._stiffness(response, F, xt, x1, kappa, slice(None))
            column, line = np.swapaxes(Bt, 1, 2) @ response.by_multiplier, response.residual_by_place @ B1
            return Terms(response, self.rows, force, noise, self.columns, K, column, line)
        nu, m = self.columns.shape[1], response.by_multiplier.shape[2]
        K, column, line = np.zeros((n, nu, nu)), np.zeros((n, nu, m)), np.zeros((n, m, nu))
        on = np.flatnonzero(response.status)  # open points have no stiffness
        if on.size:
            K[on], Bt, B1 = self._stiffness(response, F[on], xt, x1, kappa, on)
            column[on] = np.swapaxes(Bt, 1, 2) @ response.by_multiplier[on]
            line[on] = response.residual_by_place[on] @ B1
        return Terms(response, self.rows, force, noise, self.columns, K, column, line)

    def _stiffness(
        self, response: Response, F: Array, xt: Array, x1: Array, kappa: float, on: Any
    ) -> tuple[Array, Array, Array]:
        """Of some points: the matrix, and the gradients of ξ at both configurations."""
        n, same = len(F), xt is x1
        Mt = self.maps(xt, on)
        Bt = self.gradients(xt, Mt, on)
        M1 = Mt if same else self.maps(x1, on)
        B1 = Bt if same else self.gradients(x1, M1, on)
        K = np.swapaxes(Bt, 1, 2) @ (response.by_place[on] @ B1)
        turning = [(k, int(row) - self.first) for k, row in enumerate(self.live) if row >= self.first]
        if turning:
            W = self.weights[on][:, self.live, None, None]
            left, right, left_f, right_f = W * Mt, W * M1, np.zeros_like(Mt), np.zeros_like(M1)
            for k, i in turning:
                left_f[:, k] = F[:, i, None, None] * Mt[:, k]
                right_f[:, k] = F[:, i, None, None] * M1[:, k]
            flat = [np.swapaxes(a, 1, 2).reshape(n, self.d, -1) for a in (left, right, left_f, right_f)]
            K += kappa * (np.swapaxes(flat[0], 1, 2) @ flat[3] + np.swapaxes(flat[2], 1, 2) @ flat[1])
        return K, Bt, B1

    def renew(self, lam: Array, closed: NDArray[np.int8], forces: Array, x: Array) -> None:
        """Replace multipliers, in place, by forces F (n, d) found for closed points."""
        normal = self.near(self.local(x)).normal
        if self.friction == 0.0:
            lam[:] = np.where(closed > 0, np.sum(forces * normal, axis=1), 0.0)[:, None]
            return
        press = -np.sum(forces * normal, axis=1, keepdims=True)
        tangential = np.linalg.norm(forces + press * normal, axis=1)
        if (tangential <= self.friction * press[:, 0] * (1.0 + 1e-9)).all():  # else friction is shared out otherwise
            lam[:] = forces

    def normal_force(self, force: Array, x: Array) -> Array:
        """Of forces in the coordinates of the target."""
        return super().normal_force(self.to_world(force, x) if self.friction > 0.0 else force, x)

    def vector_force(self, force: Array, x: Array) -> Array:
        """Of forces in the coordinates of the target."""
        return super().vector_force(self.to_world(force, x) if self.friction > 0.0 else force, x)

    def to_report(self, response: Response, x1: Array) -> Array:
        """What is kept of the force, (n, reported)."""
        if self.friction > 0.0:
            return response.force
        normal = self.near(self.local(x1)).normal
        return np.sum(response.force * normal, axis=1, keepdims=True)


def deforming_rows(system: RunningSystem) -> NDArray[np.bool_]:
    """Rows of bodies that deform, shape (n,): elements act on them, and they are not rows of a rigid body.

    A spring between the coordinates of a joint acts on rows of rigid bodies too, which makes them no softer in an impact.
    """
    out, rows_of = system.elastic_rows & system.moving, Counter(system.row_owner)
    for r, directors in system.rigid:
        if rows_of[system.row_owner[r]] == 1 + len(directors):  # a beam has more than one frame
            out[[r, *directors]] = False
    return out


def frames(normal: Array) -> Array:
    """Square axes whose first is the normal (k, d), shape (k, d, d)."""
    if normal.shape[1] == 2:
        return np.stack((normal, np.stack((-normal[:, 1], normal[:, 0]), axis=1)), axis=1)
    # Across the axis that is the least along the normal; by hand, for np.cross takes longer than the rest of a small contact.
    i, least = np.arange(len(normal)), np.abs(normal).argmin(axis=1)
    b, c = (least + 1) % 3, (least + 2) % 3
    first = np.zeros_like(normal)
    first[i, b], first[i, c] = normal[i, c], -normal[i, b]
    first /= np.sqrt(np.sum(first * first, axis=1, keepdims=True))
    forth, back = [1, 2, 0], [2, 0, 1]
    second = normal[:, forth] * first[:, back] - normal[:, back] * first[:, forth]
    return np.stack((normal, first, second), axis=1)
