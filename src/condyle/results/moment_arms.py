"""Moment arms of paths about joint coordinates, by virtual power.

The arm is −dℓ/dq: the power of a tension of 1 N on the motion with q̇ = 1 in which everything else that is free stays as it
is: other joint coordinates, rotations of joints that have no coordinates, and bodies in the axes of the ground, in this
order, each as far as constraints leave it free when those before it are held. In a tree of joints that is the relative
motion of one joint; in a closed loop the other joints move along.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.muscles.reading import PathReader, with_path
from condyle.system.compile import assemble_system
from condyle.system.coordinate import Coordinate, Term, slide, split
from condyle.system.row_problem import RowProblem
from condyle.system.running import RunningSystem
from condyle.system.tables import MULTIPLIER

if TYPE_CHECKING:
    from condyle.results.result import Result
    from condyle.system.system import System

Array = NDArray[np.float64]
ROUND_OFF = 1e-9  # of what a coordinate would move without constraints: less is none


def moment_arms(result: Result, part: object, coordinate: str) -> Array:
    """Moment arm of a path about a joint coordinate, shape (frames,): [m] about an angle, a pure number along a slide."""
    system, found = result.system, with_path(result.model, part)
    joint, name = split(result.model, coordinate, found)
    path = PathReader(found.terms(system.points))
    held = [PathReader([Term(q)]) for q in _coordinates(system, joint, name)]
    problem, store = _undriven(system), result._store
    x, times = store.array("x"), store.steps["time"][store.frame_steps]
    turns, wanted = np.zeros(problem.system.turn_count), set(result._frames.tolist())
    arms = np.zeros(len(x))
    for k in range(int(result._frames[-1]) + 1):  # also the frames before a slice: angles are followed from the start
        pull, turns = path.pull(x[k]), problem.system.turns_at(x[k], turns)
        if k in wanted:
            problem.system.set_turns(turns)
            problem.factor(x[k], float(times[k]))
            free = _free(problem, held, x[k])
            if not free or free[0][0] is not held[0]:
                raise InputError(
                    f"{found.label}: nothing can move along '{joint}.{name}', which other constraints hold, so that there "
                    "is no moment arm about it; take another coordinate"
                )
            if k == result._frames[0]:  # most are not free and need not be looked at again
                held = [reader for reader, _, _ in free]
            gradients = np.array([g.ravel() for _, g, _ in free])
            moves = np.array([move.ravel() for _, _, move in free])
            mixed = np.linalg.solve(gradients @ moves.T, np.eye(len(free))[0])  # q̇ = 1, all others 0
            arms[k] = mixed @ (moves @ pull.ravel())
    return arms[result._frames]


def _free(problem: RowProblem, held: list[PathReader], x: Array) -> list[tuple[PathReader, Array, Array]]:
    """Coordinates that can still move when those before them are held; with their gradient g and move P g, (n, d) each.

    P g: m y + Gᵀ μ = g, G y = 0.
    """
    s, none = problem.system, np.zeros(len(problem.system.multipliers))
    found: list[tuple[PathReader, Array, Array]] = []
    basis: list[Array] = []  # combinations of moves, orthonormal in the sense of the mass
    duals: list[Array] = []  # the same of gradients
    heavy = s.moving & (s.row_mass > 0.0)
    for reader in held:
        g = -reader.pull(x)
        g[~s.moving] = 0.0
        size = float(np.sum(g[heavy] ** 2 / s.row_mass[heavy, None]))
        move = problem.solve(g, none)[0]
        rest, dual = move.copy(), g.copy()
        for b, c in zip(basis, duals, strict=True):
            part = float(np.sum(g * b))
            rest -= part * b
            dual -= part * c
        left = float(np.sum(dual * rest))
        if left > ROUND_OFF * size > 0.0:
            found.append((reader, g, move))
            basis.append(rest / np.sqrt(left))
            duals.append(dual / np.sqrt(left))
    return found


def _coordinates(system: System, joint: str, name: str) -> Iterator[Coordinate]:
    """The wanted coordinate first, then all others, then relative and absolute rotations and places of bodies."""
    from condyle.joints import Joint, Spherical

    points, model = system.points, system.model
    yield model[joint].coordinates(points)[name]
    joints = [part for part in model if isinstance(part, Joint)]
    axes = {body.name: system.anchors[body.name].axes() for body in model.bodies}
    for part in joints:
        if isinstance(part, Spherical) and min(len(axes[part.a.body]), len(axes[part.b.body])) < system.d:
            continue  # of a body that has no directions there are no angles
        for own, coordinate in part.coordinates(points).items():
            if (part.name, own) != (joint, name):
                yield coordinate
    pairs = [(part.a.body, part.b.body) for part in joints] + [("ground", body.name) for body in model.bodies[1:]]
    for first, second in pairs:
        if len(axes[first]) == len(axes[second]) == system.d:
            yield from (slide(u, v) for i, u in enumerate(axes[first]) for j, v in enumerate(axes[second]) if i != j)
    for _, body in pairs[len(joints) :]:
        yield from (slide(u, system.position(body)) for u in axes["ground"])


def _undriven(system: System) -> RowProblem:
    """Masses and all constraints but drives, each held exactly."""
    from condyle.joints import Drive

    given = system.contributions
    drives = {part.name for part in system.model if isinstance(part, Drive)}
    constraints, links = (
        tuple(replace(i, hold=MULTIPLIER) for i in group if i.part not in drives)
        for group in (given.constraints, given.links)
    )
    given = replace(given, constraints=constraints, links=links)
    plain = assemble_system(given, identity=True, solver=system.solver_kind, exact=True, inertial=True)
    return RowProblem(RunningSystem(system), RunningSystem(plain))
