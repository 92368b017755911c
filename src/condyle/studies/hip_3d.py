"""The hip in space: pressure on a hemispherical liner over a stride.

Hovey's liner (14 to 22 mm, polyethylene, bonded to its shell) is a half sphere of hexahedra, inclined by 45°. The head is a
rigid sphere, conforming or with a clearance. Each step goes from one equilibrium to the next. Four loads are applied. The first
is the force and motion of the standard for hip simulators (iso-2014: its extremes; when they come, and the half cosines
between them, are assumed), in the mean direction that was measured in ten patients (bergmann-2016, as if the femur were
upright then). The others are the hip force of gait-3d, the measured peaks of each patient, and the hip forces of Hovey's
walker with the liner upright. The results are checked against the pressure of a cosine, a body of revolution and Hertz.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd
from condyle.studies import gait_3d
from condyle.studies.hovey_bartel import LINER
from condyle.studies.hovey_gait import BODY, WEIGHT, history_of, schedule, walker
from condyle.studies.hovey_muscles import pulled

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.tri import TriContourSet

MM = 1e-3
MPA = 1e6

# Axes: x forward, y to the middle of the body, z up; a right hip.
# Test loads of hip simulators (iso-2014): extremes of force [N] and angles [°] at parts of the cycle. The extremes are those
# of the standard; when they come, and the half cosines between them, are assumed: they do not change the pressures, and
# hip-wear says how much they change the wear.
FORCE = ((0.0, 300.0), (0.12, 3000.0), (0.32, 1500.0), (0.50, 3000.0), (0.62, 300.0), (1.0, 300.0))
FLEXION = ((0.0, 25.0), (0.50, -18.0), (1.0, 25.0))
ABDUCTION = ((0.0, 3.0), (0.21, 7.0), (0.50, -4.0), (1.0, 3.0))
ROTATION = ((0.0, -11.0), (0.50, 2.0), (1.0, -11.0))  # inwards
# Weight [N] of ten patients, and force on the head at the first peak of level walking (bergmann-2016) in % of it, in axes of
# the femur: outwards, forward, up. On the cup it acts the other way.
PATIENTS = (
    (760.0, 71.8, -28.8, -216.3), (767.0, 58.4, -24.3, -239.7), (892.7, 38.7, -25.0, -224.9), (796.0, 68.9, -26.7, -234.0),
    (855.0, 85.0, -16.3, -268.1), (815.0, 68.0, -56.2, -234.8), (916.0, 68.2, -5.8, -254.8), (836.0, 89.8, -30.8, -253.1),
    (1197.0, 57.8, -16.5, -227.7), (995.0, 70.4, -5.7, -204.7),
)  # fmt: skip


def on_cup(peak: NDArray[np.float64] | list[float]) -> NDArray[np.float64]:
    """Force of the head into the cup, x, y, z, from that on the head in axes of the femur."""
    outwards, forward, up = peak
    return np.array([-forward, outwards, -up])


PEAK = np.mean(PATIENTS, axis=0)[1:]
DIRECTION = on_cup(PEAK) / np.linalg.norm(PEAK)
WEAR_FACTORS = {"maxian-1996": 1.066e-15, "hall-1996": 2.1e-15}  # [1/Pa]; 1e-15 is 1e-6 mm³/(N m)
MILLION = 1e6


def wave(points: tuple[tuple[float, float], ...], t: NDArray[np.float64]) -> NDArray[np.float64]:
    """Half cosines between extremes; t: part of the cycle."""
    at, value = np.array(points).T
    k = np.clip(np.searchsorted(at, t, side="right") - 1, 0, len(at) - 2)
    s = (np.asarray(t) - at[k]) / (at[k + 1] - at[k])
    return value[k] + (value[k + 1] - value[k]) * 0.5 * (1.0 - np.cos(np.pi * s))


class Stride:
    """One cycle: times [s], force of the head on the cup [N] (n, 3), flexion, abduction, inward rotation [°] (n, 3)."""

    def __init__(
        self, times: NDArray[np.float64] | tuple[float, float], force: NDArray[np.float64], angles: NDArray[np.float64]
    ) -> None:
        self.times, self.force, self.angles = np.asarray(times), np.asarray(force), np.asarray(angles)

    @property
    def size(self) -> NDArray[np.float64]:
        """Size of the force [N], (n,)."""
        return np.linalg.norm(self.force, axis=1)


def simulator_stride(p: cd.Parameters, later: float = 0.0) -> Stride:
    """Force and motion of the standard for hip simulators, in the direction measured in patients.

    later: by how much of the cycle the extremes of the force come later.
    """
    t = np.linspace(0.0, 1.0, p.instants + 1)
    extremes = (FORCE[0], *((at + later, size) for at, size in FORCE[1:-1]), FORCE[-1])
    force = p.peak_force / 3000.0 * wave(extremes, t)[:, None] * DIRECTION
    return Stride(t, force, np.column_stack([wave(points, t) for points in (FLEXION, ABDUCTION, ROTATION)]))


def walker_stride(p: cd.Parameters, muscles: bool) -> Stride:
    """Hip force of Hovey's walker with a pinned hip (the liner does not change it), without and with his muscles."""
    plain = cd.simulate(walker(p), end=p.end, dt=p.dt, integrator=cd.RungeKutta())
    result = plain
    if muscles:
        result = cd.simulate(pulled(walker(p), schedule(p, plain)), end=p.end, dt=p.dt, integrator=cd.RungeKutta())
    on_trunk = result.joint_force("hip")
    angle = np.interp(result.multiplier_times, result.times, history_of(result, p)["stance leg"]["angle"])
    times = result.multiplier_times
    t = np.linspace(times[0], times[-1], p.walker_instants)
    along, up, turn = (np.interp(t, times, values) for values in (on_trunk[:, 0], on_trunk[:, 1], angle))
    none = np.zeros_like(t)
    return Stride(t - t[0], np.column_stack((along, none, up)), np.column_stack((turn, none, none)))


def stance_stride(p: cd.Parameters) -> Stride:
    """Single stance of gait-3d: hip force with abductors, and the measured angles of the hip."""
    o = gait_3d.stance(gait_3d.STUDY.values({"dt": p.stance_dt}))
    t = np.linspace(o["t"][0], o["t"][-1], p.stance_instants)
    forward, up, right = (np.interp(t, o["t"], values) for values in o["hip in pelvis"].T)
    flexion, adduction, inwards = (np.interp(t, o["t"], values) for values in np.degrees(o["angles"]).T)
    return Stride(t - t[0], np.column_stack((forward, -right, up)), np.column_stack((flexion, -adduction, inwards)))


def cup_axes(inclination: float) -> NDArray[np.float64]:
    """Axes of the cup as columns, the last one towards its pole; inclination [°] of that against the vertical, inwards."""
    c, s = np.cos(np.radians(inclination)), np.sin(np.radians(inclination))
    return np.array([[1.0, 0.0, 0.0], [0.0, c, s], [0.0, -s, c]])


def cup_mesh(p: cd.Parameters, cells: tuple[int, int], inclination: float) -> cd.Mesh:
    """The liner about the origin."""
    axes = cup_axes(inclination)
    return cd.Mesh.cup(p.inner, p.outer, cells).mapped(lambda X: (X * (1.0, -1.0, -1.0)) @ axes.T)


def model(p: cd.Parameters, mesh: cd.Mesh, stride: Stride, clearance: float, sunk: float = 0.0) -> cd.Model:
    """Liner in its shell, and a head that turns as the femur does and is pressed as the stride says.

    sunk: how deep the liner is worn where the head starts [m].
    """
    m = cd.Model("hip in space", dimension=3)
    liner = m.add(cd.Solid.from_mesh("liner", mesh, cd.Robust(p.young, p.poisson, p.density)))
    m.add(cd.Tie("shell", liner, "outer", m.ground))
    # The head starts a little deeper than it touches: on one point it could not stand.
    place = (1.1 * clearance + sunk) * stride.force[0] / stride.size[0]
    head = m.add(cd.RigidBody("head", 0.1, inertia=(1e-5, 1e-5, 1e-5), position=place))
    # Cardan angles about the axis to the middle, the floating axis, and the femur's own.
    axes = np.array([[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    m.add(cd.CustomJoint("hip", m.ground, head, at=place, axes=axes))
    times = tuple(stride.times.tolist())
    turns = np.radians(stride.angles) * (-1.0, 1.0, 1.0)
    for k in range(3):
        motion = cd.Table(times, tuple(turns[:, k].tolist()))
        m.add(cd.Drive(f"angle {k + 1}", f"hip.angle {k + 1}", motion=motion))
        # Without friction nothing but the drive resists a turn; a spring beside it changes nothing and is easier to solve.
        m.add(cd.CoordinateSpring(f"stiff {k + 1}", f"hip.angle {k + 1}", p.young * p.inner**3))
        push = cd.Table(times, tuple(stride.force[:, k].tolist()))
        m.add(cd.Load(f"force {'xyz'[k]}", head.at(0, 0, 0), np.eye(3)[k], push))
    m.add(cd.Contact("joint", liner, "inner", head, cd.Sphere(p.inner - clearance)))
    return m


# --- checks under a force towards the pole ------------------------------------------------------------------------------


def pressed(
    p: cd.Parameters,
    cells: tuple[int, int],
    clearance: float,
    force: NDArray[np.float64] | tuple[float, float, float],
    inclination: float = 0.0,
) -> Any:
    """The contact of a cup in space under a steady force (3,) [N]."""
    steady = Stride((0.0, 1.0), np.outer((1.0, 1.0), force), np.zeros((2, 3)))
    result = cd.solve_static(model(p, cup_mesh(p, cells, inclination), steady, clearance), steps=2)
    return result.contact("joint")


def patients(p: cd.Parameters) -> cd.Outcome:
    """The conforming head in the inclined cup under the measured peaks: size of the force [N], pressure [Pa], area [m²]."""
    rows = []
    for weight, *peak in PATIENTS[: p.patients]:
        force = 0.01 * weight * on_cup(peak)
        joint = pressed(p, p.coarse_cells, 0.0, force, p.inclination)
        rows.append((np.linalg.norm(force), joint.pressure[-1].max(), joint.area[-1]))
    force, pressure, area = np.transpose(rows)
    return {"force": force, "pressure": pressure, "area": area}


def turned(p: cd.Parameters, cells: tuple[int, int], clearance: float, force: float, grading: float = 1.0) -> Any:
    """The contact of the same cup as a body of revolution; cells around a quarter and across, finer towards the pole."""
    mesh = cd.Mesh.annulus(p.inner, p.outer, (cells[1], cells[0]), angle=0.5 * np.pi)
    mesh.sets["axis"] = np.setdiff1d(mesh.sets["end"], mesh.sets["outer"])

    def graded(X: NDArray[np.float64]) -> NDArray[np.float64]:
        r, turn = np.hypot(*X.T), np.arctan2(X[:, 1], X[:, 0])
        r = p.inner + (p.outer - p.inner) * ((r - p.inner).clip(0.0) / (p.outer - p.inner)) ** grading
        turn = 0.5 * np.pi * (1.0 - (1.0 - turn / (0.5 * np.pi)).clip(0.0) ** grading)
        return r[:, None] * np.column_stack((np.cos(turn), np.sin(turn)))

    m = cd.Model("cup of revolution", dimension=2)
    plastic = cd.Robust(p.young, p.poisson, p.density)
    liner = m.add(cd.Solid.from_mesh("liner", mesh.mapped(graded), plastic, plane="axisymmetric"))
    m.add(cd.Tie("shell", liner, "outer", m.ground))
    m.add(cd.Hold("axis", liner, "axis", (1, 0)))
    head = m.add(cd.RigidBody("head", 0.1, inertia=1e-5, position=(0.0, clearance)))
    m.add(cd.Slider("guide", m.ground, head, axis=(0, 1)))
    m.add(cd.Load("force", head.at(0, 0), (0.0, force)))
    m.add(cd.Contact("joint", liner, "inner", head, cd.Sphere(p.inner - clearance)))
    return cd.solve_static(m, steps=4).contact("joint")


def hertz(p: cd.Parameters, clearance: float, force: float) -> tuple[float, float]:
    """Radius of the contact [m] and largest pressure [Pa] of a rigid ball in a deep socket (Hertz)."""
    radius = 1.0 / (1.0 / (p.inner - clearance) - 1.0 / p.inner)
    a = (0.75 * force * radius * (1.0 - p.poisson**2) / p.young) ** (1.0 / 3.0)
    return a, 1.5 * force / (np.pi * a * a)


def cosine(p: cd.Parameters, force: NDArray[np.float64] | float) -> Any:
    """Largest pressure of a head that conforms, if the pressure falls with the cosine of the angle: 3 F/(2 π R²) [Pa]."""
    return 1.5 * force / (np.pi * p.inner**2)


# --- strides ---------------------------------------------------------------------------------------------------


def history(p: cd.Parameters, result: cd.Result, stride: Stride, mesh: cd.Mesh) -> cd.Outcome:
    """Contact over a stride; directions of the points from the centre of the liner, in space."""
    joint = result.contact("joint")
    X = mesh.nodes[joint.nodes]
    return {
        "t": stride.times / stride.times[-1], "times": stride.times, "force": stride.force, "angles": stride.angles,
        "pressure": joint.pressure, "peak": joint.pressure.max(axis=1), "area": joint.area,
        "error": float(np.abs(joint.resultant - stride.force).max() / stride.size.max()),
        "places": X / np.linalg.norm(X, axis=1, keepdims=True), "areas": joint.areas, "nodes": joint.nodes,
        "slide": joint.slip[-1], "work": joint.wear(1.0)[-1], "iterations": np.asarray(result.iterations),
    }  # fmt: skip


def stepped(p: cd.Parameters, context: cd.Context, label: str, stride: Stride, clearance: float, inclination: float,
            mesh: cd.Mesh | None = None, sunk: float = 0.0) -> cd.Outcome:  # fmt: skip
    """A stride in steps from balance to balance."""
    mesh = cup_mesh(p, p.cells, inclination) if mesh is None else mesh
    end = float(stride.times[-1])
    result = context.simulate(
        label, model(p, mesh, stride, clearance, sunk), end=end, dt=end / (len(stride.times) - 1),
        integrator=cd.QuasiStatic(),
    )  # fmt: skip
    return history(p, result, stride, mesh)


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """Checks under a force towards the pole, and the strides."""
    force = p.peak_force
    up = (0.0, 0.0, force)
    yield {
        "p": p,
        "checks": {
            "cosine": cosine(p, force),
            "coarse": profile(pressed(p, p.coarse_cells, 0.0, up)),
            "conforming": profile(pressed(p, p.cells, 0.0, up)),
            "clearance": profile(pressed(p, p.cells, p.clearance, up)),
            "turned": profile(turned(p, p.turned_cells, 0.0, force)),
            "turned, clearance": profile(turned(p, p.turned_cells, p.clearance, force)),
        },
    }
    radius, largest = hertz(p, p.hertz_clearance, p.hertz_force)
    ball = profile(turned(p, p.hertz_cells, p.hertz_clearance, p.hertz_force, 2.0))
    yield {"hertz": {"radius": radius, "pressure": largest, "profile": ball}}

    out: cd.Outcome = {}
    stride = simulator_stride(p)
    out["conforming"] = stepped(p, context, "conforming", stride, 0.0, p.inclination)
    out["clearance"] = stepped(p, context, "clearance", stride, p.clearance, p.inclination)
    out["walker"] = stepped(p, context, "walker", walker_stride(p, False), 0.0, 0.0)
    out["walker with muscles"] = stepped(p, context, "walker with muscles", walker_stride(p, True), 0.0, 0.0)
    out["stance"] = stepped(p, context, "stance", stance_stride(p), 0.0, p.inclination)
    out["patients"] = patients(p)
    if context.out is not None and find_spec("meshio") is not None:  # VTK files are an extra, condyle[mesh]
        result = context.results["clearance"]
        result.write_vtk("liner", context.out / "liner")
        result.contact("joint").write_vtk(context.out / "contact")
    yield out


def profile(joint: Any) -> cd.Outcome:
    """Pressure over the angle from the pole, of an equilibrium [°, Pa]."""
    X = joint.places[-1]
    angle = np.degrees(np.arccos(np.clip(X[:, -1] / np.linalg.norm(X, axis=1), -1.0, 1.0)))
    order = np.argsort(angle)
    return {"angle": angle[order], "pressure": joint.pressure[-1][order], "largest": float(joint.pressure[-1].max()),
            "resultant": float(joint.resultant[-1, -1]), "area": float(joint.area[-1])}  # fmt: skip


# --- figures ------------------------------------------------------------------------------------------------------------


def unrolled(p: cd.Parameters, places: NDArray[np.float64], inclination: float) -> NDArray[np.float64]:
    """Points of the liner seen from below: angle from the pole [°] in the direction around it, (n, 2)."""
    u = places @ cup_axes(inclination)
    angle = np.degrees(np.arccos(np.clip(u[:, 2], -1.0, 1.0)))
    return angle[:, None] * u[:, :2] / np.maximum(np.hypot(u[:, 0], u[:, 1]), 1e-12)[:, None]


def draw_map(
    panel: Axes, p: cd.Parameters, places: NDArray[np.float64], values: NDArray[np.float64], levels: NDArray[np.float64]
) -> TriContourSet:
    """Contours of a quantity over the unrolled liner, with its rim."""
    across, along = unrolled(p, places, p.inclination).T
    shown = panel.tricontourf(across, along, values, levels=levels, cmap="viridis")
    turn = np.linspace(0.0, 2.0 * np.pi, 121)
    panel.plot(90.0 * np.cos(turn), 90.0 * np.sin(turn), color="0.4", linewidth=0.8)
    panel.set(aspect="equal", xlim=(-95, 95), ylim=(-95, 95), xticks=(-90, 0, 90), yticks=(-90, 0, 90))
    panel.grid(False)
    return shown


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Pressure maps, the cycle, pressure over the angle, Hovey's walker, all loads together."""
    return {
        "hip3d_maps": _maps(outcome, p), "hip3d_cycle": _cycle(outcome, p), "hip3d_profile": _profiles(outcome, p),
        "hip3d_walker": _walker(outcome, p), "hip3d_loads": _loads(outcome, p),
    }  # fmt: skip


def _maps(outcome: cd.Outcome, p: cd.Parameters) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 4.6))
    panels = figure.subplots(2, 3, sharex=True, sharey=True)
    for row, (name, label) in zip(panels, (("conforming", "conforming"), ("clearance", "clearance")), strict=True):
        o = outcome[name]
        step = 1.0 if o["peak"].max() < 10.0 * MPA else 2.0
        levels = np.arange(0.0, o["peak"].max() / MPA + step, step)
        for panel, instant in zip(row, (0.12, 0.32, 0.50), strict=True):
            k = int(np.argmin(np.abs(o["t"] - instant)))
            shown = draw_map(panel, p, o["places"], o["pressure"][k] / MPA, levels)
            towards = unrolled(p, o["force"][k : k + 1] / np.linalg.norm(o["force"][k]), p.inclination)[0]
            panel.plot(*towards, "w+", markersize=7)
            if name == "conforming":
                panel.set_title(f"{100 * o['t'][k]:.0f} % of the cycle, {np.linalg.norm(o['force'][k]):.0f} N")
        text = label if name == "conforming" else f"clearance {p.clearance / MM:g} mm"
        row[0].set_ylabel(f"{text}\ninwards and down (°)")
        figure.colorbar(shown, ax=list(row), label="contact pressure (MPa)", shrink=0.9)
    for panel in panels[1]:
        panel.set_xlabel("forward (°)")
    return figure


def _cycle(outcome: cd.Outcome, p: cd.Parameters) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 8.0))
    force, angle, pressure, area = figure.subplots(4, 1, sharex=True)
    o = outcome["conforming"]
    t = 100.0 * o["t"]
    for k, name in enumerate(("forward", "inwards", "up")):
        force.plot(t, o["force"][:, k] / WEIGHT, label=name)
    force.plot(t, np.linalg.norm(o["force"], axis=1) / WEIGHT, "k--", label="size")
    force.axhspan(2.8, 4.8, color="0.92", zorder=0)
    force.annotate("peaks measured by Bergmann et al. 1993", (99, 4.4), fontsize="small", color="0.3", ha="right")
    force.set(ylabel="force on the cup\nover weight (–)", ylim=(0.0, 5.0))
    force.legend(fontsize="small", ncols=2, loc="upper right", bbox_to_anchor=(1.0, 0.8))
    for k, name in enumerate(("flexion", "abduction", "inward rotation")):
        angle.plot(t, o["angles"][:, k], label=name)
    angle.set(ylabel="angle of the head (°)")
    angle.legend(fontsize="small", loc="upper center")
    for name, line, label in (
        ("conforming", "-", "conforming"),
        ("clearance", "--", f"clearance {p.clearance / MM:g} mm"),
    ):
        pressure.plot(t, outcome[name]["peak"] / MPA, line, label=label)
        area.plot(t, outcome[name]["area"] / MM**2, line, label=label)
    pressure.axhspan(10.0, 16.0, color="0.92", zorder=0)
    pressure.annotate("other studies at toe-off (Hovey)", (99, 14.6), fontsize="small", color="0.3", ha="right")
    pressure.set(ylabel="largest pressure (MPa)", ylim=(0.0, None))
    pressure.legend(fontsize="small", loc="center right", bbox_to_anchor=(1.0, 0.6))
    area.axhline(2.0 * np.pi * p.inner**2 / MM**2, color="0.6", linewidth=0.8)
    area.annotate("whole inner surface", (63, 2.0 * np.pi * p.inner**2 / MM**2), (0, -9), textcoords="offset points",
                  fontsize="small", color="0.3")  # fmt: skip
    area.set(ylabel="area in contact (mm²)", xlabel="gait cycle (%)", xlim=(0.0, 100.0), ylim=(0.0, None))
    return figure


def _profiles(outcome: cd.Outcome, p: cd.Parameters) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 3.4))
    left, right = figure.subplots(1, 2)
    checks = outcome["checks"]
    for name, same, colour, label in (
        ("conforming", "turned", "C0", "conforming"),
        ("clearance", "turned, clearance", "C1", f"clearance {p.clearance / MM:g} mm"),
    ):
        left.plot(checks[name]["angle"], checks[name]["pressure"] / MPA, ".", color=colour, label=f"{label}, in space")
        left.plot(checks[same]["angle"], checks[same]["pressure"] / MPA, color=colour, label=f"{label}, of revolution")
    turn = np.linspace(0.0, 90.0, 91)
    left.plot(turn, checks["cosine"] * np.cos(np.radians(turn)) / MPA, "k:", label="3 F cos α/(2 π R²)")
    left.set(xlabel="angle from the pole (°)", ylabel="contact pressure (MPa)", xlim=(0, 90), ylim=(0, None))
    left.legend(fontsize="x-small")
    ball = outcome["hertz"]
    r = p.inner * np.radians(ball["profile"]["angle"])
    right.plot(r / MM, ball["profile"]["pressure"] / MPA, "o", markersize=3, label="of revolution")
    s = np.linspace(0.0, ball["radius"], 80)
    right.plot(s / MM, ball["pressure"] * np.sqrt(1.0 - (s / ball["radius"]) ** 2) / MPA, "k-", label="Hertz")
    right.set(xlabel="distance from the pole (mm)", xlim=(0, 1.6 * ball["radius"] / MM), ylim=(0, None),
              title=f"clearance {p.hertz_clearance / MM:g} mm, {p.hertz_force:g} N")  # fmt: skip
    left.set(title=f"{p.peak_force:g} N")
    right.legend(fontsize="small")
    return figure


def _walker(outcome: cd.Outcome, p: cd.Parameters) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 3.6))
    panel = figure.subplots()
    for name, line, label in (("walker", "o-", "no muscles (M2)"), ("walker with muscles", "s--", "with muscles (M4)")):
        o = outcome[name]
        panel.plot(o["times"], o["peak"] / MPA, line, markersize=3, label=f"in space, {label}")
    plane = 0.75 * p.depth / p.inner
    panel.plot(0.3, 2.76 * plane, "ko", markerfacecolor="none", label="published 2.76 MPa of the plane × 3 d/(4 R)")
    panel.set(xlabel="time (s)", ylabel="largest contact pressure (MPa)", xlim=(0.0, p.end), ylim=(0.0, None))
    panel.legend(fontsize="small", loc="upper center")
    return figure


LOADS = {
    "conforming": "standard for simulators",
    "stance": "single stance of gait-3d",
    "walker": "Hovey's walker, upright cup",
    "walker with muscles": "the same, with muscles",
}


def _loads(outcome: cd.Outcome, p: cd.Parameters) -> Figure:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.4, 6.4))
    (pressure, area), (wear, legend) = figure.subplots(2, 2)
    marks = ("o", "s", "^", "v")
    for k, (name, mark) in enumerate(zip(LOADS, marks, strict=True)):
        o = outcome[name]
        force = np.linalg.norm(o["force"], axis=1) / 1e3
        pressure.plot(force, o["peak"] / MPA, f"C{k}{mark}", markersize=4, markerfacecolor="none", label=LOADS[name])
        area.plot(force, o["area"] / MM**2, f"C{k}{mark}", markersize=4, markerfacecolor="none")
        wear.bar(k, wear_volume(outcome, name), color=f"C{k}")
    measured = outcome["patients"]
    pressure.plot(
        measured["force"] / 1e3, measured["pressure"] / MPA, "kx", label="peaks of ten patients (Bergmann et al.)"
    )
    area.plot(measured["force"] / 1e3, measured["area"] / MM**2, "kx")
    most = np.array([0.0, 1.05 * p.peak_force])
    pressure.plot(most / 1e3, cosine(p, most) / MPA, "k:", label="3 F/(2 π R²)")
    pressure.set(xlabel="hip force (kN)", ylabel="largest pressure (MPa)", xlim=(0, None), ylim=(0, None))
    area.axhline(2.0 * np.pi * p.inner**2 / MM**2, color="0.6", linewidth=0.8)
    area.annotate("whole inner surface", (0.05, 2.0 * np.pi * p.inner**2 / MM**2), (0, -10), textcoords="offset points",
                  fontsize="small", color="0.3")  # fmt: skip
    area.set(xlabel="hip force (kN)", ylabel="area in contact (mm²)", xlim=(0, None), ylim=(0, None))
    wear.set(ylabel="wear of a million strides (mm³)", xticks=[], xlabel="factor of Maxian et al., surface kept")
    wear.grid(False)
    legend.axis("off")
    legend.legend(*pressure.get_legend_handles_labels(), loc="center", fontsize="small")
    return figure


# --- claims -------------------------------------------------------------------------------------------------------------


def over(outcome: cd.Outcome, name: str, other: str) -> float:
    """Largest pressure of a check over that of another."""
    return float(outcome["checks"][name]["largest"] / outcome["checks"][other]["largest"])


def wear_volume(outcome: cd.Outcome, name: str, factor: str = "maxian-1996") -> float:
    """Volume that a million cycles wear off while the surface keeps its shape [mm³]."""
    return float(MILLION * WEAR_FACTORS[factor] * (outcome[name]["work"] @ outcome[name]["areas"]) / MM**3)


def over_cosine(outcome: cd.Outcome, name: str) -> float:
    """Largest pressure of a stride over 3 F/(2 π R²) with the force of that instant."""
    o = outcome[name]
    k = int(np.argmax(o["peak"]))
    return float(o["peak"][k] / cosine(outcome["p"], float(np.linalg.norm(o["force"][k]))))


STANDARD = "force and motion of ISO 14242-1, direction of Bergmann et al. 2016"
CLAIMS = [
    cd.Claim("conforming, 3000 N towards the pole: largest pressure", 7.308,
             lambda o: o["checks"]["conforming"]["largest"] / MPA, unit="MPa", tolerance=0.15, kind="closed form",
             origin="3 F/(2 π R²) of pressures that fall with the cosine, R = 14 mm"),
    cd.Claim("conforming: largest pressure in space over that of the body of revolution", 1.0,
             lambda o: over(o, "conforming", "turned"), tolerance=0.02, kind="reference", origin="same cup, axisymmetric mesh"),
    cd.Claim("clearance: largest pressure in space over that of the body of revolution", 1.0,
             lambda o: over(o, "clearance", "turned, clearance"), tolerance=0.05, full_only=True,
             kind="reference", origin="same cup, axisymmetric mesh"),
    cd.Claim("conforming: change of the largest pressure from the coarse mesh on", "none",
             lambda o: abs(over(o, "coarse", "conforming") - 1.0), tolerance=0.015,
             kind="property", origin="mesh convergence"),
    cd.Claim("clearance of 1 mm and a small force: largest pressure over Hertz's", 1.0,
             lambda o: o["hertz"]["profile"]["largest"] / o["hertz"]["pressure"], tolerance=0.015,
             kind="closed form", origin="Hertz's closed form"),
    cd.Claim("largest error of the resultant over the strides, of the largest force", "none",
             lambda o: max(o[name]["error"] for name in ("clearance", *LOADS)),
             tolerance=1e-9, kind="property", origin="equilibrium"),
    cd.Claim("largest number of Newton iterations of a step", "few",
             lambda o: float(max(o[name]["iterations"].max() for name in ("conforming", "clearance"))), tolerance=7,
             kind="property", origin="contact decided in each iteration"),
    cd.Claim("largest force over the weight of the walker", (2.8, 4.8),
             lambda o: float(np.linalg.norm(o["conforming"]["force"], axis=1).max() / WEIGHT),
             kind="reference", origin="Bergmann et al. 1993, 1 to 5 km/h"),
    cd.Claim("conforming: largest pressure of the stride", (7.3, 8.8), lambda o: o["conforming"]["peak"].max() / MPA,
             unit="MPa", kind="regression", origin=STANDARD + "; computed 8.1: the rim takes a part of the surface away"),
    cd.Claim("clearance: largest pressure of the stride", (14.0, 18.0), lambda o: o["clearance"]["peak"].max() / MPA,
             unit="MPa", kind="regression", origin=STANDARD + "; computed 15.8"),
    cd.Claim("clearance: area in contact at the peak over that of the conforming head", "smaller",
             lambda o: float(o["clearance"]["area"].max() / o["conforming"]["area"].max()), tolerance=0.6,
             kind="relation", origin="a clearance concentrates the pressure"),
    cd.Claim("walker without muscles: largest pressure over the plane model's published 2.76 MPa", 0.536,
             lambda o: o["walker"]["peak"].max() / 2.76e6, tolerance=0.02,
             kind="closed form", origin="3 d/(4 R): closed forms of sphere and of cylinder of 10 mm"),
    cd.Claim("walker with muscles: largest force over the weight, below the measured 2.8", "begins to match",
             lambda o: 2.8 - float(np.linalg.norm(o["walker with muscles"]["force"], axis=1).max() / WEIGHT), tolerance=0.3,
             kind="published", origin="section 5.3, figure 5.21: approximates Bergmann's 2.8–4.8 near the end"),
    cd.Claim("stance of gait-3d, with abductors: largest pressure", (4.0, 7.5), lambda o: o["stance"]["peak"].max() / MPA,
             unit="MPa", kind="regression", origin="hip force of 1.9 to 3.1 body weights"),
    cd.Claim("stance of gait-3d: largest pressure over 3 F/(2 π R²)", (0.95, 1.3), lambda o: over_cosine(o, "stance"),
             kind="regression", origin="conforming head; the rim takes a part of the surface away"),
    cd.Claim("stance of gait-3d: wear over that of a cycle of the standard", (0.3, 0.7),
             lambda o: wear_volume(o, "stance") / wear_volume(o, "conforming"),
             kind="regression", origin="force times turn: 1.7 kN over 35° in the mean, 2.2 kN over 43° with little in swing"),
    cd.Claim("measured peaks of ten patients: mean of the largest pressure", (4.0, 7.0),
             lambda o: float(o["patients"]["pressure"].mean()) / MPA, unit="MPa",
             kind="regression", origin="under the peaks of Bergmann et al. 2016"),
    cd.Claim("measured peaks: largest pressure over 3 F/(2 π R²), mean", (1.0, 1.3),
             lambda o: float((o["patients"]["pressure"] / cosine(o["p"], o["patients"]["force"])).mean()),
             kind="regression", origin="conforming head; the rim takes a part of the surface away"),
]  # fmt: skip

CUP = {name: LINER[name] for name in ("inner", "outer", "young", "poisson", "density")} | {
    "cells": cd.Parameter((12, 4), "cells along a side of the cube inside the cup, and across"),
    "clearance": cd.Parameter(0.1 * MM, "radius of the liner less that of the head", "m"),
    "inclination": cd.Parameter(45.0, "of the cup's axis against the vertical", "°"),
    "peak_force": cd.Parameter(3000.0, "largest force of the stride", "N"),
    "instants": cd.Parameter(25, "steps of a stride"),
}

PARAMETERS = BODY | CUP | {
    "coarse_cells": cd.Parameter((8, 3), "the same of a coarse mesh"),
    "turned_cells": cd.Parameter((48, 16), "cells around a quarter and across, body of revolution"),
    "hertz_cells": cd.Parameter((60, 24), "the same, finer towards the pole, against Hertz"),
    "depth": cd.Parameter(10 * MM, "depth of the plane model it is compared with", "m"),
    "hertz_clearance": cd.Parameter(1.0 * MM, "clearance of the comparison with Hertz", "m"),
    "hertz_force": cd.Parameter(15.0, "force of the comparison with Hertz", "N"),
    "walker_instants": cd.Parameter(13, "instants of the walker's half stride"),
    "stance_instants": cd.Parameter(13, "instants of the single stance of gait-3d"),
    "stance_dt": cd.Parameter(1.0 / 60.0, "time between two frames of gait-3d", "s"),
    "patients": cd.Parameter(10, "patients whose measured peaks are put on"),
}  # fmt: skip
QUICK = {"cells": (6, 2), "coarse_cells": (4, 2), "turned_cells": (24, 8), "hertz_cells": (40, 16), "instants": 16,
         "walker_instants": 3, "stance_instants": 3, "stance_dt": 1.0 / 15.0, "patients": 1}  # fmt: skip
INPUTS = ("inner", "peak_force")

STUDY = cd.Study.of_module(globals(), source="hovey-2000")
