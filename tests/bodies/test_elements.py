"""Every element, found in `ELEMENTS`: nodes, quadrature and facets are consistent."""

import numpy as np
import pytest

from condyle.bodies.elements import ELEMENTS


@pytest.mark.parametrize("kind", ELEMENTS.values(), ids=ELEMENTS)
def test_shape_functions_are_one_at_their_node_and_add_up_to_one(kind):
    np.testing.assert_allclose(kind.shape(kind.reference_nodes), np.eye(kind.nodes), atol=1e-13)
    xi = kind.cell.centre + 0.2 * np.random.default_rng(1).uniform(-1, 1, (5, kind.dimension))
    np.testing.assert_allclose(kind.shape(xi).sum(axis=1), 1.0, rtol=1e-13)
    np.testing.assert_allclose(kind.gradient(xi).sum(axis=1), 0.0, atol=1e-12)
    step = 1e-5
    for i, e in enumerate(np.eye(kind.dimension)):
        slope = (kind.shape(xi + step * e) - kind.shape(xi - step * e)) / (2 * step)
        np.testing.assert_allclose(kind.gradient(xi)[..., i], slope, atol=1e-9)


@pytest.mark.parametrize("kind", ELEMENTS.values(), ids=ELEMENTS)
def test_the_facets_close_the_element_and_look_outwards(kind):
    """∮ n dA = 0 and ∮ x·n dA = d V."""
    total, volume = np.zeros(kind.dimension), 0.0
    for facet, face in kind.facets:
        X = kind.reference_nodes[list(face)]
        for N, dN, weight in zip(facet.shape(facet.points), facet.gradient(facet.points), facet.weights, strict=True):
            tangents = X.T @ dN
            normal = np.array([tangents[1, 0], -tangents[0, 0]]) if kind.dimension == 2 else np.cross(*tangents.T)
            total += weight * normal
            volume += weight * (N @ X) @ normal / kind.dimension
    np.testing.assert_allclose(total, 0.0, atol=1e-13)
    assert volume == pytest.approx(kind.weights.sum(), rel=1e-13)
    assert volume == pytest.approx(kind.mass_rule[1].sum(), rel=1e-13)


@pytest.mark.parametrize("kind", ELEMENTS.values(), ids=ELEMENTS)
def test_the_points_hold_all_strains_of_the_element(kind):
    """The stiffness at small strain has no zero modes but those of rigid motion."""
    X = kind.reference_nodes[None]
    gradients, volumes = kind.reference_gradients(X, "element")
    d, n = kind.dimension, kind.nodes
    K = np.zeros((n * d, n * d))
    for g, volume in zip(gradients[0], volumes[0], strict=True):
        for i in range(d):
            for j in range(d):
                B = np.zeros((n, d))
                B[:, i] += 0.5 * g[j]
                B[:, j] += 0.5 * g[i]
                K += volume * np.outer(B, B)
    zero = np.linalg.eigvalsh(K) < 1e-10
    assert zero.sum() == (3 if d == 2 else 6)


@pytest.mark.parametrize("kind", ELEMENTS.values(), ids=ELEMENTS)
def test_places_are_found_again_in_a_distorted_cell(kind):
    rng = np.random.default_rng(2)
    X = kind.reference_nodes + 0.04 * rng.uniform(-1, 1, kind.reference_nodes.shape)
    xi = kind.cell.centre + 0.1 * rng.uniform(-1, 1, kind.dimension)
    found = kind.locate(X, kind.shape(xi) @ X)
    np.testing.assert_allclose(found, xi, atol=1e-12)
    assert kind.cell.inside(found)
