"""Stiffness and clearance of a hip from pressure: a film with sensors between head and liner.

A film in a hip measures pressure at points of the liner under several loads, with noise. The hip that is measured is that of
hovey-bartel on a fine mesh, with a head smaller than its cup. The hip that is fitted has a coarse mesh, another material law
and other load steps. If the clearance is known, the film tells Young's modulus. It cannot tell both, because pressure depends
only on force over modulus times clearance. Both can be told if the depth to which the head sinks is measured too.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd
from condyle.studies import hovey_bartel

MM, MPA = 1e-3, 1e6

PARAMETERS = {
    "young": cd.Parameter(1000e6, "Young's modulus of the liner", "Pa"),
    "clearance": cd.Parameter(0.3 * MM, "of the head in the cup", "m"),
    "poisson": cd.Parameter(0.3, "Poisson's ratio, known"),
    "loads": cd.Parameter((750.0, 1500.0, 2250.0, 3000.0), "forces on the head", "N"),
    "sensors": cd.Parameter(25, "sensors of the film, from −60° to 60°"),
    "noise": cd.Parameter(0.2 * MPA, "of the film", "Pa"),
    "seed": cd.Parameter(5, "of the noise"),
    "cells": cd.Parameter((72, 8), "cells of the hip that is measured"),
    "coarse": cd.Parameter((48, 6), "cells of the hip that is fitted"),
    "blur": cd.Parameter(1e-6, "noise of the place of the head", "m"),
}
QUICK = {"cells": (48, 6), "coarse": (36, 4), "loads": (1500.0, 3000.0)}
INPUTS = ("young", "clearance")  # what is searched is always the hip that was measured


def press(
    young: float,
    clearance: float,
    *,
    poisson: float,
    loads: tuple[float, ...],
    cells: tuple[int, int],
    sensors: int,
    fine: bool = False,
) -> dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Pressure [MPa] over the angle [°] of the sensors, a curve for each load."""
    p = hovey_bartel.STUDY.values({"young": young, "poisson": poisson, "cells": cells, "load": loads[-1]})
    model = hovey_bartel.model(p, p.inner - clearance, cells)
    if not fine:
        model["liner"].material = cd.NeoHookean(young=young, poisson=poisson, density=p.density)
    angles = np.linspace(-60.0, 60.0, sensors)
    result = cd.solve_static(model, steps=2 * len(loads) if fine else len(loads))
    contact, head = result.contact("joint"), result.position("head")[:, 1]
    curves: dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
    frames = [int(np.argmin(np.abs(result.times - load / loads[-1]))) for load in loads]
    for load, frame in zip(loads, frames, strict=True):
        where = np.degrees(np.arctan2(contact.places[frame, :, 0], contact.places[frame, :, 1]))
        order = np.argsort(where)
        curves[f"{load:g} N"] = (angles, np.interp(angles, where[order], contact.pressure[frame][order] / MPA))
    return curves | {"sinking": (np.array(loads), (head[frames] - clearance) / MM)}


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """The film by itself, for one unknown and for two; the film with the place of the head."""
    known: dict[str, Any] = {"poisson": p.poisson, "loads": p.loads, "sensors": p.sensors}
    fitted = partial(press, **known, cells=p.coarse)
    film, sinking = _measured(press(p.young, p.clearance, **known, cells=p.cells, fine=True), p)
    young = {"young": cd.Unknown(300e6, 3000e6, 700e6, log=True, unit="Pa")}
    found = _fit(partial(fitted, clearance=p.clearance), young, film)
    yield {"found": found, "film": film}
    both = young | {"clearance": cd.Unknown(0.1 * MM, 1.0 * MM, 0.5 * MM, log=True, unit="m")}
    yield {"blind": _fit(fitted, both, film)}
    yield {"parted": _fit(fitted, both, [*film, sinking])}


def _measured(curves: cd.Outcome, p: cd.Parameters) -> tuple[list[cd.Measured], cd.Measured]:
    """The film and the place of the head, with noise."""
    random = np.random.default_rng(p.seed)
    found = []
    for name, (places, values) in curves.items():
        sigma = p.blur / MM if name == "sinking" else p.noise / MPA
        found.append(cd.Measured(name, places, values + sigma * random.standard_normal(len(places)), sigma=sigma))
    return found[:-1], found[-1]


def _fit(*given: Any) -> cd.Identification:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cd.IdentificationWarning)  # what they say is claimed here
        return cd.identify(*given, step=1e-2)


def _half(found: cd.Identification, name: str) -> float:
    """Half the interval of 95 %, of the logarithm."""
    low, high = found.intervals[name]
    return 0.5 * float(np.log(high / max(low, 1e-300)))


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Pressure that was measured and fitted."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.6, 3.4), layout="constrained")
    ax = figure.add_subplot()
    for m, curve in zip(outcome["film"], outcome["found"].fitted(), strict=True):
        (line,) = ax.plot(m.times, curve, label=m.curve)
        ax.plot(m.times, m.values, ".", color=line.get_color(), markersize=4)
    ax.set(xlabel="angle in the cup (°)", ylabel="pressure (MPa)", title="film (points) and fitted hip (lines)")
    ax.legend(frameon=False, fontsize="small")
    return {"film": figure}


KNOWN = "known: that of the hip that was measured, on another mesh and with another law"

CLAIMS = [
    cd.Claim("Young's modulus, with a known clearance", 1000.0, lambda o: o["found"].values["young"] / MPA, kind="closed form",
             unit="MPa", tolerance=60.0, origin=KNOWN),
    cd.Claim("half its interval, over its value", (0.0, 0.15), lambda o: _half(o["found"], "young"), kind="property",
             origin="the film tells the stiffness"),
    cd.Claim("correlation of modulus and clearance from the film alone", (-1.0, -0.97),
             lambda o: float(o["blind"].correlations[0, 1]), kind="property",
             origin="a linear problem with contact: pressure depends on force over modulus times clearance"),
    cd.Claim("doubts that the film alone raises", 1, lambda o: len(o["blind"].doubts), kind="property", tolerance=0.0,
             origin="the identification warns that it can hardly tell the two apart"),
    cd.Claim("half the interval of the modulus from the film alone, over that with the place of the head", "wider",
             lambda o: _half(o["blind"], "young") / _half(o["parted"], "young"), kind="relation", sense="above", tolerance=3.0,
             origin="the place of the head parts them"),
    cd.Claim("Young's modulus, with the place of the head", 1000.0, lambda o: o["parted"].values["young"] / MPA,
             kind="closed form", unit="MPa", tolerance=60.0, origin=KNOWN),
    cd.Claim("clearance, with the place of the head", 0.3, lambda o: o["parted"].values["clearance"] / MM, kind="closed form",
             unit="mm", tolerance=0.015, origin=KNOWN),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
