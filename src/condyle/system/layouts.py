"""Layouts that are kept for the next system which differs in numbers only: a sweep, an identification, a batch of copies.

Where an unknown stands, which entries of the matrix there are, where each law puts its stiffness and in which order blocks are
eliminated follow from what acts on what, not from how strong it is. Of a small model they take most of the time of compiling.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from condyle.system.tables import LawTable, MassTable, Rows

if TYPE_CHECKING:
    from condyle.system.contributions import Contributions, Instance
    from condyle.system.pattern import Pattern

Array = NDArray[np.float64]
Made = TypeVar("Made")

KEPT = 16  # layouts
LARGEST = 500  # laws of a model whose layout is kept: of a larger one the numbers take the time

_kept: OrderedDict[Hashable, Layout] = OrderedDict()
_lock = threading.Lock()


@dataclass
class Layout:
    """Tables of a system, of whose columns only the integers are taken; `others` has what is found out later."""

    rows: Rows
    mass: MassTable
    laws: LawTable
    spans: NDArray[np.int64]
    pattern: Pattern
    motion_unknowns: int
    others: dict[Hashable, Any] = field(default_factory=dict)

    def once(self, key: Hashable, make: Callable[[], Made]) -> Made:
        """What `make` gives, which follows from the layout and the key alone."""
        if key not in self.others:
            self.others[key] = make()
        found: Made = self.others[key]
        return found


def signature(
    given: Contributions, identity: bool, families: Sequence[Sequence[Instance]], mass: tuple[Any, ...]
) -> Hashable:
    """What a layout follows from; None where it is not kept."""
    if sum(map(len, families)) > LARGEST:
        return None
    laws = tuple(
        (i.law, i.rows.tobytes(), i.weights.shape, len(i.measure), len(i.params), i.channel, i.hold, i.columns, i.drive,
         bool(i.prony))
        for family in families for i in family
    )  # fmt: skip
    sizes = tuple(map(len, families))
    quasi = tuple(sorted(given.quasi_static))
    return (
        identity, given.points.d, given.kind.tobytes(), given.rigid, quasi, mass[0].tobytes(), mass[1].tobytes(), sizes, laws,
    )  # fmt: skip


def kept(key: Hashable) -> Layout | None:
    """The layout of a system with the same signature, if there was one."""
    with _lock:
        found = None if key is None else _kept.get(key)
        if found is not None:
            _kept.move_to_end(key)
        return found


def keep(key: Hashable, layout: Layout) -> Layout:
    """Keep it for the next system; the one that was asked for longest ago is forgotten."""
    if key is not None:
        with _lock:
            _kept[key] = layout
            while len(_kept) > KEPT:
                _kept.popitem(last=False)
    return layout


def with_numbers(laws: LawTable, instances: Sequence[Instance]) -> LawTable:
    """The same table with the numbers of these laws, which stand in its order."""
    return laws._replace(
        weights=flat([i.weights.ravel() for i in instances]),
        measure=flat([i.measure for i in instances]),
        params=flat([np.array(i.params, dtype=float) for i in instances]),
        damping=np.array([i.damping for i in instances], dtype=float),
        viscosity=np.array([i.viscosity for i in instances], dtype=float),
        past=np.zeros(len(laws.past)),
    )


def flat(pieces: list[NDArray[np.float64]]) -> NDArray[np.float64]:
    """Pieces one after the other; none give an empty array."""
    return np.ascontiguousarray(np.concatenate(pieces), dtype=float) if pieces else np.zeros(0)
