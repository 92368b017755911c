"""Links: vector constraints y = offset, held by multipliers or penalties."""

import numpy as np

from condyle.laws.kernel import kernel
from condyle.system.assembly.maps import (
    add_cross,
    mean_row_of,
    row_of,
    scatter_scalar,
    share_of_row,
)
from condyle.system.assembly.places import gather
from condyle.system.tables import AUGMENTED, CONSERVING, DIRECTOR, END, FIXED, FREE, MIDPOINT, MULTIPLIER, PENALTY


@kernel
def add_links(table, rows, x0, x1, multipliers, stiffness, where, tangent, q, q_scale, q_noise, c, c_scale, A):
    """Vector constraints c = y − offset = 0 (spherical joints): d multipliers each, gradient the weights.

    The force on y is λ + η c for the augmented forms and η ½ (c0 + c1) (conserving) or η c1 for the penalty.
    """
    d = x1.shape[1]
    work = np.zeros((5, 1, d))
    y0, y1 = work[0], work[1]
    c0, c1, force = work[2, 0], work[3, 0], work[4, 0]
    share = 1.0 if where == END else 0.5
    for i in range(table.law.size):
        first = table.row_start[i]
        nr = table.row_start[i + 1] - first
        point = table.point_start[i]
        at = table.weight_start[point]
        offset = table.param_start[i]
        hold = table.hold[i]
        eta = stiffness[i]
        at_end = table.at_end[i]
        held_at = END if at_end else where
        if d == 3 and hold == MULTIPLIER and held_at != MIDPOINT:
            _hold_together(table, i, rows, x1, multipliers, share, q, q_scale, c, c_scale)
            if tangent:
                _move_together(table, i, rows, x0, x1, share, 1.0, A)
            continue
        gather(table, i, point, x1, y1)
        gather(table, i, point, x0, y0)
        if held_at == MIDPOINT:
            for a in range(d):
                y1[0, a] = 0.5 * (y0[0, a] + y1[0, a])
        gain = 1.0 if held_at != MIDPOINT else 0.5  # ∂c/∂x1
        for a in range(d):
            c0[a] = y0[0, a] - table.params[offset + a]
            c1[a] = y1[0, a] - table.params[offset + a]
            lam = multipliers[table.channel[i] + a]
            if hold == MULTIPLIER:
                force[a] = lam
            elif hold == PENALTY:
                force[a] = eta * (0.5 * (c0[a] + c1[a]) if held_at == CONSERVING else c1[a])
            else:
                force[a] = lam + eta * c1[a]
            c[table.channel[i] + a] = c1[a]
            size = 0.0
            for r in range(nr):
                row = table.rows[first + r]
                size += abs(table.weights[at + r]) * max(abs(x1[row, a]), rows.size[row])
            c_scale[table.channel[i] + a] = size
            if hold != MULTIPLIER:
                for r in range(nr):
                    q_noise[table.rows[first + r], a] += abs(eta * table.weights[at + r]) * size
        for r in range(nr):
            row = table.rows[first + r]
            w = table.weights[at + r] * share_of_row(rows, row, at_end, share)
            for a in range(d):
                q[row, a] += w * force[a]
                q_scale[row, a] += abs(w * force[a])
        if not tangent:
            continue
        if hold != MULTIPLIER:
            half = 0.5 if hold == PENALTY and held_at == CONSERVING else 1.0
            for r in range(nr):
                row = table.rows[first + r]
                test = mean_row_of(x0, x1, row, share)
                part = share_of_row(rows, row, at_end, share)
                for s in range(nr):
                    slot = table.slots[table.slot_start[i] + r * nr + s]
                    if slot >= 0:
                        other = table.rows[first + s]
                        k = part * half * gain * eta * table.weights[at + r] * table.weights[at + s]
                        scatter_scalar(
                            A, slot, rows.stride[row], rows.kind[row], rows.kind[other], test, x1[other], k, d
                        )
        if hold in (MULTIPLIER, AUGMENTED):
            _move_together(table, i, rows, x0, x1, share, gain, A)


@kernel(forceinline=True)
def _hold_together(table, i, rows, x1, multipliers, share, q, q_scale, c, c_scale):
    """A link in space held by its multipliers: c, and their forces on its rows, all in numbers."""
    first = table.row_start[i]
    at = table.weight_start[table.point_start[i]]
    offset, index, at_end = table.param_start[i], table.channel[i], table.at_end[i]
    f0, f1, f2 = multipliers[index], multipliers[index + 1], multipliers[index + 2]
    y0, y1, y2 = -table.params[offset], -table.params[offset + 1], -table.params[offset + 2]
    s0 = s1 = s2 = 0.0
    for r in range(table.row_start[i + 1] - first):
        row, w = table.rows[first + r], table.weights[at + r]
        e0, e1, e2 = row_of(x1, row)
        y0 += w * e0
        y1 += w * e1
        y2 += w * e2
        size, least = abs(w), rows.size[row]
        s0 += size * max(abs(e0), least)
        s1 += size * max(abs(e1), least)
        s2 += size * max(abs(e2), least)
        w *= share_of_row(rows, row, at_end, share)
        q[row, 0] += w * f0
        q[row, 1] += w * f1
        q[row, 2] += w * f2
        q_scale[row, 0] += abs(w * f0)
        q_scale[row, 1] += abs(w * f1)
        q_scale[row, 2] += abs(w * f2)
    c[index], c[index + 1], c[index + 2] = y0, y1, y2
    c_scale[index], c_scale[index + 1], c_scale[index + 2] = s0, s1, s2


@kernel(forceinline=True)
def _move_together(table, i, rows, x0, x1, share, gain, A):
    """Columns and lines of the multipliers of a link; gain = ∂c/∂x1."""
    d = x1.shape[1]
    first = table.row_start[i]
    nr = table.row_start[i + 1] - first
    at = table.weight_start[table.point_start[i]]
    at_end = table.at_end[i]
    r = 0
    while r < nr:
        row = table.rows[first + r]
        column, line, stride = table.column[first + r], table.line[first + r], rows.stride[row]
        part = share_of_row(rows, row, at_end, share)
        if rows.kind[row] == FIXED:
            r += 1
        elif d == 3 and rows.kind[row] == DIRECTOR:  # all directors of a body at once
            test, end, r = body_arm(table.rows, rows.unknown, table.weights, first, at, r, nr, x0, x1, share)
            add_cross(A, column, stride, part, test)
            add_cross(A, line, table.width[i], -gain, end)
        else:
            test, end, w = mean_row_of(x0, x1, row, share), row_of(x1, row), table.weights[at + r]
            scatter_scalar(A, column, stride, rows.kind[row], FREE, test, end, part * w, d)
            scatter_scalar(A, line, table.width[i], FREE, rows.kind[row], test, end, gain * w, d)
            r += 1


@kernel(forceinline=True)
def body_arm(row_numbers, unknowns, weights, first, at, r, nr, x0, x1, share):
    """Σ w d over the directors of one body from place r on, at the test configuration and at x1; and the next place."""
    t0 = t1 = t2 = e0 = e1 = e2 = 0.0
    u = unknowns[row_numbers[first + r]]
    while r < nr and unknowns[row_numbers[first + r]] == u:
        row, w = row_numbers[first + r], weights[at + r]
        y0, y1, y2 = row_of(x1, row)
        e0 += w * y0
        e1 += w * y1
        e2 += w * y2
        z0, z1, z2 = row_of(x0, row)
        t0 += w * (z0 + share * (y0 - z0))
        t1 += w * (z1 + share * (y1 - z1))
        t2 += w * (z2 + share * (y2 - z2))
        r += 1
    return (t0, t1, t2), (e0, e1, e2), r
