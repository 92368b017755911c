"""How the state changes with a parameter, from one step to the next: the direct method.

A step solves R(z; s, p) = 0 for its unknowns z, from the state s before it and with the parameter p; c(z; s, p) is the state
after it. With δs = ds/dp before the step and the matrix A = ∂R/∂z of the step itself,

    A δz = −(∂R/∂p + ∂R/∂s δs),    δs after it = ∂c/∂z δz + ∂c/∂s δs + ∂c/∂p.

Most parameters enter R linearly: stiffness, damping, mass, gravity, rest lengths, loads, amplitudes. For these the difference
of R at two distant values is ∂R/∂p itself, up to rounding. Whether R is linear is seen in every step: its slopes to two values
at unequal distances are the same.
Where it is not, and for the derivatives by s and z, which are those of smooth functions along one direction, a formula of
fourth order is taken, exact for polynomials up to the fourth degree. Runs are never compared with each other.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.integrators.newton import Iterate
from condyle.integrators.simulation import Simulation
from condyle.system.assembly.maps import place
from condyle.system.state import State
from condyle.system.tables import FREE

__all__ = ["PLACES", "Direction", "factorise", "reach", "shift", "slope"]

Array = NDArray[np.float64]
Unknowns = tuple[Array, Array, Array]  # of a step: steps of rows, turns of bodies, multipliers

EPSILON = 1e-3  # of a parameter: far above rounding, and the fourth power of it far below
FAR = (
    0.5  # of a parameter that enters linearly, upwards; downwards half of it, so that odd functions do not look linear
)
# Of the size of states, by which they are moved along their slopes. Rounding of places over this is in the slopes, and of
# multipliers times m/h²; the fourth power of it is the error of the formula.
STATE = 5e-3
LINEAR = 1e-13  # of the forces at hand: the largest second difference of what is linear but for rounding
PLACES = (-2, -1, 1, 2)
ROUNDS = 2  # the second one removes what A is regularised by


class Solved(NamedTuple):
    """A step at its solution: −R, which is rounding, and the sizes of what is added up in it."""

    rhs: Array
    forces: Array


class Direction:
    """One parameter: neighbours of the model, and how the state changes with the parameter.

    make(value): the simulation with another value of the parameter.
    """

    def __init__(self, name: str, value: float, base: Simulation, make: Callable[[float], Simulation]) -> None:
        self.name, self.base = name, base
        self.epsilon = EPSILON * abs(value) or EPSILON
        self.near = {k: make(value + k * self.epsilon) for k in PLACES}
        for k, sim in self.near.items():
            if not _same_unknowns(sim, base):
                raise InputError(
                    f"sensitivities: the model has other unknowns with {name} = {value + k * self.epsilon:.6g}; derivatives "
                    "exist by what changes numbers only"
                )
        self.distance = FAR * abs(value)
        self.far = _far(value, self.distance, base, make)
        self.linear = bool(self.far)  # until a step shows that it is not
        self.slope = slope({k: arrays(sim.state) for k, sim in self.near.items()}, self.epsilon)
        self.sizes: dict[str, float] = {}

    def step(self, before: State, h: float, z: Unknowns, solved: Solved) -> None:
        """Go on to the slope after a step with the solution z, whose matrix is factorised."""
        base = self.base
        self._note_sizes(before)
        direct = self._by_parameter(before, h, z, solved)
        epsilon = self._reach()
        du, moved = np.zeros(base.system.unknowns), any(a.any() for a in self.slope.values())
        for _ in range(ROUNDS):
            along = direct
            if moved or du.any():
                ends = {k: _rhs(self._moved(before, h, z, du, k * epsilon)) for k in PLACES}
                along = direct + _formula(ends, epsilon)
            du = du + base.system.solver.solve(along)
            turned = float(np.abs(du[: base.system.motion_unknowns]).max(initial=0.0))
            if turned > 0.0:
                epsilon = min(epsilon, STATE * min(base.system.size, 1.0) / turned)
        moved_steps = {k: self._moved(before, h, z, du, k * epsilon) for k in PLACES}
        after = {k: arrays(_ended(step)) for k, step in moved_steps.items()}
        own = {k: arrays(_ended(_placed(sim, before, h, z))) for k, sim in self.near.items()}
        by_state, by_parameter = slope(after, epsilon), slope(own, self.epsilon)
        # Places go on by their steps, which have more digits than the places themselves.
        free = base.system.rows.kind == FREE
        by_state["x"][free] = (
            self.slope["x"][free] + _formula({k: s.step for k, s in moved_steps.items()}, epsilon)[free]
        )
        self.slope = {name: by_state[name] + by_parameter[name] for name in by_state}

    def _by_parameter(self, before: State, h: float, z: Unknowns, solved: Solved) -> Array:
        """−∂R/∂p: of what is linear by two distant values, else by the formula."""
        if self.far:
            more, less = (_rhs(_placed(self.far[k], before, h, z)) for k in (1, -1))
            second = np.abs(more + 2.0 * less - 3.0 * solved.rhs)
            if (second <= LINEAR * (np.abs(more) + 2.0 * np.abs(less) + solved.forces)).all():
                return np.asarray((more - less) / (1.5 * self.distance))
        self.linear = False
        return _formula({k: _rhs(_placed(sim, before, h, z)) for k, sim in self.near.items()}, self.epsilon)

    def _moved(self, before: State, h: float, z: Unknowns, du: Array, epsilon: float) -> Iterate:
        """The step from a state that is moved along its slope, at unknowns that are moved along du."""
        step = _placed(self.base, shift(self.base, before, self.slope, epsilon), h, z)
        if du.any():
            step.remember()
            step.apply(du, epsilon)
        return step

    def _note_sizes(self, state: State) -> None:
        """The largest numbers of states so far; places are compared with the size of the model, directors with 1."""
        for name, array in arrays(state).items():
            largest = min(self.base.system.size, 1.0) if name == "x" else float(np.abs(array).max(initial=0.0))
            self.sizes[name] = max(self.sizes.get(name, 0.0), largest)

    def _reach(self) -> float:
        """How far the parameter may go for states to move by a small part of their size along their slope."""
        return reach(self.slope, self.sizes, self.epsilon)


def factorise(base: Simulation, before: State, h: float, z: Unknowns) -> Solved:
    """Factorise the matrix of a step at its solution z."""
    system, motion = base.system, base.system.motion_unknowns
    step = _placed(base, before, h, z)
    rhs = _rhs(step, tangent=True)
    forces = np.zeros(system.unknowns)
    forces[:motion] = step.out.r_scale[:motion] + step.inertia_scale[:motion]
    system.held_unknowns(-np.abs(step.out.c_scale), forces)
    system.regularise(step.out.A)
    system.solver.factor(step.out.A)
    return Solved(rhs, forces)


def reach(slopes: Mapping[str, Array], sizes: Mapping[str, float], least: float) -> float:
    """ε with which no array moves by more than a small part of its size; multipliers, which act linearly, do not count."""
    found = [
        STATE * sizes[name] / largest
        for name, array in slopes.items()
        if name != "multipliers"
        and sizes.get(name, 0.0) > 0.0
        and (largest := float(np.abs(array).max(initial=0.0))) > 0.0
    ]
    return min(found, default=least)


def arrays(state: State) -> dict[str, Array]:
    """All numbers of a state by name."""
    own = {"x": state.x, "v": state.v, "multipliers": state.multipliers, "turns": state.turns}
    return own | {f"memory/{name}": array for name, array in state.memory.items()}


def shift(sim: Simulation, state: State, slopes: Mapping[str, Array], epsilon: float) -> State:
    """A state moved along its slope."""
    made = {name: array + epsilon * slopes[name] for name, array in arrays(state).items()}
    memory = {name.removeprefix("memory/"): a for name, a in made.items() if name.startswith("memory/")}
    moved = State(state.t, made["x"], made["v"], made["multipliers"], memory, made["turns"])
    sim.system.clean_directors(moved.x)
    return moved


def slope(values: Mapping[int, Mapping[str, Array]], epsilon: float) -> dict[str, Array]:
    """Derivatives by the parameter of arrays by name, of fourth order in ε."""
    return {name: _formula({k: values[k][name] for k in PLACES}, epsilon) for name in values[1]}


def _formula(values: Mapping[int, Array], epsilon: float) -> Array:
    """(8 (f₁ − f₋₁) − (f₂ − f₋₂)) / 12 ε, exact for polynomials up to the fourth degree."""
    return np.asarray((8.0 * (values[1] - values[-1]) - (values[2] - values[-2])) / (12.0 * epsilon))


def _far(value: float, distance: float, base: Simulation, make: Callable[[float], Simulation]) -> dict[int, Simulation]:
    """Models with distant values of the parameter; none where these do not exist."""
    if not distance:
        return {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            made = {1: make(value + distance), -1: make(value - 0.5 * distance)}
    except Exception:  # a user's function of the parameter, which need not take such values
        return {}
    return made if all(_same_unknowns(sim, base) for sim in made.values()) else {}


def _same_unknowns(sim: Simulation, base: Simulation) -> bool:
    return sim.state.x.shape == base.state.x.shape and sim.system.unknowns == base.system.unknowns


def _placed(sim: Simulation, state: State, h: float, z: Unknowns) -> Iterate:
    """A step of a simulation whose iterate has the unknowns z."""
    method: Any = sim.method
    step: Iterate = method.iterate(sim.system, state, h)
    step.step[:], step.turn[:], step.multipliers = z[0], z[1], z[2].copy()
    step.system.place_driven(step.state.t + step.h, step.x1)
    place(step.system.rows, step.x0, step.x1, step.step, step.turn)
    return step


def _rhs(step: Iterate, tangent: bool = False) -> Array:
    """−R at the iterate of a step."""
    system = step.system
    step.remember()  # the stress of elements at the very iterate
    step.evaluate(tangent)
    rhs = np.zeros(system.unknowns)
    rhs[: system.motion_unknowns] = -step.out.r[: system.motion_unknowns]
    system.held_unknowns(step.out.c, rhs)
    return rhs


def _ended(step: Any) -> State:
    """The state after a step, at its iterate."""
    step.remember()
    step.evaluate(False)
    step.system.clean_directors(step.x1)
    if step.system.redundant:
        step.share_reactions()
    ended: State = step.close()
    return ended
