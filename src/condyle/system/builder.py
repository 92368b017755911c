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
from condyle.model.point import Point
from condyle.system.contributions import Contributions, Instance, Motion, OnRows, StartCheck, UserLaw
from condyle.system.coordinate import Term, pack
from condyle.system.points import Points
from condyle.system.tables import DIRECTOR, FIXED, FREE
from condyle.system.ties import NodeTie
from condyle.system.weights import Weights, common_rows

if TYPE_CHECKING:
    from condyle.bodies.body import Anchor
    from condyle.model.model import Model
    from condyle.system.running import RunningSystem

SMALL = 1000  # numbers of an array that is looked at together with others
FAR = 1e150  # its square is still a number
_OF_ROWS = {n: (np.eye(n)[None], np.ones(1)) for n in (1, 2)}  # weights and measure of laws on rows themselves


class Tied(NamedTuple):
    """A node that follows another body: the point there, and that body's anchor."""

    point: Weights
    anchor: Anchor
    tie: NodeTie


@dataclass
class Builder(Points):
    """What a model is made of, in rows and laws. `formulation` and `release`: see `compile`."""

    model: Model
    formulation: str = "tangent"
    release: str = ""
    anchors: dict[str, Anchor] = field(default_factory=dict)
    under_way: str = ""  # the part that is asked what it brings
    _extent: tuple[tuple[int, int], float] | None = None  # what was built when it was last measured, and the size [m]
    x: list[NDArray[np.float64]] = field(default_factory=list)
    v: list[NDArray[np.float64]] = field(default_factory=list)
    kind: list[int] = field(default_factory=list)
    translation: list[float] = field(default_factory=list)  # 1 for positions, 0 for directions
    owner: list[str] = field(default_factory=list)  # part that the row belongs to
    rigid: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)  # (row of r, rows of the directors)
    unit_vectors: set[int] = field(default_factory=set)  # rows without a unit; all others are lengths
    mass: list[OnRows] = field(default_factory=list)
    weight: list[OnRows] = field(default_factory=list)  # [kg], without inertia
    quasi_static: set[int] = field(default_factory=set)  # rows without inertia, balanced at the end of every step
    singular: dict[int, float] = field(default_factory=dict)  # director row without own inertia -> stand-in [kg m²]
    energies: list[Instance] = field(default_factory=list)
    forces: list[Instance] = field(default_factory=list)
    links: list[Instance] = field(default_factory=list)
    constraints: list[Instance] = field(default_factory=list)
    rates: list[Instance] = field(default_factory=list)  # constraints of velocities
    functions: list[TimeFunction] = field(default_factory=list)
    function_owner: list[str] = field(default_factory=list)  # the part each function belongs to
    displacements: list[int] = field(default_factory=list)  # functions that grow with the load factor in statics
    driven: list[Motion] = field(default_factory=list)
    gravity_scale: Callable[[float], float] | None = None
    initial: list[tuple[Instance, float | None, float | None]] = field(default_factory=list)  # coordinate, value, rate
    drag: dict[int, float] = field(default_factory=dict)  # row -> rate α [1/s] of mass-proportional damping
    user_forces: list[UserLaw] = field(default_factory=list)
    starts: dict[int, float] = field(default_factory=dict)  # function of time of a muscle -> activation at the start
    start_checks: list[StartCheck] = field(default_factory=list)  # a doubt about the start, or ""
    eliminated: set[str] = field(default_factory=set)  # ties that are built into the weights
    mortars: dict[str, dict[int, Weights]] = field(default_factory=dict)  # of ties of surfaces: what each node follows
    # By the name of an eliminated tie: nodes that it holds by a constraint all the same.
    still_tied: dict[str, list[Any]] = field(default_factory=dict)
    holds: dict[bytes, list[Any]] = field(default_factory=dict)  # what is held along directions: by which `Hold`s
    contacts: list[Any] = field(default_factory=list)  # compiled pairs of points and surfaces
    contact_problem: Callable[[RunningSystem], Any] | None = None  # makes of them what they add to the equations
    _array: NDArray[np.float64] = field(default_factory=lambda: np.zeros((0, 0)))  # with room for rows to come
    _filled: int = 0

    # --- rows -------------------------------------------------------------------------------------------------------

    def row(self, owner: str, x: ArrayLike, v: ArrayLike, *, kind: int = FREE, direction: bool = False) -> int:
        """A new row of the state: a position, or a material direction."""
        self.x.append(np.asarray(x, dtype=float))
        self.v.append(np.asarray(v, dtype=float))
        self.kind.append(kind)
        self.translation.append(0.0 if direction else 1.0)
        self.owner.append(owner)
        return len(self.x) - 1

    def rows(self, owner: str, x: NDArray[np.float64], v: NDArray[np.float64]) -> NDArray[np.int64]:
        """New rows, positions that move with the unknowns: x and v have shape (rows, d)."""
        first, count = len(self.x), len(x)
        self.x += list(x)
        self.v += list(v)
        self.kind += [FREE] * count
        self.translation += [1.0] * count
        self.owner += [owner] * count
        return np.arange(first, first + count)

    def frame(
        self, owner: str, r: ArrayLike, directors: ArrayLike, velocity: ArrayLike, spin: ArrayLike, *, kind: int = FREE
    ) -> tuple[int, tuple[int, ...]]:
        """Rows r, d_1 … d_d of a body; directors are the columns of a (d, d) matrix, spin the angular velocity."""
        D = np.asarray(directors, dtype=float).T
        first = self.row(owner, r, velocity, kind=FIXED if kind == FIXED else FREE)
        rates = turned(spin, D) if np.any(spin) else np.zeros(D.shape)
        rows = tuple(self.row(owner, D[i], rates[i], kind=kind, direction=True) for i in range(self.d))
        self.unit_vectors.update(rows)
        if kind == DIRECTOR:
            self.rigid.append((first, rows))
        return first, rows

    def drive(self, rows: Sequence[int], motion: Callable[[float], NDArray[np.float64]]) -> None:
        """Prescribe fixed rows: motion(t) gives their values, shape (len(rows), d)."""
        self.driven.append((np.asarray(rows, dtype=np.int64), motion))

    # --- places -----------------------------------------------------------------------------------------------------

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
        places += [anchor.outline_places(x) for anchor in self.anchors.values()]
        size = float(np.linalg.norm(np.ptp(np.vstack(places), axis=0))) or self._gyration() or 1.0
        self._extent = built, size
        return size

    def row_masses(self) -> NDArray[np.float64]:
        """Diagonal of the mass matrix, shape (rows,)."""
        rows = np.concatenate([np.zeros(0, dtype=np.int64), *(rows for rows, _ in self.mass)])
        diagonal = np.concatenate([np.zeros(0), *(matrix.diagonal() for _, matrix in self.mass)])
        return np.bincount(rows, diagonal, len(self.x)).astype(float)

    def _gyration(self) -> float:
        """Radius of gyration [m] of bodies that are all in one place and have no outline."""
        inertia = self.row_masses()
        places = np.array(self.translation) > 0
        mass, turning = inertia[places].max(initial=0.0), inertia[list(self.unit_vectors)].max(initial=0.0)
        return float(np.sqrt(turning / mass)) if mass > 0.0 else 0.0

    def tied_points(
        self, body: str, places: Mapping[Any, NDArray[np.float64]], groups: Mapping[str, Iterable[Any]]
    ) -> dict[Any, Tied]:
        """Nodes of `body` that a Tie gives to another body, by key; places [m] and groups of keys are the body's."""
        found: dict[Any, Tied] = {}
        for tie in self.model:
            if not isinstance(tie, NodeTie) or tie.body != body:
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
                        self.still_tied.setdefault(tie.name, []).append(key)
                    continue
                place = Point(tie.to, tuple(places[key].tolist()), "world")
                found[key] = Tied(mortar[int(key)] if mortar else anchor.position(place, tie), anchor, tie)
        for key in [key for key, tied in found.items() if tied.tie.name == self.release]:
            self.still_tied.setdefault(self.release, []).append(key)
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

    def add_row_mass(self, rows: Sequence[int], matrix: NDArray[np.float64]) -> None:
        """Kinetic energy of these rows themselves, in increasing order."""
        self.mass.append((np.array(rows, dtype=np.int64), matrix))

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
        elastic stress. swelling: function of time, by how much the stress-free shape is larger than that of the
        weights. columns: the first so many vectors are gradients of the deformation: 1 of a line, 2 of a surface (in
        the plane: of a solid), 3 of a solid. A step in which a line or surface collapses, or a solid turns inside out,
        is not accepted. element: its number, for the report.
        """
        instance = Instance(
            law, rows, weights, measure, tuple(params), part, viscosity=damping, columns=columns, element=element
        )
        instance.prony = tuple(prony)
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
        self._constrain(
            part, law, vectors, params, hold=hold, stiffness=stiffness, component=component, internal=internal,
            drive=self._channel(function, part),
        )  # fmt: skip

    def _constrain(
        self, part: str, law: int, vectors: Sequence[Weights], params: Sequence[float], **options: Any
    ) -> None:
        rows, W = common_rows([v.pruned() for v in vectors])
        self._movable(part, rows)
        self.constraints.append(Instance(law, rows, W[None], np.ones(1), tuple(params), part, **options))

    def add_rate(
        self,
        part: str,
        law: int,
        vectors: Sequence[Weights],
        params: Sequence[float],
        component: str,
        function: Any = None,
    ) -> None:
        """A constraint of velocities a(y)·ẏ = 0, or = function(t)."""
        rows, W = common_rows([v.pruned() for v in vectors])
        self._movable(part, rows)
        if not self.quasi_static.isdisjoint(rows.tolist()):
            body = next(self.owner[r] for r in rows if r in self.quasi_static)
            raise InputError(
                f"{self.model[part].label}: '{body}' is quasi-static and has no velocity that could be held; give it inertia"
            )
        drive = self._channel(function, part)
        self.rates.append(
            Instance(law, rows, W[None], np.ones(1), tuple(params), part, component=component, drive=drive)
        )

    def add_internal(self, part: str, law: int, rows: NDArray[np.int64], value: float, component: str) -> None:
        """A constraint c(G) = 0 of these rows themselves, in increasing order, that only keeps a rigid body rigid."""
        weights, one = _OF_ROWS[len(rows)]
        self.constraints.append(Instance(law, rows, weights, one, (value,), part, component=component, internal=True))

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
        vectors, params, turns = pack(terms, 1)
        self._constrain(
            part, COORDINATE, vectors, (constant, *params), hold=hold, stiffness=stiffness, component=component,
            drive=drive if function is None else self._channel(function, part), turns=turns,
        )  # fmt: skip

    def add_initial(self, part: str, term: Term, value: float | None, rate: float | None) -> None:
        """A joint coordinate that starts with a given value or rate."""
        vectors, params, turns = pack([term], 1)
        rows, W = common_rows([v.pruned() for v in vectors])
        now = float(term.coordinate.at(self.places()))
        instance = Instance(
            COORDINATE, rows, W[None], np.ones(1), (now, *params), part, component="initial", turns=turns
        )
        self.initial.append((instance, value, rate))

    def add_coordinate_energy(self, part: str, term: Term, stiffness: float, lower: float, upper: float) -> None:
        """½ k (distance of a joint coordinate from [lower, upper])²."""
        vectors, params, turns = pack([term], 3)
        rows, W = common_rows(vectors)
        values = (stiffness, lower, upper, *params)
        self.energies.append(Instance(COORDINATE_SPRING, rows, W[None], np.ones(1), values, part, turns=turns))

    def add_potential(self, part: str, term: Term) -> None:
        """A stored energy U(q) [J] of a joint coordinate: its spline is the energy."""
        vectors, params, turns = pack([term], 1)
        rows, W = common_rows(vectors)
        self.energies.append(Instance(COORDINATE, rows, W[None], np.ones(1), (0.0, *params), part, turns=turns))

    def add_coordinate_force(
        self, part: str, law: int, term: Term, lead: tuple[float, ...], function: Any = None
    ) -> None:
        """A generalised force or damper on a joint coordinate."""
        vectors, params, turns = pack([term], len(lead))
        self.add_force(part, law, vectors, (*lead, *params), function)
        self.forces[-1].turns = turns

    def add_path_energy(self, part: str, law: int, terms: list[Term], lead: tuple[float, ...]) -> None:
        """A stored energy of the length of a path, the sum of its terms."""
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
        vectors, params, turns = pack(terms, len(lead))
        self.add_force(part, law, [v.pruned() for v in vectors], (*lead, *params), function)
        self.forces[-1].turns = (*turns, *((place, -1) for place in states))
        if start is not None:
            self.starts[self.forces[-1].channel] = start

    def check_finite(self) -> None:
        """InputError that names the part, if a number that came here is not finite or far beyond what can be computed with."""
        instances = (*self.energies, *self.forces, *self.links, *self.constraints, *self.rates)
        on_rows = (*self.mass, *self.weight)
        # Elements of a mesh hold pieces of one array, which is looked at once. Their parameters are often one tuple.
        arrays = [matrix for _, matrix in on_rows] + [a for i in instances for a in (i.weights, i.measure)]
        owners = {id(a if a.base is None else a.base): a if a.base is None else a.base for a in arrays}
        params = {id(i.params): i.params for i in instances}
        numbers = np.array([p for group in params.values() for p in group], dtype=float)
        everything = [np.array(self.x), np.array(self.v), numbers, *owners.values()]
        small = np.concatenate([array.ravel() for array in everything if array.size < SMALL])
        if _reasonable(small) and all(_reasonable(array) for array in everything if array.size >= SMALL):
            return
        owned = [*zip(self.owner, self.x, strict=True), *zip(self.owner, self.v, strict=True)]
        owned += [(self.owner[int(rows[0])], matrix) for rows, matrix in on_rows if len(rows)]
        for instance in instances:
            own = np.asarray(instance.params, dtype=float)
            owned += [(instance.part, a) for a in (instance.weights, instance.measure, own)]
        part = next((part for part, array in owned if not _reasonable(array)), None)
        if part is None:  # what is not finite belongs to nobody
            return
        raise InputError(
            f"{self.model[part].label}: its numbers give others that are not finite or beyond {FAR:g}; check their units"
        )

    def contributions(self) -> Contributions:
        """All that was collected, in a form that does not change any more."""
        x = self.places().copy()
        listed = {
            name: tuple(getattr(self, name))
            for name in ("owner", "rigid", "mass", "weight", "energies", "forces", "links", "constraints", "rates", "functions",
                         "function_owner", "driven", "user_forces", "initial", "start_checks", "contacts")
        }  # fmt: skip
        return Contributions(
            points=Points(self.model, dict(self.anchors), x),
            formulation=self.formulation,
            size=self.extent(),
            x=x,
            v=np.array(self.v),
            kind=np.array(self.kind, dtype=np.int64),
            translation=np.array(self.translation),
            displacements=np.array(self.displacements, dtype=np.int64),
            unit_vectors=frozenset(self.unit_vectors),
            quasi_static=frozenset(self.quasi_static),
            singular=dict(self.singular),
            drag=dict(self.drag),
            gravity_scale=self.gravity_scale,
            contact_problem=self.contact_problem,
            starts=dict(self.starts),
            eliminated=frozenset(self.eliminated),
            mortars=dict(self.mortars),
            **listed,
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
        return any(self.kind[r] != FIXED for r in rows.tolist())

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
    if not array.size:
        return True
    return bool(array.min() > -FAR and array.max() < FAR)  # not so where one of them is no number


def turned(spin: ArrayLike, vector: NDArray[np.float64]) -> NDArray[np.float64]:
    """ω × vector, or × each of many, shape (…, d); in 2D the spin is a number [rad/s]."""
    if vector.shape[-1] == 2:
        omega = float(np.asarray(spin, dtype=float))
        return np.stack([-omega * vector[..., 1], omega * vector[..., 0]], axis=-1)
    if vector.ndim > 1:
        return np.cross(np.asarray(spin, dtype=float), vector)
    (p, q, r), (x, y, z) = np.asarray(spin, dtype=float).tolist(), vector.tolist()
    return np.array([q * z - r * y, r * x - p * z, p * y - q * x])
