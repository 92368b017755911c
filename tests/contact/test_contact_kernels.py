"""Contact in kernels: the same numbers as the laws, surfaces and pairs in Python, in one evaluation and in whole runs."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import condyle as cd
from condyle.contact.step import ContactStep
from condyle.integrators import loop
from condyle.integrators.compiled import CompiledMethod
from condyle.system import assembly
from contact_answers import answers

TURNED = ((0.8, -0.6, 0.0), (0.6, 0.8, 0.0), (0.0, 0.0, 1.0))
BULGE = [(0.0, -1.0), (1.2, -0.8), (1.3, 0.4), (0.6, 1.0), (0.0, 1.1), (-0.3, 0.0)]


def lumpy_ball() -> tuple[Any, Any]:
    """Nodes and triangles of a closed surface of about 1.1 m."""
    rng = np.random.default_rng(5)
    v = rng.standard_normal((80, 3))
    v /= np.linalg.norm(v, axis=1)[:, None]
    F = ConvexHull(v).simplices
    turned = np.einsum("fi,fi->f", v[F[:, 0]], np.cross(v[F[:, 1]] - v[F[:, 0]], v[F[:, 2]] - v[F[:, 0]])) < 0.0
    F[turned] = F[turned][:, ::-1]
    return (1.12 + 0.03 * np.sin(5.0 * v[:, :1])) * v, F


def hills() -> list[list[tuple[float, float, float]]]:
    """Points of a surface about 1.05 m high."""
    s = np.linspace(-1.2, 1.2, 7)
    return [[(x, y, 1.05 + 0.05 * np.sin(3.0 * x) * np.cos(2.0 * y)) for y in s] for x in s]


def plate() -> tuple[Any, Any, Any, Any]:
    """Nodes, cells, gradients and extents of four curved patches, 1.05 m high."""
    s = (-1.0, 0.0, 1.0)
    nodes = [(x, y, 1.05 + 0.1 * x * y) for y in s for x in s]
    slopes = [((1, 0, 0.1 * y), (0, 1, 0.1 * x + 0.1), (0, 0, 0.1)) for y in s for x in s]
    return nodes, [(k, k + 1, k + 4, k + 3) for k in (0, 1, 3, 4)], slopes, np.ones((4, 2))


SURFACES = {
    "plane": cd.Plane((0.1, 0.2, 1.0), (0, 0, 1.08)),
    "sphere": cd.Sphere(1.1),
    "socket": cd.Sphere(1.5, inside=True, centre=(0.0, 0.0, 2.6)),
    "cylinder": cd.Cylinder(1.1, (1.0, 0.2, 0.0)),
    "capsule": cd.Capsule((0, 0, 0), (0.1, 0.1, 1.0), 0.1),
    "box": cd.Box((2.0, 2.0, 2.2)),
    "round box": cd.Box((2.0, 2.0, 2.2), rounding=0.1, rotation=TURNED),
    "ellipsoid": cd.Ellipsoid((1.5, 1.3, 1.1), rotation=TURNED),
    "torus": cd.Torus(0.9, 0.6, (0.1, 1.0, 0.0)),
    "cylinder with ends": cd.Cylinder(1.2, (0.1, 0.2, 1.0), length=2.1),
    "bore": cd.Cylinder(1.2, (0.1, 0.0, 1.0), (0.0, 0.0, 2.2), length=2.4, inside=True),
    "cone": cd.Cone(1.6, 2.4, (0.1, 0.0, 1.0), (0.0, 0.0, -0.7)),
    "cut cone": cd.Cone(1.2, 1.9, (0.0, 0.1, 1.0), (0.0, 0.0, -0.8), top=0.8),
    "funnel": cd.Cone(0.05, 1.5, (0.0, 0.1, 1.0), (0.0, 0.0, 0.9), top=1.2, inside=True),
    "facets": cd.FacetSurface(*lumpy_ball()),
    "smooth facets": cd.FacetSurface(*lumpy_ball(), smooth=True),
    "smooth facets with creases": cd.FacetSurface(*lumpy_ball(), smooth=0.25),
    "hills": cd.SplineSurface(hills()),
    "hollow hills": cd.SplineSurface(hills()[::-1], inside=True),
    "plate that is rigid": cd.HermiteSurface(*plate()),
    "turned spline": cd.Revolution(cd.SplineCurve(BULGE), (0.1, 0.2, 1.0)),
    "turned curve": cd.Revolution(cd.HermiteCurve(BULGE, 0.4), (0.1, 0.0, 1.0)),
    "line": cd.Plane((0.1, 1.0), (0, 1.08)),
    "polygon": cd.FacetSurface([(1.2, -1), (1.1, 1), (0.0, 1.12), (-1.1, 0.9)], [(0, 1), (1, 2), (2, 3), (3, 0)]),
    "curve": cd.HermiteCurve([(1.3, 0), (0.8, 0.9), (0, 1.12), (-0.8, 0.8), (-1.2, 0), (0, -1)]),
    "spline": cd.SplineCurve([(1.5, 0.9), (0.5, 1.05), (-0.5, 1.1), (-1.5, 0.8)], closed=False),
    "hollow": cd.SplineCurve([(2.0, 2.6), (0.0, 4.6), (-2.0, 2.6), (0.0, 1.05)], inside=True),
    "circle": cd.Sphere(1.1),
    "ellipse": cd.Ellipsoid((1.5, 1.1)),
    "rectangle": cd.Box((2.0, 2.2)),
    "flat capsule": cd.Capsule((0, 0), (0.1, 1.0), 0.1),
}
FLAT = ("line", "circle", "ellipse", "rectangle", "flat capsule", "polygon", "curve", "spline", "hollow")
LAWS = {
    "hard": cd.Hard(),
    "spring": cd.SpringDashpot(1e4, damping=3.0),
    "foundation": cd.Foundation(0.2, 1e5, 0.3, dissipation=0.6),
    "switched foundation": cd.SmoothSwitch(cd.Foundation(0.2, 1e5, 0.3, dissipation=0.6), 0.01, 300.0),
    "hertz": cd.Hertz(1e5),
    "hunt": cd.HuntCrossley(1e5),
    "flores": cd.Flores(1e5, pulls=True),
    "hysteresis": cd.HertzHysteresis(1e5),
    "non-linear dashpot": cd.NonlinearDashpot(1e5, 2e4, 1.3, 1.1),
    "dashpot of the square": cd.NonlinearDashpot(1e5, 2e4, 1.3, 1.1, rate_exponent=2.0),
    "table": cd.ContactTable((0, 0.02, 0.05, 0.1), (0, 200.0, 300.0, 2000.0)),
    "table and back": cd.ContactTable((0, 0.02, 0.05, 0.1), (0, 200.0, 300.0, 2000.0), (0, 10.0, 290.0, 2000.0)),
    "switch": cd.SmoothSwitch(cd.SpringDashpot(1e4, damping=3.0), 0.01, 300.0),
    "jump by the distance": cd.SmoothSwitch(cd.Flores(1e5), 0.02, None, magnitude=True),
}
FRICTION = {
    "none": 0.0,
    "coulomb": 0.3,
    "stribeck": cd.Coulomb(0.2, 0.4, 0.1),
    "bristle": cd.Bristle(0.3, 2e3),
    "stronge": cd.Stronge(0.3, poisson=0.3),
    "regularised": cd.Regularised(0.3, 0.01),
    "lugre": cd.LuGre(0.3, 0.4, 0.1, 1e3, 1.0, 0.1),
}
CASES = [
    *itertools.product(SURFACES, ("hard", "spring"), ("none", "coulomb")),
    *itertools.product(("ellipsoid", "circle"), ("hertz", "hunt", "flores", "hysteresis"), ("none", "coulomb")),
    *itertools.product(("ellipsoid", "line"), ("spring",), ("stribeck", "bristle", "stronge", "regularised", "lugre")),
    ("ellipsoid", "hard", "stribeck"),
    *itertools.product(("ellipsoid", "line"), ("foundation", "switched foundation"), ("none", "regularised")),
    *itertools.product(
        ("ellipsoid", "line"),
        ("non-linear dashpot", "dashpot of the square", "table", "table and back", "switch", "jump by the distance"),
        ("none", "coulomb"),
    ),
]


def two_bodies(surface: str, law: str, friction: str) -> cd.Model:
    """A body with a few points over another one that carries a surface; both move and turn."""
    d = 2 if surface in FLAT else 3
    m = cd.Model("two bodies", dimension=d, gravity=(0.0,) * (d - 1) + (-9.81,))
    inertia: Any = (0.1, 0.12, 0.15) if d == 3 else 0.1
    points: Any = [(0.1, 0.0, -0.2), (-0.1, 0.05, -0.21), (0.02, -0.1, -0.18), (0.3, 0.2, 0.1)]
    over = m.add(cd.RigidBody("over", 1.0, inertia=inertia, position=(0.1, 0.2, 1.2) if d == 3 else (0.1, 1.2)))
    under = m.add(cd.RigidBody("under", 2.0, inertia=inertia))
    found = points if d == 3 else [(0.1, -0.2), (-0.1, -0.21), (0.02, -0.18)]
    law_, friction_ = LAWS[law], FRICTION[friction]
    layer: Any = cd.FacetSurface(found[:3], [(0, 1, 2)] if d == 3 else [(0, 2), (2, 1)])
    placed: Any = dict(points="integration") if law.endswith("foundation") else {}
    pressing = layer if placed else found
    m.add(
        cd.Contact(
            "touch", over, pressing, under, SURFACES[surface], law=law_, friction=friction_, overlap="resolve", **placed
        )
    )  # fmt: skip
    return m


def with_force(step: ContactStep, x0: Any, x1: Any, where: str) -> list[Any]:
    """The answers, and the force of the pair itself."""
    return [*answers(step, x0, x1, where), step.terms[0].force.copy()]


@pytest.mark.covering(2)
@pytest.mark.parametrize(("surface", "law", "friction"), CASES)
def test_kernels_and_python_answer_the_same(surface: str, law: str, friction: str) -> None:
    rng = np.random.default_rng(3)
    sim = cd.Simulation(two_bodies(surface, law, friction), dt=0.01)
    system, state = sim.system, sim.state.copy()
    problem: Any = system.contact
    table, memory = problem.touching, state.memory
    assert table is not None
    state.v = state.v + 0.3 * rng.standard_normal(state.v.shape)
    memory.pop("contact overlap", None)
    sizes = {"contact force": -5.0, "contact recent": -1e-3, "contact slip": 1e-4, "contact past": 0.05}
    for name in sizes.keys() & memory.keys():
        memory[name] = sizes[name] * (0.2 + rng.random(memory[name].shape))
    if "contact past" in memory:
        memory["contact past"][:, 0] *= 20.0  # came in fast
    x1, moved, turn = state.x.copy(), np.zeros_like(state.x), np.zeros((system.rows.bodies.shape[0], 3))
    assembly.first_step(system.rows, rng.standard_normal(x1.shape), 0.01, state.x, x1, moved, turn)
    closed = 0
    for where in ("end", "conserving", "mean"):
        kernels = with_force(ContactStep(problem, state, 0.01), state.x, x1, where)
        problem.touching = None
        python = with_force(ContactStep(problem, state, 0.01), state.x, x1, where)
        problem.touching = table
        closed += int((python[5] > 0).sum())
        for one, other in zip(kernels, python, strict=True):
            # Quotients between two depths that are close lose digits, in both.
            np.testing.assert_allclose(one, other, rtol=0.0, atol=1e-10 * np.abs(other).max(initial=1e-30))
    assert closed > 0


# --- whole runs -----------------------------------------------------------------------------------------------------------


def tripod(law: Any, friction: Any) -> cd.Model:
    """Three feet that fall askew on the ground, slide and come to rest."""
    m = cd.Model("tripod", gravity=(0, 0, -9.81))
    b = m.add(
        cd.RigidBody(
            "tripod", 1.0, inertia=(0.1, 0.1, 0.1), position=(0, 0, 0.03), velocity=(0.3, 0, -0.5),
            angular_velocity=(0.1, 0.5, 0.2),
        )
    )  # fmt: skip
    feet = [(0.1, 0, -0.02), (-0.05, 0.08, -0.02), (-0.05, -0.08, -0.02)]
    m.add(cd.Contact("floor", b, feet, m.ground, cd.Plane((0, 0, 1)), law=law, friction=friction))
    return m


def pendulum(law: Any, friction: Any) -> cd.Model:
    """A hinged bar that strikes another one and slides along it."""
    m = cd.Model("pendulum", dimension=2, gravity=(0, -9.81))
    bar = m.add(cd.RigidBody("bar", 1.0, inertia=0.05, position=(0.3, 0.0)))
    m.add(cd.Revolute("hinge", m.ground, bar.at(-0.3, 0.0)))
    rest = m.add(cd.RigidBody("rest", 2.0, inertia=0.1, position=(0.45, -0.1)))
    m.add(cd.Revolute("pivot", m.ground.at(0.45, -0.1), rest))
    m.add(cd.CoordinateSpring("spring", "pivot.angle", 20.0))
    capsule = cd.Capsule((-0.2, 0.0), (0.2, 0.0), 0.03)
    m.add(cd.Contact("touch", bar, [(0.25, -0.02)], rest, capsule, law=law, friction=friction))
    return m


def steps(sim: cd.Simulation, count: int) -> tuple[np.ndarray, int]:
    """Places and contact forces after each step, and how many steps were taken in Python."""
    out, python = [], 0
    for _ in range(count):
        python += bool(sim.step().in_python)
        out.append(np.concatenate((sim.state.x.ravel(), 1e-3 * sim.state.memory["contact force"])))
    return np.array(out), python


RUNS = {
    "spring": (cd.SpringDashpot(1e5), 0.0),
    "spring, friction": (cd.SpringDashpot(1e5), 0.4),
    "impact law": (cd.HuntCrossley(1e6), cd.Regularised(0.4, 1e-3)),
    "hard": (cd.Hard(), 0.0),
    "hard, friction": (cd.Hard(), 0.4),
    "restitution": (cd.Impact(0.5), 0.0),
}


@pytest.mark.covering(2)
@pytest.mark.parametrize(
    "method", [cd.EnergyMomentum(), cd.GeneralizedAlpha(), cd.BDF()], ids=["energy-momentum", "alpha", "BDF"]
)
@pytest.mark.parametrize("model", [tripod, pendulum])
@pytest.mark.parametrize("case", RUNS)
def test_compiled_steps_are_those_of_python(
    case: str, model: Any, method: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled, few = steps(cd.Simulation(model(*RUNS[case]), dt=1e-3, integrator=method), 120)
    monkeypatch.setattr(CompiledMethod, "why_in_python", lambda self, system: "asked for")
    python, every = steps(cd.Simulation(model(*RUNS[case]), dt=1e-3, integrator=method), 120)
    assert every == 120
    assert few < (
        100 if case == "hard, friction" else 40
    )  # only what is exceptional, as feet that strike, is left to Python
    np.testing.assert_allclose(compiled, python, rtol=0.0, atol=1e-9)


def soft_block(law: Any) -> cd.Model:
    """A plane mesh with inertia that lies on a slope, on five of its nodes."""
    m = cd.Model("block", dimension=2, gravity=(2.0, -9.81))
    soft = m.add(cd.Solid.block("soft", (0.4, 0.2), (4, 2), cd.Robust(1e5, 0.3, 1000.0), velocity=(0.5, 0.0)))
    m.add(cd.Contact("floor", soft, "bottom", m.ground, cd.Plane((0, 1)), law=law))
    return m


@pytest.mark.parametrize("law", [cd.Hard(), cd.SpringDashpot(1e5)], ids=["hard", "soft"])
@pytest.mark.parametrize(
    "method",
    [cd.EnergyMomentum(), cd.GeneralizedAlpha(), cd.GeneralizedAlpha(hold="positions"), cd.BDF(hold="positions")],
    ids=["energy-momentum", "alpha", "alpha, positions", "BDF, positions"],
)
def test_a_mesh_in_contact_is_stepped_in_compiled_code_as_in_python(
    method: Any, law: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    compiled, few = steps(cd.Simulation(soft_block(law), dt=1e-3, integrator=method), 60)
    reason = method.why_in_python(cd.Simulation(soft_block(law), dt=1e-3, integrator=method).system)
    positions = getattr(method, "hold", "") == "positions"
    if isinstance(law, cd.Hard) and isinstance(method, cd.GeneralizedAlpha) and not positions:
        assert reason == "bodies that deform are in hard contact, with hold='all'"
    else:
        assert reason == "" and few < 30  # where nodes close anew, it is Python's
    monkeypatch.setattr(CompiledMethod, "why_in_python", lambda self, system: "asked for")
    python, every = steps(cd.Simulation(soft_block(law), dt=1e-3, integrator=method), 60)
    assert every == 60
    np.testing.assert_allclose(compiled, python, rtol=0.0, atol=1e-8)


def rocker(laws: tuple[Any, ...], friction: float, moving: bool) -> cd.Model:
    """A body with an arm that hangs loose on it slides on two feet, on the ground or on a floor that shakes."""
    m = cd.Model("rocker", dimension=2, gravity=(0, -9.81))
    body = m.add(cd.RigidBody("body", 2.0, inertia=0.05, position=(0.0, 0.1), velocity=(0.3, 0.0)))
    arm = m.add(cd.RigidBody("arm", 0.5, inertia=0.01, position=(0.05, 0.4)))
    m.add(cd.Pin("hinge", body, arm, at=(0.0, 0.15)))
    shift = (lambda t: 0.05 * np.sin(8.0 * t), lambda t: 0.01 * np.sin(12.0 * t))
    floor = m.add(cd.Frame("floor", shift=shift)) if moving else m.ground
    for k, law in enumerate(laws):
        foot = (0.4 * k - 0.2, -0.1)
        m.add(cd.Contact(f"foot {k}", body, [foot], floor, cd.Plane((0, 1)), law=law, friction=friction))
    return m


@pytest.mark.covering(2)
@pytest.mark.parametrize(
    ("method", "friction"),
    [
        (cd.GeneralizedAlpha(), 0.0), (cd.GeneralizedAlpha(), 0.3), (cd.Newmark(0.3025, 0.6), 0.0), (cd.BDF(), 0.0),
        (cd.BDF(), 0.3), (cd.HHT(hold="positions"), 0.3),
    ],
    ids=["alpha", "alpha, friction", "Newmark", "BDF", "BDF, friction", "HHT, positions"],
)  # fmt: skip
@pytest.mark.parametrize("laws", [
    (cd.Hard(), cd.SpringDashpot(1e5)), (cd.SpringDashpot(1e5), cd.Hard()), (cd.SpringDashpot(1e5),) * 2,
], ids=["hard, soft", "soft, hard", "soft"])  # fmt: skip
@pytest.mark.parametrize("moving", [False, True], ids=["ground", "floor"])
def test_soft_contacts_beside_hard_ones_and_floors_that_move_are_stepped_as_in_python(
    moving: bool, laws: Any, method: Any, friction: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Motion, forces, reactions of the hinge, and the work of the floor."""

    def run() -> cd.Result:
        return cd.simulate(rocker(laws, friction, moving), end=0.06, dt=1e-3, integrator=method)

    compiled = run()
    monkeypatch.setattr(CompiledMethod, "why_in_python", lambda self, system: "asked for")
    python = run()
    assert sum(compiled.in_python.values()) < 10 and sum(python.in_python.values()) == 60
    here, there = compiled.state(-1), python.state(-1)
    np.testing.assert_allclose(here.x, there.x, rtol=0.0, atol=1e-9)
    np.testing.assert_allclose(here.v, there.v, rtol=0.0, atol=1e-7)
    np.testing.assert_allclose(here.multipliers, there.multipliers, rtol=0.0, atol=1e-5)
    for name in ("foot 0", "foot 1"):
        forces = python.contact(name).force
        assert np.abs(forces).max() > 1.0
        np.testing.assert_allclose(compiled.contact(name).force, forces, rtol=0.0, atol=1e-4)
    work = python.energy["work"]
    assert (np.abs(work).max() > 0.1) == moving
    np.testing.assert_allclose(compiled.energy["work"], work, rtol=0.0, atol=1e-9)


@pytest.mark.parametrize("law", [cd.SpringDashpot(1e5), cd.Impact(0.5)], ids=["soft", "impact"])
def test_backward_differences_look_back_over_no_step_in_which_a_point_meets_or_parts(law: Any) -> None:
    """A ball that falls and rebounds: the next step in the air is of order 1, whose velocity is how far it went over h."""
    m = cd.Model("ball", dimension=2, gravity=(0, -9.81))
    m.add(cd.PointMass("ball", 1.0, (0.0, 0.02)))
    m.add(cd.Contact("floor", "ball", "nodes", m.ground, cd.Plane((0, 1)), law=law))
    sim, h, anew, compiled = cd.Simulation(m, dt=1e-3, integrator=cd.BDF()), 1e-3, 0, 0
    for k in range(150):
        before = sim.state
        compiled += not sim.step().in_python
        pressed = [bool(state.memory["contact force"].any()) for state in (before, sim.state)]
        plain = np.allclose(sim.state.v, (sim.state.x - before.x) / h, rtol=1e-9, atol=1e-12)
        lost = sim.state.memory["previous step"][0] == 0.0
        if isinstance(law, cd.SpringDashpot):
            assert lost == (pressed[0] != pressed[1])
            assert plain or not lost
        if k > 0 and not (pressed[1] or lost):
            assert plain == (before.memory["previous step"][0] == 0.0)
        anew += lost
    assert anew > 1 and compiled > 140


@pytest.mark.parametrize("case", ["spring, friction", "hard, friction"])
def test_steps_in_a_row_and_one_by_one_have_the_same_bits_and_memory(case: str) -> None:
    in_a_row, alone = (
        cd.simulate(tripod(*RUNS[case]), end=0.1, dt=1e-3, events=events).state(-1)
        for events in ([], [lambda sim: 1.0])
    )
    assert np.array_equal(in_a_row.x, alone.x)
    assert in_a_row.memory.keys() == alone.memory.keys()
    for name, array in alone.memory.items():
        assert np.array_equal(in_a_row.memory[name], array), name


def sledge(*laws: Any, moving: bool = False, hinges: int = 0) -> cd.Model:
    """A sledge with a contact of each law, on the ground or on a floor that moves; hinges: that say the same."""
    m = cd.Model("sledge", dimension=2, gravity=(0, -9.81))
    body = m.add(cd.RigidBody("sledge", 1.0, inertia=0.1, position=(0.0, 0.1)))
    floor = m.add(cd.Frame("floor", shift=(cd.Ramp(0.0, 1.0, 0.0, 0.1), 0.0))) if moving else m.ground
    for k, law in enumerate(laws):
        m.add(cd.Contact(f"foot {k}", body, [(0.2 * k - 0.1, -0.1)], floor, cd.Plane((0, 1)), law=law))
    for k in range(hinges):
        m.add(cd.Pin(f"hinge {k}", m.ground, body, at=(0.0, 0.1)))
    return m


@pytest.mark.filterwarnings("ignore::condyle.RedundancyWarning")
@pytest.mark.parametrize(
    ("model", "method", "reason"),
    [
        (sledge(cd.Hard(), hinges=2), cd.EnergyMomentum(), "constraints depend on each other, with contact"),
        (sledge(cd.Hard(), cd.SpringDashpot(1e5)), cd.EnergyMomentum(), ""),
        (sledge(cd.Hard(), moving=True), cd.EnergyMomentum(), ""),
        (sledge(cd.Hard(), hinges=1), cd.EnergyMomentum(), ""),
    ],
)
def test_the_reasons_for_steps_in_python_are_those_of_the_page(model: cd.Model, method: Any, reason: str) -> None:
    assert method.why_in_python(cd.Simulation(model, dt=1e-3, integrator=method).system) == reason


class Dune(cd.Plane):
    """A surface of one's own."""

    def __init__(self) -> None:
        super().__init__((0, 0, 1))


def test_what_is_not_compiled_says_why() -> None:
    m = cd.Model("dune", gravity=(0, 0, -9.81))
    b = m.add(cd.RigidBody("ball", 1.0, inertia=(1, 1, 1), position=(0, 0, 2)))
    m.add(cd.Contact("touch", b, [(0, 0, 0)], m.ground, Dune(), law=cd.Hertz(1e5)))
    assert "the Dune of 'touch' is not compiled" in cd.Simulation(m, dt=1e-3).step().in_python
    m["touch"].shape = cd.Plane((0, 0, 1))
    assert cd.Simulation(m, dt=1e-3).step().in_python == ""


COMPILED: dict[str, tuple[Any, Any]] = {
    "cone": (cd.Cone(0.5, 0.6, (0, 0, 1), (0, 0, -0.48)), cd.Hertz(1e6)),
    "cylinder with ends": (cd.Cylinder(0.5, (0, 0, 1), (0, 0, -0.5), length=1.0), cd.SpringDashpot(1e6)),
    "facets": (cd.FacetSurface([(-1, -1, 0), (1, -1, 0), (1, 1, 0), (-1, 1, 0.02)], [(0, 1, 2, 3)]), cd.Hertz(1e6)),
    "hills": (cd.SplineSurface(np.array(hills()) - (0, 0, 1.07)), cd.SpringDashpot(1e6)),
    "smooth facets": (
        cd.FacetSurface(np.array(lumpy_ball()[0]) - (0, 0, 1.16), lumpy_ball()[1], smooth=True),
        cd.Hertz(1e6),
    ),
    "turned curve": (cd.Revolution(cd.HermiteCurve(BULGE), (0, 0, 1), (0, 0, -1.17)), cd.SpringDashpot(1e6)),
    "table": (cd.Plane((0, 0, 1)), cd.ContactTable((0, 1e-3, 1e-2), (0, 50.0, 900.0), (0, 5.0, 900.0))),
    "switch": (cd.Plane((0, 0, 1)), cd.SmoothSwitch(cd.SpringDashpot(1e5, damping=30.0), 1e-4, 1e5)),
    "non-linear dashpot": (cd.Plane((0, 0, 1)), cd.NonlinearDashpot(1e6, 1e5)),
}


@pytest.mark.covering
@pytest.mark.parametrize("method", [cd.EnergyMomentum(), cd.GeneralizedAlpha()], ids=["energy-momentum", "alpha"])
@pytest.mark.parametrize("case", COMPILED)
def test_steps_over_every_surface_and_law_stay_in_compiled_code(case: str, method: Any) -> None:
    m = tripod(cd.SpringDashpot(1e5), 0.3)
    m["floor"].shape, m["floor"].law = COMPILED[case]
    sim = cd.Simulation(m, dt=1e-3, integrator=method)
    found, python = steps(sim, 60)
    assert python == 0
    assert (found[:, sim.state.x.size :] != 0.0).any()


def test_a_sliding_point_is_told_from_one_that_sticks() -> None:
    m = cd.Model("slope", dimension=2, gravity=(9.81 * np.sin(0.3), -9.81 * np.cos(0.3)))
    block = m.add(cd.PointMass("block", 1.0, position=(0.0, 0.0)))
    m.add(cd.Contact("floor", block, [(0.0, 0.0)], m.ground, cd.Plane((0, 1)), friction=0.2))
    sim = cd.Simulation(m, dt=1e-3)
    _, python = steps(sim, 200)
    assert python <= 2
    # v = (sin − μ cos) g t
    assert sim.velocity(block)[0] == pytest.approx(0.2 * 9.81 * (np.sin(0.3) - 0.2 * np.cos(0.3)), rel=1e-9)


def test_steps_with_and_without_contact_are_one_compiled_loop() -> None:
    for floor in (False, True):
        model = cd.Model("ball", dimension=3, gravity=(0.0, 0.0, -9.81))
        ball = model.add(cd.RigidBody("ball", 4.0, inertia=(0.02, 0.02, 0.02), position=(0.0, 0.0, 0.2)))
        if floor:
            plane = cd.Plane((0, 0, 1))
            model.add(cd.Contact("floor", ball, [(0, 0, -0.1)], model.ground, plane, law="penalty", stiffness=1e5))
        assert cd.simulate(model, end=0.01, dt=0.005).in_python == {}
    assert len({str(types[3]) for types in loop.run_steps.signatures}) == 1  # the table of contacts
