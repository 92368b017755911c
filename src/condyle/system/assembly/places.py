"""Gathering: y = W x for the vectors of a law, their Gram matrix, and small helpers on work arrays."""

import numpy as np

from condyle.laws.column_types import cuts
from condyle.laws.columns import rows_between
from condyle.laws.coordinates import angle_near
from condyle.laws.kernel import kernel
from condyle.laws.muscle_places import LEAD, PACE
from condyle.laws.muscles import next_state
from condyle.system.tables import LawTable


def family(laws, spans, number):
    """One family of laws out of the table of all: energies 0, forces 1, links 2, constraints 3, rates 4."""
    return rows_between(laws, spans[number], spans[number + 1])


cuts(family, LawTable)


@kernel(forceinline=True)
def gather(table, instance, point, x, y):
    """y_k = Σ_r w_kr x[row_r]."""
    first, last = table.row_start[instance], table.row_start[instance + 1]
    at = table.weight_start[point]
    d = x.shape[1]
    for k in range(table.vectors[instance]):
        for a in range(d):
            y[k, a] = 0.0
        for r in range(first, last):
            w = table.weights[at]
            at += 1
            if w != 0.0:
                for a in range(d):
                    y[k, a] += w * x[table.rows[r], a]


@kernel
def gram(ny, d, y, G):
    """G = y yᵀ."""
    for i in range(ny):
        for j in range(i + 1):
            value = 0.0
            for a in range(d):
                value += y[i, a] * y[j, a]
            G[i, j] = value
            G[j, i] = value


@kernel
def blend(ny, d, y0, y1, share, y):
    """y = (1 − share) y0 + share y1."""
    for k in range(ny):
        for a in range(d):
            y[k, a] = (1.0 - share) * y0[k, a] + share * y1[k, a]


@kernel
def mean_row(x0, x1, row, share, out):
    """A row between the two ends of a step: where left maps are taken."""
    for a in range(x1.shape[1]):
        out[a] = (1.0 - share) * x0[row, a] + share * x1[row, a]


@kernel
def clear(K, nr, d):
    """K[:nr, :nr] = 0."""
    for r in range(nr):
        for s in range(nr):
            for a in range(d):
                for b in range(d):
                    K[r, s, a, b] = 0.0


@kernel
def keep(x, copy):
    """copy ← x. (An assignment to a slice would have Numba compile a message about shapes that do not fit: seconds.)"""
    flat, to = x.reshape(x.size), copy.reshape(x.size)
    for i in range(flat.size):
        to[i] = flat[i]


@kernel(forceinline=True)
def begin_residual(gravity, tangent, q, q_scale, q_noise, r, r_scale, r_noise, A):
    """Rows with their weight alone; the residual of the unknowns, and with the tangent the matrix, empty."""
    for i in range(r.size):
        r[i] = 0.0
        r_scale[i] = 0.0
        r_noise[i] = 0.0
    if tangent:
        for i in range(A.size):
            A[i] = 0.0
    size = q.size
    force, force_scale, force_noise = q.reshape(size), q_scale.reshape(size), q_noise.reshape(size)
    weight = gravity.reshape(size)
    for i in range(size):
        force[i] = -weight[i]
        force_scale[i] = abs(weight[i])
        force_noise[i] = 0.0


@kernel
def most_vectors(table):
    """The largest number of vectors that a law of the table gathers."""
    return most_of(table)[0]


@kernel(forceinline=True)
def fades(table, i):
    """Has an energy a fading memory?"""
    return table.past_start[i + 1] > table.past_start[i]


@kernel
def most_of(table):
    """The largest numbers of vectors and of rows of a law of the table: sizes of work arrays."""
    most_y, most_r = 1, 1
    for i in range(table.law.size):
        most_y = max(most_y, table.vectors[i])
        most_r = max(most_r, table.row_start[i + 1] - table.row_start[i])
    return most_y, most_r


@kernel
def find_turns(table, instance, vector, x, near, out):
    """Unwrapped angles at x of the angle coordinates of a table, each on the turn nearest to `near`.

    instance: which law instance an angle belongs to; vector: its first gathered vector there, −1 for a number that is no
    angle but a state of the law, which stays as it is.
    """
    d = x.shape[1]
    y = np.zeros((most_vectors(table), d))
    for k in range(instance.size):
        o = vector[k]
        if o < 0:
            out[k] = near[k]
            continue
        gather(table, instance[k], table.point_start[instance[k]], x, y)
        sin = cos = 0.0
        for a in range(d):
            cos += y[o, a] * y[o + 1, a]
            sin += y[o, a] * y[o + 2, a]
        out[k] = angle_near(sin, cos, near[k])


@kernel
def set_pace(table, instance, vector, pace, lead):
    """How the states of laws follow within a step (laws/muscles.py): κ = pace [1/s], lead [s]."""
    for k in range(instance.size):
        if vector[k] < 0:
            at = table.param_start[instance[k]]
            table.params[at + PACE] = pace
            table.params[at + LEAD] = lead


@kernel
def find_states(table, instance, place, vector, x, amplitudes, share, out):
    """States of laws at the end of a step, from the configuration x where forces were taken, after `share` of the step."""
    d = x.shape[1]
    y = np.zeros((most_vectors(table), d))
    for k in range(instance.size):
        if vector[k] < 0:
            i = instance[k]
            gather(table, i, table.point_start[i], x, y)
            p = table.params[table.param_start[i] : table.param_start[i + 1]]
            amplitude = amplitudes[table.channel[i]] if table.channel[i] >= 0 else 1.0
            out[k] = next_state(table.vectors[i], d, y, amplitude, p, place[k], share)


@kernel(forceinline=True)
def gather_vectors(weights, at, ny, nr, d, nodes, y):
    """y_k = Σ_r w_kr x_r."""
    for k in range(ny):
        for a in range(d):
            value = 0.0
            for r in range(nr):
                value += weights[at + k * nr + r] * nodes[r, a]
            y[k, a] = value
