"""What compiling asks of a part that lets nodes of one body follow another."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from condyle.model.part import Part
from condyle.system.weights import Weights

if TYPE_CHECKING:
    from condyle.system.builder import Builder


class NodeTie(Part, abstract=True):
    """Base of ties: nodes of `body` follow the body `to`, on one of its surfaces if `surface` is given.

    With enforcement 'eliminate' the nodes have no rows of their own, so that `to` must be compiled before `body`.
    """

    name: str
    body: Any
    to: Any
    enforcement: Any
    surface: str | None

    @abstractmethod
    def keys(self, places: Mapping[str | int, object], groups: Mapping[str, Iterable[str | int]]) -> list[str | int]:
        """The nodes that are tied, as keys of the places of the body."""

    @abstractmethod
    def mortar(self, builder: Builder) -> dict[int, Weights]:
        """The nodes of a tied surface, and the weights that each of them follows on the other surface."""
