"""All that acts on the part of a rigid body beyond a cut: by laws, by contacts, and what a reader says of single parts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from condyle.errors import InputError, unknown_name
from condyle.model.given import NumbersLike, PointLike
from condyle.muscles import MovingPoint
from condyle.results.crash.curves import Array
from condyle.system.cut import Cut, Divided

if TYPE_CHECKING:
    from condyle.results.contact import ContactHistory
    from condyle.results.result import Result

AT_REST = "load factor"  # what results of statics count

# By the name of a part: the point at which it acts, or also its force and moment there at the frames.
Loads: TypeAlias = (
    "Mapping[str, PointLike | tuple[PointLike, NumbersLike] | tuple[PointLike, NumbersLike, NumbersLike]]"
)


def cross(a: Array, b: Array) -> Array:
    """a × b, (n, 3), in 2D its one component (n,)."""
    return np.cross(a, b) if a.shape[-1] == 3 else np.asarray(a[..., 0] * b[..., 1] - a[..., 1] * b[..., 0])


def prepared(result: Result, cut: Cut, loads: Loads) -> Cut:
    """The cut, with what is known of single parts."""
    for name, load in loads.items():
        if name not in result.model:
            raise unknown_name("part", name, [part.name for part in result.model], where="section_force: loads")
        if isinstance(load, tuple | list) and len(load) not in (2, 3):
            raise InputError(
                f"section_force: '{name}' of loads must be point, (point, force) or (point, force, moment)"
            )
    said = {name: load for name, load in loads.items() if not isinstance(load, tuple | list)}
    cut = replace(
        cut,
        contacts=frozenset(pair.name for pair in result.system.contacts),
        left_out=frozenset(loads.keys() - said.keys()),
        sides={name: _is_beyond(result, cut, point) for name, point in said.items()},
    )
    for part in result.model:
        for entry in getattr(part, "path", ()) if part.name not in loads else ():
            if isinstance(entry, MovingPoint) and entry.body == cut.body:
                beyond = cut.is_beyond(np.array(entry.places))
                if beyond.any() and not beyond.all():
                    raise InputError(
                        f"section_force: {part.label} has a MovingPoint that comes from one side of the cut to the other; cut "
                        f"'{cut.body}' elsewhere, or say what it does by loads={{'{part.name}': (point, force)}}"
                    )
    return cut


def _is_beyond(result: Result, cut: Cut, point: PointLike) -> bool:
    """Is a point beyond the cut in the first frame?"""
    return bool(cut.is_beyond(_in_axes(result, cut, result.position(point)))[0])


def _in_axes(result: Result, cut: Cut, places: Array) -> Array:
    """Places (frames, …, d) in the axes of the body [m]."""
    arm = places - result.position(cut.body).reshape(len(result), *(1,) * (places.ndim - 2), -1)
    return np.asarray(np.einsum("f...i,fij->f...j", arm, result.rotation_matrix(cut.body)))


def transmitted(result: Result, cut: Cut, there: Array) -> tuple[Array, Array]:
    """What the part beyond puts on the part before, about the places of the cut (frames, d), contacts and `loads` apart."""
    divided = Divided(result.system, cut)
    for name in divided.anchor.without_place:
        raise InputError(
            f"section_force: {result.model[name].label} turns '{cut.body}' as a whole; say at which point it acts by "
            f"loads={{'{name}': point}}"
        )
    for name in divided.anchor.undecided:
        raise InputError(
            f"section_force: {result.model[name].label} acts in the plane of the cut, where force or moment jumps; cut "
            f"'{cut.body}' on either side of it"
        )
    for name in divided.inputs(result.state(len(result) // 2)) if result.options.get("controlled") else ():
        raise InputError(
            f"section_force: controllers of the run may have set the input of {result.model[name].label}, which a result does "
            f"not hold; say what it did by loads={{'{name}': (point, force)}}, or (point, force, moment)"
        )
    store, rows = result._store, divided.accelerated
    velocities = store.rows("v", rows)
    slopes = np.zeros_like(velocities) if result.clock == AT_REST else result._slope(velocities)
    multipliers = result.at_frames(store.array("multipliers")[result._loaded])
    acceleration = np.zeros((result.system.n, result.dimension))
    weights = np.r_[1.0, np.zeros(result.dimension)]  # of the rows: the first is a place, the others are directions
    found = []
    for k in range(len(result)):
        state = result.state(k)
        acceleration[rows] = slopes[result._frames[k]]
        own = np.where(result.system.end_multipliers, state.multipliers, multipliers[k])
        lacking, x = divided.lacking(state, acceleration, own)
        found.append((weights @ lacking, cross(x - weights[:, None] * there[k], lacking).sum(axis=0)))
    force, moment = zip(*found, strict=True)
    return -np.array(force), -np.array(moment)


def given(result: Result, cut: Cut, loads: Loads) -> Iterator[tuple[Array, Array, Array]]:
    """Place, force and moment of what is said to act beyond the cut, at the frames."""
    n, d = len(result), result.dimension
    turning = (n, 3) if d == 3 else (n,)
    for name, load in loads.items():
        if not isinstance(load, tuple | list):
            continue
        point, force, moment = (*load, np.zeros(turning))[:3]
        for what, value, shape in (("force", force, (n, d)), ("moment", moment, turning)):
            if np.shape(value) != shape:
                raise InputError(f"section_force: the {what} of '{name}' must have shape {shape}")
        if _is_beyond(result, cut, point):
            yield result.position(point), np.asarray(force, dtype=float), np.asarray(moment, dtype=float)


def touching(result: Result, cut: Cut) -> Iterator[tuple[Array, Array, Array]]:
    """Place and force of each point of a contact on the body, while it is beyond the cut; the moment there is 0."""
    for name in (pair.name for pair in result.system.contacts if pair.name not in cut.left_out):
        history = result.contact(name)
        signs = history.signs(cut.body)[:, :, None]
        if not signs.any():
            _no_node_of_it(result, cut, history)
            continue
        if (history.impulse * signs).any():
            raise InputError(
                f"section_force: {result.model[name].label} strikes '{cut.body}' in no time; give what it does to it by "
                f"loads={{'{name}': (point, force)}}, or (point, force, moment)"
            )
        force, places = history.force * signs, history.places
        if not np.array_equal(history.force_times, history.times):  # those of the middles of steps
            force = result.at_frames(force[len(force) - len(result.multiplier_times) :])
        acting = force * cut.is_beyond(_in_axes(result, cut, places))[:, :, None]
        for k in np.flatnonzero(acting.any(axis=(0, 2))):
            yield places[:, k], acting[:, k], np.zeros(())


def _no_node_of_it(result: Result, cut: Cut, history: ContactHistory) -> None:
    """InputError if a contact acts on the body through nodes that are built into it."""
    bodies = history.pair.body, history.pair.target
    for name in result.system.eliminated:
        tie = result.model[name]
        if tie.to == cut.body and tie.body in bodies:
            raise InputError(
                f"section_force: {result.model[history.name].label} touches '{tie.body}', whose tied nodes are points of "
                f"'{cut.body}'; hold {tie.label} by enforcement='multiplier'"
            )
