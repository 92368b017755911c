"""Accelerations of a tree of rigid bodies in the coordinates of its joints, in a time that grows with the number of bodies.

With the inertia of a body about its pivot, I, the first moment h = m c, spin ω, and the acceleration a of the pivot, what the
joint has to bear is

    τ = I α + h × a + ω × I ω − τ_ext,   f = m a + α × h + ω × (ω × h) − f_ext

From the leaves to the root, bodies are taken together with all that hang on them (Featherstone's articulated bodies, in world
axes and about pivots): τ = A α + B a + p_τ, f = Bᵀ α + C a + p_f. A joint takes out what it leaves free: n·τ = 0 of a hinge
about n, τ = 0 of a ball joint. Then accelerations follow from the root to the leaves.
"""

from condyle.laws.kernel import kernel
from condyle.system.assembly.joint_tree import (
    ACCELERATION,
    ADDED,
    ALPHA,
    AXIS,
    FORCE,
    HINGE,
    INERTIA_0,
    INVERSE,
    LOOSE,
    MOMENT,
    MOMENT_0,
    P_F,
    P_T,
    PIVOT,
    SEAT,
    SPIN,
    TORQUE,
    TURN,
    U_F,
    U_T,
    A,
    B,
    C,
    add_cross,
    cross,
    dot,
    times,
)  # fmt: skip
from condyle.system.assembly.maps import row_of, set_row
from condyle.system.assembly.places import gather


@kernel
def accelerate_tree(tree, x, forces, room, rates):
    """u̇ into `rates`, with forces on rows (n, d), where `place_tree` has put all; False if it is not determined."""
    for i in range(tree.parent.size):
        _own_inertia(tree, i, x, forces, room)
    for i in range(tree.parent.size - 1, -1, -1):
        if not _take_in(tree, i, room):
            return False
    for i in range(tree.parent.size):
        _go_down(tree, i, room, rates)
    return True


@kernel(forceinline=True)
def _own_inertia(tree, i, x, forces, room):
    """A, B, C, p_τ and p_f of a body alone."""
    vec, mat = room.vectors[i], room.matrices[i]
    turn, start, own, w, h = mat[TURN], mat[INERTIA_0], mat[A], vec[SPIN], vec[MOMENT]
    times(turn, vec[MOMENT_0], h)
    for a in range(3):
        for b in range(3):
            mat[C, a, b] = turn[a, 0] * start[0, b] + turn[a, 1] * start[1, b] + turn[a, 2] * start[2, b]
    for a in range(3):
        for b in range(a, 3):
            value = mat[C, a, 0] * turn[b, 0] + mat[C, a, 1] * turn[b, 1] + mat[C, a, 2] * turn[b, 2]
            own[a, b] = own[b, a] = value
    for a in range(3):
        for b in range(3):
            mat[C, a, b] = tree.mass[i] if a == b else 0.0
            mat[B, a, b] = 0.0
    mat[B, 0, 1], mat[B, 0, 2], mat[B, 1, 2] = -h[2], h[1], -h[0]
    mat[B, 1, 0], mat[B, 2, 0], mat[B, 2, 1] = h[2], -h[1], h[0]
    torque, force, swing = vec[P_T], vec[P_F], vec[U_T]
    times(own, w, swing)
    cross(w, swing, torque)
    cross(w, h, swing)
    cross(w, swing, force)
    pivot = vec[PIVOT]
    for k in range(tree.rows.shape[1]):
        row = tree.rows[i, k]
        f0, f1, f2 = row_of(forces, row)
        d0, d1, d2 = row_of(x, row)
        if k == 0:
            force[0] -= f0
            force[1] -= f1
            force[2] -= f2
            d0, d1, d2 = d0 - pivot[0], d1 - pivot[1], d2 - pivot[2]
        torque[0] -= d1 * f2 - d2 * f1
        torque[1] -= d2 * f0 - d0 * f2
        torque[2] -= d0 * f1 - d1 * f0


@kernel(forceinline=True)
def _invert(m, out):
    """The inverse of a symmetric matrix; False if it is not positive."""
    a, b, c, d, e, f = m[0, 0], m[0, 1], m[0, 2], m[1, 1], m[1, 2], m[2, 2]
    ca, cb, cc = d * f - e * e, c * e - b * f, b * e - c * d
    det = a * ca + b * cb + c * cc
    if not det > 0.0:
        return False
    s = 1.0 / det
    out[0, 0], out[0, 1], out[0, 2] = s * ca, s * cb, s * cc
    out[1, 0], out[1, 1], out[1, 2] = s * cb, s * (a * f - c * c), s * (b * c - a * e)
    out[2, 0], out[2, 1], out[2, 2] = s * cc, s * (b * c - a * e), s * (a * d - b * b)
    return True


@kernel(forceinline=True)
def _take_in(tree, i, room):
    """Take out what the joint of a body leaves free, and add the rest to its parent."""
    vec, mat, parent = room.vectors[i], room.matrices[i], tree.parent[i]
    a_, b_, c_ = mat[A], mat[B], mat[C]
    torque, force = vec[P_T], vec[P_F]
    if tree.kind[i] == HINGE:
        n, ut, uf = vec[AXIS], vec[U_T], vec[U_F]
        times(a_, n, ut)
        for k in range(3):
            uf[k] = b_[0, k] * n[0] + b_[1, k] * n[1] + b_[2, k] * n[2]
        size = dot(n, ut)
        if not size > 0.0:
            return False
        vec[TORQUE, 0] = dot(n, torque)  # kept for the way down
        if parent >= 0:
            s = 1.0 / size
            free = s * vec[TORQUE, 0]
            for k in range(3):
                for m in range(3):
                    a_[k, m] -= s * ut[k] * ut[m]
                    b_[k, m] -= s * ut[k] * uf[m]
                    c_[k, m] -= s * uf[k] * uf[m]
            # p + (A' b, B'ᵀ b), with b = ω_parent × n q̇
            bias = vec[ALPHA]
            cross(room.vectors[parent, SPIN], vec[ADDED], bias)
            for k in range(3):
                torque[k] += a_[k, 0] * bias[0] + a_[k, 1] * bias[1] + a_[k, 2] * bias[2] - ut[k] * free
                force[k] += b_[0, k] * bias[0] + b_[1, k] * bias[1] + b_[2, k] * bias[2] - uf[k] * free
    else:
        inverse, t = mat[INVERSE], vec[U_T]
        if not _invert(a_, inverse):
            return False
        times(inverse, torque, t)
        for k in range(3):
            force[k] -= b_[0, k] * t[0] + b_[1, k] * t[1] + b_[2, k] * t[2]
        for m in range(3):  # C − Bᵀ A⁻¹ B
            t0 = inverse[0, 0] * b_[0, m] + inverse[0, 1] * b_[1, m] + inverse[0, 2] * b_[2, m]
            t1 = inverse[1, 0] * b_[0, m] + inverse[1, 1] * b_[1, m] + inverse[1, 2] * b_[2, m]
            t2 = inverse[2, 0] * b_[0, m] + inverse[2, 1] * b_[1, m] + inverse[2, 2] * b_[2, m]
            for k in range(3):
                c_[k, m] -= b_[0, k] * t0 + b_[1, k] * t1 + b_[2, k] * t2
    if parent >= 0:
        _hang_on(tree.kind[i] == HINGE, vec, mat, room.vectors[parent], room.matrices[parent])
    return True


@kernel(forceinline=True)
def _hang_on(with_torque, vec, mat, above, onto):
    """Add what a body with its joint asks for to its parent, about the pivot of that; `way` is that between the pivots."""
    way, w, c_, b_ = vec[SEAT], above[SPIN], mat[C], mat[B]
    swing = vec[ACCELERATION]
    cross(w, way, swing)
    cross(w, swing, swing)  # ω × (ω × way)
    force, torque = vec[FORCE], above[P_T]
    for k in range(3):
        force[k] = vec[P_F, k] + c_[k, 0] * swing[0] + c_[k, 1] * swing[1] + c_[k, 2] * swing[2]
        above[P_F, k] += force[k]
    add_cross(way, force, torque)
    for m in range(3):  # column m of way × C
        t0 = way[1] * c_[2, m] - way[2] * c_[1, m]
        t1 = way[2] * c_[0, m] - way[0] * c_[2, m]
        t2 = way[0] * c_[1, m] - way[1] * c_[0, m]
        onto[B, 0, m] += t0
        onto[B, 1, m] += t1
        onto[B, 2, m] += t2
        onto[INVERSE, 0, m], onto[INVERSE, 1, m], onto[INVERSE, 2, m] = t0, t1, t2
        for k in range(3):
            onto[C, k, m] += c_[k, m]
    for k in range(3):  # −(way × C) S(way), row by row: −row S(way) = way × row
        r0, r1, r2 = onto[INVERSE, k, 0], onto[INVERSE, k, 1], onto[INVERSE, k, 2]
        onto[A, k, 0] += way[1] * r2 - way[2] * r1
        onto[A, k, 1] += way[2] * r0 - way[0] * r2
        onto[A, k, 2] += way[0] * r1 - way[1] * r0
    if with_torque:
        for k in range(3):
            torque[k] += vec[P_T, k] + b_[k, 0] * swing[0] + b_[k, 1] * swing[1] + b_[k, 2] * swing[2]
            r0, r1, r2 = b_[k, 0], b_[k, 1], b_[k, 2]
            # −B S(way) and its transpose
            t0, t1, t2 = way[1] * r2 - way[2] * r1, way[2] * r0 - way[0] * r2, way[0] * r1 - way[1] * r0
            onto[A, k, 0] += t0
            onto[A, k, 1] += t1
            onto[A, k, 2] += t2
            onto[A, 0, k] += t0
            onto[A, 1, k] += t1
            onto[A, 2, k] += t2
            for m in range(3):
                onto[A, k, m] += mat[A, k, m]
                onto[B, k, m] += b_[k, m]


@kernel(forceinline=True)
def _go_down(tree, i, room, rates):
    """Accelerations of a body, once those of its parent are known."""
    vec, mat, parent, rate = room.vectors[i], room.matrices[i], tree.parent[i], tree.place[i, 1]
    alpha, acceleration, b_ = vec[ALPHA], vec[ACCELERATION], mat[B]
    above = room.vectors[max(parent, 0)]
    if parent >= 0:
        w, way = above[SPIN], vec[SEAT]
        cross(w, way, acceleration)
        cross(w, acceleration, acceleration)
        add_cross(above[ALPHA], way, acceleration)
        for k in range(3):
            acceleration[k] += above[ACCELERATION, k]
    elif tree.kind[i] == LOOSE:
        _invert(mat[C], mat[TURN])  # the turn has done its service
        times(mat[TURN], vec[P_F], acceleration)
        for k in range(3):
            acceleration[k] = -acceleration[k]
    else:
        acceleration[0] = acceleration[1] = acceleration[2] = 0.0
    if tree.kind[i] == HINGE:
        n, ut, uf = vec[AXIS], vec[U_T], vec[U_F]
        if parent >= 0:
            cross(above[SPIN], vec[ADDED], alpha)
            for k in range(3):
                alpha[k] += above[ALPHA, k]
        else:
            alpha[0] = alpha[1] = alpha[2] = 0.0
        found = -(dot(ut, alpha) + dot(uf, acceleration) + vec[TORQUE, 0]) / dot(n, ut)
        rates[rate] = found
        for k in range(3):
            alpha[k] += n[k] * found
    else:
        t = vec[U_F]
        for k in range(3):
            t[k] = vec[P_T, k] + b_[k, 0] * acceleration[0] + b_[k, 1] * acceleration[1] + b_[k, 2] * acceleration[2]
        times(mat[INVERSE], t, alpha)
        for k in range(3):
            alpha[k] = -alpha[k]
            rates[rate + k] = alpha[k]
        if tree.kind[i] == LOOSE:
            for k in range(3):
                rates[rate + 3 + k] = acceleration[k]


@kernel
def bear(tree, links, constraints, x, room, acceleration, multipliers, y):
    """Multipliers of the joints, and accelerations of all rows, after `accelerate_tree`. y: room for gathered vectors.

    The joint does −Gᵀ λ to the body, with the gradient G of its conditions by the pivot (± 1) and by turning the body about
    it: of y_own·y_other that is y_own × y_other.
    """
    for i in range(tree.parent.size):
        vec, mat, parent = room.vectors[i], room.matrices[i], tree.parent[i]
        _joint_forces(tree.kind[i], parent, vec, mat, room.vectors[max(parent, 0), ALPHA])
        if tree.link[i] >= 0:
            first = links.channel[tree.link[i]]
            for a in range(x.shape[1]):
                multipliers[first + a] = -tree.sign[i] * vec[FORCE, a]
        for k in range(2):
            held = tree.square[i, k]
            if held >= 0:
                gather(constraints, held, constraints.point_start[held], x, y)
                own = tree.own[i, k]
                lever = vec[U_T]
                cross(y[own], y[1 - own], lever)
                multipliers[constraints.channel[held]] = -dot(lever, vec[TORQUE]) / dot(lever, lever)
        _row_accelerations(tree, i, x, vec, acceleration)


@kernel(forceinline=True)
def _joint_forces(kind, parent, vec, mat, alpha_parent):
    """Torque about the pivot and force that the joint exerts on a body."""
    a_, b_, c_, acceleration = mat[A], mat[B], mat[C], vec[ACCELERATION]
    turning = kind == HINGE
    alpha = alpha_parent if parent >= 0 else vec[ALPHA]
    for k in range(3):
        force, torque = vec[P_F, k], 0.0
        for m in range(3):
            force += c_[k, m] * acceleration[m]
            if turning:
                force += b_[m, k] * alpha[m]
                torque += a_[k, m] * alpha[m] + b_[k, m] * acceleration[m]
        vec[FORCE, k] = force
        vec[TORQUE, k] = torque + vec[P_T, k] if turning else 0.0


@kernel(forceinline=True)
def _row_accelerations(tree, i, x, vec, acceleration):
    """ẍ = a + α × ρ + ω × (ω × ρ) with ρ from the pivot; of directors without a."""
    alpha, w, pivot = vec[ALPHA], vec[SPIN], vec[PIVOT]
    rho, swing = vec[U_T], vec[U_F]
    for k in range(tree.rows.shape[1]):
        row = tree.rows[i, k]
        rho[0], rho[1], rho[2] = row_of(x, row)
        for a in range(3):
            rho[a] -= pivot[a] if k == 0 else 0.0
        cross(w, rho, swing)
        cross(w, swing, swing)
        add_cross(alpha, rho, swing)
        for a in range(3):
            swing[a] += vec[ACCELERATION, a] if k == 0 else 0.0
        set_row(acceleration, row, swing[0], swing[1], swing[2])
