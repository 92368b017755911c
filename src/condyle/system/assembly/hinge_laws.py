"""Laws that act on the angle of a hinge, in steps of a tree that balance it by `tree_balance.py`.

The energy ψ(q) of an angle q makes the moment τ on the body that it belongs to, and −τ on the other, by its discrete
gradient. What does no work in the joint turns both by multiples of the mean axis ā, so the balance feels ā·τ alone, and all
that it takes is a number. Let b be the Cayley vector of the body that carries the plane of the angle, a its axis at the start,
σ = 2 tan ½Δq the turn of the other about a after b, and e, e⊥ square to a, half way along that turn. With n = 1 − ¼ σ a·b and
k = 1 + ¼ b·b

    t − b = σ k/n ā        so that  ā·τ = χ Δq/σ n/k  does the work  Δψ = χ Δq
    τ = χ/k Δq/σ (1 + ½ S(b)) (n a − ¼ σ (e·b) e)

A force f(q, q̇) is taken at mean vectors. With N = n + ¼ (e·b)², W = ¼ (e·b) (e⊥·b) their angle, its rate and its moment are

    q_m = ½ (q0 + q1) + atan(W/N),   q̇_m = σ k N/(h (N² + W²)),   ā·∂q/∂θ = n N/(N² + W²)
    ∂q/∂θ = (1 + ½ S(b)) (n N a − ¼ σ (e·b) (N e + W e⊥))/(N² + W²)

These are the forces of rows, to the last term.
"""

from typing import NamedTuple

import numpy as np

from condyle.laws.angles import angle_chord, angle_energy, angle_force
from condyle.laws.columns import Integers, Integers2, Numbers, Numbers2, Numbers3, table
from condyle.laws.coordinates import angle_near
from condyle.laws.kernel import kernel
from condyle.system.assembly.joint_tree import along
from condyle.system.assembly.tree_start import (
    RESISTANCE,
    RESISTED_OWN,
    RESISTED_PARENT,
    ROLLED,
    SIZE_T,
    TORQUE,
    TURN,
)
from condyle.system.assembly.triples import cross, dot, plus, scaled, set_vector, vector

_SMALL = 1e-3  # of tan ½Δq: series of its arc


@table
class HingeLaws(NamedTuple):
    """What acts on angles of hinges: on the same one several laws, which stand one after the other."""

    body: Integers  # (angles,) of the tree, by whose hinge the angle changes
    sense: Numbers  # (angles,) 1 if it grows as the body turns about its axis, −1
    ends: Integers2  # (angles, 2) bodies that the direction and the plane of the angle belong to, −1: the ground
    direction: Numbers3  # (angles, 3, 3) the direction and both of the plane, along the directors of their bodies
    start: Integers  # (angles + 1,) into the laws
    law: Integers  # (laws,) in the table of all
    turn: Integers  # (laws,) which of the angles of a state is that of the law


@table
class HingeRoom(NamedTuple):
    """Arrays that a step works on."""

    vectors: Numbers3  # (angles, 3, 3), see the names below
    numbers: Numbers2  # (angles, 2)


# Direction and axis at the start of a step; moment of the laws on the body of the direction.
DIRECTION, AXLE, MOMENT = range(3)
# The angle at the start of a step; power of forces.
ANGLE, POWER = range(2)


@kernel
def find_angles(tree, hinges, x, turns, room):
    """Where the angles of a step begin; turns: those of the state."""
    for k in range(hinges.body.size):
        y, e, g = _directions(tree, hinges, k, x)
        set_vector(room.vectors, k, DIRECTION, y)
        set_vector(room.vectors, k, AXLE, cross(e, g))
        room.numbers[k, ANGLE] = angle_near(dot(y, g), dot(y, e), turns[hinges.turn[hinges.start[k]]])


@kernel
def end_angles(tree, hinges, laws, forces, x, room, turns):
    """Fills `turns`, the angles at the end x of a step; returns the energy [J] stored there. forces: the first of them."""
    stored = 0.0
    for k in range(hinges.body.size):
        y, e, g = _directions(tree, hinges, k, x)
        q = angle_near(dot(y, g), dot(y, e), room.numbers[k, ANGLE])
        for j in range(hinges.start[k], hinges.start[k + 1]):
            i = hinges.law[j]
            turns[hinges.turn[j]] = q
            if i < forces:
                stored += angle_energy(laws.law[i], laws.params[laws.param_start[i] : laws.param_start[i + 1]], q)
    return stored


@kernel(forceinline=True)
def _directions(tree, hinges, k, x):
    """The direction of an angle, and both of its plane."""
    d, one, other = hinges.direction, hinges.ends[k, 0], hinges.ends[k, 1]
    return (
        along(tree, one, x, (d[k, 0, 0], d[k, 0, 1], d[k, 0, 2])),
        along(tree, other, x, (d[k, 1, 0], d[k, 1, 1], d[k, 1, 2])),
        along(tree, other, x, (d[k, 2, 0], d[k, 2, 1], d[k, 2, 2])),
    )


@kernel
def resist(tree, hinges, laws, forces, amplitudes, h, steps, room, r, scale, noise):
    """Add the laws to the residual that `balance_tree` has found, and keep what `factor_tree` needs of them.

    noise: how much a moment changes when its angle changes by as much as that itself, of which round-off takes its share.
    """
    V, sizes = steps.vectors, steps.sizes
    none = (0.0, 0.0, 0.0)
    for k in range(hinges.body.size):
        i = hinges.body[k]
        sizes[i, RESISTANCE] = 0.0
        set_vector(V, i, RESISTED_OWN, none)
        set_vector(V, i, RESISTED_PARENT, none)
    for k in range(hinges.body.size):
        i, carrier, sense = hinges.body[k], hinges.ends[k, 1], hinges.sense[k]
        b = vector(V, carrier, TURN) if carrier >= 0 else none
        moment, by_angle, by_turn = _resist_angle(
            hinges, k, laws, forces, amplitudes, h, sense * sizes[i, ROLLED], b, room
        )
        at = tree.place[i, 1]
        r[at] += sense * moment
        scale[at] += abs(moment)
        noise[at] += abs(by_angle) * (abs(room.numbers[k, ANGLE]) + abs(sizes[i, ROLLED]))
        sizes[i, SIZE_T] += abs(moment)
        sizes[i, RESISTANCE] += by_angle
        felt = RESISTED_OWN if carrier == i else RESISTED_PARENT
        set_vector(V, i, felt, plus(vector(V, i, felt), scaled(sense, by_turn)))


@kernel
def _resist_angle(hinges, k, laws, forces, amplitudes, h, roll, b, room):
    """The moment ā·τ of all laws on an angle, and how it changes with the angle and with δθ of the carrier of its plane."""
    y, a, q0 = vector(room.vectors, k, DIRECTION), vector(room.vectors, k, AXLE), room.numbers[k, ANGLE]
    z = 0.5 * roll
    m = 1.0 + z * z
    ahead = scaled(1.0 / np.sqrt(m), plus(y, scaled(z, cross(a, y))))
    beside = cross(a, ahead)
    if abs(z) < _SMALL:
        arc, arc_q = 1.0 - z * z * (1.0 / 3.0 - z * z / 5.0), -0.5 * m * z * (2.0 / 3.0 - 0.8 * z * z)
        turned = roll * arc
    else:
        turned = 2.0 * np.arctan(z)
        arc = turned / roll
        arc_q = (1.0 - arc * m) / roll
    u, v, along_axis, whole = dot(ahead, b), dot(beside, b), dot(a, b), 1.0 + 0.25 * dot(b, b)
    n = 1.0 - 0.25 * roll * along_axis
    N, W, N_q, W_q = n + 0.25 * u * u, 0.25 * u * v, -0.25 * m * along_axis, 0.125 * (v * v - u * u)
    square = N * N + W * W
    share, pace = n * N / square, whole / (h * square)
    middle = q0 + 0.5 * turned
    if W != 0.0:
        middle += np.arctan(W / N) if N > 0.0 else np.arctan2(W, N)
    rate = roll * N * pace
    chi = chi_q = f = f_q = f_r = 0.0
    for j in range(hinges.start[k], hinges.start[k + 1]):
        i = hinges.law[j]
        p = laws.params[laws.param_start[i] : laws.param_start[i + 1]]
        if i < forces:
            chord, by_end = angle_chord(laws.law[i], p, q0, q0 + turned)
            chi, chi_q = chi + chord, chi_q + by_end
        else:
            amplitude = amplitudes[laws.channel[i]] if laws.channel[i] >= 0 else 1.0
            force, by_value, by_rate = angle_force(laws.law[i], p, middle, rate, amplitude)
            f, f_q, f_r = f + force, f_q + by_value, f_r + by_rate
    elastic = chi * arc / whole
    moment = elastic * n - f * share
    # by n, N, W and k: of the share, the angle and the rate of forces, and of the quotient of energies
    by_n = elastic - f * N / square
    by_N = (
        -f * (n - 2.0 * N * share) / square
        - share * (-f_q * W + f_r * roll * (whole - 2.0 * N * N * pace * h) / h) / square
    )
    by_W = 2.0 * f * W * share / square - share * (f_q * N - f_r * rate * 2.0 * W) / square
    by_whole = -elastic * n / whole - share * f_r * rate / whole
    by_angle = (chi_q * arc + chi * arc_q) * n / whole - share * (0.5 * f_q + f_r * m * N * pace)
    by_angle += (by_n + by_N) * N_q + by_N * W + by_W * W_q
    by_turn = plus(scaled(-0.25 * roll * (by_n + by_N), a), scaled(0.5 * by_whole, b))
    by_turn = plus(by_turn, plus(scaled(0.5 * u * by_N + 0.25 * v * by_W, ahead), scaled(0.25 * u * by_W, beside)))
    by_turn = plus(by_turn, plus(scaled(0.5, cross(b, by_turn)), scaled(0.25 * dot(b, by_turn), b)))
    aside = 0.25 * roll * u
    torque = plus(scaled(moment, a), scaled(aside * f * W / square, beside))
    torque = plus(torque, scaled(aside * (f * N / square - elastic), ahead))
    set_vector(room.vectors, k, MOMENT, plus(torque, scaled(0.5, cross(b, torque))))
    room.numbers[k, POWER] = f * rate
    return moment, by_angle, by_turn


@kernel
def bear_laws(hinges, steps, room):
    """Add the moments of the laws to those that joints bear; returns the power [W] of forces."""
    V, power = steps.vectors, 0.0
    for k in range(hinges.body.size):
        i = hinges.body[k]
        sign = 1.0 if hinges.ends[k, 0] == i else -1.0
        set_vector(V, i, TORQUE, plus(vector(V, i, TORQUE), scaled(sign, vector(room.vectors, k, MOMENT))))
        power += room.numbers[k, POWER]
    return power
