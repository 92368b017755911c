"""A stack of ten boxes that stands.

Ten cubes stand on each other, every second one a little to the side. Each stands with friction on the four corners of the area
that it shares with the one below. None moves, with any method, and each carries the weight above it. A pyramid stands too.
Bricks that lean as far as they can stay, and fall if they lean further.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
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
    "end": cd.Parameter(2.0, "time simulated", "s"),
    "pile_end": cd.Parameter(0.3, "time simulated of the pyramid and the bricks", "s"),
    "edge_end": cd.Parameter(0.05, "time simulated of the cube over an edge", "s"),
}
QUICK = {"boxes": 4, "end": 0.03, "pile_end": 0.03}
INPUTS = ("size", "density", "gravity")
METHODS = (cd.EnergyMomentum(), cd.GeneralizedAlpha(), cd.Newmark(), cd.HHT(), cd.BDF())
NAMES = [type(method).__name__ for method in METHODS]


def stack(p: cd.Parameters, boxes: int, shift: float) -> cd.Model:
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


def pile(p: cd.Parameters, places: list[tuple[float, float, float]]) -> cd.Model:
    """Boxes at the places of their centres, in edges of a box, that may all meet each other and the ground."""
    model = cd.Model("pile", dimension=3, gravity=(0.0, 0.0, -p.gravity))
    boxes = [
        model.add(cd.RigidBody.box(f"box {k}", (p.size,) * 3, p.density, position=tuple(p.size * np.array(place))))
        for k, place in enumerate(places)
    ]
    model.add(cd.Collisions("pile", boxes, cd.Plane((0.0, 0.0, 1.0)), friction=p.friction))
    return model


# Centres over the edge of a box: rows of four, three, two and one; three bricks that lean as far as they can, and further.
PYRAMID = [(1.1 * (j - 0.5 * (3 - i)), 0.0, i + 0.5) for i in range(4) for j in range(4 - i)]
LEANING = [(0.0, 0.0, 0.5), (0.24, 0.0, 1.5), (0.73, 0.0, 2.5)]
TOO_FAR = [(0.0, 0.0, 0.5), (0.26, 0.0, 1.5), (0.75, 0.0, 2.5)]


def way(result: cd.Result, boxes: int) -> float:
    """The largest way of a box from where it was put [m]."""
    places = [result.position(f"box {k}") for k in range(boxes)]
    return max(float(np.abs(x - x[0]).max()) for x in places)


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """The stack with each method; a pyramid; bricks that lean; two boxes, the upper one about half over the edge."""
    names = [f"box {k}" for k in range(p.boxes)]
    moved = {}
    for method in METHODS:
        result = context.simulate(
            f"stack, {type(method).__name__}", stack(p, p.boxes, p.shift), end=p.end, dt=p.dt, integrator=method
        )
        moved[type(method).__name__] = way(result, p.boxes)
        if method is METHODS[0]:
            first = result
    result = first
    at_points = [result.contact(f"under {k}").normal_force[-1] for k in range(p.boxes)]
    forces = np.array([force.sum() for force in at_points])
    weight = p.density * p.size**3 * p.gravity
    outcome: cd.Outcome = {
        "moved": moved, "forces": forces, "weights": weight * np.arange(p.boxes, 0, -1),
        "points": [int((force > 0.0).sum()) for force in at_points],
        "bottom": float(forces[0]), "speed": max(float(np.abs(result.velocity(name)).max()) for name in names),
        "places": [result.position(name)[-1] for name in names],
    }  # fmt: skip
    corners = np.sort(at_points[-1][at_points[-1] > 0.0])
    outcome["lean"] = float(corners[-2:].sum() / corners[:2].sum()) if corners.size == 4 else np.nan
    yield outcome
    heap = context.simulate("pyramid", pile(p, PYRAMID), end=p.pile_end, dt=p.dt, integrator=METHODS[1])
    floor = sum(heap.contact("pile").between(f"box {k}", "ground")[-1, 2] for k in range(4))
    outcome |= {"pyramid": way(heap, len(PYRAMID)), "floor": float(floor / weight)}
    for label, places in (("leaning", LEANING), ("too far", TOO_FAR)):
        bricks = context.simulate(label, pile(p, places), end=p.pile_end, dt=p.dt, integrator=METHODS[1])
        outcome[label] = way(bricks, 3)
    for label, share in (("stays", 0.49), ("tips", 0.51)):
        edge = context.simulate(label, stack(p, 2, share * p.size), end=p.edge_end, dt=p.dt)
        outcome[label] = float(np.abs(edge.angular_velocity("box 1")[-1]).max())
    yield outcome


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
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


def _moved(name: str) -> Callable[[Mapping[str, Any]], float]:
    return lambda outcome: float(outcome["moved"][name])


CLAIMS = [
    *(cd.Claim(f"largest way of a box, {name}", "none",
               _moved(name), kind="property", unit="m", tolerance=1e-10,
               origin="what stands stays where it is") for name in NAMES),
    cd.Claim("largest speed of a box", "none", lambda o: o["speed"], kind="property", unit="m/s", tolerance=1e-10,
             origin="what stands stays where it is"),
    cd.Claim("force under a box over the weight above it, largest difference from 1", "none",
             lambda o: float(np.abs(o["forces"] / o["weights"] - 1.0).max()), kind="closed form", tolerance=1e-8,
             origin="balance"),
    cd.Claim("force under the upper box", 39.24, lambda o: float(o["forces"][-1]), kind="closed form", unit="N",
             tolerance=1e-6, origin="ρ a³ g"),
    cd.Claim("points that carry the lowest box", 4.0, lambda o: float(o["points"][0]), kind="property", tolerance=0.1,
             origin="four corners, of which three would be enough"),
    cd.Claim("forces at the two corners nearer to the weight over those further away, upper box", 1.0 / 0.9,
             lambda o: o["lean"], kind="closed form", tolerance=1e-6,
             origin="moments about the middle of the common side, which is shorter by the shift of 0.05 of an edge"),
    cd.Claim("pyramid of ten boxes: largest way of a box", "none", lambda o: o["pyramid"], kind="property", unit="m",
             tolerance=1e-10, origin="what stands stays where it is"),
    cd.Claim("pyramid of ten boxes: force on the ground over the weight of a box", 10.0, lambda o: o["floor"],
             kind="closed form", tolerance=1e-6, origin="balance"),
    cd.Claim("bricks 0.24 and 0.49 of an edge over those below: largest way", "none", lambda o: o["leaning"],
             kind="closed form", unit="m", tolerance=1e-10, origin="the weight of the upper two is above what carries them"),
    cd.Claim("bricks 0.26 and 0.49 of an edge over those below: largest way", "they fall", lambda o: o["too far"],
             kind="closed form", unit="m", tolerance=1e-6, sense="above",
             origin="the weight of the upper two is beyond the edge"),
    cd.Claim("0.49 of a box over the edge: spin", "it stays", lambda o: o["stays"], kind="closed form", unit="rad/s",
             tolerance=1e-6, origin="its weight is above what carries it"),
    cd.Claim("0.51 of a box over the edge: spin", "it tips", lambda o: o["tips"], kind="closed form", unit="rad/s",
             tolerance=1e-3, sense="above", origin="its weight is beyond the edge"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
