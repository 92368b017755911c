"""A small study on a fake engine, for the tests of the command line: a stone that falls."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

import condyle as cd


def fall(p: Any, context: cd.Context) -> dict[str, Any]:
    result = context.simulate("fall", {"gravity": p.gravity}, end=p.end, dt=p.dt)
    return {"depth": 0.5 * p.gravity * p.end**2, "result": result}


def draw(outcome: Any, p: Any) -> dict[str, Any]:
    from matplotlib.figure import Figure

    figure = Figure()
    figure.subplots().plot([0.0, p.end], [0.0, outcome["depth"]])
    return {"depth": figure}


STUDY = cd.Study(
    name="falling-stone",
    title="A stone falls from rest",
    source="beyond",
    summary="A point mass under gravity.",
    parameters={
        "gravity": cd.Parameter(10.0, "gravitational acceleration", "m/s²"),
        "end": cd.Parameter(2.0, "time simulated", "s"),
        "dt": cd.Parameter(0.1, "time step", "s"),
        "bounces": cd.Parameter(0, "number of bounces"),
        "drag": cd.Parameter(False, "with air resistance"),
        "scheme": cd.Parameter("energy-momentum", "integrator"),
        "start": cd.Parameter((0.0, 0.0, 0.0), "initial position", "m"),
    },
    run=fall,
    claims=[
        cd.Claim(
            "acceleration from the depth",
            10.0,
            lambda outcome: 2.0 * outcome["depth"] / float(outcome["result"].times[-1]) ** 2,
            unit="m/s²",
            tolerance=1e-9,
            kind="closed form",
            origin="½ g t²",
        ),
        cd.Claim(
            "depth",
            20.0,
            lambda o: o["depth"],
            unit="m",
            tolerance=1e-9,
            kind="published",
            origin="Galilei [eq. 1]",
            full_only=True,
        ),
    ],
    figures=draw,
    quick={"end": 0.5},
)


def simulate(
    model: Any, *, file: Path | None, overwrite: bool, progress: Any, end: float, dt: float
) -> SimpleNamespace:
    """Stands for condyle.simulate: a result with the attributes that the command line looks at."""
    if file is not None:
        file.write_text("results")
    times = np.array([0.0, end])
    return SimpleNamespace(
        status="completed",
        message="",
        times=times,
        steps=round(end / dt),
        iterations=np.array([2, 4]),
        wall_time=0.25,
        file=file,
        energy={"kinetic": np.array([0.0, 4.0]), "potential": np.array([4.0, 1.0]), "total": np.array([4.0, 5.0])},
    )
