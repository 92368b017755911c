"""Finds the tree of rigid bodies and joints in a system, for methods that step in joint coordinates."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

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
    if system.contacts:
        return f"contact '{system.contacts[0].name}' is not stepped in joint coordinates"
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
    """What is no tree of rigid bodies with hinges and ball joints."""
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
    links, squares = Counter(i.part for i in system.instances[2]), _squares(system)
    others = {i.part for i in system.instances[4]}
    for name in sorted({m.part for m in system.multipliers}):
        components = [system.instances[3][k].component for k in squares.get(name, [])]
        if links[name] != 1 or components not in ([], AXIS) or name in others:
            return f"'{name}' is neither a hinge nor a ball joint"
    top: dict[str, str] = {}

    def root(name: str) -> str:
        while top.get(name, name) != name:
            name = top[name]
        return name

    for name, ends in _joints(system).items():
        if len(ends) != 2:
            return f"joint '{name}' does not hold two rigid bodies"
        first, second = (root(end) for end in ends)
        if first == second:
            return f"joint '{name}' closes a loop"
        top[second] = first
    return _why_not_inertia(system, bodies)


def _why_not_inertia(system: System, bodies: dict[str, list[int]]) -> str:
    if system.d == 2:
        hanging = {end for ends in _joints(system).values() for end in ends}
        loose = [name for name in bodies if name not in hanging]
        return f"'{loose[0]}' hangs on nothing, in a plane" if loose else ""
    for name, (_, _, euler) in _moments(system, bodies).items():
        inertia = np.linalg.eigvalsh(np.trace(euler) * np.eye(3) - euler)
        if not inertia[0] > LINE * inertia[-1]:
            return f"'{name}' has no inertia about a line"
    return ""


def joint_tree(system: System) -> Tree:
    """The tree of a system that has one (`why_no_tree`)."""
    bodies, joints, d = _rigid_rows(system), _joints(system), system.d
    order = list(_from_the_root(bodies, joints))
    number = {name: k for k, (name, _, _) in enumerate(order)}
    of_link = {i.part: k for k, i in enumerate(system.instances[2])}
    of_square, moments = _squares(system), _moments(system, bodies)
    n = len(order)
    parent, kind, link = (np.full(n, -1, dtype=np.int64) for _ in range(3))
    place, square, own = (np.full((n, 2), -1, dtype=np.int64) for _ in range(3))
    sign, pivot, seat, mass = np.zeros(n), np.zeros((n, 3)), np.zeros((n, 3)), np.zeros(n)
    axis, across, slant = np.zeros((n, 3)), np.zeros((n, 2, 3)), np.zeros((n, 2))
    moment, euler = np.zeros((n, 3)), np.zeros((n, 3, 3))
    coordinates = rates = 0
    for k, (name, joint, above) in enumerate(order):
        rows = bodies[name]
        if joint:
            parent[k], link[k] = number.get(above, -1), of_link[joint]
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


def _from_the_root(bodies: dict[str, list[int]], joints: dict[str, list[str]]) -> Iterator[tuple[str, str, str]]:
    """Bodies with their joint and what it hangs them on, each after that; a body on nothing begins a tree of its own."""
    beside: dict[str, list[tuple[str, str]]] = {}
    for joint, (one, other) in joints.items():
        beside.setdefault(one, []).append((other, joint))
        beside.setdefault(other, []).append((one, joint))
    done: set[str] = set()
    for start in ("", *bodies):
        if start in done:
            continue
        waiting = [(start, "", "")]
        while waiting:
            name, joint, above = waiting.pop()
            done.add(name)
            if name:
                yield name, joint, above
            waiting += [(other, by, name) for other, by in beside.get(name, []) if other not in done and by != joint]


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


def _joints(system: System) -> dict[str, list[str]]:
    """The two bodies of every joint by its name; the ground and other fixed rows are ''."""
    found: dict[str, list[str]] = {}
    links = system.links
    for k, instance in enumerate(system.instances[2]):
        rows = links.rows[links.row_start[k] : links.row_start[k + 1]]
        owners = [system.row_owner[int(row)] if system.rows.unknown[row] >= 0 else "" for row in rows]
        found[instance.part] = list(dict.fromkeys(owners))
    return found


def _squares(system: System) -> dict[str, list[int]]:
    """The scalar conditions of every part, by its name."""
    found: dict[str, list[int]] = {}
    for k, instance in enumerate(system.instances[3]):
        found.setdefault(instance.part, []).append(k)
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
