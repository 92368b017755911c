"""What the parts of a model have contributed, once all are compiled: rows, masses, laws, functions of time. Read only."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.model.functions import TimeFunction
from condyle.system.points import Points
from condyle.system.tables import MULTIPLIER
from condyle.system.weights import Weights

if TYPE_CHECKING:
    from condyle.system.running import RunningSystem
    from condyle.system.state import State

Array = NDArray[np.float64]


@dataclass
class Instance:
    """One law on a few gathered vectors, before it is laid out in a table."""

    law: int
    rows: NDArray[np.int64]
    weights: NDArray[np.float64]  # (points, ny, nr)
    measure: NDArray[np.float64]  # (points,)
    params: tuple[float, ...]
    part: str
    channel: int = -1
    hold: int = MULTIPLIER
    stiffness: float | None = None
    component: str = ""
    internal: bool = False
    damping: float = 0.0  # of an energy: time β [s] of stiffness-proportional damping
    viscosity: float = 0.0  # of an energy: η [Pa s] of S = η Ċ
    drive: int = -1  # function of time that a constraint follows
    turns: tuple[tuple[int, int], ...] = ()  # per angle: place of its reference in params, first vector
    prony: tuple[tuple[float, float], ...] = ()  # of an energy: weights g and times τ [s] of its fading memory
    swelling: int = -1  # function of time: by how much the stress-free shape is larger than that of the weights
    columns: int = 0  # of an energy: so many vectors are material gradients, which must not collapse or turn inside out
    element: int = -1  # of an energy: the number of its element within the part


UserLaw = Callable[
    [float, NDArray[np.float64], NDArray[np.float64]], list[tuple[NDArray[np.int64], NDArray[np.float64]]]
]

OnRows = tuple[NDArray[np.int64], Array]  # rows (k,) and a matrix on them (k, k)
Motion = tuple[NDArray[np.int64], Callable[[float], Array]]  # rows (k,) and where they are at a time [s], (k, d)
StartCheck = Callable[["RunningSystem", "State"], str]  # a doubt about the start, or ""


@dataclass(frozen=True, kw_only=True)
class Contributions:
    """Rows, masses and laws in the order in which the parts brought them, before they are laid out in tables."""

    points: Points
    formulation: str
    size: float  # extent of the model at the start [m]
    x: Array  # (n, d) rows as declared
    v: Array  # (n, d) their rates
    kind: NDArray[np.int64]  # (n,) FREE, DIRECTOR or FIXED
    translation: Array  # (n,) 1 for positions, 0 for directions
    owner: tuple[str, ...]  # (n,) part that the row belongs to
    rigid: tuple[tuple[int, tuple[int, ...]], ...]  # (row of r, rows of the directors)
    unit_vectors: frozenset[int]  # rows without a unit; all others are lengths
    mass: tuple[OnRows, ...]
    weight: tuple[OnRows, ...]  # [kg], without inertia
    quasi_static: frozenset[int]  # rows without inertia, balanced at the end of every step
    singular: Mapping[int, float]  # director row without inertia of its own -> stand-in [kg m²]
    drag: Mapping[int, float]  # row -> rate α [1/s] of mass-proportional damping
    energies: tuple[Instance, ...]
    forces: tuple[Instance, ...]
    links: tuple[Instance, ...]
    constraints: tuple[Instance, ...]
    rates: tuple[Instance, ...]  # constraints of velocities
    functions: tuple[TimeFunction, ...]
    function_owner: tuple[str, ...]  # the part each function belongs to
    displacements: NDArray[np.int64]  # functions that grow with the load factor in statics
    driven: tuple[Motion, ...]
    gravity_scale: Callable[[float], float] | None
    user_forces: tuple[UserLaw, ...]
    initial: tuple[tuple[Instance, float | None, float | None], ...]  # coordinate, value, rate
    starts: Mapping[int, float]  # function of time of a muscle -> activation at the start
    start_checks: tuple[StartCheck, ...]
    eliminated: frozenset[str]  # ties that are built into the weights
    mortars: Mapping[str, Mapping[int, Weights]]  # of ties of surfaces: what each node follows
    contacts: tuple[Any, ...]  # compiled pairs of points and surfaces
    contact_problem: Callable[[RunningSystem], Any] | None  # makes of them what they add to the equations of a run
