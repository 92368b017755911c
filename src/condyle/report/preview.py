"""A model before it runs, as a result of one frame: where everything is at the start."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING

import numpy as np

from condyle.analysis.inverse import as_result
from condyle.errors import CondyleError
from condyle.system.compile import compile
from condyle.system.running import RunningSystem
from condyle.system.start import consistent_state

if TYPE_CHECKING:
    from condyle.model.model import Model
    from condyle.results.result import Result

__all__ = ["preview"]


def preview(model: Model) -> Result:
    """The model at its start: joints closed if that is possible, otherwise as declared."""
    system = RunningSystem(compile(model))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a run says them
            state, _ = consistent_state(system, "zero-acceleration")
    except (CondyleError, np.linalg.LinAlgError):  # to be looked at all the same
        state, _ = consistent_state(system, "as-given")
    return as_result(system, [state], "preview")
