"""Nodes of a mesh held or moved along one direction: rollers, symmetry planes, prescribed displacements."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.bodies.enforcement import held
from condyle.errors import InputError
from condyle.joints.coordinate import Term, slide
from condyle.model.fields import Numbers
from condyle.model.functions import Constant, as_function
from condyle.model.part import Part, did_you_mean, fits, plain, vector
from condyle.system.weights import Weights

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder


@dataclass
class Hold(Part):
    """Nodes of a solid keep their place along a world direction, or are displaced along it as a function of time [m].

    nodes: name of a set or a list of node numbers. The other directions stay free: a roller, a plane of symmetry, a
    grip that pulls. One multiplier per node: minus the force [N] that the support puts on it (`result.reaction`). To hold
    nodes in all directions, a `Tie` to the ground or to a `Frame` needs no multipliers.
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
        """One scalar constraint per node: its coordinate along the direction equals the start plus the displacement."""
        anchor: Any = builder.anchor(self.body, self)
        sets = getattr(builder.model[self.body], "sets", None)
        if sets is None or not hasattr(anchor, "vectors"):
            raise InputError(f"{self.label}: '{self.body}' has no nodes; use a joint")
        n = np.asarray(self.direction) / np.linalg.norm(self.direction)
        ground: Any = builder.anchors["ground"]
        direction = Weights(ground.directors, n)
        drive = -1
        if self.displacement != Constant(0.0):
            builder.functions.append(self.displacement)
            builder.function_owner.append(self.name)
            drive = len(builder.functions) - 1
            builder.displacements.append(drive)
        for node in self.members(sets, len(anchor.vectors)):
            place = anchor.vectors[node]
            start = float(n @ builder.value(place))
            term = Term(slide(direction, place))
            builder.add_coordinate_constraint(
                self.name, [term], start, *held(self.enforcement, self), f"node {node}", drive=drive
            )

    def members(self, sets: dict[str, list[int]], count: int) -> list[int]:
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
