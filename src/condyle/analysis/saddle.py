"""Saddle points of stiffness and constraints, solved also where the stiffness is indefinite and constraints are redundant."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from condyle.system.running import RunningSystem

Array = NDArray[np.float64]


def factorised(system: RunningSystem, A: Array) -> Callable[[Array], Array]:
    """rhs → A⁻¹ rhs for matrix values in the pattern of the system; SingularMatrixError names an unknown."""
    values = A.copy()
    system.regularise(values)
    system.solver.factor(values)
    return system.solver.solve
