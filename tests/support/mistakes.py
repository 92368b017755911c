"""What tests of bad input have in common."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import condyle as cd


def model() -> cd.Model:
    """One body in the plane, to which a mistake is added."""
    m = cd.Model("model", dimension=2)
    m.add(cd.RigidBody("a", 1.0, inertia=1.0))
    return m


def fails(pattern: str, make: Callable[[], Any]) -> None:
    """The error's message matches; it is an InputError, which the command line shows without a traceback."""
    with pytest.raises(cd.InputError, match=pattern):
        make()
