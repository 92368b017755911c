"""The hip in space: a hemispherical polyethylene liner in its shell under gait, its pressures and its wear."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from typing import Any

import numpy as np

import condyle as cd
from condyle.studies.hovey_gait import BODY, EXTENSOR, FLEXOR, WEIGHT, history_of, moment_over_arm, muscle, walker

MM = 1e-3
MPA = 1e6
MILLION = 1e6

# Axes: x forward, y to the middle of the body, z up; a right hip.
# Test loads of hip simulators (iso-14242-1): extremes of force [N] and angles [°] at parts of the cycle. Between them we go
# along half cosines, which the standard's curves resemble.
FORCE = ((0.0, 300.0), (0.12, 3000.0), (0.32, 1500.0), (0.50, 3000.0), (0.62, 300.0), (1.0, 300.0))
FLEXION = ((0.0, 25.0), (0.50, -18.0), (1.0, 25.0))
ABDUCTION = ((0.0, 3.0), (0.21, 7.0), (0.50, -4.0), (1.0, 3.0))
ROTATION = ((0.0, -11.0), (0.50, 2.0), (1.0, -11.0))  # inwards
# Force on the head at the first peak of level walking, mean of ten patients (bergmann-2016), % of body weight, in axes of
# the femur: outwards, forward, up. On the cup it acts the other way.
PEAK = np.array([67.7, -23.6, -235.8])
DIRECTION = np.array([-PEAK[1], PEAK[0], -PEAK[2]]) / np.linalg.norm(PEAK)  # of the head into the cup: x, y, z
WEAR_FACTORS = {"maxian-1996": 1.066e-15, "hall-1996": 2.1e-15}  # [1/Pa]: 1e-15 is 1e-6 mm³/(N m)


def wave(points: tuple[tuple[float, float], ...], t: Any) -> Any:
    """Half cosines between extremes; t: part of the cycle."""
    at, value = np.array(points).T
    k = np.clip(np.searchsorted(at, t, side="right") - 1, 0, len(at) - 2)
    s = (np.asarray(t) - at[k]) / (at[k + 1] - at[k])
    return value[k] + (value[k + 1] - value[k]) * 0.5 * (1.0 - np.cos(np.pi * s))


class Stride:
    """One cycle: times [s], force of the head on the cup [N] (n, 3), flexion, abduction, inward rotation [°] (n, 3)."""

    def __init__(self, times: Any, force: Any, angles: Any) -> None:
        self.times, self.force, self.angles = np.asarray(times), np.asarray(force), np.asarray(angles)

    @property
    def size(self) -> Any:
        """Size of the force [N], (n,)."""
        return np.linalg.norm(self.force, axis=1)


def simulator_stride(p: Any) -> Stride:
    """Force and motion of the standard for hip simulators, in the direction measured in patients."""
    t = np.linspace(0.0, 1.0, p.instants + 1)
    force = p.peak_force / 3000.0 * wave(FORCE, t)[:, None] * DIRECTION
    return Stride(t, force, np.column_stack([wave(points, t) for points in (FLEXION, ABDUCTION, ROTATION)]))


def walker_stride(p: Any, muscles: bool) -> Stride:
    """Hip force of Hovey's walker with a pinned hip (the liner does not change it), without and with his muscles."""
    plain = cd.simulate(walker(p), end=p.end, dt=p.dt, integrator=cd.RungeKutta())
    result = plain
    if muscles:
        model = walker(p)
        for name, ends in (("extensor", EXTENSOR), ("flexor", FLEXOR)):
            force = moment_over_arm(plain, history_of(plain, p))[name]["force"]
            fit = np.polyfit(plain.multiplier_times, force, 6)
            t = np.linspace(0.0, p.end, 61)
            pull = cd.Table(tuple(t.tolist()), tuple(np.maximum(np.polyval(fit, t), 0.0).tolist()))
            model.add(muscle(name, ends, pull))
        result = cd.simulate(model, end=p.end, dt=p.dt, integrator=cd.RungeKutta())
    on_trunk = result.joint_force("hip")
    angle = np.interp(result.multiplier_times, result.times, history_of(result, p)["stance leg"]["angle"])
    keep = np.unique(np.linspace(0, len(angle) - 1, p.walker_instants).round().astype(int))
    force = np.column_stack((on_trunk[:, 0], np.zeros(len(angle)), on_trunk[:, 1]))
    angles = np.column_stack((angle, np.zeros((len(angle), 2))))
    times = result.multiplier_times[keep]
    return Stride(times - times[0], force[keep], angles[keep])


def cup_axes(inclination: float) -> Any:
    """Axes of the cup as columns, the last one towards its pole; inclination [°] of that against the vertical, inwards."""
    c, s = np.cos(np.radians(inclination)), np.sin(np.radians(inclination))
    return np.array([[1.0, 0.0, 0.0], [0.0, c, s], [0.0, -s, c]])


def cup_mesh(p: Any, cells: tuple[int, int], inclination: float) -> cd.Mesh:
    """The liner about the origin."""
    axes = cup_axes(inclination)
    return cd.Mesh.cup(p.inner, p.outer, cells).mapped(lambda X: (X * (1.0, -1.0, -1.0)) @ axes.T)


def model(p: Any, mesh: cd.Mesh, stride: Stride, clearance: float, sunk: float = 0.0) -> cd.Model:
    """Liner in its shell, and a head that turns as the femur does and is pressed as the stride says.

    sunk: how deep the liner is worn where the head starts [m].
    """
    m = cd.Model("hip in space", dimension=3)
    liner = m.add(cd.Solid.from_mesh("liner", mesh, cd.Robust(p.young, p.poisson, 940.0)))
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
        push = cd.Table(times, tuple(stride.force[:, k].tolist()))
        m.add(cd.Load(f"force {'xyz'[k]}", head.at(0, 0, 0), np.eye(3)[k], push))
    m.add(cd.Contact("joint", liner, "inner", head, cd.Sphere(p.inner - clearance)))
    return m


# --- checks under a force towards the pole ------------------------------------------------------------------------------


def upright(force: float) -> Stride:
    """A steady force towards the pole of an upright cup [N]."""
    return Stride((0.0, 1.0), np.outer((1.0, 1.0), (0.0, 0.0, force)), np.zeros((2, 3)))


def pressed(p: Any, cells: tuple[int, int], clearance: float, force: float) -> Any:
    """The contact of an upright cup in space under a force towards its pole [N]."""
    result = cd.solve_static(model(p, cup_mesh(p, cells, 0.0), upright(force), clearance), steps=2)
    return result.contact("joint")


def turned(p: Any, cells: tuple[int, int], clearance: float, force: float, grading: float = 1.0) -> Any:
    """The contact of the same cup as a body of revolution; cells around a quarter and across, finer towards the pole."""
    mesh = cd.Mesh.annulus(p.inner, p.outer, (cells[1], cells[0]), angle=0.5 * np.pi)
    mesh.sets["axis"] = np.setdiff1d(mesh.sets["end"], mesh.sets["outer"])

    def graded(X: Any) -> Any:
        r, turn = np.hypot(*X.T), np.arctan2(X[:, 1], X[:, 0])
        r = p.inner + (p.outer - p.inner) * ((r - p.inner).clip(0.0) / (p.outer - p.inner)) ** grading
        turn = 0.5 * np.pi * (1.0 - (1.0 - turn / (0.5 * np.pi)).clip(0.0) ** grading)
        return r[:, None] * np.column_stack((np.cos(turn), np.sin(turn)))

    m = cd.Model("cup of revolution", dimension=2)
    plastic = cd.Robust(p.young, p.poisson, 940.0)
    liner = m.add(cd.Solid.from_mesh("liner", mesh.mapped(graded), plastic, plane="axisymmetric"))
    m.add(cd.Tie("shell", liner, "outer", m.ground))
    m.add(cd.Hold("axis", liner, "axis", (1, 0)))
    head = m.add(cd.RigidBody("head", 0.1, inertia=1e-5, position=(0.0, clearance)))
    m.add(cd.Slider("guide", m.ground, head, axis=(0, 1)))
    m.add(cd.Load("force", head.at(0, 0), (0.0, force)))
    m.add(cd.Contact("joint", liner, "inner", head, cd.Sphere(p.inner - clearance)))
    return cd.solve_static(m, steps=4).contact("joint")


def hertz(p: Any, clearance: float, force: float) -> tuple[float, float]:
    """Radius of the contact [m] and largest pressure [Pa] of a rigid ball in a deep socket (Hertz)."""
    radius = 1.0 / (1.0 / (p.inner - clearance) - 1.0 / p.inner)
    a = (0.75 * force * radius * (1.0 - p.poisson**2) / p.young) ** (1.0 / 3.0)
    return a, 1.5 * force / (np.pi * a * a)


def cosine(p: Any, force: float) -> float:
    """Largest pressure of a head that conforms, if the pressure falls with the cosine of the angle: 3 F/(2 π R²) [Pa]."""
    return 1.5 * force / (np.pi * p.inner**2)


# --- strides and wear ---------------------------------------------------------------------------------------------------


def history(p: Any, result: Any, stride: Stride, mesh: cd.Mesh) -> dict[str, Any]:
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


def stepped(p: Any, context: cd.Context, label: str, stride: Stride, clearance: float, inclination: float,
            mesh: cd.Mesh | None = None, sunk: float = 0.0) -> dict[str, Any]:  # fmt: skip
    """A stride in steps from balance to balance."""
    mesh = cup_mesh(p, p.cells, inclination) if mesh is None else mesh
    end = float(stride.times[-1])
    result = context.simulate(
        label, model(p, mesh, stride, clearance, sunk), end=end, dt=end / (len(stride.times) - 1),
        integrator=cd.QuasiStatic(),
    )  # fmt: skip
    return history(p, result, stride, mesh)


def worn(mesh: cd.Mesh, nodes: Any, depth: Any, outer: float) -> cd.Mesh:
    """The mesh with these nodes of its inner surface moved outwards by `depth` [m], those behind them in proportion."""
    inside = mesh.nodes[nodes]
    reach = np.linalg.norm(inside, axis=1)

    def moved(X: Any) -> Any:
        r = np.linalg.norm(X, axis=1)
        unit = X / r[:, None]
        k = np.argmax(unit @ (inside / reach[:, None]).T, axis=1)
        return X + unit * (depth[k] * (outer - r) / (outer - reach[k]))[:, None]

    return mesh.mapped(moved)


def wear_in_blocks(p: Any, context: cd.Context, stride: Stride, factor: float) -> dict[str, Any]:
    """A million cycles in blocks, each with the surface that the block before has left; depth [m], volume [m³]."""
    mesh = cup_mesh(p, p.cells, p.inclination)
    towards = stride.force[0] / stride.size[0]
    depth, sunk = np.zeros(1), 0.0
    rows, peaks = [(0.0, 0.0, 0.0)], []
    for k in range(p.blocks):
        o = stepped(p, context, f"wear, block {k + 1}", stride, p.clearance, p.inclination, mesh, sunk)
        lost = MILLION / p.blocks * factor * o["work"]
        depth = depth + lost
        sunk = float(depth[np.argmax(o["places"] @ towards)])
        mesh = worn(mesh, o["nodes"], lost, p.outer)
        rows.append(((k + 1) / p.blocks, float(depth.max()), rows[-1][2] + float(lost @ o["areas"])))
        peaks.append(float(o["peak"].max()))
    cycles, deepest, volume = np.array(rows).T
    return {
        "cycles": cycles,
        "depth": deepest,
        "volume": volume,
        "map": depth,
        "places": o["places"],
        "peaks": np.array(peaks),
    }
