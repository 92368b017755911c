"""Contact in small models: Hertz in space, patch test, stick and slip, rolling, large slip, a ball in a cup.

What contact has to get right beyond the sources: a sphere and an ellipsoid on a block against Hertz, an even pressure
to round-off, a block dragged with exact stick and slip, a disk that begins to roll on a soft layer, an elastic ring
pushed through a funnel of smooth walls, two beams across each other, and a ball that turns under load in a cup that
conforms to it. Numbers of Newton iterations are claimed with each.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

import condyle as cd

# --- Hertz in space -----------------------------------------------------------------------------------------------------


PARAMETERS = {
    "hertz_cells": cd.Parameter(12, "cells along each side of the quarter block"),
    "hertz_side": cd.Parameter(0.06, "side of the quarter block", "m"),
    "hertz_load": cd.Parameter(40.0, "load of the whole sphere or ellipsoid", "N"),
    "hertz_radius": cd.Parameter(0.05, "radius of the sphere", "m"),
    "young": cd.Parameter(1e7, "Young's modulus of the block", "Pa"),
    "poisson": cd.Parameter(0.3, "Poisson's ratio of the block"),
    "friction": cd.Parameter(0.3, "friction under the dragged block"),
    "drag_cells": cd.Parameter((20, 8), "cells of the dragged block"),
    "base_cells": cd.Parameter((24, 4), "cells of the soft base that a block is dragged over"),
    "layer_cells": cd.Parameter((120, 4), "cells of the soft layer"),
    "roll_time": cd.Parameter(0.3, "duration of the rolling", "s"),
    "ring_cells": cd.Parameter(48, "cells around the ring"),
    "push": cd.Parameter(4e4, "body force that pushes the ring", "N/m³"),
    "funnel_time": cd.Parameter(0.17, "duration of the way through the funnel", "s"),
    "funnel_dt": cd.Parameter(2e-3, "time step in the funnel", "s"),
    "beam_cells": cd.Parameter(12, "cells along each of the crossing beams"),
    "cup_cells": cd.Parameter((8, 3), "cells along a side of the cube inside the cup, and across"),
    "cup_friction": cd.Parameter(0.1, "friction in the cup"),
    "cup_steps": cd.Parameter(10, "load steps of pressing and turning"),
}  # fmt: skip
QUICK = {"hertz_cells": 5, "drag_cells": (10, 4), "base_cells": (12, 2), "layer_cells": (40, 2), "roll_time": 0.05,
         "ring_cells": 24, "funnel_time": 0.05, "funnel_dt": 4e-3, "cup_cells": (4, 2), "cup_steps": 6}  # fmt: skip
INPUTS = ("friction",)


def quarter_block(p: cd.Parameters, shape: cd.Surface, radius: float) -> cd.Model:
    """A quarter of a block, finer towards the contact at the origin, under a rigid body guided along z."""
    n = p.hertz_cells
    side = p.hertz_side

    def place(X: NDArray[np.float64]) -> NDArray[np.float64]:
        u = X.copy()
        u[:, :2] = X[:, :2] ** 1.6
        u[:, 2] = 1.0 - (1.0 - X[:, 2]) ** 1.6
        return np.column_stack((side * u[:, 0], side * u[:, 1], side * (u[:, 2] - 1.0)))

    m = cd.Model("Hertz in space", dimension=3)
    mesh = cd.Mesh.block((1.0, 1.0, 1.0), (n, n, n)).mapped(place)
    mesh.sets["x"] = np.setdiff1d(mesh.sets["left"], mesh.sets["back"])
    mesh.sets["y"] = np.setdiff1d(mesh.sets["bottom"], mesh.sets["back"])
    block = m.add(cd.Solid.from_mesh("block", mesh, cd.NeoHookean(p.young, p.poisson, 1.0)))
    m.add(cd.Tie("base", block, "back", m.ground))
    m.add(cd.Hold("symmetry x", block, "x", (1, 0, 0)))
    m.add(cd.Hold("symmetry y", block, "y", (0, 1, 0)))
    ball = m.add(cd.RigidBody("ball", 1.0, inertia=(1, 1, 1), position=(0, 0, radius)))
    m.add(cd.Prismatic("guide", m.ground, ball, axis=(0, 0, 1)))
    m.add(cd.Load("load", ball.at(0, 0, 0), (0, 0, -0.25 * p.hertz_load)))
    m.add(cd.Contact("contact", block, "front", ball, shape))
    return m


def hertz_pressure(p: cd.Parameters, r1: float, r2: float) -> tuple[float, float]:
    """Largest pressure [Pa] and ratio of the half axes of Hertz's ellipse for a rigid body of principal radii r1 ≤ r2 [m].

    With e² = 1 − (b/a)²: (r2/r1) = ((a/b)² E − K)/(K − E), and (A + B)/… from Johnson, Contact Mechanics, eqs. 4.23–4.27.
    """
    modulus = p.young / (1.0 - p.poisson**2)
    low, high = 1e-9, 1.0 - 1e-9
    for _ in range(200):
        e = 0.5 * (low + high)
        K, E = _elliptic(e)
        ratio = (E / (1.0 - e * e) - K) / (K - E)
        low, high = (e, high) if ratio < r2 / r1 else (low, e)
    b_over_a = math.sqrt(1.0 - e * e)
    K, E = _elliptic(e)
    # c³ = (ab)^{3/2} = (3 F Re / 4 E*) F1³ with F1³ = (4/π e²) (b/a)^{3/2} √([(a/b)² E − K][K − E])
    mean = math.sqrt(r1 * r2)
    f1 = 4.0 / (math.pi * e * e) * b_over_a**1.5 * math.sqrt((E / b_over_a**2 - K) * (K - E))
    c = (3.0 * p.hertz_load * mean / (4.0 * modulus) * f1) ** (1.0 / 3.0)
    return 1.5 * p.hertz_load / (math.pi * c * c), b_over_a


def _elliptic(e: float) -> tuple[float, float]:
    """Complete elliptic integrals K and E of the modulus e, by the arithmetic–geometric mean."""
    a, g, c, total, power = 1.0, math.sqrt(1.0 - e * e), e, 0.5 * e * e, 0.5
    for _ in range(40):
        a, g, c = 0.5 * (a + g), math.sqrt(a * g), 0.5 * (a - g)
        power *= 2.0
        total += power * c * c
    K = math.pi / (2.0 * a)
    return K, K * (1.0 - total)


def run_hertz(p: cd.Parameters) -> cd.Outcome:
    """A sphere, and an ellipsoid with radii of curvature R and 2.5 R at its tip."""
    out: cd.Outcome = {}
    R = p.hertz_radius
    modulus = p.young / (1.0 - p.poisson**2)
    exact = (6.0 * p.hertz_load * modulus**2 / (math.pi**3 * R**2)) ** (1.0 / 3.0)
    half_width = (0.75 * p.hertz_load * R / modulus) ** (1.0 / 3.0)
    result = cd.solve_static(quarter_block(p, cd.Sphere(R), R), steps=3)
    contact = result.contact("contact")
    out["sphere"] = float(contact.pressure[-1].max() / exact)
    out["sphere force"] = float(contact.resultant[-1, 2] / (-0.25 * p.hertz_load))
    radius = np.linalg.norm(contact.places[-1, :, :2], axis=1)
    out["profile"] = np.column_stack((radius / half_width, contact.pressure[-1] / exact))
    out["hertz iterations"] = int(result.iterations.max())
    # At the tip of an ellipsoid of half axes a, b, c the radii are a²/c and b²/c.
    shape = cd.Ellipsoid((R, math.sqrt(2.5) * R, R))
    result = cd.solve_static(quarter_block(p, shape, R), steps=3)
    contact = result.contact("contact")
    peak, ratio = hertz_pressure(p, R, 2.5 * R)
    out["ellipse"] = float(contact.pressure[-1].max() / peak)
    weight, places = contact.normal_force[-1], contact.places[-1]
    moments = [float(np.sum(weight * places[:, k] ** 2)) for k in (0, 1)]  # ∫ p x² = F a²/5
    out["ellipse ratio"] = math.sqrt(moments[0] / moments[1]) / ratio
    return out


# --- patch test ---------------------------------------------------------------------------------------------------------


def run_patch(p: cd.Parameters) -> cd.Outcome:
    """A block of distorted cells pressed evenly on a plane: the pressure is even."""
    out = {}
    for d in (2, 3):
        m = cd.Model("patch", dimension=d)
        mesh = cd.Mesh.block((1.0,) * d, (4,) * d)
        rng = np.random.default_rng(2)
        inner = (np.abs(mesh.nodes - 0.5).max(axis=1) < 0.49)[:, None]
        mesh.nodes = mesh.nodes + 0.05 * inner * rng.uniform(-1, 1, mesh.nodes.shape)
        block = m.add(cd.Solid.from_mesh("block", mesh, cd.NeoHookean(1e6, 0.3, 1.0)))
        up = np.eye(d)[1]
        for k, side in ((0, "left"), (2, "back")):
            if k < d:
                m.add(cd.Hold(side, block, side, np.eye(d)[k]))
        m.add(cd.Traction("load", block, "top", tuple(-2e4 * up)))
        m.add(cd.Contact("table", block, "bottom", m.ground, cd.Plane(up)))
        pressure = cd.solve_static(m, steps=1).contact("table").pressure[-1]
        out[f"patch {d}D"] = float(np.abs(pressure / 2e4 - 1.0).max())
    return out


def run_mortar(p: cd.Parameters) -> cd.Outcome:
    """Two blocks whose meshes do not match, one pressed evenly on the other, with gaps held in the mean."""
    out = {}
    for d in (2, 3):
        m = cd.Model("two blocks", dimension=d)
        law = cd.NeoHookean(1e6, 0.3, 1.0)
        low = m.add(cd.Solid.block("low", (1.0,) * d, (3,) * d, law))
        high = m.add(cd.Solid.block("high", (1.0,) * d, (2,) * d, law, origin=(0.0, 1.0, 0.0)[:d]))
        for body in (low, high):
            for k, side in ((0, "left"), (2, "back"))[: d - 1]:
                m.add(cd.Hold(f"{side} of {body.name}", body, side, np.eye(d)[k]))
        m.add(cd.Hold("base", low, "bottom", np.eye(d)[1]))
        m.add(cd.Traction("load", high, "top", tuple(-5e4 * np.eye(d)[1])))
        m.add(cd.Contact("joint", high, "bottom", low, "top", points="mortar"))
        pressure = cd.solve_static(m, steps=1).contact("joint").pressure[-1]
        out[f"mortar {d}D"] = float(np.abs(pressure / 5e4 - 1.0).max())
    return out


# --- stick and slip -----------------------------------------------------------------------------------------------------


def run_drag(p: cd.Parameters) -> cd.Outcome:
    """A soft block pressed on a plane and dragged over it, by multipliers."""
    m = cd.Model("drag", dimension=2)
    block = m.add(cd.Solid.block("block", (0.1, 0.04), p.drag_cells, cd.NeoHookean(1e6, 0.3, 1000.0), thickness=0.02))
    along, down = cd.Table((0, 0.2, 1), (0, 0, 4e-3)), cd.Table((0, 0.2, 1), (0, -1e-3, -1e-3))
    m.add(cd.Tie("glue", block, "top", m.add(cd.Frame("top", shift=(along, down)))))
    m.add(cd.Contact("floor", block, "bottom", m.ground, cd.Plane((0, 1)), friction=p.friction))
    result = cd.solve_static(m, steps=20)
    floor = result.contact("floor")
    press, drag = floor.resultant[:, 1], -floor.resultant[:, 0]
    moving = np.linalg.norm(np.diff(floor.places, axis=0), axis=2)[:, :] > 1e-9
    held = floor.active[1:] & ~moving
    cone = np.linalg.norm(floor.friction_force, axis=2) - p.friction * floor.normal_force
    return {
        "drag force": float(drag[-1] / press[-1]),
        "drag": drag / (p.friction * np.maximum(press, 1e-300)),
        "cone": float(cone.max() / floor.normal_force.max()),
        "stuck at first": int(held[4].sum()),
        "stuck at the end": int(held[-1].sum()),
        "drag iterations": int(result.iterations.max()),
    }


def run_rub(p: cd.Parameters) -> cd.Outcome:
    """A soft block pressed on a soft base and dragged over its facets."""
    m = cd.Model("rub", dimension=2)
    law = cd.NeoHookean(1e6, 0.3, 1000.0)
    base = m.add(cd.Solid.block("base", (0.4, 0.1), p.base_cells, law, thickness=0.02))
    block = m.add(cd.Solid.block("block", (0.1, 0.05), (4, 2), law, origin=(0.1, 0.1), thickness=0.02))
    m.add(cd.Tie("glue", base, "bottom", m.ground))
    along, down = cd.Table((0, 0.25, 1), (0, 0, 0.05)), cd.Table((0, 0.25, 1), (0, -2e-3, -2e-3))
    m.add(cd.Tie("grip", block, "top", m.add(cd.Frame("jaw", shift=(along, down)))))
    m.add(cd.Contact("joint", block, "bottom", base, "top", friction=p.friction))
    result = cd.solve_static(m, steps=12)
    joint = result.contact("joint")
    cone = np.linalg.norm(joint.friction_force, axis=2) - p.friction * joint.normal_force
    drag = -joint.resultant[4:, 0] / joint.normal_force[4:].sum(axis=1) / p.friction
    return {
        "rub force": float(np.abs(drag - 1.0).max()),
        "rub cone": float(cone.max() / joint.normal_force.max()),
        "rub iterations": int(result.iterations.max()),
    }


# --- rolling ------------------------------------------------------------------------------------------------------------


def run_roll(p: cd.Parameters) -> cd.Outcome:
    """A disk that rolls on a soft layer: it starts sliding without spin and ends rolling."""
    R = 0.1
    m = cd.Model("rolling", dimension=2, gravity=(0, -9.81))
    mesh = cd.Mesh.block((0.6, 0.03), p.layer_cells, origin=(-0.1, -0.03))
    layer = m.add(cd.Solid.from_mesh("layer", mesh, cd.NeoHookean(2e5, 0.3, 1000.0), thickness=0.05))
    m.add(cd.Tie("base", layer, "bottom", m.ground))
    disk = m.add(cd.RigidBody("disk", 2.0, inertia=0.5 * 2.0 * R**2, position=(0.0, R), velocity=(0.8, 0.0)))
    m.add(cd.Contact("contact", layer, "top", disk, cd.Sphere(R), friction=0.5))
    result = cd.simulate(m, end=p.roll_time, dt=2e-3, integrator=cd.GeneralizedAlpha(spectral_radius=0.6))
    v, spin = result.velocity("disk")[:, 0], result.angular_velocity("disk")
    energy = result.energy["total"]
    return {
        "rolling": float(-spin[-1] * R / v[-1]),
        "rolling speed": float(v[-1] / 0.8),
        "roll times": result.times, "roll v": v, "roll spin": -spin * R,
        "roll gain": float(energy.max() - energy[0]) / 0.64,
        "roll iterations": int(result.iterations.max()),
    }  # fmt: skip


# --- a ring through a funnel --------------------------------------------------------------------------------------------


def run_funnel(p: cd.Parameters) -> cd.Outcome:
    """An elastic ring pushed through a funnel that is narrower than it: slip over many facets of smooth walls."""
    m = cd.Model("funnel", dimension=2)
    mesh = cd.Mesh.annulus(0.08, 0.1, (2, p.ring_cells))
    ring = m.add(cd.Solid.from_mesh("ring", mesh, cd.NeoHookean(1e6, 0.3, 1000.0), velocity=(0.0, 0.0)))
    y = np.linspace(0.35, -0.75, 45)
    width = 0.115 - 0.03 * 0.5 * (1.0 + np.tanh((-0.25 - y) / 0.08))
    # The material is on the left of each wall: the right one runs down, the left one up.
    right = cd.HermiteCurve(np.column_stack((width, y))[::1], 0.5, closed=False)
    left = cd.HermiteCurve(np.column_stack((-width, y))[::-1], 0.5, closed=False)
    m.add(cd.Contact("right", ring, "outer", m.ground, right, friction=0.05))
    m.add(cd.Contact("left", ring, "outer", m.ground, left, friction=0.05))
    m.add(cd.BodyForce("push", ring, (0.0, -p.push)))
    damped = cd.Newmark(beta=0.3025, gamma=0.6)
    result = cd.simulate(m, end=p.funnel_time, dt=p.funnel_dt, integrator=damped)
    places = result.contact("right").places
    gap = min(float(result.contact(side).gap.min()) for side in ("left", "right"))
    middle = places.mean(axis=1)
    return {
        "funnel end": float(middle[-1, 1]),
        "funnel sideways": float(np.abs(middle[:, 0]).max()),
        "funnel width": float(np.ptp(places[-1, :, 0])),
        "funnel gap": gap,
        "funnel slip": float(result.contact("right").slip[-1].max()),
        "funnel iterations": int(result.iterations.max()),
    }


# --- crossing beams -----------------------------------------------------------------------------------------------------


def run_beams(p: cd.Parameters) -> cd.Outcome:
    """Two soft beams across each other: the ends of the upper one are pushed down, those of the lower one are fixed."""
    n, w, L, push = p.beam_cells, 0.1, 1.0, 0.05
    m = cd.Model("crossing beams", dimension=3)
    law = cd.NeoHookean(1e7, 0.3, 1000.0)
    lower = m.add(cd.Solid.block("lower", (w, w, L), (2, 2, n), law, origin=(-w / 2, -w, -L / 2)))
    upper = m.add(cd.Solid.block("upper", (L, w, w), (n, 2, 2), law, origin=(-L / 2, 0.0, -w / 2)))
    for end in ("back", "front"):
        m.add(cd.Tie(end, lower, end, m.ground))
    jaw = m.add(cd.Frame("jaw", shift=(0.0, cd.Table((0, 1), (0, -push)), 0.0)))
    for end in ("left", "right"):
        m.add(cd.Tie(end, upper, end, jaw))
    m.add(cd.Contact("crossing", upper, "bottom", lower, "top", law="penalty", points="integration"))
    result = cd.solve_static(m, steps=5)
    contact = result.contact("crossing")
    return {
        "beam deflection": float(result.displacement(cd.Point("upper", (0.0, 0.0, 0.0)))[-1, 1] / (-0.5 * push)),
        "beam sideways": float(np.abs(contact.resultant[-1, [0, 2]]).max() / contact.resultant[-1, 1]),
        "beam iterations": int(result.iterations.max()),
        "beam cuts": int(np.sum(result.cuts)),
    }


# --- a ball in a cup ----------------------------------------------------------------------------------------------------


def run_cup(p: cd.Parameters) -> cd.Outcome:
    """A ball pressed into a cup that conforms to it, then turned about a horizontal axis under its load."""
    R, outer = 0.014, 0.022
    m = cd.Model("cup", dimension=3)
    mesh = cd.Mesh.cup(R + 5e-5, outer, p.cup_cells)
    cup = m.add(cd.Solid.from_mesh("cup", mesh, cd.Robust(1e9, 0.4, 940.0)))
    m.add(cd.Tie("shell", cup, "outer", m.ground))
    down, turn = cd.Table((0, 0.4, 1), (0, -2e-4, -2e-4)), cd.Table((0, 0.4, 1), (0, 0, 0.5))
    ball = m.add(cd.Frame("ball", shift=(0.0, 0.0, down), angle=turn, axis=(1, 0, 0)))
    m.add(cd.Contact("joint", cup, "inner", ball, cd.Sphere(R), friction=p.cup_friction))
    result = cd.solve_static(m, steps=p.cup_steps)
    joint = result.contact("joint")
    torque = np.cross(joint.places[-1] - result.position("ball")[-1], -joint.force[-1]).sum(axis=0)
    load = float(-joint.resultant[-1, 2])
    path = joint.slip[-1].max() / (R * 0.5)
    return {
        "cup torque": float(-torque[0] / (p.cup_friction * joint.normal_force[-1].sum() * R)),
        "cup load": load,
        "cup active": int(joint.active[-1].sum()),
        "cup slip": float(path),
        "cup wear": float(joint.wear(1e-15)[-1].max()),
        "cup iterations": int(result.iterations.max()),
    }


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """All of them."""
    for part in (run_drag, run_rub, run_hertz, run_patch, run_mortar, run_roll, run_funnel, run_beams, run_cup):
        yield part(p)


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Hertz's pressure under the sphere, the drag over the load factor, and the disk that begins to roll."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.5, 3.2), layout="constrained")
    one, two, three = figure.subplots(1, 3)
    s = np.linspace(0.0, 1.0, 100)
    one.plot(s, np.sqrt(1.0 - s * s), color="0.6")
    one.plot(*outcome["profile"].T, ".", markersize=4)
    one.set(xlabel="radius / a", ylabel="pressure / p0", xlim=(0.0, 1.5), title="sphere on a block")
    two.plot(np.linspace(0.0, 1.0, len(outcome["drag"])), outcome["drag"])
    two.set(xlabel="load factor", ylabel="drag / (μ pressing force)", title="stick and slip")
    three.plot(outcome["roll times"], outcome["roll v"], label="v")
    three.plot(outcome["roll times"], outcome["roll spin"], label="ω R")
    three.legend()
    three.set(xlabel="time (s)", ylabel="speed (m/s)", title="rolling on a soft layer")
    return {"contact": figure}


CLAIMS = [
    cd.Claim("sphere on a block: largest pressure over Hertz's", 1.0, lambda o: o["sphere"], tolerance=0.05,
             kind="closed form",
             origin="Hertz; the block is finite and its cells are a fifth of the half width", full_only=True),
    cd.Claim("ellipsoid on a block: largest pressure over Hertz's", 1.0, lambda o: o["ellipse"], tolerance=0.08,
             kind="closed form", origin="Hertz, with elliptic integrals", full_only=True),
    cd.Claim("ellipsoid on a block: ratio of the half axes over Hertz's", 1.0, lambda o: o["ellipse ratio"], tolerance=0.08,
             kind="closed form", origin="Hertz, with elliptic integrals", full_only=True),
    cd.Claim("Hertz in space: iterations of a load step", "few", lambda o: float(o["hertz iterations"]), tolerance=10,
             kind="property", origin="contact decided within Newton's method"),
    cd.Claim("patch test in the plane: largest error of the pressure", "none", lambda o: o["patch 2D"], tolerance=1e-10,
             kind="closed form", origin="even pressure on a plane"),
    cd.Claim("patch test in space: largest error of the pressure", "none", lambda o: o["patch 3D"], tolerance=1e-10,
             kind="closed form", origin="even pressure on a plane"),
    cd.Claim("patch test of two meshes that do not match, in the plane: largest error of the pressure", "none",
             lambda o: o["mortar 2D"], tolerance=1e-10, kind="closed form", origin="even pressure; gaps are held in the mean"),
    cd.Claim("patch test of two meshes that do not match, in space: largest error of the pressure", "none",
             lambda o: o["mortar 3D"], tolerance=1e-10, kind="closed form", origin="even pressure; gaps are held in the mean"),
    cd.Claim("dragged block: force at the end over the pressing force", 0.3, lambda o: o["drag force"],
             tolerance=1e-9, kind="closed form", origin="Coulomb, all points slip"),
    cd.Claim("dragged block: largest violation of the friction cone", "none", lambda o: o["cone"], tolerance=1e-12,
             kind="property", origin="return mapping is exact"),
    cd.Claim("dragged block: points that stick as it is pressed", "most", lambda o: float(o["stuck at first"]), tolerance=2,
             sense="above", kind="property", origin="they do not move at all"),
    cd.Claim("dragged block: points that stick at the end", "none", lambda o: float(o["stuck at the end"]), tolerance=0,
             kind="property", origin="full slip"),
    cd.Claim("dragged block: iterations of a load step", "few", lambda o: float(o["drag iterations"]), tolerance=8,
             kind="property", origin="contact decided within Newton's method"),
    cd.Claim("block dragged over a soft base: drag over μ times the pressing force, largest difference from 1", "small",
             lambda o: o["rub force"], tolerance=0.015, kind="closed form", origin="Coulomb; facets lie a little askew"),
    cd.Claim("block dragged over a soft base: largest violation of the friction cone", "none", lambda o: o["rub cone"],
             tolerance=1e-12, kind="property", origin="return mapping is exact"),
    cd.Claim("block dragged over a soft base: iterations of a load step", "few", lambda o: float(o["rub iterations"]),
             tolerance=8, kind="property", origin="contact decided within Newton's method"),
    cd.Claim("disk on a soft layer: speed at the end over the first", 2.0 / 3.0, lambda o: o["rolling speed"],
             tolerance=0.04, kind="closed form", origin="rigid disk: sliding friction ends in rolling at 2/3", full_only=True),
    cd.Claim("disk on a soft layer: ω R / v at the end", 1.0, lambda o: o["rolling"], tolerance=0.06,
             kind="closed form", origin="rolling, but for the creep of the layer", full_only=True),
    cd.Claim("disk on a soft layer: gain of energy over the first", "none", lambda o: o["roll gain"], tolerance=1e-9,
             kind="property", origin="contact must not pump energy"),
    cd.Claim("disk on a soft layer: iterations of a step", "few", lambda o: float(o["roll iterations"]), tolerance=8,
             kind="property", origin="contact decided within Newton's method"),
    cd.Claim("ring through a funnel: sideways drift of its middle", "none, by symmetry", lambda o: o["funnel sideways"],
             unit="m", tolerance=1e-6, kind="property", origin="symmetry"),
    cd.Claim("ring through a funnel: deepest penetration", "none", lambda o: -o["funnel gap"], unit="m", tolerance=1e-9,
             kind="property", origin="multipliers"),
    cd.Claim("ring through a funnel: height of its middle at the end", "in the neck", lambda o: o["funnel end"], unit="m",
             tolerance=-0.4, kind="property", origin="pushed through", full_only=True),
    cd.Claim("ring through a funnel: its width at the end", 0.17, lambda o: o["funnel width"], unit="m", tolerance=1e-3,
             kind="closed form", origin="twice the half width of the neck", full_only=True),
    cd.Claim("ring through a funnel: longest way of a point along the wall, in facets of 25 mm", "many",
             lambda o: o["funnel slip"] / 0.025, tolerance=4.0, sense="above",
             kind="property", origin="large slip", full_only=True),
    cd.Claim("ring through a funnel: iterations of a step", "few", lambda o: float(o["funnel iterations"]), tolerance=10,
             kind="property", origin="contact decided within Newton's method"),
    cd.Claim("crossing beams: deflection where they meet over half of the push", 1.0, lambda o: o["beam deflection"],
             tolerance=0.05, kind="closed form", origin="both beams are the same"),
    cd.Claim("crossing beams: sideways over pressing force", "none", lambda o: o["beam sideways"], tolerance=1e-9,
             kind="property", origin="symmetry"),
    cd.Claim("crossing beams: load steps that had to be cut", "none", lambda o: float(o["beam cuts"]), tolerance=0,
             kind="property", origin="contact decided within Newton's method"),
    cd.Claim("crossing beams: iterations of a load step", "few", lambda o: float(o["beam iterations"]), tolerance=15,
             kind="property", origin="contact decided within Newton's method"),
    cd.Claim("ball in a cup: friction moment over μ N R", (0.6, 1.0), lambda o: o["cup torque"],
             kind="closed form", origin="bound; reached if all pressure were at the equator of the turn"),
    cd.Claim("ball in a cup: longest slip over the arc of the turn", 1.0, lambda o: o["cup slip"], tolerance=0.1,
             kind="closed form", origin="kinematics"),
    cd.Claim("ball in a cup: iterations of a load step", "few", lambda o: float(o["cup iterations"]), tolerance=8,
             kind="property", origin="contact decided within Newton's method"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
