"""One chain of bars in the coordinates of others: Euler parameters with world spins, and natural coordinates.

Condyle's own equations are in rows and tangent maps. Hewlett (2020, §3.4) studies the same first-order step with geometric
stiffness in two other sets of coordinates; this small formulation of its own is for that comparison and for nothing else:

    [ M − α h² K  −Jᵀ ; J  C/h² ] [v1 ; h λ] = [M v0 + h f ; −φ/h],   q1 = q0 ∘ h v1

K is the derivative of the joint forces Jᵀ λ along the motion, λ held; monitor, target and energies as of `Stabilised`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.integrators.monitor import LAWS, monitored_share
from condyle.model.part import Declared, number

Array = NDArray[np.float64]


class ChainRun(NamedTuple):
    """What a run of a chain leaves: all over time, shape (steps + 1, …)."""

    times: Array  # [s]
    load: Array  # place of the load (…, 2): along, up [m]
    net: Array  # kinetic and potential energy [J]
    total: Array  # with that of joints that give way [J]
    gap: Array  # largest violation of a joint [m]
    share: Array  # α


class Coordinates(Protocol):
    """A set of coordinates: its equations at a configuration q, with generalized velocities v."""

    def start(self) -> tuple[Array, Array]: ...

    def inertia(self, q: Array, v: Array) -> tuple[Array, Array]: ...

    def joints(self, q: Array) -> tuple[Array, Array]: ...

    def geometric(self, q: Array, held: Array) -> Array: ...

    def moved(self, q: Array, turn: Array) -> Array: ...

    def potential(self, q: Array) -> float: ...

    def load(self, q: Array) -> Array: ...


@dataclass
class BarChain(metaclass=Declared):
    """Thin bars on hinges with a load at the free end, straight and at rest at the start, in a vertical plane.

    bars of length [m] and mass [kg]; load [kg]; angle [rad] above the horizontal; gravity [m/s²]; compliance [m/N] of joints.
    """

    bars: int = 18
    length: float = 0.1
    mass: float = 1.0
    load: float = 10.0
    angle: float = 0.25 * np.pi
    gravity: float = 9.81
    compliance: float = 1e-8

    def __post_init__(self) -> None:
        for name in ("length", "mass", "load", "compliance"):
            number(self, name, low=0.0, strict=True)  # type: ignore[arg-type]
        if self.bars < 1:
            raise InputError(f"BarChain: bars must be at least 1, not {self.bars}")

    def coordinates(self, name: str) -> Coordinates:
        """'Euler parameters' (in space, with world spins) or 'natural' (in the plane: points and unit vectors)."""
        from condyle.analysis.bar_chain_forms import EulerParameters, NaturalCoordinates

        forms: dict[str, Any] = {"Euler parameters": EulerParameters, "natural": NaturalCoordinates}
        if name not in forms:
            raise InputError(f"BarChain: coordinates are {' or '.join(repr(n) for n in forms)}, not {name!r}")
        form: Coordinates = forms[name](self)
        return form

    def run(
        self, coordinates: str, *, dt: float, end: float, alpha: float = 1.0, monitor: str = "none",
        width: float | None = None, least: float | None = None,
    ) -> ChainRun:  # fmt: skip
        """March to `end` [s]; alpha, monitor, width [J] and least as of `Stabilised`, which watches the total energy."""
        if monitor not in LAWS:
            raise InputError(f"BarChain: monitor is {monitor!r}; choose from {', '.join(repr(n) for n in LAWS)}")
        from scipy.sparse import csc_matrix
        from scipy.sparse.linalg import splu

        form, h, C = self.coordinates(coordinates), dt, self.compliance
        q, v = form.start()
        least = -min(1.0, C / h**2) if least is None else least
        width = width or 0.01 * (self.bars * self.mass + self.load) * self.gravity * self.bars * self.length
        phi, J = form.joints(q)
        held = np.zeros(len(phi))
        target, rows = form.potential(q), []  # at rest, where joints fit
        for k in range(round(end / h) + 1):
            M, f = form.inertia(q, v)
            net = 0.5 * float(v @ M @ v) + form.potential(q)
            total = net + 0.5 * float(phi @ phi) / C
            share = (
                alpha
                if monitor == "none"
                else float(monitored_share(LAWS[monitor], (total - target) / width, least, 1.0))
            )
            rows.append((k * h, *form.load(q), net, total, np.abs(phi).max(), share))
            n, m = len(f), len(phi)
            A = np.zeros((n + m, n + m))
            A[:n, :n] = M - share * h**2 * form.geometric(q, held)
            A[:n, n:], A[n:, :n] = -J.T, J
            A[n + np.arange(m), n + np.arange(m)] = C / h**2
            found = splu(csc_matrix(A)).solve(np.concatenate((M @ v + h * f, -phi / h)))
            v, held = found[:n], found[n:] / h
            q = form.moved(q, h * v)
            phi, J = form.joints(q)
            if not np.isfinite(q).all():
                break
        table = np.array(rows)
        return ChainRun(table[:, 0], table[:, 1:3], table[:, 3], table[:, 4], table[:, 5], table[:, 6])
