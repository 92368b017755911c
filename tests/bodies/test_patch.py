"""The patch test: every element with every law carries an even state of stress, whatever the mesh inside."""

import numpy as np
import pytest

import condyle as cd
from condyle.bodies.elements import ELEMENTS
from condyle.results.materials import _first_piola

E, NU = 1000.0, 0.3
LAME = E * NU / ((1 + NU) * (1 - 2 * NU))
MU = E / (2 * (1 + NU))
MATERIALS = {"St. Venant–Kirchhoff": cd.StVenantKirchhoff(E, NU, 1.0), "neo-Hookean": cd.NeoHookean(E, NU, 1.0)}


def distorted_block(kind, material):
    """A unit block whose inner nodes are moved about."""
    d = ELEMENTS[kind].dimension
    block = cd.Solid.block("block", (1.0,) * d, (3,) * d if d == 2 else (2,) * d, material)
    X = np.array(block.nodes)
    inner = ((X > 1e-9) & (X < 1 - 1e-9)).all(axis=1)
    X[inner] += np.random.default_rng(3).uniform(-0.09, 0.09, (inner.sum(), d))
    assert inner.any()
    return cd.Solid.from_mesh("block", cd.Mesh(X, block.cells, block.element, block.sets).converted(kind), material)


def first_piola(material, F):
    """P = F S of both materials, for plane strain in 2D."""
    strain = 0.5 * (F.T @ F - np.eye(len(F)))
    if isinstance(material, cd.StVenantKirchhoff):
        return F @ (LAME * np.trace(strain) * np.eye(len(F)) + 2 * MU * strain)
    return MU * F + (LAME * np.log(np.linalg.det(F)) - MU) * np.linalg.inv(F).T


@pytest.mark.parametrize("law", MATERIALS)
@pytest.mark.parametrize("kind", ELEMENTS)
def test_every_element_passes_the_patch_test(kind, law):
    """Tractions of a homogeneous deformation on the surface: every node moves to F X, whatever the mesh inside."""
    d = ELEMENTS[kind].dimension
    F = np.array([[1.12, 0.15, -0.08], [0.0, 0.93, 0.06], [0.0, 0.0, 1.05]])[:d, :d]
    m = cd.Model("patch", dimension=d)
    mesh = m.add(distorted_block(kind, MATERIALS[law]))
    P = first_piola(MATERIALS[law], F)
    for axis, (low, high) in enumerate((("left", "right"), ("bottom", "top"), ("back", "front"))[:d]):
        m.add(cd.Traction(low, mesh, low, -P[:, axis]))
        m.add(cd.Traction(high, mesh, high, P[:, axis]))
    X = np.array(mesh.nodes)
    corner = [int(np.argmin(np.linalg.norm(X - place, axis=1))) for place in (np.zeros(d), *np.eye(d))]
    # F is upper triangular: the origin stays, (1, 0, 0) stays on its axis, (0, 1, 0) in its plane.
    m.add(cd.Spherical("origin", m.ground, mesh.point(corner[0])))
    held = [(1, 1)] if d == 2 else [(1, 1), (1, 2), (2, 2)]
    for node, axis in held:
        m.add(cd.Translation(f"hold{node}{axis}", m.ground, mesh.point(corner[node]), direction=np.eye(d)[axis]))
    result = cd.solve_static(m, steps=2)
    found = np.array([result.position(mesh.point(i))[-1] for i in range(len(X))])
    np.testing.assert_allclose(found, X @ F.T, atol=1e-9)


PATCH_LAWS = {
    "robust": cd.Robust(E, NU, 1.0),
    "Mooney–Rivlin": cd.MooneyRivlin(150.0, 50.0, 900.0, 1.0),
    "Yeoh": cd.Yeoh(200.0, -10.0, 20.0, 900.0, 1.0),
    "Ogden": cd.Ogden((260.0, -80.0), (1.9, -1.5), 900.0, 1.0),
    "fibres": cd.FibreReinforced(200.0, 900.0, 50.0, 6.0, 1.15, (1.0, 0.5, 0.0), 1.0),
    "fading": cd.Robust(E, NU, 1.0, prony=((0.5, 1.0),)),
}


# An element gives weights to its points, and a law acts at a point: every element with laws of two kinds, every law on the
# elements that have kernels of their own (hex8, in the plane all) and on one that has none.
PATCHES = [
    (kind, law)
    for kind in ELEMENTS
    for law in PATCH_LAWS
    if law in ("Mooney–Rivlin", "fading") or kind in ("quad4", "hex8", "tet10")
]


@pytest.mark.parametrize(("kind", "law"), PATCHES)
def test_every_element_and_every_law_pass_the_patch_test(kind, law):
    """Nodes of the surface are put where a homogeneous deformation takes them: those inside follow, the stress is even."""
    d = ELEMENTS[kind].dimension
    F = np.array([[1.12, 0.15, -0.08], [0.0, 0.93, 0.06], [0.0, 0.0, 1.05]])[:d, :d]
    m = cd.Model("patch", dimension=d)
    mesh = m.add(distorted_block(kind, PATCH_LAWS[law]))
    X = np.array(mesh.nodes)
    for i, x in enumerate(X):
        if (x < 1e-9).any() or (x > 1 - 1e-9).any():
            for axis in range(d):
                m.add(cd.Hold(f"{i} {axis}", mesh, [i], np.eye(d)[axis], displacement=float((F @ x - x)[axis])))
    result = cd.solve_static(m, steps=2)
    fields = result.fields(mesh)
    np.testing.assert_allclose(fields.positions, X @ F.T, atol=1e-9)
    stress = fields.second_piola.reshape(-1, 3, 3)
    np.testing.assert_allclose(stress, np.broadcast_to(stress[0], stress.shape), atol=1e-6)
    full = np.eye(3)
    full[:d, :d] = F
    np.testing.assert_allclose(full @ stress[0], _first_piola(PATCH_LAWS[law])(full), atol=1e-6)


@pytest.mark.parametrize("d", [2, 3])
def test_meshes_that_do_not_match_are_tied_without_a_trace_in_the_patch_test(d):
    """A finer mesh follows a coarser one, whose cells it divides: the tied surfaces fit, and stress passes evenly."""
    law = cd.NeoHookean(E, NU, 1.0)
    m = cd.Model("stack", dimension=d)
    up = np.eye(d)[-1]
    coarse = m.add(cd.Solid.block("coarse", (1.0,) * d, (2,) * d, law))
    fine = m.add(cd.Solid.block("fine", (1.0,) * d, (4,) * (d - 1) + (3,), law, origin=up))
    low, high = ("bottom", "top") if d == 2 else ("back", "front")
    m.add(cd.Tie("glue", fine, low, coarse))
    for body in (coarse, fine):
        for axis, side in enumerate(("left", "bottom")[: d - 1]):
            free = [n for n in body.sets[side] if not (body is fine and n in body.sets[low])]
            m.add(cd.Hold(f"{body.name} {side}", body, free, np.eye(d)[axis]))
    m.add(cd.Hold("floor", coarse, low, up))
    m.add(cd.Traction("pull", fine, high, 300.0 * up))
    result = cd.solve_static(m, steps=2)
    stress = np.concatenate([result.fields(b).second_piola.reshape(-1, 3, 3) for b in (coarse, fine)])
    np.testing.assert_allclose(stress, np.broadcast_to(stress[0], stress.shape), atol=1e-6)


@pytest.mark.parametrize("kind", ELEMENTS)
def test_inner_nodes_follow_a_boundary_that_is_turned_and_moved(kind):
    d = ELEMENTS[kind].dimension
    m = cd.Model("patch", dimension=d)
    mesh = m.add(distorted_block(kind, MATERIALS["neo-Hookean"]))
    X = np.array(mesh.nodes)
    surface = [i for i, x in enumerate(X) if (x < 1e-9).any() or (x > 1 - 1e-9).any()]
    turning = {"angle": cd.Ramp(0.0, 1.0, 0.0, 1.2)} | ({"axis": (1.0, 2.0, 2.0)} if d == 3 else {})
    frame = m.add(cd.Frame("frame", shift=(cd.Ramp(0.0, 1.0, 0.0, 0.4), *(0.0,) * (d - 1)), **turning))
    m.add(cd.Tie("bond", mesh, surface, frame))
    result = cd.solve_static(m, steps=6)
    turn = cd.rotation(axis=(0, 0, 1) if d == 2 else (1, 2, 2), angle=1.2)[:d, :d]
    found = np.array([result.position(mesh.point(i))[-1] for i in range(len(X))])
    np.testing.assert_allclose(found, X @ turn.T + np.eye(d)[0] * 0.4, atol=1e-9)
    assert result.energy["stored"][-1] == pytest.approx(0.0, abs=1e-9)
