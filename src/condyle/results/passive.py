"""What passive resistance of joints was over a run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from condyle.errors import InputError
from condyle.model.part import did_you_mean

if TYPE_CHECKING:
    from condyle.model.given import PartLike
    from condyle.results.result import Result


def passive_moment(result: Result, part: PartLike) -> dict[str, NDArray[np.float64]]:
    """Moments [N m] of a `PassiveMoment` on body b about each of its axes, by coordinate, shape (frames,) each."""
    from condyle.joints import PassiveMoment

    model, name = result.model, str(getattr(part, "name", part))
    found = model.get(name)
    if not isinstance(found, PassiveMoment):
        known = [p.name for p in model if isinstance(p, PassiveMoment)]
        raise InputError(f"'{name}' is no PassiveMoment of the model '{model.name}'{did_you_mean(name, known)}")
    if found.angles == "absolute":
        raise InputError(
            f"{found.label}: its moments on both bodies differ: read them from axis.resistance(angle) of each body"
        )
    out = {}
    for reference, (axis_name, axis) in zip(found.references(), found.axes.items(), strict=True):
        q, rate = result.coordinate(reference), result.coordinate_rate(reference)
        out[axis_name or reference.partition(".")[2] or "angle"] = -axis.resistance(q, rate)
    return out
