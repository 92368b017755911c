"""Lengths, forces and moment arms of paths, at the start and over a history."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.joints.coordinate import Term, pack
from condyle.model.part import Part

if TYPE_CHECKING:
    from condyle.results.result import Result
    from condyle.system.builder import Builder

Array = NDArray[np.float64]


def declared_length(reader: PathReader, builder: Builder, part: Part) -> float:
    """Length of a path as declared [m], before `Initial` moves bodies; an error if it has none."""
    length = float(reader.at(builder.places())[0])
    if not (np.isfinite(length) and length > 0.0):
        raise InputError(f"{part.label}: its path has no length in the declared pose ({length}); move its points")
    return length


class PathReader:
    """Evaluates the length of a path and its gradient at states; angles are followed from one call to the next."""

    def __init__(self, terms: list[Term]) -> None:
        self.vectors, params, self.turns = pack(terms, 0)
        self.params = np.array(params)

    def at(self, x: Array) -> tuple[float, Array]:
        """Length [m] and its gradient by the gathered vectors (ny, d) at rows x (n, d)."""
        from condyle.laws.coordinates import coordinate_gradient

        y = np.array([v.at(x) for v in self.vectors])
        ny, d = y.shape
        for place, first in self.turns:
            now, near = np.arctan2(y[first] @ y[first + 2], y[first] @ y[first + 1]), self.params[place]
            self.params[place] = now + 2.0 * np.pi * np.round((near - now) / (2.0 * np.pi))
        grad, curvature = np.zeros((ny, d)), np.zeros((ny, d, ny, d))
        return float(coordinate_gradient(ny, d, y, self.params, 0, grad, curvature)), grad

    def pull(self, x: Array) -> Array:
        """Forces on rows (n, d) of a tension of 1 N: minus the gradient of the length."""
        _, grad = self.at(x)
        force = np.zeros_like(x)
        for vector, g in zip(self.vectors, grad, strict=True):
            np.subtract.at(force, vector.rows, np.outer(vector.values, g))
        return force

    def rate(self, x: Array, v: Array) -> float:
        """Rate of the length [m/s]."""
        return -float(np.sum(self.pull(x) * v))


def path_history(result: Result, part: Any) -> dict[str, Array]:
    """What a muscle, ligament or actuator on a path does over a run, by name, each of shape (frames,).

    'length' [m], 'rate' [m/s], 'tension' [N]; of a muscle also 'excitation', 'activation', and 'fibre length' as a multiple of
    the optimal one.
    """
    from condyle.muscles.actuators import ForceActuator
    from condyle.muscles.hill import Muscle
    from condyle.muscles.ligament import Ligament

    name = getattr(part, "name", part)
    found = result.model[name]
    if not isinstance(found, Muscle | Ligament | ForceActuator):
        raise InputError(f"{found.label} has no path; result.path is for muscles, ligaments and force actuators")
    system = result.system
    reader = PathReader(found.terms(system.builder))
    states = [result.state(k) for k in range(len(result))]
    length, rate = np.zeros(len(states)), np.zeros(len(states))
    for k, state in enumerate(states):
        length[k], rate[k] = reader.at(state.x)[0], reader.rate(state.x, state.v)
    out = {"length": length, "rate": rate}
    times = np.array([state.t for state in states])
    if isinstance(found, ForceActuator):
        return out | {"tension": found.force * np.array([found.scale(t) for t in times])}
    if isinstance(found, Ligament):
        slack = next(i.params[1] for i in system.builder.energies if i.part == name)
        strain = length / slack - 1.0
        toe = np.where(strain <= 2.0 * found.toe, 0.25 * strain**2 / found.toe, strain - found.toe)
        elastic = found.stiffness * np.where(strain > 0.0, toe, 0.0)
        return out | {"strain": strain, "tension": elastic + found.damping * rate * (strain > 0.0)}
    return out | _muscle_history(found, system, states, length, rate)


def _muscle_history(muscle: Any, system: Any, states: list[Any], length: Array, rate: Array) -> dict[str, Array]:
    from condyle.laws.muscles import muscle_tension

    index = next(k for k, i in enumerate(system.instances[1]) if i.part == muscle.name)
    first = len(system.angles[0][0])
    of_forces, places, vectors = system.angles[1]
    mine = np.flatnonzero((of_forces == index) & (vectors < 0))
    columns = {name: np.zeros(len(states)) for name in ("excitation", "activation", "fibre length", "tension")}
    p = np.array(muscle.parameters())
    for k, state in enumerate(states):
        p[places[mine]] = state.turns[first + mine]
        u = float(muscle.excitation(state.t))
        tension, _, _, a, fibre = muscle_tension(length[k], rate[k], u, p)
        for name, value in zip(columns, (u, a, fibre, tension), strict=True):
            columns[name][k] = value
    return columns
