"""A stack of ten boxes that stands.

Ten cubes, every second one a little aside, stand on each other, each on the four corners of what it has in common with
the one below, with friction. None moves, and each carries the weight above it. A cube with 0.49 of its length over an
edge stays, one with 0.51 tips.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

import condyle as cd

PARAMETERS = {
    "boxes": cd.Parameter(10, "of the stack"),
    "size": cd.Parameter(0.2, "edge of a cube", "m"),
    "density": cd.Parameter(500.0, "of a cube", "kg/m³"),
    "shift": cd.Parameter(0.01, "of every second cube", "m"),
    "gravity": cd.Parameter(9.81, "gravity", "m/s²"),
    "friction": cd.Parameter(0.5, "between cubes"),
    "dt": cd.Parameter(0.01, "time step", "s"),
    "end": cd.Parameter(0.2, "time simulated", "s"),
    "edge_end": cd.Parameter(0.05, "time simulated of the cube over an edge", "s"),
}
QUICK = {"boxes": 4, "end": 0.05}
INPUTS = ("size", "density", "gravity")


def stack(p: Any, boxes: int, shift: float) -> cd.Model:
    """Boxes on each other, every second one shifted along x [m], on the ground, with friction between all."""
    model = cd.Model("stack", dimension=3, gravity=(0.0, 0.0, -p.gravity))
    below: Any = model.ground
    shape: Any = cd.Plane((0.0, 0.0, 1.0))
    for k in range(boxes):
        place = (shift * (k % 2), 0.0, (k + 0.5) * p.size)
        box = model.add(cd.RigidBody.box(f"box {k}", (p.size,) * 3, p.density, position=place))
        own = cd.Box((p.size,) * 3)
        model.add(cd.Contact(f"under {k}", box, own, below, shape, friction=p.friction))
        below, shape = box, own
    return model


def run(p: Any, context: cd.Context) -> dict[str, Any]:
    """The stack; then two boxes, the upper one a little less and a little more than half over the edge."""
    result = context.simulate("stack", stack(p, p.boxes, p.shift), end=p.end, dt=p.dt)
    names = [f"box {k}" for k in range(p.boxes)]
    forces = np.array([result.contact(f"under {k}").normal_force[-1].sum() for k in range(p.boxes)])
    weight = p.density * p.size**3 * p.gravity
    moved = max(float(np.abs(result.position(name) - result.position(name)[0]).max()) for name in names)
    points = [int((result.contact(f"under {k}").normal_force[-1] > 0.0).sum()) for k in range(p.boxes)]
    outcome: dict[str, Any] = {
        "moved": moved, "forces": forces, "weights": weight * np.arange(p.boxes, 0, -1), "points": points,
        "bottom": float(forces[0]), "speed": max(float(np.abs(result.velocity(name)).max()) for name in names),
        "places": [result.position(name)[-1] for name in names],
    }  # fmt: skip
    for label, share in (("stays", 0.49), ("tips", 0.51)):
        run_ = context.simulate(label, stack(p, 2, share * p.size), end=p.edge_end, dt=p.dt)
        spin = run_.angular_velocity("box 1")
        outcome[label] = float(np.abs(spin[-1]).max())
    return outcome


def figures(outcome: Mapping[str, Any], p: Any) -> dict[str, Any]:
    """The stack from the side, and the force under each box."""
    from matplotlib.figure import Figure
    from matplotlib.patches import Rectangle

    figure = Figure(figsize=(6.4, 3.6))
    left, right = figure.subplots(1, 2)
    for x, _, z in outcome["places"]:
        left.add_patch(Rectangle((x - 0.5 * p.size, z - 0.5 * p.size), p.size, p.size, fill=False))
    left.set(xlim=(-2.0 * p.size, 2.0 * p.size), ylim=(0.0, 1.05 * p.size * p.boxes), aspect="equal", xlabel="x (m)",
             ylabel="z (m)")  # fmt: skip
    right.plot(outcome["forces"], np.arange(p.boxes), "o", label="contact")
    right.plot(outcome["weights"], np.arange(p.boxes), "-", color="0.5", label="weight above")
    right.set(xlabel="force under the box (N)", ylabel="box")
    right.legend(fontsize="x-small")
    return {"box_stack": figure}


CLAIMS = [
    cd.Claim("largest way of a box", "none", lambda o: o["moved"], kind="property", unit="m", tolerance=1e-6,
             origin="what stands stays where it is"),
    cd.Claim("largest speed of a box", "none", lambda o: o["speed"], kind="property", unit="m/s", tolerance=1e-4,
             origin="what stands stays where it is"),
    cd.Claim("force under a box over the weight above it, largest difference from 1", "none",
             lambda o: float(np.abs(o["forces"] / o["weights"] - 1.0).max()), kind="closed form", tolerance=1e-3,
             origin="balance"),
    cd.Claim("force under the upper box", 39.24, lambda o: float(o["forces"][-1]), kind="closed form", unit="N",
             tolerance=0.05, origin="ρ a³ g"),
    cd.Claim("points that carry the lowest box", (3, 4), lambda o: float(o["points"][0]), kind="property",
             origin="four corners, of which three are enough"),
    cd.Claim("0.49 of a box over the edge: spin", "it stays", lambda o: o["stays"], kind="closed form", unit="rad/s",
             tolerance=1e-6, origin="its weight is above what carries it"),
    cd.Claim("0.51 of a box over the edge: spin", "it tips", lambda o: o["tips"], kind="closed form", unit="rad/s",
             tolerance=1e-3, sense="above", origin="its weight is beyond the edge"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
