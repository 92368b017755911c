"""Natural frequencies of square plates.

A square plate with ν = 0.3, free and simply supported, with bicubic (48) and thin (36) ANCF elements.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

import condyle as cd

# Ω = ω a² √(ρ h/D) of a square plate, ν = 0.3: simply supported π²(m² + n²); free: leissa-1973, by Ritz's method with 36
# products of beam functions, hence from above, by up to 1 %.
SUPPORTED = [2.0 * np.pi**2, 5.0 * np.pi**2, 5.0 * np.pi**2, 8.0 * np.pi**2]
LEISSA = [13.489, 19.789, 24.432, 35.024, 35.024, 61.526]
POISSON = 0.3


PARAMETERS = {
    "side": cd.Parameter(1.0, "side of the square", "m"),
    "thickness": cd.Parameter(0.01, "thickness", "m"),
    "young": cd.Parameter(1e9, "Young's modulus", "Pa"),
    "density": cd.Parameter(1000.0, "density", "kg/m³"),
    "divisions": cd.Parameter(6, "elements along a side"),
}
QUICK = {"divisions": 3}


def ritz(terms: int = 14) -> NDArray[np.float64]:
    """The six lowest Ω of the free plate by Ritz's method with products of Legendre polynomials, `terms` in each direction.

    From above too; 12 and 14 terms agree to six digits.
    """
    from numpy.polynomial import legendre

    x, w = legendre.leggauss(terms + 2)
    P = [np.stack([legendre.legval(x, legendre.legder(c, k)) for c in np.eye(terms)]) for k in range(3)]
    M, A, B, C = (np.einsum("iq,jq,q->ij", P[k], P[m], w) for k, m in ((0, 0), (1, 1), (2, 2), (2, 0)))
    K = (
        np.kron(B, M)
        + np.kron(M, B)
        + POISSON * (np.kron(C, C.T) + np.kron(C.T, C))
        + 2 * (1 - POISSON) * np.kron(A, A)
    )
    unit = 1.0 / np.sqrt(np.diag(np.kron(M, M)))  # Legendre's polynomials are orthogonal
    square = np.linalg.eigvalsh(unit[:, None] * K * unit)
    return 4.0 * np.sqrt(square[3:9])  # after three rigid motions; the polynomials live on a side of 2


def plate_model(p: cd.Parameters, kind: str, divisions: int, supported: bool) -> cd.Model:
    """A square plate; simply supported edges hold the height of all nodes and the slope along the edge."""
    material = cd.StVenantKirchhoff(young=p.young, poisson=POISSON, density=p.density)
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


def numbers(p: cd.Parameters, kind: str, divisions: int, supported: bool, count: int) -> list[float]:
    """The lowest Ω of bending modes."""
    D = p.young * p.thickness**3 / (12.0 * (1.0 - POISSON**2))
    factor = p.side**2 * np.sqrt(p.density * p.thickness / D)
    frequencies = cd.eigenmodes(plate_model(p, kind, divisions, supported), count=count + 7).frequencies
    found = 2.0 * np.pi * factor * np.asarray(frequencies)
    return [float(v) for v in found if v > 1.0][:count]


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """Simply supported and free plates."""
    D = p.young * p.thickness**3 / (12.0 * (1.0 - POISSON**2))
    root = p.side**2 * np.sqrt(p.density * p.thickness / D)
    first = numbers(p, "bicubic", p.divisions, True, len(SUPPORTED))
    yield {"hertz": float(first[0] / (2.0 * np.pi * root))}
    exact = ritz()
    out: cd.Outcome = {"exact": exact, "spread": float(np.abs(ritz(12) / exact - 1.0).max())}
    for kind, order in (("bicubic", 4.0), ("thin", 2.0)):
        scale = (p.divisions / 4.0) ** order
        for case, wanted in (("supported", np.array(SUPPORTED)), ("free", exact)):
            known = (case, kind) == ("supported", "bicubic")
            found = np.array(first if known else numbers(p, kind, p.divisions, case == "supported", len(wanted)))
            errors = np.abs(found / wanted - 1.0)
            out[f"{case} {kind}"] = found
            out[f"{case} {kind} error"], out[f"{case} {kind} first"] = scale * errors.max(), scale * errors[0]
        ratio = out[f"free {kind}"] / LEISSA
        out[f"{kind} above"], out[f"{kind} below"] = float(ratio.max()), float(ratio.min())
    yield out


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Computed against published numbers."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.6, 3.4))
    ax = figure.subplots()
    for case, wanted in (("supported", SUPPORTED), ("free", LEISSA)):
        for kind, mark in (("bicubic", "o"), ("thin", "x")):
            error = 100.0 * (np.array(outcome[f"{case} {kind}"]) / wanted - 1.0)
            ax.plot(wanted, error, mark, label=f"{case}, {kind}")
    ax.plot(LEISSA, 100.0 * (np.array(outcome["exact"]) / LEISSA - 1.0), "k_", ms=12, label="free, Ritz, 196 terms")
    ax.axhline(0.0, color="0.7", lw=1)
    ax.set(xlabel="published Ω = ω a² √(ρh/D)", ylabel="computed, above published (%)")
    ax.legend(fontsize="x-small")
    return {"plates": figure}


PUBLISHED = (
    "Leissa 1973, table of the free square plate with ν = 0.3: 13.489, 19.789, 24.432, 35.024, 35.024, 61.526, from above by "
    "up to 1 %"
)


CLAIMS = [
    cd.Claim("four frequencies, simply supported, bicubic: largest relative error × (divisions/4)⁴", "small",
             lambda o: o["supported bicubic error"], tolerance=0.004,
             kind="closed form", origin="π²(m² + n²), Navier; order 4"),
    cd.Claim("first frequency, simply supported, bicubic", 9.507, lambda o: o["hertz"], unit="Hz", tolerance=0.09,
             kind="closed form", origin="π √(D/ρh)/a², Navier"),
    cd.Claim("first frequency, simply supported, thin: relative error × (divisions/4)²", "small",
             lambda o: o["supported thin first"], tolerance=0.035,
             kind="closed form", origin="π²(m² + n²), Navier; order 2: slopes are not continuous"),
    cd.Claim("four frequencies, simply supported, thin: largest relative error × (divisions/4)²", "small",
             lambda o: o["supported thin error"], tolerance=0.12,
             kind="closed form", origin="the same; the fourth mode has two waves on four elements"),
    cd.Claim("six frequencies, free, bicubic: largest relative error × (divisions/4)⁴", "small",
             lambda o: o["free bicubic error"], tolerance=0.012,
             kind="reference", origin="13.468, 19.596, 24.270, 34.801, 34.801, 61.093: Ritz's method with 196 polynomials"),
    cd.Claim("six frequencies, free, thin: largest relative error × (divisions/4)²", "small",
             lambda o: o["free thin error"], tolerance=0.015, kind="reference", origin="the same; order 2"),
    cd.Claim("free: relative difference of Ritz's method with 144 and 196 polynomials", "converged", lambda o: o["spread"],
             tolerance=1e-6, kind="property", origin="computed here, independent of the elements"),
    cd.Claim("free, bicubic: largest ratio to the published upper bounds", "not above them", lambda o: o["bicubic above"],
             tolerance=1.001, kind="published", origin=PUBLISHED),
    cd.Claim("free, bicubic: smallest ratio to the published upper bounds", "not far below them",
             lambda o: o["bicubic below"], tolerance=0.985, sense="above", kind="published", origin=PUBLISHED),
    cd.Claim("free, thin: smallest ratio to the published upper bounds", "not far below them", lambda o: o["thin below"],
             tolerance=0.98, sense="above", kind="published", origin=PUBLISHED),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
