"""Nodes bonded to another body: exact, by elimination, or by any other enforcement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.bodies.capabilities import Grouped, Sectioned, SectionTied, Shaped, able
from condyle.bodies.enforcement import Enforcement, held
from condyle.errors import InputError
from condyle.model.given import Nodes, OnBody
from condyle.model.part import did_you_mean, plain
from condyle.model.point import Point
from condyle.model.quantities import declared
from condyle.system.ties import NodeTie
from condyle.system.weights import Weights, combination

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.builder import Builder


@declared
class Tie(NodeTie):
    """Nodes of `body` follow the body `to` (Taylor 2000, §6.1).

    nodes: name of a set (a mesh's set, 'start' or 'end' of a rod, a corner of a RigidSimplex), or a list of node numbers.
    With enforcement 'eliminate' the nodes have no unknowns of their own; a rod's end is clamped, a shared corner is a
    spherical joint without equations. Tie to 'ground' to support a body.

    surface: of the solid `to`, by name. Then `nodes` names a surface of the solid `body`, and the two surfaces are joined in
    the mean (mortar), so that stress passes from one to the other whatever their meshes; let the finer one follow. Where
    they are curved and do not quite meet, the tied nodes are put onto the other surface, without stress. Facets of which
    less than half lies on the other surface stay free.
    """

    name: str
    body: OnBody
    nodes: Nodes
    to: OnBody
    enforcement: Enforcement = "eliminate"
    surface: str | None = None

    def __post_init__(self) -> None:
        self.body, self.to = (getattr(b, "name", b) for b in (self.body, self.to))
        self.nodes = plain(self.nodes)
        if self.enforcement != "eliminate":
            held(self.enforcement, self)
        if self.surface is not None and not isinstance(self.nodes, str):
            raise InputError(
                f"{self.label}: with surface=…, nodes must be the name of a surface or set of '{self.body}'"
            )

    def validate(self, model: Model) -> None:
        model.body(self.body, self)
        model.body(self.to, self)
        if self.body == self.to:
            raise InputError(f"{self.label}: '{self.body}' cannot be tied to itself")
        for name in (self.body, self.to):
            if self.surface is not None:
                able(model.body(name, self), Shaped, name, self.label, "leave out surface")

    def keys(self, places: Mapping[str | int, object], groups: Mapping[str, Iterable[str | int]]) -> list[str | int]:
        """The nodes meant, as keys of the body's places."""
        wanted = self.nodes if isinstance(self.nodes, list) else [self.nodes]
        keys: list[str | int] = []
        for item in wanted:
            if isinstance(item, str) and item in groups:
                keys += list(groups[item])
            elif item in places:
                keys.append(item)
            else:
                hint = did_you_mean(str(item), [*groups, *map(str, places)])
                raise InputError(f"{self.label}: '{self.body}' has no set or node {item!r}{hint}")
        if not keys:
            raise InputError(f"{self.label}: there are no nodes to tie")
        return keys

    def mortar(self, builder: Builder) -> dict[int, Weights]:
        """Nodes of the surface that is tied, and what each follows on the other one."""
        body: Any = builder.model[self.body]
        to: Any = builder.anchor(self.to, self)
        own = body.shape_anchor()
        about_axis = own.depth is None
        if about_axis != (to.depth is None):
            raise InputError(
                f"{self.label}: of '{self.body}' and '{self.to}' only one is axisymmetric; make both alike"
            )
        from condyle.bodies.mortar import following

        faces, others = own.facets(self.nodes, self), to.facets(self.surface, self)
        nodes, P = following(faces, own.X, others, to.X, radius=about_axis)
        if not nodes.size:
            raise InputError(
                f"{self.label}: '{self.nodes}' of '{self.body}' and '{self.surface}' of '{self.to}' do not lie on each "
                "other; check the names and places of both surfaces"
            )
        spans = zip(P.indptr[:-1], P.indptr[1:], strict=True)
        return {
            int(i): combination((float(P.data[k]), to.vectors[P.indices[k]]) for k in range(*span))
            for i, span in zip(nodes, spans, strict=True)
        }

    def compile(self, builder: Builder) -> None:
        """One vector constraint per node; nothing where it is built into the weights.

        A node that another tie gives to another body already joins the two bodies there, whatever the enforcement.
        """
        eliminated = self.name in builder.eliminated
        hold = held("multiplier" if self.enforcement == "eliminate" else self.enforcement, self)
        anchor = builder.anchor(self.body, self)
        if self.surface is not None:
            mortar = builder.mortars[self.name]
            for node in builder.still_tied.get(self.name, []) if eliminated else mortar:
                self._bond(builder, node, anchor.position(Point(self.body, node), self), mortar[node], hold)
            return
        body = builder.model[self.body]
        sets = body.sets if isinstance(body, Grouped) else {}
        wanted = self.nodes if isinstance(self.nodes, list) else [self.nodes]
        keys = [k for item in wanted for k in (sets[item] if isinstance(item, str) and item in sets else [item])]
        for key in builder.still_tied.get(self.name, []) if eliminated else keys:
            here = Point(self.body, key)
            own = anchor.position(here, self)
            there = Point(self.to, tuple(builder.value(own).tolist()), "world")
            self._bond(builder, key, own, builder.position(there, self), hold)
            relatives: list[Weights] = []
            if eliminated and isinstance(anchor, SectionTied):
                relatives = anchor.tied_vectors(here, self)
            elif not eliminated and isinstance(anchor, Sectioned):
                relatives = anchor.section_vectors(here, self)
            for k, relative in enumerate(relatives):
                follows = builder.direction(there, builder.value(relative), self)
                self._bond(builder, key, relative, follows, hold, component=f"section {k + 1}")

    def _bond(
        self, builder: Builder, node: Any, own: Weights, follows: Weights, hold: Any, component: str = ""
    ) -> None:
        """own = follows; nothing to do where neither can move, unless prescribed motions part them."""
        gap = (own - follows).pruned(1e-12)
        if builder.moves(gap.rows):
            builder.add_link(self.name, gap, hold[0], hold[1], component=component)
        elif max(np.linalg.norm(builder.prescribed(gap, t)) for t in SAMPLES) > 1e-9 * builder.extent():
            raise InputError(
                f"{self.label}: node {node} of '{self.body}' is tied elsewhere already, and '{self.to}' moves away from there; "
                "leave it out of one of the ties"
            )


# Times [s] at which prescribed motions are compared.
SAMPLES = (0.0, *np.geomspace(1e-3, 1e3, 25).tolist())
