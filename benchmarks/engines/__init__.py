"""One adapter per engine: each builds a mechanism and runs it, all with the same few names.

A module of this package has `variants(mechanism)`, the settings worth trying, by name, and `Run(mechanism, variant, dt)`. Its
`run(steps, frames)` starts anew, does that many steps and returns the seconds they took and the start with `frames` equally
spaced snapshots (with none, nothing but the steps is timed). `Run.setup` is the time to build it [s].
"""

from __future__ import annotations

from importlib import import_module
from types import ModuleType

NAMES = ("condyle", "exudyn", "mujoco", "pinocchio")
ALONE = ("pinocchio",)  # in a process of its own: it loads another OpenMP, which changes how MKL works for Condyle


def load(names: list[str]) -> dict[str, ModuleType]:
    """The adapters whose engines are installed."""
    found = {}
    for name in names:
        try:
            found[name] = import_module(f"engines.{name}")
        except ImportError as missing:
            print(f"{name} is left out: {missing}")
    return found
