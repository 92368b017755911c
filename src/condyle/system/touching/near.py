"""Which of a few flat facets that move is nearest to each point: the search of `contact/deformable.py`."""

import numpy as np

from condyle.laws.kernel import kernel
from condyle.system.touching.facets import _on_line, _on_triangle


@kernel
def nearest_facets(corners, points, near, excluded, best):
    """Fill the nearest facet of each point (n,), of those near it (n, k) but for those excluded (n, e), −1 for none.

    corners: of all facets, (f, d, d) in one row; points (n, d). Of equally near facets the one that stands first counts.
    """
    d = points.shape[1]
    foot = np.empty(d)
    for i in range(points.shape[0]):
        best[i], least = near[i, 0], np.inf
        for facet in near[i]:
            seen = True
            for j in range(excluded.shape[1]):
                seen = seen and excluded[i, j] != facet
            if not seen:
                continue
            if d == 2:
                _on_line(corners, 4 * facet, points[i], foot)
            else:
                _on_triangle(corners, 9 * facet, points[i], foot)
            square = 0.0
            for a in range(d):
                square += (points[i, a] - foot[a]) ** 2
            far = np.sqrt(square)
            if far < least * (1.0 - 1e-12):
                best[i], least = facet, far
