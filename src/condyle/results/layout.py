"""What is recorded of a step and of a frame, and the header that describes a run."""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.model.part import plain

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.system.system import System

FORMAT = "condyle result"
VERSION = 1
Block = dict[str, NDArray[Any]]  # name of an array -> what is appended to it along its first axis

NUMBERS = ("time", "step", "kinetic", "stored", "gravity", "total", "work", "constraint_error")
COUNTS = ("iterations", "cuts")
ENERGIES = ("kinetic", "stored", "gravity", "total", "work")
CLOCKS = {"Statics": "load factor", "ArcLength": "load factor", "Relaxation": "step"}  # what `time` is there
WITHOUT_WORK = ("InverseDynamics", "InverseKinematics", "mode")  # states one by one: no account of energy
UNITS = {
    "time": "s",
    "step": "s",
    **dict.fromkeys(ENERGIES, "J"),
    "constraint_error": "m or m²",
    "iterations": "",
    "cuts": "",
    "linear_momentum": "kg m/s",
    "angular_momentum": "kg m²/s",
}
PATH_UNITS = {
    "length": "m",
    "rate": "m/s",
    "tension": "N",
    "power": "W",
    "strain": "",
    "excitation": "",
    "activation": "",
    "fibre length": "optimal lengths",
    "fibre rate": "optimal lengths/s",
    "pennation": "rad",
    "tendon strain": "",
}


@cache
def step_type(d: int) -> np.dtype[Any]:
    """One row of the table of steps in a d-dimensional model; its units are in UNITS."""
    fields: list[Any] = [(name, "<f8") for name in NUMBERS]
    fields += [(name, "<i8") for name in COUNTS]
    return np.dtype([*fields, ("linear_momentum", "<f8", (d,)), ("angular_momentum", "<f8", (3,))])


def step_table(d: int, rows: NDArray[np.float64]) -> NDArray[Any]:
    """The table of steps whose numbers stand in rows, in the order of its fields; what follows them there is left out."""
    kind = step_type(d)
    table: NDArray[Any] = np.empty(len(rows), dtype=kind)
    shape = (len(rows), kind.itemsize // 8)
    counts = slice(len(NUMBERS), len(NUMBERS) + len(COUNTS))
    table.view(np.float64).reshape(shape)[:] = rows[:, : shape[1]]
    table.view(np.int64).reshape(shape)[:, counts] = rows[:, counts]
    return table


class Outcome(NamedTuple):
    """How a run ended: status ('completed', 'stopped' by an event, 'failed', 'interrupted', 'unfinished'), message, wall time
    [s] without compiling, compile time [s].

    in_python: steps that were not taken in compiled code although the method has it, by the reason why. solver: that of the
    linear equations, empty where compiled code solved all.
    """

    status: str
    message: str
    wall_time: float
    compile_time: float = 0.0
    in_python: dict[str, int] = {}  # noqa: RUF012, never changed
    solver: str = ""


@dataclass(frozen=True)
class Header:
    """What a run was: enough to compile its model again and to name its arrays.

    shape: rows and dimension (n, d) of x. multipliers: (part, component, internal) of each. multiplier_time: the place
    of a multiplier in its step, 1 at the end, 0.5 in the middle. model: JSON, empty while it is only in memory;
    model_note: why the JSON is not the whole model, empty if it is. run: a name that no other run has.
    """

    run: str
    shape: tuple[int, int]
    multipliers: list[tuple[str, str, bool]]
    formulation: str
    multiplier_time: float = 1.0
    every: int = 1
    integrator: dict[str, Any] = field(default_factory=dict)
    options: dict[str, Any] = field(default_factory=dict)
    model_name: str = ""
    model: str = ""
    model_note: str = ""
    condyle_version: str = ""

    def with_model(self, model: Model) -> Header:
        """The header with the model written out."""
        text, note = describe_model(model)
        return replace(self, model=text, model_note=note)


def make_header(system: System, *, every: int, integrator: dict[str, Any], options: dict[str, Any]) -> Header:
    """The header of a run of this system. integrator['multiplier_time'] says where multipliers belong (default 1)."""
    from uuid import uuid4

    from condyle import __version__

    return Header(
        run=uuid4().hex,
        shape=(system.n, system.d),
        multipliers=[(m.part, m.component, bool(m.internal)) for m in system.multipliers],
        formulation=system.formulation,
        multiplier_time=float(integrator.get("multiplier_time", 1.0)),
        every=every,
        integrator=writable(integrator),
        options=writable(options),
        model_name=system.model.name,
        condyle_version=__version__,
    )


def digest(*texts: str) -> str:
    """A number by which a changed text is noticed."""
    return blake2b("\0".join(texts).encode(), digest_size=16).hexdigest()


def describe_model(model: Model) -> tuple[str, str]:
    """The model as JSON, and a note that names the parts which cannot be written (Python functions, for example)."""
    try:
        return json.dumps(model.to_dict()), ""
    except InputError:
        pass
    parts: list[Any] = []
    missing = []
    for part in model:
        if part is model.ground:
            continue
        try:
            parts.append(plain(part))
        except InputError as error:
            parts.append({"type": type(part).__name__, "name": part.name, "not written": str(error)})
            missing.append(f"{part.label}: {error}")
    data = {"name": model.name, "dimension": model.dimension, "gravity": list(model.gravity), "parts": parts}
    return json.dumps(data), "; ".join(missing)


def writable(value: object) -> Any:
    """`value` as JSON-ready data; what cannot be written becomes its description."""
    if isinstance(value, dict):
        return {str(k): writable(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [writable(v) for v in value]
    try:
        return plain(value)
    except InputError:
        return repr(value)
