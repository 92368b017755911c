"""Components of joints that are released: their multipliers are zero, and what they held is free."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.errors import InputError
from condyle.laws.codes import DOT_PRODUCT
from condyle.model.part import did_you_mean
from condyle.system.weights import Weights, common_rows

if TYPE_CHECKING:
    from condyle.system.builder import Builder
    from condyle.system.contributions import Instance


def release_components(builder: Builder) -> None:
    """Take the components that joints release out of what has been compiled.

    A vector constraint of which a part is left becomes scalar ones along the axes of the world: of the same c, so that their
    multipliers mean the same.
    """
    for part in builder.model:
        released = getattr(part, "released", ())
        if released:
            _release(builder, part, set(released))


def _release(builder: Builder, part: Any, released: set[str]) -> None:
    known: list[str] = []
    for group in (builder.constraints, builder.rates):
        known += [i.component for i in group if i.part == part.name]
        group[:] = [i for i in group if i.part != part.name or i.component not in released]
    links, single = [], []
    for link in builder.links:
        names = [f"{link.component} {axis}".strip() for axis in "xyz"[: builder.d]]
        known += names if link.part == part.name else []
        if link.part != part.name or released.isdisjoint(names):
            links.append(link)
        else:
            single += [_along(builder, link, k, name) for k, name in enumerate(names) if name not in released]
    builder.links[:], builder.constraints[:] = links, builder.constraints + single
    unknown = sorted(released - set(known))
    if unknown:
        raise InputError(
            f"{part.label}: it holds no component '{unknown[0]}' to release{did_you_mean(unknown[0], known)}"
        )


def _along(builder: Builder, link: Instance, axis: int, name: str) -> Instance:
    """The component of a vector constraint along an axis of the world."""
    ground: Any = builder.anchors["ground"]
    rows, weights = common_rows([Weights([ground.directors[axis]], [1.0]), Weights(link.rows, link.weights[0, 0])])
    return replace(
        link, law=DOT_PRODUCT, rows=rows, weights=weights[None], measure=np.ones(1), params=(link.params[axis],),
        component=name,
    )  # fmt: skip
