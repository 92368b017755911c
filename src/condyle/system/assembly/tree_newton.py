"""Newton's method for the balance of a tree (`tree_balance.py`): one elimination from the leaves to the root.

How the wrench of a body about its mean pivot changes with δθ and δp of its end,

    δτ = A δθ + B δp,   δf = C δθ + D δp
    A = tr(Z) 1 − Z,  Z = R (c P + ½ Y/h) − ½ R H ẍ_pᵀ,   B = c S(C H),   C = −c S(R H),   D = c m 1

is taken together with that of all that hangs on it: f and C H × … are tested by means of both ends, while δθ turns what is
there at the end, so that the matrices have no symmetry. A joint takes out what it leaves free. What is left goes to the
parent through the arms at mid-step L and at the end L₁, with the wrench τ, f of the joint itself, because mean arms and axes
turn, too:

    δ(L × f) = ½ S(f) S(L₁) δθ,   δ(a·τ) = ½ (a1 × τ)·δθ

What laws on the angle of a hinge add (`hinge_laws.py`) stands in the pivot and in the line of that hinge.
"""

from condyle.laws.kernel import kernel
from condyle.system.assembly.joint_tree import BALL, HINGE
from condyle.system.assembly.tree_start import (
    ACCELERATION,
    ALIGNING,
    ARM,
    ARM_1,
    AXIS,
    AXIS_1,
    CLOSING,
    COLUMN,
    COLUMN_F,
    FORCE,
    FREE,
    LEAN,
    LEVER_1,
    LINE,
    LINE_F,
    MEAN,
    MOMENT,
    MOMENT_0,
    MOVES,
    PUSH,
    RESISTANCE,
    RESISTED_OWN,
    RESISTED_PARENT,
    STEPS,
    STIFF,
    STIFFNESS,
    TORQUE,
    TURNS,
    TWIST,
    USED_ARM,
    USED_ARM_1,
    USED_AXIS,
    USED_AXIS_1,
    A,
    B,
    C,
    D,
)
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
def take_matrices(tree, h, room):
    """Newton's matrix at the iterate that was balanced last: the part of each body alone."""
    V, M, c = room.vectors, room.matrices, 2.0 / (h * h)
    for i in range(tree.parent.size):
        _own_matrix(i, c, tree.mass[i], V, M)
        set_vector(V, i, USED_ARM, vector(V, i, ARM))
        set_vector(V, i, USED_ARM_1, vector(V, i, ARM_1))
        set_vector(V, i, USED_AXIS, vector(V, i, AXIS))
        set_vector(V, i, USED_AXIS_1, vector(V, i, AXIS_1))


@kernel
def factor_tree(tree, room):
    """That matrix eliminated; False if a pivot is lost."""
    V, M = room.vectors, room.matrices
    for i in range(tree.parent.size - 1, -1, -1):
        parent = tree.parent[i]
        if tree.kind[i] == HINGE:
            if not _take_out_hinge(i, parent, V, M, room.sizes):
                return False
        elif not _take_out_ball(i, parent, tree.kind[i] == BALL, V, M):
            return False
        if parent >= 0:
            _hang_on(tree.kind[i] == HINGE, i, parent, V, M)
    return True


@kernel(forceinline=True)
def _own_matrix(i, c, m, V, M):
    """Of a body alone."""
    mean, a = vector(V, i, MOMENT), vector(V, i, ACCELERATION)
    end = minus(scaled(2.0, mean), vector(V, i, MOMENT_0))
    n0, n1, n2 = line(M, i, STIFF, 0), line(M, i, STIFF, 1), line(M, i, STIFF, 2)
    half = scaled(0.5, a)
    z0 = minus(_end_line(M, i, 0, n0, n1, n2, n0), scaled(end[0], half))
    z1 = minus(_end_line(M, i, 1, n0, n1, n2, n1), scaled(end[1], half))
    z2 = minus(_end_line(M, i, 2, n0, n1, n2, n2), scaled(end[2], half))
    set_line(M, i, A, 0, (z1[1] + z2[2], -z0[1], -z0[2]))
    set_line(M, i, A, 1, (-z1[0], z0[0] + z2[2], -z1[2]))
    set_line(M, i, A, 2, (-z2[0], -z2[1], z0[0] + z1[1]))
    x, y, z = scaled(c, mean)
    set_line(M, i, B, 0, (0.0, -z, y))
    set_line(M, i, B, 1, (z, 0.0, -x))
    set_line(M, i, B, 2, (-y, x, 0.0))
    x, y, z = scaled(c, end)
    set_line(M, i, C, 0, (0.0, z, -y))
    set_line(M, i, C, 1, (-z, 0.0, x))
    set_line(M, i, C, 2, (y, -x, 0.0))
    set_line(M, i, D, 0, (c * m, 0.0, 0.0))
    set_line(M, i, D, 1, (0.0, c * m, 0.0))
    set_line(M, i, D, 2, (0.0, 0.0, c * m))


@kernel(forceinline=True)
def _end_line(M, i, k, n0, n1, n2, own):
    """Line k of R N = (2 C − 1) N; own: that of N."""
    m = line(M, i, MEAN, k)
    return minus(scaled(2.0, plus(plus(scaled(m[0], n0), scaled(m[1], n1)), scaled(m[2], n2))), own)


@kernel(forceinline=True)
def _take_out_hinge(i, parent, V, M, sizes):
    """a·τ = 0: A, B, C, D less the product of column and line over the pivot."""
    axis, end = vector(V, i, AXIS), vector(V, i, AXIS_1)
    a0, a1, a2 = line(M, i, A, 0), line(M, i, A, 1), line(M, i, A, 2)
    b0, b1, b2 = line(M, i, B, 0), line(M, i, B, 1), line(M, i, B, 2)
    c0, c1, c2 = line(M, i, C, 0), line(M, i, C, 1), line(M, i, C, 2)
    row = plus(plus(scaled(axis[0], a0), scaled(axis[1], a1)), scaled(axis[2], a2))
    row = plus(row, vector(V, i, RESISTED_OWN))
    lean = scaled(0.5, cross(end, vector(V, i, TORQUE)))
    row_f = plus(plus(scaled(axis[0], b0), scaled(axis[1], b1)), scaled(axis[2], b2))
    column, column_f = (dot(a0, end), dot(a1, end), dot(a2, end)), (dot(c0, end), dot(c1, end), dot(c2, end))
    pivot = dot(row, end) + sizes[i, RESISTANCE]
    lean = plus(lean, vector(V, i, RESISTED_PARENT))
    row = plus(row, lean)
    if not abs(pivot) > 0.0:
        return False
    s = 1.0 / pivot
    column, column_f = scaled(s, column), scaled(s, column_f)
    set_vector(V, i, LEAN, lean)
    set_vector(V, i, LINE, row)
    set_vector(V, i, LINE_F, row_f)
    set_vector(V, i, COLUMN, column)
    set_vector(V, i, COLUMN_F, column_f)
    sizes[i, STIFFNESS] = pivot
    if parent < 0:
        return True
    set_line(M, i, A, 0, minus(a0, scaled(column[0], row)))
    set_line(M, i, A, 1, minus(a1, scaled(column[1], row)))
    set_line(M, i, A, 2, minus(a2, scaled(column[2], row)))
    set_line(M, i, B, 0, minus(b0, scaled(column[0], row_f)))
    set_line(M, i, B, 1, minus(b1, scaled(column[1], row_f)))
    set_line(M, i, B, 2, minus(b2, scaled(column[2], row_f)))
    set_line(M, i, C, 0, minus(c0, scaled(column_f[0], row)))
    set_line(M, i, C, 1, minus(c1, scaled(column_f[1], row)))
    set_line(M, i, C, 2, minus(c2, scaled(column_f[2], row)))
    add_line(M, i, D, 0, scaled(-column_f[0], row_f))
    add_line(M, i, D, 1, scaled(-column_f[1], row_f))
    add_line(M, i, D, 2, scaled(-column_f[2], row_f))
    return True


@kernel(forceinline=True)
def _take_out_ball(i, parent, ball, V, M):
    """τ = 0: A becomes its inverse, C becomes C A⁻¹, D becomes D − C A⁻¹ B; of a body on nothing the inverse of that."""
    if not _invert(i, A, M):
        return False
    if parent < 0 and ball:
        return True
    a0, a1, a2 = line(M, i, A, 0), line(M, i, A, 1), line(M, i, A, 2)
    b0, b1, b2 = line(M, i, B, 0), line(M, i, B, 1), line(M, i, B, 2)
    for k in range(3):
        c = line(M, i, C, k)
        g = plus(plus(scaled(c[0], a0), scaled(c[1], a1)), scaled(c[2], a2))
        set_line(M, i, C, k, g)
        add_line(M, i, D, k, scaled(-1.0, plus(plus(scaled(g[0], b0), scaled(g[1], b1)), scaled(g[2], b2))))
    return ball or _invert(i, D, M)


@kernel(forceinline=True)
def _invert(i, k, M):
    a, b, c = line(M, i, k, 0), line(M, i, k, 1), line(M, i, k, 2)
    u, v, w = cross(b, c), cross(c, a), cross(a, b)
    size = dot(a, u)
    if not abs(size) > 0.0:
        return False
    s = 1.0 / size
    set_line(M, i, k, 0, (s * u[0], s * v[0], s * w[0]))
    set_line(M, i, k, 1, (s * u[1], s * v[1], s * w[1]))
    set_line(M, i, k, 2, (s * u[2], s * v[2], s * w[2]))
    return True


@kernel(forceinline=True)
def _hang_on(hinge, i, parent, V, M):
    """What is left of a body goes to its parent; a ball joint lets no moment through."""
    arm, end, f = vector(V, i, ARM), vector(V, i, ARM_1), vector(V, i, FORCE)
    d0, d1, d2 = line(M, i, D, 0), line(M, i, D, 1), line(M, i, D, 2)
    # E = B + S(L) D, and of the moment L × f of the turning arm −½ S(f)
    e0 = minus(scaled(arm[1], d2), scaled(arm[2], d1))
    e1 = minus(scaled(arm[2], d0), scaled(arm[0], d2))
    e2 = minus(scaled(arm[0], d1), scaled(arm[1], d0))
    if hinge:
        e0, e1, e2 = plus(e0, line(M, i, B, 0)), plus(e1, line(M, i, B, 1)), plus(e2, line(M, i, B, 2))
        c0, c1, c2 = line(M, i, C, 0), line(M, i, C, 1), line(M, i, C, 2)
        add_line(M, parent, A, 0, plus(line(M, i, A, 0), minus(scaled(arm[1], c2), scaled(arm[2], c1))))
        add_line(M, parent, A, 1, plus(line(M, i, A, 1), minus(scaled(arm[2], c0), scaled(arm[0], c2))))
        add_line(M, parent, A, 2, plus(line(M, i, A, 2), minus(scaled(arm[0], c1), scaled(arm[1], c0))))
        add_line(M, parent, C, 0, c0)
        add_line(M, parent, C, 1, c1)
        add_line(M, parent, C, 2, c2)
    add_line(M, parent, B, 0, e0)
    add_line(M, parent, B, 1, e1)
    add_line(M, parent, B, 2, e2)
    # −E S(L₁), line by line L₁ × e
    add_line(M, parent, A, 0, cross(end, plus(e0, (0.0, 0.5 * f[2], -0.5 * f[1]))))
    add_line(M, parent, A, 1, cross(end, plus(e1, (-0.5 * f[2], 0.0, 0.5 * f[0]))))
    add_line(M, parent, A, 2, cross(end, plus(e2, (0.5 * f[1], -0.5 * f[0], 0.0))))
    add_line(M, parent, C, 0, cross(end, d0))
    add_line(M, parent, C, 1, cross(end, d1))
    add_line(M, parent, C, 2, cross(end, d2))
    add_line(M, parent, D, 0, d0)
    add_line(M, parent, D, 1, d1)
    add_line(M, parent, D, 2, d2)


@kernel
def correct_tree(tree, r, room):
    """How all bodies turn and move so that the residual r is taken away and open joints are closed, by the matrix at hand."""
    clear_wrenches(tree, room)
    answer_tree(tree, r, room)


@kernel
def clear_wrenches(tree, room):
    """No residual on any body beside that of the unknowns."""
    for i in range(tree.parent.size):
        set_vector(room.vectors, i, PUSH, (0.0, 0.0, 0.0))
        set_vector(room.vectors, i, TWIST, (0.0, 0.0, 0.0))


@kernel
def answer_tree(tree, r, room):
    """`correct_tree` where there are residuals on bodies, too. Without r, of size 0, joints stay as they are."""
    V, M, sizes, whole = room.vectors, room.matrices, room.sizes, r.size > 0
    none = (0.0, 0.0, 0.0)
    for i in range(tree.parent.size - 1, -1, -1):
        parent, at = tree.parent[i], tree.place[i, 1]
        push, twist = vector(V, i, PUSH), vector(V, i, TWIST)
        if tree.kind[i] == HINGE:
            # The line is multiplied with all that the body turns by, but the axis turns with the parent alone.
            free = dot(vector(V, i, USED_AXIS), twist)
            if whole:
                free += r[at] - dot(vector(V, i, LEAN), vector(V, i, ALIGNING))
            sizes[i, FREE] = free
            if parent >= 0:
                push = minus(push, scaled(free, vector(V, i, COLUMN_F)))
                twist = minus(twist, scaled(free, vector(V, i, COLUMN)))
                if whole:
                    turn, shift = vector(V, i, ALIGNING), vector(V, i, CLOSING)
                    push = plus(push, plus(times(M, i, C, turn), times(M, i, D, shift)))
                    twist = plus(twist, plus(times(M, i, A, turn), times(M, i, B, shift)))
        else:
            if whole:
                twist = plus((r[at], r[at + 1], r[at + 2]), twist)
            set_vector(V, i, TWIST, twist)
            if parent >= 0 or tree.kind[i] != BALL:
                push = minus(push, times(M, i, C, twist))
            if tree.kind[i] != BALL:
                if whole:
                    push = plus((r[at + 3], r[at + 4], r[at + 5]), push)
                set_vector(V, i, PUSH, push)
            elif parent >= 0 and whole:
                push = plus(push, times(M, i, D, vector(V, i, CLOSING)))
            twist = none
        if parent >= 0:
            twist = plus(twist, cross(vector(V, i, USED_ARM), push))
            set_vector(V, parent, TWIST, plus(vector(V, parent, TWIST), twist))
            set_vector(V, parent, PUSH, plus(vector(V, parent, PUSH), push))
    for i in range(tree.parent.size):
        parent, turns, moves = tree.parent[i], none, none
        if tree.link[i] >= 0 and whole:
            moves = vector(V, i, CLOSING)
        if parent >= 0:
            turns = vector(V, parent, TURNS)
            moves = plus(moves, plus(vector(V, parent, MOVES), cross(turns, vector(V, i, USED_ARM_1))))
        if tree.kind[i] == HINGE:
            if whole:
                turns = plus(turns, vector(V, i, ALIGNING))
            free = sizes[i, FREE] + dot(vector(V, i, LINE), turns) + dot(vector(V, i, LINE_F), moves)
            turns = minus(turns, scaled(free / sizes[i, STIFFNESS], vector(V, i, USED_AXIS_1)))
        else:
            if tree.kind[i] != BALL:
                moves = scaled(-1.0, times(M, i, D, vector(V, i, PUSH)))
            turns = scaled(-1.0, times(M, i, A, plus(vector(V, i, TWIST), times(M, i, B, moves))))
        set_vector(V, i, TURNS, turns)
        set_vector(V, i, MOVES, moves)
        set_vector(V, i, STEPS, minus(moves, cross(turns, vector(V, i, LEVER_1))))
