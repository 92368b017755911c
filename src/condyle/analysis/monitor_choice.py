"""Width and bounds of an energy monitor for a model, by the rule of its source (Hewlett 2020, §3.3.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from condyle.analysis.dynamics import simulate
from condyle.analysis.relaxation import relax
from condyle.errors import InputError
from condyle.integrators.compliant import Compliant
from condyle.integrators.stabilised import Stabilised
from condyle.model.model import Model

if TYPE_CHECKING:
    from condyle.model.given import Option

SHARE = 0.05  # of the energy that can be set free: between 0.01 and 0.1
SOFT = 0.1  # compliance/dt² from which joints are soft


def choose_monitor(
    model: Model, *, dt: float, compliance: float, law: str = "tanh", trial: float | None = None, **options: Option
) -> Stabilised:
    """A `Stabilised` for a model and a step [s]: width, bounds and the energy that is watched.

    width: a twentieth of the energy that gravity can set free, found by relaxing the model to its equilibrium, but not below
    the oscillation of the energy without geometric stiffness, in a run of `trial` [s] (ten steps by default), and not above
    all of it. least: −1 for soft joints (compliance/dt² of 0.1 or more), with the net energy; −compliance/dt² for stiff ones,
    with the total. options: further ones of `Stabilised`.
    """
    hanging = relax(model).energy["gravity"]
    free = float(hanging[0] - hanging.min())
    if not free > 0.0:
        raise InputError(
            "choose_monitor: gravity can set no energy free in this model; give width= to Stabilised yourself"
        )
    swing = simulate(model, end=trial or 10.0 * dt, dt=dt, integrator=Compliant(compliance=compliance))
    off = swing.energy["total"] - swing.energy["work"]
    width = min(free, max(SHARE * free, float(np.abs(off - off[0]).max())))
    ratio = compliance / dt**2
    chosen: dict[str, Any] = {
        "width": width, "least": -1.0 if ratio >= SOFT else -ratio, "energy": "net" if ratio >= SOFT else "total",
    }  # fmt: skip
    return Stabilised(compliance=compliance, monitor=law, **(chosen | options))
