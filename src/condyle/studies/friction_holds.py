"""Friction that holds: a block on a slope for an hour, ten boxes, houses of cards.

Steps at the level of velocities with the exact cone of Coulomb. A block a little below the angle of friction does not creep, at
any step; above it, it slides as it should. Ten boxes stand on each other. Two cards lean against each other: they stand as long
as friction on the table is more than what a closed form asks for, and fall with less. So does a house of two storeys.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import condyle as cd

PARAMETERS = {
    "friction": cd.Parameter(0.3, "coefficient under the block"),
    "below": cd.Parameter(0.97, "slope of the block that stays, of the angle of friction"),
    "steep": cd.Parameter(0.5, "slope of the block that slides", "rad"),
    "gravity": cd.Parameter(9.81, "gravity", "m/s²"),
    "steps": cd.Parameter((1e-3, 2e-3, 5e-3, 1e-2, 2e-2), "time steps", "s"),
    "hour": cd.Parameter(3600.0, "time that the block stays with each of them", "s"),
    "boxes": cd.Parameter(10, "boxes of the stack"),
    "stack_end": cd.Parameter(2.0, "time that they stand", "s"),
    "card": cd.Parameter(0.2, "length of a card between the middles of its round ends", "m"),
    "edge": cd.Parameter(0.002, "radius of its ends", "m"),
    "lean": cd.Parameter(0.35, "angle of a card with the vertical", "rad"),
    "house_end": cd.Parameter(0.5, "time in which a house falls if it does", "s"),
    "halvings": cd.Parameter(7, "of the interval in which the least friction is looked for"),
}  # fmt: skip
QUICK = {
    "steps": (1e-3, 5e-3, 2e-2), "hour": 1.0, "boxes": 4, "stack_end": 0.05, "house_end": 0.2, "halvings": 7,
}  # fmt: skip
INPUTS = ("friction", "steep", "gravity", "lean")
SIZE, DENSITY = (0.2, 0.1, 0.1), 1000.0
CARD = 0.01  # mass of a card [kg]
PART = 100_000  # steps that are run at once
ROUGH, SMOOTH = 0.6, 0.15  # friction of houses of two storeys


def on_a_slope(p: cd.Parameters, angle: float) -> cd.Model:
    """A block on a plane, gravity tilted by an angle."""
    model = cd.Model("slope", dimension=3, gravity=(p.gravity * np.sin(angle), 0.0, -p.gravity * np.cos(angle)))
    block = model.add(cd.RigidBody.box("block", SIZE, DENSITY, position=(0.0, 0.0, 0.5 * SIZE[2])))
    x, y, z = (0.5 * size for size in SIZE)
    feet = [(a * x, b * y, -z) for a in (-1.0, 1.0) for b in (-1.0, 1.0)]
    model.add(cd.Contact("floor", block, feet, model.ground, cd.Plane((0, 0, 1)), friction=p.friction))
    return model


def stack(p: cd.Parameters) -> cd.Model:
    """Boxes on each other, of 8 kg each."""
    model = cd.Model("stack", dimension=3, gravity=(0.0, 0.0, -p.gravity))
    boxes = [
        model.add(cd.RigidBody.box(f"box {k}", (0.2,) * 3, DENSITY, position=(0, 0, 0.1 + 0.2 * k)))
        for k in range(p.boxes)
    ]
    model.add(cd.Collisions("boxes", boxes, cd.Plane((0, 0, 1)), friction=p.friction))
    return model


def house(p: cd.Parameters, friction: float) -> cd.Model:
    """Two cards that lean against each other, in the plane."""
    model = cd.Model("house", dimension=2, gravity=(0.0, -p.gravity))
    half, mass = 0.5 * p.card, CARD
    place = np.array([p.edge + half * np.sin(p.lean), p.edge + half * np.cos(p.lean)])
    cards = {}
    for name, side in (("left", -1.0), ("right", 1.0)):
        model.add(
            cd.RigidBody(
                name,
                mass,
                inertia=mass * p.card**2 / 12.0,
                position=(side * place[0], place[1]),
                rotation=side * p.lean,
            )
        )
        cards[name] = cd.Capsule((0.0, -half), (0.0, half), p.edge)
    model.add(cd.Collisions("cards", cards, cd.Plane((0, 1)), friction=friction))
    return model


def two_storeys(p: cd.Parameters, friction: float) -> cd.Model:
    """Seven cards in the plane: two pairs side by side, a card that lies on both, a third pair on it."""
    model = cd.Model("house of two storeys", dimension=2, gravity=(0.0, -p.gravity))
    half, inertia = 0.5 * p.card, CARD * p.card**2 / 12.0
    aside, up = p.edge + half * np.sin(p.lean), p.edge + half * np.cos(p.lean)
    pairs = [(-2.0 * aside, 0.0), (2.0 * aside, 0.0), (0.0, 2.0 * (up + p.edge))]
    places = [(x + side * aside, y + up, side * p.lean) for x, y in pairs for side in (-1.0, 1.0)]
    cards = {}
    for k, (x, y, turn) in enumerate([*places, (0.0, 2.0 * up + p.edge, 0.5 * np.pi)]):
        model.add(cd.RigidBody(f"card {k}", CARD, inertia=inertia, position=(x, y), rotation=turn))
        cards[f"card {k}"] = cd.Capsule((0.0, -half), (0.0, half), p.edge)
    model.add(cd.Collisions("cards", cards, cd.Plane((0, 1)), friction=friction))
    return model


def least_friction(p: cd.Parameters) -> float:
    """μ that the cards need on the table: moments about the point where they touch, ½ l sin α/(l cos α + r)."""
    return float(0.5 * p.card * np.sin(p.lean) / (p.card * np.cos(p.lean) + p.edge))


def creep(p: cd.Parameters, dt: float) -> tuple[float, float]:
    """Largest speed [m/s] of a block below the angle of friction at any step of an hour, and how far it has gone [m].

    Energies are kept of every step, so that it is run in parts of a hundred thousand steps. The speed is √(2 T/m), with the
    energy of turning in it: the block is not faster.
    """
    system = cd.compile(on_a_slope(p, p.below * float(np.arctan(p.friction))))
    mass, steps, state, fastest = DENSITY * float(np.prod(SIZE)), round(p.hour / dt), None, 0.0
    start = end = np.zeros(3)
    for done in range(0, steps, PART):
        until = min(done + PART, steps)
        result = cd.simulate(system, end=until * dt, dt=dt, state=state, every=PART, integrator=cd.Nonsmooth())
        fastest = max(fastest, float(np.sqrt(2.0 * result.energy["kinetic"].max() / mass)))
        start, end = (result.position("block")[0] if state is None else start), result.position("block")[-1]
        state = result
    return fastest, float(np.linalg.norm(end - start))


def fallen(p: cd.Parameters, friction: float) -> float:
    """How far the left card has sunk [m]."""
    result = cd.simulate(house(p, friction), end=p.house_end, dt=2e-3, integrator=cd.Nonsmooth())
    height = result.position("left")[:, 1]
    return float(height[0] - height[-1])


def run(p: cd.Parameters, context: cd.Context) -> Iterator[cd.Outcome]:
    """All of it."""
    stayed = [creep(p, dt) for dt in p.steps]
    outcome: cd.Outcome = {"creep": [v for v, _ in stayed], "way": [way for _, way in stayed], "slides": []}
    outcome["rounding"] = max(v / (p.gravity * dt) for v, dt in zip(outcome["creep"], p.steps, strict=True))
    for dt in p.steps:
        result = cd.simulate(on_a_slope(p, p.steep), end=1.0, dt=dt, integrator=cd.Nonsmooth())
        outcome["slides"].append((result.times, result.velocity("block")[:, 0]))
    outcome["least"] = least_friction(p)
    yield outcome
    standing = context.simulate("stack", stack(p), end=p.stack_end, dt=5e-3, integrator=cd.Nonsmooth())
    outcome["stack"] = max(float(np.abs(standing.velocity(f"box {k}")).max()) for k in range(p.boxes))
    outcome["weight"] = float(standing.contact("boxes").between("box 0", "ground")[-1, 2])
    outcome["unsolved"] = standing.unsolved_steps
    low, high = 0.5 * outcome["least"], 1.5 * outcome["least"]
    for _ in range(p.halvings):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if fallen(p, middle) > 1e-6 else (low, middle)
    outcome["found"] = 0.5 * (low + high)
    for name, friction in (("rough", ROUGH), ("smooth", SMOOTH)):
        result = context.simulate(
            f"two storeys, {name}", two_storeys(p, friction), end=p.house_end, dt=2e-3, integrator=cd.Nonsmooth()
        )
        ways = [np.abs(result.position(f"card {k}") - result.position(f"card {k}")[0]).max() for k in range(7)]
        outcome[name] = float(max(ways))
        if name == "rough":
            feet = [result.contact("cards").between(f"card {k}", "ground")[-1, 1] for k in range(4)]
            outcome["table"] = float(sum(feet))
    outcome["stands"], outcome["falls"] = (fallen(p, share * outcome["least"]) for share in (1.02, 0.98))
    yield outcome


def figures(outcome: cd.Outcome, p: cd.Parameters) -> cd.Figures:
    """Speeds of the block that stays, at each step, and of the one that slides."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.0, 3.2))
    left, right = figure.subplots(1, 2)
    left.loglog(1e3 * np.array(p.steps), np.maximum(outcome["creep"], 1e-18), "o-", label="largest speed")
    left.axhline(1e-9, color="0.6", linewidth=1.0, label="1e-9 m/s")
    left.set(xlabel="step (ms)", ylabel="speed (m/s)", title="below the angle of friction", ylim=(1e-18, 1e-8))
    left.legend(fontsize="x-small")
    for dt, (t, speed) in zip(p.steps, outcome["slides"], strict=True):
        right.plot(t, speed, label=f"{1e3 * dt:g} ms", linewidth=1.2)
    right.set(xlabel="time (s)", ylabel="speed (m/s)", title="above it")
    right.legend(fontsize="x-small")
    figure.tight_layout()
    return {"friction_holds": figure}


CLAIMS = [
    cd.Claim("block below the angle of friction: largest speed in an hour, any step", "none", lambda o: max(o["creep"]),
             kind="property", unit="m/s", tolerance=1e-9, origin="what sticks does not move"),
    cd.Claim("the same over the speed that gravity would give it in a step", "round-off", lambda o: o["rounding"],
             kind="property", tolerance=1e-13,
             origin="each step finds the velocity anew, so that it does not add up"),
    cd.Claim("the same: way after an hour, shortest step", "none", lambda o: o["way"][0], kind="property", unit="m",
             tolerance=1e-9, origin="what sticks does not move"),
    cd.Claim("the same: way after an hour, any step", "none", lambda o: max(o["way"]), kind="property", unit="m",
             tolerance=1e-9, origin="what sticks does not move"),
    cd.Claim("block above it: speed after 1 s, any step", 2.12044,
             lambda o: max((float(v[-1]) for _, v in o["slides"]), key=lambda v: abs(v - 2.12044)), kind="closed form",
             unit="m/s", tolerance=1e-4, origin="g (sin θ − μ cos θ) t"),
    cd.Claim("block above it: speeds at all steps differ by", "nothing",
             lambda o: float(np.ptp([v[-1] for _, v in o["slides"]])), kind="property", unit="m/s", tolerance=1e-8,
             origin="a constant force is integrated exactly"),
    cd.Claim("stack: largest speed", "none", lambda o: o["stack"], kind="property", unit="m/s", tolerance=1e-8,
             origin="it stands"),
    cd.Claim("stack: steps that were not solved", "none", lambda o: float(o["unsolved"]), kind="property", tolerance=0,
             origin="tolerance of the method"),
    cd.Claim("cards: least friction on the table", 0.1806, lambda o: o["found"], kind="closed form", tolerance=2.5e-3,
             origin="½ l sin α/(l cos α + r)"),
    cd.Claim("cards: how far they sink with 1.02 of it", "nothing", lambda o: abs(o["stands"]), kind="property", unit="m",
             tolerance=1e-9, origin="it stands"),
    cd.Claim("cards: how far they sink with 0.98 of it", (1e-4, 0.2), lambda o: o["falls"], kind="property", unit="m",
             origin="it falls"),
    cd.Claim("house of two storeys, seven cards: how far they move", "nothing", lambda o: o["rough"], kind="property", unit="m",
             tolerance=1e-9, origin="it stands"),
    cd.Claim("the same: force on the table", 0.68670, lambda o: o["table"], kind="closed form", unit="N", tolerance=1e-6,
             origin="the weight of seven cards"),
    cd.Claim("the same with less friction than one pair needs: how far they move", (1e-3, 1.0), lambda o: o["smooth"],
             kind="property", unit="m", origin="it falls"),
]  # fmt: skip

STUDY = cd.Study.of_module(globals(), source="beyond")
