"""Nodes bonded to another body: exact, by elimination, or by any other enforcement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from condyle.bodies.enforcement import held
from condyle.errors import InputError
from condyle.model.part import Part, did_you_mean, plain
from condyle.model.point import Point
from condyle.system.weights import Weights

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder


@dataclass
class Tie(Part):
    """Nodes of `body` follow the body `to` (Taylor 2000, §6.1).

    nodes: name of a set (a mesh's set, 'start' or 'end' of a rod, a corner of a RigidSimplex), or a list of node numbers.
    With enforcement 'eliminate' the nodes have no unknowns of their own; a rod's end is clamped, a shared corner is a
    spherical joint without equations. Tie to 'ground' to support a body.
    """

    name: str
    body: Any
    nodes: Any
    to: Any
    enforcement: Any = "eliminate"

    def __post_init__(self) -> None:
        self.body, self.to = (getattr(b, "name", b) for b in (self.body, self.to))
        self.nodes = plain(self.nodes)
        if self.enforcement != "eliminate":
            held(self.enforcement, self)

    def validate(self, model: Model) -> None:
        model.body(self.body, self)
        model.body(self.to, self)
        if self.body == self.to:
            raise InputError(f"{self.label}: '{self.body}' cannot be tied to itself")

    def keys(self, places: Mapping[Any, Any], groups: Mapping[str, Iterable[Any]]) -> list[Any]:
        """The nodes meant, as keys of the body's places."""
        wanted = self.nodes if isinstance(self.nodes, list) else [self.nodes]
        keys: list[Any] = []
        for item in wanted:
            if item in groups:
                keys += list(groups[item])
            elif item in places:
                keys.append(item)
            else:
                hint = did_you_mean(str(item), [*groups, *places])
                raise InputError(f"{self.label}: '{self.body}' has no set or node {item!r}{hint}")
        if not keys:
            raise InputError(f"{self.label}: there are no nodes to tie")
        return keys

    def compile(self, builder: Builder) -> None:
        """Nothing when built into the weights; else one vector constraint per node."""
        if self.name in builder.eliminated:
            return
        anchor = builder.anchor(self.body, self)
        sets = getattr(builder.model[self.body], "sets", {})
        hold = held("multiplier" if self.enforcement == "eliminate" else self.enforcement, self)
        wanted = self.nodes if isinstance(self.nodes, list) else [self.nodes]
        keys = [k for item in wanted for k in (sets.get(item, [item]))]
        for key in keys:
            here = Point(self.body, key)
            own = anchor.position(here, self)
            there = Point(self.to, tuple(builder.value(own).tolist()), "world")
            builder.add_link(self.name, own - builder.position(there, self), *hold)
            for k, relative in enumerate(getattr(anchor, "section_vectors", _none)(here, self)):
                follows = builder.direction(there, builder.value(relative), self)
                builder.add_link(self.name, relative - follows, *hold, component=f"section {k + 1}")


def _none(point: Point, wanted_by: Part) -> list[Weights]:
    return []
