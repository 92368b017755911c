"""Rubber arm on a rigid hub, tumbling in space: energy and momenta for any material.

A neo-Hookean bar of hexahedra is bonded to a rigid cube by eliminating the nodes of its face (Taylor 2000, section
6.1), and both tumble freely while the bar bends by more than its thickness. Taylor's mean stress conserves energy for
St. Venant–Kirchhoff only; the discrete gradient on the Gram matrix does so for any stored energy, with exact angular
momentum. The trapezoidal rule of Newmark, with the same step, loses both.
"""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

import condyle as cd

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PARAMETERS = {
    "hub": cd.Parameter(0.2, "edge of the rigid cube", "m"),
    "arm": cd.Parameter((0.6, 0.1, 0.1), "edges of the rubber bar", "m"),
    "divisions": cd.Parameter((6, 2, 2), "hexahedra along the edges"),
    "density": cd.Parameter(1000.0, "density of both", "kg/m³"),
    "young": cd.Parameter(5e4, "Young's modulus", "Pa"),
    "poisson": cd.Parameter(0.3, "Poisson's ratio"),
    "omega": cd.Parameter((4.0, 2.0, 5.0), "angular velocity at the start", "rad/s"),
    "dt": cd.Parameter(0.01, "time step", "s"),
    "steps": cd.Parameter(2000, "steps of the flight"),
    "compare_end": cd.Parameter(10.0, "time simulated with Newmark's method", "s"),
    "order_dt": cd.Parameter(
        0.001, "largest step of the convergence study, halved twice; resolves the mesh's modes", "s"
    ),
    "order_end": cd.Parameter(0.1, "time simulated for the order of convergence", "s"),
}
QUICK = {"divisions": (4, 1, 1), "steps": 100, "compare_end": 0.5}
INPUTS = ("hub", "arm", "density", "omega")


def hub_and_arm(p: cd.Parameters) -> cd.Model:
    """A cube at the origin and a bar of hexahedra along x, whose left face is tied to the cube; all turn alike."""
    half = 0.5 * p.hub
    model = cd.Model("tumbling rubber", dimension=3)
    hub = model.add(cd.RigidBody.box("hub", (p.hub,) * 3, p.density, angular_velocity=p.omega))
    rubber = cd.NeoHookean(p.young, p.poisson, p.density)
    origin = (half, -0.5 * p.arm[1], -0.5 * p.arm[2])
    arm = model.add(cd.Solid.block("arm", p.arm, p.divisions, rubber, origin=origin, angular_velocity=p.omega))
    model.add(cd.Tie("bond", arm, "left", hub))
    return model


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """The flight with energy–momentum stepping, the same with Newmark's method, and smaller steps."""
    model = hub_and_arm(p)
    flight = context.simulate("flight", model, end=p.dt * p.steps, dt=p.dt)
    newmark = context.simulate("newmark", model, end=p.compare_end, dt=p.dt, integrator=cd.Newmark())
    outcome = {"flight": _history(flight), "newmark": _history(newmark), "result": flight}
    outcome["bond"] = _bond_error(flight, p)
    tips = []
    for k in range(3):
        result = context.simulate(f"step-{k}", model, end=p.order_end, dt=p.order_dt / 2**k)
        tips.append(result.position("arm.right")[:: 2**k])
    changes = [float(np.abs(coarse - fine).max()) for coarse, fine in pairwise(tips)]
    return outcome | {"changes": changes}


def _history(result: cd.Result) -> cd.Outcome:
    E, J, P = result.energy["total"], result.angular_momentum, result.linear_momentum
    reach = result.position("arm.right") - result.position("hub")
    in_hub = np.einsum("tij,ti->tj", result.directors("hub"), reach)
    return {
        "t": result.times,
        "energy": result.energy,
        "energy drift": np.abs(E / E[0] - 1.0),
        "momentum drift": np.linalg.norm(J - J[0], axis=1) / np.linalg.norm(J[0]),
        "linear drift": np.linalg.norm(P - P[0], axis=1) / np.linalg.norm(P[0]),
        "tip": in_hub - in_hub[0],
        "iterations": result.iterations,
    }


def _bond_error(result: cd.Result, p: cd.Parameters) -> float:
    """Largest distance of bonded nodes from the points of the hub they belong to [m]."""
    arm = result.model["arm"]
    return max(
        float(np.abs(result.position(f"arm.{node}") - result.position(cd.Point("hub", arm.nodes[node]))).max())
        for node in arm.sets["left"]
    )


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Shapes, energies, drift."""
    from matplotlib import rcParams
    from matplotlib.figure import Figure

    colours = rcParams["axes.prop_cycle"].by_key()["color"]
    flight, newmark = outcome["flight"], outcome["newmark"]
    window = min(1.0, flight["t"][-1])
    balance = Figure(figsize=(5.6, 6.6))
    top, middle, bottom = balance.subplots(3, 1)
    shown = flight["t"] <= 2.0 * window
    for k, (name, line) in enumerate(zip(("along", "across y", "across z"), ("-", "--", "-."), strict=True)):
        top.plot(flight["t"][shown], 1e3 * flight["tip"][shown, k], line, label=name)
    top.set(xlabel="time (s)", ylabel="tip in the hub's frame (mm)", xlim=(0.0, flight["t"][shown][-1]))
    top.set_ylim(top=1.45 * top.get_ylim()[1])
    top.legend(loc="upper right", ncols=3, fontsize="small")
    energy = flight["energy"]
    for name, line in (("total", "k-"), ("kinetic", "-"), ("stored", "--")):
        middle.plot(flight["t"][shown], energy[name][shown], line, label=name)
    middle.set(xlabel="time (s)", ylabel="energy (J)", xlim=(0.0, flight["t"][shown][-1]))
    middle.set_ylim(0.0, 1.3 * energy["total"].max())
    middle.legend(loc="upper right", ncols=3, fontsize="small")
    for history, label, line in ((flight, "energy–momentum", "-"), (newmark, "Newmark", "--")):
        for quantity, colour in (("energy drift", colours[0]), ("momentum drift", colours[1])):
            so_far = np.maximum.accumulate(history[quantity])[1:]
            bottom.semilogy(history["t"][1:], so_far, line, color=colour, label=f"{quantity.split()[0]}, {label}")
    bottom.axhline(1e-8, color="k", linestyle=":", label="claimed bound")
    bottom.set(xlabel="time (s)", ylabel="largest drift so far (–)", ylim=(1e-16, 1e4), xlim=(0.0, flight["t"][-1]))
    bottom.legend(loc="upper right", ncols=2, fontsize="x-small")

    return {"rubber_balance": balance, "rubber_shapes": _shapes(outcome["result"], p, 1.2 * window)}


def _shapes(result: cd.Result, p: cd.Parameters, end: float) -> Figure:
    """Hub and arm at eight times, seen from a camera that follows them."""
    from matplotlib import rcParams
    from matplotlib.figure import Figure
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # type: ignore[import-untyped]

    colours = rcParams["axes.prop_cycle"].by_key()["color"]
    arm = result.model["arm"]
    nodes = np.stack([result.position(f"arm.{k}") for k in range(len(arm.nodes))], axis=1)
    sides = ((0, 3, 2, 1), (4, 5, 6, 7), (0, 1, 5, 4), (1, 2, 6, 5), (2, 3, 7, 6), (3, 0, 4, 7))
    every = [[cell[k] for k in side] for cell in arm.cells for side in sides]
    keys = [tuple(sorted(face)) for face in every]
    skin = [face for face, key in zip(every, keys, strict=True) if keys.count(key) == 1]
    cube = [result.position(cd.Point("hub", corner)) for corner in 0.5 * p.hub * np.array(_CUBE)]
    figure = Figure(figsize=(6.6, 3.2))
    for k, frame in enumerate(np.linspace(0, result.at(min(end, result.times[-1])), 8).round().astype(int)):
        panel: Any = figure.add_subplot(2, 4, k + 1, projection="3d", computed_zorder=False)
        corners = np.array([corner[frame] for corner in cube])
        bodies = ((nodes[frame][skin], colours[1]), (corners[list(sides)], colours[0]))
        for faces, colour in sorted(bodies, key=lambda body: float(body[0].mean(axis=(0, 1)) @ _TO_CAMERA)):
            patch = Poly3DCollection(faces, facecolors=colour, edgecolors="0.25", linewidths=0.3, shade=True)
            panel.add_collection3d(patch).set_zorder(len(panel.collections))
        centre = 0.55 * nodes[frame].mean(axis=0) + 0.45 * corners.mean(axis=0)
        for name, middle in zip("xyz", centre, strict=True):
            getattr(panel, f"set_{name}lim")(middle - 0.4, middle + 0.4)
        panel.set_box_aspect((1, 1, 1), zoom=1.25)
        panel.set_axis_off()
        panel.set_title(f"t = {result.times[frame]:.2f} s", fontsize="medium", y=0.92)
    return figure


_TO_CAMERA = np.array([0.433, -0.75, 0.5])  # of the default view of matplotlib
_CUBE = ((-1, -1, -1), (1, -1, -1), (1, 1, -1), (-1, 1, -1), (-1, -1, 1), (1, -1, 1), (1, 1, 1), (-1, 1, 1))

CONSERVED = "Gonzalez 2000: discrete gradient, here on the Gram matrix; Taylor 2000, section 4.1, only cites it"

CLAIMS = [
    cd.Claim("energy", 17.8825, lambda o: o["flight"]["energy"]["total"][-1], unit="J", tolerance=1e-5,
             kind="closed form", origin="½ ω·J ω of cube and bar about the middle of the cube, at the start"),
    cd.Claim("energy drift", "constant", lambda o: o["flight"]["energy drift"].max(), tolerance=1e-8,
             kind="property", origin=CONSERVED),
    cd.Claim("angular momentum drift", "constant", lambda o: o["flight"]["momentum drift"].max(), tolerance=1e-8,
             kind="property", origin=CONSERVED),
    cd.Claim("linear momentum drift", "constant", lambda o: o["flight"]["linear drift"].max(), tolerance=1e-8,
             kind="property", origin=CONSERVED),
    cd.Claim("largest stored over total energy", "considerable",
             lambda o: o["flight"]["energy"]["stored"].max() / o["flight"]["energy"]["total"][0], tolerance=0.08,
             sense="above", kind="relation", origin="so that conservation is tested at finite strain"),
    cd.Claim("largest deflection of the tip", "large (thickness 0.1 m)",
             lambda o: np.linalg.norm(o["flight"]["tip"], axis=1).max(), unit="m", tolerance=0.1, sense="above",
             kind="relation", origin="so that conservation is tested at finite rotation of the elements"),
    cd.Claim("gap of the bond", "closed: bonded nodes have no unknowns", lambda o: o["bond"], unit="m", tolerance=1e-12,
             kind="property", origin="Taylor 2000, eqs 78 to 84"),
    cd.Claim("order of convergence of the tip", 2.0, lambda o: np.log2(o["changes"][0] / o["changes"][1]), tolerance=0.05,
             kind="property",
             origin="change from step to half step, twice; larger steps leave the mesh's fast modes unresolved"),
    cd.Claim("Newmark (¼, ½): energy drift with the same step", "not constant",
             lambda o: o["newmark"]["energy drift"].max(), tolerance=1e-4, sense="above",
             kind="property", origin="trapezoidal rule on a nonlinear system"),
    cd.Claim("Newmark (¼, ½): angular momentum drift with the same step", "not constant",
             lambda o: o["newmark"]["momentum drift"].max(), tolerance=1e-4, sense="above",
             kind="property", origin="trapezoidal rule on a nonlinear system"),
    cd.Claim.newton(5, lambda o: o["flight"]["iterations"].max()),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
