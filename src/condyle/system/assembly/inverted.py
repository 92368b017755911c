"""Elements that have collapsed or are turned inside out, which their Gram matrix does not tell, and rows that are far out."""

import numpy as np

from condyle.laws.codes import REELED_CABLE
from condyle.laws.kernel import kernel

COLLAPSED = 1e-4  # square of the stretch below which a line counts as collapsed
FARTHEST = 1e6  # sizes of the model: a row beyond has left it


@kernel(forceinline=True)
def line_collapsed(d, y0, y1, least):
    """Does |r'|², r' = y_0, fall to `least` on the straight way from the start of the step to its end?"""
    start = change = along = 0.0
    for a in range(d):
        delta = y1[0, a] - y0[0, a]
        start += y0[0, a] * y0[0, a]
        change += delta * delta
        along -= y0[0, a] * delta
    if along <= 0.0 or change == 0.0:
        return start <= least
    share = min(along / change, 1.0)
    return start - 2.0 * share * along + share * share * change <= least


@kernel
def is_inverted(columns, ny, d, y0, y1, reel):
    """Has a line or surface collapsed within the step, or is det F ≤ 0, F = [y_0 y_1 (y_2)], at its end?

    About an axis (ny = 4 in the plane) also where a radius is negative. A surface has turned over where its normals at
    the start and the end of the step point away from each other. reel > 0 [m]: the length of a reeled cable as drawn; y_2 is
    that at rest now.
    """
    if columns == 1:
        least = COLLAPSED
        if reel > 0.0:
            length = 0.0
            for a in range(d):
                length += y1[2, a] * y1[2, a]
            least *= length / (reel * reel)
        return line_collapsed(d, y0, y1, least)
    if d == 2:
        det = y1[0, 0] * y1[1, 1] - y1[0, 1] * y1[1, 0]
        return det <= 0.0 or (ny == 4 and y1[2, 0] * y1[3, 0] + y1[2, 1] * y1[3, 1] <= 0.0)
    along = det = 0.0
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        n1 = y1[0, b] * y1[1, c] - y1[0, c] * y1[1, b]
        if columns == 2:
            along += n1 * (y0[0, b] * y0[1, c] - y0[0, c] * y0[1, b])
        else:
            det += n1 * y1[2, a]
    return along <= 0.0 if columns == 2 else det <= 0.0


@kernel
def first_inverted(table, x0, x1):
    """The first energy whose element has collapsed or is turned inside out at x1, coming from x0; −1 if none is."""
    d = x1.shape[1]
    y = np.zeros((2, 4, d))
    for i in range(table.law.size):
        columns = table.gradients[i]
        if columns == 0:
            continue
        first = table.row_start[i]
        nr = table.row_start[i + 1] - first
        ny = table.vectors[i] if table.vectors[i] < 5 else 3
        reel = table.params[table.param_start[i]] if table.law[i] == REELED_CABLE else 0.0
        for point in range(table.point_start[i], table.point_start[i + 1]):
            at = table.weight_start[point]
            for k in range(ny):
                for a in range(d):
                    start = end = 0.0
                    for r in range(nr):
                        w = table.weights[at + k * nr + r]
                        start += w * x0[table.rows[first + r], a]
                        end += w * x1[table.rows[first + r], a]
                    y[0, k, a], y[1, k, a] = start, end
            if is_inverted(columns, ny, d, y[0], y[1], reel):
                return i
    return -1


@kernel
def is_near(rows, x):
    """Are all rows finite, and not far out of the model?"""
    for i in range(x.shape[0]):
        for a in range(x.shape[1]):
            if not abs(x[i, a]) <= FARTHEST * rows.size[i]:
                return False
    return True
