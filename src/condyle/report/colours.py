"""Fields that colour the items of a page: stress and strain of solids, contact pressure, activation and tension of paths."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.bodies.capabilities import Meshed
from condyle.contact import Contact
from condyle.errors import CondyleError
from condyle.report.scene import Item

if TYPE_CHECKING:
    from condyle.results.result import Result

__all__ = ["Colouring", "colourings"]

Array = NDArray[np.float64]
STRESSES = {
    "von_mises": ("von Mises stress", "Pa"),
    "pressure": ("pressure in solids", "Pa"),
    "largest_strain": ("largest strain", ""),
}
MOST_CELLS = (
    400_000  # of a solid, in all frames together: of a larger one some frames show the field of their neighbour
)


@dataclass
class Colouring:
    """A field on an item: values in the frames, shape (frames, points), or (frames, 1) where all of it has one value."""

    field: str
    unit: str
    values: Array


def colourings(result: Result, item: Item, frames: list[int]) -> Iterator[Colouring]:
    """The fields that an item has. Solids are evaluated at all their points in every frame, which takes its time."""
    if item.kind in ("muscle", "ligament", "actuator"):
        path = result.path(item.name)
        for name, unit in (("activation", ""), ("tension", "N"), ("strain", "")):
            if name in path:
                yield Colouring(name, unit, path[name][frames][:, None])
    elif item.kind == "body" and item.nodes is not None and isinstance(result.system.anchors[item.name], Meshed):
        yield from _of_solid(result, item, frames)
        yield from _of_contacts(result, item, frames)


def _of_solid(result: Result, item: Item, frames: list[int]) -> Iterator[Colouring]:
    found: dict[str, list[Array]] = {name: [] for name in STRESSES}
    anchor: Any = result.system.anchors[item.name]
    cells = sum(len(block.cells) for block in anchor.blocks)
    count = max(1, min(len(frames), MOST_CELLS // max(1, cells)))
    chosen = np.unique(np.linspace(0, len(frames) - 1, count).round().astype(int))
    nearest = np.abs(np.arange(len(frames))[:, None] - chosen).argmin(axis=1)
    for frame in (frames[k] for k in chosen):
        fields = result.fields(item.name, frame)
        for name, values in found.items():
            nodal = fields.at_nodes(fields.scalar(name))
            # Carried on from integration points to nodes, a size can fall below zero, where there is none.
            values.append(_on_points(np.maximum(nodal, 0.0) if name == "von_mises" else nodal, item))
    for name, values in found.items():
        yield Colouring(*STRESSES[name], np.array(values)[nearest])


def _of_contacts(result: Result, item: Item, frames: list[int]) -> Iterator[Colouring]:
    """Pressure at the nodes that contacts of this body press on; zero elsewhere."""
    total = None
    for part in result.model:
        if isinstance(part, Contact) and part.body == item.name:
            try:
                contact = result.contact(part.name)
                nodes, pressure = contact.nodes, contact.pressure[frames]
            except CondyleError:
                continue
            if nodes is None:
                continue
            total = np.zeros((len(frames), _node_count(result, item))) if total is None else total
            for values, own in zip(total, np.nan_to_num(pressure), strict=True):
                np.add.at(values, nodes, own)
    if total is not None:
        yield Colouring("contact pressure", "Pa", np.array([_on_points(values, item) for values in total]))


def _node_count(result: Result, item: Item) -> int:
    anchor: Any = result.system.anchors[item.name]
    return len(anchor.vectors)


def _on_points(nodal: Array, item: Item) -> Array:
    """Values at nodes for the points of an item: those of its surface first, those of its edges as they come (0)."""
    assert item.nodes is not None
    out = np.zeros(len(item.points))
    out[: len(item.nodes)] = nodal[item.nodes]
    return out
