"""Laws between bodies in Newton's method for a tree; the equations are in `body_laws.py`."""

from condyle.laws.dense import factor, solve
from condyle.laws.kernel import kernel
from condyle.system.assembly.tree_newton import answer_tree, clear_wrenches
from condyle.system.assembly.tree_start import MOVES, PUSH, TURNS, TWIST, A, B, C, D
from condyle.system.assembly.triples import add_line, dot, plus, set_vector, vector


@kernel
def add_own(tree, steps, room):
    """What bodies feel of laws themselves stands in their matrices, before these are eliminated."""
    M, own = steps.matrices, room.own
    for i in range(tree.parent.size):
        for a in range(3):
            add_line(M, i, A, a, (own[i, a, 0], own[i, a, 1], own[i, a, 2]))
            add_line(M, i, B, a, (own[i, a, 3], own[i, a, 4], own[i, a, 5]))
            add_line(M, i, C, a, (own[i, 3 + a, 0], own[i, 3 + a, 1], own[i, 3 + a, 2]))
            add_line(M, i, D, a, (own[i, 3 + a, 3], own[i, 3 + a, 4], own[i, 3 + a, 5]))


@kernel
def factor_couplings(tree, b, none, steps, room):
    """1 − V Z, factorised, after `factor_tree`. none: (0,). False where it is singular."""
    n, small = room.order.size, room.small
    for c in range(b.coupled.shape[0]):
        for a in range(3):
            clear_wrenches(tree, steps)
            _push(b, c, a, 1.0, steps, room)
            answer_tree(tree, none, steps)
            _read(b, steps, room)
            for k in range(n):
                small[k, 3 * c + a] = (1.0 if k == 3 * c + a else 0.0) - room.answer[k]
    return factor(n, small, room.order)


@kernel
def correct_coupled(tree, b, r, steps, room):
    """As `correct_tree`, with what couples bodies."""
    clear_wrenches(tree, steps)
    answer_tree(tree, r, steps)
    _read(b, steps, room)
    solve(room.order.size, room.small, room.order, room.answer)
    clear_wrenches(tree, steps)
    for c in range(b.coupled.shape[0]):
        for a in range(3):
            _push(b, c, a, room.answer[3 * c + a], steps, room)
    answer_tree(tree, r, steps)


@kernel
def _push(b, c, a, factor, steps, room):
    """Residuals on bodies: column a of a coupling."""
    V, left = steps.vectors, room.left
    for end in range(2):
        i = b.coupled[c, end]
        twist = (factor * left[c, end, 0, a], factor * left[c, end, 1, a], factor * left[c, end, 2, a])
        push = (factor * left[c, end, 3, a], factor * left[c, end, 4, a], factor * left[c, end, 5, a])
        set_vector(V, i, TWIST, plus(vector(V, i, TWIST), twist))
        set_vector(V, i, PUSH, plus(vector(V, i, PUSH), push))


@kernel
def _read(b, steps, room):
    """Lines of all couplings times a motion, into room.answer."""
    V, right = steps.vectors, room.right
    for c in range(b.coupled.shape[0]):
        for a in range(3):
            total = 0.0
            for end in range(2):
                turns, moves = vector(V, b.coupled[c, end], TURNS), vector(V, b.coupled[c, end], MOVES)
                total += dot((right[c, end, a, 0], right[c, end, a, 1], right[c, end, a, 2]), turns)
                total += dot((right[c, end, a, 3], right[c, end, a, 4], right[c, end, a, 5]), moves)
            room.answer[3 * c + a] = total
