"""A total knee replacement in loaded flexion: pressure on its polyethylene insert.

A rigid femoral component has two condyles, ellipsoids whose radius from front to back falls from 30 to 21 mm over 90° of
flexion. They press on two dished plateaus of polyethylene that are bonded below, once as solids and once as an elastic
foundation. Flexion is driven. A force that rises with flexion presses the component down, and a soft spring holds it back. It
finds its height, place and tilt from one equilibrium to the next. Sizes, load and spring are assumed, of the order of those of
knee simulators; the plastic is linear and there is no friction. The results are checked against Hertz, the closed form of a
foundation, a body of revolution, the path of rigid condyles, and the share that a varus moment shifts.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd

MM, MPA = 1e-3, 1e6
GRAVITY = 9.81
INSERTS = ("solid", "foundation")
SIDES = {"medial": -1.0, "lateral": 1.0}  # Axes: x forward, y outwards, z up.
LOAD = ((0.0, 1000.0), (15.0, 1500.0), (45.0, 2200.0), (90.0, 2600.0))  # flexion [°], force [N]; assumed

PARAMETERS = {
    "front_radius": cd.Parameter(27 * MM, "half axis of the condyles forward and sideways", "m"),
    "low_radius": cd.Parameter(24 * MM, "half axis of the condyles downwards", "m"),
    "dish": cd.Parameter(40 * MM, "radius of the plateaus", "m"),
    "spacing": cd.Parameter(46 * MM, "distance of the condyles", "m"),
    "length": cd.Parameter(30 * MM, "of a plateau, front to back", "m"),
    "width": cd.Parameter(26 * MM, "of a plateau, sideways", "m"),
    "thickness": cd.Parameter(8 * MM, "of the insert where it is thinnest", "m"),
    "young": cd.Parameter(700e6, "Young's modulus of the polyethylene", "Pa"),
    "poisson": cd.Parameter(0.46, "its Poisson's ratio"),
    "density": cd.Parameter(940.0, "its density", "kg/m³"),
    "mass": cd.Parameter(0.4, "of the femoral component", "kg"),
    "restraint": cd.Parameter(30e3, "stiffness of the spring that holds the component front to back", "N/m"),
    "varus": cd.Parameter(10.0, "moment that presses the medial side, in the check of the share", "N m"),
    "flexion": cd.Parameter(90.0, "at the end", "°"),
    "instants": cd.Parameter(9, "steps of the flexion"),
    "cells": cd.Parameter((16, 14, 6), "of a plateau as a solid: along, across, through"),
    "coarse_cells": cd.Parameter((12, 10, 4), "the same, coarse"),
    "facets": cd.Parameter((56, 48), "of a plateau as a foundation: along, across"),
    "turned_cells": cd.Parameter((40, 20), "of the body of revolution: outwards, through"),
    "thin": cd.Parameter(0.05 * MM, "thickness of the layer that is compared with a foundation", "m"),
    "thin_force": cd.Parameter(30.0, "force on it", "N"),
    "hertz_force": cd.Parameter(2.0, "force of the comparison with Hertz", "N"),
    "hertz_depth": cd.Parameter(40 * MM, "thickness and radius of the deep block of that comparison", "m"),
}  # fmt: skip
QUICK = {"cells": (10, 8, 3), "coarse_cells": (8, 6, 3), "facets": (32, 28), "turned_cells": (28, 12)}
INPUTS = ("front_radius", "low_radius", "dish", "thickness", "young", "poisson", "spacing", "varus")


def load_at(flexion: NDArray[np.float64]) -> NDArray[np.float64]:
    """Force on the component [N] at a flexion [°]."""
    return np.interp(flexion, *np.transpose(LOAD))


def rise(p: cd.Parameters, x: NDArray[np.float64], y: NDArray[np.float64] | float) -> NDArray[np.float64]:
    """Height of a plateau above its lowest point [m]."""
    return p.dish - np.sqrt(p.dish**2 - x * x - y * y)


def layer(p: cd.Parameters) -> cd.Foundation:
    """The insert as a foundation."""
    return cd.Foundation(p.thickness, p.young, p.poisson)


# --- the model ----------------------------------------------------------------------------------------------------------


def plateau_mesh(p: cd.Parameters, cells: tuple[int, int, int], side: float) -> cd.Mesh:
    """A plateau of bricks, finer in its middle; its lowest point is at height 0."""
    block = cd.Mesh.block((2.0, 2.0, 1.0), cells, origin=(-1.0, -1.0, -1.0))

    def shaped(X: NDArray[np.float64]) -> NDArray[np.float64]:
        u = X[:, :2] * (0.65 + 0.35 * X[:, :2] ** 2)
        x, y = 0.5 * p.length * u[:, 0], 0.5 * p.width * u[:, 1]
        return np.column_stack((x, y + 0.5 * side * p.spacing, p.thickness * X[:, 2] + (1.0 + X[:, 2]) * rise(p, x, y)))

    return block.mapped(shaped)


def plateau_facets(p: cd.Parameters, side: float) -> cd.FacetSurface:
    """The same surface as facets that point up, over as much of it as a condyle can reach."""
    n, k = p.facets
    x, y = np.meshgrid(np.linspace(-0.3, 0.3, n + 1) * p.length, np.linspace(-0.3, 0.3, k + 1) * p.width, indexing="ij")
    first = (np.arange(n)[:, None] * (k + 1) + np.arange(k)).ravel()
    nodes = np.column_stack((x.ravel(), y.ravel() + 0.5 * side * p.spacing, rise(p, x, y).ravel()))
    return cd.FacetSurface(nodes, np.column_stack((first, first + k + 1, first + k + 2, first + 1)))


def model(
    p: cd.Parameters,
    insert: str,
    flexion: NDArray[np.float64],
    force: NDArray[np.float64],
    moment: float = 0.0,
    cells: tuple[int, int, int] | None = None,
) -> cd.Model:
    """The replacement with its insert as 'solid' or 'foundation'; flexion [°] and force [N] at equal times from 0 to 1 s."""
    m = cd.Model(f"knee replacement, {insert}", gravity=(0.0, 0.0, -GRAVITY))
    # It starts a little deeper than it touches: on two points it could not stand.
    place = (0.0, 0.0, p.low_radius - 0.05 * MM)
    femur = m.add(cd.RigidBody("femoral component", p.mass, inertia=(1e-4, 1e-4, 1e-4), position=place))
    # Cardan angles: varus about the axis forward, turn about the long axis, flexion about the component's own axis.
    axes = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])
    m.add(cd.CustomJoint("knee", m.ground, femur, at=place, axes=axes, functions={"z": 0.0, "angle 2": 0.0}))
    times = tuple(np.linspace(0.0, 1.0, len(flexion)).tolist())
    m.add(cd.Drive("flexion", "knee.angle 3", motion=cd.Table(times, tuple((-np.radians(flexion)).tolist()))))
    m.add(cd.CoordinateSpring("restraint", "knee.x", p.restraint))
    m.add(cd.Load("load", femur.at(0, 0, 0), (0.0, 0.0, -1.0), cd.Table(times, tuple(np.asarray(force).tolist()))))
    if moment:
        m.add(cd.Torque("varus", femur, (moment, 0.0, 0.0)))
    for name, side in SIDES.items():
        condyle = cd.Ellipsoid(
            (p.front_radius, p.front_radius, p.low_radius), centre=(0.0, 0.5 * side * p.spacing, 0.0)
        )
        if insert == "foundation":
            m.add(cd.Contact(name, m.ground, plateau_facets(p, side), femur, condyle, law=layer(p), overlap="resolve"))
            continue
        plastic = cd.Robust(p.young, p.poisson, p.density)
        solid = m.add(cd.Solid.from_mesh(f"{name} plateau", plateau_mesh(p, cells or p.cells, side), plastic))
        m.add(cd.Tie(f"{name} tray", solid, "back", m.ground))
        m.add(cd.Contact(name, solid, "front", femur, condyle))
    return m


def flexed(p: cd.Parameters, context: cd.Context, insert: str) -> cd.Outcome:
    """A loaded flexion in steps from balance to balance; contact of each condyle over it."""
    flexion = np.linspace(0.0, p.flexion, p.instants + 1)
    m = model(p, insert, flexion, load_at(flexion))
    result = context.simulate(insert, m, end=1.0, dt=1.0 / p.instants, integrator=cd.QuasiStatic())
    return {"flexion": flexion, "force": load_at(flexion)} | {name: read(result.contact(name)) for name in SIDES}


def read(contact: Any) -> cd.Outcome:
    """Contact of a condyle: force on the component [N], largest pressure [Pa], area [m²], centre, pressures at the end."""
    up = -contact.resultant if contact.resultant[-1, 2] < 0.0 else contact.resultant
    return {
        "up": up[:, 2], "peak": contact.pressure.max(axis=1), "area": contact.area, "centre": contact.centre_of_pressure,
        "places": contact.places[-1], "pressure": contact.pressure[-1],
    }  # fmt: skip


def standing(
    p: cd.Parameters, insert: str, moment: float = 0.0, cells: tuple[int, int, int] | None = None
) -> cd.Outcome:
    """The straight knee under the largest force."""
    force = LOAD[-1][1]
    result = cd.solve_static(model(p, insert, np.zeros(2), np.full(2, force), moment, cells), steps=2)
    return {name: read(result.contact(name)) for name in SIDES}


def turned(p: cd.Parameters, radius: float, depth: float, force: float, grading: float) -> float:
    """Largest pressure of a straight condyle on a plateau as a body of revolution, finer towards the axis and the top."""
    m = cd.Model("plateau of revolution", dimension=2)

    def shaped(X: NDArray[np.float64]) -> NDArray[np.float64]:
        r, down = radius * X[:, 0].clip(0.0) ** grading, (1.0 - X[:, 1]).clip(0.0) ** grading
        return np.column_stack((r, -depth * down + (1.0 - down) * rise(p, np.minimum(r, 0.7 * p.dish), 0.0)))

    mesh = cd.Mesh.block((1.0, 1.0), p.turned_cells).mapped(shaped)
    solid = m.add(cd.Solid.from_mesh("plateau", mesh, cd.Robust(p.young, p.poisson, p.density), plane="axisymmetric"))
    m.add(cd.Tie("tray", solid, "bottom", m.ground))
    m.add(cd.Hold("axis", solid, np.setdiff1d(mesh.sets["left"], mesh.sets["bottom"]), (1, 0)))
    femur = m.add(cd.RigidBody("condyle", 0.1, inertia=1e-5, position=(0.0, p.low_radius - 1e-3 * MM)))
    m.add(cd.Slider("guide", m.ground, femur, axis=(0, 1)))
    m.add(cd.Load("force", femur.at(0, 0), (0.0, -force)))
    m.add(cd.Contact("joint", solid, "top", femur, cd.Ellipsoid((p.front_radius, p.low_radius))))
    return float(cd.solve_static(m, steps=4).contact("joint").pressure[-1].max())


# --- closed forms -------------------------------------------------------------------------------------------------------


def rigid_path(p: cd.Parameters, flexion: NDArray[np.float64], force: NDArray[np.float64]) -> cd.Outcome:
    """Rigid condyles without friction: place of the contact [m], force of a condyle [N], principal curvatures [1/m] (n, 2).

    The normal leans by ψ; the force along it balances load and spring, F tan ψ = −k x, where x is the place of the
    component: the contact's on the dish less its distance from the centre of the ellipse.
    """
    a2, b2 = p.front_radius**2, p.low_radius**2
    turn, lean = np.radians(flexion), np.zeros(len(flexion))

    def support(lean: NDArray[np.float64]) -> tuple[Any, Any]:
        down = lean - turn  # direction of the contact, in the component
        h = np.sqrt(a2 * np.sin(down) ** 2 + b2 * np.cos(down) ** 2)
        slope = (a2 - b2) * np.sin(down) * np.cos(down) / h
        return h, h * np.sin(lean) + slope * np.cos(lean)

    low, high = np.full(len(flexion), -0.5), np.full(len(flexion), 0.5)
    for _ in range(60):
        lean = 0.5 * (low + high)
        x = p.dish * np.sin(lean) - support(lean)[1]
        above = force * np.tan(lean) + p.restraint * x > 0.0
        low, high = np.where(above, low, lean), np.where(above, lean, high)
    h = support(lean)[0]
    curvatures = np.column_stack((h**3 / (a2 * b2), h / a2)) - 1.0 / p.dish
    return {"centre": p.dish * np.sin(lean), "force": 0.5 * force / np.cos(lean), "curvatures": curvatures}


def foundation_pressure(p: cd.Parameters, path: cd.Outcome) -> NDArray[np.float64]:
    """Largest pressure of a condyle on a foundation [Pa]: √(K F √(κ₁ κ₂)/π), K the modulus of the layer over its thickness."""
    K = layer(p).modulus / p.thickness
    return np.sqrt(K * path["force"] * np.sqrt(path["curvatures"].prod(axis=1)) / np.pi)


def hertz_pressure(p: cd.Parameters, curvature: float, force: float) -> float:
    """Largest pressure of a round rigid condyle on a deep solid [Pa] (Hertz)."""
    a = (0.75 * force * (1.0 - p.poisson**2) / (p.young * curvature)) ** (1.0 / 3.0)
    return float(1.5 * force / (np.pi * a * a))


# --- the run ------------------------------------------------------------------------------------------------------------


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """The foundation, its share under a varus moment, the solid, meshes, closed forms."""
    weight = p.mass * GRAVITY
    out: cd.Outcome = {"p": p, "foundation": flexed(p, context, "foundation")}
    o = out["foundation"]
    out["path"] = rigid_path(p, o["flexion"], o["force"] + weight)
    out["closed"] = foundation_pressure(p, out["path"])
    out["varus"] = {
        "foundation": standing(p, "foundation", p.varus),
        "solid": standing(p, "solid", p.varus, p.coarse_cells),
    }
    yield out
    most = 0.5 * (LOAD[-1][1] + weight)
    curvature = float(out["path"]["curvatures"][0, 0])
    thin = np.sqrt(layer(p).modulus / p.thin * p.thin_force * curvature / np.pi)
    yield {
        "straight": {
            "foundation": standing(p, "foundation"), "solid": standing(p, "solid"),
            "coarse": standing(p, "solid", cells=p.coarse_cells),
            "turned": turned(p, 0.5 * np.sqrt(p.length * p.width), p.thickness, most, 1.5),
            "hertz": hertz_pressure(p, curvature, most),
        },
        "deep": turned(p, p.hertz_depth, p.hertz_depth, p.hertz_force, 2.0) / hertz_pressure(p, curvature, p.hertz_force),
        "thin": turned(p, 30.0 * p.thin, p.thin, p.thin_force, 1.0) / thin,
    }  # fmt: skip
    out = {"solid": flexed(p, context, "solid")}
    if context.out is not None:
        context.out.mkdir(parents=True, exist_ok=True)
        path = context.out / "knee_replacement.csv"
        path.write_text(table(out["solid"], o), encoding="utf-8")
        context.files.append(path)
    yield out


def table(solid: cd.Outcome, foundation: cd.Outcome) -> str:
    """Both inserts and condyles over flexion, one line each."""
    lines = [
        "insert,condyle,flexion (°),load (N),contact force (N),largest pressure (MPa),area (mm²),centre forward (mm)"
    ]
    for insert, o in (("solid", solid), ("foundation", foundation)):
        for name in SIDES:
            c = o[name]
            rows = zip(
                o["flexion"],
                o["force"],
                c["up"],
                c["peak"] / MPA,
                c["area"] / MM**2,
                c["centre"][:, 0] / MM,
                strict=True,
            )
            lines += [f"{insert},{name}," + ",".join(f"{v:.5g}" for v in row) for row in rows]
    return "\n".join(lines) + "\n"


# --- figures ------------------------------------------------------------------------------------------------------------


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Load, pressure, area and contact path over flexion; pressure on both plateaus at its end."""
    from matplotlib.figure import Figure

    over = Figure(figsize=(7.4, 5.6))
    (load, pressure), (area, path) = over.subplots(2, 2, sharex=True)
    o = outcome["solid"]
    load.plot(o["flexion"], o["force"], "k-", label="load on the component")
    for insert, mark in (("solid", "o-"), ("foundation", "s--")):
        o, c = outcome[insert], outcome[insert]["medial"]
        load.plot(o["flexion"], c["up"], mark, markersize=4, label=f"medial condyle, {insert}")
        pressure.plot(o["flexion"], c["peak"] / MPA, mark, markersize=4, label=insert)
        area.plot(o["flexion"], c["area"] / MM**2, mark, markersize=4)
        path.plot(o["flexion"], c["centre"][:, 0] / MM, mark, markersize=4)
    pressure.plot(o["flexion"], outcome["closed"] / MPA, "k:", label="√(K F √(κ₁κ₂)/π)")
    path.plot(o["flexion"], outcome["path"]["centre"] / MM, "k:", label="rigid condyles")
    load.set(ylabel="force (N)", ylim=(0.0, None))
    pressure.set(ylabel="largest pressure (MPa)", ylim=(0.0, None))
    area.set(ylabel="area of a condyle (mm²)", xlabel="flexion (°)", ylim=(0.0, None))
    path.set(ylabel="centre of contact, forward (mm)", xlabel="flexion (°)")
    for panel in (load, pressure, path):
        panel.legend(fontsize="small")

    maps = Figure(figsize=(7.2, 3.6))
    highest = max(outcome[insert]["medial"]["peak"][-1] for insert in INSERTS) / MPA
    levels = np.concatenate(((1.0,), np.arange(5.0, highest + 5.0, 5.0)))
    panels = maps.subplots(2, 1, sharex=True)
    for panel, insert in zip(panels, INSERTS, strict=True):
        for name, side in SIDES.items():
            c = outcome[insert][name]
            shown = panel.tricontourf(
                c["places"][:, 1] / MM, c["places"][:, 0] / MM, c["pressure"] / MPA, levels=levels
            )
            panel.plot(c["centre"][:, 1] / MM, c["centre"][:, 0] / MM, "w.-", markersize=3, linewidth=0.8)
            for edge in (-0.5, 0.5):
                panel.axvline((0.5 * side * p.spacing + edge * p.width) / MM, color="0.6", linewidth=0.8)
        panel.set(aspect="equal", ylabel=f"{insert}\nforward (mm)", ylim=(-8, 8), yticks=(-5, 0, 5))
        panel.grid(False)
    panels[0].set_title(f"{p.flexion:g}° of flexion, {outcome['solid']['force'][-1]:.0f} N")
    panels[1].set_xlabel("outwards (mm); grey: sides of the plateaus, white: path of the contact")
    maps.colorbar(shown, ax=list(panels), label="contact pressure (MPa)")
    return {"knee_replacement": over, "knee_replacement_maps": maps}


# --- claims -------------------------------------------------------------------------------------------------------------


def balance(o: cd.Outcome) -> float:
    """Largest error of the contact forces against load and weight, of that."""
    weight = o["p"].mass * GRAVITY
    return float(
        max(
            np.abs((o[i]["medial"]["up"] + o[i]["lateral"]["up"]) / (o[i]["force"] + weight) - 1.0).max()
            for i in INSERTS
        )
    )


def uneven(o: cd.Outcome, what: str) -> float:
    """Largest difference of the condyles, of the medial one's value."""
    return float(max(np.abs(o[i]["lateral"][what] / o[i]["medial"][what] - 1.0).max() for i in INSERTS))


def shifted(o: cd.Outcome, insert: str) -> float:
    """Force that the varus moment shifts to the medial condyle [N]."""
    c = o["varus"][insert]
    return float(0.5 * (c["medial"]["up"][-1] - c["lateral"]["up"][-1]))


def straight(o: cd.Outcome, insert: str) -> float:
    """Largest pressure of the straight knee under the largest force [Pa]."""
    return float(o["straight"][insert]["medial"]["peak"][-1])


def path_error(o: cd.Outcome, insert: str) -> float:
    """Largest distance of the centre of contact from the path of rigid condyles, of that path's length."""
    path = o["path"]["centre"]
    return float(np.abs(o[insert]["medial"]["centre"][:, 0] - path).max() / np.ptp(path))


LAYER = "√(K F √(κ₁ κ₂)/π) of a paraboloid, K = E (1 − ν)/((1 + ν)(1 − 2ν) t)"
CLAIMS = [
    cd.Claim("foundation, straight under 1000 N: largest pressure", 22.63,
             lambda o: o["foundation"]["medial"]["peak"][0] / MPA, unit="MPa", tolerance=0.3,
             kind="closed form", origin=LAYER),
    cd.Claim("foundation, 90° under 2600 N: largest pressure", 52.15,
             lambda o: o["foundation"]["medial"]["peak"][-1] / MPA, unit="MPa", tolerance=0.7,
             kind="closed form", origin=LAYER),
    cd.Claim("foundation: largest pressure over the closed form, furthest from 1 over the flexion", 1.0,
             lambda o: float(max(o["foundation"]["medial"]["peak"] / o["closed"], key=lambda r: abs(r - 1.0))),
             tolerance=0.015, kind="closed form", origin=LAYER),
    cd.Claim("foundation: varus moment of 10 N m, force that it shifts to the medial condyle", 217.4,
             lambda o: shifted(o, "foundation"), unit="N", tolerance=2.0, kind="closed form",
             origin="M over the distance of the condyles"),
    cd.Claim("solid: varus moment of 10 N m, force that it shifts to the medial condyle", 217.4,
             lambda o: shifted(o, "solid"), unit="N", tolerance=2.0,
             kind="closed form", origin="M over the distance of the condyles"),
    cd.Claim("deep block, 2 N: largest pressure over Hertz's", 1.0, lambda o: o["deep"], tolerance=0.01,
             kind="closed form", origin="Hertz's closed form"),
    cd.Claim("solid layer of 0.05 mm: largest pressure over that of a foundation", 1.0, lambda o: o["thin"], tolerance=0.06,
             kind="closed form",
             origin="a foundation is the limit of thin layers; the contact is 20 times as wide as it is thick"),
    cd.Claim("largest error of the contact forces against load and weight", "none", balance, tolerance=1e-6,
             kind="property", origin="equilibrium"),
    cd.Claim("largest difference of the forces of both condyles", "none", lambda o: uneven(o, "up"), tolerance=1e-6,
             kind="property", origin="symmetry"),
    cd.Claim("largest difference of the largest pressures of both condyles", "none", lambda o: uneven(o, "peak"),
             tolerance=1e-6, kind="property", origin="symmetry"),
    cd.Claim("foundation: distance of the centre of contact from the path of rigid condyles, of its length", "small",
             lambda o: path_error(o, "foundation"), tolerance=0.03, kind="reference",
             origin="rigid condyles without friction and the spring, in balance"),
    cd.Claim("solid: distance of the centre of contact from the path of rigid condyles, of its length", "small",
             lambda o: path_error(o, "solid"), tolerance=0.05, full_only=True, kind="reference",
             origin="rigid condyles without friction and the spring, in balance"),
    cd.Claim("solid, straight under 2600 N: largest pressure over that of the body of revolution", 1.0,
             lambda o: straight(o, "solid") / o["straight"]["turned"], tolerance=0.03, full_only=True, kind="reference",
             origin="a straight condyle is round; axisymmetric mesh"),
    cd.Claim("solid: change of the largest pressure from the coarse mesh on", "none",
             lambda o: abs(straight(o, "coarse") / straight(o, "solid") - 1.0), tolerance=0.05, kind="property",
             origin="mesh convergence"),
    cd.Claim("solid, straight under 2600 N: largest pressure over Hertz's", "above",
             lambda o: straight(o, "solid") / o["straight"]["hertz"], tolerance=1.0, sense="above", kind="relation",
             origin="a bonded layer gives way less than a deep solid"),
    cd.Claim("foundation over solid, straight under 2600 N: largest pressure", "above",
             lambda o: straight(o, "foundation") / straight(o, "solid"), tolerance=1.0, sense="above", kind="relation",
             origin="columns that cannot spread are stiffer than a layer that is thicker than the contact is wide"),
    cd.Claim("foundation over solid: largest pressure, largest over the flexion", (1.2, 1.45),
             lambda o: float((o["foundation"]["medial"]["peak"] / o["solid"]["medial"]["peak"]).max()), kind="regression",
             origin="computed 1.31; 8 mm are no thin layer"),
    cd.Claim("solid: largest pressure of the flexion", (38.0, 44.0), lambda o: o["solid"]["medial"]["peak"].max() / MPA,
             unit="MPa", kind="regression", origin="computed 40.8, of a plastic that does not yield"),
    cd.Claim("solid: rollback, how far the centre of contact goes backwards", (1.3, 1.55),
             lambda o: -float(o["solid"]["medial"]["centre"][:, 0].min()) / MM, unit="mm", kind="regression",
             origin="computed 1.43; grows with the difference of the half axes, falls with the spring"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
