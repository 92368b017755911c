"""A rope bridge of planks that hang on stiff ropes, at steps of a hundredth of a second.

Planks in space, each tied to the next by a rope on either side. At rest they hang as the closed form of a funicular polygon
has it. Somebody walks to the middle and stands there, a gust blows from the side: with plain compliant ropes as much energy
appears from nowhere as gravity gives up, with geometric stiffness none, and energy–momentum keeps it exactly at the same step.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

import condyle as cd

PARAMETERS = {
    "planks": cd.Parameter(16, "planks, an even number"),
    "board": cd.Parameter(0.3, "length of a plank along the bridge", "m"),
    "rope": cd.Parameter(0.12, "length of a rope from plank to plank", "m"),
    "width": cd.Parameter(0.8, "width of the bridge", "m"),
    "mass": cd.Parameter(8.0, "mass of a plank", "kg"),
    "slack": cd.Parameter(1.06, "length of the bridge over its span"),
    "walker": cd.Parameter(80.0, "mass of the walker", "kg"),
    "pace": cd.Parameter(3.0, "time to walk to the middle", "s"),
    "stand": cd.Parameter(9.0, "time when the walker is looked at", "s"),
    "gust": cd.Parameter(60.0, "force of a gust on each plank, for half a second", "N"),
    "compliance": cd.Parameter(1e-10, "compliance of the ropes", "m/N"),
    "dt": cd.Parameter(0.01, "time step", "s"),
    "gravity": cd.Parameter(9.81, "gravity", "m/s²"),
}
QUICK = {"pace": 1.5, "stand": 5.0}
INPUTS = ("mass", "slack", "gravity", "board")


def span(p: cd.Parameters) -> float:
    """Of the bridge [m]."""
    return float((p.planks * p.board + (p.planks + 1) * p.rope) / p.slack)


def hanging(p: cd.Parameters, weights: NDArray[np.float64]) -> tuple[float, Any]:
    """Horizontal tension of both ropes [N], and the places of all ends of planks in the plane of the bridge [m].

    A rope has the slope V/H, with V the vertical force at its place; a plank, whose weight is in its middle, the mean of those
    at its ends: V falls by the weight of every plank. H is such that the ends are `span` apart and level.
    """
    weights = np.asarray(weights, dtype=float)
    before = np.concatenate(([0.0], np.cumsum(weights)))  # left of each rope

    def ends(H: float, first: float) -> NDArray[np.float64]:
        V = first - before
        rope, plank = V / H, 0.5 * (V[:-1] + V[1:]) / H
        slopes, lengths = np.zeros(2 * len(V) - 1), np.zeros(2 * len(V) - 1)
        slopes[0::2], slopes[1::2] = rope, plank
        lengths[0::2], lengths[1::2] = p.rope, p.board
        steps = lengths[:, None] * np.column_stack((np.ones_like(slopes), -slopes)) / np.sqrt(1.0 + slopes**2)[:, None]
        return np.vstack((np.zeros(2), np.cumsum(steps, axis=0)))

    unknown = np.array([0.5 * weights.sum() * p.slack, 0.5 * weights.sum()])
    for _ in range(100):  # Newton's method on the place of the last end
        value = ends(*unknown)[-1] - np.array([span(p), 0.0])
        moves = np.column_stack([(ends(*(unknown + dx))[-1] - ends(*(unknown - dx))[-1]) / (2.0 * dx.max())
                                 for dx in 1e-5 * unknown[0] * np.eye(2)])  # fmt: skip
        change = np.linalg.solve(moves, -value)
        change *= min(1.0, 0.3 * unknown[0] / max(np.abs(change).max(), 1e-300))
        unknown = unknown + change
        if np.abs(change).max() < 1e-12 * unknown[0]:
            break
    return float(unknown[0]), ends(*unknown)


def bridge(p: cd.Parameters, *, walker: bool = True) -> cd.Model:
    """The bridge along x, at rest as it hangs; with a walker, who goes from plank to plank as a load, and a gust along y."""
    model = cd.Model("bridge", dimension=3, gravity=(0.0, 0.0, -p.gravity))
    _, places = hanging(p, np.full(p.planks, p.mass * p.gravity))
    side = 0.5 * p.width
    ends: list[tuple[Any, Any]] = []
    for k in range(p.planks):
        a, b = places[2 * k + 1], places[2 * k + 2]
        middle, along = 0.5 * (a + b), (b - a) / p.board
        size = (p.board, p.width, 0.03)
        inertia = tuple(p.mass / 12.0 * (sum(s**2 for s in size) - size[i] ** 2) for i in range(3))
        plank = model.add(cd.RigidBody(
            f"plank {k}", p.mass, inertia=inertia, position=(middle[0], 0.0, middle[1]),
            rotation=cd.rotation(axis=(0, 1, 0), angle=-np.arctan2(along[1], along[0])),
        ))  # fmt: skip
        ends.append((plank, 0.5 * p.board))
    for s, name in ((side, "left"), (-side, "right")):
        for k in range(p.planks + 1):
            before = ends[k - 1][0].at(ends[k - 1][1], s, 0.0) if k else model.ground.at(0.0, s, 0.0)
            after = ends[k][0].at(-ends[k][1], s, 0.0) if k < p.planks else model.ground.at(span(p), s, 0.0)
            model.add(cd.Distance(f"{name} rope {k}", before, after, length=p.rope))
    if walker:
        steps = p.planks // 2
        t = np.linspace(0.0, p.pace, steps + 1)
        for k in range(steps):  # the weight goes over from one plank to the next, and stays on the last
            last = k + 1 == steps
            course = cd.Table(tuple(t[k : k + (2 if last else 3)]), (0.0, 1.0) if last else (0.0, 1.0, 0.0))
            model.add(cd.Load(f"foot {k}", ends[k][0], (0.0, 0.0, -p.walker * p.gravity), course))
        blow = cd.Table((p.pace, p.pace + 0.25, p.pace + 0.5), (0.0, 1.0, 0.0))
        for k in range(p.planks):
            model.add(cd.Load(f"gust {k}", ends[k][0], (0.0, p.gust, 0.0), blow))
    return model


METHODS: dict[str, Any] = {
    "compliant": lambda p: cd.Compliant(compliance=p.compliance),
    "geometric stiffness": lambda p: cd.Stabilised(compliance=p.compliance),
    "monitor": lambda p: cd.Stabilised(compliance=p.compliance, monitor="tanh"),
    "energy–momentum": lambda p: cd.EnergyMomentum(),
}


def walk(p: cd.Parameters, make: Any) -> cd.Outcome:
    """The walker and the gust: places of the plank in the middle, how far ropes come apart, energy from nowhere."""
    middle = f"plank {p.planks // 2 - 1}"
    result = cd.simulate(
        bridge(p), end=p.stand, dt=p.dt, integrator=make(p), energy_tolerance=np.inf, on_failure="return"
    )
    E = result.energy["total"] - result.energy["work"]
    return {
        "t": result.times,
        "path": result.position(middle),
        "gap": float(result.constraint_error.max()),
        "gained": float((E - np.minimum.accumulate(E)).max() / np.ptp(result.energy["gravity"])),
        "completed": result.status == "completed",
    }


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """The bridge at rest, then walks under all methods."""
    H, places = hanging(p, np.full(p.planks, p.mass * p.gravity))
    rest = cd.simulate(bridge(p, walker=False), end=0.5, dt=p.dt, integrator=METHODS["geometric stiffness"](p))
    moved = [np.abs(rest.position(f"plank {k}") - rest.position(f"plank {k}")[0]).max() for k in range(p.planks)]
    weights, k = np.full(p.planks, p.mass * p.gravity), p.planks // 2 - 1
    weights[k] += p.walker * p.gravity
    _, low = hanging(p, weights)
    at_rest = {
        "H": H,
        "tension": float(np.linalg.norm(rest.joint_force(f"left rope {p.planks // 2}")[-1])),
        "moved": float(max(moved)),
        "sag": float(-rest.position(f"plank {p.planks // 2 - 1}")[-1, 2]),
        "stands": 0.5 * (low[2 * k + 1] + low[2 * k + 2]),
        "shapes": (places, low),
    }
    yield at_rest
    yield at_rest | {"walks": {name: walk(p, make) for name, make in METHODS.items()}}


def settled(outcome: cd.Outcome, name: str = "geometric stiffness") -> float:
    """Height of the plank below the walker in the last two seconds, less that of the closed form [m]."""
    found = outcome["walks"][name]
    late = found["t"] > found["t"][-1] - 2.0
    return float(found["path"][late, 2].mean() - outcome["stands"][1])


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """The bridge empty and with the walker in the middle, and how the plank in the middle moves."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.5, 3.6))
    left, right = figure.subplots(1, 2)
    for places, label in zip(outcome["shapes"], ("empty", "with the walker"), strict=True):
        left.plot(places[:, 0], places[:, 1], ".-", markersize=4, linewidth=0.9, label=label)
    left.plot(*outcome["stands"], "kv", markersize=5)
    left.set(xlabel="along the bridge (m)", ylabel="height (m)", aspect="equal", title="closed form at rest")
    left.legend(fontsize="small", loc="upper center")
    for name, found in outcome["walks"].items():
        right.plot(found["t"], found["path"][:, 2], linewidth=0.9, label=name)
    right.axhline(outcome["stands"][1], color="k", linewidth=0.8, linestyle="--")
    right.set(xlabel="time (s)", ylabel="height of the plank in the middle (m)", title=f"steps of {1e3 * p.dt:g} ms")
    right.legend(fontsize="x-small")
    return {"rope_bridge": figure}


FUNICULAR = "slopes V/H of ropes, their means of planks"
CLAIMS = [
    cd.Claim("tension of a rope in the middle at rest", 506.55, lambda o: o["tension"], unit="N", tolerance=0.1,
             kind="closed form", origin=FUNICULAR),
    cd.Claim("how deep the middle hangs at rest", 0.9826, lambda o: o["sag"], unit="m", tolerance=5e-4, kind="closed form",
             origin=FUNICULAR),
    cd.Claim("largest motion of a plank in half a second at rest", "none", lambda o: o["moved"], unit="m", tolerance=2e-4,
             kind="closed form", origin=FUNICULAR),
    cd.Claim("mean height below the walker who stands, less the closed form", "none", settled, unit="m", tolerance=0.01,
             kind="closed form", origin=FUNICULAR),
    cd.Claim("energy from nowhere with geometric stiffness, of what gravity gives up", "none",
             lambda o: o["walks"]["geometric stiffness"]["gained"], tolerance=1e-3, kind="property",
             origin="it takes energy out"),
    cd.Claim("energy from nowhere without it, of what gravity gives up", "gains",
             lambda o: o["walks"]["compliant"]["gained"], tolerance=0.1, sense="above", kind="property",
             origin="forces of ropes as they were at the start of a step"),
    cd.Claim("largest error of a rope with geometric stiffness over that without", "smaller",
             lambda o: o["walks"]["geometric stiffness"]["gap"] / o["walks"]["compliant"]["gap"], tolerance=0.2,
             kind="relation", origin="the same step"),
    cd.Claim("energy–momentum: energy from nowhere", "none", lambda o: o["walks"]["energy–momentum"]["gained"],
             tolerance=1e-9, kind="property", origin="exact by method"),
    cd.Claim("runs that were completed", "all", lambda o: float(sum(not w["completed"] for w in o["walks"].values())),
             kind="property", tolerance=0, origin="steps of 10 ms"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
