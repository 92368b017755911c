"""Parameters of contact from the bounces of a ball, and which law it was.

The heights of a ball that bounces on a spring and a dashpot are made with known parameters and with noise, as a camera would
see them. The source fits the heights of an unknown ball by a black box and gets numbers that do not belong to a ball of 1 kg.
Here the known parameters come back to a percent, most within their intervals of 95 %. Hertz's law loses nothing and cannot
fit, whatever its stiffness; the non-linear law bounces worse the faster it strikes, and the heights of a few bounces tell it
from the right one.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd

PARAMETERS = {
    "mass": cd.Parameter(1.0, "mass of the ball", "kg"),
    "radius": cd.Parameter(0.1, "its radius", "m"),
    "height": cd.Parameter(1.0, "height of its centre at the release", "m"),
    "gravity": cd.Parameter(9.81, "gravity", "m/s²"),
    "stiffness": cd.Parameter(2e5, "of the spring, to be found again", "N/m"),
    "damping": cd.Parameter(60.0, "of the dashpot, to be found again", "N s/m"),
    "noise": cd.Parameter(1e-3, "standard deviation of a measured height", "m"),
    "samples": cd.Parameter(300, "measured heights"),
    "end": cd.Parameter(1.6, "time of the measurement", "s"),
    "dt": cd.Parameter(6.25e-5, "time step of the search", "s"),
    "finer": cd.Parameter(4, "times smaller is the step with which the measurement is made"),
    "seeds": cd.Parameter(5, "measurements, each with noise of its own"),
    "evolution": cd.Parameter(True, "also search from nowhere, by differential evolution"),
}
QUICK = {"dt": 1.25e-4, "seeds": 1, "evolution": False}
INPUTS = ("stiffness", "damping")  # what comes out; the ball that is searched is always the one that was measured

LAWS: dict[str, Callable[..., Any]] = {
    "spring and dashpot": lambda k, b: cd.SpringDashpot(k, damping=b),
    "non-linear": lambda k, b: cd.NonlinearDashpot(k, b, 1.0),
    "Hertz": lambda k: cd.Hertz(k),
}
STEP = 0.03  # of the differences: a touch that falls into another step moves the last bounce by a tenth of a millimetre


def bounce(
    p: cd.Parameters, law: cd.ContactLaw, dt: float
) -> dict[str, tuple[NDArray[np.float64], NDArray[np.float64]]]:
    """Height of the ball's centre [m] over time [s]."""
    model = cd.Model("ball", dimension=2, gravity=(0.0, -p.gravity))
    ball = model.add(cd.PointMass("ball", p.mass, (0.0, p.height)))
    model.add(cd.Contact("floor", ball, "nodes", model.ground, cd.Plane((0.0, 1.0)), law=law, radius=p.radius))
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Contact 'floor'")  # a search tries balls that are too soft as well
        result = cd.simulate(model, end=p.end, dt=dt, energy_tolerance=np.inf)
    return {"height": (result.times, result.position("ball")[:, 1])}


def measurement(p: cd.Parameters, seed: int) -> cd.Measured:
    """The heights that a camera sees."""
    times, heights = bounce(p, LAWS["spring and dashpot"](p.stiffness, p.damping), p.dt / p.finer)["height"]
    t = np.linspace(0.0, p.end, p.samples)
    noise = p.noise * np.random.default_rng(seed).standard_normal(p.samples)
    return cd.Measured("height", t, np.interp(t, times, heights) + noise)


def unknowns(name: str) -> dict[str, cd.Unknown]:
    """The parameters of a law, known to an order of magnitude or two."""
    damping = cd.Unknown(1.0, 1e3, 30.0, log=True, unit="N s/m")
    if name == "spring and dashpot":
        return {"k": cd.Unknown(2e4, 2e6, 1e5, log=True, unit="N/m"), "b": damping}
    if name == "non-linear":
        return {
            "k": cd.Unknown(2e4, 2e6, 1e5, log=True, unit="N/m"),
            "b": cd.Unknown(1e2, 1e6, 6e3, log=True, unit="N s/m²"),
        }
    return {"k": cd.Unknown(2e4, 2e8, 2e6, log=True, unit="N/m^1.5")}


def fit(p: cd.Parameters, name: str, data: cd.Measured, **options: Any) -> cd.Identification:
    """The parameters of a law with which the ball bounces as was measured."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cd.IdentificationWarning)  # a law that cannot fit ends at its bounds
        return cd.identify(
            lambda **given: bounce(p, LAWS[name](**given), p.dt), unknowns(name), data, step=STEP, seed=1, **options
        )


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """The right law fitted to all measurements, then the others to the first one."""
    data = [measurement(p, seed) for seed in range(p.seeds)]
    right = [fit(p, "spring and dashpot", m) for m in data]
    true = {"k": p.stiffness, "b": p.damping}
    yield {
        "found": {n: np.mean([f.values[n] for f in right]) for n in true},
        "inside": np.mean([f.intervals[n][0] < true[n] < f.intervals[n][1] for f in right for n in true]),
        "width": np.mean([np.log(f.intervals["k"][1] / f.intervals["k"][0]) / 2.0 for f in right]),
    }
    fits = {"spring and dashpot": right[0]} | {name: fit(p, name, data[0]) for name in ("non-linear", "Hertz")}
    yield {
        "fits": fits,
        "noise": {n: np.std(f.fitted()[0] - data[0].values) / p.noise for n, f in fits.items()},
        "data": data[0],
    }
    if p.evolution:
        found = fit(p, "spring and dashpot", data[0], method="evolution", starts=8, most_runs=722)
        half = {n: 0.5 * np.log(high / low) for n, (low, high) in right[0].intervals.items()}
        yield {"apart": max(abs(np.log(found.values[n] / right[0].values[n])) / half[n] for n in true)}


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Measured heights and the best of each law."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 5.2))
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=(3, 2))
    data = outcome["data"]
    above.plot(data.times, data.values, ".", color="0.6", markersize=3, label="measured")
    for name, found in outcome["fits"].items():
        above.plot(data.times, found.fitted()[0], label=name, linewidth=1.0)
        below.plot(data.times, 1e3 * (found.fitted()[0] - data.values), label=name, linewidth=0.8)
    above.set(ylabel="height (m)")
    above.legend(fontsize="x-small", ncols=2, loc="upper right")
    below.set(xlabel="time (s)", ylabel="fitted − measured (mm)", ylim=(-60, 60))
    return {"spicka_identification": figure}


CLAIMS = [
    cd.Claim("spring and dashpot: stiffness", 2e5, lambda o: o["found"]["k"], kind="closed form", unit="N/m", tolerance=7e3,
             origin="known: the measurements are made with it; mean over all"),
    cd.Claim("spring and dashpot: damping", 60.0, lambda o: o["found"]["b"], kind="closed form", unit="N s/m", tolerance=1.2,
             origin="known: the measurements are made with it; mean over all"),
    cd.Claim("spring and dashpot: true values within intervals of 95 %", "nearly all", lambda o: o["inside"], kind="property",
             tolerance=0.8, sense="above", full_only=True, origin="by the number of parameters and measurements"),
    cd.Claim("spring and dashpot: half the width of the interval of the stiffness", (0.005, 0.04), lambda o: o["width"],
             kind="property", origin="heights alone determine it to some percent: a bounce is shorter on a stiffer ground"),
    cd.Claim("spring and dashpot: what is left over the noise", 1.0, lambda o: o["noise"]["spring and dashpot"],
             kind="property", tolerance=0.08, origin="standard deviation of the residuals"),
    cd.Claim("Hertz: what is left over the noise", "far more", lambda o: o["noise"]["Hertz"], kind="published", sense="above",
             tolerance=10.0, origin="section 4.3.1: it bounces to its initial position whatever k is, and cannot fit"),
    cd.Claim("non-linear law: Akaike's criterion over that of spring and dashpot", "clearly worse",
             lambda o: o["fits"]["non-linear"].aic - o["fits"]["spring and dashpot"].aic, kind="property", sense="above",
             tolerance=10.0, origin="ten is called decisive"),
    cd.Claim("evolution from nowhere, with as many runs as the source: apart from the local search, over half the interval",
             "the same", lambda o: o["apart"], kind="relation", tolerance=1.0, full_only=True,
             origin="722 runs at most, section 4.3; impacts in other steps roughen the way to the best"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="spicka-2013")
