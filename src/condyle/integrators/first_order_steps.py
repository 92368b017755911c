"""The compiled form of first-order steps: which methods and models have one, and what goes between a state and the kernel."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
from numpy.typing import NDArray

from condyle.integrators.compiled import NO_BLOCKS, CompiledSteps, why_not
from condyle.integrators.first_order import (
    AUGMENTED,
    BAUMGARTE,
    COMPLIANT,
    EXPLICIT,
    IMPLICIT,
    UNBIASED,
    Stepper,
    run_first_order,
)
from condyle.integrators.first_order_contact import LinearPart
from condyle.integrators.monitor import LAWS, OFF
from condyle.integrators.newton import Tolerance
from condyle.integrators.step_tables import Frames, Motion, Record, Scheme, Tables
from condyle.laws.columns import empty_table
from condyle.system.running import RunningSystem
from condyle.system.state import State
from condyle.system.tables import END

Array = NDArray[np.float64]
MONITORED = "energy monitor"  # in the memory of a state: the target energy [J], and α of the last step
BIASES = {"implicit": IMPLICIT, "explicit": EXPLICIT, "unbiased": UNBIASED}
HOLDING = {"first order": COMPLIANT, "Baumgarte": BAUMGARTE, "augmented Lagrangian": AUGMENTED}  # by kinds of steps


def why_in_python(method: Any, system: RunningSystem) -> str:
    """Why first-order steps of this system are taken in Python; empty if they are compiled."""
    if method.step_kind not in HOLDING:
        return f"{type(method).__name__} is not compiled"
    if method.form != "auto":
        return f"form='{method.form}' was asked for"
    if HOLDING[method.step_kind] != COMPLIANT and (system.has_drives or system.driven):
        return f"{method.label} with drives or moving supports"
    return why_not(system) or _why_not_touching(method, system)


def _why_not_touching(method: Any, system: RunningSystem) -> str:
    contact = system.contact
    if contact is None:
        return ""
    if HOLDING[method.step_kind] != COMPLIANT:
        return f"{method.label} is not compiled with contact"
    if method.contact != "implicit":
        return f"contact='{method.contact}' was asked for"
    if contact.iterated:
        return "groups of many shapes, whose equations are iterated"
    found = contact.why_not_compiled(balances_end=False, consistent=False)
    return found or ("" if contact.blocks is not None else NO_BLOCKS)


@functools.cache
def no_linear_part() -> Any:
    """Of a model without contact: all columns are empty."""
    return empty_table(LinearPart)


def multiplier_masses(system: RunningSystem) -> Array:
    """The mass that each multiplier moves, (multipliers,) [kg]; of constraints of velocities 1."""
    links, constraints = system.effective_masses
    return np.concatenate((np.repeat(links, system.d), constraints, np.ones(system.rates.law.size)))


def _or_below(method: object, name: str) -> float:
    """An option of a method, −1 where it is left to the step."""
    value = getattr(method, name, None)
    return -1.0 if value is None else float(value)


class Factors:
    """What `CompiledSteps` asks of a method, of one that has no need of it."""

    scheme = Scheme(END, 1.0, 1.0, 1.0, 0.0, False, False)
    newton, coefficients = "full", None

    def __init__(self, tolerance: Tolerance) -> None:
        self.tolerance = tolerance

    def consistent(self, system: RunningSystem) -> bool:
        return False


class MethodSteps(CompiledSteps):
    """The compiled form of one system under a method with steps of its own, known by all fields of the method.

    It carries nothing on from step to step but the state; prescribed rows are tabulated with their rates.
    """

    def __init__(self, system: RunningSystem, tolerance: Tolerance | None = None) -> None:
        super().__init__(system, Factors(tolerance or Tolerance()))  # type: ignore[arg-type]

    def _lay_out(self) -> None:
        super()._lay_out()
        self.carried, self.orders = ((), ()), 2
        self._make_room()

    def of_multipliers(self) -> NDArray[np.int64]:
        """Places of the multipliers' own entries in the matrix of blocks."""
        s = self.system
        diagonal = self.blocks.place[s.diagonal_slots[s.motion_unknowns :]]
        return np.ascontiguousarray(diagonal, dtype=np.int64)


class FirstOrderSteps(MethodSteps):
    """The compiled form of one system under a first-order method."""

    def __init__(self, system: RunningSystem, method: Any) -> None:
        self.monitored, self.options = LAWS[getattr(method, "monitor", "none")] != OFF, method
        super().__init__(system)

    def _lay_out(self) -> None:
        super()._lay_out()
        system, method, blocks = self.system, self.options, self.blocks
        unknown = system.multiplier_unknowns
        own = np.where(unknown >= 0, blocks.place[system.diagonal_slots[np.maximum(unknown, 0)]], -1)
        rate, holding = getattr(method, "rate", None), HOLDING[method.step_kind]
        least, width = getattr(method, "bounds", lambda s: (0.0, 1.0))(system)
        self.stepper = Stepper(
            float(method.compliance), self.of_multipliers(), float(getattr(method, "alpha", 0.0)),
            BIASES[getattr(method, "bias", "implicit")], bool(getattr(method, "symmetric", False)),
            bool(getattr(method, "stressed", False)), LAWS[getattr(method, "monitor", "none")],
            getattr(method, "energy", "total") == "total", float(width), float(least), float(getattr(method, "most", 1.0)),
            holding, -1.0 if rate is None else float(rate), float(getattr(method, "ratio", 1.0)),
            float(getattr(method, "penalty", None) or 0.0), _or_below(method, "damping"), _or_below(method, "inertia"),
            int(getattr(method, "sweeps", 1)),
            multiplier_masses(system) if holding == AUGMENTED else np.zeros(0), np.ascontiguousarray(own, dtype=np.int64),
        )  # fmt: skip
        self.linear = no_linear_part() if self.touch is None else self._linear_part()

    def _linear_part(self) -> LinearPart:
        """The matrix of the system in its own pattern, and room for a step without contact."""
        blocks, pattern = self.blocks, self.system.pattern
        places = (blocks.unknown[pattern.rows()], blocks.unknown[pattern.indices], blocks.place)
        row, column, slot = (np.ascontiguousarray(place, dtype=np.int64) for place in places)
        held = self.problem.multipliers.shape[1]
        r, product, motion, lever = np.zeros((4, blocks.size))
        lever[blocks.unknown[: self.system.unknowns]] = self.system.levers
        return LinearPart(row, column, slot, np.zeros(blocks.entries), r, np.zeros(held), product, motion, lever)

    def _shapes(self) -> tuple[tuple[int, ...], ...]:
        *others, (touch,) = super()._shapes()
        return (*others, (touch + (2 if self.monitored else 0),))

    def _begin(self, state: State) -> Motion:
        now = super()._begin(state)
        if self.monitored:
            now.touch[-2:] = state.memory[MONITORED]
        return now

    def _memory(self, motion: Motion | Frames, axis: int = 0) -> dict[str, Array]:
        return super()._memory(motion, axis) | ({MONITORED: motion.touch[..., -2:]} if self.monitored else {})

    def _run(
        self, touch: Any, tables: Tables, now: Motion, work: float, first: int, every: int, record: Record
    ) -> tuple[int, int, int, float]:
        done: tuple[int, int, int, float] = self.entry(run_first_order, every)(
            self.problem,
            self.stepper,
            self.linear,
            touch,
            tables,
            now,
            self.after,
            work,
            first,
            every,
            record,
            self.work,
        )
        return done
