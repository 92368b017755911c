"""Solids against closed forms: inflation, incompressible bending, torsion, frequencies, tumbling, units.

What a finite-strain solid has to get right, each in a small model: a thick incompressible tube inflated to its closed
form, Cook's membrane without locking, a column turned at its top, a bar's frequencies, the robust law's monotone
compression (Hovey 2000, section 2.2), a soft brick that tumbles with constant energy and momentum, and the same model
in other units.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from numpy.typing import NDArray

import condyle as cd

SMALL = 1e-6  # a load under which all is linear


PARAMETERS = {
    "radii": cd.Parameter((1.0, 2.0), "inner and outer radius of the tube", "m"),
    "shear": cd.Parameter(2.0, "shear modulus of the tube", "Pa"),
    "bulk_ratio": cd.Parameter(1e5, "bulk over shear modulus of the tube"),
    "gas": cd.Parameter(0.856457, "pressure in the tube, which widens its inner radius by one half", "Pa"),
    "tube_cells": cd.Parameter(4, "cells across the wall, doubled once"),
    "cook_cells": cd.Parameter((8, 16, 32), "cells per side of Cook's membrane"),
    "order_cells": cd.Parameter((8, 16, 32), "cells per side of the linear membrane, three meshes"),
    "fine_cells": cd.Parameter((16, 32, 64), "cells per side of the linear membrane, quad8, three meshes"),
    "beam_cells": cd.Parameter((2, 4, 8), "cells over the depth of the cantilever, three meshes"),
    "young": cd.Parameter(1000.0, "Young's modulus of column, bar and cube", "Pa"),
    "soft": cd.Parameter(60.0, "Young's modulus of the brick", "Pa"),
    "column": cd.Parameter((1.0, 6.0), "side and length of the column", "m"),
    "layers": cd.Parameter(8, "cells along the column"),
    "turn": cd.Parameter(1.5708, "angle of the top of the column", "rad"),
    "turn_steps": cd.Parameter(6, "load steps of the turn"),
    "compression": cd.Parameter(0.8, "shortening of the cube", "m"),
    "bar_cells": cd.Parameter(16, "cells along the bar"),
    "omega": cd.Parameter((2.0, 3.0, 1.0), "angular velocity of the brick", "rad/s"),
    "dt": cd.Parameter(0.02, "time step of the brick", "s"),
    "steps": cd.Parameter(10000, "steps of the brick"),
}
QUICK = {
    "cook_cells": (8, 16), "fine_cells": (4, 8, 16), "tube_cells": 3, "layers": 4, "bar_cells": 8, "turn_steps": 4,
    "steps": 150,
}  # fmt: skip
INPUTS = ("radii", "shear", "gas", "young", "column", "omega")


def tube(p: cd.Parameters, cells: int, metre: float = 1.0) -> cd.Model:
    """A thick tube, a slice of it held at its height, under pressure inside; `metre`: how many units of length are one."""
    a, b = metre * p.radii[0], metre * p.radii[1]
    mu = p.shear / metre**2
    law = cd.MooneyRivlin(0.5 * mu, 0.0, p.bulk_ratio * mu, 1.0)
    model = cd.Model("tube", dimension=2)
    mesh = cd.Mesh.block((b - a, 0.2 * a), (cells, 1), element="quad8", origin=(a, 0.0))
    body = model.add(cd.Solid.from_mesh("tube", mesh, law, plane="axisymmetric", dilatation="mean"))
    model.add(cd.Hold("below", body, "bottom", (0, 1)))
    model.add(cd.Hold("above", body, "top", (0, 1)))
    model.add(cd.Pressure("gas", body, p.gas / metre**2, surface="left"))
    return model


def membrane(n: int, dilatation: str) -> cd.Model:
    """Cook's membrane (N, mm): 48 wide, 44 high at the wall, 16 at the free end; nearly incompressible, plane strain."""

    def skew(u: NDArray[np.float64]) -> NDArray[np.float64]:
        low, high = 44.0 * u[:, 0], 44.0 + 16.0 * u[:, 0]
        return np.stack((48.0 * u[:, 0], low + u[:, 1] * (high - low)), axis=1)

    model = cd.Model("Cook's membrane", dimension=2)
    mesh = cd.Mesh.block((1.0, 1.0), (n, n)).mapped(skew)
    law = cd.MooneyRivlin.from_moduli(240.565, 0.4999, 1.0)
    body = model.add(cd.Solid.from_mesh("membrane", mesh, law, dilatation=dilatation))
    model.add(cd.Tie("wall", body, "left", model.ground))
    model.add(cd.Traction("shear", body, "right", (0.0, 100.0 / 16.0)))
    return model


def linear_membrane(n: int, element: str) -> float:
    """Vertical move of the middle of the free end of Cook's membrane: plane stress, E = 1, ν = 1/3, load 1 (per unit of it)."""

    def skew(u: NDArray[np.float64]) -> NDArray[np.float64]:
        low, high = 44.0 * u[:, 0], 44.0 + 16.0 * u[:, 0]
        return np.stack((48.0 * u[:, 0], low + u[:, 1] * (high - low)), axis=1)

    model = cd.Model("linear membrane", dimension=2)
    mesh = cd.Mesh.block((1.0, 1.0), (n, n), element=element).mapped(skew)
    law = cd.StVenantKirchhoff(1.0, 1.0 / 3.0, 1.0)
    body = model.add(cd.Solid.from_mesh("membrane", mesh, law, plane="stress"))
    model.add(cd.Tie("wall", body, "left", model.ground))
    model.add(cd.Traction("shear", body, "right", (0.0, SMALL / 16.0)))
    middle = int(np.argmin(np.abs(np.array(body.nodes) - (48.0, 52.0)).sum(axis=1)))
    return float(cd.solve_static(model, steps=1).displacement(body.point(middle))[-1, 1] / SMALL)


def cantilever(n: int, element: str) -> float:
    """Deflection of a cantilever of length 8 and depth 1 under a small shear at its end, over that of Timoshenko's beam."""
    length = 8.0
    model = cd.Model("cantilever", dimension=2)
    law = cd.StVenantKirchhoff(1.0, 0.0, 1.0)
    body = model.add(cd.Solid.block("beam", (length, 1.0), (8 * n, n), law, element=element, plane="stress"))
    model.add(cd.Tie("wall", body, "left", model.ground))
    model.add(cd.Traction("shear", body, "right", (0.0, SMALL)))
    end = body.sets["right"][0]
    beam = 4.0 * length**3 + 1.2 * length / 0.5  # L³/3EI + 6/5 L/GA
    return float(cd.solve_static(model, steps=1).displacement(body.point(end))[-1, 1] / SMALL / beam)


def column(p: cd.Parameters, angle: float) -> cd.Model:
    """A square column along z, its base on the ground, its top turned by `angle` [rad]."""
    model = cd.Model("column", dimension=3)
    law = cd.Robust(p.young, 0.3, 1.0)
    side, length = p.column
    mesh = cd.Mesh.block((side, side, length), (2, 2, p.layers), element="hex20", origin=(-side / 2, -side / 2, 0.0))
    body = model.add(cd.Solid.from_mesh("column", mesh, law))
    top = model.add(cd.Frame("top", angle=cd.Table((0, 1), (0, angle)), axis=(0, 0, 1)))
    model.add(cd.Tie("base", body, "back", model.ground))
    model.add(cd.Tie("head", body, "front", top))
    return model


def bar(p: cd.Parameters) -> cd.Model:
    """A bar that can only stretch along x, held at one end."""
    model = cd.Model("bar", dimension=2)
    body = model.add(
        cd.Solid.block("bar", (1.0, 0.1), (p.bar_cells, 1), cd.NeoHookean(p.young, 0.0, 1.0), element="quad8")
    )
    model.add(cd.Hold("level", body, list(range(len(body.nodes))), (0, 1)))
    model.add(cd.Hold("wall", body, "left", (1, 0)))
    return model


def brick(p: cd.Parameters) -> cd.Model:
    """A soft brick that tumbles freely."""
    model = cd.Model("brick", dimension=3)
    law = cd.Robust(p.soft, 0.3, 1.0)
    model.add(cd.Solid.block("brick", (1.0, 0.5, 0.3), (2, 1, 1), law, angular_velocity=p.omega))
    return model


def press(p: cd.Parameters) -> cd.Model:
    """A cube of the robust law between plates, its sides free."""
    model = cd.Model("press", dimension=3)
    body = model.add(cd.Solid.block("cube", (1, 1, 1), (1, 1, 1), cd.Robust(p.young, 0.3, 1.0)))
    for name, side, axis in (("x", "left", (1, 0, 0)), ("y", "bottom", (0, 1, 0)), ("z", "back", (0, 0, 1))):
        model.add(cd.Hold(name, body, side, axis))
    model.add(cd.Hold("plate", body, "right", (1, 0, 0), displacement=-p.compression))
    return model


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """All of them."""
    modes = cd.eigenmodes(bar(p), count=2)
    flight = context.simulate("flight", brick(p), end=p.dt * p.steps, dt=p.dt)
    total, L = flight.energy["total"], flight.angular_momentum
    yield {
        "frequencies": np.asarray(modes.frequencies)[:2],
        "brick energy": float(total[-1]),
        "energy drift": float(np.abs(total / total[0] - 1.0).max()),
        "momentum drift": float(np.linalg.norm(L - L[0], axis=1).max() / np.linalg.norm(L[0])),
        "stored": float((flight.energy["stored"] / total).max()),
    }
    coarse, fine = (cd.solve_static(tube(p, cells), steps=8) for cells in (p.tube_cells, 2 * p.tube_cells))
    in_mm = cd.solve_static(tube(p, p.tube_cells, metre=1000.0), steps=8)
    yield {
        "tube radii": [_inner(coarse), _inner(fine)],
        "units": abs(_inner(in_mm) / 1000.0 / _inner(coarse) - 1.0),
        "unit iterations": abs(int(in_mm.iterations.sum()) - int(coarse.iterations.sum())),
    }
    twist = cd.solve_static(column(p, 0.01), steps=1)
    yield {"torsion": 2.0 * twist.energy["stored"][-1] / 0.01**2}
    turned = cd.solve_static(column(p, p.turn), steps=p.turn_steps)
    yield {
        "turned volume": float(turned.fields("column").volume_ratio.min()),
        "forces": cd.solve_static(press(p), steps=12).reaction("plate")[:, 0],
    }
    cook = {}
    for n in p.cook_cells:
        for dilatation in ("mean", "local"):
            result = cd.solve_static(membrane(n, dilatation), steps=5)
            nodes = np.array(result.model["membrane"].nodes)
            corner = int(np.argmax(nodes.sum(axis=1)))
            cook[dilatation, n] = float(result.displacement(f"membrane.{corner}")[-1, 1])
    yield {
        "cook": cook,
        "linear membrane": _limit([linear_membrane(n, "quad8") for n in p.fine_cells]),
        "membrane order": _order([linear_membrane(n, "quad4") for n in p.order_cells]),
        "beam": cantilever(p.beam_cells[1], "quad8"),
        "beam order": _order([cantilever(n, "quad4") for n in p.beam_cells]),
    }


def _order(values: list[float]) -> float:
    """Order of convergence out of three meshes, each twice as fine as the last."""
    first, second, third = values
    return float(np.log2((second - first) / (third - second)))


def _limit(values: list[float]) -> float:
    """Where three meshes, each twice as fine as the last, lead to (Aitken), at whatever order they converge."""
    first, second, third = values
    return float(third - (third - second) ** 2 / ((third - second) - (second - first)))


def _inner(result: cd.Result) -> float:
    """Mean inner radius at the end."""
    body = result.model["tube"]
    return float(result.fields("tube").positions[body.sets["left"], 0].mean())


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Convergence of Cook's membrane."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.6, 3.6))
    ax = figure.subplots()
    for dilatation, line, label in (("mean", "o-", "one dilatation per element"), ("local", "s--", "plain quad4")):
        ax.plot(p.cook_cells, [outcome["cook"][dilatation, n] for n in p.cook_cells], line, label=label)
    ax.set(xlabel="cells per side", ylabel="deflection of the corner (mm)", ylim=(0.0, None))
    ax.legend()
    return {"cook": figure}


CLAIMS = [
    cd.Claim("widened tube: inner radius, fine mesh", 1.5, lambda o: o["tube radii"][1], unit="m", tolerance=5e-4,
             kind="closed form",
             origin="incompressible neo-Hookean tube under p = μ (ln(λa/λb) + ½ (λb⁻² − λa⁻²)), 0.856457 Pa for λa = 1.5"),
    cd.Claim("tumbling brick: energy", 0.158625, lambda o: o["brick energy"], unit="J", tolerance=1e-9,
             kind="closed form", origin="½ ω·J ω at the start, about the corner that is at rest"),
    cd.Claim("widened tube: order of convergence", "at least 1.5",
             lambda o: np.log2((o["tube radii"][0] - 1.5) / (o["tube radii"][1] - 1.5)), tolerance=1.5, sense="above",
             kind="property", origin="quad8 with one pressure per element"),
    cd.Claim("tube in millimetres: change of the result", "none", lambda o: o["units"], tolerance=1e-9,
             kind="property", origin="no tolerance depends on the unit"),
    cd.Claim("tube in millimetres: change of the number of iterations", "none", lambda o: o["unit iterations"],
             tolerance=0.5, kind="property", origin="no tolerance depends on the unit"),
    cd.Claim("Cook: deflection with one dilatation per element, finest over next", 1.0,
             lambda o: _finest(o["cook"], "mean")[0] / _finest(o["cook"], "mean")[1], tolerance=0.05,
             kind="property", origin="converged"),
    cd.Claim("Cook: plain quad4 over one dilatation per element, coarsest mesh", "locks",
             lambda o: _coarsest(o["cook"], "local") / _coarsest(o["cook"], "mean"), tolerance=0.75, sense="below",
             kind="relation", origin="volumetric locking at ν = 0.4999"),
    cd.Claim("Cook, linear, plane stress: deflection of the middle of the end, quad8 extrapolated", 23.9677,
             lambda o: o["linear membrane"], tolerance=0.015,
             kind="reference",
             origin="quad8 and tri6 of 32, 64 and 128 cells per side, extrapolated, agree on 23.9677 ± 0.0001"),
    cd.Claim("Cook, linear, plane stress: the same, published", 23.9, lambda o: o["linear membrane"], tolerance=0.05,
             kind="published",
             origin="Bergan and Felippa 1985, table of Cook's membrane: 23.9 as the best known value; E = 1, ν = 1/3, load 1",
             differs=cd.Differs("best known in 1985, of a coarse mesh; finer ones agree on 23.9677", 23.9505, 23.975)),
    cd.Claim("Cook, linear, plane stress: order of convergence, quad4", "towards 2", lambda o: o["membrane order"],
             tolerance=1.7, sense="above", kind="property", origin="2 but for the singular corner"),
    cd.Claim("cantilever: deflection over that of Timoshenko's beam, quad8", 1.0, lambda o: o["beam"], tolerance=1e-3,
             kind="closed form", origin="L³/3EI + 6/5 L/GA"),
    cd.Claim("cantilever: order of convergence, quad4", "towards 2", lambda o: o["beam order"], tolerance=1.7, sense="above",
             kind="property", origin="bilinear elements"),
    cd.Claim("column: torsional stiffness", 9.0115, lambda o: o["torsion"], unit="N m/rad", tolerance=0.4,
             kind="closed form", origin="Saint-Venant, G 0.1406 a⁴/L; its ends are kept from warping, which stiffens it"),
    cd.Claim("bar: lowest frequency", 7.9057, lambda o: o["frequencies"][0], unit="Hz", tolerance=0.001,
             kind="closed form", origin="wave equation: c/4L with c² = E/ρ"),
    cd.Claim("bar: second frequency", 23.717, lambda o: o["frequencies"][1], unit="Hz", tolerance=0.003,
             kind="closed form", origin="wave equation: 3c/4L"),
    cd.Claim("turned column: smallest volume ratio", "stays well above 0", lambda o: o["turned volume"], tolerance=0.5,
             sense="above", kind="property", origin="quarter turn of the top"),
    cd.Claim("robust law: smallest growth of the compressive force per step over the largest", "always grows",
             lambda o: np.diff(-o["forces"]).min() / np.diff(-o["forces"]).max(), tolerance=0.0, sense="above",
             kind="published", origin="Hovey 2000, section 2.2: criteria for the law"),
    cd.Claim.kept("tumbling brick: energy drift", "energy drift", 1e-9, "Gonzalez 2000: discrete gradient"),
    cd.Claim.kept("tumbling brick: angular momentum drift", "momentum drift", 1e-9, "Gonzalez 2000: discrete gradient"),
    cd.Claim("tumbling brick: largest stored over total energy", "considerable", lambda o: o["stored"], tolerance=0.01,
             sense="above", kind="relation", origin="so that conservation is tested at finite strain"),
]  # fmt: skip


def _finest(cook: Mapping[tuple[str, int], float], kind: str) -> tuple[float, float]:
    cells = sorted(n for d, n in cook if d == kind)
    return cook[kind, cells[-1]], cook[kind, cells[-2]]


def _coarsest(cook: Mapping[tuple[str, int], float], kind: str) -> float:
    return cook[kind, min(n for d, n in cook if d == kind)]


STUDY = cd.Study.of_module(globals(), source="hovey-2000")
