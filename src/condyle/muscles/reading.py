"""Lengths, forces and powers of paths at the start and at a state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.model.part import Part
from condyle.system.coordinate import Term, pack

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.points import Points
    from condyle.system.state import State
    from condyle.system.system import System

Array = NDArray[np.float64]


def declared_length(reader: PathReader, builder: Points, part: Part) -> float:
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
        return self.of(np.array([v.at(x) for v in self.vectors]))

    def of(self, y: Array) -> tuple[float, Array]:
        """Length [m] and its gradient (ny, d) of gathered vectors y (ny, d)."""
        from condyle.laws.coordinates import coordinate_gradient

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
        return float(np.sum(self.at(x)[1] * np.array([w.at(v) for w in self.vectors])))


def path_now(system: System, part: Any, reader: PathReader, state: State) -> dict[str, float]:
    """What a muscle, ligament or actuator on a path does at one state, by name; see `path_values`."""
    x, v = state.x, state.v
    length, rate = np.array([reader.at(x)[0]]), np.array([reader.rate(x, v)])
    channel = [k for k, name in enumerate(system.function_owner) if name == part.name]
    driven = system.amplitudes(state.t)[channel[:1]] if channel else np.zeros(1)
    values = path_values(part, system, length, rate, driven, state.turns[None])
    return {name: float(value[0]) for name, value in values.items()}


def with_path(model: Model, part: Any) -> Any:
    """The muscle, ligament or force actuator of that name."""
    from condyle.muscles.actuators import ForceActuator
    from condyle.muscles.hill import Muscle
    from condyle.muscles.ligament import Ligament

    found = model[getattr(part, "name", part)]
    if not isinstance(found, Muscle | Ligament | ForceActuator):
        raise InputError(f"{found.label} has no path; name a muscle, ligament or force actuator")
    return found


def path_values(
    part: object, system: System, length: Array, rate: Array, driven: Array, turns: Array
) -> dict[str, Array]:
    """Length [m], rate [m/s], tension [N] and power [W] of a path, and what else its part has; shape (times,) each.

    driven: excitation of a muscle, or scale of an actuator; turns: of the states, shape (times, a). See docs/muscles.md.
    """
    from condyle.muscles.actuators import ForceActuator
    from condyle.muscles.ligament import Ligament

    out = {"length": length, "rate": rate}
    if isinstance(part, ForceActuator):
        out["tension"] = part.force * driven
    elif isinstance(part, Ligament):
        slack = next(i.params[1] for i in system.contributions.energies if i.part == part.name)
        out |= {"strain": length / slack - 1.0, "tension": _ligament_tension(part, slack, length, rate)}
    else:
        out |= _muscle_values(part, system, length, rate, driven, turns)
    return out | {"power": -out["tension"] * rate}


def _ligament_tension(ligament: Any, slack: float, length: Array, rate: Array) -> Array:
    from condyle.laws.muscles import ligament_curve, ligament_damping

    k, c, toe = ligament.stiffness, ligament.damping, ligament.toe
    elastic = np.array([ligament_curve(now, k, slack, toe)[1] for now in length])
    if not ligament.tension_only:
        return np.asarray(elastic + c * rate * (length > slack))
    return elastic + [ligament_damping(*now, c, k, slack, toe)[0] for now in zip(length, rate, strict=True)]


def _muscle_values(
    muscle: Any, system: System, length: Array, rate: Array, excitation: Array, turns: Array
) -> dict[str, NDArray[np.float64]]:
    from condyle.laws.muscle_places import FIBRE_RATE
    from condyle.laws.muscles import muscle_tension

    index = next(k for k, i in enumerate(system.instances[1]) if i.part == muscle.name)
    first = len(system.angles[0][0])
    of_forces, places, vectors = system.angles[1]
    mine = np.flatnonzero((of_forces == index) & (vectors < 0))
    p = np.array(muscle.parameters())
    tension, activation, fibre, speed = (np.zeros(len(length)) for _ in range(4))
    for k in range(len(length)):
        p[places[mine]] = turns[k, first + mine]
        tension[k], _, _, activation[k], fibre[k] = muscle_tension(length[k], rate[k], excitation[k], p)
        speed[k] = p[FIBRE_RATE]
    width = np.sin(muscle.pennation)
    along = np.sqrt(fibre**2 - width**2)
    if muscle.tendon == "rigid":
        speed = rate * along / fibre / muscle.fibre_length
    tendon = length - muscle.fibre_length * along
    strain = tendon / muscle.tendon_length - 1.0 if muscle.tendon == "elastic" else np.zeros(len(length))
    return {
        "excitation": excitation, "activation": activation, "tension": tension, "fibre length": fibre, "fibre rate": speed,
        "pennation": np.arcsin(width / fibre), "tendon strain": strain,
    }  # fmt: skip
