"""Eigenmodes of a linearised model: frequencies, damping, stability, shapes and their motion."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from condyle.analysis.eigensolvers import Pairs, cleaned, dense_pairs, sparse_pairs
from condyle.analysis.linearise import Linearised, linearise
from condyle.errors import InputError
from condyle.model.model import Model
from condyle.system import assembly
from condyle.system.state import State
from condyle.system.system import System

if TYPE_CHECKING:
    from condyle.model.given import Option, PointLike
    from condyle.results.result import Result

Array = NDArray[np.float64]
DENSE = 600  # unknowns up to which all modes are found at once


@dataclass(frozen=True)
class Modes:
    """Modes u(t) = Re(u e^{s t}) about a state: unstable ones, then the lowest first.

    eigenvalues s [1/s], shape (k,); vectors u in the unknowns of motion, shape (n, k), of unit modal mass. Without
    damping each mode stands for the pair ±s: s = i ω, or real and positive where the state is unstable.
    """

    linearised: Linearised
    eigenvalues: NDArray[np.complex128]
    vectors: NDArray[np.float64 | np.complex128]

    def __len__(self) -> int:
        return len(self.eigenvalues)

    @property
    def angular_frequencies(self) -> Array:
        """ω = Im s [rad/s], shape (k,); 0 for rigid-body modes and for motions that do not oscillate."""
        return np.abs(self.eigenvalues.imag)

    @property
    def frequencies(self) -> Array:
        """ω/2π [Hz], shape (k,)."""
        return self.angular_frequencies / (2.0 * np.pi)

    @property
    def growth_rates(self) -> Array:
        """Re s [1/s], shape (k,): negative is damped, positive unstable."""
        return np.asarray(self.eigenvalues.real)

    @property
    def damping_ratios(self) -> Array:
        """ζ = −Re s/|s|, shape (k,): 1 for motions that creep back, 0 for rigid-body modes."""
        size = np.abs(self.eigenvalues)
        return np.divide(0.0 - self.eigenvalues.real, size, out=np.zeros(len(self)), where=size > 0)

    @property
    def unstable(self) -> NDArray[np.bool_]:
        """Does the mode grow? Shape (k,)."""
        return np.asarray(self.eigenvalues.real > 0)

    @property
    def shapes(self) -> NDArray[np.float64]:
        """Displacements of all rows, shape (k, rows, d)."""
        P, s = self.linearised.map, self.linearised.system
        return np.asarray((P @ self.vectors).T).reshape(len(self), s.n, s.d)

    def displacement(self, point: PointLike) -> NDArray[np.float64]:
        """Displacement of a point in each mode, shape (k, d)."""
        return np.asarray(self.linearised.system.position(point).at(self.shapes))

    def summary(self) -> str:
        """A table of the modes as text."""
        lines = [f"modes of '{self.linearised.system.model.name}'"]
        if not self.linearised.balanced:
            lines[0] += " (about a state that is not in equilibrium)"
        for k, (f, zeta, grows) in enumerate(zip(self.frequencies, self.damping_ratios, self.unstable, strict=True)):
            note = "rigid-body motion" if self.eigenvalues[k] == 0 else ""
            if grows:
                note = f"unstable, grows by e in {1.0 / self.growth_rates[k]:.4g} s"
            lines.append(f"  {k:3d}  {f:14.6g} Hz   damping ratio {zeta:8.4f}   {note}".rstrip())
        return "\n".join(lines)

    def result(self, k: int, *, amplitude: float | None = None, cycles: float = 1, frames: int = 40) -> Result:
        """Mode k in motion, as a result that can be plotted, tabulated and animated like any other.

        amplitude [m]: largest displacement of a point, by default a tenth of the size of the model. cycles: number of
        periods; frames: pictures of each. It neither decays nor grows; what does not oscillate goes to and fro in 1 s.
        """
        from condyle.results.recorder import Recorder

        self._check(k, amplitude, cycles, frames)
        system, start = self.linearised.system, self.linearised.state
        u = self.vectors[:, k] * self._scale(k, amplitude)
        omega = float(self.angular_frequencies[k]) or 2.0 * np.pi
        times = np.linspace(0.0, cycles * 2.0 * np.pi / omega, max(round(cycles * frames), 1) + 1)
        recorder = Recorder(system, integrator={"name": "mode", "mode": k, "frequency": float(self.frequencies[k])},
                            options={"amplitude": amplitude, "cycles": cycles, "frames": frames})  # fmt: skip
        before = 0.0
        for t in times:
            turn = np.exp(1j * omega * t)
            state = self._moved(start, u * turn, u * 1j * omega * turn, float(t))
            scalars = self._scalars(state, float(t) - before)
            before = float(t)
            if t == 0.0:
                recorder.start(state, scalars)
            else:
                recorder.record(state, scalars)
        return recorder.finish("completed", f"mode {k}, {self.frequencies[k]:.6g} Hz", 0.0)

    def animate(self, path: str | Path, k: int, *, amplitude: float | None = None, cycles: float = 1, frames: int = 40,
                **options: Option) -> Path:  # fmt: skip
        """Write mode k as a moving picture (.gif, .html or .mp4); options as for `Result.animate`."""
        return self.result(k, amplitude=amplitude, cycles=cycles, frames=frames).animate(path, **options)

    def _moved(self, start: State, u: NDArray[Any], rate: NDArray[Any], t: float) -> State:
        """The state displaced by Re u; rigid bodies turn and stay rigid."""
        system = self.linearised.system
        x = start.x.copy()
        du = np.zeros(system.unknowns)
        du[: self.linearised.size] = np.real(u)
        assembly.move(system.rows, du, x)
        v = self.linearised.row_displacements(np.real(rate))
        return State(t, x, v, start.multipliers.copy(), turns=start.turns.copy())

    def _scale(self, k: int, amplitude: float | None) -> complex:
        """Factor that gives the largest displacement of a point the wanted size, at t = 0 where it can be."""
        system, shape = self.linearised.system, self.shapes[k]
        moves = [shape[row] for row in np.flatnonzero(system.translation * system.moving)]
        for anchor in system.anchors.values():
            moves += [vector.at(shape) for line in anchor.outline() for vector in line]
        sizes = [float(np.linalg.norm(move)) for move in moves]
        largest = int(np.argmax(sizes))
        wanted = 0.1 * system.size if amplitude is None else amplitude
        if sizes[largest] > 0:
            lead = moves[largest][int(np.argmax(np.abs(moves[largest])))]
            return complex(wanted / sizes[largest] * np.conj(lead) / abs(lead))
        turning = float(np.abs(self.vectors[:, k]).max())  # only turning: 0.3 rad
        return complex(0.3 / turning)

    def _scalars(self, state: State, step: float) -> dict[str, Any]:
        system = self.linearised.system
        linear, angular = system.momentum(state)
        return {
            **system.energy(State(self.linearised.state.t, state.x, state.v, state.multipliers)),
            "work": 0.0,
            "linear_momentum": linear,
            "angular_momentum": angular,
            "constraint_error": system.constraint_error(state.x, self.linearised.state.t),
            "iterations": 0,
            "cuts": 0,
            "step": step,
        }

    def _check(self, k: int, amplitude: float | None, cycles: float, frames: int) -> None:
        if not -len(self) <= k < len(self):
            raise InputError(f"there is no mode {k}; there are modes 0 … {len(self) - 1}")
        if amplitude is not None and not (np.isfinite(amplitude) and amplitude > 0):
            raise InputError(f"modes: amplitude must be a positive length [m], not {amplitude!r}")
        if not (np.isfinite(cycles) and cycles > 0) or int(frames) != frames or frames < 2:
            raise InputError(f"modes: give cycles > 0 and at least 2 frames, not {cycles!r} and {frames!r}")


def eigenmodes(
    model: Model | System | Linearised,
    count: int = 10,
    state: State | Result | None = None,
    *,
    damped: bool = False,
    t: float | None = None,
    method: str = "auto",
) -> Modes:
    """The `count` lowest modes about a state (as for `linearise`).

    damped=False leaves out dampers and takes the state at rest; damped=True takes it as it moves, with dampers and
    gyroscopic terms, and gives complex eigenvalues. Constraints are respected exactly, rigid-body modes have the frequency
    0, and modes without inertia do not appear. method: 'dense' finds all modes on the null space of the constraints,
    'sparse' those nearest to zero by inverse iteration; 'auto' chooses by size.
    """
    if isinstance(count, State | tuple) or callable(getattr(count, "state", None)):
        raise InputError("eigenmodes: the second number is how many modes are wanted; give the state by name: state=…")
    if isinstance(count, bool) or not isinstance(count, int | np.integer) or count < 1:
        raise InputError(f"eigenmodes: count must be a whole number of at least 1, not {count!r}")
    if method not in ("auto", "dense", "sparse"):
        raise InputError(f"eigenmodes: method is {method!r}; choose 'auto', 'dense' or 'sparse'")
    if isinstance(model, Linearised):
        if state is not None or t is not None:
            raise InputError("eigenmodes: a linearised model has its state already; leave state and t out")
        linear = model
    else:
        linear = linearise(model, state, t, rest=not damped)
    large = linear.size > DENSE and count < linear.size // 8 and linear.user_stiffness is None
    if method == "sparse" and (linear.user_stiffness is not None or 2 * count + 4 > linear.size):
        raise InputError("eigenmodes: method 'sparse' needs fewer modes and no UserForce; use method='dense'")
    sparse = method == "sparse" or (method == "auto" and large)

    def pairs(with_damping: bool) -> Pairs:
        if sparse:
            return sparse_pairs(linear, int(count), damped=with_damping)
        return dense_pairs(linear, damped=with_damping)

    undamped = pairs(False)
    s, u = cleaned(linear, pairs(True) if damped else undamped, undamped)
    order = np.lexsort((np.abs(s), s.real <= 0))[:count]  # unstable ones first
    return Modes(linear, s[order], u[:, order])
