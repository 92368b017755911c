"""A walking hip over thickness, head and modulus: a sweep with its response map.

The coupled walk of hip-gait, a soft liner between trunk and stance leg, for every thickness of the liner with every radius of
the head and every Young's modulus. The head conforms to the liner, so that the problem is nearly linear: pressure follows from
the force that is carried and from the radius, and hardly feels the modulus, while the hip sinks in inverse proportion to it.
Powers are slopes of logarithms, fitted over all cases.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd
from condyle.studies import hip_gait
from condyle.studies.hovey_gait import as_stepped

MM, MPA = 1e-3, 1e6
DEPTH = 10 * MM  # of the liner of hovey-bartel

PARAMETERS = {
    "thicknesses": cd.Parameter((4 * MM, 8 * MM, 12 * MM), "of the liner", "m"),
    "heads": cd.Parameter((11 * MM, 14 * MM, 18 * MM), "radii of the head", "m"),
    "moduli": cd.Parameter((500e6, 974e6, 1500e6), "Young's moduli of the liner", "Pa"),
    "poisson": cd.Parameter(0.46, "Poisson's ratio"),
    "depth": cd.Parameter(DEPTH, "depth of the plane model", "m"),
    "cells": cd.Parameter((48, 8), "cells around and across the liner"),
    "end": cd.Parameter(0.6, "time of single stance", "s"),
    "at": cd.Parameter(0.3, "when pressure and force are read", "s"),
}
QUICK = {"thicknesses": (6 * MM, 10 * MM), "heads": (12 * MM, 16 * MM), "moduli": (500e6, 1500e6), "cells": (24, 4),
         "end": 0.05, "at": 0.05}  # fmt: skip
INPUTS = ("depth",)


def hip(thickness: float, head: float, young: float, at: float, **options: Any) -> dict[str, float]:
    """Largest pressure [MPa], force [N] and how far the trunk has sunk onto the head [mm], at a time of the walk."""
    p = hip_gait.STUDY.values({"inner": head, "outer": head + thickness, "young": young, **options})
    result = cd.simulate(hip_gait.coupled(p), end=p.end, dt=p.dt, **as_stepped())
    contact, frame = result.contact("joint"), int(np.argmin(np.abs(result.times - at)))
    ball = result.position(cd.Point("stance leg", (0.0, p.hip_to_centre)))[frame]
    cup = result.position(cd.Point("trunk", (0.0, -p.trunk_centre)))[frame]
    return {
        "pressure": float(contact.pressure[frame].max()) / MPA,
        "force": float(np.linalg.norm(contact.resultant[frame])),
        "sinking": float(np.linalg.norm(ball - cup)) / MM,
    }


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """Every case, and the powers with which its numbers change."""
    fixed = {"at": p.at, "end": p.end, "cells": p.cells, "poisson": p.poisson, "depth": p.depth}
    vary = {"thickness": p.thicknesses, "young": p.moduli, "head": p.heads}
    found = cd.sweep(partial(hip, **fixed), vary, workers=0)
    found.name = "hip"
    found.units |= {"thickness": "m", "young": "Pa", "head": "m", "pressure": "MPa", "force": "N", "sinking": "mm"}
    found.written |= {"thickness": "mm", "young": "MPa", "head": "mm"}
    if context.out is not None:
        context.out.mkdir(parents=True, exist_ok=True)
        context.files.append(found.save(context.out / "table.csv"))
    force = found.column("force")
    told = {"pressure": found.column("pressure") / force, "sinking": found.column("sinking") / force, "force": force}
    flat = force / (found.column("head") * DEPTH * MPA)  # mean over half the projected area [MPa]
    return {
        "sweep": found, "failed": len(found.failed), "peak": found.column("pressure") / flat,
        "powers": {output: _powers(found, values) for output, values in told.items()},
    }  # fmt: skip


def _powers(found: cd.SweepResult, values: NDArray[np.float64]) -> dict[str, float]:
    """Slopes of the logarithm of numbers of all cases over the logarithms of what was varied, by least squares."""
    columns = [np.log(found.column(name)) for name in found.varied]
    slopes = np.linalg.lstsq(np.column_stack([*columns, np.ones(len(columns[0]))]), np.log(values))[0]
    return dict(zip(found.varied, slopes.tolist(), strict=False))


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Maps of pressure and of sinking, a panel for each head."""
    found = outcome["sweep"]
    return {"pressure": found.plot_map("pressure"), "sinking": found.plot_map("sinking"),
            "cases": found.plot_parallel("pressure")}  # fmt: skip


def power(output: str, name: str, outcome: cd.Outcome) -> float:
    """A power of the response."""
    return float(outcome["powers"][output][name])


LINEAR = "a linear problem: under a given force"

CLAIMS = [
    cd.Claim("cases that failed", 0, lambda o: o["failed"], kind="property", tolerance=0.0, origin="every case has numbers"),
    cd.Claim("power of pressure per force over the modulus", 0.0, partial(power, "pressure", "young"), kind="closed form",
             tolerance=0.02, origin=f"{LINEAR} stress does not depend on the modulus"),
    cd.Claim("power of sinking per force over the modulus", -1.0, partial(power, "sinking", "young"), kind="closed form",
             tolerance=0.03, origin=f"{LINEAR} displacements are as one over the modulus"),
    cd.Claim("power of pressure per force over the radius of the head", -1.0, partial(power, "pressure", "head"),
             kind="closed form", tolerance=0.15, origin="force over the projected area; a thicker liner spreads it otherwise"),
    cd.Claim("power of the force over the modulus", 0.0, partial(power, "force", "young"), kind="property", tolerance=0.02,
             full_only=True, origin="the walk is driven by inertia: after its first jump the hip carries the same force"),
    cd.Claim("power of sinking per force over the thickness", (0.3, 3.0), partial(power, "sinking", "thickness"),
             kind="property", origin="between a layer that spreads at will and one that can hardly be compressed (cubed)"),
    cd.Claim("largest pressure over the mean on half the projected area, smallest case", 2.0 / np.pi,
             lambda o: float(o["peak"].min()), kind="closed form", tolerance=0.04, origin="pressure as the cosine of an angle"),
    cd.Claim("largest pressure over the mean on half the projected area, largest case", 2.0 / np.pi,
             lambda o: float(o["peak"].max()), kind="closed form", tolerance=0.04, origin="pressure as the cosine of an angle"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
