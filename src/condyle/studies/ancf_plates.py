"""Natural frequencies of square plates, simply supported and free, with both ANCF plates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import condyle as cd

# Ω = ω a² √(ρ h/D) of a square plate, ν = 0.3: simply supported π²(m² + n²). Free: bicubic meshes of 4, 6 and 8 divisions,
# extrapolated at order 4; and Leissa 1973, by Ritz's method with 36 products of beam functions, hence from above.
SUPPORTED = [2.0 * np.pi**2, 5.0 * np.pi**2, 5.0 * np.pi**2, 8.0 * np.pi**2]
FREE = [13.468, 19.596, 24.270]
LEISSA = [13.489, 19.789, 24.432]


def plate_model(p: Any, kind: str, divisions: int, supported: bool) -> cd.Model:
    """A square plate; simply supported edges hold the height of all nodes and the slope along the edge."""
    material = cd.StVenantKirchhoff(young=p.young, poisson=0.3, density=p.density)
    model = cd.Model("plate", dimension=3)
    plate = model.add(
        cd.Plate.rectangle("plate", (p.side, p.side), (divisions, divisions), material, p.thickness, kind=kind)
    )
    if supported:
        edge = sorted({i for name in ("left", "right", "bottom", "top") for i in plate.sets[name]})
        X = np.array(plate.nodes)
        for node in edge:
            model.add(
                cd.PointOnPlane(f"node {node}", model.ground, plate.point(node), at=X[node], axis=(0.0, 0.0, 1.0))
            )
        for name, along in (("left", 1), ("right", 1), ("bottom", 0), ("top", 0)):
            direction = tuple(float(k == along) for k in range(3))
            for node in plate.sets[name]:
                model.add(
                    cd.Rotation(f"slope {name} {node}", model.ground, plate.point(node), direction_a=(0.0, 0.0, 1.0),
                                direction_b=direction, at=X[node])
                )  # fmt: skip
        # Only the plane is left to move in: hold it there.
        model.add(cd.Spherical("corner", model.ground, plate.point(0), at=X[0], enforcement=cd.Penalty(1e-3)))
    return model


def numbers(p: Any, kind: str, divisions: int, supported: bool, count: int) -> list[float]:
    """The lowest Ω of bending modes."""
    D = p.young * p.thickness**3 / (12.0 * (1.0 - 0.09))
    factor = p.side**2 * np.sqrt(p.density * p.thickness / D)
    frequencies = cd.eigenmodes(plate_model(p, kind, divisions, supported), count=count + 7).frequencies
    found = 2.0 * np.pi * factor * np.asarray(frequencies)
    return [float(v) for v in found if v > 1.0][:count]


def run(p: Any, context: cd.Context) -> dict[str, Any]:
    """Simply supported and free plates."""
    out: dict[str, Any] = {}
    for kind in ("bicubic", "thin"):
        out[f"supported {kind}"] = numbers(p, kind, p.divisions, True, 4)
        out[f"free {kind}"] = numbers(p, kind, p.divisions, False, 3)
    for kind, order in (("bicubic", 4.0), ("thin", 2.0)):
        scale = (p.divisions / 4.0) ** order
        for case, wanted in (("supported", SUPPORTED), ("free", FREE)):
            errors = np.abs(np.array(out[f"{case} {kind}"]) / wanted - 1.0)
            out[f"{case} {kind} error"], out[f"{case} {kind} first"] = (
                float(scale * errors.max()),
                float(scale * errors[0]),
            )
    out["above"] = float(np.max(np.array(out["free bicubic"]) / LEISSA))
    return out


def figures(outcome: Mapping[str, Any], p: Any) -> dict[str, Any]:
    """Computed against published numbers."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.6, 3.4))
    ax = figure.subplots()
    for case, wanted in (("supported", SUPPORTED), ("free", LEISSA)):
        for kind, mark in (("bicubic", "o"), ("thin", "x")):
            ax.plot(wanted, outcome[f"{case} {kind}"], mark, label=f"{case}, {kind}")
    ax.plot([0, 85], [0, 85], color="0.7")
    ax.set(xlabel="Ω published", ylabel="Ω computed")
    ax.legend(fontsize="small")
    return {"plates": figure}


CLAIMS = [
    cd.Claim("four frequencies, simply supported, bicubic: largest relative error × (divisions/4)⁴", "small",
             lambda o: o["supported bicubic error"], tolerance=0.004, origin="π²(m² + n²), Navier; order 4"),
    cd.Claim("first frequency, simply supported, thin: relative error × (divisions/4)²", "small",
             lambda o: o["supported thin first"], tolerance=0.035,
             origin="π²(m² + n²), Navier; order 2: slopes are not continuous"),
    cd.Claim("four frequencies, simply supported, thin: largest relative error × (divisions/4)²", "small",
             lambda o: o["supported thin error"], tolerance=0.12,
             origin="the same; the fourth mode has two waves on four elements"),
    cd.Claim("three frequencies, free, bicubic: largest relative error × (divisions/4)⁴", "small",
             lambda o: o["free bicubic error"], tolerance=0.0025,
             origin="13.468, 19.596, 24.270: extrapolated from three meshes"),
    cd.Claim("three frequencies, free, thin: largest relative error × (divisions/4)²", "small",
             lambda o: o["free thin error"], tolerance=0.01, origin="the same; order 2"),
    cd.Claim("free, bicubic: largest ratio to the published upper bounds", "not above them", lambda o: o["above"],
             tolerance=1.001,
             origin="Leissa, Journal of Sound and Vibration 31 (1973): 13.489, 19.789, 24.432, up to 1 % too high"),
]  # fmt: skip

STUDY = cd.Study(
    name="ancf-plates",
    title="Natural frequencies of square plates",
    source="beyond",
    summary="A square plate with ν = 0.3, free and simply supported, with bicubic (48) and thin (36) ANCF elements.",
    parameters={
        "side": cd.Parameter(1.0, "side of the square", "m"),
        "thickness": cd.Parameter(0.01, "thickness", "m"),
        "young": cd.Parameter(1e9, "Young's modulus", "Pa"),
        "density": cd.Parameter(1000.0, "density", "kg/m³"),
        "divisions": cd.Parameter(6, "elements along a side"),
    },
    run=run,
    claims=CLAIMS,
    figures=figures,
    quick={"divisions": 3},
)
