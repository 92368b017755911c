"""Runs energy–momentum steps of a system in compiled code where its equations allow it (`loop.py`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.integrators import account, loop
from condyle.integrators.extrapolation import DEPTH, Past, forget
from condyle.integrators.newton import ROUND_OFF, StepInfo
from condyle.integrators.strategy import newton_strategy
from condyle.system.blocks import Blocks, in_blocks
from condyle.system.couplings import no_couplings
from condyle.system.reactions import weights_at
from condyle.system.state import State, Stretch
from condyle.system.system import System, make_parts
from condyle.system.tables import PENALTY, UZAWA

if TYPE_CHECKING:
    from condyle.integrators.energy_momentum import EnergyMomentum
    from condyle.integrators.generalized_alpha import GeneralizedAlpha

Array = NDArray[np.float64]

# Why a compiled step is tried again in Python.
FAILURES = {
    loop.CONVERGED: "",
    loop.NOT_CONVERGED: "Newton's method did not converge in compiled code",
    loop.SINGULAR: "a pivot was lost in the compiled elimination",
    loop.NOT_FINITE: "a force was not finite in compiled code",
    loop.OVERFLOWN: "an energy was not finite in compiled code",
    loop.TURNED: "a body turned too far within a compiled step",
    loop.UNBALANCED: "energy was not kept in a compiled step",
}


class CompiledSteps:
    """The compiled form of one system under one method. `of` says whether there is one."""

    @classmethod
    def of(cls, system: System, method: EnergyMomentum | GeneralizedAlpha) -> CompiledSteps | None:
        """The compiled form, made once; None where a step has to be taken in Python (`why_not`)."""
        if cls.why_not(system, method):
            return None
        made = system.compiled
        key = (method.tolerance, getattr(method, "newton", "full"), system.step, system.redundant)
        if made.get("key") != key:
            made["key"], made["steps"] = key, cls(system, method, made["blocks"])
        return made["steps"]

    @classmethod
    def why_not(cls, system: System, method: EnergyMomentum | GeneralizedAlpha) -> str:
        """Why steps of this system are taken in Python; empty if they are compiled."""
        placement = getattr(method, "placement", "conserving")
        forces, uzawa = system.builder.user_forces, system.hold == UZAWA
        reasons = {
            "rigid bodies are held together by multipliers (formulation='rows')": system.identity,
            f"placement='{placement}' is for comparison": placement != "conserving",
            "forces are Python functions": bool(forces),
            "bodies are in contact": system.contact is not None,
            f"solver='{system.solver_kind}' was asked for": system.solver_kind not in ("auto", "block"),
            f"'{_first_part(system, uzawa)}' is held by Uzawa's outer loop": bool(uzawa.any()),
            "bodies are quasi-static": bool(system.quasi_static.size),
            "materials have a fading memory": bool(system.fading),
            "bodies swell": bool(system.swelling),
        }
        return next((reason for reason, applies in reasons.items() if applies), "") or _why_no_blocks(system)

    def __init__(self, system: System, method: EnergyMomentum | GeneralizedAlpha, blocks: Blocks) -> None:
        self.system = system
        parts = make_parts(system.builder, blocks.rows, blocks.mass, blocks.laws, system.spans, False)
        d, m, size = system.d, len(system.multipliers), blocks.size
        live = system.multiplier_unknowns >= 0
        drive = np.full(m, -1, dtype=np.int64)
        drive[system.constraints.channel] = system.constraints.drive
        links = system.links.law.size
        multipliers = np.stack((
            system.hold, np.where(live, blocks.unknown[np.maximum(system.multiplier_unknowns, 0)], -1), drive, live,
            np.concatenate((np.repeat(np.arange(links), d), links + np.arange(m - d * links))),
        ))  # fmt: skip
        unit = np.zeros(blocks.motion, dtype=np.int64)
        unit[blocks.unknown[: system.motion_unknowns]] = system.unit_of_unknown
        angles = [
            np.stack((first + instance, place, vector), axis=1)
            for first, (instance, place, vector) in zip(system.spans[[0, 1, 3]], system.angles, strict=True)
        ]
        tolerance = method.tolerance
        self.problem = loop.Problem(
            parts, blocks.schedule, system.mass, system.gravity_force,
            np.stack((system.translation, system.elastic_rows.astype(float))), unit, multipliers.astype(np.int64),
            *system.stiffness(system.step), np.ascontiguousarray(np.concatenate(angles)).astype(np.int64),
            np.array([tolerance.force, max(tolerance.length, ROUND_OFF), ROUND_OFF]), tolerance.iterations,
            newton_strategy(getattr(method, "newton", "full")).share, self._redundant(blocks),
        )  # fmt: skip
        self.work = loop.Work(
            np.zeros((10, system.n, d)), np.zeros((5, size)), np.zeros((5, m)), np.zeros((2, len(blocks.rows.bodies), 3)),
            np.zeros(blocks.entries), np.zeros(3 * size), np.zeros(tolerance.iterations + 1),
            self._past(blocks.rows.bodies, m), np.zeros(blocks.entries if system.redundant else 0),
        )  # fmt: skip
        self.reached: tuple[Array, Array] | None = None  # x and v after the last step, which the next may go on from
        self.account = np.zeros(account.ACCOUNT)
        # energy in them changes with their targets
        self.stiff_drives = bool(((drive >= 0) & (system.hold == PENALTY)).any())
        self.failure = ""  # why the last step failed, if it did

    def _redundant(self, blocks: Blocks) -> loop.Redundant:
        """What is needed to share reactions, weighted as where the run began."""
        s = self.system
        if not s.redundant:
            return loop.Redundant(no_couplings(), np.zeros(0, dtype=np.int64), np.zeros(0))
        return loop.Redundant(blocks.couplings(s), np.flatnonzero(s.exact), weights_at(s, *s.begun_at))

    def _past(self, bodies: NDArray[np.int64], multipliers: int) -> Past:
        """Room for the last steps."""
        s, count = self.system, len(bodies)
        mass = np.zeros(s.n)
        own = s.mass.first == s.mass.second
        np.add.at(mass, s.mass.first[own], s.mass.value[own])
        velocity, spin = np.zeros((DEPTH, s.n, s.d)), np.zeros((DEPTH, count, 3))
        return Past(velocity, spin, np.zeros((DEPTH, multipliers)), mass, mass[bodies].sum(axis=1), np.zeros(6))

    def go_on_from(self, x: Array, v: Array) -> bool:
        """Guess from the steps before if they led here. Did they?"""
        led = self.reached is not None and np.array_equal(self.reached[0], x) and np.array_equal(self.reached[1], v)
        if not led:
            forget(self.work.past)
        return led

    def _open_account(self, state: State, work: float) -> None:
        """Energies before the first of a row of steps, and the work until then [J]."""
        s = self.system
        energy = s.energy(state, s.stiffness(s.step))
        account.open_account(self.account, account.numbers(energy, work, 0.0))

    def step(self, state: State, h: float) -> tuple[State, StepInfo] | None:
        """One step of length h [s]; None if it fails and has to be tried otherwise."""
        done = self.run(state, [state.t + h], self.system.step_number, 1, 0.0, size=h)
        if done.failed:
            return None
        count = int(done.scalars[0, account.ITERATIONS])
        info = StepInfo(count, self.work.residuals[: count + 1].tolist(), work=done.work, scalars=done.scalars[0])
        return done.state, info

    def run(
        self, state: State, times: Sequence[float], first: int, every: int, work: float, size: float | None = None
    ) -> Stretch:
        """Steps that end at `times` [s]; every `every`-th, counted from `first`, is kept. size: of a single step."""
        s = self.system
        at, tables = self.tables(state.t, times, size)
        sizes = tables.sizes
        count = len(sizes)
        steps = first + np.arange(count)
        frames = int(np.count_nonzero(steps % every == 0))
        x, v, multipliers = state.x.copy(), state.v.copy(), state.multipliers.copy()
        mean, turns = state.memory["mean velocity"].copy(), state.turns.copy()
        shape = (frames, *x.shape)
        record = loop.Record(
            np.zeros((count, account.SCALARS)), np.zeros((count, s.d)), np.zeros((count, 3)), np.empty(shape),
            np.empty(shape), np.empty(shape), np.empty((frames, len(multipliers))), np.empty((frames, len(turns))),
        )  # fmt: skip
        if not self.go_on_from(x, v) or self.stiff_drives:
            self._open_account(state, work)
        self.account[account.WORK_BEFORE] = begun = work
        status, done, _, kept, work = loop.run_steps(
            self.problem,
            tables,
            x,
            v,
            mean,
            multipliers,
            turns,
            work,
            self.account,
            first,
            every,
            record,
            self.work,
        )
        self.failure = FAILURES[status]
        if status == loop.OVERFLOWN:
            return Stretch.none(state, begun)
        reached = float(at[done])
        self.reached = (x.copy(), v.copy()) if status != loop.UNBALANCED else None
        memory = {**state.memory, "mean velocity": mean}
        arrays = {"x": record.x, "v": record.v, "multipliers": record.multipliers, "turns": record.turns,
                  "memory/mean velocity": record.mean}  # fmt: skip
        return Stretch(
            State(reached, x, v, multipliers, memory, turns), record.scalars[:done], record.linear[:done],
            record.angular[:done], at[1 : done + 1], sizes[:done], steps[:done][steps[:done] % every == 0],
            {name: a[:kept] for name, a in arrays.items()}, float(work), status != loop.CONVERGED,
        )  # fmt: skip

    def tables(self, start: float, times: Sequence[float], size: float | None = None) -> tuple[Array, loop.Tables]:
        """All instants [s] from `start` on, and what functions of time and prescribed rows are at them."""
        s = self.system
        at = np.array([start, *times])
        sizes = np.diff(at) if size is None else np.array([size])
        count = len(sizes)
        driven = [rows for rows, _ in s.builder.driven]
        motion = [np.concatenate([motion(t) for _, motion in s.builder.driven]) for t in at[1:]] if driven else []
        middle = at[:-1] + 0.5 * sizes
        return at, loop.Tables(
            sizes,
            np.array([s.amplitudes(t) for t in middle]) if s.builder.functions else np.zeros((count, 1)),
            np.array([s.amplitudes(t) for t in at]) if s.builder.functions else np.zeros((count + 1, 1)),
            self._gravity(middle),
            self._gravity(at),
            np.concatenate(driven) if driven else np.zeros(0, dtype=np.int64),
            np.array(motion).reshape(count, -1, s.d),
        )

    def _gravity(self, times: Array) -> Array:
        scale = self.system.builder.gravity_scale
        return np.ones(len(times)) if scale is None else np.array([scale(t) for t in times])


def _why_no_blocks(system: System) -> str:
    """Why there is no order of elimination for this system; empty if there is one, which is kept with the system."""
    if "blocks" not in system.compiled:
        system.compiled["blocks"] = in_blocks(system)
    return "" if system.compiled["blocks"] is not None else "a mesh or many loops: other solvers are faster"


def _first_part(system: System, which: NDArray[np.bool_]) -> str:
    return next((m.part for m, it in zip(system.multipliers, which, strict=True) if it), "")
