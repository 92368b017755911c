"""Laws between bodies of a tree, in steps that balance it by `tree_balance.py`: their wrenches, and how these change.

A gathered vector of a law changes by δy = Σ (α δp_b + δθ_b × m_b) over at most two bodies b, with the place p of their pivot:
a point of a body has α = ±1 and its arm m from the pivot, a direction α = 0 and itself. So the law, taken as in rows, makes on
each body

    f_b = Σ α f_k,   τ_b = Σ m_k × f_k,   m at mid-step

and with J = ∂f_k/∂y_j of the end, and arms there

    δf_b = Σ α J (α δp + δθ × m),   δτ_b = Σ m_k × J (α δp + δθ × m) + ½ Σ (m_k f_kᵀ − m_k·f_k 1) δθ_b

What one body feels of itself stands in its matrix. What couples two of them, wherever they are in the tree, would fill it. It
has few columns, U, and lines, V: one for each direction of y or of the moment between the two, which laws of the same vector
share, and all laws of moments:

    (K + U V) δ = −r   is   (1 − V Z) c = V K⁻¹(−r),  Z = K⁻¹(−U),  δ = K⁻¹(−r − U c)

with the elimination of the tree for K⁻¹ (Sherman, Morrison and Woodbury).
"""

from typing import NamedTuple

from condyle.laws.columns import Integers, Integers2, Numbers, Numbers2, Numbers3, Numbers4, table
from condyle.laws.coordinates import by_products
from condyle.laws.derivatives import clear_function
from condyle.laws.forces import force_law
from condyle.laws.gram import discrete_gradient, gram_law
from condyle.laws.kernel import kernel
from condyle.system.assembly.joint_tree import along
from condyle.system.assembly.places import gather, gram
from condyle.system.assembly.tree_start import (
    FORCE,
    MEAN,
    NOISE_F,
    NOISE_T,
    SHIFT,
    SIZE_F,
    SIZE_T,
    TORQUE,
    TURN,
    size_of,
)
from condyle.system.assembly.triples import cross, dot, plus, scaled, set_vector, times, vector

OWN, ALONG, ABOUT = range(3)  # what couples two bodies: nothing, the directions of one vector, those of a moment


@table
class BodyLaws(NamedTuple):
    """Laws of a few bodies, and how their vectors move with them."""

    law: Integers  # (laws,) in the table of all
    ends: Integers2  # (laws, 2) bodies that they act on, −1 for none
    start: Integers  # (laws + 1,) into the vectors
    weight: Numbers2  # (vectors, 2) α of both bodies
    arm: Numbers3  # (vectors, 2, 3) m along their directors [m or 1]
    form: Integers  # (laws,) OWN, ALONG or ABOUT
    coupling: Integers  # (laws,) which of the couplings, −1 for none
    coupled: Integers2  # (couplings, 2) bodies
    turns: Integers2  # (angles, 3) of all laws of the system, if these have any: as `step_tables.Problem.angles`


@table
class BodyRoom(NamedTuple):
    """Arrays that a step works on."""

    start: Numbers2  # (vectors, 3) y at the start of a step
    arms: Numbers4  # (vectors, 3, 2, 3) m at the start, at mid-step, at the end
    own: Numbers3  # (bodies of the tree, 6, 6) what stands in the matrices of bodies: moment, force by turn, shift
    left: Numbers4  # (couplings, 2, 6, 3) U
    right: Numbers4  # (couplings, 2, 3, 6) V
    small: Numbers2  # (columns, columns) 1 − V Z, factorised
    order: Integers  # (columns,) of its rows
    answer: Numbers  # (columns,)
    power: Numbers  # (laws,) of forces [W]
    stiffness: Numbers  # (laws,) largest entry of J
    vectors: Numbers3  # (5, most, d) y at both ends, in the middle, its rate, and forces
    gradients: Numbers3  # (5, most, most) G at both ends, S and work
    moduli: Numbers4  # (most, most, most, most)
    moduli_too: Numbers4
    by_end: Numbers4  # (most, d, most, d) J
    by_rate: Numbers4


@kernel
def find_vectors(tree, b, laws, x, room):
    """Vectors and arms at the start of a step."""
    y = room.vectors[0]
    for e in range(b.law.size):
        i, first = b.law[e], b.start[e]
        gather(laws, i, laws.point_start[i], x, y)
        for k in range(b.start[e + 1] - first):
            for a in range(x.shape[1]):
                room.start[first + k, a] = y[k, a]
            for end in range(2):
                if b.ends[e, end] >= 0:
                    m = b.arm[first + k, end]
                    _set(room.arms, first + k, 0, end, along(tree, b.ends[e, end], x, (m[0], m[1], m[2])))


@kernel
def stored_between(b, laws, forces, x, room):
    """Energy [J] that these laws store at x."""
    stored, y = 0.0, room.vectors[0]
    G, S = room.gradients[0], room.gradients[2]
    for e in range(b.law.size):
        i = b.law[e]
        if i < forces:
            gather(laws, i, laws.point_start[i], x, y)
            gram(laws.vectors[i], x.shape[1], y, G)
            p = laws.params[laws.param_start[i] : laws.param_start[i + 1]]
            stored += laws.measure[laws.point_start[i]] * gram_law(laws.law[i], laws.vectors[i], G, p, S, room.moduli)
    return stored


@kernel
def act_on_bodies(b, laws, forces, amplitudes, h, felt, tangent, steps, room):
    """felt: add the wrenches of the laws to those that `place_step` has found; tangent: find out how they change."""
    if felt:
        for i in range(steps.sizes.shape[0] if b.law.size else 0):
            steps.sizes[i, NOISE_F] = steps.sizes[i, NOISE_T] = 0.0
    if tangent:
        room.own[:] = 0.0
        room.right[:] = 0.0
        room.left[:] = 0.0
    for e in range(b.law.size):
        _move_vectors(b, e, h, steps, room)
        i = b.law[e]
        p = laws.params[laws.param_start[i] : laws.param_start[i + 1]]
        amplitude = amplitudes[laws.channel[i]] if laws.channel[i] >= 0 else 1.0
        if i < forces:
            _energy(laws.law[i], laws.vectors[i], p, laws.measure[laws.point_start[i]], tangent, room)
        else:
            _force(laws.law[i], laws.vectors[i], p, amplitude, h, tangent, room)
        if tangent:
            room.stiffness[e] = _largest(laws.vectors[i], room.by_end)
            _add_changes(b, e, room)
        if felt:
            _add_wrenches(b, e, i >= forces, steps, room)


@kernel
def _move_vectors(b, e, h, steps, room):
    """Vectors of a law at the middle and the end of a step, and their arms."""
    V, M, d = steps.vectors, steps.matrices, room.vectors.shape[2]
    for k in range(b.start[e], b.start[e + 1]):
        moves = (0.0, 0.0, 0.0)
        for end in range(2):
            i = b.ends[e, end]
            if i >= 0:
                turn = vector(V, i, TURN)
                arm = times(M, i, MEAN, _get(room.arms, k, 0, end))
                swing = cross(turn, arm)
                _set(room.arms, k, 1, end, arm)
                _set(room.arms, k, 2, end, plus(arm, scaled(0.5, swing)))
                moves = plus(moves, plus(swing, scaled(b.weight[k, end], vector(V, i, SHIFT))))
        n = k - b.start[e]
        for a in range(d):
            room.vectors[0, n, a] = room.start[k, a]
            room.vectors[1, n, a] = room.start[k, a] + moves[a]
            room.vectors[2, n, a] = room.start[k, a] + 0.5 * moves[a]
            room.vectors[3, n, a] = moves[a] / h


@kernel
def _energy(code, ny, p, measure, tangent, room):
    """Forces ∂ψ/∂y between both ends of the step, and J."""
    d, y1, middle, f, J = room.vectors.shape[2], room.vectors[1], room.vectors[2], room.vectors[4], room.by_end
    G0, G1, S = room.gradients[0], room.gradients[1], room.gradients[2]
    gram(ny, d, room.vectors[0], G0)
    gram(ny, d, y1, G1)
    discrete_gradient(code, ny, G0, G1, p, S, room.moduli, room.gradients[3], room.gradients[4], room.moduli_too)
    for k in range(ny):
        for a in range(d):
            f[k, a] = 0.0
            for j in range(ny):
                f[k, a] += 2.0 * measure * S[k, j] * middle[j, a]
    if not tangent:
        return
    by_products(ny, d, middle, y1, room.moduli, J)
    for k in range(ny):
        for j in range(ny):
            for a in range(d):
                J[k, a, j, a] += S[k, j]
                for c in range(d):
                    J[k, a, j, c] *= measure


@kernel
def _force(code, ny, p, amplitude, h, tangent, room):
    """Forces with the sign of a residual at the middle of the step, and J."""
    d, f, J, D = room.vectors.shape[2], room.vectors[4], room.by_end, room.by_rate
    clear_function(ny, d, f, J)
    clear_function(ny, d, f, D)
    force_law(code, ny, d, room.vectors[2], room.vectors[3], amplitude, p, f, J, D)
    for k in range(ny):
        for a in range(d):
            f[k, a] = -f[k, a]
            for j in range(ny):
                for c in range(d):
                    J[k, a, j, c] = -0.5 * J[k, a, j, c] - D[k, a, j, c] / h


@kernel
def _largest(ny, J):
    largest = 0.0
    for k in range(ny):
        for a in range(J.shape[1]):
            for j in range(ny):
                for c in range(J.shape[1]):
                    largest = max(largest, abs(J[k, a, j, c]))
    return largest


@kernel
def _add_wrenches(b, e, spends, steps, room):
    """Forces on vectors are wrenches on bodies. spends: is their power that of a force, and not of what is stored?"""
    V, sizes, power = steps.vectors, steps.sizes, 0.0
    d = room.vectors.shape[2]
    for k in range(b.start[e], b.start[e + 1]):
        f = _padded(room.vectors[4], k - b.start[e], d)
        power -= dot(f, _padded(room.vectors[3], k - b.start[e], d))
        noise = room.stiffness[e] * size_of(_padded(room.vectors[1], k - b.start[e], d))
        for end in range(2):
            i = b.ends[e, end]
            if i >= 0:
                force, moment = scaled(b.weight[k, end], f), cross(_get(room.arms, k, 1, end), f)
                set_vector(V, i, FORCE, plus(vector(V, i, FORCE), force))
                set_vector(V, i, TORQUE, plus(vector(V, i, TORQUE), moment))
                sizes[i, SIZE_F] += size_of(force)
                sizes[i, SIZE_T] += size_of(moment)
                sizes[i, NOISE_F] += noise * abs(b.weight[k, end])
                sizes[i, NOISE_T] += noise * size_of(_get(room.arms, k, 1, end))
    room.power[e] = power if spends else 0.0


@kernel
def _add_changes(b, e, room):
    """J as matrices of bodies and couplings."""
    d, form, c, first = room.vectors.shape[2], b.form[e], b.coupling[e], b.start[e]
    ny = b.start[e + 1] - first
    for end in range(2):
        i = b.ends[e, end]
        if i < 0:
            continue
        for k in range(ny):
            m, f = _get(room.arms, first + k, 2, end), _padded(room.vectors[4], k, d)
            into = room.right[c, end] if form == ABOUT else room.own[i]
            if form != ABOUT or end == 0:
                for a in range(3):
                    into[a, a] -= 0.5 * dot(m, f)
                    for g in range(3):
                        into[a, g] += 0.5 * m[a] * f[g]
            if form == ALONG:
                _add_lines(room, 0, 0, first, end, b.weight[first, end], room.right[c, end])
                _set_columns(_get(room.arms, first, 1, end), b.weight[first, end], room.left[c, end])
        if form == OWN:
            for k in range(ny):
                for j in range(ny):
                    _add_block(room, b, first, k, j, end, end, room.own[i], True)
        elif form == ABOUT:
            for a in range(3):
                room.left[c, end, a, a] = 1.0 if end == 0 else -1.0
            for k in range(ny):
                for j in range(ny):
                    _add_block(room, b, first, k, j, 0, end, room.right[c, end], False)


@kernel
def _add_lines(room, k, j, at, end, weight, into):
    """into += J (α δp + δθ × m) as lines (3, 6), of vectors k and j; m: arm of vector `at`."""
    d, m = room.vectors.shape[2], _get(room.arms, at, 2, end)
    for a in range(d):
        line = (
            room.by_end[k, a, j, 0], room.by_end[k, a, j, 1], room.by_end[k, a, j, 2] if d == 3 else 0.0
        )  # fmt: skip
        turned = cross(m, line)
        for g in range(3):
            into[a, g] += turned[g]
            into[a, 3 + g] += weight * line[g]


@kernel
def _set_columns(m, weight, into):
    """into (6, 3): moment and force of the three directions of a vector."""
    into[0, 1], into[0, 2] = -m[2], m[1]
    into[1, 0], into[1, 2] = m[2], -m[0]
    into[2, 0], into[2, 1] = -m[1], m[0]
    for a in range(3):
        into[3 + a, a] = weight


@kernel
def _add_block(room, b, first, k, j, left, right, into, whole):
    """Moment and, of a whole block, force on the body `left` by what vector j of the body `right` does to f_k."""
    d, m, weight = room.vectors.shape[2], _get(room.arms, first + k, 1, left), b.weight[first + k, left]
    n, other = _get(room.arms, first + j, 2, right), b.weight[first + j, right]
    for g in range(6 if other != 0.0 or whole else 3):
        # Column g of J (α δp + δθ × n)
        unit = (1.0 if g % 3 == 0 else 0.0, 1.0 if g % 3 == 1 else 0.0, 1.0 if g % 3 == 2 else 0.0)
        moved = cross(unit, n) if g < 3 else scaled(other, unit)
        f0 = f1 = f2 = 0.0
        for c in range(d):
            f0 += room.by_end[k, 0, j, c] * moved[c]
            f1 += room.by_end[k, 1, j, c] * moved[c]
            if d == 3:
                f2 += room.by_end[k, 2, j, c] * moved[c]
        moment = cross(m, (f0, f1, f2))
        for a in range(3):
            into[a, g] += moment[a]
        if whole:
            into[3, g] += weight * f0
            into[4, g] += weight * f1
            into[5, g] += weight * f2


@kernel(forceinline=True)
def _padded(f, k, d):
    return f[k, 0], f[k, 1], f[k, 2] if d == 3 else 0.0


@kernel(forceinline=True)
def _get(arms, k, when, end):
    return arms[k, when, end, 0], arms[k, when, end, 1], arms[k, when, end, 2]


@kernel(forceinline=True)
def _set(arms, k, when, end, a):
    arms[k, when, end, 0], arms[k, when, end, 1], arms[k, when, end, 2] = a[0], a[1], a[2]
