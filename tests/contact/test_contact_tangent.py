"""The matrix of contact is the derivative of its equations, for every law, status, dimension and method."""

from __future__ import annotations

import numpy as np
import pytest

import condyle as cd
from condyle.analysis import statics
from condyle.analysis.checks.tangent import start_of_step
from condyle.bodies.cuts import cut
from condyle.integrators import energy_momentum, generalized_alpha
from condyle.system.compile import running
from condyle.system.system import System

CURVE = [(1.0, 0.0), (0.8, 0.9), (0.0, 1.1), (-0.9, 0.7), (-1.2, -0.2), (-0.3, -0.9), (0.6, -0.8)]
RUBBER = cd.NeoHookean(100.0, 0.3, 10.0)


def plane_model(law: str, friction: float, shape: cd.Surface, formulation: str = "tangent") -> System:
    model = cd.Model("pressed", dimension=2)
    block = model.add(cd.Solid.block("block", (1.6, 0.4), (3, 1), RUBBER, origin=(-0.8, 0.95)))
    roller = model.add(cd.RigidBody("roller", 2.0, inertia=0.5, position=(0.05, 0.0), rotation=0.2))
    model.add(cd.Contact("touch", block, "bottom", roller, shape, law=law, friction=friction, stiffness=300.0))
    return running(model, formulation=formulation)


def space_model(law: str, friction: float, shape: cd.Surface) -> System:
    model = cd.Model("pressed", dimension=3)
    block = model.add(cd.Solid.block("block", (1.2, 1.2, 0.4), (1, 1, 1), RUBBER, origin=(-0.6, -0.6, 0.55)))
    ball = model.add(cd.RigidBody("ball", 2.0, inertia=(0.5, 0.6, 0.7), rotation=(0.1, 0.2, 0.3)))
    stone = model.add(cd.RigidBody("stone", 1.0, inertia=(0.1, 0.1, 0.1), position=(0.0, -1.2, 0.3)))
    model.add(cd.Contact("touch", block, "back", ball, shape, law=law, friction=friction, stiffness=300.0))
    model.add(
        cd.Contact(
            "hit", stone, [(0.0, 0.3, 0.0), (0.1, 0.2, 0.1)], ball, shape, law=law, friction=friction, stiffness=200.0
        )
    )
    return running(model)


def step_of(method: str, system: System, state: cd.State):
    if method == "statics":
        return statics._Step(statics.Statics(), system, state, 0.1)
    if method == "energy–momentum":
        return energy_momentum._Step(energy_momentum.EnergyMomentum(), system, state, 0.05)
    return generalized_alpha._Step(generalized_alpha.GeneralizedAlpha(), system, state, 0.05)


def check(
    system: System, method: str, seed: int, far: float = 0.03, h: float = 1e-6, *, singly: bool = False
) -> set[int]:
    """Compare matrix and differences some way `far` [m] off; returns the statuses that occurred.

    h: step of the differences, which are of fourth order (Richardson's extrapolation): where stiff elements make large forces
    of round-off, a longer step than 1e-6 leaves less of it and still no error of its own.
    """
    rng = np.random.default_rng(seed)
    state = start_of_step(system, rng)
    problem = system.contact
    assert problem is not None
    problem._overlap = lambda pair, x, heavy: np.zeros(pair.count)  # bodies overlap here on purpose
    state.memory |= problem.start(state, 0.05)
    force = state.memory["contact force"]
    force[:] = (
        -8.0 * rng.uniform(0.0, 1.0, force.size)
        if (problem.pairs[0].friction == 0)
        else 8.0 * rng.uniform(-1, 1, force.size)
    )
    if "contact slip" in state.memory:
        state.memory["contact slip"][:] = 0.02 * rng.uniform(-1, 1, state.memory["contact slip"].shape)
    if "contact recent" in state.memory:  # as if points had moved and pressed in the step before
        state.memory["contact recent"][:] = rng.uniform(-1, 0, (problem.points, 2)) * (0.01, 5.0)
    step = step_of(method, system, state)
    n, total = system.unknowns, problem.unknowns
    move = np.zeros(total)
    move[: system.motion_unknowns] = far * rng.uniform(-1, 1, system.motion_unknowns)
    step.remember()
    step.apply(move, 1.0)
    step.remember()
    step.evaluate(True)
    contact = step.contact
    contact.problem._solver = _Nothing()
    contact.factor(system.scratch.A)
    A = np.zeros((total, total))
    p = problem.pattern
    A[p.rows(), p.indices] = contact.A
    status = contact.status.copy()

    def residual() -> np.ndarray:
        out = np.zeros(total)
        out[: system.motion_unknowns] = system.scratch.r[: system.motion_unknowns]
        live = system.multiplier_unknowns >= 0
        out[system.multiplier_unknowns[live]] = system.scratch.c[live]
        out[n:] = contact.c
        return out

    within = 2e-6
    for e in np.eye(total) if singly else directions(rng, n, total):
        found = []
        for far_off in (1.0, -1.0, 2.0, -2.0):
            step.apply(h * e, far_off)
            step.evaluate(False)
            assert (contact.status == status).all(), "choose another seed: a status changes within the difference"
            found.append(residual())
        wrong = np.abs(A @ e - (8.0 * (found[0] - found[1]) - (found[2] - found[3])) / (12.0 * h))
        scale = np.abs(A).max() if e[:n].any() else max(np.abs(A[:, n:]).max(), 1e-12)
        assert wrong[:n].max() < within * scale
        if total > n:
            assert wrong[n:].max() < within * max(1.0, np.abs(A[n:]).max())
    return set(status.tolist())


def directions(rng: np.random.Generator, n: int, total: int) -> list[np.ndarray]:
    """Four for the n unknowns of motion and joints, and four for those of contact: with all unknowns of a kind at once.

    A wrong entry of the matrix is felt in each of them at least in full, since all unknowns change by 1 to 2 or −2 to −1; that
    several wrong ones of a row cancel each other is not seen four times.
    """
    made = []
    for kind in (slice(0, n), slice(n, total)):
        for _ in range(4 if total > kind.start else 0):
            e = np.zeros(total)
            e[kind] = rng.choice((-1.0, 1.0), e[kind].size) * rng.uniform(1.0, 2.0, e[kind].size)
            made.append(e)
    return made


class _Nothing:
    """A linear solver that is not asked for anything."""

    def factor(self, values: np.ndarray) -> None:
        self.values = values


METHODS = ("statics", "energy–momentum", "generalized-α")


@pytest.mark.covering(2)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("law", "friction"), [("augmented", 0.0), ("augmented", 1.2), ("penalty", 0.0), ("penalty", 0.6)]
)
def test_the_tangent_in_the_plane_is_exact_on_a_turning_hermite_curve(law: str, friction: float, method: str):
    seen = set()
    for seed in (1, 2, 3, 4):
        seen |= check(plane_model(law, friction, cd.HermiteCurve(CURVE)), method, seed)
    assert seen >= {0, 2}
    assert friction == 0.0 or 1 in seen


@pytest.mark.covering(2)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("law", "friction"), [("augmented", 0.0), ("augmented", 1.2), ("penalty", 0.0), ("penalty", 1.2)]
)
def test_the_tangent_in_space_is_exact_on_a_turning_ellipsoid(law: str, friction: float, method: str):
    seen = set()
    for seed in (1, 2, 3, 4):
        seen |= check(space_model(law, friction, cd.Ellipsoid((1.4, 1.2, 0.85))), method, seed)
    assert seen >= {0, 2}
    assert friction == 0.0 or 1 in seen


def test_the_tangent_is_exact_where_rigid_bodies_are_held_by_multipliers():
    assert check(plane_model("augmented", 1.2, cd.HermiteCurve(CURVE), "rows"), "energy–momentum", 1)


def soft_pair(d: int, law: str, friction: float, points: str = "nodes", mesh: cd.Mesh | None = None) -> System:
    """Two soft blocks, one in the other; its nodes stand over the inside of facets. mesh: of the lower one."""
    model = cd.Model("two", dimension=d)
    mesh = cd.Mesh.block((1.0,) * d, (1,) * d, origin=(-0.5,) * d) if mesh is None else mesh
    low = model.add(cd.Solid.from_mesh("low", mesh, RUBBER))
    place = np.full(d, -0.24)
    place[1] = 0.4
    high = model.add(cd.Solid.block("high", (0.4,) * d, (1,) * d, RUBBER, origin=tuple(place + 0.05 * np.arange(d))))
    options = {"law": law, "friction": friction, "stiffness": 300.0, "points": points}
    model.add(cd.Contact("touch", high, "bottom", low, "top", **options))
    return running(model)


@pytest.mark.covering
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("d", (2, 3))
def test_the_tangent_of_gaps_and_slips_in_the_mean_is_exact(d: int, method: str):
    assert 2 in check(soft_pair(d, "augmented", 0.0, "mortar"), method, 1)
    seen = set()
    for law, friction in (("augmented", 0.05), ("augmented", 20.0), ("penalty", 0.05), ("penalty", 20.0)):
        seen |= check(soft_pair(d, law, friction, "mortar"), method, 1)
    assert seen >= {1, 2}


def half_of_wedges() -> cd.Mesh:
    """A block whose top is a quadrilateral beside two triangles."""
    block = cd.Mesh.block((1.0,) * 3, (2, 1, 1), origin=(-0.55, -0.5, -0.5))
    wedges = cut(cd.Mesh(block.nodes, block.cells[1:], "hex8"), "wedge6", axis=1)
    return cd.Mesh(block.nodes, {"hex8": block.cells[:1], "wedge6": wedges.cells}, "mixed", block.sets).check()


@pytest.mark.parametrize(
    ("law", "points"), [("augmented", "mortar"), ("penalty", "mortar"), ("penalty", "integration")]
)
def test_the_tangent_is_exact_over_triangles_beside_quadrilaterals(law: str, points: str):
    assert 2 in check(soft_pair(3, law, 0.0, points, half_of_wedges()), "statics", 1)
    for method in ("energy–momentum", "generalized-α") if points == "mortar" else ("energy–momentum",):
        assert check(soft_pair(3, law, 20.0, points, half_of_wedges()), method, 1) & {1, 2}


@pytest.mark.covering
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("law", ("augmented", "penalty"))
@pytest.mark.parametrize("d", (2, 3))
def test_the_tangent_is_exact_on_facets_that_deform(d: int, law: str, method: str):
    assert 2 in check(soft_pair(d, law, 0.0), method, 1)
    rubs = [check(soft_pair(d, law, friction), method, seed) for friction in (0.05, 1.2) for seed in (1, 2)]
    assert {1, 2} <= set().union(*rubs)


def curved_pair(body: str, law: str, friction: float) -> System:
    """A stone whose points are pressed into the side of an ANCF body that is bent."""
    d = 2 if body in ("cable", "beam") else 3
    model = cd.Model("curved", dimension=d)
    steel = cd.StVenantKirchhoff(100.0, 0.3, 10.0)
    if d == 2:
        line = [(-0.6, 0.05), (0.0, 0.15), (0.6, 0.0)]
        section = cd.RoundSection(0.05, steel) if body == "cable" else cd.RectangularSection(0.1, 0.1, steel)
        soft = model.add((cd.Cable if body == "cable" else cd.AncfBeam)("soft", line, 1, section))
        points = [(-0.3, -0.06), (0.15, -0.04), (0.3, 0.0)]
        stone = model.add(cd.RigidBody("stone", 1.0, inertia=0.1, position=(0.03, 0.2), rotation=0.1))
    else:
        kinds = {"plate": cd.Plate, "shell": cd.Shell}
        shape = lambda u, v: (u - 0.5, v - 0.5, 0.2 * u * v + 0.1 * u * u)  # noqa: E731
        soft = model.add(kinds[body].surface("soft", shape, (1.0, 1.0), (1, 1), steel, 0.06))
        points = [(-0.2, 0.1, 0.0), (0.2, 0.15, 0.1), (0.1, -0.2, 0.06), (-0.3, -0.25, 0.3)]
        stone = model.add(cd.RigidBody("stone", 1.0, inertia=(0.1, 0.2, 0.15), position=(0.02, 0.0, 0.01)))
    model.add(cd.Contact("touch", stone, points, soft, "top", law=law, friction=friction, stiffness=300.0))
    return running(model)


@pytest.mark.covering
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("law", ("augmented", "penalty"))
@pytest.mark.parametrize("body", ("cable", "beam", "plate", "shell"))
def test_the_tangent_is_exact_on_curved_bodies_that_deform(body: str, law: str, method: str):
    plane = body in ("cable", "beam")
    if plane:
        assert 2 in check(curved_pair(body, law, 0.0), method, 1)
    seeds = (1, 2) if plane else (1,)
    frictions = (0.05, 1.2) if plane else (0.05, 20.0)
    rubs = [check(curved_pair(body, law, friction), method, seed) for friction in frictions for seed in seeds]
    assert {1, 2} <= set().union(*rubs)
