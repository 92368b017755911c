"""Energies of beam sections that are asked for alone are those of the laws, for small and large turns between sections."""

import numpy as np
import pytest

from condyle.laws.frames import curvature_energy, curvature_law, section_energy, section_law

FIRST = (0, 0, 0, 1, 1, 2, 0, 0, 3, 3, 4, 1, 1, 2, 2)
SECOND = (0, 1, 2, 1, 2, 2, 3, 4, 3, 4, 4, 3, 4, 3, 4)


def products(y, count):
    """Products of the vectors y in the order of the laws."""
    return np.array([y[i] @ y[j] for i, j in zip(FIRST[:count], SECOND[:count], strict=True)])


@pytest.mark.parametrize("size", [1e-3, 0.02, 0.2])
@pytest.mark.parametrize(("count", "strains"), [(6, 6), (15, 3)])
def test_energy_alone_is_that_of_the_law(size, count, strains):
    rng = np.random.default_rng(3)
    frame = np.eye(3)
    y = np.vstack((frame, frame[1:]))[: 3 if count == 6 else 5]
    v = products(y + size * rng.normal(size=y.shape), count)
    C = rng.normal(size=(strains, strains))
    p = np.array([*((0.3,) if count == 6 else ()), *(C @ C.T).ravel(), *(0.1 * rng.normal(size=strains))])
    law, alone = (section_law, section_energy) if count == 6 else (curvature_law, curvature_energy)
    s, h, noise = np.zeros(count), np.zeros((count, count)), np.zeros(count)
    assert alone(v, p) == pytest.approx(law(v, p, False, np.zeros(count), s, h, noise), rel=1e-12)
