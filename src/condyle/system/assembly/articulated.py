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
    HINGE,
    INERTIA_0,
    INVERSE,
    LOOSE,
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
)  # fmt: skip
from condyle.system.assembly.maps import row_of, set_row
from condyle.system.assembly.places import gather
from condyle.system.assembly.triples import (
    add_line,
    cross,
    dot,
    line,
    minus,
    plus,
    scaled,
    set_line,
    set_vector,
    times,
    vector,
)


@kernel
def accelerate_tree(tree, x, forces, room, rates):
    """u̇ into `rates`, with forces on rows (n, d), where `place_tree` has put all; False if it is not determined."""
    V, M = room.vectors, room.matrices
    for i in range(tree.parent.size):
        _own_inertia(tree, i, x, forces, V, M)
    for i in range(tree.parent.size - 1, -1, -1):
        found = _take_out_hinge(tree.parent[i], i, V, M) if tree.kind[i] == HINGE else _take_out_ball(i, V, M)
        if not found:
            return False
        if tree.parent[i] >= 0:
            _hang_on(tree.kind[i] == HINGE, i, tree.parent[i], V, M)
    for i in range(tree.parent.size):
        _go_down(tree, i, V, M, rates)
    return True


@kernel(forceinline=True)
def _own_inertia(tree, i, x, forces, V, M):
    """A, B, C, p_τ and p_f of a body alone."""
    w, h = vector(V, i, SPIN), times(M, i, TURN, vector(V, i, MOMENT_0))
    t0, t1, t2 = line(M, i, TURN, 0), line(M, i, TURN, 1), line(M, i, TURN, 2)
    s0, s1, s2 = times(M, i, INERTIA_0, t0), times(M, i, INERTIA_0, t1), times(M, i, INERTIA_0, t2)
    xx, xy, xz, yy, yz, zz = dot(t0, s0), dot(t0, s1), dot(t0, s2), dot(t1, s1), dot(t1, s2), dot(t2, s2)
    set_line(M, i, A, 0, (xx, xy, xz))
    set_line(M, i, A, 1, (xy, yy, yz))
    set_line(M, i, A, 2, (xz, yz, zz))
    set_line(M, i, B, 0, (0.0, -h[2], h[1]))
    set_line(M, i, B, 1, (h[2], 0.0, -h[0]))
    set_line(M, i, B, 2, (-h[1], h[0], 0.0))
    m = tree.mass[i]
    set_line(M, i, C, 0, (m, 0.0, 0.0))
    set_line(M, i, C, 1, (0.0, m, 0.0))
    set_line(M, i, C, 2, (0.0, 0.0, m))
    momentum = (xx * w[0] + xy * w[1] + xz * w[2], xy * w[0] + yy * w[1] + yz * w[2], xz * w[0] + yz * w[1] + zz * w[2])
    torque, force = cross(w, momentum), cross(w, cross(w, h))
    p = vector(V, i, PIVOT)
    for k in range(tree.rows.shape[1]):
        row = tree.rows[i, k]
        f, d = row_of(forces, row), row_of(x, row)
        if k == 0:
            force = minus(force, f)
            d = minus(d, p)
        torque = minus(torque, cross(d, f))
    set_vector(V, i, P_T, torque)
    set_vector(V, i, P_F, force)


@kernel(forceinline=True)
def _take_out_hinge(parent, i, V, M):
    """n·τ = 0: what is left of A, B, C and p for the parent, whose spin is ω; with b = ω × n q̇ in p."""
    n = vector(V, i, AXIS)
    a0, a1, a2 = line(M, i, A, 0), line(M, i, A, 1), line(M, i, A, 2)
    b0, b1, b2 = line(M, i, B, 0), line(M, i, B, 1), line(M, i, B, 2)
    ut = (dot(a0, n), dot(a1, n), dot(a2, n))
    uf = plus(plus(scaled(n[0], b0), scaled(n[1], b1)), scaled(n[2], b2))
    size = dot(n, ut)
    if not size > 0.0:
        return False
    torque, force = vector(V, i, P_T), vector(V, i, P_F)
    free = dot(n, torque)
    set_vector(V, i, U_T, ut)
    set_vector(V, i, U_F, uf)
    set_vector(V, i, TORQUE, (free, size, 0.0))  # kept for the way down
    if parent < 0:
        return True
    s = 1.0 / size
    st, sf = scaled(s, ut), scaled(s, uf)
    a0, a1, a2 = minus(a0, scaled(st[0], ut)), minus(a1, scaled(st[1], ut)), minus(a2, scaled(st[2], ut))
    b0, b1, b2 = minus(b0, scaled(st[0], uf)), minus(b1, scaled(st[1], uf)), minus(b2, scaled(st[2], uf))
    set_line(M, i, A, 0, a0)
    set_line(M, i, A, 1, a1)
    set_line(M, i, A, 2, a2)
    set_line(M, i, B, 0, b0)
    set_line(M, i, B, 1, b1)
    set_line(M, i, B, 2, b2)
    for k in range(3):
        for m in range(3):
            M[i, C, k, m] -= sf[k] * uf[m]
    bias = cross(vector(V, parent, SPIN), vector(V, i, ADDED))
    set_vector(V, i, P_T, minus(plus(torque, (dot(a0, bias), dot(a1, bias), dot(a2, bias))), scaled(free, st)))
    more = plus(plus(scaled(bias[0], b0), scaled(bias[1], b1)), scaled(bias[2], b2))
    set_vector(V, i, P_F, minus(plus(force, more), scaled(free, sf)))
    return True


@kernel(forceinline=True)
def _take_out_ball(i, V, M):
    """τ = 0: what is left is C − Bᵀ A⁻¹ B and p_f − Bᵀ A⁻¹ p_τ; A⁻¹ is kept. False if A is not positive."""
    if not _invert(i, A, INVERSE, M):
        return False
    t = times(M, i, INVERSE, vector(V, i, P_T))
    b0, b1, b2 = line(M, i, B, 0), line(M, i, B, 1), line(M, i, B, 2)
    less = plus(plus(scaled(t[0], b0), scaled(t[1], b1)), scaled(t[2], b2))
    set_vector(V, i, P_F, minus(vector(V, i, P_F), less))
    for m in range(3):
        t = times(M, i, INVERSE, (b0[m], b1[m], b2[m]))
        less = plus(plus(scaled(t[0], b0), scaled(t[1], b1)), scaled(t[2], b2))
        M[i, C, 0, m] -= less[0]
        M[i, C, 1, m] -= less[1]
        M[i, C, 2, m] -= less[2]
    return True


@kernel(forceinline=True)
def _invert(i, given, to, M):
    """The inverse of a symmetric matrix; False if it is not positive."""
    (a, b, c), (_, d, e), f = line(M, i, given, 0), line(M, i, given, 1), M[i, given, 2, 2]
    ca, cb, cc = d * f - e * e, c * e - b * f, b * e - c * d
    det = a * ca + b * cb + c * cc
    if not det > 0.0:
        return False
    s = 1.0 / det
    set_line(M, i, to, 0, (s * ca, s * cb, s * cc))
    set_line(M, i, to, 1, (s * cb, s * (a * f - c * c), s * (b * c - a * e)))
    set_line(M, i, to, 2, (s * cc, s * (b * c - a * e), s * (a * d - b * b)))
    return True


@kernel(forceinline=True)
def _hang_on(with_torque, i, parent, V, M):
    """Add what a body with its joint asks for to its parent, about the pivot of that, from which l leads to its own:

    C += C',   B += B' + S(l) C',   A += A' − B' S(l) + S(l) B'ᵀ − S(l) C' S(l)
    """
    l, w = vector(V, i, SEAT), vector(V, parent, SPIN)  # noqa: E741
    c0, c1, c2 = line(M, i, C, 0), line(M, i, C, 1), line(M, i, C, 2)
    swing = cross(w, cross(w, l))
    force = plus(vector(V, i, P_F), (dot(c0, swing), dot(c1, swing), dot(c2, swing)))
    torque = plus(vector(V, parent, P_T), cross(l, force))
    set_vector(V, parent, P_F, plus(vector(V, parent, P_F), force))
    add_line(M, parent, C, 0, c0)
    add_line(M, parent, C, 1, c1)
    add_line(M, parent, C, 2, c2)
    # lines of S(l) C'
    r0, r1, r2 = (
        minus(scaled(l[1], c2), scaled(l[2], c1)),
        minus(scaled(l[2], c0), scaled(l[0], c2)),
        minus(scaled(l[0], c1), scaled(l[1], c0)),
    )
    # −row S(l) = l × row
    a0, a1, a2 = cross(l, r0), cross(l, r1), cross(l, r2)
    if with_torque:
        b0, b1, b2 = line(M, i, B, 0), line(M, i, B, 1), line(M, i, B, 2)
        torque = plus(torque, plus(vector(V, i, P_T), (dot(b0, swing), dot(b1, swing), dot(b2, swing))))
        r0, r1, r2 = plus(r0, b0), plus(r1, b1), plus(r2, b2)
        s0, s1, s2 = cross(l, b0), cross(l, b1), cross(l, b2)
        a0 = plus(plus(a0, line(M, i, A, 0)), (s0[0] + s0[0], s0[1] + s1[0], s0[2] + s2[0]))
        a1 = plus(plus(a1, line(M, i, A, 1)), (s1[0] + s0[1], s1[1] + s1[1], s1[2] + s2[1]))
        a2 = plus(plus(a2, line(M, i, A, 2)), (s2[0] + s0[2], s2[1] + s1[2], s2[2] + s2[2]))
    set_vector(V, parent, P_T, torque)
    add_line(M, parent, B, 0, r0)
    add_line(M, parent, B, 1, r1)
    add_line(M, parent, B, 2, r2)
    add_line(M, parent, A, 0, a0)
    add_line(M, parent, A, 1, a1)
    add_line(M, parent, A, 2, a2)


@kernel(forceinline=True)
def _go_down(tree, i, V, M, rates):
    """Accelerations of a body, once those of its parent are known."""
    parent, rate = tree.parent[i], tree.place[i, 1]
    alpha = acceleration = (0.0, 0.0, 0.0)
    if parent >= 0:
        w, l, alpha = vector(V, parent, SPIN), vector(V, i, SEAT), vector(V, parent, ALPHA)  # noqa: E741
        acceleration = plus(plus(vector(V, parent, ACCELERATION), cross(w, cross(w, l))), cross(alpha, l))
    elif tree.kind[i] == LOOSE:
        _invert(i, C, TURN, M)  # the turn has done its service
        acceleration = scaled(-1.0, times(M, i, TURN, vector(V, i, P_F)))
    if tree.kind[i] == HINGE:
        n, ut, uf, (free, size, _) = (
            vector(V, i, AXIS), vector(V, i, U_T), vector(V, i, U_F), vector(V, i, TORQUE)
        )  # fmt: skip
        if parent >= 0:
            alpha = plus(alpha, cross(vector(V, parent, SPIN), vector(V, i, ADDED)))
        found = -(dot(ut, alpha) + dot(uf, acceleration) + free) / size
        rates[rate] = found
        alpha = plus(alpha, scaled(found, n))
    else:
        alpha = scaled(-1.0, times(M, i, INVERSE, plus(vector(V, i, P_T), times(M, i, B, acceleration))))
        for k in range(3):
            rates[rate + k] = alpha[k]
            if tree.kind[i] == LOOSE:
                rates[rate + 3 + k] = acceleration[k]
    set_vector(V, i, ALPHA, alpha)
    set_vector(V, i, ACCELERATION, acceleration)


@kernel
def bear(tree, links, constraints, x, room, acceleration, multipliers, y):
    """Multipliers of the joints, and accelerations of all rows, after `accelerate_tree`. y: room for gathered vectors.

    The joint does −Gᵀ λ to the body, with the gradient G of its conditions by the pivot (± 1) and by turning the body about
    it: of y_own·y_other that is y_own × y_other.
    """
    V, M = room.vectors, room.matrices
    for i in range(tree.parent.size):
        torque, force = _joint_forces(tree, i, V, M)
        if tree.link[i] >= 0:
            first = links.channel[tree.link[i]]
            for a in range(x.shape[1]):
                multipliers[first + a] = -tree.sign[i] * force[a]
        for k in range(2):
            held = tree.square[i, k]
            if held >= 0:
                gather(constraints, held, constraints.point_start[held], x, y)
                own, other = tree.own[i, k], 1 - tree.own[i, k]
                lever = cross((y[own, 0], y[own, 1], y[own, 2]), (y[other, 0], y[other, 1], y[other, 2]))
                multipliers[constraints.channel[held]] = -dot(lever, torque) / dot(lever, lever)
    accelerate_rows(tree, x, room, acceleration)


@kernel
def _joint_forces(tree, i, V, M):
    """Torque about the pivot and force that the joint exerts on a body."""
    parent, a = tree.parent[i], vector(V, i, ACCELERATION)
    force = plus(vector(V, i, P_F), times(M, i, C, a))
    if tree.kind[i] != HINGE:
        return (0.0, 0.0, 0.0), force
    alpha = vector(V, parent, ALPHA) if parent >= 0 else vector(V, i, ALPHA)
    torque = plus(vector(V, i, P_T), plus(times(M, i, A, alpha), times(M, i, B, a)))
    b0, b1, b2 = line(M, i, B, 0), line(M, i, B, 1), line(M, i, B, 2)
    return torque, plus(force, plus(plus(scaled(alpha[0], b0), scaled(alpha[1], b1)), scaled(alpha[2], b2)))


@kernel
def accelerate_rows(tree, x, room, acceleration):
    """Accelerations of all rows after `accelerate_tree`.

    ẍ = a + α × ρ + ω × (ω × ρ) with ρ from the pivot; of directors without a.
    """
    V = room.vectors
    for i in range(tree.parent.size):
        alpha, w = vector(V, i, ALPHA), vector(V, i, SPIN)
        for k in range(tree.rows.shape[1]):
            rho = row_of(x, tree.rows[i, k])
            if k == 0:
                rho = minus(rho, vector(V, i, PIVOT))
            found = plus(cross(alpha, rho), cross(w, cross(w, rho)))
            if k == 0:
                found = plus(found, vector(V, i, ACCELERATION))
            set_row(acceleration, tree.rows[i, k], found[0], found[1], found[2])
