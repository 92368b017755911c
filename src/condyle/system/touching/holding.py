"""Closed points at the level of velocities and accelerations in compiled code, as `contact/rates.py` holds them in Python.

Of a point that slips its gap is held, along μ times the direction of friction where `rub` says so; of one that sticks all of ξ.
What a point does not need of its multipliers stands alone.
"""

from condyle.laws.kernel import kernel
from condyle.system.touching.curves import MU, RUB, SLIP, SOFT, STICK
from condyle.system.touching.meeting import meeting_rates
from condyle.system.touching.points import gradients, is_of_shapes, pair_surface
from condyle.system.touching.steps import place_rate
from condyle.system.touching.surfaces import distance
from condyle.system.touching.tables import F_END, LATER, NORMAL, PLACE, SLIP_AFTER


@kernel
def directions(touch, rub):
    """Of points that slip, the direction of their force in `found[F_END]`: n, or with friction n − μ e. Do any rub?"""
    d, rubs = touch.slid.shape[1], False
    for i in range(touch.pair.size):
        p = touch.pairs[touch.pair[i]]
        if p[SOFT] > 0.0:
            continue
        size = 0.0
        for a in range(d):
            size += touch.found[SLIP_AFTER, i, a] ** 2
        slips = rub and p[RUB] > 0.0 and touch.status[i] == SLIP and size > 0.0
        rubs = rubs or slips
        for a in range(d):
            along = p[MU] * touch.found[SLIP_AFTER, i, a] / size**0.5 if slips else 0.0
            touch.found[F_END, i, a] = touch.found[NORMAL, i, a] - along
    return rubs


@kernel
def add_held(touch, x, A):
    """Gradients of what is held beside the masses of a model in A."""
    d, maps = x.shape[1], touch.maps
    for i in range(touch.pair.size):
        m = touch.multiplier[i + 1] - touch.multiplier[i]
        if m == 0:
            continue
        n = gradients(touch, i, x, touch.found[F_END, i], maps[0], maps[1], maps[2])
        B, size, slots = maps[2], n + m, touch.slot[touch.slot_start[i] :]
        status = touch.status[i]
        for k in range(m):
            if status == STICK or (status == SLIP and k == 0):
                for u in range(n):
                    line = column = 0.0
                    for j in range(d):
                        if status == STICK:
                            line += B[j, u] if j == k else 0.0
                            column = line
                        else:
                            line += touch.found[NORMAL, i, j] * B[j, u]
                            column += touch.found[F_END, i, j] * B[j, u]
                    A[slots[(n + k) * size + u]] += line
                    A[slots[u * size + n + k]] += column
            else:
                A[slots[(n + k) * size + n + k]] -= 1.0


@kernel
def leave_open(touch, A):
    """Let the multipliers of all points stand alone in A."""
    for i in range(touch.pair.size):
        m = touch.multiplier[i + 1] - touch.multiplier[i]
        n = touch.column_start[i + 1] - touch.column_start[i]
        for k in range(n, n + m):
            A[touch.slot[touch.slot_start[i] + k * (n + m) + k]] -= 1.0


@kernel
def held_rates(touch, x, v, out):
    """Rates of all that is held, 0 of the rest."""
    a = touch.answer.place
    for i in range(touch.pair.size):
        place_rate(touch, i, x, v, LATER, a)
        _put_held(touch, i, a, out)


@kernel
def _put_held(touch, i, rate, out):
    first = touch.multiplier[i]
    for k in range(touch.multiplier[i + 1] - first):
        out[first + k] = 0.0
        if touch.status[i] == STICK:
            out[first + k] = rate[k]
        elif touch.status[i] == SLIP and k == 0:
            for j in range(rate.size):
                out[first] += touch.found[NORMAL, i, j] * rate[j]


@kernel
def held_accelerations(touch, x, v, path, out):
    """Second derivatives of all that is held, along rows that accelerate by `path`."""
    a, d = touch.answer, x.shape[1]
    for i in range(touch.pair.size):
        if touch.multiplier[i + 1] == touch.multiplier[i]:
            continue
        place_rate(touch, i, x, path, LATER, a.place)
        if is_of_shapes(touch, touch.pair[i]):
            meeting_rates(touch, i, LATER, v, a.step, a.spare[0])
            for j in range(d):
                a.place[j] += a.spare[0, j]
            _put_held(touch, i, a.place, out)
            continue
        first, last = touch.row_start[i], touch.row_start[i + 1] - d
        for b in range(d):  # 2 ḋ_j·(ṗ − ṙ)
            rate = 0.0
            for k in range(first, last):
                rate += touch.weight[k] * v[touch.row[k], b]
            for j in range(d):
                a.place[j] += 2.0 * rate * v[touch.row[last + j], b]
        _put_held(touch, i, a.place, out)
        if touch.status[i] == SLIP:  # the gap bends with the surface
            a.step[:] = 0.0
            distance(pair_surface(touch, touch.pair[i]), touch.found[PLACE, i], a.step, a.normal, a.hessian)
            place_rate(touch, i, x, v, LATER, a.place)
            for j in range(d):
                for k in range(d):
                    out[touch.multiplier[i]] += a.place[j] * a.hessian[j, k] * a.place[k]


@kernel
def held_force(touch, i, multipliers, out):
    """The force F of point i by what holds it (d,)."""
    first, d = touch.multiplier[i], out.size
    for j in range(d):
        out[j] = 0.0
        if touch.status[i] == STICK:
            out[j] = multipliers[first + j]
        elif touch.status[i] == SLIP:
            out[j] = multipliers[first] * touch.found[F_END, i, j]


@kernel
def add_held_forces(touch, x, multipliers, r):
    """r += the forces of what is held on the unknowns of motion."""
    d, maps, force = x.shape[1], touch.maps, touch.answer.force
    for i in range(touch.pair.size):
        if touch.multiplier[i + 1] > touch.multiplier[i] and touch.status[i] > 0:
            held_force(touch, i, multipliers, force)
            n = gradients(touch, i, x, force, maps[0], maps[1], maps[2])
            first = touch.column_start[i]
            for u in range(n):
                for j in range(d):
                    r[touch.column[first + u]] += maps[2][j, u] * force[j]


@kernel
def renew_forces(touch, solved, held):
    """Multipliers `held` become forces, as Newton's method knows them (`contact/pair.py:RigidPair.renew`); False if one pulls.

    solved: those that solved the step, which stay where friction would be shared out otherwise.
    """
    d, force = touch.slid.shape[1], touch.answer.force
    for pair in range(touch.first.size - 1):
        p, within = touch.pairs[pair], True
        for i in range(touch.first[pair], touch.first[pair + 1]):
            if p[SOFT] > 0.0 or touch.status[i] == 0:
                continue
            held_force(touch, i, held, force)
            press = square = 0.0
            for j in range(d):
                press -= force[j] * touch.found[NORMAL, i, j]
            if press < 0.0:
                return False
            for j in range(d):
                square += (force[j] + press * touch.found[NORMAL, i, j]) ** 2
            within = within and square**0.5 <= p[MU] * press * (1.0 + 1e-9)
        for i in range(touch.first[pair], touch.first[pair + 1]):
            first = touch.multiplier[i]
            many = touch.multiplier[i + 1] - first
            held_force(touch, i, held, force)
            for k in range(many):
                if many == 1:
                    held[first] = held[first] if touch.status[i] > 0 else 0.0
                else:
                    held[first + k] = force[k] if within else solved[first + k]
    return True
