"""Energy–momentum steps of a tree of rigid bodies in the coordinates of its joints: where all goes, and what joints bear.

Rows balance at mid-step, and joints act there by their discrete gradients. A joint that lets a point of a body c coincide with
one of its parent b is linear in rows, so what does no work in it is

    δp_c = δp_b + δθ_b × L,   δθ_c = δθ_b + a δφ (hinge) or free (ball)

with the arm L from the pivot of b to that of c and the axis a as means of both ends of the step: the moments of the two
conditions of a hinge, y × z of mean vectors, are square to the mean axis. So the recursion along the tree with mean arms and
mean axes is the null space of all joints, and their forces drop out of

    r = Σ (wrenches of all that hangs on a joint, about its mean pivot), along what the joint leaves free

An iterate has the Cayley vector t of each body in the step and the step of its place. With C = (1 − ½ S(t))⁻¹ vectors v of the
body become C v at mid-step and R v = (2 C − 1) v at the end, and move by t × C v. Unknowns are what the joints leave free:
angles of hinges, turns of what hangs on a ball joint, turns and shifts of what hangs on nothing. Corrections are those of each
body by itself, with what closes its joint, as in rows: a chain of a thousand hinges, placed anew from its angles, would lose
digits, and its forces would feel the square of each correction.

A body about its pivot has the mass m, the first moment H = Σ h_k d_k and the second moments P = Σ E_kl d_k d_lᵀ. From the rows
q_k = h_k ẍ_p + Σ E_kl d̈_l − F_k of its residual follow its force and moment

    f = m ẍ_p + Σ h_k d̈_k − F,   τ = Σ C d_k × q_k = C H × ẍ_p − axial(Z),   Z = C (Y − 2/h P Fᵀ) / h

with F = S(t) C, Y = Σ d_k (2 Σ E_kl ḋ_l + h F_k)ᵀ and all vectors as at the start of the step.
"""

from condyle.laws.kernel import kernel
from condyle.system.assembly.joint_tree import BALL, HINGE
from condyle.system.assembly.maps import row_of, set_row
from condyle.system.assembly.tree_start import (
    ACCELERATION,
    ACROSS,
    ACROSS_2,
    ALIGNING,
    ARM,
    ARM_0,
    ARM_1,
    AXIS,
    AXIS_0,
    AXIS_1,
    CLOSING,
    EULER,
    FORCE,
    GAP,
    LEVER_0,
    LEVER_1,
    LOAD_F,
    LOAD_T,
    MEAN,
    MOMENT,
    MOMENT_0,
    MOMENTUM,
    NOISE_F,
    NOISE_T,
    ROLLED,
    ROUND_F,
    ROUND_T,
    SHIFT,
    SIZE_F,
    SIZE_T,
    SLIP,
    STEP,
    STEP_OLD,
    STEPS,
    TORQUE,
    TURN,
    TURN_OLD,
    TURNS,
    VELOCITY,
    VIRIAL,
    shares_of,
    size_of,
)
from condyle.system.assembly.triples import cross, dot, line, minus, plus, scaled, set_line, set_vector, times, vector


@kernel
def take_iterate(tree, bodies, step, turn, room):
    """An iterate from steps of rows (n, d) and Cayley vectors of bodies, in their order among all rigid `bodies`."""
    V = room.vectors
    for i in range(tree.parent.size):
        b = bodies[i]
        set_vector(V, i, TURN, (turn[b, 0], turn[b, 1], turn[b, 2]))
        set_vector(V, i, STEP, row_of(step, tree.rows[i, 0]))


@kernel
def give_iterate(tree, bodies, x, room, step, turn):
    """The same the other way round, with the steps of directors.

    They move by what the balance was made of, to the last digit: a difference that all steps have would be work.
    """
    V, M = room.vectors, room.matrices
    for i in range(tree.parent.size):
        b, t, (s0, s1, s2) = bodies[i], vector(V, i, TURN), vector(V, i, STEP)
        set_row(step, tree.rows[i, 0], s0, s1, s2)
        for a in range(3):
            turn[b, a] = t[a]
        for k in range(1, tree.rows.shape[1]):
            row = tree.rows[i, k]
            s0, s1, s2 = cross(t, times(M, i, MEAN, row_of(x, row)))
            set_row(step, row, s0, s1, s2)


@kernel
def move_tree(tree, factor, room):
    """From the iterate that was kept on by `factor` of the correction; each body by itself, which adds up no round-off."""
    V = room.vectors
    for i in range(tree.parent.size):
        turn = composed(scaled(factor, vector(V, i, TURNS)), vector(V, i, TURN_OLD))
        set_vector(V, i, TURN, turn)
        set_vector(V, i, STEP, plus(vector(V, i, STEP_OLD), scaled(factor, vector(V, i, STEPS))))


@kernel
def keep_iterate(tree, room):
    """What `move_tree` starts from."""
    V = room.vectors
    for i in range(tree.parent.size):
        set_vector(V, i, TURN_OLD, vector(V, i, TURN))
        set_vector(V, i, STEP_OLD, vector(V, i, STEP))


@kernel(forceinline=True)
def composed(a, b):
    """The Cayley vector of b and then a: (a + b + ½ a × b) / (1 − ¼ a·b)."""
    return scaled(1.0 / (1.0 - 0.25 * dot(a, b)), plus(plus(a, b), scaled(0.5, cross(a, b))))


@kernel
def place_step(tree, h, room):
    """Where an iterate takes all bodies, and the wrench of each alone.

    Returns by how much joints are open there: the largest gap [m], and the largest misalignment of a hinge.
    """
    V, M, sizes, gap, slip = room.vectors, room.matrices, room.sizes, 0.0, 0.0
    for i in range(tree.parent.size):
        _place(i, V, M)
        if tree.link[i] >= 0:
            gap = max(gap, _close(tree.parent[i], i, V, M))
        if tree.kind[i] == HINGE:
            slip = max(slip, _align(tree.parent[i], i, V, M, sizes))
        _own_wrench(tree, i, h, V, M, sizes)
    return gap, slip


@kernel
def sum_wrenches(tree, room, r, scale, round_off, noise):
    """Residual r of all unknowns at an iterate; what was added up in it, and what round-off makes of velocities and laws."""
    V, sizes = room.vectors, room.sizes
    for i in range(tree.parent.size - 1, -1, -1):
        parent, at = tree.parent[i], tree.place[i, 1]
        force, torque = vector(V, i, FORCE), vector(V, i, TORQUE)
        size_f, size_t, noise_f, noise_t = sizes[i, SIZE_F], sizes[i, SIZE_T], sizes[i, NOISE_F], sizes[i, NOISE_T]
        if parent >= 0:
            sizes[parent, NOISE_F] += noise_f
            if noise_f > 0.0:
                sizes[parent, NOISE_T] += size_of(vector(V, i, ARM)) * noise_f
            turned = cross(vector(V, i, ARM), force)
            sizes[parent, SIZE_F] += size_of(force)
            sizes[parent, SIZE_T] += size_of(turned)
            if tree.kind[i] == HINGE:
                sizes[parent, SIZE_T] += size_of(torque)
                sizes[parent, NOISE_T] += noise_t
                turned = plus(turned, torque)
            set_vector(V, parent, FORCE, plus(vector(V, parent, FORCE), force))
            set_vector(V, parent, TORQUE, plus(vector(V, parent, TORQUE), turned))
        if tree.kind[i] == HINGE:
            r[at] = dot(vector(V, i, AXIS), torque)
            scale[at], round_off[at], noise[at] = size_t, sizes[i, ROUND_T], noise_t
            continue
        for a in range(3):
            r[at + a], scale[at + a], round_off[at + a], noise[at + a] = torque[a], size_t, sizes[i, ROUND_T], noise_t
            if tree.kind[i] != BALL:
                k = at + 3 + a
                r[k], scale[k], round_off[k], noise[k] = force[a], size_f, sizes[i, ROUND_F], noise_f


@kernel(forceinline=True)
def _place(i, V, M):
    """C = (1 + ½ S(t) + ¼ t tᵀ) / (1 + ¼ t·t) of a body, and how its pivot moves."""
    turn = vector(V, i, TURN)
    u = scaled(0.5, turn)
    s = 1.0 / (1.0 + dot(u, u))
    w = scaled(s, u)
    set_line(M, i, MEAN, 0, (s + w[0] * u[0], w[0] * u[1] - w[2], w[0] * u[2] + w[1]))
    set_line(M, i, MEAN, 1, (w[1] * u[0] + w[2], s + w[1] * u[1], w[1] * u[2] - w[0]))
    set_line(M, i, MEAN, 2, (w[2] * u[0] - w[1], w[2] * u[1] + w[0], s + w[2] * u[2]))
    lever = times(M, i, MEAN, vector(V, i, LEVER_0))
    moves = cross(turn, lever)
    set_vector(V, i, LEVER_1, plus(lever, scaled(0.5, moves)))
    set_vector(V, i, SHIFT, plus(vector(V, i, STEP), moves))


@kernel(forceinline=True)
def _close(parent, i, V, M):
    """Arms of a body at an iterate, and the shift that would close its joint; returns the largest component of that."""
    open_by = plus(vector(V, i, SHIFT), vector(V, i, GAP))
    if parent >= 0:
        turn, arm = vector(V, parent, TURN), times(M, parent, MEAN, vector(V, i, ARM_0))
        moves = cross(turn, arm)
        open_by = minus(open_by, plus(vector(V, parent, SHIFT), moves))
        set_vector(V, i, ARM, arm)
        set_vector(V, i, ARM_1, plus(arm, scaled(0.5, moves)))
    set_vector(V, i, CLOSING, scaled(-1.0, open_by))
    return max(abs(open_by[0]), abs(open_by[1]), abs(open_by[2]))


@kernel(forceinline=True)
def _align(parent, i, V, M, sizes):
    """The axis of a hinge at an iterate, and the turn that would align it; returns the largest component of that.

    The turn of the body about its parent, τ, should be along the axis but for the slip. A turn γ after it adds γ + ½ γ × τ.
    """
    axis, turn = vector(V, i, AXIS_0), vector(V, i, TURN)
    mean, end = axis, axis
    if parent >= 0:
        before = vector(V, parent, TURN)
        turn = composed(scaled(-1.0, before), turn)
        mean = times(M, parent, MEAN, axis)
        end = plus(mean, scaled(0.5, cross(before, mean)))
    s = dot(axis, turn)
    sizes[i, ROLLED] = s
    off = plus(minus(vector(V, i, SLIP), turn), scaled(s, axis))
    back = scaled(1.0 / (1.0 + 0.25 * s * s), plus(off, scaled(0.5 * s, cross(axis, off))))
    if parent >= 0:
        half = times(M, parent, MEAN, back)
        back = minus(scaled(2.0, half), back)
    set_vector(V, i, AXIS, mean)
    set_vector(V, i, AXIS_1, end)
    set_vector(V, i, ALIGNING, back)
    return max(abs(off[0]), abs(off[1]), abs(off[2]))


@kernel(forceinline=True)
def _own_wrench(tree, i, h, V, M, sizes):
    """Force f and moment τ about the pivot of a body alone, and the sizes of what was added up."""
    m, pace, turn, shift = tree.mass[i], 2.0 / h, vector(V, i, TURN), vector(V, i, SHIFT)
    acceleration = scaled(1.0 / h, minus(scaled(pace, shift), scaled(2.0, vector(V, i, VELOCITY))))
    moment = times(M, i, MEAN, vector(V, i, MOMENT_0))
    swing = plus(scaled(m, shift), cross(turn, moment))
    force = scaled(1.0 / h, minus(scaled(pace, swing), vector(V, i, MOMENTUM)))
    # Z = C (Y − 2/h P Fᵀ), where directors move by F = S(t) C
    c0, c1, c2 = line(M, i, MEAN, 0), line(M, i, MEAN, 1), line(M, i, MEAN, 2)
    f0 = scaled(pace, minus(scaled(turn[1], c2), scaled(turn[2], c1)))
    f1 = scaled(pace, minus(scaled(turn[2], c0), scaled(turn[0], c2)))
    f2 = scaled(pace, minus(scaled(turn[0], c1), scaled(turn[1], c0)))
    y0, y1, y2 = (
        _moved(line(M, i, VIRIAL, 0), line(M, i, EULER, 0), f0, f1, f2),
        _moved(line(M, i, VIRIAL, 1), line(M, i, EULER, 1), f0, f1, f2),
        _moved(line(M, i, VIRIAL, 2), line(M, i, EULER, 2), f0, f1, f2),
    )
    z01 = c0[0] * y0[1] + c0[1] * y1[1] + c0[2] * y2[1]
    z02 = c0[0] * y0[2] + c0[1] * y1[2] + c0[2] * y2[2]
    z10 = c1[0] * y0[0] + c1[1] * y1[0] + c1[2] * y2[0]
    z12 = c1[0] * y0[2] + c1[1] * y1[2] + c1[2] * y2[2]
    z20 = c2[0] * y0[0] + c2[1] * y1[0] + c2[2] * y2[0]
    z21 = c2[0] * y0[1] + c2[1] * y1[1] + c2[2] * y2[1]
    spun = scaled(1.0 / h, (z21 - z12, z02 - z20, z10 - z01))
    carried = cross(moment, acceleration)
    set_vector(V, i, ACCELERATION, acceleration)
    set_vector(V, i, MOMENT, moment)
    set_vector(V, i, FORCE, force)
    set_vector(V, i, TORQUE, plus(carried, spun))
    sizes[i, SIZE_F] = size_of(force) + sizes[i, LOAD_F]
    sizes[i, SIZE_T] = size_of(carried) + size_of(spun) + sizes[i, LOAD_T]


@kernel(forceinline=True)
def _moved(y, p, f0, f1, f2):
    """y − p Fᵀ, line by line."""
    return minus(y, (dot(p, f0), dot(p, f1), dot(p, f2)))


@kernel
def bear_step(tree, links, constraints, room, multipliers):
    """Multipliers of all joints at mid-step: those whose forces on a body take up what is left of its wrench."""
    V, M = room.vectors, room.matrices
    for i in range(tree.parent.size):
        if tree.link[i] >= 0:
            first, force = links.channel[tree.link[i]], vector(V, i, FORCE)
            multipliers[first] = -tree.sign[i] * force[0]
            multipliers[first + 1] = -tree.sign[i] * force[1]
            if tree.rows.shape[1] == 4:
                multipliers[first + 2] = -tree.sign[i] * force[2]
        if tree.square[i, 0] >= 0:
            axis, torque, other = vector(V, i, AXIS), vector(V, i, TORQUE), i if tree.own[i, 0] == 0 else tree.parent[i]
            one, two = vector(V, i, ACROSS), vector(V, i, ACROSS_2)
            if other >= 0:
                one, two = times(M, other, MEAN, one), times(M, other, MEAN, two)
            u, w = shares_of(tree, i, axis, one, two)
            multipliers[constraints.channel[tree.square[i, 0]]] = -dot(u, torque)
            multipliers[constraints.channel[tree.square[i, 1]]] = -dot(w, torque)
