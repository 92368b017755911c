"""Energy–momentum steps in joint coordinates as a kernel; the equations are in `system/assembly/tree_balance.py`.

Newton's method, its rule and the account of energy are those of `loop.py`; what works on rows and blocks there works here on
bodies and joints.
"""

from typing import NamedTuple

from condyle.integrators.account import ERROR, GRAVITY, ITERATIONS, KINETIC, LEVEL, STORED, TOTAL, WORK, is_kept
from condyle.integrators.convergence import (
    CONVERGED,
    COUNT,
    EVALUATE,
    FACTOR,
    FACTORISE,
    FORESEEING,
    LAST,
    MADE,
    OVERFLOWN,
    SINGULAR,
    TANGENT,
    TURNED,
    UNBALANCED,
    begin,
    decide,
    go_on,
    goes_astray,
    judge,
    next_correction,
)
from condyle.integrators.extrapolation import (
    RESTART,
    Past,
    extrapolate,
    forget,
    forget_other_steps,
    is_known,
    remember,
    usual_factorisations,
)
from condyle.integrators.loop import set_turns, take_over
from condyle.integrators.midpoint import finish_midpoint, guess_midpoint
from condyle.integrators.step_tables import GUESS, STEP, WEIGHT, Q
from condyle.integrators.turning import LARGEST_TURN, hold_back
from condyle.laws.columns import Flags, Integers, Numbers, Numbers2, Numbers3, table
from condyle.laws.kernel import kernel
from condyle.system.assembly.body_laws import (
    BodyLaws,
    BodyRoom,
    act_on_bodies,
    find_vectors,
    stored_between,
)
from condyle.system.assembly.hinge_laws import (
    HingeLaws,
    HingeRoom,
    bear_laws,
    end_angles,
    find_angles,
    resist,
)
from condyle.system.assembly.joint_tree import Tree
from condyle.system.assembly.maps import first_step, normalise_directors
from condyle.system.assembly.places import family, find_turns, keep
from condyle.system.assembly.tree_balance import (
    bear_step,
    give_iterate,
    keep_iterate,
    move_tree,
    place_step,
    sum_wrenches,
    take_iterate,
)
from condyle.system.assembly.tree_couplings import add_own, correct_coupled, factor_couplings
from condyle.system.assembly.tree_newton import correct_tree, factor_tree, take_matrices
from condyle.system.assembly.tree_start import (
    SIZE_F,
    SIZE_T,
    TURN,
    StepRoom,
    begin_tree_step,
    find_gaps,
    tree_momenta,
)
from condyle.system.assembly.triples import dot, vector
from condyle.system.tables import WholeSystem


@table
class TreeProblem(NamedTuple):
    """A system as these steps take it."""

    tree: Tree
    bodies: Integers  # (bodies of the tree,) which of all rigid bodies each is
    whole: WholeSystem
    hinges: HingeLaws  # what acts on angles of hinges
    between: BodyLaws  # what acts on a body or between two
    loads: Integers  # dead loads, in the table of all laws
    gravity: Numbers2  # (n, d) weight of rows [N]
    elastic: Numbers  # (n,) 1 for rows that elements act on
    unit: Integers  # (unknowns,) which residuals are judged together: 0 forces, 1 moments
    none: Flags  # (0,) constraints that are iterated
    tolerances: Numbers  # force, length, round-off
    most: int  # iterations
    share: float  # of the residual, as in `step_tables.Problem`
    size: float  # of the model [m]


@table
class TreeWork(NamedTuple):
    """Arrays that a step works on."""

    rows: Numbers3  # as in `step_tables.Work`, and so are the turns
    turns: Numbers3
    room: StepRoom
    hinges: HingeRoom
    between: BodyRoom
    unknowns: Numbers2  # (UNKNOWNS, unknowns), see the names below
    control: Numbers  # of Newton's method (`convergence.py`)
    residuals: Numbers  # of the last step, relative to the tolerance
    none: Numbers  # (0,)
    past: Past


# Residual, what was added up in it, what round-off makes of velocities in it, and of stiff laws.
R, R_SCALE, R_ROUND, R_NOISE = range(4)
UNKNOWNS = 4


@kernel(nogil=True)
def run_tree_balances(problem, tables, now, after, work, account, first, every, record, w):
    """As `loop.run_steps`: how it ended, steps done, frames kept, work."""
    tree, rows, frames, count = problem.tree, problem.whole.rows, 0, tables.sizes.size
    laws, spans, between = problem.whole.laws, problem.whole.spans, problem.between
    step, turn = w.rows[STEP], w.turns[0]
    keep(now.x, after.x)  # rows that do not move
    for s in range(count + 1):
        gap, slip = find_gaps(tree, now.x, w.room)
        if s > 0:
            record.scalars[s - 1, ERROR] = max(gap, slip)
        if s == count:
            break
        scalars, h = record.scalars[s], tables.sizes[s]
        _load(problem, tables, s, w)
        find_angles(tree, problem.hinges, now.x, now.turns, w.hinges)
        set_turns(laws, between.turns, now.turns)
        find_vectors(tree, between, laws, now.x, w.between)
        begin_tree_step(tree, h, w.rows[WEIGHT], now.x, now.v, w.room)
        _guess(problem, h, now, after, w)
        status = _balance(problem, h, tables.middle[s], w)
        if status != CONVERGED:
            return status, s, frames, work
        give_iterate(tree, problem.bodies, now.x, w.room, step, turn)
        _move_rows(tree, now.x, step, after.x)
        normalise_directors(rows, after.x)
        finish_midpoint(h, now, after, w)
        if between.turns.shape[0]:
            find_turns(laws, between.turns[:, 0], between.turns[:, 2], after.x, now.turns, after.turns)
            set_turns(laws, between.turns, after.turns)
        power = w.between.power.sum() + bear_laws(problem.hinges, w.room, w.hinges)
        bear_step(tree, family(laws, spans, 2), family(laws, spans, 3), w.room, after.multipliers)
        done = h * power + _work(problem, tables, s, now.x, after.x, w)
        stored = end_angles(tree, problem.hinges, laws, spans[1], after.x, w.hinges, after.turns)
        stored += stored_between(between, laws, spans[1], after.x, w.between)
        scalars[WORK], scalars[ITERATIONS] = work + done, w.control[COUNT]
        if not _record(
            problem, tables.gravity_ends[s + 1], stored, after, w.room, scalars, record.linear[s], record.angular[s]
        ):
            return OVERFLOWN, s, frames, work
        if not is_kept(account, scalars):
            return UNBALANCED, s, frames, work
        work += done
        frames = take_over(after, now, record, frames, first + s, every)
        remember(w.past, rows, problem.elastic, step, turn, w.none, w.control[MADE])
        if (first + s) % RESTART == 0:
            forget(w.past)
    return CONVERGED, count, frames, work


@kernel
def _load(problem, tables, s, w):
    """Gravity and dead loads on rows [N] at mid-step; w.rows[Q]: the latter alone, with the sign of a residual."""
    loads, q, laws = w.rows[WEIGHT], w.rows[Q], problem.whole.laws
    gravity = tables.gravity_middle[s]
    for i in range(loads.shape[0]):
        for a in range(loads.shape[1]):
            loads[i, a] = gravity * problem.gravity[i, a]
    if problem.loads.size:
        q[:] = 0.0
        for i in problem.loads:
            amplitude = tables.middle[s, laws.channel[i]] if laws.channel[i] >= 0 else 1.0
            for r in range(laws.row_start[i], laws.row_start[i + 1]):
                share = amplitude * laws.weights[laws.weight_start[laws.point_start[i]] + r - laws.row_start[i]]
                for a in range(loads.shape[1]):
                    q[laws.rows[r], a] -= share * laws.params[laws.param_start[i] + a]
        for i in range(loads.shape[0]):
            for a in range(loads.shape[1]):
                loads[i, a] -= q[i, a]


@kernel
def _guess(problem, h, now, after, w):
    """The first iterate, as that of steps in rows (`loop.py`)."""
    rows, step, turn = problem.whole.rows, w.rows[STEP], w.turns[0]
    forget_other_steps(w.past, h)
    if is_known(w.past):
        extrapolate(w.past, rows, problem.elastic, step, turn, w.none)
    else:
        guess_midpoint(problem.elastic, now, w)
        first_step(rows, w.rows[GUESS], h, now.x, after.x, step, turn)
    hold_back(turn)
    take_iterate(problem.tree, problem.bodies, step, turn, w.room)


@kernel
def _balance(problem, h, amplitudes, w):
    """Newton's method for a step, by the rule of `convergence.py`; returns how it ended."""
    tree, room, control, u, r = problem.tree, w.room, w.control, w.unknowns, w.unknowns[R]
    begin(control, problem.share, problem.most, True, True, usual_factorisations(w.past))
    control[FORESEEING] = 1.0
    w.residuals[:] = 0.0
    while True:
        gap, slip = evaluate(problem, h, amplitudes, control[TANGENT] > 0.0, w)
        if control[LAST] > 0.0:
            return CONVERGED
        value, _ = judge(
            r, u[R_SCALE], u[R_NOISE], problem.unit, u[R_ROUND], w.none, w.none, problem.none,
            problem.tolerances[0], 1.0, problem.tolerances[2],
        )  # fmt: skip
        # What is open would stay in the forces of the joints: round-off is all that is let where no correction follows.
        let = problem.tolerances[1] if control[COUNT] > 0.0 else problem.tolerances[2]
        value = max(value, max(gap / problem.size, slip) / let)
        beyond = _turns_too_far(tree, room.vectors)
        if goes_astray(control, value, beyond):
            move_tree(tree, control[FACTOR], room)
            continue
        if beyond:
            return TURNED
        w.residuals[int(control[COUNT])] = value
        action = decide(control, value)
        if action == EVALUATE:
            action = next_correction(control)
            laws, forces = problem.whole.laws, problem.whole.spans[1]
            act_on_bodies(problem.between, laws, forces, amplitudes, h, False, True, room, w.between)
        if action < EVALUATE:
            return action
        if action == FACTORISE and not factor(problem, h, w):
            return SINGULAR
        correct(problem, w)
        keep_iterate(tree, room)
        move_tree(tree, 1.0, room)
        go_on(control, 1.0)


@kernel
def evaluate(problem, h, amplitudes, tangent, w):
    """Residual at an iterate, and what the tangent takes of laws; returns by how much joints are open there: gap, slip."""
    tree, room, u, laws, forces = problem.tree, w.room, w.unknowns, problem.whole.laws, problem.whole.spans[1]
    gap, slip = place_step(tree, h, room)
    act_on_bodies(problem.between, laws, forces, amplitudes, h, True, tangent, room, w.between)
    sum_wrenches(tree, room, u[R], u[R_SCALE], u[R_ROUND], u[R_NOISE])
    resist(tree, problem.hinges, laws, forces, amplitudes, h, room, w.hinges, u[R], u[R_SCALE], u[R_NOISE])
    return gap, slip


@kernel
def factor(problem, h, w):
    """Newton's matrix at the iterate, eliminated; False if a pivot is lost."""
    tree, room, between = problem.tree, w.room, problem.between
    take_matrices(tree, h, room)
    if between.law.size:
        add_own(tree, room, w.between)
    if not factor_tree(tree, room):
        return False
    return between.coupled.shape[0] == 0 or factor_couplings(tree, between, w.none, room, w.between)


@kernel
def correct(problem, w):
    """The correction by the matrix at hand."""
    if problem.between.coupled.shape[0]:
        correct_coupled(problem.tree, problem.between, w.unknowns[R], w.room, w.between)
    else:
        correct_tree(problem.tree, w.unknowns[R], w.room)


@kernel
def _move_rows(tree, x0, step, x1):
    for i in range(tree.parent.size):
        for k in range(tree.rows.shape[1]):
            row = tree.rows[i, k]
            for a in range(x0.shape[1]):
                x1[row, a] = x0[row, a] + step[row, a]


@kernel
def _turns_too_far(tree, V):
    """Does a body turn beyond the bound of `turning.py`?"""
    for i in range(tree.parent.size):
        turn = vector(V, i, TURN)
        if not dot(turn, turn) <= LARGEST_TURN**2:
            return True
    return False


@kernel
def _work(problem, tables, s, x0, x1, w):
    """Work [J] of loads and of changes of gravity over a step."""
    before, between, after = tables.gravity_ends[s], tables.gravity_middle[s], tables.gravity_ends[s + 1]
    weight, step, q, work = problem.gravity, w.rows[STEP], w.rows[Q], 0.0
    if problem.loads.size:
        for i in range(x0.shape[0]):
            for a in range(x0.shape[1]):
                work -= q[i, a] * step[i, a]
    if before != after or before != between:
        for i in range(x0.shape[0]):
            for a in range(x0.shape[1]):
                work -= weight[i, a] * (after * x1[i, a] - before * x0[i, a] - between * step[i, a])
    return work


@kernel
def _record(problem, gravity, stored, after, room, scalars, linear, angular):
    """Energies, momenta and the level of forces after a step; False if an energy is not finite."""
    x, weight, tree = after.x, problem.gravity, problem.tree
    potential = far = level = 0.0
    for i in range(x.shape[0]):
        for a in range(x.shape[1]):
            potential -= gravity * weight[i, a] * x[i, a]
    for i in range(tree.parent.size):
        for a in range(x.shape[1]):
            far = max(far, abs(x[tree.rows[i, 0], a]))
    for i in range(tree.parent.size):
        level += far * room.sizes[i, SIZE_F] + room.sizes[i, SIZE_T]
    kinetic = tree_momenta(tree, x, after.v, linear, angular)
    scalars[KINETIC], scalars[STORED], scalars[GRAVITY] = kinetic, stored, potential
    scalars[TOTAL], scalars[LEVEL] = kinetic + stored + potential, level
    return kinetic + stored + potential < float("inf")
