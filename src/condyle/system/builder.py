"""Collects what the parts of a model contribute: rows, masses, laws. Parts know this interface and nothing behind it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from condyle.errors import InputError
from condyle.laws.codes import COORDINATE, COORDINATE_SPRING
from condyle.model.functions import TimeFunction, as_function
from condyle.model.part import Part
from condyle.model.point import Point
from condyle.system.tables import DIRECTOR, FIXED, FREE, MULTIPLIER
from condyle.system.weights import Weights, common_rows

if TYPE_CHECKING:
    from condyle.bodies.body import Anchor
    from condyle.joints.coordinate import Term
    from condyle.joints.tie import Tie
    from condyle.model.model import Model
    from condyle.system.state import State
    from condyle.system.system import System

FAR = 1e150  # its square is still a number


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
    past: int = -1  # where in params the stress of the past stands
    swelling: int = -1  # function of time: by how much the stress-free shape is larger than that of the weights
    columns: int = 0  # of an energy: so many vectors are material gradients, which must not collapse or turn inside out
    element: int = -1  # of an energy: the number of its element within the part


UserLaw = Callable[
    [float, NDArray[np.float64], NDArray[np.float64]], list[tuple[NDArray[np.int64], NDArray[np.float64]]]
]


class Tied(NamedTuple):
    """A node that follows another body: the point there, and that body's anchor."""

    point: Weights
    anchor: Anchor
    tie: Tie


@dataclass
class Builder:
    """What a model is made of, in rows and laws. `formulation` and `release`: see `compile`."""

    model: Model
    formulation: str = "tangent"
    release: str = ""
    anchors: dict[str, Anchor] = field(default_factory=dict)
    _extent: tuple[tuple[int, int], float] | None = None  # what was built when it was last measured, and the size [m]
    x: list[NDArray[np.float64]] = field(default_factory=list)
    v: list[NDArray[np.float64]] = field(default_factory=list)
    kind: list[int] = field(default_factory=list)
    translation: list[float] = field(default_factory=list)  # 1 for positions, 0 for directions
    owner: list[str] = field(default_factory=list)  # part that the row belongs to
    rigid: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)  # (row of r, rows of the directors)
    unit_vectors: set[int] = field(default_factory=set)  # rows without a unit; all others are lengths
    mass: list[tuple[NDArray[np.int64], NDArray[np.float64]]] = field(default_factory=list)
    weight: list[tuple[NDArray[np.int64], NDArray[np.float64]]] = field(default_factory=list)  # [kg], without inertia
    quasi_static: set[int] = field(default_factory=set)  # rows without inertia, balanced at the end of every step
    singular: dict[int, float] = field(
        default_factory=dict
    )  # director row without inertia of its own -> stand-in [kg m²]
    energies: list[Instance] = field(default_factory=list)
    forces: list[Instance] = field(default_factory=list)
    links: list[Instance] = field(default_factory=list)
    constraints: list[Instance] = field(default_factory=list)
    functions: list[TimeFunction] = field(default_factory=list)
    function_owner: list[str] = field(default_factory=list)  # the part each function belongs to
    displacements: list[int] = field(default_factory=list)  # functions that grow with the load factor in statics
    driven: list[tuple[NDArray[np.int64], Callable[[float], NDArray[np.float64]]]] = field(default_factory=list)
    gravity_scale: Callable[[float], float] | None = None
    initial: list[tuple[Instance, float | None, float | None]] = field(default_factory=list)  # coordinate, value, rate
    drag: dict[int, float] = field(default_factory=dict)  # row -> rate α [1/s] of mass-proportional damping
    user_forces: list[UserLaw] = field(default_factory=list)
    starts: dict[int, float] = field(default_factory=dict)  # function of time of a muscle -> activation at the start
    start_checks: list[Callable[[System, State], str]] = field(default_factory=list)  # a doubt about the start, or ""
    eliminated: set[str] = field(default_factory=set)  # ties that are built into the weights
    mortars: dict[str, dict[int, Weights]] = field(default_factory=dict)  # of ties of surfaces: what each node follows
    shared: dict[str, list[Any]] = field(
        default_factory=dict
    )  # of an eliminated tie: nodes with a constraint all the same
    holds: dict[bytes, list[Any]] = field(default_factory=dict)  # what is held along directions: by which `Hold`s
    contacts: list[Any] = field(default_factory=list)  # compiled pairs of points and surfaces
    _array: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))  # with room for rows to come
    _filled: int = 0

    @property
    def d(self) -> int:
        """Dimension, 2 or 3."""
        return self.model.dimension

    # --- rows -------------------------------------------------------------------------------------------------------

    def row(self, owner: str, x: ArrayLike, v: ArrayLike, *, kind: int = FREE, direction: bool = False) -> int:
        """A new row of the state: a position, or a material direction."""
        self.x.append(np.asarray(x, dtype=float))
        self.v.append(np.asarray(v, dtype=float))
        self.kind.append(kind)
        self.translation.append(0.0 if direction else 1.0)
        self.owner.append(owner)
        return len(self.x) - 1

    def frame(
        self, owner: str, r: ArrayLike, directors: ArrayLike, velocity: ArrayLike, spin: ArrayLike, *, kind: int = FREE
    ) -> tuple[int, tuple[int, ...]]:
        """Rows r, d_1 … d_d of a body; directors are the columns of a (d, d) matrix, spin the angular velocity."""
        D = np.asarray(directors, dtype=float)
        first = self.row(owner, r, velocity, kind=FIXED if kind == FIXED else FREE)
        rows = tuple(self.row(owner, D[:, i], turned(spin, D[:, i]), kind=kind, direction=True) for i in range(self.d))
        self.unit_vectors.update(rows)
        if kind == DIRECTOR:
            self.rigid.append((first, rows))
        return first, rows

    def drive(self, rows: Sequence[int], motion: Callable[[float], NDArray[np.float64]]) -> None:
        """Prescribe fixed rows: motion(t) gives their values, shape (len(rows), d)."""
        self.driven.append((np.asarray(rows, dtype=np.int64), motion))

    # --- places -----------------------------------------------------------------------------------------------------

    def anchor(self, body: str, wanted_by: Part) -> Anchor:
        """Where points of a body are found."""
        self.model.body(body, wanted_by)
        return self.anchors[body]

    def position(self, point: Point, wanted_by: Part) -> Weights:
        """The material point as weights on rows."""
        return self.anchor(point.body, wanted_by).position(point, wanted_by)

    def direction(self, point: Point, vector: ArrayLike, wanted_by: Part, *, frame: str = "world") -> Weights:
        """A material direction of the point's body that is `vector` at the start."""
        return self.anchor(point.body, wanted_by).direction(point, np.asarray(vector, dtype=float), frame, wanted_by)

    def vector(self, reference: Any, wanted_by: Part) -> Weights:
        """What `as_vector` describes: x_b − x_a of two points, a material direction, or a point."""
        if isinstance(reference, Point):
            return self.position(reference, wanted_by).pruned()
        first, second = reference
        if isinstance(second, Point):
            return (self.position(second, wanted_by) - self.position(first, wanted_by)).pruned()
        return self.direction(first, second, wanted_by).pruned()

    def value(self, vector: Weights) -> NDArray[np.float64]:
        """A gathered vector at the initial state."""
        return vector.at(self.places())

    def places(self) -> NDArray[np.float64]:
        """All rows so far at the initial state, shape (n, d). To be read only."""
        n = len(self.x)
        if n > len(self._array):
            self._array, self._filled = np.zeros((max(64, 2 * n), self.d)), 0
        if n > self._filled:
            self._array[self._filled : n] = self.x[self._filled :]
            self._filled = n
        return self._array[:n]

    def extent(self) -> float:
        """Size of the model at the start [m], outlines of bodies included: what lengths are judged against."""
        built = len(self.x), len(self.anchors)
        if self._extent is not None and self._extent[0] == built:
            return self._extent[1]
        x = self.places()
        places = [x[np.array(self.translation) > 0]]
        for anchor in self.anchors.values():
            outline = [v.at(x) for line in anchor.outline() for v in line]
            if outline:
                places.append(np.array(outline))
        size = float(np.linalg.norm(np.ptp(np.vstack(places), axis=0))) or self._gyration() or 1.0
        self._extent = built, size
        return size

    def _gyration(self) -> float:
        """Radius of gyration [m] of bodies that are all in one place and have no outline."""
        inertia = np.zeros(len(self.x))
        for rows, matrix in self.mass:
            np.add.at(inertia, rows, np.diag(matrix))
        places = np.array(self.translation) > 0
        mass, turning = inertia[places].max(initial=0.0), inertia[list(self.unit_vectors)].max(initial=0.0)
        return float(np.sqrt(turning / mass)) if mass > 0.0 else 0.0

    def tied_points(
        self, body: str, places: Mapping[Any, NDArray[np.float64]], groups: Mapping[str, Iterable[Any]]
    ) -> dict[Any, Tied]:
        """Nodes of `body` that a Tie gives to another body, by key; places [m] and groups of keys are the body's."""
        from condyle.joints.tie import Tie

        found: dict[Any, Tied] = {}
        for tie in self.model:
            if not isinstance(tie, Tie) or tie.body != body:
                continue
            if tie.surface is not None:
                self.mortars[tie.name] = tie.mortar(self)
            if tie.enforcement != "eliminate":
                continue
            self.eliminated.add(tie.name)
            anchor = self.anchor(tie.to, tie)
            mortar = self.mortars.get(tie.name, {})
            keys = list(dict.fromkeys(mortar or tie.keys(places, groups)))
            if all(key in found and found[key].tie.to == tie.to for key in keys):
                other = found[keys[0]].tie
                raise InputError(
                    f"{tie.label}: node {keys[0]} of '{body}' is tied already by {other.label}, and so are all others of it; "
                    "remove one of the two"
                )
            for key in keys:
                if key in found:
                    if found[key].tie.to != tie.to:
                        self.shared.setdefault(tie.name, []).append(key)
                    continue
                place = Point(tie.to, tuple(places[key].tolist()), "world")
                found[key] = Tied(mortar[key] if mortar else anchor.position(place, tie), anchor, tie)
        for key in [key for key, tied in found.items() if tied.tie.name == self.release]:
            self.shared.setdefault(self.release, []).append(key)
            del found[key]
        return found

    def mortar_points(self, body: str) -> Iterator[tuple[int, Weights]]:
        """Nodes of a solid that follow another surface, by ties of any enforcement, and what they follow."""
        for name, points in self.mortars.items():
            if getattr(self.model[name], "body", None) == body:
                yield from points.items()

    # --- what acts --------------------------------------------------------------------------------------------------

    def add_mass(self, vectors: Sequence[Weights], matrix: ArrayLike) -> None:
        """Kinetic energy ½ Σ m_kl ẏ_k·ẏ_l of the gathered vectors."""
        rows, W = common_rows(list(vectors))
        self.mass.append((rows, W.T @ np.asarray(matrix, dtype=float) @ W))

    def add_energy(
        self,
        part: str,
        law: int,
        vectors: Sequence[Weights],
        params: Sequence[float],
        measure: float = 1.0,
        *,
        damping: float = 0.0,
        prony: Sequence[tuple[float, float]] = (),
        columns: int = 0,
    ) -> None:
        """A stored energy measure · ψ(G) of the gathered vectors."""
        rows, W = common_rows(list(vectors))
        self.add_element(
            part, law, rows, W[None], np.array([measure]), params, damping=damping, prony=prony, columns=columns
        )

    def add_element(
        self,
        part: str,
        law: int,
        rows: NDArray[np.int64],
        weights: NDArray[np.float64],
        measure: NDArray[np.float64],
        params: Sequence[float],
        *,
        damping: float = 0.0,
        prony: Sequence[tuple[float, float]] = (),
        swelling: Any = None,
        columns: int = 0,
        element: int = -1,
    ) -> None:
        """A stored energy summed over quadrature points: weights (points, ny, nr), measure (points,).

        damping: viscosity η [Pa s] of an additional stress S = η Ċ. prony: pairs (g, τ [s]) of a fading memory of the
        elastic stress; what is left of it, per point ny × ny, follows the parameters of the law. swelling: function of
        time, by how much the stress-free shape is larger than that of the weights. columns: the first so many vectors are
        gradients of the deformation: 1 of a line, 2 of a surface (in the plane: of a solid), 3 of a solid. A step in which
        a line or surface collapses, or a solid turns inside out, is not accepted. element: its number, for the report.
        """
        instance = Instance(
            law, rows, weights, measure, tuple(params), part, viscosity=damping, columns=columns, element=element
        )
        if prony:
            instance.past, instance.prony = len(instance.params), tuple(prony)
            instance.params += (0.0,) * (1 + weights.shape[0] * weights.shape[1] ** 2)
        instance.swelling = self._channel(swelling, part)
        self.energies.append(instance)

    def add_force(
        self, part: str, law: int, vectors: Sequence[Weights], params: Sequence[float], function: Any = None
    ) -> None:
        """A force f(y, ẏ, t) times a function of time."""
        rows, W = common_rows(list(vectors))
        channel = self._channel(function, part)
        self.forces.append(Instance(law, rows, W[None], np.ones(1), tuple(params), part, channel))

    def add_link(
        self,
        part: str,
        vector: Weights,
        hold: int,
        stiffness: float | None,
        offset: ArrayLike | None = None,
        component: str = "",
    ) -> None:
        """A vector constraint y = offset (d equations), of points, or of directions if `component` names one."""
        rows, W = common_rows([vector.pruned()])
        self._movable(part, rows)
        value = np.zeros(self.d) if offset is None else np.asarray(offset, dtype=float)
        self.links.append(
            Instance(
                0,
                rows,
                W[None],
                np.ones(1),
                tuple(value.tolist()),
                part,
                hold=hold,
                stiffness=stiffness,
                component=component,
            )
        )

    def add_constraint(
        self,
        part: str,
        law: int,
        vectors: Sequence[Weights],
        params: Sequence[float],
        hold: int,
        stiffness: float | None,
        component: str,
        *,
        internal: bool = False,
        function: Any = None,
    ) -> None:
        """A scalar constraint c(G) = 0, or = function(t). `internal`: it only keeps a rigid body rigid."""
        rows, W = common_rows([v.pruned() for v in vectors])
        self._movable(part, rows)
        self.constraints.append(
            Instance(
                law,
                rows,
                W[None],
                np.ones(1),
                tuple(params),
                part,
                hold=hold,
                stiffness=stiffness,
                component=component,
                internal=internal,
                drive=self._channel(function, part),
            )
        )

    def add_coordinate_constraint(
        self,
        part: str,
        terms: list[Term],
        constant: float,
        hold: int,
        stiffness: float | None,
        component: str,
        function: Any = None,
        drive: int = -1,
    ) -> None:
        """Σ g_k(q_k) = constant + function(t) of joint coordinates; drive: number of a function that is there already."""
        from condyle.joints.coordinate import pack

        vectors, params, turns = pack(terms, 1)
        rows, W = common_rows([v.pruned() for v in vectors])
        self._movable(part, rows)
        self.constraints.append(
            Instance(
                COORDINATE,
                rows,
                W[None],
                np.ones(1),
                (constant, *params),
                part,
                hold=hold,
                stiffness=stiffness,
                component=component,
                drive=drive if function is None else self._channel(function, part),
                turns=turns,
            )
        )

    def add_initial(self, part: str, term: Term, value: float | None, rate: float | None) -> None:
        """A joint coordinate that starts with a given value or rate."""
        from condyle.joints.coordinate import pack

        vectors, params, turns = pack([term], 1)
        rows, W = common_rows([v.pruned() for v in vectors])
        now = float(term.coordinate.at(self.places()))
        instance = Instance(
            COORDINATE, rows, W[None], np.ones(1), (now, *params), part, component="initial", turns=turns
        )
        self.initial.append((instance, value, rate))

    def add_coordinate_energy(self, part: str, term: Term, stiffness: float, lower: float, upper: float) -> None:
        """½ k (distance of a joint coordinate from [lower, upper])²."""
        from condyle.joints.coordinate import pack

        vectors, params, turns = pack([term], 3)
        rows, W = common_rows(vectors)
        values = (stiffness, lower, upper, *params)
        self.energies.append(Instance(COORDINATE_SPRING, rows, W[None], np.ones(1), values, part, turns=turns))

    def add_potential(self, part: str, term: Term) -> None:
        """A stored energy U(q) [J] of a joint coordinate: its spline is the energy."""
        from condyle.joints.coordinate import pack

        vectors, params, turns = pack([term], 1)
        rows, W = common_rows(vectors)
        self.energies.append(Instance(COORDINATE, rows, W[None], np.ones(1), (0.0, *params), part, turns=turns))

    def add_coordinate_force(
        self, part: str, law: int, term: Term, lead: tuple[float, ...], function: Any = None
    ) -> None:
        """A generalised force or damper on a joint coordinate."""
        from condyle.joints.coordinate import pack

        vectors, params, turns = pack([term], len(lead))
        self.add_force(part, law, vectors, (*lead, *params), function)
        self.forces[-1].turns = turns

    def add_path_energy(self, part: str, law: int, terms: list[Term], lead: tuple[float, ...]) -> None:
        """A stored energy of the length of a path, the sum of its terms."""
        from condyle.joints.coordinate import pack

        vectors, params, turns = pack(terms, len(lead))
        rows, W = common_rows([v.pruned() for v in vectors])
        self.energies.append(Instance(law, rows, W[None], np.ones(1), (*lead, *params), part, turns=turns))

    def add_path_force(
        self,
        part: str,
        law: int,
        terms: list[Term],
        lead: tuple[float, ...],
        function: Any = None,
        states: Sequence[int] = (),
        start: float | None = None,
    ) -> None:
        """A force along a path; states: places of the parameters that it carries on, start: of its activation."""
        from condyle.joints.coordinate import pack

        vectors, params, turns = pack(terms, len(lead))
        self.add_force(part, law, [v.pruned() for v in vectors], (*lead, *params), function)
        self.forces[-1].turns = (*turns, *((place, -1) for place in states))
        if start is not None:
            self.starts[self.forces[-1].channel] = start

    def check_finite(self) -> None:
        """InputError that names the part, if a number that came here is not finite or far beyond what can be computed with."""
        numbers = [*zip(self.owner, self.x, strict=True), *zip(self.owner, self.v, strict=True)]
        numbers += [(self.owner[int(rows[0])], matrix) for rows, matrix in (*self.mass, *self.weight) if len(rows)]
        for instance in (*self.energies, *self.forces, *self.links, *self.constraints):
            params = np.asarray(instance.params, dtype=float)
            numbers += [(instance.part, a) for a in (instance.weights, instance.measure, params)]
        if _reasonable(np.concatenate([np.ravel(array) for _, array in numbers])):
            return
        part = next(part for part, array in numbers if not _reasonable(array))
        raise InputError(
            f"{self.model[part].label}: its numbers give others that are not finite or beyond {FAR:g}; check their units"
        )

    def _channel(self, function: Any, part: str) -> int:
        """The number of a function of time that a part brings, −1 for none."""
        if function is None:
            return -1
        if self.functions and self.functions[-1] is function and self.function_owner[-1] == part:
            return len(self.functions) - 1  # one for all places that a part acts on
        self.functions.append(as_function(function, part))
        self.function_owner.append(part)
        return len(self.functions) - 1

    def moves(self, rows: NDArray[np.int64]) -> bool:
        """Can a vector gathered from these rows change with the unknowns?"""
        return any(self.kind[r] != FIXED for r in rows)

    def prescribed(self, vector: Weights, t: float) -> NDArray[np.float64]:
        """A gathered vector of fixed rows at time t [s]."""
        x = self.places().copy()
        for rows, motion in self.driven:
            x[rows] = motion(t)
        return vector.at(x)

    def _movable(self, part: str, rows: NDArray[np.int64]) -> None:
        if not self.moves(rows):
            raise InputError(f"'{part}' connects only parts that cannot move; remove it or connect it to a moving body")


def _reasonable(array: NDArray[np.float64]) -> bool:
    return bool((np.abs(array) < FAR).all())


def turned(spin: ArrayLike, vector: NDArray[np.float64]) -> NDArray[np.float64]:
    """ω × vector; in 2D the spin is a number [rad/s]."""
    if vector.size == 2:
        omega = float(np.asarray(spin, dtype=float))
        return np.array([-omega * vector[1], omega * vector[0]])
    return np.cross(np.asarray(spin, dtype=float), vector)
