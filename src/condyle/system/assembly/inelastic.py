"""What is not elastic in a stress: fading memory and viscosity."""

import numpy as np

from condyle.laws.gram import (
    gram_law,
    viscous_change,
    viscous_moduli,
)
from condyle.laws.kernel import kernel, separate
from condyle.laws.solids import has_mean_dilatation
from condyle.laws.table import HAS_VISCOUS_CHANGE, has
from condyle.system.assembly.places import fades, gather, gram, most_vectors
from condyle.system.signatures import LAWS, count, f1, f2, f3, f4, f5, flag
from condyle.system.tables import END

# --- fading memory ---------------------------------------------------------------------------------------------------


@separate(count(LAWS, count, count, flag, f2, f2, f1, count, f2, f2, f4, f2, f4))
def add_past(table, i, where, mean, G0, G1, p, point, S, S_mixed, H, work_s, work_h):
    """S += c Sᵉ(G1) + B: what a fading memory adds to the elastic stress, with c and B of this step (system/fading.py).

    table.past holds c, then B of every point. p: parameters of the law. With averaged dilatations only the stress of
    the shape fades, Sᵉ without pressure. About an axis S₂₃ = h S₃₃, so B₃₃ (kept at 2, 2) and Sᵉ₃₃ get the factor h of
    the place where S acts.
    """
    law, ny, first = table.law[i], table.vectors[i], table.past_start[i]
    past = table.past[first + 1 + point * ny * ny : first + 1 + (point + 1) * ny * ny]
    c = table.past[first]
    pressure = p[2] if mean else 0.0
    if mean:
        p[2] = 0.0
    gram_law(law, ny, G1, p, work_s, work_h)
    if mean:
        p[2] = pressure
    plane = 2 if ny == 4 else ny
    for k in range(plane):
        for j in range(plane):
            value = c * work_s[k, j] + past[k * ny + j]
            S[k, j] += value
            S_mixed[k, j] += value
    if ny < 4:
        for k in range(ny):
            for j in range(ny):
                for m in range(ny):
                    for n in range(ny):
                        H[k, j, m, n] += c * work_h[k, j, m, n]
        return 0
    h1 = G1[2, 3]
    h = h1 if where == END else 0.5 * (G0[2, 3] + h1)
    slope = 1.0 if where == END else 0.5  # ∂h/∂h1
    across = past[2 * ny + 2]
    value = c * h / h1 * work_s[2, 3] + h * across
    bend = 0.5 * (c * work_s[2, 3] * (slope - h / h1) / h1 + slope * across)  # ∂h1/∂G₂₃ = ½
    for k, j in ((2, 3), (3, 2)):
        S[k, j] += value
        S_mixed[k, j] += value
    for k in range(4):
        for j in range(4):
            factor = c if k < 2 and j < 2 else c * h / h1
            for m in range(4):
                for n in range(4):
                    H[k, j, m, n] += factor * work_h[k, j, m, n]
                    if k >= 2 and j >= 2 and m >= 2 and n >= 2 and k != j and m != n:
                        H[k, j, m, n] += bend
    return 0


@kernel
def elastic_stress(table, x, out):
    """Sᵉ = ∂ψ/∂G of all points of laws with fading memory, ny × ny each, one after another (see `add_past`)."""
    d = x.shape[1]
    most = most_vectors(table)
    y, G = np.zeros((most, d)), np.zeros((most, most))
    S, H = np.zeros((most, most)), np.zeros((most, most, most, most))
    at = 0
    for i in range(table.law.size):
        if not fades(table, i):
            continue
        ny = table.vectors[i]
        p = table.params[table.param_start[i] : table.param_start[i + 1]].copy()
        if has_mean_dilatation(table.law[i], p):
            p[2] = 0.0
        for point in range(table.point_start[i], table.point_start[i + 1]):
            gather(table, i, point, x, y)
            gram(ny, d, y, G)
            gram_law(table.law[i], ny, G, p, S, H)
            if ny == 4:
                S[2, 2] = S[2, 3] / G[2, 3]
            for k in range(ny):
                for j in range(ny):
                    out[at + k * ny + j] = S[k, j]
            at += ny * ny


# --- viscosity --------------------------------------------------------------------------------------------------------


@separate(count(LAWS, count, count, flag, f1, f3, f3, f3, f5))
def add_viscosity(table, i, where, tangent, p, y, G, S, H):
    """What viscosity adds at a point of instance i; work arrays and order as in `general.add_general`. V is left in H[2].

    p: parameters of the law at the point.
    """
    law, ny, d = table.law[i], table.vectors[i], y.shape[2]
    beta, eta = table.damping[i], table.viscosity[i]
    G0, G1, at = G[0], G[1], G[1]
    if where != END:
        at = G[2]
        for k in range(ny):
            for j in range(ny):
                at[k, j] = 0.5 * (G0[k, j] + G1[k, j])
    viscous_tensor(law, ny, beta, eta, at, p, S[2], H[1], H[2])
    add_viscous(ny, d, H[2], y[2], y[4], S[0], S[1])
    if tangent and beta > 0.0 and has(law, HAS_VISCOUS_CHANGE):
        add_viscous_change(law, ny, d, beta, where, at, p, y[2], y[4], S[2], H[1], H[0])
    if ny == 4 and eta > 0.0:
        add_hoop_viscosity(d, eta, 1.0 if where == END else 0.5, at, y[2], y[4], H[0])
    return 0


@kernel
def viscous_tensor(law, ny, beta, eta, G, p, S, H, V):
    """V with S_v = V:Ġ: β H(G), and ½ η Ċ (about an axis C₃₃ = (y_2·y_3)², so Ċ₃₃ has the factor y_2·y_3)."""
    if beta > 0.0:
        viscous_moduli(law, ny, G, p, S, H)
    plane = 2 if ny == 4 else ny
    for k in range(ny):
        for j in range(ny):
            for m in range(ny):
                for n in range(ny):
                    value = beta * H[k, j, m, n] if beta > 0.0 else 0.0
                    if max(k, j, m, n) < plane:
                        value += 0.25 * eta * ((k == m) * (j == n) + (k == n) * (j == m))
                    V[k, j, m, n] = value
    if ny == 4:
        value = 0.5 * eta * G[2, 3] * G[2, 3]
        V[2, 3, 2, 3] += value
        V[2, 3, 3, 2] += value
        V[3, 2, 2, 3] += value
        V[3, 2, 3, 2] += value


@kernel
def add_viscous(ny, d, V, y, ydot, S, S_mixed):
    """S += V:Ġ with Ġ = ẏ yᵀ + y ẏᵀ; at mid-step this is exactly (G1 − G0)/h."""
    for k in range(ny):
        for i in range(ny):
            value = 0.0
            for m in range(ny):
                for j in range(ny):
                    rate = 0.0
                    for a in range(d):
                        rate += ydot[m, a] * y[j, a] + y[m, a] * ydot[j, a]
                    value += V[k, i, m, j] * rate
            S[k, i] += value
            S_mixed[k, i] += value


@kernel
def add_viscous_change(law, ny, d, beta, where, G, p, y, ydot, S, H, out):
    """out += ∂(V:Ġ)/∂G1 at a given Ġ, of laws whose moduli V depend on G, which at mid-step is the mean of both ends."""
    for k in range(ny):
        for j in range(ny):
            S[k, j] = 0.0
            for a in range(d):
                S[k, j] += ydot[k, a] * y[j, a] + y[k, a] * ydot[j, a]
    viscous_change(law, ny, G, p, S, H)
    share = beta if where == END else 0.5 * beta
    for k in range(ny):
        for j in range(ny):
            for m in range(ny):
                for n in range(ny):
                    out[k, j, m, n] += share * H[k, j, m, n]


@kernel
def add_hoop_viscosity(d, eta, share, G, y, ydot, H):
    """H += ∂V/∂G : Ġ about an axis: S₂₃ = η h² ḣ, h = G₂₃; share: of a change of G1 in G."""
    rate = 0.0
    for a in range(d):
        rate += ydot[2, a] * y[3, a] + y[2, a] * ydot[3, a]
    value = share * eta * G[2, 3] * rate
    H[2, 3, 2, 3] += value
    H[2, 3, 3, 2] += value
    H[3, 2, 2, 3] += value
    H[3, 2, 3, 2] += value
