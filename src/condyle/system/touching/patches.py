"""Patches of a line on a shape that has formulas, found in one kernel: what `patch_finding.py` does for any target."""

from math import ceil, sqrt

import numpy as np

from condyle.laws.kernel import kernel
from condyle.system.touching.surfaces import distance


@kernel
def shape_gaps(numbers, r, D, p, xi, gap, normal):
    """Places p (n, d) in the coordinates of a frame, xi (n, d), their gaps (n,) and normals in the world (n, d)."""
    d = r.size
    own, way, bend = np.empty(d), np.zeros(d), np.empty((d, d))
    for i in range(p.shape[0]):
        for a in range(d):
            xi[i, a] = 0.0
            for b in range(d):
                xi[i, a] += D[a, b] * (p[i, b] - r[b])
        gap[i] = distance(numbers, xi[i], way, own, bend)
        for b in range(d):
            normal[i, b] = 0.0
            for a in range(d):
                normal[i, b] += own[a] * D[a, b]


@kernel
def functions_at(coefficients, powers, cell, u, order, out):
    """Σ_j C_jk Π_a ∂^order_a u_a^{k_ja} of points in their cells (n, K)."""
    for i in range(cell.size):
        for k in range(out.shape[1]):
            out[i, k] = 0.0
        for j in range(powers.shape[0]):
            m = 1.0
            for a in range(powers.shape[1]):
                power = powers[j, a]
                for _ in range(order[a]):
                    m *= power
                    power -= 1
                for _ in range(power):
                    m *= u[i, a]
            if m != 0.0:
                for k in range(out.shape[1]):
                    out[i, k] += m * coefficients[cell[i], j, k]


@kernel
def axes_along(normal, tangent, out):
    """Normal, along the body, sideways (k, d, d); where the body stands square to the surface, any two along that."""
    k, d = normal.shape
    for i in range(k):
        n, t = normal[i], out[i, 1]
        across, size = 0.0, 0.0
        for a in range(d):
            out[i, 0, a] = n[a]
            across += tangent[i, a] * n[a]
        for a in range(d):
            t[a] = tangent[i, a] - across * n[a]
            size += t[a] * t[a]
        size = sqrt(size)
        if not size > 1e-6:
            if d == 2:
                t[0], t[1] = -n[1], n[0]
            else:
                least = 0
                for a in range(1, 3):
                    if abs(n[a]) < abs(n[least]):
                        least = a
                b, c = (least + 1) % 3, (least + 2) % 3
                t[least], t[b], t[c] = 0.0, n[c], -n[b]
            size = 0.0
            for a in range(d):
                size += t[a] * t[a]
            size = sqrt(size)
        for a in range(d):
            t[a] /= size
        if d == 3:
            for a in range(3):
                b, c = (a + 1) % 3, (a + 2) % 3
                out[i, 2, a] = n[b] * t[c] - n[c] * t[b]


@kernel
def _near(numbers, frame, rates, C, powers, X, V, starts, lengths, radius, h, s, work):
    """The smallest gap in the step at the place s [m] of the line; frame, rates: r and D of the shape (d + 1, d)."""
    d, cell = frame.shape[1], _cell_of(starts, s)
    u = min(max((s - starts[cell]) / lengths[cell], 0.0), 1.0)
    p, rate, xi, normal = work[0], work[1], work[2], work[3]
    p[:], rate[:] = 0.0, 0.0
    for j in range(powers.shape[0]):
        m = 1.0 if powers[j, 0] == 0 else u ** powers[j, 0]
        for q in range(1, powers.shape[1]):
            if powers[j, q] > 0:
                m = 0.0
        if m == 0.0:
            continue
        for k in range(C.shape[2]):
            w = m * C[cell, j, k]
            if w != 0.0:
                for a in range(d):
                    p[a] += w * X[cell, k, a]
                    rate[a] += w * V[cell, k, a]
    for a in range(d):
        xi[a] = 0.0
        for b in range(d):
            xi[a] += frame[1 + a, b] * (p[b] - frame[0, b])
    work[4, :] = 0.0
    gap = distance(numbers, xi, work[4], normal, work[5:])
    comes = 0.0
    for b in range(d):
        out, there = 0.0, rates[0, b]
        for a in range(d):
            out += normal[a] * frame[1 + a, b]
            there += xi[a] * rates[1 + a, b]
        comes += (rate[b] - there) * out
    return gap + h * min(comes, 0.0) - radius


@kernel
def _cell_of(starts, s):
    """The cell in which a place along the line is."""
    low, high = 0, starts.size
    while low < high:
        middle = (low + high) // 2
        if starts[middle] <= s:
            low = middle + 1
        else:
            high = middle
    return max(low - 1, 0)


@kernel
def patches_on_shape(
    numbers, frame, rates, C, powers, X, V, starts, lengths, radius, h, samples, ends, margin, stretched, finer, rounds,
    longest, at, weights,
):  # fmt: skip
    """Cells, parameters, lengths and patches of contact points, as of `patch_finding.find_on_line`.

    samples: places along the line [m]; ends: is a sample the last of a line? at, weights: Gauss points of 0 … 1.
    """
    work = np.empty((5 + frame.shape[1], frame.shape[1]))
    s, last, n = samples, ends, samples.size
    gap = np.empty(n)
    for i in range(n):
        gap[i] = _near(numbers, frame, rates, C, powers, X, V, starts, lengths, radius, h, s[i], work)
    for _ in range(rounds):
        cut, count = np.zeros(n, dtype=np.bool_), 0
        for i in range(n - 1):
            if not last[i]:
                possible = 0.5 * (gap[i] + gap[i + 1] - (s[i + 1] - s[i]) * stretched) <= margin
                cut[i] = possible and not (gap[i] <= margin and gap[i + 1] <= margin)
                count += cut[i]
        if count == 0:
            break
        more = n + (finer - 1) * count
        s2, last2, gap2, k = np.empty(more), np.zeros(more, dtype=np.bool_), np.empty(more), 0
        for i in range(n):
            s2[k], last2[k], gap2[k] = s[i], last[i], gap[i]
            k += 1
            if cut[i]:
                for part in range(1, finer):
                    s2[k] = s[i] + (s[i + 1] - s[i]) * (part / finer)
                    gap2[k] = _near(numbers, frame, rates, C, powers, X, V, starts, lengths, radius, h, s2[k], work)
                    k += 1
        s, last, gap, n = s2, last2, gap2, more
    begin, end, k = np.empty(n), np.empty(n), 0
    widest = 0.0
    for i in range(n - 1):
        widest = max(widest, s[i + 1] - s[i])
    for i in range(n):
        if not gap[i] <= margin:
            continue
        first = i == 0 or last[i - 1]
        if first or not gap[i - 1] <= margin:
            begin[k] = s[i] if first else _crossing(s, gap, margin, i, i - 1)
        if last[i] or not gap[i + 1] <= margin:
            end[k] = s[i] if last[i] else _crossing(s, gap, margin, i, i + 1)
            if end[k] - begin[k] < 1e-6 * widest:
                middle = 0.5 * (begin[k] + end[k])
                begin[k], end[k] = middle - 0.5e-6 * widest, middle + 0.5e-6 * widest
            begin[k], end[k] = max(begin[k], s[0]), min(end[k], s[n - 1])
            k += 1
    return _gauss_points(begin[:k], end[:k], longest, at, weights, starts, lengths)


@kernel
def _crossing(s, gap, margin, a, b):
    """Between a sample that is near and its neighbour that is not."""
    outer = min(gap[b], 1e30)
    share = (margin - gap[a]) / (outer - gap[a]) if outer > gap[a] else 0.0
    return s[a] + share * (s[b] - s[a])


@kernel
def _gauss_points(begin, end, longest, at, weights, starts, lengths):
    pieces, total = np.empty(begin.size, dtype=np.int64), 0
    for k in range(begin.size):
        pieces[k] = max(ceil((end[k] - begin[k]) / longest - 1e-9), 1)
        total += pieces[k] * at.size
    cell, u = np.empty(total, dtype=np.int64), np.empty(total)
    size, patch, i = np.empty(total), np.empty(total, dtype=np.int64), 0
    for k in range(begin.size):
        wide = (end[k] - begin[k]) / pieces[k]
        for piece in range(pieces[k]):
            for q in range(at.size):
                s = begin[k] + piece * wide + wide * at[q]
                cell[i] = _cell_of(starts, s)
                u[i] = min(max((s - starts[cell[i]]) / lengths[cell[i]], 0.0), 1.0)
                size[i], patch[i] = wide * weights[q], k
                i += 1
    return cell, u, size, patch
