"""Points that can touch within a step at the level of velocities, as kernels: what `nonsmooth_rows.py` does for any contact.

Two kinds of contacts are known: fixed points of a body, and patches of a line, both on a shape that has formulas and that a
body carries. Each contact has a row of whole numbers and one of reals; its arrays stand one after the other in two long ones.
"""

# Kernels are compiled for the types they are called with.
# mypy: disallow-untyped-defs=False

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from condyle.laws.columns import Integers, Integers2, Numbers, Numbers2, table
from condyle.laws.kernel import kernel
from condyle.system.touching.patches import axes_along, functions_at, patches_on_shape, shape_gaps
from condyle.system.touching.surfaces import distance

# Whole numbers of a contact: its kind, places for points, components of a force that are kept, the first of its points and of
# its forces among all, rows of a point; where its arrays begin in the long ones, and their sizes.
(
    KIND, COUNT, REPORTED, FIRST_POINT, FIRST_FORCE, ROWS, ROWS_AT, FRAME_AT, SURFACE_AT, SURFACE_SIZE, WEIGHTS_AT, AREAS_AT,
    CELLS, MONOMIALS, FUNCTIONS, PARAMETERS, VECTORS, PER_VECTOR, CELLS_AT, POWERS_AT, COEFFICIENTS_AT, STARTS_AT, LENGTHS_AT,
    SAMPLES, SAMPLES_AT, ENDS_AT, GAUSS, GAUSS_AT,
) = range(28)  # fmt: skip
HEAD = 28
FIXED, PATCHES = 0, 1
# Reals of a contact: radius about its points, friction, restitution, the thickness of its shape, the gap up to which patches
# go, the longest piece of a patch, whether a section of the line turns and is round.
RADIUS, MU, RESTITUTION, THIN, MARGIN, LONGEST, ROUND = range(7)
NUMBERS = 7
# Columns of the features of patches, as in contact/patch_pair.py, and their number in the memory of a state.
USED, CELL, PARAMETER, AREA, PATCH, NORMAL, FEATURES = 0, 1, 2, 5, 6, 7, 12
STRETCHED, FINER, ROUNDS = 1.1, 6, 2  # as in contact/patch_finding.py


@table
class Contacts(NamedTuple):
    """All contacts of a run."""

    pairs: Integers2  # (pairs, HEAD)
    numbers: Numbers2  # (pairs, NUMBERS)
    whole: Integers
    real: Numbers
    memory: Integers  # where the parts of what is remembered begin
    translation: Numbers  # 1 for rows that are places (n,)
    settings: Numbers  # of the method, see `nonsmooth_loop.py`
    attempts: Numbers2  # of Newton's method, see `solvers/dense.py`


@kernel
def block2(flat, at, a, b):
    """A matrix out of a long array."""
    return flat[at : at + a * b].reshape((a, b))


@kernel
def points_of(touch, x0, v0, h, features):
    """How many rows a point has at most; patches are found as the step begins at x0, v0, and features (points, …) filled.

    −1 where a contact has no room for its points.
    """
    widest = 1
    for k in range(touch.pairs.shape[0]):
        widest = max(widest, touch.pairs[k, ROWS])
        if touch.pairs[k, KIND] == PATCHES and not _look(touch, k, x0, v0, h, features):
            return -1
    return widest


@kernel
def _look(touch, k, x, v, h, features):
    """Find the patches of contact k, and put points into them; False where there is no room."""
    head, numbers, whole, real, d = touch.pairs[k], touch.numbers[k], touch.whole, touch.real, x.shape[1]
    first, room = head[FIRST_POINT], head[COUNT]
    _, powers, C, X, V = _line(head, whole, real, x, v)
    frame, rates = _frame(head, whole, x), _frame(head, whole, v)
    shape = real[head[SURFACE_AT] : head[SURFACE_AT] + head[SURFACE_SIZE]]
    starts = real[head[STARTS_AT] : head[STARTS_AT] + head[CELLS]]
    lengths = real[head[LENGTHS_AT] : head[LENGTHS_AT] + head[CELLS]]
    samples = real[head[SAMPLES_AT] : head[SAMPLES_AT] + head[SAMPLES]]
    ends = np.empty(head[SAMPLES], dtype=np.bool_)
    for i in range(ends.size):
        ends[i] = whole[head[ENDS_AT] + i] > 0
    at = real[head[GAUSS_AT] : head[GAUSS_AT] + head[GAUSS]]
    weights = real[head[GAUSS_AT] + head[GAUSS] : head[GAUSS_AT] + 2 * head[GAUSS]]
    cell, place, size, patch = patches_on_shape(
        shape, frame, rates, C, powers, X, V, starts, lengths, numbers[RADIUS], h, samples, ends, numbers[MARGIN], STRETCHED,
        FINER, ROUNDS, numbers[LONGEST], at, weights,
    )  # fmt: skip
    for i in range(first, first + room):
        for j in range(features.shape[1]):
            features[i, j] = 0.0
    n, p = cell.size, powers.shape[1]
    if n > room:
        return False
    if n == 0:
        return True
    u = np.zeros((n, p))
    for i in range(n):
        u[i, 0] = place[i]
    there, xi, gap, normal = np.empty((n, d)), np.empty((n, d)), np.empty(n), np.empty((n, d))
    N = np.empty((n, C.shape[2]))
    order = np.zeros(p, dtype=np.int64)
    functions_at(C, powers, cell, u, order, N)
    _combine(N, cell, X, there)
    shape_gaps(shape, frame[0], frame[1:], there, xi, gap, normal)
    if numbers[ROUND] > 0.0:
        # Points of a round section are where it faces the target.
        down, side = np.zeros((n, p)), np.empty((n, d))
        for a in range(1, p):
            order[:] = 0
            order[a] = 1
            functions_at(C, powers, cell, u, order, N)
            _combine(N, cell, X, side)
            for i in range(n):
                for b in range(d):
                    down[i, a] -= normal[i, b] * side[i, b]
        for i in range(n):
            length = 0.0
            for a in range(1, p):
                length += down[i, a] ** 2
            length = max(sqrt(length), 1e-300)
            for a in range(1, p):
                u[i, a] = numbers[RADIUS] * down[i, a] / length
        order[:] = 0
        functions_at(C, powers, cell, u, order, N)
        _combine(N, cell, X, there)
        shape_gaps(shape, frame[0], frame[1:], there, xi, gap, normal)
    for i in range(n):
        f = features[first + i]
        f[USED], f[CELL], f[AREA], f[PATCH] = 1.0, cell[i], size[i], patch[i]
        for a in range(p):
            f[PARAMETER + a] = u[i, a]
        for a in range(d):
            f[NORMAL + a] = normal[i, a]
    return True


@kernel
def _line(head, whole, real, x, v):
    """Cells (f, K), powers, coefficients of a line, and its vectors in the cells with their rates (f, K, d)."""
    f, J, K, d = head[CELLS], head[MONOMIALS], head[FUNCTIONS], x.shape[1]
    cells = block2(whole, head[CELLS_AT], f, K)
    powers = block2(whole, head[POWERS_AT], J, head[PARAMETERS])
    C = real[head[COEFFICIENTS_AT] : head[COEFFICIENTS_AT] + f * J * K].reshape((f, J, K))
    per = head[PER_VECTOR]
    X, V = np.zeros((f, K, d)), np.zeros((f, K, d))
    for c in range(f):
        for k in range(K):
            for r in range(per):
                row = whole[head[ROWS_AT] + cells[c, k] * per + r]
                w = real[head[WEIGHTS_AT] + cells[c, k] * per + r]
                for a in range(d):
                    X[c, k, a] += w * x[row, a]
                    V[c, k, a] += w * v[row, a]
    return cells, powers, C, X, V


@kernel
def _frame(head, whole, x):
    """r and directors of the target (d + 1, d)."""
    d = x.shape[1]
    out = np.empty((d + 1, d))
    for i in range(d + 1):
        for a in range(d):
            out[i, a] = x[whole[head[FRAME_AT] + i], a]
    return out


@kernel
def _combine(N, cell, X, out):
    """Σ_k N_k x_k of points in their cells."""
    for i in range(cell.size):
        for a in range(out.shape[1]):
            total = 0.0
            for k in range(N.shape[1]):
                total += N[i, k] * X[cell[i], k, a]
            out[i, a] = total


@kernel
def reached(touch, x, far, features, pair, point, gap, weight, axes, rows, gradients):
    """Points whose gap at x is no more than `far` [m]: their number. All arrays have room for all points.

    pair, point, gap, weight (k,); axes (k, d, d) in the coordinates in which forces are kept; rows (k, nr), gradients
    (k, d, nr, d) of the motion along the axes.
    """
    count = 0
    for k in range(touch.pairs.shape[0]):
        if touch.pairs[k, KIND] == FIXED:
            count = _fixed(touch, k, x, far, count, pair, point, gap, weight, axes, rows, gradients)
        else:
            count = _on_line(touch, k, x, far, features, count, pair, point, gap, weight, axes, rows, gradients)
    return count


@kernel
def _fixed(touch, number, x, far, count, pair, point, gap, weight, axes, rows, gradients):
    """Fixed points on a shape: ξ_j = d_j·(p − r)."""
    head, numbers, d = touch.pairs[number], touch.numbers[number], x.shape[1]
    n, nr = head[COUNT], head[ROWS]
    own_rows, w = block2(touch.whole, head[ROWS_AT], n, nr), block2(touch.real, head[WEIGHTS_AT], n, nr)
    shape = touch.real[head[SURFACE_AT] : head[SURFACE_AT] + head[SURFACE_SIZE]]
    D, first = _frame(head, touch.whole, x)[1:], nr - d
    arm, xi, middle = np.zeros((n, d)), np.zeros((n, d)), np.zeros(d)
    for i in range(n):
        _arm(own_rows[i], w[i], x, arm[i])
        for a in range(d):
            for b in range(d):
                xi[i, a] += D[a, b] * arm[i, b]
            middle[a] += xi[i, a] / n
    way, normal, bend = np.empty(d), np.empty(d), np.empty((d, d))
    for i in range(n):
        for a in range(d):
            way[a] = middle[a] - xi[i, a]
        found = distance(shape, xi[i], way, normal, bend) - numbers[RADIUS]
        if not found <= far:
            continue
        area = touch.real[head[AREAS_AT] + i]
        pair[count], point[count], gap[count], weight[count] = number, i, found, area if area > 0.0 else 1.0
        _square_axes(normal, axes[count])
        for r in range(rows.shape[1]):
            rows[count, r] = own_rows[i, r] if r < nr else 0
            for a in range(d):
                for b in range(d):
                    gradients[count, a, r, b] = 0.0
            if r >= nr:
                continue
            for a in range(d):
                for j in range(d):
                    factor = axes[count, a, j] * w[i, r]
                    for b in range(d):
                        gradients[count, a, r, b] += factor * D[j, b]
                if r >= first:
                    for b in range(d):
                        gradients[count, a, r, b] += axes[count, a, r - first] * arm[i, b]
        count += 1
    return count


@kernel
def _arm(rows, weights, x, out):
    out[:] = 0.0
    for r in range(rows.size):
        for a in range(out.size):
            out[a] += weights[r] * x[rows[r], a]


@kernel
def _square_axes(n, out):
    """Square axes whose first is the normal, as `contact/pair.py:frames`."""
    d = n.size
    for a in range(d):
        out[0, a] = n[a]
    if d == 2:
        out[1, 0], out[1, 1] = -n[1], n[0]
        return
    least = 0
    for a in range(1, 3):
        if abs(n[a]) < abs(n[least]):
            least = a
    b, c = (least + 1) % 3, (least + 2) % 3
    size = sqrt(n[b] ** 2 + n[c] ** 2)
    out[1, least], out[1, b], out[1, c] = 0.0, n[c] / size, -n[b] / size
    for a in range(3):
        b, c = (a + 1) % 3, (a + 2) % 3
        out[2, a] = n[b] * out[1, c] - n[c] * out[1, b]


@kernel
def _on_line(touch, number, x, far, features, count, pair, point, gap, weight, axes, rows, gradients):
    """Points of patches, which move with the shape at their own places."""
    head, numbers, whole, real, d = touch.pairs[number], touch.numbers[number], touch.whole, touch.real, x.shape[1]
    first, n = head[FIRST_POINT], 0
    while n < head[COUNT] and features[first + n, USED] > 0.0:
        n += 1
    if n == 0:
        return count
    cells, powers, C, X, _ = _line(head, whole, real, x, x)
    p, K, per = powers.shape[1], C.shape[2], head[PER_VECTOR]
    cell, u = np.empty(n, dtype=np.int64), np.empty((n, p))
    for i in range(n):
        cell[i] = int(features[first + i, CELL])
        for a in range(p):
            u[i, a] = features[first + i, PARAMETER + a]
    N, there, xi, found, normal = np.empty((n, K)), np.empty((n, d)), np.empty((n, d)), np.empty(n), np.empty((n, d))
    order = np.zeros(p, dtype=np.int64)
    order[0] = 1
    functions_at(C, powers, cell, u, order, N)
    tangent = np.empty((n, d))
    _combine(N, cell, X, tangent)
    order[0] = 0
    functions_at(C, powers, cell, u, order, N)
    _combine(N, cell, X, there)
    frame = _frame(head, whole, x)
    shape = real[head[SURFACE_AT] : head[SURFACE_AT] + head[SURFACE_SIZE]]
    shape_gaps(shape, frame[0], frame[1:], there, xi, found, normal)
    around = 0.0 if numbers[ROUND] > 0.0 else numbers[RADIUS]
    for i in range(n):
        length = 0.0
        for a in range(d):
            length += tangent[i, a] ** 2
        length = max(sqrt(length), 1e-300)
        for a in range(d):
            tangent[i, a] /= length
    own = np.empty((n, d, d))
    axes_along(normal, tangent, own)
    for i in range(n):
        if not found[i] - around <= far:
            continue
        area = features[first + i, AREA]
        pair[count], point[count], gap[count] = number, i, found[i] - around
        weight[count] = area if area > 0.0 else 1.0
        for a in range(d):
            for b in range(d):
                axes[count, a, b] = own[i, a, b]
        for r in range(rows.shape[1]):
            rows[count, r] = 0
            for a in range(d):
                for b in range(d):
                    gradients[count, a, r, b] = 0.0
        for k in range(K):
            for r in range(per):
                at = cells[cell[i], k] * per + r
                _move(
                    rows,
                    gradients,
                    count,
                    k * per + r,
                    whole[head[ROWS_AT] + at],
                    N[i, k] * real[head[WEIGHTS_AT] + at],
                    own[i],
                )
        for r in range(d + 1):
            _move(
                rows,
                gradients,
                count,
                K * per + r,
                whole[head[FRAME_AT] + r],
                -(1.0 if r == 0 else xi[i, r - 1]),
                own[i],
            )
        count += 1
    return count


@kernel
def _move(rows, gradients, count, at, row, factor, axes):
    """A row that moves a point by `factor` times its own motion."""
    rows[count, at] = row
    for a in range(axes.shape[0]):
        for b in range(axes.shape[0]):
            gradients[count, a, at, b] = factor * axes[a, b]


@kernel
def is_slow(touch, before, after, part):
    """Has no fixed point gone farther over its shape than a part of the shape's thickness?"""
    d = before.shape[1]
    one, other = np.empty(d), np.empty(d)
    for k in range(touch.pairs.shape[0]):
        head = touch.pairs[k]
        if head[KIND] != FIXED or not touch.numbers[k, THIN] < np.inf:
            continue
        n, nr = head[COUNT], head[ROWS]
        rows, w = block2(touch.whole, head[ROWS_AT], n, nr), block2(touch.real, head[WEIGHTS_AT], n, nr)
        D0, D1 = _frame(head, touch.whole, before), _frame(head, touch.whole, after)
        for i in range(n):
            _arm(rows[i], w[i], before, one)
            _arm(rows[i], w[i], after, other)
            way = 0.0
            for a in range(d):
                change = 0.0
                for b in range(d):
                    change += D1[1 + a, b] * other[b] - D0[1 + a, b] * one[b]
                way += change**2
            if sqrt(way) > part * touch.numbers[k, THIN]:
                return False
    return True
