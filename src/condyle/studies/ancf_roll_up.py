"""Rolling up a cable and a plate strip.

A clamped cable under the end moment 2π EI/L closes into a circle: wrongly with 3 elements, well with 6 and at high
order beyond. A strip of bicubic plate elements closes into a cylinder under the moment of its section.

Rolling up: a cable by a pure moment (Hewlett 2020, §5.4.1), and a plate strip by the same.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import condyle as cd

PARAMETERS = {
    "length": cd.Parameter(10.0, "length of the cable", "m"),
    "radius": cd.Parameter(0.1, "radius of its section (not published)", "m"),
    "young": cd.Parameter(2e14, "Young's modulus", "Pa"),
    "strip_length": cd.Parameter(1.0, "length of the strip", "m"),
    "strip_width": cd.Parameter(0.1, "width of the strip", "m"),
    "strip_thickness": cd.Parameter(0.01, "thickness of the strip", "m"),
    "strip_young": cd.Parameter(1e7, "Young's modulus of the strip", "Pa"),
    "strip_moment": cd.Parameter(0.523599, "moment on the strip, 2π EI/L of it", "N m"),
    "steps": cd.Parameter(20, "load steps"),
    "turn_time": cd.Parameter(10.0, "time of the turn under first-order steps (not published)", "s"),
    "turn_steps": cd.Parameter(500, "their number"),
}
QUICK = {"steps": 8, "turn_time": 1.0, "turn_steps": 100}
INPUTS = ("length", "radius", "young", "strip_thickness", "strip_moment")


def cable_model(p: cd.Parameters, elements: int) -> cd.Model:
    """A cable clamped on the left, bent by the moment 2π EI/L on the right."""
    section = cd.RoundSection(p.radius, cd.StVenantKirchhoff(young=p.young, density=7750.0))
    model = cd.Model("roll-up", dimension=2)
    cable = model.add(cd.Cable("cable", [(0.0, 0.0), (p.length, 0.0)], elements, section, points=9))
    model.add(cd.Tie("clamp", cable, "start", "ground"))
    model.add(cd.Moment("moment", "cable.end", 2.0 * np.pi * section.at(0.0).bending_z / p.length))
    return model


def turned_model(p: cd.Parameters, elements: int) -> cd.Model:
    """The same cable, the tangent of its end turned through a full circle; the load factor is the time of the turn."""
    section = cd.RoundSection(p.radius, cd.StVenantKirchhoff(young=p.young, density=7750.0))
    model = cd.Model("turned", dimension=2)
    cable = model.add(cd.Cable("cable", [(0.0, 0.0), (p.length, 0.0)], elements, section, points=9))
    model.add(cd.Tie("clamp", cable, "start", "ground"))
    grip = model.add(cd.Frame("grip", (p.length, 0.0), angle=cd.Table((0.0, 1.0), (0.0, 2.0 * np.pi))))
    model.add(cd.Rotation("turn", grip, cable.point("end"), direction_a=(0.0, 1.0), direction_b=(1.0, 0.0)))
    return model


def held_model(p: cd.Parameters, elements: int, curvature: str) -> cd.Model:
    """The cable with the gradient of its end held and turned at a constant rate, as the source does it.

    The end is tied to a light body, whose angle follows a frame; where it goes is free.
    """
    section = cd.RoundSection(p.radius, cd.StVenantKirchhoff(young=p.young, density=7750.0))
    model = cd.Model("held", dimension=2)
    cable = model.add(
        cd.Cable("cable", [(0.0, 0.0), (p.length, 0.0)], elements, section, points=9, curvature=curvature)
    )
    model.add(cd.Tie("clamp", cable, "start", "ground"))
    hand = model.add(cd.RigidBody("hand", 1.0, inertia=1.0, position=(p.length, 0.0)))
    model.add(cd.Tie("hold", cable, "end", hand))
    grip = model.add(cd.Frame("grip", (p.length, 0.0), angle=cd.Table((0.0, p.turn_time), (0.0, 2.0 * np.pi))))
    model.add(cd.Rotation("turn", grip, hand, direction_a=(0.0, 1.0), direction_b=(1.0, 0.0)))
    return model


def strip_model(p: cd.Parameters, elements: int) -> cd.Model:
    """A plate strip clamped on the left, bent into a cylinder by moments on the nodes of its right edge; ν = 0."""
    material = cd.StVenantKirchhoff(young=p.strip_young, density=1000.0)
    model = cd.Model("strip", dimension=3)
    plate = model.add(
        cd.Plate.rectangle("strip", (p.strip_length, p.strip_width), (elements, 1), material, p.strip_thickness)
    )
    model.add(cd.Tie("clamp", plate, "left", "ground"))
    for node in plate.sets["right"]:
        model.add(cd.Moment(f"moment {node}", plate.point(node), (0.0, -0.5 * p.strip_moment, 0.0)))
    return model


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """The torque that holds a full turn, and end points under the moment of a full circle, for several meshes."""
    strip = {}
    for n in (4, 8):
        result = cd.solve_static(strip_model(p, n), steps=p.steps)
        strip[n] = float(np.linalg.norm(result.position("strip.right")[-1] - (0.0, 0.5 * p.strip_width, 0.0)))
        strip[n] /= p.strip_length
    yield {"strip": strip}
    gap, shapes, torque, curves = {}, {}, {}, {}
    for n in (3, 4, 6, 10):
        model = turned_model(p, n)
        result = cd.solve_static(model, steps=2 * p.steps)
        curves[n] = np.abs(next(iter(result.multipliers("turn").values())))
        torque[n] = float(curves[n][-1])
        result = cd.solve_static(cable_model(p, n), steps=p.steps)
        s = np.linspace(0.0, p.length, 101)
        shapes[n] = np.array([result.position(model["cable"].at(v))[-1] for v in s])
        gap[n] = float(np.linalg.norm(shapes[n][-1]) / p.length)
    yield {"shapes": shapes, "gap": gap, "torque": torque, "curves": curves,
           "order": float(np.log(gap[6] / gap[10]) / np.log(10 / 6))}  # fmt: skip
    stepped = {}
    for curvature in ("material", "geometric"):
        for n in (3, 6, 10):
            result = cd.simulate(
                held_model(p, n, curvature), end=p.turn_time, dt=p.turn_time / p.turn_steps, integrator=cd.Compliant()
            )
            stepped[curvature, n] = float(np.abs(next(iter(result.multipliers("turn").values()))[-1]))
    yield {"stepped": stepped}


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """The rolled-up cables beside the circle."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(5.0, 4.6))
    ax = figure.subplots()
    a = np.linspace(0.0, 2.0 * np.pi, 200)
    r = p.length / (2.0 * np.pi)
    ax.plot(r * np.sin(a), r * (1.0 - np.cos(a)), color="0.6", linewidth=4.0, label="circle")
    for n, shape in outcome["shapes"].items():
        ax.plot(*shape.T, label=f"{n} elements")
    ax.set(xlabel="x (m)", ylabel="y (m)", aspect="equal")
    ax.legend(fontsize="small")
    return {"roll_up": figure}


SECTION = "Hewlett 2020, section 5.4.1"
TURN = 9.8696e9  # 2π EI/L of the cable [N m]


def _stepped_claims(curvature: str, words: str) -> list[cd.Claim]:
    """The torque under first-order steps, with the gradient of the end held."""
    return [
        cd.Claim(f"first-order steps, {words}: torque of a full turn with 6 elements", TURN,
                 lambda o: o["stepped"][curvature, 6], unit="N m", tolerance=0.01 * TURN,
                 kind="closed form", origin=f"2π EI/L; {SECTION}: matches it extremely well"),
        cd.Claim(f"first-order steps, {words}: torque with 10 elements", TURN, lambda o: o["stepped"][curvature, 10],
                 unit="N m", tolerance=0.004 * TURN, kind="closed form", origin="2π EI/L"),
        cd.Claim(f"first-order steps, {words}: error of the torque with 3 elements", "incorrect with 3 elements",
                 lambda o: abs(o["stepped"][curvature, 3] / TURN - 1.0), tolerance=0.1, sense="above",
                 kind="published", origin=f"{SECTION}, figure 5.3; the bound is ours"),
    ]  # fmt: skip


CLAIMS = [
    *_stepped_claims("material", "curvature of the line at rest"),
    *_stepped_claims("geometric", "curvature of the source"),
    cd.Claim("torque of a full turn with 6 elements", TURN, lambda o: o["torque"][6], unit="N m", tolerance=0.005 * TURN,
             kind="closed form", origin=f"2π EI/L, statics; {SECTION}: matches it extremely well"),
    cd.Claim("torque with 10 elements", TURN, lambda o: o["torque"][10], unit="N m", tolerance=5e-4 * TURN,
             kind="closed form", origin="2π EI/L, statics"),
    cd.Claim("error of the torque with 3 elements", "incorrect with 3 elements", lambda o: abs(o["torque"][3] / TURN - 1.0),
             tolerance=0.1, sense="above", kind="published", origin=f"{SECTION}, figure 5.3; the bound is ours"),
    cd.Claim("gap of the closed circle with 6 elements, over the length", "closes into a circle", lambda o: o["gap"][6],
             tolerance=0.01, kind="published", origin=f"{SECTION}, figure 5.2, read to ±1 %"),
    cd.Claim("gap with 10 elements, over the length", "closes", lambda o: o["gap"][10], tolerance=1e-3,
             kind="closed form", origin="a full circle"),
    cd.Claim("order of the gap between 6 and 10 elements", "at least 4", lambda o: o["order"], tolerance=4.0, sense="above",
             kind="property", origin="beyond the source"),
    cd.Claim("gap of a plate strip with 8 elements, over the length", "closes into a cylinder", lambda o: o["strip"][8],
             tolerance=0.02,
             kind="closed form", origin="a full circle: 2π EI/L bends a plate without Poisson's effect like a beam"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="hewlett-2020")
