"""The tables of a system as the assembly kernel takes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from condyle.system.tables import BodyTable, LawTable, MassTable, Rows, WholeSystem

if TYPE_CHECKING:
    from condyle.system.system import System


def whole_system(system: System, rows: Rows, mass: MassTable, laws: LawTable) -> WholeSystem:
    """Tables for the kernels: what the mass matrix has within rigid bodies is also one small matrix each."""
    d = system.d
    apart = system.identity or system.contributions.drag
    groups = [] if apart else [(r, *directors) for r, directors in system.rigid]
    members = np.array(groups, dtype=np.int64).reshape(-1, d + 1)
    body, place = np.full(len(rows.kind), -1, dtype=np.int64), np.zeros(len(rows.kind), dtype=np.int64)
    body[members] = np.arange(len(members))[:, None]
    place[members] = np.arange(d + 1)
    inside = (body[mass.first] == body[mass.second]) & (body[mass.first] >= 0)
    b, i, j = body[mass.first[inside]], place[mass.first[inside]], place[mass.second[inside]]
    matrix = np.zeros((len(members), d + 1, d + 1))
    matrix[b, i, j] = mass.value[inside]
    slot = np.full((len(members), d + 1, d + 1), -1, dtype=np.int64)
    slot[b, i, j] = mass.slot[inside]
    table = BodyTable(
        members, matrix, slot[:, 0, 0].copy(), slot[:, 1, 1].copy(), slot[:, 0, 1:].max(axis=1, initial=-1),
        slot[:, 1:, 0].max(axis=1, initial=-1),
    )  # fmt: skip
    order = np.argsort(inside, kind="stable")
    sorted_mass = MassTable._make(column[order] for column in mass)
    return WholeSystem(rows, table, sorted_mass, int(np.count_nonzero(~inside)), laws, system.spans)
