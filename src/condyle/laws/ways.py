"""The way of a taut string over surfaces in a row, found: which surfaces it touches, where, and how long it is.

A first guess goes over the surfaces again and again, each between its neighbours; Newton's method solves all of them together.
"""

import numpy as np
from numba import types

from condyle.laws.codes import ELLIPSOID, SPHERE
from condyle.laws.dense import eliminate, sign_of_determinant
from condyle.laws.geodesics import follow, guess_way, normal_at, other_way
from condyle.laws.kernel import kernel, separate
from condyle.laws.strings import (
    BLOCKS,
    STEP,
    TABLE,
    gradient_by_numbers,
    into,
    jacobian,
    largest_size,
    out_of,
    place_surfaces,
    unit,
    way_over,
)

SWEEPS = 25  # of the first guess over all surfaces
SWEEPS_ELSEWHERE = 8  # of others, which pass surfaces on another side
MOST_OPEN = 4  # surfaces without a side whose other sides are tried in all combinations


@kernel
def guess(surfaces, ends, centres, frames, U, touched):
    """First values U (m, 4) by going over the surfaces again and again, each between its neighbours; touched (m,): which are.

    Where neighbours are not yet known, they are taken at the side of theirs, or where the straight line passes. If that is free
    of all surfaces, it is the way.
    """
    m = surfaces.shape[0]
    first, last, near, p, s, end = (
        np.zeros((m, 3)), np.zeros((m, 3)), np.zeros((m, 3)), np.zeros(3), np.zeros(3), np.zeros(3)
    )  # fmt: skip
    free = True
    for k in range(m):
        into(frames[k], centres[k], ends[0], p)
        into(frames[k], centres[k], ends[1], s)
        touched[k] = guess_way(int(surfaces[k, 0]), surfaces[k, 1:4], surfaces[k, 4:7], p, s, near[k], U[k], end)
        free = free and not touched[k]
    if free:
        return
    for k in range(m):
        touched[k] = True
        starting_place(surfaces[k], ends, centres[k], frames[k], first[k])
        last[k] = first[k]
    near[:] = 0.0
    sweep_over(surfaces, ends, centres, frames, SWEEPS, np.zeros(m, dtype=np.bool_), first, last, near, U, touched)


@kernel
def sweep_over(surfaces, ends, centres, frames, most, held, first, last, near, U, touched):
    """Go over the surfaces at most so many times, each between its neighbours; `held` ones not the first time.

    first, last (m, 3): where the way meets and leaves them; near (m, 3): its middles, in their axes, or zero if not known.
    """
    m = surfaces.shape[0]
    before, after, p, s, end = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
    for sweep in range(most):
        change = 0.0
        for i in range(m):
            k = i if sweep % 2 == 0 else m - 1 - i
            if held[k] and sweep == 0:
                change += 1.0
                continue
            neighbours(k, ends, first, last, touched, before, after)
            into(frames[k], centres[k], before, p)
            into(frames[k], centres[k], after, s)
            now = guess_way(int(surfaces[k, 0]), surfaces[k, 1:4], surfaces[k, 4:7], p, s, near[k], U[k], end)
            change += 1.0 if now != touched[k] else 0.0
            touched[k] = now
            if now:
                out_of(frames[k], centres[k], U[k, :3], p)
                out_of(frames[k], centres[k], end, s)
                change += (np.sum(np.abs(first[k] - p)) + np.sum(np.abs(last[k] - s))) / surfaces[k, 1]
                first[k], last[k] = p, s
        if change < 1e-4:
            break


@kernel
def neighbours(k, ends, first, last, touched, before, after):
    """The points before and after surface k: ends of the way, or where it leaves and meets other surfaces."""
    before[:] = ends[0]
    after[:] = ends[1]
    for j in range(k):
        if touched[j]:
            before[:] = last[j]
    for j in range(touched.size - 1, k, -1):
        if touched[j]:
            after[:] = first[j]


@kernel
def starting_place(surface, ends, centre, frame, out):
    """A point of the surface, or near it: towards its side; without one, towards the straight line between the ends."""
    p, s, x = np.zeros(3), np.zeros(3), np.zeros(3)
    into(frame, centre, ends[0], p)
    into(frame, centre, ends[1], s)
    if np.sum(np.abs(surface[4:7])) > 0.0:
        x[:] = surface[4:7]
        x *= surface[1] / np.sqrt(np.sum(x * x))
    else:
        t = -np.sum(p * (s - p)) / np.sum((s - p) ** 2)
        x = p + min(max(t, 0.0), 1.0) * (s - p)
        size = np.sqrt(np.sum(x * x))
        if size < surface[1]:
            x *= surface[1] / max(size, 1e-12 * surface[1])
    out_of(frame, centre, x, out)


@kernel
def solve_way(surfaces, touched, ends, centres, frames, scale, U):
    """Newton's method for U (n, 4) of the touched surfaces; returns whether it found them."""
    n = touched.size
    R, V, pulls = np.zeros((n, 4)), np.zeros((n, 4)), np.zeros((surfaces.shape[0] + 1, 2, 3))
    J, move = np.zeros((4 * n, 4 * n)), np.zeros(4 * n)
    way_over(surfaces, touched, ends, centres, frames, U, R, pulls)
    error = np.sum(np.abs(R))
    for _ in range(40):
        if error < 1e-14 * n:
            break
        jacobian(surfaces, touched, ends, centres, frames, U, scale, J, pulls)
        for i in range(n):
            for a in range(4):
                move[4 * i + a] = R[i, a]
        if not eliminate(4 * n, J, move):
            return False
        factor, now = 1.0, np.inf
        while factor > 1e-3:
            for i in range(n):
                for a in range(4):
                    V[i, a] = U[i, a] - factor * move[4 * i + a]
            way_over(surfaces, touched, ends, centres, frames, V, R, pulls)
            now = np.sum(np.abs(R))
            if now < error:
                break
            factor *= 0.5
        if not now < error:
            break
        U[:] = V
        error = now
    return error < 1e-8


@kernel
def settle(surfaces, touched, ends, centres, frames, scale, U):
    """Find the way from a bad guess: each surface solved by itself between its neighbours shortens it; then all together."""
    n = touched.size
    between, place, direction, trial = np.zeros((2, 3)), np.zeros(3), np.zeros(3), np.zeros((n, 4))
    for sweep in range(4 * SWEEPS):
        between[0] = ends[0]
        for i in range(n):
            k = touched[i]
            between[1] = ends[1]
            if i + 1 < n:
                j = touched[i + 1]
                out_of(frames[j], centres[j], U[i + 1, :3], between[1])
            if not solve_way(surfaces, touched[i : i + 1], between, centres, frames, scale, U[i : i + 1]):
                return False
            into(frames[k], centres[k], between[0], place)
            unit(place, U[i, :3], direction)
            place[:] = U[i, :3]
            follow(int(surfaces[k, 0]), surfaces[k, 1:4], place, direction, U[i, 3])
            out_of(frames[k], centres[k], place, between[0])
        if sweep % 5 == 4:
            trial[:] = U
            if solve_way(surfaces, touched, ends, centres, frames, scale, trial):
                U[:] = trial
                return True
    return False


@kernel
def find_way(surfaces, ends, centres, frames, U, touched):
    """Which surfaces the way touches, touched (m,), and U (m, 4) there; returns how many, −1 if no way was found.

    It is the shortest of those that are found from a first guess and from others, which pass surfaces without a side elsewhere.
    """
    return _find_way(surfaces, ends, centres, frames, U, touched)


@separate(types.int64(TABLE, TABLE, TABLE, BLOCKS, TABLE, types.Array(types.boolean, 1, "C")))
def _find_way(surfaces, ends, centres, frames, U, touched):
    m = surfaces.shape[0]
    guess(surfaces, ends, centres, frames, U, touched)
    V, on = U.copy(), touched.copy()
    length = np.inf
    if tighten(surfaces, ends, centres, frames, False, U, touched) >= 0:
        length = length_of(surfaces, ends, centres, frames, U, touched)
    else:  # it stood between two ways
        U[:], touched[:] = V, on
        for turn in (0.5 * np.pi, -0.5 * np.pi):
            length = shorten(surfaces, ends, centres, frames, turn, V, on, length, U, touched)
        if not np.isfinite(length):
            U[:], touched[:] = V, on
            if tighten(surfaces, ends, centres, frames, True, U, touched) < 0:
                return -1
            length = length_of(surfaces, ends, centres, frames, U, touched)
    for _ in range(m):  # again from a shorter way, which may touch other surfaces
        V[:], on[:], last = U, touched, length
        length = shorten(surfaces, ends, centres, frames, np.pi, V, on, last, U, touched)
        if length == last:
            break
    if is_a_pass(surfaces, ends, centres, frames, U, touched):
        V[:], on[:] = U, touched
        for turn in (0.5 * np.pi, -0.5 * np.pi):
            length = shorten(surfaces, ends, centres, frames, turn, V, on, length, U, touched)
    return np.sum(touched)


@kernel
def shorten(surfaces, ends, centres, frames, turn, base, on, best, U, touched):
    """Put into U and touched the shortest way on other sides of surfaces than the way `base`, if it is shorter than `best`.

    All combinations of the surfaces that it touches and that have no side are tried. Returns the length, or else `best`.
    """
    m = surfaces.shape[0]
    sides_open, free = np.zeros(m, dtype=np.int64), 0
    for k in range(m):
        quadric = int(surfaces[k, 0]) == SPHERE or int(surfaces[k, 0]) == ELLIPSOID
        if on[k] and quadric and np.sum(np.abs(surfaces[k, 4:7])) == 0.0 and free < MOST_OPEN:
            sides_open[free] = k
            free += 1
    V, trial = np.zeros((m, 4)), np.zeros(m, dtype=np.bool_)
    for choice in range(1, 2**free):
        V[:], trial[:] = base, on
        if not pass_elsewhere(surfaces, ends, centres, frames, sides_open[:free], choice, turn, best, V, trial):
            continue
        if tighten(surfaces, ends, centres, frames, False, V, trial) < 0:
            continue
        length = length_of(surfaces, ends, centres, frames, V, trial)
        if length < best * (1.0 - 1e-12):
            best = length
            U[:], touched[:] = V, trial
    return best


@kernel
def is_a_pass(surfaces, ends, centres, frames, U, touched):
    """Is a way the longest of those beside it in some direction? Then the determinant of ∂R/∂U is negative."""
    m = surfaces.shape[0]
    order, V, n = np.zeros(m, dtype=np.int64), np.zeros((m, 4)), 0
    for k in range(m):
        if touched[k]:
            order[n], V[n] = k, U[k]
            n += 1
    if n == 0:
        return False
    J, pulls = np.zeros((4 * n, 4 * n)), np.zeros((m + 1, 2, 3))
    jacobian(surfaces, order[:n], ends, centres, frames, V[:n], largest_size(surfaces), J, pulls)
    return sign_of_determinant(4 * n, J) < 0.0


@kernel
def places_on(surfaces, ends, centres, frames, U, touched, first, last, near):
    """Where a way meets and leaves the surfaces that it touches, and its middles there; see `sweep_over`."""
    p, Q, T = np.zeros(3), np.zeros(3), np.zeros(3)
    before = ends[0].copy()
    for k in range(surfaces.shape[0]):
        if touched[k]:
            kind, size = int(surfaces[k, 0]), surfaces[k, 1:4]
            into(frames[k], centres[k], before, p)
            Q[:] = U[k, :3]
            unit(p, Q, T)
            follow(kind, size, Q, T, 0.5 * U[k, 3])
            near[k] = Q
            follow(kind, size, Q, T, 0.5 * U[k, 3])
            out_of(frames[k], centres[k], U[k, :3], first[k])
            out_of(frames[k], centres[k], Q, last[k])
            before[:] = last[k]


@kernel
def length_of(surfaces, ends, centres, frames, U, touched):
    """Length of a way."""
    m = surfaces.shape[0]
    order, V, R, pulls = np.zeros(m, dtype=np.int64), np.zeros((m, 4)), np.zeros((m, 4)), np.zeros((m + 1, 2, 3))
    n = 0
    for k in range(m):
        if touched[k]:
            order[n], V[n] = k, U[k]
            n += 1
    return way_over(surfaces, order[:n], ends, centres, frames, V[:n], R[:n], pulls)


@kernel
def pass_elsewhere(surfaces, ends, centres, frames, sides_open, choice, turn, best, U, touched):
    """Guess a way that passes some surfaces, those whose bits are set in `choice`, on another side than the way U, by `turn`.

    False if there is none, if it comes back to the way that it started from, or if it is much longer than `best`.
    """
    m = surfaces.shape[0]
    first, last, near, old, before, after, p, s, end = (
        np.zeros((m, 3)), np.zeros((m, 3)), np.zeros((m, 3)), np.zeros((m, 3)), np.zeros(3), np.zeros(3), np.zeros(3),
        np.zeros(3), np.zeros(3),
    )  # fmt: skip
    held, was = np.zeros(m, dtype=np.bool_), touched.copy()
    places_on(surfaces, ends, centres, frames, U, touched, first, last, near)
    old[:] = near
    alone = np.sum(touched) == 1  # then its neighbours stay where they are
    for i in range(sides_open.size):
        if (choice >> i) % 2 == 1:
            k = sides_open[i]
            kind = int(surfaces[k, 0])
            neighbours(k, ends, first, last, touched, before, after)
            into(frames[k], centres[k], before, p)
            into(frames[k], centres[k], after, s)
            found = other_way(kind, surfaces[k, 1:4], turn, p, s, U[k], end, near[k])
            if alone and (kind == SPHERE or not found):
                return False
            out_of(frames[k], centres[k], U[k, :3], first[k])
            out_of(frames[k], centres[k], end, last[k])
            held[k] = True
    sweep_over(surfaces, ends, centres, frames, SWEEPS_ELSEWHERE, held, first, last, near, U, touched)
    same, length, around = True, 0.0, 0.0
    before[:] = ends[0]
    for k in range(m):
        same = same and touched[k] == was[k]
        if touched[k]:
            same = same and np.sum(np.abs(near[k] - old[k])) < 0.02 * surfaces[k, 1]
            length += unit(before, first[k], end) + U[k, 3]
            around += U[k, 3]
            before[:] = last[k]
    length += unit(before, ends[1], end)
    return not same and length - best < 0.25 * around


@kernel
def tighten(surfaces, ends, centres, frames, settled, U, touched):
    """The way near a guess; returns how many surfaces it touches, −1 if none was found. settled: search for it longer.

    A surface whose geodesic would have a negative length is let go, one that a straight piece runs through is taken up.
    """
    m = surfaces.shape[0]
    scale = largest_size(surfaces)
    start, order = np.zeros((m, 4)), np.zeros(m, dtype=np.int64)
    for _ in range(2 * m + 2):
        n = 0
        for k in range(m):
            if touched[k]:
                order[n] = k
                start[n] = U[k]
                n += 1
        if n > 0 and not solve_way(surfaces, order[:n], ends, centres, frames, scale, start[:n]):
            for i in range(n):
                start[i] = U[order[i]]
            if not (settled and settle(surfaces, order[:n], ends, centres, frames, scale, start[:n])):
                return -1
        changed = False
        for i in range(n):
            U[order[i]] = start[i]
            if start[i, 3] < -1e-9 * scale:
                touched[order[i]] = False
                changed = True
        if not changed and m > 1:
            changed = take_up(surfaces, ends, centres, frames, scale, U, touched)
        if not changed:
            return n
    return -1


@kernel
def take_up(surfaces, ends, centres, frames, scale, U, touched):
    """Touch the surfaces that straight pieces of the way run through; returns whether there were any."""
    m = surfaces.shape[0]
    first, last, near, p, s, before, after, end, V = (
        np.zeros((m, 3)), np.zeros((m, 3)), np.zeros((m, 3)), np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3),
        np.zeros(3), np.zeros(4),
    )  # fmt: skip
    places_on(surfaces, ends, centres, frames, U, touched, first, last, near)
    any_new = False
    for k in range(m):
        if not touched[k]:
            neighbours(k, ends, first, last, touched, before, after)
            into(frames[k], centres[k], before, p)
            into(frames[k], centres[k], after, s)
            kind, size, side = int(surfaces[k, 0]), surfaces[k, 1:4], surfaces[k, 4:7]
            if guess_way(kind, size, side, p, s, near[k], V, end) and V[3] > 1e-9 * scale:
                U[k] = V
                out_of(frames[k], centres[k], V[:3], first[k])
                out_of(frames[k], centres[k], end, last[k])
                touched[k] = True
                any_new = True
    return any_new


@kernel
def length_over_surfaces(d, surfaces, z, g, H):
    """Length of the way over surfaces (m, 7) in a row, see above for z; fills its gradient g and Hessian H by z. nan: no way.

    The Hessian is that of the gradient along z and U(z) together, ∂U/∂z = −(∂R/∂U)⁻¹ ∂R/∂z, by central differences.
    """
    return _length_over_surfaces(d, surfaces, z, g, H)


_NUMBERS = types.Array(types.float64, 1, "C")


@separate(types.float64(types.int64, TABLE, _NUMBERS, _NUMBERS, TABLE))
def _length_over_surfaces(d, surfaces, z, g, H):
    m, count = surfaces.shape[0], z.size
    ends, centres, frames = np.zeros((2, 3)), np.zeros((m, 3)), np.zeros((m, 3, 3))
    place_surfaces(d, m, z, ends, centres, frames)
    U, touched = np.zeros((m, 4)), np.zeros(m, dtype=np.bool_)
    local, normal = np.zeros(3), np.zeros(3)
    for k in range(2):
        j = 0 if k == 0 else m - 1
        into(frames[j], centres[j], ends[k], local)
        if not normal_at(int(surfaces[j, 0]), surfaces[j, 1:4], local, normal) > 0.0:
            return np.nan
    n = find_way(surfaces, ends, centres, frames, U, touched)
    if n < 0:
        return np.nan
    order, V = np.zeros(n, dtype=np.int64), np.zeros((n, 4))
    i = 0
    for k in range(m):
        if touched[k]:
            order[i], V[i] = k, U[k]
            i += 1
    R, pulls, scale = np.zeros((n, 4)), np.zeros((m + 1, 2, 3)), largest_size(surfaces)
    length = way_over(surfaces, order, ends, centres, frames, V, R, pulls)
    gradient_by_numbers(d, m, z, frames, pulls, g)
    J, matrix = np.zeros((4 * n, 4 * n)), np.zeros((4 * n, 4 * n))
    jacobian(surfaces, order, ends, centres, frames, V, scale, J, pulls)
    w, move, W = z.copy(), np.zeros(4 * n), np.zeros((n, 4))
    sides, slopes = np.zeros((2, n, 4)), np.zeros((2, count))
    for k in range(count):
        e = STEP if k >= 2 * d and (k - 2 * d) % (d * d) >= d else STEP * scale  # axes are pure numbers
        for side in range(2):
            w[k] = z[k] + (e if side else -e)
            place_surfaces(d, m, w, ends, centres, frames)
            way_over(surfaces, order, ends, centres, frames, V, sides[side], pulls)
        for i in range(n):
            for a in range(4):
                move[4 * i + a] = (sides[0, i, a] - sides[1, i, a]) / (2.0 * e)
        matrix[:] = J
        if n > 0 and not eliminate(4 * n, matrix, move):
            return np.nan
        for side in range(2):
            w[k] = z[k] + (e if side else -e)
            for i in range(n):
                for a in range(4):
                    W[i, a] = V[i, a] + (e if side else -e) * move[4 * i + a]
            place_surfaces(d, m, w, ends, centres, frames)
            way_over(surfaces, order, ends, centres, frames, W, R, pulls)
            gradient_by_numbers(d, m, w, frames, pulls, slopes[side])
        w[k] = z[k]
        for j in range(count):
            H[j, k] = (slopes[1, j] - slopes[0, j]) / (2.0 * e)
    for j in range(count):
        for k in range(j):
            H[j, k] = H[k, j] = 0.5 * (H[j, k] + H[k, j])
    return length
