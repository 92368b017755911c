"""Nodes of a mesh held or moved along one direction: rollers, symmetry planes, prescribed displacements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.capabilities import Noded, able
from condyle.bodies.enforcement import held
from condyle.errors import InputError
from condyle.joints.tie import SAMPLES
from condyle.model.fields import Numbers
from condyle.model.functions import Constant, as_function
from condyle.model.part import Part, did_you_mean, fits, plain, vector
from condyle.system.coordinate import Term, slide
from condyle.system.weights import Weights

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder

NODE = "node"  # what multipliers of places are called, as against those of gradients


@dataclass
class Hold(Part):
    """Nodes keep their place along a world direction, or are displaced along it as a function of time [m].

    body: a solid, or an ANCF body or rod. nodes: name of a set or a list of node numbers. The other directions stay free: a
    roller, a plane of symmetry, a simply supported edge, a grip that pulls. One multiplier per node: minus the force [N] that
    the support puts on it (`result.reaction`). To hold nodes in all directions, a `Tie` to the ground or to a `Frame` needs
    no multipliers. Nodes that another `Hold`, or a `Tie` to what does not move, holds that way already stay with it.
    """

    name: str
    body: Any
    nodes: Any
    direction: Numbers
    displacement: Any = 0.0
    enforcement: Any = "multiplier"

    def __post_init__(self) -> None:
        self.body = getattr(self.body, "name", self.body)
        self.nodes = plain(self.nodes)
        vector(self, "direction", nonzero=True)
        self.displacement = as_function(self.displacement, self.label)
        held(self.enforcement, self)

    def validate(self, model: Model) -> None:
        model.body(self.body, self)
        fits(self, "direction", model.dimension)

    def compile(self, builder: Builder) -> None:
        """One scalar constraint per node: its coordinate along the direction equals the start plus the displacement.

        Of plates, cables and beams also the gradients along edges between held nodes, so that edges stay in place between
        them too. What is tied to something that cannot move needs no constraint.
        """
        anchor = able(builder.anchor(self.body, self), Noded, self.body, self.label, "use a joint")
        groups, places = anchor.node_places()
        members = self.members(groups, len(places))
        drive = -1
        if self.displacement != Constant(0.0):
            builder.functions.append(self.displacement)
            builder.function_owner.append(self.name)
            drive = len(builder.functions) - 1
            builder.displacements.append(drive)
        done = [self._keep(builder, places[node], f"{NODE} {node}", drive) for node in members]
        done += [self._keep(builder, slope, name, -1) for slope, name in anchor.slopes_between(members)]
        if not any(done):
            raise InputError(f"{self.label}: every node of it is held or tied already; remove it")

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
                if isinstance(hold, Hold) and hold.displacement == Constant(0.0):
                    along = np.asarray(hold.direction) / np.linalg.norm(hold.direction)
                    anchor = builder.anchor(hold.body, hold)
                    if abs(abs(along @ n) - 1.0) < 1e-12 and isinstance(anchor, Noded):
                        groups, places = anchor.node_places()
                        held_here = (places[node] for node in hold.members(groups, len(places)))
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
            if item in sets:
                found += sets[item]
            elif isinstance(item, int) and 0 <= item < count:
                found.append(item)
            else:
                raise InputError(
                    f"{self.label}: '{self.body}' has no set or node {item!r}{did_you_mean(str(item), sets)}"
                )
        if not found:
            raise InputError(f"{self.label}: there are no nodes to hold")
        return sorted(set(found))
