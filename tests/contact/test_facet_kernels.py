"""Kernels of points over facets that deform, against the formulas in Python: feet, forces, matrices, common pieces."""

from __future__ import annotations

import numpy as np
import pytest

import condyle as cd
from condyle.bodies.overlap import common_pieces
from condyle.contact.deformable import FacetPair
from condyle.contact.mortar import MortarPair
from condyle.contact.response import Response
from condyle.system.compile import running
from condyle.system.running import RunningSystem

RUBBER = cd.NeoHookean(1e6, 0.3, 1000.0)
SEED = 7


def blocks(d: int, points: str, friction: float, *, triangles: bool = False) -> RunningSystem:
    """Two blocks on each other whose meshes do not match, the lower one on a rigid body that can turn."""
    model = cd.Model("blocks", dimension=d)
    mesh = cd.Mesh.block((1.0,) * d, (3,) * d, origin=(-0.5, -1.0, -0.5)[:d])
    low = model.add(cd.Solid.from_mesh("low", mesh.converted("tet4") if triangles else mesh, RUBBER))
    high = model.add(cd.Solid.block("high", (0.7,) * d, (2,) * d, RUBBER, origin=(-0.4, 0.0, -0.3)[:d]))
    plate = model.add(cd.RigidBody("plate", 1.0, inertia=0.1 if d == 2 else (0.1, 0.1, 0.1), position=(0, -1, 0)[:d]))
    model.add(cd.Tie("base", low, "bottom", plate))
    model.add(cd.Contact("joint", high, "bottom", low, "top", points=points, friction=friction, law="augmented"))
    return running(model)


def moved(system: RunningSystem, size: float, seed: int) -> np.ndarray:
    return system.x_start + size * np.random.default_rng(seed).standard_normal(system.x_start.shape)


def answered(pair: FacetPair | MortarPair, components: int) -> Response:
    """Any answer of a law: terms are linear in it."""
    rng, n, i = np.random.default_rng(SEED), pair.count, components
    return Response(
        rng.standard_normal((n, i)), rng.standard_normal((n, i, i)), rng.standard_normal((n, i, i)), np.zeros((n, i)),
        rng.standard_normal((n, i, i)), rng.standard_normal((n, i, i)), np.ones(n, dtype=np.int8), np.zeros(n),
        np.zeros((n, i)),
    )  # fmt: skip


def dense(system: RunningSystem, terms, components: int) -> list[np.ndarray]:
    """Stiffness, columns, lines and forces by unknowns and rows, whatever the order of the rows of a node."""
    size, n = system.unknowns + 1, len(terms.columns)  # the last one is for what has no unknown
    K, columns, lines = np.zeros((size, size)), np.zeros((n, components, size)), np.zeros((n, components, size))
    for k, at in enumerate(terms.columns):
        np.add.at(K, np.ix_(at, at), terms.stiffness[k])
        for i in range(components):
            np.add.at(columns[k, i], at, terms.column[k][:, i])
            np.add.at(lines[k, i], at, terms.line[k][i])
    force, noise = np.zeros_like(system.x_start), np.zeros(system.n)
    np.add.at(force, terms.rows, terms.force)
    np.add.at(noise, terms.rows, terms.noise)
    return [K[:-1, :-1], columns[..., :-1], lines[..., :-1], force, noise]


@pytest.mark.parametrize("d", (2, 3))
@pytest.mark.parametrize("points", ("nodes", "mortar"))
def test_feet_on_facets_are_those_of_the_formulas(d: int, points: str):
    system = blocks(d, points, 0.0)
    x = moved(system, 0.03, SEED)
    pair = system.contact.pairs[0]
    feet = pair.cut(x).pair if isinstance(pair, MortarPair) else pair
    facet, u, _ = feet.nearest(x)
    by_kernel = feet.foot(x, facet, u)
    feet.kernels = False
    for name, found, expected in zip(by_kernel._fields, by_kernel, feet.foot(x, facet, u), strict=True):
        assert found.shape == expected.shape, name
        assert np.allclose(found, expected, rtol=1e-9, atol=1e-11), name


@pytest.mark.parametrize("d", (2, 3))
@pytest.mark.parametrize("points", ("nodes", "mortar"))
@pytest.mark.parametrize("friction", (0.0, 0.4))
def test_forces_and_matrices_on_facets_are_those_of_the_formulas(d: int, points: str, friction: float):
    """At the end of a step and at its middle, for facets that have turned and warped, on rows that turn with a rigid body."""
    system = blocks(d, points, friction)
    pair, x0, x1 = system.contact.pairs[0], system.x_start, moved(system, 0.03, SEED)
    components = d if friction else 1
    response, r = answered(pair, components), np.ones(pair.count)
    for xt, kappa in ((x1, 1.0), (0.5 * (x0 + x1), 0.5)):
        found = []
        for kernels in (True, False):
            feet = pair.at_nodes if isinstance(pair, MortarPair) else pair
            feet.kernels = kernels
            pair.begin(x0, np.zeros((pair.count, components)), np.zeros((pair.count, d)))
            if isinstance(pair, MortarPair):
                pair._foot = pair._cut.pair.follow(x1)
            else:
                pair.follow(x1)
            found.append(dense(system, pair.terms(response, xt, x1, kappa, r, 1.0, True), components))
        for a, b in zip(*found, strict=True):
            assert np.abs(b).max() > 0.0
            assert np.abs(a - b).max() < 1e-9 * np.abs(b).max()


@pytest.mark.parametrize("triangles", (False, True))
def test_common_pieces_cut_by_a_kernel_are_those_of_the_formulas(triangles: bool):
    """Where polygons have other numbers of corners their triangles differ, and with them points; means of gaps do not."""
    system = blocks(3, "mortar", 0.0, triangles=triangles)
    pair = system.contact.pairs[0]
    for size in (0.0, 0.02):
        x = moved(system, size, SEED)
        own, there = pair.places(x), pair.at_nodes.vector_values(x)
        for faces in pair.faces:
            for other in pair.others:
                kinds = faces.kind, own[faces.nodes], other.kind, there[other.nodes]
                a, b = pair._common(*kinds), common_pieces(*kinds, reach=0.5, degree=4)
                area = [np.bincount(c.first, c.weights.sum(axis=1), len(faces.nodes)) for c in (a, b)]
                assert np.allclose(*area, rtol=1e-12, atol=1e-14)
                places = [np.einsum("tqk,tkd->tqd", faces.kind.shape(c.xi), own[faces.nodes][c.first]) for c in (a, b)]
                centre = [np.einsum("tq,tqd->d", c.weights, p) for c, p in zip((a, b), places, strict=True)]
                assert np.allclose(*centre, rtol=1e-10, atol=1e-12)
        gaps = pair.gaps(x)
        pair.at_nodes.kernels = False
        assert np.allclose(gaps, pair.gaps(x), rtol=1e-6, atol=1e-9)
        pair.at_nodes.kernels = True


def test_steps_with_facets_are_the_same_by_kernels_and_by_formulas():
    """A block that is pressed and slides: places after some steps."""
    ends = []
    for kernels in (True, False):
        model = cd.Model("two", gravity=(0, -9.81, 0))
        low = model.add(cd.Solid.block("low", (1.0, 0.4, 1.0), (2, 1, 2), RUBBER))
        high = model.add(cd.Solid.block("high", (0.6, 0.4, 0.6), (1, 1, 1), RUBBER, origin=(0.15, 0.4, 0.2)))
        model.add(cd.Tie("base", low, "bottom", model.ground))
        model.add(cd.Load("push", high.at(0.3, 0.4, 0.3), (30.0, -900.0, 10.0)))
        model.add(cd.Contact("joint", high, "bottom", low, "top", friction=0.3))
        sim = cd.Simulation(model, dt=2e-3, integrator=cd.GeneralizedAlpha(0.6))
        sim.system.contact.pairs[0].kernels = kernels
        for _ in range(6):
            sim.step()
        ends.append(sim.state.x)
    assert np.abs(ends[0] - ends[1]).max() < 1e-10
