"""A dashpot between two points: two readings of the published test.

Hovey's test B.3.3 of the dashpot. The printed start (0, 2) gives a straight fall with a closed form, which ends where
the dashpot has no length; the rotation that the text speaks of needs the start (2, 0). Both are run.
"""

from __future__ import annotations

import numpy as np

import condyle as cd
from condyle.studies.hovey_double_pendulum import trapezoidal

READINGS = {"as printed: starts at (0, 2)": (0.0, 2.0), "as meant: starts at (2, 0)": (2.0, 0.0)}
PRINTED, MEANT = READINGS

PARAMETERS = {
    "mass": cd.Parameter(4.0, "mass", "kg"),
    "damping": cd.Parameter(50.0, "damping", "N s/m"),
    "gravity": cd.Parameter(10.0, "gravity", "m/s²"),
    "dt": cd.Parameter(0.1, "time step", "s"),
    "end": cd.Parameter(10.0, "time simulated", "s"),
    "printed_end": cd.Parameter(2.4, "time simulated of the printed reading, before the length is zero", "s"),
}


def dashpot_model(p: cd.Parameters, place: tuple[float, float]) -> cd.Model:
    """A mass on a dashpot from the origin, released at rest."""
    model = cd.Model("dashpot", dimension=2, gravity=(0.0, -p.gravity))
    model.add(cd.PointMass("mass", p.mass, position=place))
    model.add(cd.Damper("dashpot", "ground", "mass", p.damping))
    return model


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """Both readings of the place at the start, each beside an adaptive solver."""
    outcome: cd.Outcome = {}
    for k, (name, place) in enumerate(READINGS.items()):
        end = p.end if k else p.printed_end
        result = context.simulate(f"reading-{k}", dashpot_model(p, place), end=end, dt=p.dt, integrator=trapezoidal())
        exact = context.simulate(f"reference-{k}", dashpot_model(p, place), end=end, dt=p.dt,
                                 integrator=cd.methods.ScipyReference("DOP853", rtol=1e-8, atol=1e-10))  # fmt: skip
        outcome[name] = {"t": result.times, "place": result.position("mass"), "exact": exact.position("mass"),
                         "iterations": result.iterations[1:].max()}  # fmt: skip
    return outcome


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Places over time of both readings."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.8, 5.6))
    for panel, (name, run) in zip(figure.subplots(2, 1), outcome.items(), strict=True):
        for k, axis in enumerate("xy"):
            panel.plot(run["t"], run["place"][:, k], label=f"{axis}, trapezoidal rule, step {p.dt:g} s")
        panel.plot(run["t"][::3], run["exact"][::3], "k.", markersize=4)
        panel.plot([], [], "k.", markersize=4, label="adaptive reference")
        panel.set(title=name, ylabel="place (m)", xlim=(0.0, run["t"][-1]))
    panel.set(xlabel="time (s)")
    panel.legend(loc="best", fontsize="small")
    return {"dashpot_b33": figure}


def apart(outcome: cd.Outcome, reading: str) -> float:
    """Largest distance of the mass from the reference [m]."""
    return float(np.abs(outcome[reading]["place"] - outcome[reading]["exact"]).max())


CLAIMS = [
    cd.Claim("as printed: distance of the reference from the closed form", "2 − 0.8 t + 0.064 (1 − e^(−12.5 t))",
             lambda o: np.abs(o[PRINTED]["exact"][:, 1] - 2.0 + 0.8 * o[PRINTED]["t"]
                              - 0.064 * (1.0 - np.exp(-12.5 * o[PRINTED]["t"]))).max(),
             unit="m", tolerance=1e-7, kind="closed form", origin="closed form"),
    cd.Claim("as printed: distance from the closed form", "the curves agree", lambda o: apart(o, PRINTED), unit="m",
             tolerance=0.02, kind="published", origin="figure B.5, read to 1 % of 2 m"),
    cd.Claim("as printed: most iterations, below the five of the source", "nothing turns",
             lambda o: o[PRINTED]["iterations"], tolerance=2, kind="property", origin="almost linear"),
    cd.Claim("as meant: distance from the reference over the way down", "the curves agree",
             lambda o: apart(o, MEANT) / np.ptp(o[MEANT]["exact"][:, 1]), tolerance=0.01, kind="published",
             origin="figure B.5: agrees with ODE45, read to 1 %"),
    cd.Claim("as meant: most iterations", (3.0, 5.0), lambda o: o[MEANT]["iterations"], kind="published",
             origin="appendix B.3.3: five, for the rotation"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="hovey-2000")
