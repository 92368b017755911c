"""Finds the tree of rigid bodies and joints in a system and what closes its loops, for steps in joint coordinates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.system.assembly.closing import Closing, ClosingRoom
from condyle.system.assembly.joint_tree import BALL, HINGE, LOOSE, MATRICES, VECTORS, Tree, TreeRoom
from condyle.system.tables import MULTIPLIER, LawTable

if TYPE_CHECKING:
    from condyle.system.system import System

Array = NDArray[np.float64]
AXIS = ["axis 1", "axis 2"]  # what holds the axis of a hinge in space (`joints/joint.py:Joint.share_axis`)
LINE = 1e-10  # least moment of inertia by the largest one, for a body that turns about a point


def why_no_tree(system: System) -> str:
    """Why a system is not stepped in joint coordinates, with the part at fault; empty if it is."""
    return _why_not_motion(system) or _why_not_joints(system)


def _why_not_motion(system: System) -> str:
    """What acts in a way that only rows know."""
    if system.identity:
        return "rigid bodies are held together by multipliers (formulation='rows')"
    if system.driven:
        return f"'{system.row_owner[int(system.driven[0][0][0])]}' moves as prescribed"
    if system.user_forces:
        return "forces are Python functions"
    if system.quasi_static.size:
        return f"'{system.row_owner[int(system.quasi_static[0])]}' is quasi-static"
    if system.fades or system.swells or system.has_states:
        return "materials or muscles carry states"
    return ""


def _why_not_joints(system: System) -> str:
    """What is no mechanism of rigid bodies that are held exactly."""
    bodies = _rigid_rows(system)
    owned = {row for rows in bodies.values() for row in rows}
    for row in np.flatnonzero(system.rows.unknown >= 0):
        if int(row) not in owned:
            return f"'{system.row_owner[int(row)]}' is no rigid body"
    for i, j in zip(system.mass.first, system.mass.second, strict=True):
        if system.row_owner[i] != system.row_owner[j]:
            return f"'{system.row_owner[i]}' shares mass with '{system.row_owner[j]}'"
    soft = np.flatnonzero(system.hold != MULTIPLIER)
    if soft.size:
        return f"'{system.multipliers[int(soft[0])].part}' is not held exactly"
    if system.instances[4]:
        return f"'{system.instances[4][0].part}' holds velocities"
    if system.has_drives:
        driven = int(np.flatnonzero(system.constraints.drive >= 0)[0])
        return f"'{system.instances[3][driven].part}' follows a function of time"
    return _why_not_inertia(system, bodies)


def _why_not_inertia(system: System, bodies: dict[str, list[int]]) -> str:
    if system.d == 2:
        hanging = {end for k in _spanning(system) for end in _ends(system, k)}
        loose = [name for name in bodies if name not in hanging]
        return f"'{loose[0]}' hangs on nothing, in a plane" if loose else ""
    for name, (_, _, euler) in _moments(system, bodies).items():
        inertia = np.linalg.eigvalsh(np.trace(euler) * np.eye(3) - euler)
        if not inertia[0] > LINE * inertia[-1]:
            return f"'{name}' has no inertia about a line"
    return ""


def joint_tree(system: System) -> Tree:
    """The tree of a system that has one (`why_no_tree`)."""
    bodies, d = _rigid_rows(system), system.d
    order = list(_from_the_root(bodies, {k: _ends(system, k) for k in _spanning(system)}))
    number = {name: k for k, (name, _, _) in enumerate(order)}
    of_square, moments = _axes(system), _moments(system, bodies)
    n = len(order)
    parent, kind, link = (np.full(n, -1, dtype=np.int64) for _ in range(3))
    place, square, own = (np.full((n, 2), -1, dtype=np.int64) for _ in range(3))
    sign, pivot, seat, mass = np.zeros(n), np.zeros((n, 3)), np.zeros((n, 3)), np.zeros(n)
    axis, across, slant = np.zeros((n, 3)), np.zeros((n, 2, 3)), np.zeros((n, 2))
    moment, euler = np.zeros((n, 3)), np.zeros((n, 3, 3))
    coordinates = rates = 0
    for k, (name, joint, above) in enumerate(order):
        rows = bodies[name]
        if joint >= 0:
            parent[k], link[k] = number.get(above, -1), joint
            hinge = d == 2 or joint in of_square
            kind[k] = HINGE if hinge else BALL
            weights = _weights(system.links, link[k], rows)[0]
            sign[k] = np.sign(weights[0])
            pivot[k, :d] = weights[1:] / weights[0]
            seat[k, :d] = (
                -sign[k] / abs(weights[0]) * _on_parent(system, system.links, link[k], rows, bodies.get(above))[0]
            )
            if hinge and d == 3:
                square[k] = of_square[joint]
                for c in range(2):
                    table = system.constraints
                    mine, its = (
                        _weights(table, square[k, c], rows),
                        _on_parent(system, table, square[k, c], rows, bodies.get(above)),
                    )
                    own[k, c] = int(np.abs(mine).sum(axis=1).argmax())
                    both = np.where(np.arange(2)[:, None] == own[k, c], mine[:, 1:], its)
                    across[k, c], axis[k] = both
                    slant[k, c] = table.params[table.param_start[square[k, c]]]
        else:
            kind[k] = LOOSE
        place[k] = coordinates, rates
        coordinates += {HINGE: 1, BALL: 4, LOOSE: 7}[int(kind[k])]
        rates += int(kind[k])
        mass[k], first, second = moments[name]
        rho = pivot[k, :d]
        moment[k, :d] = first - mass[k] * rho
        euler[k, :d, :d] = second - np.outer(rho, first) - np.outer(first, rho) + mass[k] * np.outer(rho, rho)
    rows_of = np.array([bodies[name] for name, _, _ in order], dtype=np.int64)
    return Tree(
        rows_of, parent, kind, place, link, square, own, sign, pivot, seat, axis, across, slant, mass, moment, euler
    )


def tree_room(tree: Tree) -> TreeRoom:
    """Room to work in, for one run."""
    n = tree.parent.size
    return TreeRoom(np.zeros((n, VECTORS, 3)), np.zeros((n, MATRICES, 3, 3)))


def closing_conditions(system: System) -> Closing:
    """All conditions that the coordinates of the tree do not fulfil by themselves: cut joints, and what else is held."""
    tree, d = system.tree, system.d
    of_row = {int(row): (i, k == 0) for i, rows in enumerate(tree.rows) for k, row in enumerate(rows)}
    cut = [k for k in range(system.links.law.size) if k not in tree.link]
    others = [k for k in range(system.constraints.law.size) if k not in tree.square]
    channel, entries, start = [], [], [0]
    for table, instances, width in ((system.links, cut, d), (system.constraints, others, 1)):
        for k in instances:
            rows = table.rows[table.row_start[k] : table.row_start[k + 1]].tolist()
            own = [(*of_row[row], row, r) for r, row in enumerate(rows) if row in of_row]
            for a in range(width):
                channel.append(int(table.channel[k]) + a)
                entries += own
                start.append(len(entries))
    body, place, row, nth = (np.array([entry[c] for entry in entries], dtype=np.int64) for c in range(4))
    links, squares, channels, starts = (np.array(a, dtype=np.int64) for a in (cut, others, channel, start))
    return Closing(links, squares, channels, starts, body, np.column_stack((row, nth)), place.astype(bool))


def closing_room(system: System) -> ClosingRoom:
    """Room to solve the conditions of loops in, for one run."""
    c, rates = system.closing, int(system.tree.kind.sum())
    m, entries = c.channel.size, c.body.size
    return ClosingRoom(
        np.zeros(m), np.zeros((entries, 3)), np.zeros((m, rates)), np.zeros((m, m)), np.zeros(m + 1, dtype=np.int64),
        np.zeros(m), np.zeros(len(system.multipliers)), np.zeros((system.n, system.d)), np.zeros((3, 1)),
    )  # fmt: skip


def _spanning(system: System) -> list[int]:
    """Links that make the joints of a tree, of which the others close loops; hinges first, because they hold the most."""
    axes, top = _axes(system), dict[str, str]()

    def root(name: str) -> str:
        while top.get(name, name) != name:
            name = top[name]
        return name

    chosen = []
    for k in sorted(range(system.links.law.size), key=lambda k: k not in axes):
        ends = [root(end) for end in _ends(system, k)]
        if len(ends) == 2 and ends[0] != ends[1]:
            top[ends[1]] = ends[0]
            chosen.append(k)
    return sorted(chosen)


def _from_the_root(bodies: dict[str, list[int]], joints: dict[int, list[str]]) -> Iterator[tuple[str, int, str]]:
    """Bodies with their joint and what it hangs them on, each after that; a body on nothing, −1, begins a tree of its own."""
    beside: dict[str, list[tuple[str, int]]] = {}
    for joint, (one, other) in joints.items():
        beside.setdefault(one, []).append((other, joint))
        beside.setdefault(other, []).append((one, joint))
    done: set[str] = set()
    for start in ("", *bodies):
        if start in done:
            continue
        waiting = [(start, -1, "")]
        while waiting:
            name, joint, above = waiting.pop()
            done.add(name)
            if name:
                yield name, joint, above
            waiting += [(other, by, name) for other, by in beside.get(name, []) if other not in done]


def _rigid_rows(system: System) -> dict[str, list[int]]:
    """Rows r, d1, d2(, d3) of every rigid body that moves, by its name."""
    owned: dict[str, list[int]] = {}
    for row, owner in enumerate(system.row_owner):
        owned.setdefault(owner, []).append(row)
    found: dict[str, list[int]] = {}
    for triad in system.rows.bodies:
        directors = [int(row) for row in triad]
        name = system.row_owner[directors[0]]
        own = [row for row in owned[name] if row not in directors]
        if len(own) == 1:
            found[name] = [own[0], *directors]
    return found


def _ends(system: System, link: int) -> list[str]:
    """The bodies that a link holds together; the ground and other fixed rows are ''."""
    links = system.links
    rows = links.rows[links.row_start[link] : links.row_start[link + 1]]
    owners = [system.row_owner[int(row)] if system.rows.unknown[row] >= 0 else "" for row in rows]
    return list(dict.fromkeys(owners))


def _axes(system: System) -> dict[int, list[int]]:
    """The two conditions that hold the axis of a hinge in space, by the link of that hinge."""
    links, squares = Counter(i.part for i in system.instances[2]), dict[str, list[int]]()
    for k, instance in enumerate(system.instances[3]):
        squares.setdefault(instance.part, []).append(k)
    found = {}
    for k, instance in enumerate(system.instances[2]):
        held = squares.get(instance.part, [])
        if links[instance.part] == 1 and [system.instances[3][c].component for c in held] == AXIS:
            found[k] = held
    return found


def _weights(table: LawTable, instance: int, rows: list[int]) -> Array:
    """Weights of the vectors of a law on these rows, shape (vectors, rows)."""
    first, last = table.row_start[instance], table.row_start[instance + 1]
    at, ny = table.weight_start[table.point_start[instance]], int(table.vectors[instance])
    weights = table.weights[at : at + ny * (last - first)].reshape(ny, last - first)
    out = np.zeros((ny, len(rows)))
    for k, row in enumerate(table.rows[first:last]):
        if int(row) in rows:
            out[:, rows.index(int(row))] += weights[:, k]
    return out


def _on_parent(system: System, table: LawTable, instance: int, rows: list[int], above: list[int] | None) -> Array:
    """What the vectors of a law are made of beside the rows of a body: coordinates along the directors of the body above.

    Without one, on what does not move: in space. Shape (vectors, d).
    """
    if above is not None:
        return _weights(table, instance, above)[:, 1:]
    first, last = table.row_start[instance], table.row_start[instance + 1]
    others = [int(row) for row in table.rows[first:last] if int(row) not in rows]
    found: Array = _weights(table, instance, others) @ system.x_start[others]
    return found


def _moments(system: System, bodies: dict[str, list[int]]) -> dict[str, tuple[float, Array, Array]]:
    """Mass, first and second moments of each body along its directors."""
    place = {row: (name, k) for name, rows in bodies.items() for k, row in enumerate(rows)}
    full = {name: np.zeros((system.d + 1, system.d + 1)) for name in bodies}
    mass = system.mass
    for i, j, value in zip(mass.first.tolist(), mass.second.tolist(), mass.value.tolist(), strict=True):
        if i in place and j in place and place[i][0] == place[j][0]:
            full[place[i][0]][place[i][1], place[j][1]] += value
    return {name: (float(m[0, 0]), m[0, 1:], m[1:, 1:]) for name, m in full.items()}
