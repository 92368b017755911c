"""Two square blocks hinged at a shared corner.

Two blocks on master triangles 1-2-3 and 2-4-5 have corner 2 in common, so that the hinge needs no equation. Forces at 3
and 5 and twice their opposite at 2 set them turning against each other. The paper prints neither sizes nor places;
blocks of side 6 and density 2 that are mirror images in the 45° line of the forces turn equally and oppositely, with
corners labelled as (i) or (ii). Blocks on the diagonal only nearly do so. The mirror symmetry leaves one degree of
freedom, whose exact motion the computed one reaches with second order.

Taylor 2000, section 7.3: two square blocks that share a corner, against the closed form of their motion.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd
from condyle.studies.taylor_block import FREE, PULSE, with_times

if TYPE_CHECKING:
    from matplotlib.figure import Figure

# Corners 1, 3 of the first block and 4, 5 of the second, and the first block's centre, in units of the side; corner 2 is
# the origin, and the second block lies opposite to the first.
ARRANGEMENTS = {
    "i": (((0, -1), (1, 0)), ((-1, 0), (0, 1)), (0.5, -0.5)),
    "ii": (((1, 0), (0, -1)), ((0, 1), (-1, 0)), (0.5, -0.5)),
    "diagonal": (((-1, 0), (0, -1)), ((1, 0), (0, 1)), (-0.5, -0.5)),
}


PARAMETERS = {
    "arrangement": cd.Parameter("i", "of the long run: i (inferred) or ii, mirror images; diagonal, the near miss"),
    "side": cd.Parameter(6.0, "side of the blocks (inferred)"),
    "density": cd.Parameter(2.0, "mass per area (inferred)"),
    "force": cd.Parameter(4.0, "largest component of the forces at 3 and 5 (inferred: not 4/√2)"),
    "dt": cd.Parameter(0.5, "time step (inferred)"),
    "end": cd.Parameter(300.0, "time simulated"),
    "compare_end": cd.Parameter(100.0, "time simulated for the comparison of arrangements and joints"),
    "order_end": cd.Parameter(60.0, "time simulated for the order of convergence"),
}
QUICK = {"end": 100.0, "compare_end": 60.0, "order_end": 20.0}
INPUTS = ("side", "density", "force")


def blocks(p: cd.Parameters, arrangement: str, joint: str = "shared") -> cd.Model:
    """Two blocks that share corner 2; with joint='pin' they have a corner each, held together by a constraint."""
    if arrangement not in ARRANGEMENTS:
        raise cd.InputError(f"arrangement is {arrangement!r}; choose one of {', '.join(ARRANGEMENTS)}")
    *ends, middle = ARRANGEMENTS[arrangement]
    (c1, c3), (c4, c5) = (p.side * np.array(pair, dtype=float) for pair in ends)
    centre = p.side * np.array(middle)
    square = 0.5 * p.side * np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])
    model = cd.Model("hinged blocks", dimension=2)
    here = (0.0, 0.0)
    a = model.add(_block("block123", square + centre, {"1": c1, "2": here, "3": c3}, p))
    b = model.add(_block("block245", square - centre, {"2": here, "4": c4, "5": c5}, p))
    if joint == "shared":
        model.add(cd.Tie("hinge", b, "2", a))
    else:
        model.add(cd.Pin("hinge", a.point("2"), b.point("2")))
    f = p.force
    model.add(cd.Load("push at 3", a.point("3"), (f, f), PULSE))
    model.add(cd.Load("push at 5", b.point("5"), (f, f), PULSE))
    model.add(cd.Load("push at 2", a.point("2"), (-2.0 * f, -2.0 * f), PULSE))
    return model


def _block(name: str, nodes: NDArray[np.float64], corners: Any, p: cd.Parameters) -> cd.RigidSimplex:
    return cd.RigidSimplex.from_mesh(name, nodes, [(0, 1, 2, 3)], p.density, element="quad4", corners=corners)


def run(p: cd.Parameters, context: cd.Context) -> cd.Outcome:
    """Both labelings and the near miss; a pin instead of the shared corner; smaller steps against the exact motion."""
    outcome: cd.Outcome = {"arrangement": p.arrangement}
    model = blocks(p, p.arrangement)
    main = context.simulate("motion", model, end=p.end, dt=p.dt, formulation="rows")
    outcome["motion"] = _motion(main)
    for name in ARRANGEMENTS:
        result = context.simulate(f"labeling-{name}", blocks(p, name), end=p.compare_end, dt=p.dt, formulation="rows")
        outcome[name] = _motion(result)
    pin = context.simulate("pin", blocks(p, p.arrangement, "pin"), end=p.compare_end, dt=p.dt)
    outcome["pin difference"] = float(max(
        np.abs(pin.position(point) - main.position(point)[: len(pin.times)]).max()
        for point in ("block123.1", "block123.2", "block245.4", "block245.5")
    ))  # fmt: skip
    steps = [p.dt / 2**k for k in range(4)]
    errors = []
    for k, dt in enumerate(steps):
        result = context.simulate(f"step-{k}", model, end=p.order_end, dt=dt, formulation="rows")
        errors.append(np.abs(result.angle("block123") - exact(p, result.times)[:, 0]).max())
    outcome |= {"steps": np.array(steps), "errors": np.array(errors), "exact": exact(p, outcome["motion"]["t"])}
    return outcome


def _motion(result: cd.Result) -> cd.Outcome:
    return {
        "t": result.times,
        "angles": (result.angle("block123"), result.angle("block245")),
        "rates": (result.angular_velocity("block123"), result.angular_velocity("block245")),
        "nodes": {k: result.position(f"block{'123' if k in '123' else '245'}.{k}") for k in "12345"},
        "J": result.angular_momentum[:, 2],
        "energy": result.energy["total"],
        "iterations": result.iterations,
    }


def exact(p: cd.Parameters, times: NDArray[np.float64]) -> NDArray[np.float64]:
    """θ and ω by the equation of the one degree of freedom, shape (times, 2).

    Node 2 is at −½ a sin θ (1, 1), the kinetic energy ω² A, A = I + ½ m a² sin² θ, and the loads do the work
    2 a f pulse(t) (cos θ ∓ sin θ) per angle, − for labeling (i) and + for (ii):  2 A ω̇ + A′ ω² = work per angle.
    """
    from scipy.integrate import solve_ivp

    mass = p.density * p.side**2
    inertia, swing = mass * p.side**2 / 6.0, 0.5 * mass * p.side**2
    sign = 1.0 if p.arrangement == "i" else -1.0

    def rates(t: float, state: NDArray[np.float64]) -> list[float]:
        theta, omega = state
        work = 2.0 * p.side * p.force * PULSE(t) * (np.cos(theta) - sign * np.sin(theta))
        A = inertia + swing * np.sin(theta) ** 2
        return [omega, (work - swing * np.sin(2.0 * theta) * omega**2) / (2.0 * A)]

    found = np.zeros((len(times), 2))
    state: Any = [0.0, 0.0]
    for first, last in ((0.0, 2.0), (2.0, 4.0), (4.0, max(float(times[-1]), 4.0 + 1e-9))):
        part: Any = solve_ivp(rates, (first, last), state, method="DOP853", rtol=1e-12, atol=1e-13, dense_output=True)
        inside = (times >= first) & (times <= last)
        if inside.any():
            found[inside] = part.sol(times[inside]).T
        state = part.y[:, -1]
    return found


def spread(motion: cd.Outcome) -> float:
    """Largest deviation of the energy from its value at t = 4, relative."""
    energy = motion["energy"][motion["t"] >= FREE - 1e-9]
    return float(np.abs(energy / energy[0] - 1.0).max())


def node_2_error(motion: cd.Outcome) -> float:
    """Largest distance of node 2 from −3 sin θ (1, 1)."""
    return float(np.abs(motion["nodes"]["2"] + 3.0 * np.sin(motion["angles"][0])[:, None]).max())


def energy_error(motion: cd.Outcome) -> float:
    """Largest relative deviation of the kinetic energy from ω² (432 + 1296 sin² θ) without load."""
    free = motion["t"] >= FREE - 1e-9
    closed = motion["rates"][0] ** 2 * (432.0 + 1296.0 * np.sin(motion["angles"][0]) ** 2)
    return float(np.abs(closed[free] / motion["energy"][free] - 1.0).max())


def opposite(motion: cd.Outcome) -> float:
    """Largest sum of the two angles."""
    return float(np.abs(motion["angles"][0] + motion["angles"][1]).max())


def angle_at(motion: cd.Outcome, t: float, block: int) -> float:
    """Angle of a block at a time."""
    return float(np.interp(t, motion["t"], motion["angles"][block]))


def order(outcome: cd.Outcome) -> float:
    """Order of convergence to the exact motion, from the two smallest steps."""
    return float(np.log2(outcome["errors"][-2] / outcome["errors"][-1]))


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Figures 17, 18 and 19, and the convergence to the exact motion."""
    from matplotlib.figure import Figure

    motion = outcome["motion"]
    t, theta = motion["t"], outcome["exact"][:, 0]
    history = Figure(figsize=(5.6, 6.0))
    top, bottom = history.subplots(2, 1, sharex=True, height_ratios=(1.6, 1.0))
    styles = {"1": "-", "3": "--", "2": "-", "4": ":", "5": "-."}
    for name, line in styles.items():
        width = 2.4 if name == "2" else 1.2
        height = motion["nodes"][name][:, 1] - motion["nodes"][name][0, 1]
        top.plot(t, height, line, linewidth=width, label=f"node {name}", zorder=3 if name == "2" else 2)
    if p.arrangement != "diagonal":  # which has no closed form
        node_2 = -0.5 * p.side * np.sin(theta[::6])
        top.plot(t[::6], node_2, "ko", markersize=2.4, zorder=4, label="node 2, exact motion")
    top.set(ylabel="vertical displacement (–)", ylim=(-14.0, 19.0))
    top.legend(loc="upper center", ncols=3, fontsize="small")
    bottom.plot(t, motion["energy"])
    bottom.axvspan(0.0, FREE, color="0.92", zorder=0)
    bottom.set(
        xlabel="time (–)", ylabel="kinetic energy (–)", xlim=(0.0, p.end), ylim=(0.0, 1.25 * motion["energy"].max())
    )
    bottom.text(0.98, 0.5, "published: constant after the loads vanish (t = 4)", ha="right", transform=bottom.transAxes)

    convergence = Figure(figsize=(4.4, 3.4))
    panel = convergence.subplots()
    steps, errors = outcome["steps"], outcome["errors"]
    panel.loglog(steps, errors, "o-", label="largest error of the angle")
    panel.loglog(steps, 0.6 * errors[-1] * (steps / steps[-1]) ** 2, "k:", label="second order")
    panel.set(xlabel="time step (–)", ylabel="error of the angle (rad)")
    panel.set_xticks(steps, [f"{step:g}" for step in steps])
    panel.minorticks_off()
    panel.legend(loc="upper left")
    return {"blocks_history": history, "blocks_positions": _positions(outcome, p), "blocks_convergence": convergence}


def _positions(outcome: cd.Outcome, p: cd.Parameters) -> Figure:
    """The blocks at eight times of the first revolution; a cross marks the initial place of node 2."""
    from matplotlib import rcParams
    from matplotlib.figure import Figure
    from matplotlib.patches import Polygon

    motion = outcome["motion"]
    colours = rcParams["axes.prop_cycle"].by_key()["color"]
    turn = np.searchsorted(motion["angles"][0], 2.0 * np.pi)
    chosen = np.searchsorted(motion["angles"][0], np.linspace(0.0, 2.0 * np.pi, 9)[:-1])
    figure = Figure(figsize=(6.6, 3.6))
    for panel, k in zip(figure.subplots(2, 4, sharex=True, sharey=True).flat, chosen, strict=True):
        nodes = {name: path[k] for name, path in motion["nodes"].items()}
        for (first, second), colour in zip((("1", "3"), ("4", "5")), colours, strict=False):
            fourth = nodes[first] + nodes[second] - nodes["2"]
            corners = [nodes["2"], nodes[first], fourth, nodes[second]]
            panel.add_patch(Polygon(corners, facecolor=colour, alpha=0.25, edgecolor="none"))
            panel.add_patch(Polygon(corners, fill=False, edgecolor=colour, linewidth=1.2))
            panel.plot(*np.array([nodes[first], nodes[second]]).T, color=colour, linewidth=0.7, linestyle="--")
        panel.plot(*motion["nodes"]["2"][: turn + 1].T, color="0.4", linewidth=0.8)
        panel.plot(0.0, 0.0, "k+", markersize=7)
        panel.plot(*nodes["2"], "ko", markersize=3)
        for name, place in nodes.items():
            panel.annotate(name, place, (2, 2), textcoords="offset points", fontsize="x-small")
        panel.set(aspect="equal", xlim=(-9, 9), ylim=(-9, 9), xticks=(-6, 0, 6), yticks=(-6, 0, 6))
    return with_times(figure, motion["t"][chosen])


SECTION = "Taylor 2000, section 7.3"

CLAIMS = [
    cd.Claim("sum of the two rotations, (i)", "0: equal and opposite", lambda o: opposite(o["i"]), tolerance=1e-10,
             unit="rad",
             kind="published", origin=f"{SECTION}: 123 counter-clockwise, 245 clockwise with equal angular velocity"),
    cd.Claim("sum of the two rotations, (ii)", "0: equal and opposite", lambda o: opposite(o["ii"]), tolerance=1e-10,
             unit="rad",
             kind="published", origin=f"{SECTION}: 123 counter-clockwise, 245 clockwise with equal angular velocity"),
    cd.Claim("rotation of block 123 at t = 60, (i)", 4.0845, lambda o: angle_at(o["i"], 60.0, 0), tolerance=0.02,
             unit="rad", kind="closed form", origin="exact motion by DOP853; positive: counter-clockwise"),
    cd.Claim("rotation of block 123 at t = 60, (ii)", 4.4310, lambda o: angle_at(o["ii"], 60.0, 0), tolerance=0.02,
             unit="rad", kind="closed form", origin="exact motion by DOP853; positive: counter-clockwise"),
    cd.Claim("angular momentum", "0 at all times", lambda o: max(np.abs(o[k]["J"]).max() for k in ("motion", "i", "ii")),
             tolerance=1e-9, kind="published", origin=f"{SECTION}: no resultant force nor couple"),
    cd.Claim("energy", "constant for t ≥ 4", lambda o: spread(o["motion"]), tolerance=1e-10,
             kind="published", origin=f"{SECTION}, figure 19"),
    cd.Claim("revolutions by t = 300", "several", lambda o: o["motion"]["angles"][0][-1] / (2.0 * np.pi), tolerance=3.0,
             sense="above", kind="published", origin=f"{SECTION}, figure 18: several revolutions", full_only=True),
    cd.Claim("node 2 against −3 sin θ (1, 1)", "the same", lambda o: node_2_error(o["motion"]), tolerance=1e-9,
             kind="closed form", origin="the centre of mass stays, mirror symmetry about the 45° line"),
    cd.Claim("amplitude of node 2", 3.0, lambda o: np.abs(o["motion"]["nodes"]["2"][:, 1]).max(), tolerance=0.005,
             kind="closed form", origin="half a side, since node 2 = −3 sin θ (1, 1)"),
    cd.Claim("amplitude of node 2 over the range of node 1", "quite small",
             lambda o: np.abs(o["motion"]["nodes"]["2"][:, 1]).max() / np.ptp(o["motion"]["nodes"]["1"][:, 1]), tolerance=0.25,
             kind="published",
             origin=f"{SECTION}, figure 18: quite small; the bound of ¼ is ours"),
    cd.Claim("kinetic energy against ω² (432 + 1296 sin² θ), relative", "the same up to O(Δt²)",
             lambda o: energy_error(o["motion"]), tolerance=2e-3, kind="closed form", origin="exact motion"),
    cd.Claim("order of convergence to the exact motion", 2.0, order, tolerance=0.05,
             kind="property", origin="exact motion by DOP853"),
    cd.Claim("error of the angle at the smallest step", "small", lambda o: o["errors"][-1], tolerance=1e-3, unit="rad",
             kind="closed form", origin="exact motion by DOP853"),
    cd.Claim("pin joint and directors instead of the shared corner", "the same motion", lambda o: o["pin difference"],
             tolerance=1e-8, kind="relation", origin="a common corner needs no equation, a pin has two; the same mechanism"),
    cd.Claim("diagonal blocks: rotation of 123 at t = 60", 4.43, lambda o: angle_at(o["diagonal"], 60.0, 0),
             tolerance=0.02, unit="rad", kind="regression", origin="another reading of figure 16, a near miss"),
    cd.Claim("diagonal blocks: rotation of 245 at t = 60", -4.09, lambda o: angle_at(o["diagonal"], 60.0, 1),
             tolerance=0.01, unit="rad", kind="regression", origin="the same: not equal and opposite"),
    cd.Claim("diagonal blocks: largest angular momentum", "not 0: the dead loads acquire a couple",
             lambda o: np.abs(o["diagonal"]["J"]).max(), tolerance=1.0, sense="above",
             kind="property", origin="so that the reading of figure 16 that is kept is the one without a couple"),
    cd.Claim.newton(3, lambda o: o["motion"]["iterations"].max()),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="taylor-2000")
