"""Wear of a polyethylene liner over a million cycles of gait.

The liner of hip-3d under the force and motion of the standard for hip simulators. Archard's law gives depth and volume:
with the surface as it is, and with a surface that follows in blocks of cycles, whose nodes move by the depth that was
worn off, by a rule of second order. A year of walking is about a million cycles. The wear factor, 1.07e-6 mm³/(N m), is
the one that is ascribed to maxian-1996; that paper was not at hand, so take it as an assumption, to which all wear is
proportional as long as the surface keeps its shape.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd
from condyle.studies.hip_3d import (
    CUP,
    MILLION,
    MM,
    MPA,
    WEAR_FACTORS,
    Stride,
    cup_axes,
    cup_mesh,
    draw_map,
    simulator_stride,
    stepped,
    wear_volume,
)

LATER = 0.03  # of the cycle: how far the assumed instants of the force are moved to see what depends on them


PARAMETERS = CUP | {
    "cells": cd.Parameter((8, 3), "cells along a side of the cube inside the cup, and across"),
    "blocks": cd.Parameter(20, "blocks of a million cycles"),
}
QUICK = {"cells": (6, 2), "instants": 16, "blocks": 2}
INPUTS = ("inner", "peak_force")


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """A stride with the surface as it is, conforming and with a clearance; then with the clearance a million cycles."""
    stride = simulator_stride(p)
    yield {
        "conforming": stepped(p, context, "conforming", stride, 0.0, p.inclination),
        "closed form": sliding_work(p, stride),
        "moved": [sliding_work(p, simulator_stride(p, later)) for later in (-LATER, LATER)],
    }
    factor = WEAR_FACTORS["maxian-1996"]
    clearance, wear = wear_in_blocks(p, context, stride, factor, p.blocks)
    yield {
        "clearance": clearance,
        "wear": wear,
        "half": wear_in_blocks(p, context, stride, factor, p.blocks // 2)[1],
    }


def worn(mesh: cd.Mesh, nodes: NDArray[np.int64], depth: NDArray[np.float64], outer: float) -> cd.Mesh:
    """The mesh with these nodes of its inner surface moved outwards by `depth` [m], those behind them in proportion."""
    inside = mesh.nodes[nodes]
    reach = np.linalg.norm(inside, axis=1)

    def moved(X: NDArray[np.float64]) -> NDArray[np.float64]:
        r = np.linalg.norm(X, axis=1)
        unit = X / r[:, None]
        k = np.argmax(unit @ (inside / reach[:, None]).T, axis=1)
        return X + unit * (depth[k] * (outer - r) / (outer - reach[k]))[:, None]

    return mesh.mapped(moved)


def wear_in_blocks(
    p: cd.Parameters, context: cd.Context, stride: Stride, factor: float, blocks: int
) -> tuple[cd.Outcome, cd.Outcome]:
    """A million cycles in blocks of h, the wear w of a cycle by Adams and Bashforth: h (3 w_n − w_{n−1})/2, of second order.

    The first stride; over the cycles depth [m], volume [m³] and the largest pressure [Pa] of each block. What a block wears off
    must be small beside the elastic indentation of a cell, or the surface becomes rough: finer cells need more blocks.
    """
    mesh = cup_mesh(p, p.cells, p.inclination)
    towards = stride.force[0] / stride.size[0]
    depth, sunk, before = np.zeros(1), 0.0, None
    rows, peaks = [(0.0, 0.0, 0.0)], []
    first: dict[str, Any] = {}
    for k in range(blocks):
        o = stepped(p, context, f"wear, block {k + 1} of {blocks}", stride, p.clearance, p.inclination, mesh, sunk)
        first = first or o
        now = factor * o["work"]
        lost = MILLION / blocks * np.maximum(now if before is None else 1.5 * now - 0.5 * before, 0.0)
        depth, before = depth + lost, now
        sunk = float(depth[np.argmax(o["places"] @ towards)])
        mesh = worn(mesh, o["nodes"], lost, p.outer)
        rows.append(((k + 1) / blocks, float(depth.max()), rows[-1][2] + float(lost @ o["areas"])))
        peaks.append(float(o["peak"].max()))
    cycles, deepest, volume = np.array(rows).T
    return first, {"cycles": cycles, "depth": deepest, "volume": volume, "map": depth, "places": o["places"],
                   "peaks": np.array(peaks)}  # fmt: skip


def sliding_work(p: cd.Parameters, stride: Stride) -> float:
    """∫∫ p |ds| dA [N m] over a stride for pressures that fall with the cosine of the angle to the force.

    Of p = 3 F cos α/(2 π R²) on the half sphere of the force, turned by dθ about the axis e: F R dθ times the mean of
    |e × n| with the weight 3 cos α/(2 π).
    """
    turn = np.array([cardan(a) for a in np.radians(stride.angles)])
    n, weight = half_sphere(24)
    work = 0.0
    for k in range(len(turn) - 1):
        spin = turn[k].T @ turn[k + 1]
        axis = 0.5 * turn[k] @ np.array([spin[2, 1] - spin[1, 2], spin[0, 2] - spin[2, 0], spin[1, 0] - spin[0, 1]])
        force = stride.force[k + 1]
        z = force / np.linalg.norm(force)
        x = np.cross(z, (0.0, 1.0, 0.0))
        x /= np.linalg.norm(x)
        points = n @ np.array([x, np.cross(z, x), z])
        inside = points @ cup_axes(p.inclination)[:, 2] > 0.0  # what the rim leaves of it
        share = weight * n[:, 2]
        arm = np.linalg.norm(np.cross(axis, points), axis=1)
        work += float(np.linalg.norm(force) * p.inner * (share * arm)[inside].sum() / (share * n[:, 2])[inside].sum())
    return work


def cardan(angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """The turn of the head by flexion, abduction and inward rotation [rad]."""
    c, s = np.cos(angles * (-1.0, -1.0, 1.0)), np.sin(angles * (-1.0, -1.0, 1.0))
    about_y = np.array([[c[0], 0.0, s[0]], [0.0, 1.0, 0.0], [-s[0], 0.0, c[0]]])
    about_x = np.array([[1.0, 0.0, 0.0], [0.0, c[1], -s[1]], [0.0, s[1], c[1]]])
    about_z = np.array([[c[2], -s[2], 0.0], [s[2], c[2], 0.0], [0.0, 0.0, 1.0]])
    return about_y @ about_x @ about_z


def half_sphere(count: int) -> tuple[Any, Any]:
    """Directions with z > 0 and their solid angles."""
    z = (np.arange(count) + 0.5) / count
    turn = 2.0 * np.pi * (np.arange(4 * count) + 0.5) / (4 * count)
    z, turn = (a.ravel() for a in np.meshgrid(z, turn))
    r = np.sqrt(1.0 - z * z)
    return np.column_stack((r * np.cos(turn), r * np.sin(turn), z)), np.full(z.size, 2.0 * np.pi / z.size)


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Map of the worn depth; depth, volume and pressure over the cycles."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.4, 5.6))
    (panel, depth), (peak, volume) = figure.subplots(2, 2)
    o = outcome["wear"]
    shown = draw_map(panel, p, o["places"], o["map"] / MM, np.arange(0.0, o["map"].max() / MM + 0.01, 0.01))
    panel.set(xlabel="forward (°)", ylabel="inwards and down (°)", title="depth after a million cycles")
    figure.colorbar(shown, ax=panel, label="wear depth (mm)", format="%.2f")
    depth.plot(o["cycles"], o["depth"] / MM, "o-", label="surface follows the wear")
    volume.plot(o["cycles"], o["volume"] / MM**3, "o-")
    half = outcome["half"]
    depth.plot(half["cycles"], half["depth"] / MM, "kx", markersize=5, label="the same, blocks twice as long")
    volume.plot(half["cycles"], half["volume"] / MM**3, "kx", markersize=5)
    for name, line in (("conforming", "C1--"), ("clearance", "C2-.")):
        work, areas = outcome[name]["work"], outcome[name]["areas"]
        factor = MILLION * WEAR_FACTORS["maxian-1996"]
        depth.plot((0.0, 1.0), (0.0, factor * work.max() / MM), line, label=f"{name}, surface kept")
        volume.plot((0.0, 1.0), (0.0, factor * (work @ areas) / MM**3), line)
    depth.axhline(0.1, color="0.6", linewidth=0.8)
    depth.annotate("in patients, 0.1 mm a year (Dahl et al.)", (0.02, 0.1), (0, 3), textcoords="offset points",
                   fontsize="x-small", color="0.3")  # fmt: skip
    volume.axhspan(40.0, 80.0, color="0.92", zorder=0)
    volume.annotate("in patients, 40–80 mm³ a year", (0.02, 74.0), fontsize="small", color="0.3")
    depth.set(ylabel="largest depth (mm)", xlim=(0, 1), ylim=(0, 0.3), xlabel="cycles (millions)")
    depth.legend(fontsize="x-small", loc="upper left")
    volume.set(ylabel="volume worn off (mm³)", xlabel="cycles (millions)", xlim=(0, 1), ylim=(0, 82))
    peak.plot(o["cycles"][:-1], o["peaks"] / MPA, "o-")
    peak.set(ylabel="largest pressure of a stride (MPa)", xlabel="cycles (millions)", xlim=(0, 1), ylim=(0, None))
    return {"wear": figure}


def blocks_apart(outcome: cd.Outcome, what: str) -> float:
    """Change of what is worn off after a million cycles when the blocks are twice as long, relative."""
    return float(abs(outcome["half"][what][-1] / outcome["wear"][what][-1] - 1.0))


CLAIMS = [
    cd.Claim("conforming: wear volume over the closed form", 1.0,
             lambda o: wear_volume(o, "conforming") / (MILLION * WEAR_FACTORS["maxian-1996"] * o["closed form"] / MM**3),
             tolerance=0.05, kind="closed form", origin="Archard's law with the pressure of the cosine"),
    cd.Claim("conforming: wear volume of a million cycles of 3000 N", 36.7, lambda o: wear_volume(o, "conforming"), unit="mm³",
             tolerance=1.2, kind="closed form", origin="the same with the numbers of the standard, R = 14 mm"),
    cd.Claim("wear volume of a million cycles", (40.0, 80.0), lambda o: o["wear"]["volume"][-1] / MM**3, unit="mm³",
             kind="reference", origin="Gemmell and Meyer 2018: 40–80 mm³ a year clinically", full_only=True,
             differs=cd.Differs("the wear factor is half of that of retrieved cups, with which it is in between", 31.0, 32.2)),
    cd.Claim("wear volume of a million cycles, beside that of another simulation", 33.6,
             lambda o: o["wear"]["volume"][-1] / MM**3, unit="mm³", tolerance=0.05, kind="reference", full_only=True,
             origin="quoted by Nikam et al. 2025", differs=cd.Differs("another cup and another motion", 31.0, 32.2)),
    cd.Claim("deepest wear of a million cycles", 0.1, lambda o: o["wear"]["depth"][-1] / MM, unit="mm", tolerance=0.05,
             kind="reference", origin="Dahl et al. 2012: 0.1 mm a year on average over ten years"),
    cd.Claim("blocks twice as long: change of the volume", "none", lambda o: blocks_apart(o, "volume"), tolerance=0.005,
             full_only=True, kind="property", origin="second order in the length of a block"),
    cd.Claim("blocks twice as long: change of the depth", "none", lambda o: blocks_apart(o, "depth"), tolerance=0.03,
             full_only=True, kind="property", origin="second order in the length of a block"),
    cd.Claim("assumed instants of the force 3 % of the cycle earlier or later: change of the wear", "small",
             lambda o: max(abs(w / o["closed form"] - 1.0) for w in o["moved"]), tolerance=0.05,
             kind="relation", origin="closed form; the standard's curves are not at hand"),
    cd.Claim("conforming: volume with the wear factor of retrieved cups", (40.0, 80.0),
             lambda o: wear_volume(o, "conforming", "hall-1996"), unit="mm³",
             kind="reference",
             origin="Gemmell and Meyer 2018: 40–80 mm³ a year clinically; 2.1e-6 mm³/(N m), ascribed to Hall et al. 1996"),
    cd.Claim("clearance: largest pressure after wear over that before", "lower: the surface conforms",
             lambda o: float(o["wear"]["peaks"][-1] / o["wear"]["peaks"][0]), tolerance=0.85,
             kind="relation", origin="the worn surface followed"),
    cd.Claim("clearance: largest rise of the pressure from block to block", "none: the worn surface stays smooth",
             lambda o: float(np.diff(o["wear"]["peaks"]).max() / o["wear"]["peaks"][0]), tolerance=0.0, full_only=True,
             kind="property", origin="blocks small enough for the mesh"),
    cd.Claim("largest error of the resultant over the strides, of the largest force", "none",
             lambda o: max(o[name]["error"] for name in ("conforming", "clearance")), tolerance=1e-9,
             kind="property", origin="equilibrium"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="maxian-1996")
