"""Motion of one bone against another as a clinician describes it (grood-1983)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.errors import InputError
from condyle.joints.clinical import ANGLES, ClinicalJoint
from condyle.model.part import name_of

if TYPE_CHECKING:
    from condyle.model.given import PartLike
    from condyle.results.result import Result


def clinical_motion(result: Result, joint: PartLike) -> dict[str, np.ndarray]:
    """Of a ClinicalJoint: 'flexion', 'abduction', 'rotation' [rad] and 'shift', 'drawer', 'distraction' [m] over time.

    The shifts are those of b's point from a's along the medio-lateral axis of a, the floating axis and the shaft of b.
    """
    part: Any = result.model[name_of(joint)]
    if not isinstance(part, ClinicalJoint):
        raise InputError(f"clinical_motion: {part.label} is no ClinicalJoint")
    out = {name: result.coordinate(f"{part.name}.{name}") for name in ANGLES}
    points = result.system.points
    e = part.triad()
    axis, shaft = (
        result._history("x", points.direction(end, direction, part))[result._frames]
        for end, direction in ((part.a, e[0]), (part.b, e[2]))
    )
    floating = np.cross(shaft, axis)
    floating /= np.linalg.norm(floating, axis=1)[:, None]
    gap = result.position(part.b) - result.position(part.a)
    for name, direction in (("shift", axis), ("drawer", floating), ("distraction", shaft)):
        out[name] = np.sum(gap * direction, axis=1)
    return out
