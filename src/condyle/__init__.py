"""Condyle simulates motion and stress together: rigid and deformable bodies, joints, forces and contact.

    import condyle as cd

The public names live here, one import path each, and are loaded when first used: ``import condyle`` alone loads
neither NumPy nor Numba, so that the command line answers at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

# A public name and the module that defines it. A new name is a line here and a line in the block below.
_HOME = {
    "AssemblyError": "condyle.errors",
    "Claim": "condyle.claims",
    "CondyleError": "condyle.errors",
    "Context": "condyle.study",
    "ConvergenceError": "condyle.errors",
    "InputError": "condyle.errors",
    "Parameter": "condyle.study",
    "Study": "condyle.study",
    "Verdict": "condyle.claims",
}

if TYPE_CHECKING:  # the same names for type checkers and editors; "X as X" marks a deliberate re-export
    from condyle.claims import Claim as Claim
    from condyle.claims import Verdict as Verdict
    from condyle.errors import AssemblyError as AssemblyError
    from condyle.errors import CondyleError as CondyleError
    from condyle.errors import ConvergenceError as ConvergenceError
    from condyle.errors import InputError as InputError
    from condyle.study import Context as Context
    from condyle.study import Parameter as Parameter
    from condyle.study import Study as Study

__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module 'condyle' has no attribute {name!r}")
    from importlib import import_module

    value = getattr(import_module(home), name)
    globals()[name] = value  # the next access does not come here again
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
