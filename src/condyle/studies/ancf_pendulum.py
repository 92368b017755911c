"""Cables under the first-order compliant stepper (Hewlett 2020, §5.4.2 and §5.4.3): convergence, loss, largest steps."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

import numpy as np

import condyle as cd

# Tables 5.1 and 5.2: (elements, E [Pa]) -> largest step of the semi-implicit scheme and of the proposed one [s].
PUBLISHED = {(16, 2e11): (2e-5, 0.06), (16, 2e8): (8e-4, 0.06), (5, 2e11): (8e-5, 0.1), (5, 2e8): (2e-3, 0.1)}


def cable_model(young: float, length: float, elements: int, *, clamped: bool, points: int = 9) -> cd.Model:
    """A steel cable of 0.1 m radius, level at the start, held at its left end, falling."""
    section = cd.RoundSection(0.1, cd.StVenantKirchhoff(young=young, density=7750.0))
    model = cd.Model("cable", dimension=2, gravity=(0.0, -9.81))
    cable = model.add(cd.Cable("cable", [(0.0, 0.0), (length, 0.0)], elements, section, points=points))
    if clamped:
        model.add(cd.Tie("clamp", cable, "start", "ground"))
    else:
        model.add(cd.Pin("pin", model.ground, cable.point("start"), at=(0.0, 0.0)))
    return model


def lost(result: Any) -> float:
    """Energy lost over the run, as a share of the largest fall of potential energy."""
    E, V = result.energy["total"], result.energy["gravity"]
    return float((E[0] - E[-1]) / (V[0] - V.min()))


def stable(p: Any, elements: int, young: float, h: float, integrator: Any, end: float) -> bool:
    """Does the pendulum stay within bounds?"""
    try:
        result = cd.simulate(cable_model(young, 10.0, elements, clamped=False), end=end, dt=h, integrator=integrator)
    except cd.ConvergenceError:
        return False
    reach = np.linalg.norm(result.position("cable.end"), axis=1)
    return bool(np.isfinite(reach).all() and reach.max() < 15.0)


def run(p: Any, context: cd.Context) -> dict[str, Any]:
    """Cantilever and swinging cable over meshes and Gauss points, then the steps of tables 5.1 and 5.2."""
    beam, swing = {}, {}
    for n in (1, 3, 6, 9):
        beam[n] = cd.simulate(cable_model(2e11, 25.0, n, clamped=True), end=p.end, dt=p.dt, integrator=cd.Compliant())
        swing[n] = cd.simulate(
            cable_model(2e8, 10.0, n, clamped=False), end=p.swing_end, dt=p.dt, integrator=cd.Compliant()
        )
    few = cd.simulate(cable_model(2e11, 25.0, 6, clamped=True, points=5), end=p.end, dt=p.dt, integrator=cd.Compliant())
    half = cd.simulate(
        cable_model(2e8, 10.0, 6, clamped=False), end=p.swing_end, dt=0.5 * p.dt, integrator=cd.Compliant(), every=2
    )
    tip = {n: r.position("cable.end") for n, r in beam.items()}
    loose = {n: r.position("cable.end") for n, r in swing.items()}
    ratio, proposed, clock, published = {}, {}, {}, {}
    for (n, young), (explicit, large) in PUBLISHED.items():
        model = cable_model(young, 10.0, n, clamped=False)
        sim = cd.Simulation(model, dt=large, integrator=cd.Compliant())
        limit = cd.largest_step(sim.system, sim.state)
        published[n, young] = explicit / limit
        began = time.perf_counter()
        proposed[n, young] = stable(p, n, young, large, cd.Compliant(), p.table_end)
        clock[n, young] = p.table_end / (time.perf_counter() - began)
    for n, young in ((5, 2e8),):  # below and above the limit of linear stability
        sim = cd.Simulation(cable_model(young, 10.0, n, clamped=False), dt=1e-3, integrator=cd.Compliant())
        limit = cd.largest_step(sim.system, sim.state)
        ratio["below"] = stable(p, n, young, 0.8 * limit, cd.SemiImplicit(check=False), p.explicit_end)
        ratio["above"] = stable(p, n, young, 1.25 * limit, cd.SemiImplicit(check=False), p.explicit_end)
    return {
        "t": beam[6].times,
        "tip": tip,
        "loose": loose,
        "swing t": swing[6].times,
        "beam change": [float(np.abs(tip[n] - tip[9]).max() / 25.0) for n in (1, 3, 6)],
        "swing change": [float(np.abs(loose[n] - loose[9]).max() / 10.0) for n in (1, 3, 6)],
        "points change": float(np.abs(few.position("cable.end") - tip[6]).max() / 25.0),
        "swing loss": lost(swing[6]),
        "beam loss": lost(beam[6]),
        "half loss": lost(half),
        "published": published,
        "proposed": proposed,
        "clock": clock,
        "explicit": ratio,
    }


def figures(outcome: Mapping[str, Any], p: Any) -> dict[str, Any]:
    """Height of the tips for several meshes."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.6, 4.6))
    top, bottom = figure.subplots(2, 1)
    for n in outcome["tip"]:
        top.plot(outcome["t"], outcome["tip"][n][:, 1], label=f"{n} elements")
        bottom.plot(outcome["swing t"], outcome["loose"][n][:, 1], label=f"{n} elements")
    top.set(ylabel="tip of the cantilever (m)")
    bottom.set(xlabel="time (s)", ylabel="end of the pendulum (m)")
    top.legend(fontsize="small", ncols=4)
    return {"pendulum": figure}


def _step_claim(n: int, young: float) -> cd.Claim:
    def share(outcome: Mapping[str, Any]) -> float:
        return float(outcome["published"][n, young])

    what = f"published largest semi-implicit step over 2/ω_max, {n} elements, E = {young:g} Pa"
    return cd.Claim(what, (0.75, 1.0), share, origin="hewlett-2020 tables 5.1 and 5.2")


CLAIMS = [
    cd.Claim("cantilever: 6 against 9 elements, largest difference over the length", "converged at 6",
             lambda o: o["beam change"][2], tolerance=0.01, origin="hewlett-2020 fig. 5.4"),
    cd.Claim("cantilever: 1 against 9 elements", "very different", lambda o: o["beam change"][0] / o["beam change"][2],
             tolerance=3.0, sense="above", origin="hewlett-2020 fig. 5.4"),
    cd.Claim("cantilever: 5 against 9 Gauss points", "matter little", lambda o: o["points change"], tolerance=0.005,
             origin="hewlett-2020 fig. 5.5"),
    cd.Claim("pendulum: 6 against 9 elements, largest difference over the length", "converged at 6",
             lambda o: o["swing change"][2], tolerance=0.15, origin="hewlett-2020 fig. 5.7"),
    cd.Claim("energy lost by the swinging cable, of what gravity gave", (0.08, 0.13), lambda o: o["swing loss"],
             origin="hewlett-2020 §5.4.2: about 10 %; duration and reference are ours"),
    cd.Claim("energy lost by the cantilever, of what gravity gave", (0.08, 0.13), lambda o: o["beam loss"],
             origin="hewlett-2020 §5.4.2: about 10 %; duration and reference are ours"),
    cd.Claim("energy lost at half the step over that at the step", "less", lambda o: o["half loss"] / o["swing loss"],
             tolerance=0.9, origin="hewlett-2020 §5.4.2: smaller steps lose less"),
    *(_step_claim(n, young) for n, young in PUBLISHED),
    cd.Claim("the proposed scheme at 0.06 s (16 elements) and 0.1 s (5 elements)", "stable in all four cases",
             lambda o: sum(o["proposed"].values()), tolerance=4, sense="above", origin="hewlett-2020 tables 5.1 and 5.2"),
    cd.Claim("semi-implicit at 0.8 and 1.25 times 2/ω_max", "stable and unstable",
             lambda o: o["explicit"]["below"] and not o["explicit"]["above"], tolerance=1, sense="above",
             origin="linear limit of stability"),
]  # fmt: skip

STUDY = cd.Study(
    name="ancf-pendulum",
    title="Falling and swinging cables under first-order compliant stepping",
    source="hewlett-2020",
    summary=(
        "A cantilever and a pendulum of ANCF cable elements at steps far above the explicit limit: converged with 6 "
        "elements, about a tenth of the energy lost. The largest steps of tables 5.1 and 5.2 against 2/ω_max."
    ),
    parameters={
        "dt": cd.Parameter(0.02, "time step", "s"),
        "end": cd.Parameter(10.0, "time of the cantilever (not published)", "s"),
        "swing_end": cd.Parameter(10.0, "time of the pendulum (not published)", "s"),
        "table_end": cd.Parameter(10.0, "time of the runs of the tables", "s"),
        "explicit_end": cd.Parameter(2.0, "time of the explicit runs", "s"),
    },
    run=run,
    claims=CLAIMS,
    figures=figures,
    quick={"table_end": 3.0, "explicit_end": 0.5},
)
