"""A rigid body cut in two, as equations see it: what acts beyond the cut acts on rows of their own.

Parts reach a body by its anchor alone. The anchor of a cut body answers for places beyond the cut with rows of a twin, which
has the mass of that part and moves with the body. So every force on that part, of whatever law, is a force on the rows of
the twin, and what these lack of balance is what the cut transmits.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.model.point import Point
from condyle.system import assembly
from condyle.system.compile import assemble_system, compile
from condyle.system.fading import STRESS_MEMORY
from condyle.system.running import RunningSystem
from condyle.system.state import LOAD_FACTOR, LOAD_TIME
from condyle.system.tables import DIRECTOR, MULTIPLIER
from condyle.system.weights import Weights

if TYPE_CHECKING:
    from condyle.bodies.body import Anchor
    from condyle.model.part import Part
    from condyle.system.builder import Builder
    from condyle.system.state import State
    from condyle.system.system import System

Array = NDArray[np.float64]
ROUND_OFF = 1e-12  # of the size of the model: a place that near to the cut is in it


@dataclass(frozen=True)
class Cut:
    """A plane through `place` [m] across `normal`, both in the axes of a body, and what lies beyond it.

    moments: ∫ρ [1; ξ][1; ξ]ᵀ dV of that part, shape (d + 1, d + 1). contacts: parts that are not compiled, because their
    points come and go. left_out: parts whose forces are not wanted. sides: parts of which it is said whether they act beyond.
    """

    body: str
    place: Array
    normal: Array
    moments: Array
    contacts: frozenset[str] = frozenset()
    left_out: frozenset[str] = frozenset()
    sides: Mapping[str, bool] = field(default_factory=dict)

    def is_beyond(self, xi: Array) -> NDArray[np.bool_]:
        """Do places (…, d) in the axes of the body lie beyond the cut?"""
        return np.asarray((xi - self.place) @ self.normal > 0.0)

    def divide(self, builder: Builder, anchor: Anchor) -> CutAnchor:
        """The anchor of the body in two parts, with the rows of the twin."""
        return CutAnchor(builder, anchor, self)


class CutAnchor:
    """Points and directions of a body that is cut: those beyond the cut are of its twin with rows r, d_1 … d_d."""

    def __init__(self, builder: Builder, whole: Anchor, cut: Cut) -> None:
        self.whole, self.cut, self._builder = whole, cut, builder
        self.frame = [whole.position(Point(cut.body), builder.model[cut.body]), *whole.axes()]
        x, v = builder.places(), np.array(builder.v)
        origin, *axes = (w.at(x) for w in self.frame)
        self._origin, self._inverse = origin, np.linalg.inv(np.transpose(axes))
        rates = [w.at(v) for w in self.frame]
        turning = builder.kind[int(self.frame[1].rows[0])]
        first = builder.row(cut.body, origin, rates[0])
        directors = tuple(
            builder.row(cut.body, y, rate, kind=turning, direction=True)
            for y, rate in zip(axes, rates[1:], strict=True)
        )
        builder.unit_vectors.update(directors)
        if turning == DIRECTOR:
            builder.rigid.append((first, directors))
        self.rows = np.array([first, *directors], dtype=np.int64)
        builder.add_row_mass(self.rows.tolist(), cut.moments)
        self.turned: set[str] = set()  # parts that act on directions of the body as a whole,
        self.placed: set[str] = set()  # those that act at its origin,
        self.oriented: set[str] = set()  # those that asked for its axes,
        self.directed: set[str] = set()  # and those that asked for directions somewhere
        self.at_cut: set[str] = set()  # parts that act in the plane of the cut

    def position(self, point: Point, wanted_by: Part) -> Weights:
        found = self.whole.position(point, wanted_by)
        if point.at is None:
            self.placed.add(_name(wanted_by))
        xi = self._inverse @ (self._builder.value(found) - self._origin)
        return Weights.in_order(self.rows, np.array([1.0, *xi])) if self._beyond(xi, wanted_by) else found

    def direction(self, point: Point, vector: Array, frame: str, wanted_by: Part) -> Weights:
        found = self.whole.direction(point, vector, frame, wanted_by)
        self.directed.add(self._builder.under_way)
        if point.at is None:
            self.turned.add(_name(wanted_by))
        at = self._builder.value(self.whole.position(point, wanted_by))
        if not self._beyond(self._inverse @ (at - self._origin), wanted_by):
            return found
        return Weights.in_order(self.rows[1:], self._inverse @ self._builder.value(found))

    def _beyond(self, xi: Array, wanted_by: Part) -> bool:
        under_way = self._builder.under_way
        if under_way in self.cut.left_out:
            return False
        for name in (under_way, _name(wanted_by)):
            if name in self.cut.sides:
                return self.cut.sides[name]
        if abs((xi - self.cut.place) @ self.cut.normal) <= ROUND_OFF * self._builder.extent():
            self.at_cut.add(_name(wanted_by))
        return bool(self.cut.is_beyond(xi))

    @property
    def without_place(self) -> list[str]:
        """Parts that turn the body as a whole, so that nothing says on which side of the cut."""
        whole = (self.turned - self.placed) | (self.oriented - self.directed)
        return sorted(whole - self.cut.left_out - self.cut.sides.keys())

    @property
    def undecided(self) -> list[str]:
        """Parts that act in the plane of the cut, where its force jumps."""
        return sorted(self.at_cut - set(self.without_place))

    def outline(self) -> Any:
        return self.whole.outline()

    def outline_places(self, x: Array) -> Array:
        return self.whole.outline_places(x)

    def axes(self) -> list[Weights]:
        self.oriented.add(self._builder.under_way)
        if self.cut.sides.get(self._builder.under_way, False):
            return [Weights([row], [1.0]) for row in self.rows[1:].tolist()]
        return self.whole.axes()

    def nodal(self) -> list[list[Weights]]:
        part, nodes = self._builder.model[self._builder.under_way], []
        for place, *directions in self.whole.nodal():
            at = Point(self.cut.body, tuple(self._builder.value(place).tolist()), "world")
            values = [self._builder.value(direction) for direction in directions]
            nodes.append([self.position(at, part), *(self.direction(at, y, "world", part) for y in values)])
        return nodes


class Divided:
    """The system of a run with one of its bodies cut in two, for what the part beyond the cut lacks of balance."""

    def __init__(self, system: System, cut: Cut) -> None:
        compiled = compile(
            system.model, formulation=system.formulation, solver=system.solver_kind, massless=True, cut=cut
        )
        given = compiled.contributions
        links, constraints, rates = (  # multipliers are what was recorded, however constraints were held
            tuple(replace(instance, hold=MULTIPLIER) for instance in family)
            for family in (given.links, given.constraints, given.rates)
        )
        given = replace(given, links=links, constraints=constraints, rates=rates)
        made = assemble_system(given, identity=compiled.identity, solver=system.solver_kind)
        if [m[:2] for m in made.multipliers] != [
            m[:2] for m in system.multipliers
        ] or made.turn_count != system.turn_count:
            raise InputError(
                f"the model '{system.model.name}' is not as it was in the run; take forces through a cut before it is changed"
            )
        self.system = RunningSystem(made)
        anchor: Any = made.anchors[cut.body]
        self.anchor: CutAnchor = anchor
        self.rows = self.anchor.rows
        twin = np.isin(made.mass.first, self.rows)
        others = np.unique(made.mass.second[twin])
        before, after = others[others < self.rows[0]], others[others > self.rows[-1]] - len(self.rows)
        own = [w.rows for w in self.anchor.frame]
        self.accelerated = np.unique(np.concatenate((before, after, *own)))
        """Rows of the system of the run whose accelerations the twin feels."""

    def spread(self, x: Array) -> Array:
        """Rows of the system with those of the twin, (n, d), out of the rows of the run."""
        own = np.array([w.at(x) for w in self.anchor.frame])
        return np.concatenate((x[: self.rows[0]], own, x[self.rows[0] :]))

    def inputs(self, state: State) -> list[str]:
        """Parts whose functions of time act on the twin at a state of the run, multipliers apart."""
        s, found = self.system, []
        still, none = np.zeros_like(state.x), np.zeros(len(self.system.multipliers))
        before, values = self.lacking(state, still, none)[0], s.amplitudes(_loaded(state)[0])
        for k, owner in enumerate(s.function_owner):
            s.overrides[k] = values[k] + 1.0
            if not np.array_equal(self.lacking(state, still, none)[0], before, equal_nan=True):
                found.append(owner)
            del s.overrides[k]
        return found

    def lacking(self, state: State, acceleration: Array, multipliers: Array) -> tuple[Array, Array]:
        """Force m ẍ − f that the rows of the twin lack [N], and their places, (d + 1, d) each, at a state of the run."""
        s, out = self.system, self.system.scratch
        t, factor = _loaded(state)
        x, v = self.spread(state.x), self.spread(state.v)
        s.set_turns(state.turns)
        s.swell(t, factor)
        if s.fading:
            s.fading.at_rest(state.memory.get(STRESS_MEMORY))
        amplitudes = factor * s.amplitudes(t)
        loads = factor * s.applied(t, x, v), amplitudes, np.array([amplitudes, amplitudes])
        free = np.zeros(s.links.law.size), np.zeros(s.constraints.law.size)
        s.assemble(
            (x, x, x, v, self.spread(acceleration), x), loads, (multipliers, *free), assembly.END, assembly.END,
            (1.0, 1.0, 0.0), (assembly.NO_MAP, assembly.NO_MAP), False, out,
        )  # fmt: skip
        return out.q[self.rows], x[self.rows]  # copies


def _loaded(state: State) -> tuple[float, float]:
    """The time whose loads act at a state [s], and by which factor, which is not 1 in statics."""
    if LOAD_FACTOR not in state.memory:
        return state.t, 1.0
    return float(state.memory[LOAD_TIME][0]), float(state.memory[LOAD_FACTOR][0])


def _name(part: Part) -> str:
    return str(getattr(part, "name", ""))


__all__ = ["Cut", "CutAnchor", "Divided"]
