"""Nodes of a body, their places or directions, held or moved along one direction: rollers, symmetry planes, grips, any row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.capabilities import Noded
from condyle.bodies.enforcement import Enforcement, held
from condyle.errors import InputError
from condyle.joints.tie import SAMPLES
from condyle.model.functions import Constant, as_function
from condyle.model.given import Given, NamesLike, Nodes, OnBody, OverTime, Vector
from condyle.model.part import Part, did_you_mean, fits, plain
from condyle.model.quantities import declared, given, quantity
from condyle.system.coordinate import Term, slide
from condyle.system.tables import DIRECTOR
from condyle.system.weights import Weights

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder

PLACE = "place"
NODE = "node"  # what multipliers of places are called, as against those of gradients


@declared
class Hold(Part):
    """Nodes keep their place along a world direction, or are displaced along it as a function of time [m].

    body: any body; rigid and pseudo-rigid ones and particles have one node. nodes: name of a set, 'nodes' for all, or a list
    of node numbers. The other directions stay free: a roller, a plane of symmetry, a simply supported edge, a grip that pulls.
    One multiplier per node: minus the force [N] that the support puts on it (`result.reaction`). To hold nodes in all
    directions, a `Tie` to the ground or to a `Frame` needs no multipliers. Nodes that another `Hold`, or a `Tie` to what does
    not move, holds that way already stay with it.

    vectors: what of each node is held: 'place', or 'direction 1', 'direction 2', …: gradients r_x, r_y, … of ANCF bodies,
    directors of rigid bodies and rods, columns of the deformation and coefficients of pseudo-rigid bodies; or a list of these.
    """

    name: str
    body: OnBody
    nodes: Nodes
    direction: Vector = quantity(vector=True, nonzero=True)
    displacement: OverTime = given(default=0.0)
    enforcement: Enforcement = "multiplier"
    vectors: Given[NamesLike, str | list[str]] = given(default=PLACE)

    def __post_init__(self) -> None:
        self.body = getattr(self.body, "name", self.body)
        self.nodes = plain(self.nodes)
        self.vectors = plain(self.vectors)
        if not self.vector_names() or not all(isinstance(name, str) for name in self.vector_names()):
            raise InputError(f"{self.label}: vectors are 'place', 'direction 1', … or a list of these")
        self.displacement = as_function(self.displacement, self.label)
        held(self.enforcement, self)

    def vector_names(self) -> list[str]:
        """What of each node is held."""
        return self.vectors if isinstance(self.vectors, list) else [self.vectors]

    def validate(self, model: Model) -> None:
        model.body(self.body, self)
        fits(self, "direction", model.dimension)

    def compile(self, builder: Builder) -> None:
        """One scalar constraint per node and vector: its component along the direction equals the start plus the displacement.

        Of plates, cables and beams also the gradients along edges between held nodes, so that edges stay in place between
        them too. What is tied to something that cannot move needs no constraint.
        """
        anchor: Any = builder.anchor(self.body, self)
        nodes = anchor.nodal()
        members = self.members(_sets(anchor), len(nodes))
        drive = -1
        if self.displacement != Constant(0.0):
            builder.functions.append(self.displacement)
            builder.function_owner.append(self.name)
            drive = len(builder.functions) - 1
            builder.displacements.append(drive)
        done = []
        for name in self.vector_names():
            for node in members:
                label = f"{NODE} {node}" if name == PLACE else f"{name} of {NODE} {node}"
                done.append(self._keep(builder, self._vector(nodes[node], name), label, drive))
        if PLACE in self.vector_names() and isinstance(anchor, Noded):
            done += [self._keep(builder, slope, name, -1) for slope, name in anchor.slopes_between(members)]
        if not any(done):
            raise InputError(f"{self.label}: every node of it is held or tied already; remove it")

    def _vector(self, node: list[Weights], name: str) -> Weights:
        """The place or a direction of a node."""
        names = [PLACE, *(f"direction {k}" for k in range(1, len(node)))]
        if name not in names:
            raise InputError(f"{self.label}: nodes of '{self.body}' have no '{name}'{did_you_mean(name, names)}")
        return node[names.index(name)]

    def _keep(self, builder: Builder, vector: Weights, what: str, drive: int) -> bool:
        """Hold one vector, a place or a gradient, along the direction, unless it is held already. Is it held by this part?"""
        n = np.asarray(self.direction) / np.linalg.norm(self.direction)
        moved = self.displacement if drive >= 0 else Constant(0.0)
        vector = vector.pruned(1e-12)
        if not builder.moves(vector.rows):
            place = builder.value(vector)
            gap = max(abs(n @ (builder.prescribed(vector, t) - place) - moved(t)) for t in SAMPLES)
            if gap > 1e-9 * builder.extent():
                raise InputError(
                    f"{self.label}: {what} of '{self.body}' is tied to what moves otherwise along {self.direction}; leave it "
                    "out of the hold or of the tie"
                )
            return False
        if vector.rows.size > 1 and moved == Constant(0.0) and self._implied(builder, vector, n):
            return False
        if all(builder.kind[row] == DIRECTOR for row in vector.rows) and _along(builder.value(vector), n):
            raise InputError(
                f"{self.label}: {what} of '{self.body}' points along {self.direction}, where turning does not change it; hold "
                "it along a direction across"
            )
        others = builder.holds.setdefault(vector.rows.tobytes() + vector.values.round(9).tobytes(), [])
        for along, displacement, label in others:
            if abs(abs(along @ n) - 1.0) < 1e-12:
                if displacement != moved or (along @ n < 0.0 and moved != Constant(0.0)):
                    raise InputError(
                        f"{self.label}: {what} of '{self.body}' is moved otherwise by {label}; leave it out of one of them"
                    )
                return False
        others.append((n, moved, self.label))
        ground: Any = builder.anchors["ground"]
        term = Term(slide(Weights(ground.directors, n), vector))
        start = float(n @ builder.value(vector))
        builder.add_coordinate_constraint(self.name, [term], start, *held(self.enforcement, self), what, drive=drive)
        return True

    def _implied(self, builder: Builder, vector: Weights, n: NDArray[np.float64]) -> bool:
        """Is it a sum of nodes that are all held along n, as where a plane of symmetry passes through tied surfaces?"""
        key = b"along " + (n * np.sign(n[np.argmax(np.abs(n))])).round(9).tobytes()
        if key not in builder.holds:
            rows: list[int] = []
            for hold in builder.model:
                if isinstance(hold, Hold) and hold.displacement == Constant(0.0) and PLACE in hold.vector_names():
                    along = np.asarray(hold.direction) / np.linalg.norm(hold.direction)
                    anchor = builder.anchor(hold.body, hold)
                    if abs(abs(along @ n) - 1.0) < 1e-12:
                        nodes = anchor.nodal()
                        held_here = (nodes[node][0] for node in hold.members(_sets(anchor), len(nodes)))
                        rows += [int(place.rows[0]) for place in held_here if place.rows.size == 1]
            builder.holds[key] = rows
        driven = {int(row) for rows, _ in builder.driven for row in rows}
        still = set(builder.holds[key])
        return all(
            row in still or not (row in driven or builder.moves(np.array([row]))) for row in vector.rows.tolist()
        )

    def members(self, sets: Mapping[str, Sequence[int]], count: int) -> list[int]:
        """Numbers of the nodes that are meant."""
        found: list[int] = []
        for item in self.nodes if isinstance(self.nodes, list) else [self.nodes]:
            if isinstance(item, str) and item in sets:
                found += sets[item]
            elif item == "nodes":
                found += range(count)
            elif isinstance(item, int) and 0 <= item < count:
                found.append(item)
            else:
                raise InputError(
                    f"{self.label}: '{self.body}' has no set or node {item!r}{did_you_mean(str(item), sets)}"
                )
        if not found:
            raise InputError(f"{self.label}: there are no nodes to hold")
        return sorted(set(found))


def _sets(anchor: object) -> Mapping[str, Sequence[int]]:
    """Named sets of nodes of a body."""
    return anchor.node_places()[0] if isinstance(anchor, Noded) else {}


def _along(value: NDArray[np.float64], n: NDArray[np.float64]) -> bool:
    """Does a vector point along n, one way or the other?"""
    return float(abs(value @ n)) > (1.0 - 1e-9) * float(np.linalg.norm(value))
