"""The elastica and a helical spring.

A cantilever under a dead tip load converges at order 4 or better in the number of cable elements, to the elastica. A
helical spring of fully parameterised beams has the rate of the textbook.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

import condyle as cd

PARAMETERS = {
    "load": cd.Parameter(3.0, "tip load P L²/EI"),
    "slenderness": cd.Parameter(100.0, "√(EA L²/EI)"),
    "coil": cd.Parameter(0.05, "radius of the coil", "m"),
    "wire": cd.Parameter(0.002, "radius of the wire", "m"),
    "rise": cd.Parameter(0.01, "pitch of the coil", "m"),
    "turns": cd.Parameter(3, "turns"),
    "per_turn": cd.Parameter(16, "elements per turn"),
    "pull": cd.Parameter(1.0, "pull", "N"),
}
INPUTS = ("load", "coil", "wire", "pull")


def elastica(load: float, points: int = 500) -> tuple[float, float]:
    """Tip (x, y)/L of an inextensible cantilever under the dead tip load P L²/EI = `load`, by shooting with RK4.

    θ'' = −load cos θ, θ(0) = 0, θ'(1) = 0 (load downwards, θ measured downwards).
    """

    def end(slope: float) -> tuple[float, float, float]:
        h = 1.0 / points
        state = np.array([0.0, slope, 0.0, 0.0])

        def rate(s: NDArray[np.float64]) -> NDArray[np.float64]:
            return np.array([s[1], -load * np.cos(s[0]), np.cos(s[0]), np.sin(s[0])])

        for _ in range(points):
            a = rate(state)
            b = rate(state + 0.5 * h * a)
            c = rate(state + 0.5 * h * b)
            e = rate(state + h * c)
            state = state + h / 6.0 * (a + 2 * b + 2 * c + e)
        return state[1], state[2], state[3]

    low, high = 0.0, 2.0 * load
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if end(middle)[0] < 0.0 else (low, middle)
    _, x, y = end(0.5 * (low + high))
    return x, -y


def cantilever(p: cd.Parameters, elements: int) -> cd.Model:
    """A thick cable (so that membrane and bending strains are alike in size) under a dead tip load."""
    section = cd.Rope(axial=p.slenderness**2, bending=1.0, mass=1.0)
    model = cd.Model("elastica", dimension=2)
    cable = model.add(cd.Cable("cable", [(0.0, 0.0), (1.0, 0.0)], elements, section))
    model.add(cd.Tie("clamp", cable, "start", "ground"))
    model.add(cd.Load("load", "cable.end", (0.0, -p.load)))
    return model


def spring_model(p: cd.Parameters, per_turn: int) -> cd.Model:
    """A helical spring of round wire, clamped below, pulled along its axis above."""
    material = cd.StVenantKirchhoff(young=2e11, poisson=0.3, density=7800.0)
    R, turns, rise = p.coil, p.turns, p.rise
    a = np.linspace(0.0, 2.0 * np.pi * turns, turns * per_turn + 1)
    line = np.column_stack((R * np.cos(a), R * np.sin(a), rise * a / (2.0 * np.pi)))
    tangents = np.column_stack((-R * np.sin(a), R * np.cos(a), np.full_like(a, rise / (2.0 * np.pi))))
    model = cd.Model("spring", dimension=3)
    wire = model.add(
        # strains are small: the measures of the source serve
        cd.AncfBeam(
            "wire",
            line,
            1,
            cd.RoundSection(p.wire, material),
            tangents=tangents,
            normal=(1.0, 0.0, 0.0),
            measures="gradient",
        )
    )
    model.add(cd.Tie("foot", wire, "start", "ground"))
    # The head moves along the axis of the coil without turning.
    head = model.add(cd.RigidBody("head", 1.0, inertia=(1.0, 1.0, 1.0), position=line[-1]))
    model.add(cd.Clamp("grip", wire.point("end"), head.at(0.0, 0.0, 0.0), hold="gradient"))
    model.add(cd.Prismatic("guide", model.ground, head, at=line[-1], axis=(0.0, 0.0, 1.0)))
    model.add(cd.Load("pull", head, (0.0, 0.0, p.pull)))
    return model


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """Errors of the tip over the number of elements, against a fine mesh of the same cable and against the elastica."""
    z = cd.solve_static(spring_model(p, p.per_turn), steps=2).position("head")[:, 2]
    yield {"spring": float(z[-1] - z[0])}
    counts = [2, 4, 8, 16]
    fine = cd.solve_static(cantilever(p, 64), steps=5).position("cable.end")[-1]
    tips = [cd.solve_static(cantilever(p, n), steps=5).position("cable.end")[-1] for n in counts]
    errors = [float(np.linalg.norm(t - fine)) for t in tips]
    exact = np.array(elastica(p.load))
    yield {
        "counts": counts,
        "errors": errors,
        "order": float(np.log2(errors[1] / errors[3]) / 2.0),
        "tip": (float(fine[0]), float(-fine[1])),
        "elastica": float(np.linalg.norm(fine - exact)),
    }


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Convergence of the tip."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(4.6, 3.4))
    ax = figure.subplots()
    n, e = np.array(outcome["counts"]), np.array(outcome["errors"])
    ax.loglog(n, e, "o-", label="tip of the elastica")
    ax.loglog(n, e[-1] * (n[-1] / n) ** 4.0, ":", color="0.5", label="order 4")
    ax.set(xlabel="elements", ylabel="error / length")
    ax.set_xticks(n, [str(k) for k in n])
    ax.minorticks_off()
    ax.legend()
    return {"elastica": figure}


CLAIMS = [
    cd.Claim("order of convergence of the tip, from 4 to 16 elements", "4 or better", lambda o: o["order"], tolerance=4.0,
             sense="above", kind="property", origin="beyond the source"),
    cd.Claim("distance of the fine mesh from the inextensible elastica, over the length", "near", lambda o: o["elastica"],
             tolerance=3e-4, kind="closed form", origin="θ'' = −(P L²/EI) cos θ, by shooting; the cable is extensible"),
    cd.Claim("tip of the fine mesh, down", 0.60325, lambda o: o["tip"][1], tolerance=3e-4,
             kind="closed form", origin="elastica under P L²/EI = 3, by shooting; the cable is extensible"),
    cd.Claim("deflection of a helical spring", 1.21875, lambda o: 1e3 * o["spring"], unit="mm", tolerance=0.03,
             kind="closed form",
             origin="8 F D³ n/(G d⁴), torsion of the wire; pitch and curvature of the wire change it by a few per cent"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
